/*
 * chart_table.c
 *	  Groups of rows as a table of values by label and series.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/base.h"
#include "contents/contents.h"
#include "contents/sheet_groups.h"
#include "visuals/chart_table_internal.h"

#define LABELS_MAX 1000
#define SERIES_MAX 50
#define DECIMALS 2
#define REST "Other" /* label of what exceeds the maximum */

/* One label, or the name of one series. */
typedef struct Word
{
	const char *text;
	int length;
	int number; /* of the first group with it */
	double total;
	int place; /* among those that are shown; -1: it belongs to the rest */
} Word;

/* The labels, or the series. */
typedef struct Axis
{
	Word *words; /* in the order of their texts */
	int count;
	int shown; /* how many of them; the rest, if any, follows */
	bool rest;
} Axis;

/* Return the first or second label of a group; "" for a cell that is absent. */
static Word
word_of(const LabelGroup *group, int position)
{
	const char *text = group->labels[position] ? group->labels[position] : "";

	return (Word){.text = text, .length = (int) strlen(text)};
}

static int
by_text(const void *a, const void *b)
{
	const Word *left = a;
	const Word *right = b;
	int order = memcmp(left->text, right->text, (size_t) Min(left->length, right->length));

	return order ? order : left->length - right->length;
}

static int
by_number(const void *a, const void *b)
{
	return ((const Word *) a)->number - ((const Word *) b)->number;
}

/* The greatest total comes first. */
static int
by_total(const void *a, const void *b)
{
	const Word *left = a;
	const Word *right = b;

	if (left->total != right->total)
		return left->total > right->total ? -1 : 1;
	return by_number(a, b);
}

/* Join words of the same text, which stand side by side. */
static void
join_equal(Axis *axis)
{
	int count = 0;

	for (int i = 0; i < axis->count; i++)
	{
		Word *last = count > 0 ? &axis->words[count - 1] : NULL;

		if (!last || by_text(last, &axis->words[i]) != 0)
			axis->words[count++] = axis->words[i];
		else
		{
			last->total += axis->words[i].total;
			last->number = Min(last->number, axis->words[i].number);
		}
	}
	axis->count = count;
}

/* Choose the words with the greatest totals, and place them in the order of the rows. */
static void
place_words(Axis *axis, int most)
{
	axis->shown = Min(axis->count, most);
	axis->rest |= axis->count > most;
	qsort(axis->words, (size_t) axis->count, sizeof(Word), by_total);
	for (int i = axis->shown; i < axis->count; i++)
		axis->words[i].place = -1;
	qsort(axis->words, (size_t) axis->shown, sizeof(Word), by_number);
	for (int i = 0; i < axis->shown; i++)
		axis->words[i].place = i;
	qsort(axis->words, (size_t) axis->count, sizeof(Word), by_text);
}

/* Return the labels (position 0) or the series (position 1) of the groups. */
static Axis
make_axis(const LabelGroups *groups, int position, int most)
{
	Axis axis = {.count = groups->count - groups->rest, .rest = groups->rest};

	axis.words = palloc(sizeof(Word) * (size_t) (groups->count + 1));
	for (int i = 0; i < axis.count; i++)
	{
		axis.words[i] = word_of(&groups->list[i], position);
		axis.words[i].number = i;
		axis.words[i].total =
			DatumGetFloat8(DirectFunctionCall1(numeric_float8, groups->list[i].value));
	}
	qsort(axis.words, (size_t) axis.count, sizeof(Word), by_text);
	join_equal(&axis);
	place_words(&axis, most);
	return axis;
}

/* Return the place of a group on an axis; that of the rest follows those of the words. */
static int
place_of(const Axis *axis, const LabelGroup *group, int position)
{
	Word word = word_of(group, position);
	const Word *found = bsearch(&word, axis->words, (size_t) axis->count, sizeof(Word), by_text);

	return found->place < 0 ? axis->shown : found->place;
}

