/*
 * straight.c
 *	  A new record and its links, written straight into their tables.
 *
 * Of an INSERT more is spent on what stands around the row than on the row
 * and the rules: the executor, tables of what it inserted, and foreign keys
 * that look once more for what the rules have found and locked.  Here the
 * same is done in the same order, without.
 *
 * It may be done where nothing else stands on the table: no trigger or rule
 * but the service's own, no row security, no foreign key that is not a
 * reference, which the rules look up and lock until the transaction ends.
 */
#include "catalogue.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* What an INSERT of a record calls, and one of links. */
static const char *const record_functions[] = {"check_record", "record_changes"};
static const char *const link_functions[] = {"keep_lists"};

/* Whether a plain INSERT would write no more and no less than the row. */
static bool
is_bare(Relation table)
{
	return table->rd_rel->relkind == RELKIND_RELATION && !table->rd_rel->relispartition &&
		   !table->rd_rel->relrowsecurity && !table->rd_rules &&
		   SessionReplicationRole == SESSION_REPLICATION_ROLE_ORIGIN &&
		   pg_class_aclcheck(RelationGetRelid(table), GetUserId(), ACL_INSERT) == ACLCHECK_OK;
}

/* Whether a function is one of the service's of these names. */
static bool
is_one_of(Oid function, const char *const *functions, int count)
{
	const char *name;

	if (get_func_namespace(function) != get_namespace_oid("catalogue", false))
		return false;
	name = get_func_name(function);
	for (int i = 0; i < count; i++)
		if (strcmp(name, functions[i]) == 0)
			return true;
	return false;
}

/*
 * List the functions of the triggers that an INSERT fires, but those of foreign keys; false where
 * one is not fired always.
 *
 * Nothing is looked up meanwhile: what the relation has of its triggers may be gone after that.
 */
static bool
list_functions(Relation table, List **functions)
{
	const TriggerDesc *triggers = table->trigdesc;

	for (int i = 0; triggers && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];

		if (!TRIGGER_FOR_INSERT(trigger->tgtype))
			continue;
		if (trigger->tgenabled != TRIGGER_FIRES_ON_ORIGIN || trigger->tgqual)
			return false;
		if (trigger->tgfoid != F_RI_FKEY_CHECK_INS)
			*functions = lappend_oid(*functions, trigger->tgfoid);
	}
	return true;
}

/*
 * How many triggers of the service, of these functions, an INSERT would fire besides those of
 * foreign keys; -1 where it would fire another one, or not one that is there.
 */
static int
count_triggers(Relation table, const char *const *functions, int count)
{
	List *fired = NIL;
	ListCell *cell;

	if (!list_functions(table, &fired))
		return -1;
	foreach(cell, fired)
		if (!is_one_of(lfirst_oid(cell), functions, count))
			return -1;
	return list_length(fired);
}

/* The foreign keys of a table: a copy, since the relation's own go with the next look elsewhere. */
static List *
foreign_keys(Relation table)
{
	return copyObject(RelationGetFKeyList(table));
}

/* Whether a foreign key is that of a column towards the records of a resource. */
static bool
leads_to(const ForeignKeyCacheInfo *key, AttrNumber column, const Resource *target)
{
	return key->nkeys == 1 && key->conkey[0] == column && key->confrelid == target->relid &&
		   key->confkey[0] == target->id;
}

/* Whether a foreign key is a reference, which the rules look up and lock. */
static bool
is_reference(const ForeignKeyCacheInfo *key, const Resource *resource)
{
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (field->reference && leads_to(key, field->attno, registry_resource(field->reference)))
			return true;
	}
	return false;
}

/* Whether the table of a resource takes a record so, as far as what stands on it goes. */
bool
straight_takes(Relation table, const Resource *resource)
{
	List *keys = foreign_keys(table);
	ListCell *cell;

	if (!is_bare(table) || count_triggers(table, record_functions, lengthof(record_functions)) !=
							   lengthof(record_functions))
		return false;
	foreach(cell, keys)
		if (!is_reference(lfirst(cell), resource))
			return false;
	return true;
}

