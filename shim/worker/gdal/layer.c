/*
 * layer.c - the features of a layer as rows.
 */
#include <cpl_conv.h>

#include "gdal/layers.h"
#include "geo/shape.h"
#include "geo/wkb.h"

#define CHECKED (1 << 20) /* bytes of a geometry that is checked for crossings, at most */

typedef struct Layer
{
	Layers *layers;
	Parse *parse;
	OGRLayerH layer;
	Features *features;
	System system;
	FeaturesPlace place;
	int *field; /* numbers of the attributes that have a column */
	int fields;
	bool key;			  /* a column behind them has the key of the table */
	unsigned char *bytes; /* of a geometry */
	size_t room;
} Layer;

/* Kinds of geometries, as far as their columns differ. */
static FeaturesPlace
place_of(OGRwkbGeometryType type)
{
	type = OGR_GT_Flatten(type);
	if (type == wkbNone)
		return PLACE_NONE;
	if (type == wkbPoint)
		return PLACE_POINT;
	/* those of one point are points */
	return type == wkbUnknown || type == wkbMultiPoint || type == wkbGeometryCollection
			   ? PLACE_MIXED
			   : PLACE_SHAPE;
}

/* The one part of a collection of one, or the geometry itself. */
static OGRGeometryH
only_part(OGRGeometryH geometry)
{
	OGRwkbGeometryType type = OGR_GT_Flatten(OGR_G_GetGeometryType(geometry));

	while ((type == wkbMultiPoint || type == wkbGeometryCollection) &&
		   OGR_G_GetGeometryCount(geometry) == 1)
	{
		geometry = OGR_G_GetGeometryRef(geometry, 0);
		type = OGR_GT_Flatten(OGR_G_GetGeometryType(geometry));
	}
	return geometry;
}

/* Which geometries a layer has that may have any. */
static FeaturesPlace
look_at_features(OGRLayerH layer)
{
	bool points = false;
	bool shapes = false;
	OGRFeatureH feature;

	OGR_L_ResetReading(layer);
	while (!(points && shapes) && (feature = OGR_L_GetNextFeature(layer)) != NULL)
	{
		OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);

		if (geometry != NULL &&
			OGR_GT_Flatten(OGR_G_GetGeometryType(only_part(geometry))) == wkbPoint)
			points = true;
		else if (geometry != NULL)
			shapes = true;
		OGR_F_Destroy(feature);
	}
	return points && shapes ? PLACE_MIXED : shapes ? PLACE_SHAPE : PLACE_POINT;
}

/* Does any feature have the attribute? */
static bool
is_used(OGRLayerH layer, int field)
{
	bool used = false;
	OGRFeatureH feature;

	OGR_L_ResetReading(layer);
	while (!used && (feature = OGR_L_GetNextFeature(layer)) != NULL)
	{
		used = OGR_F_IsFieldSetAndNotNull(feature, field);
		OGR_F_Destroy(feature);
	}
	return used;
}

/* Does an attribute get a column? */
static bool
is_kept(const Layer *layer, OGRFeatureDefnH fields, int number)
{
	const DatasetForm *form = layer->layers->form;
	const char *name = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(fields, number));

	/* of GML later versions of GDAL make attributes of the extent of each feature */
	if (strcmp(form->driver, "GML") == 0 &&
		(strcmp(name, "lowerCorner") == 0 || strcmp(name, "upperCorner") == 0))
		return false;
	return !form->sparse || is_used(layer->layer, number);
}

/* Find the attributes that get a column. */
static void
find_fields(Layer *layer)
{
	const Layers *layers = layer->layers;
	OGRFeatureDefnH form = OGR_L_GetLayerDefn(layer->layer);
	int count = layers->bare ? 0 : OGR_FD_GetFieldCount(form);

	if (count > LAYER_FIELDS)
		parse_refuse(layer->parse, "a layer has more than 1,000 attributes");
	layer->field = parse_allocate(layer->parse, ((size_t) count + 1) * sizeof(int));
	for (int i = 0; i < count; i++)
		if (is_kept(layer, form, i))
			layer->field[layer->fields++] = i;
}

