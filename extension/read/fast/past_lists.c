/*
 * past_lists.c
 *	  Lists of ids in earlier states: an outsider gets only ids of records that he sees today.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "read/fast/fast.h"
#include "read/fast/fast_internal.h"
#include "registry/registry.h"
#include "registry/rows.h"

/* Return the ids of a list whose records are visible. */
static Datum
seen_ids(const CatRelation *relation, Datum list, AccessLevel access)
{
	Resource *target = cat_registry_resource(relation->target);
	int count;
	Datum *ids = cat_text_array_elements(list, &count);
	Datum *seen = palloc(sizeof(Datum) * (count + 1));
	int nseen = 0;

	for (int i = 0; i < count; i++)
		if (cat_rows_exists(target, TextDatumGetCString(ids[i]), access))
			seen[nseen++] = ids[i];
	return cat_text_array_make(seen, nseen);
}

/* Return a state with its lists restricted to visible records. */
static HeapTuple
show_lists(const Resource *resource, HeapTuple tuple, AccessLevel access)
{
	Datum *values = palloc(sizeof(Datum) * resource->desc->natts);
	bool *nulls = palloc(sizeof(bool) * resource->desc->natts);
	bool any = false;

	heap_deform_tuple(tuple, resource->desc, values, nulls);
	for (int i = 0; i < resource->nrelations; i++)
	{
		const CatRelation *relation = &resource->relations[i];
		int at = relation->list ? relation->list->attno - 1 : -1;

		if (at < 0 || nulls[at])
			continue;
		values[at] = seen_ids(relation, values[at], access);
		any = true;
	}
	return any ? heap_form_tuple(resource->desc, values, nulls) : tuple;
}

/* Restrict the lists in those rows that are earlier states, which have no location in the table. */
void
cat_past_lists_show(Rows *rows, const Resource *resource, AccessLevel access)
{
	if (access != ACCESS_OUTSIDER)
		return;
	for (int i = 0; i < rows->count; i++)
		if (!ItemPointerIsValid(&rows->tuples[i]->t_self))
			rows->tuples[i] = show_lists(resource, rows->tuples[i], access);
}
