/*
 * read.c
 *	  list, item, first, last, count, related.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(catalogue_list);
PG_FUNCTION_INFO_V1(catalogue_item);
PG_FUNCTION_INFO_V1(catalogue_first);
PG_FUNCTION_INFO_V1(catalogue_last);
PG_FUNCTION_INFO_V1(catalogue_count);
PG_FUNCTION_INFO_V1(catalogue_related);

/* Write FROM and WHERE of a list, its records under the alias t. */
void
read_source(CatQuery *query, const Params *params, const Source *source)
{
	const CatRelation *relation = source->relation;

	appendStringInfo(&query->sql, " FROM %s t", params->resource->table);
	if (relation && relation->kind == RELATION_MANY_TO_MANY)
		appendStringInfo(
			&query->sql, " JOIN %s j ON j.%s = t.id AND j.deleted_at IS NULL AND j.%s = %s",
			relation->via, relation->far, relation->near, query_param(query, source->owner));
	appendStringInfoString(&query->sql, " WHERE ");
	query_living(query, params->resource, "t");
	if (relation && relation->kind == RELATION_ONE_TO_MANY)
		appendStringInfo(&query->sql, " AND t.%s = %s", relation->near,
						 query_param(query, source->owner));
	filter_write(query, params, "t");
}

/* Run the statement that gives one page, or the one record at an end of the collection. */
static Rows
query_page(const Params *params, const Source *source, const Selection *selection, bool backwards)
{
	CatQuery query;

	query_begin(&query, selection->internal);
	appendStringInfoString(&query.sql, "SELECT ");
	query_columns(&query, selection, "t");
	read_source(&query, params, source);
	query_order(&query, params, "t", backwards);
	/* in the text, so that the planner knows it and need not plan again at each call */
	appendStringInfo(&query.sql, " LIMIT %d", params->limit);
	if (params->skip > 0)
		appendStringInfo(&query.sql, " OFFSET %s::bigint",
						 query_param(&query, psprintf(INT64_FORMAT, params->skip)));
	query_run(&query);
	return rows_of_statement();
}

/* One page: straight from the index where nothing is asked for but the usual order. */
static Rows
read_page(const Params *params, const Source *source, const Selection *selection, bool backwards)
{
	Rows rows;

	if (!source->relation && rows_in_order(params, backwards, &rows))
		return rows;
	if (search_is_served(params))
		return pages_read(params, source, selection, backwards);
	return query_page(params, source, selection, backwards);
}

/* The number of records of a list. */
static int64
count_records(const Params *params, const Source *source)
{
	if (!source->relation && params->filters == NIL && params->terms == NIL &&
		(params->internal || !params->resource->deactivates))
		return counter_read(params->resource);
	return pages_count(params, source, SEARCH_NONE);
}

/* The total where the page itself tells it, else counted. */
static int64
total(const Params *params, const Source *source, int returned)
{
	if (returned < params->limit && (returned > 0 || params->skip == 0))
		return params->skip + returned;
	return count_records(params, source);
}

/* Fill a reply with one page of a list and what the envelope says of it. */
void
read_list(const Params *params, const Source *source, const Selection *selection, Reply *reply)
{
	StringInfo data = makeStringInfo();
	Rows rows = read_page(params, source, selection, false);

	embed_fetch(selection, &rows);
	json_records(data, selection, &rows);
	reply->count = total(params, source, rows.count);
	reply->returned = rows.count;
	reply->resource = params->resource->name;
	reply->data = data;
	reply->is_list = true;
	reply->limit = params->limit;
	reply->skip = params->skip;
	reply->version = params->version;
	reply->ignored = params_ignored(params);
}

/* The names of a record's relations, without the to-one relations that lead nowhere. */
static const char *
relation_names(Resource *resource, const Rows *rows)
{
	StringInfoData names;

	if (!rows->whole)
		return resource->relation_names;
	initStringInfo(&names);
	for (int i = 0; i < resource->nrelations; i++)
	{
		const CatRelation *relation = &resource->relations[i];

		if (relation->kind == RELATION_TO_ONE &&
			heap_attisnull(rows->tuples[0], registry_field(resource, relation->name)->attno,
						   rows->desc))
			continue;
		if (names.len > 0)
			appendStringInfoChar(&names, ',');
		appendStringInfoString(&names, relation->name);
	}
	return names.data;
}

/* The first of the records as JSON. */
static StringInfo
only_record(const Selection *selection, const Rows *rows)
{
	StringInfo data = makeStringInfo();
	Links links = lists_read(selection, rows);

	embed_fetch(selection, rows);
	json_record(data, selection, rows, 0, &links);
	return data;
}

static Rows
query_record(const Selection *selection, const char *id)
{
	CatQuery query;

	query_begin(&query, selection->internal);
	appendStringInfoString(&query.sql, "SELECT ");
	query_columns(&query, selection, "t");
	appendStringInfo(&query.sql, " FROM %s t WHERE t.id = %s AND ", selection->resource->table,
					 query_param(&query, id));
	query_living(&query, selection->resource, "t");
	query_run(&query);
	return rows_of_statement();
}

/* A record, none where it is not to be seen. */
static Rows
find_record(const Selection *selection, const char *id)
{
	Rows rows;

	if (!rows_by_id(selection->resource, id, selection->internal, &rows))
		rows = query_record(selection, id);
	return rows;
}

/* A record as JSON, NULL where there is none to be seen. */
StringInfo
read_record(const Selection *selection, const char *id)
{
	Rows rows = find_record(selection, id);

	return rows.count == 1 ? only_record(selection, &rows) : NULL;
}

