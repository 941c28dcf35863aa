/*
 * sheet_row.c
 *	  Rows of a sheet as JSON and as CSV.
 */
#include "catalogue.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"

/* Append a number in JSON syntax. */
void
cat_sheet_row_json_number(StringInfo out, const CellNumber *number)
{
	if (number->negative)
		appendStringInfoCharMacro(out, '-');
	if (number->nwhole > 0)
		appendBinaryStringInfo(out, number->whole, number->nwhole);
	else
		appendStringInfoCharMacro(out, '0');
	if (number->nfraction > 0)
	{
		appendStringInfoCharMacro(out, '.');
		appendBinaryStringInfo(out, number->fraction, number->nfraction);
	}
	if (number->exponent != 0)
		appendStringInfo(out, "e%d", number->exponent);
}

/* Append a date or an instant as JSON has it: a text of the form that the kind has. */
void
cat_sheet_row_json_instant(StringInfo out, CellKind kind, int64 instant)
{
	StringInfo text = makeStringInfo();
	int length;

	cat_json_text_timestamp(text, instant);
	length = kind == CELL_DATETIME ? text->len
			 : kind == CELL_DATE   ? (int) strlen("YYYY-MM-DD")
								   : (int) strlen("YYYY-MM");
	if (kind == CELL_QUARTER)
		appendStringInfo(out, "\"%.4s-Q%d\"", text->data,
						 ((int) strtol(text->data + 5, NULL, 10) + 2) / 3);
	else
		appendStringInfo(out, "\"%.*s\"", length, text->data);
	pfree(text->data);
}

/* Append a cell by the type of its column; false if it does not conform. */
static bool
append_typed(StringInfo out, const SheetColumn *column, const char *text, int length)
{
	CellValue value;

	if (!cat_cell_value(column, text, length, &value))
		return false;
	switch (column->kind)
	{
		case CELL_INTEGER:
		case CELL_DECIMAL:
			cat_sheet_row_json_number(out, &value.number);
			break;
		case CELL_BOOLEAN:
			appendStringInfoString(out, value.number.value != 0 ? "true" : "false");
			break;
		case CELL_DATE:
		case CELL_DATETIME:
		case CELL_MONTH:
		case CELL_QUARTER:
			cat_sheet_row_json_instant(out, column->kind, value.instant);
			break;
		case CELL_TEXT:
			break;
	}
	return true;
}

void
cat_sheet_row_json_cell(StringInfo out, const SheetColumn *column, const char *text, int length,
						bool typed)
{
	if (typed && column->kind != CELL_TEXT &&
		(length == 0 || cat_cell_is_mark(column, text, length)))
		appendStringInfoString(out, "null");
	else if (!typed || !append_typed(out, column, text, length))
		cat_json_text(out, text, (size_t) length);
}

/* Append the selected columns, each preceded by a comma.  A geometry that is too long for a cell is null. */
void
cat_sheet_row_json_columns(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row)
{
	const Sheet *sheet = sheet_query->sheet;

	for (int i = 0; i < sheet->ncolumns; i++)
	{
		CellText cell;

		if (!sheet_query->shown[i])
			continue;
		cell = cat_sheet_scan_cell(scan, i, row);
		appendStringInfoString(out, sheet->columns[i].member);
		if (cell.absent || cell.length > CONTENTS_CELL)
			appendBinaryStringInfo(out, "null", 4);
		else
			cat_sheet_row_json_cell(out, &sheet->columns[i], cell.bytes, cell.length,
									sheet_query->typed);
	}
}

/* Append a row of the current chunk as a JSON object, its number and the selected columns, as
 * ChunkScan.write; true. */
bool
cat_sheet_row_write(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	char number[MAXINT8LEN + 1];

	appendBinaryStringInfo(out, "{\"_id\":", 7);
	appendBinaryStringInfo(out, number, pg_lltoa(scan->chunk.first + row, number));
	cat_sheet_row_json_columns(out, asked, scan, row);
	appendStringInfoCharMacro(out, '}');
	return true;
}

/* Append a row of a page, as ChunkScan.write; true.  Raises OD422 if the rows of the scan so far take too many bytes. */
bool
cat_sheet_row_write_page(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	int start = out->len;

	(void) cat_sheet_row_write(out, asked, scan, row);
	scan->held += out->len - start;
	if (scan->held > CAT_PAGE_BYTES)
		ereport(ERROR, (errcode(OD422), errmsg("the rows of the page take more than 64 MiB"),
						errhint("Ask for fewer rows by limit, for some columns by fields, or for a "
								"download.")));
	return true;
}
