--
-- import_names: by what entries are known, names that are taken, and faults that refuse no entry
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE FUNCTION entry(id text, title text, more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS
$$ SELECT jsonb_build_object('identifier', id, 'title', title, 'theme', 'w', 'publisher', 'Office') || more $$;
-- Import some entries of a source; the lines of the report.
CREATE FUNCTION import(entries jsonb[], source text DEFAULT 'one', actor jsonb DEFAULT admin()) RETURNS SETOF text
    LANGUAGE sql AS
$$
    SELECT mask(concat_ws(' ', e ->> 'id', e ->> 'outcome', e ->> 'message', e ->> 'data', e ->> 'notes'))
    FROM catalogue.import_dcat(json_build_object('dataset', to_json(entries)), source, '{"partial": true}', actor) r,
        json_array_elements(r -> 'entries') e
$$;
CREATE VIEW here AS
    SELECT i.source, i.id, d.name, d.slug FROM catalogue.imported i JOIN catalogue.datasets d ON d.id = i.record
    WHERE d.deleted_at IS NULL ORDER BY i.source, i.id;

-- A document without address has to be given a source; what it calls itself is none.
SELECT * FROM faults($$SELECT catalogue.import('{"document":
    {"title": "Open Data", "identifier": "x", "@id": "http://a", "dataset": []}}', admin())$$);

-- Case alone makes no other identifier.
SELECT * FROM import(ARRAY[entry('Id-A', 'First'), entry('id-a', 'Twice')]);
SELECT * FROM import(ARRAY[entry('ID-A', 'First, changed')]);
SELECT * FROM here;

-- Of one name there are as many datasets as entries, in one source or several; each keeps its own.
SELECT * FROM import(ARRAY[entry('1', 'Rivers'), entry('2', 'Rivers'), entry('3', 'rivers')]);
SELECT * FROM import(ARRAY[entry('1', 'Rivers')], 'two');
SELECT * FROM import(ARRAY[entry('2', 'Rivers', '{"description": "changed"}'), entry('3', 'rivers')]);
SELECT * FROM import(ARRAY[entry('1', repeat('é', 160)), entry('2', repeat('é', 160))], 'long');
SELECT source, id, char_length(name), right(name, 5) AS ends FROM here WHERE source = 'long';
SELECT name, slug FROM here WHERE source <> 'long';
-- which has the name alone again gets it back
SELECT (catalogue.delete('datasets', i.record, admin())).resource FROM catalogue.imported i
WHERE i.source = 'one' AND i.id = '1';
SELECT * FROM import(ARRAY[entry('2', 'Rivers', '{"description": "changed again"}')]);
SELECT id, name FROM here WHERE source = 'one';

-- Titles that move between entries are right after one run, in any order.
SELECT count(*) FROM import(ARRAY[entry('a', 'A'), entry('b', 'B'), entry('c', 'C')], 'moves');
SELECT * FROM import(ARRAY[entry('a', 'B'), entry('b', 'A'), entry('c', 'C')], 'moves');
SELECT id, name FROM here WHERE source = 'moves';
SELECT * FROM import(ARRAY[entry('c', 'A'), entry('a', 'C'), entry('b', 'B')], 'moves');
SELECT id, name FROM here WHERE source = 'moves';
SELECT * FROM import(ARRAY[entry('a', 'B'), entry('b', 'C'), entry('c', 'C, new')], 'moves');
SELECT id, name FROM here WHERE source = 'moves';
-- not where the entry that has the name is refused or keeps it
SELECT * FROM import(ARRAY[entry('a', 'C'), entry('b', 'C')], 'moves');
SELECT id, name FROM here WHERE source = 'moves';

-- Names that differ have slugs that do; keywords are compared by their letters and signs.
SELECT * FROM import(ARRAY[entry('1', 'Data: 2020', '{"keyword": ["XF", "XF#", "xf", "C", "C++", "C#"]}'),
    entry('2', 'Data 2020'), entry('3', 'Data/2020')], 'slugs');
SELECT id, name, slug FROM here WHERE source = 'slugs';
SELECT t.name, t.slug FROM catalogue.imported i JOIN catalogue.datasets d ON d.id = i.record
    JOIN catalogue.tags t ON t.id = ANY (d.tags_ids)
WHERE i.source = 'slugs' AND i.id = '1' ORDER BY t.name COLLATE "C";

-- One fault refuses no entry: what cannot be taken is left out, cut or replaced, and told.
SELECT * FROM import(ARRAY[entry('1', 'No theme', '{"theme": null}'), entry('2', 'Theme of spaces', '{"theme": " "}'),
    entry('3', 'No publisher', '{"publisher": null,
        "distribution": [{"downloadURL": "https://a.example/no-publisher"}]}'),
    entry('4', repeat('t', 151)), entry('5', 'Long keyword', jsonb_build_object('keyword', repeat('k', 101))),
    entry('6', 'Addresses', '{"distribution": [{"title": "none"}, {"title": "ftp", "downloadURL": "ftp://a.example/x"},
        {"title": "ftp and web", "downloadURL": "ftp://a.example/x", "accessURL": "https://a.example/page"},
        {"title": "space", "downloadURL": " https://a.example/a b/ñ?q=<ü>#\"x\" "},
        {"downloadURL": "javascript:alert(1)"}, {"title": "host", "downloadURL": "https://bücher.example/ä"},
        {"title": "list", "downloadURL": ["https://a.example/l"]}]}'),
    entry('7', 'Long file', jsonb_build_object('distribution', jsonb_build_array(jsonb_build_object(
        'title', repeat('f', 151), 'format', 'csv', 'downloadURL', 'https://a.example/long')))),
    entry('8', 'Many notes', jsonb_build_object('distribution', to_jsonb(array_fill('{}'::jsonb, ARRAY[500]))))],
    'faults');
SELECT f.name, f.url, t.name AS type, o.name AS organization
FROM catalogue.imported i JOIN catalogue.files f ON f.dataset = i.record JOIN catalogue.filetypes t ON t.id = f.type
    JOIN catalogue.organizations o ON o.id = f.organization
WHERE i.source = 'faults' AND i.id IN ('3', '6') ORDER BY f.name;
SELECT i.id, char_length(d.name) AS name, char_length(d.optionals ->> 'title') AS title
FROM catalogue.imported i JOIN catalogue.datasets d ON d.id = i.record WHERE i.source = 'faults' AND i.id = '4';
SELECT c.name FROM catalogue.imported i JOIN catalogue.datasets d ON d.id = i.record
    JOIN catalogue.categories c ON c.id = ANY (d.categories_ids)
WHERE i.source = 'faults' AND i.id IN ('1', '2');
-- a character that cannot be stored
SELECT e ->> 'outcome' AS outcome, e ->> 'notes' AS notes
FROM catalogue.import_dcat($${"dataset": [{"identifier": "z", "title": "A zero \u0000, none \\u0000", "theme": "w",
    "description": "\u0000"}]}$$, 'zeros', '{}', admin()) r, json_array_elements(r -> 'entries') e;
SELECT name = E'A zero \uFFFD, none \\u0000' AS name, description = E'\uFFFD' AS description
FROM catalogue.datasets WHERE name LIKE 'A zero%';
-- of several members of one name the last counts, also inside of entries of CKAN
SELECT e ->> 'name' AS name, e ->> 'notes' AS notes
FROM catalogue.import_dcat('{"success": true, "result": {"id": "c", "title": "First", "creator": "a", "theme": "w",
    "title": "Last", "creator": [{"name": "b"}], "resources": []}}', 'twice', '{}', admin()) r,
    json_array_elements(r -> 'entries') e;
