--
-- login: who may, and what is kept of passwords
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE FUNCTION attempt(username text, password text) RETURNS text LANGUAGE sql AS
$$
    SELECT code || ' ' || message FROM refusal(format('SELECT catalogue.login(%L)', json_build_object('username', username, 'password', password)))
$$;
SELECT make('users', json_build_object('username', 'ana', 'password', 'correct horse ñ', 'email', 'ana@example.org', 'organization', id_of('organizations', 'Open Data Office'), 'role', 'admin', 'active', true)) AS ana \gset

-- The right password: id, name and role; no password.
SELECT resource, mask(id) AS id, mask(data) AS data FROM catalogue.login('{"username": "ana", "password": "correct horse ñ"}');

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
SELECT n, 'the same for both', n || '@example.org', id_of('organizations', 'Open Data Office'), id_of('users', 'admin') FROM unnest('{eva,leo}'::text[]) n;
SELECT count(*) AS users, count(DISTINCT password) AS hashes, bool_and(password ~ '^\$y\$[./0-9A-Za-z]+\$[./0-9A-Za-z]{22}\$[./0-9A-Za-z]{43}$') AS yescrypt FROM catalogue.users WHERE username IN ('eva', 'leo');
SELECT attempt('eva', 'the same for both') AS eva, attempt('leo', 'the same for both') AS leo;

-- A hash that a client gives is a password like any other: it lets nobody in who knows another's hash.
SELECT mask(id) AS id FROM catalogue.update('users', id_of('users', 'leo'), json_build_object('password', (SELECT password FROM catalogue.users WHERE username = 'eva')), actor => admin());
SELECT attempt('leo', 'the same for both');

-- All of a long password counts.
UPDATE catalogue.users SET password = repeat('x', 255) || 'y' WHERE username = 'eva';
SELECT attempt('eva', repeat('x', 255) || 'y') AS whole, attempt('eva', repeat('x', 255) || 'z') AS other, attempt('eva', repeat('x', 72)) AS beginning;

-- No answer shows a password or a secret, of any resource, in any form.
SELECT make('restservices', '{"url": "https://example.org", "parameters": {}, "token": "hush-token", "tokenSignature": "hush-signature", "username": "u", "password": "hush-password"}') AS service \gset
SELECT q AS query FROM unnest('{"",fields=password,include=createdBy,include=createdBy.createdBy}'::text[]) q, unnest('{ids,embedded}'::text[]) r, LATERAL catalogue.list('users', q, r) l WHERE l.data ~ 'password|\$y\$';
SELECT r AS relations FROM unnest('{ids,embedded}'::text[]) r, LATERAL catalogue.item('restservices', :'service', '', r) i WHERE i.data ~ 'hush|password|token"|tokenSignature';
SELECT mask(data) AS data FROM catalogue.update('restservices', :'service', '{"token": "hush-again"}', 'representation', actor => admin());

-- Nor does the log.
SELECT count(*) FROM catalogue.logs l WHERE l::text ~ 'hush|\$y\$|staple';
