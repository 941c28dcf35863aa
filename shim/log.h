/*
 * log.h - the log file, and what it may show.
 *
 * A part of shim.h, which is what the files include.
 */
#ifndef LOG_H
#define LOG_H

/* log.c */
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

extern bool log_level_named(const char *name, LogLevel *level);
extern Log *log_open(const char *directory, const char *environment, LogLevel level);
extern void log_reopen(Log *log);
extern void log_close(Log *log);
extern bool log_wants(const Log *log, LogLevel level);
extern void log_event(Log *log, LogLevel level, const char *event, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
extern void log_request(Request *request, LogLevel level, const char *event, const char *format,
						...) __attribute__((format(printf, 4, 5)));

/* redact.c: what the log shows of a request at level silly, without its secrets */
extern void redact_request(Request *request);
extern void redact_answer(Request *request, struct MHD_Response *response);
extern void redact_target(Buffer *line, const char *target);
/* Append a target, or what of it begins with '?', with the values of secret words hidden. */
extern void redact_words(Buffer *text, const char *target);

#endif
