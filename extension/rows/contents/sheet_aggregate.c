/*
 * sheet_aggregate.c
 *	  Groups of the rows of a sheet and what is computed of them, a chunk at a time.
 *
 * Each column that rows are grouped by gets a number for each value that it has, found once for each
 * text or number that has a code; pairs of these numbers are the groups.  Numbers are summed as
 * integers of the digits that their segment has.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "common/int.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/varlena.h"

#include "rows/contents/aggregate.h"
#include "rows/contents/contents_internal.h"
#include "rows/contents/order.h"

/* Maximum size of the texts that groups are shown by, of those by KEYS_WRITTEN, and that are their least or greatest. */
#define GROUPS_BYTES (64 * 1024 * 1024)
#define WRITTEN_BYTES (8 * 1024 * 1024)
#define AGGREGATES_BYTES (16 * 1024 * 1024)
/* Maximum number of pairs of two values by KEYS_WRITTEN, more than a chart has room for. */
#define PAIRS_MAX 65536

/* A group by the first columns and a value of the next one: the group by all of these. */
typedef struct PairEntry
{
	uint64 pair;
	uint32 number;
	char status;
} PairEntry;

#define SH_PREFIX pairs
#define SH_ELEMENT_TYPE PairEntry
#define SH_KEY_TYPE uint64
#define SH_KEY pair
#define SH_HASH_KEY(table, key) \
	hash_combine(murmurhash32((uint32) ((key) >> 32)), murmurhash32((uint32) (key)))
#define SH_EQUAL(table, left, right) ((left) == (right))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Raise OD422 if there are more groups than are read. */
static void
require_few_groups(int64 count)
{
	if (count > CAT_GROUPS_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("there are too many groups"),
						errhint("At most %d groups are supported.", CAT_GROUPS_MAX)));
}

/* ---- The value of a cell by which rows are grouped ---- */

/* Write what a cell is grouped by; false if its rows are in no group. */
static bool
key_of(const SheetGroups *groups, const SheetColumn *is, CellText cell, StringInfo out,
	   ValueKey *key)
{
	bool written = groups->by == KEYS_WRITTEN;
	bool facet = groups->by == KEYS_FACET;
	CellValue value;

	*key = (ValueKey){cell.bytes, cell.absent && !written ? -1 : cell.length};
	if (written && cell.length > CONTENTS_CELL)
		key->length = 0;
	if (facet && cell.length == 0)
		return false;
	if (cell.absent || written || (is->kind == CELL_TEXT && !facet))
		return true;
	resetStringInfo(out);
	if (is->kind == CELL_TEXT)
		cat_fold_append(out, cell.bytes, (size_t) cell.length);
	else if (cat_cell_value(is, cell.bytes, cell.length, &value))
	{
		enlargeStringInfo(out, CELL_KEY_MAX);
		out->len = cat_cell_key(out->data, is, &value);
	}
	else
	{
		appendStringInfoString(out, CAT_GROUP_OF_TEXT);
		appendBinaryStringInfo(out, cell.bytes, cell.length);
	}
	*key = (ValueKey){out->data, out->len};
	return out->len > 0 || !facet;
}

/* Copy a text, as one that groups are shown by. */
static char *
keep_text(SheetGroups *groups, const char *bytes, int length)
{
	char *text = MemoryContextAlloc(groups->memory, (Size) length + 1);

	groups->shown += (size_t) length;
	memcpy(text, bytes, (size_t) length);
	text[length] = '\0';
	return text;
}

/* Return the number of a value; VALUE_NONE if there is no room for another one. */
static uint32
number_of(SheetGroups *groups, ValueTable *values, ValueKey key)
{
	uint32 number = cat_value_table_find(values, key);

	if (number != VALUE_NONE)
		return number;
	/* a value more is a group more */
	if (!groups->rest)
		require_few_groups(values->count + 1);
	else if (values->count == CAT_GROUPS_MAX || groups->shown + (size_t) key.length > WRITTEN_BYTES)
		return VALUE_NONE;
	key.bytes = keep_text(groups, key.bytes, Max(key.length, 0));
	return cat_value_table_add(values, key);
}

