/*
 * convert.c
 *	  Conversion of the members of a body to values of fields: their type, length and format.
 */
#include "catalogue.h"

#include "commands/comment.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "account/account.h"
#include "write/write_internal.h"

/* JSON kind and syntax that each kind of field accepts. */
static const struct
{
	FieldKind kind;
	MemberKind member;
	bool (*literal)(const char *text); /* NULL: any */
	const char *expected;
} shapes[] = {
	{FIELD_TEXT, MEMBER_STRING, NULL, "a string"},
	{FIELD_ENUM, MEMBER_STRING, NULL, "a string"},
	{FIELD_BOOLEAN, MEMBER_BOOLEAN, NULL, "true or false"},
	{FIELD_INTEGER, MEMBER_NUMBER, cat_literal_integer, "a whole number"},
	{FIELD_NUMBER, MEMBER_NUMBER, cat_literal_number, "a number"},
	{FIELD_DATETIME, MEMBER_STRING, cat_literal_datetime,
	 "an instant such as \"2026-01-31T12:00:00Z\""},
	{FIELD_DATE, MEMBER_STRING, cat_literal_date, "a date such as \"2026-01-31\""},
};

/* A value to be converted. */
typedef struct Input
{
	const Field *field;
	const char *text;
	Datum *value;
} Input;

static void
run_input(void *argument)
{
	const Input *step = argument;

	*step->value = cat_statement_value_read(step->field->type_oid, step->field->typmod, step->text);
}

/*
 * Convert a text in a subtransaction; false if the type or domain refuses the text.  NULL stands for
 * the null value.
 */
static bool
try_input(const Field *field, const char *text, Datum *value)
{
	Input step = {field, text, value};
	ErrorData *error = cat_statement_in_subtransaction(run_input, &step);

	/* classes 22 and 23 concern the value; others are errors of the server */
	if (error && ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION &&
		ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION)
		ReThrowError(error);
	return error == NULL;
}

static const Member *
echoed(const Field *field, const Member *member)
{
	return field->hidden ? NULL : member;
}

static void
wrong_type(const Field *field, const Member *member, const char *expected, List **errors)
{
	cat_validation_error_add(
		errors, field->name, "type", echoed(field, member),
		psprintf(field->is_element ? "takes an array, each element %s" : "takes %s", expected));
}

static bool
is_too_long(const Field *field, const char *text, int most, const Member *member, List **errors)
{
	if (most <= 0 || pg_mbstrlen(text) <= most)
		return false;
	cat_validation_error_add(errors, field->name, "maxLength", echoed(field, member),
							 psprintf("takes at most %d characters", most));
	return true;
}

/* Return what is wrong with a text that is not a value of the field's type; the comment on a domain
 * says what is valid. */
static const char *
format_fault(const Field *field, const char *text)
{
	const char *fault = field->domain && strcmp(field->domain, "time_pattern") == 0
							? cat_time_pattern_fault(text)
							: NULL;
	const char *valid =
		fault || !field->domain ? NULL : GetComment(field->type_oid, TypeRelationId, 0);

	return fault ? fault
		   : valid
			   ? psprintf("is not valid for type %s: %s", field->domain, valid)
			   : psprintf("is not valid for type %s", field->domain ? field->domain : field->type);
}

/* Convert text that has the right syntax. */
static void
store(const Field *field, const char *text, const Member *member, Datum *value, List **errors)
{
	bool plain =
		field->type_oid == field->base_oid &&
		(field->kind == FIELD_TEXT || field->kind == FIELD_BOOLEAN || field->kind == FIELD_JSON);

	if (is_too_long(field, text, field->max, member, errors))
		return;
	if (plain)
		*value = cat_statement_value_read(field->type_oid, field->typmod, text);
	else if (!try_input(field, text, value))
		cat_validation_error_add(errors, field->name, "format", echoed(field, member),
								 format_fault(field, text));
}

static void
convert_password(const Field *field, const char *text, Datum *value, List **errors)
{
	const char *message;
	const char *rule = cat_password_error(text, &message);

	if (rule)
		cat_validation_error_add(errors, field->name, rule, NULL, message);
	else
		*value = CStringGetTextDatum(cat_password_hash(text));
}

