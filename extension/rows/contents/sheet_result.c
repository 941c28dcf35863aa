/*
 * sheet_result.c
 *	  What is computed of groups, as texts, and the order of groups.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/varlena.h"

#include "rows/contents/aggregate.h"
#include "rows/contents/contents_internal.h"
#include "rows/contents/order.h"

/* Return a sum or an average; 0 if there is none. */
static Datum
numeric_of(SheetGroups *groups, const SheetAggregate *aggregate, GroupValue *value)
{
	if (value->count == 0)
		return (Datum) 0;
	if (value->sum != 0 || !value->rest)
		cat_sheet_aggregate_carry(groups, value);
	if (aggregate->kind == AGGREGATE_SUM)
		return value->rest;
	return DirectFunctionCall1(
		numeric_trim_scale, DirectFunctionCall2(numeric_div, value->rest,
												NumericGetDatum(int64_to_numeric(value->count))));
}

Datum
cat_sheet_result_number(SheetGroups *groups, const SheetGroup *group, int nth)
{
	const SheetAggregate *aggregate = list_nth(groups->asked->aggregates, nth);
	GroupValue *value = &group->values[nth];
	CellValue cell;

	switch (aggregate->kind)
	{
		case AGGREGATE_COUNT:
			return NumericGetDatum(
				int64_to_numeric(aggregate->column < 0 ? group->count : value->count));
		case AGGREGATE_SUM:
		case AGGREGATE_AVG:
			return numeric_of(groups, aggregate, value);
		case AGGREGATE_MIN:
		case AGGREGATE_MAX:
			break;
	}
	return value->count > 0 && cat_cell_value(&groups->asked->sheet->columns[aggregate->column],
											  value->text, value->length, &cell)
			   ? cat_cell_numeric(&cell.number)
			   : (Datum) 0;
}

int64
cat_sheet_result_skipped(const SheetGroup *group, int nth)
{
	return group->values[nth].skipped;
}

char *
cat_sheet_result_text(SheetGroups *groups, const SheetGroup *group, int nth)
{
	const SheetAggregate *aggregate = list_nth(groups->asked->aggregates, nth);
	Datum number;

	if (aggregate->kind == AGGREGATE_MIN || aggregate->kind == AGGREGATE_MAX)
		return group->values[nth].count > 0 ? group->values[nth].text : NULL;
	number = cat_sheet_result_number(groups, group, nth);
	return number ? DatumGetCString(DirectFunctionCall1(numeric_out, number)) : NULL;
}

/* Return the key of a value of a group by which groups are sorted: empty where that is null. */
static ValueKey
sort_key(const SheetGroups *groups, const SheetGroup *group, int nth)
{
	const GroupColumn *column = &groups->columns[nth];
	ValueKey key = column->values.keys[group->keys[nth]];
	bool text = groups->asked->sheet->columns[column->column].kind == CELL_TEXT;

	if (key.length < 0 || (!text && key.length > 0 && *key.bytes == *CAT_GROUP_OF_TEXT))
		key.length = 0;
	return key;
}

/* Compare what groups are sorted by; what is null comes last, *null tells that there is some. */
static int
compare_keys(const SheetGroups *groups, int column, ValueKey left, ValueKey right, bool *null)
{
	*null = left.length == 0 || right.length == 0;
	if (*null)
		return (left.length == 0) - (right.length == 0);
	return cat_sheet_order_compare(&groups->asked->sheet->columns[column], left, right,
								   groups->collation);
}

/* Compare the results of an aggregate; a group without one comes last, *null tells that there is one. */
static int
compare_results(SheetGroups *groups, const SheetGroup *left, const SheetGroup *right, int nth,
				bool *null)
{
	const SheetAggregate *aggregate = list_nth(groups->asked->aggregates, nth);
	const SheetColumn *is =
		aggregate->column < 0 ? NULL : &groups->asked->sheet->columns[aggregate->column];
	GroupValue *a = &left->values[nth];
	GroupValue *b = &right->values[nth];
	int64 count;

	*null = false;
	if (aggregate->kind == AGGREGATE_COUNT)
	{
		count = is ? a->count - b->count : left->count - right->count;
		return count < 0 ? -1 : count > 0;
	}
	*null = a->count == 0 || b->count == 0;
	if (*null)
		return (a->count == 0) - (b->count == 0);
	if (aggregate->kind == AGGREGATE_SUM || aggregate->kind == AGGREGATE_AVG)
		return DatumGetInt32(DirectFunctionCall2(numeric_cmp, numeric_of(groups, aggregate, a),
												 numeric_of(groups, aggregate, b)));
	if (is->kind != CELL_TEXT)
	{
		CellValue value;

		(void) cat_cell_value(is, a->text, a->length, &value);
		return cat_sheet_aggregate_compare(is, &value, b);
	}
	return varstr_cmp(a->text, a->length, b->text, b->length, groups->collation);
}

/* Compare two groups by what they are sorted by, then by their first rows. */
static int
compare_groups(const void *left, const void *right, void *arg)
{
	SheetGroups *groups = arg;
	const SheetGroup *a = &groups->groups[*(const uint32 *) left];
	const SheetGroup *b = &groups->groups[*(const uint32 *) right];

	CHECK_FOR_INTERRUPTS();
	foreach_ptr(const SheetOrder, order, groups->asked->orders)
	{
		int nth = order->column - groups->ncolumns;
		bool null;
		int result;

		if (nth >= 0)
			result = compare_results(groups, a, b, nth, &null);
		else
			result = compare_keys(groups, groups->columns[order->column].column,
								  sort_key(groups, a, order->column),
								  sort_key(groups, b, order->column), &null);
		if (result != 0)
			return order->descending && !null ? -result : result;
	}
	return a->first < b->first ? -1 : a->first > b->first;
}

uint32 *
cat_sheet_result_sorted(SheetGroups *groups)
{
	uint32 *numbers = palloc(sizeof(uint32) * Max(groups->count, 1));

	for (uint32 i = 0; i < groups->count; i++)
		numbers[i] = i;
	if (groups->asked->orders)
		qsort_arg(numbers, groups->count, sizeof(uint32), compare_groups, groups);
	return numbers;
}
