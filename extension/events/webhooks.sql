-- Webhooks: change events are posted to addresses, by the worker, until these have accepted them.

-- Trigger BEFORE a webhook is stored: check its secret and its resources; one that is activated has not failed yet.
CREATE FUNCTION catalogue.check_webhook() RETURNS trigger LANGUAGE plpgsql AS
$$
DECLARE
    faults   json;
    unknown  text;
BEGIN
    IF TG_OP = 'INSERT' OR NEW.secret IS DISTINCT FROM OLD.secret THEN
        IF length(NEW.secret) NOT BETWEEN 24 AND 100 THEN
            faults := json_build_object('secret', json_build_array(json_build_object('rule', 'format',
                'message', 'takes 24 to 100 characters')));
        ELSIF starts_with(NEW.secret, 'whsec_')
            AND NEW.secret !~ '^whsec_([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' THEN
            -- libraries of Standard Webhooks verify no signature by such a key
            faults := json_build_object('secret', json_build_array(json_build_object('rule', 'format',
                'message', 'takes base64 with padding behind whsec_')));
        END IF;
    END IF;
    SELECT string_agg(e.name, ', ') INTO unknown
    FROM json_array_elements_text(NEW.resources) e(name)
    WHERE NOT EXISTS (SELECT FROM catalogue.resource r WHERE r.resource = e.name);
    IF unknown IS NOT NULL THEN
        faults := json_build_object('resources', json_build_array(json_build_object('rule', 'reference',
            'message', 'takes names of resources', 'value', left(unknown, 200))));
    END IF;
    IF faults IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'OD400', MESSAGE = 'Webhook is invalid', DETAIL = faults::text;
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.active AND NOT OLD.active THEN
        NEW.failing_since := NULL;
        NEW.failure_reason := NULL;
    END IF;
    RETURN NEW;
END
$$;

-- Trigger AFTER a webhook is stored: it gets the events from then on; one that was inactive is tried at once.
CREATE FUNCTION catalogue.follow_webhook() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO catalogue.webhook_state (webhook, place)
        SELECT NEW.id, e.data::json ->> 'place' FROM catalogue.events_start() e;
    ELSIF NEW.active AND (NOT OLD.active OR NEW.secret IS DISTINCT FROM OLD.secret) THEN
        UPDATE catalogue.webhook_state s SET due_at = now() WHERE s.webhook = NEW.id AND s.worker IS NULL;
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION catalogue.webhook_message(place text, resources json, actor jsonb, OUT message text, OUT behind text)
    LANGUAGE plpgsql AS
$$
DECLARE
    pages    CONSTANT integer := 100;
    missing  CONSTANT boolean := coalesce((SELECT c.commit_number > split_part(place, '-', 1)::bigint + 1
                                           FROM catalogue.change c WHERE c.commit_number IS NOT NULL
                                           ORDER BY c.commit_number LIMIT 1), false);
    page     json;
    events   json;
BEGIN
    behind := place;
    FOR number IN 1 .. pages LOOP
        page := (SELECT e.data::json FROM catalogue.events(behind, actor) e);
        behind := page ->> 'place';
        events := (SELECT json_agg(json_build_object('event', e ->> 'event', 'resource', e ->> 'resource',
                                       'id', e ->> 'id', 'time', e ->> 'time') ORDER BY n)
                   FROM json_array_elements(page -> 'events') WITH ORDINALITY p(e, n)
                   WHERE coalesce(json_array_length(resources), 0) = 0
                       OR e ->> 'resource' IN (SELECT json_array_elements_text(resources)));
        EXIT WHEN events IS NOT NULL OR NOT (page ->> 'more')::boolean;
    END LOOP;
    IF events IS NOT NULL OR missing THEN
        message := json_build_object('type', 'catalogue.changes',
            'timestamp', catalogue.utc_text(now()),
            'data', json_build_object('reset', missing, 'events', coalesce(events, '[]')));
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.webhook_message(text, json, jsonb) IS
'Return the next message of a webhook
Arguments: place, behind the events that it has.  resources, those that it wants.  actor, the user whose events it gets.
Returns: message, its text, NULL if there is no event for it; behind, the place behind the events that were read.
Errors: OD401 the user has no access.';

