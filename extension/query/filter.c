/*
 * filter.c
 *	  SQL conditions of a list.
 *
 * A filter on a related record is evaluated in two steps if possible: first the ids of the records
 * at the end of its path are looked up, usually a few in a small table; then the list is restricted
 * to records that refer to them.  The planner thus knows the values, and the list's statement needs
 * no join.
 */
#include "catalogue.h"

#include <math.h>

#include "nodes/parsenodes.h"

#include "query/query_internal.h"
#include "query/search_internal.h"

/*
 * ---- Deleted records in lists, for callers who may restore them ----
 *
 * Deleted records are shown as records of the list itself only, not to related records or to records that a
 * filter on a relation looks up.
 */

/*
 * Read the parameter "deleted".  Raises OD401 or OD403 if the caller may not restore records of the
 * resource.
 */
void
cat_filter_deleted_read(RequestParams *params, const char *value)
{
	params->deleted_only = pg_strcasecmp(value, "only") == 0;
	if (!params->deleted_only && pg_strcasecmp(value, "with") != 0)
		ereport(ERROR,
				(errcode(OD422), errmsg("invalid value for parameter \"deleted\": \"%s\"", value),
				 errhint("It takes only or with.")));
	params->restorable = cat_permission_restorable(params->actor, params->resource);
	params->deleted = true;
}

void
cat_filter_deleted_write(SqlBuilder *query, const RequestParams *params)
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
	cat_seen_write_conditions(&query->sql, params->resource, "t", query->access);
}

/*
 * Maximum number of related records that are looked up first; with more, the list's statement
 * searches for them itself.
 */
#define FOUND_MAX 1000

static void write_step(SqlBuilder *query, Resource *resource, const Filter *filter, int from,
					   Match match, const char *alias);

/*
 * Make a filter for a path that leads to a field or ends with a relation.
 *
 * The path is modified: for a to-many relation at its end, the ids of the related records are
 * compared, and null means that there are none.
 */
Filter *
cat_filter_make(Resource *resource, List *path, Comparison comparison, List *values)
{
	Filter *filter = palloc0(sizeof(Filter));
	ListCell *cell;

	filter->path = path;
	filter->comparison = comparison;
	filter->values = values;
	filter->related = list_length(path) > 1;
	filter->required = filter->related || comparison != COMPARE_EQUAL;
	foreach(cell, path)
	{
		CatRelation *relation = cat_registry_relation(resource, lfirst(cell));

		if (!relation || (!lnext(path, cell) && relation->kind == RELATION_TO_ONE))
			return filter;
		resource = cat_registry_resource(relation->target);
	}
	filter->path = lappend(path, pstrdup("id"));
	if (!cat_comparison_is_range(comparison))
	{
		filter->values = list_delete_ptr(list_copy(values), NULL);
		filter->none = list_length(filter->values) < list_length(values);
	}
	return filter;
}

bool
cat_filter_takes_box(const Resource *resource)
{
	return strcmp(resource->name, "datasets") == 0;
}

/* Make the filter of the parameter "bbox". */
Filter *
cat_filter_make_box(Resource *resource, const char *value)
{
	Bounds *box = palloc(sizeof(Bounds));
	Filter *filter = cat_filter_make(resource, list_make1(pstrdup("bbox")), COMPARE_EQUAL,
									 list_make1(pstrdup(value)));

	*box = cat_bounds_read(value);
	filter->name = "bbox";
	filter->required = true;
	filter->box = box;
	return filter;
}

/*
 * Append the start of an EXISTS sub-query over the records of a relation, under the alias "inner".
 */
