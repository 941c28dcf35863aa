/*
 * read.c
 *	  list, item, first, last, count, related, usage.
 */
#include "catalogue.h"

#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(catalogue_list);
PG_FUNCTION_INFO_V1(catalogue_item);
PG_FUNCTION_INFO_V1(catalogue_first);
PG_FUNCTION_INFO_V1(catalogue_last);
PG_FUNCTION_INFO_V1(catalogue_count);
PG_FUNCTION_INFO_V1(catalogue_related);
PG_FUNCTION_INFO_V1(catalogue_usage);

/* One call that reads. */
typedef struct Reader
{
	Actor actor;
	Params *params;
	Selection *selection;
	Source source;
	const char *known; /* state tags that the caller has */
	List *resources;   /* of char *: all that the read depends on */
	char *tag;		   /* of their state, NULL where nothing tells it */
	Reply reply;
} Reader;

static void
pg_attribute_noreturn() no_relation(const Resource *resource, const char *name)
{
	ereport(ERROR, (errcode(OD404), errmsg("%s has no relation \"%s\"", resource->model, name)));
}

/* OD404 where the records are asked for by a relation that the actor does not see. */
static void
require_source(const Source *source, const Actor *actor)
{
	if (!source->resource)
		return;
	visibility_require(source->resource, actor->sight);
	if (!visibility_relation(source->relation, actor->sight))
		no_relation(source->resource, source->relation->name);
}

/*
 * Begin a read of records of a resource: query, relations, actor and known
 * are the arguments from the given number on; relations is left out by a
 * number less than 0.  OD404 where the resource shows the actor nothing.
 */
static void
begin_read(Reader *reader, FunctionCallInfo fcinfo, Resource *resource, int query, int relations)
{
	int actor = Max(query, relations) + 1;

	actor_read(fcinfo, actor, &reader->actor);
	require_source(&reader->source, &reader->actor);
	visibility_require(resource, reader->actor.sight);
	reader->known = reply_argument(fcinfo, actor + 1);
	reader->params = params_read(resource, reply_argument(fcinfo, query), &reader->actor);
	reader->selection =
		select_params(reader->params, &reader->actor,
					  relations >= 0 && reply_argument_is(fcinfo, relations, "embedded"));
}

/* Settle the instant of the read and its tag. */
static void
settle(Reader *reader)
{
	reader->resources = depends_on(reader->params, reader->selection, &reader->source);
	version_settle(reader->params, reader->resources);
	reader->tag =
		etag_of_version(reader->params->version, reader->resources, reader->params->sight);
}

/*
 * So, for a record: its reply names an instant only where one was asked for,
 * and else is the same until something that it shows has changed.
 */
static void
settle_record(Reader *reader)
{
	bool asked = reader->params->version != 0;

	reader->resources = depends_on(reader->params, reader->selection, &reader->source);
	version_settle(reader->params, reader->resources);
	if (!asked)
		reader->params->version = 0;
	reader->tag = etag_of_version(asked ? reader->params->version : reader->params->newest,
								  reader->resources, reader->params->sight);
}

static Datum
end_read(Reader *reader, FunctionCallInfo fcinfo)
{
	Reply *reply = &reader->reply;

	version_release(reader->params);
	reply->resource = reader->params->resource->name;
	reply->version = reader->params->version;
	reply->ignored = params_ignored(reader->params);
	return reply_end(fcinfo, reply);
}

/* Give the tag of what the read depends on; whether the caller has that state already. */
static bool
is_known(Reader *reader)
{
	reader->reply.etag = reader->tag;
	return generation_knows(reader->params, reader->resources, reader->known, &reader->reply);
}

static void
answer_list(Reader *reader)
{
	Reply *reply = &reader->reply;

	reply->is_list = true;
	reply->limit = reader->params->limit;
	reply->skip = reader->params->skip;
	if (!is_known(reader))
		kept_answer(reader->params, &reader->source, reader->selection, reader->resources, reply);
}

/* The first of the records as JSON. */
static StringInfo
only_record(const Selection *selection, const Rows *rows, TimestampTz then)
{
	StringInfo data = makeStringInfo();

	embed_fetch(selection, rows, then);
	json_record(data, selection, rows, 0);
	return data;
}

