/*
 * read.c
 *	  SQL functions that read: list, item, first, last, count, related, usage, record_logs.
 */
#include "catalogue.h"

#include "access/htup_details.h"

#include "read/read_internal.h"

/* Raise OD404 for an unknown relation. */
pg_noreturn static void
read_call_no_relation(const Resource *resource, const char *name)
{
	ereport(ERROR, (errcode(OD404), errmsg("%s has no relation \"%s\"", resource->model, name)));
}

void
cat_read_call_begin_many(ReadCall *call, FunctionCallInfo fcinfo, Resource *resource, int query,
						 int relations)
{
	const Source *source = &call->source;

	cat_actor_read(fcinfo, Max(query, relations) + 1, &call->actor);
	if (source->resource)
		cat_visibility_require(source->resource, call->actor.access);
	if (source->resource && !cat_visibility_relation(source->relation, call->actor.access))
		read_call_no_relation(source->resource, source->relation->name);
	cat_visibility_require(resource, call->actor.access);
	call->params =
		cat_request_params_read(resource, cat_call_reply_argument(fcinfo, query), &call->actor);
	cat_ignored_require_known_params(call->params);
	call->selection = cat_selection_params(
		call->params, &call->actor,
		relations >= 0 && cat_call_reply_argument_is(fcinfo, relations, "embedded"));
}

