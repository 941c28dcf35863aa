/*
 * import_access.c
 *	  To whom records of entries are shown: what a source withholds, ends, and names again.
 *
 * A record that imports have ended is marked by the instants of that.  It is restored only while
 * one of them is the instant at which it was deleted or unpublished, or created as a draft: what
 * users have done since stays.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "base/base.h"
#include "base/state_action.h"
#include "import/records_internal.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "registry/rows.h"

/* Return whether a value is true, which CKAN also writes as a text. */
static bool
is_true(const Member *value)
{
	bool truth = false;

	return value && value->text && parse_bool(value->text, &truth) && truth;
}

EntryAccess
cat_import_access(List *members)
{
	static const char *const rights[] = {"accessLevel", "accessRights"};
	const char *state = cat_import_text(cat_import_property(members, "state"));

	if (state && pg_strcasecmp(state, "deleted") == 0)
		return ENTRY_DELETED;
	if (is_true(cat_import_property(members, "private")) ||
		(state && pg_strcasecmp(state, "draft") == 0))
		return ENTRY_WITHHELD;
	for (size_t i = 0; i < lengthof(rights); i++)
	{
		const char *right = cat_import_text(cat_import_property(members, rights[i]));

		/* everybody's is the word, or an address that ends with it */
		if (right && pg_strcasecmp(cat_import_local_name(cat_one_line_trim(right)), "public") != 0)
			return ENTRY_WITHHELD;
	}
	return ENTRY_PUBLIC;
}

const char *
cat_import_ended(const char *resource, const char *id, const char *earlier)
{
	return cat_import_find(
		psprintf("SELECT ($2::jsonb || to_jsonb(coalesce(r.deleted_at, r.un_published_at, "
				 "r.created_at)))::text FROM catalogue.%s r WHERE r.id = $1",
				 resource),
		id, earlier ? earlier : "[]");
}

/* Return how a record is restored, which imports have ended at these instants and which nobody
 * has changed since: restore, publish, or draft if it was not published before; NULL: it is not. */
static const char *
restoring(const char *resource, const char *id, const char *ended)
{
	return cat_import_find(
		psprintf("SELECT CASE WHEN r.deleted_at = ANY (i.ended) THEN 'restore' "
				 "WHEN r.deleted_at IS NOT NULL THEN NULL "
				 "WHEN r.status = '" UNPUBLISHED "' AND r.un_published_at = ANY (i.ended) "
				 "THEN 'publish' "
				 "WHEN r.status = '" DRAFT "' AND r.created_at = ANY (i.ended) THEN 'draft' END "
				 "FROM catalogue.%s r, (SELECT ARRAY(SELECT e::timestamptz "
				 "FROM json_array_elements_text($2::json) e)) i(ended) WHERE r.id = $1",
				 resource),
		id, ended);
}

const char *
cat_import_restore(Import *import, const char *resource, const char *id, const char *ended)
{
	const char *way = restoring(resource, id, ended);
	const char *done = NULL;

	if (way && strcmp(way, "restore") == 0)
	{
		cat_import_act(import, resource, id, "restore");
		done = "restored";
		way = restoring(resource, id, ended);
	}
	if (!way || import->entry->access != ENTRY_PUBLIC ||
		(strcmp(way, "draft") == 0 && !import->publish) ||
		cat_import_attempt(&(Attempt){import, resource, id, "publish", NULL}))
		return done;
	return done ? "restored and published" : "published";
}

Rows
cat_import_rows(const char *resource, const char *id)
{
	Rows rows;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	rows = cat_rows_by_id(cat_registry_resource(resource), id, ACCESS_ALL);
	PopActiveSnapshot();
	return rows;
}

/* Return the text of a column of a dataset. */
static char *
column_text(const Rows *rows, const char *name)
{
	int column = cat_rows_column(rows, cat_registry_resource("datasets"), NULL, name) + 1;
	bool isnull;

	return TextDatumGetCString(heap_getattr(rows->tuples[0], column, rows->desc, &isnull));
}

void
cat_import_read_status(const Import *import, Earlier *earlier)
{
	Rows rows = cat_import_rows("datasets", import->record);

	earlier->status = rows.count > 0 ? column_text(&rows, "status") : NULL;
	earlier->name = rows.count > 0 ? column_text(&rows, "name") : NULL;
}

bool
cat_import_apply_access(Import *import, Earlier *earlier)
{
	const char *back = NULL;

	if (earlier->ended)
		back = cat_import_restore(import, "datasets", import->record, earlier->ended);
	if (back)
	{
		cat_import_note(import->entry, psprintf("brought back: %s", back));
		cat_import_read_status(import, earlier);
	}
	if (import->entry->access == ENTRY_PUBLIC)
	{
		earlier->ended = NULL;
		if (earlier->status && strcmp(earlier->status, UNPUBLISHED) == 0)
			cat_import_note(import->entry, "the dataset was unpublished here, and stays so");
		return back != NULL;
	}
	if (!earlier->status || strcmp(earlier->status, PUBLISHED) != 0)
		return back != NULL;
	cat_import_act(import, "datasets", import->record, "unpublish");
	cat_import_note(import->entry, "the source withholds it: unpublished");
	earlier->ended = cat_import_ended("datasets", import->record, NULL);
	return true;
}

void
cat_import_apply_new(Import *import, Earlier *earlier)
{
	if (import->entry->access == ENTRY_PUBLIC)
		return;
	cat_import_note(import->entry, "the source withholds it: not published");
	earlier->ended = cat_import_ended("datasets", import->record, NULL);
}
