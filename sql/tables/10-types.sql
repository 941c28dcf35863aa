-- Types of the tables.  Ordinary objects like the tables themselves, so that dropping the extension takes no column along.
DO
$types$
BEGIN
    IF to_regtype('catalogue.id') IS NOT NULL THEN
        RETURN;
    END IF;

    CREATE DOMAIN catalogue.id AS varchar(15) COLLATE "C" CHECK (value ~ '^[0-9A-Za-z]{1,15}$');
    COMMENT ON DOMAIN catalogue.id IS 'identifier of at most 15 letters and digits';

    CREATE DOMAIN catalogue.email AS varchar(250) CHECK (value ~ '^[^@[:space:]]+@[^@[:space:]]+[.][^@[:space:].]+$' AND value !~ '[[:cntrl:]<>,;]');
    COMMENT ON DOMAIN catalogue.email IS 'e-mail address';

    CREATE DOMAIN catalogue.username AS varchar(25) CHECK (value ~ '^[[:alnum:]_.-]+$');
    COMMENT ON DOMAIN catalogue.username IS 'user name of letters, digits, "_", "-" and "."';

    CREATE DOMAIN catalogue.password AS text;
    COMMENT ON DOMAIN catalogue.password IS 'password of 8 to 256 characters, stored as a yescrypt hash and never shown';

    CREATE DOMAIN catalogue.secret AS text;
    COMMENT ON DOMAIN catalogue.secret IS 'secret that is written and never shown';

    CREATE DOMAIN catalogue.color AS varchar(6) CHECK (value ~ '^[0-9A-Fa-f]{6}$');
    COMMENT ON DOMAIN catalogue.color IS 'colour of six hexadecimal digits';

    CREATE DOMAIN catalogue.json_array AS json CHECK (json_typeof(value) = 'array');
    COMMENT ON DOMAIN catalogue.json_array IS 'JSON array';

    CREATE DOMAIN catalogue.time_pattern AS varchar(100);
    COMMENT ON DOMAIN catalogue.time_pattern IS 'cron pattern of 5, 6 or 7 fields';

    CREATE DOMAIN catalogue.id_list AS text[];
    COMMENT ON DOMAIN catalogue.id_list IS 'identifiers of related records, kept by the service and shown under the name of the relation';

    CREATE DOMAIN catalogue.birth AS bigint;
    COMMENT ON DOMAIN catalogue.birth IS 'number of the change that made the record, of records that are made and not changed';

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

DO
$shown$
BEGIN
    IF to_regtype('catalogue.shown') IS NULL THEN
        CREATE DOMAIN catalogue.shown AS boolean;
        COMMENT ON DOMAIN catalogue.shown IS 'whether outsiders see the record that a key names, kept by the service and never shown';
    END IF;
END
$shown$;

DO
$session$
BEGIN
    IF to_regtype('catalogue.session_start') IS NULL THEN
        CREATE DOMAIN catalogue.session_start AS timestamptz;
        COMMENT ON DOMAIN catalogue.session_start IS 'instant that the tokens of a user bear, kept by the service and never shown';
    END IF;
END
$session$;

DO
$files$
BEGIN
    IF to_regtype('catalogue.parse_state') IS NULL THEN
        CREATE TYPE catalogue.parse_state AS ENUM ('pending', 'ready', 'failed');
        COMMENT ON TYPE catalogue.parse_state IS 'how far the reading of a file is';
        CREATE TYPE catalogue.job_state AS ENUM ('queued', 'running', 'done', 'failed', 'cancelled');
        COMMENT ON TYPE catalogue.job_state IS 'how far a job is';
    END IF;
END
$files$;

DO
$options$
BEGIN
    IF to_regtype('catalogue.parse_options') IS NULL THEN
        CREATE DOMAIN catalogue.parse_options AS json;
        COMMENT ON DOMAIN catalogue.parse_options IS 'object of how a file is to be read: encoding, delimiter, decimal, header, skip, as far as they are not to be found';
    END IF;
END
$options$;

-- These checks call functions of the extension, so they go with the extension and are put back here.
DO
$check$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE contypid = 'catalogue.parse_options'::regtype) THEN
        ALTER DOMAIN catalogue.parse_options ADD CONSTRAINT is_parse_options CHECK (catalogue.is_parse_options(value));
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE contypid = 'catalogue.time_pattern'::regtype) THEN
        ALTER DOMAIN catalogue.time_pattern ADD CONSTRAINT is_time_pattern CHECK (catalogue.is_time_pattern(value));
    END IF;
END
$check$;
