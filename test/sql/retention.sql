--
-- retention: the log is kept as long as a setting says, pages of earlier instants stay right, and tables that change
-- stay small
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE FUNCTION logged(query text DEFAULT '') RETURNS bigint
    LANGUAGE sql AS $$ SELECT ((catalogue.count('logs', $1)).data::json ->> 'count')::bigint $$;
CREATE FUNCTION stored() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM catalogue.logs $$;
-- Make the oldest records of the log older.
CREATE FUNCTION age(records integer, days integer) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    SET LOCAL session_replication_role = replica;
    UPDATE catalogue.logs
    SET created_at = created_at - make_interval(days => $2), updated_at = updated_at - make_interval(days => $2)
    WHERE id IN (SELECT id FROM catalogue.logs WHERE deleted_at IS NULL ORDER BY created_at, id LIMIT $1);
    SET LOCAL session_replication_role = origin;
END
$$;

-- By default the log is kept for ever, however old a record is, and also where its owner has deleted one.
SELECT catalogue.history_horizon() IS NOT NULL AS loaded;
SHOW catalogue.log_retention;
SELECT age(10, 3650);
DELETE FROM catalogue.logs WHERE id = (SELECT min(id) FROM catalogue.logs);
SELECT logged() AS before, stored() \gset before_
SET catalogue.history_retention = 0;
SELECT catalogue.prune() >= 0 AS pruned;
RESET catalogue.history_retention;
SELECT logged() = :before_before AS kept, stored() = :before_stored AS stored;
UPDATE catalogue.logs SET deleted_at = NULL WHERE deleted_at IS NOT NULL;

-- Only a superuser changes it.
SET ROLE catalogue_owner;
SET catalogue.log_retention = 0;
RESET ROLE;

-- What is older is deleted, no more in a run than so many, the oldest first; the log tells of that in one record a run.
SET catalogue.log_retention = '30d';
SELECT logged() AS records, stored() \gset before_
SELECT version AS "then" FROM catalogue.list('logs') \gset
SELECT catalogue.expire_logs(4) AS expired;
SELECT count(*) FILTER (WHERE deleted_at IS NULL) AS left, count(deleted_at) AS deleted
FROM catalogue.logs
WHERE created_at < now() - interval '30 days';
SELECT max(created_at) FILTER (WHERE deleted_at IS NOT NULL)
       <= min(created_at) FILTER (WHERE deleted_at IS NULL) AS oldest_first
FROM catalogue.logs;
SELECT catalogue.prune() AS pruned;
SELECT catalogue.prune() AS pruned;
SELECT logged() - :before_records AS fewer, stored() - :before_stored AS rows;
SELECT action, target, resource, "user" FROM catalogue.logs WHERE resource = '*';

-- Pages and counts as of before show them.
SELECT logged('version=' || :'then') = :before_records AS counted;
SELECT json_array_length(data::json) = :before_records AS shown
FROM catalogue.list('logs', 'limit=10000&version=' || :'then');
SELECT json_array_length(data::json) = logged() AS shown FROM catalogue.list('logs', 'limit=10000');
SELECT * FROM catalogue.check_all();

-- When there are no such pages any more they are removed for good.
SET catalogue.history_retention = 0;
SELECT catalogue.prune() > 0 AS pruned;
SELECT stored() - :before_stored AS rows, logged() - :before_records AS fewer,
       (SELECT count(*) FROM catalogue_history.logs) AS states;
RESET catalogue.history_retention;
SELECT * FROM catalogue.check_all();

-- A record that its owner deleted is kept until it is that old.
DELETE FROM catalogue.logs WHERE id = (SELECT max(id) FROM catalogue.logs);
SET catalogue.history_retention = 0;
SELECT catalogue.prune() >= 0 AS pruned;
RESET catalogue.history_retention;
SELECT count(*) FROM catalogue.logs WHERE deleted_at IS NOT NULL;

-- The owner's job does the same; nothing is left of the log but the record of it where it is kept for no time.
SELECT age(100000, 1);
SET catalogue.log_retention = '1h';
SET ROLE catalogue_owner;
SELECT catalogue.prune() > 50 AS pruned;
RESET ROLE;
SELECT action, target, resource FROM catalogue.logs WHERE deleted_at IS NULL;
RESET catalogue.log_retention;

