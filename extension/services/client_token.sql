-- Tokens that are sent by e-mail or ask for a password once more, and tokens of consumers.

CREATE FUNCTION catalogue.confirm_password(id text, body json, actor jsonb DEFAULT NULL, address text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_confirm_password';
COMMENT ON FUNCTION catalogue.confirm_password(text, json, jsonb, text) IS
'Check currentPassword before a user changes his own password
Arguments: id, of the user.  body, actor: those of the catalogue.update() that follows.  address, of the client, whose
failures are counted; NULL for none.
Returns: id is that of the user where currentPassword is right, or none is needed: not after a login in the last hour,
which the member login of the actor, "recent", tells, if the body has passwordConfirm. Where it is wrong id is NULL, and
data has the fault as JSON; no error, so that the failure is counted, as one of a login.  catalogue.update() checks the
password too, and counts nothing.
Errors: OD429 too many failures of the user name or from the address, with the seconds to wait as JSON in the detail;
else those of catalogue.update(). Settings: catalogue.login_failures_name, login_failures_address, login_window,
parallel_hashes.
Source: Authentication 3';

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

CREATE FUNCTION catalogue.client_token(body json, address text DEFAULT NULL, strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_client_token';
COMMENT ON FUNCTION catalogue.client_token(json, text, boolean) IS
'Return the key that tokens of a consumer are made with, for the shim
Arguments: body, an object with the strings consumer, its name, and consumerId.  address, of the client, whose wrong
tries are counted; NULL for none. strict, whether other members are faults; else they are ignored and named.
Returns: data is an object: key, material, lifetime (seconds); the shim signs a token with them and gives that. Where
there is no such consumer, or it has no key that issues tokens, data is an empty object; no error, so that the try is
counted.
Errors: OD400 one is missing, or is not known and strict, with all faults as JSON in the detail; OD429 too many wrong
tries and failed logins from the address, with the seconds to wait as JSON in the detail. Settings:
catalogue.login_failures_address, login_window.
Source: Additional endpoints (clients/tokens)';
