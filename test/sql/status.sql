--
-- status: figures of the catalogue, each with what it is of and its unit
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- One figure.
CREATE FUNCTION figure(name text, subject text DEFAULT '') RETURNS double precision LANGUAGE sql AS
$$ SELECT s.value FROM catalogue.status() s WHERE s.name = $1 AND s.subject = $2 $$;

-- Whether an age is that one, on a slow machine too.
CREATE FUNCTION is_about(age double precision, expected integer) RETURNS boolean
    LANGUAGE sql AS $$ SELECT $1 BETWEEN $2 AND $2 + 600 $$;

-- What is measured, in which unit, and of what: each name has one unit, and each name and subject one row.
SELECT name, min(unit) AS unit, min(unit) = max(unit) AS one_unit, bool_and(subject = '') AS whole
FROM catalogue.status()
GROUP BY name
ORDER BY name;
SELECT name, subject, count(*) FROM catalogue.status() GROUP BY 1, 2 HAVING count(*) > 1;
SELECT name, unit FROM catalogue.status() WHERE name !~ '^[a-z_]+$' OR unit !~ '^[a-z]+$' OR subject IS NULL;
SELECT name, subject FROM catalogue.status() WHERE value < 0;

-- Numbers of records are those of the counters, also of a table of the operator's own.
CREATE SCHEMA mine;
CREATE TABLE mine.licenses (id catalogue.id PRIMARY KEY, name text, created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT catalogue.expose('mine.licenses', 'License');
INSERT INTO mine.licenses (name) VALUES ('one'), ('two');
SELECT figure('records', 'licenses') AS licenses,
       figure('records', 'tags') = (SELECT count(*) FROM catalogue.tags WHERE deleted_at IS NULL) AS tags;
SELECT name FROM catalogue.status() WHERE subject = 'mine.licenses' ORDER BY name;
SELECT figure('table_size', 'mine.licenses') = pg_table_size('mine.licenses') AS sized,
       figure('indexes_size', 'mine.licenses') = pg_indexes_size('mine.licenses') AS indexed;
SELECT name
FROM catalogue.status()
WHERE subject IN ('catalogue.blob_chunk', 'catalogue_history.tags')
ORDER BY subject, name;

-- The oldest change that is kept, but for the last one of each resource; how far back versions reach; the oldest record
-- of the log.
UPDATE catalogue.change
SET at = now() - interval '3 hours'
WHERE number = (SELECT min(number) FROM catalogue.change WHERE resource = 'tags');
SELECT is_about(figure('history_oldest_change_age'), 10800) AS oldest,
       is_about(figure('history_reach'), 86300) AS reach, figure('log_oldest_record_age') > 0 AS logged;
SELECT catalogue.begin_history('tags');
SELECT figure('history_reach') < 600 AS reach;

-- Scheduled jobs: never, and after a run.
SELECT figure('pg_cron_installed') AS pg_cron, figure('upkeep_last_run_age', 'prune') AS ran,
       figure('upkeep_overdue', 'prune') AS overdue;
UPDATE catalogue.upkeep SET since = now() - interval '2 hours' WHERE job = 'prune';
SELECT figure('upkeep_overdue', 'prune') AS overdue;
SELECT catalogue.prune() IS NOT NULL AS pruned;
SELECT figure('upkeep_last_run_age', 'prune') < 600 AS ran, figure('upkeep_overdue', 'prune') AS overdue;
UPDATE catalogue.upkeep SET ran_at = now() - interval '100 s' WHERE job = 'sweep';
SELECT is_about(figure('upkeep_last_run_age', 'sweep'), 100) AS ran;

-- Work: jobs by state and the one that has waited longest, uploads, bytes that wait for the sweep.
SELECT catalogue.enqueue('archive', 'dataset', 'd1') AS first \gset
SELECT catalogue.enqueue('archive', 'dataset', 'd2') AS second \gset
SELECT catalogue.enqueue('archive', 'dataset', 'd3') AS third \gset
SELECT count(*) FROM catalogue.job_take('w1', '{archive}');
SELECT catalogue.end_job(:'third', 'failed', 'for a test');
UPDATE catalogue.job_queue SET due_at = now() - interval '50 s' WHERE job = :'second';
SELECT subject, value FROM catalogue.status() WHERE name = 'jobs' ORDER BY subject;
SELECT is_about(figure('jobs_oldest_due_age'), 50) AS waited;
SELECT catalogue.blob_append(catalogue.blob_create(), 0, 'twelve bytes') AS size;
SELECT figure('uploads') AS uploads, figure('unused_blobs') AS blobs, figure('unused_blobs_size') AS size;

-- Statistics: what is not rolled up, since when, and the last batch.
SELECT figure('statistics_last_batch_age') AS batch;
SELECT catalogue.record_statistics(format(E'%s\tGET\tdatasets\t/datasets\t\t\tcurl\t127.0.0.1',
    (extract(epoch FROM now() - interval '500 s') * 1000000)::bigint),
    'test', 1) AS recorded;
SELECT is_about(figure('statistics_oldest_request_age'), 500) AS oldest,
       figure('statistics_last_batch_age') < 600 AS batch,
       figure('statistics_not_rolled_up') = (SELECT count(*) FROM catalogue.statistics) AS counted;
SELECT catalogue.roll_up_statistics() > 0 AS rolled;
SELECT figure('statistics_not_rolled_up') AS kept, figure('statistics_oldest_request_age') AS oldest;

-- For the owner; nobody else, and nothing is changed.
SET ROLE catalogue_owner;
BEGIN READ ONLY;
SELECT count(*) > 100 AS figures FROM catalogue.status();
COMMIT;
RESET ROLE;
GRANT USAGE ON SCHEMA test TO catalogue_shim, catalogue_reader;
SET ROLE catalogue_shim;
SELECT code FROM refusal('SELECT catalogue.status()');
SET ROLE catalogue_reader;
SELECT code FROM refusal('SELECT catalogue.status()');
RESET ROLE;

-- The text format of Prometheus: each figure is described, and each line is well formed.
SELECT catalogue.metric_label('', 'x') AS none, catalogue.metric_label('table', E'a"b\\c\nd') AS escaped;
SELECT split_part(line, ' ', 3) AS not_described
FROM string_to_table(catalogue.metrics_text(), E'\n') line
WHERE line ~ '^# HELP \S+ $';
SELECT line
FROM string_to_table(catalogue.metrics_text(), E'\n') line
WHERE line !~ '^(# HELP [a-z_]+ .+|# TYPE [a-z_]+ gauge|[a-z_]+(\{[a-z]+="[^"]*"\})? [-0-9.e+]+|)$';
SELECT line
FROM string_to_table(catalogue.metrics_text(), E'\n') line
WHERE line ~ '^(# (HELP|TYPE) )?catalogue_(jobs|upkeep_overdue|history_reach_seconds)[ {]'
    AND line !~ 'reach_seconds \d';
SELECT figure('records', 'tags')::text
    = substring(catalogue.metrics_text() FROM 'catalogue_records{resource="tags"} (\S+)') AS same;

-- Who may read them: a superadmin, a trusted database user, and whom the service vouches for.
SELECT (r).data LIKE '# HELP catalogue\_%' AS text, (r).etag ~ '^\d+$' AS tagged
FROM catalogue.metrics(admin()) r
UNION ALL
SELECT (r).data LIKE '# HELP catalogue\_%', (r).etag ~ '^\d+$' FROM catalogue.metrics() r
UNION ALL
SELECT (r).data LIKE '# HELP catalogue\_%', (r).etag ~ '^\d+$' FROM catalogue.metrics('{}', true) r;
SELECT resource
FROM catalogue.create('users', format('{"username": "watcher", "password": "of a guest", "email": "w@example.org",
    "organization": "%s"}', (SELECT id FROM catalogue.organizations ORDER BY created_at LIMIT 1))::json,
    actor => admin());
SELECT a.actor ->> 'user' IS NULL AS nobody, r.code, r.message
FROM (SELECT '{}'::jsonb UNION ALL
      SELECT jsonb_build_object('user', u.id) FROM catalogue.users u WHERE u.username = 'watcher' UNION ALL
      SELECT '{"user": "none"}') a(actor)
    CROSS JOIN LATERAL refusal(format('SELECT catalogue.metrics(%L)', a.actor)) r;

-- Known figures are not sent again; the period is as long as no transaction here.
SELECT (SELECT (m).data IS NULL FROM catalogue.metrics(admin(), known => (f.r).etag) m)
    OR (SELECT (m).etag <> (f.r).etag FROM catalogue.metrics(admin()) m) AS kept
FROM (SELECT catalogue.metrics(admin()) AS r) f;

-- Whether the service is ready: no worker is here.
SELECT code, message, detail FROM refusal('SELECT catalogue.ready(''1.0'')');
UPDATE catalogue.upkeep SET ran_at = now() - interval '2 hours' WHERE job = 'prune';
SELECT code, message, detail FROM refusal('SELECT catalogue.ready(''0.9'')');
SELECT code, message FROM refusal('SELECT catalogue.ready(NULL)');
BEGIN READ ONLY;
SELECT report::json -> 'failed' AS names, failed FROM catalogue.readiness('1.0');
COMMIT;

-- A database to which the owner may not connect: its size is not known, and all else is.
DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC, catalogue_owner', current_database()); END $$;
SET ROLE catalogue_owner;
SELECT value IS NULL AS hidden FROM catalogue.status() WHERE name = 'database_size';
RESET ROLE;
DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO catalogue_owner', current_database()); END $$;
SET ROLE catalogue_owner;
SELECT value > 0 AS known FROM catalogue.status() WHERE name = 'database_size';
RESET ROLE;
