--
-- facet_counters: the numbers of counted facets, and of lists of one of their values, are exact, whatever happened
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What differs between the kept numbers and what the tables have; and between the facets that are read of them and
-- those that a filter without effect has counted; no row: nothing.
CREATE FUNCTION wrong() RETURNS TABLE (what text, problem text) LANGUAGE sql AS
$$
    SELECT r.resource, c.problem FROM catalogue.resource r, catalogue.check_counter(r.resource) c
    UNION ALL
    SELECT who, 'facets are not those of the records'
    FROM (VALUES ('admin', admin()), ('outsider', '{}'), ('database user', NULL)) a(who, actor),
        (VALUES ('limit=1&facetLimit=100&facets=categories,subcategories,tags,organization,status,license,place,'
            || 'dataDate.year')) q(query)
    WHERE (catalogue.list('datasets', query, actor => actor)).meta
        <> (catalogue.list('datasets', query || '&createdAt[gte]=1900-01-01', actor => actor)).meta
    UNION ALL
    SELECT who || ': ' || facet, format('value %s: %s, the list has %s', v ->> 'name', v ->> 'count', n.count)
    FROM (VALUES ('admin', admin()), ('outsider', '{}')) a(who, actor),
        (VALUES ('categories', 'categories'), ('tags', 'tags'), ('status', 'statuses'),
            ('organization', 'organizations'), ('starred', NULL), ('dataDate.year', NULL)) f(facet, resource),
        catalogue.list('datasets', 'limit=1&facetLimit=100&facets=' || facet, actor => actor) l,
        json_array_elements(('{' || l.meta || '}')::json -> 'facets' -> facet -> 'values') v,
        LATERAL (SELECT (catalogue.list('datasets', format('limit=1&fields=id&%s=%s', facet,
                    coalesce(v ->> 'id', v ->> 'value')), actor => actor)).count
                 UNION ALL
                 SELECT (catalogue.related(f.resource, v ->> 'id', 'datasets', 'limit=1&fields=id',
                    actor => actor)).count WHERE f.resource IS NOT NULL) n
    WHERE n.count <> (v ->> 'count')::bigint
    UNION ALL
    -- records of one tag or another, or of a category
    SELECT 'alternatives', query
    FROM (VALUES ('admin', admin()), ('outsider', '{}')) a(who, actor),
        (SELECT format('limit=1&fields=id&condition=OR&tags=%s&categories=%s,%s', string_agg(t.id, ','), min(c.id),
             max(c.id))
         FROM catalogue.tags t, catalogue.categories c) q(query)
    WHERE (catalogue.list('datasets', query, actor => actor)).count
        <> (catalogue.list('datasets', query || '&createdAt[gte]=1900-01-01', actor => actor)).count;
$$;
CREATE FUNCTION values_of(facet text, actor jsonb DEFAULT admin()) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(concat(v ->> 'value', v ->> 'name', ' ', v ->> 'count'), ', ')
    FROM catalogue.list('datasets', 'limit=1&facetLimit=1000&facets=' || facet, actor => actor) l,
        json_array_elements(('{' || l.meta || '}')::json -> 'facets' -> facet -> 'values') v
$$;
SELECT resource, counted FROM catalogue.resource WHERE counted <> '{}';
SELECT * FROM wrong();

-- Creations: by the API, by SQL, many at once.  Texts that differ in case or accents only are one value.
SELECT make_dataset('One') AS one, make_dataset('Two') AS two \gset
SELECT mask((catalogue.act('datasets', :'two', 'publish', actor => admin())).id) AS published;
UPDATE catalogue.datasets SET optionals = '{"license": "CC-BY", "spatial": "Paraná", "modified": "2019-05"}'
WHERE id = :'one';
UPDATE catalogue.datasets SET optionals = '{"license": "cc-by", "spatial": "PARANA", "modified": "2020-01-02"}'
WHERE id = :'two';
SELECT values_of('license'), values_of('place'), values_of('dataDate.year');
SELECT values_of('license', '{}'), values_of('place', '{}'), values_of('dataDate.year', '{}');
INSERT INTO catalogue.datasets (name, status, owner, created_by, optionals, tags_ids)
SELECT 'Many ' || n, id_of('statuses', 'Published'), id_of('users', 'admin'), id_of('users', 'admin'),
    json_build_object('license', 'L' || n % 3, 'issued', 1000 + n % 150 || '-01-01'), ARRAY[]::text[]
