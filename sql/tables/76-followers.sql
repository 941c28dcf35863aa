-- Who follows a dataset by e-mail.  No resource: addresses have no history, and nobody reads them.
CREATE TABLE IF NOT EXISTS catalogue.follower (
    id            bigint        GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    dataset       catalogue.id  NOT NULL REFERENCES catalogue.datasets ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    email         text          NOT NULL,
    base          text          NOT NULL,
    asked_at      timestamptz   NOT NULL DEFAULT now(),
    confirmed_at  timestamptz,
    told_until    timestamptz,
    sent_at       timestamptz,
    language      text          NOT NULL DEFAULT 'en'
);
ALTER TABLE catalogue.follower ADD COLUMN IF NOT EXISTS language text NOT NULL DEFAULT 'en';
COMMENT ON TABLE catalogue.follower IS 'Who follows a dataset by e-mail, or was asked whether to';
COMMENT ON COLUMN catalogue.follower.email IS 'Address, once for each dataset whatever its case';
COMMENT ON COLUMN catalogue.follower.base IS 'Address of the service, for links in messages';
COMMENT ON COLUMN catalogue.follower.language IS 'Language of the messages, that of the page which has asked';
COMMENT ON COLUMN catalogue.follower.asked_at IS 'Time of the last message that asks for a confirmation';
COMMENT ON COLUMN catalogue.follower.confirmed_at IS 'Time of the confirmation; NULL: there was none';
COMMENT ON COLUMN catalogue.follower.told_until IS 'Time of the last change that was told';
COMMENT ON COLUMN catalogue.follower.sent_at IS 'Time of the last message about changes, or of the confirmation';
CREATE UNIQUE INDEX IF NOT EXISTS follower_dataset_email ON catalogue.follower (dataset, lower(email));
CREATE INDEX IF NOT EXISTS follower_email ON catalogue.follower (lower(email));
CREATE TABLE IF NOT EXISTS catalogue.follower_token (
    hash      bytea        PRIMARY KEY,
    follower  bigint       NOT NULL REFERENCES catalogue.follower ON DELETE CASCADE,
    made_at   timestamptz  NOT NULL DEFAULT now()
);
COMMENT ON TABLE catalogue.follower_token IS 'Tokens of links in messages to followers';
COMMENT ON COLUMN catalogue.follower_token.hash IS 'SHA-256 of the token';
COMMENT ON COLUMN catalogue.follower_token.follower IS 'Whose messages have it';
COMMENT ON COLUMN catalogue.follower_token.made_at IS 'Time of the message; it is valid for a year';
CREATE INDEX IF NOT EXISTS follower_token_follower ON catalogue.follower_token (follower);
