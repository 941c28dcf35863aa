/*
 * envelope.c - meta, data and links around the bytes of a reply, and the links of lists.
 *
 * Those bytes are not parsed, and copied as little as possible: they stay in the PGresult until they
 * are sent.
 */

#include <jansson.h>

#include "answer/answer.h"
#include "answer/envelope.h"

#define NOTES_MAXIMUM 4096 /* bytes of a header field of notes */

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
envelope_path(Request *request, const char *name, const char *const *words)
{
	Buffer *tail = &request->answer.tail;

	envelope_member(request, name);
	buffer_append(tail, "\"", 1);
	link_path(tail, request, words);
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

/* Add the further members of "meta" of a reply. */
static void
add_further(Request *request, const Reply *reply)
{
	if (reply->meta == NULL)
		return;
	buffer_text(&request->answer.head, ",");
	buffer_text(&request->answer.head, reply->meta);
}

/* Add what only some replies have to meta. */
static void
add_members(Request *request, const Reply *reply)
{
	add_further(request, reply);
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

/* Begin an envelope with meta and data. */
static void
begin_with(Request *request, const Reply *reply, int status)
{
	envelope_begin(request, status);
	add_meta(request, reply);
	envelope_data(request, reply->data, reply->data_length);
}

void
envelope_item(Request *request, const Reply *reply)
{
	begin_with(request, reply, MHD_HTTP_OK);
	envelope_link(request, "all", reply->resource);
	link_add_of_item(request, reply);
	buffer_text(&request->answer.tail, "}}");
}

/* The envelope of a count and of a deletion. */
void
envelope_link_to_all(Request *request, const Reply *reply)
{
	begin_with(request, reply, MHD_HTTP_OK);
	envelope_link(request, "all", reply->resource);
	buffer_text(&request->answer.tail, "}}");
}

void
envelope_related(Request *request, const Reply *reply)
{
	if (reply->is_list)
		envelope_page_links(request, reply);
	else if (request->format != NULL && !request->takes_json)
		(void) error_set(request, 406, NULL);
	else
	{
		request->format = NULL;
		envelope_item(request, reply);
	}
}

/* The envelope of a write: with the record only if that was requested, without addresses if the caller does not see it. */
void
envelope_written(Request *request, const Reply *reply)
{
	bool created = request->route->envelope == ENVELOPE_CREATED;

	begin_with(request, reply, created ? MHD_HTTP_CREATED : MHD_HTTP_OK);
	if (reply->links == NULL || strcmp(reply->links, "-") != 0)
	{
		envelope_link(request, "record", reply->resource, reply->id);
		envelope_link(request, "all", reply->resource);
		if (created)
			request->answer.location = arena_format(&request->arena, "%s/%s/%s", request->base,
													reply->resource, reply->id);
	}
	buffer_text(&request->answer.tail, "}}");
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
	answer_status(request, MHD_HTTP_ACCEPTED);
	buffer_format(&request->answer.head,
				  "{\"meta\":{\"code\":\"%s\",\"message\":\"this will be done\"",
				  error_code_of(MHD_HTTP_ACCEPTED));
	envelope_ignored(request, reply);
	envelope_data(request, NULL, 0);
	if (reply->id != NULL)
	{
		envelope_link(request, "job", "jobs", reply->id);
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
		envelope_path(request, links[i].name, links[i].words);
	buffer_text(&request->answer.tail, "}}");
}

/* The contents of a file: only the status, since the header fields are set already. */
void
envelope_stream(Request *request, const Reply *reply)
{
	envelope_begin(request, MHD_HTTP_OK);
}

/*
 * The notes are an array in JSON, with letters beyond ASCII as \u; of more than a header field should
 * have, the first ones.
 */
void
envelope_notes(Request *request, const Reply *reply)
{
	Arena *arena = &request->arena;
	json_t *meta =
		reply->meta == NULL ? NULL : json_loads(arena_join(arena, "{", reply->meta, "}"), 0, NULL);
	json_t *notes = json_object_get(meta, "notes");
	char *text = NULL;

	while (json_array_size(notes) > 0)
	{
		free(text);
		text = json_dumps(notes, JSON_COMPACT | JSON_ENSURE_ASCII);
		if (text == NULL || strlen(text) <= NOTES_MAXIMUM)
			break;
		json_array_remove(notes, json_array_size(notes) - 1);
	}
	if (json_array_size(notes) > 0)
		answer_field(request, "Catalogue-Notes", arena_join(arena, text));
	free(text);
	json_decref(meta);
}

/* A document, and the feed of datasets, has no envelope.  A picture has its style in it, and nothing in it is run. */
void
envelope_document(Request *request, const Reply *reply)
{
	Answer *answer = &request->answer;

	answer_status(request, MHD_HTTP_OK);
	answer->type =
		request->document ? request->document->field : "application/rss+xml; charset=utf-8";
	envelope_notes(request, reply);
	if (request->document != NULL && strcmp(request->document->type, "image") == 0)
		answer_field(request, "Content-Security-Policy", POLICY_SANDBOX);
	answer->data = reply->data;
	answer->data_length = reply->data_length;
	compress_body(request);
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
	envelope_notes(request, reply);
	answer->type = "application/vnd.mapbox-vector-tile";
	answer->data = (const char *) bytes;
	answer->data_length = length < 0 ? 0 : (size_t) length;
}

#define NO_PAGE (-1) /* offset of a page that does not exist */

/* A link to another page of the list. */
typedef struct PageLink
{
	const char *name;
	const char *relation; /* of RFC 8288 */
	int64_t limit;
	int64_t offset;
	const char *key; /* parameter for the record at which the page ends or begins, and its value */
	const char *value;
} PageLink;

typedef enum PageName
{
	PAGE_FIRST,
	PAGE_PREVIOUS,
	PAGE_NEXT,
	PAGE_LAST,
	PAGES
} PageName;

/*
 * The offset of the last page, a whole number of pages from this one, so that a client that follows
 * "next" arrives there.
 */
static int64_t
last_offset(const Reply *reply)
{
	int64_t phase = reply->skip % reply->limit;

	if (reply->count <= phase)
		return 0;
	return phase + (reply->count - 1 - phase) / reply->limit * reply->limit;
}

/* Set the offset of the previous page; its limit is reduced if it would overlap this one. */
static void
find_previous(const Reply *reply, int64_t last, PageLink *link)
{
	link->offset = reply->skip - reply->limit;
	if (link->offset < 0)
	{
		link->offset = 0;
		link->limit = reply->skip;
	}
	if (link->offset > last)
		link->offset = last;
	else if (reply->returned > 0)
		link->value = reply->previous;
}

static void
find_links(const Reply *reply, PageLink *links)
{
	bool known = reply->count >= 0;
	int64_t last;

	if (reply->limit <= 0)
		return;
	last = known ? last_offset(reply) : INT64_MAX;
	if (reply->skip > 0)
	{
		links[PAGE_FIRST].offset = 0;
		find_previous(reply, last, &links[PAGE_PREVIOUS]);
	}
	if (known ? reply->skip + reply->returned < reply->count && reply->skip < last
			  : reply->returned == reply->limit)
	{
		links[PAGE_NEXT].offset = reply->skip + reply->limit;
		links[PAGE_NEXT].value = reply->next;
	}
	if (known && last != reply->skip)
		links[PAGE_LAST].offset = last;
}

/* Add a number as a member of "meta"; below 0 it is not known. */
static void
add_number(Buffer *head, const char *name, int64_t number)
{
	buffer_text(head, ",\"");
	buffer_text(head, name);
	buffer_text(head, "\":");
	if (number >= 0)
		buffer_integer(head, number);
	else
		buffer_text(head, "null");
}

/* Add the version, and the names that were ignored. */
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
add_list_meta(Request *request, const Reply *reply)
{
	Buffer *head = &request->answer.head;
	int64_t limit = reply->limit > 0 ? reply->limit : 1;

	add_number(head, "count", reply->count);
	add_number(head, "limit", reply->limit);
	add_number(head, "start", reply->returned > 0 ? reply->skip + 1 : 0);
	add_number(head, "end", reply->returned > 0 ? reply->skip + reply->returned : 0);
	add_number(head, "page", reply->skip < INT64_MAX ? reply->skip / limit + 1 : reply->skip);
	add_number(head, "pages", reply->count >= 0 ? (reply->count + limit - 1) / limit : -1);
	add_marks(request, reply);
	add_further(request, reply);
}

/* Add a link, as a member of the body and to the Link header field. */
static void
add_page_link(Request *request, const Reply *reply, const PageLink *link)
{
	Buffer *tail = &request->answer.tail;
	Buffer *field = &request->answer.link;
	size_t start;

	envelope_member(request, link->name);
	buffer_append(tail, "\"", 1);
	start = tail->length;
	link_page(tail, request, link->limit, link->offset, reply->version);
	if (link->value != NULL)
		link_word(tail, link->key, link->value);
	if (!tail->failed)
	{
		buffer_text(field, field->length > 0 ? ", <" : "<");
		buffer_append(field, tail->data + start, tail->length - start);
		buffer_format(field, ">; rel=\"%s\"", link->relation);
	}
	buffer_append(tail, "\"", 1);
}

static void
add_page_links(Request *request, const Reply *reply)
{
	PageLink links[PAGES] = {
		[PAGE_FIRST] = {"first", "first", reply->limit, NO_PAGE, NULL, NULL},
		[PAGE_PREVIOUS] = {"previous", "prev", reply->limit, NO_PAGE, "before", NULL},
		[PAGE_NEXT] = {"next", "next", reply->limit, NO_PAGE, "after", NULL},
		[PAGE_LAST] = {"last", "last", reply->limit, NO_PAGE, NULL, NULL},
	};

	find_links(reply, links);
	for (PageName i = 0; i < PAGES; i++)
		if (links[i].offset != NO_PAGE)
			add_page_link(request, reply, &links[i]);
}

/* Add the addresses of the records of the page; of an earlier version, as they were then. */
static void
add_items(Request *request, const Reply *reply)
{
	Buffer *tail = &request->answer.tail;
	const char *ids = reply->links;
	bool earlier = strstr(request->query, "version=") != NULL && reply->version != NULL;

	if (request->route->envelope == ENVELOPE_ROWS || (ids == NULL && reply->returned > 0))
		return;
	envelope_member(request, "items");
	buffer_append(tail, "[", 1);
	while (ids != NULL && *ids != '\0')
	{
		size_t length = strcspn(ids, ",");

		buffer_text(tail, ids == reply->links ? "\"" : ",\"");
		link_words(tail, request, reply->resource, arena_text(&request->arena, ids, length));
		if (earlier)
			buffer_format(tail, "?version=%s", reply->version);
		buffer_append(tail, "\"", 1);
		ids += length + (ids[length] == ',');
	}
	buffer_append(tail, "]", 1);
}

/* Add links to the first and last record, the count and the search, which only resources have. */
static void
add_ends(Request *request, const Reply *reply)
{
	static const char *const ends[][2] = {
		{"firstItem", "first"}, {"lastItem", "last"}, {"count", "count"}};

	if (request->route->call != CALL_LIST)
		return;
	/* an empty list has neither a first record nor a last one */
	for (size_t i = reply->count != 0 ? 0 : 2; i < lengthof(ends); i++)
	{
		envelope_member(request, ends[i][0]);
		buffer_text(&request->answer.tail, "\"");
		link_end(&request->answer.tail, request, ends[i][1]);
		buffer_text(&request->answer.tail, "\"");
	}
	envelope_link(request, "search", request->resource, "search");
}

/* Add links to all rows, and to the file or other record that they are of. */
static void
add_rows(Request *request, const Reply *reply)
{
	envelope_member(request, "all");
	buffer_text(&request->answer.tail, "\"");
	/* which changes there are depends on the query */
	if (request->route->call == CALL_CHANGES)
		link_all(&request->answer.tail, request);
	else
		link_request(&request->answer.tail, request);
	buffer_text(&request->answer.tail, "\"");
	if (reply->links != NULL && strcmp(reply->links, "image") == 0)
	{
		envelope_member(request, "image");
		buffer_text(&request->answer.tail, "\"");
		link_image(&request->answer.tail, request, reply->id);
		buffer_text(&request->answer.tail, "\"");
	}
	envelope_link(request, strcmp(reply->resource, "files") == 0 ? "file" : "record",
				  reply->resource, reply->id);
}

/* Does the query have a limit?  0 means none. */
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
 * The reply as if all rows had been requested: without a limit, all rows of a file are sent in types
 * other than JSON, and the answer to HEAD must be the same although it was made from a page.
 */
static Reply
unlimited(const Reply *reply)
{
	Reply all = *reply;

	all.limit = 0;
	all.returned = reply->count > reply->skip ? reply->count - reply->skip : 0;
	return all;
}

/* The reply that "meta" and the links are about: that of a page, or of all rows if those are sent.  A type other than JSON
 * has all changes, whatever page is requested. */
static Reply
reply_in_meta(const Request *request, const Reply *page)
{
	Reply all = *page;

	all.skip = 0;
	if (request->format != NULL && request->route->call == CALL_CHANGES)
		return unlimited(&all);
	if (request->format != NULL && request->route->call == CALL_CONTENTS && !is_limited(request))
		return unlimited(page);
	return *page;
}

/* Has the page all records? */
static bool
is_whole(const Reply *reply)
{
	return reply->count >= 0 && reply->returned >= reply->count;
}

/* Tell which records of how many the page has; "*" is a number that is not known. */
static void
tell_range(Request *request, const Reply *reply)
{
	Arena *arena = &request->arena;
	const char *count =
		reply->count >= 0 ? arena_format(arena, "%lld", (long long) reply->count) : "*";

	request->answer.range =
		reply->returned > 0 && request->route->envelope != ENVELOPE_SEARCH
			? arena_format(arena, "items %lld-%lld/%s", (long long) reply->skip,
						   (long long) (reply->skip + reply->returned - 1), count)
			: arena_join(arena, "items */", count);
}

void
envelope_page_links(Request *request, const Reply *page)
{
	const Reply in_meta = reply_in_meta(request, page);
	const Reply *reply = &in_meta;
	bool whole = is_whole(reply);

	envelope_begin(request, whole ? MHD_HTTP_OK : MHD_HTTP_PARTIAL_CONTENT);
	add_list_meta(request, reply);
	envelope_data(request, reply->data, reply->data_length);
	add_page_links(request, reply);
	add_items(request, reply);
	add_ends(request, reply);
	if (request->route->envelope == ENVELOPE_ROWS)
		add_rows(request, reply);
	else
		envelope_link(request, "all", reply->resource);
	buffer_text(&request->answer.tail, "}}");
	if (!whole)
		tell_range(request, reply);
}

/*
 * A search in all resources: the number of records, some of each resource, and a link to the list
 * of each.
 */
void
envelope_search_links(Request *request, const Reply *reply)
{
	Answer *answer = &request->answer;
	bool whole = is_whole(reply);

	envelope_begin(request, whole ? MHD_HTTP_OK : MHD_HTTP_PARTIAL_CONTENT);
	add_number(&answer->head, "count", reply->count);
	add_number(&answer->head, "limit", reply->limit);
	add_marks(request, reply);
	add_further(request, reply);
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
		tell_range(request, reply);
}
