/*
 * facet_sql.c
 *	  SQL that counts the records of a list by the values of facets.
 *
 * The records are found once, by a WITH query m that has the id and a column for each facet with
 * what its path begins with: a key, a list of ids or a field.  From there each facet joins the
 * records that its path leads through, as far as the caller sees them.
 */
#include "catalogue.h"

#include "query/query_internal.h"
#include "query/terms.h"

/* Return the resource that the last name of a facet's path belongs to; if the facet is of records, theirs. */
static Resource *
resource_of(const RequestParams *params, const Facet *facet)
{
	Resource *resource = params->resource;
	ListCell *cell;

	foreach(cell, facet->path)
	{
		if (!lnext(facet->path, cell) && !facet->of_records)
			break;
		resource = cat_registry_resource(cat_registry_relation(resource, lfirst(cell))->target);
	}
	return resource;
}

/* Return a text field of the records of a facet that the caller sees, or NULL. */
static const Field *
text_field(const RequestParams *params, const Facet *facet, const char *name)
{
	const Field *field =
		facet->of_records ? cat_registry_field(resource_of(params, facet), name) : NULL;

	return field && field->kind == FIELD_TEXT && cat_visibility_field(field, params->access) ? field
																							 : NULL;
}

/* Return the field that tells what a record is; NULL if it has none. */
static const Field *
label_of(const RequestParams *params, const Facet *facet)
{
	static const char *const names[] = {"name", "username", "key"};
	const Field *field = NULL;

	for (size_t i = 0; i < lengthof(names) && !field; i++)
		field = text_field(params, facet, names[i]);
	return field;
}

/* The path of a facet while its joins are written. */
typedef struct Walk
{
	const RequestParams *params;
	int at;				/* number of the facet */
	Resource *resource; /* of the records that are reached */
	const char *alias;	/* under which they are joined; "m": those of the list */
	const char *key;	/* SQL of their id, where they are not joined yet; else NULL */
	bool listed;		/* of the records m, each id of the list is a row of its own */
	const char *joins;	/* SQL that is to follow FROM m */
	bool repeats;		/* a record may reach a value more than once */
} Walk;

/* Return what a facet needs of a record t; NULL for no more than its id. */
static const char *
needed_column(const RequestParams *params, const Facet *facet)
{
	/* The first relation of a facet's path; NULL if the path is a field. */
	const CatRelation *relation =
		list_length(facet->path) > 1 || facet->of_records
			? cat_registry_relation(params->resource, linitial(facet->path))
			: NULL;

	if (!relation)
		return cat_sql_builder_column(
			params->resource, cat_registry_field(params->resource, linitial(facet->path)), "t");
	if (relation->kind == RELATION_TO_ONE)
		return psprintf("t.%s", relation->near);
	return relation->list ? psprintf("t.%s", relation->list->quoted) : NULL;
}

void
cat_facet_sql_columns(SqlBuilder *query, const RequestParams *params, List *facets)
{
	foreach_ptr(Facet, facet, facets)
	{
		const char *column = needed_column(params, facet);

		if (column)
			appendStringInfo(&query->sql, ", %s AS f%d", column, foreach_current_index(facet));
	}
}

/* Return the condition that the records of an alias are visible. */
static char *
living(const SqlBuilder *query, const Resource *resource, const char *alias)
{
	StringInfo sql = makeStringInfo();

	cat_seen_write(sql, resource, alias, query->access);
	return sql->data;
}

/* Join the records that are reached, unless they are joined. */
static void
join_reached(SqlBuilder *query, Walk *walk)
{
	const char *alias;

	if (!walk->key)
		return;
	alias = psprintf("x%d", ++query->aliases);
	walk->joins = psprintf("%s JOIN %s %s ON %s.id = %s AND %s", walk->joins,
						   cat_history_sql_table(query, walk->resource), alias, alias, walk->key,
						   living(query, walk->resource, alias));
	walk->alias = alias;
	walk->key = NULL;
}

/* Follow a many-to-many relation: by the list of ids of a record, else by the join table. */
static void
follow_links(SqlBuilder *query, Walk *walk, CatRelation *relation, bool first)
{
	const char *inner;

	if (first && relation->list)
	{
		walk->listed = true;
		walk->key = psprintf("m.f%d", walk->at);
		return;
	}
	inner = psprintf("x%d", ++query->aliases);
	walk->joins = psprintf("%s JOIN %s %s ON %s.%s = %s.id AND %s.deleted_at IS NULL", walk->joins,
						   cat_history_sql_via(query, relation, NULL), inner, inner, relation->near,
						   walk->alias, inner);
	walk->key = psprintf("%s.%s", inner, relation->far);
}

