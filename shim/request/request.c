/*
 * request.c - the conductor: a request is made, taken through its stages, answered, freed.
 *
 * Only this file starts a stage.  A stage returns NEXT, ANSWERED or WAITING.  After WAITING its
 * continuation is executed when the request's call has ended (request_events), and returns one of
 * these again.  Only this file suspends and resumes connections for stages and queues answers.
 */

#include "request/request.h"
#include "database/clients.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "page/page.h"

/* What a reply must have for its envelope. */
enum
{
	DATA = 1,
	RESOURCE = 2,
	ID = 4
};

/* The functions that build the body of an answer, by the envelope of the route. */
static const struct
{
	void (*build)(Request *request, const Reply *reply);
	int needs;
} builders[ENVELOPE_COUNT_OF] = {
	[ENVELOPE_LIST] = {envelope_page_links, DATA | RESOURCE},
	[ENVELOPE_ITEM] = {envelope_item, DATA | RESOURCE | ID},
	[ENVELOPE_COUNT] = {envelope_link_to_all, DATA | RESOURCE},
	[ENVELOPE_RELATED] = {envelope_related, DATA | RESOURCE | ID},
	[ENVELOPE_CREATED] = {envelope_written, RESOURCE | ID},
	[ENVELOPE_WRITTEN] = {envelope_written, RESOURCE | ID},
	[ENVELOPE_DELETED] = {envelope_link_to_all, RESOURCE},
	[ENVELOPE_LOGIN] = {auth_session_login, DATA},
	[ENVELOPE_PLAIN] = {envelope_plain, DATA},
	[ENVELOPE_SEARCH] = {envelope_search_links, DATA},
	[ENVELOPE_TOKEN] = {auth_session_token, DATA},
	[ENVELOPE_ROWS] = {envelope_page_links, DATA | RESOURCE},
	[ENVELOPE_UPLOAD] = {upload_resume_envelope, 0},
	[ENVELOPE_BYTES] = {envelope_stream, DATA},
	[ENVELOPE_FEED] = {envelope_document, DATA | RESOURCE},
	[ENVELOPE_DOCUMENT] = {envelope_document, RESOURCE},
	[ENVELOPE_TILE] = {envelope_tile, RESOURCE},
	[ENVELOPE_ENTRY] = {envelope_entry, DATA},
	[ENVELOPE_ACCEPTED] = {envelope_accepted, 0},
	[ENVELOPE_IMPORT] = {envelope_import, DATA},
	[ENVELOPE_OPENAPI] = {openapi_answer, RESOURCE},
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
	int needs = builders[envelope].needs;

	if (envelope == ENVELOPE_RELATED && reply->is_list)
		needs &= ~ID;
	if (request->format != NULL || (envelope == ENVELOPE_IMPORT && reply->id != NULL))
		needs &= ~DATA;
	return ((needs & ID) == 0 || reply->id != NULL) &&
		   ((needs & DATA) == 0 || reply->data != NULL) &&
		   ((needs & RESOURCE) == 0 || reply->resource != NULL) &&
		   (envelope != ENVELOPE_LOGIN || reply->id == NULL || reply->version != NULL);
}

/* A list in another type than JSON has no envelope; what it says is in the header fields. */
static void
remove_body(Request *request, const Reply *reply)
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
	envelope_notes(request, reply);
}

/* Build the envelope of the reply. */
static StageResult
result_envelope(Request *request)
{
	const Route *route = request->route;
	Reply reply;
	bool understood = call_reply(request->call, &reply);

	if (route->envelope == ENVELOPE_DOCUMENT || route->envelope == ENVELOPE_FEED)
		answer_field(request, "Vary", ENVELOPE_VARY("Accept-Encoding, "));
	if (understood && condition_unchanged(request, &reply))
		return ANSWERED;
	if (!understood || !is_complete(request, &reply))
	{
		log_redact_request(request, LOG_ERROR, "unexpected reply", "%s",
						   request->call->spec->function);
		return error_set(request, 500, NULL);
	}
	/*
	 * Is the id in the reply that of the record at :id of the path? Otherwise it is that of the
	 * reply.
	 */
	if ((reply.is_list || route->envelope == ENVELOPE_PLAIN || route->call == CALL_ITEM) &&
		request->path_id != NULL)
		request->record_id = reply.id;
	builders[route->envelope].build(request, &reply);
	page_sent(request);
	if (page_made(request))
		return page_begin(request);
	/* the reply is the first piece, or the head alone */
	if (route->call == CALL_DATA_JSON || request->pieces)
		request->answer.stream = stream_response;
	else if (request->format != NULL)
		remove_body(request, &reply);
	else
		condition_seal(request);
	return ANSWERED;
}

