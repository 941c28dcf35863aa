--
-- undo: an action of the log is undone, is logged itself, and is refused with the reason where that cannot be
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The newest log record of a record.
CREATE FUNCTION last_log(record text) RETURNS text LANGUAGE sql AS
    $$ SELECT l.id FROM catalogue.logs l WHERE l.resource = $1 ORDER BY l.change DESC, l.created_at DESC LIMIT 1 $$;
CREATE FUNCTION undo_last(record text, actor jsonb DEFAULT admin()) RETURNS text LANGUAGE sql AS
    $$ SELECT r.resource || ' ' || mask(r.id) FROM catalogue.undo(last_log($1), actor => $2) r $$;
CREATE FUNCTION refusal_of(log text, actor jsonb DEFAULT admin(), OUT code text, OUT message text, OUT detail text)
    LANGUAGE sql AS $$
    SELECT r.code, r.message, r.detail FROM refusal(format('SELECT catalogue.undo(%L, actor => %L)', $1, $2)) r;
$$;
-- The actions on a record, the newest first.
CREATE FUNCTION actions_on(record text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(l.action || coalesce(' by ' || u.username, ''), ', ' ORDER BY l.change DESC)
    FROM catalogue.logs l LEFT JOIN catalogue.users u ON u.id = l.user WHERE l.resource = $1;
$$;
\set VERBOSITY terse

-- An update: fields, references, lists; and again, which brings the change back.
SELECT make('tags', '{"name": "one"}') AS one, make('tags', '{"name": "two"}') AS two, make_dataset('Undone') AS dataset
\gset
SELECT mask(id) AS id FROM catalogue.update('datasets', :'dataset',
    json_build_object('tags', json_build_array(:'one', :'two'), 'name', 'Changed', 'notes', 'n'), actor => admin());
SELECT undo_last(:'dataset');
SELECT name, slug, notes, cardinality(tags_ids) AS tags FROM catalogue.datasets WHERE id = :'dataset';
SELECT count(*) FROM catalogue.datasets_tags WHERE dataset = :'dataset' AND deleted_at IS NULL;
SELECT undo_last(:'dataset');
SELECT name, slug, notes, cardinality(tags_ids) AS tags FROM catalogue.datasets WHERE id = :'dataset';
SELECT actions_on(:'dataset');
SELECT data::json ->> 'name' AS name
FROM catalogue.undo(last_log(:'dataset'), 'representation', actor => admin());

-- A creation and a deletion, also with what belongs to the record.
SELECT undo_last(:'one');
SELECT deleted_at IS NOT NULL AS deleted FROM catalogue.tags WHERE id = :'one';
SELECT undo_last(:'one');
SELECT deleted_at IS NOT NULL AS deleted FROM catalogue.tags WHERE id = :'one';
SELECT undo_last(:'one');
SELECT actions_on(:'one');
SELECT make_file('Of it', 'Undone') AS file \gset
SELECT mask(id) AS id FROM catalogue.delete('datasets', :'dataset', admin());
SELECT undo_last(:'dataset');
SELECT count(*) FROM catalogue.files WHERE id = :'file' AND deleted_at IS NULL;

-- A deactivation and its end.
SELECT id_of('filetypes', 'csv') AS type \gset
SELECT mask(id) AS id FROM catalogue.deactivate('filetypes', :'type', actor => admin());
SELECT undo_last(:'type');
SELECT deactivated_at IS NOT NULL AS deactivated FROM catalogue.filetypes WHERE id = :'type';
SELECT undo_last(:'type');
SELECT deactivated_at IS NOT NULL AS deactivated, deleted_at IS NOT NULL AS deleted FROM catalogue.filetypes
WHERE id = :'type';
SELECT undo_last(:'type');

-- A state: where the actor may set it.
SELECT mask(id) AS id FROM catalogue.act('datasets', :'dataset', 'review', actor => admin());
SELECT undo_last(:'dataset');
SELECT s.name FROM catalogue.datasets d JOIN catalogue.statuses s ON s.id = d.status WHERE d.id = :'dataset';

-- Refused: a field that was changed since; it says which, and nothing is changed.
SELECT make('tags', '{"name": "red"}') AS tag \gset
SELECT mask(id) AS id FROM catalogue.update('tags', :'tag', '{"name": "green"}', actor => admin());
SELECT last_log(:'tag') AS green \gset
SELECT mask(id) AS id FROM catalogue.update('tags', :'tag', '{"name": "blue"}', actor => admin());
SELECT * FROM refusal_of(:'green');
SELECT name FROM catalogue.tags WHERE id = :'tag';
-- an update of another field does not matter
ALTER TABLE catalogue.tags ADD COLUMN remark text;
SELECT catalogue.grant_roles();
UPDATE catalogue.tags SET remark = 'other' WHERE id = :'tag';
SELECT l.id AS blue FROM catalogue.logs l WHERE l.resource = :'tag' AND l.changes #>> '{name,after}' = 'blue' \gset
SELECT mask(id) AS id FROM catalogue.undo(:'blue', actor => admin());
SELECT name, remark FROM catalogue.tags WHERE id = :'tag';

-- a name that another record has by now, and a reference to a record that is deleted
SELECT mask(id) AS id FROM catalogue.update('tags', :'tag', '{"name": "yellow"}', actor => admin());
SELECT last_log(:'tag') AS yellow \gset
SELECT make('tags', '{"name": "green"}') AS green_again \gset
SELECT * FROM refusal_of(:'yellow');
SELECT mask(id) AS id
FROM catalogue.update('datasets', :'dataset', json_build_object('tags', json_build_array(:'tag')), actor => admin());
SELECT mask(id) AS id FROM catalogue.update('datasets', :'dataset', '{"tags": []}', actor => admin());
SELECT mask(id) AS id FROM catalogue.delete('tags', :'tag', admin());
SELECT undo_last(:'dataset');

-- what is deleted already, restored already, or removed for good
SELECT * FROM refusal_of(:'yellow');
SELECT l.id AS created FROM catalogue.logs l WHERE l.resource = :'tag' AND l.action = 'create' \gset
SELECT * FROM refusal_of(:'created');
SELECT last_log(:'tag') AS deleted \gset
SELECT mask(id) AS id FROM catalogue.restore('tags', :'tag', actor => admin());
SELECT * FROM refusal_of(:'deleted');
SELECT catalogue.clear('views') >= 0 AS cleared;
SELECT undo_last('*');

-- a value that the log does not keep
SELECT id AS editor FROM catalogue.users WHERE username = 'editor' \gset
SELECT mask(id) AS id FROM catalogue.update('users', :'editor', '{"password": "a good password"}', actor => admin());
SELECT undo_last(:'editor');

-- The bytes of a file come back, with its name, type and address, and a job that reads its rows; and once more.
CREATE FUNCTION bytes_of(file text, OUT name text, OUT type text, OUT size bigint, OUT bytes text, OUT fits boolean,
    OUT jobs bigint) LANGUAGE sql AS
$$
    SELECT f.file_name, t.name, f.size, convert_from(catalogue.blob_bytes(s.blob, 0), 'UTF8'),
           f.sha256 = encode(b.digest, 'hex') AND f.url LIKE '%/' || f.file_name || '/download',
           (SELECT count(*) FROM catalogue.jobs j WHERE j.resource = $1 AND j.kind = 'parse' AND j.state = 'queued')
    FROM catalogue.files f JOIN catalogue.filetypes t ON t.id = f.type
        JOIN catalogue.stored_file s ON s.file = f.id JOIN catalogue.blob b ON b.id = s.blob
    WHERE f.id = $1
$$;
SELECT make_dataset('Levels') AS levels \gset
SELECT make_file('Levels', 'Levels') AS file \gset
SELECT mask(id) AS id FROM catalogue.upload('files', :'file', 'levels.csv', 'a,b', actor => admin());
SELECT last_log(:'file') AS first_upload \gset
SELECT * FROM refusal_of(:'first_upload');
SELECT mask(id) AS id FROM catalogue.upload('files', :'file', 'levels.json', '[{"a": 1}]', '{"notes": "new"}', admin());
SELECT last_log(:'file') AS second_upload \gset
SELECT * FROM bytes_of(:'file');
SELECT undo_last(:'file');
SELECT * FROM bytes_of(:'file');
SELECT undo_last(:'file');
SELECT * FROM bytes_of(:'file');
-- not over bytes that came since
SELECT mask(id) AS id FROM catalogue.upload('files', :'file', 'levels.csv', 'c,d', actor => admin());
SELECT last_log(:'file') AS third_upload \gset
SELECT * FROM refusal_of(:'second_upload');
SELECT mask(id) AS id FROM catalogue.undo(:'third_upload', actor => admin());
-- nor once they are gone
DELETE FROM catalogue.blob b WHERE b.digest = sha256('c,d');
SELECT last_log(:'file') AS of_third \gset
SELECT * FROM refusal_of(:'of_third');
SELECT * FROM bytes_of(:'file');
-- An attacker: nobody takes bytes by the log of another action, or of a file that he may not change.
UPDATE catalogue.users SET active = true WHERE username = 'guest';
SELECT code, message
FROM refusal(format($$SELECT catalogue.undo_bytes(%L, '{}', actor => actor('guest'))$$, :'second_upload'));
SELECT code, message
FROM refusal(format($$SELECT catalogue.undo_bytes(%L, '{}', actor => admin())$$, last_log(:'dataset')));

-- The image of a category goes with its address; one that was replaced or removed is not found again.
SELECT id_of('categories', 'Transport') AS category \gset
SELECT mask(id) AS id FROM catalogue.upload('categories', :'category', 'a.svg',
    '<svg xmlns="http://www.w3.org/2000/svg"></svg>', actor => admin());
SELECT undo_last(:'category');
SELECT image, file_name, (SELECT count(*) FROM catalogue.stored_image s WHERE s.category = c.id) AS images
FROM catalogue.categories c WHERE id = :'category';
SELECT undo_last(:'category');
SELECT mask(id) AS id FROM catalogue.upload('categories', :'category', 'a.svg',
    '<svg xmlns="http://www.w3.org/2000/svg"></svg>', actor => admin());
SELECT mask(id) AS id FROM catalogue.update('categories', :'category', '{"deleteImage": true}', actor => admin());
SELECT undo_last(:'category');

-- What followed a state and was changed since is not overwritten.
SELECT mask(id) AS id FROM catalogue.act('datasets', :'levels', 'publish', actor => admin());
SELECT mask(id) AS id FROM catalogue.act('files', :'file', 'publish', actor => admin());
SELECT mask(id) AS id FROM catalogue.act('datasets', :'levels', 'unpublish', actor => admin());
SELECT last_log(:'levels') AS unpublished \gset
SELECT mask(id) AS id FROM catalogue.act('files', :'file', 'review', actor => admin());
SELECT code, message, mask(detail) AS detail FROM refusal_of(:'unpublished');

-- a table that is not exposed any more
CREATE TABLE catalogue.licenses (id catalogue.id PRIMARY KEY, name text, created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT catalogue.expose('licenses', 'License');
SELECT make('licenses', '{"name": "CC0"}') AS license \gset
SELECT undo_last(:'license');
SELECT catalogue.hide('licenses');
SELECT undo_last(:'license');

-- An attacker: who sees no log undoes nothing, and nobody does what he could not do himself.
UPDATE catalogue.users SET active = true WHERE username = 'guest';
SELECT last_log(:'green_again') AS creation \gset
SELECT * FROM refusal_of(:'creation', '{}');
SELECT catalogue.undo('nonesuch', actor => admin());
SELECT * FROM refusal_of(:'creation', actor('guest'));
SELECT last_log(:'editor') AS of_editor \gset
SELECT * FROM refusal_of(:'of_editor', actor('guest'));
SET ROLE catalogue_reader;
SELECT catalogue.undo(:'creation');
RESET ROLE;
SELECT deleted_at IS NULL AS is_there FROM catalogue.tags WHERE id = :'green_again';

-- The log of one record.
SELECT count, resource, json_array_length(data::json) AS shown FROM catalogue.record_logs('tags', :'tag', 'limit=2',
    actor => admin());
SELECT r ->> 'action' AS action, r #>> '{changes,name,after}' AS name
FROM json_array_elements((catalogue.record_logs('TAGS', :'tag', 'action=update', actor => admin())).data::json) r;
SELECT count FROM catalogue.record_logs('tags', :'tag', 'action=nonesuch&condition=OR&resource=' || :'two',
    actor => admin());
SELECT count FROM catalogue.record_logs('tags', 'two', actor => admin());
SELECT mask(id) AS id FROM catalogue.delete('tags', :'two', admin());
SELECT count FROM catalogue.record_logs('tags', :'two', actor => admin());
SELECT catalogue.record_logs('tags', 'two', actor => admin());
SELECT catalogue.record_logs('tags', 'x&limit=0', actor => admin());
SELECT catalogue.record_logs('tags', :'tag', actor => '{}');
SELECT code, message
FROM refusal(format('SELECT catalogue.record_logs(''datasets'', %L, actor => admin())', :'tag'));
SELECT * FROM catalogue.check();
