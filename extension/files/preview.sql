-- Previews: the first rows of a file or an upload as they are read with parseOptions, by jobs of kind preview.

-- Queue a preview; part of preview_file() and preview_upload().  Arguments: target, file or upload, and its id.
-- details of what is read.  options, valid parseOptions.  actor, id of the user, who has one preview of a file in the
-- queue; empty: none.  Returns: id of the job.
CREATE FUNCTION catalogue.enqueue_preview(target text, id text, details jsonb, options jsonb, actor text) RETURNS text
    LANGUAGE plpgsql AS
$$
BEGIN
    RETURN catalogue.enqueue_part('preview', target, id, details || jsonb_build_object('form', actor, 'options',
        options), 'internal', (details ->> 'size')::bigint);
END
$$;

-- Queue a preview of a file; part of preview_file().  Arguments: file, its id.  options, actor, as above.
CREATE FUNCTION catalogue.enqueue_file_preview(file text, options jsonb, actor text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    details  CONSTANT jsonb := catalogue.reading_details($1);
BEGIN
    IF NOT EXISTS (SELECT FROM catalogue.files f WHERE f.id = $1 AND f.deleted_at IS NULL) THEN
        RAISE SQLSTATE 'OD404' USING MESSAGE = format('File "%s" does not exist', $1);
    END IF;
    IF details IS NULL THEN
        RAISE SQLSTATE 'OD409' USING MESSAGE = format('File "%s" has no bytes that are read with options', $1);
    END IF;
    RETURN catalogue.enqueue_preview('file', $1, details, $2, $3);
END
$$;

-- Queue a preview of an upload; part of preview_upload().  Arguments: upload, its id.  options, actor, as above. It has
-- the name that its file will have: the client's, that in its fields, or else that of the file whose bytes it replaces.
CREATE FUNCTION catalogue.enqueue_upload_preview(upload text, options jsonb, actor text) RETURNS text
    LANGUAGE plpgsql AS
$$
BEGIN
    RETURN (SELECT catalogue.enqueue_preview('upload', u.id, jsonb_build_object('blob', u.blob, 'size', b.size,
            'extension', lower(substring(n.name FROM '[^.]*$')), 'name', n.name, 'whole', true), $2, $3)
        FROM catalogue.upload u JOIN catalogue.blob b ON b.id = u.blob
            LEFT JOIN catalogue.files f ON f.id = u.request ->> 'record',
            LATERAL (SELECT coalesce(nullif(u.request ->> 'name', ''), u.request #>> '{body,fileName}', f.file_name))
                n(name)
        WHERE u.id = $1);
END
$$;

CREATE FUNCTION catalogue.preview_file(file text, body json, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_preview_file';
COMMENT ON FUNCTION catalogue.preview_file(text, json, jsonb) IS
'Read the first rows of a file with other options
Neither the file nor its rows change.
Arguments: file, its id or slug.  body, an object: parseOptions, as of files; without it all is found.  actor, {"user":
id} for a user, {} for an outsider, NULL for a database user, who is trusted; whoever may update the file.
Returns: id of the job, whose preview catalogue.preview() gives; a preview of the file that the user has in the queue is
replaced.
Errors: OD400 parseOptions; OD404 no such file; OD409 it has no bytes that are read with options; OD401; OD403.
Source: Files';

CREATE FUNCTION catalogue.preview_upload(id text, body json, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_preview_upload';
COMMENT ON FUNCTION catalogue.preview_upload(text, json, jsonb) IS
'Read an upload before it becomes a file, or the bytes of one
It may be completed or dropped afterwards.
Arguments: id of an upload for a file, of which all bytes have come, but which is not complete.  body, as of
catalogue.preview_file().  actor, as there; whoever began the upload.
Returns: id of the job, whose preview catalogue.preview() gives while there is the upload.
Errors: OD400 parseOptions; OD404 no such upload; OD409 bytes are missing, or it is for no file, or files are scanned
before they are read (catalogue.hold_uploads); OD403.
Source: Files';

CREATE FUNCTION catalogue.preview(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_preview';
COMMENT ON FUNCTION catalogue.preview(text, jsonb) IS
'Return the first rows of a file as other options give them
Arguments: id of the job, of catalogue.preview_file() or catalogue.preview_upload().  actor, as there; whoever may
update the file, or began the upload.
Returns: data is an object: sheet, its name; columns and details, as catalogue.contents_sheet_end() has them, and
rowCount, of the first 1,000 rows of a file, and of all rows of an upload; rows, up to 10 arrays of cells, of texts of
up to 1,000 bytes; issues, up to 20 objects of line and reason.  There are up to 200 columns, and of a workbook the
sheet of these options, else the first that is not hidden.
Errors: OD404 no such job; OD409 it has not ended, or failed, or ended ten minutes ago; OD401; OD403.
Source: Files';

-- Part of catalogue.preview_store().
CREATE FUNCTION catalogue.preview_store_part(job text, result json) RETURNS void LANGUAGE sql AS
$$
    INSERT INTO catalogue.preview AS p (job, result) VALUES ($1, $2)
    ON CONFLICT (job) DO UPDATE SET result = excluded.result, made_at = now();
$$;

CREATE FUNCTION catalogue.preview_store(job text, result json) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.preview_store(text, json) IS
'Store the result of a preview, for the worker
Arguments: job.  result, data of catalogue.preview().
Source: Files';
