--
-- user_data: the records of a user are transferred to another one, and his personal data erased everywhere
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SET datestyle = ISO;
UPDATE catalogue.users SET active = true;

-- A user with records, a field that an operator has added, and traces in all that the service keeps.
ALTER TABLE catalogue.users ADD COLUMN telephone varchar(20);
SELECT count(catalogue.grant_roles()) AS granted;
SELECT make('users', json_build_object('username', 'juarezm', 'password', 'a long secret', 'email',
    'Juarez@personal.example', 'firstName', 'Marijuarez', 'lastName', 'Juarezson', 'avatar',
    'https://personal.example/juarez.png', 'telephone', '0juarez0', 'role', 'admin', 'active', true, 'organization',
    id_of('organizations', 'Open Data Office'))) AS leaver \gset
SELECT jsonb_build_object('user', :'leaver') AS leaving \gset
CREATE FUNCTION stamp() RETURNS text LANGUAGE sql AS
    $$ SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;
SELECT stamp() AS before \gset
SELECT code FROM refusal(format($$SELECT catalogue.update('users', %L, '{"username": "juarez.maria", "email":
    "second.juarez@personal.example", "lastName": "Juarezdottir", "telephone": "1juarez1"}', actor => admin())$$,
    :'leaver'));
SELECT (catalogue.create('tags', '{"name": "of the leaver"}', actor => :'leaving')).id AS tag \gset
SELECT (catalogue.create('tags', '{"name": "deleted by the leaver"}', actor => :'leaving')).id AS gone \gset
SELECT code FROM refusal(format($$SELECT catalogue.delete('tags', %L, %L)$$, :'gone', :'leaving'));
SELECT (catalogue.create('datasets', json_build_object('name', 'Of the leaver', 'description', 'A dataset', 'license',
        'CC0', 'updateFrequency', (SELECT min(id) FROM catalogue.updatefrequencies), 'organization',
        id_of('organizations', 'Open Data Office'), 'owner', :'leaver',
        'categories', json_build_array((SELECT min(id) FROM catalogue.categories)),
        'tags', json_build_array(:'tag')), actor => :'leaving')).id AS dataset \gset
SELECT catalogue.record_statistics(format(
    E'%1$s\tGET\ttags\t/tags\tquery=juarez%%40personal.example\t%2$s\tjuarez browser\t192.0.2.7\n'
    '%1$s\tGET\tusers\t/users\tusername=juarez.maria&limit=1\t\tbrowser\t192.0.2.9\n',
    (extract(epoch FROM now()) * 1000000)::bigint, :'leaver'));
SELECT client, ip FROM catalogue.statistics WHERE client ~ 'juarez';

-- The log of an earlier version has addresses, and a log record that expired is in the history as well.
SET session_replication_role = replica;
UPDATE catalogue.logs
SET changes = '{"email":{"before":"juarez@personal.example","after":"second.juarez@personal.example"}}'
WHERE resource = :'leaver' AND action = 'create';
RESET session_replication_role;
SELECT catalogue.seal_log() > 0 AS sealed;
SELECT count(*) FROM catalogue.verify_log();

-- Every table in which a text occurs.
CREATE FUNCTION occurrences(wanted text) RETURNS TABLE (place text, rows bigint) LANGUAGE plpgsql AS
$$
DECLARE
    target  regclass;
BEGIN
    FOR target IN
        SELECT c.oid FROM pg_catalog.pg_class c
        WHERE c.relnamespace IN ('catalogue'::regnamespace, 'catalogue_history'::regnamespace) AND c.relkind = 'r'
        ORDER BY c.oid::regclass::text COLLATE "C"
    LOOP
        EXECUTE format('SELECT %L, count(*) FROM %s t WHERE t::text ~* $1 HAVING count(*) > 0', target, target)
            INTO place, rows USING wanted;
        CONTINUE WHEN rows IS NULL;
        RETURN NEXT;
    END LOOP;
END
$$;
SELECT * FROM occurrences('juarez');

-- Who may transfer: superadmins, and whom a rule lets, to himself only.
CREATE FUNCTION transfer(who text, giver text, body json) RETURNS text LANGUAGE sql AS
    $$ SELECT code || ' ' || message
       FROM refusal(format('SELECT catalogue.transfer(''users'', %L, %L, actor => %L)', giver, body, CASE who
           WHEN 'outsider' THEN '{}' ELSE actor(who)::text END)) $$;
