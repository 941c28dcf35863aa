/*
 * access_log.c - what is kept of a request: its line in the log, and its entry in the statistics.
 */

#include <jansson.h>

#include "answer/answer.h"
#include "database/clients.h"
#include "log/log.h"
#include "net/header.h"

#define FIELD_MAXIMUM 4096 /* bytes: PostgreSQL cuts to characters, of four bytes at most */

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD, for what is no character that can be shown */

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
append_target(Buffer *lines, Buffer *words, const Request *request)
{
	const char *target = header_target_path(request->target);
	size_t path = *target == '/' ? strcspn(target, "?") : 0;
	size_t word = path > 0 ? strcspn(target + 1, "/?") : 0;

	if (*request->resource != '\0')
		append_field(lines, request->resource, strlen(request->resource));
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

void
access_log_count(Request *request)
{
	StatisticsBatch *statistics = request->thread->statistics;
	const Caller *caller = &request->caller;
	const char *address;
	Buffer *lines;

	if (statistics == NULL || request->recorded)
		return;
	request->recorded = true;
	lines = statistics_batch_begin(statistics);
	if (lines == NULL)
		return;
	buffer_integer(lines, statistics_batch_instant(statistics, request->started));
	buffer_append(lines, "\t", 1);
	append_text(lines, verb_names[request->verb]);
	append_target(lines, statistics_batch_scratch(statistics), request);
	append_text(lines, caller->consumer ? caller->consumer : caller->user);
	append_text(lines, request->headers[HEADER_USER_AGENT]);
	address = proxy_client(request);
	append_field(lines, address, strlen(address));
	buffer_append(lines, "\n", 1);
	statistics_batch_end(statistics);
}

#define LOGGED_MAXIMUM (2 << 20) /* bytes of a body in the log */

/* Calls that have log events of their own. */
static const struct
{
	CallName call;
	LogLevel level;
	const char *event;
	const char *failure;
} events[] = {
	{CALL_CREATE, LOG_INFO, "creation of a resource", "error in the creation of a resource"},
	{CALL_UPDATE, LOG_INFO, "edit of a resource", "error in the edit of a resource"},
	{CALL_ACT, LOG_INFO, "edit of a resource", "error in the edit of a resource"},
	{CALL_UNDO, LOG_INFO, "edit of a resource", "error in the edit of a resource"},
	{CALL_RESTORE, LOG_INFO, "edit of a resource", "error in the edit of a resource"},
	{CALL_DELETE, LOG_INFO, "deletion of a resource", "error in the deletion of a resource"},
	{CALL_DEACTIVATE, LOG_INFO, "deletion of a resource", "error in the deletion of a resource"},
	{CALL_DOWNLOAD, LOG_VERBOSE, "download of a file", NULL},
	{CALL_ARCHIVE, LOG_VERBOSE, "download of a file", NULL},
	{CALL_MAP_DOWNLOAD, LOG_VERBOSE, "download of a map", NULL},
	{CALL_PICTURE, LOG_VERBOSE, "picture as PNG", NULL},
};

/* Path of the record that the request has created, "" if it has not. */
static const char *
created_path(const Request *request)
{
	const Answer *answer = &request->answer;

	if (answer->status != MHD_HTTP_CREATED || answer->location == NULL)
		return "";
	return answer->location + strlen(request->base) + 1;
}

/*
 * Is the refusal of a change an error?  Without a credential, or with a verb that the path does not
 * have, no change was begun.
 */
static bool
is_failure(const Request *request)
{
	int status = request->answer.status;

	return status != MHD_HTTP_METHOD_NOT_ALLOWED && status != MHD_HTTP_NOT_IMPLEMENTED &&
		   (status != MHD_HTTP_UNAUTHORIZED || request->caller.user != NULL);
}

/* Write the line of a call that has an event of its own. */
static void
log_own_event(Request *request)
{
	bool good = request->answer.status < 400;

	for (size_t i = 0; i < lengthof(events) && request->route != NULL; i++)
	{
		if (request->route->call != events[i].call)
			continue;
		if (good)
			log_redact_request(request, events[i].level, events[i].event, "%s",
							   created_path(request));
		else if (events[i].failure != NULL && is_failure(request))
			log_redact_request(request, LOG_ERROR, events[i].failure, "%s",
							   request->answer.message ? request->answer.message : "");
	}
}

static enum MHD_Result
add_answer_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	log_redact_header(cls, name, value);
	return MHD_YES;
}

/* The body may be in one piece already; otherwise its pieces are joined here. */
static void
log_whole_answer(Request *request, struct MHD_Response *response)
{
	Answer *answer = &request->answer;
	json_t *headers = json_object();
	Buffer whole;

	buffer_init(&whole, LOGGED_MAXIMUM);
	buffer_append(&whole, answer->head.data, answer->head.length);
	if (!answer->joined)
	{
		buffer_append(&whole, answer->data, answer->data_length);
		buffer_append(&whole, answer->tail.data, answer->tail.length);
	}
	MHD_get_response_headers(response, add_answer_header, headers);
	log_redact_message(request, "answer", headers, whole.data, whole.failed ? 0 : whole.length);
	buffer_free(&whole);
}

void
access_log_answer(Request *request, struct MHD_Response *response)
{
	const Log *log = request->thread->settings->log;
	const Answer *answer = &request->answer;
	const char *path = created_path(request);
	const char *message = answer->message ? answer->message : error_message_of(answer->status);
	json_t *headers;

	log_own_event(request);
	/* 501 is no failure of the service */
	if (answer->status >= 500 && answer->status != MHD_HTTP_NOT_IMPLEMENTED && !request->logged)
		log_redact_request(request, LOG_ERROR, "error", "%s", message);
	log_redact_request(request, LOG_VERBOSE, "response", "%s%s%s", message, *path ? ": " : "",
					   path);
	if (!log_wants(log, LOG_SILLY))
		return;
	headers = json_object();
	head_fields(request->head, log_redact_header, headers);
	log_redact_message(request, "request", headers, request->body.bytes.data,
					   request->body.bytes.length);
	log_whole_answer(request, response);
}
