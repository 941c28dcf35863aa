--
-- login: who may, and what is kept of passwords
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE FUNCTION attempt(username text, password text) RETURNS text LANGUAGE sql AS
$$
    SELECT coalesce('accepted ' || (l.data::json ->> 'username'), 'refused ' || l.data)
    FROM catalogue.login(json_build_object('username', $1, 'password', $2)) l
$$;
SELECT make('users',
    json_build_object('username', 'ana', 'password', 'correct horse ñ', 'email', 'ana@example.org',
        'organization', id_of('organizations', 'Open Data Office'), 'role', 'admin', 'active', true)) AS ana \gset

-- The right password: id, name and role; no password.
SELECT resource, mask(id) AS id, mask(data) AS data
FROM catalogue.login('{"username": "ana", "password": "correct horse ñ"}');

-- The letter case of the name does not count.
SELECT data::json ->> 'username' AS username FROM catalogue.login('{"username": "ANA", "password": "correct horse ñ"}');

-- The same refusal, whatever is wrong: password, its case, name, a very long password.
SELECT attempt('ana', 'wrong');
SELECT attempt('ana', 'Correct horse ñ');
SELECT attempt('nobody', 'correct horse ñ');
SELECT attempt('ana''--', 'correct horse ñ');
SELECT attempt('ana', repeat('x', 100000));

-- The hash is not the password.
SELECT attempt('ana', password) FROM catalogue.users WHERE username = 'ana';

-- Missing members: 400 with the faults; of another type; no object.
SELECT * FROM faults($$SELECT catalogue.login('{}')$$);
SELECT * FROM faults($$SELECT catalogue.login('{"username": "ana", "password": ""}')$$);
SELECT * FROM faults($$SELECT catalogue.login('{"username": 1, "password": ["x"]}')$$);
SELECT * FROM refusal($$SELECT catalogue.login('[]')$$);
SELECT * FROM refusal($$SELECT catalogue.login(NULL)$$);

-- Other members are ignored and named; faults with all others where that is asked for.
SELECT data::json ->> 'username' AS username, ignored
FROM catalogue.login('{"username": "ana", "password": "correct horse ñ", "pasword": "x", "remember": true}');
SELECT *
FROM faults($$SELECT catalogue.login('{"username": "ana", "pasword": "correct horse ñ", "remember": true}',
    strict => true)$$);
SELECT data::json ->> 'username' AS username, ignored
FROM catalogue.login('{"username": "ana", "password": "correct horse ñ"}', strict => true);

-- A new password replaces the old one.
SELECT mask(id) AS id FROM catalogue.update('users', :'ana', '{"password": "battery staple"}', actor => admin());
SELECT attempt('ana', 'correct horse ñ') AS old, attempt('ana', 'battery staple') AS new;

-- A change of something else leaves it.
SELECT mask(id) AS id FROM catalogue.update('users', :'ana', '{"firstName": "Ana"}', actor => admin());
SELECT attempt('ana', 'battery staple');

