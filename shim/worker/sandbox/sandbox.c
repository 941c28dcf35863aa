/*
 * sandbox.c - drop the rights that a file reader does not need.
 *
 * An error in a reader may affect the reading of one file only.  Therefore, before it reads the
 * first byte, it closes all descriptors except 0, 1 and 2, clears its environment, limits memory,
 * processor time, files and processes, gives up new privileges, and allows only the system calls
 * listed below; the kernel kills the process at any other call.  The restrictions are tested at
 * once, since nothing else would detect a sandbox that does not work.
 *
 * AddressSanitizer needs unlimited address space and more system calls: with it there is no
 * RLIMIT_AS, and unlisted calls are allowed, except those that reach the network, other processes
 * or files for writing.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <seccomp.h>

#include "sandbox/sandbox.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define MEMORY_MAXIMUM (256 << 20)
#define SECONDS_FOR_ALL 20
#define SECONDS_PER_PIECE 20
#define PIECE (100 << 20)
#define DESCRIPTORS 3 /* 0, 1 and 2 */

/* System calls that a reader may use, and why. */
static const int allowed[] = {
	/* read the file, write frames */
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(write),
	/* malloc; mmap and mprotect have rules of their own */
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
	/* locks, and seeds where the C library takes them late */
	SCMP_SYS(futex), SCMP_SYS(getrandom),
	/* qsort() asks for the size of the memory */
	SCMP_SYS(sysinfo),
	/* times of ZIP entries, where the vDSO does not serve them */
	SCMP_SYS(clock_gettime),
	/* OpenSSL, which libzip initializes, detects forks */
	SCMP_SYS(getpid),
	/* exit */
	SCMP_SYS(exit), SCMP_SYS(exit_group)};

/* System calls by which libraries look for files and for the machine: refused with an error. */
static const int looks[] = {SCMP_SYS(open),
							SCMP_SYS(openat),
							SCMP_SYS(stat),
							SCMP_SYS(lstat),
							SCMP_SYS(statx),
							SCMP_SYS(access),
							SCMP_SYS(faccessat),
							SCMP_SYS(faccessat2),
							SCMP_SYS(readlink),
							SCMP_SYS(readlinkat),
							SCMP_SYS(getcwd),
							SCMP_SYS(uname),
							SCMP_SYS(getuid),
							SCMP_SYS(geteuid),
							SCMP_SYS(ioctl),
							SCMP_SYS(prlimit64),
							SCMP_SYS(sched_getaffinity)};

/* System calls of a library on the descriptors that it has. */
static const int kept[] = {SCMP_SYS(fstat), SCMP_SYS(close), SCMP_SYS(gettid),
						   SCMP_SYS(sched_yield), SCMP_SYS(clock_nanosleep)};

/* System calls that are forbidden with a sanitizer, and to programs, too. */
static const int forbidden[] = {SCMP_SYS(connect),	 SCMP_SYS(bind),	 SCMP_SYS(sendto),
								SCMP_SYS(sendmsg),	 SCMP_SYS(fork),	 SCMP_SYS(vfork),
								SCMP_SYS(ptrace),	 SCMP_SYS(kill),	 SCMP_SYS(unlink),
								SCMP_SYS(unlinkat),	 SCMP_SYS(rename),	 SCMP_SYS(renameat),
								SCMP_SYS(renameat2), SCMP_SYS(mkdir),	 SCMP_SYS(mkdirat),
								SCMP_SYS(chmod),	 SCMP_SYS(fchmodat), SCMP_SYS(creat)};

/* By these a program could do the same unseen; it has other ways, and takes them. */
static const int unseen[] = {SCMP_SYS(clone3), SCMP_SYS(openat2), SCMP_SYS(io_uring_setup)};

/* To start another program, which a program must be. */
static const int starts[] = {SCMP_SYS(execve), SCMP_SYS(execveat)};

static bool
set_limit(int resource, rlim_t value)
{
	struct rlimit limit = {value, value};
	struct rlimit present;

	return setrlimit(resource, &limit) == 0 && getrlimit(resource, &present) == 0 &&
		   present.rlim_cur == value && present.rlim_max == value;
}

/* Bytes of the address space that this process has; 0 if they are not known. */
static uint64_t
memory_taken(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	char line[100] = "0";

	if (file == NULL)
		return 0;
	if (fgets(line, sizeof(line), file) == NULL)
		line[0] = '\0';
	fclose(file);
	return (uint64_t) strtoull(line, NULL, 10) * (uint64_t) sysconf(_SC_PAGESIZE);
}

static bool
set_limits(uint64_t size, uint64_t memory)
{
	rlim_t seconds = SECONDS_FOR_ALL + SECONDS_PER_PIECE * size / PIECE;

	return (SANITIZED || set_limit(RLIMIT_AS, memory)) && set_limit(RLIMIT_CPU, seconds) &&
		   set_limit(RLIMIT_FSIZE, 0) && set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_NPROC, 0) &&
		   set_limit(RLIMIT_NOFILE, DESCRIPTORS);
}

