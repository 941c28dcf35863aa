/*
 * segment.c
 *	  Segments are read.
 *
 * All bytes are checked before use, whoever has written them: a damaged segment causes an error,
 * never a crash or invalid text.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "utils/datetime.h"

#include "rows/sheets/little.h"
#include "rows/sheets/segment.h"

/* Maximum number of bytes of a length, which is at most CONTENTS_GEOMETRY + 1. */
#define LENGTH_BYTES 4
/* Bytes of a segment of codes before its texts, the first one left out. */
#define CODES_HEAD 16

void
cat_segment_damaged(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("rows of a sheet are damaged"),
					errdetail("%s", detail)));
}

/* Read a length and advance *bytes; 0 stands for an absent cell. */
static uint32
take_length(const unsigned char **bytes, const unsigned char *end)
{
	uint32 length = 0;

	for (int i = 0; i < LENGTH_BYTES && *bytes < end; i++)
	{
		unsigned char byte = *(*bytes)++;

		length |= (uint32) (byte & 0x7F) << (7 * i);
		if (byte < 0x80)
		{
			if (length > CONTENTS_GEOMETRY + 1)
				break;
			return length;
		}
	}
	cat_segment_damaged("A cell has an invalid length.");
}

/* Return whether all bytes are ASCII. */
static bool
is_ascii_text(const char *bytes, size_t length)
{
	uint64 any = 0;
	size_t at = 0;

	for (uint64 word; length - at >= sizeof(word); at += sizeof(word))
	{
		memcpy(&word, bytes + at, sizeof(word));
		any |= word;
	}
	for (; at < length; at++)
		any |= (unsigned char) bytes[at];
	return (any & UINT64CONST(0x8080808080808080)) == 0;
}

/* Raise an error unless each cell is valid text by itself. */
static void
require_texts(Cells *cells)
{
	size_t length = cells->starts[cells->rows];

	if (!pg_verify_mbstr(PG_UTF8, cells->bytes, (int) length, true))
		cat_segment_damaged("A cell is not valid text.");
	cells->ascii = is_ascii_text(cells->bytes, length);
	for (int i = 0; !cells->ascii && i < cells->rows; i++)
		if (segment_cells_length(cells, i) > 0 &&
			((unsigned char) cells->bytes[cells->starts[i]] & 0xC0) == 0x80)
			cat_segment_damaged("A cell begins inside a character.");
}

const unsigned char *
cat_segment_cells(Cells *cells, const unsigned char *at, const unsigned char *end, int rows)
{
	uint32 start = 0;

	cells->rows = rows;
	cells->starts = palloc(sizeof(uint32) * ((size_t) rows + 1));
	cells->absent = palloc(sizeof(bool) * ((size_t) rows + 1));
	for (int i = 0; i < rows; i++)
	{
		uint32 length = at < end && *at < 0x80 ? *at++ : take_length(&at, end);

		cells->absent[i] = length == 0;
		cells->starts[i] = start;
		start += length - (length > 0);
	}
	cells->starts[rows] = start;
	cells->bytes = (const char *) at;
	if (at > end || (size_t) (end - at) < start)
		cat_segment_damaged("The lengths of the cells of a column do not add up.");
	require_texts(cells);
	return at + start;
}

/* Numbers that have a code are between this and its negative; instants between the years 1 and 9999. */
#define NUMBER_END INT64CONST(1000000000000000)
#define INSTANT_FIRST ((int64) (date2j(1, 1, 1) - POSTGRES_EPOCH_JDATE) * SECS_PER_DAY)
#define INSTANT_END ((int64) (date2j(10000, 1, 1) - POSTGRES_EPOCH_JDATE) * SECS_PER_DAY)

/* Read the codes of the rows; raises an error for one that is neither of a text nor of a number. */
static void
take_codes(Segment *segment, const unsigned char *at, int width)
{
	int64 last = segment_has_instants(segment) ? INSTANT_END : NUMBER_END;
	uint64 end = (uint64) segment->cells.rows + (uint64) (last - segment->base);
	uint64 mask = (UINT64CONST(1) << width) - 1;
	uint64 greatest = 0;

	segment->codes = palloc(sizeof(uint64) * (size_t) segment->rows);
	for (size_t i = 0; i < (size_t) segment->rows; i++)
	{
		size_t bit = i * (size_t) width;
		uint64 code = little_eight(at + bit / 8) >> (bit % 8) & mask;

		greatest = Max(greatest, code);
		segment->codes[i] = code;
	}
	segment->greatest = greatest;
	if (greatest >= end)
		cat_segment_damaged("A cell has an invalid code.");
}

/* Return whether numbers can be written as a segment says. */
static bool
is_notation(const Segment *segment)
{
	if (segment_has_instants(segment))
		return segment->most == 0 && segment->least <= (SEGMENT_SECONDS | SEGMENT_UTC) &&
			   segment->base >= INSTANT_FIRST && segment->base < INSTANT_END;
	return (segment->point == '.' || segment->point == ',') && segment->least <= segment->most &&
		   segment->most <= SEGMENT_DIGITS && segment->base > -NUMBER_END &&
		   segment->base < NUMBER_END;
}

