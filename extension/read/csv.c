/*
 * csv.c
 *	  Records as CSV (RFC 4180).
 *
 * The columns are the members of the JSON record, in the same order.  An embedded to-one relation
 * becomes columns of its own, with dotted names.  Null is an empty cell; an empty text is a pair of
 * quotes.
 */
#include "catalogue.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "read/read_internal.h"

/* Spreadsheets take a text that begins with one of these for a formula. */
#define FORMULA_STARTS "=+-@\t\r"

/* Return whether a text contains a character that requires quotes. */
static inline bool
is_special(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n')
			return true;
	return false;
}

/* Return what follows the digits. */
static const char *
skip_digits(const char *text, const char *end)
{
	while (text < end && *text >= '0' && *text <= '9')
		text++;
	return text;
}

/* Return whether a text is a number, with a decimal point or comma, and as much as an exponent. */
static bool
is_number(const char *text, const char *end)
{
	const char *whole = text + (text < end && (*text == '-' || *text == '+'));
	const char *at = skip_digits(whole, end);
	int digits = (int) (at - whole);

	if (at < end && (*at == '.' || *at == ','))
	{
		const char *fraction = at + 1;

		at = skip_digits(fraction, end);
		digits += (int) (at - fraction);
	}
	if (digits > 0 && at < end && (*at == 'e' || *at == 'E'))
	{
		const char *exponent = at + 1 + (at + 1 < end && (at[1] == '-' || at[1] == '+'));

		at = skip_digits(exponent, end);
		return at == end && at > exponent;
	}
	return digits > 0 && at == end;
}

/* Return whether a spreadsheet would evaluate a text. */
static bool
is_formula(const char *text, size_t length)
{
	return length > 0 && *text != '\0' && strchr(FORMULA_STARTS, *text) &&
		   !is_number(text, text + length);
}

void
cat_csv_cell(StringInfo out, const char *text, size_t length)
{
	const char *prefix = is_formula(text, length) ? "'" : "";

	if (length > 0 && !is_special(text, length))
	{
		appendStringInfoString(out, prefix);
		appendBinaryStringInfo(out, text, (int) length);
		return;
	}
	appendStringInfoCharMacro(out, '"');
	appendStringInfoString(out, prefix);
	for (const char *end = text + length; text < end; text++)
	{
		if (*text == '"')
			appendStringInfoCharMacro(out, '"');
		appendStringInfoCharMacro(out, *text);
	}
	appendStringInfoCharMacro(out, '"');
}

void
cat_csv_text(StringInfo out, const char *text)
{
	cat_csv_cell(out, text, strlen(text));
}

CAT_FUNCTION(catalogue_csv_text)
{
	text *content = PG_GETARG_TEXT_PP(ARG_CSV_TEXT_CONTENT);
	StringInfoData out;

	initStringInfo(&out);
	cat_csv_cell(&out, VARDATA_ANY(content), VARSIZE_ANY_EXHDR(content));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}

void
cat_csv_line(StringInfo out, HeapTuple row, TupleDesc desc, int first)
{
	for (int i = first; i <= desc->natts; i++)
	{
		Oid type = SPI_gettypeid(desc, i);
		const char *text = row ? SPI_getvalue(row, desc, i) : SPI_fname(desc, i);

		appendStringInfoString(out, i > first ? "," : "");
		if (text && row && type == BOOLOID)
			text = *text == 't' ? "true" : "false";
		if (text)
			cat_csv_text(out, text);
	}
	appendStringInfoString(out, "\r\n");
}

/* Append a value whose JSON text needs no escaping, without the quotes of a JSON string. */
static void
append_bare(StringInfo out, const Field *field, Datum value)
{
	StringInfo json = makeStringInfo();
	int quotes;

	cat_json_value(json, field, value);
	quotes = json->data[0] == '"' ? 1 : 0;
	appendBinaryStringInfo(out, json->data + quotes, json->len - 2 * quotes);
	pfree(json->data);
}

static void
append_json(StringInfo out, const Field *field, Datum value)
{
	StringInfo json = makeStringInfo();

	cat_json_value(json, field, value);
	cat_csv_text(out, json->data);
	pfree(json->data);
}

static void
append_value(StringInfo out, const Field *field, Datum value)
{
	switch (field->kind)
	{
		case FIELD_TEXT:
		case FIELD_ID:
		case FIELD_ENUM:
		case FIELD_OTHER:
			cat_csv_text(out, cat_statement_value_text(field->type_oid, value));
			break;
		case FIELD_JSON:
		case FIELD_ARRAY:
		case FIELD_LIST:
			append_json(out, field, value);
			break;
		case FIELD_BOOLEAN:
		case FIELD_INTEGER:
		case FIELD_NUMBER:
		case FIELD_DATETIME:
		case FIELD_DATE:
			append_bare(out, field, value);
			break;
	}
}

