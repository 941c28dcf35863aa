--
-- bootstrap: making the tables again, and seeding them again, changes nothing
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- A fingerprint of every object and every row of the catalogue.
CREATE FUNCTION structure() RETURNS TABLE (line text) LANGUAGE sql AS
$$
    SELECT format('column %s.%s %s %s %s', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
        a.attnotnull, col_description(a.attrelid, a.attnum))
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind IN ('r', 'i') AND a.attnum > 0
    UNION ALL SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid))
    FROM pg_constraint
    WHERE connamespace = 'catalogue'::regnamespace
    UNION ALL SELECT format('index %s', pg_get_indexdef(indexrelid))
    FROM pg_index JOIN pg_class c ON c.oid = indrelid
    WHERE c.relnamespace = 'catalogue'::regnamespace
    UNION ALL SELECT format('trigger %s', pg_get_triggerdef(t.oid))
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'catalogue'::regnamespace AND NOT tgisinternal
    UNION ALL SELECT format('resource %s', r) FROM catalogue.resource r
$$;
CREATE FUNCTION rows() RETURNS TABLE (line text) LANGUAGE plpgsql AS
$$
DECLARE
    place  regclass;
BEGIN
    FOR place IN SELECT oid
        FROM pg_class
        WHERE relnamespace = 'catalogue'::regnamespace AND relkind = 'r'
            AND relname NOT IN ('counter', 'facet_counter', 'change') LOOP
        RETURN QUERY EXECUTE format('SELECT %L || t::text FROM %s t', place::text || ' ', place);
    END LOOP;
    RETURN QUERY SELECT format('counter %s %s', resource, sum(living)) FROM catalogue.counter GROUP BY resource;
END
$$;
CREATE TEMP TABLE before AS SELECT * FROM structure() UNION ALL SELECT * FROM rows();

-- The tables again: no difference.
SELECT catalogue.bootstrap();
(TABLE before EXCEPT ALL SELECT * FROM structure()) EXCEPT ALL SELECT * FROM rows();
(SELECT * FROM structure() UNION ALL SELECT * FROM rows()) EXCEPT ALL TABLE before;

-- The seeds again, in either language and with any password: nothing is generated, no difference.
SELECT catalogue.seed('en', 'another password') AS generated;
SELECT catalogue.seed('es') AS generated;
(TABLE before EXCEPT ALL SELECT * FROM structure()) EXCEPT ALL SELECT * FROM rows();
(SELECT * FROM structure() UNION ALL SELECT * FROM rows()) EXCEPT ALL TABLE before;

-- A language that is not known is refused.
SELECT * FROM refusal($$SELECT catalogue.seed('fr')$$);

-- Each entity has 3 to 5 records, or those of the lists; logs and statistics are not seeded.
SELECT r.resource, (catalogue.count(r.resource)).data::json ->> 'count' AS records
FROM catalogue.resource r
WHERE r.resource <> 'logs'
ORDER BY 1;

-- The five states, with their fixed ids.
SELECT id, name FROM catalogue.statuses ORDER BY id;

-- The file types; json has its fixed id; those that the API reads.
SELECT string_agg(name, ' ' ORDER BY name) AS names, string_agg(name, ' ' ORDER BY name) FILTER (WHERE api) AS api,
       max(id::text) FILTER (WHERE name = 'json') AS json
FROM catalogue.filetypes;

-- Update frequencies have valid patterns, or none.
SELECT name, time_pattern FROM catalogue.updatefrequencies ORDER BY id;

-- The settings that the applications need; groups have children.
SELECT c.key, c.type, c.category, mask(c.value) AS value, p.key AS "group"
FROM catalogue.configs c LEFT JOIN catalogue.configs p ON p.id = c.parent
ORDER BY coalesce(p.id, c.id), c.parent NULLS FIRST, c.key;

-- Subcategories have a parent.
SELECT c.name, c.color, c.active, p.name AS parent
FROM catalogue.categories c LEFT JOIN catalogue.categories p ON p.id = c.parent
ORDER BY c.id;

-- The first user is the admin, belongs to the first organization and is created by itself; the others may not log in.
SELECT u.username, u.role, u.active, o.name AS organization, c.username AS "createdBy" FROM catalogue.users u
    JOIN catalogue.organizations o ON o.id = u.organization JOIN catalogue.users c ON c.id = u.created_by ORDER BY u.id;

-- Datasets of the seeds are published, and hold what the specification requires.
SELECT d.name, d.slug, s.name AS status,
       (SELECT string_agg(c.name, ',')
        FROM catalogue.datasets_categories j JOIN catalogue.categories c ON c.id = j.category
        WHERE j.dataset = d.id) AS categories,
       (SELECT string_agg(f.name, ',') FROM catalogue.files f WHERE f.dataset = d.id) AS files
FROM catalogue.datasets d JOIN catalogue.statuses s ON s.id = d.status ORDER BY d.id;

-- Basemaps that an administrator has made writable stay so; made read-only again they stay that.
SELECT catalogue.expose('basemaps', 'Basemap', searchable => '{name}', unique_living => '{name}',
    actions => '{deactivate}');
SELECT catalogue.bootstrap();
SELECT read_only FROM catalogue.resource WHERE resource = 'basemaps';
SELECT catalogue.expose('basemaps', 'Basemap', searchable => '{name}', unique_living => '{name}',
    actions => '{deactivate}', read_only => true);
SELECT catalogue.bootstrap();
(TABLE before EXCEPT ALL SELECT * FROM structure()) EXCEPT ALL SELECT * FROM rows();

-- Tables of an earlier shape get the present one: kml was a text, a relation had another name. Their history goes
-- along.
ALTER TABLE catalogue.maps ALTER COLUMN kml TYPE text USING kml::text;
UPDATE catalogue.maps SET kml = '<kml/>' WHERE id = (SELECT min(id::text) FROM catalogue.maps);
UPDATE catalogue.maps SET kml = '' WHERE id = (SELECT max(id::text) FROM catalogue.maps);
ALTER TABLE catalogue.datasets_subcategories RENAME CONSTRAINT datasets_subcategories TO subcategory_datasets;
SELECT catalogue.bootstrap();
SELECT relation FROM catalogue.relation WHERE resource = 'categories' AND target = 'datasets' ORDER BY 1;
SELECT kml, count(*) FROM catalogue.maps GROUP BY kml ORDER BY kml;
SELECT DISTINCT format_type(atttypid, atttypmod)
FROM pg_attribute
WHERE attrelid IN ('catalogue.maps'::regclass, 'catalogue_history.maps'::regclass) AND attname = 'kml';
SELECT * FROM catalogue.check_all();

-- What the service does by itself waits meanwhile, since each might wait for the other.
BEGIN;
SELECT catalogue.bootstrap() \g /dev/null
SELECT n.name, (l.classid::bigint << 32 | l.objid::bigint) IS NOT NULL AS waits
FROM unnest('{dispatch,sweep,reparse}'::text[]) n(name) LEFT JOIN pg_locks l ON l.locktype = 'advisory'
    AND l.pid = pg_backend_pid()
    AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('catalogue.' || n.name, 0)
ORDER BY n.name;
ROLLBACK;
