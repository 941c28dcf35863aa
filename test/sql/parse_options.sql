--
-- parse_options: how a file is to be read is checked, and a change of it has the file read anew
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
CREATE FUNCTION upload(name text, bytes text, options text DEFAULT NULL) RETURNS text LANGUAGE sql AS
$$
    SELECT (catalogue.upload('files', NULL, $1 || '.csv', convert_to($2, 'UTF8'),
        json_build_object('name', $1, 'dataset', test.id_of('datasets', 'Air'), 'owner', test.id_of('users', 'admin'),
        'organization', test.id_of('organizations', 'Open Data Office'),
        'updateFrequency', test.id_of('updatefrequencies', 'Daily'), 'parseOptions', $3::json),
        test.admin())).id
$$;
-- The jobs that are queued, and what a worker is told of the next one.
CREATE FUNCTION queued(OUT kind text, OUT state text, OUT reason text) RETURNS SETOF record LANGUAGE sql AS
$$
    SELECT j.kind, j.state, j.reason FROM catalogue.jobs j WHERE j.kind IN ('parse', 'scan') ORDER BY j.created_at, j.id
$$;
CREATE FUNCTION take(OUT kind text, OUT extension text, OUT options jsonb) RETURNS SETOF record LANGUAGE sql AS
$$ SELECT t.kind, t.details ->> 'extension', t.details -> 'options' FROM catalogue.job_take('w', '{parse,scan}') t $$;

-- What is taken.
SELECT o, catalogue.is_parse_options(o::json)
FROM unnest(ARRAY['{}', '{"encoding": "Windows-1250", "delimiter": ";", "decimal": ",", "header": 3, "skip": 2}',
    '{"encoding": "shift_jis"}', '{"encoding": "koi8-r"}',
    '{"encoding": "GB18030"}', '{"delimiter": "\t"}', '{"delimiter": ""}', '{"header": true}',
    '{"header": false, "skip": 1000}', '{"encoding": null, "header": null, "skip": 0}', '{"merged": "fill"}',
    '{"merged": "first", "headerRows": 2}', '{"header": 4, "headerRows": 3, "skip": 1}', '{"headerRows": null}',
    '{"crs": "EPSG:22185"}', '{"crs": "epsg:4326"}', '{"crs": "urn:ogc:def:crs:EPSG::22185"}',
    '{"crs": "urn:ogc:def:crs:OGC:1.3:CRS84"}', '{"crs": "ESRI:102033"}', '{"crs": null}']) o;

-- What is not, each with one fault.
SELECT o, refusal.message, refusal.detail
FROM unnest(ARRAY['[]', '"UTF-8"', '{"encoding": 8}', '{"encoding": ""}', '{"encoding": "klingon"}',
    '{"encoding": "UTF-8//IGNORE"}', '{"encoding": "../../tmp/x"}',
    '{"delimiter": ";;"}', '{"delimiter": "a"}', '{"delimiter": "\""}', '{"delimiter": "\n"}', '{"delimiter": "ñ"}',
    '{"delimiter": 1}', '{"decimal": ""}', '{"decimal": ";"}', '{"header": 0}', '{"header": 1002}', '{"header": 1.5}',
    '{"header": "yes"}', '{"skip": -1}', '{"skip": 1001}', '{"skip": "2"}', '{"header": 2, "skip": 2}',
    '{"colour": "red"}', '{"skip": 9999999999}', '{"merged": "last"}', '{"merged": true}', '{"headerRows": 0}',
    '{"headerRows": 4}', '{"headerRows": "2"}', '{"headerRows": 2, "header": 1}',
    '{"headerRows": 3, "header": 4, "skip": 2}', '{"crs": 22185}', '{"crs": "22185"}', '{"crs": ""}',
    '{"crs": "EPSG:"}', '{"crs": "EPSG:22185 "}', '{"crs": "+proj=longlat"}', '{"crs": "/etc/passwd"}',
    '{"crs": "IGNF:LAMB93"}', '{"crs": "EPSG:22185+5773"}']) o,
    LATERAL refusal(format('SELECT catalogue.create(''files'', %L, actor => admin())',
        json_build_object('name', 'x', 'url', 'http://example.org/x.csv', 'dataset', id_of('datasets', 'Air'),
        'owner', id_of('users', 'admin'), 'organization', id_of('organizations', 'Open Data Office'),
        'updateFrequency', id_of('updatefrequencies', 'Daily'), 'type', id_of('filetypes', 'csv'),
        'parseOptions', o::json))) refusal;
