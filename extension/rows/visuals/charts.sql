-- Charts: their data, made of the rows of a file, and the table that is drawn or written as CSV.

CREATE FUNCTION catalogue.chart_data(chart text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_chart_data';
COMMENT ON FUNCTION catalogue.chart_data(text, text, jsonb, text) IS
'Return the data of a chart
Arguments: chart, its id.  query: version.  actor, known: as for catalogue.map_geojson().
Returns: data is an object: labels, and data, a value of each; of a stackedbar or heatmap with two columns of labels
also series, and data has an array of values for each of them. Where there are too many labels or series, the last one
is Other and stands for the rest; rest is then an array of labels, series or both. skipped is the number of cells that
were to be summed and are no numbers.
Errors: OD404 no such chart; OD409 it has no data; OD422 a parameter''s value; OD401 the actor''s user may not log in.
Source: Charts';

CREATE FUNCTION catalogue.chart_csv(chart text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_chart_csv';
COMMENT ON FUNCTION catalogue.chart_csv(text, text, jsonb, text) IS
'Return the data of a chart as CSV
Arguments: as for catalogue.chart_data().
Returns: data is the text: a line of names, then a line for each label.
Errors: as of catalogue.chart_data(); OD409 labels times series are more than 51,051, which was possible in earlier
versions.
Source: Charts';

CREATE FUNCTION catalogue.chart_svg(chart text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_chart_svg';
COMMENT ON FUNCTION catalogue.chart_svg(text, text, jsonb, text) IS
'Draw a chart as SVG
Arguments: as for catalogue.chart_data(); query has also lang, the language of the texts and numbers of the service.
Returns: data is the text of an SVG document, 720 wide, with title, description, and colours for light and dark
backgrounds; without scripts. Where there are more series, or slices, than 8, the smallest are one.
Errors: as of catalogue.chart_data(); OD409 labels times series are more than 51,051, which was possible in earlier
versions.
Source: Charts';

-- Charts as SVG.  Lengths and positions are in units of the picture, which is 720 wide with a margin of 24.
CREATE TYPE catalogue.chart_shape AS (
    type     text,
    labels   text[],
    series   text[],     -- NULL: there is one without a name
    data     float8[],   -- by series, then label; NULL for none
    titles   text[],     -- what labels, series and values are
    rest     boolean,    -- the last series stands for all others
    language text        -- of texts and numbers
);

COMMENT ON TYPE catalogue.chart_shape IS 'A chart to be drawn; part of chart_svg()';

-- Return how many cells a chart has; part of chart_svg().
CREATE FUNCTION catalogue.chart_size(data json) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN json_typeof($1) <> 'object' OR coalesce(json_typeof($1 -> 'labels'), '') <> 'array' THEN 0
        ELSE json_array_length($1 -> 'labels')::bigint * CASE WHEN json_typeof($1 -> 'series') = 'array'
            THEN json_array_length($1 -> 'series') WHEN $1 -> 'series' IS NULL THEN 1 ELSE 0 END END;
END;

-- Return the table that data of a chart are; part of chart_csv().  Returns: labels; series, NULL for one without a
-- name; cells by series, then label, numbers as they are written.  Clients may write data of charts without a file, so
-- any JSON is read; what is no table has no labels.
CREATE FUNCTION catalogue.chart_table(data json, OUT labels text[], OUT series text[], OUT cells text[])
    LANGUAGE sql IMMUTABLE SET enable_nestloop = off SET jit = off
BEGIN ATOMIC
    WITH t AS (SELECT CASE json_typeof($1) WHEN 'object' THEN $1 ELSE '{}' END AS o),
        w AS (
            SELECT w.member, ARRAY(SELECT CASE WHEN json_typeof(e.value) IN ('object', 'array') THEN ''
                    ELSE coalesce(e.value #>> '{}', '') END
                FROM json_array_elements(CASE json_typeof(t.o -> w.member) WHEN 'array' THEN t.o -> w.member
                    ELSE '[]' END) WITH ORDINALITY e(value, n) ORDER BY e.n) AS words
            FROM t, (VALUES ('labels'), ('series')) w(member) WHERE t.o -> w.member IS NOT NULL),
        n AS (
            SELECT coalesce((SELECT w.words FROM w WHERE w.member = 'labels'), '{}') AS labels,
                (SELECT w.words FROM w WHERE w.member = 'series') AS series),
        c AS (
            SELECT r.n AS series, c.n AS label, c.value::text AS cell
            FROM t, n, json_array_elements(CASE WHEN n.series IS NOT NULL AND json_typeof(t.o -> 'data') = 'array'
                    THEN t.o -> 'data' ELSE json_build_array(t.o -> 'data') END) WITH ORDINALITY r(line, n),
                json_array_elements(CASE json_typeof(r.line) WHEN 'array' THEN r.line ELSE '[]' END)
                    WITH ORDINALITY c(value, n)
            WHERE json_typeof(c.value) = 'number')
    SELECT n.labels, n.series, ARRAY(
        SELECT c.cell FROM generate_series(1, coalesce(cardinality(n.series), 1)) s(n)
            CROSS JOIN generate_series(1, cardinality(n.labels)) l(n)
            LEFT JOIN c ON c.series = s.n AND c.label = l.n ORDER BY s.n, l.n)
    FROM n;
END;

-- Write the data of a chart as CSV; part of chart_csv().
CREATE FUNCTION catalogue.chart_lines_csv(data json) RETURNS text LANGUAGE sql IMMUTABLE SET jit = off
BEGIN ATOMIC
    SELECT concat('label', CASE WHEN t.series IS NULL THEN ',value' ELSE (
            SELECT string_agg(',' || catalogue.csv_text(s.name), '' ORDER BY s.n)
            FROM unnest(t.series) WITH ORDINALITY s(name, n)) END, E'\r\n',
        (SELECT string_agg(concat(catalogue.csv_text(l.label), c.cells, E'\r\n'), '' ORDER BY l.n)
            FROM unnest(t.labels) WITH ORDINALITY l(label, n) LEFT JOIN (
                SELECT (c.n - 1) % cardinality(t.labels) + 1 AS n,
                    string_agg(concat(',', c.cell), '' ORDER BY c.n) AS cells
                FROM unnest(t.cells) WITH ORDINALITY c(cell, n) GROUP BY 1) c USING (n)))
    FROM catalogue.chart_table($1) t;
END;

-- Name what would not be seen, and the rest; part of chart_svg().  Arguments: words.  rest, whether the last one stands
-- for all others.  language, of the names.
CREATE FUNCTION catalogue.chart_names(words text[], rest boolean, language text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT ARRAY(SELECT CASE WHEN $2 AND w.n = cardinality($1) THEN catalogue.picture_text($3, 'Other')
            WHEN w.word ~ '^[ \t\r\n]*$' THEN catalogue.picture_text($3, '(empty)') ELSE w.word END
        FROM unnest($1) WITH ORDINALITY w(word, n) ORDER BY w.n);
END;

-- Return whether the last one of the labels or the series of a chart stands for all others; part of chart_svg().
CREATE FUNCTION catalogue.chart_has_rest(data json, axis text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM json_array_elements(CASE json_typeof($1 -> 'rest') WHEN 'array' THEN $1 -> 'rest'
        ELSE '[]' END) r(value) WHERE r.value::text = to_json($2)::text);
END;

-- Return a chart to be drawn; part of chart_svg().  Arguments: fields of the record.  What is no number that can be
-- drawn is NULL; the titles are the columns that data_series names, and what was made of them.  language, of the texts.
CREATE FUNCTION catalogue.chart_of(type text, data json, data_series json, data_type text, language text)
    RETURNS catalogue.chart_shape LANGUAGE sql IMMUTABLE SET jit = off
BEGIN ATOMIC
    SELECT ROW($1, catalogue.chart_names(t.labels, catalogue.chart_has_rest($2, 'labels'), $5),
        catalogue.chart_names(t.series, catalogue.chart_has_rest($2, 'series'), $5), ARRAY(
            SELECT catalogue.number_of(c.cell) FROM unnest(t.cells) WITH ORDINALITY c(cell, n) ORDER BY c.n),
        ARRAY[CASE WHEN n.surplus >= 0 THEN n.names[1] END,
            CASE WHEN n.surplus >= 0 AND t.series IS NOT NULL THEN n.names[2] END,
            CASE WHEN n.surplus = 0 OR n.surplus > 0 AND $4 = 'qualitative'
                    THEN catalogue.picture_text($5, 'Number of rows')
                WHEN n.surplus > 0 AND $4 IS NOT NULL THEN n.names[cardinality(n.names)] END],
        catalogue.chart_has_rest($2, 'series'), $5)::catalogue.chart_shape
    FROM catalogue.chart_table($2) t, LATERAL (
        SELECT w.names, cardinality(w.names) - CASE WHEN t.series IS NULL THEN 1 ELSE 2 END AS surplus
        FROM (SELECT ARRAY(SELECT json_array_elements_text($3))) w(names)) n;
END;
