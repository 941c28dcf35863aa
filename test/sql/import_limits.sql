--
-- import_limits: what one entry or one body may take, and that it takes no more than a multiple of its length
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Whether a statement makes this server process larger than 64 MiB more than it was; whatever it raises is no matter.
CREATE FUNCTION peak() RETURNS int LANGUAGE sql AS
$$ SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::int / 1024 $$;
CREATE FUNCTION takes_much(statement text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    before int := peak();
BEGIN
    EXECUTE statement;
    RETURN peak() > before + 64;
EXCEPTION WHEN OTHERS THEN
    RETURN peak() > before + 64;
END
$$;
-- The result of a dry run of one entry: its outcome, its faults by field, its notes.
CREATE FUNCTION entry(members json, options json DEFAULT '{"dryRun": true}') RETURNS text LANGUAGE sql AS
$$
    SELECT concat_ws(' | ', e ->> 'outcome', (SELECT string_agg(k, ',') FROM json_object_keys(e -> 'data') k),
        e ->> 'notes')
    FROM catalogue.import_dcat(json_build_object('dataset', json_build_array(members)), 'limits', options, admin()) r,
        json_array_elements(r -> 'entries') e
$$;
CREATE FUNCTION repeated(element text, count int) RETURNS json LANGUAGE sql AS
$$ SELECT ('[' || string_agg(replace(element, '#', n::text), ',') || ']')::json FROM generate_series(1, count) n $$;

-- Distributions that say nothing of themselves are numbered, and the number of one is not sought from 1 on.
SELECT entry(json_build_object('identifier', 'a', 'title', 'a', 'distribution', repeated('{}', 2000)));
SELECT takes_much($$SELECT entry(json_build_object('identifier', 'a', 'title', 'a', 'theme', 'w',
    'distribution', repeated('{}', 8000)))$$);
SELECT takes_much($$SELECT entry(json_build_object('identifier', 'a', 'title', repeat('a', 200000), 'theme', 'w',
    'distribution', repeated('{}', 1000)))$$);
-- Those of the same address are several.
SELECT entry(json_build_object('identifier', 'a', 'title', 'a', 'theme', 'w', 'publisher', 'o', 'distribution',
    '[{"title": "first", "url": "https://a.example/x", "format": "csv"},
      {"title": "second", "url": "https://a.example/x", "format": "csv"},
      {"title": "third", "url": "https://a.example/x", "format": "csv"},
      {"title": "fourth", "url": "https://a.example/x", "format": "csv"}]'::json),
    '{}');
SELECT f.d ->> 'title' AS title, f.d ->> 'url' AS url
FROM catalogue.imported i, json_array_elements(i.files) WITH ORDINALITY f(d, n) WHERE i.id = 'a' ORDER BY f.n;

-- More than 1,000 distributions: the first are taken, the report tells it, and no file is gone.
SELECT entry(json_build_object('identifier', 'b', 'title', 'b', 'theme', 'w', 'publisher', 'o', 'distribution',
    '[{"title": "former", "url": "https://b.example/former", "format": "csv"}]'::json), '{"gone": "delete"}');
SELECT entry(json_build_object('identifier', 'b', 'title', 'b', 'theme', 'w', 'publisher', 'o', 'distribution',
    repeated('{"title": "#", "url": "https://b.example/#", "format": "csv"}', 1001)), '{"gone": "delete"}');
SELECT count(*), count(*) FILTER (WHERE f.name = 'former') AS former, count(*) FILTER (WHERE f.name = '1001') AS last
FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset
WHERE i.id = 'b' AND f.deleted_at IS NULL;
-- it is still known as a distribution of the entry, and gone once an entry without it is read to its end
SELECT entry(json_build_object('identifier', 'b', 'title', 'b', 'theme', 'w', 'publisher', 'o', 'distribution',
    repeated('{"title": "#", "url": "https://b.example/#", "format": "csv"}', 1000)), '{"gone": "delete"}');
SELECT count(*), count(*) FILTER (WHERE f.name = 'former') AS former
FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset
WHERE i.id = 'b' AND f.deleted_at IS NULL;

-- More than 1,000 keywords, or themes.
SELECT entry(json_build_object('identifier', 'c', 'title', 'c', 'theme', repeated('"w#"', 1001),
    'dcat:keyword', repeated('"wind#"', 1001)));

-- The name of a publisher of many units: the last ones that fit in 150 characters.
SELECT entry(json_build_object('identifier', 'd', 'title', 'd', 'theme', 'w', 'publisher', p, 'distribution',
    '[{"title": "d", "url": "https://d.example/d", "format": "csv"}]'::json), '{}')
FROM (VALUES (repeat('Ministry of é. ', 20) || 'Unit ' || repeat('x', 100)), (repeat('y', 200) || '. '),
    (repeat('a. ', 30000) || 'z')) v(p);
SELECT length(name), left(name, 30), right(name, 5) FROM catalogue.organizations
WHERE name ~ '^Ministry|^y|a\. ' ORDER BY name;

-- Many objects of a graph, with or without what can be stored.
SELECT takes_much($$SELECT catalogue.import_dcat(json_build_object('@graph',
    repeated('{"@id": "#", "@type": "x"}', 40000)), 'limits', '{"dryRun": true}', admin())$$);
SELECT takes_much($$SELECT catalogue.import_dcat(json_build_object('@graph',
    repeated('{"@id": "\u0000#", "@type": "x"}', 40000)), 'limits', '{"dryRun": true}', admin())$$);

-- Entries, and elements of any list.
SELECT code, message, hint FROM refusal($$SELECT catalogue.import_dcat(('{"dataset": [0' || repeat(',0', 100000)
    || ']}')::json, 'limits', '{"dryRun": true}', admin())$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.import_dcat(('{"dataset": [0' || repeat(',0', 1000000)
    || ']}')::json, 'limits', '{"dryRun": true}', admin())$$);

-- A body of more than 2,000 members; nobody is told so, nor how many an import takes, before the permission is known.
SELECT * FROM refusal($$SELECT catalogue.import(('{"a":1' || (SELECT string_agg(format(',"m%s":1', n), '')
    FROM generate_series(1, 2000) n) || '}')::json, admin())$$);
SELECT takes_much($$SELECT catalogue.import(('{"a":1' || (SELECT string_agg(format(',"m%s":1', n), '')
    FROM generate_series(1, 100000) n) || '}')::json, admin())$$);
SELECT * FROM refusal($$SELECT catalogue.import(('{"a":1' || (SELECT string_agg(format(',"m%s":1', n), '')
    FROM generate_series(1, 2000) n) || '}')::json, '{}')$$);
SELECT * FROM refusal($$SELECT catalogue.import('[]', '{}')$$);

-- A body that is a list, in each function that takes one.
SELECT c, r.code, r.message FROM unnest(ARRAY[$$SELECT catalogue.import('[1]', admin())$$,
    $$SELECT catalogue.import_pages('1', '[1]', admin())$$,
    $$SELECT catalogue.import_dcat('{}', 'limits', '[1]', admin())$$,
    $$SELECT catalogue.import_dcat('{}', 'limits', '[]', admin())$$,
    $$SELECT catalogue.import_dcat('{}', 'limits', ' "dryRun"', admin())$$,
    $$SELECT catalogue.import_dcat('{}', 'limits', '1', admin())$$]) c, refusal(c) r;

-- Entries that are lists, whatever is in them, are no entries; nor are other values.
SELECT e ->> 'entry' AS entry, e ->> 'outcome' AS outcome, e ->> 'message' AS message
FROM catalogue.import_dcat('{"dataset": [[1], [[]], [{"identifier": "listed", "title": "Listed"}], [null, {}], [],
    {}, 1, "a", null, true]}', 'lists', 'null', admin()) r, json_array_elements(r -> 'entries') e;
