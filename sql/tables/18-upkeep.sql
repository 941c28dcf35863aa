-- Scheduled jobs, which catalogue.dispatch() runs.
CREATE TABLE IF NOT EXISTS catalogue.upkeep (
    job        text         PRIMARY KEY,
    pattern    text         NOT NULL,
    statement  text         NOT NULL,
    within     interval     NOT NULL,
    since      timestamptz  NOT NULL DEFAULT now(),
    ran_at     timestamptz,
    processed  bigint
) WITH (fillfactor = 50);
SELECT catalogue.add_columns('catalogue.upkeep', 'tried_at timestamptz', 'fault text', 'runner text');
COMMENT ON TABLE catalogue.upkeep IS 'Scheduled jobs of the catalogue, and when each ran last';
COMMENT ON COLUMN catalogue.upkeep.job IS 'Name of the job';
COMMENT ON COLUMN catalogue.upkeep.pattern IS 'When it runs, as a pattern of cron; times are in UTC';
COMMENT ON COLUMN catalogue.upkeep.statement IS 'What it runs';
COMMENT ON COLUMN catalogue.upkeep.within IS 'Longest time between two runs before catalogue.check() reports it';
COMMENT ON COLUMN catalogue.upkeep.since IS 'Start of the time to the first run';
COMMENT ON COLUMN catalogue.upkeep.ran_at IS 'When it ran last, whoever called it; NULL: never';
COMMENT ON COLUMN catalogue.upkeep.processed IS 'What the last run returned';
COMMENT ON COLUMN catalogue.upkeep.tried_at IS 'When catalogue.dispatch() ran it last, with success or not';
COMMENT ON COLUMN catalogue.upkeep.fault IS 'Why the last run failed; NULL: it did not';
COMMENT ON COLUMN catalogue.upkeep.runner IS 'Worker that dispatched last; NULL: pg_cron, or whoever called it';
INSERT INTO catalogue.upkeep (job, pattern, statement, within) VALUES
    ('dispatch', '* * * * *', 'SELECT catalogue.dispatch()', '10 min'),
    ('prune', '*/10 * * * *', 'SELECT catalogue.prune()', '1 hour'),
    ('sweep', '* * * * *', 'SELECT catalogue.sweep()', '1 hour'),
    ('seal log', '* * * * *', 'SELECT catalogue.seal_log()', '1 hour'),
    ('verify log', '30 3 * * *', 'SELECT catalogue.verify_log_by_schedule()', '2 days'),
    ('roll up', '0 0 1 * *', 'SELECT catalogue.roll_up_statistics()', '32 days')
    ON CONFLICT (job) DO NOTHING;
