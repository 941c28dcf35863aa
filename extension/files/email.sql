-- Messages by e-mail, which the worker sends.

-- Return an address that may be a field of a header and an argument of the mail command; NULL for another one.
CREATE FUNCTION catalogue.mail_address(address text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT address
    WHERE address ~ '^[!-~]+$' AND address ~ '^[^-@][^@]*@[^@]+[.][^@.]+$' AND address !~ '[<>,;]'
        AND length(address) <= 250;
END;

-- Queue a message to the operator in the language of the catalogue; part of catalogue.send_email().  given, its parts.
CREATE FUNCTION catalogue.queue_email(given jsonb) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    language  CONSTANT text := catalogue.picture_language();
    title     CONSTANT text := CASE given ->> 'template'
        WHEN 'datasetrequest' THEN catalogue.picture_text(language, 'Request for a dataset')
        ELSE catalogue.picture_text(language, 'Contact') END;
BEGIN
    PERFORM catalogue.enqueue_part('email', 'email', catalogue.new_id(), given || jsonb_build_object('title', title,
        'body', concat_ws(E'\n\n', title, concat_ws(E'\n',
            catalogue.picture_text(language, 'From: {sender}', 'sender',
                btrim(format('%s <%s>', given ->> 'name', given ->> 'email'))),
            catalogue.picture_text(language, 'Subject: {subject}', 'subject', given ->> 'subject')),
            given ->> 'text')), 'internal', NULL);
END
$$;

CREATE FUNCTION catalogue.send_email(body json, address text DEFAULT NULL, actor jsonb DEFAULT NULL,
    strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_send_email';
COMMENT ON FUNCTION catalogue.send_email(json, text, jsonb, boolean) IS
'Have a message sent to the operator
Arguments: body, an object: email or mail, address to answer to; text or description; name, subject; template, contact
(the default) or datasetrequest.  address, of the client: it may send catalogue.public_creations messages in
catalogue.login_window; NULL: they are not counted.  actor, {"user": id} for a user, {} for an outsider, NULL for a
database user.  strict: unknown members are errors.
Returns: nothing; a job of kind email is queued, with the message in the language of config catalogLanguage.  The worker
chooses the recipients.
Errors: OD400 a member that is missing or not valid, such as a line break in subject, name or email; OD429 too many
messages; OD401; OD403 the key is not for resource email.
Source: Additional endpoints (email/send)';
