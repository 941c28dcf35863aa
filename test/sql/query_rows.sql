--
-- query_rows: rows of files are read while a statement is executed
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Many', 'Air') AS file \gset
CREATE FUNCTION query(sql text) RETURNS text LANGUAGE sql AS
$$ SELECT mask(r.data) FROM catalogue.query(json_build_object('sql', $1), 'json', admin()) r $$;

-- Three chunks of columns whose cells are codes, texts of a dictionary, neither, and now and then nothing or no value.
SELECT catalogue.contents_load(:'file', (SELECT json_agg(json_build_object('n', n,
    'x', (n * 7919 % 10007 - 5000) / 100.0, 'small', (n % 50) * 10, 'long', n * 1e17::numeric + 0.5,
    'day', date '1999-12-30' + n % 40,
    'at', to_char(timestamp '1999-12-31 23:00' + n * interval '37 seconds', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'ok', CASE WHEN n % 3 <> 1 THEN n % 2 = 0 END, 'word', 'word ' || n % 31, 'own', md5(n::text),
    'gap', CASE WHEN n % 5 = 0 THEN 'n/a' WHEN n % 7 <> 0 THEN (n / 4.0)::text END) ORDER BY n)
    FROM generate_series(1, 9000) n)) AS loaded;
SELECT c.c ->> 'name' AS name, c.c ->> 'type' AS type
FROM catalogue.sheet s, json_array_elements(s.columns) c(c) WHERE s.file = :'file';
SELECT count(*) > 1 AS chunks FROM catalogue.sheet_chunk;

-- Each value is that of the cell's text.
WITH cells AS (
    SELECT c.number, c."row" AS r FROM catalogue.contents(:'file') c
), given AS (
    SELECT (r ->> '_id')::bigint AS number, r
    FROM json_array_elements(query('SELECT * FROM many')::json) r
)
SELECT count(*) AS rows, count(*) FILTER (WHERE g.r IS NULL) AS missing,
    count(*) FILTER (WHERE (g.r ->> 'n')::numeric IS DISTINCT FROM (c.r ->> 'n')::numeric) AS n,
    count(*) FILTER (WHERE (g.r ->> 'x')::numeric IS DISTINCT FROM (c.r ->> 'x')::numeric) AS x,
    count(*) FILTER (WHERE (g.r ->> 'small')::numeric IS DISTINCT FROM (c.r ->> 'small')::numeric) AS small,
    count(*) FILTER (WHERE (g.r ->> 'long')::numeric IS DISTINCT FROM (c.r ->> 'long')::numeric) AS long,
    count(*) FILTER (WHERE g.r ->> 'day' IS DISTINCT FROM c.r ->> 'day') AS day,
    count(*) FILTER (WHERE (g.r ->> 'at')::timestamptz IS DISTINCT FROM (c.r ->> 'at')::timestamptz) AS at,
    count(*) FILTER (WHERE g.r ->> 'ok' IS DISTINCT FROM c.r ->> 'ok') AS ok,
    count(*) FILTER (WHERE g.r ->> 'word' IS DISTINCT FROM c.r ->> 'word') AS word,
    count(*) FILTER (WHERE g.r ->> 'own' IS DISTINCT FROM c.r ->> 'own') AS own,
    count(*) FILTER (WHERE (g.r ->> 'gap')::numeric IS DISTINCT FROM nullif(c.r ->> 'gap', 'n/a')::numeric) AS gap
FROM cells c FULL JOIN given g ON g.number = c.number;
-- a number has no more digits than it needs
SELECT query('SELECT x, small, gap FROM many WHERE _id IN (1, 40, 400, 5000)');

-- Columns that the statement does not use are not read, nor rows behind its LIMIT: damage is met by who reads it.
CREATE FUNCTION outcome(sql text) RETURNS text LANGUAGE sql AS
$$ SELECT coalesce((SELECT nullif(r.code, '00000') FROM refusal(format('SELECT query(%L)', $1)) r), query($1)) $$;
CREATE TABLE test.kept AS SELECT * FROM catalogue.sheet_chunk WHERE first > 1;
UPDATE catalogue.sheet_chunk SET data = '\x' WHERE first > 1;
SELECT s AS sql, outcome(s) AS outcome
FROM unnest(ARRAY['SELECT n FROM many LIMIT 2', 'SELECT n FROM many OFFSET 3990 LIMIT 2',
    'SELECT n FROM many ORDER BY n LIMIT 2', 'SELECT n FROM many ORDER BY _id OFFSET 1 LIMIT 2',
    'SELECT n FROM many ORDER BY _id DESC LIMIT 2', 'SELECT count(*) FROM many',
    'SELECT EXISTS (SELECT 1 FROM many WHERE x > 0) AS found', 'SELECT n FROM many WHERE n = 7',
    'SELECT n FROM many WHERE n = 7000', 'SELECT count(*) FROM many a JOIN many b ON a.n = b.n WHERE a.n = 7',
    'SELECT a.n, b.x FROM many a, (SELECT n - 1 AS m, x FROM many WHERE n < 9) b WHERE a.n = 6 AND a.n = b.m',
    'WITH m AS (SELECT n, day AS d FROM many) SELECT count(*) FROM m WHERE d = ''1999-12-31'' AND n BETWEEN 1 AND 99',
    'SELECT count(*) FROM (SELECT n AS k FROM many UNION ALL SELECT n FROM many) u WHERE 3 >= k']) s;
UPDATE catalogue.sheet_chunk c SET data = k.data FROM test.kept k WHERE (k.sheet, k.first) = (c.sheet, c.first);

-- A plan may read a table again and again, and several times at once.
SELECT query('SELECT a.n, (SELECT count(*) FROM many b WHERE b.n < a.n AND b.small = a.small) AS smaller
    FROM many a WHERE a.n IN (1, 51, 8951) ORDER BY a.n');
SELECT query('SELECT d.n, l.own FROM (VALUES (3), (8999)) d(n), LATERAL (SELECT m.own FROM many m
    WHERE m.n >= d.n ORDER BY m.n LIMIT 1) l ORDER BY 1');
SELECT query('SELECT count(*), sum(a.n - b.n) AS d FROM many a JOIN many b ON a.own = b.own AND b.day > a.day - 1');
SELECT query('SELECT count(*) FROM many a LEFT JOIN many b ON b.n = a.n + 8990 WHERE b.n IS NULL');
SELECT query('WITH m AS MATERIALIZED (SELECT word, max(at) AS at FROM many GROUP BY word)
    SELECT count(*), count(DISTINCT m.at) AS instants FROM m JOIN many USING (word) WHERE many.at = m.at');
SELECT query('SELECT count(*), min(a.n - b.n) AS d FROM many a FULL JOIN many b ON a._id = b._id
    AND a.small + b.small >= 0');
SELECT query('SELECT count(*), min(d.n) AS n FROM (VALUES (1)) d(n) LEFT JOIN many m ON false
    LEFT JOIN many o ON o.n = m.n'),
    query('SELECT n FROM many WHERE false'), query('SELECT n FROM many WHERE n = 1 AND NULL'),
    query('SELECT count(*) FROM many WHERE 1 > 2 OR n IN (SELECT n FROM many WHERE 2 > 3)');
SELECT query('SELECT n FROM many WHERE n < 3 UNION ALL SELECT -n FROM many WHERE n < 3 ORDER BY 1');
SELECT query('SELECT sum(n) OVER (PARTITION BY word ORDER BY n) AS s FROM many WHERE n < 70 ORDER BY 1 DESC LIMIT 2');

-- Once a statement has ended, whatever its end, a table of that name is another one.
CREATE TABLE test.other (id int);
CREATE TABLE test.told (rows bigint);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO test.told SELECT count(*) FROM many; RETURN NULL; END $$;
CREATE TRIGGER tell AFTER INSERT ON test.other REFERENCING NEW TABLE AS many FOR EACH STATEMENT EXECUTE FUNCTION tell();
SELECT outcome('SELECT count(*) FROM many');
INSERT INTO test.other VALUES (1), (2);
SELECT f.message FROM faults($$SELECT query('SELECT 1 / (n - 8999) FROM many')$$) f;
INSERT INTO test.other VALUES (1), (2), (3);
TABLE test.told;
