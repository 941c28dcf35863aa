/*
 * cell_sql.c
 *	  Functions by which statements of the service read rows of a sheet.
 *
 * A statement names a scan by its number, a row by its number and a column by its position:
 * SELECT catalogue.cell_text($1, r.n, 2) FROM (SELECT catalogue.cell_rows_kept($1, 1, -1) AS n) r.  Since
 * the rows are made in a target list, they are not stored; only the columns that are named are decoded, once
 * for each chunk.
 */
#include "catalogue.h"

#include "funcapi.h"
#include "utils/array.h"

#include "base/body.h"
#include "rows/sheets/sheets.h"

/* A cell, and where it is. */
typedef struct Cell
{
	ChunkScan *scan;
	const SheetColumn *column;
	bool absent;
	const char *text;
	int length;
} Cell;

/* Return the number of the column that an argument gives. */
static inline int
column_of(FunctionCallInfo fcinfo, const ChunkScan *scan, int argument)
{
	int column = PG_GETARG_INT32(argument);

	if (column < 0 || column >= scan->sheet->ncolumns)
		elog(ERROR, "a sheet has no column %d", column);
	return column;
}

/* Return the cell that the arguments name. */
static inline Cell
cell_of(FunctionCallInfo fcinfo, const CallArguments *args)
{
	ChunkScan *scan = cat_sheet_scan_numbered(PG_GETARG_INT64(args->scan));
	int64 number = PG_GETARG_INT64(args->row);
	int column = column_of(fcinfo, scan, args->column);
	CellText cell;

	cat_sheet_scan_at(scan, number);
	cell = cat_sheet_scan_cell(scan, column, (int) (number - scan->chunk.first));
	return (Cell){scan, &scan->sheet->columns[column], cell.absent, cell.bytes, cell.length};
}

/* Return the rows that pass the filters of the scan. */
CAT_FUNCTION(catalogue_cell_rows_kept)
{
	FuncCallContext *context;
	int64 *row;

	if (SRF_IS_FIRSTCALL())
	{
		context = SRF_FIRSTCALL_INIT();
		row = MemoryContextAlloc(context->multi_call_memory_ctx, sizeof(int64));
		*row = PG_GETARG_INT64(ARG_CELL_ROWS_KEPT_FIRST) - 1;
		context->user_fctx = row;
	}
	context = SRF_PERCALL_SETUP();
	row = context->user_fctx;
	*row = cat_sheet_scan_kept(cat_sheet_scan_numbered(PG_GETARG_INT64(ARG_CELL_ROWS_KEPT_SCAN)),
							   *row + 1, PG_GETARG_INT32(ARG_CELL_ROWS_KEPT_BUT));
	if (*row == 0)
		SRF_RETURN_DONE(context);
	SRF_RETURN_NEXT(context, Int64GetDatum(*row));
}

CAT_FUNCTION(catalogue_cell_row)
{
	ChunkScan *scan = cat_sheet_scan_numbered(PG_GETARG_INT64(ARG_CELL_ROW_SCAN));
	StringInfoData out;

	cat_sheet_scan_at(scan, PG_GETARG_INT64(ARG_CELL_ROW_ROW));
	initStringInfo(&out);
	appendStringInfoSpaces(&out, VARHDRSZ);
	if (!scan->write(&out, scan->asked, scan,
					 (int) (PG_GETARG_INT64(ARG_CELL_ROW_ROW) - scan->chunk.first)))
		PG_RETURN_NULL();
	SET_VARSIZE(out.data, out.len);
	PG_RETURN_TEXT_P((text *) out.data);
}

CAT_FUNCTION(catalogue_cell_text)
{
	Cell cell = cell_of(fcinfo, &args_cell_text);

	if (cell.absent || cell.length > CONTENTS_CELL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(cell.text, cell.length));
}

/* Return the key of a text as a cell of a column; NULL if it is none of the column's values. */
static Datum
key_of(FunctionCallInfo fcinfo, const SheetColumn *column, const char *cell, int length)
{
	char key[CELL_KEY_MAX];
	CellValue value;

	if (!cat_cell_value(column, cell, length, &value))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(key, cat_cell_key(key, column, &value)));
}

CAT_FUNCTION(catalogue_cell_key)
{
	Cell cell = cell_of(fcinfo, &args_cell_key);

	return key_of(fcinfo, cell.column, cell.text, cell.length);
}

CAT_FUNCTION(catalogue_value_key)
{
	const text *given = PG_GETARG_TEXT_PP(ARG_VALUE_KEY_VALUE);
	SheetColumn column = {
		.kind = cat_cell_kind_named(text_to_cstring(PG_GETARG_TEXT_PP(ARG_VALUE_KEY_KIND))),
		.point = '.'};

	return key_of(fcinfo, &column, VARDATA_ANY(given), (int) VARSIZE_ANY_EXHDR(given));
}

/* Return the members of a row: those of an object, or the elements of an array. */
static List *
members_of(const char *row)
{
	const char *begin = row + strspn(row, " \t\r\n");

	return *begin == '[' ? cat_body_elements(begin) : cat_body_members(begin, strlen(begin));
}

CAT_FUNCTION(catalogue_row_cells)
{
	List *members = members_of(text_to_cstring(PG_GETARG_TEXT_PP(ARG_ROW_CELLS_ROW)));
	int count;
	Datum *titles = cat_text_array_elements(PG_GETARG_DATUM(ARG_ROW_CELLS_TITLES), &count);
	Datum *cells = palloc(sizeof(Datum) * (size_t) (count + 1));
	bool *nulls = palloc(sizeof(bool) * (size_t) (count + 1));

	for (int i = 0; i < count; i++)
	{
		const Member *member = i < list_length(members) ? list_nth(members, i) : NULL;

		/* members are mostly in the order of the titles */
		if (members != NIL && ((Member *) linitial(members))->name)
		{
			const char *title = TextDatumGetCString(titles[i]);

			if (!member || strcmp(member->name, title) != 0)
				member = cat_body_member(members, title);
		}
		nulls[i] = !member || member->kind == MEMBER_NULL;
		if (!nulls[i])
			cells[i] = CStringGetTextDatum(member->text ? member->text : member->raw);
	}
	PG_RETURN_ARRAYTYPE_P(
		construct_md_array(cells, nulls, 1, &count, (int[]){1}, TEXTOID, -1, false, TYPALIGN_INT));
}
