/*
 * dataset.c - a file in memory, read by the one driver of its kind.
 */
#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <gdal.h>

#include "gdal/layers.h"
#include "text/text.h"

static const char *const no_options[] = {NULL};
/* texts come as they are in the file, and dbf.c finds their encoding */
static const char *const shape_options[] = {"ENCODING=", NULL};
/* also of one that was not closed, and without files beside it */
static const char *const gpkg_options[] = {"IMMUTABLE=YES", "LIST_ALL_TABLES=AUTO", NULL};
static const char *const gml_options[] = {"WRITE_GFS=NO", "DOWNLOAD_SCHEMA=NO", NULL};

const DatasetForm dataset_shape = {"ESRI Shapefile", "layer.shp", "a Shapefile", shape_options,
								   false};
const DatasetForm dataset_tab = {"MapInfo File", "layer.tab", "MapInfo TAB", no_options, false};
const DatasetForm dataset_mif = {"MapInfo File", "layer.mif", "MapInfo MIF", no_options, false};
static const DatasetForm gpkg = {"GPKG", "file.gpkg", "a GeoPackage", gpkg_options, false};
static const DatasetForm gml = {"GML", "file.gml", "GML", gml_options, false};
static const DatasetForm gpx = {"GPX", "file.gpx", "GPX", no_options, true};
static const DatasetForm topojson = {"TopoJSON", "file.topojson", "TopoJSON", no_options, false};
static const DatasetForm fgb = {"FlatGeobuf", "file.fgb", "FlatGeobuf", no_options, false};
static const DatasetForm dxf = {"DXF", "file.dxf", "DXF", no_options, false};

void
dataset_put(Layers *layers, const char *path, char *bytes, size_t length)
{
	VSILFILE *file = VSIFileFromMemBuffer(path, (GByte *) bytes, length, FALSE);

	if (file == NULL)
		parse_refuse_memory(layers->parse);
	VSIFCloseL(file);
}

static void
read_layers(Layers *layers, const DatasetForm *form, GDALDatasetH dataset)
{
	int count = GDALDatasetGetLayerCount(dataset);

	for (int i = 0; i < count; i++)
	{
		OGRLayerH layer = GDALDatasetGetLayer(dataset, i);

		if (layers->sheets == LAYERS_MAXIMUM)
			parse_refuse_file(layers->parse, "the file has more than 256 layers");
		if (!form->sparse || OGR_L_GetFeatureCount(layer, TRUE) > 0)
			layer_read(layers, layer);
	}
}

void
dataset_read(Layers *layers, const DatasetForm *form, const char *path)
{
	const char *drivers[] = {form->driver, NULL};
	GDALDatasetH dataset;
	const char *fault;

	library_forget();
	CPLSetConfigOption("SHAPE_RESTORE_SHX", layers->unlisted ? "YES" : "NO");
	dataset = GDALOpenEx(path, GDAL_OF_VECTOR | GDAL_OF_READONLY, drivers, form->options, NULL);
	fault = library_fault();
	layers->form = form;
	if (dataset == NULL)
		parse_refuse(layers->parse, "the file cannot be read as %s%s%s", form->what,
					 fault != NULL ? ": " : "", fault != NULL ? fault : "");
	read_layers(layers, form, dataset);
	GDALClose(dataset);
}

/* Read a file that is whole by itself. */
static void
read_file(Parse *parse, const DatasetForm *form, Layers *layers)
{
	char path[64];
	char *bytes;

	if (parse->source->size == 0)
		parse_refuse(parse, "the file is empty");
	bytes = parse->source->map(parse->source);
	if (bytes == NULL)
		parse_refuse_memory(parse);
	snprintf(path, sizeof(path), "/vsimem/%s", form->name);
	layers->parse = parse;
	dataset_put(layers, path, bytes, parse->source->size);
	dataset_read(layers, form, path);
	if (layers->sheets == 0)
		parse_refuse(parse, "the file has no layer with features");
}

void
dataset_read_shape(Parse *parse)
{
	read_file(parse, &dataset_shape,
			  &(Layers){.name = "",
						.bare = true,
						.unlisted = true,
						.note =
							"a .shp alone has no attributes and does not say in which system its "
							"coordinates are: upload a .zip with the .dbf and the .prj"});
}

void
dataset_read_gpkg(Parse *parse)
{
	read_file(parse, &gpkg, &(Layers){0});
}

void
dataset_read_gml(Parse *parse)
{
	read_file(parse, &gml, &(Layers){0});
}

void
dataset_read_gpx(Parse *parse)
{
	read_file(parse, &gpx, &(Layers){0});
}

void
dataset_read_topojson(Parse *parse)
{
	read_file(parse, &topojson, &(Layers){0});
}

void
dataset_read_fgb(Parse *parse)
{
	read_file(parse, &fgb, &(Layers){.name = ""});
}

void
dataset_read_mif(Parse *parse)
{
	read_file(parse, &dataset_mif,
			  &(Layers){.name = "",
						.bare = true,
						.note = "a .mif alone has no attributes: upload a .zip with the .mid"});
}

void
dataset_read_dxf(Parse *parse)
{
	read_file(parse, &dxf, &(Layers){.name = ""});
}
