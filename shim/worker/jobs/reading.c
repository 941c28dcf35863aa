/*
 * reading.c - jobs of kinds parse, reparse and preview: the contents of a file, read by a child in a sandbox.
 *
 * A thread writes the bytes to the child, while this one takes the frames and stores them: each has
 * a connection of its own, and waits for one thing at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "../../extension/base/parse_options.h"
#include "../../extension/files/file_types.h"
#include "../../extension/rows/sheets/marks.h"
#include "jobs/contents.h"

#define STALL 12000			/* milliseconds that a child may be without progress */
#define PREVIEW_ROWS "1000" /* of a sheet, of which a preview knows columns and issues */
#define CRASHES 2			/* failures of a child after which the file is not read again */
#define OPTIONS lengthof(parse_options)
#define ARGUMENTS (8 + 2 * OPTIONS)
#define GEO_READER "catalogue-geo-reader" /* stands beside this program */
#define OUTPUT (1 << 30)				  /* maximum output of a child in bytes, plus */
#define OUTPUT_FACTOR 4					  /* this many for each byte of the file */

typedef struct Reading
{
	Session *session; /* stores the contents */
	Session source;	  /* reads the bytes of the file */
	Job *job;
	FileReader reader;
	Value blob;
	Value size;
	char names[OPTIONS][20]; /* of the options, as arguments */
	Value options[OPTIONS];	 /* texts of numeric options */
	Buffer lines;			 /* of the option that is a list */
	Child child;
	pthread_t feeder; /* writes to the pipe of the child, and closes it */
	int pipe;
	bool feeding;
	char program[PROGRAM_MAXIMUM]; /* that reads it */
	int file_error; /* errno of creating the temporary file; 0: created or not needed */
	Store store;
} Reading;

/* The texts of a list as lines. */
static const char *
join_lines(Buffer *lines, const json_t *list)
{
	size_t index;
	const json_t *line;

	buffer_clear(lines);
	json_array_foreach(list, index, line)
	{
		buffer_text(lines, json_string_value(line) != NULL ? json_string_value(line) : "");
		buffer_text(lines, "\n");
	}
	buffer_append(lines, "", 1);
	return lines->failed ? NULL : lines->data;
}

/*
 * Append the parse options of the file to the arguments of parse_command_run(): two for each option.
 */
static void
add_options(Reading *reading, const json_t *options, char **arguments)
{
	for (size_t i = 0; i < OPTIONS; i++)
	{
		const json_t *value = json_object_get(options, parse_options[i].name);
		const char *text = json_is_true(value)	  ? "first"
						   : json_is_false(value) ? "none"
												  : json_string_value(value);

		if (json_is_integer(value))
		{
			reading->options[i] = session_number(json_integer_value(value));
			text = reading->options[i].number;
		}
		if (json_is_array(value))
			text = join_lines(&reading->lines, value);
		if (text == NULL)
			continue;
		snprintf(reading->names[i], sizeof(reading->names[i]), "--%s", parse_options[i].name);
		*arguments++ = reading->names[i];
		*arguments++ = (char *) (uintptr_t) text;
	}
}

/* Write the bytes of the file to the child; one that needs no more of them exits. */
static void *
feed(void *data)
{
	Reading *reading = data;

	fcntl(reading->pipe, F_SETFL, 0); /* this thread waits */
	child_write_blob(&reading->source, reading->blob, reading->pipe, &reading->child.fed);
	close(reading->pipe);
	return NULL;
}

/* A temporary file with the bytes of the file; -1 with file_error where it could not be created. */
static int
copy_file(Reading *reading)
{
	int file = unnamed_file();

	reading->file_error = file < 0 ? errno : 0;
	if (file < 0 ||
		(child_write_blob(&reading->source, reading->blob, file, &reading->job->progress->done) &&
		 lseek(file, 0, SEEK_SET) == 0))
		return file;
	close(file);
	return -1;
}

/* How many rows of a sheet are read, 0 for all: of a preview the first ones, unless it is of an upload. */
static char *
rows_read(const Job *job)
{
	bool whole = json_is_true(json_object_get(job->details, "whole"));

	return strcmp(job->kind, "preview") == 0 && !whole ? PREVIEW_ROWS : "0";
}

bool
reading_find_geo(char *path)
{
	ssize_t length = readlink("/proc/self/exe", path, PROGRAM_MAXIMUM - sizeof(GEO_READER) - 1);
	char *slash;

	if (length <= 0)
		return false;
	path[length] = '\0';
	slash = strrchr(path, '/');
	memcpy(slash != NULL ? slash + 1 : path, GEO_READER, sizeof(GEO_READER));
	return access(path, X_OK) == 0;
}

/* Are coordinates of a table to be converted? */
static bool
is_converted(const Reading *reading)
{
	const json_t *options = json_object_get(reading->job->details, "options");

	return !file_readers[reading->reader].geographic &&
		   json_is_string(json_object_get(options, parse_options[OPTION_CRS].name));
}

