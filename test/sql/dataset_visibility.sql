--
-- dataset_visibility: files are seen with their dataset, charts and maps with their file; the flags and the numbers
-- that follow
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What outsiders should see, told without flags; and what they are told, by numbers that are kept, counted and listed.
CREATE VIEW truth AS
WITH d AS (SELECT id FROM catalogue.datasets WHERE deleted_at IS NULL AND status = 'qWRhpRV' AND visible IS NOT FALSE),
     f AS (SELECT id
           FROM catalogue.files
           WHERE deleted_at IS NULL AND status = 'qWRhpRV' AND visible IS NOT FALSE AND dataset IN (SELECT id FROM d)),
     c AS (SELECT id
           FROM catalogue.charts
           WHERE deleted_at IS NULL AND status = 'qWRhpRV' AND (file IS NULL OR file IN (SELECT id FROM f))),
     m AS (SELECT id
           FROM catalogue.maps
           WHERE deleted_at IS NULL AND status = 'qWRhpRV' AND (file IS NULL OR file IN (SELECT id FROM f)))
SELECT 'datasets' AS resource, count(*), coalesce(string_agg(id::text, ',' ORDER BY id), '') AS ids
FROM d
UNION ALL SELECT 'files', count(*), coalesce(string_agg(id::text, ',' ORDER BY id), '')
FROM f
UNION ALL SELECT 'charts', count(*), coalesce(string_agg(id::text, ',' ORDER BY id), '')
FROM c
UNION ALL SELECT 'maps', count(*), coalesce(string_agg(id::text, ',' ORDER BY id), '')
FROM m;
CREATE FUNCTION told(resource text) RETURNS TABLE (kept bigint, counted bigint, ids text) LANGUAGE sql AS
$$
    SELECT (SELECT (data::json ->> 'count')::bigint FROM catalogue.count($1, actor => '{}')),
           (SELECT (data::json ->> 'count')::bigint FROM catalogue.count($1, 'id[ne]=x', actor => '{}')),
           (SELECT coalesce(string_agg(r ->> 'id', ',' ORDER BY r ->> 'id' COLLATE "C"), '')
            FROM catalogue.list($1, 'limit=10000', actor => '{}') l, json_array_elements(l.data::json) r)
$$;
-- The numbers, and in front whether they are right.
CREATE FUNCTION seen() RETURNS text LANGUAGE sql AS
$$
    SELECT CASE WHEN bool_and(t.count = o.kept AND t.count = o.counted AND t.ids = o.ids) THEN 'right: '
        ELSE 'WRONG: ' END
           || string_agg(t.resource || ' ' || o.kept, ', '
               ORDER BY array_position('{datasets,files,charts,maps}', t.resource))
    FROM truth t, told(t.resource) o
$$;
SELECT make_dataset('Lakes') AS lakes, make_dataset('Ponds') AS ponds \gset
SELECT make_file('Depths', 'Lakes') AS depths, make_file('Shores', 'Lakes') AS shores \gset
SELECT make_chart('Depth chart', 'Depths') AS chart, make_map('Shore map', 'Shores') AS map,
       make('charts', '{"name": "Far chart", "link": "https://charts.example/1"}') AS far \gset
SELECT seen();
UPDATE catalogue.charts SET status = 'qWRhpRV';
UPDATE catalogue.maps SET status = 'qWRhpRV';
SELECT seen();
UPDATE catalogue.files SET status = 'qWRhpRV' WHERE dataset = :'lakes';
SELECT seen();

