/*
 * versions.c
 *	  The versions of a record, newest first.
 */
#include "catalogue.h"

#include "access/htup_details.h"

#include "read/list_internal.h"

/* A state and the instant of its beginning. */
typedef struct Version
{
	TimestampTz since;
	HeapTuple tuple;
} Version;

/* Return the beginning of a state before which no change is known: its updated_at. */
static TimestampTz
time_of(const Resource *resource, HeapTuple tuple)
{
	bool isnull;
	Resource *known = unconstify(Resource *, resource);

	return DatumGetTimestampTz(heap_getattr(tuple, cat_registry_column(known, "updated_at")->attno,
											resource->desc, &isnull));
}

/*
 * Add a state, newer than those before it, unless it was not visible or began after the instant of
 * the read.  since: 0 if no change before it is known.
 */
static List *
add_version(List *versions, const RequestParams *params, TimestampTz since, HeapTuple tuple)
{
	Version *version;

	if (since == 0)
		since = time_of(params->resource, tuple);
	if (!cat_seen_record(params->resource, tuple, params->access) || since > params->version)
		return versions;
	version = palloc(sizeof(Version));
	version->since = since;
	version->tuple = tuple;
	return lcons(version, versions);
}

/* Read the states of a record before each of its changes, as far as they are kept, oldest first. */
static Rows
former_states(const RequestParams *params, const char *id)
{
	SqlBuilder query;

	if (!params->resource->history_table)
		return cat_rows_whole(params->resource, 0);
	cat_sql_builder_begin(&query, params->access, DT_NOBEGIN);
	cat_history_sql_states(&query, params->resource, id);
	cat_sql_builder_run(&query);
	return cat_rows_whole_of_statement(params->resource);
}

/* Return all states of a record, newest first: List of Version *. */
static List *
versions_of(const RequestParams *params, const char *id, HeapTuple present)
{
	Resource *resource = params->resource;
	List *versions = NIL;
	TimestampTz since = 0;
	Rows states = former_states(params, id);

	for (int i = 0; i < states.count; i++)
	{
		HeapTuple tuple = states.tuples[i];
		bool isnull;

		/* before its creation it did not exist */
		if (!heap_attisnull(tuple, resource->created_at, resource->desc))
			versions = add_version(versions, params, since, tuple);
		since = DatumGetTimestampTz(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
												  resource->nfields + 1, &isnull));
	}
	return add_version(versions, params, since, present);
}

/* Append a record with an additional member, the beginning of its state. */
static void
append_version(StringInfo data, const Selection *selection, Rows *row, const Version *version)
{
	row->tuples[0] = version->tuple;
	cat_json_record(data, selection, row, 0);
	data->data[--data->len] = '\0';
	appendStringInfoString(data, ",\"version\":\"");
	cat_json_text_timestamp(data, version->since);
	appendStringInfoString(data, "\"}");
}

/* Append the page of versions. */
static void
append_versions(ReadCall *call, List *versions)
{
	const RequestParams *params = call->plan.params;
	CallReply *reply = &call->reply;
	Rows row = cat_rows_whole(params->resource, 1);

	reply->data = makeStringInfo();
	appendStringInfoChar(reply->data, '[');
	for (int64 i = params->skip; i < list_length(versions) && reply->returned < params->limit; i++)
	{
		if (reply->returned++ > 0)
			appendStringInfoChar(reply->data, ',');
		append_version(reply->data, call->plan.selection, &row, list_nth(versions, (int) i));
	}
	appendStringInfoChar(reply->data, ']');
	reply->count = list_length(versions);
}

CAT_FUNCTION(catalogue_versions)
{
	ReadCall call = {0};
	RequestParams *params;
	Rows rows;

	cat_call_reply_begin();
	cat_read_begin(&call, fcinfo, cat_call_reply_resource(fcinfo, ARG_VERSIONS_RESOURCE),
				   &args_versions);
	call.known = cat_call_reply_argument(fcinfo, ARG_VERSIONS_KNOWN);
	params = call.plan.params;
	call.reply.id = cat_record_named_id(
		params->resource, cat_call_reply_required(fcinfo, ARG_VERSIONS_ID), call.actor.access);
	if (call.plan.selection->embeds != NIL)
		ereport(ERROR, (errcode(OD400), errmsg("cannot include records in versions")));
	cat_read_state(&call);
	cat_read_list(&call);
	rows = cat_rows_by_id(params->resource, call.reply.id, params->access);
	if (rows.count == 0)
		cat_record_not_found(params->resource, call.reply.id);
	if (!cat_read_is_known(&call))
		append_versions(&call, versions_of(params, call.reply.id, rows.tuples[0]));
	return cat_read_end(&call, fcinfo);
}
