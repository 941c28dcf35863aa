--
-- reparse: files that earlier readers have read are read anew, one at a time, and stay as they are where nothing is new
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT count(catalogue.end_job(job, 'done', NULL)) > 0 AS ended FROM catalogue.job_queue;
-- The seeded files are of the present readers, or have no rows.
SELECT catalogue.reader_version() > 0 AS "has a version", count(*) AS earlier
FROM catalogue.sheet WHERE replaced_at IS NULL AND reader < catalogue.reader_version();
SELECT catalogue.reader_version() AS present, catalogue.reader_version() + 1 AS next \gset
SELECT catalogue.reparse(catalogue.reader_version()) AS queued;

-- Rows of two files, as the worker stores them.
SELECT make_dataset('Air') IS NOT NULL AS made;
CREATE FUNCTION upload(name text) RETURNS text LANGUAGE sql AS
$$
    SELECT (catalogue.upload('files', NULL, $1 || '.csv', convert_to(E'a;b\nx;1\ny;2\n' || $1, 'UTF8'),
        json_build_object('name', $1, 'dataset', id_of('datasets', 'Air'), 'organization', f.organization,
            'owner', f.owner, 'updateFrequency', f.update_frequency, 'status', f.status), admin())).id
    FROM catalogue.files f LIMIT 1
$$;
CREATE FUNCTION read(file text, kind text DEFAULT 'integer', last text DEFAULT '2') RETURNS bigint
    LANGUAGE plpgsql AS
$$
DECLARE
    revision  bigint := catalogue.contents_begin(file);
    sheet     bigint := catalogue.contents_sheet(file, revision, 1, '', false);
BEGIN
    PERFORM catalogue.contents_add(sheet, 1, 2, catalogue.chunk_packed(ARRAY['x', '1', 'y', last], 2));
    PERFORM catalogue.contents_issue(sheet, 1, 2, 'a fault') WHERE last = '4';
    PERFORM catalogue.contents_sheet_end(sheet, json_build_object('rows', 2, 'columns', json_build_array(
        json_build_object('name', 'a', 'title', 'a', 'type', 'text'),
        json_build_object('name', 'b', 'title', 'b', 'type', kind))));
    RETURN revision;
END
$$;
CREATE FUNCTION version_name(version integer) RETURNS text LANGUAGE sql
    RETURN CASE $1 WHEN 0 THEN 'none' WHEN catalogue.reader_version() THEN 'present'
                   WHEN catalogue.reader_version() + 1 THEN 'next' ELSE $1::text END;
CREATE FUNCTION state(file text, OUT revision boolean, OUT "parseState" text, OUT reader text, OUT tried text,
    OUT types text, OUT versions bigint)
    LANGUAGE sql AS
$$
    SELECT f.revision = (SELECT max(s.revision) FROM catalogue.sheet s WHERE s.file = f.id), f.parse_state,
        version_name(s.reader), version_name(s.tried), s.columns -> 0 ->> 'type' || ' ' || (s.columns -> 1 ->> 'type'),
        (SELECT count(*) FROM catalogue_history.files h WHERE h.id = f.id)
    FROM catalogue.files f JOIN catalogue.sheet s ON s.file = f.id AND s.revision = f.revision WHERE f.id = $1
$$;
SELECT upload('same') AS same, upload('other') AS other, upload('broken') AS broken \gset
SELECT count(catalogue.end_job(job, 'done', NULL)) > 0 AS ended FROM catalogue.job_queue;
-- what a worker of before says: it has no version
SELECT bool_and(catalogue.contents_publish(f, read(f))) AS published
FROM unnest(ARRAY[:'same', :'other', :'broken']) f;
SELECT (state(f)).* FROM unnest(ARRAY[:'same', :'other', :'broken']) f;
SELECT subject, value, unit FROM catalogue.status() WHERE name = 'earlier_sheets' ORDER BY 1 DESC;

