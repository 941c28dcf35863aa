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
-- names that differ in their prefixes alone
SELECT * FROM import('{"dataset": [{"identifier": "t1", "title": "Twice", "publisher": {"foaf:name": "Office",
    "name": "Bureau", "schema:name": "Agency", "http://a/@id": 1},
    "x": {"b:y": 1, "a:y": 2, "y": 3, "z": 4, "a:z": 5}}]}', 'prefixes');
SELECT optionals FROM made('prefixes');
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

-- JSON-LD has no order: what is written in another one is the same.
CREATE FUNCTION again(source text, VARIADIC documents text[]) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT format('%s: %s', d.n, l) FROM unnest(documents) WITH ORDINALITY d(document, n),
        LATERAL import(d.document, source, '{"gone": "delete"}') l
$$;
SELECT * FROM again('languages', '{"@graph": [{"@id": "http://l/1", "@type": "dcat:Dataset",
    "dct:title": [{"@value": "Roads", "@language": "en"}, {"@value": "Caminos", "@language": "es"}, "Any"],
    "dct:description": [{"@value": "Text", "@language": "en"}, {"@value": "Texto", "@language": "es"}],
    "dcat:keyword": [{"@value": "road", "@language": "en"}, {"@value": "camino", "@language": "es"}, "any"],
    "dcat:theme": [{"@id": "http://t/1"}, {"@id": "http://t/2"}], "dct:publisher": [{"@id": "_:p1"}, {"@id": "_:p2"}],
    "dcat:contactPoint": [{"@id": "_:c1", "fn": "B"}, {"@id": "_:c2", "fn": "A", "hasEmail": "mailto:a@a.example"}],
    "dcat:distribution": [{"@id": "_:d1"}, {"@id": "_:d2"}], "geometry": {"coordinates": [[2, 1], [1, 2]]},
    "steps": {"@list": ["b", "a"]}, "dct:rights": {"@id": "_:none"}},
    {"@id": "http://t/1", "prefLabel": [{"@value": "Transport", "@language": "en"},
     {"@value": "Transporte", "@language": "es"}]}, {"@id": "http://t/2", "prefLabel": {"es": "Agua", "en": "Water"}},
    {"@id": "_:p1", "foaf:name": "Office"}, {"@id": "_:p2", "foaf:name": "Bureau"}, {"@id": "_:p2", "foaf:mbox": "m"},
    {"@id": "_:d1", "dcat:downloadURL": "https://l.example/1.csv", "dct:title": {"es": "Filas", "en": "Rows"}},
    {"@id": "_:d2", "dcat:downloadURL": "https://l.example/2.csv", "dct:title": {"es": "Filas", "en": "Rows"}}]}',
    '{"@graph": [{"@id": "_:e1", "foaf:name": "Bureau"}, {"@id": "_:e1", "foaf:mbox": "m"},
    {"@id": "http://t/2", "prefLabel": {"en": "Water", "es": "Agua"}},
    {"dct:title": {"en": "Rows", "es": "Filas"}, "@id": "_:e3", "dcat:downloadURL": "https://l.example/1.csv"},
    {"@id": "_:e2", "dcat:downloadURL": "https://l.example/2.csv", "dct:title": {"en": "Rows", "es": "Filas"}},
    {"@id": "_:e4", "foaf:name": "Office"}, {"@id": "http://t/1", "prefLabel": [
     {"@language": "es", "@value": "Transporte"}, {"@language": "en", "@value": "Transport"}]},
    {"steps": {"@list": ["b", "a"]}, "geometry": {"coordinates": [[2, 1], [1, 2]]},
     "dcat:distribution": [{"@id": "_:e2"}, {"@id": "_:e3"}, {"@id": "_:e2"}],
     "dcat:contactPoint": [{"hasEmail": "mailto:a@a.example", "@id": "_:e6", "fn": "A"}, {"@id": "_:e7", "fn": "B"}],
     "dct:publisher": [{"@id": "_:e1"}, {"@id": "_:e4"}], "dcat:theme": [{"@id": "http://t/2"}, {"@id": "http://t/1"}],
     "dcat:keyword": ["any", {"@value": "camino", "@language": "es"}, {"@value": "road", "@language": "en"}, "any"],
     "dct:description": [{"@value": "Texto", "@language": "es"}, {"@value": "Text", "@language": "en"}],
     "dct:title": ["Any", {"@value": "Caminos", "@language": "es"}, {"@value": "Roads", "@language": "en"}],
     "@type": "dcat:Dataset", "@id": "http://l/1"}]}');
