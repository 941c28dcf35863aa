/*
 * map_download.c
 *	  Maps as geographic files.
 */
#include "catalogue.h"

#include "downloads/downloads_internal.h"
#include "rows/visuals/visuals.h"

/* Return the geographic format of a name that a job makes.  Raises OD406 for another one. */
static DownloadFormat
require_format(const char *form)
{
	int format = cat_download_format(form);

	if (format < 0 || !download_formats[format].placed || download_formats[format].streamed)
		ereport(ERROR, (errcode(OD406), errmsg("a map cannot be converted to \"%s\"", form),
						errhint("Maps can be converted to kml, gpkg and shp; /maps/<id>/geojson "
								"has their features as GeoJSON.")));
	return (DownloadFormat) format;
}

/* Return the rows of a map.  Raises OD406 for one that is made of none. */
static SheetQuery *
ask_rows(FunctionCallInfo fcinfo, const CallArguments *args, ReadCall *call, char **name)
{
	SheetQuery *asked = cat_map_geojson_ask(fcinfo, args, call, name);

	if (!asked)
		ereport(ERROR, (errcode(OD406),
						errmsg("Map \"%s\" is not made of the rows of a file", call->reply.id),
						errhint("/maps/<id>/geojson has its features.")));
	return asked;
}

CAT_REPLY(catalogue_map_download)
{
	DownloadFormat format = require_format(cat_call_reply_required(fcinfo, ARG_MAP_DOWNLOAD_FORM));
	ReadCall call = {0};
	char *name;
	SheetQuery *asked = ask_rows(fcinfo, &args_map_download, &call, &name);
	const char *query = cat_call_reply_argument(fcinfo, ARG_MAP_DOWNLOAD_QUERY);

	cat_read_version_release(call.plan.params);
	cat_workbook_rows_require(asked, &call.actor, format);
	reply->resource = "maps";
	reply->id = call.reply.id;
	cat_statement_fresh(
		"SELECT catalogue.map_download_answer($1, $2, $3::jsonb, $4)", text_param(reply->id),
		text_param(download_formats[format].name),
		text_param(cat_workbook_rows_json(cat_workbook_rows_query(call.plan.params, query, true),
										  asked, &call.actor)),
		text_param(cat_download_audience(&call.actor)));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

CAT_FUNCTION(catalogue_convert_map)
{
	ReadCall call;
	SheetQuery *asked;
	char *name;

	cat_call_reply_begin();
	asked = ask_rows(fcinfo, &args_convert_map, &call, &name);
	call.reply.data = cat_workbook_rows_describe(name, asked->sheet->rows, asked);
	return cat_read_end(&call, fcinfo);
}
