--
-- import: datasets and files of the entries of other catalogues, again and again
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The report of an import: the numbers, and a line for each entry.
CREATE FUNCTION import(document text, options text DEFAULT '{}', actor jsonb DEFAULT admin()) RETURNS SETOF text
    LANGUAGE sql AS
$$
    WITH report(r) AS MATERIALIZED (SELECT catalogue.import_dcat(document::json, 'test', options::json, actor))
    SELECT format('created %s, updated %s, unchanged %s, refused %s, gone %s', r -> 'created', r -> 'updated',
        r -> 'unchanged', r -> 'refused', r -> 'gone')
    FROM report
    UNION ALL
    SELECT mask(e::text) FROM report, json_array_elements(r -> 'entries') e
$$;
CREATE VIEW done AS
    SELECT (SELECT count(*) FROM catalogue.datasets WHERE deleted_at IS NULL) AS datasets,
        (SELECT count(*) FROM catalogue.files WHERE deleted_at IS NULL) AS files,
        (SELECT count(*) FROM catalogue.tags WHERE deleted_at IS NULL) AS tags,
        (SELECT count(*) FROM catalogue.categories WHERE deleted_at IS NULL) AS categories,
        (SELECT count(*) FROM catalogue.organizations WHERE deleted_at IS NULL) AS organizations,
        (SELECT count(*) FROM catalogue.logs) AS logs;
CREATE TABLE before AS SELECT * FROM done;
CREATE VIEW made AS
    SELECT d.datasets - b.datasets AS datasets, d.files - b.files AS files, d.tags - b.tags AS tags,
        d.categories - b.categories AS categories, d.organizations - b.organizations AS organizations,
        d.logs - b.logs AS logs
    FROM done d, before b;

-- DCAT-US: a dataset with two distributions, names of all kinds
SELECT $$"themeTaxonomy": [{"id": "w", "label": "Weather"}]$$ AS taxonomy,
    $${"identifier": "w-1", "title": "Wind speeds", "description": "Hourly means", "keyword": ["wind", "Water"],
    "theme": ["Transport", "w"], "publisher": {"name": "Weather Service"}, "accrualPeriodicity": "R/P1M",
    "license": "CC0", "modified": "2026-01-01", "distribution": [
        {"title": "As CSV", "downloadURL": "https://weather.example/wind.csv", "mediaType": "text/csv"},
        {"accessURL": "https://weather.example/api/wind.geojson", "format": "GeoJSON"}]}$$ AS wind,
    $${"identifier": "r-1", "title": "Rain", "theme": ["w"], "publisher": {"name": "Weather Service"}}$$ AS rain
\gset
\set both '{"title": "Weather", ' :taxonomy ', "dataset": [' :wind ', ' :rain ']}'
-- a dry run tells the same, and changes nothing
SELECT * FROM import(:'both', '{"dryRun": true}');
SELECT * FROM made;
SELECT count(*) FROM catalogue.imported;
SELECT * FROM import(:'both');
SELECT * FROM made;
-- again: nothing changes
SELECT * FROM import(:'both');
SELECT * FROM made;
SELECT d.name, d.description, mask(d.optionals::text) AS optionals,
    (SELECT string_agg(c.name, ', ' ORDER BY c.name)
     FROM catalogue.categories c
     WHERE c.id = ANY (d.categories_ids)) AS categories,
    (SELECT string_agg(t.name, ', ' ORDER BY t.name) FROM catalogue.tags t WHERE t.id = ANY (d.tags_ids)) AS tags
FROM catalogue.datasets d JOIN catalogue.imported i ON i.record = d.id ORDER BY i.id;
SELECT f.name, f.url, t.name AS type, o.name AS organization, u.name AS frequency, f.optionals
FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset JOIN catalogue.filetypes t ON t.id = f.type
    JOIN catalogue.organizations o ON o.id = f.organization
    JOIN catalogue.updatefrequencies u ON u.id = f.update_frequency
ORDER BY f.name;

