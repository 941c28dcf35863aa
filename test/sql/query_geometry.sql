--
-- query_geometry: functions of PostGIS in statements of clients: those that are listed, within bounds, and no others
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Town') IS NOT NULL AS made;
SELECT make_file('Zones', 'Town') AS zones, make_file('Stops', 'Town') AS stops, make_file('Long', 'Town') AS long
\gset
SELECT stored(:'zones', '{"geometry": "geometry"}', '[["name", "geometry"],
    ["west", "POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0), (0.4 0.4, 0.6 0.4, 0.6 0.6, 0.4 0.6, 0.4 0.4))"],
    ["east", "MULTIPOLYGON (((1 0, 2 0, 2 1, 1 1, 1 0)))"], ["street", "LINESTRING (0.5 0.2, 1.5 0.2)"],
    ["far", "POLYGON ((10 10, 11 10, 11 11, 10 10))"], ["none", ""]]') AS stored;
SELECT stored(:'stops', '{"longitude": "longitude", "latitude": "latitude"}', '[["longitude", "latitude", "name"],
    [0.1, 0.1, "a"], [1.5, 0.5, "b"], [0.5, 0.5, "hole"], [1, 0.5, "edge"], [5, 5, "out"],
    ["", "", "none"]]') AS stored;
CREATE FUNCTION query(sql text) RETURNS text LANGUAGE sql AS
$$ SELECT r.data FROM catalogue.query(json_build_object('sql', $1), actor => admin()) r $$;
CREATE FUNCTION refused(sql text) RETURNS TABLE (rule text, message text) LANGUAGE sql AS
$$
    SELECT f.rule, f.message FROM faults(format('SELECT catalogue.query(%L, actor => admin())',
        json_build_object('sql', $1))) f
$$;

-- Each function gives what is known: of a square of a degree at the equator, of which a 25th is a hole.
SELECT query($$SELECT ST_Area(g) AS area, ST_Perimeter(g) AS perimeter, ST_NPoints(g) AS points,
    ST_Dimension(g) AS dimension,
    ST_NumGeometries(g) AS parts, ST_GeometryType(g) AS type, ST_AsText(ST_Envelope(g)) AS box,
    ST_AsText(ST_Centroid(g), 3) AS centre FROM (SELECT ST_GeomFromText(geometry) AS g FROM zones WHERE _id = 1) d$$);
SELECT query($$SELECT round(ST_Area(geography(g))::numeric) AS area,
    round(ST_Perimeter(geography(g))::numeric) AS perimeter
    FROM (SELECT ST_GeomFromText(geometry, 4326) AS g FROM zones WHERE _id = 1) d$$);
SELECT query($$SELECT ST_Length(g) AS length, round(ST_Length(geography(g))::numeric) AS metres,
    ST_AsGeoJSON(g) AS json,
    ST_AsGeoJSON(g, 0) AS rounded FROM (SELECT ST_GeomFromText(geometry) AS g FROM zones WHERE _id = 3) d$$);
SELECT query($$SELECT ST_X(p) AS x, ST_Y(p) AS y, ST_AsText(ST_SetSRID(p, 4326)) AS text,
    ST_AsText(ST_Point(1, 2)) AS point,
    ST_AsText(ST_Point(1, 2, 4326)) AS located, ST_AsText(ST_MakeEnvelope(1, 2, 3, 4)) AS box,
    ST_AsText(ST_MakeEnvelope(1, 2, 3, 4, 4326)) AS place FROM (SELECT ST_MakePoint(-58.4, -34.6) AS p) d$$);
SELECT query($$SELECT ST_Distance(a, b) AS degrees, ST_DWithin(a, b, 5) AS near, ST_DWithin(a, b, 4.9) AS nearer,
    round(ST_Distance(geography(a), geography(b))::numeric) AS metres,
    ST_DWithin(geography(a), geography(b), 556000) AS reached,
    ST_DWithin(geography(a), geography(b), 554000) AS missed
    FROM (SELECT ST_MakePoint(0, 0) AS a, ST_MakePoint(3, 4) AS b) d$$);
-- Which stop is in which district: a hole and an edge are not within, an edge is covered.
SELECT query($$SELECT d.name, string_agg(s.name, ' ' ORDER BY s.name) AS stops
    FROM zones d JOIN stops s ON ST_Within(ST_MakePoint(s.longitude, s.latitude), ST_GeomFromText(d.geometry))
    WHERE d.name IN ('west', 'east') GROUP BY d.name ORDER BY d.name$$);
