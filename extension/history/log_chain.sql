-- The action log shows that it was changed afterwards: a chain of hashes over its records.  Records are added to the
-- chain by a scheduled job after their transactions, so writers of the log do not wait for each other.

-- Return the next hash of a chain; part of chain_log_hashes().
CREATE FUNCTION catalogue.next_log_hash(hash bytea, before bytea, content bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT sha256(coalesce(hash, before) || content);
END;

CREATE AGGREGATE catalogue.chain_log_hashes(before bytea, content bytea) (
    SFUNC = catalogue.next_log_hash,
    STYPE = bytea
);
COMMENT ON AGGREGATE catalogue.chain_log_hashes(bytea, bytea) IS
    'Chain contents by hashes
The arguments are the hash before the first of them, and each content. As a window function it returns the hash of
each.';

-- What retention changes, deleted_at and updated_at, is left out.
CREATE FUNCTION catalogue.log_content(id text, action text, target text, resource text, "user" text,
    created_at timestamptz, changes json) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT convert_to(jsonb_build_array(id, action, target, resource, "user",
                                        (extract(epoch FROM created_at) * 1000000)::bigint, changes::text)::text,
                      'UTF8');
END;
COMMENT ON FUNCTION catalogue.log_content(text, text, text, text, text, timestamptz, json) IS
    'Return what the hash of a log record covers
It is a JSON array of the fields, with created_at in microseconds.';

CREATE FUNCTION catalogue.seal_log("limit" bigint DEFAULT 100000, since timestamptz DEFAULT NULL) RETURNS bigint
    LANGUAGE plpgsql AS
$$
DECLARE
    last   catalogue.log_day;
    today  date;
    base   bigint;
    added  record;
BEGIN
    -- an earlier snapshot would miss what another call has sealed
    IF current_setting('transaction_isolation') NOT LIKE 'read %' THEN
        RAISE invalid_transaction_state
            USING MESSAGE = 'log records are sealed in a transaction of READ COMMITTED only';
    END IF;
    LOCK TABLE catalogue.log_day IN SHARE ROW EXCLUSIVE MODE;
    SELECT d.* INTO last FROM catalogue.log_day d ORDER BY d.day DESC LIMIT 1;
    -- if the clock was set back, the later day continues
    today := greatest((now() AT TIME ZONE 'UTC')::date, last.day);
    base := CASE WHEN today = last.day THEN last.records ELSE 0 END;
    WITH waiting AS (
        SELECT l.id, l.created_at,
               catalogue.log_content(l.id, l.action::text, l.target, l.resource, l."user", l.created_at,
                                     l.changes) AS content
        FROM catalogue.logs l
        WHERE l.created_at >= coalesce(since, last.sealed_at - interval '1 hour', '-infinity')
            AND NOT EXISTS (SELECT FROM catalogue.log_chain c WHERE c.log = l.id)
        ORDER BY l.created_at, l.id LIMIT "limit"
    ), chained AS (
        INSERT INTO catalogue.log_chain (day, position, log, hash, recorded_at)
        SELECT today, base + row_number() OVER w, w.id,
               catalogue.chain_log_hashes(coalesce(last.hash, ''), w.content) OVER w,
               w.created_at
        FROM waiting w WINDOW w AS (ORDER BY w.created_at, w.id ROWS UNBOUNDED PRECEDING)
        RETURNING position, hash
    )
    SELECT (SELECT count(*) FROM chained) AS number,
           (SELECT c.hash FROM chained c ORDER BY c.position DESC LIMIT 1) AS hash,
           (SELECT max(w.created_at) FROM waiting w) AS newest
    INTO added;
    -- a call that reached its limit has not seen what is newer
    added.newest := CASE WHEN added.number < "limit" THEN now() ELSE least(now(), added.newest) END;
    IF today = last.day THEN
        UPDATE catalogue.log_day d SET records = base + added.number, hash = coalesce(added.hash, d.hash),
            sealed_at = greatest(d.sealed_at, added.newest)
        WHERE d.day = today;
    ELSIF added.number > 0 THEN
        INSERT INTO catalogue.log_day (day, records, hash, sealed_at)
        VALUES (today, added.number, added.hash, added.newest);
    END IF;
    PERFORM catalogue.note_upkeep('seal log', added.number);
    RETURN added.number;
END
$$;
COMMENT ON FUNCTION catalogue.seal_log(bigint, timestamptz) IS
'Add log records to the chain of hashes
Arguments: limit, how many at most. since, from when on to look for records that are not in the chain; by default from
an hour before the last call, so that transactions of less than an hour are found.
Returns: how many records were added, in the order of created_at and id.  Later calls append to them. A scheduled job
calls it every minute.
Errors: 25000 the transaction has another isolation level than READ COMMITTED.
Source: Log (action log)';

-- Return until when log records have expired; part of verify_log().
CREATE FUNCTION catalogue.log_expiry() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
$$
DECLARE
    -- this loads the library, which defines the setting
    horizon  CONSTANT timestamptz := catalogue.history_horizon();
    kept     CONSTANT text := current_setting('catalogue.log_retention');
BEGIN
    RETURN CASE WHEN kept LIKE '-%' THEN '-infinity' ELSE now() - kept::interval END;
END
$$;

-- Compare the chain of hashes with the log; part of verify_log().  An entry is compared on its own: its hash has to
-- follow from the hash before it and from the record as it is now.
CREATE FUNCTION catalogue.verify_log_chain("from" date, "until" date) RETURNS SETOF catalogue.finding
    LANGUAGE sql STABLE AS
$$
    WITH day AS (
        SELECT d.*, lag(d.hash, 1, '') OVER (ORDER BY d.day) AS before FROM catalogue.log_day d
    ), entry AS (
        SELECT c.day, c.position, c.log, c.hash, lag(c.position, 1, 0::bigint) OVER w AS prior,
               lag(c.hash, 1, d.before) OVER w AS before, d.expired_at, c.recorded_at, l.id IS NOT NULL AS found,
               catalogue.log_content(l.id, l.action::text, l.target, l.resource, l."user", l.created_at,
                                     l.changes) AS content,
               l.target, l.resource
        FROM catalogue.log_chain c
            LEFT JOIN day d ON d.day = c.day
            LEFT JOIN catalogue.logs l ON l.id = c.log
        WHERE c.day BETWEEN "from" AND "until" WINDOW w AS (PARTITION BY c.day ORDER BY c.position)
    ), other AS (
        -- the record of an erasure has the hash of each record that it changed
        SELECT e.*, (SELECT max(o.id) FROM catalogue.logs o
                     WHERE e.found AND o.resource = e.resource AND o.target = e.target
                         AND o.changes::jsonb #>> ARRAY['erased', 'after', e.log]
                             = encode(sha256(e.content), 'hex')) AS erasure
        FROM entry e
        WHERE CASE WHEN e.found THEN sha256(e.before || e.content) IS DISTINCT FROM e.hash
                   ELSE e.expired_at IS NULL OR e.recorded_at >= (SELECT catalogue.log_expiry())
                       AND e.recorded_at > '-infinity' END
    ), ended AS (
        SELECT d.day, d.records, d.hash, d.expired_at, count(c.log) AS entries, max(c.position) AS position,
               (array_agg(c.hash ORDER BY c.position DESC))[1] AS last
        FROM catalogue.log_day d LEFT JOIN catalogue.log_chain c ON c.day = d.day
        WHERE d.day BETWEEN "from" AND "until" GROUP BY d.day
    )
    SELECT CASE WHEN o.erasure IS NULL THEN 'chain' ELSE 'erasure' END, 'logs/' || o.log,
           CASE WHEN NOT o.found THEN 'it was sealed, and is missing'
                WHEN o.erasure IS NULL THEN 'it is not the record that was sealed, or not at that place in the chain'
                ELSE format('its personal data were erased, as logs/%s says', o.erasure) END
           || format(' (%s, position %s)', o.day, o.position),
           NULL, CASE WHEN o.erasure IS NULL THEN 'Compare it with a backup.'
                      ELSE 'It is as the erasure left it, and the records before and after it are linked.' END
    FROM other o
    UNION ALL
    SELECT 'chain', e.day::text, format('entries %s to %s of its chain are missing', e.prior + 1, e.position - 1), NULL,
           'Compare catalogue.log_chain with a backup.'
    FROM entry e WHERE e.position <> e.prior + 1
    UNION ALL
    SELECT 'chain', d.day::text,
           format('its chain does not end with the hash and the %s entries that catalogue.log_day has', d.records),
           NULL, 'Compare catalogue.log_chain and catalogue.log_day with a backup.'
    FROM ended d
    WHERE (d.entries > 0 OR d.expired_at IS NULL)
        AND (d.last, d.position) IS DISTINCT FROM (d.hash, d.records);
$$;

CREATE FUNCTION catalogue.verify_log("from" date DEFAULT '-infinity', "until" date DEFAULT 'infinity')
    RETURNS SETOF catalogue.finding LANGUAGE sql STABLE AS
$$
    SELECT * FROM catalogue.verify_log_chain("from", "until")
    UNION ALL
    SELECT 'chain', 'logs/' || l.id, 'it was deleted before catalogue.log_retention says so', NULL,
           'Compare it with a backup.'
    FROM catalogue.logs l
    WHERE l.deleted_at IS NOT NULL AND (l.created_at AT TIME ZONE 'UTC')::date BETWEEN "from" AND "until"
        AND l.created_at >= (SELECT catalogue.log_expiry())
    UNION ALL
    SELECT 'chain', 'logs', format('%s records, the oldest of %s, are not sealed', count(*), min(l.created_at)),
           format('SELECT catalogue.seal_log(since => %L)', to_json(min(l.created_at)) #>> '{}'),
           'They were recorded by transactions of more than an hour, or with a time that was set.'
    FROM catalogue.logs l
    WHERE l.deleted_at IS NULL AND (l.created_at AT TIME ZONE 'UTC')::date BETWEEN "from" AND "until"
        AND l.created_at < (SELECT max(d.sealed_at) FROM catalogue.log_day d) - interval '1 hour'
        AND NOT EXISTS (SELECT FROM catalogue.log_chain c WHERE c.log = l.id)
    HAVING count(*) > 0
    ORDER BY 2, 3;
$$;
COMMENT ON FUNCTION catalogue.verify_log(date, date) IS
'Find log records that were edited, removed or reordered
Arguments: from, until, the first and the last day of UTC on which records were sealed; by default all.
Returns: rows as catalogue.check() does, none if the log is as it was sealed: for each record that is missing, or is not
the one that was sealed at its place, its path; for each that catalogue.erase() changed, and that is as it left it, its
path and that of the log record of the erasure, with the kind erasure; for a chain that has a gap or another end, its
day; one row for all records that no call of catalogue.seal_log() found. Records that are older than
catalogue.log_retention may be deleted or missing; others, removed while it was shorter, are found. Records that were
added with a time of the last hour are not found: they are sealed as others.
Who may change all tables can make a new chain too: keep the hashes of catalogue.log_day elsewhere, and compare them.
For the owner of schema catalogue.
Source: Log (action log)';

CREATE FUNCTION catalogue.verify_log_by_schedule() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    found  bigint;
BEGIN
    SELECT count(*) INTO found FROM catalogue.verify_log() f WHERE f.kind <> 'erasure';
    PERFORM catalogue.note_upkeep('verify log', found);
    RETURN found;
END
$$;
COMMENT ON FUNCTION catalogue.verify_log_by_schedule() IS
    'Verify the log: the scheduled job "verify log"
Returns: the number of findings besides erasures, which is also stored in catalogue.upkeep.';
