/*
 * moved.c
 *	  The record that a slug or file name led to before the record was renamed.
 */
#include "catalogue.h"

#include "base/base.h"
#include "call/call.h"
#include "call/call_reply.h"

/* Return the statement that finds it, as an access level sees it: $1 the resource, $2 the name. */
static char *
moved_sql(Resource *resource, AccessLevel access)
{
	bool of_files = strcmp(resource->name, "files") == 0;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "SELECT t.id::text FROM catalogue.former_name n JOIN %s t ON t.id = n.id "
					 "WHERE n.resource = $1 AND (n.column_name = 'slug' AND n.name = $2%s) "
					 "AND NOT EXISTS (SELECT FROM %s o WHERE o.deleted_at IS NULL "
					 "AND (o.id = $2 OR o.slug = $2%s)) AND ",
					 resource->table,
					 of_files ? " OR n.column_name = 'file_name' AND n.name = lower($2)" : "",
					 resource->table, of_files ? " OR lower(o.file_name) = lower($2)" : "");
	cat_seen_write(&sql, resource, "t", access);
	appendStringInfoString(&sql, " ORDER BY n.given_up_at DESC, t.id LIMIT 1");
	return sql.data;
}

/*
 * Raise OD308 with {"resource": …, "id": …} as its detail if a visible record was renamed, and no
 * living record bears its former name, else OD404.
 */
CAT_REPLY(catalogue_moved)
{
	Resource *resource = cat_registry_resource(cat_call_reply_required(fcinfo, ARG_MOVED_RESOURCE));
	const char *name = cat_call_reply_required(fcinfo, ARG_MOVED_NAME);
	const Field *slug = cat_registry_column(resource, "slug");
	Actor actor;

	cat_actor_read(fcinfo, ARG_MOVED_ACTOR, &actor);
	cat_visibility_require(resource, actor.access);
	cat_consumer_require(&actor, resource->name);
	if (slug && slug->kind == FIELD_TEXT && cat_visibility_field(slug, actor.access))
	{
		cat_statement_fresh(moved_sql(resource, actor.access), text_param(resource->name),
							text_param(cat_compose_text(name)));
		if (SPI_processed > 0)
			ereport(
				ERROR,
				(errcode(OD308), errmsg("%s \"%s\" has another name", resource->model, name),
				 errdetail_internal("{\"resource\":%s,\"id\":%s}", cat_json_quoted(resource->name),
									cat_json_quoted(cat_result_text(1)))));
	}
	ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", resource->model, name)));
}
