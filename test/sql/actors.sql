--
-- actors: who writes, and what follows from it
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

UPDATE catalogue.users SET active = true WHERE username IN ('editor', 'guest');

-- A user: the record is theirs.
SELECT u.username AS "createdBy"
FROM catalogue.create('tags', '{"name": "by editor"}', 'representation', actor => actor('editor')) r
    JOIN catalogue.users u ON u.id = r.data::json ->> 'createdBy';

-- Whatever the body says.
SELECT u.username AS "createdBy"
FROM catalogue.create('tags', json_build_object('name', 'by editor too', 'createdBy', id_of('users', 'admin')),
    'representation', actor => actor('editor')) r
    JOIN catalogue.users u ON u.id = r.data::json ->> 'createdBy';

-- A database user, who is trusted, says it; without it the field is missing.
SELECT u.username AS "createdBy"
FROM catalogue.create('tags', json_build_object('name', 'by nobody', 'createdBy', id_of('users', 'admin')),
    'representation') r
    JOIN catalogue.users u ON u.id = r.data::json ->> 'createdBy';
SELECT field, rule FROM faults($$SELECT catalogue.create('tags', '{"name": "by nobody too"}')$$);

-- Nobody: every write is refused.
SELECT code, message FROM refusal($$SELECT catalogue.create('tags', '{"name": "x"}', actor => '{}')$$);
SELECT code, message
FROM refusal($$SELECT catalogue.update('tags', id_of('tags', 'water'), '{"name": "x"}', actor => '{}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.delete('tags', id_of('tags', 'water'), '{}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.restore('tags', id_of('tags', 'water'), actor => '{}')$$);
SELECT code, message
FROM refusal($$SELECT catalogue.deactivate('organizations', id_of('organizations', 'Open Data Office'),
    actor => '{}')$$);
SELECT code, message
FROM refusal($$SELECT catalogue.act('datasets', id_of('datasets', 'Airports'), 'unpublish', actor => '{}')$$);

-- An object of other members is nobody too; a user who is unknown, or of odd form, is no user.
SELECT code FROM refusal($$SELECT catalogue.create('tags', '{"name": "x"}', actor => '{"consumer": "x"}')$$);
SELECT code FROM refusal($$SELECT catalogue.create('tags', '{"name": "x"}', actor => '{"user": 7}')$$);
SELECT code FROM refusal($$SELECT catalogue.create('tags', '{"name": "x"}', actor => '[]')$$);
SELECT code, message FROM refusal($$SELECT catalogue.create('tags', '{"name": "x"}', actor => '{"user": "nobody"}')$$);
SELECT code FROM refusal($$SELECT catalogue.list('tags', actor => '{"user": "nobody"}')$$);

-- A user who is not active, deactivated or deleted any more: refused at once, for reading too.
SELECT actor('guest') AS guest \gset
UPDATE catalogue.users SET active = false WHERE username = 'guest';
SELECT code, message FROM refusal(format('SELECT catalogue.list(%L, actor => %L)', 'tags', :'guest'));
UPDATE catalogue.users SET active = NULL WHERE username = 'guest';
SELECT code, message FROM refusal(format('SELECT catalogue.list(%L, actor => %L)', 'tags', :'guest'));
SELECT mask(id) AS id FROM catalogue.deactivate('users', :'guest'::json ->> 'user', actor => admin());
SELECT code, message FROM refusal(format('SELECT catalogue.list(%L, actor => %L)', 'tags', :'guest'));
SELECT mask(id) AS id FROM catalogue.delete('users', :'guest'::json ->> 'user', admin());
SELECT code, message FROM refusal(format('SELECT catalogue.list(%L, actor => %L)', 'tags', :'guest'));
SELECT mask(id) AS id FROM catalogue.restore('users', :'guest'::json ->> 'user', actor => admin());
SELECT code, message FROM refusal(format('SELECT catalogue.list(%L, actor => %L)', 'tags', :'guest'));

-- A guest's new record is a draft; that of others has the status of the setting, which may be changed.
SELECT data::json ->> 'status' AS status
FROM catalogue.create('charts', '{"name": "of a guest", "link": "https://example.org"}', 'representation',
    actor => actor('guest'));
UPDATE catalogue.configs SET value = 'qWRhpRV' WHERE key = 'defaultStatus';
SELECT data::json ->> 'status' AS status
FROM catalogue.create('charts', '{"name": "of a guest again", "link": "https://example.org"}', 'representation',
    actor => actor('guest'));
SELECT data::json ->> 'status' AS status
FROM catalogue.create('charts', '{"name": "of an editor", "link": "https://example.org"}', 'representation',
    actor => actor('editor'));
SELECT data::json ->> 'status' AS status
FROM catalogue.create('charts', '{"name": "of an editor, given", "link": "https://example.org", "status": "oWRhpRV"}',
    'representation', actor => actor('editor'));

-- A setting that names no status means Draft.
UPDATE catalogue.configs SET value = NULL WHERE key = 'defaultStatus';
SELECT data::json ->> 'status' AS status
FROM catalogue.create('charts', '{"name": "of an editor, unset", "link": "https://example.org"}', 'representation',
    actor => actor('editor'));

-- updatedBy of a setting is who last changed its value; another change leaves it, and a body does not set it.
SELECT mask(id) AS id
FROM catalogue.update('configs', id_of('configs', 'minZoom'), '{"value": "3"}', actor => actor('editor'));
SELECT mask(id) AS id
FROM catalogue.update('configs', id_of('configs', 'minZoom'),
    json_build_object('tooltip', 't', 'updatedBy', id_of('users', 'admin')), actor => admin());
SELECT c.value, c.tooltip, u.username AS "updatedBy"
FROM catalogue.configs c JOIN catalogue.users u ON u.id = c.updated_by
WHERE key = 'minZoom';

-- createdBy stays whoever changes the record.
SELECT u.username AS "createdBy"
FROM catalogue.update('tags', id_of('tags', 'by editor'),
    json_build_object('name', 'by editor still', 'createdBy', id_of('users', 'admin')), 'representation',
    actor => admin()) r
    JOIN catalogue.users u ON u.id = r.data::json ->> 'createdBy';

-- deletedAt is for internal users only.
SELECT (catalogue.item('tags', id_of('tags', 'water'))).data LIKE '%deletedAt%' AS trusted,
       (catalogue.item('tags', id_of('tags', 'water'), actor => admin())).data LIKE '%deletedAt%' AS internal,
       (catalogue.item('tags', id_of('tags', 'water'), actor => '{}')).data LIKE '%deletedAt%' AS others;

-- Who wrote is forgotten with the call: what SQL does afterwards is nobody's, after a refused call too.
SELECT code FROM refusal($$SELECT catalogue.create('tags', '{}', actor => admin())$$);
SELECT field, rule FROM faults($$INSERT INTO catalogue.tags (name) VALUES ('whose')$$);

-- A superadmin who is not in use may delete itself; the log says who did it.
SELECT mask(id) AS id
FROM catalogue.create('users',
    json_build_object('username', 'brief', 'role', 'superadmin', 'password', 'long enough',
        'email', 'brief@example.org', 'organization', id_of('organizations', 'Open Data Office')),
    actor => admin());
SELECT mask(id) AS id FROM catalogue.delete('users', id_of('users', 'brief'), actor('brief'));
SELECT l.action, l.target, u.username AS "user"
FROM catalogue.logs l JOIN catalogue.users u ON u.id = l.user
WHERE l.resource = id_of('users', 'brief')
ORDER BY l.id;

-- A user is first looked for where the record was at the last call: what changes it, or moves it, counts at once.
SELECT returned FROM catalogue.list('statuses', 'limit=1', actor => actor('editor'));
BEGIN;
UPDATE catalogue.users SET active = false WHERE username = 'editor';
SELECT code, message FROM refusal(format('SELECT catalogue.list(%L, actor => %L)', 'tags', actor('editor')));
ROLLBACK;
SELECT returned FROM catalogue.list('statuses', 'limit=1', actor => actor('editor'));
VACUUM FULL catalogue.users;
SELECT returned FROM catalogue.list('statuses', 'limit=1', actor => actor('editor'));

-- So does what takes the end of the table away, where the record was.
SET session_replication_role = replica;
INSERT INTO catalogue.users (id, username, email, password, role, active, organization, first_name, last_name,
    created_by)
    SELECT 'filler' || n, 'filler' || n, n || '@example.org', repeat('x', 100), 'guest', true,
           id_of('organizations', 'Open Data Office'), 'x', 'x', 'filler1'
    FROM generate_series(1, 500) n;
SELECT returned FROM catalogue.list('statuses', 'limit=1', actor => '{"user": "filler500"}');
DELETE FROM catalogue.users WHERE id LIKE 'filler%';
RESET session_replication_role;
VACUUM catalogue.users;
SELECT code, message FROM refusal($$SELECT catalogue.list('statuses', actor => '{"user": "filler500"}')$$);
