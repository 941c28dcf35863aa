CREATE TABLE IF NOT EXISTS catalogue.configs (
    id           catalogue.id              PRIMARY KEY,
    description  varchar(250)              NOT NULL,
    type         catalogue.config_type     NOT NULL,
    category     catalogue.config_category NOT NULL,
    key          varchar(100)              NOT NULL,
    value        varchar(250),
    tooltip      varchar(350),
    multiple     boolean,
    editable     boolean,
    required     boolean,
    model        catalogue.one_line,
    secret       boolean                   NOT NULL DEFAULT false,
    updated_by   catalogue.id              REFERENCES catalogue.users ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    parent       catalogue.id              CONSTRAINT subconfigs REFERENCES catalogue.configs
    DEFERRABLE INITIALLY DEFERRED,
    created_at   timestamptz               NOT NULL DEFAULT now(),
    updated_at   timestamptz               NOT NULL DEFAULT now(),
    deleted_at   timestamptz
);
SELECT catalogue.add_columns('catalogue.configs', 'secret boolean NOT NULL DEFAULT false');
COMMENT ON TABLE catalogue.configs IS 'Setting of the applications';
COMMENT ON COLUMN catalogue.configs.description IS 'What it sets';
COMMENT ON COLUMN catalogue.configs.type IS 'Type of the value';
COMMENT ON COLUMN catalogue.configs.category IS 'Section of the settings';
COMMENT ON COLUMN catalogue.configs.key IS 'Name of the setting';
COMMENT ON COLUMN catalogue.configs.value IS 'Value, of the type that is said';
COMMENT ON COLUMN catalogue.configs.tooltip IS 'Help text';
COMMENT ON COLUMN catalogue.configs.multiple IS 'Whether several values are given, with commas between them';
COMMENT ON COLUMN catalogue.configs.editable IS 'Whether it can be edited';
COMMENT ON COLUMN catalogue.configs.required IS 'Whether a value must be given';
COMMENT ON COLUMN catalogue.configs.model IS 'Resource that a value of type model refers to, by its model or path';
COMMENT ON COLUMN catalogue.configs.secret IS 'For superadmins only';
COMMENT ON COLUMN catalogue.configs.updated_by IS 'User who last changed the value';
COMMENT ON COLUMN catalogue.configs.parent IS 'Group that the setting belongs to';
SELECT catalogue.expose('configs', 'Config', searchable => '{description,key}', unique_living => '{key}',
    conditions => '{"parent": "t.id <> $2"}',
    shown => '{"internal": {"secret": false}}', reserved => '{secret}');
-- Roles for reports see no secret setting, in the history neither; the owner, and so the service, sees all.
DO $$
BEGIN
    IF (SELECT count(*) FROM pg_catalog.pg_policies p JOIN pg_catalog.pg_class c
            ON c.oid = format('%I.%I', p.schemaname, p.tablename)::regclass AND c.relrowsecurity
        WHERE p.tablename = 'configs' AND p.policyname = 'not_secret'
            AND p.schemaname IN ('catalogue', 'catalogue_history')) < 2 THEN
        DROP POLICY IF EXISTS not_secret ON catalogue.configs;
        CREATE POLICY not_secret ON catalogue.configs FOR SELECT USING (NOT secret);
        ALTER TABLE catalogue.configs ENABLE ROW LEVEL SECURITY;
        DROP POLICY IF EXISTS not_secret ON catalogue_history.configs;
        CREATE POLICY not_secret ON catalogue_history.configs FOR SELECT
            USING (secret IS FALSE AND EXISTS (SELECT FROM catalogue.configs c
                                               WHERE c.id = configs.id AND NOT c.secret));
        ALTER TABLE catalogue_history.configs ENABLE ROW LEVEL SECURITY;
    END IF;
END
$$;

