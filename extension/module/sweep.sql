-- Removal of what has expired: history, records of the log, uploads, blobs and jobs.

CREATE FUNCTION catalogue.prune() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    horizon  timestamptz := catalogue.history_horizon();
    past     regclass;
    pruned   bigint := 0;
    removed  bigint;
BEGIN
    FOR past IN
        SELECT c.oid
        FROM pg_catalog.pg_class c
        WHERE c.relnamespace = 'catalogue_history'::regnamespace AND c.relkind = 'r'
    LOOP
        EXECUTE format('DELETE FROM %s h USING catalogue.change c WHERE c.number = h.change_number AND c.at < $1', past)
            USING horizon;
        GET DIAGNOSTICS removed = ROW_COUNT;
        pruned := pruned + removed;
    END LOOP;
    DELETE FROM catalogue.change c WHERE c.at < horizon AND c.number > 0 AND c.commit_number IS NULL
        AND EXISTS (SELECT FROM catalogue.change later
                    WHERE later.resource = c.resource AND later.at < horizon
                        AND (later.at, later.number) > (c.at, c.number) AND (later.seen OR NOT c.seen));
    -- in the order of commits, so that nothing is missing behind a change that is still there
    DELETE FROM catalogue.change c WHERE c.commit_number < (
        SELECT max(o.commit_number) FROM catalogue.change o
        WHERE o.commit_number < coalesce((SELECT min(n.commit_number) FROM catalogue.change n WHERE n.at >= horizon),
                                         9223372036854775807));
    DELETE FROM catalogue.attempt a WHERE a.began < now() - current_setting('catalogue.login_window')::interval;
    INSERT INTO catalogue.change AS c (number, resource, at, apart) VALUES (0, '', horizon, true)
        ON CONFLICT (number) DO UPDATE SET at = greatest(c.at, excluded.at);
    -- leave the rest to the next run: deleting all in one transaction would block others
    pruned := pruned + catalogue.expire_logs(10000);
    pruned := pruned + catalogue.expire_questions(10000);
    PERFORM catalogue.forget_addresses(100000);
    -- the end of a day's chain stays in catalogue.log_day
    DELETE FROM catalogue.log_chain c WHERE c.day IN (
        SELECT d.day FROM catalogue.log_day d
        WHERE d.expired_at IS NOT NULL
            AND NOT EXISTS (SELECT FROM catalogue.log_chain e JOIN catalogue.logs l ON l.id = e.log
                            WHERE e.day = d.day));
    PERFORM catalogue.note_upkeep('prune', pruned);
    RETURN pruned;
END
$$;
COMMENT ON FUNCTION catalogue.prune() IS
'Remove expired history and log records
The history goes with catalogue.history_retention. Records of the action log are deleted with catalogue.log_retention,
at most 10000 in a run, and one record of the log tells of that; they are removed for good when no page of an earlier
instant shows them any more. So are questions, deleted by hand or with catalogue.question_retention. Failed logins that
are older than catalogue.login_window go as well, and addresses in the statistics with catalogue.visitor_address_days,
at most 100000 in a run.
Returns: how many states, questions and records of the log were removed.  A job of pg_cron calls it where that is
installed.
Source: Query parameters (skip)';

-- Forget addresses that were not confirmed, or whose dataset was deleted a month ago, and old tokens; part of sweep().
CREATE FUNCTION catalogue.sweep_followers() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM catalogue.follower f WHERE f.confirmed_at IS NULL AND f.asked_at < now() - interval '2 days';
    DELETE FROM catalogue.follower f USING catalogue.datasets d
    WHERE d.id = f.dataset AND d.deleted_at < now() - interval '30 days';
    DELETE FROM catalogue.follower_token t WHERE t.made_at < now() - interval '1 year';
END
$$;

-- Part of catalogue.sweep().
CREATE FUNCTION catalogue.sweep_part() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    removed  bigint;
    sheets   bigint;
BEGIN
    -- run by one session at a time; another session is doing it already
    IF NOT pg_try_advisory_xact_lock(hashtextextended('catalogue.sweep', 0)) THEN
        RETURN 0;
    END IF;
    removed := catalogue.sweep_uploads() + catalogue.sweep_blobs() + catalogue.sweep_jobs();
    DELETE FROM catalogue.sheet s WHERE s.replaced_at < catalogue.history_horizon();
    GET DIAGNOSTICS sheets = ROW_COUNT;
    DELETE FROM catalogue.idempotency i WHERE i.created_at <= now() - interval '24 hours';
    DELETE FROM catalogue.facet_cache c
    WHERE c.counted_at < now() - current_setting('catalogue.facets_age')::interval;
    PERFORM catalogue.sweep_selections();
    PERFORM catalogue.sweep_followers();
    PERFORM catalogue.sweep_downloads();
    PERFORM catalogue.sweep_statistics();
    PERFORM catalogue.sweep_searches();
    PERFORM catalogue.store_chunks(200);
    PERFORM catalogue.note_upkeep('sweep', removed + sheets);
    RETURN removed + sheets;
END
$$;

CREATE FUNCTION catalogue.sweep() RETURNS bigint
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.sweep() IS
'Remove remains of uploads, replaced files and ended jobs
Uploads of which nothing came for a minute, or where they are resumable for catalogue.upload_retention; what is told of
resumable ones that were finished an hour ago, without being counted; bytes that
nothing refers to, once it was a file for catalogue.history_retention, an archive or another form of a file for ten
minutes; contents that were replaced longer ago than that; jobs that ended a week ago. Counted downloads and
requests are added up.  Pending lists of the indexes of search are merged.  Rows that a catalogue before 1.1 has
stored are stored anew, up to 200,000 in a run.
Returns: how many of these were removed.  The worker calls it every ten seconds, and so does a job of pg_cron every
minute.
Source: Files';
