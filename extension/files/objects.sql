-- Blobs in the object store: what is to be moved, and what has been.  The store is known to the programs only.

CREATE FUNCTION catalogue.blob_stored(blob bigint) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.blob_stored(bigint) IS
'Tell whether the bytes of a blob are in the object store
Arguments: blob, its id.
Returns: digest in hexadecimal, a space, size; an empty text where catalogue.blob_bytes() has all bytes, or there is no
such blob.  For catalogue_worker.  Source: Files';

-- Part of catalogue.blob_stored().
CREATE FUNCTION catalogue.blob_stored_part(blob bigint) RETURNS text LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN coalesce((SELECT encode(b.digest, 'hex') || ' ' || b.size FROM catalogue.blob b
                     WHERE b.id = $1 AND b.place = 'store'), '');
END
$$;

-- May a blob be moved to the object store?  An object of S3 has 5 TiB at most, and what is unused is swept
-- soon.  One whose object may still be about to be deleted waits: a DELETE that nobody waits for any more must not hit
-- a newer object.
CREATE FUNCTION catalogue.is_movable(digest bytea, size bigint, uses integer) RETURNS boolean LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN $2 <= 5497558138880 AND $3 > 0
        AND NOT EXISTS (SELECT FROM catalogue.blob_gone g
                        WHERE g.digest = $1 AND g.taken_at > now() - interval '1 hour');
END
$$;

-- Part of catalogue.objects_left().
CREATE FUNCTION catalogue.objects_left_part(inward boolean) RETURNS bigint LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (
        SELECT pg_catalog.count(*) FROM catalogue.blob b
        WHERE b.digest IS NOT NULL AND b.size > 524288
            AND b.place = ANY (CASE WHEN $1 THEN '{both,here}' ELSE '{both,store}' END::text[])
            AND (b.place <> 'here' OR catalogue.is_movable(b.digest, b.size, b.uses)));
END
$$;

CREATE FUNCTION catalogue.objects_left(inward boolean) RETURNS bigint
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.objects_left(boolean) IS
'Count the blobs that are still to be moved
Arguments: inward, to the object store, else back from it.
Returns: their number.  For catalogue_worker.  Source: Files';

-- Return the first blob of a place that is to be moved from there, by the index blob_placed; part of object_next().
CREATE FUNCTION catalogue.first_blob_at(place text, purpose text)
    RETURNS TABLE (task text, blob bigint, digest text, size bigint) LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY
    SELECT $2, b.id, encode(b.digest, 'hex'), b.size FROM catalogue.blob b
    WHERE b.place = $1 AND b.digest IS NOT NULL AND b.size > 524288
        AND (b.fault IS NULL OR b.checked_at < now() - interval '1 hour')
        AND (b.place <> 'here' OR catalogue.is_movable(b.digest, b.size, b.uses))
    ORDER BY b.checked_at NULLS FIRST, b.id LIMIT 1;
END
$$;

-- Return a blob of the object store that was not compared for catalogue.store_check, or a day if something was wrong;
-- part of object_next().
CREATE FUNCTION catalogue.first_blob_due() RETURNS TABLE (task text, blob bigint, digest text, size bigint)
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    often  CONSTANT text := nullif(current_setting('catalogue.store_check'), '-1');
BEGIN
    RETURN QUERY
    SELECT 'check', d.id, encode(d.digest, 'hex'), d.size
    FROM ((SELECT b.id, b.digest, b.size FROM catalogue.blob b
           WHERE b.fault IS NOT NULL AND b.place = 'store' AND b.checked_at < now() - interval '1 day' LIMIT 1)
          UNION ALL
          (SELECT b.id, b.digest, b.size FROM catalogue.blob b
           WHERE b.place = 'store' AND b.digest IS NOT NULL AND b.size > 524288
               AND b.checked_at < now() - often::interval
           ORDER BY b.checked_at, b.id LIMIT 1)) d
    WHERE often IS NOT NULL LIMIT 1;
