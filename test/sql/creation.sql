--
-- creation: what a creation leaves, and whatever else stands on a table holds for it too
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE FUNCTION body(name text, more json DEFAULT '{}') RETURNS json LANGUAGE sql AS
$$
    SELECT (jsonb_build_object('name', $1, 'description', 'Figures',
        'categories', json_build_array(id_of('categories', 'Transport'), id_of('categories', 'Environment')),
        'tags', json_build_array(id_of('tags', 'sea'), id_of('tags', 'sand')), 'owner', id_of('users', 'admin'))
        || $2::jsonb)::json
$$;
SELECT count(make('tags', json_build_object('name', name))) AS tags FROM unnest(ARRAY['sea', 'sand']) name;
CREATE TABLE seen (what text, number integer GENERATED ALWAYS AS IDENTITY);
GRANT USAGE ON SCHEMA test TO PUBLIC;
GRANT ALL ON seen TO PUBLIC;

-- All that a creation leaves in any table: masked, and without the numbers of changes.
CREATE FUNCTION left_by(dataset text) RETURNS TABLE (what text, contents text) LANGUAGE sql AS
$$
    SELECT 'record', mask(replace((to_jsonb(d) - 'slug')::text, d.name, '<name>'))
    FROM catalogue.datasets d
    WHERE id = $1
    UNION ALL SELECT 'slug', replace(slug, lower(name), '<name>') FROM catalogue.datasets WHERE id = $1
    UNION ALL (SELECT 'category', mask(format('%s %s %s', c.name, j.position, to_jsonb(j) - 'category'))
               FROM catalogue.datasets_categories j JOIN catalogue.categories c ON c.id = category
               WHERE dataset = $1
               ORDER BY position)
    UNION ALL (SELECT 'tag', mask(format('%s %s %s', t.name, j.position, to_jsonb(j) - 'tag'))
               FROM catalogue.datasets_tags j JOIN catalogue.tags t ON t.id = tag
               WHERE dataset = $1
               ORDER BY position)
    UNION ALL SELECT 'log', mask((to_jsonb(l) - 'change')::text) FROM catalogue.logs l WHERE resource = $1
    UNION ALL SELECT 'history', mask((jsonb_strip_nulls(to_jsonb(h)) - 'change_number')::text)
    FROM catalogue_history.datasets h
    WHERE id = $1
    UNION ALL (SELECT 'change', format('%s %s %s %s', c.resource, c.apart, c.living, c.seen) FROM catalogue.change c
        WHERE c.at = (SELECT n.at
                      FROM catalogue.change n JOIN catalogue_history.datasets h ON h.change_number = n.number
                      WHERE h.id = $1)
        ORDER BY c.resource)
$$;
CREATE FUNCTION counts() RETURNS text LANGUAGE sql AS
$$
    SELECT format('%s of %s datasets, %s of %s records of the log',
        (SELECT sum(living) FROM catalogue.counter WHERE resource = 'datasets'),
        (SELECT count(*) FROM catalogue.datasets WHERE deleted_at IS NULL),
        (SELECT sum(living) FROM catalogue.counter WHERE resource = 'logs'), (SELECT count(*) FROM catalogue.logs))
$$;

-- The record, its links, log, history and counters.
SELECT make('datasets', body('harbours')) AS made
\gset
SELECT * FROM left_by(:'made');
SELECT counts();
CREATE FUNCTION look() RETURNS trigger
    LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO test.seen (what) VALUES (lower(TG_WHEN || ' ' || TG_LEVEL || ' ' || TG_TABLE_NAME));
        RETURN NEW;
        END
    $$;

-- Several in one transaction, of which some are rolled back.
BEGIN;
SELECT count(make('datasets', body('one ' || n))) AS made FROM generate_series(1, 3) n;
SAVEPOINT before;
SELECT count(make('datasets', body('two ' || n))) AS made FROM generate_series(1, 3) n;
ROLLBACK TO before;
SELECT count(make('datasets', body('three ' || n))) AS made FROM generate_series(1, 2) n;
COMMIT;
SELECT counts();
SELECT count(*) AS logged, count(DISTINCT h.id) AS in_history
FROM catalogue.datasets d JOIN catalogue.logs l ON l.resource = d.id JOIN catalogue_history.datasets h ON h.id = d.id
WHERE d.name ~ '^(one|two|three) ';