-- Autovacuum comes soon to all tables of the catalogue, and sooner to small ones that change all the time.
SELECT c.relname, array_to_string(c.reloptions, ' ') AS options FROM pg_class c
WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind = 'r' AND c.relname <> 'resource'
  AND c.reloptions @> '{autovacuum_vacuum_scale_factor=0,autovacuum_vacuum_threshold=500}'
  ORDER BY c.relname COLLATE "C";
SELECT c.relname
FROM pg_class c
WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind = 'r' AND c.relname <> 'resource'
    AND NOT coalesce(array_to_string(c.reloptions, ' ') ~ 'autovacuum', false);
SELECT array_to_string(c.reloptions, ' ') AS options FROM pg_class c WHERE c.oid = 'catalogue.datasets'::regclass;
SELECT DISTINCT array_to_string(c.reloptions, ' ') AS history
FROM pg_class c
WHERE c.relnamespace = 'catalogue_history'::regnamespace AND c.relkind = 'r';

-- A database from before gets them; what a DBA set himself stays, of a table elsewhere too.
CREATE SCHEMA mine;
CREATE TABLE mine.licenses (id catalogue.id PRIMARY KEY, name text, created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT catalogue.expose('mine.licenses', 'License');
ALTER TABLE catalogue.tags RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
    autovacuum_vacuum_insert_scale_factor, autovacuum_analyze_scale_factor);
ALTER TABLE catalogue.views RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
    autovacuum_vacuum_insert_scale_factor, autovacuum_analyze_scale_factor);
ALTER TABLE catalogue.views SET (autovacuum_enabled = off, fillfactor = 80);
ALTER TABLE catalogue.change SET (autovacuum_vacuum_threshold = 7);
SELECT catalogue.bootstrap();
SELECT oid::regclass, reloptions
FROM pg_class
WHERE oid IN ('catalogue.tags'::regclass, 'catalogue.views'::regclass, 'catalogue.change'::regclass,
    'mine.licenses'::regclass, 'catalogue_history.licenses'::regclass)
ORDER BY oid::regclass::text;
SELECT catalogue.tune_tables() AS again;

-- Tables stay as large as they are, however often the same records change, where vacuum and prune() come in between.
CREATE FUNCTION pages() RETURNS bigint LANGUAGE sql AS
$$
    SELECT sum(pg_relation_size(c.oid) / 8192)
    FROM pg_class c
    WHERE c.oid IN ('catalogue.tags'::regclass, 'catalogue.counter'::regclass, 'catalogue.change'::regclass,
        'catalogue_history.tags'::regclass)
$$;
CREATE PROCEDURE change(times integer) LANGUAGE plpgsql AS
$$
BEGIN
    FOR n IN 1..times LOOP
        UPDATE catalogue.tags SET name = 'round ' || n WHERE name = 'water';
        UPDATE catalogue.tags SET name = 'water' WHERE name = 'round ' || n;
        COMMIT;
    END LOOP;
END
$$;
-- autovacuum may analyze a table at the time, whose snapshot keeps a VACUUM from removing rows; it does not hit each of
-- them
CREATE TABLE sizes (round integer GENERATED ALWAYS AS IDENTITY, pages bigint);
SET catalogue.history_retention = 0;
CALL change(300);
SELECT catalogue.prune() > 0 AS pruned;
VACUUM catalogue.tags, catalogue.counter, catalogue.change, catalogue_history.tags;
INSERT INTO sizes (pages) SELECT pages();
CALL change(300);
SELECT catalogue.prune() > 0 AS pruned;
VACUUM catalogue.tags, catalogue.counter, catalogue.change, catalogue_history.tags;
INSERT INTO sizes (pages) SELECT pages();
CALL change(300);
SELECT catalogue.prune() > 0 AS pruned;
VACUUM catalogue.tags, catalogue.counter, catalogue.change, catalogue_history.tags;
INSERT INTO sizes (pages) SELECT pages();
CALL change(300);
SELECT catalogue.prune() > 0 AS pruned;
VACUUM catalogue.tags, catalogue.counter, catalogue.change, catalogue_history.tags;
INSERT INTO sizes (pages) SELECT pages();
SELECT count(*) > 0 AS bounded
FROM (SELECT pages - lag(pages) OVER (ORDER BY round) AS growth FROM sizes) g
WHERE growth <= 2;
RESET catalogue.history_retention;
