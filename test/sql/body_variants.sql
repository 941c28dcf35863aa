--
-- body_variants: earlier and other shapes of a record that clients write
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make('tags', '{"name": "one"}') AS one, make('tags', '{"name": "two"}') AS two \gset

-- A list of ids is an array, or one text separated by comma; each counts once, in order.
SELECT make_dataset('Shapes') AS id \gset
CREATE FUNCTION tags_of(dataset text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(t.name, ',' ORDER BY j.position)
    FROM catalogue.datasets_tags j JOIN catalogue.tags t ON t.id = j.tag
    WHERE j.dataset = $1 AND j.deleted_at IS NULL
$$;
CREATE FUNCTION tagged(dataset text, tags text) RETURNS text LANGUAGE sql AS
$$
    SELECT (catalogue.update('datasets', dataset, format('{"tags": %s}', tags)::json, actor => admin())).resource
$$;
SELECT tagged(:'id', format('["%s", "%s"]', :'one', :'two'));
SELECT tags_of(:'id');
SELECT tagged(:'id', format('"%s,%s"', :'two', :'one'));
SELECT tags_of(:'id');
SELECT tagged(:'id', format('["%s", "%1$s"]', :'one'));
SELECT tags_of(:'id');

-- Embedded records stand for their ids, alone and in a list; so does a mixture.
SELECT tagged(:'id', format('[{"id": "%s", "name": "whatever"}, "%s"]', :'two', :'one'));
SELECT tags_of(:'id');
SELECT tagged(:'id', format('{"id": "%s"}', :'one'));
SELECT tags_of(:'id');

-- An empty array, an empty text and null leave nothing; what is not named stays.
SELECT mask(id) AS id FROM catalogue.update('datasets', :'id', '{"notes": "only these"}', actor => admin());
SELECT tags_of(:'id');
SELECT tagged(:'id', '""');
SELECT tags_of(:'id');
SELECT tagged(:'id', format('"%s"', :'one')), tagged(:'id', '[]');
SELECT tags_of(:'id');
SELECT tagged(:'id', format('"%s"', :'one')), tagged(:'id', 'null');
SELECT tags_of(:'id');

-- A list holds texts and objects with an id; anything else is a fault.
SELECT *
FROM faults(format('SELECT catalogue.update(%L, %L, %L, actor => admin())', 'datasets', :'id',
    '{"tags": [1, null, {"name": "one"}, ["x"]]}'));

-- A foreign key is an id, or a record with one.
SELECT mask(data::json ->> 'owner') AS owner
FROM catalogue.update('datasets', :'id',
    json_build_object('owner', json_build_object('id', id_of('users', 'editor'), 'username', 'editor')),
    'representation', actor => admin());
SELECT u.username FROM catalogue.datasets d JOIN catalogue.users u ON u.id = d.owner WHERE d.id = :'id';

-- Null and an empty text take a key away that is not required.
SELECT make('organizations',
    json_build_object('name', 'Branch', 'parent', id_of('organizations', 'Open Data Office'))) AS branch \gset
SELECT data::json ->> 'parent' AS parent
FROM catalogue.update('organizations', :'branch', '{"parent": ""}', 'representation', actor => admin());

-- Whole records may be sent back as they were read, in either form of their relations.
SELECT (catalogue.item('datasets', :'id')).data AS plain,
       (catalogue.item('datasets', :'id', 'include=categories,tags,files', 'embedded')).data AS embedded \gset
SELECT mask(id) AS id FROM catalogue.update('datasets', :'id', :'plain', actor => admin());
SELECT mask(id) AS id FROM catalogue.update('datasets', :'id', :'embedded', actor => admin());
SELECT (catalogue.item('datasets', :'id')).data::jsonb - 'updatedAt' = :'plain'::jsonb - 'updatedAt' AS unchanged;

-- What is wrong with one field says nothing of the others: the record's own name is not taken.
SELECT *
FROM faults(format('SELECT catalogue.update(%L, %L, %L, actor => admin())', 'datasets', :'id',
    '{"name": "Shapes", "visible": "yes", "categories": []}'));

-- "visibility" is read as "visible", a single "category" as "categories"; the new name wins.
SELECT r.visible, json_array_length(r.categories) AS categories
FROM catalogue.create('datasets',
    json_build_object('name', 'Earlier', 'owner', id_of('users', 'admin'), 'visibility', true,
        'category', id_of('categories', 'Transport')),
    'representation', actor => admin()) reply,
    json_to_record(reply.data::json) r(visible boolean, categories json);
SELECT r.visible
FROM catalogue.update('datasets', id_of('datasets', 'Earlier'), '{"visibility": true, "visible": false}',
    'representation', actor => admin()) reply,
    json_to_record(reply.data::json) r(visible boolean);
SELECT *
FROM faults($$SELECT catalogue.create('datasets', '{"visibility": "yes", "category": "nothing"}', actor => admin())$$)
WHERE rule <> 'required';

-- A config keeps its field "category".
SELECT data::json ->> 'category' AS category
FROM catalogue.create('configs', '{"key": "k", "type": "int", "category": "site", "description": "d"}',
    'representation', actor => admin());

-- "optional1" to "optional10" are ignored.
SELECT json_object_keys(data::json) AS member
FROM catalogue.update('datasets', :'id', '{"optional1": "a", "optional10": 5}', 'representation', actor => admin())
EXCEPT SELECT json_object_keys(:'plain'::json);

-- A basemap word is ignored: required where there is no other, and the old one stays.
SELECT *
FROM faults($$SELECT catalogue.create('maps',
    '{"name": "By word", "basemap": "roadmap"}', actor => admin())$$);
SELECT b.name
FROM catalogue.update('maps', id_of('maps', 'Map of airports'), '{"basemap": "satellite"}', 'representation',
    actor => admin()) reply
    JOIN catalogue.basemaps b ON b.id = reply.data::json ->> 'basemap';
SELECT *
FROM faults($$SELECT catalogue.create('maps', '{"name": "By word", "link": "https://example.org", "basemap": "moon"}',
    actor => admin())$$);

-- Columns of a map or a chart are an array, or one text separated by comma.
SELECT data::json ->> 'properties' AS properties
FROM catalogue.update('maps', id_of('maps', 'Map of airports'), '{"properties": "name,type,\"a,b\""}',
    'representation', actor => admin());
SELECT data::json ->> 'dataSeries' AS "dataSeries"
FROM catalogue.update('charts', id_of('charts', 'Airports by continent'), '{"dataSeries": ["type", "count"]}',
    'representation', actor => admin());

-- A resource is found in any letter case.
SELECT (catalogue.count('fileTypes')).resource, (catalogue.count('FILETYPES')).resource AS again;
