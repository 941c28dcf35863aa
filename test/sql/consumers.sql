--
-- consumers: applications are registered, have keys with limits, and end
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Registered: an id is made, or given.
SELECT mask(catalogue.add_consumer('Portal')) AS id;
SELECT catalogue.add_consumer('Web', 'representation', 'embedded', id => 'd3b07384-d113-4ec6-a1f2-0123456789ab') AS id;
SELECT catalogue.add_consumer('Old', id => 'old', expires => now() - interval '1 second') AS id;

-- A name that is taken, whatever its letter case; values that do not fit.
SELECT code FROM refusal($$SELECT catalogue.add_consumer('portal')$$);
SELECT code FROM refusal($$SELECT catalogue.add_consumer('Other', id => 'old')$$);
SELECT code FROM refusal($$SELECT catalogue.add_consumer(NULL)$$);
SELECT code FROM refusal($$SELECT catalogue.add_consumer(' ')$$);
SELECT code FROM refusal($$SELECT catalogue.add_consumer(repeat('x', 101))$$);
SELECT code FROM refusal($$SELECT catalogue.add_consumer('Other', 'all')$$);
SELECT code FROM refusal($$SELECT catalogue.add_consumer('Other', relations => 'all')$$);
SELECT code FROM refusal($$SELECT catalogue.add_consumer('Other', id => 'a/b')$$);
SELECT code FROM refusal($$SELECT catalogue.add_consumer('Other', color => 'all')$$);
SELECT v, code
FROM unnest('{0,-1 day,101 years,NULL}'::text[]) v,
    LATERAL refusal(format($$SELECT catalogue.add_consumer('Other', token_lifetime => %L)$$, v));

-- An API key: its clear part is its name, and only a hash of it is kept.
SELECT key AS portal, secret AS api_key FROM catalogue.add_api_key('portal') \gset
SELECT :'api_key' ~ ('^catalogue_' || :'portal' || '_[0-9a-f]{64}$') AS form, kind,
       material = encode(sha256(:'api_key'), 'hex') AS hashed, strpos(k::text, right(:'api_key', 64)) AS shown
FROM catalogue.consumer_keys k WHERE key = :'portal';

-- One with limits.
SELECT key AS narrow
FROM catalogue.add_api_key('Portal', now() + interval '1 day', '{tags,datasets}', '{GET,POST}',
    id_of('organizations', 'Statistics Office'), 60) \gset
SELECT code, message, hint FROM refusal($$SELECT catalogue.add_api_key('nobody')$$);
SELECT code, message FROM refusal($$SELECT catalogue.add_api_key('Portal', resources => '{tags,nothing}')$$);
SELECT code FROM refusal($$SELECT catalogue.add_api_key('Portal', resources => '{}')$$);
SELECT code FROM refusal($$SELECT catalogue.add_api_key('Portal', verbs => '{get}')$$);
SELECT code FROM refusal($$SELECT catalogue.add_api_key('Portal', rate => 0)$$);
SELECT code
FROM refusal($$SELECT catalogue.add_api_key('Portal', organization => 'x'); SET CONSTRAINTS ALL IMMEDIATE$$);

-- Keys of tokens: a secret is made or given, a public key is given.
SELECT name, length(secret) AS made FROM catalogue.add_token_key('Web', 'HS256', key => 'web', issues => true);
SELECT name, secret FROM catalogue.add_token_key('Web', 'HS256', 'a secret of the gateway, 32 bytes', 'gateway');
SELECT name, secret
FROM catalogue.add_token_key('Web', 'ES256',
    E'-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n', 'curve');