static bool
allow_memory(scmp_filter_ctx filter)
{
	/* no executable memory */
	static const int calls[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};

	for (size_t i = 0; i < lengthof(calls); i++)
		if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 1,
							 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) != 0)
			return false;
	return true;
}

static bool
allow_library(scmp_filter_ctx filter)
{
	/* the C library has fstat() as the status of an empty path */
	if (!SANITIZED && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
									   SCMP_A3(SCMP_CMP_EQ, AT_EMPTY_PATH, 0)) != 0)
		return false;
	if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(newfstatat), 1,
						 SCMP_A3(SCMP_CMP_NE, AT_EMPTY_PATH, 0)) != 0)
		return false;
	for (size_t i = 0; i < lengthof(looks); i++)
		if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), looks[i], 0) != 0)
			return false;
	for (size_t i = 0; !SANITIZED && i < lengthof(kept); i++)
		if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, kept[i], 0) != 0)
			return false;
	return true;
}

static bool
refuse(scmp_filter_ctx filter, const int *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, calls[i], 0) != 0)
			return false;
	return true;
}

static bool
add_rules(scmp_filter_ctx filter, bool library)
{
	/* refused with an error, so that it can be tested */
	if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 0) != 0)
		return false;
	if (SANITIZED && (!refuse(filter, forbidden, lengthof(forbidden)) ||
					  !refuse(filter, starts, lengthof(starts))))
		return false;
	for (size_t i = 0; !SANITIZED && i < lengthof(allowed); i++)
		if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0) != 0)
			return false;
	return (!library || allow_library(filter)) && (SANITIZED || allow_memory(filter));
}

static bool
close_calls(bool library)
{
	scmp_filter_ctx filter = seccomp_init(SANITIZED ? SCMP_ACT_ALLOW : SCMP_ACT_KILL_PROCESS);
	bool done = filter != NULL && add_rules(filter, library) && seccomp_load(filter) == 0;

	seccomp_release(filter);
	return done;
}

/* Give up new privileges, and see that it is so. */
static bool
keep_privileges(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		   prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

/* Is a socket refused?  Nothing else would detect a filter that does not work. */
static bool
is_closed(void)
{
	errno = 0;
	return socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM;
}

const char *
sandbox_enter(uint64_t size, uint64_t memory)
{
	bool library = memory > 0;

	/*
	 * libzip converts times of entries to local time: with TZ set, no file of time zones is opened
	 */
	if (clearenv() != 0 || setenv("TZ", "UTC0", 1) != 0)
		return "environment";
	tzset();
	/* the first call has glibc set up its generator, with system calls that are closed below */
	if (getrandom(&(char){0}, 1, 0) != 1)
		return "random numbers";
	/* libzip initializes OpenSSL; without this call, OpenSSL would then read its configuration file */
	if (OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) != 1)
		return "OpenSSL";
	if (!library)
		closefrom(STDERR_FILENO + 1);
	if (!set_limits(size, library ? memory_taken() + size + memory : MEMORY_MAXIMUM))
		return "limits";
	if (prctl(PR_SET_DUMPABLE, 0) != 0 || !keep_privileges())
		return "privileges";
	if (!close_calls(library))
		return "seccomp";
	return is_closed() ? NULL : "seccomp has no effect";
}

#define PROGRAM_MEMORY (1024u << 20)
#define PROGRAM_DESCRIPTORS 64

/* Files are opened for reading only; there are threads, but no sockets, and no further processes. */
static bool
add_program_rules(scmp_filter_ctx filter)
{
	bool done = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 0) == 0 &&
				seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
								 SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)) == 0 &&
				refuse(filter, forbidden, lengthof(forbidden));

	for (size_t i = 0; done && i < lengthof(unseen); i++)
		done = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), unseen[i], 0) == 0;
	for (int mode = O_WRONLY; done && mode <= O_RDWR; mode++)
		done = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(open), 1,
								SCMP_A1(SCMP_CMP_MASKED_EQ, O_ACCMODE, (scmp_datum_t) mode)) == 0 &&
			   seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat), 1,
								SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE, (scmp_datum_t) mode)) == 0;
	return done;
}

static bool
close_program_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	bool done = filter != NULL && add_program_rules(filter) && seccomp_load(filter) == 0;

	seccomp_release(filter);
	return done;
}

/* Can no process be made, and no file be opened for writing? */
static bool
is_alone(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(EXIT_FAILURE);
	if (child > 0 || errno != EPERM)
		return false;
	return open("/dev/null", O_WRONLY) < 0 && errno == EACCES;
}

const char *
sandbox_enter_program(void)
{
	if (!(set_limit(RLIMIT_AS, PROGRAM_MEMORY) && set_limit(RLIMIT_CPU, SECONDS_FOR_ALL) &&
		  set_limit(RLIMIT_FSIZE, 0) && set_limit(RLIMIT_CORE, 0) &&
		  set_limit(RLIMIT_NOFILE, PROGRAM_DESCRIPTORS)))
		return "limits";
	if (!keep_privileges())
		return "privileges";
	if (!close_program_calls())
		return "seccomp";
	return is_closed() && is_alone() ? NULL : "seccomp has no effect";
}
