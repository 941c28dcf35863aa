-- Maps and charts: what is made from the rows of a file.
CREATE FUNCTION catalogue.map_geojson(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_map_geojson';
COMMENT ON FUNCTION catalogue.map_geojson(text, text, jsonb, text) IS
'Return the points of a map as GeoJSON
Arguments: map, its id or slug.  query, as in a URL behind the ?: bbox, west,south,east,north in degrees, for the points
in that rectangle, which crosses the antimeridian where west is greater than east; properties, the names of those to
show, with commas between; version. actor, known: as for catalogue.contents_page().
Returns: data is a FeatureCollection (RFC 7946); the id of a feature is the number of its row.
Errors: OD404 no such map; OD409 it has no points; OD422 a parameter''s value; OD401 the actor''s user may not log in.
Source: Maps; extension/rows/visuals/map_geojson.c';

CREATE FUNCTION catalogue.map_tile(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL, tile text DEFAULT '0/0/0')
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_map_tile';
COMMENT ON FUNCTION catalogue.map_tile(text, text, jsonb, text, text) IS
'Return a vector tile of the points of a map
Arguments: map, its id or slug.  query: version.  actor, known: as for catalogue.contents_page().  tile: zoom/x/y in
the Web Mercator projection, zoom from 0 to 22, x from the west and y from the north; .mvt may follow.
Returns: data is the tile, a Mapbox Vector Tile 2.1, as base64url text; empty if it has no points. Its layer "points"
has a point for each row, with the number of the row as its id; of more than 1,000 rows those in one cell of a grid of
64 by 64 are one point, without an id. Property count is the number of rows.
Errors: OD400 there is no such tile; OD404 no such map; OD409 it has no points; OD422 a parameter''s value; OD401 the
actor''s user may not log in.
Source: Maps; extension/rows/visuals/map_tile.c';

CREATE FUNCTION catalogue.map_issues(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_map_issues';
COMMENT ON FUNCTION catalogue.map_issues(text, text, jsonb, text) IS
'List the rows of a file that are no points of its map
Arguments: map, actor, known: as for catalogue.map_geojson().  query: limit, skip, version.
Returns: data is an array of objects: row, its number from 1, null for what concerns the whole map; reason.
Errors: OD404 no such map, or its file has no bytes; OD406 the file''s type is not read; OD409 it is still to be read,
or could not be; OD422 a parameter''s value; OD401 the actor''s user may not log in.
Source: Maps; extension/rows/visuals/map_issues.c';

CREATE FUNCTION catalogue.chart_data(chart text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_chart_data';
COMMENT ON FUNCTION catalogue.chart_data(text, text, jsonb, text) IS
'Return the data of a chart
Arguments: chart, its id.  query: version.  actor, known: as for catalogue.map_geojson().
Returns: data is an object: labels, and data, a value of each; of a stackedbar or heatmap with two columns of labels
also series, and data has an array of values for each of them. The last label is Other where there are too many. skipped
is the number of cells that were to be summed and are no numbers.
Errors: OD404 no such chart; OD409 it has no data; OD422 a parameter''s value; OD401 the actor''s user may not log in.
Source: Charts; extension/rows/visuals/chart_read.c';

CREATE FUNCTION catalogue.chart_csv(chart text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_chart_csv';
COMMENT ON FUNCTION catalogue.chart_csv(text, text, jsonb, text) IS
'Return the data of a chart as CSV
Arguments: as for catalogue.chart_data().
Returns: data is the text: a line of names, then a line for each label.
Errors: as of catalogue.chart_data().
Source: Charts; extension/rows/visuals/chart_read.c';

CREATE FUNCTION catalogue.chart_svg(chart text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_chart_svg';
COMMENT ON FUNCTION catalogue.chart_svg(text, text, jsonb, text) IS
'Draw a chart as SVG
Arguments: as for catalogue.chart_data().
Returns: data is the text of an SVG document, 720 wide, with title, description, and colours for light and dark
backgrounds; without scripts. Where there are more series, or slices, than 8, the smallest are one.
Errors: as of catalogue.chart_data().
Source: Charts; sql/44-charts.sql';

CREATE FUNCTION catalogue.map_svg(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_map_svg';
COMMENT ON FUNCTION catalogue.map_svg(text, text, jsonb, text) IS
'Draw the points of a map as SVG
Arguments: map, actor, known: as for catalogue.map_geojson().  query: version.
Returns: data is the text of an SVG document as of catalogue.chart_svg(): the points, lines and areas of the map, with
lines of round degrees and a scale bar, without a background.
Errors: OD404 no such map; OD409 it has no points; OD422 a parameter''s value; OD401 the actor''s user may not log in.
Source: Maps; extension/rows/visuals/map_geojson.c';
