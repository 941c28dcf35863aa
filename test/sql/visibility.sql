--
-- visibility: what outsiders see, in whichever way they ask
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT catalogue.add_consumer('Portal', id => 'portal') AS consumer;

UPDATE catalogue.users SET active = true;
-- Of everything that can be hidden something is: not published, not visible, of what is hidden, deactivated, deleted.
-- Not active hides nothing.
SELECT make_dataset('hidden dataset') AS dataset \gset
SELECT make_file('hidden file', 'hidden dataset') AS file \gset
SELECT make_chart('hidden chart', 'hidden file') AS chart \gset
SELECT make_map('hidden map', 'hidden file') AS map \gset
UPDATE catalogue.files
SET status = 'pWRhpRV', dataset = id_of('datasets', 'Airports')
WHERE id = (SELECT id FROM catalogue.files WHERE deleted_at IS NULL AND status = 'qWRhpRV' ORDER BY id LIMIT 1);
SELECT make_dataset('open dataset') AS open \gset
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE name IN ('open dataset', 'hidden dataset');
SELECT make_file('open file', 'open dataset') AS open_file,
       make_file('unseen file', 'open dataset') AS unseen_file \gset
UPDATE catalogue.files SET status = 'qWRhpRV' WHERE name IN ('open file', 'unseen file', 'hidden file');
SELECT make_chart('open chart', 'open file') AS open_chart, make_map('open map', 'open file') AS open_map,
       make_chart('unseen chart', 'unseen file') AS unseen_chart,
       make('charts', '{"name": "linked chart", "link": "https://charts.example/1"}') AS linked_chart \gset
UPDATE catalogue.charts SET status = 'qWRhpRV';
UPDATE catalogue.maps SET status = 'qWRhpRV';
UPDATE catalogue.files SET visible = false WHERE id = :'unseen_file';
UPDATE catalogue.datasets SET visible = false WHERE id = :'dataset';
UPDATE catalogue.categories SET active = false WHERE name = 'Roads';
UPDATE catalogue.organizations SET active = NULL WHERE name = 'Statistics Office';
SELECT mask(id) AS id FROM catalogue.deactivate('categories', id_of('categories', 'Transport'), actor => admin());
SELECT mask(id) AS id
FROM catalogue.deactivate('organizations', id_of('organizations', 'Open Data Office'), actor => admin());
SELECT mask(id) AS id FROM catalogue.deactivate('filetypes', id_of('filetypes', 'csv'), actor => admin());
UPDATE catalogue.basemaps SET deactivated_at = now() WHERE name = 'OpenStreetMap';
SELECT mask(id) AS id FROM catalogue.delete('tags', id_of('tags', 'water'), admin());
SELECT mask(id) AS id
FROM catalogue.delete('maps', (SELECT id FROM catalogue.maps WHERE status = 'qWRhpRV' ORDER BY id LIMIT 1), admin());

-- Every record there is, and who sees it: told here in another way than catalogue.resource.shown does.
CREATE FUNCTION records(one text DEFAULT NULL)
    RETURNS TABLE (resource text, id text, name text, lives boolean, internal boolean, outsiders boolean)
    LANGUAGE plpgsql AS
$$
DECLARE
    r  text;
BEGIN
    FOR r IN SELECT d.resource
        FROM catalogue.resource d
        WHERE d.resource NOT IN ('logs', 'statistics') AND d.resource = coalesce(one, d.resource) LOOP
        RETURN QUERY
            EXECUTE format(
                'SELECT %L::text, t.id::text, coalesce(to_jsonb(t) ->> ''name'', to_jsonb(t) ->> ''key'', to_jsonb(t) '
                '->> ''username''), t.deleted_at IS NULL, t.deleted_at IS NULL AND %s, '
                't.deleted_at IS NULL AND %s FROM catalogue.%I t',
            r,
            CASE WHEN r = 'configs' THEN 'NOT t.secret' ELSE 'true' END,
            CASE WHEN r IN ('datasets', 'files') THEN 't.status = ''qWRhpRV'' AND coalesce(t.visible, true)'
                 || CASE r
                     WHEN 'files'
                     THEN ' AND t.dataset IN (SELECT o.id FROM test.records(''datasets'') o WHERE o.outsiders)'
                     ELSE '' END
                 WHEN r IN ('charts', 'maps')
                     THEN
                         't.status = ''qWRhpRV'' AND (t.file IS NULL OR t.file IN (SELECT o.id FROM '
                         'test.records(''files'') o WHERE o.outsiders))'
                 WHEN r IN ('categories', 'organizations', 'filetypes', 'basemaps') THEN 't.deactivated_at IS NULL'
                 WHEN r = 'configs' THEN 'NOT t.secret'
                 WHEN r IN ('users', 'rules', 'soapservices', 'restservices', 'databases', 'datasetrequests',
                     'questions')
                     THEN 'false'
                     ELSE 'true' END,
                     r);
    END LOOP;
