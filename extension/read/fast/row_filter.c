/*
 * row_filter.c
 *	  Filters on a record's own keys and lists of ids, evaluated row by row.
 *
 * Most filters by state, owner or type match a large part of all records.  The first page of such a
 * list is read like one without filters, in index order, skipping rows that do not match, without
 * planning a statement.  If hardly any row matches, the scan is given up early.
 */
#include "catalogue.h"

#include "executor/tuptable.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "query/query.h"
#include "read/fast/fast.h"
#include "read/fast/fast_internal.h"
#include "registry/registry.h"

/* Number of rejected rows after which the scan is given up. */
#define REJECTED_MAX 2000

/*
 * Return whether a filter on a key of the record can be evaluated on a row; if so, set its ids to
 * its values.
 */
static bool
take_values(Filter *filter, const Field *field)
{
	ListCell *cell;

	if (field->kind != FIELD_ID || strcmp(field->name, "id") == 0 ||
		list_length(filter->values) > KEYS_MAX || list_member_ptr(filter->values, NULL))
		return false;
	filter->nids = 0;
	filter->ids = palloc(sizeof(Datum) * KEYS_MAX);
	foreach(cell, filter->values)
		filter->ids[filter->nids++] = CStringGetTextDatum(lfirst(cell));
	return true;
}

/* Return whether the look-up of a filter's path ended in few enough ids to compare a key with. */
static bool
is_found(const Filter *filter)
{
	return filter->found_at == 1 && !filter->none && filter->nids <= KEYS_MAX;
}

/* Return the list of ids that a filter can be evaluated on, or NULL. */
static const Field *
list_of(const RequestParams *params, const Filter *filter)
{
	const CatRelation *relation = cat_registry_relation(params->resource, linitial(filter->path));

	return relation && relation->list && is_found(filter) &&
				   !cat_comparison_is_range(filter->comparison)
			   ? relation->list
			   : NULL;
}

/* Return the key that a filter can be evaluated on, or NULL. */
static const Field *
key_of(const RequestParams *params, Filter *filter)
{
	const Field *field = cat_registry_field(params->resource, linitial(filter->path));

	if (!field || cat_comparison_is_range(filter->comparison))
		return NULL;
	if (filter->related)
		return is_found(filter) ? field : NULL;
	return list_length(filter->path) == 1 && take_values(filter, field) ? field : NULL;
}

/*
 * Make the row filter of a request; without filters it accepts every row.
 *
 * Returns false if a filter cannot be evaluated on a row, or if the request has several of which
 * one is enough.
 */
bool
cat_row_filter_make(RowFilter *row_filter, const RequestParams *params)
{
	ListCell *cell;
	int own = 0;

	row_filter->count = 0;
	row_filter->rejected = 0;
	if (list_length(params->filters) > ROW_FILTER_MAX)
		return false;
	foreach(cell, params->filters)
	{
		Filter *filter = lfirst(cell);
		const Field *field;

		cat_filter_look_up(params, filter);
		field = key_of(params, filter);
		row_filter->lists[row_filter->count] = field == NULL;
		if (!field)
			field = list_of(params, filter);
		own += filter->required ? 0 : 1;
		if (!field || (own > 1 && !params->all))
			return false;
		row_filter->attnos[row_filter->count] = field->attno;
		row_filter->filters[row_filter->count++] = filter;
	}
	return true;
}

/* Remove a filter, since all rows of a scan pass it. */
void
cat_row_filter_remove(RowFilter *row_filter, int number)
{
	int last = --row_filter->count;

	row_filter->attnos[number] = row_filter->attnos[last];
	row_filter->lists[number] = row_filter->lists[last];
	row_filter->filters[number] = row_filter->filters[last];
}

static bool
is_among(Datum key, const Filter *filter)
{
	const text *value = DatumGetTextPP(key);

	for (int i = 0; i < filter->nids; i++)
	{
		const text *id = DatumGetTextPP(filter->ids[i]);

		if (VARSIZE_ANY_EXHDR(value) == VARSIZE_ANY_EXHDR(id) &&
			memcmp(VARDATA_ANY(value), VARDATA_ANY(id), VARSIZE_ANY_EXHDR(id)) == 0)
			return true;
	}
	return false;
}

static bool
is_any_among(Datum list, const Filter *filter)
{
	int count;
	Datum *ids = cat_text_array_elements(list, &count);

	for (int i = 0; i < count; i++)
		if (is_among(ids[i], filter))
			return true;
	return false;
}

/* Return whether the record in the slot passes all filters. */
bool
cat_row_filter_passes(RowFilter *row_filter, struct TupleTableSlot *slot)
{
	for (int i = 0; i < row_filter->count; i++)
	{
		const Filter *filter = row_filter->filters[i];
		bool isnull;
		Datum key = slot_getattr(slot, row_filter->attnos[i], &isnull);
		bool wanted = filter->comparison == COMPARE_EQUAL;

		if ((!isnull && (row_filter->lists[i] ? is_any_among : is_among)(key, filter)) != wanted)
		{
			row_filter->rejected++;
			return false;
		}
	}
	return true;
}

/* Return whether so many rows were rejected that a statement is faster. */
bool
cat_row_filter_rejects_most(const RowFilter *row_filter)
{
	return row_filter->rejected > REJECTED_MAX;
}
