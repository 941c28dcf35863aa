-- Pages: texts of the catalogue itself, such as its legal notice, which the foot of each page leads to.
CREATE TABLE IF NOT EXISTS catalogue.pages (
    id          catalogue.id     PRIMARY KEY,
    name        varchar(150)     NOT NULL,
    slug        varchar(150),
    text        varchar(100000)  NOT NULL,
    position    integer,
    visible     boolean          NOT NULL DEFAULT true,
    optionals   json,
    created_at  timestamptz      NOT NULL DEFAULT now(),
    updated_at  timestamptz      NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
COMMENT ON TABLE catalogue.pages IS 'Text of the catalogue itself, such as its legal notice';
COMMENT ON COLUMN catalogue.pages.name IS 'Heading, and text of the link';
COMMENT ON COLUMN catalogue.pages.slug IS 'Name as part of a URL';
COMMENT ON COLUMN catalogue.pages.text IS 'What it says, in Markdown';
COMMENT ON COLUMN catalogue.pages.position IS 'Place of the link at the foot of each page; null: no link';
COMMENT ON COLUMN catalogue.pages.visible IS 'Seen by outsiders';
COMMENT ON COLUMN catalogue.pages.optionals IS
    'Further values; translations has name and text in other languages';
SELECT catalogue.expose('pages', 'Page', unique_living => '{name,slug}', shown => '{"outsiders": {"visible": true}}',
    guarded => true);
