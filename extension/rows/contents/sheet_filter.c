/*
 * sheet_filter.c
 *	  Conditions on the rows of a sheet, tested for the rows of a chunk at a time.
 *
 * sheet_query.c reads them from the query string, by the operators of query/comparison.c, such as [gte].
 * Texts of a segment of codes are tested once, and numbers as ranges of codes.  Chunks whose bounds
 * exclude a value are not read.
 */
#include "catalogue.h"

#include "utils/datetime.h"
#include "utils/memutils.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"
#include "rows/sheets/date_text.h"

/* The conditions of a scan. */
typedef struct SheetTest
{
	bool all;				  /* each must hold, not only one of those that are not required */
	const SheetQuery *places; /* rows with other places are left out, NULL: none are */
	ColumnTest *bounds[2];	  /* leave out rows that need not be counted, NULL: there is none */
	int count;
	ColumnTest tests[FLEXIBLE_ARRAY_MEMBER];
} SheetTest;

/* Of a chunk: the bits of each condition, and of each column those without its conditions. */
typedef struct KeptRows
{
	uint64 **of_test;
	uint64 **but; /* by column + 1 */
} KeptRows;

/* Codes that are kept: some that follow each other. */
typedef struct CodeRange
{
	uint64 first;
	uint64 count;
} CodeRange;

static const uint64 no_bits[CHUNK_WORDS];

bool
cat_sheet_filter_is_ordered(const SheetColumn *is, const Segment *segment)
{
	if (is->masked || is->unit)
		return false;
	if (segment_has_instants(segment))
		return is->kind == CELL_DATETIME && !is->format;
	return (is->kind == CELL_INTEGER || is->kind == CELL_DECIMAL) &&
		   (segment->most == 0 || segment->point == is->point);
}

/* Return the order of a code's number, or instant, and a value that is sought. */
static int
compare_code(const ColumnTest *test, const Segment *segment, uint64 code, const CellValue *sought)
{
	int64 value = cat_segment_value(segment, code);
	double number;

	if (!segment_has_instants(segment))
	{
		number = cat_segment_number(segment, value);
		return number < sought->number.value ? -1 : number > sought->number.value;
	}
	value *= USECS_PER_SEC;
	if (sought->day && test->filter->is->kind == CELL_DATETIME)
		return cat_sheet_test_day(value, sought->instant);
	return value < sought->instant ? -1 : value > sought->instant;
}