-- Entries at fault are told one by one; the others are imported.
SELECT * FROM import('{"dataset": [{"identifier": "1", "title": "No theme"}, "a-name", 7,
    {"title": "No identifier", "theme": ["w"]}, {"identifier": "w-1", "title": "Twice", "theme": ["w"]},
    {"identifier": "w-1", "title": "Three times", "theme": ["w"]},
    {"identifier": "2", "title": "No publisher", "theme": ["w"],
     "distribution": [{"accessURL": "https://a.example/x"}]},
    {"identifier": "3", "title": "Bad address", "theme": ["w"], "publisher": {"name": "P"},
     "distribution": [{"downloadURL": "https://a.example/x.csv"},
                      {"downloadURL": "javascript:alert(1)", "format": "csv"}]},
    {"identifier": "4", "title": "No address", "theme": ["w"], "publisher": {"name": "P"},
     "distribution": [{"title": "x"}]},
    {"identifier": "5", "title": "Nul \u0000", "theme": ["w"]}, {"identifier": "6", "title": "a", "title": "b"},
    {"identifier": "7", "title": "Transport", "theme": ["new theme"], "keyword": ["a tag"],
     "x": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]},
    {"identifier": "8", "title": 5, "theme": ["w"]}, {"identifier": "9", "title": "Good one", "theme": ["w"]}]}');
SELECT * FROM import((SELECT json_build_object('dataset', json_build_array(
    json_build_object('identifier', 'long-1', 'title', repeat('é', 151), 'theme', ARRAY['w']),
    json_build_object('identifier', 'long-2', 'title', 'Long tag', 'theme', ARRAY['w'],
        'keyword', ARRAY['b tag', repeat('x', 101)]),
    json_build_object('identifier', 'long-3', 'title', 'Long text', 'theme', ARRAY['w'],
        'description', repeat('é', 351)),
    json_build_object('identifier', 'long-4', 'title', 'Rain', 'theme', ARRAY['w'])))::text));
-- what an entry at fault would have made is not there
SELECT name FROM catalogue.tags WHERE name IN ('a tag', 'b tag');
SELECT char_length(description), right(description, 2), char_length(optionals ->> 'description')
FROM catalogue.datasets WHERE name = 'Long text';

-- Changes: of the text, of distributions; the entries that are gone are kept
SELECT $${"identifier": "w-1", "title": "Wind speeds and directions", "theme": ["w"],
    "publisher": {"name": "Weather Service"}, "distribution": [
        {"title": "As CSV", "downloadURL": "https://weather.example/wind.csv", "format": "csv"},
        {"title": "New", "downloadURL": "https://weather.example/wind.json"}]}$$ AS wind2
\gset
\set changed '{' :taxonomy ', "dataset": [' :wind2 ']}'
SELECT * FROM import(:'changed');
SELECT * FROM import(:'changed');
SELECT f.name FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset AND i.id = 'w-1'
WHERE f.deleted_at IS NULL ORDER BY f.name;
-- or unpublished, or deleted, if the import is told so; not where an entry cannot be identified, or there is none
SELECT count(*) FROM import('{"dataset": [{"title": "x"}]}', '{"gone": "delete"}') l WHERE l LIKE '%"done":"kept"%';
SELECT count(*) FROM import('{"dataset": []}', '{"gone": "delete"}') l WHERE l LIKE '%"done":"kept"%';
UPDATE catalogue.datasets SET status = (SELECT id FROM catalogue.statuses WHERE name = 'Published') WHERE name = 'Rain';
SELECT l FROM import(:'changed', '{"gone": "unpublish", "acceptLoss": true}') l WHERE l LIKE '%Rain%';
SELECT s.name FROM catalogue.datasets d JOIN catalogue.statuses s ON s.id = d.status WHERE d.name = 'Rain';
SELECT l FROM import(:'changed', '{"gone": "delete", "acceptLoss": true}') l WHERE l NOT LIKE '%Wind%';
-- what the source names again comes back
SELECT * FROM import(:'both');
SELECT f.name, f.deleted_at IS NULL AS living
FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset AND i.id = 'w-1' ORDER BY f.name;

