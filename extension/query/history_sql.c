/*
 * history_sql.c
 *	  Sources of a statement's records: the tables, or their states at an earlier instant.
 *
 * The state of a record at an instant is the first one that ended later; the present one has no
 * end.  A statement that finds records by their ids looks up the states of each.  One that has
 * conditions on the states reads those of all records that have changed since, and the others by the
 * indexes of the table: two parts, whose conditions are written for each.
 */
#include "catalogue.h"

#include "query/query_internal.h"

/* Return the placeholder of the statement's instant. */
static const char *
then_param(SqlBuilder *query)
{
	return cat_sql_builder_value(query, TIMESTAMPTZOID, TimestampTzGetDatum(query->then));
}

const char *
cat_history_sql_past(SqlBuilder *query, Resource *resource)
{
	bool found = false;

	foreach_ptr(Resource, entry, query->earlier)
		found |= strcmp(entry->name, resource->name) == 0;
	if (!found)
		query->earlier = lappend(query->earlier, resource);
	return pstrdup(quote_identifier(psprintf("past %s", resource->name)));
}

/* Return the relation that is shown in a field as a list of ids, or NULL. */
static const CatRelation *
relation_of_list(const Resource *resource, const Field *field)
{
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].list == field)
			return &resource->relations[i];
	return NULL;
}

/* Return SQL for all fields of a row of the resource's table or, if past, of its history. */
static char *
columns_of(const Resource *resource, const char *alias, bool past)
{
	StringInfo columns = makeStringInfo();

	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		appendStringInfoString(columns, i > 0 ? ", " : "");
		if (past && field->history_attno == 0)
			appendStringInfo(columns, "NULL::%s AS %s", format_type_be(field->base_oid),
							 field->quoted);
		else
			appendStringInfo(columns, "%s.%s", alias, field->quoted);
	}
	return columns->data;
}

/* Append a list of ids, in an earlier state restricted to records visible at the access level. */
static void
write_list(StringInfo sql, const CatRelation *relation, const char *alias, AccessLevel access)
{
	const char *list = relation->list->quoted;
	Resource *target = cat_registry_resource(relation->target);

	appendStringInfo(sql,
					 "CASE WHEN %s.until = 'infinity' THEN %s.%s ELSE ARRAY("
					 "SELECT l.id FROM unnest(%s.%s) WITH ORDINALITY l(id, n) "
					 "WHERE EXISTS (SELECT FROM %s linked WHERE linked.id = l.id AND ",
					 alias, alias, list, alias, list, target->table);
	cat_seen_write(sql, target, "linked", access);
	appendStringInfo(sql, ") ORDER BY l.n) END AS %s", list);
}

/* Return SQL for all fields of a state as the access level sees them. */
static char *
shown_columns(const Resource *resource, const char *alias, AccessLevel access)
{
	StringInfoData columns;

	if (access != ACCESS_OUTSIDER)
		return columns_of(resource, alias, false);
	initStringInfo(&columns);
	for (int i = 0; i < resource->nfields; i++)
	{
		const CatRelation *relation = relation_of_list(resource, &resource->fields[i]);

		appendStringInfoString(&columns, i > 0 ? ", " : "");
		if (relation)
			write_list(&columns, relation, alias, access);
		else
			appendStringInfo(&columns, "%s.%s", alias, resource->fields[i].quoted);
	}
	return columns.data;
}

bool
cat_history_sql_is_read(const SqlBuilder *query, const Resource *resource)
{
	return query->then && resource->history_table;
}

const char *
cat_history_sql_part_columns(const SqlBuilder *query, const Resource *resource)
{
	return query->part == HISTORY_CHANGED ? shown_columns(resource, "t", query->access)
										  : columns_of(resource, "t", false);
}

const char *
cat_history_sql_part_table(SqlBuilder *query, Resource *resource)
{
	return query->part == HISTORY_CHANGED ? cat_history_sql_past(query, resource) : resource->table;
}

/* NOT IN gets a hashed subplan, so a wrong row estimate cannot lead to a nested loop. */
const char *
cat_history_sql_part_condition(SqlBuilder *query, Resource *resource)
{
	StringInfo sql = makeStringInfo();

	if (query->part == HISTORY_UNCHANGED)
		appendStringInfo(sql, " AND t.id NOT IN (SELECT p.id FROM %s p)",
						 cat_history_sql_past(query, resource));
	if (query->part == HISTORY_UNCHANGED && resource->change)
		appendStringInfo(sql,
						 " AND NOT EXISTS (SELECT FROM catalogue.change c WHERE c.number = t.%s "
						 "AND c.at > %s)",
						 resource->change->quoted, then_param(query));
	if (query->part == HISTORY_CHANGED)
	{
		appendStringInfoString(sql, " AND t.created_at IS NOT NULL");
		cat_seen_write_past(sql, resource, "t", query->access);
	}
	return sql->data;
}

