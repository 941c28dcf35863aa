CREATE TABLE IF NOT EXISTS catalogue.counter (
    resource  text    NOT NULL,
    living    bigint  NOT NULL
);
COMMENT ON TABLE catalogue.counter IS 'Changes in the number of living records; their sum by resource is exact for every snapshot';
COMMENT ON COLUMN catalogue.counter.resource IS 'Path word of the resource';
COMMENT ON COLUMN catalogue.counter.living IS 'Records that came to life, less those deleted';
CREATE INDEX IF NOT EXISTS counter_resource ON catalogue.counter (resource);
