-- Completed and unfinished uploads.
CREATE TABLE IF NOT EXISTS catalogue.stored_file (
    file        catalogue.id  PRIMARY KEY REFERENCES catalogue.files ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    blob        bigint        NOT NULL REFERENCES catalogue.blob,
    media_type  text          NOT NULL,
    held        boolean       NOT NULL DEFAULT false
);
CREATE INDEX IF NOT EXISTS stored_file_blob ON catalogue.stored_file (blob);
COMMENT ON TABLE catalogue.stored_file IS 'Bytes of files that were uploaded';
COMMENT ON COLUMN catalogue.stored_file.file IS 'The file';
COMMENT ON COLUMN catalogue.stored_file.blob IS 'Its bytes';
COMMENT ON COLUMN catalogue.stored_file.media_type IS 'Media type that they are sent as';
COMMENT ON COLUMN catalogue.stored_file.held IS 'Not available until it was scanned';

CREATE TABLE IF NOT EXISTS catalogue.unread_check (
    reader  integer      PRIMARY KEY,
    at      timestamptz  NOT NULL DEFAULT now()
);
COMMENT ON TABLE catalogue.unread_check IS 'Searches for files that no version of the readers before could read';
COMMENT ON COLUMN catalogue.unread_check.reader IS 'Version of the readers that can read them';
COMMENT ON COLUMN catalogue.unread_check.at IS 'When their readings were queued';

CREATE TABLE IF NOT EXISTS catalogue.stored_image (
    category    catalogue.id  PRIMARY KEY REFERENCES catalogue.categories ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    blob        bigint        NOT NULL REFERENCES catalogue.blob,
    media_type  text          NOT NULL
);
CREATE INDEX IF NOT EXISTS stored_image_blob ON catalogue.stored_image (blob);
COMMENT ON TABLE catalogue.stored_image IS 'Images of categories that were uploaded';
COMMENT ON COLUMN catalogue.stored_image.category IS 'The category';
COMMENT ON COLUMN catalogue.stored_image.blob IS 'Its bytes';
COMMENT ON COLUMN catalogue.stored_image.media_type IS 'Media type that they are sent as';

CREATE TABLE IF NOT EXISTS catalogue.stored_logo (
    organization  catalogue.id  PRIMARY KEY REFERENCES catalogue.organizations ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    blob          bigint        NOT NULL REFERENCES catalogue.blob,
    media_type    text          NOT NULL
);
CREATE INDEX IF NOT EXISTS stored_logo_blob ON catalogue.stored_logo (blob);
COMMENT ON TABLE catalogue.stored_logo IS 'Images of organizations that were uploaded';
COMMENT ON COLUMN catalogue.stored_logo.organization IS 'The organization';
COMMENT ON COLUMN catalogue.stored_logo.blob IS 'Its bytes';
COMMENT ON COLUMN catalogue.stored_logo.media_type IS 'Media type that they are sent as';

CREATE TABLE IF NOT EXISTS catalogue.made_file (
    file      catalogue.id  NOT NULL REFERENCES catalogue.files ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    form      text          NOT NULL,
    revision  bigint        NOT NULL,
    blob      bigint        REFERENCES catalogue.blob,
    reason    text,
    made_at   timestamptz,
    PRIMARY KEY (file, form)
);
SELECT catalogue.add_columns('catalogue.made_file', 'reason text', 'made_at timestamptz');
DO $$
BEGIN
    IF (SELECT attnotnull FROM pg_catalog.pg_attribute
        WHERE attrelid = 'catalogue.made_file'::regclass AND attname = 'blob') THEN
        ALTER TABLE catalogue.made_file ALTER blob DROP NOT NULL;
    END IF;
END
$$;
CREATE INDEX IF NOT EXISTS made_file_blob ON catalogue.made_file (blob);
CREATE INDEX IF NOT EXISTS made_file_made_at ON catalogue.made_file (made_at) WHERE made_at IS NOT NULL;
COMMENT ON TABLE catalogue.made_file IS 'Files in another form than they came in, made from their contents';
COMMENT ON COLUMN catalogue.made_file.file IS 'The file';
COMMENT ON COLUMN catalogue.made_file.form IS
    'xlsx or xls, followed by /2 for the second sheet alone, by ? and a digest for selected rows';
COMMENT ON COLUMN catalogue.made_file.revision IS 'Number of the parse that it was made from';
COMMENT ON COLUMN catalogue.made_file.blob IS 'Its bytes; NULL: it cannot be made';
COMMENT ON COLUMN catalogue.made_file.reason IS 'Why it cannot be made';
COMMENT ON COLUMN catalogue.made_file.made_at IS 'When selected rows were written; NULL: it has all rows, and is kept';