/* If the call has failed, answer with its error, or with 308 or 405; else NEXT. */
static StageResult
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
	upload_refused(request);
	/* PostgreSQL reads the body before the function reads the path */
	if (error_in_body(call))
		return redirect_refused(request);
	return status == MHD_HTTP_NOT_FOUND ? redirect_moved(request) : ANSWERED;
}

/*
 * ---- What a monitoring system reads: GET /metrics and GET /health/ready ----
 *
 * Both paths are answered while the database is away.  The metrics show traffic and internals, so they are
 * for superadmins, and for connections from addresses of a setting.
 */

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Answer with the counters, and with the figures of the database unless it is away. */
static StageResult
answer_metrics(Request *request, const Reply *reply)
{
	Metrics *metrics = request->thread->settings->metrics;
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

	if (!error_find(request->call, &error) && call_reply(request->call, &reply) &&
		reply.etag != NULL)
		return answer_metrics(request, &reply);
	return proxy_monitors(request) ? answer_metrics(request, NULL) : result_check(request);
}

/* If the database did not perform the checks, its own has failed. */
static StageResult
ready_ended(Request *request)
{
	CallError error;

	if (!error_find(request->call, &error))
		return NEXT;
	if (error_own_status(&error) != 0)
		return result_check(request);
	return error_faults(request, 503, "the service is not ready",
						"{\"checks\":{\"database\":\"the database did not answer\"},"
						"\"failed\":[\"database\"]}");
}

#define SPARES_MAXIMUM 64 /* requests of a thread whose memory is kept */

/* The memory of a request: what precedes the answer is cleared for the next one. */
typedef struct RequestMemory
{
	Auth auth;
	Call call;
	Stream stream;
	Request *next_spare;
	size_t stage;  /* the one that starts next */
	bool running;  /* a stage is being executed */
	bool returned; /* its call has ended while it was running */
	Request request;
} RequestMemory;

static RequestMemory *
memory_of(Request *request)
{
	return (RequestMemory *) ((char *) request - offsetof(RequestMemory, request));
}

Request *
request_new(HttpThread *thread, Client *client, Head *head)
{
	Request *request = thread->spare;
	RequestMemory *memory;
	char id[NAME_SIZE];

	if (request != NULL)
	{
		memory = memory_of(request);
		thread->spare = memory->next_spare;
		thread->spares--;
	}
	else if ((memory = malloc(sizeof(RequestMemory))) == NULL)
		return NULL;
	else
	{
		request = &memory->request;
		answer_init(&request->answer);
	}
	/* the answer is empty, and the arena need not be cleared */
	memset(memory, 0, offsetof(RequestMemory, request) + offsetof(Request, answer));
	arena_init(&request->arena);
	request->thread = thread;
	request->client = client;
	request->auth = &memory->auth;
	request->call = &memory->call;
	request->stream = &memory->stream;
	request->started = thread->asked = thread->now;
	request->verb = VERB_OTHER;
	request->resource = "";
	request->query = "";
	request->caller.actor = "{}";
	request->head = head;
	request->target = head ? head->target : "";
	buffer_init(&request->body.bytes, (size_t) thread->settings->body_limit + 1);
	header_name_next(thread, id);
	request->id = arena_text(&request->arena, id, strlen(id));
	return request;
}

/* The only place where a request and what belongs to it is freed. */
void
request_free(Request *request)
{
	HttpThread *thread = request->thread;

	stream_close(request);
	transfer_close(request);
	call_forget_result(request->call);
	memory_share_end(thread->memory, &request->body.held);
	memory_share_end(thread->memory, &request->answer_held);
	free(request->head);
	buffer_free(&request->body.bytes);
	arena_free(&request->arena);
	if (thread->spares >= SPARES_MAXIMUM)
	{
		answer_free(&request->answer);
		free(memory_of(request));
		return;
	}
	answer_clear(&request->answer);
	memory_of(request)->next_spare = thread->spare;
	thread->spare = request;
	thread->spares++;
}

void
request_forget(HttpThread *thread)
{
	while (thread->spare != NULL)
	{
		Request *request = thread->spare;

		thread->spare = memory_of(request)->next_spare;
		answer_free(&request->answer);
		free(memory_of(request));
	}
}

