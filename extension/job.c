/*
 * job.c
 *	  Jobs: those that a caller cancels, and those that are over.
 *
 * What the worker does with them is in sql/45-jobs.sql.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(catalogue_cancel_job);
PG_FUNCTION_INFO_V1(catalogue_purge_jobs);

/* Take a job from the queue, so that its worker finds it gone; false where it is not there. */
static bool
is_queued(const char *id)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(id);

	plan_run("SELECT FROM catalogue.job_queue q WHERE q.job = $1 FOR UPDATE", 1, &type, &value,
			 NULL, true, 1);
	return SPI_processed == 1;
}

static void
end_job(const char *id)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(id);

	plan_run("SELECT catalogue.end_job($1, 'cancelled', NULL)", 1, &type, &value, NULL, true, 0);
}

static void
require_job(const Resource *jobs, const Actor *actor, const char *id)
{
	Rows rows;

	if (!rows_by_id(jobs, id, actor->sight, &rows) || rows.count == 0)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", jobs->model, id)));
}

Datum
catalogue_cancel_job(PG_FUNCTION_ARGS)
{
	Reply reply = {0};
	Resource *jobs;
	Actor actor;

	reply_begin();
	jobs = registry_resource("jobs");
	actor_read(fcinfo, 1, &actor);
	consumer_require(&actor, jobs->name);
	reply.resource = jobs->name;
	reply.id = reply_required(fcinfo, 0);
	permission_require(&actor, jobs, "cancel");
	require_job(jobs, &actor, reply.id);
	permission_require_record(&actor, jobs, "cancel", reply.id);
	if (!is_queued(reply.id))
		ereport(ERROR, (errcode(OD409), errmsg("Job \"%s\" has ended", reply.id)));
	end_job(reply.id);
	return reply_end(fcinfo, &reply);
}

/* Remove what was deleted before the history begins: no page shows it any more. */
Datum
catalogue_purge_jobs(PG_FUNCTION_ARGS)
{
	int64 count;

	lend_begin();
	plan_run_aside("DELETE FROM catalogue.jobs j WHERE j.deleted_at < "
				   "least(catalogue.history_horizon(), now())",
				   0, NULL, NULL);
	count = (int64) SPI_processed;
	lend_end();
	PG_RETURN_INT64(count);
}
