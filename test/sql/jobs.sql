--
-- jobs: each is done by one worker at a time, tried again when it fails, and given up in the end
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What is known of a job; and when it is due, from now.
CREATE FUNCTION job(id text, OUT state text, OUT attempts integer, OUT done bigint, OUT total bigint, OUT reason text,
    OUT started boolean, OUT ended boolean, OUT due interval)
    LANGUAGE sql AS
$$
    SELECT j.state, j.attempts, j.done, j.total, j.reason, j.started_at IS NOT NULL, j.ended_at IS NOT NULL,
           (SELECT date_trunc('second', q.due_at - q.touched + interval '0.5 s')
            FROM (SELECT due_at, (SELECT updated_at FROM catalogue.jobs u WHERE u.id = $1) AS touched
                  FROM catalogue.job_queue
                  WHERE job = $1) q)
    FROM catalogue.jobs j WHERE j.id = $1
$$;
CREATE FUNCTION take(worker text, kinds text[] DEFAULT '{parse,convert}')
    RETURNS TABLE (mine boolean, kind text, resource text, details jsonb, attempt integer) LANGUAGE sql AS
$$
    SELECT t.job = current_setting('test.job'), t.kind, t.resource, t.details, t.attempt
    FROM catalogue.job_take($1, $2, '60 s') t
$$;
-- Let time pass for the job.
CREATE FUNCTION pass(span interval) RETURNS void
    LANGUAGE sql AS $$ UPDATE catalogue.job_queue SET due_at = due_at - $1 $$;

-- A job is queued.
SELECT catalogue.enqueue('parse', 'file', 'f1', '{"blob": 1}', 'internal', 100) AS job \gset
SELECT set_config('test.job', :'job', false) = :'job' AS known;
SELECT * FROM job(:'job');
SELECT mask(data::json ->> 'id') AS id, data::json ->> 'state' AS state, data::json ->> 'target' AS target
FROM catalogue.item('jobs', :'job', actor => admin());

-- The same again is the same job, with what was said last; another record or audience has its own.
SELECT catalogue.enqueue('parse', 'file', 'f1', '{"blob": 2}', 'internal', 200) = :'job' AS same;
SELECT catalogue.enqueue('convert', 'file', 'f1') = :'job' AS same,
       catalogue.enqueue('convert', 'file', 'f1', '{}', 'outsiders') = :'job' AS same;
SELECT id_of('files', 'List of airports') AS file, id_of('datasets', 'Airports') AS dataset \gset
SELECT catalogue.enqueue('convert', 'file', :'file') <> catalogue.enqueue('convert', 'file', :'file', '{}',
    'outsiders') AS apart;
SELECT kind, mask(resource) AS resource, file = :'file' AS "of the file", audience, total
FROM catalogue.jobs
ORDER BY created_at, id;
SELECT code, message FROM refusal('SELECT catalogue.enqueue(NULL, ''file'', ''f1'')');

-- It is taken by one worker, of those that do its kind, and by no other as long as the lease is.
SELECT * FROM take('w1', '{archive}');
SELECT * FROM take('w1', '{parse}');
SELECT * FROM take('w2', '{parse}');
SELECT * FROM job(:'job');

-- A beat makes the lease longer, for the worker who has it. What is done is shown every two seconds at most.
SELECT pass('30 s');
SET session_replication_role = replica;
UPDATE catalogue.jobs SET updated_at = now() + interval '1 hour' WHERE id = :'job';
RESET session_replication_role;
SELECT catalogue.job_beat(:'job', 'w1', 50, 150, '90 s') AS mine,
       catalogue.job_beat(:'job', 'w2', 60, 150, '90 s') AS others;
SELECT done, total, due BETWEEN '89 s' AND '91 s' AS due FROM job(:'job');
SET session_replication_role = replica;
UPDATE catalogue.jobs SET updated_at = now() - interval '2 s' WHERE id = :'job';
RESET session_replication_role;
SELECT catalogue.job_beat(:'job', 'w1', 70, NULL) AS mine;
SELECT done, total FROM job(:'job');
SELECT catalogue.job_beat('none', 'w1', 1, 1) AS unknown;

