--
-- review: what was published is not changed by who may not publish it, without another review
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
UPDATE catalogue.users SET active = true;
SELECT id_of('users', 'guest') AS guest, id_of('users', 'admin') AS me \gset

-- What a guest owns, all of it published: a dataset, a file with bytes, a chart, a map; and others to lead to.
SELECT make_dataset('Own') AS dataset \gset
SELECT make_dataset('Other') AS other \gset
SELECT make_file('Second', 'Other') AS second \gset
SELECT make('tags', '{"name": "first tag"}') AS tag \gset
INSERT INTO catalogue.filetypes (name, mimetype, created_by) VALUES ('txt', '["text/plain"]', :'me');
SELECT (catalogue.upload('files', NULL, 'own.txt', 'as it was reviewed',
    format(
        '{"name": "Own file", "dataset": "%s", "organization": "%s", "updateFrequency": "%s", "owner": "%s",
            "optionals": {"a": [1, "b \" c"]}}',
    :'dataset',
    id_of('organizations', 'Open Data Office'), id_of('updatefrequencies', 'Daily'), :'me')::json,
    admin())).id AS file \gset
SELECT make('charts', json_build_object('name', 'Own chart', 'file', :'file')) AS chart \gset
SELECT make('maps',
    json_build_object('name', 'Own map', 'file', :'file', 'basemap', id_of('basemaps', 'OpenStreetMap'))) AS map \gset
CREATE FUNCTION publish_all() RETURNS void LANGUAGE sql SET search_path = pg_catalog AS
$$
    UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE name IN ('Own', 'Other');
    UPDATE catalogue.files SET status = 'qWRhpRV' WHERE name IN ('Own file', 'Second');
    UPDATE catalogue.charts SET status = 'qWRhpRV' WHERE name = 'Own chart';
    UPDATE catalogue.maps SET status = 'qWRhpRV' WHERE name = 'Own map'
$$;
UPDATE catalogue.datasets SET created_by = :'guest', owner = :'guest', visible = true WHERE name = 'Own';
UPDATE catalogue.files SET created_by = :'guest', owner = :'guest', visible = true WHERE name = 'Own file';
UPDATE catalogue.charts SET created_by = :'guest' WHERE name = 'Own chart';
UPDATE catalogue.maps SET created_by = :'guest' WHERE name = 'Own map';
SELECT (catalogue.update('datasets', :'dataset', json_build_object('tags', :'tag'), actor => admin())).resource;

-- One change by a user, and what becomes of the record: its state, whether it is stamped now, whether outsiders see it,
-- what was logged.
CREATE FUNCTION after(resource text, id text, statement text, OUT status text, OUT stamped boolean, OUT seen boolean,
    OUT logged text)
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM test.publish_all();
    PERFORM set_config('test.before', (SELECT count(*) FROM catalogue.logs l WHERE l.resource = after.id)::text, true);
    EXECUTE statement;
    SELECT s.name, r.data::json ->> 'reviewedAt' IS NOT NULL INTO status, stamped
        FROM catalogue.item($1, $2, actor => test.admin()) r
            JOIN catalogue.statuses s ON s.id = r.data::json ->> 'status';
    SELECT count(*) = 1 INTO seen
    FROM catalogue.list($1, 'id=' || $2, actor => '{}') l, json_array_elements(l.data::json);
    SELECT string_agg(l.action::text || ' by ' || u.username, ', ') INTO logged
        FROM (SELECT *
              FROM catalogue.logs l
              WHERE l.resource = after.id
              ORDER BY l.id OFFSET current_setting('test.before')::bigint) l
            LEFT JOIN catalogue.users u ON u.id = l."user";
    RAISE EXCEPTION 'undo' USING DETAIL = json_build_array(status, stamped, seen, logged);
EXCEPTION WHEN raise_exception THEN
    NULL;
