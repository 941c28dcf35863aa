-- Archives of datasets, which the worker makes.

CREATE FUNCTION catalogue.archive(dataset text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_archive';
COMMENT ON FUNCTION catalogue.archive(text, jsonb) IS
'Return the archive of a dataset
It is a zip file of all files that the caller sees.
Arguments: dataset, its id or slug.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who
is trusted.
Returns: id of the dataset; data is {blob, size, sha256, type, name, held}, and blob_bytes() gives the bytes; or {job,
state, type} where it has to be made first, which has then been queued. The archive is never older than what the caller
sees now, and never contains what the caller cannot see.
Errors: OD404 no such dataset; OD401; OD403 the consumer''s key is not for datasets and files.
Source: Files (archive)';

-- Return the README of an archive; part of archive_manifest().
CREATE FUNCTION catalogue.archive_readme(manifest json) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    SELECT concat(d ->> 'name', E'\n\n', nullif(d ->> 'description', '') || E'\n\n',
        nullif(d ->> 'notes', '') || E'\n\n',
        (SELECT 'Categories: ' || string_agg(c, ', ') || E'\n' FROM json_array_elements_text(d -> 'categories') c),
        (SELECT 'Tags: ' || string_agg(t, ', ') || E'\n' FROM json_array_elements_text(d -> 'tags') t), E'\nFiles\n',
        (SELECT string_agg(concat(E'\n', coalesce(f ->> 'entry', f ->> 'url'), E'\n  ', f ->> 'name', E'\n',
                 '  ' || nullif(f ->> 'description', '') || E'\n',
                 CASE WHEN f ->> 'entry' IS NULL THEN E'  not in this archive: it is kept elsewhere\n'
                 ELSE concat('  ', f ->> 'size', ' bytes', ', SHA-256 ' || (f ->> 'sha256'), E'\n') END), '' ORDER BY n)
         FROM json_array_elements($1 -> 'files') WITH ORDINALITY e(f, n)))
    FROM (SELECT $1 -> 'dataset') dataset(d);
$$;

-- Return the Data Package of an archive; part of archive_manifest().  The name of a resource has letters of ASCII,
-- digits and dashes, and is unique by its number.
CREATE FUNCTION catalogue.archive_package(manifest json) RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT json_strip_nulls(json_build_object('profile', 'data-package', 'name', d -> 'slug', 'id', d -> 'id',
        'title', d -> 'name', 'description', nullif(d ->> 'description', ''), 'keywords', d -> 'tags', 'resources', (
            SELECT coalesce(json_agg(json_build_object(
                'name', coalesce(nullif(rtrim(left(ltrim(regexp_replace(lower(
                    coalesce(f ->> 'entry', f ->> 'name') COLLATE "C"), '[^a-z0-9]+', '-', 'g'), '-'), 120), '-'), '')
                    || '-', 'file-') || n,
                'path', coalesce(f ->> 'entry', f ->> 'url'), 'title', nullif(f ->> 'name', ''),
                'description', nullif(f ->> 'description', ''), 'mediatype', nullif(f ->> 'mediaType', ''),
                'bytes', CASE WHEN f ->> 'entry' <> '' THEN f -> 'size' END,
                'hash', CASE WHEN f ->> 'entry' <> '' THEN 'sha256:' || (f ->> 'sha256') END,
                'profile', CASE WHEN f ->> 'table' IS NOT NULL THEN 'tabular-data-resource' END,
                'schema', CASE WHEN f ->> 'table' IS NOT NULL THEN json_build_object('fields', columns,
                    -- an empty text alone is the default
                    'missingValues', nullif(missing::text, '[""]')::json) END,
                'encoding', nullif(f #>> '{table,details,encoding}', ''),
                'dialect', CASE WHEN f #>> '{table,details,delimiter}' <> '' THEN
                    json_build_object('delimiter', f #> '{table,details,delimiter}') END) ORDER BY n), '[]')
            FROM json_array_elements($1 -> 'files') WITH ORDINALITY e(f, n), LATERAL (
                SELECT coalesce(json_agg(json_build_object(
                    'name', coalesce(nullif(c ->> 'title', ''), c ->> 'name', ''),
                    'type', k.type, 'decimalChar', CASE WHEN c ->> 'decimalComma' = 'true' THEN ',' END,
                    'groupChar', c -> 'thousands', 'bareNumber', CASE WHEN c ->> 'unit' <> '' THEN false END,
                    'format', k.format, 'title', o.said -> (c ->> 'name') -> 'label',
                    'description', o.said -> (c ->> 'name') -> 'description',
                    'unit', o.said -> (c ->> 'name') -> 'unit') ORDER BY at), '[]') AS columns
                -- it is read once, not for each column
                FROM (SELECT (f #> '{table,said}')::jsonb OFFSET 0) o(said),
                    json_array_elements(f #> '{table,columns}') WITH ORDINALITY t(c, at),
                    catalogue.schema_type(c) k) t,
            LATERAL (SELECT json_agg(m.mark ORDER BY m.mark COLLATE "C") AS missing
                FROM (SELECT '' AS mark UNION SELECT json_object_keys(c -> 'marks')
                      FROM json_array_elements(f #> '{table,columns}') c) m) m)))
    FROM (SELECT $1 -> 'dataset') dataset(d);
$$;

-- Names of the records t that a dataset is linked to are read for each relation; a text file with a table includes its
-- columns.  The name of a file in the archive is safe on every platform: it consists of few characters, does not begin
-- with a dot, and is neither a device name nor equal to another entry, ignoring case.
CREATE FUNCTION catalogue.archive_contents(dataset text, audience text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    IF NOT catalogue.seen_by($2, 'datasets', $1) THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT json_build_object('dataset', json_build_object('id', d.id, 'name', d.name, 'slug', d.slug,
            'categories', (SELECT coalesce(json_agg(t.name ORDER BY l.position, t.id), '[]')
                           FROM catalogue.datasets_categories l JOIN catalogue.categories t ON t.id = l.category
                           WHERE l.dataset = d.id AND l.deleted_at IS NULL
                               AND catalogue.seen_by($2, 'categories', t.id)),
            'tags', (SELECT coalesce(json_agg(t.name ORDER BY l.position, t.id), '[]')
                     FROM catalogue.datasets_tags l JOIN catalogue.tags t ON t.id = l.tag
                     WHERE l.dataset = d.id AND l.deleted_at IS NULL AND catalogue.seen_by($2, 'tags', t.id)),
            'description', d.description, 'notes', d.notes),
        'time', extract(epoch FROM d.updated_at)::bigint,
        'files', (SELECT coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'description', f.description,
                'url', f.url, 'entry', CASE WHEN f.blob IS NOT NULL THEN
                    CASE WHEN f.taken THEN f.id || '-' || f.entry ELSE f.entry END END,
                'blob', f.blob::text, 'size', f.size, 'sha256', f.sha256, 'mediaType', f.media_type,
                'table', (SELECT concat('{"columns":', h.columns, ',"details":', coalesce(h.details::text, 'null'),
                              ',"said":' || nullif(catalogue.columns_said(f.optionals)::text, '{}'), '}')::json
                          FROM catalogue.sheet h
                          WHERE h.file = f.id AND h.revision = f.revision AND h.number = 1
                              AND f.media_type LIKE 'text/%')) ORDER BY f.created_at, f.id), '[]')
            FROM (SELECT f.id, f.name, f.description, f.url, f.created_at, f.revision, f.optionals, s.blob,
                      s.media_type, b.size, encode(b.digest, 'hex') AS sha256, e.name AS entry,
                      e.name ~* '^(readme\.txt|datapackage\.json|(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?)$'
                          OR row_number() OVER (PARTITION BY lower(e.name) ORDER BY f.created_at, f.id) > 1 AS taken
                  FROM catalogue.files f
                      LEFT JOIN catalogue.stored_file s ON s.file = f.id
                      LEFT JOIN catalogue.blob b ON b.id = s.blob
                      CROSS JOIN LATERAL (SELECT coalesce(nullif(ltrim(regexp_replace(f.file_name,
                          '[^A-Za-z0-9._~-]+', '-', 'g'), '.-~'), ''), f.id) AS name) e
                  WHERE f.dataset = d.id AND s.held IS NOT TRUE AND (s.file IS NOT NULL OR f.url <> '')
                      AND catalogue.seen_by($2, 'files', f.id)) f))::text
        FROM catalogue.datasets d WHERE d.id = $1);
END
$$;
COMMENT ON FUNCTION catalogue.archive_contents(text, text) IS
'Return what the archive of a dataset consists of
Arguments: dataset, its id.  audience, outsiders or internal.  Returns: JSON text, the manifest without state, readme
and package; NULL where the audience does not see the dataset.  Source: Files (archive)';

-- Return a digest of contents; part of archive_manifest().
CREATE FUNCTION catalogue.archive_state(contents text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex');
$$;

-- Part of catalogue.archive_manifest().
CREATE FUNCTION catalogue.archive_manifest_part(dataset text, audience text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    contents  text;
BEGIN
    IF audience NOT IN ('outsiders', 'internal') THEN
        RAISE invalid_parameter_value USING MESSAGE = format('audience "%s" does not exist', audience),
            HINT = 'It takes outsiders or internal.';
    END IF;
    contents := catalogue.archive_contents($1, $2);
    RETURN '{"state":"' || catalogue.archive_state(contents) || '","readme":'
        || to_json(catalogue.archive_readme(contents::json)) || ',"package":'
        || catalogue.archive_package(contents::json) || ',' || substr(contents, 2);
END
$$;

CREATE FUNCTION catalogue.archive_manifest(dataset text, audience text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.archive_manifest(text, text) IS
'Return the manifest of the archive of a dataset
Arguments: dataset, its id.  audience, outsiders or internal.
Returns: JSON text, {state, readme, package, dataset, time, files}; readme and package describe the archive for people
and programs; each file that was uploaded has a blob, and as entry a name that is safe everywhere and unique in the
archive. state is a digest of dataset, time and files. NULL where the audience does not see the dataset.
Errors: 22023 no such audience.  For catalogue_worker.  Source: Files (archive)';

-- Have an archive made when its dataset has not changed for ten seconds.  Arguments: dataset, its id.  audience,
-- outsiders or internal.  Returns: id of the job.  Each call puts the job off again, for ten minutes at most, unless
-- somebody has asked for the archive. Part of catalogue.archive_later(). Source: Files (archive).
CREATE FUNCTION catalogue.archive_queue(dataset text, audience text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    made   text;
    quiet  CONSTANT timestamptz := clock_timestamp() + interval '10 s';
BEGIN
    SELECT q.job INTO made FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
    WHERE q.kind = 'archive' AND q.worker IS NULL AND q.attempts = 0 AND j.resource = $1 AND j.audience = $2;
    IF NOT FOUND THEN
        made := catalogue.enqueue('archive', 'dataset', $1, jsonb_build_object('dataset', $1, 'audience', $2), $2,
            NULL);
    END IF;
    -- a locked row is being postponed by a concurrent change; an archive that was requested remains due
    UPDATE catalogue.job_queue q SET due_at = least(quiet, q.turn) WHERE q.job = (
        SELECT o.job FROM catalogue.job_queue o
        WHERE o.job = made AND o.worker IS NULL AND o.attempts = 0 AND o.priority = 3
            AND o.due_at < least(quiet - interval '1 s', o.turn) FOR UPDATE SKIP LOCKED);
    RETURN made;
END
$$;

-- Have an archive made at once.  Arguments: dataset, its id.  audience, outsiders or internal.  state, which it shall
-- have.  Returns: id of the job; that of the one that makes it already, where there is one. Part of
-- catalogue.archive().  Source: Files (archive).
CREATE FUNCTION catalogue.archive_now(dataset text, audience text, state text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    made  text;
BEGIN
    SELECT q.job INTO made FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
    WHERE q.kind = 'archive' AND j.resource = $1 AND j.audience = $2 AND q.details ->> 'state' = $3;
    IF FOUND THEN
        RETURN made;
    END IF;
    made := catalogue.enqueue('archive', 'dataset', $1, jsonb_build_object('dataset', $1, 'audience', $2, 'state', $3),
        $2, NULL);
    UPDATE catalogue.job_queue q
    SET due_at = now()
    WHERE q.job = made AND q.worker IS NULL AND q.attempts = 0 AND q.due_at > now();
    IF FOUND THEN
        PERFORM pg_notify('catalogue_jobs', 'archive');
    END IF;
    RETURN made;
END
$$;

CREATE FUNCTION catalogue.archive_later(dataset text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_archive_later';
COMMENT ON FUNCTION catalogue.archive_later(text) IS
'Have the archives of a dataset made again
Arguments: dataset, its id.  When it has not changed for ten seconds and none of its files is to be read, so that many
changes are one archive; an archive for those who do not see the dataset any more is removed. Called by triggers.
Source: Files (archive)';

-- Part of catalogue.archive_store().
CREATE FUNCTION catalogue.archive_store_part(dataset text, audience text, state text, blob bigint) RETURNS void
    LANGUAGE plpgsql AS
$$
BEGIN
    IF $4 IS NULL THEN
        DELETE FROM catalogue.archive a WHERE a.dataset = $1 AND a.audience = $2;
    ELSE
        INSERT INTO catalogue.archive AS a (dataset, audience, state, blob) VALUES ($1, $2, $3, $4)
        ON CONFLICT ON CONSTRAINT archive_pkey
            DO UPDATE SET state = excluded.state, blob = excluded.blob, made_at = now();
    END IF;
END
$$;

CREATE FUNCTION catalogue.archive_store(dataset text, audience text, state text, blob bigint) RETURNS void
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.archive_store(text, text, text, bigint) IS
'Store an archive
Arguments: dataset, its id.  audience, outsiders or internal.  state, that of the manifest that it was made from.  blob,
its bytes; NULL: there is none any more. For catalogue_worker.  Source: Files (archive)';

-- Describe the archive of a dataset, or the job that makes it.  Arguments: dataset, its id.  audience, outsiders or
-- internal, who sees the dataset.  Returns: data of catalogue.archive(), of which it is a part.
CREATE FUNCTION catalogue.archive_answer(dataset text, audience text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    zip     CONSTANT text := 'application/zip';
    wanted  CONSTANT text := catalogue.archive_state(catalogue.archive_contents($1, $2));
    answer  text;
    made    text;
BEGIN
    SELECT catalogue.dated_answer(catalogue.blob_answer(a.blob, zip,
        catalogue.sent_name(coalesce(d.slug, d.id) || '.zip', d.id, d.name)), a.made_at)
    INTO answer
    FROM catalogue.archive a JOIN catalogue.datasets d ON d.id = a.dataset
    WHERE a.dataset = $1 AND a.audience = $2 AND a.state = wanted;
    IF NOT FOUND THEN
        made := catalogue.archive_now($1, $2, wanted);
        SELECT format('{"job":"%s","state":"%s","type":"%s"}', j.id, j.state, zip) INTO STRICT answer
        FROM catalogue.jobs j WHERE j.id = made;
    END IF;
    RETURN answer;
END
$$;

-- Trigger AFTER a change of the sources of archives: have them made again.
CREATE FUNCTION catalogue.follow_archive() RETURNS trigger LANGUAGE plpgsql AS
$$
DECLARE
    changed  text[];
    dataset  text;
BEGIN
    IF TG_TABLE_NAME = 'stored_file' THEN
        SELECT array_agg(f.dataset) INTO changed
        FROM catalogue.files f
        WHERE f.id = CASE TG_OP WHEN 'DELETE' THEN OLD.file ELSE NEW.file END;
    ELSIF TG_TABLE_NAME = 'files' THEN
        changed := ARRAY[OLD.dataset, NEW.dataset];
    ELSE
        SELECT array_agg(a.dataset) INTO changed FROM catalogue.archive a WHERE a.dataset = NEW.id;
    END IF;
    FOR dataset IN SELECT DISTINCT c FROM unnest(changed) c LOOP
        PERFORM catalogue.archive_later(dataset);
    END LOOP;
    RETURN NULL;
END
$$;
