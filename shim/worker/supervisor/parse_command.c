/*
 * parse_command.c - the commands of catalogue-worker that read one file, and send one request.
 *
 * The exit status is 0 if the last frame is D or X, EXIT_FAILURE if the sandbox could not be
 * entered or the worker has exited.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "../../extension/base/parse_options.h"
#include "../../extension/files/file_types.h"
#include "answers/answers.h"
#include "fetch/fetch.h"
#include "formats/formats.h"
#include "geo/features.h"
#include "rdf/rdf.h"
#include "supervisor/supervisor.h"
#include "text/text.h"
#include "xls/xls.h"

/*
 * ---- The option --fetch: one request, as jobs send it ----
 *
 * The body of the answer is written to the standard output; status and header fields, or the error,
 * to the standard error.
 */

static bool
print(void *target, const char *bytes, size_t length)
{
	return fwrite(bytes, 1, length, target) == length;
}

int
parse_command_fetch(const Settings *settings, const FetchCommand *command)
{
	FetchRequest request = {.url = command->url,
							.headers = command->headers,
							.body = command->body,
							.length = command->body != NULL ? strlen(command->body) : 0,
							.take = print,
							.target = stdout};
	FetchReply reply;

	if (fetch(settings, &request, &reply) != FETCH_DONE)
	{
		fprintf(stderr, "catalogue-worker: %s\n", reply.reason);
		return EXIT_FAILURE;
	}
	fprintf(stderr, "status: %ld\nbytes: %lld\ncontent-type: %s\netag: %s\nlast-modified: %s\n",
			reply.status, (long long) reply.length, reply.content_type, reply.etag,
			reply.last_modified);
	return EXIT_SUCCESS;
}

static const Reader readers[] = {
	[READER_CSV] = {csv_read, encoding_prepare}, [READER_XLSX] = {xlsx_read, NULL},
	[READER_XLS] = {xls_read, biff_prepare},	 [READER_ODS] = {ods_read, NULL},
	[READER_GEOJSON] = {geojson_read, NULL},	 [READER_KML] = {kml_read, encoding_prepare_xml},
	[READER_JSON] = {answer_read_json, NULL},	 [READER_XML] = {xml_answer_read, NULL},
	[READER_TURTLE] = {rdf_read_turtle, NULL},	 [READER_RDFXML] = {rdf_read_xml, NULL},
};

static const Reader *
parse_reader(const char *name)
{
	for (size_t i = READER_NONE + 1; i < lengthof(readers); i++)
		if (strcmp(file_readers[i].name, name) == 0)
			return &readers[i];
	return NULL;
}

/* No signal that is handled interrupts these. */
static ptrdiff_t
read_descriptor(Source *source, char *bytes, size_t size)
{
	(void) source;
	return read(STDIN_FILENO, bytes, size);
}

static ptrdiff_t
read_descriptor_at(Source *source, char *bytes, size_t size, uint64_t place)
{
	(void) source;
	return pread(STDIN_FILENO, bytes, size, (off_t) place);
}

/* Without a worker nobody reads the frames: exit. */
static bool
write_descriptor(Source *source, const char *bytes, size_t length)
{
	(void) source;
	if (!child_write_all(STDOUT_FILENO, bytes, length))
		_exit(EXIT_FAILURE);
	return true;
}

static int
usage(void)
{
	fprintf(stderr, "usage: catalogue-worker --parse ");
	for (size_t i = READER_NONE + 1; i < lengthof(file_readers); i++)
		fprintf(stderr, "%s%s", i > READER_NONE + 1 ? "|" : "", file_readers[i].name);
	fprintf(stderr, "\n       [--size BYTES] [--rows NUMBER]\n");
	for (size_t i = 0; i < lengthof(parse_options); i++)
		fprintf(stderr, "       [--%s %s]\n", parse_options[i].name, parse_options[i].argument);
	return EXIT_FAILURE;
}

/* Parse the command line; return the reader, NULL if it is invalid. */
static const Reader *
read_arguments(int count, char **arguments, Source *source, Options *options)
{
	const Reader *reader = NULL;

	for (int i = 0; i < count; i++)
	{
		const char *value = i + 1 < count ? arguments[i + 1] : NULL;

		if (strncmp(arguments[i], "--", 2) != 0)
		{
			reader = parse_reader(arguments[i]);
			continue;
		}
		if (value == NULL)
			return NULL;
		if (strcmp(arguments[i], "--size") == 0)
			source->size = strtoull(value, NULL, 10);
		else if (strcmp(arguments[i], "--rows") == 0)
			options->rows = strtoull(value, NULL, 10);
		else if (!parse_options_take(options, arguments[i] + 2, value))
			return NULL;
		i++;
	}
	return reader;
}

int
parse_command_run(int count, char **arguments)
{
	Source source = {read_descriptor, read_descriptor_at, write_descriptor, 0};
	Options options = {0};
	const Reader *reader = read_arguments(count, arguments, &source, &options);
	const char *failure;
	struct stat status;

	if (reader == NULL)
		return usage();
	if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))
		source.size = (uint64_t) status.st_size;
	if (reader->prepare != NULL)
		reader->prepare(&options);
	failure = sandbox_enter(source.size);
	if (failure != NULL)
	{
		fprintf(stderr, "catalogue-worker: the sandbox does not close: %s\n", failure);
		return EXIT_FAILURE;
	}
	parse_file(&source, &options, reader->read);
	/* not exit(): exit handlers of libraries may use forbidden system calls */
	_exit(EXIT_SUCCESS);
}
