/*
 * column.c - the cells of a column in the open chunk.
 */
#include "rows/columns.h"

void
column_make_lengths(Sheet *sheet, Column *column, unsigned bytes)
{
	while (column->lengths_room - column->lengths_used < bytes)
		column->lengths_room = column->lengths_room > 0 ? 2 * column->lengths_room : 256;
	column->lengths = parse_resize(sheet->parse, column->lengths, column->lengths_room);
}

void
column_fill(Sheet *sheet, Column *column, unsigned rows)
{
	unsigned missing = rows - column->rows;

	if (column->lengths_room - column->lengths_used < missing)
		column_make_lengths(sheet, column, missing);
	memset(column->lengths + column->lengths_used, 0, missing);
	column->lengths_used += missing;
	column->rows = rows;
}

void
column_new(Sheet *sheet)
{
	Parse *parse = sheet->parse;
	Column *column = parse_allocate(parse, sizeof(Column));

	profile_begin(&column->profile, parse);
	sheet->columns[sheet->width++] = column;
	/* a length for each row of the chunk so far */
	sheet->size += sheet->rows;
	sheet->kept_size += sheet->rows;
}

void
column_make_room(Sheet *sheet, Column *column, size_t length)
{
	size_t capacity = column->capacity < 256 ? 256 : column->capacity;

	while (capacity - column->length < length)
		capacity *= 2;
	column->bytes = parse_resize(sheet->parse, column->bytes, capacity + 16);
	column->capacity = capacity;
}

Column *
column_insert(Sheet *sheet, unsigned at, const char *title)
{
	Column *column;

	column_new(sheet);
	column = sheet->columns[sheet->width - 1];
	memmove(sheet->columns + at + 1, sheet->columns + at,
			(sheet->width - 1 - at) * sizeof(Column *));
	sheet->columns[at] = column;
	sheet->kept_width++;
	column->title = parse_copy(sheet->parse, title);
	column->title_length = strlen(title);
	return column;
}

void
column_append(Sheet *sheet, Column *column, unsigned row, const char *bytes, size_t length)
{
	if (column->rows < row)
		column_fill(sheet, column, row);
	if (column->capacity - column->length < length)
		column_make_room(sheet, column, length);
	memcpy(column->bytes + column->length, bytes, length);
	column->length += length;
	column_add_length(sheet, column, length + 1);
}
