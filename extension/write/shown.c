/*
 * shown.c
 *	  Flags of records that are seen only with another one: <key>_shown says
 *	  whether outsiders see the record that the key names.
 *
 * The flag is in the row, so that a read looks at no other record, and the
 * numbers of what outsiders see stay exact.  It is always what the other
 * record says, whatever a statement writes.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "pg/pg.h"
#include "read/fast/fast.h"
#include "registry/registry.h"
#include "write/validation_internal.h"
#include "write/write_internal.h"

#define ENDING "_shown"

/* The key that a flag belongs to. */
static const Field *
key_of(Resource *resource, const Field *flag)
{
	size_t length = strlen(flag->column);
	char *column = pstrdup(flag->column);
	const Field *key;

	if (length > strlen(ENDING))
		column[length - strlen(ENDING)] = '\0';
	key = cat_registry_column(resource, column);
	if (!key || !key->reference)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("column \"%s\" of table %s belongs to no key", flag->column,
							   resource->table)));
	return key;
}

/* Whether outsiders see a record now; it is locked as one that is referred to. */
static bool
is_shown_now(Resource *resource, const char *id)
{
	Rows rows;
	bool found;
	bool shown;

	if (!cat_reference_lock_take(resource, id, &found) || !found)
		return false;
	PushActiveSnapshot(GetLatestSnapshot());
	shown = cat_row_fetch_by_id(resource, id, ACCESS_OUTSIDER, &rows) && rows.count == 1;
	PopActiveSnapshot();
	return shown;
}

/*
 * Give the flags of a record their values: values by attribute number less one.
 *
 * changed: the attributes that a statement writes; NULL for all.
 */
void
cat_shown_fill(Resource *resource, Datum *values, bool *nulls, const bool *changed)
{
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *flag = &resource->fields[i];
		const Field *key;
		int at;

		if (!cat_visibility_is_flag(flag))
			continue;
		key = key_of(resource, flag);
		at = key->attno - 1;
		if (changed && !changed[at] && !changed[flag->attno - 1])
			continue;
		nulls[flag->attno - 1] = false;
		values[flag->attno - 1] =
			BoolGetDatum(nulls[at] || is_shown_now(cat_registry_resource(key->reference),
												   TextDatumGetCString(values[at])));
	}
}

/* Whether flags of other records follow those of a resource. */
bool
cat_shown_leads(const Resource *resource)
{
	ListCell *cell;

	foreach(cell, resource->dependents)
		if (((Dependent *) lfirst(cell))->flag)
			return true;
	return false;
}

/* Whether a change of a record, whose rows these are, shows or hides it, which flags follow. */
bool
cat_shown_turns(const Resource *resource, HeapTuple old, HeapTuple new)
{
	return cat_shown_leads(resource) && cat_visibility_record(resource, old, ACCESS_OUTSIDER) !=
											cat_visibility_record(resource, new, ACCESS_OUTSIDER);
}

/*
 * Bring the flags of the records that refer to one in line, which outsiders now see or do not.
 *
 * deleted: the record is, and those that are deleted along are not looked at, since a restored
 * record takes its flags anew.
 */
void
cat_shown_cascade(const Resource *resource, const char *id, bool shown, bool deleted)
{
	Oid types[] = {TEXTOID, BOOLOID};
	Datum values[] = {CStringGetTextDatum(id), BoolGetDatum(shown)};
	ListCell *cell;

	foreach(cell, resource->dependents)
	{
		const Dependent *dependent = lfirst(cell);

		if (dependent->flag && !(deleted && dependent->deletion == 'c'))
			cat_statement_run(psprintf("UPDATE %s SET %s = $2 WHERE %s = $1 AND deleted_at IS NULL "
									   "AND %s <> $2",
									   dependent->table, dependent->flag, dependent->column,
									   dependent->flag),
							  2, types, values, NULL, true, 0);
	}
}
