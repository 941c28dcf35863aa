-- Make a database a catalogue, or update it to the version that is installed.  Run by .ci/database, as a superuser; a
-- second run changes nothing.
-- Its only output is the first administrator's password, when one was generated; a notice says when no
-- scheduler runs the jobs.
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
-- The owner is created before the extension, which grants it rights that a restored dump needs;
-- make_roles() creates the other roles.
SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'catalogue_owner') AS new
\gset
\if :new
CREATE ROLE catalogue_owner;
\endif
-- In a working copy the script can change while its version does not: then it is repeated.
SELECT coalesce(installed_version = default_version, false) AS repeated
FROM pg_available_extensions WHERE name = 'catalogue'
\gset
BEGIN;
CREATE EXTENSION IF NOT EXISTS catalogue CASCADE;
\if :repeated
ALTER EXTENSION catalogue UPDATE TO 'reload';
\endif
ALTER EXTENSION catalogue UPDATE;
SELECT catalogue.make_roles(), catalogue.bootstrap()
\g /dev/null
COMMIT;
-- PostGIS finds lines and areas by their place.
\set geography on
\getenv geography CATALOGUE_GEOGRAPHY
SELECT :'geography' <> 'off' AND EXISTS (SELECT FROM pg_available_extensions WHERE name = 'postgis') AS geography
\gset
\if :geography
SELECT catalogue.add_geography()
\g /dev/null
\endif
RESET client_min_messages;
SELECT catalogue.schedule_jobs()
\g /dev/null

-- Only the catalogue's roles may connect; the owner of the database may grant CONNECT to others.  catalogue_owner does
-- not log in; pg_database_size() requires the privilege.
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()),
       format('GRANT CONNECT ON DATABASE %I TO catalogue_owner, catalogue_shim, catalogue_worker, catalogue_reader',
           current_database())
\gexec

-- Other users of the machine can see arguments of a command, but not its environment.
\set language en
\set password ''
\set samples on
\set base_url ''
\getenv language CATALOGUE_LANGUAGE
\getenv password CATALOGUE_ADMIN_PASSWORD
\getenv samples CATALOGUE_SAMPLES
\getenv base_url CATALOGUE_BASE_URL
SELECT catalogue.seed(:'language', nullif(:'password', ''), :'samples', :'base_url') AS generated
\gset
\if :{?generated}
SELECT :'generated';
\endif
