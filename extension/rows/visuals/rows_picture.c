/*
 * rows_picture.c
 *	  The rows of a file that a query selects as a picture: groups as a chart, places as a map.
 *
 * Nothing is stored, so that whoever reads the rows can look at them.
 */
#include "catalogue.h"

#include "rows/contents/stream.h"
#include "rows/pictures/pictures.h"
#include "rows/visuals/visuals_internal.h"

/* Groups of a chart, and points of a map, unless the query has a limit. */
#define BARS_MOST 40	   /* whose names can be read */
#define INSTANTS_MOST 1000 /* of a line */
#define POINTS_MOST 10000

/* Return the column that a chart has its labels from. */
static const SheetColumn *
label_column(const SheetQuery *asked)
{
	return &asked->sheet->columns[linitial_int(asked->groups)];
}

/* Raise OD422 for groups that no chart shows. */
static void
require_chart(const SheetQuery *asked)
{
	if (!cat_sheet_groups_drawn(asked))
		ereport(ERROR, (errcode(OD422), errmsg("the rows cannot be drawn as a chart"),
						errhint("A chart takes groupBy with one or two columns, and one aggregate "
								"whose values are numbers.")));
}

/* Set the page of the groups: unless it is asked for, instants in their order, others by their values. */
static void
set_page(SheetQuery *asked)
{
	bool is_time = cat_cell_is_time(label_column(asked)->kind);
	SheetOrder *order = palloc0(sizeof(SheetOrder));

	if (!asked->params->limited)
		asked->params->limit = is_time || asked->groups->length > 1 ? INSTANTS_MOST : BARS_MOST;
	if (asked->orders != NIL)
		return;
	order->column = is_time ? 0 : list_length(asked->groups);
	order->descending = !is_time;
	asked->orders = list_make1(order);
}

/* Return the type of the chart: values are stacked only where their sum means something, and a line needs instants in
 * their order. */
static const char *
chart_type(const SheetQuery *asked)
{
	AggregateKind kind = ((const SheetAggregate *) linitial(asked->aggregates))->kind;

	if (list_length(asked->groups) > 1)
		return kind == AGGREGATE_COUNT || kind == AGGREGATE_SUM ? "stackedbar" : "heatmap";
	return cat_cell_is_time(label_column(asked)->kind) &&
				   ((const SheetOrder *) linitial(asked->orders))->column == 0
			   ? "line"
			   : "bar";
}

/* Return what a file is called. */
static char *
name_of(const char *file)
{
	cat_statement_read("SELECT f.name FROM catalogue.files f WHERE f.id = $1", text_param(file));
	return SPI_processed > 0 ? cat_result_text(1) : NULL;
}

/* Return what the values of groups are. */
static const char *
values_title(const SheetQuery *asked, const PictureLanguage *language)
{
	static const char *const titles[] = {
		[AGGREGATE_COUNT] = WORD("count({column})"), [AGGREGATE_SUM] = WORD("sum({column})"),
		[AGGREGATE_AVG] = WORD("avg({column})"),	 [AGGREGATE_MIN] = WORD("min({column})"),
		[AGGREGATE_MAX] = WORD("max({column})"),
	};
	const SheetAggregate *aggregate = linitial(asked->aggregates);

	return aggregate->column < 0
			   ? cat_picture_words_text(language, "Number of rows", PICTURE_END)
			   : cat_picture_words_text(language, titles[aggregate->kind], "column",
										asked->sheet->columns[aggregate->column].name, PICTURE_END);
}