-- session: the same answer for the credential of a user.
SELECT mask(data) AS data FROM catalogue.session(actor('ana'));
SELECT code, message FROM refusal($$SELECT catalogue.session('{}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.session(NULL)$$);
SELECT code, message FROM refusal($$SELECT catalogue.session('{"user": "nobody"}')$$);

-- A session: login and session() name the instant that the user's tokens bear; another instant is a token that was
-- ended.
SELECT version AS began, jsonb_build_object('user', id, 'session', version) AS holder
FROM catalogue.login('{"username": "ana", "password": "battery staple"}') \gset
SELECT version = :'began' AS same FROM catalogue.session(:'holder');
SELECT code, message, hint
FROM refusal($$SELECT catalogue.list('tags', actor => actor('ana') || '{"session": "2020-01-01T00:00:00.000000Z"}')$$);

-- Logging out ends it, changes nothing else, and is no entry of the log; later sessions begin later, whatever the clock
-- does.
CREATE TABLE former AS SELECT u.*, (SELECT count(*) FROM catalogue.logs) AS entries
    FROM catalogue.users u
    WHERE username = 'ana';
SELECT data FROM catalogue.logout(:'holder');
SELECT code, message FROM refusal(format('SELECT catalogue.session(%L)', :'holder'));
SELECT u.session > f.session AS later, (SELECT count(*) FROM catalogue.logs) - f.entries AS entries,
       to_jsonb(u) - 'session' = to_jsonb(f) - 'session' - 'entries' AS else_same
FROM catalogue.users u JOIN former f USING (id);
UPDATE catalogue.users SET session = '2999-01-01' WHERE username = 'ana';
SELECT data FROM catalogue.logout(actor('ana'));
UPDATE catalogue.users SET password = 'battery staple' WHERE username = 'ana';
SELECT session FROM catalogue.users WHERE username = 'ana';
SELECT code, message FROM refusal($$SELECT catalogue.logout('{}')$$);

-- No client writes it.
SELECT mask(id) AS id FROM catalogue.update('users', :'ana', '{"session": "2020-01-01"}', actor => admin());
SELECT session FROM catalogue.users WHERE username = 'ana';

-- A role that changes shows at once.
UPDATE catalogue.users SET role = 'guest' WHERE username = 'ana';
SELECT data::json ->> 'role' AS role FROM catalogue.session(actor('ana'));

-- Not active, deactivated, deleted: neither login nor session, told as a wrong password is.
SELECT actor('ana') AS actor \gset
UPDATE catalogue.users SET active = false WHERE username = 'ana';
SELECT attempt('ana', 'battery staple');
SELECT code FROM refusal(format('SELECT catalogue.session(%L)', :'actor'));
UPDATE catalogue.users SET active = true WHERE username = 'ana';
SELECT mask(id) AS id FROM catalogue.deactivate('users', :'ana', actor => admin());
SELECT attempt('ana', 'battery staple');
SELECT code FROM refusal(format('SELECT catalogue.session(%L)', :'actor'));
SELECT mask(id) AS id FROM catalogue.restore('users', :'ana', actor => admin());
SELECT attempt('ana', 'battery staple');
SELECT mask(id) AS id FROM catalogue.delete('users', :'ana', admin());
SELECT attempt('ana', 'battery staple');
SELECT code FROM refusal(format('SELECT catalogue.session(%L)', :'actor'));

-- The seeded administrator has the given password; the other seeded users nobody's.
SELECT attempt('editor', 'editor') AS editor, attempt('guest', 'guest') AS guest;

--
-- What is kept of passwords
--
-- A yescrypt hash with a salt of its own: the same password twice gives two hashes.
INSERT INTO catalogue.users (username, password, email, organization, created_by)
SELECT n, 'the same for both', n || '@example.org', id_of('organizations', 'Open Data Office'), id_of('users', 'admin')
FROM unnest('{eva,leo}'::text[]) n;
SELECT count(*) AS users, count(DISTINCT password) AS hashes,
       bool_and(password ~ '^\$y\$[./0-9A-Za-z]+\$[./0-9A-Za-z]{22}\$[./0-9A-Za-z]{43}$') AS yescrypt
FROM catalogue.users
WHERE username IN ('eva', 'leo');
SELECT attempt('eva', 'the same for both') AS eva, attempt('leo', 'the same for both') AS leo;

-- A hash that a client gives is a password like any other: it lets nobody in who knows another's hash.
SELECT mask(id) AS id
FROM catalogue.update('users', id_of('users', 'leo'),
    json_build_object('password', (SELECT password FROM catalogue.users WHERE username = 'eva')), actor => admin());
SELECT attempt('leo', 'the same for both');

-- Who sets a password for himself says the present one; who sets another's need not, nor does who changes something
-- else.
SELECT *
FROM faults(format('SELECT catalogue.update(''users'', %L, %L, actor => actor(''eva''))', id_of('users', 'eva'),
    '{"password": "quite another"}'));
SELECT *
FROM faults(format('SELECT catalogue.update(''users'', %L, %L, actor => actor(''eva''))', id_of('users', 'eva'),
    '{"password": "quite another", "currentPassword": "guessed"}'));
SELECT *
FROM faults(format('SELECT catalogue.update(''users'', %L, %L, actor => actor(''eva''))', id_of('users', 'eva'),
    '{"password": "short", "currentPassword": ["x"]}'));
SELECT *
FROM faults(format('SELECT catalogue.update(''users'', %L, %L, actor => admin())', id_of('users', 'admin'),
    '{"password": "quite another"}'));
SELECT mask(id) AS id
FROM catalogue.update('users', id_of('users', 'eva'), '{"firstName": "Eva"}', actor => actor('eva'));
SELECT mask(id) AS id
FROM catalogue.update('users', id_of('users', 'eva'),
    '{"password": "quite another", "currentPassword": "the same for both"}', actor => actor('eva'));
SELECT attempt('eva', 'quite another') AS new, attempt('eva', 'the same for both') AS old;

-- What a password takes, in SQL as over HTTP: 8 to 256 characters, of whatever size.
SELECT * FROM faults($$UPDATE catalogue.users SET password = 'Straße7' WHERE username = 'eva'$$);
SELECT * FROM faults($$UPDATE catalogue.users SET password = repeat('x', 257) WHERE username = 'eva'$$);
SELECT * FROM faults($$UPDATE catalogue.users SET password = repeat('x', 10000000) WHERE username = 'eva'$$);
SELECT *
FROM faults(format('SELECT catalogue.update(''users'', %L, %L, actor => admin())', id_of('users', 'eva'),
    json_build_object('password', repeat('ñ', 257))));
UPDATE catalogue.users SET password = repeat('💧', 256) WHERE username = 'eva';
SELECT attempt('eva', repeat('💧', 256)) AS whole, attempt('eva', repeat('💧', 255)) AS short;

-- All of a long password counts.
UPDATE catalogue.users SET password = repeat('x', 255) || 'y' WHERE username = 'eva';
SELECT attempt('eva', repeat('x', 255) || 'y') AS whole, attempt('eva', repeat('x', 255) || 'z') AS other,
       attempt('eva', repeat('x', 72)) AS beginning;

-- No answer shows a password or a secret, of any resource, in any form.
SELECT make('restservices',
    '{"url": "https://example.org", "parameters": {}, "token": "hush-token", "tokenSignature": "hush-signature",
        "username": "u", "password": "hush-password"}') AS service \gset
SELECT q AS query
FROM unnest('{"",fields=password,include=createdBy,include=createdBy.createdBy}'::text[]) q,
    unnest('{ids,embedded}'::text[]) r, LATERAL catalogue.list('users', q, r) l
WHERE l.data ~ 'password|\$y\$';
SELECT r AS relations
FROM unnest('{ids,embedded}'::text[]) r, LATERAL catalogue.item('restservices', :'service', '', r) i
WHERE i.data ~ 'hush|password|token"|tokenSignature';
SELECT mask(data) AS data
FROM catalogue.update('restservices', :'service', '{"token": "hush-again"}', 'representation', actor => admin());

-- Nor does the log.
SELECT count(*) FROM catalogue.logs l WHERE l::text ~ 'hush|\$y\$|staple';

--
-- Failures are counted
--
-- As many of a name as the setting says; then the right password is refused too, in the same words as for a name that
-- there is not.
TRUNCATE catalogue.attempt;
SET catalogue.login_failures_name = 3;
SET catalogue.login_failures_address = 5;
SELECT attempt(n, 'wrong') FROM unnest('{leo,LEO,Leo,nemo,NEMO,Nemo}'::text[]) n;
SELECT code, message, detail::json ->> 'retryAfter' > '0' AS told FROM refusal($$SELECT attempt('leo', 'whatever')$$);
SELECT code, message, detail::json ->> 'retryAfter' > '0' AS told FROM refusal($$SELECT attempt('nemo', 'whatever')$$);
SELECT failures FROM catalogue.attempt;

-- Without an address none is counted; with one, as many from there as the setting says, whatever the names.
SELECT count(*) AS refused
FROM generate_series(1, 5) n,
    LATERAL catalogue.login(json_build_object('username', 'n' || n, 'password', 'wrong'), '192.0.2.1') l
WHERE l.id IS NULL;
SELECT code, message FROM refusal($$SELECT catalogue.login('{"username": "eva", "password": "wrong"}', '192.0.2.1')$$);

-- So is a wrong present password of who sets a new one, with the logins of the name; no error takes the count along.
-- What needs none, and what is another fault, is not.
TRUNCATE catalogue.attempt;
CREATE FUNCTION confirm(body json, by text DEFAULT 'eva', whose text DEFAULT 'eva')
    RETURNS TABLE (right_one boolean, data text) LANGUAGE SQL AS
    $$SELECT id IS NOT NULL, data
      FROM catalogue.confirm_password(id_of('users', whose), body, actor(by), '192.0.2.9')$$;
SELECT * FROM confirm('{"password": "a new pass phrase", "currentPassword": "wrong"}');
SELECT * FROM confirm('{"pass\u0077ord": "a new pass phrase", "currentPassword": "wrong"}');
SELECT failures FROM catalogue.attempt;
SELECT b AS body, c.*
FROM unnest(
    '{"{}","{\"password\": null}","{\"password\": \"new\"}","{\"password\": \"new\", \"currentPassword\": 7}",
        "{\"currentPassword\": \"wrong\"}"}'::text[]) b,
    LATERAL confirm(b::json) c;
SELECT failures FROM catalogue.attempt;
SELECT attempt('eva', 'wrong');
SELECT code, message, detail::json ->> 'retryAfter' > '0' AS told
FROM refusal(format($$SELECT catalogue.confirm_password(%L, %L, actor('eva'))$$, id_of('users', 'eva'),
    '{"password": "a new pass phrase", "currentPassword": "whatever"}'));
SELECT code, message FROM refusal($$SELECT attempt('eva', 'whatever')$$);

-- A right one forgets the failures; of another user nothing is looked at, and who may not change a user is told so.
TRUNCATE catalogue.attempt;
UPDATE catalogue.users SET password = 'the present one' WHERE username = 'eva';
SELECT * FROM confirm('{"password": "a new pass phrase", "currentPassword": "wrong"}');
SELECT * FROM confirm('{"password": "a new pass phrase", "currentPassword": "the present one"}');
SELECT failures FROM catalogue.attempt;
SELECT code
FROM refusal($$SELECT confirm('{"password": "a new pass phrase", "currentPassword": "wrong"}', whose => 'leo')$$);
SELECT code FROM refusal(format('SELECT catalogue.confirm_password(%L, %L, %L)', id_of('users', 'eva'), '{}', '{}'));
SELECT code
FROM refusal(format('SELECT catalogue.confirm_password(%L, %L, actor(%L))', id_of('users', 'eva'), '[]', 'eva'));
SELECT code
FROM refusal(format('SELECT catalogue.confirm_password(%L, NULL, actor(%L))', id_of('users', 'eva'), 'eva'));
SELECT code FROM refusal($$SELECT catalogue.confirm_password('nobody', '{}', actor('eva'))$$);

-- 0 is no limit; only a superuser changes it.
SET catalogue.login_failures_name = 0;
SET catalogue.login_failures_address = 0;
SELECT attempt('leo', 'wrong');
SET ROLE pg_monitor;
SET catalogue.login_failures_name = 0;
RESET ROLE;

-- Whoever finds no slot to hash in gets one.
SET catalogue.parallel_hashes = 1;
SELECT attempt('leo', 'wrong');
