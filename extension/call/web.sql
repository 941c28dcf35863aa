-- Web applications: consumers with pages of other origins, and with plain links, which carry no credential.

-- Return an origin as browsers send it.  Arguments: origin, as an address bar shows it.  Errors: 22023 it is none.
-- Part of catalogue.register_web_application().
CREATE FUNCTION catalogue.read_origin(origin text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    plain  text := regexp_replace(lower(btrim(origin)), '/$', '');
BEGIN
    IF plain !~ '^[a-z][a-z0-9+.-]*://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$' THEN
        RAISE invalid_parameter_value USING MESSAGE = format('origin "%s" is not understood', origin),
            HINT = 'An origin is a scheme and a host, and a port where that is not '
                   'the usual one: https://portal.example.org';
    END IF;
    RETURN regexp_replace(regexp_replace(plain, '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1');
END
$$;

-- Let guests read logs, statistics and e-mail addresses.  The rules that grant it are added where they are missing.
-- Part of catalogue.register_web_application(). Source: Who may.
CREATE FUNCTION catalogue.let_guests_read() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO catalogue.rules (role, resource, action)
    SELECT 'guest', c.resource, 'read' FROM unnest('{logs,statistics,users,datasetrequests}'::text[]) c(resource)
    WHERE NOT EXISTS (SELECT FROM catalogue.rules r
                      WHERE r.role = 'guest' AND r.resource = c.resource AND r.action = 'read' AND NOT r.own
                          AND NOT r.organization AND r.deleted_at IS NULL);
END
$$;

CREATE FUNCTION catalogue.register_web_application(name text, origins text[] DEFAULT '{}', id text DEFAULT NULL,
    basemaps boolean DEFAULT false,
    token_lifetime interval DEFAULT '30 days',
    public_paths text[] DEFAULT
        '{/files/*/download,/files/*/download/*,/datasets/*/download,/categories/*/image,/datasets/feed/rss,/rss}',
    guests_read boolean DEFAULT true,
    OUT consumer text, OUT "consumerId" text) LANGUAGE plpgsql AS
$$
DECLARE
    known  catalogue.consumers;
BEGIN
    -- two concurrent calls would both find no such application
    LOCK TABLE catalogue.consumers IN SHARE ROW EXCLUSIVE MODE;
    SELECT c.* INTO known FROM catalogue.consumers c
    WHERE c.id = $3 OR (lower(c.name) = lower($1) AND c.revoked_at IS NULL)
    ORDER BY (c.id = $3) IS NOT TRUE LIMIT 1;
    IF known.id <> $3 THEN
        RAISE unique_violation
            USING MESSAGE = format('application "%s" is registered with the id "%s"', known.name, known.id),
            HINT = 'Call catalogue.revoke_consumer() first, or leave out the id.';
    END IF;
    consumer := CASE WHEN lower(known.name) = lower($1) THEN known.name ELSE $1 END;
    "consumerId" := coalesce(known.id, catalogue.add_consumer($1, id => $3));
    UPDATE catalogue.consumers c
    SET name = consumer, return_default = 'representation', relations_default = 'embedded', color_default = 'css',
        token_lifetime = $5,
        origins = ARRAY(SELECT catalogue.read_origin(o.origin)
                        FROM unnest($2) WITH ORDINALITY o(origin, n)
                        ORDER BY o.n),
        public_paths = $6, revoked_at = NULL
    WHERE c.id = "consumerId";
    IF NOT EXISTS (SELECT FROM catalogue.consumer_keys k
                   WHERE k.consumer = "consumerId" AND k.issues AND k.revoked_at IS NULL
                       AND (k.expires_at > now()) IS NOT FALSE) THEN
        PERFORM catalogue.add_token_key("consumerId", 'HS256', issues => true);
    END IF;
    IF basemaps THEN
        UPDATE catalogue.resource r SET read_only = false WHERE r.resource = 'basemaps' AND r.read_only;
    END IF;
    IF guests_read THEN
        PERFORM catalogue.let_guests_read();
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.register_web_application(text, text[], text, boolean, interval, text[], boolean) IS
'Let a web application use the service
Arguments: name, of the application.  origins, of its pages, such as https://portal.example.org: these may read answers,
beside those of the setting cors_origins. id, at most 64 letters, digits, _ and -, where the application is deployed
with one; NULL to have it made, or left as it is. basemaps, true makes basemaps writable through the API; false leaves
them as they are.  token_lifetime, how long its tokens are good. public_paths, what its plain links lead to, which carry
no credential; * stands for one word. They are open while the service is private, beside those of the setting
public_paths.  guests_read, true lets guests read what the pages for users show: logs, statistics, and e-mail
addresses of users and of requests for datasets, by rules (catalogue.rules) that are added where they are missing;
false leaves the rules as they are.  Registers a consumer with the preferences return=representation,
relations=embedded, color=css, and with a key that POST /clients/tokens makes tokens with. Called again it replaces what
is stored by what it is given and keeps id and key; with its id also the name is replaced, and one that was revoked is
registered again. A shim that runs takes it up within two seconds; catalogue.revoke_consumer() takes it all back, but
for basemaps and rules.
Returns: consumer and consumerId, what the application sends to POST /clients/tokens.
Errors: 22023 an origin is none; 23505 the name is registered with another id; 23514, 23502, 22001 a value does not
fit.
Source: Authentication 1 and 5';

-- Return the pages that each page of the shim leads to, as JSON; part of catalogue.web_access().  Of the optional
-- values only names in other languages are given.
CREATE FUNCTION catalogue.web_pages() RETURNS text LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT coalesce(json_agg(json_build_object('id', p.id, 'slug', coalesce(p.slug, p.id), 'name', p.name,
            'optionals', json_build_object('translations', (
                SELECT json_object_agg(t.key, json_build_object('name', t.value -> 'name'))
                FROM json_each(CASE json_typeof(p.optionals -> 'translations') WHEN 'object'
                        THEN p.optionals -> 'translations' ELSE '{}' END) t)))
            ORDER BY p.position, p.name), '[]')
        FROM (SELECT * FROM catalogue.pages WHERE deleted_at IS NULL AND visible AND position IS NOT NULL
              ORDER BY position, name LIMIT 20) p);
END
$$;

-- Return the organization whose image is the logo of the catalogue; part of catalogue.web_access().  It is the default
-- one, else the oldest.  NULL: it has none.
CREATE FUNCTION catalogue.web_logo(organization text) RETURNS text LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT l.organization
        FROM (SELECT o.id FROM catalogue.organizations o
              WHERE o.deleted_at IS NULL AND o.deactivated_at IS NULL
              ORDER BY (o.id = $1) IS NOT TRUE, o.created_at, o.id LIMIT 1) first
            JOIN catalogue.stored_logo l ON l.organization = first.id);
