/*
 * list_links.c - the envelope of a list: which page it is, and the way to the others.
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define NOWHERE (-1) /* offset of a page that is not there */

/* A way to another page of the list. */
typedef struct Way
{
	const char *name;
	const char *relation; /* of RFC 8288 */
	int64_t limit;
	int64_t offset;
	const char *key; /* word that says at which record the page ends or begins, and its value */
	const char *value;
} Way;

typedef enum WayName
{
	FIRST,
	PREVIOUS,
	NEXT,
	LAST,
	WAYS
} WayName;

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

/* Where the page before begins; what would reach into this one is cut off. */
static void
find_previous(const Reply *reply, int64_t last, Way *way)
{
	way->offset = reply->skip - reply->limit;
	if (way->offset < 0)
	{
		way->offset = 0;
		way->limit = reply->skip;
	}
	if (way->offset > last)
		way->offset = last;
	else if (reply->returned > 0)
		way->value = reply->previous;
}

static void
find_ways(const Reply *reply, Way *ways)
{
	int64_t last;

	if (reply->limit <= 0)
		return;
	last = last_offset(reply);
	if (reply->skip > 0)
	{
		ways[FIRST].offset = 0;
		find_previous(reply, last, &ways[PREVIOUS]);
	}
	if (reply->skip + reply->returned < reply->count && reply->skip < last)
	{
		ways[NEXT].offset = reply->skip + reply->limit;
		ways[NEXT].value = reply->next;
	}
	if (last != reply->skip)
		ways[LAST].offset = last;
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
	envelope_ignored(request, reply);
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

/* Add one way, to the body as a member and to the header field by its relation. */
static void
add_way(Request *request, const Reply *reply, const Way *way)
{
	Buffer *tail = &request->answer.tail;
	Buffer *link = &request->answer.link;
	size_t start;

	envelope_member(request, way->name);
	buffer_append(tail, "\"", 1);
	start = tail->length;
	link_page(tail, request, way->limit, way->offset, reply->version);
	if (way->value != NULL)
		link_word(tail, way->key, way->value);
	if (!tail->failed)
	{
		buffer_text(link, link->length > 0 ? ", <" : "<");
		buffer_append(link, tail->data + start, tail->length - start);
		buffer_format(link, ">; rel=\"%s\"", way->relation);
	}
	buffer_append(tail, "\"", 1);
}

static void
add_ways(Request *request, const Reply *reply)
{
	Way ways[WAYS] = {
		[FIRST] = {"first", "first", reply->limit, NOWHERE, NULL, NULL},
		[PREVIOUS] = {"previous", "prev", reply->limit, NOWHERE, "before", NULL},
		[NEXT] = {"next", "next", reply->limit, NOWHERE, "after", NULL},
		[LAST] = {"last", "last", reply->limit, NOWHERE, NULL, NULL},
	};

	find_ways(reply, ways);
	for (WayName i = 0; i < WAYS; i++)
		if (ways[i].offset != NOWHERE)
			add_way(request, reply, &ways[i]);
}

/*
 * The way to the first and the last record, to the number of all and to the search among them; what
 * belongs to one record has no such paths.
 */
static void
add_ends(Request *request)
{
	static const char *const ends[][2] = {
		{"firstItem", "first"}, {"lastItem", "last"}, {"count", "count"}};
	const char *search[] = {request->resource, "search", NULL};

	if (request->route->call != CALL_LIST)
		return;
	for (size_t i = 0; i < lengthof(ends); i++)
	{
		envelope_member(request, ends[i][0]);
		buffer_text(&request->answer.tail, "\"");
		link_end(&request->answer.tail, request, ends[i][1]);
		buffer_text(&request->answer.tail, "\"");
	}
	envelope_link(request, "search", search);
}

/* The way to all rows of a file, and to the file. */
static void
add_rows(Request *request, const Reply *reply)
{
	const char *file[] = {reply->resource, reply->id, NULL};

	envelope_member(request, "all");
	buffer_text(&request->answer.tail, "\"");
	link_request(&request->answer.tail, request);
	buffer_text(&request->answer.tail, "\"");
	envelope_link(request, "file", file);
}

/* Does the query say how many?  0 says nothing. */
static bool
is_limited(const Request *request)
{
	const char *query = request->query;
	const char *word;
	size_t length;

	while ((word = text_query_word(&query, &length)) != NULL)
		if (length > 6 && strncmp(word, "limit=", 6) == 0 && (length != 7 || word[6] != '0'))
			return true;
	return false;
}

/*
 * Rows of a file are given all, where no limit is set, as another type than JSON; the answer to
 * HEAD says so too, although a page was asked for.
 */
static Reply
unlimited(const Reply *reply)
{
	Reply all = *reply;

	all.limit = 0;
	all.returned = reply->count > reply->skip ? reply->count - reply->skip : 0;
	return all;
}

void
page_build(Request *request, const Reply *page)
{
	bool streams = request->format != NULL && request->route->call == CALL_CONTENTS;
	const Reply all_rows = unlimited(page);
	const Reply *reply = streams && !is_limited(request) ? &all_rows : page;
	const char *all[] = {reply->resource, NULL};
	bool whole = reply->returned >= reply->count;

	envelope_begin(request, whole ? MHD_HTTP_OK : MHD_HTTP_PARTIAL_CONTENT);
	add_meta(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	add_ways(request, reply);
	add_ends(request);
	if (request->route->envelope == ENVELOPE_ROWS)
		add_rows(request, reply);
	else
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
