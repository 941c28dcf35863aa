--
-- map_joins: maps of a table with the outlines of another file
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Town') AS town, make_dataset('Survey') AS survey \gset
SELECT make_file('People', 'Survey') AS people, make_file('Districts', 'Town') AS districts,
    make_file('Codes', 'Town') AS codes, make_file('Stops', 'Town') AS stops, make_file('Later', 'Town') AS later \gset
-- Blanks are around keys, b occurs twice, and the last geometry is broken.
SELECT catalogue.contents_load(:'districts', '[["code", "number", "name", "geometry"],
    ["a", 1, "Abra", "POLYGON ((0 0, 1 0, 1 1, 0 0))"], [" b ", 2, "Bosa", "POLYGON ((2 0, 3 0, 3 1, 2 0))"],
    ["3 ", 3, "Cala", "POLYGON ((4 0, 5 0, 5 1, 4 0))"], ["b", 5, "Bis", "POLYGON ((8 0, 9 0, 9 1, 8 0))"],
    ["ñ", "6", "Ñu", "LINESTRING (10 0, 11 1)"], ["x", "7", "Broken", "POLYGON ((0 0, 1 1))"]]') > 0 AS loaded;
SELECT catalogue.contents_load(:'people', format('[["district", "no", "people", "year"], ["b", 2, 20, 2001],
    ["a", 1.0, 10, 2001], ["a ", 1, 15, 2011], ["3", "3", 30, 2001], ["", "", 40, 2001], ["zz", 4, 50, 2001],
    ["%s", 6, 60, 2001], ["x", 7, 70, 2001], ["A", 9, 80, 2001]]', U&'n\0303')::json) > 0 AS loaded;
CREATE FUNCTION body(name text, file text, key text, shapes text, shapes_key text) RETURNS jsonb LANGUAGE sql AS
$$
    SELECT jsonb_build_object('name', name, 'file', file, 'key', key, 'shapes', shapes, 'shapesKey', shapes_key,
        'colorKey', 'people', 'properties', '["people", "year"]'::json, 'basemap', id_of('basemaps', 'OpenStreetMap'))
$$;
CREATE FUNCTION features(map text, query text DEFAULT '')
    RETURNS TABLE ("row" text, people text, year text, class text, geometry text) LANGUAGE sql AS
$$
    SELECT f ->> 'id', f #>> '{properties,people}', f #>> '{properties,year}', f ->> 'class',
        concat_ws(' ', f #>> '{geometry,type}', f #>> '{geometry,coordinates,0,0}', f #>> '{geometry,coordinates}')
    FROM catalogue.map_geojson(map, query, actor => admin()) r, json_array_elements(r.data::json -> 'features') f
$$;
CREATE FUNCTION issues(map text, query text DEFAULT '') RETURNS TABLE (issue json) LANGUAGE sql AS
$$
    SELECT json_array_elements(data::json) FROM catalogue.map_issues(map, query, actor => admin())
$$;
SELECT make('maps', body('By text', :'people', 'district', :'districts', 'code')::json) AS texts,
    make('maps', body('By number', :'people', 'no', :'districts', 'number')::json) AS numbers \gset
SELECT m.name, m.correct, m.incorrect, m.extent, m.legend ->> 'column' AS color, m.latitude_key IS NULL AS no_latitude,
    json_array_length(m.geojson -> 'features') AS features
FROM catalogue.maps m WHERE m.file = :'people' ORDER BY 1;
SELECT * FROM features(:'texts');
SELECT * FROM issues(:'texts');
SELECT * FROM features(:'numbers');
SELECT * FROM issues(:'numbers', 'limit=2&skip=1');
-- A part of them, and pictures.
SELECT * FROM features(:'texts', 'limit=2');
SELECT "row", people FROM features(:'texts', 'properties=people&limit=1');
SELECT data ~ '<path class="q\d' AS colored FROM catalogue.map_svg(:'texts', actor => admin());
-- An outline is drawn once, as in tiles: with the colour of its last row, which features behind the others have.
CREATE FUNCTION colors(map text) RETURNS TABLE (kind text, classes text) LANGUAGE sql AS
$$
    SELECT 'picture', string_agg(c[1], ' ') FROM catalogue.map_svg(map, actor => admin()) r,
        regexp_matches(r.data, '<path class="(?:line )?(?:q|t)(\d)[^>]*', 'g') c
    UNION ALL
    SELECT 'features', string_agg(f.class, ' ' ORDER BY f."row"::integer)
    FROM (SELECT DISTINCT ON (f.geometry) f.* FROM features(map) f ORDER BY f.geometry, f."row"::integer DESC) f
$$;
SELECT * FROM colors(:'texts');
-- 07 and 7 are other texts, the same number where both columns have numbers; places may be points.
SELECT catalogue.contents_load(:'codes', '[["id", "text"], ["7.0", "07"], ["8", "x"], ["7", "x"]]') > 0 AS codes,
    catalogue.contents_load(:'stops', '[["id", "text", "lat", "lon"], ["7", "7", 5, 6], ["8", "x", "", 6]]') > 0
    AS stops;
SELECT make('maps', (body('Codes as texts', :'codes', 'text', :'stops', 'text')
        - '{colorKey,properties}'::text[])::json) AS code_texts,
    make('maps', (body('Codes as numbers', :'codes', 'id', :'stops', 'id')
        - '{colorKey,properties}'::text[])::json) AS code_numbers \gset
SELECT * FROM features(:'code_texts');
SELECT * FROM issues(:'code_texts');
SELECT * FROM features(:'code_numbers', 'bbox=5,4,7,6');
SELECT * FROM features(:'code_numbers', 'bbox=15,4,17,6');
-- Lines and areas in tiles, and those in a rectangle, need geometries that a reader has stored.
SELECT * FROM refusal(format('SELECT catalogue.map_tile(%L, actor => admin())', :'texts'));
SELECT * FROM refusal(format('SELECT catalogue.map_geojson(%L, ''bbox=0,0,1,1'', admin())', :'texts'));
SELECT stored(:'districts', '{"geometry": "geometry"}', '[["code", "number", "geometry"],
    ["q", 5, "POLYGON ((60 0, 70 0, 70 10, 60 0))"], ["a", 1, "POLYGON ((0 0, 10 0, 10 10, 0 0))"],
    ["b", 2, "POLYGON ((20 0, 30 0, 30 10, 20 0))"]]') AS stored;
SELECT "row", people FROM features(:'texts', 'bbox=0,0,12,12');
SELECT "row", people FROM features(:'texts', 'bbox=15,0,90,12');
-- The features of a tile: their ids and classes are of the rows of the table, the last one of each outline.
CREATE FUNCTION tile(map text, tile text) RETURNS TABLE (id text, class text) LANGUAGE sql AS
$$
    SELECT x[1], x[2]
    FROM catalogue.map_tile(map, actor => admin(), tile => tile) r,
        decode(translate(r.data, '-_', '+/') || repeat('=', -length(r.data) & 3), 'base64') b(bytes),
        regexp_matches(encode(b.bytes, 'hex'), '08(..)(1202....)?1803', 'g') x ORDER BY 1
$$;
SELECT * FROM tile(:'texts', '0/0/0');
SELECT * FROM tile(:'texts', '2/0/0');
SELECT * FROM tile(:'texts', '3/4/3');
SELECT (catalogue.update('maps', :'texts', '{"colorKey": null}', actor => admin())).id IS NOT NULL AS updated;
SELECT * FROM tile(:'texts', '0/0/0');
SELECT length(data) > 0 AS points FROM catalogue.map_tile(:'code_numbers', actor => admin());
SELECT length(data) AS none FROM catalogue.map_tile(:'code_texts', actor => admin(), tile => '1/0/0');
-- Either file with other contents, or without the columns, makes the map again.
SELECT correct, incorrect FROM catalogue.maps WHERE id = :'texts';
SELECT catalogue.contents_load(:'people', '[["district", "no", "people", "year"], ["a", 1, 1, 1], ["u", 2, 2, 2]]') > 0
    AS loaded;
SELECT correct, incorrect FROM catalogue.maps WHERE id = :'texts';
SELECT catalogue.contents_load(:'districts', '[["code", "geometry"], ["u", "POINT (1 1)"], ["a", "POINT (2 2)"]]') > 0
    AS loaded;
SELECT name, correct, incorrect, geojson IS NULL AS gone FROM catalogue.maps WHERE file = :'people' ORDER BY 1;
SELECT * FROM issues(:'numbers');
SELECT catalogue.contents_load(:'districts', '[["code", "number"], ["u", 1]]') > 0 AS loaded;
SELECT name, correct FROM catalogue.maps WHERE file = :'people' ORDER BY 1;
SELECT * FROM issues(:'texts');
-- Each way to be wrong.
SELECT * FROM faults(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body('Columns', :'codes', 'nothing', :'stops', 'none')));
SELECT field, rule, message FROM faults(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body('No places', :'people', 'district', :'codes', 'text')));
SELECT n, f.field, f.rule, f.message FROM unnest('{key,shapes,shapesKey}'::text[]) n,
    faults(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
        body('A part', :'codes', 'text', :'stops', 'text') - n)) f;
