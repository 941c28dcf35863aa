-- Remote services: a file is filled with the rows that its service answers, by jobs of kind fetch.

CREATE FUNCTION catalogue.address_of_file(file text, url text) RETURNS text LANGUAGE sql STABLE AS
$$
    SELECT coalesce(nullif($2, ''), catalogue.address_of_call() || '/files/' || $1 || '/download', $2)
$$;
COMMENT ON FUNCTION catalogue.address_of_file(text, text) IS
'Return the address of a file whose bytes its service brings
Arguments: file, its id.  url, the address that it has.
Returns: url; if that is empty the address of the download, where the running call came over HTTP.';

CREATE FUNCTION catalogue.permit_fetch(file text) RETURNS void
    LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'catalogue_permit_fetch';
COMMENT ON FUNCTION catalogue.permit_fetch(text) IS
'Require that a file''s contents may be changed by the running call
Arguments: file, its id.  A published file that the user may not publish returns to review.
Errors: OD401, OD403 no rule lets the user update the file; OD404 the user does not see it.
Source: Files (remote services)';

-- Trigger AFTER a change of services: show each with its file, and have the file filled.
CREATE FUNCTION catalogue.follow_service() RETURNS trigger LANGUAGE plpgsql AS
$$
DECLARE
    own    CONSTANT text := TG_ARGV[0];
    other  CONSTANT text := CASE own WHEN 'rest_service' THEN 'soap_service' ELSE 'rest_service' END;
BEGIN
    -- the answer replaces the contents of the file; a file that was created together with its service is the user's
    EXECUTE format('SELECT catalogue.permit_fetch(f.id) '
        'FROM later l JOIN catalogue.files f ON l.id = f.%1$I OR l.file = f.id '
        'WHERE l.deleted_at IS NULL AND f.deleted_at IS NULL AND f.created_at <> now()', own);
    -- a file that is deleted together with its service as well: it is restored before the service is
    IF TG_OP = 'UPDATE' THEN
        EXECUTE format('UPDATE catalogue.files f SET %1$I = NULL FROM earlier e JOIN later l USING (id) '
            'WHERE f.%1$I = e.id '
            'AND (l.deleted_at IS NOT NULL OR (f.id = e.file AND l.file IS DISTINCT FROM e.file))', own);
    END IF;
    EXECUTE format('UPDATE catalogue.files f SET %1$I = l.id, %2$I = NULL, '
        'url = catalogue.address_of_file(f.id, f.url) FROM later l '
        'WHERE f.id = l.file AND l.deleted_at IS NULL AND f.deleted_at IS NULL '
        'AND (f.%1$I IS DISTINCT FROM l.id OR f.%2$I IS NOT NULL)', own, other);
    -- the answer to other settings is another one
    UPDATE catalogue.fetched a SET service = NULL FROM later l WHERE a.service = l.id;
    EXECUTE format('SELECT catalogue.enqueue_fetch(f.id) FROM later l JOIN catalogue.files f ON f.%I = l.id', own);
    RETURN NULL;
END
$$;

-- Trigger AFTER a file got another service: have it filled.
CREATE FUNCTION catalogue.follow_file_service() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.enqueue_fetch(l.id)
    FROM later l JOIN earlier e USING (id)
    WHERE (l.rest_service, l.soap_service) IS DISTINCT FROM (e.rest_service, e.soap_service);
    RETURN NULL;
END
$$;

-- Trigger AFTER a file was created: have it filled by its service.
CREATE FUNCTION catalogue.follow_new_file() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.enqueue_fetch(l.id) FROM later l WHERE num_nonnulls(l.rest_service, l.soap_service) > 0;
    RETURN NULL;
END
$$;

