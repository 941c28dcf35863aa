/*
 * envelope.c - meta, data and links around the bytes that PostgreSQL made.
 *
 * Those bytes are not looked into and not copied more often than needed: they stay in the
 * PGresult until they are sent.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "shim.h"

void
envelope_begin(Request *request, int status)
{
	Answer *answer = &request->answer;

	answer->status = status;
	answer->code = error_code_of(status);
	buffer_text(&answer->head, "{\"meta\":{");
	error_status_members(&answer->head, status);
}

void
envelope_data(Request *request, const char *data, size_t length)
{
	Answer *answer = &request->answer;

	buffer_text(&answer->head, data ? "},\"data\":" : "}");
	answer->data = data;
	answer->data_length = data ? length : 0;
	buffer_text(&answer->tail, ",\"links\":{");
}

void
envelope_member(Request *request, const char *name)
{
	Buffer *tail = &request->answer.tail;

	if (tail->length > 0 && tail->data[tail->length - 1] != '{')
		buffer_append(tail, ",", 1);
	buffer_json(tail, name, strlen(name));
	buffer_append(tail, ":", 1);
}

void
envelope_link(Request *request, const char *name, const char *const *words)
{
	Buffer *tail = &request->answer.tail;

	envelope_member(request, name);
	buffer_append(tail, "\"", 1);
	link_words(tail, request, words);
	buffer_append(tail, "\"", 1);
}

void
envelope_ignored(Request *request, const Reply *reply)
{
	Buffer *head = &request->answer.head;

	if (reply->ignored == NULL && request->ignored == NULL)
		return;
	buffer_text(head, ",\"ignored\":");
	if (reply->ignored == NULL || request->ignored == NULL)
		buffer_text(head, reply->ignored ? reply->ignored : request->ignored);
	else
	{
		/* two arrays, none of which is empty, are one */
		buffer_append(head, reply->ignored, strlen(reply->ignored) - 1);
		buffer_text(head, ",");
		buffer_text(head, request->ignored + 1);
	}
}

static void
add_meta(Request *request, const Reply *reply)
{
	Buffer *head = &request->answer.head;

	if (reply->version != NULL)
	{
		buffer_text(head, ",\"version\":");
		buffer_json(head, reply->version, strlen(reply->version));
	}
	envelope_ignored(request, reply);
}