SELECT * FROM made('languages');
-- the order of a list, and of coordinates, counts, and a list is kept
SELECT * FROM again('lists', '{"@graph": [{"@id": "http://l/2", "@type": "Dataset", "title": "Lists", "theme": "Water",
    "steps": {"@list": ["b", "a"]}, "box": [2, 1]}]}', '{"@graph": [{"@id": "http://l/2", "@type": "Dataset",
    "title": "Lists", "theme": "Water", "steps": {"@list": ["a", "b"]}, "box": [2, 1]}]}',
    '{"@graph": [{"@id": "http://l/2", "@type": "Dataset", "title": "Lists", "theme": "Water",
    "steps": {"@list": ["a", "b"]}, "box": [1, 2]}]}');
-- in JSON members have no order, nor have keywords, themes and distributions; what else is a list has one
SELECT * FROM again('JSON', '{"dataset": [{"identifier": "j1", "title": {"en": "Paths", "es": "Sendas"},
    "description": {"es": "Texto", "en": "Text"}, "keyword": ["b", "a"], "theme": ["Water", "Transport"],
    "contactPoint": {"fn": "Desk", "hasEmail": "mailto:a@a.example"}, "distribution": [
     {"title": "One", "downloadURL": "https://j.example/1.csv", "field": [{"title": "b"}, {"title": "a"}]},
     {"title": "Two", "downloadURL": "https://j.example/2.csv"}]}]}',
    '{"dataset": [{"distribution": [{"title": "Two", "downloadURL": "https://j.example/2.csv"},
     {"downloadURL": "https://j.example/1.csv", "field": [{"title": "b"}, {"title": "a"}], "title": "One"}],
    "contactPoint": {"hasEmail": "mailto:a@a.example", "fn": "Desk"}, "theme": ["Transport", "Water"],
    "keyword": ["a", "b"], "description": {"en": "Text", "es": "Texto"}, "title": {"es": "Sendas", "en": "Paths"},
    "identifier": "j1"}]}',
    '{"dataset": [{"identifier": "j1", "title": {"en": "Paths", "es": "Sendas"},
    "description": {"es": "Texto", "en": "Text"}, "keyword": ["b", "a"], "theme": ["Water", "Transport"],
    "contactPoint": {"fn": "Desk", "hasEmail": "mailto:a@a.example"}, "distribution": [
     {"title": "One", "downloadURL": "https://j.example/1.csv", "field": [{"title": "a"}, {"title": "b"}]},
     {"title": "Two", "downloadURL": "https://j.example/2.csv"}]}]}');
SELECT * FROM made('JSON');
SELECT * FROM again('CKAN order', '{"success": true, "result": [{"id": "o1", "title": "Order", "tags": [{"name": "b"},
    {"name": "a"}], "groups": [{"name": "water"}, {"name": "transport"}], "resources": [
     {"id": "1", "url": "https://o.example/1", "name": "One"},
     {"id": "2", "url": "https://o.example/2", "name": "Two"}]}]}',
    '{"success": true, "result": [{"resources": [{"name": "Two", "url": "https://o.example/2", "id": "2"},
     {"url": "https://o.example/1", "id": "1", "name": "One"}], "groups": [{"name": "transport"}, {"name": "water"}],
     "tags": [{"name": "a"}, {"name": "b"}], "title": "Order", "id": "o1"}]}');
-- of catalogues of before, whose digests are others: what stays as it is is unchanged, and has the present digest then
CREATE TABLE digests AS SELECT source, id, digest FROM catalogue.imported;
UPDATE catalogue.imported i SET digest = 'of before' WHERE source = 'lists';
SELECT * FROM again('lists', '{"@graph": [{"@id": "http://l/2", "@type": "Dataset", "title": "Lists", "theme": "Water",
    "steps": {"@list": ["a", "b"]}, "box": [1, 2]}]}');
SELECT * FROM catalogue.imported i JOIN digests d USING (source, id) WHERE i.digest <> d.digest;

-- A text that is empty, or white space, says nothing: the first language, element or property counts that has one.
SELECT * FROM import('{"dataset": [{"identifier": "e1", "title": {"fr": "", "de": "Wege"},
    "description": {"de": " ", "fr": "Texte"}, "keyword": ["", " ", "way"], "theme": ["", "Water"],
    "publisher": {"name": "", "title": "Office"}, "contactPoint": "", "unknown": "", "distribution": [
     {"title": " ", "name": "Rows", "description": "", "downloadURL": "", "accessURL": "https://e.example/1.csv",
      "format": "", "mediaType": "text/csv"}]}]}', 'empty JSON');
