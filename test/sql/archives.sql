--
-- archives: what goes in is what the audience sees; what is there is given only while it is still that
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make_dataset('Rivers') AS dataset, make_dataset('Lakes') AS other \gset
UPDATE catalogue.datasets
SET status = id_of('statuses', 'Published'), description = 'All of them'
WHERE id = :'dataset';
CREATE FUNCTION upload(name text, bytes text, status text) RETURNS text LANGUAGE sql AS
$$
    SELECT (catalogue.upload('files', NULL, $1 || '.csv', convert_to($2, 'UTF8'),
        json_build_object('name', $1, 'dataset', test.id_of('datasets', 'Rivers'),
        'owner', test.id_of('users', 'admin'),
        'organization', test.id_of('organizations', 'Open Data Office'),
        'updateFrequency', test.id_of('updatefrequencies', 'Daily'), 'status', test.id_of('statuses', $3)),
        test.admin())).id
$$;
-- What is answered; and the jobs that are queued, and whether for ten seconds later.
CREATE FUNCTION answer(actor jsonb) RETURNS text LANGUAGE sql AS
$$ SELECT test.mask((catalogue.archive(test.id_of('datasets', 'Rivers'), $1)).data) $$;
CREATE FUNCTION queued(OUT kind text, OUT audience text, OUT later boolean) RETURNS SETOF record LANGUAGE sql AS
$$
    SELECT j.kind, j.audience,
           q.due_at BETWEEN clock_timestamp() + interval '8 s' AND clock_timestamp() + interval '10 s'
    FROM catalogue.jobs j JOIN catalogue.job_queue q ON q.job = j.id
    WHERE j.kind = 'archive'
    ORDER BY j.audience
$$;
CREATE FUNCTION manifest(audience text) RETURNS json LANGUAGE sql AS
$$ SELECT catalogue.archive_manifest(test.id_of('datasets', 'Rivers'), $1)::json $$;
-- What the worker does with jobs, when files are read.
CREATE FUNCTION work() RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    taken  record;
    done   text := '';
BEGIN
    DELETE FROM catalogue.job_queue q WHERE q.kind = 'parse';
    UPDATE catalogue.job_queue q SET due_at = now();
    LOOP
        SELECT t.* INTO taken FROM catalogue.job_take('w', '{archive}') t;
        EXIT WHEN NOT FOUND;
        PERFORM catalogue.archive_store(taken.resource, taken.details ->> 'audience',
            catalogue.archive_manifest(taken.resource, taken.details ->> 'audience')::json ->> 'state',
            catalogue.blob_seal(b.blob))
            FROM (SELECT catalogue.blob_create() AS blob) b,
                LATERAL (SELECT catalogue.blob_append(b.blob, 0, convert_to(taken.details ->> 'audience', 'UTF8'))) a;
        PERFORM catalogue.job_done(taken.job, 'w');
        done := done || (taken.details ->> 'audience') || ' ';
    END LOOP;
    RETURN done;
END
$$;

-- A file comes: archives are made a little later, one for each audience, however many changes there are until then.
SELECT upload('Levels', E'day,level\n1,2', 'Published') AS shown, upload('Readme', E'a\n1', 'Draft') AS hidden \gset
UPDATE catalogue.files SET description = 'of the water' WHERE id = :'shown';
SELECT * FROM queued();

-- Each further change puts them off again.
UPDATE catalogue.job_queue SET due_at = now() WHERE kind = 'archive';
UPDATE catalogue.files SET description = 'of the lake' WHERE id = :'shown';
SELECT * FROM queued();