static void
add_value(Datum *sum, Datum value)
{
	*sum = *sum == 0 ? value : DirectFunctionCall2(numeric_add, *sum, value);
}

static void
append_words(StringInfo out, const char *name, const Axis *axis)
{
	const Word **placed = palloc0(sizeof(Word *) * (size_t) (axis->shown + 1));

	for (int i = 0; i < axis->count; i++)
		if (axis->words[i].place >= 0)
			placed[axis->words[i].place] = &axis->words[i];
	appendStringInfo(out, "\"%s\":[", name);
	for (int i = 0; i < axis->shown; i++)
	{
		appendStringInfoString(out, i > 0 ? "," : "");
		cat_json_text(out, placed[i]->text, (size_t) placed[i]->length);
	}
	if (axis->rest)
		appendStringInfo(out, "%s\"" REST "\"", axis->shown > 0 ? "," : "");
	appendStringInfoString(out, "],");
}

/* Append the values of a series, rounded. */
static void
append_values(StringInfo out, const Datum *sums, int count)
{
	appendStringInfoChar(out, '[');
	for (int i = 0; i < count; i++)
	{
		Datum value = sums[i] ? DirectFunctionCall1(numeric_trim_scale,
													DirectFunctionCall2(numeric_round, sums[i],
																		Int32GetDatum(DECIMALS)))
							  : 0;

		appendStringInfo(out, "%s%s", i > 0 ? "," : "",
						 value ? DatumGetCString(DirectFunctionCall1(numeric_out, value)) : "0");
	}
	appendStringInfoChar(out, ']');
}

/* Return the sum of each label of each series; 0 for none. */
static Datum *
add_groups(const LabelGroups *groups, const Axis *labels, const Axis *series)
{
	int width = labels->shown + labels->rest;
	int height = series ? series->shown + series->rest : 1;
	Datum *sums = palloc0(sizeof(Datum) * (size_t) (width * height + 1));

	for (int i = 0; i < groups->count - groups->rest; i++)
	{
		const LabelGroup *group = &groups->list[i];
		int row = series ? place_of(series, group, 1) : 0;

		add_value(&sums[row * width + place_of(labels, group, 0)], group->value);
	}
	if (groups->rest)
		add_value(&sums[width * height - 1], groups->list[groups->count - 1].value);
	return sums;
}

/* Return the number of cells that are no numbers, which were left out of the sums. */
static int64
count_skipped(const LabelGroups *groups)
{
	int64 skipped = 0;

	for (int i = 0; i < groups->count; i++)
		skipped += groups->list[i].skipped;
	return skipped;
}

/*
 * Return the groups as text of type json.
 *
 * Labels are in the order of the rows.  If there are too many labels or series, those with the
 * smallest values are added up as the last one.
 */
Datum
cat_chart_table_json(const LabelGroups *groups, bool has_series)
{
	Axis labels = make_axis(groups, 0, LABELS_MAX);
	Axis series = {0};
	const Datum *sums;
	int width = labels.shown + labels.rest;
	StringInfoData out;

	if (has_series)
		series = make_axis(groups, 1, SERIES_MAX);
	sums = add_groups(groups, &labels, has_series ? &series : NULL);
	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	append_words(&out, "labels", &labels);
	if (has_series)
		append_words(&out, "series", &series);
	appendStringInfoString(&out, has_series ? "\"data\":[" : "\"data\":");
	for (int i = 0; i < (has_series ? series.shown + series.rest : 1); i++)
	{
		appendStringInfoString(&out, i > 0 ? "," : "");
		append_values(&out, sums + i * width, width);
	}
	appendStringInfoString(&out, has_series ? "]" : "");
	if (count_skipped(groups) > 0)
		appendStringInfo(&out, ",\"skipped\":" INT64_FORMAT, count_skipped(groups));
	appendStringInfoChar(&out, '}');
	return PointerGetDatum(cstring_to_text_with_len(out.data, out.len));
}