/* Follow the relation of a path's name to the records that it leads to. */
static void
follow(SqlBuilder *query, Walk *walk, CatRelation *relation, bool first)
{
	join_reached(query, walk);
	if (relation->kind == RELATION_TO_ONE)
		walk->key =
			first ? psprintf("m.f%d", walk->at) : psprintf("%s.%s", walk->alias, relation->near);
	else if (relation->kind == RELATION_MANY_TO_MANY)
		follow_links(query, walk, relation, first);
	walk->resource = cat_registry_resource(relation->target);
	if (relation->kind == RELATION_ONE_TO_MANY)
	{
		const char *alias = psprintf("x%d", ++query->aliases);

		walk->joins = psprintf("%s JOIN %s %s ON %s.%s = %s.id AND %s", walk->joins,
							   cat_history_sql_table(query, walk->resource), alias, alias,
							   relation->near, walk->alias, living(query, walk->resource, alias));
		walk->alias = alias;
	}
}

/* Return SQL for the values of the field at the end of a path, which become texts when they are counted. */
static const char *
field_value(SqlBuilder *query, Walk *walk, const Facet *facet)
{
	const Field *field = cat_registry_field(walk->resource, llast(facet->path));
	const char *column = list_length(facet->path) == 1
							 ? psprintf("m.f%d", walk->at)
							 : cat_sql_builder_column(walk->resource, field, walk->alias);

	if (facet->by_year)
		/* EXTRACT returns numeric, which takes three times as long */
		return psprintf("CASE WHEN isfinite(%s) THEN date_part('year', %s%s) END", column, column,
						field->kind == FIELD_DATETIME ? " AT TIME ZONE 'UTC'" : "");
	if (field->kind != FIELD_LIST)
		return column;
	walk->joins = psprintf("%s CROSS JOIN unnest(%s) e(e)", walk->joins, column);
	walk->repeats = true;
	return "e.e";
}

/* Follow the path of a facet; return SQL for the values that it ends with. */
static const char *
walk_path(SqlBuilder *query, Walk *walk, const Facet *facet)
{
	int manies = 0;
	bool is_last_many = false;
	ListCell *cell;

	foreach(cell, facet->path)
	{
		CatRelation *relation = cat_registry_relation(walk->resource, lfirst(cell));

		if (!lnext(facet->path, cell) && !facet->of_records)
			break;
		follow(query, walk, relation, foreach_current_index(cell) == 0);
		is_last_many = relation->kind != RELATION_TO_ONE;
		manies += is_last_many;
	}
	walk->repeats = manies > (facet->of_records && is_last_many ? 1 : 0);
	if (facet->of_records)
		return walk->key ? psprintf("%s::text", walk->key) : psprintf("%s.id::text", walk->alias);
	join_reached(query, walk);
	return field_value(query, walk, facet);
}

/* Return the kind of the values of a facet that are no records. */
static FieldKind
kind_of(const RequestParams *params, const Facet *facet)
{
	const Field *field;

	if (facet->by_year)
		return FIELD_INTEGER;
	field = cat_registry_field(resource_of(params, facet), llast(facet->path));
	return (field->element ? field->element : field)->kind;
}

/* Return whether values that differ in case or accents only are one, as filters compare them. */
static bool
is_folded(const RequestParams *params, const Facet *facet)
{
	return !facet->of_records && kind_of(params, facet) == FIELD_TEXT;
}

/* Append the kept numbers of a facet's values. */
static void
write_kept(SqlBuilder *query, const RequestParams *params, const Facet *facet)
{
	const char *number = query->access == ACCESS_OUTSIDER ? "shown" : "living";

	appendStringInfo(&query->sql,
					 "SELECT c.value, sum(c.%s)::bigint AS count FROM catalogue.facet_counter c "
					 "WHERE c.resource = %s AND c.facet = %s GROUP BY c.value HAVING sum(c.%s) > 0",
					 number, quote_literal_cstr(params->resource->name),
					 quote_literal_cstr(facet->name), number);
}

/* Append the numbers of a facet's values among the records m. */
static void
write_counted(SqlBuilder *query, const RequestParams *params, const Facet *facet, int at)
{
	Walk walk = {params, at, params->resource, "m", NULL, false, "", false};
	const char *value = walk_path(query, &walk, facet);
	bool folded = is_folded(params, facet);
	/* in a list of columns unnest() is twice as fast as in FROM */
	const char *records =
		walk.listed ? psprintf("(SELECT m.id, unnest(m.f%d) AS f%d FROM m) m", at, at) : "m";
	const char *pairs = psprintf("SELECT m.id, %s AS value FROM %s%s", value, records, walk.joins);

	if (walk.repeats)
		pairs = psprintf("SELECT p.id, %s AS value FROM (%s) p GROUP BY p.id, %s",
						 folded ? "min(p.value)" : "p.value", pairs,
						 folded ? "catalogue.fold(p.value)" : "p.value");
	/* each value that is written in one way is folded once */
	appendStringInfo(
		&query->sql,
		"SELECT p.value::text, count(*) AS count FROM (%s) p WHERE p.value IS NOT NULL "
		"GROUP BY p.value",
		pairs);
}

