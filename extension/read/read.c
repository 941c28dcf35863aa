/*
 * read.c
 *	  The steps that all reads share: who asks for what, the version, the entity tag, the reply.
 */
#include "catalogue.h"

#include "access/htup_details.h"

#include "read/read_internal.h"

/* Raise OD404 for an unknown relation. */
pg_noreturn static void
no_relation(const Resource *resource, const char *name)
{
	ereport(ERROR, (errcode(OD404), errmsg("%s has no relation \"%s\"", resource->model, name)));
}

void
cat_read_begin(ReadCall *call, FunctionCallInfo fcinfo, Resource *resource,
			   const CallArguments *args)
{
	const Source *source = &call->plan.source;
	ReadPlan *plan = &call->plan;

	cat_actor_read(fcinfo, args->actor, &call->actor);
	if (source->resource)
		cat_visibility_require(source->resource, call->actor.access);
	if (source->resource && !cat_visibility_relation(source->relation, call->actor.access))
		no_relation(source->resource, source->relation->name);
	cat_visibility_require(resource, call->actor.access);
	plan->params = cat_request_params_read(resource, cat_call_reply_argument(fcinfo, args->query),
										   &call->actor);
	cat_ignored_require_known_params(plan->params);
	plan->selection = cat_selection_params(
		plan->params, &call->actor,
		args->relations >= 0 && cat_call_reply_argument_is(fcinfo, args->relations, "embedded"));
}

void
cat_read_begin_related(ReadCall *call, FunctionCallInfo fcinfo, const CallArguments *args)
{
	Resource *resource = cat_call_reply_resource(fcinfo, args->resource);
	const char *owner = cat_call_reply_required(fcinfo, args->id);
	const char *name = cat_call_reply_required(fcinfo, args->relation);
	Source *source = &call->plan.source;

	*source = (Source){resource, cat_registry_relation(resource, name), owner};
	if (!source->relation)
		no_relation(resource, name);
	cat_read_begin(call, fcinfo, cat_registry_resource(source->relation->target), args);
	cat_consumer_require(&call->actor, resource->name);
	source->owner = cat_record_named_id(resource, owner, call->actor.access);
}

/*
 * Determine the version of the read, and the entity tag of the state at an instant: with deleted
 * records it also covers the rules that decide which of them the caller sees.
 *
 * single: the reply has one record, and names an instant only if the request does; otherwise the tag
 * depends on the newest change alone.
 */
static void
determine_version(ReadCall *call, bool single)
{
	RequestParams *params = call->plan.params;

	if (call->plan.resources == NIL)
		cat_read_version_dependencies(&call->plan);
	cat_read_version_acquire(params, call->plan.resources);
	if (single && !params->as_of)
		params->version = 0;
	call->tag = cat_etag_of_version(params->version ? params->version : params->newest,
									call->plan.resources, params);
	if (call->tag && params->deleted)
		call->tag = cat_etag_join(call->tag, cat_etag_of_text(params->restorable));
}

void
cat_read_state(ReadCall *call)
{
	determine_version(call, false);
}

void
cat_read_state_record(ReadCall *call)
{
	determine_version(call, true);
}

void
cat_read_state_item(ReadCall *call)
{
	if (call->plan.params->version || call->plan.selection->embeds != NIL)
		determine_version(call, true);
}

/* Return whether fields of the first row are left out, as they are closed to the caller. */
static bool
is_closed(const ReadCall *call, const Rows *rows)
{
	const Resource *resource = call->plan.selection->resource;
	AccessLevel access = call->actor.access;

	return resource->right != 0 && access_level(access) != ACCESS_ALL &&
		   !(cat_visibility_rights(resource, access) & resource->right) &&
		   !cat_record_is_reader(resource, rows);
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

	if (call->plan.params->then || call->plan.params->deleted)
		return cat_etag_join("then", call->tag);
	record = cat_etag_of_record(call->plan.selection->resource, rows, 0);
	if (is_closed(call, rows))
		record = cat_etag_join(record, "closed");
	return call->tag ? cat_etag_join(record, call->tag) : record;
}

bool
cat_read_knows(ReadCall *call, const Relations *relations, const Rows *rows)
{
	CallReply *reply = &call->reply;
	const char *links = cat_embedding_record_links(call->plan.params, rows);
	bool known;

	reply->etag = tag_of(call, rows);
	reply->relations = NULL;
	/* the tag of the record alone does not cover what the caller may do with it */
	if (links && strchr(links, '+'))
		reply->etag = cat_etag_join(reply->etag, cat_etag_of_text(links));
	if (relations->hides)
	{
		reply->relations = cat_embedding_relations_seen(relations, rows);
		reply->etag = cat_etag_join(reply->etag, cat_etag_of_text(reply->relations));
	}
	known = cat_etag_is_among(call->known, reply->etag);
	reply->links = known ? NULL : links;
	return known;
}

void
cat_read_describe(ReadCall *call, const Relations *relations, const Rows *rows)
{
	CallReply *reply = &call->reply;

	reply->id = cat_record_id(call->plan.selection->resource, rows, 0);
	if (!reply->relations)
		reply->relations = cat_embedding_relations_seen(relations, rows);
}

bool
cat_read_is_known(ReadCall *call)
{
	call->reply.etag = call->tag;
	return cat_etag_is_among(call->known, call->tag);
}

void
cat_read_list(ReadCall *call)
{
	call->reply.is_list = true;
	call->reply.limit = call->plan.params->limit;
	call->reply.skip = call->plan.params->skip;
}

void
cat_read_page(ReadCall *call, const char *key, void (*read)(ReadCall *call, void *asked),
			  void *asked)
{
	PageCacheKey page;

	cat_read_list(call);
	if (cat_read_is_known(call))
		return;
	page = cat_page_cache_key(call->plan.params, key, call->plan.resources);
	if (cat_page_cache_get(&page, &call->reply))
		return;
	read(call, asked);
	call->reply.ignored = cat_ignored_of_params(call->plan.params);
	if (call->reply.etag)
		cat_page_cache_put(&page, &call->reply);
}

void
cat_read_head(ReadCall *call)
{
	CallReply *reply = &call->reply;

	reply->resource = call->plan.params->resource->name;
	reply->version = call->plan.params->version;
	if (!reply->ignored)
		reply->ignored = cat_ignored_of_params(call->plan.params);
}

Datum
cat_read_end(ReadCall *call, FunctionCallInfo fcinfo)
{
	cat_read_version_release(call->plan.params);
	cat_read_head(call);
	return cat_call_reply_end(fcinfo, &call->reply);
}