/* A column whose cells get numbers. */
typedef struct NumberedColumn
{
	SheetGroups *groups;
	ValueTable *values;
	const SheetColumn *is;
	StringInfo key;
} NumberedColumn;

/* Return the number of a cell, as NumberCell. */
static uint32
number_cell(void *of, CellText cell)
{
	const NumberedColumn *column = of;
	ValueKey key;

	return key_of(column->groups, column->is, cell, column->key, &key)
			   ? number_of(column->groups, column->values, key)
			   : VALUE_NONE;
}

/* Find the numbers of the values of the rows that are kept. */
static void
number_rows(SheetGroups *groups, GroupColumn *column, ChunkScan *scan, const int *rows, int count,
			uint32 *numbers)
{
	NumberedColumn numbered = {groups, &column->values, &scan->sheet->columns[column->column],
							   makeStringInfo()};

	cat_value_table_number(cat_sheet_scan_segment(scan, column->column), rows, count, number_cell,
						   &numbered, numbers);
}

/* Return a group without rows. */
static SheetGroup
make_group(const SheetGroups *groups)
{
	MemoryContext memory = groups->memory;
	size_t columns = (size_t) groups->ncolumns;

	return (SheetGroup){
		.texts = MemoryContextAllocZero(memory, sizeof(char *) * columns),
		.keys = MemoryContextAlloc(memory, sizeof(uint32) * columns),
		.values = MemoryContextAllocZero(memory, sizeof(GroupValue) * (size_t) groups->naggregates),
	};
}

/* Add a group. */
static SheetGroup *
add_group(SheetGroups *groups)
{
	if (!groups->rest)
		require_few_groups(groups->count + 1);
	if (groups->count == groups->room)
	{
		groups->room *= 2;
		groups->groups = repalloc(groups->groups, sizeof(SheetGroup) * groups->room);
	}
	groups->groups[groups->count] = make_group(groups);
	return &groups->groups[groups->count++];
}

/* Set what a group is of: a row, which is its first one, and the numbers of its values. */
static void
begin_group(SheetGroups *groups, SheetGroup *group, ChunkScan *scan, int row,
			uint32 *const *numbers, int nth)
{
	group->first = scan->chunk.first + row;
	for (int i = 0; i < groups->ncolumns; i++)
	{
		const GroupColumn *column = &groups->columns[i];
		CellText cell = cat_sheet_scan_cell(scan, column->column, row);

		group->keys[i] = numbers[i][nth];
		if (groups->by == KEYS_WRITTEN)
			group->texts[i] = unconstify(char *, column->values.keys[group->keys[i]].bytes);
		else if (!cell.absent)
			group->texts[i] = keep_text(groups, cell.bytes, cell.length);
	}
	if (groups->shown > GROUPS_BYTES)
		ereport(ERROR, (errcode(OD422), errmsg("the groups have more than 64 MiB of text"),
						errhint("Leave rows out by filters, or group by shorter texts; each counts "
								"as it is written and as it is compared.")));
}

/* Return the number of a group by some columns and the value of the next one; VALUE_NONE if there is no room for another
 * one. */
static uint32
pair_of(const SheetGroups *groups, GroupColumn *column, uint32 group, uint32 number)
{
	uint64 pair = (uint64) group << 32 | number;
	bool full = groups->rest &&
				(column->npairs == groups->most || group == VALUE_NONE || number == VALUE_NONE);
	bool known = true;
	PairEntry *entry =
		full ? pairs_lookup(column->pairs, pair) : pairs_insert(column->pairs, pair, &known);

	if (!known)
		entry->number = column->npairs++;
	return entry ? entry->number : VALUE_NONE;
}

/*
 * Find the groups of the rows that are kept, in the order of the rows; VALUE_NONE for none.
 *
 * numbers: of the values of each column.
 */
static void
find_groups(SheetGroups *groups, ChunkScan *scan, const int *rows, int count,
			uint32 *const *numbers, uint32 *found)
{
	for (int i = 0; i < count; i++)
	{
		uint32 group = groups->ncolumns > 0 ? numbers[0][i] : 0;

		for (int j = 1; j < groups->ncolumns; j++)
			group = pair_of(groups, &groups->columns[j], group, numbers[j][i]);
		if (groups->rest)
			group = Min(group, groups->most);
		found[i] = group;
		if (group == groups->count && &groups->groups[group] != groups->rest)
			begin_group(groups, add_group(groups), scan, rows[i], numbers, i);
	}
}