/* Append the values with their counts, columns "value" and "count". */
static void
write_counts(SqlBuilder *query, const RequestParams *params, const Facet *facet, int at)
{
	bool folded = is_folded(params, facet);

	if (folded)
		appendStringInfoString(
			&query->sql, "SELECT min(p.value) AS value, sum(p.count)::bigint AS count FROM (");
	if (facet->left_out)
		appendStringInfoString(&query->sql,
							   "SELECT NULL::text AS value, NULL::bigint AS count WHERE false");
	else if (facet->counted)
		write_kept(query, params, facet);
	else
		write_counted(query, params, facet, at);
	if (folded)
		appendStringInfoString(&query->sql, ") p GROUP BY catalogue.fold(p.value)");
}

/*
 * Append the values with their counts and, first in the column "chosen", whether the list is filtered by them; those that
 * no record has are counted 0.
 */
static void
write_counts_chosen(SqlBuilder *query, const RequestParams *params, const Facet *facet, int at)
{
	bool folded = is_folded(params, facet);
	Datum *chosen = palloc(sizeof(Datum) * (list_length(facet->chosen) + 1));

	if (facet->chosen == NIL)
	{
		appendStringInfoString(&query->sql, "SELECT c.value, c.count, false AS chosen FROM (");
		write_counts(query, params, facet, at);
		appendStringInfoString(&query->sql, ") c");
		return;
	}
	foreach_ptr(const char, value, facet->chosen)
		chosen[foreach_current_index(value)] = CStringGetTextDatum(value);
	appendStringInfoString(
		&query->sql,
		"SELECT coalesce(min(c.value) FILTER (WHERE NOT c.chosen), min(c.value)) AS value, "
		"sum(c.count)::bigint AS count, bool_or(c.chosen) AS chosen FROM (SELECT c.value, "
		"c.count, false AS chosen FROM (");
	write_counts(query, params, facet, at);
	appendStringInfo(&query->sql, ") c UNION ALL SELECT unnest(%s), %s, true) c GROUP BY %s",
					 cat_sql_builder_value(query, TEXTARRAYOID,
										   cat_text_array_make(chosen, list_length(facet->chosen))),
					 facet->left_out ? "NULL" : "0",
					 folded ? "catalogue.fold(c.value)" : "c.value");
}

/* Return SQL of a field of the records x of a facet, as text; null if there is no such field. */
static const char *
field_text(const Field *field)
{
	return field ? psprintf("x.%s::text", field->quoted) : "NULL::text";
}

/* Append the first values in the order of their counts, and how many there are. */
static void
write_values(SqlBuilder *query, const RequestParams *params, const Facet *facet, int at)
{
	const char *label = field_text(label_of(params, facet));
	StringInfo sql = &query->sql;

	appendStringInfo(sql,
					 "SELECT v.value, %s AS label, %s AS slug, v.count, count(*) OVER () AS number "
					 "FROM (",
					 label, field_text(text_field(params, facet, "slug")));
	write_counts_chosen(query, params, facet, at);
	appendStringInfoString(sql, ") v");
	if (facet->of_records)
	{
		Resource *target = resource_of(params, facet);

		appendStringInfo(sql, " JOIN %s x ON x.id = v.value AND %s",
						 cat_history_sql_table(query, target), living(query, target, "x"));
	}
	appendStringInfo(
		sql,
		" ORDER BY v.chosen DESC, v.count DESC, %s COLLATE \"und-x-icu\", v.value COLLATE "
		"\"und-x-icu\" LIMIT %d",
		label, params->facet_limit);
}

/* Return the arguments of concat() for a member of a JSON object; "" if there is no such field. */
static const char *
member(const Field *field, const char *column)
{
	return field ? psprintf("%s, coalesce(to_json(%s)::text, 'null'), ",
							quote_literal_cstr(field->member), column)
				 : "";
}

void
cat_facet_sql_write(SqlBuilder *query, const RequestParams *params, List *facets, int at)
{
	const Facet *facet = list_nth(facets, at);
	FieldKind kind = facet->of_records ? FIELD_ID : kind_of(params, facet);
	bool bare = kind == FIELD_BOOLEAN || kind == FIELD_INTEGER;

	/* an aggregate reads the rows of a sorted subquery in their order */
	appendStringInfo(&query->sql,
					 "(SELECT concat(%s, string_agg(concat('{\"%s\":', %s, %s%s',\"count\":', "
					 "coalesce(f.count::text, 'null'), '}'), ','), "
					 "'],\"rest\":', %s, '}') FROM (",
					 quote_literal_cstr(psprintf("%s:{\"values\":[", cat_json_quoted(facet->name))),
					 facet->of_records ? "id" : "value", bare ? "f.value" : "to_json(f.value)",
					 member(label_of(params, facet), "f.label"),
					 member(text_field(params, facet, "slug"), "f.slug"),
					 facet->left_out ? "'null'" : "coalesce(max(f.number) - count(*), 0)");
	write_values(query, params, facet, at);
	appendStringInfoString(&query->sql, ") f)");
}
