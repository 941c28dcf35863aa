/*
 * convert_features.c - the rows that a query selects, as a geographic file.
 *
 * catalogue-geo-reader makes it, of a temporary file: an object with name and columns of the sheet, and the
 * rows as GeoJSON.
 */
#include <errno.h>

#include "jobs/contents.h"

static bool
put(void *target, const char *bytes, size_t length)
{
	return fwrite(bytes, 1, length, target) == length;
}

/* The name of the layer: of the sheet, else that of the file that is made, without its ending. */
static json_t *
layer_name(const Job *job, const json_t *sheet)
{
	const char *name = json_string_value(json_object_get(sheet, "name"));
	const char *made = job_detail(job, "name");

	if ((name != NULL && *name != '\0') || made == NULL)
		return json_string(name != NULL ? name : "");
	return json_stringn(made, strcspn(made, "."));
}

/* Write the input of the child; false with the fault of the session, or with errno. */
static bool
write_input(Session *session, Job *job, const json_t *sheet, FILE *input)
{
	json_t *head = json_pack("{s:o, s:O}", "name", layer_name(job, sheet), "columns",
							 json_object_get(sheet, "columns"));
	bool good = head != NULL && json_dumpf(head, input, 0) == 0 && put(input, "\n", 1);

	json_decref(head);
	errno = 0;
	return good && selection_read(session, job, "geojson", put, input) && fflush(input) == 0;
}

/* Have the child make the file; false with the reason. */
static bool
make(FileReader maker, FILE *input, FILE *file, FeaturesFault *fault)
{
	char program[PROGRAM_MAXIMUM];
	char *arguments[] = {program, "--parse", (char *) (uintptr_t) file_readers[maker].name, NULL};
	ChildDocument made = {.arguments = arguments,
						  .file = fileno(input),
						  .put = put,
						  .target = file,
						  .unput = "it could not be written to a temporary file",
						  .reason = fault->reason,
						  .size = sizeof(fault->reason)};

	if (!reading_find_geo(program))
	{
		fault->lasting = true;
		snprintf(fault->reason, sizeof(fault->reason),
				 "geographic files are not made: catalogue-geo-reader is not installed");
		return false;
	}
	if (child_document_make(&made))
		return true;
	fault->lasting = made.end == CHILD_STOPPED && !ferror(file);
	fault->passing = !fault->lasting;
	return false;
}

bool
convert_features(Session *session, Job *job, FileReader maker, const json_t *sheet, FILE *file,
				 FeaturesFault *fault)
{
	FILE *input = unnamed_file_stream();
	bool good = input != NULL && write_input(session, job, sheet, input);

	if (good)
		good = make(maker, input, file, fault);
	else if (input == NULL || errno != 0)
	{
		fault->passing = true;
		snprintf(fault->reason, sizeof(fault->reason), "the rows could not be written: %s",
				 strerror(errno));
	}
	if (input != NULL)
		fclose(input);
	return good;
}
