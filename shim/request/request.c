/*
 * request.c - one request: made, walked through the stages, freed.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define SPARES_MAXIMUM 64 /* requests of a thread that are kept for the next */

void
request_name(Worker *worker, char *id)
{
	uint32_t name[] = {htonl(worker->run), htonl(++worker->serial)};

	text_hex(name, sizeof(name), id);
}

Request *
request_new(Worker *worker, Client *client, Head *head)
{
	Request *request = worker->spare;
	char id[NAME_SIZE];

	if (request != NULL)
	{
		worker->spare = request->next_spare;
		worker->spares--;
	}
	else if ((request = malloc(sizeof(Request))) == NULL)
		return NULL;
	else
		answer_init(&request->answer);
	/* the answer is clear, and the bytes of the arena behind it need no clearing */
	memset(request, 0, offsetof(Request, answer));
	arena_init(&request->arena);
	request->worker = worker;
	request->client = client;
	request->started = worker->asked = worker->now;
	request->verb = VERB_OTHER;
	request->resource = "";
	request->query = "";
	request->actor = "{}";
	request->head = head;
	request->target = head ? head->target : "";
	buffer_init(&request->body, (size_t) worker->settings->body_limit + 1);
	request_name(worker, id);
	request->id = arena_text(&request->arena, id, strlen(id));
	return request;
}

/* The one place where a request and all that belongs to it ends. */
void
request_free(Request *request)
{
	Worker *worker = request->worker;

	stream_close(request);
	transfer_close(request);
	call_forget_result(&request->call);
	free(request->head);
	buffer_free(&request->body);
	arena_free(&request->arena);
	if (worker->spares >= SPARES_MAXIMUM)
	{
		answer_free(&request->answer);
		free(request);
		return;
	}
	answer_clear(&request->answer);
	request->next_spare = worker->spare;
	worker->spare = request;
	worker->spares++;
}

void
request_forget(Worker *worker)
{
	while (worker->spare != NULL)
	{
		Request *request = worker->spare;

		worker->spare = request->next_spare;
		answer_free(&request->answer);
		free(request);
	}
}

void
request_wake(Request *request)
{
	/* a call that ends while the walk is still going on finds the connection not suspended yet */
	if (request->stage != STAGE_WAITING)
		return;
	request->stage = STAGE_SENDING;
	MHD_resume_connection(request->client->connection);
}

/* Did the extension find that this is nothing for another type than JSON, and JSON will do? */
static bool
falls_back(const Request *request)
{
	const Call *call = &request->call;
	const char *state =
		call->result != NULL ? PQresultErrorField(call->result, PG_DIAG_SQLSTATE) : NULL;

	return request->format != NULL && request->takes_json && state != NULL &&
		   strcmp(state, "OD406") == 0;
}

static void finish(Request *request);

void
request_call(Request *request)
{
	bool streams = request->format != NULL && request->verb != VERB_HEAD;

	call_start(request, streams ? stream_call(request->route) : request->route->call, finish);
}

/* Have the database asked for what the route gives, or told what it takes. */
static void
start(Request *request)
{
	if (upload_of(request) != NULL)
		upload_start(request);
	else if (request->route->call == CALL_UPLOAD_FINISH)
		error_set(request, 415, "the body must be sent as application/partial-upload");
	else if (request->route->envelope == ENVELOPE_BYTES)
		download_start(request);
	else if (confirm_wanted(request))
		confirm_start(request);
	else
		request_call(request);
}

/* The database is done with the call. */
static void
finish(Request *request)
{
	if (stream_ended(request))
		return;
	if (falls_back(request))
	{
		request->format = NULL;
		start(request);
	}
	else if (!error_of_call(request))
		envelope_build(request);
}

/* What the route asks of the one who asks, beyond what the call itself decides. */
static bool
may_enter(Request *request)
{
	const char *id = route_word(request, "id");
	bool own = request->route->call == CALL_SESSION;
	bool personal = own || (request->route->call == CALL_ITEM && id == NULL);

	if (personal && request->user == NULL)
		error_set(request, 401, NULL);
	else if (own && strcmp(id, request->user) != 0)
		error_set(request, 403, NULL);
	return request->answer.status == 0;
}

/* A body that no call could take: too large, or with a byte that no text of PostgreSQL holds. */
static bool
usable_body(Request *request)
{
	Buffer *body = &request->body;

	if (request->discard)
		error_set(request, 413, NULL);
	else if (body->length > 0 && memchr(body->data, '\0', body->length) != NULL)
		error_set(request, 400, "malformed JSON");
	else if (body->length == 0 || call_takes(&call_specs[request->route->call], ARGUMENT_BODY) ||
			 members_untaken(request))
	{
		/* libpq takes the body as a text that ends with a zero byte */
		buffer_append(body, "", 1);
		body->length -= body->failed ? 0 : 1;
	}
	return request->answer.status == 0;
}

/* The part of the walk behind auth, for a path that is known. */
static void
enter(Request *request)
{
	if (request->verb == VERB_OPTIONS)
	{
		if (negotiate_request(request))
			options_answer(request);
	}
	else if (request->route == NULL)
		options_refuse(request);
	else if (request->route->call == CALL_NOT_IMPLEMENTED)
		error_set(request, 501, NULL);
	else if (negotiate_request(request) && usable_body(request) &&
			 (!request->form || form_convert(request)) && may_enter(request) &&
			 condition_read(request))
		start(request);
	else
		redirect_refused(request);
}

/* The part of the walk behind auth. */
static void
walk_on(Request *request)
{
	/* who logs in anew may still send the token that has expired */
	if (!request->auth.good && (request->route == NULL || !request->route->open))
		error_set(request, 401, NULL);
	else if (private_keeps_out(request))
		error_set(request, 401, NULL);
	else if (request->pattern == NULL)
		redirect_unknown(request);
	else
		enter(request);
}

bool
request_find(Request *request)
{
	if (!guard_split(request))
		return false;
	request->resource = text_lower(&request->arena, request->path[0]);
	link_base(request);
	route_find(request);
	return true;
}

void
request_walk(Request *request)
{
	/* of what may be an upload it is known before the body has come */
	if (request->answer.status == 0 && (request->words > 0 || request_find(request)))
		auth_start(request, walk_on);
}
