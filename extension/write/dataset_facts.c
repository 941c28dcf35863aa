/*
 * dataset_facts.c
 *	  What "optionals" of a dataset tell: licence, place and date of the data, in columns of their own.
 *
 * The columns always have what optionals tell, whatever a statement writes.
 */
#include "catalogue.h"

#include "catalog/pg_collation_d.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"

#include "write/write_internal.h"

#define TEXT_MAX 250 /* characters of licence and place */

/* A text that is a place: no shape and no coordinates. */
#define PLACE "^(?!(?:MULTI)?POLYGON|POINT|ENVELOPE)[^{[]*[^-+0-9.,;{[\\s][^{[]*$"

/* Call a function of PostgreSQL with two arguments, which may return null; false for null. */
static bool
call(PGFunction function, Datum first, Datum second, Datum *result)
{
	LOCAL_FCINFO(info, 2);

	InitFunctionCallInfoData(*info, NULL, 2, DEFAULT_COLLATION_OID, NULL, NULL);
	info->args[0] = (NullableDatum){first, false};
	info->args[1] = (NullableDatum){second, false};
	*result = function(info);
	return !info->isnull;
}

/* Return the text of a member of a JSON value; NULL for none, and for what is no object. */
static const char *
member_text(Datum json, const char *name)
{
	Datum member;

	return call(json_object_field_text, json, CStringGetTextDatum(name), &member)
			   ? TextDatumGetCString(member)
			   : NULL;
}

/* Return the first text of a JSON object by which it is called, NULL for none. */
static const char *
object_text(Datum object)
{
	static const char *const names[] = {"0", "name", "title", "label", "prefLabel", "@id"};
	const char *told = NULL;

	for (size_t i = 0; i < lengthof(names) && !told; i++)
		told = member_text(object, names[i]);
	return told;
}

/* Return what a member says, which is a text, an object, or a list of which the first one counts; NULL
 * for nothing. */
static const char *
told_text(Datum optionals, const char *name)
{
	Datum value;
	Datum first;
	const char *told = NULL;
	const char *json;

	if (!call(json_object_field, optionals, CStringGetTextDatum(name), &value))
		return NULL;
	json = TextDatumGetCString(value);
	json += strspn(json, " \t\r\n");
	if (*json == '"')
		told = member_text(optionals, name);
	else if (*json == '{')
		told = object_text(value);
	else if (*json == '[' && call(json_array_element_text, value, Int32GetDatum(0), &first))
		told = TextDatumGetCString(first);
	return told;
}

/* Return such a text, cut, without spaces around it; NULL for nothing. */
static char *
told_line(Datum optionals, const char *name)
{
	const char *text = told_text(optionals, name);
	size_t length;

	if (!text)
		return NULL;
	length = pg_mbcharcliplen(text, (int) strlen(text), TEXT_MAX);
	for (; length > 0 && *text == ' '; length--)
		text++;
	while (length > 0 && text[length - 1] == ' ')
		length--;
	return length > 0 ? pnstrdup(text, length) : NULL;
}

static char *
told_place(Datum optionals)
{
	char *told = told_line(optionals, "spatial");

	return told && DatumGetBool(DirectFunctionCall2Coll(textregexeq, DEFAULT_COLLATION_OID,
														CStringGetTextDatum(told),
														CStringGetTextDatum(PLACE)))
			   ? told
			   : NULL;
}

/* Read two digits behind a hyphen, a number from 1 on; 0 where there is none. */
static int
read_part(const char *text, int most)
{
	int number = 0;

	if (text[0] == '-' && isdigit((unsigned char) text[1]) && isdigit((unsigned char) text[2]))
		number = (text[1] - '0') * 10 + text[2] - '0';
	return number <= most ? number : 0;
}

