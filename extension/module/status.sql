-- Figures for people and for Prometheus, and whether the service is ready.

-- Figures for people and for Prometheus.
CREATE TYPE catalogue.figure AS (name text, subject text, value double precision, unit text);
COMMENT ON TYPE catalogue.figure IS 'One figure of catalogue.status()';
COMMENT ON COLUMN catalogue.figure.name IS 'Name of the figure: lower-case words separated by underscores';
COMMENT ON COLUMN catalogue.figure.subject IS 'The resource, table, job or state measured; empty for the whole';
COMMENT ON COLUMN catalogue.figure.value IS
    'The number; NULL if there is none, such as the age of something that never happened';
COMMENT ON COLUMN catalogue.figure.unit IS
    'seconds, bytes, records, rows, jobs, uploads, blobs, objects, sheets or boolean (1 for yes)';

-- Return the seconds since an instant; part of catalogue.status().
CREATE FUNCTION catalogue.seconds_since(instant timestamptz) RETURNS double precision
    LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT greatest(extract(epoch FROM now() - $1), 0)::double precision;
END;

-- Return the figures of history and log; part of catalogue.status().  The newest change of each resource before the
-- horizon is kept as long as there is no later one: it is left out.
CREATE FUNCTION catalogue.status_of_history() RETURNS SETOF catalogue.figure LANGUAGE sql STABLE AS
$$
    SELECT 'history_oldest_change_age', '', catalogue.seconds_since(min(o.at)), 'seconds'
    FROM catalogue.resource r
        CROSS JOIN LATERAL (SELECT max(c.at) AS at FROM catalogue.change c WHERE c.resource = r.resource) n
        CROSS JOIN LATERAL (SELECT min(c.at) AS at
                            FROM catalogue.change c
                            WHERE c.resource = r.resource AND c.at < n.at) o
    UNION ALL
    SELECT 'history_reach', '',
           catalogue.seconds_since(greatest(catalogue.history_horizon(),
               (SELECT c.at FROM catalogue.change c WHERE c.number = 0))),
           'seconds'
    UNION ALL
    SELECT 'log_oldest_record_age', '',
           catalogue.seconds_since((SELECT min(l.created_at) FROM catalogue.logs l WHERE l.deleted_at IS NULL)),
           'seconds'
    UNION ALL
    SELECT 'log_findings', '', (SELECT u.processed FROM catalogue.upkeep u WHERE u.job = 'verify log'), 'records';
$$;

