/*
 * picture.c - a picture as PNG, in a job of kind convert.
 *
 * catalogue-worker --draw makes it: rsvg-convert in a sandbox, with what the extension draws as its input.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobs/jobs_internal.h"

#define PATIENCE 30000 /* milliseconds in which the program must write some bytes, or end */
#define PNG_MAXIMUM (32u << 20) /* bytes */

/* A picture that is being made. */
typedef struct Picture
{
	FILE *source; /* SVG */
	FILE *made;	  /* PNG */
	size_t length;
	const char *wrong; /* why it cannot be made; NULL: another attempt may succeed */
} Picture;

bool
picture_is(const Job *job)
{
	return job_detail(job, "digest") != NULL;
}

/* Take what the program has written; false at the end, and for a picture that is too large. */
static bool
take(Picture *picture, int file)
{
	char bytes[16384];
	ssize_t length = read(file, bytes, sizeof(bytes));

	if (length < 0)
		return errno == EAGAIN || errno == EINTR;
	picture->length += (size_t) length;
	if (picture->length > PNG_MAXIMUM)
		picture->wrong = "it is too large";
	return length > 0 && picture->wrong == NULL &&
		   fwrite(bytes, 1, (size_t) length, picture->made) == (size_t) length;
}

/* Have the program draw; false with the reason, or if another attempt may succeed. */
static bool
draw(Picture *picture)
{
	char *arguments[] = {"/proc/self/exe", "--draw", NULL};
	char *environment[] = {NULL};
	Child child = {.pid = -1, .input = -1, .output = -1};
	int status = 0;
	bool ended = false;

	if (!child_start(&child, arguments, environment, fileno(picture->source)))
		return false;
	while (child_wait(child.output, POLLIN, clock_now() + PATIENCE) && take(picture, child.output))
		;
	ended = picture->wrong == NULL && child_has_ended(&child, &status, clock_now() + PATIENCE);
	child_end(&child);
	if (!ended)
		return false;
	/* the sandbox limits the processor time */
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		picture->wrong = "it takes too long to draw";
	else if (status != 0)
		picture->wrong = "it could not be drawn";
	return picture->wrong == NULL && picture->length > 0;
}

/* Write what is to be drawn; false on an error of the session, or with errno. */
static bool
write_source(Session *session, Job *job, FILE *source)
{
	Value values[] = {TEXT(job_detail(job, "digest")), TEXT(job_detail(job, "resource")),
					  TEXT(job->resource), TEXT(job_detail(job, "query")),
					  TEXT(job_detail(job, "actor"))};
	char *text = session_text(session, ASK_PICTURE_SOURCE, values);
	bool good = text != NULL && fputs(text, source) >= 0 && fflush(source) == 0 &&
				lseek(fileno(source), 0, SEEK_SET) == 0;

	free(text);
	return good;
}

/* Make the picture, and store it, or why it cannot be made. */
static JobEnd
make(Session *session, Job *job, Picture *picture)
{
	Value values[] = {TEXT(job_detail(job, "digest")), TEXT(NULL), TEXT(NULL)};

	errno = 0;
	if (!write_source(session, job, picture->source))
		return errno != 0 ? job_without_file(job, errno)
			   : session_is_gone(session)
				   ? job_stopped(job, session)
				   : job_ends(job, JOB_FINAL, "what was to be drawn is another picture by now");
	if (access(PICTURE_PROGRAM, X_OK) != 0)
		picture->wrong = PICTURE_PROGRAM " is not installed";
	else if (draw(picture))
		return blob_store(session, picture->made, ASK_PICTURE_STORE, values)
				   ? JOB_DONE
				   : job_stopped(job, session);
	if (picture->wrong == NULL)
		return job_ends(job, JOB_FAILED, "the picture could not be drawn");
	values[1] = TEXT(picture->wrong);
	return session_do(session, ASK_PICTURE_STORE, values)
			   ? job_ends(job, JOB_FINAL, "%s", picture->wrong)
			   : job_stopped(job, session);
}

JobEnd
picture_run(Session *session, Job *job)
{
	Picture picture = {.source = unnamed_file_stream(), .made = unnamed_file_stream()};
	JobEnd end = picture.source != NULL && picture.made != NULL ? make(session, job, &picture)
																: job_without_file(job, errno);

	if (picture.source != NULL)
		fclose(picture.source);
	if (picture.made != NULL)
		fclose(picture.made);
	return end;
}
