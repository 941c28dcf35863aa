/*
 * item_links.c - links of a record: its own address, its relations, what the caller can do with it.
 *
 * The record's own address is made once; those behind it are copied from where it stands.
 */
#include <string.h>

#include "shim.h"

/* Where the address of a record stands in the links. */
typedef struct Own
{
	size_t start;
	size_t length;
} Own;

/* Add a member of a word that is the same in JSON and in an address. */
static void
add_plain(Buffer *tail, const Own *own, const char *word, size_t size)
{
	size_t more = own->length + 2 * size + strlen("\"\":\"/\"");
	char *end;

	if (!buffer_room(tail, more))
		return;
	end = tail->data + tail->length;
	tail->length += more;
	*end++ = '"';
	end = mempcpy(end, word, size);
	end = mempcpy(end, "\":\"", 3);
	end = mempcpy(end, tail->data + own->start, own->length);
	*end++ = '/';
	end = mempcpy(end, word, size);
	*end = '"';
}

/* Add a member whose value is an address behind the record's own, which stands in the links. */
static void
add_behind(Request *request, const Own *own, const char *word, size_t size)
{
	Buffer *tail = &request->answer.tail;

	if (tail->length > 0 && tail->data[tail->length - 1] != '{')
		buffer_append(tail, ",", 1);
	if (text_is_unreserved(word, size))
	{
		add_plain(tail, own, word, size);
		return;
	}
	buffer_json(tail, word, size);
	buffer_append(tail, ":\"", 2);
	buffer_repeat(tail, own->start, own->length);
	buffer_append(tail, "/", 1);
	text_percent_encode(tail, word, size);
	buffer_append(tail, "\"", 1);
}

/* The next word of a list with commas between, and its bytes; NULL at the end. */
static const char *
next_word(const char **list, size_t *size)
{
	const char *word = *list;

	if (word == NULL || *word == '\0')
		return NULL;
	*size = (size_t) (strchrnul(word, ',') - word);
	*list = word + *size + (word[*size] == ',');
	return word;
}

/* The addresses of the record's relations. */
static void
add_collections(Request *request, const Own *own, const char *relations)
{
	Buffer *tail = &request->answer.tail;
	const char *word;
	size_t size;

	envelope_member(request, "collections");
	buffer_append(tail, "{", 1);
	while ((word = next_word(&relations, &size)) != NULL)
		add_behind(request, own, word, size);
	buffer_append(tail, "}", 1);
}

/* The addresses of the actions that the caller may do. */
static void
add_actions(Request *request, const Own *own, const char *ways)
{
	Buffer *tail = &request->answer.tail;
	const char *word;
	size_t size;

	envelope_member(request, "actions");
	buffer_append(tail, "{", 1);
	while ((word = next_word(&ways, &size)) != NULL)
		if (*word == '+')
			add_behind(request, own, word + 1, size - 1);
	buffer_append(tail, "}", 1);
}

/* Where the client can go on from the record. */
static void
add_ways(Request *request, const Own *own, const char *ways)
{
	const char *rest = ways;
	const char *word;
	size_t size;

	if (ways == NULL)
		return;
	while ((word = next_word(&rest, &size)) != NULL)
		if (*word != '+')
			add_behind(request, own, word, size);
	if (strchr(ways, '+') != NULL)
		add_actions(request, own, ways);
}

void
item_links_add(Request *request, const Reply *reply)
{
	Buffer *tail = &request->answer.tail;
	const char *self[] = {reply->resource, reply->id, NULL};
	Own own;

	envelope_member(request, "self");
	buffer_append(tail, "\"", 1);
	own.start = tail->length;
	link_words(tail, request, self);
	own.length = tail->length - own.start;
	buffer_append(tail, "\"", 1);
	add_collections(request, &own, reply->relations);
	add_ways(request, &own, reply->ways);
}
