-- Uploads: the bytes of a file in pieces or at once, and the file that is made of them.

-- Uploads and downloads.
CREATE FUNCTION catalogue.upload_begin(resource text, id text, details json, actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_upload_begin';
COMMENT ON FUNCTION catalogue.upload_begin(text, text, json, jsonb) IS
'Begin an upload
Arguments: resource, files, categories or organizations for an image, or imports for a document. id, of the record that
is changed; NULL to create one. details, an object: length, the bytes that will come, null where that is not known;
resumable, whether it outlives the connection; name, the client''s of the file; digest, the SHA-256 that all bytes are
to have, in hexadecimal; body, the fields of the record, or the members of an import; complete, whether they are all
that the record gets, so that they are checked now; form, true where they are all texts, as those of a form. actor,
{"user": id} for a user, {} for an outsider, NULL for a database user, who is trusted.
Returns: id of the upload; data is an object: offset, limit (the most bytes it may have).
Errors: OD401, OD403, OD404, and of complete fields OD400, as catalogue.create() and update() would raise; OD413 length
is greater than catalogue.upload_limit, for an image 5 MiB, for a document 128 MiB; OD415 the resource takes no uploads,
or no files with the extension of the name.
Source: Files';

CREATE FUNCTION catalogue.upload_write(id text, "position" bigint, bytes bytea, actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_upload_write';
COMMENT ON FUNCTION catalogue.upload_write(text, bigint, bytea, jsonb) IS
'Append bytes to an upload
Arguments: id, the upload''s.  position of the first byte: the number of bytes that have come, or less, if the bytes
that have come already are the same.  bytes: best so many that they end at a multiple of 262144. actor, as for
catalogue.upload_begin(), the same who began it.
Returns: data is an object: offset, the bytes that have come now.  The commit does not wait for the disk: that of
catalogue.upload_finish() does.
Errors: OD404 no such upload; OD409 bytes before the position are missing, or others have come, with offset as JSON in
the detail; OD413 it has more bytes than it may or said it would.
Source: Files';

CREATE FUNCTION catalogue.upload_state(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_upload_state';
COMMENT ON FUNCTION catalogue.upload_state(text, jsonb) IS
'Return the state of an upload
Arguments: id, the upload''s.  actor, as for catalogue.upload_begin(), the same who began it.
Returns: data is an object: offset, length, limit, complete, resumable, resource, record, name, body. A resumable upload
is told for an hour after it was finished: complete is true, record is that which has its bytes, null for an import.
Errors: OD404 no such upload.
Source: Files';

CREATE FUNCTION catalogue.upload_drop(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_upload_drop';
COMMENT ON FUNCTION catalogue.upload_drop(text, jsonb) IS
'Drop an upload
Arguments: id, the upload''s.  actor, as for catalogue.upload_begin(), the same who began it.
Returns: id.  The next catalogue.sweep() removes its bytes. One that is finished is forgotten; its record stays.
Errors: OD404 no such upload.
Source: Files';

CREATE FUNCTION catalogue.upload_finish(id text, body json, details json, "return" text DEFAULT 'minimal',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_upload_finish';
COMMENT ON FUNCTION catalogue.upload_finish(text, json, json, text, text, jsonb, text) IS
'Make a file of an upload, or the image of a record
Arguments: id, the upload''s.  body, the fields of the record; NULL for those that catalogue.upload_begin() was given.
details, an object: name, the client''s of the file; digest, its SHA-256 in hexadecimal, if the client says it; base,
what addresses begin with, such as https://data.example.org; form, true where the fields come from a form, and all are
texts; offset, the number of bytes that the client has sent.  return, relations, match: as for catalogue.update().
actor, as for catalogue.upload_begin(). Record and bytes are written together. The type is found by the extension of
the name and the bytes. Where no byte came and there is no name, only the record is written.
Returns: as catalogue.create() and update().
Errors: as these; OD404 no such upload; OD400 bytes are missing, or the digest is another; OD409 more have come than
offset, with the number as JSON in the detail; OD415 no such file type, or
the bytes are something else.
Source: Files';

CREATE FUNCTION catalogue.upload(resource text, id text, name text, bytes bytea, body json DEFAULT '{}',
    actor jsonb DEFAULT NULL, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids')
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_upload';
COMMENT ON FUNCTION catalogue.upload(text, text, text, bytea, json, jsonb, text, text) IS
'Upload a file, or the image of a record, in one call
Arguments: resource, files, categories or organizations.  id, of the record that is changed; NULL to create one.  name
of the file, whose extension tells its type.  bytes, all of them: at most 1 GB. body, the fields of the record.  actor,
return, relations: as for catalogue.create().
Returns: as catalogue.create() and update().  Errors: as catalogue.upload_finish(); OD413 too many bytes.
Source: Files';

CREATE FUNCTION catalogue.undo_bytes(id text, body json, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_undo_bytes';
COMMENT ON FUNCTION catalogue.undo_bytes(text, json, text, text, jsonb) IS
'Update a file, with the bytes that it had before an action of the log
Arguments: id, that of the log record.  body, return, relations, actor: as for catalogue.update().
The bytes are kept as long as catalogue.history_retention; the rows are read from them anew.
Returns: as catalogue.update().
Errors: OD404 the log record tells of no bytes of a file; OD409 the bytes are not kept any more, or the file had none;
OD415 their type is not accepted any more; as catalogue.update().
Source: Log (action log)';
