--
-- maps: points made from the rows of a file; rows that are none, and why; made again with the contents
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Stations', 'Air') AS file, make_file('Empty', 'Air') AS empty \gset
CREATE FUNCTION body(file text, more jsonb DEFAULT '{}') RETURNS json LANGUAGE sql AS
$$
    SELECT ('{"latitudeKey": "lat", "longitudeKey": "lon", "properties": ["name"]}'::jsonb ||
        jsonb_build_object('name', (SELECT name FROM catalogue.files f WHERE f.id = $1), 'file', $1,
            'basemap', id_of('basemaps', 'OpenStreetMap')) || $2)::json
$$;
-- Every kind of coordinate: good ones, also with a decimal comma, and each way to be wrong.
SELECT catalogue.contents_load(:'file', '[["name", "lat", "lon", "note"], ["point", "-34.5", "-58.25", "a"],
    ["comma", "48,137", "11,575", "b"], ["spaces", " 10 ", "20", "c"], ["edge", "90", "-180", "d"],
    ["exponent", "1e1", "2.5E1", "e"], ["zero latitude", "0", "5", "f"],
    ["nothing", "0", "0.0", "g"], ["empty", "", "3", "h"], ["absent", null, "3", "i"],
    ["swapped", "-120.5", "35.2", "j"], ["beyond", "12", "180.1", "k"], ["far", "1e300", "12", "l"],
    ["degrees", "40°26′46″N", "79°58′W", "m"], ["text", "north", "12", "n"], ["NaN", "NaN", "1", "o"],
    ["infinite", "Infinity", "1", "p"], ["sign", "--5", "1", "q"], ["thousands", "1.234,5", "1", "r"]]') > 0 AS loaded;
SELECT make('maps', body(:'file')) AS map \gset
SELECT geojson, correct, incorrect FROM catalogue.maps WHERE id = :'map';
SELECT e ->> 'row' AS row, e ->> 'reason' AS reason
FROM catalogue.map_issues(:'map') i, json_array_elements(i.data::json) e;
SELECT i.data, i.count, i.returned FROM catalogue.map_issues(:'map', 'limit=1&skip=2&colour=red') i;
-- The answer of a creation and of an update has the numbers; a comma-separated text is a list of names.
SELECT data::json ->> 'correct' AS correct, data::json ->> 'incorrect' AS incorrect
FROM catalogue.create('maps', body(:'file', '{"name": "Other", "properties": "name,note"}'), 'representation',
    actor => admin());
SELECT data::json #> '{geojson,features,0,properties}' AS properties
FROM catalogue.update('maps', id_of('maps', 'Other'), '{"properties": []}', 'representation', actor => admin());
-- A client cannot write what is made, and may send back a record whose points are longer than it may write.
SELECT data::json -> 'geojson' -> 'bbox' AS bbox, data::json ->> 'correct' AS correct
FROM catalogue.update('maps', :'map', json_build_object('notes', 'x', 'correct', 99, 'geojson',
    json_build_object('type', 'FeatureCollection', 'name', repeat('x', 6000))), 'representation', actor => admin());
UPDATE catalogue.maps SET geojson = '{}' WHERE id = :'map' RETURNING geojson -> 'bbox' AS bbox;
-- Columns that do not exist: the error names those there are, at each field.
SELECT * FROM faults(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body(:'file', '{"name": "Wrong", "latitudeKey": "latitude", "properties": ["name", "colour"]}')));
SELECT * FROM faults(format('UPDATE catalogue.maps SET longitude_key = ''x'' WHERE id = %L', :'map'));
-- More rows than the setting permits, for clients and in SQL.
SET catalogue.map_features = 5;
SELECT * FROM refusal(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body(:'file', '{"name": "Many"}')));
SELECT * FROM refusal(format('UPDATE catalogue.maps SET latitude_key = ''lon'' WHERE id = %L', :'map'));
RESET catalogue.map_features;
-- Web applications of before have the limit of the record.
SELECT "consumerId" AS web FROM catalogue.register_web_application('Old portal') \gset
SELECT catalogue.add_consumer('New portal') AS plain \gset
CREATE FUNCTION created(consumer text, name text) RETURNS json LANGUAGE sql AS
$$
    SELECT ('{' || meta || '}')::json
    FROM catalogue.create('maps', body(id_of('files', 'Stations'), json_build_object('name', name)::jsonb),
        actor => admin() || jsonb_build_object('consumer', consumer))
$$;
UPDATE catalogue.configs SET value = '5' WHERE key = 'mapPointsLimit';
SELECT * FROM refusal(format('SELECT created(%L, ''Old'')', :'web'));
SELECT created(:'plain', 'New') ->> 'correct' AS correct;
UPDATE catalogue.configs SET value = '2000' WHERE key = 'mapPointsLimit';
SELECT created(:'web', 'Old') ->> 'correct' AS correct;
DELETE FROM catalogue.maps WHERE name IN ('Old', 'New');
-- Contents that are still to be read, or could not be; a file without bytes gets its points later.
SELECT make('maps', body(:'empty')) AS later \gset
SELECT geojson, correct, incorrect FROM catalogue.maps WHERE id = :'later';
SELECT * FROM refusal(format('SELECT catalogue.map_geojson(%L)', :'later'));
UPDATE catalogue.files SET parse_state = 'pending' WHERE id = :'empty';
SELECT make('maps', body(:'empty', '{"name": "Waits", "properties": ["nothing"]}')) IS NOT NULL AS waits;
UPDATE catalogue.files SET parse_state = 'failed', parse_reason = 'no rows' WHERE id = :'empty';
SELECT * FROM refusal(format('SELECT catalogue.create(''maps'', %L, actor => admin())',
    body(:'empty', '{"name": "Hopeless"}')));
