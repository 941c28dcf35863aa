-- Consistency checks.  Every function here is STABLE: it reads only, and all of its statements use the snapshot of the
-- calling statement, so concurrent changes are seen completely or not at all.

-- List the resources whose tables exist, with what the checks need to know of them.
CREATE FUNCTION catalogue.checked_resources()
    RETURNS TABLE (resource text, target text, model text, logged boolean, past text, birth text)
    LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.resource, catalogue.qualified_name(r.relation), lower(r.model), r.logged,
           (SELECT catalogue.qualified_name(h.oid)
            FROM pg_catalog.pg_class h JOIN pg_catalog.pg_namespace n ON n.oid = h.relnamespace
            WHERE n.nspname = 'catalogue_history' AND h.relname = r.resource),
           (SELECT a.attname::text FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
            WHERE a.attrelid = r.relation AND NOT a.attisdropped AND t.typname = 'birth' AND t.typtype = 'd' LIMIT 1)
    FROM catalogue.resource r
    WHERE EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = r.relation)
    ORDER BY r.resource;
END;

-- Compare the counter of a resource with its rows; part of catalogue.check().
CREATE FUNCTION catalogue.check_counter(resource text) RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY
    SELECT 'counter', $1,
           format('the counter has %s records, %s of them shown to outsiders; the table has %s, and %s', k.living,
               k.shown, r.living, r.shown),
           format('SELECT catalogue.recount(%L)', $1), 'It keeps writers of the resource waiting while it counts.'
    FROM catalogue.count_rows($1) r,
        (SELECT coalesce(sum(c.living), 0) AS living, coalesce(sum(c.shown), 0) AS shown
         FROM catalogue.counter c
         WHERE c.resource = $1) k
    WHERE (k.living, k.shown) <> (r.living, r.shown);
    RETURN QUERY
    SELECT 'counter', $1,
           CASE WHEN d.facet = '' THEN format('facet %s has not been counted', d.value) ELSE
               format('facet %s: the counter has %s records with the value "%s", %s of them shown to outsiders; the '
                   'table has %s, and %s%s', d.facet, d.kept, d.value, d.kept_shown, d.living, d.shown,
               CASE WHEN d.others > 1 THEN format('; %s values differ', d.others) END) END,
           format('SELECT catalogue.recount(%L)', $1), 'It keeps writers of the resource waiting while it counts.'
    FROM (SELECT DISTINCT ON (f.facet) f.facet, f.value, coalesce(k.living, 0) AS kept,
                 coalesce(k.shown, 0) AS kept_shown, coalesce(r.living, 0) AS living, coalesce(r.shown, 0) AS shown,
                 count(*) OVER (PARTITION BY f.facet) AS others
          FROM catalogue.count_facets($1) r
              FULL JOIN (SELECT c.facet, c.value, sum(c.living) AS living, sum(c.shown) AS shown
                         FROM catalogue.facet_counter c WHERE c.resource = $1 GROUP BY c.facet, c.value) k
                  USING (facet, value) AS f
          WHERE (coalesce(k.living, 0), coalesce(k.shown, 0)) <> (coalesce(r.living, 0), coalesce(r.shown, 0))
              OR f.facet = '' AND (k.living IS NULL OR r.living IS NULL)
          ORDER BY f.facet, f.value COLLATE "C") d;
END
$$;

-- Find missing and disabled triggers; part of catalogue.check().  They are the most frequent cause of
-- inconsistent data.
CREATE FUNCTION catalogue.check_triggers() RETURNS SETOF catalogue.finding
    LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH wanted (relation, name, hint) AS (
        SELECT r.relation::oid, n.name, format('Call catalogue.expose() for "%s" again.', r.resource)
        FROM catalogue.resource r, unnest('{rules,logical_deletion,inserted,updated,truncated}'::name[]) n(name)
        UNION ALL
        SELECT l.via_oid, n.name, format('Call catalogue.expose_links(%L) again.', l.via)
        FROM catalogue.relation l, unnest('{linked,relinked,unlinked,truncated}'::name[]) n(name)
        WHERE l.kind = 'many-to-many' AND l.list IS NOT NULL
        UNION ALL
        SELECT c.conrelid, 'used', 'Call catalogue.bootstrap() again.'
        FROM pg_catalog.pg_constraint c
        WHERE c.contype = 'f' AND c.confrelid = to_regclass('catalogue.blob')
            AND c.conrelid <> to_regclass('catalogue.blob_chunk')
    )
    SELECT 'trigger', catalogue.qualified_name(w.relation),
           format('trigger "%s" is %s', w.name, CASE WHEN t.oid IS NULL THEN 'missing' ELSE 'disabled' END),
           CASE WHEN t.oid IS NOT NULL
               THEN format('ALTER TABLE %s ENABLE TRIGGER %I', catalogue.qualified_name(w.relation), w.name) END,
           CASE WHEN t.oid IS NULL THEN w.hint
               ELSE 'Then check again: what was written meanwhile has no log and no history.' END
    FROM wanted w
        JOIN pg_catalog.pg_class c ON c.oid = w.relation
        LEFT JOIN pg_catalog.pg_trigger t ON t.tgrelid = w.relation AND t.tgname = w.name
    WHERE t.oid IS NULL OR t.tgenabled NOT IN ('O', 'A')
    ORDER BY 2, 3;
