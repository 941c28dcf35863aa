-- Harvests: other catalogues that the worker fetches and imports, by jobs of kind import.

-- Require that a user may import from a source.  It belongs to who imports from it first, and to his organization.
-- Arguments: source, its name; user, id, empty for nobody; dry_run, then it does not become the user's. Errors: OD403
-- it belongs to a user of another organization. Part of catalogue.import().
CREATE FUNCTION catalogue.require_import_source(source text, "user" text, dry_run boolean) RETURNS void
    LANGUAGE plpgsql AS
$$
DECLARE
    organization  text;
BEGIN
    IF NOT dry_run AND $2 <> '' THEN
        INSERT INTO catalogue.import_source VALUES ($1, $2) ON CONFLICT DO NOTHING;
    END IF;
    SELECT o.name INTO organization
    FROM catalogue.import_source s JOIN catalogue.users u ON u.id = s."user"
        JOIN catalogue.organizations o ON o.id = u.organization
    WHERE s.source = $1 AND s."user" <> $2
        AND NOT EXISTS (SELECT FROM catalogue.users m WHERE m.id = $2 AND m.organization = u.organization);
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OD403',
            MESSAGE = format('source "%s" belongs to organization "%s"', $1, organization),
            HINT = 'A user of it was the first to import from the source. Give the source another name.';
    END IF;
END
$$;

-- Return the counts of a report; part of catalogue.keep_run() and catalogue.imports_of().
CREATE FUNCTION catalogue.report_counts(report json) RETURNS json LANGUAGE sql IMMUTABLE STRICT
BEGIN ATOMIC
    SELECT json_build_object('created', $1 -> 'created', 'updated', $1 -> 'updated', 'unchanged', $1 -> 'unchanged',
        'refused', $1 -> 'refused', 'gone', $1 -> 'gone');
END;

-- Keep how a job of a harvest has ended, with the 99 before it.
CREATE FUNCTION catalogue.keep_run() RETURNS trigger LANGUAGE plpgsql AS
$$
DECLARE
    failed  CONSTANT boolean := new.failed_at IS DISTINCT FROM old.failed_at;
BEGIN
    INSERT INTO catalogue.harvest_run (job, harvest, ended_at, report, failure)
    VALUES (new.job, new.id, CASE WHEN failed THEN new.failed_at ELSE new.ended_at END,
        CASE WHEN NOT failed THEN catalogue.report_counts(new.report) END, CASE WHEN failed THEN new.failure END)
    ON CONFLICT (job) DO UPDATE
    SET ended_at = excluded.ended_at, report = excluded.report, failure = excluded.failure;
    DELETE FROM catalogue.harvest_run r
    WHERE r.job IN (SELECT o.job FROM catalogue.harvest_run o WHERE o.harvest = new.id
                    ORDER BY o.ended_at DESC, o.job OFFSET 100);
    RETURN NULL;
END
$$;

