--
-- calls: each kind of call and of trigger on few records, which can be run with all caches discarded, too
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\set ECHO none
SELECT admin() ->> 'user' AS admin, id_of('categories', 'Transport') AS category \gset
\set ECHO all

-- Records with lists of ids, and with keys.
SELECT id AS tag FROM catalogue.create('tags', '{"name": "sea"}', actor => admin()) \gset
SELECT id AS dataset, data::json ->> 'slug' AS slug
FROM catalogue.create('datasets',
    json_build_object('name', 'Coast', 'owner', :'admin', 'categories', :'category', 'tags', :'tag'), 'representation',
    'ids', admin()) \gset
SELECT :'slug' AS slug;

-- Changes: of fields and lists, of states with what goes along, and what is refused.
SELECT data::json ->> 'notes' AS notes, json_array_length(data::json -> 'tags') AS tags
FROM catalogue.update('datasets', :'dataset', '{"notes": "n", "tags": []}', 'representation', 'ids', admin());
SELECT resource FROM catalogue.update('datasets', :'dataset', json_build_object('tags', :'tag'), actor => admin());
SELECT id_of('statuses', 'Published') = data::json ->> 'status' AS published
FROM catalogue.act('datasets', :'dataset', 'publish', 'representation', 'ids', admin());
SELECT field, rule
FROM faults(format('SELECT catalogue.create(%L, %L, actor => admin())', 'tags', '{"name": "Sea", "colour": 1}'));

-- Reads: by the index, by filters of each kind, by words, of related records, as of an instant, as a stream.
SELECT data::json ->> 'name' AS name FROM catalogue.item('datasets', :'dataset', actor => '{}');
SELECT names(catalogue.list('tags', 'limit=2&orderBy=name'));
SELECT returned FROM catalogue.list('tags', 'limit=2');
SELECT names(catalogue.list('datasets', 'notes=n&visible=true&orderBy=name'));
SELECT names(catalogue.list('datasets', 'tags.name=sea&include=tags', 'embedded', admin()));
SELECT names(catalogue.related('datasets', :'dataset', 'tags'));
SELECT data FROM catalogue.count('datasets', 'name=coa&match=BEGINS');
SELECT data::json -> 'datasets' IS NOT NULL AS found
FROM catalogue.search('query=coast&resources=datasets', actor => admin());
SELECT octet_length(catalogue.items('datasets', ARRAY[:'dataset'], actor => admin())) > 100 AS items;
SELECT count(*) AS states
FROM json_array_elements((SELECT data::json FROM catalogue.versions('datasets', :'dataset', actor => admin())));
SELECT count(*) AS pieces FROM catalogue.export('tags', format => 'ndjson');
SELECT count(*) > 5 AS fields FROM json_object_keys((catalogue.describe('datasets', admin())).data::json -> 'fields');
SELECT data LIKE '%Coast%' AS coast FROM catalogue.feed(actor => '{}');

-- A record that is deleted comes back with its links.
SELECT resource FROM catalogue.delete('datasets', :'dataset', admin());
SELECT json_array_length(data::json -> 'tags') AS tags
FROM catalogue.restore('datasets', :'dataset', 'representation', actor => admin());

-- The same in SQL, where the triggers are all there is.
INSERT INTO catalogue.tags (name, created_by) VALUES ('sand', :'admin');
UPDATE catalogue.tags SET name = 'dune' WHERE name = 'sand';
INSERT INTO catalogue.datasets_tags (dataset, tag, position)
SELECT :'dataset', id, 2
FROM catalogue.tags
WHERE name = 'dune';
SELECT cardinality(tags_ids) AS tags FROM catalogue.datasets WHERE id = :'dataset';
DELETE FROM catalogue.datasets_tags WHERE dataset = :'dataset' AND position = 2;
DELETE FROM catalogue.tags WHERE name = 'dune';
SELECT cardinality(tags_ids) AS tags FROM catalogue.datasets WHERE id = :'dataset';

-- A table that is changed between two calls.
ALTER TABLE catalogue.tags ADD COLUMN note text DEFAULT 'hello';
SELECT data::json ->> 'note' AS note FROM catalogue.item('tags', :'tag');
ALTER TABLE catalogue.tags ALTER COLUMN note TYPE varchar(5), ADD COLUMN size integer;
SELECT data::json -> 'size' AS size
FROM catalogue.update('tags', :'tag', '{"size": 3}', 'representation', actor => admin());
ALTER TABLE catalogue.tags DROP COLUMN note, DROP COLUMN size;
SELECT data::json ->> 'note' AS note FROM catalogue.item('tags', :'tag');
