--
-- grants: who may what inside PostgreSQL, object by object
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The roles: none is a superuser or makes roles; only two log in.
SELECT rolname, rolcanlogin AS login, rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS more
FROM pg_roles
WHERE rolname LIKE 'catalogue\_%'
ORDER BY rolname;

-- What the shim's role and the worker's begin a session with.
SELECT rolname, unnest(rolconfig) AS setting
FROM pg_roles
WHERE rolname IN ('catalogue_shim', 'catalogue_worker')
ORDER BY rolname, setting;

-- The extension is not one that a database's owner may install: only a superuser.
SELECT v.superuser, v.trusted
FROM pg_available_extension_versions v JOIN pg_extension e ON v.name = e.extname AND v.version = e.extversion
WHERE e.extname = 'catalogue';

-- Schemas.
SELECT nspname, nspowner::regrole,
       array_to_string(ARRAY(SELECT a::text FROM unnest(nspacl) a ORDER BY a::text), ' ') AS acl
FROM pg_namespace
WHERE nspname LIKE 'catalogue%'
ORDER BY nspname;

-- Functions: who may call each, besides the superuser that owns it and catalogue_owner.
SELECT p.oid::regprocedure AS function,
       string_agg(a.grantee::regrole::text, ' ' ORDER BY a.grantee::regrole::text) AS callers
FROM pg_proc p
    LEFT JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        ON a.grantee NOT IN (p.proowner, 'catalogue_owner'::regrole)
WHERE p.pronamespace = 'catalogue'::regnamespace GROUP BY p.oid ORDER BY p.oid::regprocedure::text COLLATE "C";

-- catalogue_owner may call all of them; none runs with the rights of the superuser who owns it.
SELECT p.oid::regprocedure
FROM pg_proc p
WHERE p.pronamespace = 'catalogue'::regnamespace AND NOT has_function_privilege('catalogue_owner', p.oid, 'EXECUTE');
SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'catalogue'::regnamespace AND p.prosecdef;

-- Every function in SQL or PL/pgSQL has a path of its own, or was parsed when it was made; those in C pin theirs.  An
-- aggregate runs with the path of its state function.
SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'catalogue'::regnamespace AND l.lanname <> 'c' AND p.prosqlbody IS NULL AND p.prokind <> 'a'
    AND 'search_path=pg_catalog, pg_temp' <> ALL (coalesce(p.proconfig, '{}'));

-- Tables, views and sequences: owner, and who may what with all of it.
SELECT c.relname, c.relowner::regrole AS owner,
       coalesce(string_agg(a.grantee::regrole::text || ' ' || a.privilege_type, ', ' ORDER BY a.grantee::regrole::text,
           a.privilege_type),
           '') AS others
FROM pg_class c LEFT JOIN LATERAL aclexplode(c.relacl) a ON a.grantee NOT IN (c.relowner, 'catalogue_owner'::regrole)
WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind IN ('r', 'v', 'S')
GROUP BY c.oid
ORDER BY c.relkind, c.relname;

-- Columns that reader and worker may not read, of the tables of which they may read some.
SELECT c.relname,
       string_agg(a.attname, ' '
           ORDER BY a.attname) FILTER (WHERE NOT has_column_privilege('catalogue_reader', c.oid, a.attnum,
               'SELECT')) AS reader,
       string_agg(a.attname, ' '
           ORDER BY a.attname) FILTER (WHERE NOT has_column_privilege('catalogue_worker', c.oid, a.attnum,
               'SELECT')) AS worker
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind = 'r'
    AND has_any_column_privilege('catalogue_reader', c.oid, 'SELECT')
GROUP BY c.relname
HAVING NOT bool_and(has_column_privilege('catalogue_reader', c.oid, a.attnum, 'SELECT')
    AND has_column_privilege('catalogue_worker', c.oid, a.attnum, 'SELECT'))
ORDER BY c.relname;

