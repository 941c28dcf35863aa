/*
 * order.c
 *	  Order of a list, and its cursors: the sort key of a record in base64url.
 *
 * A cursor has the values that a record is sorted by.  The cost of a page behind a cursor does not
 * depend on its position; that of a page with an offset does.
 */
#include "catalogue.h"

#include "common/base64.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"

#include "query/query_internal.h"
#include "query/terms.h"

/* Represents null; not a character of base64. */
#define NOTHING "~"

static void
exchange(char *text, const char *from, const char *to)
{
	for (; *text; text++)
		for (int i = 0; from[i]; i++)
			if (*text == from[i])
				*text = to[i];
}

static void
append_value(StringInfo out, const char *value)
{
	int length = (int) strlen(value);
	int room = pg_b64_enc_len(length) + 1;
	char *encoded = palloc(room);
	int used = pg_b64_encode((const Base64Byte *) value, length, encoded, room);

	encoded[used] = '\0';
	exchange(encoded, "+/", "-_");
	encoded[strcspn(encoded, "=")] = '\0';
	appendStringInfoString(out, encoded);
}

char *
cat_order_cursor_encode(Datum values)
{
	StringInfo out = makeStringInfo();
	Datum *texts;
	bool *nulls;
	int count;

	deconstruct_array(DatumGetArrayTypeP(values), TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls,
					  &count);
	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoChar(out, '.');
		if (nulls[i])
			appendStringInfoString(out, NOTHING);
		else
			append_value(out, TextDatumGetCString(texts[i]));
	}
	return out->data;
}

char *
cat_order_cursor_of(const char *first, const char *second)
{
	Datum values[] = {CStringGetTextDatum(first), CStringGetTextDatum(second)};

	return cat_order_cursor_encode(cat_text_array_make(values, lengthof(values)));
}

/* Decode one part of a cursor; false if it is not the encoding of a valid text. */
static bool
decode_value(const char *part, char **value)
{
	int length = (int) strlen(part);
	char *padded = psprintf("%s%s", part, &"==="[length % 4 ? length % 4 - 1 : 3]);
	int room = pg_b64_dec_len((int) strlen(padded)) + 1;
	int used;

	*value = NULL;
	if (strcmp(part, NOTHING) == 0)
		return true;
	exchange(padded, "-_", "+/");
	*value = palloc(room);
	used = pg_b64_decode(padded, (int) strlen(padded), (Base64Byte *) *value, room);
	if (used < 0 || memchr(*value, '\0', used))
		return false;
	(*value)[used] = '\0';
	return pg_verifymbstr(*value, used, true);
}

/* Decode a cursor.  Returns a List of char *, NULL for null; NIL if the text is not a cursor. */
static List *
cursor_decode(const char *text)
{
	List *values = NIL;

	foreach_ptr(char, word, cat_query_string_split(text, '.'))
	{
		char *value;

		if (!decode_value(word, &value))
			return NIL;
		values = lappend(values, value);
	}
	return values;
}

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
	static const char *const kept[] = {"id", "created_at", "updated_at", NULL};

	return cat_query_string_is_among(field->column, kept) || (field->required && !field->unless);
}

/* Return the type of a field's value in a cursor. */
static const char *
type_of(const Field *field)
{
	bool is_text = field->kind == FIELD_TEXT || field->kind == FIELD_ID ||
				   field->kind == FIELD_JSON || field->kind == FIELD_ARRAY;

	return is_text ? "text" : format_type_be(field->base_oid);
}

bool
cat_order_is_by_update(const RequestParams *params)
{
	Resource *resource = params->resource;
	const Order *first = params->orders != NIL ? linitial(params->orders) : NULL;

	return first && resource->update_order && !params->deleted && !params->then &&
		   list_length(first->path) == 1 &&
		   cat_registry_field(resource, linitial(first->path))->attno == resource->updated_at;
}

/* Return the alias of the row that a term is a column of: the index of catalogue.update_order is on its two columns. */
static const char *
alias_of(const SqlBuilder *query, Resource *resource, List *path, const char *alias)
{
	AttrNumber attno = cat_registry_field(resource, linitial(path))->attno;

	return query->by_update && list_length(path) == 1 &&
				   (attno == resource->id || attno == resource->updated_at)
			   ? "u"
			   : alias;
}

static OrderTerm *
new_term(SqlBuilder *query, Resource *resource, List *path, bool descending, const char *alias)
{
	OrderTerm *term = palloc0(sizeof(OrderTerm));
	StringInfoData before = query->sql;

	initStringInfo(&query->sql);
	term->field = write_path(query, resource, path, 0, alias_of(query, resource, path, alias));
	term->sql = query->sql.data;
	query->sql = before;
	term->type = type_of(term->field);
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
	bool descending = params->orders ? ((Order *) linitial(params->orders))->descending
									 : params->resource->newest_first;

	foreach_ptr(const Order, order, params->orders)
		terms = lappend(terms,
						new_term(query, params->resource, order->path, order->descending, alias));
	if (params->orders == NIL)
		terms = list_make1(
			new_term(query, params->resource, list_make1("createdAt"), descending, alias));
	return lappend(terms, new_term(query, params->resource, list_make1("id"), descending, alias));
}

