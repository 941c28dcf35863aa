/*
 * parse_command.c - the commands of catalogue-worker that read one file, and send one request.
 */
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
	[READER_CSV] = {csv_read, encoding_prepare},
	[READER_XLSX] = {xlsx_read, NULL},
	[READER_XLS] = {xls_read, biff_prepare},
	[READER_ODS] = {ods_read, NULL},
	[READER_GEOJSON] = {geojson_read, NULL},
	[READER_KML] = {kml_read, encoding_prepare_xml},
	[READER_KMZ] = {kml_read_kmz, encoding_prepare_xml},
	[READER_JSON] = {answer_read_json, NULL},
	[READER_XML] = {xml_answer_read, NULL},
	[READER_TURTLE] = {rdf_read_turtle, NULL},
	[READER_RDFXML] = {rdf_read_xml, NULL},
};

int
parse_command_run(int count, char **arguments)
{
	static const ReaderCommand command = {"catalogue-worker", readers, lengthof(readers), 0, NULL};

	return command_run(&command, count, arguments);
}
