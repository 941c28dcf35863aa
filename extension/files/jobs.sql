-- The job queue: jobs, their workers and leases.

CREATE FUNCTION catalogue.set_parse_state(file text, blob bigint, state text, reason text) RETURNS void
    LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.files f SET parse_state = $3::catalogue.parse_state, parse_reason = left($4, 500)
    WHERE f.id = $1 AND EXISTS (SELECT FROM catalogue.stored_file s WHERE s.file = f.id AND s.blob = $2);
END
$$;
COMMENT ON FUNCTION catalogue.set_parse_state(text, bigint, text, text) IS
'Set the parse state of a file
Arguments: file, its id.  blob, the bytes that are meant: nothing happens if they were replaced.  state, and the reason
for it.
Source: Files';

CREATE FUNCTION catalogue.release_file(details jsonb) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    readable  boolean := (details ->> 'readable')::boolean;
BEGIN
    UPDATE catalogue.stored_file s
    SET held = false
    WHERE s.file = details ->> 'file' AND s.blob = (details ->> 'blob')::bigint AND s.held;
    IF NOT FOUND THEN
        RETURN;
    ELSIF readable THEN
        PERFORM catalogue.enqueue_part('parse', 'file', details ->> 'file', details, 'internal',
            (details ->> 'size')::bigint);
    ELSE
        PERFORM catalogue.set_parse_state(details ->> 'file', (details ->> 'blob')::bigint, NULL, NULL);
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.release_file(jsonb) IS
'Release a held file, and have it parsed if its type is read
Arguments: details of its scan.  Nothing happens if the bytes of the file were replaced.
Source: Files';

