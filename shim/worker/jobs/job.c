/*
 * job.c - a process that does one job, and then ends.
 *
 * The transaction that stores what the job leaves ends with the job itself, which fails when
 * another worker has it by then.  What went wrong is told on a new connection, since the old one
 * may be in any state.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

#define ANSWER_LIMIT 3600000 /* milliseconds; the supervisor ends a job that takes too long */

static const struct
{
	const char *kind;
	JobEnd (*run)(Session *session, Job *job);
} kinds[] = {
	{"parse", reading_run}, {"scan", scan_run}, {"convert", convert_run}, {"archive", archive_run}};

const char *
job_detail(const Job *job, const char *name)
{
	const json_t *value = json_object_get(job->details, name);

	return json_string_value(value);
}

Number
job_number(const Job *job, const char *name)
{
	const json_t *value = json_object_get(job->details, name);
	Number number = number_text(json_integer_value(value));

	if (json_is_string(value))
		snprintf(number.text, sizeof(number.text), "%s", json_string_value(value));
	return number;
}

JobEnd
job_ends(Job *job, JobEnd end, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(job->reason, sizeof(job->reason), format, arguments);
	va_end(arguments);
	return end;
}

/* Is the fault one of what is stored, which each attempt would meet again? */
static bool
is_refused(const Session *session)
{
	/* data, not null, checks, limits of the program, rows of a sheet that are damaged */
	static const char *const states[] = {"22", "23502", "23514", "54", "XX001"};

	for (size_t i = 0; i < lengthof(states); i++)
		if (strncmp(session->state, states[i], strlen(states[i])) == 0)
			return true;
	return false;
}

/* What PostgreSQL says is for the log, unless it refuses what comes of the file itself. */
JobEnd
job_stopped(Job *job, const Session *session)
{
	bool gone = session_is_gone(session);

	log_event(job->settings->log, gone ? LOG_WARN : LOG_ERROR, "job stopped", "%s %s: %s%s%s",
			  job->kind, job->id, session->fault, gone ? "" : ", SQLSTATE ", session->state);
	if (strncmp(session->state, "OD", 2) == 0)
		return job_ends(job, JOB_FAILED, "%s", session->fault);
	if (is_refused(session))
		return job_ends(job, JOB_FINAL, "the database does not take the result: %s",
						session->fault);
	return job_ends(job, JOB_FAILED, "%s",
					gone ? "the database went away" : "the result could not be stored");
}

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
	char *text;
	bool told;
	bool ours;

	job->progress->ending = true;
	text = session_text(session, ASK_DONE, values);
	told = text != NULL;
	ours = told && strcmp(text, "true") == 0;
	free(text);
	if (told && !ours)
		return job_ends(job, JOB_FAILED, "the job was taken away");
	return ours && session_do(session, ASK_COMMIT, NULL) ? JOB_DONE : job_stopped(job, session);
}

/* Say that the job has failed; false when nobody could be told. */
static bool
tell(Session *session, const Job *job, JobEnd end)
{
	Value values[] = {TEXT(job->id), TEXT(job->worker), TEXT(job->reason),
					  TEXT(end == JOB_FINAL ? "true" : "false")};

	session_close(session);
	job->progress->ending = true;
	return session_open(session, job->settings, ANSWER_LIMIT) &&
		   session_do(session, ASK_FAILED, values);
}

int
job_run(Job *job)
{
	Session session;
	JobEnd end;
	bool told;

	job->progress->total = json_integer_value(json_object_get(job->details, "size"));
	if (!session_open(&session, job->settings, ANSWER_LIMIT))
		end = job_stopped(job, &session);
	else
		end = run(&session, job);
	if (end == JOB_DONE)
		end = finish(&session, job);
	told = end == JOB_DONE || tell(&session, job, end);
	if (end == JOB_DONE)
		log_event(job->settings->log, LOG_INFO, "job done", "%s %s of %s", job->kind, job->id,
				  job->resource);
	else
		log_event(job->settings->log, LOG_WARN, "job failed", "%s %s of %s, attempt %d%s: %s",
				  job->kind, job->id, job->resource, job->attempt,
				  end == JOB_FINAL ? ", the last one" : "", job->reason);
	session_close(&session);
	json_decref(job->details);
	return told ? EXIT_SUCCESS : EXIT_FAILURE;
}
