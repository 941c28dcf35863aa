/*
 * log.h - the log file.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdarg.h>

#include "base/base.h"

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
#define LOG_PRINTED "-" /* the directory of a log on standard output */
/* Open directory/environment.log, or standard output; NULL, with a message on stderr, if that fails. */
extern Log *log_open(const char *directory, const char *environment, LogLevel level);
/* Open the file again by its name, after it was renamed; standard output stays. */
extern void log_reopen(Log *log);
extern void log_close(Log *log);
/* Lines that could not be written. */
extern unsigned long log_lost(const Log *log);
/* Are lines of the level written? */
extern bool log_wants(const Log *log, LogLevel level);
/* Write a line; the formatted message is left out if it is empty. */
extern void log_event(Log *log, LogLevel level, const char *event, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The same with further members behind the event, as JSON that begins with a comma; NULL: none. */
extern void log_write(Log *log, LogLevel level, const char *event, const Buffer *members,
					  const char *format, va_list arguments);
/* Append a member with a comma before it; null if the value is not UTF-8. */
extern void log_member(Buffer *line, const char *name, const char *value);

#endif