SELECT who, transfer(who, :'leaver', json_build_object('to', id_of('users', 'editor')))
FROM unnest('{outsider,guest,editor}'::text[]) who;
INSERT INTO catalogue.rules (role, resource, action) VALUES ('admin', 'users', '*');
SELECT transfer('editor', :'leaver', json_build_object('to', id_of('users', 'editor'))) AS any_action,
    (refusal(format($$SELECT catalogue.erase('users', %L, actor => %L)$$, :'leaver', actor('editor')))).code AS erased;
DELETE FROM catalogue.rules WHERE resource = 'users' AND action = '*';
INSERT INTO catalogue.rules (role, resource, action) VALUES ('admin', 'users', 'transfer');
SELECT transfer('editor', :'leaver', json_build_object('to', id_of('users', 'admin'))) AS to_others;
SELECT transfer('admin', :'leaver', b.body) FROM (VALUES
    (1, '{}'::json), (2, '{"to": 7}'), (3, '{"to": "nobody"}'), (4, json_build_object('to', :'leaver')),
    (5, '[]')) b(n, body)
ORDER BY n;
SELECT f.* FROM faults(format($$SELECT catalogue.transfer('users', %L, '{"to": "nobody"}')$$, :'leaver')) f;
SELECT transfer('admin', 'nobody', json_build_object('to', id_of('users', 'editor')));
SELECT code, message FROM refusal(format($$SELECT catalogue.transfer('tags', %L, '{"to": "nobody"}')$$, :'tag'));
SELECT code, message FROM refusal(format($$SELECT catalogue.act('users', %L, %L)$$, :'leaver', 'erase'));
SELECT code, message FROM refusal(format($$SELECT catalogue.transfer('users', %L, %L, actor => %L)$$, :'leaver',
    json_build_object('to', id_of('users', 'editor'), 'too', 1), admin() || '{"handling": "strict"}'));
UPDATE catalogue.users SET active = false WHERE username = 'guest';
SELECT transfer('admin', :'leaver', json_build_object('to', id_of('users', 'guest'))) AS to_inactive;
SELECT code, message
FROM refusal(format($$SELECT catalogue.transfer('users', %L, '{}', match => 'another')$$, :'leaver'));
SELECT count(*) FROM catalogue.tags WHERE created_by = :'leaver';

-- While he has records, he cannot be deleted; then he can.
SELECT message, hint FROM refusal(format($$SELECT catalogue.delete('users', %L, admin())$$, :'leaver'));
INSERT INTO catalogue.import_source (source, "user") VALUES ('of the leaver', :'leaver');
SELECT count(*) AS logs FROM catalogue.logs \gset
SELECT (t).ignored, (t).meta, (t).id = :'leaver' AS same
FROM catalogue.transfer('users', :'leaver', json_build_object('to', id_of('users', 'editor'), 'from', 1),
    actor => actor('editor')) t;
SELECT created_by = id_of('users', 'editor') AS transferred FROM catalogue.tags WHERE id IN (:'tag', :'gone');
SELECT owner = created_by AND owner = id_of('users', 'editor') AS transferred FROM catalogue.datasets
WHERE id = :'dataset';
SELECT "user" = id_of('users', 'editor') AS transferred FROM catalogue.import_source;
SELECT l.target, l.action, l."user" = id_of('users', 'editor') AS by_actor,
    (SELECT string_agg(k, ', ') FROM json_object_keys(l.changes) k) AS changed
FROM catalogue.logs l ORDER BY l.id DESC LIMIT (SELECT count(*) - :logs FROM catalogue.logs);
SELECT (catalogue.restore('tags', :'gone', actor => admin())).id = :'gone' AS restored;
SELECT meta FROM catalogue.transfer('users', :'leaver', json_build_object('to', id_of('users', 'editor'))) AS again;
SELECT count(*) FROM catalogue.check();

-- A right that is limited to an organization does not reach records of another one.
BEGIN;
UPDATE catalogue.rules SET organization = true WHERE resource = 'users' AND action = 'transfer';
UPDATE catalogue.datasets SET created_by = :'leaver', organization = id_of('organizations', 'Statistics Office')
WHERE id = :'dataset';
SELECT transfer('editor', :'leaver', json_build_object('to', id_of('users', 'editor')));
UPDATE catalogue.users SET organization = id_of('organizations', 'Statistics Office') WHERE id = :'leaver';
SELECT transfer('editor', :'leaver', json_build_object('to', id_of('users', 'editor')));
ROLLBACK;

