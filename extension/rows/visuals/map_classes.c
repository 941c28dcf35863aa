/*
 * map_classes.c
 *	  Classes of the values of a column, by which a map is coloured.
 *
 * Numbers have up to five classes with about the same number of rows, texts one each of those that most
 * rows have.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "base/body.h"
#include "rows/contents/evaluate.h"
#include "rows/visuals/map_classes.h"
#include "rows/visuals/visuals_internal.h"

#define QUANTILES 5
#define TEXTS_MOST 7	   /* besides that of all others */
#define TEXTS_KNOWN 100000 /* different texts that are counted */

/* The numbers of a column. */
typedef struct Numbers
{
	double *list;
	int64 count;
	int64 empty;
} Numbers;

static bool
has_numbers(const SheetColumn *is)
{
	return is->kind == CELL_INTEGER || is->kind == CELL_DECIMAL;
}

/* Read the cell of a row as a number; false if it is none. */
static bool
read_number(const SheetColumn *is, ChunkScan *scan, int column, int row, double *number)
{
	const Segment *segment = cat_sheet_scan_segment(scan, column);
	CellText cell;
	CellValue value;

	if (segment->codes && segment->codes[row] >= (uint64) segment->cells.rows &&
		!segment_has_instants(segment) && cat_sheet_filter_is_ordered(is, segment))
	{
		*number = cat_segment_number(segment, cat_segment_value(segment, segment->codes[row]));
		return true;
	}
	cell = cat_sheet_scan_cell(scan, column, row);
	if (cell.length == 0 || cat_cell_is_among(is->marks, cell.bytes, cell.length) ||
		!cat_cell_value(is, cell.bytes, cell.length, &value))
		return false;
	*number = value.number.value;
	return true;
}

