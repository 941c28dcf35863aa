--
-- dataset_filetypes: the types of a dataset's files, each once, as far as the reader sees the files
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE FUNCTION add_file(name text, dataset text, type text, status text DEFAULT 'qWRhpRV') RETURNS text LANGUAGE sql AS
$$
    SELECT make('files',
        json_build_object('name', $1, 'dataset', id_of('datasets', $2), 'owner', id_of('users', 'admin'),
        'type', id_of('filetypes', $3), 'status', $4,
        'organization', id_of('organizations', 'Open Data Office'),
        'updateFrequency', id_of('updatefrequencies', 'Daily')))
$$;
SELECT make_dataset('Rivers') AS rivers, make_dataset('Lakes') AS lakes, make_dataset('Seas') AS seas \gset
SELECT catalogue.act('datasets', id, 'publish', actor => admin()) IS NULL AS none
FROM unnest(ARRAY[:'rivers', :'lakes', :'seas']) id;
SELECT count(add_file(name, dataset, type, status)) AS files
FROM (VALUES ('a', 'Rivers', 'csv', 'qWRhpRV'), ('b', 'Rivers', 'csv', 'qWRhpRV'),
    ('c', 'Rivers', 'json', 'qWRhpRV'), ('d', 'Rivers', 'pdf', 'nWRhpRV'), ('e', 'Lakes', 'zip', 'qWRhpRV')) f(name,
    dataset, type, status);

-- Each once; those of files that are not published only for users; of no files none.
SELECT names(r), r.count, r.resource FROM catalogue.dataset_filetypes(:'rivers') r;
SELECT names(r), r.count FROM catalogue.dataset_filetypes(:'rivers', actor => '{}') r;
SELECT names(r), r.count FROM catalogue.dataset_filetypes(:'lakes') r;
SELECT r.data, r.count FROM catalogue.dataset_filetypes(:'seas') r;
SELECT r.data, r.count FROM catalogue.dataset_filetypes(:'seas', NULL) r;

-- As any list: filters, order, page, fields; another dataset in the query leads to no more.
SELECT names(r), r.count FROM catalogue.dataset_filetypes(:'rivers', 'orderBy=name&sort=DESC&limit=2') r;
SELECT names(r), r.count FROM catalogue.dataset_filetypes(:'rivers', 'name=s&match=ENDS') r;
SELECT mask(r.data) AS data FROM catalogue.dataset_filetypes(:'lakes', 'fields=name') r;
SELECT names(r), r.ignored FROM catalogue.dataset_filetypes(:'rivers', 'orderBy=name&nothing=1') r;
SELECT names(r) FROM catalogue.dataset_filetypes(:'rivers', 'files.dataset=' || :'lakes') r;
SELECT names(r) FROM catalogue.dataset_filetypes(:'rivers', 'condition=OR&name=zip&orderBy=name') r;

-- Whoever has the state is told so, until a file comes, is moved or goes.
SELECT (catalogue.dataset_filetypes(:'rivers')).etag AS tag \gset
SELECT data IS NULL AS known FROM catalogue.dataset_filetypes(:'rivers', known => :'tag');
SELECT add_file('g', 'Rivers', 'zip') AS file \gset
SELECT names(r) FROM catalogue.dataset_filetypes(:'rivers', 'orderBy=name', known => :'tag') r;
SELECT count(catalogue.update('files', :'file', json_build_object('dataset', :'seas'), actor => admin())) AS moved;
SELECT names(r) FROM catalogue.dataset_filetypes(:'rivers', 'orderBy=name') r;
SELECT names(r) FROM catalogue.dataset_filetypes(:'seas') r;
SELECT count(catalogue.delete('files', :'file', admin())) AS deleted;
SELECT r.data FROM catalogue.dataset_filetypes(:'seas') r;

-- As of an instant, of a dataset that is gone now.
SELECT (catalogue.list('datasets')).version AS version \gset
SELECT count(catalogue.delete('datasets', :'lakes', admin())) AS deleted;
SELECT code, message FROM refusal(format('SELECT catalogue.dataset_filetypes(%L)', :'lakes'));
SELECT names(r) FROM catalogue.dataset_filetypes(:'lakes', 'limit=5&version=' || :'version') r;

-- No dataset, one that is hidden, bad values.
SELECT code, message FROM refusal($$SELECT catalogue.dataset_filetypes('nothing')$$);
SELECT code, message FROM refusal($$SELECT catalogue.dataset_filetypes('a&files.dataset=b')$$);
SELECT code, message FROM refusal($$SELECT catalogue.dataset_filetypes(NULL)$$);
SELECT count(catalogue.act('datasets', :'rivers', 'unpublish', actor => admin())) AS hidden;
SELECT code, message FROM refusal(format('SELECT catalogue.dataset_filetypes(%L, actor => %L)', :'rivers', '{}'));
SELECT code, message FROM refusal(format('SELECT catalogue.dataset_filetypes(%L, %L)', :'rivers', 'limit=many'));
SELECT code, message FROM refusal(format('SELECT catalogue.dataset_filetypes(%L, %L)', :'rivers', 'version=never'));
SELECT code, message FROM refusal(format('SELECT catalogue.dataset_filetypes(%L, %L)', :'rivers', 'include=nothing'));

-- Where outsiders see no files they see no types of them, instead of all types there are.
SELECT count(catalogue.act('datasets', :'rivers', 'publish', actor => admin())) AS shown;
SELECT catalogue.expose('files', 'File', shown => '{"outsiders": false}');
SELECT code, message FROM refusal(format('SELECT catalogue.dataset_filetypes(%L, actor => %L)', :'rivers', '{}'));
SELECT names(r) FROM catalogue.dataset_filetypes(:'rivers', 'orderBy=name', actor => admin()) r;