-- Faults are the same, and leave nothing.
SELECT field, rule FROM faults($$SELECT make('datasets', body('harbours'))$$);
SELECT field, rule
FROM faults($$SELECT make('datasets', body('odd', '{"status": "nowhere", "tags": ["nowhere"], "visible": "yes"}'))$$);
SELECT counts();

-- Triggers of others, at any time: they see the row, change it, or refuse it.
CREATE TRIGGER look_before BEFORE INSERT ON catalogue.datasets FOR EACH ROW EXECUTE FUNCTION look();
CREATE TRIGGER look_after AFTER INSERT ON catalogue.datasets FOR EACH STATEMENT EXECUTE FUNCTION look();
CREATE TRIGGER look_linked AFTER INSERT ON catalogue.datasets_tags FOR EACH ROW EXECUTE FUNCTION look();
TRUNCATE seen;
SELECT count(make('datasets', body('seen'))) AS made;
SELECT what FROM seen ORDER BY number;
DROP TRIGGER look_before ON catalogue.datasets;
DROP TRIGGER look_after ON catalogue.datasets;
TRUNCATE seen;
-- of the join table alone
SELECT count(make('datasets', body('linked'))) AS made;
SELECT what FROM seen ORDER BY number;
DROP TRIGGER look_linked ON catalogue.datasets_tags;

-- A trigger of the service that somebody has switched off stays off.
ALTER TABLE catalogue.datasets DISABLE TRIGGER inserted;
SELECT make('datasets', body('unlogged')) AS unlogged
\gset
SELECT what FROM left_by(:'unlogged') WHERE what IN ('record', 'log', 'history');
ALTER TABLE catalogue.datasets ENABLE TRIGGER inserted;

-- Constraints, generated columns and defaults.
ALTER TABLE catalogue.datasets ADD CONSTRAINT no_secrets CHECK (name <> 'secret'),
    ADD COLUMN length integer GENERATED ALWAYS AS (length(name)) STORED, ADD COLUMN region text DEFAULT 'north';
