/*
 * map_geojson.c
 *	  The features of a map as GeoJSON, all of them or a part, and as a picture.
 */
#include "catalogue.h"

#include "utils/memutils.h"

#include "base/body.h"
#include "query/terms.h"
#include "rows/contents/stream.h"
#include "rows/pictures/pictures.h"
#include "rows/visuals/map_classes.h"
#include "rows/visuals/visuals.h"
#include "rows/visuals/visuals_internal.h"

#define NAMES_MAX 100		 /* properties that are asked for */
#define WHOLE_MOST (8 << 20) /* bytes of features that are given at once */
#define DRAWN_MOST 20000	 /* rows of a picture, which each visitor may ask for */

/* What is asked for of the features. */
typedef struct Cut
{
	bool bounded;
	Bounds bounds;
	const char *place; /* the name of another parameter that asks for places, NULL: none */
	List *names;	   /* of char *: properties to show */
	bool named;		   /* only those */
	bool typed;		   /* values are of the types of their columns, else texts */
	int64 limit;	   /* of the features, 0: there is none */
	int64 metres;	   /* that lines may be off, 0: none */
	int most;		   /* bytes, 0: as cat_geojson_append_rows() */
	bool drawn;		   /* if there are many, some of them, from the whole file, will do */
} Cut;

/* Read the names of the properties to show: each is sought for each property of each point. */
static void
read_names(Cut *cut, const char *value)
{
	cut->names = cat_query_string_split(value, ',');
	if (list_length(cut->names) > NAMES_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("invalid value for parameter \"properties\""),
						errhint("It takes at most %d names.", NAMES_MAX)));
}

void
cat_map_geojson_head(StringInfo out, const Bounds *bounds)
{
	appendStringInfoString(out, "{\"type\":\"FeatureCollection\",");
	if (bounds)
		appendStringInfo(out, "\"bbox\":[%.15g,%.15g,%.15g,%.15g],", bounds->west, bounds->south,
						 bounds->east, bounds->north);
	appendStringInfoString(out, "\"features\":[");
}

/* Whether a part of the features is asked for, or of their properties. */
static bool
is_part(const Cut *cut)
{
	return cut->bounded || cut->place || cut->named || cut->typed || cut->limit > 0 ||
		   cut->metres > 0;
}

/* Append the collection; other GeoJSON than a collection of features is given as it is. */
static void
append_collection(StringInfo out, const Cut *cut, const char *geojson)
{
	const Bounds *bounds = &cut->bounds;
	const char *features = NULL;

	if (is_part(cut))
	{
		cat_statement_read("SELECT catalogue.cut_features($1::json, CASE WHEN $2 THEN ARRAY[$3, "
						   "$4, $5, $6] END, $7, nullif($8, 0))",
						   text_param(geojson), bool_param(cut->bounded),
						   float8_param(bounds->west), float8_param(bounds->south),
						   float8_param(bounds->east), float8_param(bounds->north),
						   cut->named ? texts_param(cut->names) : null_param(TEXTARRAYOID),
						   int8_param(cut->limit));
		features = cat_result_text(1);
	}
	if (features)
	{
		cat_map_geojson_head(out, cut->bounded ? bounds : NULL);
		appendStringInfo(out, "%s]}", features);
	}
	else
		appendStringInfoString(out, geojson);
}

/* Show the properties that are asked for, of those that the map has. */
static void
show_properties(SheetQuery *asked, const Cut *cut)
{
	for (int i = 0; cut->named && i < asked->sheet->ncolumns; i++)
		asked->shown[i] =
			asked->shown[i] && cat_query_string_has_word(cut->names, asked->sheet->columns[i].name);
}

void
cat_map_geojson_class(StringInfo out, const MapLegend *legend, const SheetQuery *asked,
					  ChunkScan *scan, int row)
{
	int class = legend ? cat_map_classes_of(legend, asked, scan, row) : 0;

	if (class == 0)
		return;
	/* in place of the bracket behind the last member */
	out->len--;
	appendStringInfo(out, ",\"class\":%d}", class);
}

/* Features of the rows of a map, and of which class each is. */
typedef struct ClassedRows
{
	SheetQuery *asked;
	const MapLegend *legend;
	int64 metres; /* that lines may be off */
} ClassedRows;

#define METRES_MOST 1000000
#define DEGREE 111319.0 /* metres of a degree at the equator: elsewhere it has fewer */