CREATE TABLE IF NOT EXISTS catalogue.logs (
    id          catalogue.id         PRIMARY KEY,
    action      catalogue.log_action NOT NULL,
    target      text                 NOT NULL,
    resource    text                 NOT NULL,
    change      catalogue.birth,
    "user"      catalogue.id         CONSTRAINT logs REFERENCES catalogue.users ON DELETE SET NULL
    DEFERRABLE INITIALLY DEFERRED,
    changes     json,
    seen_before catalogue.least_access,
    seen_after  catalogue.least_access,
    created_at  timestamptz          NOT NULL DEFAULT now(),
    updated_at  timestamptz          NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
SELECT catalogue.add_columns('catalogue.logs', 'changes json', 'seen_before catalogue.least_access',
    'seen_after catalogue.least_access');
COMMENT ON TABLE catalogue.logs IS 'Action log';
COMMENT ON COLUMN catalogue.logs.action IS 'What was done';
COMMENT ON COLUMN catalogue.logs.target IS 'Lower-case singular name of the resource';
COMMENT ON COLUMN catalogue.logs.resource IS 'Identifier of the record';
COMMENT ON COLUMN catalogue.logs.change IS 'Change that made the record';
COMMENT ON COLUMN catalogue.logs."user" IS 'User who did it';
COMMENT ON COLUMN catalogue.logs.changes IS
    'Of an update: each changed field with its value before and after, or that it is omitted';
COMMENT ON COLUMN catalogue.logs.seen_before IS 'Who saw the record before the action, for events';
COMMENT ON COLUMN catalogue.logs.seen_after IS 'Who saw the record after it';
-- A catalogue in which every user read the logs gets the rules for reading.  Triggers that wait for the end of the
-- transaction would prevent changes of its tables, so they run here.
DO
$$
BEGIN
    IF EXISTS (SELECT FROM catalogue.resource r WHERE r.resource = 'logs' AND r.closed = '{}')
        AND EXISTS (SELECT FROM catalogue.rules) THEN
        PERFORM catalogue.seed_reading_rules();
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
    END IF;
END
$$;
SELECT catalogue.expose('logs', 'Log', searchable => '{action,target,resource}', read_only => true,
    newest_first => true, shown => '{"outsiders": false}', closed => '{*}');
CREATE INDEX IF NOT EXISTS logs_resource ON catalogue.logs (resource);
CREATE INDEX IF NOT EXISTS logs_change ON catalogue.logs (change, id);
CREATE INDEX IF NOT EXISTS logs_deleted ON catalogue.logs (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS catalogue.statistics (
    id           catalogue.id          PRIMARY KEY,
    resource     varchar(50)           NOT NULL,
    endpoint     varchar(300)          NOT NULL,
    querystring  varchar(1000),
    method       catalogue.http_method NOT NULL,
    client       varchar(100)          NOT NULL,
    useragent    varchar(1000)         NOT NULL,
    ip           varchar(46)           NOT NULL,
    change       catalogue.birth,
    created_at   timestamptz           NOT NULL DEFAULT now(),
    updated_at   timestamptz           NOT NULL DEFAULT now(),
    deleted_at   timestamptz
);
COMMENT ON TABLE catalogue.statistics IS 'Usage of the API: one request';
COMMENT ON COLUMN catalogue.statistics.resource IS 'Resource asked for';
COMMENT ON COLUMN catalogue.statistics.endpoint IS 'Path asked for';
COMMENT ON COLUMN catalogue.statistics.querystring IS 'Query without credentials';
COMMENT ON COLUMN catalogue.statistics.method IS 'Method';
COMMENT ON COLUMN catalogue.statistics.client IS 'Consumer or user, else anonymous';
COMMENT ON COLUMN catalogue.statistics.useragent IS 'User agent';
COMMENT ON COLUMN catalogue.statistics.ip IS
    'Address of the client or its network, as the setting catalogue.visitor_addresses says; "-" for none';
COMMENT ON COLUMN catalogue.statistics.change IS 'Change that made the record';
SELECT catalogue.expose('statistics', 'Statistic', read_only => true, newest_first => true,
    shown => '{"outsiders": false}', closed => '{*}');
-- Entries of this index end in an id, so none is another's duplicate, and looking for duplicates finds nothing.
ALTER INDEX catalogue.statistics_order SET (deduplicate_items = off);

CREATE TABLE IF NOT EXISTS catalogue.statistics_by_day (
    day       date                  NOT NULL,
    resource  text                  NOT NULL,
    method    catalogue.http_method NOT NULL,
    client    text                  NOT NULL,
    requests  bigint                NOT NULL
);
-- Earlier versions counted the records only when they were removed, and had one row for each key.
DO
$$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_constraint k
               WHERE k.conrelid = 'catalogue.statistics_by_day'::regclass AND k.contype = 'p') THEN
        LOCK TABLE catalogue.statistics IN SHARE ROW EXCLUSIVE MODE;
        ALTER TABLE catalogue.statistics_by_day DROP CONSTRAINT statistics_by_day_pkey;
        INSERT INTO catalogue.statistics_by_day (day, resource, method, client, requests)
        SELECT (s.created_at AT TIME ZONE 'UTC')::date, s.resource, s.method, s.client, count(*)
        FROM catalogue.statistics s
        WHERE s.deleted_at IS NULL
        GROUP BY 1, 2, 3, 4;
    END IF;
END
$$;
CREATE INDEX IF NOT EXISTS statistics_by_day_day ON catalogue.statistics_by_day (day);
COMMENT ON TABLE catalogue.statistics_by_day IS
    'Numbers of requests by day: rows are added, and now and then added up; emptying catalogue.statistics keeps them';
COMMENT ON COLUMN catalogue.statistics_by_day.day IS 'Day of the requests, of UTC';
COMMENT ON COLUMN catalogue.statistics_by_day.resource IS 'Resource asked for';
COMMENT ON COLUMN catalogue.statistics_by_day.method IS 'Method';
COMMENT ON COLUMN catalogue.statistics_by_day.client IS 'Consumer or user, else anonymous';
COMMENT ON COLUMN catalogue.statistics_by_day.requests IS 'How many there were';
CREATE OR REPLACE TRIGGER added AFTER INSERT ON catalogue.statistics REFERENCING NEW TABLE AS new
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue.add_statistics();

CREATE TABLE IF NOT EXISTS catalogue.recorder (
    sender  text         PRIMARY KEY,
    serial  bigint       NOT NULL,
    at      timestamptz  NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE catalogue.recorder IS
    'What has been stored of the statistics that each thread of each shim sends; of the last day';
COMMENT ON COLUMN catalogue.recorder.sender IS 'Random name of the sender';
COMMENT ON COLUMN catalogue.recorder.serial IS 'Number of its last batch that is stored';
COMMENT ON COLUMN catalogue.recorder.at IS 'When it was stored';

CREATE TABLE IF NOT EXISTS catalogue.databases (
    id          catalogue.id PRIMARY KEY,
    name        varchar(150) NOT NULL,
    collection  varchar(150),
    url         varchar(500),
    created_at  timestamptz  NOT NULL DEFAULT now(),
    updated_at  timestamptz  NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
COMMENT ON TABLE catalogue.databases IS 'Database that holds data (early shape)';
COMMENT ON COLUMN catalogue.databases.name IS 'Name';
COMMENT ON COLUMN catalogue.databases.collection IS 'Collection';
COMMENT ON COLUMN catalogue.databases.url IS 'Address';
SELECT catalogue.expose('databases', 'Database', shown => '{"outsiders": false}');

CREATE TABLE IF NOT EXISTS catalogue.datasetrequests (
    id           catalogue.id    PRIMARY KEY,
    about        varchar(150)    NOT NULL,
    description  varchar(500)    NOT NULL,
    email        catalogue.email NOT NULL,
    created_at   timestamptz     NOT NULL DEFAULT now(),
    updated_at   timestamptz     NOT NULL DEFAULT now(),
    deleted_at   timestamptz
);
COMMENT ON TABLE catalogue.datasetrequests IS 'Request of the public for a dataset';
COMMENT ON COLUMN catalogue.datasetrequests.about IS 'Subject';
COMMENT ON COLUMN catalogue.datasetrequests.description IS 'What is wanted';
COMMENT ON COLUMN catalogue.datasetrequests.email IS 'Address to answer to';
SELECT catalogue.expose('datasetrequests', 'DatasetRequest', shown => '{"outsiders": false}', closed => '{email}');

CREATE TABLE IF NOT EXISTS catalogue.datasetrequests_categories (
    request      catalogue.id NOT NULL CONSTRAINT categories REFERENCES catalogue.datasetrequests ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    category     catalogue.id NOT NULL CONSTRAINT requests REFERENCES catalogue.categories ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    position     integer      NOT NULL DEFAULT 1,
    deleted_at   timestamptz
);
COMMENT ON TABLE catalogue.datasetrequests_categories IS 'Categories of requests';
SELECT catalogue.expose_links('catalogue.datasetrequests_categories');

-- Not an unlogged table: a reply must be there after a crash as the change is.
CREATE TABLE IF NOT EXISTS catalogue.idempotency (
    owner       text         NOT NULL,
    key         text         NOT NULL,
    digest      text         NOT NULL,
    reply       bytea        NOT NULL,
    created_at  timestamptz  NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, key)
);
COMMENT ON TABLE catalogue.idempotency IS 'Replies to requests with an Idempotency-Key, for 24 hours';
COMMENT ON COLUMN catalogue.idempotency.owner IS 'Who made the request: ids of user and consumer';
COMMENT ON COLUMN catalogue.idempotency.key IS 'The key';
COMMENT ON COLUMN catalogue.idempotency.digest IS 'Digest of the request';
COMMENT ON COLUMN catalogue.idempotency.reply IS 'The reply, as catalogue.packed() gives it';
COMMENT ON COLUMN catalogue.idempotency.created_at IS 'When the change was made';
CREATE INDEX IF NOT EXISTS idempotency_created_at ON catalogue.idempotency (created_at);

CREATE TABLE IF NOT EXISTS catalogue.imported (
    source  text          NOT NULL,
    id      text          NOT NULL,
    record  catalogue.id  NOT NULL,
    digest  bytea         NOT NULL,
    files   json          NOT NULL DEFAULT '{}',
    ended   json,
    base    json,
    PRIMARY KEY (source, id)
);
SELECT catalogue.add_columns('catalogue.imported', 'ended json', 'base json');
CREATE INDEX IF NOT EXISTS imported_record ON catalogue.imported (record);
-- identifiers were as the source wrote them
UPDATE catalogue.imported i SET id = lower(i.id)
WHERE i.id <> lower(i.id) AND NOT EXISTS (SELECT FROM catalogue.imported o
                                          WHERE o.source = i.source AND lower(o.id) = lower(i.id) AND o.id <> i.id);
COMMENT ON TABLE catalogue.imported IS 'Datasets that were made of the entries of other catalogues';
COMMENT ON COLUMN catalogue.imported.source IS 'The other catalogue';
COMMENT ON COLUMN catalogue.imported.id IS 'One of the keys of the entry in it, in small letters';
COMMENT ON COLUMN catalogue.imported.record IS 'The dataset';
COMMENT ON COLUMN catalogue.imported.digest IS 'Digest of what was read of the entry; the same changes nothing';
COMMENT ON COLUMN catalogue.imported.files IS
    'Distributions: id, url, title, format as the source has them; file, null: deleted here; base and ended of it';
COMMENT ON COLUMN catalogue.imported.base IS
    'Digests of the fields of the dataset as the last import has left them: users have changed those that differ';
COMMENT ON COLUMN catalogue.imported.ended IS
    'Instants at which imports deleted, unpublished or did not publish the dataset; the record has them as well';

CREATE TABLE IF NOT EXISTS catalogue.imported_key (
    source  text  NOT NULL,
    key     text  NOT NULL,
    id      text  NOT NULL,
    PRIMARY KEY (source, key)
);
COMMENT ON TABLE catalogue.imported_key IS 'Further keys by which entries of other catalogues are known';
COMMENT ON COLUMN catalogue.imported_key.source IS 'The other catalogue, as in catalogue.imported';
COMMENT ON COLUMN catalogue.imported_key.key IS 'IRI or identifier of the entry, in small letters';
COMMENT ON COLUMN catalogue.imported_key.id IS 'The id under which catalogue.imported has the entry';

CREATE TABLE IF NOT EXISTS catalogue.import_source (
    source  text          PRIMARY KEY,
    "user"  catalogue.id  NOT NULL
);
COMMENT ON TABLE catalogue.import_source IS 'To whom the sources of imports belong';
COMMENT ON COLUMN catalogue.import_source.source IS 'The other catalogue, as in catalogue.imported';
COMMENT ON COLUMN catalogue.import_source."user" IS
    'User who was the first to import from it; others of his organization may import from it as well';
-- of catalogues in which this table was missing
INSERT INTO catalogue.import_source (source, "user")
SELECT DISTINCT ON (i.source) i.source, d.owner
FROM catalogue.imported i JOIN catalogue.datasets d ON d.id = i.record
WHERE NOT EXISTS (SELECT FROM catalogue.import_source)
ORDER BY i.source, d.created_at
ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS catalogue.harvest (
    id         catalogue.id  PRIMARY KEY DEFAULT catalogue.new_id(),
    source     text          NOT NULL,
    dry_run    boolean       NOT NULL,
    url        text,
    options    json          NOT NULL,
    "user"     catalogue.id  NOT NULL,
    frequency  catalogue.id,
    job        catalogue.id,
    report     json,
    ended_at   timestamptz,
    began_at   timestamptz,
    bytes      bigint        NOT NULL DEFAULT 0,
    failed_at  timestamptz,
    failure    text,
    blob       bigint        REFERENCES catalogue.blob
);
SELECT catalogue.add_columns('catalogue.harvest', 'began_at timestamptz', 'bytes bigint NOT NULL DEFAULT 0',
    'failed_at timestamptz', 'failure text', 'blob bigint REFERENCES catalogue.blob');
-- of catalogues in which each source was an address
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE conname = 'harvest_source_dry_run_key') THEN
        ALTER TABLE catalogue.harvest DROP CONSTRAINT harvest_source_dry_run_key, ALTER url DROP NOT NULL;
    END IF;
END
$$;
CREATE UNIQUE INDEX IF NOT EXISTS harvest_source ON catalogue.harvest (source, dry_run) WHERE url IS NOT NULL;
CREATE INDEX IF NOT EXISTS harvest_blob ON catalogue.harvest (blob) WHERE blob IS NOT NULL;
CREATE OR REPLACE TRIGGER used AFTER INSERT OR UPDATE OF blob OR DELETE ON catalogue.harvest FOR EACH ROW EXECUTE
    FUNCTION catalogue.count_uses();
COMMENT ON TABLE catalogue.harvest IS 'Other catalogues that the worker imports';
COMMENT ON COLUMN catalogue.harvest.id IS 'Identifier';
COMMENT ON COLUMN catalogue.harvest.source IS 'The other catalogue, as in catalogue.imported';
COMMENT ON COLUMN catalogue.harvest.dry_run IS 'Whether the import changes nothing';
COMMENT ON COLUMN catalogue.harvest.url IS 'Address of its document; NULL: it was uploaded';
COMMENT ON COLUMN catalogue.harvest.options IS 'Options of the import: publish, gone, category, organization';
COMMENT ON COLUMN catalogue.harvest."user" IS 'User for whom it is imported';
COMMENT ON COLUMN catalogue.harvest.frequency IS 'Update frequency by which it is fetched again; NULL: once';
COMMENT ON COLUMN catalogue.harvest.job IS 'The last job';
COMMENT ON COLUMN catalogue.harvest.report IS 'Report of the last import';
COMMENT ON COLUMN catalogue.harvest.ended_at IS 'When that was';
COMMENT ON COLUMN catalogue.harvest.failed_at IS 'When a job last failed or was cancelled';
COMMENT ON COLUMN catalogue.harvest.failure IS 'Why';
COMMENT ON COLUMN catalogue.harvest.began_at IS 'When the last job began to fetch';
COMMENT ON COLUMN catalogue.harvest.bytes IS 'Bytes of the documents that it has fetched';
COMMENT ON COLUMN catalogue.harvest.blob IS 'Document that was uploaded and is not JSON, until it is imported';

CREATE TABLE IF NOT EXISTS catalogue.harvest_run (
    job       catalogue.id  PRIMARY KEY,
    harvest   catalogue.id  NOT NULL REFERENCES catalogue.harvest ON DELETE CASCADE,
    ended_at  timestamptz   NOT NULL,
    report    json,
    failure   text
);
COMMENT ON TABLE catalogue.harvest_run IS 'How the last 100 jobs of each harvest have ended';
COMMENT ON COLUMN catalogue.harvest_run.job IS 'The job';
COMMENT ON COLUMN catalogue.harvest_run.harvest IS 'The harvest';
COMMENT ON COLUMN catalogue.harvest_run.ended_at IS 'When it ended';
COMMENT ON COLUMN catalogue.harvest_run.report IS 'Counts of its report; NULL: it failed';
COMMENT ON COLUMN catalogue.harvest_run.failure IS 'Why it failed';
CREATE INDEX IF NOT EXISTS harvest_run_harvest ON catalogue.harvest_run (harvest, ended_at);
CREATE OR REPLACE TRIGGER ran AFTER UPDATE OF ended_at, failed_at ON catalogue.harvest FOR EACH ROW EXECUTE
    FUNCTION catalogue.keep_run();

CREATE TABLE IF NOT EXISTS catalogue.harvest_page (
    harvest   catalogue.id  NOT NULL REFERENCES catalogue.harvest ON DELETE CASCADE,
    number    integer       NOT NULL,
    job       catalogue.id  NOT NULL,
    url       text          NOT NULL,
    state     "char"        NOT NULL DEFAULT 'o',
    document  json,
    reason    text,
    PRIMARY KEY (harvest, number)
);
COMMENT ON TABLE catalogue.harvest_page IS 'Documents of which a harvest consists, until they are imported';
COMMENT ON COLUMN catalogue.harvest_page.harvest IS 'The harvest';
COMMENT ON COLUMN catalogue.harvest_page.number IS 'Order of the documents, from 1';
COMMENT ON COLUMN catalogue.harvest_page.job IS 'The job that fetches them';
COMMENT ON COLUMN catalogue.harvest_page.url IS 'Address of the document';
COMMENT ON COLUMN catalogue.harvest_page.state IS
    'o: to be fetched; d: has a document; l: has only led to other documents; f: could not be had';
COMMENT ON COLUMN catalogue.harvest_page.document IS 'The document';
COMMENT ON COLUMN catalogue.harvest_page.reason IS 'Why there is none';
CREATE UNIQUE INDEX IF NOT EXISTS harvest_page_url ON catalogue.harvest_page (harvest, md5(url));
CREATE INDEX IF NOT EXISTS harvest_page_open ON catalogue.harvest_page (harvest, number) WHERE state = 'o';