-- The manifest: what each audience sees, with a name that is safe and unique.
SELECT f ->> 'entry' AS entry, f ->> 'name' AS name, f ->> 'size' AS size, f ->> 'mediaType' AS type
FROM json_array_elements(manifest('outsiders') -> 'files') f;
SELECT f ->> 'entry' AS entry, f ->> 'name' AS name FROM json_array_elements(manifest('internal') -> 'files') f;
SELECT mask((manifest('outsiders') -> 'dataset')::text);
SELECT code, message, hint FROM refusal($$SELECT manifest('everybody')$$);
SET session_replication_role = replica;
UPDATE catalogue.files SET file_name = E'../..\\con/\u00f1 "x".csv' WHERE id = :'shown';
UPDATE catalogue.files SET file_name = 'README.TXT' WHERE id = :'hidden';
SELECT mask(f ->> 'entry') AS entry FROM json_array_elements(manifest('internal') -> 'files') f;
UPDATE catalogue.files SET file_name = 'a b.csv' WHERE id = :'hidden';
UPDATE catalogue.files SET file_name = 'A-b.csv' WHERE id = :'shown';
SELECT mask(f ->> 'entry') AS entry FROM json_array_elements(manifest('internal') -> 'files') f;
UPDATE catalogue.files SET file_name = 'levels.csv' WHERE id = :'shown';
RESET session_replication_role;

-- Who asks gets a job, which is due at once; who asks again the same.
SELECT answer('{}'), answer('{}') = answer('{}') AS same;
SELECT * FROM queued();
-- A change leaves the job due that somebody waits for.
UPDATE catalogue.files SET description = 'of the water' WHERE id = :'shown';
SELECT * FROM queued();
SELECT work();
SELECT answer('{}');
SELECT answer(admin());
SELECT mask(data) AS data FROM catalogue.archive('rivers', '{}');

-- Each change of what is seen makes it stale; others do not.
CREATE FUNCTION stale(statement text) RETURNS TABLE (outsiders boolean, internal boolean) LANGUAGE plpgsql AS
$$
DECLARE
    before  text[] := ARRAY[answer('{}'), answer(test.admin())];
BEGIN
    EXECUTE statement;
    RETURN QUERY SELECT answer('{}') <> before[1], answer(test.admin()) <> before[2];
    PERFORM work();
END
$$;
SELECT * FROM stale($$UPDATE catalogue.files SET name = 'Read me' WHERE name = 'Readme'$$);
SELECT * FROM stale($$UPDATE catalogue.files SET name = 'Water' WHERE name = 'Levels'$$);
SELECT * FROM stale($$UPDATE catalogue.files SET notes = 'of nobody''s concern' WHERE name = 'Water'$$);
SELECT * FROM stale($$UPDATE catalogue.datasets SET description = 'Changed' WHERE name = 'Rivers'$$);
SELECT * FROM stale($$UPDATE catalogue.datasets SET description = 'Changed' WHERE name = 'Lakes'$$);
SELECT *
FROM stale($$UPDATE catalogue.stored_file s
  SET held = true
  FROM catalogue.files f
  WHERE f.id = s.file AND f.name = 'Water'$$);
SELECT *
FROM stale($$UPDATE catalogue.stored_file s
  SET held = false
  FROM catalogue.files f
  WHERE f.id = s.file AND f.name = 'Water'$$);
SELECT * FROM stale($$DELETE FROM catalogue.files WHERE name = 'Read me'$$);
SELECT *
FROM stale($$SELECT catalogue.upload('files', id, 'x.csv', E'day,level\n1,3', '{}', admin())
  FROM catalogue.files
  WHERE name = 'Water'$$);
SELECT * FROM queued();

-- A dataset that outsiders do not see any more: 404 for them, and their archive is gone.
UPDATE catalogue.datasets SET status = id_of('statuses', 'Draft') WHERE id = :'dataset';
SELECT code, message FROM refusal(format('SELECT catalogue.archive(%L, ''{}'')', :'dataset'));
SELECT audience FROM catalogue.archive WHERE dataset = :'dataset';
SELECT manifest('outsiders') IS NULL AS nothing;
SELECT code, message FROM refusal('SELECT catalogue.archive(''nonesuch'')');

