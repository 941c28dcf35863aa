-- GRANT changes the row of a table in pg_class without a lock on the table.  VACUUM and ANALYZE change it too, and
-- hold their lock on the table while they wait.  Locks taken here, before any GRANT, keep them from a deadlock with
-- an ALTER TABLE that comes later; reads and writes go on.
DO
$$
DECLARE
    existing  regclass;
BEGIN
    -- None of what a running service does by itself: it changes the rows of many tables, and each would wait for the
    -- other.
    PERFORM pg_advisory_xact_lock(hashtextextended('catalogue.' || n.name, 0))
    FROM unnest('{dispatch,sweep,reparse}'::text[]) WITH ORDINALITY n(name, n) ORDER BY n.n;
    -- A service that records statistics locks this table, and then that of the counters, which is altered below.  If
    -- this lock was taken later, for an index, each would wait for the other.
    IF to_regclass('catalogue.statistics') IS NOT NULL THEN
        LOCK TABLE catalogue.statistics IN SHARE ROW EXCLUSIVE MODE;
    END IF;
    FOR existing IN
        SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname IN ('catalogue', 'catalogue_history') AND c.relkind = 'r'
        ORDER BY c.oid
    LOOP
        EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE', existing);
    END LOOP;
END
$$;
