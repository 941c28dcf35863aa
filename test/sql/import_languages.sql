--
-- import_languages: texts in several languages, in each form that has them: which are taken, and what becomes of the
-- others
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The outcome and the notes of each entry of a document.
CREATE FUNCTION import(document text, source text) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT mask(concat_ws(' | ', e ->> 'outcome', e ->> 'id', e ->> 'message', e ->> 'notes'))
    FROM catalogue.import_dcat(document::json, source, '{"publish": true}', admin()) r,
        json_array_elements(r -> 'entries') e
$$;
-- What a source has made: texts of the records, and which languages they have besides.
CREATE FUNCTION made(source text) RETURNS TABLE (record text, language text, translations text) LANGUAGE sql AS
$$
    SELECT format('%s: %s; %s', d.name, d.description,
            (SELECT array_agg(t.name::text ORDER BY t.name) FROM catalogue.tags t WHERE t.id = ANY (d.tags_ids))),
        d.optionals ->> 'textLanguage', d.optionals ->> 'translations'
    FROM catalogue.datasets d JOIN catalogue.imported i ON i.record = d.id WHERE i.source = $1
    UNION ALL
    SELECT format('    file %s: %s', f.name, f.description), f.optionals ->> 'textLanguage',
        f.optionals ->> 'translations'
    FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset WHERE i.source = $1
    ORDER BY 1 DESC
$$;

-- The languages of the catalogue: of the search, before them that of config catalogLanguage; another form of its tag is
-- the same language.
SELECT tag FROM catalogue.text_languages() ORDER BY n;
SELECT make('configs', '{"key": "catalogLanguage", "value": "PT_br", "type": "string", "category": "site",
    "description": "x"}') AS config \gset
SELECT tag FROM catalogue.text_languages() ORDER BY n;
UPDATE catalogue.configs SET value = 'http://publications.europa.eu/resource/authority/language/ENG'
WHERE id = :'config';
SELECT tag FROM catalogue.text_languages() ORDER BY n;
SET catalogue.search_languages = 'english, german';
SELECT tag FROM catalogue.text_languages() ORDER BY n;
RESET catalogue.search_languages;

-- JSON-LD, as Turtle and RDF/XML become it: the catalogue's language, in a region too, for all fields.
SELECT * FROM import('{"@graph": [{"@id": "http://l/1", "@type": "dcat:Dataset",
    "dct:title": [{"@value": "Caminos", "@language": "es"}, {"@value": "Wege", "@language": "de"},
        {"@value": "Roads", "@language": "en-GB"}],
    "dct:description": [{"@value": "Todos los caminos", "@language": "es"},
        {"@value": "All roads", "@language": "EN-gb"}],
    "dcat:keyword": [{"@value": "camino", "@language": "es"}, {"@value": "calle", "@language": "es"},
        {"@value": "road", "@language": "en-gb"}, "A-7"],
    "dcat:distribution": {"@id": "http://l/1.csv"}},
    {"@id": "http://l/1.csv", "dcat:accessURL": {"@id": "https://l.example/1.csv"},
     "dct:title": [{"@value": "Filas", "@language": "es"}, {"@value": "Rows", "@language": "en"}]}]}', 'JSON-LD');
SELECT * FROM made('JSON-LD');
-- JSON: objects by language, lists in them, an empty one, none
SELECT * FROM import('[{"identifier": "j1", "title": {"es": "Ríos", "en": "Rivers", "fr": ""},
    "description": {"es": "Todos", "fr": "Tous", "@none": "0"}, "keyword": {"es": ["río", "agua"], "en": ["river"]},
    "distribution": [{"accessURL": "https://l.example/2.csv", "title": {"es": "Filas", "en": "Rows"},
        "description": {"es": "Una por río"}}]}]', 'JSON');
SELECT * FROM made('JSON');
-- CKAN: title_translated, notes_translated, tags_translated, keywords; the plain text that is one of them again is none
SELECT * FROM import('{"result": [{"id": "c1", "name": "lakes", "title": "Lagos", "notes": "Todos",
    "title_translated": {"es": "Lagos", "en": "Lakes"}, "notes_translated": {"es": "Todos", "en": "All"},
    "tags": [{"name": "lago"}], "tags_translated": {"es": ["lago"], "en": ["lake"]},
    "resources": [{"id": "r1", "url": "https://l.example/3.csv", "name": "Filas",
        "name_translated": {"es": "Filas", "en": "Rows"}, "description_translated": {"en": "One per lake"}}]},
    {"id": "c2", "name": "ponds", "title_translated": {"fr": "Mares", "en": "Ponds"}, "keywords": {"fr": ["mare"]},
     "resources": []}]}', 'CKAN');
SELECT * FROM made('CKAN');