-- JSON-LD: objects of a graph by their ids, prefixes, languages, references in a circle
SELECT * FROM import('{"@context": {}, "@graph": [
    {"@id": "http://d/1", "@type": ["dcat:Dataset"], "dct:title": [{"@value": "Graph one", "@language": "en"}, "Otra"],
     "dct:description": {"en": "Text", "es": "Texto"}, "dcat:theme": {"@id": "http://t/1"},
     "dct:publisher": {"@id": "http://p/1"},
     "dcat:distribution": [{"@id": "http://x/1"}],
     "dct:accrualPeriodicity": {"@id": "http://publications.europa.eu/resource/authority/frequency/ANNUAL"}},
    {"@id": "http://t/1", "@type": "skos:Concept", "skos:prefLabel": "Graphs"},
    {"@id": "http://p/1", "@type": "foaf:Agent", "foaf:name": "Graph Office", "partOf": {"@id": "http://p/1"}},
    {"@id": "http://x/1", "@type": "dcat:Distribution", "dcat:accessURL": {"@id": "http://d.example/1.csv"},
     "dct:format": {"@id": "http://publications.europa.eu/resource/authority/file-type/CSV"},
     "dcat:of": {"@id": "http://d/1"}},
    {"@id": "http://d/2", "@type": "http://www.w3.org/ns/dcat#Dataset", "title": "In a circle",
     "theme": {"@id": "http://d/2"},
     "publisher": {"@id": "http://d/2"}, "distribution": {"@id": "http://d/2"}},
    {"@id": "http://c", "@type": "dcat:Catalog", "dcat:dataset": [{"@id": "http://d/1"},
     {"@id": "http://d/3", "title": "Embedded", "theme": "w"}]}]}') l WHERE l NOT LIKE '%gone"%' OR l LIKE '%refused%';
SELECT d.name, d.description, f.url, t.name AS type, o.name AS organization, u.name AS frequency
FROM catalogue.datasets d LEFT JOIN catalogue.files f ON f.dataset = d.id
    LEFT JOIN catalogue.filetypes t ON t.id = f.type
    LEFT JOIN catalogue.organizations o ON o.id = f.organization
    LEFT JOIN catalogue.updatefrequencies u ON u.id = f.update_frequency
WHERE d.name IN ('Graph one', 'Embedded', 'In a circle') ORDER BY d.name;

-- CKAN: a package, a search, a list with resources; a list of names alone says nothing
SELECT $${"id": "c-1", "name": "buses", "title": "Buses", "notes": "Lines",
    "organization": {"title": "Bus Office", "name": "bus-office"},
    "groups": [{"name": "transport", "display_name": "Transport"}], "tags": [{"name": "bus", "display_name": "bus"}],
    "resources": [{"id": "res-1", "name": "Lines", "url": "https://ckan.example/lines.csv", "format": "CSV"}]}$$
    AS package
\gset
\set show '{"success": true, "result": ' :package '}'
\set search '{"success": true, "result": {"count": 1, "results": [' :package ']}}'
\set listed '{"success": true, "result": [' :package ']}'
SELECT l FROM import(:'show') l WHERE l LIKE '%Buses%';
SELECT l FROM import(:'search') l WHERE l LIKE '%Buses%';
SELECT l FROM import(:'listed') l WHERE l LIKE '%Buses%';
-- other answers, such as a tree of organizations, are no catalogues
SELECT r.* FROM (VALUES ('{"success": true, "result": ["buses"]}'),
    ('{"success": true, "result": [{"id": "1", "name": "a", "title": "A", "highlighted": false, "children": []}]}'),
    ('[{"id": "1", "name": "a", "title": "A", "highlighted": false, "children": [{"id": "2", "title": "B"}]}]'),
    ('{"result": {"id": "1", "name": "a", "title": "A", "is_organization": true, "packages": []}}'),
    ('["a", 1]')) d(document), refusal(format('SELECT catalogue.import(%L, admin())',
        json_build_object('source', 'x', 'document', d.document::json))) r;

