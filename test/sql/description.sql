--
-- describe: what a client can know of a resource
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
    'dataset_shown', 'file_shown')
EXCEPT SELECT r.resource, json_object_keys((catalogue.describe(r.resource)).data::json -> 'fields')
FROM catalogue.resource r;
SELECT r.resource, json_object_keys((catalogue.describe(r.resource)).data::json -> 'fields') AS field
FROM catalogue.resource r
EXCEPT ALL SELECT resource, field FROM catalogue.field
ORDER BY 1, 2;

-- A comment that is changed shows at once.
COMMENT ON COLUMN catalogue.tags.name IS 'Keyword';
SELECT data::json #> '{fields,name}' AS name FROM catalogue.describe('tags');

-- An unknown resource: 404.
SELECT code, message FROM refusal($$SELECT catalogue.describe('planets')$$);
