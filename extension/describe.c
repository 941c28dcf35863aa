/*
 * describe.c
 *	  What a resource is: its fields, relations and actions.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(catalogue_describe);

/* Fields as JSON; descriptions are read here since nothing tells the cache of their change. */
static const char fields_sql[] =
	"SELECT coalesce(json_object_agg(d.field, d.facts ORDER BY d.position), '{}')::text "
	"FROM catalogue.description d WHERE d.resource = $1";

static const char about_sql[] = "SELECT coalesce(obj_description($1, 'pg_class'), '')";

static char *
only_text(const char *sql, Oid type, Datum value)
{
	plan_run(sql, 1, &type, &value, NULL, false, 1);
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

static void
append_words(StringInfo out, const char *name, List *words)
{
	ListCell *cell;

	appendStringInfo(out, ",\"%s\":[", name);
	foreach(cell, words)
	{
		if (foreach_current_index(cell) > 0)
			appendStringInfoChar(out, ',');
		json_string(out, lfirst(cell));
	}
	appendStringInfoChar(out, ']');
}

Datum
catalogue_describe(PG_FUNCTION_ARGS)
{
	Actor actor;
	Resource *resource;
	Reply reply = {0};
	StringInfo data;

	reply_begin();
	data = makeStringInfo();
	resource = registry_resource(reply_argument(fcinfo, 0));
	actor_read(fcinfo, 1, &actor);
	appendStringInfoString(data, "{\"resource\":");
	json_string(data, resource->name);
	appendStringInfoString(data, ",\"model\":");
	json_string(data, resource->model);
	appendStringInfoString(data, ",\"description\":");
	json_string(data, only_text(about_sql, OIDOID, ObjectIdGetDatum(resource->relid)));
	appendStringInfo(data, ",\"fields\":%s",
					 only_text(fields_sql, TEXTOID, CStringGetTextDatum(resource->name)));
	append_words(data, "relations", words_split(resource->relation_names, ','));
	append_words(data, "actions", resource->actions);
	appendStringInfoChar(data, '}');
	reply.resource = resource->name;
	reply.data = data;
	return reply_end(fcinfo, &reply);
}
