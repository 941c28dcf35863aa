--
-- secret_versions: what was unpublished, deleted, deactivated or made secret is in no earlier version for those who do
-- not
-- see it today
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
-- Basemaps are deactivated where the operator exposes them to be written.
SELECT catalogue.expose('basemaps', 'Basemap', searchable => '{name}', unique_living => '{name}',
    actions => '{deactivate}');
UPDATE catalogue.users SET active = true;
-- as the shim has it
SET jit = off;

-- A dataset with all that goes with it, published; in its contents a word of its own.
SELECT make('tags', '{"name": "marsh"}') AS tag \gset
SELECT make('categories', '{"name": "Marshes", "color": "00ff00", "active": true}') AS category \gset
SELECT make('organizations', '{"name": "Marsh Office", "active": true}') AS organization \gset
SELECT make_dataset('Marshland') AS dataset \gset
SELECT id
FROM catalogue.update('datasets', :'dataset',
    json_build_object('tags', :'tag', 'categories', :'category', 'description', 'reeds'), actor => admin()) \gset marsh_
SELECT make_file('Marsh levels', 'Marshland') AS file \gset
SELECT id
FROM catalogue.update('files', :'file', json_build_object('organization', :'organization'),
    actor => admin()) \gset marsh_
SELECT catalogue.contents_load(:'file', '[["place"],["Bittern"]]') > 0 AS loaded;
SELECT make_chart('Marsh chart', 'Marsh levels') AS chart \gset
SELECT make_map('Marsh map', 'Marsh levels') AS map \gset
SELECT make('configs',
    '{"key": "marshKey", "value": "heron", "type": "string", "description": "Bird",
        "category": "site"}') AS config \gset
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id = :'dataset';
UPDATE catalogue.files SET status = 'qWRhpRV' WHERE id = :'file';
UPDATE catalogue.charts SET status = 'qWRhpRV' WHERE id = :'chart';
UPDATE catalogue.maps SET status = 'qWRhpRV' WHERE id = :'map';

-- The records that are looked for, and the ways in which each can be found.
CREATE TABLE looked_for (resource text, id text, name text);
INSERT INTO looked_for
    VALUES ('datasets', :'dataset', 'Marshland'), ('files', :'file', 'Marsh levels'),
        ('charts', :'chart', 'Marsh chart'), ('maps', :'map', 'Marsh map'),
    ('tags', :'tag', 'marsh'), ('categories', :'category', 'Marshes'),
    ('organizations', :'organization', 'Marsh Office'),
    ('filetypes', id_of('filetypes', 'csv'), 'csv'), ('basemaps', id_of('basemaps', 'OpenStreetMap'), 'OpenStreetMap'),
    ('configs', :'config', 'marshKey');
CREATE TABLE relations AS SELECT resource, relation, kind, target FROM catalogue.relation;
CREATE TABLE asked AS SELECT *
    FROM (VALUES (1, 'outsider', '{}'::jsonb), (2, 'guest', actor('guest')), (3, 'superadmin', admin())) a(n, who,
        actor);
CREATE FUNCTION ways(l looked_for, actor jsonb, version text) RETURNS TABLE (way text, statement text, found text)
    LANGUAGE sql AS
