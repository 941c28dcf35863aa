CREATE TABLE IF NOT EXISTS catalogue.datasets (
    id               catalogue.id PRIMARY KEY,
    name             varchar(150) NOT NULL,
    slug             varchar(150),
    description      varchar(350),
    notes            varchar(500),
    visible          boolean,
    starred          boolean,
    optionals        json,
    published_at     timestamptz,
    un_published_at  timestamptz,
    rejected_at      timestamptz,
    cancelled_at     timestamptz,
    reviewed_at      timestamptz,
    status           catalogue.id NOT NULL CONSTRAINT datasets_by_status REFERENCES catalogue.statuses
    DEFERRABLE INITIALLY DEFERRED,
    owner            catalogue.id NOT NULL CONSTRAINT datasets_by_owner REFERENCES catalogue.users
    DEFERRABLE INITIALLY DEFERRED,
    created_by       catalogue.id NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at       timestamptz  NOT NULL DEFAULT now(),
    updated_at       timestamptz  NOT NULL DEFAULT now(),
    deleted_at       timestamptz
);
COMMENT ON TABLE catalogue.datasets IS 'Set of files about one subject';
COMMENT ON COLUMN catalogue.datasets.name IS 'Name';
COMMENT ON COLUMN catalogue.datasets.slug IS 'Name as part of a URL';
COMMENT ON COLUMN catalogue.datasets.description IS 'Description, in Markdown';
COMMENT ON COLUMN catalogue.datasets.notes IS 'Notes';
COMMENT ON COLUMN catalogue.datasets.visible IS 'Seen by outsiders, when it is published; false hides it';
COMMENT ON COLUMN catalogue.datasets.starred IS 'Featured';
COMMENT ON COLUMN catalogue.datasets.optionals IS
    'Further values of the publisher''s own; translations has texts in other languages, which search finds';
COMMENT ON COLUMN catalogue.datasets.published_at IS 'When it was published';
COMMENT ON COLUMN catalogue.datasets.un_published_at IS 'When it was unpublished';
COMMENT ON COLUMN catalogue.datasets.rejected_at IS 'When it was rejected';
COMMENT ON COLUMN catalogue.datasets.cancelled_at IS 'When its review was cancelled';
COMMENT ON COLUMN catalogue.datasets.reviewed_at IS 'When its review began';
COMMENT ON COLUMN catalogue.datasets.status IS 'State of the record';
COMMENT ON COLUMN catalogue.datasets.owner IS 'Responsible user';
COMMENT ON COLUMN catalogue.datasets.created_by IS 'User who created the record';
SELECT catalogue.expose('datasets', 'Dataset', searchable => '{name,description,slug,optionals}',
    unique_living => '{name,slug}', actions => '{publish,unpublish,reject,cancel,review}',
    at_least_one => '{categories}',
    shown => '{"outsiders": {"status": "published", "visible": {"not": false}}}',
    reserved => '{published_at,un_published_at,rejected_at,cancelled_at,reviewed_at}',
    kept => '{license,place,data_date}',
    conditions => '{"subcategories": "t.parent IS NOT NULL"}',
    counted => '{categories,subcategories,tags,organization,status,starred,license,place,dataDate.year}',
    ordered => '{updated_at,published_at}');
-- one of an earlier version, which an index of expose() has replaced
DROP INDEX IF EXISTS catalogue.datasets_published;
-- identifiers may be of any length
CREATE INDEX IF NOT EXISTS datasets_identifier ON catalogue.datasets USING hash ((optionals ->> 'identifier'));
CREATE INDEX IF NOT EXISTS datasets_whole_identifier ON catalogue.datasets
    USING hash (((optionals ->> 'source') || '#' || (optionals ->> 'identifier')));

-- A dataset needs a category, so a category in use cannot be deleted.  A tag can be deleted at any time.
CREATE TABLE IF NOT EXISTS catalogue.datasets_categories (
    dataset      catalogue.id NOT NULL CONSTRAINT categories REFERENCES catalogue.datasets ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    category     catalogue.id NOT NULL CONSTRAINT datasets REFERENCES catalogue.categories
    DEFERRABLE INITIALLY DEFERRED,
    position     integer      NOT NULL DEFAULT 1,
    deleted_at   timestamptz
);
COMMENT ON TABLE catalogue.datasets_categories IS 'Categories of datasets';
SELECT catalogue.expose_links('catalogue.datasets_categories');