/* Simplify the geometry of the feature that begins there; a statement may be reading the rows. */
static void
simplify(StringInfo out, int begin, int64 metres)
{
	static const char before[] = "\"geometry\":";
	char *geometry = strstr(out->data + begin, before) + strlen(before);
	char *rest = strstr(geometry, ",\"properties\":");
	char *behind;

	SPI_connect();
	behind = pstrdup(rest);
	cat_statement_read("SELECT catalogue.simplified($1, $2)",
					   text_param(pnstrdup(geometry, (Size) (rest - geometry))),
					   float8_param((double) metres / DEGREE));
	out->len = (int) (geometry - out->data);
	appendStringInfo(out, "%s%s", cat_result_text(1), behind);
	SPI_finish();
}

/* Append a row as a feature with its class, as ChunkScan.write. */
static bool
append_row(StringInfo out, const void *classed, ChunkScan *scan, int row)
{
	const ClassedRows *rows = classed;
	int begin = out->len;

	if (!cat_geojson_feature(out, rows->asked, scan, row))
		return false;
	if (rows->metres > 0)
		simplify(out, begin, rows->metres);
	cat_map_geojson_class(out, rows->legend, rows->asked, scan, row);
	return true;
}

/* The grid of a picture's points, whose cells are as wide as a point where there are so many. */
#define GRID_COLUMNS 160
#define GRID_ROWS (DRAWN_MOST / GRID_COLUMNS)

/* Points of which a picture has one in each cell of a grid over all of them. */
typedef struct Thinning
{
	SheetQuery *asked;
	Bounds bounds[2];	/* with longitudes from -180, and from 0 on */
	const Bounds *grid; /* the narrower ones */
	bool taken[GRID_ROWS][GRID_COLUMNS];
} Thinning;

/* Extend the grid to a point, as TakePoint. */
static void
extend_grid(void *thinning, int64 row, double longitude, double latitude)
{
	Bounds *bounds = ((Thinning *) thinning)->bounds;

	cat_bounds_extend(&bounds[0], longitude, latitude);
	cat_bounds_extend(&bounds[1], longitude + (longitude < 0 ? 360 : 0), latitude);
}

/* Return the cell of a coordinate between two ends. */
static int
cell_of(double coordinate, double from, double to, int cells)
{
	return to > from ? Min(cells - 1, (int) ((coordinate - from) / (to - from) * cells)) : 0;
}

/* Keep the row of a point that is the first one in its cell, as TakePoint. */
static void
keep_first(void *data, int64 row, double longitude, double latitude)
{
	Thinning *thinning = data;
	const Bounds *grid = thinning->grid;
	int down = cell_of(latitude, grid->south, grid->north, GRID_ROWS);
	int across = cell_of(longitude + (longitude < grid->west ? 360 : 0), grid->west, grid->east,
						 GRID_COLUMNS);

	if (!thinning->taken[down][across])
		cat_places_keep(thinning->asked, row);
	thinning->taken[down][across] = true;
}

/* Keep one row in each cell of a grid, of the points of a picture that are too many. */
static void
thin(SheetQuery *asked)
{
	Thinning *thinning = palloc0(sizeof(Thinning));
	Bounds *bounds = thinning->bounds;

	thinning->asked = asked;
	bounds[0] = bounds[1] = NO_BOUNDS;
	cat_places_points(asked, NULL, extend_grid, thinning);
	thinning->grid = &bounds[bounds[1].east - bounds[1].west < bounds[0].east - bounds[0].west];
	cat_places_begin(asked);
	cat_places_points(asked, NULL, keep_first, thinning);
}

/* Choose the rows of a picture, if not all are seen; return whether all their places are. */
static bool
choose_rows(SheetQuery *asked)
{
	if (asked->source)
		cat_outlines_keep_last(asked);
	else if (asked->coordinates[GEOMETRY] < 0 && asked->sheet->rows > DRAWN_MOST)
		thin(asked);
	return asked->places || asked->sheet->rows <= DRAWN_MOST;
}

/* Append the features of the rows that are asked for. */
static void
append_rows(StringInfo out, const ClassedRows *rows, const Cut *cut)
{
	FeatureRows features = {.asked = rows->asked,
							.write = append_row,
							.data = rows,
							.step = cut->drawn && !rows->asked->places
										? (rows->asked->sheet->rows - 1) / DRAWN_MOST + 1
										: 1,
							.limit = cut->limit > 0 ? cut->limit : PG_INT64_MAX,
							.most = cut->most};

	(void) cat_geojson_append_rows(out, &features);
}