END
$$;

CREATE FUNCTION catalogue.web_titles(given jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_object_agg(t.language, t.texts)
        FROM (SELECT split_part(c.key, '@', 2), jsonb_object_agg(
                  CASE split_part(c.key, '@', 1) WHEN 'catalogTitle' THEN 'name' ELSE 'description' END, btrim(c.value))
              FROM jsonb_each_text(given) c
              WHERE c.key ~ '^catalog(Title|Description)@[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$'
              GROUP BY 1) t(language, texts));
END
$$;
COMMENT ON FUNCTION catalogue.web_titles(jsonb) IS
'Return title and sentence by language; part of catalogue.web_access()
Arguments: given, values of configs by key, such as catalogTitle@es.
Returns: an object of name and description by language tag, as the optional value translations of a record; NULL where
there are none.';

-- Part of catalogue.web_access().  Function that the shim calls every second: a C function that runs the SQL function
-- with the owner's privileges.
CREATE FUNCTION catalogue.web_facts() RETURNS text LANGUAGE plpgsql STABLE AS
$$
DECLARE
    given  CONSTANT jsonb := coalesce((
        SELECT jsonb_object_agg(c.key, btrim(c.value)) FROM catalogue.configs c
        WHERE (c.key IN ('catalogEmail', 'legalUrl', 'accentColor', 'defaultOrganization')
                OR c.key ~ '^catalog(Title|Description)(@|$)')
            AND c.deleted_at IS NULL AND c.value ~ '\S'), '{}');
BEGIN
    RETURN (SELECT json_build_object(
            'origins', coalesce(string_agg(array_to_string(c.origins, ','), ',' ORDER BY c.id)
                FILTER (WHERE c.origins <> '{}'), ''),
            'paths', coalesce(string_agg(array_to_string(c.public_paths, ','), ',' ORDER BY c.id)
                FILTER (WHERE c.public_paths <> '{}'), ''),
            'title', coalesce(given ->> 'catalogTitle', ''),
            'lead', coalesce(given ->> 'catalogDescription', ''),
            'language', catalogue.picture_language(),
            'translations', coalesce((
                SELECT json_build_object('name', coalesce(given ->> 'catalogTitle', ''), 'description',
                    coalesce(given ->> 'catalogDescription', ''), 'optionals', json_build_object('translations', t))
                FROM catalogue.web_titles(given) t WHERE t IS NOT NULL)::text, ''),
            'accent', coalesce(catalogue.accent_colors(given ->> 'accentColor'), ''),
            'contact', coalesce(substring(given ->> 'catalogEmail' FROM '^[^@\s]+@[^@\s]+$'), ''),
            'legal', coalesce(substring(given ->> 'legalUrl' FROM '^https?://\S+$'), ''),
            'logo', coalesce(catalogue.web_logo(given ->> 'defaultOrganization'), ''),
            'pages', catalogue.web_pages())
        FROM catalogue.consumers c WHERE c.revoked_at IS NULL AND (c.expires_at > now()) IS NOT FALSE);
END
$$;

CREATE FUNCTION catalogue.web_access() RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_web_access';
COMMENT ON FUNCTION catalogue.web_access() IS
'Return what the shim knows of the catalogue between requests
Returns: data is an object of texts: origins and paths of web applications, each with commas between, of all consumers
that are neither revoked nor past their time; title, lead, contact and legal, the configs catalogTitle,
catalogDescription, catalogEmail and legalUrl, empty where they have no value, or no address; accent, the colours that
go with config accentColor: 24 hexadecimal digits; language, of pictures and feeds where none is asked for;
translations, as JSON, title and lead with those of configs such as catalogTitle@es, empty where there are none; logo,
the id of the organization whose image it is; pages, as JSON, those at the foot of each page.
Source: Authentication 5';
