--
-- service_permissions: a remote service replaces the contents of its file, so it takes the right to update that file
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
UPDATE catalogue.users SET active = true;
SELECT id_of('users', 'guest') AS guest, make_dataset('Data') AS dataset, make_file('Of another', 'Data') AS other,
    make_file('Own', 'Data') AS own \gset
UPDATE catalogue.files SET created_by = :'guest', owner = :'guest' WHERE id = :'own';
CREATE FUNCTION publish(name text) RETURNS void LANGUAGE sql AS
    $$ UPDATE catalogue.files SET status = 'qWRhpRV' WHERE id = id_of('files', $1) $$;
CREATE VIEW state AS
    SELECT f.name, CASE f.status WHEN 'qWRhpRV' THEN 'published' WHEN 'oWRhpRV' THEN 'under review' END AS status,
           f.rest_service IS NOT NULL AS rest, f.soap_service IS NOT NULL AS soap
    FROM catalogue.files f
    WHERE f.name IN ('Of another', 'Own', 'Together') ORDER BY f.name;
CREATE FUNCTION service(file text) RETURNS json LANGUAGE sql AS
    $$ SELECT json_build_object('url', 'https://example.org/x', 'parameters', json '{}', 'file', id_of('files', $1)) $$;
SELECT publish('Of another'), publish('Own');
INSERT INTO catalogue.rules (role, resource, action)
SELECT 'guest', r, a
FROM unnest('{restservices,soapservices}'::text[]) r, unnest('{create,update,delete,restore}'::text[]) a;

-- A guest may not attach a service to the file of another, when it is created or later, nor in a batch.
SELECT code, message
FROM refusal($$SELECT catalogue.create('restservices', service('Of another'), actor => actor('guest'))$$);
SELECT code, message
FROM refusal($$SELECT catalogue.create('soapservices',
    (service('Of another')::jsonb || '{"method": "m", "namespace": "n"}')::json, actor => actor('guest'))$$);
SELECT code, message
FROM refusal($$SELECT catalogue.batch(json_build_object('parts', json_build_array(json_build_object('method', 'POST',
    'path', '/restservices', 'body', service('Of another')))), actor => actor('guest'))$$);
SELECT id AS loose
FROM catalogue.create('restservices', '{"url": "https://example.org/y", "parameters": {}}',
    actor => actor('guest')) \gset
SELECT code, message
FROM refusal(format($$SELECT catalogue.update('restservices', %L, service('Of another'), actor => actor('guest'))$$,
    :'loose'));
SELECT * FROM state;

-- Nor change the service that it has, nor restore one.
SELECT (catalogue.create('restservices', service('Of another'), actor => admin())).id AS service \gset
SELECT code, message
FROM refusal(format($$SELECT catalogue.update('restservices', %L, '{"url": "https://example.org/z"}',
    actor => actor('guest'))$$, :'service'));
SELECT resource FROM catalogue.delete('restservices', :'service', actor => admin());
SELECT code, message
FROM refusal(format($$SELECT catalogue.restore('restservices', %L, actor => actor('guest'))$$, :'service'));
SELECT * FROM state;

-- His own file gets one, and returns to review; so when the service is changed.
SELECT (catalogue.create('restservices', service('Own'), actor => actor('guest'))).id AS service \gset
SELECT * FROM state;
SELECT publish('Own');
SELECT resource
FROM catalogue.update('restservices', :'service', '{"url": "https://example.org/z"}', actor => actor('guest'));
SELECT * FROM state;

-- Who may publish it has no review.
SELECT publish('Own');
SELECT resource FROM catalogue.update('restservices', :'service', '{"url": "https://example.org/a"}', actor => admin());
SELECT * FROM state;

-- A database user is trusted.
UPDATE catalogue.restservices SET url = 'https://example.org/b' WHERE id = :'service';
SELECT * FROM state;
