CREATE TABLE IF NOT EXISTS catalogue.soapservices (
    id                     catalogue.id PRIMARY KEY,
    method                 catalogue.one_line NOT NULL,
    namespace              catalogue.one_line NOT NULL,
    url                    catalogue.service_address NOT NULL,
    attributes_as_headers  boolean,
    parameters             catalogue.json_object NOT NULL,
    file                   catalogue.id,
    created_at             timestamptz  NOT NULL DEFAULT now(),
    updated_at             timestamptz  NOT NULL DEFAULT now(),
    deleted_at             timestamptz
);
COMMENT ON TABLE catalogue.soapservices IS 'Settings of a remote SOAP service';
COMMENT ON COLUMN catalogue.soapservices.method IS 'Operation that is called';
COMMENT ON COLUMN catalogue.soapservices.namespace IS 'Namespace of the operation';
COMMENT ON COLUMN catalogue.soapservices.url IS 'Address of the service, http: or https:';
COMMENT ON COLUMN catalogue.soapservices.attributes_as_headers IS 'Send the parameters as headers';
COMMENT ON COLUMN catalogue.soapservices.parameters IS 'Parameters of the call';
COMMENT ON COLUMN catalogue.soapservices.file IS 'File that the service updates';
SELECT catalogue.expose('soapservices', 'SoapService', shown => '{"outsiders": false}');

CREATE TABLE IF NOT EXISTS catalogue.restservices (
    id                     catalogue.id     PRIMARY KEY,
    data_path              catalogue.one_line,
    title_path             catalogue.one_line,
    token                  catalogue.secret,
    token_signature        catalogue.secret,
    token_algorithm        catalogue.one_line,
    username               catalogue.one_line,
    password               catalogue.secret,
    url                    catalogue.service_address NOT NULL,
    attributes_as_headers  boolean,
    parameters             catalogue.json_object NOT NULL,
    file                   catalogue.id,
    created_at             timestamptz      NOT NULL DEFAULT now(),
    updated_at             timestamptz      NOT NULL DEFAULT now(),
    deleted_at             timestamptz
);
COMMENT ON TABLE catalogue.restservices IS 'Settings of a remote REST service';
COMMENT ON COLUMN catalogue.restservices.data_path IS 'Dotted path of the rows in the answer';
COMMENT ON COLUMN catalogue.restservices.title_path IS 'Dotted path of the column names in the answer';
COMMENT ON COLUMN catalogue.restservices.token IS 'Token; write-only';
COMMENT ON COLUMN catalogue.restservices.token_signature IS 'Key that signs the token; write-only';
COMMENT ON COLUMN catalogue.restservices.token_algorithm IS 'Algorithm that signs the token';
COMMENT ON COLUMN catalogue.restservices.username IS 'User name of basic authentication';
COMMENT ON COLUMN catalogue.restservices.password IS 'Password of basic authentication; write-only';
COMMENT ON COLUMN catalogue.restservices.url IS 'Address of the service, http: or https:';
COMMENT ON COLUMN catalogue.restservices.attributes_as_headers IS 'Send the parameters as headers';
COMMENT ON COLUMN catalogue.restservices.parameters IS 'Parameters of the call';
COMMENT ON COLUMN catalogue.restservices.file IS 'File that the service updates';
SELECT catalogue.expose('restservices', 'RestService', shown => '{"outsiders": false}');

