/*
 * contents_about.c
 *	  Metadata of a file's contents: sheets, columns, schema, issues.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "call/call.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "history/history.h"
#include "pg/pg.h"
#include "query/query.h"
#include "read/read.h"
#include "sheets/sheets.h"

PG_FUNCTION_INFO_V1(catalogue_contents_columns);
PG_FUNCTION_INFO_V1(catalogue_contents_schema);
PG_FUNCTION_INFO_V1(catalogue_contents_issues);
PG_FUNCTION_INFO_V1(catalogue_contents_sheets);

/* The columns c of the sheet $1, each with its position and type. */
#define COLUMNS                                                                             \
	"FROM catalogue.sheet s, json_array_elements(s.columns) WITH ORDINALITY c(c, at), "     \
	"LATERAL (SELECT coalesce(c ->> 'name', '') AS name, coalesce(c ->> 'title', c ->> "    \
	"'name', '') AS title, c ->> 'decimalComma' = 'true' AS comma, CASE WHEN c ->> 'type' " \
	"IN ('integer', 'decimal', 'boolean', 'date', 'datetime') THEN c ->> 'type' "           \
	"ELSE 'text' END AS type) t WHERE s.id = $1"

static const char columns_sql[] =
	"SELECT concat('{\"name\":', to_json(t.name), ',\"title\":', to_json(title), ',\"type\":\"', "
	"type, "
	"'\",\"nulls\":', coalesce(c -> 'nulls', 'null'), ',\"distinct\":', "
	"coalesce(c -> 'distinct', 'null'), ',\"min\":', coalesce(c -> 'min', 'null'), ',\"max\":', "
	"coalesce(c -> 'max', 'null'), CASE WHEN comma THEN ',\"decimalComma\":true' END, "
	"',\"format\":' || to_json(c ->> 'format'), '}') " COLUMNS " ORDER BY c.at";

/* Fields of the Frictionless Table Schema. */
static const char fields_sql[] =
	"SELECT concat('{\"name\":', to_json(t.name), ',\"type\":\"', CASE type WHEN 'text' THEN "
	"'string' "
	"WHEN 'decimal' THEN 'number' ELSE type END, '\"', CASE WHEN title <> t.name THEN "
	"',\"title\":' || to_json(title) END, CASE WHEN comma AND type IN ('integer', 'decimal') THEN "
	"',\"decimalChar\":\",\"' END, CASE WHEN type = 'datetime' THEN ',\"format\":\"any\"' ELSE "
	"',\"format\":' || to_json(c ->> 'format') END, CASE WHEN c ->> 'nulls' = '0' THEN "
	"',\"constraints\":{\"required\":true}' END, '}') " COLUMNS " ORDER BY c.at";

/* How the file was parsed, as a Table Dialect, and the reasons; null if it was not. */
static const char dialect_sql[] =
	"SELECT concat(',\"dialect\":{', concat_ws(',', '\"header\":' || (n IS NOT NULL), "
	"'\"headerRows\":[' || n || ']', '\"commentRows\":[' || nullif(concat_ws(',', "
	"(SELECT string_agg(i::text, ',' ORDER BY i) FROM generate_series(1, (d ->> 'skip')::int) i), "
	"btrim((d -> 'titles')::text, '[]')), '') || ']', '\"delimiter\":' || (d -> 'delimiter')), "
	"'}', "
	"',\"encoding\":' || (d -> 'encoding'), ',\"reasons\":{', concat_ws(',', "
	"'\"encoding\":' || (d -> 'encodingReason'), '\"delimiter\":' || (d -> 'delimiterReason'), "
	"'\"header\":' || (d -> 'headerReason')), '}') "
	"FROM catalogue.sheet s, LATERAL (SELECT s.details::json AS d, CASE WHEN "
	"json_typeof(s.details::json -> 'header') = 'number' THEN s.details::json ->> 'header' END AS "
	"n) t "
	"WHERE s.id = $1 AND d -> 'header' IS NOT NULL";

static const char sheets_sql[] =
	"SELECT concat('{\"number\":', s.number, ',\"name\":', to_json(s.name), ',\"hidden\":', "
	"to_json(s.hidden), ',\"rows\":', s.row_count, ',\"badRows\":', s.bad_rows, ',\"columns\":', "
	"json_array_length(s.columns), ',\"details\":', s.details, '}') "
	"FROM catalogue.sheet s WHERE s.file = $2 AND s.revision = $1 ORDER BY s.number";

