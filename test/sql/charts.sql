--
-- charts: labels and values made from the rows of a file, for each type; made again with the contents
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Trips', 'Air') AS file \gset
SELECT catalogue.contents_load(:'file', '[["month", "line", "people", "km", "note", "a.b"],
    ["March", "A", "1,5", 10.25, "x", 1], ["March", "B", "2,25", -3.5, "1", 2], ["January", "A", "3", 0.125, "2", 3],
    ["", "B", "4", 1, "3", 4], [null, "B", "5", 1, "4", 5], ["January", "C", "", 1e2, "5", 6]]') > 0 AS loaded;
UPDATE catalogue.sheet SET columns = replace(columns::text, '"name":"people","title":"people","type":"text"',
    '"name":"people","title":"people","type":"decimal","decimalComma":true')::json;
CREATE FUNCTION chart(type text, data_type text, series text) RETURNS text LANGUAGE sql AS
$$
    SELECT make('charts', json_build_object('name', concat_ws(' ', $1, $2, $3), 'file', id_of('files', 'Trips'),
        'type', $1, 'dataType', $2, 'dataSeries', $3))
$$;
-- Every type with its forms of dataSeries, which may be a comma-separated text.
SELECT count(chart(v.type, v.data_type, v.series)) AS made
FROM (VALUES ('bar', 'qualitative', 'month'), ('pie', 'qualitative', 'month,people'),
    ('line', 'quantitative', 'month,km'), ('bar', 'cuantitative', 'month,people'), ('bar', NULL, 'month,km'),
    ('bar', NULL, 'month'), (NULL, NULL, 'month,note'), ('stackedbar', 'qualitative', 'month,line'),
    ('stackedbar', 'quantitative', 'month,line,km'), ('stackedbar', 'quantitative', 'month,km'),
    ('heatmap', 'qualitative', 'month'), ('heatmap', NULL, 'line,month,people'), ('bar', 'quantitative', 'month,a b'),
    ('pie', 'quantitative', 'month,note'))
    v(type, data_type, series);
SELECT name, data FROM catalogue.charts WHERE file = :'file' ORDER BY name;
-- Columns that do not exist, one that is no number, too few of them.
SELECT c.data_type, series, f.*
FROM (VALUES ('qualitative', '["months"]'), ('quantitative', '["month", "no", 5]'), ('quantitative', '["month"]'),
    ('quantitative', '["line", "month"]')) c(data_type, series),
    faults(format('SELECT catalogue.create(''charts'', %L, actor => admin())', format(
        '{"name": "x", "file": "%s", "type": "bar", "dataType": "%s", "dataSeries": %s}', :'file', data_type,
        series))) f;
-- Without dataSeries, or a file, a client's data stay; with both they are made, whatever the client sends.
SELECT make('charts',
    json_build_object('name', 'Own', 'file', :'file', 'data', '{"labels": ["x"], "data": [1]}'::json,
        'dataSeries', '[]'::json)) IS NOT NULL AS made;
SELECT data FROM catalogue.charts WHERE name = 'Own';
SELECT data::json -> 'data' AS data
FROM catalogue.update('charts', id_of('charts', 'Own'),
    '{"dataSeries": "line", "data": {"labels": ["x"], "data": [1]}}', 'representation', actor => admin());
SELECT data::json -> 'data' AS data
FROM catalogue.update('charts', id_of('charts', 'Own'), json_build_object('notes', 'x', 'data', repeat('x', 6000)),
    'representation', actor => admin());