-- A failure: it waits 5 seconds, then 30, then two minutes, with the reason; after the fourth it is over.
SELECT catalogue.job_failed(:'job', 'w2', 'not mine') AS others;
SELECT catalogue.job_failed(:'job', 'w1', 'the first fault') AS mine;
SELECT * FROM job(:'job');
SELECT * FROM take('w1', '{parse}');
SELECT pass('5 s');
SELECT * FROM take('w1', '{parse}');
SELECT catalogue.job_failed(:'job', 'w1', 'the second fault') AS mine;
SELECT state, reason, due FROM job(:'job');
SELECT pass('30 s');
SELECT * FROM take('w2', '{parse}');
SELECT catalogue.job_failed(:'job', 'w2', 'the third fault') AS mine;
SELECT state, reason, due FROM job(:'job');
SELECT pass('2 min');
SELECT attempt FROM take('w1', '{parse}');
SELECT catalogue.job_failed(:'job', 'w1', 'the fourth fault') AS mine;
SELECT * FROM job(:'job');
SELECT pass('1 day');
SELECT * FROM take('w1', '{parse}');

-- A worker that is gone: its lease ends, that attempt has failed, another takes the job; after four, nobody.
SELECT set_config('test.job', catalogue.enqueue('parse', 'file', 'f2'), false) AS job \gset
SELECT attempt FROM take('w1', '{parse}');
SELECT pass('61 s');
SELECT attempt FROM take('w2', '{parse}');
SELECT state, attempts, reason FROM job(:'job');
SELECT catalogue.job_beat(:'job', 'w1', 1, 2) AS former, catalogue.job_done(:'job', 'w1') AS former;
SELECT pass('61 s');
SELECT attempt FROM take('w3', '{parse}');
SELECT pass('61 s');
SELECT attempt FROM take('w4', '{parse}');
SELECT pass('61 s');
SELECT attempt FROM take('w5', '{parse}');
SELECT state, attempts, reason, ended FROM job(:'job');

-- Done.
SELECT set_config('test.job', catalogue.enqueue('parse', 'file', 'f3', total => 7), false) AS job \gset
SELECT attempt FROM take('w1', '{parse}');
SELECT catalogue.job_done(:'job', 'w1') AS mine, catalogue.job_done(:'job', 'w1') AS again;
SELECT state, done, total, reason, ended, due FROM job(:'job');

-- At once hopeless: no further attempt. Reasons are cut to what the column holds.
SELECT set_config('test.job', catalogue.enqueue('parse', 'file', 'f3'), false) AS job \gset
SELECT attempt FROM take('w1', '{parse}');
SELECT catalogue.job_failed(:'job', 'w1', repeat('é', 600), true) AS mine;
SELECT state, attempts, length(reason) FROM job(:'job');

-- What waits for something that is away is put off for a minute, as often as that takes.
SELECT set_config('test.job', catalogue.enqueue('parse', 'file', 'f3'), false) AS job \gset
SELECT attempt FROM take('w1', '{parse}');
SELECT catalogue.job_put_off(:'job', 'w2', 'not mine') AS others;
SELECT catalogue.job_put_off(:'job', 'w1', 'the store is away') AS mine,
       catalogue.job_put_off(:'job', 'w1', 'x') AS again;
SELECT state, attempts, reason, ended, due FROM job(:'job');
SELECT attempt FROM take('w1', '{parse}');
SELECT pass('60 s');
SELECT attempt FROM take('w1', '{parse}');
SELECT catalogue.job_done(:'job', 'w1') AS mine;

-- What is queued again after failures is due at once, as if it had not been tried; a conversion, for which clients ask
-- until it is done, is not.
SELECT set_config('test.job', catalogue.enqueue('parse', 'file', 'f5'), false) AS job \gset
SELECT attempt FROM take('w1', '{parse}');
SELECT catalogue.job_failed(:'job', 'w1', 'a fault') AS mine;
SELECT catalogue.enqueue('parse', 'file', 'f5') = :'job' AS same;
SELECT state, attempts, reason, due FROM job(:'job');
SELECT attempt FROM take('w1', '{parse}') WHERE mine;
SELECT catalogue.job_done(:'job', 'w1') AS mine;
SELECT set_config('test.job', catalogue.enqueue('convert', 'file', 'f5'), false) AS job \gset
UPDATE catalogue.job_queue SET turn = '-infinity' WHERE job = :'job';
SELECT attempt FROM take('w1', '{convert}') WHERE mine;
SELECT catalogue.job_failed(:'job', 'w1', 'a fault') AS mine;
SELECT catalogue.enqueue('convert', 'file', 'f5') = :'job' AS same;
SELECT state, attempts, reason, due FROM job(:'job');

