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
-- The pieces put together.
CREATE FUNCTION document(query text DEFAULT '', actor jsonb DEFAULT NULL) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(d.data, '' ORDER BY d.ordinality)
    FROM catalogue.data_json($1, 'https://data.example.org', $2) WITH ORDINALITY d
$$;

-- Each dataset has what DCAT-US needs; a contact has an address or is left out.
SELECT mask(document()) AS document;
SELECT actor IS NULL AS trusted, json_array_length(document(actor => actor)::json -> 'dataset') AS datasets
FROM unnest(ARRAY[NULL, '{}', admin()]) actor;
SELECT document('limit=1&orderBy=name')::json -> 'dataset' ->> 0 ~ 'Lakes' AS first;
SELECT document('name=nothing')::json ->> 'dataset' AS none;

-- The largest page of a list does not limit it, but limit does.
LOAD 'catalogue';
SET catalogue.max_limit = 1;
SELECT query, json_array_length(document(query)::json -> 'dataset') AS datasets
FROM unnest('{"",limit=0,limit=1,limit=2,skip=1,query=e,query=r&orderBy=name}'::text[]) query;
SELECT count, returned, "limit" FROM catalogue.export_whole('datasets', 'fields=name', actor => '{}');
SELECT count, returned, "limit" FROM catalogue.export_whole('datasets', 'fields=name&limit=99999999999', actor => '{}');
SELECT count, returned, "limit" FROM catalogue.export('datasets', query => 'fields=name', actor => '{}');
SELECT code, message FROM refusal($$SELECT catalogue.export_whole('nothing')$$);
RESET catalogue.max_limit;

-- The head says how many there are, and its tag changes with the datasets; who knows the state gets nothing else.
SELECT count, returned, etag AS tag FROM catalogue.data_json_head() \gset head_
SELECT :head_count AS count, d.etag = :'head_tag' AS same, d.data ~ '"dataset":\[\n$' AS head
FROM catalogue.data_json() d LIMIT 1;
SELECT count(*) AS rows, bool_and(data IS NULL) AS unchanged FROM catalogue.data_json(known => :'head_tag');
SELECT etag = :'head_tag' AS same FROM catalogue.data_json_head('limit=2&orderBy=name');

-- The sitemap has all, or is the index of its parts.
SELECT mask(data) AS sitemap FROM catalogue.sitemap(base => 'https://data.example.org', actor => admin());
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

-- With the profile dcat-us-1.1 a license is an address, its text is in rights, a place and a period are texts, a
-- contact has the address of the catalogue, an organization is an object, themes are unique, and codes of bureaus are
-- given on.
SELECT publish('Strict', '{"license": "Public domain",
    "spatial": [{"@id": "https://a.example/place", "prefLabel": "Here"}, "There"],
    "temporal": ["2012", {"startDate": "2012", "endDate": "2016-03"}], "contactPoint": {"fn": "Desk"},
    "publisher": {"name": "Open Data Office", "subOrganizationOf": "Ministry"}, "bureauCode": ["015:11"],
    "theme": ["https://a.example/t", "https://a.example/t"]}') IS NOT NULL AS made;
SELECT publish('Other', '{"license": "CC0", "rights": "Free", "spatial": {"type": "Point", "coordinates": [1, 2]},
    "temporal": "2012", "publisher": {"name": "Open Data Office", "subOrganizationOf": {"name": "Ministry",
    "subOrganizationOf": "State"}}}') IS NOT NULL AS made;
CREATE FUNCTION said(name text) RETURNS TABLE (member text, value jsonb) LANGUAGE sql AS
$$
    SELECT m.*
    FROM jsonb_array_elements(document('name=' || $1)::jsonb -> 'dataset') d(dataset), jsonb_each(d.dataset) m
    WHERE m.key IN ('license', 'rights', 'spatial', 'temporal', 'contactPoint', 'publisher', 'bureauCode', 'theme')
$$;
SELECT mask(m.value::text) AS value, m.member FROM said('strict') m ORDER BY 2;
SELECT make('configs', json_build_object('key', c.key, 'value', c.value, 'type', 'string', 'category', 'site',
    'description', c.key)) IS NOT NULL AS made