/*
 * Return the rows that a map is made of, and of which its features are made: what is asked for is a part, or the
 * record is too long to have it.  NULL if they are gone.
 */
static ClassedRows *
find_rows(VisualRead *read, const Cut *cut)
{
	SheetQuery *asked = cat_map_rows_ask(read);
	ClassedRows *rows;

	if (!asked)
		return NULL;
	show_properties(asked, cut);
	cat_places_ask(asked, read->words);
	asked->typed = cut->typed;
	asked->params->limited = cut->limit > 0;
	asked->params->limit = (int) cut->limit;
	if (cut->drawn)
		read->whole = choose_rows(asked);
	rows = palloc(sizeof(ClassedRows));
	*rows = (ClassedRows){asked, cat_map_rows_legend(read), cut->metres};
	return rows;
}

/* Return what stands before the features. */
static StringInfo
head_of(const Cut *cut)
{
	StringInfo head = makeStringInfo();

	cat_map_geojson_head(head, cut->bounded ? &cut->bounds : NULL);
	return head;
}

char **
cat_map_geojson_fields(VisualRead *read, const char *const *fields)
{
	char **values = cat_visual_read_fields(read, fields);

	if (!values[0])
		ereport(ERROR, (errcode(OD409), errmsg("Map \"%s\" has no places", read->call.reply.id),
						errhint("The issues of the map say why.")));
	return values;
}

void
cat_map_geojson_require(VisualRead *read)
{
	static const char *const made[] = {"correct", NULL};
	static const char *const written[] = {"geojson", NULL};

	if (!cat_visual_read_fields(read, made)[0])
		(void) cat_map_geojson_fields(read, written);
}

/*
 * Find the features that are asked for: of a map that is made of the rows of a file from these, if it is a
 * part, or the record has no room for them; else they are appended, and NULL is returned.
 */
static ClassedRows *
find_features(StringInfo out, VisualRead *read, const Cut *cut)
{
	static const char *const fields[] = {"geojson", NULL};
	ClassedRows *rows = NULL;

	if (is_part(cut) || !cat_visual_read_fields(read, fields)[0])
		rows = find_rows(read, cut);
	if (!rows && cut->place)
		cat_query_string_refuse(cut->place, cat_request_params_word(read->words, cut->place),
								"A map takes it that is made of the rows of a file.");
	if (!rows)
		append_collection(out, cut, cat_map_geojson_fields(read, fields)[0]);
	return rows;
}

/* Append the features that are asked for. */
static void
append_features(StringInfo out, VisualRead *read, const Cut *cut)
{
	const ClassedRows *rows = find_features(out, read, cut);

	if (!rows)
		return;
	appendStringInfoString(out, head_of(cut)->data);
	append_rows(out, rows, cut);
	appendStringInfoString(out, "]}");
}

static const char *const cut_words[] = {"bbox",	 "near",	 "within", "properties",
										"types", "simplify", NULL};

/* Return how many metres lines may be off. */
static int64
read_metres(const char *value)
{
	int64 metres = cat_literal_integer(value) && strlen(value) < 10 ? strtoll(value, NULL, 10) : 0;

	if (metres < 1 || metres > METRES_MOST)
		cat_query_string_refuse("simplify", value, "It takes metres, from 1 to 1000000.");
	if (!cat_places_has_geography())
		ereport(ERROR,
				(errcode(OD406), errmsg("lines and areas cannot be simplified without PostGIS"),
				 errhint("Install PostGIS, and call catalogue.add_geography().")));
	return metres;
}

/* Read what is asked for. */
static Cut
read_cut(VisualRead *read)
{
	const char *bbox = cat_request_params_word(read->words, "bbox");
	const char *properties = cat_request_params_word(read->words, "properties");
	const char *types = cat_request_params_word(read->words, "types");
	const char *metres = cat_request_params_word(read->words, "simplify");
	Cut cut = {.bounded = bbox != NULL, .named = properties != NULL};

	cut.place = cat_request_params_word(read->words, "within") ? "within"
				: cat_request_params_word(read->words, "near") ? "near"
															   : NULL;
	if (bbox)
		cut.bounds = cat_bounds_read(bbox);
	if (properties)
		read_names(&cut, properties);
	if (types)
		cut.typed = cat_request_params_boolean("types", types);
	if (metres)
		cut.metres = read_metres(metres);
	if (read->call.plan.params->limited)
		cut.limit = Min(read->call.plan.params->given_limit, INT_MAX);
	cat_map_geojson_require(read);
	return cut;
}