CREATE TABLE IF NOT EXISTS catalogue.files (
    id                catalogue.id PRIMARY KEY,
    -- near the front of the row, since each read by an outsider looks at it
    dataset_shown     catalogue.shown NOT NULL DEFAULT true,
    name              varchar(150) NOT NULL,
    slug              varchar(150),
    file_name         varchar(150),
    description       varchar(350),
    notes             varchar(500),
    url               catalogue.web_address,
    visible           boolean,
    urgent            boolean,
    gathering_date    date,
    layout            boolean,
    updated           boolean,
    optionals         json,
    parse_options     catalogue.parse_options,
    published_at      timestamptz,
    un_published_at   timestamptz,
    rejected_at       timestamptz,
    cancelled_at      timestamptz,
    reviewed_at       timestamptz,
    size              bigint,
    sha256            varchar(64),
    parse_state       catalogue.parse_state,
    parse_reason      varchar(500),
    row_count         bigint,
    bad_rows          bigint,
    revision          bigint,
    type              catalogue.id NOT NULL CONSTRAINT files_by_type REFERENCES catalogue.filetypes
    DEFERRABLE INITIALLY DEFERRED,
    status            catalogue.id NOT NULL CONSTRAINT files_by_status REFERENCES catalogue.statuses
    DEFERRABLE INITIALLY DEFERRED,
    organization      catalogue.id NOT NULL CONSTRAINT files_by_organization REFERENCES catalogue.organizations
    DEFERRABLE INITIALLY DEFERRED,
    dataset           catalogue.id NOT NULL CONSTRAINT files_by_dataset REFERENCES catalogue.datasets ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    owner             catalogue.id NOT NULL CONSTRAINT files_by_owner REFERENCES catalogue.users
    DEFERRABLE INITIALLY DEFERRED,
    update_frequency  catalogue.id NOT NULL CONSTRAINT files_by_update_frequency REFERENCES catalogue.updatefrequencies
    DEFERRABLE INITIALLY DEFERRED,
    soap_service      catalogue.id REFERENCES catalogue.soapservices ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    rest_service      catalogue.id REFERENCES catalogue.restservices ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    fetched_at        timestamptz,
    fetch_reason      varchar(500),
    next_fetch        timestamptz,
    created_by        catalogue.id NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at        timestamptz  NOT NULL DEFAULT now(),
    updated_at        timestamptz  NOT NULL DEFAULT now(),
    deleted_at        timestamptz
);
SELECT catalogue.add_columns('catalogue.files', 'size bigint', 'sha256 varchar(64)',
    'parse_state catalogue.parse_state', 'parse_options catalogue.parse_options', 'parse_reason varchar(500)',
    'row_count bigint', 'bad_rows bigint', 'revision bigint', 'fetched_at timestamptz', 'fetch_reason varchar(500)',
    'next_fetch timestamptz');
COMMENT ON TABLE catalogue.files IS 'File of a dataset';
COMMENT ON COLUMN catalogue.files.name IS 'Name';
COMMENT ON COLUMN catalogue.files.slug IS 'Name as part of a URL';
COMMENT ON COLUMN catalogue.files.file_name IS 'Stored name, unique in its dataset';
COMMENT ON COLUMN catalogue.files.description IS 'Description, in Markdown';
COMMENT ON COLUMN catalogue.files.notes IS 'Notes';
COMMENT ON COLUMN catalogue.files.url IS 'Address of the bytes, http: or https:';
COMMENT ON COLUMN catalogue.files.visible IS 'Seen by outsiders, when file and dataset are published; false hides it';
COMMENT ON COLUMN catalogue.files.urgent IS 'Has priority';
COMMENT ON COLUMN catalogue.files.gathering_date IS 'When the data were gathered';
COMMENT ON COLUMN catalogue.files.layout IS 'Is a data guide';
COMMENT ON COLUMN catalogue.files.updated IS 'To be shown as updated';
COMMENT ON COLUMN catalogue.files.optionals IS
    'Further values of the publisher''s own; translations has texts in other languages, which search finds';
COMMENT ON COLUMN catalogue.files.parse_options IS
    'How the contents are to be read: object of encoding, delimiter, decimal, '
    'thousands, header, headerRows, skip, dates, missing, merged, crs; what it does not say is found';
