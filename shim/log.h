/*
 * log.h - the log file and what it may show; the statistics of requests.
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

/* log_redact.c: what the log shows of a request at level silly, without its secrets */
extern void redact_request(Request *request);
extern void redact_answer(Request *request, struct MHD_Response *response);
extern void redact_target(Buffer *line, const char *target);
/* Append a target, or what of it begins with '?', with the values of secret words hidden. */
extern void redact_words(Buffer *text, const char *target);

/* access_log.c: what the log says about an answer */
extern void event_answer(Request *request, struct MHD_Response *response);

/* statistics.c */
/* Record a request that is about to be answered, or has been; once. */
extern void statistics_request(Request *request);

/* statistics_batch.c: the entries of a thread; a NULL recorder is one that keeps none */
extern Recorder *recorder_open(Worker *worker);
/* Microseconds since 1970 of a moment of the monotonic clock, in milliseconds. */
extern int64_t recorder_instant(Recorder *recorder, int64_t moment);
/* Begin an entry: where its line goes, or NULL when there is no room; recorder_end() follows. */
extern Buffer *recorder_begin(Recorder *recorder);
extern void recorder_end(Recorder *recorder);
/* An empty buffer, for use while an entry is made. */
extern Buffer *recorder_words(Recorder *recorder);
/* To be called in each turn of the loop, and several times a second. */
extern void recorder_turn(Recorder *recorder);
extern void recorder_tick(Recorder *recorder);
/* The end: no pause after a failure; is there something left; whatever is left is lost. */
extern void recorder_hurry(Recorder *recorder);
extern bool recorder_pending(const Recorder *recorder);
extern void recorder_close(Recorder *recorder);

#endif
