/*
 * describe.c
 *	  Descriptions of resources, and the entry point.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

#include "base/settings.h"
#include "read/read.h"

/* Links of each resource, and their paths relative to the resource's. */
static const struct
{
	const char *name;
	const char *path;
} links[] = {
	{"list", ""},
	{"search", "/search"},
	{"count", "/count"},
	{"describe", ""},
};

/* Append a path segment, percent-encoded; the result needs no escaping in JSON. */
static void
append_path_word(StringInfo out, const char *word)
{
	for (; *word; word++)
		if (isalnum((unsigned char) *word) || strchr("-._~", *word))
			appendStringInfoChar(out, *word);
		else
			appendStringInfo(out, "%%%02X", (unsigned char) *word);
}

static void
append_entry(StringInfo out, const char *name, const char *base)
{
	appendStringInfo(out, "%s:{", cat_json_quoted(name));
	for (size_t i = 0; i < lengthof(links); i++)
	{
		appendStringInfo(out, "%s\"%s\":\"%s/", i > 0 ? "," : "", links[i].name, base);
		append_path_word(out, name);
		appendStringInfo(out, "%s\"", links[i].path);
	}
	appendStringInfoChar(out, '}');
}

CAT_REPLY(catalogue_entry)
{
	Actor actor;
	const char *base;

	base = cat_call_reply_required(fcinfo, ARG_ENTRY_BASE);
	cat_actor_read(fcinfo, ARG_ENTRY_ACTOR, &actor);
	reply->data = makeStringInfo();
	appendStringInfoChar(reply->data, '{');
	foreach_ptr(const Resource, resource, cat_permission_resources(&actor, false))
	{
		if (reply->data->len > 1)
			appendStringInfoChar(reply->data, ',');
		append_entry(reply->data, resource->name, base);
	}
	appendStringInfoChar(reply->data, '}');
}

/*
 * The view that descriptions come from reads many catalogs, which takes 2 ms for a resource, so they
 * are in the page cache.  Changes of tables, types and functions invalidate them; changes of comments
 * cause no invalidation, so that the hash of all comments is a part of the state.
 */
static const char state_sql[] = "SELECT coalesce(sum(hashtextextended(d.description, "
								"d.objoid::bigint * 10000 + d.objsubid)), 0)"
								"::text FROM pg_catalog.pg_description d "
								"WHERE d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass";

/* What of a description is the same for all callers of an access level; $2: it is private, $3: all fields are seen. */
static const char description_sql[] =
	"SELECT concat('{\"resource\":', to_json(r.resource), ',\"model\":', to_json(r.model), "
	"',\"description\":', to_json(coalesce(obj_description(r.relation, 'pg_class'), '')), "
	"',\"fields\":', coalesce((SELECT json_object_agg(d.field, d.facts ORDER BY d.position) "
	"FROM catalogue.description d WHERE d.resource = r.resource AND NOT $2 AND ($3 OR NOT "
	"d.internal)), "
	"'{}')), coalesce(catalogue.parameters(r.resource, NULL), '{}') "
	"FROM catalogue.resource r WHERE r.resource = $1";

/* The parameters of paths of no resource. */
static const char path_parameters_sql[] = "SELECT catalogue.parameters(NULL, $1)";

/* Return the only value of a statement, of what is committed now. */
static char *
only_text(const char *sql, const char *resource)
{
	PushActiveSnapshot(GetLatestSnapshot());
	cat_statement_read(sql, text_param(resource));
	PopActiveSnapshot();
	return cat_result_text(1);
}

/* Return the state of all descriptions. */
static char *
state_now(void)
{
	uint64 invalidation = cat_invalidation_last(INVALIDATION_READS);

	return psprintf(UINT64_FORMAT " %s", invalidation, only_text(state_sql, NULL));
}

/* Return the description of a resource up to its fields (data), and its parameters (meta). */
static CallReply
description_of(const Resource *resource, const Actor *actor, char *state)
{
	bool all = actor->access != ACCESS_OUTSIDER;
	bool private = cat_visibility_is_private(resource, actor->access);
	PageCacheKey key = cat_page_cache_key_of(
		psprintf("description %u %s %d %d", GetUserId(), resource->name, private, all), state);
	CallReply reply = {0};

	if (cat_page_cache_get(&key, &reply))
		return reply;
	PushActiveSnapshot(GetLatestSnapshot());
	cat_statement_read(description_sql, text_param(resource->name), bool_param(private),
					   bool_param(all));
	PopActiveSnapshot();
	cat_call_reply_format(&reply, "%s", cat_result_text(1));
	reply.meta = cat_result_text(2);
	cat_page_cache_put(&key, &reply);
	return reply;
}

static void
append_words(StringInfo out, const char *name, List *words)
{
	appendStringInfo(out, ",\"%s\":%s", name, cat_json_array(words));
}

/* Return the names of the relations that the actor sees. */
static List *
relations_of(const Resource *resource, const Actor *actor)
{
	bool private = cat_visibility_is_private(resource, actor->access);
	List *names = NIL;

	for (int i = 0; i < resource->nrelations && !private; i++)
		if (cat_visibility_relation(&resource->relations[i], actor->access))
			names = lappend(names, resource->relations[i].name);
	return names;
}

