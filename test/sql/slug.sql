--
-- slug: names as parts of URLs
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE TEMP TABLE example (n serial, name text, expected text);
INSERT INTO example (name, expected) VALUES
    ('Airports', 'airports'),
    ('Air quality', 'air-quality'),
    -- accents, and letters of more than one in ASCII
    ('Año nuevo', 'ano-nuevo'),
    ('ÁÉÍÓÚ áéíóú Üü Ññ', 'aeiou-aeiou-uu-nn'),
    ('Straße', 'strasse'),
    ('Ærø æther', 'aero-aether'),
    ('Œuvre', 'oeuvre'),
    ('Łódź', 'lodz'),
    ('Ðorđe Þór', 'dorde-thor'),
    (E'e\u0301tude', 'etude'),
    -- signs with a word
    ('Water & air', 'water-and-air'),
    ('a|b', 'aorb'),
    ('a<b>c', 'alessbgreaterc'),
    ('100$', '100dollar'),
    ('5 €', '5-euro'),
    -- what is kept
    ('a_b~c-d', 'a_b~c-d'),
    ('ABC123', 'abc123'),
    -- what is dropped, the dot too
    ('v1.2.3', 'v123'),
    ('file.csv', 'filecsv'),
    ('a/b\c', 'abc'),
    ('(2026): "x", y; z!?', '2026-x-y-z'),
    ('50%', '50'),
    ('a''b`c', 'abc'),
    ('日本', ''),
    ('data 日本 set', 'data-set'),
    ('tick ✓', 'tick'),
    -- runs of spaces and hyphens, and both ends
    ('a   b', 'a-b'),
    ('a - b', 'a-b'),
    ('a---b', 'a-b'),
    (E'a\tb\nc', 'a-b-c'),
    ('  a  ', 'a'),
    ('-a-', 'a'),
    ('a - . - b', 'a-b'),
    -- nothing left
    ('', ''),
    ('---', ''),
    ('...', '');

-- Every example, and where it differs from what is expected.
SELECT name, catalogue.slug(name) AS slug,
       CASE WHEN catalogue.slug(name) <> expected THEN 'not ' || expected END AS wrong
FROM example
ORDER BY n;

-- A slug has 150 characters at most, whatever the name grows to.
SELECT length(catalogue.slug(repeat('ß', 150))) AS doubled, length(catalogue.slug(repeat('&', 150))) AS tripled,
       right(catalogue.slug(repeat('a', 149) || ' b'), 3) AS at_the_edge;

-- A slug is its own slug.
SELECT name FROM example WHERE catalogue.slug(catalogue.slug(name)) <> catalogue.slug(name);

-- A record's slug follows its name, on every change of it.
SELECT make('tags', '{"name": "Río & mar"}') AS id \gset
SELECT slug FROM catalogue.tags WHERE id = :'id';
UPDATE catalogue.tags SET name = 'Lago' WHERE id = :'id' RETURNING slug;

-- A client does not set it.
SELECT data::json ->> 'slug' AS slug
FROM catalogue.update('tags', :'id', '{"slug": "mine"}', 'representation', actor => admin());

-- Where nothing of a name is left, it is the id.
SELECT make('tags', '{"name": "日本"}') AS unnamed \gset
SELECT slug = id AS is_id FROM catalogue.tags WHERE id = :'unnamed';

-- Two names with one slug: that of the second has a number, which stays while its name does.
SELECT make('tags', '{"name": "Lago."}') AS second \gset
INSERT INTO catalogue.tags (name, created_by) VALUES ('LÁGO', id_of('users', 'admin'));
SELECT name, slug FROM catalogue.tags WHERE slug LIKE 'lago%' ORDER BY slug;
SELECT (catalogue.delete('tags', :'id', admin())).resource;
UPDATE catalogue.tags SET name = 'Lago.' WHERE id = :'second' RETURNING slug;
UPDATE catalogue.tags SET name = 'Lago..' WHERE id = :'second' RETURNING slug;
SELECT (catalogue.restore('tags', :'id', actor => admin())).resource;
SELECT name, slug FROM catalogue.tags WHERE slug LIKE 'lago%' ORDER BY slug;
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"name": "Lago"}', actor => admin())$$);
-- a slug has 150 characters at most
SELECT make('organizations', json_build_object('name', repeat('a', 150))) IS NOT NULL
    AND make('organizations', json_build_object('name', repeat('a', 149) || 'á')) IS NOT NULL AS both;
