--
-- url_fields: url and link of charts, maps, files and services are http: or https: URLs, for clients and for SQL
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Good: either scheme in any letter case; port, user, path, query and fragment; IPv4, IPv6; names in other alphabets;
-- the limit.
SELECT a AS good, catalogue.is_address(a) AS valid FROM unnest(ARRAY[
    'http://example.org', 'https://example.org/', 'HTTPS://Example.ORG/x', 'http://example.org:8080/a/b?c=d&e=%20#f',
    'http://example.org?x', 'http://example.org#x', 'http://example.org:/',
    'https://maria@example.org/', 'https://maria:secret@example.org:443/', 'http://localhost',
    'http://127.0.0.1:3000/x', 'http://[2001:db8::1]/', 'http://u@[::1]:8080/x', 'http://[::ffff:192.0.2.1]',
    'https://españa.example/señal', 'https://例え.テスト/道', 'https://xn--espaa-rta.example/', 'http://a_b.example.org./',
    'https://example.org/{z}/{x}?a[]=1|2''(3)', 'https://example.org/http://other.example',
    'http://example.org:65535/', '/files/cities.csv/download']) a;
SELECT n, catalogue.is_address('http://example.org/' || repeat('é', n - 19)) AS valid FROM unnest(ARRAY[2000, 2001]) n;

-- Bad: another scheme, or none; no host; what a browser leaves out or reads as another character; ports and hosts that
-- there are not. Unaligned, since psql 15 and 17 count other columns for characters that have no width.
\pset format unaligned
SELECT to_json(a) AS bad, catalogue.is_address(a) AS valid FROM unnest(ARRAY[
    '', ' ', 'example.org', 'www.example.org/x', '//example.org/x', '/x', 'x', '?x', '#x', 'http', 'http:', 'http:/',
    'http://', 'https:///x', 'http://?x', 'http://#x', 'http:/example.org', 'http:example.org', 'https:example.org',
    'javascript:alert(1)', 'JAVASCRIPT:alert(1)', 'javascript://example.org/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>', 'vbscript:x', 'file:///etc/passwd', 'ftp://example.org/',
    'gopher://example.org/', 'blob:https://example.org/x',
    'mailto:a@example.org', 'httpx://example.org', 'https//example.org', 'view-source:http://example.org',
    'feed:http://example.org',
    ' http://example.org', 'http://example.org ', 'http://exa mple.org', 'http://example.org/a b',
    E'http://example.org/\tx', E'java\nscript:alert(1)', E'ht\ntp://example.org', E'http://example.org/\r\nX-Evil: 1',
    E'\u0001http://example.org', E'http://example.org/\u007f',
    E'http://example.org/\u0085x', E'http://example.org/\u009fx', E'http://example.org/\u00a0x',
    E'http://example.org/\u3000', E'http://example.org/\u202egro.elpmaxe', E'http://example.org/\u2066x',
    E'http://example.org/\ufeff',
    'http://example.org\@evil.example', 'http:\\example.org', 'http://example.org/"onclick="x',
    'http://example.org/<script>', 'http://example.org/`x`',
    'http://a@b@example.org/', 'http://@', 'http://user@/', 'http://user@:80/', 'http://:80/', 'http://.', 'http://-',
    'http://..:80', 'http://exa%6dple.org/', 'http://a,b.example', 'http://example.org:x/', 'http://example.org:0/',
    'http://example.org:65536/', 'http://example.org:99999/', 'http://example.org:000080/', 'http://example.org:80:80/',
    'http://example.org:-1/',
    'http://[::1', 'http://[]/', 'http://[x]/', 'http://[::1]x/', 'http://[1.2.3.4]/', 'http://[::1%25eth0]/',
    'http://::1/', 'http://a[::1]/', 'http://]/',
    '/files//download', '/files/a/b/download', '/files/a/download/', '/files/a/download?x', '/files/a b/download',
    '//files/a/download', 'files/a/download']) a;
\pset format aligned

