--
-- blob_storage: bytes come in pieces, are the same when they are read, and equal ones are kept once
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The rows of a blob, and all its bytes.
CREATE FUNCTION pieces(blob bigint) RETURNS text
    LANGUAGE sql AS $$
        SELECT string_agg(format('%s: %s', number, length(bytes)), ', ' ORDER BY number)
        FROM catalogue.blob_chunk c
        WHERE c.blob = $1
    $$;
CREATE FUNCTION all_bytes(blob bigint) RETURNS bytea
    LANGUAGE sql AS $$
        SELECT coalesce(string_agg(catalogue.blob_bytes($1, n), NULL ORDER BY n), '') FROM generate_series(0, 9) n
    $$;
CREATE FUNCTION letters(count integer, letter text DEFAULT 'a') RETURNS bytea
    LANGUAGE sql AS $$ SELECT convert_to(repeat($2, $1), 'UTF8') $$;
-- A sealed blob is what its digest says.
CREATE FUNCTION digest_fits(blob bigint) RETURNS boolean
    LANGUAGE sql AS $$
        SELECT digest = sha256(test.all_bytes($1)) AND size = length(test.all_bytes($1))
        FROM catalogue.blob b
        WHERE b.id = $1
    $$;

-- Appended in pieces of any length, rows are full but for the last.
SELECT catalogue.blob_create() AS one \gset
SELECT catalogue.blob_append(:one, 0, 'abc') AS size;
SELECT catalogue.blob_append(:one, 3, letters(262141)) AS size;
SELECT catalogue.blob_append(:one, 262144, letters(600000, 'b')) AS size;
SELECT catalogue.blob_append(:one, 862144, '') AS size;
SELECT pieces(:one);
SELECT catalogue.blob_seal(:one) = :one AS own, digest_fits(:one) AS fits;

-- Each row by its number, and nothing behind the end.
SELECT n, length(catalogue.blob_bytes(:one, n)) AS length,
       left(convert_from(catalogue.blob_bytes(:one, n), 'UTF8'), 5) AS begins
FROM generate_series(-1, 4) n;

-- A position that is not the end is refused, and told, unless the bytes there are the same; so is what is sealed, or
-- not there.
SELECT catalogue.blob_create() AS two \gset
SELECT catalogue.blob_append(:two, 0, 'abc') AS size;
SELECT catalogue.blob_append(:two, 0, 'ab') AS inside, catalogue.blob_append(:two, 1, 'bc') AS at_the_end;
SELECT * FROM refusal(format('SELECT catalogue.blob_append(%s, 0, %L)', :two, 'abd'));
SELECT code, detail FROM refusal(format('SELECT catalogue.blob_append(%s, 2, %L)', :two, 'de'));
SELECT code, detail FROM refusal(format('SELECT catalogue.blob_append(%s, 4, %L)', :two, 'abc'));
SELECT code, detail FROM refusal(format('SELECT catalogue.blob_append(%s, -1, %L)', :two, 'abc'));
SELECT code, regexp_replace(message, '[0-9]+', 'N') AS message
FROM refusal(format('SELECT catalogue.blob_append(%s, 862144, %L)', :one, 'abc'));
SELECT code, message FROM refusal('SELECT catalogue.blob_append(0, 0, ''abc'')');
SELECT code, message FROM refusal('SELECT catalogue.blob_seal(0)');
SELECT pieces(:two);

-- A blob whose stored state of the hash is of another library is read again when it is sealed.
SELECT catalogue.blob_append(:two, 3, letters(300000));
SELECT catalogue.blob_append(:two, 3, letters(300000)) AS the_same;
SELECT code, detail FROM refusal(format('SELECT catalogue.blob_append(%s, 3, letters(299999) || ''?'')', :two));
UPDATE catalogue.blob SET hashing = NULL WHERE id = :two;
SELECT catalogue.blob_append(:two, 300003, '!') AS size;
SELECT catalogue.blob_seal(:two) = :two AS own, digest_fits(:two) AS fits;

-- Without a byte: it has a digest as well.
SELECT catalogue.blob_create() AS none \gset
SELECT catalogue.blob_seal(:none) = :none AS own, digest_fits(:none) AS fits, size FROM catalogue.blob WHERE id = :none;

-- Sealed again it is what it was.
SELECT catalogue.blob_seal(:two) = :two AS own;