/* Tables that programs add for themselves are hidden. */
static bool
is_hidden(const char *name)
{
	return strcmp(name, "layer_styles") == 0 || strcmp(name, "qgis_projects") == 0;
}

/* Names of the columns, up to a NULL. */
static const char **
name_columns(const Layer *layer)
{
	OGRFeatureDefnH form = OGR_L_GetLayerDefn(layer->layer);
	const char **titles =
		parse_allocate(layer->parse, ((size_t) layer->fields + 2) * sizeof(char *));
	Buffer *text = &layer->parse->cell;

	for (int i = 0; i < layer->fields; i++)
	{
		text->length = 0;
		field_text(layer->layers, OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(form, layer->field[i])),
				   text);
		buffer_append(text, "", 1);
		titles[i] = parse_copy(layer->parse, text->failed ? "" : text->data);
	}
	if (layer->key)
		titles[layer->fields] = OGR_L_GetFIDColumn(layer->layer);
	return titles;
}

/* Begin the sheet, and tell of the system. */
static void
begin(Layer *layer)
{
	const char *name = layer->layers->name;
	const System *system = &layer->system;
	FeaturesForm form = {.titles = name_columns(layer),
						 .place = layer->place,
						 .number = ++layer->layers->sheets,
						 .name = name != NULL ? name : OGR_L_GetName(layer->layer),
						 .hidden = is_hidden(OGR_L_GetName(layer->layer))};

	layer->features = features_begin(layer->parse, &form);
	if (layer->layers->note != NULL)
		features_report(layer->features, layer->layers->note);
	if (layer->place == PLACE_NONE)
		return;
	if (system->kind == SYSTEM_FOREIGN)
		features_foreign(layer->features, system->name, strlen(system->name));
	else if (system->kind == SYSTEM_UNKNOWN)
		features_unknown(layer->features);
	else if (system->kind == SYSTEM_DEGREES)
		features_report(layer->features,
						"the file does not say in which system its coordinates are, "
						"so they are taken as degrees of WGS 84");
	else if (system->note[0] != '\0')
		features_report(layer->features, system->note);
}

/* The geometry as WKB: of one without curves and measures. */
static size_t export(Layer *layer, OGRGeometryH geometry)
{
	size_t size = OGR_G_WkbSizeEx(geometry);

	if (size > layer->room)
	{
		layer->bytes = parse_resize(layer->parse, layer->bytes, size);
		layer->room = size;
	}
	return OGR_G_ExportToIsoWkb(geometry, wkbNDR, layer->bytes) == OGRERR_NONE ? size : 0;
}

/* Put a point into its columns; false where the layer has none. */
static void
put_point(Layer *layer, const Wkb *wkb)
{
	char text[GEOGRAPHY_NUMBER];

	features_geometry(layer->features, "Point", 5);
	for (unsigned axis = 0; axis < 2U + wkb->high; axis++)
	{
		double turn = axis == 0 && layer->system.crossing && wkb->position[0] > 180 ? 360 : 0;

		features_position(layer->features, axis, text,
						  geography_format(text, wkb->position[axis] - turn));
	}
}

/* Tell of a polygon that crosses itself, which maps may draw otherwise. */
static void
check_shape(Layer *layer, OGRGeometryH geometry)
{
	OGRwkbGeometryType type = OGR_GT_Flatten(OGR_G_GetGeometryType(geometry));

	if ((type == wkbPolygon || type == wkbMultiPolygon) && !OGR_G_IsValid(geometry))
		features_report(layer->features, "the polygon is not valid: its rings cross or are broken");
}

static void
put_geometry(Layer *layer, OGRGeometryH geometry)
{
	static const char *const reasons[] = {
		[WKB_EMPTY] = "the geometry is empty",
		[WKB_OTHER] = "the geometry is a surface or a solid, which is not read",
		[WKB_FAULTY] = "the geometry has coordinates that are no numbers, and is left out",
		[WKB_OUTSIDE] = "the geometry cannot be converted to WGS 84, and is left out",
		[WKB_LONG] = SHAPE_LONG};
	Wkb wkb = {.convert = layer->system.kind == SYSTEM_OTHER ? system_convert : NULL,
			   .data = &layer->system,
			   .text = &layer->parse->shape};
	size_t length = export(layer, geometry);
	WkbEnd end = wkb_write(&wkb, layer->bytes, length);

	if (end == WKB_POINT)
		put_point(layer, &wkb);
	else if (end == WKB_SHAPE)
	{
		features_shape(layer->features, &wkb.extent);
		if (length <= CHECKED)
			check_shape(layer, geometry);
	}
	else
		features_unplaced(layer->features, reasons[end]);
}

