--
-- schedule: what is due is run once, one job at a time; a job that fails holds up no other
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- All that is scheduled: the jobs of the catalogue, and update frequencies with a pattern.
UPDATE catalogue.upkeep SET since = now();
SELECT kind, name, pattern, next_run > now() AS later, last_run, runner, fault
FROM catalogue.schedule()
ORDER BY 1 DESC, 2;

-- Nothing is due, at the turn of a minute either: nothing is run, and the run of the dispatcher is recorded.
UPDATE catalogue.upkeep SET since = now() + interval '1 hour';
SELECT catalogue.dispatch() AS run;
SELECT job, ran_at > now() - interval '1 min' AS now, runner FROM catalogue.upkeep WHERE ran_at IS NOT NULL;

-- Two jobs that are due, long ago: each is run once, roll up alone, and is due again at its next time.
UPDATE catalogue.upkeep SET since = now() - interval '70 days' WHERE job IN ('prune', 'roll up');
SELECT name FROM catalogue.schedule() WHERE kind = 'upkeep' AND next_run <= now() ORDER BY next_run, name;
SELECT catalogue.dispatch() AS first, catalogue.dispatch() AS second, catalogue.dispatch() AS third;
SELECT job, ran_at IS NOT NULL AS ran, tried_at = ran_at AS tried, processed IS NOT NULL AS counted, fault
FROM catalogue.upkeep
ORDER BY job;
SELECT name, next_run = catalogue.next_run(pattern, last_run) AS next, next_run > now() AS later
FROM catalogue.schedule()
WHERE last_run IS NOT NULL AND name <> 'dispatch'
ORDER BY name;

UPDATE catalogue.upkeep SET since = now() + interval '1 hour';

-- A job that fails, and one of the operator's own: both are run, the failure is reported, and nothing of it stays.
CREATE TABLE ran (job text);
GRANT ALL ON ran TO catalogue_owner;
GRANT USAGE ON SCHEMA test TO catalogue_owner;
CREATE FUNCTION break() RETURNS void LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO test.ran VALUES ('broken'); RAISE 'it broke'; END $$;
INSERT INTO catalogue.upkeep (job, pattern, statement, within, since) VALUES
    ('broken', '*/5 * * * *', 'SELECT test.break()', '1 day', now() - interval '2 hours'),
    ('own', '*/5 * * * *', 'INSERT INTO test.ran VALUES (''own'')', '1 day', now() - interval '1 hour');
SELECT catalogue.dispatch() AS both, catalogue.dispatch() AS none;
SELECT * FROM ran;
SELECT name, last_run IS NOT NULL AS ran, fault FROM catalogue.schedule() WHERE name IN ('broken', 'own') ORDER BY name;
SELECT subject, regexp_replace(problem, 'at .*:', 'at <when>:') AS problem, remedy
FROM catalogue.check()
WHERE kind = 'upkeep';

-- A run that succeeds ends the report.
CREATE OR REPLACE FUNCTION break() RETURNS void LANGUAGE sql AS '';
UPDATE catalogue.upkeep SET tried_at = NULL WHERE job = 'broken';
SELECT catalogue.dispatch() AS run;
SELECT fault, ran_at IS NOT NULL AS ran FROM catalogue.upkeep WHERE job = 'broken';
SELECT count(*) FROM catalogue.check() WHERE kind = 'upkeep';
DELETE FROM catalogue.upkeep WHERE job IN ('broken', 'own');

-- A job that did not get a lock in time stays due, and the others are run, also where it would be run alone.
CREATE FUNCTION wait() RETURNS void LANGUAGE plpgsql AS
$$ BEGIN RAISE lock_not_available USING MESSAGE = 'no lock'; END $$;
INSERT INTO catalogue.upkeep (job, pattern, statement, within, since) VALUES
    ('waiting', '0 0 1 * *', 'SELECT test.wait()', '32 days', now() - interval '40 days'),
    ('other', '*/5 * * * *', 'INSERT INTO test.ran VALUES (''other'')', '1 day', now() - interval '1 hour');
