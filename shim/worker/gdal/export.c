/*
 * export.c - rows as KML, GeoPackage or Shapefile: layers, columns, features.
 */
#include <math.h>
#include <strings.h>

#include "gdal/export.h"

/* A header of GDAL that declares it is C++. */
extern void RegisterOGRKML(void);

#define NAME_BYTES 150 /* of a layer, whose files have names with endings */

/* Of each kind of geometries: the ending of its layer's name, and its type. */
static const struct
{
	const char *name;
	OGRwkbGeometryType type;
} kinds[EXPORT_KINDS] = {{"points", wkbPoint},
						 {"multipoints", wkbMultiPoint},
						 {"lines", wkbMultiLineString},
						 {"areas", wkbMultiPolygon},
						 {"collections", wkbGeometryCollection}};

void
export_prepare(const Options *options)
{
	library_prepare(options);
	RegisterOGRKML();
	/* else jansson would open a file for a seed */
	json_object_seed(1);
}

/* Refuse what a driver has not done. */
static _Noreturn void
refuse(const Export *export)
{
	const char *fault = library_fault();

	parse_refuse(export->parse, "the rows could not be written: %s",
				 fault != NULL ? fault : "the driver gives no reason");
}

/* ---- Layers ---- */

/* Replace U+FFFE and U+FFFF, which XML does not have. */
static void
replace_noncharacters(char *text)
{
	while ((text = strstr(text, "\xEF\xBF")) != NULL)
	{
		text += 2;
		if (*text == '\xBE' || *text == '\xBF')
			*text = '\xBD';
	}
}

/* Replace letters that names cannot have. */
static void
clean_name(char *name, const char *never)
{
	replace_noncharacters(name);
	for (; *name != '\0'; name++)
		if ((unsigned char) *name < ' ' || (never != NULL && strchr(never, *name) != NULL))
			*name = '_';
}

/* Has one of the first columns the name, in any letters? */
static bool
is_field(const ExportSheet *sheet, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(sheet->columns[i].field, name) == 0)
			return true;
	return false;
}

/* Name the fields: no two have one that differs in capital letters only. */
static void
name_fields(Export *export, ExportSheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++)
	{
		const char *name = sheet->columns[i].name;
		size_t length = strlen(name);
		char *field = parse_allocate(export->parse, length + 20);

		memcpy(field, name, length);
		clean_name(field, export->form->never);
		for (int number = 2; is_field(sheet, i, field); number++)
			snprintf(field + length, 20, "_%d", number);
		sheet->columns[i].field = field;
	}
}

/* Write an option of a layer: a name that no column has. */
static char *
free_name(const ExportSheet *sheet, const char *option, const char *name, char *text, size_t size)
{
	size_t start = strlen(option) + 1;

	snprintf(text, size, "%s=%s", option, name);
	for (int number = 2; is_field(sheet, sheet->count, text + start); number++)
		snprintf(text, size, "%s=%s_%d", option, name, number);
	return text;
}

/* The name of a layer: that of the sheet, without what names of files cannot have. */
static char *
layer_name(Export *export, const ExportSheet *sheet, int kind)
{
	const char *name = sheet->name != NULL && *sheet->name != '\0' ? sheet->name : "rows";
	bool alone = export->form->mixed || (sheet->kinds & ~(1u << kind)) == 0;
	size_t size = NAME_BYTES + 40;
	char *text = parse_allocate(export->parse, size);

	snprintf(text, size, "%.*s%s%s", (int) frame_cut(name, strlen(name), NAME_BYTES), name,
			 alone ? "" : "_", alone ? "" : kinds[kind].name);
	clean_name(text, "\"&*/:<>?\\|'");
	if (*text == '.')
		*text = '_';
	return text;
}

