--
-- points: points of large sheets in an order of place give what the rows give
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Town') IS NOT NULL AS made;
SELECT make_file('Trees', 'Town') AS trees, make_file('Stones', 'Town') AS stones,
    make_file('Doubles', 'Town') AS doubles, make_file('Few', 'Town') AS few, make_file('Keys', 'Town') AS keys \gset
-- Store rows of places, which an expression gives by the number n of a row.
CREATE FUNCTION placed(file text, most integer, latitude text, longitude text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    revision  CONSTANT bigint := catalogue.contents_begin($1);
    sheet     CONSTANT bigint := catalogue.contents_sheet($1, revision, 1, '', false);
BEGIN
    FOR low IN 1 .. most BY 4000 LOOP
        EXECUTE format('SELECT catalogue.contents_add($1, $2, $3, catalogue.chunk_packed(ARRAY(
            SELECT unnest(ARRAY[n::text, p.lat, p.lon])
            FROM generate_series($2, $2 + $3 - 1) n, LATERAL (SELECT %s, %s) p(lat, lon) ORDER BY n), 3))',
            latitude, longitude) USING sheet, low::bigint, least(4000, most - low + 1);
    END LOOP;
    PERFORM catalogue.contents_sheet_end(sheet, json_build_object('rows', most,
        'columns', '[{"name": "id", "title": "id", "type": "integer"}, {"name": "lat", "title": "lat",
            "type": "decimal"}, {"name": "lon", "title": "lon", "type": "decimal"}]'::json,
        'details', '{"geography": {"latitude": "lat", "longitude": "lon"}}'::json));
    RETURN catalogue.contents_publish($1, revision);
END
$$;
CREATE FUNCTION part(n bigint, most integer, parts integer) RETURNS text LANGUAGE sql AS
$$
    SELECT round(((hashint8(n) & 1048575) / 1048576.0 * most)::numeric, parts)::text
$$;
CREATE FUNCTION stored_points(file text) RETURNS TABLE (zoom smallint, chunks bigint, points bigint) LANGUAGE sql AS
$$
    SELECT p.zoom, count(*), sum(p.count) FROM catalogue.sheet_point p JOIN catalogue.sheet s ON s.id = p.sheet
    WHERE s.file = $1 GROUP BY 1 ORDER BY 1
$$;
-- Points in 20 by 20 degrees, 9,000 of them in a street; some of them are at edges of the world, or no points.
SELECT placed(:'trees', 24001, $$CASE n % 3000 WHEN 1 THEN '90' WHEN 2 THEN '-86.5' WHEN 3 THEN '' WHEN 4 THEN 'x'
    WHEN 5 THEN '0' WHEN 6 THEN '12,5' ELSE CASE WHEN n % 8 < 3 THEN '10.0000' || n % 100
        ELSE part(n, 20, 6) END END$$,
    $$CASE n % 3000 WHEN 1 THEN '180' WHEN 2 THEN '-180' WHEN 5 THEN '0' WHEN 7 THEN '179.999' WHEN 8 THEN '-179.9'
        ELSE CASE WHEN n % 8 < 3 THEN '10.0001' ELSE part(n + 1000000, 20, 5) END END$$) AS stored;
SELECT * FROM stored_points(:'trees');
-- Numbers that are no decimal ones of twelve digits are stored as they are.
SELECT placed(:'doubles', 20000, $$((n * 7919 % 20000) / 997.0::float8)::text$$, $$(-n / 333.0::float8)::text$$)
    AS stored;
SELECT zoom, chunks, points FROM stored_points(:'doubles') WHERE zoom <= 0;
-- None of few rows.
SELECT placed(:'few', 19999, $$part(n, 20, 6)$$, $$part(n + 1000000, 20, 6)$$) AS stored;
SELECT * FROM stored_points(:'few');
SELECT make('maps', json_build_object('name', f.name, 'file', f.id, 'latitudeKey', 'lat', 'longitudeKey', 'lon',
        'colorKey', f.color, 'basemap', id_of('basemaps', 'OpenStreetMap'))) IS NOT NULL AS made
