/*
 * map_issues.c
 *	  Rows of a file that have no place on its map, with the reasons.
 */
#include "catalogue.h"

#include "rows/visuals/visuals_internal.h"

/* Fields of the record. */
enum
{
	FILE_ID,
	LATITUDE_KEY,
	LONGITUDE_KEY,
	KEY,
	SHAPES,
	SHAPES_KEY,
	CORRECT
};

/* Return whether the map has the outlines of another file. */
static bool
is_joined(char **fields)
{
	return fields[KEY] && fields[SHAPES] && fields[SHAPES_KEY];
}

/* A page of issues while it is written. */
typedef struct Issues
{
	CallReply *reply;
	int64 skip;
	int limit;
} Issues;

/* Add an issue, which is on the page or not; row: 0 for one of the whole map. */
static void
add_issue(Issues *issues, int64 row, const char *reason)
{
	StringInfo out = issues->reply->data;

	if (issues->reply->count++ < issues->skip || issues->reply->returned >= issues->limit)
		return;
	appendStringInfo(out, "%s{\"row\":%s,\"reason\":%s}", issues->reply->returned++ > 0 ? "," : "",
					 row > 0 ? psprintf(INT64_FORMAT, row) : "null", cat_json_quoted(reason));
}

/* Add an issue, if the file has no column of that name. */
static void
require_column(Issues *issues, const SheetQuery *asked, const char *name)
{
	if (cat_sheet_lookup_column(asked->sheet, name) < 0)
		add_issue(issues, 0, psprintf("the file has no column \"%s\"", name));
}

static void
read_rows(Issues *issues, const SheetQuery *asked)
{
	StringInfoData feature;
	ChunkScan scan;

	initStringInfo(&feature);
	cat_sheet_scan_open(&scan, asked->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		for (int row = 0; row < scan.chunk.rows; row++)
		{
			SheetPlace place;
			char *reason = cat_geojson_append(&feature, asked, &scan, row, &place);

			resetStringInfo(&feature);
			if (!reason)
				continue;
			add_issue(issues, scan.chunk.first + row, reason);
			pfree(reason);
		}
}

/* Return a query for the sheet of a file. */
static SheetQuery *
require_sheet(const VisualRead *read, const char *file)
{
	SheetQuery *asked = cat_map_rows_sheet(read, file);

	if (!asked)
		ereport(ERROR, (errcode(OD404), errmsg("File \"%s\" has no sheets", file)));
	return asked;
}

/* Add an issue for what is missing of the places. */
static void
find_coordinates(Issues *issues, SheetQuery *asked, char **fields)
{
	if (!cat_map_rows_find(asked, fields[LATITUDE_KEY], fields[LONGITUDE_KEY]))
		for (int i = LATITUDE_KEY; i <= LONGITUDE_KEY; i++)
			require_column(issues, asked, fields[i]);
}

static void
find_outlines(Issues *issues, SheetQuery *asked, SheetQuery *outlines, char **fields)
{
	if (cat_map_rows_join(asked, fields[KEY], outlines, fields[SHAPES_KEY]))
		return;
	require_column(issues, asked, fields[KEY]);
	require_column(issues, outlines, fields[SHAPES_KEY]);
	if (!cat_geojson_usual(outlines))
		add_issue(issues, 0, "the rows of the file of the outlines have no known places");
}

/* Add an issue for a row of the outlines whose key one before has. */
static void
add_twice(void *data, int first, int row)
{
	add_issue(data, 0,
			  psprintf("rows %d and %d of the outlines have the same key: the first one counts",
					   first, row));
}

/* Write the issues of a map that is made from the columns of a file. */
static void
read_file(Issues *issues, const VisualRead *read, char **fields)
{
	SheetQuery *asked = require_sheet(read, fields[FILE_ID]);
	SheetQuery *outlines = is_joined(fields) ? require_sheet(read, fields[SHAPES]) : NULL;

	if (outlines)
		find_outlines(issues, asked, outlines, fields);
	else
		find_coordinates(issues, asked, fields);
	if (issues->reply->count > 0)
		return;
	if (!fields[CORRECT])
	{
		add_issue(issues, 0,
				  psprintf("the file has " INT64_FORMAT
						   " rows; see the settings catalogue.map_features and mapPointsLimit",
						   outlines ? Max(asked->sheet->rows, outlines->sheet->rows)
									: asked->sheet->rows));
		return;
	}
	if (outlines)
		cat_outlines_twice(asked, add_twice, issues);
	read_rows(issues, asked);
}

/*
 * List the rows of a file that have no place on its map.
 *
 * Raises OD404 if the file has no bytes, OD406 if its type is not parsed, OD409 if it is not parsed
 * yet or could not be.
 */
CAT_FUNCTION(catalogue_map_issues)
{
	static const char *const names[] = {[FILE_ID] = "file",
										[LATITUDE_KEY] = "latitudeKey",
										[LONGITUDE_KEY] = "longitudeKey",
										[KEY] = "key",
										[SHAPES] = "shapes",
										[SHAPES_KEY] = "shapesKey",
										[CORRECT] = "correct",
										NULL};
	VisualRead read;
	Issues issues;
	char **fields;

	cat_visual_read_begin(&read, fcinfo, &args_map_issues, NULL);
	fields = cat_visual_read_fields(&read, names);
	read.call.reply.is_list = true;
	read.call.reply.limit = read.call.plan.params->limit;
	read.call.reply.skip = read.call.plan.params->skip;
	if (!read.known)
	{
		read.call.reply.data = makeStringInfo();
		issues =
			(Issues){&read.call.reply, read.call.plan.params->skip, read.call.plan.params->limit};
		appendStringInfoChar(read.call.reply.data, '[');
		if (fields[FILE_ID] &&
			(is_joined(fields) || (fields[LATITUDE_KEY] && fields[LONGITUDE_KEY])))
			read_file(&issues, &read, fields);
		appendStringInfoChar(read.call.reply.data, ']');
	}
	return cat_read_end(&read.call, fcinfo);
}