SELECT code, message, hint FROM refusal($$SELECT catalogue.add_token_key('Web', 'none')$$);
SELECT code, message FROM refusal($$SELECT catalogue.add_token_key('Web', NULL)$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.add_token_key('Web', 'RS256')$$);
SELECT code, message FROM refusal($$SELECT catalogue.add_token_key('Web', 'RS256', repeat('x', 40))$$);
SELECT code, message
FROM refusal($$SELECT catalogue.add_token_key('Web', 'HS256', '-----BEGIN PUBLIC KEY-----MFkwEwYHKoZIzj0CAQYI')$$);
SELECT code, message
FROM refusal($$SELECT catalogue.add_token_key('Web', 'RS256', '-----BEGIN RSA PRIVATE KEY-----MFkwEwYHKoZIzj0CAQYI')$$);
SELECT code FROM refusal($$SELECT catalogue.add_token_key('Web', 'HS256', 'short')$$);
SELECT code FROM refusal($$SELECT catalogue.add_token_key('Web', 'HS256', key => 'web')$$);
SELECT code FROM refusal($$SELECT catalogue.add_token_key('Web', 'HS256', key => 'a b')$$);
SELECT code
FROM refusal($$SELECT catalogue.add_token_key('Web', 'RS256', '-----BEGIN PUBLIC KEY-----MFkwEwYHKoZIzj0CAQYI',
    issues => true)$$);

-- The list; no secret is in it.
SELECT mask(id) AS id, name, preferences, mask(key) AS key, kind, state, expires > now() AS lives,
       mask(limits::text) AS limits, last_used
FROM catalogue.list_consumers();
SELECT count(*) FROM catalogue.list_consumers() l WHERE l::text ~ 'secret|BEGIN|[0-9a-f]{64}';

-- What the shim is given of a key; nothing of one that is not good.
SELECT mask(regexp_replace(data, '[0-9a-f]{64}', '<hash>')) AS data FROM catalogue.credential(:'portal');
SELECT data::json ->> 'verbs' AS verbs, data::json ->> 'rate' AS rate,
       (data::json ->> 'expires')::bigint > extract(epoch FROM now()) AS expires
FROM catalogue.credential(:'narrow');
SELECT data FROM catalogue.credential('gateway');
SELECT data FROM catalogue.credential(NULL, 'wEB');
SELECT data FROM catalogue.credential('nothing');
SELECT data FROM catalogue.credential(NULL, 'Old');
SELECT data FROM catalogue.credential(NULL, NULL);

