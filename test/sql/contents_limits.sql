--
-- contents_limits: what a query of a file's rows may ask for, and that it takes no more memory than that
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Wide', 'Air') AS wide, make_file('Long', 'Air') AS long, make_file('Texts', 'Air') AS texts \gset
SELECT catalogue.contents_load(:'wide', json_build_array(
    (SELECT json_agg('c' || n) FROM generate_series(1, 40) n), (SELECT json_agg(n) FROM generate_series(1, 40) n))) > 0
    AS loaded;
CREATE FUNCTION words(pattern text, count int) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(replace(pattern, '#', n::text), ',') FROM generate_series(1, count) n $$;

-- Each grouping column and each aggregate takes memory for each group, each column of the order time for each row.
SELECT q, n, code, hint
FROM unnest('{groupBy=c#,aggregate=sum(c#),distinct=c#,orderBy=c#}'::text[]) q, unnest('{32,33}'::int[]) n,
    refusal(format('SELECT catalogue.contents_page(%L, %L)', :'wide', split_part(q, '=', 1) || '='
        || words(split_part(q, '=', 2), n)));
SELECT code, hint FROM refusal(format('SELECT catalogue.contents_page(%L, %L)', :'wide', 'orderBy='
    || repeat('c1,', 32) || 'c1'));
SELECT code, hint FROM refusal('SELECT catalogue.list(''tags'', ''orderBy=' || repeat('name,', 32) || 'name'')');
SELECT code, hint FROM refusal('SELECT catalogue.list(''tags'', ''orderBy=' || repeat('name,', 31) || 'name'')');

-- The least and greatest texts of all groups are at most 16 MiB.
SELECT store_rows(:'long', '[{"n": 1, "t": "x"}]',
    $$SELECT ARRAY[n::text, n || repeat('x', 20000)] FROM generate_series(1, 1000) n$$);
SELECT code, message, hint FROM refusal(format('SELECT catalogue.contents_page(%L, %L)', :'long',
    'groupBy=n&aggregate=max(t)'));
SELECT count, length((data::json -> 0 ->> 'max(t)')) FROM catalogue.contents_page(:'long', 'aggregate=max(t)');

-- A sum keeps one number, however many it is of.
CREATE FUNCTION peak() RETURNS int LANGUAGE sql AS
$$ SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::int / 1024 $$;
SELECT catalogue.contents_load(:'long', (SELECT json_agg(json_build_object('n', '1234567890123456789' || n % 10))
    FROM generate_series(1, 100000) n)) > 0 AS loaded;
SELECT peak() AS before \gset
SELECT data FROM catalogue.contents_page(:'long', 'aggregate=sum(n),avg(n)');
SELECT peak() - :before < 16 AS bounded;

-- A text is found within cells, and not where it begins in one and ends in the next; shorter cells are passed.
SELECT catalogue.contents_load(:'texts', json_build_array('["t"]'::json, '["aa"]'::json, '["aaa"]'::json, '["a"]'::json,
    '["baaab"]'::json, '["a"]'::json, '["aa"]'::json, '[""]'::json, '[null]'::json, '["éaaa"]'::json, '["aab"]'::json,
    '["AaAa"]'::json)) > 0 AS loaded;
SELECT q, (SELECT string_agg(r ->> '_id', ' ') FROM json_array_elements(data::json) r) AS rows
FROM unnest('{t=aaa,t=aa,t=a,t=aab,t=éaaa,t=aaaa,t=aaaaa,"t=aaab,éa"}'::text[]) q, catalogue.contents_page(:'texts', q);

-- A hint names the columns, but not more than can be read: 50 names, or 1,000 bytes.
CREATE FUNCTION named(word text) RETURNS json LANGUAGE sql AS
$$ SELECT json_build_array(json_agg(word || n), json_agg(n)) FROM generate_series(1, 60) n $$;
SELECT catalogue.contents_load(:'wide', named('c')) > 0 AS loaded;
SELECT right(hint, 60) AS hint FROM refusal(format('SELECT catalogue.contents_page(%L, ''orderBy=x'')', :'wide'));
SELECT catalogue.contents_load(:'wide', named(repeat('w', 100))) > 0 AS loaded;
SELECT right(hint, 20) AS hint FROM refusal(format('SELECT catalogue.contents_page(%L, ''orderBy=x'')', :'wide'));

