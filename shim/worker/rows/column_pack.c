/*
 * column_pack.c - pack columns into chunks, in the format of extension/sheets/chunk.h.
 */
#include <string.h>

#include "rows/columns.h"

void
column_pack_fill(Column *column, unsigned rows)
{
	unsigned missing = rows - column->rows;

	memset(column->lengths + column->lengths_used, 0, missing);
	column->lengths_used += missing;
	column->rows = rows;
}

/* The part of a column that belongs to the rows to send: all but the cell of the open row. */
typedef struct Extent
{
	size_t length;
	unsigned lengths_used;
} Extent;

static Extent
extent(Column *column, unsigned rows)
{
	if (column->touched == rows + 1)
		return (Extent){column->mark_length, column->mark_lengths_used};
	column_pack_fill(column, rows);
	return (Extent){column->length, column->lengths_used};
}

/* Remove the sent rows from a column, and free the memory of an unusually long cell. */
static void
begin_again(Sheet *sheet, Column *column, Extent sent)
{
	size_t usual = (4 << 20) / sheet->width;

	column->length -= sent.length;
	column->lengths_used -= sent.lengths_used;
	if (column->length > 0)
		memmove(column->bytes, column->bytes + sent.length, column->length);
	memmove(column->lengths, column->lengths + sent.lengths_used, column->lengths_used);
	column->rows = column->lengths_used > 0;
	column->touched = column->rows;
	column->mark_length = column->mark_lengths_used = 0;
	if (column->capacity > usual && column->length < usual / 2)
	{
		column->capacity = usual;
		column->bytes = parse_resize(sheet->parse, column->bytes, usual + 16);
	}
}

void
column_pack_send(Sheet *sheet, unsigned rows)
{
	Buffer *frame = frame_begin(sheet->parse, FRAME_CHUNK);
	uint64_t offset = CHUNK_HEAD + 4 * ((uint64_t) sheet->width + 1);

	frame_number(frame, sheet->sent + 1, 8);
	frame_number(frame, rows, 4);
	frame_number(frame, CHUNK_FORMAT, 1);
	frame_number(frame, rows, 4);
	frame_number(frame, sheet->width, 4);
	for (unsigned i = 0; i < sheet->width; i++)
	{
		Extent part = extent(sheet->columns[i], rows);

		frame_number(frame, offset, 4);
		offset += part.length + part.lengths_used;
	}
	frame_number(frame, offset, 4);
	for (unsigned i = 0; i < sheet->width; i++)
	{
		Column *column = sheet->columns[i];
		Extent part = extent(column, rows);

		buffer_append(frame, (const char *) column->lengths, part.lengths_used);
		buffer_append(frame, column->bytes, part.length);
	}
	frame_send(sheet->parse);
	for (unsigned i = 0; i < sheet->width; i++)
	{
		Column *column = sheet->columns[i];
		Extent part = extent(column, rows);

		profile_cells(&column->profile, column->lengths, column->bytes, rows);
		begin_again(sheet, column, part);
	}
	sheet->sent += rows;
	sheet->rows -= rows;
	sheet->size -= sheet->mark_size;
	sheet->mark_size = 0;
}