-- Several things that are wrong are told together.
SELECT (refusal(format('SELECT catalogue.create(''files'', %L, actor => admin())',
    '{"parseOptions": {"skip": -1, "decimal": 1}}'))).detail::json -> 'parseOptions' AS faults;
-- In SQL the type of the column refuses.
SELECT code, message FROM refusal($$UPDATE catalogue.files SET parse_options = '{"skip": -1}'$$);
SELECT code, message FROM refusal($$SELECT '[]'::json::catalogue.parse_options$$);

-- OPTIONS tells of the field.
SELECT data::json -> 'fields' -> 'parseOptions' AS field FROM catalogue.describe('files', actor => admin());

-- An upload with options, and one without.
SELECT upload('plain', E'a,b\n1,2') AS plain,
       upload('said', E'a;b\n1;2', '{"delimiter": ";", "header": true}') AS said \gset
SELECT data::json -> 'parseOptions' AS options, data::json ->> 'parseState' AS state
FROM catalogue.item('files', :'said', actor => admin());
SELECT * FROM take();
SELECT * FROM take();
SELECT catalogue.contents_load(:'plain', '[["a"],["former"]]') > 0 AS loaded;
SELECT catalogue.job_done(job, 'w') FROM catalogue.job_queue WHERE kind = 'parse';

-- A change of the options: it is read anew, and has its former contents meanwhile.
SELECT id = :'plain' AS changed
FROM catalogue.update('files', :'plain', '{"parseOptions": {"encoding": "KOI8-R"}}', actor => admin());
SELECT parse_state FROM catalogue.files WHERE id = :'plain';
SELECT data FROM catalogue.contents_page(:'plain');
SELECT * FROM take();
-- While that is read, another change: the reading is given up, and begun again.
SELECT id = :'plain' AS changed
FROM catalogue.update('files', :'plain', '{"parseOptions": {"encoding": "CP1251", "skip": 1}}', actor => admin());
SELECT * FROM queued();
SELECT * FROM take();
SELECT catalogue.job_done(job, 'w') FROM catalogue.job_queue WHERE kind = 'parse';

-- The same options, another field, null instead of none: nothing is read. Null instead of options: it is.
SELECT id = :'plain' AS changed
FROM catalogue.update('files', :'plain', '{"parseOptions": {"encoding": "CP1251", "skip": 1}}', actor => admin());
SELECT id = :'plain' AS changed FROM catalogue.update('files', :'plain', '{"notes": "other"}', actor => admin());
SELECT count(*) FROM catalogue.job_queue WHERE kind = 'parse';
SELECT id = :'plain' AS changed FROM catalogue.update('files', :'plain', '{"parseOptions": null}', actor => admin());
SELECT * FROM take();
SELECT catalogue.job_done(job, 'w') FROM catalogue.job_queue WHERE kind = 'parse';

-- Bytes and options together are one reading, of the new bytes.
SELECT (catalogue.upload('files', :'plain', 'x.csv', E'c;d\n1;2;3', '{"parseOptions": {"skip": 2}}',
    admin())).id = :'plain' AS replaced;
SELECT j.total, q.details ->> 'size' AS size
FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
WHERE q.kind = 'parse';
SELECT * FROM take();
SELECT catalogue.job_done(job, 'w') FROM catalogue.job_queue WHERE kind = 'parse';

-- SQL of the owner does the same.
UPDATE catalogue.files SET parse_options = '{"header": false}' WHERE id = :'said';
SELECT parse_state FROM catalogue.files WHERE id = :'said';
SELECT * FROM take();
SELECT catalogue.job_done(job, 'w') FROM catalogue.job_queue WHERE kind = 'parse';

