/*
 * job.c - the details of a job, and its end.
 */
#include <errno.h>
#include <stdarg.h>

#include "jobs/jobs_internal.h"

const char *
job_detail(const Job *job, const char *name)
{
	return json_string_value(json_object_get(job->details, name));
}

Value
job_number(const Job *job, const char *name)
{
	const json_t *value = json_object_get(job->details, name);

	return json_is_string(value) ? TEXT(json_string_value(value))
								 : session_number(json_integer_value(value));
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

JobEnd
job_without_file(Job *job, int error)
{
	log_event(job->settings->log, LOG_ERROR, "temporary file failed", "job %s: \"%s\": %s", job->id,
			  unnamed_file_directory(), strerror(error));
	return job_ends(job, JOB_FAILED, "%s",
					error == ENOSPC || error == EDQUOT ? "there is no space for temporary files"
													   : "no temporary file could be created");
}

/* Is the error caused by the stored data, so that every attempt would fail? */
static bool
is_refused(const Session *session)
{
	/* data exceptions, constraint violations, program limits, damaged rows of a sheet */
	static const char *const sqlstates[] = {"22", "23502", "23514", "54", "XX001"};

	for (size_t i = 0; i < lengthof(sqlstates); i++)
		if (strncmp(session->sqlstate, sqlstates[i], strlen(sqlstates[i])) == 0)
			return true;
	return false;
}

/*
 * An error message of PostgreSQL goes to the log only, unless it concerns the contents of the file.
 */
JobEnd
job_stopped(Job *job, const Session *session)
{
	bool gone = session_is_gone(session);

	log_event(job->settings->log, gone ? LOG_WARN : LOG_ERROR, "job stopped", "%s %s: %s%s%s",
			  job->kind, job->id, session->fault, gone ? "" : ", SQLSTATE ", session->sqlstate);
	if (strcmp(session->sqlstate, SQLSTATE_AWAY) == 0)
		return job_ends(job, JOB_AWAY, "%s", session->fault);
	if (strncmp(session->sqlstate, "OD", 2) == 0)
		return job_ends(job, JOB_FAILED, "%s", session->fault);
	if (is_refused(session))
		return job_ends(job, JOB_FINAL, "the database does not take the result: %s",
						session->fault);
	return job_ends(job, JOB_FAILED, "%s",
					gone ? "the connection to the database was lost"
						 : "the result could not be stored");
}
