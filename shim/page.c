/*
 * page.c - the envelope of a list: which page it is, and the way to the others.
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

/* The places that a page leads to: each an offset, or nowhere. */
#define NOWHERE (-1)

typedef struct Ways
{
	int64_t first;
	int64_t previous;
	int64_t before; /* records on the previous page: fewer where it would reach into this one */
	int64_t next;
	int64_t last;
} Ways;

/*
 * The offset of the last page, counted in whole pages from the one that is shown, so that whoever
 * follows "next" comes exactly there.
 */
static int64_t
last_offset(const Reply *reply)
{
	int64_t phase = reply->skip % reply->limit;

	if (reply->count <= phase)
		return 0;
	return phase + (reply->count - 1 - phase) / reply->limit * reply->limit;
}

static Ways
find_ways(const Reply *reply)
{
	Ways ways = {NOWHERE, NOWHERE, reply->limit, NOWHERE, NOWHERE};
	int64_t last;

	if (reply->limit <= 0)
		return ways;
	last = last_offset(reply);
	if (reply->skip > 0)
	{
		ways.first = 0;
		ways.previous = reply->skip - reply->limit;
		if (ways.previous < 0)
		{
			ways.previous = 0;
			ways.before = reply->skip;
		}
		if (ways.previous > last)
			ways.previous = last;
	}
	if (reply->skip + reply->returned < reply->count && reply->skip < last)
		ways.next = reply->skip + reply->limit;
	if (last != reply->skip)
		ways.last = last;
	return ways;
}

static void
add_number(Buffer *head, const char *name, int64_t number)
{
	buffer_text(head, ",\"");
	buffer_text(head, name);
	buffer_text(head, "\":");
	buffer_integer(head, number);
}

/* The version of the answer, and what was ignored. */
static void
add_marks(Request *request, const Reply *reply)
{
	Buffer *head = &request->answer.head;

	buffer_text(head, ",\"version\":");
	if (reply->version != NULL)
		buffer_json(head, reply->version, strlen(reply->version));
	else
		buffer_text(head, "null");
	if (reply->ignored != NULL)
	{
		buffer_text(head, ",\"ignored\":");
		buffer_text(head, reply->ignored);
	}
}

static void
add_meta(Request *request, const Reply *reply)
{
	Buffer *head = &request->answer.head;
	int64_t limit = reply->limit > 0 ? reply->limit : 1;

	add_number(head, "count", reply->count);
	add_number(head, "limit", reply->limit);
	add_number(head, "start", reply->returned > 0 ? reply->skip + 1 : 0);
	add_number(head, "end", reply->returned > 0 ? reply->skip + reply->returned : 0);
	add_number(head, "page", reply->skip < INT64_MAX ? reply->skip / limit + 1 : reply->skip);
	add_number(head, "pages", (reply->count + limit - 1) / limit);
	add_marks(request, reply);
}

/* Add one way, to the body as a member and to the header field by its relation of RFC 8288. */
static void
add_way(Request *request, const Reply *reply, const char *name, const char *relation, int64_t limit,
		int64_t offset)
{
	Buffer *tail = &request->answer.tail;
	Buffer *link = &request->answer.link;
	size_t start;

	if (offset == NOWHERE)
		return;
	envelope_member(request, name);
	buffer_append(tail, "\"", 1);
	start = tail->length;
	link_page(tail, request, limit, offset, reply->version);
	if (!tail->failed)
	{
		buffer_text(link, link->length > 0 ? ", <" : "<");
		buffer_append(link, tail->data + start, tail->length - start);
		buffer_format(link, ">; rel=\"%s\"", relation);
	}
	buffer_append(tail, "\"", 1);
}

/* The way to the first and the last record; what belongs to one record has no such paths. */
static void
add_ends(Request *request)
{
	static const char *const ends[][2] = {{"firstItem", "first"}, {"lastItem", "last"}};

	for (size_t i = 0; i < lengthof(ends) && request->route->call == CALL_LIST; i++)
	{
		envelope_member(request, ends[i][0]);
		buffer_text(&request->answer.tail, "\"");
		link_end(&request->answer.tail, request, ends[i][1]);
		buffer_text(&request->answer.tail, "\"");
	}
}

void
page_build(Request *request, const Reply *reply)
{
	Ways ways = find_ways(reply);
	const char *all[] = {reply->resource, NULL};
	bool whole = reply->returned >= reply->count;

	envelope_begin(request, whole ? MHD_HTTP_OK : MHD_HTTP_PARTIAL_CONTENT);
	add_meta(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	add_way(request, reply, "first", "first", reply->limit, ways.first);
	add_way(request, reply, "previous", "prev", ways.before, ways.previous);
	add_way(request, reply, "next", "next", reply->limit, ways.next);
	add_way(request, reply, "last", "last", reply->limit, ways.last);
	add_ends(request);
	envelope_link(request, "all", all);
	buffer_text(&request->answer.tail, "}}");
	if (whole)
		return;
	if (reply->returned > 0)
		request->answer.range =
			arena_format(&request->arena, "items %lld-%lld/%lld", (long long) reply->skip,
						 (long long) (reply->skip + reply->returned - 1), (long long) reply->count);
	else
		request->answer.range =
			arena_format(&request->arena, "items */%lld", (long long) reply->count);
}

/*
 * A search in all resources: how many records there are, some of each resource, and the way to
 * the list of each.
 */
void
page_search(Request *request, const Reply *reply)
{
	Answer *answer = &request->answer;
	bool whole = reply->returned >= reply->count;

	envelope_begin(request, whole ? MHD_HTTP_OK : MHD_HTTP_PARTIAL_CONTENT);
	add_number(&answer->head, "count", reply->count);
	add_number(&answer->head, "limit", reply->limit);
	add_marks(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	envelope_member(request, "collections");
	buffer_append(&answer->tail, "{", 1);
	for (const char *name = reply->relations; name != NULL && *name != '\0';)
	{
		size_t length = strcspn(name, ",");
		const char *resource = arena_text(&request->arena, name, length);

		envelope_member(request, resource);
		buffer_append(&answer->tail, "\"", 1);
		link_search(&answer->tail, request, resource);
		buffer_append(&answer->tail, "\"", 1);
		name += length + (name[length] == ',');
	}
	buffer_text(&answer->tail, "}}}");
	if (!whole)
		answer->range = arena_format(&request->arena, "items */%lld", (long long) reply->count);
}
