--
-- filter_relations: dotted names and relations, for every resource and relation of the definition
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- More records than the seeds, so that relations differ.
SELECT make('tags', '{"name": "lonely"}') AS tag, make_dataset('Bare') AS dataset, make_dataset('Gone') AS gone \gset
SELECT make_file('Bare file', 'Bare'), make_chart('Bare chart', 'Bare file'), make_map('Bare map', 'Bare file'),
    make('categories',
        json_build_object('name', 'Buses', 'color', 'aabbcc', 'parent', id_of('categories', 'Transport'))),
    make('soapservices',
        json_build_object('method', 'm', 'namespace', 'n', 'url', 'http://u', 'parameters', '{}'::json,
            'file', id_of('files', 'Bare file'))),
    make('restservices',
        json_build_object('url', 'http://u', 'parameters', '{}'::json, 'file', id_of('files', 'Bare file'))),
    make('organizations',
        json_build_object('name', 'Bus Lines', 'parent', id_of('organizations', 'Transport Department'))),
    make('views', json_build_object('name', 'Wet', 'tags', json_build_array(id_of('tags', 'transport'), :'tag'))),
    make('datasetrequests',
        json_build_object('about', 'a', 'description', 'd', 'email', 'a@example.org',
            'categories', id_of('categories', 'Transport'))) \g /dev/null
INSERT INTO catalogue.fetches (file, outcome) SELECT id_of('files', 'Bare file'), 'failed';
SELECT mask((catalogue.update('files', id_of('files', 'Bare file'),
    json_build_object('soapService', (SELECT id FROM catalogue.soapservices ORDER BY id LIMIT 1),
        'restService', (SELECT id FROM catalogue.restservices ORDER BY id LIMIT 1)),
    actor => admin())).id) AS file,
    mask((catalogue.update('datasets', :'dataset', json_build_object('subcategories', id_of('categories', 'Buses')),
        actor => admin())).id) AS dataset,
    mask((catalogue.update('configs', id_of('configs', 'minZoom'), '{"tooltip": "t"}', actor => admin())).id) AS config;
SELECT mask(id) AS id FROM catalogue.delete('datasets', :'gone', admin());

-- Pairs (record, related record) of a relation, both alive: what the foreign keys say, in SQL of its own.
CREATE FUNCTION pairs(r catalogue.relation) RETURNS TABLE (here text, there text) LANGUAGE plpgsql AS
$$
DECLARE
    here_table  text := (SELECT relation::text FROM catalogue.resource WHERE resource = r.resource);
    there_table text := (SELECT relation::text FROM catalogue.resource WHERE resource = r.target);
BEGIN
    RETURN QUERY EXECUTE format(CASE r.kind
        WHEN 'to-one' THEN 'SELECT a.id::text, b.id::text FROM %1$s a JOIN %2$s b ON b.id = a.%3$I'
        WHEN 'one-to-many' THEN 'SELECT a.id::text, b.id::text FROM %1$s a JOIN %2$s b ON b.%3$I = a.id'
        ELSE
            'SELECT a.id::text, b.id::text FROM %1$s a JOIN %4$s j ON j.%3$I = a.id JOIN %2$s b ON '
            'b.id = j.%5$I AND j.deleted_at IS NULL' END
        || ' WHERE a.deleted_at IS NULL AND b.deleted_at IS NULL',
        here_table, there_table, r.near, r.via, r.far);
END
$$;
CREATE TABLE pair AS SELECT r.resource, r.relation, r.kind, r.target, p.here COLLATE "C", p.there COLLATE "C"
    FROM catalogue.relation r, pairs(r) p;

-- The ids that a list has.
CREATE FUNCTION listed(resource text, query text) RETURNS text[] LANGUAGE sql AS
$$
    SELECT coalesce(array_agg(r ->> 'id' ORDER BY r ->> 'id' COLLATE "C"), '{}')
    FROM catalogue.list(resource, query || '&limit=10000&fields=id') l, json_array_elements(l.data::json) r
$$;

-- One deep, by the relation's name and by its id, for every pair there is: only differences show.
SELECT resource, relation, there
FROM (SELECT resource, relation, kind, there, array_agg(DISTINCT here ORDER BY here) AS want
      FROM pair
      GROUP BY 1, 2, 3, 4) p
WHERE listed(resource, relation || '=' || there) <> want OR listed(resource, relation || '.id=' || there) <> want;
-- All of them: alternatives, and no relation that was not tried.
SELECT r.kind, count(*) AS relations, count(*) FILTER (WHERE p.there IS NULL) AS untried,
    count(*) FILTER (WHERE listed(r.resource, r.relation || '=' || p.there) <> p.want) AS different,
    count(*) FILTER (WHERE listed(r.resource, r.relation || '[ne]=' || p.there) && p.want) AS wrong_opposites
FROM catalogue.relation r
    LEFT JOIN (SELECT resource, relation, string_agg(DISTINCT there, ',') AS there,
        array_agg(DISTINCT here ORDER BY here) AS want
               FROM pair
               GROUP BY 1, 2) p USING (resource, relation)
