/*
 * statistics.c - one entry for each request: what it says, without credentials.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shim.h"

#define FIELD_MAXIMUM 4096 /* bytes: PostgreSQL cuts to characters, of four bytes at most */

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD, for what is no character that can be shown */

/* A request, as far as it is known; NULL for what is not. */
typedef struct Entry
{
	int64_t began; /* milliseconds of the monotonic clock */
	const char *method;
	const char *resource; /* NULL: the first word of the target */
	const char *target;
	const char *user;
	const char *agent;
	size_t agent_length;
	const char *address;
} Entry;

/* Append a field, with nothing in it that ends one or that PostgreSQL would refuse. */
static void
append_field(Buffer *lines, const char *bytes, size_t length)
{
	size_t start = 0;
	size_t i = 0;

	if (length > FIELD_MAXIMUM)
		for (length = FIELD_MAXIMUM; length > 0 && (bytes[length] & 0xC0) == 0x80;)
			length--;
	while (i < length)
	{
		unsigned char c = (unsigned char) bytes[i];
		size_t step;

		if (c >= ' ' && c < 0x7F)
		{
			i++;
			continue;
		}
		step = c < 0x80 ? 0 : text_character(bytes + i, length - i);
		i += step;
		if (step > 0)
			continue;
		buffer_append(lines, bytes + start, i - start);
		buffer_text(lines, REPLACEMENT);
		start = ++i;
	}
	buffer_append(lines, bytes + start, length - start);
}

static void
append_text(Buffer *lines, const char *text)
{
	if (text != NULL)
		append_field(lines, text, strlen(text));
	buffer_append(lines, "\t", 1);
}

/* Append resource, endpoint and querystring; what is no path may be anything, and is left out. */
static void
append_target(Buffer *lines, Buffer *words, const Entry *entry)
{
	const char *target = guard_path(entry->target);
	size_t path = *target == '/' ? strcspn(target, "?") : 0;
	size_t word = path > 0 ? strcspn(target + 1, "/?") : 0;

	if (entry->resource != NULL)
		append_field(lines, entry->resource, strlen(entry->resource));
	else if (word > 0)
		append_field(lines, target + 1, word);
	buffer_append(lines, "\t", 1);
	append_field(lines, target, path);
	buffer_append(lines, "\t", 1);
	if (path > 0 && target[path] == '?')
		redact_words(words, target + path);
	if (words->length > 0 && !words->failed)
		append_field(lines, words->data + 1, words->length - 1);
	buffer_append(lines, "\t", 1);
}

/* Add an entry. */
static void
add(Recorder *recorder, const Entry *entry)
{
	Buffer *lines = recorder_begin(recorder);

	if (lines == NULL)
		return;
	buffer_integer(lines, recorder_instant(recorder, entry->began));
	buffer_append(lines, "\t", 1);
	append_text(lines, entry->method);
	append_target(lines, recorder_words(recorder), entry);
	append_text(lines, entry->user);
	append_field(lines, entry->agent, entry->agent_length);
	buffer_append(lines, "\t", 1);
	append_field(lines, entry->address, strlen(entry->address));
	buffer_append(lines, "\n", 1);
	recorder_end(recorder);
}

void
statistics_request(Request *request)
{
	Recorder *recorder = request->worker->recorder;
	Entry entry = {.began = request->started,
				   .method = verb_names[request->verb],
				   .resource = *request->resource != '\0' ? request->resource : NULL,
				   .target = request->target,
				   .user = request->consumer ? request->consumer : request->user};

	if (recorder == NULL || request->recorded)
		return;
	request->recorded = true;
	entry.address = proxy_client(request);
	MHD_lookup_connection_value_n(request->client->connection, MHD_HEADER_KIND, "User-Agent",
								  strlen("User-Agent"), &entry.agent, &entry.agent_length);
	add(recorder, &entry);
}

/* The value of a header in lines that may be malformed, up to the end of its line; else NULL. */
static const char *
find_header(const char *lines, size_t length, const char *name, size_t *value_length)
{
	const char *end = lines + length;
	size_t size = strlen(name);

	while ((lines = memchr(lines, '\n', (size_t) (end - lines))) != NULL)
	{
		const char *stop;

		lines++;
		if ((size_t) (end - lines) <= size || strncasecmp(lines, name, size) != 0 ||
			lines[size] != ':')
			continue;
		for (lines += size + 1; lines < end && *lines == ' ';)
			lines++;
		for (stop = lines; stop < end && *stop != '\r' && *stop != '\n';)
			stop++;
		*value_length = (size_t) (stop - lines);
		return lines;
	}
	return NULL;
}

/* The verb of the first word of bytes. */
static Verb
verb_of(const char *bytes, size_t length)
{
	for (Verb verb = 0; verb < VERB_OTHER; verb++)
		if (strlen(verb_names[verb]) == length && memcmp(bytes, verb_names[verb], length) == 0)
			return verb;
	return VERB_OTHER;
}

void
statistics_refused(Worker *worker, int socket, const char *bytes, size_t length)
{
	const char *end = memchr(bytes, '\n', length);
	const char *space = memchr(bytes, ' ', end ? (size_t) (end - bytes) : length);
	char address[ADDRESS_SIZE];
	char target[TARGET_MAXIMUM] = "";
	Entry entry = {.began = worker->now,
				   .method = verb_names[VERB_OTHER],
				   .target = target,
				   .address = address};

	if (worker->recorder == NULL)
		return;
	if (space != NULL)
	{
		size_t rest = (size_t) ((end ? end : bytes + length) - space - 1);

		rest = rest < sizeof(target) ? rest : sizeof(target) - 1;
		memcpy(target, space + 1, rest);
		target[rest] = '\0';
		target[strcspn(target, " \r")] = '\0';
		entry.method = verb_names[verb_of(bytes, (size_t) (space - bytes))];
	}
	client_peer(socket, address, sizeof(address));
	entry.agent = find_header(bytes, length, "User-Agent", &entry.agent_length);
	add(worker->recorder, &entry);
}
