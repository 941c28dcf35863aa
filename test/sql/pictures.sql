--
-- pictures: charts and maps as SVG, read by an XML parser; escaped texts, odd data; the code that embeds a picture
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Trips', 'Air') AS file \gset
SELECT catalogue.contents_load(:'file', '[["month", "line", "km", "lat", "lon"], ["March", "A", 10.25, 48.5, 2],
    ["March", "B", -3.5, 48.75, 2.5], ["January", "A", 1200, 49, 3]]') > 0 AS loaded;
CREATE FUNCTION chart(name text, type text, data json) RETURNS text LANGUAGE sql AS
$$
    INSERT INTO catalogue.charts (name, type, data, link, created_by)
    VALUES ($1, $2::catalogue.chart_type, $3, 'https://example.org', id_of('users', 'admin')) RETURNING id
$$;
CREATE FUNCTION map(name text, geojson json) RETURNS text LANGUAGE sql AS
$$
    INSERT INTO catalogue.maps (name, geojson, link, basemap, created_by)
    VALUES ($1, $2, 'https://example.org', id_of('basemaps', 'OpenStreetMap'), id_of('users', 'admin')) RETURNING id
$$;
-- A picture as XML; the parser refuses what is not well-formed.
CREATE FUNCTION picture(name text) RETURNS xml LANGUAGE sql AS
$$
    SELECT xmlparse(DOCUMENT r.data) FROM catalogue.charts c, catalogue.chart_svg(c.id) r WHERE c.name = $1
    UNION ALL
    SELECT xmlparse(DOCUMENT r.data) FROM catalogue.maps m, catalogue.map_svg(m.id) r WHERE m.name = $1
$$;
-- The texts, or another list of nodes, of a picture.
CREATE FUNCTION nodes(picture xml, path text DEFAULT '//svg:text/text()') RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(n::text, ' | ') FROM unnest(xpath($2, $1, '{{svg,http://www.w3.org/2000/svg}}')) n
$$;

-- A chart of the rows of a file: all but the style sheet.
SELECT make('charts', json_build_object('name', 'Kilometres', 'description', 'Of each month', 'file', :'file',
    'type', 'bar', 'dataType', 'quantitative', 'dataSeries', '["month", "km"]'::json)) AS bar \gset
-- unaligned, since the width of what isolates a direction depends on the version of psql
\pset format unaligned
SELECT regexp_replace(data, '<style>.*</style>', '<style/>') AS data FROM catalogue.chart_svg(:'bar');
-- Each type, of one column of labels and of two: its kind, axes and values in the description, and what it is drawn of.
SELECT count(make('charts', json_build_object('name', t || ' ' || s::text, 'file', :'file', 'type', t,
    'dataSeries', s))) AS made
FROM unnest('{bar,pie,line,stackedbar,heatmap}'::text[]) t,
    unnest(ARRAY['["month"]', '["month", "line", "km"]']::json[]) s;
SELECT c.name, nodes(p, '//svg:desc/text()') AS description, nodes(p) AS texts,
    nodes(p, 'count(//svg:path)') AS paths, nodes(p, '//svg:svg/@role') AS role
FROM catalogue.charts c, picture(c.name) p WHERE c.name LIKE '% [%' ORDER BY c.name;
-- What is told of a place that is pointed at: a label with a line for each series, a cell, a slice.
SELECT c.name, replace(nodes(p, '//svg:path/svg:title/text()'), E'\n', ' / ') AS told
FROM catalogue.charts c, picture(c.name) p WHERE c.name LIKE '% [%' ORDER BY c.name;
\pset format aligned
-- A map: its description, the degrees, and the length of the bar.
SELECT make('maps', json_build_object('name', 'Stops', 'file', :'file', 'latitudeKey', 'lat', 'longitudeKey', 'lon',
    'basemap', id_of('basemaps', 'OpenStreetMap'))) AS map \gset
