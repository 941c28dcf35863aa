--
-- new_columns: kinds of columns and keys that PostgreSQL has from 18 on; before it refuses them itself
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
CREATE TABLE public.things (
    id          catalogue.id PRIMARY KEY,
    name        varchar(20)  NOT NULL,
    rooms       int4range,
    lent        daterange,
    created_at  timestamptz  NOT NULL DEFAULT now(),
    updated_at  timestamptz  NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
SELECT catalogue.expose('public.things', 'Thing');
SELECT code
FROM refusal($$SELECT catalogue.create('things',
    '{"name": "hall", "rooms": "[1,3)", "lent": "[2026-01-01,2026-02-01)"}')$$);

-- A column that is generated when it is read has no value in the row: from then on the table is refused.
ALTER TABLE public.things ADD COLUMN upper_name text GENERATED ALWAYS AS (upper(name)) VIRTUAL;
SELECT code, message, detail, hint FROM refusal($$SELECT (catalogue.list('things')).data$$);
SELECT catalogue.hide('things');
SELECT code, message, detail, hint FROM refusal($$SELECT catalogue.expose('public.things', 'Thing')$$);
ALTER TABLE public.things DROP COLUMN upper_name;

-- A stored one is a field.
ALTER TABLE public.things ADD COLUMN upper_name text GENERATED ALWAYS AS (upper(name)) STORED;
SELECT catalogue.expose('public.things', 'Thing');
SELECT data::json -> 0 ->> 'upperName' AS upper_name FROM catalogue.list('things');

-- Under a key without overlaps the same rooms are free at another time, and refused at the same.
ALTER TABLE public.things ADD UNIQUE (rooms, lent WITHOUT OVERLAPS);
SELECT code
FROM refusal($$SELECT catalogue.create('things',
    '{"name": "hall", "rooms": "[1,3)", "lent": "[2026-03-01,2026-04-01)"}')$$);
SELECT code, message
FROM refusal($$SELECT catalogue.create('things',
    '{"name": "hall", "rooms": "[1,3)", "lent": "[2026-01-15,2026-02-15)"}')$$);
SELECT count FROM catalogue.list('things');
