/*
 * order.c
 *	  Order of a list, and cursors in it.
 *
 * A cursor has the values that a record is sorted by.  The cost of a page behind a cursor does not
 * depend on its position; that of a page with an offset does.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/base.h"
#include "query/query.h"
#include "query/query_internal.h"
#include "query/sql_builder.h"
#include "registry/registry.h"

/* A sort key. */
typedef struct Term
{
	char *sql;
	const Field *field;
	bool descending;
	bool nullable;
} Term;

/* Append the value of a path, a column of the record or of a related one; return its field. */
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
					 cat_history_sql_record(query, target, key), inner, inner, key);
	cat_sql_builder_living(query, target, inner);
	appendStringInfoChar(&query->sql, ')');
	return last;
}

/* Return whether the field is never null. */
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
 * Return the sort keys of a list: those of the request, else the creation time; and always the id,
 * in the direction of the first key.
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
 * Append ORDER BY.
 *
 * backwards: reverses the order.  Nulls come last in the list, thus first in reverse, so that the
 * last record of the list is the first one in reverse.
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
		/* without nulls, an index can be scanned in both directions */
		if (term->nullable)
			appendStringInfo(&query->sql, " NULLS %s", backwards ? "FIRST" : "LAST");
		separator = ", ";
	}
}

/*
 * Append what a cursor is made of as one more column: the sort keys, of type text[], or created_at
 * if the request has no order.
 */
void
cat_order_column(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	const char *separator = ", ARRAY[";
	ListCell *cell;

	if (params->orders == NIL)
	{
		appendStringInfo(&query->sql, ", %s.created_at", alias);
		return;
	}
	foreach(cell, terms_of(query, params, alias))
	{
		const Term *term = lfirst(cell);

		/* timestamps as in JSON, independent of DateStyle */
		appendStringInfo(&query->sql, "%sto_json(%s) #>> '{}'", separator, term->sql);
		separator = ", ";
	}
	appendStringInfoChar(&query->sql, ']');
}

/* Return a value of the cursor as a parameter, cast to the type of its sort key. */
static char *
place_param(SqlBuilder *query, const Term *term, const char *value)
{
	bool is_text = term->field->kind == FIELD_TEXT || term->field->kind == FIELD_ID ||
				   term->field->kind == FIELD_JSON || term->field->kind == FIELD_ARRAY;

	return psprintf("%s::%s", cat_sql_builder_param(query, value),
					is_text ? "text" : format_type_be(term->field->base_oid));
}

/*
 * Return whether all sort keys have the same direction and none is nullable, so that one row
 * comparison suffices.
 */
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

/*
 * Append the condition that the sort keys from number "from" on are behind the cursor; nulls are
 * behind all values.
 */
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
						   params->backwards ? "before" : "after", params->cursor),
					errhint("It takes the value in a link of a page that has the same order.")));
}

/* Return whether a text is a possible value of a sort key. */
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

/*
 * Return the values of the request's cursor, List of char *.  Raises OD422 if it does not fit the
 * order.
 */
static List *
read_place(const RequestParams *params, List *terms)
{
	List *values = cat_cursor_decode(params->cursor);

	if (!cat_order_has_cursor(params) || list_length(values) != list_length(terms))
		refuse_place(params);
	for (int i = 0; i < list_length(terms); i++)
		if (!fits(list_nth(terms, i), list_nth(values, i)))
			refuse_place(params);
	return values;
}

/*
 * Return whether the order has cursors: not if it contains a value without a standard text form, or
 * the rank in a search.
 */
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

/*
 * Append the condition that a record is behind the request's cursor, or in front of it for the
 * parameter "before"; preceded by " AND".
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
