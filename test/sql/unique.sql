--
-- unique: names are unique among the living, whatever their letter case
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The second of the same name is refused, and told why.
SELECT make('tags', '{"name": "river"}') IS NOT NULL AS made;
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"name": "River"}', actor => admin())$$);

-- Accents count: it is another name, whose slug gets a number.
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"name": "Ríver"}', actor => admin())$$);

-- Of every resource with a unique name: the copy of a seeded record is refused for its name.
SELECT r.resource, string_agg(f.field || ' ' || f.rule, ', ') AS faults
FROM (VALUES ('organizations'), ('categories'), ('statuses'), ('filetypes'), ('updatefrequencies'), ('tags'),
    ('datasets'), ('charts'), ('maps')) r(resource),
    LATERAL faults(format('SELECT catalogue.create(%L, %L, actor => admin())', r.resource,
        json_build_object('name', upper((catalogue.first(r.resource)).data::json ->> 'name')))) f
WHERE f.rule = 'unique' GROUP BY r.resource ORDER BY r.resource;
SELECT field, rule
FROM faults($$SELECT catalogue.create('configs', '{"key": "ADMINPAGINATION"}', actor => admin())$$)
WHERE rule = 'unique';
SELECT field, rule
FROM faults($$SELECT catalogue.create('users', '{"username": "Admin", "email": "ADMIN@example.org"}',
    actor => admin())$$)
WHERE rule = 'unique';
SELECT field, rule FROM faults($$INSERT INTO catalogue.basemaps (name) VALUES ('openstreetmap')$$);

-- Names of files, views, databases and requests need not be.
SELECT make_file('Same', 'Airports') <> make_file('Same', 'Airports') AS files;
SELECT make('views', '{"name": "Same"}') <> make('views', '{"name": "Same"}') AS views;
SELECT make('databases', '{"name": "Same"}') <> make('databases', '{"name": "Same"}') AS databases;

-- File names are unique in their dataset.
UPDATE catalogue.files SET file_name = 'a.csv' WHERE name = 'List of airports';
SELECT * FROM faults($$UPDATE catalogue.files SET file_name = 'A.csv' WHERE id = id_of('files', 'Same')$$);
UPDATE catalogue.files SET file_name = 'A.csv' WHERE name = 'Budget by programme' RETURNING file_name;

-- A record may keep its name, and take another letter case of it.
SELECT data::json ->> 'name' AS name
FROM catalogue.update('tags', id_of('tags', 'river'), '{"name": "river"}', 'representation', actor => admin());
SELECT data::json ->> 'name' AS name
FROM catalogue.update('tags', id_of('tags', 'river'), '{"name": "RIVER"}', 'representation', actor => admin());

-- A name is free again after deletion, and may be given again and again.
SELECT mask(id) AS id FROM catalogue.delete('tags', id_of('tags', 'RIVER'), admin());
SELECT make('tags', '{"name": "river"}') AS second \gset
SELECT mask(id) AS id FROM catalogue.delete('tags', :'second', admin());
SELECT make('tags', '{"name": "river"}') IS NOT NULL AS third;
SELECT name, deleted_at IS NOT NULL AS deleted FROM catalogue.tags WHERE lower(name) = 'river' ORDER BY id;

-- Two records in one statement that would have the same name.
SELECT field, rule
FROM faults($$INSERT INTO catalogue.tags (name, created_by)
    VALUES ('twin', id_of('users', 'admin')), ('Twin', id_of('users', 'admin'))$$);

-- A rename onto a living name is refused, onto a deleted one it is not.
SELECT field, rule, value
FROM faults($$SELECT catalogue.update('tags', id_of('tags', 'river'), '{"name": "Water"}', actor => admin())$$);
SELECT mask(id) AS id FROM catalogue.delete('tags', id_of('tags', 'water'), admin());
SELECT data::json ->> 'name' AS name, data::json ->> 'slug' AS slug
FROM catalogue.update('tags', id_of('tags', 'river'), '{"name": "Water"}', 'representation', actor => admin());

-- What is unique besides, of any type: among some of the records, and by what is made of a value, only the index tells.
CREATE TABLE seats (id catalogue.id PRIMARY KEY, name text NOT NULL, number integer UNIQUE, day date, place char(3),
    key uuid, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz, UNIQUE (day, place));
CREATE UNIQUE INDEX seats_key ON seats (key) WHERE name <> 'any';
CREATE UNIQUE INDEX seats_both ON seats (lower(name), lower(place::text), day, lower(key::text))
    WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX seats_name ON seats (left(name, 3)) WHERE deleted_at IS NULL;
SELECT catalogue.expose('test.seats', 'Seat');
CREATE FUNCTION seat(body json) RETURNS text
    LANGUAGE sql AS $$ SELECT 'made' FROM catalogue.create('seats', $1, actor => admin()) $$;
SELECT seat(
    '{"name": "one", "number": 1, "day": "2026-01-31", "place": "a", "key": "6f1c2f4e-0f5b-4f7e-9a11-0123456789ab"}');
SELECT field, rule, value
FROM faults($$SELECT seat('{"name": "two", "number": 1, "day": "2026-01-31", "place": "a"}')$$);
SELECT seat('{"name": "two", "number": 2, "day": "2026-01-31", "place": "b"}');
SELECT field, rule, value
FROM faults($$SELECT seat('{"name": "three", "key": "6F1C2F4E-0f5b-4f7e-9a11-0123456789ab"}')$$);
SELECT seat('{"name": "any", "key": "6f1c2f4e-0f5b-4f7e-9a11-0123456789ab"}');
SELECT field, rule, value FROM faults($$SELECT seat('{"name": "oneself"}')$$);
SELECT seat('{"name": "ONE"}');
