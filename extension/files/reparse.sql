-- Readings anew: files whose rows are of earlier readers are read again, one after the other, by jobs of kind reparse;
-- those that no earlier reader could read are read once, by jobs of kind parse.

-- Return what is made of the rows of a file, as digests by the paths of charts and maps; part of contents_reparse().
CREATE FUNCTION catalogue.visual_digests(file text) RETURNS jsonb LANGUAGE sql VOLATILE AS
$$
    SELECT coalesce(jsonb_object_agg(v.path, md5(v.made)), '{}')
    FROM (SELECT 'charts/' || c.id, c.data::text FROM catalogue.charts c WHERE c.file = $1 AND c.deleted_at IS NULL
          UNION ALL
          SELECT 'maps/' || m.id, m.geojson::text FROM catalogue.maps m WHERE m.file = $1 AND m.deleted_at IS NULL
         ) v(path, made);
$$;

-- Tell whether two readings of a file have found the same; part of contents_reparse().
CREATE FUNCTION catalogue.is_same_reading(file text, former bigint, later bigint) RETURNS boolean
    LANGUAGE sql STABLE AS
$$
    WITH pair AS (
        SELECT f.id AS former, l.id AS later, f.row_count AS rows, json_array_length(f.columns) AS columns,
            (f.name, f.hidden, f.row_count, f.bad_rows, f.columns::text, f.details::text) IS NOT DISTINCT FROM
            (l.name, l.hidden, l.row_count, l.bad_rows, l.columns::text, l.details::text) AS same
        FROM (SELECT * FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2) f
            FULL JOIN (SELECT * FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $3) l USING (number))
    SELECT CASE WHEN NOT coalesce(bool_and(p.same), true) THEN false
        ELSE coalesce(bool_and(CASE WHEN p.same THEN
                catalogue.is_same_sheet(p.former, p.later, p.rows, p.columns) END), true)
            AND NOT EXISTS (
                SELECT FROM (SELECT p.later, i.number, i.line, i.reason
                             FROM pair p JOIN catalogue.sheet_issue i ON i.sheet = p.former) f
                    FULL JOIN (SELECT i.* FROM pair p JOIN catalogue.sheet_issue i ON i.sheet = p.later) l
                        ON l.sheet = f.later AND l.number = f.number
                WHERE (f.line, f.reason) IS DISTINCT FROM (l.line, l.reason)) END
    FROM pair p;
$$;

-- Part of catalogue.contents_reparse().
CREATE FUNCTION catalogue.contents_reparse_part(file text, revision bigint, blob bigint, reader integer) RETURNS text
    LANGUAGE plpgsql AS
$$
DECLARE
    former   CONSTANT bigint := catalogue.locked_revision($1);
    digests  CONSTANT jsonb := catalogue.visual_digests($1);
    found    CONSTANT boolean := $2 IS NOT NULL AND NOT catalogue.is_same_reading($1, former, $2);
BEGIN
    IF found THEN
        PERFORM catalogue.contents_publish_part($1, $2, $3, $4);
    ELSE
        DELETE FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2;
        -- what is made of the same rows may be other than it was
        PERFORM catalogue.make_derived($1);
    END IF;
    UPDATE catalogue.sheet s SET tried = $4, reader = CASE WHEN $2 IS NULL THEN s.reader ELSE $4 END
    WHERE s.file = $1 AND s.replaced_at IS NULL;
    -- the next answer of a remote service is read, even if it is the same
    UPDATE catalogue.fetched a SET service = NULL WHERE a.file = $1 AND $2 IS NULL;
    RETURN coalesce((SELECT string_agg(n.path, ', ' ORDER BY n.path)
                     FROM jsonb_each_text(catalogue.visual_digests($1)) n(path, digest)
                     WHERE n.digest IS DISTINCT FROM digests ->> n.path), '');
END
$$;

