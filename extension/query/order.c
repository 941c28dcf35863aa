/*
 * order.c
 *	  The order of a list, and places in it.
 *
 * A place is the values that a record is ordered by.  A page that begins
 * behind one costs the same wherever it is; one that skips records does not.
 */
#include "catalogue.h"

#include "utils/builtins.h"

/* One of the values that a list is ordered by. */
typedef struct Term
{
	char *sql;
	const Field *field;
	bool descending;
	bool nullable;
} Term;

/* Write the value of a path: a column, or that of a related record; the field that it is of. */
static const Field *
write_path(SqlBuilder *query, Resource *resource, List *path, int from, const char *alias)
{
	Field *field = cat_registry_field(resource, list_nth(path, from));
	const Field *last;
	Resource *target;
	char *inner;
	char *key;

	if (from + 1 == list_length(path))
	{
		cat_sql_builder_sort_key(&query->sql, resource, field, alias);
		return field;
	}
	target = cat_registry_resource(field->reference);
	inner = psprintf("o%d", from + 1);
	key = psprintf("%s.%s", alias, field->quoted);
	appendStringInfoString(&query->sql, "(SELECT ");
	last = write_path(query, target, path, from + 1, inner);
	appendStringInfo(&query->sql, " FROM %s %s WHERE %s.id = %s AND ",
					 cat_history_sql_record_table(query, target, key), inner, inner, key);
	cat_sql_builder_living(query, target, inner);
	appendStringInfoChar(&query->sql, ')');
	return last;
}

/* Whether every record has a value. */
static bool
is_filled(const Field *field)
{
	static const char *const kept[] = {"id", "created_at", "updated_at"};

	for (size_t i = 0; i < lengthof(kept); i++)
		if (strcmp(field->column, kept[i]) == 0)
			return true;
	return field->required && !field->unless;
}

static Term *
new_term(SqlBuilder *query, Resource *resource, List *path, bool descending, const char *alias)
{
	Term *term = palloc0(sizeof(Term));
	StringInfoData before = query->sql;

	initStringInfo(&query->sql);
	term->field = write_path(query, resource, path, 0, alias);
	term->sql = query->sql.data;
	query->sql = before;
	term->descending = descending;
	term->nullable = list_length(path) > 1 || !is_filled(term->field);
	return term;
}

/*
 * What a list is ordered by: what was asked for, else creation; then the id,
 * the same way round as the first.
 */
static List *
terms_of(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	List *terms = NIL;
	ListCell *cell;
	bool descending = params->orders ? ((Order *) linitial(params->orders))->descending
									 : params->resource->newest_first;

	foreach(cell, params->orders)
	{
		const Order *order = lfirst(cell);

		terms = lappend(terms,
						new_term(query, params->resource, order->path, order->descending, alias));
	}
	if (params->orders == NIL)
		terms = list_make1(
			new_term(query, params->resource, list_make1("createdAt"), descending, alias));
	return lappend(terms, new_term(query, params->resource, list_make1("id"), descending, alias));
}

/*
 * Write ORDER BY.
 *
 * backwards: the opposite order.  Nulls are last either way round, so that
 * the last record of a collection is the first one backwards.
 */
void
cat_order_write(SqlBuilder *query, const RequestParams *params, const char *alias, bool backwards)
{
	const char *separator = " ORDER BY ";
	ListCell *cell;

	foreach(cell, terms_of(query, params, alias))
	{
		const Term *term = lfirst(cell);

		appendStringInfo(&query->sql, "%s%s %s", separator, term->sql,
						 term->descending != backwards ? "DESC" : "ASC");
		/* where there are none, an index serves both ways round */
		if (term->nullable)
			appendStringInfo(&query->sql, " NULLS %s", backwards ? "FIRST" : "LAST");
		separator = ", ";
	}
}

/* Write the values that the records are ordered by as one more column, of type text[]. */
void
cat_order_column(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	const char *separator = ", ARRAY[";
	ListCell *cell;

	foreach(cell, terms_of(query, params, alias))
	{
		const Term *term = lfirst(cell);

		/* an instant as in JSON, whatever DateStyle says */
		appendStringInfo(&query->sql, "%sto_json(%s) #>> '{}'", separator, term->sql);
		separator = ", ";
	}
	appendStringInfoChar(&query->sql, ']');
}

/* A value of a place as a parameter of the type that it is compared with. */
static char *
place_param(SqlBuilder *query, const Term *term, const char *value)
{
	bool is_text = term->field->kind == FIELD_TEXT || term->field->kind == FIELD_ID ||
				   term->field->kind == FIELD_JSON || term->field->kind == FIELD_ARRAY;

	return psprintf("%s::%s", cat_sql_builder_param(query, value),
					is_text ? "text" : format_type_be(term->field->base_oid));
}

