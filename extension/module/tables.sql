-- Tables of the catalogue as a whole: made, emptied, and not truncated behind the service.
-- Decisions: docs/explanation/decisions.md#extensionmodule

CREATE FUNCTION catalogue.bootstrap() RETURNS void
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_bootstrap';
COMMENT ON FUNCTION catalogue.bootstrap() IS
'Make the tables of the catalogue
They are ordinary tables, not members of the extension, so that a dump contains them completely and DROP EXTENSION keeps
them. A repeated call adds what is missing and changes no data.  Errors: 58P01 the installed file of the tables is
missing.
Source: Resources and their fields; sql/tables';

-- Trigger AFTER TRUNCATE of a resource's table or a join table: refuse it; permit it to the owner for tables that only
-- the service writes, and record it.
CREATE FUNCTION catalogue.check_truncation() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_check_truncation';

-- Remove the rows of a resource without its rules.  Arguments: resource, its path word.  Returns: how many.  Part of
-- catalogue.clear(), which removes what belongs to them. Errors: OD404 no such resource.
CREATE FUNCTION catalogue.remove_rows(resource text) RETURNS bigint
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_remove_rows';

-- Report at setup that pg_cron does not run the scheduled jobs.
CREATE FUNCTION catalogue.announce_upkeep() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron') THEN
        RAISE NOTICE
            USING MESSAGE = format('a worker has to run the scheduled jobs of database "%s": pg_cron is not installed '
                'in it', current_database()),
            HINT = 'Start catalogue-worker; or install pg_cron and call catalogue.schedule_jobs(); or have another '
                'scheduler run this every minute: SELECT catalogue.dispatch().';
    END IF;
END
$$;
