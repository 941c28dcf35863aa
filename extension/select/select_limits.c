/*
 * select_limits.c
 *	  What a client's statement may use: time, memory, temporary files, and the rights of a role that
 *	  has none.
 *
 * Memory is limited by RLIMIT_DATA, since aggregates such as string_agg are not subject to work_mem:
 * an allocation above it fails, which PostgreSQL reports as an error.  The stack does not count.
 */
#include "catalogue.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "base/settings.h"
#include "pg/pg.h"
#include "select/select_internal.h"

#define ROLE "catalogue_query"

/* Temporary files may have so many times the memory. */
#define FILES_PER_MEMORY 4

static void
set(const char *name, const char *value)
{
	set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Set settings until cat_select_limits_end(). */
static int
set_settings(void)
{
	int nest = NewGUCNestLevel();

	/* values are written alike in every session */
	set("datestyle", "ISO");
	set("intervalstyle", "iso_8601");
	set("timezone", "UTC");
	set("work_mem", "4MB");
	set("hash_mem_multiplier", "1");
	set("jit", "off");
	set("max_parallel_workers_per_gather", "0");
	set("temp_file_limit", psprintf("%dkB", cat_query_memory * FILES_PER_MEMORY));
	return nest;
}

/* End the statement at the deadline, unless statement_timeout ends it before. */
static void
start_timeout(SelectLimits *limits)
{
	limits->deadline = GetCurrentTimestamp() + (TimestampTz) cat_query_timeout * 1000;
	limits->timeout = cat_query_timeout;
	if (get_timeout_active(STATEMENT_TIMEOUT))
	{
		limits->former_deadline = get_timeout_finish_time(STATEMENT_TIMEOUT);
		if (limits->former_deadline <= limits->deadline)
		{
			limits->deadline = limits->former_deadline;
			limits->timeout = StatementTimeout;
			return;
		}
		disable_timeout(STATEMENT_TIMEOUT, false);
		limits->had_timeout = true;
	}
	enable_timeout_at(STATEMENT_TIMEOUT, limits->deadline);
	limits->own_timeout = true;
}

static void
restore_timeout(const SelectLimits *limits)
{
	if (!limits->own_timeout)
		return;
	if (get_timeout_active(STATEMENT_TIMEOUT))
		disable_timeout(STATEMENT_TIMEOUT, false);
	if (limits->had_timeout)
		enable_timeout_at(STATEMENT_TIMEOUT, limits->former_deadline);
}

void
cat_select_limits_begin(SelectLimits *limits)
{
	*limits = (SelectLimits){0};
	limits->nest = set_settings();
	limits->read_only = XactReadOnly;
	XactReadOnly = true;
	start_timeout(limits);
}

/* Return the bytes of memory that count for RLIMIT_DATA, and those of the stack. */
static uint64
used_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	char line[200] = "";
	char *field = line;
	uint64 pages = 0;

	if (file)
	{
		(void) !fgets(line, sizeof(line), file);
		fclose(file);
	}
	/* the sixth number */
	for (int i = 0; i < 6; i++)
		pages = strtoull(field, &field, 10);
	if (pages == 0)
		ereport(ERROR, (errcode(OD503), errmsg("the memory of a query cannot be limited")));
	return pages * (uint64) sysconf(_SC_PAGESIZE);
}

static void
limit_memory(SelectLimits *limits)
{
	struct rlimit limit;
	uint64 wanted = used_memory() + (uint64) cat_query_memory * 1024;

	if (getrlimit(RLIMIT_DATA, &limit) != 0)
		ereport(ERROR, (errcode(OD503), errmsg("the memory of a query cannot be limited: %m")));
	limits->former_memory = limit.rlim_cur;
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > wanted)
		limit.rlim_cur = (rlim_t) wanted;
	if (setrlimit(RLIMIT_DATA, &limit) != 0)
		ereport(ERROR, (errcode(OD503), errmsg("the memory of a query cannot be limited: %m")));
	limits->bounded = true;
}

static void
free_memory(SelectLimits *limits)
{
	struct rlimit limit;

	if (!limits->bounded || getrlimit(RLIMIT_DATA, &limit) != 0)
		return;
	limit.rlim_cur = (rlim_t) limits->former_memory;
	limits->bounded = setrlimit(RLIMIT_DATA, &limit) != 0;
}

/* Return the role of client statements, which must have no more rights than any other. */
static Oid
find_role(void)
{
	Oid role = get_role_oid(ROLE, true);

	if (!OidIsValid(role) || superuser_arg(role))
		ereport(ERROR, (errcode(OD503), errmsg("role " ROLE " does not exist, or is a superuser"),
						errhint("catalogue.make_roles() creates it.")));
	return role;
}

void
cat_select_limits_enter(SelectLimits *limits)
{
	cat_security_context_take_role(find_role());
	limits->switched = true;
	limit_memory(limits);
}

void
cat_select_limits_leave(SelectLimits *limits)
{
	free_memory(limits);
	if (limits->switched)
		cat_security_context_return();
	limits->switched = false;
}

void
cat_select_limits_end(SelectLimits *limits, bool failed)
{
	free_memory(limits);
	restore_timeout(limits);
	XactReadOnly = limits->read_only;
	if (!failed)
		AtEOXact_GUC(true, limits->nest);
}
