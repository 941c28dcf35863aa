/*
 * contents_about.c
 *	  Metadata of a file's contents: sheets, columns, schema, issues.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "base/body.h"
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

/* Field types of the Frictionless Table Schema. */
static const char *const schema_types[] = {
	[CELL_TEXT] = "string",		[CELL_INTEGER] = "integer", [CELL_DECIMAL] = "number",
	[CELL_BOOLEAN] = "boolean", [CELL_DATE] = "date",		[CELL_DATETIME] = "datetime",
};

/* Append a member with its JSON text; null if that is NULL. */
static void
append_raw(StringInfo out, const char *name, const char *json)
{
	appendStringInfo(out, ",\"%s\":%s", name, json ? json : "null");
}

static void
write_column(StringInfo out, const SheetColumn *column)
{
	appendStringInfoChar(out, '{');
	cat_json_text_member(out, "name", column->name);
	cat_json_text_member(out, "title", column->title);
	cat_json_text_member(out, "type", cat_cell_kind_name(column->kind));
	append_raw(out, "nulls", column->nulls);
	append_raw(out, "distinct", column->distinct);
	append_raw(out, "min", column->min);
	append_raw(out, "max", column->max);
	if (column->point == ',')
		append_raw(out, "decimalComma", "true");
	if (column->format)
		cat_json_text_member(out, "format", column->format);
	appendStringInfoChar(out, '}');
}

/* Append a column as a field of a Table Schema. */
static void
write_field(StringInfo out, const SheetColumn *column)
{
	bool number = column->kind == CELL_INTEGER || column->kind == CELL_DECIMAL;

	appendStringInfoChar(out, '{');
	cat_json_text_member(out, "name", column->name);
	cat_json_text_member(out, "type", schema_types[column->kind]);
	if (strcmp(column->title, column->name) != 0)
		cat_json_text_member(out, "title", column->title);
	if (number && column->point == ',')
		cat_json_text_member(out, "decimalChar", ",");
	if (column->kind == CELL_DATETIME)
		cat_json_text_member(out, "format", "any");
	else if (column->format)
		cat_json_text_member(out, "format", column->format);
	if (column->nulls && strcmp(column->nulls, "0") == 0)
		append_raw(out, "constraints", "{\"required\":true}");
	appendStringInfoChar(out, '}');
}

static void
write_sheet(StringInfo out, const Sheet *sheet)
{
	appendStringInfo(out, "{\"number\":%d", sheet->number);
	cat_json_text_member(out, "name", sheet->name);
	append_raw(out, "hidden", sheet->hidden ? "true" : "false");
	appendStringInfo(out, ",\"rows\":" INT64_FORMAT ",\"badRows\":" INT64_FORMAT ",\"columns\":%d",
					 sheet->rows, sheet->bad_rows, sheet->ncolumns);
	append_raw(out, "details", sheet->details);
	appendStringInfoChar(out, '}');
}

/* Fill in the reply for a list that is not paged. */
static void
give_all(CallReply *reply, int count)
{
	reply->count = count;
	reply->returned = count;
	reply->limit = Max(count, 1);
	reply->skip = 0;
}

/* Append a description of each column, separated by commas. */
static void
write_columns(StringInfo out, const Sheet *sheet,
			  void (*write)(StringInfo out, const SheetColumn *column))
{
	for (int i = 0; i < sheet->ncolumns; i++)
	{
		appendStringInfoString(out, i > 0 ? "," : "");
		write(out, &sheet->columns[i]);
	}
}

static void
answer_columns(SheetQuery *sheet_query, CallReply *reply)
{
	cat_sheet_lookup(sheet_query);
	appendStringInfoChar(reply->data, '[');
	write_columns(reply->data, sheet_query->sheet, write_column);
	appendStringInfoChar(reply->data, ']');
	give_all(reply, sheet_query->sheet->ncolumns);
}

/* Append a member of the details under another name, if it exists. */
static void
append_detail(StringInfo out, List *details, const char *detail, const char *name)
{
	const Member *member = cat_body_member(details, detail);

	if (member)
		appendStringInfo(out, "%s\"%s\":%s", out->data[out->len - 1] == '{' ? "" : ",", name,
						 member->raw);
}

/* Append the numbers of the rows above the header, which are not part of the contents. */
static void
append_comment_rows(StringInfo out, List *details)
{
	const Member *skip = cat_body_member(details, "skip");
	const Member *titles = cat_body_member(details, "titles");
	int skipped = skip ? (int) strtol(skip->text, NULL, 10) : 0;

	if (skipped == 0 && !titles)
		return;
	appendStringInfoString(out, ",\"commentRows\":[");
	for (int i = 1; i <= skipped; i++)
		appendStringInfo(out, "%s%d", i > 1 ? "," : "", i);
	if (titles)
		appendStringInfo(out, "%s%.*s", skipped > 0 ? "," : "", (int) strlen(titles->raw) - 2,
						 titles->raw + 1);
	appendStringInfoChar(out, ']');
}

/* Append how the file was parsed, as a Table Dialect, and the reasons. */
static void
append_dialect(StringInfo out, const char *details_json)
{
	List *details = cat_body_members(details_json, strlen(details_json));
	const Member *header = cat_body_member(details, "header");

	if (!header)
		return;
	appendStringInfo(out, ",\"dialect\":{\"header\":%s",
					 header->kind == MEMBER_NUMBER ? "true" : "false");
	if (header->kind == MEMBER_NUMBER)
		appendStringInfo(out, ",\"headerRows\":[%s]", header->text);
	append_comment_rows(out, details);
	append_detail(out, details, "delimiter", "delimiter");
	appendStringInfoChar(out, '}');
	append_detail(out, details, "encoding", "encoding");
	appendStringInfoString(out, ",\"reasons\":{");
	append_detail(out, details, "encodingReason", "encoding");
	append_detail(out, details, "delimiterReason", "delimiter");
	append_detail(out, details, "headerReason", "header");
	appendStringInfoChar(out, '}');
}

static void
answer_schema(SheetQuery *sheet_query, CallReply *reply)
{
	cat_sheet_lookup(sheet_query);
	reply->is_list = false;
	appendStringInfoString(reply->data, "{\"fields\":[");
	write_columns(reply->data, sheet_query->sheet, write_field);
	appendStringInfoString(reply->data, "],\"missingValues\":[\"\"]");
	append_dialect(reply->data, sheet_query->sheet->details);
	appendStringInfoChar(reply->data, '}');
}

static void
answer_sheets(SheetQuery *sheet_query, CallReply *reply)
{
	List *sheets = cat_sheet_lookup_all(sheet_query);
	ListCell *cell;

	appendStringInfoChar(reply->data, '[');
	foreach(cell, sheets)
	{
		appendStringInfoString(reply->data, foreach_current_index(cell) > 0 ? "," : "");
		write_sheet(reply->data, lfirst(cell));
	}
	appendStringInfoChar(reply->data, ']');
	give_all(reply, list_length(sheets));
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
