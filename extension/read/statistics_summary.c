/*
 * statistics_summary.c
 *	  Numbers of requests and downloads, by day, month and what they were for, as JSON and CSV.
 *
 * The statements are fixed (statistics.sql): what the request asks for are their parameters.
 */
#include "catalogue.h"

#include "base/byte_order_mark.h"
#include "read/list_internal.h"
#include "utils/date.h"

#define SUMMARY_LISTS 5 /* parameters that take a list of values */

/* What is counted. */
typedef struct SummaryKind
{
	const char *sql;	  /* the groups, of which column groups is the number of all */
	const char *usual;	  /* groupBy, if it is not given */
	const char *value;	  /* the column with the number */
	const char *shown[3]; /* resources whose records are shown */
	/* words of groupBy, which are lists in the order of the statement's parameters, day first */
	const char *lists[SUMMARY_LISTS + 1];
	const char *columns[SUMMARY_LISTS]; /* of the statement, that each of them shows */
} SummaryKind;

/* What a request asks for. */
typedef struct Summary
{
	const SummaryKind *kind;
	RequestParams *params;
	List *keys;					/* of char *: groupBy */
	List *lists[SUMMARY_LISTS]; /* of char *: the values of each list; NIL: any */
	DateADT since;
	DateADT until;
	const char *order; /* NULL: by all keys */
	bool descending;
	bool csv;
} Summary;

/* Refuse a value; the hint names those that there are. */
pg_noreturn static void
refuse_word(const char *name, const char *value, List *words)
{
	cat_query_string_refuse(name, value, cat_query_string_hint(words, ""));
}

static void
read_keys(Summary *summary, const char *value)
{
	List *known = cat_query_string_words(summary->kind->lists);

	summary->keys = NIL;
	foreach_ptr(char, word, cat_query_string_split(value, ','))
		if (!cat_query_string_has_word(known, word))
			refuse_word("groupBy", value, known);
		else if (!cat_query_string_has_word(summary->keys, word))
			summary->keys = lappend(summary->keys, word);
	if (summary->keys == NIL)
		refuse_word("groupBy", value, known);
}

static DateADT
date_of(const char *name, const char *value)
{
	if (!cat_literal_date(value))
		refuse_word(name, value, list_make1("a date such as 2026-01-31"));
	return DatumGetDateADT(DirectFunctionCall1(date_in, CStringGetDatum(value)));
}

/* Read a list of values; those of day and month must be such. */
static void
read_list(Summary *summary, int number, const char *value)
{
	const char *name = summary->kind->lists[number];

	summary->lists[number] = cat_query_string_split(value, ',');
	if (summary->lists[number] == NIL)
		refuse_word(name, value, list_make1("values, with commas between"));
	foreach_ptr(char, word, summary->lists[number])
	{
		if (strcmp(name, "day") == 0)
			(void) date_of(name, word);
		if (strcmp(name, "month") == 0 && !cat_literal_date(psprintf("%s-01", word)))
			refuse_word(name, value, list_make1("months such as 2026-01"));
	}
}

/* Read an end of the time; of several the strictest counts. */
static void
read_bound(Summary *summary, const char *name, Comparison comparison, const char *value)
{
	DateADT day = date_of(name, value);

	if (comparison == COMPARE_MORE)
		day++;
	if (comparison == COMPARE_LESS)
		day--;
	if (comparison == COMPARE_AT_LEAST || comparison == COMPARE_MORE)
		summary->since = Max(summary->since, day);
	else
		summary->until = Min(summary->until, day);
}

/* Read a parameter that selects what is counted; false if it is another one. */
static bool
read_filter(Summary *summary, const char *name, const char *value)
{
	char *bare = pstrdup(name);
	Comparison comparison = cat_comparison_cut(bare);

	if (strcmp(bare, "day") == 0 && cat_comparison_is_range(comparison))
	{
		read_bound(summary, name, comparison, value);
		return true;
	}
	for (int i = 0; summary->kind->lists[i]; i++)
		if (strcmp(summary->kind->lists[i], name) == 0)
		{
			read_list(summary, i, value);
			return true;
		}
	return false;
}