-- Its digest is locked to the end of the transaction, by a class of lock that has no other use: 3 is that of the
-- commit time, 4 that of passwords.
BEGIN;
SELECT catalogue.blob_create() AS locked \gset
SELECT catalogue.blob_seal(:locked) > 0 AS sealed;
SELECT objsubid AS class, mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND objsubid > 3;
ROLLBACK;

-- Equal bytes: the first blob is given, and the sweep takes what the second one had.
SELECT catalogue.blob_create() AS equal \gset
SELECT catalogue.blob_append(:equal, 0, all_bytes(:two)) AS size;
SELECT catalogue.blob_seal(:equal) = :two AS first_one;
SELECT catalogue.sweep() AS removed;
SELECT count(*) AS rows, count(*) FILTER (WHERE digest IS NULL) AS open FROM catalogue.blob;
SELECT count(*) FROM catalogue.blob_chunk WHERE blob = :equal;

-- Unsealed and forgotten for a minute: gone. Younger ones, and those that somebody refers to, stay.
SELECT catalogue.blob_create() AS young, catalogue.blob_create() AS old, catalogue.blob_create() AS used \gset
INSERT INTO catalogue.upload (id, blob, owner, request, resumable)
    VALUES ('u', :used, '@', '{"resource": "files"}', true);
UPDATE catalogue.blob SET used_at = now() - interval '61 s' WHERE id IN (:old, :used);
SELECT catalogue.sweep() AS removed;
SELECT id = :young AS young, id = :used AS used, uses FROM catalogue.blob WHERE digest IS NULL ORDER BY id;

-- What an upload alone led to goes with it at once; bytes that still come to a blob keep it.
DELETE FROM catalogue.upload;
UPDATE catalogue.blob SET used_at = now() - interval '30 s' WHERE id = :young;
SELECT catalogue.blob_append(:young, 0, 'abc') AS size;
UPDATE catalogue.blob SET used_at = used_at - interval '25 s' WHERE id = :young;
SELECT catalogue.sweep() AS removed;
SELECT id = :young AS young FROM catalogue.blob WHERE digest IS NULL;

-- Sealed and no more referred to: kept as long as the history is, a minute at least.
UPDATE catalogue.blob SET used_at = now() - interval '23 hours';
SELECT catalogue.sweep() AS removed;
UPDATE catalogue.blob SET used_at = now() - interval '25 hours' WHERE id = :one;
SELECT catalogue.sweep() AS removed;
SET catalogue.history_retention = 0;
UPDATE catalogue.blob SET used_at = now() - interval '30 s' WHERE id = :two;
SELECT catalogue.sweep() AS removed;
SELECT id = :two AS two FROM catalogue.blob;
RESET catalogue.history_retention;
SELECT count(*) FROM catalogue.blob_chunk WHERE blob NOT IN (SELECT id FROM catalogue.blob);

-- Contents that were replaced go like that.
INSERT INTO catalogue.sheet (file, revision, number, name, replaced_at)
SELECT id_of('files', 'List of airports'), n, 1, '', now() - make_interval(hours => n)
FROM generate_series(20, 30, 5) n;
SELECT catalogue.sweep() AS removed;
SELECT revision FROM catalogue.sheet;

-- The worker sweeps, and touches nothing by itself.
GRANT USAGE ON SCHEMA test TO catalogue_worker, catalogue_shim;
SET ROLE catalogue_worker;
SELECT catalogue.sweep() AS removed;
SELECT code, message FROM refusal('SELECT catalogue.sweep_part()');
SELECT code, message FROM refusal('SELECT FROM catalogue.blob');
RESET ROLE;

-- The shim reads bytes, and writes none but by uploads.
SET ROLE catalogue_shim;
SELECT length(catalogue.blob_bytes(:two, 1)) AS length;
SELECT code FROM refusal('SELECT catalogue.blob_create()');
SELECT code FROM refusal('SELECT catalogue.blob_append(1, 0, ''a'')');
SELECT code FROM refusal('SELECT catalogue.blob_seal(1)');
RESET ROLE;

-- Of what was sealed a sweep takes so much that nobody waits for it long, one at least; of the rest all.
DELETE FROM catalogue.blob;
INSERT INTO catalogue.blob (digest, size, used_at)
SELECT sha256(n::text::bytea), 200000000, now() - make_interval(days => 10 - n)
FROM generate_series(1, 4) n;
INSERT INTO catalogue.blob (size, used_at) SELECT 4000000000, '-infinity' FROM generate_series(1, 3);
SELECT catalogue.sweep() AS removed, catalogue.sweep() AS again, catalogue.sweep() AS last;