-- Calls that are refused
SELECT * FROM faults($$SELECT catalogue.import('{}', admin())$$);
SELECT * FROM faults($$SELECT catalogue.import('{"document": {"dataset": []}}', admin())$$);
SELECT * FROM faults($$SELECT catalogue.import('{"document": {"dataset": []}, "source": 1,
    "dryRun": 1, "gone": "x", "category": "none", "organization": 2}', admin())$$);
SELECT * FROM faults($$SELECT catalogue.import('{"document": {"dataset": []}, "sorce": "x"}', admin(), true)$$);
SELECT * FROM refusal($$SELECT catalogue.import('{"document": {"x": 1}}', admin())$$);
SELECT * FROM refusal($$SELECT catalogue.import('{"document": "x", "source": "x"}', admin())$$);
SELECT * FROM refusal($$SELECT catalogue.import('[]', admin())$$);
SELECT * FROM refusal($$SELECT catalogue.import('null', admin())$$);
SELECT * FROM refusal($$SELECT catalogue.import(NULL, admin())$$);
-- nobody, and a guest, who may not create datasets
SELECT * FROM refusal($$SELECT catalogue.import('{"document": {"dataset": []}, "source": "x"}', '{}')$$);
INSERT INTO catalogue.users (username, password, email, role, active, organization, created_by)
    SELECT n, 'correct horse', n || '@example.org', r::catalogue.role, true,
        id_of('organizations', 'Open Data Office'), id_of('users', 'admin')
    FROM (VALUES ('visitor', 'guest'), ('writer', 'guest')) u(n, r);
SELECT * FROM refusal($$SELECT catalogue.import('{"document": {"dataset": []}, "source": "x"}', actor('visitor'))$$);

-- A user who may create datasets and change its own only: its rights hold for each entry.  An id of an entry that was
-- imported by another user does not lead to that user's dataset, nor does its own source end it.
INSERT INTO catalogue.rules (role, resource, action) SELECT 'guest', 'datasets', 'create';
SELECT * FROM import('{"dataset": [{"identifier": "c-1", "title": "Taken", "theme": ["w"]},
    {"identifier": "mine", "title": "Mine", "theme": ["w"]},
    {"identifier": "mine-2", "title": "Mine 2", "theme": ["of its own"]},
    {"identifier": "mine-3", "title": "Mine 3", "theme": ["w"], "publisher": {"name": "An office of its own"},
     "distribution": [{"downloadURL": "https://a.example/x.csv"}]}]}',
    '{"gone": "delete"}', actor('writer')) l WHERE l NOT LIKE '%"gone"%' OR l NOT LIKE '%"done":"kept"%';
SELECT name FROM catalogue.datasets WHERE name IN ('Buses', 'Taken', 'Mine', 'Mine 2', 'Mine 3') ORDER BY name;
-- a source belongs to who was the first to import from it, and to his organization: not even a superadmin of another
-- one changes what is his, and nobody takes it by a dry run
SELECT make('organizations', '{"name": "Tide Service"}') IS NOT NULL AS made;
INSERT INTO catalogue.users (username, password, email, role, active, organization, created_by)
    SELECT n, 'correct horse', n || '@example.org', 'guest', true, id_of('organizations', 'Tide Service'),
        id_of('users', 'admin')
    FROM (VALUES ('alone'), ('colleague')) u(n);
CREATE FUNCTION import_as(name text, title text, dry_run boolean DEFAULT false) RETURNS text LANGUAGE sql AS
$$
    SELECT format('created %s, updated %s, refused %s', r -> 'created', r -> 'updated', r -> 'refused')
    FROM catalogue.import_dcat(json_build_object('dataset', json_build_array(
        json_build_object('identifier', 'd', 'title', title, 'theme', 'w'))), 'his',
        json_build_object('dryRun', dry_run), actor(name)) r
$$;
INSERT INTO catalogue.rules (role, resource, action) VALUES ('guest', 'datasets', 'update');
SELECT import_as('admin', 'His draft', true) AS dry_run;
SELECT import_as('alone', 'His draft') AS first;
SELECT * FROM refusal($$SELECT import_as('admin', 'Changed')$$);
SELECT code FROM refusal($$SELECT import_as('admin', 'Changed', true)$$);
SELECT code
FROM refusal($$SELECT catalogue.import('{"source": "his", "url": "https://a.example/data.json"}', admin())$$);
SELECT name FROM catalogue.datasets WHERE name IN ('His draft', 'Changed');
SELECT import_as('colleague', 'Corrected') AS colleague;
DELETE FROM catalogue.rules WHERE role = 'guest' AND resource = 'datasets' AND action = 'update';
-- without an actor, a database user has no more rights than nobody, even if a rule lets everybody create datasets
INSERT INTO catalogue.rules (resource, action) VALUES ('datasets', 'create');
CREATE ROLE regress_importer;
GRANT USAGE ON SCHEMA catalogue, test TO regress_importer;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA catalogue, test TO regress_importer;
SET ROLE regress_importer;
SELECT code FROM refusal($$SELECT import('{"dataset": [{"identifier": "c-1", "title": "Taken"}]}', actor => NULL)$$);
SELECT mask(e::text) AS entry
FROM catalogue.import_dcat('{"dataset": [{"identifier": "anybody", "title": "Anybody", "theme": ["w"],
    "publisher": {"name": "Not to be made"}, "distribution": [{"downloadURL": "https://a.example/x.csv"}]}]}',
    'nobody', '{"gone": "delete"}') r, json_array_elements(r -> 'entries') e;