-- A reading that is under way is cancelled by another of the same file; other kinds are not.
SELECT set_config('test.job', catalogue.enqueue('parse', 'file', 'f4'), false) AS job \gset
SELECT attempt FROM take('w1', '{parse}');
SELECT catalogue.enqueue('parse', 'file', 'f4') <> :'job' AS another;
SELECT state, reason FROM job(:'job');
SELECT catalogue.job_beat(:'job', 'w1', 1, 2) AS mine;

-- Cancelled by whom a rule lets.
SELECT set_config('test.job', catalogue.enqueue('archive', 'dataset', :'dataset', audience => 'outsiders'),
    false) AS job \gset
SELECT code, message FROM refusal(format('SELECT catalogue.cancel_job(%L, %L)', :'job', '{}'));
SELECT id = :'job' AS cancelled, resource FROM catalogue.cancel_job(:'job', admin());
SELECT state, reason, ended, due FROM job(:'job');
SELECT code, message FROM refusal(format('SELECT catalogue.cancel_job(%L, admin())', :'job'));
SELECT code, message FROM refusal('SELECT catalogue.cancel_job(''none'', admin())');
SELECT * FROM take('w1', '{archive}');

-- Outsiders see the jobs that are for them, nobody changes one through the API.
SELECT count(*) FILTER (WHERE value ->> 'audience' = 'outsiders') AS theirs,
       count(*) FILTER (WHERE value ->> 'audience' = 'internal') AS others
FROM catalogue.list('jobs', 'limit=0', actor => '{}') l, json_array_elements(l.data::json);
SELECT code FROM refusal(format('SELECT catalogue.update(''jobs'', %L, ''{}'', actor => admin())', :'job'));
SELECT count(*) FROM catalogue.logs WHERE target = 'job';

-- An outsider sees the job of a record as long as he sees the record, and its state of before then neither: not in
-- lists and numbers, by its id, in versions, by what it is for.
CREATE FUNCTION seen(actor jsonb, version text, OUT listed text, OUT counted text, OUT found text,
    OUT "by record" bigint, OUT "by file" text, OUT as_of text, OUT items text, OUT versions text)
    LANGUAGE sql AS
$$
    SELECT (SELECT string_agg(r ->> 'kind', ' ' ORDER BY r ->> 'kind')
            FROM catalogue.list('jobs', 'limit=100', actor => $1) l, json_array_elements(l.data::json) r),
           (catalogue.count('jobs', 'id[ne]=x', $1)).data, (catalogue.count('jobs', '', $1)).data,
           (catalogue.list('jobs',
               format('resource=%s,%s', id_of('files', 'List of airports'), id_of('datasets', 'Airports')),
               actor => $1)).count,
           (catalogue.count('jobs', 'file.name=list', $1)).data,
           (SELECT string_agg(r ->> 'kind', ' ' ORDER BY r ->> 'kind')
            FROM catalogue.list('jobs', 'limit=100&version=' || version, actor => $1) l,
                json_array_elements(l.data::json) r),
           (SELECT string_agg(code, ' ' ORDER BY j.id)
            FROM catalogue.jobs j, refusal(format('SELECT catalogue.item(''jobs'', %L, actor => %L)', j.id, $1))
            WHERE j.audience = 'outsiders'),
           (SELECT string_agg(code, ' ' ORDER BY j.id)
            FROM catalogue.jobs j, refusal(format('SELECT catalogue.versions(''jobs'', %L, actor => %L)', j.id, $1))
            WHERE j.audience = 'outsiders')