-- A long text is sought in a long cell in one pass: LIKE would compare each with the other, and not be interrupted.
SELECT catalogue.contents_load(:'texts', json_build_array('["t"]'::json, json_build_array(repeat('a', 1000000)),
    json_build_array(repeat('a', 9000) || 'b'))) > 0 AS loaded;
SET statement_timeout = '5s';
SELECT m, (SELECT string_agg(r ->> '_id', ' ') FROM json_array_elements(data::json) r) AS rows
FROM unnest('{contains,begins,ends,exact}'::text[]) m,
    catalogue.contents_page(:'texts', 'fields=&t=' || repeat('A', 9000) || 'B&match=' || m);
RESET statement_timeout;

-- The bytes of a page: 36 rows of two cells of a megabyte nearly.
SELECT make_file('Long texts', 'Air') AS long \gset
SELECT store_rows(:'long', '[{"a": 1, "b": "x", "c": "y"}]',
    $$SELECT ARRAY[n::text, repeat('x', 950000), repeat('y', 950000)] FROM generate_series(1, 36) n$$);
SELECT returned, count, octet_length(data) > 20 * 1900000 AS whole FROM catalogue.contents_page(:'long');
SELECT q, r.*
FROM unnest('{limit=40,limit=40&orderBy=b,limit=40&a[gt]=0}'::text[]) q,
    LATERAL refusal(format('SELECT catalogue.contents_page(%L, %L)', :'long', q)) r;
SELECT returned, octet_length(data) < 100000 AS short FROM catalogue.contents_page(:'long', 'limit=40&fields=a');
SELECT count(*) > 1 AS pieces, sum(octet_length(data)) > 36 * 1900000 AS whole
FROM catalogue.contents_export(:'long', format => 'ndjson');
-- So it is of changes.
SELECT (catalogue.contents_page(:'long', 'limit=1&fields=a')).version AS earlier \gset
SELECT catalogue.contents_load(:'long', '[["a", "b", "c"], [41, "", ""]]') > 0 AS loaded;
SELECT q, r.*
FROM unnest('{limit=50,limit=10}'::text[]) q,
    LATERAL refusal(format('SELECT catalogue.contents_changes(%L, ''key=a&%s&from='' || %L)', :'long', q,
        :'earlier')) r;
SELECT count(*) > 1 AS pieces, sum(octet_length(data)) > 36 * 1900000 AS whole
FROM catalogue.contents_changes_export(:'long', 'key=a&from=' || :'earlier');

-- The texts of groups, and those that are the least or greatest of each.
SELECT make_file('Long groups', 'Air') AS long \gset
SELECT store_rows(:'long', '[{"n": 1, "t": "x"}]',
    $$SELECT ARRAY[n::text, n || repeat('x', 950000)] FROM generate_series(1, 72) n$$);
SELECT q, r.*
FROM unnest('{groupBy=t,groupBy=t&n[lte]=30&limit=1,groupBy=n&aggregate=max(t)&limit=1,
    groupBy=n&aggregate=max(t)&n[lte]=15&limit=1,aggregate=max(t)}'::text[]) q,
    LATERAL refusal(format('SELECT catalogue.contents_page(%L, %L)', :'long', trim(q))) r;

-- A chart refuses none: labels for whose texts there is no room are one, as those behind the first 10,000 are.  Of a
-- session of its own, since the peak only grows.
\c
SET search_path = public, test;
SELECT peak() AS before \gset
SELECT make('charts', json_build_object('name', 'Long', 'file', :'long', 'type', 'bar', 'dataSeries', 't')) IS NOT NULL
    AS made;
SELECT peak() - :before < 64 AS bounded;
SELECT (SELECT string_agg(left(l, 5), ' ') FROM json_array_elements_text(data -> 'labels') l) AS labels, data -> 'rest'
    AS rest, data -> 'data' AS data
FROM catalogue.charts WHERE name = 'Long';
