/*
 * versions.c
 *	  Versions of a record: the states that it has had.
 */
#include "catalogue.h"

#include "access/htup_details.h"

#include "base/base.h"
#include "call/call.h"
#include "history/history.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/fast/fast.h"
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

static int
newest_first(const ListCell *a, const ListCell *b)
{
	TimestampTz left = ((EarlierState *) lfirst(a))->until;
	TimestampTz right = ((EarlierState *) lfirst(b))->until;

	return left < right ? 1 : left > right ? -1 : 0;
}

/* Return the beginning of a state before which no change is known: its updated_at. */
static TimestampTz
time_of(const Resource *resource, HeapTuple tuple)
{
	bool isnull;
	Resource *known = unconstify(Resource *, resource);

	return DatumGetTimestampTz(heap_getattr(tuple, cat_registry_column(known, "updated_at")->attno,
											resource->desc, &isnull));
}

/* Add a state unless it was not visible or began after the instant of the read. */
static List *
add_version(List *versions, const RequestParams *params, TimestampTz since, HeapTuple tuple)
{
	Version *version;

	if (!cat_visibility_record(params->resource, tuple, params->access) || since > params->version)
		return versions;
	version = palloc(sizeof(Version));
	version->since = since;
	version->tuple = tuple;
	return lappend(versions, version);
}

/* Return all states of a record, newest first: List of Version *. */
static List *
versions_of(const RequestParams *params, const char *id, HeapTuple present)
{
	List *states = cat_history_scan_states(params, id);
	List *versions = NIL;
	HeapTuple tuple = present;
	ListCell *cell;

	list_sort(states, newest_first);
	foreach(cell, states)
	{
		const EarlierState *state = lfirst(cell);

		if (tuple)
			versions = add_version(versions, params, state->until, tuple);
		tuple = state->tuple;
	}
	if (tuple)
		versions = add_version(versions, params, time_of(params->resource, tuple), tuple);
	return versions;
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
