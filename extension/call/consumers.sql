-- Consumers: registered applications, their keys, and the functions by which the shim reads them.

-- Return the id of an active consumer.
CREATE FUNCTION catalogue.find_consumer(consumer text) RETURNS text LANGUAGE plpgsql STABLE AS
$$
DECLARE
    found  text;
BEGIN
    SELECT c.id INTO found FROM catalogue.consumers c
    WHERE c.revoked_at IS NULL AND (c.id = consumer OR lower(c.name) = lower(consumer))
    ORDER BY c.id <> consumer LIMIT 1;
    IF found IS NULL THEN
        RAISE undefined_object USING MESSAGE = format('consumer "%s" does not exist', consumer),
            HINT = 'SELECT * FROM catalogue.list_consumers() shows all of them.';
    END IF;
    RETURN found;
END
$$;

CREATE FUNCTION catalogue.add_consumer(name text, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids',
    expires timestamptz DEFAULT NULL, id text DEFAULT NULL,
    color text DEFAULT 'bare', token_lifetime interval DEFAULT '30 days')
    RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    made  text;
BEGIN
    INSERT INTO catalogue.consumers AS c (id, name, return_default, relations_default, expires_at, color_default,
        token_lifetime)
    VALUES (coalesce($5, catalogue.new_id()), $1, $2, $3, $4, $6, $7) RETURNING c.id INTO made;
    RETURN made;
END
$$;
COMMENT ON FUNCTION catalogue.add_consumer(text, text, text, timestamptz, text, text, interval) IS
'Register an application
Arguments: name, at most 100 characters, unique among the living.  return, minimal or representation, relations, ids or
embedded, and color, bare or css: the preferences of its requests that name none. expires, when its credentials end;
NULL: not by time.  id, at most 64 letters, digits, _ and -, where applications are deployed with one; NULL to have it
made. token_lifetime, how long tokens of POST /clients/tokens are good.
Returns: its id.  It has no credential yet: catalogue.add_api_key() and catalogue.add_token_key() make them.
Errors: 23505 the name or id is taken; 23502, 23514, 22001 a value does not fit.
Source: Authentication 1';

-- Make a secret of 64 hexadecimal digits.
CREATE FUNCTION catalogue.new_secret() RETURNS text LANGUAGE sql VOLATILE
BEGIN ATOMIC
    SELECT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
END;

-- Hash an API key as it is stored.
CREATE FUNCTION catalogue.api_key_hash(api_key text) RETURNS text LANGUAGE sql IMMUTABLE STRICT
BEGIN ATOMIC
    SELECT encode(sha256(convert_to(api_key, 'UTF8')), 'hex');
END;

-- Check that all resources are exposed.  A limit to resources that do not exist is most likely a typing error.
CREATE FUNCTION catalogue.check_resources(resources text[]) RETURNS text[] LANGUAGE plpgsql STABLE AS
$$
DECLARE
    unknown  text;
BEGIN
    SELECT n.name INTO unknown FROM unnest(resources) n(name)
    WHERE NOT EXISTS (SELECT FROM catalogue.resource r WHERE r.resource = n.name) LIMIT 1;
    IF FOUND THEN
        RAISE undefined_table USING MESSAGE = format('resource "%s" does not exist', unknown);
    END IF;
    RETURN resources;
END
$$;

CREATE FUNCTION catalogue.add_api_key(consumer text, expires timestamptz DEFAULT NULL, resources text[] DEFAULT NULL,
    verbs text[] DEFAULT NULL,
    organization text DEFAULT NULL, rate integer DEFAULT NULL, OUT key text, OUT secret text) LANGUAGE plpgsql AS
$$
BEGIN
    key := catalogue.new_id();
    secret := 'catalogue_' || key || '_' || catalogue.new_secret();
    INSERT INTO catalogue.consumer_keys (key, consumer, kind, material, resources, verbs, organization, rate,
        expires_at)
    VALUES (key, catalogue.find_consumer($1), 'apikey', catalogue.api_key_hash(secret), catalogue.check_resources($3),
        $4, $5, $6, $2);
