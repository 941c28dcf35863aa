--
-- places: where datasets are, by their files and by spatial of their optionals; the parameter "bbox"
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The datasets that outsiders find in a rectangle, with a further query.
CREATE FUNCTION in_box(box text, more text DEFAULT '', actor jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(e ->> 'name', ', ' ORDER BY e ->> 'name') || ' of ' || l.count
    FROM catalogue.list('datasets', 'limit=100&bbox=' || $1 || '&' || $2, actor => $3) l,
        json_array_elements(l.data::json) e
    GROUP BY l.count
$$;
-- Publish a dataset; a file of one, without contents.
CREATE FUNCTION dataset(name text, spatial json DEFAULT NULL) RETURNS text LANGUAGE sql AS
$$
    SELECT make('datasets', json_build_object('name', $1, 'status', 'qWRhpRV', 'owner', id_of('users', 'admin'),
        'categories', id_of('categories', 'Transport'), 'optionals', json_build_object('spatial', $2)))
$$;
CREATE FUNCTION file(name text, dataset text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    file  CONSTANT text := make_file($1, $2);
BEGIN
    UPDATE catalogue.files SET status = 'qWRhpRV' WHERE id = file;
END
$$;
-- Store a reading of a file: a sheet for each extent, null for one without, as the member hidden for a hidden one.
CREATE FUNCTION reading(file text, VARIADIC extents json[]) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    file      CONSTANT text := id_of('files', $1);
    revision  CONSTANT bigint := catalogue.contents_begin(file);
    sheet     bigint;
BEGIN
    FOR n IN 1 .. cardinality(extents) LOOP
        sheet := catalogue.contents_sheet(file, revision, n, 'sheet ' || n, extents[n] ->> 'hidden' IS NOT NULL);
        PERFORM catalogue.contents_sheet_end(sheet, json_build_object('rows', 0, 'badRows', 0, 'columns', json '[]',
            'details', CASE WHEN extents[n] IS NULL THEN json '{}' ELSE json_build_object('geography',
                json_build_object('extent', coalesce(extents[n] -> 'hidden', extents[n]))) END));
    END LOOP;
    RETURN catalogue.contents_publish(file, revision);
END
$$;

-- What is the extent of texts, boxes, WKT and GeoJSON; none of what is no place in degrees.
SELECT s.spatial, array_agg(e) FILTER (WHERE e IS NOT NULL) AS extents
FROM unnest(ARRAY['"-10,35,20,44"', '"ENVELOPE(-10, 20, 44, 35)"', '"170,-20,-170,-10"', '"POINT(1.5 -2)"',
    '"POLYGON Z ((0 0 9, 4 0 9, 4 3 9, 0 0 9))"', '"SRID=4326;MULTIPOINT((1 2),(3 4))"', '"SRID=25830;POINT(1 2)"',
    '"<http://www.opengis.net/def/crs/EPSG/0/4326> POINT(60 10)"',
    '"<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT(60 10)"',
    '"<http://www.opengis.net/def/crs/EPSG/0/25830> POINT(60 10)"', '{"type": "Point", "coordinates": [1, 2, 3]}',
    '{"type": "Polygon", "coordinates": [[[0, 0], [1e1, 0], [10, -5.5], [0, 0]]]}',
    '"{\"type\":\"Point\",\"coordinates\":[1,2]}"', '{"prefLabel": "a", "bbox": "POLYGON((1 2, 3 2, 3 4, 1 4, 1 2))",
    "centroid": "POINT(9 9)"}', '{"@id": "http://a.example", "centroid": "POINT(9 9)"}',
    '["Salto", "POINT(1 2)", "1,2,3,4"]',
    '{"geometry": ["POINT(1 2)", "{\"type\":\"Point\",\"coordinates\":[3,4]}"]}',
    '"Salto"', '"POINT(200 2)"', '"POINT(1 91)"', '"POINT EMPTY"', '"POINT(a b)"', '"5,44,9,40"', 'null', '7', '[]',
    '{}', '{"type": "Point", "coordinates": []}', '{"bbox": 7}', '"POINT(1e99 1e99)"', '["POINT(1 2)", 1e999999]'])
    WITH ORDINALITY s(spatial, n) LEFT JOIN LATERAL catalogue.place_extents(s.spatial::json) e ON true
GROUP BY s.n, s.spatial ORDER BY s.n;

-- A dataset is found where it is: by each place of its own, and of each sheet of its files.
SELECT dataset('Spain', '"-10,35,5,44"') IS NOT NULL AS spain,
    dataset('Two', '["POINT(-58.4 -34.6)", "POINT(2.35 48.85)"]') IS NOT NULL AS two,
    dataset('Fiji', '"177,-20,-178,-16"') IS NOT NULL AS fiji, dataset('Files') IS NOT NULL AS files,
    dataset('Nowhere', '"Salto"') IS NOT NULL AS nowhere;
SELECT file('Trees', 'Files'), file('Streets', 'Files');
SELECT reading('Trees', '[10, 50, 11, 51]', NULL, '[12, 52, 13, 53]', '{"hidden": [100, 10, 101, 11]}') AS trees,
    reading('Streets', '[179, 0, -179, 1]') AS streets;
SELECT b.box, in_box(b.box)
FROM unnest('{"-5,36,-4,37","-5,0,-4,36","0,40,3,50","-60,-36,-50,-30","-30,0,-20,30",
    "178,-18,179,-17","-179.5,-18,-178.5,-17",
    "-177,-18,0,-17","170,-90,-170,90","10.5,50.5,10.6,50.6","11.5,50.5,11.6,51.5","11,51,12,52","12.5,52.5,12.6,52.6",
    "100,10,101,11","-180,0.5,-179.5,0.6","-180,-90,180,90","-200,-90,200,90","350,40,362,50","537,-20,538,-15",
    "185,0,181,1",
    "5,35,5,35","1e999,0,2,2"}'::text[]) b(box);
SELECT d.name, catalogue.dataset_extent(d.id) AS extent FROM catalogue.datasets d
WHERE d.name IN ('Spain', 'Two', 'Fiji', 'Files', 'Nowhere') ORDER BY d.name;

-- It is one filter among others, which facets, counts and pages know.
SELECT b.more, in_box('-20,30,30,60', b.more)
FROM unnest('{name=Spain,"name=Spain&name=Two&match=EXACT&condition=OR",query=spain,"query=fiji","limit=1",
    "bbox=-6,36,-5,37","limit=1&skip=1&orderBy=name"}'::text[]) b(more);
SELECT l.meta::json #> '{facets,categories,values,0,count}' AS facet
FROM (SELECT '{' || meta || '}' AS meta
      FROM catalogue.list('datasets', 'bbox=-20,30,30,60&facets=categories&limit=1')) l;
SELECT data FROM catalogue.count('datasets', 'bbox=-20,30,30,60', actor => '{}');
SELECT meta FROM catalogue.list('datasets', 'bbox=-30,0,-20,30&name=Spain&nearest=true');
SELECT q AS query, r.* FROM unnest('{bbox=,"bbox=1,2,3","bbox=1,2,3,x","bbox=0,10,10,0","bbox=1,2,3,4,5"}'::text[]) q,
    refusal(format('SELECT catalogue.list(%L, %L)', 'datasets', q)) r;
SELECT array_agg(t.title[1] ORDER BY t.title) AS feed
FROM catalogue.feed('bbox=-20,30,30,60', 'https://d.example', actor => '{}') f,
    regexp_matches(f.data, '<item><title>([^<]*)', 'g') t(title);
SELECT jsonb_path_query_array(string_agg(d.data, '' ORDER BY d.ordinality)::jsonb, '$.dataset[*].title') AS data_json
FROM catalogue.data_json('bbox=-20,30,30,60', 'https://d.example', '{}') WITH ORDINALITY d;
SELECT count FROM catalogue.catalog('bbox=-20,30,30,60', 'turtle', 'https://d.example', actor => '{}');
SELECT string_agg(name, ', ' ORDER BY name) AS of_category
FROM catalogue.related('categories', id_of('categories', 'Transport'), 'datasets', 'bbox=-20,30,30,60',
        actor => '{}') r,
    json_to_recordset(r.data::json) AS d(name text);
SELECT p.function, p.said -> 'bbox' AS bbox
FROM unnest('{datasets,files,search,rss,catalog,data.json}'::text[]) r(resource), catalogue.describe(r.resource) d,
    json_each(d.data::json -> 'parameters') p(function, said) WHERE p.said -> 'bbox' IS NOT NULL;
-- Others have no places.
SELECT ignored FROM catalogue.list('files', 'bbox=1,2,3,4');
SELECT r.* FROM refusal($$SELECT catalogue.list('files', 'bbox=1,2,3,4', actor => '{"handling": "strict"}')$$) r;
SELECT json_object_keys(data::json) AS found, count FROM catalogue.search('bbox=-20,30,30,60', actor => '{}');
SELECT json_object_keys(data::json) AS found, count
FROM catalogue.search('query=spain&resources=datasets&bbox=-20,30,30,60');
SELECT r.* FROM unnest('{"bbox=1,2,3,4&resources=files","bbox=1,2,3"}'::text[]) q,
    refusal(format('SELECT catalogue.search(%L)', q)) r;

-- Outsiders find no dataset by a file that they may not see, nor does anybody; it is back with the file.
CREATE FUNCTION found() RETURNS text LANGUAGE sql AS
$$ SELECT coalesce(in_box('10,50,13,53'), '-') || '; admin: ' || coalesce(in_box('10,50,13,53', '', admin()), '-') $$;
SELECT found() AS before;
UPDATE catalogue.files SET visible = false WHERE name = 'Trees'; SELECT found() AS hidden;
UPDATE catalogue.files SET visible = NULL WHERE name = 'Trees'; SELECT found() AS visible;
UPDATE catalogue.files SET status = 'nWRhpRV' WHERE name = 'Trees'; SELECT found() AS draft;
UPDATE catalogue.files SET status = 'qWRhpRV' WHERE name = 'Trees'; SELECT found() AS published;
SELECT (catalogue.delete('files', id_of('files', 'Trees'), admin())).id IS NOT NULL AS deleted;
SELECT found() AS deleted;
UPDATE catalogue.files SET deleted_at = NULL WHERE name = 'Trees'; SELECT found() AS restored;
SELECT reading('Trees', '[0, -50, 1, -49]') AS again; SELECT found() AS elsewhere, in_box('0,-50,1,-49') AS there;
SELECT reading('Trees', NULL) AS again; SELECT in_box('0,-50,1,-49') AS nowhere;
SELECT reading('Trees', '[10, 50, 11, 51]') AS again;
UPDATE catalogue.files SET dataset = id_of('datasets', 'Nowhere') WHERE name = 'Trees'; SELECT found() AS moved;
SELECT (catalogue.delete('datasets', id_of('datasets', 'Nowhere'), admin())).id IS NOT NULL AS deleted;
SELECT found() AS gone;
UPDATE catalogue.datasets SET deleted_at = NULL WHERE name = 'Nowhere'; SELECT found() AS back;
UPDATE catalogue.datasets SET status = 'nWRhpRV' WHERE name = 'Nowhere'; SELECT found() AS draft;
-- Places of its own follow the optionals.
UPDATE catalogue.datasets SET optionals = '{"spatial": "POINT(100 10)"}' WHERE name = 'Spain';
SELECT in_box('-5,36,-4,37') AS former, in_box('100,10,101,11') AS here;
UPDATE catalogue.datasets SET optionals = NULL WHERE name = 'Spain'; SELECT in_box('100,10,101,11') AS nowhere;
-- In the transaction of the change, and not without it.
BEGIN;
UPDATE catalogue.datasets SET optionals = '{"spatial": "POINT(100 10)"}' WHERE name = 'Spain';
ROLLBACK;
SELECT in_box('100,10,101,11') AS nowhere;
-- The state of the list changes with the files, so that no client keeps what it had.
SELECT etag AS before FROM catalogue.list('datasets', 'bbox=10,50,13,53', actor => admin()) \gset
UPDATE catalogue.files SET visible = false WHERE name = 'Trees';
SELECT etag <> :'before' AS other, count FROM catalogue.list('datasets', 'bbox=10,50,13,53', actor => admin());
-- The extent as JSON and as a picture, which a dataset without a place has not; whoever does not see it has neither.
SELECT e.data FROM unnest('{Fiji,Two,Spain}'::text[]) n, catalogue.extent(id_of('datasets', n), '{}') e;
SELECT n, catalogue.extent_shape(catalogue.dataset_extent(id_of('datasets', n))) AS shape
FROM unnest('{Fiji,Two}'::text[]) n;
SELECT catalogue.extent_shape(ARRAY[1.5, 2, 1.5, 2]) AS point;
SELECT l, regexp_match(s.data, '<title[^>]*>(.*)</title>\n<desc[^>]*>(.*)</desc>') AS told,
    s.data ~ 'class="land"' AS land, regexp_count(s.data, 'class="f0 l0 area"') AS areas
FROM unnest('{"",lang=es}'::text[]) l, catalogue.extent_svg(id_of('datasets', 'Fiji'), l, '{}') s;
SELECT r.* FROM unnest('{extent_svg,extent}'::text[]) f, unnest('{Spain,Nowhere}'::text[]) n,
    refusal(format('SELECT catalogue.%s(%L, actor => %L)', f, id_of('datasets', n), '{}')) WITH ORDINALITY r
WHERE (f, n) <> ('extent', 'Spain') ORDER BY f, n;
SELECT r.* FROM refusal(format('SELECT catalogue.extent_svg(%L, %L)', id_of('datasets', 'Fiji'), 'lang=xx')) r;
-- The records of an earlier instant are found by the places of now.
SELECT version AS then FROM catalogue.list('datasets', 'limit=1') \gset
UPDATE catalogue.datasets SET description = 'Elsewhere', optionals = '{"spatial": "POINT(50 50)"}' WHERE name = 'Fiji';
SELECT in_box('177,-20,178,-16', 'version=' || :'then') AS former,
    in_box('50,50,51,51', 'version=' || :'then') AS now, in_box('50,50,51,51', 'description=elsewhere') AS changed,
    in_box('50,50,51,51', 'description=elsewhere&version=' || :'then') AS not_yet;
-- What is otherwise is found, and made anew.
SELECT kind, problem FROM catalogue.check_places();
DELETE FROM catalogue.dataset_place WHERE file IS NULL;
UPDATE catalogue.dataset_place SET box = '(1,1),(2,2)';
SELECT kind, mask(subject) AS subject, problem, mask(remedy) AS remedy, hint
FROM catalogue.check_places() ORDER BY subject ^@ 'files' \g (format=unaligned)
DO
$$
DECLARE
    remedy  text;
BEGIN
    FOR remedy IN SELECT c.remedy FROM catalogue.check_places() c LOOP
        EXECUTE remedy;
    END LOOP;
END
$$;
SELECT kind, problem FROM catalogue.check_places();
