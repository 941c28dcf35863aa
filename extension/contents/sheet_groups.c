/*
 * sheet_groups.c
 *	  Groups of a sheet's rows: count, sum, average, minimum, maximum.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "common/int.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/numeric.h"
#include "utils/varlena.h"

#include "base/base.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "contents/sheet_groups.h"
#include "sheets/chunk.h"
#include "sheets/sheets.h"

/* Maximum number of groups, and maximum size of their keys in bytes. */
#define GROUPS_MAX 10000
#define GROUPS_BYTES (16 * 1024 * 1024)

static uint32
hash_key(const void *key, Size size)
{
	const GroupKey *group = key;

	return hash_bytes((const unsigned char *) group->bytes, group->length);
}

static int
compare_keys(const void *a, const void *b, Size size)
{
	const GroupKey *left = a;
	const GroupKey *right = b;

	return left->length != right->length || memcmp(left->bytes, right->bytes, left->length) != 0;
}

static const SheetColumn *
column_of(const SheetQuery *sheet_query, const SheetAggregate *aggregate)
{
	return aggregate->column < 0 ? NULL : &sheet_query->sheet->columns[aggregate->column];
}

/* Raise OD422 for a sum or average of a column that is not numeric. */
static void
require_numbers(const SheetQuery *sheet_query)
{
	ListCell *cell;

	foreach(cell, sheet_query->aggregates)
	{
		const SheetAggregate *aggregate = lfirst(cell);
		const SheetColumn *column = column_of(sheet_query, aggregate);

		if ((aggregate->kind == AGGREGATE_SUM || aggregate->kind == AGGREGATE_AVG) &&
			column->kind != CELL_INTEGER && column->kind != CELL_DECIMAL)
			ereport(ERROR,
					(errcode(OD422),
					 errmsg("invalid value for parameter \"aggregate\": \"%s\"", aggregate->name),
					 errhint("The column is of type %s.", cat_cell_kind_name(column->kind))));
	}
}

static void
init_group(const Groups *groups, RowGroup *group, GroupKey key, int number)
{
	group->key = key;
	group->shown = key;
	group->number = number;
	group->totals =
		palloc0(sizeof(Total) * (size_t) (list_length(groups->sheet_query->aggregates) + 1));
}

/* Return the group for the rows of all groups beyond the maximum. */
static RowGroup *
find_rest(Groups *groups)
{
	if (!groups->collects)
		ereport(ERROR, (errcode(OD422), errmsg("there are too many groups"),
						errhint("At most %d groups are supported.", GROUPS_MAX)));
	if (!groups->rest)
	{
		groups->rest = palloc0(sizeof(RowGroup));
		init_group(groups, groups->rest, (GroupKey){0}, groups->count);
	}
	return groups->rest;
}

static GroupKey
copy_key(Groups *groups, const StringInfoData *key)
{
	groups->bytes += (size_t) key->len;
	return (GroupKey){memcpy(palloc((size_t) key->len + 1), key->data, (size_t) key->len),
					  key->len};
}

/* Return the group of the current key, which is created if necessary. */
static RowGroup *
find_group(Groups *groups)
{
	GroupKey key = {groups->key.data, groups->key.len};
	RowGroup *group = hash_search(groups->table, &key, HASH_FIND, NULL);

	if (group)
		return group;
	if (groups->count == GROUPS_MAX || groups->bytes + (size_t) key.length > GROUPS_BYTES)
		return find_rest(groups);
	key = copy_key(groups, &groups->key);
	group = hash_search(groups->table, &key, HASH_ENTER, NULL);
	init_group(groups, group, key, groups->count);
	if (groups->by_value)
		group->shown = copy_key(groups, &groups->shown);
	groups->list[groups->count++] = group;
	return group;
}

/* Append a text and its length, -1 for no text. */
static void
append_text(StringInfo key, const char *text, int length)
{
	appendBinaryStringInfo(key, (char *) &length, sizeof(length));
	appendBinaryStringInfo(key, text, Max(length, 0));
}

