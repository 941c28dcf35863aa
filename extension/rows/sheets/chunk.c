/*
 * chunk.c
 *	  Chunks are read: those that are packed, and those of catalogue.sheet_chunk.
 *
 * All bytes are checked before use, whoever has written them: a damaged chunk causes an error,
 * never a crash or invalid text.
 */
#include "catalogue.h"

#include "access/detoast.h"
#include "access/toast_internals.h"
#include "mb/pg_wchar.h"

#include "rows/sheets/little.h"
#include "rows/sheets/sheets.h"

/* A value of at most so many bytes is read at once. */
#define WHOLE_BYTES (32U * 1024)
/* How many columns of a chunk are read one by one; with the next one the whole chunk is read. */
#define SECTIONS_APART 16
/* Maximum number of bytes of a segment that is not compressed; a longer one is damaged. */
#define SEGMENT_BYTES (64 * 1024 * 1024)

/* Return the offset of a column's section; for the number after the last column, the end. */
static size_t
section_of(const Chunk *chunk, int column)
{
	return little_four(chunk->bytes + CHUNK_HEAD + sizeof(uint32) * (size_t) column);
}

/* Return the length of what is in front of the sections. */
static size_t
head_length(bool stored, int columns)
{
	return CHUNK_HEAD + sizeof(uint32) * ((size_t) columns + 1) + (stored ? (size_t) columns : 0);
}

/* Read what is in front of the offsets, of which there are so many bytes; raises an error if it disagrees. */
static void
open_head(Chunk *chunk, size_t bytes, int count)
{
	if (GetDatabaseEncoding() != PG_UTF8)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("rows of files need a database of encoding UTF8")));
	if (bytes < CHUNK_HEAD + sizeof(uint32) ||
		chunk->bytes[0] != (chunk->stored ? CHUNK_STORED : CHUNK_FORMAT))
		cat_segment_damaged("The chunk has an unknown format.");
	if (count < 1 || count > CHUNK_ROWS || little_four(chunk->bytes + 1) != (uint32) count)
		cat_segment_damaged("The chunk has another number of rows than expected.");
	chunk->rows = count;
	if (little_four(chunk->bytes + 5) > CONTENTS_COLUMNS)
		cat_segment_damaged("The chunk has too many columns.");
	chunk->columns = (int) little_four(chunk->bytes + 5);
}

/* Raise an error unless the offsets are in order; there are so many bytes of the chunk. */
static void
require_offsets(const Chunk *chunk, size_t bytes)
{
	size_t head = head_length(chunk->stored, chunk->columns);

	if (bytes < head)
		cat_segment_damaged("The chunk ends inside its header.");
	if (section_of(chunk, 0) != head || section_of(chunk, chunk->columns) != chunk->length)
		cat_segment_damaged("The chunk has invalid column offsets.");
	for (int i = 0; i < chunk->columns; i++)
		if (section_of(chunk, i) > section_of(chunk, i + 1))
			cat_segment_damaged("The chunk has invalid column offsets.");
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
	*chunk = (Chunk){.bytes = bytes, .length = length, .first = first};
	open_head(chunk, length, count);
	require_offsets(chunk, length);
}

/* Return the length of a value whose parts are read without the whole of it; 0 if it is read at once. */
static size_t
length_apart(const struct varlena *value)
{
	struct varatt_external pointer;

	if (!VARATT_IS_EXTERNAL_ONDISK(value))
		return 0;
	VARATT_EXTERNAL_GET_POINTER(pointer, value);
	if (VARATT_EXTERNAL_IS_COMPRESSED(pointer) ||
		VARATT_EXTERNAL_GET_EXTSIZE(pointer) <= WHOLE_BYTES)
		return 0;
	return VARATT_EXTERNAL_GET_EXTSIZE(pointer);
}

