/*
 * chart_table.c
 *	  Data of charts, made of groups of rows: labels, series, and a number for each of both.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"

#include "rows/visuals/visuals_internal.h"

/* What groups are by, in the order of their columns. */
enum
{
	LABELS,
	SERIES,
	AXES
};

static const char *const members[] = {"\"labels\"", "\"series\""};
/* How many of them have numbers of their own, where those of all others are added up. */
static const int most[] = {CAT_CHART_LABELS, CAT_CHART_SERIES};

/* A label or a series. */
typedef struct Word
{
	const SheetGroup *group; /* the first one that it has */
	bool valued;			 /* one has a number */
	double sum;
	int place;
} Word;

/* All labels, or all series; what groups are not by is one word. */
typedef struct Axis
{
	bool named;
	Word *words;  /* by number of the value of groups */
	Word **order; /* in that of their first groups */
	int count;
	int places; /* of those that have their own */
	bool rest;	/* all others have the one behind */
} Axis;

typedef struct ChartTable
{
	const SheetQuery *asked;
	int count; /* of groups that have words */
	int all;   /* with that of all others, if it has rows */
	const SheetGroup **groups;
	Datum *numbers; /* of each, numeric; 0: it has none */
	bool bounded;	/* what is too many is one */
	Axis axes[AXES];
	Datum *cells; /* by series, then label */
} ChartTable;

/* Return the label or the series of a group. */
static Word *
word_of(const ChartTable *table, int axis, const SheetGroup *group)
{
	return &table->axes[axis].words[table->axes[axis].named ? group->keys[axis] : 0];
}

/* Find the labels or the series. */
static void
find_words(ChartTable *table, int nth)
{
	Axis *axis = &table->axes[nth];
	uint32 last = 0;

	axis->named = nth < list_length(table->asked->groups);
	for (int i = 0; axis->named && i < table->count; i++)
		last = Max(last, table->groups[i]->keys[nth]);
	axis->words = palloc0(sizeof(Word) * ((size_t) last + 1));
	axis->order = palloc(sizeof(Word *) * (size_t) (table->count + 1));
	for (int i = 0; i < table->count; i++)
	{
		Word *word = word_of(table, nth, table->groups[i]);

		if (!word->group)
		{
			word->group = table->groups[i];
			axis->order[axis->count++] = word;
		}
		if (!table->numbers[i])
			continue;
		word->valued = true;
		word->sum +=
			DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, table->numbers[i]));
	}
}

/* Compare words of groups that are in the order of their rows: first those with the greatest sums, then the first ones. */
static int
compare_words(const void *left, const void *right)
{
	const Word *a = *(const Word *const *) left;
	const Word *b = *(const Word *const *) right;
	int order = float8_cmp_internal(b->sum, a->sum);

	if (a->valued != b->valued)
		return a->valued ? -1 : 1;
	return order != 0 ? order : (a->group > b->group) - (a->group < b->group);
}

/* Give the words places in their order; where the others can be one, to those with the greatest sums. */
static void
place_words(ChartTable *table, int nth)
{
	Axis *axis = &table->axes[nth];
	int own = table->bounded ? Min(axis->count, most[nth]) : axis->count;

	if (own < axis->count)
	{
		size_t size = sizeof(Word *) * (size_t) axis->count;
		Word **ranked = memcpy(palloc(size), axis->order, size);

		qsort(ranked, (size_t) axis->count, sizeof(Word *), compare_words);
		for (int i = own; i < axis->count; i++)
			ranked[i]->place = own;
	}
	for (int i = 0; i < axis->count; i++)
		if (axis->order[i]->place < own)
			axis->order[i]->place = axis->places++;
	axis->rest = own < axis->count || (axis->named && table->all > table->count);
}

/* Return how many places there are. */
static int
places_of(const Axis *axis)
{
	return axis->places + axis->rest;
}

/* Return the place of a group. */
static int
place_of(const ChartTable *table, int axis, int group)
{
	if (group < table->count)
		return word_of(table, axis, table->groups[group])->place;
	return table->axes[axis].named ? table->axes[axis].places : 0;
}

/* Fill the table.  Raises OD422 for too many values. */
static void
fill_cells(ChartTable *table)
{
	int labels = places_of(&table->axes[LABELS]);
	int64 count = (int64) labels * places_of(&table->axes[SERIES]);

	if (count > CAT_CHART_VALUES)
		ereport(
			ERROR,
			(errcode(OD422), errmsg("the rows make a chart of too many values"),
			 errhint("Filters and limit make them fewer: at most 51,051, labels times series.")));
	table->cells = palloc0(sizeof(Datum) * (size_t) (count + 1));
	for (int i = 0; i < table->all; i++)
	{
		Datum *cell =
			&table->cells[place_of(table, SERIES, i) * labels + place_of(table, LABELS, i)];
		Datum number = table->numbers[i];

		if (number)
			*cell = *cell ? DirectFunctionCall2(numeric_add, *cell, number) : number;
	}
}

