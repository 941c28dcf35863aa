--
-- geometries: WKT in rows becomes GeoJSON, and maps of lines and areas
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Town') IS NOT NULL AS made;
SELECT make_file('Shapes', 'Town') AS file, make_file('Plain', 'Town') AS plain \gset
-- Every kind, in the letters and forms in which programs write it.
CREATE FUNCTION loaded(file text, VARIADIC shapes text[]) RETURNS boolean LANGUAGE sql AS
$$
    SELECT catalogue.contents_load(file, (SELECT json_agg(r ORDER BY n) FROM (
        SELECT 0 AS n, '["name", "geometry"]'::json AS r UNION ALL
        SELECT s.n, json_build_array('s' || s.n, s.shape) FROM unnest(shapes) WITH ORDINALITY s(shape, n)) g)) > 0
$$;
CREATE FUNCTION features(file text, query text DEFAULT '') RETURNS TABLE (id text, geometry text)
LANGUAGE sql AS
$$
    SELECT f ->> 'id', f ->> 'geometry'
    FROM (SELECT string_agg((r).data, '') AS whole FROM catalogue.contents_export(file, query, NULL, 'geojson') r) w,
        json_array_elements(whole::json -> 'features') f
$$;
SELECT loaded(:'file', 'POINT (1.5 -2)', 'point(1 2)', 'LINESTRING (0 0, 1 1.25, 2 0)',
    'POLYGON ((0 0, 0 3, 3 3, 3 0, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))',
    'MULTIPOINT (1 2, 3 4)', 'MULTIPOINT ((1 2), (3 4))', 'MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))',
    'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 5 6, 6 6, 5 5)))',
    'GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 1 1), GEOMETRYCOLLECTION (POINT (3 4)))',
    'POINT Z (1 2 3)', 'POINTZ(1 2 3)', 'POINT M (1 2 3)', 'POINT ZM (1 2 3 4)', 'SRID=4326;POINT(1 2)',
    'POINT (+1.25E1 -.5)', 'POINT (0.123456789 1.10000000)', 'POINT (-0.00000001 0)',
    '  LineString ( 1 2 ,3 4 ) ') AS loaded;
SELECT * FROM features(:'file');
-- What is none is no feature.
SELECT loaded(:'file', '', 'POINT EMPTY', 'POINT (1)', 'POINT (1 2', 'POINT (1 2))', 'POINT (1 2) x', 'POINTS (1 2)',
    'POINT 1 2',
    'POINT (361 0)', 'POINT (0 91)', 'POINT (nan 1)', 'POINT (1 x)', 'POINT (1e999 1)', 'LINESTRING (1 2)',
    'POLYGON ((0 0, 1 1, 0 0))', 'POLYGON ((0 0, 1 0, 1 1, 0 1))', 'POLYGON (0 0, 1 0, 1 1, 0 0)',
    'SRID=25830;POINT(1 2)', 'CIRCULARSTRING (0 0, 1 1, 1 0)', repeat('GEOMETRYCOLLECTION (', 33) || 'POINT (1 2)'
    || repeat(')', 33), 'Calle Mayor 1',
    'POINT (0.' || repeat('1', 41) || ' 1)', 'GEOMETRYCOLLECTION (POINT (1 2),)')
    AS loaded;
SELECT * FROM features(:'file');
-- A map of them tells why.
SELECT make('maps', json_build_object('name', 'Shapes', 'file', :'file', 'latitudeKey', 'geometry', 'longitudeKey',
    'geometry', 'properties', '["name"]'::json, 'basemap', id_of('basemaps', 'OpenStreetMap'))) AS map \gset
SELECT correct, incorrect FROM catalogue.maps WHERE id = :'map';
SELECT e ->> 'row' AS row, e ->> 'reason' AS reason
FROM catalogue.map_issues(:'map', 'limit=100') i, json_array_elements(i.data::json) e;
-- Lines and areas of a map, its bounds, its picture.
SELECT loaded(:'file', 'POLYGON ((0 0, 0 3, 3 3, 3 0, 0 0))', 'LINESTRING (-1 5, 7 6)', 'POINT (1 1)') AS loaded;
SELECT geojson, correct, incorrect FROM catalogue.maps WHERE id = :'map';
SELECT data ~ '<path class="f0 l0 area" d="M[-0-9. LMz]+z"/>' AS area, data ~ '<path class="line l0" d="' AS line,
    data ~ '<circle' AS point
FROM catalogue.map_svg(:'map');
-- Keys that are not those of the file's own places are of points alone.
SELECT catalogue.contents_load(:'plain', '[["lat", "lon", "geometry", "y2"], [1, 2, "LINESTRING (0 0, 1 1)", 7],
    [3, 4, "", 8], ["", "", "POINT (5 6)", 9]]') > 0 AS loaded;
SELECT * FROM features(:'plain');
SELECT * FROM features(:'plain', 'latitudeKey=y2');
SELECT make('maps', json_build_object('name', 'Plain', 'file', :'plain', 'latitudeKey', 'lat', 'longitudeKey',
    'lon', 'basemap', id_of('basemaps', 'OpenStreetMap'))) AS map \gset
SELECT geojson #>> '{features,0,geometry,type}' AS type, correct, incorrect FROM catalogue.maps WHERE id = :'map';
UPDATE catalogue.maps SET latitude_key = 'y2' WHERE id = :'map';
SELECT geojson #>> '{features,0,geometry,coordinates}' AS place, correct, incorrect
FROM catalogue.maps WHERE id = :'map';
