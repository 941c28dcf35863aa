--
-- facets: how many records of a list have each value, under the other filters, of what the caller may see
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make('tags', '{"name": "rare"}') AS rare, make_dataset('Bare') AS bare, make_dataset('Gone') AS gone \gset
SELECT make_file('Bare file', 'Bare') \g /dev/null
SELECT mask((catalogue.update('datasets', :'bare', json_build_object('tags', json_build_array(:'rare')),
    actor => admin())).id) AS tagged, mask(id) AS deleted FROM catalogue.delete('datasets', :'gone', admin());

-- The facets of a list, a value on each line.
CREATE FUNCTION facets(resource text, query text, actor jsonb DEFAULT admin())
    RETURNS TABLE (facet text, value text, slug text, count int, rest int) LANGUAGE sql AS
$$
    SELECT f.key, coalesce(v ->> 'name', v ->> 'username', v ->> 'key', v ->> 'value'), v ->> 'slug',
        (v ->> 'count')::int, (f.value ->> 'rest')::int
    FROM catalogue.list(resource, query, actor => actor) l, json_each(('{' || l.meta || '}')::json -> 'facets') f,
        json_array_elements(f.value -> 'values') v
$$;

-- Relations of each kind, fields of each kind, in the order of counts and names.  A record has its id, name
-- and slug.
SELECT * FROM facets('datasets', 'facets=categories,tags,status,files.type,owner');
SELECT * FROM facets('datasets', 'facets=starred,visible,files.type.name,categories.slug');
SELECT * FROM facets('datasets', 'facets=createdAt.year')
WHERE value = extract(year FROM now() AT TIME ZONE 'UTC')::text;
SELECT * FROM facets('users', 'facets=role,organization');
SELECT * FROM facets('categories', 'facets=datasets,parent');
SELECT mask(meta) FROM catalogue.list('datasets', 'facets=status,starred,tags&facetLimit=1&limit=1', actor => admin());

-- No facets, no member of meta; twice the same name is one facet; no values are an empty array.
SELECT meta FROM catalogue.list('datasets', 'limit=1', actor => admin());
SELECT meta FROM catalogue.list('datasets', 'limit=1&facets=', actor => admin());
SELECT meta FROM catalogue.list('datasets', 'facets=tags&facets=tags,starred&name=none&match=EXACT', actor => admin());

-- Each count is what a list with the value as a filter counts, for every value of every facet, under other filters, in
-- searches, in relations, and for each caller.
CREATE FUNCTION differing(resource text, query text, facet text, actor jsonb DEFAULT admin())
    RETURNS TABLE (total bigint, differing bigint) LANGUAGE sql AS
$$
    SELECT count(*), count(*) FILTER (WHERE (v ->> 'count')::bigint <> (catalogue.list(resource,
        query || '&limit=1&match=EXACT&condition=AND&' || facet || '=' || coalesce(v ->> 'id', v ->> 'value'),
        actor => actor)).count)
    FROM catalogue.list(resource, query || '&limit=1&match=EXACT&condition=AND&facetLimit=1000&facets=' || facet,
        actor => actor) l, json_array_elements(('{' || l.meta || '}')::json -> 'facets' -> facet -> 'values') v
$$;
SELECT who, query, sum(d.total) AS total, sum(d.differing) AS differing
FROM (VALUES ('admin', admin()), ('outsider', '{}')) a(who, actor),
    (VALUES ('starred=null'), ('query=airports'), ('status.name=Published'),
        ('createdAt[gte]=2020-01-01&files.type.name=csv'), ('')) q(query),
    (VALUES ('categories'), ('tags'), ('files.type'), ('status'), ('files.organization.name'), ('starred')) f(facet),
    differing('datasets', query, facet, actor) d
WHERE NOT query ~ ('\m' || facet || '\M')
GROUP BY who, query
ORDER BY who, query;
SELECT 'every relation' AS what, sum(d.total) > 100 AS many, sum(d.differing) AS differing
FROM catalogue.relation r, differing(r.resource, '', r.relation) d
WHERE r.resource NOT IN ('logs', 'statistics');

-- The filters on what a facet counts do not count for it: its own field or records, and what leads on from there.
SELECT facet, count(*), sum(count)
FROM facets('datasets', 'condition=AND&facets=tags,categories&tags.name=transport')
GROUP BY facet ORDER BY facet;
SELECT (SELECT array_agg(f ORDER BY f) FROM facets('datasets', 'facets=tags&tags=' || :'rare') f) =
    (SELECT array_agg(f ORDER BY f) FROM facets('datasets', 'facets=tags') f) AS own_filter_left_out;
