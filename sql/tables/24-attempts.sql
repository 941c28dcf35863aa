-- Recent failed logins.  The table is unlogged: after a crash it is empty.
CREATE UNLOGGED TABLE IF NOT EXISTS catalogue.attempt (
    key       text         PRIMARY KEY,
    began     timestamptz  NOT NULL,
    failures  integer      NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE catalogue.attempt IS
    'Failed logins by user name and by address, and records made without a user by '
    'address, within catalogue.login_window';
COMMENT ON COLUMN catalogue.attempt.key IS 'Hash of the name or address';
COMMENT ON COLUMN catalogue.attempt.began IS 'Time of the first failure';
COMMENT ON COLUMN catalogue.attempt.failures IS 'Number of failures since then';
