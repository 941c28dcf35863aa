CREATE TABLE IF NOT EXISTS catalogue.consumers (
    id                 text          PRIMARY KEY CHECK (id ~ '^[0-9A-Za-z_-]{1,64}$'),
    name               varchar(100)  NOT NULL CHECK (name ~ '[^[:space:]]' AND name !~ '[[:cntrl:]]'),
    return_default     text          NOT NULL DEFAULT 'minimal' CHECK (return_default IN ('minimal', 'representation')),
    relations_default  text          NOT NULL DEFAULT 'ids' CHECK (relations_default IN ('ids', 'embedded')),
    color_default      text          NOT NULL DEFAULT 'bare' CHECK (color_default IN ('bare', 'css')),
    token_lifetime     interval      NOT NULL DEFAULT '30 days'
    CHECK (token_lifetime BETWEEN '1 second' AND '100 years'),
    origins            text[]        NOT NULL DEFAULT '{}' CHECK (array_position(origins, NULL) IS NULL),
    public_paths       text[]        NOT NULL DEFAULT '{}'
    CHECK (array_to_string(public_paths, ' ', '?') ~ '^((/([A-Za-z0-9_.-]+|[*]))+( |$))*$'),
    created_at         timestamptz   NOT NULL DEFAULT now(),
    expires_at         timestamptz,
    revoked_at         timestamptz,
    created_by         text,
    revoked_by         text
);
SELECT catalogue.add_columns('catalogue.consumers',
    $$color_default text NOT NULL DEFAULT 'bare' CHECK (color_default IN ('bare', 'css'))$$,
    $$token_lifetime interval NOT NULL DEFAULT '30 days' CHECK (token_lifetime BETWEEN '1 second' AND '100 years')$$,
    $$origins text[] NOT NULL DEFAULT '{}' CHECK (array_position(origins, NULL) IS NULL)$$,
    $$public_paths text[] NOT NULL DEFAULT '{}'
        CHECK (array_to_string(public_paths, ' ', '?') ~ '^((/([A-Za-z0-9_.-]+|[*]))+( |$))*$')$$,
    'created_by text', 'revoked_by text');
COMMENT ON TABLE catalogue.consumers IS 'Registered application';
COMMENT ON COLUMN catalogue.consumers.id IS
    'Identifier, at most 64 letters, digits, _ and -; a deployed application sends it as consumerId';
COMMENT ON COLUMN catalogue.consumers.name IS 'Name, unique among those that are not revoked whatever the letter case';
COMMENT ON COLUMN catalogue.consumers.return_default IS
    'Preference "return" of requests that name none: minimal or representation';
COMMENT ON COLUMN catalogue.consumers.relations_default IS
    'Preference "relations" of requests that name none: ids or embedded';
COMMENT ON COLUMN catalogue.consumers.color_default IS 'Preference "color" of requests that name none: bare or css';
COMMENT ON COLUMN catalogue.consumers.token_lifetime IS 'How long tokens of POST /clients/tokens are good';
COMMENT ON COLUMN catalogue.consumers.origins IS
    'Origins whose pages may read answers, beside those of the setting cors_origins';
COMMENT ON COLUMN catalogue.consumers.public_paths IS
    'Paths that are open while the service is private, beside those of the setting public_paths';
COMMENT ON COLUMN catalogue.consumers.created_at IS 'When it was registered';
COMMENT ON COLUMN catalogue.consumers.expires_at IS 'When its credentials end; NULL: not by time';
COMMENT ON COLUMN catalogue.consumers.revoked_at IS 'When it was revoked; NULL: it lives';
COMMENT ON COLUMN catalogue.consumers.created_by IS 'User who registered it; NULL: a database user';
COMMENT ON COLUMN catalogue.consumers.revoked_by IS 'User who revoked it; NULL: a database user, or nobody';
CREATE UNIQUE INDEX IF NOT EXISTS consumers_name_living ON catalogue.consumers (lower(name)) WHERE revoked_at IS NULL;

