-- Blobs, and the count of references to them.

-- Part of catalogue.blob_create().
CREATE FUNCTION catalogue.blob_create_part() RETURNS bigint LANGUAGE sql AS
$$
    INSERT INTO catalogue.blob DEFAULT VALUES RETURNING id;
$$;

CREATE FUNCTION catalogue.blob_create() RETURNS bigint
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.blob_create() IS
'Make a blob, to which bytes can be appended
Returns: its id.  Unless something refers to it, catalogue.sweep() removes it when nothing was appended for a minute.
For catalogue_worker.  Source: Files';

CREATE FUNCTION catalogue.blob_append(blob bigint, "position" bigint, bytes bytea) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_blob_append';
COMMENT ON FUNCTION catalogue.blob_append(bigint, bigint, bytea) IS
'Append bytes to a blob
Arguments: blob, its id.  position, where the bytes belong: the present size, or less, if the stored bytes are the same.
bytes, best 262144 at a time: those of a row.
Returns: the new size.  The commit does not wait for the disk: that of catalogue.blob_seal() does.
Errors: OD409 the position is behind the end, other bytes are stored there, or the blob is sealed; 42704 no such blob.
For catalogue_worker.  Source: Files';

CREATE FUNCTION catalogue.blob_seal(blob bigint) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_blob_seal';
COMMENT ON FUNCTION catalogue.blob_seal(bigint) IS
'Seal a blob, which then has all its bytes
Arguments: blob, its id.
Returns: the id to refer to, which is that of another blob where there is one of the same bytes; the given one is then
swept away.
Errors: 42704 no such blob. For catalogue_worker.  Source: Files';

CREATE FUNCTION catalogue.blob_bytes(blob bigint, number integer) RETURNS bytea
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_blob_bytes';
COMMENT ON FUNCTION catalogue.blob_bytes(bigint, integer) IS
'Return one row of the bytes of a blob
Arguments: blob, its id.  number, of the row: position / 262144.
Returns: 262144 bytes, of the last row what is left; NULL behind the end. For catalogue_shim and catalogue_worker, who
ask first who may see it: catalogue.download().
Errors: OD503 the row is in the object store.  Source: Files';

CREATE FUNCTION catalogue.free_file_name(stem text, extension text, dataset text, file text) RETURNS text
    LANGUAGE plpgsql AS
$$
DECLARE
    longest  CONSTANT integer := 150;
    types    CONSTANT text := (SELECT string_agg(t.name, '|')
                               FROM catalogue.filetypes t
                               WHERE t.name ~ '^[[:alnum:]]+$');
    endings  CONSTANT text := format('(\s*\.(%s))+\s*$', concat_ws('|', $2, types));
    bare     CONSTANT text := coalesce(nullif(catalogue.slug(regexp_replace($1, endings, '', 'i')), ''), $4);
    ending  text := '.' || $2;
    chosen  text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('catalogue.file_name ' || $3, 0));
    FOR number IN 2 .. 2000000000 LOOP
        chosen := left(bare, longest - length(ending)) || ending;
        EXIT WHEN NOT EXISTS (SELECT FROM catalogue.files f
                              WHERE f.dataset = $3 AND lower(f.file_name) = lower(chosen)
                                  AND f.deleted_at IS NULL AND f.id <> $4)
            AND NOT EXISTS (SELECT FROM catalogue.former_name n JOIN catalogue.files f ON f.id = n.id
                            WHERE n.resource = 'files' AND n.column_name = 'file_name' AND n.name = lower(chosen)
                                AND f.deleted_at IS NULL AND f.id <> $4 AND n.given_up_at > now()
                                    - current_setting('catalogue.name_retention')::interval);
        ending := format('-%s.%s', number, $2);
    END LOOP;
    RETURN chosen;
END
$$;
COMMENT ON FUNCTION catalogue.free_file_name(text, text, text, text) IS
'Return a name to store a file under, free in its dataset
Arguments: stem, a name, from which extensions of file types are taken off and of which the slug is made, or the id of
the file where that is empty; a number follows it where the name is taken, or was given up by another file not longer
ago than catalogue.name_retention.  extension, of the name that is returned.
dataset, file, their ids; the file may have the name already.
Returns: the name, of 150 characters at most, which nobody else takes before the end of the transaction.
Source: Files';

