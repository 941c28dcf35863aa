/*
 * versions.c
 *	  Versions of a record: the states that it has had.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "executor/spi.h"

#include "base/base.h"
#include "call/call.h"
#include "history/history.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read.h"
#include "registry/registry.h"
#include "registry/rows.h"

PG_FUNCTION_INFO_V1(catalogue_versions);

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
	if (!cat_visibility_record(params->resource, tuple, params->access) || since > params->version)
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

static void
answer_versions(const RequestParams *params, const Selection *selection, List *versions,
				CallReply *reply)
{
	Rows row = cat_rows_whole(params->resource, 1);

	reply->data = makeStringInfo();
	appendStringInfoChar(reply->data, '[');
	for (int64 i = params->skip; i < list_length(versions) && reply->returned < params->limit; i++)
	{
		if (reply->returned++ > 0)
			appendStringInfoChar(reply->data, ',');
		append_version(reply->data, selection, &row, list_nth(versions, (int) i));
	}
	appendStringInfoChar(reply->data, ']');
	reply->count = list_length(versions);
	reply->limit = params->limit;
	reply->skip = params->skip;
	reply->is_list = true;
}

Datum
catalogue_versions(PG_FUNCTION_ARGS)
{
	Actor actor;
	const char *id;
	RequestParams *params;
	Selection *selection;
	Rows rows;
	CallReply reply = {0};

	cat_call_reply_begin();
	cat_actor_read(fcinfo, 3, &actor);
	cat_visibility_require(cat_call_reply_resource(fcinfo), actor.access);
	params = cat_request_params_read(cat_call_reply_resource(fcinfo),
									 cat_call_reply_argument(fcinfo, 2), &actor);
	cat_ignored_require_known_params(params);
	id = cat_named_id(params->resource, cat_call_reply_required(fcinfo, 1), actor.access);
	selection = cat_selection_params(params, &actor, false);
	if (selection->embeds != NIL)
		ereport(ERROR, (errcode(OD400), errmsg("cannot include records in versions")));
	cat_read_version_settle(params, list_make1(params->resource->name));
	rows = cat_rows_by_id(params->resource, id, params->access);
	if (rows.count == 0)
		ereport(ERROR,
				(errcode(OD404), errmsg("%s \"%s\" does not exist", params->resource->model, id)));
	reply.etag = cat_etag_of_version(params->version, list_make1(params->resource->name), params);
	if (!cat_etag_is_among(cat_call_reply_argument(fcinfo, 4), reply.etag))
		answer_versions(params, selection, versions_of(params, id, rows.tuples[0]), &reply);
	reply.resource = params->resource->name;
	reply.id = id;
	reply.version = params->version;
	reply.ignored = cat_ignored_of_params(params);
	cat_read_version_release(params);
	return cat_call_reply_end(fcinfo, &reply);
}