SELECT nodes(p, '//svg:desc/text()') AS description, nodes(p) AS texts, nodes(p, 'count(//svg:circle)') AS points
FROM picture('Stops') p;

-- Texts are escaped, and characters that XML does not permit are left out.
SELECT chart('<script>alert(1)</script>', 'bar', '{"labels": ["<b>&amp;", "]]>", "a\u0001\u001f\u0085\ufffe\uffff-b",
    "\"''", "&#60;"], "data": [1, 2, 3, 4, 5]}') IS NOT NULL AS made;
\pset format unaligned
SELECT nodes(p) AS texts, nodes(p, '/svg:svg/svg:title/text()') AS title,
    nodes(p, '//svg:path/svg:title/text()') AS told, nodes(p, 'count(//svg:script)') AS scripts
FROM picture('<script>alert(1)</script>') p;
\pset format aligned
-- No data, of different kinds.
SELECT count(chart('Nothing ' || d, 'bar', d::json)) AS made
FROM unnest(ARRAY['{"labels": [], "data": []}', '[]', '{"labels": ["a"], "data": ["x"]}', '{"labels": "a"}', '5',
    '{"labels": ["a", "b"], "series": [], "data": []}', '{"labels": [], "series": ["a"], "data": [[]]}']) d;
SELECT c.name, nodes(p) AS texts, nodes(p, '//svg:desc/text()') AS description
FROM catalogue.charts c, picture(c.name) p WHERE c.name LIKE 'Nothing %' ORDER BY c.name COLLATE "C";
-- One value of each type; a pie of negative values, and of some.
SELECT count(chart(t || ' of ' || v, t, json_build_object('labels', '["a"]'::json, 'data', json_build_array(v))))
    AS made
FROM unnest('{bar,pie,line,stackedbar,heatmap}'::text[]) t, unnest('{42,0,-7.5}'::numeric[]) v;
SELECT c.name, nodes(p) AS texts
FROM catalogue.charts c, picture(c.name) p WHERE c.name LIKE '% of %' AND c.link IS NOT NULL
ORDER BY c.name COLLATE "C";
SELECT chart('Mixed', 'pie', '{"labels": ["a", "b", "c", "d"], "data": [3, -1, 0.001, -2]}') IS NOT NULL AS made,
    chart('Tiny', 'pie', '{"labels": ["a", "b"], "data": [5e-324, 5e-324]}') IS NOT NULL AS made;
SELECT nodes(p) AS texts FROM picture('Mixed') p;
SELECT nodes(p) AS texts FROM picture('Tiny') p;
-- The numbers of scales and values: fractions, thousands, units, powers, and what no number can hold.
SELECT count(chart('Number ' || v, 'bar', format('{"labels": ["a"], "data": [%s]}', v)::json)) AS made
FROM unnest('{5e-324,0.00002,0.04,0.5,1,7,1234.567,9999999,12345678,2.5e9,3e13,4e20,1e300,1e308,1e999,
    -1e308}'::text[]) v;
SELECT c.name, nodes(p, '//svg:text[contains(@class, "end")]/text()') AS scale,
    nodes(p, '//svg:text[@class="mid"][1]/text()') AS text
FROM catalogue.charts c, picture(c.name) p WHERE c.name LIKE 'Number %' ORDER BY c.name COLLATE "C";
-- Lines do not begin at zero where that would flatten them, and are interrupted where there is no value.
SELECT chart('Far', 'line', '{"labels": ["a", "b", "c", "d"], "data": [1001, 1003, null, 1002]}') IS NOT NULL AS made;
SELECT nodes(p) AS texts, nodes(p, '//svg:path[contains(@class, "line")]/@d') AS line FROM picture('Far') p;
-- A thousand labels: as many as there is room for, and no place of its own tells one; more series than colours: the
-- smallest ones are one.
SELECT count(chart('Many ' || t, t, (SELECT json_build_object('labels', json_agg('Label ' || n),
        'data', json_agg(n % 7 - 1)) FROM generate_series(1, 1000) n))) AS made,
    count(chart('Series ' || t, t, (SELECT json_build_object('labels', '["x"]'::json, 'series', json_agg('S' || n),
        'data', json_agg(json_build_array(n))) FROM generate_series(1, 12) n))) AS made
