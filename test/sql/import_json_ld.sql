--
-- import_json_ld: JSON-LD by its rules: contexts, aliases of keywords, sets and lists, what is said in reverse, in
-- several objects, or once within another object
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The outcome and the notes of each entry of a document.
CREATE FUNCTION import(document text, source text) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT mask(concat_ws(' | ', e ->> 'outcome', e ->> 'id', e ->> 'message',
        (SELECT string_agg(n, '; ') FROM json_array_elements_text(e -> 'notes') n WHERE n !~ 'there is none')))
    FROM catalogue.import_dcat(document::json, source, '{}', admin()) r, json_array_elements(r -> 'entries') e
$$;
-- What a source has made.
CREATE FUNCTION made(source text) RETURNS TABLE (record text, optionals text) LANGUAGE sql AS
$$
    SELECT format('%s: %s; %s; %s; of %s', d.name, d.description,
            (SELECT array_agg(t.name::text ORDER BY t.name) FROM catalogue.tags t WHERE t.id = ANY (d.tags_ids)),
            (SELECT array_agg(c.name::text ORDER BY c.name) FROM catalogue.categories c
             WHERE c.id = ANY (d.categories_ids)), o.name),
        (d.optionals::jsonb - 'source')::text
    FROM catalogue.datasets d JOIN catalogue.imported i ON i.record = d.id
        LEFT JOIN catalogue.organizations o ON o.id = d.organization
    WHERE i.source = $1
    UNION ALL
    SELECT format('    file %s: %s; %s', f.name, f.url, t.name), f.optionals::text
    FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset
        JOIN catalogue.filetypes t ON t.id = f.type
    WHERE i.source = $1
    ORDER BY 1 DESC
$$;

-- Keywords and properties by other names, an @id by a prefix, sets, lists, and languages.
SELECT * FROM import('{"@context": {"id": "@id", "type": "@type", "value": "@value", "lang": "@language",
    "all": "@graph", "dc": "http://purl.org/dc/terms/", "titel": "dc:title", "beschreibung": {"@id": "dc:description"},
    "schlagwort": {"@id": "http://www.w3.org/ns/dcat#keyword", "@container": "@set"}, "thema": "dcat:theme",
    "verteilung": {"@id": "http://www.w3.org/ns/dcat#distribution", "@type": "@id"}, "Datensatz": "dcat:Dataset",
    "zugang": {"@id": "dcat:accessURL", "@type": "@id"}, "herausgeber": "dc:publisher",
    "farbe": "http://own.example/color"},
    "all": [{"id": "http://a/1", "type": ["Datensatz"],
        "titel": [{"value": "Wege", "lang": "de"}, {"value": "Ways", "lang": "en"}], "beschreibung": {"value": "Alle"},
        "schlagwort": {"@set": ["road", "way"]},
        "thema": {"@list": ["Transport"]}, "verteilung": ["http://a/1.csv"], "herausgeber": {"id": "http://a/office"},
        "farbe": "red"},
    {"id": "http://a/1.csv", "zugang": "https://a.example/1.csv", "titel": "Rows"},
    {"id": "http://a/office", "http://xmlns.com/foaf/0.1/name": {"value": "Office"}}]}', 'aliases');
SELECT * FROM made('aliases');

-- The context of DCAT-AP by its address; of types, and of the values of a property.
SELECT * FROM import('{"@context": ["https://semiceu.github.io/DCAT-AP/releases/3.0.0/context/dcat-ap.jsonld",
    {"Extra": {"@id": "dcat:Dataset", "@context": {"name": "dct:title"}},
     "wer": {"@id": "dct:publisher", "@context": {"name": "foaf:name", "wie": "foaf:name"}}}],
    "@graph": [{"@id": "http://b/1", "@type": "Dataset", "title": ["Lakes"],
        "frequency": {"@id": "http://f/frequency/WEEKLY"},
        "releaseDate": "2020-01-02", "licence": {"@id": "http://l/by"}, "geographicalCoverage": {"@id": "http://g/1"},
        "datasetDistribution": [{"@type": "Distribution", "downloadUrl": "https://b.example/1.csv", "title": "Rows"}]},
    {"@id": "http://b/2", "@type": "Extra", "name": "Ponds", "wer": {"wie": "Office"}}]}', 'context');
SELECT * FROM made('context');

