-- Uploads and downloads.
CREATE FUNCTION catalogue.upload_begin(resource text, id text, details json, actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_upload_begin';
COMMENT ON FUNCTION catalogue.upload_begin(text, text, json, jsonb) IS
'Begin an upload
Arguments: resource, files, categories for an image, or imports for a document. id, of the record that is changed; NULL
to create one. details, an object: length, the bytes that will come, null where that is not known; resumable, whether it
outlives the connection; name, the client''s of the file; digest, the SHA-256 that all bytes are to have, in
hexadecimal; body, the fields of the record, or the members of an import. actor, {"user": id} for a user, {} for an
outsider, NULL for a database user, who is trusted.
Returns: id of the upload; data is an object: offset, limit (the most bytes it may have).
Errors: OD401, OD403, OD404 as catalogue.create() and update() would raise; OD413 length is greater than
catalogue.upload_limit, for an image 5 MiB, for a document 128 MiB; OD415 the resource takes no uploads.
Source: Files; extension/files/upload.c';

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
Source: Files; extension/files/upload.c';

CREATE FUNCTION catalogue.upload_state(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_upload_state';
COMMENT ON FUNCTION catalogue.upload_state(text, jsonb) IS
'Return the state of an upload
Arguments: id, the upload''s.  actor, as for catalogue.upload_begin(), the same who began it.
Returns: data is an object: offset, length, limit, complete (false: one that is finished is no upload any more),
resumable, resource, record, name, body.
Errors: OD404 no such upload.
Source: Files; extension/files/upload.c';

CREATE FUNCTION catalogue.upload_drop(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_upload_drop';
COMMENT ON FUNCTION catalogue.upload_drop(text, jsonb) IS
'Drop an upload
Arguments: id, the upload''s.  actor, as for catalogue.upload_begin(), the same who began it.
Returns: id.  The next catalogue.sweep() removes its bytes.  Errors: OD404 no such upload.
Source: Files; extension/files/upload.c';

CREATE FUNCTION catalogue.upload_finish(id text, body json, details json, "return" text DEFAULT 'minimal',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_upload_finish';
COMMENT ON FUNCTION catalogue.upload_finish(text, json, json, text, text, jsonb, text) IS
'Make a file of an upload, or the image of a category
Arguments: id, the upload''s.  body, the fields of the record; NULL for those that catalogue.upload_begin() was told.
details, an object: name, the client''s of the file; digest, its SHA-256 in hexadecimal, if the client says it; base,
what addresses begin with, such as https://data.example.org; form, true where the fields come from a form, and all are
texts; offset, the number of bytes that the client has sent.  return, relations, match: as for catalogue.update().
actor, as for catalogue.upload_begin(). Record and bytes are written together. The type is found by the extension of
the name and the bytes. Where no byte came and there is no name, only the record is written.
Returns: as catalogue.create() and update().
Errors: as these; OD404 no such upload; OD400 bytes are missing, or the digest is another; OD409 more have come than
offset, with the number as JSON in the detail; OD415 no such file type, or
the bytes are something else.
Source: Files; extension/files/upload.c, extension/files/file_record.c, extension/files/filetype.c';

CREATE FUNCTION catalogue.upload(resource text, id text, name text, bytes bytea, body json DEFAULT '{}',
    actor jsonb DEFAULT NULL, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids')
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_upload';
COMMENT ON FUNCTION catalogue.upload(text, text, text, bytea, json, jsonb, text, text) IS
'Upload a file, or the image of a category, in one call
Arguments: resource, files or categories.  id, of the record that is changed; NULL to create one.  name of the file,
whose extension tells its type.  bytes, all of them: at most 1 GB. body, the fields of the record.  actor, return,
relations: as for catalogue.create().
Returns: as catalogue.create() and update().  Errors: as catalogue.upload_finish(); OD413 too many bytes.
Source: Files; extension/files/upload.c';

CREATE FUNCTION catalogue.download(file text, form text DEFAULT NULL, query text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_download';
COMMENT ON FUNCTION catalogue.download(text, text, text, jsonb) IS
'Return what is sent when a file is downloaded
Arguments: file, its id, slug or stored name; of several the one that was created first.  form, csv, json, ndjson,
geojson, xlsx, xls, or what the file itself is; NULL for the file as it came. query, of the request, for what is made
from the contents: as for catalogue.contents_export(); of workbooks sheet alone, without which they have all sheets. A
query makes csv, json, ndjson and geojson from the contents where the file itself is of that format, too.
actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is trusted.
Returns: data is an object, one of: blob (for catalogue.blob_bytes()), size, sha256, type, name; stream (form for
catalogue.contents_export()), name, type, revision; job, state and type, where the worker has to make it first.
Errors: OD404 no such file, or none whose bytes are here; OD406 it cannot be given in that form; OD409 it was not found
clean yet, its remote service has not given it yet, or its contents are not read, with parseState and parseReason as
JSON in the detail.
Source: Additional endpoints (download); extension/services/download.c';

CREATE FUNCTION catalogue.count_download(file text, dataset text DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_count_download';
COMMENT ON FUNCTION catalogue.count_download(text, text) IS
'Count a download
Arguments: file, the id of the one that was downloaded, NULL for the archive of a dataset.  dataset, its id; NULL for
that of the file.
Returns: nothing in it.  Source: Files; extension/services/download.c';

CREATE FUNCTION catalogue.image(category text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_image';
COMMENT ON FUNCTION catalogue.image(text, jsonb) IS
'Return the image of a category
Arguments: category, its id.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is
trusted.
Returns: data is an object: blob (for catalogue.blob_bytes()), size, sha256, type, name.
Errors: OD404 no such category, or it has no image.
Source: Additional endpoints (image); extension/services/download.c';

CREATE FUNCTION catalogue.category_downloads(actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_category_downloads';
COMMENT ON FUNCTION catalogue.category_downloads(jsonb) IS
'Count the downloads of each category
Arguments: actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is trusted.
Returns: data is an object: total, of all datasets that the actor sees, and for the id of each category how many of them
were its own.
Source: Additional endpoints (metrics/categories); extension/services/download.c';
