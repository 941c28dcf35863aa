--
-- contents_export: rows of a file as CSV, lines of JSON, an array, GeoJSON; and as rows of SQL
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Rows', 'Air') AS file \gset
-- All pieces, one behind the other, ends of lines shown.
CREATE FUNCTION whole(file text, query text DEFAULT '', format text DEFAULT 'csv') RETURNS text LANGUAGE sql AS
$$
    SELECT replace(string_agg((r).data, '' ORDER BY n), E'\r\n', E'\\r\\n\n')
    FROM (SELECT row_number() OVER () AS n, r
          FROM (SELECT catalogue.contents_export(file, query, NULL, format) AS r) p) s
$$;

-- CSV has a line of names, quotes where they are needed, an empty text as a pair of quotes and nothing for a cell that
-- is not there.
SELECT catalogue.contents_load(:'file',
    '[["name","n","a,b"],["Ñandú",1,"x"],["a \"b\"","2",""],["line\nbreak",null,"c,d"],[],["",5,"\r"]]') > 0 AS loaded;
SELECT whole(:'file');
SELECT whole(:'file', '', 'ndjson');
SELECT whole(:'file', '', 'json');
SELECT whole(:'file', '', 'json')::json IS NOT NULL AS json;

-- What is asked for: columns, types, conditions, order; a part, where a limit says so, else all.
SELECT whole(:'file', 'fields=n,name&n[gte]=2&types=true', 'ndjson');
SELECT whole(:'file', 'fields=n&orderBy=n&sort=desc');
SELECT whole(:'file', 'fields=n&limit=2&skip=1');
SELECT whole(:'file', 'fields=n&limit=2&skip=1&orderBy=n&sort=desc', 'json');
SELECT whole(:'file', 'n=99'), whole(:'file', 'n=99', 'ndjson') = '' AS no_lines, whole(:'file', 'n=99', 'json'),
       whole(:'file', 'skip=100', 'json');

-- The first row describes the page.
SELECT (r).resource, (r).count, (r).limit, (r).skip, (r).returned, (r).ignored, (r).etag,
       (r).version IS NOT NULL AS version
FROM (SELECT catalogue.contents_export(:'file', query => 'n[gte]=2&colour=red') AS r) s;
SELECT (r).count, (r).limit, (r).skip, (r).returned
FROM (SELECT catalogue.contents_export(:'file', query => 'limit=2&skip=4') AS r) s;

-- A few rows in an order that have more bytes than a page may have are given all the same.
SELECT make_file('Long', 'Air') AS long \gset
SELECT catalogue.contents_load(:'long', (SELECT json_agg(json_build_object('n', n, 't', repeat('x', 900000)))
    FROM generate_series(1, 80) n)) > 0 AS loaded;
SELECT min((r.row ->> '_id')::int) AS first, count(*) AS rows, sum(length(r.row ->> 't')) AS letters
FROM catalogue.contents(:'long', 'orderBy=n&sort=desc&limit=75') r;

