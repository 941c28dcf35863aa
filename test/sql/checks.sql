--
-- checks: each kind of damage is found, what is said to mend it does, and where all is well nothing is said
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SET datestyle = ISO;

-- What a check finds; and a call that runs every remedy of what was found last.
CREATE TABLE looked (n bigint, kind text, subject text, problem text, remedy text, hint text);
CREATE FUNCTION look() RETURNS SETOF looked LANGUAGE sql AS
$$
    DELETE FROM looked;
    INSERT INTO looked
    SELECT c.ordinality, c.kind, c.subject, c.problem, c.remedy, c.hint FROM catalogue.check_all() WITH ORDINALITY c;
    SELECT * FROM looked ORDER BY n;
$$;
CREATE FUNCTION plain(text) RETURNS text
    LANGUAGE sql AS $$ SELECT regexp_replace(mask($1), '(change|change_number =) [0-9]+', '\1 <n>', 'g') $$;
CREATE VIEW found AS SELECT kind, plain(subject) AS subject, plain(problem) AS problem, plain(remedy) AS remedy, hint
    FROM look();
CREATE VIEW found_daily AS SELECT kind, plain(subject) AS subject, plain(problem) AS problem FROM catalogue.check();
CREATE FUNCTION mend() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    remedy  text;
    ran     bigint := 0;
BEGIN
    FOR remedy IN SELECT l.remedy FROM looked l WHERE l.remedy IS NOT NULL GROUP BY l.remedy ORDER BY min(l.n) LOOP
        EXECUTE remedy;
        ran := ran + 1;
    END LOOP;
    RETURN ran;
END
$$;
\pset expanded on