-- Return the figures of scheduled jobs; part of catalogue.status().
CREATE FUNCTION catalogue.status_of_upkeep() RETURNS SETOF catalogue.figure LANGUAGE sql STABLE AS
$$
    SELECT 'pg_cron_installed', '', (EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron'))::integer,
           'boolean'
    UNION ALL
    (SELECT 'upkeep_last_run_age', u.job, catalogue.seconds_since(u.ran_at), 'seconds'
     FROM catalogue.upkeep u
     ORDER BY u.job)
    UNION ALL
    (SELECT 'upkeep_overdue', u.job, (coalesce(u.ran_at, u.since) < now() - u.within)::integer, 'boolean'
     FROM catalogue.upkeep u
     ORDER BY u.job);
$$;

-- Return the figures of jobs and uploads; part of catalogue.status().
CREATE FUNCTION catalogue.status_of_work() RETURNS SETOF catalogue.figure LANGUAGE sql STABLE AS
$$
    SELECT 'jobs', s.state, count(q.job), 'jobs' FROM (VALUES ('queued'), ('running')) s(state)
        LEFT JOIN catalogue.job_queue q ON s.state = CASE WHEN q.worker IS NULL THEN 'queued' ELSE 'running' END
        GROUP BY s.state
    UNION ALL
    SELECT 'jobs', 'failed', count(*), 'jobs' FROM catalogue.jobs j WHERE j.state = 'failed' AND j.deleted_at IS NULL
    UNION ALL
    SELECT 'jobs_oldest_due_age', '', catalogue.seconds_since(min(q.due_at)), 'seconds'
    FROM catalogue.job_queue q
    WHERE q.due_at < now()
    UNION ALL
    SELECT 'uploads', '', count(*), 'uploads' FROM catalogue.upload
    UNION ALL
    SELECT 'unused_blobs', '', count(*), 'blobs' FROM catalogue.blob b WHERE b.uses = 0
    UNION ALL
    SELECT 'unused_blobs_size', '', coalesce(sum(b.size), 0), 'bytes' FROM catalogue.blob b WHERE b.uses = 0
    UNION ALL
    SELECT 'faulty_blobs', '', count(*), 'blobs' FROM catalogue.blob b WHERE b.fault IS NOT NULL
    UNION ALL
    SELECT 'gone_objects', '', count(*), 'objects' FROM catalogue.blob_gone;
$$;

-- Return how many sheets are of earlier readers; part of catalogue.status().
CREATE FUNCTION catalogue.status_of_readings() RETURNS SETOF catalogue.figure LANGUAGE sql STABLE AS
$$
    SELECT 'earlier_sheets', s.state, count(t.id), 'sheets'
    FROM (VALUES ('waiting'), ('failed')) s(state)
        LEFT JOIN (catalogue.sheet t JOIN catalogue.files f ON f.id = t.file AND f.deleted_at IS NULL)
            ON t.replaced_at IS NULL AND t.reader < catalogue.reader_version()
            AND s.state = CASE WHEN t.tried < catalogue.reader_version() THEN 'waiting' ELSE 'failed' END
    GROUP BY s.state;
$$;

-- Return the figures of statistics; part of catalogue.status().
CREATE FUNCTION catalogue.status_of_statistics() RETURNS SETOF catalogue.figure LANGUAGE sql STABLE AS
$$
    SELECT 'statistics_not_rolled_up', '', coalesce(sum(c.living), 0), 'records'
    FROM catalogue.counter c
    WHERE c.resource = 'statistics'
    UNION ALL
    SELECT 'statistics_oldest_request_age', '', catalogue.seconds_since(min(s.created_at)), 'seconds'
    FROM catalogue.statistics s
    WHERE s.deleted_at IS NULL
    UNION ALL
    SELECT 'statistics_last_batch_age', '', catalogue.seconds_since(max(r.at)), 'seconds' FROM catalogue.recorder r;
$$;

-- Return the sizes of tables; part of catalogue.status().
CREATE FUNCTION catalogue.status_of_tables() RETURNS SETOF catalogue.figure LANGUAGE sql STABLE AS
$$
    WITH relation AS (
        SELECT c.oid, catalogue.qualified_name(c.oid) AS name
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r'
            AND (n.nspname IN ('catalogue', 'catalogue_history')
                 OR EXISTS (SELECT FROM catalogue.resource r WHERE r.relation = c.oid)
                 OR EXISTS (SELECT FROM catalogue.relation l WHERE l.kind = 'many-to-many' AND l.via_oid = c.oid)))
    SELECT 'database_size', '',
           CASE WHEN has_database_privilege(current_database(), 'CONNECT')
                   OR pg_has_role('pg_read_all_stats', 'USAGE')
               THEN pg_database_size(current_database()) END,
           'bytes'
    UNION ALL
    (SELECT 'records', r.resource,
        (SELECT coalesce(sum(c.living), 0) FROM catalogue.counter c WHERE c.resource = r.resource), 'records'
     FROM catalogue.resource r
     ORDER BY 2)
    UNION ALL
    (SELECT 'table_size', p.name, pg_table_size(p.oid), 'bytes' FROM relation p ORDER BY 2)
    UNION ALL
    (SELECT 'indexes_size', p.name, pg_indexes_size(p.oid), 'bytes' FROM relation p ORDER BY 2)
    UNION ALL
    (SELECT 'dead_rows', p.name, pg_stat_get_dead_tuples(p.oid), 'rows' FROM relation p ORDER BY 2);
$$;

CREATE FUNCTION catalogue.status() RETURNS SETOF catalogue.figure LANGUAGE sql STABLE AS
$$
    SELECT * FROM catalogue.status_of_history() UNION ALL
    SELECT * FROM catalogue.status_of_upkeep() UNION ALL
    SELECT * FROM catalogue.status_of_work() UNION ALL
    SELECT * FROM catalogue.status_of_readings() UNION ALL
    SELECT * FROM catalogue.status_of_statistics() UNION ALL
    SELECT * FROM catalogue.status_of_tables();
$$;
COMMENT ON FUNCTION catalogue.status() IS
'Return figures of the catalogue, for people and for Prometheus
Returns: one row for each figure: name, subject (a resource, table, job or state; empty for the whole), value, unit. A
metric of Prometheus is catalogue_<name>_<unit>, with the subject as a label.
history: history_oldest_change_age, of the oldest change that is kept; history_reach, how far back versions can be asked
for; log_oldest_record_age; log_findings of the last run of job "verify log".
upkeep: pg_cron_installed; of each scheduled job upkeep_last_run_age (NULL: it never ran) and upkeep_overdue.
work: jobs queued, running and failed; jobs_oldest_due_age, of the job that has waited longest; uploads on their way;
unused_blobs and unused_blobs_size, to be swept; faulty_blobs, which could not be moved to or from the object store, or
are not right there; gone_objects, to be deleted there.
readings: earlier_sheets, of files that earlier readers have read: waiting to be read anew; failed, those that could not
be, and stay as they are.
statistics: statistics_not_rolled_up, statistics_oldest_request_age; statistics_last_batch_age, since a shim stored
some.
sizes: database_size, NULL unless the owner may CONNECT to the database; records of each resource; table_size,
indexes_size and dead_rows of each table, the last one as PostgreSQL estimates it. It reads no large table, so that it
can be called every few seconds.
For the owner of schema catalogue.';

-- Return a label of Prometheus with its value; part of metrics().  A backslash, a quotation mark or a line feed would
-- end the value of a label.
CREATE FUNCTION catalogue.metric_label(label text, value text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT CASE WHEN $1 = '' THEN ''
        ELSE format('{%s="%s"}', $1, replace(replace(replace($2, '\', '\\'), '"', '\"'), E'\n', '\n')) END;
END;

-- Return the figures of status() for Prometheus; part of metrics().
CREATE FUNCTION catalogue.metrics_text() RETURNS text LANGUAGE sql STABLE AS
$$
    WITH described (name, label, help) AS (VALUES
        ('history_oldest_change_age', '', 'Age of the oldest change that the history keeps.'),
        ('history_reach', '', 'How far back versions can be requested.'),
        ('log_oldest_record_age', '', 'Age of the oldest record of the action log.'),
        ('log_findings', '', 'Findings of the last verification of the action log; absent if it never ran.'),
        ('pg_cron_installed', '', 'Whether pg_cron runs the scheduled jobs: 1 or 0.'),
        ('upkeep_last_run_age', 'job', 'Time since a scheduled job ran last; absent if it never did.'),
        ('upkeep_overdue', 'job', 'Whether a scheduled job has not run in time: 1 or 0.'),
        ('jobs', 'state', 'Jobs of the worker by state; failed ones until they are removed.'),
        ('jobs_oldest_due_age', '', 'How long the first job in the queue has been due; absent if there is none.'),
        ('uploads', '', 'Uploads that are not complete.'),
        ('earlier_sheets', 'state', 'Sheets that earlier readers have read: waiting to be read anew, or failed.'),
        ('unused_blobs', '', 'Stored bytes that no record uses and the sweep removes, in blobs.'),
        ('unused_blobs_size', '', 'Stored bytes that no record uses and the sweep removes.'),
        ('faulty_blobs', '', 'Blobs that could not be moved, or are not right in the object store.'),
        ('gone_objects', '', 'Objects of the store that are to be deleted, since no blob needs them.'),
        ('statistics_not_rolled_up', '', 'Records of statistics; their numbers by day are kept apart.'),
        ('statistics_oldest_request_age', '', 'Age of the oldest record of statistics.'),
        ('statistics_last_batch_age', '', 'Time since a service stored statistics.'),
        ('database_size', '', 'Size of the database.'),
        ('records', 'resource', 'Records that are not deleted.'),
        ('table_size', 'table', 'Size of a table without its indexes.'),
        ('indexes_size', 'table', 'Size of the indexes of a table.'),
        ('dead_rows', 'table', 'Rows of a table that vacuum removes, as PostgreSQL estimates them.')),
    figure AS (
        SELECT concat('catalogue_', s.name, CASE WHEN s.unit IN ('seconds', 'bytes') THEN '_' || s.unit END) AS metric,
               d.help, catalogue.metric_label(coalesce(d.label, 'subject'), s.subject) AS label, s.value
        FROM catalogue.status() s LEFT JOIN described d USING (name))
    SELECT string_agg(m.lines, '' ORDER BY m.metric)
    FROM (SELECT f.metric, format(E'# HELP %1$s %2$s\n# TYPE %1$s gauge\n%3$s', f.metric, coalesce(min(f.help), ''),
                     coalesce(string_agg(format(E'%s%s %s\n', f.metric, f.label, f.value), '' ORDER BY f.label)
                         FILTER (WHERE f.value IS NOT NULL), '')) AS lines
          FROM figure f
          GROUP BY f.metric) m;
$$;

CREATE FUNCTION catalogue.metrics(actor jsonb DEFAULT NULL, monitor boolean DEFAULT false, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_metrics';
COMMENT ON FUNCTION catalogue.metrics(jsonb, boolean, text) IS
'Return the figures of catalogue.status() for Prometheus
Arguments: actor, {"user": id} of a superadmin, NULL for a database user, who is trusted.  monitor, whether the caller
vouches for who asks, so that the actor does not matter.  known, the etag of an earlier reply.
Returns: data is text in the format of Prometheus, a gauge for each figure; NULL if known is the etag of this reply: it
changes every five seconds.
Errors: OD401 no user; OD403 the user is no superadmin, or the key is not for resource metrics.';

CREATE FUNCTION catalogue.library_version() RETURNS text
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_library_version';
COMMENT ON FUNCTION catalogue.library_version() IS
'Return the version of the library that this session has loaded
It differs from that of the extension until ALTER EXTENSION catalogue UPDATE is executed.';

-- Return the checks of catalogue.ready() and which have failed.  The name of an application can be chosen by any
-- database user: it counts for those only who may take jobs.
CREATE FUNCTION catalogue.readiness(version text, OUT report text, OUT failed boolean) LANGUAGE sql STABLE AS
$$
    WITH present AS (SELECT e.extversion AS extension, catalogue.library_version() AS library
                     FROM pg_catalog.pg_extension e WHERE e.extname = 'catalogue'),
    versions AS (SELECT string_to_array($1, '.')::integer[] AS service, p.extension,
                     string_to_array(p.extension, '.')::integer[] AS sql, p.library,
                     string_to_array(p.library, '.')::integer[] AS code
                 FROM present p),
    checked (n, name, fault) AS (
        SELECT 1, 'database', NULL
        UNION ALL
        SELECT 2, 'writable', CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'
            THEN 'the database is read-only' END
        UNION ALL
        SELECT 3, 'version', (
            SELECT format('service %s, extension %s and library %s do not fit together', $1, v.extension, v.library)
            FROM versions v
            WHERE v.service > v.sql OR v.sql > v.code OR v.service[1] <> v.code[1])
        UNION ALL
        SELECT 4, 'worker', CASE WHEN NOT pg_is_in_recovery() AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_stat_activity a
                WHERE a.datname = current_database() AND a.application_name = 'catalogue-worker'
                    AND has_function_privilege(a.usesysid, 'catalogue.job_take(text, text[], interval)', 'EXECUTE'))
            THEN 'no worker is connected' END
        UNION ALL
        SELECT 5, 'schedules', CASE WHEN EXISTS (
                SELECT FROM catalogue.upkeep u WHERE coalesce(u.ran_at, u.since) < now() - u.within)
            THEN 'scheduled jobs have not run in time' END)
    SELECT format('{"checks":{%s},"failed":[%s]}',
               string_agg(format('"%s":%s', c.name, to_json(coalesce(c.fault, 'ok'))), ',' ORDER BY c.n),
               string_agg(format('"%s"', c.name), ',' ORDER BY c.n) FILTER (WHERE c.fault IS NOT NULL)),
           bool_or(c.fault IS NOT NULL)
    FROM checked c;
$$;

CREATE FUNCTION catalogue.ready(version text) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_ready';
COMMENT ON FUNCTION catalogue.ready(text) IS
'Check whether the service can do all that it is for
Arguments: version of the program that asks.
Returns: data is an object: checks, an object with "ok" for each of database, writable, version, worker and schedules;
failed, an empty array.
Errors: OD503 one fails; the detail is such an object, with the reason in place of "ok", and the names in failed.  22004
version is null.
A worker is known by its connection: application name catalogue-worker, of a role that may take jobs; at a standby none
is missing.  Versions fit together if the service is not newer than the extension and this not newer than the library,
all with the same first number: the order of an upgrade is library, extension, service.';

CREATE FUNCTION catalogue.health() RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    SELECT format('{"status":"ok","extension":%s}', to_json(e.extversion)) INTO reply.data
    FROM pg_catalog.pg_extension e WHERE e.extname = 'catalogue';
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.health() IS
'Report that the database responds
Returns: data is an object: status ok, version of the extension.';

CREATE FUNCTION catalogue.health_read(query text DEFAULT '') RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_health_read';
COMMENT ON FUNCTION catalogue.health_read(text) IS
'Report how far what is read here is behind
Arguments: query, which may have lag, the most seconds.
Returns: data is an object: standby, whether the server is one; lag, the seconds that it is behind: since the last
transaction that it has replayed, or 0 if it has replayed all that it receives.
Errors: OD503 a standby that is further behind than lag; OD422 another parameter, or lag is no number.';

CREATE FUNCTION catalogue.wal_position() RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_wal_position';
COMMENT ON FUNCTION catalogue.wal_position() IS
'Return how far the server is in the write-ahead log
By it the shim sees how far standbys are behind.
Returns: data is an array: the timeline, which each promotion raises, and a number of bytes: on a primary those that are
flushed, on a standby those that are replayed.';