FROM generate_series(1, 1500) n;
INSERT INTO catalogue.datasets_categories (dataset, category)
SELECT id, (SELECT min(id) FROM catalogue.categories WHERE parent IS NULL AND deleted_at IS NULL)
FROM catalogue.datasets WHERE name LIKE 'Many %';
SELECT * FROM wrong();

-- Links are changed, a tag is deleted and restored, records get other values and none.
SELECT make('tags', '{"name": "rare"}') AS rare \gset
SELECT mask((catalogue.update('datasets', :'one', json_build_object('tags', json_build_array(:'rare')),
    actor => admin())).id) AS tagged;
UPDATE catalogue.datasets SET starred = n.starred
FROM (VALUES (1, true), (2, false), (3, NULL)) n(place, starred) WHERE name LIKE 'Many ' || n.place || '_';
UPDATE catalogue.datasets_tags SET tag = (SELECT min(id) FROM catalogue.tags WHERE id <> :'rare')
WHERE dataset = :'two';
SELECT * FROM wrong();
SELECT mask(id) AS deleted FROM catalogue.delete('tags', :'rare', admin());
SELECT * FROM wrong();
SELECT mask(id) AS restored FROM catalogue.restore('tags', :'rare', actor => admin());
UPDATE catalogue.datasets SET optionals = NULL WHERE name LIKE 'Many 1%';
UPDATE catalogue.datasets SET organization = (SELECT max(id) FROM catalogue.organizations) WHERE name LIKE 'Many 2%';
UPDATE catalogue.datasets SET organization = NULL WHERE name LIKE 'Many 3%';
SELECT * FROM wrong();

-- What outsiders see: states, visibility.
SELECT mask((catalogue.act('datasets', :'two', 'unpublish', actor => admin())).id) AS unpublished;
UPDATE catalogue.datasets SET visible = false WHERE name LIKE 'Many 4%';
SELECT * FROM wrong();
UPDATE catalogue.datasets SET visible = NULL WHERE name LIKE 'Many 41%';

-- Deletions and restores; what is deleted and changed then counts nothing.
DELETE FROM catalogue.datasets WHERE name LIKE 'Many 5%';
UPDATE catalogue.datasets SET optionals = '{"license": "dead"}' WHERE name LIKE 'Many 51%';
SELECT * FROM wrong();
UPDATE catalogue.datasets SET deleted_at = NULL WHERE name LIKE 'Many 51%';
SELECT values_of('license');
SELECT * FROM wrong();

-- Not what was rolled back; a transaction sees its own.
BEGIN;
UPDATE catalogue.datasets SET optionals = '{"license": "mine", "modified": "0044-03-15"}' WHERE id = :'one';
SAVEPOINT here;
DELETE FROM catalogue.datasets WHERE name LIKE 'Many 6%';
ROLLBACK TO here;
SELECT values_of('license');
SELECT * FROM wrong();
ROLLBACK;
SELECT values_of('license');

-- Transactions that follow each other add to one row, in place, whatever is between them.
UPDATE catalogue.datasets SET optionals = '{"license": "placed"}' WHERE name = 'Two';
UPDATE catalogue.datasets SET optionals = '{"license": "placed"}' WHERE name = 'Many 71';
BEGIN;
UPDATE catalogue.datasets SET optionals = '{"license": "placed"}' WHERE name = 'Many 72';
SAVEPOINT here;
UPDATE catalogue.datasets SET optionals = '{"license": "placed"}' WHERE name = 'Many 73';
ROLLBACK TO here;
COMMIT;
BEGIN;
UPDATE catalogue.datasets SET optionals = '{"license": "placed"}' WHERE name = 'Many 74';
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE catalogue.datasets SET optionals = '{"license": "placed"}' WHERE name = 'Many 75';
COMMIT;
SELECT living, shown FROM catalogue.facet_counter WHERE value = 'placed';
-- A serializable one does not read the rows of others, so as not to conflict with them.
BEGIN ISOLATION LEVEL SERIALIZABLE;
UPDATE catalogue.datasets SET optionals = '{"license": "placed"}' WHERE name = 'Many 76';
COMMIT;
SELECT sum(living) AS living, count(*) <= 2 AS in_few_rows FROM catalogue.facet_counter WHERE value = 'placed';
SELECT * FROM wrong();
UPDATE catalogue.datasets SET optionals = '{}' WHERE optionals ->> 'license' = 'placed';
SELECT * FROM wrong();