static void
create_fields(const Export *export, const ExportSheet *sheet, OGRLayerH layer)
{
	for (size_t i = 0; i < sheet->count; i++)
	{
		const ExportColumn *column = &sheet->columns[i];
		bool text = (column->type == OFTDate && !export->form->dates) ||
					(column->type == OFTDateTime && !export->form->times);
		OGRFieldDefnH field = OGR_Fld_Create(column->field, text ? OFTString : column->type);
		OGRErr error;

		OGR_Fld_SetSubType(field, column->subtype);
		if (export->form->text > 0 && OGR_Fld_GetType(field) == OFTString)
			OGR_Fld_SetWidth(field, column->width > 0 ? column->width < (size_t) export->form->text
															? (int) column->width
															: export->form->text
													  : 1);
		if (strcmp(column->title, column->field) != 0)
			OGR_Fld_SetAlternativeName(field, column->title);
		error = OGR_L_CreateField(layer, field, TRUE);
		OGR_Fld_Destroy(field);
		if (error != OGRERR_NONE)
			refuse(export);
	}
}

/* Create the layer of a kind of geometries. */
static OGRLayerH
create_layer(Export *export, const ExportSheet *sheet, int kind)
{
	char fid[80];
	char geometry[80];
	char *options[] = {"ENCODING=UTF-8", free_name(sheet, "FID", "fid", fid, sizeof(fid)),
					   free_name(sheet, "GEOMETRY_NAME", "geom", geometry, sizeof(geometry)), NULL};
	OGRLayerH layer =
		GDALDatasetCreateLayer(export->dataset, layer_name(export, sheet, kind), export->reference,
							   export->form->mixed ? wkbUnknown : kinds[kind].type, options);

	if (layer == NULL)
		refuse(export);
	create_fields(export, sheet, layer);
	return layer;
}

/* ---- Features ---- */

/* Set a column of a feature to a text, which may be too long. */
static void
set_text(const Export *export, ExportColumn *column, OGRFeatureH feature, int number,
		 const char *text)
{
	if (export->form->text > 0 && strlen(text) > (size_t) export->form->text)
		column->cut++;
	/* it is that of the row, which has it as the name of the feature, too */
	if (export->form->named)
		replace_noncharacters((char *) (uintptr_t) text);
	OGR_F_SetFieldString(feature, number, text);
}

static void
set_number(const Export *export, ExportColumn *column, OGRFeatureH feature, int number,
		   double value)
{
	if (export->form->number > 0 && fabs(value) >= export->form->number)
		column->without++;
	else
		OGR_F_SetFieldDouble(feature, number, value);
}

static void
set_value(const Export *export, ExportColumn *column, OGRFeatureH feature, int number,
		  const json_t *value)
{
	char *text;

	if (value == NULL || json_is_null(value))
		return;
	if (json_is_string(value))
		set_text(export, column, feature, number, json_string_value(value));
	else if (column->type == OFTInteger)
		OGR_F_SetFieldInteger(feature, number, json_is_true(value));
	else if (column->type == OFTInteger64)
		OGR_F_SetFieldInteger64(feature, number, json_integer_value(value));
	else if (column->type == OFTReal)
		set_number(export, column, feature, number, json_number_value(value));
	else if ((text = json_dumps(value, JSON_ENCODE_ANY)) != NULL)
	{
		set_text(export, column, feature, number, text);
		free(text);
	}
}

/* The geometry of a row, of the type of its layer; NULL: the row has none that is valid. */
static OGRGeometryH
read_geometry(Export *export, const ExportRow *row)
{
	Buffer *text = &export->geometry;
	OGRGeometryH geometry;

	text->length = 0;
	buffer_append(text, row->geometry, row->geometry_length);
	buffer_append(text, "", 1);
	if (text->failed)
		parse_refuse_memory(export->parse);
	geometry = OGR_G_CreateGeometryFromJson(text->data);
	if (geometry == NULL)
		refuse(export);
	return export->form->mixed ? geometry : OGR_G_ForceTo(geometry, kinds[row->kind].type, NULL);
}

