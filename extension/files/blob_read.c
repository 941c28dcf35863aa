/*
 * blob_read.c
 *	  Stored bytes of a blob, by their position.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"

#include "files/files_internal.h"
#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_blob_bytes);

/* Return one chunk of a blob, palloc'd; NULL behind the end. */
bytea *
cat_blob_piece(int64 id, int64 number)
{
	Oid types[] = {INT8OID, INT8OID};
	Datum values[] = {Int64GetDatum(id), Int64GetDatum(number)};
	bool isnull;

	cat_statement_run(
		"SELECT c.bytes FROM catalogue.blob_chunk c WHERE c.blob = $1 AND c.number = $2", 2, types,
		values, NULL, true, 1);
	return SPI_processed == 0 ? NULL : DatumGetByteaPCopy(cat_result_datum(1, &isnull));
}

/* Return whether a blob has these bytes at a position. */
bool
cat_blob_has(int64 id, int64 position, const char *bytes, size_t length)
{
	while (length > 0)
	{
		size_t start = (size_t) (position % BLOB_CHUNK);
		size_t part = Min(length, BLOB_CHUNK - start);
		bytea *piece = cat_blob_piece(id, position / BLOB_CHUNK);

		if (!piece || VARSIZE(piece) - VARHDRSZ < start + part ||
			memcmp(VARDATA(piece) + start, bytes, part) != 0)
			return false;
		pfree(piece);
		position += (int64) part;
		bytes += part;
		length -= part;
	}
	return true;
}

Datum
catalogue_blob_bytes(PG_FUNCTION_ARGS)
{
	bytea *piece;
	Datum given = (Datum) 0;

	cat_owner_call_begin();
	piece = cat_blob_piece(PG_GETARG_INT64(0), PG_GETARG_INT32(1));
	if (piece)
		given = SPI_datumTransfer(PointerGetDatum(piece), false, -1);
	cat_owner_call_end();
	fcinfo->isnull = piece == NULL;
	return given;
}
