--
-- organization_limits: rights that are limited to an organization bind what a record is added to, moved out of and
-- into, and what a change takes along; those that are not limited, and those on own records, do not
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

INSERT INTO catalogue.users (username, password, email, role, active, organization, created_by)
SELECT n, 'long enough', n || '@example.org', r::catalogue.role, true, id_of('organizations', o),
       id_of('users', 'admin')
FROM (VALUES ('anna', 'admin', 'Open Data Office'), ('bert', 'admin', 'Transport Department'),
             ('carl', 'guest', 'Open Data Office')) u(n, r, o);
SELECT id_of('organizations', 'Open Data Office') AS office,
       id_of('organizations', 'Transport Department') AS department,
       id_of('statuses', 'Published') AS published \gset

-- The bodies of a dataset, a file and a chart.
CREATE FUNCTION dataset(name text) RETURNS json LANGUAGE sql AS
$$
    SELECT json_build_object('name', $1, 'categories', id_of('categories', 'Transport'),
        'owner', id_of('users', 'admin'), 'status', id_of('statuses', 'Published'))
$$;
CREATE FUNCTION file(name text, dataset text, organization text) RETURNS json LANGUAGE sql AS
$$
    SELECT json_build_object('name', $1, 'dataset', id_of('datasets', $2), 'organization', id_of('organizations', $3),
        'owner', id_of('users', 'admin'), 'type', id_of('filetypes', 'csv'),
        'updateFrequency', id_of('updatefrequencies', 'Daily'), 'status', id_of('statuses', 'Published'))
$$;
CREATE FUNCTION chart(name text, file text) RETURNS json LANGUAGE sql AS
$$
    SELECT json_build_object('name', $1, 'file', id_of('files', $2), 'status', id_of('statuses', 'Published'))
$$;

-- What is of which organization: a dataset and a file of each, a chart on each file, and a file of the department in
-- the dataset of the office, which the superadmin has put there.
SELECT count(*) FROM (SELECT catalogue.create('datasets', dataset('of the office'), actor => actor('anna'))) c;
SELECT count(*) FROM (SELECT catalogue.create('datasets', dataset('of the department'), actor => actor('bert'))) c;
SELECT count(*)
FROM (SELECT catalogue.create('files', file('office.csv', 'of the office', 'Open Data Office'),
          actor => actor('anna'))) c;
SELECT count(*)
FROM (SELECT catalogue.create('files', file('department.csv', 'of the department', 'Transport Department'),
          actor => actor('bert'))) c;
SELECT count(*)
FROM (SELECT catalogue.create('charts', chart('of office.csv', 'office.csv'), actor => actor('anna'))) c;
SELECT count(*)
FROM (SELECT catalogue.create('charts', chart('of department.csv', 'department.csv'), actor => actor('bert'))) c;
SELECT count(*)
FROM (SELECT catalogue.create('files', file('guest.csv', 'of the office', 'Transport Department'), actor => admin())) c;

-- Without limits an administrator changes the records of all.
BEGIN;
SELECT count(*)
FROM (SELECT catalogue.create('files', file('free.csv', 'of the department', 'Open Data Office'),
          actor => actor('anna'))) c;
SELECT count(*)
FROM (SELECT catalogue.act('datasets', id_of('datasets', 'of the office'), 'unpublish', actor => actor('anna'))) c;
SELECT name, status = :'published' AS published FROM catalogue.files WHERE name = 'guest.csv';
ROLLBACK;

-- What each attempt of a limited user is answered; nothing of it stays.
CREATE FUNCTION attempt(actor jsonb, step text, statement text, OUT code text, OUT message text) LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE replace(statement, ':actor', quote_literal(actor));
    RAISE EXCEPTION 'permitted' USING ERRCODE = 'P0001';
EXCEPTION
    WHEN OTHERS THEN
        code := CASE SQLERRM WHEN 'permitted' THEN 'permitted' ELSE SQLSTATE END;
        message := CASE SQLERRM WHEN 'permitted' THEN '' ELSE mask(SQLERRM) END;
