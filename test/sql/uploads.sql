--
-- uploads: bytes come piece by piece, and become a file or an image in one step, or leave nothing
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make_dataset('Rivers') AS dataset, make_dataset('Lakes') AS other \gset
-- Two guests; the fields of a file, with these besides.
SELECT make('users',
    json_build_object('username', n, 'password', 'long enough', 'email', n || '@example.org', 'role', 'guest',
        'organization', id_of('organizations', 'Open Data Office'))) IS NOT NULL AS made
FROM unnest('{ana,bob}'::text[]) n;
CREATE FUNCTION fields(name text DEFAULT 'Water levels', more jsonb DEFAULT '{}') RETURNS json LANGUAGE sql AS
$$
    SELECT (jsonb_build_object('name', $1, 'dataset', test.id_of('datasets', 'Rivers'),
        'owner', test.id_of('users', 'admin'),
        'organization', test.id_of('organizations', 'Open Data Office'),
        'updateFrequency', test.id_of('updatefrequencies', 'Daily'))
        || $2)::json
$$;
-- A file as its record and its bytes are.
CREATE FUNCTION file(id text, OUT name text, OUT file_name text, OUT url text, OUT size bigint, OUT type text,
    OUT parse_state text, OUT held boolean, OUT fits boolean, OUT bytes text)
    LANGUAGE sql AS
$$
    SELECT f.name, f.file_name, f.url, f.size, t.name, f.parse_state, s.held, f.sha256 = encode(b.digest, 'hex')
           AND b.size = f.size, left(convert_from(catalogue.blob_bytes(b.id, 0), 'UTF8'), 20)
    FROM catalogue.files f
        JOIN catalogue.filetypes t ON t.id = f.type
        LEFT JOIN catalogue.stored_file s ON s.file = f.id
        LEFT JOIN catalogue.blob b ON b.id = s.blob
    WHERE f.id = $1
$$;
-- All that is stored.
CREATE FUNCTION stored() RETURNS TABLE (uploads bigint, blobs bigint, open bigint, chunks bigint, uses numeric)
    LANGUAGE sql AS
$$
    SELECT (SELECT count(*) FROM catalogue.upload), count(*), count(*) FILTER (WHERE digest IS NULL),
           (SELECT count(*) FROM catalogue.blob_chunk), sum(b.uses)
    FROM catalogue.blob b
$$;
-- A sweep of which time is no matter.
CREATE FUNCTION swept() RETURNS bigint
    LANGUAGE sql AS $$
        UPDATE catalogue.blob SET used_at = used_at - interval '2 min' WHERE digest IS NULL;
        SELECT catalogue.sweep()
    $$;

-- In one call: the record says what came, the service where it is.
SELECT id AS file, resource
FROM catalogue.upload('files', NULL, 'Levels of 2026.CSV', E'day,level\n1,2', fields(), admin()) \gset
SELECT * FROM file(:'file');
SELECT key, mask(value::text) AS value
FROM catalogue.item('files', :'file', actor => admin()) i, json_each(i.data::json)
WHERE key IN ('size', 'parseState', 'rowCount', 'revision', 'fileName', 'createdBy', 'status', 'sha256')
ORDER BY key;
SELECT kind, target, resource = :'file' AS of_it, total, audience FROM catalogue.jobs WHERE target = 'file';
SELECT q.details - 'file' AS details FROM catalogue.job_queue q WHERE q.kind = 'parse';
SELECT action, target, resource = :'file' AS of_it, "user" = id_of('users', 'admin') AS by_admin
FROM catalogue.logs
WHERE target = 'file'
ORDER BY id DESC LIMIT 1;

-- Begun, written, finished: what is told on the way; the upload is gone at its end.
SELECT id AS upload, resource, data
FROM catalogue.upload_begin('files', NULL, '{"length": 13, "name": "levels.csv"}', admin()) \gset
SELECT :'data' AS data;
SELECT data FROM catalogue.upload_write(:'upload', 0, E'day,level\n', admin());
SELECT data FROM catalogue.upload_state(:'upload', admin());
SELECT data FROM catalogue.upload_write(:'upload', 10, '1,2', admin());
SELECT encode(sha256(E'day,level\n1,2'), 'hex') AS digest \gset
SELECT id AS second, data::json ->> 'fileName' AS name
FROM catalogue.upload_finish(:'upload', fields(),
    json_build_object('base', 'https://data.example.org', 'digest', upper(:'digest')), 'representation', 'ids',
    admin()) \gset
