--
-- nulls: no function of the catalogue fails otherwise than by refusing when its arguments are null
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Every function that is no trigger, with null for all arguments: a refusal of class OD, or an answer.
SELECT p.oid::regprocedure AS function, r.code, r.message
FROM pg_proc p,
    LATERAL refusal(format('SELECT catalogue.%I(%s)', p.proname,
        (SELECT string_agg('NULL::' || t::regtype, ', ') FROM unnest(p.proargtypes) t))) r
WHERE p.pronamespace = 'catalogue'::regnamespace AND p.prorettype = 'catalogue.reply'::regtype ORDER BY p.proname;

-- Every function of the API with a resource, and null for the rest.
SELECT p.oid::regprocedure AS function, r.code, r.message
FROM pg_proc p,
    LATERAL refusal(format('SELECT catalogue.%I(%s)', p.proname,
        (SELECT string_agg(CASE n WHEN 1 THEN '''datasets''' ELSE 'NULL::' || t::regtype END, ', ' ORDER BY n)
         FROM unnest(p.proargtypes) WITH ORDINALITY a(t, n)))) r
WHERE p.pronamespace = 'catalogue'::regnamespace AND p.prorettype = 'catalogue.reply'::regtype
    AND p.proargnames[1] = 'resource'
ORDER BY p.proname;
