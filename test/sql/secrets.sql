--
-- secrets: those of services are sealed in the database, with a key that is outside of it
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Two keys, in files that only the server can read; the paths are taken from its data directory.
COPY (SELECT repeat('0123456789abcdef', 4)) TO PROGRAM 'umask 077; cat > regress_secrets_first';
COPY (SELECT repeat('fedcba9876543210', 4)) TO PROGRAM 'umask 077; cat > regress_secrets_second';
SET catalogue.secret_key_file = 'regress_secrets_first';

-- What a client writes is sealed, each with a nonce of its own; sealed again when it changes, and not when something
-- else does.
SELECT make('restservices',
    '{"url": "https://example.org", "parameters": {}, "token": "hush", "password": "hush"}') AS service \gset
SELECT make('restservices', '{"url": "https://example.org/2", "parameters": {}, "token": "hush"}') AS second \gset
SELECT regexp_replace(token, ':[0-9a-f]+$', ':...') AS token, length(token), token = password AS same,
       token ~ encode('hush', 'hex') AS clear, token_signature
FROM catalogue.restservices
WHERE id = :'service';
CREATE TABLE former AS SELECT token, password FROM catalogue.restservices WHERE id = :'service';
SELECT mask(id) AS id
FROM catalogue.update('restservices', :'service', '{"token": "hush ñ", "username": "u"}', actor => admin());
SELECT r.token = f.token AS token, r.password = f.password AS password
FROM catalogue.restservices r, former f
WHERE id = :'service';

-- Opened it is as it was; what is not there is NULL.
SELECT catalogue.secret('restservices', :'service', 'token') AS token,
       catalogue.secret('restservices', :'service', 'password') AS password,
       catalogue.secret('restservices', :'service', 'tokenSignature') AS none;
SELECT catalogue.secret('restservices', 'none', 'token');
SELECT code, message FROM refusal($$SELECT catalogue.secret('restservices', 'x', 'url')$$);
SELECT code, message FROM refusal($$SELECT catalogue.secret('users', 'x', 'password')$$);
SELECT mask(id) AS id
FROM catalogue.update('restservices', :'service', '{"token": "", "password": null}', actor => admin());
SELECT catalogue.secret('restservices', :'service', 'token') AS token,
       catalogue.secret('restservices', :'service', 'password') AS password;
SELECT mask(id) AS id FROM catalogue.update('restservices', :'service', '{"token": "hush"}', actor => admin());

-- No role but the owner's opens it; the worker gets it with a job, by fetch_service().
SELECT rolname
FROM pg_roles
WHERE rolname LIKE 'catalogue\_%' AND has_function_privilege(rolname, 'catalogue.secret(text, text, text)', 'EXECUTE')
ORDER BY rolname;
SET ROLE catalogue_worker;
SELECT catalogue.secret('restservices', :'service', 'token');
SELECT token FROM catalogue.restservices;
\set VERBOSITY sqlstate
SHOW catalogue.secret_key_file;
\set VERBOSITY default
RESET ROLE;

-- In SQL it is sealed as well; what is sealed already, as in a dump, is kept. From a client such a text is a secret
-- like any other.
UPDATE catalogue.restservices SET token = 'plain' WHERE id = :'second';
SELECT token ~ '^sealed:' AS sealed, catalogue.secret('restservices', id, 'token') AS token
FROM catalogue.restservices
WHERE id = :'second';
SELECT token AS sealed FROM catalogue.restservices WHERE id = :'second' \gset
UPDATE catalogue.restservices SET token = NULL WHERE id = :'second';
UPDATE catalogue.restservices SET token = :'sealed' WHERE id = :'second';
SELECT catalogue.secret('restservices', :'second', 'token') AS token;
SELECT mask(id) AS id
FROM catalogue.update('restservices', :'second', json_build_object('password', :'sealed'), actor => admin());
SELECT catalogue.secret('restservices', :'second', 'password') = :'sealed' AS same;

