-- Schedules: the scheduled jobs, update frequencies, and the dispatcher, which runs what is due.

CREATE FUNCTION catalogue.schedule()
    RETURNS TABLE (kind text, name text, pattern text, next_run timestamptz, last_run timestamptz, runner text,
        fault text) LANGUAGE sql STABLE AS
$$
    SELECT 'upkeep', u.job, u.pattern, catalogue.next_run(u.pattern, greatest(u.ran_at, u.tried_at, u.since)),
           u.ran_at, u.runner, u.fault
    FROM catalogue.upkeep u
    UNION ALL
    SELECT 'updatefrequency', f.name, f.time_pattern, f.next_run, NULL, NULL, NULL
    FROM catalogue.updatefrequencies f
    WHERE f.time_pattern IS NOT NULL AND f.deleted_at IS NULL
    ORDER BY 1 DESC, 4, 2;
$$;
COMMENT ON FUNCTION catalogue.schedule() IS
'Return all that is scheduled
Returns: a row for each scheduled job of the catalogue (kind upkeep) and each update frequency with a pattern (kind
updatefrequency): its name and cron pattern; next_run, in the past where it is due; last_run, NULL: never; runner, of
job dispatch the worker that dispatched last, NULL where it was pg_cron or another scheduler; fault, why the last run
failed.  Patterns are in UTC.
For the owner of schema catalogue.
Source: Events (scheduled jobs)';

-- Trigger: compute the next run of an update frequency whose pattern is new.
CREATE FUNCTION catalogue.set_next_run() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.time_pattern IS DISTINCT FROM OLD.time_pattern THEN
        NEW.next_run := catalogue.next_run(NEW.time_pattern, now());
    END IF;
    RETURN NEW;
END
$$;

-- Run a scheduled job; part of catalogue.dispatch().  Returns: false if it did not get a lock in time and stays due.
-- The subtransaction makes a failure that of this job alone.  tried_at is set then as well: the job is not due again
-- before its next time, and others are; unless it did not get a lock in time.
CREATE FUNCTION catalogue.run_upkeep(job text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    failure  text;
    locked   boolean := true;
BEGIN
    BEGIN
        EXECUTE (SELECT u.statement FROM catalogue.upkeep u WHERE u.job = $1);
    EXCEPTION WHEN OTHERS THEN
        failure := SQLERRM;
        locked := SQLSTATE <> '55P03';
        RAISE WARNING USING MESSAGE = format('scheduled job "%s" failed: %s', $1, failure);
    END;
    UPDATE catalogue.upkeep u
    SET tried_at = CASE WHEN locked THEN now() ELSE u.tried_at END,
        ran_at = CASE WHEN failure IS NULL THEN now() ELSE u.ran_at END, fault = left(failure, 500)
    WHERE u.job = $1;
    RETURN locked;
END
$$;

-- Part of catalogue.dispatch().
CREATE FUNCTION catalogue.dispatch_part(worker text) RETURNS integer LANGUAGE plpgsql AS
$$
DECLARE
    due  record;
    run  integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('catalogue.dispatch', 0))
        OR EXISTS (SELECT FROM catalogue.upkeep u
                   WHERE u.job = 'dispatch' AND $1 IS NOT NULL AND u.runner IS DISTINCT FROM $1
                       AND u.ran_at > now() - interval '2 min') THEN
        RETURN NULL;
    END IF;
    UPDATE catalogue.upkeep u SET ran_at = now(), runner = $1 WHERE u.job = 'dispatch';
    PERFORM catalogue.dispatch_fetches();
    PERFORM catalogue.dispatch_harvests();
    UPDATE catalogue.updatefrequencies f
    SET next_run = catalogue.next_run(f.time_pattern, now())
    WHERE f.next_run <= now() AND f.deleted_at IS NULL;
    PERFORM catalogue.set_next_fetches();
    FOR due IN
        SELECT u.job, u.within > interval '1 day' AS alone
        FROM catalogue.schedule() s JOIN catalogue.upkeep u ON u.job = s.name
        WHERE s.kind = 'upkeep' AND u.job <> 'dispatch' AND s.next_run <= now()
        ORDER BY u.within > interval '1 day' DESC, s.next_run, u.job
    LOOP
        run := run + 1;
        EXIT WHEN catalogue.run_upkeep(due.job) AND due.alone;
    END LOOP;
    RETURN run;
END
$$;

CREATE FUNCTION catalogue.dispatch(worker text DEFAULT NULL) RETURNS integer
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.dispatch(text) IS
'Run what is due of the schedule
The scheduled jobs that are due, catalogue.upkeep, are run, each once, however often they were missed; but one that may
be missed for more than a day is run alone, since it may take long, and the others by the next call.  A job that fails
is reported by a warning and by catalogue.check(), holds up no other, and is tried again at its next time, or by the
next call where it did not get a lock in time.  Files with a remote service whose update frequency is due are fetched,
and the next runs of update frequencies that have passed are
computed anew.  It is called every minute by a job of pg_cron, or where that does not call it by a worker.
Arguments: worker, name of the worker that calls; it does nothing if somebody else has called within two minutes.
Returns: the number of jobs that were run; NULL if another session is dispatching, or did so as said above.
Source: Events (scheduled jobs)';

CREATE FUNCTION catalogue.schedule_jobs() RETURNS integer LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.announce_upkeep();
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron') THEN
        RETURN 0;
    END IF;
    -- earlier versions had a job of pg_cron for each row of catalogue.upkeep
    PERFORM cron.unschedule(j.jobid)
    FROM cron.job j JOIN catalogue.upkeep u ON j.jobname = 'catalogue ' || u.job
    WHERE j.database = current_database() AND u.job <> 'dispatch';
    PERFORM cron.schedule('catalogue dispatch', u.pattern, u.statement)
    FROM catalogue.upkeep u
    WHERE u.job = 'dispatch';
    RETURN 1;
END
$$;
COMMENT ON FUNCTION catalogue.schedule_jobs() IS
'Have pg_cron run the scheduled jobs
Returns: the number of jobs that pg_cron has, 1; 0 where pg_cron is not installed in this database, with a notice.
Called again it changes nothing.  The job calls catalogue.dispatch() every minute, which runs what is due of
catalogue.upkeep: prune, every ten minutes, calls catalogue.prune(); sweep, every minute, calls catalogue.sweep(); seal
log, every minute, calls catalogue.seal_log(); verify log, each night, calls catalogue.verify_log(); roll up, on the
first of each month, calls catalogue.roll_up_statistics().
Source: Query parameters (skip)';