SELECT length(slug), right(slug, 3) AS ends FROM catalogue.organizations WHERE slug LIKE 'aaa%' ORDER BY slug;
-- and a hundred numbers are tried
SELECT count(make('tags', json_build_object('name', 'Hundred' || repeat('.', n % 50) || repeat('!', n / 50)))) AS made
FROM generate_series(1, 100) n;
SELECT max(substring(slug FROM '-(\d+)$')::int) FROM catalogue.tags WHERE slug LIKE 'hundred%';
SELECT * FROM faults($$SELECT make('tags', json_build_object('name', 'Hundred?'))$$);

-- A file's and a map's slug need not be unique.
SELECT make_file('One name', 'Airports') IS NOT NULL AND make_file('One name!', 'Airports') IS NOT NULL AS both;
SELECT name, slug FROM catalogue.files WHERE slug = 'one-name' ORDER BY id;

-- A word of a path is no slug, where records may share one neither: the record gets a number, then the next one.
SELECT make('tags', '{"name": "Count"}') IS NOT NULL AND make('tags', '{"name": "Count!"}') IS NOT NULL
    AND make_file('First', 'Airports') IS NOT NULL AND make_file('First!', 'Airports') IS NOT NULL AS made;
SELECT name, slug FROM catalogue.tags WHERE slug LIKE 'count%'
UNION ALL SELECT name, slug FROM catalogue.files WHERE slug LIKE 'first%' ORDER BY slug, name;
-- Each word of a path of the resource, and no word of another's.
SELECT count(make('datasets', json_build_object('name', initcap(w), 'owner', id_of('users', 'admin'),
    'categories', ARRAY[id_of('categories', 'Transport')]))) AS made
FROM unnest('{first,last,count,search,statistics,feed,me,summary,tokens}'::text[]) w;
SELECT name, slug FROM catalogue.datasets WHERE lower(name) = ANY ('{first,last,count,search,statistics,feed,me,summary,
    tokens}') ORDER BY name;
SELECT catalogue.is_path_word('users', 'refreshtoken') AS of_users, catalogue.is_path_word('tags', 'me') AS of_tags,
       catalogue.is_path_word('tags', 'counts') AS longer, catalogue.is_path_word('tags', '') AS empty;
-- Nor is it when SQL writes it, when a record is renamed, or restored with one of an earlier version.
UPDATE catalogue.tags SET slug = 'search' WHERE name = 'Lago' RETURNING slug;
UPDATE catalogue.tags SET name = 'Last' WHERE name = 'Lago' RETURNING slug;
SELECT id_of('tags', 'Last') AS last \gset
SELECT (catalogue.delete('tags', :'last', admin())).resource;
ALTER TABLE catalogue.tags DISABLE TRIGGER USER;
UPDATE catalogue.tags SET slug = 'last' WHERE id = :'last';
ALTER TABLE catalogue.tags ENABLE TRIGGER USER;
SELECT (catalogue.restore('tags', :'last', actor => admin())).resource;
SELECT slug FROM catalogue.tags WHERE id = :'last';
-- At an upgrade slugs of earlier versions get a number, and are told; a second one finds none.
CREATE TABLE catalogue.untitled (id catalogue.id PRIMARY KEY, slug varchar(150), deleted_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now());
SELECT catalogue.expose('untitled', 'Untitled');
INSERT INTO catalogue.untitled (slug) VALUES ('search');
INSERT INTO catalogue.tags (id, name, created_by) VALUES ('warned', 'Search', id_of('users', 'admin')) RETURNING slug;
ALTER TABLE catalogue.tags DISABLE TRIGGER USER;
UPDATE catalogue.tags SET slug = 'search' WHERE id = 'warned';
ALTER TABLE catalogue.tags ENABLE TRIGGER USER;
SELECT catalogue.renew_slugs() AS renewed;
SELECT catalogue.renew_slugs() AS again;
SELECT slug FROM catalogue.tags WHERE id = 'warned';
SELECT slug FROM catalogue.untitled;
