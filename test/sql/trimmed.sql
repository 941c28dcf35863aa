--
-- trimmed: white space around names and other texts of one line is taken off before they are checked
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