END
$$;

-- Part of catalogue.object_next().
CREATE FUNCTION catalogue.object_next_part(inward boolean)
    RETURNS TABLE (task text, blob bigint, digest text, size bigint) LANGUAGE plpgsql AS
$$
DECLARE
    gone  bytea;
BEGIN
    UPDATE catalogue.blob_gone g SET taken_at = now()
    WHERE g.digest = (
        SELECT o.digest FROM catalogue.blob_gone o
        WHERE o.gone_at <= now() - current_setting('catalogue.store_retention')::interval
            AND NOT EXISTS (SELECT FROM catalogue.blob b WHERE b.digest = o.digest)
        ORDER BY o.gone_at, o.digest LIMIT 1 FOR UPDATE)
    RETURNING g.digest INTO gone;
    IF FOUND THEN
        RETURN QUERY SELECT 'delete', NULL::bigint, encode(gone, 'hex'), NULL::bigint;
    ELSIF inward THEN
        RETURN QUERY SELECT n.* FROM catalogue.first_blob_at('both', 'check') n;
        IF NOT FOUND THEN
            RETURN QUERY SELECT n.* FROM catalogue.first_blob_at('here', 'put') n;
        END IF;
        IF NOT FOUND THEN
            RETURN QUERY SELECT n.* FROM catalogue.first_blob_due() n;
        END IF;
    ELSE
        RETURN QUERY SELECT n.* FROM catalogue.first_blob_at('both', 'get') n;
        IF NOT FOUND THEN
            RETURN QUERY SELECT n.* FROM catalogue.first_blob_at('store', 'get') n;
        END IF;
    END IF;
END
$$;

CREATE FUNCTION catalogue.object_next(inward boolean)
    RETURNS TABLE (task text, blob bigint, digest text, size bigint)
    LANGUAGE c VOLATILE STRICT ROWS 1 AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.object_next(boolean) IS
'Return what is to be done next in the object store
Arguments: inward, whether bytes are moved to the store, else back from it.
Returns: a row, none where nothing is to be done: task; blob, digest in hexadecimal and size of what it is for. Tasks:
put, the bytes into the store, then object_put(); check, the bytes in the store against the digest, then object_kept();
get, the bytes from the store, by object_back(), then object_returned(), in one transaction; delete, the object, then
object_deleted(). What cannot be done is told by object_failed(), and comes again after an hour. With nothing else to
do, what is in the store is checked again after catalogue.store_check, after a day where it was not right. One worker at
a time calls this, and does the task before it calls again. For catalogue_worker.
Source: Files';

