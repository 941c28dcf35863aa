--
-- field_selection: fields and include in every combination, and that what may not be seen is as if it did not exist
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE FUNCTION shown(query text, actor jsonb DEFAULT NULL) RETURNS text LANGUAGE sql AS
$$
    SELECT coalesce(mask(l.data), '') || coalesce(' ignored ' || l.ignored, '')
    FROM catalogue.list('datasets', 'name=airports&' || query, 'ids', actor) l
$$;
CREATE FUNCTION asked(queries text) RETURNS TABLE (query text, shown text) LANGUAGE sql AS
$$
    SELECT q, shown(q) FROM regexp_split_to_table(btrim(queries), '\s+') WITH ORDINALITY e(q, n) ORDER BY n
$$;

-- Own fields, relations and their fields; a relation and a field of it are one; in any order; given twice they add up.
SELECT *
FROM asked(
    'fields=id fields=name,name fields=tags fields=tags,tags.name fields=tags.name,tags fields=status,status.name '
    'fields=status.name,status fields=tags.id fields=name&fields=slug fields=files '
    'fields=files.id fields=files.type.name');
-- include beside fields, before it, twice, and beside the same relation in fields.
SELECT *
FROM asked(
    'include=tags.name&fields=name fields=name&include=tags.name&include=status.name fields=tags&include=tags.slug '
    'fields=tags.slug&include=tags.name fields=status&include=status.name '
    'include=tags.name,tags.slug,tags.name&fields=id include=files.charts.name,files.id&fields=id');
-- A whole relation beside a field of it is whole.
SELECT shown('fields=id&include=status,status.name') = shown('fields=id&include=status.name,status') AS either_order,
       shown('fields=id&include=status') = shown('fields=id&include=status,status.name') AS whole;

-- Unknown names are ignored and told, once each, decoded, as they were written; empty ones are nothing.
SELECT *
FROM asked(
    'fields=name,colour,shade,colour fields=name,%63olour&colour=1&shade=2&colour=3 fields=,,name, '
    'fields=name,tags.colour fields=name,tags. fields=name,.tags fields=name,name.x fields=name,status.name.x '
    'fields=name,files.dataset.files fields=name,files.type.createdBy fields=Name,name '
    'fields=name,Tags fields=%22 fields=a%0Ab%22');
-- So are secrets and what hides behind them; word for word like unknown ones.
SELECT replace(shown('fields=name,owner.password'), 'password', 'X') = replace(shown('fields=name,owner.nonesuch'),
    'nonesuch', 'X') AS picked,
    replace((catalogue.list('users', 'password=x&fields=username,password')).ignored, 'password',
        'X') = replace((catalogue.list('users', 'nonesuch=x&fields=username,nonesuch')).ignored, 'nonesuch',
        'X') AS filtered,
    (catalogue.count('files', 'restService.token[gte]=a&owner.password=%24')).ignored AS behind;
-- In include and orderBy they are refused in the same words, too.
SELECT q, code, message, hint
FROM unnest(
    '{include=owner.password,include=owner.nonesuch,include=owner.deactivatedAt,orderBy=owner.password,
        orderBy=owner.nonesuch}'::text[]) WITH ORDINALITY e(q,
    n),
    LATERAL refusal(format('SELECT catalogue.list(%L, %L)', 'datasets', q))
ORDER BY n;
-- Every secret of every resource: as field, filter, order, behind each relation.
SELECT f.resource, f.field FROM catalogue.field f WHERE f.hidden
  AND ((catalogue.count(f.resource, f.field || '=x')).ignored IS DISTINCT FROM json_build_array(f.field)::text
       OR (catalogue.list(f.resource, 'fields=' || f.field)).ignored IS DISTINCT FROM json_build_array(f.field)::text
       OR (refusal(format('SELECT catalogue.list(%L, %L)', f.resource, 'orderBy=' || f.field))).code <> 'OD422');
SELECT r.resource, r.relation, f.field
FROM catalogue.relation r, LATERAL (SELECT field FROM catalogue.field WHERE resource = r.target AND hidden OFFSET 0) f
WHERE (catalogue.count(r.resource,
    r.relation || '.' || f.field || '=x')).ignored IS DISTINCT FROM json_build_array(r.relation
    || '.' || f.field)::text
    OR (refusal(format('SELECT catalogue.list(%L, %L)', r.resource,
        'include=' || r.relation || '.' || f.field))).code <> 'OD400';

