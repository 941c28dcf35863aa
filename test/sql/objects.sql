--
-- objects: blobs go to the object store and come back step by step, and are never without their bytes
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- A file with bytes of a length; the place of its bytes, and which rows of them are here.
SELECT make_dataset('Rivers') AS dataset \gset
CREATE FUNCTION upload(name text, length integer) RETURNS text LANGUAGE sql AS
$$
    SELECT id FROM catalogue.upload('files', NULL, $1,
        convert_to(E'a,b\n' || repeat(left($1, 1) || E',2345\n', $2 / 7), 'UTF8'),
        json_build_object('name', $1, 'dataset', test.id_of('datasets', 'Rivers'), 'owner',
            test.id_of('users', 'admin'), 'organization', test.id_of('organizations', 'Open Data Office'),
            'updateFrequency', test.id_of('updatefrequencies', 'Daily')), test.admin())
$$;
CREATE FUNCTION blob_of(file text) RETURNS bigint LANGUAGE sql AS
$$ SELECT blob FROM catalogue.stored_file WHERE stored_file.file = $1 $$;
CREATE FUNCTION place(blob bigint, OUT place text, OUT rows integer[], OUT checked boolean, OUT fault text)
    LANGUAGE sql AS
$$
    SELECT b.place, (SELECT array_agg(c.number ORDER BY c.number) FROM catalogue.blob_chunk c WHERE c.blob = b.id),
           b.checked_at IS NOT NULL, b.fault
    FROM catalogue.blob b WHERE b.id = $1
$$;
CREATE FUNCTION next(inward boolean DEFAULT true, OUT task text, OUT blob bigint, OUT size bigint, OUT fits boolean)
    LANGUAGE sql AS
$$
    SELECT n.task, n.blob, n.size, n.digest = encode(b.digest, 'hex')
    FROM catalogue.object_next($1) n LEFT JOIN catalogue.blob b ON b.id = n.blob
$$;
SELECT upload('large.csv', 1200000) AS large, upload('middle.csv', 600000) AS middle,
       upload('small.csv', 524000) AS small \gset
SELECT blob_of(:'large') AS blob, blob_of(:'middle') AS other \gset
SELECT encode(digest, 'hex') AS digest FROM catalogue.blob WHERE id = :blob \gset
SELECT encode(digest, 'hex') AS other_digest FROM catalogue.blob WHERE id = :other \gset

-- Put, compared, then without the rows in between; the small file stays.
SELECT catalogue.objects_left(true) AS in, catalogue.objects_left(false) AS out;
SELECT task, blob = :blob AS it, size, fits FROM next();
SELECT catalogue.object_put(:blob, :'digest');
SELECT * FROM place(:blob);
SELECT task, blob = :blob AS it FROM next();
SELECT catalogue.blob_stored(:blob);
SELECT catalogue.object_kept(:blob);
SELECT * FROM place(:blob);
SELECT catalogue.blob_stored(:blob) = :'digest' || ' 1200000' AS stored;
SELECT task, blob = :other AS it FROM next();
SELECT catalogue.object_put(:other, :'other_digest'), catalogue.object_kept(:other);
SELECT task FROM next();
SELECT catalogue.objects_left(true) AS in, catalogue.objects_left(false) AS out;

-- Each step once more, as after a crash, and steps out of turn.
SELECT catalogue.object_put(:blob, :'digest'), catalogue.object_kept(:blob);
SELECT * FROM place(:blob);
SELECT catalogue.object_kept(blob_of(:'small')), catalogue.object_returned(blob_of(:'small'));
SELECT * FROM place(blob_of(:'small'));
SELECT catalogue.object_deleted(:'digest');

-- Rows that are not here are no end of the bytes.
SELECT length(catalogue.blob_bytes(:blob, 0)) AS first, length(catalogue.blob_bytes(:blob, 4)) AS last,
       catalogue.blob_bytes(:blob, 5) AS behind, catalogue.blob_bytes(:blob, -1) AS before;
SELECT code, message FROM refusal(format('SELECT catalogue.blob_bytes(%s, 1)', :blob));
SELECT data::jsonb -> 'stored' AS stored FROM catalogue.download(:'large', actor => admin());
SELECT data::jsonb -> 'stored' AS stored FROM catalogue.download(:'small', actor => admin());
SELECT count(*) FROM catalogue.check_all() WHERE kind IN ('blob', 'object');

