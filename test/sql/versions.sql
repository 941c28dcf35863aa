--
-- versions: lists, counts, items and relations as of an instant; the states of a record; how far back it goes
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The states of a record, newest first, as they are listed; versions are shown by their relation to the next older one.
CREATE FUNCTION states(resource text, id text, field text DEFAULT 'name')
    RETURNS TABLE (n bigint, value text, later_than_next boolean) LANGUAGE sql AS
$$
    SELECT n, r ->> field, (r ->> 'version')::timestamptz > (lead(r ->> 'version') OVER (ORDER BY n))::timestamptz
    FROM catalogue.versions(resource, id) v, json_array_elements(v.data::json) WITH ORDINALITY e(r, n) ORDER BY n
$$;

SELECT id_of('tags', 'water') AS water, id_of('tags', 'health') AS health, id_of('datasets', 'Airports') AS airports,
       id_of('datasets', 'Air quality') AS quality \gset
SELECT version AS start FROM catalogue.list('tags') \gset
\set start '&version=' :start
SELECT names(catalogue.list('tags', 'orderBy=name')) AS tags;

-- One record is changed, one deleted, one made: the list as of the instant before is what it was, its count too.
UPDATE catalogue.tags SET name = 'brook' WHERE id = :'water';
SELECT resource FROM catalogue.delete('tags', :'health', admin());
SELECT make('tags', '{"name": "added"}') AS added \gset
SELECT count, names(l) FROM catalogue.list('tags', 'orderBy=name' || :'start') l;
SELECT count, names(l) FROM catalogue.list('tags', 'orderBy=name') l;

-- The reply names the version that was asked for.
SELECT '&version=' || version = :'start' AS same FROM catalogue.list('tags', 'limit=1' || :'start');

-- The default order, and pages of it, either way round.
SELECT names(catalogue.list('tags',
    :'start')) = string_agg(names(catalogue.list('tags', 'limit=1&skip=' || n || :'start')),
    ', ' ORDER BY n) AS same
FROM generate_series(0, (SELECT count FROM catalogue.list('tags', :'start')) - 1) n;
SELECT names(catalogue.list('tags', 'sort=DESC&limit=1' || :'start')) = (catalogue.last('tags',
    :'start')).data::json ->> 'name' AS same;
SELECT (catalogue.first('tags', 'orderBy=name' || :'start')).data::json ->> 'name' AS first,
       (catalogue.last('tags', 'orderBy=name' || :'start')).data::json ->> 'name' AS last;
SELECT (catalogue.first('tags', 'orderBy=name')).data::json ->> 'name' AS first,
       (catalogue.last('tags', 'orderBy=name')).data::json ->> 'name' AS last;

-- Counts, with filters and without.
SELECT (catalogue.count('tags', :'start')).data AS "then", (catalogue.count('tags')).data AS now;
SELECT (catalogue.count('tags', 'name=water' || :'start')).data AS "then",
       (catalogue.count('tags', 'name=water')).data AS now;

-- Filters compare what was: the old name is found then, the new one is not; deletedAt is null then.
SELECT q AS query, names(catalogue.list('tags', q || :'start')) AS "then", names(catalogue.list('tags', q)) AS now
FROM unnest('{name=water,name=brook,slug=water&match=EXACT,name=health,name=added,name[gte]=m&orderBy=name}'::text[]) q;

-- Items: the old state; a deleted record is there; one that was not made yet is not.
SELECT mask(data) AS data FROM catalogue.item('tags', :'water', 'fields=name,slug' || :'start');
SELECT mask(data) AS data FROM catalogue.item('tags', :'health', 'fields=name,deletedAt' || :'start');
SELECT code, message FROM refusal(format('SELECT catalogue.item(%L, %L, %L)', 'tags', :'added', :'start'));
SELECT code, message FROM refusal(format('SELECT catalogue.item(%L, %L)', 'tags', :'health'));

