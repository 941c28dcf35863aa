--
-- query: one SELECT over what the caller sees, and nothing else
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') AS dataset, make_dataset('Hidden') AS hidden, make('tags', '{"name": "wind"}') AS tag \gset
SELECT make_file('Rows', 'Air') AS file \gset
SELECT mask(id) AS id FROM catalogue.update('datasets', :'dataset',
    json_build_object('tags', json_build_array(:'tag')), actor => admin());
SELECT catalogue.contents_load(:'file', '[["name","n","x","day","at","ok","Long Name"],
    ["ñandú",1,"1.50","2024-01-31","2024-01-31T10:00:00Z","true","a"],
    ["=1+1",2,"-0.25","1999-12-31","1999-12-31T23:59:59Z","false",""],
    [null,null,null,null,null,null,null]]') > 0 AS loaded;
UPDATE catalogue.users SET active = true;
-- roles are the cluster's
SELECT count(*) AS roles FROM pg_roles WHERE rolname = 'catalogue_query' AND NOT rolsuper AND NOT rolcanlogin;

SELECT has_schema_privilege('catalogue_query', 'catalogue', 'USAGE') AS enters,
    (SELECT count(*) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member WHERE r.rolname = 'catalogue_query')
        AS memberships;

CREATE FUNCTION query(sql text, format text DEFAULT 'json', actor jsonb DEFAULT admin()) RETURNS text LANGUAGE sql AS
$$ SELECT mask(r.data) FROM catalogue.query(json_build_object('sql', $1), $2, $3) r $$;
CREATE FUNCTION refused(sql text, actor jsonb DEFAULT admin(), OUT rule text, OUT message text) RETURNS SETOF record
    LANGUAGE sql AS
$$
    SELECT f.rule, f.message
    FROM faults(format('SELECT catalogue.query(%L, actor => %L)', json_build_object('sql', $1), $2)) f
$$;

-- Rows of a file: its columns by type, by names of their own; cells that are not there are null.
SELECT query('SELECT * FROM rows ORDER BY _id');
SELECT query('SELECT name, n + 1 AS m, x * 2 AS y, day - date ''2024-01-01'' AS days, at, ok, "Long Name" FROM rows',
    'ndjson');
SELECT query('SELECT name, x, day, ok, "Long Name" FROM rows ORDER BY _id', 'csv');
SELECT query(format('SELECT count(*), sum(n), avg(x), max(day) FROM %I', :'file'));
SELECT query('SELECT r.ok, count(*) OVER (PARTITION BY r.ok) FROM "rows?sheet=1" r WHERE r.name ILIKE ''%and%''');
SELECT query(
    'WITH a AS (SELECT n FROM rows WHERE n IS NOT NULL), b (m) AS (VALUES (1), (7))
    SELECT n, m FROM a FULL JOIN b ON n = m ORDER BY 1, 2'
    );
SELECT query('SELECT n FROM rows WHERE n IN (SELECT max(n) FROM rows) UNION ALL SELECT 0 ORDER BY 1');
SELECT query('SELECT a.n FROM rows a NATURAL JOIN rows b ORDER BY a.n');
SELECT query(
    'SELECT upper(left(name, 1)), extract(year FROM day) AS year, coalesce(nullif(n, 2), -1) AS n,
    CASE WHEN ok THEN ''y'' END AS c FROM rows ORDER BY _id LIMIT 2'
    );

-- Records as the caller sees them, and the pairs of a many-to-many relation.
SELECT query(
    'SELECT d.name, t.name AS tag FROM datasets d JOIN datasets_tags j ON j.dataset = d.id JOIN tags t ON t.id = j.tag
    ORDER BY 1'
    );
SELECT query('SELECT name, created_at > ''2020-01-01'' AS new FROM datasets ORDER BY name');
SELECT jsonb_pretty(('{' || r.meta || '}')::jsonb) AS meta
FROM catalogue.query('{"sql": "SELECT n, count(*) AS c FROM rows GROUP BY 1", "other": 1}', actor => admin()) r;
SELECT refused('SELECT password FROM users');
SELECT mask(r.ignored) AS ignored FROM catalogue.query('{"sql": "SELECT 1 AS one", "other": 1}', actor => admin()) r;

