/*
 * import_write.c
 *	  The dataset of an entry, and what imports know of it.
 */
#include "catalogue.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/bytea.h"
#include "utils/fmgrprotos.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/base.h"
#include "base/state_action.h"
#include "import/group_internal.h"
#include "import/identity_internal.h"
#include "import/records_internal.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "registry/rows.h"

/* Name of the category of entries without theme. */
#define OTHER "Other"

/* Return what is read of a distribution, as JSON that begins with what distributions differ in. */
static char *
distribution_text(const Distribution *distribution)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	cat_json_text_member(&out, "id", distribution->id);
	cat_json_text_member(&out, "title", distribution->title);
	cat_json_text_member(&out, "name", distribution->name);
	cat_json_text_member(&out, "description", distribution->description);
	cat_json_text_member(&out, "url", distribution->url);
	cat_json_text_member(&out, "format", distribution->format);
	appendStringInfo(&out, ",\"optionals\":%s}", distribution->optionals);
	return out.data;
}

/* Return the digest of all that the records of an entry depend on: of what was read of it, in any
 * order. */
static Datum
digest_of(const Import *import)
{
	const ImportEntry *entry = import->entry;
	List *distributions = NIL;
	StringInfoData out;

	foreach_ptr(const Distribution, distribution, entry->distributions)
		distributions = lappend(distributions, distribution_text(distribution));
	initStringInfo(&out);
	appendStringInfo(&out, "{\"optionals\":%s,\"access\":%d,\"cut\":%d", entry->optionals,
					 (int) entry->access, entry->cut);
	cat_json_text_member(&out, "name", entry->name);
	cat_json_text_member(&out, "description", entry->description);
	cat_json_text_member(&out, "publisher", entry->publisher);
	cat_json_text_member(&out, "frequency", entry->frequency);
	cat_json_text_member(&out, "category", import->category);
	cat_json_text_member(&out, "organization", import->organization);
	cat_json_text_list(&out, "tags", cat_import_sorted(entry->tags));
	cat_json_text_list(&out, "themes", cat_import_sorted(entry->themes));
	appendStringInfoString(&out, ",\"distributions\":[");
	foreach_ptr(const char, text, cat_import_sorted(distributions))
		appendStringInfo(&out, "%s%s", foreach_current_index(text) > 0 ? "," : "", text);
	appendStringInfoString(&out, "]}");
	/* in jsonb the members of an object have one order */
	return DirectFunctionCall1(sha256_bytea,
							   DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

void
cat_import_open_imported(CatScan *scan)
{
	if (!cat_index_scan_open_named(scan, "imported", "imported_pkey"))
		elog(ERROR, "the table of imported entries cannot be read by its index");
}

/* Return the text of a column of a row, NULL for null. */
static char *
text_of(const CatScan *scan, int column)
{
	bool isnull;
	Datum value = slot_getattr(scan->slot, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/* Look up what was made of the entry before; false: nothing. */
static bool
find_earlier(Import *import, Datum digest, Earlier *earlier)
{
	CatScan scan;
	bool found;
	bool isnull;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	cat_import_open_imported(&scan);
	cat_index_scan_seek_words(&scan, list_make2(unconstify(char *, import->source),
												unconstify(char *, import->entry->key)));
	found = cat_index_scan_next(&scan, false);
	if (found)
	{
		import->record = TextDatumGetCString(slot_getattr(scan.slot, IMPORTED_RECORD, &isnull));
		earlier->same = DatumGetBool(DirectFunctionCall2(
			byteaeq, slot_getattr(scan.slot, IMPORTED_DIGEST, &isnull), digest));
		earlier->files = TextDatumGetCString(slot_getattr(scan.slot, IMPORTED_FILES, &isnull));
		earlier->ended = text_of(&scan, IMPORTED_ENDED);
		earlier->base = text_of(&scan, IMPORTED_BASE);
	}
	cat_index_scan_close(&scan);
	PopActiveSnapshot();
	if (found)
		cat_import_read_status(import, earlier);
	return found;
}

#define INSERT_IMPORTED                                                                     \
	"INSERT INTO catalogue.imported AS i (source, id, record, digest, files, base, ended) " \
	"VALUES ($1, $2, $3, $4, $5::json, $6::json, $7::json)"
#define OR_REPLACE                                                                \
	" ON CONFLICT (source, id) DO UPDATE SET record = excluded.record, digest = " \
	"excluded.digest, files = excluded.files, base = excluded.base, ended = excluded.ended"

/* Note what the import knows of the entry from now on. */
static void
note(const Import *import, Datum digest, const Earlier *earlier)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID, BYTEAOID, TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(import->source),
					  CStringGetTextDatum(import->entry->key),
					  CStringGetTextDatum(import->record),
					  digest,
					  CStringGetTextDatum(earlier->files),
					  earlier->base ? CStringGetTextDatum(earlier->base) : (Datum) 0,
					  earlier->ended ? CStringGetTextDatum(earlier->ended) : (Datum) 0};
	char nulls[] = {' ', ' ', ' ', ' ', ' ', earlier->base ? ' ' : 'n', earlier->ended ? ' ' : 'n',
					'\0'};

	cat_statement_run(import->outcome == IMPORT_CREATED ? INSERT_IMPORTED
														: INSERT_IMPORTED OR_REPLACE,
					  7, types, values, nulls, true, 0);
}

/* Store the further keys of the entry. */
static void
store_keys(const Import *import)
{
	foreach_ptr(const char, key, import->entry->identity->added)
		cat_statement_fresh("INSERT INTO catalogue.imported_key AS k (source, key, id) "
							"VALUES ($1, $2, $3) ON CONFLICT (source, key) DO UPDATE SET id = "
							"excluded.id",
							text_param(import->source), text_param(key),
							text_param(import->entry->key));
}

/* Return the ids of the records that names stand for, as a JSON array; otherwise: the id where there
 * is none, or NULL. */
static const char *
terms_of(Import *import, const char *resource, List *names, const char *otherwise)
{
	StringInfoData ids;
	ListCell *cell;

	initStringInfo(&ids);
	foreach(cell, names)
	{
		const char *id = cat_import_term(import, resource, lfirst(cell));

		if (id)
			appendStringInfo(&ids, "%c\"%s\"", ids.len == 0 ? '[' : ',', id);
	}
	if (ids.len == 0)
		return otherwise ? psprintf("[\"%s\"]", otherwise) : "[]";
	appendStringInfoChar(&ids, ']');
	return ids.data;
}

/* Return the categories of the dataset, which has at least one, as a JSON array. */
static const char *
categories_of(Import *import)
{
	const char *ids = terms_of(import, "categories", import->entry->themes, import->category);

	if (strcmp(ids, "[]") != 0)
		return ids;
	cat_import_note(import->entry, "theme: there is none; category \"" OTHER "\" is taken");
	return terms_of(import, "categories", list_make1(OTHER), NULL);
}

void
cat_import_body_new(const Import *import, RecordBody *body)
{
	cat_import_body_text(import, body, "owner", import->actor.user);
	if (import->publish && import->entry->access == ENTRY_PUBLIC)
		cat_import_body_text(import, body, "status", PUBLISHED);
}

/* Set the body of the dataset. */
static void
set_body(Import *import, const Earlier *earlier, RecordBody *body)
{
	const ImportEntry *entry = import->entry;
	const char *organization = cat_import_publisher(import, "datasets");

	import->part = "";
	cat_import_body_begin(import, body, "datasets", import->record, earlier->base);
	if (cat_import_body_takes(import, body, "name"))
		cat_import_body_text(import, body, "name", cat_import_name(import, earlier->name));
	cat_import_body_text(import, body, "description", entry->description);
	cat_import_body_json(import, body, "optionals", entry->optionals);
	if (organization)
		cat_import_body_text(import, body, "organization", organization);
	cat_import_body_json(import, body, "categories", categories_of(import));
	cat_import_body_json(import, body, "tags", terms_of(import, "tags", entry->tags, NULL));
}

/* Create or update the dataset. */
static void
write_dataset(Import *import, Earlier *earlier)
{
	RecordBody body;

	set_body(import, earlier, &body);
	import->record = cat_import_body_write(import, &body);
	earlier->base = body.base;
}

/* Return whether writing an entry has left its records as they were, though what was read differs. */
static bool
is_as_before(const Import *import, const Earlier *before, const Earlier *after)
{
	return import->take == NIL && import->entry->kept == NIL && before->base && after->base &&
		   strcmp(before->base, after->base) == 0 && strcmp(before->files, after->files) == 0;
}

void
cat_import_write(Import *import)
{
	Datum digest = digest_of(import);
	Earlier earlier = {0};
	bool found = find_earlier(import, digest, &earlier);
	bool changed;

	/* the name that it is restored with is the import's, not that of a user */
	if (earlier.ended && cat_import_rename_deleted(import, earlier.ended) && earlier.base)
		earlier.base = cat_import_find("SELECT ($1::jsonb - $2)::text", earlier.base, "name");
	changed = found && cat_import_apply_access(import, &earlier);
	import->outcome = found ? IMPORT_UPDATED : IMPORT_CREATED;
	if (found && !earlier.status)
		ereport(ERROR, (errcode(OD409), errmsg("the dataset of this entry was deleted here")));
	if (!changed && earlier.same && import->take == NIL)
		import->outcome = IMPORT_UNCHANGED;
	else if (!earlier.same || import->take != NIL)
	{
		Earlier before = earlier;

		write_dataset(import, &earlier);
		if (!found)
			cat_import_apply_new(import, &earlier);
		earlier.files = cat_import_files(import, earlier.files);
		note(import, digest, &earlier);
		if (found && !changed && is_as_before(import, &before, &earlier))
			import->outcome = IMPORT_UNCHANGED;
	}
	else
		note(import, digest, &earlier);
	store_keys(import);
}

void
cat_import_write_begin(Import *import, RecordBody *body)
{
	set_body(import, &(Earlier){0}, body);
}

void
cat_import_write_end(Import *import, const RecordBody *body, List *files)
{
	const Earlier known = {.base = body->base, .files = cat_import_files_end(import, files)};

	import->outcome = IMPORT_CREATED;
	note(import, digest_of(import), &known);
	store_keys(import);
}
