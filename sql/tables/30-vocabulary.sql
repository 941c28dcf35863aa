CREATE TABLE IF NOT EXISTS catalogue.categories (
    id           catalogue.id    PRIMARY KEY,
    name         varchar(150)    NOT NULL,
    slug         varchar(150),
    file_name    varchar(150),
    description  varchar(350),
    color        catalogue.color NOT NULL,
    image        varchar(500),
    active       boolean         NOT NULL DEFAULT false,
    parent       catalogue.id    CONSTRAINT subcategories REFERENCES catalogue.categories DEFERRABLE INITIALLY DEFERRED,
    created_by   catalogue.id    NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at   timestamptz     NOT NULL DEFAULT now(),
    updated_at   timestamptz     NOT NULL DEFAULT now(),
    deleted_at   timestamptz,
    deactivated_at timestamptz
);
COMMENT ON TABLE catalogue.categories IS 'Category of datasets';
COMMENT ON COLUMN catalogue.categories.name IS 'Name';
COMMENT ON COLUMN catalogue.categories.slug IS 'Name as part of a URL';
COMMENT ON COLUMN catalogue.categories.file_name IS 'File name of the image';
COMMENT ON COLUMN catalogue.categories.description IS 'Description, in Markdown';
COMMENT ON COLUMN catalogue.categories.color IS 'Colour, six hexadecimal digits';
COMMENT ON COLUMN catalogue.categories.image IS 'URL of the image';
COMMENT ON COLUMN catalogue.categories.active IS 'To filter by; hides nothing';
COMMENT ON COLUMN catalogue.categories.parent IS 'Category that this subcategory belongs to';
COMMENT ON COLUMN catalogue.categories.created_by IS 'User who created the record';
COMMENT ON COLUMN catalogue.categories.deactivated_at IS
    'When it was hidden from outsiders; shown to internal users as deletedAt';
SELECT catalogue.expose('categories', 'Category', searchable => '{name,description}', unique_living => '{name,slug}',
    actions => '{deactivate}',
    conditions =>
        '{"parent": "t.parent IS NULL AND t.id <> $2 AND NOT EXISTS (SELECT FROM catalogue.categories c WHERE '
        'c.parent = $2 AND c.deleted_at IS NULL)"}');

CREATE TABLE IF NOT EXISTS catalogue.statuses (
    id          catalogue.id PRIMARY KEY,
    name        varchar(150) NOT NULL,
    created_at  timestamptz  NOT NULL DEFAULT now(),
    updated_at  timestamptz  NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
COMMENT ON TABLE catalogue.statuses IS 'State of a dataset, file, chart or map';
COMMENT ON COLUMN catalogue.statuses.name IS 'Name';
SELECT catalogue.expose('statuses', 'Status', searchable => '{name}', unique_living => '{name}');

CREATE TABLE IF NOT EXISTS catalogue.filetypes (
    id          catalogue.id         PRIMARY KEY,
    name        varchar(150)         NOT NULL,
    slug        varchar(150),
    api         boolean,
    mimetype    catalogue.json_array,
    editable    boolean,
    created_by  catalogue.id         NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at  timestamptz          NOT NULL DEFAULT now(),
    updated_at  timestamptz          NOT NULL DEFAULT now(),
    deleted_at  timestamptz,
    deactivated_at timestamptz
);
COMMENT ON TABLE catalogue.filetypes IS 'Type of a file';
COMMENT ON COLUMN catalogue.filetypes.name IS 'Name, the usual extension';
COMMENT ON COLUMN catalogue.filetypes.slug IS 'Name as part of a URL';
COMMENT ON COLUMN catalogue.filetypes.api IS 'Whether its contents can be read through the API';
COMMENT ON COLUMN catalogue.filetypes.mimetype IS 'Media types';
COMMENT ON COLUMN catalogue.filetypes.editable IS 'Whether it can be edited';
COMMENT ON COLUMN catalogue.filetypes.created_by IS 'User who created the record';
COMMENT ON COLUMN catalogue.filetypes.deactivated_at IS
    'When it was hidden from outsiders; shown to internal users as deletedAt';
SELECT catalogue.expose('filetypes', 'FileType', searchable => '{name}', unique_living => '{name,slug}',
    actions => '{deactivate}');

CREATE TABLE IF NOT EXISTS catalogue.updatefrequencies (
    id            catalogue.id           PRIMARY KEY,
    name          varchar(100)           NOT NULL,
    time_pattern  catalogue.time_pattern,
    next_run      timestamptz,
    created_at    timestamptz            NOT NULL DEFAULT now(),
    updated_at    timestamptz            NOT NULL DEFAULT now(),
    deleted_at    timestamptz
);
SELECT catalogue.add_columns('catalogue.updatefrequencies', 'next_run timestamptz');
COMMENT ON TABLE catalogue.updatefrequencies IS 'How often a file is renewed';
COMMENT ON COLUMN catalogue.updatefrequencies.name IS 'Name';
COMMENT ON COLUMN catalogue.updatefrequencies.time_pattern IS
    'Frequency of the scheduled job, a cron pattern of 5, 6 or 7 fields, in UTC';
COMMENT ON COLUMN catalogue.updatefrequencies.next_run IS 'Next time that the pattern names';
SELECT catalogue.expose('updatefrequencies', 'UpdateFrequency', searchable => '{name}', unique_living => '{name}',
    kept => '{next_run}');
-- "rules" is called after it, and validates the row
CREATE OR REPLACE TRIGGER next_run BEFORE INSERT OR UPDATE ON catalogue.updatefrequencies
    FOR EACH ROW EXECUTE FUNCTION catalogue.set_next_run();
-- records from versions without the column
UPDATE catalogue.updatefrequencies
SET next_run = catalogue.next_run(time_pattern, now())
WHERE time_pattern IS NOT NULL AND next_run IS NULL AND deleted_at IS NULL;

CREATE TABLE IF NOT EXISTS catalogue.tags (
    id          catalogue.id PRIMARY KEY,
    name        varchar(100) NOT NULL,
    slug        varchar(150),
    created_by  catalogue.id NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at  timestamptz  NOT NULL DEFAULT now(),
    updated_at  timestamptz  NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
COMMENT ON TABLE catalogue.tags IS 'Free keyword of a dataset or a view';
COMMENT ON COLUMN catalogue.tags.name IS 'Name';
COMMENT ON COLUMN catalogue.tags.slug IS 'Name as part of a URL';
COMMENT ON COLUMN catalogue.tags.created_by IS 'User who created the record';
SELECT catalogue.expose('tags', 'Tag', searchable => '{name}', unique_living => '{name,slug}');
