-- Make a database a catalogue.  Run by .ci/database, as a superuser; again, it changes nothing.
-- Its only output is the first administrator's password, where one was generated; a notice tells
-- where no scheduler runs the jobs.
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
-- Before the extension, which gives it the rights that a restored dump needs at once; make_roles() makes the others.
SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'catalogue_owner') AS new
\gset
\if :new
CREATE ROLE catalogue_owner;
\endif
CREATE EXTENSION IF NOT EXISTS catalogue CASCADE;
ALTER EXTENSION catalogue UPDATE;
SELECT catalogue.make_roles(), catalogue.bootstrap()
\g /dev/null
RESET client_min_messages;
SELECT catalogue.schedule_jobs()
\g /dev/null

-- Only the roles of the catalogue get in; the owner of the database may let in others.
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()),
       format('GRANT CONNECT ON DATABASE %I TO catalogue_shim, catalogue_worker, catalogue_reader', current_database())
\gexec

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