SELECT e ->> 'entry' AS entry, e ->> 'outcome' AS outcome, e ->> 'message' AS message
FROM catalogue.import_dcat('{"@graph": [[1], [{"@type": "dcat:Dataset"}], {"@type": "dcat:Dataset",
    "identifier": [["a"]], "title": [[["T"]]]}]}', 'lists', options => NULL, actor => admin()) r,
    json_array_elements(r -> 'entries') e;
-- A source without a name would be that of all who give none.
SELECT s AS source, r.code, r.message FROM unnest(ARRAY['', ' ', E'\t\r\n']) s, refusal(format(
    'SELECT catalogue.import_dcat(''{"dataset": [{"identifier": "a", "title": "A"}]}'', %L, actor => admin())', s)) r;
SELECT r.code, r.message
FROM refusal($$SELECT catalogue.import('{"document": {"dataset": []}, "source": " "}', admin())$$) r;

-- An entry, or an object of it, with many members: each is looked at once.  Objects with the same @id: one is made of
-- them when it is referred to.
CREATE FUNCTION members(count int) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(format('"m%s":1', n), ',') FROM generate_series(1, count) n $$;
SELECT left(entry(('{"identifier": "c", "title": "c", "theme": "w", ' || members(90000) || '}')::json), 40) AS entry,
    left(entry(('{"identifier": "c", "title": "c", "theme": "w", "publisher": {"name": "o", ' || members(90000)
        || '}}')::json), 40) AS object;
