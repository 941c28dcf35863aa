/*
 * select_call.c
 *	  catalogue.query(): one SELECT of a client, and its result as JSON, NDJSON or CSV.
 *
 * A client's statement is checked (select_check.c), its tables are read as the client sees them
 * (select_table.c), and it is executed by a role without privileges, in a read-only transaction, within
 * limits (select_limits.c).  Each of these would suffice to keep it from other data; none is relied
 * on alone.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/portal.h"

#include "base/body.h"
#include "base/settings.h"
#include "pg/pg.h"
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
		if (csv)
			cat_csv_line(out, SPI_tuptable->vals[i], desc, 1);
		else
			append_object(out, SPI_tuptable->vals[i], desc);
		if (!json && !csv)
			appendStringInfoChar(out, '\n');
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
}

/* Append the rows of the last fetch, at most maximum of them.  format: json, csv or ndjson. */
static void
select_output_rows(StringInfo out, const char *format, uint64 maximum)
{
	bool json = strcmp(format, "json") == 0;

	if (json)
		appendStringInfoChar(out, '[');
	else if (strcmp(format, "csv") == 0)
		cat_csv_line(out, NULL, SPI_tuptable->tupdesc, 1);
	append_rows(out, format, Min(SPI_processed, maximum));
	if (json)
		appendStringInfoChar(out, ']');
}

/* Return members of meta that describe the columns of the last fetch. */
static char *
select_output_columns(void)
{
	TupleDesc desc = SPI_tuptable->tupdesc;
	StringInfo out = makeStringInfo();

	appendStringInfoString(out, "\"columns\":[");
	for (int i = 1; i <= desc->natts; i++)
		appendStringInfo(out, "%s{\"name\":%s,\"type\":%s}", i > 1 ? "," : "",
						 cat_json_quoted(SPI_fname(desc, i)),
						 cat_json_quoted(format_type_be(SPI_gettypeid(desc, i))));
	appendStringInfoChar(out, ']');
	return out->data;
}

/* Add a fault for two columns of the same name. */
static void
select_output_check(List **faults)
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

/* Maximum length of a statement in bytes; the parser's memory is not limited otherwise. */
#define SQL_MAX 20000

/* A client's statement, and its result. */
typedef struct Select
{
	const char *sql;
	const char *format;
	Actor actor;
	List *faults;
	CallReply *reply;
	bool geometries; /* it has functions of geometries */
} Select;

/* Raise OD401 or OD403 unless a rule that names the action lets the caller query. */
static void
require_rule(const Actor *actor)
{
	cat_consumer_require(actor, "query");
	if (actor->access == ACCESS_ALL || cat_permission_rule_names(actor->role, "query"))
		return;
	if (!OidIsValid(actor->role))
		ereport(ERROR, (errcode(OD401), errmsg("a user is needed for this")));
	ereport(ERROR, (errcode(OD403), errmsg("your role may not query")));
}

/* Let a user have one statement at a time: so its statements occupy one core of the server. */
static void
require_turn(const Actor *actor)
{
	LOCKTAG tag;
	uint32 number;

	if (actor->trusted)
		return;
	number = hash_bytes((const unsigned char *) actor->user, (int) strlen(actor->user));
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, 0, number, CAT_LOCK_QUERY);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		ereport(ERROR, (errcode(OD429), errmsg("your previous query is still being executed")));
}

/* Raise all faults of the statement, if it has any. */
static void
raise_faults(const Select *select)
{
	if (select->faults)
		cat_validation_error_raise(select->faults, OD400, NULL);
}

/* Return whether an error is the statement's own fault, and not that of the service. */
static bool
is_of_statement(const ErrorData *error)
{
	int category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	return category == ERRCODE_DATA_EXCEPTION ||
		   category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION ||
		   category == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
		   category == ERRCODE_CARDINALITY_VIOLATION ||
		   error->sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED;
}

/* Return what is wrong with a statement that ended with an error; NULL if that is not its fault. */
static const char *
fault_of(const ErrorData *error, const SelectLimits *limits)
{
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED && GetCurrentTimestamp() >= limits->deadline)
		return psprintf("takes more than %d ms", limits->timeout);
	if (error->sqlerrcode == ERRCODE_OUT_OF_MEMORY)
		return psprintf("needs more than %d kB of memory", cat_query_memory);
	if (error->sqlerrcode == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED)
		return "needs too much space for temporary files";
	if (!is_of_statement(error))
		return NULL;
	if (error->cursorpos > 0 || error->internalpos > 0)
		return psprintf("%s, character %d", error->message,
						error->cursorpos > 0 ? error->cursorpos : error->internalpos);
	return error->message;
}

