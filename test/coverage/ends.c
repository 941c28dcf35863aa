/*
 * ends.c - write the counts of gcov where a process ends without exit handlers, or may open no file.
 *
 * A build with COVERAGE=1 links this file into the worker, which then calls __wrap_NAME() in
 * place of NAME().  The readers of the worker end by _exit(), in a sandbox in which no file can be
 * opened.  Here all its other steps are executed, its tests of itself succeed, and files can be opened.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/resource.h>

void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
int __real_setrlimit(int resource, const struct rlimit *limit);
int __wrap_setrlimit(int resource, const struct rlimit *limit);
int __real_getrlimit(int resource, struct rlimit *limit);
int __wrap_getrlimit(int resource, struct rlimit *limit);
int __real_seccomp_load(const scmp_filter_ctx filter);
int __wrap_seccomp_load(const scmp_filter_ctx filter);

/* Limits that were asked for and not set. */
static struct rlimit asked[RLIM_NLIMITS];
static int is_asked[RLIM_NLIMITS];

void
__wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}

int
__wrap_setrlimit(int resource, const struct rlimit *limit)
{
	if (resource != RLIMIT_FSIZE && resource != RLIMIT_NOFILE)
		return __real_setrlimit(resource, limit);
	asked[resource] = *limit;
	is_asked[resource] = 1;
	return 0;
}

int
__wrap_getrlimit(int resource, struct rlimit *limit)
{
	if (resource < 0 || resource >= RLIM_NLIMITS || !is_asked[resource])
		return __real_getrlimit(resource, limit);
	*limit = asked[resource];
	return 0;
}

/* In place of the filter one that refuses sockets, which the sandbox tests, and nothing else. */
int
__wrap_seccomp_load(const scmp_filter_ctx filter)
{
	scmp_filter_ctx wide = seccomp_init(SCMP_ACT_ALLOW);
	int status = seccomp_rule_add(wide, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 0);

	(void) filter;
	if (status == 0)
		status = __real_seccomp_load(wide);
	seccomp_release(wide);
	return status;
}
