/*
 * link.c - absolute addresses, and the links of a record.
 */

#include "answer/envelope.h"
#include "net/framing.h"
#include "net/header.h"

/*
 * Is the host, with or without a port, one of the setting allowed_hosts?
 *
 * Links with any other host could be served to other clients from a cache.
 */
static bool
allowed_host(const char *hosts, const char *host)
{
	size_t name = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
	char copy[HOST_SIZE];

	if (name >= sizeof(copy) || name > strlen(host))
		return false;
	if (host[name] != '\0' &&
		(host[name] != ':' || host[name + 1 + strspn(host + name + 1, "0123456789")] != '\0'))
		return false;
	memcpy(copy, host, name);
	copy[name] = '\0';
	return text_has_word(hosts, copy);
}

/* The same for the Host of a request, which nearly always is that of the request before. */
static bool
may_be_linked(HttpThread *thread, const char *host)
{
	if (*host == '\0' || strcmp(host, thread->host) != 0)
	{
		if (!allowed_host(thread->settings->allowed_hosts, host))
			return false;
		if (strlen(host) < sizeof(thread->host))
			strcpy(thread->host, host);
	}
	return true;
}

void
link_base(Request *request)
{
	const Settings *settings = request->thread->settings;
	const char *host = proxy_host(request);
	const char *asked = request->headers[HEADER_HOST];

	if (host == NULL && asked != NULL && may_be_linked(request->thread, asked))
		host = asked;
	if (settings->base_url[0] != '\0')
		request->base = settings->base_url;
	else if (host != NULL)
		request->base = arena_join(&request->arena, proxy_scheme(request), "://", host);
	else
		request->base = arena_format(&request->arena, "http://127.0.0.1:%d", request->thread->port);
}

void
link_path(Buffer *buffer, const Request *request, const char *const *words)
{
	buffer_text(buffer, request->base);
	for (; *words != NULL; words++)
	{
		buffer_append(buffer, "/", 1);
		text_percent_encode(buffer, *words, strlen(*words));
	}
}

/* A word of the path at a name of the pattern; a record is linked by its id, not by a slug. */
static const char *
open_word(const Request *request, const char *name, int word)
{
	if (word == 0)
		return request->resource;
	return request->record_id != NULL && strncmp(name, "id", 2) == 0 ? request->record_id
																	 : request->path[word];
}

void
link_request(Buffer *buffer, const Request *request)
{
	const char *c = request->pattern;

	buffer_text(buffer, request->base);
	for (int word = 0; *c == '/'; word++)
	{
		size_t length = strcspn(++c, "/");

		buffer_append(buffer, "/", 1);
		if (*c != ':')
			buffer_append(buffer, c, length);
		else
		{
			const char *text = open_word(request, c + 1, word);

			text_percent_encode(buffer, text, strlen(text));
		}
		c += length;
	}
}

/* Does the parameter have one of the comma-separated names? */
static bool
is_named(const char *word, const char *names)
{
	size_t length = strcspn(word, "=&");
	char name[16];

	if (length >= sizeof(name))
		return false;
	memcpy(name, word, length);
	name[length] = '\0';
	return text_has_word(names, name);
}

/*
 * Append bytes of a query to a link; characters that could end a JSON string, or an address in a
 * header field, are percent-encoded.
 */
static void
append_query(Buffer *buffer, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
	{
		unsigned char c = (unsigned char) text[i];

		if (c <= ' ' || c >= 0x7F || strchr("\"\\<>^`{|}", c) != NULL)
			buffer_format(buffer, "%%%02X", c);
		else
			buffer_append(buffer, text + i, 1);
	}
}

/* Append the parameters of the request, except the named ones; returns the next separator. */
static const char *
append_words(Buffer *buffer, const Request *request, const char *without)
{
	const char *separator = "?";
	const char *rest = request->query;
	const char *word;
	size_t length;

	while ((word = text_query_word(&rest, &length)) != NULL)
	{
		if (is_named(word, without))
			continue;
		buffer_text(buffer, separator);
		append_query(buffer, word, length);
		separator = "&";
	}
	return separator;
}

