/*
 * sheet_sort.c
 *	  All rows of a sheet in an order: behind the first ones, or of an export.
 *
 * What a row is sorted by is written as bits of whole numbers, the last of which end with the number of the row.
 * Numbers and instants that have codes in all segments are such bits, and the ranks of values of which there are few.
 * Of others it is the beginning, as PostgreSQL abbreviates texts, and the value itself follows.  PostgreSQL sorts the
 * result in work_mem, and on disk beyond.
 */
#include "catalogue.h"

#include "catalog/pg_operator.h"
#include "common/int.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "rows/contents/evaluate.h"
#include "rows/contents/value_table.h"

/* Bits of a whole number that are used: it is never negative. */
#define WORD_BITS 63
/* Values of a column that get ranks, at most; bytes of those of all columns, and of each beside its text. */
#define RANKS_MAX 65536
#define RANKS_BYTES (16 * 1024 * 1024)
#define RANK_BYTES 128

/* What a column of the order is sorted by. */
typedef struct SortKey
{
	int column;
	const SheetColumn *is; /* NULL: it is the number of the row */
	bool descending;
	int bits;	  /* of its codes; 0: values are written */
	uint64 range; /* how many codes there are; what has no value comes behind them */
	bool coded;	  /* by the numbers of segments, */
	bool found;	  /* if there are some, */
	int digits;	  /* with so many of them behind the decimal point */
	int64 least;
	int64 greatest;
	MemoryContext memory; /* else by the ranks of values */
	ValueTable values;
	int64 room; /* for more of them; negative: they are too many */
	uint32 *ranks;
	SortSupport abbreviation; /* of values */
	StringInfoData text;	  /* the value that was read last */
	uint64 *codes;			  /* of the rows that are kept */
} SortKey;

struct SheetSort
{
	const SheetQuery *asked;
	MemoryContext memory;
	MemoryContext row_memory;
	WriteRow write; /* NULL: the numbers of rows are asked for alone */
	const void *data;
	StringInfoData text; /* of a row */
	SortKey *keys;
	int count;
	int bits;			  /* of the number of a row */
	int rows[CHUNK_ROWS]; /* of the chunk that are kept */
	uint32 numbers[CHUNK_ROWS];
	uint64 word; /* the present one of the row */
	int word_room;
	int made; /* how many words and texts the row has */
	Datum *values;
	bool *nulls;
	const SortKey **texts; /* whose text each is, NULL: it is a word */
	int width;			   /* how many there are in front of the row's own text */
	Tuplesortstate *state;
	TupleTableSlot *in; /* NULL: a row is one word */
	TupleTableSlot *out;
	int64 kept; /* rows that pass the filters */
	int64 sorted;
	int64 left; /* that are asked for */
};

/* ---- Codes of values ---- */

/* Multiply by a power of ten; false if the result is too great. */
static bool
shift_digits(int64 *number, int digits)
{
	for (; digits > 0; digits--)
		if (pg_mul_s64_overflow(*number, 10, number))
			return false;
	return true;
}

/* Widen the range of the numbers of a column by those of a segment; false if it is too great. */
static bool
widen_range(SortKey *key, const Segment *segment)
{
	uint64 first = (uint64) segment->cells.rows;
	uint64 least = PG_UINT64_MAX;
	int digits = segment_has_instants(segment) ? 0 : segment->most;
	int64 ends[2];

	for (int i = 0; i < segment->rows; i++)
		if (segment->codes[i] >= first)
			least = Min(least, segment->codes[i]);
	ends[0] = cat_segment_value(segment, least);
	ends[1] = cat_segment_value(segment, segment->greatest);
	if (!shift_digits(&key->least, digits - key->digits) ||
		!shift_digits(&key->greatest, digits - key->digits) ||
		!shift_digits(&ends[0], key->digits - digits) ||
		!shift_digits(&ends[1], key->digits - digits))
		return false;
	key->digits = Max(key->digits, digits);
	key->least = key->found ? Min(key->least, ends[0]) : ends[0];
	key->greatest = key->found ? Max(key->greatest, ends[1]) : ends[1];
	key->found = true;
	return true;
}

/* Take the numbers of a segment; false if there are values that have no codes in their order. */
static bool
take_codes(SheetSort *sort, SortKey *key, Segment *segment)
{
	const Cells *cells = &segment->cells;
	CellValue value;

	if (!segment->codes || key->is->kind == CELL_TEXT)
		return false;
	for (int i = 0; i < cells->rows; i++)
		if (cat_cell_value(key->is, segment_cells_text(cells, i), segment_cells_length(cells, i),
						   &value))
			return false;
	return segment->greatest < (uint64) cells->rows ||
		   (cat_sheet_filter_is_ordered(key->is, segment) && widen_range(key, segment));
}

