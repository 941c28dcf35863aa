/*
 * dcat_text.c
 *	  Texts, names and times of optional values, which sources write in many ways.
 */
#include "catalogue.h"

#include <limits.h>

#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "base/base.h"

#define DIGITS "0123456789"

/* Return a text without spaces around it. */
static char *
without_spaces(const char *text, int length)
{
	for (; length > 0 && text[length - 1] == ' '; length--)
		;
	for (; length > 0 && *text == ' '; length--)
		text++;
	return pnstrdup(text, (Size) length);
}

/* Return a value as the operator ->> does, without spaces around it; NULL for null. */
static char *
as_text(const JsonbValue *value)
{
	char *text = NULL;

	if (value->type == jbvString)
		return without_spaces(value->val.string.val, value->val.string.len);
	if (value->type == jbvBool)
		text = value->val.boolean ? "true" : "false";
	else if (value->type == jbvNumeric)
		text =
			DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	else if (value->type == jbvBinary)
		text = JsonbToCString(NULL, value->val.binary.data, value->val.binary.len);
	return text;
}

/* Return the text of an object of JSON-LD: its value or address. */
static char *
text_of_object(JsonbContainer *object)
{
	JsonbValue value;
	char *text = NULL;

	if (getKeyJsonValueFromContainer(object, "@value", strlen("@value"), &value))
		text = as_text(&value);
	if (!text && getKeyJsonValueFromContainer(object, "@id", strlen("@id"), &value))
		text = as_text(&value);
	return text;
}

/* Add a text to a list, unless it is white space. */
static List *
add_text(List *texts, char *text)
{
	return text && (*text > ' ' || *cat_one_line_trim(text)) ? lappend(texts, text) : texts;
}

/* Return the texts of an optional value, the first ones. */
static List *
texts_of(Jsonb *value, int most)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue member;
	List *texts = NIL;

	if (JB_ROOT_IS_OBJECT(value))
		return add_text(NIL, text_of_object(&value->root));
	iterator = JsonbIteratorInit(&value->root);
	while ((token = JsonbIteratorNext(&iterator, &member, true)) != WJB_DONE &&
		   list_length(texts) < most)
		if (token != WJB_ELEM)
			continue;
		else if (member.type == jbvString)
			texts = add_text(texts, as_text(&member));
		else if (member.type == jbvBinary && JsonContainerIsObject(member.val.binary.data))
			texts = add_text(texts, text_of_object(member.val.binary.data));
	return texts;
}

static char *
first_text(Jsonb *value)
{
	List *texts = texts_of(value, 1);

	return texts ? linitial(texts) : NULL;
}

/* Return a text to SQL. */
static Datum
text_result(FunctionCallInfo fcinfo, const char *text)
{
	if (!text)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(text));
}

CAT_FUNCTION(catalogue_dcat_texts)
{
	List *texts = texts_of(PG_GETARG_JSONB_P(ARG_DCAT_TEXTS_VALUE), INT_MAX);

	if (!texts)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(cat_text_array_of_list(texts));
}

CAT_FUNCTION(catalogue_dcat_text)
{
	return text_result(fcinfo, first_text(PG_GETARG_JSONB_P(ARG_DCAT_TEXT_VALUE)));
}

/* Return the first text of the first member of an object that has one. */
static char *
text_of_members(Jsonb *value, List *members)
{
	char *text = NULL;

	foreach_ptr(const char, name, members)
	{
		JsonbValue member;

		if (text)
			break;
		if (getKeyJsonValueFromContainer(&value->root, name, (int) strlen(name), &member))
			text = first_text(JsonbValueToJsonb(&member));
	}
	return text;
}

