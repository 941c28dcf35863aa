/*
 * merge.c - merged cells of a workbook: which rows get the value of the first cell of a range.
 *
 * A range that spans rows gives its value to the cells below the first one, in the first of its
 * columns, where no cell has a value of its own.  Rows come in order; so do the ranges, once they are
 * sorted.  A column has one range at a time, and each range is opened once: what a row costs is the
 * number of columns with an open range, each of which gets a cell.  The values of open ranges take no
 * more bytes than a row may have.
 */
#include "rows/places.h"

#define MERGES_MAXIMUM (1 << 17) /* ranges of a sheet that are kept */
#define MERGES_STEP 256
#define CELL_LENGTH 3 /* maximum bytes of the length of a cell */

typedef struct MergedRange
{
	uint64_t first; /* rows, counted from 1 */
	uint64_t last;
	unsigned left; /* columns, counted from 0 */
	unsigned right;
} MergedRange;

/* The range that is open in a column. */
typedef struct MergedValue
{
	uint64_t first;
	uint64_t last;
	char *text;
	size_t length;
} MergedValue;

struct Merges
{
	MergedRange *ranges;
	size_t count;
	size_t room;
	bool disordered;
	size_t next;					 /* the first range that was not opened */
	uint64_t ranges_seen;			 /* also those that are not kept */
	unsigned open[CONTENTS_COLUMNS]; /* columns with an open range */
	unsigned opened;
	size_t bytes; /* of the values of open ranges */
	MergedValue values[CONTENTS_COLUMNS];
	uint64_t filled; /* cells */
	uint64_t filled_line;
	uint64_t numbers; /* ranges over rows whose value is a number, and is not repeated */
	uint64_t numbers_line;
};

void
merge_add(Sheet *sheet, uint64_t first, uint64_t last, unsigned left, unsigned right)
{
	Parse *parse = sheet->parse;
	Merges *merges = sheet->merges;

	if (merges == NULL)
		merges = sheet->merges = parse_allocate(parse, sizeof(Merges));
	merges->ranges_seen++;
	if (first == 0 || last < first || right < left || left >= CONTENTS_COLUMNS ||
		(first == last && left == right) || merges->count == MERGES_MAXIMUM)
		return;
	if (merges->count == merges->room)
	{
		merges->room += merges->room + MERGES_STEP;
		merges->ranges = parse_resize(parse, merges->ranges, merges->room * sizeof(MergedRange));
	}
	merges->disordered |= merges->count > 0 && merges->ranges[merges->count - 1].first > first;
	merges->ranges[merges->count++] = (MergedRange){first, last, left, right};
}

static int
compare(const void *left, const void *right)
{
	const MergedRange *one = left;
	const MergedRange *other = right;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	return one->left < other->left ? -1 : one->left > other->left;
}

static void
sort(Merges *merges)
{
	if (merges->disordered)
		qsort(merges->ranges, merges->count, sizeof(MergedRange), compare);
	merges->disordered = false;
}

/* Does the open row have a cell in a column? */
static bool
is_set(const Sheet *sheet, unsigned index)
{
	unsigned position = places_index(sheet, index);

	return position < sheet->width && sheet->columns[position]->touched == sheet->rows + 1;
}

static void
close_value(Sheet *sheet, MergedValue *value)
{
	sheet->merges->bytes -= value->length;
	parse_release(sheet->parse, value->text);
	*value = (MergedValue){0};
}

/* Set a cell of the open row, unless the row would be too long for it. */
static void
fill_cell(Sheet *sheet, unsigned index, const MergedValue *value)
{
	if (sheet->size - sheet->kept_size + value->length + CELL_LENGTH > ROW_MAXIMUM)
	{
		sheet->flaw = "the row has no room for the values of merged cells";
		return;
	}
	sheet_cell(sheet, index, value->text, value->length);
	sheet->merged++;
}

/* Give the cells of the open row the values of the ranges that began above it. */
static void
fill(Sheet *sheet, uint64_t line)
{
	Merges *merges = sheet->merges;

	for (unsigned i = 0; i < merges->opened;)
	{
		unsigned index = merges->open[i];
		MergedValue *value = &merges->values[index];

		if (line > value->last)
		{
			close_value(sheet, value);
			merges->open[i] = merges->open[--merges->opened];
			continue;
		}
		if (line > value->first && !is_set(sheet, index))
			fill_cell(sheet, index, value);
		i++;
	}
}

/* Is the value of a range repeated in its rows?  By default a number is not, since sums would have it
 * several times, unless it could be a year. */
