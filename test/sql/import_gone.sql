--
-- import_gone: what a source stops naming and names again, gives to few people only, or deletes
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- An entry with distributions, and with further members.
CREATE FUNCTION entry(id text, distributions text DEFAULT 'a', more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS
$$
    SELECT jsonb_build_object('identifier', id, 'title', 'Data ' || id, 'theme', 'w', 'publisher', 'Office',
        'distribution', (SELECT coalesce(jsonb_agg(jsonb_build_object('title', d, 'format', 'csv', 'downloadURL',
            format('https://a.example/%s/%s.csv', id, d))), '[]')
        FROM string_to_table(distributions, NULL) d)) || more
$$;
-- Import some entries of a source; the lines of the report, without those that are unchanged and say nothing.
CREATE FUNCTION import(entries jsonb[], options jsonb DEFAULT '{}') RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT l.line
    FROM catalogue.import_dcat(json_build_object('dataset', to_json(entries)), 'test',
            ('{"publish": true, "gone": "delete"}'::jsonb || options)::json, admin()) r,
        LATERAL (SELECT 0, n FROM json_array_elements_text(r -> 'notes') n
                 UNION ALL
                 SELECT 1, concat_ws(' ', e ->> 'id', e ->> 'outcome', e ->> 'done', e ->> 'message', e ->> 'notes')
                 FROM json_array_elements(r -> 'entries') e
                 WHERE e ->> 'outcome' <> 'unchanged' OR e ->> 'notes' IS NOT NULL) l(place, line)
    ORDER BY l.place, l.line
$$;
CREATE FUNCTION clear() RETURNS void LANGUAGE sql AS
$$
    SELECT catalogue.delete('datasets', i.record, admin())
    FROM catalogue.imported i JOIN catalogue.datasets d ON d.id = i.record WHERE d.deleted_at IS NULL;
    DELETE FROM catalogue.imported
$$;
CREATE FUNCTION act(name text, action text) RETURNS text LANGUAGE sql AS
$$
    SELECT (CASE action WHEN 'delete' THEN catalogue.delete('datasets', d.id, admin())
        WHEN 'restore' THEN catalogue.restore('datasets', d.id, actor => admin())
        ELSE catalogue.act('datasets', d.id, action, actor => admin()) END).resource
    FROM catalogue.datasets d WHERE d.name = $1 ORDER BY d.created_at DESC LIMIT 1
$$;
-- The datasets of the source and their files, with their states, and whether each is the record that was made first.
CREATE VIEW here AS
    SELECT i.id, CASE WHEN d.deleted_at IS NOT NULL THEN 'deleted' ELSE s.name END AS state,
        (SELECT string_agg(f.name || CASE WHEN f.deleted_at IS NOT NULL THEN ' deleted'
                               WHEN t.name = 'Published' THEN '' ELSE ' ' || lower(t.name) END, ', ' ORDER BY f.name)
         FROM catalogue.files f JOIN catalogue.statuses t ON t.id = f.status WHERE f.dataset = d.id) AS files
    FROM catalogue.imported i JOIN catalogue.datasets d ON d.id = i.record JOIN catalogue.statuses s ON s.id = d.status
    ORDER BY i.id;

-- What was deleted or unpublished since the source did not name it comes back, as it was, with its files.
SELECT count(*) FROM import(ARRAY[entry('1'), entry('2', 'ab'), entry('3')]);
SELECT * FROM import(ARRAY[entry('1'), entry('3')]);
SELECT * FROM import(ARRAY[entry('1'), entry('3')]);
SELECT * FROM here;
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'ab'), entry('3')]);
SELECT * FROM here;
SELECT * FROM import(ARRAY[entry('1'), entry('3')], '{"gone": "unpublish"}');
SELECT * FROM import(ARRAY[entry('1'), entry('3')], '{"gone": "unpublish"}');
SELECT * FROM here;
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'ab'), entry('3')], '{"gone": "unpublish"}');
SELECT * FROM import(ARRAY[entry('1'), entry('3')], '{"gone": "unpublish"}');
SELECT * FROM import(ARRAY[entry('1'), entry('3')]);
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'ab', '{"keyword": "new"}'), entry('3')]);
SELECT * FROM here;
-- likewise a distribution: it is the same file
CREATE TABLE files AS SELECT f.id, f.name FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset;
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'a'), entry('3')], '{"gone": "unpublish"}');
SELECT * FROM here WHERE id = '2';
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'ac'), entry('3')]);
SELECT * FROM here WHERE id = '2';
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'abc'), entry('3')]);
SELECT * FROM here WHERE id = '2';
SELECT f.name FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset
WHERE f.id NOT IN (SELECT id FROM files);
-- a dry run of all that changes nothing
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'b')], '{"dryRun": true}');
SELECT * FROM here;

-- What a user deleted or unpublished stays so, also after an import has done it, and the report says so.
SELECT act('Data 1', 'delete'), act('Data 2', 'unpublish');
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'abc'), entry('3')]);
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'abc', '{"keyword": "changed"}'), entry('3')]);
SELECT act('Data 2', 'publish'), act('Data 1', 'restore');
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'abc')]);
SELECT act('Data 3', 'restore'), act('Data 3', 'delete');
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'abc')], '{"gone": "unpublish"}');
SELECT * FROM import(ARRAY[entry('2', 'abc'), entry('3')], '{"gone": "unpublish"}');
SELECT act('Data 1', 'publish'), act('Data 1', 'unpublish');
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'abc')]);
SELECT * FROM here;