-- Through the API: kept as it is written, without the white space around it; an empty one, as forms send it, is none.
CREATE FUNCTION test.body(resource text) RETURNS jsonb LANGUAGE sql AS
$$
    SELECT CASE resource
        WHEN 'charts'
            THEN jsonb_build_object('name', gen_random_uuid(), 'file', test.id_of('files', 'List of airports'))
        WHEN 'maps'
            THEN jsonb_build_object('name', gen_random_uuid(), 'file', test.id_of('files', 'List of airports'),
                'basemap', test.id_of('basemaps', 'OpenStreetMap'))
        WHEN 'files'
            THEN jsonb_build_object('name', gen_random_uuid(), 'dataset', test.id_of('datasets', 'Airports'),
            'owner', test.id_of('users', 'admin'), 'type', test.id_of('filetypes', 'csv'),
            'organization', test.id_of('organizations', 'Open Data Office'),
            'updateFrequency', test.id_of('updatefrequencies', 'Daily'))
        WHEN 'soapservices' THEN '{"method": "m", "namespace": "n", "url": "https://example.org", "parameters": {}}'
        ELSE '{"url": "https://example.org", "parameters": {}}' END
$$;
CREATE TEMP TABLE places (path text, name text);
INSERT INTO places
    VALUES ('charts', 'url'), ('charts', 'link'), ('maps', 'url'), ('maps', 'link'), ('files', 'url'),
        ('soapservices', 'url'), ('restservices', 'url');
SELECT path, name, c.data::json ->> name AS kept
FROM places,
    LATERAL catalogue.create(path, (body(path) || jsonb_build_object(name, E' \u00a0HTTP://Example.org/X?y#z\n'))::json,
        'representation', actor => admin()) c;
SELECT path, name, c.data::json -> name AS empty
FROM places, unnest(ARRAY['', E' \t']) given,
    LATERAL catalogue.create(path, (body(path) || jsonb_build_object(name, given))::json, 'representation',
        actor => admin()) c
WHERE path !~ 'services';
SELECT path, f.*
FROM places, unnest(ARRAY['', E' \t']) given,
    LATERAL faults(format('SELECT catalogue.create(%L, %L, actor => admin())', path,
        body(path) || jsonb_build_object(name, given))) f
WHERE path ~ 'services';
-- A map or chart of neither file nor link is refused, be the link null or empty.
SELECT path, f.*
FROM places, json_array_elements('[null, ""]') link,
    LATERAL faults(format('SELECT catalogue.create(%L, %L, actor => admin())', path,
        body(path) - 'file' || jsonb_build_object('link', link))) f
WHERE name = 'link';
-- Refused wherever it stands; what the service itself gives to an uploaded file is not for clients.
SELECT path, f.*
FROM places,
    LATERAL faults(format('SELECT catalogue.create(%L, %L, actor => admin())', path,
        body(path) || jsonb_build_object(name, E'\tjavascript:alert(1)'))) f;
SELECT f.*
FROM unnest(ARRAY['/files/x/download', 'http://', 'http://example.org:99999/', E'http://example.org/a\nb',
    'data:text/html,x']) given,
    LATERAL faults(format('SELECT catalogue.create(''files'', %L, actor => admin())',
        body('files') || jsonb_build_object('url', given))) f;
SELECT f.*
FROM json_array_elements('[7, {"a": 1}, ["http://example.org"], true]') given,
    LATERAL faults(format('SELECT catalogue.create(''charts'', %L, actor => admin())',
        body('charts') || jsonb_build_object('link', given))) f;
-- Length first: 500 characters, of services 2,000.
SELECT path, length(c.data::json ->> name)
FROM places,
    LATERAL catalogue.create(path,
        (body(path)
            || jsonb_build_object(name, 'http://example.org/'
                || repeat('é', CASE WHEN path ~ 'services' THEN 2000 ELSE 500 END - 19)))::json,
        'representation', actor => admin()) c;
SELECT path, f.field, f.rule, f.message
FROM places,
    LATERAL faults(format('SELECT catalogue.create(%L, %L, actor => admin())', path,
        body(path)
        || jsonb_build_object(name, 'http://example.org/'
            || repeat('é', CASE WHEN path ~ 'services' THEN 2001 ELSE 501 END - 19)))) f;
-- All faults of a body at once, in a change as well; code to embed is not looked into.
SELECT f.*
FROM faults($$SELECT catalogue.create('maps',
    '{"url": "ftp://example.org", "link": "//example.org", "basemap": "nothing"}', actor => admin())$$) f;
SELECT make('charts',
    '{"name": "Embedded", "link": "https://example.org/chart",
        "embedCode": "<iframe src=\"javascript:x\"></iframe>"}') AS chart \gset
