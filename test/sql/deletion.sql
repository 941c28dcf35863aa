--
-- deletion: logical everywhere, taking along what belongs to a record, refused while others refer to it
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make_dataset('Root') AS root, make_dataset('Other') AS other \gset
SELECT make_file('f1', 'Root') AS f1, make_file('f2', 'Root') AS f2, make_file('f3', 'Other') AS f3 \gset
SELECT make_chart('c1', 'f1') AS c1, make_map('m1', 'f1') AS m1, make_chart('c2', 'f2') AS c2,
       make_chart('c3', 'f3') AS c3 \gset
-- Which of them live.
CREATE VIEW living AS
SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") AS living FROM (
    SELECT name, deleted_at FROM catalogue.datasets WHERE name IN ('Root', 'Other') UNION ALL
    SELECT name, deleted_at FROM catalogue.files WHERE name ~ '^f\d' UNION ALL
    SELECT name, deleted_at FROM catalogue.charts WHERE name ~ '^c\d' UNION ALL
    SELECT name, deleted_at FROM catalogue.maps WHERE name ~ '^m\d') r WHERE deleted_at IS NULL;
TABLE living;

-- A chart alone.
SELECT (catalogue.delete('charts', :'c2', admin())).resource;
TABLE living;

-- A file takes its charts and maps along.
SELECT (catalogue.delete('files', :'f1', admin())).resource;
TABLE living;

-- A dataset takes the rest; what belongs to the other dataset lives on.
SELECT (catalogue.delete('datasets', :'root', admin())).resource;
TABLE living;

-- Restored, it brings back what went with it, not what went before.
SELECT (catalogue.restore('datasets', :'root', actor => admin())).resource;
TABLE living;
SELECT (catalogue.restore('files', :'f1', actor => admin())).resource;
TABLE living;
SELECT (catalogue.restore('charts', :'c2', actor => admin())).resource;
TABLE living;

-- What belongs to a deleted record cannot be restored alone.
SELECT (catalogue.delete('datasets', :'root', admin())).resource;
SELECT code, message, detail
FROM refusal(format('SELECT catalogue.restore(%L, %L, actor => admin())', 'charts', :'c1'));
SELECT code, message FROM refusal(format('SELECT catalogue.restore(%L, %L, actor => admin())', 'files', :'f1'));
SELECT (catalogue.restore('datasets', :'root', actor => admin())).resource;
TABLE living;

-- In SQL it is the same: DELETE, and the way back.
DELETE FROM catalogue.datasets WHERE id = :'root';
TABLE living;
UPDATE catalogue.datasets SET deleted_at = NULL WHERE id = :'root';
TABLE living;

-- Several at once.
DELETE FROM catalogue.files WHERE name ~ '^f\d';
TABLE living;
UPDATE catalogue.files SET deleted_at = NULL WHERE name ~ '^f\d';
TABLE living;

-- A DELETE of what is deleted already changes nothing.
DELETE FROM catalogue.charts WHERE id = :'c2';
SELECT updated_at AS before FROM catalogue.charts WHERE id = :'c2' \gset
DELETE FROM catalogue.charts WHERE id = :'c2';
SELECT updated_at = :'before' AS unchanged FROM catalogue.charts WHERE id = :'c2';

-- A change of a deleted record in SQL keeps it deleted.
UPDATE catalogue.charts SET notes = 'n' WHERE id = :'c2' RETURNING deleted_at IS NOT NULL AS deleted;

-- TRUNCATE of a table that others refer to is refused by PostgreSQL.
SELECT code FROM refusal($$TRUNCATE catalogue.files$$);

--
-- Records in use
--
-- 409 with the counts by resource.
SELECT code, message, detail FROM refusal($$SELECT catalogue.delete('statuses', 'qWRhpRV', admin())$$);
SELECT code, message, detail FROM refusal($$SELECT catalogue.delete('users', id_of('users', 'admin'), admin())$$);
SELECT code, message, detail FROM refusal($$SELECT catalogue.delete('users', id_of('users', 'admin'))$$);
SELECT code, message, detail
FROM refusal($$SELECT catalogue.delete('categories', id_of('categories', 'Transport'), admin())$$);
SELECT code, message, detail FROM refusal($$SELECT catalogue.delete('filetypes', id_of('filetypes', 'csv'), admin())$$);
SELECT code, message, detail
FROM refusal($$SELECT catalogue.delete('organizations', id_of('organizations', 'Open Data Office'), admin())$$);
SELECT code, message, detail
FROM refusal($$SELECT catalogue.delete('updatefrequencies', id_of('updatefrequencies', 'Daily'), admin())$$);
SELECT code, message, detail FROM refusal($$SELECT catalogue.delete('configs', id_of('configs', 'disqus'), admin())$$);
SELECT code, message, detail FROM refusal($$DELETE FROM catalogue.basemaps WHERE name = 'OpenStreetMap'$$);

