-- The states of records before each change: pages as of an instant, and versions of a record.
CREATE FUNCTION catalogue.keep_history(resource text) RETURNS void LANGUAGE plpgsql SET client_min_messages = warning AS
$$
DECLARE
    target  oid;
    past    text := format('catalogue_history.%I', $1);
    made    boolean := to_regclass(past) IS NULL;
    field   record;
BEGIN
    SELECT r.relation INTO target FROM catalogue.resource r WHERE r.resource = $1;
    IF target IS NULL THEN
        RAISE undefined_table USING MESSAGE = format('resource "%s" does not exist', $1);
    END IF;
    EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %s (id text COLLATE "C" NOT NULL, change_number bigint NOT NULL, change_ended '
        'boolean NOT NULL, PRIMARY KEY (id, change_number))',
        past);
    FOR field IN
        SELECT a.attname AS name, h.attname IS NULL AS missing,
               format_type(catalogue.base_type(a.atttypid),
                   CASE WHEN d.typtype = 'd' THEN d.typtypmod ELSE a.atttypmod END) AS type,
               format_type(h.atttypid, h.atttypmod) AS former,
               (SELECT format(' COLLATE %I.%I', n.nspname, c.collname)
                FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace
                WHERE c.oid = a.attcollation AND c.collname <> 'default') AS collation
        FROM pg_catalog.pg_attribute a
            JOIN pg_catalog.pg_type d ON d.oid = a.atttypid
            LEFT JOIN pg_catalog.pg_attribute h ON h.attrelid = past::regclass AND h.attname = a.attname
                AND h.attnum > 0 AND NOT h.attisdropped
        WHERE a.attrelid = target AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'id'
            AND d.typname NOT IN ('password', 'secret', 'session_start')
        ORDER BY a.attnum
    LOOP
        IF field.missing THEN
            EXECUTE format('ALTER TABLE %s ADD COLUMN %I %s%s', past, field.name, field.type, field.collation);
        ELSIF field.type <> field.former THEN
            EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE %s%s USING %2$I::text::%3$s', past, field.name,
                field.type, field.collation);
        END IF;
    END LOOP;
    -- do not repeat it: during the restore of a dump ALTER TABLE calls this function before the indexes are created
    IF made THEN
        EXECUTE format('ALTER TABLE %s OWNER TO %s', past,
            (SELECT nspowner::regrole FROM pg_catalog.pg_namespace WHERE nspname = 'catalogue'));
        EXECUTE format('CREATE INDEX %I ON %s (change_number)', catalogue.index_name($1, '_change'), past);
        EXECUTE format('CREATE INDEX %I ON %s (created_at, id) WHERE change_ended AND deleted_at IS NULL',
            catalogue.index_name($1, '_ended'), past);
        PERFORM catalogue.tune_table(past);
        EXECUTE format('COMMENT ON TABLE %s IS %L', past,
            'States of ' || $1
            || ' before each change; one without created_at stands for a record that was made by the change');
    END IF;
    -- A history whose other tables were lost has change numbers already; new changes continue after them.
    EXECUTE format(
        'SELECT pg_catalog.setval(''catalogue.change_number'', h.last) FROM (SELECT max(change_number) AS last FROM '
        '%s) h, catalogue.change_number s WHERE h.last > s.last_value',
        past);
END
$$;
COMMENT ON FUNCTION catalogue.keep_history(text) IS
'Create the history table of a resource
Arguments: resource, its path word.  The table is catalogue_history.<resource>; called again it adds and retypes columns
after the resource''s table. Secrets are not kept.  Called by catalogue.expose(), and after each ALTER TABLE of an
exposed table.
Errors: 42P01 no such resource.  Source: Query parameters (skip); extension/history/history.c';

CREATE FUNCTION catalogue.touch(resource text) RETURNS void
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'catalogue_touch';
COMMENT ON FUNCTION catalogue.touch(text) IS
'Invalidate what is cached of a resource
Arguments: resource, its path word.  Cached pages and counts, and entity tags of it, become invalid. Needed only after
rows were changed with the triggers disabled; catalogue.recount() does it itself.
Errors: OD404 no such resource.  Source: extension/history/commit_time.c';

CREATE FUNCTION catalogue.follow_definition() RETURNS event_trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_follow_definition';
COMMENT ON FUNCTION catalogue.follow_definition() IS
    'Event trigger after ALTER TABLE: alter the history too (history.c)';
