/*
 * list_source.c
 *	  FROM and WHERE of a list.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "utils/syscache.h"

#include "read/list_internal.h"

double
cat_list_source_table_rows(const Resource *resource)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(resource->relid));
	double rows = 0;

	if (HeapTupleIsValid(tuple))
	{
		rows = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
		ReleaseSysCache(tuple);
	}
	return rows;
}

/* Append the condition that a relation leads from its owner to a record of the list. */
static void
write_related(SqlBuilder *query, const ReadPlan *plan)
{
	CatRelation *relation = plan->source.relation;
	const char *owner = cat_sql_builder_param(query, plan->source.owner);

	if (relation->kind == RELATION_ONE_TO_MANY)
		appendStringInfo(&query->sql, " AND t.%s = %s", relation->near, owner);
	else
		appendStringInfo(&query->sql,
						 " AND EXISTS (SELECT FROM %s j WHERE j.%s = %s AND j.%s = t.id AND %s)",
						 cat_history_sql_via(query, relation, relation->owned ? NULL : "t"),
						 relation->near, owner, relation->far,
						 plan->params->deleted ? "j.deleted_at IS NOT DISTINCT FROM t.deleted_at"
											   : "j.deleted_at IS NULL");
}

void
cat_list_source_table_write(SqlBuilder *query, const ReadPlan *plan, const char *sampling)
{
	Resource *resource = plan->params->resource;

	appendStringInfo(&query->sql, " FROM %s t%s", cat_history_sql_part_table(query, resource),
					 sampling);
	if (query->by_update)
		appendStringInfo(&query->sql,
						 " JOIN catalogue.update_order u ON u.resource = %s AND u.id = t.id",
						 quote_literal_cstr(resource->name));
	appendStringInfoString(&query->sql, " WHERE ");
	cat_filter_deleted_write(query, plan->params);
	if (plan->source.relation)
		write_related(query, plan);
	cat_filter_write(query, plan->params, "t");
	appendStringInfoString(&query->sql, cat_history_sql_part_condition(query, resource));
}

void
cat_list_source_part_write(SqlBuilder *query, const ReadPlan *plan)
{
	ListIndex chosen;

	if (query->part == HISTORY_ALL && query->indexed &&
		cat_list_index_narrows(plan, query->rank, &chosen))
	{
		query->indexed = false;
		cat_list_index_write(query, plan->params, &chosen, NULL);
		return;
	}
	cat_list_source_table_write(query, plan, "");
}

void
cat_list_source_parts_write(SqlBuilder *query, const ReadPlan *plan,
							void (*write)(SqlBuilder *query, const ReadPlan *plan, const void *arg),
							const void *arg)
{
	const char *separator = " FROM ((";

	for (query->part = HISTORY_UNCHANGED; query->part <= HISTORY_CHANGED; query->part++)
	{
		appendStringInfoString(&query->sql, separator);
		write(query, plan, arg);
		separator = ") UNION ALL (";
	}
	query->part = HISTORY_ALL;
	appendStringInfoString(&query->sql, ")) t");
}

/* Append the statement that reads all records of a part. */
static void
write_part(SqlBuilder *query, const ReadPlan *plan, const void *arg)
{
	appendStringInfo(&query->sql, "SELECT %s",
					 cat_history_sql_part_columns(query, plan->params->resource));
	cat_list_source_part_write(query, plan);
}

void
cat_list_source_write(SqlBuilder *query, const ReadPlan *plan)
{
	if (cat_history_sql_is_read(query, plan->params->resource))
		cat_list_source_parts_write(query, plan, write_part, NULL);
	else
		cat_list_source_part_write(query, plan);
}