CREATE FUNCTION catalogue.contents_reparse(file text, revision bigint, blob bigint, reader integer) RETURNS text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_reparse(text, bigint, bigint, integer) IS
'Publish a reading anew of the bytes that a file has had
If it has found what the former one has, the file stays as it is, and the reading is gone.  Charts and maps of the file
are made again; one that gets other values is changed, and logged, by the service.
Arguments: file, revision, blob, reader: as for catalogue.contents_publish(); revision NULL where the bytes cannot be
read anew.  The answer of a remote service then is with its next fetch.
Returns: the paths of charts and maps that have other values, separated by commas; empty: none.
Source: Files and their contents';

-- Tell whether stored bytes are a geographic file whose rows are read; part of read_geography().
CREATE FUNCTION catalogue.is_geography_read(file_name text, blob bigint, size bigint) RETURNS boolean
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_is_geography_read';

-- Queue the reading of geographic files that no version before could read, once; part of catalogue.reparse().
CREATE FUNCTION catalogue.read_geography(reader integer) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    next  record;
BEGIN
    INSERT INTO catalogue.unread_check (reader) VALUES ($1) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    FOR next IN
        SELECT f.id, s.blob
        FROM catalogue.files f JOIN catalogue.stored_file s ON s.file = f.id JOIN catalogue.blob b ON b.id = s.blob
        WHERE f.parse_state IS NULL AND f.deleted_at IS NULL AND NOT s.held
            AND catalogue.is_geography_read(f.file_name, s.blob, b.size)
    LOOP
        PERFORM catalogue.set_parse_state(next.id, next.blob, 'pending', NULL);
        PERFORM catalogue.read_anew_part(next.id);
    END LOOP;
END
$$;

-- Part of catalogue.reparse().
CREATE FUNCTION catalogue.reparse_part(reader integer) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    next  record;
    made  text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('catalogue.reparse', 0)) THEN
        RETURN false;
    END IF;
    PERFORM catalogue.read_geography($1);
    IF EXISTS (SELECT FROM catalogue.job_queue q WHERE q.kind = 'reparse') THEN
        RETURN false;
    END IF;
    SELECT f.id, f.file_name, b.id AS blob, b.size INTO next
    FROM catalogue.sheet t JOIN catalogue.files f ON f.id = t.file AND f.revision = t.revision
        LEFT JOIN (catalogue.stored_file s JOIN catalogue.blob b ON b.id = s.blob)
            ON s.file = f.id AND NOT s.held AND f.parse_state = 'ready'
            AND NOT EXISTS (SELECT FROM catalogue.fetched a WHERE a.file = f.id AND a.blob = s.blob)
    WHERE t.replaced_at IS NULL AND t.reader < $1 AND t.tried < $1
        AND f.deleted_at IS NULL AND f.parse_state IS DISTINCT FROM 'pending'
    ORDER BY t.reader, t.tried, t.id LIMIT 1;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    made := catalogue.enqueue_part('reparse', 'file', next.id, jsonb_strip_nulls(jsonb_build_object('file', next.id,
        'blob', next.blob, 'size', next.size, 'extension', lower(substring(next.file_name FROM '[^.]*$')),
        'name', next.file_name, 'reader', $1)), 'internal', next.size);
    -- behind what is queued within a day, and out of the order of its dataset
    UPDATE catalogue.job_queue q SET crowd = NULL, turn = now() + interval '1 day' WHERE q.job = made;
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.reparse(reader integer) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.reparse(integer) IS
'Have the next file read anew that earlier readers have read
One file at a time, behind all other jobs; the end of its job queues the next one.  A file that cannot be read anew
keeps the contents and the state that it has, and waits for the next version.
Arguments: reader, the version of the readers of the worker that calls.
Returns: whether a job was queued; false where one is there, or nothing is to be read anew.
Source: Files';

-- End a reading anew, and queue the next one; part of catalogue.end_job().
CREATE FUNCTION catalogue.end_reparse(details jsonb, state text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.sheet s SET tried = ($1 ->> 'reader')::integer
    WHERE s.file = $1 ->> 'file' AND s.replaced_at IS NULL AND $2 <> 'done';
    PERFORM catalogue.reparse_part(($1 ->> 'reader')::integer);
END
$$;