/* Read the head of a chunk whose sections remain where they are; false for one that is packed. */
static bool
take_head(Chunk *chunk, int count, int columns)
{
	struct varlena *head = detoast_attr_slice(chunk->value, 0, (int32) head_length(true, columns));

	chunk->bytes = (unsigned char *) VARDATA(head);
	if (VARSIZE(head) > VARHDRSZ && chunk->bytes[0] == CHUNK_FORMAT)
		return false;
	open_head(chunk, VARSIZE(head) - VARHDRSZ, count);
	if (chunk->columns > columns)
		return take_head(chunk, count, chunk->columns);
	require_offsets(chunk, VARSIZE(head) - VARHDRSZ);
	return true;
}

void
cat_chunk_take(Chunk *chunk, Datum data, int64 first, int count, int columns)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(data);
	size_t apart = length_apart(value);

	*chunk = (Chunk){.length = apart, .first = first, .stored = true};
	if (apart > 0)
	{
		chunk->value = palloc(VARSIZE_EXTERNAL(value));
		memcpy(chunk->value, value, VARSIZE_EXTERNAL(value));
		if (take_head(chunk, count, columns))
			return;
		chunk->value = NULL;
	}
	value = PG_DETOAST_DATUM_COPY(data);
	chunk->bytes = (unsigned char *) VARDATA(value);
	chunk->length = VARSIZE(value) - VARHDRSZ;
	chunk->stored = chunk->length > 0 && chunk->bytes[0] != CHUNK_FORMAT;
	open_head(chunk, chunk->length, count);
	require_offsets(chunk, chunk->length);
}

void
cat_chunk_read(Chunk *chunk)
{
	struct varlena *whole;

	if (!chunk->value)
		return;
	whole = detoast_attr(chunk->value);
	chunk->bytes = (unsigned char *) VARDATA(whole);
	chunk->value = NULL;
	require_offsets(chunk, VARSIZE(whole) - VARHDRSZ);
}

/* Read the section of a column as a value, which begins where its bytes are. */
static struct varlena *
read_section(Chunk *chunk, int column)
{
	size_t start = section_of(chunk, column);
	size_t length = section_of(chunk, column + 1) - start;
	struct varlena *section;

	if (chunk->value && chunk->apart++ == SECTIONS_APART)
		cat_chunk_read(chunk);
	if (chunk->value)
		section = detoast_attr_slice(chunk->value, (int32) start, (int32) length);
	else
	{
		section = palloc(VARHDRSZ + length);
		memcpy(VARDATA(section), chunk->bytes + start, length);
		SET_VARSIZE(section, VARHDRSZ + length);
	}
	if (VARSIZE(section) != VARHDRSZ + length)
		cat_segment_damaged("A column is cut off.");
	return section;
}

/* Return what a section was before it was compressed. */
static struct varlena *
decompress(struct varlena *section)
{
	uint32 length = VARSIZE(section);
	struct varlena *segment;

	SET_VARSIZE_COMPRESSED(section, length);
	if (length <= VARHDRSZ_COMPRESSED || VARDATA_COMPRESSED_GET_EXTSIZE(section) > SEGMENT_BYTES ||
		VARDATA_COMPRESSED_GET_COMPRESS_METHOD(section) > TOAST_LZ4_COMPRESSION_ID)
		cat_segment_damaged("A column is not compressed as it says.");
	segment = detoast_attr(section);
	pfree(section);
	return segment;
}

void
cat_chunk_segment(Chunk *chunk, int column, Segment *segment)
{
	struct varlena *section;

	Assert(column >= 0 && column < chunk->columns);
	if (!chunk->stored)
	{
		cat_segment_open_cells(segment, chunk->bytes + section_of(chunk, column),
							   chunk->bytes + section_of(chunk, column + 1), chunk->rows);
		return;
	}
	section = read_section(chunk, column);
	if (chunk->bytes[head_length(false, chunk->columns) + (size_t) column] != 0)
		section = decompress(section);
	cat_segment_open(segment, (unsigned char *) VARDATA(section),
					 (unsigned char *) section + VARSIZE(section), chunk->rows);
}
