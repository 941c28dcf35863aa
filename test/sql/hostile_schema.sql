--
-- hostile_schema: a database whose schema public lies in wait does not change what the catalogue does
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What somebody plants, who may create in public: functions and operators that fit better than PostgreSQL's own, tables
-- by the catalogue's names.
CREATE ROLE regress_mallory;
GRANT CREATE, USAGE ON SCHEMA public TO regress_mallory;
GRANT USAGE ON SCHEMA catalogue TO regress_mallory;
SET ROLE regress_mallory;
SET search_path = public;
CREATE FUNCTION public.sprung(text) RETURNS boolean
    LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'sprung as %', current_user; END $$;
CREATE FUNCTION public.lower(varchar) RETURNS text LANGUAGE sql AS $$ SELECT public.sprung('lower')::text $$;
CREATE FUNCTION public.lower(catalogue.username) RETURNS text LANGUAGE sql AS $$ SELECT public.sprung('lower')::text $$;
CREATE FUNCTION public.format(text, text) RETURNS text LANGUAGE sql AS $$ SELECT public.sprung('format')::text $$;
CREATE FUNCTION public.format(text, name) RETURNS text LANGUAGE sql AS $$ SELECT public.sprung('format')::text $$;
CREATE FUNCTION public.format(text, regclass) RETURNS text LANGUAGE sql AS $$ SELECT public.sprung('format')::text $$;
CREATE FUNCTION public.format(text, regclass, name) RETURNS text
    LANGUAGE sql AS $$ SELECT public.sprung('format')::text $$;
CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT public.sprung('now')::text::timestamptz $$;
CREATE FUNCTION public.to_regclass(varchar) RETURNS regclass
    LANGUAGE sql AS $$ SELECT public.sprung('to_regclass')::text::regclass $$;
CREATE FUNCTION public.obj_description(oid, text) RETURNS text
    LANGUAGE sql AS $$ SELECT public.sprung('obj_description')::text $$;
CREATE FUNCTION public.string_equal(varchar, text) RETURNS boolean LANGUAGE sql AS $$ SELECT public.sprung('=') $$;
CREATE FUNCTION public.name_equal(name, varchar) RETURNS boolean LANGUAGE sql AS $$ SELECT public.sprung('=') $$;
CREATE FUNCTION public.regclass_equal(regclass, oid) RETURNS boolean LANGUAGE sql AS $$ SELECT public.sprung('=') $$;
CREATE OPERATOR public.= (LEFTARG = varchar, RIGHTARG = text, FUNCTION = public.string_equal);
CREATE OPERATOR public.<> (LEFTARG = varchar, RIGHTARG = text, FUNCTION = public.string_equal);
CREATE OPERATOR public.|| (LEFTARG = varchar, RIGHTARG = text, FUNCTION = public.string_equal);
CREATE OPERATOR public.= (LEFTARG = name, RIGHTARG = varchar, FUNCTION = public.name_equal);
CREATE OPERATOR public.= (LEFTARG = regclass, RIGHTARG = oid, FUNCTION = public.regclass_equal);
CREATE OPERATOR public.~ (LEFTARG = varchar, RIGHTARG = text, FUNCTION = public.string_equal);
CREATE TABLE public.users (id text);
CREATE TABLE public.resource (resource text);
CREATE DOMAIN public.text AS pg_catalog.text CHECK (public.sprung(value::pg_catalog.text));
RESET ROLE;

-- The bait works: whoever is not careful is caught.
SET search_path = public, pg_catalog;
SELECT username::varchar = 'admin'::pg_catalog.text FROM catalogue.users LIMIT 1;
SELECT now();

-- The API, as superuser with that path, and as the shim.
SELECT data::json ->> 'username' AS username
FROM catalogue.login(json_build_object('username', 'admin', 'password', 'no, it is not'), '192.0.2.1');
SELECT id AS admin FROM catalogue.users u WHERE username OPERATOR(pg_catalog.=) 'admin' \gset
\set admin '{"user": "' :admin '"}'
SELECT returned
FROM catalogue.list('datasets', 'name=a&include=tags&query=air&orderBy=name&status.name=Published', 'embedded',
    actor => :'admin');
SELECT id IS NOT NULL AS made
FROM catalogue.create('tags', '{"name": "hostile"}', 'representation', 'embedded', actor => :'admin');
SELECT id AS tag FROM catalogue.create('tags', '{"name": "hostile two"}', actor => :'admin') \gset
SELECT id = :'tag' AS updated FROM catalogue.update('tags', :'tag', '{"name": "hostile three"}', actor => :'admin');
SELECT id = :'tag' AS deleted FROM catalogue.delete('tags', :'tag', :'admin');
SELECT id = :'tag' AS restored FROM catalogue.restore('tags', :'tag', actor => :'admin');
SELECT returned >= 0 AS found FROM catalogue.search('query=air', actor => :'admin');
SELECT data IS NOT NULL AS described FROM catalogue.describe('users', :'admin');
SELECT catalogue.record_statistics('');
SET ROLE catalogue_shim;
SELECT id IS NOT NULL AS made
FROM catalogue.create('tags', '{"name": "hostile to the shim"}', 'representation', 'embedded', actor => :'admin');
SELECT data IS NOT NULL AS reads FROM catalogue.list('users', 'username=admin', actor => :'admin');
RESET ROLE;

-- Plain SQL: the triggers.
UPDATE catalogue.tags SET name = 'plainly hostile' WHERE id OPERATOR(pg_catalog.=) :'tag';
DELETE FROM catalogue.tags WHERE id OPERATOR(pg_catalog.=) :'tag';
INSERT INTO catalogue.datasets_tags (dataset, tag)
SELECT d.id, t.id
FROM catalogue.datasets d, catalogue.tags t
WHERE t.slug OPERATOR(pg_catalog.=) 'hostile'::varchar LIMIT 1;

-- What the operator calls.
SELECT catalogue.expose('tags', 'Tag', searchable => '{name}', unique_living => '{name,slug}');
SELECT catalogue.prune() >= 0 AS pruned;
SELECT catalogue.recount('tags') > 0 AS counted;
ALTER TABLE catalogue.tags ADD COLUMN remark varchar(20);
SELECT catalogue.make_roles();
SELECT catalogue.bootstrap();
SELECT catalogue.seed() IS NULL AS seeded;

-- Installed anew into such a database, it works as anywhere.
DROP EXTENSION catalogue CASCADE;
CREATE EXTENSION catalogue;
SELECT catalogue.bootstrap();
SELECT id IS NOT NULL AS made FROM catalogue.create('tags', '{"name": "hostile again"}', actor => :'admin');
SET search_path = pg_catalog;
DROP OWNED BY regress_mallory CASCADE;
DROP ROLE regress_mallory;
