-- Webhooks: addresses that are told of change events.
CREATE TABLE IF NOT EXISTS catalogue.webhooks (
    id              catalogue.id               PRIMARY KEY,
    url             catalogue.service_address  NOT NULL,
    secret          catalogue.secret           NOT NULL,
    description     varchar(350),
    resources       catalogue.json_array,
    active          boolean                    NOT NULL DEFAULT true,
    failing_since   timestamptz,
    failure_reason  varchar(500),
    created_by      catalogue.id               NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at      timestamptz                NOT NULL DEFAULT now(),
    updated_at      timestamptz                NOT NULL DEFAULT now(),
    deleted_at      timestamptz
);
COMMENT ON TABLE catalogue.webhooks IS 'Address that is told of change events';
COMMENT ON COLUMN catalogue.webhooks.url IS 'Address that messages are posted to, http: or https:';
COMMENT ON COLUMN catalogue.webhooks.secret IS
    'Key that signs the messages, 24 to 100 characters, in base64 with padding behind whsec_; write-only';
COMMENT ON COLUMN catalogue.webhooks.description IS 'What it is for';
COMMENT ON COLUMN catalogue.webhooks.resources IS
    'Path words of the resources whose events are sent; empty or null for all';
COMMENT ON COLUMN catalogue.webhooks.active IS
    'Messages are sent; events that happen meanwhile are sent later. Three days of failures set it to false';
COMMENT ON COLUMN catalogue.webhooks.failing_since IS 'When the first attempt failed since the last success';
COMMENT ON COLUMN catalogue.webhooks.failure_reason IS 'Why the last attempt failed';
COMMENT ON COLUMN catalogue.webhooks.created_by IS
    'User who created the record; the webhook gets the events that this user sees';
SELECT catalogue.expose('webhooks', 'Webhook', shown => '{"outsiders": false}', guarded => true, fixed => '{url}',
    kept => '{failing_since,failure_reason}');

CREATE TABLE IF NOT EXISTS catalogue.webhook_state (
    webhook   catalogue.id  PRIMARY KEY REFERENCES catalogue.webhooks ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    place     text          NOT NULL,
    serial    bigint        NOT NULL DEFAULT 0,
    message   text,
    behind    text,
    attempts  integer       NOT NULL DEFAULT 0,
    due_at    timestamptz   NOT NULL DEFAULT now(),
    worker    text,
    accepted  text,
    attempted json          NOT NULL DEFAULT '[]'
) WITH (fillfactor = 50);
SELECT catalogue.add_columns('catalogue.webhook_state', 'accepted text', 'attempted json NOT NULL DEFAULT ''[]''');
COMMENT ON TABLE catalogue.webhook_state IS 'How far each webhook has been told of change events';
COMMENT ON COLUMN catalogue.webhook_state.webhook IS 'The webhook';
COMMENT ON COLUMN catalogue.webhook_state.place IS
    'Place behind the events that it has, as catalogue.events() returns it';
COMMENT ON COLUMN catalogue.webhook_state.serial IS 'Number of the last message';
COMMENT ON COLUMN catalogue.webhook_state.message IS
    'Message that is sent until it is accepted, the same in each attempt; NULL: none';
COMMENT ON COLUMN catalogue.webhook_state.behind IS 'Place behind the events of this message';
COMMENT ON COLUMN catalogue.webhook_state.attempts IS 'Attempts to send this message that have failed';
COMMENT ON COLUMN catalogue.webhook_state.due_at IS
    'When the next attempt may begin; while one runs, when it is given up';
COMMENT ON COLUMN catalogue.webhook_state.worker IS 'Worker that sends the message; NULL: none';
COMMENT ON COLUMN catalogue.webhook_state.accepted IS 'The last message that was accepted; NULL: none was';
COMMENT ON COLUMN catalogue.webhook_state.attempted IS 'The last attempts to send a message, newest first';

-- Behind "inserted" and "updated" in the order of names, which store the change first.
CREATE OR REPLACE TRIGGER check_webhook BEFORE INSERT OR UPDATE ON catalogue.webhooks
    FOR EACH ROW EXECUTE FUNCTION catalogue.check_webhook();
CREATE OR REPLACE TRIGGER inserted_webhook AFTER INSERT ON catalogue.webhooks
    FOR EACH ROW EXECUTE FUNCTION catalogue.follow_webhook();
CREATE OR REPLACE TRIGGER updated_webhook AFTER UPDATE ON catalogue.webhooks
    FOR EACH ROW EXECUTE FUNCTION catalogue.follow_webhook();