CREATE TABLE IF NOT EXISTS catalogue.datasets_subcategories (
    dataset      catalogue.id NOT NULL CONSTRAINT subcategories REFERENCES catalogue.datasets ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    subcategory  catalogue.id NOT NULL CONSTRAINT datasets_subcategories REFERENCES catalogue.categories
    DEFERRABLE INITIALLY DEFERRED,
    position     integer      NOT NULL DEFAULT 1,
    deleted_at   timestamptz
);
DO
$renamed$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_constraint
               WHERE conrelid = 'catalogue.datasets_subcategories'::regclass AND conname = 'subcategory_datasets') THEN
        ALTER TABLE catalogue.datasets_subcategories RENAME CONSTRAINT subcategory_datasets TO datasets_subcategories;
    END IF;
END
$renamed$;
COMMENT ON TABLE catalogue.datasets_subcategories IS 'Subcategories of datasets';
SELECT catalogue.expose_links('catalogue.datasets_subcategories');

CREATE TABLE IF NOT EXISTS catalogue.datasets_tags (
    dataset      catalogue.id NOT NULL CONSTRAINT tags REFERENCES catalogue.datasets ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    tag          catalogue.id NOT NULL CONSTRAINT datasets REFERENCES catalogue.tags ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    position     integer      NOT NULL DEFAULT 1,
    deleted_at   timestamptz
);
COMMENT ON TABLE catalogue.datasets_tags IS 'Tags of datasets';
SELECT catalogue.expose_links('catalogue.datasets_tags');

-- The last column, as in catalogues of versions without it.  Their datasets get the value, which is no change of a
-- record: nothing is logged, and no date moves.
DO
$added$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_attribute
                   WHERE attrelid = 'catalogue.datasets'::regclass AND attname = 'organization') THEN
        ALTER TABLE catalogue.datasets ADD COLUMN organization catalogue.id, DISABLE TRIGGER USER;
        UPDATE catalogue.datasets d SET organization = u.organization FROM catalogue.users u WHERE u.id = d.created_by;
        -- a table with pending checks of keys is not altered
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
        ALTER TABLE catalogue.datasets ENABLE TRIGGER USER, ADD CONSTRAINT datasets_by_organization
            FOREIGN KEY (organization) REFERENCES catalogue.organizations DEFERRABLE INITIALLY DEFERRED;
        PERFORM catalogue.index_keys('catalogue.datasets');
    END IF;
END
$added$;
COMMENT ON COLUMN catalogue.datasets.organization IS
    'Organization that publishes it, and that rights go by; of a new one that of its creator';

-- What lists are narrowed by, of "optionals": the triggers keep it.  In a catalogue that had no such columns, or whose
-- datasets were written without triggers, they are filled, which is no change of a record.
SELECT catalogue.add_columns('catalogue.datasets', 'license varchar(250)', 'place varchar(250)', 'data_date date');
DO
$columns$
DECLARE
    made  CONSTANT text := (
        SELECT string_agg(format('ALTER COLUMN %I DROP EXPRESSION', a.attname), ', ')
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = 'catalogue.datasets'::regclass AND a.attgenerated = 's'
            AND a.attname IN ('license', 'place', 'data_date'));
BEGIN
    IF made IS NOT NULL THEN
        EXECUTE 'ALTER TABLE catalogue.datasets ' || made;
    END IF;
    IF EXISTS (SELECT FROM catalogue.check_facts()) THEN
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
        ALTER TABLE catalogue.datasets DISABLE TRIGGER USER;
        UPDATE catalogue.datasets d
        SET (license, place, data_date) = (SELECT f.* FROM catalogue.dataset_facts(d.optionals) f)
        WHERE d.id IN (SELECT substr(c.subject, 10) FROM catalogue.check_facts() c);
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
        ALTER TABLE catalogue.datasets ENABLE TRIGGER USER;
        PERFORM catalogue.recount('datasets');
    END IF;
END
$columns$;
COMMENT ON COLUMN catalogue.datasets.license IS 'Licence, of optionals';
COMMENT ON COLUMN catalogue.datasets.place IS 'Place that the data are about, spatial of optionals';
COMMENT ON COLUMN catalogue.datasets.data_date IS
    'Date of the data: modified of optionals, else issued, else the end of temporal';
-- after the columns of facets were made
SELECT catalogue.recount(r.resource)
FROM catalogue.resource r
WHERE r.resource = 'datasets' AND NOT r.counted <@ ARRAY(SELECT f.value FROM catalogue.facet_counter f
                                                         WHERE f.resource = r.resource AND f.facet = '');