/* Begin the row: with what the draft gives, and else with what its columns have by default. */
static Bulk *
begin_row(const Draft *draft, TupleTableSlot **slot)
{
	const Resource *resource = draft->resource;
	const char **columns = palloc(sizeof(char *) * resource->nfields);
	int count = 0;
	Bulk *bulk;

	for (int i = 0; i < resource->nfields; i++)
		if (draft->given[resource->fields[i].attno - 1])
			columns[count++] = resource->fields[i].column;
	bulk = bulk_open(resource->relid, count, columns);
	*slot = bulk_row(bulk);
	for (int at = 0; at < draft->natts; at++)
		if (draft->given[at])
		{
			(*slot)->tts_values[at] = draft->values[at];
			(*slot)->tts_isnull[at] = draft->nulls[at];
		}
	return bulk;
}

static void
write_record(Draft *draft)
{
	Resource *resource = draft->resource;
	TupleTableSlot *slot;
	Bulk *bulk = begin_row(draft, &slot);
	bool isnull;

	rules_complete(resource, slot->tts_values, slot->tts_isnull);
	bulk_end_row(bulk);
	bulk_flush(bulk);
	draft->id = TextDatumGetCString(slot_getattr(slot, resource->id, &isnull));
	draft->created_at = DatumGetTimestampTz(slot_getattr(slot, resource->created_at, &isnull));
	CommandCounterIncrement();
	changes_created(resource, slot);
	bulk_close(bulk);
}

/*
 * Write the record of a draft, as an INSERT would; the draft has its id from then on.
 *
 * False where a statement must do it.
 */
bool
straight_record(Draft *draft)
{
	Relation table = table_open(draft->resource->relid, RowExclusiveLock);
	bool takes = cat_check_references && straight_takes(table, draft->resource);

	table_close(table, NoLock);
	if (takes)
		write_record(draft);
	return takes;
}

static bool
takes_links(Relation table, const Resource *resource, const CatRelation *relation)
{
	List *keys = foreign_keys(table);
	ListCell *cell;

	if (!is_bare(table) || count_triggers(table, link_functions, lengthof(link_functions)) < 0)
		return false;
	foreach(cell, keys)
		if (!leads_to(lfirst(cell), relation->here.id, resource) &&
			!leads_to(lfirst(cell), relation->there.id, registry_resource(relation->target)))
			return false;
	return true;
}

/* The columns of a row of links. */
enum
{
	LINK_NEAR,
	LINK_FAR,
	LINK_POSITION,
	LINK_CREATED,
	LINK_COLUMNS
};

static void
write_links(const Draft *draft, const CatRelation *relation, List *ids)
{
	Oid table = relation->here.table;
	const char *columns[LINK_COLUMNS] = {
		[LINK_NEAR] = get_attname(table, relation->here.id, false),
		[LINK_FAR] = get_attname(table, relation->there.id, false),
		[LINK_POSITION] = "position",
		[LINK_CREATED] = relation->born ? get_attname(table, relation->here.created_at, false) : "",
	};
	Bulk *bulk = bulk_open(table, LINK_COLUMNS, columns);
	Datum near = CStringGetTextDatum(draft->id);
	ListCell *cell;

	foreach(cell, ids)
	{
		bulk_row(bulk);
		bulk_set(bulk, LINK_NEAR, near);
		bulk_set_copy(bulk, LINK_FAR, CStringGetTextDatum(lfirst(cell)));
		bulk_set(bulk, LINK_POSITION, Int32GetDatum(foreach_current_index(cell) + 1));
		bulk_set(bulk, LINK_CREATED, TimestampTzGetDatum(draft->created_at));
		bulk_end_row(bulk);
	}
	bulk_close(bulk);
	CommandCounterIncrement();
}

/*
 * Link the record that straight_record() has written with these ids, each of which the draft has
 * looked up and locked; in this order.
 *
 * False where a statement must do it.
 */
bool
straight_links(const Draft *draft, const CatRelation *relation, List *ids)
{
	Relation table = table_open(relation->here.table, RowExclusiveLock);
	bool takes;

	registry_require();
	takes = takes_links(table, draft->resource, relation);
	table_close(table, NoLock);
	if (takes && ids != NIL)
		write_links(draft, relation, ids);
	return takes;
}