-- No role but the owner changes a row of any table.
SELECT c.oid::regclass, r.rolname FROM pg_class c, pg_roles r
WHERE c.relnamespace IN ('catalogue'::regnamespace, 'catalogue_history'::regnamespace) AND c.relkind IN ('r', 'v')
    AND r.rolname IN ('catalogue_shim', 'catalogue_worker', 'catalogue_reader')
  AND has_table_privilege(r.rolname, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER');

-- The history: the reader's, without secrets.
SELECT c.relowner::regrole AS owner,
       coalesce(string_agg(DISTINCT a.grantee::regrole::text || ' ' || a.privilege_type, ', '), '') AS others,
       count(DISTINCT c.oid) > 10 AS tables
FROM pg_class c LEFT JOIN LATERAL aclexplode(c.relacl) a ON a.grantee <> c.relowner
WHERE c.relnamespace = 'catalogue_history'::regnamespace AND c.relkind = 'r'
GROUP BY c.relowner;
SELECT attrelid::regclass, attname
FROM pg_attribute
WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'catalogue_history'::regnamespace)
    AND attname IN ('password', 'token', 'token_signature', 'session');

--
-- The shim's role at work
--
SELECT admin() AS admin \gset
SELECT id_of('datasets', 'Airports') AS airports \gset
SET ROLE catalogue_shim;
SET search_path = pg_catalog, pg_temp;

-- It reads and writes by the functions of the API.
SELECT data::json -> 0 ->> 'name' AS first FROM catalogue.list('tags', 'limit=1', actor => '{}');
SELECT data::json ->> 'slug' AS slug
FROM catalogue.create('tags', '{"name": "by the shim"}', 'representation', actor => :'admin');
SELECT data::json ->> 'name' AS name
FROM catalogue.act('datasets', :'airports', 'unpublish', 'representation', actor => :'admin');
SELECT id = :'airports' AS deleted FROM catalogue.delete('datasets', :'airports', :'admin');
SELECT (catalogue.export('tags', query => 'limit=1', actor => '{}', format => 'ndjson')).returned;
SELECT catalogue.record_statistics('');

-- Nothing else: no table, no definition, no function of the operator.
SELECT * FROM catalogue.users;
UPDATE catalogue.tags SET name = 'x';
SELECT * FROM catalogue.resource;
SELECT nextval('catalogue.change_number');
ALTER TABLE catalogue.tags ADD COLUMN x integer;
CREATE TABLE catalogue.mine ();
SELECT catalogue.expose('tags', 'Tag');
SELECT catalogue.prune();

-- Without an actor it is nobody, and not the operator who is trusted.
SELECT catalogue.create('tags', '{"name": "nobody''s"}');
SELECT catalogue.session(NULL);
SELECT data::json -> 0 -> 'deletedAt' AS internal FROM catalogue.list('tags', 'limit=1');

-- What an error leaves is the role as it was, within a function that catches it, too.
SELECT catalogue.item('tags', 'none');
SELECT current_user;
DO $$
BEGIN
    PERFORM catalogue.item('tags', 'none', actor => '{}');
EXCEPTION WHEN SQLSTATE 'OD404' THEN
    RAISE NOTICE 'caught as %', current_user;
    PERFORM catalogue.list('tags', actor => '{}');
    RAISE NOTICE 'went on as %', current_user;
END
$$;

-- A cursor over an export lends nothing between its pieces.
BEGIN;
DECLARE pieces CURSOR FOR SELECT (catalogue.export('tags', actor => '{}')).returned;
FETCH pieces;
SELECT current_user;
SELECT count(*) FROM catalogue.tags;
ROLLBACK;
RESET ROLE;

-- The reader reads records, but no secret.
SET ROLE catalogue_reader;
SELECT username, role FROM catalogue.users ORDER BY username;
SELECT password FROM catalogue.users;
SELECT session FROM catalogue.users;
SELECT token FROM catalogue.restservices;
SELECT count(*) > 0 AS fields FROM catalogue.field;
-- Nor a setting that is secret, as it is or as it was, before it was secret either; all roles of the service, but the
-- owner, are alike.
RESET ROLE;
INSERT INTO catalogue.configs (key, type, category, description, value, secret)
    VALUES ('hidden', 'string', 'site', 'x', 'hush', true), ('turned', 'string', 'site', 'x', 'hush', false),
        ('open', 'string', 'site', 'x', 'plain', false);
