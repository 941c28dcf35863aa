/*
 * read_call.c
 *	  Start, state and end of a call that reads.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/builtins.h"

/* OD404 as there is no such relation. */
void
cat_read_call_no_relation(const Resource *resource, const char *name)
{
	ereport(ERROR, (errcode(OD404), errmsg("%s has no relation \"%s\"", resource->model, name)));
}

/* OD404 where the records are asked for by a relation that the actor does not see. */
static void
require_source(const Source *source, const Actor *actor)
{
	if (!source->resource)
		return;
	cat_visibility_require(source->resource, actor->sight);
	if (!cat_visibility_relation(source->relation, actor->sight))
		cat_read_call_no_relation(source->resource, source->relation->name);
}

/*
 * Begin a read of records of a resource: query, relations and actor are the
 * arguments from the given number on; relations is left out by a number less
 * than 0.  OD404 where the resource shows the actor nothing.
 *
 * What the caller knows is for him to add, as one text or several.
 */
void
cat_read_call_begin_many(ReadCall *reader, FunctionCallInfo fcinfo, Resource *resource, int query,
						 int relations)
{
	cat_actor_read(fcinfo, Max(query, relations) + 1, &reader->actor);
	require_source(&reader->source, &reader->actor);
	cat_visibility_require(resource, reader->actor.sight);
	reader->params =
		cat_request_params_read(resource, cat_call_reply_argument(fcinfo, query), &reader->actor);
	cat_ignored_require_known_params(reader->params);
	reader->selection = cat_selection_params(
		reader->params, &reader->actor,
		relations >= 0 && cat_call_reply_argument_is(fcinfo, relations, "embedded"));
}

/* Begin a read whose argument behind the actor is "known". */
void
cat_read_call_begin(ReadCall *reader, FunctionCallInfo fcinfo, Resource *resource, int query,
					int relations)
{
	cat_read_call_begin_many(reader, fcinfo, resource, query, relations);
	reader->known = cat_call_reply_argument(fcinfo, Max(query, relations) + 2);
}

/*
 * The tag of what the read depends on, as of an instant; rules decide which deleted records are
 * shown, too.
 */
static char *
tag_of_state(const ReadCall *reader, TimestampTz instant)
{
	char *tag = cat_etag_of_version(instant, reader->resources, reader->params);

	return tag && reader->params->deleted
			   ? cat_etag_join(tag, cat_etag_of_text(reader->params->restorable))
			   : tag;
}

/* Settle the instant of the read and its tag. */
void
cat_read_call_settle(ReadCall *reader)
{
	reader->resources = cat_read_dependencies(reader->params, reader->selection, &reader->source);
	cat_read_version_settle(reader->params, reader->resources);
	reader->tag = tag_of_state(reader, reader->params->version);
}

/*
 * Settle the instant and the tag of a record: its reply names an instant only where one was asked
 * for, and else is the same until something that it shows has changed.
 */
void
cat_read_call_settle_record(ReadCall *reader)
{
	bool asked = reader->params->version != 0;

	reader->resources = cat_read_dependencies(reader->params, reader->selection, &reader->source);
	cat_read_version_settle(reader->params, reader->resources);
	if (!asked)
		reader->params->version = 0;
	reader->tag = tag_of_state(reader, asked ? reader->params->version : reader->params->newest);
}

/*
 * Settle the instant and the tag of a record by its id: a plain record depends on its own row only,
 * so no version is looked up.
 */
void
cat_read_call_settle_item(ReadCall *reader)
{
	if (reader->params->version || reader->selection->embeds != NIL)
		cat_read_call_settle_record(reader);
}

/*
 * The tag of the first of the rows; NULL where nothing tells its state.
 *
 * A record of an earlier instant, or of a list with deleted ones, is a row of no table, with
 * neither place nor transaction: its state goes by the instant of the read.
 */
static char *
tag_of(const ReadCall *reader, const Rows *rows)
{
	char *record;

	if (reader->params->then || reader->params->deleted)
		return cat_etag_join("then", reader->tag);
	record = cat_etag_of_record(reader->selection->resource, rows, 0);
	return reader->tag ? cat_etag_join(record, reader->tag) : record;
}

/*
 * Give the reply the tag of the first of the rows; whether the caller has that state already.
 *
 * The tag is that of the record; where more than its row is shown, or another
 * one may be in its place, that of the rest is added.
 */
bool
cat_read_call_knows(ReadCall *reader, const Relations *relations, const Rows *rows)
{
	CallReply *reply = &reader->reply;
	const char *ways = cat_record_links(reader->params, rows);
	bool known;

	reply->etag = tag_of(reader, rows);
	reply->relations = NULL;
	/* what the caller may do with a record is no part of it */
	if (ways && strchr(ways, '+'))
		reply->etag = cat_etag_join(reply->etag, cat_etag_of_text(ways));
	if (relations->hides)
	{
		reply->relations = cat_relations_seen(relations, rows);
		reply->etag = cat_etag_join(reply->etag, cat_etag_of_text(reply->relations));
	}
	known = cat_etag_is_among(reader->known, reply->etag);
	reply->ways = known ? NULL : ways;
	return known;
}

/*
 * Give the reply the id of the first of the rows and its relations, behind
 * cat_read_call_knows().
 */
void
cat_read_call_describe(ReadCall *reader, const Relations *relations, const Rows *rows)
{
	CallReply *reply = &reader->reply;
	int column = cat_row_fetch_column(rows, reader->selection, "id") + 1;
	bool isnull;

	reply->id = TextDatumGetCString(heap_getattr(rows->tuples[0], column, rows->desc, &isnull));
	if (!reply->relations)
		reply->relations = cat_relations_seen(relations, rows);
}

/* Say in the reply what holds for the read as a whole. */
void
cat_read_call_head(ReadCall *reader)
{
	CallReply *reply = &reader->reply;

	reply->resource = reader->params->resource->name;
	reply->version = reader->params->version;
	reply->ignored = cat_ignored_of_params(reader->params);
}

/* End a read that gives one reply. */
Datum
cat_read_call_end(ReadCall *reader, FunctionCallInfo fcinfo)
{
	cat_read_version_release(reader->params);
	cat_read_call_head(reader);
	return cat_call_reply_end(fcinfo, &reader->reply);
}