-- Each change that shows or hides, of one record or of many.
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id IN (:'lakes', :'ponds');
SELECT seen();
UPDATE catalogue.datasets SET visible = false WHERE id = :'lakes';
SELECT seen();
UPDATE catalogue.datasets SET visible = NULL;
SELECT seen();
SELECT id IS NOT NULL AS hidden FROM catalogue.update('datasets', :'lakes', '{"visible": false}', actor => admin());
SELECT seen();
SELECT id IS NOT NULL AS shown FROM catalogue.update('datasets', :'lakes', '{"visible": true}', actor => admin());
SELECT seen();
UPDATE catalogue.files SET visible = false WHERE id = :'depths';
SELECT seen();
UPDATE catalogue.files SET dataset = :'ponds', visible = NULL WHERE id = :'depths';
SELECT seen();
UPDATE catalogue.datasets SET status = 'nWRhpRV' WHERE id = :'ponds';
SELECT seen();
UPDATE catalogue.charts SET file = :'shores' WHERE id = :'chart';
SELECT seen();
UPDATE catalogue.charts SET file = :'depths' WHERE id = :'chart';
UPDATE catalogue.charts SET file = NULL, link = 'https://charts.example/2' WHERE id = :'chart';
SELECT seen();
UPDATE catalogue.charts SET file = :'depths' WHERE id = :'chart';
UPDATE catalogue.datasets
SET status = CASE id WHEN :'ponds' THEN 'qWRhpRV' ELSE 'nWRhpRV' END
WHERE id IN (:'lakes', :'ponds');
SELECT seen();
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id = :'lakes';
SELECT id IS NOT NULL AS unpublished FROM catalogue.act('datasets', :'lakes', 'unpublish', actor => admin());
SELECT seen();
UPDATE catalogue.files SET status = 'qWRhpRV' WHERE id = :'shores';
UPDATE catalogue.maps SET status = 'qWRhpRV';
SELECT seen();
SELECT id IS NOT NULL AS published FROM catalogue.act('datasets', :'lakes', 'publish', actor => admin());
SELECT seen();

-- Deleted and restored: with the dataset, and before it.
SELECT resource FROM catalogue.delete('files', :'depths', admin());
SELECT seen();
UPDATE catalogue.datasets SET visible = false WHERE id = :'ponds';
SELECT resource FROM catalogue.restore('files', :'depths', actor => admin());
SELECT seen();
SELECT resource FROM catalogue.delete('datasets', :'ponds', admin());
SELECT seen();
SELECT resource FROM catalogue.restore('datasets', :'ponds', actor => admin());
SELECT seen();
UPDATE catalogue.datasets SET visible = true WHERE id = :'ponds';
SELECT seen();
DELETE FROM catalogue.datasets WHERE id = :'ponds';
SELECT seen();
SELECT resource FROM catalogue.restore('datasets', :'ponds', actor => admin());
SELECT seen();

-- What is rolled back, as a whole or in part, changes nothing.
BEGIN;
UPDATE catalogue.datasets SET visible = false;
SELECT seen();
ROLLBACK;
SELECT seen();
BEGIN;
SAVEPOINT one;
UPDATE catalogue.datasets SET visible = false;
ROLLBACK TO one;
UPDATE catalogue.files SET visible = false WHERE id = :'shores';
COMMIT;
SELECT seen();
UPDATE catalogue.files SET visible = true WHERE id = :'shores';

-- A flag cannot be written: it is what the other record says.
UPDATE catalogue.files SET dataset_shown = false;
UPDATE catalogue.charts SET file_shown = NOT file_shown;
SELECT seen();
SELECT (refusal(format('SELECT catalogue.update(''files'', %L, ''{"datasetShown": false}'', actor => admin())',
    :'shores'))).code;
SELECT seen();

-- It is nobody's change: no log, and updatedAt stays; the history has it.
SELECT count(*) AS logs, (SELECT updated_at FROM catalogue.files WHERE id = :'shores') AS at FROM catalogue.logs \gset
SELECT version FROM catalogue.list('files', actor => admin()) \gset
UPDATE catalogue.datasets SET visible = false WHERE id = :'lakes';
SELECT count(*) - :logs AS logs, (SELECT updated_at FROM catalogue.files WHERE id = :'shores') = :'at' AS same
FROM catalogue.logs;
SELECT dataset_shown FROM catalogue_history.files WHERE id = :'shores' ORDER BY change_number DESC LIMIT 1;
SELECT names(catalogue.list('files', 'dataset=' || :'lakes' || '&version=' || :'version', actor => '{}')) AS outsiders,
       names(catalogue.list('files', 'dataset=' || :'lakes' || '&version=' || :'version', actor => admin())) AS users;
