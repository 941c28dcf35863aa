/*
 * map_issues.c
 *	  Rows of a file that are no points of its map, with the reasons.
 */
#include "catalogue.h"

#include "rows/visuals/visuals_internal.h"

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

/* Write the issues of a map that is made from the columns of a file. */
static void
read_file(Issues *issues, const VisualRead *read, char **fields)
{
	SheetQuery *asked = cat_map_rows_sheet(read, fields[0]);

	if (!asked)
		ereport(ERROR, (errcode(OD404), errmsg("File \"%s\" has no sheets", fields[0])));
	if (!cat_map_rows_find(asked, fields[1], fields[2]))
		for (int i = 1; i <= 2; i++)
			require_column(issues, asked, fields[i]);
	if (issues->reply->count == 0 && !fields[3])
		add_issue(issues, 0,
				  psprintf("the file has " INT64_FORMAT
						   " rows; see the settings catalogue.map_features and mapPointsLimit",
						   asked->sheet->rows));
	else if (issues->reply->count == 0)
		read_rows(issues, asked);
}

/*
 * List the rows of a file that are no points of its map.
 *
 * Raises OD404 if the file has no bytes, OD406 if its type is not parsed, OD409 if it is not parsed
 * yet or could not be.
 */
CAT_FUNCTION(catalogue_map_issues)
{
	static const char *const names[] = {"file", "latitudeKey", "longitudeKey", "correct", NULL};
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
		if (fields[0] && fields[1] && fields[2])
			read_file(&issues, &read, fields);
		appendStringInfoChar(read.call.reply.data, ']');
	}
	return cat_read_end(&read.call, fcinfo);
}