SELECT catalogue.dispatch() AS both, catalogue.dispatch() AS again;
SELECT fault, tried_at, ran_at FROM catalogue.upkeep WHERE job = 'waiting';
CREATE OR REPLACE FUNCTION wait() RETURNS void LANGUAGE sql AS '';
SELECT catalogue.dispatch() AS run, catalogue.dispatch() AS none;
SELECT fault, ran_at IS NOT NULL AS ran FROM catalogue.upkeep WHERE job = 'waiting';
DELETE FROM catalogue.upkeep WHERE job IN ('waiting', 'other');

-- A worker does nothing while somebody else dispatches, and does after two minutes in which nobody did.
SELECT catalogue.dispatch('w1') AS run;
UPDATE catalogue.upkeep SET ran_at = now() - interval '3 min' WHERE job = 'dispatch';
SELECT catalogue.dispatch('w1') AS first, catalogue.dispatch('w1') AS again, catalogue.dispatch('w2') AS other;
SELECT runner FROM catalogue.schedule() WHERE name = 'dispatch';
-- pg_cron takes it back at once
SELECT catalogue.dispatch() AS run, catalogue.dispatch('w1') AS worker;

-- Update frequencies: the next run is computed when the pattern is written, and by the dispatcher when it has passed.
SELECT (catalogue.create('updatefrequencies',
    '{"name": "New Year", "timePattern": "0 0 1 1 *", "nextRun": "2000-01-01T00:00:00Z"}')).id AS id \gset
CREATE VIEW frequency AS SELECT name, time_pattern, next_run = catalogue.next_run(time_pattern, now()) AS computed,
    next_run IS NULL AS none, updated_at FROM catalogue.updatefrequencies;
SELECT name, time_pattern, computed FROM frequency WHERE name = 'New Year';
SELECT updated_at FROM frequency WHERE name = 'New Year' \gset
SELECT count(*) AS logged FROM catalogue.logs WHERE resource = :'id' \gset
UPDATE catalogue.updatefrequencies SET next_run = now() - interval '3 years' WHERE id = :'id';
SELECT catalogue.dispatch() AS run;
SELECT computed, updated_at = :'updated_at' AS as_before,
       (SELECT count(*) FROM catalogue.logs WHERE resource = :'id') = :logged AS not_logged
FROM frequency
WHERE name = 'New Year';
UPDATE catalogue.updatefrequencies SET time_pattern = '0 0 0 1 1 ? 2190' WHERE id = :'id';
SELECT time_pattern, computed FROM frequency WHERE name = 'New Year';
UPDATE catalogue.updatefrequencies SET time_pattern = NULL WHERE id = :'id';
SELECT time_pattern, none FROM frequency WHERE name = 'New Year';
-- one that will not come again
UPDATE catalogue.updatefrequencies SET time_pattern = '0 0 0 1 1 ? 2001' WHERE id = :'id';
SELECT time_pattern, none FROM frequency WHERE name = 'New Year';
SELECT name, next_run FROM catalogue.schedule() WHERE name = 'New Year';

-- The schedule is the owner's to see, and the worker's to run.
GRANT USAGE ON SCHEMA test TO catalogue_shim, catalogue_worker;
SET ROLE catalogue_shim;
SELECT code FROM refusal('SELECT catalogue.dispatch()');
SELECT code FROM refusal('SELECT * FROM catalogue.schedule()');
SET ROLE catalogue_worker;
SELECT catalogue.dispatch() AS run;
SELECT code FROM refusal('SELECT * FROM catalogue.schedule()');
SELECT code FROM refusal('SELECT catalogue.run_upkeep(''prune'')');
SELECT code FROM refusal('UPDATE catalogue.upkeep SET statement = ''SELECT 1''');
