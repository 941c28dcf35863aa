-- Messages by e-mail that follow from what happens: a question goes to the contact of its dataset.

-- Return the e-mail address to ask about a dataset; part of catalogue.queue_mail().  That of its optional value
-- contactPoint, else of the catalogue; NULL where neither has one.
CREATE FUNCTION catalogue.mail_contact(dataset text) RETURNS text LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT a.address
        FROM catalogue.datasets d,
            jsonb_array_elements(coalesce(catalogue.dcat_value('contacts', d.optionals::jsonb -> 'contactPoint'), '[]')
                || coalesce(catalogue.dcat_value('contacts', (catalogue.dcat_settings()).data::jsonb -> 'contact'),
                    '[]'))
                WITH ORDINALITY c(contact, n),
            catalogue.mail_address(regexp_replace(c.contact ->> 'email', '^mailto:', '', 'i')) a(address)
        WHERE d.id = $1 AND a.address IS NOT NULL
        ORDER BY c.n LIMIT 1);
END
$$;

-- Return the details of the job of a message about a question; part of catalogue.queue_mail().
CREATE FUNCTION catalogue.question_message(question text, base text) RETURNS jsonb LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_strip_nulls(jsonb_build_object(
            'title', t.title, 'subject', d.name, 'to', catalogue.mail_contact(d.id),
            'email', catalogue.mail_address(q.email),
            'body', concat_ws(E'\n\n', t.title || ': ' || d.name, q.text,
                (SELECT catalogue.picture_text(l.name, 'From: {sender}', 'sender', s.sender)
                 FROM concat_ws(' ', q.name, '<' || q.email || '>') s(sender) WHERE s.sender <> ''),
                nullif($2, '') || '/datasets/' || d.id)))
        FROM catalogue.questions q JOIN catalogue.datasets d ON d.id = q.dataset,
            catalogue.picture_language() l(name),
            LATERAL (SELECT CASE q.kind WHEN 'fault' THEN catalogue.picture_text(l.name, 'Fault in a dataset')
                ELSE catalogue.picture_text(l.name, 'Question about a dataset') END) t (title)
        WHERE q.id = $1);
END
$$;

-- Queue messages of questions; part of catalogue.queue_mail().
CREATE FUNCTION catalogue.queue_questions(base text) RETURNS integer LANGUAGE plpgsql AS
$$
DECLARE
    asked   text;
    queued  integer := 0;
BEGIN
    FOR asked IN
        SELECT q.id FROM catalogue.questions q JOIN catalogue.datasets d ON d.id = q.dataset
        WHERE q.created_at > now() - interval '1 day' AND q.reply IS NULL AND q.deleted_at IS NULL
            AND d.deleted_at IS NULL AND NOT EXISTS (SELECT FROM catalogue.question_mail m WHERE m.question = q.id)
        ORDER BY q.created_at, q.id LIMIT 100
    LOOP
        INSERT INTO catalogue.question_mail (question) VALUES (asked) ON CONFLICT DO NOTHING;
        CONTINUE WHEN NOT FOUND;
        PERFORM catalogue.enqueue_part('email', 'email', catalogue.new_id(),
            catalogue.question_message(asked, $1), 'internal', NULL);
        queued := queued + 1;
    END LOOP;
    RETURN queued;
END
$$;

-- Tell a follower what has changed; part of catalogue.queue_mail().  Returns: whether outsiders see something of it.
CREATE FUNCTION catalogue.notify_follower(follower bigint, dataset text, since timestamptz, base text, language text)
    RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    told   text;
    until  timestamptz;
BEGIN
    BEGIN
        SELECT string_agg(format(E'* %s\n  %s/%s/%s', c.name, $4, c.resource, c.id), E'\n'
                ORDER BY c.changed DESC, c.id), max(c.changed::timestamptz)
        INTO told, until
        FROM catalogue.dataset_changes($2, '{}', $5) c WHERE c.changed::timestamptz > date_trunc('milliseconds', $3);
    EXCEPTION WHEN SQLSTATE 'OD404' THEN
        NULL; -- it is hidden; until it is shown again there is nothing to tell
    END;
    UPDATE catalogue.follower f
    SET told_until = coalesce(until + interval '1 millisecond', now()),
        sent_at = CASE WHEN told IS NULL THEN f.sent_at ELSE now() END
    WHERE f.id = $1;
    IF told IS NOT NULL THEN
        PERFORM catalogue.mail_follower($1, catalogue.picture_text($5, 'Changes'),
            concat(catalogue.picture_text($5, 'What has changed:'), E'\n\n', told),
            catalogue.picture_text($5, 'To stop these messages'));
    END IF;
    RETURN told IS NOT NULL;
END
$$;

-- Part of catalogue.queue_mail().
CREATE FUNCTION catalogue.queue_mail_part(base text) RETURNS integer LANGUAGE plpgsql AS
$$
DECLARE
    queued  integer := catalogue.queue_questions($1);
    next    record;
BEGIN
    FOR next IN
        SELECT f.* FROM catalogue.follower f JOIN catalogue.datasets d ON d.id = f.dataset AND d.deleted_at IS NULL
        WHERE f.sent_at < now() - interval '1 day' AND f.told_until < greatest(d.updated_at,
            (SELECT max(o.updated_at) FROM catalogue.files o WHERE o.dataset = d.id))
        ORDER BY f.sent_at, f.id LIMIT 100 FOR UPDATE OF f SKIP LOCKED
    LOOP
        queued := queued + catalogue.notify_follower(next.id, next.dataset, next.told_until, next.base,
            next.language)::integer;
    END LOOP;
    RETURN queued;
END
$$;

CREATE FUNCTION catalogue.queue_mail(base text) RETURNS integer
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.queue_mail(text) IS
'Queue the messages by e-mail that are due
Of each question of the last 24 hours that has no reply, one message to the contact of the dataset, else to that of the
catalogue, else to the operator; and to each follower of a dataset, once a day, what of it and its files has changed, as
outsiders see it.  A worker with a mail command calls it.
Arguments: base, address of the service, without a slash at the end; empty: messages about questions have no links.
Returns: the number of jobs of kind email.
Source: Datasets';