static void
write_row(Export *export, ExportSheet *sheet, OGRLayerH layer, const ExportRow *row)
{
	OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(layer));
	/* a driver may have fields of its own, which come first */
	int first = OGR_F_GetFieldCount(feature) - (int) sheet->count;
	const char *name = NULL;

	OGR_F_SetFID(feature, row->number);
	for (size_t i = 0; i < sheet->count; i++)
	{
		const json_t *value = json_object_get(row->values, sheet->columns[i].name);

		set_value(export, &sheet->columns[i], feature, first + (int) i, value);
		if (name == NULL && sheet->columns[i].type == OFTString)
			name = json_string_value(value);
	}
	if (export->form->named && name != NULL)
		OGR_F_SetFieldString(feature, 0, name);
	OGR_F_SetGeometryDirectly(feature, read_geometry(export, row));
	if (OGR_L_CreateFeature(layer, feature) != OGRERR_NONE)
		refuse(export);
	OGR_F_Destroy(feature);
}

/* Write a sheet: its layers are created when a row needs them, and one where there are no rows. */
static void
write_sheet(Export *export, ExportSheet *sheet)
{
	OGRLayerH layers[EXPORT_KINDS] = {NULL};
	ExportRow row;

	name_fields(export, sheet);
	if (sheet->kinds == 0)
		layers[0] = create_layer(export, sheet, 0);
	while (export_rows_next(export, &row))
	{
		int kind = export->form->mixed ? 0 : row.kind;

		if (kind == EXPORT_COLLECTIONS && !export->form->collection)
			sheet->left_out++;
		else
		{
			if (layers[kind] == NULL)
				layers[kind] = create_layer(export, sheet, kind);
			write_row(export, sheet, layers[kind], &row);
		}
		json_decref(row.values);
	}
	for (int kind = 0; kind < EXPORT_KINDS; kind++)
		if (layers[kind] != NULL && export->form->noted)
			export_file_note(export, sheet, layers[kind]);
}

/* Write what the input has; where a driver has transactions, each row would be one. */
static void
write_input(Export *export)
{
	bool transactions = GDALDatasetTestCapability(export->dataset, ODsCTransactions);
	ExportSheet sheet;

	export_rows_sheet(export, &sheet);
	if (transactions && GDALDatasetStartTransaction(export->dataset, FALSE) != OGRERR_NONE)
		refuse(export);
	write_sheet(export, &sheet);
	json_decref(sheet.head);
	if (transactions && GDALDatasetCommitTransaction(export->dataset) != OGRERR_NONE)
		refuse(export);
}

/* Write the rows of the input as a file of the form. */
static void
export_run(Parse *parse, const ExportForm *form)
{
	Export export = {.parse = parse, .form = form, .at = parse->source->map(parse->source)};

	if (export.at == NULL)
		parse_refuse_memory(parse);
	export.start = export.at;
	export.end = export.at + parse->source->size;
	buffer_init(&export.notes, 4 << 20);
	buffer_init(&export.geometry, 1 << 30);
	export.reference = OSRNewSpatialReference(NULL);
	if (OSRImportFromEPSG(export.reference, 4326) != OGRERR_NONE)
		refuse(&export);
	OSRSetAxisMappingStrategy(export.reference, OAMS_TRADITIONAL_GIS_ORDER);
	library_forget();
	export.dataset =
		GDALCreate(GDALGetDriverByName(form->driver), form->path, 0, 0, 0, GDT_Unknown, NULL);
	if (export.dataset == NULL)
		refuse(&export);
	write_input(&export);
	GDALClose(export.dataset);
	if (library_fault() != NULL)
		refuse(&export);
	export_file_send(&export);
}

void
export_kml(Parse *parse)
{
	static const ExportForm form = {.driver = "KML",
									.path = "/vsimem/rows.kml",
									/* the driver does not escape them */
									.never = "\"&'<>",
									.mixed = true,
									.named = true,
									.collection = true};

	export_run(parse, &form);
}

void
export_gpkg(Parse *parse)
{
	static const ExportForm form = {.driver = "GPKG",
									.path = "/vsimem/rows.gpkg",
									.collection = true,
									.dates = true,
									.times = true};

	export_run(parse, &form);
}

void
export_shape(Parse *parse)
{
	/* a number has 24 characters, some of which are decimals */
	static const ExportForm form = {.driver = "ESRI Shapefile",
									.path = "/vsimem/rows",
									.dates = true,
									.noted = true,
									.text = 254,
									.number = 1e22};

	export_run(parse, &form);
}
