--
-- map_index: points stored by their place, from which parts of a map are read as from the points of the record
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
-- Every point is in one chunk; a chunk is a part of the earth.
SELECT number, west, south, east, north, length(points) / 24 AS points FROM catalogue.map_chunk WHERE map = :'map'
ORDER BY number;
-- Parts from the stored points are those that the record's points have, in the same order.
CREATE TABLE asked AS SELECT q FROM unnest('{"bbox=-180,-90,180,90","bbox=0,0,0,0","bbox=-15,-15,15,25","bbox=1,1,2,2",
    "bbox=170,-90,-170,90","bbox=-180,85,180,90&properties=name",properties=,"properties=note,name","properties=colour",
    "bbox=-20,-20,20,20&properties=","bbox=-1000,-1000,1000,1000"}'::text[]) q;
CREATE TABLE found AS SELECT q, r.data, r.etag FROM asked, catalogue.map_geojson(:'map', q) r;
CREATE TABLE kept AS SELECT * FROM catalogue.map_chunk;
DELETE FROM catalogue.map_chunk;
SELECT f.q AS query, json_array_length(f.data::json -> 'features') AS points, f.data = r.data AS same,
       f.etag = r.etag AS etag
FROM found f, catalogue.map_geojson(:'map', f.q) r;
INSERT INTO catalogue.map_chunk SELECT * FROM kept;
SELECT data FROM catalogue.map_geojson(:'map', 'bbox=-5,-5,15,5&properties=name');
-- Other contents replace the stored points; an earlier state is read from its record.
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS then \gset
SELECT grid(:'file', 90) AS loaded;
SELECT sum(length(points) / 24) AS points FROM catalogue.map_chunk WHERE map = :'map';
SELECT json_array_length(now.data::json -> 'features') AS now, json_array_length(past.data::json -> 'features') AS past
FROM catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90') now,
    catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90&version=' || :'then') past;
-- Stored points are of no use to a map that is not made of its file any more.
UPDATE catalogue.maps SET latitude_key = NULL, geojson = '{"type": "FeatureCollection", "features": []}'
WHERE id = :'map';
SELECT data FROM catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90');
UPDATE catalogue.maps SET latitude_key = 'lat' WHERE id = :'map';
SELECT json_array_length(data::json -> 'features') AS points FROM catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90');
-- A file without valid points has none stored.
SELECT catalogue.contents_load(:'other', '[["lat", "lon"], ["x", "y"]]') > 0 AS loaded;
UPDATE catalogue.maps SET file = :'other', properties = '[]' WHERE id = :'map';
SELECT data, (SELECT count(*) FROM catalogue.map_chunk WHERE map = :'map') AS chunks
FROM catalogue.map_geojson(:'map', 'bbox=-180,-90,180,90');
-- Stored points are checked when they are read.
UPDATE catalogue.maps SET file = :'file' WHERE id = :'map';
CREATE FUNCTION broken(map text, points bytea, features bytea) RETURNS SETOF record LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.map_chunk c SET points = broken.points, features = broken.features WHERE c.map = broken.map;
    RETURN QUERY SELECT * FROM refusal(format('SELECT catalogue.map_geojson(%L, ''properties='')', broken.map));
END
$$;
SELECT what, r.* FROM (SELECT * FROM catalogue.map_chunk WHERE map = :'map' LIMIT 1) c,
    LATERAL (VALUES ('cut off', substr(c.points, 2), c.features),
        ('a point too many', c.points || c.points, c.features),
        ('a feature too short', c.points, substr(c.features, 2)), ('a feature too long', c.points, c.features || 'x'),
        ('a negative length', overlay(c.points placing '\xffffffff' from 21 for 4), c.features))
        v (what, points, features),
    broken(:'map', v.points, v.features) r (code text, message text, detail text, hint text);
-- With the record its stored points go.
DELETE FROM catalogue.maps WHERE id = :'map';
SELECT catalogue.clear('maps') > 0 AS cleared;
SELECT count(*) AS chunks FROM catalogue.map_chunk;
