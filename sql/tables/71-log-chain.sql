-- The chain of hashes over the action log: an entry for each log record, in the order in which they were sealed.
CREATE TABLE IF NOT EXISTS catalogue.log_chain (
    day       date    NOT NULL,
    position  bigint  NOT NULL,
    log       text    COLLATE "C" NOT NULL UNIQUE,
    hash      bytea   NOT NULL,
    recorded_at  timestamptz,
    PRIMARY KEY (day, position)
);
SELECT catalogue.add_columns('catalogue.log_chain', 'recorded_at timestamptz');
COMMENT ON TABLE catalogue.log_chain IS 'Chain of hashes over the action log, by the day on which a record was sealed';
COMMENT ON COLUMN catalogue.log_chain.day IS 'Day of UTC on which the record was sealed';
COMMENT ON COLUMN catalogue.log_chain.position IS 'Position in the chain of that day, from 1';
COMMENT ON COLUMN catalogue.log_chain.log IS 'Identifier of the log record';
COMMENT ON COLUMN catalogue.log_chain.recorded_at IS
    'created_at of the log record; -infinity: all were removed by clear(); NULL: sealed by an earlier version';
COMMENT ON COLUMN catalogue.log_chain.hash IS 'SHA-256 of the hash before it and the contents of the record';

CREATE TABLE IF NOT EXISTS catalogue.log_day (
    day         date         PRIMARY KEY,
    records     bigint       NOT NULL,
    hash        bytea        NOT NULL,
    sealed_at   timestamptz  NOT NULL,
    expired_at  timestamptz
) WITH (fillfactor = 50);
COMMENT ON TABLE catalogue.log_day IS 'The end of each day''s chain of hashes; days without log records have none';
COMMENT ON COLUMN catalogue.log_day.day IS 'Day of UTC';
COMMENT ON COLUMN catalogue.log_day.records IS 'Number of log records sealed on that day';
COMMENT ON COLUMN catalogue.log_day.hash IS 'Hash of its last record; the chain of the next day begins with it';
COMMENT ON COLUMN catalogue.log_day.sealed_at IS 'When records were last sealed';
COMMENT ON COLUMN catalogue.log_day.expired_at IS
    'When the first of its records was removed, as catalogue.log_retention says; NULL: all must be there';
