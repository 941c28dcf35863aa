/*
 * envelope.c - meta, data and links around the bytes of a reply.
 *
 * Those bytes are not parsed, and copied as little as possible: they stay in the PGresult until they
 * are sent.
 */
#include <string.h>

#include "answer/answer.h"
#include "answer/envelope.h"

void
envelope_begin(Request *request, int status)
{
	Answer *answer = &request->answer;

	answer_status(request, status);
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
		/* join two arrays, neither of which is empty */
		buffer_append(head, reply->ignored, strlen(reply->ignored) - 1);
		buffer_text(head, ",");
		buffer_text(head, request->ignored + 1);
	}
}

/* Add what only some replies have to meta. */
static void
add_members(Request *request, const Reply *reply)
{
	Buffer *head = &request->answer.head;

	if (reply->meta != NULL)
	{
		buffer_text(head, ",");
		buffer_text(head, reply->meta);
	}
	envelope_ignored(request, reply);
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
	add_members(request, reply);
}

void
envelope_item(Request *request, const Reply *reply)
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

/* The envelope of a count and of a deletion. */
void
envelope_link_to_all(Request *request, const Reply *reply)
{
	const char *all[] = {reply->resource, NULL};

	envelope_begin(request, MHD_HTTP_OK);
	add_meta(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	envelope_link(request, "all", all);
	buffer_text(&request->answer.tail, "}}");
}

void
envelope_related(Request *request, const Reply *reply)
{
	if (reply->has_count)
		list_links_page(request, reply);
	else if (request->format != NULL && !request->takes_json)
		(void) error_set(request, 406, NULL);
	else
	{
		request->format = NULL;
		envelope_item(request, reply);
	}
}

/* Is the record of a write of a resource that the caller does not see?  Then it has no address. */
static bool
is_unseen(const Reply *reply)
{
	return reply->links != NULL && strcmp(reply->links, "-") == 0;
}

/* The envelope of a write: with the record only if that was requested. */
static void
build_write(Request *request, const Reply *reply, int status)
{
	const char *all[] = {reply->resource, NULL};
	const char *record[] = {reply->resource, reply->id, NULL};

	envelope_begin(request, status);
	add_meta(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	if (!is_unseen(reply))
	{
		envelope_link(request, "record", record);
		envelope_link(request, "all", all);
	}
	buffer_text(&request->answer.tail, "}}");
}

void
envelope_created(Request *request, const Reply *reply)
{
	build_write(request, reply, MHD_HTTP_CREATED);
	if (is_unseen(reply))
		return;
	request->answer.location =
		arena_format(&request->arena, "%s/%s/%s", request->base, reply->resource, reply->id);
}

void
envelope_written(Request *request, const Reply *reply)
{
	build_write(request, reply, MHD_HTTP_OK);
}

void
envelope_plain(Request *request, const Reply *reply)
{
	Buffer *tail = &request->answer.tail;

	envelope_begin(request, MHD_HTTP_OK);
	add_members(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	envelope_member(request, "self");
	buffer_append(tail, "\"", 1);
	link_request(tail, request);
	buffer_text(tail, "\"}}");
}

/* A reply with an id names the job that can be asked for; else there is nothing to ask again for. */
void
envelope_accepted(Request *request, const Reply *reply)
{
	const char *words[] = {"jobs", reply->id, NULL};

	answer_status(request, MHD_HTTP_ACCEPTED);
	buffer_format(&request->answer.head,
				  "{\"meta\":{\"code\":\"%s\",\"message\":\"this will be done\"",
				  error_code_of(MHD_HTTP_ACCEPTED));
	envelope_ignored(request, reply);
	envelope_data(request, NULL, 0);
	if (reply->id != NULL)
	{
		envelope_link(request, "job", words);
		request->answer.location =
			arena_format(&request->arena, "%s/jobs/%s", request->base, reply->id);
	}
	buffer_text(&request->answer.tail, "}}");
}

void
envelope_import(Request *request, const Reply *reply)
{
	if (reply->id != NULL)
		envelope_accepted(request, reply);
	else
		envelope_plain(request, reply);
}

/* The entry point: links to the resources, and to what belongs to no resource. */
void
envelope_entry(Request *request, const Reply *reply)
{
	static const struct
	{
		const char *name;
		const char *words[4];
	} links[] = {
		{"search", {"search"}},		   {"feed", {"datasets", "feed", "rss"}},
		{"catalog", {"catalog"}},	   {"login", {"users", "login"}},
		{"openapi", {"openapi.json"}}, {"health", {"health"}},
	};

	envelope_begin(request, MHD_HTTP_OK);
	envelope_ignored(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	for (size_t i = 0; i < lengthof(links); i++)
		envelope_link(request, links[i].name, links[i].words);
	buffer_text(&request->answer.tail, "}}");
}

/* The contents of a file: only the status, since the header fields are set already. */
void
envelope_stream(Request *request, const Reply *reply)
{
	(void) reply;
	envelope_begin(request, MHD_HTTP_OK);
}

/* A document has no envelope.  A picture has its style in it, and nothing in it is run. */
void
envelope_document(Request *request, const Reply *reply)
{
	Answer *answer = &request->answer;

	answer_status(request, MHD_HTTP_OK);
	answer->type = request->document->field;
	if (strcmp(request->document->type, "image") == 0)
		answer_field(request, "Content-Security-Policy", POLICY_SANDBOX);
	answer->data = reply->data;
	answer->data_length = reply->data_length;
}

/* A vector tile is not JSON, and none without points; the reply has its bytes as base64url. */
void
envelope_tile(Request *request, const Reply *reply)
{
	Answer *answer = &request->answer;
	size_t room = reply->data_length / 4 * 3 + 3;
	unsigned char *bytes;
	ptrdiff_t length;

	if (reply->data_length == 0)
	{
		answer_status(request, MHD_HTTP_NO_CONTENT);
		return;
	}
	bytes = arena_zeroed(&request->arena, room);
	if (bytes == NULL)
		return;
	length = text_base64url_decode(reply->data, reply->data_length, bytes, room);
	answer_status(request, MHD_HTTP_OK);
	answer->type = "application/vnd.mapbox-vector-tile";
	answer->data = (const char *) bytes;
	answer->data_length = length < 0 ? 0 : (size_t) length;
}

/* The feed of datasets is not JSON and has no envelope. */
void
envelope_feed(Request *request, const Reply *reply)
{
	Answer *answer = &request->answer;

	answer_status(request, MHD_HTTP_OK);
	answer->type = "application/rss+xml; charset=utf-8";
	answer->data = reply->data;
	answer->data_length = reply->data_length;
}
