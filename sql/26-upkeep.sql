-- Scheduled jobs: their schedule, and when they ran.
CREATE FUNCTION catalogue.note_upkeep(job text, processed bigint) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.upkeep u SET ran_at = now(), processed = $2 WHERE u.job = $1;
END
$$;
COMMENT ON FUNCTION catalogue.note_upkeep(text, bigint) IS 'Record the run of a scheduled job in catalogue.upkeep';

CREATE FUNCTION catalogue.announce_upkeep() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron') THEN
        RAISE NOTICE
            USING MESSAGE = format('no scheduler runs the jobs of database "%s": pg_cron is not installed in it',
                current_database()),
            HINT = format(
                'Install pg_cron and call catalogue.schedule_jobs(), or have another scheduler run these, with the '
                'pattern of cron in brackets: %s.',
                          (SELECT string_agg(format('%s [%s]', u.statement, u.pattern), '; ' ORDER BY u.within, u.job)
                           FROM catalogue.upkeep u));
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.announce_upkeep() IS 'Report at setup that no scheduler runs the jobs';

CREATE FUNCTION catalogue.schedule_jobs() RETURNS integer LANGUAGE plpgsql AS
$$
DECLARE
    job     record;
    number  integer := 0;
BEGIN
    PERFORM catalogue.announce_upkeep();
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron') THEN
        RETURN 0;
    END IF;
    FOR job IN SELECT u.* FROM catalogue.upkeep u ORDER BY u.job LOOP
        PERFORM cron.schedule('catalogue ' || job.job, job.pattern, job.statement);
        number := number + 1;
    END LOOP;
    RETURN number;
END
$$;
COMMENT ON FUNCTION catalogue.schedule_jobs() IS
'Have pg_cron run the scheduled jobs
Returns: the number of jobs; 0 where pg_cron is not installed in this database, with a notice that names what another
scheduler has to run.  Called again it changes nothing. The jobs are the rows of catalogue.upkeep: prune, every ten
minutes, calls catalogue.prune(); sweep, every minute, calls catalogue.sweep(); seal log, every minute, calls
catalogue.seal_log(); verify log, each night, calls catalogue.verify_log(); roll up, on the first of each month, calls
catalogue.roll_up_statistics().
Source: Query parameters (skip); sql/26-upkeep.sql';

-- Start vacuum after a fixed number of dead rows instead of a fifth of the table, and for small tables that are updated
-- often after a few hundred.  Tables with autovacuum settings of their own are not changed.
CREATE FUNCTION catalogue.tune_table(target regclass) RETURNS boolean LANGUAGE plpgsql
    SET client_min_messages = warning AS
$$
DECLARE
    table_name  name := (SELECT c.relname FROM pg_catalog.pg_class c WHERE c.oid = target);
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_class c, unnest(c.reloptions) o(option)
               WHERE c.oid = target AND o.option LIKE 'autovacuum%') THEN
        RETURN false;
    ELSIF table_name = ANY ('{counter,attempt,recorder,consumer_use,job_queue,log_day,upload,upkeep}') THEN
        EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500)',
            catalogue.qualified_name(target));
    ELSE
        EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, '
                       'autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)',
                           catalogue.qualified_name(target));
    END IF;
    RETURN true;
END
$$;
COMMENT ON FUNCTION catalogue.tune_table(regclass) IS 'Set autovacuum parameters of a table, unless it has some';

CREATE FUNCTION catalogue.tune_tables() RETURNS bigint LANGUAGE sql AS
$$
    SELECT count(*) FILTER (WHERE catalogue.tune_table(c.oid))
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('catalogue', 'catalogue_history') AND c.relkind = 'r'
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                      WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e');
$$;
COMMENT ON FUNCTION catalogue.tune_tables() IS
'Set the storage parameters of autovacuum for all tables
Returns: how many tables were set. A table that has a setting of autovacuum already, of whoever''s, is left as it is,
and so are tables in other schemas. catalogue.bootstrap() calls it.
Source: sql/26-upkeep.sql';