SELECT make('charts', '{"name": "Linked", "link": "https://example.org/c"}') IS NOT NULL AS made;
-- JSON and CSV of one series and of several; a chart without data; whoever may not see it.
SELECT data FROM catalogue.chart_data(id_of('charts', 'stackedbar quantitative month,line,km'));
SELECT replace(data, E'\r\n', E'\\r\\n\n') AS data
FROM catalogue.chart_csv(id_of('charts', 'stackedbar quantitative month,line,km'));
SELECT replace(data, E'\r\n', E'\\r\\n\n') AS data FROM catalogue.chart_csv(id_of('charts', 'bar qualitative month'));
SELECT * FROM refusal(format('SELECT catalogue.chart_data(%L)', id_of('charts', 'Linked')));
SELECT code, message
FROM refusal(format('SELECT catalogue.chart_data(%L, actor => ''{}'')', id_of('charts', 'bar qualitative month')));
-- Data that a client wrote in any form is a table as far as it is one.
UPDATE catalogue.charts SET data = '{"labels": ["=1+1", 2, null, {"a": 1}], "data": [1, "x", 3]}' WHERE name = 'Linked';
SELECT replace(data, E'\r\n', E'\\r\\n\n') AS data FROM catalogue.chart_csv(id_of('charts', 'Linked'));
UPDATE catalogue.charts SET data = '["a"]' WHERE name = 'Linked';
SELECT replace(data, E'\r\n', E'\\r\\n\n') AS data FROM catalogue.chart_csv(id_of('charts', 'Linked'));
-- Where there is no number there is no value: an empty cell, a mark, a label that does not occur with a series.  What
-- the column is nearly of is told.
SELECT catalogue.contents_load(:'file', '[["month", "line", "people", "km", "note"],
    ["May", "A", "1,5", 1, 1], ["June", "A", "NA", "NA", 2], ["July", "A", "", null, 3], ["July", "B", "3", 2, 4],
    ["June", "A", "", "n.d.", 5], ["August", "B", "0", 0, "6*"]]') > 0 AS loaded;
SELECT name, data FROM catalogue.charts
WHERE name IN ('line quantitative month,km', 'stackedbar quantitative month,line,km',
    'stackedbar qualitative month,line', 'pie quantitative month,note') ORDER BY name;
SELECT replace(data, E'\r\n', E'\\r\\n\n') AS data
FROM catalogue.chart_csv(id_of('charts', 'line quantitative month,km'));
SELECT replace(data, E'\r\n', E'\\r\\n\n') AS data
FROM catalogue.chart_csv(id_of('charts', 'stackedbar quantitative month,line,km'));
-- without what isolates a direction of writing, which releases of psql count as characters or not
SELECT translate(regexp_substr(data, '<desc.*</desc>'), U&'\2068\2069', '') AS description,
    regexp_count(data, '<circle') AS dots,
    regexp_count(regexp_substr(data, 'class="line[^>]*'), 'M') AS parts
FROM catalogue.chart_svg(id_of('charts', 'line quantitative month,km'));
SELECT catalogue.contents_load(:'file',
    '[["month", "line", "km"], ["May", "A", null], ["June", "B", null]]') > 0 AS loaded;
SELECT data FROM catalogue.charts WHERE name = 'line quantitative month,km';
-- Made again with the contents; null where its columns are gone.
SELECT catalogue.contents_load(:'file', '[["month", "line"], ["May", "A"], ["=2", "A"]]') > 0 AS loaded;
SELECT name, data FROM catalogue.charts WHERE file = :'file' ORDER BY name;
-- More labels than a chart shows: those with the smallest values are one, after the others in the order of the file.
SELECT catalogue.contents_load(:'file', (SELECT json_agg(json_build_object('month', 'm' || n, 'km', n) ORDER BY n)
    FROM generate_series(1, 1200) n)) > 0 AS loaded;
SELECT json_array_length(data -> 'labels') AS labels, data #>> '{labels,0}' AS first, data #>> '{labels,999}' AS last,
    data #>> '{labels,1000}' AS rest, data -> 'rest' AS sign,
    data #>> '{data,1000}' AS rest_value, data #>> '{data,0}' AS first_value
FROM catalogue.charts WHERE name = 'line quantitative month,km';
-- More groups than are distinguished at all: nothing is lost.
SELECT catalogue.contents_load(:'file', (SELECT json_agg(json_build_object('month', 'm' || n,
    'line', 'l' || n % 60, 'km', 1) ORDER BY n) FROM generate_series(1, 12000) n)) > 0 AS loaded;