END;

-- Find states without a status; part of catalogue.check().  Actions lead to them; they cannot be
-- deleted while the triggers are enabled.
CREATE FUNCTION catalogue.check_states() RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    SELECT 'state', s.state,
           format('status "%s" is %s', s.id, CASE WHEN t.id IS NULL THEN 'missing' ELSE 'deleted' END),
           CASE WHEN t.id IS NULL
               THEN format('INSERT INTO catalogue.statuses (id, name) VALUES (%L, %L)', s.id, initcap(s.state))
               ELSE format('SELECT catalogue.restore(%L, %L)', 'statuses', s.id) END,
           'Until then the action that leads to it is refused.'
    FROM catalogue.states() s LEFT JOIN catalogue.statuses t ON t.id = s.id
    WHERE t.id IS NULL OR t.deleted_at IS NOT NULL ORDER BY s.id;
$$;

-- Find lost and unprocessed jobs; part of catalogue.check().
CREATE FUNCTION catalogue.check_jobs() RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    -- a worker takes due jobs at once, including those whose lease has ended
    SELECT 'job', q.job::text,
           format('the lease of worker "%s" ended at %s, and no other worker has taken the job', q.worker, q.due_at),
           format('SELECT catalogue.job_release(%L, %L)', q.job, q.worker), 'See that catalogue-shim --worker runs.'
    FROM catalogue.job_queue q WHERE q.worker IS NOT NULL AND q.due_at < now() - interval '10 min'
    UNION ALL
    SELECT 'job', q.job, format('it has been due since %s, and no worker takes it', q.due_at), NULL,
           'See that catalogue-shim --worker runs.'
    -- readings anew wait for all others
    FROM catalogue.job_queue q
    WHERE q.worker IS NULL AND q.due_at < now() - interval '1 hour' AND q.kind <> 'reparse'
    UNION ALL
    SELECT 'job', j.id, format('it is %s, but not in the queue', j.state),
           format('SELECT catalogue.end_job(%L, ''failed'', ''it was lost'')', j.id), NULL
    FROM catalogue.jobs j
    WHERE j.state IN ('queued', 'running') AND NOT EXISTS (SELECT FROM catalogue.job_queue q WHERE q.job = j.id)
    UNION ALL
    SELECT 'job', q.job, format('it is in the queue, but %s', coalesce('is ' || j.state, 'there is no such job')),
           format('DELETE FROM catalogue.job_queue WHERE job = %L', q.job), NULL
    FROM catalogue.job_queue q LEFT JOIN catalogue.jobs j ON j.id = q.job
    WHERE j.id IS NULL OR j.state NOT IN ('queued', 'running')
    UNION ALL
    SELECT 'job', j.id,
           format('it is %s, but in the queue it %s', j.state,
               coalesce(format('is with worker "%s"', q.worker), 'is with no worker')),
           format('UPDATE catalogue.jobs SET state = %L WHERE id = %L',
               CASE WHEN q.worker IS NULL THEN 'queued' ELSE 'running' END, j.id),
           NULL
    FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
    WHERE j.state = CASE WHEN q.worker IS NULL THEN 'running' ELSE 'queued' END::catalogue.job_state
    UNION ALL
    SELECT 'job', f.id, 'the file waits to be read, and no job does it',
           format('SELECT catalogue.set_parse_state(%L, %s, ''failed'', ''the reading was lost'')', f.id, s.blob),
           'Upload the file again to have it read.'
    FROM catalogue.files f JOIN catalogue.stored_file s ON s.file = f.id
    WHERE f.parse_state = 'pending' AND f.deleted_at IS NULL
        AND NOT EXISTS (SELECT FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
                        WHERE q.kind IN ('scan', 'parse') AND j.resource = f.id)
    ORDER BY 2, 3;
$$;

-- Find out whether pg_cron dispatches; part of catalogue.check().  Only a user who sees all jobs of pg_cron can tell
-- that one is missing.
CREATE FUNCTION catalogue.check_schedule() RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron')
        OR row_security_active('cron.job') THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT 'upkeep', u.job,
           CASE WHEN s.jobid IS NULL THEN 'pg_cron has no such job'
                WHEN NOT s.active THEN 'pg_cron has the job, but does not run it'
                ELSE format('the last run by pg_cron failed at %s: %s', d.start_time, d.return_message) END,
           CASE WHEN s.jobid IS NULL THEN 'SELECT catalogue.schedule_jobs()'
                WHEN NOT s.active THEN format('SELECT cron.alter_job(%s, active => true)', s.jobid)
                ELSE u.statement END,
           CASE WHEN s.active THEN 'The next run that succeeds ends this.' END
    FROM catalogue.upkeep u
        LEFT JOIN cron.job s ON s.jobname = 'catalogue ' || u.job AND s.database = current_database()
        LEFT JOIN LATERAL (SELECT r.status, r.start_time, r.return_message FROM cron.job_run_details r
                           WHERE r.jobid = s.jobid AND r.end_time IS NOT NULL ORDER BY r.runid DESC LIMIT 1) d ON true
    WHERE u.job = 'dispatch' AND (s.jobid IS NULL OR NOT s.active
        OR (d.status = 'failed' AND d.start_time > coalesce(u.ran_at, '-infinity')));
