/*
 * sheet.c
 *	  Storing of a sheet's rows.
 *
 * The worker stores the contents of a file in one transaction: the former contents are visible
 * until it commits, the new ones afterwards.  The rest of that is in sql/42-contents.sql.
 */
#include "catalogue.h"

#include "call/call.h"
#include "rows/sheets/sheets_internal.h"

/* Check that all cells of a chunk can be read, so that only readable chunks are stored. */
static void
check_chunk(int64 first, int count, bytea *data)
{
	Cells *cells = palloc(sizeof(Cells));
	Chunk chunk;

	cat_chunk_open(&chunk, VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data), first, count);
	for (int i = 0; i < chunk.columns; i++)
		cat_chunk_cells(&chunk, i, cells);
	pfree(cells);
}

/* Add rows to a sheet, behind those that it has. */
static void
sheet_add(int64 sheet, int64 first, int count, bytea *data)
{
	check_chunk(first, count, data);
	cat_statement_fresh(
		"INSERT INTO catalogue.sheet_chunk (sheet, first, count, data) SELECT $1, $2, $3, $4 "
		"WHERE $2 = coalesce((SELECT c.first + c.count FROM catalogue.sheet_chunk c "
		"WHERE c.sheet = $1 ORDER BY c.first DESC LIMIT 1), 1)",
		int8_param(sheet), int8_param(first), int4_param(count),
		datum_param(BYTEAOID, PointerGetDatum(data)));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rows of a sheet do not follow those before")));
}

CAT_FUNCTION(catalogue_contents_add)
{
	cat_owner_call_begin();
	sheet_add(PG_GETARG_INT64(0), PG_GETARG_INT64(1), PG_GETARG_INT32(2), PG_GETARG_BYTEA_PP(3));
	cat_owner_call_end();
	PG_RETURN_VOID();
}
