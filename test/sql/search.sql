--
-- search: terms in the searchable fields, the best first; each write is found at once; by the index
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT count(make('tags', json_build_object('name', name))) AS made
FROM unnest(ARRAY['Río Paraná', 'río', 'El río', 'Riego', 'agua del río', 'Agua', 'aguas, arriba', '100%', '10_0',
    'back\slash', 'ñandú', 'naïve "quoted"']) name;

-- Ranked: the field that is the term, those that begin with it, those that contain it; by age within a rank.
SELECT count, names(r) FROM catalogue.list('tags', 'query=rio') r;
SELECT data::json ->> 'name' AS first FROM catalogue.first('tags', 'query=rio');
SELECT data::json ->> 'name' AS last FROM catalogue.last('tags', 'query=rio');

-- Pages go through the ranks, wherever they begin.
SELECT skip, count, returned, names(r)
FROM generate_series(0, 5) n, catalogue.list('tags', 'query=rio&limit=2&skip=' || n) r;

-- An order that is asked for wins over the rank.
SELECT names(catalogue.list('tags', 'query=rio&orderBy=name&sort=DESC'));

-- How a term is compared: with the whole field.
SELECT match, count, names(r)
FROM unnest(ARRAY['contains', 'BEGINS', 'Ends', 'EXACT']) match,
    catalogue.list('tags', 'query=r%C3%8Do&match=' || match) r;
SELECT match, names(r)
FROM unnest(ARRAY['BEGINS', 'ENDS', 'EXACT']) match, catalogue.list('tags', 'query=agua+del+rio&match=' || match) r;

-- Several terms: any of them, or all; only commas separate. Of a term of several words all are there, in quotes side by
-- side.
SELECT query, condition, names(r)
FROM unnest(ARRAY['agua,rio', 'agua rio', 'rio agua', 'rio,agua', 'del  agua  rio', 'rio nada', 'rio nada,riego',
    '"del rio"', '"rio agua"', 'agua "del', '"riego,agua"', ' , ,rio,, ']) WITH ORDINALITY q(query,
    n),
    unnest(ARRAY['OR', 'AND']) condition,
    catalogue.list('tags', 'query=' || replace(query, ' ', '+') || '&condition=' || condition) r
    ORDER BY n, condition DESC;

-- Ranked: a field is the term, begins with it, has it, has its words; of several terms the best counts. Words may stand
-- in several fields.
SELECT count(make('organizations', json_build_object('name', name, 'description', description))) AS made
FROM (VALUES ('Quality of the air', 'words the other way round'), ('The air quality', 'side by side'),
    ('Air quality in 2020', 'begins'), ('Air Quality', 'is'), ('Air', 'and its quality'), ('Airs', 'none'),
    ('Qualities, air', 'words of which one goes on'), ('Quality', 'none')) v(name, description);
SELECT names(catalogue.list('organizations', 'query=air+quality'));
SELECT names(catalogue.list('organizations', 'query=air+quality,quality')),
       names(catalogue.list('organizations', 'query=air+quality,the+other&condition=AND'));
SELECT q, names(r), count
FROM unnest(ARRAY['Air quality in 2020', 'in air', 'a q', 'qual air 2020', 'i a', 'q 0', '"air quality"',
    'quality  air']) WITH ORDINALITY w(q,
    n),
    catalogue.list('organizations', 'query=' || replace(q, ' ', '+') || '&condition=OR&orderBy=name') r
ORDER BY n;
SELECT n, count, returned, names(r)
FROM generate_series(0, 6, 2) n, catalogue.list('organizations', 'query=air+quality&limit=2&skip=' || n) r;
SELECT data::json ->> 'name' AS first FROM catalogue.first('organizations', 'query=air+quality');
SELECT data::json ->> 'name' AS last FROM catalogue.last('organizations', 'query=air+quality');
SELECT match, names(r)
FROM unnest(ARRAY['BEGINS', 'ENDS', 'EXACT']) match,
    catalogue.list('organizations', 'query=air+quality&match=' || match) r;