/* Return the labels of an enumeration as "a, b, c". */
static char *
label_list(const Field *field)
{
	StringInfo out = makeStringInfo();

	foreach_ptr(char, label, field->labels)
		appendStringInfo(out, "%s%s", out->len ? ", " : "", label);
	return out->data;
}

/*
 * Return the text of a member for the input function of a field's type.  Its syntax is checked for
 * strings, numbers, booleans, enumerations and dates.
 *
 * Returns NULL if an error was added.
 */
static const char *
convert_text(const Field *field, const Member *member, List **errors)
{
	const char *text = member->text;
	size_t i = 0;

	while (i < lengthof(shapes) && shapes[i].kind != field->kind)
		i++;
	if (i == lengthof(shapes))
		return text && field->kind != FIELD_JSON ? text : member->raw;
	if (field->kind == FIELD_DATETIME && member->kind == MEMBER_STRING &&
		(cat_literal_date(text) || cat_literal_datetime(text)))
		text = cat_literal_instant(text);
	else if (field->kind == FIELD_DATE && member->kind == MEMBER_STRING &&
			 cat_literal_datetime(text))
		text = pnstrdup(text, 10);
	else if (member->kind != shapes[i].member || (shapes[i].literal && !shapes[i].literal(text)))
	{
		wrong_type(field, member, shapes[i].expected, errors);
		return NULL;
	}
	if (field->kind != FIELD_ENUM || cat_query_string_has_word(field->labels, text))
		return text;
	cat_validation_error_add(errors, field->name, "enum", member,
							 psprintf("takes one of %s", label_list(field)));
	return NULL;
}

static void
convert_address(const Field *field, const char *text, const Member *member, Datum *value,
				List **errors)
{
	if (is_too_long(field, text, field->max ? field->max : ADDRESS_LENGTH, member, errors))
		return;
	if (cat_web_address_is(text))
		store(field, text, member, value, errors);
	else
		cat_validation_error_add(errors, field->name, "format", member,
								 "takes an http: or https: URL with a host");
}

/* Convert a scalar: string, number, boolean, enumeration, date. */
static void
convert_scalar(const Field *field, const Member *member, Datum *value, List **errors)
{
	const char *text = convert_text(field, member, errors);

	if (!text)
		return;
	text = cat_one_line_stored(field, text);
	if (field->domain && strcmp(field->domain, "password") == 0)
		convert_password(field, text, value, errors);
	else if (field->address)
		convert_address(field, text, member, value, errors);
	else if (field->color && *text == '#')
		store(field, text + 1, member, value, errors);
	else
		store(field, text, member, value, errors);
}

/* Convert to a JSON array; a string is split at its commas. */
static void
convert_array(const Field *field, const Member *member, Datum *value, List **errors)
{
	if (member->kind == MEMBER_ARRAY)
		store(field, member->raw, member, value, errors);
	else if (member->kind == MEMBER_STRING)
		store(field, cat_json_array(cat_query_string_split(member->text, ',')), member, value,
			  errors);
	else
		wrong_type(field, member, "an array", errors);
}

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
	text = convert_text(element, member, errors);
	if (text)
		append_quoted(out, cat_one_line_stored(element, text));
	return text != NULL;
}

/* Append the elements of a JSON array; false at the first error. */
static bool
append_array(StringInfo out, const Field *element, const Member *member, int depth, List **errors)
{
	if (depth > MAXDIM)
	{
		cat_validation_error_add(errors, element->name, "type", member,
								 psprintf("takes arrays nested up to %d deep", MAXDIM));
		return false;
	}
	appendStringInfoChar(out, '{');
	foreach_ptr(Member, value, cat_body_elements(member->raw))
	{
		if (foreach_current_index(value) > 0)
			appendStringInfoChar(out, ',');
		if (!append_element(out, element, value, depth, errors))
			return false;
	}
	appendStringInfoChar(out, '}');
	return true;
}

