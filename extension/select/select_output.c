/*
 * select_output.c
 *	  The result of a client's statement as JSON, NDJSON or CSV.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"

#include "base/base.h"
#include "base/body.h"
#include "read/read.h"
#include "select/select_internal.h"

/* Append a row as a JSON object. */
static void
append_object(StringInfo out, HeapTuple row, TupleDesc desc)
{
	Datum json = OidFunctionCall1(F_ROW_TO_JSON_RECORD, heap_copy_tuple_as_datum(row, desc));
	text *object = DatumGetTextPP(json);

	appendBinaryStringInfo(out, VARDATA_ANY(object), (int) VARSIZE_ANY_EXHDR(object));
}

/* Append a cell of CSV: nothing for null. */
static void
append_cell(StringInfo out, Oid type, const char *value)
{
	if (value && type == BOOLOID)
		value = *value == 't' ? "true" : "false";
	if (value)
		cat_csv_cell(out, type == TEXTOID ? cat_csv_prefix(value, strlen(value)) : "", value,
					 strlen(value));
}

/* Append a line of CSV; row: NULL for the names of the columns. */
static void
append_line(StringInfo out, HeapTuple row, TupleDesc desc)
{
	for (int i = 0; i < desc->natts; i++)
	{
		if (i > 0)
			appendStringInfoChar(out, ',');
		if (row)
			append_cell(out, SPI_gettypeid(desc, i + 1), SPI_getvalue(row, desc, i + 1));
		else
			append_cell(out, TEXTOID, SPI_fname(desc, i + 1));
	}
	appendStringInfoString(out, "\r\n");
}

static void
append_rows(StringInfo out, const char *format, uint64 count)
{
	TupleDesc desc = BlessTupleDesc(CreateTupleDescCopy(SPI_tuptable->tupdesc));
	MemoryContext scratch =
		AllocSetContextCreate(CurrentMemoryContext, "row of a result", ALLOCSET_DEFAULT_SIZES);
	bool csv = strcmp(format, "csv") == 0;
	bool json = strcmp(format, "json") == 0;

	for (uint64 i = 0; i < count; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);

		CHECK_FOR_INTERRUPTS();
		if (json && i > 0)
			appendStringInfoChar(out, ',');
		(csv ? append_line : append_object)(out, SPI_tuptable->vals[i], desc);
		if (!json && !csv)
			appendStringInfoChar(out, '\n');
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
}

void
cat_select_output_rows(StringInfo out, const char *format, uint64 maximum)
{
	bool json = strcmp(format, "json") == 0;

	if (json)
		appendStringInfoChar(out, '[');
	else if (strcmp(format, "csv") == 0)
		append_line(out, NULL, SPI_tuptable->tupdesc);
	append_rows(out, format, Min(SPI_processed, maximum));
	if (json)
		appendStringInfoChar(out, ']');
}

char *
cat_select_output_columns(void)
{
	TupleDesc desc = SPI_tuptable->tupdesc;
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoString(&out, "\"columns\":[");
	for (int i = 1; i <= desc->natts; i++)
	{
		appendStringInfoString(&out, i > 1 ? ",{\"name\":" : "{\"name\":");
		cat_json_text_string(&out, SPI_fname(desc, i));
		appendStringInfoString(&out, ",\"type\":");
		cat_json_text_string(&out, format_type_be(SPI_gettypeid(desc, i)));
		appendStringInfoChar(&out, '}');
	}
	appendStringInfoChar(&out, ']');
	return out.data;
}

void
cat_select_output_check(List **faults)
{
	TupleDesc desc = SPI_tuptable->tupdesc;
	List *names = NIL;

	for (int i = 1; i <= desc->natts; i++)
	{
		char *name = SPI_fname(desc, i);

		if (cat_query_string_has_word(names, name))
			cat_validation_error_add(
				faults, "sql", "unique", cat_validation_error_value(name),
				psprintf("has two columns %s: name one of them with AS", quote_identifier(name)));
		names = lappend(names, name);
	}
}
