/*
 * entry.c
 *	  Entry point: the resources that are visible to the caller, and their addresses.
 */
#include "catalogue.h"

#include "executor/spi.h"

#include "base/base.h"
#include "call/call.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "services/entry.h"

PG_FUNCTION_INFO_V1(catalogue_entry);

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
append_resource(StringInfo out, const char *name, const char *base)
{
	cat_json_text_string(out, name);
	appendStringInfoString(out, ":{");
	for (size_t i = 0; i < lengthof(links); i++)
	{
		appendStringInfo(out, "%s\"%s\":\"%s/", i > 0 ? "," : "", links[i].name, base);
		append_path_word(out, name);
		appendStringInfo(out, "%s\"", links[i].path);
	}
	appendStringInfoChar(out, '}');
}

/* Return the names of all resources: List of char *. */
static List *
all_names(void)
{
	List *names = NIL;

	cat_statement_run("SELECT r.resource FROM catalogue.resource r ORDER BY r.resource", 0, NULL,
					  NULL, NULL, false, 0);
	for (uint64 row = 0; row < SPI_processed; row++)
		names = lappend(names, SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1));
	return names;
}

List *
cat_entry_resources(const Actor *actor, bool closed)
{
	List *resources = NIL;

	foreach_ptr(char, name, all_names())
	{
		Resource *resource = cat_registry_find_fit(name); /* NULL: hidden meanwhile */

		if (resource && (closed || !resource->closed[actor->access]) &&
			cat_consumer_may_ask(actor, resource->name))
			resources = lappend(resources, resource);
	}
	return resources;
}

void
cat_entry_refuse_name(const Actor *actor, const char *parameter, const char *name)
{
	List *names = NIL;

	foreach_ptr(Resource, resource, cat_entry_resources(actor, false))
		names = lappend(names, resource->name);
	cat_query_string_refuse(parameter, name, cat_query_string_hint(names, ""));
}

Datum
catalogue_entry(PG_FUNCTION_ARGS)
{
	CallReply reply = {0};
	Actor actor;
	const char *base;

	cat_call_reply_begin();
	base = cat_call_reply_required(fcinfo, 0);
	cat_actor_read(fcinfo, 1, &actor);
	reply.data = makeStringInfo();
	appendStringInfoChar(reply.data, '{');
	foreach_ptr(const Resource, resource, cat_entry_resources(&actor, false))
	{
		if (reply.data->len > 1)
			appendStringInfoChar(reply.data, ',');
		append_resource(reply.data, resource->name, base);
	}
	appendStringInfoChar(reply.data, '}');
	return cat_call_reply_end(fcinfo, &reply);
}
