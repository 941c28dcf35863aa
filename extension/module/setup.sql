-- What a public portal still lacks, and the settings that records of configs have: for people and for the page.

CREATE FUNCTION catalogue.setup_checks(base text DEFAULT NULL)
    RETURNS TABLE (item text, state text, detail text) LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY
    WITH given AS (SELECT c.key, c.value FROM catalogue.configs c WHERE c.deleted_at IS NULL AND c.value ~ '\S'),
    mail AS (SELECT j.state::text AS ended, j.ended_at FROM catalogue.jobs j
             WHERE j.kind = 'email' AND j.ended_at IS NOT NULL ORDER BY j.ended_at DESC LIMIT 1),
    waiting AS (SELECT min(q.due_at) AS since FROM catalogue.job_queue q WHERE q.kind = 'email'),
    address AS (SELECT coalesce($1, (SELECT g.value FROM given g WHERE g.key = 'frontEndUrl'))::text AS url)
    SELECT s.item, CASE WHEN s.ready THEN 'ready' WHEN NOT s.ready THEN 'missing' ELSE 'unknown' END, s.detail
    FROM (
        SELECT 1, 'title', EXISTS (SELECT FROM given WHERE key = 'catalogTitle'),
            'config catalogTitle says what the catalogue is called'
        UNION ALL
        SELECT 2, 'contact', EXISTS (SELECT FROM given WHERE key = 'catalogEmail'),
            'config catalogEmail is where people may ask'
        UNION ALL
        SELECT 3, 'legal', EXISTS (SELECT FROM given WHERE key = 'legalUrl') OR EXISTS (
                SELECT FROM catalogue.pages p WHERE p.deleted_at IS NULL AND p.visible AND p.slug ~ 'legal'),
            'config legalUrl is the address of the legal notice, or a page has "legal" in its slug'
        UNION ALL
        SELECT 4, 'backup', CASE WHEN current_setting('archive_mode') = 'off' THEN NULL
                ELSE a.last_archived_time > coalesce(a.last_failed_time, '-infinity') END,
            CASE WHEN current_setting('archive_mode') = 'off' THEN
                    'PostgreSQL archives no WAL, and whether there are other backups is not known here'
                WHEN a.last_failed_time >= coalesce(a.last_archived_time, '-infinity') THEN
                    'archive_command of PostgreSQL fails'
                WHEN a.last_archived_time IS NULL THEN 'PostgreSQL has not archived any WAL yet'
                ELSE 'PostgreSQL archives its WAL; whether there is a base backup is not known here' END
        FROM pg_catalog.pg_stat_archiver a
        UNION ALL
        SELECT 5, 'mail', CASE WHEN w.since < now() - interval '10 min' THEN false ELSE m.ended = 'done' END,
            CASE WHEN w.since < now() - interval '10 min' THEN 'messages wait: does the worker have mail_command?'
                WHEN m.ended IS NULL THEN 'no message has been sent yet'
                WHEN m.ended = 'done' THEN 'the last message was sent'
                ELSE 'the last message was not sent' END
        FROM waiting w LEFT JOIN mail m ON true
        UNION ALL
        SELECT 6, 'tls', a.url ILIKE 'https:%',
            CASE WHEN a.url IS NULL THEN 'the address of the service is not known here' ELSE a.url END
        FROM address a) s(rank, item, ready, detail)
    ORDER BY s.rank;
END
$$;
COMMENT ON FUNCTION catalogue.setup_checks(text) IS
'Return what a public portal needs, and whether it is there
Arguments: base, address of the service; NULL: that of config frontEndUrl.
Returns: rows of item (title, contact, legal, backup, mail, tls); state, ready, missing or unknown, since the database
does not see all of it; detail, where it is set, or what is known of it.  A backup is known by the archiving of WAL,
mail by the last message.
For the owner of schema catalogue.';

