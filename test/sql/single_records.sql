--
-- single_records: item, first, last, count and related
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT id_of('datasets', 'Airports') AS id \gset

-- item: the record, its id, the names of its relations.
SELECT resource, mask(id) AS id, relations, mask(data) AS data FROM catalogue.item('tags', id_of('tags', 'transport'));

-- Unknown, deleted, of odd form: 404.
SELECT code, message
FROM unnest('{nothing,"",a-b,1234567890123456789,"'' OR true"}'::text[]) WITH ORDINALITY e(i, n),
    LATERAL refusal(format('SELECT catalogue.item(%L, %L)', 'tags', i))
ORDER BY n;
SELECT code, message FROM refusal($$SELECT catalogue.item('planets', 'nothing')$$);
SELECT code, message FROM refusal($$SELECT catalogue.item('tags', NULL)$$);

-- first and last, in the order of the list.
SELECT names(ROW(resource, id, relations, '[' || data || ']', 0, 0, 0, 0, '', '', '', '', '',
    '', '')::catalogue.reply) AS first,
       relations
FROM catalogue.first('filetypes');
SELECT data::json ->> 'name' AS last FROM catalogue.last('filetypes');
SELECT (catalogue.first('filetypes', 'orderBy=name')).data::json ->> 'name' AS first,
       (catalogue.last('filetypes', 'orderBy=name')).data::json ->> 'name' AS last;
SELECT (catalogue.first('filetypes', 'orderBy=name&sort=DESC')).data::json ->> 'name' AS first,
       (catalogue.last('filetypes', 'orderBy=name&sort=DESC')).data::json ->> 'name' AS last;

-- Nulls are last, so the last one has none.
SELECT (catalogue.first('updatefrequencies', 'orderBy=timePattern')).data::json ->> 'name' AS first,
       (catalogue.last('updatefrequencies', 'orderBy=timePattern')).data::json ->> 'name' AS last;

-- They take filters, fields and include; skip and limit mean nothing.
SELECT mask(data) AS data FROM catalogue.first('filetypes', 'api=true&fields=name&skip=5&limit=3');
SELECT mask(data) AS data FROM catalogue.last('datasets', 'fields=name&include=tags.name');

-- Of an empty list: 404.
DELETE FROM catalogue.databases;
SELECT code, message FROM refusal($$SELECT catalogue.first('databases')$$);
SELECT code, message FROM refusal($$SELECT catalogue.last('tags', 'name=nothing')$$);

-- count: an object; without filters, with them, of nothing.
SELECT resource, data FROM catalogue.count('filetypes');
SELECT data FROM catalogue.count('filetypes', 'api=true');
SELECT data FROM catalogue.count('databases');
SELECT data FROM catalogue.count('filetypes', 'limit=1&skip=5');

-- related, to-one: the record of the other resource.
SELECT resource, id, mask(data) AS data FROM catalogue.related('datasets', :'id', 'status');
SELECT data::json ->> 'username' AS username FROM catalogue.related('datasets', :'id', 'createdBy');

-- to-many: a list with its numbers, filters and pages.
SELECT resource, count, returned, names(r) FROM catalogue.related('datasets', :'id', 'files') r;
SELECT resource, count, returned, names(r) FROM catalogue.related('datasets', :'id', 'tags') r;
SELECT resource, count, returned, names(r)
FROM catalogue.related('statuses', 'qWRhpRV', 'datasets', 'limit=1&orderBy=name') r;
SELECT resource, count, returned, names(r) FROM catalogue.related('statuses', 'qWRhpRV', 'datasets', 'name=air') r;
SELECT mask(data) AS data
FROM catalogue.related('tags', id_of('tags', 'transport'), 'datasets', 'fields=name&include=status.name');
SELECT names(catalogue.related('categories', id_of('categories', 'Transport'), 'subcategories')) AS subcategories,
       names(catalogue.related('categories', id_of('categories', 'Transport'), 'datasets')) AS datasets;

-- Empty ones.
SELECT resource, count, data FROM catalogue.related('datasets', :'id', 'subcategories');
SELECT code, message
FROM refusal($$SELECT catalogue.related('organizations', id_of('organizations', 'Open Data Office'), 'parent')$$);

-- Every relation of every resource answers for its first record, but for the empty to-one: what else is refused?
SELECT l.resource, l.relation, f.code, f.message
FROM catalogue.relation l,
    LATERAL refusal(format('SELECT catalogue.related(%L, (catalogue.first(%1$L)).id, %L)', l.resource, l.relation)) f
WHERE l.resource NOT IN ('databases') AND f.code <> '00000' AND NOT (f.code = 'OD404' AND l.kind = 'to-one')
ORDER BY 1, 2;

-- An unknown relation, a field that is none, an unknown record, a relation of a deleted record.
SELECT code, message FROM refusal(format('SELECT catalogue.related(%L, %L, %L)', 'datasets', :'id', 'colour'));
SELECT code, message FROM refusal(format('SELECT catalogue.related(%L, %L, %L)', 'datasets', :'id', 'name'));
SELECT code, message FROM refusal($$SELECT catalogue.related('datasets', 'nothing', 'files')$$);
SELECT code, message FROM refusal($$SELECT catalogue.related('datasets', 'nothing', 'status')$$);
SELECT mask(id) AS id FROM catalogue.delete('datasets', :'id', admin());
SELECT code, message FROM refusal(format('SELECT catalogue.related(%L, %L, %L)', 'datasets', :'id', 'files'));
SELECT code, message FROM refusal(format('SELECT catalogue.related(%L, %L, %L)', 'datasets', :'id', 'status'));

-- health and roles.
SELECT data FROM catalogue.health();
SELECT data FROM catalogue.roles();
