-- GRANT changes the row of a table in pg_class without a lock on the table.  VACUUM and ANALYZE change it too, and
-- hold their lock on the table while they wait.  Locks taken here, before any GRANT, keep them from a deadlock with
-- an ALTER TABLE that comes later; reads and writes go on.
DO
$$
DECLARE
    existing  regclass;
BEGIN
    FOR existing IN
        SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname IN ('catalogue', 'catalogue_history') AND c.relkind = 'r'
        ORDER BY c.oid
    LOOP
        EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE', existing);
    END LOOP;
END
$$;