-- Who may erase: superadmins, and whom a rule lets.
CREATE FUNCTION erase(who text, id text) RETURNS text LANGUAGE sql AS
    $$ SELECT code || ' ' || message
       FROM refusal(format('SELECT catalogue.erase(''users'', %L, actor => %L)', id, CASE who
           WHEN 'outsider' THEN '{}' ELSE actor(who)::text END)) $$;
SELECT who, erase(who, :'leaver') FROM unnest('{outsider,guest,editor}'::text[]) who;
SELECT erase('admin', 'nobody');
SELECT code, message FROM refusal(format($$SELECT catalogue.erase('tags', %L)$$, :'tag'));
SELECT code, message FROM refusal(format($$SELECT catalogue.erase('users', %L, match => 'another')$$, :'leaver'));
SELECT erase('admin', id_of('users', 'admin')) AS last_superadmin;
BEGIN;
INSERT INTO catalogue.rules (role, resource, action, own) VALUES ('admin', 'users', 'erase', true);
SELECT erase('editor', :'leaver') AS others;
SELECT erase('editor', id_of('users', 'editor')) AS own;
ROLLBACK;
BEGIN;
ALTER TABLE catalogue.users ADD COLUMN badge text NOT NULL DEFAULT 'x';
ALTER TABLE catalogue.users ALTER badge DROP DEFAULT;
SELECT erase('admin', :'leaver') AS no_default;
ROLLBACK;
SELECT * FROM occurrences('juarez');

-- What he has asked as a visitor goes with its reply, by whichever of his addresses, also if it is deleted already.
SELECT q.text, (catalogue.create('questions', json_build_object('dataset', id_of('datasets', 'Airports'),
    'text', q.text, 'email', q.email), actor => '{}')).id IS NOT NULL AS asked
FROM (VALUES ('Juarez asks', (SELECT upper(u.email) FROM catalogue.users u WHERE u.id = :'leaver')),
    ('Juarez asked once', (SELECT min(h.email) FROM catalogue_history.users h WHERE h.id = :'leaver')),
    ('another asks', 'other@another.example'), ('nobody asks', NULL)) q(text, email);
SELECT (catalogue.create('datasetrequests', json_build_object('about', 'Trees', 'description', 'All', 'email', e.email,
    'categories', json_build_array(id_of('categories', 'Transport'))), actor => '{}')).id IS NOT NULL AS wanted
FROM unnest('{Juarez@personal.example,other@another.example}'::text[]) e(email);
SELECT (catalogue.update('questions', q.id, '{"reply": "So it is.", "replyPublic": true}', actor => admin())).id = q.id
    AS replied
FROM catalogue.questions q WHERE q.text = 'Juarez asks';
SELECT (catalogue.delete('questions', q.id, actor => admin())).id IS NOT NULL AS deleted
FROM catalogue.questions q WHERE q.text = 'Juarez asked once';

-- Erased: nothing of him is left, wherever it was; what is not personal stays.
SELECT catalogue.seal_log() > 0 AS sealed;
SELECT id AS earlier FROM catalogue.logs WHERE resource = :'leaver' AND action = 'create' \gset
SELECT (e).meta, (e).id = :'leaver' AS same FROM catalogue.erase('users', :'leaver', actor => admin()) e;
SELECT * FROM occurrences('juarez');
SELECT q.text FROM catalogue.questions q ORDER BY 1;
SELECT r.about, replace(r.email, :'leaver', '<id>') AS email FROM catalogue.datasetrequests r ORDER BY 2;
SELECT pg_catalog.count(*) AS states FROM catalogue_history.questions h WHERE h.text LIKE 'Juarez%';
SELECT replace(username, id, '<id>') AS username, replace(email, id, '<id>') AS email, first_name, last_name, full_name,
    avatar, telephone, role, active, deactivated_at IS NOT NULL AS deactivated
