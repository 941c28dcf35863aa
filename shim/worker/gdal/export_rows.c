/*
 * export_rows.c - rows as jobs/convert_features.c writes them: an object with name and columns of their
 * sheet, and a collection of features.
 *
 * Features are as extension/rows/contents/geojson.c writes them: their number, the geometry, then the
 * properties.  They are read twice: first for the kinds of its geometries and for columns that have
 * other values than their type says, which become texts.
 */
#include "gdal/export.h"
#include "json/row.h"

static _Noreturn void
refuse_input(Export *export)
{
	parse_refuse_file(export->parse, "the rows could not be read");
}

/* Find a text in the next bytes, and go behind it; refuse the input without it. */
static void
go_behind(Export *export, const char *text)
{
	size_t left = (size_t) (export->end - export->at);
	const char *found = memmem(export->at, left < 1000 ? left : 1000, text, strlen(text));

	if (found == NULL)
		refuse_input(export);
	export->at = found + strlen(text);
}

/* Go behind an object; its length. */
static size_t
skip_object(Export *export)
{
	size_t length = row_length(export->at, (size_t) (export->end - export->at));

	if (length == 0)
		refuse_input(export);
	export->at += length;
	return length;
}

static void
skip_blanks(Export *export)
{
	while (export->at < export->end && memchr(" ,\r\n", *export->at, 4) != NULL)
		export->at++;
}

/* The kind of a geometry of GeoJSON: the number of its type. */
static int
kind_of(Export *export, const char *geometry, size_t length)
{
	static const char *const types[EXPORT_KINDS][2] = {{"\"Point\"", NULL},
													   {"\"MultiPoint\"", NULL},
													   {"\"LineString\"", "\"MultiLineString\""},
													   {"\"Polygon\"", "\"MultiPolygon\""},
													   {"\"GeometryCollection\"", NULL}};

	length = length < 40 ? length : 40;
	for (int kind = 0; kind < EXPORT_KINDS; kind++)
		for (size_t i = 0; i < lengthof(types[kind]) && types[kind][i] != NULL; i++)
			if (memmem(geometry, length, types[kind][i], strlen(types[kind][i])) != NULL)
				return kind;
	refuse_input(export);
}

/* Read the number of a feature, which a comma follows. */
static int64_t
read_number(Export *export)
{
	int64_t number = 0;

	for (; export->at < export->end && *export->at >= '0' && *export->at <= '9'; export->at++)
		number = number < INT32_MAX ? number * 10 + (*export->at - '0') : number;
	return number;
}

bool
export_rows_next(Export *export, ExportRow *row)
{
	const char *values;

	skip_blanks(export);
	if (export->at == export->end || *export->at == ']')
		return false;
	go_behind(export, "\"id\":");
	row->number = read_number(export);
	go_behind(export, "\"geometry\":");
	row->geometry = export->at;
	row->geometry_length = skip_object(export);
	row->kind = kind_of(export, row->geometry, row->geometry_length);
	go_behind(export, "\"properties\":");
	values = export->at;
	row->values = row_load(values, skip_object(export));
	if (row->values == NULL)
		refuse_input(export);
	/* of the feature; a class may come before it */
	go_behind(export, "}");
	export->parse->taken = export->before + (uint64_t) (export->at - export->start);
	parse_progress(export->parse);
	return true;
}

/* ---- What a sheet has ---- */

/* Set the type that a column of the sheet has in the file. */
static void
set_type(ExportColumn *column, const char *type)
{
	column->type = OFTString;
	column->dates = strcmp(type, "date") == 0;
	if (strcmp(type, "integer") == 0)
		column->type = OFTInteger64;
	else if (strcmp(type, "decimal") == 0)
		column->type = OFTReal;
	else if (strcmp(type, "boolean") == 0)
		column->type = OFTInteger;
	else if (column->dates)
		column->type = OFTDate;
	else if (strcmp(type, "datetime") == 0)
		column->type = OFTDateTime;
	column->subtype = column->type == OFTInteger ? OFSTBoolean : OFSTNone;
}

/* Does a value have the type of its column? */
static bool
fits(const ExportColumn *column, const json_t *value)
{
	OGRField date;

	switch (column->type)
	{
		case OFTInteger64:
			return json_is_integer(value);
		case OFTReal:
			return json_is_number(value);
		case OFTInteger:
			return json_is_boolean(value);
		case OFTDate:
		case OFTDateTime:
			return json_is_string(value) && (!column->dates || json_string_length(value) == 10) &&
				   OGRParseDate(json_string_value(value), &date, 0);
		default:
			return true;
	}
}

/* Take the columns of a sheet. */
static void
take_columns(Export *export, ExportSheet *sheet)
{
	const json_t *columns = json_object_get(sheet->head, "columns");
	size_t index;
	const json_t *column;

	sheet->columns = parse_allocate(export->parse, json_array_size(columns) * sizeof(ExportColumn));
	json_array_foreach(columns, index, column)
	{
		const char *name = json_string_value(json_object_get(column, "name"));
		const char *type = json_string_value(json_object_get(column, "type"));
		const char *title = json_string_value(json_object_get(column, "title"));

		if (name == NULL)
			continue;
		sheet->columns[sheet->count].name = name;
		sheet->columns[sheet->count].title = title != NULL && *title != '\0' ? title : name;
		set_type(&sheet->columns[sheet->count++], type != NULL ? type : "text");
	}
}

/* Keep the columns that rows have: that of their geometries is none. */
static void
keep_columns(ExportSheet *sheet, const json_t *values)
{
	size_t kept = 0;

	for (size_t i = 0; i < sheet->count; i++)
		if (json_object_get(values, sheet->columns[i].name) != NULL)
			sheet->columns[kept++] = sheet->columns[i];
	sheet->count = kept;
}

#define NUMBER_WIDTH 30 /* bytes of a number, or what else is no text, as text */

/* Take note of a value of a column. */
static void
survey_value(ExportColumn *column, const json_t *value)
{
	size_t width = json_is_string(value) ? json_string_length(value) : NUMBER_WIDTH;

	if (value == NULL || json_is_null(value))
		return;
	if (!fits(column, value))
		set_type(column, "text");
	if (width > column->width)
		column->width = width;
}

/* Take note of the kinds and types of the rows of a sheet. */
static void
survey(Export *export, ExportSheet *sheet)
{
	ExportRow row;

	while (export_rows_next(export, &row))
	{
		if (sheet->kinds == 0)
			keep_columns(sheet, row.values);
		sheet->kinds |= 1u << row.kind;
		for (size_t i = 0; i < sheet->count; i++)
			survey_value(&sheet->columns[i], json_object_get(row.values, sheet->columns[i].name));
		json_decref(row.values);
	}
}

void
export_rows_sheet(Export *export, ExportSheet *sheet)
{
	const char *features;

	*sheet = (ExportSheet){0};
	sheet->head = row_load(export->start, skip_object(export));
	if (sheet->head == NULL)
		refuse_input(export);
	sheet->name = json_string_value(json_object_get(sheet->head, "name"));
	take_columns(export, sheet);
	go_behind(export, "\"features\":[");
	features = export->at;
	survey(export, sheet);
	export->before = (uint64_t) (export->at - features);
	export->at = features;
}