CREATE FUNCTION catalogue.enqueue_fetch(file text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.files f
    SET url = catalogue.address_of_file(f.id, f.url)
    WHERE f.id = $1 AND f.deleted_at IS NULL AND num_nonnulls(f.rest_service, f.soap_service) > 0
        AND f.url IS DISTINCT FROM catalogue.address_of_file(f.id, f.url);
    RETURN catalogue.enqueue_part('fetch', 'file', f.id, '{}', 'internal', NULL)
    FROM catalogue.files f
    WHERE f.id = $1 AND f.deleted_at IS NULL AND num_nonnulls(f.rest_service, f.soap_service) > 0;
END
$$;
COMMENT ON FUNCTION catalogue.enqueue_fetch(text) IS
'Queue the fetch of a file from its remote service
A file without an address gets that of its download, if the change came over HTTP.
Arguments: file, its id.
Returns: id of the job, which may have been queued before; NULL: the file has no service, or was deleted.
Source: Files (remote services)';

-- Queue the fetches that are due by the update frequency of the file.  A file of which one is queued or running gets no
-- second one.  Part of catalogue.dispatch(). Source: Files (remote services).
CREATE FUNCTION catalogue.dispatch_fetches() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.enqueue_fetch(f.id)
    FROM catalogue.files f JOIN catalogue.updatefrequencies u ON u.id = f.update_frequency
    WHERE u.next_run <= now() AND u.deleted_at IS NULL AND f.deleted_at IS NULL
        AND num_nonnulls(f.rest_service, f.soap_service) > 0
        AND NOT EXISTS (SELECT FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
                        WHERE q.kind = 'fetch' AND j.resource = f.id);
END
$$;

-- Set when each file is fetched next, from its update frequency.  Part of catalogue.dispatch().  Source: Files (remote
-- services).
CREATE FUNCTION catalogue.set_next_fetches() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.files f
    SET next_fetch = n.next
    FROM (SELECT t.id, CASE WHEN num_nonnulls(t.rest_service, t.soap_service) > 0 AND u.deleted_at IS NULL
                            THEN u.next_run END AS next
          FROM catalogue.files t JOIN catalogue.updatefrequencies u ON u.id = t.update_frequency
          WHERE t.deleted_at IS NULL
              AND (t.rest_service IS NOT NULL OR t.soap_service IS NOT NULL OR t.next_fetch IS NOT NULL)) n
    WHERE f.id = n.id AND f.next_fetch IS DISTINCT FROM n.next;
END
$$;

CREATE FUNCTION catalogue.fetch_held(job text, worker text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    file  text;
BEGIN
    SELECT j.resource INTO file FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
    WHERE q.job = $1 AND q.worker = $2 AND q.kind = 'fetch' FOR UPDATE OF q;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = format('job "%s" does not belong to the worker', $1);
    END IF;
    RETURN file;
END
$$;
COMMENT ON FUNCTION catalogue.fetch_held(text, text) IS
'Return the file of a fetch that a worker has, and lock the job
Arguments: job, worker.  Errors: OD409 the worker does not have it.';

-- Part of catalogue.fetch_service().
CREATE FUNCTION catalogue.fetch_service_part(job text, worker text) RETURNS json LANGUAGE plpgsql AS
$$
DECLARE
    of_file   CONSTANT text := catalogue.fetch_held($1, $2);
    settings  json;
    former    catalogue.fetched;
BEGIN
    -- a condition is for the answer that the file has: other bytes may have been uploaded since
    SELECT a.* INTO former
    FROM catalogue.fetched a JOIN catalogue.stored_file s ON s.file = a.file AND s.blob = a.blob
    JOIN catalogue.files f ON f.id = a.file AND a.service = coalesce(f.rest_service, f.soap_service)
    WHERE a.file = of_file;
    SELECT json_build_object('kind', 'rest', 'url', r.url, 'parameters', r.parameters,
               'attributesAsHeaders', r.attributes_as_headers, 'dataPath', r.data_path, 'titlePath', r.title_path,
               'username', r.username, 'password', catalogue.secret('restservices', r.id, 'password'),
               'token', catalogue.secret('restservices', r.id, 'token'),
               'tokenSignature', catalogue.secret('restservices', r.id, 'tokenSignature'),
               'tokenAlgorithm', r.token_algorithm,
               'blob', former.blob::text, 'etag', former.etag, 'lastModified', former.last_modified,
               'held', current_setting('catalogue.hold_uploads')::boolean)
    INTO settings
    FROM catalogue.files f JOIN catalogue.restservices r ON r.id = f.rest_service
    WHERE f.id = of_file AND f.deleted_at IS NULL AND r.deleted_at IS NULL;
    IF NOT FOUND THEN
        SELECT json_build_object('kind', 'soap', 'url', s.url, 'parameters', s.parameters,
                   'attributesAsHeaders', s.attributes_as_headers, 'method', s.method, 'namespace', s.namespace,
                   'blob', former.blob::text, 'held', current_setting('catalogue.hold_uploads')::boolean)
        INTO settings
        FROM catalogue.files f JOIN catalogue.soapservices s ON s.id = f.soap_service
        WHERE f.id = of_file AND f.deleted_at IS NULL AND s.deleted_at IS NULL;
    END IF;
    RETURN coalesce(settings, 'null');
END
$$;

CREATE FUNCTION catalogue.fetch_service(job text, worker text) RETURNS json
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.fetch_service(text, text) IS
'Return the remote service that a job asks, for the worker
Arguments: job of kind fetch, worker that has it.
Returns: an object: kind, rest or soap; the settings of the service, its secrets decrypted; blob, etag and lastModified
of the last answer, where the file still has it; held, whether answers are to be scanned as uploads are.  null: the file
has no service any more.
Errors: OD409 the worker does not have the job; those of catalogue.secret().
Source: Files (remote services)';

-- Part of catalogue.fetch_store().
CREATE FUNCTION catalogue.fetch_store_part(job text, worker text, blob bigint, answer jsonb) RETURNS void
    LANGUAGE plpgsql AS
$$
DECLARE
    of_file  CONSTANT text := catalogue.fetch_held($1, $2);
    former   record;
    chosen   text;
BEGIN
    IF current_setting('catalogue.hold_uploads')::boolean AND NOT ($4 ->> 'scanned')::boolean THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = 'the answer was not scanned';
    END IF;
    SELECT f.name, f.file_name, f.dataset INTO former
    FROM catalogue.files f WHERE f.id = of_file AND f.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OD404', MESSAGE = format('File "%s" does not exist', of_file);
    END IF;
    IF former.file_name ILIKE '%.' || ($4 ->> 'form') THEN
        chosen := former.file_name;
    ELSE
        chosen := catalogue.free_file_name(former.name, $4 ->> 'form', former.dataset, of_file);
    END IF;
    PERFORM catalogue.end_readings(of_file);
    UPDATE catalogue.files f SET file_name = chosen WHERE f.id = of_file AND f.file_name IS DISTINCT FROM chosen;
    UPDATE catalogue.files f
    SET size = b.size, sha256 = encode(b.digest, 'hex')
    FROM catalogue.blob b
    WHERE f.id = of_file AND b.id = $3;
    INSERT INTO catalogue.stored_file AS s (file, blob, media_type, held)
        VALUES (of_file, $3, CASE $4 ->> 'form' WHEN 'json' THEN 'application/json' ELSE 'application/xml' END, false)
    ON CONFLICT (file) DO UPDATE SET blob = excluded.blob, media_type = excluded.media_type, held = false;
    DELETE FROM catalogue.made_file m WHERE m.file = of_file;
    INSERT INTO catalogue.fetched AS a (file, service, blob, etag, last_modified, job, loaded, status, size)
        SELECT f.id, coalesce(f.rest_service, f.soap_service), $3, nullif($4 ->> 'etag', ''),
               nullif($4 ->> 'lastModified', ''), $1, true, ($4 ->> 'status')::integer, ($4 ->> 'size')::bigint
        FROM catalogue.files f
        WHERE f.id = of_file AND num_nonnulls(f.rest_service, f.soap_service) > 0
    ON CONFLICT (file) DO UPDATE SET service = excluded.service, blob = excluded.blob, etag = excluded.etag,
        last_modified = excluded.last_modified, job = excluded.job, loaded = true,
        status = excluded.status, size = excluded.size;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = 'the file has no service any more';
    END IF;
END
$$;

CREATE FUNCTION catalogue.fetch_store(job text, worker text, blob bigint, answer jsonb) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.fetch_store(text, text, bigint, jsonb) IS
'Make an answer of a remote service the bytes of its file
For the worker.  Its rows are published in the same transaction.
Arguments: job of kind fetch, worker that has it.  blob, the bytes, sealed.  answer, an object: form, json or xml;
status, size, etag, lastModified; scanned, whether a scanner has found it clean.
Errors: OD409 the worker does not have the job, the file has no service any more, or uploads are held and the answer was
not scanned; OD404 the file was deleted.
Source: Files (remote services)';

-- Part of catalogue.fetch_unchanged().
CREATE FUNCTION catalogue.fetch_unchanged_part(job text, worker text, status integer) RETURNS void
    LANGUAGE plpgsql AS
$$
DECLARE
    of_file  CONSTANT text := catalogue.fetch_held($1, $2);
BEGIN
    UPDATE catalogue.fetched a SET job = $1, loaded = false, status = $3 WHERE a.file = of_file;
END
$$;

CREATE FUNCTION catalogue.fetch_unchanged(job text, worker text, status integer) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.fetch_unchanged(text, text, integer) IS
'Record that a remote service has answered nothing new
For the worker.  Arguments: job of kind fetch, worker that has it.  status of the answer, such as 304.
Errors: OD409 the worker does not have the job.
Source: Files (remote services)';

CREATE FUNCTION catalogue.end_fetch(job text, file text, state text, reason text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    kept    CONSTANT integer := 100;
    answer  catalogue.fetched;
BEGIN
    IF $3 = 'done' THEN
        SELECT a.* INTO answer FROM catalogue.fetched a WHERE a.file = $2 AND a.job = $1;
    END IF;
    INSERT INTO catalogue.fetches (file, outcome, reason, http_status, size, row_count)
        SELECT f.id, (CASE WHEN $3 <> 'done' THEN 'failed' WHEN answer.loaded THEN 'loaded' ELSE 'unchanged'
                      END)::catalogue.fetch_outcome,
               left($4, 500), answer.status, CASE WHEN answer.loaded THEN answer.size END, f.row_count
        FROM catalogue.files f
        WHERE f.id = $2 AND f.deleted_at IS NULL;
    UPDATE catalogue.fetches h
    SET deleted_at = now()
    WHERE h.id IN (SELECT o.id FROM catalogue.fetches o
                   WHERE o.file = $2 AND o.deleted_at IS NULL
                   ORDER BY o.created_at DESC, o.id DESC OFFSET kept);
    UPDATE catalogue.files f
    SET fetched_at = now(), fetch_reason = left($4, 500),
        next_fetch = (SELECT u.next_run FROM catalogue.updatefrequencies u
                      WHERE u.id = f.update_frequency AND u.deleted_at IS NULL)
    WHERE f.id = $2 AND f.deleted_at IS NULL;
END
$$;
COMMENT ON FUNCTION catalogue.end_fetch(text, text, text, text) IS
'Record how a fetch ended, with the file and in its history
Arguments: job, file, ids.  state, done, failed or cancelled.  reason, why.  The history of a file has 100 fetches; part
of catalogue.end_job().
Source: Files (remote services)';

CREATE FUNCTION catalogue.refresh_file(file text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_refresh_file';
COMMENT ON FUNCTION catalogue.refresh_file(text, jsonb) IS
'Have a file fetched from its remote service now
Arguments: file, its id or slug.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is
trusted; whoever may update the file.
Returns: id of the job, which may have been queued before.
Errors: OD404 no such file; OD409 it has no remote service; OD401; OD403.
Source: Files (remote services)';
