/*
 * job.c
 *	  Jobs: those that a caller cancels, and those that are over.
 *
 * What the worker does with them is in sql/45-jobs.sql.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "call/call.h"
#include "pg/pg.h"
#include "read/fast/fast.h"
#include "registry/registry.h"

PG_FUNCTION_INFO_V1(catalogue_cancel_job);
PG_FUNCTION_INFO_V1(catalogue_purge_jobs);

/* Take a job from the queue, so that its worker finds it gone; false where it is not there. */
static bool
is_queued(const char *id)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(id);

	cat_statement_run("SELECT FROM catalogue.job_queue q WHERE q.job = $1 FOR UPDATE", 1, &type,
					  &value, NULL, true, 1);
	return SPI_processed == 1;
}

static void
end_job(const char *id)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(id);

	cat_statement_run("SELECT catalogue.end_job($1, 'cancelled', NULL)", 1, &type, &value, NULL,
					  true, 0);
}

/* OD404 where the actor does not see the job. */
static Rows
find_job(const Resource *jobs, const Actor *actor, const char *id)
{
	Rows rows;

	if (!cat_row_fetch_by_id(jobs, id, actor->sight, &rows) || rows.count == 0)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", jobs->model, id)));
	return rows;
}

/*
 * OD403 where the actor's key does not let it change the record that a job is done for, which the
 * end of the job does.
 */
static void
require_target(const Resource *jobs, const Actor *actor, const char *id, const Rows *job)
{
	for (int i = 0; i < jobs->nfields; i++)
	{
		const Field *field = &jobs->fields[i];
		const char *target =
			field->reference ? SPI_getvalue(job->tuples[0], job->desc, field->attno) : NULL;

		if (!target)
			continue;
		cat_consumer_require(actor, field->reference);
		cat_consumer_require_record(actor, cat_registry_resource(field->reference), target);
		return;
	}
	/* the record is gone, and nobody can say whose it was */
	cat_consumer_require_record(actor, jobs, id);
}

Datum
catalogue_cancel_job(PG_FUNCTION_ARGS)
{
	CallReply reply = {0};
	Resource *jobs;
	Actor actor;
	Rows job;

	cat_call_reply_begin();
	jobs = cat_registry_resource("jobs");
	cat_actor_read(fcinfo, 1, &actor);
	cat_consumer_require(&actor, jobs->name);
	reply.resource = jobs->name;
	reply.id = cat_call_reply_required(fcinfo, 0);
	cat_permission_require(&actor, jobs, "cancel");
	job = find_job(jobs, &actor, reply.id);
	cat_permission_require_record(&actor, jobs, "cancel", reply.id);
	require_target(jobs, &actor, reply.id, &job);
	if (!is_queued(reply.id))
		ereport(ERROR, (errcode(OD409), errmsg("Job \"%s\" has ended", reply.id)));
	end_job(reply.id);
	return cat_call_reply_end(fcinfo, &reply);
}

/* Remove what was deleted before the history begins: no page shows it any more. */
Datum
catalogue_purge_jobs(PG_FUNCTION_ARGS)
{
	int64 count;

	cat_owner_call_begin();
	cat_statement_run_aside("DELETE FROM catalogue.jobs j WHERE j.deleted_at < "
							"least(catalogue.history_horizon(), now())",
							0, NULL, NULL);
	count = (int64) SPI_processed;
	cat_owner_call_end();
	PG_RETURN_INT64(count);
}
