-- The instants at which transactions were committed, by which versions of pages are named.
CREATE SEQUENCE IF NOT EXISTS catalogue.change_number;
COMMENT ON SEQUENCE catalogue.change_number IS 'Numbers of catalogue.change';
CREATE SEQUENCE IF NOT EXISTS catalogue.commit_number;
COMMENT ON SEQUENCE catalogue.commit_number IS 'Numbers of commits that wrote into the action log, in their order';
CREATE TABLE IF NOT EXISTS catalogue.change (
    number    bigint       PRIMARY KEY,
    resource  text         NOT NULL,
    at        timestamptz  NOT NULL,
    apart     boolean      NOT NULL DEFAULT false,
    living    bigint       NOT NULL DEFAULT 0,
    pending   bigint[]     NOT NULL DEFAULT '{}',
    seen      boolean      NOT NULL DEFAULT true
);
SELECT catalogue.add_columns('catalogue.change', 'seen boolean NOT NULL DEFAULT true', 'commit_number bigint');
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_attribute
               WHERE attrelid = 'catalogue.change'::regclass AND attname = 'shown') THEN
        ALTER TABLE catalogue.change DROP COLUMN shown;
    END IF;
END
$$;
COMMENT ON TABLE catalogue.change IS
    'What a transaction changed of a resource: one row for each transaction and resource';
COMMENT ON COLUMN catalogue.change.number IS 'Number of the states before the change in the history';
COMMENT ON COLUMN catalogue.change.resource IS 'Path word of the resource';
COMMENT ON COLUMN catalogue.change.at IS 'Commit time: an instant during the commit of the transaction';
COMMENT ON COLUMN catalogue.change.apart IS
    'The resource is one that grows by itself, such as the log: no page of another is a version of such a change';
COMMENT ON COLUMN catalogue.change.living IS 'Records created or restored, less those deleted';
COMMENT ON COLUMN catalogue.change.seen IS 'Whether outsiders saw one of the records before the change or after it';
COMMENT ON COLUMN catalogue.change.pending IS 'Transactions with a commit in progress at that instant';
COMMENT ON COLUMN catalogue.change.commit_number IS
    'Of a change of the action log: its position in the order of commits, in which events are told';
CREATE INDEX IF NOT EXISTS change_resource_at ON catalogue.change (resource, at);
CREATE INDEX IF NOT EXISTS change_at ON catalogue.change (at) WHERE NOT apart;
CREATE INDEX IF NOT EXISTS change_tally ON catalogue.change (resource, at) INCLUDE (living) WHERE living <> 0;
CREATE INDEX IF NOT EXISTS change_resource_seen ON catalogue.change (resource, at) WHERE seen;
CREATE INDEX IF NOT EXISTS change_seen ON catalogue.change (at) WHERE seen AND NOT apart;
CREATE INDEX IF NOT EXISTS change_commit_number ON catalogue.change (commit_number) WHERE commit_number IS NOT NULL;

-- One table for each resource, made by catalogue.keep_history().
CREATE SCHEMA IF NOT EXISTS catalogue_history;
COMMENT ON SCHEMA catalogue_history IS
    'States of records before each change, as far back as catalogue.history_retention';
