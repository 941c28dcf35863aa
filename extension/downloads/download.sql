-- Downloads: what is sent of a file, how often it was, and files that the worker converts.
-- Decisions: docs/explanation/decisions.md#extensiondownloads

CREATE FUNCTION catalogue.download(file text, form text DEFAULT NULL, query text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_download';
COMMENT ON FUNCTION catalogue.download(text, text, text, jsonb) IS
'Return what is sent when a file is downloaded
Arguments: file, its id, slug or stored name; of several the one that was created first.  form, csv, json, ndjson,
geojson, xlsx, xls, kml, gpkg, shp (a zip file), or what the file itself is; NULL for the file as it came. query, of the
request, for what is made from the contents: as for catalogue.contents_export(). A workbook of all rows has all sheets,
or the one that sheet names; one of selected rows has these; geographic files have the rows with a place of one sheet. A
query makes csv, json, ndjson, geojson, geographic files and, where it selects rows, workbooks from the contents where
the file itself is of that format, too.
actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is trusted.
Returns: data is an object, one of: blob (for catalogue.blob_bytes()), size, sha256, type, name; stream (form for
catalogue.contents_export()), name, type, revision; job, state and type, where the worker has to make it first.
Errors: OD404 no such file, or none whose bytes are here; OD406 it cannot be given in that form; OD409 it was not found
clean yet, its remote service has not given it yet, or its contents are not read, with parseState and parseReason as
JSON in the detail; OD422 a parameter''s value; OD429 too many workbooks of selected rows are to be made, with the
seconds to wait as JSON in the detail.
Source: Additional endpoints (download)';

CREATE FUNCTION catalogue.count_download(file text, dataset text DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_count_download';
COMMENT ON FUNCTION catalogue.count_download(text, text) IS
'Count a download
Arguments: file, the id of the one that was downloaded, NULL for the archive of a dataset.  dataset, its id; NULL for
that of the file.
Returns: nothing in it.  Source: Files';

CREATE FUNCTION catalogue.image(category text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_image';
COMMENT ON FUNCTION catalogue.image(text, jsonb) IS
'Return the image of a category
Arguments: category, its id.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is
trusted.
Returns: data is an object: blob (for catalogue.blob_bytes()), size, sha256, type, name.
Errors: OD404 no such category, or it has no image.
Source: Additional endpoints (image)';

CREATE FUNCTION catalogue.logo(organization text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_logo';
COMMENT ON FUNCTION catalogue.logo(text, jsonb) IS
'Return the image of an organization
Arguments: organization, its id.  actor, as for catalogue.image().
Returns: data is an object as that of catalogue.image().
Errors: OD404 no such organization, or it has no image.';

CREATE FUNCTION catalogue.category_downloads(actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_category_downloads';
COMMENT ON FUNCTION catalogue.category_downloads(jsonb) IS
'Count the downloads of each category
Arguments: actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is trusted.
Returns: data is an object: total, of all datasets that the actor sees, and for the id of each category how many of them
were its own.
Source: Additional endpoints (metrics/categories)';

CREATE FUNCTION catalogue.blob_answer(blob bigint, type text, name text) RETURNS text LANGUAGE sql STABLE AS
$$
    SELECT concat('{"blob":', b.id, ',"size":', b.size, ',"sha256":"', encode(b.digest, 'hex'), '"',
        ',"type":' || to_json($2)::text, ',"name":' || to_json($3)::text, ',"held":false',
        CASE b.place WHEN 'store' THEN ',"stored":true' END, '}')
    FROM catalogue.blob b WHERE b.id = $1;
$$;
COMMENT ON FUNCTION catalogue.blob_answer(bigint, text, text) IS
'Describe bytes that are sent
Arguments: blob, its number.  type, the media type.  name of the file.  Returns: data of catalogue.download(),
archive() and image(); with stored, true, where the bytes are in the object store.';

CREATE FUNCTION catalogue.dated_answer(answer text, changed timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    SELECT format('%s,"modified":%s}', left($1, -1), floor(extract(epoch FROM $2))::bigint);
$$;
COMMENT ON FUNCTION catalogue.dated_answer(text, timestamptz) IS
'Add the time of the last change to the answer for stored bytes
Arguments: answer, of catalogue.blob_answer().  changed, when the bytes have changed.
Returns: the answer, with modified in seconds since 1970.';

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
Source: Files';

-- List the formats that rows of files are downloaded in (extension/files/download_formats.h).
-- Returns: form; type, its media type; ending of the name; streamed, whether it is written while it is sent, else a job
-- makes it; most_rows and most_columns of a sheet, null for no limit.
CREATE FUNCTION catalogue.download_formats() RETURNS TABLE (form text, type text, ending text, streamed boolean,
    most_rows integer, most_columns integer)
    LANGUAGE c IMMUTABLE ROWS 9 AS 'MODULE_PATHNAME', 'catalogue_download_formats';

-- Refuse a further file of selected rows, or picture, if there are 20 in the queue; part of conversion_answer() and
-- picture_answer().  Arguments: file, or another record, and form, of the one that is wanted, which may be queued
-- already.
CREATE FUNCTION catalogue.limit_selections(file text, form text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF (SELECT pg_catalog.count(*) >= 20 AND NOT coalesce(bool_or(j.resource = $1 AND q.details ->> 'form' = $2), false)
        FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
        WHERE q.kind = 'convert' AND q.details ->> 'query' IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'OD429',
            MESSAGE = 'too many files of selected rows and pictures are being made, please try again later',
            HINT = 'csv, json, ndjson, geojson and SVG are sent at once.', DETAIL = '{"retryAfter":30}';
    END IF;
END
$$;

CREATE FUNCTION catalogue.conversion_answer(file text, revision bigint, form text, type text, name text, sheet integer,
    selection jsonb, audience text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    most   record;
    key    text := coalesce(form || '?' || md5((selection - 'actor')::text), concat_ws('/', form, sheet));
    large  record;
    made   record;
BEGIN
    SELECT f.most_rows AS rows, f.most_columns AS columns INTO most
    FROM catalogue.download_formats() f WHERE f.form = $3;
    SELECT s.name, s.row_count, json_array_length(s.columns) AS width INTO large FROM catalogue.sheet s
    WHERE s.file = $1 AND s.revision = $2 AND selection IS NULL AND (sheet IS NULL OR s.number = sheet)
        AND (s.row_count > most.rows OR json_array_length(s.columns) > most.columns)
    ORDER BY s.number LIMIT 1;
    IF FOUND THEN
        RAISE SQLSTATE 'OD406' USING
            MESSAGE = format('the sheet "%s" has %s rows and %s columns, more than "%s" can have', large.name,
                large.row_count, large.width, form),
            HINT = format('It has at most %s rows and %s columns in each sheet; xlsx, csv and json have room for more.',
                most.rows, most.columns);
    END IF;
    SELECT m.blob, m.reason INTO made FROM catalogue.made_file m
    WHERE m.file = $1 AND m.form = key AND m.revision = $2
        -- a program that was not installed may be
        AND (m.reason IS NULL OR m.made_at IS NULL OR m.made_at > now() - interval '10 min');
    IF made.reason IS NOT NULL THEN
        RAISE SQLSTATE 'OD406' USING MESSAGE = format('the file cannot be converted to "%s": %s', form, made.reason);
    ELSIF FOUND THEN
        RETURN catalogue.blob_answer(made.blob, type, name);
    ELSIF selection IS NOT NULL THEN
        PERFORM catalogue.limit_selections($1, key);
    END IF;
    RETURN (SELECT format('{"job":"%s","state":"%s","type":"%s"}', j.id, j.state, type)
            FROM catalogue.job_for('convert', 'file', $1,
                jsonb_build_object('file', $1, 'form', key, 'name', name, 'revision', $2) || coalesce(selection, '{}'),
                audience) j);
END
$$;
COMMENT ON FUNCTION catalogue.conversion_answer(text, bigint, text, text, text, integer, jsonb, text) IS
'Describe a file in another format, or the job that makes it
Arguments: file, its id.  revision, its reading.  form, as catalogue.download_formats() has it; type, its media type.
name that it is sent with.  sheet, its number; NULL for all.  selection, query and actor of selected rows, the sheet of
the area that they are within, and of a map its id and state; NULL for all rows.
audience, as for download_answer().
Errors: OD406 a sheet is too large, or the conversion has failed; OD429 20 workbooks of selections are to be made.';

-- Describe what is sent of a file, or the job that makes it.  Arguments: file, the id of one that the caller sees.
-- form, as for catalogue.download().  selects, the request selects rows: what is written row by row is made of the
-- contents then.  sheet, its name or number; NULL for all.  selection, query and actor of the rows of a workbook; NULL
-- for all rows.  audience, outsiders or internal, who sees the job.
-- Returns: data of catalogue.download(), of which it is a part, with its errors.
CREATE FUNCTION catalogue.download_answer(file text, form text, selects boolean, sheet text, selection jsonb,
    audience text) RETURNS text LANGUAGE plpgsql AS
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
    SELECT * INTO wanted FROM catalogue.download_formats() d WHERE d.form = lower($2);
    IF $2 IS NULL OR (lower($2) = extension AND selection IS NULL
            AND NOT (selects AND coalesce(wanted.streamed, false))) THEN
        RETURN catalogue.dated_answer(catalogue.blob_answer(stored.blob, stored.media_type, own_name), f.updated_at);
    ELSIF wanted.form IS NULL OR num_nonnulls(f.parse_state, f.revision) = 0 THEN
        RAISE SQLSTATE 'OD406' USING
            MESSAGE = format('a file of type "%s" cannot be converted to "%s"', extension, coalesce(wanted.form, $2)),
            HINT = (SELECT format('Rows can be converted to %s.', regexp_replace(string_agg(d.form, ', '), ', (\w+)$',
                        ' and \1')) FROM catalogue.download_formats() d);
    ELSIF f.revision IS NULL THEN
        RAISE SQLSTATE 'OD409' USING
            MESSAGE = CASE f.parse_state WHEN 'failed' THEN 'the contents of the file could not be read'
                      ELSE 'the contents of the file are still being read' END,
            DETAIL = format('{"parseState":%s,"parseReason":%s}', to_json(f.parse_state),
                coalesce(to_json(f.parse_reason)::text, 'null'));
    END IF;
    name := regexp_replace(own_name, '\.[^.]*$', '') || '.' || wanted.ending;
    IF wanted.streamed THEN
        RETURN format('{"stream":"%s","name":%s,"type":"%s","revision":%s}', wanted.form, to_json(name), wanted.type,
            f.revision);
    END IF;
    RETURN catalogue.conversion_answer(f.id, f.revision, wanted.form, wanted.type, name,
        CASE WHEN $4 IS NOT NULL THEN catalogue.sheet_number(f.id, f.revision, $4) END, selection, audience);
END
$$;

CREATE FUNCTION catalogue.map_download(map text, form text, query text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_map_download';
COMMENT ON FUNCTION catalogue.map_download(text, text, text, jsonb) IS
'Return what is sent when a map is downloaded
Arguments: map, its id or slug.  form: kml, gpkg or shp, which is a zip file.  query, as for catalogue.map_geojson().
actor, {"user": id} for a user, {} for an outsider.
Returns: data is an object as that of catalogue.download().
Errors: OD404 no such map; OD406 another form, or a map that is not made of rows, or for a database user; OD409 it has
no features; OD422 a parameter''s value; OD429 too many files of selected rows are to be made, with the seconds to wait
as JSON in the detail.
Source: Maps';

-- Describe a map in another format, or the job that makes it.  Arguments: map, the id of one that the caller sees.
-- form, a geographic one.  selection, query and actor.  audience, as for download_answer().
-- Returns: data of catalogue.map_download(), of which it is a part.
CREATE FUNCTION catalogue.map_download_answer(map text, form text, selection jsonb, audience text) RETURNS text
    LANGUAGE plpgsql AS
$$
DECLARE
    m       catalogue.maps := (SELECT t FROM catalogue.maps t WHERE t.id = $1);
    wanted  record;
BEGIN
    SELECT d.form, d.type, d.ending INTO wanted FROM catalogue.download_formats() d WHERE d.form = $2;
    RETURN (SELECT catalogue.conversion_answer(f.id, f.revision, wanted.form, wanted.type,
                catalogue.sent_name(NULL, m.id, m.name) || '.' || wanted.ending, NULL,
                selection || jsonb_build_object('map', m.id, 'state', concat_ws('/', m.updated_at,
                    (SELECT s.revision FROM catalogue.files s WHERE s.id = m.shapes))), audience)
            FROM catalogue.files f WHERE f.id = m.file);
END
$$;

-- Part of catalogue.convert_sheets().
CREATE FUNCTION catalogue.convert_sheets_part(file text, revision bigint) RETURNS json LANGUAGE sql AS
$$
    SELECT json_agg(json_build_object('sheet', s.id::text, 'number', s.number, 'name', s.name, 'hidden', s.hidden,
        'columns', s.columns, 'rows', s.row_count,
        'bytes', (SELECT coalesce(sum(octet_length(catalogue.chunk_repacked(c.data, c.count))), 0)
            FROM catalogue.sheet_chunk c WHERE c.sheet = s.id))
        ORDER BY s.number)
    FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2;
$$;

CREATE FUNCTION catalogue.convert_sheets(file text, revision bigint) RETURNS json
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.convert_sheets(text, bigint) IS
'Return the sheets of a reading of a file
Arguments: file, its id.  revision, the reading.
Returns: array of {sheet, number, name, hidden, columns, rows, bytes}; sheet is what catalogue.convert_rows() takes,
bytes the length of its packed rows.  NULL where there are none any more. For catalogue_worker.
Source: Files (download)';

-- Part of catalogue.convert_rows().
CREATE FUNCTION catalogue.convert_rows_part(sheet bigint, first bigint) RETURNS bytea LANGUAGE sql AS
$$
    SELECT catalogue.chunk_repacked(c.data, c.count)
    FROM catalogue.sheet_chunk c WHERE c.sheet = $1 AND c.first >= $2 ORDER BY c.first LIMIT 1;
$$;

CREATE FUNCTION catalogue.convert_rows(sheet bigint, first bigint) RETURNS bytea
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.convert_rows(bigint, bigint) IS
'Return some rows of a sheet
Arguments: sheet, of catalogue.convert_sheets().  first, number of the first row that is wanted: 1, then the one behind
the rows that came.
Returns: up to 4,000 rows, packed as extension/rows/sheets/chunk.h says; NULL behind the last.
For catalogue_worker.
Source: Files (download)';

CREATE FUNCTION catalogue.convert_selection(file text, query text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_convert_selection';
COMMENT ON FUNCTION catalogue.convert_selection(text, text, jsonb) IS
'Describe the rows that a query selects as a sheet of a workbook
Arguments: file, its id.  query, actor: as for catalogue.contents_page().
Returns: data is an array with one object, as catalogue.convert_sheets() has for each sheet, without its number in the
database; rows are at least as many as catalogue.contents_export() gives. For catalogue_worker.
Errors: as of catalogue.contents_page().
Source: Files (download)';

CREATE FUNCTION catalogue.convert_map(map text, query text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_convert_map';
COMMENT ON FUNCTION catalogue.convert_map(text, text, jsonb) IS
'Describe the rows of a map as a sheet
Arguments: map, query, actor: as for catalogue.map_geojson().
Returns: data as of catalogue.convert_selection(), with the name of the map. For catalogue_worker.
Errors: as of catalogue.map_geojson(); OD406 it is not made of rows.
Source: Maps';

-- Part of catalogue.convert_store() and convert_refuse().  A file of selected rows is kept for an hour, and so are
-- 100 at most.
CREATE FUNCTION catalogue.sweep_selections() RETURNS void LANGUAGE sql AS
$$
    DELETE FROM catalogue.made_file m
    WHERE m.made_at < now() - interval '1 hour' OR (m.file, m.form) IN (
        SELECT o.file, o.form FROM catalogue.made_file o WHERE o.made_at IS NOT NULL
        ORDER BY o.made_at DESC, o.file, o.form OFFSET 100);
$$;

-- Part of catalogue.convert_store().
CREATE FUNCTION catalogue.convert_store_part(file text, form text, revision bigint, blob bigint) RETURNS void
    LANGUAGE sql AS
$$
    INSERT INTO catalogue.made_file AS m (file, form, revision, blob, made_at)
    VALUES ($1, $2, $3, $4, CASE WHEN strpos($2, '?') > 0 THEN now() END)
    ON CONFLICT ON CONSTRAINT made_file_pkey
        DO UPDATE SET revision = excluded.revision, blob = excluded.blob, reason = NULL, made_at = excluded.made_at
    WHERE m.revision <= excluded.revision;
    SELECT catalogue.sweep_selections();
$$;

CREATE FUNCTION catalogue.convert_store(file text, form text, revision bigint, blob bigint) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.convert_store(text, text, bigint, bigint) IS
'Store a converted file
Arguments: file, its id.  form, one that a job makes, with /2 behind it for the second sheet alone, or ? and a digest of
what selects the rows, which are kept for an hour.  revision, the reading that it was made from.  blob, its bytes.
For catalogue_worker.  Source: Files (download)';

-- Part of catalogue.convert_refuse().
CREATE FUNCTION catalogue.convert_refuse_part(file text, form text, revision bigint, reason text) RETURNS void
    LANGUAGE sql AS
$$
    INSERT INTO catalogue.made_file AS m (file, form, revision, reason, made_at)
    VALUES ($1, $2, $3, $4, CASE WHEN strpos($2, '?') > 0 THEN now() END)
    ON CONFLICT ON CONSTRAINT made_file_pkey
        DO UPDATE SET revision = excluded.revision, blob = NULL, reason = excluded.reason, made_at = excluded.made_at
    WHERE m.revision <= excluded.revision;
    SELECT catalogue.sweep_selections();
$$;

CREATE FUNCTION catalogue.convert_refuse(file text, form text, revision bigint, reason text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.convert_refuse(text, text, bigint, text) IS
'Record that a file cannot be converted
Arguments: file, form, revision: as for catalogue.convert_store().  reason, which clients are told. For
catalogue_worker.  Source: Files (download)';
