--
-- import_keys: an entry is known by its source and any of its IRI and its identifiers, in any order
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Records have names here: D1 is the first that was made.
CREATE TABLE label (n int GENERATED ALWAYS AS IDENTITY, record text PRIMARY KEY);
CREATE FUNCTION labelled(line text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    known  record;
BEGIN
    FOR known IN SELECT n, record FROM label LOOP
        line := replace(line, known.record, 'D' || known.n);
    END LOOP;
    RETURN line;
END
$$;
-- What a document does, and what is there then: each entry with the keys by which it is known.
CREATE FUNCTION import(document text, source text DEFAULT 'test', options text DEFAULT '{"gone": "delete"}')
    RETURNS SETOF text LANGUAGE plpgsql AS
$$
DECLARE
    report  CONSTANT json := catalogue.import_dcat(document::json, source, options::json, admin());
BEGIN
    INSERT INTO label (record) SELECT e ->> 'record' FROM json_array_elements(report -> 'entries') e
        WHERE e ->> 'record' IS NOT NULL ON CONFLICT DO NOTHING;
    RETURN QUERY SELECT labelled(concat_ws(' | ', e ->> 'outcome', e ->> 'id', e ->> 'record', e ->> 'done',
            e ->> 'message', e -> 'data' -> 'identifier' -> 0 ->> 'message', e ->> 'notes'))
        FROM json_array_elements(report -> 'entries') e;
    RETURN QUERY SELECT n.note FROM json_array_elements_text(report -> 'notes') n(note) WHERE n.note !~ '^these have';
END
$$;
CREATE FUNCTION known(of text) RETURNS TABLE (key text, further text[], record text, living boolean) LANGUAGE sql AS
$$
    SELECT i.id, array(SELECT k.key FROM catalogue.imported_key k WHERE (k.source, k.id) = (i.source, i.id)
                       ORDER BY k.key COLLATE "C"), labelled(i.record), d.deleted_at IS NULL
    FROM catalogue.imported i JOIN catalogue.datasets d ON d.id = i.record WHERE i.source = $1
    ORDER BY i.id COLLATE "C"
$$;
-- Entries in each form: an IRI, identifiers (JSON), a title.
CREATE FUNCTION node(iri text, identifiers text, title text) RETURNS text LANGUAGE sql AS
$$
    SELECT format('{"@id": "%s", "@type": "dcat:Dataset", "dct:identifier": %s, "dct:title": "%s", '
        '"dcat:theme": "Water"}', iri, identifiers, title)
$$;
CREATE FUNCTION graph(VARIADIC nodes text[]) RETURNS text LANGUAGE sql AS
$$ SELECT format('{"@graph": [%s]}', array_to_string(nodes, ',')) $$;
CREATE FUNCTION data(VARIADIC identifiers text[]) RETURNS text LANGUAGE sql AS
$$
    SELECT format('{"dataset": [%s]}', string_agg(format('{"identifier": %s, "title": "Data %s", "theme": "Water"}',
        i, n), ',' ORDER BY n)) FROM unnest(identifiers) WITH ORDINALITY u(i, n)
$$;
CREATE FUNCTION ckan(id text, name text, guid text) RETURNS text LANGUAGE sql AS
$$
    SELECT format('{"success": true, "result": [{"id": "%s", "name": "%s", "title": "Package", '
        '"groups": [{"name": "Water"}], "resources": [], "extras": [{"key": "guid", "value": "%s"}, '
        '{"key": "spatial", "value": "x"}]}]}', id, name, guid)
$$;

-- Identifiers in another order, one less, one more, another IRI: the same dataset, while anything stays.
SELECT * FROM import(graph(node('http://d/1', '["A", "B"]', 'Roads')));
SELECT * FROM import(graph(node('http://d/1', '["B", "A"]', 'Roads')));
SELECT * FROM import(graph(node('http://d/1', '["B", "C"]', 'Roads')));
SELECT * FROM import(graph(node('http://D/one', '"c"', 'Roads')));
SELECT * FROM import(graph(node('http://d/one', '[]', 'Roads')));
SELECT * FROM import(graph(node('http://d/1', '{"@value": "D", "@type": "xsd:string"}', 'Roads')));
SELECT * FROM known('test');
-- another source knows none of them; and where nothing stays, it is another one
SELECT * FROM import(graph(node('http://d/1', '"A"', 'Roads')), 'other source');
SELECT * FROM import(graph(node('http://d/2', '"E"', 'Roads')), 'test', '{"gone": "delete", "acceptLoss": true}');
SELECT * FROM known('test');

-- data.json: identifiers as a list, as objects, as a number
SELECT * FROM import(data('["A", "B"]'), 'data.json');
SELECT * FROM import(data('["B", "A"]'), 'data.json');
SELECT * FROM import(data('{"@type": "PropertyValue", "propertyID": "doi", "value": "b"}'), 'data.json');
SELECT * FROM import(data('[{"notation": "N"}, {"value": 7}, "B"]'), 'data.json');
SELECT * FROM import(data('7'), 'data.json');
SELECT * FROM known('data.json');
-- identifiers that are nodes of the graph, of two vocabularies
SELECT * FROM import(graph(node('http://d/3', '{"@id": "_:a"}, "adms:identifier": [{"@id": "_:b"},
    {"@id": "http://doi/1"}]', 'Identified'), '{"@id": "_:a", "skos:notation": "N1"}',
    '{"@id": "_:b", "skos:notation": {"@value": "N2", "@type": "http://x"}, "adms:schemaAgency": "x"}'), 'nodes');
SELECT * FROM known('nodes');
-- a reference of a list to a node is known by what the node says
SELECT * FROM import('[{"@graph": [{"@id": "http://d/4", "title": "Node", "identifier": ["Q", "P"],
    "theme": "Water"}]}]', 'reference');