static void
write_exists(SqlBuilder *query, CatRelation *relation, const char *inner, const char *alias)
{
	Resource *target = cat_registry_resource(relation->target);

	if (relation->kind == RELATION_MANY_TO_MANY)
		appendStringInfo(&query->sql,
						 "EXISTS (SELECT FROM %s j%s JOIN %s %s ON %s.id = j%s.%s "
						 "WHERE j%s.%s = %s.id AND j%s.deleted_at IS NULL AND ",
						 cat_history_sql_via(query, relation, relation->owned ? alias : NULL),
						 inner, cat_history_sql_table(query, target), inner, inner, inner,
						 relation->far, inner, relation->near, alias, inner);
	else
		appendStringInfo(&query->sql, "EXISTS (SELECT FROM %s %s WHERE %s.%s = %s.%s AND ",
						 cat_history_sql_table(query, target), inner, inner,
						 relation->kind == RELATION_TO_ONE ? "id" : relation->near, alias,
						 relation->kind == RELATION_TO_ONE ? relation->near : "id");
	cat_sql_builder_living(query, target, inner);
}

/* Append the condition that a relation leads to one of the records that were looked up. */
static void
write_leads_to(SqlBuilder *query, CatRelation *relation, const Filter *filter, const char *alias)
{
	char *inner = psprintf("x%d", ++query->aliases);
	const char *ids;

	if (filter->nids == 0)
	{
		appendStringInfoString(&query->sql, "false");
		return;
	}
	/* an index in the order of creation serves one value only */
	if (relation->kind == RELATION_TO_ONE && filter->nids == 1)
	{
		appendStringInfo(&query->sql, "%s.%s = %s", alias, relation->near,
						 cat_sql_builder_value(query, TEXTOID, filter->ids[0]));
		return;
	}
	ids =
		cat_sql_builder_value(query, TEXTARRAYOID, cat_text_array_make(filter->ids, filter->nids));
	if (relation->kind == RELATION_TO_ONE)
		appendStringInfo(&query->sql, "%s.%s = ANY (%s)", alias, relation->near, ids);
	else if (relation->kind == RELATION_ONE_TO_MANY)
		appendStringInfo(&query->sql,
						 "EXISTS (SELECT FROM %s %s WHERE %s.%s = %s.id AND %s.id = ANY (%s))",
						 cat_history_sql_table(query, cat_registry_resource(relation->target)),
						 inner, inner, relation->near, alias, inner, ids);
	else
		appendStringInfo(&query->sql,
						 "EXISTS (SELECT FROM %s %s WHERE %s.%s = %s.id AND %s.%s = ANY (%s) "
						 "AND %s.deleted_at IS NULL)",
						 cat_history_sql_via(query, relation, relation->owned ? alias : NULL),
						 inner, inner, relation->near, alias, inner, relation->far, ids, inner);
}

/* Append the condition that a related record meets the rest of the path. */
static void
write_related(SqlBuilder *query, CatRelation *relation, const Filter *filter, int from, Match match,
			  const char *alias)
{
	char *inner;

	if (filter->found_at == from + 1)
	{
		write_leads_to(query, relation, filter, alias);
		return;
	}
	inner = psprintf("x%d", ++query->aliases);
	write_exists(query, relation, inner, alias);
	appendStringInfoString(&query->sql, " AND ");
	write_step(query, cat_registry_resource(relation->target), filter, from + 1, match, inner);
	appendStringInfoChar(&query->sql, ')');
}

/* Append the condition that there is no related record, or one that meets the rest of the path. */
static void
write_none_or(SqlBuilder *query, CatRelation *relation, const Filter *filter, int from, Match match,
			  const char *alias)
{
	appendStringInfoString(&query->sql, "(NOT ");
	write_exists(query, relation, psprintf("x%d", ++query->aliases), alias);
	appendStringInfoChar(&query->sql, ')');
	if (filter->values != NIL)
	{
		appendStringInfoString(&query->sql, " OR ");
		write_related(query, relation, filter, from, match, alias);
	}
	appendStringInfoChar(&query->sql, ')');
}

/*
 * Append the condition of a filter's path, from its name number "from" on, on the record of an
 * alias.
 */