SELECT * FROM facets('datasets', 'facets=tags,categories&condition=AND&tags=' || :'rare') WHERE facet = 'categories';
-- Values that the list is filtered by come first, also those that facetLimit leaves out or that no record has; each
-- once; not what no record is, or what is filtered by something else.
SELECT * FROM facets('datasets', 'facets=tags&facetLimit=1&tags=' || :'rare');
SELECT *
FROM facets('datasets', 'facets=tags&facetLimit=2&condition=AND&tags.id=' || :'rare' || '&categories.name=none');
SELECT value, count, rest
FROM facets('datasets', 'facets=tags&facetLimit=3&tags=nothing,' || :'rare' || ',' || :'rare');
SELECT value, count FROM facets('datasets', 'facets=tags&facetLimit=1&tags.name=rare&tags[ne]=' || :'rare');
SELECT value, count
FROM facets('datasets', 'facets=status&facetLimit=2&condition=AND&name=none&status=nWRhpRV,rWRhpRV');
SELECT value, count
FROM facets('datasets', 'facets=files.type.name&facetLimit=3&files.type.name[eq]=CSV,pdf,%22a,b%22');
SELECT value = '2017' AS first, count FROM facets('datasets', 'facets=createdAt.year&facetLimit=1&createdAt.year=2017');
SELECT facets('datasets', 'facets=createdAt.year&createdAt.year=02017');
SELECT count(*), bool_and(value IN ('true', 'false')) AS bare
FROM facets('users', 'facets=active&active=true');
SELECT (catalogue.list('datasets', 'facets=createdAt.year&facetLimit=2&createdAt.year=2017,2018&limit=1')).meta;

-- Nothing that the caller does not see is counted or named: drafts, deactivated categories, users.
SELECT count(*) FILTER (WHERE value = 'rare') AS admin FROM facets('datasets', 'facets=tags');
SELECT count(*) FILTER (WHERE value = 'rare') AS outsider FROM facets('datasets', 'facets=tags', '{}');
SELECT mask((catalogue.act('datasets', :'bare', 'publish', actor => admin())).id) AS shown;
SELECT * FROM facets('datasets', 'facets=tags', '{}') WHERE value = 'rare';
SELECT (SELECT sum(count) FROM facets('datasets', 'facets=files'))
    - (SELECT sum(count) FROM facets('datasets', 'facets=files', '{}')) AS drafts;
SELECT mask(id) AS id FROM catalogue.deactivate('categories', id_of('categories', 'Transport'), actor => admin());
SELECT count(*) FROM facets('datasets', 'facets=categories', '{}') WHERE value = 'Transport';
SELECT count(*) FROM facets('datasets', 'facets=categories,categories.name', '{}') WHERE value = 'Transport';
SELECT count(*) FROM facets('datasets', 'facets=categories') WHERE value = 'Transport';
SELECT mask(id) AS id FROM catalogue.restore('categories', id_of('categories', 'Transport'), actor => admin());
SELECT mask((catalogue.update('configs', id_of('configs', 'minZoom'), '{"secret": true}', actor => admin())).id) AS id;
UPDATE catalogue.users SET active = true WHERE username = 'editor';
SELECT who, l.count = sum(f.count) AS all_counted, count(*) FILTER (WHERE f.value = 'minZoom') AS secrets
FROM (VALUES ('outsider', '{}'), ('editor', actor('editor')), ('admin', admin())) a(who, actor),
    catalogue.list('configs', 'limit=1', actor => actor) l, facets('configs', 'facets=key&facetLimit=1000', actor) f
GROUP BY who, l.count ORDER BY who;
SELECT facets('datasets', 'facets=owner', '{}');
SELECT facets('datasets', 'facets=createdBy.username', '{}');
SELECT facets('users', 'facets=role', '{}');

-- What is counted follows each change at once, and as of an earlier instant it is what it was.
SELECT version AS before FROM catalogue.list('datasets', 'limit=1', actor => admin()) \gset
SELECT * FROM facets('datasets', 'facets=tags') WHERE value = 'rare';
SELECT mask((catalogue.update('tags', :'rare', '{"name": "scarce"}', actor => admin())).id) AS renamed;
SELECT * FROM facets('datasets', 'facets=tags') WHERE value IN ('rare', 'scarce');
SELECT mask((catalogue.update('datasets', :'bare', '{"tags": []}', actor => admin())).id) AS untagged;
SELECT * FROM facets('datasets', 'facets=tags') WHERE value IN ('rare', 'scarce');
SELECT * FROM facets('datasets', 'facets=tags&version=' || :'before') WHERE value IN ('rare', 'scarce');

