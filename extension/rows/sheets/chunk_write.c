/*
 * chunk_write.c
 *	  Chunks are written: rows are packed, packed rows are stored, and stored rows are packed again.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/toast_compression.h"
#include "access/toast_internals.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "rows/sheets/sheets.h"

#ifdef USE_LZ4
#define COMPRESSION TOAST_LZ4_COMPRESSION
#else
#define COMPRESSION TOAST_PGLZ_COMPRESSION
#endif

/* Write a number at an offset of a chunk. */
static void
write_number(StringInfo out, int offset, uint32 number)
{
#ifdef WORDS_BIGENDIAN
	number = pg_bswap32(number);
#endif
	memcpy(out->data + offset, &number, sizeof(number));
}

/* Append the head of a chunk, without its offsets; return where these begin. */
static int
write_head(StringInfo out, int format, int rows, int columns)
{
	int start = out->len;
	int length = CHUNK_HEAD + (int) sizeof(uint32) * (columns + 1);

	appendStringInfoSpaces(out, format == CHUNK_STORED ? length + columns : length);
	out->data[start] = (char) format;
	write_number(out, start + 1, (uint32) rows);
	write_number(out, start + 5, (uint32) columns);
	return start + CHUNK_HEAD;
}

/* Write where the section of a column begins, which is the end of the text. */
static void
write_offset(StringInfo out, int offsets, int column)
{
	write_number(out, offsets + (int) sizeof(uint32) * column,
				 (uint32) (out->len - (offsets - CHUNK_HEAD)));
}

/* Append the cells of a column as a segment; true if it is compressed, as it is if that spares an eighth. */
static bool
write_section(StringInfo out, const Cells *cells, SegmentBounds *bounds)
{
	StringInfo segment = makeStringInfo();
	struct varlena *compressed;

	appendStringInfoSpaces(segment, VARHDRSZ);
	cat_segment_write(segment, cells, bounds);
	SET_VARSIZE(segment->data, segment->len);
	compressed = (struct varlena *) DatumGetPointer(
		toast_compress_datum(PointerGetDatum(segment->data), COMPRESSION));
	if (compressed && (int) VARSIZE(compressed) < segment->len - segment->len / 8)
	{
		appendBinaryStringInfo(out, (char *) compressed + VARHDRSZ,
							   (int) VARSIZE(compressed) - VARHDRSZ);
		return true;
	}
	appendBinaryStringInfo(out, segment->data + VARHDRSZ, segment->len - VARHDRSZ);
	return false;
}

/* Append a packed chunk as it is stored, and the bounds of its columns. */
static void
write_stored(Chunk *packed, StringInfo out, StringInfo bounds)
{
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "a column", ALLOCSET_DEFAULT_SIZES);
	int offsets = write_head(out, CHUNK_STORED, packed->rows, packed->columns);
	int compressed = offsets + (int) sizeof(uint32) * (packed->columns + 1);

	for (int i = 0; i < packed->columns; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(memory);
		SegmentBounds bound;
		Segment segment;

		write_offset(out, offsets, i);
		cat_chunk_segment(packed, i, &segment);
		out->data[compressed + i] = (char) write_section(out, &segment.cells, &bound);
		cat_segment_write_bounds(bounds, &bound);
		MemoryContextSwitchTo(old);
		MemoryContextReset(memory);
		CHECK_FOR_INTERRUPTS();
	}
	write_offset(out, offsets, packed->columns);
	MemoryContextDelete(memory);
}

bytea *
cat_chunk_write_numbers(const NumberColumn *columns, int count, int rows)
{
	StringInfo out = makeStringInfo();
	int offsets;

	appendStringInfoSpaces(out, VARHDRSZ);
	offsets = write_head(out, CHUNK_STORED, rows, count);
	memset(out->data + offsets + sizeof(uint32) * ((size_t) count + 1), 0, (size_t) count);
	for (int i = 0; i < count; i++)
	{
		write_offset(out, offsets, i);
		cat_segment_write_numbers(out, columns[i].numbers, rows, columns[i].digits);
	}
	write_offset(out, offsets, count);
	SET_VARSIZE(out->data, out->len);
	return (bytea *) out->data;
}

/* What is written of a chunk: two values. */
typedef struct StoredChunk
{
	StringInfoData data;
	StringInfoData bounds;
} StoredChunk;