-- List the webhooks that have something to send, or may have it; part of webhook_take().  Arguments: newest, number of
-- the newest commit.  Returns: turn and again, the place among those of the same creator, of all and of those that have
-- failed or have not.
CREATE FUNCTION catalogue.webhooks_due(newest bigint)
    RETURNS TABLE (webhook text, resources json, created_by text, url text, turn bigint, again bigint)
    LANGUAGE sql STABLE AS
$$
    SELECT s.webhook, w.resources, w.created_by, w.url,
        row_number() OVER (PARTITION BY w.created_by ORDER BY s.attempts > 0, s.due_at, s.webhook),
        row_number() OVER (PARTITION BY w.created_by, s.attempts > 0 ORDER BY s.due_at, s.webhook)
    FROM catalogue.webhook_state s JOIN catalogue.webhooks w ON w.id = s.webhook
    WHERE w.active AND w.deleted_at IS NULL AND s.due_at <= now()
        AND (s.message IS NOT NULL OR split_part(s.place, '-', 1)::bigint < $1
            -- a message may end within a commit
            OR EXISTS (SELECT FROM catalogue.change c JOIN catalogue.logs l ON l.change = c.number
                       WHERE c.commit_number = split_part(s.place, '-', 1)::bigint
                           AND l.id > split_part(s.place, '-', 2) COLLATE "C"));
$$;

-- Part of catalogue.webhook_take().
CREATE FUNCTION catalogue.webhook_take_part(worker text, most integer, lease interval)
    RETURNS TABLE (webhook text, serial bigint, message text, url text, secret text) LANGUAGE plpgsql AS
$$
DECLARE
    newest  CONSTANT bigint := (SELECT e.data::bigint FROM catalogue.events_newest() e);
    hook    record;
    actor   jsonb;
BEGIN
    FOR hook IN
        WITH sent AS (
            SELECT w.created_by, count(*), count(*) FILTER (WHERE s.attempts > 0) AS failing
            FROM catalogue.webhook_state s JOIN catalogue.webhooks w ON w.id = s.webhook
            WHERE s.worker = $1 AND s.due_at > now() GROUP BY w.created_by),
        share AS (
            SELECT greatest(($2 + coalesce(sum(o.count), 0)) / 2, 1) AS most,
                greatest(($2 + coalesce(sum(o.count), 0)) / 8, 1) AS failing
            FROM sent o)
        SELECT s.*, d.resources, d.created_by, d.url
        FROM catalogue.webhooks_due(newest) d JOIN catalogue.webhook_state s ON s.webhook = d.webhook
            LEFT JOIN sent o ON o.created_by = d.created_by
        WHERE s.due_at <= now() AND d.turn + coalesce(o.count, 0) <= (SELECT h.most FROM share h)
            -- who has not accepted a message may not accept it again, and takes as long then
            AND (s.attempts = 0 OR d.again + coalesce(o.failing, 0) <= (SELECT h.failing FROM share h))
        ORDER BY s.attempts > 0, s.due_at, s.webhook LIMIT $2 FOR UPDATE OF s SKIP LOCKED
    LOOP
        BEGIN
            actor := jsonb_build_object('user', hook.created_by);
            secret := catalogue.secret('webhooks', hook.webhook, 'secret');
            IF NOT (SELECT d.data::jsonb -> 'allowed' ? 'create' FROM catalogue.describe('webhooks', actor) d) THEN
                RAISE SQLSTATE 'OD403' USING MESSAGE = 'its creator may not create webhooks any more';
            END IF;
            IF hook.message IS NULL THEN
                SELECT m.message, m.behind, hook.serial + 1 INTO hook.message, hook.behind, hook.serial
                FROM catalogue.webhook_message(hook.place, hook.resources, actor) m;
            END IF;
        EXCEPTION WHEN SQLSTATE 'OD401' OR SQLSTATE 'OD403' OR SQLSTATE 'OD503' OR object_not_in_prerequisite_state
            OR data_corrupted THEN
            PERFORM catalogue.postpone_webhook(hook.webhook, SQLERRM);
            CONTINUE;
        END;
        IF hook.message IS NULL THEN
            UPDATE catalogue.webhook_state s
            SET place = hook.behind
            WHERE s.webhook = hook.webhook AND s.place <> hook.behind;
            CONTINUE;
        END IF;
        UPDATE catalogue.webhook_state s
        SET serial = hook.serial, message = hook.message, behind = hook.behind, worker = $1, due_at = now() + $3
        WHERE s.webhook = hook.webhook;
        webhook := hook.webhook;
        serial := hook.serial;
        message := hook.message;
        url := hook.url;
        RETURN NEXT;
    END LOOP;
