-- Bytes of files, images and archives.  Equal bytes are one blob, which is kept while a row refers to it.
CREATE TABLE IF NOT EXISTS catalogue.blob (
    id          bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest      bytea        CONSTRAINT blob_digest UNIQUE,
    size        bigint       NOT NULL DEFAULT 0,
    hashing     bytea,
    uses        integer      NOT NULL DEFAULT 0,
    used_at     timestamptz  NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS blob_unused ON catalogue.blob (used_at) WHERE uses = 0;
COMMENT ON TABLE catalogue.blob IS 'Stored bytes, in rows of catalogue.blob_chunk';
COMMENT ON COLUMN catalogue.blob.digest IS 'SHA-256; NULL while the bytes are still coming';
COMMENT ON COLUMN catalogue.blob.size IS 'Bytes';
COMMENT ON COLUMN catalogue.blob.hashing IS 'State of SHA-256 behind the bytes that have come; NULL at the end';
COMMENT ON COLUMN catalogue.blob.uses IS 'Number of rows that refer to it, maintained by triggers';
COMMENT ON COLUMN catalogue.blob.used_at IS
    'When something began or ceased to refer to it, or came to one that nothing refers to';

CREATE TABLE IF NOT EXISTS catalogue.blob_chunk (
    blob    bigint   NOT NULL REFERENCES catalogue.blob ON DELETE CASCADE,
    number  integer  NOT NULL,
    bytes   bytea    NOT NULL,
    PRIMARY KEY (blob, number)
);
SELECT catalogue.store_column('catalogue.blob_chunk', 'bytes', 'STORAGE EXTERNAL');
COMMENT ON TABLE catalogue.blob_chunk IS 'Bytes of a blob: 262144 a row, in the last one what is left';
COMMENT ON COLUMN catalogue.blob_chunk.blob IS 'The blob';
COMMENT ON COLUMN catalogue.blob_chunk.number IS 'Position in the blob, from 0';
COMMENT ON COLUMN catalogue.blob_chunk.bytes IS 'The bytes';
