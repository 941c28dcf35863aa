/*
 * link.c
 *	  Many-to-many relations as they are written: the rows of a join table,
 *	  and the list of ids that the record keeps in its own row.
 *
 * The join table decides; the list spares each read of the record a look into it.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "base/base.h"
#include "base/body.h"
#include "base/settings.h"
#include "call/call.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "write/validation_internal.h"
#include "write/write_internal.h"

PG_FUNCTION_INFO_V1(catalogue_keep_lists);
PG_FUNCTION_INFO_V1(catalogue_relist);

/* Rows of a join table are written by these functions themselves. */
static bool writing;

/* The table whose records have their lists brought in line with rows of a join table; or none. */
static Oid keeping;

/* The elements of a list of ids: a JSON array, comma-separated text, or one record. */
static List *
elements_of(const Member *member)
{
	List *elements = NIL;
	ListCell *cell;

	if (member->kind == MEMBER_ARRAY)
		return cat_body_elements(member->raw);
	if (member->kind == MEMBER_OBJECT)
		return list_make1(unconstify(Member *, member));
	foreach(cell, cat_query_string_split(member->text, ','))
	{
		Member *element = palloc0(sizeof(Member));

		element->kind = MEMBER_STRING;
		element->text = lfirst(cell);
		element->raw = member->raw;
		elements = lappend(elements, element);
	}
	return elements;
}

static bool
has_id(List *ids, const char *id)
{
	ListCell *cell;

	foreach(cell, ids)
		if (strcmp(lfirst(cell), id) == 0)
			return true;
	return false;
}

/*
 * The ids that a member lists for a relation, each once, in order; List of char *.
 *
 * Faults: type, maxLength or reference of an element.  Null is an empty list.
 */
List *
cat_link_ids(const CatRelation *relation, const Member *member, List **faults)
{
	List *ids = NIL;
	ListCell *cell;

	if (member->kind == MEMBER_NULL)
		return NIL;
	if (member->kind == MEMBER_NUMBER || member->kind == MEMBER_BOOLEAN)
	{
		cat_validation_error_add(faults, relation->name, "type", member, "takes a list of ids");
		return NIL;
	}
	foreach(cell, elements_of(member))
	{
		char *id = cat_convert_id(relation->name, lfirst(cell), faults);

		if (id && !has_id(ids, id))
			ids = lappend(ids, id);
	}
	return ids;
}

/* Unlink a record from all but these ids. */
static void
end_rows(const CatRelation *relation, const char *id, List *ids)
{
	Oid types[] = {TEXTOID, TEXTARRAYOID};
	Datum values[] = {CStringGetTextDatum(id), cat_text_array_of_list(ids)};

	cat_statement_run(
		psprintf("UPDATE %s SET deleted_at = now() WHERE %s = $1 AND deleted_at IS NULL "
				 "AND %s <> ALL ($2)",
				 relation->via, relation->near, relation->far),
		2, types, values, NULL, true, 0);
}

/* Link a record with these ids, in this order. */
static void
write_rows(const CatRelation *relation, const char *id, List *ids)
{
	Oid types[] = {TEXTOID, TEXTARRAYOID};
	Datum values[] = {CStringGetTextDatum(id), cat_text_array_of_list(ids)};
	const char *via = relation->via;
	const char *near = relation->near;
	const char *far = relation->far;
	const char *born = "";
	const char *value = "";

	if (ids == NIL)
		return;
	if (relation->born)
	{
		born = psprintf(", %s", relation->born);
		value = psprintf(", (SELECT o.created_at FROM %s o WHERE o.id = $1)",
						 cat_registry_resource(relation->resource)->table);
	}
	cat_statement_run(
		psprintf("INSERT INTO %s AS j (%s, %s, position%s) SELECT $1, n.id, n.position%s "
				 "FROM unnest($2) WITH ORDINALITY n(id, position) "
				 "ON CONFLICT (%s, %s) WHERE deleted_at IS NULL "
				 "DO UPDATE SET position = excluded.position "
				 "WHERE j.position <> excluded.position",
				 via, near, far, born, value, near, far),
		2, types, values, NULL, true, 0);
}

