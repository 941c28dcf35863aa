-- Imports: datasets and files made of the document of another catalogue, and the reports of it.

-- Return the languages in which texts are taken, the best one first; part of catalogue.import().  They are that of
-- config catalogLanguage, then those of catalogue.search_languages.  Returns: tag, in small letters; n, its rank.
CREATE FUNCTION catalogue.text_languages() RETURNS TABLE (tag text, n bigint) LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY SELECT l.tag, min(l.n)
    FROM (SELECT catalogue.dcat_value('languages', to_jsonb(c.value)) ->> 0, 0
          FROM catalogue.configs c WHERE c.key = 'catalogLanguage' AND c.deleted_at IS NULL
          UNION ALL
          SELECT catalogue.vocabulary_terms(false) #>> ARRAY['language', s.name, 'name'], s.n
          FROM string_to_table(catalogue.search_languages(), ',') WITH ORDINALITY s(name, n)) l(tag, n)
    WHERE l.tag IS NOT NULL
    GROUP BY l.tag;
END
$$;

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
Errors of an entry refuse that one only.';

CREATE FUNCTION catalogue.import_upload(upload text, body json, details json, actor jsonb DEFAULT NULL,
    strict boolean DEFAULT false) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_import_upload';
COMMENT ON FUNCTION catalogue.import_upload(text, json, json, jsonb, boolean) IS
'Import the document of an upload
A document of at most 1 MiB in JSON is imported at once; another one, or one in Turtle, N-Triples or RDF/XML, by a job.
Arguments: upload, id of one that catalogue.upload_begin() has begun for resource imports. body, an object: the members
of that of catalogue.import() besides the document; NULL for that which upload_begin() was given. details, an object:
type, media type of the bytes, of which those of application/json are the whole body, unless part is true: then they are
the document of a form; digest and offset as for catalogue.upload_finish().  actor, strict: as for catalogue.import().
Returns: as catalogue.import(); of a job its id.
Errors: as catalogue.import() and catalogue.upload_finish(); OD409 the upload is not for an import.';

CREATE FUNCTION catalogue.import_dcat(document json, source text DEFAULT NULL, options json DEFAULT '{}',
    actor jsonb DEFAULT NULL)
    RETURNS json
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_import_dcat';
COMMENT ON FUNCTION catalogue.import_dcat(json, text, json, jsonb) IS
'Make datasets and files of the entries of a document, in SQL
Arguments: document, source, actor: as for catalogue.import(). options, an object with its other members: dryRun,
publish, partial, gone, acceptLoss, take, category, organization.
Returns: the report.  Errors: those of catalogue.import().';

-- Describe imports of addresses; part of catalogue.imports().  Arguments: id of an import or of its job, whose whole
-- report is given, NULL: all.  owner, user who sees them, * for all. Errors: OD404 there is none of the id.
CREATE FUNCTION catalogue.imports_of(id text, owner text) RETURNS json LANGUAGE plpgsql STABLE AS
$$
DECLARE
    found  json;
BEGIN
    SELECT coalesce(json_agg(json_build_object('id', h.id, 'source', h.source, 'url', h.url, 'endedAt', h.ended_at,
        'report', CASE WHEN $1 IS NULL THEN catalogue.report_counts(h.report) ELSE h.report END,
        'failedAt', h.failed_at, 'failureReason', h.failure,
        'nextRun', (SELECT u.next_run FROM catalogue.updatefrequencies u WHERE u.id = h.frequency
            AND u.deleted_at IS NULL),
        'failing', coalesce(h.failed_at > h.ended_at, h.failed_at IS NOT NULL), 'dryRun', h.dry_run,
        'publish', coalesce((h.options ->> 'publish')::boolean, false), 'updateFrequency', h.frequency, 'job', h.job,
        'state', (SELECT j.state FROM catalogue.jobs j WHERE j.id = h.job), 'runs', CASE WHEN $1 IS NOT NULL THEN
            (SELECT coalesce(json_agg(json_build_object('job', r.job, 'endedAt', r.ended_at, 'report', r.report,
                 'failureReason', r.failure) ORDER BY r.ended_at DESC, r.job), '[]')
             FROM catalogue.harvest_run r WHERE r.harvest = h.id) END)
        ORDER BY h.source, h.dry_run), '[]')
    INTO found
    FROM catalogue.harvest h WHERE ($1 IS NULL OR $1 IN (h.id, h.job)) AND $2 IN (h."user", '*');
    IF $1 IS NOT NULL AND json_array_length(found) = 0 THEN
        RAISE EXCEPTION SQLSTATE 'OD404' USING MESSAGE = format('there is no import "%s" of an address', $1);
    END IF;
    RETURN found;