-- Return the settings of a catalogue with their defaults; part of catalogue.seed() and catalogue.setup().  parent: key
-- of the group.  Those without a text in Spanish are not seeded: the service has the default where there is no record.
CREATE FUNCTION catalogue.default_configs() RETURNS TABLE (rank bigint, key text, type text, category text, value text,
    model text, required boolean, parent text, english text, spanish text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT row_number() OVER (), d.*
    FROM (VALUES
        ('adminPagination', 'int', 'site', '20', NULL, true, NULL, 'Records on a page of the admin application',
            'Registros por página en la administración'),
        ('frontEndPagination', 'int', 'site', '50', NULL, true, NULL, 'Records on a page of the portal',
            'Registros por página en el portal'),
        ('defaultStatus', 'model', 'site', NULL, 'status', true, NULL, 'Status of a new record',
            'Estado de un registro nuevo'),
        ('defaultOrganization', 'model', 'site', NULL, 'organization', true, NULL, 'Organization of a new file',
            'Organismo de un archivo nuevo'),
        ('defaultOptionals', 'string', 'site', NULL, NULL, false, NULL, 'Names of optional values, separated by comma',
            'Nombres de los valores opcionales, separados por coma'),
        ('logWhitelist', 'string', 'site', 'create,update,delete', NULL, false, NULL,
            'Actions that the dashboard shows', 'Acciones que muestra el tablero'),
        ('frontEndUrl', 'string', 'site', NULL, NULL, false, NULL, 'Address of the portal', 'Dirección del portal'),
        ('mapPointsLimit', 'int', 'visualizations', '2000', NULL, true, NULL, 'Most points of a map',
            'Máximo de puntos de un mapa'),
        ('defaultMaxZoom', 'int', 'visualizations', '18', NULL, true, NULL, 'Largest zoom of a new map',
            'Zoom máximo de un mapa nuevo'),
        ('defaultMinZoom', 'int', 'visualizations', '0', NULL, true, NULL, 'Smallest zoom of a new map',
            'Zoom mínimo de un mapa nuevo'),
        ('maxZoom', 'int', 'visualizations', '18', NULL, true, NULL, 'Largest zoom', 'Zoom máximo'),
        ('minZoom', 'int', 'visualizations', '0', NULL, true, NULL, 'Smallest zoom', 'Zoom mínimo'),
        ('socialNetworks', 'group', 'integrations', NULL, NULL, false, NULL, 'Social networks', 'Redes sociales'),
        ('googleAnalytics', 'group', 'integrations', NULL, NULL, false, NULL, 'Google Analytics', 'Google Analytics'),
        ('disqus', 'group', 'integrations', NULL, NULL, false, NULL, 'Disqus', 'Disqus'),
        ('reCaptcha', 'group', 'integrations', NULL, NULL, false, NULL, 'reCAPTCHA', 'reCAPTCHA'),
        ('facebookUrl', 'string', 'integrations', NULL, NULL, NULL, 'socialNetworks', 'Address of the Facebook page',
            'Dirección de la página de Facebook'),
        ('twitterUrl', 'string', 'integrations', NULL, NULL, NULL, 'socialNetworks', 'Address of the Twitter account',
            'Dirección de la cuenta de Twitter'),
        ('instagramUrl', 'string', 'integrations', NULL, NULL, NULL, 'socialNetworks',
            'Address of the Instagram account', 'Dirección de la cuenta de Instagram'),
        ('googleAnalyticsEnable', 'bool', 'integrations', NULL, NULL, NULL, 'googleAnalytics', 'Count visits',
            'Contar visitas'),
        ('googleAnalyticsKey', 'string', 'integrations', NULL, NULL, NULL, 'googleAnalytics', 'Tracking identifier',
            'Identificador de seguimiento'),
        ('disqusEnable', 'bool', 'integrations', NULL, NULL, NULL, 'disqus', 'Show comments', 'Mostrar comentarios'),
        ('disqusShortName', 'string', 'integrations', NULL, NULL, NULL, 'disqus', 'Short name of the site',
            'Nombre corto del sitio'),
        ('reCaptchaEnable', 'bool', 'integrations', NULL, NULL, NULL, 'reCaptcha', 'Ask for a proof',
            'Pedir una prueba'),
        ('reCaptchaSiteKey', 'string', 'integrations', NULL, NULL, NULL, 'reCaptcha', 'Site key', 'Clave del sitio'),
        ('reCaptchaSecretKey', 'string', 'integrations', NULL, NULL, NULL, 'reCaptcha', 'Secret key', 'Clave secreta'),
        ('catalogTitle', 'string', 'site', NULL, NULL, NULL, NULL, 'What the catalogue is called', NULL),
        ('catalogDescription', 'string', 'site', NULL, NULL, NULL, NULL, 'What the catalogue is about', NULL),
        ('catalogLanguage', 'string', 'site', NULL, NULL, NULL, NULL, 'Language tag of the catalogue, such as es',
            NULL),
        ('catalogLicense', 'string', 'site', NULL, NULL, NULL, NULL, 'Licence of the catalogue itself', NULL),
        ('catalogContact', 'string', 'site', NULL, NULL, NULL, NULL, 'Who may be asked', NULL),
        ('catalogEmail', 'string', 'site', NULL, NULL, NULL, NULL, 'Where people may ask', NULL),
        ('catalogProfile', 'string', 'site', 'dcat-ap-3', NULL, NULL, NULL,
            'Profile of /catalog and /data.json: dcat-ap-3, dcat-ap-2, dcat-us-1.1 or dcat-us-3', NULL),
        ('legalUrl', 'string', 'site', NULL, NULL, NULL, NULL, 'Address of the legal notice', NULL),
        ('accentColor', 'string', 'site', '0b5cad', NULL, NULL, NULL, 'Colour of links, six hexadecimal digits', NULL)
    ) AS d(key, type, category, value, model, required, parent, english, spanish);
END;

CREATE FUNCTION catalogue.setup(base text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_setup';
COMMENT ON FUNCTION catalogue.setup(text, jsonb) IS
'Return what a public portal still lacks, and the settings
Arguments: base, address of the service.  actor, {"user": id} of a superadmin, NULL for a database user, who is trusted.
Returns: data is an object: checks, an array of the rows of catalogue.setup_checks(); settings, an array of the configs
that a catalogue may have: key, type, category, value (the default), description.
Errors: OD401 no user; OD403 the user is no superadmin, or the key is not for resource configs; 22004 base is null.';
