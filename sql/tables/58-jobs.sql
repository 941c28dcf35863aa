-- Jobs that catalogue-shim --worker processes.
CREATE TABLE IF NOT EXISTS catalogue.jobs (
    id          catalogue.id         PRIMARY KEY,
    kind        text                 NOT NULL,
    target      text                 NOT NULL,
    resource    text                 NOT NULL,
    file        catalogue.id         REFERENCES catalogue.files ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    dataset     catalogue.id         REFERENCES catalogue.datasets ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    state       catalogue.job_state  NOT NULL DEFAULT 'queued',
    audience    text                 NOT NULL DEFAULT 'internal',
    attempts    integer              NOT NULL DEFAULT 0,
    done        bigint,
    total       bigint,
    reason      varchar(500),
    started_at  timestamptz,
    ended_at    timestamptz,
    created_at  timestamptz          NOT NULL DEFAULT now(),
    updated_at  timestamptz          NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
SELECT catalogue.add_columns('catalogue.jobs',
    'file catalogue.id REFERENCES catalogue.files ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED',
    'dataset catalogue.id REFERENCES catalogue.datasets ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED');
-- jobs from versions without these columns
UPDATE catalogue.jobs
SET audience = 'internal'
WHERE audience = 'outsiders' AND file IS NULL AND dataset IS NULL AND deleted_at IS NULL;
COMMENT ON TABLE catalogue.jobs IS 'Work in the background';
COMMENT ON COLUMN catalogue.jobs.kind IS
    'Kind of the job: scan, parse, reparse, preview, convert, archive, email, fetch or '
    'import';
COMMENT ON COLUMN catalogue.jobs.target IS 'Lower-case singular name of the resource concerned';
COMMENT ON COLUMN catalogue.jobs.resource IS 'Identifier of the record concerned';
COMMENT ON COLUMN catalogue.jobs.file IS
    'File that it is done for, where it is one: whoever does not see it does not see the job';
COMMENT ON COLUMN catalogue.jobs.dataset IS
    'Dataset that it is done for, where it is one: whoever does not see it does not see the job';
COMMENT ON COLUMN catalogue.jobs.state IS 'State of the job';
COMMENT ON COLUMN catalogue.jobs.audience IS 'Audience: outsiders or internal';
COMMENT ON COLUMN catalogue.jobs.attempts IS 'Number of attempts';
COMMENT ON COLUMN catalogue.jobs.done IS 'Bytes processed in the present attempt';
COMMENT ON COLUMN catalogue.jobs.total IS 'Bytes to process';
COMMENT ON COLUMN catalogue.jobs.reason IS 'Why the last attempt failed';
COMMENT ON COLUMN catalogue.jobs.started_at IS 'When the present attempt began';
COMMENT ON COLUMN catalogue.jobs.ended_at IS 'When it succeeded, failed or was cancelled';
SELECT catalogue.expose('jobs', 'Job', read_only => true, logged => false, newest_first => true,
    shown => '{"outsiders": {"audience": "outsiders", "file": {"shown": true}, "dataset": {"shown": true}}}');

CREATE TABLE IF NOT EXISTS catalogue.job_queue (
    job      catalogue.id  PRIMARY KEY,
    kind     text          NOT NULL,
    details  jsonb         NOT NULL DEFAULT '{}',
    due_at   timestamptz   NOT NULL DEFAULT now(),
    worker   text,
    attempts integer       NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
SELECT catalogue.add_columns('catalogue.job_queue', $$priority smallint NOT NULL
    GENERATED ALWAYS AS (CASE WHEN kind IN ('scan', 'parse') THEN 1 WHEN kind = 'archive'
        AND NOT details ? 'state' THEN 3 ELSE 2 END) STORED$$,
    $$crowd text$$, $$turn timestamptz NOT NULL DEFAULT 'infinity'$$);
-- jobs from versions without this column
UPDATE catalogue.job_queue SET turn = due_at WHERE turn = 'infinity';
DROP INDEX IF EXISTS catalogue.job_queue_due, catalogue.job_queue_order;
CREATE INDEX IF NOT EXISTS job_queue_turn ON catalogue.job_queue (turn, job);
CREATE INDEX IF NOT EXISTS job_queue_crowd ON catalogue.job_queue (crowd, priority, turn);
COMMENT ON TABLE catalogue.job_queue IS 'Jobs that are queued or running';
COMMENT ON COLUMN catalogue.job_queue.job IS 'The job';
COMMENT ON COLUMN catalogue.job_queue.kind IS 'As in catalogue.jobs';
COMMENT ON COLUMN catalogue.job_queue.details IS 'Parameters for the worker';
COMMENT ON COLUMN catalogue.job_queue.due_at IS 'When it may be begun; of one that runs, when its lease ends';
COMMENT ON COLUMN catalogue.job_queue.worker IS 'Who has it; NULL: nobody';
COMMENT ON COLUMN catalogue.job_queue.attempts IS 'Number of attempts';
COMMENT ON COLUMN catalogue.job_queue.priority IS
    'Kind of urgency: 1 scans and readings, 2 what somebody waits for, 3 archives that nobody has asked for';
COMMENT ON COLUMN catalogue.job_queue.crowd IS 'Dataset whose jobs take turns with those of others; NULL: none';
COMMENT ON COLUMN catalogue.job_queue.turn IS 'Position in the order of the queue, by catalogue.set_turn()';

CREATE TABLE IF NOT EXISTS catalogue.preview (
    job      catalogue.id  PRIMARY KEY REFERENCES catalogue.jobs ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    result   json          NOT NULL,
    made_at  timestamptz   NOT NULL DEFAULT now()
);
COMMENT ON TABLE catalogue.preview IS 'First rows of files as they are read with options that are not stored';
COMMENT ON COLUMN catalogue.preview.job IS 'The job of kind preview that has read them';
COMMENT ON COLUMN catalogue.preview.result IS 'Object of sheet, columns, rows, issues and details';
COMMENT ON COLUMN catalogue.preview.made_at IS 'When they were read; they are removed ten minutes later';

-- A file is parsed again when its parseOptions change.  That changes the record once more, so the trigger has to be
-- called after trigger "updated", which stores the state before the change: statement triggers are called in the order
-- of their names.
CREATE OR REPLACE TRIGGER updated_parse_options AFTER UPDATE ON catalogue.files
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT
        EXECUTE FUNCTION catalogue.follow_parse_options();
