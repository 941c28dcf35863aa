--
-- lockout: there is always a superadmin who may log in
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
UPDATE catalogue.users SET active = true;
-- Another one who is active, and some who do not count; nothing else keeps any of them.
INSERT INTO catalogue.users (username, password, email, role, active, organization, created_by)
SELECT n, 'long enough', n || '@example.org', r::catalogue.role, active, id_of('organizations', 'Open Data Office'),
       id_of('users', 'admin')
FROM (VALUES ('second', 'superadmin', NULL), ('idle', 'superadmin', false), ('away', 'superadmin', true),
    ('gone', 'superadmin', true), ('lesser', 'admin', true)) u(n, r, active);
UPDATE catalogue.users SET deactivated_at = now() WHERE username = 'away';
DELETE FROM catalogue.users WHERE username = 'gone';
CREATE FUNCTION ways(name text) RETURNS TABLE (way text, statement text) LANGUAGE sql AS
$$
    SELECT w, format(s, test.id_of('users', $1)) FROM (VALUES
        ('delete', 'SELECT catalogue.delete(''users'', %L, test.admin())'),
        ('deactivate', 'SELECT catalogue.deactivate(''users'', %L, actor => test.admin())'),
        ('active: false', 'SELECT catalogue.update(''users'', %L, ''{"active": false}'', actor => test.admin())'),
        ('another role', 'SELECT catalogue.update(''users'', %L, ''{"role": "admin"}'', actor => test.admin())'),
        ('trusted', 'SELECT catalogue.update(''users'', %L, ''{"role": "guest"}'')'),
        ('SQL: DELETE', 'DELETE FROM catalogue.users WHERE id = %L'),
        ('SQL: deleted_at', 'UPDATE catalogue.users SET deleted_at = now() WHERE id = %L'),
        ('SQL: deactivated_at', 'UPDATE catalogue.users SET deactivated_at = now() WHERE id = %L'),
        ('SQL: active', 'UPDATE catalogue.users SET active = false WHERE id = %L'),
        ('SQL: role', 'UPDATE catalogue.users SET role = ''guest'' WHERE id = %L'),
        ('another text',
            'SELECT catalogue.update(''users'', %L, ''{"firstName": "Only"}'', actor => test.admin())')) v(w,
        s)
$$;
-- What a statement would be refused with; it has no effect.
CREATE FUNCTION attempt(statement text, OUT code text, OUT message text, OUT hint text) LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE statement;
    RAISE EXCEPTION 'done';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    message := test.mask(message);
END
$$;
CREATE FUNCTION number() RETURNS bigint
    LANGUAGE sql AS $$
        SELECT count(*)
        FROM catalogue.users
        WHERE role = 'superadmin' AND active IS NOT FALSE AND deleted_at IS NULL AND deactivated_at IS NULL
    $$;

-- One of two may go, in whatever way; both at once may not.
SELECT count(*) AS ways FROM ways('second'), attempt(statement) WHERE message = 'done';
SELECT code, message, hint FROM attempt('UPDATE catalogue.users SET role = ''admin'' WHERE role = ''superadmin''');
SELECT code, message FROM attempt('UPDATE catalogue.users SET active = false');
-- One for another, in one statement.
SELECT code, message
FROM attempt(
    'UPDATE catalogue.users SET role = (CASE username WHEN ''lesser'' THEN '
    '''superadmin'' ELSE ''admin'' END)::catalogue.role');
-- The last may not go; those who do not count do not help, and may go.
UPDATE catalogue.users SET role = 'admin' WHERE username = 'second';
SELECT number();
SELECT way, code, message FROM ways('admin'), attempt(statement) ORDER BY way COLLATE "C";
SELECT n, count(*) AS ways
FROM unnest('{idle,away,lesser}'::text[]) n, ways(n), attempt(statement)
WHERE message = 'done'
GROUP BY n
ORDER BY n;
SELECT number();

-- When another is there again the first may go, and come back.
SELECT count(*)
FROM (VALUES (catalogue.update('users', id_of('users', 'second'), '{"role": "superadmin"}', actor => admin()))) u;
SELECT code
FROM refusal(format('SELECT catalogue.deactivate(''users'', %L, actor => %L)', id_of('users', 'admin'),
    actor('second')));
SELECT number();
SELECT code, message
FROM refusal(format('SELECT catalogue.deactivate(''users'', %L, actor => %L)', id_of('users', 'second'),
    actor('second')));
SELECT way, code, message FROM ways('second'), attempt(statement) WHERE way ~ '^SQL';
SELECT code, message FROM attempt(format('SELECT catalogue.delete(''users'', %L)', id_of('users', 'second')));
SELECT code
FROM refusal(format('SELECT catalogue.restore(''users'', %L, actor => %L)', id_of('users', 'admin'), actor('second')));
SELECT number();