/* Find the program that reads the file: this one, or one of its own; false: it is not there. */
static bool
find_program(Reading *reading)
{
	FileProgram program =
		is_converted(reading) ? PROGRAM_GEO : file_readers[reading->reader].program;

	if (program != PROGRAM_WORKER && reading_find_geo(reading->program))
		return true;
	snprintf(reading->program, sizeof(reading->program), "/proc/self/exe");
	return program != PROGRAM_GEO;
}

/* Start the child with its input: a pipe, or a temporary file. */
static bool
start_child(Reading *reading)
{
	char *arguments[ARGUMENTS] = {reading->program,
								  "--parse",
								  (char *) (uintptr_t) file_readers[reading->reader].name,
								  "--size",
								  reading->size.number,
								  "--rows",
								  rows_read(reading->job)};
	char *environment[] = {NULL};
	const json_t *options = json_object_get(reading->job->details, "options");
	bool piped = file_readers[reading->reader].piped;
	int file = piped ? -1 : copy_file(reading);
	bool good = piped || file >= 0;

	add_options(reading, options, arguments + 7);
	good = good && child_start(&reading->child, arguments, environment, file);
	if (file >= 0)
		close(file);
	if (!good || !piped)
		return good;
	reading->pipe = reading->child.input;
	reading->feeding = pthread_create(&reading->feeder, NULL, feed, reading) == 0;
	if (reading->feeding)
		reading->child.input = -1;
	return reading->feeding;
}

/* End the child, and then the thread, which nobody reads from any more. */
static void
end_child(Reading *reading)
{
	child_end(&reading->child);
	if (reading->feeding)
		pthread_join(reading->feeder, NULL);
	reading->feeding = false;
}

/* End the job after the child has exited. */
static JobEnd
conclude(Reading *reading, ChildEnd end)
{
	Job *job = reading->job;

	if (reading->source.fault[0] != '\0')
		return job_stopped(job, &reading->source);
	if (end == CHILD_STOPPED && !reading->store.malformed)
		return job_stopped(job, reading->session);
	if (end != CHILD_DONE)
	{
		log_event(job->settings->log, LOG_WARN, "parser failed", "job %s, file %s, attempt %d: %s",
				  job->id, job->resource, job->attempt,
				  end == CHILD_STOPPED ? "its output is malformed" : reading->child.fault);
		return job_ends(job, job->attempt >= CRASHES ? JOB_FINAL : JOB_FAILED,
						"the file could not be read safely");
	}
	if (reading->store.refused)
		return JOB_FINAL;
	return store_publish(&reading->store) ? JOB_DONE : job_stopped(job, reading->session);
}

JobEnd
reading_run(Session *session, Job *job)
{
	const FileType *type = file_type_of(job_detail(job, "extension"));
	Reading reading = {.session = session,
					   .job = job,
					   .reader = type != NULL ? type->reader : READER_NONE,
					   .blob = job_number(job, "blob"),
					   .size = session_number(job->progress->total),
					   .child = {.pid = -1, .input = -1, .output = -1}};
	ChildOutput output = {.take = store_frame,
						  .target = &reading.store,
						  .patience = STALL,
						  .maximum = OUTPUT + OUTPUT_FACTOR * (uint64_t) job->progress->total};
	JobEnd end;

	buffer_init(&reading.lines, MARKS_MOST * (MARK_BYTES + 1) + 1);
	if (reading.reader == READER_NONE)
		return job_ends(job, JOB_FINAL, "files of this type are not read");
	if (!find_program(&reading))
		return job_ends(job, JOB_FINAL,
						is_converted(&reading)
							? "coordinates are not converted, as parseOptions.crs says: "
							  "catalogue-geo-reader is not installed"
							: "geographic files are not read: catalogue-geo-reader is not "
							  "installed");
	if (!session_open(&reading.source, session->settings, session->limit))
		return job_stopped(job, &reading.source);
	if (!start_child(&reading))
		end = reading.file_error != 0 ? job_without_file(job, reading.file_error)
			  : reading.source.fault[0] != '\0'
				  ? job_stopped(job, &reading.source)
				  : job_ends(job, JOB_FAILED, "no process could be started to read the file");
	else if (!store_open(&reading.store, session, job))
		end = job_stopped(job, session);
	else
	{
		ChildEnd read = child_read(&reading.child, &output);

		end_child(&reading);
		end = conclude(&reading, read);
	}
	end_child(&reading);
	store_close(&reading.store);
	session_close(&reading.source);
	buffer_free(&reading.lines);
	return end;
}

JobEnd
reading_reparse(Session *session, Job *job)
{
	Store store = {.session = session, .job = job};

	if (json_object_get(job->details, "blob") != NULL)
		return reading_run(session, job);
	return session_do(session, ASK_BEGIN, NULL) && store_publish(&store)
			   ? JOB_DONE
			   : job_stopped(job, session);
}