/* Append a cell as all cells of the same value are in a key. */
static void
append_value(Groups *groups, const SheetColumn *column, const char *text, int length)
{
	StringInfo key = &groups->key;
	int start = key->len + (int) sizeof(length);

	append_text(key, text, length > 0 ? 0 : length);
	if (length <= 0)
		return;
	if (column->kind == CELL_TEXT && groups->folded)
		cat_fold_append(key, text, (size_t) length);
	else
		cat_cell_key(key, column, text, length);
	length = key->len - start;
	memcpy(key->data + start - sizeof(length), &length, sizeof(length));
}

/* Build the key of a row. */
static void
make_key(Groups *groups, ChunkScan *scan, int row)
{
	const SheetQuery *sheet_query = groups->sheet_query;
	ListCell *cell;

	resetStringInfo(&groups->key);
	resetStringInfo(&groups->shown);
	foreach(cell, sheet_query->groups)
	{
		const Cells *cells = cat_sheet_scan_cells(scan, lfirst_int(cell));
		int length = cells->absent[row] ? -1 : cells_length(cells, row);

		append_text(groups->by_value ? &groups->shown : &groups->key, cells_text(cells, row),
					length);
		if (groups->by_value)
			append_value(groups, &sheet_query->sheet->columns[lfirst_int(cell)],
						 cells_text(cells, row), length);
	}
}

static int128
power_of_ten(int power)
{
	int128 result = 1;

	while (power-- > 0)
		result *= 10;
	return result;
}

/* Convert a number to an integer without its decimal point; false if it has too many digits. */
static bool
digits_of(const CellNumber *number, int128 *digits)
{
	*digits = 0;
	if (number->exponent != 0 || number->nwhole + number->nfraction > 18)
		return false;
	for (int i = 0; i < number->nwhole; i++)
		*digits = *digits * 10 + (number->whole[i] - '0');
	for (int i = 0; i < number->nfraction; i++)
		*digits = *digits * 10 + (number->fraction[i] - '0');
	if (number->negative)
		*digits = -*digits;
	return true;
}

/* Add a scaled integer to a total; false on overflow. */
static bool
add_digits(Total *total, int128 digits, int scale)
{
	int128 part = total->part;

	if (scale > total->scale &&
		__builtin_mul_overflow(part, power_of_ten(scale - total->scale), &part))
		return false;
	if (scale < total->scale &&
		__builtin_mul_overflow(digits, power_of_ten(total->scale - scale), &digits))
		return false;
	if (__builtin_add_overflow(part, digits, &part))
		return false;
	total->part = part;
	total->scale = Max(total->scale, scale);
	return true;
}

static Datum
add_numeric(Datum left, Datum right)
{
	return left == 0 ? right : DirectFunctionCall2(numeric_add, left, right);
}

static void
add_number(Total *total, const CellNumber *number)
{
	Datum former = total->rest;
	int128 digits;
	Datum value;

	if (digits_of(number, &digits) && add_digits(total, digits, number->nfraction))
		return;
	value = cat_cell_numeric(number);
	total->rest = add_numeric(former, value);
	if (former == 0)
		return;
	pfree(DatumGetPointer(former));
	pfree(DatumGetPointer(value));
}

/* Return the text of a scaled 128-bit integer. */
static char *
scaled_text(int128 value, int scale)
{
	char digits[64];
	char *at = digits + sizeof(digits);
	bool negative = value < 0;
	int count = 0;

	*--at = '\0';
	for (; value != 0 || count <= scale; count++, value /= 10)
	{
		if (count == scale && scale > 0)
			*--at = '.';
		*--at = (char) ('0' + (negative ? -(int) (value % 10) : (int) (value % 10)));
	}
	return psprintf("%s%s", negative ? "-" : "", at);
}

