--
-- log_chain: records of the action log that are edited, removed, reordered or added are found by the chain of hashes
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SET datestyle = ISO;
-- The day must not change before the end, neither in UTC nor here.
DO $$
DECLARE
    utc      timestamp := now() AT TIME ZONE 'UTC';
    to_wait  interval := least(date_trunc('day', utc) + interval '1 day' - utc,
                               date_trunc('day', localtimestamp) + interval '1 day' - localtimestamp);
BEGIN
    IF to_wait < interval '2 min' THEN
        PERFORM pg_sleep(extract(epoch FROM to_wait) + 1);
    END IF;
END
$$;

CREATE FUNCTION plain(text) RETURNS text LANGUAGE sql AS
    $$ SELECT regexp_replace(regexp_replace(mask($1), '\d{4}-\d\d-\d\d[-+:. 0-9T]*', '<time>', 'g'),
                             '(position|entries|the) \d+( to \d+)?', '\1 <n>', 'g') $$;
CREATE VIEW found AS SELECT plain(problem) AS problem, plain(remedy) AS remedy
    FROM catalogue.verify_log() ORDER BY 1, 2;
-- Change the log as somebody who may do so, without a trace.
CREATE PROCEDURE tamper(statement text) LANGUAGE plpgsql AS
$$
BEGIN
    SET LOCAL session_replication_role = replica;
    EXECUTE statement;
    SET LOCAL session_replication_role = origin;
END
$$;
-- The log record of an action on a tag.
CREATE FUNCTION log_of(name text, action text DEFAULT 'create') RETURNS text LANGUAGE sql AS $$
    SELECT l.id FROM catalogue.logs l JOIN catalogue.tags t ON t.id = l.resource
    WHERE t.name = $1 AND l.action::text = $2;
$$;

SELECT id AS author FROM catalogue.users ORDER BY created_at, id LIMIT 1 \gset

-- Before the first call nothing is sealed, and nothing is found.
SELECT count(*) FROM found;
SELECT catalogue.seal_log() = count(*) AS all_sealed FROM catalogue.logs;
SELECT catalogue.seal_log() AS none_left;
INSERT INTO catalogue.tags (name, created_by) SELECT 'tag ' || n, :'author' FROM generate_series(1, 5) n;
UPDATE catalogue.tags SET name = 'tag 1 changed' WHERE name = 'tag 1';
DELETE FROM catalogue.tags WHERE name = 'tag 2';
SELECT catalogue.seal_log(4) AS first, catalogue.seal_log(4) AS rest, catalogue.seal_log(4) AS none;
SELECT count(*) = (SELECT count(*) FROM catalogue.logs) AS each_once, count(DISTINCT day) AS days,
       max(position) = count(*) AS without_gap
FROM catalogue.log_chain;
SELECT d.records = c.position AS counted, d.hash = c.hash AS ended FROM catalogue.log_day d
    CROSS JOIN (SELECT position, hash FROM catalogue.log_chain ORDER BY day DESC, position DESC LIMIT 1) c;
SELECT * FROM found;
SELECT catalogue.verify_log_by_schedule() AS findings;
SELECT job, processed FROM catalogue.upkeep WHERE job IN ('seal log', 'verify log') ORDER BY job;

-- The first hash is that of the record alone, the next has the one before it as well.
SELECT c.position,
       c.hash = sha256(coalesce(lag(c.hash) OVER (ORDER BY c.position), '')
                       || catalogue.log_content(l.id, l.action::text, l.target, l.resource, l."user",
                                                l.created_at, l.changes)) AS follows
FROM catalogue.log_chain c JOIN catalogue.logs l ON l.id = c.log ORDER BY c.position LIMIT 3;

-- What retention changes is not covered; every field that says what was done is.
BEGIN;
CALL tamper($$UPDATE catalogue.logs SET updated_at = now() + interval '1 s'$$);
SELECT * FROM found;
ROLLBACK;
BEGIN;
CALL tamper($$UPDATE catalogue.logs SET action = 'update' WHERE id = log_of('tag 3')$$);
SELECT * FROM found;
ROLLBACK;
BEGIN;
CALL tamper($$UPDATE catalogue.logs SET target = 'dataset' WHERE id = log_of('tag 3')$$);
SELECT * FROM found;
ROLLBACK;
BEGIN;
CALL tamper($$UPDATE catalogue.logs SET resource = 'another' WHERE id = log_of('tag 3')$$);
SELECT * FROM found;
ROLLBACK;
BEGIN;
CALL tamper($$UPDATE catalogue.logs SET "user" = (SELECT id FROM catalogue.users LIMIT 1) WHERE id = log_of('tag 3')$$);
SELECT * FROM found;
ROLLBACK;
BEGIN;
CALL tamper($$UPDATE catalogue.logs SET created_at = created_at + interval '1 us' WHERE id = log_of('tag 3')$$);
SELECT * FROM found;
ROLLBACK;

BEGIN;
CALL tamper($$UPDATE catalogue.logs SET changes = '{}' WHERE changes IS NOT NULL$$);
SELECT * FROM found;
ROLLBACK;

-- A record that is removed, with its entry or without; at the end of the chain too.
BEGIN;
CALL tamper($$DELETE FROM catalogue.logs WHERE id = log_of('tag 4')$$);
SELECT * FROM found;
ROLLBACK;
BEGIN;
CALL tamper($$DELETE FROM catalogue.log_chain WHERE log = log_of('tag 4')$$);
CALL tamper($$DELETE FROM catalogue.logs WHERE id = log_of('tag 4')$$);
SELECT problem FROM found;
ROLLBACK;
BEGIN;
CALL tamper($$DELETE FROM catalogue.logs USING catalogue.log_chain c
    WHERE id = c.log AND position = (SELECT max(position) FROM catalogue.log_chain)$$);
