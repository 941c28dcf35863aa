--
-- permissions: who may do what, by the rules
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT catalogue.add_consumer('Portal', id => 'portal') AS consumer;

UPDATE catalogue.users SET active = true;
INSERT INTO catalogue.users (username, password, email, role, active, organization, created_by)
SELECT n, 'long enough', n || '@example.org', r::catalogue.role, true, id_of('organizations', o),
       id_of('users', 'admin')
FROM (VALUES ('near', 'guest', 'Open Data Office'), ('far', 'guest', 'Transport Department'),
             ('gone', 'superadmin', 'Open Data Office'),
             ('away', 'superadmin', 'Open Data Office'), ('idle', 'superadmin', 'Open Data Office')) u(n, r, o);
UPDATE catalogue.users SET deleted_at = now() WHERE username = 'gone';
UPDATE catalogue.users SET deactivated_at = now() WHERE username = 'away';
UPDATE catalogue.users SET active = false WHERE username = 'idle';
-- a resource without seeds
INSERT INTO catalogue.pages (name, text) VALUES ('About', 'Us');
INSERT INTO catalogue.questions (dataset, text) VALUES (id_of('datasets', 'Airports'), 'Why?');
INSERT INTO catalogue.webhooks (url, secret, created_by)
VALUES ('https://example.org', 'plain text of a superuser', id_of('users', 'admin'));

-- The rules that a catalogue begins with.
SELECT role, resource, action, own, organization FROM catalogue.rules ORDER BY id;

--
-- Every cell: who asks, what, of which resource, whose record it is and of which organization
--
CREATE TABLE callers AS
SELECT n AS name,
       coalesce(test.actor(n),
           CASE n WHEN 'consumer' THEN '{"consumer": "portal"}' WHEN 'unknown' THEN '{"user": "nobody"}'
               ELSE '{}' END::jsonb) AS actor
FROM unnest('{nobody,consumer,admin,editor,guest,gone,away,idle,unknown}'::text[]) n;
CREATE TABLE cells AS
SELECT c.name AS caller, c.actor, r.resource, d.action, mine, near
FROM callers c, catalogue.resource r,
    json_array_elements_text((catalogue.describe(r.resource)).data::json -> 'actions') d(action),
    unnest('{t,f}'::boolean[]) mine, unnest('{t,f}'::boolean[]) near
WHERE d.action NOT IN ('list', 'item', 'first', 'last', 'count', 'usage', 'logs')
    AND (c.name IN ('admin', 'editor', 'guest') OR NOT mine AND NOT near);

-- What says whose a record is, read once.
CREATE TABLE keys AS SELECT resource, column_name
    FROM catalogue.field
    WHERE column_name IN ('created_by', 'owner') AND resource <> 'users';