END
$$;

-- Delete an import of an address; part of catalogue.delete_import().  Arguments: as of imports_of().  Returns: id of
-- the import.  Errors: OD404; OD409 it is queued or running.
CREATE FUNCTION catalogue.drop_import(id text, owner text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    harvest  record;
BEGIN
    SELECT h.id, h.job INTO harvest
    FROM catalogue.harvest h WHERE $1 IN (h.id, h.job) AND $2 IN (h."user", '*') FOR UPDATE OF h;
    IF NOT FOUND THEN
        RAISE EXCEPTION SQLSTATE 'OD404' USING MESSAGE = format('there is no import "%s" of an address', $1);
    ELSIF EXISTS (SELECT FROM catalogue.job_queue q WHERE q.job = harvest.job) THEN
        RAISE EXCEPTION SQLSTATE 'OD409' USING MESSAGE = 'the import is queued or running',
            HINT = 'Cancel its job first.';
    END IF;
    DELETE FROM catalogue.harvest h WHERE h.id = harvest.id;
    RETURN harvest.id;
END
$$;

-- Queue an import of an address now; part of catalogue.run_import().  Arguments: as of imports_of().  Returns: id of
-- the job.  Errors: OD404; OD409 it has no address.
CREATE FUNCTION catalogue.requeue_import(id text, owner text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    harvest  record;
BEGIN
    SELECT h.id, h.url INTO harvest
    FROM catalogue.harvest h WHERE $1 IN (h.id, h.job) AND $2 IN (h."user", '*') FOR UPDATE OF h;
    IF NOT FOUND THEN
        RAISE EXCEPTION SQLSTATE 'OD404' USING MESSAGE = format('there is no import "%s" of an address', $1);
    ELSIF harvest.url IS NULL THEN
        RAISE EXCEPTION SQLSTATE 'OD409' USING MESSAGE = 'the import has no address to be fetched from',
            HINT = 'Send its document again.';
    END IF;
    RETURN catalogue.enqueue_harvest(harvest.id);
END
$$;

CREATE FUNCTION catalogue.imports(actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_imports';
COMMENT ON FUNCTION catalogue.imports(jsonb) IS
'List the imports of addresses
Arguments: actor, as for catalogue.import(): a user''s own, a superadmin all.
Returns: data is an array, by source, of what catalogue.import_report() returns; report has no entries, runs is
null.
Errors: OD401; OD403 the actor may not create datasets.';

CREATE FUNCTION catalogue.import_report(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_import_report';
COMMENT ON FUNCTION catalogue.import_report(text, jsonb) IS
'Return an import of an address with its last report
Arguments: id of the import, or of its last job. actor, as for catalogue.import().
Returns: data is an object: id, url, source, dryRun, publish, updateFrequency, nextRun, job; endedAt and report of the
last success, null before; failedAt and failureReason of the last failure; failing, whether that is the later one;
state of the job; runs, an array of the last 100 jobs that have ended, the latest one first: job, endedAt, the counts of
its report or failureReason.
Errors: OD404 there is none, or it is another user''s; OD401; OD403.';

CREATE FUNCTION catalogue.delete_import(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_delete_import';
COMMENT ON FUNCTION catalogue.delete_import(text, jsonb) IS
'Delete an import of an address, so that it is not done again
What it has made stays, and so do the identifiers by which another import of the source knows it.
Arguments: id of the import, or of its last job. actor, as for catalogue.import().
Errors: OD404 there is none, or it is another user''s; OD409 its job is queued or running: cancel it first; OD401;
OD403.';

CREATE FUNCTION catalogue.run_import(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_run_import';
COMMENT ON FUNCTION catalogue.run_import(text, jsonb) IS
'Have an import of an address done now
It is done for the user who asked for the import, with the options that were given then.
Arguments: id of the import, or of its last job. actor, as for catalogue.import().
Returns: id of the job, which may have been queued before.
Errors: OD404 there is none, or it is another user''s; OD409 a document was sent in place of an address; OD401; OD403
also with a limited key.';