END
$$;
CREATE TABLE steps (number int GENERATED ALWAYS AS IDENTITY, step text, statement text);
INSERT INTO steps (step, statement) VALUES
    ('add a file to the own dataset',
     $$SELECT catalogue.create('files', file('new.csv', 'of the office', 'Open Data Office'), actor => :actor)$$),
    ('add a file to the dataset of another',
     $$SELECT catalogue.create('files', file('new.csv', 'of the department', 'Open Data Office'), actor => :actor)$$),
    ('so in a batch',
     $$SELECT catalogue.batch(json_build_object('parts', json_build_array(json_build_object('method', 'POST',
           'path', '/files', 'body', file('new.csv', 'of the department', 'Open Data Office')))), actor => :actor)$$),
    ('so as rows',
     $$SELECT catalogue.create_rows('files', file('new.csv', 'of the department', 'Open Data Office')::text, 'ndjson',
           actor => :actor)$$),
    ('add a chart to the file of another',
     $$SELECT catalogue.create('charts', chart('new', 'department.csv'), actor => :actor)$$),
    ('add a map to the file of another',
     $$SELECT catalogue.create('maps', json_build_object('name', 'new', 'file', id_of('files', 'department.csv'),
           'basemap', id_of('basemaps', 'OpenStreetMap')), actor => :actor)$$),
    ('move a file into the dataset of another',
     $$SELECT catalogue.update('files', id_of('files', 'office.csv'), json_build_object('dataset',
           id_of('datasets', 'of the department')), actor => :actor)$$),
    ('move a chart to the file of another',
     $$SELECT catalogue.update('charts', id_of('charts', 'of office.csv'), json_build_object('file',
           id_of('files', 'department.csv')), actor => :actor)$$),
    ('send a file back whole',
     $$SELECT catalogue.update('files', id_of('files', 'office.csv'), json_build_object('dataset',
           id_of('datasets', 'of the office'), 'notes', 'changed'), actor => :actor)$$),
    ('delete a dataset with the file of another',
     $$SELECT catalogue.delete('datasets', id_of('datasets', 'of the office'), :actor)$$),
    ('unpublish a dataset with the file of another',
     $$SELECT catalogue.act('datasets', id_of('datasets', 'of the office'), 'unpublish', actor => :actor)$$),
    ('so by its status',
     $$SELECT catalogue.update('datasets', id_of('datasets', 'of the office'), json_build_object('status',
           id_of('statuses', 'Unpublished')), actor => :actor)$$),
    ('delete a file of its own',
     $$SELECT catalogue.delete('files', id_of('files', 'office.csv'), :actor)$$),
    ('delete the file of another itself',
     $$SELECT catalogue.delete('files', id_of('files', 'guest.csv'), :actor)$$);

-- By a rule.
UPDATE catalogue.rules SET organization = true WHERE role = 'admin' AND resource = '*' AND deleted_at IS NULL;
SELECT s.step, a.* FROM steps s, attempt(actor('anna'), s.step, s.statement) a ORDER BY s.number;
-- By a key, of a user whom the rules do not limit.
UPDATE catalogue.rules SET organization = false WHERE role = 'admin' AND resource = '*' AND deleted_at IS NULL;
SELECT catalogue.add_consumer('Portal', id => 'portal') AS consumer;
SELECT actor('anna') || jsonb_build_object('consumer', 'portal', 'key', key) AS keyed
FROM catalogue.add_api_key('portal', organization => :'office') \gset
SELECT s.step, a.* FROM steps s, attempt(:'keyed', s.step, s.statement) a ORDER BY s.number;

-- What a restoration, an undoing and a publication bring back.
SELECT count(*)
FROM (SELECT catalogue.act('datasets', id_of('datasets', 'of the office'), 'unpublish', actor => admin())) c;
CREATE TABLE returns (step text, statement text);
INSERT INTO returns VALUES ('publish', $$SELECT catalogue.act('datasets', id_of('datasets', 'of the office'), 'publish',
    actor => :actor)$$);
