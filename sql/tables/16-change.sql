-- When the changes of each transaction were committed: what a version of a page goes by.
CREATE SEQUENCE IF NOT EXISTS catalogue.change_number;
COMMENT ON SEQUENCE catalogue.change_number IS 'Numbers of catalogue.change';
CREATE TABLE IF NOT EXISTS catalogue.change (
    number    bigint       PRIMARY KEY,
    resource  text         NOT NULL,
    at        timestamptz  NOT NULL,
    apart     boolean      NOT NULL DEFAULT false,
    living    bigint       NOT NULL DEFAULT 0,
    pending   bigint[]     NOT NULL DEFAULT '{}',
    shown     bigint       NOT NULL DEFAULT 0
);
ALTER TABLE catalogue.change ADD COLUMN IF NOT EXISTS shown bigint NOT NULL DEFAULT 0;
COMMENT ON TABLE catalogue.change IS 'What a transaction changed of a resource: one row for each transaction and resource';
COMMENT ON COLUMN catalogue.change.number IS 'Number under which the history has the states before the change';
COMMENT ON COLUMN catalogue.change.resource IS 'Path word of the resource';
COMMENT ON COLUMN catalogue.change.at IS 'When the transaction was about to commit';
COMMENT ON COLUMN catalogue.change.apart IS 'The resource is one that grows by itself, such as the log: no page of another is a version of such a change';
COMMENT ON COLUMN catalogue.change.living IS 'Records that came to life, less those deleted';
COMMENT ON COLUMN catalogue.change.shown IS 'Records that outsiders came to see, less those that they see no more';
COMMENT ON COLUMN catalogue.change.pending IS 'Transactions that were in the middle of their commits at that instant';
CREATE INDEX IF NOT EXISTS change_resource_at ON catalogue.change (resource, at);
CREATE INDEX IF NOT EXISTS change_at ON catalogue.change (at) WHERE NOT apart;
CREATE INDEX IF NOT EXISTS change_tally ON catalogue.change (resource, at) INCLUDE (living, shown) WHERE living <> 0 OR shown <> 0;

-- One table for each resource, made by catalogue.keep_history().
CREATE SCHEMA IF NOT EXISTS catalogue_history;
COMMENT ON SCHEMA catalogue_history IS 'States of records before each change, as far back as catalogue.history_retention';