-- Charts of both: of one the values are as they were made before.
CREATE FUNCTION chart(name text, file text) RETURNS text LANGUAGE sql AS
$$
    SELECT (catalogue.create('charts', json_build_object('name', name, 'type', 'bar', 'file', file, 'dataType',
        'quantitative', 'dataSeries', json_build_array('a', 'b')), actor => admin())).id
$$;
SELECT chart('Same', :'same') AS chart, chart('Stale', :'same') AS stale, chart('Other', :'other') AS changing \gset
SET session_replication_role = replica;
UPDATE catalogue.charts SET data = '{"labels":["x","y"],"data":[1,0]}' WHERE id = :'stale';
RESET session_replication_role;

-- A version before has nothing to read; the present one has one file read at a time.
SELECT catalogue.reparse(0) AS queued;
SELECT catalogue.reparse(:present) AS queued;
SELECT catalogue.reparse(:present) AS queued;
SELECT q.kind, j.resource = :'same' AS same, j.state, j.total > 0 AS total, j.audience, q.crowd IS NULL AS alone,
    version_name((q.details -> 'reader')::integer) AS reader,
    q.details - 'file' - 'blob' - 'size' - 'reader' AS details,
    (SELECT parse_state FROM catalogue.files WHERE id = :'same')
FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job WHERE q.kind = 'reparse';

-- It comes after all other jobs, also those that are queued later, and of the same dataset.
SELECT catalogue.enqueue('convert', 'file', :'same', '{"form": "xlsx"}') IS NOT NULL AS queued,
    catalogue.enqueue('archive', 'dataset', id_of('datasets', 'Air')) IS NOT NULL AS queued,
    catalogue.enqueue('parse', 'file', 'f1') IS NOT NULL AS queued;
SELECT kind FROM catalogue.job_queue ORDER BY turn;
SELECT (SELECT kind FROM catalogue.job_take('w', '{parse,reparse,convert,archive}'))
FROM generate_series(1, 3);
SELECT kind FROM catalogue.job_take('w', '{reparse}');
SELECT count(catalogue.end_job(job, 'done', NULL)) FROM catalogue.job_queue WHERE kind <> 'reparse';

-- The same is found: the record, its history and the chart stay; a chart with other values is changed, and logged.
SELECT updated_at AS then FROM catalogue.files WHERE id = :'same' \gset
SELECT updated_at AS chart_then FROM catalogue.charts WHERE id = :'chart' \gset
SELECT count(*) AS logged FROM catalogue.logs \gset
SELECT blob FROM catalogue.stored_file WHERE file = :'same' \gset
SELECT catalogue.contents_reparse(:'same', read(:'same'), :blob, :present) = 'charts/' || :'stale' AS "tells the chart";
SELECT (state(:'same')).*;
SELECT updated_at = :'then' AS kept FROM catalogue.files WHERE id = :'same';
SELECT updated_at = :'chart_then' AS kept FROM catalogue.charts WHERE id = :'chart';
SELECT action, target, resource = :'stale' AS chart, "user", changes
FROM catalogue.logs ORDER BY created_at DESC, id DESC LIMIT (SELECT count(*) - :logged FROM catalogue.logs);
SELECT catalogue.job_done(job, 'w') FROM catalogue.job_queue WHERE kind = 'reparse';

-- The end of its job has queued the next file, in which something else is found.
SELECT j.resource = :'other' AS other FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job;
SELECT job FROM catalogue.job_take('w', '{reparse}') \gset
SELECT revision AS former FROM catalogue.files f WHERE id = :'other' \gset
SELECT read(:'other') AS again, read(:'other', 'text') AS type, read(:'other', last => '3') AS cell,
    read(:'other', last => '4') AS issue, catalogue.contents_begin(:'other') AS none \gset
UPDATE catalogue.sheet_chunk
SET data = (SELECT c.data FROM catalogue.sheet s JOIN catalogue.sheet_chunk c ON c.sheet = s.id
            WHERE s.revision = :former)
