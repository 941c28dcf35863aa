/*
 * log.h - the log file, and what it may show.
 */
#ifndef LOG_H
#define LOG_H

#include "base/base.h"

struct Request;
struct json_t;

typedef struct Log Log;

typedef enum LogLevel
{
	LOG_SILLY,
	LOG_VERBOSE,
	LOG_INFO,
	LOG_HTTP,
	LOG_WARN,
	LOG_ERROR,
	LOG_SILENT
} LogLevel;

/* log.c: lines of the log; every function may be called by any thread */
/* Find a level by its name; false: there is none. */
extern bool log_level_named(const char *name, LogLevel *level);
/* Open directory/environment.log; NULL, with a message on stderr, if that fails. */
extern Log *log_open(const char *directory, const char *environment, LogLevel level);
/* Open the file again by its name, after it was renamed. */
extern void log_reopen(Log *log);
extern void log_close(Log *log);
/* Lines that could not be written. */
extern unsigned long log_lost(const Log *log);
/* Are lines of the level written? */
extern bool log_wants(const Log *log, LogLevel level);
/* Write a line; the formatted message is left out if it is empty. */
extern void log_event(Log *log, LogLevel level, const char *event, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Write a line with the client, user, method, target, status and code of a request. */
extern void log_request(struct Request *request, LogLevel level, const char *event,
						const char *format, ...) __attribute__((format(printf, 4, 5)));

/* log_redact.c: requests and answers without their secrets */
/* Append a target as a JSON string, null if it is not UTF-8. */
extern void log_redact_target(Buffer *line, const char *target);
/* A question mark inside a value that is an address begins the parameters of that address. */
extern void log_redact_query(Buffer *text, const char *target);
/* Add a header field to an object; secret values are hidden. */
extern void log_redact_header(struct json_t *headers, const char *name, const char *value);
/* Write a line at level silly with header fields, which are freed, and a body. */
extern void log_redact_message(struct Request *request, const char *event, struct json_t *headers,
							   const char *body, size_t length);

#endif
