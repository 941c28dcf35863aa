--
-- sql_writes: writes in SQL obey the rules of the API
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT id_of('users', 'admin') AS admin \gset

-- INSERT gives id, slug, status and stamps.
INSERT INTO catalogue.datasets (name, owner, created_by) VALUES ('Written in SQL', :'admin', :'admin')
RETURNING mask(id) AS id, slug, (SELECT s.name FROM catalogue.statuses s WHERE s.id = status) AS status,
    created_at = now() AS created, updated_at = now() AS updated, deleted_at;

-- UPDATE moves updated_at and the slug.
UPDATE catalogue.datasets
SET name = 'Changed in SQL'
WHERE name = 'Written in SQL'
RETURNING slug, updated_at = now() AS updated, created_at < now() AS created_before;

-- DELETE is logical: the row stays.
DELETE FROM catalogue.datasets WHERE name = 'Changed in SQL';
SELECT name, deleted_at IS NOT NULL AS deleted FROM catalogue.datasets WHERE name = 'Changed in SQL';

-- All faults at once, as through the API: required, unique, reference.
SELECT *
FROM faults($$INSERT INTO catalogue.files (name, type, status, dataset, organization)
    VALUES (' ', 'nothing', 'qWRhpRV', 'nothing', id_of('organizations', 'Open Data Office'))$$);
SELECT * FROM faults($$INSERT INTO catalogue.tags (name) VALUES ('WATER')$$);
SELECT * FROM faults($$UPDATE catalogue.tags SET name = 'budget', created_by = 'nobody' WHERE name = 'water'$$);

-- Several rows: the first bad one ends the statement, nothing of it stays.
SELECT *
FROM faults($$INSERT INTO catalogue.tags (name, created_by)
  SELECT n, id_of('users', 'admin')
  FROM unnest('{fire,earth,Fire}'::text[]) n$$);
SELECT count(*) FROM catalogue.tags WHERE name IN ('fire', 'earth');

-- Lengths, enumerations and forms are those of the columns' types: PostgreSQL's own refusals.
SELECT code, message
FROM refusal($$INSERT INTO catalogue.tags (name, created_by) VALUES (repeat('ñ', 101), id_of('users', 'admin'))$$);
SELECT code, message FROM refusal($$UPDATE catalogue.charts SET type = 'donut'$$);
SELECT code, message FROM refusal($$UPDATE catalogue.users SET email = 'nobody'$$);
-- PostgreSQL quotes the name of the domain from 17 on.
SELECT code, replace(message, '"json_array"', 'json_array') AS message
  FROM refusal($$UPDATE catalogue.filetypes SET mimetype = '{}'$$);
SELECT code, message FROM refusal($$UPDATE catalogue.categories SET color = 'red'$$);

-- id, created_at and updated_at cannot be changed.
SELECT code, message FROM refusal($$UPDATE catalogue.tags SET id = 'mine' WHERE name = 'water'$$);
SELECT code, message FROM refusal($$UPDATE catalogue.tags SET created_at = '2000-01-01' WHERE name = 'water'$$);
SELECT code, message FROM refusal($$UPDATE catalogue.tags SET updated_at = now() + '1 day' WHERE name = 'water'$$);

-- Naming them without changing them is no harm.
UPDATE catalogue.tags SET id = id, created_at = created_at, name = 'fresh water' WHERE name = 'water' RETURNING slug;

-- A password is hashed, and a hash is kept as it is.
UPDATE catalogue.users SET password = 'open sesame' WHERE username = 'editor' RETURNING mask(password) AS password;
UPDATE catalogue.users SET password = password, active = true WHERE username = 'editor';
SELECT data::json ->> 'username' AS username FROM catalogue.login('{"username": "editor", "password": "open sesame"}');

-- fullName follows the names.
UPDATE catalogue.users SET first_name = 'Eva', last_name = NULL WHERE username = 'editor' RETURNING full_name;

-- References: the record referred to must live.
SELECT * FROM faults($$UPDATE catalogue.datasets SET status = 'nothing' WHERE name = 'Airports'$$);

-- A state is set directly under no rule of the actions, and is stamped.
UPDATE catalogue.datasets SET status = 'pWRhpRV' WHERE name = 'Airports' RETURNING rejected_at = now() AS rejected;

-- INSERT … ON CONFLICT is refused as any INSERT is: the rules look before PostgreSQL does.
SELECT rule, field
FROM faults($$INSERT INTO catalogue.tags (name, created_by)
    VALUES ('Budget', id_of('users', 'admin'))
  ON CONFLICT DO NOTHING$$);

-- MERGE goes through the rules of what it does.
MERGE INTO catalogue.tags t USING (VALUES ('health'), ('culture')) n(name) ON lower(t.name) = n.name
    AND t.deleted_at IS NULL
    WHEN MATCHED THEN UPDATE SET name = upper(n.name) WHEN NOT MATCHED THEN INSERT (name, created_by)
        VALUES (n.name, :'admin');
SELECT name, slug FROM catalogue.tags WHERE slug IN ('health', 'culture') ORDER BY slug;

-- COPY too.
COPY catalogue.databases (name) FROM stdin;
first
second
\.
SELECT count(*) FILTER (WHERE length(id) = 15) AS with_id FROM catalogue.databases WHERE name IN ('first', 'second');

-- What is written in SQL is read through the API.
SELECT names(catalogue.list('databases', 'name=first,second&match=EXACT'));

-- What the type of a column refuses is refused before a trigger sees the row: a hint leads to the calls that name all
-- faults.  Errors of other tables have none.
INSERT INTO catalogue.categories (name, color) VALUES ('Wrong', 'red');
INSERT INTO catalogue.configs (key, description, type, category) VALUES ('k', 'd', 'nope', 'site');
UPDATE catalogue.tags SET name = repeat('x', 101);
CREATE TEMP TABLE other (word varchar(2));
INSERT INTO other VALUES ('long');
SELECT message, hint FROM refusal(format('SELECT catalogue.create(%L, %L, actor => %L)', 'categories',
    '{"name": "Wrong", "color": "red", "active": "perhaps"}', admin()));
