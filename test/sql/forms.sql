--
-- forms: which optional values of the records of a resource the page asks for
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

UPDATE catalogue.users SET active = true;
CREATE FUNCTION id_of_form(resource text) RETURNS text LANGUAGE sql AS
$$
    SELECT f.id FROM catalogue.forms f WHERE f.resource = $1
$$;
-- A catalogue has forms for datasets and files; users see them, outsiders do not.
SELECT r.resource, m.key, m.value ->> 'title' AS title, m.value ->> 'format' AS format
FROM catalogue.forms r, json_each(r.schema -> 'properties') m ORDER BY r.resource;
SELECT a.name, r.code, r.message
FROM (VALUES ('admin', admin()), ('guest', actor('guest')), ('outsider', '{}')) a(name, actor),
    refusal(format('SELECT catalogue.list(''forms'', actor => %L)', a.actor)) r;

-- The licences are those that DCAT knows by these names.
SELECT l.licence ->> 'const' AS unknown
FROM json_array_elements(catalogue.licence_schema()::json -> 'anyOf') l(licence)
WHERE catalogue.dcat_value('license', (l.licence -> 'const')::jsonb) ? 'label';

-- Each way to be wrong.
SELECT b.body, r.code, r.detail
FROM (VALUES ('{"resource": "tags", "schema": {"type": "object", "properties": {"a": {}}}}'),
          ('{"resource": "nothing", "schema": {"type": "object", "properties": {"a": {}}}}'),
          ('{"resource": "charts", "schema": {"type": "object", "properties": {"a": {}}}}'),
          ('{"resource": "datasets"}'),
          ('{"schema": {"type": "object", "properties": {"a": {}}}}')) b(body),
    refusal(format('SELECT catalogue.create(''forms'', %L, actor => admin())', b.body)) r;
SELECT b.schema, r.code, r.detail
FROM (VALUES ('{}'), ('[]'), ('null'), ('{"type": "object"}'), ('{"type": "object", "properties": []}'),
          ('{"type": "object", "properties": {}}'), ('{"type": "string", "properties": {"a": {}}}'),
          ('{"type": "object", "properties": {"a": true}}'), ('{"type": ["object"], "properties": {"a": {}}}'),
          ('{"type": "object", "properties": {"a\u0000": {}}}')) b(schema),
    refusal(format('SELECT catalogue.update(''forms'', id_of_form(''files''), %L, actor => admin())',
        json_build_object('schema', b.schema::json))) r;
SELECT r.code, r.detail
FROM (VALUES (json_build_object('type', 'object', 'properties', json_build_object('a', json_build_object('title',
              repeat('x', 65536))))),
          (json_build_object('type', 'object', 'properties', (SELECT json_object_agg('p' || n, '{}'::json)
                                                               FROM generate_series(1, 101) n)))) b(schema),
    refusal(format('SELECT catalogue.update(''forms'', id_of_form(''files''), %L, actor => admin())',
        json_build_object('schema', b.schema))) r;

-- SQL is held to the same rules.
UPDATE catalogue.forms SET schema = '{"type": "object"}' WHERE resource = 'files';
UPDATE catalogue.forms SET resource = 'tags' WHERE resource = 'files';

-- A rule for all resources does not include forms: a rule has to name them.
SELECT make('rules', '{"role": "admin", "resource": "*", "action": "*"}') IS NOT NULL AS made;
SELECT r.code
FROM refusal(format('SELECT catalogue.update(''forms'', id_of_form(''files''), %L, actor => %L)',
    '{"schema": {"type": "object", "properties": {"a": {}}}}', actor('editor'))) r;
SELECT make('rules', '{"role": "admin", "resource": "forms", "action": "update"}') IS NOT NULL AS made;
SELECT (catalogue.update('forms', f.id, '{"schema": {"type": "object", "properties": {"seen": {"title": "Seen by"}}}}',
    actor => actor('editor'))).id = f.id AS updated
FROM catalogue.forms f WHERE f.resource = 'files';
-- It has a history, as all records.
SELECT json_array_length((catalogue.versions('forms', f.id, actor => admin())).data::json) AS versions
FROM catalogue.forms f WHERE f.resource = 'files';

-- Forms that were changed or deleted stay so when the catalogue is upgraded.
SELECT (catalogue.delete('forms', f.id, actor => admin())).id IS NOT NULL AS deleted
FROM catalogue.forms f WHERE f.resource = 'datasets';
SELECT catalogue.bootstrap();
SELECT f.resource, f.deleted_at IS NOT NULL AS deleted, json_object_keys(f.schema -> 'properties') AS property
FROM catalogue.forms f WHERE f.resource = 'files' OR f.deleted_at IS NOT NULL ORDER BY 1, 3;