COMMENT ON COLUMN catalogue.files.published_at IS 'When it was published';
COMMENT ON COLUMN catalogue.files.un_published_at IS 'When it was unpublished';
COMMENT ON COLUMN catalogue.files.rejected_at IS 'When it was rejected';
COMMENT ON COLUMN catalogue.files.cancelled_at IS 'When its review was cancelled';
COMMENT ON COLUMN catalogue.files.reviewed_at IS 'When its review began';
COMMENT ON COLUMN catalogue.files.size IS 'Bytes of the file, when it was uploaded';
COMMENT ON COLUMN catalogue.files.sha256 IS 'SHA-256 of them, hexadecimal';
COMMENT ON COLUMN catalogue.files.parse_state IS 'State of parsing: pending, ready or failed';
COMMENT ON COLUMN catalogue.files.parse_reason IS 'Why the contents could not be parsed';
COMMENT ON COLUMN catalogue.files.row_count IS 'Rows of the contents, of all sheets';
COMMENT ON COLUMN catalogue.files.bad_rows IS 'Rows that could not be stored';
COMMENT ON COLUMN catalogue.files.revision IS 'Number of the parse whose contents are shown';
COMMENT ON COLUMN catalogue.files.type IS 'Type of the file';
COMMENT ON COLUMN catalogue.files.status IS 'State of the record';
COMMENT ON COLUMN catalogue.files.organization IS 'Organization providing the data';
COMMENT ON COLUMN catalogue.files.dataset IS 'Dataset that the file belongs to';
COMMENT ON COLUMN catalogue.files.owner IS 'Responsible user';
COMMENT ON COLUMN catalogue.files.update_frequency IS 'How often the file is updated';
COMMENT ON COLUMN catalogue.files.soap_service IS 'SOAP service that updates the file';
COMMENT ON COLUMN catalogue.files.rest_service IS 'REST service that updates the file';
COMMENT ON COLUMN catalogue.files.fetched_at IS 'When its service was last asked';
COMMENT ON COLUMN catalogue.files.fetch_reason IS
    'Why the last fetch failed; the rows are those of the one before. Null: it did not';
COMMENT ON COLUMN catalogue.files.next_fetch IS 'When its service is asked next by the update frequency';
COMMENT ON COLUMN catalogue.files.created_by IS 'User who created the record';
SELECT catalogue.expose('files', 'File', searchable => '{name,description,optionals}', fixed => '{url}',
    actions => '{publish,unpublish,reject,cancel,review}',
    shown => '{"outsiders": {"status": "published", "visible": {"not": false}, "dataset": {"shown": true}}}',
    reserved => '{published_at,un_published_at,rejected_at,cancelled_at,reviewed_at}',
    kept => '{size,sha256,parse_state,parse_reason,row_count,bad_rows,revision,fetched_at,fetch_reason,next_fetch}',
    counted => '{type,organization,status}', ordered => '{updated_at}');

-- for the order of downloads of all datasets
CREATE INDEX IF NOT EXISTS files_file_name ON catalogue.files (lower(file_name)) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX IF NOT EXISTS files_file_name_living ON catalogue.files (dataset, lower(file_name))
    WHERE deleted_at IS NULL;

-- Files refer to their remote service, and services to the file they update: these keys complete the cycle.
DO
$$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint
                   WHERE conrelid = 'catalogue.soapservices'::regclass AND conname = 'soapservices') THEN
        ALTER TABLE catalogue.soapservices ADD CONSTRAINT soapservices
            FOREIGN KEY (file) REFERENCES catalogue.files ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
        PERFORM catalogue.index_keys('catalogue.soapservices');
    END IF;
END
$$;

DO
$$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint
                   WHERE conrelid = 'catalogue.restservices'::regclass AND conname = 'restservices') THEN
        ALTER TABLE catalogue.restservices ADD CONSTRAINT restservices
            FOREIGN KEY (file) REFERENCES catalogue.files ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
        PERFORM catalogue.index_keys('catalogue.restservices');
    END IF;
END
$$;

-- In earlier versions a file prevented the deletion of its service.
DO
$$
DECLARE
    key  record;
BEGIN
    FOR key IN
        SELECT c.conname, a.attname, c.confrelid::regclass AS target
        FROM pg_catalog.pg_constraint c
        JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
        WHERE c.conrelid = 'catalogue.files'::regclass AND c.contype = 'f' AND c.confdeltype = 'a'
            AND c.confrelid IN ('catalogue.soapservices'::regclass, 'catalogue.restservices'::regclass)
    LOOP
        EXECUTE format('ALTER TABLE catalogue.files DROP CONSTRAINT %I, ADD CONSTRAINT %I FOREIGN KEY (%I) '
            'REFERENCES %s ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED', key.conname, key.conname, key.attname,
            key.target);
    END LOOP;
END
$$;