/* Change rows of a join table for a record whose own list has been written already. */
static void
run_writing(void (*step)(const CatRelation *, const char *, List *), const CatRelation *relation,
			const char *id, List *ids)
{
	bool before = writing;

	writing = true;
	PG_TRY();
	{
		step(relation, id, ids);
	}
	PG_FINALLY();
	{
		writing = before;
	}
	PG_END_TRY();
}

/* Link a new record with these ids, in this order; its own list has been written already. */
void
cat_link_write(const CatRelation *relation, const char *id, List *ids)
{
	run_writing(write_rows, relation, id, ids);
}

/* Link a record with these ids alone: its links with others come to an end. */
void
cat_link_replace(const CatRelation *relation, const char *id, List *ids)
{
	run_writing(end_rows, relation, id, ids);
	run_writing(write_rows, relation, id, ids);
}

/* Whether the records of a resource are being changed in nothing but the lists that they keep. */
bool
cat_link_is_keeping(const Resource *resource)
{
	return keeping == resource->relid;
}

static int
compare_words(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/* The words sorted, each once. */
static List *
distinct(List *words)
{
	List *once = NIL;
	ListCell *cell;

	list_sort(words, compare_words);
	foreach(cell, words)
		if (once == NIL || strcmp(llast(once), lfirst(cell)) != 0)
			once = lappend(once, lfirst(cell));
	return once;
}

/* Add a column of the rows of a transition table to a list; only of living rows where asked. */
static List *
add_column(List *words, Relation table, Tuplestorestate *rows, const char *column, bool living)
{
	TupleDesc desc = RelationGetDescr(table);
	TupleTableSlot *slot;
	int wanted = SPI_fnumber(desc, column);
	int deleted_at = SPI_fnumber(desc, "deleted_at");
	bool isnull;

	if (!rows)
		return words;
	slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	tuplestore_rescan(rows);
	while (tuplestore_gettupleslot(rows, true, true, slot))
	{
		slot_getattr(slot, deleted_at, &isnull);
		if (isnull || !living)
			words = lappend(words, TextDatumGetCString(slot_getattr(slot, wanted, &isnull)));
	}
	ExecDropSingleTupleTableSlot(slot);
	return words;
}

/* What is linked must live, and stays locked until the end of the transaction. */
static void
check_linked(const CatRelation *relation, List *ids)
{
	List *faults = NIL;

	cat_validate_references(relation->name, cat_registry_resource(relation->target),
							relation->condition, "", ids, &faults);
	if (faults)
		cat_validation_error_raise(faults, OD400, NULL);
}

/* Lock records; whether all of them live. */
static bool
lock_owners(const Resource *resource, Datum ids)
{
	Oid type = TEXTARRAYOID;
	bool isnull = false;

	cat_statement_run(
		psprintf("SELECT nullif(o.deleted_at IS NULL, false) FROM %s o WHERE o.id = ANY ($1) "
				 "ORDER BY o.id FOR NO KEY UPDATE",
				 resource->table),
		1, &type, &ids, NULL, true, 0);
	for (uint64 i = 0; i < SPI_processed && !isnull; i++)
		SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);
	return !isnull;
}

/*
 * A link of a record that was deleted waits for it, as the others that went along.
 *
 * Who brought the link back may not have seen the deletion yet.
 */
static void
end_with_owners(const Resource *resource, const CatRelation *relation, Datum ids)
{
	Oid type = TEXTARRAYOID;

	cat_statement_run(
		psprintf("UPDATE %s j SET deleted_at = o.deleted_at FROM %s o WHERE o.id = ANY ($1) "
				 "AND o.deleted_at IS NOT NULL AND j.%s = o.id AND j.deleted_at IS NULL",
				 relation->via, resource->table, relation->near),
		1, &type, &ids, NULL, true, 0);
}

/*
 * Bring the lists of records in line with the join table.
 *
 * The records are locked first: of two who link at the same time, the second
 * sees what the first did.
 */
