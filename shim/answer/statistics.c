/*
 * statistics.c - an entry for each request, without credentials.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "answer/answer.h"
#include "database/clients.h"
#include "log/log.h"
#include "net/header.h"

#define FIELD_MAXIMUM 4096 /* bytes: PostgreSQL cuts to characters, of four bytes at most */

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD, for what is no character that can be shown */

/* What is known of a request; NULL: not known. */
typedef struct Entry
{
	int64_t began; /* milliseconds of the monotonic clock */
	const char *method;
	const char *resource; /* NULL: the first word of the target */
	const char *target;
	const char *user;
	const char *agent;
	const char *address;
} Entry;

/* Append a field; what would end it, or what PostgreSQL would refuse, is replaced. */
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

/* Append resource, endpoint and query string; a target that is not a path is left out. */
static void
append_target(Buffer *lines, Buffer *words, const Entry *entry)
{
	const char *target = header_target_path(entry->target);
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
		log_redact_query(words, target + path);
	if (words->length > 0 && !words->failed)
		append_field(lines, words->data + 1, words->length - 1);
	buffer_append(lines, "\t", 1);
}

/* Add an entry. */
static void
add(StatisticsBatch *statistics, const Entry *entry)
{
	Buffer *lines = statistics_batch_begin(statistics);

	if (lines == NULL)
		return;
	buffer_integer(lines, statistics_batch_instant(statistics, entry->began));
	buffer_append(lines, "\t", 1);
	append_text(lines, entry->method);
	append_target(lines, statistics_batch_scratch(statistics), entry);
	append_text(lines, entry->user);
	append_text(lines, entry->agent);
	append_field(lines, entry->address, strlen(entry->address));
	buffer_append(lines, "\n", 1);
	statistics_batch_end(statistics);
}

void
statistics_request(Request *request)
{
	StatisticsBatch *statistics = request->worker->statistics;
	Entry entry = {.began = request->started,
				   .method = verb_names[request->verb],
				   .resource = *request->resource != '\0' ? request->resource : NULL,
				   .target = request->target,
				   .user = request->consumer ? request->consumer : request->user,
				   .agent = request->headers[HEADER_USER_AGENT]};

	if (statistics == NULL || request->recorded)
		return;
	request->recorded = true;
	entry.address = proxy_client(request);
	add(statistics, &entry);
}