UPDATE catalogue.configs SET description = 'y' WHERE key IN ('hidden', 'turned', 'open');
UPDATE catalogue.configs SET secret = true WHERE key = 'turned';
SELECT key, value FROM catalogue.configs WHERE key IN ('hidden', 'turned', 'open') ORDER BY key;
ANALYZE catalogue.configs;
SET ROLE catalogue_reader;
SELECT key, value FROM catalogue.configs WHERE key IN ('hidden', 'turned', 'open') OR value = 'hush' ORDER BY key;
SELECT key, value
FROM catalogue_history.configs
WHERE key IN ('hidden', 'turned', 'open') OR value = 'hush'
ORDER BY key;
SELECT count(*)
FROM pg_stats
WHERE schemaname IN ('catalogue', 'catalogue_history') AND tablename = 'configs' AND attname = 'value';
SET ROLE catalogue_worker;
SELECT key, value FROM catalogue.configs WHERE value = 'hush';
SET ROLE catalogue_owner;
SELECT count(*) FROM catalogue.configs WHERE value = 'hush';
SET ROLE catalogue_shim;
SELECT json_array_length(data::json) AS shown FROM catalogue.list('configs', 'value=hush', actor => :'admin');
SELECT data::json ->> 'value' AS value
FROM catalogue.create('configs',
    '{"key": "by the shim", "type": "string", "category": "site", "description": "x", "value": "hush", "secret": true}',
    'representation', actor => :'admin');
SET ROLE catalogue_reader;
SELECT catalogue.list('tags');
RESET ROLE;

-- A member of catalogue_owner is trusted as the superuser is.
CREATE ROLE regress_operator;
GRANT catalogue_owner TO regress_operator;
SET ROLE regress_operator;
SELECT id IS NOT NULL AS created
FROM catalogue.create('tags', format('{"name": "operator''s", "createdBy": "%s"}', :'admin'::json ->> 'user')::json);
RESET ROLE;
DROP ROLE regress_operator;

-- Where a superuser owns the schema nothing is lent.
ALTER SCHEMA catalogue OWNER TO postgres;
SET ROLE catalogue_shim;
SELECT catalogue.list('tags', actor => '{}');
RESET ROLE;
ALTER SCHEMA catalogue OWNER TO catalogue_owner;

-- A table that the operator exposes is the owner's to use, its history is the owner's, and the reader's to read; a
-- secret of it is not.
CREATE TABLE public.licences (id catalogue.id PRIMARY KEY, name varchar(50), key catalogue.secret,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SELECT catalogue.expose('public.licences', 'Licence', searchable => '{name}');
SELECT granted FROM pg_class, unnest(relacl) AS granted
 WHERE oid = 'public.licences'::regclass AND granted::text NOT LIKE relowner::regrole || '=%';
SELECT attname, attacl FROM pg_attribute WHERE attrelid = 'public.licences'::regclass AND attnum BETWEEN 2 AND 3;
SELECT relowner::regrole FROM pg_class WHERE oid = 'catalogue_history.licences'::regclass;
ALTER TABLE public.licences ADD COLUMN text varchar(10);
SET ROLE catalogue_shim;
SELECT data::json ->> 'name' AS name
FROM catalogue.create('licences', '{"name": "CC BY"}', 'representation', actor => :'admin');
RESET ROLE;
-- The sweep leaves its indexes, which are not the owner's.
SET ROLE catalogue_worker;
SELECT catalogue.sweep();
RESET ROLE;
SELECT gin_clean_pending_list('public.licences_search') > 0 AS left;

-- The functions are found anew after each change of rights: called again, all is as it was.
CREATE TABLE test.before AS SELECT oid, proacl::text FROM pg_proc WHERE pronamespace = 'catalogue'::regnamespace;
SELECT catalogue.make_roles(), catalogue.bootstrap();
SELECT p.oid::regprocedure
FROM pg_proc p LEFT JOIN test.before b USING (oid)
WHERE p.pronamespace = 'catalogue'::regnamespace AND p.proacl::text IS DISTINCT FROM b.proacl;
