/*
 * import_name.c
 *	  The name of an entry's dataset, which no other dataset has.
 *
 * A title that another dataset has gets a number.  Titles may move between the entries of a document:
 * a dataset that has the name now, and whose entry is read later with another title, makes way.
 */
#include "catalogue.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/memutils.h"

#include "base/base.h"
#include "import/identity_internal.h"
#include "import/records_internal.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "write/write.h"

#define NAME_MAX_CHARACTERS 150 /* of datasets.name */

char *
cat_import_fold(const char *text)
{
	return str_tolower(text, strlen(text), DEFAULT_COLLATION_OID);
}

/* A dataset that has a name already. */
typedef struct Holder
{
	char *record;
	char *entry; /* key of the entry of the same source that it is made of, if that gave it the
				  * name; NULL for none */
} Holder;

/* Find another dataset with a name; false: there is none. */
static bool
find_holder(const Import *import, const char *name, Holder *holder)
{
	const char *own = import->record ? import->record : "";
	const char *base;
	Rows rows;

	if (!cat_reference_has_name(cat_registry_resource("datasets"), name, own))
		return false;
	cat_statement_fresh("SELECT d.id::text, i.id, i.base ->> 'name' FROM catalogue.datasets d LEFT "
						"JOIN catalogue.imported i ON i.record = d.id AND i.source = $2 "
						"WHERE lower(d.name) = lower($1) AND d.deleted_at IS NULL LIMIT 1",
						text_param(name), text_param(import->source));
	if (SPI_processed == 0)
		return false;
	holder->record = cat_result_text(1);
	holder->entry = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2);
	base = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 3);
	SPI_freetuptable(SPI_tuptable);
	rows = cat_import_rows("datasets", holder->record);
	if (!base || rows.count == 0 || strcmp(base, cat_import_digest(&rows, "name")) != 0)
		holder->entry = NULL;
	return true;
}

/* Return a name with a number behind it that no other dataset has. */
static const char *
numbered(Import *import, const char *name)
{
	MemoryContext lasting = GetMemoryChunkContext(import->report);
	char *key = cat_import_fold(name);
	int *last = cat_import_map_get(import->numbers, key);
	const char *free_name;
	Holder holder;

	if (!last)
	{
		last = MemoryContextAlloc(lasting, sizeof(int));
		*last = 1;
		cat_import_map_put(import->numbers, MemoryContextStrdup(lasting, key), last);
	}
	do
	{
		char *suffix = psprintf(" (%d)", ++*last);

		CHECK_FOR_INTERRUPTS();
		free_name = psprintf(
			"%s%s", cat_import_cut(name, NAME_MAX_CHARACTERS - (int) strlen(suffix)), suffix);
	} while (find_holder(import, free_name, &holder));
	return free_name;
}

/* Read the titles of all entries. */
static void
read_titles(Import *import)
{
	MemoryContext lasting = GetMemoryChunkContext(import->report);
	MemoryContext former = MemoryContextSwitchTo(lasting);
	MemoryContext read =
		AllocSetContextCreate(lasting, "catalogue import titles", ALLOCSET_DEFAULT_SIZES);
	ListCell *cell;

	import->titles = cat_import_map();
	MemoryContextSwitchTo(read);
	foreach(cell, import->document.entries)
	{
		const char *key = import->identities[foreach_current_index(cell)].key;
		const char *title = key ? cat_import_entry_title(import, lfirst(cell)) : NULL;

		CHECK_FOR_INTERRUPTS();
		if (title)
			cat_import_map_put(import->titles, key, MemoryContextStrdup(lasting, title));
		MemoryContextReset(read);
	}
	MemoryContextSwitchTo(former);
	MemoryContextDelete(read);
}

/* Return the title that the document gives an entry, NULL for none. */
static const char *
title_of(Import *import, const char *key)
{
	if (!import->titles)
		read_titles(import);
	return cat_import_map_get(import->titles, key);
}

/* Give a dataset another name, which its users have not given it; false where that is not possible. */
static bool
rename_dataset(Import *import, const Holder *holder, const char *name)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(import->source), CStringGetTextDatum(holder->entry),
					  (Datum) 0};
	StringInfoData body;
	Rows rows;

	initStringInfo(&body);
	appendStringInfoString(&body, "{\"name\":");
	cat_json_text_string(&body, name);
	appendStringInfoChar(&body, '}');
	if (cat_import_attempt(&(Attempt){import, "datasets", holder->record, NULL, body.data}))
		return false;
	rows = cat_import_rows("datasets", holder->record);
	values[2] = CStringGetTextDatum(cat_import_digest(&rows, "name"));
	cat_statement_run("UPDATE catalogue.imported i SET base = jsonb_set(i.base::jsonb, '{name}', "
					  "to_jsonb($3))::json WHERE i.source = $1 AND i.id = $2",
					  3, types, values, NULL, true, 0);
	return true;
}

/* Have the dataset of an entry that is read later make way; false where that is not so, or not
 * possible. */
static bool
makes_way(Import *import, const Holder *holder, const char *name)
{
	const char *title;

	if (!holder->entry || cat_import_map_get(import->seen, holder->entry))
		return false;
	title = title_of(import, holder->entry);
	return title && strcmp(cat_import_fold(title), cat_import_fold(name)) != 0 &&
		   rename_dataset(import, holder, numbered(import, name));
}

/* Return whether a name is another one with a number behind it. */
static bool
is_numbered(const char *name, const char *title)
{
	size_t length = strlen(title);
	const char *number = name + length + 2;

	return strncmp(name, title, length) == 0 && strncmp(name + length, " (", 2) == 0 &&
		   strspn(number, "0123456789") > 0 &&
		   strcmp(number + strspn(number, "0123456789"), ")") == 0;
}

bool
cat_import_rename_deleted(Import *import, const char *ended)
{
	const char *name = cat_import_find(
		"SELECT d.name::text FROM catalogue.datasets d WHERE d.id = $1 AND d.deleted_at = ANY "
		"(ARRAY(SELECT e::timestamptz FROM json_array_elements_text($2::json) e)) AND EXISTS "
		"(SELECT FROM catalogue.datasets o WHERE o.deleted_at IS NULL AND o.id <> d.id AND "
		"(lower(o.name) = lower(d.name) OR lower(o.slug) = lower(d.slug)))",
		import->record, ended);

	if (!name)
		return false;
	cat_statement_in(WRITE_BY_RULES, "UPDATE catalogue.datasets SET name = $2 WHERE id = $1",
					 text_param(import->record), text_param(numbered(import, name)));
	return true;
}

const char *
cat_import_name(Import *import, const char *present)
{
	const char *title = import->entry->name;
	Holder holder;

	if (!title || !find_holder(import, title, &holder) || makes_way(import, &holder, title))
		return title;
	if (present && is_numbered(present, title))
		return present;
	title = numbered(import, title);
	cat_import_note(import->entry,
					psprintf("title: another dataset has this name; this one is \"%s\"", title));
	return title;
}