END
$$;
CREATE TABLE every AS SELECT * FROM records();
CREATE TABLE relations AS SELECT resource, relation, kind, target FROM catalogue.relation;
CREATE TABLE searched AS SELECT resource, searchable <> '{}' AS searched FROM catalogue.resource;
SELECT count(*), count(*) FILTER (WHERE lives) AS lives, count(*) FILTER (WHERE internal) AS internal,
       count(*) FILTER (WHERE outsiders) AS outsiders
FROM every;

-- The ways in which a record is found.
CREATE FUNCTION has(data text, id text) RETURNS boolean
    LANGUAGE sql IMMUTABLE AS $$ SELECT data LIKE '%"id":"' || id || '"%' $$;
CREATE FUNCTION tries(statement text, id text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    found  boolean;
BEGIN
    EXECUTE 'SELECT bool_or(test.has((r).data, $1)) FROM ' || statement || ' r' INTO found USING id;
    RETURN coalesce(found, false);
EXCEPTION WHEN SQLSTATE 'OD404' OR SQLSTATE 'OD422' OR SQLSTATE 'OD400' THEN
    RETURN false;
END
$$;
CREATE FUNCTION ways(e every, actor jsonb) RETURNS TABLE (way text, statement text) LANGUAGE sql AS
$$
    SELECT w.way, format(w.form, e.resource, w.query, actor, e.id) FROM (VALUES
        ('list', 'catalogue.list(%1$L, %2$L, actor => %3$L)', 'limit=10000'),
        ('ordered', 'catalogue.list(%1$L, %2$L, actor => %3$L)', 'limit=10000&orderBy=updatedAt'),
        ('filter', 'catalogue.list(%1$L, %2$L, actor => %3$L)', 'id=' || e.id),
        ('embedded', 'catalogue.list(%1$L, %2$L, ''embedded'', actor => %3$L)', 'limit=10000'),
        ('item', 'catalogue.item(%1$L, %4$L, actor => %3$L)', ''),
        ('first', 'catalogue.first(%1$L, %2$L, actor => %3$L)', 'id=' || e.id),
        ('last', 'catalogue.last(%1$L, %2$L, actor => %3$L)', 'id=' || e.id),
        ('versions', 'catalogue.versions(%1$L, %4$L, actor => %3$L)', ''),
        ('export', 'catalogue.export(%1$L, query => %2$L, actor => %3$L, format => ''ndjson'')', 'limit=10000')) w(way,
        form, query)
    UNION ALL
    SELECT w.way,
           format(w.form, e.resource,
               'match=EXACT&query=' || replace(replace(e.name, '.', ''), ' ', '+') || '&limit=10000', actor)
    FROM (VALUES ('query', 'catalogue.list(%1$L, %2$L, actor => %3$L)'),
        ('search', 'catalogue.search(%2$L, actor => %3$L)')) w(way, form)
    WHERE e.name IS NOT NULL AND (SELECT searched FROM searched s WHERE s.resource = e.resource)
$$;
CREATE FUNCTION roundabout(e every, actor jsonb) RETURNS TABLE (way text, statement text) LANGUAGE sql AS
$$
    SELECT 'include ' || r.resource || '.' || r.relation,
           format('catalogue.list(%L, %L, actor => %L)', r.resource, 'limit=10000&include=' || r.relation, actor)
    FROM relations r
    WHERE r.target = e.resource
    UNION ALL
    SELECT 'related ' || r.resource || '.' || r.relation,
           format('catalogue.related(%L, %L, %L, %L, actor => %L)', r.resource, o.id, r.relation, 'limit=10000', actor)
    FROM relations r JOIN every o ON o.resource = r.resource
    WHERE r.target = e.resource
$$;

-- A record is found in all direct ways by who sees it, and in none by others; read as of now, and as of then.
CREATE TABLE asked AS SELECT 'outsider' AS who, '{}'::jsonb AS actor
    UNION ALL SELECT 'consumer', '{"consumer": "portal"}'
    UNION ALL SELECT 'guest', actor('guest')
    UNION ALL SELECT 'admin', admin();
CREATE FUNCTION sees(who text, e every) RETURNS boolean
    LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE who WHEN 'admin' THEN e.lives WHEN 'guest' THEN e.internal ELSE e.outsiders END
    $$;
SELECT a.who, sees(a.who, e) AS sees, count(*) AS ways
FROM asked a, every e, ways(e, a.actor) w
GROUP BY 1, 2
ORDER BY 1, 2;
SELECT a.who, e.resource, e.name, w.way, sees(a.who, e) AS sees
FROM asked a, every e, ways(e, a.actor) w
WHERE tries(w.statement, e.id) <> sees(a.who, e)
ORDER BY 1, 2, 3, 4;

-- Nor by the way over another record.
SELECT a.who, e.resource, e.name, w.way
FROM asked a, every e, roundabout(e, a.actor) w
WHERE a.who IN ('outsider', 'guest') AND NOT sees(a.who, e) AND tries(w.statement, e.id)
ORDER BY 1, 2, 3, 4;

-- Numbers are those of what is seen, and those that are kept are exact.
CREATE FUNCTION number(resource text, query text, actor jsonb) RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
    RETURN (catalogue.count(resource, query, actor)).data::json ->> 'count';
EXCEPTION WHEN SQLSTATE 'OD404' THEN
    RETURN 0;
END
$$;
SELECT a.who, e.resource, q AS query, number(e.resource, q, a.actor), count(*) FILTER (WHERE sees(a.who, e)) AS expected
FROM asked a, every e, unnest('{"",id[ne]=x}'::text[]) q
GROUP BY a.who, a.actor, e.resource, q HAVING number(e.resource, q, a.actor) <> count(*) FILTER (WHERE sees(a.who, e));

-- They stay exact through all that changes what is seen.
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id = :'dataset';
SELECT number('datasets', '', '{}') AS kept, number('datasets', 'id[ne]=x', '{}') AS counted;
SELECT mask(id) AS id FROM catalogue.act('datasets', :'dataset', 'unpublish', actor => admin());
SELECT mask(id) AS id FROM catalogue.delete('datasets', :'dataset', admin());
SELECT mask(id) AS id FROM catalogue.restore('categories', id_of('categories', 'Transport'), actor => admin());
SELECT mask(id) AS id FROM catalogue.restore('datasets', :'dataset', actor => admin());
SELECT r, number(r, '', '{}') AS kept, number(r, 'id[ne]=x', '{}') AS counted
FROM unnest('{datasets,files,categories,organizations,filetypes,basemaps,configs,tags}'::text[]) r;
SELECT catalogue.recount('datasets'), number('datasets', '', '{}') AS kept;
-- As of an instant, too.
SELECT (SELECT version FROM catalogue.list('datasets', actor => '{}')) AS version \gset
SELECT mask(id) AS id FROM catalogue.act('datasets', id_of('datasets', 'Airports'), 'unpublish', actor => admin());
SELECT number('datasets', '', '{}') AS now, number('datasets', 'version=' || :'version', '{}') AS "then",
       (SELECT count FROM catalogue.list('datasets', 'id[ne]=x&version=' || :'version', actor => '{}')) AS counted;

--
-- Links: what a record refers to is not among its relations where it is not seen, and its tag is another one
--
SELECT id AS item, r.relations AS outsider, i.relations AS internal
FROM (SELECT id AS file FROM catalogue.files WHERE status = 'qWRhpRV' AND deleted_at IS NULL ORDER BY id LIMIT 1) f,
    LATERAL catalogue.item('files', file, actor => '{}') r,
    LATERAL (SELECT j.relations FROM catalogue.item('files', file, actor => admin()) j) i \gset
SELECT :'outsider' AS outsider, :'internal' AS internal;
SELECT etag AS before FROM catalogue.item('files', :'item', actor => '{}') \gset
SELECT mask(id) AS id
FROM catalogue.restore('organizations', id_of('organizations', 'Open Data Office'), actor => admin());
SELECT relations, etag <> :'before' AS "another tag" FROM catalogue.item('files', :'item', actor => '{}');
-- The tag of a list is that of who sees so much.
SELECT count(DISTINCT etag) AS tags FROM asked a, catalogue.list('configs', actor => a.actor) WHERE a.who <> 'consumer';

--
-- Hidden fields behave as one that there is not
--
CREATE TABLE hidden AS
SELECT resource, field
FROM catalogue.field f
WHERE f.internal OR f.hidden
UNION ALL SELECT resource, relation
FROM relations
WHERE target IN ('users', 'rules', 'logs', 'soapservices', 'restservices', 'databases', 'datasetrequests',
    'questions')
    AND kind <> 'to-one';
CREATE FUNCTION answer(resource text, query text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    RETURN (SELECT concat(data, count, ignored) FROM catalogue.list(resource, query, actor => '{}'));
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
SELECT count(*) AS fields FROM hidden;
SELECT h.resource, form AS query, answer(h.resource, format(form, h.field)), answer(h.resource, format(form, 'nothing'))
FROM hidden h
    JOIN catalogue.resource r USING (resource),
        unnest(
            '{%s=a,%s[gte]=a,%s=null,%s.id=a,%s.password=a&match=BEGINS,orderBy=%s,orderBy=%s.password,"fields=id,%s",
                fields=%s.id,include=%s,include=%s.password}'::text[]) form
WHERE r.shown -> 'outsiders' IS DISTINCT FROM 'false'
    AND replace(answer(h.resource, format(form, h.field)), h.field, 'nothing') <> answer(h.resource,
        format(form, 'nothing'));
-- Through the names of others as well, as far as they go.
SELECT r.resource, r.relation, h.field, form AS query
FROM relations r
    JOIN hidden h ON h.resource = r.target
    JOIN catalogue.resource d ON d.resource = r.resource,
        unnest('{%s.%s=a,orderBy=%s.%s,fields=%s.%s,include=%s.%s}'::text[]) form
WHERE d.shown -> 'outsiders' IS DISTINCT FROM 'false'
    AND replace(answer(r.resource, format(form, r.relation, h.field)), '.' || h.field, '.nothing') <> answer(r.resource,
        format(form, r.relation, 'nothing'));
