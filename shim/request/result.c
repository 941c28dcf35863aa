/*
 * result.c - from the result of the request's call to the answer; what a monitoring system reads.
 */
#include "answer/answer.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "page/page.h"
#include "request/request.h"

/* The functions that build the body of an answer, by the envelope of the route. */
static void (*const builders[ENVELOPE_COUNT_OF])(Request *request, const Reply *reply) = {
	[ENVELOPE_LIST] = list_links_page,
	[ENVELOPE_ITEM] = envelope_item,
	[ENVELOPE_COUNT] = envelope_link_to_all,
	[ENVELOPE_RELATED] = envelope_related,
	[ENVELOPE_CREATED] = envelope_created,
	[ENVELOPE_WRITTEN] = envelope_written,
	[ENVELOPE_DELETED] = envelope_link_to_all,
	[ENVELOPE_LOGIN] = session_login,
	[ENVELOPE_PLAIN] = envelope_plain,
	[ENVELOPE_SEARCH] = list_links_search,
	[ENVELOPE_TOKEN] = session_token,
	[ENVELOPE_ROWS] = list_links_page,
	[ENVELOPE_UPLOAD] = upload_resume_envelope,
	[ENVELOPE_BYTES] = envelope_stream,
	[ENVELOPE_FEED] = envelope_feed,
	[ENVELOPE_DOCUMENT] = envelope_document,
	[ENVELOPE_TILE] = envelope_tile,
	[ENVELOPE_ENTRY] = envelope_entry,
	[ENVELOPE_ACCEPTED] = envelope_accepted,
	[ENVELOPE_IMPORT] = envelope_import,
	[ENVELOPE_OPENAPI] = openapi_answer,
};

/*
 * Does the reply have the members that its envelope needs?
 *
 * The first piece of a stream, and a document of lines, may be empty, if there are no rows.
 */
static bool
is_complete(const Request *request, const Reply *reply)
{
	Envelope envelope = request->route->envelope;
	bool one = envelope == ENVELOPE_ITEM || envelope == ENVELOPE_CREATED ||
			   envelope == ENVELOPE_WRITTEN || (envelope == ENVELOPE_RELATED && !reply->has_count);
	bool read = request->format == NULL && envelope != ENVELOPE_CREATED &&
				envelope != ENVELOPE_WRITTEN && envelope != ENVELOPE_DELETED &&
				envelope != ENVELOPE_UPLOAD && envelope != ENVELOPE_ACCEPTED &&
				envelope != ENVELOPE_TILE && envelope != ENVELOPE_DOCUMENT &&
				(envelope != ENVELOPE_IMPORT || reply->id == NULL);
	bool session = envelope == ENVELOPE_LOGIN && reply->id != NULL;

	return (!one || reply->id != NULL) && (!session || reply->version != NULL) &&
		   (!read || reply->data != NULL) &&
		   (reply->resource != NULL || envelope == ENVELOPE_PLAIN || envelope == ENVELOPE_ENTRY ||
			envelope == ENVELOPE_LOGIN || envelope == ENVELOPE_TOKEN ||
			envelope == ENVELOPE_SEARCH || envelope == ENVELOPE_UPLOAD ||
			envelope == ENVELOPE_BYTES || envelope == ENVELOPE_ACCEPTED ||
			envelope == ENVELOPE_IMPORT);
}

/* A list in another type than JSON has no envelope; what it says is in the header fields. */
static void
remove_body(Request *request)
{
	Answer *answer = &request->answer;

	if (answer->status >= 300)
		return;
	answer->type = request->format->field;
	answer->stream = stream_response;
	answer->data = NULL;
	answer->data_length = 0;
	buffer_free(&answer->head);
	buffer_free(&answer->tail);
}

/* Is the id in the reply that of the record at :id of the path?  Otherwise it is that of the reply. */
static bool
names_owner(const Request *request, const Reply *reply)
{
	return (reply->has_count || request->route->envelope == ENVELOPE_PLAIN) &&
		   request->path_id != NULL;
}

StageResult
result_envelope(Request *request)
{
	const Route *route = request->route;
	Reply reply;
	bool understood = reply_of_call(request->call, &reply);

	if (understood && condition_unchanged(request, &reply))
		return ANSWERED;
	if (!understood || !is_complete(request, &reply))
	{
		log_request(request, LOG_ERROR, "unexpected reply", "%s", request->call->spec->function);
		return error_set(request, 500, NULL);
	}
	if (names_owner(request, &reply))
		request->record_id = reply.id;
	builders[route->envelope](request, &reply);
	if (page_made(request))
		return page_begin(request);
	/* the reply is the first piece, or the head alone */
	if (route->call == CALL_DATA_JSON)
		request->answer.stream = stream_response;
	else if (request->format != NULL)
		remove_body(request);
	else
		condition_seal(request);
	return ANSWERED;
}

StageResult
result_check(Request *request)
{
	const Call *call = request->call;
	CallError error;
	int status;

	if (!error_find(call, &error))
		return NEXT;
	status = error_own_status(&error);
	if (status == MHD_HTTP_PERMANENT_REDIRECT)
		return redirect_request(request, error_own_detail(&error));
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED && call->spec != &call_specs[CALL_DESCRIBE])
		return options_refuse(request);
	(void) error_answer(request, call, &error);
	/* PostgreSQL reads the body before the function reads the path */
	return error_in_body(call) ? redirect_refused(request) : ANSWERED;
}

/*
 * Both are answered while the database is away.  The metrics show traffic and internals, so they are
 * for superadmins, and for connections from addresses of a setting.
 */

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Answer with the counters, and with the figures of the database unless it is away. */
static StageResult
answer_metrics(Request *request, const Reply *reply)
{
	Metrics *metrics = request->worker->settings->metrics;
	Buffer *text = &request->answer.head;

	answer_status(request, MHD_HTTP_OK);
	request->answer.type = METRICS_TYPE;
	answer_field(request, "Cache-Control", "no-store");
	buffer_format(text,
				  "# HELP catalogue_up Whether the database has answered: 1 or 0.\n"
				  "# TYPE catalogue_up gauge\ncatalogue_up %d\n",
				  reply != NULL);
	metrics_write(text, metrics);
	if (reply != NULL && reply->data != NULL)
		metrics_figures_keep(metrics, reply->etag, reply->data, reply->data_length);
	if (reply != NULL)
		metrics_figures_write(text, metrics);
	return ANSWERED;
}

/* A monitoring system learns that the database is away; others get the error. */
static StageResult
metrics_ended(Request *request)
{
	CallError error;
	Reply reply;

	if (!error_find(request->call, &error) && reply_of_call(request->call, &reply) &&
		reply.etag != NULL)
		return answer_metrics(request, &reply);
	return proxy_monitors(request) ? answer_metrics(request, NULL) : result_check(request);
}

StageResult
monitoring_metrics(Request *request)
{
	request->known = metrics_figures_state(request->worker->settings->metrics, &request->arena);
	return call_start_unchecked(request, CALL_METRICS, metrics_ended);
}

/* If the database did not perform the checks, its own has failed. */
static StageResult
ready_ended(Request *request)
{
	static const Refusal away = {
		MHD_HTTP_SERVICE_UNAVAILABLE, "the service is not ready",
		"{\"checks\":{\"database\":\"the database did not answer\"},\"failed\":[\"database\"]}",
		NULL};
	CallError error;

	if (!error_find(request->call, &error))
		return NEXT;
	return error_own_status(&error) != 0 ? result_check(request) : error_again(request, &away);
}

StageResult
monitoring_ready(Request *request)
{
	return call_start_unchecked(request, CALL_READY, ready_ended);
}
