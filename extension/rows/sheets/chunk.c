/*
 * chunk.c
 *	  Chunks of packed columns.
 *
 * All bytes are checked before use, whoever has written them: a damaged chunk causes an error,
 * never a crash or invalid text.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "executor/tuptable.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/array.h"

#include "rows/sheets/sheets.h"

/* Maximum number of bytes of a length, which is at most CONTENTS_CELL + 1. */
#define LENGTH_BYTES 4

pg_noreturn static void
damaged(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("rows of a sheet are damaged"),
					errdetail("%s", detail)));
}

static uint32
read_number(const unsigned char *bytes)
{
	uint32 number;

	memcpy(&number, bytes, sizeof(number));
#ifdef WORDS_BIGENDIAN
	number = pg_bswap32(number);
#endif
	return number;
}

/* Return the offset of a column's section; for the number after the last column, the end. */
static size_t
section_of(const Chunk *chunk, int column)
{
	return read_number(chunk->bytes + CHUNK_HEAD + sizeof(uint32) * (size_t) column);
}

/*
 * Open a chunk for reading; its bytes remain in the caller's memory.
 *
 * first, count: the rows that it should contain.  Raises an error if its header disagrees or an
 * offset is out of bounds.
 */
void
cat_chunk_open(Chunk *chunk, const void *bytes, size_t length, int64 first, int count)
{
	if (GetDatabaseEncoding() != PG_UTF8)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("rows of files need a database of encoding UTF8")));
	*chunk = (Chunk){.bytes = bytes, .length = length, .first = first};
	if (length < CHUNK_HEAD + sizeof(uint32) || chunk->bytes[0] != CHUNK_FORMAT)
		damaged("The chunk has an unknown format.");
	if (count < 1 || count > CHUNK_ROWS || read_number(chunk->bytes + 1) != (uint32) count)
		damaged("The chunk has another number of rows than expected.");
	chunk->rows = count;
	if (read_number(chunk->bytes + 5) > CONTENTS_COLUMNS)
		damaged("The chunk has too many columns.");
	chunk->columns = (int) read_number(chunk->bytes + 5);
	if (length < CHUNK_HEAD + sizeof(uint32) * ((size_t) chunk->columns + 1))
		damaged("The chunk ends inside its header.");
	if (section_of(chunk, 0) != CHUNK_HEAD + sizeof(uint32) * ((size_t) chunk->columns + 1) ||
		section_of(chunk, chunk->columns) != length)
		damaged("The chunk has invalid column offsets.");
	for (int i = 0; i < chunk->columns; i++)
		if (section_of(chunk, i) > section_of(chunk, i + 1))
			damaged("The chunk has invalid column offsets.");
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
			if (length > CONTENTS_CELL + 1)
				break;
			return length;
		}
	}
	damaged("A cell has an invalid length.");
}

/* Return whether all bytes are ASCII. */
static bool
is_ascii_text(const char *bytes, size_t length)
{
	unsigned char any = 0;

	for (size_t i = 0; i < length; i++)
		any |= (unsigned char) bytes[i];
	return any < 0x80;
}

/* Raise an error unless each cell is valid text by itself. */
static void
require_texts(Cells *cells)
{
	size_t length = cells->starts[cells->rows];

	if (!pg_verify_mbstr(PG_UTF8, cells->bytes, (int) length, true))
		damaged("A cell is not valid text.");
	cells->ascii = is_ascii_text(cells->bytes, length);
	for (int i = 0; !cells->ascii && i < cells->rows; i++)
		if (cells_length(cells, i) > 0 &&
			((unsigned char) cells->bytes[cells->starts[i]] & 0xC0) == 0x80)
			damaged("A cell begins inside a character.");
}

/*
 * Set the starts of the cells from lengths of any size, and advance *at; return the end of the last
 * cell.
 */
static uint32
take_lengths(const unsigned char **at, const unsigned char *end, Cells *cells)
{
	uint32 start = 0;

	for (int i = 0; i < cells->rows; i++)
	{
		uint32 length = *at < end && **at < 0x80 ? *(*at)++ : take_length(at, end);

		cells->absent[i] = length == 0;
		cells->starts[i] = start;
		start += length - (length > 0);
	}
	return start;
}