FROM unnest('{bar,pie,line,stackedbar,heatmap}'::text[]) t;
SELECT c.name, nodes(p, 'count(//svg:text)') AS texts, left(nodes(p), 200) AS first_texts,
    nodes(p, 'count(//svg:path/svg:title)') AS places, length(p::text) < 60000 AS small
FROM catalogue.charts c, picture(c.name) p WHERE c.name LIKE 'Many %' ORDER BY c.name;
SELECT c.name, nodes(p, '//svg:rect[@rx]/@class') AS colors, nodes(p, '//svg:text[@class=""]/text()') AS names
FROM catalogue.charts c, picture(c.name) p WHERE c.name LIKE 'Series %' ORDER BY c.name;
-- Labels that are long lie beside the bars, cut at the end; those written from right to left, and empty ones.
SELECT chart('Long', 'bar', json_build_object('labels', json_build_array(repeat('long ', 40), 'محافظة القاهرة',
    'משרד החינוך', '東京都', '', repeat('é', 60)), 'data', '[1, 2, 3, 4, 5, 6]'::json)) IS NOT NULL AS made;
SELECT nodes(p) AS texts FROM picture('Long') p;

-- Geometries of each kind, also in collections; positions that are none; longitudes across the antimeridian.
SELECT count(map('Map ' || md5(g), g::json)) AS made
FROM unnest(ARRAY['{"type": "Point", "coordinates": [2.35, 48.85, 30]}',
    '{"type": "MultiPoint", "coordinates": [[178, -18], [-179, -16], [-171.5, -13]]}',
    '{"type": "LineString", "coordinates": [[0, 0], [10, 5]]}',
    '{"type": "MultiLineString", "coordinates": [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]}',
    '{"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 0]], [[2, 1], [3, 1], [3, 2], [2, 1]]]}',
    '{"type": "Feature", "geometry": {"type": "GeometryCollection", "geometries": [{"type": "Point",
        "coordinates": [1, 2]}, {"type": "MultiPolygon", "coordinates": [[[[0, 0], [1, 0], [1, 1], [0, 0]]]]}]}}',
    '{"type": "FeatureCollection", "features": [null, 5, {"type": "Feature", "geometry": null}, {"type": "Feature",
        "geometry": {"type": "Point", "coordinates": ["1", 2]}}]}',
    '{"type": "MultiPoint", "coordinates": [[181, 0], [0, 91], [1e400, 0], [null, null], [], [1], [[2, 2]]]}',
    '{"type": "Point", "coordinates": "[1, 2]"}', '{"type": "Circle", "coordinates": [1, 2]}', '[]', '"x"', '{}']) g;
SELECT m.geojson, nodes(p, '//svg:desc/text()') AS description, nodes(p, 'count(//svg:circle)') AS points,
    nodes(p, '//svg:path[contains(@class, "0")]/@d') AS paths
