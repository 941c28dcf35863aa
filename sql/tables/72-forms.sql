-- Forms: which optional values of the records of a resource the page asks for, and how.
CREATE TABLE IF NOT EXISTS catalogue.forms (
    id          catalogue.id  PRIMARY KEY,
    resource    varchar(63)   NOT NULL,
    schema      json          NOT NULL,
    created_at  timestamptz   NOT NULL DEFAULT now(),
    updated_at  timestamptz   NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
COMMENT ON TABLE catalogue.forms IS 'Form for the optional values of a resource';
COMMENT ON COLUMN catalogue.forms.resource IS
    'Path word of the resource, which has optionals; of several forms the newest counts';
COMMENT ON COLUMN catalogue.forms.schema IS
    'JSON Schema of optionals, with a property for each value that the page asks for';
SELECT catalogue.expose('forms', 'Form', shown => '{"outsiders": false}', guarded => true);
CREATE OR REPLACE TRIGGER check_form BEFORE INSERT OR UPDATE ON catalogue.forms
    FOR EACH ROW EXECUTE FUNCTION catalogue.check_form();
-- a form that was deleted is not made again
INSERT INTO catalogue.forms (resource, schema)
SELECT d.resource, d.schema FROM catalogue.default_forms() d
WHERE NOT EXISTS (SELECT FROM catalogue.forms f WHERE f.resource = d.resource);
-- a table with pending checks of keys is not altered
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
