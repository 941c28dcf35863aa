--
-- selection: what of a record is shown: fields, include, relations
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT id_of('datasets', 'Airports') AS id \gset
CREATE FUNCTION shown(query text, relations text DEFAULT 'ids') RETURNS text LANGUAGE sql AS
$$
    SELECT mask(data) FROM catalogue.item('datasets', id_of('datasets', 'Airports'), query, relations)
$$;

-- Some fields; the id is always there; the order is that of the record.
SELECT shown('fields=name,slug');
SELECT shown('fields=slug,name,id');

-- Unknown names are ignored, and told.
SELECT shown('fields=name,colour,password');
SELECT ignored FROM catalogue.list('datasets', 'fields=name,colour&shade=1');
SELECT shown('fields=');

-- Lists of ids are fields; a key is an id.
SELECT shown('fields=tags,categories,status');

-- A field of a related record, to-one and to-many.
SELECT shown('fields=status.name');
SELECT shown('fields=name,tags.name,owner.username');
SELECT shown('fields=name,files.name');

-- What is write-only is never picked.
SELECT shown('fields=owner.password');

-- include: whole records; some fields of them; both relations of one name are one.
SELECT shown('fields=name&include=tags');
SELECT shown('fields=name&include=tags.name');
SELECT shown('fields=name&include=tags.name,tags.slug');
SELECT shown('fields=name&include=status,files.name');

-- Two levels deep.
SELECT shown('fields=name&include=files.type.name');
SELECT shown('fields=name&include=files.name,files.status.name,files.charts.name');
SELECT shown('fields=name&include=categories.subcategories.name');

-- It adds to all fields, too.
SELECT json_object_keys(shown('include=tags.name')::json) EXCEPT SELECT json_object_keys(shown('')::json);
SELECT json_object_keys(shown('include=files.name')::json) EXCEPT SELECT json_object_keys(shown('')::json);

-- A list embeds for each of its records.
SELECT mask(data) AS data FROM catalogue.list('datasets', 'fields=name&include=tags.name,files.name,owner.username');

-- An empty to-one relation is null, an empty to-many one an array.
SELECT mask(data) AS data
FROM catalogue.item('organizations', id_of('organizations', 'Open Data Office'), 'fields=name&include=parent,children');

-- What is deleted is not embedded.
SELECT make_chart('gone', 'List of airports') AS gone \gset
SELECT data::json ->> 'charts' IS NOT NULL AS there, json_array_length(data::json -> 'charts') AS charts
FROM catalogue.item('files', id_of('files', 'List of airports'), 'include=charts');
SELECT mask(id) AS id FROM catalogue.delete('charts', :'gone', admin());
SELECT json_array_length(data::json -> 'charts') AS charts
FROM catalogue.item('files', id_of('files', 'List of airports'), 'include=charts');

-- embedded: each to-one relation is the record, its own keys ids; each to-many an array, empty unless included.
SELECT key, json_typeof(value) AS type,
       CASE json_typeof(value) WHEN 'array' THEN value::text
           WHEN 'object' THEN (SELECT string_agg(k, ' ') FROM json_object_keys(value) k) END AS value
FROM catalogue.item('datasets', :'id', '', 'embedded') r, json_each(r.data::json)
WHERE json_typeof(value) IN ('array', 'object');
SELECT shown('fields=name,status', 'embedded');
SELECT shown('fields=name&include=tags.name', 'embedded');
SELECT mask(data::json -> 'status' ->> 'name') AS status,
       mask(data::json -> 'owner' ->> 'organization') AS owners_organization
FROM catalogue.item('datasets', :'id', '', 'embedded');

-- Any other word means ids.
SELECT shown('fields=status', 'IDS') AS ids, shown('fields=status', 'whatever') AS whatever;

-- Unknown includes, three levels, fields as relations, what is never shown: 400.
SELECT q AS query, code, message, hint
FROM unnest(
    '{include=colour,include=tags.colour,include=name,include=files.type.createdBy,include=owner.password,
        "include=tags,colour",include=files.dataset.files,include=tags.}'::text[]) WITH ORDINALITY e(q,
    n),
    LATERAL refusal(format('SELECT catalogue.item(%L, %L, %L)', 'datasets', :'id', q)) ORDER BY n;

-- Nothing to include is nothing asked.
SELECT shown('fields=name&include=');

-- Outsiders do not see deletedAt, inside or outside; nor can they ask for it.
SELECT data LIKE '%deletedAt%' AS shown FROM catalogue.item('datasets', :'id', 'include=tags,files', 'embedded', '{}');
SELECT mask(data) AS data FROM catalogue.item('datasets', :'id', 'fields=name,deletedAt', 'ids', '{}');

-- Nor do they see what is deactivated, embedded in others.
SELECT mask(id) AS id
FROM catalogue.deactivate('organizations', id_of('organizations', 'Open Data Office'), actor => admin());
SELECT data::json -> 'organization' ->> 'name' AS organization
FROM catalogue.item('files', id_of('files', 'List of airports'), '', 'embedded', admin());
SELECT data::json -> 'organization' AS organization
FROM catalogue.item('files', id_of('files', 'List of airports'), 'include=organization', 'ids', '{}');
