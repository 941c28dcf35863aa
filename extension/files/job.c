/*
 * job.c
 *	  Jobs: cancellation, and removal of old ones.
 *
 * The functions for the worker are in jobs.sql.
 */
#include "catalogue.h"

#include "call/call.h"
#include "registry/rows.h"

/*
 * Raise OD403 if the actor's API key does not allow changes of the record that a job works on,
 * since the end of the job changes that record.
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
	/* the record is gone, and its organization is unknown */
	cat_consumer_require_record(actor, jobs, id);
}

CAT_REPLY(catalogue_cancel_job)
{
	Resource *jobs;
	Actor actor;
	Rows job;

	jobs = cat_registry_resource("jobs");
	cat_actor_read(fcinfo, ARG_CANCEL_JOB_ACTOR, &actor);
	cat_consumer_require(&actor, jobs->name);
	reply->resource = jobs->name;
	reply->id = cat_call_reply_required(fcinfo, ARG_CANCEL_JOB_ID);
	cat_permission_require(&actor, jobs, "cancel");
	job = cat_rows_by_id(jobs, reply->id, actor.access);
	if (job.count == 0)
		ereport(ERROR,
				(errcode(OD404), errmsg("%s \"%s\" does not exist", jobs->model, reply->id)));
	cat_permission_require_record(&actor, jobs, "cancel", reply->id);
	require_target(jobs, &actor, reply->id, &job);
	/* locked, so that its worker finds it cancelled */
	cat_statement_fresh("SELECT FROM catalogue.job_queue q WHERE q.job = $1 FOR UPDATE",
						text_param(reply->id));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD409), errmsg("Job \"%s\" has ended", reply->id)));
	cat_statement_fresh("SELECT catalogue.end_job($1, 'cancelled', NULL)", text_param(reply->id));
}

/*
 * Physically remove jobs and fetches that were deleted before the history begins and that no page
 * can show any more.
 */
CAT_FUNCTION(catalogue_purge_jobs)
{
	int64 count;

	cat_owner_call_begin();
	cat_statement_in(WRITE_UNRECORDED,
					 "WITH t AS (SELECT least(catalogue.history_horizon(), now()) AS until), "
					 "j AS (DELETE FROM catalogue.jobs j USING t WHERE j.deleted_at < t.until "
					 "RETURNING j.id), "
					 "h AS (DELETE FROM catalogue.fetches h USING t WHERE h.deleted_at < t.until "
					 "RETURNING h.id) "
					 "SELECT (SELECT count(*) FROM j) + (SELECT count(*) FROM h)");
	count = cat_result_int64(1);
	cat_owner_call_end();
	PG_RETURN_INT64(count);
}