/* Like cat_read_call_begin_many(), for a function whose argument after the actor is "known". */
static void
read_call_begin(ReadCall *call, FunctionCallInfo fcinfo, Resource *resource, int query,
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
static void
read_call_settle(ReadCall *call)
{
	call->resources = cat_read_dependencies(call->params, call->selection, &call->source);
	cat_read_version_settle(call->params, call->resources);
	call->tag = tag_of_state(call, call->params->version);
}

/* Determine the instant and the entity tag for a single record.  The reply names an instant only
 * if the request does; otherwise the tag depends on the newest change alone. */
static void
read_call_settle_record(ReadCall *call)
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
		read_call_settle_record(call);
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
static Datum
read_call_end(ReadCall *call, FunctionCallInfo fcinfo)
{
	cat_read_version_release(call->params);
	cat_read_call_head(call);
	return cat_call_reply_end(fcinfo, &call->reply);
}

/* Set the reply's entity tag; return whether the client has that state already. */
static bool
is_known(ReadCall *call)
{
	call->reply.etag = call->tag;
	return cat_etag_is_among(call->known, call->tag);
}

static void
answer_list(ReadCall *call)
{
	CallReply *reply = &call->reply;

	reply->is_list = true;
	reply->limit = call->params->limit;
	reply->skip = call->params->skip;
	if (!is_known(call))
		cat_page_cache_answer(call->params, &call->source, call->selection, call->resources, reply);
}

/* Return the first record as JSON. */
static StringInfo
only_record(const Selection *selection, const Rows *rows, TimestampTz then)
{
	StringInfo data = makeStringInfo();

	cat_embedding_fetch(selection, rows, then);
	cat_json_record(data, selection, rows, 0);
	return data;
}

/* Read the first state of a record that ended after the instant, as an access level sees it. */
static Rows
state_then(const RequestParams *params, const Resource *resource, const char *id,
		   AccessLevel access)
{
	SqlBuilder query;

	cat_sql_builder_begin(&query, access, params->then);
	cat_history_sql_states(&query, resource, id);
	appendStringInfoString(&query.sql, " LIMIT 1");
	cat_sql_builder_run(&query);
	return cat_rows_whole_of_statement(resource);
}

/*
 * Read the state of a record at the instant of the read: the first one that ended later, else the
 * present one.
 */
static Rows
row_then(const RequestParams *params, const Resource *resource, const char *id)
{
	bool outside = params->access == ACCESS_OUTSIDER;
	Rows present = cat_rows_by_id(resource, id, params->access);
	Rows rows;

	if (!params->then || !resource->history_table || (outside && present.count == 0))
		return present;
	/* few records have changed: the lists that outsiders see take a longer statement */
	rows = state_then(params, resource, id, outside ? ACCESS_ALL : params->access);
	if (rows.count == 0)
		return present;
	if (outside)
		rows = state_then(params, resource, id, ACCESS_OUTSIDER);
	if (heap_attisnull(rows.tuples[0], resource->created_at, resource->desc) ||
		!cat_visibility_record(resource, rows.tuples[0], params->access))
		rows.count = 0;
	return rows;
}

Rows
cat_read_named_then(const RequestParams *params, const Selection *selection, const char *word)
{
	Rows rows = row_then(params, selection->resource, word);
	const char *id = NULL;

	if (rows.count == 0)
		id = cat_named_by_slug(selection->resource, word, selection->access);
	return id ? row_then(params, selection->resource, id) : rows;
}

Rows *
cat_read_rows_then(const RequestParams *params, const Selection *selection, const char *const *ids,
				   int count)
{
	Rows *rows = palloc(sizeof(Rows) * (count + 1));

	if (!params->then)
		cat_rows_by_ids(selection->resource, ids, count, selection->access, rows);
	for (int i = 0; params->then && i < count; i++)
		rows[i] = row_then(params, selection->resource, ids[i]);
	return rows;
}

static Rows
find_record_then(const ReadCall *call, const char *id)
{
	return row_then(call->params, call->selection->resource, id);
}

StringInfo
cat_read_record(const Selection *selection, const char *id)
{
	Rows rows = cat_rows_by_id(selection->resource, id, selection->access);

	return rows.count == 1 ? only_record(selection, &rows, 0) : NULL;
}

/* Answer with the first record, without data if the client has its state already. */
static void
answer_record(ReadCall *call, const Rows *rows)
{
	const Relations *relations = cat_relations_begin(call->selection);
	bool known = cat_read_call_knows(call, relations, rows);

	cat_read_call_describe(call, relations, rows);
	if (!known)
		call->reply.data = only_record(call->selection, rows, call->params->then);
}

char *
cat_read_missing(const Resource *resource, const char *id)
{
	return psprintf("%s \"%s\" does not exist", resource->model, id);
}

pg_noreturn static void
not_found(const Resource *resource, const char *id)
{
	ereport(ERROR, (errcode(OD404), errmsg_internal("%s", cat_read_missing(resource, id))));
}

CAT_FUNCTION(catalogue_list)
{
	ReadCall call = {0};

	cat_call_reply_begin();
	read_call_begin(&call, fcinfo, cat_call_reply_resource(fcinfo), 1, 2);
	read_call_settle(&call);
	answer_list(&call);
	return read_call_end(&call, fcinfo);
}

CAT_FUNCTION(catalogue_item)
{
	ReadCall call = {0};
	const char *id = cat_call_reply_required(fcinfo, 1);
	Rows rows;

	cat_call_reply_begin();
	read_call_begin(&call, fcinfo, cat_call_reply_resource(fcinfo), 2, 3);
	cat_read_call_settle_item(&call);
	rows = cat_read_named_then(call.params, call.selection, id);
	if (rows.count == 0)
		not_found(call.params->resource, id);
	answer_record(&call, &rows);
	return read_call_end(&call, fcinfo);
}

/*
 * Return the record at one end of a list.
 *
 * It is read again by its id, since links and entity tag need the row as it is stored; not with the
 * parameter "deleted", because a deleted record is not found by its id.
 */
static Rows
find_end(const ReadCall *call, bool backwards)
{
	Rows rows = cat_list_page_read(call->params, &call->source, call->selection, backwards);
	int id;

	if (rows.count == 0)
		ereport(ERROR,
				(errcode(OD404), errmsg("there is no such %s", call->params->resource->model)));
	if (call->params->deleted)
		return rows;
	id = cat_rows_column(&rows, call->params->resource, NULL, "id") + 1;
	return find_record_then(call, SPI_getvalue(rows.tuples[0], rows.desc, id));
}

static Datum
read_end(FunctionCallInfo fcinfo, bool backwards)
{
	ReadCall call = {0};
	Rows rows;

	cat_call_reply_begin();
	read_call_begin(&call, fcinfo, cat_call_reply_resource(fcinfo), 1, 2);
	read_call_settle_record(&call);
	call.params->limit = 1;
	call.params->skip = 0;
	call.params->cursor = NULL;
	rows = find_end(&call, backwards);
	answer_record(&call, &rows);
	return read_call_end(&call, fcinfo);
}

CAT_FUNCTION(catalogue_first)
{
	return read_end(fcinfo, false);
}

CAT_FUNCTION(catalogue_last)
{
	return read_end(fcinfo, true);
}

CAT_FUNCTION(catalogue_count)
{
	ReadCall call = {0};

	cat_call_reply_begin();
	read_call_begin(&call, fcinfo, cat_call_reply_resource(fcinfo), 1, -1);
	read_call_settle(&call);
	if (!is_known(&call))
	{
		call.reply.data = makeStringInfo();
		appendStringInfo(call.reply.data, "{\"count\":" INT64_FORMAT "}",
						 cat_list_page_count(call.params, &call.source));
	}
	return read_call_end(&call, fcinfo);
}

/*
 * Return the id in a to-one key of a record, in its state at the instant of the read.  Raises OD404
 * if the key is null or the record is not visible.
 */
static char *
related_id(const ReadCall *call)
{
	const Source *source = &call->source;
	Rows rows = row_then(call->params, source->resource, source->owner);
	char *key;

	if (rows.count == 0)
		not_found(source->resource, source->owner);
	key = SPI_getvalue(rows.tuples[0], rows.desc,
					   cat_registry_field(source->resource, source->relation->name)->attno);
	if (!key)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" has no \"%s\"", source->resource->model,
											   source->owner, source->relation->name)));
	return key;
}