static void
build_item(Request *request, const Reply *reply)
{
	Buffer *tail = &request->answer.tail;
	const char *all[] = {reply->resource, NULL};

	envelope_begin(request, MHD_HTTP_OK);
	add_meta(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	envelope_link(request, "all", all);
	item_links_add(request, reply);
	buffer_append(tail, "}}", 2);
}

/* A count, or what is left of a record that was deleted: the way to all. */
static void
build_link_to_all(Request *request, const Reply *reply)
{
	const char *all[] = {reply->resource, NULL};

	envelope_begin(request, MHD_HTTP_OK);
	add_meta(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	envelope_link(request, "all", all);
	buffer_text(&request->answer.tail, "}}");
}

static void
build_related(Request *request, const Reply *reply)
{
	if (reply->has_count)
		page_build(request, reply);
	else if (request->format != NULL && !request->takes_json)
		error_set(request, 406, NULL);
	else
	{
		request->format = NULL;
		build_item(request, reply);
	}
}

/* A write: the record only when it was asked for. */
static void
build_write(Request *request, const Reply *reply, int status)
{
	const char *all[] = {reply->resource, NULL};
	const char *record[] = {reply->resource, reply->id, NULL};

	envelope_begin(request, status);
	add_meta(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	envelope_link(request, "record", record);
	envelope_link(request, "all", all);
	buffer_text(&request->answer.tail, "}}");
}

static void
build_created(Request *request, const Reply *reply)
{
	build_write(request, reply, MHD_HTTP_CREATED);
	request->answer.location =
		arena_format(&request->arena, "%s/%s/%s", request->base, reply->resource, reply->id);
}

static void
build_written(Request *request, const Reply *reply)
{
	build_write(request, reply, MHD_HTTP_OK);
}

/* What login and refreshToken give: the session of the user, with a new token put first. */
static void
build_login(Request *request, const Reply *reply)
{
	const Settings *settings = request->worker->settings;
	const char *user[] = {request->resource, reply->id, NULL};
	const char *refresh[] = {request->resource, "refreshToken", reply->id, NULL};
	char *token;

	if (request->route->call == CALL_LOGIN)
		login_history_note(request, reply->id != NULL);
	if (reply->id == NULL)
	{
		error_login(request);
		return;
	}
	token = token_issue(settings, reply->id, reply->version, (int64_t) time(NULL));
	if (token == NULL || reply->data_length < 2)
	{
		free(token);
		error_set(request, 500, NULL);
		return;
	}
	envelope_begin(request, MHD_HTTP_OK);
	envelope_ignored(request, reply);
	/* the object of the reply goes on where ours ends */
	envelope_data(request, reply->data + 1, reply->data_length - 1);
	buffer_text(&request->answer.head, "{\"token\":\"");
	buffer_text(&request->answer.head, token);
	buffer_text(&request->answer.head, "\",");
	envelope_link(request, "user", user);
	envelope_link(request, "refreshToken", refresh);
	buffer_text(&request->answer.tail, "}}");
	free(token);
}

/* A token for a consumer, made with the key that the reply names. */
static void
build_token(Request *request, const Reply *reply)
{
	json_t *object = json_loadb(reply->data, reply->data_length, 0, NULL);
	const char *key = json_string_value(json_object_get(object, "key"));
	const char *material = json_string_value(json_object_get(object, "material"));
	int64_t lifetime = json_integer_value(json_object_get(object, "lifetime"));
	char *token =
		key && material ? token_issue_for_key(key, material, lifetime, (int64_t) time(NULL)) : NULL;

	if (json_object_size(object) == 0)
		error_set(request, 401, "no consumer of this name and id may have tokens");
	else if (token == NULL)
		error_set(request, 500, NULL);
	else
	{
		envelope_begin(request, MHD_HTTP_OK);
		envelope_ignored(request, reply);
		buffer_format(&request->answer.head, "},\"data\":\"%s\",\"links\":{}}", token);
	}
	free(token);
	json_decref(object);
}

static void
build_plain(Request *request, const Reply *reply)
{
	Buffer *tail = &request->answer.tail;

	envelope_begin(request, MHD_HTTP_OK);
	envelope_ignored(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	envelope_member(request, "self");
	buffer_append(tail, "\"", 1);
	link_request(tail, request);
	buffer_text(tail, "\"}}");
}

/* The entry point: the resources, and what is not of one of them. */
static void
build_entry(Request *request, const Reply *reply)
{
	static const struct
	{
		const char *name;
		const char *words[4];
	} links[] = {
		{"search", {"search"}},		   {"feed", {"datasets", "feed", "rss"}},
		{"login", {"users", "login"}}, {"openapi", {"openapi.json"}},
		{"health", {"health"}},
	};

	envelope_begin(request, MHD_HTTP_OK);
	envelope_ignored(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	for (size_t i = 0; i < lengthof(links); i++)
		envelope_link(request, links[i].name, links[i].words);
	buffer_text(&request->answer.tail, "}}");
}

/* Contents of a file as it is asked for: their status, as all else is known already. */
static void
build_stream(Request *request, const Reply *reply)
{
	(void) reply;
	envelope_begin(request, MHD_HTTP_OK);
}

/* The feed of datasets: it is no JSON, and stands for itself. */
static void
build_feed(Request *request, const Reply *reply)
{
	Answer *answer = &request->answer;

	answer->status = MHD_HTTP_OK;
	answer->code = error_code_of(answer->status);
	answer->type = "application/rss+xml; charset=utf-8";
	answer->data = reply->data;
	answer->data_length = reply->data_length;
}

static void (*const builders[ENVELOPE_COUNT_OF])(Request *request, const Reply *reply) = {
	[ENVELOPE_LIST] = page_build,			[ENVELOPE_ITEM] = build_item,
	[ENVELOPE_COUNT] = build_link_to_all,	[ENVELOPE_RELATED] = build_related,
	[ENVELOPE_CREATED] = build_created,		[ENVELOPE_WRITTEN] = build_written,
	[ENVELOPE_DELETED] = build_link_to_all, [ENVELOPE_LOGIN] = build_login,
	[ENVELOPE_PLAIN] = build_plain,			[ENVELOPE_SEARCH] = page_search,
	[ENVELOPE_TOKEN] = build_token,			[ENVELOPE_ROWS] = page_build,
	[ENVELOPE_UPLOAD] = resume_build,		[ENVELOPE_BYTES] = build_stream,
	[ENVELOPE_FEED] = build_feed,			[ENVELOPE_ENTRY] = build_entry,
};

/*
 * The members that the envelopes rely on: without them the extension is not the one we know.
 *
 * The first piece of a stream may be empty, as a list is that has nothing in it.
 */
static bool
is_complete(const Request *request, const Reply *reply)
{
	Envelope envelope = request->route->envelope;
	bool one = envelope == ENVELOPE_ITEM || envelope == ENVELOPE_CREATED ||
			   envelope == ENVELOPE_WRITTEN || (envelope == ENVELOPE_RELATED && !reply->has_count);
	bool read = request->format == NULL && envelope != ENVELOPE_CREATED &&
				envelope != ENVELOPE_WRITTEN && envelope != ENVELOPE_DELETED &&
				envelope != ENVELOPE_UPLOAD;
	bool session = envelope == ENVELOPE_LOGIN && reply->id != NULL;

	return (!one || reply->id != NULL) && (!session || reply->version != NULL) &&
		   (!read || reply->data != NULL) &&
		   (reply->resource != NULL || envelope == ENVELOPE_PLAIN || envelope == ENVELOPE_ENTRY ||
			envelope == ENVELOPE_LOGIN || envelope == ENVELOPE_TOKEN ||
			envelope == ENVELOPE_SEARCH || envelope == ENVELOPE_UPLOAD ||
			envelope == ENVELOPE_BYTES);
}

/* Of a list that is sent as another type than JSON the envelope is what the headers say. */
static void
take_off(Request *request)
{
	Answer *answer = &request->answer;

	if (answer->status >= 300)
		return;
	answer->type = request->format->field;
	answer->streamed = true;
	answer->data = NULL;
	answer->data_length = 0;
	buffer_free(&answer->head);
	buffer_free(&answer->tail);
}

/* Is the id of a reply that of the record which the path names?  Of one record it is its own. */
static bool
names_owner(const Request *request, const Reply *reply)
{
	return (reply->has_count || request->route->envelope == ENVELOPE_PLAIN) &&
		   route_word(request, "id") != NULL;
}

/* Make the answer to a call that PostgreSQL has answered. */
void
envelope_build(Request *request)
{
	const Route *route = request->route;
	Reply reply;
	bool understood = reply_of_call(&request->call, &reply);

	if (understood && condition_unchanged(request, &reply))
		return;
	if (!understood || !is_complete(request, &reply))
	{
		log_request(request, LOG_ERROR, "unexpected reply", "%s", request->call.spec->function);
		error_set(request, 500, NULL);
		return;
	}
	if (names_owner(request, &reply))
		request->named = reply.id;
	builders[route->envelope](request, &reply);
	if (request->format != NULL)
		take_off(request);
	else
		condition_seal(request);
}