-- The type of equal bytes is found, of those of another name as well; of those that an action had replaced.
SELECT upload('large.csv', 1200000) AS equal \gset
SELECT f.size, t.name AS type
FROM catalogue.files f JOIN catalogue.filetypes t ON t.id = f.type WHERE f.id = :'equal';
SELECT mask(id) AS id FROM catalogue.upload('files', :'large', 'large.csv', 'a,b', actor => admin());
SELECT l.id AS log FROM catalogue.logs l
WHERE l.resource = :'large' AND l.changes::jsonb ? 'sha256' ORDER BY l.created_at DESC, l.id DESC LIMIT 1 \gset
SELECT mask(id) AS id FROM catalogue.undo(:'log', actor => admin());
SELECT f.size, t.name AS type, blob_of(f.id) = :blob AS same
FROM catalogue.files f JOIN catalogue.filetypes t ON t.id = f.type WHERE f.id = :'large';
-- A document that was uploaded is read, though an equal one is in the store.
CREATE FUNCTION document() RETURNS bytea LANGUAGE sql AS
$$ SELECT convert_to('{"source": "s", "dataset": [], "pad": "' || repeat('x', 600000) || '"}', 'UTF8') $$;
SELECT catalogue.blob_create() AS made \gset
SELECT catalogue.blob_append(:made, 0, document()) AS size, catalogue.blob_seal(:made) = :made AS own;
SELECT encode(digest, 'hex') AS made_digest FROM catalogue.blob WHERE id = :made \gset
SELECT catalogue.object_put(:made, :'made_digest'), catalogue.object_kept(:made);
SELECT id AS upload FROM catalogue.upload_begin('imports', NULL, '{"length": 600041}', admin()) \gset
SELECT id = :'upload' AS written FROM catalogue.upload_write(:'upload', 0, document(), admin());
SELECT mask(data::text) AS data
FROM catalogue.import_upload(:'upload', '{"source": "elsewhere"}', '{"type": "application/ld+json"}', admin());

-- What fails is told, and left alone for an hour; an object that is not right is not relied on.
SELECT upload('new.csv', 700000) AS new \gset
SELECT blob_of(:'new') AS new_blob \gset
SELECT encode(digest, 'hex') AS new_digest FROM catalogue.blob WHERE id = :new_blob \gset
SELECT catalogue.object_put(:new_blob, :'new_digest'), catalogue.object_failed(:new_blob, 'other bytes');
SELECT * FROM place(:new_blob);
SELECT task FROM next();
SELECT kind, mask(problem) AS problem, hint FROM catalogue.check() WHERE kind = 'object';
SELECT name, value FROM catalogue.status() WHERE name IN ('faulty_blobs', 'gone_objects') ORDER BY name;
UPDATE catalogue.blob SET checked_at = checked_at - interval '61 min' WHERE id = :new_blob;
SELECT task, blob = :new_blob AS it FROM next();
SELECT catalogue.object_put(:new_blob, :'new_digest'), catalogue.object_kept(:new_blob);
SELECT * FROM place(:new_blob);

-- What is in the store is checked again after a time, one that was not right after a day; an equal upload mends it.
UPDATE catalogue.blob SET checked_at = checked_at - interval '29 days' WHERE place = 'store';
SELECT task FROM next();
UPDATE catalogue.blob SET checked_at = checked_at - interval '2 days' WHERE id = :other;
SELECT task, blob = :other AS it FROM next();
SELECT task FROM next(false);
SET catalogue.store_check = -1;
SELECT task FROM next();
RESET catalogue.store_check;
SELECT catalogue.object_failed(:other, 'lost');
SELECT * FROM place(:other);
SELECT task FROM next();
SELECT kind, mask(problem) AS problem, replace(hint, :'other_digest', '<digest>') AS hint
FROM catalogue.check() WHERE kind = 'object';
SELECT blob_of(upload('middle.csv', 600000)) = :other AS equal;
SELECT * FROM place(:other);
SELECT length(catalogue.blob_bytes(:other, 1)) AS second, catalogue.blob_digest(:other) = decode(:'other_digest', 'hex')
    AS fits;