-- Values by an index, or by their @id.
SELECT * FROM import('{"@context": {"files": {"@id": "dcat:distribution", "@container": "@id"},
    "words": {"@id": "dcat:keyword", "@container": "@index"},
    "steps": {"@id": "http://own/steps", "@container": "@list"}},
    "@graph": [{"@id": "http://c/1", "@type": "dcat:Dataset", "dct:title": "Index", "steps": ["b", "a"],
        "words": {"x": "one", "y": ["two", "three"]}, "files": {"https://c.example/1": {"dct:title": "One"},
        "https://c.example/2": {"dcat:accessURL": "https://c.example/2.csv"}}}]}', 'containers');
SELECT * FROM made('containers');

-- What is said in reverse, by @reverse and by a name for it.
SELECT * FROM import('{"@context": {"partOf": {"@reverse": "dcat:distribution"}},
    "@graph": [{"@id": "http://d/1", "@type": "dcat:Dataset", "dct:title": "Reverse"},
        {"@id": "http://d/1.csv", "dcat:accessURL": {"@id": "https://d.example/1.csv"},
         "@reverse": {"dcat:distribution": {"@id": "http://d/1"}}},
        {"dcat:accessURL": {"@id": "https://d.example/2.csv"}, "partOf": "http://d/1"},
        {"@id": "http://d/3.csv", "dcat:accessURL": {"@id": "https://d.example/3.csv"},
         "partOf": {"@id": "http://d/3", "@type": "dcat:Dataset", "dct:title": "Within reverse"}}]}', 'reverse');
SELECT * FROM made('reverse');

-- An object that is described once within another one, and several that say something of one thing.
SELECT * FROM import('{"@graph": [
    {"@id": "http://e/1", "@type": "dcat:Dataset", "dct:title": "First", "dct:publisher":
        {"@id": "http://e/office", "@type": "foaf:Agent", "foaf:name": "Inner Office"},
     "dcat:theme": {"@id": "http://e/t", "skos:prefLabel": "Trees"}},
    {"@id": "http://e/2", "@type": "dcat:Dataset", "dct:title": "Second", "dct:publisher": {"@id": "http://e/office"},
     "dcat:theme": [{"@id": "http://e/t"}]},
    {"@id": "http://e/3", "@type": "dcat:Dataset", "dct:title": "Third", "dct:publisher":
        {"@id": "http://e/office", "@type": "foaf:Agent"}, "dcat:keyword": ["a", "b"]},
    {"@id": "http://e/3", "dcat:keyword": ["b", "c"], "dct:description": "Said elsewhere"},
    {"@id": "http://e/3", "@type": ["dcat:Dataset"], "dct:title": "Third",
     "dcat:distribution": {"dcat:accessURL": "https://e.example/3.csv"}}]}', 'within');
SELECT * FROM made('within');

-- Datasets of catalogues in catalogues, of services and of series; a series is told of its members.
SELECT * FROM import('{"@type": "dcat:Catalog",
    "dataset": [{"@type": "dcat:Dataset", "identifier": "s1", "title": "Top"}],
    "catalog": [{"@type": "dcat:Catalog", "title": "Inner", "dataset": {"@type": "dcat:Dataset", "identifier": "s2",
        "title": "Of the inner one"}, "catalog": {"@type": "Catalog", "dataset": [{"identifier": "s3",
        "title": "Of the innermost"}]}}],
    "service": [{"@type": "DataService", "endpointURL": "https://s.example", "servesDataset": [{"@type": "Dataset",
        "identifier": "s4", "title": "Served"}, {"@id": "http://elsewhere"}]}],
    "datasetSeries": [{"@type": "DatasetSeries", "@id": "http://s/series", "title": "Years",
        "seriesMember": [{"@type": "Dataset", "identifier": "s5", "title": "Year 2020"}, {"@id": "http://s/6"}]}]}',
    'DCAT-US 3');
SELECT * FROM made('DCAT-US 3');
SELECT * FROM import('{"@graph": [
    {"@id": "http://g/c", "@type": "dcat:Catalog", "dcat:catalog": {"@id": "http://g/inner"}},
    {"@id": "http://g/inner", "@type": "dcat:Catalog", "dcat:dataset": {"@id": "http://g/1"}},
    {"@id": "http://g/1", "@type": "dcat:Dataset", "dct:title": "Year 1", "dcat:inSeries": {"@id": "http://g/s"}},
    {"@id": "http://g/2", "@type": "dcat:Dataset", "dct:title": "Year 2"},
    {"@id": "http://g/s", "@type": "dcat:DatasetSeries", "dct:title": "Years",
     "dcat:seriesMember": [{"@id": "http://g/2"}, {"@id": "http://g/1"}]}]}', 'graph of a series');