-- Only the worker may look into manifests and store.
SET ROLE catalogue_shim;
SELECT code, message FROM refusal(format('SELECT catalogue.archive_manifest(%L, ''internal'')', :'dataset'));
SELECT code, message FROM refusal(format('SELECT catalogue.archive_store(%L, ''internal'', ''x'', NULL)', :'dataset'));
RESET ROLE;

-- Readings come first, then what somebody waits for; an archive that nobody has asked for comes when no file of its
-- dataset is to be read.
DELETE FROM catalogue.job_queue;
CREATE FUNCTION take() RETURNS text
    LANGUAGE sql AS $$
        SELECT coalesce(string_agg(kind || coalesce(' ' || (details ->> 'audience'), ''), ''), 'nothing')
        FROM catalogue.job_take('w', '{scan,parse,convert,archive}')
    $$;
SELECT catalogue.archive_queue(:'dataset', 'internal') = catalogue.archive_queue(:'dataset', 'internal') AS same;
SELECT catalogue.archive_now(:'dataset', 'outsiders', 'x') = catalogue.archive_now(:'dataset', 'outsiders',
    'x') AS same;
SELECT catalogue.enqueue('parse', 'file', :'shown', json_build_object('file', :'shown')::jsonb) AS job \gset
SELECT catalogue.enqueue('scan', 'file', 'other') IS NOT NULL AS queued;
UPDATE catalogue.job_queue
SET due_at = now() - CASE kind WHEN 'archive' THEN interval '3 s' WHEN 'parse' THEN interval '1 s'
    ELSE interval '0' END;
SELECT take(), take(), take(), take();
SELECT catalogue.job_done(:'job', 'w') AS read;
SELECT take(), take();

-- A dataset with many jobs does not hold up another one: its second job comes after the first one of the other.
DELETE FROM catalogue.job_queue;
INSERT INTO catalogue.files (id, name, type, status, organization, dataset, owner, update_frequency, created_by)
SELECT 'crowd' || n, 'Crowd ' || n, f.type, f.status, f.organization, f.dataset, f.owner, f.update_frequency,
    f.created_by
FROM catalogue.files f, generate_series(1, 3) n
WHERE f.id = :'shown';
DELETE FROM catalogue.job_queue;
SELECT count(catalogue.enqueue('parse', 'file', 'crowd' || n)) AS queued FROM generate_series(1, 3) n;
SELECT id_of('files', 'List of airports') AS other \gset
SELECT catalogue.enqueue('parse', 'file', :'other') IS NOT NULL AS queued;
SELECT mask(resource) AS resource FROM catalogue.job_take('w', '{parse}');
SELECT resource = :'other' AS other FROM catalogue.job_take('w', '{parse}');
SELECT mask(resource) AS resource FROM catalogue.job_take('w', '{parse}');

DELETE FROM catalogue.files WHERE id LIKE 'crowd%';

-- Age counts: an archive that has waited for ten minutes comes before a reading, even of its own dataset, and changes
-- of the dataset put it off no more.
DELETE FROM catalogue.job_queue;
SELECT catalogue.archive_queue(:'dataset', 'internal') IS NOT NULL AS queued;
UPDATE catalogue.job_queue SET due_at = due_at - interval '11 min', turn = turn - interval '11 min';
SELECT catalogue.archive_queue(:'dataset', 'internal') IS NOT NULL AS queued;
SELECT catalogue.enqueue('parse', 'file', :'shown', json_build_object('file', :'shown')::jsonb) IS NOT NULL AS queued;
SELECT take(), take();

-- A job that a worker gives back is as it was.
SELECT catalogue.enqueue('parse', 'file', 'f1') AS job \gset
SELECT attempt FROM catalogue.job_take('w', '{parse}') WHERE job = :'job';
SELECT catalogue.job_release(:'job', 'other') AS others, catalogue.job_release(:'job', 'w') AS mine,
       catalogue.job_release(:'job', 'w') AS again;
SELECT state, attempts, started_at FROM catalogue.jobs WHERE id = :'job';
SELECT attempt FROM catalogue.job_take('w', '{parse}') WHERE job = :'job';
