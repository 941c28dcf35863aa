-- Questions about datasets: how many there may be, how long they are kept, and which replies are public.

-- Trigger: refuse a question if its dataset has had catalogue.dataset_questions in 24 hours.
CREATE FUNCTION catalogue.limit_questions() RETURNS trigger LANGUAGE plpgsql AS
$$
DECLARE
    "limit"  CONSTANT integer := current_setting('catalogue.dataset_questions');
    oldest   timestamptz;
BEGIN
    IF "limit" > 0 THEN
        -- two concurrent ones would not see each other
        PERFORM pg_advisory_xact_lock(hashtextextended('catalogue.questions ' || NEW.dataset, 0));
        SELECT q.created_at INTO oldest FROM catalogue.questions q
        WHERE q.dataset = NEW.dataset AND q.created_at > now() - interval '24 hours'
        ORDER BY q.created_at DESC OFFSET "limit" - 1 LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'OD429',
                MESSAGE = 'too many questions about this dataset, please try again later',
                DETAIL = json_build_object('retryAfter',
                    greatest(1, ceil(extract(epoch FROM oldest + interval '24 hours' - now()))::integer));
        END IF;
    END IF;
    RETURN NEW;
END
$$;

-- Delete old questions, and remove deleted ones for good, for catalogue.prune().
CREATE FUNCTION catalogue.expire_questions("limit" bigint) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_expire_questions';

-- Part of catalogue.answers().
CREATE FUNCTION catalogue.public_answers_part(dataset text) RETURNS json LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT json_build_object(
            'open', EXISTS (SELECT FROM catalogue.rules r WHERE r.resource = 'questions' AND r.action = 'create'
                                AND r.role IS NULL AND r.deleted_at IS NULL),
            'answers', coalesce(json_agg(json_build_object('kind', a.kind, 'text', a.text, 'reply', a.reply,
                'createdAt', catalogue.utc_text(a.created_at))
                ORDER BY a.created_at DESC, a.id DESC), '[]'))
        FROM (SELECT * FROM catalogue.questions q
              WHERE q.dataset = $1 AND q.deleted_at IS NULL AND q.reply_public AND q.reply IS NOT NULL
              ORDER BY q.created_at DESC, q.id DESC LIMIT 100) a);
END
$$;

CREATE FUNCTION catalogue.public_answers(dataset text) RETURNS json
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';

COMMENT ON FUNCTION catalogue.public_answers(text) IS
'Return the public questions of a dataset; part of catalogue.answers()
Arguments: dataset, its id.';

CREATE FUNCTION catalogue.answers(dataset text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply := catalogue.item('datasets', dataset, 'fields=id', actor => actor);
    found  CONSTANT json := catalogue.public_answers(reply.id);
BEGIN
    reply.etag := NULL;
    reply.data := found -> 'answers';
    reply.meta := format('"open":%s', found -> 'open');
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.answers(text, jsonb) IS
'Return the public questions about a dataset with their replies
Arguments: dataset, its id or slug.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user.
Returns: data is an array, the newest first, of 100 at most: kind, text, reply and createdAt of each question that has
a reply and whose replyPublic is true.  Nobody sees here who has asked.  meta has open: whether whoever asks may ask.
Errors: OD404 no such dataset; OD401 the actor''s user may not log in.
Source: Datasets';
