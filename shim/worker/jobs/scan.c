/*
 * scan.c - a job of kind scan: a virus scan of the bytes of a file.
 *
 * The scanner is clamd on a socket, by its command INSTREAM, or a program that reads the bytes on
 * its standard input.  It must read and answer in time; a file that it does not report as clean
 * stays quarantined.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobs/jobs_internal.h"

#define PATIENCE 60000 /* milliseconds in which a scanner must read some bytes, or answer */
#define SOCKET_PREFIX "unix:"

typedef enum Finding
{
	FINDING_NONE,
	FINDING_CLEAN,
	FINDING_FOUND
} Finding;

/* A running scan. */
typedef struct Scanner
{
	Session *session;
	Job *job;
	int to;			/* the same descriptor for a socket */
	int from;		/* -1: the end of the answer was read */
	char said[301]; /* the first bytes of the answer */
	size_t length;
	Finding finding;
	const char *found; /* what it has found, in the answer; NULL: it is not known */
} Scanner;

/* Read the answer; bytes beyond the size of the buffer are discarded. */
static void
hear(Scanner *scanner)
{
	char bytes[4096];
	ssize_t length = read(scanner->from, bytes, sizeof(bytes));
	size_t room = sizeof(scanner->said) - 1 - scanner->length;

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length <= 0)
	{
		scanner->from = -1;
		return;
	}
	room = (size_t) length < room ? (size_t) length : room;
	memcpy(scanner->said + scanner->length, bytes, room);
	scanner->length += room;
}

/* Write bytes to the scanner; false if it does not read them in time, or at all. */
static bool
give(Scanner *scanner, const char *data, size_t length)
{
	int64_t until = clock_now() + PATIENCE;

	while (length > 0)
	{
		struct pollfd waits[] = {{.fd = scanner->to, .events = POLLOUT},
								 {.fd = scanner->from, .events = POLLIN}};
		ssize_t written;

		poll(waits, lengthof(waits), 1000);
		if (waits[1].revents != 0)
			hear(scanner);
		written = send(scanner->to, data, length, MSG_NOSIGNAL);
		if (written < 0 && errno == ENOTSOCK)
			written = write(scanner->to, data, length);
		if (written > 0)
		{
			until = clock_now() + PATIENCE;
			data += written;
			length -= (size_t) written;
		}
		else if ((errno != EAGAIN && errno != EINTR) || clock_now() >= until)
			return false;
	}
	return true;
}

/* Wait for the end of the answer. */
static bool
hear_all(Scanner *scanner)
{
	int64_t until = clock_now() + PATIENCE;

	while (scanner->from >= 0)
	{
		if (!child_wait(scanner->from, POLLIN, until))
			return false;
		hear(scanner);
	}
	return true;
}

/* Write a blob to the scanner; for clamd with its length before each chunk. */
static bool
give_blob(Scanner *scanner, bool framed, bool *taken)
{
	BlobReader reader = {.session = scanner->session, .blob = job_number(scanner->job, "blob")};
	const char *data;
	size_t length = 0;
	bool good;

	*taken = true;
	do
	{
		uint32_t head;

		good = blob_reader_next(&reader, &data, &length);
		head = htonl((uint32_t) length);
		if (good && framed)
			*taken = give(scanner, (const char *) &head, sizeof(head));
		if (good && *taken)
			*taken = give(scanner, data, length);
		scanner->job->progress->done += (int64_t) length;
	} while (good && *taken && length > 0);
	blob_reader_close(&reader);
	return good;
}

/* Connect to a local socket; -1 on failure. */
static int
open_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (file >= 0 && connect(file, (struct sockaddr *) &address, sizeof(address)) == 0 &&
		fcntl(file, F_SETFL, O_NONBLOCK) == 0)
		return file;
	if (file >= 0)
		close(file);
	return -1;
}