static bool
is_repeated(Sheet *sheet, const char *text, size_t length, uint64_t line)
{
	Merges *merges = sheet->merges;
	const Options *options = &sheet->parse->options;

	if (options->merged != MERGED_LABELS)
		return options->merged == MERGED_FILL;
	if (heading_is_label(text, length, options->dates))
		return true;
	if (merges->numbers++ == 0)
		merges->numbers_line = line;
	return false;
}

/* Open a range that begins in the open row. */
static void
open_range(Sheet *sheet, const MergedRange *range)
{
	Merges *merges = sheet->merges;
	MergedValue *value = &merges->values[range->left];
	const Column *column;
	size_t length;

	if (range->last == range->first || !is_set(sheet, range->left))
		return;
	column = sheet->columns[places_index(sheet, range->left)];
	length = column->length - column->kept_length;
	if (length == 0 ||
		!is_repeated(sheet, column->bytes + column->kept_length, length, range->first))
		return;
	if (value->text == NULL)
		merges->open[merges->opened++] = range->left;
	else
		close_value(sheet, value);
	if (merges->bytes + length > ROW_MAXIMUM)
		length = 0;
	value->text = parse_allocate(sheet->parse, length + 1);
	memcpy(value->text, column->bytes + column->kept_length, length);
	value->length = length;
	value->first = range->first;
	value->last = length == 0 ? range->first : range->last;
	merges->bytes += length;
}

void
merge_row(Sheet *sheet, uint64_t line)
{
	Merges *merges = sheet->merges;

	if (merges == NULL || sheet->lost || sheet->fault != NULL)
		return;
	sort(merges);
	if (merges->opened > 0)
		fill(sheet, line);
	for (; merges->next < merges->count && merges->ranges[merges->next].first <= line;
		 merges->next++)
		if (merges->ranges[merges->next].first == line)
			open_range(sheet, &merges->ranges[merges->next]);
}

void
merge_count(Sheet *sheet, const Waiting *row)
{
	Merges *merges = sheet->merges;

	if (row->merged == 0)
		return;
	if (merges->filled == 0)
		merges->filled_line = row->line;
	merges->filled += row->merged;
}

/* Cover the cells of a range in some of the first rows, up to one that is covered already. */
static void
cover(const Sheet *sheet, const MergedRange *range, unsigned row, unsigned rows,
	  MergeSource *sources)
{
	unsigned first = row;

	while (first < row + rows && sheet->waiting[first].line != range->first)
		first++;
	for (unsigned i = first; i < row + rows && sheet->waiting[i].line <= range->last; i++)
		for (unsigned column = range->left; column <= range->right && column < sheet->width;
			 column++)
		{
			MergeSource *source = &sources[(i - row) * sheet->width + column];

			if (source->row != i || source->column != column)
				break;
			*source = (MergeSource){first, range->left};
		}
}

MergeSource *
merge_sources(const Sheet *sheet, unsigned row, unsigned rows)
{
	Merges *merges = sheet->merges;
	MergeSource *sources =
		parse_allocate(sheet->parse, ((size_t) rows * sheet->width + 1) * sizeof(MergeSource));

	for (unsigned i = 0; i < rows; i++)
		for (unsigned column = 0; column < sheet->width; column++)
			sources[i * sheet->width + column] = (MergeSource){row + i, column};
	if (merges == NULL)
		return sources;
	sort(merges);
	for (size_t i = 0;
		 i < merges->count && merges->ranges[i].first <= sheet->waiting[row + rows - 1].line; i++)
		cover(sheet, &merges->ranges[i], row, rows, sources);
	return sources;
}

void
merge_end(Sheet *sheet)
{
	Merges *merges = sheet->merges;
	bool asked = sheet->parse->options.merged != MERGED_LABELS;

	if (merges == NULL)
		return;
	sheet_detail(sheet->parse, "mergedCells", merges->ranges_seen);
	sheet_detail(sheet->parse, "filledCells", merges->filled);
	if (merges->filled > 0 && !asked)
		sheet_issue(sheet, merges->filled_line,
					"%llu cells of merged ranges have the value of the first row of their range; "
					"parseOptions.merged says otherwise",
					(unsigned long long) merges->filled);
	if (merges->numbers > 0)
		sheet_issue(sheet, merges->numbers_line,
					"%llu merged ranges have a number in the first of their rows only; "
					"parseOptions.merged says otherwise",
					(unsigned long long) merges->numbers);
	if (merges->count == MERGES_MAXIMUM)
		sheet_issue(sheet, 1, "only the first 131,072 merged ranges of the sheet were taken");
	while (merges->opened > 0)
		close_value(sheet, &merges->values[merges->open[--merges->opened]]);
	parse_release(sheet->parse, merges->ranges);
	parse_release(sheet->parse, merges);
	sheet->merges = NULL;
}