-- It belongs where it is: moved to another field or record it does not open, nor does one that was changed.
UPDATE catalogue.restservices SET password = token WHERE id = :'second';
SELECT code, message FROM refusal(format('SELECT catalogue.secret(''restservices'', %L, ''password'')', :'second'));
UPDATE catalogue.restservices SET token = :'sealed' WHERE id = :'service';
SELECT code, message FROM refusal(format('SELECT catalogue.secret(''restservices'', %L, ''token'')', :'service'));
UPDATE catalogue.restservices
SET token = left(token, -1) || CASE right(token, 1) WHEN '0' THEN '1' ELSE '0' END
WHERE id = :'second';
SELECT code, message FROM refusal(format('SELECT catalogue.secret(''restservices'', %L, ''token'')', :'second'));

-- Another key: with the former one at hand secrets open as before, and reseal() seals them with the new one; then the
-- former one may go.
UPDATE catalogue.restservices
SET token = 'hush', password = 'hush', token_signature = 'hush'
WHERE id IN (:'service', :'second');
SET catalogue.secret_key_file = 'regress_secrets_second';
SELECT code, message, hint FROM refusal(format('SELECT catalogue.secret(''restservices'', %L, ''token'')', :'service'));
SET catalogue.former_secret_key_file = 'regress_secrets_first';
SELECT catalogue.secret('restservices', :'service', 'token') AS token;
CREATE TABLE before AS SELECT to_jsonb(r) - '{token,password,token_signature}'::text[] AS record,
    (SELECT count(*) FROM catalogue.logs) AS entries
    FROM catalogue.restservices r;
SELECT catalogue.reseal();
SELECT catalogue.reseal();
SET catalogue.former_secret_key_file = '';
SELECT catalogue.secret('restservices', id, 'token') AS token,
       catalogue.secret('restservices', id, 'password') AS password,
       catalogue.secret('restservices', id, 'tokenSignature') AS signature
FROM catalogue.restservices
WHERE token IS NOT NULL;
SELECT count(*) AS changed
FROM catalogue.restservices r
WHERE to_jsonb(r) - '{token,password,token_signature}'::text[] NOT IN (SELECT record FROM before);
SELECT (SELECT count(*) FROM catalogue.logs) - entries AS entries FROM before LIMIT 1;

-- Secrets of before there were keys are sealed by it, too.
SET session_replication_role = replica;
UPDATE catalogue.restservices SET token = 'in clear' WHERE id = :'second';
RESET session_replication_role;
SELECT catalogue.reseal();
SELECT token ~ '^sealed:' AS sealed, catalogue.secret('restservices', id, 'token') AS token
FROM catalogue.restservices
WHERE id = :'second';

-- Without a key no secret is stored, but everything else is.
SET catalogue.secret_key_file = '';
SELECT *
FROM refusal($$SELECT make('restservices', '{"url": "https://example.org/3", "parameters": {}, "token": "hush"}')$$);
SELECT make('restservices', '{"url": "https://example.org/3", "parameters": {}}') IS NOT NULL AS made;
SET catalogue.secret_key_file = 'no such file';
SELECT code, message FROM refusal($$UPDATE catalogue.restservices SET token = 'hush'$$);

-- A file that others can read, or with no key in it, is none.
COPY (SELECT repeat('0123456789abcdef', 4)) TO PROGRAM 'umask 022; cat > regress_secrets_open';
SET catalogue.secret_key_file = 'regress_secrets_open';
SELECT code, message FROM refusal($$UPDATE catalogue.restservices SET token = 'hush'$$);
COPY (SELECT 'short') TO PROGRAM 'umask 077; cat > regress_secrets_short';
SET catalogue.secret_key_file = 'regress_secrets_short';
SELECT code, message FROM refusal($$UPDATE catalogue.restservices SET token = 'hush'$$);

-- The history has none.
SELECT count(*) AS columns
FROM pg_attribute
WHERE attrelid = 'catalogue_history.restservices'::regclass AND attname IN ('token', 'token_signature', 'password');
COPY (SELECT)
    TO PROGRAM 'rm -f regress_secrets_first regress_secrets_second regress_secrets_open regress_secrets_short';