static Rows
query_record(const Selection *selection, const char *id, TimestampTz then)
{
	CatQuery query;

	query_begin(&query, selection->sight, then);
	appendStringInfoString(&query.sql, "SELECT ");
	query_columns(&query, selection, "t");
	appendStringInfo(&query.sql, " FROM %s t WHERE t.id = %s AND ",
					 query_table(&query, selection->resource), query_param(&query, id));
	query_living(&query, selection->resource, "t");
	query_run(&query);
	return rows_of_statement();
}

/* A record as it is; none where it is not to be seen. */
Rows
read_row(const Selection *selection, const char *id)
{
	Rows rows;

	if (!rows_by_id(selection->resource, id, selection->sight, &rows))
		rows = query_record(selection, id, 0);
	return rows;
}

/* A record as it was at the instant of the read. */
Rows
read_row_then(const Params *params, const Selection *selection, const char *id)
{
	Rows rows;

	if (!params->then)
		return read_row(selection, id);
	if (!past_by_id(params, id, &rows))
		rows = query_record(selection, id, params->then);
	return rows;
}

static Rows
find_record_then(const Reader *reader, const char *id)
{
	return read_row_then(reader->params, reader->selection, id);
}

/* A record as JSON, NULL where there is none to be seen. */
StringInfo
read_record(const Selection *selection, const char *id)
{
	Rows rows = read_row(selection, id);

	return rows.count == 1 ? only_record(selection, &rows, 0) : NULL;
}

/*
 * Give the first of the records as the answer, without data where the caller has its state.
 *
 * The tag is that of the record; where more than its row is shown, or another
 * one may be in its place, that of the rest is added.
 */
static void
answer_record(Reader *reader, const Rows *rows)
{
	const Selection *selection = reader->selection;
	Reply *reply = &reader->reply;

	reply->etag = etag_of_record(selection->resource, rows, 0);
	if (reader->params->then)
		reply->etag = etag_join("then", reader->tag);
	else if (reader->tag)
		reply->etag = etag_join(reply->etag, reader->tag);
	reply->id = SPI_getvalue(rows->tuples[0], rows->desc, rows_column(rows, selection, "id") + 1);
	reply->relations = relations_seen(selection, rows);
	if (visibility_hides(selection->resource, selection->sight))
		reply->etag = etag_join(reply->etag, etag_of_text(reply->relations));
	if (generation_knows(reader->params, reader->resources, reader->known, reply))
		return;
	reply->data = only_record(selection, rows, reader->params->then);
}

static void
pg_attribute_noreturn() not_found(const Resource *resource, const char *id)
{
	ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", resource->model, id)));
}

Datum
catalogue_list(PG_FUNCTION_ARGS)
{
	Reader reader = {0};

	reply_begin();
	begin_read(&reader, fcinfo, registry_resource(reply_argument(fcinfo, 0)), 1, 2);
	settle(&reader);
	answer_list(&reader);
	return end_read(&reader, fcinfo);
}

Datum
catalogue_item(PG_FUNCTION_ARGS)
{
	Reader reader = {0};
	const char *id = reply_argument(fcinfo, 1);
	Rows rows;

	reply_begin();
	begin_read(&reader, fcinfo, registry_resource(reply_argument(fcinfo, 0)), 2, 3);
	/* a record alone, as it is, depends on nothing besides */
	if (reader.params->version || reader.selection->embeds != NIL)
		settle_record(&reader);
	rows = find_record_then(&reader, id);
	if (rows.count == 0)
		not_found(reader.params->resource, id);
	answer_record(&reader, &rows);
	return end_read(&reader, fcinfo);
}

/* The record at one end of a list; read again by its id where it is not whole, for its links. */
static Rows
find_end(const Reader *reader, bool backwards)
{
	Rows rows = page_read(reader->params, &reader->source, reader->selection, backwards);

	if (rows.count == 0)
		ereport(ERROR,
				(errcode(OD404), errmsg("there is no such %s", reader->params->resource->model)));
	return rows.whole ? rows : find_record_then(reader, SPI_getvalue(rows.tuples[0], rows.desc, 1));
}

