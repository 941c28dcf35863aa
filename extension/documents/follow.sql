-- Following a dataset by e-mail: asked for, confirmed and ended by links in messages.

-- Make a token for the messages of a follower, of which the hash is kept.
CREATE FUNCTION catalogue.new_follower_token(follower bigint) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    token  CONSTANT text := replace(gen_random_uuid()::text, '-', '');
BEGIN
    INSERT INTO catalogue.follower_token (hash, follower) VALUES (sha256(convert_to(token, 'UTF8')), $1);
    RETURN token;
END
$$;

-- Return the follower of a dataset whose token is in a query string; NULL where there is none.
CREATE FUNCTION catalogue.follower_of(dataset text, query text) RETURNS bigint LANGUAGE plpgsql STABLE AS
$$
DECLARE
    token  CONSTANT text := substring($2 FROM '(?:^|&)token=([^&]*)');
BEGIN
    RETURN (SELECT f.id FROM catalogue.follower_token t JOIN catalogue.follower f ON f.id = t.follower
        WHERE t.hash = sha256(convert_to(token, 'UTF8')) AND f.dataset = $1);
END
$$;

-- Queue a message to a follower; part of ask_follower() and queue_mail().  text: before the links; sign: of the link.
CREATE FUNCTION catalogue.mail_follower(follower bigint, title text, text text, sign text) RETURNS void
    LANGUAGE plpgsql AS
$$
DECLARE
    token  CONSTANT text := catalogue.new_follower_token($1);
BEGIN
    PERFORM catalogue.enqueue_part('email', 'email', catalogue.new_id(), jsonb_build_object(
            'title', $2, 'subject', catalogue.feed_text(d.optionals, f.language, 'name', d.name), 'to', f.email,
            'body', format(E'%s\n\n%s: %s/datasets/%s?token=%s#follow', $3, $4, f.base, d.id, token),
            'unsubscribe', format('%s/datasets/%s/unfollow?token=%s', f.base, d.id, token)), 'internal', NULL)
    FROM catalogue.follower f JOIN catalogue.datasets d ON d.id = f.dataset
    WHERE f.id = $1;
END
$$;

-- Part of catalogue.ask_follower().  The caller learns nothing about the address: neither whether it follows, nor
-- whether a message is sent, which it is once a day for a dataset, and for three datasets.
CREATE FUNCTION catalogue.ask_follower_part(dataset text, email text, base text, address text, language text)
    RETURNS void LANGUAGE plpgsql AS
$$
#variable_conflict use_column
DECLARE
    tongue  CONSTANT text := coalesce($5, catalogue.picture_language());
    asked   bigint;
BEGIN
    IF tongue <> ALL (catalogue.picture_languages()) THEN
        RAISE EXCEPTION USING ERRCODE = 'OD400', MESSAGE = 'invalid record: 1 fault',
            DETAIL = json_build_object('language', json_build_array(json_build_object('rule', 'enum', 'message',
                'takes one of ' || array_to_string(catalogue.picture_languages(), ', '), 'value', tongue)));
    END IF;
    IF catalogue.mail_address($2) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'OD400', MESSAGE = 'invalid record: 1 fault',
            DETAIL = json_build_object('email', json_build_array(CASE WHEN coalesce($2, '') = ''
                THEN '{"rule":"required","message":"is required"}'::json
                ELSE '{"rule":"format","message":"must be an e-mail address"}' END));
    END IF;
    PERFORM catalogue.count_email($4);
    PERFORM pg_advisory_xact_lock(hashtextextended('catalogue.follower ' || lower($2), 0));
    IF (SELECT pg_catalog.count(*) FROM catalogue.follower f
        WHERE lower(f.email) = lower($2) AND f.asked_at > now() - interval '1 day') >= 3 THEN
        RETURN;
    END IF;
    INSERT INTO catalogue.follower AS f (dataset, email, base, language) VALUES ($1, $2, $3, tongue)
    ON CONFLICT (dataset, lower(email)) DO UPDATE
        SET asked_at = now(), base = excluded.base, language = excluded.language
        WHERE f.confirmed_at IS NULL AND f.asked_at <= now() - interval '1 day'
    RETURNING f.id INTO asked;
    IF asked IS NOT NULL THEN
        PERFORM catalogue.mail_follower(asked, catalogue.picture_text(tongue, 'Please confirm'), concat_ws(' ',
            catalogue.picture_text(tongue,
                'Somebody, probably you, wants to have the changes of this dataset told by e-mail.'),
            catalogue.picture_text(tongue, 'If it was not you, do nothing: no message follows.')),
            catalogue.picture_text(tongue, 'To confirm'));
    END IF;
