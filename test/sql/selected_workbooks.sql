--
-- selected_workbooks: workbooks of the rows that a query selects are queued, and kept, in small numbers
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Parks') IS NOT NULL AS made;
SELECT make_file('Benches', 'Parks') AS benches \gset
SELECT id = :'benches' AS sent
FROM catalogue.upload('files', :'benches', 'benches.csv', E'name,seats\nA,2', '{}', admin()) \gset
SELECT catalogue.contents_load(:'benches', '[["name", "seats"], ["A", "2"], ["B", "3"], ["C", "4"]]') > 0 AS loaded;
-- What is asked for: how many jobs there are then, or what is refused.
CREATE FUNCTION asked(query text, actor jsonb DEFAULT test.admin(), form text DEFAULT 'xlsx') RETURNS text
    LANGUAGE plpgsql AS
$$
BEGIN
    RETURN concat_ws(' ', (SELECT json_object_keys(r.data::json)
            FROM catalogue.download(id_of('files', 'Benches'), form, query, actor) r LIMIT 1),
        (SELECT count(*) FROM catalogue.jobs j WHERE j.kind = 'convert'));
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || test.mask(SQLERRM);
END
$$;

-- A job for each query and format, however the parameters stand, without those that select nothing.
SELECT q.query, asked(q.query)
FROM (VALUES (1, 'limit=2&fields=name'), (2, 'fields=name&limit=2'), (3, 'fields=name&bom=true&&limit=2&facets=name'),
    (4, 'limit=2'), (5, 'fields=seats&fields=name'), (6, ''), (7, 'bom=true'), (8, 'groupBy=name'),
    (9, 'skip=1&colour=red')) q(n, query) ORDER BY q.n;
SELECT asked('limit=2', form => 'xls') AS xls, asked('limit=2', '{}') AS outsider;
SELECT regexp_replace(q.details ->> 'form', '[0-9a-f]{32}', 'digest') AS form, q.details ->> 'query' AS query,
    mask(q.details ->> 'actor') AS actor
FROM catalogue.job_queue q WHERE q.kind = 'convert' ORDER BY q.job;
-- What is wrong, and who does not see the file, is told at once; the worker reads nothing as a database user.
SELECT asked('limit=x'), asked('groupBy=none'), asked('limit=2', NULL) AS trusted, asked('', NULL) AS whole;

-- What the worker is told of the rows: the columns as they are stored; of groups their types.
CREATE FUNCTION sheet(query text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(format('%s %s: %s', s ->> 'number', s ->> 'rows', (
        SELECT string_agg(concat_ws(' ', c ->> 'name', c ->> 'type'), ', ')
        FROM json_array_elements(s -> 'columns') c)), '')
    FROM catalogue.convert_selection(id_of('files', 'Benches'), $1) r, json_array_elements(r.data::json) s
$$;
SELECT q.query, sheet(q.query)
FROM (VALUES (1, 'fields=seats&limit=2'), (2, 'seats[gt]=2'), (3, 'skip=2'), (4, 'skip=9'), (5, 'name=none'),
    (6, 'groupBy=name&aggregate=sum(seats),count&limit=2'), (7, 'aggregate=max(name)')) q(n, query) ORDER BY q.n;
SELECT code, message FROM refusal(format('SELECT catalogue.convert_selection(%L, '''', ''{}'')', :'benches'));

-- 20 wait at most: a further one is refused until one is made; one that waits already is not.
SELECT count(asked('limit=' || n)) FROM generate_series(3, 17) n;
SELECT asked('limit=99') AS full, asked('limit=2') AS waiting, asked('') AS whole;
SELECT code, detail, hint
FROM refusal(format('SELECT catalogue.download(%L, %L, %L, %L)', :'benches', 'xlsx', 'limit=99', admin()));
DELETE FROM catalogue.job_queue q WHERE q.details ->> 'query' LIKE 'limit=17&%';
SELECT asked('limit=99') AS free;

-- What was made is given while the file has these contents.
SELECT catalogue.blob_create() AS blob \gset
SELECT catalogue.blob_append(:blob, 0, 'made') AS size, catalogue.blob_seal(:blob) = :blob AS own;
SELECT count(catalogue.convert_store(:'benches', q.details ->> 'form', (q.details ->> 'revision')::bigint, :blob))
FROM catalogue.job_queue q WHERE q.kind = 'convert' AND q.details ->> 'query' LIKE '%limit=2%';
SELECT asked('limit=2') AS made, asked('limit=2&bom=true', form => 'xls') AS xls, asked('fields=name&limit=2') AS other;
SELECT catalogue.contents_load(:'benches', '[["name", "seats"], ["A", "2"]]') > 0 AS loaded;
SELECT asked('limit=2') AS stale;

-- It is kept for an hour, unlike a workbook of all rows, and so are the newest 100 only.
SELECT catalogue.convert_store(:'benches', 'xlsx', 1, :blob);
UPDATE catalogue.made_file SET made_at = made_at - interval '2 hours' WHERE form LIKE 'xls?%';
SELECT catalogue.sweep() IS NOT NULL AS swept;
SELECT regexp_replace(form, '[0-9a-f]{32}', 'digest') AS form, made_at IS NOT NULL AS dated
FROM catalogue.made_file ORDER BY 1;
SELECT count(catalogue.convert_refuse(:'benches', 'xlsx?' || n, 1, 'it is too long')) FROM generate_series(1, 120) n;
SELECT count(*), count(made_at) AS dated FROM catalogue.made_file;
