/*
 * archive.c - a job of kind archive: the files of a dataset as a ZIP file, with their description.
 *
 * libzip reads the files from stored blobs, in chunks, and writes the archive to an unnamed file,
 * through custom zip sources.
 */
#include <errno.h>

#include <zip.h>

#include "jobs/jobs_internal.h"

/* File types that are compressed already. */
static const char packed[] = ".xlsx,.xlsm,.xltx,.xltm,.ods,.docx,.pptx,.odt,.zip,.kmz,.gz,.7z,.rar,"
							 ".png,.jpg,.jpeg,.gif,.webp,.pdf";

#define LARGE (64 << 20) /* bytes of a file that would take seconds to compress */

/* Zip source of a stored file. */
typedef struct Entry
{
	Job *job;
	zip_uint64_t size;
	BlobReader reader;
	const char *data;
	size_t left;
} Entry;

/* Zip source of the archive, for writing. */
typedef struct Target
{
	FILE *file;
	zip_error_t error;
} Target;

/* Read for libzip: up to the requested length, 0 at the end. */
static zip_int64_t
read_entry(Entry *entry, char *space, zip_uint64_t size)
{
	size_t part;

	if (entry->left == 0 && !blob_reader_next(&entry->reader, &entry->data, &entry->left))
		return -1;
	part = size < entry->left ? (size_t) size : entry->left;
	if (part > 0)
		memcpy(space, entry->data, part);
	entry->data += part;
	entry->left -= part;
	entry->job->progress->done += (int64_t) part;
	return (zip_int64_t) part;
}

static zip_int64_t
entry_source(void *cls, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
	static const zip_error_t fault = {.zip_err = ZIP_ER_READ, .sys_err = EIO};
	Entry *entry = cls;

	switch (command)
	{
		case ZIP_SOURCE_OPEN:
			entry->reader =
				(BlobReader){.session = entry->reader.session, .blob = entry->reader.blob};
			entry->left = 0;
			return 0;
		case ZIP_SOURCE_READ:
			return read_entry(entry, data, length);
		case ZIP_SOURCE_CLOSE:
			blob_reader_close(&entry->reader);
			return 0;
		case ZIP_SOURCE_STAT:
			zip_stat_init(data);
			((zip_stat_t *) data)->valid = ZIP_STAT_SIZE;
			((zip_stat_t *) data)->size = entry->size;
			return sizeof(zip_stat_t);
		case ZIP_SOURCE_ERROR:
			return zip_error_to_data(&fault, data, length);
		case ZIP_SOURCE_FREE:
			free(entry);
			return 0;
		case ZIP_SOURCE_SUPPORTS:
			return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ,
												  ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
												  ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
		default:
			return -1;
	}
}

static zip_int64_t
target_source(void *cls, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
	Target *target = cls;
	const zip_source_args_seek_t *seek = data;
	bool good = true;

	switch (command)
	{
		case ZIP_SOURCE_BEGIN_WRITE:
		case ZIP_SOURCE_ROLLBACK_WRITE:
		case ZIP_SOURCE_CLOSE:
		case ZIP_SOURCE_FREE:
			return 0;
		case ZIP_SOURCE_WRITE:
			good = fwrite(data, 1, length, target->file) == length;
			break;
		case ZIP_SOURCE_COMMIT_WRITE:
			good = fflush(target->file) == 0;
			break;
		case ZIP_SOURCE_SEEK_WRITE:
			good = fseeko(target->file, seek->offset, seek->whence) == 0;
			break;
		case ZIP_SOURCE_TELL_WRITE:
			return ftello(target->file);
		case ZIP_SOURCE_ERROR:
			return zip_error_to_data(&target->error, data, length);
		case ZIP_SOURCE_SUPPORTS:
			return ZIP_SOURCE_SUPPORTS_WRITABLE;
		default: /* there is nothing to read */
			zip_error_set(&target->error, ZIP_ER_READ, ENOENT);
			return -1;
	}
	if (!good)
		zip_error_set(&target->error, ZIP_ER_WRITE, errno);
	return !good ? -1 : command == ZIP_SOURCE_WRITE ? (zip_int64_t) length : 0;
}

static bool
is_packed(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && text_has_word(packed, dot);
}

/* Add an entry; libzip becomes the owner of the source.  packed: it is stored as it is. */
static bool
add_source(zip_t *zip, const char *name, zip_source_t *source, time_t time, bool packed)
{
	zip_int64_t index = source ? zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8) : -1;

	if (index < 0)
	{
		zip_source_free(source);
		return false;
	}
	return zip_set_file_compression(zip, (zip_uint64_t) index,
									packed ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0) == 0 &&
		   zip_file_set_mtime(zip, (zip_uint64_t) index, time, 0) == 0;
}