/* Append what a statement returns, separated by commas; return how many there are. */
static int
append_all(StringInfo out, const SheetQuery *sheet_query, const char *sql, int64 number)
{
	Oid types[] = {INT8OID, TEXTOID};
	Datum values[] = {Int64GetDatum(number), CStringGetTextDatum(sheet_query->file)};

	cat_statement_run(sql, 2, types, values, NULL, false, 0);
	for (uint64 i = 0; i < SPI_processed; i++)
		appendStringInfo(out, "%s%s", i > 0 ? "," : "",
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
	return (int) SPI_processed;
}

/* Fill in the reply with a list that is not paged. */
static void
give_all(const SheetQuery *sheet_query, const char *sql, int64 number, CallReply *reply)
{
	appendStringInfoChar(reply->data, '[');
	reply->returned = append_all(reply->data, sheet_query, sql, number);
	appendStringInfoChar(reply->data, ']');
	reply->count = reply->returned;
	reply->limit = Max(reply->returned, 1);
	reply->skip = 0;
}

static void
answer_columns(SheetQuery *sheet_query, CallReply *reply)
{
	cat_sheet_lookup(sheet_query);
	give_all(sheet_query, columns_sql, sheet_query->sheet->id, reply);
}

static void
answer_schema(SheetQuery *sheet_query, CallReply *reply)
{
	cat_sheet_lookup(sheet_query);
	reply->is_list = false;
	appendStringInfoString(reply->data, "{\"fields\":[");
	append_all(reply->data, sheet_query, fields_sql, sheet_query->sheet->id);
	appendStringInfoString(reply->data, "],\"missingValues\":[\"\"]");
	append_all(reply->data, sheet_query, dialect_sql, sheet_query->sheet->id);
	appendStringInfoChar(reply->data, '}');
}

static void
answer_sheets(SheetQuery *sheet_query, CallReply *reply)
{
	give_all(sheet_query, sheets_sql, sheet_query->revision, reply);
}

static const char issues_sql[] =
	"SELECT format('{\"line\":%s,\"reason\":%s}', i.line, to_json(i.reason)), "
	"(SELECT count(*) FROM catalogue.sheet_issue i WHERE i.sheet = $1) "
	"FROM (SELECT) one LEFT JOIN LATERAL (SELECT i.line, i.reason FROM catalogue.sheet_issue i "
	"WHERE i.sheet = $1 ORDER BY i.number LIMIT $2 OFFSET $3) i ON true";

static void
answer_issues(SheetQuery *sheet_query, CallReply *reply)
{
	Oid types[] = {INT8OID, INT8OID, INT8OID};
	Datum values[3];

	cat_sheet_lookup(sheet_query);
	values[0] = Int64GetDatum(sheet_query->sheet->id);
	values[1] = Int64GetDatum(sheet_query->params->limit);
	values[2] = Int64GetDatum(sheet_query->params->skip);
	cat_statement_run(issues_sql, 3, types, values, NULL, false, 0);
	reply->count = strtoll(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2), NULL, 10);
	reply->returned = reply->count > reply->skip ? (int) SPI_processed : 0;
	appendStringInfoChar(reply->data, '[');
	for (int i = 0; i < reply->returned; i++)
		appendStringInfo(reply->data, "%s%s", i > 0 ? "," : "",
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
	appendStringInfoChar(reply->data, ']');
}

/* Treat parameters that could be column names as unknown. */
static void
ignore_words(const SheetQuery *sheet_query)
{
	ListCell *cell;

	foreach(cell, sheet_query->words)
		cat_ignored_add(sheet_query->params, ((SheetWord *) lfirst(cell))->name);
}

static Datum
answer(FunctionCallInfo fcinfo, void (*write)(SheetQuery *sheet_query, CallReply *reply))
{
	Actor actor;
	SheetQuery *sheet_query;
	CallReply reply = {0};

	cat_call_reply_begin();
	cat_actor_read(fcinfo, 2, &actor);
	sheet_query = cat_contents_ask(cat_call_reply_argument(fcinfo, 1), &actor);
	cat_sheet_lookup_file(sheet_query, cat_call_reply_required(fcinfo, 0));
	cat_contents_describe(sheet_query, &reply);
	if (!cat_etag_is_among(cat_call_reply_argument(fcinfo, 3), reply.etag))
	{
		reply.data = makeStringInfo();
		write(sheet_query, &reply);
	}
	ignore_words(sheet_query);
	cat_ignored_require_known(&actor, sheet_query->params->ignored,
							  lappend(cat_request_params_common_words(), "sheet"));
	reply.ignored = cat_ignored_of_params(sheet_query->params);
	cat_read_version_release(sheet_query->params);
	return cat_call_reply_end(fcinfo, &reply);
}

Datum
catalogue_contents_columns(PG_FUNCTION_ARGS)
{
	return answer(fcinfo, answer_columns);
}

Datum
catalogue_contents_schema(PG_FUNCTION_ARGS)
{
	return answer(fcinfo, answer_schema);
}

Datum
catalogue_contents_issues(PG_FUNCTION_ARGS)
{
	return answer(fcinfo, answer_issues);
}

Datum
catalogue_contents_sheets(PG_FUNCTION_ARGS)
{
	return answer(fcinfo, answer_sheets);
}