SELECT json_array_length(data -> 'labels') AS labels, (SELECT sum(v::numeric)
    FROM json_array_elements_text(data -> 'data') v) AS sum
FROM catalogue.charts WHERE name = 'line quantitative month,km';
SELECT json_array_length(data -> 'labels') AS labels, json_array_length(data -> 'series') AS series,
    (SELECT sum(v::numeric) FROM json_array_elements(data -> 'data') r, json_array_elements_text(r) v) AS sum
FROM catalogue.charts WHERE name = 'stackedbar quantitative month,line,km';
-- Each pair of labels and series that are not too many has its value.
SELECT catalogue.contents_load(:'file', (SELECT json_agg(json_build_object('month', 'm' || n % 401,
    'line', 'l' || n % 40, 'km', n) ORDER BY n) FROM generate_series(1, 401 * 40) n)) > 0 AS loaded;
SELECT json_array_length(data -> 'labels') AS labels, json_array_length(data -> 'series') AS series,
    data -> 'rest' AS rest,
    (SELECT format('%s values, %s, %s to %s', count(*), sum(v::numeric), min(v::numeric), max(v::numeric))
     FROM json_array_elements(data -> 'data') r, json_array_elements_text(r) v WHERE v <> '') AS data
FROM catalogue.charts WHERE name = 'stackedbar quantitative month,line,km';
-- Labels are texts as the file has them: numbers in their notation, letters in their case, a cell that is not there as
-- an empty one.  Sums are exact, whatever digits their cells have, and more than a floating-point number can be.
SELECT make_file('Written', 'Air') AS written \gset
SELECT catalogue.contents_load(:'written', '[["size", "kind", "value"], ["1.50", "a", 0.1], ["1.5", "A", 0.25],
    ["1.50", "A", 0.001], [null, "a", "1e3"], ["", "A", -5], ["2e0", "á", "1e400"],
    ["2", "a", 12345678901234567890.125], ["1.5", "A", -0.0049], ["2", "a", ""], ["2", "", "n/a"],
    ["2.0", null, null], ["1.50", "a", "+.5"]]') > 0 AS loaded;
SELECT count(make('charts', json_build_object('name', v.series, 'file', :'written', 'type', v.type,
    'dataType', v.data_type, 'dataSeries', v.series))) AS made
FROM (VALUES ('bar', 'quantitative', 'size,value'), ('bar', 'quantitative', 'kind,value'),
    ('bar', 'qualitative', 'size'), ('heatmap', 'quantitative', 'kind,size,value'),
    ('stackedbar', 'qualitative', 'kind,size'), ('bar', 'quantitative', 'value,value')) v(type, data_type, series);
CREATE TABLE written AS SELECT name, data FROM catalogue.charts WHERE file = :'written';
SELECT name, regexp_replace(data::text, '10{50,}', '<1e400>', 'g') AS data FROM written ORDER BY name;
-- So they are of rows that are stored as catalogues before 1.1 stored them.
UPDATE catalogue.sheet_chunk SET data = catalogue.chunk_repacked(data, count), bounds = NULL
WHERE sheet = (SELECT max(id) FROM catalogue.sheet WHERE file = :'written');
UPDATE catalogue.charts SET type = CASE type WHEN 'bar' THEN 'line' ELSE type END::catalogue.chart_type,
    data_type = CASE data_type WHEN 'quantitative' THEN 'cuantitative' ELSE data_type END::catalogue.data_type
WHERE file = :'written';
SELECT count(*) AS charts, count(*) FILTER (WHERE c.data::text = w.data::text) AS same
FROM catalogue.charts c JOIN written w USING (name) WHERE c.file = :'written';
-- Of too many labels the rest are those without a number, then those with the smallest ones, however great they are.
SELECT catalogue.contents_load(:'written', (SELECT json_agg(json_build_object('size', n, 'kind', 'k', 'value',
    CASE WHEN n IN (998, 999) THEN (n - 998.5) * 2e400 WHEN n % 20 > 0 THEN n - 50.5 END) ORDER BY n)
    FROM generate_series(1, 1100) n)) > 0 AS loaded;