-- One record of the resource, given to whom the cell says, for the time of one call.
CREATE FUNCTION give(resource text, owner text, organization text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    chosen  text;
    key     text;
BEGIN
    IF resource = 'users' THEN
        RETURN owner;
    END IF;
    EXECUTE format('SELECT id FROM catalogue.%I WHERE deleted_at IS NULL ORDER BY created_at, id LIMIT 1', resource)
        INTO chosen;
    IF resource = 'organizations' THEN
        chosen := organization;
    END IF;
    FOR key IN SELECT k.column_name FROM keys k WHERE k.resource = give.resource LOOP
        EXECUTE format('UPDATE catalogue.%I SET %I = $1 WHERE id = $2', resource, key) USING owner, chosen;
    END LOOP;
    IF resource = 'questions' THEN
        PERFORM give('datasets', owner, organization);
        UPDATE catalogue.questions q SET dataset = d.id
        FROM (SELECT id FROM catalogue.datasets WHERE deleted_at IS NULL ORDER BY created_at, id LIMIT 1) d
        WHERE q.id = chosen;
    END IF;
    IF resource IN ('datasets', 'files') THEN
        EXECUTE format('UPDATE catalogue.%I SET organization = $1 WHERE id = $2', resource) USING organization, chosen;
    END IF;
    RETURN chosen;
END
$$;
CREATE FUNCTION call(c cells, id text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    CASE c.action
        WHEN 'create' THEN PERFORM catalogue.create(c.resource, '{}', actor => c.actor);
        WHEN 'update' THEN PERFORM catalogue.update(c.resource, id, '{}', actor => c.actor);
        WHEN 'delete' THEN PERFORM catalogue.delete(c.resource, id, c.actor);
        WHEN 'restore' THEN PERFORM catalogue.restore(c.resource, id, actor => c.actor);
        WHEN 'deactivate' THEN PERFORM catalogue.deactivate(c.resource, id, actor => c.actor);
        WHEN 'transfer' THEN PERFORM catalogue.transfer(c.resource, id, '{}', actor => c.actor);
        WHEN 'erase' THEN PERFORM catalogue.erase(c.resource, id, actor => c.actor);
        ELSE PERFORM catalogue.act(c.resource, id, c.action, actor => c.actor);
    END CASE;
END
$$;
CREATE FUNCTION attempt(c cells) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    me    text := c.actor ->> 'user';
    kin   text := CASE WHEN c.near THEN 'near' ELSE 'far' END;
BEGIN
    PERFORM call(c,
        give(c.resource,
                         CASE WHEN c.mine
                             AND c.caller IN ('admin', 'editor', 'guest') THEN me ELSE id_of('users', kin) END,
                         id_of('organizations',
                             CASE WHEN c.near THEN 'Open Data Office' ELSE 'Transport Department' END)));
    RAISE EXCEPTION 'undo';
EXCEPTION
    WHEN SQLSTATE 'OD401' THEN RETURN '401';
    WHEN SQLSTATE 'OD403' THEN RETURN '403';
    WHEN SQLSTATE 'P0001' OR SQLSTATE 'OD400' OR SQLSTATE 'OD409' THEN RETURN 'reached';
END
$$;

-- What the rules say, told here once more and in another way.
CREATE FUNCTION expected(c cells) RETURNS text LANGUAGE sql AS
$$
    SELECT CASE WHEN c.caller IN ('gone', 'away', 'idle', 'unknown') THEN '401'
                WHEN c.caller = 'admin' OR EXISTS (
                    SELECT FROM catalogue.rules r JOIN catalogue.resource d ON d.resource = c.resource
                    WHERE r.deleted_at IS NULL
                      AND (r.role IS NULL
                          OR r.role::text = CASE c.caller WHEN 'editor' THEN 'admin' WHEN 'guest' THEN 'guest' END)
                      AND (r.resource = c.resource OR r.resource = '*' AND NOT d.guarded)
                      AND (r.action = c.action OR r.action = '*' AND c.action NOT IN ('transfer', 'erase'))
                      AND (c.action = 'create'
                           AND (NOT r.organization OR c.resource = 'organizations'
                               OR EXISTS (SELECT FROM keys k WHERE k.resource = c.resource))
                           OR
                           (NOT r.own OR c.mine AND c.caller IN ('editor', 'guest')
                                         AND (c.resource = 'users'
                                             OR EXISTS (SELECT FROM keys k WHERE k.resource = c.resource)))
                           AND
                           (NOT r.organization OR
                                CASE WHEN c.resource IN ('organizations', 'datasets', 'files', 'questions') THEN c.near
                                     WHEN c.resource = 'users'
                                         OR EXISTS (SELECT FROM keys k
                                                    WHERE k.resource = c.resource AND k.column_name = 'created_by')
                                             THEN c.mine
                                         OR c.near
                                     ELSE false END))) THEN 'reached'
                WHEN c.caller IN ('editor', 'guest') THEN '403'
                ELSE '401' END
$$;

-- As seeded: how many of the cells are refused in which way, and those that differ from the rules.
CREATE TABLE tried AS SELECT c.*, attempt, expected FROM cells c, attempt(c), expected(c) \g /dev/null
SELECT caller, attempt AS answer, count(*) FROM tried GROUP BY 1, 2 ORDER BY 1, 2;
SELECT caller, resource, action, mine, near, attempt, expected FROM tried WHERE attempt <> expected;

-- Other rules count at once: an administrator limited to an organization, owners who may delete, a right for whoever
-- asks.
UPDATE catalogue.rules SET organization = true WHERE role = 'admin' AND resource = '*';
INSERT INTO catalogue.rules (role, resource, action, own) VALUES ('guest', 'tags', 'delete', true);
INSERT INTO catalogue.rules (resource, action) VALUES ('datasetrequests', 'create'), ('tags', 'update');
INSERT INTO catalogue.rules (role, resource, action, own, organization)
    VALUES ('guest', 'files', 'publish', true, true);
UPDATE catalogue.rules SET deleted_at = now() WHERE role = 'guest' AND action = 'cancel';
DROP TABLE tried;
CREATE TABLE tried AS SELECT c.*, attempt, expected FROM cells c, attempt(c), expected(c) \g /dev/null
SELECT caller, attempt AS answer, count(*) FROM tried GROUP BY 1, 2 ORDER BY 1, 2;
SELECT caller, resource, action, mine, near, attempt, expected FROM tried WHERE attempt <> expected;

-- describe() tells each caller the same, of a resource and of a record.
CREATE TABLE told AS SELECT c.name AS caller, r.resource,
    (catalogue.describe(r.resource, c.actor)).data::jsonb -> 'allowed' AS allowed
    FROM callers c, catalogue.resource r
    WHERE c.name IN ('nobody', 'consumer', 'admin', 'editor', 'guest');
SELECT c.caller, c.resource, c.action
FROM tried c JOIN told t ON t.caller = c.caller AND t.resource = c.resource
GROUP BY 1, 2, 3, t.allowed
HAVING t.allowed ? c.action <> bool_or(c.expected = 'reached');
CREATE FUNCTION tells(c cells) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    id   text;
    told boolean;
BEGIN
    id := give(c.resource,
               CASE WHEN c.mine
                   AND c.caller IN ('admin', 'editor', 'guest') THEN c.actor ->> 'user'
                       ELSE id_of('users', CASE WHEN c.near THEN 'near' ELSE 'far' END) END,
               id_of('organizations', CASE WHEN c.near THEN 'Open Data Office' ELSE 'Transport Department' END));
    told := (catalogue.describe(c.resource, c.actor, id)).data::jsonb -> 'allowed' ? c.action;
    RAISE EXCEPTION 'undo';
EXCEPTION WHEN SQLSTATE 'P0001' THEN
    RETURN told;
END
$$;
SELECT caller, resource, action, mine, near, tells, expected FROM cells c, tells(c), expected(c)
WHERE action <> 'create' AND caller IN ('editor', 'guest') AND tells <> (expected = 'reached');

-- A rule that is rolled back has not been one.
BEGIN;
INSERT INTO catalogue.rules (role, resource, action) VALUES ('guest', 'statuses', 'create');
SELECT code FROM refusal($$SELECT catalogue.create('statuses', '{}', actor => actor('guest'))$$);
ROLLBACK;
SELECT code, message FROM refusal($$SELECT catalogue.create('statuses', '{}', actor => actor('guest'))$$);

-- Rules are changed through the API by superadmins, and read by users.
SELECT mask(id) AS id
FROM catalogue.create('rules', '{"role": "guest", "resource": "statuses", "action": "create"}', actor => admin());
SELECT code FROM refusal($$SELECT catalogue.create('statuses', '{}', actor => actor('guest'))$$);
SELECT mask(r.id) AS id
FROM catalogue.rules d, catalogue.delete('rules', d.id, admin()) r
WHERE d.resource = 'statuses';
SELECT code FROM refusal($$SELECT catalogue.create('statuses', '{}', actor => actor('guest'))$$);
SELECT code
FROM refusal($$SELECT catalogue.create('rules', '{"role": "guest", "resource": "statuses", "action": "create"}',
    actor => actor('editor'))$$);
SELECT count > 0 AS internal FROM catalogue.list('rules', actor => actor('guest'));
SELECT code, message FROM refusal($$SELECT catalogue.list('rules', actor => '{}')$$);

--
-- Own records
--
-- What a guest makes is its own and a draft, whatever the body says.
SELECT id_of('datasets', 'Airports') AS dataset, id_of('organizations', 'Open Data Office') AS office,
       id_of('organizations', 'Transport Department') AS department \gset
CREATE FUNCTION file(name text, dataset text, organization text, more jsonb DEFAULT '{}') RETURNS json LANGUAGE sql AS
$$
    SELECT (jsonb_build_object('name', name, 'dataset', dataset, 'organization', organization,
        'type', id_of('filetypes', 'csv'), 'updateFrequency', id_of('updatefrequencies', 'Daily'))
        || more)::json
$$;
SELECT id AS file
FROM catalogue.create('files',
    file('of a guest', :'dataset', :'office',
        jsonb_build_object('owner', id_of('users', 'admin'), 'createdBy', id_of('users', 'admin'),
            'status', 'qWRhpRV')),
    actor => actor('guest')) \gset
SELECT o.username AS owner, c.username AS "createdBy", s.name AS status
FROM catalogue.files f
    JOIN catalogue.users o ON o.id = f.owner
    JOIN catalogue.users c ON c.id = f.created_by
    JOIN catalogue.statuses s ON s.id = f.status
WHERE f.id = :'file';
-- It stays so; it is sent for review, and back, but not published.
SELECT mask(r.id) AS id
FROM catalogue.update('files', :'file', json_build_object('owner', id_of('users', 'admin'), 'notes', 'changed'),
    actor => actor('guest')) r;
SELECT o.username AS owner, f.notes
FROM catalogue.files f JOIN catalogue.users o ON o.id = f.owner
WHERE f.id = :'file';
SELECT code, message
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => actor(%L))', 'files', :'file',
    '{"status": "rWRhpRV"}', 'guest'));
