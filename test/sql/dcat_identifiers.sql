--
-- dcat_identifiers: identifiers are unique in what the catalogue gives, and stay so when records come and go
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\pset format unaligned

SELECT count(catalogue.delete('datasets', id, admin())) AS seeds FROM catalogue.datasets;
-- The outcomes of an import of entries.
CREATE FUNCTION import(source text, entries json) RETURNS TABLE (outcome text, id text, name text, notes json)
    LANGUAGE sql AS
$$
    SELECT e ->> 'outcome', e ->> 'id', e ->> 'name', e -> 'notes'
    FROM catalogue.import_dcat(entries, source, '{"publish": true, "gone": "delete"}', admin()) r,
        json_array_elements(r -> 'entries') e
    ORDER BY 3
$$;
CREATE FUNCTION entry(identifier text, title text) RETURNS json LANGUAGE sql AS
$$
    SELECT json_build_object('dataset', json_build_array(json_build_object('identifier', identifier, 'title', title,
        'theme', 'w', 'publisher', 'Office')))
$$;
CREATE FUNCTION data() RETURNS json LANGUAGE sql AS
$$
    SELECT string_agg(d.data, '' ORDER BY d.ordinality)::json
    FROM catalogue.data_json('', 'https://data.example.org', '{}') WITH ORDINALITY d
$$;
CREATE VIEW given AS
    SELECT d ->> 'title' AS title, d ->> 'identifier' AS identifier, d ->> 'otherIdentifier' AS own,
        (SELECT g ->> 'dct:identifier'
         FROM catalogue.catalog(base => 'https://data.example.org') c, json_array_elements(c.data::json -> '@graph') g
         WHERE g -> 'dct:title' #>> '{}' = d ->> 'title') AS catalog
    FROM json_array_elements(data() -> 'dataset') d ORDER BY 1;

-- The first of an identifier has it, others have their source before it, in each form.
SELECT outcome FROM import('first', entry('a', 'One'));
SELECT outcome FROM import('https://b.example/data.json', entry('a', 'Two'));
SELECT outcome FROM import('first', '{"dataset": [
    {"identifier": "a", "title": "One", "theme": "w", "publisher": "Office"},
    {"identifier": "b", "title": "Three", "theme": "w", "publisher": "Office"}]}');
SELECT * FROM given;
SELECT mask(line) FROM catalogue.catalog('name=Two', 'turtle') c, string_to_table(c.data, E'\n') line
WHERE line ~ 'adms:|notation';
SELECT mask(line) FROM catalogue.catalog('name=Two', 'rdfxml') c, string_to_table(c.data, E'\n') line
WHERE line ~ '<adms:|notation|dct:identifier';
SELECT json_array_length(data() -> 'dataset') AS given, count(DISTINCT d ->> 'identifier') AS identifiers
FROM json_array_elements(data() -> 'dataset') d;

-- Users write what they like: of the same source, or of none, the second has its id.
SELECT make('datasets', json_build_object('name', v.name, 'status', 'qWRhpRV', 'owner', id_of('users', 'admin'),
    'optionals', v.optionals, 'categories', json_build_array(id_of('categories', 'Transport')))) IS NOT NULL AS made
FROM (VALUES ('User 1', '{"identifier": "a"}'::json), ('User 2', '{"identifier": "a", "source": "first"}'),
    ('User 3', json_build_object('identifier', repeat('x', 5000))),
    ('User 4', '{"identifier": ["a"]}'), ('User 5', '{"identifier": null}'), ('User 6', '[1]')) v(name, optionals);
SELECT title, CASE WHEN length(identifier) > 100 THEN 'long' WHEN identifier = d.id THEN 'id' ELSE identifier END
    AS identifier, own, identifier = catalog AS same
FROM given JOIN catalogue.datasets d ON d.name = given.title WHERE title LIKE 'User%';
SELECT count(catalogue.delete('datasets', id, admin())) AS users FROM catalogue.datasets WHERE name LIKE 'User%';

-- It is given on as before when the first is hidden or deleted, and when others come.
SELECT (catalogue.act('datasets', id, 'unpublish', actor => admin())).resource
FROM catalogue.datasets WHERE name = 'One';
SELECT title, identifier FROM given;
SELECT (catalogue.delete('datasets', id, admin())).resource FROM catalogue.datasets WHERE name = 'One';
SELECT title, identifier FROM given;
SELECT (catalogue.restore('datasets', id, actor => admin())).resource,
    (catalogue.act('datasets', id, 'publish', actor => admin())).resource AS published
FROM catalogue.datasets WHERE name = 'One';
SELECT outcome FROM import('third', entry('a', 'Another one'));
SELECT title, identifier, own FROM given;

-- What is given is read back as so many records, by any form and in any order, and again without a change.
CREATE TABLE document AS SELECT data() AS us, (SELECT c.data::json AS data
    FROM catalogue.catalog(base => 'https://data.example.org') c) AS graph;
CREATE FUNCTION turned(list json) RETURNS json LANGUAGE sql AS
$$
    SELECT json_agg(e.value ORDER BY e.n DESC) FROM json_array_elements(list) WITH ORDINALITY e(value, n)
$$;
SELECT i.* FROM document, import('back', us) i;
SELECT i.outcome, i.name FROM document, import('back', json_build_object('dataset', turned(us -> 'dataset'))) i;
SELECT i.outcome, i.name FROM document, import('graph', graph) i;
SELECT i.outcome, i.name
FROM document, import('graph', (graph::jsonb || jsonb_build_object('@graph', turned(graph -> '@graph')))::json) i;
SELECT count(*) AS given, count(DISTINCT d ->> 'identifier') AS identifiers
FROM json_array_elements(data() -> 'dataset') d;
-- one that knew only the first before keeps it, whichever comes first
SELECT i.outcome FROM import('before', entry('a', 'Known')) i;
SELECT i.outcome, i.name FROM document, import('before', json_build_object('dataset', turned(us -> 'dataset'))) i;
