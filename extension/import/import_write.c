/*
 * import_write.c
 *	  The records of an entry: a dataset, and a file for each distribution.
 */
#include "catalogue.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/bytea.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/base.h"
#include "base/state_action.h"
#include "import/records_internal.h"
#include "pg/bulk_insert.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "registry/rows.h"

/* Column numbers of catalogue.imported. */
#define IMPORTED_RECORD 3
#define IMPORTED_DIGEST 4
#define IMPORTED_FILES 5
#define IMPORTED_ENDED 6

/* Name of the category of entries without theme. */
#define OTHER "Other"

/* Return the digest of all that the records of an entry depend on, which its layout is not. */
static Datum
digest_of(const Import *import)
{
	const ImportEntry *entry = import->entry;
	StringInfoData text;
	Oid type = TEXTOID;
	Datum content;
	Datum digest;
	bool isnull;
	ListCell *cell;

	initStringInfo(&text);
	appendStringInfoString(
		&text, cat_json_text_compact(pnstrdup(entry->piece->text, entry->piece->length)));
	appendStringInfoString(&text, cat_json_text_compact(entry->referred.data));
	appendStringInfo(&text, "\n%s\n%s", import->category ? import->category : "",
					 import->organization ? import->organization : "");
	foreach(cell, entry->themes)
		appendStringInfo(&text, "\n%s", (const char *) lfirst(cell));
	content = PointerGetDatum(cstring_to_text_with_len(text.data, text.len));
	cat_statement_run("SELECT sha256(convert_to($1, 'UTF8'))", 1, &type, &content, NULL, true, 1);
	digest = SPI_datumTransfer(cat_result_datum(1, &isnull), false, -1);
	SPI_freetuptable(SPI_tuptable);
	return digest;
}

/* Open the table by its index: a plan that is made while it is empty would read all of it. */
static void
open_imported(CatScan *scan)
{
	if (!cat_index_scan_open_named(scan, "imported", "imported_pkey"))
		elog(ERROR, "the table of imported entries cannot be read by its index");
}

static bool
is_same(Datum digest, Datum other)
{
	return DatumGetBool(DirectFunctionCall2(byteaeq, digest, other));
}

/* Look up what was made of the entry before; false: nothing. */
static bool
find_earlier(Import *import, Datum digest, Earlier *earlier)
{
	CatScan scan;
	Datum ended;
	bool found;
	bool isnull;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	open_imported(&scan);
	cat_index_scan_seek_words(&scan, list_make2(unconstify(char *, import->source),
												unconstify(char *, import->entry->key)));
	found = cat_index_scan_next(&scan, false);
	if (found)
	{
		import->record = TextDatumGetCString(slot_getattr(scan.slot, IMPORTED_RECORD, &isnull));
		earlier->same = is_same(slot_getattr(scan.slot, IMPORTED_DIGEST, &isnull), digest);
		earlier->text = TextDatumGetCString(slot_getattr(scan.slot, IMPORTED_FILES, &isnull));
		earlier->files = cat_body_members(earlier->text, strlen(earlier->text));
		ended = slot_getattr(scan.slot, IMPORTED_ENDED, &isnull);
		if (!isnull)
			earlier->ended = TextDatumGetCString(ended);
	}
	cat_index_scan_close(&scan);
	PopActiveSnapshot();
	if (found)
		cat_import_read_status(import, earlier);
	return found;
}

/* Note which records were made of the entry, and the instants at which imports have ended the dataset. */
static void
note(const Import *import, Datum digest, const char *files, const char *ended)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID, BYTEAOID, JSONOID, TEXTOID};
	Datum values[] = {
		CStringGetTextDatum(import->source), CStringGetTextDatum(import->entry->key),
		CStringGetTextDatum(import->record), digest,
		CStringGetTextDatum(files),			 ended ? CStringGetTextDatum(ended) : (Datum) 0};
	char nulls[] = {' ', ' ', ' ', ' ', ' ', ended ? ' ' : 'n', '\0'};

	cat_statement_run("INSERT INTO catalogue.imported AS i (source, id, record, digest, files, "
					  "ended) VALUES ($1, $2, $3, $4, $5, $6::json) "
					  "ON CONFLICT (source, id) DO UPDATE SET record = excluded.record, "
					  "digest = excluded.digest, files = excluded.files, "
					  "ended = excluded.ended",
					  6, types, values, nulls, true, 0);
}