END
$$;

CREATE FUNCTION catalogue.webhook_take(worker text, most integer, lease interval)
    RETURNS TABLE (webhook text, serial bigint, message text, url text, secret text)
    LANGUAGE c VOLATILE STRICT ROWS 16 AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.webhook_take(text, integer, interval) IS
'Take messages of webhooks that are due, for the worker
Arguments: worker, a name that no other worker has.  most, how many webhooks at most.  lease, how long no other worker
sends these messages.
A user gets at most half of the messages that the worker has at once, those that it has and most; an eighth for webhooks
whose last attempt has failed, which come after the others.
Returns: a row for each: webhook, its id; serial, number of the message; message, a JSON text; url, where it is posted;
secret, which signs it.  A webhook has one message at a time, whose events are in the order of commits; it is the same
in each attempt.  A webhook without new events is not written to.
Source: Change events (webhooks)';

-- Add an attempt to the last ones; part of catalogue.webhook_done().  Arguments: former, the attempts before.  webhook
-- and serial, of the message.  reason of the failure; NULL: accepted.
CREATE FUNCTION catalogue.webhook_attempts(former json, webhook text, serial bigint, reason text) RETURNS json
    LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT json_agg(a.attempt ORDER BY a.n)
    FROM (SELECT json_build_object('message', webhook || '-' || serial, 'time', now(), 'accepted', reason IS NULL,
                     'reason', left(reason, 500)), 0
          UNION ALL
          SELECT * FROM json_array_elements(former) WITH ORDINALITY) a(attempt, n)
    WHERE a.n < 20;
END;

