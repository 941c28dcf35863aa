/*
 * sheet.c
 *	  Stored contents of a file: a revision, its sheets and their rows.
 *
 * The worker stores the contents of a file in one transaction: the former contents are visible
 * until it commits, the new ones afterwards.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "call/call.h"
#include "pg/pg.h"
#include "sheets/chunk.h"
#include "sheets/sheets.h"
#include "sheets/sheets_internal.h"

PG_FUNCTION_INFO_V1(catalogue_contents_begin);
PG_FUNCTION_INFO_V1(catalogue_contents_sheet);
PG_FUNCTION_INFO_V1(catalogue_contents_add);
PG_FUNCTION_INFO_V1(catalogue_contents_issue);
PG_FUNCTION_INFO_V1(catalogue_contents_sheet_end);
PG_FUNCTION_INFO_V1(catalogue_contents_publish);

pg_noreturn static void
refuse(const char *message)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message)));
}

static void
begin_call(void)
{
	cat_security_context_take();
	SPI_connect();
}

static void
end_call(void)
{
	SPI_finish();
	cat_security_context_return();
}

/* Return the number in the first row and column of a result.  Raises OD404 if there is no row. */
static int64
only_number(const char *what, const char *id)
{
	bool isnull;

	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", what, id)));
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/*
 * Begin a revision of a living file's contents; return its number.
 *
 * job: the job that stores it, which must be running; NULL for none.
 */
int64
cat_sheet_begin(const char *file, const char *job)
{
	Oid type = TEXTOID;
	Datum id = CStringGetTextDatum(job ? job : "");

	if (job)
	{
		cat_statement_run("SELECT FROM catalogue.jobs j WHERE j.id = $1 AND j.state = 'running'", 1,
						  &type, &id, NULL, true, 0);
		if (SPI_processed == 0)
			ereport(ERROR, (errcode(OD409), errmsg("job \"%s\" is not running", job)));
	}
	id = CStringGetTextDatum(file);
	/* the file is not locked: a reading may take long, and it can be deleted meanwhile */
	cat_statement_run("SELECT nextval('catalogue.contents_revision') FROM catalogue.files f "
					  "WHERE f.id = $1 AND f.deleted_at IS NULL",
					  1, &type, &id, NULL, true, 0);
	return only_number("File", file);
}

/* Create a sheet of a revision; return its id. */
int64
cat_sheet_new(const char *file, int64 revision, int number, const char *name, bool hidden)
{
	Oid types[] = {TEXTOID, INT8OID, INT4OID, TEXTOID, BOOLOID};
	Datum values[] = {CStringGetTextDatum(file), Int64GetDatum(revision), Int32GetDatum(number),
					  CStringGetTextDatum(name), BoolGetDatum(hidden)};

	if (number < 1 || number > CONTENTS_SHEETS)
		refuse("the number of a sheet is out of range");
	cat_statement_run("INSERT INTO catalogue.sheet (file, revision, number, name, hidden) "
					  "VALUES ($1, $2, $3, $4, $5) RETURNING id",
					  5, types, values, NULL, true, 0);
	return only_number("sheet", name);
}

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
void
cat_sheet_add(int64 sheet, int64 first, int count, bytea *data)
{
	Oid types[] = {INT8OID, INT8OID, INT4OID, BYTEAOID};
	Datum values[] = {Int64GetDatum(sheet), Int64GetDatum(first), Int32GetDatum(count),
					  PointerGetDatum(data)};

	check_chunk(first, count, data);
	cat_statement_run(
		"INSERT INTO catalogue.sheet_chunk (sheet, first, count, data) SELECT $1, $2, $3, $4 "
		"WHERE $2 = coalesce((SELECT c.first + c.count FROM catalogue.sheet_chunk c "
		"WHERE c.sheet = $1 ORDER BY c.first DESC LIMIT 1), 1)",
		4, types, values, NULL, true, 0);
	if (SPI_processed == 0)
		refuse("rows of a sheet do not follow those before");
}

/* End a sheet; summary: JSON object with rows, badRows, columns and details. */
void
cat_sheet_end(int64 sheet, const char *summary)
{
	Oid types[] = {INT8OID, TEXTOID};
	Datum values[] = {Int64GetDatum(sheet), CStringGetTextDatum(summary)};

	cat_statement_run(
		"UPDATE catalogue.sheet s SET row_count = (j.j ->> 'rows')::bigint, "
		"bad_rows = coalesce((j.j ->> 'badRows')::bigint, 0), columns = j.j -> 'columns', "
		"details = coalesce(j.j -> 'details', '{}') "
		"FROM (SELECT $2::json AS j) j WHERE s.id = $1 AND json_typeof(j.j -> 'columns') = 'array' "
		"AND (j.j ->> 'rows')::bigint = coalesce((SELECT c.first + c.count - 1 "
		"FROM catalogue.sheet_chunk c WHERE c.sheet = $1 ORDER BY c.first DESC LIMIT 1), 0)",
		2, types, values, NULL, true, 0);
	if (SPI_processed == 0)
		refuse("the summary of a sheet does not fit its rows");
}

static const char publish_sql[] =
	"UPDATE catalogue.files f SET revision = $2, row_count = s.rows, bad_rows = s.bad, "
	"parse_state = 'ready', parse_reason = NULL "
	"FROM (SELECT coalesce(sum(s.row_count), 0) AS rows, coalesce(sum(s.bad_rows), 0) AS bad "
	"FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2) s "
	"WHERE f.id = $1 AND f.deleted_at IS NULL AND coalesce(f.revision, 0) < $2 AND ($3 IS NULL OR "
	"EXISTS (SELECT FROM catalogue.stored_file b WHERE b.file = $1 AND b.blob = $3))";

/*
 * Make a revision the contents of its file, unless the file has other bytes by now.
 *
 * blob: the bytes that were parsed; NULL to skip this check.  Returns false, and deletes the
 * revision, if it was not published.
 */
bool
cat_sheet_publish(const char *file, int64 revision, const int64 *blob)
{
	Oid types[] = {TEXTOID, INT8OID, INT8OID};
	Datum values[] = {CStringGetTextDatum(file), Int64GetDatum(revision),
					  Int64GetDatum(blob ? *blob : 0)};
	bool published;

	cat_statement_run(publish_sql, 3, types, values, blob ? NULL : "  n", true, 0);
	published = SPI_processed > 0;
	cat_statement_run(published
						  ? "UPDATE catalogue.sheet s SET replaced_at = now() "
							"WHERE s.file = $1 AND s.revision <> $2 AND s.replaced_at IS NULL"
						  : "DELETE FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2 "
							"AND NOT EXISTS (SELECT FROM catalogue.files f "
							"WHERE f.id = $1 AND f.revision = $2)",
					  2, types, values, NULL, true, 0);
	return published;
}

Datum
catalogue_contents_begin(PG_FUNCTION_ARGS)
{
	int64 revision;

	begin_call();
	revision = cat_sheet_begin(cat_call_reply_argument(fcinfo, 0),
							   PG_ARGISNULL(1) ? NULL : cat_call_reply_argument(fcinfo, 1));
	end_call();
	PG_RETURN_INT64(revision);
}

Datum
catalogue_contents_sheet(PG_FUNCTION_ARGS)
{
	int64 sheet;

	begin_call();
	sheet =
		cat_sheet_new(cat_call_reply_argument(fcinfo, 0), PG_GETARG_INT64(1), PG_GETARG_INT32(2),
					  cat_call_reply_argument(fcinfo, 3), PG_GETARG_BOOL(4));
	end_call();
	PG_RETURN_INT64(sheet);
}

Datum
catalogue_contents_add(PG_FUNCTION_ARGS)
{
	begin_call();
	cat_sheet_add(PG_GETARG_INT64(0), PG_GETARG_INT64(1), PG_GETARG_INT32(2),
				  PG_GETARG_BYTEA_PP(3));
	end_call();
	PG_RETURN_VOID();
}

Datum
catalogue_contents_issue(PG_FUNCTION_ARGS)
{
	Oid types[] = {INT8OID, INT4OID, INT8OID, TEXTOID};
	Datum values[] = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), PG_GETARG_DATUM(2),
					  PG_GETARG_DATUM(3)};

	if (PG_GETARG_INT32(1) < 1 || PG_GETARG_INT32(1) > CONTENTS_ISSUES)
		refuse("the number of an issue is out of range");
	begin_call();
	cat_statement_run("INSERT INTO catalogue.sheet_issue (sheet, number, line, reason) "
					  "VALUES ($1, $2, $3, $4)",
					  4, types, values, NULL, true, 0);
	end_call();
	PG_RETURN_VOID();
}

Datum
catalogue_contents_sheet_end(PG_FUNCTION_ARGS)
{
	begin_call();
	cat_sheet_end(PG_GETARG_INT64(0), cat_call_reply_argument(fcinfo, 1));
	end_call();
	PG_RETURN_VOID();
}

Datum
catalogue_contents_publish(PG_FUNCTION_ARGS)
{
	int64 blob = PG_ARGISNULL(2) ? 0 : PG_GETARG_INT64(2);
	bool published;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		refuse("a file and a revision are needed");
	begin_call();
	published = cat_sheet_publish(cat_call_reply_argument(fcinfo, 0), PG_GETARG_INT64(1),
								  PG_ARGISNULL(2) ? NULL : &blob);
	end_call();
	PG_RETURN_BOOL(published);
}