/* Append a member of a body whose value is a text, null for NULL. */
static void
add_text(StringInfo body, const char *name, const char *text)
{
	appendStringInfo(body, "%c\"%s\":", body->len == 0 ? '{' : ',', name);
	if (text)
		cat_json_text_string(body, text);
	else
		appendStringInfoString(body, "null");
}

/* Append a member with the ids of the records that names stand for; returns how many. */
static int
add_terms(Import *import, StringInfo body, const char *resource, List *names)
{
	int count = 0;
	ListCell *cell;

	appendStringInfo(body, ",\"%s\":[", resource);
	foreach(cell, names)
	{
		const char *id = cat_import_term(import, resource, lfirst(cell));

		if (id)
			appendStringInfo(body, "%s\"%s\"", count++ > 0 ? "," : "", id);
	}
	return count;
}

/* Append the categories of the dataset, which has at least one. */
static void
add_categories(Import *import, StringInfo body)
{
	const char *category = import->category;

	if (add_terms(import, body, "categories", import->entry->themes) == 0)
	{
		if (!category)
		{
			category = cat_import_term(import, "categories", OTHER);
			cat_import_note(import->entry, "theme: there is none; category \"" OTHER "\" is taken");
		}
		if (category)
			appendStringInfo(body, "\"%s\"", category);
	}
	appendStringInfoChar(body, ']');
}

/* Append what only a new dataset or file gets. */
static void
add_new(const Import *import, StringInfo body)
{
	add_text(body, "owner", import->actor.user);
	if (import->publish && import->entry->access == ENTRY_PUBLIC)
		add_text(body, "status", PUBLISHED);
}

/* Create or update the dataset; present: its name. */
static void
write_dataset(Import *import, const char *present)
{
	const ImportEntry *entry = import->entry;
	StringInfoData body;

	import->part = "";
	initStringInfo(&body);
	add_text(&body, "name", cat_import_name(import, present));
	add_text(&body, "description", entry->description);
	appendStringInfo(&body, ",\"optionals\":%s", entry->optionals);
	add_categories(import, &body);
	(void) add_terms(import, &body, "tags", entry->tags);
	appendStringInfoChar(&body, ']');
	if (!import->record)
		add_new(import, &body);
	appendStringInfoChar(&body, '}');
	if (import->record)
		cat_import_update(import, "datasets", import->record, body.data);
	else
		import->record = cat_import_create(import, "datasets", body.data);
}

/* Create or update the file of a distribution; id: that of the file, NULL for a new one. */
static const char *
write_file(Import *import, const Distribution *distribution, const char *id)
{
	const ImportEntry *entry = import->entry;
	StringInfoData body;

	initStringInfo(&body);
	add_text(&body, "name", distribution->name);
	add_text(&body, "description", distribution->description);
	appendStringInfo(&body, ",\"optionals\":%s", distribution->optionals);
	add_text(&body, "type", cat_import_file_type(import, distribution));
	add_text(&body, "organization", cat_import_publisher(import));
	add_text(&body, "updateFrequency", cat_import_frequency(import, entry->frequency));
	if (!id)
	{
		add_text(&body, "url", distribution->url);
		add_text(&body, "dataset", import->record);
		add_new(import, &body);
	}
	appendStringInfoChar(&body, '}');
	return id ? cat_import_update(import, "files", id, body.data)
			  : cat_import_create(import, "files", body.data);
}

/* Append the file of a distribution: JSON. */
static void
add_file(StringInfo files, const char *distribution, const char *file)
{
	if (files->len > 1)
		appendStringInfoChar(files, ',');
	cat_json_text_string(files, distribution);
	appendStringInfo(files, ":%s", file);
}