UPDATE catalogue.rules SET organization = true WHERE role = 'admin' AND resource = '*' AND deleted_at IS NULL;
SELECT s.step, a.* FROM returns s, attempt(actor('anna'), s.step, s.statement) a;
SELECT s.step, a.* FROM returns s, attempt(admin(), s.step, s.statement) a;
SELECT id_of('datasets', 'of the office') AS dataset, id_of('files', 'office.csv') AS file \gset
SELECT count(*) FROM (SELECT catalogue.delete('datasets', :'dataset', admin())) c;
INSERT INTO returns SELECT 'undo', format($$SELECT catalogue.undo(%L, actor => :actor)$$, l.id)
FROM catalogue.logs l WHERE l.action = 'delete' AND l.resource = :'dataset';
INSERT INTO returns VALUES ('restore',
    format($$SELECT catalogue.restore('datasets', %L, actor => :actor)$$, :'dataset'));
SELECT s.step, a.* FROM returns s, attempt(actor('anna'), s.step, s.statement) a WHERE s.step <> 'publish' ORDER BY 1;
SELECT count(*) FROM (SELECT catalogue.restore('datasets', :'dataset', actor => admin())) c;
-- A file that was deleted in the dataset of another is not put back into it.
UPDATE catalogue.files SET dataset = id_of('datasets', 'of the department') WHERE id = :'file';
UPDATE catalogue.files SET deleted_at = now() WHERE id = :'file';
SELECT a.* FROM attempt(actor('anna'), 'restore',
    format($$SELECT catalogue.restore('files', %L, actor => :actor)$$, :'file')) a;
UPDATE catalogue.files SET deleted_at = NULL WHERE id = :'file';
-- Nor taken out of it.
SELECT a.* FROM attempt(actor('anna'), 'move', format($$SELECT catalogue.update('files', %L, '{"dataset": "%s"}',
    actor => :actor)$$, :'file', :'dataset')) a;
UPDATE catalogue.files SET dataset = :'dataset' WHERE id = :'file';

-- A guest adds files and charts of his own to the records of all; a chart of another organization is in the way of the
-- deletion of its file.
UPDATE catalogue.users SET organization = :'department' WHERE username = 'carl';
SELECT count(*)
FROM (SELECT catalogue.create('charts', chart('of a guest', 'office.csv'), actor => actor('carl'))) c;
SELECT a.* FROM attempt(actor('anna'), 'delete', format($$SELECT catalogue.delete('files', %L, :actor)$$, :'file')) a;
SELECT a.* FROM attempt(actor('carl'), 'update', format($$SELECT catalogue.update('charts', %L, '{"file": "%s"}',
    actor => :actor)$$, id_of('charts', 'of a guest'), id_of('files', 'department.csv'))) a;

-- An import that would take the file of another along keeps the dataset, and tells why.
UPDATE catalogue.users SET organization = :'office' WHERE username = 'carl';
SELECT r.data::json -> 'created' AS created
FROM catalogue.import(json_build_object('source', 'https://example.org/data.json', 'document', '{"dataset": [
    {"identifier": "1", "title": "Imported", "theme": ["Transport"]},
    {"identifier": "2", "title": "Stays", "theme": ["Transport"]}]}'::json), actor('anna')) r;
SELECT count(*)
FROM (SELECT catalogue.create('files', file('far.csv', 'Imported', 'Transport Department'), actor => admin())) c;
SELECT e ->> 'outcome' AS outcome, e ->> 'name' AS name, e ->> 'done' AS done, mask(e ->> 'message') AS message
FROM catalogue.import(json_build_object('source', 'https://example.org/data.json', 'gone', 'delete', 'document',
    '{"dataset": [{"identifier": "2", "title": "Stays", "theme": ["Transport"]}]}'::json), actor('anna')) r,
    json_array_elements(r.data::json -> 'entries') e;
SELECT deleted_at IS NULL AS living FROM catalogue.datasets WHERE name = 'Imported';