-- Without a text in the catalogue's language: that of the most fields, of as many the lowest tag; a field
-- that has none in it has another one, which textLanguage tells.
SELECT * FROM import('[{"identifier": "m1", "title": {"fr": "Ponts", "de": "Bruecken", "it": "Ponti"},
    "description": {"it": "Tutti", "fr": "Tous"}, "keyword": {"it": ["ponte"]}},
    {"identifier": "m2", "title": {"fr": "Tours", "de": "Tuerme"}, "keyword": {"nl": ["toren"], "sv": ["torn"]}},
    {"identifier": "m3", "title": {"pt-BR": "Pontes", "de": "Stege"}}]', 'most');
SELECT * FROM made('most');

-- Two texts in one language, a tag that is none, a description that is the title, one language under two names.
SELECT * FROM import('{"@graph": [{"@id": "http://l/2", "@type": "dcat:Dataset",
    "dct:title": [{"@value": "Second", "@language": "en"}, {"@value": "First", "@language": "en"},
        {"@value": "Odd", "@language": "no such language"}, {"@value": "Otro", "@language": "es_AR"}],
    "dct:description": [{"@value": "Otro", "@language": "es-ar"}, {"@value": "Text", "@language": "en"}]}]}', 'odd');
SELECT * FROM made('odd');

-- Objects that are no texts by language: the member that has the text is found as before.
SELECT * FROM import('[{"identifier": "o1", "title": {"value": "Value"},
    "keyword": [{"id": "t", "name": "tag"}]}]', 'none');
SELECT * FROM made('none');

-- Any order says the same.
SELECT * FROM import('[{"keyword": {"en": ["river"], "es": ["agua", "río"]}, "identifier": "j1",
    "description": {"@none": "0", "fr": "Tous", "es": "Todos"}, "title": {"fr": "", "en": "Rivers", "es": "Ríos"},
    "distribution": [{"title": {"en": "Rows", "es": "Filas"}, "description": {"es": "Una por río"},
        "accessURL": "https://l.example/2.csv"}]}]', 'JSON');
-- Another language of the catalogue: names follow, and the former ones are kept.
UPDATE catalogue.configs SET value = 'es' WHERE id = :'config';
SELECT * FROM import('[{"identifier": "j1", "title": {"es": "Ríos", "en": "Rivers"}, "description": {"es": "Todos"},
    "keyword": {"es": ["río"], "en": ["river"]},
    "distribution": [{"accessURL": "https://l.example/2.csv", "title": {"es": "Filas", "en": "Rows"}}]}]', 'JSON');
SELECT * FROM made('JSON');
UPDATE catalogue.configs SET value = 'en' WHERE id = :'config';
SELECT * FROM import('[{"identifier": "j1", "title": {"es": "Ríos", "en": "Rivers"}, "description": {"es": "Todos"},
    "distribution": [{"accessURL": "https://l.example/2.csv", "title": {"es": "Filas", "en": "Rows"}}]}]', 'JSON');

-- They are found by search, as fields are; what is beside them in optionals is not, nor what is no translation.
SELECT q, names(catalogue.list('datasets', 'orderBy=name&query=' || q))
FROM unnest('{wege,todos+los+caminos,CALLE,lakes,l.example,textLanguage,nosuch}'::text[]) q ORDER BY q;
SELECT q, m, names(catalogue.list('datasets', 'orderBy=name&match=' || m || '&query=' || q))
FROM unnest('{lakes,lake,todos}'::text[]) q, unnest('{WORDS,EXACT,BEGINS,ENDS}'::text[]) m ORDER BY q, m;
SELECT q, names(catalogue.list('files', 'orderBy=name&query=' || q)) FROM unnest('{rows,una+por}'::text[]) q;
-- a filter on the field is of all of it
SELECT names(catalogue.list('datasets', 'optionals=JSON-LD&match=CONTAINS'));
-- what an editor writes is as good; what is no object of texts is not searched
CREATE FUNCTION found_with(optionals json) RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.datasets d SET optionals = $1 WHERE d.name = 'First';
    RETURN (catalogue.list('datasets', 'fields=name&query=zzz')).count;
END
$$;
SELECT o.given, found_with(o.given)
FROM unnest(ARRAY['{"translations": {"it": {"name": "Zzz uno"}}}', '{"translations": "zzz"}',
    '{"translations": {"it": ["a zzz", {"name": 1}]}}', '{"other": "zzz"}', '["translations", "zzz"]',
    '{"nested": {"translations": {"it": {"name": "zzz"}}}}',
    '{"translations": 1, "translations": {"a": "zzz"}}']::json[]) o(given);

-- Given on with their tags in each form of RDF.
SELECT mask(line)
FROM catalogue.datasets d,
    regexp_split_to_table((catalogue.dataset_rdf(d.id, 'turtle', 'https://d.example')).data, E'\n') line