-- A text that a spreadsheet would take for a formula gets an apostrophe, a number does not; JSON has the text as it is.
SELECT catalogue.contents_load(:'file',
    (SELECT json_agg(json_build_array(t) ORDER BY n)
     FROM unnest(ARRAY['=name', '=1+1', '+1', '-1', '-1.5e3', '-1,5', '-', '+', '@SUM(A1)', E'\tx', E'\rx', '-1+1',
         '=cmd|'' /C calc''!A0', '+x', '1-1', '''=x', '-"x"', '--1', '−1']) WITH ORDINALITY t(t,
         n))) > 0 AS loaded;
SELECT whole(:'file');
SELECT whole(:'file', 'limit=3', 'ndjson');

-- GeoJSON: a point for each row with valid coordinates, longitude first; others are left out.
SELECT catalogue.contents_load(:'file',
    '[["name","Latitude","LNG"],["a","59.91","10.75"],["comma","-33,45"," -70,66 "],["zero","0","0"],
        ["equator","0","0.5"],["north","90.1","0"],["far","1","-180.5"],["edge","-90","180"],["none","",""],
        ["text","north","1"],["short"]]') > 0 AS loaded;
SELECT whole(:'file', '', 'geojson');
SELECT whole(:'file', 'fields=name&name=a', 'geojson'), whole(:'file', 'fields=&name=edge', 'geojson'),
       whole(:'file', 'name=nowhere', 'geojson');
SELECT json_array_length(whole(:'file', '', 'geojson')::json -> 'features') AS features,
       json_array_length(whole(:'file', 'orderBy=name', 'geojson')::json -> 'features') AS ordered;
-- Columns of other names, when they are told; none, or unknown ones.
SELECT catalogue.contents_load(:'file', '[["north","east","y"],["1","2","3"]]') > 0 AS loaded;
SELECT whole(:'file', 'latitudeKey=north&longitudeKey=east', 'geojson');
SELECT q, (refusal(format('SELECT catalogue.contents_export(%L, %L, NULL, ''geojson'')', :'file', q))).*
FROM unnest(ARRAY['', 'latitudeKey=north', 'latitudeKey=south&longitudeKey=east']) q;
-- The usual names.
CREATE FUNCTION located(file text, lat text, lon text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.contents_load(file, json_build_array(json_build_array(lat, lon), json_build_array('1', '2')));
    RETURN whole(file, '', 'geojson')::json #>> '{features,0,geometry,coordinates}';
END
$$;
SELECT lat, lon, located(:'file', lat, lon)
FROM (VALUES ('lat', 'lon'), ('lat', 'lng'), ('latitude', 'longitude'), ('latitude_deg', 'longitude_deg'), ('Y', 'X'),
    ('LATITUD', 'Longitud'), ('lat', 'long')) v(lat, lon);

-- Another format.
SELECT f, (refusal(format('SELECT catalogue.contents_export(%L, '''', NULL, %L)', :'file', f))).*
FROM unnest(ARRAY['xml', '', 'CSV']) f;

-- Groups and different values, all of them or a page; in any format but one of places.
SELECT make_file('Groups', 'Air') AS groups \gset
SELECT catalogue.contents_load(:'groups', '[["line","km"],["B, \"x\"",-3],["=A",10.5],["B, \"x\"",1],["",null]]') > 0
    AS loaded;
SELECT q.query, q.format, replace(whole(:'groups', q.query, q.format), E'\r\n', '|') AS export
FROM (VALUES (1, 'groupBy=line&aggregate=sum(km),count', 'csv'), (2, 'groupBy=line', 'ndjson'),
    (3, 'groupBy=line&orderBy=line&types=true', 'json'), (4, 'distinct=line&limit=1&skip=1', 'csv'),
    (5, 'aggregate=min(km),max(line)', 'csv'), (6, 'groupBy=line&line=none', 'csv'))
    q(n, query, format) ORDER BY q.n;
SELECT r.count, r.returned FROM catalogue.contents_export(:'groups', 'groupBy=line&limit=2') r;
SELECT number, cells FROM catalogue.contents(:'groups', 'groupBy=line') c(number, cells);
SELECT * FROM refusal(format('SELECT catalogue.contents_export(%L, ''groupBy=line'', NULL, ''geojson'')', :'groups'));

-- Rows for SQL: a number and an object each, to join with what there is.
SELECT catalogue.contents_load(:'file',
    '[["station","pm10"],["Oslo","12"],["Bergen","7"],["Rome","30"]]') > 0 AS loaded;
SELECT * FROM catalogue.contents(:'file');
SELECT number, r."row" ->> 'station' AS station FROM catalogue.contents(:'file', 'pm10[gt]=10&orderBy=station') r;
SELECT s.country, avg((c."row" ->> 'pm10')::numeric)::int
FROM catalogue.contents(:'file') c
    JOIN (VALUES ('Oslo', 'Norway'), ('Bergen', 'Norway'), ('Rome', 'Italy')) s(station, country)
        ON s.station = c."row" ->> 'station'
GROUP BY 1
ORDER BY 1;
SELECT count(*) FROM catalogue.files f, LATERAL catalogue.contents(f.id) WHERE f.id = :'file';
-- Read in part only; inside a function; twice in one statement; in a cursor.
SELECT * FROM catalogue.contents(:'file') LIMIT 1;
SELECT catalogue.contents(:'file') LIMIT 1;
SELECT a.number, b.number
FROM catalogue.contents(:'file') a JOIN catalogue.contents(:'file', 'orderBy=pm10') b ON a.number = b.number + 1
ORDER BY 1;
BEGIN;
DECLARE c CURSOR FOR SELECT number FROM catalogue.contents(:'file', 'orderBy=pm10');
FETCH 2 FROM c;
COMMIT;

-- Pieces of rows in several chunks are as long as they may be, whatever the order; a row is never cut.
SELECT catalogue.contents_load(:'file',
    (SELECT json_agg(json_build_object('n', n, 't', repeat('x', n % 300)))
     FROM generate_series(1, 3210) n)) > 0 AS loaded;
SELECT q, count(*) > 5 AS pieces, max(length(data)) < 65536 + 330 AS short, bool_and(data LIKE E'%\n') AS whole_lines,
       sum(length(data)) = (SELECT sum(length("row"::text) + 1) FROM catalogue.contents(:'file')) AS all_of_it
FROM unnest(ARRAY['', 'orderBy=n&sort=desc', 'n[gt]=0']) q,
    LATERAL (SELECT (catalogue.contents_export(:'file', q, format => 'ndjson')).data) s
GROUP BY q
ORDER BY q;
-- Other files may be read between the pieces of one.
SELECT make_file('Others', 'Air') AS other \gset
SELECT catalogue.contents_load(:'other', '[["a","b","c"],["1","2","3"]]') > 0 AS loaded;
BEGIN;
DECLARE c CURSOR FOR SELECT (catalogue.contents_export(:'file', 'fields=n', format => 'ndjson')).data;
FETCH 1 FROM c \gset
SELECT (catalogue.contents_page(:'other')).data;
SELECT count(*) FROM catalogue.contents(:'file');
FETCH 1 FROM c \gset
SELECT substring(:'data' FROM '^{[^}]*}') AS first_of_the_next_piece;
COMMIT;
SELECT md5(string_agg("row"::text, ','
    ORDER BY number)) = md5(string_agg(format('{"_id":%s,"n":"%1$s","t":"%s"}', n, repeat('x', n % 300)), ','
        ORDER BY n)) AS same
FROM catalogue.contents(:'file') c JOIN generate_series(1, 3210) n ON n = c.number;

-- What is read while it changes is of one state.
BEGIN;
DECLARE c CURSOR FOR
SELECT left((catalogue.contents_export(:'file', 'fields=n', format => 'ndjson')).data, 20) AS begins;
FETCH 1 FROM c;
SELECT catalogue.contents_load(:'file', '[["other"],["rows"]]') > 0 AS loaded;
FETCH ALL FROM c;
COMMIT;
SELECT (catalogue.contents_page(:'file')).data;