SELECT * FROM made('empty JSON');
SELECT * FROM import('{"@graph": [{"@id": "http://e/2", "@type": "Dataset", "dct:identifier": "",
    "dct:title": [{"@value": "", "@language": "de"}, {"@value": "Ways", "@language": "en"}],
    "dct:description": ["", {"@value": "Text"}], "dcat:keyword": [{"@value": "", "@language": "en"}],
    "dcat:theme": {"@id": "http://e/t"}, "dct:publisher": {"@id": "http://e/p"}, "dct:creator": {"foaf:name": "Maker"},
    "dcat:distribution": {"dcat:accessURL": {"@id": "http://e.example/2"}, "dct:title": {"en": "", "es": "Filas"}}},
    {"@id": "http://e/t", "prefLabel": ["", "Water"]}, {"@id": "http://e/p", "foaf:name": ""}]}', 'empty JSON-LD');
SELECT * FROM made('empty JSON-LD');
SELECT * FROM import('{"success": true, "result": [{"id": "", "name": "ways-3", "title": "", "notes": "",
    "tags": [{"name": "sea", "display_name": ""}], "groups": [{"name": "water", "display_name": "", "title": ""}],
    "organization": {"title": "", "name": "office"}, "author": "", "resources": [
     {"id": "1", "name": "", "description": "", "url": "https://e.example/3.csv", "format": ""}]}]}', 'empty CKAN');
SELECT * FROM made('empty CKAN');
-- nothing to be called by
SELECT * FROM import('{"dataset": [{"identifier": "e4", "title": {"fr": "", "de": " "}, "theme": "Water"}]}', 'empty');

-- What is not the address of a file is kept beside it, and so is what an identifier says besides, and the IRI of an
-- entry.
SELECT * FROM import('{"dataset": [{"@id": "http://k/1", "identifier": ["K1", {"@type": "PropertyValue",
    "propertyID": "doi", "value": "10/k"}], "title": "Kept", "theme": "Water", "publisher": "Office", "distribution": [
     {"title": "A", "downloadURL": "not an address", "accessURL": "https://k.example/a"},
     {"title": "B", "downloadURL": "https://k.example/b", "accessURL": "https://k.example/b",
      "url": "ftp://k.example/b"},
     {"title": "C", "accessURL": ["https://k.example/c", "https://k.example/d"]},
     {"title": "D", "accessURL": "javascript:alert(1)", "accessService": {"@id": "https://k.example/service",
      "title": "Service", "endpointURL": "https://k.example/endpoint"}},
     {"title": "E", "downloadURL": "https://k.example/e.csv", "accessService": "https://k.example/service"},
     {"title": "F", "downloadURL": "https://k.example/\u00e9.csv"},
     {"title": "G", "downloadURL": "no address at all"}]}]}', 'kept JSON');
SELECT * FROM made('kept JSON');
SELECT * FROM import('{"@graph": [{"@id": "http://k/2", "@type": "Dataset", "dct:identifier": [{"@id": "_:i"}, "K2"],
    "dct:title": "Kept 2", "dcat:theme": "Water", "dct:publisher": "Office", "dcat:distribution": {"@id": "_:d"}},
    {"@id": "_:i", "skos:notation": "K0", "adms:schemaAgency": "Agency"},
    {"@id": "_:d", "dcat:downloadURL": {"@value": "not an address"}, "dcat:accessURL": {"@id": "https://k.example/2"},
     "dcat:accessService": {"@id": "http://k/s"}}, {"@id": "http://k/s", "@type": "dcat:DataService",
     "dct:title": "Service", "dcat:endpointURL": {"@id": "https://k.example/endpoint"}}]}', 'kept JSON-LD');
SELECT * FROM made('kept JSON-LD');
SELECT * FROM import('{"success": true, "result": [{"id": "u-3", "identifier": "K3", "name": "kept-3",
    "title": "Kept 3", "groups": [{"name": "water"}], "organization": {"name": "office"}, "resources": [
     {"id": "1", "url": "upload.csv", "accessURL": "https://k.example/3", "name": "File"}]}]}', 'kept CKAN');
SELECT * FROM made('kept CKAN');