SELECT * FROM file(:'second');
SELECT code, message FROM refusal(format('SELECT catalogue.upload_state(%L, admin())', :'upload'));
-- equal bytes are there once, and both files refer to them
SELECT swept() AS removed;
SELECT * FROM stored();

-- What is wrong with a piece: its place, one byte too many. The upload goes on as if nothing had come.
SELECT id AS upload FROM catalogue.upload_begin('files', NULL, '{"length": 5, "name": "a.csv"}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, 'abc', admin());
SELECT data FROM catalogue.upload_write(:'upload', 0, 'abc', admin());
SELECT * FROM refusal(format('SELECT catalogue.upload_write(%L, 0, %L, admin())', :'upload', 'abd'));
SELECT code, detail FROM refusal(format('SELECT catalogue.upload_write(%L, 4, %L, admin())', :'upload', 'a'));
SELECT code, message FROM refusal(format('SELECT catalogue.upload_write(%L, 3, %L, admin())', :'upload', 'def'));
SELECT code, message FROM refusal(format('SELECT catalogue.upload_write(%L, NULL, %L, admin())', :'upload', 'def'));
SELECT * FROM refusal(format('SELECT catalogue.upload_finish(%L, fields(), %L, actor => admin())', :'upload', '{}'));
SELECT data::json -> 'offset' AS "offset" FROM catalogue.upload_state(:'upload', admin());

-- It is its owner's alone.
SELECT code, message FROM refusal(format('SELECT catalogue.upload_write(%L, 3, %L, actor(''ana''))', :'upload', 'd'));
SELECT code FROM refusal(format('SELECT catalogue.upload_state(%L, actor(''ana''))', :'upload'));
SELECT code FROM refusal(format('SELECT catalogue.upload_state(%L, %L)', :'upload', '{}'));
SELECT code FROM refusal(format('SELECT catalogue.upload_drop(%L, actor(''ana''))', :'upload'));
SELECT code
FROM refusal(format('SELECT catalogue.upload_finish(%L, fields(), %L, actor => actor(''ana''))', :'upload', '{}'));
SELECT data::json -> 'offset' AS "offset" FROM catalogue.upload_state(:'upload');

-- A resumable upload is told for an hour after its end, to its owner only, with its record.
SELECT id AS told FROM catalogue.upload_begin('files', NULL, '{"name": "told.csv", "resumable": true}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'told', 0, 'a,b', admin());
SELECT id AS made FROM catalogue.upload_finish(:'told', fields('Told'), '{}', actor => admin()) \gset
SELECT key, replace(value::text, :'made', 'the record') AS value
FROM catalogue.upload_state(:'told', admin()) s, json_each(s.data::json);
SELECT code, message FROM refusal(format('SELECT catalogue.upload_state(%L, actor(''ana''))', :'told'));
SELECT code FROM refusal(format('SELECT catalogue.upload_state(%L, %L)', :'told', '{}'));
SELECT code FROM refusal(format('SELECT catalogue.upload_drop(%L, actor(''ana''))', :'told'));
SELECT code FROM refusal(format('SELECT catalogue.upload_write(%L, 3, %L, admin())', :'told', 'c'));
SELECT code FROM refusal(format('SELECT catalogue.upload_finish(%L, fields(), %L, actor => admin())', :'told', '{}'));
SELECT id = :'told' AS forgotten FROM catalogue.upload_drop(:'told', admin());
SELECT code FROM refusal(format('SELECT catalogue.upload_state(%L, admin())', :'told'));
SELECT id = :'made' AS kept FROM catalogue.item('files', :'made', actor => admin());

-- Dropped: nothing is left of it after the sweep.
SELECT id = :'upload' AS dropped FROM catalogue.upload_drop(:'upload', admin());
SELECT swept() AS removed;
SELECT * FROM stored();

-- Who may not is told before the first byte.
SELECT code, message FROM refusal('SELECT catalogue.upload_begin(''files'', NULL, ''{}'', ''{}'')');
SELECT code, message
FROM refusal(format('SELECT catalogue.upload_begin(''files'', %L, ''{}'', actor(''ana''))', :'file'));
SELECT code, message FROM refusal('SELECT catalogue.upload_begin(''categories'', NULL, ''{}'', actor(''ana''))');
SELECT code, message FROM refusal('SELECT catalogue.upload_begin(''files'', ''nothing'', ''{}'', admin())');
SELECT code, message FROM refusal('SELECT catalogue.upload_begin(''tags'', NULL, ''{}'', admin())');
SELECT code, message FROM refusal('SELECT catalogue.upload_begin(''logs'', NULL, ''{}'', admin())');
SELECT code, message FROM refusal('SELECT catalogue.upload_begin(''nothing'', NULL, ''{}'', admin())');
SELECT code, message FROM refusal('SELECT catalogue.upload_begin(''files'', NULL, ''{"length": -1}'', admin())');
SELECT code, message FROM refusal('SELECT catalogue.upload_begin(''files'', NULL, ''{"length": "5"}'', admin())');
SELECT code, message
FROM refusal('SELECT catalogue.upload_begin(''files'', NULL, ''{"body": {"name": "\u0000"}}'', admin())');
-- Fields that are complete are checked before the first byte, those that the bytes give apart; for nobody else.
CREATE FUNCTION begun(name text, more jsonb, actor jsonb, file text DEFAULT NULL, OUT code text, OUT message text,
    OUT detail text)
    LANGUAGE sql AS
$$
    SELECT r.code, r.message, r.detail
    FROM test.refusal(format('SELECT catalogue.upload_begin(''files'', %L, %L, %L)', $4, json_build_object('name', $1,
        'complete', true, 'form', true, 'body', CASE WHEN $4 IS NULL THEN test.fields('Levels', $2) ELSE $2::json END),
        $3)) r
$$;
SELECT count(*) AS uploads FROM catalogue.upload \gset
SELECT d.what, b.*
FROM (VALUES (1, 'one is missing', 'a.csv', '{"dataset": ""}', admin()),
    (2, 'two values', 'a.csv', '{"visible": "perhaps", "name": ""}', admin()),
    (3, 'no such record', 'a.csv', '{"organization": "nothing"}', admin()),
    (4, 'a type that is none', 'a.csv', '{"type": "nothing"}', admin()),
    (5, 'an extension that is not taken', 'a.exe', '{}', admin()), (6, 'no extension', 'a', '{}', admin()),
    (7, 'nobody', 'a.exe', '{"dataset": ""}', '{}')) d(n, what, name, more, actor),
    LATERAL begun(d.name, d.more::jsonb, d.actor) b ORDER BY d.n;
SELECT * FROM begun('', '{"visible": "perhaps"}', admin(), :'file');
SELECT * FROM begun('', '{"visible": "perhaps"}', actor('bob'), :'file');
SELECT count(*) = :uploads AS "none is begun" FROM catalogue.upload;
-- else they may come with the end
SELECT id AS upload FROM catalogue.upload_begin('files', NULL, '{"name": "a.csv", "body": {"name": ""}}', admin()) \gset
SELECT (catalogue.upload_drop(:'upload', admin())).id = :'upload' AS dropped;
SELECT * FROM stored();

-- Too large: said so at the beginning, or found on the way.
SET catalogue.upload_limit = '1kB';
SELECT * FROM refusal('SELECT catalogue.upload_begin(''files'', NULL, ''{"length": 1025}'', admin())');
SELECT id AS upload, data FROM catalogue.upload_begin('files', NULL, '{"name": "a.csv"}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, convert_to(repeat('a', 1024), 'UTF8'), admin());
SELECT code FROM refusal(format('SELECT catalogue.upload_write(%L, 1024, %L, admin())', :'upload', 'a'));
SELECT code
FROM refusal(
    'SELECT catalogue.upload(''files'', NULL, ''a.csv'', '
    'convert_to(repeat(''a'', 1025), ''UTF8''), fields(), admin())');
SELECT (catalogue.upload_drop(:'upload')).data;
RESET catalogue.upload_limit;
SELECT code, hint FROM refusal('SELECT catalogue.upload_begin(''categories'', NULL, ''{"length": 5242881}'', admin())');

-- A record that is refused, a type that is not taken, another digest: nothing is written.
SELECT id AS upload FROM catalogue.upload_begin('files', NULL, '{"name": "a.csv"}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, 'a,b', admin());
SELECT field, rule
FROM faults(format('SELECT catalogue.upload_finish(%L, %L, %L, actor => admin())', :'upload',
    '{"name": "x", "visible": "maybe"}', '{}'));
SELECT code, message
FROM refusal(format('SELECT catalogue.upload_finish(%L, fields(), %L, actor => admin())', :'upload',
    '{"name": "a.pdf"}'));
SELECT *
FROM refusal(format('SELECT catalogue.upload_finish(%L, fields(), %L, actor => admin())', :'upload',
    '{"digest": "00"}'));
SELECT count(*) FROM catalogue.files WHERE size IS NOT NULL AND deleted_at IS NULL;
SELECT data::json -> 'offset' AS "offset" FROM catalogue.upload_state(:'upload', admin());
SELECT (catalogue.upload_drop(:'upload')).data;

-- The name it is stored under: made of the record's, unique in its dataset, whatever the client calls it.
SELECT mask(f.file_name) AS file_name
FROM unnest(ARRAY['Niveles de agua: Río Ñandú', 'niveles de agua río ñandú', '../../etc/passwd', '---', '日本',
    repeat('long ', 29) || 'x', repeat('long ', 29) || 'x', 'Geo data.csv', 'Catalogo.XLSX', 'Mapa.csv.CSV', 'v1.2',
    '.csv', 'Rows of a .csv ', 'a.tar.zip'])
        WITH ORDINALITY n(name, number),
    LATERAL (SELECT (SELECT x.file_name FROM file(u.id) x) AS file_name
             FROM catalogue.upload('files', NULL, '../a b.csv', convert_to(number::text, 'UTF8'), fields(n.name),
                 admin()) u) f;
-- in another dataset it is free; the address has the id, as the name alone leads to the older file
SELECT (SELECT x.file_name FROM file(u.id) x) AS in_another_dataset, (SELECT mask(x.url) FROM file(u.id) x) AS url
FROM catalogue.upload('files', NULL, 'a.csv', 'x', fields(more => jsonb_build_object('dataset', :'other')), admin()) u;
SELECT max(length(file_name)) AS longest FROM catalogue.files;
-- of one that was deleted it is free again
SELECT mask(id) AS id FROM catalogue.delete('files', :'second', admin());
SELECT (SELECT x.file_name FROM file(u.id) x) AS file_name
FROM catalogue.upload('files', NULL, 'a.csv', 'y', fields(), admin()) u;

-- New bytes for a file: the name stays, the former bytes are kept as long as the history; it is one update in the log.
SELECT blob AS former FROM catalogue.stored_file WHERE file = :'file' \gset
SELECT id AS upload FROM catalogue.upload_begin('files', :'file', '{"name": "other.csv"}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, 'c,d', admin());
SELECT r = jsonb_populate_record(NULL::catalogue.reply, jsonb_build_object('resource', 'files', 'id', :'file'))
    AS answer
FROM catalogue.upload_finish(:'upload', '{"notes": "newer"}', '{"base": "https://data.example.org"}',
    actor => admin()) r;
SELECT * FROM file(:'file');
SELECT action, resource = :'file' AS of_it FROM catalogue.logs WHERE target = 'file' ORDER BY id DESC LIMIT 1;
SELECT uses FROM catalogue.blob WHERE id = :former;
SELECT count(*) AS jobs, min(details ->> 'size') AS size FROM catalogue.job_queue WHERE details ->> 'file' = :'file';
-- of another type: the stored name has its extension, the contents are none of it any more
UPDATE catalogue.files SET revision = 7, row_count = 2, bad_rows = 1, parse_state = 'ready' WHERE id = :'file';
INSERT INTO catalogue.made_file (file, form, revision, blob)
SELECT :'file', 'xlsx', 7, blob
FROM catalogue.stored_file
WHERE file = :'file';
INSERT INTO catalogue.sheet (file, revision, number, name) VALUES (:'file', 7, 1, '');
SELECT mask(id) AS id FROM catalogue.upload('files', :'file', 'a.pdf', '%PDF-1.7', actor => admin());
SELECT * FROM file(:'file');
SELECT revision, row_count, bad_rows, (SELECT count(*) FROM catalogue.made_file) AS made,
       (SELECT count(replaced_at) FROM catalogue.sheet) AS replaced
FROM catalogue.files
WHERE id = :'file';
SELECT state, reason FROM catalogue.jobs WHERE resource = :'file';
-- without a name of the file the former extension counts; the record without bytes is changed as ever
SELECT mask(id) AS id FROM catalogue.upload('files', :'file', '', '%PDF-1.4', actor => admin());
SELECT code, message
FROM refusal(format('SELECT catalogue.upload(''files'', %L, '''', ''a,b'', actor => admin())', :'file'));
SELECT mask(id) AS id FROM catalogue.upload('files', :'file', NULL, NULL, '{"notes": "no bytes"}', admin());
SELECT file_name, size, notes FROM catalogue.files WHERE id = :'file';

-- In the state that is asked for, or not at all.
SELECT id AS upload FROM catalogue.upload_begin('files', :'file', '{"name": "a.pdf"}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, '%PDF-1.5', admin());
SELECT code
FROM refusal(format('SELECT catalogue.upload_finish(%L, NULL, %L, actor => admin(), match => ''other'')', :'upload',
    '{}'));
SELECT etag FROM catalogue.item('files', :'file', actor => admin()) \gset
SELECT mask(id) AS id FROM catalogue.upload_finish(:'upload', NULL, '{}', actor => admin(), match => :'etag');

-- A guest uploads files of its own, as drafts, and changes no others.
SELECT id AS own FROM catalogue.upload('files', NULL, 'a.csv', 'a', fields('By Ana'), actor('ana')) \gset
SELECT s.name AS status, f.created_by = id_of('users', 'ana') AS by_ana
FROM catalogue.files f JOIN catalogue.statuses s ON s.id = f.status
WHERE f.id = :'own';
SELECT mask(id) AS id FROM catalogue.upload('files', :'own', 'a.csv', 'b', '{}', actor('ana'));
SELECT code
FROM refusal(format('SELECT catalogue.upload(''files'', %L, ''a.csv'', ''c'', ''{}'', actor(''bob''))', :'own'));

-- What the service says of a file no client says.
SELECT mask(id) AS id
FROM catalogue.update('files', :'own',
    '{"size": 5, "sha256": "00", "parseState": "ready", "revision": 3, "rowCount": 9}', actor => admin());
SELECT size, length(sha256) AS sha256, parse_state, revision, row_count FROM catalogue.files WHERE id = :'own';
-- nor the name that it is stored under; of a file whose bytes are elsewhere it is the client's
SELECT mask(id) AS id
FROM catalogue.update('files', :'own', '{"fileName": "../x.csv", "notes": "n"}', actor => admin());
SELECT mask(id) AS id FROM catalogue.upload('files', :'own', NULL, NULL, '{"fileName": "../x.csv"}', actor('ana'));
SELECT file_name, notes FROM catalogue.files WHERE id = :'own';
SELECT id AS external
FROM catalogue.create('files',
    fields('Elsewhere',
        jsonb_build_object('url', 'https://elsewhere.example.org/a.csv', 'type', id_of('filetypes', 'csv'), 'size', 5)),
    actor => admin()) \gset
SELECT mask(id) AS id FROM catalogue.update('files', :'external', '{"fileName": "own-name.csv"}', actor => admin());
SELECT size, url, file_name, parse_state FROM catalogue.files WHERE id = :'external';
SELECT mask(id) AS id FROM catalogue.upload('files', :'external', 'a.csv', 'now here', '{}', admin());
SELECT size, url, file_name, parse_state FROM catalogue.files WHERE id = :'external';

-- A form: texts stand for values of the field's kind; a name that came twice is a list.
SELECT id AS upload FROM catalogue.upload_begin('files', NULL, '{"name": "a.csv"}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, 'form', admin());
SELECT id AS form
FROM catalogue.upload_finish(:'upload',
    fields('form',
        '{"visible": "true", "urgent": "FALSE", "layout": "", "updated": "null", "gatheringDate": "2026-01-31",
            "optionals": "{\"a\": [1, \"2\"]}", "notes": "", "description": "true", "slug": "x", "unknown": "y"}'),
    '{"form": true}', actor => admin()) \gset
SELECT visible, urgent, layout, updated, gathering_date, optionals, notes, description, slug
FROM catalogue.files
WHERE id = :'form';
SELECT id AS upload FROM catalogue.upload_begin('files', NULL, '{"name": "a.csv"}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, 'form', admin());
SELECT field, rule, value
FROM faults(format('SELECT catalogue.upload_finish(%L, %L, %L, actor => admin())', :'upload',
    '{"visible": "maybe", "gatheringDate": "today", "name": ["a", "b"]}', '{"form": true}'))
WHERE rule <> 'required';
SELECT field, rule, value
FROM faults(format('SELECT catalogue.upload_finish(%L, %L, %L, actor => admin())', :'upload',
    '{"visible": "true", "name": "x"}', '{}'))
WHERE rule <> 'required';
-- a form without a file: a part without name and bytes
SELECT (catalogue.upload_drop(:'upload')).data;
SELECT id AS upload FROM catalogue.upload_begin('files', :'form', '{"name": ""}', admin()) \gset
SELECT mask(id) AS id
FROM catalogue.upload_finish(:'upload', '{"notes": "changed"}', '{"form": true}', actor => admin());
SELECT size, notes FROM catalogue.files WHERE id = :'form';

-- Resumed: the fields that were given at the beginning; it outlives a minute, and not its retention.
SELECT id AS upload
FROM catalogue.upload_begin('files', NULL,
    json_build_object('resumable', true, 'name', 'a.csv', 'body', fields('Resumed')), admin()) \gset
SELECT id AS plain FROM catalogue.upload_begin('files', NULL, '{}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, 'resu', admin());
UPDATE catalogue.upload SET moved_at = now() - interval '61 s';
SELECT swept() AS removed;
SELECT id = :'upload' AS resumable, (SELECT count(*) FROM catalogue.upload) AS count FROM catalogue.upload;
SELECT data FROM catalogue.upload_write(:'upload', 4, 'med', admin());
SELECT moved_at > now() - interval '30 s' AS moved FROM catalogue.upload;
UPDATE catalogue.upload SET moved_at = now() - interval '23 hours';
SELECT (catalogue.sweep(), count(*)) AS swept FROM catalogue.upload;
SELECT data::json -> 'resumable' AS resumable, data::json ->> 'name' AS name, data::json -> 'body' ->> 'name' AS body
FROM catalogue.upload_state(:'upload', admin());
SELECT (SELECT x.bytes FROM file(u.id) x) AS bytes
FROM catalogue.upload_finish(:'upload', NULL, '{}', actor => admin()) u;
SELECT id AS upload FROM catalogue.upload_begin('files', NULL, '{"resumable": true}', admin()) \gset
UPDATE catalogue.upload SET moved_at = now() - interval '25 hours';
SELECT swept() AS removed;
SELECT code FROM refusal(format('SELECT catalogue.upload_state(%L, admin())', :'upload'));

-- Held until the scanner has seen it: then it is given out, and read where it can be.
SET catalogue.hold_uploads = on;
SELECT id AS held FROM catalogue.upload('files', NULL, 'a.csv', 'held', fields('Held'), admin()) \gset
SELECT id AS manual FROM catalogue.upload('files', NULL, 'a.pdf', '%PDF-1.6', fields('Manual'), admin()) \gset
RESET catalogue.hold_uploads;
SELECT parse_state, held FROM file(:'held');
SELECT code, message FROM refusal(format('SELECT catalogue.download(%L)', :'held'));
SELECT count(*) AS updates FROM catalogue.logs WHERE resource = :'held' AND action = 'update';
SELECT etag AS tag FROM catalogue.item('files', :'held', actor => admin()) \gset
SELECT catalogue.job_done(job, 'w1') FROM catalogue.job_take('w1', '{scan}', '60 s');
SELECT catalogue.job_done(job, 'w1') FROM catalogue.job_take('w1', '{scan}', '60 s');
SELECT (SELECT x.parse_state FROM file(i) x), (SELECT x.held FROM file(i) x),
       (SELECT string_agg(kind || ' ' || state, ', ' ORDER BY id) FROM catalogue.jobs WHERE resource = i) AS jobs
FROM unnest(ARRAY[:'held', :'manual']) i;
SELECT (catalogue.download(:'held')).id = :'held' AS given;

-- Infected: it is held for good, and says why. These are no actions of anybody: not in the log, updatedAt stays; but
-- the state is another.
SET catalogue.hold_uploads = on;
SELECT mask(id) AS id FROM catalogue.upload('files', :'held', 'a.csv', 'worse', '{}', admin());
RESET catalogue.hold_uploads;
SELECT state FROM catalogue.jobs WHERE resource = :'held' ORDER BY id;
SELECT updated_at AS before FROM catalogue.files WHERE id = :'held' \gset
SELECT etag AS tag FROM catalogue.item('files', :'held', actor => admin()) \gset
SELECT count(*) AS logged FROM catalogue.logs \gset
SELECT catalogue.job_failed(job, 'w1', 'the scanner found Eicar', true) FROM catalogue.job_take('w1', '{scan}', '60 s');
SELECT parse_state, parse_reason, updated_at = :'before' AS same_time,
       (SELECT count(*) FROM catalogue.logs) = :logged AS nothing_logged,
       (SELECT etag FROM catalogue.item('files', :'held', actor => admin())) <> :'tag' AS another_state
FROM catalogue.files
WHERE id = :'held';
SELECT json_agg(value ->> 'parseState') AS states
FROM catalogue.versions('files', :'held', actor => admin()) v, json_array_elements(v.data::json);
SELECT code FROM refusal(format('SELECT catalogue.download(%L)', :'held'));
-- together with what somebody changes, it is logged
UPDATE catalogue.files SET parse_reason = 'x', notes = 'by hand' WHERE id = :'held';
SELECT updated_at = :'before' AS same_time, (SELECT count(*) FROM catalogue.logs) - :logged AS logged
FROM catalogue.files
WHERE id = :'held';

-- A reading that fails is told on the file; one of bytes that are not the file's any more tells nothing.
SELECT catalogue.job_failed(job, 'w1', 'it has no rows', true) FROM catalogue.job_take('w1', '{parse}', '60 s');
SELECT parse_state, parse_reason, count(*)
FROM catalogue.files
WHERE parse_state = 'failed' AND parse_reason <> 'x'
GROUP BY 1, 2;
SELECT catalogue.set_parse_state(:'own', 0, 'failed', 'not of these bytes');
SELECT parse_state FROM catalogue.files WHERE id = :'own';

-- Images of categories: the record has their address; they are replaced, and removed by a word.
SELECT id AS category, data::json ->> 'image' AS image
FROM catalogue.upload('categories', NULL, 'flag.png', '\x89504e470d0a1a0a01',
    '{"name": "Sea & coast", "color": "0000FF"}', admin(), 'representation') \gset
SELECT mask(:'image') AS image, file_name FROM catalogue.categories WHERE id = :'category';
SELECT data::json ->> 'type' AS type, data::json ->> 'name' AS name FROM catalogue.image(:'category', admin());
SELECT id AS upload FROM catalogue.upload_begin('categories', :'category', '{"name": "flag.svg"}', admin()) \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, '<svg></svg>', admin());
SELECT mask(data::json ->> 'image') AS image, data::json ->> 'fileName' AS "fileName"
FROM catalogue.upload_finish(:'upload', '{"active": "true"}', '{"form": true, "base": "https://data.example.org"}',
    'representation', 'ids', admin());
SELECT active, count(s.blob) AS images
FROM catalogue.categories c LEFT JOIN catalogue.stored_image s ON s.category = c.id
WHERE c.id = :'category'
GROUP BY 1;
SELECT mask(id) AS id FROM catalogue.update('categories', :'category', '{"deleteImage": false}', actor => admin());
SELECT mask((catalogue.image(:'category')).id) AS still_there;
SELECT data::json ->> 'image' AS image, data::json ->> 'fileName' AS "fileName"
FROM catalogue.update('categories', :'category', '{"deleteImage": true}', 'representation', actor => admin());
SELECT code, message FROM refusal(format('SELECT catalogue.image(%L)', :'category'));
SELECT code
FROM refusal(
    'SELECT catalogue.upload(''categories'', NULL, ''x.png'', '
    '''\x89504e470d0a1a0a'', ''{"name": "No"}'', actor(''ana''))');
SELECT count(*) FROM catalogue.stored_image;

-- The shim's role does all that, and without an actor it is nobody.
GRANT USAGE ON SCHEMA test TO catalogue_shim;
SELECT admin() AS admin, fields('By the shim') AS fields \gset
SET ROLE catalogue_shim;
SELECT id AS upload FROM catalogue.upload_begin('files', NULL, '{"name": "a.csv"}', :'admin') \gset
SELECT data FROM catalogue.upload_write(:'upload', 0, 'by the shim', :'admin');
SELECT code FROM refusal(format('SELECT catalogue.upload_state(%L)', :'upload'));
SELECT mask(id) AS id FROM catalogue.upload_finish(:'upload', :'fields', '{}', actor => :'admin');
SELECT code, message FROM refusal('SELECT catalogue.upload_begin(''files'', NULL, ''{}'')');
RESET ROLE;

-- At the end nothing is open, and every blob is referred to or as old as it is.
DELETE FROM catalogue.upload;
SELECT swept() AS removed;
SELECT count(*) AS open FROM catalogue.blob WHERE digest IS NULL;
SELECT count(*) AS wrong
FROM catalogue.blob b
WHERE uses <> (SELECT count(*)
               FROM (SELECT blob
                     FROM catalogue.stored_file
                     UNION ALL SELECT blob
                     FROM catalogue.stored_image
                     UNION ALL SELECT blob
                     FROM catalogue.made_file
                     UNION ALL SELECT blob
                     FROM catalogue.archive
                     UNION ALL SELECT blob
                     FROM catalogue.upload) r
               WHERE r.blob = b.id);
SELECT count(*) AS wrong
FROM catalogue.blob b
WHERE (SELECT sha256(coalesce(string_agg(bytes, NULL ORDER BY number), ''))
       FROM catalogue.blob_chunk c
       WHERE c.blob = b.id) <> digest;

-- A key is asked for each step of an upload: one for another resource, or of another organization, neither reads,
-- continues nor removes what its user has begun without it.
SELECT catalogue.add_consumer('Portal', id => 'portal') AS consumer;
CREATE TABLE keys AS
SELECT name, admin() || jsonb_build_object('consumer', 'portal', 'key', key) AS actor
FROM (SELECT 'for tags' AS name, key FROM catalogue.add_api_key('portal', resources => '{tags}')
      UNION ALL
      SELECT 'of an organization', key
      FROM catalogue.add_api_key('portal', organization => id_of('organizations', 'Transport Department'))
      UNION ALL
      SELECT 'without limits', key FROM catalogue.add_api_key('portal')) n;
SELECT id AS new
FROM catalogue.upload_begin('files', NULL, '{"name": "new.csv", "length": 3, "resumable": true}', admin()) \gset
SELECT id AS bytes FROM catalogue.upload_begin('files', (SELECT id FROM catalogue.files
    WHERE deleted_at IS NULL AND organization = id_of('organizations', 'Open Data Office') ORDER BY id LIMIT 1),
    '{"length": 3, "resumable": true}', admin()) \gset
SELECT k.name, u.name AS upload, step, f.code, f.message
FROM keys k, (VALUES ('of a new file', :'new'), ('of new bytes', :'bytes')) u(name, id),
    (VALUES ('catalogue.upload_state(%L, %L)'), ('catalogue.upload_write(%L, 0, ''abc'', %L)'),
            ('catalogue.upload_finish(%L, NULL, NULL, ''minimal'', ''ids'', %L)'),
            ('catalogue.upload_drop(%L, %L)')) s(step),
    refusal(format('SELECT ' || step, u.id, k.actor)) f
WHERE k.name <> 'without limits' ORDER BY 1, 2, 3;
SELECT data::json -> 'offset' AS "offset"
FROM keys k, catalogue.upload_state(:'new', k.actor) WHERE k.name = 'without limits';
-- What a key of an organization has begun it finds again.
SELECT u.id AS begun FROM keys k, catalogue.upload_begin('files', NULL, '{"length": 3, "resumable": true}', k.actor) u
WHERE k.name = 'of an organization' \gset
SELECT data::json -> 'offset' AS "offset"
FROM keys k, catalogue.upload_state(:'begun', k.actor) WHERE k.name = 'of an organization';
SELECT count(*) AS removed FROM unnest(ARRAY[:'new', :'bytes', :'begun']) n(id), catalogue.upload_drop(n.id, admin());

-- Jobs of a file that is deleted end at once, whoever deletes it; a file that is restored is read, if it was not yet.
SELECT id AS gone FROM catalogue.upload('files', NULL, 'a.csv', 'a,b', fields(), admin()) \gset
SELECT catalogue.enqueue('convert', 'file', :'gone', '{"form": "xlsx"}') IS NOT NULL AS queued;
SELECT id = :'gone' AS deleted FROM catalogue.delete('files', :'gone', admin());
SELECT kind, state, reason FROM catalogue.jobs WHERE resource = :'gone' ORDER BY kind;
SELECT count(*) AS queued FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job WHERE j.resource = :'gone';
SELECT id = :'gone' AS restored FROM catalogue.restore('files', :'gone', actor => admin());
SELECT kind, state FROM catalogue.jobs j WHERE resource = :'gone' AND state = 'queued' ORDER BY kind;
DELETE FROM catalogue.datasets WHERE id = (SELECT dataset FROM catalogue.files WHERE id = :'gone');
SELECT count(*) AS queued FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job WHERE j.resource = :'gone';
