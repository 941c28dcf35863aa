/*
 * segment_write.c
 *	  Segments are written: which cells are numbers, which texts repeat.
 *
 * Cells that are numbers or instants in one notation become codes, and the texts among them, as there are few,
 * too; else the cells become codes of the texts that they have, if these repeat.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "port/pg_bitutils.h"
#include "utils/datetime.h"

#include "rows/sheets/date_text.h"
#include "rows/sheets/segment.h"

#define OTHER_TEXTS 64 /* texts among numbers, at most */

/* A number as it is written: its digits as an integer, how many are behind the point. */
typedef struct WrittenNumber
{
	int64 digits;
	int8 behind; /* the point; -1: the cell is no such number */
	int8 zeros;	 /* at the end of these */
} WrittenNumber;

/* What the codes of a segment are made of. */
typedef struct CodeWriter
{
	const Cells *cells;
	WrittenNumber *numbers; /* of the rows */
	int count;				/* of the numbers */
	int least;				/* digits behind the point */
	int most;
	char point; /* '\0': none was seen */
	int64 low;	/* least and greatest number, in units of the last digit */
	int64 high;
	int *texts; /* rows where each text stands first */
	int ntexts;
	int *slots; /* of a hash table: number of a text + 1, 0: free */
	uint32 mask;
	uint32 *code_of; /* rows that are texts: their text */
} CodeWriter;

void
cat_segment_write_length(StringInfo out, size_t length, bool absent)
{
	length = absent ? 0 : length + 1;
	for (; length >= 0x80; length >>= 7)
		appendStringInfoCharMacro(out, (char) (length | 0x80));
	appendStringInfoCharMacro(out, (char) length);
}

/* Append a number, lowest byte first. */
static void
write_number(StringInfo out, uint64 number, int width)
{
	for (int i = 0; i < width; i++, number >>= 8)
		appendStringInfoCharMacro(out, (char) number);
}

static const int64 powers[] = {INT64CONST(1),
							   INT64CONST(10),
							   INT64CONST(100),
							   INT64CONST(1000),
							   INT64CONST(10000),
							   INT64CONST(100000),
							   INT64CONST(1000000),
							   INT64CONST(10000000),
							   INT64CONST(100000000),
							   INT64CONST(1000000000),
							   INT64CONST(10000000000),
							   INT64CONST(100000000000),
							   INT64CONST(1000000000000),
							   INT64CONST(10000000000000),
							   INT64CONST(100000000000000),
							   INT64CONST(1000000000000000)};

/* Read digits into a number, and return what is behind them. */
static const char *
read_digits(const char *at, const char *end, WrittenNumber *number)
{
	for (; at < end && *at >= '0' && *at <= '9'; at++)
	{
		number->digits = number->digits * 10 + (*at - '0');
		number->zeros = *at == '0' ? (int8) (number->zeros + 1) : 0;
	}
	return at;
}

/* Read a number as it is written without anything else: no zero in front, nothing around it. */
static WrittenNumber
read_number(CodeWriter *writer, const char *text, int length)
{
	WrittenNumber number = {.behind = -1};
	const char *end = text + length;
	const char *start = text + (length > 0 && *text == '-');
	const char *at;

	if (end - start > SEGMENT_DIGITS + 1 || start == end || *start < '0' || *start > '9')
		return number;
	at = read_digits(start, end, &number);
	if (*start == '0' && at - start > 1)
		return number;
	if (at < end && at + 1 < end && (*at == '.' || *at == ',') &&
		(writer->point == '\0' || writer->point == *at))
	{
		const char *point = at;

		number.zeros = 0;
		at = read_digits(at + 1, end, &number);
		if (at == end && at - start <= SEGMENT_DIGITS + 1)
		{
			writer->point = *point;
			number.behind = (int8) (end - point - 1);
		}
	}
	else if (at == end && at - start <= SEGMENT_DIGITS)
	{
		number.behind = 0;
		number.zeros = 0;
	}
	if (start > text)
	{
		if (number.digits == 0)
			number.behind = -1;
		number.digits = -number.digits;
	}
	return number;
}

/* Whether the numbers are instants. */
static bool
is_instant(const CodeWriter *writer)
{
	return writer->point == 'T' || writer->point == ' ';
}

/* Read two digits; -1 if they are none. */
static int
read_two(const char *at)
{
	if (at[0] < '0' || at[0] > '9' || at[1] < '0' || at[1] > '9')
		return -1;
	return (at[0] - '0') * 10 + at[1] - '0';
}