-- What is no facet: an unknown name, a long text, a date without its year, JSON, a secret, too many.
SELECT facets('datasets', 'facets=nonesuch');
SELECT facets('datasets', 'facets=description');
SELECT facets('datasets', 'facets=createdAt');
SELECT facets('datasets', 'facets=name.year');
SELECT facets('datasets', 'facets=optionals');
SELECT facets('datasets', 'facets=id');
SELECT facets('users', 'facets=password');
SELECT facets('datasets', 'facets=tags&facetLimit=-1');
SELECT facets('datasets', 'facets=tags,categories,subcategories,files,status,owner,createdBy,starred,visible,name,slug,'
    'files.type,files.organization,createdAt.year,updatedAt.year,files.status,files.owner');

-- Numbers of lists with many records may be some seconds old; the answer tells that, and has no entity tag.
CREATE FUNCTION types(query text DEFAULT '', actor jsonb DEFAULT admin(), OUT csv int, OUT aged boolean,
    OUT tagged boolean) LANGUAGE sql AS
$$
    SELECT (v ->> 'count')::int, l.meta ~ '},"age":[0-9]+$', l.etag IS NOT NULL
    FROM catalogue.list('datasets', 'limit=1&facets=tags,files.type' || query, actor => actor) l,
        json_array_elements(('{' || l.meta || '}')::json -> 'facets' -> 'files.type' -> 'values') v
    WHERE v ->> 'name' = 'csv'
$$;
SELECT 'exact' AS what, t.* FROM types() t;
SET catalogue.facets_exact = 2;
SELECT make_dataset('Later') \g /dev/null
SELECT make_file('Later file', 'Later') \g /dev/null
SELECT 'counted' AS what, t.* FROM types() t;
SELECT make_dataset('Latest') AS latest \gset
SELECT make_file('Latest file', 'Latest') \g /dev/null
SELECT 'kept' AS what, t.* FROM types() t
UNION ALL SELECT 'those that outsiders see', t.* FROM types('', '{}') t
UNION ALL SELECT 'a list of two', t.* FROM types('&name=Latest,Later') t
UNION ALL SELECT 'of a version', t.* FROM types('&version=' || (to_json((catalogue.list('datasets',
    'limit=1', actor => admin())).version) #>> '{}')) t;
SELECT (catalogue.list('datasets', 'limit=1&facets=tags', actor => admin())).meta ~ 'age' AS counters_are_aged;
-- who has changed something sees it, and nobody else does
BEGIN;
SELECT make_dataset('Mine') \g /dev/null
SELECT make_file('My file', 'Mine') \g /dev/null
SELECT 'with own changes' AS what, t.* FROM types() t;
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 'in a snapshot' AS what, t.* FROM types() t;
COMMIT;
BEGIN READ ONLY;
SELECT 'read only' AS what, t.* FROM types() t;
COMMIT;
SET catalogue.facets_age = 0;
SELECT 'no age' AS what, t.* FROM types() t;
RESET catalogue.facets_age;
-- in the second half of the time one counts anew; afterwards anybody does; old ones are removed
SELECT make_dataset('Last') AS last \gset
SELECT make_file('Last file', 'Last') \g /dev/null
UPDATE catalogue.facet_cache SET counted_at = now() - interval '40 s';
SELECT 'second half' AS what, t.* FROM types() t;
SELECT (catalogue.delete('datasets', :'last', admin())).resource;
SELECT 'kept again' AS what, t.* FROM types() t;
UPDATE catalogue.facet_cache SET counted_at = now() - interval '61 s';
SELECT 'after it' AS what, t.* FROM types() t;
SELECT (catalogue.delete('datasets', :'latest', admin())).resource;
UPDATE catalogue.facet_cache SET key = key || '.';
SELECT 'same hash' AS what, t.* FROM types() t;
UPDATE catalogue.facet_cache SET counted_at = now() - interval '61 s';
SELECT catalogue.sweep() >= 0 AS swept, count(*) AS left_behind FROM catalogue.facet_cache;
SELECT count(*) AS left_behind FROM catalogue.facet_cache;
RESET catalogue.facets_exact;