static void
write_step(SqlBuilder *query, Resource *resource, const Filter *filter, int from, Match match,
		   const char *alias)
{
	const char *name = list_nth(filter->path, from);
	int left = list_length(filter->path) - from;
	Field *field;

	if (left == 2 && filter->none)
		write_none_or(query, cat_registry_relation(resource, name), filter, from, match, alias);
	else if (left > 1)
		write_related(query, cat_registry_relation(resource, name), filter, from, match, alias);
	else
	{
		field = cat_registry_field(resource, name);
		if (query->indexed && cat_filter_value_is_served(field, filter))
			cat_search_narrow(query, resource, alias, filter->values, match);
		cat_filter_value_write(query, field, cat_sql_builder_column(resource, field, alias), filter,
							   filter->comparison == COMPARE_EXACT ? MATCH_EXACT : match);
	}
}

/* Append the condition that a place p is in a rectangle that does not cross the antimeridian. */
static void
write_place(SqlBuilder *query, double west, double south, double east, double north)
{
	const char *value =
		psprintf("(%.15g,%.15g),(%.15g,%.15g)", west, Max(south, -90), east, Min(north, 90));

	appendStringInfo(&query->sql, "p.box && %s::pg_catalog.box",
					 cat_sql_builder_param(query, value));
}

/* Append the statement that reads the datasets with a place in a rectangle, as it is now. */
static void
write_places(SqlBuilder *query, const Bounds *box)
{
	double west = remainder(box->west, 360);
	double width = box->east - box->west + (box->east < box->west ? 360 : 0);

	appendStringInfoString(&query->sql,
						   "SELECT p.dataset::text FROM catalogue.dataset_place p WHERE ");
	if (!(width >= 0 && width < 360))
		write_place(query, -180, box->south, 180, box->north);
	else
		write_place(query, west, box->south, Min(west + width, 180), box->north);
	if (west + width > 180 && width < 360)
	{
		appendStringInfoString(&query->sql, " OR ");
		write_place(query, -180, box->south, west + width - 360, box->north);
	}
}

/* Append the condition that a dataset has a place in a rectangle. */
static void
write_box(SqlBuilder *query, const Filter *filter, const char *alias)
{
	if (filter->found_at)
	{
		appendStringInfo(&query->sql, "%s.id = ANY (%s)", alias,
						 cat_sql_builder_value(query, TEXTARRAYOID,
											   cat_text_array_make(filter->ids, filter->nids)));
		return;
	}
	appendStringInfo(&query->sql, "%s.id IN (", alias);
	write_places(query, filter->box);
	appendStringInfoChar(&query->sql, ')');
}

/* Return the resource that the name number "at" of a filter's path belongs to. */
static Resource *
resource_at(Resource *resource, const Filter *filter, int at)
{
	for (int i = 0; i < at; i++)
		resource = cat_registry_resource(
			cat_registry_relation(resource, list_nth(filter->path, i))->target);
	return resource;
}

/* Run the statement that looks up records for a filter, unless it finds more than FOUND_MAX. */
static void
find(SqlBuilder *query, Filter *filter, int at)
{
	appendStringInfo(&query->sql, " LIMIT %d", FOUND_MAX + 1);
	cat_sql_builder_run(query);
	if (SPI_processed > FOUND_MAX)
		return;

	filter->found_at = at;
	filter->nids = (int) SPI_processed;
	filter->ids = palloc(sizeof(Datum) * (filter->nids + 1));
	for (int i = 0; i < filter->nids; i++)
	{
		bool isnull;

		filter->ids[i] = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);
	}
}

/* Look up the records that the name number "at" of a filter's path belongs to. */
static void
find_at(const RequestParams *params, Filter *filter, int at)
{
	SqlBuilder query;
	Resource *target = resource_at(params->resource, filter, at);

	cat_sql_builder_begin(&query, params->access, params->then);
	appendStringInfo(&query.sql, "SELECT x.id::text FROM %s x WHERE ",
					 cat_history_sql_table(&query, target));
	cat_sql_builder_living(&query, target, "x");
	appendStringInfoString(&query.sql, " AND ");
	write_step(&query, target, filter, at, params->match, "x");
	find(&query, filter, at);
}