/*
 * Return the features of a map as GeoJSON.  A map without a file has what a client wrote.
 */
CAT_FUNCTION(catalogue_map_geojson)
{
	VisualRead read;
	Cut cut;

	cat_visual_read_begin(&read, fcinfo, &args_map_geojson, cut_words);
	cut = read_cut(&read);
	cut.most = WHOLE_MOST;
	if (!read.known)
	{
		read.call.reply.data = makeStringInfo();
		append_features(read.call.reply.data, &read, &cut);
	}
	return cat_read_end(&read.call, fcinfo);
}

SheetQuery *
cat_map_geojson_ask(FunctionCallInfo fcinfo, const CallArguments *args, ReadCall *call, char **name)
{
	static const char *const fields[] = {"name", NULL};
	VisualRead read;
	ClassedRows *rows;
	Cut cut;

	cat_visual_read_ask(&read, fcinfo, args, cut_words);
	cut = read_cut(&read);
	rows = find_rows(&read, &cut);
	*name = cat_visual_read_fields(&read, fields)[0];
	*call = read.call;
	return rows ? rows->asked : NULL;
}

/* Open the features of a map. */
static SheetStream *
open_features(FunctionCallInfo fcinfo, const CallArguments *args, ReadCall *call,
			  const char *format, bool describe)
{
	MemoryContext lasting = CurrentMemoryContext;
	VisualRead *read = palloc(sizeof(VisualRead));
	SheetStream *stream = NULL;
	const ClassedRows *rows;
	StringInfo text;
	Cut cut;

	/* a later load would change the current memory context */
	cat_registry_resource("maps");
	MemoryContextSwitchTo(lasting);
	cat_visual_read_ask(read, fcinfo, args, cut_words);
	cut = read_cut(read);
	MemoryContextSwitchTo(lasting);
	if (!read->known)
	{
		text = makeStringInfo();
		rows = find_features(text, read, &cut);
		stream = rows
					 ? cat_sheet_stream_features(rows->asked, head_of(&cut)->data, append_row, rows)
					 : cat_sheet_stream_text(text->data);
	}
	cat_read_version_release(read->call.plan.params);
	cat_read_head(&read->call);
	*call = read->call;
	return stream;
}

CAT_FUNCTION(catalogue_map_geojson_export)
{
	return cat_contents_pieces(fcinfo, &args_map_geojson_export, open_features);
}

/* Tell how many of the rows a picture has, unless all are seen. */
static void
tell_rows(MapPicture *map, VisualRead *read)
{
	static const char *const fields[] = {"correct", "incorrect", NULL};
	char **counts = cat_visual_read_fields(read, fields);
	int64 rows =
		counts[0] && counts[1] ? strtoll(counts[0], NULL, 10) + strtoll(counts[1], NULL, 10) : 0;

	if (read->whole)
		map->points = counts[0] ? (int) strtol(counts[0], NULL, 10) : 0;
	else if (rows > DRAWN_MOST)
		map->note =
			cat_picture_words_text(read->language, "{count} of {all} rows", "count",
								   psprintf(INT64_FORMAT, rows / ((rows - 1) / DRAWN_MOST + 1)),
								   "all", psprintf(INT64_FORMAT, rows), PICTURE_END);
}

/* Return a map as an SVG document. */
CAT_FUNCTION(catalogue_map_svg)
{
	static const char *const fields[] = {"name", "description", NULL};
	static const char *const words[] = {"lang", NULL};
	const Cut whole = {.named = true, .drawn = true};
	VisualRead read;
	char **values;

	cat_visual_read_begin(&read, fcinfo, &args_map_svg, words);
	cat_map_geojson_require(&read);
	values = cat_visual_read_fields(&read, fields);
	if (!read.known)
	{
		StringInfo features = makeStringInfo();
		MapPicture map = {.name = values[0],
						  .description = values[1],
						  .legend = cat_map_rows_legend(&read),
						  .language = read.language};

		append_features(features, &read, &whole);
		map.geojson = features->data;
		tell_rows(&map, &read);
		read.call.reply.data = makeStringInfo();
		cat_map_picture_draw(read.call.reply.data, &map);
	}
	return cat_read_end(&read.call, fcinfo);
}
