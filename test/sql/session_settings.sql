--
-- session_settings: a session's settings, its role and its transaction do not change the answers
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The answers to a few calls, to compare.
UPDATE catalogue.files SET gathering_date = '2026-01-31' WHERE name = 'List of airports';
CREATE FUNCTION answers() RETURNS TABLE (call text, answer text) LANGUAGE sql AS
$$
    SELECT 'list', data
    FROM catalogue.list('files', 'name=a&include=type.name&orderBy=name')
    UNION ALL SELECT 'page', data
    FROM catalogue.list('datasets', 'limit=2')
    UNION ALL
    SELECT 'day', data
    FROM catalogue.list('files', 'gatheringDate=2026-01-31')
    UNION ALL SELECT 'item', data
    FROM catalogue.item('files', test.id_of('files', 'List of airports'), 'include=charts', 'embedded')
    UNION ALL
    SELECT 'last', data
    FROM catalogue.last('tags')
    UNION ALL SELECT 'count', data
    FROM catalogue.count('tags')
    UNION ALL SELECT 'related', data
    FROM catalogue.related('datasets', test.id_of('datasets', 'Airports'), 'tags')
    UNION ALL
    SELECT 'describe', data FROM catalogue.describe('users')
$$;
CREATE TABLE usual AS SELECT * FROM answers();
CREATE FUNCTION differences() RETURNS TABLE (call text) LANGUAGE sql AS
$$
    SELECT call FROM (SELECT * FROM test.answers() EXCEPT TABLE test.usual) d
$$;

-- Settings: none makes a difference.
SET search_path = '';
SELECT * FROM test.differences();
SET search_path = test;
SET datestyle = 'SQL, DMY';
SET intervalstyle = 'iso_8601';
SET timezone = 'Pacific/Auckland';
SELECT * FROM differences();
SET timezone = 'UTC';
SET extra_float_digits = -5;
SET bytea_output = 'escape';
SET standard_conforming_strings = off;
SELECT * FROM differences();
RESET standard_conforming_strings;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT * FROM differences();
RESET ALL;
SET search_path = test;
SET timezone = 'UTC';
SET client_min_messages = warning;

-- Writes under them.
SET search_path = '';
SET datestyle = 'SQL, DMY';
SELECT test.mask(id) AS id
FROM catalogue.update('files', test.id_of('files', 'List of airports'),
    '{"gatheringDate": "2026-02-03", "publishedAt": "2026-02-03"}', actor => test.admin());
SELECT data::json -> 'gatheringDate' AS date, data::json -> 'publishedAt' AS instant
FROM catalogue.item('files', test.id_of('files', 'List of airports'));
SELECT test.mask(id) AS id FROM catalogue.delete('datasets', test.id_of('datasets', 'Public budget'), test.admin());
SELECT test.mask(id) AS id
FROM catalogue.restore('datasets', test.id_of('datasets', 'Public budget'), actor => test.admin());
RESET datestyle;
SET search_path = test;

-- A transaction that reads only: reading goes, writing is refused.
BEGIN READ ONLY;
SELECT count(*) AS answers FROM answers();
SELECT code FROM refusal($$SELECT catalogue.create('tags', '{"name": "x"}', actor => admin())$$);
SELECT data::json ->> 'username' AS username FROM catalogue.session(admin());
COMMIT;

-- One that is serializable, and one that sees what it wrote.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT make('tags', '{"name": "serial"}') IS NOT NULL AS made;
SELECT names(catalogue.list('tags', 'name=serial'));
SELECT (catalogue.count('tags')).data;
SELECT mask(id) AS id FROM catalogue.delete('tags', id_of('tags', 'serial'), admin());
SELECT names(catalogue.list('tags', 'name=serial'));
COMMIT;

-- Calls in one statement see what was before it, and each write what the former ones did.
SELECT make('tags', '{"name": "first"}') IS NOT NULL AS first, make('tags', '{"name": "second"}') IS NOT NULL AS second;
SELECT code FROM refusal($$SELECT make('tags', '{"name": "third"}'), make('tags', '{"name": "Third"}')$$);

-- Inside a function that catches the refusal, the session goes on.
DO $$
BEGIN
    PERFORM catalogue.create('tags', '{"name": "water"}', actor => test.admin());
EXCEPTION WHEN SQLSTATE 'OD400' THEN
    PERFORM catalogue.create('tags', '{"name": "other water"}', actor => test.admin());
END
$$;
SELECT names(catalogue.list('tags', 'name=water'));

-- An index that is gone makes a list slower, not wrong.
CREATE TEMP TABLE known AS SELECT data FROM catalogue.list('tags');
DROP INDEX catalogue.tags_order;
SELECT data = (SELECT data FROM known) AS same FROM catalogue.list('tags');

-- A role without rights may do nothing.
SET ROLE pg_monitor;
SELECT catalogue.list('tags');
RESET ROLE;
