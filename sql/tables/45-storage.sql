-- Bytes of files, images and archives.  Equal bytes are one blob, which is kept while a row refers to it.
CREATE TABLE IF NOT EXISTS catalogue.blob (
    id          bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest      bytea        CONSTRAINT blob_digest UNIQUE,
    size        bigint       NOT NULL DEFAULT 0,
    hashing     bytea,
    uses        integer      NOT NULL DEFAULT 0,
    used_at     timestamptz  NOT NULL DEFAULT now()
);
SELECT catalogue.add_columns('catalogue.blob',
    $$place text NOT NULL DEFAULT 'here' CONSTRAINT blob_place CHECK (place IN ('here', 'both', 'store'))$$,
    'checked_at timestamptz', 'fault text');
CREATE INDEX IF NOT EXISTS blob_unused ON catalogue.blob (used_at) WHERE uses = 0;
-- what is in the object store, or can be
CREATE INDEX IF NOT EXISTS blob_placed ON catalogue.blob (place, checked_at NULLS FIRST, id)
    WHERE digest IS NOT NULL AND size > 524288;
CREATE INDEX IF NOT EXISTS blob_faulty ON catalogue.blob (id) WHERE fault IS NOT NULL;
COMMENT ON TABLE catalogue.blob IS 'Stored bytes, in rows of catalogue.blob_chunk, or in the object store';
COMMENT ON COLUMN catalogue.blob.digest IS 'SHA-256; NULL while the bytes are still coming';
COMMENT ON COLUMN catalogue.blob.size IS 'Bytes';
COMMENT ON COLUMN catalogue.blob.hashing IS 'State of SHA-256 behind the bytes that have come; NULL at the end';
COMMENT ON COLUMN catalogue.blob.uses IS 'Number of rows that refer to it, maintained by triggers';
COMMENT ON COLUMN catalogue.blob.used_at IS
    'When something began or ceased to refer to it, or came to one that nothing refers to';
COMMENT ON COLUMN catalogue.blob.place IS
    'Where its bytes are: here, in rows of catalogue.blob_chunk; both, in the store too, not compared yet; store';
COMMENT ON COLUMN catalogue.blob.checked_at IS
    'When its bytes in the object store were last compared with the digest, or could not be moved';
COMMENT ON COLUMN catalogue.blob.fault IS 'What was wrong then; NULL: nothing';

CREATE TABLE IF NOT EXISTS catalogue.blob_chunk (
    blob    bigint   NOT NULL REFERENCES catalogue.blob ON DELETE CASCADE,
    number  integer  NOT NULL,
    bytes   bytea    NOT NULL,
    PRIMARY KEY (blob, number)
);
SELECT catalogue.store_column('catalogue.blob_chunk', 'bytes', 'STORAGE EXTERNAL');
COMMENT ON TABLE catalogue.blob_chunk IS
    'Bytes of a blob: 262144 a row, in the last one what is left; of one in the object store those that tell its type';
COMMENT ON COLUMN catalogue.blob_chunk.blob IS 'The blob';
COMMENT ON COLUMN catalogue.blob_chunk.number IS 'Position in the blob, from 0';
COMMENT ON COLUMN catalogue.blob_chunk.bytes IS 'The bytes';

CREATE TABLE IF NOT EXISTS catalogue.blob_gone (
    digest    bytea        PRIMARY KEY,
    gone_at   timestamptz  NOT NULL DEFAULT now(),
    taken_at  timestamptz
);
CREATE INDEX IF NOT EXISTS blob_gone_due ON catalogue.blob_gone (gone_at);
COMMENT ON TABLE catalogue.blob_gone IS
    'Objects of the store whose blob was removed, moved back or not made yet; deleted after catalogue.store_retention';
COMMENT ON COLUMN catalogue.blob_gone.digest IS 'SHA-256, the key of the object';
COMMENT ON COLUMN catalogue.blob_gone.gone_at IS
    'When the last blob with the digest ceased to be in the store; of one that is not made yet a day after it was sent';
COMMENT ON COLUMN catalogue.blob_gone.taken_at IS 'When a worker began to delete the object; NULL: none has';

CREATE TABLE IF NOT EXISTS catalogue.object_orphan (
    digest  bytea  PRIMARY KEY
);
COMMENT ON TABLE catalogue.object_orphan IS 'Objects of the store that belonged to no blob when they were last listed';
COMMENT ON COLUMN catalogue.object_orphan.digest IS 'SHA-256, the key of the object';