static Numbers
read_numbers(const SheetQuery *asked, int column)
{
	Numbers numbers = {
		.list = palloc_extended(sizeof(double) * (Size) (asked->sheet->rows + 1), MCXT_ALLOC_HUGE)};
	ChunkScan scan;

	cat_sheet_scan_open(&scan, asked->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		for (int row = 0; row < scan.chunk.rows; row++)
			if (read_number(&asked->sheet->columns[column], &scan, column, row,
							&numbers.list[numbers.count]))
				numbers.count++;
			else
				numbers.empty++;
	return numbers;
}

static int
compare_numbers(const void *left, const void *right)
{
	double one = *(const double *) left;
	double other = *(const double *) right;

	return (one > other) - (one < other);
}

/* Append the classes of numbers: each begins with a value that the one before does not have. */
static void
append_quantiles(StringInfo out, const SheetQuery *asked, int column)
{
	Numbers numbers = read_numbers(asked, column);
	int64 begin = 0;

	qsort(numbers.list, (size_t) numbers.count, sizeof(double), compare_numbers);
	for (int i = 1; i <= QUANTILES && begin < numbers.count; i++)
	{
		int64 end = numbers.count * i / QUANTILES;

		while (end > 0 && end < numbers.count && numbers.list[end] == numbers.list[end - 1])
			end++;
		if (end <= begin)
			continue;
		appendStringInfo(out, "%s{\"from\":%.15g,\"to\":%.15g,\"count\":" INT64_FORMAT "}",
						 begin > 0 ? "," : "", numbers.list[begin], numbers.list[end - 1],
						 end - begin);
		begin = end;
	}
	appendStringInfo(out, "],\"empty\":" INT64_FORMAT "}", numbers.empty);
	pfree(numbers.list);
}

/* A text, and how many rows have it. */
typedef struct TextCount
{
	uint64 hash;
	int64 count;
	char *text;
} TextCount;

/* The texts of a column. */
typedef struct Texts
{
	MemoryContext memory;
	HTAB *counts;
	int64 empty;
	int64 others; /* rows whose text came when TEXTS_KNOWN were known */
} Texts;

static char *
text_in(MemoryContext memory, CellText cell)
{
	char *text = MemoryContextAlloc(memory, (Size) cell.length + 1);

	memcpy(text, cell.bytes, (size_t) cell.length);
	text[cell.length] = '\0';
	return text;
}

/* Count the text of a row. */
static void
count_text(Texts *texts, CellText cell)
{
	uint64 hash;
	TextCount *text;
	bool known = true;

	if (cell.length == 0)
	{
		texts->empty++;
		return;
	}
	hash = hash_bytes_extended((const unsigned char *) cell.bytes, cell.length, 0);
	text = hash_search(texts->counts, &hash,
					   hash_get_num_entries(texts->counts) < TEXTS_KNOWN ? HASH_ENTER : HASH_FIND,
					   &known);
	if (!known)
		*text = (TextCount){hash, 0, text_in(texts->memory, cell)};
	if (text)
		text->count++;
	else
		texts->others++;
}

static Texts
count_texts(const SheetQuery *asked, int column)
{
	HASHCTL control = {
		.keysize = sizeof(uint64), .entrysize = sizeof(TextCount), .hcxt = CurrentMemoryContext};
	Texts texts = {.memory = CurrentMemoryContext,
				   .counts = hash_create("texts of a column", 256, &control,
										 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT)};
	ChunkScan scan;

	cat_sheet_scan_open(&scan, asked->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		for (int row = 0; row < scan.chunk.rows; row++)
			count_text(&texts, cat_sheet_scan_cell(&scan, column, row));
	return texts;
}

/* The text of the most rows first. */
static int
compare_texts(const void *left, const void *right)
{
	const TextCount *one = left;
	const TextCount *other = right;

	return one->count != other->count ? (one->count < other->count) - (one->count > other->count)
									  : strcmp(one->text, other->text);
}

/* Append the classes of texts: of those that most rows have, and of all others. */
static void
append_texts(StringInfo out, const SheetQuery *asked, int column)
{
	Texts texts = count_texts(asked, column);
	int64 others = texts.others;
	TextCount *list = palloc(sizeof(TextCount) * (Size) (hash_get_num_entries(texts.counts) + 1));
	int count = 0;
	HASH_SEQ_STATUS scan;
	const TextCount *text;

	hash_seq_init(&scan, texts.counts);
	while ((text = hash_seq_search(&scan)) != NULL)
		list[count++] = *text;
	qsort(list, (size_t) count, sizeof(TextCount), compare_texts);
	for (int i = 0; i < count; i++)
		if (i < TEXTS_MOST)
			appendStringInfo(out, "%s{\"value\":%s,\"count\":" INT64_FORMAT "}", i > 0 ? "," : "",
							 cat_json_quoted(list[i].text), list[i].count);
		else
			others += list[i].count;
	if (others > 0)
		appendStringInfo(out, ",{\"other\":true,\"count\":" INT64_FORMAT "}", others);
	appendStringInfo(out, "],\"empty\":" INT64_FORMAT "}", texts.empty);
}

Datum
cat_map_classes_make(const SheetQuery *asked, int column)
{
	const SheetColumn *is = &asked->sheet->columns[column];
	StringInfo out = makeStringInfo();

	appendStringInfo(out, "{\"column\":%s,\"classes\":[", cat_json_quoted(is->name));
	if (has_numbers(is))
		append_quantiles(out, asked, column);
	else
		append_texts(out, asked, column);
	return PointerGetDatum(cstring_to_text_with_len(out->data, out->len));
}

static double
number_at(List *members, const char *name)
{
	const Member *member = cat_body_member(members, name);

	return member ? strtod(member->raw, NULL) : 0;
}

MapLegend *
cat_map_classes_read(const char *json)
{
	List *members = json ? cat_body_members(json, strlen(json)) : NIL;
	const Member *column = cat_body_member(members, "column");
	const Member *classes = cat_body_member(members, "classes");
	MapLegend *legend;

	/* the owner of the tables can write any object */
	if (!column || !column->text || !classes || classes->kind != MEMBER_ARRAY)
		return NULL;
	legend = palloc0(sizeof(MapLegend));
	legend->column = column->text;
	foreach_ptr(const Member, member, cat_body_elements(classes->raw))
	{
		List *facts = member->kind == MEMBER_OBJECT
						  ? cat_body_members(member->raw, strlen(member->raw))
						  : NIL;
		const Member *value = cat_body_member(facts, "value");
		MapClass *class = &legend->classes[legend->count++];

		legend->numbers |= cat_body_member(facts, "from") != NULL;
		*class = (MapClass){number_at(facts, "from"), number_at(facts, "to"),
							value ? value->text : NULL};
		if (legend->count == MAP_CLASSES)
			break;
	}
	return legend;
}

/* Return the number of the class that a text has, else that of all others. */
static int
class_of_text(const MapLegend *legend, CellText cell)
{
	for (int i = 0; i < legend->count; i++)
	{
		const char *value = legend->classes[i].value;

		if (!value || ((int) strlen(value) == cell.length &&
					   memcmp(value, cell.bytes, (size_t) cell.length) == 0))
			return i + 1;
	}
	return 0;
}

int
cat_map_classes_of(const MapLegend *legend, const SheetQuery *asked, ChunkScan *scan, int row)
{
	int column = cat_sheet_lookup_column(asked->sheet, legend->column);
	CellText cell;
	double number;
	int class = 0;

	if (column < 0)
		return 0;
	if (!legend->numbers)
	{
		cell = cat_sheet_scan_cell(scan, column, row);
		return cell.length > 0 ? class_of_text(legend, cell) : 0;
	}
	if (!read_number(&asked->sheet->columns[column], scan, column, row, &number))
		return 0;
	while (class < legend->count && number >= legend->classes[class].from)
		class ++;
	return class;
}
