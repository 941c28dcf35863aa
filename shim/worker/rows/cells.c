/*
 * cells.c - unpack the cells of a chunk (extension/rows/sheets/chunk.h).
 */
#include <stdlib.h>

#include "rows/cells.h"
#include "sandbox/sandbox.h"

/* Position of the next cell of a column. */
struct CellColumn
{
	const unsigned char *length;
	const unsigned char *cell;
	const unsigned char *end; /* of the section */
};

/* Read a varint; false if it does not end before the end of the bytes. */
static bool
read_length(const unsigned char **at, const unsigned char *end, uint64_t *length)
{
	*length = 0;
	for (int shift = 0; shift < 35 && *at < end; shift += 7)
	{
		unsigned char byte = *(*at)++;

		*length |= (uint64_t) (byte & 0x7F) << shift;
		if ((byte & 0x80) == 0)
			return true;
	}
	return false;
}

/* Locate the lengths and the cells of a section; false if they do not fill it exactly. */
static bool
open_column(CellColumn *column, const unsigned char *start, const unsigned char *end, uint32_t rows)
{
	const unsigned char *at = start;
	uint64_t total = 0;

	for (uint32_t i = 0; i < rows; i++)
	{
		uint64_t length;

		if (!read_length(&at, end, &length))
			return false;
		total += length > 0 ? length - 1 : 0;
	}
	*column = (CellColumn){.length = start, .cell = at, .end = end};
	return total == (uint64_t) (end - at);
}

bool
cells_open(Cells *cells, const char *data, size_t length)
{
	const unsigned char *bytes = (const unsigned char *) data;

	*cells = (Cells){0};
	if (length < CHUNK_HEAD || bytes[0] != CHUNK_FORMAT)
		return false;
	cells->rows = little_u32(data + 1);
	cells->count = little_u32(data + 5);
	if (cells->rows == 0 || cells->rows > CHUNK_ROWS || cells->count > CONTENTS_COLUMNS ||
		length < CHUNK_HEAD + ((size_t) cells->count + 1) * 4)
		return false;
	cells->columns = calloc((size_t) cells->count + 1, sizeof(CellColumn));
	for (uint32_t i = 0; cells->columns != NULL && i < cells->count; i++)
	{
		uint32_t start = little_u32(data + CHUNK_HEAD + (size_t) i * 4);
		uint32_t end = little_u32(data + CHUNK_HEAD + (size_t) (i + 1) * 4);

		if (start > end || end > length ||
			!open_column(&cells->columns[i], bytes + start, bytes + end, cells->rows))
			return false;
	}
	return cells->columns != NULL;
}

const char *
cells_next(Cells *cells, uint32_t number, size_t *length)
{
	CellColumn *column = &cells->columns[number];
	const unsigned char *cell = column->cell;
	uint64_t bytes;

	if (!read_length(&column->length, column->end, &bytes) || bytes == 0)
		return NULL;
	*length = (size_t) bytes - 1;
	column->cell += *length;
	return (const char *) cell;
}

void
cells_close(Cells *cells)
{
	free(cells->columns);
	cells->columns = NULL;
}