-- Nothing is gone where the source names less than half of what it had, unless that is accepted.
SELECT clear();
SELECT count(*) FROM import(ARRAY[entry('1'), entry('2'), entry('3'), entry('4')]);
SELECT * FROM import(ARRAY[entry('4'), entry('5'), entry('6')]);
SELECT * FROM import('{}');
SELECT count(*) AS living FROM here WHERE state = 'Published';
SELECT * FROM import(ARRAY[entry('4')], '{"acceptLoss": true}');
SELECT * FROM import('{}', '{"acceptLoss": true}');
SELECT count(*) AS living FROM here WHERE state = 'Published';
SELECT count(*) FROM import(ARRAY[entry('1'), entry('2')]);
SELECT * FROM import(ARRAY[entry('1')]);
SELECT * FROM faults($$SELECT catalogue.import('{"document": {"dataset": []}, "source": "x", "acceptLoss": 7}',
    admin())$$);

-- Nothing is gone where something is missing and the entries are a multiple of 1,000, since lists are cut there.
SELECT clear();
CREATE FUNCTION many(last int) RETURNS jsonb[] LANGUAGE sql AS
$$
    SELECT array_agg(entry(n::text, '')) FROM generate_series(1, last) n
$$;
SELECT count(*) FROM import(many(1002));
SELECT * FROM import(many(1000));
SELECT * FROM import(many(1001));
SELECT * FROM import(many(1000), '{"acceptLoss": true}');
SELECT * FROM import(many(1000));

-- What the source does not give to everybody is not published, and is published when it does.
SELECT clear();
SELECT * FROM import(ARRAY[entry('1', 'a', '{"accessLevel": "non-public"}'),
    entry('2', 'a', '{"accessLevel": "restricted public"}'), entry('3', 'a', '{"accessLevel": "public"}'),
    entry('4', 'a', '{"private": true}'), entry('5', 'a', '{"private": false}'), entry('6', 'a', '{"state": "draft"}'),
    entry('7', 'a', '{"dct:accessRights":
        {"@id": "http://publications.europa.eu/resource/authority/access-right/PUBLIC"}}'),
    entry('8', 'a', '{"accessRights": "http://publications.europa.eu/resource/authority/access-right/RESTRICTED"}'),
    entry('9', 'a', '{"accessLevel": "Public", "state": "active"}'), entry('a', 'a', '{"private": "True"}')]);
SELECT * FROM here;
SELECT * FROM import(ARRAY[entry('1'), entry('2', 'ab'), entry('3', 'abc', '{"accessLevel": "non-public"}'),
    entry('4', 'ab', '{"private": true}'), entry('5', 'a', '{"private": true}')], '{"partial": true}');
SELECT * FROM here WHERE id < '6';
SELECT * FROM import(ARRAY[entry('3', 'abc'), entry('4', 'ab'), entry('5')], '{"partial": true}');
SELECT * FROM here WHERE id < '6';
-- not where the import does not publish, nor where a user has made something else of it
SELECT * FROM import(ARRAY[entry('6'), entry('8')], '{"partial": true, "publish": false}');
SELECT * FROM import(ARRAY[entry('6'), entry('8'), entry('5', 'a', '{"private": true}')], '{"partial": true}');
SELECT act('Data 5', 'publish');
SELECT * FROM import(ARRAY[entry('5', 'a', '{"private": true}')], '{"partial": true}');
SELECT act('Data 5', 'publish'), act('Data 5', 'unpublish');
SELECT * FROM import(ARRAY[entry('5', 'a')], '{"partial": true}');
SELECT * FROM here WHERE id IN ('5', '6', '8');

-- What the source has deleted is as if it did not name it.
SELECT clear();
SELECT count(*) FROM import(ARRAY[entry('1'), entry('2'), entry('3')]);
SELECT * FROM import(ARRAY[entry('1', 'a', '{"state": "deleted"}'), entry('2', 'a', '{"state": "deleted"}'), entry('3'),
    entry('4', 'a', '{"state": "deleted"}')], '{"gone": "unpublish"}');
SELECT * FROM here;
SELECT * FROM import(ARRAY[entry('1', 'a', '{"state": "active"}'), entry('2'), entry('3')]);
SELECT * FROM here;
SELECT * FROM catalogue.check_all();

-- What comes back while another dataset has its name by now gets a number, until the name is free again.
SELECT clear() IS NULL AS cleared;
SELECT * FROM import(ARRAY[entry('1'), entry('2'), entry('3')]);
SELECT * FROM import(ARRAY[entry('2'), entry('3')]);
SELECT (catalogue.create('datasets', json_build_object('name', 'Data 1', 'owner', id_of('users', 'admin'), 'categories',
    json_build_array(id_of('categories', 'w'))), actor => admin())).id AS taken \gset
SELECT * FROM import(ARRAY[entry('1'), entry('2'), entry('3')]);
SELECT d.name, d.slug, d.deleted_at IS NOT NULL AS deleted, d.status = 'qWRhpRV' AS published
FROM catalogue.datasets d JOIN catalogue.imported i ON i.record = d.id WHERE i.id = '1';
SELECT * FROM import(ARRAY[entry('1'), entry('2'), entry('3')]);
SELECT (catalogue.delete('datasets', :'taken', admin())).resource;
SELECT * FROM import(ARRAY[entry('1', 'a', '{"description": "Changed"}'), entry('2'), entry('3')]);
SELECT d.name, d.slug FROM catalogue.datasets d WHERE d.name LIKE 'Data 1%' AND d.deleted_at IS NULL;
