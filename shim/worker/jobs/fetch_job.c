/*
 * fetch_job.c - a job of kind fetch: what a remote service answers becomes the contents of a file.
 *
 * The answer is stored as a blob, scanned if uploads are, read by a child in the sandbox like an
 * uploaded file, and becomes the bytes of the file in the transaction that publishes its rows.  Until then, and where anything
 * fails, the file keeps the bytes and rows that it has.
 */
#include <strings.h>

#include "fetch/fetch.h"
#include "jobs/jobs_internal.h"

#define OK_FIRST 200
#define OK_LAST 299
#define NOT_MODIFIED 304
#define SERVER_ERROR 500

typedef struct Fetching
{
	Session *session;
	Job *job;
	json_t *settings; /* of the service */
	Service service;
	FetchReply reply;
	BlobWriter writer;
	char first;	 /* character of the answer that is no white space; '\0': none */
	bool broken; /* the database failed meanwhile */
} Fetching;

/* Store bytes of the answer. */
static bool
take_answer(void *target, const char *bytes, size_t length)
{
	Fetching *fetching = target;

	for (size_t i = 0; fetching->first == '\0' && i < length; i++)
		if (strchr(" \t\r\n\xEF\xBB\xBF", bytes[i]) == NULL)
			fetching->first = bytes[i];
	fetching->job->progress->done += (int64_t) length;
	fetching->broken = !blob_writer_put(&fetching->writer, bytes, length);
	return !fetching->broken;
}

/* The kind of the answer, by its first character; NULL: none that is read. */
static const char *
form_of(const Fetching *fetching)
{
	if (strncasecmp(fetching->reply.content_type, "text/html", 9) == 0)
		return NULL;
	return fetching->first == '<'							  ? "xml"
		   : fetching->first == '{' || fetching->first == '[' ? "json"
															  : NULL;
}

static JobEnd
end_unchanged(Fetching *fetching)
{
	Value values[] = {TEXT(fetching->job->id), TEXT(fetching->job->worker),
					  session_number(fetching->reply.status)};

	return session_do(fetching->session, ASK_BEGIN, NULL) &&
				   session_do(fetching->session, ASK_FETCH_UNCHANGED, values)
			   ? JOB_DONE
			   : job_stopped(fetching->job, fetching->session);
}

/* What catalogue.fetch_store() is given, to be freed. */
static char *
describe(const Fetching *fetching, const char *form)
{
	json_t *object =
		json_pack("{s:s, s:I, s:I, s:s, s:s, s:b}", "form", form, "status",
				  (json_int_t) fetching->reply.status, "size", (json_int_t) fetching->reply.length,
				  "etag", fetching->reply.etag, "lastModified", fetching->reply.last_modified,
				  "scanned", json_is_true(json_object_get(fetching->settings, "held")));
	char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	return text;
}

/* Say in the details of the job what is to be read, as those of kind parse have it. */
static bool
prepare_reading(Fetching *fetching, const char *form, const char *blob, bool is_answer)
{
	const json_t *settings = fetching->settings;
	char *fetched = is_answer ? describe(fetching, form) : NULL;
	json_t *members =
		json_pack("{s:{s:O*, s:O*}, s:s, s:s, s:I, s:s*}", "options", "dataPath",
				  json_object_get(settings, "dataPath"), "titlePath",
				  json_object_get(settings, "titlePath"), "blob", blob, "extension", form, "size",
				  (json_int_t) fetching->reply.length, "fetched", fetched);
	bool good = members != NULL && (!is_answer || fetched != NULL) &&
				json_object_update(fetching->job->details, members) == 0;

	json_decref(members);
	free(fetched);
	return good;
}

/* Scan the answer as an upload is scanned, if these are held until then. */
static JobEnd
scan_answer(Fetching *fetching)
{
	Job *job = fetching->job;

	if (!json_is_true(json_object_get(fetching->settings, "held")))
		return JOB_DONE;
	if (job->settings->scanner[0] == '\0')
		return job_ends(job, JOB_FAILED, "the answer is to be scanned, and there is no scanner");
	return scan_bytes(fetching->session, job);
}

