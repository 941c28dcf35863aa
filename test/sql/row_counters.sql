--
-- row_counters: the number of living records is exact, whatever happened
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The maintained number beside the counted one.
CREATE FUNCTION tags() RETURNS TABLE (maintained bigint, counted bigint) LANGUAGE sql AS
$$
    SELECT ((catalogue.count('tags')).data::json ->> 'count')::bigint,
           (SELECT count(*) FROM catalogue.tags WHERE deleted_at IS NULL)
$$;
SELECT * FROM tags();

-- After inserts, one by one and many at once.
SELECT make('tags', '{"name": "one more"}') IS NOT NULL AS made;
SELECT * FROM tags();
INSERT INTO catalogue.tags (name, created_by)
SELECT 'tag ' || n, id_of('users', 'admin')
FROM generate_series(1, 500) n;
SELECT * FROM tags();

-- After deletions and restores.
SELECT mask(id) AS id FROM catalogue.delete('tags', id_of('tags', 'one more'), admin());
SELECT * FROM tags();
DELETE FROM catalogue.tags WHERE name ~ '^tag 1';
SELECT * FROM tags();
SELECT mask(id) AS id FROM catalogue.restore('tags', id_of('tags', 'one more'), actor => admin());
UPDATE catalogue.tags SET deleted_at = NULL WHERE deleted_at IS NOT NULL AND name ~ '^tag 1[0-4]';
SELECT * FROM tags();

-- Updates, deletions of the deleted, and refused statements change nothing.
UPDATE catalogue.tags SET name = name || '.' WHERE name ~ '^tag [5-9]' AND deleted_at IS NULL;
DELETE FROM catalogue.tags WHERE deleted_at IS NOT NULL;
SELECT code
FROM refusal($$INSERT INTO catalogue.tags (name, created_by)
  SELECT 'new ' || n % 9, id_of('users', 'admin')
  FROM generate_series(1, 50) n$$);
SELECT * FROM tags();

-- Inside a transaction it counts what the transaction did; rolled back, it did not happen.
BEGIN;
DELETE FROM catalogue.tags;
SELECT * FROM tags();
ROLLBACK;
SELECT * FROM tags();

-- Rolled back to a savepoint.
BEGIN;
INSERT INTO catalogue.tags (name, created_by) VALUES ('kept', id_of('users', 'admin'));
SAVEPOINT here;
INSERT INTO catalogue.tags (name, created_by)
SELECT 'undone ' || n, id_of('users', 'admin')
FROM generate_series(1, 40) n;
SELECT * FROM tags();
ROLLBACK TO here;
SELECT * FROM tags();
COMMIT;
SELECT * FROM tags();

-- Many small statements: the counter is folded now and then, and stays exact.
DO $$
BEGIN
    FOR n IN 1..600 LOOP
        INSERT INTO catalogue.tags (name, created_by) VALUES ('small ' || n, test.id_of('users', 'admin'));
    END LOOP;
END
$$;
SELECT * FROM tags();
-- Each statement folds it by chance only; so what changes nothing in the end goes on until one has.
DO $$
BEGIN
    FOR n IN 1..5000 LOOP
        EXIT WHEN (SELECT count(*) < 600 FROM catalogue.counter WHERE resource = 'tags');
        UPDATE catalogue.tags SET deleted_at = now() WHERE name = 'small 1' AND deleted_at IS NULL;
        UPDATE catalogue.tags SET deleted_at = NULL WHERE name = 'small 1';
    END LOOP;
END
$$;
SELECT count(*) < 600 AS folded FROM catalogue.counter WHERE resource = 'tags';

-- Records that go along with others are counted, of each resource.
DELETE FROM catalogue.datasets WHERE name = 'Airports';
SELECT r.resource, (catalogue.count(r.resource)).data FROM unnest('{datasets,files,charts,maps}'::text[]) r(resource);
UPDATE catalogue.datasets SET deleted_at = NULL WHERE name = 'Airports';
SELECT r.resource, (catalogue.count(r.resource)).data FROM unnest('{datasets,files,charts,maps}'::text[]) r(resource);

-- A record that is inserted as deleted does not count; MERGE counts what it did.
INSERT INTO catalogue.tags (name, created_by, deleted_at) VALUES ('born dead', id_of('users', 'admin'), now());
MERGE INTO catalogue.tags t USING (VALUES ('kept'), ('fresh')) n(name) ON t.name = n.name AND t.deleted_at IS NULL
    WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (name, created_by) VALUES (n.name, id_of('users', 'admin'));
SELECT * FROM tags();

-- Every resource: no number differs from the counted one.
CREATE FUNCTION counted(place regclass) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    n bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM %s WHERE deleted_at IS NULL', place) INTO n;
    RETURN n;
END
$$;
SELECT resource
FROM catalogue.resource
WHERE ((catalogue.count(resource)).data::json ->> 'count')::bigint <> counted(relation);

-- Counting anew after the triggers were off.
ALTER TABLE catalogue.tags DISABLE TRIGGER USER;
DELETE FROM catalogue.tags WHERE name ~ '^small';
ALTER TABLE catalogue.tags ENABLE TRIGGER USER;
SELECT maintained - counted AS wrong_by FROM tags();
SELECT catalogue.recount('tags') = (SELECT counted FROM tags()) AS recounted;
SELECT maintained - counted AS wrong_by FROM tags();
SELECT code, message FROM refusal($$SELECT catalogue.recount('planets')$$);