CREATE FUNCTION catalogue.end_job(job text, state text, reason text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    ended  record;
BEGIN
    DELETE FROM catalogue.job_queue q WHERE q.job = $1 RETURNING q.* INTO ended;
    UPDATE catalogue.jobs j
    SET state = $2::catalogue.job_state, reason = left($3, 500), ended_at = now(),
        done = CASE $2 WHEN 'done' THEN j.total ELSE j.done END
    WHERE j.id = $1;
    IF ended.kind IN ('parse', 'scan') AND $2 <> 'done' THEN
        PERFORM catalogue.set_parse_state(ended.details ->> 'file', (ended.details ->> 'blob')::bigint, 'failed',
            coalesce($3, 'the reading was cancelled'));
    ELSIF ended.kind = 'scan' THEN
        PERFORM catalogue.release_file(ended.details);
    ELSIF ended.kind = 'reparse' THEN
        PERFORM catalogue.end_reparse(ended.details, $2);
    ELSIF ended.kind = 'fetch' THEN
        PERFORM catalogue.end_fetch($1, j.resource, $2,
            CASE WHEN $2 <> 'done' THEN coalesce($3, 'the fetch was cancelled') END)
        FROM catalogue.jobs j WHERE j.id = $1;
    ELSIF ended.kind = 'import' AND $2 <> 'done' THEN
        UPDATE catalogue.harvest h
        SET failed_at = now(), failure = coalesce($3, 'the import was cancelled'), blob = NULL
        FROM catalogue.jobs j WHERE j.id = $1 AND h.id = j.resource;
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.end_job(text, text, text) IS
'End a job, and apply its consequences
Arguments: job, its id.  state, done, failed or cancelled.  reason, why.  A file whose reading or scan ends without
success is failed, but one that was read anew stays as it is; one that was found clean is released; of a fetch the
outcome is recorded, of an import why it failed.
Source: Files';

CREATE FUNCTION catalogue.end_readings(file text, kept text DEFAULT '') RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    other    text;
    deleted  CONSTANT boolean := EXISTS (SELECT FROM catalogue.files f WHERE f.id = $1 AND f.deleted_at IS NOT NULL);
    kinds    CONSTANT text[] := CASE WHEN deleted THEN '{parse,reparse,convert}' ELSE '{scan,parse,reparse}' END;
BEGIN
    FOR other IN
        SELECT q.job FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
        WHERE q.kind = ANY (kinds) AND j.resource = $1 AND (q.worker IS NOT NULL OR q.kind <> $2) FOR UPDATE OF q
    LOOP
        DELETE FROM catalogue.job_queue q WHERE q.job = other;
        UPDATE catalogue.jobs j
        SET state = 'cancelled', ended_at = now(),
            reason = CASE WHEN deleted THEN 'the file was deleted' ELSE 'the file was replaced' END
        WHERE j.id = other;
    END LOOP;
END
$$;
COMMENT ON FUNCTION catalogue.end_readings(text, text) IS
'Cancel jobs of a file that was replaced or deleted
Arguments: file, its id.  kept, a kind of which a job that nobody has taken stays, since it is to be used again.
Of a file that was replaced they are its scan and its readings, of a deleted one its readings and its conversions.
Source: Files';

CREATE FUNCTION catalogue.set_turn(job text) RETURNS void LANGUAGE sql AS
$$
    UPDATE catalogue.job_queue q
    SET turn = least(q.turn, greatest(now() + ('{0,10 s,10 min}'::interval[])[q.priority],
        (SELECT max(o.turn) + interval '10 s' FROM catalogue.job_queue o
         WHERE o.crowd = q.crowd AND o.priority = q.priority AND o.job <> q.job)))
    WHERE q.job = $1
$$;
COMMENT ON FUNCTION catalogue.set_turn(text) IS
'Set the position of a job in the order of the queue
It is the time at which the job was queued, 10 seconds later for what somebody waits for and 10 minutes for archives
that nobody has asked for, and at least 10 seconds after the last one of the same dataset and priority.
Arguments: job, its id.  An earlier position is kept.
Source: Files';

-- Part of catalogue.enqueue().
CREATE FUNCTION catalogue.enqueue_part(kind text, target text, resource text, details jsonb, audience text,
    total bigint)
    RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    made        text;
    again       boolean;
    of_file     text := (SELECT f.id FROM catalogue.files f WHERE $2 = 'file' AND f.id = $3 AND f.deleted_at IS NULL);
    of_dataset  text := (SELECT d.id
                        FROM catalogue.datasets d
                        WHERE $2 = 'dataset' AND d.id = $3 AND d.deleted_at IS NULL);
    seen_by     text := CASE WHEN num_nonnulls(of_file, of_dataset) = 1 THEN coalesce($5, 'internal')
        ELSE 'internal' END;
    crowd       text := coalesce(of_dataset, (SELECT f.dataset FROM catalogue.files f WHERE f.id = of_file));
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(format('catalogue.job %s %s %s', $1, $3, seen_by), 0));
    SELECT q.job INTO made FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
    WHERE q.worker IS NULL AND q.kind = $1 AND j.resource = $3 AND j.audience = seen_by
      AND q.details ->> 'form' IS NOT DISTINCT FROM $4 ->> 'form' FOR UPDATE OF q;
    -- sees a job that was taken just now
    IF $1 IN ('scan', 'parse') THEN
        PERFORM catalogue.end_readings($3, $1);
    END IF;
    IF made IS NOT NULL THEN
        UPDATE catalogue.job_queue q
        SET details = coalesce($4, '{}')
        WHERE q.job = made AND q.details <> coalesce($4, '{}');
        -- something has changed since it failed; clients ask for the others until they are done
        UPDATE catalogue.job_queue q
        SET due_at = now(), attempts = 0
        WHERE q.job = made AND q.attempts > 0 AND q.kind IN ('scan', 'parse', 'fetch', 'import');
        again := FOUND;
        UPDATE catalogue.jobs j
        SET total = $6, attempts = CASE WHEN again THEN 0 ELSE j.attempts END
        WHERE j.id = made AND (again OR j.total IS DISTINCT FROM $6);
        PERFORM catalogue.set_turn(made);
        IF again THEN
            PERFORM pg_notify('catalogue_jobs', $1);
        END IF;
        RETURN made;
    END IF;
    INSERT INTO catalogue.jobs AS j (kind, target, resource, file, dataset, audience, total)
        VALUES ($1, $2, $3, of_file, of_dataset, seen_by, $6)
    RETURNING j.id INTO made;
    INSERT INTO catalogue.job_queue (job, kind, details, crowd) VALUES (made, $1, coalesce($4, '{}'), crowd);
    PERFORM catalogue.set_turn(made);
    PERFORM pg_notify('catalogue_jobs', $1);
    RETURN made;
END
$$;

CREATE FUNCTION catalogue.enqueue(kind text, target text, resource text, details jsonb DEFAULT '{}',
    audience text DEFAULT 'internal', total bigint DEFAULT NULL)
    RETURNS text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.enqueue(text, text, text, jsonb, text, bigint) IS
