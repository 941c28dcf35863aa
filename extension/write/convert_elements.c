/*
 * convert_elements.c
 *	  Conversion of arrays in a body to the text format of PostgreSQL arrays.
 */
#include "catalogue.h"

#include "utils/array.h"

#include "base/base.h"
#include "base/body.h"
#include "write/validation_internal.h"

/* Append a quoted element; only quotes and backslashes need escaping. */
static void
append_quoted(StringInfo out, const char *text)
{
	appendStringInfoChar(out, '"');
	for (; *text; text++)
	{
		if (*text == '"' || *text == '\\')
			appendStringInfoChar(out, '\\');
		appendStringInfoChar(out, *text);
	}
	appendStringInfoChar(out, '"');
}

static bool append_array(StringInfo out, const Field *element, const Member *member, int depth,
						 List **errors);

/* Append one element or a nested array; false if an error was added. */
static bool
append_element(StringInfo out, const Field *element, const Member *member, int depth, List **errors)
{
	const char *text;

	if (member->kind == MEMBER_ARRAY && element->kind != FIELD_JSON)
		return append_array(out, element, member, depth + 1, errors);
	if (member->kind == MEMBER_NULL)
	{
		appendStringInfoString(out, "NULL");
		return true;
	}
	text = cat_convert_text(element, member, errors);
	if (text)
		append_quoted(out, text);
	return text != NULL;
}

/* Append the elements of a JSON array; false at the first error. */
static bool
append_array(StringInfo out, const Field *element, const Member *member, int depth, List **errors)
{
	ListCell *cell;

	if (depth > MAXDIM)
	{
		cat_validation_error_add(errors, element->name, "type", member,
								 psprintf("takes arrays nested up to %d deep", MAXDIM));
		return false;
	}
	appendStringInfoChar(out, '{');
	foreach(cell, cat_body_elements(member->raw))
	{
		if (foreach_current_index(cell) > 0)
			appendStringInfoChar(out, ',');
		if (!append_element(out, element, lfirst(cell), depth, errors))
			return false;
	}
	appendStringInfoChar(out, '}');
	return true;
}

/* Append the comma-separated words of a text, unconverted. */
static void
append_words(StringInfo out, const char *text)
{
	ListCell *cell;

	appendStringInfoChar(out, '{');
	foreach(cell, cat_query_string_split(text, ','))
	{
		if (out->len > 1)
			appendStringInfoChar(out, ',');
		append_quoted(out, lfirst(cell));
	}
	appendStringInfoChar(out, '}');
}

/*
 * Return the text of a PostgreSQL array for a JSON array, or for a text with commas between the
 * elements.
 *
 * Returns NULL if an error was added because an element has the wrong type.
 */
char *
cat_convert_elements(const Field *field, const Member *member, List **errors)
{
	StringInfoData out;

	initStringInfo(&out);
	if (member->kind == MEMBER_STRING)
		append_words(&out, member->text);
	else if (!append_array(&out, field->element, member, 1, errors))
		return NULL;
	return out.data;
}
