--
-- import_vocabularies: addresses of known terms get their names, and what refers to others is read where it stands
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE VIEW here AS
    SELECT d.name, (SELECT string_agg(c.name, '; ' ORDER BY c.name) FROM catalogue.datasets_categories l
            JOIN catalogue.categories c ON c.id = l.category WHERE l.dataset = d.id) AS categories,
        (SELECT string_agg(concat_ws(' ', f.name, t.name, u.name), '; ' ORDER BY f.name) FROM catalogue.files f
            JOIN catalogue.filetypes t ON t.id = f.type JOIN catalogue.updatefrequencies u ON u.id = f.update_frequency
         WHERE f.dataset = d.id) AS files,
        d.optionals::jsonb - '{source,identifier,accrualPeriodicity}'::text[] AS optionals
    FROM catalogue.datasets d JOIN catalogue.imported i ON i.record = d.id ORDER BY d.name;
CREATE FUNCTION imported(document json) RETURNS TABLE (id text, outcome text, notes text) LANGUAGE sql AS
$$
    SELECT e ->> 'id', e ->> 'outcome', e ->> 'notes'
    FROM catalogue.import_dcat(document, 'test', '{"publish": true}', admin()) r, json_array_elements(r -> 'entries') e
$$;
\set eu 'http://publications.europa.eu/resource/authority/'
CREATE FUNCTION entry(id text, theme json, frequency text, format text) RETURNS json LANGUAGE sql AS
$$
    SELECT json_build_object('identifier', id, 'title', id, 'theme', theme, 'publisher', 'Office', 'accrualPeriodicity',
        frequency, 'distribution', json_build_array(json_build_object('title', 'x', 'downloadURL',
        'https://a.example/x', 'format', format)))
$$;

-- Themes, frequencies and file types by their addresses; an unknown theme makes no category.
SELECT * FROM imported(json_build_object('dataset', json_build_array(
    entry('a', json_build_array(:'eu' || 'data-theme/ENVI', :'eu' || 'data-theme/TRAN'), :'eu' || 'frequency/QUARTERLY',
        :'eu' || 'file-type/RDF_XML'),
    entry('b', json_build_array('https://other.example/theme/1', 'Health'), 'R/P2M', :'eu' || 'file-type/CSV'),
    entry('c', '"https://other.example/theme/2"', 'http://purl.org/cld/freq/semiannual',
        'https://www.iana.org/assignments/media-types/application/vnd.ms-excel'),
    entry('d', '"w"', 'sometimes', 'odd'))));
SELECT * FROM here;
-- The catalogue gives the addresses of the same terms, and the unknown theme as it was.
SELECT d.dataset ->> 'title' AS title, mask((SELECT json_agg(t ->> 'iri')::text
    FROM jsonb_array_elements(d.dataset -> 'theme') t)) AS themes, d.dataset -> 'subject' AS subject,
    d.dataset #>> '{frequency,code}' AS frequency,
    d.dataset #>> '{distribution,0,type,iri}' AS format
FROM catalogue.list('datasets', catalogue.dcat_query('orderBy=name')) l,
    json_array_elements(l.data::json) r,
    LATERAL (SELECT catalogue.dcat_written(catalogue.dcat_records(json_build_array(r)), 'said', '', '{}')::jsonb)
        d(dataset)
WHERE r ->> 'name' IN ('a', 'b', 'c', 'd');

-- In a catalogue in Spanish they are Spanish, also where only a category says so.
SELECT make('configs', '{"key": "catalogLanguage", "value": "es", "type": "string", "category": "site",
    "description": "x"}') IS NOT NULL AS made;
SELECT v.value, catalogue.vocabulary_label(v.vocabulary, v.value) AS label
FROM (VALUES ('data-theme', 'HEAL'), ('data-theme', 'EDUC'), ('data-theme', 'none'), ('frequency', 'R/P3M'),
    ('frequency', 'BIENNIAL'), ('frequency', 'daily'), ('file-type', 'JSON_LD'), ('language', 'SPA'))
    v(vocabulary, value);

-- What an entry refers to stands in its place: contact, period, labels, literals; several pages say it of a publisher.
SELECT * FROM imported('[{"@graph": [
    {"@id": "http://d/1", "@type": "dcat:Dataset", "dct:title": "Graph", "dct:publisher": {"@id": "http://p"},
     "dct:identifier": "graph", "dcat:contactPoint": {"@id": "_:c"}, "dct:temporal": {"@id": "http://d/1#t"},
     "dct:license": {"@id": "http://d/1#license"}, "dct:rights": {"@id": "http://r"},
     "dct:issued": {"@value": "2020-01-02", "@type": "xsd:date"}, "dct:language": {"@id": "http://l/language/SPA"},
     "dcat:version": [{"@value": "one", "@language": "en"}, {"@value": "uno", "@language": "es"}],
     "dct:provenance": {"@id": "_:circle"}, "dct:spatial": {"@id": "http://nowhere"}},
    {"@id": "_:c", "@type": "vcard:Kind", "vcard:fn": {"@value": "Desk", "@language": "en"},
     "vcard:hasEmail": {"@id": "mailto:desk@a.example"}},
    {"@id": "http://d/1#t", "@type": "dct:PeriodOfTime",
     "dcat:startDate": {"@value": "2019-01-01", "@type": "xsd:date"}},
    {"@id": "http://d/1#license", "@type": "dct:LicenseDocument", "rdfs:label": "Ask us"},
    {"@id": "http://r", "rdfs:label": "Rights of others"}, {"@id": "_:circle", "in": {"@id": "_:circle"}},
    {"@id": "http://p", "foaf:name": "Of two pages"}]},
    {"@graph": [{"@id": "http://p", "foaf:mbox": {"@id": "mailto:p@a.example"}, "foaf:name": "Another name"}]}]');