SELECT * FROM import('[{"@context": {}, "dataset": [{"@id": "http://d/5"}]}, {"@graph": [{"@id": "http://d/5",
    "@type": "x", "title": "Node", "identifier": ["P"], "theme": "Water"}]}]', 'reference');

-- CKAN: by id, guid or name
SELECT * FROM import(ckan('u-1', 'package', 'G1'), 'CKAN');
SELECT * FROM import(ckan('u-2', 'renamed', 'g1'), 'CKAN');
SELECT * FROM import(ckan('u-3', 'renamed', 'g2'), 'CKAN');
SELECT * FROM import(ckan('U-2', 'again', 'g3'), 'CKAN');
SELECT * FROM known('CKAN');

-- Of catalogues of before: rows by one identifier, without further keys.
SELECT * FROM import(data('"A"', '"B"'), 'before');
DELETE FROM catalogue.imported_key WHERE source = 'before';
SELECT * FROM import(graph(node('http://d/a', '["C", "A"]', 'Data 1'), node('http://d/b', '["B"]', 'Data 2')),
    'before');
SELECT * FROM import(graph(node('http://d/a', '[]', 'Data 1'), node('http://d/b', '[]', 'Data 2')), 'before');
SELECT * FROM known('before');
-- one dataset that earlier versions made twice, of which the import has deleted one: the living one stays, silently
SELECT * FROM import(data('"A"', '"C"'), 'flip');
SELECT * FROM import(data('"B"', '"C"'), 'flip');
SELECT * FROM known('flip');
SELECT * FROM import(data('["A", "B"]', '"C"'), 'flip');
SELECT * FROM import(data('["B", "A"]', '"C"'), 'flip');
SELECT * FROM known('flip');

-- An entry that matches two records: it is the one by its IRI, else by its first identifier; the other is told, and
-- stays.
SELECT * FROM import(graph(node('http://d/x', '"X"', 'Dataset X'), node('http://d/y', '"Y"', 'Dataset Y')), 'two');
SELECT * FROM import(graph(node('http://d/y', '["X", "Y"]', 'Dataset Y')), 'two');
SELECT * FROM import(graph(node('http://d/z', '["Y", "X"]', 'Dataset Y')), 'two');
SELECT * FROM known('two');
-- once no entry names it, it is gone
SELECT * FROM import(graph(node('http://d/z', '[]', 'Dataset Y')), 'two');

-- Entries of one document that share an identifier are two by their IRIs, in any order.
SELECT * FROM import(graph(node('http://s/1', '"S"', 'Shared 1'), node('http://s/2', '"s"', 'Shared 2')), 'shared');
SELECT * FROM import(graph(node('http://s/2', '"S"', 'Shared 2'), node('http://s/1', '"S"', 'Shared 1')), 'shared');
SELECT * FROM known('shared');
-- of which earlier versions refused the second
SELECT * FROM import(data('"S"'), 'shared before');
SELECT * FROM import(graph(node('http://s/1', '"S"', 'Data 1'), node('http://s/2', '"S"', 'Shared 2')),
    'shared before');
SELECT * FROM import(graph(node('http://s/2', '"S"', 'Shared 2'), node('http://s/1', '"S"', 'Data 1')),
    'shared before');
-- without an IRI the second has nothing by which it is known
SELECT * FROM import(data('"S"', '["S", "s"]', '["S", "T"]'), 'no IRI');
SELECT * FROM import(data('["S", "T"]', '"S"'), 'no IRI');

-- An identifier moves to another entry: both stay what they are, in any order.
SELECT * FROM import(graph(node('http://m/1', '["M", "N"]', 'Move 1'), node('http://m/2', '[]', 'Move 2')), 'moved');
SELECT * FROM import(graph(node('http://m/2', '["M", "N"]', 'Move 2'), node('http://m/1', '[]', 'Move 1')), 'moved');
SELECT * FROM known('moved');
SELECT * FROM import(data('["M", "N"]'), 'parted');
SELECT * FROM import(data('"N"', '"M"'), 'parted');
SELECT * FROM known('parted');