/* Draw the groups as a chart. */
static void
draw_chart(CallReply *reply, SheetQuery *asked, const PictureLanguage *language)
{
	const char *name = name_of(reply->id);
	StringInfo data = makeStringInfo();
	List *titles = NIL;
	SheetGroups *groups;
	int64 count;
	int64 skip;
	int shown;
	Canvas canvas;
	const char *description;

	require_chart(asked);
	set_page(asked);
	asked->typed = true;
	groups = cat_sheet_groups_make(asked);
	count = cat_sheet_aggregate_count(groups);
	skip = Min(asked->params->skip, count);
	shown = (int) Min(asked->params->limit, count - skip);
	(void) cat_chart_table_append(data, asked, groups, cat_sheet_result_sorted(groups) + skip,
								  shown);
	foreach_int(column, asked->groups)
		titles = lappend(titles, asked->sheet->columns[column].name);
	titles = lappend(titles, unconstify(char *, values_title(asked, language)));
	cat_svg_begin(&canvas, name, language);
	description = cat_chart_read_draw(&canvas, chart_type(asked), data->data,
									  cat_json_array(titles), "quantitative");
	if (count > shown)
		cat_svg_note(&canvas, cat_picture_words_text(language, "{count} of {all} groups", "count",
													 psprintf("%d", shown), "all",
													 psprintf(INT64_FORMAT, count), PICTURE_END));
	reply->data = makeStringInfo();
	cat_svg_end(reply->data, &canvas, name, description);
}

/* Append the points of the rows as GeoJSON; returns how many there are. */
static int
write_points(StringInfo out, SheetQuery *asked)
{
	SheetStream *stream = cat_sheet_stream_begin(asked, "geojson");
	int64 number;
	int count = 0;

	cat_sheet_stream_head(stream, out);
	while (cat_sheet_stream_row(stream, out, &number))
		count++;
	cat_sheet_stream_tail(stream, out);
	cat_sheet_stream_end(stream);
	return count;
}

/* Return how many of the rows a map has; placeless: the others have no place. */
static char *
rows_note(const PictureLanguage *language, int count, int64 rows, bool placeless)
{
	char *shown = psprintf("%d", count);
	char *all = psprintf(INT64_FORMAT, rows);

	return placeless
			   ? cat_picture_words_text(language, "{count} of {all} rows; the others have no place",
										"count", shown, "all", all, PICTURE_END)
			   : cat_picture_words_text(language, "{count} of {all} rows", "count", shown, "all",
										all, PICTURE_END);
}

/* Draw the rows that have places as a map. */
static void
draw_map(CallReply *reply, SheetQuery *asked, const PictureLanguage *language)
{
	MapPicture map = {.name = name_of(reply->id), .language = language};
	StringInfo points = makeStringInfo();
	int64 rows = cat_sheet_stream_count(asked);
	int count;

	if (!asked->params->limited)
		asked->params->limit = POINTS_MOST;
	asked->params->limited = true;
	memset(asked->shown, false, sizeof(bool) * (size_t) (asked->sheet->ncolumns + 1));
	count = write_points(points, asked);
	map.geojson = points->data;
	if (count < rows)
		map.note = rows_note(language, count, rows, count < asked->params->limit);
	reply->data = makeStringInfo();
	cat_map_picture_draw(reply->data, &map);
}

CAT_FUNCTION(catalogue_contents_image)
{
	ReadCall call = {0};
	const PictureLanguage *language;
	SheetQuery *asked;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, ARG_CONTENTS_IMAGE_ACTOR, &call.actor);
	call.known = cat_call_reply_argument(fcinfo, ARG_CONTENTS_IMAGE_KNOWN);
	asked = cat_contents_ask(&call, fcinfo, &args_contents_image);
	language = cat_visual_read_language(&call, cat_sheet_query_take(asked, "lang"));
	cat_contents_find(asked, cat_call_reply_required(fcinfo, ARG_CONTENTS_IMAGE_FILE));
	cat_sheet_query_require_known(asked);
	call.reply.id = asked->file;
	if (!cat_read_is_known(&call))
	{
		if (asked->groups || asked->aggregates)
			draw_chart(&call.reply, asked, language);
		else
			draw_map(&call.reply, asked, language);
	}
	return cat_read_end(&call, fcinfo);
}