-- updatedAt is the old one too: every field is as it was.
SELECT (i.data::json ->> 'updatedAt')::timestamptz < t.updated_at AS earlier,
       i.data::json -> 'createdAt' #>> '{}' = (n.data::json ->> 'createdAt') AS created_the_same
FROM catalogue.item('tags', :'water', :'start') i, catalogue.item('tags', :'water') n, catalogue.tags t
WHERE t.id = :'water';

-- Links: a dataset loses one tag, gets another; its list of ids, the relation from both sides and the filters are as
-- they were.
SELECT make('tags', '{"name": "left"}') AS left, make('tags', '{"name": "right"}') AS right \gset
SELECT resource
FROM catalogue.update('datasets', :'airports', json_build_object('tags', ARRAY[:'left']), actor => admin());
SELECT '&version=' || version AS linked FROM catalogue.list('tags') \gset
SELECT resource
FROM catalogue.update('datasets', :'airports', json_build_object('tags', ARRAY[:'right', :'water']), actor => admin());
SELECT v AS version,
    replace(replace(replace(d.data::json ->> 'tags', :'left', 'left'), :'right', 'right'), :'water', 'water') AS ids,
    names(catalogue.related('datasets', :'airports', 'tags', q)) AS tags,
    names(catalogue.related('tags', :'left', 'datasets', q)) AS datasets_of_left,
    names(catalogue.related('tags', :'right', 'datasets', q)) AS datasets_of_right,
    names(catalogue.list('datasets', 'tags=' || :'left' || q)) AS by_id,
    names(catalogue.list('datasets', 'tags.slug=left' || q)) AS by_slug,
    (catalogue.count('datasets', 'tags.name=right' || q)).data AS count
FROM (VALUES (1, 'then', :'linked'), (2, 'now', '')) p(n, v, q),
    LATERAL catalogue.item('datasets', :'airports', 'fields=tags' || q) d
ORDER BY n;

-- Their order is part of the state.
SELECT '&version=' || version AS linked FROM catalogue.list('tags') \gset
SELECT resource
FROM catalogue.update('datasets', :'airports', json_build_object('tags', ARRAY[:'water', :'right']), actor => admin());
SELECT v AS version, replace(replace(d.data::json ->> 'tags', :'right', 'right'), :'water', 'water') AS ids
FROM (VALUES (1, 'then', :'linked'), (2, 'now', '')) p(n, v, q),
    LATERAL catalogue.item('datasets', :'airports', 'fields=tags' || q) d
ORDER BY n;

-- A tag that is deleted is gone from its dataset, now; then it was there.
SELECT '&version=' || version AS linked FROM catalogue.list('tags') \gset
SELECT resource FROM catalogue.delete('tags', :'right', admin());
SELECT v AS version, names(catalogue.related('datasets', :'airports', 'tags', q)) AS tags, mask(data) AS data
FROM (VALUES (1, 'then', :'linked'), (2, 'now', '')) p(n, v, q),
    LATERAL catalogue.list('datasets', 'name=Airports&fields=name&include=tags.name' || q)
ORDER BY n;

-- Links written in SQL leave history as well.
SELECT '&version=' || version AS linked FROM catalogue.list('tags') \gset
UPDATE catalogue.datasets_tags
SET deleted_at = now()
WHERE dataset = :'airports' AND tag = :'water' AND deleted_at IS NULL;
INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (:'airports', :'left');
SELECT v AS version, names(catalogue.related('datasets', :'airports', 'tags', q)) AS tags,
       names(catalogue.list('datasets', 'tags.name=left' || q)) AS datasets
FROM (VALUES (1, 'then', :'linked'), (2, 'now', '')) p(n, v, q)
ORDER BY n;

-- Embedded records are in their state of then, two levels deep; keys compare what was.
SELECT '&version=' || version AS before FROM catalogue.list('statuses') \gset
UPDATE catalogue.statuses SET name = 'Open to all' WHERE id = 'qWRhpRV';
UPDATE catalogue.datasets SET name = 'Aerodromes', status = 'nWRhpRV' WHERE id = :'airports';
UPDATE catalogue.tags SET name = 'renamed' WHERE id = :'left';
SELECT v AS version, mask(data) AS data
FROM (VALUES (1, 'then', :'before'), (2, 'now', '')) p(n, v, q),
    LATERAL catalogue.item('datasets', :'airports', 'fields=name&include=status.name,tags.name' || q)
