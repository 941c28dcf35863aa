-- Several changes in one transaction, and changes that are made once for a key.

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
Source: Standard endpoint set, Errors';

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
with the line in which each row begins; rows that cannot be read are reported before the values of the others are looked
at.
Source: Standard endpoint set, Errors';

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
Source: POST with Idempotency-Key';