SELECT code
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => actor(%L))', 'files', :'file',
    '{"status": "oWRhpRV"}', 'guest'));
-- A guest who owns a record made by another changes it, too; the other way round as well.
SELECT code
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => actor(%L))', 'files', :'file', '{}', 'near'));
UPDATE catalogue.files SET owner = id_of('users', 'near') WHERE id = :'file';
SELECT n AS name, code
FROM unnest('{near,guest,far}'::text[]) n,
    refusal(format('SELECT catalogue.update(%L, %L, %L, actor => actor(%L))', 'files', :'file', '{}', n));
-- A record that is not there is 404, not 403.
SELECT code FROM refusal($$SELECT catalogue.update('files', 'nothing', '{}', actor => actor('guest'))$$);

--
-- Records of an organization: the rule of administrators is limited to theirs
--
SELECT code, message
FROM refusal(format('SELECT catalogue.create(%L, file(%L, %L, %L, %L), actor => actor(%L))', 'files', 'elsewhere',
    :'dataset', :'department', jsonb_build_object('owner', id_of('users', 'editor')), 'editor'));
SELECT code
FROM refusal(format('SELECT catalogue.create(%L, file(%L, %L, %L, %L), actor => actor(%L))', 'files', 'here',
    :'dataset', :'office', jsonb_build_object('owner', id_of('users', 'editor')), 'editor'));
