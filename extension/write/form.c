/*
 * form.c
 *	  Texts of forms and of cells become the values that they represent.
 */
#include "catalogue.h"

#include "write/write_internal.h"

#define NAMES_MAX 100 /* of a cell */

static bool
is_word(const char *text, const char *word)
{
	return pg_strcasecmp(text, word) == 0;
}

/* Return the value that a text represents in a field of that kind; NULL for the text itself. */
static Member *
value_of_cell(FieldKind kind, const char *text)
{
	switch (kind)
	{
		case FIELD_BOOLEAN:
			return is_word(text, "true")	? cat_body_value("true")
				   : is_word(text, "false") ? cat_body_value("false")
											: NULL;
		case FIELD_INTEGER:
		case FIELD_NUMBER:
			return cat_literal_number(text) ? cat_body_value(text) : NULL;
		case FIELD_JSON:
			return cat_body_value(text);
		case FIELD_ARRAY:
		case FIELD_LIST:
			return *text == '[' ? cat_body_value(text) : NULL;
		case FIELD_ID:
			return *text == '{' ? cat_body_value(text) : NULL;
		default:
			return NULL;
	}
}

/* As value_of_cell(); a form has the word null, or nothing, where there is no value. */
static Member *
value_of_form(FieldKind kind, const char *text)
{
	if (is_word(text, "null") ||
		(*text == '\0' && kind != FIELD_TEXT && kind != FIELD_ID && kind != FIELD_OTHER))
		return cat_body_value("null");
	return value_of_cell(kind, text);
}

/* Convert the members that are texts, where value_of() returns a value for them. */
static void
convert(Resource *resource, List *members, Member *(*value_of)(FieldKind, const char *) )
{
	foreach_ptr(Member, member, members)
	{
		const Field *field = cat_new_record_field(resource, member->name);
		/* a relation's list of ids counts as a JSON array */
		Member *value = member->kind == MEMBER_STRING && member->text
							? value_of(field ? field->kind : FIELD_ARRAY, member->text)
							: NULL;

		if (!value)
			continue;
		value->name = member->name;
		*member = *value;
	}
}

void
cat_form_convert(Resource *resource, List *members)
{
	convert(resource, members, value_of_form);
}

/* Return the column by which records are called in texts, with a unique index; NULL for none. */
static const Field *
calling_field(const Resource *resource)
{
	static const char *const names[] = {"name", "username", "key"};

	foreach_ptr(const UniqueKey, key, resource->unique_keys)
	{
		const Field *field = &resource->fields[linitial_int(key->fields)];

		for (size_t i = 0; i < lengthof(names); i++)
			if (!key->alone && list_length(key->fields) == 1 && linitial_int(key->folded) &&
				strcmp(field->column, names[i]) == 0)
				return field;
	}
	return NULL;
}

/* Return the id of the record with an id or, if there is none, of that name; NULL for none. */
static char *
id_of(const Resource *target, const char *word, AccessLevel access)
{
	const Field *field = calling_field(target);
	StringInfoData sql;

	if (!field)
		return NULL;
	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "SELECT t.id::text FROM %s t WHERE (t.id = $1 OR lower(t.%s::text) = "
					 "lower($1)) AND ",
					 target->table, field->quoted);
	cat_seen_write(&sql, target, "t", access);
	appendStringInfoString(&sql, " ORDER BY t.id = $1 DESC LIMIT 1");
	cat_statement_fresh(sql.data, text_param(cat_compose_text(word)));
	return SPI_processed > 0 ? cat_result_text(1) : NULL;
}

/* Put the ids of the records that a cell names in place of their names, divided by commas. */
static void
take_names(const Resource *target, Member *member, AccessLevel access)
{
	List *words = cat_query_string_first(member->text, ',', NAMES_MAX);
	StringInfoData ids;

	if (list_length(words) > NAMES_MAX)
		return;
	initStringInfo(&ids);
	foreach_ptr(char, word, words)
	{
		char *id = id_of(target, word, access);

		if (!id)
			return;
		appendStringInfo(&ids, "%s%s", ids.len ? "," : "", id);
	}
	member->text = ids.data;
	member->raw = cat_validation_error_value(ids.data)->raw;
}

void
cat_form_convert_cells(Resource *resource, List *members, AccessLevel access)
{
	convert(resource, members, value_of_cell);
	cat_security_context_take();
	foreach_ptr(Member, member, members)
	{
		const Resource *target = cat_new_record_target(resource, member->name);

		if (target && member->kind == MEMBER_STRING)
			take_names(target, member, access);
	}
	cat_security_context_return();
}