END
$$;

-- Find schedules that did not run; part of catalogue.check().
CREATE FUNCTION catalogue.check_upkeep() RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    SELECT 'upkeep', u.job,
           CASE WHEN u.ran_at IS NULL THEN format('it has never run since %s', u.since)
               ELSE format('it ran last at %s', u.ran_at) END,
           u.statement, format('A scheduler should run it at %s: see catalogue.schedule_jobs().', u.pattern)
    FROM catalogue.upkeep u WHERE coalesce(u.ran_at, u.since) < now() - u.within
    UNION ALL
    SELECT 'upkeep', u.job, format('the last run failed at %s: %s', u.tried_at, u.fault), u.statement,
           'The next run that succeeds ends this.'
    FROM catalogue.upkeep u WHERE u.fault IS NOT NULL
    UNION ALL
    SELECT * FROM catalogue.check_schedule()
    ORDER BY 2, 3;
$$;

-- Compare reference counts of blobs; part of catalogue.check().
CREATE FUNCTION catalogue.check_uses() RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
DECLARE
    uses  text;
BEGIN
    SELECT string_agg(format('SELECT %I AS blob FROM %s', a.attname, catalogue.qualified_name(c.conrelid)),
                      ' UNION ALL ' ORDER BY c.conrelid) INTO uses
    FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'f' AND c.confrelid = to_regclass('catalogue.blob')
        AND c.conrelid <> to_regclass('catalogue.blob_chunk');
    RETURN QUERY EXECUTE format($sql$
        SELECT 'blob', b.id::text, format('it says that %%s rows refer to it; %%s do', b.uses, coalesce(u.count, 0)),
               format('UPDATE catalogue.blob SET uses = %%s WHERE id = %%s AND uses = %%s', coalesce(u.count, 0), b.id,
                   b.uses),
               NULL
        FROM catalogue.blob b LEFT JOIN (SELECT r.blob, count(*) FROM (%s) r GROUP BY r.blob) u ON u.blob = b.id
        WHERE b.uses <> coalesce(u.count, 0) ORDER BY b.id $sql$, uses);
END
$$;

-- Compare the log with the changes of a resource in a day; part of catalogue.check().  A change of a record and its
-- row in the log belong to one transaction, so they have the same instant.  A state with the same updated_at as the
-- next one is a change by the service itself, which is not logged.
CREATE FUNCTION catalogue.check_log(resource text) RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
DECLARE
    -- records that the log no longer keeps are not reported
    earliest  timestamptz := greatest(now() - interval '1 day', catalogue.history_horizon(),
        now() - nullif(current_setting('catalogue.log_retention'), '-1')::interval + interval '1 hour');
    checked   record;
BEGIN
    FOR checked IN
        SELECT * FROM catalogue.checked_resources() r
        WHERE r.resource = $1 AND r.logged AND r.past IS NOT NULL
            AND EXISTS (SELECT FROM catalogue.change c WHERE c.resource = r.resource AND c.at > earliest)
    LOOP
        RETURN QUERY EXECUTE format($sql$
            WITH logged AS MATERIALIZED (
                SELECT l.resource, c.at, l.created_at
                FROM catalogue.logs l JOIN catalogue.change c ON c.number = l.change
                WHERE l.deleted_at IS NULL AND l.created_at > $1 - interval '1 day' AND c.at > $1 AND l.target = %1$L)
            SELECT 'log', %2$L || '/' || d.id, format('the log has no record of its change at %%s', d.at),
                   format(
                       'INSERT INTO catalogue.logs (action, target, resource, created_at) VALUES (%%L, %%L, %%L, %%L)',
                       CASE WHEN d.born THEN 'create'
                            WHEN d.deleted_at IS NULL AND d.later_deleted_at IS NOT NULL THEN 'delete'
                            ELSE 'update' END,
                       %1$L, d.id, to_json(d.at) #>> '{}'),
                   'Who made the change is not known any more.'
            FROM (SELECT s.*, CASE WHEN s.has_next THEN s.next_updated_at ELSE t.updated_at END AS later_updated_at,
                         CASE WHEN s.has_next THEN s.next_deleted_at ELSE t.deleted_at END AS later_deleted_at
                  FROM (SELECT h.id, c.at, h.created_at IS NULL AS born, h.updated_at, h.deleted_at,
                               lead(true) OVER w AS has_next,
                               lead(h.updated_at) OVER w AS next_updated_at,
                               lead(h.deleted_at) OVER w AS next_deleted_at
                        FROM catalogue.change c JOIN %3$s h ON h.change_number = c.number
                        WHERE c.resource = %2$L AND c.at > $1 WINDOW w AS (PARTITION BY h.id ORDER BY c.at)) s
                      JOIN %4$s t ON t.id = s.id) d
            WHERE (d.born OR d.updated_at IS DISTINCT FROM d.later_updated_at)
              AND NOT EXISTS (SELECT FROM logged l WHERE l.resource = d.id AND l.at = d.at)
              AND NOT EXISTS (SELECT FROM logged l WHERE l.resource = '*' AND l.at = d.at)
              AND NOT EXISTS (SELECT FROM logged l WHERE l.resource = d.id AND l.created_at = d.at)
            ORDER BY d.at, d.id $sql$, checked.model, checked.resource, checked.past, checked.target) USING earliest;
    END LOOP;
END
$$;

-- Find remains of dropped tables; part of catalogue.check().
CREATE FUNCTION catalogue.check_leftovers() RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    SELECT 'leftover', r.resource, 'the table of the resource is gone', format('SELECT catalogue.hide(%L)', r.resource),
           NULL
    FROM catalogue.resource r WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = r.relation)
    UNION ALL
    SELECT DISTINCT 'leftover', c.resource, 'there is a counter, but no such resource',
           format('DELETE FROM catalogue.counter WHERE resource = %L', c.resource), NULL
    FROM catalogue.counter c WHERE NOT EXISTS (SELECT FROM catalogue.resource r WHERE r.resource = c.resource)
    UNION ALL
    SELECT DISTINCT 'leftover', c.resource, 'there is a counter of facets, but no such resource',
           format('DELETE FROM catalogue.facet_counter WHERE resource = %L', c.resource), NULL
    FROM catalogue.facet_counter c WHERE NOT EXISTS (SELECT FROM catalogue.resource r WHERE r.resource = c.resource)
    UNION ALL
    SELECT DISTINCT 'leftover', u.resource, 'there is an order of changes, but no such resource',
           format('DELETE FROM catalogue.update_order WHERE resource = %L', u.resource), NULL
    FROM catalogue.update_order u WHERE NOT EXISTS (SELECT FROM catalogue.resource r WHERE r.resource = u.resource)
    ORDER BY 2, 3;