/* Return the first of the numbers of a segment whose order is at least so. */
static uint64
code_from(const ColumnTest *test, const Segment *segment, const CellValue *sought, int order)
{
	uint64 low = (uint64) segment->cells.rows;
	uint64 high = segment->greatest + 1;

	while (low < high)
	{
		uint64 middle = low + (high - low) / 2;

		if (compare_code(test, segment, middle, sought) >= order)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Return the codes that compare with a value as is asked for. */
static CodeRange
codes_of(const ColumnTest *test, const Segment *segment, const CellValue *value)
{
	uint64 first = (uint64) segment->cells.rows;
	uint64 end = Max(segment->greatest + 1, first);
	uint64 least = code_from(test, segment, value, 0);
	uint64 more = code_from(test, segment, value, 1);

	switch (test->filter->comparison)
	{
		case COMPARE_AT_LEAST:
			return (CodeRange){least, end - Min(least, end)};
		case COMPARE_MORE:
			return (CodeRange){more, end - Min(more, end)};
		case COMPARE_AT_MOST:
			return (CodeRange){first, more - first};
		case COMPARE_LESS:
			return (CodeRange){first, least - first};
		case COMPARE_EQUAL:
		case COMPARE_NOT_EQUAL:
		case COMPARE_EXACT:
			break;
	}
	return (CodeRange){least, more - least};
}

/* Set the bits of the rows whose codes are in a range. */
static void
keep_range(const Segment *segment, CodeRange range, uint64 *bits)
{
	for (int begin = 0; begin < segment->rows; begin += 64)
	{
		const uint64 *codes = segment->codes + begin;
		int count = Min(64, segment->rows - begin);
		uint64 word = 0;

		for (int i = 0; i < count; i++)
			word |= (uint64) (codes[i] - range.first < range.count) << i;
		bits[begin / 64] |= word;
	}
}

/* Set the bits of the rows whose texts hold; those of one text, or of some that follow each other, at once. */
static void
keep_texts(const Segment *segment, const bool *held, uint64 *bits)
{
	uint64 texts = (uint64) segment->cells.rows;
	const bool *first = memchr(held, true, texts);
	const bool *end = first ? memchr(first, false, texts - (size_t) (first - held)) : NULL;

	if (!first)
		return;
	if (!end || !memchr(end, true, texts - (size_t) (end - held)))
	{
		CodeRange range = {(uint64) (first - held), (uint64) ((end ? end : held + texts) - first)};

		keep_range(segment, range, bits);
		return;
	}
	for (int i = 0; i < segment->rows; i++)
		bits[i / 64] |= (uint64) (segment->codes[i] < texts && held[segment->codes[i]]) << (i % 64);
}

/* Set the bits of the rows whose numbers hold as texts, or as values that are not in the order of their codes. */
static void
keep_numbers(const ColumnTest *test, Segment *segment, uint64 *bits)
{
	for (int i = 0; i < segment->rows; i++)
	{
		CellText cell;
		bool held;

		if (segment->codes[i] < (uint64) segment->cells.rows)
			continue;
		cell = cat_segment_cell(segment, i);
		held = cat_sheet_test_holds(test, &cell);
		bits[i / 64] |= (uint64) held << (i % 64);
	}
}

static void
keep_codes(const ColumnTest *test, ChunkScan *scan, Segment *segment, uint64 *bits)
{
	if (segment->cells.rows > 0)
	{
		bool *held = palloc(sizeof(bool) * (size_t) segment->cells.rows);

		cat_sheet_test_cells(test, scan, segment, held);
		keep_texts(segment, held, bits);
	}
	if (segment->greatest < (uint64) segment->cells.rows)
		return;
	if ((!test->exact && !segment_has_instants(segment)) ||
		!cat_sheet_filter_is_ordered(test->filter->is, segment))
	{
		keep_numbers(test, segment, bits);
		return;
	}
	foreach_ptr(const CellValue, value, test->filter->values)
		keep_range(segment, codes_of(test, segment, value), bits);
}

/*
 * Set the bits of the rows whose texts have a value anywhere: all texts are searched together, and
 * what is found across two of them is passed over.
 */
static void
keep_parts(const FoldedCells *folded, int rows, const SoughtText *sought, uint64 *bits)
{
	const char *bytes = folded->bytes.data;
	const char *end = bytes + folded->starts[rows];
	const char *at = bytes;
	int row = 0;

	while ((at = memmem(at, (size_t) (end - at), sought->bytes, sought->length)) != NULL)
	{
		size_t offset = (size_t) (at - bytes);

		while (folded->starts[row + 1] <= offset)
			row++;
		if (offset + sought->length > folded->starts[row + 1])
		{
			at++;
			continue;
		}
		bits[row / 64] |= UINT64CONST(1) << (row % 64);
		at = bytes + folded->starts[row + 1];
	}
}

/* Return whether a condition asks for parts of texts and for nothing else. */
static bool
is_search(const ColumnTest *test)
{
	if (!test->search || test->match != MATCH_CONTAINS || test->filter->empty ||
		test->filter->marks)
		return false;
	for (int i = 0; i < test->count; i++)
		if (test->texts[i].length == 0)
			return false;
	return true;
}

static void
keep_cells(const ColumnTest *test, ChunkScan *scan, const Segment *segment, uint64 *bits)
{
	bool *held;

	if (is_search(test))
	{
		for (int i = 0; i < test->count; i++)
			keep_parts(cat_sheet_scan_folded_cells(scan, test->filter->column), segment->rows,
					   &test->texts[i], bits);
		return;
	}
	held = palloc(sizeof(bool) * (size_t) segment->rows);
	cat_sheet_test_cells(test, scan, segment, held);
	for (int i = 0; i < segment->rows; i++)
		bits[i / 64] |= (uint64) held[i] << (i % 64);
}

/* Return the numbers of the rows of the chunk as a segment. */
static Segment *
row_numbers(const Chunk *chunk)
{
	Segment *segment = palloc0(sizeof(Segment));

	segment->rows = chunk->rows;
	segment->base = chunk->first;
	segment->greatest = (uint64) chunk->rows - 1;
	segment->point = '.';
	segment->codes = palloc(sizeof(uint64) * (size_t) chunk->rows);
	for (int i = 0; i < chunk->rows; i++)
		segment->codes[i] = (uint64) i;
	return segment;
}

/* Return the bits of the rows for which a condition holds. */
static uint64 *
bits_of(const ColumnTest *test, ChunkScan *scan)
{
	const SheetFilter *filter = test->filter;
	uint64 *bits = palloc0(sizeof(uint64) * CHUNK_WORDS);
	Segment *segment = filter->column == ROW_NUMBER ? row_numbers(&scan->chunk)
													: cat_sheet_scan_segment(scan, filter->column);

	if (segment->codes)
		keep_codes(test, scan, segment, bits);
	else
		keep_cells(test, scan, segment, bits);
	if (filter->comparison == COMPARE_NOT_EQUAL)
		for (int row = 0; row < segment->rows; row += 64)
			bits[row / 64] =
				~bits[row / 64] &
				(segment->rows - row >= 64 ? PG_UINT64_MAX
										   : (UINT64CONST(1) << (segment->rows - row)) - 1);
	return bits;
}

/* Return whether a condition is one of those of which one must hold. */
static bool
is_alternative(const SheetTest *tests, int i)
{
	return !tests->all && !tests->tests[i].filter->required;
}

/* Return whether the conditions on a column are left out. */
static bool
is_left_out(const ColumnTest *test, int but)
{
	return test->filter->column == but && but != ROW_NUMBER;
}

/* Return the bits of the i-th condition, which are found once for each chunk. */
static const uint64 *
bits_at(const SheetTest *tests, KeptRows *kept, ChunkScan *scan, int i)
{
	if (!kept->of_test[i])
		kept->of_test[i] = bits_of(&tests->tests[i], scan);
	return kept->of_test[i];
}

/* Return the bits of the rows that are kept. */
static uint64 *
combine(const SheetTest *tests, KeptRows *kept, ChunkScan *scan, int but)
{
	uint64 *bits = palloc0(sizeof(uint64) * CHUNK_WORDS);
	bool begun = false;

	for (int i = 0; i < tests->count; i++)
	{
		bool either = is_alternative(tests, i);
		const uint64 *of;

		if (is_left_out(&tests->tests[i], but))
			continue;
		/* what no row has passed needs no other test */
		if (begun && !either && memcmp(bits, no_bits, sizeof(no_bits)) == 0)
			break;
		of = bits_at(tests, kept, scan, i);
		for (int word = 0; word < CHUNK_WORDS; word++)
			bits[word] = begun && !either ? bits[word] & of[word] : bits[word] | of[word];
		begun = true;
	}
	for (int row = 0; !begun && row < scan->chunk.rows; row += 64)
		bits[row / 64] = UINT64_MAX >> Max(row + 64 - scan->chunk.rows, 0);
	if (tests->places)
		cat_places_leave(tests->places, scan->chunk.first, scan->chunk.rows, bits);
	return bits;
}

static const uint64 *
keep(ChunkScan *scan, int but)
{
	const SheetTest *tests = scan->tests;
	MemoryContext old = MemoryContextSwitchTo(scan->chunk_memory);
	KeptRows *kept = scan->kept;

	if (!kept)
	{
		kept = scan->kept = palloc(sizeof(KeptRows));
		kept->of_test = palloc0(sizeof(uint64 *) * (size_t) tests->count);
		kept->but = palloc0(sizeof(uint64 *) * ((size_t) scan->sheet->ncolumns + 1));
	}
	if (!kept->but[but + 1])
		kept->but[but + 1] = combine(tests, kept, scan, but);
	MemoryContextSwitchTo(old);
	return kept->but[but + 1];
}

/* Return whether bounds say what values of a column there are. */
static bool
is_bound(const ColumnTest *test, const SegmentBounds *bounds)
{
	const SheetColumn *is = test->filter->is;

	if (test->filter->comparison == COMPARE_NOT_EQUAL || test->filter->empty ||
		test->filter->marks || is->masked)
		return false;
	if (bounds->kind == BOUNDS_NUMBERS)
		return test->exact && (is->kind == CELL_INTEGER || is->kind == CELL_DECIMAL) && !is->unit &&
			   is->thousands != '.' && is->thousands != ',';
	return bounds->kind == BOUNDS_DAYS && (is->kind == CELL_DATE || is->kind == CELL_DATETIME) &&
		   (!is->format || strcmp(is->format, DATE_TEXT_DAY) == 0);
}

/* Return whether a value between the bounds can compare with one of those of a condition as it asks for. */
static bool
may_hold(const ColumnTest *test, const SegmentBounds *bounds)
{
	if (!is_bound(test, bounds))
		return true;
	foreach_ptr(const CellValue, value, test->filter->values)
	{
		double sought =
			bounds->kind == BOUNDS_DAYS ? cat_segment_day(value->instant) : value->number.value;
		Comparison comparison = test->filter->comparison;
		bool from = comparison == COMPARE_AT_LEAST || comparison == COMPARE_MORE;
		bool to = comparison == COMPARE_AT_MOST || comparison == COMPARE_LESS;
		/* an instant may be before or behind another one of its day */
		bool apart = (comparison == COMPARE_MORE || comparison == COMPARE_LESS) &&
					 test->filter->is->kind != CELL_DATETIME;

		if ((to || bounds->greatest > sought || (!apart && bounds->greatest == sought)) &&
			(from || bounds->least < sought || (!apart && bounds->least == sought)))
			return true;
	}
	return false;
}

/* Find the bounds of a column. */
static SegmentBounds
bounds_of(int column, int64 first, int count, const struct varlena *stored)
{
	SegmentBounds bounds = {BOUNDS_NONE, 0, 0};
	const unsigned char *at;
	const unsigned char *end;

	if (column == ROW_NUMBER)
		return (SegmentBounds){BOUNDS_NUMBERS, (double) first, (double) (first + count - 1)};
	if (!stored)
		return bounds;
	at = (const unsigned char *) VARDATA_ANY(stored);
	end = at + VARSIZE_ANY_EXHDR(stored);
	for (int i = 0; i <= column; i++)
		at = cat_segment_bounds(&bounds, at, end);
	return bounds;
}

static bool
may_keep(const ChunkScan *scan, int but, int64 first, int count, const struct varlena *stored)
{
	const SheetTest *tests = scan->tests;
	bool alternatives = false;
	bool one_may = false;

	if (tests->places && !cat_places_any(tests->places, first, count))
		return false;
	/* rows that are to be counted are read */
	for (int i = 0; i < (int) lengthof(tests->bounds) && tests->count == 0; i++)
		if (tests->bounds[i])
		{
			SegmentBounds bounds =
				bounds_of(tests->bounds[i]->filter->column, first, count, stored);

			if (!may_hold(tests->bounds[i], &bounds))
				return false;
		}
	for (int i = 0; i < tests->count; i++)
	{
		const ColumnTest *test = &tests->tests[i];
		SegmentBounds bounds;
		bool may;

		if (is_left_out(test, but))
			continue;
		bounds = bounds_of(test->filter->column, first, count, stored);
		may = may_hold(test, &bounds);
		if (is_alternative(tests, i))
		{
			alternatives = true;
			one_may = one_may || may;
		}
		else if (!may)
			return false;
	}
	return !alternatives || one_may;
}

/* Give a scan conditions. */
static SheetTest *
begin_tests(ChunkScan *scan, const SheetQuery *asked)
{
	static const RowTest test = {keep, may_keep};
	int count = list_length(asked->filters);
	SheetTest *tests = MemoryContextAllocZero(scan->memory, sizeof(SheetTest) + sizeof(ColumnTest) *
																					(size_t) count);

	tests->all = asked->params->all;
	tests->count = count;
	tests->places = asked->places ? asked : NULL;
	foreach_ptr(const SheetFilter, filter, asked->filters)
		tests->tests[foreach_current_index(filter)] =
			cat_sheet_test_make(filter, asked->params->match);
	scan->test = &test;
	scan->tests = tests;
	return tests;
}

void
cat_sheet_filter_begin(ChunkScan *scan, const SheetQuery *asked)
{
	if (cat_sheet_query_filters(asked))
		(void) begin_tests(scan, asked);
}

/* Return a condition on the first column of the order: what compares with a cell of it so. */
static ColumnTest *
bound_at(const SheetQuery *asked, Comparison comparison, const char *cell)
{
	const SheetOrder *order = linitial(asked->orders);
	SheetFilter *filter = palloc0(sizeof(SheetFilter));
	CellValue *value = palloc0(sizeof(CellValue));
	ColumnTest *bound = palloc(sizeof(ColumnTest));

	filter->column = order->column;
	filter->is = &asked->sheet->columns[order->column];
	filter->comparison = comparison;
	if (filter->is->kind == CELL_TEXT)
		filter->values = list_make1(unconstify(char *, cell));
	else if (cat_cell_value(filter->is, cell, (int) strlen(cell), value))
		filter->values = list_make1(value);
	*bound = cat_sheet_test_make(filter, asked->params->match);
	return bound;
}

void
cat_sheet_filter_bound(ChunkScan *scan, const SheetQuery *asked, const char *after,
					   const char *last, bool equal)
{
	SheetTest *tests = scan->tests ? scan->tests : begin_tests(scan, asked);
	bool descending = ((const SheetOrder *) linitial(asked->orders))->descending;
	Comparison to = equal ? (descending ? COMPARE_AT_LEAST : COMPARE_AT_MOST)
						  : (descending ? COMPARE_MORE : COMPARE_LESS);

	tests->bounds[0] = bound_at(asked, to, last);
	tests->bounds[1] =
		after ? bound_at(asked, descending ? COMPARE_AT_MOST : COMPARE_AT_LEAST, after) : NULL;
}

int
cat_sheet_filter_within(ChunkScan *scan, int *rows)
{
	const SheetTest *tests = scan->tests;
	MemoryContext old = MemoryContextSwitchTo(scan->chunk_memory);
	const uint64 *bits[] = {scan->test ? keep(scan, ROW_NUMBER) : NULL, NULL, NULL};
	int count = 0;

	for (int i = 0; tests && i < (int) lengthof(tests->bounds); i++)
		if (tests->bounds[i])
			bits[i + 1] = bits_of(tests->bounds[i], scan);
	MemoryContextSwitchTo(old);
	for (int row = 0; row < scan->chunk.rows; row++)
	{
		uint64 bit = UINT64CONST(1) << (row % 64);
		bool within = true;

		for (int i = 0; i < (int) lengthof(bits); i++)
			within &= !bits[i] || (bits[i][row / 64] & bit) != 0;
		rows[count] = row;
		count += within;
	}
	return count;
}

/* The chunk whose bounds have the first value of an order. */
typedef struct BestChunk
{
	int column;
	bool descending;
	int64 first; /* its first row, 0: none has bounds */
	double end;
} BestChunk;

/* Compare the bounds of a chunk with those of the best one; no chunk is read. */
static bool
take_bounds(const ChunkScan *scan, int but, int64 first, int count, const struct varlena *stored)
{
	BestChunk *best = scan->tests;
	SegmentBounds bounds = bounds_of(best->column, first, count, stored);
	double end = best->descending ? -bounds.greatest : bounds.least;

	if (bounds.kind != BOUNDS_NONE && (best->first == 0 || end < best->end))
	{
		best->first = first;
		best->end = end;
	}
	return false;
}

int64
cat_sheet_filter_best(const SheetQuery *asked)
{
	static const RowTest test = {NULL, take_bounds};
	const SheetOrder *order = linitial(asked->orders);
	BestChunk best = {.column = order->column, .descending = order->descending};
	ChunkScan scan;

	cat_sheet_scan_open(&scan, asked->sheet, 1);
	scan.test = &test;
	scan.tests = &best;
	(void) cat_sheet_scan_seek_kept(&scan, 1, ROW_NUMBER);
	return best.first;
}