SELECT f.field, f.rule, f.message
FROM faults(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body('Points', :'stops', NULL, NULL, NULL) - '{colorKey,properties}'::text[]
        || '{"latitudeKey": "lat", "longitudeKey": "lon", "key": "id"}')) f;
SELECT f.field, f.rule FROM faults(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body('Unknown', :'codes', 'text', 'nothing', 'text'))) f;
SET catalogue.map_features = 1;
SELECT * FROM refusal(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body('Large', :'codes', 'text', :'districts', 'code') - '{colorKey,properties}'::text[]));
SELECT * FROM refusal(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body('Large', :'districts', 'code', :'stops', 'text') - '{colorKey,properties}'::text[]));
RESET catalogue.map_features;
-- A file that has no rows yet: the map is made when they come.
SELECT make('maps', (body('Later', :'codes', 'text', :'later', 'text') - '{colorKey,properties}'::text[])::json)
    AS waiting \gset
SELECT correct IS NULL AS waits FROM catalogue.maps WHERE id = :'waiting';
SELECT catalogue.contents_load(:'later', '[["text", "lat", "lon"], ["07", 1, 1], ["x", 2, 2]]') > 0 AS loaded;
SELECT correct, incorrect FROM catalogue.maps WHERE id = :'waiting';
-- Other places win over coordinates, until they are taken out.
SELECT make('maps', (body('Both', :'stops', 'text', :'later', 'text') - '{colorKey,properties}'::text[]
    || '{"latitudeKey": "lat", "longitudeKey": "lon"}')::json) AS both \gset
