--
-- dcat: what the catalogue says of datasets in DCAT, for whoever asks what outsiders see
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT count(catalogue.delete('datasets', id, admin())) AS seeds FROM catalogue.datasets;
CREATE FUNCTION publish(name text, optionals json DEFAULT NULL, status text DEFAULT 'qWRhpRV',
    visible boolean DEFAULT true) RETURNS text LANGUAGE sql AS
$$
    SELECT make('datasets', json_build_object('name', $1, 'description', 'Of ' || $1, 'status', $3, 'visible', $4,
        'optionals', $2, 'owner', id_of('users', 'admin'), 'organization', id_of('organizations', 'Statistics Office'),
        'tags', json_build_array(id_of('tags', 'water')),
        'categories', json_build_array(id_of('categories', 'Transport'))))
$$;
CREATE FUNCTION add_file(dataset text, name text, type text, frequency text, optionals json DEFAULT NULL,
    status text DEFAULT 'qWRhpRV') RETURNS text LANGUAGE sql AS
$$
    SELECT make('files', json_build_object('name', $2, 'url', 'https://files.example.org/' || $2, 'type',
        id_of('filetypes', $3), 'status', $6, 'visible', true, 'dataset', $1, 'optionals', $5,
        'owner', id_of('users', 'admin'), 'organization', id_of('organizations', 'Statistics Office'),
        'updateFrequency', id_of('updatefrequencies', $4)))
$$;
-- The nodes of a document of JSON-LD, without its context.
CREATE FUNCTION nodes(document catalogue.reply) RETURNS TABLE (node text) LANGUAGE sql AS
$$
    SELECT mask(n.node::text) FROM json_array_elements((document).data::json -> '@graph') n(node)