/* Look up the datasets with a place in the rectangle of a filter. */
static void
find_places(const RequestParams *params, Filter *filter)
{
	SqlBuilder query;

	cat_sql_builder_begin(&query, params->access, 0);
	write_places(&query, filter->box);
	find(&query, filter, 1);
}

void
cat_filter_look_up(const RequestParams *params, Filter *filter)
{
	if (filter->looked_up || filter->values == NIL)
		return;
	filter->looked_up = true;
	if (filter->box)
		find_places(params, filter);
	for (int at = list_length(filter->path) - 1; at > 0; at--)
		find_at(params, filter, at);
}

static void
write_filter(SqlBuilder *query, const RequestParams *params, Filter *filter, const char *alias)
{
	bool negated = filter->comparison == COMPARE_NOT_EQUAL;

	cat_filter_look_up(params, filter);
	if (negated)
		appendStringInfoChar(&query->sql, '(');
	if (filter->box)
		write_box(query, filter, alias);
	else
		write_step(query, params->resource, filter, 0, params->match, alias);
	if (negated)
		appendStringInfoString(&query->sql, ") IS NOT TRUE");
}

bool
cat_filter_is_whitelisted(const RequestParams *params)
{
	return params->window > 0 && strcmp(params->resource->name, "logs") == 0;
}

/*
 * Append the condition that a log record is of an action that the setting logWhitelist lists.  All
 * are, if the setting is missing or has no value.
 */
static void
write_whitelist(SqlBuilder *query, const char *alias)
{
	const char *configs = cat_history_sql_table(query, cat_registry_resource("configs"));

	appendStringInfo(&query->sql,
					 " AND %s.action::text IN (SELECT pg_catalog.btrim(a.action) FROM "
					 "(SELECT pg_catalog.min(c.value) AS value FROM %s c "
					 "WHERE c.key = 'logWhitelist' AND c.deleted_at IS NULL) w, "
					 "pg_catalog.regexp_split_to_table(coalesce(nullif(w.value, ''), "
					 "'create,update,delete'), ',') a(action))",
					 alias, configs);
}

/* Append the condition that a record is among the newest visible ones. */
static void
write_window(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	char *inner = psprintf("x%d", ++query->aliases);

	appendStringInfo(&query->sql, " AND %s.id IN (SELECT %s.id FROM %s %s WHERE ", alias, inner,
					 cat_history_sql_table(query, params->resource), inner);
	if (params->deleted)
		appendStringInfoString(&query->sql, "true");
	else
		cat_sql_builder_living(query, params->resource, inner);
	if (cat_filter_is_whitelisted(params))
		write_whitelist(query, inner);
	/* a literal, like the limit of a page */
	appendStringInfo(&query->sql, " ORDER BY %s.created_at DESC, %s.id DESC LIMIT %d)", inner,
					 inner, params->window);
}

void
cat_filter_write(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	int own = 0;

	if (params->filters != NIL)
		query->plan = CURSOR_OPT_CUSTOM_PLAN;
	foreach_ptr(Filter, filter, params->filters)
	{
		if (filter->required || filter == query->met)
			continue;
		appendStringInfoString(&query->sql, own++ == 0 ? " AND (" : params->all ? " AND " : " OR ");
		write_filter(query, params, filter, alias);
	}
	if (own > 0)
		appendStringInfoChar(&query->sql, ')');
	foreach_ptr(Filter, filter, params->filters)
	{
		if (!filter->required || filter == query->met)
			continue;
		appendStringInfoString(&query->sql, " AND ");
		write_filter(query, params, filter, alias);
	}
	if (params->window > 0)
		write_window(query, params, alias);
	cat_search_write(query, params, alias);
}