const char *
cat_history_sql_table(SqlBuilder *query, Resource *resource)
{
	HistoryPart part = query->part;
	StringInfo sql;

	if (!cat_history_sql_is_read(query, resource))
		return resource->table;
	sql = makeStringInfo();
	for (query->part = HISTORY_UNCHANGED; query->part <= HISTORY_CHANGED; query->part++)
		appendStringInfo(sql, "%sSELECT %s FROM %s t WHERE true%s", sql->len ? " UNION ALL " : "(",
						 cat_history_sql_part_columns(query, resource),
						 cat_history_sql_part_table(query, resource),
						 cat_history_sql_part_condition(query, resource));
	query->part = part;
	appendStringInfoChar(sql, ')');
	return sql->data;
}

/*
 * Return a subquery for the states of a record before each of its changes; "until" is the instant
 * of the change, null if that has been purged.  Of a record that did not exist all else is null.
 *
 * id: SQL of the record's id.
 */
static char *
states_of(const Resource *resource, const char *id)
{
	const char *columns = columns_of(resource, "h", true);
	StringInfo sql = makeStringInfo();

	appendStringInfo(sql,
					 "SELECT %s, (SELECT c.at FROM catalogue.change c "
					 "WHERE c.number = h.change_number) AS until FROM %s h WHERE h.id = %s",
					 columns, resource->history_table, id);
	/* the creation of an append-only record is not in the history */
	if (resource->change)
		appendStringInfo(sql,
						 " UNION ALL SELECT %s, c.at FROM %s r JOIN catalogue.change c "
						 "ON c.number = r.%s LEFT JOIN %s h ON false WHERE r.id = %s",
						 columns, resource->table, resource->change->quoted,
						 resource->history_table, id);
	return sql->data;
}

void
cat_history_sql_states(SqlBuilder *query, const Resource *resource, const char *id)
{
	appendStringInfo(&query->sql, "SELECT %s, s.until FROM (%s) s WHERE s.until > %s",
					 shown_columns(resource, "s", query->access),
					 states_of(resource, cat_sql_builder_param(query, id)), then_param(query));
	if (query->access != ACCESS_OUTSIDER)
		cat_seen_write_past(&query->sql, resource, "s", query->access);
	appendStringInfoString(&query->sql, " ORDER BY s.until");
}

/*
 * Return the FROM item for a single record, which the statement finds by its id.
 *
 * id: SQL of the record's id.
 */
const char *
cat_history_sql_record(SqlBuilder *query, const Resource *resource, const char *id)
{
	StringInfoData sql;

	if (!cat_history_sql_is_read(query, resource))
		return resource->table;
	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "(SELECT %s FROM (SELECT * FROM (SELECT %s, timestamptz 'infinity' AS until "
					 "FROM %s r WHERE r.id = %s UNION ALL %s) s WHERE s.until > %s "
					 "ORDER BY s.until LIMIT 1) s WHERE s.created_at IS NOT NULL",
					 shown_columns(resource, "s", query->access), columns_of(resource, "r", false),
					 resource->table, id, states_of(resource, id), then_param(query));
	cat_seen_write_past(&sql, resource, "s", query->access);
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

void
cat_history_sql_in_order(SqlBuilder *query, const Resource *resource)
{
	StringInfo sql = &query->sql;

	appendStringInfo(sql,
					 " FROM (SELECT r.created_at, r.id::text, r.deleted_at, true AS ended, "
					 "NULL::bigint AS number FROM %s r",
					 resource->table);
	/* outsiders no longer see deleted records */
	if (query->access != ACCESS_OUTSIDER)
		appendStringInfo(sql,
						 " UNION ALL SELECT h.created_at, h.id, h.deleted_at, h.change_ended, "
						 "h.change_number FROM %s h",
						 resource->history_table);
	/* a record may have been restored since, or deleted several times */
	appendStringInfo(sql,
					 ") k CROSS JOIN LATERAL %s t WHERE k.ended AND k.deleted_at IS NULL "
					 "AND (k.number IS NULL OR "
					 "(SELECT r.deleted_at IS NOT NULL FROM %s r WHERE r.id = k.id) "
					 "AND k.number = (SELECT max(h.change_number) FROM %s h "
					 "WHERE h.created_at = k.created_at AND h.id = k.id AND h.change_ended "
					 "AND h.deleted_at IS NULL)) AND ",
					 cat_history_sql_record(query, resource, "k.id"), resource->table,
					 resource->history_table);
	cat_sql_builder_living(query, resource, "t");
}

