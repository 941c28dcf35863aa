--
-- page_cache: a page that was made already is given again only while nothing that it shows has changed
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Each page is asked for twice, so that the second may be one that is kept.
CREATE FUNCTION page(resource text, query text, relations text DEFAULT 'ids', actor jsonb DEFAULT admin()) RETURNS text
    LANGUAGE plpgsql AS
$$
DECLARE
    one     catalogue.reply := catalogue.list(resource, query, relations, actor);
    other   catalogue.reply := catalogue.list(resource, query, relations, actor);
BEGIN
    RETURN CASE WHEN one IS NOT DISTINCT FROM other THEN other.count || ' ' || other.returned || ' ' || other.data
        ELSE 'two answers' END;
END
$$;

-- A change is seen by the next call: of the record, of what it is linked with, of what is embedded.
SELECT page('tags', 'fields=name&limit=2&orderBy=name&name=a') <> 'two answers' AS same;
SELECT mask(page('tags', 'fields=name&limit=1&orderBy=name'));
UPDATE catalogue.tags SET name = 'a budget' WHERE name = 'budget';
SELECT mask(page('tags', 'fields=name&limit=1&orderBy=name'));
SELECT page('datasets', 'fields=name&limit=1&orderBy=name&include=status.name') ~ 'Published' AS published;
UPDATE catalogue.statuses SET name = 'Out' WHERE name = 'Published';
SELECT page('datasets', 'fields=name&limit=1&orderBy=name&include=status.name') ~ 'Published' AS published;

-- So inside of a transaction, and after its end, whatever that is.
BEGIN;
SELECT page('tags', 'name=none&fields=name');
INSERT INTO catalogue.tags (name, created_by) VALUES ('none', id_of('users', 'admin'));
SELECT page('tags', 'name=none&fields=name') ~ '^1 1 ' AS one;
SAVEPOINT s;
DELETE FROM catalogue.tags WHERE name = 'none';
SELECT page('tags', 'name=none&fields=name');
ROLLBACK TO s;
SELECT page('tags', 'name=none&fields=name') ~ '^1 1 ' AS one;
ROLLBACK;
SELECT page('tags', 'name=none&fields=name');

-- A snapshot that is older sees what it saw.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT page('tags', 'fields=name&limit=1&orderBy=name') = page('tags', 'fields=name&limit=1&orderBy=name') AS same;
COMMIT;

-- A page of an earlier instant stays what it was; outsiders see what they may see today as well.
SELECT id AS published FROM catalogue.datasets
WHERE status = 'qWRhpRV' AND deleted_at IS NULL ORDER BY created_at, id LIMIT 1 \gset
SELECT version FROM catalogue.list('datasets', 'limit=1') \gset
UPDATE catalogue.datasets SET name = 'Renamed' WHERE id = :'published';
SELECT page('datasets', 'limit=100&fields=name&version=' || :'version') ~ 'Renamed' AS renamed,
       page('datasets', 'limit=100&fields=id&version=' || :'version') ~ :'published' AS there,
       page('datasets', 'limit=100&fields=id&version=' || :'version', actor => '{}') ~ :'published' AS to_outsiders;
UPDATE catalogue.datasets SET status = 'nWRhpRV' WHERE id = :'published';
SELECT page('datasets', 'limit=100&fields=id&version=' || :'version') ~ :'published' AS there,
       page('datasets', 'limit=100&fields=id&version=' || :'version', actor => '{}') ~ :'published' AS to_outsiders;

-- Who asks makes a difference, and so do the relations' shape and whose records they are.
SELECT page('organizations', 'limit=1') = page('organizations', 'limit=1', actor => '{}') AS same_to_outsiders;
SELECT page('datasets', 'limit=1') = page('datasets', 'limit=1', 'embedded') AS same_shape;
SELECT count(DISTINCT (catalogue.related('datasets', d.id, 'files',
    'fields=name')).data) = count(DISTINCT (SELECT string_agg(f.id, ' ' ORDER BY f.created_at, f.id)
    FROM catalogue.files f
    WHERE f.dataset = d.id AND f.deleted_at IS NULL)) AS each_its_own
FROM catalogue.datasets d WHERE EXISTS (SELECT FROM catalogue.files f WHERE f.dataset = d.id AND f.deleted_at IS NULL);