/* Read the date at the start of a text, of which a year or a month is its first day; false for none. */
static bool
read_date(const char *text, DateADT *date)
{
	int month;
	int day;
	char end;

	if (!text || *text == '0' || strspn(text, "0123456789") != 4)
		return false;
	month = read_part(text + 4, MONTHS_PER_YEAR);
	day = month > 0 ? read_part(text + 7, 31) : 0;
	end = text[day > 0 ? 10 : month > 0 ? 7 : 4];
	if (end != '\0' && !strchr("T/ ", end))
		return false;
	*date = date2j((int) strtol(text, NULL, 10), Max(month, 1), 1) - POSTGRES_EPOCH_JDATE +
			Max(day, 1) - 1;
	return true;
}

/* Find the date of the last change, else of publication, else the end of the period, else its start. */
static bool
told_date(Datum optionals, DateADT *date)
{
	const char *period;
	const char *end;

	if (read_date(member_text(optionals, "modified"), date) ||
		read_date(member_text(optionals, "issued"), date))
		return true;
	period = member_text(optionals, "temporal");
	end = period ? strchr(period, '/') : NULL;
	return (end && read_date(pnstrdup(end + 1, strcspn(end + 1, "/")), date)) ||
		   read_date(period, date);
}

/* The columns, in the order of the results of catalogue.dataset_facts(). */
enum
{
	FACT_LICENSE,
	FACT_PLACE,
	FACT_DATE,
	FACTS
};

static const char *const columns[FACTS] = {"license", "place", "data_date"};

static void
tell(Datum optionals, Datum *facts, bool *nulls)
{
	char *license = told_line(optionals, "license");
	char *place = told_place(optionals);
	DateADT date = 0;

	nulls[FACT_LICENSE] = !license;
	facts[FACT_LICENSE] = license ? CStringGetTextDatum(license) : (Datum) 0;
	nulls[FACT_PLACE] = !place;
	facts[FACT_PLACE] = place ? CStringGetTextDatum(place) : (Datum) 0;
	nulls[FACT_DATE] = !told_date(optionals, &date);
	facts[FACT_DATE] = DateADTGetDatum(date);
}

/* Return whether an update changes optionals, or a column that follows them. */
static bool
is_concerned(Resource *resource, const Field *optionals, const bool *changed)
{
	bool concerned = changed[optionals->attno - 1];

	for (int i = 0; i < FACTS; i++)
	{
		const Field *field = cat_registry_column(resource, columns[i]);

		concerned |= field && changed[field->attno - 1];
	}
	return concerned;
}

void
cat_dataset_facts_fill(Resource *resource, Datum *values, bool *nulls, const bool *changed,
					   List **errors)
{
	const Field *optionals = cat_registry_column(resource, "optionals");
	Datum facts[FACTS];
	bool none[FACTS] = {true, true, true};

	if (strcmp(resource->name, "datasets") != 0 || !optionals ||
		(changed && !is_concerned(resource, optionals, changed)))
		return;
	if (!nulls[optionals->attno - 1])
		tell(values[optionals->attno - 1], facts, none);
	for (int i = 0; i < FACTS; i++)
	{
		const Field *field = cat_registry_column(resource, columns[i]);
		int at = field ? field->attno - 1 : -1;
		Form_pg_attribute column = field ? TupleDescAttr(resource->desc, at) : NULL;

		/* one that PostgreSQL makes is of a catalogue that has not been updated yet */
		if (!field || column->attgenerated)
			continue;
		if ((changed ? changed[at] : !nulls[at]) &&
			(nulls[at] != none[i] ||
			 (!none[i] && !datum_image_eq(values[at], facts[i], column->attbyval, column->attlen))))
			cat_validation_error_add(errors, field->name, "readOnly", NULL, "follows optionals");
		values[at] = facts[i];
		nulls[at] = none[i];
	}
}

/* Return what optionals tell. */
CAT_FUNCTION(catalogue_dataset_facts)
{
	Datum facts[FACTS];
	bool nulls[FACTS];
	TupleDesc desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "dataset_facts: not called in a context that takes a row");
	tell(PG_GETARG_DATUM(ARG_DATASET_FACTS_OPTIONALS), facts, nulls);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), facts, nulls)));
}