const CatRelation *
cat_history_sql_keeping(const CatRelation *relation)
{
	const Resource *target;

	if (relation->owned)
		return relation->list && relation->list->history_attno != 0 ? relation : NULL;
	target = cat_registry_resource(relation->target);
	for (int i = 0; i < target->nrelations; i++)
	{
		const CatRelation *other = &target->relations[i];

		if (other->list && other->list->history_attno != 0 &&
			strcmp(other->via, relation->via) == 0)
			return other;
	}
	return NULL;
}

const char *
cat_history_sql_via(SqlBuilder *query, CatRelation *relation, const char *holder)
{
	const CatRelation *keeping = query->then ? cat_history_sql_keeping(relation) : NULL;
	HistoryPart part = holder && strcmp(holder, "t") == 0 ? query->part : HISTORY_ALL;
	const char *past;

	if (!keeping || part == HISTORY_UNCHANGED)
		return relation->via;
	if (part == HISTORY_CHANGED)
		return psprintf("(SELECT t.id AS %s, l.id COLLATE \"C\" AS %s, t.deleted_at "
						"FROM unnest(t.%s) l(id))",
						keeping->near, keeping->far, keeping->list->quoted);
	past = cat_history_sql_past(query, cat_registry_resource(keeping->resource));
	return psprintf(
		"(SELECT r.%s, r.%s, r.position, r.deleted_at FROM %s r "
		"WHERE r.%s NOT IN (SELECT p.id FROM %s p) "
		"UNION ALL SELECT p.id, l.id COLLATE \"C\", l.n::integer, p.deleted_at FROM %s p, "
		"unnest(p.%s) WITH ORDINALITY l(id, n))",
		keeping->near, keeping->far, relation->via, keeping->near, past, past,
		keeping->list->quoted);
}

void
cat_history_sql_differences(SqlBuilder *query, Resource *resource)
{
	const char *past = cat_history_sql_past(query, resource);
	const char *columns = columns_of(resource, "t", false);

	/* OFFSET 0 has each record looked up by its id, whatever the planner expects */
	appendStringInfo(&query->sql,
					 " FROM (SELECT 1 AS sign, %s FROM %s p CROSS JOIN LATERAL "
					 "(SELECT * FROM %s r WHERE r.id = p.id OFFSET 0) t UNION ALL SELECT -1, %s "
					 "FROM %s t WHERE t.created_at IS NOT NULL) t",
					 columns, past, resource->table, columns, past);
}

void
cat_history_sql_is_followed(SqlBuilder *query, const Resource *resource, int most)
{
	const char *name = cat_sql_builder_param(query, resource->name);
	const char *then = then_param(query);

	/* first what ends soon, however much has changed */
	appendStringInfo(
		&query->sql,
		"((SELECT count(*) <= %d FROM (SELECT FROM catalogue.change c JOIN %s h "
		"ON h.change_number = c.number WHERE c.resource = %s AND c.at > %s LIMIT %d) "
		"m) AND NOT EXISTS (SELECT FROM catalogue.change c WHERE c.resource IN ('', %s) "
		"AND c.at > %s AND NOT EXISTS (SELECT FROM %s h "
		"WHERE h.change_number = c.number)))",
		most, resource->history_table, name, then, most + 1, name, then, resource->history_table);
}

/*
 * Return the WITH clause of a statement.  For each resource that is read as of an earlier instant,
 * it has the former states of the records that have changed since.
 */
char *
cat_history_sql_with(SqlBuilder *query)
{
	StringInfo sql = makeStringInfo();

	foreach_ptr(Resource, resource, query->earlier)
		appendStringInfo(sql,
						 "%s %s AS MATERIALIZED (SELECT DISTINCT ON (h.id) %s, c.at AS until "
						 "FROM catalogue.change c JOIN %s h ON h.change_number = c.number "
						 "WHERE c.resource = %s AND c.at > %s ORDER BY h.id, c.at)",
						 sql->len ? "," : "WITH", cat_history_sql_past(query, resource),
						 columns_of(resource, "h", true), resource->history_table,
						 cat_sql_builder_param(query, resource->name), then_param(query));
	appendStringInfoString(sql, sql->len ? " " : "");
	return sql->data;
}
