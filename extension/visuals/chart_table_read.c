/*
 * chart_table_read.c
 *	  The stored data of a chart as a table.
 *
 * Clients may write data of charts without a file, so any JSON is read; what is no table has no
 * labels.
 */
#include "catalogue.h"

#include "base/body.h"
#include "visuals/chart_table_internal.h"

/* Return the elements of an array as texts, "" for null; count: set to their number. */
static const char **
read_texts(const Member *array, int *count)
{
	List *elements = array && array->kind == MEMBER_ARRAY ? cat_body_elements(array->raw) : NIL;
	const char **texts = palloc(sizeof(char *) * (size_t) (list_length(elements) + 1));
	ListCell *cell;

	*count = list_length(elements);
	foreach(cell, elements)
	{
		const Member *member = lfirst(cell);

		texts[foreach_current_index(cell)] =
			member->kind != MEMBER_NULL && member->text ? member->text : "";
	}
	return texts;
}

/* Read the values of a series; those that are missing or no numbers have no text. */
static void
read_values(ChartTable *table, int series, const Member *array)
{
	List *elements = array->kind == MEMBER_ARRAY ? cat_body_elements(array->raw) : NIL;
	int at = series * table->nlabels;

	for (int i = 0; i < table->nlabels; i++, at++)
	{
		const Member *member = i < list_length(elements) ? list_nth(elements, i) : NULL;
		bool is_number = member && member->kind == MEMBER_NUMBER;

		table->texts[at] = is_number ? member->raw : "";
		table->values[at] = is_number ? strtod(member->raw, NULL) : 0;
	}
}

/* The table that data of a chart are, which any JSON is read as; palloc'd. */
ChartTable *
cat_chart_table_read(const char *json)
{
	ChartTable *table = palloc0(sizeof(ChartTable));
	const Member *value = json ? cat_body_value(json) : NULL;
	List *members =
		value && value->kind == MEMBER_OBJECT ? cat_body_members(json, strlen(json)) : NIL;
	const Member *data = cat_body_member(members, "data");
	const Member *series = cat_body_member(members, "series");
	List *rows = NIL;
	size_t cells;

	table->labels = read_texts(cat_body_member(members, "labels"), &table->nlabels);
	if (series)
		table->series = read_texts(series, &table->nseries);
	else
		table->nseries = 1;
	if (data && data->kind == MEMBER_ARRAY && series)
		rows = cat_body_elements(data->raw);
	else if (data)
		rows = list_make1(unconstify(Member *, data));
	cells = (size_t) table->nlabels * (size_t) table->nseries + 1;
	table->texts = palloc(sizeof(char *) * cells);
	table->values = palloc(sizeof(double) * cells);
	for (int i = 0; i < table->nseries; i++)
		read_values(table, i,
					i < list_length(rows) ? list_nth(rows, i) : &(Member){.kind = MEMBER_NULL});
	return table;
}
