--
-- ogc: OGC API - Features: which sheets are collections, whoever asks; their items; what is wrong
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Store a reading of a file: sheets of rows, as their geography says; the second one is hidden where it says so.
CREATE FUNCTION reading(file text, VARIADIC sheets json[]) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    file      CONSTANT text := id_of('files', $1);
    revision  CONSTANT bigint := catalogue.contents_begin(file);
    titles    text[];
    sheet     bigint;
BEGIN
    FOR n IN 1 .. cardinality(sheets) LOOP
        titles := ARRAY(SELECT json_array_elements_text(sheets[n] #> '{rows,0}'));
        sheet := catalogue.contents_sheet(file, revision, n, sheets[n] ->> 'name', sheets[n] ->> 'hidden' IS NOT NULL);
        PERFORM catalogue.contents_add(sheet, c.first, c.count::integer, c.data)
        FROM catalogue.loaded_chunks(sheets[n] -> 'rows', titles) c;
        PERFORM catalogue.contents_sheet_end(sheet, json_build_object('rows',
            json_array_length(sheets[n] -> 'rows') - 1, 'badRows', 0,
            'columns', catalogue.loaded_columns(sheets[n] -> 'rows', titles, titles),
            'details', json_strip_nulls(json_build_object('geography', sheets[n] -> 'geography'))));
    END LOOP;
    RETURN catalogue.contents_publish(file, revision);
END
$$;
CREATE FUNCTION seen(actor jsonb) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT mask(concat_ws(' | ', c ->> 'id', c ->> 'title', c #> '{extent,spatial,bbox}'))
    FROM catalogue.ogc_collections(base => 'https://d.example', actor => $1) r,
        json_array_elements(r.data::json -> 'collections') c
$$;
-- The items of a sheet of the file of places, as an outsider gets them.
CREATE FUNCTION items(query text, sheet text DEFAULT ':2', file text DEFAULT 'Places', OUT ids text, OUT matched text,
    OUT returned text, OUT next text) LANGUAGE sql AS
$$
    SELECT (SELECT string_agg(f ->> 'id', ',') FROM json_array_elements(r.data::json -> 'features') f),
        r.data::json ->> 'numberMatched', r.data::json ->> 'numberReturned',
        (SELECT substring(l ->> 'href' FROM 'items(.*)') FROM json_array_elements(r.data::json -> 'links') l
         WHERE l ->> 'rel' = 'next')
    FROM catalogue.ogc_items(id_of('files', $3) || $2, $1, 'https://d.example', '{}') r
$$;

SELECT make('datasets', json_build_object('name', 'Of places', 'status', 'qWRhpRV', 'owner', id_of('users', 'admin'),
    'categories', id_of('categories', 'Transport'))) IS NOT NULL AS made;
SELECT make_file(f.f, 'Of places') IS NOT NULL AS made
FROM unnest('{Places,Areas,Draft}'::text[]) f(f);
\set points '{"latitude": "y", "longitude": "x", "extent": [1, 1, 5, 5]}'
SELECT reading('Places', '{"name": "notes", "rows": [["a"], ["b"]]}',
    json_build_object('name', 'stops', 'geography', (:'points')::json, 'rows', (
        SELECT json_agg(r.r) FROM (
            SELECT '["name","x","y","since","until","match"]'::json AS r
            UNION ALL SELECT json_build_array(CASE WHEN n % 2 = 0 THEN 'Even' ELSE 'Even and odd' END,
                CASE WHEN n <> 3 THEN n END, n, '2024-01-0' || n || 'T12:00:00Z', '2020-01-01', n)
            FROM generate_series(1, 5) n) r)),
    json_build_object('name', 'old', 'hidden', true, 'geography', (:'points')::json, 'rows', '[["x","y"],[1,1]]'::json))
    AS published;
SELECT reading('Areas', '{"name": "districts", "rows": [["code", "geometry"], ["1", "POLYGON((0 0,2 0,2 2,0 0))"],
    ["2", ""]], "geography": {"geometry": "geometry"}}') AS published;
SELECT reading('Draft', json_build_object('name', '', 'geography', (:'points')::json,
    'rows', '[["x","y"],[1,1]]'::json)) AS published;
UPDATE catalogue.files f SET status = 'qWRhpRV', visible = true WHERE f.name IN ('Places', 'Areas');

-- Who sees which.
SELECT 'outsider' AS who, s.* FROM seen('{}') s
UNION ALL SELECT 'user', s.* FROM seen(actor('admin')) s
UNION ALL SELECT 'owner', s.* FROM seen(NULL) s;
SELECT mask((catalogue.ogc_collection(id_of('files', 'Places') || ':2', 'f=json', 'https://d.example', '{}')).data)
    AS collection;
SELECT r.data IS NULL AS known
FROM catalogue.ogc_collections(actor => '{}') c, catalogue.ogc_collections(actor => '{}', known => c.etag) r;

-- Pages and filters.
SELECT q.q AS query, i.*
FROM unnest(ARRAY['', 'limit=2', 'limit=2&after=2&f=json', 'limit=4', 'after=5', 'bbox=0,0,2.5,9',
    'bbox=0,0,-5,2.5,9,1e3', 'name=even',
    'name=Even&limit=1', 'name=', 'x[gt]=3', 'x=4&name=Even', 'datetime=2024-01-04', 'datetime=2024-01-04T12:00:00Z',
    'datetime=2024-01-04T12:00:01Z', 'datetime=2024-01-04/..', 'datetime=../2024-01-02T11:00:00Z',
    'datetime=2024-01-02/2024-01-04', 'datetime=..', 'datetime=/2024-01-01T', 'until=2020-01-01', 'match=4'])
    WITH ORDINALITY q(q, n), LATERAL items(q.q) i ORDER BY q.n;
SELECT q.q AS query, r.code, r.message
FROM unnest(ARRAY['limit=0', 'limit=a', 'after=-1', 'bbox=1,2,3', 'bbox=0,0,a,2.5,9,9',
    'bbox=0,0,9,2.5,9,', 'x=a', 'none=1', 'skip=1', 'version=2024-01-01',
    'datetime=a', 'datetime=2024-01-01/b', 'datetime=a/..', 'datetime=2024-01-01/2024-01-02/2024-01-03', 'f=xml'])
    WITH ORDINALITY q(q, n), LATERAL refusal(format('SELECT items(%L)', q.q)) r ORDER BY q.n;
SELECT c.c AS sheet, r.code, r.message
FROM unnest('{"",:1,:3,:4,:,:x,:-1,:02,:2:2,:99999999999}'::text[]) WITH ORDINALITY c(c, n),
    LATERAL refusal(format('SELECT items('''', %L)', c.c)) r ORDER BY c.n;
SELECT r.code, r.message FROM refusal('SELECT items('''', '''', ''Draft'')') r;
SELECT n.n AS item, r.code, r.message
FROM unnest('{1,3,0,6,-1,x,1x,99999999999999999999}'::text[]) WITH ORDINALITY n(n, place),
    LATERAL refusal(format('SELECT catalogue.ogc_item(id_of(''files'', ''Places'') || '':2'', %L, actor => ''{}'')',
        n.n)) r ORDER BY n.place;
SELECT r.code, r.message, r.hint
FROM unnest('{ogc,ogc_api,ogc_conformance,ogc_collections}'::text[]) f(f),
    LATERAL refusal(format('SELECT catalogue.%s(''limit=1'')', f.f)) r;
SELECT mask((catalogue.ogc_item(id_of('files', 'Places') || ':2', '4', 'f=json', 'https://d.example', '{}')).data)
    AS item;

-- Without PostGIS, areas are not counted, and not found by their place.
DROP EXTENSION IF EXISTS postgis CASCADE;
SELECT i.* FROM items('', '', 'Areas') i;
SELECT r.code, r.message FROM refusal('SELECT items(''bbox=0,0,1,1'', '''', ''Areas'')') r;
