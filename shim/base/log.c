/*
 * log.c - the log file, or standard output: one JSON object a line.
 *
 * Every line is one writev() to a file that is open for appending, so threads need no lock; standard
 * output may be a pipe, in which long lines mix, so there threads take turns.  A line that cannot be
 * written is counted, not written again; the next line has the number of lost lines.  If only a part
 * of a line was written, the next one begins with a line feed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

#define LINE_MAXIMUM (4 << 20)

struct Log
{
	char *path;			  /* NULL: standard output */
	pthread_mutex_t turn; /* to write to standard output */
	LogLevel level;
	int file;
	atomic_ulong lost; /* lines, since the last one that was written */
	atomic_ulong all_lost;
	atomic_bool torn; /* the file ends with a part of a line */
};

static const char *const level_names[] = {"silly", "verbose", "info",  "http",
										  "warn",  "error",	  "silent"};

bool
log_level_named(const char *name, LogLevel *level)
{
	for (size_t i = 0; i < lengthof(level_names); i++)
	{
		if (strcasecmp(level_names[i], name) != 0)
			continue;
		*level = (LogLevel) i;
		return true;
	}
	return false;
}

/* Open the file, whose directory and its parents are made unless they exist; -1, with errno: that failed. */
static int
open_file(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
	{
		*slash = '\0';
		mkdir(path, 0750);
		*slash = '/';
	}
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

Log *
log_open(const char *directory, const char *environment, LogLevel level)
{
	Log *log = calloc(1, sizeof(Log));
	bool printed = strcmp(directory, LOG_PRINTED) == 0;

	if (log == NULL || (!printed && asprintf(&log->path, "%s/%s.log", directory, environment) < 0))
	{
		free(log);
		return NULL;
	}
	log->level = level;
	pthread_mutex_init(&log->turn, NULL);
	log->file = printed ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : open_file(log->path);
	if (log->file < 0)
	{
		fprintf(stderr, "catalogue-shim: could not open \"%s\": %s\n",
				printed ? "standard output" : log->path, strerror(errno));
		free(log->path);
		free(log);
		return NULL;
	}
	return log;
}

/* Other threads keep writing to the same descriptor. */
void
log_reopen(Log *log)
{
	int file;

	if (log->path == NULL)
		return;
	file = open_file(log->path);
	if (file < 0)
	{
		log_event(log, LOG_ERROR, "log not reopened", "%s", strerror(errno));
		return;
	}
	dup2(file, log->file);
	close(file);
}

void
log_close(Log *log)
{
	close(log->file);
	free(log->path);
	free(log);
}

unsigned long
log_lost(const Log *log)
{
	return atomic_load(&log->all_lost);
}

bool
log_wants(const Log *log, LogLevel level)
{
	return level >= log->level && log->level != LOG_SILENT;
}

void
log_member(Buffer *line, const char *name, const char *value)
{
	buffer_format(line, ",\"%s\":", name);
	if (text_valid_utf8(value, strlen(value)))
		buffer_json(line, value, strlen(value));
	else
		buffer_text(line, "null");
}

/* Begin a line with time, level and event. */
static void
begin(Buffer *line, LogLevel level, const char *event)
{
	struct timespec now;
	struct tm parts;
	char text[32];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &parts);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
	buffer_format(line, "{\"time\":\"%s.%03ldZ\"", text, now.tv_nsec / 1000000);
	log_member(line, "level", level_names[level]);
	log_member(line, "event", event);
}

/* Write a line; false: not all of it was written. */
static bool
write_line(Log *log, const Buffer *line)
{
	bool torn = atomic_exchange(&log->torn, false);
	struct iovec pieces[] = {{"\n", torn}, {line->data, line->length}};
	ssize_t wanted = (ssize_t) line->length + torn;
	ssize_t written;

	if (log->path == NULL)
		pthread_mutex_lock(&log->turn);
	written = writev(log->file, pieces, lengthof(pieces));
	if (log->path == NULL)
		pthread_mutex_unlock(&log->turn);
	if (written == wanted)
		return true;
	/* what was written may be the line feed only, which does no harm twice */
	if (torn || written > 0)
		atomic_store(&log->torn, true);
	return false;
}

static void
finish(Log *log, Buffer *line)
{
	unsigned long lost = atomic_exchange(&log->lost, 0);

	if (lost > 0)
		buffer_format(line, ",\"lost\":%lu", lost);
	buffer_text(line, "}\n");
	if (line->failed || !write_line(log, line))
	{
		atomic_fetch_add(&log->lost, lost + 1);
		atomic_fetch_add(&log->all_lost, 1);
	}
	buffer_free(line);
}

/* Append what the caller formatted, as the member "message". */
static void
append_message(Buffer *line, const char *format, va_list arguments)
{
	char *message;

	if (vasprintf(&message, format, arguments) < 0)
	{
		line->failed = true;
		return;
	}
	if (*message != '\0')
		log_member(line, "message", message);
	free(message);
}

void
log_write(Log *log, LogLevel level, const char *event, const Buffer *members, const char *format,
		  va_list arguments)
{
	Buffer line;

	buffer_init(&line, LINE_MAXIMUM);
	begin(&line, level, event);
	if (members != NULL)
		buffer_append(&line, members->data, members->length);
	line.failed |= members != NULL && members->failed;
	append_message(&line, format, arguments);
	finish(log, &line);
}

void
log_event(Log *log, LogLevel level, const char *event, const char *format, ...)
{
	va_list arguments;

	if (!log_wants(log, level))
		return;
	va_start(arguments, format);
	log_write(log, level, event, NULL, format, arguments);
	va_end(arguments);
}
