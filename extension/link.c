/*
 * link.c
 *	  Many-to-many relations: the rows of a join table.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/datum.h"

/* The elements of a list of ids: a JSON array, comma-separated text, or one record. */
static List *
elements_of(const Member *member)
{
	List *elements = NIL;
	ListCell *cell;

	if (member->kind == MEMBER_ARRAY)
		return body_elements(member->raw);
	if (member->kind == MEMBER_OBJECT)
		return list_make1(unconstify(Member *, member));
	foreach(cell, words_split(member->text, ','))
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
link_ids(const CatRelation *relation, const Member *member, List **faults)
{
	List *ids = NIL;
	ListCell *cell;

	if (member->kind == MEMBER_NULL)
		return NIL;
	if (member->kind == MEMBER_NUMBER || member->kind == MEMBER_BOOLEAN)
	{
		fault_add(faults, relation->name, "type", member, "takes a list of ids");
		return NIL;
	}
	foreach(cell, elements_of(member))
	{
		char *id = convert_id(relation->name, lfirst(cell), faults);

		if (id && !has_id(ids, id))
			ids = lappend(ids, id);
	}
	return ids;
}

/* One id of a list, at its place. */
typedef struct LinkedId
{
	int32 position;
	Datum id;
} LinkedId;

static int
compare_links(const ListCell *a, const ListCell *b)
{
	const LinkedId *left = lfirst(a);
	const LinkedId *right = lfirst(b);

	if (left->position != right->position)
		return left->position < right->position ? -1 : 1;
	return strcmp(TextDatumGetCString(left->id), TextDatumGetCString(right->id));
}

/* The living rows of a record in a join table; List of LinkedId *. */
static List *
scan_links(const CatRelation *relation, const char *id)
{
	CatScan scan;
	List *links = NIL;

	if (!scan_open(&scan, relation->via_table, relation->near_index))
		elog(ERROR, "join table %s cannot be read by its index over living rows", relation->via);
	scan_seek(&scan, id);
	while (scan_next(&scan, false))
	{
		LinkedId *link = palloc(sizeof(LinkedId));
		bool isnull;

		link->position = DatumGetInt32(slot_getattr(scan.slot, relation->position_attno, &isnull));
		link->id = datumCopy(slot_getattr(scan.slot, relation->far_attno, &isnull), false, -1);
		links = lappend(links, link);
	}
	scan_close(&scan);
	if (list_length(links) > 1)
		list_sort(links, compare_links);
	return links;
}

/* Append the ids of a record's relation, in their order, as a JSON array. */
void
link_append(StringInfo out, const CatRelation *relation, Datum id)
{
	ListCell *cell;

	appendStringInfoChar(out, '[');
	foreach(cell, scan_links(relation, TextDatumGetCString(id)))
	{
		const LinkedId *link = lfirst(cell);
		text *linked = DatumGetTextPP(link->id);

		if (foreach_current_index(cell) > 0)
			appendStringInfoChar(out, ',');
		json_text(out, VARDATA_ANY(linked), VARSIZE_ANY_EXHDR(linked));
	}
	appendStringInfoChar(out, ']');
}

/* Make a record's relation hold exactly these ids, in this order. */
void
link_write(const CatRelation *relation, const char *id, List *ids)
{
	Oid types[] = {TEXTOID, TEXTARRAYOID};
	Datum values[] = {CStringGetTextDatum(id), words_array(ids)};
	const char *via = relation->via;
	const char *near = relation->near;
	const char *far = relation->far;

	plan_run(psprintf("UPDATE %s SET deleted_at = now() WHERE %s = $1 AND deleted_at IS NULL "
					  "AND %s <> ALL ($2)",
					  via, near, far),
			 2, types, values, NULL, true, 0);
	plan_run(psprintf("INSERT INTO %s AS j (%s, %s, position) "
					  "SELECT $1, n.id, n.position FROM unnest($2) WITH ORDINALITY n(id, position) "
					  "ON CONFLICT (%s, %s) WHERE deleted_at IS NULL "
					  "DO UPDATE SET position = excluded.position "
					  "WHERE j.position <> excluded.position",
					  via, near, far, near, far),
			 2, types, values, NULL, true, 0);
}