/* Read the answer; one that is not a good answer is read for the fault that it may report. */
static JobEnd
read_answer(Fetching *fetching, const char *blob, bool is_answer)
{
	Job *job = fetching->job;
	const char *form = form_of(fetching);
	JobEnd end;

	if (form == NULL)
		return job_ends(job, JOB_FINAL, "the answer is neither JSON nor XML");
	if (!prepare_reading(fetching, form, blob, is_answer))
		return job_ends(job, JOB_FAILED, "there is no memory");
	job->progress->done = 0;
	job->progress->total = fetching->reply.length;
	end = scan_answer(fetching);
	job->progress->done = 0;
	if (end == JOB_DONE)
		end = reading_run(fetching->session, job);
	if (end == JOB_DONE && !is_answer)
		return job_ends(job, JOB_FAILED, "the service answers with status %ld",
						fetching->reply.status);
	return end;
}

/* An answer whose status is no success. */
static JobEnd
end_status(Fetching *fetching, const char *blob)
{
	long status = fetching->reply.status;
	bool again = status >= SERVER_ERROR || status == 408 || status == 425 || status == 429;

	if (status == SERVER_ERROR && fetching->service.request.body != NULL && fetching->first == '<')
		return read_answer(fetching, blob, false);
	return job_ends(fetching->job, again ? JOB_FAILED : JOB_FINAL,
					"the service answers with status %ld", status);
}

/* The answer is stored: see whether it is another one than before. */
static JobEnd
conclude(Fetching *fetching)
{
	const char *former = json_string_value(json_object_get(fetching->settings, "blob"));
	char *blob = blob_writer_seal(&fetching->writer);
	JobEnd end;

	if (blob == NULL)
		return job_stopped(fetching->job, fetching->session);
	if (fetching->reply.status < OK_FIRST || fetching->reply.status > OK_LAST)
		end = end_status(fetching, blob);
	else if (former != NULL && strcmp(former, blob) == 0)
		end = end_unchanged(fetching);
	else
		end = read_answer(fetching, blob, true);
	free(blob);
	return end;
}

/* Send the request, and do what its answer asks for. */
static JobEnd
send_request(Fetching *fetching)
{
	Job *job = fetching->job;
	FetchRequest *request = &fetching->service.request;
	FetchEnd end;

	if (!service_request(&fetching->service, fetching->settings))
		return job_ends(job, JOB_FINAL, "%s", fetching->service.reason);
	if (!blob_writer_open(&fetching->writer, fetching->session))
		return job_stopped(job, fetching->session);
	request->take = take_answer;
	request->target = fetching;
	end = fetch(job->settings, request, &fetching->reply);
	if (fetching->broken)
		return job_stopped(job, fetching->session);
	if (end != FETCH_DONE)
		return job_ends(job, end == FETCH_REFUSED ? JOB_FINAL : JOB_FAILED, "%s",
						fetching->reply.reason);
	return fetching->reply.status == NOT_MODIFIED ? end_unchanged(fetching) : conclude(fetching);
}

JobEnd
fetch_job_run(Session *session, Job *job)
{
	Fetching fetching = {.session = session, .job = job};
	Value values[] = {TEXT(job->id), TEXT(job->worker)};
	char *text = session_text(session, ASK_FETCH_SERVICE, values);
	JobEnd end;

	if (text == NULL)
		return job_stopped(job, session);
	fetching.settings = json_loads(text, 0, NULL);
	explicit_bzero(text, strlen(text));
	free(text);
	if (json_is_object(fetching.settings))
		end = send_request(&fetching);
	else
		end = job_ends(job, JOB_FINAL, "the file has no service");
	service_free(&fetching.service);
	blob_writer_close(&fetching.writer);
	json_decref(fetching.settings);
	return end;
}