SELECT query($$SELECT string_agg(s.name, ' ' ORDER BY s.name) FILTER (WHERE ST_Contains(g, p)) AS contains,
    string_agg(s.name, ' ' ORDER BY s.name) FILTER (WHERE ST_Covers(g, p)) AS covers,
    string_agg(s.name, ' ' ORDER BY s.name) FILTER (WHERE ST_CoveredBy(p, g)) AS covered,
    string_agg(s.name, ' ' ORDER BY s.name) FILTER (WHERE ST_Intersects(p, g)) AS intersects
    FROM (SELECT name, ST_MakePoint(longitude, latitude) AS p FROM stops) s,
    (SELECT ST_GeomFromText(geometry) AS g FROM zones WHERE name = 'east') d$$);
-- Areas with a common side, a street through both, one in another one, one in a hole, one beside all.
SELECT query($$SELECT a.name, string_agg(b.name, ' ' ORDER BY b.name) AS intersects
    FROM (SELECT name, ST_GeomFromText(geometry) AS g FROM zones) a
    JOIN (SELECT name, ST_GeomFromText(geometry) AS g FROM "zones?sheet=1") b ON ST_Intersects(a.g, b.g)
    GROUP BY a.name ORDER BY a.name$$);
SELECT query($$SELECT x, ST_Intersects(ST_GeomFromText(geometry), ST_GeomFromText(x)) AS intersects FROM zones, (VALUES
    ('POLYGON ((0.1 0.1, 0.2 0.1, 0.2 0.2, 0.1 0.1))'), ('POLYGON ((0.45 0.45, 0.55 0.45, 0.5 0.55, 0.45 0.45))'),
    ('LINESTRING (0.3 0.5, 0.5 0.5)'), ('GEOMETRYCOLLECTION (POINT (0.5 0.5), POINT (0.2 0.2))')) v(x)
    WHERE name = 'west'$$);
-- A condition on a column is one on what is read, also beside a function; values go through WITH, CASE and UNION ALL.
SELECT query($$SELECT name FROM zones WHERE name = 'west' AND ST_Area(ST_GeomFromText(geometry)) > 0.5$$);
SELECT query($$SELECT count(*) AS n FROM zones
    WHERE geometry = 'POINT (0 0)' OR ST_Area(ST_GeomFromText(geometry)) > 0.5$$);
SELECT query($$WITH a AS (SELECT ST_MakePoint(1, 1) AS g UNION ALL SELECT ST_MakePoint(2, 2)), b AS (SELECT g FROM a)
    SELECT ST_X(CASE WHEN ST_X(g) > 1 THEN g END) AS x, g IS NULL AS null, ST_X(coalesce(NULL, g)) AS y,
        ST_X(lag(g) OVER (ORDER BY ST_X(g))) AS before, count(g) OVER () AS n FROM b$$);
SELECT query($$SELECT ST_NPoints(NULL) AS points, ST_MakePoint(NULL, 1) IS NULL AS point,
    ST_X(ST_GeomFromText(NULL)) AS x$$);
-- CSV; columns are named and typed.
SELECT r.data, r.meta FROM catalogue.query(json_build_object('sql',
    'SELECT name, ST_Area(ST_GeomFromText(geometry)) AS area FROM zones WHERE _id < 3'), 'csv', admin()) r;