/* Append the comma-separated words of a text, unconverted. */
static void
append_words(StringInfo out, const char *text)
{
	appendStringInfoChar(out, '{');
	foreach_ptr(char, word, cat_query_string_split(text, ','))
	{
		if (out->len > 1)
			appendStringInfoChar(out, ',');
		append_quoted(out, word);
	}
	appendStringInfoChar(out, '}');
}

/* Convert a JSON array, or a text with commas between the elements, to a PostgreSQL array. */
static void
convert_list(const Field *field, const Member *member, Datum *value, List **errors)
{
	StringInfo out = makeStringInfo();

	if (member->kind == MEMBER_STRING)
		append_words(out, member->text);
	else if (member->kind != MEMBER_ARRAY)
	{
		wrong_type(field, member, "an array", errors);
		return;
	}
	else if (!append_array(out, field->element, member, 1, errors))
		return;
	store(field, out->data, member, value, errors);
}

static void
convert_json(const Field *field, const Member *member, Datum *value, List **errors)
{
	if (field->domain && strcmp(field->domain, "parse_options") == 0)
	{
		int before = list_length(*errors);

		cat_parse_options_check(field->name, member, errors);
		if (list_length(*errors) > before)
			return;
	}
	if (!is_too_long(field, member->raw, field->limit, member, errors))
		store(field, member->raw, member, value, errors);
}

/*
 * Return the id in a member: a string, or the member "id" of an object.
 *
 * Returns NULL if it is empty, or if an error was added.
 */
char *
cat_convert_id(const char *field, const Member *member, List **errors)
{
	const Member *id = member;

	if (member->kind == MEMBER_OBJECT)
		id = cat_body_member(cat_body_members(member->raw, strlen(member->raw)), "id");
	if (!id || id->kind != MEMBER_STRING)
		cat_validation_error_add(errors, field, "type", member, "takes the id of a record");
	else if (strlen(id->text) > ID_LENGTH)
		cat_validation_error_add(errors, field, "maxLength", id,
								 psprintf("takes at most %d characters", ID_LENGTH));
	else if (strspn(id->text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") !=
			 strlen(id->text))
		cat_validation_error_add(errors, field, "reference", id, "takes the id of a record");
	else if (id->text[0] != '\0')
		return id->text;
	return NULL;
}

/*
 * Convert an id.  The domain catalogue.id accepts everything that cat_convert_id() does, so its
 * check is skipped.
 */
static Datum
id_value(const Field *field, const char *id)
{
	if (field->base_oid == VARCHAROID && field->domain && strcmp(field->domain, "id") == 0)
		return CStringGetTextDatum(id);
	return cat_statement_value_read(field->type_oid, field->typmod, id);
}

/*
 * Convert a member's value for a field; if an error is added, *isnull stays true.
 *
 * The value is allocated in the current memory context.
 */
void
cat_convert_member(const Field *field, const Member *member, Datum *value, bool *isnull,
				   List **errors)
{
	int before = list_length(*errors);
	char *id;

	*isnull = true;
	/* Whether a member is the null value of a field. HTML forms send a missing address as "". */
	if (member->kind == MEMBER_NULL || (field->address && member->kind == MEMBER_STRING &&
										*cat_one_line_trim(member->text) == '\0'))
	{
		if (field->strict && !try_input(field, NULL, value))
			cat_validation_error_add(errors, field->name, "required", NULL, "is required");
		return;
	}
	switch (field->kind)
	{
		case FIELD_ID:
			id = cat_convert_id(field->name, member, errors);
			if (!id)
				return;
			*value = id_value(field, id);
			break;
		case FIELD_JSON:
			convert_json(field, member, value, errors);
			break;
		case FIELD_ARRAY:
			convert_array(field, member, value, errors);
			break;
		case FIELD_LIST:
			convert_list(field, member, value, errors);
			break;
		case FIELD_OTHER:
			store(field, convert_text(field, member, errors), member, value, errors);
			break;
		default:
			convert_scalar(field, member, value, errors);
			break;
	}
	*isnull = list_length(*errors) > before;
}