FROM catalogue.maps m, picture(m.name) p WHERE m.name LIKE 'Map %' AND m.link IS NOT NULL
ORDER BY m.geojson::text COLLATE "C";
-- Land lies beneath maps, of a map as small as a city all of it.  Around the antimeridian no edge is drawn back across
-- the map: points that follow each other are near, unless the line between them is on one side of the frame.
CREATE FUNCTION land(name text) RETURNS TABLE (edges bigint, farthest numeric) LANGUAGE sql AS
$$
    WITH path AS (
            SELECT nodes(p, '//svg:path[@class="land"]/@d') AS d,
                   nodes(p, '//svg:rect[@class="frame"]/@x')::numeric AS x,
                   nodes(p, '//svg:rect[@class="frame"]/@y')::numeric AS y,
                   nodes(p, '//svg:rect[@class="frame"]/@width')::numeric AS width,
                   nodes(p, '//svg:rect[@class="frame"]/@height')::numeric AS height
            FROM picture($1) p),
        point AS (
            SELECT m[1] = 'M' AS begins, m[2]::numeric AS x, m[3]::numeric < path.y AS above,
                m[3]::numeric > path.y + height AS below, m[2]::numeric < path.x AS west,
                m[2]::numeric > path.x + width AS east, n
            FROM path, regexp_matches(d, '([ML])(-?[0-9.]+) (-?[0-9.]+)', 'g') WITH ORDINALITY r(m, n)),
        step AS (
            SELECT begins, abs(x - lag(x) OVER line) AS length, above AND lag(above) OVER line
                OR below AND lag(below) OVER line OR west AND lag(west) OVER line
                OR east AND lag(east) OVER line AS hidden
            FROM point WINDOW line AS (ORDER BY n))
    SELECT count(*) FILTER (WHERE begins), max(length) FILTER (WHERE NOT hidden AND NOT begins) FROM step
$$;
CREATE TABLE place AS
SELECT p.name, map(p.name, json_build_object('type', 'MultiPoint', 'coordinates', p.points))
FROM (VALUES ('The world', '[[-170, -80], [170, 80]]'::json), ('The Pacific', '[[150, -50], [-80, 60]]'),
    ('Fiji', '[[176, -19], [-178, -15]]'), ('The Arctic', '[[170, 80], [-150, 60]]'),
    ('A country', '[[-5, 42], [8, 51]]'), ('An ocean', '[[-30, -30], [-20, -25]]'),
    ('A city', '[[2.2, 48.8], [2.4, 48.9]]')) AS p(name, points);
SELECT p.name, l.edges > 0 AS land, l.edges > 80 AS much,
    l.farthest < CASE WHEN p.name ~ '^The' THEN 150 ELSE 600 END AS near FROM place p, land(p.name) l;
-- A map of less than 20 degrees has the names of places, the greatest first, which are inside the frame and not on each
-- other, borders and provinces; who has made them is told.
SELECT p.name, nodes(i, '//svg:svg//svg:text[contains(@class, "mid")][1]/text()') AS first,
    nodes(i, 'count(//svg:path[@stroke-dasharray])') AS provinces,
    nodes(i, 'count(//svg:path[@stroke-opacity])') AS borders,
    nodes(i, '//svg:text[starts-with(., "Natural")]/text()') AS sources
FROM place p, picture(p.name) i;
SELECT map('A harbour', '{"type": "MultiPoint", "coordinates": [[12.55, 55.66], [12.62, 55.70]]}') IS NOT NULL AS made,
    map('A region', '{"type": "MultiPoint", "coordinates": [[4, 51], [7, 52.5]]}') IS NOT NULL AS made;
WITH word AS (
    SELECT p.name, t.text, t.x - width / 2 AS west, t.x + width / 2 AS east, t.y
    FROM (VALUES ('A harbour'), ('A region'), ('A country')) p(name), picture(p.name) i,
        XMLTABLE(XMLNAMESPACES('http://www.w3.org/2000/svg' AS s), '//s:text[contains(@class, "mid")]' PASSING i
            COLUMNS text text PATH '.', x float8 PATH '@x', y float8 PATH '@y') t, catalogue.label_width(t.text) width
    WHERE t.text !~ '°')
SELECT a.name, count(DISTINCT a.text) AS names, count(b.text) AS overlapping,
    min(a.west) >= 72 AND max(a.east) <= 696 AS inside
FROM word a LEFT JOIN word b ON b.name = a.name AND b.text > a.text AND b.west < a.east AND b.east > a.west AND
    abs(a.y - b.y) < 12
