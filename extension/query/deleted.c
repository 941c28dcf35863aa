/*
 * deleted.c
 *	  Deleted records in lists, for those who may bring them back.
 *
 * Only the records of the list itself are shown so: what is related to them,
 * or looked for by the name of a relation, lives as ever.
 */
#include "catalogue.h"

#include "utils/builtins.h"

/* Read the parameter "deleted": OD401 or OD403 where the caller may bring back no record. */
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

/* Whether a query string has that parameter. */
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

/* Write the condition that a record of the list, t, is to be seen. */
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
	cat_visibility_write_conditions(&query->sql, params->resource, "t", query->sight);
}
