-- Consumers and their keys over HTTP, for superadmins: consumer_admin.c checks who asks and the types of members.

CREATE FUNCTION catalogue.consumers(actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_consumers';
COMMENT ON FUNCTION catalogue.consumers(jsonb) IS
'Return the consumers and their keys
Arguments: actor, {"user": id} of a superadmin, NULL for a database user, who is trusted.
Returns: data is an array of those that are not revoked, in the order in which they were made: id, name, return,
relations, color, tokenLifetime in seconds, origins, publicPaths, expires, state (good or expired), createdAt, createdBy
(a user, null for a database user), and keys: an array of key (the name), kind (apikey, HS256, RS256 or ES256), state
(good, expired or revoked), issuesTokens, expires, resources, verbs, organization, rate, createdAt, createdBy,
revokedAt, revokedBy, lastUsed (to the minute). No secret is in it.
Errors: OD401 no user; OD403 the user is no superadmin, or the key is not for resource consumers.
Source: Authentication 1';

CREATE FUNCTION catalogue.register_consumer(body json, actor jsonb DEFAULT NULL, strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_register_consumer';
COMMENT ON FUNCTION catalogue.register_consumer(json, jsonb, boolean) IS
'Register an application
Arguments: body, an object: name, which is needed; id; return, relations, color, expires (an instant of RFC 3339),
tokenLifetime (seconds), origins, publicPaths: as the columns of catalogue.consumers.  actor, as for
catalogue.consumers().  strict, refuse unknown members, else they are ignored.
Returns: data is an object: id.
Errors: OD400 a value, by member as JSON in the detail; OD409 the name or id is taken; OD401, OD403 as for
catalogue.consumers().
Source: Authentication 1';

CREATE FUNCTION catalogue.change_consumer(id text, body json, actor jsonb DEFAULT NULL, strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_change_consumer';
COMMENT ON FUNCTION catalogue.change_consumer(text, json, jsonb, boolean) IS
'Change an application
Arguments: id of the consumer.  body, an object of what is to be changed, as for catalogue.register_consumer() without
id.  actor, strict: likewise.
Returns: data is an object: id.
Errors: as of catalogue.register_consumer(); OD404 no such consumer.
Source: Authentication 1';

CREATE FUNCTION catalogue.make_key(consumer text, body json, actor jsonb DEFAULT NULL, strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_make_key';
COMMENT ON FUNCTION catalogue.make_key(text, json, jsonb, boolean) IS
'Make a key of a consumer
Arguments: consumer, its id.  body, an object: kind, apikey unless it is HS256, RS256 or ES256; key, its name,
material and issuesTokens, as for catalogue.add_token_key(); expires, resources, verbs, organization, rate, as for
catalogue.add_api_key().  actor, strict: as for catalogue.register_consumer().
Returns: data is an object: key, its name; secret, which is shown this once, null where it was given.
Errors: as of catalogue.change_consumer().
Source: Authentication 1';

CREATE FUNCTION catalogue.replace_key(consumer text, key text, body json, actor jsonb DEFAULT NULL,
    strict boolean DEFAULT false) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_replace_key';
COMMENT ON FUNCTION catalogue.replace_key(text, text, json, jsonb, boolean) IS
'Put a new key in the place of one
Arguments: consumer, its id.  key, the name of the old one.  body, an object: grace, for how many seconds that is good
beside the new one, 0 unless given; material, as for catalogue.rotate_key().  actor, strict: as for
catalogue.register_consumer().
Returns: data as of catalogue.make_key().
Errors: as of catalogue.change_consumer().
Source: Authentication 1';

CREATE FUNCTION catalogue.end_consumer(consumer text, key text DEFAULT NULL, actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_end_consumer';
COMMENT ON FUNCTION catalogue.end_consumer(text, text, jsonb) IS
'Revoke a key of a consumer, or the consumer with all its keys
Arguments: consumer, its id.  key, its name; NULL for all.  actor, as for catalogue.consumers().
Returns: data is an empty object.
Errors: OD404 no such consumer or key, or it is revoked already; OD401, OD403 as for catalogue.consumers().
Source: Authentication 1';

-- List the consumers for catalogue.consumers().
CREATE FUNCTION catalogue.consumer_list() RETURNS json LANGUAGE sql STABLE AS
$$
    SELECT coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'return', c.return_default,
        'relations', c.relations_default, 'color', c.color_default,
        'tokenLifetime', floor(extract(epoch FROM c.token_lifetime))::bigint, 'origins', to_json(c.origins),
        'publicPaths', to_json(c.public_paths), 'expires', catalogue.utc_text(c.expires_at),
        'state', CASE WHEN c.expires_at <= now() THEN 'expired' ELSE 'good' END,
        'createdAt', catalogue.utc_text(c.created_at), 'createdBy', c.created_by,
        'keys', (
            SELECT coalesce(json_agg(json_build_object('key', k.key, 'kind', k.kind,
                'state', CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
                    WHEN least(c.expires_at, k.expires_at) <= now() THEN 'expired' ELSE 'good' END,
                'issuesTokens', k.issues, 'expires', catalogue.utc_text(k.expires_at), 'resources', k.resources,
                'verbs', k.verbs, 'organization', k.organization, 'rate', k.rate,
                'createdAt', catalogue.utc_text(k.created_at), 'createdBy', k.created_by,
                'revokedAt', catalogue.utc_text(k.revoked_at), 'revokedBy', k.revoked_by,
                'lastUsed', catalogue.utc_text(u.last_used_at))
                ORDER BY k.created_at, k.key), '[]')
            FROM catalogue.consumer_keys k LEFT JOIN catalogue.consumer_use u ON u.key = k.key
            WHERE k.consumer = c.id)) ORDER BY c.created_at, c.id), '[]')
    FROM catalogue.consumers c WHERE c.revoked_at IS NULL;
$$;

-- Raise OD400 for a member of a consumer or a key.
CREATE FUNCTION catalogue.refuse_consumer(member text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    message  CONSTANT text := '{
        "id": "takes up to 64 letters, digits, _ and -",
        "name": "takes up to 100 characters, of which some can be seen",
        "return": "takes minimal or representation",
        "relations": "takes ids or embedded",
        "color": "takes bare or css",
        "expires": "takes an instant such as 2027-01-31T12:00:00Z",
        "tokenLifetime": "takes seconds, at least 1 and at most a hundred years",
        "origins": "takes origins such as https://portal.example.org",
        "publicPaths": "takes paths such as /datasets/*/download",
        "key": "takes up to 100 letters, digits and _ . : / -, and the name of an API key is made",
        "kind": "takes apikey, HS256, RS256 or ES256",
        "material": "takes a secret of 32 characters or more for HS256, and the public key in PEM for RS256 and ES256",
        "issuesTokens": "goes with HS256 only",
        "resources": "takes resources such as datasets",
        "verbs": "takes GET, POST, PATCH, PUT and DELETE",
        "organization": "takes the id of an organization",
        "rate": "takes a number above 0"}'::jsonb ->> member;
BEGIN
    RAISE SQLSTATE 'OD400' USING MESSAGE = format('invalid record: "%s" %s', member, message),
        DETAIL = json_build_object(member, json_build_array(json_build_object('rule', 'value', 'message', message)));
END
$$;

-- Raise what PostgreSQL has refused, by the member that it is of.  Arguments: state of the error; refused, the name of
-- the constraint, or of the column that may not be null.
CREATE FUNCTION catalogue.refuse_constraint(state text, refused text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    field  CONSTANT text := regexp_replace($2, '^consumer(s|_keys)_|_(check|pkey|living)$', '', 'g');
BEGIN
    IF $1 = '23505' THEN
        IF field = 'name' THEN
            RAISE SQLSTATE 'OD409' USING MESSAGE = 'an application has this name';
        END IF;
        RAISE SQLSTATE 'OD409' USING MESSAGE = 'an application or a key has this id';
    END IF;
    PERFORM catalogue.refuse_consumer(CASE
        WHEN $1 = '22001' THEN 'name'
        WHEN $1 = '22003' THEN 'rate'
        WHEN $1 = '22023' THEN 'material'
        WHEN $1 = '42P01' THEN 'resources'
        WHEN $1 LIKE '22%' THEN 'expires'
        WHEN $2 = 'consumer_keys_check' THEN 'issuesTokens'
        ELSE coalesce('{"return_default": "return", "relations_default": "relations", "color_default": "color",
            "token_lifetime": "tokenLifetime", "public_paths": "publicPaths"}'::jsonb ->> field, nullif(field, ''),
            'name') END);
END
$$;

-- Require a consumer that is not revoked, and a key of it that is not, unless that is NULL.
CREATE FUNCTION catalogue.require_consumer(consumer text, key text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF NOT EXISTS (SELECT FROM catalogue.consumers c WHERE c.id = $1 AND c.revoked_at IS NULL) THEN
        RAISE SQLSTATE 'OD404' USING MESSAGE = format('Consumer "%s" does not exist', $1);
    ELSIF $2 IS NOT NULL AND NOT EXISTS (SELECT FROM catalogue.consumer_keys k
            WHERE k.key = $2 AND k.consumer = $1 AND k.revoked_at IS NULL) THEN
        RAISE SQLSTATE 'OD404' USING MESSAGE = format('Key "%s" does not exist', $2);
    END IF;
END
$$;

-- Return an instant of a body; NULL if it is not given.
CREATE FUNCTION catalogue.consumer_expires(given jsonb) RETURNS timestamptz LANGUAGE plpgsql STABLE AS
$$
BEGIN
    IF given ->> 'expires' !~ '^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$' THEN
        PERFORM catalogue.refuse_consumer('expires');
    END IF;
    RETURN given ->> 'expires';
END
$$;

-- Return a list of a body; NULL if it is not given.
CREATE FUNCTION catalogue.consumer_words(given jsonb, member text) RETURNS text[] LANGUAGE sql IMMUTABLE AS
$$
    SELECT CASE WHEN jsonb_typeof($1 -> $2) = 'array' THEN ARRAY(SELECT jsonb_array_elements_text($1 -> $2)) END;
$$;

-- Register or change a consumer for catalogue.register_consumer() and change_consumer().  Arguments: id, NULL for a new
-- one.  given, the members of the body.  who, the user.  Returns: data of the reply.
CREATE FUNCTION catalogue.consumer_save(id text, given jsonb, who text) RETURNS json LANGUAGE plpgsql AS
$$
DECLARE
    saved       text := $1;
    state       text;
    refused     text;
    empty       text;
BEGIN
    IF saved IS NOT NULL THEN
        PERFORM catalogue.require_consumer(saved, NULL);
    END IF;
    BEGIN
        IF saved IS NULL THEN
            saved := catalogue.add_consumer(given ->> 'name', id => given ->> 'id');
            UPDATE catalogue.consumers c SET created_by = who WHERE c.id = saved;
        END IF;
        UPDATE catalogue.consumers c SET
            name = CASE WHEN given ? 'name' THEN given ->> 'name' ELSE c.name END,
            return_default = CASE WHEN given ? 'return' THEN given ->> 'return' ELSE c.return_default END,
            relations_default = CASE WHEN given ? 'relations' THEN given ->> 'relations' ELSE c.relations_default END,
            color_default = CASE WHEN given ? 'color' THEN given ->> 'color' ELSE c.color_default END,
            expires_at = CASE WHEN given ? 'expires' THEN catalogue.consumer_expires(given) ELSE c.expires_at END,
            token_lifetime = CASE WHEN given ? 'tokenLifetime'
                THEN ((given ->> 'tokenLifetime') || ' seconds')::interval ELSE c.token_lifetime END,
            origins = CASE WHEN given ? 'origins' THEN catalogue.consumer_words(given, 'origins') ELSE c.origins END,
            public_paths = CASE WHEN given ? 'publicPaths' THEN catalogue.consumer_words(given, 'publicPaths')
                ELSE c.public_paths END
        WHERE c.id = saved;
    EXCEPTION WHEN unique_violation OR check_violation OR not_null_violation OR data_exception THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, refused = CONSTRAINT_NAME, empty = COLUMN_NAME;
        PERFORM catalogue.refuse_constraint(state, concat(refused, empty));
    END;
    RETURN json_build_object('id', saved);
END
$$;

-- Make a key for catalogue.make_key(), or, where one is named, put it in its place for catalogue.replace_key().
-- Arguments: consumer, its id.  replaced, the name of the former key or NULL.  given, the members of the body.  who,
-- the user.  Returns: data of the reply.
CREATE FUNCTION catalogue.consumer_key_make(consumer text, replaced text, given jsonb, who text) RETURNS json
    LANGUAGE plpgsql AS
$$
DECLARE
    kind        text := coalesce(given ->> 'kind', 'apikey');
    made        record;
    state       text;
    refused     text;
    empty       text;
BEGIN
    PERFORM catalogue.require_consumer($1, $2);
    IF given ->> 'organization' IS NOT NULL AND NOT EXISTS (SELECT FROM catalogue.organizations o
            WHERE o.id = given ->> 'organization' AND o.deleted_at IS NULL) THEN
        PERFORM catalogue.refuse_consumer('organization');
    ELSIF kind NOT IN ('apikey', 'HS256', 'RS256', 'ES256') THEN
        PERFORM catalogue.refuse_consumer('kind');
    ELSIF kind = 'apikey' AND (given ->> 'issuesTokens')::boolean THEN
        PERFORM catalogue.refuse_consumer('issuesTokens');
    ELSIF kind = 'apikey' AND $2 IS NULL AND num_nonnulls(given ->> 'material', given ->> 'key') > 0 THEN
        PERFORM catalogue.refuse_consumer(CASE WHEN given ->> 'key' IS NULL THEN 'material' ELSE 'key' END);
    END IF;
    BEGIN
        IF $2 IS NOT NULL THEN
            SELECT k.name, k.secret INTO made
            FROM catalogue.rotate_key($2, make_interval(secs => coalesce((given ->> 'grace')::float8, 0)),
                given ->> 'material') k;
        ELSIF kind = 'apikey' THEN
            SELECT k.key AS name, k.secret INTO made
            FROM catalogue.add_api_key($1, catalogue.consumer_expires(given),
                catalogue.consumer_words(given, 'resources'), catalogue.consumer_words(given, 'verbs'),
                given ->> 'organization', (given ->> 'rate')::integer) k;
        ELSE
            SELECT k.name, k.secret INTO made
            FROM catalogue.add_token_key($1, kind, given ->> 'material', given ->> 'key',
                coalesce((given ->> 'issuesTokens')::boolean, false), catalogue.consumer_expires(given),
                catalogue.consumer_words(given, 'resources'), catalogue.consumer_words(given, 'verbs'),
                given ->> 'organization', (given ->> 'rate')::integer) k;
        END IF;
        UPDATE catalogue.consumer_keys k SET created_by = who WHERE k.key = made.name;
        UPDATE catalogue.consumer_keys k SET revoked_by = who WHERE k.key = $2 AND k.revoked_at IS NOT NULL;
    EXCEPTION WHEN unique_violation OR check_violation OR not_null_violation OR data_exception OR undefined_table THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, refused = CONSTRAINT_NAME, empty = COLUMN_NAME;
        PERFORM catalogue.refuse_constraint(state, concat(refused, empty));
    END;
    RETURN json_build_object('key', made.name, 'secret', made.secret);
END
$$;

-- Revoke a key, or a consumer with all of its keys, for catalogue.end_consumer().
CREATE FUNCTION catalogue.consumer_end(consumer text, key text, who text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.require_consumer($1, $2);
    UPDATE catalogue.consumer_keys k SET revoked_by = who
    WHERE k.consumer = $1 AND k.revoked_at IS NULL AND ($2 IS NULL OR k.key = $2);
    IF $2 IS NOT NULL THEN
        PERFORM catalogue.revoke_key($2);
    ELSE
        UPDATE catalogue.consumers c SET revoked_by = who WHERE c.id = $1;
        PERFORM catalogue.revoke_consumer($1);
    END IF;
END
$$;