SELECT takes_much(format('SELECT catalogue.import_dcat(%L, %L, %L, admin())', format('{"@graph": [%s, %s]}',
    (SELECT string_agg(format('{"@id": "o", "m%s": 1}', n), ',') FROM generate_series(1, 36000) n),
    '{"@type": "Dataset", "@id": "d", "title": "d", "theme": "w", "publisher": {"@id": "o"}}'), 'limits',
    '{"dryRun": true}')) AS same_id;
-- What each of them says is kept, and the first of two that differ.
SELECT catalogue.import_dcat('{"@graph": [{"@id": "o", "name": "One", "a": 1}, {"@id": "o", "name": "Two", "b": 2},
    {"@type": "Dataset", "@id": "e", "title": "e", "theme": "w", "publisher": {"@id": "o"}}]}', 'limits', '{}',
    admin()) ->> 'created' AS created;
SELECT d.optionals -> 'publisher' AS publisher FROM catalogue.datasets d WHERE d.name = 'e';

-- A value of more than 64 KiB is left out, whether it has a place in optionals or not, of a distribution as well, as is
-- one that consists of other objects; of texts the field has the beginning, and optionals 64 KiB.
SELECT entry(json_build_object('identifier', 'f', 'title', 'f', 'theme', 'w', 'publisher', 'o', 'landingPage',
    'https://f.example/' || repeat('x', 900000), 'spatial', repeated('"place #"', 8000), 'rights', repeat('r', 60000),
    'unknown', repeat('x', 70000), 'description', repeat('é', 40000), 'distribution', json_build_array(
        json_build_object('title', 't', 'url', 'https://f.example/f', 'format', 'csv', 'license', repeat('l', 70000),
            'description', repeat('d', 300000)))), '{}');
SELECT array(SELECT json_object_keys(d.optionals)) AS names, octet_length(d.optionals ->> 'description') AS description,
    length(d.description) AS field, array(SELECT json_object_keys(f.optionals)) AS names_of_file,
    octet_length(f.optionals ->> 'description') AS description_of_file
FROM catalogue.datasets d JOIN catalogue.files f ON f.dataset = d.id WHERE d.name = 'f';
SELECT entry('{"identifier": "f", "title": "f", "theme": "w", "publisher": "o", "landingPage": "https://f.example/"}');
-- Strings are cut between two characters, of which an escape may be one, and a pair of surrogates.
SELECT s.s, count(*) FILTER (WHERE octet_length(d.document) BETWEEN 262144 AND 262170) AS cut,
    count(*) FILTER (WHERE d.document::json ->> 0 ~ '^x*(.)\1+$') AS whole