static void
answer_to_one(ReadCall *call)
{
	char *id = related_id(call);
	Rows rows = find_record_then(call, id);

	if (rows.count == 0)
		not_found(call->params->resource, id);
	answer_record(call, &rows);
}

void
cat_read_require_owner(const Source *source, const RequestParams *params)
{
	if (row_then(params, source->resource, source->owner).count == 0)
		not_found(source->resource, source->owner);
}

CAT_FUNCTION(catalogue_related)
{
	ReadCall call = {0};
	Source *source = &call.source;
	const char *owner;

	cat_call_reply_begin();
	source->resource = cat_call_reply_resource(fcinfo);
	owner = cat_call_reply_required(fcinfo, 1);
	source->relation = cat_registry_relation(source->resource, cat_call_reply_required(fcinfo, 2));
	if (!source->relation)
		read_call_no_relation(source->resource, cat_call_reply_argument(fcinfo, 2));
	read_call_begin(&call, fcinfo, cat_registry_resource(source->relation->target), 3, 4);
	cat_consumer_require(&call.actor, source->resource->name);
	source->owner = cat_named_id(source->resource, owner, call.actor.access);
	if (source->relation->kind == RELATION_TO_ONE)
	{
		read_call_settle_record(&call);
		answer_to_one(&call);
	}
	else
	{
		read_call_settle(&call);
		cat_read_require_owner(source, call.params);
		call.reply.id = source->owner;
		answer_list(&call);
	}
	return read_call_end(&call, fcinfo);
}

/*
 * Statistics have a column with the name of the resource, not a foreign key, so the relation is
 * made here.
 */
CAT_FUNCTION(catalogue_usage)
{
	CatRelation named = {.name = "usage", .kind = RELATION_ONE_TO_MANY, .near = "resource"};
	ReadCall call = {0};
	const char *query;
	bool csv;

	cat_call_reply_begin();
	query = cat_call_reply_argument(fcinfo, 1);
	csv = cat_call_reply_argument_is(fcinfo, 5, "csv");
	if (cat_query_string_has(query, "groupBy"))
	{
		cat_actor_read(fcinfo, 3, &call.actor);
		return cat_statistics_summary_answer(fcinfo, cat_call_reply_resource(fcinfo), query,
											 &call.actor, csv);
	}
	if (csv)
		ereport(ERROR, (errcode(OD406), errmsg("statistics are CSV only with \"groupBy\"")));
	call.source.relation = &named;
	call.source.owner = cat_call_reply_resource(fcinfo)->name;
	read_call_begin(&call, fcinfo, cat_registry_resource("statistics"), 1, 2);
	read_call_settle(&call);
	answer_list(&call);
	return read_call_end(&call, fcinfo);
}

/* List the log records of a record. */
CAT_FUNCTION(catalogue_record_logs)
{
	CatRelation named = {.name = "logs", .kind = RELATION_ONE_TO_MANY, .near = "resource"};
	ReadCall call = {0};
	Actor actor;
	Resource *resource;

	cat_call_reply_begin();
	resource = cat_call_reply_resource(fcinfo);
	cat_actor_read(fcinfo, 4, &actor);
	call.source.relation = &named;
	call.source.owner = cat_named_id(resource, cat_call_reply_required(fcinfo, 1), actor.access);
	read_call_begin(&call, fcinfo, cat_registry_resource("logs"), 2, 3);
	cat_consumer_require(&call.actor, resource->name);
	/* of deleted records as well */
	cat_statement_read(psprintf("SELECT FROM %s WHERE id = $1", resource->table),
					   text_param(call.source.owner));
	if (SPI_processed == 0)
		not_found(resource, call.source.owner);
	read_call_settle(&call);
	answer_list(&call);
	return read_call_end(&call, fcinfo);
}