$$;

-- Compare lists of ids of a resource with join tables; part of catalogue.check_all().
CREATE FUNCTION catalogue.check_lists(resource text) RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
DECLARE
    link  record;
BEGIN
    FOR link IN
        SELECT l.*, catalogue.qualified_name(r.relation) AS owner
        FROM catalogue.relation l JOIN catalogue.resource r USING (resource)
        WHERE l.resource = $1 AND l.kind = 'many-to-many' AND l.list IS NOT NULL ORDER BY l.relation
    LOOP
        RETURN QUERY EXECUTE format($sql$
            SELECT 'list', %1$L || '/' || o.id,
                   format('%%s has %%s; %%s has %%s', %2$L, o.%3$I, %4$L, coalesce(j.ids, '{}')),
                   format('SELECT catalogue.relist(%%L, %%L)', %1$L, o.id), NULL
            FROM %5$s o
                LEFT JOIN (SELECT l.%6$I AS id, array_agg(l.%7$I::text ORDER BY l.position, l.%7$I) AS ids
                           FROM %4$s l
                           WHERE l.deleted_at IS NULL
                           GROUP BY 1) j
                    ON j.id = o.id
            WHERE o.deleted_at IS NULL AND o.%3$I::text[] <> coalesce(j.ids, '{}')
            UNION ALL
            SELECT 'list', %1$L || '/' || o.id, format('rows of %%s have another time of its creation', %4$L),
                   format('SELECT catalogue.relist(%%L, %%L)', %1$L, o.id), NULL
            FROM %5$s o
            WHERE o.deleted_at IS NULL
                AND EXISTS (SELECT FROM %4$s l WHERE l.%6$I = o.id AND l.deleted_at IS NULL AND l.%8$I <> o.created_at)
            ORDER BY 2, 3 $sql$, link.resource, link.relation, link.list, link.via, link.owner, link.near, link.far,
                link.near || '_created_at');
    END LOOP;
END
$$;

-- Compare visibility flags of a resource with records; part of catalogue.check_all().
CREATE FUNCTION catalogue.check_shown(resource text) RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
DECLARE
    flag  record;
BEGIN
    FOR flag IN SELECT * FROM catalogue.shown_flags($1) s WHERE s.path = $1 ORDER BY s.flag LOOP
        RETURN QUERY
            EXECUTE format($sql$
                SELECT 'flag', %1$L || '/' || f.%5$I, format('%%s of %%s is %%s', %2$L, %3$L, f.%2$I),
                       format('SELECT catalogue.follow_shown(%%L)', %1$L), NULL
            FROM %3$s f WHERE %4$s ORDER BY 2, 3 $sql$, flag.path, flag.flag, flag.via, flag.wrong, flag.id);
    END LOOP;
END
$$;

-- Compare places of datasets with their optionals and files; part of catalogue.check_all().
CREATE FUNCTION catalogue.check_places() RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY
    WITH kept AS (SELECT p.dataset::text, p.file::text, p.box::text FROM catalogue.dataset_place p),
        made AS (SELECT p.dataset, p.file, p.box::text FROM catalogue.places_of(NULL, NULL) p)
    SELECT DISTINCT 'place', coalesce('files/' || w.file, 'datasets/' || w.dataset),
           'its places in catalogue.dataset_place are not those that it has',
           format('SELECT catalogue.keep_places(%L, %L)', w.dataset, w.file), NULL
    FROM ((TABLE kept EXCEPT ALL TABLE made) UNION ALL (TABLE made EXCEPT ALL TABLE kept)) w
    ORDER BY 2;
END
$$;