-- deletedAt is a field to users only.
SELECT shown('fields=name,deletedAt,owner.deletedAt&deletedAt=null&owner.deletedAt=2026-01-01', '{}') AS outsider,
       shown('fields=name,deletedAt,owner.deletedAt&deletedAt=null', admin()) AS insider;
SELECT code, message FROM refusal($$SELECT catalogue.list('datasets', 'include=owner.deletedAt', 'ids', '{}')$$);
-- To them it tells of deactivation, and can be asked for it.
SELECT mask(id) AS id FROM catalogue.deactivate('categories', id_of('categories', 'Transport'), actor => admin());
SELECT names(catalogue.list('categories', 'deletedAt=null', 'ids', admin())) AS active,
       names(catalogue.list('categories', 'deletedAt[ne]=null', 'ids', admin())) AS inactive,
       (catalogue.count('datasets', 'categories.deletedAt[gte]=2026-01-01', admin())).data AS of_inactive;

-- Each relation of each resource can be included, alone and with each field that is not hidden; what comes is an object
-- or an array.
SELECT r.resource, r.relation
FROM catalogue.relation r, LATERAL catalogue.list(r.resource, 'include=' || r.relation) l,
    json_array_elements(l.data::json) d
WHERE json_typeof(d -> r.relation) NOT IN (CASE r.kind WHEN 'to-one' THEN 'object' ELSE 'array' END,
    CASE r.kind WHEN 'to-one' THEN 'null' ELSE 'array' END);
SELECT count(*) AS included, count(DISTINCT code) AS codes, min(code) AS code
FROM catalogue.relation r
    JOIN catalogue.field f ON f.resource = r.target
        AND NOT f.hidden,
            LATERAL refusal(format('SELECT catalogue.list(%L, %L)', r.resource,
                'include=' || r.relation || '.' || f.field));
-- And each relation behind each relation; not a third.
SELECT code, count(*) > 100 AS many
FROM catalogue.relation r
    JOIN catalogue.relation s ON s.resource = r.target,
        LATERAL refusal(format('SELECT catalogue.list(%L, %L)', r.resource,
            'include=' || r.relation || '.' || s.relation))
GROUP BY code;
SELECT code, message FROM refusal($$SELECT catalogue.list('tags', 'include=datasets.files.type')$$);

-- A page takes ten times as many related records as its largest has own ones, no more.
SET catalogue.max_limit = 1;
SELECT count(make('tags', json_build_object('name', 'tag ' || n))) FROM generate_series(1, 11) n;
INSERT INTO catalogue.datasets_tags (dataset, tag)
SELECT id_of('datasets', 'Airports'), id
FROM catalogue.tags
WHERE name LIKE 'tag %' LIMIT 8;
SELECT json_array_length(data::json -> 'tags') AS tags
FROM catalogue.item('datasets', id_of('datasets', 'Airports'), 'include=tags');
INSERT INTO catalogue.datasets_tags (dataset, tag)
SELECT id_of('datasets', 'Airports'), id
FROM catalogue.tags
WHERE name LIKE 'tag %'
ON CONFLICT DO NOTHING;
SELECT code, message, hint
FROM refusal(format($$SELECT catalogue.item('datasets', %L, 'include=tags')$$, id_of('datasets', 'Airports')));
RESET catalogue.max_limit;

-- Each copy of a record counts: here each tag has the same dataset of half a megabyte.
UPDATE catalogue.datasets SET optionals = json_build_object('note', repeat('x', 500000))
WHERE name = 'Airports';
SELECT octet_length(data) > 10 * 500000 AS ten_copies
FROM catalogue.item('datasets', id_of('datasets', 'Airports'), 'include=tags.datasets');
SELECT count(make('tags', json_build_object('name', 'further tag ' || n))) FROM generate_series(1, 150) n;
INSERT INTO catalogue.datasets_tags (dataset, tag)
SELECT id_of('datasets', 'Airports'), id
FROM catalogue.tags
WHERE name LIKE 'further tag %';
SELECT code, message, hint
FROM refusal(format($$SELECT catalogue.item('datasets', %L, 'include=tags.datasets')$$,
    id_of('datasets', 'Airports')));
SELECT code
FROM refusal(format($$SELECT catalogue.export('datasets', query => 'include=tags.datasets&id=%s')$$,
    id_of('datasets', 'Airports')));
SELECT code FROM refusal($$SELECT catalogue.list('tags', 'include=datasets&limit=1000')$$);
SELECT octet_length(data) < 1000000 AS fields_of_them
FROM catalogue.list('tags', 'include=datasets.name&limit=1000');