/* Find the route, unless that was needed to see that the request is an upload. */
static StageResult
find_route(Request *request)
{
	if (request->answer.status != 0)
		return ANSWERED;
	return request->words > 0 ? NEXT : route_request(request);
}

/* Refuse invalid credentials, and anonymous requests if the service is private. */
static StageResult
check_credentials(Request *request)
{
	/* a login may be sent with an old token, which has expired */
	bool open = request->route != NULL && call_specs[request->route->call].trait == TRAIT_OPEN;

	if ((!request->caller.good && !open) || auth_anonymous_refused(request))
		return error_set(request, 401, NULL);
	return NEXT;
}

static StageResult
check_path(Request *request)
{
	if (request->pattern == NULL)
		return redirect_unknown(request);
	if (request->verb == VERB_OPTIONS)
		return NEXT;
	if (request->route == NULL)
		return options_refuse(request);
	if (!route_built(request, request->route))
		return error_set(request, 501, NULL);
	return NEXT;
}

static StageResult
negotiate(Request *request)
{
	StageResult progress = negotiate_request(request);

	return progress == ANSWERED && request->verb != VERB_OPTIONS ? redirect_refused(request)
																 : progress;
}

static StageResult
answer_options(Request *request)
{
	return request->verb == VERB_OPTIONS ? options_answer(request) : NEXT;
}

/* Refuse a request for the user that makes it, if there is none or another one. */
static StageResult
check_user(Request *request)
{
	bool own = request->route->call == CALL_SESSION;
	bool personal = own || (request->route->call == CALL_ITEM && request->path_id == NULL);

	if (personal && request->caller.user == NULL)
		return error_set(request, 401, NULL);
	if (own && strcmp(request->path_id, request->caller.user) != 0)
		return error_set(request, 403, NULL);
	return NEXT;
}

/* Of an upload, receive the body; access_handler.c passes it on. */
static StageResult
receive_body(Request *request)
{
	if (upload_of(request) == NULL || upload_received(request))
		return NEXT;
	/* execute this stage again after each piece that was written */
	memory_of(request)->stage--;
	request->phase = PHASE_BODY;
	return WAITING;
}

static StageResult make_call(Request *request);

/* Does the reply exist as JSON only, and the client accepts that?  Or without what a page adds? */
static bool
falls_back(Request *request)
{
	CallError error;

	return page_call_again(request) ||
		   (request->format != NULL && request->takes_json && error_find(request->call, &error) &&
			error_own_status(&error) == MHD_HTTP_NOT_ACCEPTABLE);
}

/* Is the answer too long to be given at once?  Then it is asked for in pieces. */
static bool
is_long(Request *request)
{
	CallError error;

	if (request->route->call != CALL_MAP_GEOJSON || request->pieces ||
		!error_find(request->call, &error))
		return false;
	request->pieces = error_own_status(&error) == 413;
	return request->pieces;
}

static StageResult
call_ended(Request *request)
{
	if (stream_ended(request))
		return ANSWERED;
	if (!falls_back(request) && !is_long(request))
		return result_check(request);
	request->format = NULL;
	return make_call(request);
}

/* The call of the route, or the one that returns its list in another type than JSON, or the head alone. */
static CallName
call_of(const Request *request)
{
	if (request->pieces)
		return request->verb == VERB_HEAD ? CALL_MAP_GEOJSON_HEAD : CALL_MAP_GEOJSON_EXPORT;
	if (request->verb == VERB_HEAD)
		return request->route->call == CALL_DATA_JSON ? CALL_DATA_JSON_HEAD : request->route->call;
	return request->format != NULL ? negotiate_stream_call(request->route) : request->route->call;
}

/* A request to continue an upload that did not begin to be one. */
static StageResult
refuse_body(Request *request)
{
	return error_set(request, 415, "the body must be sent as application/partial-upload");
}

static StageResult
call_metrics(Request *request)
{
	request->known = metrics_figures_state(request->thread->settings->metrics, &request->arena);
	return request_call_start_unchecked(request, CALL_METRICS, metrics_ended);
}

static StageResult
call_ready(Request *request)
{
	return request_call_start_unchecked(request, CALL_READY, ready_ended);
}

static StageResult
call_openapi(Request *request)
{
	return openapi_call(request, call_ended);
}

