--
-- webhooks: messages in the order of commits, the same until they are accepted, with what their user sees
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

COPY (SELECT repeat('0123456789abcdef', 4)) TO PROGRAM 'umask 077; cat > regress_webhooks_key';
SET catalogue.secret_key_file = 'regress_webhooks_key';

-- What a record takes.
SELECT catalogue.create('webhooks', '{"url": "ftp://example.org", "secret": "x", "resources": "tags", "active": 1,
    "failingSince": "2026-01-01T00:00:00Z"}', actor => admin());
SELECT catalogue.create('webhooks', '{"url": "https://example.org/", "secret": "12345678901234567890123"}',
    actor => admin());
SELECT catalogue.create('webhooks',
    '{"url": "https://example.org/", "secret": "123456789012345678901234", "resources": ["tags", "nothing"]}',
    actor => admin());
SELECT catalogue.create('webhooks', '{"url": "https://example.org/", "secret": "123456789012345678901234"}',
    actor => '{}');
-- Behind whsec_ a key in base64, as libraries decode it: with padding, in the usual alphabet.
SELECT s.secret, r.code, r.detail
FROM unnest('{whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX,whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGA==,
        whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBk=,whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGA,
        whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGA=,whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX====,
        whsec_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_,whsec_not base64 at all,whsec_AAECAwQFBgcICQoL DA0ODxAREhMUFRY,
        WHSEC_is another secret}'::text[]) s(secret),
    refusal(format('SELECT catalogue.create(''webhooks'', %L, actor => admin())',
        json_build_object('url', 'https://example.org/', 'secret', s.secret, 'active', false))) r;
SELECT r.code, r.detail
FROM refusal(format('SELECT catalogue.create(''webhooks'', %L, actor => admin())',
    json_build_object('url', 'https://example.org/', 'secret', E'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX\n'))) r;

CREATE FUNCTION hook(url text, resources text) RETURNS text LANGUAGE sql AS
$$
    SELECT (catalogue.create('webhooks', json_build_object('url', $1, 'secret', 'the secret of ' || $1,
        'resources', $2::json), actor => admin())).id;
$$;
-- A row for each event of the messages that a worker gets.
CREATE FUNCTION taken(worker text, lease interval DEFAULT '1 min')
    RETURNS TABLE (url text, serial bigint, event text, resource text, secret text) LANGUAGE sql AS