static void
read_word(Summary *summary, const char *name, const char *value)
{
	if (strcmp(name, "limit") == 0 || strcmp(name, "skip") == 0 || strcmp(name, "version") == 0 ||
		strcmp(name, "bom") == 0)
		(void) cat_request_params_read_common(summary->params, name, value);
	else if (strcmp(name, "groupBy") == 0)
		read_keys(summary, value);
	else if (strcmp(name, "orderBy") == 0)
		summary->order = value;
	else if (strcmp(name, "sort") == 0)
	{
		summary->descending = pg_strcasecmp(value, "DESC") == 0;
		if (!summary->descending && pg_strcasecmp(value, "ASC") != 0)
			refuse_word("sort", value, list_make2("ASC", "DESC"));
	}
	else if (!read_filter(summary, name, value))
		cat_ignored_add(summary->params, name);
}

/* Complete what the query left open, and check what depends on several parameters. */
static void
complete(Summary *summary)
{
	static const char *const words[] = {"limit",   "skip", "version", "groupBy",
										"orderBy", "sort", "bom",	  NULL};
	const SummaryKind *kind = summary->kind;
	List *sortable;

	if (summary->keys == NIL)
		read_keys(summary, kind->usual);
	sortable = lappend(list_copy(summary->keys), unconstify(char *, kind->value));
	if (summary->order && !cat_query_string_has_word(sortable, summary->order))
		refuse_word("orderBy", summary->order, sortable);
	if (!summary->order)
		summary->order = linitial(summary->keys);
	cat_ignored_require_known(
		summary->params->actor, summary->params->ignored,
		list_concat(cat_query_string_words(words), cat_query_string_words(kind->lists)));
}

#define GROUPS_MAX 100000 /* of a CSV table without a limit */
#define ARGUMENTS_MAX (SUMMARY_LISTS + 7)

static const SummaryKind requests = {
	"catalogue.statistics_groups($1, $2::text[]::date[], $3, $4, $5, $6, $7, $8, $9, $10, $11, "
	"$12)",
	"day",
	"requests",
	{NULL},
	{"day", "month", "resource", "method", "client", NULL},
	{"g.day", "g.month", "g.resource", "g.method", "g.client"}};

static const SummaryKind downloads = {
	"catalogue.download_groups($1, $2::text[]::date[], $3, $4, $5, $6, $7, $8, $9, $10, $11)",
	"dataset",
	"downloads",
	{"datasets", "files", NULL},
	{"day", "month", "dataset", "file", NULL},
	{"g.day", "g.month", "g.dataset, g.\"datasetName\"", "g.file, g.\"fileName\""}};

/* Return a statement: the number of groups, each as a JSON object, and its columns from 3 on. */
static char *
statement_of(const Summary *summary)
{
	const SummaryKind *kind = summary->kind;
	StringInfo columns = makeStringInfo();

	for (int i = 0; kind->lists[i]; i++)
		if (cat_query_string_has_word(summary->keys, kind->lists[i]))
			appendStringInfo(columns, "%s, ", kind->columns[i]);
	return psprintf("SELECT g.groups, row_to_json(r), r.* "
					"FROM %s g CROSS JOIN LATERAL (SELECT %sg.%s) r",
					kind->sql, columns->data, kind->value);
}

/* Run the statement for a part of the groups. */
static void
run(const Summary *summary, int64 skip, int64 maximum)
{
	StatementParam params[ARGUMENTS_MAX];
	int count = 0;

	params[count++] = texts_param(summary->keys);
	for (int i = 0; summary->kind->lists[i]; i++)
	{
		params[count++] =
			summary->lists[i] == NIL ? null_param(TEXTARRAYOID) : texts_param(summary->lists[i]);
		if (i > 0)
			continue;
		params[count++] = datum_param(DATEOID, DateADTGetDatum(summary->since));
		params[count++] = datum_param(DATEOID, DateADTGetDatum(summary->until));
	}
	params[count++] = text_param(summary->order);
	params[count++] = bool_param(summary->descending);
	params[count++] = int8_param(skip);
	params[count++] = int8_param(maximum);
	cat_statement_params(false, statement_of(summary), count, params);
}

