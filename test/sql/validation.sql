--
-- validation: every field is checked, and all faults are told at once
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- A record with nothing wrong.
SELECT mask(id) AS id
FROM catalogue.create('users',
    json_build_object('username', 'ana', 'password', 'long enough', 'email', 'ana@example.org',
        'organization', id_of('organizations', 'Open Data Office')),
    actor => admin());

-- All faults of a record at once: missing, wrong type, too long, not of the enumeration, malformed, taken, unknown.
SELECT *
FROM faults($$SELECT catalogue.create('users',
    json_build_object('username', 'Ana', 'password', 'short', 'email', 'nobody', 'firstName', 1,
        'lastName', repeat('x', 101), 'active', 'yes', 'role', 'king', 'organization', 'nowhere'),
    actor => admin())$$);

-- The fault as clients get it: one JSON object, field by field.
SELECT * FROM refusal($$SELECT catalogue.create('tags', '{"name": 5}', actor => admin())$$);
SELECT * FROM refusal($$SELECT catalogue.create('configs', '{"type": "x"}', actor => admin())$$);

--
-- required
--
-- Missing, null, empty, and nothing but white space.
SELECT * FROM faults($$SELECT catalogue.create('tags', '{}', actor => admin())$$);
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"name": null}', actor => admin())$$);
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"name": ""}', actor => admin())$$);
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"name": "  \t\n"}', actor => admin())$$);

-- A key too, and a list that needs one record.
SELECT * FROM faults($$SELECT catalogue.create('files', '{}', actor => admin())$$);
SELECT *
FROM faults($$SELECT catalogue.create('datasets',
    json_build_object('name', 'x', 'owner', id_of('users', 'admin'), 'categories', '[]'::json), actor => admin())$$);

-- Unless another field is given.
SELECT * FROM faults($$SELECT catalogue.create('charts', '{"name": "neither file nor link"}', actor => admin())$$);
SELECT length((catalogue.create('charts', '{"name": "with a link", "link": "https://example.org/chart"}',
    actor => admin())).id);

-- What has a default is not asked for; null is as good as missing then.
SELECT r.active
FROM catalogue.create('categories', '{"name": "by default", "color": "ffffff", "active": null}', 'representation',
    actor => admin()) reply,
    json_to_record(reply.data::json) r(active boolean);

-- On update only what is given is checked.
SELECT * FROM faults($$SELECT catalogue.update('tags', id_of('tags', 'water'), '{"name": null}', actor => admin())$$);
SELECT mask(id) AS id FROM catalogue.update('tags', id_of('tags', 'water'), '{}', actor => admin());

--
-- type
--
-- Of each kind: what it takes of the six kinds of JSON value.
CREATE FUNCTION takes(resource text, field text) RETURNS TABLE (value text, fault text) LANGUAGE sql AS
$$
    SELECT v,
           (SELECT string_agg(rule || ': ' || message, '; ')
            FROM faults(format('SELECT catalogue.create(%L, %L, actor => admin())', resource,
                format('{"%s": %s}', field, v))) f
            WHERE f.field = takes.field)
    FROM unnest('{true,1,"1.5","\"x\"","[]","{}"}'::text[]) v
$$;
SELECT 'string' AS type, * FROM takes('tags', 'name');
SELECT 'boolean' AS type, * FROM takes('datasets', 'visible');
SELECT 'datetime' AS type, * FROM takes('datasets', 'publishedAt');
SELECT 'date' AS type, * FROM takes('files', 'gatheringDate');
SELECT 'array' AS type, * FROM takes('filetypes', 'mimetype');
SELECT 'json' AS type, * FROM takes('datasets', 'optionals');
SELECT 'enum' AS type, * FROM takes('charts', 'type');
SELECT 'key' AS type, * FROM takes('datasets', 'owner');
SELECT 'list of keys' AS type, * FROM takes('datasets', 'tags');

-- Instants: with zone, without (UTC), a date alone; what PostgreSQL would take besides is refused.
CREATE FUNCTION instant(value text) RETURNS text LANGUAGE sql AS
$$
    SELECT coalesce((SELECT rule
                     FROM faults(format('SELECT catalogue.create(%L, %L, actor => admin())', 'datasets',
                         json_build_object('publishedAt', value))) f
                     WHERE field = 'publishedAt'),
        'accepted')