WHERE sheet = (SELECT id FROM catalogue.sheet WHERE revision = :issue);
-- It does not matter in which form they are stored.
UPDATE catalogue.sheet_chunk c SET data = catalogue.chunk_repacked(c.data, c.count), bounds = NULL
WHERE sheet = (SELECT id FROM catalogue.sheet WHERE revision = :again);
SELECT o.what, catalogue.is_same_reading(:'other', :former, o.revision) AS same
FROM (VALUES (1, 'the same', :again), (2, 'a type', :type), (3, 'a cell', :cell), (4, 'an issue', :issue),
    (5, 'no sheet', :none)) o(n, what, revision) ORDER BY n;
DELETE FROM catalogue.sheet WHERE file = :'other' AND revision > :former;
SELECT blob FROM catalogue.stored_file WHERE file = :'other' \gset
SELECT catalogue.contents_reparse(:'other', read(:'other', 'decimal', '2.5'), :blob, :present)
    = 'charts/' || :'changing' AS "tells it";
SELECT (state(:'other')).*;
SELECT changes -> 'data' AS data FROM catalogue.logs WHERE resource = :'changing' AND action = 'update';
SELECT catalogue.job_done(:'job', 'w');

-- A file that cannot be read anew stays as it is, and is not tried again before the next version.
SELECT job, resource = :'broken' AS taken FROM catalogue.job_take('w', '{reparse}') \gset
SELECT :'taken' AS taken, catalogue.job_failed(:'job', 'w', 'it is damaged', true) AS failed;
SELECT (state(:'broken')).*;
SELECT state, reason FROM catalogue.jobs WHERE id = :'job';
SELECT count(*) FROM catalogue.job_queue WHERE kind = 'reparse';
SELECT catalogue.reparse(:present) AS queued;
SELECT subject, value FROM catalogue.status() WHERE name = 'earlier_sheets' ORDER BY 1 DESC;
SELECT catalogue.reparse(:next) AS queued;

-- A new reading, a deletion and new bytes end that of a file.
SELECT resource AS file FROM catalogue.jobs WHERE state = 'queued' AND kind = 'reparse' \gset
SELECT catalogue.read_anew(:'file') AS queued;
SELECT kind, state, reason FROM catalogue.jobs
WHERE resource = :'file' AND kind IN ('parse', 'reparse') ORDER BY created_at DESC, kind LIMIT 2;
SELECT count(catalogue.end_job(job, 'cancelled', NULL)) FROM catalogue.job_queue;
SELECT catalogue.reparse(:next) AS queued;
SELECT resource AS file FROM catalogue.jobs WHERE state = 'queued' AND kind = 'reparse' \gset
SELECT (catalogue.delete('files', :'file', admin())).id = :'file' AS deleted;
SELECT reason FROM catalogue.jobs WHERE resource = :'file' AND kind = 'reparse' AND state = 'cancelled';

-- Rows without bytes cannot be read anew, but what is made of them is made again.
SELECT count(catalogue.end_job(job, 'cancelled', NULL)) > 0 AS ended FROM catalogue.job_queue;
SELECT make_file('Loaded', 'Air') AS loaded \gset
SELECT catalogue.contents_load(:'loaded', '[["a","b"],["x",1]]') > 0 AS loaded;
SELECT (state(:'loaded')).*;
SELECT chart('Loaded', :'loaded') AS chart \gset
SET session_replication_role = replica;
UPDATE catalogue.charts SET data = NULL WHERE id = :'chart';
UPDATE catalogue.sheet SET tried = 9 WHERE file <> :'loaded';
RESET session_replication_role;
SELECT catalogue.reparse(:next) AS queued;
SELECT version_name((details -> 'reader')::integer) AS reader, details - 'file' - 'reader' AS details
FROM catalogue.job_take('w', '{reparse}');
SELECT catalogue.contents_reparse(:'loaded', NULL, 0, :next) = 'charts/' || :'chart' AS "tells it";
SELECT (state(:'loaded')).*;
SELECT kind, problem FROM catalogue.check_all() WHERE kind IN ('log', 'history', 'job');
