/*
 * relations.c
 *	  The relations of a record that are visible to the caller.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/builtins.h"

#include "query/sql_builder.h"
#include "read/read.h"
#include "read/read_internal.h"
#include "registry/registry.h"
#include "registry/rows.h"

/*
 * Return the names of the relations, separated by commas, without those in left_out.
 *
 * A name that contains a comma is left out.
 */
static char *
names_of(const Relations *relations, const Bitmapset *left_out)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < relations->count; i++)
	{
		if (bms_is_member(i, left_out) || strchr(relations->each[i].relation->name, ','))
			continue;
		if (names.len > 0)
			appendStringInfoChar(&names, ',');
		appendStringInfoString(&names, relations->each[i].relation->name);
	}
	return names.data;
}

static void
add_relation(Relations *relations, const CatRelation *relation)
{
	Resource *target =
		relation->kind == RELATION_TO_ONE ? cat_registry_resource(relation->target) : NULL;
	/* a key that does not stand in the way of a deletion may name a deleted record */
	bool partial = target && (relation->deletion == 'n' ||
							  cat_visibility_is_partial(target, relations->access));

	relations->each[relations->count].relation = relation;
	relations->each[relations->count++].target = partial ? target : NULL;
	relations->hides |= partial;
}

const Relations *
cat_relations_begin(const Selection *selection)
{
	const Resource *resource = selection->resource;
	Relations *relations = palloc0(sizeof(Relations));

	relations->access = selection->access;
	relations->each = palloc(sizeof(Related) * (resource->nrelations + 1));
	for (int i = 0; i < resource->nrelations; i++)
		if (cat_visibility_relation(&resource->relations[i], selection->access))
			add_relation(relations, &resource->relations[i]);
	relations->all = names_of(relations, NULL);
	return relations;
}

/* Return whether a to-one relation leads to a visible record in its present state. */
static bool
leads_somewhere(const Related *related, const Rows *row, AccessLevel access)
{
	AttrNumber key = related->relation->key->attno;
	char *id;
	bool isnull;

	if (heap_attisnull(row->tuples[0], key, row->desc))
		return false;
	if (!related->target)
		return true;
	id = TextDatumGetCString(heap_getattr(row->tuples[0], key, row->desc, &isnull));
	return cat_rows_exists(related->target, id, access);
}

/*
 * Return the names of a record's relations, without to-one relations that lead to no visible
 * record.
 */
const char *
cat_relations_seen(const Relations *relations, const Rows *row)
{
	Bitmapset *nowhere = NULL;

	if (!row->whole)
		return relations->all;
	for (int i = 0; i < relations->count; i++)
		if (relations->each[i].relation->kind == RELATION_TO_ONE &&
			!leads_somewhere(&relations->each[i], row, relations->access))
			nowhere = bms_add_member(nowhere, i);
	return nowhere ? names_of(relations, nowhere) : relations->all;
}
