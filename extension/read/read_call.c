/*
 * read_call.c
 *	  Start, state and end of a reading call.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/builtins.h"

#include "call/call.h"
#include "history/history.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read.h"
#include "read/read_internal.h"
#include "registry/registry.h"
#include "registry/rows.h"

/* Raise OD404 for an unknown relation. */
void
cat_read_call_no_relation(const Resource *resource, const char *name)
{
	ereport(ERROR, (errcode(OD404), errmsg("%s has no relation \"%s\"", resource->model, name)));
}

/* Raise OD404 if the list belongs to a resource or relation that the actor does not see. */
static void
require_source(const Source *source, const Actor *actor)
{
	if (!source->resource)
		return;
	cat_visibility_require(source->resource, actor->access);
	if (!cat_visibility_relation(source->relation, actor->access))
		cat_read_call_no_relation(source->resource, source->relation->name);
}

void
cat_read_call_begin_many(ReadCall *call, FunctionCallInfo fcinfo, Resource *resource, int query,
						 int relations)
{
	cat_actor_read(fcinfo, Max(query, relations) + 1, &call->actor);
	require_source(&call->source, &call->actor);
	cat_visibility_require(resource, call->actor.access);
	call->params =
		cat_request_params_read(resource, cat_call_reply_argument(fcinfo, query), &call->actor);
	cat_ignored_require_known_params(call->params);
	call->selection = cat_selection_params(
		call->params, &call->actor,
		relations >= 0 && cat_call_reply_argument_is(fcinfo, relations, "embedded"));
}

/* Like cat_read_call_begin_many(), for a function whose argument after the actor is "known". */
void
cat_read_call_begin(ReadCall *call, FunctionCallInfo fcinfo, Resource *resource, int query,
					int relations)
{
	cat_read_call_begin_many(call, fcinfo, resource, query, relations);
	call->known = cat_call_reply_argument(fcinfo, Max(query, relations) + 2);
}

/*
 * Return the entity tag of the read as of an instant.  With deleted records it also covers the
 * rules that decide which of them the caller sees.
 */
static char *
tag_of_state(const ReadCall *call, TimestampTz instant)
{
	char *tag = cat_etag_of_version(instant, call->resources, call->params);

	return tag && call->params->deleted
			   ? cat_etag_join(tag, cat_etag_of_text(call->params->restorable))
			   : tag;
}

/* Determine the instant of the read and its entity tag. */
void
cat_read_call_settle(ReadCall *call)
{
	call->resources = cat_read_dependencies(call->params, call->selection, &call->source);
	cat_read_version_settle(call->params, call->resources);
	call->tag = tag_of_state(call, call->params->version);
}

void
cat_read_call_settle_record(ReadCall *call)
{
	bool asked = call->params->version != 0;

	call->resources = cat_read_dependencies(call->params, call->selection, &call->source);
	cat_read_version_settle(call->params, call->resources);
	if (!asked)
		call->params->version = 0;
	call->tag = tag_of_state(call, asked ? call->params->version : call->params->newest);
}

void
cat_read_call_settle_item(ReadCall *call)
{
	if (call->params->version || call->selection->embeds != NIL)
		cat_read_call_settle_record(call);
}

/*
 * Return the entity tag of the first row; NULL if its state cannot be identified.
 *
 * A row of an earlier state or of a list with deleted records has no location and no transaction;
 * its tag comes from the instant of the read.
 */
static char *
tag_of(const ReadCall *call, const Rows *rows)
{
	char *record;

	if (call->params->then || call->params->deleted)
		return cat_etag_join("then", call->tag);
	record = cat_etag_of_record(call->selection->resource, rows, 0);
	return call->tag ? cat_etag_join(record, call->tag) : record;
}

bool
cat_read_call_knows(ReadCall *call, const Relations *relations, const Rows *rows)
{
	CallReply *reply = &call->reply;
	const char *links = cat_record_links(call->params, rows);
	bool known;

	reply->etag = tag_of(call, rows);
	reply->relations = NULL;
	/* the tag of the record alone does not cover what the caller may do with it */
	if (links && strchr(links, '+'))
		reply->etag = cat_etag_join(reply->etag, cat_etag_of_text(links));
	if (relations->hides)
	{
		reply->relations = cat_relations_seen(relations, rows);
		reply->etag = cat_etag_join(reply->etag, cat_etag_of_text(reply->relations));
	}
	known = cat_etag_is_among(call->known, reply->etag);
	reply->links = known ? NULL : links;
	return known;
}

void
cat_read_call_describe(ReadCall *call, const Relations *relations, const Rows *rows)
{
	CallReply *reply = &call->reply;
	int column = cat_rows_column(rows, call->selection->resource, NULL, "id") + 1;
	bool isnull;

	reply->id = TextDatumGetCString(heap_getattr(rows->tuples[0], column, rows->desc, &isnull));
	if (!reply->relations)
		reply->relations = cat_relations_seen(relations, rows);
}

void
cat_read_call_head(ReadCall *call)
{
	CallReply *reply = &call->reply;

	reply->resource = call->params->resource->name;
	reply->version = call->params->version;
	reply->ignored = cat_ignored_of_params(call->params);
}

/* End a read that returns one reply. */
Datum
cat_read_call_end(ReadCall *call, FunctionCallInfo fcinfo)
{
	cat_read_version_release(call->params);
	cat_read_call_head(call);
	return cat_call_reply_end(fcinfo, &call->reply);
}