SELECT count(*) FROM catalogue.check_all() WHERE kind IN ('blob', 'object');
SELECT catalogue.object_put(:other, :'other_digest'), catalogue.object_kept(:other);
-- of a document, too
SELECT catalogue.object_failed(:made, 'lost');
SELECT id AS upload FROM catalogue.upload_begin('imports', NULL, '{"length": 600041}', admin()) \gset
SELECT id = :'upload' AS written FROM catalogue.upload_write(:'upload', 0, document(), admin());
SELECT mask(data::text) AS data
FROM catalogue.import_upload(:'upload', '{"source": "elsewhere"}', '{"type": "application/ld+json"}', admin());
SELECT * FROM place(:made);
SELECT catalogue.object_put(:made, :'made_digest'), catalogue.object_kept(:made);

-- Objects that belong to no blob are told, and deleted when that is asked for.
SELECT catalogue.objects_listed(ARRAY[:'digest', repeat('a1', 32)], true) AS one,
       catalogue.objects_listed(ARRAY[repeat('b2', 32), repeat('c3', 32)], false) AS three;
INSERT INTO catalogue.blob_gone (digest) VALUES (decode(repeat('b2', 32), 'hex'));
SELECT left(subject, 4) AS subject, problem, left(remedy, 60) AS remedy FROM catalogue.check() WHERE kind = 'object';
SELECT catalogue.objects_listed('{}', true) AS none;
DELETE FROM catalogue.blob_gone;

-- Back: only with all bytes, in one transaction.
SELECT task FROM next(false);
SELECT code, message FROM refusal(format('SELECT catalogue.object_returned(%s)', :new_blob));
SELECT * FROM place(:new_blob);
SELECT catalogue.object_back(:new_blob, 1, convert_to(substr(E'a,b\n' || repeat(E'n,2345\n', 100000), 262145, 262144),
    'UTF8')) IS NOT NULL AS first, catalogue.object_back(:new_blob, 0, 'x') IS NOT NULL AS known;
SELECT catalogue.object_returned(:new_blob);
SELECT * FROM place(:new_blob);
SELECT taken_at FROM catalogue.blob_gone WHERE encode(digest, 'hex') = :'new_digest';

-- An object is deleted when it was gone long enough and no blob has its digest; a blob with an object that may be
-- about to be deleted waits.
SET catalogue.store_retention = 0;
SELECT task, blob = :new_blob AS it FROM next();
DELETE FROM catalogue.stored_file WHERE stored_file.file = :'new';
SET catalogue.history_retention = 0;
UPDATE catalogue.blob SET used_at = now() - interval '2 min' WHERE id = :new_blob;
SELECT catalogue.sweep() AS removed;
SELECT task, blob FROM next();
SELECT upload('new.csv', 700000) AS new \gset
SELECT task FROM next();
SELECT catalogue.objects_left(true) AS in;
UPDATE catalogue.blob_gone SET taken_at = taken_at - interval '61 min';
SELECT task, blob = blob_of(:'new') AS it FROM next();
SELECT catalogue.object_deleted(:'new_digest'), catalogue.object_deleted(:'new_digest') AS again;

-- The sweep of what is in the store leaves a note of its object; so does that of a blob that is sent.
SELECT catalogue.object_put(blob_of(:'new'), :'new_digest');
DELETE FROM catalogue.stored_file WHERE stored_file.file = :'new';
UPDATE catalogue.blob SET used_at = now() - interval '2 min' WHERE uses = 0;
SELECT catalogue.sweep() AS removed;
SELECT encode(g.digest, 'hex') = :'new_digest' AS new FROM catalogue.blob_gone g ORDER BY 1;
SELECT catalogue.object_put(0, repeat('ab', 32));
SELECT count(*) FROM catalogue.blob_gone;
RESET catalogue.store_retention;
RESET catalogue.history_retention;
SELECT task FROM next();