-- The definition, and the settings, count too.
SELECT page('tags', 'limit=1&orderBy=name') ~ '"colour"' AS coloured;
ALTER TABLE catalogue.tags ADD COLUMN colour text;
SELECT page('tags', 'limit=1&orderBy=name') ~ '"colour"' AS coloured;
ALTER TABLE catalogue.tags DROP COLUMN colour;
SELECT page('tags', 'limit=3&fields=id') ~ ' 3 ' AS three;
SET catalogue.max_limit = 1;
SELECT page('tags', 'limit=3&fields=id') ~ ' 1 ' AS one;
RESET catalogue.max_limit;
SELECT page('charts', 'fields=type&limit=1&orderBy=name') ~ '"column"' AS other_word;
ALTER TYPE catalogue.chart_type RENAME VALUE 'bar' TO 'column';
SELECT page('charts', 'fields=type&limit=1&orderBy=name') ~ '"column"' AS other_word;
ALTER TYPE catalogue.chart_type RENAME VALUE 'column' TO 'bar';
SELECT page('tags', 'limit=2&fields=name') = page('tags',
    'limit=2&fields=name&orderBy=createdAt&sort=DESC') AS newest_first;
UPDATE catalogue.resource SET newest_first = true WHERE resource = 'tags';
SELECT page('tags', 'limit=2&fields=name') = page('tags',
    'limit=2&fields=name&orderBy=createdAt&sort=DESC') AS newest_first;
UPDATE catalogue.resource SET newest_first = false WHERE resource = 'tags';

-- Numbers that were counted as well: by a table that was written anew, by who sees which rows.
SELECT page('tags', 'name=a budget&match=exact&limit=1&skip=1&fields=id');
ALTER TABLE catalogue.tags ALTER COLUMN name TYPE varchar(100) USING replace(name, 'a budget', 'budget');
SELECT page('tags', 'name=a budget&match=exact&limit=1&skip=1&fields=id');
SELECT data AS number FROM catalogue.count('tags', 'name=budget&match=exact');
SET ROLE catalogue_shim;
SELECT data AS number FROM catalogue.count('tags', 'name=budget&match=exact', '{}');
RESET ROLE;
ALTER TABLE catalogue.tags ENABLE ROW LEVEL SECURITY;
ALTER TABLE catalogue.tags FORCE ROW LEVEL SECURITY;
SET ROLE catalogue_shim;
SELECT data AS number FROM catalogue.count('tags', 'name=budget&match=exact', '{}');
RESET ROLE;
ALTER TABLE catalogue.tags NO FORCE ROW LEVEL SECURITY;
ALTER TABLE catalogue.tags DISABLE ROW LEVEL SECURITY;

-- More pages than are kept.
SELECT count(*)
FROM (SELECT page('tags', 'fields=name&limit=2&skip=' || n % 1000) FROM generate_series(0, 2500) n) pages;

-- Pages are forgotten when there are too many, but a count is kept: the table is not read for it again.
BEGIN;
SELECT data FROM catalogue.count('tags', 'name=budget&match=exact');
SELECT count(*) FROM (SELECT page('tags', 'fields=name&limit=3&skip=' || n) FROM generate_series(0, 2500) n) pages;
SELECT seq_scan + idx_scan AS scans FROM pg_stat_xact_user_tables WHERE relid = 'catalogue.tags'::regclass \gset
SELECT data FROM catalogue.count('tags', 'name=budget&match=exact');
SELECT seq_scan + idx_scan - :scans AS scans FROM pg_stat_xact_user_tables WHERE relid = 'catalogue.tags'::regclass;
COMMIT;

-- Long pages, such as tiles, are kept, too; when there are too many, they are forgotten before the others.
\c -
SET search_path = test;
SELECT make_dataset('Long') IS NOT NULL AS made;
SELECT make_file('Long', 'Long') AS long \gset
SELECT catalogue.contents_load(:'long', (SELECT json_agg(json_build_object('n', n, 'text', repeat('x', 400000)))
    FROM generate_series(1, 30) n)) > 0 AS loaded;
CREATE FUNCTION pages_in_cache(shortest bigint, longest bigint) RETURNS TABLE (pages bigint, much boolean)
    LANGUAGE sql AS
$$
    SELECT count(*), sum(total_bytes) > 6000000 FROM pg_backend_memory_contexts
    WHERE name = 'catalogue page' AND total_bytes BETWEEN shortest AND longest
$$;
SELECT count(*) FROM (SELECT page('tags', 'fields=name&limit=2&skip=' || n) FROM generate_series(1, 20) n) pages;
SELECT length(data) > 400000 AS long FROM catalogue.contents_page(:'long', 'limit=1', admin());
SELECT pages, much FROM pages_in_cache(400000, 1000000);
SELECT max(length(r.data)) > 400000 AS long
FROM generate_series(0, 29) n, catalogue.contents_page(:'long', 'limit=1&skip=' || n, admin()) r;
SELECT pages < 12 AS few, much FROM pages_in_cache(400000, 1000000);
SELECT pages >= 20 AS others, much FROM pages_in_cache(0, 100000);
-- Longer ones are not.
SELECT length(data) > 1000000 AS longer FROM catalogue.contents_page(:'long', 'limit=4', admin());
SELECT pages FROM pages_in_cache(1000000, 1000000000);