SELECT catalogue.contents_load(:'empty', '[["lat", "lon", "name"], [1, 2, "x"]]') > 0 AS loaded;
SELECT geojson, correct, incorrect FROM catalogue.maps WHERE id = :'later';
-- Made again with other contents, which is logged as an update by the service; not with columns that are gone.
SELECT catalogue.contents_load(:'file', '[["name", "lat", "lon"], ["new", 7, 8]]') > 0 AS loaded;
SELECT name, geojson #>> '{features,0,id}' AS id, correct, incorrect FROM catalogue.maps WHERE file = :'file'
ORDER BY name;
SELECT action, "user" FROM catalogue.logs WHERE resource = :'map' ORDER BY created_at DESC, id DESC LIMIT 1;
SELECT catalogue.contents_load(:'file', '[["name", "latitude", "lon"], ["new", 7, 8]]') > 0 AS loaded;
SELECT name, geojson IS NULL AS none, correct, incorrect FROM catalogue.maps WHERE file = :'file' ORDER BY name;
SELECT data FROM catalogue.map_issues(:'map');
SET catalogue.map_features = 1;
SELECT catalogue.contents_load(:'file', '[["name", "lat", "lon"], ["a", 7, 8], ["b", -7.5, -8]]') > 0 AS loaded;
SELECT geojson, correct, incorrect FROM catalogue.maps WHERE id = :'map';
SELECT data FROM catalogue.map_issues(:'map');
RESET catalogue.map_features;
-- A restored map has the points of the present contents.
SELECT catalogue.delete('maps', :'map', admin()) IS NOT NULL AS deleted;
SELECT catalogue.contents_load(:'file', '[["name", "lat", "lon"], ["a", 7, 8], ["b", -7.5, 170], ["c", 1, -170]]') > 0
    AS loaded;
SELECT data::json ->> 'correct' AS correct
FROM catalogue.restore('maps', :'map', 'representation', actor => admin());
-- Part of the points: in a rectangle, across the antimeridian, with some properties, of none; then wrong rectangles.
SELECT q AS query, data
FROM unnest('{"bbox=0,0,10,10","bbox=160,-90,-160,90","bbox=160,-90,-160,90&properties=","bbox=5,5,6,6",
    properties=lat}'::text[]) q, catalogue.map_geojson(:'map', q) r;
SELECT q AS query, r.* FROM unnest('{bbox=,"bbox=1,2,3","bbox=1,2,3,x","bbox=0,10,10,0","bbox=1,2,3,4,5"}'::text[]) q,
    refusal(format('SELECT catalogue.map_geojson(%L, %L)', :'map', q)) r;
-- A map with a link has the points that its client wrote, and other GeoJSON as it is.
SELECT make('maps', format('{"name": "Own", "link": "https://example.org", "basemap": "%s",
    "geojson": {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": null, "properties": null},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]},
            "properties": {"a": {"b": 1}, "c": 2}}]}}',
    id_of('basemaps', 'OpenStreetMap'))::json) AS own \gset
SELECT code, hint
FROM refusal(format('SELECT catalogue.map_geojson(%L, %L)', :'map', 'properties=' || repeat('a,', 100)));
SELECT data FROM catalogue.map_geojson(:'own', 'bbox=0,0,5,5&properties=a');
UPDATE catalogue.maps SET geojson = '[1, {}]' WHERE id = :'own';
SELECT data FROM catalogue.map_geojson(:'own', 'bbox=0,0,5,5&properties=a');
SELECT data FROM catalogue.map_issues(:'own');
-- Outsiders see points and issues only of a map that they see, and its rows only of a file that they see.
SELECT code, message FROM refusal(format('SELECT catalogue.map_geojson(%L, actor => ''{}'')', :'map'));
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE name = 'Air';
UPDATE catalogue.files SET status = 'qWRhpRV' WHERE id = :'file';
UPDATE catalogue.maps SET status = 'qWRhpRV' WHERE id = :'map';
SELECT length(data) > 0 AS points FROM catalogue.map_geojson(:'map', actor => '{}');
SELECT data FROM catalogue.map_issues(:'map', actor => '{}');
UPDATE catalogue.files SET status = 'rWRhpRV' WHERE id = :'file';
SELECT code FROM refusal(format('SELECT catalogue.map_geojson(%L, actor => ''{}'')', :'map'));
SELECT code FROM refusal(format('SELECT catalogue.map_issues(%L, actor => ''{}'')', :'map'));
-- The answer of a write has the numbers in meta, with the record or without it; other resources have none.
SELECT r.meta, r.data IS NULL AS minimal FROM catalogue.update('maps', :'map', '{"notes": "n"}', actor => admin()) r;
SELECT r.meta FROM catalogue.update('files', :'file', '{"notes": "n"}', actor => admin()) r;
SELECT r.meta FROM catalogue.update('maps', :'own', '{"notes": "n"}', actor => admin()) r;