/* Read the cells of a column; they point into the chunk. */
void
cat_chunk_cells(const Chunk *chunk, int column, Cells *cells)
{
	const unsigned char *at = chunk->bytes + section_of(chunk, column);
	const unsigned char *end = chunk->bytes + section_of(chunk, column + 1);
	uint32 start;

	Assert(column >= 0 && column < chunk->columns);
	cells->rows = chunk->rows;
	start = take_lengths(&at, end, cells);
	cells->starts[chunk->rows] = start;
	cells->bytes = (const char *) at;
	if ((size_t) (end - at) != start)
		damaged("The lengths of the cells of a column do not add up.");
	require_texts(cells);
}

/*
 * Add rows to a sheet, behind those that it has.  All cells of the chunk must be readable.
 *
 * The worker stores the contents of a file in one transaction: the former contents are visible
 * until it commits, the new ones afterwards.  The rest of that is in sheets.sql.
 */
CAT_FUNCTION(catalogue_contents_add)
{
	bytea *data = PG_GETARG_BYTEA_PP(ARG_CONTENTS_ADD_DATA);
	Cells *cells = palloc(sizeof(Cells));
	Chunk chunk;

	cat_chunk_open(&chunk, VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data),
				   PG_GETARG_INT64(ARG_CONTENTS_ADD_FIRST),
				   PG_GETARG_INT32(ARG_CONTENTS_ADD_COUNT));
	for (int i = 0; i < chunk.columns; i++)
		cat_chunk_cells(&chunk, i, cells);
	cat_owner_call_begin();
	cat_statement_fresh(
		"INSERT INTO catalogue.sheet_chunk (sheet, first, count, data) SELECT $1, $2, $3, $4 "
		"WHERE $2 = coalesce((SELECT c.first + c.count FROM catalogue.sheet_chunk c "
		"WHERE c.sheet = $1 ORDER BY c.first DESC LIMIT 1), 1)",
		int8_param(PG_GETARG_INT64(ARG_CONTENTS_ADD_SHEET)), int8_param(chunk.first),
		int4_param(chunk.rows), datum_param(BYTEAOID, PointerGetDatum(data)));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rows of a sheet do not follow those before")));
	cat_owner_call_end();
	PG_RETURN_VOID();
}

/* Write a number at a place of a chunk. */
static void
write_number(StringInfo out, int place, uint32 number)
{
#ifdef WORDS_BIGENDIAN
	number = pg_bswap32(number);
#endif
	memcpy(out->data + place, &number, sizeof(number));
}

/* Append the section of a column: the lengths of its cells, then their bytes. */
static void
append_section(StringInfo out, const Datum *cells, const bool *nulls, int rows, int columns)
{
	for (int i = 0; i < rows * columns; i += columns)
	{
		size_t length = nulls[i] ? 0 : VARSIZE_ANY_EXHDR(DatumGetPointer(cells[i])) + 1;

		if (length > CONTENTS_CELL + 1)
			ereport(ERROR,
					(errcode(OD400), errmsg("a cell is too long"),
					 errhint("It takes an array of arrays, the first of names, or of objects.")));
		for (; length >= 0x80; length >>= 7)
			appendStringInfoChar(out, (char) (length | 0x80));
		appendStringInfoChar(out, (char) length);
	}
	for (int i = 0; i < rows * columns; i += columns)
		if (!nulls[i])
			appendBinaryStringInfo(out, VARDATA_ANY(DatumGetPointer(cells[i])),
								   (int) VARSIZE_ANY_EXHDR(DatumGetPointer(cells[i])));
}

/* Pack the cells of rows, which are one row after the other. */
CAT_FUNCTION(catalogue_chunk_packed)
{
	int columns = Max(PG_GETARG_INT32(ARG_CHUNK_PACKED_COLUMNS), 1);
	StringInfo out = makeStringInfo();
	Datum *cells;
	bool *nulls;
	int count;
	int rows;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(ARG_CHUNK_PACKED_CELLS), TEXTOID, -1, false,
					  TYPALIGN_INT, &cells, &nulls, &count);
	rows = count / columns;
	appendStringInfoSpaces(out, VARHDRSZ + CHUNK_HEAD + (int) sizeof(uint32) * (columns + 1));
	out->data[VARHDRSZ] = CHUNK_FORMAT;
	write_number(out, VARHDRSZ + 1, (uint32) rows);
	write_number(out, VARHDRSZ + 5, (uint32) columns);
	for (int i = 0; i <= columns; i++)
	{
		write_number(out, VARHDRSZ + CHUNK_HEAD + (int) sizeof(uint32) * i,
					 (uint32) (out->len - VARHDRSZ));
		if (i < columns)
			append_section(out, cells + i, nulls + i, rows, columns);
	}
	SET_VARSIZE(out->data, out->len);
	PG_RETURN_BYTEA_P(out->data);
}
