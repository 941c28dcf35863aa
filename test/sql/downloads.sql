--
-- downloads: what is sent for a file, to whom, and how it is counted
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make_dataset('Parks') AS parks, make_dataset('Trees') AS trees \gset
UPDATE catalogue.datasets SET status = 'qWRhpRV';
CREATE FUNCTION fields(name text, dataset text DEFAULT 'Parks', status text DEFAULT 'qWRhpRV') RETURNS json
    LANGUAGE sql AS
$$
    SELECT json_build_object('name', $1, 'dataset', test.id_of('datasets', $2), 'owner', test.id_of('users', 'admin'),
        'status', $3,
        'organization', test.id_of('organizations', 'Open Data Office'),
        'updateFrequency', test.id_of('updatefrequencies', 'Daily'))
$$;
-- What is sent, for whom: the file, and what is said of it but for numbers that differ from run to run.
CREATE FUNCTION sent(file text, form text DEFAULT NULL, actor jsonb DEFAULT test.admin()) RETURNS text
    LANGUAGE plpgsql AS
$$
DECLARE
    answer  catalogue.reply;
BEGIN
    answer := catalogue.download($1, $2, '', $3);
    RETURN (SELECT f.name || ': '
        || string_agg(CASE WHEN key = 'blob'
            THEN format('blob of %s', length(catalogue.blob_bytes(value::text::bigint, 0)))
            WHEN key = 'modified' THEN key
            ELSE key || ' ' || left(test.mask(value #>> '{}'), 30) END,
            ', ')
            FROM json_each(answer.data::json), catalogue.files f WHERE f.id = answer.id GROUP BY f.name);
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || test.mask(SQLERRM);
END
$$;
SELECT id AS lawns FROM catalogue.upload('files', NULL, 'lawns.csv', E'name,area\nA,1', fields('Lawns'), admin()) \gset
SELECT id AS other
FROM catalogue.upload('files', NULL, 'lawns.csv', E'name,area\nother,1', fields('Lawns', 'Trees'), admin()) \gset
SELECT id AS guide FROM catalogue.upload('files', NULL, 'guide.pdf', '%PDF-1.7', fields('Guide'), admin()) \gset
SELECT id AS draft
FROM catalogue.upload('files', NULL, 'draft.csv', 'a', fields('Draft', status => 'nWRhpRV'), admin()) \gset
SELECT id AS elsewhere
FROM catalogue.create('files',
    (fields('Elsewhere')::jsonb
        || jsonb_build_object('url', 'https://data.example.org/x.csv', 'type', id_of('filetypes', 'csv')))::json,
    actor => admin()) \gset

-- By id, slug and stored name; of several of one name the first, and each by its id.
SELECT data::json ->> 'type' AS type, data::json ->> 'name' AS name,
       data::json ->> 'sha256' = encode(sha256(E'name,area\nA,1'), 'hex') AS sha256, id = :'lawns' AS id, resource
FROM catalogue.download('lawns');
SELECT sent(:'lawns') AS id, sent('lawns') AS slug, sent('lawns.csv') AS name, sent('LAWNS.CSV') AS letters,
       sent(:'other') = sent('lawns') AS same;
SELECT sent('nothing') AS unknown, sent('') AS empty, sent('%') AS pattern;

-- Drafts are for users; what is deleted is for nobody, and the next of its name is found.
SELECT sent(:'draft') AS admin, sent(:'draft', actor => '{}') AS outsider, sent(:'lawns', actor => '{}') AS published;
BEGIN;
SELECT mask(id) AS id FROM catalogue.delete('files', :'lawns', admin());
SELECT sent(:'lawns') AS deleted, sent('lawns.csv') AS next;
ROLLBACK;

-- Whose bytes are elsewhere: it says where.
SELECT sent(:'elsewhere');

-- The form that it has is the bytes as they came; others are made of the contents, when they are read.
SELECT sent(:'lawns', 'csv') AS own, sent(:'lawns', 'CSV') AS letters, sent(:'guide', 'pdf') AS pdf;
SELECT sent(:'lawns', 'json') AS pending, sent(:'lawns', 'xlsx') AS xlsx;
SELECT form, type, streamed, most_rows, most_columns FROM catalogue.download_formats();
SELECT form, sent(:'guide', form) FROM unnest('{csv,json,ndjson,xlsx,geojson,xls,exe,""}'::text[]) form;
UPDATE catalogue.files SET parse_state = 'failed', parse_reason = 'it has no rows' WHERE id = :'lawns';
SELECT * FROM refusal(format('SELECT catalogue.download(%L, ''json'')', :'lawns'));
UPDATE catalogue.files SET parse_state = 'ready', parse_reason = NULL, revision = 7 WHERE id = :'lawns';
SELECT form, sent(:'lawns', form) FROM unnest('{json,ndjson,geojson,JSON,docx,exe}'::text[]) form;
SELECT * FROM refusal(format('SELECT catalogue.download(%L, ''docx'')', :'lawns'));
-- while new bytes are read, the contents are those that were
UPDATE catalogue.files SET parse_state = 'pending' WHERE id = :'lawns';
SELECT sent(:'lawns', 'json');
UPDATE catalogue.files SET parse_state = 'failed' WHERE id = :'lawns';
SELECT sent(:'lawns', 'json');

-- What the worker makes: one job however often it is asked for, an outsider's beside that of users; then its bytes.
SELECT sent(:'lawns', 'xlsx') AS first;
SELECT sent(:'lawns', 'xlsx') AS again, sent(:'lawns', 'xlsx', '{}') AS outsider;
SELECT audience, target, resource = :'lawns' AS of_it FROM catalogue.jobs WHERE kind = 'convert' ORDER BY id;
SELECT details - 'file' AS details FROM catalogue.job_take('w1', '{convert}', '60 s') \gset
SELECT :'details' AS details;
SELECT sent(:'lawns', 'xlsx') AS running;
SELECT count(*) AS jobs FROM catalogue.jobs WHERE kind = 'convert';
SELECT catalogue.blob_create() AS blob \gset
SELECT catalogue.blob_append(:blob, 0, 'made') AS size, catalogue.blob_seal(:blob) = :blob AS own;
INSERT INTO catalogue.made_file (file, form, revision, blob) VALUES (:'lawns', 'xlsx', 7, :blob);
SELECT sent(:'lawns', 'xlsx') AS made, sent(:'lawns', 'xlsx', '{}') AS outsider;
-- made of other contents than the present ones it is no more of use
UPDATE catalogue.files SET revision = 8 WHERE id = :'lawns';
SELECT sent(:'lawns', 'xlsx') AS stale;

-- Another form, and a sheet by itself, is another job; what cannot be made is told to whoever asks, until there are
-- other contents.
SELECT sent(:'lawns', 'xls') AS xls, sent(:'lawns', 'xlsx') AS xlsx;
SELECT details ->> 'form' AS form FROM catalogue.job_queue WHERE kind = 'convert' AND worker IS NULL ORDER BY 1;
SELECT catalogue.convert_refuse(:'lawns', 'xls', 8, 'it is too long');
SELECT sent(:'lawns', 'xls') AS refused, sent(:'lawns', 'xls', '{}') AS outsider;
SELECT catalogue.convert_store(:'lawns', 'xls', 8, :blob);
SELECT sent(:'lawns', 'xls') AS made;
SELECT uses FROM catalogue.blob WHERE id = :blob;
SELECT catalogue.convert_refuse(:'lawns', 'xls', 8, 'it is too long'),
       catalogue.convert_store(:'lawns', 'xls', 7, :blob);
SELECT uses FROM catalogue.blob WHERE id = :blob;
SELECT sent(:'lawns', 'xls') AS refused;
UPDATE catalogue.files SET revision = 9 WHERE id = :'lawns';
SELECT sent(:'lawns', 'xls') AS other_contents;

-- A sheet that is too large for the form: 406 at once; one that is there or not.
INSERT INTO catalogue.sheet (file, revision, number, name, row_count)
    VALUES (:'lawns', 9, 1, 'small', 65535), (:'lawns', 9, 2, 'large', 65536);
SELECT sent(:'lawns', 'xls') AS all_sheets;
SELECT (refusal(format('SELECT catalogue.download(%L, ''xls'', ''sheet=large'', admin())', :'lawns'))).*;
SELECT code, mask(message) AS message
FROM refusal(format('SELECT catalogue.download(%L, ''xls'', ''sheet=3'', admin())', :'lawns'));
SELECT mask(data) AS data FROM catalogue.download(:'lawns', 'xls', 'sheet=small', admin());
SELECT details ->> 'form' AS form FROM catalogue.job_queue WHERE kind = 'convert' AND worker IS NULL ORDER BY 1;
UPDATE catalogue.sheet
SET row_count = 1, columns = (SELECT json_agg(json_build_object('name', n)) FROM generate_series(1, 257) n)
WHERE name = 'large' AND file = :'lawns';
SELECT sent(:'lawns', 'xls') AS columns;

-- A key of a consumer that is for other resources.
SELECT catalogue.add_consumer('portal') AS consumer \gset
SELECT key FROM catalogue.add_api_key('portal', resources => '{datasets}') \gset
SELECT sent(:'lawns', actor => jsonb_build_object('consumer', :'consumer', 'key', :'key'));

-- Downloads are counted by day, and added up; those of an archive have no file.
SELECT (catalogue.category_downloads(admin())).data::json ->> 'total' AS total;
SELECT count(catalogue.count_download(:'lawns')) FROM generate_series(1, 5);
SELECT catalogue.count_download(:'other'), catalogue.count_download(NULL, :'parks'),
       catalogue.count_download('nothing');
SELECT count(*) AS rows, sum(count) AS count FROM catalogue.download_count;
SELECT catalogue.sweep() AS removed;
SELECT d.name AS dataset, f.name AS file, c.day = (now() AT TIME ZONE 'UTC')::date AS today, c.count
FROM catalogue.download_count c
    JOIN catalogue.datasets d ON d.id = c.dataset
    LEFT JOIN catalogue.files f ON f.id = c.file
ORDER BY 1, 2;
SELECT catalogue.sweep() AS removed;
SELECT count(*) AS rows, sum(count) AS count FROM catalogue.download_count;

-- By category: of the datasets that the caller sees; one of several categories counts for each of them, and once in
-- all.
CREATE FUNCTION downloads(actor jsonb) RETURNS TABLE (category text, count text) LANGUAGE sql AS
$$
    SELECT coalesce(c.name, key), value
    FROM json_each_text((catalogue.category_downloads($1)).data::json) LEFT JOIN catalogue.categories c ON c.id = key
$$;
SELECT * FROM downloads(admin());
SELECT mask(id) AS id
FROM catalogue.update('datasets', :'parks',
    json_build_object('categories', json_build_array(id_of('categories', 'Transport'),
        id_of('categories', 'Government')),
        'status', 'nWRhpRV'),
    actor => admin());
SELECT * FROM downloads(admin());
SELECT * FROM downloads('{}');
SELECT mask(id) AS id FROM catalogue.delete('datasets', :'parks', admin());
SELECT * FROM downloads(admin()) WHERE count <> '0';

-- Images are for who sees the category.
SELECT mask(id) AS id
FROM catalogue.upload('categories', id_of('categories', 'Roads'), 'x.svg', '<svg/>', '{"active": false}', admin());
SELECT data::json ->> 'name' AS name, data::json ->> 'type' AS type, data::json -> 'size' AS size,
       catalogue.blob_bytes((data::json ->> 'blob')::bigint, 0) AS bytes
FROM catalogue.image(id_of('categories', 'Roads'), admin());
SELECT code, message FROM refusal(format('SELECT catalogue.image(%L, %L)', id_of('categories', 'Roads'), '{}'));
SELECT resource FROM catalogue.deactivate('categories', id_of('categories', 'Roads'), actor => admin());
SELECT code, message FROM refusal(format('SELECT catalogue.image(%L, %L)', id_of('categories', 'Roads'), '{}'));
SELECT code, message FROM refusal('SELECT catalogue.image(''nothing'')');

-- The shim's role asks for all that.
SET ROLE catalogue_shim;
SELECT data::json ->> 'name' AS name FROM catalogue.download('lawns', actor => '{}');
SELECT data FROM catalogue.count_download(NULL, NULL);
SELECT data IS NOT NULL AS given FROM catalogue.category_downloads('{}');
RESET ROLE;