/* Return the actions that the actor may perform; id: on this record, NULL for any. */
static List *
allowed_actions(const Resource *resource, const Actor *actor, const char *id)
{
	bool changes = !id || cat_consumer_may_change(actor, resource, id);
	List *allowed = NIL;

	foreach_ptr(char, action, resource->actions)
	{
		bool of_record = id && strcmp(action, "create") != 0;

		if (of_record ? (changes || cat_permission_is_reading(action)) &&
							cat_permission_reaches(actor, resource, action, id)
					  : cat_permission_decides(actor, resource, action))
			allowed = lappend(allowed, action);
	}
	return allowed;
}

/*
 * Return the names of fields and relations that the actor may write, if he may perform the action
 * at all.
 */
static List *
written(const Resource *resource, const Actor *actor, const char *action)
{
	List *names = NIL;
	bool creating = strcmp(action, "create") == 0;

	if (resource->read_only || !cat_permission_decides(actor, resource, action))
		return NIL;
	for (int i = 0; i < resource->nfields; i++)
		if (cat_permission_writes(actor, resource, &resource->fields[i], creating))
			names = lappend(names, resource->fields[i].name);
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].kind == RELATION_MANY_TO_MANY && resource->relations[i].owned)
			names = lappend(names, resource->relations[i].name);
	return names;
}

/* Describe a path that belongs to no resource; false if the word is no such path. */
static bool
describe_path(StringInfo data, const char *word)
{
	const char *parameters = cat_registry_find(word) ? NULL : only_text(path_parameters_sql, word);

	if (parameters)
		appendStringInfo(data, "{\"parameters\":%s}", parameters);
	return parameters != NULL;
}

/* Append the description of a resource; id: of the record that actions would be on, NULL for any. */
static void
append_resource(StringInfo data, const Resource *resource, const Actor *actor, const char *id,
				char *state)
{
	CallReply description = description_of(resource, actor, state);

	appendBinaryStringInfo(data, description.data->data, description.data->len);
	append_words(data, "relations", relations_of(resource, actor));
	append_words(data, "actions", resource->actions);
	append_words(data, "refused", cat_registry_actions_refused(resource));
	append_words(data, "allowed", allowed_actions(resource, actor, id));
	append_words(data, "create", written(resource, actor, "create"));
	append_words(data, "update", written(resource, actor, "update"));
	if (strcmp(resource->name, "files") == 0)
		appendStringInfo(data, ",\"uploadLimit\":" INT64_FORMAT, (int64) cat_upload_limit * 1024);
	/* functions that take each field as a filter */
	appendStringInfo(data,
					 ",\"parameters\":%s,\"filtering\":[\"list\",\"first\",\"last\",\"count\"]}",
					 description.meta);
}

CAT_REPLY(catalogue_describe)
{
	Actor actor;
	Resource *resource;

	reply->data = makeStringInfo();
	if (describe_path(reply->data, cat_call_reply_required(fcinfo, ARG_DESCRIBE_RESOURCE)))
		return;
	resource = cat_call_reply_resource(fcinfo, ARG_DESCRIBE_RESOURCE);
	cat_actor_read(fcinfo, ARG_DESCRIBE_ACTOR, &actor);
	reply->id = PG_ARGISNULL(ARG_DESCRIBE_ID)
					? NULL
					: cat_record_named_id(
						  resource, cat_call_reply_argument(fcinfo, ARG_DESCRIBE_ID), actor.access);
	append_resource(reply->data, resource, &actor, reply->id, state_now());
	reply->resource = resource->name;
}

CAT_REPLY(catalogue_describe_all)
{
	Actor actor;
	const char *separator = "";
	char *descriptions;
	uint64 state;

	cat_actor_read(fcinfo, ARG_DESCRIBE_ALL_ACTOR, &actor);
	descriptions = state_now();
	reply->data = makeStringInfo();
	appendStringInfoString(reply->data, "{\"resources\":{");
	foreach_ptr(const Resource, resource, cat_permission_resources(&actor, true))
	{
		if (cat_visibility_is_private(resource, actor.access) &&
			allowed_actions(resource, &actor, NULL) == NIL)
			continue;
		appendStringInfo(reply->data, "%s%s:", separator, cat_json_quoted(resource->name));
		separator = ",";
		append_resource(reply->data, resource, &actor, NULL, descriptions);
	}
	appendStringInfo(reply->data, "},\"parameters\":%s}", only_text(path_parameters_sql, NULL));
	reply->resource = "resources";
	state = hash_bytes_extended((const unsigned char *) reply->data->data, reply->data->len, 0);
	reply->etag = psprintf("%08x%08x", (uint32) (state >> 32), (uint32) state);
}

CAT_FUNCTION(catalogue_path_of_model)
{
	char *path;

	cat_owner_call_begin();
	path = cat_registry_plural(text_to_cstring(PG_GETARG_TEXT_PP(ARG_PATH_OF_MODEL_MODEL)));
	if (path)
		path = MemoryContextStrdup(fcinfo->flinfo->fn_mcxt, path);
	cat_owner_call_end();
	if (!path)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(path));
}
