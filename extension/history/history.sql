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
Errors: 42P01 no such resource.  Source: Query parameters (skip)';

CREATE FUNCTION catalogue.touch(resource text) RETURNS void
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'catalogue_touch';
COMMENT ON FUNCTION catalogue.touch(text) IS
'Invalidate what is cached of a resource
Arguments: resource, its path word.  Cached pages and counts, and entity tags of it, become invalid. Needed only after
rows were changed with the triggers disabled; catalogue.recount() does it itself.
Errors: OD404 no such resource.';

-- Event trigger after ALTER TABLE: alter the history too.
CREATE FUNCTION catalogue.follow_definition() RETURNS event_trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_follow_definition';

-- Event trigger after a DROP: hide what was dropped.
CREATE FUNCTION catalogue.forget_dropped() RETURNS event_trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_forget_dropped';
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
Source: Query parameters (skip)';

-- Delete old log records, for catalogue.prune().
CREATE FUNCTION catalogue.expire_logs("limit" bigint) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_expire_logs';

CREATE FUNCTION catalogue.begin_history(resource text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.touch($1);
    INSERT INTO catalogue.change AS c (number, resource, at, apart) VALUES (0, '', clock_timestamp(), true)
        ON CONFLICT (number) DO UPDATE SET at = greatest(c.at, excluded.at);
END
$$;
COMMENT ON FUNCTION catalogue.begin_history(text) IS
'Let the history begin now, and refuse earlier versions
Arguments: resource, its path word, whose records changed without a trace in the history.  Pages of all resources as of
an instant before are refused from then on, since such a page might show what never was. Needed only after rows were
changed with the triggers disabled.
Errors: OD404 no such resource.  Source: Query parameters (skip)';

-- Count the living records of a resource by the values of its counted facets; also a row of each facet, without
-- numbers.
CREATE FUNCTION catalogue.count_facets(resource text)
    RETURNS TABLE (facet text, value text, living bigint, shown bigint)
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_count_facets';

-- Return the table of a resource whose records have rows in catalogue.update_order; null: it keeps none, or its ids,
-- of a type of their own, have another order than those of catalogue.id.
CREATE FUNCTION catalogue.update_order_of(resource text) RETURNS text
    LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT catalogue.qualified_name(r.relation)
    FROM catalogue.resource r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.relation AND a.attname = 'id'
    WHERE r.resource = $1 AND 'updated_at' = ANY (r.ordered)
        AND a.attcollation = (SELECT c.oid FROM pg_catalog.pg_collation c
                              WHERE c.collname = 'C' AND c.collnamespace = 'pg_catalog'::regnamespace);
END;

-- Make the rows of a resource in catalogue.update_order those of its table; part of catalogue.recount().
CREATE FUNCTION catalogue.renew_update_order(resource text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    target  text := catalogue.update_order_of($1);
BEGIN
    IF target IS NULL THEN
        DELETE FROM catalogue.update_order u WHERE u.resource = $1;
        RETURN;
    END IF;
    EXECUTE format('DELETE FROM catalogue.update_order u WHERE u.resource = $1 AND NOT EXISTS '
        '(SELECT FROM %s t WHERE t.id = u.id AND t.updated_at = u.updated_at AND t.deleted_at IS NULL)', target)
        USING $1;
    EXECUTE format('INSERT INTO catalogue.update_order (resource, id, updated_at) SELECT $1, t.id, t.updated_at '
        'FROM %s t WHERE t.deleted_at IS NULL AND NOT EXISTS '
        '(SELECT FROM catalogue.update_order u WHERE u.resource = $1 AND u.id = t.id)', target) USING $1;
END
$$;

-- Compare the order of a resource's records by their changes with them; part of catalogue.check().
CREATE FUNCTION catalogue.check_update_order(resource text) RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
DECLARE
    target  text := coalesce(catalogue.update_order_of($1),
        '(SELECT u.*, NULL AS deleted_at FROM catalogue.update_order u WHERE false)');
BEGIN
    RETURN QUERY EXECUTE format('SELECT ''update_order'', $1, '
        'format(''the order by updatedAt lacks %%s records, and has %%s that are not there'', d.absent, d.wrong), '
        'format(''SELECT catalogue.recount(%%L)'', $1), ''It keeps writers of the resource waiting while it counts.'' '
        'FROM (SELECT count(t.id) AS absent, count(u.id) AS wrong FROM '
        '(SELECT t.id, t.updated_at FROM %s t WHERE t.deleted_at IS NULL) t FULL JOIN '
        '(SELECT u.id, u.updated_at FROM catalogue.update_order u WHERE u.resource = $1) u '
        'ON u.id = t.id AND u.updated_at = t.updated_at WHERE u.id IS NULL OR t.id IS NULL) d '
        'WHERE d.absent > 0 OR d.wrong > 0', target) USING $1;
END
$$;

CREATE FUNCTION catalogue.recount(resource text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    target   text;
    counted  record;
BEGIN
    SELECT catalogue.qualified_name(r.relation) INTO target FROM catalogue.resource r WHERE r.resource = $1;
    IF target IS NULL THEN
        RAISE undefined_table USING MESSAGE = format('resource "%s" does not exist', $1);
    END IF;
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', target);
    SELECT * INTO counted FROM catalogue.count_rows($1);
    DELETE FROM catalogue.counter c WHERE c.resource = $1;
    INSERT INTO catalogue.counter VALUES ($1, counted.living, counted.shown);
    DELETE FROM catalogue.facet_counter f WHERE f.resource = $1;
    INSERT INTO catalogue.facet_counter SELECT $1, f.* FROM catalogue.count_facets($1) f;
    PERFORM catalogue.renew_update_order($1);
    PERFORM catalogue.touch($1);
    RETURN counted.living;
END
$$;
COMMENT ON FUNCTION catalogue.recount(text) IS
'Recount the records of a resource that are not deleted
Arguments: resource, its path word.  Returns: the number.  Counts them by the values of its counted facets, and renews
catalogue.update_order, too. Needed
only after rows were changed with the triggers disabled, or a column of such a facet was added or got another type.
Errors: 42P01 no such resource.';