-- Many small statements: the rows are merged now and then.
DO $$
BEGIN
    FOR n IN 1..5000 LOOP
        EXIT WHEN n > 300 AND (SELECT count(*) < n / 2 FROM catalogue.facet_counter WHERE value = 'folded');
        UPDATE catalogue.datasets SET optionals = json_build_object('license', CASE WHEN n % 2 = 1 THEN 'folded' END)
        WHERE name = 'Two';
        -- the longer a transaction is, the less often it merges
        IF n % 20 = 0 THEN
            COMMIT;
        END IF;
    END LOOP;
END
$$;
SELECT count(*) < 2500 AS folded FROM catalogue.facet_counter WHERE value = 'folded';
SELECT * FROM wrong();

-- A search among the records of one value, fewer than it finds alone, looks at these: the pages are the same as without
-- kept numbers.
INSERT INTO catalogue.datasets_tags (dataset, tag)
SELECT id, :'rare' FROM catalogue.datasets WHERE name ~ '^Many .*[37]$' AND deleted_at IS NULL;
CREATE FUNCTION found() RETURNS TABLE (who text, query text, count bigint, ids text) LANGUAGE sql AS
$$
    SELECT who, query, l.count, l.data
    FROM (VALUES ('admin', admin()), ('outsider', '{}')) a(who, actor),
        (VALUES ('query=many'), ('query=many 13'), ('query=Many 3'), ('query=any&skip=20'), ('query=13,137'),
            ('query=many&orderBy=name&sort=DESC'), ('query=many&skip=100&facets=tags,license'),
            ('query=1 many&starred=null'), ('query=many&status.name=Published')) q(query),
        (VALUES ('&match=CONTAINS'), ('&match=WORDS'), ('&match=BEGINS')) m(match),
        (VALUES ('&condition=AND'), ('&condition=OR')) c(condition),
        catalogue.list('datasets', format('limit=7&fields=id&tags=%s&', id_of('tags', 'rare'))
            || replace(query, ' ', '%20') || match || condition, actor => actor) l
    UNION ALL
    SELECT who, match, l.count, l.data
    FROM (VALUES ('admin', admin()), ('outsider', '{}')) a(who, actor),
        (VALUES ('CONTAINS'), ('WORDS')) m(match),
        catalogue.related('tags', id_of('tags', 'rare'), 'datasets', 'limit=7&fields=id&query=many&match=' || match,
            actor => actor) l
$$;
CREATE TEMPORARY TABLE narrowed AS SELECT * FROM found();
SELECT counted FROM catalogue.resource WHERE resource = 'datasets' \gset was_
UPDATE catalogue.resource SET counted = '{}' WHERE resource = 'datasets';
SELECT pg_catalog.count(*) AS pages, pg_catalog.count(DISTINCT n.count) > 9 AS unlike,
    pg_catalog.count(*) FILTER (WHERE n.count > 7) > 50 AS full, (SELECT pg_catalog.count(*)
        FROM (TABLE narrowed EXCEPT SELECT * FROM found()) d) AS differing
FROM narrowed n;
UPDATE catalogue.resource SET counted = :'was_counted' WHERE resource = 'datasets';
SELECT catalogue.recount('datasets') > 1000 AS counted;
SELECT * FROM wrong();