CAT_FUNCTION(catalogue_dcat_name)
{
	Jsonb *value = PG_GETARG_JSONB_P(ARG_DCAT_NAME_VALUE);
	JsonbValue scalar;
	char *name = NULL;

	if (JB_ROOT_IS_SCALAR(value) && JsonbExtractScalar(&value->root, &scalar) &&
		scalar.type == jbvString)
		name = as_text(&scalar);
	else if (JB_ROOT_IS_OBJECT(value))
		name = text_of_members(value, cat_text_array_list(PG_GETARG_DATUM(ARG_DCAT_NAME_MEMBERS)));
	if (name && (*name == '\0' || strncmp(name, "http:", 5) == 0 ||
				 strncmp(name, "https:", 6) == 0 || strncmp(name, "_:", 2) == 0))
		name = NULL;
	return text_result(fcinfo, name);
}

/* ---- Times ---- */

/* Return the number of two digits, -1 if there are none or it is greater than most. */
static int
number_at(const char *text, int most)
{
	int number = strspn(text, DIGITS) < 2 ? -1 : (text[0] - '0') * 10 + text[1] - '0';

	return number > most ? -1 : number;
}

/* Return whether a text begins with a year and a month. */
static bool
has_month(const char *text)
{
	return strspn(text, DIGITS) == 4 && strncmp(text, "0000", 4) != 0 && text[4] == '-' &&
		   number_at(text + 5, MONTHS_PER_YEAR) > 0;
}

/* Return whether a text begins with a day that the calendar has. */
static bool
has_day(const char *text)
{
	return has_month(text) && text[7] == '-' &&
		   number_at(text + 8, day_tab[isleap(atoi(text))][number_at(text + 5, 99) - 1]) > 0;
}

/* Return the length of seconds with a colon before them. */
static size_t
seconds_length(const char *text)
{
	size_t fraction;

	if (*text != ':' || number_at(text + 1, SECS_PER_MINUTE - 1) < 0)
		return 0;
	fraction = text[3] == '.' ? strspn(text + 4, DIGITS) : 0;
	return fraction > 0 ? 4 + fraction : 3;
}

/* Return a zone as XML Schema has it; NULL if it is none, or the end of the text. */
static char *
zone_of(const char *text)
{
	const char *minutes = text[3] == ':' ? text + 4 : text + 3;

	if (strcmp(text, "Z") == 0)
		return "Z";
	if ((*text != '+' && *text != '-') || number_at(text + 1, 14) < 0 ||
		number_at(minutes, MINS_PER_HOUR - 1) < 0 || minutes[2] != '\0')
		return NULL;
	return psprintf("%.3s:%s", text, minutes);
}

/* Return a date, or a date and time, as XML Schema has it; NULL for another text. */
static char *
time_of(char *text)
{
	size_t seconds;
	const char *rest;
	const char *zone;

	if (!text || !has_day(text))
		return NULL;
	if (text[10] == '\0')
		return text;
	if ((text[10] != 'T' && text[10] != ' ') || number_at(text + 11, HOURS_PER_DAY - 1) < 0 ||
		text[13] != ':' || number_at(text + 14, MINS_PER_HOUR - 1) < 0)
		return NULL;
	seconds = seconds_length(text + 16);
	rest = text + 16 + seconds;
	rest += strspn(rest, " \t\n\v\f\r");
	zone = *rest ? zone_of(rest) : "";
	return zone ? psprintf("%.10sT%.5s%.*s%s", text, text + 11, (int) Max(seconds, 3),
						   seconds > 0 ? text + 16 : ":00", zone)
				: NULL;
}

CAT_FUNCTION(catalogue_dcat_time)
{
	return text_result(fcinfo, time_of(first_text(PG_GETARG_JSONB_P(ARG_DCAT_TIME_VALUE))));
}

CAT_FUNCTION(catalogue_dcat_instant)
{
	text *given = PG_GETARG_TEXT_PP(ARG_DCAT_INSTANT_GIVEN);
	char *instant = without_spaces(VARDATA_ANY(given), (int) VARSIZE_ANY_EXHDR(given));
	size_t digits = strspn(instant, DIGITS);
	bool year = digits == 4 && instant[4] == '\0' && strcmp(instant, "0000") != 0;

	if (!year && (!has_month(instant) || instant[7] != '\0'))
		instant = time_of(instant);
	return text_result(fcinfo, instant);
}
