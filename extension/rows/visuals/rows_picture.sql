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

-- Return a chart of groups; part of contents_image().  Arguments: type, of the chart.  groups, as of contents_page().
-- label, series, value, the names of their members, series NULL for one label.  title, of the values.  language, of the
-- texts.  Returns: a chart without data for too many values.
CREATE FUNCTION catalogue.chart_of_groups(type text, groups json, label text, series text, value text, title text,
    language text) RETURNS catalogue.chart_shape LANGUAGE sql IMMUTABLE SET enable_nestloop = off SET jit = off
BEGIN ATOMIC
    WITH g AS (
            SELECT e.n, coalesce(e.item ->> $3, '') AS label, coalesce(e.item ->> $4, '') AS series,
                CASE json_typeof(e.item -> $5) WHEN 'number' THEN catalogue.number_of(e.item ->> $5) END AS value
            FROM json_array_elements($2) WITH ORDINALITY e(item, n)),
        l AS (SELECT g.label, min(g.n) AS n FROM g GROUP BY 1),
        s AS (SELECT g.series, min(g.n) AS n FROM g GROUP BY 1)
    SELECT ROW($1, catalogue.chart_names(ARRAY(SELECT l.label FROM l ORDER BY l.n), false, $7), CASE WHEN $4 IS NOT NULL
            THEN catalogue.chart_names(ARRAY(SELECT s.series FROM s ORDER BY s.n), false, $7) END,
        CASE WHEN (SELECT pg_catalog.count(*) FROM l) * (SELECT pg_catalog.count(*) FROM s) <= 51051 THEN ARRAY(
            SELECT g.value FROM s CROSS JOIN l LEFT JOIN g ON g.label = l.label AND g.series = s.series
            ORDER BY s.n, l.n) END,
        ARRAY[$3, $4, $6], false, $7)::catalogue.chart_shape;
END;
