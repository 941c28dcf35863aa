--
-- import_reading: what is read of entries in each form of JSON, where something says nothing, comes again or is in
-- another order
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The outcome and the notes of each entry of a document.
CREATE FUNCTION import(document text, source text DEFAULT 'test', options json DEFAULT '{}') RETURNS SETOF text
    LANGUAGE sql AS
$$
    SELECT mask(concat_ws(' | ', e ->> 'outcome', e ->> 'id', e ->> 'message', e ->> 'notes'))
    FROM catalogue.import_dcat(document::json, source, options, admin()) r, json_array_elements(r -> 'entries') e
$$;
-- What a source has made: names of the records, and what they have besides.
CREATE FUNCTION made(source text) RETURNS TABLE (record text, optionals text) LANGUAGE sql AS
$$
    SELECT format('%s: %s; tags %s; categories %s', d.name, d.description,
            (SELECT array_agg(t.name::text ORDER BY t.name) FROM catalogue.tags t WHERE t.id = ANY (d.tags_ids)),
            (SELECT array_agg(c.name::text ORDER BY c.name) FROM catalogue.categories c
             WHERE c.id = ANY (d.categories_ids))),
        d.optionals::text
    FROM catalogue.datasets d JOIN catalogue.imported i ON i.record = d.id WHERE i.source = $1
    UNION ALL
    SELECT format('    file %s: %s; %s; of %s', f.name, f.url, t.name, o.name), f.optionals::text
    FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset
        JOIN catalogue.filetypes t ON t.id = f.type JOIN catalogue.organizations o ON o.id = f.organization
    WHERE i.source = $1
    ORDER BY 1 DESC
$$;
-- How many records of any kind are called like the word.
CREATE FUNCTION called(word text) RETURNS bigint LANGUAGE sql AS
$$
    SELECT sum(n) FROM (
        SELECT count(*) FROM catalogue.datasets WHERE lower(name) LIKE word || '%'
        UNION ALL SELECT count(*) FROM catalogue.files WHERE lower(name) LIKE word || '%'
        UNION ALL SELECT count(*) FROM catalogue.tags WHERE lower(name) = word
        UNION ALL SELECT count(*) FROM catalogue.categories WHERE lower(name) = word
        UNION ALL SELECT count(*) FROM catalogue.filetypes WHERE lower(name) = word
        UNION ALL SELECT count(*) FROM catalogue.updatefrequencies WHERE lower(name) = word
        UNION ALL SELECT count(*) FROM catalogue.organizations WHERE lower(name) = word) c(n)
$$;

-- A null says nothing, wherever it stands: nothing is called "null".
SELECT * FROM import('{"themeTaxonomy": [{"id": "t", "label": null}], "dataset": [null,
    {"identifier": ["n1", null], "title": {"fr": null, "de": "Leer"}, "description": [null, "Text"],
     "keyword": [null, "road"], "theme": [null, "t"], "publisher": {"name": null, "mbox": null},
     "accrualPeriodicity": null, "spatial": [null], "contactPoint": {"fn": "Desk", "hasEmail": null},
     "distribution": [null, {"title": null, "description": [null], "downloadURL": null,
        "accessURL": "https://n.example/1.csv", "format": [null], "license": {"name": null}}]},
    {"identifier": null, "@id": "n2", "title": null, "name": "Second", "keyword": null, "theme": [null],
     "distribution": null}]}', 'data.json');
SELECT * FROM made('data.json');
SELECT * FROM import('{"@graph": [{"@id": "http://n/3", "@type": [null, "dcat:Dataset"], "dct:identifier": [null],
    "dct:title": [null, {"@value": null, "@language": "fr"}, {"@value": "Third", "@language": "en"}],
    "dct:description": {"@value": null}, "dcat:keyword": [null, {"@value": null}, {"@value": "rail"}],
    "dcat:theme": {"@id": null}, "dct:publisher": {"@id": "http://p"}, "dcat:distribution": {"@id": "_:d"}},
    {"@id": "http://p", "foaf:name": [null, "Office"], "foaf:mbox": null},
    {"@id": "_:d", "dcat:accessURL": {"@id": "http://n.example/3"}, "dct:format": null, "dct:title": {"en": null}}]}',
    'JSON-LD');
SELECT * FROM made('JSON-LD');
SELECT * FROM import('{"success": true, "result": {"results": [{"id": "n4", "name": "fourth", "title": null,
    "notes": null, "tags": [null, {"name": null, "display_name": null}, {"name": "sea"}],
    "groups": [null, {"name": null}], "organization": null, "maintainer": null, "author": {"name": null},
    "extras": [null, {"key": "a", "value": null}, {"key": "b", "value": "c"}],
    "resources": [null, {"id": null, "name": null, "url": "https://n.example/4.csv", "format": null}]}]}}', 'CKAN');
SELECT * FROM made('CKAN');
SELECT called('null'), (SELECT count(*) FROM catalogue.datasets WHERE optionals::text LIKE '%null%') AS datasets,
    (SELECT count(*) FROM catalogue.files WHERE optionals::text LIKE '%null%') AS files;
-- the word is one
SELECT * FROM import('{"dataset": [{"identifier": "w", "title": "The word", "keyword": ["null"], "theme": "Water"}]}',
    'word');
SELECT called('null');

-- Of a member that comes again the last counts, at any level, and a note tells where it is.
SELECT * FROM import('{"dataset": [{"identifier": "r1", "title": "First", "title": "Repeated", "theme": "Water",
    "publisher": {"name": "A", "name": "B"}, "contactPoint": {"fn": "A", "x": {"a": 1, "a": 2}, "fn": "B"},
    "distribution": [{"title": "One", "downloadURL": "https://r.example/1.csv"},
        {"title": "Two", "downloadURL": "https://r.example/x.csv", "downloadURL": "https://r.example/2.csv",
         "title": "Three"}]}]}', 'repeated');
SELECT * FROM made('repeated');
SELECT * FROM import('{"@graph": [{"@id": "http://r/2", "@type": "Dataset", "title": "Repeated node", "theme": "Water",
    "distribution": {"@id": "http://r/d"}},
    {"@id": "http://r/d", "accessURL": "http://r.example/3", "title": "One", "title": "Two"}]}', 'repeated node');
SELECT * FROM made('repeated node');
SELECT * FROM import('{"success": true, "result": [{"id": "r3", "title": "Repeated resource", "groups": [],
    "resources": [{"id": "a", "name": "One", "url": "https://r.example/4.csv", "name": "Two"}]}]}',
    'repeated resource');
SELECT * FROM made('repeated resource');