CREATE FUNCTION catalogue.forget_dropped() RETURNS event_trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_forget_dropped';
COMMENT ON FUNCTION catalogue.forget_dropped() IS 'Event trigger after a DROP: hide what was dropped (history.c)';
CREATE EVENT TRIGGER catalogue_dropped ON sql_drop
    WHEN TAG IN ('DROP TABLE', 'DROP SCHEMA', 'DROP OWNED', 'DROP EXTENSION')
    EXECUTE FUNCTION catalogue.forget_dropped();
CREATE EVENT TRIGGER catalogue_definition ON ddl_command_end WHEN TAG IN ('ALTER TABLE')
    EXECUTE FUNCTION catalogue.follow_definition();

CREATE FUNCTION catalogue.history_horizon() RETURNS timestamptz
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_history_horizon';
COMMENT ON FUNCTION catalogue.history_horizon() IS
'Return the instant back to which pages can be shown
Returns: catalogue.history_retention before now.
Source: Query parameters (skip); extension/history/read_version.c';

CREATE FUNCTION catalogue.expire_logs("limit" bigint) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_expire_logs';
COMMENT ON FUNCTION catalogue.expire_logs(bigint) IS 'Delete old log records, for catalogue.prune() (history.c)';

CREATE FUNCTION catalogue.forget_addresses("limit" bigint) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_forget_addresses';
COMMENT ON FUNCTION catalogue.forget_addresses(bigint) IS
    'Remove old addresses of statistics, for catalogue.prune()';

CREATE FUNCTION catalogue.prune() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    horizon  timestamptz := catalogue.history_horizon();
    past     regclass;
    pruned   bigint := 0;
    removed  bigint;
BEGIN
    FOR past IN
        SELECT c.oid
        FROM pg_catalog.pg_class c
        WHERE c.relnamespace = 'catalogue_history'::regnamespace AND c.relkind = 'r'
    LOOP
        EXECUTE format('DELETE FROM %s h USING catalogue.change c WHERE c.number = h.change_number AND c.at < $1', past)
            USING horizon;
        GET DIAGNOSTICS removed = ROW_COUNT;
        pruned := pruned + removed;
    END LOOP;
    DELETE FROM catalogue.change c WHERE c.at < horizon AND c.number > 0 AND c.commit_number IS NULL
        AND EXISTS (SELECT FROM catalogue.change later
                    WHERE later.resource = c.resource AND later.at < horizon
                        AND (later.at, later.number) > (c.at, c.number) AND (later.seen OR NOT c.seen));
    -- in the order of commits, so that nothing is missing behind a change that is still there
    DELETE FROM catalogue.change c WHERE c.commit_number < (
        SELECT max(o.commit_number) FROM catalogue.change o
        WHERE o.commit_number < coalesce((SELECT min(n.commit_number) FROM catalogue.change n WHERE n.at >= horizon),
                                         9223372036854775807));
    DELETE FROM catalogue.attempt a WHERE a.began < now() - current_setting('catalogue.login_window')::interval;
    INSERT INTO catalogue.change AS c (number, resource, at, apart) VALUES (0, '', horizon, true)
        ON CONFLICT (number) DO UPDATE SET at = greatest(c.at, excluded.at);
    -- leave the rest to the next run: deleting all in one transaction would block others
    pruned := pruned + catalogue.expire_logs(10000);
    PERFORM catalogue.forget_addresses(100000);
    -- the end of a day's chain stays in catalogue.log_day
    DELETE FROM catalogue.log_chain c WHERE c.day IN (
        SELECT d.day FROM catalogue.log_day d
        WHERE d.expired_at IS NOT NULL
            AND NOT EXISTS (SELECT FROM catalogue.log_chain e JOIN catalogue.logs l ON l.id = e.log
                            WHERE e.day = d.day));
    PERFORM catalogue.note_upkeep('prune', pruned);
    RETURN pruned;
END
$$;
COMMENT ON FUNCTION catalogue.prune() IS
'Remove expired history and log records
The history goes with catalogue.history_retention. Records of the action log are deleted with catalogue.log_retention,
at most 10000 in a run, and one record of the log tells of that; they are removed for good when no page of an earlier
instant shows them any more. Failed logins that are older than catalogue.login_window go as well, and addresses in the
statistics with catalogue.visitor_address_days, at most 100000 in a run.
Returns: how many states and records of the log were removed.  A job of pg_cron calls it where that is installed.
Source: Query parameters (skip); extension/history/read_version.c';