/* ---- What is computed of the rows of a group ---- */

/* Add a numeric to the rest. */
static void
add_rest(SheetGroups *groups, GroupValue *value, Datum number)
{
	MemoryContext old = MemoryContextSwitchTo(groups->memory);
	Datum before = value->rest;

	value->rest = before ? DirectFunctionCall2(numeric_add, before, number)
						 : PointerGetDatum(PG_DETOAST_DATUM_COPY(number));
	if (before)
		pfree(DatumGetPointer(before));
	MemoryContextSwitchTo(old);
}

void
cat_sheet_aggregate_carry(SheetGroups *groups, GroupValue *value)
{
	add_rest(groups, value, NumericGetDatum(int64_div_fast_to_numeric(value->sum, value->digits)));
	value->sum = 0;
}

/* Add a number of so many digits. */
static void
add_digits(SheetGroups *groups, GroupValue *value, int64 number, int digits)
{
	int64 sum;

	if (value->digits != digits)
	{
		cat_sheet_aggregate_carry(groups, value);
		value->digits = digits;
	}
	if (pg_add_s64_overflow(value->sum, number, &sum))
	{
		cat_sheet_aggregate_carry(groups, value);
		sum = number;
	}
	value->sum = sum;
}

/* Keep a cell as the least or greatest one.  Raises OD422 if those of all groups are too long. */
static void
keep_cell(SheetGroups *groups, GroupValue *value, const CellText *cell)
{
	groups->held += (size_t) cell->length - (size_t) value->length;
	if (groups->held > AGGREGATES_BYTES)
		ereport(ERROR, (errcode(OD422),
						errmsg("the least and greatest texts of the groups have more than 16 MiB"),
						errhint("Leave rows out by filters, or ask for min and max of columns with "
								"shorter texts.")));
	if (value->room <= cell->length)
	{
		if (value->text)
			pfree(value->text);
		value->room = Max(2 * cell->length, 24);
		value->text = MemoryContextAlloc(groups->memory, (Size) value->room);
	}
	memcpy(value->text, cell->bytes, (size_t) cell->length);
	value->text[cell->length] = '\0';
	value->length = cell->length;
}

int
cat_sheet_aggregate_compare(const SheetColumn *is, const CellValue *value, const GroupValue *kept)
{
	CellValue other;

	if (cat_cell_is_time(is->kind))
		return value->instant < kept->instant ? -1 : value->instant > kept->instant;
	if (value->number.exact && kept->exact)
		return value->number.value < kept->number ? -1 : value->number.value > kept->number;
	(void) cat_cell_value(is, kept->text, kept->length, &other);
	return cat_cell_compare(is, value, &other);
}

/* Take a cell into what is computed of a group. */
static void
take_cell(SheetGroups *groups, const SheetAggregate *aggregate, CellText cell, GroupValue *into)
{
	const SheetColumn *is = &groups->asked->sheet->columns[aggregate->column];
	int sign = aggregate->kind == AGGREGATE_MIN ? -1 : 1;
	CellValue value = {0};
	int order = 1;

	if (is->kind == CELL_TEXT ? cell.length == 0
							  : !cat_cell_value(is, cell.bytes, cell.length, &value))
	{
		into->skipped += cell.length > 0 && cell.length <= CONTENTS_CELL;
		return;
	}
	if (aggregate->kind == AGGREGATE_SUM || aggregate->kind == AGGREGATE_AVG)
		add_rest(groups, into, cat_cell_numeric(&value.number));
	if (aggregate->kind == AGGREGATE_MIN || aggregate->kind == AGGREGATE_MAX)
	{
		if (into->count > 0)
			order = sign * (is->kind == CELL_TEXT ? varstr_cmp(cell.bytes, cell.length, into->text,
															   into->length, groups->collation)
												  : cat_sheet_aggregate_compare(is, &value, into));
		if (order > 0)
		{
			keep_cell(groups, into, &cell);
			into->exact = value.number.exact;
			into->number = value.number.value;
			into->instant = value.instant;
		}
	}
	into->count++;
}

