-- Figures for people and for Prometheus.
CREATE TYPE catalogue.figure AS (name text, subject text, value double precision, unit text);
COMMENT ON TYPE catalogue.figure IS 'One figure of catalogue.status()';
COMMENT ON COLUMN catalogue.figure.name IS 'Name of the figure: lower-case words separated by underscores';
COMMENT ON COLUMN catalogue.figure.subject IS 'The resource, table, job or state measured; empty for the whole';
COMMENT ON COLUMN catalogue.figure.value IS
    'The number; NULL if there is none, such as the age of something that never happened';
COMMENT ON COLUMN catalogue.figure.unit IS 'seconds, bytes, records, rows, jobs, uploads, blobs or boolean (1 for yes)';

CREATE FUNCTION catalogue.seconds_since(instant timestamptz) RETURNS double precision
    LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT greatest(extract(epoch FROM now() - $1), 0)::double precision;
END;
COMMENT ON FUNCTION catalogue.seconds_since(timestamptz) IS
    'Return the seconds since an instant; part of catalogue.status()';

-- The newest change of each resource before the horizon is kept as long as there is no later one: it is left out.
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
COMMENT ON FUNCTION catalogue.status_of_history() IS
    'Return the figures of history and log; part of catalogue.status()';

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
COMMENT ON FUNCTION catalogue.status_of_upkeep() IS 'Return the figures of scheduled jobs; part of catalogue.status()';

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
    SELECT 'unused_blobs_size', '', coalesce(sum(b.size), 0), 'bytes' FROM catalogue.blob b WHERE b.uses = 0;
$$;
COMMENT ON FUNCTION catalogue.status_of_work() IS 'Return the figures of jobs and uploads; part of catalogue.status()';

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
COMMENT ON FUNCTION catalogue.status_of_statistics() IS 'Return the figures of statistics; part of catalogue.status()';

CREATE FUNCTION catalogue.status_of_tables() RETURNS SETOF catalogue.figure LANGUAGE sql STABLE AS
$$
    WITH place AS (
        SELECT c.oid, catalogue.qualified_name(c.oid) AS name
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r'
            AND (n.nspname IN ('catalogue', 'catalogue_history')
                 OR EXISTS (SELECT FROM catalogue.resource r WHERE r.relation = c.oid)
                 OR EXISTS (SELECT FROM catalogue.relation l WHERE l.kind = 'many-to-many' AND l.via_oid = c.oid)))
    SELECT 'database_size', '', pg_database_size(current_database()), 'bytes'
    UNION ALL
    (SELECT 'records', r.resource,
        (SELECT coalesce(sum(c.living), 0) FROM catalogue.counter c WHERE c.resource = r.resource), 'records'
     FROM catalogue.resource r
     ORDER BY 2)
    UNION ALL
    (SELECT 'table_size', p.name, pg_table_size(p.oid), 'bytes' FROM place p ORDER BY 2)
    UNION ALL
    (SELECT 'indexes_size', p.name, pg_indexes_size(p.oid), 'bytes' FROM place p ORDER BY 2)
    UNION ALL
    (SELECT 'dead_rows', p.name, pg_stat_get_dead_tuples(p.oid), 'rows' FROM place p ORDER BY 2);
$$;
COMMENT ON FUNCTION catalogue.status_of_tables() IS 'Return the sizes of tables; part of catalogue.status()';

CREATE FUNCTION catalogue.status() RETURNS SETOF catalogue.figure LANGUAGE sql STABLE AS
$$
    SELECT * FROM catalogue.status_of_history() UNION ALL
    SELECT * FROM catalogue.status_of_upkeep() UNION ALL
    SELECT * FROM catalogue.status_of_work() UNION ALL
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
unused_blobs and unused_blobs_size, to be swept.
statistics: statistics_not_rolled_up, statistics_oldest_request_age; statistics_last_batch_age, since a shim stored
some.
sizes: database_size; records of each resource; table_size, indexes_size and dead_rows of each table, the last one as
PostgreSQL estimates it. It reads no large table, so that it can be called every few seconds.
For the owner of schema catalogue.
Source: sql/72-status.sql';
