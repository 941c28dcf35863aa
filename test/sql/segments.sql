--
-- segments: cells are given back byte by byte however they are stored, and conditions find what they find in a table
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Readings', 'Air') AS file \gset

-- Columns of 5,000 rows, more than a chunk has: numbers in one notation, with other texts, and in several; texts that
-- repeat, that do not, that are empty; days.
CREATE TABLE given AS
SELECT n, ARRAY[n::text,
    (n - 2500)::text,
    round(n / 7.0, 2)::text,
    trim_scale(round(n / 8.0, 3))::text,
    CASE WHEN n % 2 = 0 THEN n || '.0' ELSE n || '.25' END,
    replace(round(n / 7.0, 1)::text, '.', ','),
    CASE n % 9 WHEN 0 THEN '' WHEN 1 THEN NULL WHEN 2 THEN 'n/a' ELSE n::text END,
    CASE n % 5 WHEN 0 THEN lpad(n::text, 4, '0') ELSE n::text END,
    CASE n % 3 WHEN 0 THEN '+' || n WHEN 1 THEN n || 'e2' ELSE '-0' END,
    (n::bigint * 999999999999)::text,
    'Street ' || n % 97,
    CASE WHEN n % 2 = 0 THEN 'Ñandú ' ELSE 'x' END || md5(n::text),
    CASE WHEN n > 4500 THEN 'b' END,
    to_char('2020-01-01'::date + n / 3, 'YYYY-MM-DD'),
    CASE n % 4 WHEN 0 THEN '' WHEN 1 THEN '-' || n ELSE '.5' END,
    NULL,
    to_char(timestamp '1999-12-31 12:00' + n * interval '70 seconds', 'YYYY-MM-DD HH24:MI:SS'),
    CASE n % 50 WHEN 4 THEN '2020-02-03' WHEN 5 THEN '2020-02-03T10:00:00Z' ELSE
        to_char(timestamp '2020-01-31 12:00' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI"Z"') END] AS cells
FROM generate_series(1, 5000) n;
SELECT catalogue.contents_load(:'file',
    (SELECT json_agg(to_json(g.cells) ORDER BY g.n) FROM (
        SELECT 0 AS n, ARRAY(SELECT 'c' || i FROM generate_series(1, 18) i) AS cells
        UNION ALL SELECT * FROM given) g)) > 0 AS loaded;
SELECT count(*) AS chunks, min(count), max(count)
FROM catalogue.sheet_chunk WHERE sheet = (SELECT max(id) FROM catalogue.sheet);

-- Return the cells of a row as they are read.
CREATE FUNCTION cells("row" json) RETURNS text[] LANGUAGE sql AS
$$
    SELECT array_agg($1 ->> ('c' || i) ORDER BY i) FROM generate_series(1, 18) i
$$;
CREATE FUNCTION others(file text) RETURNS bigint LANGUAGE sql AS
$$
    SELECT count(*) FROM given g FULL JOIN catalogue.contents(file) r ON r.number = g.n
    WHERE g.cells IS DISTINCT FROM cells(r.row)
$$;
SELECT others(:'file');

-- Conditions on each column, of each kind, find the rows that they find where nothing is known of a chunk but its rows
-- as they were sent, and in what order.
CREATE FUNCTION found(file text, q text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    RETURN (SELECT count(*) || ' ' || coalesce(md5(string_agg(number::text, ' ' ORDER BY number)), '')
            FROM catalogue.contents(file, q));
EXCEPTION WHEN SQLSTATE 'OD422' THEN
    RETURN 'not a value';
END
$$;
CREATE FUNCTION found(file text) RETURNS TABLE (q text, "rows" text) LANGUAGE sql AS
$$
    SELECT 'c' || c || o, found(file, 'c' || c || o)
    FROM generate_series(1, 18) c,
        unnest(ARRAY['=7', '=7&match=exact', '=25.5', '[gt]=4990', '[gte]=4990', '[lt]=12.5', '[lte]=12.5', '[ne]=7',
            '=null', '=null,7', '[eq]=street 5', '=ñandú', '=b', '[gt]=street 9', '=n/a', '=2020-02-03',
            '[gte]=2024-07-01', '[lt]=2020-01-03', '=0,5', '=1e2', '[gt]=123456789012345678',
            '[lt]=-123456789012345678', '=-7', '=.5', '=2020-02-03T10:00:00Z', '[gt]=2020-02-03T10:00:30Z',
            '[lte]=1999-12-31T12:00:14Z', '=1999-12-31T15:01:10', '[gt]=2020-02-03', '[ne]=2020-02-03']) o
$$;
CREATE TABLE stored AS SELECT * FROM found(:'file');
CREATE TABLE kept AS SELECT * FROM catalogue.sheet_chunk WHERE sheet = (SELECT max(id) FROM catalogue.sheet);
UPDATE catalogue.sheet_chunk c
SET data = catalogue.chunk_repacked(c.data, c.count), bounds = NULL
FROM kept k
WHERE (k.sheet, k.first) = (c.sheet, c.first);
SELECT count(*) AS packed FROM catalogue.sheet_chunk c JOIN kept USING (sheet, first) WHERE get_byte(c.data, 0) = 1;
SELECT others(:'file');
SELECT count(*) AS asked, count(*) FILTER (WHERE s.rows NOT IN ('0 ', 'not a value')) AS some_found,
    count(*) FILTER (WHERE s.rows IS DISTINCT FROM f.rows) AS others
FROM stored s FULL JOIN found(:'file') f USING (q);
-- They are stored anew as they would be now, some at a time.
SELECT catalogue.store_chunks(1) AS one, catalogue.store_chunks(100) AS rest, catalogue.store_chunks(100) AS none;
SELECT count(*) AS others FROM catalogue.sheet_chunk c JOIN kept k USING (sheet, first)
WHERE (c.data, c.bounds) IS DISTINCT FROM (k.data, k.bounds);

-- One that is damaged does not keep others from it.
UPDATE catalogue.sheet_chunk c
SET data = CASE c.first WHEN 1 THEN '\x0102' ELSE catalogue.chunk_repacked(c.data, c.count) END, bounds = NULL
FROM kept k
WHERE (k.sheet, k.first) = (c.sheet, c.first);
SELECT catalogue.store_chunks(100) AS tried, catalogue.store_chunks(100) AS none;
SELECT c.first, c.data = k.data AS stored, (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file',
    'skip=' || c.first))).code
FROM catalogue.sheet_chunk c JOIN kept k USING (sheet, first) ORDER BY c.first;
UPDATE catalogue.sheet_chunk c SET data = k.data, bounds = k.bounds
FROM kept k WHERE (k.sheet, k.first) = (c.sheet, c.first);

-- The first rows in an order, which are kept while the chunks are read, are those of all rows in that order, which a
-- statement sorts; so are the cursors, and pages further on.
CREATE FUNCTION numbers(file text, q text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(e.item ->> '_id', ' ' ORDER BY e.n)
    FROM json_array_elements((catalogue.contents_page($1, $2)).data::json) WITH ORDINALITY e(item, n)
$$;
CREATE FUNCTION in_order(file text, q text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(c.number::text, ' ' ORDER BY c.n)
    FROM (SELECT c.row ->> '_id' AS number, c.n FROM catalogue.contents($1, $2) WITH ORDINALITY c(number, "row", n)
          LIMIT 40) c
$$;
SELECT count(*) AS asked,
    count(*) FILTER (WHERE numbers(:'file', q || '&limit=40') IS DISTINCT FROM in_order(:'file', q)) AS others
FROM generate_series(1, 18) c,
    unnest(ARRAY['', '&sort=desc', '&c11[eq]=street 5&sort=desc', '&c7=null', ',c11,_id&sort=desc,asc,desc']) rest,
    LATERAL (SELECT 'orderBy=c' || c || rest AS q) o;
SELECT q, numbers(:'file', q || '&skip=1990&limit=20') = numbers(:'file', q || '&skip=1990&limit=10') || ' '
    || numbers(:'file', q || '&skip=2000&limit=10') AS same,
    numbers(:'file', q || '&limit=10&after=' || r.next) = numbers(:'file', q || '&limit=10&skip=110') AS behind
FROM unnest(ARRAY['orderBy=c3', 'orderBy=c11&sort=desc', 'orderBy=c13,c1&sort=asc,desc']) q,
    LATERAL catalogue.contents_page(:'file', q || '&skip=100&limit=10') r;

-- Pages next to a cursor, whatever is in it, in each direction.
SELECT count(*) AS asked, count(*) FILTER (WHERE
    numbers(:'file', q || '&limit=10&after=' || r.next) IS DISTINCT FROM numbers(:'file', q || '&limit=10&skip=2510')
    OR numbers(:'file', q || '&limit=10&before=' || r.previous) IS DISTINCT FROM
        numbers(:'file', q || '&limit=10&skip=2490')) AS others
FROM generate_series(1, 18) c, unnest(ARRAY['', '&sort=desc', ',c11,_id&sort=desc,asc,desc']) rest,
    LATERAL (SELECT 'orderBy=c' || c || rest AS q) o,
    LATERAL catalogue.contents_page(:'file', q || '&skip=2500&limit=10') r;
SELECT number, numbers(:'file', format('orderBy=_id&limit=2&%s=%s', direction, rtrim(translate(encode(
        convert_to(number, 'UTF8'), 'base64'), '+/', '-_'), '=') || '.' || rtrim(translate(encode(
        convert_to(number, 'UTF8'), 'base64'), '+/', '-_'), '='))) AS found, direction
FROM unnest('{-5,2.5,4999,1e300}'::text[]) number, unnest('{after,before}'::text[]) direction;
-- So many rows are not sorted for a page far behind the first one.
BEGIN;
UPDATE catalogue.sheet SET row_count = 3000000 WHERE id = (SELECT max(id) FROM catalogue.sheet);
SELECT (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', 'orderBy=c3&skip=99990&limit=20'))).*;
ROLLBACK;

-- What is computed of groups is what a table gives.
CREATE FUNCTION grouped(file text, q text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(g.row::text, ' ' ORDER BY g.number) FROM catalogue.contents($1, $2) g
$$;
CREATE FUNCTION value(of text) RETURNS numeric LANGUAGE sql AS
$$
    SELECT CASE WHEN $1 ~ '^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[0-9]+)?$' THEN $1::numeric END
$$;
SELECT c, count(*) AS groups, count(*) FILTER (WHERE (g.row ->> 'count')::bigint IS DISTINCT FROM t.count
    OR g.row ->> ('count(c' || c || ')') IS DISTINCT FROM t.values::text
    OR (g.row ->> ('sum(c' || c || ')'))::numeric IS DISTINCT FROM t.sum
    OR (g.row ->> ('avg(c' || c || ')'))::numeric IS DISTINCT FROM t.avg
    OR value(g.row ->> ('min(c' || c || ')')) IS DISTINCT FROM t.min
    OR value(g.row ->> ('max(c' || c || ')')) IS DISTINCT FROM t.max) AS others
FROM unnest(ARRAY[1, 2, 3, 4, 5, 7, 10]) c,
    LATERAL (SELECT format('count,count(c%s),sum(c%1$s),avg(c%1$s),min(c%1$s),max(c%1$s)', c) AS of) a,
    LATERAL catalogue.contents(:'file', 'groupBy=c11&aggregate=' || a.of || '&c1[gt]=77') g
    JOIN LATERAL (SELECT g.cells[11] AS key, count(*), count(value(g.cells[c])) AS values, sum(value(g.cells[c])),
            avg(value(g.cells[c])), min(value(g.cells[c])), max(value(g.cells[c]))
        FROM given g WHERE g.n > 77 GROUP BY 1) t ON t.key = g.row ->> 'c11'
GROUP BY c ORDER BY c;
-- They are the same of rows as they were sent.
CREATE TABLE groups AS SELECT q, grouped(:'file', q) AS found
FROM generate_series(1, 18) c, unnest(ARRAY[7, 12, 14]) of,
    LATERAL (SELECT format('groupBy=c%s,c11&aggregate=count,count(c%s),min(c%2$s),max(c%2$s)&c1[lt]=4100&orderBy=c%1$s',
        c, of) AS q) q;
UPDATE catalogue.sheet_chunk c SET data = catalogue.chunk_repacked(c.data, c.count), bounds = NULL
FROM kept k WHERE (k.sheet, k.first) = (c.sheet, c.first);
SELECT count(*) AS asked, count(DISTINCT found) AS answers,
    count(*) FILTER (WHERE found IS DISTINCT FROM grouped(:'file', q)) AS others FROM groups;
UPDATE catalogue.sheet_chunk c SET data = k.data, bounds = k.bounds
FROM kept k WHERE (k.sheet, k.first) = (c.sheet, c.first);

-- Chunks whose bounds exclude a value are not read: a damaged one is met by what may be in it alone.
UPDATE catalogue.sheet_chunk c SET data = '\x'
FROM kept k WHERE (k.sheet, k.first) = (c.sheet, c.first) AND c.first = 1;
SELECT q, (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', q))).code
FROM unnest(ARRAY['c1[eq]=4500', 'c1[gt]=4000', 'c1[gt]=3999', 'c1[eq]=77,4500', 'c1[lt]=1', 'c1[lte]=1', 'c1=null',
    'c1[ne]=4500', 'c2[gte]=1501', 'c2[gte]=1500', 'c14=2024-01-15', 'c14[gt]=2023-09-01', 'c14=2020-05-05',
    'c14[lt]=2020-01-01', 'c17=2000-01-04', 'c17[gte]=2000-01-04', 'c17[lte]=2000-01-01', 'c18=2020-08-25',
    '_id=4001', '_id[lte]=4000', 'c1[eq]=4500&c14=2020-05-05',
    'c1[eq]=4500&c14=2020-05-05&condition=AND', 'c11[eq]=street 5']) q;
UPDATE catalogue.sheet_chunk c SET data = k.data
FROM kept k WHERE (k.sheet, k.first) = (c.sheet, c.first);

-- A number of a column with commas means another one with points: nothing is excluded by it.
SELECT catalogue.contents_load(:'file', '[["a"],["1.234"],["2.500"],["1.000,5"]]') > 0 AS loaded;
SELECT (catalogue.contents_page(:'file', 'a[gt]=1000')).count;

-- Any byte of a stored chunk may be any other: it is refused, or read, and never more than that.
SELECT catalogue.contents_load(:'file', '[["a","b","c"],[1,"x","u"],[300,"y","v"],["n/a","x","ñ"],[7,"x",null]]') > 0
    AS loaded;
CREATE FUNCTION codes(file text) RETURNS text[] LANGUAGE sql AS
$$
    SELECT array_agg(DISTINCT r.code)
    FROM unnest(ARRAY['SELECT count(*) FROM catalogue.contents(%L)',
        'SELECT count(*) FROM catalogue.contents(%L, ''a=7'')',
        'SELECT count(*) FROM catalogue.contents(%L, ''a[gt]=7'')',
        'SELECT count(*) FROM catalogue.contents(%L, ''b=x&c=u'')',
        'SELECT count(*) FROM catalogue.contents(%L, ''groupBy=b&aggregate=count,sum(a),max(c)'')']) q,
        LATERAL refusal(format(q, file)) r
$$;
CREATE FUNCTION damaged(file text, at integer, value integer, what text) RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    was    record;
    codes  text[];
BEGIN
    SELECT * INTO was FROM catalogue.sheet_chunk WHERE sheet = (SELECT max(id) FROM catalogue.sheet);
    UPDATE catalogue.sheet_chunk c
    SET data = CASE what WHEN 'data' THEN set_byte(c.data, at, value) WHEN 'cut' THEN substr(c.data, 1, at)
            ELSE c.data END,
        bounds = CASE what WHEN 'bounds' THEN set_byte(c.bounds, at, value) ELSE c.bounds END
    WHERE c.sheet = was.sheet;
    codes := codes(file);
    UPDATE catalogue.sheet_chunk c SET data = was.data, bounds = was.bounds WHERE c.sheet = was.sheet;
    RETURN codes;
END
$$;
SELECT count(*) > 1000 AS many, array_agg(DISTINCT code ORDER BY code) AS codes
FROM (SELECT * FROM catalogue.sheet_chunk WHERE sheet = (SELECT max(id) FROM catalogue.sheet)) c,
    LATERAL (SELECT 'data' AS what, at, value FROM generate_series(0, length(c.data) - 1) at,
                 unnest(ARRAY[0, 2, 128, 255]) value
             UNION ALL SELECT 'cut', at, 0 FROM generate_series(0, length(c.data) - 1) at
             UNION ALL SELECT 'bounds', at, value FROM generate_series(0, length(c.bounds) - 1) at,
                 unnest(ARRAY[0, 1, 2, 3, 255]) value) d,
    LATERAL unnest(damaged(:'file', d.at, d.value, d.what)) code;

-- What is compressed may be damaged, too.
SELECT catalogue.contents_load(:'file', (SELECT json_agg(json_build_object('a', n % 7, 'b', 'Street ' || n % 5, 'c', n))
    FROM generate_series(1, 600) n)) > 0 AS loaded;
SELECT count(*) > 100 AS many, array_agg(DISTINCT code) <@ '{00000,XX001,OD422}' AS expected_codes
FROM (SELECT * FROM catalogue.sheet_chunk WHERE sheet = (SELECT max(id) FROM catalogue.sheet)) c,
    generate_series(0, length(c.data) - 1, 5) at, unnest(ARRAY[0, 255]) value,
    LATERAL unnest(damaged(:'file', at, value, 'data')) code;

-- What rows are sorted by may be too much to be kept: a statement sorts them then.
SELECT store_rows(:'file', '[{"a": "a", "n": 1}]',
    $$SELECT ARRAY[repeat(chr(97 + n % 20), 900000), n::text] FROM generate_series(1, 20) n$$);
SELECT string_agg(e.item ->> '_id', ' ' ORDER BY e.n) AS first
FROM json_array_elements((catalogue.contents_page(:'file', 'orderBy=a&sort=desc&fields=n')).data::json)
    WITH ORDINALITY e(item, n);
