--
-- description: what a client can know of a resource
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- A resource: its name, model, description, relations, actions.
SELECT data::json ->> 'resource' AS resource, data::json ->> 'model' AS model,
       data::json ->> 'description' AS description, data::json -> 'relations' AS relations,
       data::json -> 'actions' AS actions
FROM catalogue.describe('charts');
SELECT r.resource, (catalogue.describe(r.resource)).data::json -> 'relations' AS relations
FROM catalogue.resource r
ORDER BY r.resource;

-- Each field with type, required and what else applies.
SELECT key AS field, value AS facts FROM catalogue.describe('users') d, json_each(d.data::json -> 'fields');
SELECT key AS field, value AS facts FROM catalogue.describe('charts') d, json_each(d.data::json -> 'fields');

-- Lists of ids stand with the fields.
SELECT key AS field, value AS facts
FROM catalogue.describe('datasets') d, json_each(d.data::json -> 'fields')
WHERE value ->> 'type' = 'array';

-- Those who are no users are told of the lists that they are shown, and of no other.
SELECT r.resource, string_agg(f.key, ' ' ORDER BY f.key) AS lists
FROM catalogue.resource r, LATERAL catalogue.describe(r.resource, '{}') d, json_each(d.data::json -> 'fields') f
WHERE f.value ->> 'type' = 'array' AND f.value ->> 'reference' IS NOT NULL GROUP BY r.resource ORDER BY r.resource;

-- Every field of the definition is described, none twice, and nothing besides but the lists.
SELECT resource, field
FROM catalogue.field
WHERE column_name NOT IN ('deactivated_at', 'tags_ids', 'categories_ids', 'subcategories_ids', 'change', 'session',
    'dataset_shown', 'file_shown', 'shapes_shown', 'seen_before', 'seen_after')
EXCEPT SELECT r.resource, json_object_keys((catalogue.describe(r.resource)).data::json -> 'fields')
FROM catalogue.resource r;
SELECT r.resource, json_object_keys((catalogue.describe(r.resource)).data::json -> 'fields') AS field
FROM catalogue.resource r
EXCEPT ALL SELECT resource, field FROM catalogue.field
ORDER BY 1, 2;

-- A comment that is changed shows at once.
COMMENT ON COLUMN catalogue.tags.name IS 'Keyword';
SELECT data::json #> '{fields,name}' AS name FROM catalogue.describe('tags');

-- So does that of a table, a default and a column; what is rolled back does not, although it was described before that.
CREATE FUNCTION test.described() RETURNS text LANGUAGE sql AS
$$
    SELECT concat_ws(' ', data::json ->> 'description', data::json #>> '{fields,weight,default}',
        data::json #>> '{fields,name,description}')
    FROM catalogue.describe('tags')
$$;
BEGIN;
COMMENT ON TABLE catalogue.tags IS 'Table of keywords';
COMMENT ON COLUMN catalogue.tags.name IS 'Word';
ALTER TABLE catalogue.tags ADD COLUMN weight integer DEFAULT 7;
SELECT described();
ALTER TABLE catalogue.tags ALTER COLUMN weight SET DEFAULT 8;
SELECT described();
ROLLBACK;
SELECT described();
SELECT described() = (SELECT concat_ws(' ', data::json #>> '{resources,tags,description}', 'Keyword')
    FROM catalogue.describe_all()) AS same;

-- An unknown resource: 404.
SELECT code, message FROM refusal($$SELECT catalogue.describe('planets')$$);

-- The query parameters of each function: of every resource, of one, and of paths that belong to none.
SELECT f.key AS function, string_agg(p.key, ' ' ORDER BY p.n) AS parameters
FROM catalogue.describe('tags') d, json_each(d.data::json -> 'parameters') f,
    json_object_keys(f.value) WITH ORDINALITY p(key, n)
GROUP BY f.key ORDER BY f.key;
SELECT f.key AS function, string_agg(p.key, ' ' ORDER BY p.n) AS parameters
FROM unnest(ARRAY['datasets', 'files']) r, catalogue.describe(r) d, json_each(d.data::json -> 'parameters') f,
    json_object_keys(f.value) WITH ORDINALITY p(key, n)
WHERE f.key NOT IN (SELECT json_object_keys((catalogue.describe('tags')).data::json -> 'parameters'))
GROUP BY f.key ORDER BY f.key;
SELECT word, d.resource, json_object_keys(d.data::json) AS member, f.key AS function, f.value::text AS parameters
FROM unnest(ARRAY['Search', 'rss']) word, catalogue.describe(word) d, json_each(d.data::json -> 'parameters') f;
SELECT data::json -> 'filtering' AS filtering FROM catalogue.describe('tags');
SELECT word, r.code FROM unnest(ARRAY['', 'feed', 'searches']) word,
    refusal(format('SELECT catalogue.describe(%L)', word)) r;
-- All at once, each is as it is alone; those are there that the caller sees, or may do something with.
SELECT c.caller, count(*) AS resources, bool_and(r.value::text = (catalogue.describe(r.key, c.actor)).data) AS same,
    string_agg(r.key, ' ' ORDER BY r.key) FILTER (WHERE r.value ->> 'fields' = '{}') AS without_records
FROM (VALUES ('outsider', '{}'::jsonb), ('superadmin', admin())) c(caller, actor), catalogue.describe_all(c.actor) d,
    json_each(d.data::json -> 'resources') r
GROUP BY c.caller ORDER BY c.caller;
SELECT json_object_keys(data::json -> 'parameters') AS function FROM catalogue.describe_all('{}');
SELECT a.etag = b.etag AS same, a.etag = c.etag AS of_another
FROM catalogue.describe_all('{}') a, catalogue.describe_all('{}') b, catalogue.describe_all(admin()) c;
-- A function reads each parameter that is shown for it.
CREATE FUNCTION test.example(name text, facts json) RETURNS text LANGUAGE sql AS
$$
    SELECT name || '=' || coalesce(facts #>> '{enum,0}', facts ->> 'default',
        CASE facts ->> 'type' WHEN 'datetime' THEN to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            ELSE CASE name WHEN 'include' THEN 'datasets' WHEN 'resources' THEN 'tags' ELSE 'name' END END)
$$;
SELECT count(*) AS read, array_agg(p.key) FILTER (WHERE l.ignored IS NOT NULL) AS ignored
FROM catalogue.describe('tags') d, json_each(d.data::json #> '{parameters,list}') p,
    catalogue.list('tags', test.example(p.key, p.value)) l;
SELECT count(*) AS read, array_agg(p.key) FILTER (WHERE s.ignored IS NOT NULL) AS ignored
FROM catalogue.describe('search') d, json_each(d.data::json #> '{parameters,search}') p,
    catalogue.search(concat_ws('&', nullif('query=name', example(p.key, p.value)), example(p.key, p.value))) s;