-- All is well: of the seeds, of a table and a join table of the operator's own, after creations, changes, deletions and
-- restores, several of them in one transaction.
CREATE TABLE catalogue.licenses (id catalogue.id PRIMARY KEY, name varchar(150) NOT NULL, "user" catalogue.id
    REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
INSERT INTO catalogue.licenses (id, name) VALUES ('before', 'there before it is exposed');
SELECT catalogue.expose('licenses', 'License', unique_living => '{name}');
CREATE TABLE catalogue.licenses_tags (license catalogue.id NOT NULL CONSTRAINT tags
    REFERENCES catalogue.licenses ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    tag catalogue.id NOT NULL CONSTRAINT licenses REFERENCES catalogue.tags ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED, position integer NOT NULL DEFAULT 1, deleted_at timestamptz);
SELECT catalogue.expose_links('catalogue.licenses_tags');
SELECT make('licenses', json_build_object('name', 'CC BY', 'tags', id_of('tags', 'water'))) IS NOT NULL AS made;
SELECT make_dataset('checked') AS dataset \gset
SELECT make_file('rows', 'checked') AS file \gset
SELECT make_chart('bars', 'rows') IS NOT NULL AND make_map('points', 'rows') IS NOT NULL AS made;
SELECT catalogue.act('datasets', :'dataset', 'publish', actor => admin()) IS NOT NULL AS published;
SELECT catalogue.update('datasets', :'dataset',
    json_build_object('tags', json_build_array(id_of('tags', 'water'), id_of('tags', 'health'))),
    actor => admin()) IS NOT NULL AS linked;
INSERT INTO catalogue.datasets_tags (dataset, tag, position) VALUES (:'dataset', id_of('tags', 'budget'), 3);
BEGIN;
UPDATE catalogue.tags SET name = 'Water' WHERE name = 'water';
DELETE FROM catalogue.tags WHERE name = 'Water';
UPDATE catalogue.tags SET deleted_at = NULL WHERE name = 'Water';
INSERT INTO catalogue.tags (name, created_by) SELECT 'tag ' || n, id_of('users', 'admin') FROM generate_series(1, 20) n;
DELETE FROM catalogue.tags WHERE name ~ '^tag 1';
COMMIT;
SELECT catalogue.delete('datasets', :'dataset', admin()) IS NOT NULL AS deleted;
SELECT catalogue.restore('datasets', :'dataset', actor => admin()) IS NOT NULL AS restored;
SELECT catalogue.deactivate('categories', id_of('categories', 'Government'),
    actor => admin()) IS NOT NULL AS deactivated;
UPDATE catalogue.files SET parse_reason = 'the service made a note' WHERE id = :'file';
SELECT catalogue.logout(admin()) IS NOT NULL AS out;
SELECT catalogue.record_statistics(E'1700000000000000\tGET\tdatasets\t/datasets\t\t\tcurl\t127.0.0.1') AS recorded;
SELECT catalogue.blob_create() AS empty \gset
SELECT catalogue.blob_append(:empty, 0, 'some bytes') AS size;
SELECT catalogue.upload('files', :'file', 'rows.csv', 'a,b
1,2', actor => admin()) IS NOT NULL AS uploaded;
SELECT job FROM catalogue.job_take('w1', '{parse}') \gset
SELECT * FROM found;

-- Counters against rows, of what all see and of what outsiders see.
ALTER TABLE catalogue.tags DISABLE TRIGGER USER;
DELETE FROM catalogue.tags WHERE name = 'tag 2';
ALTER TABLE catalogue.tags ENABLE TRIGGER USER;
UPDATE catalogue.counter
SET shown = shown + 1
WHERE ctid = (SELECT min(ctid) FROM catalogue.counter WHERE resource = 'datasets');
INSERT INTO catalogue.counter VALUES ('statistics', 1, 0);
SELECT * FROM found_daily;
SELECT * FROM found;
SELECT mend();
SELECT * FROM found;

-- Triggers that are disabled or missing.
ALTER TABLE catalogue.tags DISABLE TRIGGER rules;
ALTER TABLE catalogue.licenses_tags DISABLE TRIGGER unlinked;
DROP TRIGGER used ON catalogue.archive;
SELECT * FROM found;
SELECT mend();
SELECT catalogue.bootstrap();
SELECT * FROM found;

-- Privileges on columns: one that is missing, and one to read a secret.
REVOKE SELECT (name) ON catalogue.tags FROM catalogue_reader;
GRANT SELECT (password) ON catalogue.users TO catalogue_worker;
SELECT * FROM found;
SELECT mend();
SELECT * FROM found;

-- What dropped tables have left.
INSERT INTO catalogue.counter VALUES ('planets', 3, 3);
INSERT INTO catalogue.update_order (resource, id, updated_at) VALUES ('planets', 'earth', now());
SELECT * FROM found;
SELECT mend();
SELECT * FROM found;

-- Blobs: more uses than rows, fewer, bytes that are missing, and others than came.
UPDATE catalogue.blob SET uses = uses + 1 WHERE uses > 0;
UPDATE catalogue.blob SET uses = 2 WHERE id = :empty;
SELECT kind, problem FROM found;
SELECT mend();
SELECT * FROM found;
SELECT s.blob FROM catalogue.stored_file s WHERE s.file = :'file' \gset
BEGIN;
UPDATE catalogue.blob_chunk SET bytes = 'a,b
1,3' WHERE blob = :blob;
SELECT * FROM found_daily;
SELECT kind, problem, remedy, hint FROM found;
DELETE FROM catalogue.blob_chunk WHERE blob = :blob;
SELECT kind, problem FROM found;
ROLLBACK;

-- Jobs: the lease of a worker that is gone; one that nobody takes; one that is not in the queue; one that is there
-- without cause; a state that is not that of the queue; a file whose reading nobody does.
UPDATE catalogue.job_queue SET due_at = now() - interval '11 min' WHERE job = :'job';
SELECT * FROM found;
SELECT mend();
SELECT * FROM found;
SELECT worker, state FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job WHERE q.job = :'job';
UPDATE catalogue.job_queue SET due_at = now() - interval '61 min' WHERE job = :'job';
SELECT * FROM found;
UPDATE catalogue.job_queue SET due_at = now(), worker = 'w2' WHERE job = :'job';
SELECT * FROM found;
SELECT mend();
SELECT * FROM found;
DELETE FROM catalogue.job_queue WHERE job = :'job';
INSERT INTO catalogue.job_queue (job, kind) VALUES ('nothing', 'parse');
SELECT * FROM found;
SELECT mend();
SELECT * FROM found;
SELECT parse_state, parse_reason FROM catalogue.files WHERE id = :'file';

-- Schedules that did not run: none for an hour, never.
UPDATE catalogue.upkeep SET ran_at = now() - interval '61 min' WHERE job = 'prune';
UPDATE catalogue.upkeep SET since = now() - interval '61 min' WHERE job = 'sweep';
UPDATE catalogue.upkeep SET since = now() - interval '31 days' WHERE job = 'roll up';
SELECT kind, subject, regexp_replace(problem, 'at .*|since .*', '<when>') AS problem, remedy, hint FROM found;
SELECT mend();
SELECT * FROM found;
SELECT job, ran_at IS NOT NULL AS ran, processed >= 0 AS processed FROM catalogue.upkeep ORDER BY job;
UPDATE catalogue.upkeep SET ran_at = now() - interval '33 days' WHERE job = 'roll up';
SELECT subject, remedy FROM found;
SELECT mend();
SELECT * FROM found;

-- The log against the changes of the day: each kind of change without its record.
UPDATE catalogue.tags SET name = 'tag 3.' WHERE name = 'tag 3';
DELETE FROM catalogue.tags WHERE name = 'tag 4';
SELECT make('tags', '{"name": "tag five"}') IS NOT NULL AS made;
ALTER TABLE catalogue.logs DISABLE TRIGGER USER;
DELETE FROM catalogue.logs l USING catalogue.tags t
WHERE t.id = l.resource AND t.name IN ('tag 3.', 'tag 4', 'tag five');
ALTER TABLE catalogue.logs ENABLE TRIGGER USER;
SELECT catalogue.recount('logs') IS NOT NULL AS counted;
SELECT * FROM found_daily;
SELECT problem, remedy, hint FROM found;
SELECT mend();
SELECT * FROM found;
SELECT l.action, t.name, l."user"
FROM catalogue.logs l JOIN catalogue.tags t ON t.id = l.resource
WHERE t.name IN ('tag 3.', 'tag 4', 'tag five')
ORDER BY l.created_at, l.id;

-- Lists of ids against join tables: a link without its list, a list without its link, their order, and when the record
-- was created.
SET session_replication_role = replica;
INSERT INTO catalogue.datasets_tags (dataset, tag, position, dataset_created_at)
SELECT :'dataset', id_of('tags', 'transport'), 4, created_at
FROM catalogue.datasets
WHERE id = :'dataset';
UPDATE catalogue.licenses SET tags_ids = '{}' WHERE name = 'CC BY';
UPDATE catalogue.datasets_categories SET dataset_created_at = now() WHERE dataset = :'dataset';
RESET session_replication_role;
SELECT * FROM found_daily;
SELECT kind, subject, problem, remedy FROM found;
SELECT mend();
SELECT * FROM found;
SET session_replication_role = replica;
DELETE FROM catalogue.datasets_tags WHERE dataset = :'dataset';
RESET session_replication_role;
SELECT count(*) FROM look() \g /dev/null
SELECT mend();
SELECT tags_ids FROM catalogue.datasets WHERE id = :'dataset';
SELECT * FROM found;
SELECT code, message FROM refusal($$SELECT catalogue.relist('planets', 'x')$$);

-- References to records that are deleted, or not there: of fields and of links. The user of a record of the log may be
-- deleted.
SET session_replication_role = replica;
UPDATE catalogue.datasets SET deleted_at = now() WHERE id = :'dataset';
UPDATE catalogue.licenses SET "user" = 'nobody' WHERE name = 'CC BY';
UPDATE catalogue.charts SET file = 'nothing' WHERE name = 'bars';
UPDATE catalogue.users SET deleted_at = now() WHERE username = 'guest';
UPDATE catalogue.logs SET "user" = id_of('users', 'guest') WHERE "user" IS NULL;
INSERT INTO catalogue.datasets_tags (dataset, tag, position, dataset_created_at)
SELECT id, 'nothing', 5, created_at
FROM catalogue.datasets
WHERE name = 'Airports';
RESET session_replication_role;
SELECT catalogue.recount('datasets') IS NOT NULL AND catalogue.recount('users') IS NOT NULL AS counted;
SELECT kind, subject, problem, remedy, hint FROM found WHERE kind = 'reference';
SELECT mend() > 0 AS mended;
SELECT kind, subject, problem, remedy, hint FROM found;
SET session_replication_role = replica;
UPDATE catalogue.charts SET file = :'file' WHERE name = 'bars';
RESET session_replication_role;
SELECT count(*) FROM look() \g /dev/null
SELECT mend() >= 0 AS mended;
SELECT * FROM found;

-- A record of a resource that only grows, made without its change.
INSERT INTO catalogue.change (number, resource, at, apart) VALUES (-9, 'statistics', now() - interval '3 hours', true);
SET session_replication_role = replica;
INSERT INTO catalogue.statistics (id, resource, endpoint, method, client, useragent, ip, created_at, updated_at)
    VALUES ('s1', 'tags', '/tags', 'GET', 'x', 'x', '::1', now() - interval '1 hour', now() - interval '1 hour');
RESET session_replication_role;
INSERT INTO catalogue.statistics_by_day VALUES ((now() - interval '1 hour')::date, 'tags', 'GET', 'x', 1);
SELECT catalogue.recount('statistics') AS counted;
SELECT * FROM found;
SELECT mend();
SELECT * FROM found;

-- Numbers of requests against the records: some are not counted, others no longer there.
SELECT catalogue.record_statistics(E'1700000000000000\tGET\ttags\t/tags\t\t\tcurl\t::1\n'
    || E'1700000000000000\tGET\ttags\t/tags\t\t\tcurl\t::1\n1700000000000000\tPUT\ttags\t/tags\t\t\tcurl\t::1')
    AS recorded;
UPDATE catalogue.statistics_by_day SET requests = requests - 1 WHERE method = 'GET' AND resource = 'tags'
    AND day = '2023-11-14';
DELETE FROM catalogue.statistics WHERE method = 'PUT';
SELECT * FROM found;
SELECT mend();
SELECT * FROM found;

-- The history: a change that left no state, of one that is there and of one between two; a state without its change;
-- two that end at the same instant; one from before the record; an end that is not marked; states without a record.
UPDATE catalogue.tags SET name = 'tag 6.' WHERE name = 'tag 6';
UPDATE catalogue.tags SET name = 'tag 6:' WHERE name = 'tag 6.';
UPDATE catalogue.tags SET name = 'tag 6!' WHERE name = 'tag 6:';
SET session_replication_role = replica;
UPDATE catalogue.tags SET updated_at = clock_timestamp() WHERE name = 'tag 7';
DELETE FROM catalogue_history.tags WHERE name = 'tag 6.';
RESET session_replication_role;
SELECT to_json(clock_timestamp()) #>> '{}' AS then \gset
SELECT kind, problem, remedy, hint FROM found;
SELECT mend();
SELECT * FROM found;
SELECT code, message
FROM refusal(format('SELECT catalogue.list(''tags'', %L)', 'version=' || replace(:'then', '+', '%2B')));
UPDATE catalogue.tags SET name = 'tag 8.' WHERE name = 'tag 8';
UPDATE catalogue.tags SET name = 'tag 8:' WHERE name = 'tag 8.';
DELETE FROM catalogue.tags WHERE name = 'tag 9';
UPDATE catalogue.tags SET name = 'tag 20.' WHERE name = 'tag 20';
INSERT INTO catalogue_history.tags (id, change_number, change_ended, name, created_at, updated_at)
SELECT id, -1, false, name, created_at, updated_at
FROM catalogue_history.tags
WHERE name = 'tag 8';
INSERT INTO catalogue.change (number, resource, at)
SELECT -2, 'tags', c.at
FROM catalogue.change c JOIN catalogue_history.tags h ON h.change_number = c.number
WHERE h.name = 'tag 8';
INSERT INTO catalogue_history.tags (id, change_number, change_ended, name, created_at, updated_at)
SELECT id, -2, false, name, created_at, updated_at
FROM catalogue_history.tags
WHERE name = 'tag 8' AND change_number > 0;
INSERT INTO catalogue.change (number, resource, at) VALUES (-3, 'tags', clock_timestamp());
INSERT INTO catalogue_history.tags (id, change_number, change_ended)
SELECT id, -3, false
FROM catalogue_history.tags
WHERE name = 'tag 8' AND change_number > 0;
UPDATE catalogue_history.tags SET change_ended = false WHERE name = 'tag 9';
SET session_replication_role = replica;
DELETE FROM catalogue.tags WHERE name = 'tag 20.';
RESET session_replication_role;
SELECT catalogue.recount('tags') IS NOT NULL AS counted;
SELECT kind, problem, remedy, hint FROM found WHERE kind = 'history';
SELECT mend() > 0 AS mended;
SELECT * FROM found;

-- A state without a status: deleted, and gone for good, with the triggers disabled.
SET session_replication_role = replica;
UPDATE catalogue.statuses SET deleted_at = now() WHERE id = 'pWRhpRV';
RESET session_replication_role;
SELECT kind, subject, problem, remedy, hint FROM found WHERE kind = 'state';
SELECT mend() > 0 AS mended;
SELECT * FROM found;
BEGIN;
SET LOCAL session_replication_role = replica;
DELETE FROM catalogue.statuses WHERE id = 'oWRhpRV';
SET LOCAL session_replication_role = origin;
SELECT kind, subject, problem, remedy, hint FROM found WHERE kind = 'state';
INSERT INTO catalogue.statuses (id, name) VALUES ('oWRhpRV', 'Review');
SELECT count(*) FROM found WHERE kind = 'state';
ROLLBACK;

-- A resource, a join table and a table of the service whose columns are not what they were: each comparison that fails
-- is told, and the others are made.
BEGIN;
ALTER TABLE catalogue.licenses DROP COLUMN deleted_at CASCADE;
UPDATE catalogue.counter SET living = living + 1
WHERE ctid = (SELECT min(ctid) FROM catalogue.counter WHERE resource = 'tags');
SELECT kind, subject, problem FROM found_daily;
SELECT * FROM found;
ROLLBACK;
BEGIN;
ALTER TABLE catalogue.licenses_tags DROP COLUMN deleted_at CASCADE;
DROP TABLE catalogue.log_day CASCADE;
SELECT kind, subject, problem FROM found;
ROLLBACK;

-- Who ends the statement ends the checks; so does a conflict with another transaction.
CREATE FUNCTION catalogue.check_ended(code text) RETURNS SETOF catalogue.finding LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'ended with %', code USING ERRCODE = code;
END
$$;
SELECT problem FROM catalogue.findings('check_ended', '22012');
\set VERBOSITY terse
SELECT problem FROM catalogue.findings('check_ended', '57014');
SELECT problem FROM catalogue.findings('check_ended', '40001');
\set VERBOSITY default
DROP FUNCTION catalogue.check_ended(text);

-- It is for the owner alone, who needs nothing besides; it changes nothing.
SET ROLE catalogue_owner;
SELECT count(*) FROM catalogue.check_all();
BEGIN READ ONLY;
SELECT count(*) FROM catalogue.check_all();
COMMIT;
RESET ROLE;
GRANT USAGE ON SCHEMA test TO catalogue_shim, catalogue_worker, catalogue_reader;
SET ROLE catalogue_shim;
SELECT code
FROM refusal('SELECT catalogue.check()')
UNION ALL SELECT code
FROM refusal('SELECT catalogue.relist(''tags'', ''x'')')
UNION ALL SELECT code
FROM refusal('SELECT catalogue.begin_history(''tags'')');
SET ROLE catalogue_worker;
SELECT code FROM refusal('SELECT catalogue.check_all()');
SET ROLE catalogue_reader;
SELECT code FROM refusal('SELECT catalogue.check()');
RESET ROLE;
SELECT proname
FROM pg_proc
WHERE pronamespace = 'catalogue'::regnamespace AND proname ~ '^check(_|$)' AND proretset AND provolatile <> 's';