/* Read an instant as ISO 8601 has it, to the last digit, written as those before. */
static WrittenNumber
read_instant(CodeWriter *writer, const char *text, int length)
{
	WrittenNumber number = {.behind = -1};
	bool utc = length > 0 && text[length - 1] == 'Z';
	bool seconds = length - utc == 19;
	int form = (seconds ? SEGMENT_SECONDS : 0) | (utc ? SEGMENT_UTC : 0);
	int parts[7]; /* century, year of it, month, day, hour, minute, second */
	static const int offsets[] = {0, 2, 5, 8, 11, 14, 17};

	if ((length - utc != 16 && !seconds) || text[4] != '-' || text[7] != '-' ||
		(text[10] != 'T' && text[10] != ' ') || text[13] != ':' || (seconds && text[16] != ':') ||
		(writer->point && (writer->point != text[10] || writer->least != form)))
		return number;
	parts[6] = 0;
	for (int i = 0; i < (seconds ? 7 : 6); i++)
		parts[i] = read_two(text + offsets[i]);
	for (int i = 0; i < 7; i++)
		if (parts[i] < 0)
			return number;
	parts[1] += parts[0] * 100;
	if (parts[1] < 1 || parts[2] < 1 || parts[2] > MONTHS_PER_YEAR || parts[3] < 1 ||
		parts[3] > day_tab[isleap(parts[1])][parts[2] - 1] || parts[4] >= HOURS_PER_DAY ||
		parts[5] >= MINS_PER_HOUR || parts[6] >= SECS_PER_MINUTE)
		return number;
	writer->point = text[10];
	writer->least = form;
	number.behind = 0;
	number.digits =
		(int64) (date2j(parts[1], parts[2], parts[3]) - POSTGRES_EPOCH_JDATE) * SECS_PER_DAY +
		(parts[4] * MINS_PER_HOUR + parts[5]) * SECS_PER_MINUTE + parts[6];
	return number;
}

/* Return a number in units of the last digit of all. */
static int64
scaled(const CodeWriter *writer, const WrittenNumber *number)
{
	return number->digits * powers[writer->most - number->behind];
}

/* Leave out of the numbers those that one notation cannot give back, or that become too long. */
static void
keep_notation(CodeWriter *writer)
{
	writer->count = 0;
	for (int i = 0; i < writer->cells->rows; i++)
	{
		WrittenNumber *number = &writer->numbers[i];
		int64 most = powers[SEGMENT_DIGITS];
		int64 value;

		if (number->behind < 0)
			continue;
		if ((number->zeros > 0 && number->behind > writer->least) ||
			llabs(number->digits) >= most / powers[writer->most - number->behind])
		{
			number->behind = -1;
			continue;
		}
		value = scaled(writer, number);
		writer->low = writer->count == 0 ? value : Min(writer->low, value);
		writer->high = writer->count == 0 ? value : Max(writer->high, value);
		writer->count++;
	}
}

/* Find the cells that are numbers, or instants; false if most are not. */
static bool
find_numbers(CodeWriter *writer, WrittenNumber (*read)(CodeWriter *, const char *, int))
{
	int rows = writer->cells->rows;
	int others = 0;

	writer->least = writer->most = 0;
	writer->point = '\0';
	for (int i = 0; i < rows && others <= rows / 2; i++)
	{
		WrittenNumber *number = &writer->numbers[i];

		*number = read(writer, segment_cells_text(writer->cells, i),
					   segment_cells_length(writer->cells, i));
		others += number->behind < 0;
		if (number->behind < 0 || is_instant(writer))
			continue;
		writer->least = others == i ? number->behind : Min(writer->least, number->behind);
		writer->most = Max(writer->most, number->behind);
	}
	if (others > rows / 2)
		return false;
	keep_notation(writer);
	return writer->count * 2 > rows;
}

/* Return whether the cells of two rows are the same. */
static bool
are_same(const Cells *cells, int left, int right)
{
	int length = segment_cells_length(cells, left);

	return length == segment_cells_length(cells, right) &&
		   cells->absent[left] == cells->absent[right] &&
		   memcmp(segment_cells_text(cells, left), segment_cells_text(cells, right),
				  (size_t) length) == 0;
}