$$;
SELECT version FROM catalogue.list('jobs', actor => '{}') \gset
SELECT kind, audience, num_nonnulls(file, dataset) AS records FROM catalogue.jobs ORDER BY kind, audience;
SELECT * FROM seen('{}', :'version');
UPDATE catalogue.files SET visible = false WHERE id = :'file';
SELECT * FROM seen('{}', :'version');
SELECT counted, items FROM seen(admin(), :'version');
UPDATE catalogue.files SET visible = NULL WHERE id = :'file';
UPDATE catalogue.datasets SET status = 'nWRhpRV' WHERE id = :'dataset';
SELECT * FROM seen('{}', :'version');
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id = :'dataset';
SELECT * FROM seen('{}', :'version');
SELECT id = :'dataset' AS deleted FROM catalogue.delete('datasets', :'dataset', admin());
SELECT * FROM seen('{}', :'version');
SELECT id = :'dataset' AS restored FROM catalogue.restore('datasets', :'dataset', actor => admin());
SELECT * FROM seen('{}', :'version');

-- A job that is for outsiders, of a record that is hidden already, of one that does not live, of no file or dataset: it
-- is not for them.
UPDATE catalogue.files SET visible = false WHERE id = :'file';
SELECT catalogue.enqueue('scan', 'file', :'file', '{}', 'outsiders') IS NOT NULL AS hidden,
       catalogue.enqueue('scan', 'file', 'f9', '{}', 'outsiders') IS NOT NULL AS none,
       catalogue.enqueue('scan', 'tag', id_of('tags', 'water'), '{}', 'outsiders') IS NOT NULL AS other;
SELECT target, audience, file_shown FROM catalogue.jobs WHERE kind = 'scan' ORDER BY id;
SELECT listed FROM seen('{}', :'version');
SELECT c.* FROM catalogue.check_all() c WHERE c.kind NOT IN ('upkeep', 'job');
UPDATE catalogue.files SET visible = NULL WHERE id = :'file';
SELECT code, message
FROM refusal(format('SELECT catalogue.cancel_job(%L, ''{}'')',
    (SELECT id FROM catalogue.jobs WHERE kind = 'convert' AND audience = 'outsiders')));
DELETE FROM catalogue.jobs WHERE kind = 'scan';

-- A week after their end they are deleted, and when no page shows them any more removed.
UPDATE catalogue.jobs SET ended_at = now() - interval '8 days' WHERE id = :'job';
SELECT catalogue.sweep() AS removed;
SELECT deleted_at IS NOT NULL AS deleted FROM catalogue.jobs WHERE id = :'job';
SELECT (catalogue.count('jobs')).data::json ->> 'count' = (SELECT count(*)::text
    FROM catalogue.jobs
    WHERE deleted_at IS NULL) AS counted;
SET catalogue.history_retention = 0;
SELECT catalogue.sweep() AS removed;
SELECT count(*) FROM catalogue.jobs WHERE id = :'job';
SELECT (catalogue.count('jobs')).data::json ->> 'count' = (SELECT count(*)::text
    FROM catalogue.jobs
    WHERE deleted_at IS NULL) AS counted;
RESET catalogue.history_retention;
DELETE FROM catalogue.jobs WHERE kind = 'convert';
SELECT count(*), count(deleted_at) AS deleted FROM catalogue.jobs WHERE kind = 'convert';

-- The worker's role does all that without a right on a table.
GRANT USAGE ON SCHEMA test TO catalogue_worker, catalogue_shim;
SET ROLE catalogue_worker;
SELECT catalogue.enqueue('archive', 'dataset', 'd2') IS NOT NULL AS queued;
SELECT kind, resource, attempt FROM catalogue.job_take('w1', '{archive}');
SELECT code FROM refusal('DELETE FROM catalogue.job_queue');
SELECT code FROM refusal('SELECT catalogue.end_job(''x'', ''done'', NULL)');
RESET ROLE;
SET ROLE catalogue_shim;
SELECT code FROM refusal('SELECT catalogue.job_take(''w'', ''{parse}'')');
SELECT code FROM refusal('SELECT catalogue.enqueue(''parse'', ''file'', ''x'')');
RESET ROLE;
