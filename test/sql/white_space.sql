--
-- white_space: white space around names and other texts of one line is taken off before they are checked
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Through the API: of any kind, at both ends; in the middle it stays.
SELECT body, '[' || (c.data::json ->> 'name') || ']' AS name, c.data::json ->> 'slug' AS slug
FROM unnest(ARRAY['{"name": "  blue "}', '{"name": "\t green\n"}', '{"name": "\u00a0\u3000red\u2003\ufeff"}',
    '{"name": "deep  blue"}']) WITH ORDINALITY b(body,
    n),
    LATERAL catalogue.create('tags', body::json, 'representation', actor => admin()) c
ORDER BY n;
-- It does not count for the length, nor for what is unique or required.
SELECT length(data::json ->> 'name') AS length
FROM catalogue.create('tags', json_build_object('name', '   ' || repeat('x', 100) || '   '), 'representation',
    actor => admin());
SELECT f.*
FROM unnest(ARRAY['{"name": " Blue"}', '{"name": "   "}', '{"name": "\u00a0"}',
    json_build_object('name', repeat('x', 101))::text]) b,
    LATERAL faults(format('SELECT catalogue.create(''tags'', %L, actor => admin())', b)) f;
SELECT data::json ->> 'username' AS username, data::json ->> 'email' AS email, data::json ->> 'fullName' AS "fullName"
FROM catalogue.create('users',
    json_build_object('username', ' spaced ', 'email', ' spaced@example.org', 'password', ' correct horse battery ',
        'firstName', ' A ', 'lastName', ' B ', 'organization', id_of('organizations', 'Open Data Office')),
    'representation', actor => admin());
-- A password is what it is; so are texts of several lines.
SELECT data::json ->> 'username' AS with_its_spaces
FROM catalogue.login('{"username": "spaced", "password": " correct horse battery "}');
SELECT '[' || (data::json ->> 'description') || ']' AS description, '[' || (data::json ->> 'notes') || ']' AS notes
FROM catalogue.update('datasets', id_of('datasets', 'Airports'), '{"description": " first\n second ", "notes": " x "}',
    'representation', actor => admin());
-- By plain SQL as well; a change of nothing but the space around is none.
INSERT INTO catalogue.tags (name, created_by)
SELECT '  by SQL  ', id
FROM catalogue.users
WHERE username = 'admin'
RETURNING '[' || name || ']' AS name, slug;
UPDATE catalogue.tags SET name = ' blue ' WHERE name = 'blue' RETURNING name;
UPDATE catalogue.tags SET name = ' light blue' WHERE name = 'blue' RETURNING '[' || name || ']' AS name, slug;
-- Texts of one line without a maximum length, which the domain one_line says; a text without a length may have several
-- lines.
CREATE FUNCTION test.brackets(record json) RETURNS TABLE (field text, value text) LANGUAGE sql AS
$$
    SELECT key, '[' || value || ']' FROM json_each_text(record) ORDER BY key COLLATE "C"
$$;
SELECT column_name, domain_name
FROM information_schema.columns
WHERE table_schema = 'catalogue' AND domain_name = 'one_line'
ORDER BY table_name, ordinal_position;
SELECT b.*
FROM catalogue.create('soapservices',
    '{"method": " x\n", "namespace": "\u00a0urn:x ", "url": "https://example.org", "parameters": {}}', 'representation',
    actor => admin()) c,
    brackets(c.data::json) b
WHERE field IN ('method', 'namespace', 'dataPath', 'titlePath', 'tokenAlgorithm', 'username');
SELECT b.*
FROM catalogue.create('restservices',
    '{"dataPath": " x.y", "titlePath": "x.z ", "tokenAlgorithm": " HS256x ", "username": " x", "password": " x ",
        "url": "https://example.org", "parameters": {}}',
    'representation', actor => admin()) c,
    brackets(c.data::json) b
WHERE field IN ('method', 'namespace', 'dataPath', 'titlePath', 'tokenAlgorithm', 'username');
SELECT b.*
FROM catalogue.create('configs',
    '{"key": "x", "description": "Dataset that is shown first", "type": "model", "category": "site",
        "model": "\tDataset ", "value": null, "tooltip": " x "}',
    'representation', actor => admin()) c,
    brackets(c.data::json) b
WHERE field IN ('key', 'model', 'tooltip');
SELECT f.*
FROM faults($$SELECT catalogue.create('soapservices',
    '{"method": " ", "namespace": "\u3000", "url": "https://example.org", "parameters": {}}', actor => admin())$$) f;
UPDATE catalogue.basemaps
SET attribution = E' x\n'
WHERE name = 'OpenStreetMap'
RETURNING '[' || attribution || ']' AS attribution;
CREATE TABLE public.notes (
    id          catalogue.id PRIMARY KEY,
    title       catalogue.one_line NOT NULL,
    text        text,
    created_at  timestamptz  NOT NULL DEFAULT now(),
    updated_at  timestamptz  NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
SELECT catalogue.expose('public.notes', 'Note');
SELECT b.*
FROM catalogue.create('notes', '{"title": " x ", "text": " x\n y "}', 'representation', actor => admin()) c,
    brackets(c.data::json) b
WHERE field IN ('title', 'text');

-- In a database of an earlier version the columns get the domain, and what they have stays.
ALTER TABLE catalogue.soapservices ALTER method TYPE text, ALTER namespace TYPE text;
ALTER TABLE catalogue.restservices ALTER data_path TYPE text, ALTER title_path TYPE text,
    ALTER token_algorithm TYPE text, ALTER username TYPE text;
ALTER TABLE catalogue.basemaps ALTER attribution TYPE text;
ALTER TABLE catalogue.configs ALTER model TYPE text;
ALTER TABLE public.notes ALTER title TYPE text;
DROP DOMAIN catalogue.one_line;
INSERT INTO catalogue.soapservices (method, namespace, url, parameters)
    VALUES (' x ', 'urn:x', 'https://example.org/earlier', '{}')
RETURNING '[' || method || ']' AS method;
SELECT catalogue.bootstrap();
SELECT count(*) AS columns
FROM information_schema.columns
WHERE table_schema = 'catalogue' AND domain_name = 'one_line';
SELECT '[' || method || ']' AS method FROM catalogue.soapservices WHERE url = 'https://example.org/earlier';
UPDATE catalogue.soapservices
SET method = ' y '
WHERE url = 'https://example.org/earlier'
RETURNING '[' || method || ']' AS method;
