--
-- records: create, update, delete, restore and deactivate, and what they answer
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- create: the resource and the new id, no data.
SELECT resource, mask(id) AS id, data FROM catalogue.create('tags', '{"name": "sea"}', actor => admin());

-- With "representation" the record, as a GET of the item gives it.
SELECT mask(data) AS data FROM catalogue.create('tags', '{"name": "land"}', 'representation', actor => admin());
SELECT mask((catalogue.item('tags', id_of('tags', 'land'), actor => admin())).data) AS data;

-- Keys are ids, or records: one level, whose own keys are ids; to-many relations are then empty arrays.
SELECT key, left(mask(value::text), 60) AS value
FROM catalogue.create('datasets',
    json_build_object('name', 'Coast', 'owner', id_of('users', 'admin'), 'categories', id_of('categories', 'Transport'),
        'tags', id_of('tags', 'sea')),
    'representation', 'ids', admin()) reply,
    json_each(reply.data::json);
SELECT key, CASE json_typeof(value) WHEN 'object' THEN value ->> 'name' ELSE mask(value::text) END AS value
FROM catalogue.update('datasets', id_of('datasets', 'Coast'), '{"notes": "n"}', 'representation', 'embedded',
    admin()) reply,
    json_each(reply.data::json)
WHERE key IN ('status', 'owner', 'createdBy', 'categories', 'tags', 'files', 'notes');

-- A field of each kind comes back as it went in, instants in UTC, whatever the session's settings are.
SET datestyle = 'German';
SET timezone = 'Asia/Tokyo';
SELECT mask(data::json ->> 'name') AS name, data::json -> 'visible' AS visible, data::json -> 'optionals' AS optionals,
       data::json -> 'publishedAt' AS "publishedAt"
FROM catalogue.update('datasets', id_of('datasets', 'Coast'),
    '{"visible": false, "optionals": {"é": [1, "2", null]}, "publishedAt": "2026-01-31T09:00:00-03:00"}',
    'representation', actor => admin());
SELECT data::json -> 'publishedAt' AS "publishedAt" FROM catalogue.item('datasets', id_of('datasets', 'Coast'));
SELECT data::json -> 'gatheringDate' AS date, data::json -> 'urgent' AS urgent
FROM catalogue.update('files', id_of('files', 'List of airports'), '{"gatheringDate": "2026-01-31", "urgent": true}',
    'representation', actor => admin());
RESET datestyle;
SET timezone = 'UTC';
SELECT data::json -> 'mimetype' AS mimetype
FROM catalogue.update('filetypes', id_of('filetypes', 'csv'), '{"mimetype": ["text/csv", "text/plain"]}',
    'representation', actor => admin());
SELECT data::json -> 'optionals' AS optionals, data::json -> 'visible' AS visible
FROM catalogue.update('datasets', id_of('datasets', 'Coast'), '{"optionals": null, "visible": null}', 'representation',
    actor => admin());

-- What is computed: fullName. What is never shown: the password.
SELECT data::json ->> 'fullName' AS "fullName", data::json ->> 'password' AS password, data LIKE '%password%' AS named
FROM catalogue.update('users', id_of('users', 'editor'),
    '{"firstName": "Ana", "lastName": "López", "password": "a new password"}', 'representation', actor => admin());

-- Update changes what is named; updatedAt moves, createdAt does not.
SELECT data::json ->> 'name' AS name, data::json ->> 'visible' AS visible,
       (data::json ->> 'updatedAt')::timestamptz = now() AS updated,
       (data::json ->> 'createdAt')::timestamptz < now() AS created_before
FROM catalogue.update('datasets', id_of('datasets', 'Coast'), '{"visible": true}', 'representation', actor => admin());

-- The url of a file, a chart or a map is given at creation and ignored on update.
SELECT data::json ->> 'url' AS url
FROM catalogue.update('files', id_of('files', 'List of airports'), '{"url": "https://elsewhere.example.org"}',
    'representation', actor => admin());

-- delete: the record is gone from everywhere.
SELECT id_of('tags', 'sea') AS sea \gset
SELECT resource, mask(id) AS id, data FROM catalogue.delete('tags', :'sea', admin());
SELECT * FROM refusal(format('SELECT catalogue.item(%L, %L)', 'tags', :'sea'));
SELECT names(catalogue.list('tags', 'name=sea'));
SELECT data::json -> 'tags' AS tags FROM catalogue.item('datasets', id_of('datasets', 'Coast'));

-- A second time, and a change of it: it does not exist.
SELECT code, message FROM refusal(format('SELECT catalogue.delete(%L, %L, admin())', 'tags', :'sea'));
SELECT code, message
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => admin())', 'tags', :'sea', '{"name": "ocean"}'));