/* Take the number of a code into what is computed of a group. */
static void
take_code(SheetGroups *groups, const SheetAggregate *aggregate, Segment *segment, int row,
		  GroupValue *into)
{
	int64 digits = cat_segment_value(segment, segment->codes[row]);
	double number = cat_segment_number(segment, digits);

	if (aggregate->kind == AGGREGATE_SUM || aggregate->kind == AGGREGATE_AVG)
		add_digits(groups, into, digits, segment->most);
	else if (aggregate->kind != AGGREGATE_COUNT)
	{
		if (into->count > 0 && !into->exact)
		{
			take_cell(groups, aggregate, cat_segment_cell(segment, row), into);
			return;
		}
		if (into->count == 0 ||
			(aggregate->kind == AGGREGATE_MIN ? number < into->number : number > into->number))
		{
			CellText cell = cat_segment_cell(segment, row);

			keep_cell(groups, into, &cell);
			into->exact = true;
			into->number = number;
		}
	}
	into->count++;
}

/* Take the rows that are kept into an aggregate of a column. */
static void
take_rows(SheetGroups *groups, int nth, ChunkScan *scan, const int *rows, int count,
		  const uint32 *found)
{
	const SheetAggregate *aggregate = list_nth(groups->asked->aggregates, nth);
	Segment *segment = cat_sheet_scan_segment(scan, aggregate->column);
	bool ordered =
		segment->codes &&
		cat_sheet_filter_is_ordered(&groups->asked->sheet->columns[aggregate->column], segment);

	for (int i = 0; i < count; i++)
	{
		GroupValue *into;

		if (found[i] == VALUE_NONE)
			continue;
		into = &groups->groups[found[i]].values[nth];
		if (ordered && segment->codes[rows[i]] >= (uint64) segment->cells.rows)
			take_code(groups, aggregate, segment, rows[i], into);
		else
			take_cell(groups, aggregate, cat_segment_cell(segment, rows[i]), into);
	}
}

/* Take the rows of the current chunk that are kept. */
static void
take_chunk(SheetGroups *groups, ChunkScan *scan, int but)
{
	int *rows = palloc(sizeof(int) * (size_t) scan->chunk.rows);
	uint32 **numbers = palloc(sizeof(uint32 *) * (size_t) Max(groups->ncolumns, 1));
	uint32 *found = palloc(sizeof(uint32) * (size_t) scan->chunk.rows);
	int count = cat_sheet_scan_rows(scan, but, rows);

	for (int i = 0; i < groups->ncolumns; i++)
	{
		numbers[i] = palloc(sizeof(uint32) * (size_t) count);
		number_rows(groups, &groups->columns[i], scan, rows, count, numbers[i]);
	}
	find_groups(groups, scan, rows, count, numbers, found);
	for (int i = 0; i < count; i++)
		if (found[i] != VALUE_NONE)
			groups->groups[found[i]].count++;
	for (int i = 0; i < groups->naggregates; i++)
		if (((SheetAggregate *) list_nth(groups->asked->aggregates, i))->column >= 0)
			take_rows(groups, i, scan, rows, count, found);
}

/* Prepare the columns that rows are grouped by. */
static void
begin_columns(SheetGroups *groups)
{
	groups->columns = palloc0(sizeof(GroupColumn) * (size_t) Max(groups->ncolumns, 1));
	foreach_int(group, groups->asked->groups)
	{
		GroupColumn *column = &groups->columns[foreach_current_index(group)];

		column->column = group;
		cat_value_table_begin(&column->values);
		if (foreach_current_index(group) > 0)
			column->pairs = pairs_create(groups->memory, 64, NULL);
	}
}

/* ---- What is known of all rows without reading each ---- */

/* Whether all that is asked for of all rows is how many they are, how many cells of a column have a value, and the least
 * and the greatest one. */