'Queue a job
Arguments: kind, scan, parse, reparse, preview, convert, archive, email, fetch or import.  target, lower-case singular
name of the resource it is for.
resource, id of the record. details, an object for the worker.  audience, who may see the job:
internal, or outsiders too, as long as they see the record; of other records than files and datasets they see none.
total, bytes to do; NULL where that is not known.
Returns: id of the job; that of the one that is queued already for the same kind, record, audience and form among its
details, which then has these details; a scan, reading, fetch or import that has failed before is then due at once.  A
scan or a reading of the record that is running is cancelled.  The worker is told by NOTIFY catalogue_jobs.
Source: Files';

-- Return the details of a job that reads the bytes of a file; NULL where it has none, or they are not read.
CREATE FUNCTION catalogue.reading_details(file text) RETURNS jsonb LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_build_object('file', f.id, 'blob', s.blob, 'size', b.size,
                'extension', lower(substring(f.file_name FROM '[^.]*$')), 'name', f.file_name)
        FROM catalogue.files f JOIN catalogue.stored_file s ON s.file = f.id JOIN catalogue.blob b ON b.id = s.blob
        WHERE f.id = $1 AND f.deleted_at IS NULL AND f.parse_state IS NOT NULL AND NOT s.held
            -- the form of an answer is the service's
            AND NOT EXISTS (SELECT FROM catalogue.fetched a WHERE a.file = f.id AND a.blob = s.blob));
END
$$;