FROM (VALUES ('Trees', :'trees', NULL), ('Colours', :'trees', 'id'), ('Doubles', :'doubles', NULL)) f(name, id, color);
-- Places of other rows.
SELECT catalogue.contents_load(:'keys', (SELECT json_agg(r) FROM (SELECT '["tree", "people"]'::json AS r UNION ALL
    SELECT json_build_array(n * 20, n) FROM generate_series(1, 900) n UNION ALL
    SELECT json_build_array(n * 40, -n) FROM generate_series(1, 300) n) r)) > 0 AS loaded;
SELECT make('maps', json_build_object('name', 'Keys', 'file', :'keys', 'key', 'tree', 'shapes', :'trees',
    'shapesKey', 'id', 'basemap', id_of('basemaps', 'OpenStreetMap'))) IS NOT NULL AS made;
-- What is asked: tiles with the points of a street and beside it, at the edges, and rows in rectangles and near places.
CREATE FUNCTION answers() RETURNS TABLE (name text, asked text, answer text) LANGUAGE sql AS
$$
    SELECT m.name, concat_ws('/', z, x, y), md5(r.data)
    FROM catalogue.maps m, generate_series(0, 22) z,
        LATERAL (SELECT floor((lon + 180) / 360 * 2 ^ z)::integer AS x,
                     floor((1 - asinh(tan(radians(lat))) / pi()) / 2 * 2 ^ z)::integer AS y
                 FROM (VALUES (10.0001, 10.00003), (4.0, 15.0), (19.9, 19.9), (179.9999, 0.5), (-10.1, 10.1))
                     p(lon, lat)) t,
        catalogue.map_tile(m.id, actor => admin(), tile => concat_ws('/', z, x, y)) r
    WHERE z % 3 <> 1 AND m.name IN ('Trees', 'Colours', 'Doubles', 'Keys')
    UNION ALL
    SELECT f.name, q, concat_ws(' ', r.count, md5(r.data))
    FROM catalogue.files f, unnest('{"bbox=-180,-90,180,90","bbox=10.0001,10,10.0001,10.0001","bbox=4,4,5,5.5",
        "bbox=170,-90,-170,90","bbox=4.0000000005,-90,4,90","bbox=-180,86,180,90","bbox=50,50,51,51",
        "near=10.0001,10.0001,30","near=10,10,90000","near=179.99,0,3000000",
        "near=0,89,400000","near=0,-90,500000","near=10,10,20037508","bbox=5,5,9,9&near=7,7,100000"}'::text[]) q,
        catalogue.contents_page(f.id, q || '&limit=100', admin()) r
    WHERE f.name IN ('Trees', 'Doubles')
    UNION ALL
    SELECT m.name, q, md5(r.data)
    FROM catalogue.maps m, unnest('{"bbox=4,4,5,5.5","near=10,10,40000&limit=20"}'::text[]) q,
        catalogue.map_geojson(m.id, q, admin()) r WHERE m.name IN ('Trees', 'Colours', 'Doubles', 'Keys')
$$;
CREATE TABLE by_place AS SELECT * FROM answers();
SELECT name, count(*), count(DISTINCT answer) > 10 AS several FROM by_place GROUP BY 1 ORDER BY 1;
-- They are what the rows give, in each case: this lists the others.  A new session has none of the pages in its cache.
\c
SET search_path = test;
BEGIN;
DELETE FROM catalogue.sheet_point;
CREATE TEMPORARY TABLE by_row ON COMMIT DROP AS SELECT * FROM answers();
(TABLE by_place EXCEPT TABLE by_row) UNION ALL (TABLE by_row EXCEPT TABLE by_place);
ROLLBACK;
-- The columns of a map may be others than those that the reader has found: then its rows are read.
UPDATE catalogue.maps SET latitude_key = 'lon', longitude_key = 'lat' WHERE name = 'Trees';
SELECT length(data) > 100 AS other FROM catalogue.map_tile(id_of('maps', 'Trees'), actor => admin(), tile => '6/33/30');
UPDATE catalogue.maps SET latitude_key = 'lat', longitude_key = 'lon' WHERE name = 'Trees';
-- The check finds what is missing, and tells what repairs it.
SELECT count(*) AS findings FROM catalogue.check_points();
DELETE FROM catalogue.sheet_point p WHERE p.sheet = (SELECT max(s.id) FROM catalogue.sheet s WHERE s.file = :'trees')
    AND p.zoom = -1 AND p.number = 5;
