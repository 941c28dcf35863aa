/*
 * link.c
 *	  Writing of many-to-many relations: the rows of a join table, and the list of ids in the
 *	  record's own row.
 *
 * The join table is authoritative; the list spares reads of the record a look-up in it.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "base/settings.h"
#include "registry/rows.h"
#include "write/write_internal.h"

#define IDS_MAX 1000 /* of a list in a body */

/* Return the elements of a list of ids: a JSON array, comma-separated text, or one record; of more
 * than IDS_MAX one too many. */
static List *
elements_of(const Member *member)
{
	List *elements = NIL;

	if (member->kind == MEMBER_ARRAY)
		return cat_body_first_elements(member->raw, IDS_MAX);
	if (member->kind == MEMBER_OBJECT)
		return list_make1(unconstify(Member *, member));
	foreach_ptr(char, word, cat_query_string_first(member->text, ',', IDS_MAX))
	{
		Member *element = palloc0(sizeof(Member));

		element->kind = MEMBER_STRING;
		element->text = word;
		element->raw = member->raw;
		elements = lappend(elements, element);
	}
	return elements;
}

/*
 * Return the ids that a member lists for a relation, in order and without duplicates: List of char
 * *.
 *
 * Adds the errors type, maxLength or reference of elements, and maxLength for more than IDS_MAX
 * elements.  Null is an empty list.
 */
List *
cat_link_ids(const CatRelation *relation, const Member *member, List **errors)
{
	List *ids = NIL;
	List *elements;

	if (member->kind == MEMBER_NULL)
		return NIL;
	if (member->kind == MEMBER_NUMBER || member->kind == MEMBER_BOOLEAN)
	{
		cat_validation_error_add(errors, relation->name, "type", member, "takes a list of ids");
		return NIL;
	}
	elements = elements_of(member);
	if (list_length(elements) > IDS_MAX)
	{
		cat_validation_error_add(errors, relation->name, "maxLength", NULL,
								 psprintf("takes at most %d ids", IDS_MAX));
		return NIL;
	}
	foreach_ptr(Member, element, elements)
	{
		char *id = cat_convert_id(relation->name, element, errors);

		if (id && !cat_query_string_has_word(ids, id))
			ids = lappend(ids, id);
	}
	return ids;
}

/* Delete a record's links to all but these ids. */
static void
end_rows(const CatRelation *relation, const char *id, List *ids)
{
	cat_statement_in(
		WRITE_LINKS,
		psprintf("UPDATE %s SET deleted_at = now() WHERE %s = $1 AND deleted_at IS NULL "
				 "AND %s <> ALL ($2)",
				 relation->via, relation->near, relation->far),
		text_param(id), texts_param(ids));
}

/* Return the SQL condition that outsiders see the record o. */
static char *
shown_condition(const Resource *resource)
{
	StringInfo sql = makeStringInfo();

	appendStringInfoChar(sql, '(');
	cat_seen_write(sql, resource, "o", ACCESS_OUTSIDER);
	appendStringInfoString(sql, ") IS TRUE");
	return sql->data;
}

/* Rows of a join table, by column. */
typedef struct LinkRows
{
	List *near; /* of char * */
	List *far;	/* of char * */
	Datum *positions;
	Datum *created; /* when the record was */
	Datum *shown;	/* whether outsiders see it */
	int count;
} LinkRows;

static LinkRows
link_rows(List *links)
{
	LinkRows rows = {0};
	int most = 1;

	foreach_ptr(const Links, one, links)
		most += list_length(one->ids);
	rows.positions = palloc(sizeof(Datum) * most);
	rows.created = palloc(sizeof(Datum) * most);
	rows.shown = palloc(sizeof(Datum) * most);
	return rows;
}

/* Add the rows of a record, unless it is deleted. */
static void
add_rows(LinkRows *rows, Resource *resource, const Links *links)
{
	Rows record = cat_rows_by_id(resource, links->id, ACCESS_ALL);
	Datum created;
	bool shown;
	bool isnull;

	if (record.count == 0)
		return;
	created = heap_getattr(record.tuples[0], resource->created_at, record.desc, &isnull);
	shown = cat_seen_record(resource, record.tuples[0], ACCESS_OUTSIDER);
	foreach_ptr(char, id, links->ids)
	{
		rows->near = lappend(rows->near, unconstify(char *, links->id));
		rows->far = lappend(rows->far, id);
		rows->positions[rows->count] = Int32GetDatum(foreach_current_index(id) + 1);
		rows->created[rows->count] = created;
		rows->shown[rows->count++] = BoolGetDatum(shown);
	}
}

/* Return the statement that inserts rows, or gives those that are there their positions. */
static const char *
link_sql(const CatRelation *relation)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s AS j (%s, %s, position", relation->via, relation->near,
					 relation->far);
	if (relation->created)
		appendStringInfo(&sql, ", %s", relation->created);
	if (relation->flag)
		appendStringInfo(&sql, ", %s", relation->flag);
	appendStringInfo(&sql,
					 ") SELECT n.near, n.far, n.position%s%s FROM unnest($1, $2, $3, $4, $5) "
					 "n(near, far, position, created, shown) ON CONFLICT (%s, %s) "
					 "WHERE deleted_at IS NULL DO UPDATE SET position = excluded.position "
					 "WHERE j.position <> excluded.position",
					 relation->created ? ", n.created" : "", relation->flag ? ", n.shown" : "",
					 relation->near, relation->far);
	return sql.data;
}

