/*
 * clock.c - the clocks of limits, and how the tests move it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/* Milliseconds by which the clock is ahead; NULL outside the tests. */
static _Atomic int64_t *ahead;

bool
clock_follow(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	void *number = MAP_FAILED;

	if (file < 0)
		return false;
	/* what is behind the end of a file can be mapped, and not be read */
	errno = EINVAL;
	if (lseek(file, 0, SEEK_END) >= (off_t) sizeof(*ahead))
		number = mmap(NULL, sizeof(*ahead), PROT_READ, MAP_SHARED, file, 0);
	close(file);
	if (number == MAP_FAILED)
		return false;
	ahead = number;
	return true;
}

/* Milliseconds of one of the system's clocks, and those by which the tests are ahead. */
static int64_t
milliseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000 + (ahead ? atomic_load(ahead) : 0);
}

int64_t
clock_now(void)
{
	return milliseconds(CLOCK_MONOTONIC);
}

int64_t
clock_time(void)
{
	return milliseconds(CLOCK_REALTIME) / 1000;
}
