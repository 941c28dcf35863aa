-- Accounts: login, sessions, the roles that a user can have, and the keys of consumers' tokens.

CREATE FUNCTION catalogue.login(body json, address text DEFAULT NULL, strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_login';
COMMENT ON FUNCTION catalogue.login(json, text, boolean) IS
'Check a user name and a password
Arguments: body, an object with the strings username and password.  address, of the client, whose failures are counted;
NULL for none. strict, whether other members are faults; else they are ignored and named.
Returns: data is an object: user (id), username, role; version is the instant that the user''s tokens are to bear, as
member session of the actor. Where they do not fit, or the user may not log in, id is NULL and data an empty object; no
error, so that the failure is counted.
Errors: OD400 one is missing, or is not known and strict, with all faults as JSON in the detail; OD429 too many failures
of the name or from the address, with the seconds to wait as JSON in the detail. Settings:
catalogue.login_failures_name, login_failures_address, login_window, parallel_hashes.
Source: Authentication 3';

CREATE FUNCTION catalogue.logout(actor jsonb) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_logout';
COMMENT ON FUNCTION catalogue.logout(jsonb) IS
'End all tokens of a user
Arguments: actor, {"user": id}.
Returns: data is an empty object.  The record, its history and the action log do not change.
A new password, deactivation, deletion, and a change of active end them too.
Errors: OD401 no user, or one who may not log in.
Source: Authentication 3';

CREATE FUNCTION catalogue.session(actor jsonb) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_session';
COMMENT ON FUNCTION catalogue.session(jsonb) IS
'Return the user of a credential
Arguments: actor, {"user": id}; with the member session also that the tokens of the user were not ended since.
Returns: as catalogue.login().  Errors: OD401 the user is gone, deactivated or not active, or the session has ended.
Source: Additional endpoints (refreshToken)';

CREATE FUNCTION catalogue.roles(actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    SELECT json_agg(json_build_object('id', r, 'name', r)) INTO reply.data
    FROM unnest(enum_range(NULL::catalogue.role)) r;
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.roles(jsonb) IS
'List the roles of users
Arguments: actor, who asks.  Returns: data is an array of objects with id and name, which are the same.
Source: Authentication 6';

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
