/*
 * import_job.c - a job of kind import: fetch the documents of another catalogue, and import them.
 *
 * A document in JSON is parsed by PostgreSQL only, as one that a client sends is; one in Turtle or
 * RDF/XML becomes JSON-LD first, in a sandbox.  It says which documents follow.  Each is stored
 * before the next one is fetched, so that another attempt goes on with it; and between two documents
 * other jobs have their turn.
 */

#include "fetch/fetch.h"
#include "jobs/jobs_internal.h"

#define OK_FIRST 200
#define OK_LAST 299
#define TOO_MANY_REQUESTS 429
#define UNAVAILABLE 503

#define TEXT_MAXIMUM INT64_C(1000000000) /* bytes; PostgreSQL takes texts of less than 1 GB */
#define RDF_FACTOR 4 /* bytes of JSON-LD for each byte that documents may have */

/* JSON is preferred, since it needs no conversion. */
static const char *const headers[] = {
	"Accept: application/json, application/ld+json;q=0.9, text/turtle;q=0.8, "
	"application/rdf+xml;q=0.7, application/n-triples;q=0.6, */*;q=0.5",
	NULL};

#define NOT_IMPORTED "the document is not imported: %s"

typedef struct Document
{
	Buffer bytes; /* at most as many as all documents may have, which PostgreSQL counts */
	bool has_nul;
	const char *link; /* the field of the answer, in UTF-8 */
	Progress *progress;
} Document;

/* Take bytes of the answer; no JSON has a NUL, which would end the text. */
static bool
take_bytes(void *target, const char *bytes, size_t length)
{
	Document *document = target;

	document->has_nul = memchr(bytes, '\0', length) != NULL;
	buffer_append(&document->bytes, bytes, length);
	document->progress->done += (int64_t) length;
	return !document->bytes.failed && !document->has_nul;
}

/* Is the error caused by the documents or by the user, so that another attempt would find it too? */
static bool
is_final(const Session *session)
{
	return strncmp(session->sqlstate, "22", 2) == 0 || strncmp(session->sqlstate, "OD4", 3) == 0;
}

/* Import the documents in the transaction that ends the job. */
static JobEnd
import_documents(Session *session, Job *job)
{
	Value values[] = {TEXT(job->id), TEXT(job->worker)};

	if (!session_do(session, ASK_BEGIN, NULL))
		return job_stopped(job, session);
	if (session_do(session, ASK_HARVEST_IMPORT, values))
		return JOB_DONE;
	if (is_final(session))
		return job_ends(job, JOB_FINAL, NOT_IMPORTED, session->fault);
	return job_stopped(job, session);
}

/* Go on without a document, for the reason of the job; without the first one the job ends so. */
static JobEnd
go_without(Session *session, Job *job, JobEnd end)
{
	Value values[] = {TEXT(job->id), TEXT(job->worker), TEXT(job->reason)};
	bool goes_on;

	if (!session_true(session, ASK_HARVEST_WITHOUT, values, &goes_on))
		return job_stopped(job, session);
	return goes_on ? JOB_DONE : end;
}

/* The number of bytes that all documents may have. */
static int64_t
largest(const Job *job)
{
	int64_t limit = job->settings->fetch_limit;

	return limit < TEXT_MAXIMUM ? limit : TEXT_MAXIMUM;
}

/* Store the text of a document, if all together have at most so many bytes. */
static JobEnd
store(Session *session, Job *job, const Document *document, const char *text, int64_t most)
{
	Value values[] = {TEXT(job->id), TEXT(job->worker), TEXT(text), session_number(most),
					  TEXT(document->link)};
	char *bytes = session_text(session, ASK_HARVEST_DOCUMENT, values);

	if (bytes != NULL)
	{
		job->progress->done = strtoll(bytes, NULL, 10);
		free(bytes);
		return JOB_DONE;
	}
	if (strncmp(session->sqlstate, "22", 2) == 0)
		return go_without(session, job, job_ends(job, JOB_FINAL, NOT_IMPORTED, session->fault));
	return is_final(session) ? job_ends(job, JOB_FINAL, "%s", session->fault)
							 : job_stopped(job, session);
}

/* Convert a document in RDF to JSON-LD, and store that, if it has at most so many bytes. */
static JobEnd
store_rdf(Session *session, Job *job, const char *form, const char *url, const Document *document,
		  int64_t most)
{
	Buffer result;
	char why[FETCH_REASON];
	JobEnd end;

	buffer_init(&result, (size_t) most + 1);
	if (rdf_document_convert(form, url, &document->bytes, &result, why, sizeof(why)))
	{
		buffer_append(&result, "", 1);
		end = store(session, job, document, result.data, most);
	}
	else
		end = go_without(session, job, job_ends(job, JOB_FINAL, NOT_IMPORTED, why));
	buffer_free(&result);
	return end;
}