SELECT jsonb_pretty(optionals) AS optionals FROM here WHERE name = 'Graph';

-- Expanded JSON-LD; records of catalogues stay addresses; no organization, type or frequency is named by an address.
SELECT * FROM imported('[
    {"@id": "http://d/2", "@type": ["http://www.w3.org/ns/dcat#Dataset"],
     "http://purl.org/dc/terms/title": [{"@value": "Expanded"}],
     "http://purl.org/dc/terms/publisher": [{"@id": "_:p"}],
     "http://www.w3.org/ns/dcat#contactPoint": [{"@id": "_:c"}], "http://www.w3.org/ns/dcat#theme": [{"@id": "_:t"}],
     "http://www.w3.org/ns/dcat#landingPage": [{"@id": "http://d/2"}],
     "http://purl.org/dc/terms/relation": [{"@id": "http://d/3"}, {"@id": "http://other"}],
     "http://www.w3.org/2002/07/owl#versionInfo": [{"@value": "1.0"}],
     "http://www.w3.org/ns/dcat#distribution": [{"@id": "_:f"}]},
    {"@id": "_:f", "@type": ["http://www.w3.org/ns/dcat#Distribution"],
     "http://www.w3.org/ns/dcat#accessURL": [{"@id": "https://a.example/rows"}],
     "http://purl.org/dc/terms/title": [{"@value": "Rows"}], "http://www.w3.org/ns/dcat#byteSize": [{"@value": "43.0"}],
     "http://purl.org/dc/terms/format": [{"@id": "_:m"}]},
    {"@id": "_:m", "http://www.w3.org/1999/02/22-rdf-syntax-ns#value": [{"@value": "application/vnd.ms-excel"}]},
    {"@id": "_:t", "http://www.w3.org/2004/02/skos/core#prefLabel": [{"@value": "Themes", "@language": "en"}]},
    {"@id": "_:p", "http://xmlns.com/foaf/0.1/name": [{"@value": "Expanded Office"}],
     "http://xmlns.com/foaf/0.1/mbox": [{"@id": "mailto:office@a.example"}]},
    {"@id": "_:c", "http://www.w3.org/2006/vcard/ns#fn": [{"@value": "Desk", "@language": "en"},
        {"@value": "Mesa", "@language": "es"}]},
    {"@id": "http://d/3", "@type": ["http://www.w3.org/ns/dcat#Dataset"],
     "http://purl.org/dc/terms/title": [{"@value": "By address"}],
     "http://purl.org/dc/terms/publisher": [{"@id": "https://office.example/"}],
     "http://purl.org/dc/terms/accrualPeriodicity": [{"@id": "http://purl.org/cld/freq/none"}],
     "http://www.w3.org/ns/dcat#distribution": [{
         "http://www.w3.org/ns/dcat#accessURL": [{"@id": "https://a.example/x"}],
         "http://purl.org/dc/terms/title": [{"@value": "No type"}]}]}]') WHERE outcome <> 'gone';
SELECT * FROM here WHERE name IN ('Expanded', 'By address');
SELECT o.name FROM catalogue.organizations o WHERE o.name ~ '[:/]';
SELECT d.dataset -> 'contacts' AS contacts, d.dataset #>> '{publisher,name}' AS publisher,
    d.dataset #>> '{publisher,email}' AS email, d.dataset #>> '{distribution,0,byteSize}' AS size
FROM catalogue.list('datasets', catalogue.dcat_query('name=Expanded')) l, json_array_elements(l.data::json) r,
    LATERAL (SELECT catalogue.dcat_written(catalogue.dcat_records(json_build_array(r)), 'said', '', '{}')::jsonb)
        d(dataset);

-- Lists of RDF, one of which ends in itself, and of JSON-LD.
SELECT * FROM imported('{"@graph": [
    {"@id": "http://d/4", "@type": "dcat:Dataset", "dct:title": "Lists", "dcat:keyword": {"@id": "_:1"},
     "dcat:theme": {"@list": [{"@value": "w"}, {"@value": "Transport"}]}, "dcat:distribution": {"@id": "_:3"}},
    {"@id": "_:1", "rdf:first": "one", "rdf:rest": {"@id": "_:2"}},
    {"@id": "_:2", "rdf:first": "two", "rdf:rest": {"@id": "http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"}},
    {"@id": "_:3", "rdf:first": {"@id": "http://f"}, "rdf:rest": {"@id": "_:4"}},
    {"@id": "_:4", "rdf:first": {"dct:title": "Second", "dcat:accessURL": {"@id": "https://a.example/2"}},
     "rdf:rest": {"@id": "_:4"}},
    {"@id": "http://f", "dct:title": "First", "dcat:downloadURL": {"@id": "https://a.example/1.csv"}}]}')
WHERE outcome <> 'gone';
SELECT h.name, h.categories, left(h.files, 50) AS files, (SELECT string_agg(t.name, ', ') FROM catalogue.datasets d
    JOIN catalogue.datasets_tags l ON l.dataset = d.id JOIN catalogue.tags t ON t.id = l.tag
    WHERE d.name = h.name) AS tags
FROM here h WHERE h.name = 'Lists';

-- A blank node of which nothing is said has no name.
SELECT * FROM imported('{"dataset": [{"identifier": "blank", "title": "Blank", "theme": {"@id": "_:t"},
    "keyword": [{"@id": "_:k"}, "one"], "publisher": {"@id": "_:p"}, "accrualPeriodicity": {"@id": "_:f"},
    "distribution": {"accessURL": "https://a.example/blank", "title": "x", "format": {"@id": "_:m"}}}]}')
WHERE outcome <> 'gone';
SELECT categories, files FROM here WHERE name = 'Blank';