FROM (VALUES ('catalogProfile', 'dcat-us-1.1'), ('catalogEmail', 'desk@example.org')) c(key, value);
SELECT mask(m.value::text) AS value, m.member FROM said('strict') m ORDER BY 2;
SELECT mask(m.value::text) AS value, m.member FROM said('other') m ORDER BY 2;
-- Of several contacts those that have an address are given on; with the profile dcat-us-1.1 one of them.
SELECT publish('Contacts', '{"contactPoint": [{"fn": "Zoe", "hasEmail": "mailto:z@a.example"}, {"fn": "Nobody"}, "Text",
    {"fn": {"@value": "Ann"}, "hasEmail": {"@id": "mailto:a@a.example"}}, {"fn": "Zoe", "hasEmail": "z@a.example"}, 5,
    null, {"hasEmail": "n@a.example"}, {}]}') IS NOT NULL AS made;
SELECT m.value FROM said('contacts') m WHERE m.member = 'contactPoint';
SELECT (catalogue.update('configs', c.id::text, '{"value": "dcat-ap-3"}', actor => admin())).resource AS changed
FROM catalogue.configs c WHERE c.key = 'catalogProfile' AND c.deleted_at IS NULL;
SELECT m.value FROM said('contacts') m WHERE m.member = 'contactPoint';
SELECT code, message FROM refusal($$SELECT catalogue.data_json(actor => '{"user": "nobody"}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.sitemap(actor => '{"user": "nobody"}')$$);

-- Pieces are made when they are fetched; together they have each dataset once.
SELECT count(publish('Station ' || n, json_build_object('note', repeat('x', 5000)))) AS stations
FROM generate_series(1, 120) n;
SET track_functions = 'all';
BEGIN;
DECLARE pieces CURSOR FOR SELECT catalogue.data_json();
MOVE 2 FROM pieces;
SELECT calls AS pieces_of_two_rows FROM pg_stat_xact_user_functions WHERE funcname = 'dcat_us_piece';
MOVE ALL FROM pieces;
SELECT calls > 3 AS more FROM pg_stat_xact_user_functions WHERE funcname = 'dcat_us_piece';
COMMIT;
RESET track_functions;
SELECT count(*) AS stations, count(DISTINCT d ->> 'identifier') AS identifiers
FROM json_array_elements(document()::json -> 'dataset') d
WHERE d ->> 'title' LIKE 'Station %';

-- The access level is that of the record.
SELECT count(publish('Access ' || n, o)) AS records
FROM (VALUES (1, '{"accessLevel": "restricted public"}'::json), (2, '{"accessLevel": "non-public"}'),
    (3, '{"accessRights": "http://publications.europa.eu/resource/authority/access-right/RESTRICTED"}'),
    (4, '{"accessRights": {"@id": "http://publications.europa.eu/resource/authority/access-right/NON_PUBLIC"}}'),
    (5, '{"accessLevel": "public"}'), (6, '{"accessLevel": ["?"]}')) v(n, o);
SELECT d ->> 'title' AS title, d ->> 'accessLevel' AS level
FROM json_array_elements(document('orderBy=name')::json -> 'dataset') d WHERE d ->> 'title' LIKE 'Access %';
SELECT g ->> 'dct:title' AS title,
    regexp_replace(g -> 'dct:accessRights' ->> '@id', '^.*/', '') AS rights
FROM catalogue.catalog('name=Access&orderBy=name') c, json_array_elements(c.data::json -> '@graph') g
WHERE g -> 'dct:accessRights' IS NOT NULL;

-- What was imported is given as its source has it, as far as users have not changed it.
CREATE FUNCTION imported(more jsonb) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT e ->> 'outcome' FROM catalogue.import_dcat(json_build_object('dataset', jsonb_build_array(jsonb_build_object(
        'identifier', 'urn:x:1', 'title', repeat('Long ', 40) || 'title', 'description', repeat('Long ', 80) || 'text',
        'theme', 'w', 'publisher', 'Office', 'issued', '2020-01-02', 'modified', '2020-01-03 10:00:00 +0100',
        'license', jsonb_build_object('@id', 'https://creativecommons.org/licenses/by/4.0/'),
        'describedBy', 'https://a.example/schema.json', 'accrualPeriodicity', 'R/P3M',
        'distribution', jsonb_build_array(jsonb_build_object('title', 'Bytes', 'downloadURL', 'https://a.example/b.csv',
            'mediaType', 'text/x-own', 'byteSize', 1234, 'issued', '2019', 'modified', '2020-05-06T07:08Z'))) || more)),
        'shown', '{"publish": true}', admin()) r, json_array_elements(r -> 'entries') e
$$;
SELECT * FROM imported('{}');
SELECT d ->> 'identifier' AS identifier, length(d ->> 'title') AS title, length(d ->> 'description') AS description,
    d ->> 'issued' AS issued, d ->> 'modified' AS modified, d ->> 'license' AS license, d ->> 'describedBy' AS schema,
    d ->> 'accrualPeriodicity' AS frequency, d #>> '{distribution,0,mediaType}' AS medium
FROM json_array_elements(document()::json -> 'dataset') d WHERE d ->> 'identifier' LIKE 'urn:%';
SELECT mask(c.data) AS turtle FROM catalogue.catalog('query=long&limit=1', 'turtle', 'https://data.example.org') c;
SELECT (catalogue.update('datasets', i.record, '{"description": "Edited…", "name": "Edited"}',
    actor => admin())).resource
FROM catalogue.imported i;
SELECT d ->> 'title' AS title, d ->> 'description' AS description
FROM json_array_elements(document()::json -> 'dataset') d WHERE d ->> 'identifier' LIKE 'urn:%';
SELECT * FROM imported('{"accrualPeriodicity": null}');
SELECT d ->> 'accrualPeriodicity' AS frequency
FROM json_array_elements(document()::json -> 'dataset') d WHERE d ->> 'identifier' LIKE 'urn:%';
SELECT v, catalogue.dcat_value('frequency', to_jsonb(v)) AS frequency
FROM unnest('{R/P1W,http://publications.europa.eu/resource/authority/frequency/ANNUAL_2,daily,sometimes}'::text[]) v;
SELECT v, catalogue.dcat_value('time', to_jsonb(v)) #>> '{}' AS time
FROM unnest('{2020-02-30,0000-01-01,2024-02-29,2020-13-01,2020-01-01,2020-01-01T10:00,
    2020-01-01 10:00:00.5Z,2020-01-01T25:00:00Z,2020-01-01T10:00:00+0200,yesterday,"",
    2023-02-29,2020-01-01T10:00:00.25 -14:59,2020-01-01T10:00+15:00,2020-01-01T10:00:60,2020-01-01T10,2020-1-01,
    2020-01-01T10:00.5,2020-01-01x}'::text[]) v;

-- With the profile dcat-us-3 it is DCAT-US 3.
SELECT publish('Third', '{"identifier": "T 1",
    "contactPoint": [{"fn": "Zoe", "hasEmail": "z@a.example"}, {"fn": "Ann"}], "theme": ["https://a.example/t"],
    "rights": "Free", "license": "Public domain", "accessLevel": "restricted public",
    "language": ["en-us", "en", "es", "tlh"], "landingPage": "https://a.example/", "describedBy": "https://a.example/d",
    "conformsTo": ["https://a.example/s"], "temporal": "2012/2013-05-06T07:08:09", "accrualPeriodicity": "R/P1M",
    "spatial": ["Here", {"@id": "https://a.example/p", "geometry": ["POINT(1 2)", "POINT(3 4)"]}, "1,2,3,4"],
    "publisher": {"name": "Open Data Office", "subOrganizationOf": {"name": "Ministry", "subOrganizationOf": "State"}},
    "textLanguage": "en-us", "inSeries": {"title": "Years"}, "translations": {"es": {"name": "Tercero", "tags": ["x"]},
    "de": {"description": "Dritter"}}}') AS third \gset
SELECT make('files', json_build_object('name', 'Rows', 'url', 'https://a.example/third.csv', 'visible', true,
    'optionals', '{"rights": "Ask", "describedBy": "https://a.example/f", "byteSize": "7",
      "conformsTo": ["https://a.example/g"], "translations": {"es": {"name": "Filas"}}}'::json,
    'type', id_of('filetypes', 'csv'), 'status', 'qWRhpRV',
    'dataset', :'third', 'owner', id_of('users', 'admin'), 'organization', id_of('organizations', 'Open Data Office'),
    'updateFrequency', id_of('updatefrequencies', 'Monthly'))) IS NOT NULL AS file;
SELECT (catalogue.update('configs', c.id::text, '{"value": "dcat-us-3"}', actor => admin())).resource AS changed
FROM catalogue.configs c WHERE c.key = 'catalogProfile' AND c.deleted_at IS NULL;
SELECT mask(jsonb_pretty(document('name=third')::jsonb)) AS document;
-- read back: texts in other languages, too
CREATE FUNCTION described(id text) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT concat_ws(' ', m.key, m.value)
    FROM json_each((catalogue.item('datasets', $1, 'fields=optionals', 'ids', admin())).data::json -> 'optionals') m
$$;
SELECT mask(line) FROM described((SELECT e ->> 'record' FROM json_array_elements(catalogue.import_dcat(
    document('name=third')::json, 'third', '{"publish": true}', admin()) -> 'entries') e)) line;