SELECT (SELECT string_agg(n::text, ' ' ORDER BY n) FROM generate_series(1, 1100) n
        WHERE NOT EXISTS (SELECT FROM json_array_elements_text(data -> 'labels') l WHERE l = n::text)) AS others,
    data #>> '{labels,1000}' AS last, (data #>> '{data,1000}')::numeric + 1e400 AS value
FROM catalogue.charts WHERE file = :'written' AND name = 'size,value';
-- A file without rows.
SELECT catalogue.contents_load(:'file', '[["month", "line", "km"]]') > 0 AS loaded;
SELECT type, data FROM catalogue.charts WHERE file = :'file' AND data IS NOT NULL ORDER BY type, name;
-- A table of given data has as many values as one of rows at most, labels times series, whatever writes it.
SELECT format('{"labels": [%1$s], "series": [%1$s], "data": []}', string_agg('0', ',')) AS square
FROM generate_series(1, 226) \gset
SELECT f.* FROM faults(format('SELECT catalogue.create(''charts'', %L, actor => admin())', format(
    '{"name": "Square", "link": "https://example.org/c", "data": %s}', :'square'))) f;
SELECT f.* FROM faults(format('UPDATE catalogue.charts SET data = %L WHERE name = ''Linked''', :'square')) f;
SELECT f.* FROM faults(format('INSERT INTO catalogue.charts (name, link, data, created_by) VALUES (%L, %L, %L,
    (SELECT id FROM catalogue.users LIMIT 1))', 'Inserted', 'https://example.org/c', :'square')) f;
SELECT r.id IS NOT NULL AS updated
FROM catalogue.update('charts', id_of('charts', 'Linked'), json_build_object('type', 'heatmap', 'data',
    (SELECT json_build_object('labels', json_agg(0), 'series', json_agg(0)) FROM generate_series(1, 225))),
    actor => admin()) r;
SELECT length(data) > 2000 AS written FROM catalogue.chart_csv(id_of('charts', 'Linked'));
-- One that was stored before is neither drawn nor written as CSV, tells why, and can still be changed and restored.
ALTER TABLE catalogue.charts DISABLE TRIGGER USER;
UPDATE catalogue.charts SET data = :'square' WHERE name = 'Linked';
ALTER TABLE catalogue.charts ENABLE TRIGGER USER;
SELECT id_of('charts', 'Linked') AS linked \gset
SELECT code, replace(message, :'linked', '<id>') AS message, hint
FROM unnest('{svg,csv}'::text[]) f, refusal(format('SELECT catalogue.chart_%s(%L)', f, :'linked'));
SELECT length(data) = length(:'square') AS whole FROM catalogue.chart_data(:'linked');
SELECT r.id IS NOT NULL AS changed
FROM catalogue.update('charts', :'linked', format('{"notes": "n", "data": %s}', :'square')::json, actor => admin()) r;
SELECT catalogue.delete('charts', :'linked', admin()) IS NULL AS failed;
SELECT r.id IS NOT NULL AS restored FROM catalogue.restore('charts', :'linked', actor => admin()) r;
-- In CSV a label that is a number has no apostrophe, as in the CSV of the rows; what a spreadsheet would evaluate has
-- one.
SELECT make('charts', '{"name": "Signs", "link": "https://example.org/c", "data": {"labels": ["-5", "+1,5", "-.5e+3",
    "-", "-1-1", "=5", "@x", "-1e"], "series": ["-1", "-x"], "data": [[1], [2]]}}') IS NOT NULL AS made;
SELECT replace(data, E'\r\n', E'\\r\\n\n') AS data FROM catalogue.chart_csv(id_of('charts', 'Signs'));