/* Whether all values go the same way round and none is null: one comparison of rows will do. */
static bool
is_simple(List *terms)
{
	ListCell *cell;

	foreach(cell, terms)
	{
		const Term *term = lfirst(cell);

		if (term->nullable || term->descending != ((Term *) linitial(terms))->descending)
			return false;
	}
	return true;
}

static void
write_rows_behind(SqlBuilder *query, List *terms, List *values, bool backwards)
{
	bool descending = ((Term *) linitial(terms))->descending;
	StringInfoData left;
	StringInfoData right;

	initStringInfo(&left);
	initStringInfo(&right);
	for (int i = 0; i < list_length(terms); i++)
	{
		const Term *term = list_nth(terms, i);

		appendStringInfo(&left, "%s%s", i ? ", " : "", term->sql);
		appendStringInfo(&right, "%s%s", i ? ", " : "",
						 place_param(query, term, list_nth(values, i)));
	}
	appendStringInfo(&query->sql, " AND (%s) %c (%s)", left.data,
					 descending != backwards ? '<' : '>', right.data);
}

/* Write that the values from one on lie behind those of the place; nulls lie behind all others. */
static void
write_terms_behind(SqlBuilder *query, List *terms, List *values, int from, bool backwards)
{
	const Term *term = list_nth(terms, from);
	const char *value = list_nth(values, from);
	bool last = from + 1 == list_length(terms);
	char *param = value ? place_param(query, term, value) : NULL;

	appendStringInfoChar(&query->sql, '(');
	if (param)
		appendStringInfo(&query->sql, "%s %c %s", term->sql,
						 term->descending != backwards ? '<' : '>', param);
	else
		appendStringInfo(&query->sql, backwards ? "%s IS NOT NULL" : "(%s) IS NULL AND false",
						 term->sql);
	if (param && term->nullable && !backwards)
		appendStringInfo(&query->sql, " OR %s IS NULL", term->sql);
	if (!last)
	{
		appendStringInfo(&query->sql, param ? " OR %s = %s AND " : " OR %s IS NULL AND ", term->sql,
						 param);
		write_terms_behind(query, terms, values, from + 1, backwards);
	}
	appendStringInfoChar(&query->sql, ')');
}

pg_noreturn static void
refuse_place(const RequestParams *params)
{
	ereport(ERROR, (errcode(OD422),
					errmsg("invalid value for parameter \"%s\": \"%s\"",
						   params->backwards ? "before" : "after", params->place),
					errhint("It takes the value in a link of a page that has the same order.")));
}

/* Whether a text is a value that the term may have. */
static bool
fits(const Term *term, const char *value)
{
	ListCell *cell;

	if (!value)
		return term->nullable;
	if (term->field->kind != FIELD_ENUM)
		return cat_literal_fits(term->field->kind, value);
	foreach(cell, term->field->labels)
		if (strcmp(lfirst(cell), value) == 0)
			return true;
	return false;
}

/* The place that the request names, a List of char *; OD422 where it is none of this order. */
static List *
read_place(const RequestParams *params, List *terms)
{
	List *values = cat_cursor_decode(params->place);

	if (!cat_order_has_cursor(params) || list_length(values) != list_length(terms))
		refuse_place(params);
	for (int i = 0; i < list_length(terms); i++)
		if (!fits(list_nth(terms, i), list_nth(values, i)))
			refuse_place(params);
	return values;
}

/* Whether the places of this order can be told: not by values that only PostgreSQL can read, nor by
 * how well a record fits a search. */
bool
cat_order_has_cursor(const RequestParams *params)
{
	ListCell *cell;

	if (params->terms != NIL && params->orders == NIL)
		return false;
	foreach(cell, params->orders)
	{
		Resource *resource = params->resource;
		const Order *order = lfirst(cell);
		ListCell *name;

		foreach(name, order->path)
		{
			const Field *field = cat_registry_field(resource, lfirst(name));

			if (field->kind == FIELD_OTHER || field->kind == FIELD_LIST)
				return false;
			if (lnext(order->path, name))
				resource = cat_registry_resource(field->reference);
		}
	}
	return true;
}

/* The values of the place that the request names; OD422 where it is none of this order. */
List *
cat_order_cursor(const RequestParams *params)
{
	SqlBuilder query;

	cat_sql_builder_begin(&query, params->sight, 0);
	return read_place(params, terms_of(&query, params, "t"));
}

/*
 * Write that a record lies behind the place that the request names, " AND" before it.
 *
 * In front of it where the page is asked for by "before".
 */
void
cat_order_behind(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	List *terms = terms_of(query, params, alias);
	List *values = read_place(params, terms);

	if (is_simple(terms))
	{
		write_rows_behind(query, terms, values, params->backwards);
		return;
	}
	appendStringInfoString(&query->sql, " AND ");
	write_terms_behind(query, terms, values, 0, params->backwards);
}