$$
    SELECT w.way, format('SELECT r.data FROM ' || w.form || ' r', l.resource, w.query || version, actor, l.id),
           '"id":"' || l.id || '"'
    FROM (VALUES
        ('list', 'catalogue.list(%1$L, %2$L, actor => %3$L)', 'limit=10000'),
        ('backwards', 'catalogue.list(%1$L, %2$L, actor => %3$L)', 'limit=10000&sort=DESC'),
        ('ordered', 'catalogue.list(%1$L, %2$L, actor => %3$L)', 'limit=10000&orderBy=updatedAt'),
        ('filter', 'catalogue.list(%1$L, %2$L, actor => %3$L)', 'id=' || l.id),
        ('range', 'catalogue.list(%1$L, %2$L, actor => %3$L)', 'limit=10000&createdAt[gt]=2000-01-01'),
        ('embedded', 'catalogue.list(%1$L, %2$L, ''embedded'', actor => %3$L)', 'limit=10000'),
        ('item', 'catalogue.item(%1$L, %4$L, %2$L, actor => %3$L)', ''),
        ('fields', 'catalogue.item(%1$L, %4$L, %2$L, actor => %3$L)',
            'fields=updatedAt&include='
            || coalesce((SELECT min(r.relation)
                         FROM relations r
                         WHERE r.resource = l.resource AND r.target IN (SELECT resource FROM looked_for)),
                '')),
        ('items',
            '(SELECT encode(i, ''escape'') AS data FROM catalogue.items(%1$L, ARRAY[%4$L], %2$L, actor => %3$L) i)',
            ''),
        ('first', 'catalogue.first(%1$L, %2$L, actor => %3$L)', 'id=' || l.id),
        ('last', 'catalogue.last(%1$L, %2$L, actor => %3$L)', 'id=' || l.id),
        ('count',
            '(SELECT CASE WHEN data <> ''{"count":0}'' THEN ''"id":"%4$s"'' END AS data FROM '
            'catalogue.count(%1$L, %2$L, actor => %3$L))',
            'id=' || l.id),
        ('csv',
            '(SELECT ''"id":"'' || substring(data FROM %4$L) || ''"'' AS data FROM catalogue.export(%1$L, query => '
            '%2$L, actor => %3$L, format => ''csv''))',
            'limit=10000'),
        ('export', 'catalogue.export(%1$L, query => %2$L, actor => %3$L, format => ''ndjson'')', 'limit=10000')) w(way,
        form, query)
    UNION ALL
    SELECT w.way,
           format('SELECT r.data FROM ' || w.form || ' r', l.resource,
               'match=EXACT&limit=10000&query=' || replace(l.name, ' ', '+') || version, actor),
           '"id":"' || l.id || '"'
    FROM (VALUES ('query', 'catalogue.list(%1$L, %2$L, actor => %3$L)'),
        ('search', 'catalogue.search(%2$L, actor => %3$L)')) w(way, form)
    UNION ALL
    SELECT w.way, format('SELECT r.data FROM ' || w.form || '(%L, %L, actor => %L) r', l.id, substr(version, 2), actor),
           w.found
    FROM (VALUES ('contents', 'catalogue.contents_page', 'Bittern'), ('columns', 'catalogue.contents_columns', 'place'),
        ('schema', 'catalogue.contents_schema', 'place'), ('sheets', 'catalogue.contents_sheets', '"rows":1'),
        ('rows', 'catalogue.contents_export', 'Bittern')) w(way, form, found)
    WHERE l.resource = 'files'
    UNION ALL
    SELECT 'feed', format('SELECT r.data FROM catalogue.feed(%L, actor => %L) r', substr(version, 2), actor), l.id
    WHERE l.resource = 'datasets' AND actor = '{}'
$$;
-- Over another record: found where that one is.
CREATE FUNCTION roundabout(l looked_for, actor jsonb, version text) RETURNS TABLE (way text, statement text, found text)
    LANGUAGE sql AS
$$
    SELECT 'include ' || r.resource || '.' || r.relation,
           format('SELECT r.data FROM catalogue.list(%L, %L, actor => %L) r', r.resource,
               'limit=10000&include=' || r.relation || version, actor),
           '"id":"' || l.id || '"'
    FROM relations r
    WHERE r.target = l.resource
    UNION ALL
    SELECT 'related ' || r.resource || '.' || r.relation,
           format('SELECT r.data FROM catalogue.related(%L, %L, %L, %L, actor => %L) r', r.resource, o.id, r.relation,
               'limit=10000' || version, actor),
           '"id":"' || l.id || '"'
    FROM relations r JOIN looked_for o ON o.resource = r.resource
    WHERE r.target = l.resource
    UNION ALL
    SELECT 'dotted ' || r.resource || '.' || r.relation,
           format('SELECT r.data FROM catalogue.list(%L, %L, actor => %L) r', r.resource,
               format('limit=10000&%s.name=%s&match=EXACT', r.relation, replace(l.name, ' ', '+')) || version, actor),
           '"id":"'
    FROM relations r
    WHERE r.target = l.resource AND l.resource <> 'configs'
    UNION ALL
    SELECT 'ids ' || r.resource || '.' || r.relation,
           format('SELECT r.data FROM catalogue.list(%L, %L, actor => %L) r', r.resource,
               format('limit=10000&%s=%s', r.relation, l.id) || version, actor),
           '"id":"'
    FROM relations r
    WHERE r.target = l.resource AND r.kind <> 'to-one'
    UNION ALL
    SELECT 'listed',
           format('SELECT r.data FROM catalogue.list(''datasets'', %L, actor => %L) r',
               'limit=10000&fields=tags' || version, actor),
           '"' || l.id || '"'
    WHERE l.resource = 'tags'