/* Give the first of the records as the answer, without data where its tag is among the known. */
static void
answer_record(Reply *reply, const Selection *selection, const Rows *rows, const char *known)
{
	if (selection->embeds == NIL)
		reply->etag = etag_of_record(selection->resource, rows, 0);
	reply->id = SPI_getvalue(rows->tuples[0], rows->desc, rows_column(rows, selection, "id") + 1);
	if (!etag_is_among(known, reply->etag))
		reply->data = only_record(selection, rows);
	reply->resource = selection->resource->name;
	reply->relations = relation_names(selection->resource, rows);
}

static void
pg_attribute_noreturn() not_found(const Resource *resource, const char *id)
{
	ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", resource->model, id)));
}

Datum
catalogue_list(PG_FUNCTION_ARGS)
{
	Actor actor;
	Params *params;
	Source all = {0};
	Reply reply = {0};

	reply_begin();
	actor_read(fcinfo, 3, &actor);
	params = params_read(registry_resource(reply_argument(fcinfo, 0)), reply_argument(fcinfo, 1),
						 &actor);
	read_list(params, &all, select_params(params, &actor, reply_argument_is(fcinfo, 2, "embedded")),
			  &reply);
	return reply_end(fcinfo, &reply);
}

Datum
catalogue_item(PG_FUNCTION_ARGS)
{
	Actor actor;
	const char *id = reply_argument(fcinfo, 1);
	Params *params;
	Selection *selection;
	Rows rows;
	Reply reply = {0};

	reply_begin();
	actor_read(fcinfo, 4, &actor);
	params = params_read(registry_resource(reply_argument(fcinfo, 0)), reply_argument(fcinfo, 2),
						 &actor);
	selection = select_params(params, &actor, reply_argument_is(fcinfo, 3, "embedded"));
	rows = find_record(selection, id);
	if (rows.count == 0)
		not_found(params->resource, id);
	answer_record(&reply, selection, &rows, reply_argument(fcinfo, 5));
	return reply_end(fcinfo, &reply);
}

/* The record at one end of a collection, in the order of its list. */
static Datum
read_end(FunctionCallInfo fcinfo, bool backwards)
{
	Actor actor;
	Params *params;
	Selection *selection;
	Source all = {0};
	Rows rows;
	Reply reply = {0};

	reply_begin();
	actor_read(fcinfo, 3, &actor);
	params = params_read(registry_resource(reply_argument(fcinfo, 0)), reply_argument(fcinfo, 1),
						 &actor);
	selection = select_params(params, &actor, reply_argument_is(fcinfo, 2, "embedded"));
	params->limit = 1;
	params->skip = 0;
	rows = read_page(params, &all, selection, backwards);
	if (rows.count == 0)
		ereport(ERROR, (errcode(OD404), errmsg("there is no such %s", params->resource->model)));
	answer_record(&reply, selection, &rows, reply_argument(fcinfo, 4));
	return reply_end(fcinfo, &reply);
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
	Actor actor;
	Params *params;
	Source all = {0};
	Reply reply = {0};

	reply_begin();
	actor_read(fcinfo, 2, &actor);
	params = params_read(registry_resource(reply_argument(fcinfo, 0)), reply_argument(fcinfo, 1),
						 &actor);
	reply.data = makeStringInfo();
	appendStringInfo(reply.data, "{\"count\":" INT64_FORMAT "}", count_records(params, &all));
	reply.resource = params->resource->name;
	reply.version = params->version;
	reply.ignored = params_ignored(params);
	return reply_end(fcinfo, &reply);
}

/* The id in a to-one key of a living record; OD404 where it is empty or the record is gone. */
static char *
related_id(const Resource *resource, const CatRelation *relation, const char *id, bool internal)
{
	CatQuery query;
	char *key;

	query_begin(&query, internal);
	appendStringInfo(&query.sql, "SELECT t.%s::text FROM %s t WHERE t.id = %s AND ", relation->near,
					 resource->table, query_param(&query, id));
	query_living(&query, resource, "t");
	query_run(&query);
	if (SPI_processed == 0)
		not_found(resource, id);
	key = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (!key)
		ereport(ERROR, (errcode(OD404),
						errmsg("%s \"%s\" has no \"%s\"", resource->model, id, relation->name)));
	return key;
}

static void
read_to_one(const Params *params, const char *key, Selection *selection, const char *known,
			Reply *reply)
{
	Rows rows = find_record(selection, key);

	if (rows.count == 0)
		not_found(params->resource, key);
	answer_record(reply, selection, &rows, known);
}

Datum
catalogue_related(PG_FUNCTION_ARGS)
{
	Actor actor;
	const char *id = reply_argument(fcinfo, 1);
	Resource *resource;
	CatRelation *relation;
	Params *params;
	Selection *selection;
	Reply reply = {0};

	reply_begin();
	actor_read(fcinfo, 5, &actor);
	resource = registry_resource(reply_argument(fcinfo, 0));
	relation = registry_relation(resource, reply_argument(fcinfo, 2));
	if (!relation)
		ereport(ERROR, (errcode(OD404), errmsg("%s has no relation \"%s\"", resource->model,
											   reply_argument(fcinfo, 2))));
	params = params_read(registry_resource(relation->target), reply_argument(fcinfo, 3), &actor);
	selection = select_params(params, &actor, reply_argument_is(fcinfo, 4, "embedded"));
	if (relation->kind == RELATION_TO_ONE)
		read_to_one(params, related_id(resource, relation, id, params->internal), selection,
					reply_argument(fcinfo, 6), &reply);
	else
	{
		Source source = {relation, id};

		if (!read_record(select_all(resource, &actor, false), id))
			not_found(resource, id);
		read_list(params, &source, selection, &reply);
	}
	return reply_end(fcinfo, &reply);
}