/* Append ORDER BY. backwards: reverses the order.  Nulls come last in the list, thus first in
 * reverse, so that the last record of the list is the first one in reverse. */
static void
write_terms(SqlBuilder *query, List *terms, bool backwards)
{
	const char *separator = " ORDER BY ";

	foreach_ptr(const OrderTerm, term, terms)
	{
		appendStringInfo(&query->sql, "%s%s %s", separator, term->sql,
						 term->descending != backwards ? "DESC" : "ASC");
		/* without nulls, an index can be scanned in both directions */
		if (term->nullable)
			appendStringInfo(&query->sql, " NULLS %s", backwards ? "FIRST" : "LAST");
		separator = ", ";
	}
}

void
cat_order_write(SqlBuilder *query, const RequestParams *params, const char *alias, bool backwards)
{
	write_terms(query, terms_of(query, params, alias), backwards);
}

void
cat_order_column(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	const char *separator = ", ARRAY[";

	if (params->orders == NIL)
	{
		appendStringInfo(&query->sql, ", %s.created_at", alias);
		return;
	}
	foreach_ptr(const OrderTerm, term, terms_of(query, params, alias))
	{
		/* timestamps as in JSON, independent of DateStyle */
		appendStringInfo(&query->sql, "%sto_json(%s) #>> '{}'", separator, term->sql);
		separator = ", ";
	}
	appendStringInfoChar(&query->sql, ']');
}

/* Return a value of the cursor as a parameter, cast to the type of its sort key. */
static char *
add_param(SqlBuilder *query, const OrderTerm *term, const char *value)
{
	return psprintf("%s::%s", cat_sql_builder_param(query, value), term->type);
}

/*
 * Return whether all sort keys have the same direction and none is nullable, so that one row
 * comparison suffices.
 */
static bool
is_simple(List *terms)
{
	foreach_ptr(const OrderTerm, term, terms)
		if (term->nullable || term->descending != ((OrderTerm *) linitial(terms))->descending)
			return false;
	return true;
}

static void
write_rows_behind(SqlBuilder *query, List *terms, List *values, bool backwards)
{
	bool descending = ((OrderTerm *) linitial(terms))->descending;
	StringInfo left = makeStringInfo();
	StringInfo right = makeStringInfo();

	for (int i = 0; i < list_length(terms); i++)
	{
		const OrderTerm *term = list_nth(terms, i);

		appendStringInfo(left, "%s%s", i ? ", " : "", term->sql);
		appendStringInfo(right, "%s%s", i ? ", " : "", add_param(query, term, list_nth(values, i)));
	}
	appendStringInfo(&query->sql, "(%s) %c (%s)", left->data, descending != backwards ? '<' : '>',
					 right->data);
}

/*
 * Append the condition that the sort keys from number "from" on are behind the cursor; nulls are
 * behind all values.
 */
static void
write_terms_behind(SqlBuilder *query, List *terms, List *values, int from, bool backwards)
{
	const OrderTerm *term = list_nth(terms, from);
	const char *value = list_nth(values, from);
	bool last = from + 1 == list_length(terms);
	char *param = value ? add_param(query, term, value) : NULL;

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
refuse_cursor(const RequestParams *params)
{
	ereport(ERROR, (errcode(OD422),
					errmsg("invalid value for parameter \"%s\": \"%s\"",
						   params->backwards ? "before" : "after", params->cursor),
					errhint("It takes the value in a link of a page that has the same order.")));
}

/* Return whether a text is a possible value of a sort key. */
static bool
fits(const OrderTerm *term, const char *value)
{
	if (!value)
		return term->nullable;
	if (!term->field)
		return strcmp(term->type, "text") == 0 || cat_literal_number(value);
	if (term->field->kind != FIELD_ENUM)
		return cat_literal_fits(term->field->kind, value);
	foreach_ptr(char, label, term->field->labels)
		if (strcmp(label, value) == 0)
			return true;
	return false;
}

List *
cat_order_terms_cursor(const RequestParams *params, List *terms)
{
	List *values = cursor_decode(params->cursor);

	if (list_length(values) != list_length(terms))
		refuse_cursor(params);
	for (int i = 0; i < list_length(terms); i++)
		if (!fits(list_nth(terms, i), list_nth(values, i)))
			refuse_cursor(params);
	return values;
}

/* Return those values, in an order of records. */
static List *
read_cursor(const RequestParams *params, List *terms)
{
	if (!cat_order_has_cursor(params))
		refuse_cursor(params);
	return cat_order_terms_cursor(params, terms);
}

bool
cat_order_has_cursor(const RequestParams *params)
{
	if (params->terms != NIL && params->orders == NIL)
		return false;
	foreach_ptr(const Order, order, params->orders)
	{
		Resource *resource = params->resource;
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

List *
cat_order_cursor(const RequestParams *params)
{
	SqlBuilder query;

	if (!params->cursor)
		return NIL;
	cat_sql_builder_begin(&query, params->access, 0);
	return read_cursor(params, terms_of(&query, params, "t"));
}

void
cat_order_behind(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	List *terms = terms_of(query, params, alias);
	List *values = read_cursor(params, terms);

	appendStringInfoString(&query->sql, " AND ");
	if (is_simple(terms))
		write_rows_behind(query, terms, values, params->backwards);
	else
		write_terms_behind(query, terms, values, 0, params->backwards);
}