/* The file of a distribution as an earlier import has left it. */
typedef struct FormerFile
{
	const char *id;	   /* NULL: it was deleted here */
	const char *ended; /* instants at which imports have ended it: JSON; NULL: none has */
} FormerFile;

static FormerFile
former_file(const Member *former)
{
	FormerFile file = {NULL, NULL};
	List *members;

	if (former->kind == MEMBER_STRING)
		file.id = former->text;
	if (former->kind != MEMBER_OBJECT)
		return file;
	members = cat_body_members(former->raw, strlen(former->raw));
	file.id = cat_import_text(cat_import_property(members, "file"));
	file.ended = cat_import_property(members, "ended")->raw;
	return file;
}

/* Return what is known of a file that the import has ended, or not published: JSON. */
static const char *
ended_file(const char *id, const char *earlier)
{
	return psprintf("{\"file\":\"%s\",\"ended\":%s}", id, cat_import_ended("files", id, earlier));
}

static bool
is_living(const FormerFile *file)
{
	return file->id && cat_import_rows("files", file->id).count > 0;
}

/* Write the file of a distribution; returns what is known of it: JSON. */
static const char *
write_distribution(Import *import, const Distribution *distribution, const Member *former)
{
	FormerFile file = {NULL, NULL};

	if (former)
	{
		file = former_file(former);
		if (file.ended)
			(void) cat_import_bring_back(import, "files", file.id, file.ended);
		if (!is_living(&file))
			return "null";
	}
	file.id = write_file(import, distribution, file.id);
	if (import->entry->access == ENTRY_PUBLIC || (former && !file.ended))
		return psprintf("\"%s\"", file.id);
	/* it is published when the entry is */
	return former ? former->raw : ended_file(file.id, NULL);
}

/* Write the files of all distributions. */
static void
write_files(Import *import, List *earlier, HTAB *present, StringInfo files)
{
	int number = 0;
	ListCell *cell;

	foreach(cell, import->entry->distributions)
	{
		Distribution *distribution = lfirst(cell);
		const Member *former = cat_body_member(earlier, distribution->id);

		import->part = psprintf("distributions[%d].", ++number);
		cat_import_map_put(present, distribution->id, distribution);
		add_file(files, distribution->id, write_distribution(import, distribution, former));
	}
	import->part = "";
}

/* Treat the files whose distributions the entry has no longer as gone; of an entry that was not read
 * to its end, none is. */
static void
end_files(Import *import, List *earlier, HTAB *present, StringInfo files)
{
	ListCell *cell;

	foreach(cell, earlier)
	{
		const Member *former = lfirst(cell);
		FormerFile file = former_file(former);
		const char *known = former->raw;

		if (cat_import_map_get(present, former->name))
			continue;
		/* what is unpublished already may still be deleted */
		if (!import->entry->cut && (!file.ended || import->gone == GONE_DELETE) &&
			is_living(&file) && strcmp(cat_import_remove(import, "files", file.id), "kept") != 0)
			known = ended_file(file.id, file.ended);
		add_file(files, former->name, known);
	}
}

void
cat_import_write(Import *import)
{
	Datum digest = digest_of(import);
	Earlier earlier = {0};
	bool found = find_earlier(import, digest, &earlier);
	bool changed = found && cat_import_settle_access(import, &earlier);
	HTAB *present = cat_import_map();
	StringInfoData files;

	import->outcome = found ? IMPORT_UPDATED : IMPORT_CREATED;
	if (found && !earlier.status)
		ereport(ERROR, (errcode(OD409), errmsg("the dataset of this entry was deleted here")));
	if (found && earlier.same)
	{
		if (changed)
			note(import, digest, earlier.text, earlier.ended);
		else
			import->outcome = IMPORT_UNCHANGED;
		return;
	}
	write_dataset(import, earlier.name);
	if (!found)
		cat_import_settle_new(import, &earlier);
	initStringInfo(&files);
	appendStringInfoChar(&files, '{');
	write_files(import, earlier.files, present, &files);
	end_files(import, earlier.files, present, &files);
	appendStringInfoChar(&files, '}');
	note(import, digest, files.data, earlier.ended);
}