$$;
CREATE FUNCTION finds(statement text, word text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    any_found  boolean;
BEGIN
    EXECUTE format('SELECT bool_or(position(%L IN s.data) > 0) FROM (%s) s(data)', word, statement) INTO any_found;
    RETURN coalesce(any_found, false);
EXCEPTION WHEN SQLSTATE 'OD404' THEN
    RETURN false;
END
$$;
-- all, none, or the names of the ways that find the record.
CREATE FUNCTION summary(l looked_for, actor jsonb, version text) RETURNS text LANGUAGE sql AS
$$
    SELECT CASE WHEN bool_and(f.finds) THEN 'all' WHEN NOT bool_or(f.finds) THEN 'none'
        ELSE string_agg(f.way, ', ' ORDER BY f.way) FILTER (WHERE f.finds) END
    FROM (SELECT w.way, finds(w.statement, w.found) FROM ways(l, actor, version) w) f
$$;
CREATE FUNCTION around(l looked_for, actor jsonb, version text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(f.way, ', ' ORDER BY f.way)
    FROM (SELECT w.way, finds(w.statement, w.found) FROM roundabout(l, actor, version) w) f
    WHERE f.finds
$$;

-- Each way to take something down, and back; which other records go along.
CREATE TABLE steps AS SELECT * FROM (VALUES
    ('datasets', 'unpublish', '{files,charts,maps}', 'SELECT catalogue.act(%L, %L, ''unpublish'', actor => admin())',
        'publish'),
    ('files', 'unpublish', '{charts,maps}', 'SELECT catalogue.act(%L, %L, ''unpublish'', actor => admin())', 'publish'),
    ('maps', 'unpublish', '{}', 'SELECT catalogue.act(%L, %L, ''unpublish'', actor => admin())', 'publish'),
    ('datasets', 'visible: false', '{files,charts,maps}',
        'SELECT catalogue.update(%L, %L, ''{"visible": false}'', actor => admin())',
        'SELECT catalogue.update(%L, %L, ''{"visible": true}'', actor => admin())'),
    ('files', 'visible: false', '{charts,maps}',
        'SELECT catalogue.update(%L, %L, ''{"visible": false}'', actor => admin())',
        'SELECT catalogue.update(%L, %L, ''{"visible": true}'', actor => admin())'),
    ('datasets', 'status by SQL', '{files,charts,maps}', 'UPDATE catalogue.%I SET status = ''nWRhpRV'' WHERE id = %L',
        'publish'),
    ('datasets', 'delete', '{files,charts,maps}', 'SELECT catalogue.delete(%L, %L, admin())',
        'SELECT catalogue.restore(%L, %L, actor => admin())'),
    ('files', 'delete', '{charts,maps}', 'SELECT catalogue.delete(%L, %L, admin())',
        'SELECT catalogue.restore(%L, %L, actor => admin())'),
    ('maps', 'delete', '{}', 'SELECT catalogue.delete(%L, %L, admin())',
        'SELECT catalogue.restore(%L, %L, actor => admin())'),
    ('tags', 'delete', '{}', 'SELECT catalogue.delete(%L, %L, admin())',
        'SELECT catalogue.restore(%L, %L, actor => admin())'),
    ('configs', 'delete', '{}', 'SELECT catalogue.delete(%L, %L, admin())',
        'SELECT catalogue.restore(%L, %L, actor => admin())'),
    ('categories', 'deactivate', '{}', 'SELECT catalogue.deactivate(%L, %L, actor => admin())',
        'SELECT catalogue.restore(%L, %L, actor => admin())'),
    ('organizations', 'deactivate', '{}', 'SELECT catalogue.deactivate(%L, %L, actor => admin())',
        'SELECT catalogue.restore(%L, %L, actor => admin())'),
    ('filetypes', 'deactivate', '{}', 'SELECT catalogue.deactivate(%L, %L, actor => admin())',
        'SELECT catalogue.restore(%L, %L, actor => admin())'),
    ('basemaps', 'deactivate by SQL', '{}', 'UPDATE catalogue.%I SET deactivated_at = now() WHERE id = %L',
        'UPDATE catalogue.%I SET deactivated_at = NULL WHERE id = %L'),
    ('configs', 'make secret', '{}', 'SELECT catalogue.update(%L, %L, ''{"secret": true}'', actor => admin())',
        'SELECT catalogue.update(%L, %L, ''{"secret": false}'', actor => admin())'),
    ('configs', 'secret, then delete', '{}',
        'SELECT catalogue.update(%1$L, %2$L, ''{"secret": true}'', actor => '
        'admin()), catalogue.delete(%1$L, %2$L, admin())',
        'SELECT catalogue.restore(%1$L, %2$L, actor => admin()), catalogue.update(%1$L, %2$L, ''{"secret": false}'', '
        'actor => admin())')) s(resource,
        action, along, down, back);
ALTER TABLE steps ADD COLUMN n serial;
CREATE TABLE moments (step integer, moment integer, version text);
CREATE TABLE answers (step integer, resource text, n integer, who text, direct text[] DEFAULT '{}',
    around text[] DEFAULT '{}', PRIMARY KEY (step, resource, n));
-- Ask at a moment for all that the step is about, as of all its moments so far.
CREATE PROCEDURE ask(step steps, moment integer) LANGUAGE plpgsql AS
$$
DECLARE
    r  record;
BEGIN
    INSERT INTO moments SELECT step.n, moment, '&version=' || version FROM catalogue.list('tags', 'limit=1');
    FOR r IN
        SELECT l AS about, a.n, a.who, a.actor, o.version
        FROM looked_for l, asked a, moments o
        WHERE o.step = step.n AND (a.who <> 'superadmin' OR l.resource = 'configs')
            AND l.resource = ANY (step.resource || step.along::text[])
        ORDER BY l.resource, a.n, o.moment
    LOOP
        INSERT INTO answers AS w
            VALUES (step.n, (r.about).resource, r.n, r.who, ARRAY[summary(r.about, r.actor, r.version)],
                CASE WHEN r.actor = '{}' THEN ARRAY[around(r.about, r.actor, r.version)] END)
        ON CONFLICT ON CONSTRAINT answers_pkey
            DO UPDATE SET direct = w.direct || excluded.direct, around = w.around || excluded.around;
    END LOOP;
END
$$;
CREATE PROCEDURE take(n integer) LANGUAGE plpgsql AS
$$
DECLARE
    step  steps := (SELECT s FROM steps s WHERE s.n = take.n);
    id    text := (SELECT l.id FROM looked_for l WHERE l.resource = step.resource);
BEGIN
    CALL ask(step, 1);
    EXECUTE format(step.down, step.resource, id);
    COMMIT;
    CALL ask(step, 2);
    IF step.back = 'publish' THEN
        UPDATE catalogue.datasets d
        SET status = 'qWRhpRV'
        WHERE d.id = (SELECT l.id FROM looked_for l WHERE l.resource = 'datasets');
        UPDATE catalogue.files d
        SET status = 'qWRhpRV'
        WHERE d.id = (SELECT l.id FROM looked_for l WHERE l.resource = 'files');
        UPDATE catalogue.charts d
        SET status = 'qWRhpRV'
        WHERE d.id = (SELECT l.id FROM looked_for l WHERE l.resource = 'charts');
        UPDATE catalogue.maps d
        SET status = 'qWRhpRV'
        WHERE d.id = (SELECT l.id FROM looked_for l WHERE l.resource = 'maps');
    ELSE
        EXECUTE format(step.back, step.resource, id);
    END IF;
    COMMIT;
    CALL ask(step, 3);
END
$$;
SELECT format('CALL take(%s)', n) FROM steps ORDER BY n \gexec

-- Before: as of then. After it was taken down: as of before and as of then. After it came back: as of before, of
-- between, and as of then.
SELECT s.action, a.resource, a.who, a.direct[1] AS before, array_to_string(a.direct[2:3], ' / ') AS down,
       array_to_string(a.direct[4:6], ' / ') AS back
FROM answers a JOIN steps s ON s.n = a.step ORDER BY a.step, a.resource <> s.resource, a.resource, a.n;

-- Over other records: nothing leads an outsider to what he does not see; where he sees it again, all that did before.
SELECT s.action, a.resource, cardinality(string_to_array(a.around[1], ', ')) AS before, a.around[2] AS "as of before",
       a.around[3] AS "as of then", a.around[1] IS NOT DISTINCT FROM a.around[4]
       AND a.around[1] IS NOT DISTINCT FROM a.around[6] AS back, a.around[5] AS between
FROM answers a JOIN steps s ON s.n = a.step
WHERE a.who = 'outsider'
ORDER BY a.step, a.resource <> s.resource, a.resource;

--
-- Numbers: kept ones are those of the list, whatever was taken down or brought back since
--
CREATE TABLE numbers AS
SELECT m.step, m.moment, a.who, l.resource,
       (SELECT (c.data::json ->> 'count')::bigint
        FROM catalogue.count(l.resource, substr(m.version, 2), a.actor) c) AS kept,
       (SELECT json_array_length(r.data::json)
        FROM catalogue.list(l.resource, 'limit=10000' || m.version, actor => a.actor) r) AS listed,
       (SELECT count FROM catalogue.list(l.resource, 'limit=1&id[ne]=x' || m.version, actor => a.actor)) AS counted
FROM moments m
    JOIN steps s ON s.n = m.step
    JOIN looked_for l ON l.resource = ANY (s.resource || s.along::text[]), asked a
WHERE a.who <> 'superadmin';
SELECT count(*) AS numbers, count(DISTINCT kept) > 3 AS different FROM numbers;
SELECT * FROM numbers WHERE kept <> listed OR kept <> counted ORDER BY step, moment, who, resource;

--
-- A draft that was never published is in no version, though the record is published now; nor are its states
--
SELECT make_dataset('Heath') AS heath \gset
SELECT id
FROM catalogue.update('datasets', :'heath', '{"description": "unchecked claim"}', actor => admin()) \gset heath_
SELECT version AS draft FROM catalogue.list('datasets', actor => admin()) \gset
BEGIN;
UPDATE catalogue.datasets SET description = 'checked', status = 'qWRhpRV' WHERE id = :'heath';
COMMIT;
SELECT version AS published FROM catalogue.list('datasets', actor => admin()) \gset
SELECT (refusal(format('SELECT catalogue.item(''datasets'', %L, %L, actor => ''{}'')', :'heath',
    'version=' || :'draft'))).message;
SELECT count(*) FILTER (WHERE data LIKE '%unchecked%') AS unchecked, sum(count) AS found
FROM (SELECT data, count
      FROM catalogue.list('datasets', 'description=checked&version=' || :'draft', actor => '{}')
      UNION ALL SELECT data, count
      FROM catalogue.search('query=checked&version=' || :'draft', actor => '{}')) r;
SELECT a.who, v.count, v.data LIKE '%unchecked%' AS unchecked
FROM asked a, catalogue.versions('datasets', :'heath', actor => a.actor) v
ORDER BY a.n;
-- An outsider reads what is published, and after it was taken down nothing.
SELECT data::json ->> 'description' AS description
FROM catalogue.item('datasets', :'heath', 'version=' || :'published', actor => '{}');
UPDATE catalogue.datasets SET status = 'nWRhpRV', description = 'withdrawn' WHERE id = :'heath';
SELECT (refusal(format('SELECT catalogue.item(''datasets'', %L, %L, actor => ''{}'')', :'heath',
    'version=' || v))).message
FROM unnest(ARRAY[:'draft', :'published']) v
ORDER BY v = :'published';
SELECT (refusal(format('SELECT catalogue.versions(''datasets'', %L, actor => ''{}'')', :'heath'))).message;

--
-- The tag of an earlier version is another one when less is seen of it, and the same when what nobody sees is made
--
UPDATE catalogue.files SET notes = 'later' WHERE id = :'file';
SELECT etag AS list FROM catalogue.list('files', 'version=' || :'draft', actor => '{}') \gset
SELECT etag AS page FROM catalogue.contents_page(:'file', 'version=' || :'draft', '{}') \gset
SELECT etag AS item FROM catalogue.item('files', :'file', 'version=' || :'draft', actor => '{}') \gset
SELECT etag AS search FROM catalogue.search('query=marsh&version=' || :'draft', actor => '{}') \gset
SELECT r.etag = :'list' AS list, r.data IS NULL AS unchanged
FROM catalogue.list('files', 'version=' || :'draft', actor => '{}', known => :'list') r;
SELECT make_file('Unseen', 'Marshland') IS NOT NULL AS made;
SELECT p.etag <> :'page' AS page, i.etag <> :'item' AS item
FROM catalogue.contents_page(:'file', 'version=' || :'draft', '{}') p,
    catalogue.item('files', :'file', 'version=' || :'draft', actor => '{}') i;
UPDATE catalogue.files SET status = 'rWRhpRV' WHERE id = :'file';
SELECT r.etag <> :'list' AS list, r.data NOT LIKE '%Marsh levels%' AS given
FROM catalogue.list('files', 'version=' || :'draft', actor => '{}', known => :'list') r;
SELECT r.etag <> :'search' AS search, r.data NOT LIKE '%Marsh levels%' AS given
FROM catalogue.search('query=marsh&version=' || :'draft', actor => '{}', known => :'search') r;
SELECT (refusal(format('SELECT catalogue.item(''files'', %L, %L, actor => ''{}'', known => %L)', :'file',
    'version=' || :'draft', :'item'))).message;
SELECT (refusal(format('SELECT catalogue.contents_page(%L, %L, ''{}'', %L)', :'file', 'version=' || :'draft',
    :'page'))).message;