static void
read_geometry(Layer *layer, OGRFeatureH feature)
{
	OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
	OGRGeometryH linear = NULL;

	if (geometry == NULL)
		return;
	if (OGR_G_HasCurveGeometry(geometry, FALSE))
		geometry = linear = OGR_G_GetLinearGeometry(geometry, 0, NULL);
	if (geometry != NULL)
		put_geometry(layer, geometry);
	OGR_G_DestroyGeometry(linear);
}

static void
read_fields(Layer *layer, OGRFeatureH feature)
{
	Buffer *cell = &layer->parse->cell;

	for (int i = 0; i < layer->fields; i++)
		if (OGR_F_IsFieldSetAndNotNull(feature, layer->field[i]))
		{
			field_write(layer->layers, feature, layer->field[i]);
			features_set(layer->features, features_format_column(layer->features, (unsigned) i));
		}
	if (!layer->key)
		return;
	cell->length = 0;
	buffer_format(cell, "%lld", (long long) OGR_F_GetFID(feature));
	features_set(layer->features,
				 features_format_column(layer->features, (unsigned) layer->fields));
}

static void
read_feature(Layer *layer, OGRFeatureH feature)
{
	const char *fault = library_fault();

	features_open(layer->features);
	if (fault != NULL)
		features_report(layer->features, fault);
	library_forget();
	read_fields(layer, feature);
	if (layer->place != PLACE_NONE)
		read_geometry(layer, feature);
	features_close(layer->features);
	library_forget();
}

/* Report progress by the part of the features that were read. */
static void
go_on(const Layer *layer, uint64_t done, uint64_t count)
{
	Parse *parse = layer->parse;
	uint64_t taken = count > 0 ? parse->source->size / count * done : 0;

	if (taken > parse->taken && taken <= parse->source->size)
		parse->taken = taken;
	parse_progress(parse);
}

static void
read_features(Layer *layer)
{
	GIntBig count = OGR_L_GetFeatureCount(layer->layer, TRUE);
	uint64_t done = 0;
	OGRFeatureH feature;
	const char *fault;

	OGR_L_ResetReading(layer->layer);
	library_forget();
	while ((feature = OGR_L_GetNextFeature(layer->layer)) != NULL)
	{
		read_feature(layer, feature);
		OGR_F_Destroy(feature);
		go_on(layer, ++done, count > 0 ? (uint64_t) count : 0);
	}
	fault = library_fault();
	if (fault != NULL)
		features_report(layer->features, fault);
	if (count > 0 && (uint64_t) count > done)
		features_report(layer->features, "the file has more features than can be read");
}

void
layer_read(Layers *layers, OGRLayerH handle)
{
	const char *key = OGR_L_GetFIDColumn(handle);
	Layer layer = {.layers = layers, .parse = layers->parse, .layer = handle};
	OGREnvelope extent = {1, -1, 1, -1};

	find_fields(&layer);
	layer.key = *key != '\0' && strcmp(key, "fid") != 0 && strcmp(key, "ogc_fid") != 0;
	layer.place = place_of(OGR_L_GetGeomType(handle));
	if (layer.place == PLACE_MIXED)
		layer.place = look_at_features(handle);
	if (layer.place != PLACE_NONE)
	{
		(void) OGR_L_GetExtent(handle, &extent, TRUE);
		system_find(&layer.system, OGR_L_GetSpatialRef(handle), &extent);
	}
	begin(&layer);
	read_features(&layer);
	features_end(layer.features);
	proj_destroy(layer.system.operation);
	parse_release(layers->parse, layer.field);
	parse_release(layers->parse, layer.bytes);
}
