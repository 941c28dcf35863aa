--
-- references: a record refers to what lives, and to what fits
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What is deleted cannot be referred to: by a key, in a list, in SQL.
SELECT make('tags', '{"name": "gone"}') AS tag, make('organizations', '{"name": "gone"}') AS organization \gset
SELECT mask(id) AS id FROM catalogue.delete('tags', :'tag', admin());
SELECT mask(id) AS id FROM catalogue.delete('organizations', :'organization', admin());
SELECT field, rule
FROM faults(format('SELECT catalogue.update(%L, %L, %L, actor => admin())', 'files', id_of('files', 'List of airports'),
    json_build_object('organization', :'organization')));
SELECT field, rule
FROM faults(format('SELECT catalogue.update(%L, %L, %L, actor => admin())', 'datasets', id_of('datasets', 'Airports'),
    json_build_object('tags', :'tag')));
SELECT field, rule FROM faults(format('UPDATE catalogue.files SET organization = %L', :'organization'));

-- A file shows a service; the service can be deleted, and then the file shows it no more.
SELECT make('restservices', json_build_object('url', 'https://example.org', 'parameters', '{}'::json)) AS service \gset
SELECT mask(data::json ->> 'restService') AS "restService"
FROM catalogue.update('files', id_of('files', 'List of airports'), json_build_object('restService', :'service'),
    'representation', actor => admin());
SELECT code, message, detail
FROM refusal(format('SELECT catalogue.delete(%L, %L, admin())', 'restservices', :'service'));
SELECT rest_service FROM catalogue.files WHERE name = 'List of airports';

-- What is deactivated still fits: it is hidden from outsiders only.
SELECT mask(id) AS id
FROM catalogue.deactivate('organizations', id_of('organizations', 'Statistics Office'), actor => admin());
SELECT mask(data::json ->> 'organization') AS organization
FROM catalogue.update('files', id_of('files', 'List of airports'),
    json_build_object('organization', id_of('organizations', 'Statistics Office')), 'representation', actor => admin());

-- Categories have one level: a subcategory has no children, and a category with children no parent; none is its own.
SELECT make('categories',
    json_build_object('name', 'Ports', 'color', '000000',
        'parent', id_of('categories', 'Transport'))) IS NOT NULL AS made;
SELECT field, rule, message
FROM faults($$SELECT catalogue.create('categories',
    json_build_object('name', 'Docks', 'color', '000000', 'parent', id_of('categories', 'Ports')), actor => admin())$$);
SELECT field, rule
FROM faults($$SELECT catalogue.update('categories', id_of('categories', 'Transport'),
    json_build_object('parent', id_of('categories', 'Government')), actor => admin())$$);
SELECT field, rule
FROM faults($$SELECT catalogue.update('categories', id_of('categories', 'Government'),
    json_build_object('parent', id_of('categories', 'Government')), actor => admin())$$);

-- Organizations have any number of levels, but no circle.
SELECT make('organizations', '{"name": "A"}') AS a \gset
SELECT make('organizations', json_build_object('name', 'B', 'parent', :'a')) AS b \gset
SELECT make('organizations', json_build_object('name', 'C', 'parent', :'b')) AS c \gset
SELECT field, rule
FROM faults(format('SELECT catalogue.update(%L, %L, %L, actor => admin())', 'organizations', :'a',
    json_build_object('parent', :'c')));
SELECT field, rule FROM faults(format('UPDATE catalogue.organizations SET parent = id WHERE id = %L', :'a'));

-- Subcategories of a dataset are categories with a parent.
SELECT json_array_length(data::json -> 'subcategories') AS subcategories
FROM catalogue.update('datasets', id_of('datasets', 'Airports'),
    json_build_object('subcategories', json_build_array(id_of('categories', 'Roads'), id_of('categories', 'Ports'))),
    'representation', actor => admin());
SELECT field, rule, message
FROM faults($$SELECT catalogue.update('datasets', id_of('datasets', 'Airports'),
    json_build_object('subcategories', json_build_array(id_of('categories', 'Transport'))), actor => admin())$$);

-- Rows of join tables, written in SQL, link what lives, and the foreign keys hold.
SELECT code
FROM refusal($$INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (id_of('datasets', 'Airports'), 'nothing')$$);
SELECT field, rule
FROM faults(format('INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (%L, %L)', id_of('datasets', 'Airports'),
    :'tag'));
SELECT code
FROM refusal(format('INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (%L, %L); SET CONSTRAINTS ALL IMMEDIATE',
    'nothing', (SELECT id FROM catalogue.tags WHERE deleted_at IS NULL LIMIT 1)));
SELECT code
FROM refusal($$INSERT INTO catalogue.datasets_tags (dataset, tag)
  SELECT dataset, tag
  FROM catalogue.datasets_tags LIMIT 1$$);

-- A setting is not its own group.
SELECT field, rule
FROM faults($$SELECT catalogue.update('configs', id_of('configs', 'disqus'),
    json_build_object('parent', id_of('configs', 'disqus')), actor => admin())$$);

-- A user may be created by itself only where the id is known before: the first administrator.
SELECT username FROM catalogue.users WHERE created_by = id;

--
-- A map needs a file or a link, whichever of the two is changed
--
SELECT id AS map
FROM catalogue.create('maps',
    format('{"name": "linked", "link": "https://example.org/map", "basemap": "%s"}',
        id_of('basemaps', 'OpenStreetMap'))::json,
    actor => admin())
\gset
SELECT * FROM faults(format('SELECT catalogue.update(%L, %L, %L, actor => admin())', 'maps', :'map', '{"link": null}'));

--
-- Where nothing may be written, a reference is not locked: as on a standby, the client is told so
--
BEGIN READ ONLY;
SELECT code, message FROM refusal($$SELECT make_dataset('never')$$);
SELECT pg_current_xact_id_if_assigned() AS written;
COMMIT;