/* Parse the answer of clamd: "stream: OK" or "stream: <name> FOUND"; found is the name. */
static Finding
read_reply(Scanner *scanner)
{
	char *said = scanner->said;
	size_t length;

	if (strncmp(said, "stream: ", 8) == 0)
		said += 8;
	length = strcspn(said, "\r\n");
	said[length] = '\0';
	if (strcmp(said, "OK") == 0)
		return FINDING_CLEAN;
	if (length <= 6 || strcmp(said + length - 6, " FOUND") != 0)
		return FINDING_NONE;
	said[length - 6] = '\0';
	scanner->found = said;
	return FINDING_FOUND;
}

static bool
ask_socket(Scanner *scanner)
{
	int file = open_socket(scanner->session->settings->scanner + strlen(SOCKET_PREFIX));
	bool good = true;
	bool taken = false;

	if (file < 0)
		return true;
	scanner->to = scanner->from = file;
	/* clamd stops reading a stream above its size limit, and answers with an error */
	if (give(scanner, "zINSTREAM", sizeof("zINSTREAM")))
		good = give_blob(scanner, true, &taken);
	if (good && hear_all(scanner) && taken)
		scanner->finding = read_reply(scanner);
	close(file);
	return good;
}

static bool
ask_command(Scanner *scanner)
{
	char *line = NULL;
	char *environment[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
						   "LANG=C.UTF-8", NULL};
	char *arguments[] = {"/bin/sh", "-c", NULL, NULL};
	Child child;
	bool good = true;
	bool taken;
	int status = -1;

	if (asprintf(&line, "exec 2> /dev/null\n%s", scanner->session->settings->scanner) < 0)
		return true;
	arguments[2] = line;
	if (child_start(&child, arguments, environment, -1))
	{
		scanner->to = child.input;
		scanner->from = child.output;
		good = give_blob(scanner, false, &taken);
		close(child.input);
		child.input = -1;
		if (good && hear_all(scanner) && child_has_ended(&child, &status, clock_now() + PATIENCE) &&
			WIFEXITED(status))
		{
			/*
			 * a command that has found something need not read to the end; a clean result requires
			 * that it does
			 */
			if (WEXITSTATUS(status) == 1)
				scanner->finding = FINDING_FOUND;
			else if (WEXITSTATUS(status) == 0 && taken)
				scanner->finding = FINDING_CLEAN;
		}
		scanner->said[strcspn(scanner->said, "\r\n")] = '\0';
		scanner->found = scanner->said;
	}
	child_end(&child);
	free(line);
	return good;
}

JobEnd
scan_bytes(Session *session, Job *job)
{
	Scanner scanner = {.session = session, .job = job, .to = -1, .from = -1};
	const char *found;
	bool is_socket = strncmp(session->settings->scanner, SOCKET_PREFIX, strlen(SOCKET_PREFIX)) == 0;

	if (!(is_socket ? ask_socket : ask_command)(&scanner))
		return job_stopped(job, session);
	if (scanner.finding == FINDING_CLEAN)
		return JOB_DONE;
	found = scanner.found;
	if (found == NULL || *found == '\0' || !text_valid_utf8(found, strlen(found)))
		found = "something harmful";
	if (scanner.finding == FINDING_FOUND)
	{
		log_event(session->settings->log, LOG_WARN, "file is harmful", "file %s: %s", job->resource,
				  found);
		return job_ends(job, JOB_FINAL, "the scanner has found %s", found);
	}
	log_event(session->settings->log, LOG_ERROR, "scanner failed", "job %s: it said \"%s\"",
			  job->id, scanner.said);
	return job_ends(job, JOB_FAILED, "the scanner gave no valid answer");
}

/* A clean file is released by the end of the job; an infected one stays quarantined. */
JobEnd
scan_run(Session *session, Job *job)
{
	JobEnd end = scan_bytes(session, job);

	if (end != JOB_DONE)
		return end;
	return session_do(session, ASK_BEGIN, NULL) ? JOB_DONE : job_stopped(job, session);
}
