/*
 * relations.c
 *	  What a record is related to, as far as its reader sees that.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/builtins.h"

/* Whether a to-one relation leads to a record, as it is now, that is seen with that sight. */
static bool
leads_somewhere(const CatRelation *relation, const Rows *row, Sight sight)
{
	bool isnull;
	Datum key = heap_getattr(row->tuples[0], relation->key->attno, row->desc, &isnull);
	Resource *target;
	Rows found;

	if (isnull)
		return false;
	target = registry_resource(relation->target);
	if (!visibility_is_partial(target, sight))
		return true;
	return !rows_by_id(target, TextDatumGetCString(key), sight, &found) || found.count == 1;
}

/* The names of a record's relations, without those that lead to nothing that the caller sees. */
const char *
relations_seen(const Selection *selection, const Rows *rows)
{
	Resource *resource = selection->resource;
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < resource->nrelations; i++)
	{
		const CatRelation *relation = &resource->relations[i];

		if (!visibility_relation(relation, selection->sight) ||
			(rows->whole && relation->kind == RELATION_TO_ONE &&
			 !leads_somewhere(relation, rows, selection->sight)))
			continue;
		if (names.len > 0)
			appendStringInfoChar(&names, ',');
		appendStringInfoString(&names, relation->name);
	}
	return names.data;
}