static Datum
read_end(FunctionCallInfo fcinfo, bool backwards)
{
	Reader reader = {0};
	Rows rows;

	reply_begin();
	begin_read(&reader, fcinfo, registry_resource(reply_argument(fcinfo, 0)), 1, 2);
	settle_record(&reader);
	reader.params->limit = 1;
	reader.params->skip = 0;
	reader.params->place = NULL;
	rows = find_end(&reader, backwards);
	answer_record(&reader, &rows);
	return end_read(&reader, fcinfo);
}

Datum
catalogue_first(PG_FUNCTION_ARGS)
{
	return read_end(fcinfo, false);
}

Datum
catalogue_last(PG_FUNCTION_ARGS)
{
	return read_end(fcinfo, true);
}

Datum
catalogue_count(PG_FUNCTION_ARGS)
{
	Reader reader = {0};

	reply_begin();
	begin_read(&reader, fcinfo, registry_resource(reply_argument(fcinfo, 0)), 1, -1);
	settle(&reader);
	if (!is_known(&reader))
	{
		reader.reply.data = makeStringInfo();
		appendStringInfo(reader.reply.data, "{\"count\":" INT64_FORMAT "}",
						 page_count(reader.params, &reader.source));
	}
	return end_read(&reader, fcinfo);
}

/*
 * The id in a to-one key of a record as it was at the instant of the read;
 * OD404 where it is empty or the record is not to be seen.
 */
static char *
related_id(const Reader *reader)
{
	const Source *source = &reader->source;
	CatQuery query;
	char *key;

	query_begin(&query, reader->params->sight, reader->params->then);
	appendStringInfo(&query.sql, "SELECT t.%s::text FROM %s t WHERE t.id = %s AND ",
					 source->relation->near, query_table(&query, source->resource),
					 query_param(&query, source->owner));
	query_living(&query, source->resource, "t");
	query_run(&query);
	if (SPI_processed == 0)
		not_found(source->resource, source->owner);
	key = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (!key)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" has no \"%s\"", source->resource->model,
											   source->owner, source->relation->name)));
	return key;
}

static void
answer_to_one(Reader *reader)
{
	char *id = related_id(reader);
	Rows rows = find_record_then(reader, id);

	if (rows.count == 0)
		not_found(reader->params->resource, id);
	answer_record(reader, &rows);
}

/* Raise OD404 where the record whose list is asked for was not to be seen at the instant. */
void
read_require_owner(const Source *source, const Actor *actor, TimestampTz then)
{
	if (query_record(select_all(source->resource, actor, false), source->owner, then).count == 0)
		not_found(source->resource, source->owner);
}

Datum
catalogue_related(PG_FUNCTION_ARGS)
{
	Reader reader = {0};
	Source *source = &reader.source;

	reply_begin();
	source->resource = registry_resource(reply_argument(fcinfo, 0));
	source->owner = reply_argument(fcinfo, 1);
	source->relation = registry_relation(source->resource, reply_argument(fcinfo, 2));
	if (!source->relation)
		no_relation(source->resource, reply_argument(fcinfo, 2));
	begin_read(&reader, fcinfo, registry_resource(source->relation->target), 3, 4);
	consumer_require(&reader.actor, source->resource->name);
	if (source->relation->kind == RELATION_TO_ONE)
	{
		settle_record(&reader);
		answer_to_one(&reader);
	}
	else
	{
		settle(&reader);
		read_require_owner(source, &reader.actor, reader.params->then);
		answer_list(&reader);
	}
	return end_read(&reader, fcinfo);
}

/* The statistics of a resource: those that name it, as if they referred to it. */
Datum
catalogue_usage(PG_FUNCTION_ARGS)
{
	CatRelation named = {.name = "usage", .kind = RELATION_ONE_TO_MANY, .near = "resource"};
	Reader reader = {0};

	reply_begin();
	reader.source.relation = &named;
	reader.source.owner = registry_resource(reply_argument(fcinfo, 0))->name;
	begin_read(&reader, fcinfo, registry_resource("statistics"), 1, 2);
	settle(&reader);
	answer_list(&reader);
	return end_read(&reader, fcinfo);
}
