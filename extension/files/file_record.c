/*
 * file_record.c
 *	  Records of files made of bytes: the fields that the service sets, and the job that reads them.
 */
#include "catalogue.h"

#include "base/settings.h"
#include "files/files.h"
#include "files/files_internal.h"

/* Former state of a file. */
typedef struct Former
{
	char *name;
	char *file_name; /* NULL if the service did not set it */
	char *dataset;
} Former;

static Former
read_former(const WriteCall *call)
{
	Former former = {0};

	/*
	 * a name given by the client while the bytes were stored elsewhere was not set by the service
	 */
	cat_statement_fresh(
		"SELECT f.name::text, CASE WHEN EXISTS (SELECT FROM catalogue.stored_file s "
		"WHERE s.file = f.id) THEN f.file_name::text END, f.dataset::text "
		"FROM catalogue.files f WHERE f.id = $1 AND f.deleted_at IS NULL FOR NO KEY UPDATE",
		text_param(call->id ? call->id : ""));
	if (SPI_processed == 0)
		return former;
	former.name = cat_result_text(1);
	former.file_name = cat_result_text(2);
	former.dataset = cat_result_text(3);
	return former;
}

void
cat_file_record_protect(const WriteCall *call, List *members, NewRecord *record)
{
	const Field *field = cat_registry_column(record->resource, "file_name");

	if (!field || !record->given[field->attno - 1])
		return;
	cat_statement_fresh("SELECT FROM catalogue.stored_file s WHERE s.file = $1",
						text_param(call->id));
	if (SPI_processed > 0)
		record->given[field->attno - 1] = false;
}

/* Return the name to store the file under; the former one if its extension still fits. */
static char *
choose_name(const Arrival *arrival, const char *id, const NewRecord *record, const Former *former)
{
	const char *name = cat_new_record_text(record, "name");
	const char *dataset = cat_new_record_text(record, "dataset");
	const char *extension = arrival->kind.extension;

	if (former->file_name && strcmp(cat_filetype_extension(former->file_name), extension) == 0)
		return former->file_name;
	name = name ? name : former->name;
	dataset = dataset ? dataset : former->dataset;
	if (former->file_name)
	{
		const char *dot = strrchr(former->file_name, '.');

		name = dot && dot > former->file_name ? pnstrdup(former->file_name, dot - former->file_name)
											  : former->file_name;
	}
	/*
	 * A file name that is free in the dataset, made from a name; a number is appended if
	 * necessary.
	 */
	cat_statement_fresh("SELECT catalogue.free_file_name($1, $2, $3, $4)",
						text_param(name ? name : ""), text_param(extension),
						text_param(dataset ? dataset : ""), text_param(id));
	return cat_result_text(1);
}

/*
 * Return the name of the file in its address: its stored name, or its id if that name leads to an
 * older file of another dataset.
 */
static const char *
address_name(const char *file_name, const char *id)
{
	cat_statement_fresh(
		"SELECT FROM catalogue.files f LEFT JOIN catalogue.files own ON own.id = $2 "
		"WHERE lower(f.file_name) = lower($1) AND f.deleted_at IS NULL AND f.id <> $2 "
		"AND (own.id IS NULL OR (f.created_at, f.id) < (own.created_at, own.id))",
		text_param(file_name), text_param(id));
	return SPI_processed > 0 ? id : file_name;
}

/* Return the id of the record, which is generated for a new one. */
static const char *
take_id(const WriteCall *call, NewRecord *record)
{
	char made[ID_LENGTH + 1];

	if (call->id)
		return call->id;
	cat_id_generate(made);
	cat_new_record_keep(record, "id", made);
	return pstrdup(made);
}

/*
 * Accept bytes as those of a file: determine its type, and set the fields that the service
 * provides.
 *
 * Raises OD415 if the type is not accepted.
 */
void
cat_file_record_take(Arrival *arrival, const WriteCall *call, NewRecord *record)
{
	Former former = read_former(call);
	ContentSample sample = cat_content_sniff_read(arrival->blob, arrival->size);
	const char *named =
		*arrival->name == '\0' && former.file_name ? former.file_name : arrival->name;
	const char *id;
	char *file_name;

	arrival->kind = cat_filetype_find(cat_filetype_extension(named), &sample);
	id = take_id(call, record);
	file_name = choose_name(arrival, id, record, &former);
	cat_new_record_keep(record, "type", arrival->kind.type);
	cat_new_record_keep(record, "file_name", file_name);
	cat_new_record_keep(
		record, "url",
		psprintf("%s/files/%s/download", arrival->base, address_name(file_name, id)));
	cat_new_record_keep(record, "size", psprintf(INT64_FORMAT, arrival->size));
	cat_new_record_keep(record, "sha256", arrival->sha256);
	/* The state of a file before its job has run; NULL if there is no job. */
	cat_new_record_keep(record, "parse_state",
						cat_hold_uploads || arrival->kind.readable ? "pending" : NULL);
	cat_new_record_keep(record, "parse_reason", NULL);
	if (arrival->kind.readable)
		return;
	/* discard what belongs to the former contents */
	cat_new_record_keep(record, "revision", NULL);
	cat_new_record_keep(record, "row_count", NULL);
	cat_new_record_keep(record, "bad_rows", NULL);
}

/* Return the details of a file's job for the worker. */
static char *
job_details(const Arrival *arrival, const char *file)
{
	return psprintf("{\"file\":%s,\"blob\":" INT64_FORMAT ",\"size\":" INT64_FORMAT
					",\"extension\":%s,\"name\":%s,\"readable\":%s}",
					cat_json_quoted(file), arrival->blob, arrival->size,
					cat_json_quoted(arrival->kind.extension), cat_json_quoted(arrival->name),
					arrival->kind.readable ? "true" : "false");
}

static void
run_for_file(const char *sql, const char *file)
{
	cat_statement_fresh(sql, text_param(file));
}

/*
 * Enqueue the scan of the file, or its parsing if it can be parsed; otherwise cancel its scan and
 * parse jobs.
 */
static void
enqueue(const Arrival *arrival, const char *file)
{
	const char *kind = cat_hold_uploads ? "scan" : "parse";

	if (cat_hold_uploads || arrival->kind.readable)
		cat_statement_fresh(
			"SELECT catalogue.enqueue_part($1, 'file', $2, $3::jsonb, 'internal', $4)",
			text_param(kind), text_param(file), text_param(job_details(arrival, file)),
			int8_param(arrival->size));
	else
		run_for_file("SELECT catalogue.end_readings($1)", file);
}

/* Store the accepted bytes as those of the file, whose record has been written. */
void
cat_file_record_keep(const Arrival *arrival, const WriteCall *call)
{
	const char *file = call->id;

	cat_statement_fresh(
		"INSERT INTO catalogue.stored_file AS s (file, blob, media_type, held) "
		"VALUES ($1, $2, $3, $4) ON CONFLICT (file) DO UPDATE SET blob = excluded.blob, "
		"media_type = excluded.media_type, held = excluded.held",
		text_param(file), int8_param(arrival->blob), text_param(arrival->kind.media_type),
		bool_param(cat_hold_uploads));
	run_for_file("DELETE FROM catalogue.made_file m WHERE m.file = $1", file);
	if (!arrival->kind.readable)
		run_for_file("UPDATE catalogue.sheet s SET replaced_at = now() WHERE s.file = $1 AND "
					 "s.replaced_at IS NULL",
					 file);
	enqueue(arrival, file);
}
