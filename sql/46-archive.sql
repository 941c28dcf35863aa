-- What the worker makes from files: archives of datasets, and files in another format.
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
Source: Files (archive); extension/services/download.c, sql/46-archive.sql';

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
COMMENT ON FUNCTION catalogue.archive_readme(json) IS
    'Return the README of an archive; part of archive_manifest()';

-- The name of a resource has letters of ASCII, digits and dashes, and is unique by its number.
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
                'schema', CASE WHEN f ->> 'table' IS NOT NULL THEN json_build_object('fields', columns) END,
                'encoding', nullif(f #>> '{table,details,encoding}', ''),
                'dialect', CASE WHEN f #>> '{table,details,delimiter}' <> '' THEN
                    json_build_object('delimiter', f #> '{table,details,delimiter}') END) ORDER BY n), '[]')
            FROM json_array_elements($1 -> 'files') WITH ORDINALITY e(f, n), LATERAL (
                SELECT coalesce(json_agg(json_build_object(
                    'name', coalesce(nullif(c ->> 'title', ''), c ->> 'name', ''),
                    'type', CASE WHEN c ->> 'type' IN ('integer', 'boolean', 'date', 'datetime') THEN c ->> 'type'
                        WHEN c ->> 'type' = 'decimal' THEN 'number' ELSE 'string' END,
                    'decimalChar', CASE WHEN c ->> 'decimalComma' = 'true' THEN ',' END,
                    'format', nullif(c ->> 'format', '')) ORDER BY at), '[]') AS columns
                FROM json_array_elements(f #> '{table,columns}') WITH ORDINALITY t(c, at)) t)))
    FROM (SELECT $1 -> 'dataset') dataset(d);
$$;
COMMENT ON FUNCTION catalogue.archive_package(json) IS
    'Return the Data Package of an archive; part of archive_manifest()';

CREATE FUNCTION catalogue.blob_answer(blob bigint, type text, name text) RETURNS text LANGUAGE sql STABLE AS
$$
    SELECT concat('{"blob":', b.id, ',"size":', b.size, ',"sha256":"', encode(b.digest, 'hex'), '"',
        ',"type":' || to_json($2)::text, ',"name":' || to_json($3)::text, ',"held":false}')
    FROM catalogue.blob b WHERE b.id = $1;
$$;
COMMENT ON FUNCTION catalogue.blob_answer(bigint, text, text) IS
'Describe bytes that are sent
Arguments: blob, its number.  type, the media type.  name of the file.  Returns: data of catalogue.download(),
archive() and image().  Source: sql/46-archive.sql';

CREATE FUNCTION catalogue.dated_answer(answer text, changed timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    SELECT format('%s,"modified":%s}', left($1, -1), floor(extract(epoch FROM $2))::bigint);
$$;
COMMENT ON FUNCTION catalogue.dated_answer(text, timestamptz) IS
'Add the time of the last change to the answer for stored bytes
Arguments: answer, of catalogue.blob_answer().  changed, when the bytes have changed.
Returns: the answer, with modified in seconds since 1970.  Source: sql/46-archive.sql';

CREATE FUNCTION catalogue.sent_name(stored text, id text, name text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    SELECT CASE WHEN left(coalesce($1, $2), length($2)) <> $2 OR nullif(bare, '') IS NULL THEN coalesce($1, $2)
           ELSE bare || coalesce(ending, '') END
    FROM (SELECT substring($1 FROM '\.[^.]*$')) e(ending),
        LATERAL (SELECT CASE WHEN lower(right($3, length(ending))) = lower(ending) THEN left($3, -length(ending))
                        ELSE $3 END) w(whole),
        LATERAL (SELECT btrim(regexp_replace(whole,
            '[\u0001-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069"*/:<>?\\|]', '_', 'g'), ' .')) b(bare);
$$;
COMMENT ON FUNCTION catalogue.sent_name(text, text, text) IS
'Return the name that bytes are sent with
Arguments: stored, the name that they are stored under; id and name, of their record.  Returns: the stored name; where
that begins with the id, since nothing of the name could be in it, the name of the record with the extension, "_" for
each character that no file may have or that would show the name as another one.
Source: Files; sql/46-archive.sql';

CREATE FUNCTION catalogue.conversion_answer(file text, revision bigint, form text, type text, name text, sheet integer,
    audience text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    -- what a sheet of the format has at most, NULL for no limit
    most_rows     bigint := CASE form WHEN 'xls' THEN 65535 END;
    most_columns  integer := CASE form WHEN 'xls' THEN 256 END;
    key           text := concat_ws('/', form, sheet);
    large         record;
    made          record;
BEGIN
    SELECT s.name, s.row_count, json_array_length(s.columns) AS width INTO large FROM catalogue.sheet s
    WHERE s.file = $1 AND s.revision = $2 AND (sheet IS NULL OR s.number = sheet)
        AND (s.row_count > most_rows OR json_array_length(s.columns) > most_columns)
    ORDER BY s.number LIMIT 1;
    IF FOUND THEN
        RAISE SQLSTATE 'OD406' USING
            MESSAGE = format('the sheet "%s" has %s rows and %s columns, more than "%s" can have', large.name,
                large.row_count, large.width, form),
            HINT = format('It has at most %s rows and %s columns in each sheet; xlsx, csv and json have room for more.',
                most_rows, most_columns);
    END IF;
    SELECT m.blob, m.reason INTO made FROM catalogue.made_file m
    WHERE m.file = $1 AND m.form = key AND m.revision = $2;
    IF made.reason IS NOT NULL THEN
        RAISE SQLSTATE 'OD406' USING MESSAGE = format('the file cannot be converted to "%s": %s', form, made.reason);
    ELSIF FOUND THEN
        RETURN catalogue.blob_answer(made.blob, type, name);
    END IF;
    RETURN (SELECT format('{"job":"%s","state":"%s","type":"%s"}', j.id, j.state, type)
            FROM catalogue.job_for('convert', 'file', $1,
                jsonb_build_object('file', $1, 'form', key, 'name', name, 'revision', $2), audience) j);
END
$$;
COMMENT ON FUNCTION catalogue.conversion_answer(text, bigint, text, text, text, integer, text) IS
'Describe a file in another format, or the job that makes it
Arguments: file, its id.  revision, its reading.  form, xlsx or xls; type, its media type.  name that it is sent with.
sheet, its number; NULL for all.  audience, as for download_answer().  Errors: OD406 a sheet is too large, or the
conversion has failed.  Source: sql/46-archive.sql';

CREATE FUNCTION catalogue.download_answer(file text, form text, selects boolean, sheet text, audience text)
    RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    f          catalogue.files := (SELECT t FROM catalogue.files t WHERE t.id = $1);
    stored     catalogue.stored_file := (SELECT s FROM catalogue.stored_file s WHERE s.file = $1);
    own_name   text := catalogue.sent_name(f.file_name, f.id, f.name);
    extension  text := coalesce(lower(substring(own_name FROM '^.+\.([A-Za-z0-9]{1,15})$')), '');
    wanted     record;
    name       text;
BEGIN
    IF stored.blob IS NULL AND num_nonnulls(f.rest_service, f.soap_service) > 0 THEN
        RAISE SQLSTATE 'OD409' USING MESSAGE = 'the file''s remote service has not given it yet';
    ELSIF stored.blob IS NULL THEN
        RAISE SQLSTATE 'OD404' USING
            MESSAGE = coalesce('the file is not kept here, but at ' || f.url, 'the file has no bytes');
    ELSIF stored.held THEN
        RAISE SQLSTATE 'OD409' USING MESSAGE = 'the file has not been found clean yet';
    END IF;
    SELECT * INTO wanted FROM (VALUES
        ('csv', 'text/csv', true),
        ('json', 'application/json', true),
        ('ndjson', 'application/x-ndjson', true),
        ('geojson', 'application/geo+json', true),
        ('xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', false),
        ('xls', 'application/vnd.ms-excel', false)) AS v(form, type, streamed) WHERE v.form = lower($2);
    IF $2 IS NULL OR (lower($2) = extension AND NOT (selects AND coalesce(wanted.streamed, false))) THEN
        RETURN catalogue.dated_answer(catalogue.blob_answer(stored.blob, stored.media_type, own_name), f.updated_at);
    ELSIF wanted.form IS NULL OR num_nonnulls(f.parse_state, f.revision) = 0 THEN
        RAISE SQLSTATE 'OD406' USING
            MESSAGE = format('a file of type "%s" cannot be converted to "%s"', extension, coalesce(wanted.form, $2)),
            HINT = 'Rows can be converted to csv, json, ndjson, geojson, xlsx and xls.';
    ELSIF f.revision IS NULL THEN
        RAISE SQLSTATE 'OD409' USING
            MESSAGE = CASE f.parse_state WHEN 'failed' THEN 'the contents of the file could not be read'
                      ELSE 'the contents of the file are still being read' END,
            DETAIL = format('{"parseState":%s,"parseReason":%s}', to_json(f.parse_state),
                coalesce(to_json(f.parse_reason)::text, 'null'));
    END IF;
    name := regexp_replace(own_name, '\.[^.]*$', '') || '.' || wanted.form;
    IF wanted.streamed THEN
        RETURN format('{"stream":"%s","name":%s,"type":"%s","revision":%s}', wanted.form, to_json(name), wanted.type,
            f.revision);
    END IF;
    RETURN catalogue.conversion_answer(f.id, f.revision, wanted.form, wanted.type, name,
        CASE WHEN $4 IS NOT NULL THEN catalogue.sheet_number(f.id, f.revision, $4) END, audience);
END
$$;
COMMENT ON FUNCTION catalogue.download_answer(text, text, boolean, text, text) IS
'Describe what is sent of a file, or the job that makes it
Arguments: file, the id of one that the caller sees.  form, as for catalogue.download().  selects, the request selects
rows: what is written row by row is made of the contents then.  sheet, its name or number; NULL for all.  audience,
outsiders or internal, who sees the job.  Returns: data of catalogue.download(), of which it is a part, with its errors.
Source: sql/46-archive.sql';

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
                'table', (SELECT json_build_object('columns', h.columns, 'details', h.details) FROM catalogue.sheet h
                          WHERE h.file = f.id AND h.revision = f.revision AND h.number = 1
                              AND f.media_type LIKE 'text/%')) ORDER BY f.created_at, f.id), '[]')
            FROM (SELECT f.id, f.name, f.description, f.url, f.created_at, f.revision, s.blob, s.media_type, b.size,
                      encode(b.digest, 'hex') AS sha256, e.name AS entry,
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
and package; NULL where the audience does not see the dataset.  Source: Files (archive); sql/46-archive.sql';

CREATE FUNCTION catalogue.archive_state(contents text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex');
$$;
COMMENT ON FUNCTION catalogue.archive_state(text) IS
    'Return a digest of contents; part of archive_manifest()';

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
COMMENT ON FUNCTION catalogue.archive_manifest_part(text, text) IS
    'Part of catalogue.archive_manifest() (sql/46-archive.sql)';

CREATE FUNCTION catalogue.archive_manifest(dataset text, audience text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.archive_manifest(text, text) IS
'Return the manifest of the archive of a dataset
Arguments: dataset, its id.  audience, outsiders or internal.
Returns: JSON text, {state, readme, package, dataset, time, files}; readme and package describe the archive for people
and programs; each file that was uploaded has a blob, and as entry a name that is safe everywhere and unique in the
archive. state is a digest of dataset, time and files. NULL where the audience does not see the dataset.
Errors: 22023 no such audience.  For catalogue_worker.  Source: Files (archive); sql/46-archive.sql,
extension/pg/security_context.c';

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
COMMENT ON FUNCTION catalogue.archive_queue(text, text) IS
'Have an archive made when its dataset has not changed for ten seconds
Arguments: dataset, its id.  audience, outsiders or internal.  Returns: id of the job.  Each call puts the job off
again, for ten minutes at most, unless somebody has asked for the archive. Part of catalogue.archive_later().
Source: Files (archive); sql/46-archive.sql';

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
COMMENT ON FUNCTION catalogue.archive_now(text, text, text) IS
'Have an archive made at once
Arguments: dataset, its id.  audience, outsiders or internal.  state, which it shall have.  Returns: id of the job; that
of the one that makes it already, where there is one. Part of catalogue.archive().  Source: Files (archive);
sql/46-archive.sql';

CREATE FUNCTION catalogue.archive_later(dataset text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_archive_later';
COMMENT ON FUNCTION catalogue.archive_later(text) IS
'Have the archives of a dataset made again
Arguments: dataset, its id.  When it has not changed for ten seconds and none of its files is to be read, so that many
changes are one archive; an archive for those who do not see the dataset any more is removed. Called by triggers.
Source: Files (archive); extension/services/download.c';

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
COMMENT ON FUNCTION catalogue.archive_store_part(text, text, text, bigint) IS
    'Part of catalogue.archive_store() (sql/46-archive.sql)';

CREATE FUNCTION catalogue.archive_store(dataset text, audience text, state text, blob bigint) RETURNS void
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.archive_store(text, text, text, bigint) IS
'Store an archive
Arguments: dataset, its id.  audience, outsiders or internal.  state, that of the manifest that it was made from.  blob,
its bytes; NULL: there is none any more. For catalogue_worker.  Source: Files (archive); sql/46-archive.sql,
extension/pg/security_context.c';

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
COMMENT ON FUNCTION catalogue.archive_answer(text, text) IS
'Describe the archive of a dataset, or the job that makes it
Arguments: dataset, its id.  audience, outsiders or internal, who sees the dataset.  Returns: data of
catalogue.archive(), of which it is a part.  Source: sql/46-archive.sql';

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
COMMENT ON FUNCTION catalogue.follow_archive() IS
    'Trigger AFTER a change of the sources of archives: have them made again (sql/46-archive.sql)';

CREATE FUNCTION catalogue.convert_sheets_part(file text, revision bigint) RETURNS json LANGUAGE sql AS
$$
    SELECT json_agg(json_build_object('sheet', s.id::text, 'number', s.number, 'name', s.name, 'hidden', s.hidden,
        'columns', s.columns, 'rows', s.row_count,
        'bytes', (SELECT coalesce(sum(octet_length(c.data)), 0) FROM catalogue.sheet_chunk c WHERE c.sheet = s.id))
        ORDER BY s.number)
    FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2;
$$;
COMMENT ON FUNCTION catalogue.convert_sheets_part(text, bigint) IS
    'Part of catalogue.convert_sheets() (sql/46-archive.sql)';

CREATE FUNCTION catalogue.convert_sheets(file text, revision bigint) RETURNS json
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.convert_sheets(text, bigint) IS
'Return the sheets of a reading of a file
Arguments: file, its id.  revision, the reading.
Returns: array of {sheet, number, name, hidden, columns, rows, bytes}; sheet is what catalogue.convert_rows() takes,
bytes the length of its packed rows.  NULL where there are none any more. For catalogue_worker.  Source: Files
(download); sql/46-archive.sql, extension/pg/security_context.c';

CREATE FUNCTION catalogue.convert_rows_part(sheet bigint, first bigint) RETURNS bytea LANGUAGE sql AS
$$
    SELECT c.data FROM catalogue.sheet_chunk c WHERE c.sheet = $1 AND c.first >= $2 ORDER BY c.first LIMIT 1;
$$;
COMMENT ON FUNCTION catalogue.convert_rows_part(bigint, bigint) IS
    'Part of catalogue.convert_rows() (sql/46-archive.sql)';

CREATE FUNCTION catalogue.convert_rows(sheet bigint, first bigint) RETURNS bytea
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.convert_rows(bigint, bigint) IS
'Return some rows of a sheet
Arguments: sheet, of catalogue.convert_sheets().  first, number of the first row that is wanted: 1, then the one behind
the rows that came.
Returns: up to a thousand rows, packed as extension/rows/sheets/chunk.h says; NULL behind the last.
For catalogue_worker.
Source: Files (download); sql/46-archive.sql, extension/pg/security_context.c';

CREATE FUNCTION catalogue.convert_store_part(file text, form text, revision bigint, blob bigint) RETURNS void
    LANGUAGE sql AS
$$
    INSERT INTO catalogue.made_file AS m (file, form, revision, blob) VALUES ($1, $2, $3, $4)
    ON CONFLICT ON CONSTRAINT made_file_pkey
        DO UPDATE SET revision = excluded.revision, blob = excluded.blob, reason = NULL
    WHERE m.revision <= excluded.revision;
$$;
COMMENT ON FUNCTION catalogue.convert_store_part(text, text, bigint, bigint) IS
    'Part of catalogue.convert_store() (sql/46-archive.sql)';

CREATE FUNCTION catalogue.convert_store(file text, form text, revision bigint, blob bigint) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.convert_store(text, text, bigint, bigint) IS
'Store a converted file
Arguments: file, its id.  form, xlsx or xls, with /2 behind it for the second sheet alone.  revision, the reading that
it was made from.  blob, its bytes. For catalogue_worker.  Source: Files (download); sql/46-archive.sql,
extension/pg/security_context.c';

CREATE FUNCTION catalogue.convert_refuse_part(file text, form text, revision bigint, reason text) RETURNS void
    LANGUAGE sql AS
$$
    INSERT INTO catalogue.made_file AS m (file, form, revision, reason) VALUES ($1, $2, $3, $4)
    ON CONFLICT ON CONSTRAINT made_file_pkey
        DO UPDATE SET revision = excluded.revision, blob = NULL, reason = excluded.reason
    WHERE m.revision <= excluded.revision;
$$;
COMMENT ON FUNCTION catalogue.convert_refuse_part(text, text, bigint, text) IS
    'Part of catalogue.convert_refuse() (sql/46-archive.sql)';

CREATE FUNCTION catalogue.convert_refuse(file text, form text, revision bigint, reason text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.convert_refuse(text, text, bigint, text) IS
'Record that a file cannot be converted
Arguments: file, form, revision: as for catalogue.convert_store().  reason, which clients are told. For
catalogue_worker.  Source: Files (download); sql/46-archive.sql, extension/pg/security_context.c';
