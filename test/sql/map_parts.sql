--
-- map_parts: parts of a map: of a rectangle, of some properties, of the first features; of one whose record has none
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Grid', 'Air') AS file, make_file('Other', 'Air') AS other \gset
CREATE FUNCTION grid(file text, step integer) RETURNS boolean LANGUAGE sql AS
$$
    SELECT catalogue.contents_load(file, (SELECT json_agg(r) FROM (
        SELECT '["name", "lat", "lon", "note"]'::json AS r UNION ALL
        SELECT json_build_array('p' || lat || '"}' || lon, lat, lon, lat - lon)
        FROM generate_series(-90, 90, step) lat, generate_series(-180, 180, step) lon) g)) > 0
$$;
SELECT grid(:'file', 10) AS loaded;
SELECT make('maps', json_build_object('name', 'Grid', 'file', :'file', 'latitudeKey', 'lat', 'longitudeKey', 'lon',
    'properties', '["name", "note"]'::json, 'basemap', id_of('basemaps', 'OpenStreetMap'))) AS map \gset
-- Parts of what the record has, in the same order.
SELECT q AS query, json_array_length(r.data::json -> 'features') AS points,
    NOT EXISTS (SELECT FROM json_array_elements(r.data::json -> 'features') WITH ORDINALITY f(feature, n),
                    (SELECT ARRAY(SELECT e ->> 'id'
                                  FROM catalogue.maps m, json_array_elements(m.geojson -> 'features') e
                                  WHERE m.id = :'map') AS ids) o
                WHERE array_position(o.ids, f.feature ->> 'id') IS NULL) AS known
FROM unnest('{"bbox=-180,-90,180,90","bbox=0,0,0,0","bbox=-15,-15,15,25","bbox=1,1,2,2",
    "bbox=170,-90,-170,90","bbox=-180,85,180,90&properties=name",properties=,"properties=note,name","properties=colour",
    "bbox=-20,-20,20,20&properties=","bbox=-1000,-1000,1000,1000","limit=3","bbox=-15,-15,15,25&limit=2"}'::text[]) q,
    catalogue.map_geojson(:'map', q) r;
SELECT data FROM catalogue.map_geojson(:'map', 'bbox=-5,-5,15,5&properties=name');
-- Other contents replace the points; an earlier state has its own.
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS then \gset
SELECT grid(:'file', 90) AS loaded;
SELECT json_array_length(now.data::json -> 'features') AS now, json_array_length(past.data::json -> 'features') AS past
FROM catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90') now,
    catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90&version=' || :'then') past;
-- A map that is not made of its file any more.
UPDATE catalogue.maps SET latitude_key = NULL, geojson = '{"type": "FeatureCollection", "features": []}'
WHERE id = :'map';
SELECT data FROM catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90');
UPDATE catalogue.maps SET latitude_key = 'lat' WHERE id = :'map';
SELECT json_array_length(data::json -> 'features') AS points FROM catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90');
-- A file without valid points.
SELECT catalogue.contents_load(:'other', '[["lat", "lon"], ["x", "y"]]') > 0 AS loaded;
UPDATE catalogue.maps SET file = :'other', properties = '[]' WHERE id = :'map';
SELECT data FROM catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90');
-- More features than a record has: they are read from the rows.
SELECT make_file('Many', 'Air') AS many \gset
SELECT catalogue.contents_load(:'many', (SELECT json_agg(r) FROM (
    SELECT '["lat", "lon", "note"]'::json AS r UNION ALL
    SELECT json_build_array(n % 90, n % 180, repeat('x', 100) || n) FROM generate_series(1, 12000) n) g)) > 0 AS loaded;
SELECT make('maps', json_build_object('name', 'Many', 'file', :'many', 'latitudeKey', 'lat', 'longitudeKey', 'lon',
    'properties', '["note"]'::json, 'basemap', id_of('basemaps', 'OpenStreetMap'))) AS large \gset
SELECT geojson, correct, incorrect, extent FROM catalogue.maps WHERE id = :'large';
SELECT data::json ->> 'geojson' AS geojson, links::text LIKE '%geojson%' AND links::text LIKE '%image%' AS linked
FROM catalogue.item('maps', :'large', actor => admin());
SELECT q AS query, json_array_length(r.data::json -> 'features') AS points,
    r.data::json -> 'features' -> 0 ->> 'id' AS first
FROM unnest('{"",limit=5,"bbox=10,10,10,10","bbox=10,10,10,10&limit=7&properties="}'::text[]) q,
    catalogue.map_geojson(:'large', q) r;
SELECT data LIKE '<svg %' AS drawn FROM catalogue.map_svg(:'large');
SELECT length(data) > 1000 AS tile FROM catalogue.map_tile(:'large', tile => '0/0/0');
-- A picture of more than 20,000 points has the only one at a place, also over the antimeridian, and all are counted.
CREATE FUNCTION drawn(map text) RETURNS TABLE (description text, note text, dots bigint) LANGUAGE sql AS
$$
    SELECT substring(r.data FROM '<desc[^>]*>([^<]*)'), substring(r.data FROM '>([^<]* rows)</text>'),
        (SELECT pg_catalog.count(*) FROM regexp_matches(r.data, '<circle', 'g'))
    FROM catalogue.map_svg(map) r
$$;
SELECT make_file('Cloud', 'Air') AS cloud \gset
CREATE FUNCTION cloud(file text, longitudes text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    RETURN catalogue.contents_load(file, (SELECT json_agg(r) FROM (SELECT '["lat", "lon"]'::json AS r UNION ALL
        SELECT json_build_array(n % 100 / 1000.0, CASE WHEN n = 70003 THEN split_part(longitudes, ' ', 2)
            ELSE split_part(longitudes, ' ', 1) END::numeric - n % 90 / 1000.0)
        FROM generate_series(1, 90000) n) g)) > 0;
END
$$;
SELECT cloud(:'cloud', '10 20') AS loaded;
SELECT make('maps', json_build_object('name', 'Cloud', 'file', :'cloud', 'latitudeKey', 'lat', 'longitudeKey', 'lon',
    'basemap', id_of('basemaps', 'OpenStreetMap'))) AS cloud_map \gset
SELECT * FROM drawn(:'cloud_map');
SELECT cloud(:'cloud', '180 -170') AS loaded;
SELECT * FROM drawn(:'cloud_map');
-- The version before it was made again has its own rows.
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS then \gset
SELECT catalogue.contents_load(:'many', '[["lat", "lon", "note"], [1, 2, "y"]]') > 0 AS loaded;
SELECT json_array_length(now.data::json -> 'features') AS now, json_array_length(past.data::json -> 'features') AS past
FROM catalogue.map_geojson(:'large') now, catalogue.map_geojson(:'large', 'version=' || :'then') past;
