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
#include "import/records_internal.h"
#include "pg/pg.h"

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
	char *entry; /* key of the entry of the same source that it is made of; NULL for none */
} Holder;

/* Find another dataset with a name; false: there is none. */
static bool
find_holder(const Import *import, const char *name, Holder *holder)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(name),
					  CStringGetTextDatum(import->record ? import->record : ""),
					  CStringGetTextDatum(import->source)};
	bool found;

	cat_statement_run("SELECT d.id::text, (SELECT i.id FROM catalogue.imported i WHERE "
					  "i.record = d.id AND i.source = $3 LIMIT 1) FROM catalogue.datasets d "
					  "WHERE lower(d.name) = lower($1) AND d.deleted_at IS NULL AND d.id <> $2",
					  3, types, values, NULL, true, 1);
	found = SPI_processed > 0;
	if (found)
	{
		holder->record = cat_result_text(1);
		holder->entry = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2);
	}
	SPI_freetuptable(SPI_tuptable);
	return found;
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

/* Return the title that the document gives an entry, NULL for none. */
static const char *
title_of(Import *import, const char *key)
{
	MemoryContext former;
	ListCell *cell;

	if (!import->titles)
	{
		former = MemoryContextSwitchTo(GetMemoryChunkContext(import->report));
		import->titles = cat_import_map();
		foreach(cell, import->document.entries)
		{
			char *id;
			char *title;

			CHECK_FOR_INTERRUPTS();
			id = cat_import_entry_id(lfirst(cell));
			title = id ? cat_import_entry_title(lfirst(cell)) : NULL;
			if (title)
				cat_import_map_put(import->titles, cat_import_fold(id), title);
		}
		MemoryContextSwitchTo(former);
	}
	return cat_import_map_get(import->titles, key);
}

/* Give the dataset of an entry that is read later another name; false where that is not so, or not
 * possible. */
static bool
makes_way(Import *import, const Holder *holder, const char *name)
{
	const char *title;
	StringInfoData body;

	if (!holder->entry || cat_import_map_get(import->seen, holder->entry))
		return false;
	title = title_of(import, holder->entry);
	if (!title || strcmp(cat_import_fold(title), cat_import_fold(name)) == 0)
		return false;
	initStringInfo(&body);
	appendStringInfoString(&body, "{\"name\":");
	cat_json_text_string(&body, numbered(import, name));
	appendStringInfoChar(&body, '}');
	return cat_import_try_update(import, "datasets", holder->record, body.data);
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