static bool
is_known(const SheetQuery *asked)
{
	if (asked->groups || cat_sheet_query_filters(asked))
		return false;
	foreach_ptr(const SheetAggregate, aggregate, asked->aggregates)
		if (aggregate->kind == AGGREGATE_SUM || aggregate->kind == AGGREGATE_AVG ||
			(aggregate->column >= 0 && asked->sheet->columns[aggregate->column].nulls < 0))
			return false;
	return true;
}

/* Keep the cell of a column with which all rows begin in an order, if it has a value. */
static void
keep_first(SheetGroups *groups, const SheetAggregate *aggregate, GroupValue *value)
{
	SheetOrder order = {aggregate->column, aggregate->kind == AGGREGATE_MAX};
	SheetQuery asked = *groups->asked;
	RequestParams params = *asked.params;
	OrderedRows page;
	ChunkScan scan;
	CellText cell;

	params.limit = 1;
	params.skip = 0;
	params.cursor = NULL;
	params.backwards = false;
	asked.params = &params;
	asked.orders = list_make1(&order);
	if (!cat_sheet_order_page(&asked, &page) || page.returned == 0)
		return;
	cat_sheet_scan_open(&scan, asked.sheet, 1);
	cat_sheet_scan_at(&scan, page.rows[0]);
	cell = cat_sheet_scan_cell(&scan, aggregate->column, (int) (page.rows[0] - scan.chunk.first));
	keep_cell(groups, value, &cell);
}

/* Take what is known of all rows into the only group. */
static void
take_known(SheetGroups *groups)
{
	const Sheet *sheet = groups->asked->sheet;

	groups->groups->count = sheet->rows;
	foreach_ptr(const SheetAggregate, aggregate, groups->asked->aggregates)
	{
		GroupValue *value = &groups->groups->values[foreach_current_index(aggregate)];

		if (aggregate->column < 0)
			continue;
		value->count = sheet->rows - sheet->columns[aggregate->column].nulls;
		if (aggregate->kind != AGGREGATE_COUNT && value->count > 0)
			keep_first(groups, aggregate, value);
	}
}

/* Return groups of which none is found yet. */
static SheetGroups *
begin_groups(const SheetQuery *asked, GroupKeys by)
{
	SheetGroups *groups = palloc0(sizeof(SheetGroups));

	groups->asked = asked;
	groups->by = by;
	groups->memory = CurrentMemoryContext;
	groups->collation = cat_fold_collation();
	groups->ncolumns = list_length(asked->groups);
	groups->naggregates = list_length(asked->aggregates);
	groups->most = groups->ncolumns > 1 ? PAIRS_MAX : CAT_GROUPS_MAX;
	groups->room = by == KEYS_WRITTEN ? groups->most + 1 : 64;
	groups->groups = palloc(sizeof(SheetGroup) * groups->room);
	if (by == KEYS_WRITTEN)
	{
		groups->rest = &groups->groups[groups->most];
		*groups->rest = make_group(groups);
	}
	begin_columns(groups);
	if (groups->ncolumns == 0)
		(void) add_group(groups);
	return groups;
}

SheetGroups *
cat_sheet_aggregate(const SheetQuery *asked, GroupKeys by)
{
	SheetGroups *groups = begin_groups(asked, by);
	int but = by == KEYS_FACET ? linitial_int(asked->groups) : ROW_NUMBER;
	ChunkScan scan;

	if (is_known(asked))
	{
		take_known(groups);
		return groups;
	}
	cat_sheet_scan_open(&scan, asked->sheet, 1);
	cat_sheet_filter_begin(&scan, asked);
	for (int64 row = 1; cat_sheet_scan_seek_kept(&scan, row, but); row = scan.next)
	{
		MemoryContext old = MemoryContextSwitchTo(scan.chunk_memory);

		take_chunk(groups, &scan, but);
		MemoryContextSwitchTo(old);
	}
	return groups;
}

uint32
cat_sheet_aggregate_count(const SheetGroups *groups)
{
	return groups->count;
}

const SheetGroup *
cat_sheet_aggregate_group(const SheetGroups *groups, uint32 number)
{
	return &groups->groups[number];
}

const SheetGroup *
cat_sheet_aggregate_rest(const SheetGroups *groups)
{
	return groups->rest;
}