/* Read a segment of codes behind its first byte. */
static void
open_codes(Segment *segment, const unsigned char *at, const unsigned char *end)
{
	int width;
	uint64 texts;

	if (end - at < CODES_HEAD + 1)
		cat_segment_damaged("A column ends inside its head.");
	width = at[0];
	segment->least = at[1];
	segment->most = at[2];
	segment->point = (char) at[3];
	texts = little_four(at + 4);
	segment->base = (int64) little_eight(at + 8);
	if (width < 1 || width > 56 || texts > (uint64) segment->rows || !is_notation(segment))
		cat_segment_damaged("A column has an invalid head.");
	at = cat_segment_cells(&segment->cells, at + CODES_HEAD, end, (int) texts);
	if (end - at != ((ptrdiff_t) segment->rows * width + 7) / 8 + SEGMENT_REST)
		cat_segment_damaged("The codes of a column do not add up.");
	take_codes(segment, at, width);
}

void
cat_segment_open_cells(Segment *segment, const unsigned char *at, const unsigned char *end,
					   int rows)
{
	*segment = (Segment){.rows = rows};
	if (cat_segment_cells(&segment->cells, at, end, rows) != end)
		cat_segment_damaged("The lengths of the cells of a column do not add up.");
}

void
cat_segment_open(Segment *segment, const unsigned char *at, const unsigned char *end, int rows)
{
	*segment = (Segment){.rows = rows};
	if (at < end && *at == SEGMENT_CODES)
		open_codes(segment, at + 1, end);
	else if (at < end && *at == SEGMENT_CELLS)
		cat_segment_open_cells(segment, at + 1, end, rows);
	else
		cat_segment_damaged("A column has an unknown form.");
}

double
cat_segment_number(const Segment *segment, int64 value)
{
	static const double powers[] = {1e0, 1e1, 1e2,	1e3,  1e4,	1e5,  1e6,	1e7,
									1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

	return (double) value / powers[segment->most];
}

/* Split seconds since 2000 into days, and seconds of the last one. */
static int
days_of(int64 seconds, int *rest)
{
	int64 days = seconds / SECS_PER_DAY - (seconds % SECS_PER_DAY < 0);

	*rest = (int) (seconds - days * SECS_PER_DAY);
	return (int) days;
}

double
cat_segment_day(int64 instant)
{
	int rest;
	int year;
	int month;
	int day;

	j2date(days_of(instant / USECS_PER_SEC - (instant % USECS_PER_SEC < 0), &rest) +
			   POSTGRES_EPOCH_JDATE,
		   &year, &month, &day);
	return year * 10000 + month * 100 + day;
}

/* Write two digits in front of what is written. */
static char *
write_two(char *at, int number)
{
	*--at = (char) ('0' + number % 10);
	*--at = (char) ('0' + number / 10);
	return at;
}

/* Write the instant of a code as it stood in the cell. */
static CellText
write_instant(Segment *segment, int64 value)
{
	char *end = segment->number + sizeof(segment->number);
	char *at = end;
	int year;
	int month;
	int day;
	int rest;

	j2date(days_of(value, &rest) + POSTGRES_EPOCH_JDATE, &year, &month, &day);
	if (segment->least & SEGMENT_UTC)
		*--at = 'Z';
	if (segment->least & SEGMENT_SECONDS)
	{
		at = write_two(at, rest % SECS_PER_MINUTE);
		*--at = ':';
	}
	at = write_two(at, rest / SECS_PER_MINUTE % MINS_PER_HOUR);
	*--at = ':';
	at = write_two(at, rest / SECS_PER_HOUR);
	*--at = segment->point;
	at = write_two(at, day);
	*--at = '-';
	at = write_two(at, month);
	*--at = '-';
	at = write_two(write_two(at, year % 100), year / 100);
	return (CellText){at, (int) (end - at), false};
}

/* Write the number of a code as it stood in the cell. */
static CellText
write_number(Segment *segment, int64 value)
{
	char *end = segment->number + sizeof(segment->number);
	char *at = end;
	uint64 rest = value < 0 ? -(uint64) value : (uint64) value;
	int digits = segment->most;

	/* zeros behind the last digit that counts */
	for (; digits > segment->least && rest % 10 == 0; digits--)
		rest /= 10;
	for (int i = 0; i < digits; i++, rest /= 10)
		*--at = (char) ('0' + rest % 10);
	if (digits > 0)
		*--at = segment->point;
	do
		*--at = (char) ('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (value < 0)
		*--at = '-';
	return (CellText){at, (int) (end - at), false};
}

CellText
cat_segment_cell(Segment *segment, int row)
{
	uint64 at = segment->codes ? segment->codes[row] : (uint64) row;
	const Cells *cells = &segment->cells;

	if (segment->codes && at >= (uint64) cells->rows)
		return segment_has_instants(segment)
				   ? write_instant(segment, cat_segment_value(segment, at))
				   : write_number(segment, cat_segment_value(segment, at));
	return segment_cells_at(cells, (int) at);
}

const unsigned char *
cat_segment_bounds(SegmentBounds *bounds, const unsigned char *at, const unsigned char *end)
{
	uint64 ends[2];

	*bounds = (SegmentBounds){BOUNDS_NONE, 0, 0};
	if (at == end || *at++ == BOUNDS_NONE)
		return at;
	if (at[-1] > BOUNDS_DAYS || end - at < 16)
		cat_segment_damaged("The bounds of a column are invalid.");
	bounds->kind = (BoundsKind) at[-1];
	ends[0] = little_eight(at);
	ends[1] = little_eight(at + 8);
	memcpy(&bounds->least, &ends[0], sizeof(double));
	memcpy(&bounds->greatest, &ends[1], sizeof(double));
	return at + 16;
}