-- Trigger: count the rows that refer to a blob.
CREATE FUNCTION catalogue.count_uses() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    IF TG_OP <> 'INSERT' AND (TG_OP = 'DELETE' OR OLD.blob IS DISTINCT FROM NEW.blob) THEN
        -- bytes of an unfinished upload can be removed at once; files that were made from others can be made again, and
        -- are kept for clients that are about to download them
        UPDATE catalogue.blob b SET uses = b.uses - 1,
            used_at = CASE WHEN b.digest IS NULL THEN '-infinity'
                WHEN TG_TABLE_NAME IN ('archive', 'made_file', 'made_picture')
                    THEN catalogue.history_horizon() + interval '10 min'
                ELSE now() END
        WHERE b.id = OLD.blob;
    END IF;
    IF TG_OP <> 'DELETE' AND (TG_OP = 'INSERT' OR OLD.blob IS DISTINCT FROM NEW.blob) THEN
        UPDATE catalogue.blob b SET uses = b.uses + 1, used_at = now() WHERE b.id = NEW.blob;
    END IF;
    RETURN NULL;
END
$$;

-- Remove expired uploads; part of catalogue.sweep().
CREATE FUNCTION catalogue.sweep_uploads() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    retention  interval := current_setting('catalogue.upload_retention')::interval;
    removed    bigint;
BEGIN
    DELETE FROM catalogue.upload u WHERE u.id IN (
        SELECT o.id FROM catalogue.upload o
        WHERE o.moved_at < now() - CASE WHEN o.resumable THEN retention ELSE interval '60 s' END
            FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM catalogue.finished_upload f WHERE f.finished_at < now() - interval '1 hour';
    RETURN removed;
END
$$;

-- Remove unreferenced blobs; part of catalogue.sweep().
CREATE FUNCTION catalogue.sweep_blobs() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    sealed   timestamptz := least(catalogue.history_horizon(), now() - interval '60 s');
    removed  bigint;
BEGIN
    -- a concurrent upload of equal bytes waits for this transaction, so few sealed blobs are removed at a time
    WITH gone AS (
        DELETE FROM catalogue.blob b WHERE b.id IN (
            SELECT o.id FROM catalogue.blob o JOIN (
                    SELECT c.id,
                           sum(CASE WHEN c.digest IS NULL THEN 0 ELSE c.size END) OVER (ORDER BY c.digest IS NOT NULL,
                               c.used_at, c.id) - c.size AS before
                    FROM catalogue.blob c
                    WHERE c.uses = 0
                        AND c.used_at < CASE WHEN c.digest IS NULL THEN now() - interval '60 s' ELSE sealed END
                    ORDER BY c.digest IS NOT NULL, c.used_at, c.id LIMIT 100) p ON p.id = o.id
            WHERE p.before < 256 * 1024 * 1024 AND o.uses = 0
                AND o.used_at < CASE WHEN o.digest IS NULL THEN now() - interval '60 s' ELSE sealed END
            FOR UPDATE OF o SKIP LOCKED)
        RETURNING b.digest, b.place
    ), marked AS (
        INSERT INTO catalogue.blob_gone (digest) SELECT g.digest FROM gone g WHERE g.place <> 'here'
        ON CONFLICT ON CONSTRAINT blob_gone_pkey DO UPDATE SET gone_at = now(), taken_at = NULL
    )
    SELECT count(*) INTO removed FROM gone;
    RETURN removed;
END
$$;

-- Add up counted downloads; part of catalogue.sweep().  Earlier days have one row each already.
CREATE FUNCTION catalogue.sweep_downloads() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    WITH several AS (
        SELECT c.dataset, c.file, c.day FROM catalogue.download_count c
        WHERE c.day >= (now() AT TIME ZONE 'UTC')::date - 1 GROUP BY 1, 2, 3 HAVING count(*) > 1
    ), gone AS (
        DELETE FROM catalogue.download_count c USING several s
        WHERE c.dataset = s.dataset AND c.file IS NOT DISTINCT FROM s.file AND c.day = s.day RETURNING c.*)
    INSERT INTO catalogue.download_count SELECT g.dataset, g.file, g.day, sum(g.count) FROM gone g GROUP BY 1, 2, 3;
END
$$;

CREATE FUNCTION catalogue.blob_digest(blob bigint) RETURNS bytea
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_blob_digest';
COMMENT ON FUNCTION catalogue.blob_digest(bigint) IS
'Compute the digest of the bytes of a blob
Arguments: blob, its id.  Returns: SHA-256 of what is stored, to be compared with catalogue.blob.digest; it reads all of
it.
Source: Files';