END
$$;
COMMENT ON FUNCTION catalogue.add_api_key(text, timestamptz, text[], text[], text, integer) IS
'Make an API key of a consumer
Arguments: consumer, its name or id.  expires, when the key ends; NULL: not by time.  The rest limits what may be done
with the key, NULL is no limit: resources, path words; verbs, of GET, POST, PATCH, PUT, DELETE; organization, id of the
one whose records users may change with it; rate, requests of a minute by all servers together.
Returns: key, its name, which is its clear part; secret, the API key itself, sent in the header apikey. It is stored as
a hash and shown this once.
Errors: 42704 no such consumer; 42P01 no such resource; 23503 no such organization; 23514 a value does not fit.
Source: Authentication 1';

CREATE FUNCTION catalogue.add_token_key(consumer text, algorithm text, material text DEFAULT NULL,
    key text DEFAULT NULL, issues boolean DEFAULT false,
    expires timestamptz DEFAULT NULL, resources text[] DEFAULT NULL, verbs text[] DEFAULT NULL,
    organization text DEFAULT NULL, rate integer DEFAULT NULL,
    OUT name text, OUT secret text) LANGUAGE plpgsql AS
$$
BEGIN
    IF algorithm NOT IN ('HS256', 'RS256', 'ES256') OR algorithm IS NULL THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('algorithm "%s" is not known', algorithm), HINT = 'It takes HS256, RS256 or ES256.';
    ELSIF algorithm <> 'HS256' AND material IS NULL OR (algorithm = 'HS256') = (material ~ '-----BEGIN')
        OR material ~ 'PRIVATE KEY' THEN
        RAISE invalid_parameter_value USING MESSAGE = format('material does not fit algorithm "%s"', algorithm),
            HINT = 'HS256 takes a secret, or NULL to have one made; RS256 and ES256 take the public key in PEM.';
    END IF;
    name := coalesce(key, catalogue.new_id());
    secret := CASE WHEN material IS NULL THEN catalogue.new_secret() END;
    INSERT INTO catalogue.consumer_keys AS k (key, consumer, kind, material, issues, resources, verbs, organization,
        rate, expires_at)
    VALUES (name, catalogue.find_consumer($1), algorithm, coalesce(material, secret), issues,
        catalogue.check_resources($7), $8, $9, $10, $6);
END
$$;
COMMENT ON FUNCTION catalogue.add_token_key(text, text, text, text, boolean, timestamptz, text[], text[], text,
    integer) IS
'Make known the key that a gateway signs tokens of a consumer with
Arguments: consumer, its name or id.  algorithm, HS256, RS256 or ES256: tokens that name another are refused.  material,
the secret (32 bytes or more) of HS256, NULL to have one made; the public key in PEM of the others. key, what the claim
iss of the tokens says, NULL to have it made.  issues, only of HS256: POST /clients/tokens makes tokens with it.
expires, resources, verbs, organization, rate: as for catalogue.add_api_key().
Returns: name, what iss must say; secret, where it was made.
Errors: 22023 unknown algorithm, or material that does not fit it; 23505 the key is taken; 42704, 42P01, 23503, 23514 as
for catalogue.add_api_key().
Source: Authentication 1';

CREATE FUNCTION catalogue.rotate_key(key text, grace interval DEFAULT '0', material text DEFAULT NULL, OUT name text,
    OUT secret text)
    LANGUAGE plpgsql AS
$$
DECLARE
    old   record;
BEGIN
    SELECT k.* INTO old FROM catalogue.consumer_keys k WHERE k.key = $1 AND k.revoked_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RAISE undefined_object USING MESSAGE = format('key "%s" does not exist', $1);
    ELSIF old.kind = 'apikey' AND material IS NOT NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'an API key takes no material';
    ELSIF old.kind = 'apikey' THEN
        SELECT n.key, n.secret INTO name, secret
        FROM catalogue.add_api_key(old.consumer, old.expires_at, old.resources, old.verbs, old.organization,
            old.rate) n;
    ELSE
        SELECT n.name, n.secret INTO name, secret
        FROM catalogue.add_token_key(old.consumer, old.kind, material, NULL, old.issues, old.expires_at, old.resources,
            old.verbs, old.organization, old.rate) n;
    END IF;
    UPDATE catalogue.consumer_keys k SET issues = false,
        revoked_at = CASE WHEN grace <= '0'::interval THEN now() END,
        expires_at = CASE WHEN grace <= '0'::interval THEN k.expires_at ELSE least(k.expires_at, now() + grace) END
    WHERE k.key = $1;