/* Make of a packed chunk what is stored. */
static void
store_chunk(Chunk *packed, StoredChunk *stored)
{
	initStringInfo(&stored->data);
	initStringInfo(&stored->bounds);
	appendStringInfoSpaces(&stored->data, VARHDRSZ);
	appendStringInfoSpaces(&stored->bounds, VARHDRSZ);
	write_stored(packed, &stored->data, &stored->bounds);
	SET_VARSIZE(stored->data.data, stored->data.len);
	SET_VARSIZE(stored->bounds.data, stored->bounds.len);
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
	StoredChunk stored;
	Chunk chunk;

	cat_chunk_open(&chunk, VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data),
				   PG_GETARG_INT64(ARG_CONTENTS_ADD_FIRST),
				   PG_GETARG_INT32(ARG_CONTENTS_ADD_COUNT));
	store_chunk(&chunk, &stored);
	cat_owner_call_begin();
	cat_statement_fresh(
		"INSERT INTO catalogue.sheet_chunk (sheet, first, count, data, bounds) "
		"SELECT $1, $2, $3, $4, $5 "
		"WHERE $2 = coalesce((SELECT c.first + c.count FROM catalogue.sheet_chunk c "
		"WHERE c.sheet = $1 ORDER BY c.first DESC LIMIT 1), 1)",
		int8_param(PG_GETARG_INT64(ARG_CONTENTS_ADD_SHEET)), int8_param(chunk.first),
		int4_param(chunk.rows), datum_param(BYTEAOID, PointerGetDatum(stored.data.data)),
		datum_param(BYTEAOID, PointerGetDatum(stored.bounds.data)));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rows of a sheet do not follow those before")));
	cat_owner_call_end();
	PG_RETURN_VOID();
}

/* Append the section of a column: the lengths of its cells, then their bytes. */
static void
append_section(StringInfo out, const Datum *cells, const bool *nulls, int rows, int columns)
{
	for (int i = 0; i < rows * columns; i += columns)
	{
		size_t length = nulls[i] ? 0 : VARSIZE_ANY_EXHDR(DatumGetPointer(cells[i]));

		if (length > CONTENTS_CELL)
			ereport(ERROR,
					(errcode(OD400), errmsg("a cell is too long"),
					 errhint("It takes an array of arrays, the first of names, or of objects.")));
		cat_segment_write_length(out, length, nulls[i]);
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
	int offsets;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(ARG_CHUNK_PACKED_CELLS), TEXTOID, -1, false,
					  TYPALIGN_INT, &cells, &nulls, &count);
	rows = count / columns;
	appendStringInfoSpaces(out, VARHDRSZ);
	offsets = write_head(out, CHUNK_FORMAT, rows, columns);
	for (int i = 0; i <= columns; i++)
	{
		write_offset(out, offsets, i);
		if (i < columns)
			append_section(out, cells + i, nulls + i, rows, columns);
	}
	SET_VARSIZE(out->data, out->len);
	PG_RETURN_BYTEA_P(out->data);
}

/* Return a cell that is given as text; a geometry may be too long. */
static CellText
given_cell(Segment *segment, int row)
{
	CellText cell = cat_segment_cell(segment, row);

	return cell.length > CONTENTS_CELL ? (CellText){.absent = true} : cell;
}

/* Append a column as a packed section. */
static void
append_segment(StringInfo out, Segment *segment)
{
	for (int i = 0; i < segment->rows; i++)
	{
		CellText cell = given_cell(segment, i);

		cat_segment_write_length(out, (size_t) cell.length, cell.absent);
	}
	for (int i = 0; i < segment->rows; i++)
	{
		CellText cell = given_cell(segment, i);

		appendBinaryStringInfo(out, cell.bytes, cell.length);
	}
}

/* Pack the rows of a chunk of the table. */
CAT_FUNCTION(catalogue_chunk_repacked)
{
	StringInfo out = makeStringInfo();
	Segment segment;
	Chunk chunk;
	int offsets;

	cat_chunk_take(&chunk, PG_GETARG_DATUM(ARG_CHUNK_REPACKED_DATA), 1,
				   PG_GETARG_INT32(ARG_CHUNK_REPACKED_COUNT), 0);
	appendStringInfoSpaces(out, VARHDRSZ);
	offsets = write_head(out, CHUNK_FORMAT, chunk.rows, chunk.columns);
	for (int i = 0; i <= chunk.columns; i++)
	{
		write_offset(out, offsets, i);
		if (i == chunk.columns)
			break;
		cat_chunk_segment(&chunk, i, &segment);
		append_segment(out, &segment);
	}
	SET_VARSIZE(out->data, out->len);
	PG_RETURN_BYTEA_P(out->data);
}

/* Store a chunk that is packed in the table. */
CAT_FUNCTION(catalogue_chunk_stored)
{
	bytea *data = PG_GETARG_BYTEA_PP(ARG_CHUNK_STORED_DATA);
	StoredChunk stored;
	Chunk chunk;
	TupleDesc desc;
	Datum values[2];

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "function does not return a row");
	cat_chunk_open(&chunk, VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data), 1,
				   PG_GETARG_INT32(ARG_CHUNK_STORED_COUNT));
	store_chunk(&chunk, &stored);
	values[0] = PointerGetDatum(stored.data.data);
	values[1] = PointerGetDatum(stored.bounds.data);
	PG_RETURN_DATUM(
		HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, (bool[]){false, false})));
}