-- What the source has deleted is known by its keys, too; a blank node is no IRI, unless an entry has nothing else.
SELECT * FROM import('{"dataset": [{"identifier": ["X", "A"], "title": "Data 1", "state": "deleted"}]}', 'before',
    '{"partial": true}');
SELECT * FROM import(graph(node('_:b1', '"K"', 'Blank')), 'blank');
SELECT * FROM import(graph(node('_:b2', '"K"', 'Blank'), node('_:b1', '"L"', 'Blank 2')), 'blank');
SELECT * FROM import(graph('{"@id": "_:b3", "@type": "Dataset", "title": "Only blank", "theme": "Water"}'),
    'only blank');
SELECT * FROM known('blank');
SELECT * FROM known('only blank');

-- Many identifiers of one entry, and many entries with one identifier, cost no more than they are long.
SELECT left(import, 60) FROM import(data((SELECT json_agg('i' || n)::text FROM generate_series(1, 20000) n)), 'many',
    '{"dryRun": true}');
SELECT split_part(import, ' ', 1) AS outcome, count(*) FROM import((SELECT graph(VARIADIC array_agg(
    node('http://e/' || n, '["E", "F"]', 'Many ' || n))) FROM generate_series(1, 3000) n), 'many', '{"dryRun": true}')
    GROUP BY 1;
-- an entry that is refused has no keys afterwards
SELECT * FROM import(graph(node('http://f/1', '["F", "G"]', '')), 'refused');
SELECT count(*) FROM catalogue.imported_key WHERE source IN ('refused', 'many');
SELECT * FROM catalogue.check_all();

-- What was known by an IRI as it is written, since its base was not read, is known by it: dataset and files stay.
CREATE FUNCTION based(base text, VARIADIC nodes text[]) RETURNS text LANGUAGE sql AS
$$ SELECT format('{"@context": {%s}, "@graph": [%s]}', base, array_to_string(nodes, ',')) $$;
CREATE FUNCTION filed(iri text, title text) RETURNS text LANGUAGE sql AS
$$
    SELECT format('{"@id": "%s", "@type": "dcat:Dataset", "dct:title": "%s", "dcat:theme": "Water", '
        '"dcat:distribution": {"@id": "%s.csv", "dct:title": "Rows", "dcat:accessURL": "https://f.example/%s"}}',
        iri, title, iri, title)
$$;
SELECT * FROM import(based('', filed('r/1', 'One'), filed('r/2', 'Two')), 'base');
CREATE TEMPORARY TABLE before AS SELECT f.id FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset
WHERE i.source = 'base';
SELECT * FROM import(based('"@base": "http://r.example/"', filed('r/2', 'Two'), filed('r/1', 'One')), 'base');
SELECT * FROM known('base');
SELECT count(b.id) AS same, count(*) - count(b.id) AS new, count(f.deleted_at) AS gone
FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset LEFT JOIN before b ON b.id = f.id
WHERE i.source = 'base';
SELECT * FROM import(based('"@base": "http://r.example/"', filed('r/1', 'One'), filed('r/2', 'Two')), 'base');
-- then by the IRI; the key of before is of none but the dataset that had it
SELECT * FROM import(based('', filed('http://r.example/r/1', 'One'), filed('http://r.example/r/2', 'Two')), 'base');
SELECT * FROM import(based('"@base": "http://other.example/"', filed('r/1', 'Other'), filed('r/3', 'Three'),
    filed('http://r.example/r/1', 'One'), filed('http://r.example/r/2', 'Two')), 'base');
SELECT * FROM known('base');
-- likewise by an IRI that begins with a prefix
SELECT * FROM import(based('', filed('p:1', 'Prefixed')), 'prefix');
SELECT * FROM import(based('"p": "http://p.example/"', filed('p:1', 'Prefixed')), 'prefix');
SELECT * FROM import(based('"q": "http://p.example/"', filed('q:1', 'Prefixed')), 'prefix');
SELECT * FROM known('prefix');

-- A catalogue with the tables of before, until bootstrap() makes the new one: entries are known by one key.
DROP TABLE catalogue.imported_key;
SELECT * FROM import(graph(node('http://m/1', '["M", "O"]', 'Move 1'), node('http://m/2', '["N"]', 'Move 2')), 'moved');
SELECT catalogue.bootstrap();
SELECT * FROM import(graph(node('http://m/1', '["M", "O"]', 'Move 1'), node('http://m/2', '["N"]', 'Move 2')), 'moved');
SELECT * FROM known('moved');
