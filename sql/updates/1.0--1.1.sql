-- What CREATE OR REPLACE cannot do on the way from 1.0 to 1.1; the rest is made by .ci/update-script.
DROP FUNCTION catalogue.expose(text, text, text[], text[], boolean, boolean, boolean, text[], text[], text[], jsonb,
    jsonb, jsonb, jsonb, boolean, text[], text[]);
DROP FUNCTION catalogue.register_web_application(text, text[], text, boolean, interval, text[]);
DROP FUNCTION catalogue.shown_flags(text);
DROP FUNCTION catalogue.check_counters(text[]), catalogue.check_lists(), catalogue.check_shown(),
    catalogue.check_links(), catalogue.check_references(), catalogue.check_history(), catalogue.check_log();
DROP FUNCTION catalogue.events_start(text, text, jsonb);
DROP FUNCTION catalogue.seed(text, text);
DROP FUNCTION catalogue.undo_body(text, text, jsonb, jsonb);
DROP FUNCTION catalogue.contents_publish(text, bigint, bigint);
DROP FUNCTION catalogue.blob_overwrite(bigint, bigint, bytea);
DO
$$
DECLARE
    index_name  text;
BEGIN
    FOR index_name IN
        SELECT format('%I.%I', relnamespace::regnamespace, relname) FROM pg_catalog.pg_class
        WHERE relname LIKE '%\_search' AND reloptions = '{gin_pending_list_limit=64}'
    LOOP
        EXECUTE format('ALTER INDEX %s SET (gin_pending_list_limit = 4096)', index_name);
    END LOOP;
END
$$;
