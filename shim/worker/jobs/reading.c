/*
 * reading.c - a job of kind parse: the contents of a file, read by a child in a sandbox.
 *
 * One loop waits for all descriptors: it writes bytes to the child, reads frames from it and sends
 * them to PostgreSQL, whichever is ready.
 */
#include <errno.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobs/contents.h"

#define STALL 12000	  /* milliseconds that a child may be without progress */
#define FAREWELL 2000 /* milliseconds that a child may take to exit after its last frame */
#define CRASHES 2	  /* failures of a child after which the file is not read again */
#define OPTIONS 7	  /* parse options of a file */
#define ARGUMENTS (6 + 2 * OPTIONS)
#define OUTPUT (1 << 30) /* maximum output of a child in bytes, plus */
#define OUTPUT_FACTOR 4	 /* this many for each byte of the file */

typedef struct Form
{
	const char *extension;
	const char *name;
	bool piped; /* read sequentially, so that a pipe is enough */
} Form;

static const Form forms[] = {
	{"csv", "csv", true},	 {"tsv", "csv", true},		   {"tab", "csv", true},
	{"txt", "csv", true},	 {"xlsx", "xlsx", false},	   {"xlsm", "xlsx", false},
	{"xltx", "xlsx", false}, {"xltm", "xlsx", false},	   {"xls", "xls", false},
	{"ods", "ods", false},	 {"geojson", "geojson", true}, {"kml", "kml", true},
	{"json", "json", true},	 {"xml", "xml", true}};

typedef struct Reading
{
	Session *session; /* stores the contents */
	Session source;	  /* reads the bytes of the file */
	Job *job;
	const Form *form;
	NumberText blob;
	NumberText size;
	NumberText options[OPTIONS]; /* texts of numeric options */
	Child child;
	ChildInput input;
	int file_error; /* errno of creating the temporary file; 0: created or not needed */
	bool feeding;
	FrameReader frames;
	Store store;
	int64_t moved;	   /* time of the last byte read or written */
	uint64_t output;   /* bytes of output so far */
	const char *wrong; /* fault of the child; NULL: none */
	Session *failed;   /* the session that failed; NULL: none */
} Reading;

static const Form *
form_of(const char *extension)
{
	for (size_t i = 0; extension != NULL && i < lengthof(forms); i++)
		if (strcmp(forms[i].extension, extension) == 0)
			return &forms[i];
	return NULL;
}

/*
 * Append the parse options of the file to the arguments of parse_run(): two for each option.
 */
static void
add_options(Reading *reading, const json_t *options, char **arguments)
{
	static const char *const names[OPTIONS] = {"--encoding", "--delimiter", "--decimal",
											   "--header",	 "--skip",		"--dataPath",
											   "--titlePath"};

	for (size_t i = 0; i < OPTIONS; i++)
	{
		const json_t *value = json_object_get(options, names[i] + 2);
		const char *text = json_is_true(value)	  ? "first"
						   : json_is_false(value) ? "none"
												  : json_string_value(value);

		if (json_is_integer(value))
		{
			reading->options[i] = session_number(json_integer_value(value));
			text = reading->options[i].text;
		}
		if (text == NULL)
			continue;
		*arguments++ = (char *) (uintptr_t) names[i];
		*arguments++ = (char *) (uintptr_t) text;
	}
}

/*
 * Start the child with its input: a pipe, or a temporary file with all bytes.  If the file cannot
 * be created, file_error is set.
 */
static bool
start_child(Reading *reading)
{
	char *arguments[ARGUMENTS] = {"/proc/self/exe", "--parse", (char *) reading->form->name,
								  "--size", reading->size.text};
	char *environment[] = {NULL};
	const json_t *options = json_object_get(reading->job->details, "options");
	int file = -1;
	bool good = true;

	add_options(reading, options, arguments + 5);
	if (!reading->form->piped)
	{
		file = unnamed_file();
		reading->file_error = file < 0 ? errno : 0;
		good = file >= 0 &&
			   child_input_copy(&reading->source, reading->blob.text, file, reading->job->progress);
	}
	good = good && child_start(&reading->child, arguments, environment, file);
	if (file >= 0)
		close(file);
	if (!good || !reading->form->piped)
		return good;
	reading->feeding =
		child_input_open(&reading->input, &reading->source, reading->blob.text, &reading->child);
	return reading->feeding;
}

/* Store the frames that have arrived, as long as the store has room. */
static bool
take_frames(Reading *reading)
{
	Frame frame;
	int whole = 0;

	while (store_has_room(&reading->store) &&
		   (whole = frame_reader_next(&reading->frames, &frame)) > 0)
	{
		if (store_frame(&reading->store, &frame))
			continue;
		if (reading->store.malformed)
			reading->wrong = "its output is malformed";
		else
			reading->failed = reading->session;
		return false;
	}
	if (whole < 0)
		reading->wrong = "its output has an invalid frame";
	return whole >= 0;
}

/* Should the output of the child be read?  Not while frames wait for room in the store. */
static bool
is_listening(const Reading *reading)
{
	return !reading->frames.ended && store_has_room(&reading->store);
}

