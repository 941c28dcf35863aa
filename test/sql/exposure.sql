--
-- exposure: a table of one's own becomes a resource, and a column that is added a field
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- A table, in a schema of its own.
CREATE SCHEMA own;
CREATE TABLE own.stations (
    id          catalogue.id PRIMARY KEY,
    name        varchar(20)  NOT NULL,
    height      numeric(6,2),
    line        integer      DEFAULT 7,
    kind        text,
    opened      date,
    notes_url   text,
    dataset     catalogue.id CONSTRAINT stations REFERENCES catalogue.datasets DEFERRABLE INITIALLY DEFERRED,
    created_at  timestamptz  NOT NULL DEFAULT now(),
    updated_at  timestamptz  NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
COMMENT ON TABLE own.stations IS 'Station';

-- Not exposed, it is unknown.
SELECT code, message FROM refusal($$SELECT catalogue.list('stations')$$);

-- Exposed, it is a resource like the others.
SELECT catalogue.expose('own.stations', 'Station', searchable => '{name}', unique_living => '{name}');
SELECT mask(data) AS data FROM catalogue.create('stations', json_build_object('name', 'Retiro', 'height', 12.50, 'opened', '1915-08-01', 'notesUrl', 'https://example.org', 'dataset', id_of('datasets', 'Airports')), 'representation', actor => admin());
SELECT * FROM faults($$SELECT catalogue.create('stations', '{"name": "a name of more than twenty letters", "height": "high", "line": 1.5, "dataset": "nothing"}', actor => admin())$$);
SELECT * FROM faults($$INSERT INTO own.stations (name) VALUES ('RETIRO')$$);
SELECT names(catalogue.list('stations', 'height[gte]=12.5&dataset.name=airports')) AS found, (catalogue.count('stations')).data AS count;
SELECT names(catalogue.related('datasets', id_of('datasets', 'Airports'), 'stations')) AS stations;
SELECT data::json -> 'stations' -> 0 ->> 'name' AS embedded FROM catalogue.item('datasets', id_of('datasets', 'Airports'), 'include=stations');
SELECT key AS field, value AS facts FROM catalogue.describe('stations') d, json_each(d.data::json -> 'fields');
SELECT code, message, detail FROM refusal($$SELECT catalogue.delete('datasets', id_of('datasets', 'Airports'), admin())$$);
SELECT action, target FROM catalogue.logs WHERE target = 'station';

-- A number too large for its column is a fault of the field.
SELECT * FROM faults($$SELECT catalogue.create('stations', '{"name": "x", "height": 1e5, "line": 99999999999}', actor => admin())$$);
SELECT * FROM faults($$SELECT catalogue.create('stations', '{"name": "x", "height": 1e999999, "line": 1e2}', actor => admin())$$);

-- Added columns are fields at once: written, shown, filtered, checked, described.
ALTER TABLE own.stations ADD COLUMN roof_color catalogue.color;
ALTER TABLE own.stations ADD COLUMN rooms smallint[];
SELECT data::json ->> 'roofColor' AS "roofColor", data::json -> 'rooms' AS rooms FROM catalogue.update('stations', (catalogue.first('stations')).id, '{"roofColor": "#aabbcc"}', 'representation', actor => admin());
SELECT names(catalogue.list('stations', 'roofColor=AABB')) AS found;
SELECT * FROM faults($$SELECT catalogue.create('stations', '{"name": "x", "roofColor": "red"}', actor => admin())$$);
COMMENT ON COLUMN own.stations.roof_color IS 'Colour of the roof';
SELECT data::json #> '{fields,roofColor}' AS "roofColor" FROM catalogue.describe('stations');

-- Of a seeded resource too; the records that were there have its default.
ALTER TABLE catalogue.tags ADD COLUMN weight integer NOT NULL DEFAULT 1;
SELECT data::json -> 'weight' AS weight FROM catalogue.item('tags', id_of('tags', 'water'));
SELECT data::json -> 0 -> 'weight' AS weight, data::json -> 3 -> 'weight' AS weight FROM catalogue.list('tags');
SELECT data::json -> 'weight' AS weight FROM catalogue.create('tags', '{"name": "heavy", "weight": 9}', 'representation', actor => admin());
SELECT names(catalogue.list('tags', 'weight[gt]=1')) AS found;

-- A column that must be given, and has no default.
ALTER TABLE own.stations ADD COLUMN code varchar(3);
UPDATE own.stations SET code = 'RET';
ALTER TABLE own.stations ALTER COLUMN code SET NOT NULL;
SELECT * FROM faults($$SELECT catalogue.create('stations', '{"name": "Once"}', actor => admin())$$);

-- Renamed, retyped, dropped.
ALTER TABLE own.stations RENAME COLUMN code TO short_name;
ALTER TABLE own.stations ALTER COLUMN short_name TYPE varchar(5);
ALTER TABLE own.stations DROP COLUMN kind, DROP COLUMN rooms;
SELECT string_agg(key, ' ') AS fields FROM catalogue.describe('stations') d, json_each(d.data::json -> 'fields');
SELECT data::json ->> 'shortName' AS "shortName" FROM catalogue.create('stations', '{"name": "Once", "shortName": "ONCE1"}', 'representation', actor => admin());

-- A value that is added to an enumeration is taken.
SELECT rule FROM faults($$SELECT catalogue.create('charts', '{"name": "by radar", "type": "radar", "link": "https://example.org"}', actor => admin())$$);
ALTER TYPE catalogue.chart_type ADD VALUE 'radar';
SELECT data::json ->> 'type' AS type FROM catalogue.create('charts', '{"name": "by radar", "type": "radar", "link": "https://example.org"}', 'representation', actor => admin());

-- Exposed again, the new settings hold: here nobody writes.
SELECT catalogue.expose('own.stations', 'Station', searchable => '{name}', unique_living => '{name}', read_only => true);
SELECT code, message FROM refusal($$SELECT catalogue.create('stations', '{"name": "x", "shortName": "x"}', actor => admin())$$);
SELECT (catalogue.count('stations')).data AS count;

-- Hidden, it is unknown; the table and its rows stay, and its relations are gone.
SELECT catalogue.hide('stations');
SELECT code, message FROM refusal($$SELECT catalogue.list('stations')$$);
SELECT code, message FROM refusal($$SELECT catalogue.related('datasets', id_of('datasets', 'Airports'), 'stations')$$);
SELECT count(*) FROM own.stations;

-- A write to it in SQL is told what to do.
SELECT * FROM refusal($$INSERT INTO own.stations (name, short_name) VALUES ('x', 'x')$$);

-- Back again, with what it had.
SELECT catalogue.expose('own.stations', 'Station', unique_living => '{name}');
SELECT names(catalogue.list('stations'));

-- Dropped, it is unknown too, and the others go on.
DROP TABLE own.stations;
SELECT code, message FROM refusal($$SELECT catalogue.list('stations')$$);
SELECT (catalogue.delete('datasets', id_of('datasets', 'Airports'), admin())).resource;
SELECT resource FROM catalogue.field WHERE resource = 'stations';

-- What cannot be exposed: no such table, missing columns, a column of unique_living that is none.
SELECT * FROM refusal($$SELECT catalogue.expose('nothing', 'Nothing')$$);
CREATE TABLE own.bare (id catalogue.id PRIMARY KEY);
SELECT * FROM refusal($$SELECT catalogue.expose('own.bare', 'Bare')$$);
ALTER TABLE own.bare ADD created_at timestamptz NOT NULL DEFAULT now(), ADD updated_at timestamptz NOT NULL DEFAULT now(), ADD deleted_at timestamptz;
SELECT code, message FROM refusal($$SELECT catalogue.expose('own.bare', 'Bare', unique_living => '{name}')$$);
SELECT count(*) FROM catalogue.resource WHERE resource = 'bare';

-- Rows that were there before are counted.
INSERT INTO own.bare (id) VALUES ('a'), ('b');
SELECT catalogue.expose('own.bare', 'Bare');
SELECT (catalogue.count('bare')).data AS count, (catalogue.list('bare', 'fields=id')).data;

-- An id that is a number, an id that is no primary key, a time without zone.
CREATE TABLE own.numbered (id bigint PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT * FROM refusal($$SELECT catalogue.expose('own.numbered', 'Numbered')$$);
CREATE TABLE own.keyless (id catalogue.id, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT code, message FROM refusal($$SELECT catalogue.expose('own.keyless', 'Keyless')$$);
CREATE TABLE own.timeless (id catalogue.id PRIMARY KEY, created_at timestamp NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT code, message FROM refusal($$SELECT catalogue.expose('own.timeless', 'Timeless')$$);

-- A table that loses what a resource needs is refused until it has it again, and takes no backend down.
ALTER TABLE own.bare RENAME updated_at TO changed_at;
SELECT * FROM refusal($$SELECT catalogue.list('bare')$$);
SELECT code FROM refusal($$INSERT INTO own.bare (id) VALUES ('c')$$);
ALTER TABLE own.bare RENAME changed_at TO updated_at;
SELECT (catalogue.count('bare')).data AS count;

-- Columns that have the names of rules and other types are left alone.
CREATE TABLE own.odd (id catalogue.id PRIMARY KEY, name integer, slug integer, status integer, created_by integer, updated_by integer, value integer,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT catalogue.expose('own.odd', 'Odd');
SELECT mask((catalogue.create('odd', '{"name": 1, "status": 2, "value": 3}', 'representation', actor => admin())).data) AS data;
