/*
 * job_run.c - the process of one job.
 *
 * The transaction that stores the results also ends the job, and fails if another worker has taken
 * the job in the meantime.  A failure is stored on a new connection, because the old one may be in
 * any state.
 */
#include "jobs/jobs_internal.h"

#define ANSWER_LIMIT 3600000 /* milliseconds; the supervisor kills a job that takes too long */

static const struct
{
	const char *kind;
	JobEnd (*run)(Session *session, Job *job);
} kinds[] = {{"parse", reading_run},	 {"scan", scan_run},		   {"convert", convert_run},
			 {"archive", archive_run},	 {"email", email_run},		   {"fetch", fetch_job_run},
			 {"import", import_job_run}, {"reparse", reading_reparse}, {"preview", reading_run}};

static JobEnd
run(Session *session, Job *job)
{
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (strcmp(kinds[i].kind, job->kind) == 0)
			return kinds[i].run(session, job);
	return job_ends(job, JOB_FINAL, "unknown kind of job");
}

/* End the job in the open transaction, and commit. */
static JobEnd
finish(Session *session, Job *job)
{
	Value values[] = {TEXT(job->id), TEXT(job->worker)};
	bool ours;

	job->progress->ending = true;
	if (session_true(session, ASK_DONE, values, &ours) && !ours)
		return job_ends(job, JOB_FAILED, "the job was cancelled, or given to another worker");
	return ours && session_do(session, ASK_COMMIT, NULL) ? JOB_DONE : job_stopped(job, session);
}

/* Store that the job has failed; false if that is not possible. */
static bool
tell(Session *session, const Job *job, JobEnd end)
{
	Value values[] = {TEXT(job->id), TEXT(job->worker), TEXT(job->reason),
					  TEXT(end == JOB_FINAL ? "true" : "false")};

	session_close(session);
	job->progress->ending = true;
	return session_open(session, job->settings, ANSWER_LIMIT) &&
		   session_do(session, end == JOB_AWAY ? ASK_PUT_OFF : ASK_FAILED, values);
}

int
job_run(Job *job)
{
	Session session;
	JobEnd end;
	bool recorded;

	job->progress->total = json_integer_value(json_object_get(job->details, "size"));
	if (!session_open(&session, job->settings, ANSWER_LIMIT))
		end = job_stopped(job, &session);
	else
		end = run(&session, job);
	if (end == JOB_DONE)
		end = finish(&session, job);
	recorded = end == JOB_DONE || end == JOB_YIELDED || tell(&session, job, end);
	if (end == JOB_YIELDED)
		log_event(job->settings->log, LOG_VERBOSE, "job released", "%s %s of %s", job->kind,
				  job->id, job->resource);
	else if (end == JOB_DONE)
		log_event(job->settings->log, LOG_INFO, "job done", "%s %s of %s", job->kind, job->id,
				  job->resource);
	else
		log_event(job->settings->log, LOG_WARN, "job failed", "%s %s of %s, attempt %d%s: %s",
				  job->kind, job->id, job->resource, job->attempt,
				  end == JOB_FINAL ? ", the last one" : "", job->reason);
	if (end == JOB_DONE && strcmp(job->kind, "reparse") == 0 && job->reason[0] != '\0')
		log_event(job->settings->log, LOG_WARN, "values changed", "file %s was read anew: %s",
				  job->resource, job->reason);
	session_close(&session);
	json_decref(job->details);
	return recorded ? EXIT_SUCCESS : EXIT_FAILURE;
}
