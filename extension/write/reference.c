/*
 * reference.c
 *	  Records that a record refers to: look-ups by index for validation, and their locks.
 *
 * For a single record, the executor's start-up costs several times the look-up itself.  A look-up
 * returns false if a statement must be used.
 */
#include "catalogue.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_collation_d.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/formatting.h"
#include "utils/snapmgr.h"

#include "write/write_internal.h"

/*
 * Take a snapshot as a statement would: it sees this transaction's changes and all commits so far.
 */
static void
begin_look(void)
{
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
}

static bool
has_id(const CatScan *scan, Resource *resource, const char *id)
{
	bool isnull;
	Datum value = slot_getattr(scan->slot, resource->id, &isnull);

	return strcmp(TextDatumGetCString(value), id) == 0;
}

/*
 * Lock the current row of the scan FOR KEY SHARE; false if it is gone.
 *
 * The slot contains the newest version afterwards.
 */
static bool
lock_row(CatScan *scan)
{
	bool serial = IsolationUsesXactSnapshot();
	uint8 flags = TUPLE_LOCK_FLAG_LOCK_UPDATE_IN_PROGRESS;
	TM_FailureData failure;
	TM_Result result;

	if (!serial)
		flags |= TUPLE_LOCK_FLAG_FIND_LAST_VERSION;
	result = table_tuple_lock(scan->table, &scan->slot->tts_tid, GetActiveSnapshot(), scan->slot,
							  GetCurrentCommandId(false), LockTupleKeyShare, LockWaitBlock, flags,
							  &failure);
	if (serial && (result == TM_Updated || result == TM_Deleted))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("could not serialize access due to concurrent update")));
	return result == TM_Ok;
}

/*
 * Lock a living record against deletion until the end of the transaction.
 *
 * found: set to whether there is one with this id.  Raises 25006 in a read-only transaction.
 */
bool
cat_reference_lock_take(Resource *resource, const char *id, bool *found)
{
	CatScan scan;

	PreventCommandIfReadOnly("SELECT FOR KEY SHARE");
	if (!cat_index_scan_open(&scan, resource->relid, resource->key_index))
		return false;
	LockRelationOid(resource->relid, RowShareLock);
	begin_look();
	cat_index_scan_seek(&scan, id);
	*found = cat_index_scan_next(&scan, false) && lock_row(&scan) &&
			 slot_attisnull(scan.slot, resource->deleted_at) && has_id(&scan, resource, id);
	cat_index_scan_close(&scan);
	PopActiveSnapshot();
	return true;
}

/*
 * Look for another living record with the values of a unique key, a List of char *.
 *
 * taken: set to whether there is one whose id is not this one.
 */
bool
cat_reference_name_is_taken(Resource *resource, const UniqueKey *key, List *values, const char *id,
							bool *taken)
{
	CatScan scan;

	if (!cat_index_scan_open(&scan, resource->relid, key->plain))
		return false;
	begin_look();
	*taken = false;
	cat_index_scan_seek_words(&scan, values);
	while (!*taken && cat_index_scan_next(&scan, false))
		*taken = !has_id(&scan, resource, id);
	cat_index_scan_close(&scan);
	PopActiveSnapshot();
	return true;
}

bool
cat_reference_has_name(Resource *resource, const char *name, const char *id)
{
	bool taken = true;

	foreach_ptr(const UniqueKey, key, resource->unique_keys)
		if (list_length(key->fields) == 1 &&
			strcmp(resource->fields[linitial_int(key->fields)].name, "name") == 0 &&
			cat_reference_name_is_taken(
				resource, key,
				list_make1(linitial_int(key->folded)
							   ? str_tolower(name, strlen(name), DEFAULT_COLLATION_OID)
							   : pstrdup(name)),
				id, &taken))
			return taken;
	return true;
}

/* Return whether records of a resource are deleted with those that a field refers to. */
static bool
belongs_by(const Resource *resource, const Field *field, const Resource *parents)
{
	foreach_ptr(const Dependent, dependent, parents->dependents)
		if (dependent->deletion == 'c' && strcmp(dependent->table, resource->table) == 0 &&
			strcmp(dependent->column_name, field->column) == 0)
			return true;
	return false;
}

/*
 * A change of a record follows it down to the records that belong to it, and waits for their locks
 * while it holds its own.  So a writer that needs both takes that of the upper one first; the
 * triggers, which take it later, then have it already.
 */
void
cat_reference_lock_parents(const Resource *resource, const char *id, bool contents)
{
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];
		const Resource *parents;

		if (!field->reference)
			continue;
		parents = cat_registry_resource(field->reference);
		if (belongs_by(resource, field, parents) ||
			(contents && cat_derived_reads(resource, field)))
			cat_statement_fresh(psprintf("SELECT FROM %s p WHERE p.id = "
										 "(SELECT t.%s FROM %s t WHERE t.id = $1) FOR %s",
										 parents->table, field->quoted, resource->table,
										 contents ? "SHARE" : "KEY SHARE"),
								text_param(id));
	}
}

/* Return the id of the record that a living or deleted one belongs to by a field; NULL for none. */
static char *
parent_of(const Resource *resource, const Field *field, const char *id)
{
	cat_statement_fresh(
		psprintf("SELECT t.%s::text FROM %s t WHERE t.id = $1", field->quoted, resource->table),
		text_param(id));
	return SPI_processed == 1 ? cat_result_text(1) : NULL;
}

/* Return whether a body gives a record another parent than the present one. */
static bool
is_moved(const NewRecord *record, const Field *field, const char *present)
{
	char *given;

	if (!record->given[field->attno - 1])
		return false;
	given = cat_validate_text(field, record->values, record->nulls);
	return given == NULL || present == NULL ? given != present : strcmp(given, present) != 0;
}

void
cat_reference_require_within(const WriteCall *call, const NewRecord *record)
{
	const Actor *actor = &call->actor;

	for (int i = 0; actor->limit[0] != '\0' && i < call->resource->nfields; i++)
	{
		const Field *field = &call->resource->fields[i];
		const Resource *parents = field->reference ? cat_registry_resource(field->reference) : NULL;
		char *present;

		if (!parents || !belongs_by(call->resource, field, parents))
			continue;
		present = call->id ? parent_of(call->resource, field, call->id) : NULL;
		if (record && !is_moved(record, field, present))
			continue;
		cat_permission_require_within(
			actor, parents, "t.id IN ($1, $2)", present,
			text_param(record ? cat_validate_text(field, record->values, record->nulls) : NULL));
	}
}
