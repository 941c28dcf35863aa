--
-- spanish_seeds: the seeds in Spanish have the same ids of states and another language
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Every text that people read, by resource and column.
CREATE FUNCTION texts() RETURNS TABLE (resource text, field text, value text) LANGUAGE plpgsql AS
$$
DECLARE
    relation  regclass;
BEGIN
    FOR resource, relation IN SELECT r.resource, r.relation
        FROM catalogue.resource r
        WHERE r.resource NOT IN ('logs', 'statistics') LOOP
        RETURN QUERY EXECUTE format('SELECT %L, f.key, f.value FROM %s t, jsonb_each_text(to_jsonb(t)) f
            WHERE f.key = ANY ($1) AND f.value <> %L', resource, relation, '')
            USING '{name,description,about,notes,first_name,last_name,attribution,tooltip}'::text[];
    END LOOP;
END
$$;
CREATE TABLE english AS SELECT * FROM texts();

-- Begin with nothing.
SET client_min_messages = error;
DROP EXTENSION catalogue CASCADE;
DROP SCHEMA IF EXISTS catalogue CASCADE;
RESET client_min_messages;
CREATE EXTENSION catalogue;
SELECT catalogue.bootstrap();

-- The password of the first administrator is generated and shown this once.
SELECT regexp_replace(catalogue.seed('es'), '[0-9A-Za-z]', 'x', 'g') AS generated;

-- The same ids of states, Spanish names.
SELECT id, name FROM catalogue.statuses ORDER BY id;

-- The vocabulary.
SELECT 'tags' AS resource, string_agg(name, ', ' ORDER BY id) AS names FROM catalogue.tags
UNION ALL SELECT 'categories', string_agg(name, ', ' ORDER BY id) FROM catalogue.categories
UNION ALL SELECT 'updatefrequencies', string_agg(name, ', ' ORDER BY id) FROM catalogue.updatefrequencies
UNION ALL SELECT 'datasets', string_agg(name, ', ' ORDER BY id) FROM catalogue.datasets
UNION ALL SELECT 'datasetrequests', string_agg(about, ', ' ORDER BY id) FROM catalogue.datasetrequests;

-- Settings keep their keys; their descriptions are Spanish.
SELECT key, description FROM catalogue.configs WHERE parent IS NULL ORDER BY id LIMIT 3;

-- What is the same in both languages: names of forms and of programs.
SELECT * FROM texts() INTERSECT SELECT * FROM english ORDER BY 1, 2, 3;

-- All other texts.
SELECT * FROM texts() EXCEPT SELECT * FROM english ORDER BY 1, 2, 3;

-- As many records of each entity as in English.
SELECT r.resource, (catalogue.count(r.resource)).data::json ->> 'count' AS records
FROM catalogue.resource r
WHERE r.resource <> 'logs'
ORDER BY 1;

-- A password that is given is the first administrator's, and none is generated.
SET client_min_messages = error;
DROP EXTENSION catalogue CASCADE;
DROP SCHEMA IF EXISTS catalogue CASCADE;
RESET client_min_messages;
CREATE EXTENSION catalogue;
SELECT catalogue.bootstrap();
SELECT catalogue.seed('es', 'una clave muy larga') AS generated;
SELECT json_object_keys(
    (catalogue.login('{"username": "admin", "password": "una clave muy larga"}')).data::json) AS answer;