CREATE FUNCTION catalogue.enqueue_harvest(id text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    made  text := catalogue.enqueue_part('import', 'harvest', $1, '{}', 'internal', NULL);
BEGIN
    UPDATE catalogue.harvest h SET job = made WHERE h.id = $1;
    RETURN made;
END
$$;
COMMENT ON FUNCTION catalogue.enqueue_harvest(text) IS
'Queue the import of another catalogue
Arguments: id of the harvest.  Returns: id of the job, which may have been queued before.';

-- Queue the import of a document that was uploaded.  Earlier ones of the source whose jobs have ended are deleted.
-- Arguments: source, dry_run, options: of the import. user, id of who asked for it.  document, JSON; or NULL, and blob
-- has it, which the worker converts; type, its media type, empty if it is not known. Returns: id of the job. Part of
-- catalogue.import_upload().
CREATE FUNCTION catalogue.enqueue_import(source text, dry_run boolean, options json, "user" text, document json,
    blob bigint, type text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    made  text;
    job   text;
BEGIN
    DELETE FROM catalogue.harvest h
    WHERE h.source = $1 AND h.dry_run = $2 AND h.url IS NULL
        AND NOT EXISTS (SELECT FROM catalogue.job_queue q WHERE q.job = h.job);
    INSERT INTO catalogue.harvest (source, dry_run, options, "user", blob, began_at)
    VALUES ($1, $2, $3, $4, $6, now())
    RETURNING id INTO made;
    job := catalogue.enqueue_harvest(made);
    INSERT INTO catalogue.harvest_page (harvest, number, job, url, state, document)
    -- what the worker reads in place of an address: blob, media type, and what IRIs are relative to
    VALUES (made, 1, job, CASE WHEN $5 IS NULL THEN concat_ws(' ', 'blob:' || $6,
            coalesce(nullif(translate($7, ' ', ''), ''), '-'),
            coalesce(substring($1 FROM '^https?://[^[:space:]]+$'), 'http://source.invalid/'))
        ELSE 'blob:' END, CASE WHEN $5 IS NULL THEN 'o' ELSE 'd' END, $5);
    RETURN job;
END
$$;

-- Queue the harvests that are due by their update frequency.  One that is queued or running gets no second job.  Part
-- of catalogue.dispatch().
CREATE FUNCTION catalogue.dispatch_harvests() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.enqueue_harvest(h.id)
    FROM catalogue.harvest h JOIN catalogue.updatefrequencies u ON u.id = h.frequency
    WHERE u.next_run <= now() AND u.deleted_at IS NULL
        AND NOT EXISTS (SELECT FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
                        WHERE q.kind = 'import' AND j.resource = h.id);
END
$$;

CREATE FUNCTION catalogue.harvest_of(job text, worker text) RETURNS text LANGUAGE plpgsql STABLE AS
$$
DECLARE
    harvest  CONSTANT text := (SELECT j.resource FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
                               WHERE q.job = $1 AND q.worker = $2 AND q.kind = 'import');
BEGIN
    IF harvest IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = format('job "%s" does not belong to the worker', $1);
    END IF;
    RETURN harvest;
END
$$;
COMMENT ON FUNCTION catalogue.harvest_of(text, text) IS
'Return the harvest of a job that a worker has
Arguments: job, worker.  Errors: OD409 the worker does not have it.';

CREATE FUNCTION catalogue.harvest_held(job text, worker text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM FROM catalogue.job_queue q WHERE q.job = $1 FOR UPDATE;
    RETURN catalogue.harvest_of($1, $2);
END
$$;
COMMENT ON FUNCTION catalogue.harvest_held(text, text) IS
'Return the harvest of a job that a worker has, and lock the job
Arguments: job, worker.  Errors: OD409 the worker does not have it.';

-- Wait until no other import is executed.  However long they take: lock_timeout does not apply. None begins before the
-- end of the transaction. Part of catalogue.harvest_import().
CREATE FUNCTION catalogue.await_imports() RETURNS void LANGUAGE plpgsql SET lock_timeout = 0 AS
$$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('catalogue.import', 0));
END
$$;

-- Set a number in an address; part of catalogue.harvest_ckan().  An address with a parameter of its query set to a
-- value.
CREATE FUNCTION catalogue.url_with(url text, name text, value bigint) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT CASE WHEN url ~ ('[?&]' || $2 || '=') THEN regexp_replace(url, '([?&]' || $2 || '=)[^&#]*', '\1' || $3)
        ELSE regexp_replace(url, '^([^#]*)', '\1' || CASE WHEN url ~ '\?' THEN '&' ELSE '?' END || $2 || '=' || $3) END;
END;

CREATE FUNCTION catalogue.harvest_ckan(url text, result json) RETURNS SETOF text LANGUAGE plpgsql STABLE AS
$$
DECLARE
    list   CONSTANT json := CASE json_typeof(result) WHEN 'array' THEN result
                            WHEN 'object' THEN result -> 'results' END;
    given  CONSTANT int := CASE WHEN json_typeof(list) = 'array' THEN json_array_length(list) ELSE 0 END;
    past   bigint;
BEGIN
    IF json_typeof(list -> 0) = 'string' THEN
        RETURN QUERY SELECT regexp_replace(url, '/[^/?#]*(\?.*)?(#.*)?$', '/package_show?id=')
                || catalogue.url_encoded(e.name)
            FROM json_array_elements_text(list) e(name)
            WHERE e.name <> '';
    ELSIF json_typeof(result) = 'object' THEN
        past := coalesce(substring(url FROM '[?&]start=([0-9]{1,9})(?:[&#]|$)')::bigint, 0) + given;
        IF given > 0 AND past < coalesce(substring(result ->> 'count' FROM '^[0-9]{1,9}$')::bigint, 0) THEN
            RETURN NEXT catalogue.url_with(url, 'start', past);
        END IF;
    ELSIF given > 0 AND given = substring(url FROM '[?&]limit=([0-9]{1,9})(?:[&#]|$)')::bigint THEN
        past := coalesce(substring(url FROM '[?&]offset=([0-9]{1,9})(?:[&#]|$)')::bigint, 0) + given;
        RETURN NEXT catalogue.url_with(url, 'offset', past);
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.harvest_ckan(text, json) IS
'Return the addresses that an answer of CKAN leads to
Arguments: url, its address.  result, its member of that name: of package_list, the names of all packages; of
package_search and current_package_list_with_resources, packages, unless they are the last ones.
Returns: addresses of package_show, or of the next page.
Source: CKAN API guide, version 3';

CREATE FUNCTION catalogue.harvest_hydra(document json) RETURNS SETOF text LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT n.next #>> '{}'
    FROM (SELECT $1
          UNION ALL SELECT e.value
          FROM json_array_elements(CASE 'array' WHEN json_typeof($1) THEN $1
              WHEN json_typeof($1 -> '@graph') THEN $1 -> '@graph' END) e(value)) t(top),
        LATERAL (SELECT t.top UNION ALL SELECT t.top -> 'hydra:view' UNION ALL SELECT t.top -> 'view') v(view),
        LATERAL (SELECT CASE WHEN json_typeof(v.view) = 'object' THEN coalesce(v.view -> 'hydra:next',
            v.view -> 'http://www.w3.org/ns/hydra/core#next', v.view -> 'next', v.view -> 'hydra:nextPage',
            v.view -> 'http://www.w3.org/ns/hydra/core#nextPage') END) a(found),
        LATERAL (SELECT CASE json_typeof(a.found) WHEN 'array' THEN a.found -> 0 ELSE a.found END) f(first),
        LATERAL (SELECT CASE json_typeof(f.first) WHEN 'object' THEN coalesce(f.first -> '@id', f.first -> '@value')
            ELSE f.first END) n(next)
    WHERE json_typeof(n.next) = 'string';
END;
COMMENT ON FUNCTION catalogue.harvest_hydra(json) IS
'Return the addresses of the next page that JSON-LD names
Arguments: document, an object or an array of objects, of which each may be a page; also one of a graph.
Returns: addresses, at most one where the document is right.
Source: Hydra Core Vocabulary, PartialCollectionView, and the older PagedCollection';

-- Resolve a reference against an address (RFC 3986).  Segments "." and ".." stay: the library that fetches removes
-- them. Arguments: base, an absolute http: or https: URL.  reference.  Returns: NULL for the address itself. Part of
-- catalogue.harvest_links().  An address that a document names, which may be relative to that of the document.
CREATE FUNCTION catalogue.url_resolved(base text, reference text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT CASE
        WHEN r.r = '' THEN NULL
        WHEN r.r ~ '^[A-Za-z][A-Za-z0-9+.-]*:' THEN r.r
        WHEN r.r ~ '^//' THEN substring(base FROM '^[^:]*:') || r.r
        WHEN r.r ~ '^/' THEN substring(base FROM '^[^:]*://[^/?#]*') || r.r
        WHEN r.r ~ '^\?' THEN substring(base FROM '^[^?#]*') || r.r
        ELSE regexp_replace(regexp_replace(substring(base FROM '^[^?#]*'), '^([^:]*://[^/]*)$', '\1/'), '[^/]*$', '')
            || r.r
        END
    FROM (SELECT regexp_replace(btrim(reference, E' \t\r\n'), '#.*$', '')) r(r);
END;

CREATE FUNCTION catalogue.harvest_links(url text, document json, header text DEFAULT '', OUT link text,
    OUT reason text) RETURNS SETOF record LANGUAGE plpgsql STABLE AS
$$
DECLARE
    named  text[];
BEGIN
    -- addresses in a document that was uploaded are not followed
    IF json_typeof(document) NOT IN ('object', 'array') OR url LIKE 'blob:%' THEN
        RETURN;
    END IF;
    named := ARRAY(SELECT c.url FROM catalogue.harvest_ckan($1, document -> 'result') c(url)
                   WHERE document ->> 'success' = 'true'
                   UNION ALL
                   SELECT catalogue.url_resolved($1, h.next) FROM catalogue.harvest_hydra(document) h(next));
    IF named = '{}' THEN
        named := ARRAY[catalogue.url_resolved($1,
            substring(header FROM '(?i)<([^<>]*)>[^<>]*;\s*rel\s*=\s*"?(?:[^",;<>]*\s)?next(?=[\s",;]|$)'))];
    END IF;
    RETURN QUERY SELECT DISTINCT ON (n.url) left(n.url, 2000),
            CASE WHEN length(n.url) > 2000 THEN 'the address has more than 2,000 characters'
                WHEN lower(o.here) = lower(o.there) THEN NULL
                -- the same server, by its port for TLS
                WHEN o.here ~* '^http://[^:]+$' AND lower(o.there) = regexp_replace(lower(o.here), '^http', 'https')
                    THEN NULL
                ELSE 'the address is not of the server whose document leads to it' END
        FROM unnest(named) n(url),
            LATERAL (SELECT substring($1 FROM '(?i)^https?://[^/?#]+') AS here,
                substring(n.url FROM '(?i)^https?://[^/?#]+') AS there) o
        WHERE n.url IS NOT NULL;
END
$$;
COMMENT ON FUNCTION catalogue.harvest_links(text, json, text) IS
'Return the addresses of further documents that a document leads to
Arguments: url, its address.  document.  header, the field Link of the answer, whose relation next counts where the
document names no further one.
Returns: link, an address; reason, why it is not fetched, NULL for one of the same scheme, host and port, or of the same
host with https: in place of http:.';

-- Part of catalogue.harvest_next().
CREATE FUNCTION catalogue.harvest_next_part(job text, worker text, patience interval) RETURNS text
    LANGUAGE plpgsql AS
$$
DECLARE
    held   CONSTANT text := catalogue.harvest_held($1, $2);
    began  timestamptz;
    next   record;
BEGIN
    DELETE FROM catalogue.harvest_page p WHERE p.harvest = held AND p.job <> $1;
    INSERT INTO catalogue.harvest_page (harvest, number, job, url)
    SELECT h.id, 1, $1, h.url FROM catalogue.harvest h WHERE h.id = held AND h.url IS NOT NULL
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
        UPDATE catalogue.harvest h SET began_at = now(), bytes = 0 WHERE h.id = held;
    END IF;
    SELECT p.number, p.url INTO next FROM catalogue.harvest_page p WHERE p.harvest = held AND p.state = 'o'
    ORDER BY p.number LIMIT 1;
    SELECT h.began_at INTO began FROM catalogue.harvest h WHERE h.id = held;
    IF next.number > 1 AND began < now() - $3 THEN
        DELETE FROM catalogue.harvest_page p WHERE p.harvest = held AND p.state = 'o' AND p.number > next.number;
        UPDATE catalogue.harvest_page p SET state = 'f',
            reason = format('this document, and those after it, were not fetched within %s', $3)
        WHERE p.harvest = held AND p.number = next.number;
        RETURN NULL;
    END IF;
    RETURN next.url;
END
$$;

CREATE FUNCTION catalogue.harvest_next(job text, worker text, patience interval) RETURNS text
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.harvest_next(text, text, interval) IS
'Return the address that a job fetches next, for the worker
Arguments: job, worker that has it.  patience, how long all documents but the first may take: what is not fetched by
then is missing.
Returns: NULL when all documents have been fetched.
Errors: OD409 the worker does not have it.';

-- Part of catalogue.harvest_yield().
CREATE FUNCTION catalogue.harvest_yield_part(job text, worker text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    later  CONSTANT timestamptz := now() + interval '10 s';
BEGIN
    -- scans and readings have a process of their own
    IF NOT EXISTS (SELECT FROM catalogue.job_queue o
                   WHERE o.worker IS NULL AND o.due_at <= now() AND o.turn <= later AND o.kind NOT IN ('scan', 'parse'))
        OR NOT catalogue.job_release_part($1, $2) THEN
        RETURN false;
    END IF;
    UPDATE catalogue.job_queue q SET turn = later + interval '1 ms' WHERE q.job = $1;
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.harvest_yield(job text, worker text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.harvest_yield(text, text) IS
'Release a job if another one waits, for the worker
It is called between two documents.
Arguments: job of kind import, worker that has it.
Returns: whether the job was released, as by catalogue.job_release(); whoever takes it goes on with the next document.';

-- Part of catalogue.harvest_document().
CREATE FUNCTION catalogue.harvest_document_part(job text, worker text, document text, maximum bigint, header text)
    RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    held    CONSTANT text := catalogue.harvest_held($1, $2);
    given   CONSTANT json := catalogue.document_json(document);
    read    bigint;
    page    record;
    last    int;
    more    int;
    leads   boolean;
BEGIN
    UPDATE catalogue.harvest h SET bytes = h.bytes + octet_length($3) WHERE h.id = held RETURNING h.bytes INTO read;
    IF read > $4 THEN
        RAISE EXCEPTION USING ERRCODE = 'OD400', MESSAGE = format('the documents are too large: together they have %s '
            'bytes so far, and may have %s', read, $4);
    END IF;
    SELECT p.number, p.url INTO STRICT page FROM catalogue.harvest_page p
    WHERE p.harvest = held AND p.state = 'o' ORDER BY p.number LIMIT 1;
    SELECT max(p.number) INTO last FROM catalogue.harvest_page p WHERE p.harvest = held;
    INSERT INTO catalogue.harvest_page (harvest, number, job, url, state, reason)
    SELECT held, last + row_number() OVER (), $1, l.link, CASE WHEN l.reason IS NULL THEN 'o' ELSE 'f' END, l.reason
    FROM catalogue.harvest_links(page.url, given, $5) l
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS more = ROW_COUNT;
    IF last + more > 100000 THEN
        RAISE EXCEPTION USING ERRCODE = 'OD400', MESSAGE = 'the catalogue has more than 100,000 documents';
    END IF;
    leads := given -> 'result' ->> 0 IS NOT NULL AND json_typeof(given -> 'result' -> 0) = 'string';
    UPDATE catalogue.harvest_page p
    SET state = CASE WHEN leads THEN 'l' ELSE 'd' END, document = CASE WHEN NOT leads THEN given END
    WHERE p.harvest = held AND p.number = page.number;
    RETURN read;
END
$$;

CREATE FUNCTION catalogue.harvest_document(job text, worker text, document text, maximum bigint,
    header text DEFAULT '') RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.harvest_document(text, text, text, bigint, text) IS
'Store the document that a job has fetched, for the worker
It is that of the address of catalogue.harvest_next(). The documents that it leads to are fetched next: further pages,
and the packages that a list of CKAN names; at most 100,000 in all. One of another server is not fetched: it is missing.
Arguments: job of kind import, worker that has it; document, JSON; maximum, in bytes, of all documents of the job;
header, the field Link of the answer.
Returns: the bytes of the documents so far.
Errors: OD409 the worker does not have the job; 22P02 the document is no JSON, and what it is; OD400 there are more
documents, or they are larger.';

-- Part of catalogue.harvest_without().
CREATE FUNCTION catalogue.harvest_without_part(job text, worker text, reason text) RETURNS boolean
    LANGUAGE plpgsql AS
$$
DECLARE
    held  CONSTANT text := catalogue.harvest_held($1, $2);
BEGIN
    UPDATE catalogue.harvest_page p
    SET state = 'f', reason = $3
    WHERE p.harvest = held AND p.number > 1 AND p.number =
        (SELECT min(o.number) FROM catalogue.harvest_page o WHERE o.harvest = held AND o.state = 'o');
    RETURN FOUND;
END
$$;

CREATE FUNCTION catalogue.harvest_without(job text, worker text, reason text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.harvest_without(text, text, text) IS
'Store that a document cannot be had, for the worker
It is that of the address of catalogue.harvest_next().
Arguments: job of kind import, worker that has it; reason.
Returns: whether the harvest goes on: false where the address is its first one.
Errors: OD409 the worker does not have the job.';

CREATE FUNCTION catalogue.import_pages(harvest text, body json, actor jsonb, strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_import_pages';
COMMENT ON FUNCTION catalogue.import_pages(text, json, jsonb, boolean) IS
'Import the documents of a harvest; part of catalogue.harvest_import()
Several are one list. They are read one after the other, and their long strings cut, so that each is in memory twice at
most.
Arguments: harvest, its id. body, an object: the members of that of catalogue.import() besides the document.  actor,
strict: as for catalogue.import().
Returns and Errors: as catalogue.import().';

-- Return a document as JSON whose strings of more than 64 KiB are cut.  Errors: 22P02 it is no JSON. Part of
-- catalogue.harvest_document().
CREATE FUNCTION catalogue.document_json(document text) RETURNS json
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_document_json';

-- Part of catalogue.harvest_import().
CREATE FUNCTION catalogue.harvest_import_part(job text, worker text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    of_job  text;
    held    record;
BEGIN
    PERFORM catalogue.await_imports();
    -- not locked: an import may take minutes, in which the worker renews its lease, and the job may be cancelled
    of_job := catalogue.harvest_of($1, $2);
    SELECT h.id, h."user", p.missing, (h.options::jsonb || jsonb_build_object('source', h.source, 'dryRun', h.dry_run)
            || CASE WHEN p.missing IS NULL THEN '{}' ELSE '{"partial": true}'::jsonb END)::json AS body
    INTO STRICT held
    FROM catalogue.harvest h,
        LATERAL (SELECT json_agg(json_build_object('url', p.url, 'message', p.reason) ORDER BY p.number) AS missing
                 FROM catalogue.harvest_page p WHERE p.harvest = h.id AND p.state = 'f') p
    WHERE h.id = of_job;
    -- options that are for one import only are removed
    UPDATE catalogue.harvest h
    SET report = (SELECT (left(i.data, -1) || coalesce(',"missing":' || held.missing, '') || '}')::json
                  FROM catalogue.import_pages(held.id, held.body, jsonb_build_object('user', held."user")) i),
        ended_at = now(), options = (h.options::jsonb - '{acceptLoss,take}'::text[])::json, blob = NULL
    WHERE h.id = held.id;
    DELETE FROM catalogue.harvest_page p WHERE p.harvest = held.id;
END
$$;

CREATE FUNCTION catalogue.harvest_import(job text, worker text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.harvest_import(text, text) IS
'Import the documents that a job has fetched, for the worker
Arguments: job of kind import, worker that has it.
Errors: OD409 the worker does not have the job; those of catalogue.import(), such as OD401 where the user may not log in
any more.';

-- Store an import of an address, and queue it; part of import().  Arguments: columns of catalogue.harvest; of_others,
-- whether it replaces that of another user. Returns: id of the job.  Errors: OD403.  A harvest replaces an earlier one
-- of the source; a dry run replaces only a dry run.
CREATE FUNCTION catalogue.store_harvest(source text, dry_run boolean, url text, options json, "user" text,
    frequency text, of_others boolean) RETURNS text LANGUAGE plpgsql AS
$$
#variable_conflict use_column
DECLARE
    made  text;
BEGIN
    INSERT INTO catalogue.harvest AS h (source, dry_run, url, options, "user", frequency)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (source, dry_run) WHERE url IS NOT NULL DO UPDATE
    SET url = excluded.url, options = excluded.options, "user" = excluded."user", frequency = excluded.frequency
    WHERE h."user" = excluded."user" OR $7
    RETURNING catalogue.enqueue_harvest(h.id) INTO made;
    IF NOT FOUND THEN
        RAISE EXCEPTION SQLSTATE 'OD403' USING MESSAGE = 'this source is harvested by another user';
    END IF;
    RETURN made;
END
$$;
