--
-- cron_patterns: the cron pattern of an update frequency has 5, 6 or 7 fields and is checked on write
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Good: minute hour day month weekday.
SELECT p AS good, catalogue.is_time_pattern(p) AS valid FROM unnest(ARRAY[
    '* * * * *', '0 0 * * *', '*/5 * * * *', '0 9-17 * * 1-5', '0,30 8,20 1,15 1-6 *', '10-50/10 * * * *',
    '59 23 31 12 7', '0 0 1 jan sun', '0 0 * JAN-mar MON,wed', '0 0 ? * 1',
    -- 6: seconds before them
    '0 0 0 * * *', '*/10 * * * * *',
    -- 7: year behind them as well
    '0 0 0 1 1 * 2030', '0 0 0 1 1 ? 2026-2030',
    -- white space
    '  0 0 * * *  ', E'0\t0 * * *']) p;

-- Bad: too few or too many fields; out of range; malformed.
SELECT p AS bad, catalogue.is_time_pattern(p) AS valid FROM unnest(ARRAY[
    '', '*', '* * * *', '* * * * * * * *', '@daily', 'daily',
    '60 * * * *', '* 24 * * *', '* * 0 * *', '* * 32 * *', '* * * 0 *', '* * * 13 *', '* * * * 8', '60 * * * * *',
    '0 0 0 1 1 * 1969', '0 0 0 1 1 * 2200',
    '-1 * * * *', '5-1 * * * *', '1- * * * *', '-5 * * * *', '*/0 * * * *', '*/-1 * * * *', '*/ * * * *', '*/x * * * *',
    '1.5 * * * *', '1,,2 * * * *', ',1 * * * *', '1, * * * *',
    '0 0 * foo *', '0 0 * janu *', '** * * * *', '*5 * * * *', '99999999999 * * * *', '0 0 * * * ; DROP TABLE x',
    '0 0 * * *é', '1-2-3 * * * *', '@yearly x',
    -- no such day, and no such weekday of it; a year that has no 29 February
    '0 0 31 2 *', '0 0 30 2 ?', '0 0 31 4,6,9,11 *', '0 0 0 29 2 ? 2025']) p;

-- A record takes the good and refuses the bad, with a fault of the field.
SELECT length((catalogue.create('updatefrequencies', '{"name": "Hourly", "timePattern": "0 * * * *"}')).id);
SELECT *
FROM faults($$SELECT catalogue.create('updatefrequencies', '{"name": "Never", "timePattern": "0 25 * * *"}')$$);

-- The fault names the field of the pattern.
SELECT f.message FROM unnest(ARRAY['60 * * * *', '* 24 * * *', '* * 0 * *', '* * * 13 *', '* * * * 8', '60 * * * * *',
    '0 0 0 1 1 * 1969', '5-1 * * * *', '* *', '0 0 31 2 *']) p,
    faults(format('SELECT catalogue.create(''updatefrequencies'', %L)',
        json_build_object('name', 'Never', 'timePattern', p))) f;

-- So does SQL.
SELECT code, message
FROM refusal($$UPDATE catalogue.updatefrequencies SET time_pattern = 'never' WHERE name = 'Hourly'$$);

-- It may be absent, and be taken away.
UPDATE catalogue.updatefrequencies SET time_pattern = NULL WHERE name = 'Hourly' RETURNING time_pattern;

-- The next time: the first full second after the instant that the pattern names.
CREATE FUNCTION next(pattern text, after text) RETURNS text LANGUAGE sql
    RETURN to_char(catalogue.next_run($1, ($2 || 'Z')::timestamptz) AT TIME ZONE 'UTC', 'Dy YYYY-MM-DD HH24:MI:SS');
SELECT p.pattern, p.after, next(p.pattern, p.after) FROM (VALUES
    ('* * * * *', '2026-11-23 02:03:04'), ('* * * * *', '2026-11-23 02:03:00'),
    ('* * * * *', '2026-12-31 23:59:59.999'),
    ('*/15 3 * * *', '2026-11-23 03:45:00'), ('5/20 * * * *', '2026-11-23 02:26:00'),
    ('10-50/10 * * * *', '2026-11-23 02:50:00'), ('0 9-17 * * mon-fri', '2026-11-20 17:00:00'),
    ('0 0 1 * *', '2026-11-23 00:00:00'), ('0 0 31 * *', '2026-04-01 00:00:00'), ('0 0 29 2 *', '2026-01-01 00:00:00'),
    -- day or weekday; day and weekday where one begins with a star
    ('0 0 13 * fri', '2026-11-23 00:00:00'), ('0 0 */2 * fri', '2026-11-21 00:00:00'),
    ('0 0 13 * ?', '2026-11-23 00:00:00'),
    -- Sunday is 0 and 7
    ('0 0 * * 0', '2026-11-23 00:00:00'), ('0 0 * * 7', '2026-11-23 00:00:00'), ('0 0 * * 5-7', '2026-11-28 00:00:00'),
    -- seconds and years
    ('*/10 * * * * *', '2026-11-23 02:03:54.5'), ('30 0 0 * * *', '2026-11-23 00:00:29.999999'),
    ('30 0 0 * * *', '2026-11-23 00:00:30'),
    ('0 0 0 1 1 * 2030', '2026-11-23 00:00:00'), ('0 0 0 1 1 * 2030', '2030-01-01 00:00:00'),
    ('59 59 23 31 12 * 2199', '2026-11-23 00:00:00'), ('* * * * *', '2199-12-31 23:59:00'),
    -- instants before the first time and around 2000
    ('* * * * *', '1900-01-01 00:00:00'), ('* * * * * *', '1999-12-31 23:59:58.5'),
    ('* * * * *', '1999-12-31 23:58:59'))
    AS p(pattern, after);
SELECT catalogue.next_run('* * * * *', '-infinity') AT TIME ZONE 'UTC' AS first,
       catalogue.next_run('* * * * *', 'infinity') AS last;

-- Every minute of a month is found in order, and no other.
WITH RECURSIVE runs(at) AS (
    SELECT catalogue.next_run('* * * 2 *', '2028-01-15Z') UNION ALL
    SELECT catalogue.next_run('* * * 2 *', r.at) FROM runs r WHERE r.at < '2028-02-29 23:59Z')
SELECT count(*), min(at) AT TIME ZONE 'UTC' AS first, max(at) AT TIME ZONE 'UTC' AS last FROM runs;

-- The zone of the session does not matter; a pattern that is none is refused.
SET timezone = 'Asia/Kathmandu';
SELECT catalogue.next_run('30 12 * * *', '2026-11-23 00:00Z') AT TIME ZONE 'UTC' AS next;
RESET timezone;
SELECT code, message FROM refusal($$SELECT catalogue.next_run('0 25 * * *', now())$$);