CREATE TABLE IF NOT EXISTS catalogue.made_picture (
    digest   text         PRIMARY KEY,
    blob     bigint       REFERENCES catalogue.blob,
    reason   text,
    made_at  timestamptz  NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS made_picture_blob ON catalogue.made_picture (blob);
CREATE INDEX IF NOT EXISTS made_picture_made_at ON catalogue.made_picture (made_at);
COMMENT ON TABLE catalogue.made_picture IS 'Pictures as PNG';
COMMENT ON COLUMN catalogue.made_picture.digest IS 'SHA-256 of the picture as SVG';
COMMENT ON COLUMN catalogue.made_picture.blob IS 'Its bytes; NULL: it cannot be made';
COMMENT ON COLUMN catalogue.made_picture.reason IS 'Why it cannot be made';
COMMENT ON COLUMN catalogue.made_picture.made_at IS 'When it was made';

CREATE TABLE IF NOT EXISTS catalogue.archive (
    dataset   catalogue.id  NOT NULL REFERENCES catalogue.datasets ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    audience  text          NOT NULL,
    state     text          NOT NULL,
    blob      bigint        NOT NULL REFERENCES catalogue.blob,
    made_at   timestamptz   NOT NULL DEFAULT now(),
    PRIMARY KEY (dataset, audience)
);
CREATE INDEX IF NOT EXISTS archive_blob ON catalogue.archive (blob);
COMMENT ON TABLE catalogue.archive IS 'Archives of datasets';
COMMENT ON COLUMN catalogue.archive.dataset IS 'The dataset';
COMMENT ON COLUMN catalogue.archive.audience IS 'Audience: outsiders or internal';
COMMENT ON COLUMN catalogue.archive.state IS
    'Tag of all that it was made from: where the present one is another, it is stale';
COMMENT ON COLUMN catalogue.archive.blob IS 'Its bytes, a zip file';
COMMENT ON COLUMN catalogue.archive.made_at IS 'When it was made';

CREATE TABLE IF NOT EXISTS catalogue.upload (
    id         catalogue.id  PRIMARY KEY,
    blob       bigint        NOT NULL REFERENCES catalogue.blob,
    owner      text          NOT NULL,
    request    jsonb         NOT NULL,
    length     bigint,
    resumable  boolean       NOT NULL,
    moved_at   timestamptz   NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS upload_blob ON catalogue.upload (blob);
COMMENT ON TABLE catalogue.upload IS 'Uploads that are on their way';
COMMENT ON COLUMN catalogue.upload.blob IS 'Bytes received so far';
COMMENT ON COLUMN catalogue.upload.owner IS 'Actor who began it; only he may continue it';
COMMENT ON COLUMN catalogue.upload.request IS 'Request that the upload belongs to';
COMMENT ON COLUMN catalogue.upload.length IS 'Bytes that it will have; NULL: not known yet';
COMMENT ON COLUMN catalogue.upload.resumable IS 'Whether it can be continued on another connection';
COMMENT ON COLUMN catalogue.upload.moved_at IS 'Time of the last byte received';

CREATE TABLE IF NOT EXISTS catalogue.finished_upload (
    id            catalogue.id  PRIMARY KEY,
    owner         text          NOT NULL,
    resource      text          NOT NULL,
    record        catalogue.id,
    organization  text,
    size          bigint        NOT NULL,
    finished_at   timestamptz   NOT NULL DEFAULT now()
);
COMMENT ON TABLE catalogue.finished_upload IS
    'Resumable uploads that are complete, kept for an hour for clients that have not received the last answer';
COMMENT ON COLUMN catalogue.finished_upload.id IS 'Id that the upload had';
COMMENT ON COLUMN catalogue.finished_upload.owner IS 'Actor who began it';
COMMENT ON COLUMN catalogue.finished_upload.resource IS 'Resource that it was for';
COMMENT ON COLUMN catalogue.finished_upload.record IS 'Record that has the bytes; NULL for an import';
COMMENT ON COLUMN catalogue.finished_upload.organization IS 'Organization of the key that began it; NULL for none';
COMMENT ON COLUMN catalogue.finished_upload.size IS 'Bytes received';
COMMENT ON COLUMN catalogue.finished_upload.finished_at IS 'When it was complete';

CREATE TABLE IF NOT EXISTS catalogue.download_count (
    dataset  catalogue.id  NOT NULL,
    file     catalogue.id,
    day      date          NOT NULL,
    count    bigint        NOT NULL
);
CREATE INDEX IF NOT EXISTS download_count_day ON catalogue.download_count (day);
COMMENT ON TABLE catalogue.download_count IS
    'Downloads by dataset, file and day: rows are added, and now and then added up';
COMMENT ON COLUMN catalogue.download_count.dataset IS 'The dataset';
COMMENT ON COLUMN catalogue.download_count.file IS 'The file; NULL for the archive of the dataset';
COMMENT ON COLUMN catalogue.download_count.day IS 'The day, in UTC';
COMMENT ON COLUMN catalogue.download_count.count IS 'How many';

-- Each row that refers to a blob counts as one use of it.
DO
$$
DECLARE
    referring  regclass;
BEGIN
    FOREACH referring IN ARRAY
        '{catalogue.stored_file,catalogue.stored_image,catalogue.stored_logo,catalogue.made_file,
            catalogue.made_picture,catalogue.archive,catalogue.upload}'::regclass[] LOOP
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER used AFTER INSERT OR UPDATE OF blob OR DELETE ON %s FOR EACH ROW EXECUTE '
            'FUNCTION catalogue.count_uses()',
            referring);
    END LOOP;
END
$$;