ORDER BY n;
SELECT v AS version, mask(data) AS data
FROM (VALUES (1, 'then', :'before'), (2, 'now', '')) p(n, v, q),
    LATERAL catalogue.list('files', 'name=airports&fields=name&include=dataset.name,dataset.status.name' || q)
ORDER BY n;
SELECT v AS version, data::json -> 'status' ->> 'name' AS status
FROM (VALUES (1, 'then', :'before'), (2, 'now', '')) p(n, v, q),
    LATERAL catalogue.item('datasets', :'airports', substr(q, 2), 'embedded')
ORDER BY n;
SELECT v AS version, q AS query, names(catalogue.list('datasets', q || p)) AS datasets
FROM (VALUES (1, 'then', :'before'), (2, 'now', '')) p(n, v, p),
    unnest('{status.name=Published,status.name=Open to all,status=nWRhpRV,"orderBy=status.name,name"}'::text[]) q
ORDER BY q, n;
SELECT v AS version, names(catalogue.list('files', 'dataset.name=airports' || q)) AS files,
       names(catalogue.list('files', 'dataset.tags.name=left' || q)) AS by_tag,
       mask((catalogue.related('datasets', :'airports', 'status', 'fields=name' || q)).data) AS status
FROM (VALUES (1, 'then', :'before'), (2, 'now', '')) p(n, v, q) ORDER BY n;
SELECT v AS version, (catalogue.count('statuses', 'datasets.name=Airports' || q)).data AS statuses,
       names(catalogue.related('statuses', 'qWRhpRV', 'datasets', 'orderBy=name' || q)) AS published
FROM (VALUES (1, 'then', :'before'), (2, 'now', '')) p(n, v, q)
ORDER BY n;

-- A dataset goes with its files, and comes back: three versions, each as it was.
SELECT '&version=' || version AS before FROM catalogue.list('files') \gset
SELECT resource FROM catalogue.delete('datasets', :'quality', admin());
SELECT '&version=' || version AS without FROM catalogue.list('files') \gset
SELECT resource FROM catalogue.restore('datasets', :'quality', actor => admin());
SELECT v AS version, names(catalogue.list('datasets', 'name=air quality' || q)) AS dataset,
       (catalogue.count('files', 'dataset=' || :'quality' || q)).data AS files
FROM (VALUES (1, 'before', :'before'), (2, 'without', :'without'), (3, 'restored', '')) p(n, v, q)
ORDER BY n;
SELECT names(catalogue.related('datasets', :'quality', 'files', :'before')) AS files;
SELECT code, message
FROM refusal(format('SELECT catalogue.related(%L, %L, %L, %L)', 'datasets', :'quality', 'files', :'without'));

-- What outsiders saw then they see no more: a category that is deactivated now.
SELECT '&version=' || version AS before FROM catalogue.list('categories') \gset
SELECT resource FROM catalogue.deactivate('categories', id_of('categories', 'Transport'), actor => admin());
SELECT v AS version, names(catalogue.list('categories', 'name=Transport&match=EXACT' || q, actor => '{}')) AS outsiders
FROM (VALUES (1, 'then', :'before'), (2, 'now', '')) p(n, v, q)
ORDER BY n;

-- Changes of one transaction appear together: before it none, after it all; the states between were nobody's.
SELECT '&version=' || version AS before FROM catalogue.list('tags') \gset
BEGIN;
UPDATE catalogue.tags SET name = 'first' WHERE id = :'water';
SELECT pg_sleep(0.01) \g /dev/null
UPDATE catalogue.tags SET name = 'second' WHERE id = :'water';
UPDATE catalogue.tags SET name = 'companion' WHERE id = :'added';
COMMIT;
SELECT '&version=' || version AS after FROM catalogue.list('tags') \gset
SELECT v AS version, names(catalogue.list('tags', format('id=%s,%s', :'water', :'added') || q)) AS tags
FROM (VALUES (1, 'before', :'before'), (2, 'after', :'after'), (3, 'now', '')) p(n, v, q)
ORDER BY n;