FROM catalogue.users WHERE id = :'leaver';
SELECT replace(username, id, '<id>') AS username, first_name, telephone, role FROM catalogue_history.users
WHERE id = :'leaver';
SELECT client, useragent, ip, querystring FROM catalogue.statistics ORDER BY id DESC LIMIT 2;
SELECT client, requests FROM catalogue.statistics_by_day ORDER BY client COLLATE "C" DESC, requests;
SELECT action, regexp_replace(mask(changes::text), '[0-9a-f]{64}', '<hash>', 'g') AS changes,
    "user" = id_of('users', 'admin') AS by_admin
FROM catalogue.logs WHERE resource = :'leaver' ORDER BY id;
SELECT catalogue.list('users', 'limit=100', actor => admin())::text ~* 'juarez' AS listed,
    catalogue.list('users', 'limit=100&version=' || :'before', actor => admin())::text ~* 'juarez' AS listed_before,
    catalogue.versions('users', :'leaver', actor => admin())::text ~* 'juarez' AS in_versions,
    catalogue.record_logs('users', :'leaver', actor => admin())::text ~* 'juarez' AS in_logs,
    catalogue.list('users', 'query=juarez', actor => admin())::text ~* 'juarez' AS searched;
SELECT (catalogue.login('{"username": "juarez.maria", "password": "a long secret"}')).data AS login;
SELECT data FROM catalogue.login(json_build_object('username', 'erased-' || :'leaver', 'password', 'a long secret'));
SELECT code, message FROM refusal(format($$SELECT catalogue.session(%L)$$, :'leaving'));
SELECT code, regexp_replace(message, ' of .*', ' of …') AS message FROM refusal(format($$SELECT catalogue.undo(%L)$$,
    (SELECT max(id) FROM catalogue.logs WHERE resource = :'leaver')));
SELECT * FROM catalogue.check();

-- The log says which records were erased; the others, and the erasure itself, are as they were sealed.
SELECT catalogue.seal_log() > 0 AS sealed;
CREATE VIEW found AS SELECT kind, subject = 'logs/' || l.id AS of_him, l.action, mask(regexp_replace(problem,
    '\d{4}-\d\d-\d\d, position \d+', '<day>, position <n>')) AS problem, hint
FROM catalogue.verify_log() LEFT JOIN catalogue.logs l ON 'logs/' || l.id = subject ORDER BY subject;
SELECT * FROM found;
SELECT catalogue.verify_log_by_schedule() AS findings;
-- Who changes an erased record, or the record of the erasure, is found.
BEGIN;
SET LOCAL session_replication_role = replica;
UPDATE catalogue.logs SET changes = '{"role":{"before":"admin","after":"guest"}}' WHERE id = :'earlier';
SELECT kind, action FROM found;
ROLLBACK;
BEGIN;
SET LOCAL session_replication_role = replica;
UPDATE catalogue.logs SET changes = '{"username":{"omitted":true}}'
WHERE id = (SELECT max(id) FROM catalogue.logs WHERE resource = :'leaver');
SELECT kind, action FROM found;
ROLLBACK;

-- Erased once more there is nothing to erase; a deleted user is erased as well, and stays deleted.
SELECT meta FROM catalogue.erase('users', :'leaver');
SELECT make('users', json_build_object('username', 'juarez', 'password', 'a long secret', 'email',
    'juarez@personal.example', 'organization', id_of('organizations', 'Open Data Office'))) AS second \gset
SELECT code FROM refusal(format($$SELECT catalogue.delete('users', %L, admin())$$, :'second'));
SELECT code, message FROM refusal(format($$SELECT catalogue.erase('users', %L, match => 'another')$$, :'second'));
SELECT meta FROM catalogue.erase('users', :'second', actor => admin());
SELECT deleted_at IS NOT NULL AS deleted, active FROM catalogue.users WHERE id = :'second';
SELECT catalogue.seal_log() > 0 AS sealed;
-- A restored user is as anonymous, and has another password.
SELECT code, message FROM refusal(format($$SELECT catalogue.restore('users', %L)$$, :'leaver'));
SELECT code, message FROM refusal(format($$SELECT catalogue.update('users', %L, '{"active": true}')$$, :'leaver'));
SELECT data FROM catalogue.login(json_build_object('username', 'erased-' || :'leaver', 'password', 'a long secret'));
SELECT replace(username, id, '<id>') AS username FROM catalogue.users WHERE id = :'leaver' AND deactivated_at IS NULL;
SELECT * FROM occurrences('juarez');
SELECT count(*) FROM found;