-- Compare points of sheets in an order of place with rows; part of catalogue.check_all().
CREATE FUNCTION catalogue.check_points() RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY
    SELECT 'points', 'files/' || s.file,
           format('its points in catalogue.sheet_point are not those of sheet %s', s.number),
           format('UPDATE catalogue.sheet SET details = details WHERE id = %s', s.id), NULL
    FROM catalogue.sheet s
    WHERE s.row_count >= 20000 AND s.details #> '{geography,latitude}' IS NOT NULL
        AND s.details #> '{geography,geometry}' IS NULL
        AND NOT catalogue.are_points_stored(s.id, s.row_count, json_array_length(s.columns),
            catalogue.column_position(s.columns, s.details #>> '{geography,latitude}'),
            catalogue.column_position(s.columns, s.details #>> '{geography,longitude}'))
    ORDER BY s.file, s.number;
END
$$;

-- Compare columns of datasets with what their optionals tell; part of catalogue.check_all().
CREATE FUNCTION catalogue.check_facts() RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY
    SELECT 'fact', 'datasets/' || d.id, 'its licence, place or date are not those that its optionals tell',
           format('UPDATE catalogue.datasets SET (license, place, data_date) = '
               '(SELECT f.* FROM catalogue.dataset_facts(optionals) f) WHERE id = %L', d.id), NULL
    FROM catalogue.datasets d
        LEFT JOIN LATERAL catalogue.dataset_facts(d.optionals) f ON true
    WHERE (d.license, d.place, d.data_date) IS DISTINCT FROM (f.license::varchar, f.place::varchar, f.data_date)
    ORDER BY 2;
END
$$;

-- Find links to deleted records of a resource; part of catalogue.check_all().
CREATE FUNCTION catalogue.check_links(resource text) RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
DECLARE
    key  record;
BEGIN
    FOR key IN
        SELECT d.*, catalogue.qualified_name(r.relation) AS referred
        FROM catalogue.dependent d JOIN catalogue.resource r ON r.resource = d.target
        WHERE d.target = $1 AND d.is_join AND d.far IS NOT NULL ORDER BY d.via, d.near
    LOOP
        RETURN QUERY EXECUTE format($sql$
            SELECT 'reference', format('%%s (%%s, %%s)', %1$L, s.%2$I, s.%3$I),
                   format('%%s %%s that it links %%s', %4$L, s.%2$I,
                       CASE WHEN t.id IS NULL THEN 'does not exist' ELSE 'is deleted' END),
                   CASE WHEN t.id IS NULL
                        THEN format(
                            'UPDATE %%s SET deleted_at = now() WHERE %%I = %%L AND %%I = %%L AND deleted_at IS NULL',
                            %1$L, %2$L, s.%2$I, %3$L, s.%3$I)
                        ELSE format(
                            'UPDATE %%s j SET deleted_at = t.deleted_at FROM %%s t WHERE t.id = j.%%I AND t.id = %%L '
                            'AND j.%%I = %%L AND j.deleted_at IS NULL AND t.deleted_at IS NOT NULL',
                                    %1$L, %5$L, %2$L, t.id, %3$L, s.%3$I) END,
                   CASE WHEN t.id IS NOT NULL THEN 'It comes back when the record is restored.' END
            FROM %1$s s LEFT JOIN %5$s t ON t.id = s.%2$I
            WHERE s.deleted_at IS NULL AND (t.id IS NULL OR t.deleted_at IS NOT NULL)
            ORDER BY 2 $sql$, key.via, key.near, key.far, key.target, key.referred);
    END LOOP;
END
$$;

-- Find references of a resource to deleted records; part of catalogue.check_all().  A key with ON DELETE SET NULL may
-- refer to a deleted record: the log keeps naming deleted users.
CREATE FUNCTION catalogue.check_references(resource text) RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
DECLARE
    key  record;
BEGIN
    FOR key IN
        SELECT d.*, catalogue.qualified_name(r.relation) AS referred, NOT f.required AS optional
        FROM catalogue.dependent d
            JOIN catalogue.resource r ON r.resource = d.target
            JOIN catalogue.field f ON f.resource = d.resource AND f.column_name = d.near
        WHERE d.resource = $1 AND NOT d.is_join ORDER BY d.near
    LOOP
        RETURN QUERY EXECUTE format($sql$
            SELECT 'reference', %1$L || '/' || s.id,
                   format('%%s leads to %%s %%s, which %%s', %2$L, %3$L, s.%2$I,
                       CASE WHEN t.id IS NULL THEN 'does not exist' ELSE 'is deleted' END),
                   CASE WHEN t.id IS NOT NULL THEN format('SELECT catalogue.restore(%%L, %%L)', %3$L, t.id)
                        WHEN %6$L THEN format('UPDATE %%s SET %%I = NULL WHERE id = %%L', %4$L, %2$L, s.id) END,
                   CASE WHEN t.id IS NOT NULL THEN 'Or delete the record that refers to it.'
                        WHEN NOT %6$L THEN 'Let it refer to another record, or delete it.' END
            FROM %4$s s LEFT JOIN %5$s t ON t.id = s.%2$I
            WHERE s.deleted_at IS NULL AND s.%2$I IS NOT NULL
                AND (t.id IS NULL OR t.deleted_at IS NOT NULL AND %7$L <> 'n')
            ORDER BY 2 $sql$, key.resource, key.near, key.target, key.via, key.referred, key.optional, key.deletion);
    END LOOP;
END
$$;

-- Return the text of the queries "record" and "state", the records of a resource and their states in the order of the
-- changes; part of check_history_of().
CREATE FUNCTION catalogue.records_and_states(target text, past text, birth text) RETURNS text LANGUAGE sql STABLE AS
$$
    SELECT format($sql$
        record AS (
            SELECT t.id, t.created_at, t.updated_at, t.deleted_at, %3$s AS born_at FROM %1$s t
        ), state AS (
            SELECT h.id, h.change_number, c.at, h.created_at IS NULL AS born, h.updated_at, h.deleted_at,
                   h.change_ended,
                   lag(c.at) OVER w AS prior, row_number() OVER w AS number, lead(true) OVER w AS has_next,
                   lead(h.deleted_at) OVER w AS next_deleted_at
            FROM %2$s h JOIN catalogue.change c ON c.number = h.change_number
            WINDOW w AS (PARTITION BY h.id ORDER BY c.at, h.change_number)
        )$sql$, $1, $2, CASE WHEN $3 IS NULL THEN 'NULL::timestamptz'
            ELSE format('(SELECT c.at FROM catalogue.change c WHERE c.number = t.%I)', $3) END);
$$;

-- Compare the states of a resource with its records; part of check_history().  The states of a record follow each
-- other: each was made by the change before it, so its updated_at, the start of the transaction that made it, is not
-- later than the instant of that change.  If it is, a change between the two has left no state.
CREATE FUNCTION catalogue.check_history_of(resource text, target text, past text, birth text)
    RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
DECLARE
    began  timestamptz := greatest((SELECT c.at FROM catalogue.change c WHERE c.number = 0),
                                   (SELECT min(c.at) FROM catalogue.change c WHERE c.resource = $1));
    -- the clock of a shim that records requests may differ
    slack  interval := CASE WHEN birth IS NULL THEN '0' ELSE '1 hour' END;
BEGIN
    RETURN QUERY EXECUTE format($sql$
        WITH %4$s, found AS (
            SELECT h.id, format('its state before change %%s has no instant', h.change_number) AS problem,
                   format('DELETE FROM %%s WHERE id = %%L AND change_number = %%s', %3$L, h.id,
                       h.change_number) AS remedy,
                   NULL AS hint
            FROM %3$s h WHERE NOT EXISTS (SELECT FROM catalogue.change c WHERE c.number = h.change_number)
            UNION ALL
            SELECT s.id, format('two states of it end at %%s', s.at),
                   format('DELETE FROM %%s WHERE id = %%L AND change_number = %%s', %3$L, s.id, s.change_number), NULL
            FROM state s WHERE s.at > $1 AND s.at = s.prior
            UNION ALL
            SELECT s.id, format('there is a state of it from before %%s, when it was made', s.at),
                   format('DELETE FROM %%s WHERE id = %%L AND change_number = %%s', %3$L, s.id, s.change_number), NULL
            FROM state s WHERE s.at > $1 AND s.born AND s.number > 1 AND s.at <> s.prior
            UNION ALL
            SELECT s.id, format('the change at %%s ended its life, and is not marked so', s.at),
                   format('UPDATE %%s SET change_ended = true WHERE id = %%L AND change_number = %%s', %3$L, s.id,
                       s.change_number),
                   NULL
            FROM state s JOIN record r ON r.id = s.id
            WHERE s.at > $1 AND NOT s.born AND s.deleted_at IS NULL AND NOT s.change_ended
                AND CASE WHEN s.has_next THEN s.next_deleted_at ELSE r.deleted_at END IS NOT NULL
            UNION ALL
            SELECT DISTINCT s.id, 'it has earlier states, and is not there',
                   format('DELETE FROM %%s WHERE id = %%L', %3$L, s.id), 'A row that was lost is in a backup only.'
            FROM state s
            WHERE s.at > greatest($1, catalogue.history_horizon() + interval '1 min') AND %5$L
                AND NOT EXISTS (SELECT FROM record r WHERE r.id = s.id)
            UNION ALL
            SELECT g.id, format('the change that began at %%s left no earlier state', g.updated_at),
                   format('SELECT catalogue.begin_history(%%L)', %1$L),
                   'Versions of all resources before now are refused then.'
            FROM (SELECT s.id, s.updated_at, greatest(s.prior, $1) AS prior
                  FROM state s
                  WHERE s.at > $1 AND NOT s.born AND (s.number > 1 OR %5$L)
                  UNION ALL
                  SELECT r.id, r.updated_at, greatest(l.at, r.born_at, $1)
                  FROM record r LEFT JOIN (SELECT s.id, max(s.at) AS at FROM state s GROUP BY s.id) l ON l.id = r.id
                  WHERE r.updated_at > $1 + $2 AND (r.born_at IS NULL OR r.updated_at <> r.created_at)) g
            WHERE g.updated_at > g.prior AND g.updated_at <= now())
        SELECT 'history', %1$L || '/' || f.id, f.problem, f.remedy, f.hint FROM found f ORDER BY 2, 3 $sql$,
        $1, target, past, catalogue.records_and_states(target, past, birth), birth IS NULL)
    USING began, slack;
END
$$;

-- Check the history of a resource; part of catalogue.check_all().
CREATE FUNCTION catalogue.check_history(resource text) RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    SELECT f.*
    FROM catalogue.checked_resources() r, catalogue.check_history_of(r.resource, r.target, r.past, r.birth) f
    WHERE r.resource = $1 AND r.past IS NOT NULL;
$$;

-- Return which files have a blob, as the end of a sentence.
CREATE FUNCTION catalogue.files_with(blob bigint) RETURNS text LANGUAGE sql STABLE AS
$$
    SELECT coalesce('; it is of file ' || string_agg(s.file, ', ' ORDER BY s.file), '')
    FROM catalogue.stored_file s WHERE s.blob = $1;
$$;

-- Return why bytes could not be moved, or are not right in the object store, and which objects belong to no blob; part
-- of catalogue.check().
CREATE FUNCTION catalogue.check_objects() RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    SELECT 'object', b.id::text, b.fault || catalogue.files_with(b.id), NULL,
           CASE WHEN b.place = 'store'
                THEN 'Upload the bytes again, or restore the object ' || encode(b.digest, 'hex') || ' of the store.'
                ELSE 'The worker tries again after an hour.' END
    FROM catalogue.blob b WHERE b.fault IS NOT NULL
    UNION ALL
    SELECT 'object', encode(o.digest, 'hex'), 'no blob has the bytes of the object',
           format('INSERT INTO catalogue.blob_gone (digest) VALUES (decode(%L, ''hex''))', encode(o.digest, 'hex')),
           'The worker deletes it after catalogue.store_retention; another catalogue must not use the bucket.'
    FROM catalogue.object_orphan o
    WHERE NOT EXISTS (SELECT FROM catalogue.blob b WHERE b.digest = o.digest)
        AND NOT EXISTS (SELECT FROM catalogue.blob_gone g WHERE g.digest = o.digest)
    ORDER BY 2;
$$;

-- Compare blobs with their bytes; part of catalogue.check_all().  What is in the object store the worker compares.
CREATE FUNCTION catalogue.check_bytes() RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    SELECT 'blob', f.id::text,
           f.problem || catalogue.files_with(f.id), NULL, 'Upload the bytes again, or take them from a backup.'
    FROM (SELECT b.id,
                 CASE WHEN b.place = 'store' THEN NULL
                      WHEN coalesce(c.size, 0) <> b.size OR c.last <> c.rows - 1
                      THEN format('%s bytes of %s are there', coalesce(c.size, 0), b.size)
                      WHEN b.digest IS NOT NULL AND b.uses > 0 AND catalogue.blob_digest(b.id) <> b.digest
                      THEN 'its bytes have another digest' END AS problem
          FROM catalogue.blob b
              LEFT JOIN (SELECT k.blob, sum(octet_length(k.bytes)) AS size, max(k.number) AS last, count(*) AS rows
                         FROM catalogue.blob_chunk k
                         GROUP BY 1) c
                  ON c.blob = b.id) f
    WHERE f.problem IS NOT NULL ORDER BY f.id;
$$;

-- Compare numbers of requests with records; part of check_all().  Records that are deleted stay counted, so that there
-- may be more requests than records.
CREATE FUNCTION catalogue.check_statistics() RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    SELECT 'statistics', concat_ws(' ', f.day, f.method, f.resource, f.client),
           format('%s records are there, and %s requests are counted', f.records, f.requests),
           format('INSERT INTO catalogue.statistics_by_day (day, resource, method, client, requests) '
               'VALUES (%L, %L, %L, %L, %s)', f.day, f.resource, f.method, f.client, f.records - f.requests), NULL
    FROM (SELECT e.day, e.resource, e.method, e.client, sum(e.records) AS records, sum(e.requests) AS requests
          FROM (SELECT (s.created_at AT TIME ZONE 'UTC')::date AS day, left(s.resource, 50) AS resource, s.method,
                       left(s.client, 100) AS client, count(*) AS records, 0 AS requests
                FROM catalogue.statistics s
                WHERE s.deleted_at IS NULL
                GROUP BY 1, 2, 3, 4
                UNION ALL
                SELECT d.day, d.resource, d.method, d.client, 0, d.requests FROM catalogue.statistics_by_day d) e
          GROUP BY 1, 2, 3, 4) f
    WHERE f.records > f.requests
    ORDER BY f.day, f.resource, f.method, f.client;
$$;

-- Compare privileges on columns with grants; part of catalogue.check().  Privileges on columns belong to the tables,
-- which stay when the extension is dropped, or are made by other means.
CREATE FUNCTION catalogue.check_grants() RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    SELECT 'grant', format('%s.%I', t.relation::regclass, a.attname),
           format(CASE WHEN s.secret THEN 'role %s can read a secret' ELSE 'role %s cannot read the column' END,
                  r.rolname),
           CASE WHEN s.secret
                THEN format('REVOKE SELECT (%I) ON %s FROM %I', a.attname, t.relation::regclass, r.rolname)
                ELSE 'SELECT catalogue.grant_roles()' END,
           CASE WHEN s.secret THEN 'A privilege on the whole table, or of another role, is revoked as such.' END
    FROM (SELECT o.relation FROM catalogue.resource o
          UNION SELECT l.via_oid FROM catalogue.relation l WHERE l.kind = 'many-to-many') t
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.relation AND a.attnum > 0 AND NOT a.attisdropped
        JOIN pg_catalog.pg_type d ON d.oid = a.atttypid
        JOIN pg_catalog.pg_roles r ON r.rolname IN ('catalogue_reader', 'catalogue_worker') AND NOT r.rolsuper,
        LATERAL (SELECT d.typtype = 'd' AND d.typname IN ('password', 'secret', 'session_start') AS secret) s
    WHERE has_column_privilege(r.oid, a.attrelid, a.attnum, 'SELECT') = s.secret
    ORDER BY 2, 3;
$$;

-- Return what a check finds, or that it fails: a resource that is broken hides nothing of the others.  Arguments:
-- name, a function that returns findings; resource, its argument, NULL for a function without one.  Part of
-- catalogue.check().  Where the caller or the server ends the statement, so does this.
CREATE FUNCTION catalogue.findings(name text, resource text DEFAULT NULL) RETURNS SETOF catalogue.finding
    LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY EXECUTE format('SELECT * FROM catalogue.%I(%s)', $1, CASE WHEN $2 IS NOT NULL THEN '$1' END) USING $2;
EXCEPTION
    WHEN operator_intervention OR transaction_rollback THEN
        RAISE;
    WHEN OTHERS THEN
        RETURN NEXT ROW('check', coalesce($2, 'catalogue'), format('%s() fails: %s', $1, SQLERRM), NULL,
            'Remove the cause, and check again: nothing more was compared here.')::catalogue.finding;
END
$$;

CREATE FUNCTION catalogue.check() RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
BEGIN
    IF to_regclass('catalogue.counter') IS NULL THEN
        RETURN QUERY SELECT 'table', 'catalogue', 'the tables of the catalogue are not there',
                            'SELECT catalogue.bootstrap()', NULL;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT f.*
    FROM unnest('{check_leftovers,check_triggers,check_grants,check_states}'::text[]) c,
        catalogue.findings(c) f
    UNION ALL
    SELECT f.*
    FROM catalogue.checked_resources() r, catalogue.findings('check_counter', r.resource) f
    WHERE r.birth IS NULL
    UNION ALL
    SELECT f.*
    FROM catalogue.checked_resources() r, catalogue.findings('check_update_order', r.resource) f
    UNION ALL
    SELECT f.*
    FROM unnest('{check_uses,check_objects,check_jobs,check_upkeep}'::text[]) c, catalogue.findings(c) f
    UNION ALL
    SELECT f.* FROM catalogue.checked_resources() r, catalogue.findings('check_log', r.resource) f;
END
$$;
COMMENT ON FUNCTION catalogue.check() IS
'Find inconsistencies, quickly enough for every day
Returns: one row for each thing, none if all is consistent: kind, subject, problem, remedy (a statement that repairs it;
NULL if there is none), hint. Where a comparison fails, as with a table whose columns were changed, a row of the kind
check has the resource, the function and the error, and the others are made. It compares counters, and the order of
records by their changes, with rows, blobs with the rows that refer to them, what the worker found wrong in the object
store, jobs with the queue, upkeep with the clock and with pg_cron, privileges on columns with those that grant_roles()
gives, and the changes of the last day with the log; and it finds missing and disabled triggers, and states without a
status. Before bootstrap() the tables are what is missing. The rows of append-only resources, such as the log, are
counted by catalogue.check_all(). It changes nothing,
takes no locks, and uses one snapshot, so it can run while others write. For the owner of schema catalogue; the jobs of
pg_cron are compared if a superuser calls it.';

CREATE FUNCTION catalogue.check_all() RETURNS SETOF catalogue.finding LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY SELECT * FROM catalogue.check();
    IF to_regclass('catalogue.counter') IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT f.*
    FROM catalogue.checked_resources() r, catalogue.findings('check_counter', r.resource) f
    WHERE r.birth IS NOT NULL
    UNION ALL
    SELECT f.*
    FROM (SELECT c.name, r.resource
          FROM unnest('{check_lists,check_shown,check_references,check_links,check_history}'::text[])
                   WITH ORDINALITY c(name, n),
               catalogue.checked_resources() r
          ORDER BY c.n, r.resource) c,
        catalogue.findings(c.name, c.resource) f
    UNION ALL
    SELECT f.*
    FROM unnest('{check_facts,check_places,check_points,verify_log,check_statistics,check_bytes}'::text[]) c,
        catalogue.findings(c) f;
END
$$;
COMMENT ON FUNCTION catalogue.check_all() IS
'Find all inconsistencies; it reads everything
Returns: the rows of catalogue.check(), and those of what takes longer to compare: the counters of append-only
resources, lists of ids with join tables, what is seen with other records with those, references and links with deleted
records, columns of datasets with optionals, places of datasets with these and with files, points of files with rows,
the history without gaps and overlaps, the log with its chain of hashes, numbers of requests with the statistics, stored
bytes with their sizes and digests. It takes as long as reading all records, their history and the bytes of all files.
Like catalogue.check() it changes nothing and uses one snapshot.';