-- What was rolled back never was; neither was what a savepoint took back.
BEGIN;
UPDATE catalogue.tags SET name = 'never' WHERE id = :'water';
ROLLBACK;
BEGIN;
UPDATE catalogue.tags SET name = 'outer' WHERE id = :'added';
SAVEPOINT here;
UPDATE catalogue.tags SET name = 'inner' WHERE id = :'water';
ROLLBACK TO SAVEPOINT here;
COMMIT;
SELECT names(catalogue.list('tags', format('id=%s,%s', :'water', :'added') || :'after')) AS "then",
       names(catalogue.list('tags', format('id=%s,%s', :'water', :'added'))) AS now;

-- The states of a record, newest first; one of each transaction that changed it.
UPDATE catalogue.tags SET name = 'Second' WHERE id = :'water';
SELECT * FROM states('tags', :'water');
SELECT * FROM states('tags', :'added');

-- Each version shows that state, the instant before it the one before; the newest is the present.
SELECT n, r ->> 'name' AS listed,
    (catalogue.item('tags', :'water', 'version=' || (r ->> 'version'))).data::json ->> 'name' AS shown,
    (SELECT data::json ->> 'name'
     FROM catalogue.item('tags', :'water',
         'version='
         || to_char((r ->> 'version')::timestamptz - interval '1 microsecond',
             'YYYY-MM-DD"T"HH24:MI:SS.USZ'))) AS before
FROM catalogue.versions('tags', :'water') v, json_array_elements(v.data::json) WITH ORDINALITY e(r, n)
WHERE n < 3
ORDER BY n;
SELECT (v.data::jsonb -> 0) - 'version' = i.data::jsonb AS same
FROM catalogue.versions('tags', :'water') v, catalogue.item('tags', :'water') i;

-- A list with its numbers: pages, fields.
SELECT resource, count, "limit", skip, returned, names(v)
FROM catalogue.versions('tags', :'water', 'limit=1&skip=1&fields=name') v;

-- A change of links is a state of the dataset.
SELECT n, value FROM states('datasets', :'airports') WHERE n < 3;
SELECT count(DISTINCT r ->> 'tags') > 3 AS lists_of_tags
FROM catalogue.versions('datasets', :'airports') v, json_array_elements(v.data::json) r;

-- A deleted record: as the item, 404; restored, its states are those before and after.
SELECT code, message FROM refusal(format('SELECT catalogue.versions(%L, %L)', 'tags', :'health'));
SELECT resource FROM catalogue.restore('tags', :'health', actor => admin());
SELECT n, value FROM states('tags', :'health');

-- Secrets are in no state.
UPDATE catalogue.users SET password = 'another good password', first_name = 'Second' WHERE username = 'guest';
SELECT DISTINCT k
FROM catalogue.versions('users', id_of('users', 'guest')) v, json_array_elements(v.data::json) r, json_object_keys(r) k
WHERE k ~* 'password|secret|token';
SELECT code, message
FROM refusal(format('SELECT catalogue.versions(%L, %L, %L, %L)', 'tags', :'water', '', '{"user": "nobody"}'));

-- An unknown resource or record; what has no history of its own.
SELECT code, message FROM refusal($$SELECT catalogue.versions('planets', 'nothing')$$);
SELECT code, message FROM refusal($$SELECT catalogue.versions('tags', 'nothing')$$);
SELECT code, message FROM refusal($$SELECT catalogue.versions('tags', NULL)$$);

