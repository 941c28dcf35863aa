-- Records of requests, their numbers by day, which remain when the records are removed, and the removal.

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
Source: Statistic';

-- Trigger: count records of statistics that a statement has inserted, in catalogue.statistics_by_day.  Numbers of
-- requests by day, which remain when the records of requests are removed, and of downloads.
CREATE FUNCTION catalogue.add_statistics() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO catalogue.statistics_by_day (day, resource, method, client, requests)
    SELECT (n.created_at AT TIME ZONE 'UTC')::date, n.resource, n.method, n.client, count(*)
    FROM new n
    WHERE n.deleted_at IS NULL
    GROUP BY 1, 2, 3, 4;
    RETURN NULL;
END
$$;

-- Add up numbers of requests; part of catalogue.sweep().  Days that were over at the last sweep have one row for each
-- of their values already; but for what came late.
CREATE FUNCTION catalogue.sweep_statistics() RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    last   timestamptz := (SELECT coalesce(u.ran_at, u.since) FROM catalogue.upkeep u WHERE u.job = 'sweep');
    since  date := (least(last, now()) AT TIME ZONE 'UTC')::date - 1;
BEGIN
    WITH several AS (
        SELECT s.day, s.resource, s.method, s.client FROM catalogue.statistics_by_day s
        WHERE s.day >= since GROUP BY 1, 2, 3, 4 HAVING count(*) > 1
    ), gone AS (
        DELETE FROM catalogue.statistics_by_day s USING several v
        WHERE (s.day, s.resource, s.method, s.client) = (v.day, v.resource, v.method, v.client) RETURNING s.*)
    INSERT INTO catalogue.statistics_by_day (day, resource, method, client, requests)
    SELECT g.day, g.resource, g.method, g.client, sum(g.requests) FROM gone g GROUP BY 1, 2, 3, 4;
END
$$;

CREATE FUNCTION catalogue.roll_up_statistics() RETURNS bigint LANGUAGE plpgsql SET lock_timeout = '5s' AS
$$
DECLARE
    removed  bigint;
BEGIN
    LOCK TABLE catalogue.statistics IN ACCESS EXCLUSIVE MODE;
    SELECT coalesce(sum(c.living), 0) INTO removed FROM catalogue.counter c WHERE c.resource = 'statistics';
    TRUNCATE catalogue.statistics;
    PERFORM catalogue.note_upkeep('roll up', removed);
    RETURN removed;
END
$$;
COMMENT ON FUNCTION catalogue.roll_up_statistics() IS
'Empty the statistics, of which the numbers by day remain
catalogue.statistics_by_day has the numbers of requests by day, resource, method and client from the time on that they
are recorded, so that nothing is read here: the time does not depend on the number of records.
Returns: how many records were removed; 0 where the resource is hidden.  Pages of the statistics as of an earlier
instant are empty then. The schedule calls it on the first of each month.
Errors: 42501 no privilege to truncate catalogue.statistics; 55P03 the table was in use for five seconds: nobody is made
to wait longer for it, and catalogue.dispatch() tries again a minute later.
Source: Statistic';

-- Remove old addresses of statistics, for catalogue.prune().
CREATE FUNCTION catalogue.forget_addresses("limit" bigint) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_forget_addresses';