-- Nor is one moved away.
SELECT code
FROM refusal(format('SELECT catalogue.update(%L, id_of(%L, %L), %L, actor => actor(%L))', 'files', 'files', 'here',
    json_build_object('organization', :'department'), 'editor'));
SELECT code
FROM refusal(format('SELECT catalogue.update(%L, id_of(%L, %L), %L, actor => actor(%L))', 'files', 'files', 'here',
    '{"notes": "stays", "status": "qWRhpRV"}', 'editor'));

--
-- Users: nobody raises its role
--
SELECT mask(id) AS id
FROM catalogue.update('users', id_of('users', 'editor'),
    json_build_object('role', 'superadmin', 'active', false, 'organization', :'department', 'firstName', 'New'),
    actor => actor('editor'));
SELECT role, u.active, o.name AS organization, first_name
FROM catalogue.users u JOIN catalogue.organizations o ON o.id = u.organization
WHERE username = 'editor';
SELECT code FROM refusal($$SELECT catalogue.update('users', id_of('users', 'guest'), '{}', actor => actor('editor'))$$);
SELECT mask(id) AS id FROM catalogue.update('users', id_of('users', 'guest'), '{"role": "admin"}', actor => admin());
SELECT code
FROM refusal($$SELECT catalogue.create('views', '{"name": "of a guest no more"}', actor => actor('guest'))$$);

--
-- Mass assignment: every column of every resource that a caller may not write is left as it is
--
CREATE FUNCTION raw(resource text, id text) RETURNS jsonb LANGUAGE plpgsql AS
$$
DECLARE
    record jsonb;
BEGIN
    EXECUTE format('SELECT to_jsonb(t) FROM catalogue.%I t WHERE id = $1', resource) INTO record USING id;
    RETURN record - 'updated_at';
END
$$;
UPDATE catalogue.rules SET organization = false;
UPDATE catalogue.users SET role = 'guest' WHERE username = 'guest';
CREATE TABLE unwritten AS
SELECT c.name AS caller, c.actor, f.resource, f.field, f.column_name, f.type
FROM callers c, catalogue.field f
    JOIN catalogue.resource r USING (resource),
        LATERAL (SELECT (catalogue.describe(f.resource, c.actor)).data::jsonb -> 'update' AS names) d
WHERE c.name IN ('admin', 'editor', 'guest') AND NOT r.read_only AND NOT d.names ? f.field;
CREATE FUNCTION assign(u unwritten) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    id      text := give(u.resource, u.actor ->> 'user', id_of('organizations', 'Open Data Office'));
    before  jsonb := raw(u.resource, id);
BEGIN
    PERFORM catalogue.update(u.resource, id,
        json_build_object(u.field, CASE u.type WHEN 'datetime' THEN '2020-01-01T00:00:00Z' ELSE 'planted' END),
        actor => u.actor);
    RETURN CASE WHEN raw(u.resource, id) = before THEN 'left' ELSE 'changed' END;
EXCEPTION WHEN SQLSTATE 'OD403' THEN
    RETURN CASE WHEN raw(u.resource, id) = before THEN 'refused' ELSE 'changed' END;
END
$$;
SELECT caller, assign AS column, count(*) FROM unwritten u, assign(u) GROUP BY 1, 2 ORDER BY 1, 2;
-- A body with an id makes a record of its own, and changes none.
SELECT r.id <> id_of('tags', 'water') AS "another"
FROM catalogue.create('tags', json_build_object('id', id_of('tags', 'water'), 'name', 'taken over'),
    actor => admin()) r;
SELECT count(*) FROM catalogue.tags WHERE id = id_of('tags', 'water') AND name = 'water';
