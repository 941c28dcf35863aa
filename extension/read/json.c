/*
 * json.c
 *	  Records as JSON text.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"

#include "read/read_internal.h"

static void
append_text(StringInfo out, Datum value)
{
	text *t = DatumGetTextPP(value);

	cat_json_text(out, VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
}

/* Append a date in ISO 8601, independent of DateStyle. */
static void
append_date(StringInfo out, DateADT date)
{
	char text[MAXDATELEN + 1];
	struct pg_tm tm;

	if (DATE_NOT_FINITE(date))
		EncodeSpecialDate(date, text);
	else
	{
		j2date(date + POSTGRES_EPOCH_JDATE, &tm.tm_year, &tm.tm_mon, &tm.tm_mday);
		EncodeDateOnly(&tm, USE_ISO_DATES, text);
	}
	cat_json_text_string(out, text);
}

/*
 * Append a number; NaN and Infinity are written as strings, as in PostgreSQL's own JSON functions.
 */
static void
append_number(StringInfo out, Oid type, Datum value)
{
	const char *text = cat_statement_value_text(type, value);

	if (isdigit((unsigned char) text[strlen(text) - 1]))
		appendStringInfoString(out, text);
	else
		cat_json_text_string(out, text);
}

static void
append_json(StringInfo out, Oid type, Datum value)
{
	text *t;

	if (type != JSONOID)
	{
		appendStringInfoString(out, cat_statement_value_text(type, value));
		return;
	}
	t = DatumGetTextPP(value);
	cat_json_text_bytes(out, VARDATA_ANY(t), (int) VARSIZE_ANY_EXHDR(t));
}

/* Iterator over the elements of an array that are not yet written. */
typedef struct Elements
{
	const Field *field; /* of each */
	const int *lengths; /* of the dimensions */
	int dimensions;
	Datum *values;
	bool *nulls;
} Elements;

/* Append one dimension of an array, and recursively the inner ones. */
static void
append_dimension(StringInfo out, Elements *elements, int at)
{
	appendStringInfoCharMacro(out, '[');
	for (int i = 0; i < elements->lengths[at]; i++)
	{
		if (i > 0)
			appendStringInfoCharMacro(out, ',');
		if (at + 1 < elements->dimensions)
		{
			append_dimension(out, elements, at + 1);
			continue;
		}
		if (*elements->nulls)
			cat_json_text_bytes(out, "null", 4);
		else
			cat_json_value(out, elements->field, *elements->values);
		elements->values++;
		elements->nulls++;
	}
	appendStringInfoCharMacro(out, ']');
}

/* Append an array as a JSON array; several dimensions become nested arrays. */
static void
append_array(StringInfo out, const Field *field, Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	Elements elements = {field->element, ARR_DIMS(array), ARR_NDIM(array), NULL, NULL};
	int16 length;
	bool by_value;
	char align;
	int count;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align, &elements.values,
					  &elements.nulls, &count);
	if (count == 0)
		cat_json_text_bytes(out, "[]", 2);
	else
		append_dimension(out, &elements, 0);
}

void
cat_json_value(StringInfo out, const Field *field, Datum value)
{
	switch (field->kind)
	{
		case FIELD_TEXT:
		case FIELD_ID:
			append_text(out, value);
			break;
		case FIELD_BOOLEAN:
			cat_json_text_bytes(out, DatumGetBool(value) ? "true" : "false",
								DatumGetBool(value) ? 4 : 5);
			break;
		case FIELD_DATETIME:
			appendStringInfoCharMacro(out, '"');
			cat_json_text_timestamp(out, DatumGetTimestampTz(value));
			appendStringInfoCharMacro(out, '"');
			break;
		case FIELD_JSON:
		case FIELD_ARRAY:
			append_json(out, field->base_oid, value);
			break;
		case FIELD_LIST:
			append_array(out, field, value);
			break;
		case FIELD_INTEGER:
		case FIELD_NUMBER:
			append_number(out, field->base_oid, value);
			break;
		case FIELD_DATE:
			append_date(out, DatumGetDateADT(value));
			break;
		case FIELD_ENUM:
		case FIELD_OTHER:
			cat_json_text_string(out, cat_statement_value_text(field->base_oid, value));
			break;
	}
}