static void
append_groups(StringInfo out, bool csv)
{
	if (csv)
		cat_csv_line(out, NULL, SPI_tuptable->tupdesc, 3);
	else
		appendStringInfoChar(out, '[');
	for (uint64 i = 0; i < SPI_processed; i++)
		if (csv)
			cat_csv_line(out, SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 3);
		else
			appendStringInfo(out, "%s%s", i > 0 ? "," : "", cat_result_text_at(i, 2));
	appendStringInfoString(out, csv ? "" : "]");
}

/* Read the groups into the reply. */
static void
answer(const Summary *summary, CallReply *reply)
{
	const RequestParams *params = summary->params;
	bool whole = summary->csv && !params->limited;

	run(summary, params->skip, whole ? GROUPS_MAX + 1 : params->limit);
	if (whole && SPI_processed > GROUPS_MAX)
		ereport(
			ERROR,
			(errcode(OD422), errmsg("there are more than %d groups", GROUPS_MAX),
			 errhint("Select fewer by \"day\", or read them in parts by \"limit\" and \"skip\".")));
	reply->returned = (int) SPI_processed;
	reply->count = SPI_processed > 0 ? cat_result_int64(1) : 0;
	reply->data = makeStringInfo();
	appendStringInfoString(reply->data, summary->csv && params->bom ? BYTE_ORDER_MARK : "");
	append_groups(reply->data, summary->csv);
	if (reply->returned > 0 || params->skip == 0)
		return;
	/* behind the last group no row has their number */
	run(summary, 0, 1);
	reply->count = SPI_processed > 0 ? cat_result_int64(1) : 0;
}

/* Return the reply to a request for groups.  of: the resource that was asked for, NULL for any. */
static Datum
summarize(FunctionCallInfo fcinfo, const SummaryKind *kind, const char *query, const Actor *actor,
		  const char *of, bool csv)
{
	Resource *statistics = cat_registry_resource("statistics");
	Summary summary = {.kind = kind, .csv = csv, .since = DATEVAL_NOBEGIN, .until = DATEVAL_NOEND};
	ReadCall call = {.plan.resources = list_make1(statistics->name)};
	char *name;
	char *value;

	cat_visibility_require(statistics, actor->access);
	for (int i = 0; kind->shown[i]; i++)
	{
		cat_consumer_require(actor, kind->shown[i]);
		call.plan.resources = lappend(call.plan.resources, unconstify(char *, kind->shown[i]));
	}
	summary.params = cat_request_params_begin(statistics, query, actor);
	while (cat_query_string_next(&query, &name, &value))
		read_word(&summary, name, value);
	complete(&summary);
	for (int i = 0; of && kind->lists[i]; i++)
		if (strcmp(kind->lists[i], "resource") == 0)
			summary.lists[i] = list_make1(unconstify(char *, of));
	call.plan.params = summary.params;
	cat_read_state(&call);
	cat_read_list(&call);
	answer(&summary, &call.reply);
	return cat_read_end(&call, fcinfo);
}

static Datum
summarize_call(FunctionCallInfo fcinfo, const CallArguments *args, const SummaryKind *kind)
{
	Actor actor;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, args->actor, &actor);
	return summarize(fcinfo, kind, cat_call_reply_argument(fcinfo, args->query), &actor, NULL,
					 cat_call_reply_argument_is(fcinfo, args->format, "csv"));
}

CAT_FUNCTION(catalogue_statistics_summary)
{
	return summarize_call(fcinfo, &args_statistics_summary, &requests);
}

CAT_FUNCTION(catalogue_statistics_downloads)
{
	return summarize_call(fcinfo, &args_statistics_downloads, &downloads);
}

/* Answer a call for the groups of a resource's requests; the call has begun. */
Datum
cat_statistics_summary_answer(FunctionCallInfo fcinfo, const Resource *of, const char *query,
							  const Actor *actor, bool csv)
{
	return summarize(fcinfo, &requests, query, actor, of->name, csv);
}