UPDATE catalogue.datasets SET visible = true WHERE id = :'lakes';
SELECT names(catalogue.list('files', 'dataset=' || :'lakes' || '&version=' || :'version', actor => '{}')) AS outsiders;
-- As of an instant at which it was hidden it is in no list.
SELECT version FROM catalogue.list('files', actor => admin()) \gset
UPDATE catalogue.datasets SET visible = false WHERE id = :'ponds';
SELECT version AS hidden FROM catalogue.list('files', actor => admin()) \gset
UPDATE catalogue.datasets SET visible = true WHERE id = :'ponds';
SELECT n, count, json_array_length(data::json)
FROM (VALUES (1, :'version'), (2, :'hidden')) v(n, version),
    catalogue.list('files', 'version=' || version, actor => '{}')
ORDER BY n;

-- With checks off, records come before what they refer to.
BEGIN;
SET LOCAL catalogue.check_references = off;
INSERT INTO catalogue.files (id, name, dataset, type, status, organization, owner, update_frequency, created_by)
    SELECT 'laterFile', 'Later file', 'laterDataset', type, status, organization, owner, update_frequency, created_by
    FROM catalogue.files
    WHERE id = :'shores';
INSERT INTO catalogue.datasets (id, name, status, owner, created_by)
SELECT 'laterDataset', 'Later', 'qWRhpRV', owner, created_by
FROM catalogue.datasets
WHERE id = :'lakes';
COMMIT;
SELECT seen();

-- Another definition of what is shown; then the one before.
SELECT r.searchable, r.actions, r.shown FROM catalogue.resource r WHERE r.resource = 'datasets' \gset was_
UPDATE catalogue.datasets SET starred = true WHERE id = :'lakes';
SELECT catalogue.expose('datasets', 'Dataset', searchable => :'was_searchable', actions => :'was_actions',
    at_least_one => '{categories}', shown => '{"outsiders": {"starred": true}}');
SELECT dataset = :'lakes' AS lakes, dataset_shown, count(*)
FROM catalogue.files
WHERE deleted_at IS NULL
GROUP BY 1, 2
ORDER BY 1, 2;
SELECT kept, counted, kept = length(regexp_replace(ids, '[^,]', '', 'g')) + 1 AS listed FROM told('files');
SELECT catalogue.expose('datasets', 'Dataset', searchable => :'was_searchable', actions => :'was_actions',
    at_least_one => '{categories}', shown => :'was_shown');
SELECT seen();
-- Rows that were changed behind the triggers.
ALTER TABLE catalogue.datasets DISABLE TRIGGER USER;
UPDATE catalogue.datasets SET visible = false WHERE id = :'lakes';
ALTER TABLE catalogue.datasets ENABLE TRIGGER USER;
SELECT kind, split_part(subject, '/', 1) AS subject, problem, remedy FROM catalogue.check_all() WHERE kind = 'flag';
SELECT catalogue.follow_shown('files'), catalogue.follow_shown('datasets');
SELECT count(*) AS wrong FROM catalogue.check_all() WHERE kind = 'flag';
SELECT catalogue.recount('datasets') > 0 AS counted;
SELECT seen();

-- What cannot be understood is refused.
SELECT s AS shown, (refusal(format('SELECT catalogue.expose(''files'', ''File'', shown => %L)', s))).*
FROM unnest(ARRAY['{"outsiders": {"name": {"shown": true}}}', '{"internal": {"dataset": {"shown": true}}}',
    '{"outsiders": {"dataset": {"shown": false}}}', '{"outsiders": {"name": {"not": true}}}',
    '{"outsiders": {"visible": {"not": 1}}}', '{"outsiders": {"visible": {"is": true}}}']) s;

-- A table of another's: hidden with the record that its key names, though that may be deleted.
CREATE TABLE catalogue.reviews (id catalogue.id PRIMARY KEY, text text, dataset catalogue.id CONSTRAINT reviews
    REFERENCES catalogue.datasets ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
INSERT INTO catalogue.reviews (id, text, dataset)
    VALUES ('one', 'good', :'ponds'), ('two', 'fine', :'lakes'), ('three', 'well', NULL);
SELECT catalogue.expose('reviews', 'Review', shown => '{"outsiders": {"dataset": {"shown": true}}}');
SELECT kept, counted, ids FROM told('reviews');
SELECT resource FROM catalogue.delete('datasets', :'ponds', admin());
SELECT kept, counted, ids FROM told('reviews');
SELECT resource FROM catalogue.restore('datasets', :'ponds', actor => admin());
SELECT kept, counted, ids FROM told('reviews');