FROM unnest(ARRAY['é', '\u00e9', '\n', '\\', '\ud83d\ude00', '😀']) s(s), generate_series(0, 12) n,
    LATERAL (SELECT catalogue.document_json('["' || repeat('x', n) || repeat(s.s, 262144) || '"]')::text) d(document)
GROUP BY s.s ORDER BY s.s COLLATE "C";
SELECT catalogue.document_json('{"a": ["' || repeat('x', 262144) || '", 1, "\""]}')::text
    = '{"a": ["' || repeat('x', 262144) || '", 1, "\""]}' AS same;
SELECT code FROM refusal($$SELECT catalogue.document_json('{"a"')$$);

-- A job takes at most six times the document, whatever long text it has; a dry run as well as the import itself.
CREATE FUNCTION job_takes(document text, dry_run boolean) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    before  int := peak();
    limit_  int := 6 * length(document) / 1048576;
    -- a part of a text is found by counting characters from its beginning
    bytes   bytea := convert_to(document, 'UTF8');
    upload  text;
    made    text;
BEGIN
    upload := (catalogue.upload_begin('imports', NULL, json_build_object('length', length(bytes),
        'name', 'd', 'body', json_build_object('source', 'https://long.example', 'dryRun', dry_run)), admin())).id;
    FOR i IN 0 .. length(bytes) / 262144 LOOP
        PERFORM catalogue.upload_write(upload, i * 262144, substr(bytes, i * 262144 + 1, 262144), admin());
    END LOOP;
    before := peak();
    made := (catalogue.import_upload(upload, NULL, '{"type": "application/ld+json"}', admin())).id;
    PERFORM catalogue.job_take('w', '{import}');
    PERFORM catalogue.harvest_next(made, 'w', '1 hour');
    PERFORM catalogue.harvest_import(made, 'w');
    PERFORM catalogue.job_done(made, 'w');
    RETURN concat_ws(' ', CASE WHEN peak() <= before + limit_ THEN 'at most 6 x'
        ELSE format('%s MiB more, not %s', peak() - before, limit_) END, (
            SELECT concat(h.report ->> 'created', ' ', h.report #> '{entries,0,notes}') FROM catalogue.harvest h
            WHERE h.job = made));
END
$$;
SELECT d.what, job_takes(replace(d.document, '#', repeat('word ', 3200000)), dry_run) AS takes
FROM (VALUES ('JSON-LD', '{"@graph": [{"@type": "Dataset", "@id": "http://l/1", "title": "l1", "description": "#"}]}'),
    ('another node', '{"@graph": [{"@type": "Dataset", "@id": "http://l/2", "title": "l2"}, {"@id": "x", "a": "#"}]}'),
    ('data.json', '{"dataset": [{"identifier": "l3", "title": "l3", "landingPage": "#", "description": "\u0000"}]}'),
    ('CKAN', '{"success": true, "result": [{"id": "l4", "title": "l4", "notes": "#", "resources": []}]}'))
    d(what, document), unnest('{t,f}'::boolean[]) dry_run;

-- A document that is stored is read once, and is not copied; an entry leaves no memory behind.
CREATE TABLE stored AS SELECT json_build_object('source', 'stored', 'document', json_build_object(
    'pad', (SELECT json_agg(repeat('x', 1000)) FROM generate_series(1, 20000)), 'dataset', (SELECT json_agg(
    json_build_object('identifier', n, 'title', 's' || n, 'theme', 'w')) FROM generate_series(1, 100) n))) AS body;
\c -
SET search_path = test;
SELECT takes_much('SELECT catalogue.import(body, admin()) FROM stored');
BEGIN;
SELECT data::json -> 'unchanged' AS unchanged FROM stored, catalogue.import(body, admin());
SELECT data::json -> 'created' AS created
FROM catalogue.import((SELECT replace(body::text, '"stored"', '"other"')::json FROM stored), admin());
SELECT count(*) < 10 AS few FROM pg_backend_memory_contexts WHERE name = 'CurTransactionContext';
ROLLBACK;
DROP TABLE stored;