GROUP BY 1 ORDER BY 1;
-- null: exactly the records without one; its opposite, all others.
SELECT r.resource, r.relation FROM catalogue.relation r
WHERE listed(r.resource, r.relation || '=null') && ARRAY(SELECT here
    FROM pair p
    WHERE (p.resource, p.relation) = (r.resource, r.relation))
   OR listed(r.resource, r.relation || '[ne]=null') <> ARRAY(SELECT DISTINCT here COLLATE "C"
       FROM pair p
       WHERE (p.resource, p.relation) = (r.resource, r.relation)
       ORDER BY 1)
   OR cardinality(listed(r.resource, r.relation || '=null')
       || listed(r.resource, r.relation || '[ne]=null')) <> cardinality(listed(r.resource, ''));
-- null beside an id: either.
SELECT r.resource, r.relation
FROM (SELECT DISTINCT ON (resource, relation) * FROM pair ORDER BY resource, relation, there COLLATE "C") r
WHERE (SELECT array_agg(DISTINCT id ORDER BY id)
       FROM unnest(listed(r.resource, r.relation || '=null')
           || listed(r.resource, r.relation || '=' || r.there)) id) <> listed(r.resource,
           r.relation || '=null,' || r.there) COLLATE "C";

-- Two deep, every relation behind every relation.
SELECT count(*) AS paths, count(*) FILTER (WHERE listed(resource, path || '=' || there) <> want) AS different
FROM (SELECT a.resource, a.relation || '.' || b.relation AS path, min(b.there) AS there
      FROM pair a JOIN pair b ON (b.resource, b.here) = (a.target, a.there)
      GROUP BY 1, 2) p,
    LATERAL (SELECT array_agg(DISTINCT a.here ORDER BY a.here) AS want
             FROM pair a JOIN pair b ON (b.resource, b.here) = (a.target, a.there)
             WHERE a.resource = p.resource AND a.relation || '.' || b.relation = p.path AND b.there = p.there) w;

-- Three deep, those of datasets and tags.
SELECT count(*) AS paths, count(*) FILTER (WHERE listed(resource, path || '=' || there) <> want) AS different
FROM (SELECT DISTINCT ON (a.resource, path) a.resource, path, c.there,
    array_agg(DISTINCT a.here ORDER BY a.here) AS want
      FROM pair a
          JOIN pair b ON (b.resource, b.here) = (a.target, a.there)
          JOIN pair c ON (c.resource, c.here) = (b.target, b.there),
              concat_ws('.', a.relation, b.relation, c.relation) path
      WHERE a.resource IN ('datasets', 'tags') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3) p;

-- A field at the end of each path of one relation: every field that may be asked for is known there.
SELECT r.resource, r.relation, f.field FROM catalogue.relation r JOIN catalogue.field f ON f.resource = r.target
WHERE (catalogue.count(r.resource, r.relation || '.' || f.field || '=null')).ignored IS NOT NULL AND NOT f.hidden;

-- Four names are the most; more are unknown.
SELECT (catalogue.count('tags', 'datasets.files.type.name=csv')).ignored AS four,
       (catalogue.count('tags', 'datasets.files.type.createdBy.username=admin')).ignored AS five;

-- Several related filters hold all, each for a record of its own; "other than" means that no related record is.
SELECT names(catalogue.list('datasets', 'tags.name=transport&tags.name=water')) AS both,
    names(catalogue.list('datasets', 'tags.name=transport,water')) AS either,
    names(catalogue.list('datasets', 'tags.name[ne]=transport&limit=3')) AS without,
    names(catalogue.list('categories', 'parent.name[ne]=transport')) AS no_such_parent;
-- Ranges reach related records, and a range of ids begins at no null.
SELECT names(catalogue.list('datasets', 'files.gatheringDate[gte]=2000-01-01')) AS dated, code, message
FROM refusal($$SELECT catalogue.list('datasets', 'tags[gte]=null')$$);
-- condition joins own filters, relations by their ids among them, and leaves dotted ones required.
SELECT names(catalogue.list('datasets', q)) AS found, mask(q) AS query
FROM unnest(ARRAY['name=bare&tags=' || id_of('tags', 'transport'),
    'condition=and&name=bare&tags=' || id_of('tags', 'transport'), 'name=bare&tags.name=transport',
    'condition=Or&name=bare,air&starred=true&status.name=draft,published']) q(q);

-- More related records than are looked up first, and the same answer; none, and no answer.
INSERT INTO catalogue.tags (name, created_by) SELECT 'many ' || n, (admin() ->> 'user') FROM generate_series(1, 1001) n;
INSERT INTO catalogue.datasets_tags (dataset, tag) SELECT :'dataset', id FROM catalogue.tags WHERE name LIKE 'many 7%';
SELECT names(catalogue.list('datasets', 'tags.name=many')) AS many,
       names(catalogue.list('datasets', 'tags.name=many+7')) AS some,
       (catalogue.list('datasets', 'tags.name=nonesuch')).data AS none,
       names(catalogue.list('files', 'dataset.tags.name=many')) AS behind;