CREATE TABLE IF NOT EXISTS catalogue.consumer_keys (
    key           text          PRIMARY KEY CHECK (key ~ '^[0-9A-Za-z_.:/-]{1,100}$'),
    consumer      text          NOT NULL REFERENCES catalogue.consumers ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    kind          text          NOT NULL CHECK (kind IN ('apikey', 'HS256', 'RS256', 'ES256')),
    material      text          NOT NULL CHECK (length(material) BETWEEN 32 AND 4096),
    issues        boolean       NOT NULL DEFAULT false CHECK (NOT issues OR kind = 'HS256'),
    resources     text[]        CHECK (resources <> '{}' AND array_position(resources, NULL) IS NULL),
    verbs         text[]        CHECK (verbs <> '{}' AND verbs <@ '{GET,POST,PATCH,PUT,DELETE}'),
    organization  catalogue.id  REFERENCES catalogue.organizations DEFERRABLE INITIALLY DEFERRED,
    rate          integer       CHECK (rate > 0),
    created_at    timestamptz   NOT NULL DEFAULT now(),
    expires_at    timestamptz,
    revoked_at    timestamptz,
    created_by    text,
    revoked_by    text
);
SELECT catalogue.add_columns('catalogue.consumer_keys', 'created_by text', 'revoked_by text');
COMMENT ON TABLE catalogue.consumer_keys IS
    'Credential of a consumer: an API key, or the key that a gateway signs tokens with';
COMMENT ON COLUMN catalogue.consumer_keys.key IS
    'Name: the clear part of an API key, or what the claim iss of a token says';
COMMENT ON COLUMN catalogue.consumer_keys.consumer IS 'Consumer that it belongs to';
COMMENT ON COLUMN catalogue.consumer_keys.kind IS 'apikey, or the one algorithm of its tokens: HS256, RS256 or ES256';
COMMENT ON COLUMN catalogue.consumer_keys.material IS
    'SHA-256 of the API key in hexadecimal; the secret of HS256; the public key of RS256 and ES256 in PEM';
COMMENT ON COLUMN catalogue.consumer_keys.issues IS 'POST /clients/tokens makes tokens with it';
COMMENT ON COLUMN catalogue.consumer_keys.resources IS 'Resources that may be asked for with it; NULL: all';
COMMENT ON COLUMN catalogue.consumer_keys.verbs IS
    'Methods that may be used with it; NULL: all. HEAD and OPTIONS go with GET';
COMMENT ON COLUMN catalogue.consumer_keys.organization IS
    'Organization whose records may be changed with it; NULL: all';
COMMENT ON COLUMN catalogue.consumer_keys.rate IS 'Requests of a minute, by all servers together; NULL: any number';
COMMENT ON COLUMN catalogue.consumer_keys.created_at IS 'When it was made';
COMMENT ON COLUMN catalogue.consumer_keys.expires_at IS 'When it ends; NULL: not by time';
COMMENT ON COLUMN catalogue.consumer_keys.revoked_at IS 'When it was revoked; NULL: it is good';
COMMENT ON COLUMN catalogue.consumer_keys.created_by IS 'User who made it; NULL: a database user';
COMMENT ON COLUMN catalogue.consumer_keys.revoked_by IS 'User who revoked it; NULL: a database user, or nobody';
CREATE INDEX IF NOT EXISTS consumer_keys_consumer ON catalogue.consumer_keys (consumer);
CREATE INDEX IF NOT EXISTS consumer_keys_organization ON catalogue.consumer_keys (organization);

-- A table apart from the keys, whose rows are not rewritten when they are used.
CREATE TABLE IF NOT EXISTS catalogue.consumer_use (
    key           text         PRIMARY KEY REFERENCES catalogue.consumer_keys ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    last_used_at  timestamptz  NOT NULL,
    minute        timestamptz  NOT NULL,
    granted       integer      NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE catalogue.consumer_use IS 'Use of the credentials of consumers';
COMMENT ON COLUMN catalogue.consumer_use.key IS 'The credential';
COMMENT ON COLUMN catalogue.consumer_use.last_used_at IS 'When it was used last, to the minute';
COMMENT ON COLUMN catalogue.consumer_use.minute IS 'Minute that requests were last granted in';
COMMENT ON COLUMN catalogue.consumer_use.granted IS 'Requests granted in that minute, to all servers';

CREATE OR REPLACE TRIGGER forget AFTER INSERT OR UPDATE OR DELETE
    OR TRUNCATE ON catalogue.consumers FOR EACH STATEMENT EXECUTE FUNCTION catalogue.forget_consumers();
CREATE OR REPLACE TRIGGER forget AFTER INSERT OR UPDATE OR DELETE
    OR TRUNCATE ON catalogue.consumer_keys FOR EACH STATEMENT EXECUTE FUNCTION catalogue.forget_consumers();
