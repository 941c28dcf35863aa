/*
 * form.c
 *	  Values of HTML forms and of cells, which are all text.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/base.h"
#include "base/body.h"
#include "write/write.h"
#include "write/write_internal.h"

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

/* Return the kind of a member's field.  A relation's list of ids counts as a JSON array. */
static FieldKind
kind_of(Resource *resource, const char *name)
{
	const Field *field = cat_new_record_field(resource, name);

	return field ? field->kind : FIELD_ARRAY;
}

/* Convert the members that are texts, where value_of() returns a value for them. */
static void
convert(Resource *resource, List *members, Member *(*value_of)(FieldKind, const char *) )
{
	ListCell *cell;

	foreach(cell, members)
	{
		Member *member = lfirst(cell);
		Member *value = member->kind == MEMBER_STRING && member->text
							? value_of(kind_of(resource, member->name), member->text)
							: NULL;

		if (!value)
			continue;
		value->name = member->name;
		*member = *value;
	}
}

/*
 * Convert the members of a form, all of them texts, to the values that they represent.
 *
 * A text that is no value of the field's kind is left for validation to refuse.  A name that
 * occurred several times is an array of texts.
 */
void
cat_form_convert(Resource *resource, List *members)
{
	convert(resource, members, value_of_form);
}

void
cat_form_convert_cells(Resource *resource, List *members)
{
	convert(resource, members, value_of_cell);
}
