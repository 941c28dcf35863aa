-- Rows of files as pictures, without a chart or map that is stored.

CREATE FUNCTION catalogue.contents_image(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_image';
COMMENT ON FUNCTION catalogue.contents_image(text, text, jsonb, text) IS
'Draw rows of a file as SVG
Arguments: file, its id. query: as for catalogue.contents_page(); groupBy of one or two columns with one aggregate
makes a chart, of at most 1,000 groups of dates, months, quarters or instants, or of two columns, and 40 of others,
unless limit is given; without orderBy instants are in their order, other groups by their value, the greatest first.
Else the rows are points of a map, at most 10,000 unless limit is given; latitudeKey and longitudeKey name the columns
of coordinates that have no usual name; lang, as of catalogue.chart_svg(). actor, known: as for catalogue.map_geojson().
Returns: data is the text of an SVG document as of catalogue.chart_svg() or map_svg(); it tells how many groups or
rows it leaves out.
Errors: OD404 no such file or sheet; OD406 rows without known coordinates, or of a type that is not parsed; OD409 the
file is not parsed yet or could not be; OD422 a parameter''s value, other groups, or more than 51,051 values, labels
times series; OD401 the actor''s user may not log in.
Source: Files';
