-- Storage parameters for tables that are updated often, so that they stay small.
SELECT catalogue.tune_tables();

-- Subscribers of a publication find the rows of a table without a primary key by all columns; without this a
-- publication of all tables makes each change of such a table an error.
DO $$
DECLARE
    target  regclass;
BEGIN
    FOR target IN
        SELECT c.oid FROM pg_catalog.pg_class c
        WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p'
            AND c.relreplident = 'd'
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
    LOOP
        EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', target);
    END LOOP;
END
$$;
