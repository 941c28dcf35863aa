--
-- geography: rows in a rectangle, near a place, within an area; with PostGIS, without it, and once it comes
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Town') IS NOT NULL AS made;
SELECT make_file('Shapes', 'Town') AS shapes, make_file('Points', 'Town') AS points,
    make_file('Plain', 'Town') AS plain \gset
CREATE FUNCTION found(file text, query text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(e ->> 'name', ' ' ORDER BY n)
    FROM catalogue.contents_page(file, query, actor => admin()) r, json_array_elements(r.data::json)
        WITH ORDINALITY e(e, n)
$$;
SELECT stored(:'shapes', '{"longitude": "longitude", "latitude": "latitude", "geometry": "geometry"}',
    '[["longitude", "latitude", "name", "geometry"],
      ["", "", "square", "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))"], ["", "", "street", "LINESTRING (1 1, 5 1)"],
      ["3", "3", "point", ""], ["", "", "edge", "POLYGON ((179 -1, 180 -1, 180 1, 179 1, 179 -1))"],
      ["", "", "west", "LINESTRING (-180 0, -179.5 0)"], ["", "", "broken", "POLYGON ((0 0, 1 1))"],
      ["", "", "none", ""],
      ["", "", "ring", "POLYGON ((10 10, 20 10, 20 20, 10 20, 10 10), (14 14, 16 14, 16 16, 14 16, 14 14))"]]')
    AS stored;
SELECT stored(:'points', '{"longitude": "longitude", "latitude": "latitude"}',
    '[["longitude", "latitude", "name"], [1, 1, "a"], [3, 3, "b"], [15, 15, "hole"], [12, 12, "ring"],
      [179.9, 0, "edge"],
      [-179.9, 0, "west"], ["", 1, "none"], [0, 0, "zero"]]') AS stored;
SELECT catalogue.contents_load(:'plain', '[["name", "near", "bbox"], ["one", "x", "1,1,2,2"], ["two", "y", "3"]]') > 0
    AS loaded;
SELECT l.shapes, pg_catalog.count(*) AS rows
FROM catalogue.sheet_layer l JOIN catalogue.sheet_shape s USING (sheet) GROUP BY 1;
CREATE TABLE asked AS SELECT q, n FROM unnest('{"bbox=-1,-1,1.5,1.5","bbox=3,0,6,6","bbox=1.9,1.9,2.9,2.9",
    "bbox=178,-5,-178,5",
    "bbox=14.5,14.5,15.5,15.5","bbox=10,10,20,20","near=3,3,1000","near=3,1.01,2000","near=179.95,0,30000",
    "near=15,15,90000",
    "bbox=0,0,6,6&near=3,3,1000","bbox=0,0,6,6&name=street,b","bbox=0,0,6,6&orderBy=name&sort=DESC",
    "bbox=0,0,6,6&limit=1&skip=1","bbox=50,50,51,51"}'::text[]) WITH ORDINALITY u(q, n);
SELECT q AS query, found(:'shapes', q) AS shapes, found(:'points', q) AS points FROM asked ORDER BY n;
-- Within the ring, of which a hole is no part, and within the square.
SELECT right(q, 2) AS row, q ~ 'bbox' AS bbox, found(:'shapes', q) AS shapes, found(:'points', q) AS points
FROM unnest(ARRAY['within=' || :'shapes' || ':8', 'within=' || :'shapes' || ':1',
    'bbox=0,0,2.5,2.5&within=' || :'shapes' || ':1']) q;
-- Numbers, groups, other formats and changes are of the same rows; the antimeridian is crossed.
SELECT count, returned FROM catalogue.contents_page(:'shapes', 'bbox=0,0,6,6&limit=1', admin());
SELECT data FROM catalogue.contents_page(:'points', 'bbox=0,0,6,6&aggregate=count', admin());
SELECT string_agg(data, '') FROM catalogue.contents_export(:'points', 'bbox=0,0,6,6&fields=name', admin(), 'csv');
SELECT json_array_length(data::json -> 'features') AS features,
    data::json -> 'features' -> 0 -> 'properties' AS properties
FROM catalogue.contents_export(:'shapes', 'bbox=-1,-1,1.5,1.5&fields=name', admin(), 'geojson');
-- Each way to be wrong.
SELECT replace(replace(q, :'points', 'points'), :'shapes', 'shapes') AS query, r.*
FROM unnest(ARRAY['bbox=1,2,3', 'bbox=a,1,2,3', 'bbox=1,5,2,4', 'near=1,2', 'near=1,2,x',
    'near=181,0,1',
    'near=0,91,1', 'near=0,0,-1', 'near=0,0,20037509', 'within=', 'within=nothing', 'within=nothing:1',
    'within=' || :'points' || ':1', 'within=' || :'shapes' || ':0', 'within=' || :'shapes' || ':9',
    'within=' || :'shapes' || ':2', 'within=' || :'shapes' || ':6', 'within=' || :'shapes' || ':x']) q,
    refusal(format('SELECT catalogue.contents_page(%L, %L, admin())', :'points', q)) r (code, message, detail, hint);
-- Areas that PostGIS would need much memory for: one with too many corners, and a star with 700, whose edges cross each
-- other 120,000 times, which is not found by its place, either.  One with 151, and 5,000 crossings, is repaired.
CREATE FUNCTION star(corners integer, east integer) RETURNS text LANGUAGE sql AS
$$
    SELECT format('POLYGON ((%s))', string_agg(format('%s %s', round((east + 40 * sin(p.turn))::numeric, 9),
        round(40 * cos(p.turn)::numeric, 9)), ', ' ORDER BY n))
    FROM generate_series(0, corners) n, LATERAL (SELECT 2 * pi() * (n % corners) * (corners / 2) / corners) p(turn)
$$;
SELECT make_file('Large', 'Town') AS large \gset
SELECT stored(:'large', '{"geometry": "geometry"}', json_build_array('["name", "geometry"]'::json,
    json_build_array('small', star(151, 0)), json_build_array('star', star(701, 0)),
    json_build_array('comb', (SELECT format('POLYGON ((%s,100 -1,0 -1,0 0))', string_agg(format('%s %s',
        round(n / 1000.0, 3), n % 2), ',' ORDER BY n)) FROM generate_series(0, 100000) n)),
    json_build_array('far', star(701, 170)))) AS stored;
SELECT found(:'large', 'bbox=-1,-1,1,1') AS at_stars, found(:'large', 'bbox=50,-1,51,0') AS at_comb;
SELECT n AS row, r.code, r.hint FROM generate_series(1, 4) n,
    refusal(format('SELECT catalogue.contents_page(%L, %L, admin())', :'points', 'within=' || :'large' || ':' || n)) r;
SELECT make('maps', json_build_object('name', 'Large', 'file', :'large', 'latitudeKey', 'geometry', 'longitudeKey',
    'geometry', 'basemap', id_of('basemaps', 'OpenStreetMap'))) AS large_map \gset
SELECT data::json #>> '{0,row}' AS row, data::json #>> '{0,reason}' AS reason
FROM catalogue.map_issues(:'large_map', actor => admin());
-- A file whose rows have no places may have columns of these names.
SELECT q AS query, found(:'plain', q) AS rows FROM unnest('{"near=x","bbox=3"}'::text[]) q;
-- An outsider does not learn of an area in a file that he does not see.
SELECT * FROM refusal(format('SELECT catalogue.contents_page(%L, %L, ''{}'')', :'points',
    'within=' || :'shapes' || ':1'));
UPDATE catalogue.files SET status = id_of('statuses', 'Published') WHERE id = :'points';
SELECT * FROM refusal(format('SELECT catalogue.contents_page(%L, %L, ''{}'')', :'points',
    'within=' || :'shapes' || ':1'));
-- A map of them: parts, tiles.
SELECT make('maps', json_build_object('name', 'Shapes', 'file', :'shapes', 'latitudeKey', 'latitude', 'longitudeKey',
    'longitude', 'properties', '["name"]'::json, 'basemap', id_of('basemaps', 'OpenStreetMap'))) AS map \gset
SELECT correct, incorrect, extent FROM catalogue.maps WHERE id = :'map';
SELECT f ->> 'id' AS id, f -> 'geometry' ->> 'type' AS type
FROM catalogue.map_geojson(:'map', 'bbox=-1,-1,2.5,2.5') r, json_array_elements(r.data::json -> 'features') f;
-- Those near a place, and within an area of a file, whose change is one of what is within it.
SELECT replace(q, :'shapes', 'shapes') AS query, array_agg((f ->> 'id')::integer) AS rows
FROM unnest(ARRAY['near=0,0,1000', 'near=0,0,300000&limit=1', 'within=' || :'shapes' || ':1',
        'bbox=0,0,2.5,2.5&within=' || :'shapes' || ':1']) WITH ORDINALITY q(q, n),
    catalogue.map_geojson(:'map', q.q) r, json_array_elements(r.data::json -> 'features') f
GROUP BY q.n, q.q ORDER BY q.n;
SELECT q.word, f.code, f.message, f.hint FROM unnest('{"near=1,2","within=x"}'::text[]) q(word),
    refusal(format('SELECT catalogue.map_geojson(%L, %L)', :'map', q.word)) f;
SELECT f.code, f.message FROM refusal(format('SELECT catalogue.map_geojson(%L, %L, ''{}'')', :'map',
    'within=' || :'shapes' || ':1')) f;
SELECT etag AS before FROM catalogue.map_geojson(:'map', 'within=' || :'shapes' || ':1') \gset
UPDATE catalogue.files SET description = 'Areas' WHERE id = :'shapes';
SELECT etag = :'before' AS same FROM catalogue.map_geojson(:'map', 'within=' || :'shapes' || ':1');
-- What a client has written is not compared with these.
SELECT make('maps', json_build_object('name', 'Written', 'file', :'points',
    'geojson', '{"type":"FeatureCollection","features":[]}'::json, 'basemap', id_of('basemaps', 'OpenStreetMap')))
    AS written \gset
SELECT f.* FROM unnest(ARRAY['near=0,0,1', 'within=' || :'shapes' || ':1']) q(word),
    refusal(format('SELECT catalogue.map_geojson(%L, %L)', :'written', q.word)) f (code, message, detail, hint);
SELECT catalogue.delete('maps', :'written', actor => admin()) IS NOT NULL AS deleted;
SELECT t AS tile, position('shapes'::bytea IN b.bytes) > 0 AS shapes, position('points'::bytea IN b.bytes) > 0 AS points
FROM unnest('{0/0/0,1/1/0,2/0/2,2/2/1,2/2/2,2/3/1,3/4/4,3/4/3,10/0/0}'::text[]) t,
    catalogue.map_tile(:'map', tile => t) r,
    decode(translate(r.data, '-_', '+/') || repeat('=', -length(r.data) & 3), 'base64') b(bytes);
-- A tile that would be too long has fewer corners; stars whose points are long keep these, and the smaller ones are
-- points.
CREATE FUNCTION star(longitude float8, latitude float8, size float8, notch float8) RETURNS public.geometry
LANGUAGE sql AS
$$
    SELECT public.ST_SetSRID(public.ST_MakePolygon(public.ST_MakeLine(public.ST_MakePoint(
        longitude + size * r.part * cosd(r.n % 40 * 9), latitude + size * r.part * sind(r.n % 40 * 9))
        ORDER BY r.n)), 4326)
    FROM (SELECT n, CASE n % 2 WHEN 0 THEN 1 ELSE notch END AS part FROM generate_series(0, 40) n) r
$$;
BEGIN;
SELECT id AS sheet FROM catalogue.sheet WHERE file = :'shapes' AND replaced_at IS NULL \gset
INSERT INTO catalogue.sheet_shape (sheet, "row", shape, longitude, latitude, size)
SELECT CASE notch WHEN 0.3 THEN :sheet ELSE 1000000 END, n + 100, star(x, y, size, notch), x, y, 2 * size
FROM (SELECT n, n % 100 * 1.7::float8 + 3 AS x, n / 100 * 0.7::float8 + 3 AS y, 3 + n / 10000::float8 AS size
    FROM generate_series(0, 9999) n) places, unnest(ARRAY[0.3, 0.88]) notch;
SELECT notch, step, t.tile = u.tile AS same, length(t.tile) > 500000 AS long,
    position('shapes'::bytea IN t.tile) > 0 AS shapes, position('points'::bytea IN t.tile) > 0 AS points
FROM unnest(ARRAY[0.3, 0.88]) WITH ORDINALITY n(notch, place), generate_series(0, 3) step,
    catalogue.shape_tile(CASE notch WHEN 0.3 THEN :sheet ELSE 1000000 END, 1, 1, 0, '', NULL, step) t(tile),
    catalogue.shape_tile(CASE notch WHEN 0.3 THEN :sheet ELSE 1000000 END, 1, 1, 0, '', NULL, step) u(tile)
ORDER BY n.place, step;
-- The shapes that are left at the last step are the largest ones: rows with greater numbers are larger.
CREATE FUNCTION number_at(bytes bytea, INOUT at integer, OUT number bigint) LANGUAGE plpgsql AS
$$
BEGIN
    number := 0;
    FOR part IN 0 .. 9 LOOP
        number := number | ((get_byte(bytes, at) & 127)::bigint << (7 * part));
        at := at + 1;
        EXIT WHEN get_byte(bytes, at - 1) < 128;
    END LOOP;
END
$$;
CREATE FUNCTION members(bytes bytea) RETURNS TABLE (field bigint, number bigint, message bytea) LANGUAGE plpgsql AS
$$
DECLARE
    at    integer := 0;
    head  bigint;
BEGIN
    WHILE at < length(bytes) LOOP
        SELECT n.at, n.number INTO at, head FROM number_at(bytes, at) n;
        SELECT n.at, n.number INTO at, number FROM number_at(bytes, at) n;
        field := head >> 3;
        message := NULL;
        IF head & 7 = 2 THEN
            message := substr(bytes, at + 1, number::integer);
            at := at + number::integer;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
SELECT count(*) > 100 AS several, max(i.number) AS largest, max(i.number) - min(i.number) + 1 = count(*) AS all_of_them,
    bool_or(l.number > 200000) AS long
FROM catalogue.shape_tile(1000000, 1, 1, 0, '', NULL, 3) t(tile), members(t.tile) l, members(l.message) f,
    members(f.message) i
WHERE l.field = 3 AND position('shapes'::bytea IN l.message) > 0 AND f.field = 2 AND i.field = 1;
UPDATE catalogue.maps SET name = 'Stars' WHERE id = :'map';
SELECT length(r.data) > 100000 AS filled, length(r.data) * 3 / 4 <= 500000 AS short, r.meta
FROM catalogue.map_tile(:'map', tile => '1/1/0') r;
DELETE FROM catalogue.sheet_shape WHERE sheet = :sheet AND "row" > 100;
UPDATE catalogue.sheet_shape SET sheet = :sheet WHERE sheet = 1000000;
UPDATE catalogue.maps SET name = 'Round stars' WHERE id = :'map';
SELECT length(r.data) > 100000 AS filled, length(r.data) * 3 / 4 <= 500000 AS short, r.meta
FROM catalogue.map_tile(:'map', tile => '1/1/0') r;
ROLLBACK;
SELECT r.meta FROM catalogue.map_tile(:'map', tile => '1/1/1') r;
UPDATE catalogue.maps SET color_key = 'name' WHERE id = :'map';
SELECT position('class'::bytea IN b.bytes) > 0 AS class
FROM catalogue.map_tile(:'map', tile => '2/2/1') r,
    decode(translate(r.data, '-_', '+/') || repeat('=', -length(r.data) & 3), 'base64') b(bytes);
-- Of more than 10,000 areas of a tile the largest are drawn, and the others are points; 10,000 are all drawn.
BEGIN;
INSERT INTO catalogue.sheet_shape (sheet, "row", shape, longitude, latitude, size)
SELECT 1000000, n, public.ST_MakeEnvelope(x, y, x + size, y + size, 4326), x + size / 2, y + size / 2, size
FROM (SELECT n, n % 100 * 0.8::float8 AS x, n / 100 * 0.6::float8 AS y, 0.75 + n / 100000::float8 AS size
    FROM generate_series(1, 10050) n) parcels;
SELECT kept, position('shapes'::bytea IN t.tile) > 0 AS shapes, position('points'::bytea IN t.tile) > 0 AS points
FROM unnest(ARRAY[10050, 10001, 10000]) kept,
    catalogue.shape_tile(1000000, 2, 2, 1, '',
        ARRAY(SELECT CASE WHEN n <= kept THEN n ELSE 0 END FROM generate_series(1, 10050) n), 0) t(tile);
ROLLBACK;
-- Features with fewer corners: a line is off by so many metres at most, an area stays one.
SELECT stored(:'plain', '{"geometry": "geometry"}', '[["name", "geometry"],
    ["line", "LINESTRING (0 0, 1 0.0001, 2 0, 3 0.5, 4 0)"],
    ["ring", "POLYGON ((0 0, 9 0, 9 0.00001, 9 9, 0 9, 0 0), (4 4, 4 5, 5 5, 4 4))"],
    ["small", "POLYGON ((0 0, 0.0001 0, 0.0001 0.0001, 0 0))"], ["point", "POINT (7.123456 1)"],
    ["both", "GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 1 0.0001, 2 0))"]]') AS stored;
SELECT make('maps', json_build_object('name', 'Plain', 'file', :'plain', 'latitudeKey', 'geometry', 'longitudeKey',
    'geometry', 'properties', '["name"]'::json, 'basemap', id_of('basemaps', 'OpenStreetMap'))) AS plain_map \gset
SELECT m.metres, f #>> '{properties,name}' AS name, coalesce(f #> '{geometry,coordinates}',
    f #> '{geometry,geometries}') AS coordinates
FROM unnest('{1,20,100000}'::text[]) WITH ORDINALITY m(metres, n),
    catalogue.map_geojson(:'plain_map', 'simplify=' || m.metres) r,
    json_array_elements(r.data::json -> 'features') WITH ORDINALITY e(f, place) ORDER BY m.n, e.place;
SELECT string_agg(r.data, '')::jsonb = (SELECT data::jsonb FROM catalogue.map_geojson(:'plain_map', 'simplify=20')) AS
    alike
FROM (SELECT (catalogue.map_geojson_export(:'plain_map', 'simplify=20')).data) r;
SELECT q.word, f.code, f.message FROM unnest('{0,-1,1000001,ten,1.5}'::text[]) q(word),
    refusal(format('SELECT catalogue.map_geojson(%L, %L)', :'plain_map', 'simplify=' || q.word)) f;
SELECT catalogue.delete('maps', :'plain_map', actor => admin()) IS NOT NULL AS deleted;
-- What is stored in SQL is found by its place, too, where nine of ten rows have one.
SELECT catalogue.contents_load(:'plain', '[["name", "Geometry"], ["one", "LINESTRING (1 1, 2 2)"],
    ["two", "POLYGON ((7 7, 9 7, 9 9, 7 7))"]]') > 0 AS loaded;
SELECT s.details -> 'geography' AS geography, found(:'plain', 'bbox=0,0,6,6') AS rows
FROM catalogue.sheet s WHERE s.file = :'plain' AND s.replaced_at IS NULL;
SELECT catalogue.contents_load(:'plain', '[["Lat", "lon", "name"], [1.5, -2, "a"], [3, "4,25", "b"], [null, null, "c"],
    [5, 6, "d"], [5, 6, "e"], [5, 6, "f"], [5, 6, "g"], [5, 6, "h"], [5, 6, "i"], [5, 6, "j"]]') > 0 AS loaded;
SELECT s.details -> 'geography' AS geography, found(:'plain', 'bbox=0,0,6,6') AS rows
FROM catalogue.sheet s WHERE s.file = :'plain' AND s.replaced_at IS NULL;
SELECT catalogue.contents_load(:'plain', '[["x", "y"], [1, 2], [1, "no"], [500, 3]]') > 0 AS loaded,
    catalogue.contents_load(:'plain', '[["x", "y"]]') > 0 AS empty,
    catalogue.contents_load(:'plain', '[["a"], [1]]') > 0 AS without;
SELECT DISTINCT s.details::text FROM catalogue.sheet s
WHERE s.file = :'plain' AND (json_array_length(s.columns) = 1 OR s.columns -> 0 ->> 'name' = 'x');
SELECT catalogue.contents_load(:'plain', '[["name", "geometry"], ["one", "LINESTRING (1 1, 2 2)"], ["two", "x"]]') > 0
    AS loaded;
SELECT * FROM refusal(format('SELECT catalogue.contents_page(%L, ''bbox=0,0,6,6'', admin())', :'plain'));
-- Areas whose edges cross, that have the poles, and that are as wide as the Earth.
SELECT stored(:'plain', '{"geometry": "geometry"}', '[["name", "geometry"],
    ["bow", "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))"],
    ["world", "POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))"],
    ["pole", "POLYGON ((-180 -90, 180 -90, 180 -60, -180 -60, -180 -90))"], ["flat", "POLYGON ((0 0, 5 0, 5 0, 0 0))"],
    ["same", "LINESTRING (3 3, 3 3)"],
    ["both", "GEOMETRYCOLLECTION (POINT (1 1), POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0)))"]]')
    AS stored;
SELECT replace(q, :'plain', 'plain') AS query, found(:'plain', q) AS rows
FROM unnest(ARRAY['bbox=0.5,0,1,0.4', 'near=100,-20,100', 'near=0,0,1000', 'near=179.99,-89.9,100',
    'near=0,90,20037508', 'within=' || :'plain' || ':1', 'within=' || :'plain' || ':2',
    'within=' || :'plain' || ':6']) q;
-- What goes beyond 180 degrees is divided at the antimeridian: in features, on a map, where it is found, as an area.
SELECT stored(:'plain', '{"geometry": "geometry"}', '[["name", "geometry"],
    ["fiji", "POLYGON ((177 -20, 183 -20, 183 -15, 177 -15, 177 -20), (179 -18, 179 -17, 181 -17, 181 -18, 179 -18))"],
    ["line", "LINESTRING Z (-182 10 0, -178 10 4)"], ["whole", "POLYGON ((200 0, 210 0, 210 5, 200 0))"],
    ["both", "GEOMETRYCOLLECTION (POINT (190 1), LINESTRING (170 2, 190 2))"],
    ["jump", "LINESTRING (179 30, -179 30)"], ["wide", "LINESTRING (-181 0, 181 0)"],
    ["far", "LINESTRING (170 0, 361 0)"]]') AS stored;
-- Rings begin at the same corner and polygons have one order here, whatever GEOS has divided them.
SELECT f #>> '{properties,name}' AS name, public.ST_IsPolygonCCW(g.shape) AS right_hand,
    public.ST_AsText(CASE WHEN public.ST_Dimension(g.shape) = 2 THEN public.ST_Normalize(g.shape) ELSE g.shape END)
        AS geometry
FROM (SELECT string_agg(e.data, '')::json
      FROM (SELECT (catalogue.contents_export(:'plain', 'fields=name', admin(), 'geojson')).data) e) c(features),
    json_array_elements(c.features -> 'features') f, public.ST_GeomFromGeoJSON(f ->> 'geometry') g(shape);
SELECT replace(q, :'plain', 'plain') AS query, found(:'plain', q) AS rows
FROM unnest(ARRAY['bbox=-179,-16,-178,-15', 'bbox=178,-16,179,-15', 'bbox=-170.5,0,-169.5,1.5', 'bbox=0,9,1,11',
    'bbox=-155,0,-154,5', 'near=-178,10,100', 'within=' || :'plain' || ':1']) q;
SELECT found(:'points', 'within=' || :'plain' || ':1') AS rows;
-- With a sheet its geometries go; other contents have theirs.
SELECT stored(:'shapes', '{"geometry": "geometry"}', '[["name", "geometry"], ["one", "POINT (1 1)"]]') AS stored;
SELECT found(:'shapes', 'bbox=0,0,2,2') AS rows;
DELETE FROM catalogue.sheet s WHERE s.file = :'shapes' AND s.replaced_at IS NOT NULL;
SELECT pg_catalog.count(*) AS rows FROM catalogue.sheet_shape s JOIN catalogue.sheet t ON t.id = s.sheet
WHERE t.file = :'shapes';
-- Without PostGIS points are found, and the reason is told; once it comes, what is there is stored.
SET client_min_messages = error;
DROP EXTENSION postgis CASCADE;
SELECT found(:'points', 'bbox=0,0,6,6') AS rows;
SELECT * FROM refusal(format('SELECT catalogue.contents_page(%L, ''bbox=0,0,6,6'', admin())', :'shapes'));
SELECT * FROM refusal(format('SELECT catalogue.map_tile(%L)', :'map'));
SELECT * FROM refusal(format('SELECT catalogue.map_geojson(%L, ''simplify=10'')', :'map'));
SELECT json_array_length(data::json -> 'features') AS features FROM catalogue.map_geojson(:'map');
SELECT make('maps', json_build_object('name', 'Plain', 'file', :'plain', 'latitudeKey', 'geometry', 'longitudeKey',
    'geometry', 'basemap', id_of('basemaps', 'OpenStreetMap'))) AS plain_map \gset
SELECT i.data FROM catalogue.map_issues(:'plain_map') i;
SELECT stored(:'shapes', '{"geometry": "geometry"}', '[["name", "geometry"], ["two", "POINT (2 2)"]]') AS stored;
SELECT catalogue.add_geography() AS stored;
\c -
SELECT catalogue.add_geography() AS again;
SELECT json_array_length(data::json) AS rows FROM catalogue.contents_page(:'shapes', 'bbox=0,0,2,2');
SELECT catalogue.bootstrap();
