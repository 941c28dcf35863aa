/*
 * sheet_facets.c
 *	  Counts of a sheet's rows by the values of columns.
 */
#include "catalogue.h"

#include "utils/varlena.h"

#include "base/base.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "contents/sheet_groups.h"
#include "query/query.h"
#include "sheets/sheets.h"

/* A value of a column, and how many rows have it. */
typedef struct FacetValue
{
	const SheetColumn *column;
	const char *text;
	int length;
	CellValue value; /* unless the column is text, or the cell no such value */
	bool is_value;
	int64 count;
} FacetValue;

/* Return a copy of a query without the filters on a column. */
SheetQuery *
cat_sheet_facets_query(const SheetQuery *sheet_query, int column)
{
	SheetQuery *copy = palloc(sizeof(SheetQuery));
	ListCell *cell;

	*copy = *sheet_query;
	copy->filters = NIL;
	foreach(cell, sheet_query->filters)
		if (((SheetFilter *) lfirst(cell))->column != column)
			copy->filters = lappend(copy->filters, lfirst(cell));
	return copy;
}

/* Begin to count the rows by the values of a column, as filters with EXACT compare them. */
static Groups *
begin_facet(const SheetQuery *sheet_query, int column)
{
	static SheetAggregate rows = {.kind = AGGREGATE_COUNT, .column = -1};
	SheetQuery *asked = cat_sheet_facets_query(sheet_query, column);
	Groups *groups;

	asked->groups = list_make1_int(column);
	asked->aggregates = list_make1(&rows);
	groups = cat_sheet_groups_begin(asked);
	groups->by_value = true;
	groups->folded = true;
	return groups;
}

/* Return the value of a group; its length is 0 if the cells are empty. */
static FacetValue
value_of(const SheetColumn *column, const RowGroup *group)
{
	FacetValue value = {.column = column, .count = group->totals[0].count};
	int length;

	memcpy(&length, group->shown.bytes, sizeof(length));
	value.text = group->shown.bytes + sizeof(length);
	value.length = Max(length, 0);
	value.is_value = cat_cell_value(column, value.text, value.length, &value.value);
	return value;
}

/* Compare by the count, the greatest first, then by the value; texts follow other values. */
static int
in_order(const void *a, const void *b)
{
	const FacetValue *left = a;
	const FacetValue *right = b;

	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	if (left->is_value != right->is_value)
		return left->is_value ? -1 : 1;
	if (left->is_value)
		return cat_cell_compare(left->column, &left->value, &right->value);
	return varstr_cmp(left->text, left->length, right->text, right->length, cat_fold_collation());
}

/* Append the values that rows have, most frequent first, as a member. */
static void
append_facet(StringInfo out, const SheetQuery *sheet_query, const Groups *groups)
{
	const SheetColumn *column =
		&sheet_query->sheet->columns[linitial_int(groups->sheet_query->groups)];
	FacetValue *values = palloc(sizeof(FacetValue) * (size_t) (groups->count + 1));
	int count = 0;
	int told;

	for (int i = 0; i < groups->count; i++)
	{
		values[count] = value_of(column, groups->list[i]);
		count += values[count].length > 0;
	}
	qsort(values, (size_t) count, sizeof(FacetValue), in_order);
	told = Min(count, sheet_query->params->facet_limit);
	cat_json_text_string(out, column->name);
	appendStringInfoString(out, ":{\"values\":[");
	for (int i = 0; i < told; i++)
	{
		appendStringInfoString(out, i > 0 ? ",{\"value\":" : "{\"value\":");
		cat_sheet_row_json_cell(out, column, values[i].text, values[i].length, sheet_query->typed);
		appendStringInfo(out, ",\"count\":" INT64_FORMAT "}", values[i].count);
	}
	appendStringInfo(out, "],\"rest\":%d}", count - told);
}

/* Return the facets that are asked for as a member of "meta"; NULL for none. */
char *
cat_sheet_facets(const SheetQuery *sheet_query)
{
	List *facets = NIL;
	StringInfoData out;
	ChunkScan scan;
	ListCell *cell;

	if (sheet_query->facets == NIL)
		return NULL;
	foreach(cell, sheet_query->facets)
		facets = lappend(facets, begin_facet(sheet_query, lfirst_int(cell)));
	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		foreach(cell, facets)
			cat_sheet_groups_add(lfirst(cell), &scan);
	cat_sheet_scan_close(&scan);
	initStringInfo(&out);
	appendStringInfoString(&out, "\"facets\":{");
	foreach(cell, facets)
	{
		if (foreach_current_index(cell) > 0)
			appendStringInfoChar(&out, ',');
		append_facet(&out, sheet_query, lfirst(cell));
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}