-- One instant, written in several ways.
SELECT count(DISTINCT names(catalogue.list('tags', 'orderBy=name&version=' || v))) AS answers,
       min(names(catalogue.list('tags', 'orderBy=name&version=' || v))) = names(catalogue.list('tags',
           'orderBy=name' || :'start')) AS right_one
FROM (SELECT substr(:'start', 10)::timestamptz AS i) s,
    unnest(ARRAY[to_char(i, 'YYYY-MM-DD"T"HH24:MI:SS.USZ'),
        to_char(i + interval '2 hours', 'YYYY-MM-DD"T"HH24:MI:SS.US"%2B02:00"'),
        to_char(i - interval '5 hours', 'YYYY-MM-DD"T"HH24:MI:SS.US"-05:00"')]) v;

-- What is no instant, and what is to come: 422.
SELECT q AS query, code, message, hint
FROM unnest(
    '{version=yesterday,version=,version=12,version=2999-01-01T00:00:00Z,version=2026-02-30T00:00:00Z,version=infinity,
        version=-infinity,version=now}'::text[]) WITH ORDINALITY e(q,
    n),
    LATERAL refusal(format('SELECT catalogue.list(%L, %L)', 'tags', q))
ORDER BY n;
SELECT mask(c) AS call, code
FROM unnest(ARRAY[format('catalogue.count(%L, %L)', 'tags', 'version=2999-01-01T00:00:00Z'),
    format('catalogue.item(%L, %L, %L)', 'tags', :'water', 'version=2999-01-01T00:00:00Z'),
    format('catalogue.related(%L, %L, %L, %L)', 'datasets', :'airports', 'tags', 'version=2999-01-01T00:00:00Z'),
    format('catalogue.first(%L, %L)', 'tags', 'version=2999-01-01T00:00:00Z')]) WITH ORDINALITY e(c,
    n),
    LATERAL refusal('SELECT ' || c)
ORDER BY n;

-- Older than what history keeps: 422, on every call.
SELECT code, message, hint FROM refusal($$SELECT catalogue.list('tags', 'version=2001-01-01T00:00:00Z')$$);
SHOW catalogue.history_retention;
SET catalogue.history_retention = '1 ms';
SELECT code, mask(message) AS message, hint
FROM refusal(format('SELECT catalogue.list(%L, %L)', 'tags', substr(:'start', 2)));
SELECT code FROM refusal(format('SELECT catalogue.count(%L, %L)', 'tags', substr(:'start', 2)));
SELECT code FROM refusal(format('SELECT catalogue.item(%L, %L, %L)', 'tags', :'water', substr(:'start', 2)));
RESET catalogue.history_retention;

-- The setting is an interval.
SET catalogue.history_retention = 'long';
SET catalogue.history_retention = '-1 day';

-- Pruning keeps what the setting asks for: nothing that may be asked for changes.
SELECT catalogue.prune() IS NOT NULL AS pruned;
SELECT names(catalogue.list('tags', 'orderBy=name' || :'start')) AS tags;

-- Kept for no time at all, history is gone; it stays gone when the setting is greater again: 422, not a wrong page.
SET catalogue.history_retention = '0';
SELECT catalogue.prune() IS NOT NULL AS pruned;
RESET catalogue.history_retention;
SELECT code FROM refusal(format('SELECT catalogue.list(%L, %L)', 'tags', substr(:'start', 2)));
SELECT code FROM refusal(format('SELECT catalogue.item(%L, %L, %L)', 'tags', :'water', substr(:'start', 2)));

-- The present is untouched, and has one state; what changes from here on has history again.
SELECT names(catalogue.list('tags', 'orderBy=name')) AS tags;
SELECT n, value FROM states('tags', :'water');
SELECT '&version=' || version AS fresh FROM catalogue.list('tags') \gset
UPDATE catalogue.tags SET name = 'third' WHERE id = :'water';
SELECT mask((catalogue.item('tags', :'water', 'fields=name' || :'fresh')).data) AS "then",
       mask((catalogue.item('tags', :'water', 'fields=name')).data) AS now;
SELECT n, value FROM states('tags', :'water');