SELECT f.*
FROM faults(format(
    'SELECT catalogue.update(''charts'', %L, ''{"link": "JavaScript:alert(1)", "type": "radar"}'', actor => admin())',
    :'chart')) f;
SELECT data::json ->> 'link' AS link, data::json ->> 'embedCode' AS "embedCode"
FROM catalogue.update('charts', :'chart', '{"link": "http://example.org/other"}', 'representation', actor => admin());
-- Other addresses are as they were: a basemap's is a template, a database's is of any scheme.
SELECT make('databases', '{"name": "Numbers", "url": "postgresql://db.example/numbers"}') IS NOT NULL AS made;

-- In SQL.
SELECT * FROM refusal(format('UPDATE catalogue.charts SET link = %L WHERE id = %L', 'javascript:alert(1)', :'chart'));
SELECT code FROM refusal($$INSERT INTO catalogue.restservices (url, parameters) VALUES ('file:///etc/passwd', '{}')$$);
UPDATE catalogue.charts SET link = 'https://example.org/third' WHERE id = :'chart' RETURNING link;

-- Filters take any text.
SELECT (catalogue.count('charts', 'link=javascript:')).data,
       (catalogue.count('charts', 'link=example.org/third')).data AS found,
       (catalogue.count('restservices', 'url=x&match=EXACT')).data AS services;

-- OPTIONS says what it takes.
SELECT path, name, facts FROM catalogue.description JOIN places ON path = resource AND name = field ORDER BY path, name;

-- A database from before: its tables are converted, and what they have stays, even where it would be refused now.
SELECT pg_get_triggerdef(oid) AS follow_archive
FROM pg_trigger
WHERE tgrelid = 'catalogue.files'::regclass AND tgname = 'follow_archive' \gset
DROP TRIGGER follow_archive ON catalogue.files;
ALTER TABLE catalogue.files ALTER url TYPE varchar(500);
ALTER TABLE catalogue.charts ALTER url TYPE varchar(500), ALTER link TYPE varchar(500);
ALTER TABLE catalogue.maps ALTER url TYPE varchar(500), ALTER link TYPE varchar(500);
ALTER TABLE catalogue.soapservices ALTER url TYPE text;
ALTER TABLE catalogue.restservices ALTER url TYPE text;
ALTER TABLE catalogue.webhooks ALTER url TYPE text;
DROP DOMAIN catalogue.service_address, catalogue.web_address;
:follow_archive;
UPDATE catalogue.charts SET link = 'javascript:alert(1)', url = '' WHERE id = :'chart';
SELECT pg_relation_filenode('catalogue.charts') AS before \gset
SELECT catalogue.bootstrap();
SELECT pg_get_triggerdef(oid) = :'follow_archive' AS "follows the archive"
FROM pg_trigger
WHERE tgrelid = 'catalogue.files'::regclass AND tgname = 'follow_archive';
SELECT format('%s.%s', attrelid::regclass, attname) AS field, format_type(atttypid, atttypmod)
FROM pg_attribute JOIN places ON attrelid = format('catalogue.%I', path)::regclass AND attname = name
ORDER BY 1;
SELECT format('%s.%s', attrelid::regclass, attname) AS field, format_type(atttypid, atttypmod)
FROM pg_attribute JOIN places ON attrelid = format('catalogue_history.%I', path)::regclass AND attname = name
ORDER BY 1;
SELECT pg_relation_filenode('catalogue.charts') = :before AS "is not written anew";
SELECT link, url FROM catalogue.charts WHERE id = :'chart';
SELECT data::json ->> 'notes' AS notes, data::json ->> 'link' AS link
FROM catalogue.update('charts', :'chart', '{"notes": "other"}', 'representation', actor => admin());
SELECT rule, value
FROM faults(format('SELECT catalogue.update(''charts'', %L, ''{"link": "javascript:alert(2)"}'', actor => admin())',
    :'chart'));
SELECT code
FROM refusal(format('UPDATE catalogue.charts SET link = %L WHERE id = %L', 'javascript:alert(2)', :'chart'));
SELECT (catalogue.delete('charts', :'chart', admin())).id = :'chart' AS deleted;
SELECT (catalogue.restore('charts', :'chart', actor => admin())).id = :'chart' AS restored;
