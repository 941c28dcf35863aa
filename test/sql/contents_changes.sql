--
-- contents_changes: rows of a file that were added, removed and changed between two versions
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Rows', 'Air') AS file \gset

-- The version that has the present rows; changes, one on each line; the answer besides these.
CREATE FUNCTION version_of(file text) RETURNS text LANGUAGE sql AS
$$
    SELECT version FROM catalogue.contents_page(file, 'limit=1')
$$;
CREATE FUNCTION changes(file text, query text) RETURNS TABLE (change text, before json, after json) LANGUAGE sql AS
$$
    SELECT c ->> 'change', c -> 'before', c -> 'after'
    FROM catalogue.contents_changes(file, query) r, json_array_elements(r.data::json) c
$$;
CREATE FUNCTION counts(file text, query text) RETURNS TABLE (count bigint, returned int, meta text) LANGUAGE sql AS
$$
    SELECT count, returned, meta FROM catalogue.contents_changes(file, query)
$$;

SELECT catalogue.contents_load(:'file',
    '[["id","city","n"],["1","Oslo","10"],["2","Bergen","20"],["10","Turku","30"],["11","Turku","30"]]') > 0 AS loaded;
SELECT version_of(:'file') AS one \gset
SELECT catalogue.contents_load(:'file',
    '[["id","city","n"],["11","Turku","30"],["2.0","Bergen","21"],["1","Oslo","10"],["3","Lund",null]]') > 0 AS loaded;
SELECT version_of(:'file') AS two \gset
SELECT catalogue.contents_load(:'file',
    '[["n","id","new"],["10","1","x"],["21","x",""],["30","11",null],["","3",null]]') > 0 AS loaded;
SELECT version_of(:'file') AS three \gset

-- The key is compared by its type, so that 2.0 is 2; a row that has moved is no change; the order is that of the key.
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=id', :'one', :'two'));
SELECT * FROM counts(:'file', format('from=%s&to=%s&key=id', :'one', :'two'));

-- Backwards; a page; values as what they are; two columns; a key with the same value in several rows.
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=id', :'two', :'one'));
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=id&skip=1&limit=1&types=true', :'one', :'two'));
SELECT * FROM counts(:'file', format('from=%s&to=%s&key=id&skip=1&limit=1', :'one', :'two'));
SELECT * FROM counts(:'file', format('from=%s&to=%s&key=id&skip=9', :'one', :'two'));
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=city,n', :'one', :'two'));
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=city', :'one', :'two'));

-- To the present; columns correspond by name, a cell that is not there and an empty one differ; none at all in between.
SELECT * FROM changes(:'file', format('from=%s&key=id', :'two'));
SELECT * FROM counts(:'file', format('from=%s&key=id', :'three'));

-- As lines, all of them, whatever page is asked for.
SELECT string_agg(r.data, '') AS lines
FROM catalogue.contents_changes_export(:'file', format('from=%s&to=%s&key=id&limit=1', :'one', :'two')) r;

-- What is wrong: no from, no key, no column of both versions, no instant, an instant to come, another sheet, a format.
SELECT q, r.code, replace(r.message, :'file', '<id>') AS message, r.detail
FROM unnest(ARRAY['key=id', 'from=2001-01-01T00:00:00Z', 'from=%s', 'from=%s&key=city', 'from=%s&key=',
        'from=%s&key=id,colour', 'from=now&key=id', 'from=2100-01-01T00:00:00Z&key=id', 'from=%s&to=tomorrow&key=id',
        'from=%s&key=id&sheet=7', 'from=%s&key=id&types=maybe', 'from=2001-01-01T00:00:00Z&key=id']) q,
    refusal(format('SELECT catalogue.contents_changes(%L, %L)', :'file', replace(q, '%s', :'two'))) r;
SELECT (refusal(format('SELECT catalogue.contents_changes_export(%L, %L, NULL, ''csv'')', :'file',
    'from=' || :'two' || '&key=id'))).*;
SELECT ignored FROM catalogue.contents_changes(:'file', 'from=' || :'two' || '&key=id&fields=id&colour=1');

-- A file that the caller does not see is not there.
SELECT (refusal(format('SELECT catalogue.contents_changes(%L, %L, ''{}'')', :'file',
    'from=' || :'two' || '&key=id'))).code;

-- Many rows in several chunks: what a join of tables finds; also where memory suffices for a part of them at a time.
SELECT catalogue.contents_load(:'file', (SELECT ('[["k","v"],' ||
        string_agg(format('["k%s","%s"]', n, n % 7), ',' ORDER BY n) || ']')::json
    FROM generate_series(1, 30000) n)) > 0 AS loaded;
SELECT version_of(:'file') AS four \gset
SELECT catalogue.contents_load(:'file', (SELECT ('[["k","v"],' ||
        string_agg(format('["k%s","%s"]', n, CASE WHEN n % 5 = 0 THEN n * n % 7 ELSE n % 7 END), ',' ORDER BY -n)
        || ']')::json
    FROM generate_series(100, 30050) n)) > 0 AS loaded;
SELECT * FROM counts(:'file', format('from=%s&key=k', :'four'));
SELECT count(*) FILTER (WHERE a.n IS NULL) AS added, count(*) FILTER (WHERE b.n IS NULL) AS removed,
    count(*) FILTER (WHERE a.n % 5 = 0 AND a.n % 7 <> b.n * b.n % 7) AS changed
FROM generate_series(1, 30000) a(n) FULL JOIN generate_series(100, 30050) b(n) ON a.n = b.n;
SET work_mem = '64kB';
SELECT * FROM counts(:'file', format('from=%s&key=k&limit=1', :'four'));
RESET work_mem;
SELECT count(*) AS changes, count(DISTINCT coalesce(c.after ->> 'k', c.before ->> 'k')) AS keys,
    count(*) FILTER (WHERE c.change = 'changed' AND c.before ->> 'v' = c.after ->> 'v') AS wrong
FROM changes(:'file', format('from=%s&key=k&limit=10000', :'four')) c;
