--
-- drop_extension: dropping the extension takes no data, and creating it again brings the rules back
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What is in the tables before.
CREATE TEMP VIEW contents AS
SELECT 'tags' AS place, id, t::text AS row
FROM catalogue.tags t
UNION ALL SELECT 'datasets', id, d::text
FROM catalogue.datasets d
UNION ALL SELECT 'files', id, f::text
FROM catalogue.files f
UNION ALL SELECT 'users', id, u::text
FROM catalogue.users u
UNION ALL SELECT 'updatefrequencies', id, u::text
FROM catalogue.updatefrequencies u
UNION ALL SELECT 'logs', id, l::text
FROM catalogue.logs l
UNION ALL SELECT 'datasets_tags', dataset, j::text FROM catalogue.datasets_tags j;
CREATE TEMP TABLE before AS TABLE contents;
SELECT place, count(*) FROM before GROUP BY place ORDER BY place;
SELECT (catalogue.list('datasets', 'limit=100')).data AS datasets \gset

-- Dropped: the functions and triggers are gone, the rows are not.
SET client_min_messages = error;
DROP EXTENSION catalogue CASCADE;
RESET client_min_messages;
SELECT proname AS functions_of_postgis FROM pg_proc WHERE pronamespace = 'catalogue'::regnamespace ORDER BY proname;
SELECT count(*) AS triggers
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'catalogue'::regnamespace AND NOT t.tgisinternal;
(TABLE before EXCEPT TABLE contents) UNION ALL (TABLE contents EXCEPT TABLE before);

-- The tables are tables: what is written now is written without rules.
DELETE FROM catalogue.datasetrequests_categories;
INSERT INTO catalogue.databases (id, name) VALUES ('meanwhile', 'made without rules');

-- Created again, and told to make its tables: rules, resources and numbers are back; nothing else is changed.
CREATE EXTENSION catalogue;
SELECT catalogue.bootstrap();
(TABLE before EXCEPT TABLE contents) UNION ALL (TABLE contents EXCEPT TABLE before);
SELECT (catalogue.list('datasets', 'limit=100')).data = :'datasets' AS same_answer;
SELECT data FROM catalogue.count('databases');
SELECT count(*) AS resources FROM catalogue.resource;
SELECT code, message FROM refusal($$UPDATE catalogue.tags SET id = 'mine' WHERE name = 'water'$$);
SELECT code, message FROM refusal($$DELETE FROM catalogue.statuses WHERE id = 'qWRhpRV'$$);
SELECT code, message FROM refusal($$UPDATE catalogue.updatefrequencies SET time_pattern = 'never'$$);

-- And the seeds see that there is nothing to do.
SELECT catalogue.seed() AS generated;
(TABLE before EXCEPT TABLE contents) UNION ALL (TABLE contents EXCEPT TABLE before);

-- Dropped with its tables and created again: what is missing is told.
SET client_min_messages = error;
DROP EXTENSION catalogue CASCADE;
DROP SCHEMA catalogue, catalogue_history CASCADE;
RESET client_min_messages;
CREATE EXTENSION catalogue;
SELECT * FROM catalogue.check();
SELECT * FROM catalogue.check_all();