$$;
SELECT v AS instant, instant(v)
FROM unnest(ARRAY['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00+03:00',
    '2026-01-31T12:00:00', '2026-01-31 12:00', '2026-01-31', '2024-02-29',
    'now', 'tomorrow', 'infinity', '', '31/01/2026', '2026-02-29', '2026-02-30T00:00:00Z', '2026-01-31T24:00:00Z',
    '2026-01-31T12:61:00Z', '2026-01-31T12:00:00Europe/Madrid', '0000-01-01', '20260131', '2026-01-31T12:00:00Z; x']) v;

--
-- maxLength: characters, not bytes
--
CREATE FUNCTION length_of(resource text, field text, filler text, count integer) RETURNS text LANGUAGE sql AS
$$
    SELECT coalesce((SELECT rule || ': ' || message
                     FROM faults(format('SELECT catalogue.create(%L, %L, actor => admin())', resource,
                         json_build_object(field, repeat(filler, count)))) f
                     WHERE f.field = length_of.field AND rule = 'maxLength'),
        'accepted')
$$;
-- Of every text field with a maximum: at the maximum, of one byte, two and four bytes a character, and one more. Only
-- the last is refused.
SELECT f.resource, f.field, f.max, length_of(resource, field, 'x', max) AS "x",
       length_of(resource, field, 'ñ', max) AS "ñ", length_of(resource, field, '😀', max) AS "😀",
       length_of(resource, field, '😀', max + 1) AS "and one more"
FROM catalogue.field f JOIN catalogue.resource r USING (resource)
WHERE f.max IS NOT NULL AND f.reference IS NULL AND f.domain IS NULL AND NOT f.read_only AND NOT r.read_only
ORDER BY f.resource, f.position;

-- Of the fields with a form of their own.
SELECT *
FROM faults($$SELECT catalogue.create('users',
    json_build_object('username', repeat('u', 26), 'email', repeat('e', 240) || '@example.org'), actor => admin())$$)
WHERE field IN ('username', 'email');
SELECT *
FROM faults($$SELECT catalogue.create('users',
    json_build_object('username', repeat('ñ', 25), 'email', repeat('é', 238) || '@example.org'), actor => admin())$$)
WHERE field IN ('username', 'email');

-- Of JSON, the text that the client wrote.
SELECT rule, message
FROM faults($$SELECT catalogue.create('charts', json_build_object('data', repeat('é', 4998)), actor => admin())$$)
WHERE field = 'data';
SELECT rule, message
FROM faults($$SELECT catalogue.create('charts', json_build_object('data', repeat('é', 4999)), actor => admin())$$)
WHERE field = 'data';
SELECT rule, message
FROM faults($$SELECT catalogue.create('maps', json_build_object('geojson', repeat('é', 4999)), actor => admin())$$)
WHERE field = 'geojson';

-- What the server itself writes there is not limited.
UPDATE catalogue.charts
SET data = json_build_object('labels', repeat('é', 5000))
WHERE name = 'with a link'
RETURNING length(data::text);

--
-- enum
--
SELECT *
FROM faults($$SELECT catalogue.create('charts', '{"type": "donut", "dataType": "Qualitative"}', actor => admin())$$)
WHERE rule = 'enum';
SELECT * FROM faults($$SELECT catalogue.create('configs', '{"type": "Int", "category": ""}', actor => admin())$$);

--
-- format
--
CREATE FUNCTION form(resource text, field text, value text) RETURNS text LANGUAGE sql AS
$$
    SELECT coalesce((SELECT rule || ': ' || message
                     FROM faults(format('SELECT catalogue.create(%L, %L, actor => admin())', resource,
                         json_build_object(field, value))) f
                     WHERE f.field = form.field),
        'accepted')
$$;
SELECT v AS email, form('users', 'email', v)
FROM unnest(ARRAY['a@b.org', 'first.last+tag@sub.example.org', 'ñandú@correo.ar', '', 'a', 'a@b', '@b.org', 'a@.',
    'a@b.', 'a b@c.org', 'a@b@c.org', 'a@b.org,c@d.org', '<a@b.org>', E'a@b.org\nBcc: x@y.org']) v;
