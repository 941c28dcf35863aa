-- Changes of a record, the triggers of every exposed table, and what they maintain.

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
Source: Standard endpoint set, Errors';

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
Source: Standard endpoint set, Errors';

CREATE FUNCTION catalogue.dataset_facts(optionals json, OUT license text, OUT place text, OUT data_date date)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_dataset_facts';
COMMENT ON FUNCTION catalogue.dataset_facts(json) IS
'Return what optionals of a dataset tell of licence, place and date
Arguments: optionals, of a dataset; NULL gives nothing.
Returns: license and place, the text of license and of spatial, of an object its name, title, label, prefLabel or @id,
of a list the first one, cut to 250 characters; a place is no shape and no coordinates. data_date, the date of modified,
else of issued, else the end of temporal, else its start; a year or a month alone is its first day. The triggers of
datasets keep them in columns.
Source: Resources and their fields (optionals)';

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
Source: What the service does 7';

CREATE FUNCTION catalogue.restore(resource text, id text, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_restore';
COMMENT ON FUNCTION catalogue.restore(text, text, text, text, jsonb, text) IS
'Bring a deleted or deactivated record back
Arguments: as for catalogue.update(), without body.  What was deleted with the record comes back with it.
Errors: OD404 no such deleted record; OD409 its name is taken, or a record that it refers to is gone; OD401; OD403;
OD405.
Source: What the service does 7';

-- Make the maps and charts of a file again; part of contents_reparse().
CREATE FUNCTION catalogue.make_derived(file text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_make_derived';

CREATE FUNCTION catalogue.deactivate(resource text, id text, "return" text DEFAULT 'minimal',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_deactivate';
COMMENT ON FUNCTION catalogue.deactivate(text, text, text, text, jsonb, text) IS
'Hide a record from outsiders
Arguments: as for catalogue.restore().  Internal users see the record with deletedAt set; restore brings it back.
Errors: OD404 no such record, or the resource does not take it; OD401; OD403.
Source: What the service does 7';

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
Source: States and transitions';

-- Trigger BEFORE INSERT OR UPDATE: complete and validate a record.  Triggers of every exposed table.
CREATE FUNCTION catalogue.check_record() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_check_record';

-- Trigger BEFORE DELETE: delete a record logically instead.
CREATE FUNCTION catalogue.delete_logically() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_delete_logically';

-- Trigger AFTER INSERT and AFTER UPDATE: action log, counter, cascades.
CREATE FUNCTION catalogue.record_changes() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_record_changes';

-- Trigger AFTER INSERT, UPDATE and DELETE of a join table: check references, maintain lists of ids.
CREATE FUNCTION catalogue.keep_lists() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_keep_lists';

CREATE FUNCTION catalogue.relist(resource text, id text) RETURNS void
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'catalogue_relist';
COMMENT ON FUNCTION catalogue.relist(text, text) IS
'Bring the lists of ids of a record in line with the join tables
Arguments: resource, its path word.  id, the record''s.  Needed only after rows were changed with the triggers disabled;
catalogue.check_all() names the records.
Errors: OD404 no such resource.  Source: Resources and their fields (many-to-many)';

CREATE FUNCTION catalogue.followers(log text, resource text, record text) RETURNS json
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_followers';
COMMENT ON FUNCTION catalogue.followers(text, text, text) IS
'List the records whose status followed that of another record
Arguments: log, id of the log record of the other one''s action.  resource and record, its path word and id.
Returns: an array of objects of those that have not their former status now: path, id, status, the former one, changed,
whether they have another one than the action gave them. Files come before the charts and maps that are made of them.
Part of undo().
Source: States and transitions';

CREATE FUNCTION catalogue.is_parse_options(options json) RETURNS boolean
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_parse_options';
COMMENT ON FUNCTION catalogue.is_parse_options(json) IS
'Tell whether an object is valid for parseOptions of a file
Arguments: options, an object with any of: encoding, a name that the C library knows; delimiter, one character, or empty
for a single column; decimal, "." or ","; header, whether there is a row of names, or its number from 1; skip, how many
rows at the beginning are passed over; dates, DMY, MDY or YMD; missing, an array of up to 20 texts that stand for no
value. A member that is null is to be found.
Source: File';

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
Source: Authentication 3';