SELECT "row", geometry FROM features(:'both');
SELECT (catalogue.update('maps', :'both', '{"key": null, "shapes": null, "shapesKey": null}', actor => admin())).id
    IS NOT NULL AS updated;
SELECT "row", geometry FROM features(:'both');
-- Outsiders see the map where they see both files.
UPDATE catalogue.datasets SET status = id_of('statuses', 'Published') WHERE name IN ('Town', 'Survey');
UPDATE catalogue.files SET status = id_of('statuses', 'Published') WHERE id = :'codes';
UPDATE catalogue.maps SET status = id_of('statuses', 'Published') WHERE id = :'waiting';
SELECT * FROM refusal(format('SELECT catalogue.map_geojson(%L, actor => ''{}'')', :'waiting'));
UPDATE catalogue.files SET status = id_of('statuses', 'Published') WHERE id = :'later';
SELECT json_array_length(data::json -> 'features') AS features FROM catalogue.map_geojson(:'waiting', actor => '{}');
UPDATE catalogue.files SET visible = false WHERE id = :'codes';
SELECT * FROM refusal(format('SELECT catalogue.map_geojson(%L, actor => ''{}'')', :'waiting'));
UPDATE catalogue.files SET visible = true WHERE id = :'codes';
UPDATE catalogue.files SET visible = false WHERE id = :'later';
SELECT * FROM refusal(format('SELECT catalogue.map_geojson(%L, actor => ''{}'')', :'waiting'));
SELECT * FROM catalogue.check_all();
-- A file whose outlines a map has is not deleted; with the file of its rows the map goes, and then it is.
SELECT * FROM refusal(format('SELECT catalogue.delete(''files'', %L, actor => admin())', :'later'));
SELECT (catalogue.delete('files', :'codes', actor => admin())).id IS NOT NULL AS deleted;
SELECT deleted_at IS NOT NULL AS gone FROM catalogue.maps WHERE id = :'waiting';
SELECT (catalogue.delete('files', :'later', actor => admin())).id IS NOT NULL AS deleted;
-- A dataset goes with the maps of its files, unless a map of another one has outlines of these.
SELECT make('maps', (body('Both again', :'districts', 'code', :'stops', 'text')
    - '{colorKey,properties}'::text[])::json) AS again \gset
SELECT * FROM refusal(format('SELECT catalogue.delete(''datasets'', %L, actor => admin())', id_of('datasets', 'Town')));
SELECT (catalogue.delete('files', :'people', actor => admin())).id IS NOT NULL AS deleted;
SELECT (catalogue.delete('datasets', id_of('datasets', 'Town'), actor => admin())).id IS NOT NULL AS deleted;
SELECT pg_catalog.count(*) FILTER (WHERE deleted_at IS NULL) AS maps FROM catalogue.maps WHERE shapes IS NOT NULL;
SELECT (catalogue.restore('datasets', :'town', actor => admin())).id IS NOT NULL AS restored;
SELECT correct, incorrect, deleted_at IS NULL AS there FROM catalogue.maps WHERE id = :'again';