-- Only a rule that names the action lets a role query: none does at first, and "*" is not its name.
SELECT r.code, r.message FROM refusal($$SELECT query('SELECT 1', actor => '{}')$$) r;
SELECT r.code, r.message FROM refusal($$SELECT query('SELECT 1', actor => actor('editor'))$$) r;
SELECT r.code, r.message FROM refusal($$SELECT query('SELECT 1', actor => actor('guest'))$$) r;
SELECT make('rules', '{"role": "guest", "resource": "files", "action": "query"}') IS NOT NULL AS made;
SELECT query('SELECT 1 AS one', actor => actor('guest'));
SELECT r.code, r.message FROM refusal($$SELECT query('SELECT 1', actor => actor('editor'))$$) r;

-- The guest does not see what it does not see by the API: resources, columns, deleted records, other files.
SELECT mask(id) AS id FROM catalogue.delete('datasets', :'hidden', actor => admin());
SELECT query('SELECT name FROM datasets ORDER BY name', actor => actor('guest'));
SELECT r.code, r.message FROM refusal($$SELECT query('SELECT * FROM rules', actor => actor('guest'))$$) r;
SELECT refused('SELECT password FROM users', actor('guest')) UNION ALL
SELECT refused('SELECT token FROM users', actor('guest')) UNION ALL
SELECT refused('SELECT deleted_at FROM datasets', actor('guest'));