END
$$;
CREATE FUNCTION changes(actor jsonb) RETURNS TABLE (way text, resource text, id text, statement text) LANGUAGE sql AS
$$
    SELECT w.way, w.resource, w.id,
           format('SELECT catalogue.update(%L, %L, %L, actor => %L)', w.resource, w.id, w.body, $1)
    FROM (VALUES
        ('a text', 'datasets', test.id_of('datasets', 'Own'), '{"description": "another"}'),
        ('a name', 'datasets', test.id_of('datasets', 'Own'), '{"name": "Own"}'),
        ('its tags', 'datasets', test.id_of('datasets', 'Own'),
            json_build_object('tags', test.id_of('tags', 'water'))::text),
        ('no tags', 'datasets', test.id_of('datasets', 'Own'), '{"tags": []}'),
        ('the same tags', 'datasets', test.id_of('datasets', 'Own'),
            json_build_object('tags', test.id_of('tags', 'first tag'))::text),
        ('its categories', 'datasets', test.id_of('datasets', 'Own'),
            json_build_object('categories', test.id_of('categories', 'Government'))::text),
        ('another dataset', 'files', test.id_of('files', 'Own file'),
            json_build_object('dataset', test.id_of('datasets', 'Other'))::text),
        ('the same dataset', 'files', test.id_of('files', 'Own file'),
            json_build_object('dataset', test.id_of('datasets', 'Own'))::text),
        ('other optionals', 'files', test.id_of('files', 'Own file'), '{"optionals": {"a": [1, "b\" c"]}}'),
        ('the same optionals', 'files', test.id_of('files', 'Own file'), '{"optionals":{"a":[1,"b \" c"]}}'),
        ('still published', 'files', test.id_of('files', 'Own file'),
            '{"description": "another", "status": "qWRhpRV"}'),
        ('nothing', 'files', test.id_of('files', 'Own file'), '{}'),
        ('what is ignored', 'files', test.id_of('files', 'Own file'),
            '{"url": "https://example.org/x", "sha256": "x", "owner": "x", "slug": "x", "publishedAt": null}'),
        ('another file', 'charts', test.id_of('charts', 'Own chart'),
            json_build_object('file', test.id_of('files', 'Second'))::text),
        ('a link', 'charts', test.id_of('charts', 'Own chart'), '{"link": "https://example.org/chart"}'),
        ('its data', 'charts', test.id_of('charts', 'Own chart'), '{"data": {"labels": ["x"], "data": [1]}}'),
        ('another file', 'maps', test.id_of('maps', 'Own map'),
            json_build_object('file', test.id_of('files', 'Second'))::text),
        ('its points', 'maps', test.id_of('maps', 'Own map'),
            '{"geojson": {"type": "FeatureCollection", "features": []}}')) w(way,
        resource, id, body)
    UNION ALL
    SELECT w.way, 'files', test.id_of('files', 'Own file'),
           format('SELECT catalogue.upload(''files'', %L, %L, %L, %L, %L)', test.id_of('files', 'Own file'), w.name,
               w.bytes, w.body, $1)
    FROM (VALUES ('other bytes', 'own.txt', 'as nobody reviewed'::bytea, '{}'),
                 ('the same bytes', 'own.txt', 'as it was reviewed', '{}'),
                 ('no bytes, a text', '', NULL, '{"description": "another"}'),
                 ('the same bytes, another dataset', 'own.txt', 'as it was reviewed',
                     json_build_object('dataset', test.id_of('datasets', 'Other'))::text)) w(way,
                 name, bytes, body)
    UNION ALL
    SELECT 'other bytes, in pieces', 'files', test.id_of('files', 'Own file'),
           format('SELECT test.in_pieces(%L, %L)', test.id_of('files', 'Own file'), $1)
$$;
CREATE FUNCTION in_pieces(file text, actor jsonb) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    upload  text := (catalogue.upload_begin('files', file, '{"name": "own.txt"}', actor)).id;
BEGIN
    PERFORM catalogue.upload_write(upload, 0, 'as nobody reviewed', actor);
    PERFORM catalogue.upload_finish(upload, '{}', '{}', actor => actor);
END
$$;

-- A guest: what changes the record takes it back, however it is written; what changes nothing does not.
SELECT c.way, c.resource, a.*
FROM changes(actor('guest')) c, after(c.resource, c.id, c.statement) a
ORDER BY c.resource, c.way;
-- Whoever may publish the record, and a trusted database user, leave it published.
SELECT who, a.status, a.seen, count(*)
FROM (VALUES ('superadmin', admin()), ('admin', actor('editor')), ('trusted', NULL)) w(who, actor), changes(w.actor) c,
    after(c.resource, c.id, c.statement) a
WHERE c.way <> 'what is ignored'
GROUP BY 1, 2, 3
ORDER BY 1;
-- A rule that lets guests publish their own records does it, and one for other records does not.
INSERT INTO catalogue.rules (role, resource, action, own) VALUES ('guest', 'files', 'publish', true);
SELECT c.resource, a.status, count(*)
FROM changes(actor('guest')) c, after(c.resource, c.id, c.statement) a
WHERE c.way LIKE 'another %'
GROUP BY 1, 2
ORDER BY 1;
DELETE FROM catalogue.rules WHERE action = 'publish';
UPDATE catalogue.rules SET organization = true WHERE role = 'admin' AND resource = '*';
INSERT INTO catalogue.rules (role, resource, action) VALUES ('admin', 'datasets', 'update');
UPDATE catalogue.datasets SET organization = id_of('organizations', 'Transport Department') WHERE name = 'Own';
SELECT a.status, a.logged
FROM changes(actor('editor')) c, after(c.resource, c.id, c.statement) a
WHERE c.way = 'a text';

-- What is not published stays what it is.
UPDATE catalogue.files SET status = 'rWRhpRV' WHERE name = 'Own file';
SELECT data::json ->> 'status' AS unpublished
FROM catalogue.update('files', :'file', '{"description": "not seen anyway"}', 'representation',
    actor => actor('guest'));
-- A guest has it reviewed again: from then on it is as any other.
SELECT publish_all();
SELECT data::json ->> 'status' AS status
FROM catalogue.update('files', :'file', '{"description": "once more"}', 'representation', actor => actor('guest'));
SELECT code, message
FROM refusal(format('SELECT catalogue.act(%L, %L, %L, actor => %L)', 'files', :'file', 'publish', actor('guest')));
SELECT data::json ->> 'status' AS status, data::json ->> 'description' AS description
FROM catalogue.act('files', :'file', 'publish', 'representation', actor => admin());