-- what has no field is in optionals under its name, and told once
SELECT r ->> 'notes' AS notes, (SELECT json_agg(e -> 'notes') FROM json_array_elements(r -> 'entries') e) AS of_entries
FROM catalogue.import_dcat(json_build_object('dataset', json_build_array(entry('1', 'Rest 1', '{
    "bureauCode": ["015:11"], "dct:subject": "x", "dcat:subject": "y", "isPartOf": "z",
    "publisher": {"name": "Office", "mbox": "a@b.example"},
    "maintainer": "M", "author": "A", "extras": [{"key": "k", "value": 1}], "keyword": "one", "keywords": "two",
    "source": "mine", "@type": "dcat:Dataset", "nothing": null,
    "distribution": [{"downloadURL": "https://a.example/rest", "rights": "R", "checksum": {"value": "1"}}]}'),
    entry('2', 'Rest 2', jsonb_build_object('bureauCode', 'x', 'long', repeat('x', 70000))))), 'rest', '{}', admin()) r;
SELECT d.name, d.optionals FROM catalogue.datasets d WHERE d.name LIKE 'Rest %' ORDER BY d.name;
SELECT f.optionals FROM catalogue.files f WHERE f.name = 'rest';
-- what the user may not create is left out
INSERT INTO catalogue.rules (role, resource, action)
VALUES ('guest', 'datasets', 'create'), ('guest', 'files', 'create');
INSERT INTO catalogue.users (username, password, email, role, active, organization, created_by)
SELECT 'writer', 'correct horse', 'writer@example.org', 'guest', true, id_of('organizations', 'Statistics Office'),
    id_of('users', 'admin');
SELECT * FROM import(ARRAY[entry('1', 'Of a guest', '{"keyword": ["not there", "water"], "publisher": "Not There",
    "distribution": [{"downloadURL": "https://a.example/x.csv"}, {"downloadURL": "https://a.example/x.unheard"}]}')],
    'guest', actor('writer'));
SELECT f.name, t.name AS type, o.name AS organization
FROM catalogue.imported i JOIN catalogue.files f ON f.dataset = i.record JOIN catalogue.filetypes t ON t.id = f.type
    JOIN catalogue.organizations o ON o.id = f.organization
WHERE i.source = 'guest' ORDER BY f.name;
SELECT * FROM catalogue.check_all();
