/*
 * link.c
 *	  Many-to-many relations as they are written: the rows of a join table.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

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