-- An actor with a consumer: read as nobody is, unless the consumer or the key is not good.
SELECT id AS portal_id FROM catalogue.consumers WHERE name = 'Portal' \gset
SELECT (catalogue.count('tags', actor => jsonb_build_object('consumer', :'portal_id'))).data;
SELECT (catalogue.count('tags', actor => jsonb_build_object('consumer', :'portal_id', 'key', :'portal'))).data;
SELECT code, message FROM refusal($$SELECT catalogue.list('tags', actor => '{"consumer": "nobody"}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.list('tags', actor => '{"consumer": "old"}')$$);
SELECT code, message
FROM refusal(format($$SELECT catalogue.list('tags', actor => jsonb_build_object('consumer', %L, 'key', 'nothing'))$$,
    :'portal_id'));
SELECT code, message
FROM refusal(format($$SELECT catalogue.list('tags', actor => jsonb_build_object('consumer', %L, 'key', 'web'))$$,
    :'portal_id'));
SELECT code, message
FROM refusal(format($$SELECT catalogue.create('tags', '{"name": "x"}', actor => jsonb_build_object('consumer', %L))$$,
    :'portal_id'));

-- With a user beside it, the user acts.
SELECT mask(id) AS id
FROM catalogue.create('tags', '{"name": "by both"}',
    actor => admin() || jsonb_build_object('consumer', :'portal_id', 'key', :'portal'));

-- The organization of a key: a user changes its records only, whether it is the record's own or that of who created it.
SELECT key AS office
FROM catalogue.add_api_key('Portal', organization => id_of('organizations', 'Statistics Office')) \gset
SELECT admin() || jsonb_build_object('consumer', :'portal_id', 'key', :'office') AS actor \gset
SELECT code, message
FROM refusal(format($$SELECT catalogue.create('tags', '{"name": "of another"}', actor => %L)$$, :'actor'));
SELECT code, message
FROM refusal(format($$SELECT catalogue.update('tags', %L, '{"name": "of another"}', actor => %L)$$,
    id_of('tags', 'water'), :'actor'));
SELECT code, message
FROM refusal(format($$SELECT catalogue.delete('organizations', %L, %L)$$,
    id_of('organizations', 'Transport Department'), :'actor'));
SELECT code, message
FROM refusal(format($$SELECT catalogue.act('files', %L, 'unpublish', actor => %L)$$, id_of('files', 'List of airports'),
    :'actor'));
SELECT code FROM refusal(format($$SELECT catalogue.update('tags', 'zzzzzzzzzzzzzzz', '{}', actor => %L)$$, :'actor'));
UPDATE catalogue.users SET organization = id_of('organizations', 'Statistics Office') WHERE username = 'editor';
UPDATE catalogue.users SET active = true WHERE username = 'editor';
SELECT actor('editor') || jsonb_build_object('consumer', :'portal_id', 'key', :'office') AS editor \gset
SELECT mask(id) AS id FROM catalogue.create('tags', '{"name": "of the office"}', actor => :'editor');
SELECT mask(id) AS id
FROM catalogue.update('tags', id_of('tags', 'of the office'), '{"name": "of the office still"}', actor => :'editor');
UPDATE catalogue.files SET organization = id_of('organizations', 'Statistics Office') WHERE name = 'List of airports';
SELECT mask(id) AS id
FROM catalogue.update('files', id_of('files', 'List of airports'), '{"notes": "x"}', actor => :'editor');
SELECT code, message
FROM refusal(format($$SELECT catalogue.update('files', %L, '{"organization": "%s"}', actor => %L)$$,
    id_of('files', 'List of airports'), id_of('organizations', 'Transport Department'), :'editor'));
SELECT catalogue.revoke_key(:'office');

-- The methods of a key hold for each part of a batch, for bodies of rows, and for each entry of an import.
SELECT key AS sender FROM catalogue.add_api_key('Portal', verbs => '{POST,PATCH}') \gset
SELECT key AS reader FROM catalogue.add_api_key('Portal', verbs => '{GET}') \gset
SELECT admin() || jsonb_build_object('consumer', :'portal_id', 'key', :'sender') AS sends,
       admin() || jsonb_build_object('consumer', :'portal_id', 'key', :'reader') AS reads \gset
SELECT call, send.code AS "POST and PATCH", read.code AS "GET", read.message
FROM unnest(ARRAY[
        $$batch('{"parts": [{"method": "POST", "path": "/tags", "body": {"name": "by part"}}]}', actor => %L)$$,
        $$batch('{"parts": [{"method": "DELETE", "path": "/tags/by-part"}]}', actor => %L)$$,
        $$create_rows('tags', E'name\nby row', 'csv', actor => %L)$$]) call,
    LATERAL refusal('SELECT catalogue.' || format(call, :'sends')) send,
    LATERAL refusal('SELECT catalogue.' || format(call, :'reads')) read;
SELECT (catalogue.import('{"source": "s", "document": {"dataset": [{"identifier": "a", "title": "A"}]}}',
    actor => :'reads')).data;
-- The links of a record name the actions whose method the key has.
SELECT (catalogue.item('datasets', id_of('datasets', 'Airports'), actor => a)).links
FROM unnest(ARRAY[:'sends', :'reads']::jsonb[]) a;

-- The resources of a key: asked for by path, relation, include, fields, search and export.
SELECT jsonb_build_object('consumer', :'portal_id', 'key', :'narrow') AS actor \gset
CREATE FUNCTION asked(call text) RETURNS TABLE (code text, message text) LANGUAGE sql AS
$$
    SELECT code, message FROM test.refusal(format('SELECT catalogue.%s', call))
$$;
SELECT code, message FROM asked(format('list(%L, actor => %L)', 'tags', :'actor'));
SELECT code, message FROM asked(format('list(%L, actor => %L)', 'categories', :'actor'));
SELECT code, message FROM asked(format('count(%L, actor => %L)', 'categories', :'actor'));
SELECT code, message
FROM asked(format('item(%L, %L, actor => %L)', 'categories', id_of('categories', 'Transport'), :'actor'));
SELECT code, message FROM asked(format('first(%L, actor => %L)', 'categories', :'actor'));
SELECT code, message
FROM asked(format('versions(%L, %L, actor => %L)', 'categories', id_of('categories', 'Transport'), :'actor'));
SELECT code, message
FROM asked(format('related(%L, %L, %L, actor => %L)', 'datasets', id_of('datasets', 'Airports'), 'tags', :'actor'));
SELECT code, message
FROM asked(format('related(%L, %L, %L, actor => %L)', 'datasets', id_of('datasets', 'Airports'), 'categories',
    :'actor'));
SELECT code, message
FROM asked(format('related(%L, %L, %L, actor => %L)', 'categories', id_of('categories', 'Transport'), 'datasets',
    :'actor'));
SELECT code, message FROM asked(format('list(%L, %L, actor => %L)', 'datasets', 'include=tags', :'actor'));
SELECT code, message FROM asked(format('list(%L, %L, actor => %L)', 'datasets', 'include=categories', :'actor'));
SELECT code, message FROM asked(format('list(%L, %L, actor => %L)', 'datasets', 'fields=status.name', :'actor'));
SELECT code, message FROM asked(format('list(%L, relations => %L, actor => %L)', 'datasets', 'embedded', :'actor'));
SELECT code, message FROM asked(format('search(%L, actor => %L)', 'query=a&resources=categories', :'actor'));
SELECT relations FROM catalogue.search('query=a&limit=1', actor => :'actor');
SELECT code, message FROM asked(format('export(%L, actor => %L)', 'categories', :'actor'));
SELECT code, message
FROM asked(format('export(%L, %L, %L, actor => %L)', 'categories', id_of('categories', 'Transport'), 'datasets',
    :'actor'));
-- So are names that lead to other resources, on every path that takes them: nothing of those is told letter by letter.
SELECT code, q
FROM unnest(
    '{categories.name=T,categories.name=T&match=BEGINS,files.fileName=a&match=BEGINS,files.type.name[ne]=csv,
        categories=x,files=null,files[ne]=null,tags.datasets.categories.name=x,owner.username=a,status.name=x,
        orderBy=status.name,"orderBy=name,status.name",fields=files,fields=categories.name,include=files.charts,
        tags.name=w,tags=x,status=qWRhpRV,fields=categories,orderBy=status,
        nothing.name=x}'::text[]) WITH ORDINALITY w(q,
    n),
    LATERAL asked(format('list(%L, %L, actor => %L)', 'datasets', q, :'actor')) ORDER BY n;
SELECT code, q
FROM unnest('{tags,"tags,starred",tags.name,createdAt.year,categories,"tags,categories",status,files.type,
        categories.name,tags.datasets.status,files,nothing}'::text[]) WITH ORDINALITY w(q, n),
    LATERAL asked(format('list(%L, %L, actor => %L)', 'datasets', 'facets=' || q, :'actor')) ORDER BY n;
SELECT call, code
FROM unnest('{count,first,last}'::text[]) call,
    LATERAL asked(format('%s(%L, %L, actor => %L)', call, 'datasets', 'files.fileName=a&match=BEGINS', :'actor'));
SELECT code, message
FROM asked(format('export(%L, query => %L, actor => %L)', 'datasets', 'files.fileName=a&match=BEGINS', :'actor'));
SELECT code, message
FROM asked(format('search(%L, actor => %L)', 'query=a&resources=datasets&files.fileName=a', :'actor'));
SELECT code, message
FROM asked(format('related(%L, %L, %L, %L, actor => %L)', 'datasets', id_of('datasets', 'Airports'), 'tags',
    'datasets.categories.name=T', :'actor'));
SELECT code, message
FROM asked(format('related(%L, %L, %L, actor => %L)', 'datasets', id_of('datasets', 'Airports'), 'files', :'actor'));
SELECT code, message
FROM asked(format('related(%L, %L, %L, actor => %L)', 'datasets', id_of('datasets', 'Airports'), 'status', :'actor'));
SELECT code, message FROM asked(format('feed(actor => %L)', :'actor'));
SELECT code, message FROM asked(format('dataset_filetypes(%L, actor => %L)', id_of('datasets', 'Airports'), :'actor'));
SELECT code, message FROM asked(format('usage(%L, actor => %L)', 'datasets', :'actor'));
SELECT code, message FROM asked(format('category_downloads(%L)', :'actor'));
SELECT code, message FROM asked(format('archive(%L, %L)', id_of('datasets', 'Airports'), :'actor'));
SELECT call, code
FROM unnest('{contents_page,contents_columns,contents_schema,contents_issues,contents_sheets}'::text[]) call,
    LATERAL asked(format('%s(%L, actor => %L)', call, id_of('files', 'List of airports'), :'actor'));
SELECT code, message
FROM asked(format('file_resources(%L, actor => %L)', id_of('files', 'List of airports'), :'actor'));
SELECT code, message FROM asked(format('download(%L, actor => %L)', id_of('files', 'List of airports'), :'actor'));
-- A record that would be embedded is shown as its id where the key is not for it; another key of the consumer has it
-- whole.
SELECT data::json -> 0 ->> 'status' AS status
FROM catalogue.list('datasets', 'limit=1&name=Airports', 'embedded', :'actor');
SELECT data::json -> 0 -> 'status' ->> 'name' AS status
FROM catalogue.list('datasets', 'limit=1&name=Airports', 'embedded', jsonb_build_object('consumer', :'portal_id'));
SELECT data::json -> 0 ->> 'status' AS status
FROM catalogue.list('datasets', 'limit=1&name=Airports', 'embedded', :'actor');
SELECT data::json -> 0 ->> 'status' AS status
FROM catalogue.list('datasets', 'limit=1&name=Airports&fields=status', 'embedded', :'actor');
SELECT code, message
FROM asked(format('delete(%L, %L, %L)', 'categories', id_of('categories', 'Transport'), admin() || :'actor'));

-- Granted requests: an eighth of what is left at a time, and never more than the rate in a minute.
SELECT data::json ->> 'granted' AS granted, (data::json ->> 'seconds')::integer BETWEEN 1 AND 60 AS seconds
FROM catalogue.use_key(:'narrow', 1);
CREATE FUNCTION spend(key text, wanted integer) RETURNS integer LANGUAGE sql AS
$$
    SELECT (data::json ->> 'granted')::integer FROM catalogue.use_key($1, $2)
$$;
-- as in a minute that does not end
UPDATE catalogue.consumer_use SET minute = date_trunc('minute', now()) + interval '1 hour', granted = 0;
SELECT max(granted) AS at_once, sum(granted) AS granted, min(granted) AS in_the_end
FROM (SELECT spend(:'narrow', 1000) AS granted FROM generate_series(1, 50)) g;
SELECT spend(:'portal', 1000) AS no_rate, spend('nothing', 1000) AS no_key;
SELECT key = :'narrow' AS narrow, last_used_at <= now() AS used FROM catalogue.consumer_use ORDER BY 1;

-- A new key in the place of one, with its limits; the old one ends at once or after a while.
SELECT name AS fresh, secret ~ name AS shown FROM catalogue.rotate_key(:'narrow', interval '1 hour') \gset
SELECT :'shown' AS shown, mask(data::jsonb - 'material' - 'expires' #>> '{}') AS fresh
FROM catalogue.credential(:'fresh');
SELECT to_timestamp((data::json ->> 'expires')::bigint) BETWEEN now() AND now() + interval '1 hour' AS old
FROM catalogue.credential(:'narrow');
SELECT mask(name) AS name, length(secret) AS made FROM catalogue.rotate_key('web') \gset after_
SELECT data AS web FROM catalogue.credential('web');
SELECT issues
FROM catalogue.consumer_keys
WHERE consumer = 'd3b07384-d113-4ec6-a1f2-0123456789ab' AND kind = 'HS256' AND revoked_at IS NULL
ORDER BY created_at, key <> 'gateway';
SELECT code, message FROM refusal($$SELECT catalogue.rotate_key('web')$$);
SELECT code, message FROM refusal(format('SELECT catalogue.rotate_key(%L, material => %L)', :'portal', 'x'));

-- Tokens for an application: of one that is registered for it, by name and id.
SELECT data::json ->> 'key' ~ '^[0-9A-Za-z]{15}$' AS key, length(data::json ->> 'material') AS material,
       data::json ->> 'lifetime' AS lifetime
FROM catalogue.client_token('{"consumer": "web", "consumerId": "d3b07384-d113-4ec6-a1f2-0123456789ab"}');
SELECT data FROM catalogue.client_token('{"consumer": "Web", "consumerId": "old"}');
SELECT data FROM catalogue.client_token(json_build_object('consumer', 'Portal', 'consumerId', :'portal_id'));
SELECT * FROM faults($$SELECT catalogue.client_token('{"consumer": "Web"}')$$);
SELECT * FROM faults($$SELECT catalogue.client_token('{"consumer": "Web", "consumerId": 7}')$$);
SELECT *
FROM faults($$SELECT catalogue.client_token('{"consumer": "Web", "consumerID": 7, "audience": "x"}', strict => true)$$);
SELECT data <> '{}' AS found, ignored
FROM catalogue.client_token(
    '{"consumer": "web", "consumerId": "d3b07384-d113-4ec6-a1f2-0123456789ab", "audience": "x"}');
SELECT code, message FROM refusal($$SELECT catalogue.client_token('[]')$$);
SELECT code, message FROM refusal($$SELECT catalogue.client_token(NULL)$$);

-- Wrong tries are counted by address, and right ones are not; from an address with too many, the right one is refused
-- too.
SET catalogue.login_failures_address = 2;
SELECT n, data
FROM generate_series(1, 2) n,
    LATERAL catalogue.client_token(json_build_object('consumer', 'web', 'consumerId', 'guess ' || n), '192.0.2.1');
SELECT code, message, detail::json ->> 'retryAfter' > '0' AS told
FROM refusal($$SELECT catalogue.client_token(
    '{"consumer": "web", "consumerId": "d3b07384-d113-4ec6-a1f2-0123456789ab"}',
    '192.0.2.1')$$);
SELECT count(*)
FROM generate_series(1, 5),
    LATERAL catalogue.client_token('{"consumer": "web", "consumerId": "d3b07384-d113-4ec6-a1f2-0123456789ab"}',
        '192.0.2.2')
WHERE data <> '{}';
SELECT failures FROM catalogue.attempt;
RESET catalogue.login_failures_address;
TRUNCATE catalogue.attempt;

-- Revoked: a key, then a consumer with all its keys, whose name is free again.
SELECT catalogue.revoke_key(:'portal');
SELECT code, message
FROM refusal(format('SELECT catalogue.list(%L, actor => %L)', 'tags',
    jsonb_build_object('consumer', :'portal_id', 'key', :'portal')));
SELECT code FROM refusal(format('SELECT catalogue.revoke_key(%L)', :'portal'));
SELECT catalogue.revoke_consumer('PORTAL');
SELECT code, message
FROM refusal(format('SELECT catalogue.list(%L, actor => %L)', 'tags', jsonb_build_object('consumer', :'portal_id')));
SELECT data FROM catalogue.credential(:'fresh');
SELECT code, message FROM refusal($$SELECT catalogue.revoke_consumer('Portal')$$);
SELECT mask(catalogue.add_consumer('Portal')) AS id;

-- What the shim is given nobody else is: a role needs the right to the call, and no right to the tables.
GRANT USAGE ON SCHEMA catalogue, test TO pg_monitor;
SET ROLE pg_monitor;
SELECT code FROM refusal($$SELECT catalogue.credential('gateway')$$);
SELECT code FROM refusal($$SELECT catalogue.use_key('gateway', 1)$$);
SELECT code FROM refusal($$SELECT catalogue.client_token('{}')$$);
SELECT code FROM refusal($$SELECT * FROM catalogue.consumer_keys$$);
SELECT code FROM refusal($$SELECT * FROM catalogue.list_consumers()$$);
RESET ROLE;
GRANT EXECUTE ON FUNCTION catalogue.credential(text, text) TO pg_monitor;
SET ROLE pg_monitor;
SELECT data::json ->> 'consumer' AS consumer FROM catalogue.credential('gateway');
RESET ROLE;
