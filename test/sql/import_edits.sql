--
-- import_edits: what users have changed stays, field by field, and files stay those of their distributions
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE FUNCTION entry(id text, more jsonb DEFAULT '{}', VARIADIC distributions jsonb[] DEFAULT '{}') RETURNS jsonb
    LANGUAGE sql AS
$$
    SELECT jsonb_build_object('identifier', id, 'title', 'Data ' || id, 'theme', 'w', 'publisher', 'Office',
        'distribution', to_jsonb(distributions)) || more
$$;
CREATE FUNCTION import(entries jsonb[], options jsonb DEFAULT '{}') RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT mask(concat_ws(' ', e ->> 'id', e ->> 'outcome', e ->> 'message', e ->> 'data', 'keeps ' || (e ->> 'kept'),
        e ->> 'notes'))
    FROM catalogue.import_dcat(json_build_object('dataset', to_json(entries)), 'test',
            ('{"partial": true, "gone": "delete"}'::jsonb || options)::json, admin()) r,
        json_array_elements(r -> 'entries') e
$$;
CREATE FUNCTION change(resource text, name text, body json) RETURNS text LANGUAGE sql AS
$$ SELECT (catalogue.update(resource, id_of(resource, name), body, actor => admin())).resource $$;

-- Fields of a dataset.
SELECT * FROM import(ARRAY[entry('1', '{"description": "Of the source", "keyword": ["one"]}')]);
SELECT change('datasets', 'Data 1', '{"description": "Edited"}');
SELECT * FROM import(ARRAY[entry('1', '{"title": "New title", "description": "Of the source", "keyword": ["one"]}')]);
SELECT * FROM import(ARRAY[entry('1', '{"title": "New title", "description": "Changed there", "keyword": ["two"]}')]);
SELECT * FROM import(ARRAY[entry('1', '{"title": "New title", "description": "Changed there", "keyword": ["two"]}')]);
SELECT name, description, (SELECT string_agg(t.name, ', ') FROM catalogue.tags t WHERE t.id = ANY (d.tags_ids)) AS tags
FROM catalogue.datasets d WHERE name = 'New title';
SELECT change('datasets', 'New title', json_build_object('name', 'Edited title', 'optionals', '{"mine": 1}'::json,
    'tags', json_build_array(id_of('tags', 'water')),
    'categories', json_build_array(id_of('categories', 'Transport'))));
SELECT * FROM import(ARRAY[entry('1', '{"title": "Newer", "theme": "new", "keyword": ["three"], "issued": "2026"}')]);
SELECT name, description, optionals,
    (SELECT string_agg(t.name, ', ') FROM catalogue.tags t WHERE t.id = ANY (d.tags_ids)) AS tags
FROM catalogue.datasets d WHERE name LIKE 'Edited%';
-- by field what the source has is taken
SELECT * FROM import(ARRAY[entry('1', '{"title": "Newer", "theme": "new", "keyword": ["three"], "issued": "2026"}')],
    '{"take": ["description", "tags"]}');
SELECT name, description IS NULL AS no_description, optionals,
    (SELECT string_agg(t.name, ', ') FROM catalogue.tags t WHERE t.id = ANY (d.tags_ids)) AS tags
FROM catalogue.datasets d WHERE name LIKE 'Edited%';
SELECT * FROM import(ARRAY[entry('1', '{"title": "Newest", "description": "Text", "keyword": ["four"]}')],
    '{"take": "name"}');