-- In a large table, a value with fewer records than the search finds in all, but not than it finds of the last rank.
SELECT make('tags', '{"name": "single"}') AS single, make_dataset('Deep') AS deep,
    make_dataset('Indeed deep') AS indeed \gset
SELECT mask((catalogue.update('datasets', :'indeed', json_build_object('tags', json_build_array(:'single')),
    actor => admin())).id) AS tagged;
BEGIN;
UPDATE pg_class SET reltuples = 1000000 WHERE oid = 'catalogue.datasets'::regclass;
SELECT l.count, mask(l.data) AS data
FROM catalogue.list('datasets', 'fields=name&query=deep&tags=' || :'single', actor => admin()) l;
ROLLBACK;

-- A user who sees a part only has the records counted; so has a version, and a search.
SELECT catalogue.expose('datasets', 'Dataset', searchable => '{name}', actions => '{publish,unpublish}',
    shown => '{"outsiders": {"status": "published"}, "internal": {"starred": {"not": false}}}',
    counted => '{status,license}');
UPDATE catalogue.datasets SET starred = false WHERE name LIKE 'Many 7%';
SELECT make('users', json_build_object('username', 'reader', 'password', 'correct horse battery',
    'email', 'r@example.org', 'role', 'guest', 'organization',
    id_of('organizations', 'Open Data Office'))) IS NOT NULL AS made;
SELECT values_of('status', actor('reader')) = values_of('status') AS all_seen, (catalogue.list('datasets',
    'limit=1&fields=id&status=' || id_of('statuses', 'Published'), actor => actor('reader'))).count < (catalogue.list(
    'datasets', 'limit=1&fields=id&status=' || id_of('statuses', 'Published'), actor => admin())).count AS fewer;
SELECT now() AS before \gset
UPDATE catalogue.datasets SET optionals = '{"license": "newer"}' WHERE id = :'one';
SELECT string_agg(v ->> 'value', ',') ~ 'newer' AS shows_what_came_later
FROM catalogue.list('datasets', 'limit=1&facetLimit=1000&facets=license&version=' || to_char(:'before'::timestamptz,
        'YYYY-MM-DD"T"HH24:MI:SS.USZ'), actor => admin()) l,
    json_array_elements(('{' || l.meta || '}')::json -> 'facets' -> 'license' -> 'values') v;

