/*
 * main.c - the command line of catalogue-geo-reader, which the worker starts for a geographic file, for
 * a table in a system of coordinates, and for rows that are downloaded as a geographic file.
 */
#include "../../extension/files/file_types.h"
#include "answers/answers.h"
#include "formats/formats.h"
#include "gdal/layers.h"
#include "sandbox/command.h"
#include "text/text.h"
#include "xls/xls.h"

static void
prepare_xls(const Options *options)
{
	library_prepare(options);
	biff_prepare(options);
}

int
main(int count, char **arguments)
{
	static const Reader readers[] = {
		[READER_CSV] = {csv_read, library_prepare},
		[READER_XLSX] = {xlsx_read, library_prepare},
		[READER_XLS] = {xls_read, prepare_xls},
		[READER_ODS] = {ods_read, library_prepare},
		[READER_JSON] = {answer_read_json, library_prepare},
		[READER_XML] = {xml_answer_read, library_prepare},
		[READER_GEOJSON] = {geojson_read, library_prepare},
		[READER_LAYERS] = {archive_read, library_prepare},
		[READER_SHAPE] = {dataset_read_shape, library_prepare},
		[READER_GPKG] = {dataset_read_gpkg, library_prepare},
		[READER_GML] = {dataset_read_gml, library_prepare},
		[READER_GPX] = {dataset_read_gpx, library_prepare},
		[READER_TOPOJSON] = {dataset_read_topojson, library_prepare},
		[READER_FGB] = {dataset_read_fgb, library_prepare},
		[READER_MIF] = {dataset_read_mif, library_prepare},
		[READER_DXF] = {dataset_read_dxf, library_prepare},
		[READER_TO_KML] = {export_kml, export_prepare},
		[READER_TO_GPKG] = {export_gpkg, export_prepare},
		[READER_TO_SHAPE] = {export_shape, export_prepare},
	};
	static const ReaderCommand command = {"catalogue-geo-reader", readers, lengthof(readers),
										  LIBRARY_MEMORY, &system_systems};
	bool named = count > 1 && strcmp(arguments[1], "--parse") == 0;

	return command_run(&command, named ? count - 2 : 0, arguments + 2);
}