-- Two that refer to each other in a statement: the one in use stays, and with it the other.
SELECT make('organizations', '{"name": "Parent"}') AS parent \gset
SELECT make('organizations', json_build_object('name', 'Child', 'parent', :'parent')) AS child \gset
SELECT code, detail FROM refusal(format('SELECT catalogue.delete(%L, %L, admin())', 'organizations', :'parent'));

-- Free once nothing that lives refers to it.
SELECT (catalogue.delete('organizations', :'child', admin())).resource;
SELECT (catalogue.delete('organizations', :'parent', admin())).resource;

-- A child whose parent is gone cannot be restored; after the parent it can.
SELECT code, message, detail
FROM refusal(format('SELECT catalogue.restore(%L, %L, actor => admin())', 'organizations', :'child'));
SELECT (catalogue.restore('organizations', :'parent', actor => admin())).resource;
SELECT (catalogue.restore('organizations', :'child', actor => admin())).resource;

-- Tags are keywords: they leave the datasets and views that have them, and come back to them.
SELECT make('tags', '{"name": "keyword"}') AS tag \gset
SELECT (catalogue.update('datasets', :'root', json_build_object('tags', :'tag'), actor => admin())).resource;
SELECT (catalogue.delete('tags', :'tag', admin())).resource;
SELECT data::json -> 'tags' AS tags FROM catalogue.item('datasets', :'root');
SELECT (catalogue.restore('tags', :'tag', actor => admin())).resource;
SELECT json_array_length(data::json -> 'tags') AS tags FROM catalogue.item('datasets', :'root');

-- Both ends of a link deleted: it is back when the second one is.
SELECT (catalogue.delete('tags', :'tag', admin())).resource;
SELECT (catalogue.delete('datasets', :'root', admin())).resource;
SELECT (catalogue.restore('tags', :'tag', actor => admin())).resource;
SELECT (catalogue.restore('datasets', :'root', actor => admin())).resource;
SELECT json_array_length(data::json -> 'tags') AS tags FROM catalogue.item('datasets', :'root');

-- And in the other order.
SELECT (catalogue.delete('datasets', :'root', admin())).resource;
SELECT (catalogue.delete('tags', :'tag', admin())).resource;
SELECT (catalogue.restore('datasets', :'root', actor => admin())).resource;
SELECT data::json -> 'tags' AS tags FROM catalogue.item('datasets', :'root');
SELECT (catalogue.restore('tags', :'tag', actor => admin())).resource;
SELECT json_array_length(data::json -> 'tags') AS tags FROM catalogue.item('datasets', :'root');

-- A remote service goes along with the file that it renews.
SELECT make('restservices',
    json_build_object('url', 'https://example.org', 'parameters', '{}'::json, 'file', :'f3')) AS service \gset
SELECT (catalogue.delete('files', :'f3', admin())).resource;
SELECT code FROM refusal(format('SELECT catalogue.item(%L, %L)', 'restservices', :'service'));

--
-- Names taken meanwhile
--
-- 409 with the fault.
SELECT (catalogue.delete('tags', :'tag', admin())).resource;
SELECT make('tags', '{"name": "Keyword"}') IS NOT NULL AS taken;
SELECT code, message, detail FROM refusal(format('SELECT catalogue.restore(%L, %L, actor => admin())', 'tags', :'tag'));

-- So it is for what would come back along with a record: nothing of it does.
SELECT (catalogue.delete('files', :'f1', admin())).resource;
SELECT make('charts', '{"name": "C1", "link": "https://example.org"}') IS NOT NULL AS taken;
SELECT code, message, detail FROM refusal(format('SELECT catalogue.restore(%L, %L, actor => admin())', 'files', :'f1'));
TABLE living;
