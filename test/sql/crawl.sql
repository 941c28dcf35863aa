--
-- crawl: data.json of DCAT-US, the sitemap and robots.txt, of what outsiders see
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT count(catalogue.delete('datasets', id, admin())) AS seeds FROM catalogue.datasets;
CREATE FUNCTION publish(name text, optionals json DEFAULT NULL, status text DEFAULT 'qWRhpRV') RETURNS text
    LANGUAGE sql AS
$$
    SELECT make('datasets', json_build_object('name', $1, 'status', $3, 'optionals', $2,
        'owner', id_of('users', 'admin'), 'categories', json_build_array(id_of('categories', 'Transport'))))
$$;
SELECT publish('Rivers') AS rivers, publish('Lakes "<&>" </script>', '{"license": "CC0", "rights": "Free",
    "contactPoint": {"fn": "Desk", "hasEmail": "desk@example.org"}, "temporal": "2019-01-01/2020-12-31",
    "spatial": "Uruguay", "language": "es"}') AS lakes, publish('Draft', status => 'nWRhpRV') AS draft \gset
SELECT make('files', json_build_object('name', 'levels', 'url', 'https://files.example.org/a?b={c}', 'visible', true,
    'type', id_of('filetypes', 'csv'), 'status', 'qWRhpRV', 'dataset', :'lakes', 'owner', id_of('users', 'admin'),
    'organization', id_of('organizations', 'Statistics Office'),
    'updateFrequency', id_of('updatefrequencies', 'Monthly'))) IS NOT NULL AS file;
\pset format unaligned

-- Each dataset has what DCAT-US needs; a contact has an address or is left out.
SELECT mask(data) AS document FROM catalogue.data_json(base => 'https://data.example.org');
SELECT actor IS NULL AS trusted, json_array_length(data::json -> 'dataset') AS datasets
FROM unnest(ARRAY[NULL, '{}', admin()]) actor, catalogue.data_json(actor => actor);
SELECT data::json #>> '{dataset,0,title}' AS first FROM catalogue.data_json('limit=1&orderBy=name');
SELECT data::json ->> 'dataset' AS none FROM catalogue.data_json('name=nothing');

-- The sitemap has all, or is the index of its parts.
SELECT mask(data) AS sitemap FROM catalogue.sitemap(base => 'https://data.example.org', actor => admin());
LOAD 'catalogue';
SET catalogue.max_limit = 1;
SELECT data AS index FROM catalogue.sitemap(base => 'https://data.example.org');
SELECT mask(data) AS part FROM catalogue.sitemap('skip=1', 'https://data.example.org');
SELECT mask(data) AS beyond FROM catalogue.sitemap('skip=7', 'https://data.example.org');
RESET catalogue.max_limit;
SELECT etag AS tag FROM catalogue.sitemap() \gset
SELECT data IS NULL AS unchanged FROM catalogue.sitemap(known => :'tag');
SELECT (catalogue.delete('datasets', :'rivers', admin())).resource AS deleted;
SELECT data IS NULL AS after_deletion, data ~ 'rivers' AS named FROM catalogue.sitemap(known => :'tag');

-- Crawlers are asked to leave alone what is costly.
SELECT data AS robots FROM catalogue.robots('https://data.example.org');

-- Bad values, and one who may not ask.
SELECT code, message FROM refusal($$SELECT catalogue.data_json('limit=many')$$);
SELECT code, message FROM refusal($$SELECT catalogue.data_json(actor => '{"user": "nobody"}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.sitemap(actor => '{"user": "nobody"}')$$);