$$
    SELECT t.url, t.serial, e ->> 'event', e ->> 'resource', t.secret
    FROM catalogue.webhook_take($1, 16, $2) t
        CROSS JOIN json_array_elements(t.message::json #> '{data,events}') WITH ORDINALITY a(e, n)
    ORDER BY t.url, n;
$$;
SELECT hook('https://a.example.org', '["tags"]') AS a, hook('https://b.example.org', '["categories"]') AS b \gset
SELECT url, resources, active, "failingSince", "failureReason", secret
FROM json_to_record((SELECT data::json FROM catalogue.item('webhooks', :'a', actor => admin())))
    AS r(url text, resources text, active boolean, "failingSince" text, "failureReason" text, secret text);
-- Nothing has happened since that they want.
SELECT * FROM taken('w1');

-- One message at a time, signed with its own secret, with what happened in between; other resources are passed over.
SELECT (catalogue.create('tags', '{"name": "one"}', actor => admin())).id AS tag \gset
SELECT (catalogue.update('tags', :'tag', '{"name": "two"}', actor => admin())).resource;
SELECT * FROM taken('w1');
-- It is nobody else's until the lease ends, and then the same although more has happened.
SELECT (catalogue.delete('tags', :'tag', actor => admin())).resource;
SELECT * FROM taken('w2');
UPDATE catalogue.webhook_state SET due_at = now();
SELECT * FROM taken('w2');
SELECT catalogue.webhook_done(:'a', 'w1', 1) AS former_worker, catalogue.webhook_done(:'a', 'w2', 2) AS other_message,
       catalogue.webhook_done(:'a', 'w2', 1) AS done, catalogue.webhook_done(:'a', 'w2', 1) AS again;
SELECT event, serial FROM taken('w1');

-- A failure postpones the next attempt; the record shows since when and why.
SELECT catalogue.webhook_failed(:'a', 'w2', 2, 'not mine', false) AS former_worker,
       catalogue.webhook_failed(:'a', 'w1', 2, 'it answers with status 500', false) AS mine;
SELECT w.failing_since IS NOT NULL AS failing, w.failure_reason, w.active, s.attempts, s.worker,
       s.due_at BETWEEN now() + '4 s' AND now() + '6 s' AS soon
FROM catalogue.webhooks w JOIN catalogue.webhook_state s ON s.webhook = w.id
WHERE w.id = :'a';
SELECT * FROM taken('w1');
UPDATE catalogue.webhook_state SET due_at = now(), attempts = 40;
SELECT event, serial FROM taken('w1');
SELECT catalogue.webhook_failed(:'a', 'w1', 2, 'it answers with status 500', false);
SELECT attempts, due_at BETWEEN now() + '53 min' AND now() + '67 min' AS late
FROM catalogue.webhook_state
WHERE webhook = :'a';
-- A client sets neither, nor another address.
SELECT (catalogue.update('webhooks', :'a', '{"failureReason": "none", "url": "https://c.example.org"}',
    actor => admin())).resource;
SELECT url, failure_reason FROM catalogue.webhooks WHERE id = :'a';

-- Deactivated it is sent nothing; activated it goes on at once with what it has missed.
SELECT (catalogue.update('webhooks', :'a', '{"active": false}', actor => admin())).resource;
SELECT (catalogue.create('tags', '{"name": "three"}', actor => admin())).resource;
UPDATE catalogue.webhook_state SET due_at = now();
SELECT * FROM taken('w1');
UPDATE catalogue.webhook_state SET due_at = now() + '1 h' WHERE webhook = :'a';
SELECT (catalogue.update('webhooks', :'a', '{"active": true}', actor => admin())).resource;
SELECT event, serial FROM taken('w1');
SELECT catalogue.webhook_done(:'a', 'w1', 2);
SELECT failing_since, failure_reason FROM catalogue.webhooks WHERE id = :'a';
SELECT event, serial FROM taken('w1');
-- A receiver that is gone for good is not tried again.
SELECT catalogue.webhook_failed(:'a', 'w1', 3, 'gone', true);
SELECT active, failure_reason FROM catalogue.webhooks WHERE id = :'a';

-- Without new events nothing is written.
SELECT * FROM taken('w1');
SELECT xmin AS before FROM catalogue.webhook_state WHERE webhook = :'b' \gset
SELECT * FROM taken('w1');
SELECT xmin = :'before' AS same FROM catalogue.webhook_state WHERE webhook = :'b';

-- The events are those that the user sees who made it; without access there are none, and the reason is told.
SELECT make('users', json_build_object('username', 'listener', 'email', 'l@example.org', 'password', 'a long word',
    'role', 'admin', 'organization', (SELECT id FROM catalogue.organizations LIMIT 1))) AS editor \gset
INSERT INTO catalogue.rules (role, resource, action) VALUES ('admin', 'webhooks', 'create');
UPDATE catalogue.webhooks SET created_by = :'editor', resources = '["configs","categories"]' WHERE id = :'b';
SELECT make('configs', '{"key": "sealed", "description": "s", "type": "string", "category": "site", "secret": true}')
    AS config \gset
SELECT (catalogue.create('categories', '{"name": "seen", "color": "112233"}', actor => admin())).resource;
SELECT event, resource FROM taken('w1');
SELECT catalogue.webhook_done(:'b', 'w1', 1);
SELECT (catalogue.create('categories', '{"name": "too late", "color": "112233"}', actor => admin())).resource;
SELECT (catalogue.deactivate('users', :'editor', actor => admin())).resource;
SELECT event, resource FROM taken('w1');
SELECT failure_reason FROM catalogue.webhooks WHERE id = :'b';

-- Who may not create webhooks any more gets nothing, not even a message that was begun, until the right is back.
INSERT INTO catalogue.rules (role, resource, action) VALUES ('guest', 'webhooks', 'create');
SELECT make('users', json_build_object('username', 'visitor', 'email', 'v@example.org', 'password', 'a long word',
    'role', 'guest', 'organization', (SELECT id FROM catalogue.organizations LIMIT 1))) AS visitor \gset
UPDATE catalogue.users SET active = true WHERE id = :'visitor';
UPDATE catalogue.webhooks SET created_by = :'visitor', resources = '["tags"]' WHERE id = :'b';
SELECT (catalogue.create('tags', '{"name": "for a guest"}', actor => admin())).resource;
UPDATE catalogue.webhook_state SET due_at = now() WHERE webhook = :'b';
SELECT event, resource FROM taken('w1');
DELETE FROM catalogue.rules WHERE resource = 'webhooks';
UPDATE catalogue.webhook_state SET due_at = now() WHERE webhook = :'b';
SELECT event, resource FROM taken('w1');
SELECT failure_reason FROM catalogue.webhooks WHERE id = :'b';
INSERT INTO catalogue.rules (role, resource, action) VALUES ('guest', 'webhooks', 'create');
UPDATE catalogue.webhook_state SET due_at = now() WHERE webhook = :'b';
SELECT event, resource, serial FROM taken('w1');
SELECT catalogue.webhook_done(:'b', 'w1', 2);

-- One user has at most half of the messages that a worker sends at once: those that it has, and those that it takes.
UPDATE catalogue.webhooks SET active = false WHERE id <> :'b';
SELECT count(hook('https://' || n || '.example.org', '["tags"]')) FROM generate_series(1, 12) n;
SELECT (catalogue.create('tags', '{"name": "for many"}', actor => admin())).resource;
CREATE FUNCTION owners(most integer) RETURNS TABLE (owner text, webhooks bigint) LANGUAGE sql AS
$$
    SELECT u.username, count(*)
    FROM catalogue.webhook_take('w1', $1, '1 min') t JOIN catalogue.webhooks w ON w.id = t.webhook
        JOIN catalogue.users u ON u.id = w.created_by
    GROUP BY 1 ORDER BY 1;
$$;
SELECT * FROM owners(16);
SELECT * FROM owners(7);
SELECT count(catalogue.webhook_done(s.webhook, 'w1', s.serial))
FROM (SELECT * FROM catalogue.webhook_state WHERE worker = 'w1' ORDER BY webhook LIMIT 6) s;
SELECT * FROM owners(13);
-- A worker that sends one message at a time sends to each in turn.
UPDATE catalogue.webhook_state SET due_at = now(), worker = NULL;
SELECT * FROM owners(1);
UPDATE catalogue.webhooks SET active = false;

-- A commit of more events than a message has is sent whole, in order, without another commit.
SELECT hook('https://many.example.org', '["tags"]') AS many \gset
SELECT count(catalogue.create('tags', json_build_object('name', 'many ' || n), actor => admin())) AS created
FROM generate_series(1, 300) n;
CREATE TABLE told (n serial, serial bigint, id text);
CREATE FUNCTION take_all() RETURNS integer LANGUAGE plpgsql AS
$$
DECLARE
    taken  record;
    count  integer := 0;
BEGIN
    LOOP
        SELECT t.* INTO taken FROM catalogue.webhook_take('w1', 16, '1 min') t;
        EXIT WHEN NOT FOUND;
        count := count + 1;
        INSERT INTO told (serial, id)
        SELECT taken.serial, e ->> 'id' FROM json_array_elements(taken.message::json #> '{data,events}') e;
        PERFORM catalogue.webhook_done(taken.webhook, 'w1', taken.serial);
    END LOOP;
    RETURN count;
END
$$;
SELECT take_all() > 2 AS several;
SELECT count(*), count(DISTINCT t.id) AS records, bool_and(l.name = 'many ' || t.n) AS in_order
FROM told t JOIN catalogue.tags l ON l.id = t.id;
SELECT take_all() AS more;

-- The last attempts, newest first; the last message once more, also where nothing has happened since.
UPDATE catalogue.webhooks SET active = false;
UPDATE catalogue.webhook_state SET worker = NULL;
SELECT hook('https://again.example.org', '["tags"]') AS again \gset
SELECT (catalogue.webhook_deliveries(:'again', admin())).data AS none;
SELECT code, message FROM refusal(format('SELECT catalogue.webhook_redeliver(%L, admin())', :'again'));
SELECT (catalogue.create('tags', '{"name": "again"}', actor => admin())).resource;
SELECT event, serial FROM taken('w1');
SELECT catalogue.webhook_failed(:'again', 'w1', 1, 'it answers with status 500', false);
SELECT event, serial FROM taken('w1');
SELECT (catalogue.webhook_redeliver(:'again', admin())).resource;
SELECT event, serial FROM taken('w1');
SELECT catalogue.webhook_done(:'again', 'w1', 1);
SELECT event, serial FROM taken('w1');
SELECT (catalogue.webhook_redeliver(:'again', admin())).resource;
SELECT event, serial FROM taken('w1');
-- while it is sent another call changes nothing
SELECT (catalogue.webhook_redeliver(:'again', admin())).resource;
SELECT event, serial FROM taken('w2');
SELECT catalogue.webhook_done(:'again', 'w1', 1);
SELECT (catalogue.create('tags', '{"name": "after it"}', actor => admin())).resource;
SELECT event, serial FROM taken('w1');
SELECT mask(a ->> 'message') AS message, a ->> 'accepted' AS accepted, a ->> 'reason' AS reason,
    a ->> 'time' <> '' AS at
FROM json_array_elements((SELECT data::json FROM catalogue.webhook_deliveries(:'again', admin()))) a;
SELECT count(catalogue.postpone_webhook(:'again', 'no')) FROM generate_series(1, 30);
SELECT json_array_length((SELECT data::json FROM catalogue.webhook_deliveries(:'again', admin()))) AS at_most;
-- Retries end after three days of failures, and the record tells it, until it is sent again.
UPDATE catalogue.webhooks SET failing_since = now() - interval '71 h' WHERE id = :'again';
SELECT catalogue.postpone_webhook(:'again', 'it answers with status 500');
SELECT active, failure_reason FROM catalogue.webhooks WHERE id = :'again';
UPDATE catalogue.webhooks SET failing_since = now() - interval '73 h' WHERE id = :'again';
SELECT catalogue.postpone_webhook(:'again', 'it answers with status 500');
SELECT active, failure_reason FROM catalogue.webhooks WHERE id = :'again';
SELECT event, serial FROM taken('w1');
SELECT (catalogue.webhook_redeliver(:'again', admin())).resource;
SELECT event, serial FROM taken('w1');
SELECT catalogue.webhook_failed(:'again', 'w1', 2, 'it answers with status 502', false);
SELECT active, failure_reason FROM catalogue.webhooks WHERE id = :'again';
-- Only who sees it, and may change it.
SELECT code FROM refusal(format('SELECT catalogue.webhook_deliveries(%L, %L)', :'again', '{}'));
SELECT code FROM refusal(format('SELECT catalogue.webhook_redeliver(%L, %L)', :'again', '{}'));
SELECT code FROM refusal(format('SELECT catalogue.webhook_redeliver(%L, %L)', :'again',
    json_build_object('user', :'visitor')));
SELECT code FROM refusal('SELECT catalogue.webhook_deliveries(''nothing'', admin())');
UPDATE catalogue.webhooks SET active = false;

-- Where the log does not reach back any more, the message says so.
SELECT hook('https://d.example.org', NULL) AS d \gset
UPDATE catalogue.webhook_state SET place = '0-' WHERE webhook = :'d';
UPDATE catalogue.change SET commit_number = commit_number + 1000 WHERE commit_number IS NOT NULL;
SELECT message::json #>> '{data,reset}' AS reset FROM catalogue.webhook_take('w1', 16, '1 min') WHERE url LIKE '%d.%';
\! rm -f regress_webhooks_key