END
$$;

CREATE FUNCTION catalogue.ask_follower(dataset text, email text, base text, address text, language text) RETURNS void
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.ask_follower(text, text, text, text, text) IS
'Ask an e-mail address whether to follow a dataset; part of follow()
Arguments: dataset, its id.  email.  base, address, language, as for catalogue.follow().';

-- Part of catalogue.confirm_follower().
CREATE FUNCTION catalogue.confirm_follower_part(dataset text, query text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.follower f
    SET confirmed_at = coalesce(f.confirmed_at, now()), told_until = coalesce(f.told_until, now()),
        sent_at = coalesce(f.sent_at, now())
    WHERE f.id = catalogue.follower_of($1, $2);
    RETURN FOUND;
END
$$;

CREATE FUNCTION catalogue.confirm_follower(dataset text, query text) RETURNS boolean
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.confirm_follower(text, text) IS
'Confirm that an address follows a dataset; part of follow()
Arguments: dataset, its id.  query, has the token of a message.  Returns: whether it is one of this dataset.';

-- Part of catalogue.drop_follower().
CREATE FUNCTION catalogue.drop_follower_part(dataset text, query text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM catalogue.follower f WHERE f.id = catalogue.follower_of($1, $2);
    RETURN FOUND;
END
$$;

CREATE FUNCTION catalogue.drop_follower(dataset text, query text) RETURNS boolean
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.drop_follower(text, text) IS
'Erase an address that follows a dataset; part of unfollow()
Arguments: dataset, its id.  query, has the token of a message.  Returns: whether there was one.';

CREATE FUNCTION catalogue.follow(dataset text, query text DEFAULT '', body json DEFAULT NULL, base text DEFAULT '',
    address text DEFAULT NULL, actor jsonb DEFAULT NULL, strict boolean DEFAULT false)
    RETURNS catalogue.reply LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
    reply    catalogue.reply;
    members  CONSTANT json := CASE json_typeof(body) WHEN 'object' THEN body ELSE '{}' END;
    unknown  CONSTANT text[] := ARRAY(SELECT m FROM json_object_keys(members) m
                                      WHERE m NOT IN ('email', 'language') ORDER BY 1);
    of       CONSTANT text := (catalogue.item('datasets', dataset, 'fields=id', actor => actor)).id;
BEGIN
    IF strict AND unknown <> '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'OD400', MESSAGE = format('invalid record: %s fault%s', cardinality(unknown),
            CASE WHEN cardinality(unknown) > 1 THEN 's' END), DETAIL = (
            SELECT json_object_agg(u, '[{"rule":"unknown","message":"is not known"}]'::json) FROM unnest(unknown) u);
    ELSIF coalesce(query, '') !~ '(^|&)token=' THEN
        PERFORM catalogue.ask_follower(of, members ->> 'email', base, address, members ->> 'language');
    ELSIF NOT catalogue.confirm_follower(of, query) THEN
        RAISE EXCEPTION USING ERRCODE = 'OD404', MESSAGE = 'the link is not valid any more';
    END IF;
    reply.ignored := to_json(nullif(unknown, '{}'));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.follow(text, text, json, text, text, jsonb, boolean) IS
'Follow a dataset by e-mail: ask the address, or confirm it
Arguments: dataset, its id or slug.  query, may have token, that of a message: the address of it is confirmed.  body, an
object: without a token email, an address that gets a message with a link, and language, that of the messages, of those
of pictures; by default that of the catalogue.  base, address of the service, for links.
address, of the client: it may have catalogue.public_creations messages sent in catalogue.login_window; NULL: they are
not counted.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user.
strict: unknown members are errors.
An address gets one such message a day for a dataset, and for three datasets; the answer is the same for all. It is
forgotten where it is not confirmed within two days.
Returns: nothing.
Errors: OD400 no address, no such language, or unknown members; OD404 no such dataset, or no such token of it; OD429 too
many messages; OD401.
Source: Datasets';

CREATE FUNCTION catalogue.unfollow(dataset text, query text DEFAULT '', body json DEFAULT NULL)
    RETURNS catalogue.reply LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    PERFORM catalogue.drop_follower(dataset, query);
    reply.data := NULL; -- as of catalogue.follow()
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.unfollow(text, text, json) IS
'Stop following a dataset by e-mail
Arguments: dataset, its id.  query, has token, that of any message of the last year; the address of it is erased.  body,
is not read: programs of mail send List-Unsubscribe=One-Click.
Returns: nothing, also where the token is of no follower, or of one of another dataset.
Source: Datasets';