SELECT v AS username, form('users', 'username', v)
FROM unnest(ARRAY['ana.lopez', 'a_b-c', 'José', 'A1', '', 'a b', 'a/b', 'a@b', E'a\n']) v;
SELECT v AS color, form('categories', 'color', v)
FROM unnest(ARRAY['ff00AA', '#ff00AA', 'fff', '##ff00AA', 'ff00AA0', 'gg0000', 'red', '']) v;
SELECT length(v) AS password_of, form('users', 'password', v)
FROM unnest(ARRAY['', '1234567', '12345678', 'ññññññññ', repeat('p', 256), repeat('ñ', 256), repeat('p', 257)]) v;

-- The leading # of a colour is taken off.
SELECT data::json ->> 'color' AS color
FROM catalogue.create('categories', '{"name": "coloured", "color": "#12abEF"}', 'representation', actor => admin());

--
-- unique, reference
--
SELECT *
FROM faults($$SELECT catalogue.create('users', '{"username": "ADMIN", "email": "Admin@Example.ORG"}',
    actor => admin())$$)
WHERE rule = 'unique';
SELECT *
FROM faults($$SELECT catalogue.create('files',
    '{"type": "nothing", "status": "a-b", "dataset": "1234567890123456", "owner": 7, "organization": "",
        "soapService": null}',
    actor => admin())$$);

-- A list names each id that is unknown.
SELECT *
FROM faults($$SELECT catalogue.create('datasets',
    json_build_object('name', 'x', 'owner', id_of('users', 'admin'),
        'categories', json_build_array(id_of('categories', 'Transport'), 'unknown1', 'unknown2')),
    actor => admin())$$);

--
-- readOnly
--
-- The API leaves out what the service keeps; nothing of it is an error.
SELECT mask(data) AS data
FROM catalogue.create('tags',
    '{"name": "kept", "id": "mine", "createdAt": "2000-01-01T00:00:00Z", "updatedAt": 7, "slug": [],
        "deletedAt": "2000-01-01T00:00:00Z", "createdBy": "nobody", "unknown": {"a": 1}}',
    'representation', actor => admin());
SELECT mask(data) AS data
FROM catalogue.update('tags', id_of('tags', 'kept'),
    '{"id": "mine", "createdAt": null, "updatedAt": 7, "slug": [], "deletedAt": "2000-01-01T00:00:00Z",
        "createdBy": "nobody", "unknown": {"a": 1}}',
    'representation', actor => admin());

-- SQL says so instead.
SELECT *
FROM refusal($$UPDATE catalogue.tags
  SET id = 'other', created_at = '2000-01-01', updated_at = '2000-01-01'
  WHERE name = 'kept'$$);

--
-- secrets
--
-- What is wrong with a secret is told, the secret is not.
SELECT detail FROM refusal($$SELECT catalogue.create('users', '{"password": "hushhus"}', actor => admin())$$);
SELECT detail FROM refusal($$SELECT catalogue.create('users', '{"password": ["hush-hush-hush"]}', actor => admin())$$);
SELECT detail
FROM refusal(format('SELECT catalogue.create(%L, %L, actor => admin())', 'users',
    json_build_object('password', repeat('hush', 65))));
SELECT detail
FROM refusal($$SELECT catalogue.create('restservices',
    '{"token": 12345, "tokenSignature": {"hush": 1}, "password": ["hush"]}', actor => admin())$$);

-- A long value is not told back either.
SELECT value
FROM faults($$SELECT catalogue.create('tags', json_build_object('name', repeat('x', 201)), actor => admin())$$);

-- No value means the default, in a change as in a creation.
SELECT (catalogue.create('categories', '{"name": "Without a value", "color": "aabbcc", "active": null}',
    actor => admin())).id AS made \gset
SELECT active FROM catalogue.categories WHERE id = :'made';
UPDATE catalogue.categories SET active = true WHERE id = :'made';
SELECT (catalogue.update('categories', :'made', '{"active": null}', actor => admin())).id = :'made' AS updated;
SELECT active FROM catalogue.categories WHERE id = :'made';
-- nor is it a fault beside another one
SELECT *
FROM faults(format('SELECT catalogue.update(''categories'', %L, %L, actor => admin())', :'made',
    '{"active": null, "color": "red"}'));
