-- Slugs and file names that records gave up by renaming, whose addresses lead on to them.
CREATE TABLE IF NOT EXISTS catalogue.former_name (
    resource     text          NOT NULL,
    column_name  text          NOT NULL,
    name         text          NOT NULL,
    id           catalogue.id  NOT NULL,
    given_up_at  timestamptz   NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (resource, column_name, name, id)
);
COMMENT ON TABLE catalogue.former_name IS 'Slugs and file names that records gave up by renaming';
COMMENT ON COLUMN catalogue.former_name.resource IS 'Path word of the resource of the record';
COMMENT ON COLUMN catalogue.former_name.column_name IS 'Column that it was in: slug or file_name';
COMMENT ON COLUMN catalogue.former_name.name IS 'Former name; of file_name in lower case';
COMMENT ON COLUMN catalogue.former_name.id IS 'Identifier of the record';
COMMENT ON COLUMN catalogue.former_name.given_up_at IS 'When the record got another one';
CREATE INDEX IF NOT EXISTS former_name_of ON catalogue.former_name (resource, id);
