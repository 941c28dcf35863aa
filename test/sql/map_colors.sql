--
-- map_colors: maps whose features have the colours of classes of a column
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Town') IS NOT NULL AS made;
SELECT make_file('Districts', 'Town') AS file \gset
SELECT catalogue.contents_load(:'file', (SELECT json_agg(r) FROM (
    SELECT '["name", "people", "few", "kind", "geometry"]'::json AS r UNION ALL
    SELECT json_build_array('d' || n, CASE WHEN n % 20 = 0 THEN '' ELSE (n * 10)::text END, n % 2,
        CASE WHEN n % 20 = 0 THEN '' ELSE 'kind ' || least(n % 12, 9) END,
        format('POLYGON ((%s 0, %s 0, %1$s 1, %1$s 0))', n, n + 0.9)) FROM generate_series(1, 100) n) g)) > 0 AS loaded;
CREATE FUNCTION body(file text, name text, color text) RETURNS json LANGUAGE sql AS
$$
    SELECT json_build_object('name', name, 'file', file, 'latitudeKey', 'geometry', 'longitudeKey', 'geometry',
        'colorKey', color, 'properties', '["name"]'::json, 'basemap', id_of('basemaps', 'OpenStreetMap'))
$$;
SELECT make('maps', body(:'file', 'People', 'people')) AS people, make('maps', body(:'file', 'Few', 'few')) AS few,
    make('maps', body(:'file', 'Kind', 'kind')) AS kind, make('maps', body(:'file', 'Plain', NULL)) AS plain \gset
SELECT m.name, m.legend ->> 'column' AS column, m.legend ->> 'empty' AS empty, c.class
FROM catalogue.maps m LEFT JOIN LATERAL json_array_elements(m.legend -> 'classes') c(class) ON true
WHERE m.file = :'file' ORDER BY m.name, c.class::text;
-- The classes of the features; one without a value has none.
CREATE FUNCTION classes(map text, query text DEFAULT '') RETURNS TABLE (class text, features bigint, first text)
LANGUAGE sql AS
$$
    SELECT f ->> 'class', pg_catalog.count(*), min(f #>> '{properties,name}')
    FROM catalogue.map_geojson(map, query) r, json_array_elements(r.data::json -> 'features') f GROUP BY 1 ORDER BY 1
$$;
SELECT * FROM classes(:'people');
SELECT * FROM classes(:'people', 'limit=30');
SELECT * FROM classes(:'few');
SELECT * FROM classes(:'kind');
SELECT * FROM classes(:'plain');
-- Their colours in pictures, and the legend.
SELECT m.name, c.class, pg_catalog.count(*) FILTER (WHERE c.class IS NOT NULL) AS shapes
FROM catalogue.maps m, catalogue.map_svg(m.id) s
    LEFT JOIN LATERAL (SELECT x[1] FROM regexp_matches(s.data, '<path class="((?:[fq]\d [a-z0-9 ]+))" d', 'g') x)
        c(class) ON true
WHERE m.file = :'file' GROUP BY 1, 2 ORDER BY 1, 2;
SELECT m.name, x[1] AS color, x[2] AS text
FROM catalogue.maps m, catalogue.map_svg(m.id) s,
    regexp_matches(s.data, '<rect class="(\w+)" [^>]*rx="2"/>\s*<text [^>]*>([^<]*)<', 'g') x
WHERE m.file = :'file' ORDER BY 1, 2;
-- A column that is not there; a client cannot write the legend; other contents have other classes, or none.
SELECT * FROM faults(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body(:'file', 'Wrong', 'colour')));
SELECT data::json ->> 'legend' AS legend
FROM catalogue.update('maps', :'plain', '{"legend": {"column": "x", "classes": []}}', 'representation',
    actor => admin());
SELECT data::json #>> '{legend,column}' AS column
FROM catalogue.update('maps', :'plain', '{"colorKey": "kind"}', 'representation', actor => admin());
-- The owner of the tables may write another legend.
UPDATE catalogue.maps SET legend = '{"column": "kind", "classes": [1, {"value": 2}]}' WHERE id = :'plain';
SELECT data ~ '>Other<' AS others FROM catalogue.map_svg(:'plain');
UPDATE catalogue.maps SET legend = '{}' WHERE id = :'plain';
SELECT data ~ 'class="f0 l0 area"' AS plain FROM catalogue.map_svg(:'plain');
SELECT catalogue.contents_load(:'file', '[["name", "people", "kind", "geometry"], ["a", 5, "x", "POINT (1 1)"],
    ["b", null, "", "POINT (2 2)"]]') > 0 AS loaded;
SELECT name, legend, geojson IS NULL AS gone FROM catalogue.maps WHERE file = :'file' ORDER BY name;
SELECT data ~ '<g class="q1 halo"' AS colored, data ~ '<g class="f7 halo"' AS grey
FROM catalogue.map_svg(:'people');