-- In the past, in order, counted, in part and among all it is the same.
SELECT version AS instant FROM catalogue.list('organizations') \gset
SELECT ((catalogue.list('organizations', q)).data::jsonb) = (catalogue.list('organizations',
    q || '&version=' || :'instant')).data::jsonb AS past,
    (catalogue.count('organizations', q)).data = (catalogue.count('organizations',
        q || '&version=' || :'instant')).data AS counts,
    ((catalogue.count('organizations', q)).data::json ->> 'count')::int = (SELECT count(*)
        FROM json_array_elements((catalogue.list('organizations',
            q || '&orderBy=name&limit=100')).data::json)) AS counted,
    (catalogue.search(q || '&resources=organizations')).count = (catalogue.list('organizations', q)).count AS "in all"
FROM unnest(
    '{query=air+quality,"query=air+quality,quality","query=air+quality,the+other&condition=AND",query=quality+in+air,
        "query=a+q&limit=3"}'::text[]) q;
UPDATE catalogue.organizations
SET name = 'Elsewhere ' || id, description = NULL
WHERE name LIKE '%Quality%' OR name LIKE '%quality';
SELECT names(catalogue.list('organizations', 'query=air+quality&version=' || :'instant')) AS "then",
    names(catalogue.list('organizations', 'query=air+quality')) AS now,
    (catalogue.count('organizations', 'query=air+quality&version=' || :'instant')).data AS count_then,
    (catalogue.count('organizations', 'query=air+quality')).data AS count_now;
-- Words are limited as terms are.
SELECT code, message, hint FROM refusal($$SELECT catalogue.list('tags', 'query=a' || repeat('+b', 100))$$);
SELECT count FROM catalogue.list('tags', 'query=rio' || repeat('+rio', 99));

-- With BEGINS, ENDS and EXACT the words of a term stand side by side.
SELECT names(catalogue.list('tags', 'query=agua+del,riego&match=BEGINS')),
       names(catalogue.list('tags', 'query=rio,agua&match=EXACT'));