static bool
add_text(zip_t *zip, const char *name, const char *text, time_t time)
{
	return text != NULL &&
		   add_source(zip, name, zip_source_buffer(zip, text, strlen(text), 0), time, false);
}

/* Add a stored file. */
static bool
add_file(zip_t *zip, Session *session, Job *job, const json_t *file, time_t time)
{
	const char *name = json_string_value(json_object_get(file, "entry"));
	const char *blob = json_string_value(json_object_get(file, "blob"));
	json_int_t size = json_integer_value(json_object_get(file, "size"));
	Entry *entry;
	zip_source_t *source;

	if (name == NULL || blob == NULL)
		return true;
	entry = calloc(1, sizeof(Entry));
	if (entry == NULL)
		return false;
	*entry = (Entry){.job = job,
					 .size = (zip_uint64_t) size,
					 .reader = {.session = session, .blob = TEXT(blob)}};
	job->progress->total += size;
	source = zip_source_function(zip, entry_source, entry);
	if (source == NULL)
		free(entry);
	return add_source(zip, name, source, time, is_packed(name) || size > LARGE);
}

/* Write the archive; false on an error, with fault set if it was one of a session. */
static bool
write_archive(Target *target, Session *session, Job *job, const json_t *manifest)
{
	time_t time = (time_t) json_integer_value(json_object_get(manifest, "time"));
	zip_source_t *destination = zip_source_function_create(target_source, target, &target->error);
	zip_t *zip = destination
					 ? zip_open_from_source(destination, ZIP_CREATE | ZIP_TRUNCATE, &target->error)
					 : NULL;
	const char *readme = json_string_value(json_object_get(manifest, "readme"));
	char *package = json_dumps(json_object_get(manifest, "package"), JSON_INDENT(2));
	size_t index;
	const json_t *file;
	bool good = zip != NULL && add_text(zip, "README.txt", readme, time) &&
				add_text(zip, "datapackage.json", package, time);

	json_array_foreach(json_object_get(manifest, "files"), index, file)
		good = good && add_file(zip, session, job, file, time);
	if (good && zip_close(zip) == 0)
		zip = NULL;
	else
		good = false;
	if (zip != NULL)
		zip_discard(zip);
	else if (destination != NULL && !good)
		zip_source_free(destination);
	free(package);
	return good;
}

/* Create the archive that a manifest describes. */
static JobEnd
make(Session *session, Job *job, const json_t *manifest)
{
	const char *state = json_string_value(json_object_get(manifest, "state"));
	Value values[] = {TEXT(job->resource), TEXT(job_detail(job, "audience")), TEXT(state),
					  TEXT(NULL)};
	Target target = {.file = unnamed_file_stream()};
	JobEnd end = JOB_DONE;

	if (target.file == NULL)
		return job_without_file(job, errno);
	zip_error_init(&target.error);
	job->progress->total = 0;
	if (!write_archive(&target, session, job, manifest))
	{
		log_event(job->settings->log, LOG_WARN, "archive failed", "dataset %s: %s; %s",
				  job->resource, zip_error_strerror(&target.error), session->fault);
		end = strcmp(session->sqlstate, SQLSTATE_AWAY) == 0
				  ? job_stopped(job, session)
				  : job_ends(job, JOB_FAILED, "the archive could not be written");
	}
	else if (!blob_store(session, target.file, ASK_ARCHIVE_STORE, values))
		end = job_stopped(job, session);
	fclose(target.file);
	zip_error_fini(&target.error);
	return end;
}

JobEnd
archive_run(Session *session, Job *job)
{
	Value values[] = {TEXT(job->resource), TEXT(job_detail(job, "audience")), TEXT(NULL),
					  TEXT(NULL)};
	char *text = session_text(session, ASK_MANIFEST, values);
	json_t *manifest = text ? json_loads(text, 0, NULL) : NULL;
	JobEnd end;

	if (text == NULL && session_is_gone(session))
		end = job_stopped(job, session);
	else if (manifest == NULL) /* the dataset is not visible to the audience */
		end = session_do(session, ASK_BEGIN, NULL) && session_do(session, ASK_ARCHIVE_STORE, values)
				  ? JOB_DONE
				  : job_stopped(job, session);
	else
		end = make(session, job, manifest);
	json_decref(manifest);
	free(text);
	return end;
}