GROUP BY a.name ORDER BY a.name;
-- Points at one place are drawn once.
SELECT map('Dense', (SELECT json_build_object('type', 'MultiPoint', 'coordinates', json_agg(json_build_array(n % 5, 1)))
    FROM generate_series(1, 10000) n)) IS NOT NULL AS made;
SELECT nodes(p, '//svg:desc/text()') AS description, nodes(p, '//svg:path[@class="l0"]/@d') AS points
FROM picture('Dense') p;

-- Records without data, and those that the caller may not see.
SELECT chart('No data', 'bar', NULL) AS none, map('No points', NULL) AS nowhere \gset
SELECT code, hint FROM refusal(format('SELECT catalogue.chart_svg(%L)', :'none'));
SELECT code, hint FROM refusal(format('SELECT catalogue.map_svg(%L)', :'nowhere'));
SELECT code FROM refusal('SELECT catalogue.chart_svg(''zzzzzzzzzzzzzzz'')');
SELECT code FROM refusal(format('SELECT catalogue.chart_svg(%L, actor => ''{}'')', :'bar'));
SELECT code FROM refusal(format('SELECT catalogue.map_svg(%L, actor => ''{}'')', :'map'));
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE name = 'Air';
UPDATE catalogue.files SET status = 'qWRhpRV' WHERE id = :'file';
UPDATE catalogue.charts SET status = 'qWRhpRV' WHERE id = :'bar';
SELECT r.data IS NOT NULL AS drawn, k.data AS known
FROM catalogue.chart_svg(:'bar', actor => '{}') r, catalogue.chart_svg(:'bar', '', '{}', r.etag) k;

-- The words and numbers of the service are in the language that the query names; names and labels are as they are.
SELECT chart('In words', 'stackedbar', '{"labels": ["x", ""], "series": ["a", "Other"], "rest": ["series"],
    "data": [[12345678, 1234.5], [-1.5, 2e9]]}') AS words,
    chart('Parts', 'pie', (SELECT json_build_object('labels', json_agg('L' || n), 'data', json_agg(
        CASE WHEN n > 10 THEN -1 ELSE 10000 / n ^ 6 END)) FROM generate_series(1, 12) n)) AS parts,
    chart('Nothing', 'heatmap', '{"labels": ["x"], "series": ["a"], "data": [[null]]}') AS nothing,
    chart('Negative', 'pie', '{"labels": ["x"], "data": [-1]}') AS negative,
    chart('Few', 'line', '{"labels": ["x", "y"], "data": [1, null]}') AS few \gset
CREATE TABLE word AS
SELECT l.lang, left(r.name, 10) AS name, xmlparse(DOCUMENT r.data) AS picture
FROM unnest('{en,es,PT}'::text[]) l(lang), LATERAL (
    SELECT c.name, (catalogue.chart_svg(c.id, 'lang=' || l.lang)).data FROM catalogue.charts c
    WHERE c.name IN ('In words', 'Parts', 'Nothing', 'Negative', 'Few', 'Kilometres')
    UNION ALL
    SELECT m.name, (catalogue.map_svg(m.id, 'lang=' || l.lang)).data FROM catalogue.maps m
    WHERE m.name = 'Stops' OR m.name LIKE 'Map %' AND m.geojson::text ~ 'MultiPolygon|LineString.*5]]}|Topology') r;
\pset format unaligned
SELECT name, lang, translate(nodes(picture, '//svg:desc/text()'), U&'\2068\2069', '') AS description,
    nodes(picture) AS texts FROM word ORDER BY name COLLATE "C", lower(lang);
\pset format aligned
-- The rest is told by its sign, not by its word: a series of this name, and signs that are none.
SELECT count(chart('Rest ' || r.rest, 'stackedbar', ('{"labels": ["Other"], "series": ["a", "Other"], "rest": '
    || r.rest || ', "data": [[1], [2]]}')::json)) AS made
