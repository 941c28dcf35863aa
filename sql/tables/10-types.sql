-- Types of the tables.  They are ordinary objects like the tables, so that DROP EXTENSION drops no column.
DO
$types$
BEGIN
    IF to_regtype('catalogue.id') IS NOT NULL THEN
        RETURN;
    END IF;

    CREATE DOMAIN catalogue.id AS varchar(15) COLLATE "C" CHECK (value ~ '^[0-9A-Za-z]{1,15}$');
    COMMENT ON DOMAIN catalogue.id IS 'identifier of at most 15 letters and digits';

    CREATE DOMAIN catalogue.email AS varchar(250)
        CHECK (value ~ '^[^@[:space:]]+@[^@[:space:]]+[.][^@[:space:].]+$' AND value !~ '[[:cntrl:]<>,;]');
    COMMENT ON DOMAIN catalogue.email IS 'e-mail address';

    CREATE DOMAIN catalogue.username AS varchar(25) CHECK (value ~ '^[[:alnum:]_.-]+$');
    COMMENT ON DOMAIN catalogue.username IS 'user name of letters, digits, "_", "-" and "."';

    CREATE DOMAIN catalogue.password AS text;
    COMMENT ON DOMAIN catalogue.password IS
        'password of 8 to 256 characters, stored as a yescrypt hash and never shown';

    CREATE DOMAIN catalogue.secret AS text;
    COMMENT ON DOMAIN catalogue.secret IS 'secret that is written and never shown';

    CREATE DOMAIN catalogue.color AS varchar(6) CHECK (value ~ '^[0-9A-Fa-f]{6}$');
    COMMENT ON DOMAIN catalogue.color IS 'colour of six hexadecimal digits';

    CREATE DOMAIN catalogue.json_array AS json CHECK (json_typeof(value) = 'array');
    COMMENT ON DOMAIN catalogue.json_array IS 'JSON array';

    CREATE DOMAIN catalogue.time_pattern AS varchar(100);
    COMMENT ON DOMAIN catalogue.time_pattern IS 'cron pattern of 5, 6 or 7 fields';

    CREATE DOMAIN catalogue.id_list AS text[];
    COMMENT ON DOMAIN catalogue.id_list IS
        'identifiers of related records, kept by the service and shown under the name of the relation';

    CREATE DOMAIN catalogue.birth AS bigint;
    COMMENT ON DOMAIN catalogue.birth IS
        'number of the change that made the record, of records that are made and not changed';

    CREATE TYPE catalogue.role AS ENUM ('superadmin', 'admin', 'guest');
    COMMENT ON TYPE catalogue.role IS 'role of a user';

    CREATE TYPE catalogue.chart_type AS ENUM ('bar', 'pie', 'line', 'stackedbar', 'heatmap');
    COMMENT ON TYPE catalogue.chart_type IS 'form of a chart';

    CREATE TYPE catalogue.data_type AS ENUM ('qualitative', 'cuantitative', 'quantitative');
    COMMENT ON TYPE catalogue.data_type IS 'how a chart reads its series';

    CREATE TYPE catalogue.config_type AS ENUM ('bool', 'string', 'int', 'float', 'model', 'group');
    COMMENT ON TYPE catalogue.config_type IS 'type of a configuration value';

    CREATE TYPE catalogue.config_category AS ENUM ('site', 'visualizations', 'integrations');
    COMMENT ON TYPE catalogue.config_category IS 'section of the configuration';

    CREATE TYPE catalogue.log_action AS ENUM ('create', 'update', 'delete');
    COMMENT ON TYPE catalogue.log_action IS 'action of the action log';

    CREATE TYPE catalogue.http_method AS ENUM ('GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'OTHER');
    COMMENT ON TYPE catalogue.http_method IS 'method of a request';
END
$types$;

ALTER TYPE catalogue.http_method ADD VALUE IF NOT EXISTS 'OTHER';

-- Types of later versions, which an existing database does not have yet.
DO
$types$
DECLARE
    made  record;
BEGIN
    FOR made IN
        SELECT t.*
        FROM (VALUES
            ('DOMAIN', 'shown', 'boolean',
                'whether outsiders see the record that a key refers to, maintained by the service and never shown'),
            ('DOMAIN', 'session_start', 'timestamptz',
                'instant that the tokens of a user contain, maintained by the service and never shown'),
            ('TYPE', 'parse_state', $$ENUM ('pending', 'ready', 'failed')$$, 'whether a file has been parsed'),
            ('TYPE', 'job_state', $$ENUM ('queued', 'running', 'done', 'failed', 'cancelled')$$, 'state of a job'),
            ('TYPE', 'fetch_outcome', $$ENUM ('loaded', 'unchanged', 'failed')$$, 'what a fetch has brought'),
            ('TYPE', 'question_kind', $$ENUM ('question', 'fault')$$, 'what a visitor says about a dataset'),
            ('DOMAIN', 'parse_options', 'json', NULL),
            ('DOMAIN', 'web_address', 'varchar(500)', 'http: or https: URL with a host'),
            ('DOMAIN', 'service_address', 'text', 'http: or https: URL with a host, of at most 2000 characters'),
            ('DOMAIN', 'one_line', 'text', 'text of one line, stored without white space around it'),
            ('DOMAIN', 'json_object', 'json', 'JSON object'),
            ('DOMAIN', 'least_access', 'smallint',
                'who sees a record: 0 everybody, 1 users, 2 superadmins; null: nobody')
        ) AS t(kind, name, definition, comment)
        WHERE to_regtype('catalogue.' || t.name) IS NULL
    LOOP
        EXECUTE format('CREATE %s catalogue.%I AS %s', made.kind, made.name, made.definition);
        EXECUTE format('COMMENT ON %s catalogue.%I IS %L', made.kind, made.name, made.comment);
    END LOOP;
END
$types$;
-- the options have grown since the domain was made in earlier databases
COMMENT ON DOMAIN catalogue.parse_options IS
    'object of how a file is parsed: encoding, delimiter, decimal, thousands, header, headerRows, skip, dates, '
    'missing, merged, crs; what it does not say is detected';

-- In earlier versions these columns were plain text or JSON.  The domains have no check yet, if any, so no row is read.
DO
$columns$
DECLARE
    field  record;
BEGIN
    FOR field IN
        SELECT a.attrelid::regclass AS target, a.attname AS name, d.type
        FROM (VALUES ('files', 'url', 'web_address'), ('charts', 'url', 'web_address'),
                     ('charts', 'link', 'web_address'), ('maps', 'url', 'web_address'), ('maps', 'link', 'web_address'),
                     ('soapservices', 'url', 'service_address'),
                     ('restservices', 'url', 'service_address'),
                     ('soapservices', 'method', 'one_line'), ('soapservices', 'namespace', 'one_line'),
                     ('restservices', 'data_path', 'one_line'), ('restservices', 'title_path', 'one_line'),
                     ('restservices', 'token_algorithm', 'one_line'), ('restservices', 'username', 'one_line'),
                     ('soapservices', 'parameters', 'json_object'), ('restservices', 'parameters', 'json_object'),
                     ('basemaps', 'attribution', 'one_line'),
                     ('configs', 'model', 'one_line')) AS d(resource, name, type)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = to_regclass(format('catalogue.%I', d.resource))
                AND a.attname = d.name AND NOT a.attisdropped
        WHERE a.atttypid IN ('varchar'::regtype, 'text'::regtype, 'json'::regtype)
    LOOP
        IF field.target = 'catalogue.files'::regclass THEN
            -- The trigger names the column, so its type cannot be changed; 59-archive.sql creates the trigger again.
            DROP TRIGGER IF EXISTS follow_archive ON catalogue.files;
        END IF;
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE catalogue.%I', field.target, field.name, field.type);
    END LOOP;
END
$columns$;

-- Checks of domains call functions of the extension, so DROP EXTENSION drops them and they are created again here.
-- Those of addresses apply to new values only: earlier ones stay, also when a dump with them is restored.
DO
$checks$
DECLARE
    wanted  record;
BEGIN
    FOR wanted IN
        SELECT *
        FROM (VALUES ('parse_options', 'is_parse_options', ''), ('time_pattern', 'is_time_pattern', ''),
                     ('web_address', 'is_address', 'NOT VALID'),
                     ('service_address', 'is_address', 'NOT VALID')) AS c(name, predicate, validity)
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k
                          WHERE k.contypid = to_regtype('catalogue.' || c.name))
    LOOP
        EXECUTE format('ALTER DOMAIN catalogue.%I ADD CONSTRAINT %I CHECK (catalogue.%I(value)) %s', wanted.name,
            wanted.predicate, wanted.predicate, wanted.validity);
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k
                   WHERE k.contypid = to_regtype('catalogue.json_object')) THEN
        ALTER DOMAIN catalogue.json_object
            ADD CONSTRAINT is_object CHECK (json_typeof(value) = 'object') NOT VALID;
    END IF;
END
$checks$;

-- PostgreSQL plans the checks of a domain when it first needs one in a session, and calls what it can compute then.  So
-- this check, which always holds, loads the library, and with it the hint for values that the type of a column refuses,
-- though the refusal comes before the library's triggers.  The default of ids, which is null as without it, has every
-- INSERT need the check of ids before it converts a later column.
DO
$loads$
DECLARE
    domain  text;
BEGIN
    FOREACH domain IN ARRAY '{id,email,username,color,json_array,json_object}'::text[]
    LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k
                       WHERE k.contypid = to_regtype('catalogue.' || domain) AND k.conname = 'loads_library') THEN
            EXECUTE format('ALTER DOMAIN catalogue.%I ADD CONSTRAINT loads_library CHECK (catalogue.fold('''') = '''') '
                           'NOT VALID', domain);
        END IF;
    END LOOP;
END
$loads$;
ALTER DOMAIN catalogue.id SET DEFAULT nullif('', '');