-- Everything but a SELECT of what is listed is refused, before anything is executed.
SELECT s AS sql, (refused(s)).*
FROM unnest(ARRAY[
    '', ' ', ';', 'SELECT 1; SELECT 2', 'SELECT 1; DROP TABLE catalogue.tags', 'DELETE FROM rows',
    'INSERT INTO rows VALUES (1)',
    'UPDATE rows SET n = 1', 'COPY rows TO ''/tmp/x''', 'COPY (SELECT 1) TO PROGRAM ''id''', 'SET ROLE postgres',
    'RESET ROLE',
    'BEGIN', 'COMMIT', 'PREPARE p AS SELECT 1', 'EXECUTE p', 'DO $x$BEGIN END$x$', 'CALL p()', 'LOCK TABLE rows',
    'EXPLAIN SELECT 1',
    'EXPLAIN ANALYZE SELECT 1', 'CREATE TEMP TABLE t AS SELECT 1', 'SELECT 1 INTO t', 'SELECT n INTO TEMP t FROM rows',
    'SELECT n FROM rows FOR UPDATE', 'SELECT n FROM rows FOR SHARE', 'LISTEN x', 'NOTIFY x', 'LOAD ''x''', 'VACUUM',
    'DISCARD ALL',
    'DECLARE c CURSOR FOR SELECT 1', 'FETCH c', 'SHOW ALL', 'SELECT $1',
    'WITH d AS (DELETE FROM rows RETURNING 1) SELECT * FROM d',
    'WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT * FROM r',
    'SELECT * FROM catalogue.users', 'SELECT * FROM catalogue.rows', 'SELECT * FROM pg_class',
    'SELECT * FROM pg_catalog.pg_authid',
    'SELECT * FROM information_schema.tables', 'SELECT * FROM pg_temp.t',
    'WITH pg_class AS (SELECT 1) SELECT * FROM pg_class',
    'SELECT (SELECT passwd FROM pg_shadow LIMIT 1)', 'SELECT * FROM rows TABLESAMPLE SYSTEM (1)',
    'SELECT * FROM nowhere',
    'SELECT * FROM users_passwords', 'SELECT * FROM "rows?limit=1"', 'SELECT * FROM "rows?n=1"',
    'SELECT * FROM generate_series(1, 2)',
    'SELECT * FROM json_each(''{}'')', 'SELECT generate_series(1, 9)', 'SELECT * FROM ROWS FROM (pg_ls_dir(''.''))',
    'SELECT pg_sleep(1)', 'SELECT pg_read_file(''x'')', 'SELECT pg_ls_dir(''.'')', 'SELECT lo_import(''x'')',
    'SELECT pg_advisory_lock(1)',
    'SELECT pg_terminate_backend(1)', 'SELECT set_config(''role'', ''postgres'', false)',
    'SELECT current_setting(''data_directory'')',
    'SELECT dblink(''x'', ''y'')', 'SELECT query_to_xml(''SELECT 1'', true, true, '''')', 'SELECT nextval(''x'')',
    'SELECT txid_current()',
    'SELECT version()', 'SELECT inet_server_addr()', 'SELECT random()', 'SELECT catalogue.query(''{}'')',
    'SELECT query(''x'')',
    'SELECT pg_catalog.pg_sleep(1)', 'SELECT test.mask(''x'')', 'SELECT exp(9)', 'SELECT 2 ^ 9', 'SELECT power(2, 9)',
    'SELECT repeat(''x'', 9)',
    'SELECT array_agg(n) FROM rows', 'SELECT ARRAY[1]', 'SELECT ARRAY(SELECT 1)', 'SELECT 1 = ANY (''{1}'')',
    'SELECT (1).x', 'SELECT row_to_json(rows) FROM rows',
    'SELECT rows FROM rows', 'SELECT count(rows) FROM rows', 'SELECT rows.row_to_json FROM rows',
    'SELECT rows.pg_column_size FROM rows',
    'SELECT current_user', 'SELECT session_user', 'SELECT current_schema', 'SELECT current_catalog', 'SELECT user',
    'SELECT ''users''::regclass', 'SELECT ''pg_sleep''::regproc', 'SELECT CAST(''x'' AS name)', 'SELECT 1::oid',
    'SELECT regclass ''users''',
    'SELECT ''x''::catalogue.id', 'SELECT ''{1}''::int[]', 'SELECT ''x''::xml', 'SELECT ''{}''::json',
    'SELECT ''$''::jsonpath',
    'SELECT n OPERATOR(pg_catalog.+) 1 FROM rows', 'SELECT 1 OPERATOR(test.+) 1', 'SELECT ''a'' COLLATE "C"',
    'SELECT 1 @> 2', 'SELECT xmlparse(DOCUMENT ''<a/>'')',
    'SELECT n FROM rows ORDER BY n USING <', 'SELECT concat(VARIADIC ''{1,2}'')', 'SELECT ctid FROM rows',
    'SELECT tableoid FROM rows',
    'SELECT 1 AS a, 2 AS a', 'SELECT * FROM rows a, rows b', 'SELECT 1 / 0', 'SELECT nothing FROM rows',
    'SELECT ''x''::int', 'SELECT (SELECT n FROM rows)',
    'SELEC 1', 'SELECT 1 FROM', 'SELECT /* 1', 'SELECT ''', 'SELECT 1 -- )']) s
UNION ALL
SELECT left(s, 20), r.rule, left(r.message, 60)
FROM unnest(ARRAY[repeat('(', 19000), 'SELECT ' || repeat('(', 9000) || '1' || repeat(')', 9000),
    'SELECT ' || repeat('- ', 9000) || '1', 'SELECT ' || repeat('x', 20000),
    'SELECT 1 FROM rows a1' || (SELECT string_agg(', rows a' || i, '') FROM generate_series(2, 17) i)]) s,
    LATERAL refused(s) r;
SELECT r.code, r.message FROM refusal($$SELECT catalogue.query('[]', actor => admin())$$) r;
SELECT * FROM faults($$SELECT catalogue.query('{}', actor => admin())$$);
SELECT * FROM faults($$SELECT catalogue.query('{"sql": 1}', actor => admin())$$);
SELECT r.code, r.message FROM refusal($$SELECT query('SELECT 1', 'xml')$$) r;

-- Limits: time, memory, temporary files, rows.  The session has its own settings and role again.
SELECT make_file('Big', 'Air') AS big \gset
SELECT catalogue.contents_load(:'big', (SELECT json_agg(json_build_object('n', n, 't', rpad('x', 3000, 'x'))) FROM
    generate_series(1, 2000) n)) > 0 AS loaded;
