-- Records that were unpublished with their dataset or file, which are published again with it.
CREATE TABLE IF NOT EXISTS catalogue.taken_along (
    resource  text          NOT NULL,
    id        catalogue.id  NOT NULL,
    status    catalogue.id  NOT NULL,
    PRIMARY KEY (resource, id)
);
COMMENT ON TABLE catalogue.taken_along IS
    'Records that were unpublished with their dataset or file, and have not changed their state since';
COMMENT ON COLUMN catalogue.taken_along.resource IS 'Path word of the resource of the record';
COMMENT ON COLUMN catalogue.taken_along.id IS 'Identifier of the record';
COMMENT ON COLUMN catalogue.taken_along.status IS
    'Status that it had, and has again when what it belongs to is published';
