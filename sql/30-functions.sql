-- Functions for expressions, indexes and checks.
CREATE FUNCTION catalogue.new_id() RETURNS text
    LANGUAGE c VOLATILE PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_new_id';
COMMENT ON FUNCTION catalogue.new_id() IS
'Make an identifier
Returns: 15 characters of 0-9A-Za-z, a part of time and then about 41 random bits.
Source: Conventions for all resources; extension/base/id.c';

CREATE FUNCTION catalogue.fold(text text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_fold';
COMMENT ON FUNCTION catalogue.fold(text) IS
'Fold letter case and accents of a text, for comparing
Arguments: text.  Returns: lower case, decomposed, without marks.
Source: Query parameters (match); extension/base/fold.c';

CREATE FUNCTION catalogue.compose(text text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_compose';
COMMENT ON FUNCTION catalogue.compose(text) IS
'Return a text in the form in which names are stored, Unicode''s NFC
Arguments: text.  Returns: an accented letter as one character where there is such a one; in a database that is not in
UTF-8 the text as it is.
Source: Conventions for all resources; extension/base/compose.c';

CREATE FUNCTION catalogue.slug(name text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_slug';
COMMENT ON FUNCTION catalogue.slug(text) IS
'Make the part of a URL for a name
Arguments: name.  Returns: at most 150 characters of a-z0-9_~-; empty where none of the name is kept.
Source: Resources and their fields (slug); extension/base/fold.c';

CREATE FUNCTION catalogue.is_time_pattern(pattern text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_time_pattern';
COMMENT ON FUNCTION catalogue.is_time_pattern(text) IS
'Tell whether a text is a cron pattern
Arguments: pattern, 5 fields (minute hour day month weekday), 6 (seconds before them) or 7 (year behind them).  One
that names no time, such as 31 February, is none.
Source: UpdateFrequency; extension/base/time_pattern.c';

CREATE FUNCTION catalogue.next_run(pattern text, after timestamptz) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_next_run';
COMMENT ON FUNCTION catalogue.next_run(text, timestamptz) IS
'Return the first time after an instant that a cron pattern names
Arguments: pattern, as for catalogue.is_time_pattern().  after, the instant.  Times are in UTC.
Returns: a full second; NULL if there is none before the year 2200.
Errors: 22023 the pattern is not valid.
Source: UpdateFrequency; extension/base/time_pattern.c';

CREATE FUNCTION catalogue.is_address(address text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_address';
COMMENT ON FUNCTION catalogue.is_address(text) IS
'Tell whether a text is a URL of the web
Arguments: address, an http: or https: URL with a host, of at most 2000 characters; user information, a port from 1 to
65535 and an IPv6 address are taken. White space, control characters, those that turn the direction of writing, and any
of "<>\` are not. The path of a download, /files/<name>/download, is an address as well: that of a file that is uploaded
without a base.
Source: File, Chart, Map, SoapService, RestService (url, link); extension/base/id.c';

CREATE FUNCTION catalogue.is_parse_options(options json) RETURNS boolean
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_parse_options';
COMMENT ON FUNCTION catalogue.is_parse_options(json) IS
'Tell whether an object is valid for parseOptions of a file
Arguments: options, an object with any of: encoding, a name that the C library knows; delimiter, one character, or empty
for a single column; decimal, "." or ","; header, whether there is a row of names, or its number from 1; skip, how many
rows at the beginning are passed over. A member that is null is to be found.
Source: File; extension/write/new_record.c';

CREATE FUNCTION catalogue.packed(reply catalogue.reply) RETURNS bytea
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_packed';
COMMENT ON FUNCTION catalogue.packed(catalogue.reply) IS
'Pack a reply into one value, for programs
Arguments: reply, what a function of the API gives.
Returns: the members of the reply but data as text, each ended by a byte 0, in their order; NULL is empty. Behind them,
to the end, data.
Source: Response envelopes; extension/call/call_reply.c';

-- Triggers of every exposed table.
CREATE FUNCTION catalogue.check_record() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_check_record';
COMMENT ON FUNCTION catalogue.check_record() IS
    'Trigger BEFORE INSERT OR UPDATE: complete and validate a record (extension/write/triggers.c)';

CREATE FUNCTION catalogue.delete_logically() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_delete_logically';
COMMENT ON FUNCTION catalogue.delete_logically() IS
    'Trigger BEFORE DELETE: delete a record logically instead (extension/write/triggers.c)';

CREATE FUNCTION catalogue.record_changes() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_record_changes';
COMMENT ON FUNCTION catalogue.record_changes() IS
    'Trigger AFTER INSERT and AFTER UPDATE: action log, counter, cascades (extension/write/after_change.c)';

CREATE FUNCTION catalogue.check_truncation() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_check_truncation';
COMMENT ON FUNCTION catalogue.check_truncation() IS
    'Trigger AFTER TRUNCATE of a resource''s table or a join table: refuse it; permit it to the owner for tables that '
    'only the service writes, and record it (extension/services/module.c)';

CREATE FUNCTION catalogue.forget_rules() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_forget_rules';
COMMENT ON FUNCTION catalogue.forget_rules() IS
    'Trigger AFTER every change of catalogue.rules: invalidate the rules in all backends (extension/call/permission.c)';

-- The API: one function for each call of the interface, used by database users and by the HTTP shim.
CREATE FUNCTION catalogue.list(resource text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_list';
COMMENT ON FUNCTION catalogue.list(text, text, text, jsonb, text) IS
'List the records of a resource
Arguments: resource, its path word, any letter case.  query, as in a URL behind the ?: filters, query, match, condition,
orderBy, sort, limit, skip, fields, include, facets, facetLimit, nearest, version, deleted. relations, ids (a foreign
key is an id) or embedded (it is the record).  actor, {"user": id} for a user, {} for an outsider, NULL for a database
user, who is trusted; with "color": "css" in it colours are given with # before them. known, state tags that the caller
has from earlier replies, comma-separated: where the present one is among them, data is NULL.
Returns: data is an array; count, limit, skip, returned, version, ignored, etag, next and previous describe the page;
meta has the facets, and the words of "nearest", JSON without the braces.
Errors: OD404 no such resource; OD422 a parameter''s value; OD400 unknown include; OD401 the actor''s user may not log
in; OD403 the actor''s key is not for a resource that is asked for, or the actor may restore no deleted records.
Source: Query parameters; extension/read/list.c';

CREATE FUNCTION catalogue.item(resource text, id text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_item';
COMMENT ON FUNCTION catalogue.item(text, text, text, text, jsonb, text) IS
'Return one record
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug.  query: fields, include.
relations, ids (a foreign key is an id) or embedded (it is the record).  actor, {"user": id} for a user, {} for an
outsider, NULL for a database user, who is trusted. known, state tags that the caller has, comma-separated: where the
present one is among them, data is NULL.
Returns: data is an object; id and relations are those of the record; etag changes with it.
Errors: OD404 no such resource or record; OD400 unknown include.
Source: Standard endpoint set; extension/read/item.c';

CREATE FUNCTION catalogue.items(resource text, ids text[], query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text[] DEFAULT NULL)
    RETURNS bytea
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_items';
COMMENT ON FUNCTION catalogue.items(text, text[], text, text, jsonb, text[]) IS
'Return several records in packed form, for programs
Arguments: resource, query, relations, actor: as for catalogue.item(), for all of them. ids, the records''; one may
stand there twice. known, for each id the state tags that the caller has, comma-separated; NULL for none.
Returns: a row for each id, in their order. A row is its length in bytes, 4 bytes in network order; then a SQLSTATE and
its message, each ended by a byte 0, where there is no such record; else a byte 0 and the answer of catalogue.item() as
catalogue.packed() packs it. Of a record whose present state is among those known, only the members resource, version,
ignored and etag are there.
Errors: OD404 no such resource; OD400 unknown include; OD422 a parameter''s value; 54000 more than 1 GB.
Source: Standard endpoint set; extension/read/item.c';

CREATE FUNCTION catalogue.first(resource text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_first';
COMMENT ON FUNCTION catalogue.first(text, text, text, jsonb, text) IS
'Return the first record of a list
Arguments: as for catalogue.list(); the order is that of the list.
Returns: as catalogue.item().
Errors: OD404 no such resource, or an empty list; OD422 a parameter''s value.
Source: Standard endpoint set; extension/read/item.c';

CREATE FUNCTION catalogue.last(resource text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_last';
COMMENT ON FUNCTION catalogue.last(text, text, text, jsonb, text) IS
'Return the last record of a list
Arguments: as for catalogue.list(); the order is that of the list.
Returns: as catalogue.item().
Errors: OD404 no such resource, or an empty list; OD422 a parameter''s value.
Source: Standard endpoint set; extension/read/item.c';

CREATE FUNCTION catalogue.count(resource text, query text DEFAULT '', actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_count';
COMMENT ON FUNCTION catalogue.count(text, text, jsonb, text) IS
'Count the records of a list
Arguments: resource, its path word, any letter case.  query, filters and search as for catalogue.list().  actor,
{"user": id} for a user, {} for an outsider, NULL for a database user, who is trusted. known: as for catalogue.list().
Returns: data is an object with the member count.
Errors: OD404 no such resource; OD422 a filter''s value.
Source: Standard endpoint set; extension/read/list.c, extension/read/count.c';

CREATE FUNCTION catalogue.related(resource text, id text, relation text, query text DEFAULT '',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_related';
COMMENT ON FUNCTION catalogue.related(text, text, text, text, text, jsonb, text) IS
'Return what a record is related to
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug.  relation, its name, as in
catalogue.relation. query, relations, actor, known: as for catalogue.list().
Returns: to-one as catalogue.item(); to-many as catalogue.list().
Errors: OD404 no such resource, record or relation, or the relation is empty.
Source: Response envelopes (links); extension/read/list.c';

CREATE FUNCTION catalogue.dataset_filetypes(dataset text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    found catalogue.reply;
    types catalogue.reply;
BEGIN
    -- raises an error for a caller who cannot see the dataset at the requested instant
    found := catalogue.item('datasets', $1, concat_ws('&', 'fields=id', substring($2 FROM '(?:^|&)(version=[^&]*)')),
        'ids', $4);
    types := catalogue.list('filetypes', concat_ws('&', 'files.dataset=' || found.id, nullif($2, '')), $3, $4, $5);
    types.id := found.id;
    -- raises an error for a caller who cannot see files: without the filter the types of all files would be shown
    IF types.ignored::jsonb ? 'files.dataset' THEN
        RAISE EXCEPTION USING ERRCODE = 'OD404', MESSAGE = 'Dataset has no relation "files"';
    END IF;
    RETURN types;
END
$$;
COMMENT ON FUNCTION catalogue.dataset_filetypes(text, text, text, jsonb, text) IS
'List the types of a dataset''s files
Arguments: dataset, its id or slug.  query, relations, actor, known: as for catalogue.list(), of the file types.
Returns: as catalogue.list(), each type of the files that the actor sees once, whatever else the query says.
Errors: OD404 no such dataset; as catalogue.list().
Source: Dataset, FileType; sql/30-functions.sql';

CREATE FUNCTION catalogue.versions(resource text, id text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_versions';
COMMENT ON FUNCTION catalogue.versions(text, text, text, jsonb, text) IS
'List the states that a record had
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug.  query: fields, limit, skip,
version.  actor, known: as for catalogue.list().
Returns: data is an array, newest first: the record as it was, each with the member version, the instant that the state
began at, of which catalogue.item() shows it again. States are kept as long as catalogue.history_retention.
Errors: OD404 no such resource or record; OD400 include; OD422 a parameter''s value.
Source: Query parameters (skip); extension/read/versions.c';

CREATE FUNCTION catalogue.usage(resource text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL, format text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_usage';
COMMENT ON FUNCTION catalogue.usage(text, text, text, jsonb, text, text) IS
'List or count the statistics of a resource
Arguments: resource, its path word, any letter case.  query, relations, actor, known: as for catalogue.list(), of the
statistics; with groupBy, as for catalogue.statistics_summary().  format: csv, with groupBy only; NULL for JSON.
Returns: as catalogue.list(), or with groupBy as catalogue.statistics_summary(), of the requests whose path begins with
the resource, whatever else the query says.
Errors: as catalogue.list() or catalogue.statistics_summary(); OD406 CSV without groupBy.
Source: Statistic; extension/read/list.c, extension/read/statistics_summary.c';

CREATE FUNCTION catalogue.export(resource text, id text DEFAULT NULL, relation text DEFAULT NULL, query text DEFAULT '',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, format text DEFAULT 'csv')
    RETURNS SETOF catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_export';
COMMENT ON FUNCTION catalogue.export(text, text, text, text, text, jsonb, text) IS
'Return a list as CSV or as lines of JSON, in pieces
Arguments: resource, its path word, any letter case.  id and relation, a record and its to-many relation, whose list is
wanted; NULL for all of the resource. query, relations, actor: as for catalogue.list(); the page is the same.  format,
csv (RFC 4180, with a line of names) or ndjson (a record a line).
Returns: pieces of data of some 64 KiB, to be put one behind the other; the first row describes the page as
catalogue.list() does. Called in a target list it makes one piece at a time, all of one snapshot, and statement_timeout
limits the making of each piece.
Errors: as catalogue.list(); OD406 no such format, or the relation leads to one record.
Source: Query parameters; extension/read/export.c, extension/read/csv.c';

CREATE FUNCTION catalogue.create(resource text, body json, "return" text DEFAULT 'minimal',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, address text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_create';
COMMENT ON FUNCTION catalogue.create(text, json, text, text, jsonb, text) IS
'Create a record
Arguments: resource, its path word, any letter case.  body, an object of field names and values; unknown and maintained
fields are ignored. return, minimal or representation (data is the record).  relations, ids (a foreign key is an id) or
embedded (it is the record).  actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is
trusted. address, of the client; NULL for none: records that are made from one without a user are counted.
Returns: id of the new record, and data where it is asked for.
Errors: OD400 with all faults by field as JSON in the detail; OD401 no user; OD403 no rule grants it; OD404 no such
resource; OD405 it is read-only; OD429 too many from the address. Settings: catalogue.public_creations, login_window.
Source: Standard endpoint set, Errors; extension/write/write.c';

CREATE FUNCTION catalogue.update(resource text, id text, body json, "return" text DEFAULT 'minimal',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_update';
COMMENT ON FUNCTION catalogue.update(text, text, json, text, text, jsonb, text) IS
'Change some fields of a record
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug.  body, the new values; fields that
are not named keep theirs. return, minimal or representation (data is the record).  relations, ids (a foreign key is an
id) or embedded (it is the record).  actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who
is trusted. match, state tags of the record, comma-separated: the present one must be among them, * for any, and none
with ! before it; NULL for no condition. A change that changes nothing of the record keeps updated_at and the state tag,
and is in no log and no history.
Returns: id, and data where it is asked for.
Errors: as catalogue.create(); OD404 no such record; OD403 no rule grants it, or not of this record; OD412 the record is
in another state than match says.
Source: Standard endpoint set, Errors; extension/write/write.c';

CREATE FUNCTION catalogue.delete(resource text, id text, actor jsonb DEFAULT NULL, match text DEFAULT NULL,
    "return" text DEFAULT 'minimal', relations text DEFAULT 'ids')
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_delete';
COMMENT ON FUNCTION catalogue.delete(text, text, jsonb, text, text, text) IS
'Delete a record logically
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug.  actor, {"user": id} for a user,
{} for an outsider, NULL for a database user, who is trusted. match, return, relations: as for catalogue.update(); data
is the record as it was. What belongs to the record is deleted with it: the files of a dataset, the charts and maps of a
file.
Errors: OD404 no such record; OD409 others refer to it, with the counts by resource as JSON in the detail; OD412 match;
OD401; OD403; OD405.
Source: What the service does 7; extension/write/write_call.c, extension/write/deletion.c';

CREATE FUNCTION catalogue.restore(resource text, id text, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_restore';
COMMENT ON FUNCTION catalogue.restore(text, text, text, text, jsonb, text) IS
'Bring a deleted or deactivated record back
Arguments: as for catalogue.update(), without body.  What was deleted with the record comes back with it.
Errors: OD404 no such deleted record; OD409 its name is taken, or a record that it refers to is gone; OD401; OD403;
OD405.
Source: What the service does 7; extension/write/write_call.c, extension/write/deletion.c';

CREATE FUNCTION catalogue.deactivate(resource text, id text, "return" text DEFAULT 'minimal',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_deactivate';
COMMENT ON FUNCTION catalogue.deactivate(text, text, text, text, jsonb, text) IS
'Hide a record from outsiders
Arguments: as for catalogue.restore().  Internal users see the record with deletedAt set; restore brings it back.
Errors: OD404 no such record, or the resource does not take it; OD401; OD403.
Source: What the service does 7; extension/write/write_call.c';

CREATE FUNCTION catalogue.act(resource text, id text, action text, "return" text DEFAULT 'minimal',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_act';
COMMENT ON FUNCTION catalogue.act(text, text, text, text, text, jsonb, text) IS
'Move a record to another state
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug.  action: review, cancel, reject,
publish or unpublish. return, minimal or representation (data is the record).  relations, ids (a foreign key is an id)
or embedded (it is the record).  actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is
trusted. match: as for catalogue.update(). Reject and unpublish take files, charts and maps along.
Errors: OD409 the state does not allow it, with the allowed actions as JSON in the detail; OD404 no such record or
action; OD401; OD403.
Source: States and transitions; extension/write/deletion.c';

CREATE FUNCTION catalogue.batch(body json, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, address text DEFAULT NULL, strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_batch';
COMMENT ON FUNCTION catalogue.batch(json, text, text, jsonb, text, boolean) IS
'Make up to 1,000 changes in one transaction, or none of them
Arguments: body, an object whose parts is an array of objects: method and path of a creation, change, deletion,
restoration, deactivation or transition between states, as a request has them; body, of a creation or change; ifMatch,
the entity tag that the record must have, or *. A string "$1" in a body, or the id "$1" in a path, stands for the id of
the record of part 1, which must be an earlier part; "$$1" stands for the text $1. return, relations, actor and address:
as for catalogue.create(), for each part. strict, refuse unknown members.
Returns: data is an array of the results: part, status, resource, id, and data, ignored and meta where the single
request has them.
Errors: where parts are at fault, nothing is done, and the detail is JSON: faults, an array with part, status, message
and data (the errors by field) of each; parts that refer to one at fault are left out. The code is that of the faults,
OD400 where they differ. OD400 no parts, or more than 1,000; OD401 the actor''s user may not log in; OD429 too many
creations from the address.
Source: Standard endpoint set, Errors; extension/batch/batch.c';

CREATE FUNCTION catalogue.create_rows(resource text, rows text, format text, "return" text DEFAULT 'minimal',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, address text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_create_rows';
COMMENT ON FUNCTION catalogue.create_rows(text, text, text, text, text, jsonb, text) IS
'Create a record for each of up to 1,000 rows, or none of them
Arguments: resource, its path word. rows, a text; format csv: as RFC 4180 defines it, with the names of the fields in
the first line; texts are converted to the types of the fields: true and false, numbers, JSON, lists as JSON or with
commas; an empty cell gives no value. Format ndjson: a JSON object in each line, as the body of catalogue.create().
return, relations, actor and address: as for catalogue.create(), for each row.
Returns: as catalogue.batch(), with a part for each row; ignored has the names in the heading that mean nothing.
Errors: before the rows are read, OD401, OD403, OD404 and OD405 as for catalogue.create(). OD400 no rows, or more than
1,000, or a heading at fault. Where rows are at fault, nothing is done, and the detail is that of catalogue.batch(),
with the line in which each row begins; rows that cannot be read are told before the values of the others are looked at.
Source: Standard endpoint set, Errors; extension/batch/batch_rows.c';

CREATE FUNCTION catalogue.once(key text, digest text, function text, arguments text[], actor jsonb DEFAULT NULL)
    RETURNS bytea
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_once';
COMMENT ON FUNCTION catalogue.once(text, text, text, text[], jsonb) IS
'Make a change, unless the same request has made it within 24 hours
Arguments: key, of 1 to 255 visible characters of ASCII, which the client has made up for this request; the keys of
different users and consumers are different ones.  digest, a text that is the same for equal requests only.  function,
the change: create, create_rows, batch, restore, deactivate, undo, send_email, cancel_job, refresh_file or
upload_finish. arguments, those of that function, as texts; further elements are not read.  actor, who makes the
request.
Returns: the reply of the function as catalogue.packed() gives it; where the change was made before, the reply of then.
Errors: those of the function, after which the key is as if it had not been used.  OD400 no valid key, or no such
function; OD401 also for an actor without user and consumer; OD403 the actor may not make the change any more, so that
the reply is not given again; OD409 a request with the key is still being executed; OD422 the key was used for another
request.
Source: POST with Idempotency-Key; extension/batch/idempotency.c';

CREATE FUNCTION catalogue.import(body json, actor jsonb DEFAULT NULL, strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_import';
COMMENT ON FUNCTION catalogue.import(json, jsonb, boolean) IS
'Make datasets and files of the entries of another catalogue
Arguments: body, an object: document, DCAT-US (data.json), DCAT as JSON-LD, an answer of CKAN (package_show,
package_search, current_package_list_with_resources), an array of such documents, or the text of one of them; or url,
the address of one, which the worker fetches with those that it leads to. source, a name or address of that catalogue,
required with document, else by default the url. dryRun, true to change nothing. publish, true to publish new
datasets and files. partial, true if the document is a part of the catalogue, so that no entry is gone. gone, what
becomes of records whose entries the document has no longer: keep (the default), unpublish or delete; acceptLoss, true
if they may be more than half of those of the source. take, fields in which the source counts also where users have
changed them. category and organization, id or slug, for entries without theme or publisher. updateFrequency, id of the
frequency by which the url is fetched again; another import of the same source by a url is replaced. actor, as for
catalogue.create(): its user owns the records. strict, refuse unknown members.
Returns: data is a report: the numbers of entries that were created, updated, unchanged, refused and gone, and entries,
an array of each: outcome; entry, its number; id, that of the source; name; record, id of the dataset; kept, the fields
that users have changed; notes, such as that only the first 1,000 distributions, keywords or themes are taken; of one
that is refused status, message and data (the errors by field); of one that is gone done (kept, unpublished, deleted;
not imported, where the source has deleted it before); notes, on the whole.
Of a url: id, of the job that imports it.
Errors: OD400 no document, one that is no catalogue, more than 2,000 members, or options at fault; OD401 and OD403 the
actor may not create datasets, or gives a url with a limited key or for a source that another user has imported so, or
the source belongs to another organization: to that of the user who was the first to import from it.
Errors of an entry refuse that one only.
Source: extension/import/import.c';

CREATE FUNCTION catalogue.import_upload(upload text, body json, details json, actor jsonb DEFAULT NULL,
    strict boolean DEFAULT false) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_import_upload';
COMMENT ON FUNCTION catalogue.import_upload(text, json, json, jsonb, boolean) IS
'Import the document of an upload
A document of at most 1 MiB in JSON is imported at once; another one, or one in Turtle, N-Triples or RDF/XML, by a job.
Arguments: upload, id of one that catalogue.upload_begin() has begun for resource imports. body, an object: the members
of that of catalogue.import() besides the document; NULL for that which upload_begin() was told. details, an object:
type, media type of the bytes, of which those of application/json are the whole body; digest and offset as for
catalogue.upload_finish().  actor, strict: as for catalogue.import().
Returns: as catalogue.import(); of a job its id.
Errors: as catalogue.import() and catalogue.upload_finish(); OD409 the upload is not for an import.
Source: extension/import/import_upload.c';

CREATE FUNCTION catalogue.import_dcat(document json, source text DEFAULT NULL, options json DEFAULT '{}',
    actor jsonb DEFAULT NULL)
    RETURNS json
    LANGUAGE sql VOLATILE AS
$$
    SELECT i.data::json
    FROM catalogue.import(('{"document":' || document::text || ',"source":' || coalesce(to_json(source)::text, 'null')
        || (SELECT coalesce(string_agg(',' || to_json(o.key)::text || ':' || o.value::text, ''), '')
            FROM json_each(options) o) || '}')::json, actor) i
$$;
COMMENT ON FUNCTION catalogue.import_dcat(json, text, json, jsonb) IS
'Make datasets and files of the entries of a document, in SQL
Arguments: document, source, actor: as for catalogue.import(). options, an object with its other members: dryRun,
publish, partial, gone, acceptLoss, take, category, organization.
Returns: the report.  Errors: those of catalogue.import().
Source: extension/import/import.c';

-- The functions that read a query string, of each resource ('*') or one, and what their parameters take.  For functions
-- that filter, the fields of a resource are parameters, too.
CREATE FUNCTION catalogue.parameters(resource text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    WITH readings (n, function, resource, path) AS (VALUES
        (1, 'list', '*', NULL), (2, 'first', '*', NULL), (3, 'last', '*', NULL), (4, 'count', '*', NULL),
        (5, 'items', '*', NULL), (6, 'related', '*', NULL), (7, 'usage', '*', NULL),
        (8, 'statistics_summary', 'statistics', NULL), (9, 'statistics_downloads', 'statistics', NULL),
        (10, 'record_logs', '*', NULL), (11, 'dataset_filetypes', 'datasets', NULL), (12, 'feed', 'datasets', 'rss'),
        (13, 'catalog', NULL, 'catalog'), (14, 'data_json', NULL, 'data.json'), (15, 'sitemap', NULL, 'sitemap.xml'),
        (16, 'search', NULL, 'search'), (17, 'contents_page', 'files', NULL), (18, 'contents_columns', 'files', NULL),
        (19, 'contents_schema', 'files', NULL), (20, 'contents_issues', 'files', NULL),
        (21, 'contents_sheets', 'files', NULL), (22, 'contents_changes', 'files', NULL),
        (23, 'map_geojson', 'maps', NULL), (24, 'map_tile', 'maps', NULL), (25, 'map_issues', 'maps', NULL),
        (26, 'map_svg', 'maps', NULL), (27, 'chart_data', 'charts', NULL), (28, 'chart_svg', 'charts', NULL)),
    sets AS (SELECT '{list,related,usage,record_logs,dataset_filetypes}'::text[] AS lists,
        '{list,first,last,count}'::text[] AS filters, '{catalog,data_json}'::text[] AS dcat,
        '{statistics_summary,statistics_downloads}'::text[] AS sums, '{contents_issues,map_issues}'::text[] AS issues,
        '{map_geojson,map_tile,map_issues,map_svg,chart_data,chart_svg}'::text[] AS visuals,
        '{contents_changes,contents_page,contents_issues,contents_columns,contents_schema}'::text[] AS sheet,
        '{"type":"string"}' AS string),
    parameters (n, name, functions, facts) AS (SELECT p.* FROM sets, LATERAL (VALUES
        (1, 'query', lists || filters || dcat || '{search,feed}', string),
        (2, 'resources', '{search}', string),
        (3, 'limit', lists || issues || sums || '{search,contents_page,contents_changes}',
            '{"type":"integer","default":20}'),
        (4, 'limit', '{feed}', '{"type":"integer","default":100,"max":100}'),
        (5, 'limit', '{data_json}', '{"type":"integer","default":10000}'),
        (6, 'limit', '{catalog}', '{"type":"integer","default":100,"max":1000}'),
        (7, 'skip', lists || dcat || issues || sums || '{search,contents_page,contents_changes,feed,sitemap}',
            '{"type":"integer","default":0}'),
        (8, 'orderBy', lists || filters || dcat || sums || '{contents_page}', string),
        (9, 'sort', lists || filters || dcat || sums || '{contents_page}',
            '{"type":"string","enum":["ASC","DESC"],"default":"ASC"}'),
        (10, 'fields', lists || '{items,first,last,search,contents_page}', string),
        (11, 'include', lists || '{items,first,last}', string),
        (12, 'facets', lists || '{contents_page}', string),
        (13, 'facetLimit', lists || '{contents_page}', '{"type":"integer","default":20,"max":1000}'),
        (14, 'nearest', lists, '{"type":"boolean","default":false}'),
        (15, 'match', lists || filters || dcat || '{search,contents_page,feed}',
            '{"type":"string","enum":["BEGINS","ENDS","EXACT","CONTAINS"],"default":"CONTAINS"}'),
        (16, 'condition', lists || filters || dcat || '{search,contents_page,feed}',
            '{"type":"string","enum":["AND","OR"],"default":"OR"}'),
        (17, 'version', lists || filters || dcat || sheet || visuals || sums || '{search,contents_sheets}',
            '{"type":"datetime"}'),
        (18, 'deleted', lists || filters || '{search}', '{"type":"string","enum":["only","with"]}'),
        (19, 'sheet', sheet, string),
        (20, 'from', '{contents_changes}', '{"type":"datetime","required":true}'),
        (21, 'to', '{contents_changes}', '{"type":"datetime"}'),
        (22, 'key', '{contents_changes}', '{"type":"string","required":true}'),
        (23, 'types', '{contents_page,contents_changes}', '{"type":"boolean","default":false}'),
        (24, 'histogram', '{contents_page}', string),
        (25, 'distinct', '{contents_page}', string),
        (26, 'groupBy', '{contents_page}', string),
        (27, 'groupBy', '{usage,statistics_summary}',
            '{"type":"string","enum":["day","month","resource","method","client"]}'),
        (28, 'groupBy', '{statistics_downloads}', '{"type":"string","enum":["day","month","dataset","file"]}'),
        (29, 'day', sums, '{"type":"date"}'),
        (30, 'month', sums, string),
        (31, 'resource', '{statistics_summary}', string),
        (32, 'method', '{statistics_summary}', string),
        (33, 'client', '{statistics_summary}', string),
        (34, 'dataset', '{statistics_downloads}', string),
        (35, 'file', '{statistics_downloads}', string),
        (36, 'aggregate', '{contents_page}', string),
        (37, 'bbox', '{map_geojson}', string),
        (38, 'properties', '{map_geojson}', string),
        (39, 'bom', lists || sums || '{contents_page,chart_data}', '{"type":"boolean","default":false}')) p)
    SELECT '{' || string_agg(format('"%s":{%s}', r.function,
        (SELECT string_agg(format('"%s":%s', p.name, p.facts), ',' ORDER BY p.n)
         FROM parameters p WHERE r.function = ANY (p.functions))), ',' ORDER BY r.n) || '}'
    FROM readings r
    WHERE CASE WHEN $1 IS NULL THEN r.path = coalesce(lower($2), r.path) ELSE r.resource IN ('*', $1) END;
$$;
COMMENT ON FUNCTION catalogue.parameters(text, text) IS
'Return what functions take in the query string; part of describe()
Arguments: resource, whose functions; NULL: those of a path that begins with path and belongs to no resource, or of all
such paths.';

CREATE FUNCTION catalogue.describe(resource text, actor jsonb DEFAULT NULL, id text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_describe';
COMMENT ON FUNCTION catalogue.describe(text, jsonb, text) IS
'Describe a resource
Arguments: resource, its path word, any letter case, or a path of no resource that takes parameters: search, rss. actor,
{"user": id} for a user, {} for an outsider, NULL for a database user, who is trusted. id, a record: what may be done
with this one; NULL for what may be done with some.
Returns: data is an object: resource, model, description, fields (type, required, max, unique, enum, reference,
readOnly, default) and relations that the actor sees, actions of the resource, allowed (those that the actor may do),
create and update (names that the actor may give values for), parameters (for each function that reads a query string,
the parameters of that), filtering (the functions that take each field as a filter besides). Of a path of no resource:
parameters only.
Errors: OD404 no such resource.
Source: Response envelopes (OPTIONS); extension/services/describe.c';

CREATE FUNCTION catalogue.describe_all(actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_describe_all';
COMMENT ON FUNCTION catalogue.describe_all(jsonb) IS
'Describe all resources that the caller sees, or may do something with
Arguments: actor, as for catalogue.describe().
Returns: data is an object: resources, by path word what catalogue.describe() returns of each; parameters, those of the
functions whose paths belong to no resource.
Source: Response envelopes (OPTIONS); extension/services/describe.c';

CREATE FUNCTION catalogue.login(body json, address text DEFAULT NULL, strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_login';
COMMENT ON FUNCTION catalogue.login(json, text, boolean) IS
'Check a user name and a password
Arguments: body, an object with the strings username and password.  address, of the client, whose failures are counted;
NULL for none. strict, whether other members are faults; else they are ignored and named.
Returns: data is an object: user (id), username, role; version is the instant that the user''s tokens are to bear, as
member session of the actor. Where they do not fit, or the user may not log in, id is NULL and data an empty object; no
error, so that the failure is counted.
Errors: OD400 one is missing, or is not known and strict, with all faults as JSON in the detail; OD429 too many failures
of the name or from the address, with the seconds to wait as JSON in the detail. Settings:
catalogue.login_failures_name, login_failures_address, login_window, parallel_hashes.
Source: Authentication 3; extension/account/user.c, extension/call/actor.c';

CREATE FUNCTION catalogue.confirm_password(id text, body json, actor jsonb DEFAULT NULL, address text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_confirm_password';
COMMENT ON FUNCTION catalogue.confirm_password(text, json, jsonb, text) IS
'Check currentPassword before a user changes his own password
Arguments: id, of the user.  body, actor: those of the catalogue.update() that follows.  address, of the client, whose
failures are counted; NULL for none.
Returns: id is that of the user where currentPassword is right, or none is needed: not after a login in the last hour,
which the member login of the actor, "recent", tells, if the body has passwordConfirm. Where it is wrong id is NULL, and
data has the fault as JSON; no error, so that the failure is counted, as one of a login.  catalogue.update() checks the
password too, and counts nothing.
Errors: OD429 too many failures of the user name or from the address, with the seconds to wait as JSON in the detail;
else those of catalogue.update(). Settings: catalogue.login_failures_name, login_failures_address, login_window,
parallel_hashes.
Source: Authentication 3; extension/services/client_token.c, account/user.c';

CREATE FUNCTION catalogue.logout(actor jsonb) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_logout';
COMMENT ON FUNCTION catalogue.logout(jsonb) IS
'End all tokens of a user
Arguments: actor, {"user": id}.
Returns: data is an empty object.  The record, its history and the action log do not change.
A new password, deactivation, deletion, and a change of active end them too.
Errors: OD401 no user, or one who may not log in.
Source: Authentication 3; extension/account/user.c';

CREATE FUNCTION catalogue.session(actor jsonb) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_session';
COMMENT ON FUNCTION catalogue.session(jsonb) IS
'Return the user of a credential
Arguments: actor, {"user": id}; with the member session also that the tokens of the user were not ended since.
Returns: as catalogue.login().  Errors: OD401 the user is gone, deactivated or not active, or the session has ended.
Source: Additional endpoints (refreshToken); extension/account/user.c';

CREATE FUNCTION catalogue.entry(base text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_entry';
COMMENT ON FUNCTION catalogue.entry(text, jsonb) IS
'List the resources and their addresses
Arguments: base, what addresses begin with, such as https://data.example.org.  actor, {"user": id} for a user, {} for an
outsider, NULL for a database user, who is trusted.
Returns: data is an object: for each resource that the actor may see list, search, count and describe, the addresses.
Errors: 22004 base is null; OD401 the actor''s user may not log in.
Source: Request rules (hypermedia); extension/services/describe.c';

CREATE FUNCTION catalogue.roles(actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    SELECT json_agg(json_build_object('id', r, 'name', r)) INTO reply.data
    FROM unnest(enum_range(NULL::catalogue.role)) r;
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.roles(jsonb) IS
'List the roles of users
Arguments: actor, who asks.  Returns: data is an array of objects with id and name, which are the same.
Source: Authentication 6';

CREATE FUNCTION catalogue.health() RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    SELECT format('{"status":"ok","extension":%s}', to_json(e.extversion)) INTO reply.data
    FROM pg_catalog.pg_extension e WHERE e.extname = 'catalogue';
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.health() IS
'Report that the database responds
Returns: data is an object: status ok, version of the extension.';

CREATE FUNCTION catalogue.record_statistics(entries text, sender text DEFAULT NULL, serial bigint DEFAULT NULL)
    RETURNS bigint
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_record_statistics';
COMMENT ON FUNCTION catalogue.record_statistics(text, text, bigint) IS
'Record requests in the statistics
Arguments: entries, one line a request: time (microseconds since 1970), method, resource, endpoint, querystring, user
(id), useragent, ip, separated by tabs; all but the time may be empty. sender, a name that no other sender has; serial,
the number of this batch, greater than those of the sender''s earlier ones: a batch that is sent again is stored once.
NULL: no such check. Values are cut to what the columns hold; an unknown method becomes OTHER, nothing becomes -
(client: anonymous). Triggers of the table are not run; where it is hidden, records are stored all the same.
Returns: how many records were stored; 0 for a batch that is there already.
Errors: 22023 a line that is no such entry; 42501 no privilege to insert; 42P01 no such table; 42809 it is no ordinary
table; 0A000 row security applies to it.
Source: Statistic; extension/services/statistics.c, extension/pg/bulk_insert.c';