/* Return what a cell is sorted by; without bytes where it has no value. */
static ValueKey
key_of(const SortKey *key, CellText cell, char buffer[CELL_KEY_MAX])
{
	/* a geometry that is too long for a cell is null */
	if (cell.length > CONTENTS_CELL)
		cell.length = 0;
	return cat_sheet_order_key(key->is, cell, buffer);
}

/* Return the number of the value of a cell, which is added while there is room, as NumberCell. */
static uint32
number_value(void *of, CellText cell)
{
	SortKey *key = of;
	char buffer[CELL_KEY_MAX];
	ValueKey value = key_of(key, cell, buffer);
	uint32 number = value.bytes ? cat_value_table_find(&key->values, value) : VALUE_NONE;

	if (!value.bytes || number != VALUE_NONE || key->room < 0)
		return number;
	key->room = key->values.count == RANKS_MAX ? -1 : key->room - RANK_BYTES - value.length;
	if (key->room < 0)
		return VALUE_NONE;
	value.bytes = memcpy(MemoryContextAlloc(key->memory, (Size) value.length), value.bytes,
						 (size_t) value.length);
	return cat_value_table_add(&key->values, value);
}

/* Take the values of a segment; false if there are too many. */
static bool
take_values(SheetSort *sort, SortKey *key, Segment *segment)
{
	for (int i = 0; i < segment->rows; i++)
		sort->rows[i] = i;
	cat_value_table_number(segment, sort->rows, segment->rows, number_value, key, sort->numbers);
	return key->room >= 0;
}

