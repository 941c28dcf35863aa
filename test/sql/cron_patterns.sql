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
    '0 0 * * *é']) p;

-- A record takes the good and refuses the bad, with a fault of the field.
SELECT length((catalogue.create('updatefrequencies', '{"name": "Hourly", "timePattern": "0 * * * *"}')).id);
SELECT *
FROM faults($$SELECT catalogue.create('updatefrequencies', '{"name": "Never", "timePattern": "0 25 * * *"}')$$);

-- So does SQL.
SELECT code, message
FROM refusal($$UPDATE catalogue.updatefrequencies SET time_pattern = 'never' WHERE name = 'Hourly'$$);

-- It may be absent, and be taken away.
UPDATE catalogue.updatefrequencies SET time_pattern = NULL WHERE name = 'Hourly' RETURNING time_pattern;