-- restore: it is back, with its relations; what lives cannot be restored.
SELECT mask(data) AS data FROM catalogue.restore('tags', :'sea', 'representation', actor => admin());
SELECT json_array_length(data::json -> 'tags') AS tags FROM catalogue.item('datasets', id_of('datasets', 'Coast'));
SELECT code, message FROM refusal(format('SELECT catalogue.restore(%L, %L, actor => admin())', 'tags', :'sea'));

-- deactivate: internal users see it with deletedAt, others do not see it.
SELECT id_of('organizations', 'Transport Department') AS id \gset
SELECT (data::json ->> 'deletedAt')::timestamptz = now() AS "deletedAt"
FROM catalogue.deactivate('organizations', :'id', 'representation', actor => admin());
SELECT names(catalogue.list('organizations', actor => admin())) AS internal,
       names(catalogue.list('organizations', actor => '{}')) AS others;
SELECT (catalogue.count('organizations', actor => admin())).data AS internal,
       (catalogue.count('organizations', actor => '{}')).data AS others;
SELECT code FROM refusal(format('SELECT catalogue.item(%L, %L, actor => %L)', 'organizations', :'id', '{}'));

-- Its name is still taken; a second time changes nothing; restore brings it back.
SELECT rule, field
FROM faults($$SELECT catalogue.create('organizations', '{"name": "Transport Department"}', actor => admin())$$);
SELECT mask(id) AS id FROM catalogue.deactivate('organizations', :'id', actor => admin());
SELECT data::json ->> 'deletedAt' AS "deletedAt"
FROM catalogue.restore('organizations', :'id', 'representation', actor => admin());
SELECT names(catalogue.list('organizations', actor => '{}')) AS others;

-- A resource that does not take it.
SELECT code, message FROM refusal($$SELECT catalogue.deactivate('tags', id_of('tags', 'sea'), actor => admin())$$);

-- Read-only resources take no write, of whichever kind; an action on a state they do not have at all.
SELECT code, message FROM refusal($$SELECT catalogue.create('basemaps', '{"name": "x"}', actor => admin())$$);
SELECT code, message
FROM refusal($$SELECT catalogue.update('basemaps', id_of('basemaps', 'CyclOSM'), '{"name": "x"}',
    actor => admin())$$);
SELECT code, message FROM refusal($$SELECT catalogue.delete('basemaps', id_of('basemaps', 'CyclOSM'), admin())$$);
SELECT code, message FROM refusal($$SELECT catalogue.create('statistics', '{}', actor => admin())$$);
SELECT code, message
FROM refusal($$SELECT catalogue.deactivate('basemaps', id_of('basemaps', 'CyclOSM'), actor => admin())$$);
SELECT code, message
FROM refusal($$SELECT catalogue.restore('basemaps', id_of('basemaps', 'CyclOSM'), actor => admin())$$);
SELECT code, message
FROM refusal($$SELECT catalogue.act('basemaps', id_of('basemaps', 'CyclOSM'), 'publish', actor => admin())$$);

-- Where the operator exposes basemaps to be written they take all of it.
SELECT catalogue.expose('basemaps', 'Basemap', searchable => '{name}', unique_living => '{name}',
    actions => '{deactivate}');
SELECT mask(id) AS id
FROM catalogue.update('basemaps', id_of('basemaps', 'CyclOSM'), '{"maxZoom": 16}', actor => admin());
SELECT mask(id) AS id FROM catalogue.deactivate('basemaps', id_of('basemaps', 'CyclOSM'), actor => admin());
SELECT mask(id) AS id FROM catalogue.restore('basemaps', id_of('basemaps', 'CyclOSM'), actor => admin());

-- Unknown resource, unknown id, ids of odd forms.
SELECT code, message FROM refusal($$SELECT catalogue.create('planets', '{}', actor => admin())$$);
SELECT code, message FROM refusal($$SELECT catalogue.update('tags', 'nothing', '{"name": "x"}', actor => admin())$$);
SELECT code, message
FROM unnest('{"",a-b,1234567890123456,"'' OR true --"}'::text[]) WITH ORDINALITY e(id, n),
    LATERAL refusal(format('SELECT catalogue.delete(%L, %L, admin())', 'tags', id))
ORDER BY n;

-- Who changed a setting is known from the credential, not from the body.
SELECT c.data::json ->> 'updatedBy' = admin() ->> 'user' AS "from the token"
FROM catalogue.create('configs',
    '{"key": "forged", "type": "string", "category": "site", "description": "x", "updatedBy": "nobody"}',
    'representation', actor => admin()) c;
