/*
 * item_links.c - links of a record: itself, its relations, and the actions that are allowed.
 *
 * The address of the record is encoded once; the other links copy it.
 */
#include <string.h>

#include "answer/envelope.h"

/* What an action begins with in the list of what a client can do. */
#define ACTION_MARK '+'

/* The position of the record's address in the links. */
typedef struct Own
{
	size_t start;
	size_t length;
} Own;

/* Add a member whose name needs no escaping in JSON and in an address. */
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

/* Add a member whose value is the record's address followed by the word. */
static void
add_below(Request *request, const Own *own, const char *word, size_t size)
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

/* The next word of a comma-separated list; NULL at the end. */
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

/*
 * Add the addresses of the words that begin with a mark, without it; '\0' for those that begin with
 * none.
 */
static void
add_words(Request *request, const Own *own, const char *words, char mark)
{
	const char *word;
	size_t size;

	while ((word = next_word(&words, &size)) != NULL)
		if (mark == '\0' && *word != ACTION_MARK)
			add_below(request, own, word, size);
		else if (mark != '\0' && *word == mark)
			add_below(request, own, word + 1, size - 1);
}

/* Add them as an object of its own. */
static void
add_object(Request *request, const Own *own, const char *name, const char *words, char mark)
{
	Buffer *tail = &request->answer.tail;

	envelope_member(request, name);
	buffer_append(tail, "{", 1);
	add_words(request, own, words, mark);
	buffer_append(tail, "}", 1);
}

/* Add the addresses of sub-paths and actions. */
static void
add_paths(Request *request, const Own *own, const char *paths)
{
	if (paths == NULL)
		return;
	add_words(request, own, paths, '\0');
	if (strchr(paths, ACTION_MARK) != NULL)
		add_object(request, own, "actions", paths, ACTION_MARK);
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
	add_object(request, &own, "collections", reply->relations, '\0');
	add_paths(request, &own, reply->links);
}