CALL tamper($$DELETE FROM catalogue.log_chain c WHERE position = (SELECT max(position) FROM catalogue.log_chain)$$);
SELECT problem FROM found;
ROLLBACK;

-- A record that the owner deletes, without disabling triggers or by the column, before it expires.
BEGIN;
DELETE FROM catalogue.logs WHERE id = log_of('tag 4');
SELECT * FROM found;
ROLLBACK;
BEGIN;
CALL tamper($$UPDATE catalogue.logs SET deleted_at = now() WHERE id = log_of('tag 4')$$);
SELECT * FROM found;
SET LOCAL catalogue.log_retention = '30d';
SELECT * FROM found;
ROLLBACK;
-- A record that is removed from a day that is said to have expired, also where other records have.
BEGIN;
CALL tamper($$UPDATE catalogue.log_day SET expired_at = now()$$);
CALL tamper($$DELETE FROM catalogue.logs WHERE id = log_of('tag 4')$$);
SELECT * FROM found;
SET LOCAL catalogue.log_retention = '30d';
SELECT * FROM found;
ROLLBACK;

-- Records that change places.
BEGIN;
SELECT max(position) FILTER (WHERE log = log_of('tag 3')) AS of_3,
       max(position) FILTER (WHERE log = log_of('tag 4')) AS of_4
FROM catalogue.log_chain \gset
UPDATE catalogue.log_chain SET position = 0 WHERE position = :of_3;
UPDATE catalogue.log_chain SET position = :of_3 WHERE position = :of_4;
UPDATE catalogue.log_chain SET position = :of_4 WHERE position = 0;
SELECT problem FROM found;
ROLLBACK;

-- A whole day, in the middle of the days.
BEGIN;
CALL tamper($$UPDATE catalogue.log_day SET day = day - 2$$);
CALL tamper($$UPDATE catalogue.log_chain SET day = day - 2$$);
SELECT count(*) AS before FROM found;
INSERT INTO catalogue.tags (name, created_by) VALUES ('of yesterday', :'author');
SELECT catalogue.seal_log();
CALL tamper($$UPDATE catalogue.log_day SET day = day - 1 WHERE day > current_date - 2$$);
CALL tamper($$UPDATE catalogue.log_chain SET day = day - 1 WHERE day > current_date - 2$$);
INSERT INTO catalogue.tags (name, created_by) VALUES ('of today', :'author');
SELECT catalogue.seal_log();
SELECT count(*) AS days, (SELECT count(*) FROM found) AS findings FROM catalogue.log_day;
SELECT count(*) AS of_yesterday FROM catalogue.verify_log(current_date - 1, current_date - 1);
CALL tamper($$DELETE FROM catalogue.logs WHERE id = log_of('of yesterday')$$);
CALL tamper($$DELETE FROM catalogue.log_chain WHERE day = (SELECT min(day) + 1 FROM catalogue.log_day)$$);
CALL tamper($$DELETE FROM catalogue.log_day WHERE day = (SELECT min(day) + 1 FROM catalogue.log_day)$$);
SELECT problem FROM found;
ROLLBACK;

-- A record with an earlier time is named, with what seals it.
BEGIN;
INSERT INTO catalogue.logs (action, target, resource, created_at)
VALUES ('create', 'tag', 'x', now() - interval '2 days');
SELECT catalogue.seal_log();
SELECT * FROM found;
SELECT catalogue.seal_log(since => now() - interval '3 days');
SELECT * FROM found;
ROLLBACK;

-- Retention removes records; the chain goes on, and what is left of it is still compared.
SET catalogue.history_retention = 0;
SET catalogue.log_retention = '30d';
BEGIN;
CALL tamper($$UPDATE catalogue.logs
    SET created_at = created_at - interval '60 days', deleted_at = now() - interval '1 s'
    WHERE id IN (log_of('tag 3'), log_of('tag 4'))$$);
DELETE FROM catalogue.log_chain;
DELETE FROM catalogue.log_day;
SELECT catalogue.seal_log() > 0 AS sealed;
COMMIT;
SELECT catalogue.prune() > 0 AS pruned;
SELECT count(*) FROM catalogue.logs WHERE id IN (log_of('tag 3'), log_of('tag 4'));
SELECT expired_at IS NOT NULL AS expired FROM catalogue.log_day;
SELECT * FROM found;
BEGIN;
CALL tamper($$UPDATE catalogue.logs SET target = 'dataset' WHERE id = log_of('tag 5')$$);
SELECT problem FROM found;
ROLLBACK;
SELECT catalogue.clear('logs') > 0 AS cleared;
SELECT count(*) AS entries FROM catalogue.log_chain;
SELECT * FROM found;
SELECT catalogue.seal_log() AS sealed;
SELECT * FROM found;

-- The service and readers can neither seal nor write the chain.
SET ROLE catalogue_shim;
SELECT catalogue.seal_log();
DELETE FROM catalogue.log_chain;
SELECT * FROM catalogue.verify_log();
RESET ROLE;
SET ROLE catalogue_reader;
UPDATE catalogue.log_day SET records = 0;
RESET ROLE;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT catalogue.seal_log();
ROLLBACK;