/* Append the words that have a place. */
static void
append_words(StringInfo out, const ChartTable *table, int nth)
{
	const Axis *axis = &table->axes[nth];
	const SheetQuery *asked = table->asked;
	const SheetColumn *column = &asked->sheet->columns[list_nth_int(asked->groups, nth)];
	const char *comma = "";

	appendStringInfo(out, "%s%s:[", nth > 0 ? "," : "", members[nth]);
	for (int i = 0; i < axis->count; i++)
	{
		const char *text = axis->order[i]->group->texts[nth];

		if (axis->order[i]->place == axis->places)
			continue;
		appendStringInfoString(out, comma);
		comma = ",";
		if (text)
			cat_sheet_row_json_cell(out, column, text, (int) strlen(text), asked->typed);
		else
			appendStringInfoString(out, "\"\"");
	}
	appendStringInfo(out, "%s]", !axis->rest ? "" : *comma ? ",\"Other\"" : "\"Other\"");
}

/* Append the numbers of a series. */
static void
append_numbers(StringInfo out, const ChartTable *table, int series)
{
	int labels = places_of(&table->axes[LABELS]);

	CHECK_FOR_INTERRUPTS();
	for (int label = 0; label < labels; label++)
	{
		Datum number = table->cells[series * labels + label];

		if (label > 0)
			appendStringInfoCharMacro(out, ',');
		if (number && table->bounded)
			number = DirectFunctionCall1(
				numeric_trim_scale, DirectFunctionCall2(numeric_round, number, Int32GetDatum(2)));
		appendStringInfoString(
			out, number ? DatumGetCString(DirectFunctionCall1(numeric_out, number)) : "null");
	}
}

/* Append the table as JSON. */
static void
append_table(StringInfo out, const ChartTable *table, int64 skipped)
{
	int axes = list_length(table->asked->groups);
	bool both = table->axes[LABELS].rest && table->axes[SERIES].rest;

	appendStringInfoChar(out, '{');
	for (int axis = 0; axis < axes; axis++)
		append_words(out, table, axis);
	if (table->axes[LABELS].rest || table->axes[SERIES].rest)
		appendStringInfo(out, ",\"rest\":[%s%s%s]", table->axes[LABELS].rest ? members[LABELS] : "",
						 both ? ", " : "", table->axes[SERIES].rest ? members[SERIES] : "");
	appendStringInfoString(out, ",\"data\":[");
	for (int series = 0; series < places_of(&table->axes[SERIES]); series++)
	{
		appendStringInfoString(out, series > 0 ? "," : "");
		appendStringInfoString(out, axes > SERIES ? "[" : "");
		append_numbers(out, table, series);
		appendStringInfoString(out, axes > SERIES ? "]" : "");
	}
	appendStringInfoChar(out, ']');
	if (skipped > 0)
		appendStringInfo(out, ",\"skipped\":" INT64_FORMAT, skipped);
	appendStringInfoChar(out, '}');
}

bool
cat_chart_table_append(StringInfo out, const SheetQuery *asked, SheetGroups *groups,
					   const uint32 *order, int count)
{
	const SheetGroup *rest = cat_sheet_aggregate_rest(groups);
	ChartTable table = {.asked = asked,
						.count = count,
						.all = count + (rest && rest->count > 0),
						.bounded = rest != NULL};
	bool valued = false;
	bool lost = false;
	int64 skipped = 0;

	table.groups = palloc(sizeof(SheetGroup *) * (size_t) (count + 1));
	table.numbers = palloc(sizeof(Datum) * (size_t) (count + 1));
	for (int i = 0; i < table.all; i++)
	{
		table.groups[i] = i < count ? cat_sheet_aggregate_group(groups, order[i]) : rest;
		table.numbers[i] = cat_sheet_result_number(groups, table.groups[i], 0);
		skipped += cat_sheet_result_skipped(table.groups[i], 0);
		valued = valued || (i < count && table.numbers[i]);
		lost = lost || (i < count && skipped > 0);
	}
	for (int axis = 0; axis < AXES; axis++)
	{
		find_words(&table, axis);
		place_words(&table, axis);
	}
	fill_cells(&table);
	append_table(out, &table, skipped);
	return valued || !lost;
}