$$;
CREATE FUNCTION datasets(document catalogue.reply) RETURNS text LANGUAGE sql AS
$$
    SELECT coalesce(string_agg(coalesce(n.node #>> '{dct:title,@value}', n.node ->> 'dct:title'), '; '), '')
    FROM json_array_elements((document).data::json -> '@graph') n(node) WHERE n.node ->> '@type' = 'dcat:Dataset'
$$;

SELECT publish('Rivers') AS rivers \gset
SELECT publish('Lakes', '{"license": "CC BY 4.0", "landingPage": "https://example.org/lakes ñ", "language": "es-UY",
    "spatial": "Uruguay", "temporal": "2019-01-01/2020-12-31", "identifier": "L 1", "rights": "https://example.org/r",
    "contactPoint": {"fn": "Water desk", "hasEmail": "water@example.org"}, "version": "2",
    "theme": ["http://publications.europa.eu/resource/authority/data-theme/ENVI"],
    "conformsTo": "https://example.org/standard"}') AS lakes \gset
SELECT publish('Draft', status => 'nWRhpRV') AS draft, publish('Hidden', visible => false) AS hidden,
    publish('Deleted') AS deleted \gset
SELECT (catalogue.delete('datasets', :'deleted', admin())).resource AS deleted;
SELECT add_file(:'lakes', 'lakes.csv', 'csv', 'Monthly') AS one, add_file(:'lakes', 'lakes.pdf', 'pdf', 'Weekly',
    '{"license": "Ask us", "accessURL": "https://example.org/ask"}') AS two,
    add_file(:'lakes', 'draft.csv', 'csv', 'Daily', status => 'nWRhpRV') AS three \gset

\pset format unaligned
-- A dataset without optional values or files, and one with all of them.
SELECT node FROM nodes(catalogue.dataset_rdf(:'rivers', base => 'https://data.example.org'));
SELECT node FROM nodes(catalogue.dataset_rdf('lakes', base => 'https://data.example.org'));

-- The catalogue has what outsiders see, whoever asks.
SELECT actor IS NULL AS trusted, datasets(catalogue.catalog(actor => actor))
FROM unnest(ARRAY[NULL, '{}', admin()]) actor;
SELECT node FROM nodes(catalogue.catalog('limit=1', base => 'https://data.example.org')) WHERE node ~ '/catalog"';
SELECT r.word, f.code
FROM (VALUES ('draft', :'draft'), ('hidden', :'hidden'), ('deleted', :'deleted'), ('none', 'zzz')) r(word, id),
    refusal(format('SELECT catalogue.dataset_rdf(%L, actor => %L)', r.id, admin())) f;
SELECT (catalogue.update('files', :'one', '{"visible": false}', actor => admin())).resource AS hidden;
SELECT count(*) AS files FROM nodes(catalogue.dataset_rdf(:'lakes')) WHERE node ~ '"@type":"dcat:Distribution"';

-- Filters, search, order and pages apply; a page says where the others are.
SELECT datasets(catalogue.catalog('name=lak')) AS name, datasets(catalogue.catalog('query=rivers')) AS query,
    datasets(catalogue.catalog('orderBy=name')) AS by_name, datasets(catalogue.catalog('skip=1')) AS second,
    datasets(catalogue.catalog('status=nWRhpRV')) AS drafts,
    datasets(catalogue.catalog('fields=id&include=files')) AS own;
CREATE FUNCTION view(document catalogue.reply) RETURNS json LANGUAGE sql AS
$$
    SELECT n.node FROM json_array_elements((document).data::json -> '@graph') n(node)
    WHERE n.node ->> '@type' = 'hydra:PartialCollectionView'
$$;
SELECT l.key, regexp_replace(regexp_replace(coalesce(l.value ->> '@id', l.value #>> '{}'), '[0-9-]+T[0-9:.]+Z',
    '<version>'), '(after|before)=.*', '\1=<cursor>') AS value
FROM json_each(view(catalogue.catalog('limit=1&skip=1&condition=AND&name=e',
    base => 'https://data.example.org'))) l;
SELECT l.key FROM json_each(view(catalogue.catalog('name=nothing', base => 'https://data.example.org'))) l;
-- Following "next" gives each dataset once.
CREATE FUNCTION walk() RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    query  text := 'limit=1&orderBy=name';
    page   catalogue.reply;
    seen   text := '';
BEGIN
    WHILE query IS NOT NULL LOOP
        page := catalogue.catalog(query, base => 'https://data.example.org');
        seen := seen || ' ' || datasets(page);
        query := split_part(view(page) #>> '{hydra:next,@id}', '?', 2);
    END LOOP;
    RETURN seen;
END
$$;
SELECT walk() AS datasets;
SELECT count(publish('more ' || n)) AS more FROM generate_series(1, 120) n;
SELECT cardinality(string_to_array(datasets(catalogue.catalog()), ';')) AS by_default,
    cardinality(string_to_array(datasets(catalogue.catalog('limit=5000&name=more')), ';')) AS more;

-- The state is known again until a record or a setting changes.
SELECT etag AS tag FROM catalogue.catalog() \gset
SELECT data IS NULL AS unchanged FROM catalogue.catalog(known => 'x.y.z,' || :'tag');
SELECT data IS NULL AS any FROM catalogue.catalog(known => '*');
SELECT data IS NULL AS of_another_setting FROM catalogue.catalog(known => split_part(:'tag', '.', 1) || '.x.y');
SELECT (catalogue.update('tags', id_of('tags', 'budget'), '{"name": "money"}', actor => admin())).resource AS renamed;
SELECT data IS NULL AS after_a_tag FROM catalogue.catalog(known => :'tag');
SELECT etag AS tag FROM catalogue.dataset_rdf(:'rivers') \gset
SELECT data IS NULL AS unchanged FROM catalogue.dataset_rdf(:'rivers', known => :'tag');
SELECT make('configs', json_build_object('key', k.key, 'value', k.value, 'type', 'string', 'category', 'site',
    'description', k.key)) IS NOT NULL AS made
FROM (VALUES ('catalogTitle', 'Datos'), ('catalogDescription', 'Todo'), ('catalogLanguage', 'es'),
    ('catalogLicense', 'CC0'), ('catalogContact', 'Mesa'), ('catalogEmail', 'mesa@example.org')) k(key, value);
UPDATE catalogue.configs SET value = 'https://portal.example.org/' WHERE key = 'frontEndUrl';
SELECT data IS NULL AS after_settings FROM catalogue.dataset_rdf(:'rivers', known => :'tag');

-- The settings say what the catalogue is called, its language, license, contact and portal.
SELECT node FROM nodes(catalogue.catalog('name=rivers', base => 'https://data.example.org'));

-- Title and description by language; in that of the catalogue the one with its tag counts.
SELECT make('configs', json_build_object('key', k.key, 'value', k.value, 'type', 'string', 'category', 'site',
    'description', k.key)) IS NOT NULL AS made
FROM (VALUES ('catalogTitle@es', 'Datos de aquí'), ('catalogTitle@en', 'Data'), ('catalogDescription@pt-BR', 'Tudo'),
    ('catalogTitle@', 'none'), ('catalogDescription@e n', 'none')) k(key, value);
SELECT n.node ->> 'dct:title' AS title, n.node ->> 'dct:description' AS description
FROM nodes(catalogue.catalog('name=rivers', base => 'https://data.example.org')) t,
    LATERAL (SELECT t.node::jsonb) n(node)
WHERE t.node ~ '"dcat:Catalog"';
SELECT make('configs', '{"key": "catalogProfile", "value": "dcat-us-3", "type": "string", "category": "site",
    "description": "Profile"}') AS profile \gset
SELECT data::json -> 'title' AS title, data::json -> 'titleMap' AS titles, data::json -> 'description' AS description,
    data::json -> 'descriptionMap' AS descriptions
FROM (SELECT string_agg((p).data, '') AS data FROM (SELECT catalogue.data_json('name=rivers') AS p) r) d;
SELECT count(catalogue.delete('configs', c.id, admin())) AS deleted FROM catalogue.configs c
WHERE c.key ~ '@' OR c.id = :'profile';

-- Optional values may be anything.
SELECT publish('Odd ' || n, o::json) IS NOT NULL AS made
FROM unnest(ARRAY['[1, 2]', '"text"', '{"license": {"a": 1}, "temporal": 5, "contactPoint": "x", "spatial": []}',
    '{"theme": [null, 1, {"x": 2}, "no address"], "language": "<x>", "license": "", "landingPage": "javascript:x"}',
    '{"temporal": {"startDate": "2019-13-01", "endDate": "x"}, "contactPoint": {"hasEmail": "a b <x@y>"}, "rights": 7}',
    '{"a": 1e400000, "b": -1.5E-400000, "license": "CC0", "identifier": "1e7 \"2E3 4e5"}']) WITH ORDINALITY o(o, n);
SELECT node FROM nodes(catalogue.catalog('name=odd&orderBy=name', base => 'https://data.example.org'))
WHERE node ~ '"dcat:Dataset"';

-- How often a pattern runs.
SELECT p AS pattern, catalogue.dcat_frequency(catalogue.dcat_interval(p)) AS frequency
FROM unnest(ARRAY[NULL, '*/5 * * * *', '0 * * * *', '0 */12 * * *', '0 0 * * *', '0 0 * * 1-5', '0 0 * * 1,4',
    '0 0 * * 1', '0 0 1,15 * *', '0 0 1 * *', '0 0 1 */2 *', '0 0 1 */3 *', '0 0 1 */4 *', '0 0 1 1,7 *', '0 0 1 1 *',
    '0 0 29 2 *']) p;

-- Bad values, and one who may not ask.
SELECT code, message FROM refusal($$SELECT catalogue.catalog('limit=many')$$);
SELECT code, message FROM refusal($$SELECT catalogue.catalog('orderBy=nothing')$$);
SELECT code, message FROM refusal($$SELECT catalogue.catalog('deleted=with', actor => '{}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.catalog(actor => '{"user": "nobody"}')$$);

-- Croissant: files with an address, the columns of a CSV that was read, under its own names.
SELECT catalogue.contents_load(:'two', '[["x"],["1"]]') > 0 AS loaded,
    catalogue.contents_load(:'one', '[["Lake","depth m","since","open","at","pH"],
        ["Rincón","12","2020-01-31","true","2020-01-31T10:00:00Z","7.5"]]') > 0 AS also;
SELECT (catalogue.update('files', :'one', '{"visible": true}', actor => admin())).resource AS shown;
SELECT mask(jsonb_pretty((catalogue.dataset_rdf('lakes', 'croissant', 'https://data.example.org')).data::jsonb
    - '@context')) AS croissant;
SELECT code FROM refusal(format('SELECT catalogue.dataset_rdf(%L, ''croissant'', actor => ''{}'')', :'draft'));
