/*
 * deleted.c
 *	  Deleted records in lists, for callers who may restore them.
 *
 * This applies to the records of the list itself only, not to related records or to records that a
 * filter on a relation looks up.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/base.h"
#include "call/call.h"
#include "query/query.h"
#include "query/query_internal.h"
#include "query/sql_builder.h"
#include "registry/registry.h"

/*
 * Read the parameter "deleted".  Raises OD401 or OD403 if the caller may not restore records of the
 * resource.
 */
void
cat_deleted_read(RequestParams *params, const char *value)
{
	params->deleted_only = pg_strcasecmp(value, "only") == 0;
	if (!params->deleted_only && pg_strcasecmp(value, "with") != 0)
		ereport(ERROR,
				(errcode(OD422), errmsg("invalid value for parameter \"deleted\": \"%s\"", value),
				 errhint("It takes only or with.")));
	params->restorable = cat_permission_restorable(params->actor, params->resource);
	params->deleted = true;
}

bool
cat_deleted_is_asked(const char *query)
{
	char *name;
	char *value;

	while (cat_query_string_next(&query, &name, &value))
		if (strcmp(name, "deleted") == 0)
			return true;
	return false;
}

void
cat_deleted_write(SqlBuilder *query, const RequestParams *params)
{
	if (!params->deleted)
	{
		cat_sql_builder_living(query, params->resource, "t");
		return;
	}
	if (params->deleted_only)
		appendStringInfo(&query->sql, "t.deleted_at IS NOT NULL AND %s", params->restorable);
	else
		appendStringInfo(&query->sql, "(t.deleted_at IS NULL OR %s)", params->restorable);
	cat_visibility_write_conditions(&query->sql, params->resource, "t", query->access);
}