-- A file that is held is not read before it is given out.
UPDATE catalogue.stored_file SET held = true WHERE file = :'said';
SELECT catalogue.read_anew(:'said') AS queued;
UPDATE catalogue.files SET parse_options = '{"header": true}' WHERE id = :'said';
SELECT count(*) FROM catalogue.job_queue WHERE kind = 'parse';
UPDATE catalogue.stored_file SET held = false WHERE file = :'said';
-- A file without bytes, and one that is not there, is not read.
SELECT catalogue.read_anew(make_file('Elsewhere', 'Air')) AS queued, catalogue.read_anew('nonesuch') AS none;

-- Each version has the options and the state of its time, the newest first.
SELECT v -> 'parseOptions' AS options, v ->> 'parseState' AS state
FROM json_array_elements((SELECT data::json FROM catalogue.versions('files', :'plain', actor => admin()))) v;
SELECT kind, problem FROM catalogue.check_all() WHERE kind IN ('log', 'history');

-- What the options were is in the versions of the record.
SELECT count(DISTINCT data::text) > 1 AS several
FROM (SELECT json_array_elements(data::json) -> 'parseOptions' AS data
      FROM catalogue.versions('files', :'said', actor => admin())) v;

-- What was taken for the form of the file is in its schema.
SELECT catalogue.contents_begin(:'said') AS revision \gset
SELECT catalogue.contents_sheet(:'said', :revision, 1, '', false) AS sheet \gset
SELECT catalogue.contents_sheet_end(:sheet,
    '{"rows":0,"badRows":0,"columns":[],"details":{"header":4,"skip":2,"titles":[3],"headerReason":"h",
        "encoding":"KOI8-R","encodingReason":"e","delimiter":";","delimiterReason":"d"}}');
SELECT catalogue.contents_publish(:'said', :revision) AS published;
SELECT jsonb_pretty((catalogue.contents_schema(:'said')).data::jsonb);
SELECT catalogue.contents_begin(:'said') AS revision \gset
SELECT catalogue.contents_sheet(:'said', :revision, 1, 'of a workbook', false) AS sheet \gset
SELECT catalogue.contents_sheet_end(:sheet,
    '{"rows":0,"badRows":0,"columns":[],"details":{"header":false,"headerReason":"h"}}');
SELECT catalogue.contents_publish(:'said', :revision) AS published;
SELECT (catalogue.contents_schema(:'said')).data;
-- A heading of two rows has both.
SELECT catalogue.contents_begin(:'said') AS revision \gset
SELECT catalogue.contents_sheet(:'said', :revision, 1, '', false) AS sheet \gset
SELECT catalogue.contents_sheet_end(:sheet,
    '{"rows":0,"badRows":0,"columns":[],"details":{"header":4,"headerRows":[3,4],"headerReason":"h"}}');
SELECT catalogue.contents_publish(:'said', :revision) AS published;
SELECT (catalogue.contents_schema(:'said')).data::json -> 'dialect' AS dialect;

-- A database that was made before there were options: bootstrap() adds the column, and files are read anew as with one
-- that had it.
DROP TRIGGER updated_parse_options ON catalogue.files;
ALTER TABLE catalogue.files DROP COLUMN parse_options CASCADE;
ALTER TABLE catalogue_history.files DROP COLUMN IF EXISTS parse_options;
ALTER TABLE catalogue.job_queue DROP COLUMN priority;
DROP DOMAIN catalogue.parse_options;
SELECT catalogue.bootstrap();
SELECT id = :'said' AS changed
FROM catalogue.update('files', :'said', '{"parseOptions": {"skip": 1}}', actor => admin());
SELECT * FROM take();
SELECT id = :'said' AS changed
FROM catalogue.update('files', :'said', '{"parseOptions": {"skip": 2}}', actor => admin());
SELECT count(DISTINCT data::text) > 1 AS several
FROM (SELECT json_array_elements(data::json) -> 'parseOptions' AS data
      FROM catalogue.versions('files', :'said', actor => admin())) v;