/* Raise the error that ended a statement, as a fault of it if it is one. */
pg_noreturn static void
rethrow(Select *select, const SelectLimits *limits, MemoryContext memory)
{
	ErrorData *error;
	const char *fault;

	MemoryContextSwitchTo(memory);
	error = CopyErrorData();
	fault = fault_of(error, limits);
	if (!fault)
		ReThrowError(error);
	if (select->geometries && (error->sqlerrcode == ERRCODE_UNDEFINED_FUNCTION ||
							   error->sqlerrcode == ERRCODE_AMBIGUOUS_FUNCTION))
		fault = psprintf(
			"%s: ST_GeomFromText makes a geometry of a text, and only functions compare them",
			fault);
	FlushErrorState();
	select->faults = NIL;
	cat_validation_error_add(&select->faults, "sql", "execution", NULL, fault);
	cat_validation_error_raise(select->faults, OD400, NULL);
}

/* Return a member of meta behind others: what is told of the tables that were read; nothing if there is nothing to tell. */
static const char *
notes_of(const SelectNames *names)
{
	StringInfo out = makeStringInfo();

	foreach_ptr(const SelectTable, table, names->tables)
		foreach_ptr(char, note, cat_select_scan_notes(table))
			appendStringInfo(out, "%s%s", out->len > 0 ? "," : ",\"notes\":[",
							 cat_json_quoted(note));
	if (out->len > 0)
		appendStringInfoChar(out, ']');
	return out->data;
}

/* Analyze and execute the statement, by the role without privileges. */
static void
execute(Select *select, const SelectNames *names)
{
	SPIPlanPtr plan = SPI_prepare(select->sql, 0, NULL);
	Portal portal;

	if (!plan)
		elog(ERROR, "statement cannot be prepared: %s", SPI_result_code_string(SPI_result));
	cat_select_check_plan(plan, &select->faults);
	raise_faults(select);
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	SPI_cursor_fetch(portal, true, cat_query_rows + 1L);
	select_output_check(&select->faults);
	raise_faults(select);
	select_output_rows(select->reply->data, select->format, (uint64) cat_query_rows);
	select->reply->meta =
		psprintf("%s,\"rows\":" UINT64_FORMAT ",\"truncated\":%s%s", select_output_columns(),
				 Min(SPI_processed, (uint64) cat_query_rows),
				 SPI_processed > (uint64) cat_query_rows ? "true" : "false", notes_of(names));
	SPI_cursor_close(portal);
}

/* Check the statement, find its tables, and execute it, within the limits. */
static void
run(Select *select, SelectLimits *limits)
{
	SelectNames names = cat_select_check_text(select->sql, &select->faults);

	raise_faults(select);
	select->geometries = names.geometries;
	if (names.geometries)
		cat_select_geometry_begin(&select->faults);
	raise_faults(select);
	cat_select_table_all(&names, &select->actor, &select->faults);
	raise_faults(select);
	cat_select_scan_begin(names.tables);
	cat_select_limits_enter(limits);
	execute(select, &names);
	cat_select_limits_leave(limits);
	cat_select_scan_end();
}

static void
run_limited(Select *select)
{
	MemoryContext memory = CurrentMemoryContext;
	SelectLimits limits;

	cat_select_limits_begin(&limits);
	PG_TRY();
	{
		run(select, &limits);
	}
	PG_CATCH();
	{
		cat_select_scan_end();
		cat_select_limits_end(&limits, true);
		rethrow(select, &limits, memory);
	}
	PG_END_TRY();
	cat_select_limits_end(&limits, false);
}

/* Read the statement from the body; NULL and a fault if it is not there. */
static const char *
read_sql(FunctionCallInfo fcinfo, CallReply *reply, List **faults)
{
	List *members = cat_body_argument(fcinfo, ARG_QUERY_BODY);
	char *sql = cat_body_text(members, "sql", faults);

	reply->ignored =
		cat_ignored_of_members(fcinfo, ARG_QUERY_STRICT, members, list_make1("sql"), faults);
	if (sql && strlen(sql) > SQL_MAX)
		cat_validation_error_add(faults, "sql", "maxLength", NULL,
								 psprintf("may have %d bytes at most", SQL_MAX));
	return sql;
}

static const char *
read_format(FunctionCallInfo fcinfo)
{
	const char *format =
		PG_ARGISNULL(ARG_QUERY_FORMAT) ? "json" : cat_call_reply_argument(fcinfo, ARG_QUERY_FORMAT);

	if (strcmp(format, "json") != 0 && strcmp(format, "csv") != 0 && strcmp(format, "ndjson") != 0)
		ereport(ERROR, (errcode(OD406), errmsg("a query is not answered as \"%s\"", format),
						errhint("It takes json, csv or ndjson.")));
	return format;
}

CAT_REPLY(catalogue_query)
{
	Select select = {.reply = reply};

	reply->data = makeStringInfo();
	reply->resource = "query";
	cat_actor_read(fcinfo, ARG_QUERY_ACTOR, &select.actor);
	require_rule(&select.actor);
	select.format = read_format(fcinfo);
	select.sql = read_sql(fcinfo, reply, &select.faults);
	raise_faults(&select);
	require_turn(&select.actor);
	run_limited(&select);
}