CREATE FUNCTION catalogue.postpone_webhook(webhook text, reason text, gone boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql AS
$$
DECLARE
    waits  CONSTANT interval[] := '{5 s,30 s,2 min,10 min,30 min,1 h}';
    ends   CONSTANT boolean := EXISTS (SELECT FROM catalogue.webhooks w
                                       WHERE w.id = $1 AND w.failing_since < now() - interval '3 days');
    cause  CONSTANT text := left(CASE WHEN ends THEN 'it was deactivated after three days of failures: ' ELSE '' END
                                 || $2, 500);
BEGIN
    UPDATE catalogue.webhook_state s
    SET worker = NULL, attempts = s.attempts + 1,
        attempted = catalogue.webhook_attempts(s.attempted, s.webhook, s.serial, $2),
        due_at = now() + waits[least(s.attempts + 1, cardinality(waits))] * (0.9 + random() / 5)
    WHERE s.webhook = $1;
    UPDATE catalogue.webhooks w
    SET failing_since = coalesce(w.failing_since, now()), failure_reason = cause, active = w.active AND NOT (ends OR $3)
    WHERE w.id = $1 AND w.deleted_at IS NULL
        AND (w.failing_since IS NULL OR w.failure_reason IS DISTINCT FROM cause OR w.active AND (ends OR $3));
END
$$;
COMMENT ON FUNCTION catalogue.postpone_webhook(text, text, boolean) IS
'Have a webhook wait for its next attempt
That is 5 seconds after the first failure, longer after each, and an hour after the sixth and each further one. After
three days of failures it is deactivated, which failure_reason of its record tells.
Arguments: webhook, its id.  reason of the failure.  gone, whether it is deactivated.';

-- Part of catalogue.webhook_done().
CREATE FUNCTION catalogue.webhook_done_part(webhook text, worker text, serial bigint) RETURNS boolean
    LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.webhook_state s
    SET place = s.behind, message = NULL, behind = NULL, attempts = 0, due_at = now(), worker = NULL,
        accepted = s.message, attempted = catalogue.webhook_attempts(s.attempted, s.webhook, s.serial, NULL)
    WHERE s.webhook = $1 AND s.worker = $2 AND s.serial = $3 AND s.message IS NOT NULL;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE catalogue.webhooks w
    SET failing_since = NULL, failure_reason = NULL
    WHERE w.id = $1 AND w.failing_since IS NOT NULL;
    RETURN true;
END
$$;

CREATE FUNCTION catalogue.webhook_done(webhook text, worker text, serial bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.webhook_done(text, text, bigint) IS
'Record that a message of a webhook was accepted, for the worker
Arguments: webhook, worker, serial, as for catalogue.webhook_take().  Returns: false where the message is no longer this
worker''s; then another one sends it again.
Source: Change events (webhooks)';

-- Part of catalogue.webhook_failed().
CREATE FUNCTION catalogue.webhook_failed_part(webhook text, worker text, serial bigint, reason text, gone boolean)
    RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM FROM catalogue.webhook_state s
    WHERE s.webhook = $1 AND s.worker = $2 AND s.serial = $3 FOR UPDATE;
    IF FOUND THEN
        PERFORM catalogue.postpone_webhook($1, $4, $5);
    END IF;
    RETURN FOUND;
END
$$;

CREATE FUNCTION catalogue.webhook_failed(webhook text, worker text, serial bigint, reason text, gone boolean)
    RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.webhook_failed(text, text, bigint, text, boolean) IS
'Record that a message of a webhook was not accepted, for the worker
It is sent again later.  Arguments: webhook, worker, serial, as for catalogue.webhook_take().  reason, which the record
of the webhook shows.  gone, whether the receiver does not exist any more: the webhook is deactivated.
Returns: false where the message is no longer this worker''s.
Source: Change events (webhooks)';

-- Part of catalogue.webhook_attempted().
CREATE FUNCTION catalogue.webhook_attempted_part(webhook text) RETURNS json LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT s.attempted FROM catalogue.webhook_state s WHERE s.webhook = $1);
END
$$;

CREATE FUNCTION catalogue.webhook_attempted(webhook text) RETURNS json
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.webhook_attempted(text) IS
    'Return attempts of a webhook; part of catalogue.webhook_deliveries()';

CREATE FUNCTION catalogue.webhook_deliveries(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply := catalogue.item('webhooks', $1, 'fields=id', 'ids', $2);
BEGIN
    reply.data := catalogue.webhook_attempted(reply.data::json ->> 'id');
    reply.etag := NULL; -- that of the record, which an attempt may leave as it is
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.webhook_deliveries(text, jsonb) IS
'Return the last attempts to send messages of a webhook
Arguments: id of the webhook.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user.
Returns: data is an array of the last 20, newest first: message, as in the header webhook-id; time; accepted; reason of
a failure.
Errors: OD404 there is none that the actor sees.';

-- Part of catalogue.webhook_send_again().
CREATE FUNCTION catalogue.webhook_send_again_part(webhook text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    -- a message that is being sent stays as it is
    UPDATE catalogue.webhook_state s
    SET message = coalesce(s.message, s.accepted), behind = coalesce(s.behind, s.place), attempts = 0,
        due_at = CASE WHEN s.worker IS NULL THEN now() ELSE s.due_at END
    WHERE s.webhook = $1 AND coalesce(s.message, s.accepted) IS NOT NULL;
    RETURN FOUND;
END
$$;

CREATE FUNCTION catalogue.webhook_send_again(webhook text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.webhook_send_again(text) IS
    'Send a message again; part of catalogue.webhook_redeliver()';

CREATE FUNCTION catalogue.webhook_redeliver(id text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
    reply  catalogue.reply := catalogue.update('webhooks', $1, '{"active": true}', actor => $2);
BEGIN
    IF NOT catalogue.webhook_send_again(reply.id) THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = 'no message of this webhook has been made yet';
    END IF;
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.webhook_redeliver(text, jsonb) IS
'Send the last message of a webhook again
That is the one which was not accepted yet, else the one which was; it has the same id. The webhook is activated.
Arguments: id of the webhook.  actor, as for catalogue.webhook_deliveries().
Returns: as catalogue.update().
Errors: OD409 there was none yet; those of catalogue.update().';
