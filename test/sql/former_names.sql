--
-- former_names: slugs and file names that were given up by renaming lead on to their record, and others do not get them
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The record that a name leads to, for a trusted user unless an actor is given.
CREATE FUNCTION leads(resource text, name text, actor jsonb DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    code     text;
    message  text;
    detail   text;
BEGIN
    PERFORM catalogue.moved(resource, name, actor);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    IF code = 'OD308' THEN
        EXECUTE format('SELECT name FROM catalogue.%I WHERE id = $1', resource) INTO message
            USING detail::json ->> 'id';
    END IF;
    RETURN code || ' ' || message;
END
$$;

-- Each resource with slugs: renamed by SQL, by a call, in a batch.
SELECT make('tags', '{"name": "By SQL"}') AS by_sql, make('organizations', '{"name": "By call"}') AS by_call,
       make('categories', '{"name": "In batch", "color": "ffffff"}') AS in_batch \gset
UPDATE catalogue.tags SET name = 'Renamed by SQL' WHERE id = :'by_sql';
SELECT id = :'by_call' AS renamed
FROM catalogue.update('organizations', :'by_call', '{"name": "Renamed"}', actor => admin());
SELECT json_array_length(data::json) AS renamed
FROM catalogue.batch(json_build_object('parts', json_build_array(json_build_object('method', 'PATCH', 'path',
    '/categories/' || :'in_batch', 'body', json_build_object('name', 'Renamed too')))), actor => admin());
SELECT code, message, detail FROM refusal($$SELECT catalogue.moved('Tags', 'by-sql')$$);
SELECT resource, column_name, name, id IN (:'by_sql', :'by_call', :'in_batch') AS of_it
FROM catalogue.former_name ORDER BY resource, name;
-- A change of another field gives nothing up, nor a name that makes the same slug.
UPDATE catalogue.tags SET name = 'Renamed, by SQL' WHERE id = :'by_sql';
SELECT count(*) FROM catalogue.former_name WHERE id = :'by_sql';

-- A new record of the name gets a number; the former address leads on, until a living record has the name.
INSERT INTO catalogue.tags (name, created_by) VALUES ('By SQL', id_of('users', 'admin')) RETURNING slug;
SELECT leads('tags', 'by-sql');
-- the record itself takes it back
UPDATE catalogue.tags SET name = 'By  SQL' WHERE id = :'by_sql' RETURNING slug;
SELECT leads('tags', 'by-sql') AS borne, leads('tags', 'renamed-by-sql') AS other;
UPDATE catalogue.tags SET name = 'Renamed by SQL' WHERE id = :'by_sql' RETURNING slug;
-- after the time of the setting it is free
SET catalogue.name_retention = 0;
INSERT INTO catalogue.tags (name, created_by) VALUES ('by sql!', id_of('users', 'admin')) RETURNING slug;
SELECT leads('tags', 'by-sql');
UPDATE catalogue.tags SET deleted_at = now() WHERE slug = 'by-sql';
SELECT leads('tags', 'by-sql');
RESET catalogue.name_retention;
SET ROLE catalogue_owner;
SET catalogue.name_retention = 0;
RESET ROLE;
SHOW catalogue.name_retention;

-- The slug and the former slugs of a deleted record are free at once; restored, it has a number where they were taken.
SELECT make('tags', '{"name": "Gone"}') AS gone \gset
UPDATE catalogue.tags SET name = 'Going' WHERE id = :'gone';
DELETE FROM catalogue.tags WHERE id = :'gone';
SELECT leads('tags', 'gone');
INSERT INTO catalogue.tags (name, created_by) VALUES ('Gone', id_of('users', 'admin')),
    ('Going!', id_of('users', 'admin')) RETURNING slug;
UPDATE catalogue.tags SET name = 'Went' WHERE name = 'Going!';
SELECT id = :'gone' AS restored FROM catalogue.restore('tags', :'gone', actor => admin());
SELECT name, slug FROM catalogue.tags WHERE id = :'gone';

-- Renamed back and forth it has two rows, under ever new names no more than twenty.
DO $$
BEGIN
    FOR n IN 1 .. 60 LOOP
        UPDATE catalogue.tags SET name = CASE n % 2 WHEN 0 THEN 'Fro' ELSE 'To' END WHERE name IN ('To', 'Fro', 'Went');
    END LOOP;
END
$$;
SELECT name FROM catalogue.former_name WHERE id = id_of('tags', 'Fro') ORDER BY name;
DO $$
BEGIN
    FOR n IN 1 .. 60 LOOP
        UPDATE catalogue.tags SET name = 'Name ' || n WHERE name = 'Fro' OR name LIKE 'Name %';
    END LOOP;
END
$$;
SELECT count(*), min(substring(name FROM '\d+')::int), max(substring(name FROM '\d+')::int)
FROM catalogue.former_name WHERE id = id_of('tags', 'Name 60');

-- What an outsider does not see is told to him by none of its names.
SELECT id_of('datasets', 'Airports') AS airports \gset
UPDATE catalogue.datasets SET name = 'Aerodromes' WHERE id = :'airports';
SELECT leads('datasets', 'airports', '{}') AS outsider;
SELECT id = :'airports' AS hidden FROM catalogue.act('datasets', :'airports', 'unpublish', actor => admin());
SELECT leads('datasets', 'airports', '{}') AS outsider, leads('datasets', 'nothing', '{}') AS nothing,
       leads('datasets', 'airports', admin()) AS "user";
-- nor does a hidden record of that name let an outsider pass
SELECT id = :'airports' AS published FROM catalogue.act('datasets', :'airports', 'publish', actor => admin());
SET catalogue.name_retention = 0;
SELECT make('datasets', json_build_object('name', 'Airports', 'owner', id_of('users', 'admin'),
    'categories', ARRAY[id_of('categories', 'Transport')])) IS NOT NULL AS hidden;
SELECT leads('datasets', 'airports', '{}') AS outsider, leads('datasets', 'airports', admin()) AS "user";
RESET catalogue.name_retention;

-- Files: the slug, which several may have, and the stored name, of any letter case.
SELECT make_file('Rows', 'Aerodromes') AS file \gset
UPDATE catalogue.files SET file_name = 'rows.csv' WHERE id = :'file';
UPDATE catalogue.files SET name = 'Lines', file_name = 'Lines.csv' WHERE id = :'file';
UPDATE catalogue.files SET file_name = 'lines.CSV' WHERE id = :'file';
SELECT column_name, name FROM catalogue.former_name WHERE id = :'file' ORDER BY 1, 2;
SELECT leads('files', 'rows') AS slug, leads('files', 'ROWS.csv') AS file_name, leads('files', 'lines.csv') AS present;
SELECT make_file('Rows', 'Aerodromes') AS other \gset
SELECT slug FROM catalogue.files WHERE id = :'other';
SELECT catalogue.free_file_name('Rows', 'csv', id_of('datasets', 'Aerodromes'), 'another') AS another,
       catalogue.free_file_name('Rows', 'csv', id_of('datasets', 'Public budget'), 'another') AS elsewhere,
       catalogue.free_file_name('Rows', 'csv', id_of('datasets', 'Aerodromes'), :'file') AS its_own;
-- a category's file name is no address
UPDATE catalogue.categories SET file_name = 'a.svg' WHERE id = :'in_batch';
UPDATE catalogue.categories SET file_name = 'b.svg' WHERE id = :'in_batch';
SELECT leads('categories', 'a.svg');

-- Renamed by an import: its source has given the entry another title.
CREATE FUNCTION import(title text) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT e ->> 'outcome' FROM catalogue.import_dcat(json_build_object('dataset', json_build_array(json_build_object(
        'identifier', '1', 'title', title, 'theme', 'w', 'publisher', 'Office'))), 'one', '{"partial": true}',
        admin()) r,
        json_array_elements(r -> 'entries') e
$$;
SELECT import('Rivers');
SELECT import('Streams');
SELECT leads('datasets', 'rivers');

-- Resources without slugs, or that are none; no name.
SELECT leads('statuses', 'draft'), leads('nothing', 'draft'), leads('tags', '');
SELECT code, message FROM refusal($$SELECT catalogue.moved('users', 'x', '{}')$$);

-- Cleared, a resource has no former names.
SELECT catalogue.clear('tags') > 0 AS cleared;
SELECT count(*) FROM catalogue.former_name WHERE resource = 'tags';
SELECT catalogue.check_all();