static void
keep_lists(const Resource *resource, const CatRelation *relation, List *owners)
{
	Oid type = TEXTARRAYOID;
	Datum ids = cat_text_array_of_list(owners);

	if (owners == NIL)
		return;
	if (!lock_owners(resource, ids))
		end_with_owners(resource, relation, ids);
	cat_statement_run(
		psprintf("UPDATE %s o SET %s = l.ids FROM (SELECT n.id, "
				 "coalesce(array_agg(j.%s::text ORDER BY j.position, j.%s) "
				 "FILTER (WHERE j.%s IS NOT NULL), '{}') AS ids FROM unnest($1) n(id) "
				 "LEFT JOIN %s j ON j.%s = n.id AND j.deleted_at IS NULL GROUP BY n.id) l "
				 "WHERE o.id = l.id AND o.deleted_at IS NULL AND o.%s <> l.ids",
				 resource->table, relation->list->quoted, relation->far, relation->far,
				 relation->far, relation->via, relation->near, relation->list->quoted),
		1, &type, &ids, NULL, true, 0);
}

/* Have rows of a join table say when the records were created that they are of. */
static void
keep_creation(const Resource *resource, const CatRelation *relation, List *owners)
{
	Oid type = TEXTARRAYOID;
	Datum ids = cat_text_array_of_list(owners);

	if (!relation->born)
		return;
	cat_statement_run(psprintf("UPDATE %s j SET %s = o.created_at FROM %s o WHERE o.id = ANY ($1) "
							   "AND j.%s = o.id AND j.deleted_at IS NULL AND j.%s <> o.created_at",
							   relation->via, relation->born, resource->table, relation->near,
							   relation->born),
					  1, &type, &ids, NULL, true, 0);
}

/* Do both; what triggers of others do meanwhile with other records is not part of it. */
static void
keep(const Resource *resource, const CatRelation *relation, List *owners)
{
	bool writing_before = writing;
	Oid keeping_before = keeping;

	keeping = resource->relid;
	writing = true;
	PG_TRY();
	{
		keep_lists(resource, relation, owners);
		keep_creation(resource, relation, owners);
	}
	PG_FINALLY();
	{
		keeping = keeping_before;
		writing = writing_before;
	}
	PG_END_TRY();
}

/* The relation that the arguments of the trigger name, NULL where it is none any more. */
static CatRelation *
kept_relation(char **arguments, Resource **resource)
{
	CatRelation *relation;

	*resource = cat_registry_find(arguments[0]);
	relation = *resource ? cat_registry_relation(*resource, arguments[1]) : NULL;
	return relation && relation->list ? relation : NULL;
}

/*
 * Keep the lists of ids that records have, after rows of their join table changed; and in these
 * rows when the records were created.
 *
 * AFTER INSERT, UPDATE OR DELETE with all transition tables, FOR EACH
 * STATEMENT.  Arguments: resource, relation, and the columns of the join
 * table towards the record and away from it.  OD400 where what is linked
 * does not live.
 */
Datum
catalogue_keep_lists(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	char **arguments;
	Resource *resource;
	CatRelation *relation;
	List *owners;
	int nest;

	if (!CALLED_AS_TRIGGER(fcinfo) || trigger->tg_trigger->tgnargs != 4)
		elog(ERROR, "keep_lists: not called as a trigger with four arguments");
	arguments = trigger->tg_trigger->tgargs;
	if (writing || !(relation = kept_relation(arguments, &resource)))
		return PointerGetDatum(NULL);
	nest = cat_security_context_pin();
	SPI_connect();
	owners = add_column(NIL, trigger->tg_relation, trigger->tg_oldtable, arguments[2], false);
	owners = add_column(owners, trigger->tg_relation, trigger->tg_newtable, arguments[2], false);
	if (cat_check_references)
		check_linked(relation, distinct(add_column(NIL, trigger->tg_relation, trigger->tg_newtable,
												   arguments[3], true)));
	keep(resource, relation, distinct(owners));
	SPI_finish();
	cat_security_context_unpin(nest);
	return PointerGetDatum(NULL);
}

/* Bring all lists of one record in line with the join tables. */
Datum
catalogue_relist(PG_FUNCTION_ARGS)
{
	Resource *resource;
	List *owners;

	cat_owner_call_begin();
	resource = cat_registry_resource(cat_call_reply_argument(fcinfo, 0));
	owners = list_make1(unconstify(char *, cat_call_reply_argument(fcinfo, 1)));
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].list)
			keep(resource, &resource->relations[i], owners);
	cat_owner_call_end();
	PG_RETURN_VOID();
}
