/*
 * file_record.c
 *	  Fields of a file that the service sets when its bytes have arrived, and the jobs that
 *	  follow.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "base/settings.h"
#include "files/content_sniff_internal.h"
#include "files/files.h"
#include "files/files_internal.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "write/write.h"

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
	Oid type = TEXTOID;
	Datum id = CStringGetTextDatum(call->id ? call->id : "");
	Former former = {0};

	/*
	 * a name given by the client while the bytes were stored elsewhere was not set by the service
	 */
	cat_statement_run(
		"SELECT f.name::text, CASE WHEN EXISTS (SELECT FROM catalogue.stored_file s "
		"WHERE s.file = f.id) THEN f.file_name::text END, f.dataset::text "
		"FROM catalogue.files f WHERE f.id = $1 AND f.deleted_at IS NULL FOR NO KEY UPDATE",
		1, &type, &id, NULL, true, 1);
	if (SPI_processed == 0)
		return former;
	former.name = cat_result_text(1);
	former.file_name = cat_result_text(2);
	former.dataset = cat_result_text(3);
	return former;
}

/*
 * Return a file name that is free in the dataset, made from a name; a number is appended if
 * necessary.
 */
static char *
free_name(const char *stem, const char *extension, const char *dataset, const char *id)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(stem), CStringGetTextDatum(extension),
					  CStringGetTextDatum(dataset), CStringGetTextDatum(id)};

	cat_statement_run("SELECT catalogue.free_file_name($1, $2, $3, $4)", 4, types, values, NULL,
					  true, 1);
	return cat_result_text(1);
}

/* Return a stored name without its extension. */
static char *
stem_of(const char *file_name)
{
	const char *dot = strrchr(file_name, '.');

	return dot && dot > file_name ? pnstrdup(file_name, dot - file_name) : pstrdup(file_name);
}

void
cat_file_record_protect(const WriteCall *call, List *members, NewRecord *record)
{
	const Field *field = cat_registry_column(record->resource, "file_name");
	Oid type = TEXTOID;
	Datum id = CStringGetTextDatum(call->id);

	if (!field || !record->given[field->attno - 1])
		return;
	cat_statement_run("SELECT FROM catalogue.stored_file s WHERE s.file = $1", 1, &type, &id, NULL,
					  true, 1);
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
		name = stem_of(former->file_name);
	return free_name(name ? name : "", extension, dataset ? dataset : "", id);
}

/*
 * Return the name of the file in its address: its stored name, or its id if that name leads to an
 * older file of another dataset.
 */
static const char *
address_name(const char *file_name, const char *id)
{
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(file_name), CStringGetTextDatum(id)};

	cat_statement_run(
		"SELECT FROM catalogue.files f LEFT JOIN catalogue.files own ON own.id = $2 "
		"WHERE lower(f.file_name) = lower($1) AND f.deleted_at IS NULL AND f.id <> $2 "
		"AND (own.id IS NULL OR (f.created_at, f.id) < (own.created_at, own.id))",
		2, types, values, NULL, true, 1);
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

/* Return the state of a file before its job has run; NULL if there is no job. */
static const char *
first_state(const FileKind *kind)
{
	return cat_hold_uploads || kind->readable ? "pending" : NULL;
}

static const char *
extension_of(const Arrival *arrival, const Former *former)
{
	char *extension = cat_filetype_extension(arrival->name);

	if (*extension == '\0' && *arrival->name == '\0' && former->file_name)
		return cat_filetype_extension(former->file_name);
	return extension;
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
	const char *id;
	char *file_name;

	arrival->kind = cat_filetype_find(extension_of(arrival, &former), &sample);
	id = take_id(call, record);
	file_name = choose_name(arrival, id, record, &former);
	cat_new_record_keep(record, "type", arrival->kind.type);
	cat_new_record_keep(record, "file_name", file_name);
	cat_new_record_keep(
		record, "url",
		psprintf("%s/files/%s/download", arrival->base, address_name(file_name, id)));
	cat_new_record_keep(record, "size", psprintf(INT64_FORMAT, arrival->size));
	cat_new_record_keep(record, "sha256", arrival->sha256);
	cat_new_record_keep(record, "parse_state", first_state(&arrival->kind));
	cat_new_record_keep(record, "parse_reason", NULL);
	if (arrival->kind.readable)
		return;
	/* discard what belongs to the former contents */
	cat_new_record_keep(record, "revision", NULL);
	cat_new_record_keep(record, "row_count", NULL);
	cat_new_record_keep(record, "bad_rows", NULL);
}

/* Return the details of a file's job for the worker. */
static Datum
job_details(const Arrival *arrival, const char *file)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoString(&json, "{\"file\":");
	cat_json_text_string(&json, file);
	appendStringInfo(&json, ",\"blob\":" INT64_FORMAT ",\"size\":" INT64_FORMAT ",\"extension\":",
					 arrival->blob, arrival->size);
	cat_json_text_string(&json, arrival->kind.extension);
	appendStringInfoString(&json, ",\"name\":");
	cat_json_text_string(&json, arrival->name);
	appendStringInfo(&json, ",\"readable\":%s}", arrival->kind.readable ? "true" : "false");
	return CStringGetTextDatum(json.data);
}

static void
run_for_file(const char *sql, const char *file)
{
	Oid type = TEXTOID;
	Datum id = CStringGetTextDatum(file);

	cat_statement_run(sql, 1, &type, &id, NULL, true, 0);
}

/*
 * Enqueue the scan of the file, or its parsing if it can be parsed; otherwise cancel its scan and
 * parse jobs.
 */
static void
enqueue(const Arrival *arrival, const char *file)
{
	const char *kind = cat_hold_uploads ? "scan" : "parse";
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID, INT8OID};
	Datum values[] = {CStringGetTextDatum(kind), CStringGetTextDatum(file),
					  job_details(arrival, file), Int64GetDatum(arrival->size)};

	if (cat_hold_uploads || arrival->kind.readable)
		cat_statement_run(
			"SELECT catalogue.enqueue_part($1, 'file', $2, $3::jsonb, 'internal', $4)", 4, types,
			values, NULL, true, 0);
	else
		run_for_file("SELECT catalogue.end_readings($1)", file);
}

/* Store the accepted bytes as those of the file, whose record has been written. */
void
cat_file_record_keep(const Arrival *arrival, const char *file)
{
	Oid types[] = {TEXTOID, INT8OID, TEXTOID, BOOLOID};
	Datum values[] = {CStringGetTextDatum(file), Int64GetDatum(arrival->blob),
					  CStringGetTextDatum(arrival->kind.media_type),
					  BoolGetDatum(cat_hold_uploads)};

	cat_statement_run(
		"INSERT INTO catalogue.stored_file AS s (file, blob, media_type, held) "
		"VALUES ($1, $2, $3, $4) ON CONFLICT (file) DO UPDATE SET blob = excluded.blob, "
		"media_type = excluded.media_type, held = excluded.held",
		4, types, values, NULL, true, 0);
	run_for_file("DELETE FROM catalogue.made_file m WHERE m.file = $1", file);
	if (!arrival->kind.readable)
		run_for_file("UPDATE catalogue.sheet s SET replaced_at = now() WHERE s.file = $1 AND "
					 "s.replaced_at IS NULL",
					 file);
	enqueue(arrival, file);
}