SELECT * FROM made('graph of a series');

-- Texts in the language of the context, unless a term, an object or a value says another one, or none; a text with a
-- type has none.
SELECT * FROM import('{"@context": {"@language": "de", "titel": {"@id": "dct:title"},
    "kurz": {"@id": "dct:description", "@language": "en"}, "wort": {"@id": "rdfs:label", "@language": null},
    "name": {"@id": "foaf:name", "@type": "http://www.w3.org/2001/XMLSchema#string"}},
    "@graph": [{"@id": "http://l/1", "@type": "dcat:Dataset", "titel": ["Wege"], "kurz": "Ways", "wort": "In none",
        "dcat:keyword": ["Weg", {"@value": "no"}, {"@value": "way", "@language": "en"}, {"@set": ["Pfad"]}],
        "dct:publisher": {"name": "Amt"}, "dct:issued": "2020-01-02", "http://own/note": ["a", "b"],
        "dcat:distribution": {"dcat:accessURL": "https://l.example/1.csv", "dct:title": "Zeilen"}},
    {"@context": {"@language": "EN-gb"}, "@id": "http://l/2", "@type": "dcat:Dataset", "titel": "Paths"},
    {"@context": {"@language": null}, "@id": "http://l/3", "@type": "dcat:Dataset", "titel": "None"},
    {"@context": null, "@id": "http://l/4", "@type": "dcat:Dataset", "dct:title": "Reset"},
    {"@context": [{"@language": "fr"}, {"t": {"@id": "dct:title", "@context": {}}}], "@id": "http://l/5",
     "@type": "dcat:Dataset", "t": {"@value": "Routes", "@language": "es"}}]}', 'languages');
SELECT * FROM made('languages');
-- a context of an object alone
SELECT * FROM import('{"@graph": [{"@context": {"titel": "dct:title", "@base": "http://w.example/", "@language": "de"},
    "@id": "1", "@type": "dcat:Dataset", "titel": "Innen"}]}', 'within an object');
SELECT * FROM made('within an object');

-- IRIs that are relative to that of the context: of objects, references, properties and indexes, not of other strings.
SELECT * FROM import('{"@context": {"@base": "https://b.example/x/y?q#f", "dist": {"@id": "dcat:distribution",
    "@type": "@id"}, "by": {"@id": "dcat:distribution", "@container": "@id"}, "own": {"@id": "http://own/iri",
    "@type": "@id"}, "part": {"@reverse": "dcat:distribution", "@type": "@id"}},
    "@graph": [{"@id": "d/1", "@type": "dcat:Dataset", "dct:title": "Relative", "dist": ["1.csv", "../2.csv"],
        "dct:publisher": {"@id": "/office"}, "dct:license": {"@id": "//l.example/by"}, "own": ["#part", "?r", "./z/..",
        "../../../a/./b/../c", "urn:x:1", "_:b"], "http://own/text": "#part"},
    {"@id": "1.csv", "dcat:accessURL": {"@id": "get/1.csv"}, "dct:title": "One"},
    {"@id": "https://b.example/2.csv", "dcat:accessURL": {"@id": "../2.csv"}, "dct:title": "Its own address"},
    {"@id": "3.csv", "dcat:accessURL": {"@id": "get/3.csv"}, "dct:title": "Three", "part": "d/1"},
    {"@id": "../office", "foaf:name": "Office"},
    {"@context": {"@base": "deep/"}, "@id": "2", "@type": "dcat:Dataset", "dct:title": "Relative base",
     "by": {"4.csv": {"dcat:accessURL": {"@id": "4.csv"}}}},
    {"@context": {"@base": "https://c.example"}, "@id": "3", "@type": "dcat:Dataset", "dct:title": "Other base"},
    {"@context": {"@base": null}, "@id": "4", "@type": "dcat:Dataset", "dct:title": "No base"}]}', 'base');
SELECT * FROM made('base');