-- One and two characters, and characters that are special elsewhere.
SELECT query, names(r)
FROM unnest(ARRAY['%25', '_', '\', '%C3%B1', 'N', 'aq', 'ia', '"', ',', 'e+e']) query,
    catalogue.list('tags', 'query=' || query) r;

-- Encoded twice it is the same; what only looks so is left alone.
SELECT names(catalogue.list('tags', 'query=%25C3%2591and%25C3%25BA')) AS twice,
       names(catalogue.list('tags', 'query=100%2525')) AS percent,
       names(catalogue.list('tags', 'query=100%25')) AS once;

-- Nothing to search for: the list.
SELECT (catalogue.list('tags', 'query=')).count = (catalogue.list('tags')).count AS all,
       (catalogue.list('tags', 'query=+,%22%22')).count = (catalogue.list('tags')).count AS all;

-- What is searched for always holds; filters are joined among themselves.
SELECT names(catalogue.list('tags', 'query=rio&name=agua')),
       names(catalogue.list('tags', 'query=rio&name=agua&slug=el-rio')),
       names(catalogue.list('tags', 'query=rio&name=agua&slug=el-rio&condition=AND'));

-- Count, related lists and parts of records as in every list.
SELECT (catalogue.count('tags', 'query=rio')).data AS count,
       (catalogue.list('tags', 'query=el+rio&match=EXACT&fields=name')).data::json -> 0 ->> 'name' AS name;
SELECT names(catalogue.related('categories', id_of('categories', 'Transport'), 'datasets', 'query=air')),
       (catalogue.related('categories', id_of('categories', 'Transport'), 'datasets', 'query=air')).count;

-- Fields that are no part of the whitelist are not looked in; without whitelist nothing is found.
SELECT (catalogue.list('tags', 'query=' || id_of('tags', 'Agua'))).count AS by_id,
       (catalogue.count('statistics', 'query=GET')).data AS statistics;
SELECT make('soapservices',
    '{"method": "m", "namespace": "n", "url": "https://example.org", "parameters": {}}') IS NOT NULL AS made,
       (catalogue.list('soapservices', 'query=example')).count;

-- A write is found by the very next search, and what was there before no longer.
SELECT id_of('tags', 'Riego') AS id \gset
SELECT (catalogue.list('tags', 'query=sequ')).count AS before;
SELECT (catalogue.update('tags', :'id', '{"name": "Sequía"}', actor => admin())).id = :'id' AS updated,
       (catalogue.list('tags', 'query=riego')).count AS in_the_same_statement;
SELECT names(catalogue.list('tags', 'query=sequ')) AS after, (catalogue.list('tags', 'query=riego')).count AS old;
UPDATE catalogue.tags SET name = 'Lluvia' WHERE id = :'id';
SELECT names(catalogue.list('tags', 'query=lluv')) AS after, (catalogue.list('tags', 'query=sequ')).count AS old;
DELETE FROM catalogue.tags WHERE id = :'id';
SELECT (catalogue.list('tags', 'query=lluv')).count AS deleted;
SELECT (catalogue.restore('tags', :'id', actor => admin())).id = :'id' AS restored;
SELECT names(catalogue.list('tags', 'query=lluv')) AS restored;

-- What is deactivated is found by users only.
SELECT (catalogue.deactivate('organizations', make('organizations', '{"name": "Institute of Rivers", "active": true}'),
    actor => admin())).id IS NOT NULL AS deactivated;
SELECT names(catalogue.list('organizations', 'query=rivers', actor => admin())) AS user,
       names(catalogue.list('organizations', 'query=rivers', actor => '{}')) AS nobody;
SELECT data::json -> 'organizations' IS NOT NULL AS user FROM catalogue.search('query=rivers', actor => admin());
SELECT data::json -> 'organizations' IS NOT NULL AS nobody FROM catalogue.search('query=rivers', actor => '{}');

-- In all resources at once: those in which something is found, the page of each.
SELECT count, "limit", returned, relations, ignored,
       (SELECT json_object_agg(key, json_array_length(value)) FROM json_each(data::json)) AS numbers
FROM catalogue.search('query=airport&limit=2&orderBy=name&visible=true');
SELECT mask(data) AS data FROM catalogue.search('query=air&resources=Categories,tags&fields=name,nothing&match=begins');
SELECT data::json #> '{tags,0,createdBy,username}' AS embedded
FROM catalogue.search('query=agua&match=exact', 'embedded');
SELECT count, data FROM catalogue.search('query=nowhere+to+be+found&condition=AND');
SELECT count, data FROM catalogue.search('query=GET&resources=statistics');
SELECT count > 40 AS all FROM catalogue.search();

-- As of an instant, what is embedded is as it was too, though nothing has changed that is searched.
SELECT data::json #>> '{files,0,dataset,name}' AS embedded, '&version=' || version AS start
FROM catalogue.search('query=airports&resources=files&limit=1', 'embedded') \gset
UPDATE catalogue.datasets SET name = 'Aerodromes' WHERE name = :'embedded';
SELECT data::json #>> '{files,0,dataset,name}' = :'embedded' AS "then"
FROM catalogue.search('query=airports&resources=files&limit=1' || :'start', 'embedded');
SELECT data::json #>> '{files,0,dataset,name}' AS now
FROM catalogue.search('query=airports&resources=files&limit=1', 'embedded');

-- Refused: a bad value, too many terms, a resource that does not exist.
SELECT code, message, hint FROM refusal($$SELECT catalogue.list('tags', 'query=a&match=LIKE')$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.list('tags', 'query=' || repeat('a,', 33))$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.search('query=a&resources=tags,nothing')$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.search('query=a&limit=-1')$$);
SELECT code, message FROM refusal($$SELECT catalogue.list('tags', 'query=%ff')$$);

-- The functions below: the text, and the rank of a record in it.
SELECT replace(catalogue.search_text('Agua', NULL, 'AÑO'::varchar, 1, E'a\x1Fb'), E'\x1F', '|') AS text;
SELECT code, message FROM refusal($$SELECT catalogue.search_text(VARIADIC ARRAY['a', 'b'])$$);
SELECT terms, match, every,
       catalogue.search_rank(catalogue.search_text('agua y aire', 'suelo'),
           replace(replace(terms, ' ', E'\x1E'), '|', E'\x1F'), match, every) AS rank
FROM (VALUES ('suelo', 'CONTAINS', false), ('agua', 'CONTAINS', false), ('aire', 'CONTAINS', false),
             ('fuego', 'CONTAINS', false), ('aire fuego', 'CONTAINS', false), ('aire fuego', 'CONTAINS', true),
             ('aire', 'ENDS', true), ('aire', 'BEGINS', true), ('y', 'EXACT', true), ('aire suelo', 'CONTAINS', true),
             ('y-aire|y|aire', 'CONTAINS', true), ('suelo|nada', 'CONTAINS', true),
             ('aire-y|aire|y|suelo', 'CONTAINS', true), ('aire-y|aire|no', 'CONTAINS', false), ('|', 'CONTAINS', false),
             ('x|', 'CONTAINS', false)) v(terms, match, every);
SELECT code, message FROM refusal($$SELECT catalogue.search_rank('a', 'a', 'LIKE', true)$$);

-- The index gives the same as looking at each text, for parts of every length.
CREATE TABLE texts AS SELECT string_agg(chr(CASE WHEN random() < 0.1 THEN 241 WHEN random() < 0.05 THEN 26085
    ELSE 97 + (random() * 3)::int END),
    '') AS t
    FROM generate_series(1, 20000) n
    GROUP BY n / 10;
CREATE INDEX texts_search ON texts USING gin (t catalogue.search_ops);
CREATE TABLE parts AS SELECT DISTINCT substr(t, 3, n) AS part
    FROM (SELECT t FROM texts LIMIT 60) s, generate_series(0, 8) n
    UNION
    VALUES ('x'), ('xa'), ('ax'), ('axa'), (repeat('a', 200)), (repeat('ab', 5000));
SET enable_seqscan = off;
CREATE TABLE by_index AS SELECT part, t
    FROM parts, LATERAL (SELECT t FROM texts WHERE t OPERATOR(catalogue.@>) part OFFSET 0) f;
SET enable_seqscan = on;
SET enable_bitmapscan = off;
CREATE TABLE by_eye AS SELECT part, t FROM parts, texts WHERE position(part IN t) > 0;
RESET enable_bitmapscan;
SELECT count(*) > 1000 AS many FROM by_eye;
(TABLE by_index EXCEPT ALL TABLE by_eye) UNION ALL (TABLE by_eye EXCEPT ALL TABLE by_index);
-- So it does for several parts, each of which must occur: any two of the shorter ones.
CREATE TABLE pairs AS SELECT p.part AS one, q.part AS other, p.part || E'\x1E' || q.part AS pair
    FROM (SELECT part FROM parts WHERE part <> '' AND length(part) < 5 ORDER BY length(part), part LIMIT 30) p, parts q
    WHERE q.part <> '' AND length(q.part) < 7;
SET enable_seqscan = off;
CREATE TABLE both_by_index AS SELECT pair, t
    FROM pairs, LATERAL (SELECT t FROM texts WHERE t OPERATOR(catalogue.@>) pair OFFSET 0) f;
RESET enable_seqscan;
CREATE TABLE both_by_eye AS SELECT pair, t FROM pairs, texts
    WHERE position(one IN t) > 0 AND position(other IN t) > 0;
SELECT count(*) > 1000 AS many FROM both_by_eye;
(TABLE both_by_index EXCEPT ALL TABLE both_by_eye) UNION ALL (TABLE both_by_eye EXCEPT ALL TABLE both_by_index);
SELECT part, catalogue.search_has('one two', replace(part, '|', E'\x1E'))
FROM unnest('{one|two,two|one,one|three,three|one,o|w|t,""}'::text[]) part;

-- The index is there for every whitelist, follows it, and is left alone when nothing changes.
SELECT c.relname, obj_description(c.oid, 'pg_class') AS columns
FROM pg_class c
WHERE c.relkind = 'i' AND c.relname LIKE '%\_search' AND c.relnamespace = 'catalogue'::regnamespace
ORDER BY 1;
CREATE TABLE own (id catalogue.id PRIMARY KEY, name text, note text, weight numeric,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SELECT catalogue.expose('test.own', 'Own', searchable => '{note,name}');
SELECT 'own_search'::regclass::oid AS index \gset
SELECT catalogue.expose('test.own', 'Own', searchable => '{name,note}');
SELECT 'own_search'::regclass::oid = :index AS same, obj_description('own_search'::regclass, 'pg_class') AS columns;
SELECT catalogue.expose('test.own', 'Own', searchable => '{name}');
SELECT obj_description('own_search'::regclass, 'pg_class') AS columns;
SELECT catalogue.expose('test.own', 'Own');
SELECT to_regclass('own_search') AS none;
SELECT code, message, hint FROM refusal($$SELECT catalogue.expose('test.own', 'Own', searchable => '{name,weight}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.expose('test.own', 'Own', searchable => '{title}')$$);

-- Among many records: no search and no text filter looks through the table.
SELECT catalogue.expose('test.own', 'Own', searchable => '{name,note}');
SET session_replication_role = replica;
INSERT INTO own (id, name, note, created_at)
SELECT 'n' || n, CASE WHEN n % 2 = 0 THEN 'even' ELSE 'odd' END || ' number ' || n,
       CASE WHEN n % 1000 = 0 THEN 'thousand' END, '2026-01-01'::timestamptz + n * interval '1 second'
FROM generate_series(1, 20000) n;
RESET session_replication_role;
SELECT catalogue.recount('own');
VACUUM ANALYZE own;
-- what was done before is not counted with what comes
SELECT pg_stat_force_next_flush() IS NULL AS forced;
BEGIN;
SELECT q, count, left(names(r), 60) AS names
FROM unnest(ARRAY['query=number', 'query=even&skip=9990', 'query=even&limit=3', 'query=odd&match=BEGINS&limit=3',
    'query=odd&sort=DESC&limit=3', 'query=20000', 'query=1', 'query=th',
    'query=thousand&match=EXACT&limit=2', 'query=even+thousand&condition=AND&limit=2',
    'query=even+thousand&skip=19&limit=3', 'name=even&limit=3', 'name=19999', 'name=number+777&match=ENDS',
    'name=even&note=thousand&condition=AND&limit=2']) WITH ORDINALITY q(q,
    n),
    catalogue.list('own', q || '&fields=name') r
    ORDER BY n;
SELECT data::json ->> 'name' AS last
FROM unnest(ARRAY['query=even', 'query=thousand', 'name=odd']) q, catalogue.last('own', q);
SELECT pg_stat_get_xact_numscans('own'::regclass) AS sequential_scans;
SELECT count(*) FROM own WHERE note = 'even';
SELECT pg_stat_get_xact_numscans('own'::regclass) AS sequential_scans;
COMMIT;

-- Words that many records have, but none side by side: the index tells that, so those are read to be counted only.
BEGIN;
SELECT pg_stat_get_xact_tuples_fetched('own'::regclass) AS before \gset
SELECT count, names(r) FROM catalogue.list('own', 'query=number+even&fields=name&limit=3') r;
SELECT pg_stat_get_xact_tuples_fetched('own'::regclass) - :before < 30000 AS few;
COMMIT;

-- Walked or gathered, the page is the same: here the table counts as small.
UPDATE pg_class SET reltuples = 100 WHERE oid = 'own'::regclass;
SELECT q, count, left(names(r), 60) AS names
FROM unnest(ARRAY['query=number', 'query=even&skip=9990', 'query=even&limit=3',
    'name=even&limit=3']) WITH ORDINALITY q(q,
    n),
    catalogue.list('own', q || '&fields=name') r
ORDER BY n;

-- A page begins behind a place with a filter on text, and with a search that has an order of its own; ranks have no
-- places.
SELECT next AS place FROM catalogue.list('own', 'limit=3') \gset
SELECT next AS named FROM catalogue.list('own', 'orderBy=name&limit=3') \gset
SELECT q AS query, names(r) AS names, next IS NOT NULL AS next
FROM unnest(ARRAY['name=even&after=' || :'place', 'query=even&orderBy=name&after=' || :'named',
    'query=odd&limit=2']) WITH ORDINALITY q(query,
    n),
    LATERAL (SELECT regexp_replace(query, 'after=.*', 'after=…') AS q) shown,
    catalogue.list('own', query || '&fields=name&limit=2') r
ORDER BY n;
SELECT code, replace(message, :'place', 'PLACE') AS message, hint
FROM refusal(format('SELECT catalogue.list(''own'', ''query=even&after=%s'')', :'place'));

--
-- Words near those of a search that finds nothing: one edit, two in a long word; of names that the caller sees
--
SELECT make('tags', '{"name": "Justicia y paz"}') AS justice, make('tags', '{"name": "justicia social"}') AS other,
       make('tags', '{"name": "Justizia"}') AS third, make('tags', '{"name": "Año-nuevo"}') AS year \gset
SELECT make_dataset('Verborgenheit') AS draft \gset
SELECT q, r.count, r.meta
FROM unnest(ARRAY['tags?query=justisia', 'tags?query=JUSTICXA', 'tags?query=ano+nuebo', 'tags?query=paz+y+justixia',
        'tags?query=nuev0', 'tags?query=nuev00', 'tags?query=pas', 'tags?query=watr&name=health',
        'tags?query=justisia&facets=createdBy', 'tags?query=justicia', 'tags?name=justisia', 'tags?query=',
        'tags?query=%2C%22%2C', 'tags?query=' || repeat('justisi', 6), 'users?query=admim', 'datasets?query=airprots',
        'datasets?query=verborgenheid', 'tags?query=justisia&deleted=only'])
        WITH ORDINALITY q(q, n),
    LATERAL catalogue.list(split_part(q, '?', 1), split_part(q, '?', 2) || '&nearest=true', actor => admin()) r
ORDER BY n;
SELECT count, meta FROM catalogue.list('datasets', 'query=verborgenheid&nearest=true', actor => '{}');
-- Each word in its place in what was asked, which is told as it was given.
SELECT c ->> 'word' AS word, c ->> 'before' AS before, c ->> 'after' AS after, c ->> 'nearest' AS nearest
FROM catalogue.list('tags', 'query=%C3%91u+JUSTIS%C3%8DA,+%22pax+nuebo%22!&nearest=true', actor => admin()) l,
    json_array_elements(('{' || l.meta || '}')::json -> 'corrections') c;
-- What a list has without each of its first filters, by name, or without its search; nothing where something is found.
SELECT left(q, 68) AS q, l.count, ('{' || l.meta || '}')::json -> 'without' AS without
FROM unnest(ARRAY['condition=AND&name=justi&slug=nuevo', 'condition=AND&name=justi&name=nuevo',
        'query=water&name=justi&createdAt[gte]=2999-01-01&createdAt.year=2998', 'name=justi&slug=none', 'name=none',
        'condition=AND&name=no' || repeat('&slug=no&slug[ne]=x&id=no&id[ne]=x&createdAt.year=2998'
        '&createdAt[gt]=2998-01-01&createdBy=no&createdBy[ne]=no&updatedAt.year=2998', 3)]) WITH ORDINALITY q(q, n),
    catalogue.list('tags', q || '&nearest=true', actor => admin()) l
ORDER BY n;
SELECT count, meta FROM catalogue.list('tags', 'query=justisia');
SELECT (refusal('SELECT catalogue.list(''tags'', ''query=a&nearest=yes'')')).*;
-- Of a long name the beginning is read.
CREATE TABLE catalogue.spots (id catalogue.id PRIMARY KEY, name text, code varchar(50),
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SELECT catalogue.expose('spots', 'Spot', searchable => '{name,code}');
INSERT INTO catalogue.spots (id, name, code)
    VALUES ('s1', 'Ferry harbour', 'x'), ('s2', repeat('x ', 200) || 'Lighthouse', 'y');
SELECT q, count, meta
FROM unnest('{harbxur,lighthousf}'::text[]) q, catalogue.list('spots', 'nearest=true&query=' || q, actor => admin());
-- A deleted word is none, and none of an instant before it was there.
SELECT version AS then FROM catalogue.list('tags', 'limit=1') \gset
SELECT resource FROM catalogue.delete('tags', :'year', admin());
SELECT v <> '' AS earlier, r.meta
FROM unnest(ARRAY['', '&version=' || replace(:'then', '+', '%2B')]) WITH ORDINALITY v(v, n),
    LATERAL catalogue.list('tags', 'query=nuebo&nearest=true' || v) r
ORDER BY n;
-- The sweep merges what is pending in the indexes; so many pages are merged then.
SELECT gin_clean_pending_list('catalogue.spots_search') > 0 AS parts,
    gin_clean_pending_list('catalogue.spots_words') > 0 AS words;
INSERT INTO catalogue.spots (id, name, code) VALUES ('s3', 'Quay', 'z');
SELECT catalogue.sweep();
SELECT gin_clean_pending_list('catalogue.spots_search') AS parts,
    gin_clean_pending_list('catalogue.spots_words') AS words;
SELECT data::jsonb -> 0 ->> 'name' AS name FROM catalogue.list('spots', 'query=uay', actor => admin());
