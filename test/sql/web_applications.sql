--
-- web_applications: registered by one call, which may be made again
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Registered: an id is made, or given; what the shim is told of all of them.
SELECT consumer, mask("consumerId") AS id
FROM catalogue.register_web_application('Admin', '{https://admin.example.org}', basemaps => true);
SELECT *
FROM catalogue.register_web_application('Portal',
    '{https://portal.example.org, "HTTP://Localhost:8080/ ", https://www.example.org:443, http://[2001:DB8::1]:80}',
    id => 'd3b07384-d113-4ec6-a1f2-0123456789ab',
    token_lifetime => '90 days', public_paths => '{/files/*/download,/rss}');
SELECT name, return_default, relations_default, color_default, token_lifetime, origins, public_paths
FROM catalogue.consumers
ORDER BY name;
SELECT read_only FROM catalogue.resource WHERE resource = 'basemaps';
SELECT data::json ->> 'origins' AS origins, data::json ->> 'paths' AS paths FROM catalogue.web_access();

-- They get tokens.
SELECT data::json ->> 'key' IS NOT NULL AS key, data::json ->> 'lifetime' AS lifetime
FROM catalogue.client_token('{"consumer": "Portal", "consumerId": "d3b07384-d113-4ec6-a1f2-0123456789ab"}');

-- Again: the same id and key, whatever the letter case of the name; what is given replaces what was stored, and
-- basemaps stay writable.
SELECT array_agg(key ORDER BY key) AS keys FROM catalogue.consumer_keys \gset
SELECT * FROM catalogue.register_web_application('portal', '{https://portal.example.org}');
SELECT *
FROM catalogue.register_web_application('Portal', '{https://portal.example.org}',
    id => 'd3b07384-d113-4ec6-a1f2-0123456789ab');
SELECT name, token_lifetime, origins, public_paths FROM catalogue.consumers WHERE name = 'Portal';
SELECT array_agg(key ORDER BY key) = :'keys' AS same_keys FROM catalogue.consumer_keys;
SELECT read_only FROM catalogue.resource WHERE resource = 'basemaps';
SELECT count(*) FROM catalogue.consumers;

-- One that was registered by hand gets what it lacks.
SELECT catalogue.add_consumer('Kiosk', id => 'kiosk');
SELECT * FROM catalogue.register_web_application('Kiosk');
SELECT preferences, kind, state, limits FROM catalogue.list_consumers() WHERE name = 'Kiosk';

-- A key that has ended is followed by a new one.
SELECT catalogue.revoke_key(key) FROM catalogue.consumer_keys WHERE consumer = 'kiosk';
SELECT * FROM catalogue.register_web_application('Kiosk');
SELECT state, count(*) FROM catalogue.list_consumers() WHERE name = 'Kiosk' GROUP BY state ORDER BY state;

-- What does not fit.
SELECT o, code, message, hint
FROM unnest(
    '{*,none,example.org,https://,https://a/b,https://a b,"https://a,https://b",https://*.example.org,https://user@a,
        https://a:123456,null}'::text[]) o,
    LATERAL refusal(format($$SELECT catalogue.register_web_application('Other', ARRAY[%L])$$, o));
SELECT code, message, hint FROM refusal($$SELECT catalogue.register_web_application('Portal', id => 'another')$$);
-- A wrong name is corrected by a call with the id, unless another one has the name.
SELECT consumer
FROM catalogue.register_web_application('Another', '{https://portal.example.org}',
    id => 'd3b07384-d113-4ec6-a1f2-0123456789ab');
SELECT code
FROM refusal($$SELECT catalogue.register_web_application('Admin', id => 'd3b07384-d113-4ec6-a1f2-0123456789ab')$$);
SELECT consumer
FROM catalogue.register_web_application('Portal', '{https://portal.example.org}',
    id => 'd3b07384-d113-4ec6-a1f2-0123456789ab');
SELECT p, code
FROM unnest('{files,/files/,/a b,"/a,/b","/a?b=c",//a,/a/**,/a*}'::text[]) p,
    LATERAL refusal(format($$SELECT catalogue.register_web_application('Other', public_paths => ARRAY[%L])$$, p));
SELECT code FROM refusal($$SELECT catalogue.register_web_application('Other', public_paths => '{NULL}')$$);
SELECT code FROM refusal($$SELECT catalogue.register_web_application(NULL)$$);
SELECT code FROM refusal($$SELECT catalogue.register_web_application('Other', token_lifetime => '0')$$);
SELECT count(*) AS others FROM catalogue.consumers WHERE name IN ('Other', 'Another');

-- Its end takes back what it was allowed; it may be registered again with the id that it is deployed with.
SELECT catalogue.revoke_consumer('Admin'), catalogue.revoke_consumer('Kiosk');
SELECT catalogue.revoke_consumer('Portal');
SELECT data FROM catalogue.web_access();
SELECT data FROM catalogue.client_token('{"consumer": "Portal", "consumerId": "d3b07384-d113-4ec6-a1f2-0123456789ab"}');
SELECT *
FROM catalogue.register_web_application('Portal', '{https://portal.example.org}',
    id => 'd3b07384-d113-4ec6-a1f2-0123456789ab', public_paths => '{}');
SELECT data FROM catalogue.web_access();
SELECT data::json ->> 'key' IS NOT NULL AS key
FROM catalogue.client_token('{"consumer": "Portal", "consumerId": "d3b07384-d113-4ec6-a1f2-0123456789ab"}');
UPDATE catalogue.consumers SET expires_at = now() WHERE name = 'Portal';
SELECT data FROM catalogue.web_access();

-- Nobody but the owner registers.
SET ROLE catalogue_shim;
SELECT catalogue.register_web_application('Intruder', '{https://evil.example.org}');
SELECT data FROM catalogue.web_access();
RESET ROLE;
SET ROLE catalogue_worker;
SELECT data FROM catalogue.web_access();
RESET ROLE;
