-- Addresses: url and link of charts, maps, files and services.
DO
$types$
BEGIN
    IF to_regtype('catalogue.web_address') IS NULL THEN
        CREATE DOMAIN catalogue.web_address AS varchar(500);
        COMMENT ON DOMAIN catalogue.web_address IS 'http: or https: URL with a host';
        CREATE DOMAIN catalogue.service_address AS text;
        COMMENT ON DOMAIN catalogue.service_address IS 'http: or https: URL with a host, of at most 2000 characters';
    END IF;
END
$types$;

-- They were plain texts once.  Without a check, the types are changed without reading a row.
DO
$columns$
DECLARE
    field  record;
BEGIN
    FOR field IN
        SELECT a.attrelid::regclass AS place, a.attname AS name, d.type
        FROM (VALUES ('files', 'url', 'web_address'), ('charts', 'url', 'web_address'), ('charts', 'link', 'web_address'), ('maps', 'url', 'web_address'), ('maps', 'link', 'web_address'),
                     ('soapservices', 'url', 'service_address'), ('restservices', 'url', 'service_address')) AS d(resource, name, type)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = to_regclass(format('catalogue.%I', d.resource)) AND a.attname = d.name AND NOT a.attisdropped
        WHERE a.atttypid IN ('varchar'::regtype, 'text'::regtype)
    LOOP
        IF field.place = 'catalogue.files'::regclass THEN
            -- it names the column, whose type cannot be changed then; 59-archive.sql makes it again
            DROP TRIGGER IF EXISTS follow_archive ON catalogue.files;
        END IF;
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE catalogue.%I', field.place, field.name, field.type);
    END LOOP;
END
$columns$;

-- The check is of what is written from now on: what was kept before it stays, also where a dump of that is restored.
-- It calls a function of the extension, so it goes with the extension and is put back here.
DO
$check$
DECLARE
    type  regtype;
BEGIN
    FOREACH type IN ARRAY '{catalogue.web_address,catalogue.service_address}'::regtype[] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE contypid = type) THEN
            EXECUTE format('ALTER DOMAIN %s ADD CONSTRAINT is_address CHECK (catalogue.is_address(value)) NOT VALID', type);
        END IF;
    END LOOP;
END
$check$;