/* What is done for a route in place of its call, or around it. */
static StageResult (*const makers[CALL_NAMES])(Request *) = {
	[CALL_UPLOAD_FINISH] = refuse_body,
	[CALL_DOWNLOAD] = download_start,
	[CALL_IMAGE] = download_start,
	[CALL_LOGO] = download_start,
	[CALL_ARCHIVE] = download_start,
	[CALL_MAP_DOWNLOAD] = download_start,
	[CALL_PICTURE] = download_start,
	[CALL_METRICS] = call_metrics,
	[CALL_STATIC_FILE] = static_file_answer,
	[CALL_OPENAPI] = call_openapi,
	[CALL_READY] = call_ready,
	[CALL_DOCS] = page_docs,
};

static StageResult
make_call(Request *request)
{
	if (upload_of(request) != NULL)
		return upload_finish(request);
	if (makers[request->route->call] != NULL)
		return makers[request->route->call](request);
	if (page_made(request))
		return page_call(request, call_ended);
	return request_call_start_unchecked(request, call_of(request), call_ended);
}

/* Check what the call cannot check, or not in time. */
static StageResult
check_request(Request *request)
{
	if (body_prepare(request) == NEXT && check_user(request) == NEXT &&
		condition_read(request) == NEXT)
		return NEXT;
	return redirect_refused(request);
}

/* The stages, in their order. */
static StageResult (*const stages[])(Request *) = {
	find_route, /* 400 404 */
	auth_start, /* 401 403 429 503 */
	check_credentials,
	check_path, /* 308 404 405 501 */
	negotiate,	/* 308 406 415 422 */
	answer_options,
	check_request, /* 308 400 401 403 412 413 */
	auth_confirm_password,
	upload_start, /* 409 413 */
	receive_body,
	make_call,
	result_envelope,
};

/* The call has ended: answer its error, or execute the continuation of the stage. */
static StageResult
continue_stage(Request *request)
{
	StageResult progress = request->call->unchecked ? NEXT : result_check(request);

	return progress == NEXT ? request->call->then(request) : progress;
}

/* Execute stages until the request is answered or waits. */
static StageResult
run(Request *request, StageResult progress)
{
	RequestMemory *memory = memory_of(request);

	memory->running = true;
	for (;;)
	{
		if (request->arena.failed)
			progress = ANSWERED;
		if (progress == NEXT)
			progress = stages[memory->stage++](request);
		else if (progress == WAITING && memory->returned)
		{
			memory->returned = false;
			progress = continue_stage(request);
		}
		else
			break;
	}
	memory->running = false;
	return progress;
}

bool
request_run(Request *request, StageResult progress)
{
	request->phase = PHASE_SUSPENDED;
	if (run(request, progress) != WAITING || request->phase != PHASE_SUSPENDED)
		return true;
	MHD_suspend_connection(request->client->connection);
	return false;
}

/* Go on with a request whose connection is suspended; resume it unless it still waits. */
static void
proceed(Request *request, StageResult progress)
{
	if (run(request, progress) == ANSWERED && request->phase == PHASE_SUSPENDED)
		request->phase = PHASE_SENDING;
	else if (request->phase != PHASE_BODY)
		return;
	MHD_resume_connection(request->client->connection);
}

static void
call_returned(Call *call)
{
	Request *request = call->request;

	/* a call can end while it is being made */
	if (memory_of(request)->running)
		memory_of(request)->returned = true;
	else
		proceed(request, continue_stage(request));
}

/*
 * The first row decides the header fields, or that the answer is an error.  Either is sent from
 * then on, so whatever else the call brings, or how it ends, changes neither.
 */
static bool
row_received(Call *call, PGresult *row)
{
	Request *request = call->request;
	bool wanted;

	if (!call->begun)
	{
		call->result = row;
		(void) result_envelope(request);
		call->result = NULL;
		call->begun = true;
	}
	wanted = stream_take(request, row);
	proceed(request, ANSWERED);
	return wanted;
}

static void
stream_preempted(Call *call)
{
	stream_preempt(call->request);
	proceed(call->request, ANSWERED);
}

const RequestEvents request_events = {
	.returned = call_returned,
	.row = row_received,
	.preempted = stream_preempted,
	.proceed = proceed,
};

enum MHD_Result
request_answer(Request *request)
{
	struct MHD_Response *response;
	enum MHD_Result queued;

	page_error(request);
	if ((response = response_make(request)) == NULL)
		return MHD_NO;
	request->phase = PHASE_SENDING;
	queued = MHD_queue_response(request->client->connection, (unsigned int) request->answer.status,
								response);
	MHD_destroy_response(response);
	return queued;
}