-- Part of catalogue.object_put().
CREATE FUNCTION catalogue.object_put_part(blob bigint, digest text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.blob b SET place = 'both', fault = NULL WHERE b.id = $1 AND b.place = 'here';
    IF NOT FOUND THEN
        -- it was swept meanwhile
        INSERT INTO catalogue.blob_gone (digest)
        SELECT d.digest FROM (SELECT decode($2, 'hex') AS digest) d
        WHERE NOT EXISTS (SELECT FROM catalogue.blob b WHERE b.digest = d.digest)
        ON CONFLICT DO NOTHING;
        RETURN false;
    END IF;
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.object_put(blob bigint, digest text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.object_put(bigint, text) IS
'Tell that the bytes of a blob are in the object store, too
Arguments: blob, its id.  digest of it, in hexadecimal.
Returns: false where there is no such blob any more; the object will be deleted.  For catalogue_worker.  Source: Files';

-- Return the number of the second row that tells the type of a blob.
CREATE FUNCTION catalogue.blob_second_row(blob bigint, size bigint) RETURNS integer
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_blob_second_row';

-- Part of catalogue.object_kept().
CREATE FUNCTION catalogue.object_kept_part(blob bigint) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    total  bigint;
BEGIN
    UPDATE catalogue.blob b SET place = 'store', checked_at = now(), fault = NULL
    WHERE b.id = $1 AND b.place IN ('both', 'store')
    RETURNING b.size INTO total;
    DELETE FROM catalogue.blob_chunk c
    WHERE c.blob = $1 AND total IS NOT NULL AND c.number NOT IN (0, catalogue.blob_second_row($1, total));
    RETURN total IS NOT NULL;
END
$$;

CREATE FUNCTION catalogue.object_kept(blob bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.object_kept(bigint) IS
'Tell that the bytes of a blob in the object store have its digest
Its rows are deleted but the first one, and the one of the directory or the last one, by which the type of a file is
found.
Arguments: blob, its id.
Returns: false where it is not in the store.  For catalogue_worker.  Source: Files';

-- Part of catalogue.object_back().
CREATE FUNCTION catalogue.object_back_part(blob bigint, number integer, bytes bytea) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO catalogue.blob_chunk (blob, number, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;
END
$$;

CREATE FUNCTION catalogue.object_back(blob bigint, number integer, bytes bytea) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.object_back(bigint, integer, bytea) IS
'Store a row of bytes that come back from the object store
Arguments: blob, its id.  number, of the row.  bytes, 262144, of the last row what is left.
For catalogue_worker.  Source: Files';

-- Part of catalogue.object_returned().
CREATE FUNCTION catalogue.object_returned_part(blob bigint) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    moved  bytea;
BEGIN
    UPDATE catalogue.blob b SET place = 'here', checked_at = NULL, fault = NULL
    WHERE b.id = $1 AND b.place IN ('both', 'store')
    RETURNING b.digest INTO moved;
    IF moved IS NULL THEN
        RETURN false;
    ELSIF catalogue.blob_digest($1) <> moved THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = 'the bytes have another digest';
    END IF;
    INSERT INTO catalogue.blob_gone (digest) VALUES (moved)
    ON CONFLICT ON CONSTRAINT blob_gone_pkey DO UPDATE SET gone_at = now(), taken_at = NULL;
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.object_returned(blob bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.object_returned(bigint) IS
'Tell that all bytes of a blob are back from the object store
Arguments: blob, its id.
Returns: false where it is not in the store.
Errors: OD409 its rows have another digest.  For catalogue_worker.  Source: Files';

-- Part of catalogue.object_deleted().
CREATE FUNCTION catalogue.object_deleted_part(digest text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM catalogue.object_orphan o WHERE o.digest = decode($1, 'hex');
    DELETE FROM catalogue.blob_gone g WHERE g.digest = decode($1, 'hex') AND g.taken_at IS NOT NULL;
    RETURN FOUND;
END
$$;

CREATE FUNCTION catalogue.object_deleted(digest text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.object_deleted(text) IS
'Tell that an object is deleted
Arguments: digest, in hexadecimal.
Returns: false where it was not to be deleted.  For catalogue_worker.  Source: Files';

-- Part of catalogue.object_failed().
CREATE FUNCTION catalogue.object_failed_part(blob bigint, reason text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.blob b
    SET place = CASE b.place WHEN 'both' THEN 'here' ELSE b.place END, checked_at = now(), fault = left($2, 500)
    WHERE b.id = $1;
    RETURN FOUND;
END
$$;

CREATE FUNCTION catalogue.object_failed(blob bigint, reason text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.object_failed(bigint, text) IS
'Tell why the bytes of a blob could not be moved
One of which other bytes are in the object store has its rows still, and is put there again.
Arguments: blob, its id.  reason, which catalogue.check_all() tells.
Returns: false where there is no such blob.  For catalogue_worker.  Source: Files';

-- Part of catalogue.objects_listed().
CREATE FUNCTION catalogue.objects_listed_part(keys text[], first boolean) RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
    IF $2 THEN
        DELETE FROM catalogue.object_orphan;
    END IF;
    INSERT INTO catalogue.object_orphan (digest)
    SELECT k.digest FROM (SELECT decode(key, 'hex') AS digest FROM unnest($1) key) k
    WHERE NOT EXISTS (SELECT FROM catalogue.blob b WHERE b.digest = k.digest)
        AND NOT EXISTS (SELECT FROM catalogue.blob_gone g WHERE g.digest = k.digest)
    ON CONFLICT DO NOTHING;
    RETURN (SELECT pg_catalog.count(*) FROM catalogue.object_orphan);
END
$$;

CREATE FUNCTION catalogue.objects_listed(keys text[], first boolean) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.objects_listed(text[], boolean) IS
'Tell which objects are in the object store
Arguments: keys, digests in hexadecimal.  first, whether they are the first ones of a list, else they follow the others.
Returns: the number of objects of the list that belong to no blob; catalogue.check() names them.
For catalogue_worker.  Source: Files';

-- Lock a digest until the end of the transaction, so that no equal blob is sealed meanwhile; part of object_sent().
CREATE FUNCTION catalogue.blob_lock(digest bytea) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_blob_lock';

-- Part of catalogue.object_expected().  A row of blob_gone tells of the object until it has a blob, for longer than any
-- job takes; a DELETE that may be under way must not hit it.
CREATE FUNCTION catalogue.object_expected_part(digest text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO catalogue.blob_gone AS g (digest, gone_at)
    SELECT d.digest, now() + interval '1 day' FROM (SELECT decode($1, 'hex') AS digest) d
    WHERE NOT EXISTS (SELECT FROM catalogue.blob b
                      WHERE b.digest = d.digest AND (b.place <> 'store' OR b.fault IS NULL))
    ON CONFLICT ON CONSTRAINT blob_gone_pkey DO UPDATE SET gone_at = excluded.gone_at, taken_at = NULL
        WHERE g.taken_at IS NULL OR g.taken_at <= now() - interval '1 hour';
    RETURN FOUND;
END
$$;

CREATE FUNCTION catalogue.object_expected(digest text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.object_expected(text) IS
'Tell that bytes without a blob will be put into the object store
Unless object_sent() makes a blob of them, the object is deleted, a day and catalogue.store_retention later.
Arguments: digest, in hexadecimal.
Returns: false where they are not to be put: a blob has them, or an equal object may be about to be deleted.
For catalogue_worker.  Source: Files';

-- Part of catalogue.object_sent().
CREATE FUNCTION catalogue.object_sent_part(digest text, size bigint, first bytea, last bytea) RETURNS bigint
    LANGUAGE plpgsql AS
$$
DECLARE
    key   CONSTANT bytea := decode($1, 'hex');
    made  bigint;
BEGIN
    PERFORM catalogue.blob_lock(key);
    UPDATE catalogue.blob b SET used_at = now() WHERE b.digest = key RETURNING b.id INTO made;
    IF FOUND THEN
        RETURN made;
    END IF;
    DELETE FROM catalogue.blob_gone g WHERE g.digest = key AND g.taken_at IS NULL;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    INSERT INTO catalogue.blob (digest, size, place, checked_at) VALUES (key, $2, 'store', now())
    RETURNING id INTO made;
    INSERT INTO catalogue.blob_chunk (blob, number, bytes) VALUES (made, 0, $3), (made, ($2 - 1) / 262144, $4);
    RETURN made;
END
$$;

CREATE FUNCTION catalogue.object_sent(digest text, size bigint, first bytea, last bytea) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.object_sent(text, bigint, bytea, bytea) IS
'Make a blob of bytes that are in the object store
They have been compared with their digest.  A blob that has them already is used instead.
Arguments: digest, in hexadecimal.  size, more than 524288.  first, last, their first 262144 bytes, and those behind the
last multiple of that, by which the type is found; they are no compound document, such as XLS.
Returns: the id to refer to; 0 where object_expected() was not called, or the object may have been deleted since.
For catalogue_worker.  Source: Files';
