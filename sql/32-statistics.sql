-- Statistics by day, which remain when the records of requests are removed.
CREATE FUNCTION catalogue.roll_up_statistics() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    rolled  bigint;
BEGIN
    -- a transaction with an earlier snapshot would remove rows that it has not added up
    IF current_setting('transaction_isolation') NOT LIKE 'read %' THEN
        RAISE invalid_transaction_state
            USING MESSAGE = 'statistics are rolled up in a transaction of READ COMMITTED only';
    END IF;
    -- requests received meanwhile are recorded afterwards, and belong to the next month
    LOCK TABLE catalogue.statistics IN SHARE ROW EXCLUSIVE MODE;
    WITH sums AS (
        INSERT INTO catalogue.statistics_by_day AS d (day, resource, method, client, requests)
        SELECT (s.created_at AT TIME ZONE 'UTC')::date, s.resource, s.method, s.client, count(*)
        FROM catalogue.statistics s WHERE s.deleted_at IS NULL GROUP BY 1, 2, 3, 4
        ON CONFLICT (day, resource, method, client) DO UPDATE SET requests = d.requests + excluded.requests
        RETURNING 1)
    SELECT count(*) INTO rolled FROM sums;
    TRUNCATE catalogue.statistics;
    PERFORM catalogue.note_upkeep('roll up', rolled);
    RETURN rolled;
END
$$;
COMMENT ON FUNCTION catalogue.roll_up_statistics() IS
'Add the statistics up by day, and empty them
They are added up in catalogue.statistics_by_day by day, resource, method and client.
Returns: how many rows of catalogue.statistics_by_day were made or changed.  Pages of the statistics as of an earlier
instant are empty then. A job of pg_cron calls it on the first of each month where that is installed.
Errors: 42501 no privilege to truncate catalogue.statistics; 25000 the transaction has another isolation level than READ
COMMITTED.
Source: Statistic; sql/32-statistics.sql';