SELECT code, message FROM refusal($$SELECT make('datasets', body('secret'))$$);
SELECT data::json ->> 'length' AS length, data::json ->> 'region' AS region
FROM catalogue.create('datasets', body('generated'), 'representation', actor => admin());
SELECT data::json ->> 'region' AS region
FROM catalogue.create('datasets', body('given', '{"region": "south"}'), 'representation', actor => admin());
-- a number that PostgreSQL gives is nobody else's to give
ALTER TABLE catalogue.datasets ADD COLUMN number integer GENERATED ALWAYS AS IDENTITY (START 1000);
SELECT (data::json ->> 'number')::integer BETWEEN 1000 AND 2000 AS given
FROM catalogue.create('datasets', body('numbered', '{"number": 5}'), 'representation', actor => admin());
ALTER TABLE catalogue.datasets DROP COLUMN number;
-- as they are now, of the column and of its domain
CREATE DOMAIN zone AS text DEFAULT 'a';
ALTER TABLE catalogue.datasets ALTER region SET DEFAULT 'west', ADD COLUMN zone test.zone;
SELECT data::json ->> 'region' AS region, data::json ->> 'zone' AS zone
FROM catalogue.create('datasets', body('western'), 'representation', actor => admin());
ALTER DOMAIN zone SET DEFAULT 'b';
ALTER TABLE catalogue.datasets ALTER region DROP DEFAULT;
SELECT data::json ->> 'region' AS region, data::json ->> 'zone' AS zone
FROM catalogue.create('datasets', body('of no region'), 'representation', actor => admin());
ALTER TABLE catalogue.datasets DROP CONSTRAINT no_secrets, DROP COLUMN length, DROP COLUMN zone;
-- a domain that refuses null refuses it of a column that nobody gives a value
CREATE TABLE places (id catalogue.id PRIMARY KEY, name text NOT NULL, zone test.zone,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SELECT catalogue.expose('test.places', 'Place');
ALTER DOMAIN zone DROP DEFAULT;
SELECT count(make('places', '{"name": "somewhere"}')) AS made;
ALTER DOMAIN zone ADD CONSTRAINT strict CHECK (length(value) < 3);
SELECT count(make('places', '{"name": "elsewhere"}')) AS made;
DELETE FROM places;
UPDATE places SET zone = 'a';
ALTER DOMAIN zone ADD CONSTRAINT filled CHECK (value IS NOT NULL);
SELECT code, message FROM refusal($$SELECT make('places', '{"name": "nowhere"}')$$);
ALTER DOMAIN zone DROP CONSTRAINT filled;
ALTER DOMAIN zone SET NOT NULL;
SELECT code, message FROM refusal($$SELECT make('places', '{"name": "nowhere"}')$$);
SELECT count(make('places', '{"name": "in a zone", "zone": "b"}')) AS made;
-- and where null is given
SELECT field, rule FROM faults($$SELECT make('places', '{"name": "nowhere", "zone": null}')$$);
SELECT field, rule
FROM faults($$SELECT catalogue.update('places', (SELECT id FROM test.places WHERE name = 'in a zone'), '{"zone": null}',
    actor => admin())$$);
ALTER DOMAIN zone DROP NOT NULL;
SELECT data::json ->> 'name' AS name, data::json -> 'zone' AS zone
FROM catalogue.update('places', (SELECT id FROM test.places WHERE name = 'in a zone'), '{"zone": null}',
    'representation', actor => admin());
SELECT count(make('places', '{"name": "in none"}')) AS made;

-- A foreign key that leads to no resource.
CREATE TABLE regions (code text PRIMARY KEY);
INSERT INTO regions VALUES ('north');
GRANT SELECT, REFERENCES ON regions TO PUBLIC;
ALTER TABLE catalogue.datasets ADD CONSTRAINT in_region FOREIGN KEY (region) REFERENCES test.regions (code) NOT VALID;
SELECT code, message FROM refusal($$SELECT make('datasets', body('nowhere', '{"region": "nowhere"}'))$$);
SELECT count(make('datasets', body('somewhere', '{"region": "north"}'))) AS made;
ALTER TABLE catalogue.datasets DROP CONSTRAINT in_region, DROP COLUMN region;

-- A key that is checked in the end.
ALTER TABLE catalogue.datasets ADD CONSTRAINT one_description UNIQUE (notes) DEFERRABLE INITIALLY IMMEDIATE;
SELECT count(make('datasets', body('noted', '{"notes": "once"}'))) AS made;
SELECT code FROM refusal($$SELECT make('datasets', body('noted again', '{"notes": "once"}'))$$);
ALTER TABLE catalogue.datasets DROP CONSTRAINT one_description;

-- A rule.
CREATE RULE also AS ON INSERT TO catalogue.datasets DO ALSO INSERT INTO test.seen (what) VALUES ('rule');
TRUNCATE seen;
SELECT count(make('datasets', body('by rule'))) AS made;
DROP RULE also ON catalogue.datasets;
SELECT what FROM seen;

-- Without the look-up of references the foreign keys decide.
SET catalogue.check_references = off;
SELECT code
FROM refusal(
    $$SET CONSTRAINTS ALL IMMEDIATE; SELECT make('datasets', body('adrift', '{"owner": "nobody000000000"}'))$$);
RESET catalogue.check_references;
SELECT counts();

-- Foreign keys look records up by their index, also where a plan is made while a table has a few rows.
SELECT body('looked up') AS body, format('{"user": "%s"}', id_of('users', 'admin')) AS admin
\gset
SELECT pg_stat_force_next_flush();
BEGIN;
SELECT count(c.id) AS made FROM catalogue.create('datasets', :'body', actor => :'admin') c;
SET CONSTRAINTS ALL IMMEDIATE;
SELECT relname AS read_whole, seq_scan AS times, seq_tup_read AS rows
FROM pg_stat_xact_user_tables
WHERE schemaname = 'catalogue' AND relname IN ('datasets', 'categories', 'tags', 'users', 'statuses', 'organizations')
    AND seq_scan > 0
ORDER BY relname;
ROLLBACK;