FROM unnest('{"[\"labels\", \"series\"]","[]","\"series\"","{\"series\": 1}","[\"x\", 1, null]"}'::text[]) r(rest);
SELECT c.name, nodes(p, '//svg:rect[@rx]/@class') AS colors, nodes(p) AS texts
FROM catalogue.charts c, LATERAL (SELECT xmlparse(DOCUMENT r.data) FROM catalogue.chart_svg(c.id, 'lang=es') r) r(p)
WHERE c.name LIKE 'Rest %' ORDER BY c.name COLLATE "C";
-- Without one they are in the language of the catalogue, as are those in the pages of others, and so is their tag.
SELECT r.etag AS bar_tag, m.etag AS map_tag, f.etag AS file_tag
FROM catalogue.chart_svg(:'bar') r, catalogue.map_svg(:'map') m, catalogue.contents_image(:'file') f \gset
SELECT make('configs', '{"key": "catalogLanguage", "value": "es-UY", "type": "string", "category": "site",
    "description": "Language"}') IS NOT NULL AS made;
SELECT r.data = s.data AS spanish, r.data <> e.data AS not_english, r.etag = s.etag AS same_tag,
    k.data IS NOT NULL AS sent
FROM catalogue.chart_svg(:'few') r, catalogue.chart_svg(:'few', 'lang=es') s, catalogue.chart_svg(:'few', 'lang=en') e,
    catalogue.chart_svg(:'bar', known => :'bar_tag') k;
SELECT m.data IS NOT NULL AS map_sent, f.data IS NOT NULL AS rows_sent
FROM catalogue.map_svg(:'map', known => :'map_tag') m, catalogue.contents_image(:'file', known => :'file_tag') f;
SELECT (catalogue.delete('configs', id, admin())).id IS NOT NULL AS deleted FROM catalogue.configs
WHERE key = 'catalogLanguage' AND deleted_at IS NULL;
-- A language that there is not.
SELECT r.* FROM unnest('{xx,es-UY,""}'::text[]) l(lang), unnest(ARRAY[
    format('chart_svg(%L', :'bar'), format('map_svg(%L', :'map'), format('contents_image(%L', :'file')]) f(call),
    refusal(format('SELECT catalogue.%s, %L)', f.call, 'lang=' || l.lang)) r;

-- The code that embeds a picture is made where the address of the service is known.
CREATE FUNCTION code(id text, body json, base text) RETURNS text LANGUAGE sql AS
$$
    SELECT mask(data::json ->> 'embedCode')
    FROM catalogue.update('charts', $1, $2, 'representation', actor => admin() || jsonb_build_object('base', $3))
$$;
SELECT embed_code FROM catalogue.charts WHERE id = :'bar';
SELECT code(:'bar', '{"notes": "x"}', 'https://data.example.org/api?a&"b"');
SELECT code(:'bar', '{"name": "\"Kilometres\" <&> ''more''"}', 'https://other.example.org');
UPDATE catalogue.charts SET name = 'From SQL' WHERE id = :'bar' RETURNING mask(embed_code) AS code;
SELECT length(code(:'bar', json_build_object('name', repeat('&', 150)), 'https://x.example.org'));
SELECT code(:'bar', '{"name": "Short again"}', 'https://x.example.org');
-- One of the client is kept, also through another name, until it is taken away.
SELECT code(:'bar', '{"embedCode": "<b>mine</b>"}', 'https://x.example.org');
SELECT code(:'bar', '{"name": "Kilometres"}', 'https://x.example.org');
SELECT code(:'bar', '{"embedCode": null}', 'https://x.example.org');
SELECT code(:'bar', '{"name": "New", "embedCode": "<img src=\"x\" alt=\"New\">"}', 'https://x.example.org');
-- A record with a link has no picture of the service; nor is there one where the address is too long.
SELECT code(:'none', '{"notes": "x"}', 'https://x.example.org');
SELECT code(:'bar', '{"embedCode": null}', 'https://x.example.org/' || repeat('x', 500));
