-- Previews: the first rows of a file as they are read with other parseOptions, by jobs of kind preview.

-- Queue a preview; part of preview_file().  Arguments: file, its id.  options, valid parseOptions.  actor, id of the
-- user, who has one preview of a file in the queue; empty: none.  Returns: id of the job.
CREATE FUNCTION catalogue.enqueue_preview(file text, options jsonb, actor text) RETURNS text LANGUAGE plpgsql AS
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
    RETURN catalogue.enqueue_part('preview', 'file', $1, details || jsonb_build_object('form', $3, 'options', $2),
        'internal', (details ->> 'size')::bigint);
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

CREATE FUNCTION catalogue.preview(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_preview';
COMMENT ON FUNCTION catalogue.preview(text, jsonb) IS
'Return the first rows of a file as other options give them
Arguments: id of the job, of catalogue.preview_file().  actor, as there; whoever may update the file.
Returns: data is an object: sheet, its name; columns and details, as catalogue.contents_sheet_end() has them, of the
first 1,000 rows; rows, up to 10 arrays of cells, of texts of up to 1,000 bytes; issues, up to 20 objects of line and
reason.  There are up to 200 columns, and of a workbook the first sheet that is not hidden.
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
