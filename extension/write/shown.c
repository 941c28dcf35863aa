/*
 * shown.c
 *	  Flags of records that are visible only together with another one: <key>_shown tells whether
 *	  outsiders see the record that the key refers to.
 *
 * The flag is part of the row, so a read needs no other record and the counts for outsiders stay
 * exact.  It always has the value determined by the other record, whatever a statement writes.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "write/write_internal.h"

#define ENDING "_shown"

/* Return the key that a flag belongs to. */
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

/* Return whether outsiders see a record now; it is locked like a referenced one. */
static bool
is_shown_now(Resource *resource, const char *id)
{
	bool found;
	bool shown;

	if (!cat_reference_lock_take(resource, id, &found) || !found)
		return false;
	PushActiveSnapshot(GetLatestSnapshot());
	shown = cat_rows_exists(resource, id, ACCESS_OUTSIDER);
	PopActiveSnapshot();
	return shown;
}

/*
 * Set the flags of a record: values by attribute number minus one.
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

/* Return whether other records have flags that depend on a resource's records. */
bool
cat_shown_has_dependents(const Resource *resource)
{
	foreach_ptr(Dependent, dependent, resource->dependents)
		if (dependent->flag)
			return true;
	return false;
}

/*
 * Update the flags of records that refer to this one, whose visibility to outsiders has changed.
 *
 * deleted: the record was deleted.  Records deleted with it are skipped, since restoring a record
 * sets its flags again.
 */
void
cat_shown_cascade(const Resource *resource, const char *id, bool shown, bool deleted)
{
	foreach_ptr(const Dependent, dependent, resource->dependents)
		if (dependent->flag && !(deleted && dependent->deletion == 'c'))
			cat_statement_in(
				dependent->is_join ? WRITE_LINKS : WRITE_BY_RULES,
				psprintf("UPDATE %s SET %s = $2 WHERE %s = $1 AND deleted_at IS NULL AND %s <> $2",
						 dependent->table, dependent->flag, dependent->column, dependent->flag),
				text_param(id), bool_param(shown));
}