-- a table that does not fit into memory
SELECT query('SELECT count(*), sum(length(a.t)) AS length FROM big a JOIN big b ON b.n = a.n');
SET catalogue.query_timeout = '200ms';
SELECT refused('SELECT count(*) FROM big a, big b, big c WHERE a.n + b.n + c.n > 0');
SELECT refused('SELECT count(*) FROM big a, big b, big c, nowhere');
RESET catalogue.query_timeout;
-- statement_timeout ends it before, for the same reason
SET statement_timeout = '500ms';
SELECT refused('SELECT count(*) FROM big a, big b, big c WHERE a.n + b.n + c.n > 0');
RESET statement_timeout;
SET catalogue.query_memory = '32MB';
WITH doubled AS (SELECT 'SELECT length(' || repeat('replace(', 7) || '''aaaaaaaaaa''' ||
    repeat(', ''a'', ''aaaaaaaaaa'')', 7) || ')' AS sql)
SELECT refused(sql) FROM doubled;
SELECT refused('SELECT string_agg(lpad(a.n::text, 1000), '''') FROM big a, big b');
SET catalogue.query_memory = '8MB';
-- which of the limits is reached first depends on the version
SELECT r.rule FROM refused('SELECT lpad(a.n::text, 1000) FROM big a, big b ORDER BY 1') r;
SELECT r.rule FROM refused('SELECT DISTINCT a.n + b.n * 10000, lpad(a.n::text, 1000) FROM big a, big b') r;
RESET catalogue.query_memory;
SET catalogue.query_rows = 2;
SELECT r.data, r.meta FROM catalogue.query('{"sql": "SELECT _id FROM rows ORDER BY 1"}', actor => admin()) r;
RESET catalogue.query_rows;
SELECT current_user = session_user AS same, current_setting('transaction_read_only') AS read_only,
    current_setting('jit') = (SELECT reset_val FROM pg_settings WHERE name = 'jit') AS jit,
    current_setting('work_mem') = '4MB' AS memory;
SELECT make('tags', '{"name": "written"}') IS NOT NULL AS written;
SELECT query('SELECT 1 AS one');

-- Functions that cannot be interrupted are bounded, so that a statement ends in time.
SELECT query($$SELECT trim(both 'x' FROM 'xax') AS t, replace('aba', 'a', 'c'), position('b' IN 'ab'),
    'ab' LIKE 'a%' AS l, split_part('a,b', ',', 2), translate('ab', 'a', 'c'), sqrt(2.25),
    to_date('2024', 'YYYY'), 1.5 * 2 AS p, mod(7.5, 2) FROM rows WHERE name NOT ILIKE 'x%' LIMIT 1$$);
SELECT q, f.message
FROM unnest(ARRAY[
    $$rpad('a', 300000, 'a') LIKE '%' || rpad('a', 150000, 'a') || 'b%'$$,
    $$rpad('a', 300000, 'a') NOT ILIKE '%' || rpad('a', 150000, 'a') || 'b%'$$,
    $$rpad('a', 300000, 'a')::char(300000) LIKE '%' || rpad('a', 150000, 'a') || 'b%'$$,
    $$translate(rpad('a', 300000, 'a'), rpad('b', 300000, 'b'), '')$$,
    $$trim(both rpad('b', 300000, 'b') || 'a' FROM rpad('a', 300000, 'a'))$$,
    $$strpos(rpad('a', 300000, 'a'), 'b' || rpad('a', 150000, 'a'))$$,
    $$position('b' || rpad('a', 150000, 'a') IN rpad('a', 300000, 'a'))$$,
    $$replace(rpad('a', 300000, 'a'), 'b' || rpad('a', 150000, 'a'), '')$$,
    $$split_part(rpad('a', 300000, 'a'), 'b' || rpad('a', 150000, 'a'), 1)$$,
    $$replace(rpad('a', 2000000, 'a'), 'a', 'b')$$,
    $$to_timestamp(rpad('2020 ', 300000, '2020 '), rpad('YYYY ', 300000, 'YYYY '))$$,
    $$to_date(rpad('2020 ', 300000, '2020 '), 'YYYY')$$,
    $$div(rpad('9', 130000, '9')::numeric, rpad('7', 65000, '7')::numeric)$$,
    $$rpad('9', 130000, '9')::numeric % rpad('7', 65000, '7')::numeric$$]) WITH ORDINALITY w(q, n),
    refused('SELECT ' || q || ' AS x') f
ORDER BY n;
SELECT refused('SELECT count(*) AS n FROM rows a WHERE a.name LIKE ANY (SELECT rpad(b.name, 300, ''x'') FROM rows b)');

-- No number of a statement has more than 1,000 digits, wherever it arises: nobody interrupts its square.
-- A column of a file with such a number is one of texts.
SELECT catalogue.contents_load(:'file', json_build_array('["n"]'::json, json_build_array(repeat('9', 1001)),
    json_build_array(2))) > 0 AS loaded;
SELECT query('SELECT length(n), n::numeric + 1 AS m FROM rows WHERE _id = 2');
SELECT q, f.message
FROM unnest(ARRAY[
    $$stddev(x + 1) FROM (SELECT rpad('9', 130000, '9')::numeric AS x) y$$,
    $$sum(n::numeric) FROM rows$$,
    $$variance(x) OVER () FROM (SELECT rpad('9', 1001, '9')::numeric AS x) y$$,
    $$sum(length(a.x::text)) FROM (SELECT rpad('9', 1001, '9')::numeric AS x) a GROUP BY a.x HAVING avg(a.x) > 1$$,
    $$1 FROM datasets ORDER BY rpad('9', 1001, '9')::numeric$$,
    $$(SELECT rpad('9', 1001, '9')::numeric)$$,
    $$rpad('9', 600, '9')::numeric * rpad('9', 600, '9')::numeric$$,
    $$rpad('0.', 1002, '1')::numeric + 1$$,
    $$-1e1000$$,
    $$round(1, 1000)$$,
    $$1e131000 % 7$$,
    $$sqrt(1e2000)$$,
    $$to_char(rpad('9', 1001, '9')::numeric, '9')$$,
    $$rpad('9', 1001, '9')::numeric::float8$$]) WITH ORDINALITY w(q, n),
    refused('SELECT ' || q || CASE WHEN q LIKE '%FROM%' THEN '' ELSE ' AS x' END) f
ORDER BY n;
SELECT query($$SELECT length((rpad('9', 1000, '9')::numeric - 1)::text) AS a, length(sqrt(1e998)::text) AS b,
    1e999 > 0 AS c, length(rpad('0.', 1001, '1')::numeric::text) AS d, 'NaN'::numeric AS e, '-Infinity'::numeric AS f,
    0.0001 AS g, sum(x) AS h, stddev(x) AS i, count(DISTINCT x) AS j FROM (VALUES (1.5), (2.5), (2.5)) v(x)$$);
SELECT query($$SELECT x, sum(y), grouping(x) FROM (VALUES (1.5, 1), (1.50, 2), (2, 3)) v(x, y)
    GROUP BY ROLLUP (x) ORDER BY x, 3$$);
-- Between the expressions of a row it is checked whether the statement has to end: before the last one, whose division
-- fails.
SET catalogue.query_timeout = '50ms';
SELECT q, f.message
FROM unnest(ARRAY['length(x) AS a#', 'md5(x) AS a#', 'x = y AS a#', 'nullif(x, y) AS a#', 'x IN (y, y) AS a#',
    'x IS DISTINCT FROM y AS a#', 'b::int AS a#']) WITH ORDINALITY w(q, n),
    LATERAL (
        SELECT string_agg(replace(q, '#', i::text), ',')
        FROM generate_series(1, CASE q WHEN 'length(x) AS a#' THEN 200 WHEN 'md5(x) AS a#' THEN 100 ELSE 600 END) i
    ) s(expressions),
    refused('SELECT ' || expressions || ', 1 / (n - n) AS z FROM (SELECT rpad(''é'', 3000000, ''é'') AS x,
        rpad(''é'', 3000000, ''é'') AS y, lpad(''1'', 3000000) AS b, count(*) AS n FROM datasets) v') f
ORDER BY w.n;
RESET catalogue.query_timeout;
