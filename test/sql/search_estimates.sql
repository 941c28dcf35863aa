--
-- search_estimates: who does not wait for numbers is told about how many records there are, and which facets were not
-- counted
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What a list tells of its numbers.
CREATE FUNCTION told(resource text, query text, actor jsonb DEFAULT admin(), OUT count bigint, OUT estimate bigint,
    OUT returned int, OUT next boolean, OUT etag boolean) LANGUAGE sql AS
$$
    SELECT l.count, (('{' || l.meta || '}')::json ->> 'estimate')::bigint, l.returned, l.next IS NOT NULL,
        l.etag IS NOT NULL
    FROM catalogue.list(resource, query, actor => actor) l
$$;

-- A table with more records than are counted, some in each block.
CREATE TABLE own (id catalogue.id PRIMARY KEY, name text, note text, rest text NOT NULL DEFAULT repeat('.', 400),
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SET session_replication_role = replica;
INSERT INTO own (id, name, note, created_at)
SELECT 'n' || n, 'number ' || n, CASE WHEN n % 2 = 0 THEN 'even' ELSE 'odd' END,
    '2026-01-01'::timestamptz + n * interval '1 second'
FROM generate_series(1, 23456) n;
RESET session_replication_role;
SELECT catalogue.expose('test.own', 'Own', searchable => '{name,note}');
VACUUM ANALYZE own;

-- Of many records about the number; exactly that of few, of the last page, of the whole table, and of what has been
-- counted before.
SELECT q, t.* FROM unnest(ARRAY['query=number', 'query=number&match=WORDS', 'note=even', 'query=number&skip=23440',
    'query=777', 'query=none', '', 'query=number&note=odd&condition=AND', 'query=number&limit=0'])
    WITH ORDINALITY q(q, n), told('own', q || '&estimate=true') t ORDER BY n;
SELECT * FROM told('own', 'query=number&estimate=false');
SELECT * FROM told('own', 'query=number&estimate=true');
SELECT code, message, hint FROM refusal($$SELECT catalogue.list('own', 'estimate=maybe', actor => admin())$$);
-- The pages are those of the list, and its end is found.
\set later createdAt[gt]=2026-01-01T01:00:00Z&estimate=true&limit=2
SELECT names(l) AS first, l.count, l.meta, l.next FROM catalogue.list('own', :'later', actor => admin()) l \gset
\echo :first :meta
SELECT names(l) AS second, l.count, l.meta, l.next IS NOT NULL AS next, l.previous IS NOT NULL AS previous
FROM catalogue.list('own', :'later' || '&skip=2&after=' || :'next', actor => admin()) l;
-- A state of before has about as many as the present one.
SELECT version AS before FROM catalogue.list('own', 'limit=1', actor => admin()) \gset
UPDATE own SET name = 'renamed' WHERE id = 'n1';
SELECT * FROM told('own', 'query=number&match=BEGINS&estimate=true&version=' || replace(:'before', '+', '%2B'));
-- A large table is sampled: as many as the planner takes it to have, of which the sample has this part.
UPDATE pg_class SET reltuples = 100000 WHERE oid = 'own'::regclass;
SELECT t.estimate FROM told('own', 'query=numb&estimate=true') t;
SELECT q, t.estimate BETWEEN 40000 AND 60000 AS half FROM unnest('{even,odd}'::text[]) q,
    told('own', format('query=%s&match=WORDS&estimate=true', q)) t;
-- ... or counted, where these are few
SELECT * FROM told('own', 'query=number+77&estimate=true');

-- Facets of many records are left out, unless their numbers are kept or were counted lately; a value that the list is
-- filtered by is named all the same.
SET catalogue.facets_exact = 0;
SELECT make_dataset('Roads') AS roads, make_dataset('Streets') AS streets, make('tags', '{"name": "red"}') AS tag \gset
SELECT make_file('Roads of today', 'Roads') \g /dev/null
SELECT (catalogue.update('datasets', :'roads', json_build_object('tags', json_build_array(:'tag')),
    actor => admin())).resource;
CREATE FUNCTION facets(query text) RETURNS TABLE (facet text, facts text) LANGUAGE sql AS
$$
    SELECT f.key, mask(f.value::text)
    FROM catalogue.list('datasets', query || '&limit=1', actor => admin()) l,
        json_each(('{' || l.meta || '}')::json -> 'facets') f
$$;
SELECT * FROM facets('facets=starred,files.type&estimate=true');
SELECT * FROM facets('query=road&match=WORDS&facets=starred,files.type&estimate=true');
SELECT * FROM facets('facets=tags,starred,files.type&condition=AND&estimate=true&tags=' || :'tag');
SELECT * FROM facets('facets=files.type');
SELECT * FROM facets('facets=files.type&estimate=true');
SELECT facet, facts::json ->> 'rest' AS rest FROM facets('facets=name&name[eq]=Roads&estimate=true');
-- Of few records they are counted.
SET catalogue.facets_exact = 2;
SELECT * FROM facets('query=road&match=WORDS&facets=files.type&estimate=true');

-- A search in all resources tells about the sum.
SET catalogue.facets_exact = 0;
SELECT s.count, s.returned, s.meta, s.etag IS NOT NULL AS etag
FROM catalogue.search('query=roads&resources=datasets,files&limit=1&estimate=true', actor => admin()) s;
SELECT s.count, s.returned, s.meta, s.etag IS NOT NULL AS etag
FROM catalogue.search('query=roads&resources=datasets,files&limit=1', actor => admin()) s;
-- Other forms of a list are whole, and counted.
SELECT x.count FROM catalogue.export('datasets', query => 'query=roads&estimate=true', actor => admin()) x LIMIT 1;
-- What is packed has no number either.
SELECT split_part(encode(catalogue.packed(catalogue.list('datasets', 'query=street&limit=1&estimate=true',
    actor => admin())), 'escape'), '\000', 4) AS packed;