RESET ROLE;
-- its arguments count before the members of its options
SELECT r ->> 'source' AS source, r ->> 'refused' AS refused
FROM catalogue.import_dcat('{"dataset": []}', 's',
    '{"source": "x", "document": {"dataset": [{"title": "Unnamed"}]}}') r;
-- who may call import_dcat() needs no other privilege
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA catalogue FROM regress_importer;
GRANT EXECUTE ON FUNCTION catalogue.import_dcat TO regress_importer;
SET ROLE regress_importer;
SELECT r ->> 'refused' AS refused FROM catalogue.import_dcat('{"dataset": [{"title": "Unnamed"}]}', 'nobody') r;
RESET ROLE;
DROP OWNED BY regress_importer;
DROP ROLE regress_importer;
SELECT count(*) FROM catalogue.organizations WHERE name = 'Not to be made';

-- New datasets are written together, also beside one at fault, one that is withheld, and names that are alike; what is
-- reported, and the order of the log, are those of one after the other.
ALTER TABLE catalogue.datasets ADD CONSTRAINT not_grouped CHECK (name <> 'Grouped 30');
SELECT r ->> 'created' AS created, r ->> 'refused' AS refused,
       (SELECT string_agg(e ->> 'entry' || coalesce(': ' || (e ->> 'message'), ''), E'\n')
        FROM json_array_elements(r -> 'entries') e WHERE e ->> 'outcome' = 'refused') AS entries FROM (
    SELECT catalogue.import_dcat(json_build_object('dataset', json_agg(json_build_object('identifier', 'group-' || n,
        'title', CASE n WHEN 21 THEN '' WHEN 41 THEN 'Grouped 40' WHEN 50 THEN 'grouped-49' ELSE 'Grouped ' || n END,
        'theme', ARRAY['Theme of ' || n / 10], 'keyword', ARRAY['grouped', 'group ' || n % 3],
        'accessLevel', CASE n WHEN 60 THEN 'non-public' ELSE 'public' END,
        'distribution', json_build_array(json_build_object('title', 'Rows',
            'downloadURL', 'https://group.example/' || n || '.csv'))) ORDER BY n)),
        'group', '{"publish": true}', admin()) AS r
    FROM generate_series(1, 70) n) i;
ALTER TABLE catalogue.datasets DROP CONSTRAINT not_grouped;
SELECT count(*) AS datasets, count(DISTINCT d.slug) AS slugs, sum(cardinality(d.tags_ids)) AS tags,
       count(*) FILTER (WHERE d.published_at IS NULL) AS withheld
FROM catalogue.datasets d JOIN catalogue.imported i ON i.record = d.id AND i.source = 'group';
SELECT d.name, d.slug FROM catalogue.datasets d JOIN catalogue.imported i ON i.record = d.id AND i.source = 'group'
WHERE i.id IN ('group-40', 'group-41', 'group-49', 'group-50') ORDER BY i.id;
SELECT count(*) AS tags FROM catalogue.tags WHERE name LIKE 'group%';
SELECT count(*) AS files_logged_before_their_dataset
FROM catalogue.logs f JOIN catalogue.files t ON t.id = f.resource JOIN catalogue.logs d ON d.resource = t.dataset
WHERE f.action = 'create' AND d.action = 'create' AND f.target = 'file' AND f.created_at < d.created_at;
SELECT * FROM catalogue.check_all();