-- IRIs that begin with a prefix of the context are those in full; also where others name them by strings.
SELECT * FROM import('{"@context": {"ex": "http://x.example/d/",
    "eu": "http://publications.europa.eu/resource/authority/",
    "l": {"@id": "dct:license", "@type": "@id"}},
    "@graph": [{"@id": "ex:1", "@type": "dcat:Dataset", "dct:title": "Compact", "dct:publisher": {"@id": "ex:office"},
        "dcat:theme": {"@id": "eu:data-theme/ENER"}, "l": "ex:by?a=1", "dcat:distribution": ["ex:1.csv"],
        "dct:source": {"@id": "nosuch:1"}, "dct:type": {"@id": "ex://no"}},
    {"@id": "ex:office", "foaf:name": "Office"},
    {"@id": "ex:1.csv", "dcat:accessURL": {"@id": "ex:get/1.csv"}}]}', 'compact');
SELECT * FROM made('compact');

-- What is nested only to be written together is said of the object; what is included is beside it.
SELECT * FROM import('{"@context": {"about": "@nest", "more": "@included", "label": {"@id": "dct:title",
    "@nest": "about"}},
    "@id": "http://n/1", "@type": "dcat:Dataset", "about": [{"label": "Nested", "@nest": {"dct:description": "Deeper",
        "@nest": [{"dcat:keyword": "deepest"}]}}, {"dct:publisher": {"@id": "http://n/office"}}],
    "more": [{"@id": "http://n/office", "foaf:name": "Office", "@included": {"@id": "http://n/2",
        "@type": "dcat:Dataset", "dct:title": "Included"}},
        {"@id": "http://n/3", "@type": "dcat:Dataset", "dct:title": "Included, too"}]}', 'nested');
SELECT * FROM made('nested');
SELECT * FROM import('{"@included": [{"@id": "http://n/4", "@type": "dcat:Dataset", "@nest": {"dct:title": "Only"}}]}',
    'nested 2');

-- Two names of one property, and one that is nested as well, say all that both say; the same name twice is told.
SELECT * FROM import('{"@context": {"titel": "dct:title", "wort": {"@id": "dcat:keyword", "@language": "de"},
    "word": {"@id": "dcat:keyword", "@language": "en"}, "von": "dct:publisher"}, "@graph": [
    {"@id": "http://j/1", "@type": "dcat:Dataset", "wort": ["Weg"], "titel": "Joined", "word": "way",
     "dct:issued": "2020", "dcat:keyword": [{"@value": "vía", "@language": "es"}],
     "dct:title": {"@value": "Unidos", "@language": "es"},
     "dct:modified": "2021"},
    {"@id": "http://j/2", "@type": "dcat:Dataset", "titel": "First", "titel": "Twice", "word": [], "wort": []}]}',
    'joined');
SELECT * FROM made('joined');
SELECT * FROM import('{"@id": "http://j/3", "@type": "dcat:Dataset", "dct:title": "Joined by nests",
    "dcat:keyword": "a", "@nest": [{"dcat:keyword": ["b", "c"]}, {"dcat:keyword": "d", "@id": "http://j/4"}]}',
    'joined by nests');
SELECT * FROM made('joined by nests');

-- A context that another one begins with, whose terms stand above it.
SELECT * FROM import('{"@context": {"licence": "http://own/licence",
    "@import": "https://semiceu.github.io/DCAT-AP/releases/3.0.0/context/dcat-ap.jsonld"},
    "@graph": [{"@id": "http://i/1", "@type": "Dataset", "title": "Begun with",
        "releaseDate": "2020-01-02", "licence": "own"}]}', 'begun');
SELECT * FROM made('begun');

-- Of no form, unknown, too deep: each is told, or in optionals, and is not in the way of the rest.
SELECT mask(n) FROM json_array_elements_text(catalogue.import_dcat(('{"@context": [{"@base": "x/y",
    "@language": 5,
    "@import": ["https://i.example/a"]}, {"@base": 7, "@language": "no tag", "@import": "https://i.example/b"},
    {"@base": "http://b b/", "t": {"@id": "dct:title", "@language": {}}}, {"@base": "http://b/' || repeat('b', 500)
    || '"}, {"m": "n", "n": "m", "@nest": "n"}],
    "@graph": [{"@id": "o/1", "@type": "dcat:Dataset", "t": "Of no form",
        "@nest": ["a", null, {"dct:description": "Kept"}],
        "@included": ["b", [{"@id": "o/2"}], {"@id": "o/3", "@type": "dcat:Dataset", "dct:title": "Kept"}],
        "n": 1, "m": 2, "@reverse": ["a", {"dcat:dataset": "b"}]}]}'
    )::json, 'odd context', '{}', admin()) -> 'notes') n(n);