/* Append a member's name; the first member of an object gets no comma. */
static void
append_name(StringInfo out, const char *member, int length)
{
	int comma = out->data[out->len - 1] == '{';

	cat_json_text_bytes(out, member + comma, length - comma);
}

/* Append the embedded record of a to-one relation, null if it is not visible. */
static void
append_embedded_record(StringInfo out, const Embed *embed, Datum id)
{
	EmbedRow *row = cat_embedding_row(embed, id);

	if (row)
		cat_json_text_bytes(out, row->text.data, row->text.len);
	else
		appendStringInfoString(out, "null");
}

/* Append the embedded to-many relations as arrays of records. */
static void
append_embedded_lists(StringInfo out, const Selection *selection, Datum id)
{
	foreach_ptr(Embed, embed, selection->embeds)
	{
		EmbedRow *row;

		if (embed->relation->kind == RELATION_TO_ONE)
			continue;
		row = cat_embedding_row(embed, id);
		append_name(out, embed->relation->member, embed->relation->member_length);
		appendStringInfoCharMacro(out, '[');
		if (row)
			cat_json_text_bytes(out, row->text.data, row->text.len);
		appendStringInfoCharMacro(out, ']');
	}
}

static void
append_ids(StringInfo out, Datum list)
{
	int count;
	Datum *ids = cat_text_array_elements(list, &count);

	appendStringInfoCharMacro(out, '[');
	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoCharMacro(out, ',');
		append_text(out, ids[i]);
	}
	appendStringInfoCharMacro(out, ']');
}

/*
 * Append the many-to-many relations that are shown as lists of ids.
 *
 * column: first column of the lists if the rows are not whole.
 */
static void
append_lists(StringInfo out, const Selection *selection, const Rows *rows, const Datum *values,
			 int column)
{
	for (int i = -1; (i = bms_next_member(selection->lists, i)) >= 0; column++)
	{
		const CatRelation *relation = &selection->resource->relations[i];

		append_name(out, relation->member, relation->member_length);
		append_ids(out, values[rows->whole ? relation->list->attno - 1 : column]);
	}
}

void
cat_json_record(StringInfo out, const Selection *selection, const Rows *rows, int row)
{
	Resource *resource = selection->resource;
	Datum *values = palloc(rows->desc->natts * sizeof(Datum));
	bool *nulls = palloc(rows->desc->natts * sizeof(bool));
	int column = 1;
	Datum id;

	cat_rows_values(rows, resource, row, values, nulls);
	id = values[cat_rows_column(rows, selection->resource, selection->fields, "id")];
	appendStringInfoCharMacro(out, '{');
	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0; column++)
	{
		Field *field = &resource->fields[i];
		Embed *embed = field->reference ? cat_embedding_named(selection, field->name) : NULL;
		int at = rows->whole ? field->attno - 1 : column;

		append_name(out, field->member, field->member_length);
		if (nulls[at])
			cat_json_text_bytes(out, "null", 4);
		else if (embed)
			append_embedded_record(out, embed, values[at]);
		else if (field->color && selection->css)
			cat_json_text_string(out, psprintf("#%s", TextDatumGetCString(values[at])));
		else
			cat_json_value(out, field, values[at]);
	}
	append_lists(out, selection, rows, values, column);
	append_embedded_lists(out, selection, id);
	appendStringInfoCharMacro(out, '}');
	pfree(values);
	pfree(nulls);
}

/* Append all records as a JSON array. */
void
cat_json_records(StringInfo out, const Selection *selection, const Rows *rows)
{
	appendStringInfoCharMacro(out, '[');
	for (int i = 0; i < rows->count; i++)
	{
		if (i > 0)
			appendStringInfoCharMacro(out, ',');
		cat_json_record(out, selection, rows, i);
	}
	appendStringInfoCharMacro(out, ']');
}