-- A table of one's own: kinds of values; a facet whose column comes later counts when it is there.
CREATE TYPE size AS ENUM ('small', 'large', 'x-large');
CREATE TABLE catalogue.lakes (id catalogue.id PRIMARY KEY, name varchar(50), deep boolean, size size, rank integer,
    note text, found timestamptz, parts text[], created_by catalogue.id REFERENCES catalogue.users,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
INSERT INTO catalogue.lakes (id, name, deep, size, rank, found) VALUES ('lake', 'Old', true, 'small', 1, '-infinity');
SELECT catalogue.expose('lakes', 'Lake', counted => '{name,deep,size,rank,found.year,shore,createdBy,note}');
INSERT INTO catalogue.lakes (name, deep, size, rank, found, created_by)
VALUES ('A', true, 'small', 1, '2020-01-01', id_of('users', 'admin')), ('a', false, 'large', -7,
    '1999-12-31 23:59:59Z', NULL), (NULL, NULL, NULL, NULL, '0044-03-15 BC', NULL),
    ('', true, 'small', 1, 'infinity', NULL);
SELECT facet, value, sum(living) AS living FROM catalogue.facet_counter
WHERE resource = 'lakes' AND facet <> 'createdBy'
GROUP BY facet, value ORDER BY 1, 2;
CREATE FUNCTION lakes(query text) RETURNS text LANGUAGE sql AS
$$
    SELECT meta FROM catalogue.list('lakes', 'limit=1&facets=name,deep,size,rank,found.year,createdBy' || query,
        actor => admin())
$$;
SELECT lakes('') = lakes('&createdAt[gte]=1900-01-01') AS alike, mask(lakes('')) AS facets;
-- a filter finds parts of an enumeration in any letter case, and numbers however they are written
INSERT INTO catalogue.lakes (name, size) VALUES ('Xl', 'x-large');
SELECT filter, l.count = a.count AS alike, l.count
FROM unnest('{size=small,size=SMALL,size=large,size=larg,size=LARGE&match=EXACT,size=medium,size=null,deep=true,rank=1,'
        'rank=-7,rank=01,rank=-0,found.year=2020,deep=null}'::text[]) f(filter),
    catalogue.list('lakes', 'limit=1&fields=id&' || filter, actor => admin()) l,
    catalogue.list('lakes', 'limit=1&fields=id&condition=AND&createdAt[gte]=1900-01-01&' || filter, actor => admin()) a;
ALTER TABLE catalogue.lakes ADD COLUMN shore varchar(20) DEFAULT 'sandy';
INSERT INTO catalogue.lakes (name, shore) VALUES ('B', 'rocky');
SELECT meta FROM catalogue.list('lakes', 'limit=1&facets=shore', actor => admin());
SELECT problem, remedy FROM catalogue.check_counter('lakes');
SELECT catalogue.recount('lakes');
SELECT meta FROM catalogue.list('lakes', 'limit=1&facets=shore', actor => admin());
SELECT * FROM wrong();

-- Rows that were changed without the triggers are found, and counted anew.
SET session_replication_role = replica;
UPDATE catalogue.lakes SET shore = 'muddy' WHERE name IN ('A', 'B');
RESET session_replication_role;
SELECT problem, remedy FROM catalogue.check_counter('lakes');
SELECT catalogue.recount('lakes');
SELECT * FROM wrong();

-- Texts without a limit are not counted, however long they are.
INSERT INTO catalogue.lakes (name, note) SELECT 'Long', string_agg(md5(n::text), '') FROM generate_series(1, 500) n;
SELECT * FROM wrong();

-- A column that has got another name or type, or its name from another one, has the records counted until recount().
ALTER TABLE catalogue.lakes RENAME COLUMN deep TO deeper;
UPDATE catalogue.lakes SET deeper = NOT deeper;
ALTER TABLE catalogue.lakes RENAME COLUMN deeper TO deep;
SELECT lakes('') = lakes('&createdAt[gte]=1900-01-01') AS renamed, catalogue.recount('lakes') AS counted;
ALTER TABLE catalogue.lakes DROP COLUMN rank, ADD COLUMN rank integer DEFAULT 5;
SELECT lakes('') = lakes('&createdAt[gte]=1900-01-01') AS dropped, catalogue.recount('lakes') AS counted;
ALTER TABLE catalogue.lakes ALTER COLUMN rank TYPE bigint USING rank + 1;
SELECT lakes('') = lakes('&createdAt[gte]=1900-01-01') AS retyped;
SELECT pg_catalog.count(*) AS not_counted, min(remedy) AS remedy FROM catalogue.check_counter('lakes');
SELECT catalogue.recount('lakes');
SELECT * FROM wrong();

-- Row security of a database user applies: the records are counted.
CREATE ROLE regress_angler IN ROLE catalogue_owner;
ALTER TABLE catalogue.lakes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY one_lake ON catalogue.lakes USING (name = 'B');
SELECT id_of('users', 'admin') AS admin \gset
SET ROLE regress_angler;
SELECT meta FROM catalogue.list('lakes', 'limit=1&facets=shore');
SELECT count FROM catalogue.list('lakes', 'limit=1&createdBy=' || :'admin');
SELECT (catalogue.count('lakes')).data, count FROM catalogue.list('lakes', 'limit=1&skip=0');
RESET ROLE;
ALTER TABLE catalogue.lakes DISABLE ROW LEVEL SECURITY;

-- What is cleared or hidden counts nothing.
SELECT catalogue.clear('lakes');
SELECT lakes('');
SELECT catalogue.hide('lakes');
SELECT count(*) FROM catalogue.facet_counter WHERE resource = 'lakes';
INSERT INTO catalogue.facet_counter VALUES ('ponds', 'name', 'A', 1, 1);
SELECT problem, remedy FROM catalogue.check_leftovers();
DROP ROLE regress_angler;