-- Bytes that are sent before they are a blob: their object is expected, then they have one, with the rows of the type.
DELETE FROM catalogue.blob_gone;
SELECT encode(sha256('an archive'), 'hex') AS sent \gset
SELECT catalogue.object_sent(:'sent', 700000, 'first', 'last') AS not_expected;
SELECT catalogue.object_expected(:'sent') AS put;
SELECT catalogue.object_expected(:'sent') AS again;
SELECT g.gone_at > now() + interval '23 hours' AS later, g.taken_at FROM catalogue.blob_gone g
WHERE encode(g.digest, 'hex') = :'sent';
SET catalogue.store_retention = 0;
SELECT task FROM next() WHERE task = 'delete';
UPDATE catalogue.blob_gone SET gone_at = gone_at - interval '1 day';
SELECT task, digest = :'sent' AS it FROM catalogue.object_next(true);
SELECT catalogue.object_deleted(:'sent');
RESET catalogue.store_retention;
SELECT catalogue.object_sent(:'sent', 700000, 'first', 'last') AS deleted;
SELECT catalogue.object_expected(:'sent') AS put;
SELECT catalogue.object_sent(:'sent', 700000, 'first', 'last') AS sent_blob \gset
SELECT * FROM place(:sent_blob);
SELECT uses, size, used_at > now() - interval '1 min' AS kept,
       catalogue.blob_stored(:sent_blob) = :'sent' || ' 700000' AS it
FROM catalogue.blob WHERE id = :sent_blob;
SELECT count(*) FROM catalogue.blob_gone g WHERE encode(g.digest, 'hex') = :'sent';
-- what a blob has is not sent, but where the object is lost; it is not made twice
SELECT catalogue.object_expected(:'sent') AS put;
SELECT catalogue.object_sent(:'sent', 700000, 'first', 'last') = :sent_blob AS same;
SELECT catalogue.object_failed(:sent_blob, 'lost'), catalogue.object_expected(:'sent') AS put;
SELECT catalogue.object_sent(:'sent', 700000, 'first', 'last') = :sent_blob AS same;
SELECT catalogue.object_kept(:sent_blob);
-- an object that may be about to be deleted is left alone for an hour
DELETE FROM catalogue.blob WHERE id = :sent_blob;
UPDATE catalogue.blob_gone SET taken_at = now() - interval '59 min' WHERE encode(digest, 'hex') = :'sent';
SELECT catalogue.object_expected(:'sent') AS put, catalogue.object_sent(:'sent', 700000, 'first', 'last') AS blob;
UPDATE catalogue.blob_gone SET taken_at = now() - interval '60 min' WHERE encode(digest, 'hex') = :'sent';
SELECT catalogue.object_expected(:'sent') AS put;
SELECT taken_at FROM catalogue.blob_gone WHERE encode(digest, 'hex') = :'sent';
SELECT code FROM refusal('SELECT catalogue.object_sent(''ab'', 700000, ''first'', ''last'')');
DELETE FROM catalogue.blob_gone WHERE encode(digest, 'hex') = :'sent';

-- However many blobs there are, the next one is found by an index, and so is that there is none.
INSERT INTO catalogue.blob (digest, size, place, checked_at)
SELECT sha256(n::text::bytea), 600000, 'store', now() - n * interval '1 s' FROM generate_series(1, 20000) n;
INSERT INTO catalogue.blob_gone (digest) SELECT sha256(('x' || n)::bytea) FROM generate_series(1, 5000) n;
ANALYZE catalogue.blob, catalogue.blob_gone;
CREATE FUNCTION reads(OUT scans numeric, OUT rows numeric) LANGUAGE sql AS
$$
    SELECT sum(seq_scan), sum(idx_tup_fetch) FROM pg_stat_xact_user_tables
    WHERE relid IN ('catalogue.blob'::regclass, 'catalogue.blob_gone'::regclass)
$$;
BEGIN;
SELECT * FROM reads() \gset
SELECT n.task FROM catalogue.object_next(true) n;
SELECT n.task FROM catalogue.object_next(false) n;
SELECT r.scans - :scans AS scans, r.rows - :rows < 100 AS few FROM reads() r;
COMMIT;
DELETE FROM catalogue.blob WHERE size = 600000;
DELETE FROM catalogue.blob_gone;

-- The worker does it, the shim does not.
GRANT USAGE ON SCHEMA test TO catalogue_worker, catalogue_shim;
SET ROLE catalogue_worker;
SELECT catalogue.objects_left(true) AS in;
SELECT code FROM refusal('SELECT catalogue.object_next_part(true)');
SET ROLE catalogue_shim;
SELECT code FROM refusal('SELECT catalogue.object_next(true)');
SELECT code FROM refusal('SELECT catalogue.blob_stored(1)');
RESET ROLE;