SELECT * FROM made('odd context');
SELECT left(import, 80) FROM import(format('{"@graph": [{"@id": "http://o/deep", "@type": "dcat:Dataset",
    "dct:title": "Deep", %s"dct:description": "too deep"%s}]}', repeat('"@nest": {', 900), repeat('}', 900)), 'deep');
SELECT left(import, 80) FROM import(format('{"@graph": [{"@id": "http://o/deep", "@type": "dcat:Dataset",
    "dct:title": "Deep", "@included": %s{}%s}]}', repeat('{"@included": ', 900), repeat('}', 900)), 'deep');
SELECT * FROM refusal(format('SELECT catalogue.import_dcat(%L, %L, %L, admin())', json_build_object('@context',
    json_build_object('@base', 'http://b/' || repeat('b', 480) || '/'), '@graph',
    (SELECT json_agg(json_build_object('@id', 'x')) FROM generate_series(1, 4000))), 'large', '{}'));

-- Each keyword with a value of each kind: in an object, in a context, in a term.
SELECT place, count(*), count(*) FILTER (WHERE report -> 'entries' -> 0 ->> 'outcome' = 'created') AS created
FROM unnest(string_to_array('context id type graph reverse nest included set list value language index base import '
        'vocab container version relative', ' ')) k(keyword),
    unnest(ARRAY['null', '7', '""', '"a b"', '"@id"', '[]', '[null, "a", [1]]', '{}', '{"": [{}]}',
        '{"@id": {"a": 1}}']) v(value),
    LATERAL (VALUES ('object', '', ', %s'), ('context', '"@context": {%s}, ', ''),
        ('term', '"@context": {"u": {%s}}, ', '')) p(place, before, within),
    LATERAL (SELECT format('"@%s": %s', keyword, value) AS said) s,
    LATERAL catalogue.import_dcat(format('{%s"@graph": [{"@type": "dcat:Dataset", "@id": "http://q/1",
            "dct:title": "Each", "u": ["a"]%s}]}', format(before, said), format(within, said))::json, 'each',
        '{"dryRun": true}', admin()) i(report)
GROUP BY 1 ORDER BY 1;

-- Several documents, each with its own context.
SELECT * FROM import('[{"@context": {"n": "dct:title"},
    "@graph": [{"@id": "http://h/1", "@type": "dcat:Dataset", "n": "One"}]}, {"@context": {"m": "dct:title"},
    "@graph": [{"@id": "http://h/2", "@type": "dcat:Dataset", "m": "Two", "n": "Other"}]}]', 'pages');
SELECT * FROM made('pages');

-- Contexts in a circle, of no form, or too deep; names that cannot be stored; none of them is in the way of the rest.
SELECT * FROM import('{"@context": [null, 1, {"a": "b:x", "b": "a:y", "c": "c", "d": null, "e": {"@id": null}, "f": [1],
    "g": {"@context": {"g": {"@context": {"g": {"@context": {"g": {"@context": {"g": {"@context": {}}}}}}}}}},
    "h": {"@reverse": 5}, "i": {"@container": ["@set", "@index"]}, "t\u0000": "dct:title", "@vocab": "http://v/",
    "k": "@id", "l": {"@id": "dct:title", "@container": "@id"}}],
    "@graph": [{"k": "http://k/1", "@type": "dcat:Dataset", "dct:title": "Odd", "a": 1, "c": 2, "d": 3, "e": 4, "f": 5,
        "g": {"g": {"g": {"g": {"g": 6}}}}, "h": 7, "i": 8, "l": "x",
        "@reverse": {"dcat:dataset": ["http://k/c", 5, null]}}]}', 'odd');
SELECT * FROM made('odd');
SELECT count(*) FROM import(json_build_object('@context', json_build_object('n', 'dct:title'), '@graph',
    (SELECT json_agg(json_build_object('@id', 'http://m/' || n, '@type', 'dcat:Dataset', 'n', 'Many ' || n,
        'dct:publisher', json_build_object('@id', 'http://m/p', 'foaf:name', 'Office ' || n)))
     FROM generate_series(1, 300) n))::text, 'many');
-- A context by an address that is not known is told.
SELECT catalogue.import_dcat('{"@context": ["http://x.example/a.jsonld", "http://x.example/a.jsonld",
    "https://schema.org/"], "@graph": [{"@id": "http://n/1", "@type": "dcat:Dataset", "dct:title": "Unknown"}]}',
    'unknown', '{}', admin()) -> 'notes' AS notes;
