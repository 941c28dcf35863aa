/*
 * log.h - requests in the log file, without their secrets.
 */
#ifndef LOG_H
#define LOG_H

#include "base/log.h"

struct Request;
struct json_t;

/* log_redact.c: requests and answers without their secrets */
/* Write a line with the client, user, method, target, status and code of a request. */
extern void log_redact_request(struct Request *request, LogLevel level, const char *event,
							   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Append a target as a JSON string, null if it is not UTF-8. */
extern void log_redact_target(Buffer *line, const char *target);
/* A question mark inside a value that is an address begins the parameters of that address. */
extern void log_redact_query(Buffer *text, const char *target);
/* Add a header field to an object of JSON; secret values are hidden. */
extern void log_redact_header(void *headers, const char *name, const char *value);
/* Write a line at level silly with header fields, which are freed, and a body. */
extern void log_redact_message(struct Request *request, const char *event, struct json_t *headers,
							   const char *body, size_t length);

#endif