END
$$;
COMMENT ON FUNCTION catalogue.rotate_key(text, interval, text) IS
'Put a new key in the place of one
Arguments: key, the name of the old one.  grace, how long that is good beside the new one; 0 ends it at once.  material,
as for catalogue.add_token_key(), where it is a key of tokens.
Returns: name and secret of the new key, of the same kind and with the same limits.
Errors: 42704 no such key; 22023 material does not fit.
Source: Authentication 1';

CREATE FUNCTION catalogue.revoke_key(key text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.consumer_keys k SET revoked_at = now() WHERE k.key = $1 AND k.revoked_at IS NULL;
    IF NOT FOUND THEN
        RAISE undefined_object USING MESSAGE = format('key "%s" does not exist', $1);
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.revoke_key(text) IS
'End a key of a consumer
Arguments: key, its name.  Requests that begin after the transaction are refused.
Errors: 42704 no such key, or it is revoked already.
Source: Authentication 1';

CREATE FUNCTION catalogue.revoke_consumer(consumer text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    revoked  text := catalogue.find_consumer($1);
BEGIN
    UPDATE catalogue.consumer_keys k SET revoked_at = now() WHERE k.consumer = revoked AND k.revoked_at IS NULL;
    UPDATE catalogue.consumers c SET revoked_at = now() WHERE c.id = revoked;
END
$$;
COMMENT ON FUNCTION catalogue.revoke_consumer(text) IS
'End a consumer and all its keys
Arguments: consumer, its name or id.  Its name is free again; what it did keeps its name.
Errors: 42704 no such consumer, or it is revoked already.
Source: Authentication 1';

CREATE FUNCTION catalogue.list_consumers(OUT id text, OUT name text, OUT preferences text, OUT key text, OUT kind text,
    OUT state text, OUT expires timestamptz,
    OUT limits json, OUT last_used timestamptz) RETURNS SETOF record LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY
        SELECT c.id, c.name::text,
               format('return=%s, relations=%s, color=%s', c.return_default, c.relations_default, c.color_default),
               k.key, k.kind,
               CASE WHEN c.revoked_at IS NOT NULL OR k.revoked_at IS NOT NULL THEN 'revoked'
                    WHEN least(c.expires_at, k.expires_at) <= now() THEN 'expired'
                    WHEN k.key IS NULL THEN 'no key' ELSE 'good' END,
               least(c.expires_at, k.expires_at),
               json_strip_nulls(json_build_object('resources', k.resources, 'verbs', k.verbs,
                   'organization', k.organization, 'rate', k.rate, 'issues', nullif(k.issues, false))),
               u.last_used_at
        FROM catalogue.consumers c
            LEFT JOIN catalogue.consumer_keys k ON k.consumer = c.id
            LEFT JOIN catalogue.consumer_use u ON u.key = k.key
        ORDER BY c.created_at, c.id, k.created_at, k.key;
END
$$;
COMMENT ON FUNCTION catalogue.list_consumers() IS
'List the consumers and their keys
Returns: a row for each key, or for a consumer without one: state is good, expired, revoked or no key; limits, an object
of those that are set; last_used, to the minute. No secret is in it.
Source: Authentication 1';

-- Trigger: invalidate consumers and their keys in all backends.
CREATE FUNCTION catalogue.forget_consumers() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_forget_consumers';

-- Part of catalogue.credential().  Functions for the shim: C functions that run the SQL functions below with the
-- owner's privileges.
CREATE FUNCTION catalogue.key_facts(key text, consumer text) RETURNS text LANGUAGE plpgsql STABLE AS
$$
DECLARE
    data  text;
BEGIN
    IF key IS NOT NULL THEN
        SELECT json_strip_nulls(json_build_object('key', k.key, 'kind', k.kind, 'material', k.material,
            'consumer', c.id, 'return', c.return_default, 'relations', c.relations_default, 'color', c.color_default,
            'verbs', array_to_string(k.verbs, ','), 'rate', k.rate,
            'expires', floor(extract(epoch FROM least(c.expires_at, k.expires_at)))::bigint))
            INTO data
        FROM catalogue.consumer_keys k JOIN catalogue.consumers c ON c.id = k.consumer
        WHERE k.key = $1 AND k.revoked_at IS NULL AND c.revoked_at IS NULL AND (k.expires_at > now()) IS NOT FALSE
            AND (c.expires_at > now()) IS NOT FALSE;
    ELSE
        SELECT json_strip_nulls(json_build_object('consumer', c.id, 'return', c.return_default,
            'relations', c.relations_default, 'color', c.color_default,
            'expires', floor(extract(epoch FROM c.expires_at))::bigint)) INTO data
        FROM catalogue.consumers c
        WHERE lower(c.name) = lower($2) AND c.revoked_at IS NULL AND (c.expires_at > now()) IS NOT FALSE;
    END IF;
    RETURN coalesce(data, '{}');
END
$$;

CREATE FUNCTION catalogue.credential(key text, consumer text DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_credential';
COMMENT ON FUNCTION catalogue.credential(text, text) IS
'Return what a credential of a consumer is verified with, for the shim
Arguments: key, its name.  consumer, a name, where key is NULL: a gateway has looked at the credential itself.
Returns: data is an object: consumer (id), return, relations, color, and of a key: key, kind, material, verbs, rate,
expires (seconds since 1970); {} where there is none that is good now.
Source: Authentication 1';

-- Part of catalogue.use_key().
CREATE FUNCTION catalogue.grant_requests(key text, wanted integer) RETURNS text LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
    this     timestamptz := date_trunc('minute', clock_timestamp());
    allowed  integer := (SELECT k.rate FROM catalogue.consumer_keys k WHERE k.key = $1);
    used     record;
    given    integer := 0;
BEGIN
    -- losing the last minute of it in a crash does no harm
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO catalogue.consumer_use AS u (key, last_used_at, minute, granted)
    SELECT k.key, this, this, 0
    FROM catalogue.consumer_keys k
    WHERE k.key = $1
    ON CONFLICT ON CONSTRAINT consumer_use_pkey DO NOTHING;
    SELECT u.* INTO used FROM catalogue.consumer_use u WHERE u.key = $1 FOR UPDATE;
    IF used.minute < this THEN
        used.granted := 0;
    END IF;
    IF allowed IS NOT NULL THEN
        given := greatest(0, least(wanted, greatest(1, (allowed - used.granted) / 8), allowed - used.granted));
    END IF;
    IF given > 0 OR used.last_used_at < this THEN
        UPDATE catalogue.consumer_use u
        SET last_used_at = this, minute = greatest(used.minute, this), granted = used.granted + given
        WHERE u.key = $1;
    END IF;
    RETURN json_build_object('granted', given,
        'seconds', ceil(60 - extract(epoch FROM clock_timestamp() - this))::integer);
END
$$;

CREATE FUNCTION catalogue.use_key(key text, wanted integer) RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_use_key';
COMMENT ON FUNCTION catalogue.use_key(text, integer) IS
'Note that a key is used, and grant requests of its rate, for the shim
Arguments: key, its name.  wanted, how many requests the caller would like to serve; it is granted an eighth of what is
left of the minute at most, and so are others beside it.
Returns: data is an object: granted, requests that may be served until the minute is over, in so many seconds; 0 where
none is left or the key has no rate.
Source: Authentication 1';

-- Part of catalogue.client_token().
CREATE FUNCTION catalogue.token_key(consumer text, consumer_id text) RETURNS text LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT json_build_object('key', k.key, 'material', k.material,
        'lifetime', floor(extract(epoch FROM c.token_lifetime))::bigint)
        FROM catalogue.consumers c JOIN catalogue.consumer_keys k ON k.consumer = c.id
        WHERE c.id = $2 AND lower(c.name) = lower($1) AND k.issues
          AND k.revoked_at IS NULL AND c.revoked_at IS NULL AND (k.expires_at > now()) IS NOT FALSE
          AND (c.expires_at > now()) IS NOT FALSE
        ORDER BY k.created_at DESC, k.key DESC LIMIT 1);
END
$$;