/* Take a column of all chunks that may have rows that are kept, until one is refused; returns whether none was. */
static bool
take_column(SheetSort *sort, SortKey *key,
			bool (*take)(SheetSort *sort, SortKey *key, Segment *segment))
{
	MemoryContext old = MemoryContextSwitchTo(sort->row_memory);
	bool taken = true;
	ChunkScan scan;

	cat_sheet_scan_open(&scan, sort->asked->sheet, 1);
	cat_sheet_filter_begin(&scan, sort->asked);
	for (int64 row = 1; taken && cat_sheet_scan_seek_kept(&scan, row, ROW_NUMBER); row = scan.next)
	{
		MemoryContextSwitchTo(scan.chunk_memory);
		taken = take(sort, key, cat_sheet_scan_segment(&scan, key->column));
		MemoryContextSwitchTo(sort->row_memory);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(sort->row_memory);
	return taken;
}

/* Return a value as a text, which is there until the next one is read, and its beginning, in whose order values are. */
static Datum
make_text(SortKey *key, ValueKey value, uint64 *beginning)
{
	SortSupport support = key->abbreviation;
	Datum text;

	resetStringInfo(&key->text);
	appendStringInfoSpaces(&key->text, VARHDRSZ);
	appendBinaryStringInfo(&key->text, value.bytes, value.length);
	SET_VARSIZE(key->text.data, key->text.len);
	text = PointerGetDatum(key->text.data);
	*beginning = support->abbrev_converter ? support->abbrev_converter(text, support) : 0;
	return text;
}

/* A value, and its beginning. */
typedef struct RankedValue
{
	uint64 beginning;
	uint32 number;
} RankedValue;

static int
compare_values(const void *left, const void *right, void *of)
{
	const SortKey *key = of;
	const RankedValue *a = left;
	const RankedValue *b = right;

	CHECK_FOR_INTERRUPTS();
	if (a->beginning != b->beginning)
		return a->beginning < b->beginning ? -1 : 1;
	return cat_sheet_order_compare(key->is, key->values.keys[a->number],
								   key->values.keys[b->number], key->abbreviation->ssup_collation);
}

/* Give the values of a column their ranks. */
static void
rank_values(SortKey *key)
{
	uint32 count = key->values.count;
	RankedValue *ranked = palloc(sizeof(RankedValue) * Max(count, 1));

	for (uint32 i = 0; i < count; i++)
	{
		ranked[i].number = i;
		(void) make_text(key, key->values.keys[i], &ranked[i].beginning);
	}
	qsort_arg(ranked, count, sizeof(RankedValue), compare_values, key);
	key->ranks = palloc(sizeof(uint32) * Max(count, 1));
	for (uint32 i = 0; i < count; i++)
		key->ranks[ranked[i].number] = i;
	pfree(ranked);
	key->range = count;
}

/* Begin to read values: as texts, and with their numbers while there are few. */
static void
begin_values(SheetSort *sort, SortKey *key, int64 room)
{
	MemoryContext old;

	initStringInfo(&key->text);
	key->abbreviation = palloc0(sizeof(SortSupportData));
	key->abbreviation->ssup_cxt = sort->memory;
	key->abbreviation->ssup_collation = cat_sheet_order_collation(key->is);
	key->abbreviation->ssup_attno = 1;
	key->abbreviation->abbreviate = true;
	PrepareSortSupportFromOrderingOp(TextLessOperator, key->abbreviation);
	key->room = room;
	key->memory = AllocSetContextCreate(sort->memory, "values", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(key->memory);
	cat_value_table_begin(&key->values);
	MemoryContextSwitchTo(old);
}

/* Return how many bits numbers up to one have. */
static int
bits_of(uint64 most)
{
	return most > 0 ? pg_leftmost_one_pos64(most) + 1 : 1;
}

/* Find how a column is sorted; *room: for values that get ranks. */
static void
begin_key(SheetSort *sort, SortKey *key, int64 *room)
{
	if (!key->is)
		key->range = (uint64) sort->asked->sheet->rows;
	else if (take_column(sort, key, take_codes) &&
			 (uint64) key->greatest - (uint64) key->least < PG_INT64_MAX)
	{
		key->coded = true;
		key->range = key->found ? (uint64) key->greatest - (uint64) key->least + 1 : 0;
	}
	else
	{
		begin_values(sort, key, *room);
		if (!take_column(sort, key, take_values))
		{
			MemoryContextDelete(key->memory);
			return;
		}
		*room = key->room;
		rank_values(key);
	}
	key->bits = bits_of(key->range);
	key->codes = palloc(sizeof(uint64) * CHUNK_ROWS);
}

/* Find the codes of the rows that are kept, whose numbers have codes. */
static void
code_rows(SheetSort *sort, SortKey *key, const Segment *segment, int count)
{
	int64 power = 1;

	(void) shift_digits(&power, key->digits - (segment_has_instants(segment) ? 0 : segment->most));
	for (int i = 0; i < count; i++)
	{
		uint64 code = segment->codes[sort->rows[i]];

		key->codes[i] = code < (uint64) segment->cells.rows
							? key->range
							: (uint64) (cat_segment_value(segment, code) * power - key->least);
	}
}

/* Find the codes of the rows that are kept by the ranks of their values. */
static void
rank_rows(SheetSort *sort, SortKey *key, Segment *segment, int count)
{
	cat_value_table_number(segment, sort->rows, count, number_value, key, sort->numbers);
	for (int i = 0; i < count; i++)
		key->codes[i] = sort->numbers[i] == VALUE_NONE ? key->range : key->ranks[sort->numbers[i]];
}

/* Find the codes of the rows of the chunk that are kept. */
static void
find_codes(SheetSort *sort, SortKey *key, ChunkScan *scan, int count)
{
	MemoryContext old = MemoryContextSwitchTo(scan->chunk_memory);

	if (!key->is)
		for (int i = 0; i < count; i++)
			key->codes[i] = (uint64) (scan->chunk.first - 1 + sort->rows[i]);
	else if (key->coded)
		code_rows(sort, key, cat_sheet_scan_segment(scan, key->column), count);
	else if (key->bits > 0)
		rank_rows(sort, key, cat_sheet_scan_segment(scan, key->column), count);
	for (int i = 0; key->bits > 0 && key->descending && i < count; i++)
		if (key->codes[i] < key->range)
			key->codes[i] = key->range - 1 - key->codes[i];
	MemoryContextSwitchTo(old);
}

/* ---- What a row is sorted by ---- */

static void
put_value(SheetSort *sort, Datum value, const SortKey *text)
{
	sort->values[sort->made] = value;
	sort->nulls[sort->made] = text && value == 0;
	sort->texts[sort->made++] = text;
}

static void
end_word(SheetSort *sort)
{
	put_value(sort, Int64GetDatum((int64) sort->word), NULL);
	sort->word = 0;
	sort->word_room = WORD_BITS;
}

/* Append the bits of a code. */
static void
put_code(SheetSort *sort, uint64 code, int bits)
{
	if (bits > sort->word_room)
		end_word(sort);
	sort->word = sort->word << bits | code;
	sort->word_room -= bits;
}

/* Append a value: its beginning as far as there is room, and the whole of it.  What has no value comes last. */
static void
put_text(SheetSort *sort, SortKey *key, ValueKey value)
{
	uint64 beginning = PG_UINT64_MAX;
	Datum text = value.bytes ? make_text(key, value, &beginning) : 0;

	if (value.bytes && key->descending)
		beginning = ~beginning;
	if (sort->word_room > 0)
		put_code(sort, beginning >> (64 - sort->word_room), sort->word_room);
	end_word(sort);
	put_value(sort, text, key);
}

/* Make what the i-th row that is kept is sorted by; scan: NULL for any row. */
static void
make_row(SheetSort *sort, ChunkScan *scan, int i)
{
	sort->made = 0;
	sort->word = 0;
	sort->word_room = WORD_BITS;
	for (SortKey *key = sort->keys; key < sort->keys + sort->count; key++)
	{
		char buffer[CELL_KEY_MAX];
		ValueKey value = {NULL, 0};

		if (key->bits > 0)
		{
			put_code(sort, scan ? key->codes[i] : 0, key->bits);
			continue;
		}
		if (scan)
			value = key_of(key, cat_sheet_scan_cell(scan, key->column, sort->rows[i]), buffer);
		put_text(sort, key, value);
	}
	put_code(sort, scan ? (uint64) (scan->chunk.first - 1 + sort->rows[i]) : 0, sort->bits);
	end_word(sort);
}

/* Find how rows are sorted. */
static void
begin_keys(SheetSort *sort)
{
	const SheetQuery *asked = sort->asked;
	/* a word and a text for each column, the last word, the text of the row */
	size_t most = 2 * (size_t) list_length(asked->orders) + 2;
	int64 room = RANKS_BYTES;

	sort->keys = palloc0(sizeof(SortKey) * (most / 2));
	sort->bits = bits_of((uint64) asked->sheet->rows);
	sort->values = palloc(sizeof(Datum) * most);
	sort->nulls = palloc(sizeof(bool) * most);
	sort->texts = palloc(sizeof(SortKey *) * most);
	foreach_ptr(const SheetOrder, order, asked->orders)
	{
		SortKey *key = &sort->keys[sort->count++];

		key->column = order->column;
		key->is = order->column == ROW_NUMBER ? NULL : &asked->sheet->columns[order->column];
		key->descending = order->descending;
		begin_key(sort, key, &room);
	}
	make_row(sort, NULL, 0);
	sort->width = sort->made;
}

/* ---- The sort ---- */

/* Begin to sort rows of several words and texts, with their own texts behind them. */
static void
begin_tuples(SheetSort *sort, int option)
{
	int width = sort->width;
	TypeCacheEntry *type = lookup_type_cache(TEXTOID, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	TupleDesc desc = CreateTemplateTupleDesc(width + 1);
	AttrNumber *numbers = palloc(sizeof(AttrNumber) * (size_t) width);
	Oid *operators = palloc(sizeof(Oid) * (size_t) width);
	Oid *collations = palloc0(sizeof(Oid) * (size_t) width);
	bool *nulls_first = palloc0(sizeof(bool) * (size_t) width);

	for (int i = 0; i < width; i++)
	{
		const SortKey *key = sort->texts[i];

		numbers[i] = (AttrNumber) (i + 1);
		TupleDescInitEntry(desc, numbers[i], NULL, key ? TEXTOID : INT8OID, -1, 0);
		operators[i] = !key ? Int8LessOperator : key->descending ? type->gt_opr : type->lt_opr;
		if (key)
			collations[i] = key->abbreviation->ssup_collation;
	}
	TupleDescInitEntry(desc, (AttrNumber) (width + 1), NULL, TEXTOID, -1, 0);
	sort->in = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	sort->out = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sort->state = tuplesort_begin_heap(desc, width, numbers, operators, collations, nulls_first,
									   work_mem, NULL, option);
}

/* Write a row of the current chunk; 0 if it is left out. */
static Datum
write_row(SheetSort *sort, ChunkScan *scan, int row)
{
	MemoryContext old = MemoryContextSwitchTo(sort->row_memory);
	StringInfo out = &sort->text;
	bool written;

	resetStringInfo(out);
	appendStringInfoSpaces(out, VARHDRSZ);
	written = sort->write(out, sort->data, scan, row);
	SET_VARSIZE(out->data, out->len);
	MemoryContextSwitchTo(old);
	MemoryContextReset(sort->row_memory);
	return written ? PointerGetDatum(out->data) : 0;
}

/* Sort the i-th row that is kept. */
static void
put_row(SheetSort *sort, ChunkScan *scan, int i)
{
	TupleTableSlot *slot = sort->in;
	Datum text = sort->write ? write_row(sort, scan, sort->rows[i]) : 0;

	if (sort->write && !text)
		return;
	sort->sorted++;
	make_row(sort, scan, i);
	if (!slot)
	{
		tuplesort_putdatum(sort->state, sort->values[0], false);
		return;
	}
	put_value(sort, text, NULL);
	sort->nulls[sort->width] = text == 0;
	ExecClearTuple(slot);
	memcpy(slot->tts_values, sort->values, sizeof(Datum) * (size_t) sort->made);
	memcpy(slot->tts_isnull, sort->nulls, sizeof(bool) * (size_t) sort->made);
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(sort->state, slot);
}

/* Sort the rows that are sought. */
static void
put_rows(SheetSort *sort)
{
	const FirstRows *sought = cat_sheet_order_begin(sort->asked);
	ChunkScan scan;

	cat_sheet_scan_open(&scan, sort->asked->sheet, 1);
	cat_sheet_filter_begin(&scan, sort->asked);
	for (int64 row = 1; cat_sheet_scan_seek_kept(&scan, row, ROW_NUMBER); row = scan.next)
	{
		int count = cat_sheet_scan_rows(&scan, ROW_NUMBER, sort->rows);

		sort->kept += count;
		for (int i = 0; count > 0 && i < sort->count; i++)
			find_codes(sort, &sort->keys[i], &scan, count);
		for (int i = 0; i < count; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (cat_sheet_order_is_sought(sought, &scan, sort->rows[i]))
				put_row(sort, &scan, i);
		}
	}
	tuplesort_performsort(sort->state);
}

/* Pass the rows in front of those that are asked for. */
static void
pass_rows(SheetSort *sort)
{
	const RequestParams *params = sort->asked->params;
	int64 skip = params->backwards ? Max(sort->sorted - sort->left, 0)
				 : params->cursor  ? 0
								   : Min(params->skip, sort->sorted);

	sort->left = Min(sort->left, sort->sorted - skip);
	if (sort->left > 0)
		(void) tuplesort_skiptuples(sort->state, skip, true);
}

SheetSort *
cat_sheet_sort_begin(const SheetQuery *asked, int64 limit, WriteRow write, const void *data)
{
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "a sort", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	SheetSort *sort = palloc0(sizeof(SheetSort));
	int64 rows = asked->sheet->rows;
	/* of few rows in front of many PostgreSQL keeps no others */
	bool few = !asked->params->backwards && asked->params->skip < rows / 2 &&
			   limit < rows / 2 - asked->params->skip;
	int option = few ? TUPLESORT_ALLOWBOUNDED : TUPLESORT_NONE;

	sort->asked = asked;
	sort->memory = memory;
	sort->row_memory = AllocSetContextCreate(memory, "a row", ALLOCSET_DEFAULT_SIZES);
	sort->write = write;
	sort->data = data;
	sort->left = limit;
	initStringInfo(&sort->text);
	begin_keys(sort);
	if (sort->width > 1 || write)
		begin_tuples(sort, option);
	else
		sort->state = tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false, work_mem,
											NULL, option);
	if (few)
		tuplesort_set_bound(sort->state, limit + asked->params->skip);
	put_rows(sort);
	pass_rows(sort);
	MemoryContextSwitchTo(old);
	return sort;
}

int64
cat_sheet_sort_next(SheetSort *sort, const text **written)
{
	Datum word;
	bool null;

	if (sort->left <= 0)
		return 0;
	sort->left--;
	if (!sort->in)
		(void) compat_tuplesort_getdatum(sort->state, &word, &null);
	else
	{
		Datum line;

		(void) tuplesort_gettupleslot(sort->state, true, false, sort->out, NULL);
		word = slot_getattr(sort->out, sort->width, &null);
		line = slot_getattr(sort->out, sort->width + 1, &null);
		*written = null ? NULL : DatumGetTextPP(line);
	}
	return (int64) ((uint64) word & ((UINT64CONST(1) << sort->bits) - 1)) + 1;
}

void
cat_sheet_sort_end(SheetSort *sort)
{
	tuplesort_end(sort->state);
	MemoryContextDelete(sort->memory);
}

void
cat_sheet_sort_page(const SheetQuery *asked, OrderedRows *page)
{
	SheetSort *sort = cat_sheet_sort_begin(asked, asked->params->limit, NULL, NULL);
	const text *none;

	page->count = sort->kept;
	page->returned = 0;
	page->rows = palloc(sizeof(int64) * (size_t) Max(sort->left, 1));
	for (int64 row; (row = cat_sheet_sort_next(sort, &none)) > 0;)
		page->rows[page->returned++] = row;
	cat_sheet_sort_end(sort);
}