SELECT kind, subject = 'files/' || :'trees' AS subject, problem, regexp_replace(remedy, '\d+$', 'n') AS remedy
FROM catalogue.check_all() WHERE kind = 'points';
SELECT remedy FROM catalogue.check_points() \gexec
-- It does so with chunks that are elsewhere than their rows say, and with those that are damaged.
BEGIN;
UPDATE catalogue.sheet_point p SET west = 50, east = 51 WHERE p.zoom = -1 AND p.number % 2 = 0;
SELECT subject = 'files/' || :'trees' AS subject FROM catalogue.check_points() ORDER BY 1;
ROLLBACK;
BEGIN;
UPDATE catalogue.sheet_point p SET south = 0 WHERE p.zoom = 1;
SELECT subject = 'files/' || :'trees' AS subject FROM catalogue.check_points() ORDER BY 1;
ROLLBACK;
BEGIN;
UPDATE catalogue.sheet_point p SET count = 1, data = catalogue.chunk_packed('{1,1,1,1,1,1}', 6), west = 1, south = 1,
    east = 1, north = 1 WHERE p.zoom = 0;
SELECT subject = 'files/' || :'trees' AS subject FROM catalogue.check_points() ORDER BY 1;
ROLLBACK;
SELECT count(*) AS findings FROM catalogue.check_points();
-- Whatever the table has, an answer is one, or a fault.
CREATE FUNCTION damaged(change text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE 'UPDATE catalogue.sheet_point p SET ' || change;
    RAISE EXCEPTION USING MESSAGE = (
        SELECT string_agg(t || ' ' || r.code || ': ' || coalesce(r.detail, r.message), '; ')
        FROM unnest('{0/0/0,9/270/241}'::text[]) t, refusal(format(
            'SELECT catalogue.map_tile(%L, actor => admin(), tile => %L)', id_of('maps', 'Trees'), t)) r);
END
$$;
CREATE FUNCTION stored(cells text[]) RETURNS bytea LANGUAGE sql AS
$$
    SELECT n.stored FROM catalogue.chunk_stored(catalogue.chunk_packed(cells, cardinality(cells)), 1) n
$$;
SELECT c AS change, r.message FROM unnest(ARRAY[$$data = ''$$, $$data = '\x0201'$$, $$count = 5000$$,
    $$data = overlay(data placing '\x00' from 10)$$, $$data = catalogue.chunk_packed('{1,2,3}', 3), count = 1$$,
    $$data = stored('{1,2}'), count = 1$$, $$data = stored('{1,2,x}'), count = 1$$,
    $$data = stored('{0,10,10}'), count = 1, first = 99999$$,
    $$data = stored('{-5,10,10}'), count = 1$$, $$data = stored('{1,1,0,1,1,1}'), count = 1$$]) c,
    refusal(format('SELECT damaged(%L)', c)) r;
-- What is removed with a sheet.
DELETE FROM catalogue.sheet s WHERE s.file = :'doubles';
SELECT * FROM stored_points(:'doubles');
-- A reading that comes later has points of its own.
SELECT placed(:'trees', 20001, $$'1.5'$$, $$'2.5'$$) AS stored;
SELECT count(*) AS sheets FROM (SELECT DISTINCT sheet FROM catalogue.sheet_point) p;
SELECT max(p.zoom) AS zoom, sum(p.count) AS cells FROM catalogue.sheet_point p
WHERE p.zoom >= 0 AND p.sheet = (SELECT max(s.id) FROM catalogue.sheet s WHERE s.file = :'trees');