-- Part of catalogue.read_anew().
CREATE FUNCTION catalogue.read_anew_part(file text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    details  CONSTANT jsonb := catalogue.reading_details($1);
BEGIN
    IF EXISTS (SELECT FROM catalogue.files f WHERE f.id = $1 AND f.deleted_at IS NOT NULL) THEN
        PERFORM catalogue.end_readings($1);
        RETURN false;
    END IF;
    IF details IS NULL THEN
        RETURN false;
    END IF;
    PERFORM catalogue.set_parse_state($1, (details ->> 'blob')::bigint, 'pending', NULL);
    PERFORM catalogue.enqueue_part('parse', 'file', $1, details || '{"readable": true}', 'internal',
        (details ->> 'size')::bigint);
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.read_anew(file text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.read_anew(text) IS
'Have a file parsed again
Arguments: file, its id.  The former contents are shown until the new ones are there.  Of a deleted file the jobs end.
Returns: false where it has no bytes, or they are not read; one that is held is read when it is given out.
Source: Files';

CREATE FUNCTION catalogue.follow_parse_options() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.read_anew(l.id) FROM later l JOIN earlier e USING (id)
    WHERE l.size IS NOT NULL
        AND CASE
            WHEN l.deleted_at IS NULL AND e.deleted_at IS NULL
                THEN e.parse_options::text IS DISTINCT FROM l.parse_options::text
            -- the answer of a service is read once only, and the reading of a deleted file goes on when it is restored
            ELSE (l.deleted_at IS NULL) <> (e.deleted_at IS NULL)
                AND (l.deleted_at IS NOT NULL OR l.parse_state = 'pending')
                AND NOT EXISTS (SELECT FROM catalogue.fetched a WHERE a.file = l.id)
        END;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION catalogue.follow_parse_options() IS
'Have files parsed again whose parse_options changed
Trigger AFTER UPDATE of files.  Jobs of files that are deleted end; a file that is restored is parsed, if it was not
yet.
Source: Files';

CREATE FUNCTION catalogue.job_for(kind text, target text, resource text, details jsonb, audience text, OUT id text,
    OUT state text)
    LANGUAGE plpgsql AS
$$
BEGIN
    SELECT j.id, j.state INTO id, state FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
    WHERE q.kind = $1 AND j.resource = $3 AND j.audience = $5 AND q.worker IS NOT NULL AND q.details = $4 LIMIT 1;
    IF NOT FOUND THEN
        id := catalogue.enqueue_part($1, $2, $3, $4, $5, NULL);
        state := 'queued';
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.job_for(text, text, text, jsonb, text) IS
'Return the job that does something already, or queue one
Arguments: as for catalogue.enqueue().  Returns: id and state of the job that is queued, or running with the same
details.
Source: Files';

-- Part of catalogue.job_take().
CREATE FUNCTION catalogue.job_take_part(worker text, kinds text[], lease interval)
    RETURNS TABLE (job text, kind text, resource text, details jsonb, attempt integer) LANGUAGE plpgsql AS
$$
DECLARE
    next  record;
    lost  CONSTANT text := 'the worker that did it is gone';
BEGIN
    LOOP
        SELECT q.* INTO next FROM catalogue.job_queue q
        WHERE q.due_at <= now() AND q.kind = ANY ($2)
          -- the dataset changes when the parsing of its file ends
          AND (q.priority < 3 OR q.turn <= now()
              OR NOT EXISTS (SELECT FROM catalogue.job_queue r JOIN catalogue.files f ON f.id = r.details ->> 'file'
                                             WHERE r.kind = 'parse' AND f.dataset = q.details ->> 'dataset'))
        ORDER BY q.turn, q.job LIMIT 1 FOR UPDATE OF q SKIP LOCKED;
        IF NOT FOUND THEN
            RETURN;
        END IF;
        EXIT WHEN next.worker IS NULL OR next.attempts < 4;
        PERFORM catalogue.end_job(next.job, 'failed', lost);
    END LOOP;
    UPDATE catalogue.job_queue q SET worker = $1, attempts = q.attempts + 1, due_at = now() + $3 WHERE q.job = next.job;
    UPDATE catalogue.jobs j SET state = 'running', attempts = next.attempts + 1, done = NULL, started_at = now(),
        reason = CASE WHEN next.worker IS NULL THEN j.reason ELSE lost END
    WHERE j.id = next.job RETURNING j.resource INTO resource;
    job := next.job;
    kind := next.kind;
    details := next.details;
    IF kind IN ('parse', 'reparse') THEN
        details := details || coalesce((SELECT jsonb_build_object('options', f.parse_options) FROM catalogue.files f
                                        WHERE f.id = next.details ->> 'file' AND f.parse_options IS NOT NULL), '{}');
    END IF;
    attempt := next.attempts + 1;
    RETURN NEXT;
END
$$;

CREATE FUNCTION catalogue.job_take(worker text, kinds text[], lease interval DEFAULT '60 s')
    RETURNS TABLE (job text, kind text, resource text, details jsonb, attempt integer)
    LANGUAGE c VOLATILE STRICT ROWS 1 AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.job_take(text, text[], interval) IS
'Take the next job, for the worker
Arguments: worker, a name that no other worker has.  kinds of jobs that it does.  lease, how long the job is its own,
until catalogue.job_beat() renews it.
Returns: a row, the job and what catalogue.enqueue() was given, with the parse_options of a file as options;
attempt, from 1; none where nothing is due.  They are taken in the order of catalogue.set_turn(); an archive that nobody
has asked for also waits until no file of its dataset is to be read, for ten minutes at most.  A job
whose lease has ended counts as failed in that attempt; after the fourth it is not taken again.
Source: Files';

-- Part of catalogue.job_beat().
CREATE FUNCTION catalogue.job_beat_part(job text, worker text, done bigint, total bigint, lease interval)
    RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.job_queue q SET due_at = now() + coalesce($5, '60 s') WHERE q.job = $1 AND q.worker = $2;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE catalogue.jobs j SET done = $3, total = coalesce($4, j.total)
    WHERE j.id = $1 AND j.updated_at <= now() - interval '2 s'
        AND (j.done, j.total) IS DISTINCT FROM ($3, coalesce($4, j.total));
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.job_beat(job text, worker text, done bigint, total bigint, lease interval DEFAULT '60 s')
    RETURNS boolean
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.job_beat(text, text, bigint, bigint, interval) IS
'Renew the lease of a job, for the worker
Arguments: job, worker, lease: as for catalogue.job_take().  done and total, in bytes; total NULL: as before.  The job
shows them every two seconds at most.
Returns: whether the job still belongs to the worker; false where it was cancelled or given to another, and the worker
stops.
Source: Files';

-- Part of catalogue.job_done().
CREATE FUNCTION catalogue.job_done_part(job text, worker text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM FROM catalogue.job_queue q WHERE q.job = $1 AND q.worker = $2 FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM catalogue.end_job($1, 'done', NULL);
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.job_done(job text, worker text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.job_done(text, text) IS
'End a job with success, for the worker
Arguments: job, worker.  A file whose scan this was is released, and parsed if its type is read.
Returns: false if the job no longer belongs to the worker; then nothing happens.
Source: Files';

-- Part of catalogue.job_failed().
CREATE FUNCTION catalogue.job_failed_part(job text, worker text, reason text, final boolean) RETURNS boolean
    LANGUAGE plpgsql AS
$$
DECLARE
    failed  integer;
BEGIN
    SELECT q.attempts INTO failed FROM catalogue.job_queue q WHERE q.job = $1 AND q.worker = $2 FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    ELSIF $4 OR failed >= 4 THEN
        PERFORM catalogue.end_job($1, 'failed', coalesce($3, 'it could not be done'));
    ELSE
        UPDATE catalogue.job_queue q
        SET worker = NULL, due_at = now() + ('{5 s,30 s,2 min}'::interval[])[failed]
        WHERE q.job = $1;
        UPDATE catalogue.jobs j SET state = 'queued', reason = left($3, 500) WHERE j.id = $1;
        UPDATE catalogue.files f SET fetch_reason = left($3, 500)
        FROM catalogue.jobs j
        WHERE j.id = $1 AND j.kind = 'fetch' AND f.id = j.resource AND f.deleted_at IS NULL;
    END IF;
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.job_failed(job text, worker text, reason text, final boolean DEFAULT false) RETURNS boolean
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.job_failed(text, text, text, boolean) IS
'Record a failed attempt at a job, for the worker
Arguments: job, worker.  reason, a sentence shown with the job; of a reading or a scan it is also the file''s. final: it
would fail again. Else it is tried again after 5 seconds, 30 seconds and 2 minutes, and given up after the fourth
attempt.
Returns: false if the job no longer belongs to the worker; then nothing happens.
Source: Files';

-- Part of catalogue.job_put_off().
CREATE FUNCTION catalogue.job_put_off_part(job text, worker text, reason text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.job_queue q
    SET worker = NULL, due_at = now() + interval '1 min', attempts = q.attempts - 1
    WHERE q.job = $1 AND q.worker = $2;
    UPDATE catalogue.jobs j
    SET state = 'queued', attempts = j.attempts - 1, done = NULL, started_at = NULL, reason = left($3, 500)
    WHERE FOUND AND j.id = $1;
    RETURN FOUND;
END
$$;

CREATE FUNCTION catalogue.job_put_off(job text, worker text, reason text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.job_put_off(text, text, text) IS
'Put a job off for a minute, for the worker: what it needs is away
Arguments: job, worker.  reason, a sentence shown with the job.  The attempt does not count.
Returns: false if the job no longer belongs to the worker; then nothing happens.
Source: Files';

-- Part of catalogue.job_release().
CREATE FUNCTION catalogue.job_release_part(job text, worker text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.job_queue q
    SET worker = NULL, due_at = now(), attempts = q.attempts - 1
    WHERE q.job = $1 AND q.worker = $2;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE catalogue.jobs j
    SET state = 'queued', attempts = j.attempts - 1, done = NULL, started_at = NULL
    WHERE j.id = $1;
    PERFORM pg_notify('catalogue_jobs', 'release');
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.job_release(job text, worker text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.job_release(text, text) IS
'Release a job, for a worker that ends
Arguments: job, worker.  It is as if it had not been begun this time.
Returns: false if the job no longer belongs to the worker; then nothing happens.
Source: Files';

CREATE FUNCTION catalogue.cancel_job(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_cancel_job';
COMMENT ON FUNCTION catalogue.cancel_job(text, jsonb) IS
'Cancel a job
Arguments: id, the job''s.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is
trusted; a rule must grant it cancel on jobs.
Returns: id of the job.  The worker stops within the time of a beat; a file whose reading this was is failed.
Errors: OD404 no such job; OD409 it has ended; OD401; OD403, also where the key that the caller came with is not for the
record that the job is done for.
Source: Files';

-- Remove the rows of jobs and fetches that were deleted.  Returns: how many.  They are kept as long as the history is.
-- Part of catalogue.sweep().
CREATE FUNCTION catalogue.purge_jobs() RETURNS bigint
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_purge_jobs';

-- Remove jobs that ended a week ago; part of catalogue.sweep().
CREATE FUNCTION catalogue.sweep_jobs() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    removed  bigint;
BEGIN
    UPDATE catalogue.jobs j
    SET deleted_at = now()
    WHERE j.deleted_at IS NULL AND j.ended_at < now() - interval '7 days';
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM catalogue.preview p WHERE p.made_at < now() - interval '10 min';
    PERFORM catalogue.purge_jobs();
    RETURN removed;
END
$$;