/* Store the bytes of a document, in whatever form; address: what its IRIs are relative to; limit: bytes
 * that all documents may have. */
static JobEnd
store_document(Session *session, Job *job, const char *type, const char *address,
			   Document *document, int64_t limit)
{
	int64_t most = limit < TEXT_MAXIMUM / RDF_FACTOR ? RDF_FACTOR * limit : TEXT_MAXIMUM;
	const char *text;
	const char *form;

	if (document->bytes.failed)
		return job_ends(job, JOB_FINAL, "the documents are too large");
	if (document->has_nul)
		return go_without(session, job, job_ends(job, JOB_FINAL, "the answer is no text in UTF-8"));
	buffer_append(&document->bytes, "", 1);
	document->bytes.length--;
	text = document->bytes.data;
	/* JSON has no byte order mark */
	text += byte_order_mark_length(text);
	form = rdf_document_form(type, text);
	return form != NULL ? store_rdf(session, job, form, address, document, most)
						: store(session, job, document, text, limit);
}

/* Read a document that was uploaded, and store it; location: blob, media type and address. */
static JobEnd
read_document(Session *session, Job *job, char *location, Document *document)
{
	const char *blob = strtok_r(location, " ", &location);
	const char *type = strtok_r(NULL, " ", &location);
	BlobReader reader = {.session = session, .blob = TEXT(blob)};
	const char *bytes = NULL;
	size_t length = 0;
	bool good;

	do
	{
		good = blob_reader_next(&reader, &bytes, &length);
	} while (good && length > 0 && take_bytes(document, bytes, length));
	blob_reader_close(&reader);
	return good ? store_document(session, job, type, location, document, TEXT_MAXIMUM)
				: job_stopped(job, session);
}

/* Fetch one document and store it; JOB_DONE: the next one can be fetched. */
static JobEnd
fetch_document(Session *session, Job *job, const char *url, Document *document)
{
	FetchRequest request = {.url = url, .headers = headers, .take = take_bytes, .target = document};
	FetchReply reply;
	FetchEnd end = fetch(job->settings, &request, &reply);

	/* what take_bytes() refuses */
	if (document->bytes.failed || document->has_nul)
		return store_document(session, job, "", url, document, largest(job));
	if (end == FETCH_REFUSED)
		return go_without(session, job, job_ends(job, JOB_FINAL, "%s", reply.reason));
	if (end != FETCH_DONE)
		return job_ends(job, JOB_FAILED, "%s", reply.reason);
	if (reply.status == TOO_MANY_REQUESTS || reply.status == UNAVAILABLE)
		return job_ends(job, JOB_FAILED, "the source answers with status %ld", reply.status);
	if (reply.status < OK_FIRST || reply.status > OK_LAST)
		return go_without(
			session, job,
			job_ends(job, JOB_FINAL, "the source answers with status %ld", reply.status));
	if (text_valid_utf8(reply.link, strlen(reply.link)))
		document->link = reply.link;
	return store_document(session, job, reply.content_type, url, document, largest(job));
}

/* Release the job if another one waits. */
static JobEnd
yield(Session *session, Job *job)
{
	Value values[] = {TEXT(job->id), TEXT(job->worker)};
	bool yielded;

	if (!session_true(session, ASK_HARVEST_YIELD, values, &yielded))
		return job_stopped(job, session);
	return yielded ? JOB_YIELDED : JOB_DONE;
}

/* The beginning of what catalogue.harvest_next() returns for a document that was uploaded. */
static const char blob_prefix[] = "blob:";

JobEnd
import_job_run(Session *session, Job *job)
{
	Value values[] = {TEXT(job->id), TEXT(job->worker),
					  session_number(job->settings->harvest_timeout)};
	JobEnd end = JOB_DONE;
	bool uploaded;

	while (end == JOB_DONE)
	{
		char *url = session_text(session, ASK_HARVEST_NEXT, values);
		Document document = {.link = "", .progress = job->progress};

		if (url == NULL)
			return job_stopped(job, session);
		if (*url == '\0')
		{
			free(url);
			job->progress->total = job->progress->done;
			return import_documents(session, job);
		}
		uploaded = strncmp(url, blob_prefix, strlen(blob_prefix)) == 0;
		/* the extension has limited what is uploaded */
		buffer_init(&document.bytes, (size_t) (uploaded ? TEXT_MAXIMUM : largest(job)) + 1);
		end = uploaded ? read_document(session, job, url + strlen(blob_prefix), &document)
					   : fetch_document(session, job, url, &document);
		buffer_free(&document.bytes);
		free(url);
		if (end == JOB_DONE)
			end = yield(session, job);
	}
	return end;
}
