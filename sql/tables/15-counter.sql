CREATE TABLE IF NOT EXISTS catalogue.counter (
    resource  text    NOT NULL,
    living    bigint  NOT NULL,
    shown     bigint  NOT NULL DEFAULT 0
);
SELECT catalogue.add_columns('catalogue.counter', 'shown bigint NOT NULL DEFAULT 0');
COMMENT ON TABLE catalogue.counter IS
    'Changes in the number of living records; their sum by resource is exact for every snapshot';
COMMENT ON COLUMN catalogue.counter.resource IS 'Path word of the resource';
COMMENT ON COLUMN catalogue.counter.living IS 'Records created or restored, less those deleted';
COMMENT ON COLUMN catalogue.counter.shown IS 'Records that became visible to outsiders, less those that no longer are';
CREATE INDEX IF NOT EXISTS counter_resource ON catalogue.counter (resource);