static Datum
numeric_of_text(const char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

/* Return the sum of a total as numeric. */
Datum
cat_sheet_groups_sum(const Total *total)
{
	return add_numeric(total->rest, numeric_of_text(scaled_text(total->part, total->scale)));
}

/* Return whether a cell is a new minimum or maximum. */
static bool
is_beyond(const Total *total, const SheetAggregate *aggregate, const SheetColumn *column,
		  const char *text, int length, const CellValue *value)
{
	int order;

	if (!total->text)
		return true;
	order = column->kind == CELL_TEXT
				? varstr_cmp(text, length, total->text, total->length, cat_fold_collation())
				: cat_cell_compare(column, value, &total->value);
	return aggregate->kind == AGGREGATE_MIN ? order < 0 : order > 0;
}

/* Keep a minimum or maximum.  Raises OD422 if those of all groups are too long. */
static void
keep_end(Groups *groups, Total *total, const SheetColumn *column, const char *text, int length)
{
	groups->bytes += (size_t) length;
	groups->bytes -= (size_t) total->length;
	if (groups->bytes > GROUPS_BYTES)
		ereport(ERROR, (errcode(OD422), errmsg("the groups have too much text"),
						errhint("At most %d bytes are supported.", GROUPS_BYTES)));
	if (total->text)
		pfree(total->text);
	total->text = pnstrdup(text, (Size) length);
	total->length = length;
	cat_cell_value(column, total->text, length, &total->value);
}

/*
 * Add a cell to a total; empty cells and those that do not conform to their column's type are
 * skipped.
 */
static void
add_cell(Groups *groups, Total *total, const SheetAggregate *aggregate, const SheetColumn *column,
		 const char *text, int length)
{
	CellValue value = {0};

	if (length == 0)
		return;
	if (column->kind != CELL_TEXT && !cat_cell_value(column, text, length, &value))
	{
		total->skipped++;
		return;
	}
	total->count++;
	if (aggregate->kind == AGGREGATE_SUM || aggregate->kind == AGGREGATE_AVG)
		add_number(total, &value.number);
	else if (aggregate->kind != AGGREGATE_COUNT &&
			 is_beyond(total, aggregate, column, text, length, &value))
		keep_end(groups, total, column, text, length);
}

static void
add_row(Groups *groups, ChunkScan *scan, int row)
{
	const SheetQuery *sheet_query = groups->sheet_query;
	RowGroup *group;
	ListCell *cell;

	make_key(groups, scan, row);
	group = find_group(groups);
	foreach(cell, sheet_query->aggregates)
	{
		const SheetAggregate *aggregate = lfirst(cell);
		Total *total = &group->totals[foreach_current_index(cell)];
		const Cells *cells;

		if (aggregate->column < 0)
		{
			total->count++;
			continue;
		}
		cells = cat_sheet_scan_cells(scan, aggregate->column);
		add_cell(groups, total, aggregate, column_of(sheet_query, aggregate),
				 cells_text(cells, row), cells_length(cells, row));
	}
}

/* Return an empty set of groups.  Raises OD422 for an aggregate that does not fit its column. */
Groups *
cat_sheet_groups_begin(const SheetQuery *sheet_query)
{
	HASHCTL control = {.keysize = sizeof(GroupKey),
					   .entrysize = sizeof(RowGroup),
					   .hash = hash_key,
					   .match = compare_keys,
					   .hcxt = CurrentMemoryContext};
	Groups *groups = palloc0(sizeof(Groups));

	require_numbers(sheet_query);
	groups->sheet_query = sheet_query;
	groups->list = palloc(sizeof(RowGroup *) * GROUPS_MAX);
	groups->table = hash_create("catalogue groups", 256, &control,
								HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
	initStringInfo(&groups->key);
	initStringInfo(&groups->shown);
	return groups;
}

/* Read the rows of the current chunk that pass the filters into groups. */
void
cat_sheet_groups_add(Groups *groups, ChunkScan *scan)
{
	bool passes[CHUNK_ROWS];

	if (cat_sheet_filter_rows(groups->sheet_query, scan, passes) == 0)
		return;
	for (int row = 0; row < scan->chunk.rows; row++)
		if (passes[row])
			add_row(groups, scan, row);
}

/* Read the rows that pass the filters into groups. */
void
cat_sheet_groups_read(Groups *groups)
{
	ChunkScan scan;

	cat_sheet_scan_open(&scan, groups->sheet_query->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		cat_sheet_groups_add(groups, &scan);
	cat_sheet_scan_close(&scan);
	if (groups->sheet_query->groups == NIL && groups->count == 0)
		find_group(groups);
}
