/*
 * sheet_aggregate.c
 *	  Aggregates of groups of rows, as a list.
 */
#include "catalogue.h"

#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/varlena.h"

#include "base/base.h"
#include "call/call.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "contents/sheet_groups.h"
#include "sheets/sheets.h"

/* A value of a group: that of a grouping column, or an aggregate. */
typedef struct Figure
{
	const SheetColumn *is;
	const char *text; /* NULL for null */
	int length;
	CellValue value; /* unless it is text */
} Figure;

/* Type of counts, sums and averages. */
static const SheetColumn number = {.kind = CELL_DECIMAL, .point = '.'};

/*
 * Return the index of a column among the values of a group; less than ROW_NUMBER if there is none.
 */
int
cat_sheet_aggregate_column(const SheetQuery *sheet_query, const char *name)
{
	ListCell *cell;

	foreach(cell, sheet_query->groups)
		if (strcmp(sheet_query->sheet->columns[lfirst_int(cell)].name, name) == 0)
			return foreach_current_index(cell);
	foreach(cell, sheet_query->aggregates)
		if (strcmp(((SheetAggregate *) lfirst(cell))->name, name) == 0)
			return list_length(sheet_query->groups) + foreach_current_index(cell);
	return ROW_NUMBER - 1;
}

static void
set_figure(Figure *figure, const SheetColumn *is, const char *text, int length)
{
	figure->is = is;
	figure->text = text;
	figure->length = length;
	if (text && length > 0 && is->kind != CELL_TEXT)
		cat_cell_value(is, text, length, &figure->value);
}

/* Return the text of a sum, or of an average. */
static char *
sum_text(const Total *total, AggregateKind kind)
{
	Datum sum = cat_sheet_groups_sum(total);

	if (kind == AGGREGATE_AVG)
		sum = DirectFunctionCall1(
			numeric_trim_scale,
			DirectFunctionCall2(numeric_div, sum, NumericGetDatum(int64_to_numeric(total->count))));
	return DatumGetCString(DirectFunctionCall1(numeric_out, sum));
}

static void
set_total(Figure *figure, const SheetQuery *sheet_query, const SheetAggregate *aggregate,
		  const Total *total)
{
	char *text = NULL;

	if (aggregate->kind == AGGREGATE_MIN || aggregate->kind == AGGREGATE_MAX)
	{
		set_figure(figure, &sheet_query->sheet->columns[aggregate->column], total->text,
				   total->length);
		return;
	}
	if (aggregate->kind == AGGREGATE_COUNT)
		text = psprintf(INT64_FORMAT, total->count);
	else if (total->count > 0)
		text = sum_text(total, aggregate->kind);
	set_figure(figure, &number, text, text ? (int) strlen(text) : 0);
}

/* Return the values of a group. */
static Figure *
figures_of(const SheetQuery *sheet_query, const RowGroup *group)
{
	Figure *figures = palloc0(sizeof(Figure) * (size_t) (list_length(sheet_query->groups) +
														 list_length(sheet_query->aggregates) + 1));
	const char *at = group->shown.bytes;
	Figure *next = figures;
	ListCell *cell;

	foreach(cell, sheet_query->groups)
	{
		int length;

		memcpy(&length, at, sizeof(length));
		at += sizeof(length);
		set_figure(next++, &sheet_query->sheet->columns[lfirst_int(cell)], length < 0 ? NULL : at,
				   Max(length, 0));
		at += Max(length, 0);
	}
	foreach(cell, sheet_query->aggregates)
		set_total(next++, sheet_query, lfirst(cell), &group->totals[foreach_current_index(cell)]);
	return figures;
}

/* Compare two values; empty ones come last in both directions. */
static int
compare(const Figure *left, const Figure *right, bool descending)
{
	int order;

	if (left->length == 0 || right->length == 0)
		return (left->length == 0) - (right->length == 0);
	order = left->is->kind == CELL_TEXT ? varstr_cmp(left->text, left->length, right->text,
													 right->length, cat_fold_collation())
										: cat_cell_compare(left->is, &left->value, &right->value);
	return descending ? -order : order;
}

/* A group's values, and its number in the order of discovery. */
typedef struct Line
{
	Figure *figures;
	int number;
} Line;

static int
in_order(const void *a, const void *b, void *of)
{
	const SheetQuery *sheet_query = of;
	const Line *left = a;
	const Line *right = b;
	ListCell *cell;

	foreach(cell, sheet_query->orders)
	{
		const SheetOrder *order = lfirst(cell);
		int difference = compare(&left->figures[order->column], &right->figures[order->column],
								 order->descending);

		if (difference != 0)
			return difference;
	}
	return left->number - right->number;
}

static void
append_figure(StringInfo out, const char *name, const Figure *figure, bool typed)
{
	appendStringInfoString(out, out->data[out->len - 1] == '{' ? "" : ",");
	cat_json_text_string(out, name);
	appendStringInfoCharMacro(out, ':');
	if (!figure->text)
		appendStringInfoString(out, "null");
	else
		cat_sheet_row_json_cell(out, figure->is, figure->text, figure->length,
								typed || figure->is == &number);
}

static void
append_line(StringInfo out, const SheetQuery *sheet_query, const Figure *figures)
{
	ListCell *cell;

	appendStringInfoCharMacro(out, '{');
	foreach(cell, sheet_query->groups)
		append_figure(out, sheet_query->sheet->columns[lfirst_int(cell)].name, figures++,
					  sheet_query->typed);
	foreach(cell, sheet_query->aggregates)
		append_figure(out, ((SheetAggregate *) lfirst(cell))->name, figures++, sheet_query->typed);
	appendStringInfoCharMacro(out, '}');
}

/* Fill in the reply with a page of groups: data, count, returned. */
void
cat_sheet_aggregate_page(const SheetQuery *sheet_query, CallReply *reply)
{
	Groups *groups = cat_sheet_groups_begin(sheet_query);
	Line *lines;

	groups->by_value = true;
	cat_sheet_groups_read(groups);
	lines = palloc(sizeof(Line) * (size_t) (groups->count + 1));
	for (int i = 0; i < groups->count; i++)
		lines[i] = (Line){figures_of(sheet_query, groups->list[i]), i};
	qsort_arg(lines, (size_t) groups->count, sizeof(Line), in_order,
			  unconstify(SheetQuery *, sheet_query));
	reply->data = makeStringInfo();
	reply->count = groups->count;
	appendStringInfoChar(reply->data, '[');
	for (int64 i = sheet_query->params->skip; i < groups->count && reply->returned < reply->limit;
		 i++)
	{
		if (reply->returned++ > 0)
			appendStringInfoChar(reply->data, ',');
		append_line(reply->data, sheet_query, lines[i].figures);
	}
	appendStringInfoChar(reply->data, ']');
}