/* Find the different texts of the cells that are no numbers; false if there are more than so many. */
static bool
find_texts(CodeWriter *writer, int most)
{
	const Cells *cells = writer->cells;

	writer->mask = pg_nextpower2_32((uint32) Max(most, 8) * 2) - 1;
	writer->slots = palloc0(sizeof(int) * ((size_t) writer->mask + 1));
	writer->texts = palloc(sizeof(int) * (size_t) Max(most, 1));
	writer->ntexts = 0;
	for (int i = 0; i < cells->rows; i++)
	{
		uint32 slot;

		if (writer->count > 0 && writer->numbers[i].behind >= 0)
			continue;
		slot = hash_bytes((const unsigned char *) segment_cells_text(cells, i),
						  segment_cells_length(cells, i));
		for (slot &= writer->mask; writer->slots[slot] > 0; slot = (slot + 1) & writer->mask)
			if (are_same(cells, i, writer->texts[writer->slots[slot] - 1]))
				break;
		if (writer->slots[slot] == 0)
		{
			if (writer->ntexts == most)
				return false;
			writer->texts[writer->ntexts++] = i;
			writer->slots[slot] = writer->ntexts;
		}
		writer->code_of[i] = (uint32) writer->slots[slot] - 1;
	}
	return true;
}

/* Append some of the rows, or all if rows is NULL, as lengths and bytes. */
static void
write_cells(StringInfo out, const Cells *cells, const int *rows, int count)
{
	for (int i = 0; i < count; i++)
	{
		int row = rows ? rows[i] : i;

		cat_segment_write_length(out, (size_t) segment_cells_length(cells, row),
								 cells->absent[row]);
	}
	if (!rows)
		appendBinaryStringInfo(out, cells->bytes, (int) cells->starts[count]);
	for (int i = 0; rows && i < count; i++)
		appendBinaryStringInfo(out, segment_cells_text(cells, rows[i]),
							   segment_cells_length(cells, rows[i]));
}

/* Return the code of a row. */
static uint64
code_of(const void *from, int row)
{
	const CodeWriter *writer = from;

	if (writer->count == 0 || writer->numbers[row].behind < 0)
		return writer->code_of[row];
	return (uint64) writer->ntexts + (uint64) (scaled(writer, &writer->numbers[row]) - writer->low);
}

/* Codes of the rows of a segment. */
typedef struct CodeList
{
	uint64 (*code)(const void *from, int row);
	const void *from;
	int rows;
	uint64 greatest;
} CodeList;

/* Return how many bits a code has. */
static int
width_of(const CodeList *codes)
{
	return codes->greatest > 0 ? pg_leftmost_one_pos64(codes->greatest) + 1 : 1;
}

/* Append codes, so many bits each. */
static void
pack_codes(StringInfo out, const CodeList *codes)
{
	int width = width_of(codes);
	uint64 bits = 0; /* that are not written yet */
	int count = 0;	 /* how many */

	enlargeStringInfo(out, codes->rows * width / 8 + 2 + SEGMENT_REST);
	for (int i = 0; i < codes->rows; i++)
	{
		bits |= codes->code(codes->from, i) << count;
		for (count += width; count >= 8; count -= 8, bits >>= 8)
			appendStringInfoCharMacro(out, (char) bits);
	}
	if (count > 0)
		appendStringInfoCharMacro(out, (char) bits);
	write_number(out, 0, SEGMENT_REST);
}

static void
write_codes(StringInfo out, const CodeWriter *writer)
{
	CodeList codes = {code_of, writer, writer->cells->rows, (uint64) Max(writer->ntexts - 1, 0)};

	if (writer->count > 0)
		codes.greatest = (uint64) writer->ntexts + (uint64) (writer->high - writer->low);
	appendStringInfoCharMacro(out, SEGMENT_CODES);
	write_number(out, (uint64) width_of(&codes), 1);
	write_number(out, writer->count > 0 ? (uint64) writer->least : 0, 1);
	write_number(out, writer->count > 0 ? (uint64) writer->most : 0, 1);
	appendStringInfoCharMacro(out, writer->count > 0 && writer->point ? writer->point : '.');
	write_number(out, (uint64) writer->ntexts, 4);
	write_number(out, writer->count > 0 ? (uint64) writer->low : 0, 8);
	write_cells(out, writer->cells, writer->texts, writer->ntexts);
	pack_codes(out, &codes);
}

/* Numbers that are written as codes. */
typedef struct NumberList
{
	const int64 *numbers;
	int64 low;
} NumberList;

