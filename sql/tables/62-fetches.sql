-- What remote services have answered: the last answer of each file's service, and the history of fetches.
CREATE TABLE IF NOT EXISTS catalogue.fetches (
    id           catalogue.id             PRIMARY KEY,
    file         catalogue.id             NOT NULL CONSTRAINT fetches_by_file REFERENCES catalogue.files
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    outcome      catalogue.fetch_outcome  NOT NULL,
    reason       varchar(500),
    http_status  integer,
    size         bigint,
    row_count    bigint,
    created_at   timestamptz              NOT NULL DEFAULT now(),
    updated_at   timestamptz              NOT NULL DEFAULT now(),
    deleted_at   timestamptz
);
COMMENT ON TABLE catalogue.fetches IS 'Fetch of a file''s rows from its remote service';
COMMENT ON COLUMN catalogue.fetches.file IS 'File whose service was asked';
COMMENT ON COLUMN catalogue.fetches.outcome IS 'Outcome: loaded, unchanged or failed';
COMMENT ON COLUMN catalogue.fetches.reason IS 'Why it failed';
COMMENT ON COLUMN catalogue.fetches.http_status IS 'HTTP status of the answer; null where it failed';
COMMENT ON COLUMN catalogue.fetches.size IS 'Bytes of the answer, where it was loaded';
COMMENT ON COLUMN catalogue.fetches.row_count IS 'Rows of the file afterwards';
SELECT catalogue.expose('fetches', 'Fetch', read_only => true, logged => false, newest_first => true,
    shown => '{"outsiders": false}');

CREATE TABLE IF NOT EXISTS catalogue.fetched (
    file           catalogue.id  PRIMARY KEY REFERENCES catalogue.files ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    service        catalogue.id,
    blob           bigint        NOT NULL,
    etag           text,
    last_modified  text,
    job            catalogue.id  NOT NULL,
    loaded         boolean       NOT NULL,
    status         integer       NOT NULL,
    size           bigint        NOT NULL
);
COMMENT ON TABLE catalogue.fetched IS 'Answer of its remote service that a file was made of';
COMMENT ON COLUMN catalogue.fetched.file IS 'The file';
COMMENT ON COLUMN catalogue.fetched.service IS 'The service; NULL: its settings have changed since';
COMMENT ON COLUMN catalogue.fetched.blob IS 'Bytes of the answer; nothing refers to them once the file has others';
COMMENT ON COLUMN catalogue.fetched.etag IS 'ETag of the answer';
COMMENT ON COLUMN catalogue.fetched.last_modified IS 'Last-Modified of the answer';
COMMENT ON COLUMN catalogue.fetched.job IS 'Last job that got this answer';
COMMENT ON COLUMN catalogue.fetched.loaded IS 'The file had another answer before';
COMMENT ON COLUMN catalogue.fetched.status IS 'HTTP status that this job got';
COMMENT ON COLUMN catalogue.fetched.size IS 'Bytes of the answer';

-- A service names its file, and the file shows its service; the names are behind "inserted" and "updated", which store
-- the change first.
CREATE OR REPLACE TRIGGER inserted_service AFTER INSERT ON catalogue.restservices
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION catalogue.follow_service('rest_service');
CREATE OR REPLACE TRIGGER updated_service AFTER UPDATE ON catalogue.restservices
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue.follow_service('rest_service');
CREATE OR REPLACE TRIGGER inserted_service AFTER INSERT ON catalogue.soapservices
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION catalogue.follow_service('soap_service');
CREATE OR REPLACE TRIGGER updated_service AFTER UPDATE ON catalogue.soapservices
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue.follow_service('soap_service');
CREATE OR REPLACE TRIGGER inserted_with_service AFTER INSERT ON catalogue.files
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION catalogue.follow_new_file();
CREATE OR REPLACE TRIGGER updated_service AFTER UPDATE ON catalogue.files
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue.follow_file_service();
