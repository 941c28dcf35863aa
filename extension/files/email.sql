-- Messages by e-mail, which the worker sends.

-- Return an address that may be a field of a header and an argument of the mail command; NULL for another one.
CREATE FUNCTION catalogue.mail_address(address text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT address
    WHERE address ~ '^[!-~]+$' AND address ~ '^[^-@][^@]*@[^@]+[.][^@.]+$' AND address !~ '[<>,;]'
        AND length(address) <= 250;
END;

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
Returns: nothing; a job of kind email is queued.  The worker chooses the recipients.
Errors: OD400 a member that is missing or not valid, such as a line break in subject, name or email; OD429 too many
messages; OD401; OD403 the key is not for resource email.
Source: Additional endpoints (email/send)';
