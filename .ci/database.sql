-- Make a database a catalogue.  Run by .ci/database, as a superuser; again, it changes nothing.
-- Its only output is the first administrator's password, where one was generated.
\set ON_ERROR_STOP on
\set QUIET on
\pset tuples_only on
\pset format unaligned
SET client_min_messages = warning;

SELECT current_setting('cron.database_name', true) IS NOT DISTINCT FROM current_database() AS cron
\gset
\if :cron
CREATE EXTENSION IF NOT EXISTS pg_cron;
\endif
CREATE EXTENSION IF NOT EXISTS catalogue CASCADE;
ALTER EXTENSION catalogue UPDATE;
SELECT catalogue.bootstrap(), catalogue.schedule_jobs()
\g /dev/null

-- What the shim connects as: the functions and the rows, but nothing of the structure.
SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'catalogue_shim') AS new
\gset
\if :new
CREATE ROLE catalogue_shim LOGIN;
\endif
GRANT USAGE ON SCHEMA catalogue, catalogue_history TO catalogue_shim;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA catalogue, catalogue_history TO catalogue_shim;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA catalogue TO catalogue_shim;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA catalogue TO catalogue_shim;
ALTER DEFAULT PRIVILEGES IN SCHEMA catalogue, catalogue_history GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO catalogue_shim;
ALTER DEFAULT PRIVILEGES IN SCHEMA catalogue GRANT EXECUTE ON FUNCTIONS TO catalogue_shim;

-- A password in the environment is not seen by other users, an argument is.
\set language en
\set password ''
\getenv language CATALOGUE_LANGUAGE
\getenv password CATALOGUE_ADMIN_PASSWORD
SELECT catalogue.seed(:'language', nullif(:'password', '')) AS generated
\gset
\if :{?generated}
SELECT :'generated';
\endif