/* Return the rows for records that are living. */
static LinkRows
rows_of(const CatRelation *relation, List *links)
{
	Resource *resource = cat_registry_resource(relation->resource);
	LinkRows rows = link_rows(links);

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	foreach_ptr(const Links, one, links)
		if (one->ids != NIL)
			add_rows(&rows, resource, one);
	PopActiveSnapshot();
	return rows;
}

/* Insert rows, or give those that are there their positions. */
static void
write_rows(const CatRelation *relation, const LinkRows *rows)
{
	cat_statement_in(
		WRITE_LINKS, link_sql(relation), texts_param(rows->near), texts_param(rows->far),
		datum_param(INT4ARRAYOID,
					PointerGetDatum(construct_array(rows->positions, rows->count, INT4OID,
													sizeof(int32), true, TYPALIGN_INT))),
		datum_param(TIMESTAMPTZARRAYOID,
					PointerGetDatum(construct_array(rows->created, rows->count, TIMESTAMPTZOID,
													sizeof(TimestampTz), FLOAT8PASSBYVAL,
													TYPALIGN_DOUBLE))),
		datum_param(BOOLARRAYOID,
					PointerGetDatum(construct_array(rows->shown, rows->count, BOOLOID, sizeof(bool),
													true, TYPALIGN_CHAR))));
}

/* Columns of a join table that have a value of their own. */
enum
{
	LINK_NEAR,
	LINK_FAR,
	LINK_POSITION,
	LINK_CREATED,
	LINK_SHOWN,
	LINK_COLUMNS
};

/* Rows of new links, for cat_write_mode_call(). */
typedef struct NewRows
{
	const CatRelation *relation;
	const LinkRows *rows;
} NewRows;

/* Insert rows of which the table has none, with all triggers. */
static void
insert_rows(void *argument)
{
	const CatRelation *relation = ((NewRows *) argument)->relation;
	const LinkRows *rows = ((NewRows *) argument)->rows;
	const char *columns[LINK_COLUMNS] = {[LINK_NEAR] = relation->near_name,
										 [LINK_FAR] = relation->far_name,
										 [LINK_POSITION] = "position",
										 [LINK_CREATED] =
											 psprintf("%s_created_at", relation->near_name),
										 [LINK_SHOWN] = psprintf("%s_shown", relation->near_name)};
	BulkInsert *bulk = cat_bulk_insert_open_ruled(relation->via_oid, LINK_COLUMNS, columns);

	for (int i = 0; i < rows->count; i++)
	{
		cat_bulk_insert_row(bulk);
		/* known to be ids; checking their domain would cost more than the rest */
		cat_bulk_insert_set(bulk, LINK_NEAR, CStringGetTextDatum(list_nth(rows->near, i)));
		cat_bulk_insert_set(bulk, LINK_FAR, CStringGetTextDatum(list_nth(rows->far, i)));
		cat_bulk_insert_set(bulk, LINK_POSITION, rows->positions[i]);
		cat_bulk_insert_set(bulk, LINK_CREATED, rows->created[i]);
		cat_bulk_insert_set(bulk, LINK_SHOWN, rows->shown[i]);
		cat_bulk_insert_end_row(bulk);
	}
	cat_bulk_insert_close(bulk);
}

void
cat_link_write(const CatRelation *relation, List *links)
{
	LinkRows rows = rows_of(relation, links);

	if (rows.count > 0)
		write_rows(relation, &rows);
}

void
cat_link_insert(const CatRelation *relation, List *links)
{
	LinkRows rows = rows_of(relation, links);

	if (rows.count == 0)
		return;
	/* without reference checks there may be links already */
	if (cat_check_references)
		cat_write_mode_call(WRITE_LINKS, insert_rows, &(NewRows){relation, &rows});
	else
		write_rows(relation, &rows);
}

/* Link a record to these ids only; other links are deleted. */
void
cat_link_replace(const CatRelation *relation, const char *id, List *ids)
{
	end_rows(relation, id, ids);
	cat_link_write(relation, list_make1(&((Links){id, ids})));
}

static int
compare_words(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/* Return the words sorted and without duplicates. */
static List *
distinct(List *words)
{
	List *once = NIL;

	list_sort(words, compare_words);
	foreach_ptr(char, word, words)
		if (once == NIL || strcmp(llast(once), word) != 0)
			once = lappend(once, word);
	return once;
}

/* Append a column of a transition table's rows to a list; living: only of living rows. */
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

/* Raise OD400 unless the linked records are living; lock them until the end of the transaction. */
static void
check_linked(const CatRelation *relation, List *ids)
{
	List *errors = NIL;

	cat_validate_references(relation->name, cat_registry_resource(relation->target),
							relation->condition, "", ids, &errors);
	if (errors)
		cat_validation_error_raise(
			errors, OD400, psprintf("It takes ids of %s that are not deleted.", relation->target));
}

/* Lock records; return whether all of them are living. */
static bool
lock_owners(const Resource *resource, List *ids)
{
	bool isnull = false;

	cat_statement_fresh(
		psprintf("SELECT nullif(o.deleted_at IS NULL, false) FROM %s o WHERE o.id = ANY ($1) "
				 "ORDER BY o.id FOR NO KEY UPDATE",
				 resource->table),
		texts_param(ids));
	for (uint64 i = 0; i < SPI_processed && !isnull; i++)
		SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);
	return !isnull;
}

