/*
 * malloc.c - an allocator that fails at random, and counts: a library for LD_PRELOAD.
 *
 * The file that MALLOC_COUNTS names has four numbers of 64 bits, which a test reads and writes while the
 * program runs: one allocation of so many fails (0: none), how many have failed, how many blocks exist,
 * and how many bytes these have.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

typedef struct Counts
{
	uint64_t one_of;
	uint64_t failed;
	int64_t blocks;
	int64_t bytes;
} Counts;

static Counts unshared;
static Counts *counts = &unshared;

__attribute__((constructor)) static void
share(void)
{
	const char *path = getenv("MALLOC_COUNTS");
	int file = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
	Counts *shared;

	if (file < 0)
		return;
	shared = mmap(NULL, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (shared == MAP_FAILED)
		return;
	shared->blocks = unshared.blocks;
	shared->bytes = unshared.bytes;
	counts = shared;
}

/* Whether this allocation fails; errno is then as malloc() sets it. */
static int
fails(void)
{
	static __thread uint64_t state;
	uint64_t one_of = __atomic_load_n(&counts->one_of, __ATOMIC_RELAXED);

	if (one_of == 0)
		return 0;
	if (state == 0)
		state = (uint64_t) (uintptr_t) &state ^ (uint64_t) getpid() << 32;
	state = state * 6364136223846793005u + 1442695040888963407u;
	if ((state >> 33) % one_of != 0)
		return 0;
	__atomic_fetch_add(&counts->failed, 1, __ATOMIC_RELAXED);
	errno = ENOMEM;
	return 1;
}

/* Count a block that was made or, by -1, is about to be freed. */
static void *
counted(void *block, int sign)
{
	if (block != NULL)
	{
		__atomic_fetch_add(&counts->blocks, sign, __ATOMIC_RELAXED);
		__atomic_fetch_add(&counts->bytes, sign * (int64_t) malloc_usable_size(block),
						   __ATOMIC_RELAXED);
	}
	return block;
}

void *
malloc(size_t size)
{
	return fails() ? NULL : counted(__libc_malloc(size), 1);
}

void *
calloc(size_t count, size_t size)
{
	return fails() ? NULL : counted(__libc_calloc(count, size), 1);
}

void *
realloc(void *block, size_t size)
{
	void *larger;

	if (fails())
		return NULL;
	counted(block, -1);
	larger = __libc_realloc(block, size);
	counted(larger != NULL || size == 0 ? larger : block, 1);
	return larger;
}

void
free(void *block)
{
	__libc_free(counted(block, -1));
}