void
link_page(Buffer *buffer, const Request *request, int64_t limit, int64_t skip, const char *version)
{
	link_request(buffer, request);
	buffer_text(buffer, append_words(buffer, request, "limit,skip,version,after,before"));
	buffer_text(buffer, "limit=");
	buffer_integer(buffer, limit);
	buffer_text(buffer, "&skip=");
	buffer_integer(buffer, skip);
	if (version != NULL)
	{
		buffer_text(buffer, "&version=");
		buffer_text(buffer, version);
	}
}

void
link_word(Buffer *buffer, const char *name, const char *value)
{
	buffer_text(buffer, "&");
	buffer_text(buffer, name);
	buffer_text(buffer, "=");
	append_query(buffer, value, strlen(value));
}

void
link_end(Buffer *buffer, const Request *request, const char *word)
{
	link_words(buffer, request, request->resource, word);
	append_words(buffer, request, "limit,skip,after,before");
}

void
link_all(Buffer *buffer, const Request *request)
{
	link_request(buffer, request);
	append_words(buffer, request, "limit,skip,version,after,before");
}

void
link_image(Buffer *buffer, const Request *request, const char *file)
{
	buffer_format(buffer, "%s/files/%s/image", request->base, file);
	append_words(buffer, request, "limit,skip,after,before");
}

void
link_search(Buffer *buffer, const Request *request, const char *resource)
{
	link_words(buffer, request, resource, "search");
	append_words(buffer, request, "resources,skip,after,before");
}

const char *
link_query(Request *request, const char *query)
{
	const char *rest = query;
	const char *word;
	size_t length;
	Buffer kept;

	if (strcasestr(query, "jwt") == NULL)
		return query;
	buffer_init(&kept, TARGET_MAXIMUM);
	while ((word = text_query_word(&rest, &length)) != NULL)
	{
		if (is_named(word, "jwt"))
			continue;
		buffer_append(&kept, "&", kept.length > 0);
		buffer_append(&kept, word, length);
	}
	return arena_take(&request->arena, &kept);
}

/*
 * ---- Links of a record ----
 *
 * The address of the record is encoded once; the other links copy it.
 */

/* What an action begins with in the list of what a client can do. */
#define ACTION_SIGN '+'

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
	if (buffer_room(tail, own->length))
		buffer_append(tail, tail->data + own->start, own->length);
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
 * Add the addresses of the words that begin with a sign, without it; '\0' for those that begin with
 * none.
 */
static void
add_words(Request *request, const Own *own, const char *words, char sign)
{
	const char *word;
	size_t size;

	while ((word = next_word(&words, &size)) != NULL)
		if (sign == '\0' && *word != ACTION_SIGN)
			add_below(request, own, word, size);
		else if (sign != '\0' && *word == sign)
			add_below(request, own, word + 1, size - 1);
}

/* Add them as an object of its own. */
static void
add_object(Request *request, const Own *own, const char *name, const char *words, char sign)
{
	Buffer *tail = &request->answer.tail;

	envelope_member(request, name);
	buffer_append(tail, "{", 1);
	add_words(request, own, words, sign);
	buffer_append(tail, "}", 1);
}

/* Add the addresses of sub-paths and actions. */
static void
add_paths(Request *request, const Own *own, const char *paths)
{
	if (paths == NULL)
		return;
	add_words(request, own, paths, '\0');
	if (strchr(paths, ACTION_SIGN) != NULL)
		add_object(request, own, "actions", paths, ACTION_SIGN);
}

void
link_add_of_item(Request *request, const Reply *reply)
{
	Buffer *tail = &request->answer.tail;
	Own own;

	envelope_member(request, "self");
	buffer_append(tail, "\"", 1);
	own.start = tail->length;
	link_words(tail, request, reply->resource, reply->id);
	own.length = tail->length - own.start;
	buffer_append(tail, "\"", 1);
	add_object(request, &own, "collections", reply->relations, '\0');
	add_paths(request, &own, reply->links);
}