/* Wait until a descriptor is ready. */
static void
wait_for_any(Reading *reading)
{
	PGconn *pg = reading->session->pg;
	const ChildInput *input = &reading->input;
	bool hungry = reading->feeding && reading->child.input >= 0;
	/* there are bytes to write, or the last ones are written and the pipe is to be closed */
	bool writes = hungry && (input->left > 0 || !input->reader.asked);
	struct pollfd waits[] = {
		{.fd = is_listening(reading) ? reading->child.output : -1, .events = POLLIN},
		{.fd = writes ? reading->child.input : -1, .events = POLLOUT},
		{.fd = hungry && input->reader.asked ? PQsocket(reading->source.pg) : -1, .events = POLLIN},
		{.fd = reading->store.flight > 0 ? PQsocket(pg) : -1,
		 .events = PQflush(pg) > 0 ? POLLIN | POLLOUT : POLLIN},
	};

	poll(waits, lengthof(waits), 1000);
}

/* Is the child without progress for too long, or has it written too much? */
static bool
is_astray(Reading *reading)
{
	uint64_t size = (uint64_t) reading->job->progress->total;

	if (reading->output > OUTPUT + OUTPUT_FACTOR * size)
		reading->wrong = "its output is too long";
	else if (clock_now() - reading->moved > STALL)
		reading->wrong = "it made no progress";
	return reading->wrong != NULL;
}

/* One iteration of the loop; false when the reading has failed. */
static bool
step(Reading *reading)
{
	int64_t taken = reading->input.taken;
	int flight = reading->store.flight;
	size_t before;

	wait_for_any(reading);
	if (reading->feeding && !child_input_write(&reading->input))
		reading->failed = &reading->source;
	else if (!store_advance(&reading->store))
		reading->failed = reading->session;
	if (reading->failed != NULL)
		return false;
	/* the time in which a child waits for PostgreSQL does not count */
	if (!store_has_room(&reading->store) || reading->store.flight != flight ||
		reading->input.taken != taken)
		reading->moved = clock_now();
	if (!is_listening(reading))
		return !is_astray(reading) && take_frames(reading);
	before = reading->frames.end - reading->frames.start;
	if (!frame_reader_read(&reading->frames, reading->child.output))
	{
		reading->wrong = "its output could not be read";
		return false;
	}
	if (reading->frames.end > before)
		reading->moved = clock_now();
	reading->output += reading->frames.end - before;
	return !is_astray(reading) && take_frames(reading);
}

/* Read until the last frame of the child; return its fault, NULL if there was none. */
static const char *
attend(Reading *reading)
{
	static char end[64];
	int status = 0;

	while (!reading->frames.ended || !store_has_room(&reading->store))
		if (!step(reading))
			return reading->wrong;
	if (!child_has_ended(&reading->child, &status, clock_now() + FAREWELL))
		return "it did not exit";
	if (WIFSIGNALED(status))
		snprintf(end, sizeof(end), "it was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		snprintf(end, sizeof(end), "it ended with status %d", WEXITSTATUS(status));
	else if (!reading->store.ended || reading->frames.end > reading->frames.start)
		snprintf(end, sizeof(end), "it exited before its last frame");
	else
		return NULL;
	return end;
}

/* End the job after the child has exited. */
static JobEnd
conclude(Reading *reading, const char *wrong)
{
	Job *job = reading->job;

	if (wrong != NULL)
	{
		log_event(job->settings->log, LOG_WARN, "parser failed", "job %s, file %s, attempt %d: %s",
				  job->id, job->resource, job->attempt, wrong);
		return job_ends(job, job->attempt >= CRASHES ? JOB_FINAL : JOB_FAILED,
						"the file could not be read safely");
	}
	if (reading->store.refused)
		return JOB_FINAL;
	if (reading->failed == NULL && !store_publish(&reading->store))
		reading->failed = reading->session;
	return reading->failed != NULL ? job_stopped(job, reading->failed) : JOB_DONE;
}

JobEnd
reading_run(Session *session, Job *job)
{
	Reading reading = {.session = session,
					   .job = job,
					   .form = form_of(job_detail(job, "extension")),
					   .blob = job_number(job, "blob"),
					   .size = job_number(job, "size"),
					   .child = {.pid = -1, .input = -1, .output = -1}};
	JobEnd end;

	if (reading.form == NULL)
		return job_ends(job, JOB_FINAL, "files of this type are not read");
	if (!session_open(&reading.source, session->settings, session->limit))
		return job_stopped(job, &reading.source);
	if (!frame_reader_open(&reading.frames) || !start_child(&reading))
		end = reading.file_error != 0
				  ? job_without_file(job, reading.file_error)
				  : job_ends(job, JOB_FAILED, "no process could be started to read the file");
	else if (!store_open(&reading.store, session, job))
		end = job_stopped(job, session);
	else
	{
		reading.moved = clock_now();
		end = conclude(&reading, attend(&reading));
	}
	child_end(&reading.child);
	store_close(&reading.store);
	frame_reader_close(&reading.frames);
	if (reading.feeding)
		child_input_close(&reading.input);
	session_close(&reading.source);
	return end;
}