WHERE d.name IN ('Roads', 'Ponti', 'Tuerme') AND line ~ 'title|description|keyword|language' ORDER BY d.name, line;
-- an editor's tags that are none
SELECT found_with('{"textLanguage": "a \"b", "language": "de", "translations": {"x \"": {"name": "A"},
    "und": {"name": "B"}, "en": {"name": ["C"], "description": 1, "tags": "D"}, "fr": "E"}}');
SELECT mask(line)
FROM catalogue.datasets d,
    regexp_split_to_table((catalogue.dataset_rdf(d.id, 'turtle', 'https://d.example')).data, E'\n') line
WHERE d.name = 'First' AND line ~ 'title|description|keyword|language' ORDER BY line;

-- Read back by another catalogue as the same, from each form; names get a number beside the originals.
UPDATE catalogue.datasets d SET optionals = '{}' WHERE d.name = 'First';
SELECT string_agg((d.piece).data, '') AS data_json
FROM (SELECT catalogue.data_json('optionals=textLanguage&match=CONTAINS', 'https://d.example')) d(piece) \gset
SELECT data AS catalog
FROM catalogue.catalog('optionals=textLanguage&match=CONTAINS', 'jsonld', 'https://d.example') \gset
SELECT count(*) FROM import(:'data_json', 'data.json');
SELECT count(*) FROM import(:'catalog', 'catalog');
CREATE FUNCTION alike(source text) RETURNS TABLE (record text, language text, translations text) LANGUAGE sql AS
$$
    SELECT regexp_replace(m.record, '( \(\d\))+', ''), m.language, m.translations FROM made(source) m
    WHERE m.language IS NOT NULL
$$;
CREATE TEMPORARY TABLE originals AS
    SELECT a.* FROM unnest('{JSON-LD,JSON,CKAN,most}'::text[]) s, alike(s) a;
SELECT (SELECT count(*) FROM originals) AS originals, (SELECT count(*) FROM alike('data.json')) AS data_json,
    (SELECT count(*) FROM alike('catalog')) AS catalog;
SELECT s AS form, a.*
FROM unnest('{data.json,catalog}'::text[]) s, LATERAL (SELECT * FROM alike(s) EXCEPT SELECT * FROM originals) a
ORDER BY 1, 2;

-- A text in no language beside others is in the one that its entry says, or the catalogue where the entry says nothing,
-- by a tag or an address; not where that are several, nor where no text has a language.
CREATE FUNCTION said(catalogue text, entry text, source text) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT import(format('{"@graph": [{"@id": "http://c", "@type": "dcat:Catalog" %s}, {"@id": "http://s/%s",
        "@type": "dcat:Dataset", "dct:title": ["Wege %s", {"@value": "Ways %s", "@language": "en"}],
        "dct:description": "Alle", "dcat:keyword": ["Weg", {"@value": "way", "@language": "en"}],
        "dcat:distribution": {"dcat:accessURL": "https://s.example/1", "dct:title": "Zeilen"} %s}]}', catalogue, source,
        source, source, entry), source)
$$;
SELECT s.source, said(catalogue, entry, s.source)
FROM (VALUES ('catalogue', ', "dct:language": "de"', ''), ('entry', ', "dct:language": "fr"', ', "dct:language":
    {"@id": "http://publications.europa.eu/resource/authority/language/DEU"}'),
    ('region', '', ', "language": ["de-AT"]'),
    ('several', ', "dct:language": "de"', ', "dct:language": ["fr", "it"]'),
    ('nothing', ', "dct:language": ["de", "en"]', ', "dct:language": "<x>"')) s(source, catalogue, entry);
SELECT s.source, m.* FROM unnest('{catalogue,entry,region,several,nothing}'::text[]) s(source), made(s.source) m;
-- JSON and CKAN; catalogues that differ say nothing; "und" is a language that is said
SELECT * FROM import('{"language": "de", "dataset": [{"identifier": "u1", "title": {"@none": "Seen", "en": "Ponds"},
    "keyword": ["See"]}, {"identifier": "u2", "title": "Only", "keyword": ["See"]},
    {"identifier": "u3", "title": {"und": "Unbekannt", "en": "Unknown"}}]}', 'usual of JSON');
SELECT * FROM made('usual of JSON');
SELECT * FROM import('{"result": [{"id": "u4", "name": "x", "title": "Muelles", "title_translated": {"en": "Quays"},
    "language": "http://id.loc.gov/vocabulary/iso639-2/spa", "resources": []}]}', 'usual of CKAN');
SELECT * FROM made('usual of CKAN');
SELECT * FROM import('[{"language": "de", "dataset": [{"identifier": "u5",
    "title": {"@none": "Teiche", "en": "Pools"}}]},
    {"language": "fr", "dataset": [{"identifier": "u6", "title": "x"}]}]', 'usual of two');
SELECT * FROM made('usual of two');
