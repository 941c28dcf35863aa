-- Upkeep of tables, of whatever resource: columns, storage, autovacuum, and what scheduled jobs and checks report.

CREATE FUNCTION catalogue.add_columns(target regclass, VARIADIC columns text[]) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    missing  CONSTANT text := (
        SELECT string_agg('ADD COLUMN ' || c.definition, ', ' ORDER BY c.number)
        FROM unnest(columns) WITH ORDINALITY c(definition, number)
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
                          WHERE a.attrelid = target AND NOT a.attisdropped
                            AND quote_ident(a.attname) = split_part(c.definition, ' ', 1)));
BEGIN
    IF missing IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s %s', target, missing);
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.add_columns(regclass, text[]) IS
'Add the columns that a table lacks
ALTER TABLE ... ADD COLUMN IF NOT EXISTS locks a table that has them until the end of the transaction, and its readers
wait; this does not.
Arguments: target, a table.  columns, definitions as ADD COLUMN takes them, each with the name first.';

CREATE FUNCTION catalogue.store_column(target regclass, name name, manner text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
                   WHERE a.attrelid = target AND a.attname = $2
                     AND CASE manner WHEN 'STORAGE EXTERNAL' THEN a.attstorage = 'e'
                                     WHEN 'COMPRESSION lz4' THEN a.attcompression = 'l' END) THEN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET %s', target, name, manner);
    END IF;
EXCEPTION WHEN feature_not_supported THEN
    NULL; -- a server may be built without lz4; pglz compresses as well, but more slowly
END
$$;
COMMENT ON FUNCTION catalogue.store_column(regclass, name, text) IS
'Set how a column is stored
Arguments: target, a table.  name of the column.  manner, STORAGE EXTERNAL or COMPRESSION lz4 as ALTER COLUMN ... SET
takes it; without lz4 in the server the compression stays.  The table is not locked where the column is so already.';

-- Set autovacuum parameters of a table, unless it has some.  Start vacuum after a fixed number of dead rows instead of
-- a fifth of the table, and for small tables that are updated often after a few hundred.  Tables with autovacuum
-- settings of their own are not changed.
CREATE FUNCTION catalogue.tune_table(target regclass) RETURNS boolean LANGUAGE plpgsql
    SET client_min_messages = warning AS
$$
DECLARE
    table_name  name := (SELECT c.relname FROM pg_catalog.pg_class c WHERE c.oid = target);
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_class c, unnest(c.reloptions) o(option)
               WHERE c.oid = target AND o.option LIKE 'autovacuum%') THEN
        RETURN false;
    ELSIF table_name = ANY (
        '{counter,facet_counter,facet_cache,attempt,recorder,consumer_use,job_queue,log_day,upload,upkeep}') THEN
        EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500)',
            target);
    ELSE
        EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, '
            'autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)',
            target);
    END IF;
    RETURN true;
END
$$;

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
and so are tables in other schemas. catalogue.bootstrap() calls it.';

-- Record the run of a scheduled job in catalogue.upkeep.
CREATE FUNCTION catalogue.note_upkeep(job text, processed bigint) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.upkeep u SET ran_at = now(), processed = $2, fault = NULL WHERE u.job = $1;
END
$$;

CREATE TYPE catalogue.finding AS (kind text, subject text, problem text, remedy text, hint text);
COMMENT ON TYPE catalogue.finding IS 'One inconsistency found by catalogue.check()';
COMMENT ON COLUMN catalogue.finding.kind IS
    'What was compared: table, counter, trigger, grant, state, job, upkeep, blob, log, chain, list, flag, reference, '
    'place, history, statistics, leftover or erasure; check where the comparison itself fails';
COMMENT ON COLUMN catalogue.finding.subject IS 'The resource, record, table or job concerned';
COMMENT ON COLUMN catalogue.finding.problem IS 'What is wrong';
COMMENT ON COLUMN catalogue.finding.remedy IS 'Statement that repairs it; NULL if there is none';
COMMENT ON COLUMN catalogue.finding.hint IS
    'What to know before running the statement, or what to do if there is none';