static uint64
code_of_number(const void *from, int row)
{
	const NumberList *list = from;

	return (uint64) (list->numbers[row] - list->low);
}

void
cat_segment_write_numbers(StringInfo out, const int64 *numbers, int rows, int digits)
{
	NumberList list = {numbers, numbers[0]};
	CodeList codes = {code_of_number, &list, rows, 0};
	int64 high = numbers[0];

	for (int i = 1; i < rows; i++)
	{
		list.low = Min(list.low, numbers[i]);
		high = Max(high, numbers[i]);
	}
	codes.greatest = (uint64) (high - list.low);
	appendStringInfoCharMacro(out, SEGMENT_CODES);
	write_number(out, (uint64) width_of(&codes), 1);
	write_number(out, 0, 1);
	write_number(out, (uint64) digits, 1);
	appendStringInfoCharMacro(out, '.');
	write_number(out, 0, 4);
	write_number(out, (uint64) list.low, 8);
	pack_codes(out, &codes);
}

/* Read a day as ISO 8601 has it, to the last digit; false if it is none. */
static bool
read_day(const Cells *cells, int row, double *day)
{
	const char *text = segment_cells_text(cells, row);
	DateParts parts = DATE_TEXT_FIRST;

	if (segment_cells_length(cells, row) != 10 ||
		date_text_read(DATE_TEXT_DAY, text, text + 10, &parts) != text + 10)
		return false;
	*day = parts.year * 10000 + parts.month * 100 + parts.day;
	return true;
}

/* Find the bounds of texts that are days but for empty cells. */
static void
bound_days(const CodeWriter *writer, SegmentBounds *bounds)
{
	int days = 0;

	for (int i = 0; i < writer->ntexts; i++)
	{
		double day;

		if (segment_cells_length(writer->cells, writer->texts[i]) == 0)
			continue;
		if (!read_day(writer->cells, writer->texts[i], &day))
			return;
		bounds->least = days == 0 ? day : Min(bounds->least, day);
		bounds->greatest = days == 0 ? day : Max(bounds->greatest, day);
		days++;
	}
	if (days > 0)
		bounds->kind = BOUNDS_DAYS;
}

static void
find_bounds(const CodeWriter *writer, SegmentBounds *bounds)
{
	if (writer->count == 0)
	{
		bound_days(writer, bounds);
		return;
	}
	for (int i = 0; i < writer->ntexts; i++)
		if (segment_cells_length(writer->cells, writer->texts[i]) > 0)
			return;
	bounds->kind = is_instant(writer) ? BOUNDS_DAYS : BOUNDS_NUMBERS;
	if (is_instant(writer))
	{
		bounds->least = cat_segment_day(writer->low * USECS_PER_SEC);
		bounds->greatest = cat_segment_day(writer->high * USECS_PER_SEC);
		return;
	}
	bounds->least = (double) writer->low / (double) powers[writer->most];
	bounds->greatest = (double) writer->high / (double) powers[writer->most];
}

void
cat_segment_write(StringInfo out, const Cells *cells, SegmentBounds *bounds)
{
	CodeWriter writer = {.cells = cells,
						 .numbers = palloc(sizeof(WrittenNumber) * (size_t) cells->rows),
						 .code_of = palloc(sizeof(uint32) * (size_t) cells->rows)};
	bool numbers = find_numbers(&writer, read_number) || find_numbers(&writer, read_instant);

	*bounds = (SegmentBounds){BOUNDS_NONE, 0, 0};
	writer.count = numbers ? writer.count : 0;
	if (find_texts(&writer, numbers ? OTHER_TEXTS : (cells->rows + 1) / 2))
	{
		write_codes(out, &writer);
		find_bounds(&writer, bounds);
		return;
	}
	appendStringInfoCharMacro(out, SEGMENT_CELLS);
	write_cells(out, cells, NULL, cells->rows);
}

void
cat_segment_write_bounds(StringInfo out, const SegmentBounds *bounds)
{
	uint64 ends[2];

	appendStringInfoCharMacro(out, (char) bounds->kind);
	if (bounds->kind == BOUNDS_NONE)
		return;
	memcpy(&ends[0], &bounds->least, sizeof(double));
	memcpy(&ends[1], &bounds->greatest, sizeof(double));
	write_number(out, ends[0], 8);
	write_number(out, ends[1], 8);
}