-- What is wrong with a value is told, with what would be right.
SELECT s AS sql, (refused('SELECT ' || s || ' AS x')).*
FROM unnest(ARRAY['ST_AsText(ST_GeomFromText(''POINT (1''))', 'ST_AsText(ST_GeomFromText('' ''))',
    'ST_AsText(ST_GeomFromText(''POINT EMPTY''))',
    'ST_AsText(ST_GeomFromText(''POINT (-34 -158)''))', 'ST_AsText(ST_GeomFromText(''POINT (nan 1)''))',
    'ST_AsText(ST_GeomFromText(''POINT (1e999 1)''))', 'ST_AsText(ST_GeomFromText(''POLYGON ((0 0, 1 1, 0 1))''))',
    'ST_AsText(ST_GeomFromText(''CIRCULARSTRING (0 0, 1 1, 2 0)''))', 'ST_AsText(ST_GeomFromText(''TIN EMPTY''))',
    'ST_AsText(ST_GeomFromText(''{"type": "Point", "coordinates": [1, 2]}''))',
    'ST_AsText(ST_GeomFromText(''0101000000000000000000F03F0000000000000040''))',
    'ST_AsText(ST_GeomFromText(''SRID=22185;POINT (1 1)''))',
    'ST_AsText(ST_GeomFromText(rpad(''GEOMETRYCOLLECTION ('', 100000, ''GEOMETRYCOLLECTION ('')))',
    'ST_AsText(ST_GeomFromText(rpad(''POINT (1 '', 1100000, ''1'')))',
    'ST_AsText(ST_GeomFromText(''POINT (1 1)'', 22185))', 'ST_AsText(ST_SetSRID(ST_MakePoint(1, 1), 3857))',
    'ST_AsText(ST_Point(1, 1, 0))', 'ST_AsText(ST_MakeEnvelope(0, 0, 1, 1, 900913))', 'ST_AsText(ST_MakePoint(1, 91))',
    'ST_AsText(ST_MakePoint(361, 1))', 'ST_AsText(ST_MakePoint(''NaN''::float8, 1))',
    'ST_AsText(ST_MakePoint(1, ''Infinity''::float8))', 'ST_AsText(ST_MakeEnvelope(0, 0, 1, ''NaN''::float8))',
    'ST_X(ST_MakeEnvelope(0, 0, 1, 1))', 'ST_AsText(ST_MakePoint(1, 1), -1)', 'ST_AsGeoJSON(ST_MakePoint(1, 1), 16)',
    'ST_DWithin(ST_MakePoint(1, 1), ST_MakePoint(1, 1), -1)',
    'ST_DWithin(geography(ST_MakePoint(1, 1)), geography(ST_MakePoint(1, 1)), ''NaN''::float8)',
    'ST_Within(ST_MakeEnvelope(0, 0, 1, 1), ST_MakeEnvelope(0, 0, 1, 1))',
    'ST_Contains(ST_MakePoint(1, 1), ST_MakeEnvelope(0, 0, 1, 1))', 'ST_Covers(ST_MakePoint(1, 1),
    ST_MakePoint(1, 1))']) s;
-- A row whose geometry the reader has left out is not passed over; one may leave it out oneself.
INSERT INTO catalogue.sheet_issue (sheet, number, line, reason)
SELECT s.id, 1, 5, 'the geometry is longer than 1 MiB as WKT, and is left out here; the file has it'
FROM catalogue.sheet s WHERE s.file = :'zones' AND s.replaced_at IS NULL;
SELECT refused('SELECT sum(ST_Area(ST_GeomFromText(geometry))) AS area FROM zones');
SELECT query($$SELECT sum(ST_Area(ST_GeomFromText(geometry))) AS area FROM zones
    WHERE geometry IS DISTINCT FROM 'longer than 1 MiB'$$);
SELECT query('SELECT count(geometry) AS geometries FROM zones');

-- Other functions of PostGIS, its operators, types, casts and tables, and other schemas, are not reached.
CREATE FUNCTION public.st_dimension(text) RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN RAISE 'reached'; END $$;
CREATE FUNCTION public.st_x(public.geometry, integer) RETURNS float8
    LANGUAGE plpgsql AS $$ BEGIN RAISE 'reached'; END $$;
CREATE FUNCTION catalogue_geometry.st_y(integer) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RAISE 'reached'; END $$;
SELECT s AS sql, (refused('SELECT ' || s || ' FROM (SELECT ST_MakePoint(1, 1) AS g, ''POINT (1 1)'' AS t) d')).*
FROM unnest(ARRAY['g AS x', 'ST_Area(''POINT (1 1)'') AS x', 'ST_Area(t) AS x', 'ST_Dimension(t) AS x',
    'ST_X(t) AS x', 'ST_X(g, 1) AS x', 'ST_Y(1) AS x',
    'ST_X(coalesce(g, ''{"type": "Point", "coordinates": [1, 2], "crs": {}}'')) AS x',
    'ST_X(CASE WHEN true THEN g ELSE t END) AS x',
    'geography(''POINT (1 1)'') IS NULL AS x', 'ST_Distance(g, geography(g)) AS x', 'ST_AsText(geography(g)) AS x',
    'ST_X(g::geometry) AS x', 'g::text AS x', 'g::bytea AS x', 'g::geography AS x', 'g::point AS x',
    'CAST(g AS json) AS x',
    'g = g AS x', 'g < g AS x', 'g && g AS x', 'g ~ g AS x', 'g <-> g AS x', 'g OPERATOR(public.&&) g AS x',
    'g IN (g, g) AS x',
    'g IN (SELECT ST_MakePoint(1, 1)) AS x', 'g IS DISTINCT FROM g AS x', 'nullif(g, g) IS NULL AS x',
    'greatest(g, g) IS NULL AS x',
    'g || t AS x', 'concat(g) AS x', 'length(g) AS x', 'count(DISTINCT g) AS x', 'min(g) IS NULL AS x',
    'string_agg(g, '''') AS x', 'mode() WITHIN GROUP (ORDER BY g) IS NULL AS x', 'row_number() OVER (ORDER BY g) AS x',
    'row_number() OVER (PARTITION BY g) AS x', 'DISTINCT ROW(g) IS NULL, ROW(g) AS x', '(g, 1) = (g, 1) AS x',
    'DISTINCT g', 'DISTINCT ON (g) 1 AS x', 'g.st_x AS x', 'd.st_x AS x', '(g).st_x AS x', 'ST_X(VARIADIC g) AS x',
    'public.ST_X(g) AS x', 'catalogue_geometry.ST_X(g) AS x', 'ST_X(g) OVER () AS x', 'ST_X(DISTINCT g) AS x',
    'ST_Union(g) IS NULL AS x', 'ST_Collect(g) IS NULL AS x', 'ST_MakeLine(g) IS NULL AS x', 'ST_AsMVT(d) AS x',
    'ST_Extent(g) AS x', 'ST_Buffer(g, 1) IS NULL AS x', 'ST_Transform(g, 3857) IS NULL AS x', 'ST_DumpPoints(g) AS x',
    'ST_Subdivide(g) AS x', 'ST_Segmentize(g, 0.1) IS NULL AS x', 'ST_GeneratePoints(g, 9) IS NULL AS x',
    'ST_IsValid(g) AS x',
    'ST_MakeValid(g) IS NULL AS x', 'ST_GeomFromGeoJSON(t) IS NULL AS x', 'ST_GeomFromEWKT(t) IS NULL AS x',
    'ST_AsText(g, 1, 1) AS x', 'ST_AsGeoJSON(g, 9, 8) AS x', 'ST_AsGeoJSON(d) AS x', 'ST_Relate(g, g) AS x',
    'ST_Touches(g, g) AS x', 'ST_AsRaster(g, 1, 1) AS x', 'postgis_full_version() AS x', 'geometry(g) IS NULL AS x',
    'ST_EstimatedExtent(''catalogue'', ''sheet_shape'', ''shape'') AS x', 'UpdateGeometrySRID(''a'', ''b'', 1) AS x',
    'ST_X(g) AS x, (SELECT srid FROM spatial_ref_sys LIMIT 1) AS y']) s
UNION ALL
SELECT s, r.* FROM unnest(ARRAY['SELECT * FROM spatial_ref_sys', 'SELECT * FROM geometry_columns',
    'SELECT ST_AsText(g) AS t FROM (SELECT ST_MakePoint(1, 1) AS g) d GROUP BY g',
    'SELECT ST_AsText(g) AS t FROM (SELECT ST_MakePoint(1, 1) AS g) d ORDER BY g',
    'SELECT 1 AS x FROM (SELECT ST_MakePoint(1, 1) AS g UNION SELECT ST_MakePoint(1, 1)) d',
    'SELECT 1 AS x FROM (SELECT ST_MakePoint(1, 1) AS g INTERSECT ALL SELECT ST_MakePoint(1, 1)) d',
    'SELECT 1 AS x FROM (SELECT ST_MakePoint(1, 1) AS g) a JOIN (SELECT ST_MakePoint(1, 1) AS g) b USING (g)',
    'SELECT 1 AS x FROM ST_DumpPoints(ST_MakePoint(1, 1))', 'SELECT ST_MakePoint(1, 1)']) s, refused(s) r;
DROP FUNCTION public.st_dimension(text), public.st_x(public.geometry, integer), catalogue_geometry.st_y(integer);

-- What a comparison costs is bounded by the corners of both; rectangles apart cost nothing.
SELECT catalogue.contents_load(:'long', (
    SELECT json_agg(json_build_object('name', n, 'geometry', 'LINESTRING (' || (
        SELECT string_agg(format('%s.%s %s', i / 1000 % 10, lpad((i % 1000)::text, 3, '0'), i % 2 + north),
    ',' ORDER BY i)
        FROM generate_series(1, corners) i) || ')') ORDER BY n)
    FROM (VALUES (1, 1001, 0), (2, 1001, 0), (3, 999, 0), (4, 99000, 0), (5, 100002, 0), (6, 1001, 5),
    (7, 141, 0), (8, 142, 0))
        v(n, corners, north))) > 0 AS loaded;
CREATE FUNCTION compared(expression text, one integer, other integer) RETURNS TABLE (answer text) LANGUAGE sql AS
$$
    SELECT coalesce(f.message, query(s.sql))
    FROM (SELECT format('SELECT %s AS x FROM (SELECT ST_GeomFromText(geometry) AS g FROM long WHERE _id = %s) a,
        (SELECT ST_GeomFromText(geometry) AS g FROM "long?sheet=1" WHERE _id = %s) b', $1, $2, $3)) s(sql)
        LEFT JOIN LATERAL (SELECT r.message FROM refused(s.sql) r WHERE r.rule <> '00000') f ON true
$$;
SELECT compared('ST_Intersects(a.g, b.g)', 1, 3) AS within, compared('ST_Intersects(a.g, b.g)', 1, 2) AS beyond,
    compared('ST_Intersects(a.g, b.g)', 1, 6) AS apart;
SELECT e AS expression, compared(e, 1, 2) AS beyond
FROM unnest('{"ST_Distance(a.g, b.g)","ST_DWithin(a.g, b.g, 1)",
    "ST_Distance(geography(a.g), geography(b.g))"}'::text[]) e;
SELECT e AS expression, compared(e, 7, 7) AS within, compared(e, 8, 8) AS beyond
FROM unnest('{"ST_Distance(geography(a.g), geography(b.g))",
    "ST_DWithin(geography(a.g), geography(b.g), 1)"}'::text[]) e;
SELECT compared('ST_NPoints(a.g)', 4, 7) AS within, compared('ST_NPoints(a.g)', 5, 7) AS beyond,
    compared('ST_DWithin(a.g, ST_MakePoint(0, 9), 1)', 4, 7) AS point;

-- Time and memory are those of any statement, and the next one is executed as if nothing had been.
SET catalogue.query_timeout = '100ms';
SELECT refused(format('SELECT count(*) AS n FROM long a, "long?sheet=1" b, "long?sheet=1" c,
    "long?sheet=1" d WHERE a._id < 5 AND ST_Distance(%s) + c._id + d._id > 99', 'ST_GeomFromText(a.geometry),
    ST_MakePoint(b._id, 9)'));
RESET catalogue.query_timeout;
SET catalogue.query_memory = '8MB';
SELECT refused('SELECT string_agg(ST_AsText(ST_GeomFromText(a.geometry)), '''') AS t
    FROM long a, "long?sheet=1" b, stops
    WHERE a._id < 5');
RESET catalogue.query_memory;
SELECT query('SELECT ST_AsText(ST_Centroid(ST_MakeEnvelope(0, 0, 2, 2))) AS centre');

-- Nobody but its owner makes something in their schema, whose functions compute from their arguments alone.
SELECT coalesce(r.rolname, 'PUBLIC') AS role, a.privilege_type AS privilege
FROM pg_namespace n, aclexplode(n.nspacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE n.nspname = 'catalogue_geometry' AND a.grantee <> n.nspowner;
SELECT p.oid::regprocedure AS function
FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'catalogue_geometry'::regnamespace AND l.lanname = 'c' AND p.proisstrict AND p.provolatile = 'i'
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- Without PostGIS the reason is told, and other statements are executed; once it comes again, all are.
SET client_min_messages = error;
DROP EXTENSION postgis CASCADE;
SELECT refused('SELECT ST_Area(ST_GeomFromText(geometry)) AS area FROM zones');
SELECT refused('SELECT geography(1) AS x');
SELECT query('SELECT name FROM zones WHERE _id = 1');
SELECT catalogue.add_geography() > 0 AS added;
SELECT query('SELECT round(ST_Area(geography(ST_MakeEnvelope(0, 0, 1, 1)))::numeric) AS area');