/*
 * Mark links of deleted records as deleted with them.
 *
 * A transaction that restores a link may not have seen the deletion yet.
 */
static void
end_with_owners(const Resource *resource, const CatRelation *relation, List *ids)
{
	cat_statement_in(
		WRITE_LINKS,
		psprintf("UPDATE %s j SET deleted_at = o.deleted_at FROM %s o WHERE o.id = ANY ($1) "
				 "AND o.deleted_at IS NOT NULL AND j.%s = o.id AND j.deleted_at IS NULL",
				 relation->via, resource->table, relation->near),
		texts_param(ids));
}

/*
 * Update lists of ids from the join table.
 *
 * The records are locked first, so that of two concurrent transactions the second sees the links of
 * the first.
 */
static void
keep_lists(const Resource *resource, const CatRelation *relation, List *owners)
{
	if (owners == NIL)
		return;
	if (!lock_owners(resource, owners))
		end_with_owners(resource, relation, owners);
	cat_statement_in(
		WRITE_LISTS,
		psprintf("UPDATE %s o SET %s = l.ids FROM (SELECT n.id, "
				 "coalesce(array_agg(j.%s::text ORDER BY j.position, j.%s) "
				 "FILTER (WHERE j.%s IS NOT NULL), '{}') AS ids FROM unnest($1) n(id) "
				 "LEFT JOIN %s j ON j.%s = n.id AND j.deleted_at IS NULL GROUP BY n.id) l "
				 "WHERE o.id = l.id AND o.deleted_at IS NULL AND o.%s <> l.ids",
				 resource->table, relation->list->quoted, relation->far, relation->far,
				 relation->far, relation->via, relation->near, relation->list->quoted),
		texts_param(owners));
}

/* Update what the rows of a join table have of the records: their creation, and their visibility. */
static void
keep_copies(const Resource *resource, const CatRelation *relation, List *owners)
{
	const char *shown = shown_condition(resource);
	StringInfoData sql;

	if (!relation->created)
		return;
	initStringInfo(&sql);
	appendStringInfo(&sql, "UPDATE %s j SET %s = o.created_at", relation->via, relation->created);
	if (relation->flag)
		appendStringInfo(&sql, ", %s = %s", relation->flag, shown);
	appendStringInfo(&sql,
					 " FROM %s o WHERE o.id = ANY ($1) AND j.%s = o.id AND j.deleted_at IS NULL "
					 "AND (j.%s <> o.created_at",
					 resource->table, relation->near, relation->created);
	if (relation->flag)
		appendStringInfo(&sql, " OR j.%s <> (%s)", relation->flag, shown);
	appendStringInfoChar(&sql, ')');
	cat_statement_in(WRITE_LINKS, sql.data, texts_param(owners));
}

/* Update lists of ids from a join table, and what its rows have of the records. */
static void
keep(const Resource *resource, const CatRelation *relation, List *owners)
{
	keep_lists(resource, relation, owners);
	keep_copies(resource, relation, owners);
}

/* Return the relation named by the trigger's arguments, NULL if it no longer exists. */
static CatRelation *
kept_relation(char **arguments, Resource **resource)
{
	CatRelation *relation;

	*resource = cat_registry_find(arguments[0]);
	relation = *resource ? cat_registry_relation(*resource, arguments[1]) : NULL;
	return relation && relation->list ? relation : NULL;
}

/*
 * Trigger: update the lists of ids of records after changes in their join table, and what its rows
 * have of the records.
 *
 * AFTER INSERT, UPDATE OR DELETE with all transition tables, FOR EACH STATEMENT.  Arguments:
 * resource, relation, and the join table's columns that refer to the record and to the other one.
 * Raises OD400 if a linked record is not living.
 */
CAT_FUNCTION(catalogue_keep_lists)
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
	if (cat_write_mode() == WRITE_LINKS || !(relation = kept_relation(arguments, &resource)))
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

void
cat_link_relist(const Resource *resource, List *owners)
{
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].list)
			keep(resource, &resource->relations[i], owners);
}

/* Update all lists of ids of one record from the join tables. */
CAT_FUNCTION(catalogue_relist)
{
	cat_owner_call_begin();
	cat_link_relist(cat_registry_resource(cat_call_reply_argument(fcinfo, ARG_RELIST_RESOURCE)),
					list_make1(unconstify(char *, cat_call_reply_argument(fcinfo, ARG_RELIST_ID))));
	cat_owner_call_end();
	PG_RETURN_VOID();
}