SELECT name, description, (SELECT string_agg(t.name, ', ') FROM catalogue.tags t WHERE t.id = ANY (d.tags_ids)) AS tags
FROM catalogue.datasets d WHERE name = 'Newest';
SELECT field, message FROM faults($$SELECT catalogue.import('{"document": {"dataset": []}, "source": "x",
    "take": ["nothing", 7]}', admin())$$);
SELECT field, message FROM faults($$SELECT catalogue.import('{"document": {"dataset": []}, "source": "x", "take": 7}',
    admin())$$);
-- what a user has put back is the source's again
SELECT change('datasets', 'Newest', '{"description": "For a while"}'),
    change('datasets', 'Newest', '{"description": "Text"}');
SELECT * FROM import(ARRAY[entry('1', '{"title": "Newest", "description": "Text 2", "keyword": ["four"]}')]);
-- a name that a user has given is not moved aside
SELECT * FROM import(ARRAY[entry('a'), entry('b')]);
SELECT change('datasets', 'Data b', '{"name": "Wanted"}');
SELECT * FROM import(ARRAY[entry('a', '{"title": "Wanted"}'), entry('b', '{"title": "Other b"}')]);

-- Fields of files.
SELECT * FROM import(ARRAY[entry('2', '{}', '{"title": "f", "format": "csv", "downloadURL": "https://a.example/f"}')]);
SELECT change('files', 'f', '{"description": "Edited"}');
SELECT * FROM import(ARRAY[entry('2', '{"publisher": "Another"}',
    '{"title": "f", "description": "There", "format": "csv", "downloadURL": "https://a.example/f"}')]);
SELECT f.name, f.description, o.name AS organization FROM catalogue.files f
    JOIN catalogue.organizations o ON o.id = f.organization WHERE f.name = 'f';

-- A distribution stays its file: by its identifier, whatever its title and its address are.
CREATE VIEW files AS
    SELECT i.id AS entry, f.id, f.name || '.' || t.name AS name, f.url, f.deleted_at IS NULL AS living
    FROM catalogue.imported i JOIN catalogue.files f ON f.dataset = i.record
        JOIN catalogue.filetypes t ON t.id = f.type;
CREATE FUNCTION distribution(title text, url text, id text DEFAULT NULL, format text DEFAULT 'csv') RETURNS jsonb
    LANGUAGE sql AS
$$ SELECT jsonb_strip_nulls(jsonb_build_object('title', title, 'format', format, 'identifier', id,
    'downloadURL', 'https://a.example/' || url)) $$;
CREATE FUNCTION followed(text, VARIADIC jsonb[]) RETURNS TABLE (entry text, was text, now text) LANGUAGE plpgsql AS
$$
BEGIN
    CREATE TEMP TABLE before ON COMMIT DROP AS SELECT * FROM files f WHERE f.entry = $1;
    PERFORM import(ARRAY[entry($1, '{}', VARIADIC $2)]);
    RETURN QUERY
        SELECT $1, b.name || ' ' || right(b.url, 1), CASE WHEN f.living THEN f.name || ' ' || right(f.url, 1) END
        FROM files f LEFT JOIN before b ON b.id = f.id WHERE f.entry = $1 AND (f.living OR b.living) ORDER BY f.id;
    DROP TABLE before;
END
$$;
SELECT * FROM followed('3', distribution('one', 'a', 'x'), distribution('two', 'b', 'y'), distribution('three', 'c'));
SELECT * FROM followed('3', distribution('two', 'b', 'x'), distribution('one', 'a', 'y'), distribution('three', 'c'));
SELECT * FROM followed('3', distribution('new', 'd', 'y'), distribution('three', 'e'), distribution('two', 'b', 'x'));
SELECT * FROM followed('3', distribution('new', 'd', 'z'), distribution('four', 'e'));
-- two of one address do not swap, and one that goes does not take the place of the other
SELECT * FROM followed('4', distribution('one', 'a'), distribution('two', 'a'), distribution('two', 'a', NULL, 'json'));
SELECT * FROM followed('4', distribution('two', 'a'), distribution('one', 'a'), distribution('two', 'a', NULL, 'json'));
SELECT * FROM followed('4', distribution('two', 'a'), distribution('two', 'a', NULL, 'json'));
SELECT * FROM followed('4', distribution('two', 'a'), distribution('one', 'a'), distribution('two', 'a', NULL, 'json'));
-- an identifier that is new to it, and one that two have
SELECT * FROM followed('4', distribution('two', 'a', 'i'), distribution('one', 'a', 'j'),
    distribution('two', 'a', 'k', 'json'));
SELECT * FROM followed('5', distribution('one', 'a', 'i'), distribution('two', 'b', 'i'));
SELECT * FROM followed('5', distribution('one', 'a', 'i'), distribution('two', 'b', 'i'));
-- blank nodes have no identifier that lasts
SELECT * FROM followed('6', distribution('one', 'a', '_:b1'), distribution('two', 'b', '_:b2'));
SELECT * FROM followed('6', distribution('one', 'a', '_:b2'), distribution('two', 'b', '_:b1'));
-- an address that was changed here stays, and so does that of bytes that are stored here
UPDATE catalogue.files f SET url = 'https://mine.example/z'
FROM files o WHERE o.id = f.id AND o.entry = '6' AND f.name = 'two';
SELECT * FROM followed('6', distribution('one', 'd', '_:b2'), distribution('two', 'c', '_:b1'));
-- what the first versions kept of distributions
UPDATE catalogue.imported SET digest = '', base = NULL, files = (SELECT json_object_agg(f.url, f.id) FROM files f
    WHERE f.entry = '6') WHERE id = '6';
SELECT * FROM followed('6', distribution('first', 'd'), distribution('new', 'z'));
SELECT * FROM catalogue.check_all();
