-- Change events: the action log as a caller may follow it, in the order of commits.

CREATE FUNCTION catalogue.events_start() RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_events_start';
COMMENT ON FUNCTION catalogue.events_start() IS
'Return the place behind all change events of now
Returns: a JSON object: place, where catalogue.events() goes on with what happens from now on.
Source: Webhooks';

CREATE FUNCTION catalogue.is_complete(at timestamptz, pending bigint[]) RETURNS boolean
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_is_complete';
COMMENT ON FUNCTION catalogue.is_complete(timestamptz, bigint[]) IS
'Tell whether all commits with a lower number are visible
Arguments: at, pending, columns of catalogue.change: when the commit was, and the transactions that were in progress.
Source: Webhooks';

-- Return a page of change events.  Arguments: commit, log, the place that it begins behind.  resources that the caller
-- may ask for.  audience, outsiders, internal or all.  Returns: data of catalogue.events(), of which it is a part.
-- Source: Webhooks.  The limits are literals, so that the planner expects few rows whatever the table's size.  A commit
-- without log records left has a row as well, since the page has passed it.
CREATE FUNCTION catalogue.events_page(commit bigint, log text, resources text[], audience text) RETURNS text
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    level  CONSTANT integer := array_position(ARRAY['outsiders', 'internal', 'all'], audience) - 1;
BEGIN
    RETURN (
        WITH page AS (
                SELECT c.commit_number, c.at, c.pending, l.*
                FROM catalogue.change c LEFT JOIN LATERAL (
                    SELECT o.id, o.resource AS record, o.target, o.seen_before::integer <= level AS before,
                        o.seen_after::integer <= level AS after
                    FROM catalogue.logs o
                    WHERE o.change = c.number AND o.id > CASE WHEN c.commit_number = $1 THEN $2 COLLATE "C" ELSE '' END
                    ORDER BY o.id LIMIT 128) l ON true
                WHERE c.commit_number >= $1 ORDER BY c.commit_number, l.id LIMIT 128),
            numbered AS (
                SELECT p.*, row_number() OVER w AS n,
                    bool_and(catalogue.is_complete(p.at, p.pending)) OVER w AS complete,
                    to_json(concat(p.commit_number, '-', CASE WHEN p.id IS NULL AND p.commit_number = $1 THEN $2
                        ELSE p.id END)) AS place
                FROM page p WINDOW w AS (ORDER BY p.commit_number, p.id ROWS UNBOUNDED PRECEDING)),
            event AS (
                SELECT t.*, r.resource, CASE WHEN r.resource IS NULL THEN NULL
                    WHEN t.after IS NOT TRUE THEN CASE WHEN t.before THEN 'delete' END
                    WHEN catalogue.seen_by($4, r.resource, t.record)
                        THEN CASE WHEN t.before THEN 'update' ELSE 'create' END END AS event
                FROM numbered t LEFT JOIN LATERAL (
                    SELECT r.resource FROM catalogue.resource r
                    WHERE lower(r.model) = t.target AND r.resource = ANY ($3) LIMIT 1) r ON true
                WHERE t.complete)
        SELECT concat('{"events":[', string_agg(concat('{"place":', e.place, ',"event":"', e.event, '","resource":"',
                e.resource, '","id":', to_json(e.record), ',"time":"',
                to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '"}'), ',' ORDER BY e.n)
                FILTER (WHERE e.event IS NOT NULL),
            '],"place":', coalesce((array_agg(e.place ORDER BY e.n DESC))[1]::text, to_json(concat($1, '-', $2))::text),
            ',"more":', (count(*) = 128)::text, '}')
        FROM event e);
END
$$;

CREATE FUNCTION catalogue.events("after" text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_events';
COMMENT ON FUNCTION catalogue.events(text, jsonb) IS
'List change events in the order of commits
Arguments: after, a place that catalogue.events_start() or this function has returned.  actor, who is told: an event
is told only to those who see the record, or saw it until then.
Returns: a JSON object: events, of at most 128 log records, each with its place, whose part behind "-" is the id of the
log record, event (create, update or delete, as it is for this actor), resource, id of the record, and time of the
commit; place, where the next page begins; more, whether there may be more at once.  A commit is told only when all with
a lower number are visible.
Errors: OD422 after is no place.  OD401.
Source: Webhooks';

CREATE FUNCTION catalogue.events_newest() RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_events_newest';
COMMENT ON FUNCTION catalogue.events_newest() IS
'Return the number of the newest commit in the action log
Returns: a number as JSON, 0 if there is none.  Places of catalogue.events() begin with such a number.
Source: Webhooks';