/* Return the number of cells of a record. */
static int
width(const Selection *selection)
{
	int cells = bms_num_members(selection->fields) + bms_num_members(selection->lists);

	foreach_ptr(Embed, embed, selection->embeds)
		cells += embed->relation->kind == RELATION_TO_ONE ? width(embed->selection) - 1 : 1;
	return cells;
}

/* Append the cells of an embedded to-one relation; empty cells if there is no visible record. */
static void
append_embedded(StringInfo out, const Embed *embed, Datum id, bool isnull)
{
	EmbedRow *row = isnull ? NULL : cat_embedding_row(embed, id);

	if (row)
		appendBinaryStringInfo(out, row->text.data, row->text.len);
	else
		for (int i = 1; i < width(embed->selection); i++)
			appendStringInfoCharMacro(out, ',');
}

/* Append a comma-separated list of ids. */
static void
append_list(StringInfo out, Datum list)
{
	int count;
	Datum *elements = cat_text_array_elements(list, &count);
	StringInfo ids = makeStringInfo();

	for (int i = 0; i < count; i++)
		appendStringInfo(ids, "%s%s", i > 0 ? "," : "", TextDatumGetCString(elements[i]));
	if (count > 0)
		cat_csv_cell(out, ids->data, (size_t) ids->len);
}

/*
 * Append the cells of the lists of ids, then those of the embedded to-many relations, as JSON.
 *
 * column: first column of the lists if the rows are not whole.
 */
static void
append_lists(StringInfo out, const Selection *selection, const Rows *rows, const Datum *values,
			 int column)
{
	Datum id = values[cat_rows_column(rows, selection->resource, selection->fields, "id")];

	for (int i = -1; (i = bms_next_member(selection->lists, i)) >= 0; column++)
	{
		const Field *list = selection->resource->relations[i].list;

		appendStringInfoCharMacro(out, ',');
		append_list(out, values[rows->whole ? list->attno - 1 : column]);
	}
	foreach_ptr(Embed, embed, selection->embeds)
	{
		EmbedRow *records;

		if (embed->relation->kind == RELATION_TO_ONE)
			continue;
		records = cat_embedding_row(embed, id);
		appendStringInfoCharMacro(out, ',');
		cat_csv_text(out, records ? psprintf("[%s]", records->text.data) : "[]");
	}
}

void
cat_csv_record(StringInfo out, const Selection *selection, const Rows *rows, int row)
{
	Datum *values = palloc(rows->desc->natts * sizeof(Datum));
	bool *nulls = palloc(rows->desc->natts * sizeof(bool));
	int column = 1;
	bool first = true;

	cat_rows_values(rows, selection->resource, row, values, nulls);
	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0; column++, first = false)
	{
		Field *field = &selection->resource->fields[i];
		Embed *embed = field->reference ? cat_embedding_named(selection, field->name) : NULL;
		int at = rows->whole ? field->attno - 1 : column;

		if (!first)
			appendStringInfoCharMacro(out, ',');
		if (embed)
			append_embedded(out, embed, values[at], nulls[at]);
		else if (!nulls[at] && field->color && selection->css)
			cat_csv_text(out, psprintf("#%s", TextDatumGetCString(values[at])));
		else if (!nulls[at])
			append_value(out, field, values[at]);
	}
	append_lists(out, selection, rows, values, column);
	pfree(values);
	pfree(nulls);
}

/* Append a cell of the header line; prefix: dotted names of the relations that lead to it. */
static void
append_name(StringInfo out, int start, const char *prefix, const char *name)
{
	char *text = psprintf("%s%s", prefix, name);

	/* Append a comma unless the line is still empty. */
	if (out->len > start)
		appendStringInfoCharMacro(out, ',');
	cat_csv_text(out, text);
}

static void
append_names(StringInfo out, int start, const Selection *selection, const char *prefix)
{
	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0;)
	{
		Field *field = &selection->resource->fields[i];
		Embed *embed = field->reference ? cat_embedding_named(selection, field->name) : NULL;

		if (embed)
		{
			append_names(out, start, embed->selection, psprintf("%s%s.", prefix, field->name));
			continue;
		}
		append_name(out, start, prefix, field->name);
	}
	for (int i = -1; (i = bms_next_member(selection->lists, i)) >= 0;)
		append_name(out, start, prefix, selection->resource->relations[i].name);
	foreach_ptr(Embed, embed, selection->embeds)
		if (embed->relation->kind != RELATION_TO_ONE)
			append_name(out, start, prefix, embed->relation->name);
}

void
cat_csv_names(StringInfo out, const Selection *selection)
{
	append_names(out, out->len, selection, "");
}

void
cat_csv_shape(Selection *selection)
{
	foreach_ptr(Embed, embed, selection->embeds)
	{
		if (embed->relation->kind != RELATION_TO_ONE)
			continue;
		embed->write = cat_csv_record;
		cat_csv_shape(embed->selection);
	}
}
