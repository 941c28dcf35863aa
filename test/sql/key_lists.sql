--
-- key_lists: pages in the usual order of what a key leads to are read from the index of the key; those of several keys
-- are merged
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- 600 datasets, four to an instant; tag 1 has a third of them, tag 2 a few, tag 3 the very last, tag 4 none. Some are
-- deleted.
SELECT admin() ->> 'user' AS admin \gset
INSERT INTO catalogue.tags (id, name, created_by)
SELECT 'tag' || n, 'trail ' || n, :'admin'
FROM generate_series(1, 4) n;
INSERT INTO catalogue.datasets (id, name, status, owner, created_by, created_at)
SELECT 'd' || lpad((n * 7 % 1000)::text, 4, '0'), 'dataset ' || n,
       CASE WHEN n % 50 = 0 THEN 'pWRhpRV' ELSE 'qWRhpRV' END, :'admin', :'admin',
       '2020-01-01'::timestamptz + n / 4 * interval '1 second'
FROM generate_series(1, 600) n;
INSERT INTO catalogue.datasets_tags (dataset, tag)
SELECT d.id, t.tag FROM (SELECT id, substr(name, 9)::integer AS n FROM catalogue.datasets WHERE name LIKE 'dataset %') d
    JOIN (VALUES ('tag1', 3, 0), ('tag2', 60, 2), ('tag3', 600, 0)) AS t(tag, every, rest) ON n % every = rest;
DELETE FROM catalogue.datasets WHERE name LIKE 'dataset %5';
UPDATE catalogue.datasets_tags
SET deleted_at = now()
WHERE dataset IN (SELECT id FROM catalogue.datasets WHERE name LIKE 'dataset %8') AND tag = 'tag1';

-- Rows of the join table have the instants of their datasets.
SELECT count(*) AS rows, count(*) FILTER (WHERE j.dataset_created_at <> d.created_at) AS wrong
FROM catalogue.datasets_tags j JOIN catalogue.datasets d ON d.id = j.dataset;

CREATE FUNCTION ids(query text) RETURNS text LANGUAGE sql AS
$$
    SELECT l.count || ' ' || coalesce(string_agg(r ->> 'id', ',' ORDER BY n), '')
    FROM catalogue.list('datasets', query || '&fields=id') l, json_array_elements(l.data::json) WITH ORDINALITY e(r, n)
    GROUP BY l.count
$$;
CREATE TABLE asked AS SELECT q
    FROM unnest(ARRAY['tags=tag1', 'tags=tag2', 'tags=tag3', 'tags=tag4', 'tags=nothing', 'tags=tag1,tag2,tag3',
    'tags=tag2,tag2', 'tags=tag2,null', 'tags[ne]=tag1', 'tags.name=trail+1', 'tags.name=trail',
    'tags.slug=trail-2&match=EXACT', 'tags.name[ne]=trail+1',
    'tags=tag1&status=pWRhpRV', 'tags.name=trail+1&status.name=rejected', 'tags.name=trail+1&tags.name=trail+2',
    'tags=tag1&owner.username=admin&status[ne]=pWRhpRV&condition=AND', 'status=pWRhpRV', 'status=pWRhpRV,qWRhpRV',
    'status.name=rejected', 'status.name=ted', 'tags=tag1&name=dataset+9']) q;

-- What is found, by its number.
SELECT q, (catalogue.list('datasets', q)).count FROM asked;

-- Pages early and late, small and large, as a digest of their ids; and the last record.
SELECT q,
       (SELECT md5(string_agg(mask(ids(q || '&' || page)), ' ' ORDER BY page))
        FROM unnest('{limit=3,limit=20&skip=5,limit=1000,limit=50&skip=90,limit=2&skip=158}'::text[]) page) AS pages,
       CASE WHEN (catalogue.list('datasets', q)).count > 0 THEN mask((catalogue.last('datasets', q)).id) END AS last
FROM asked;

-- Walked from place to place, onwards to the end and back again: each record once, in the same order; only differences
-- show.
CREATE FUNCTION walk(query text, size integer, OUT onwards text[], OUT back text[]) LANGUAGE plpgsql AS
$$
DECLARE
    page   record;
    place  text := '';
    at     integer := 0;
BEGIN
    LOOP
        SELECT * INTO page
        FROM catalogue.list('datasets', format('%s&fields=id&limit=%s&skip=%s%s', query, size, at, place));
        onwards := onwards || ARRAY(SELECT r ->> 'id' FROM json_array_elements(page.data::json) r);
        EXIT WHEN page.next IS NULL;
        at := at + size;
        place := '&after=' || page.next;
    END LOOP;
    WHILE page.previous IS NOT NULL LOOP
        at := at - size;
        SELECT * INTO page
        FROM catalogue.list('datasets',
            format('%s&fields=id&limit=%s&skip=%s&before=%s', query, size, at, page.previous));
        back := ARRAY(SELECT r ->> 'id' FROM json_array_elements(page.data::json) r) || back;
    END LOOP;
END
$$;
SELECT q, size, w.onwards, w.back
FROM asked, unnest('{7,40}'::integer[]) size, walk(q, size) w,
    string_to_array(split_part(ids(q || '&limit=1000'), ' ', 2), ',') a(everything)
WHERE w.onwards <> everything
    OR coalesce(w.back, '{}') <> coalesce(everything[:(cardinality(everything) - 1) / size * size], '{}');

-- The records of one record's relation go the same way, filtered too.
CREATE FUNCTION related(resource text, id text, relation text, query text) RETURNS text LANGUAGE sql AS
$$
    SELECT l.count || ' ' || coalesce(string_agg(r ->> 'id', ',' ORDER BY n), '')
    FROM catalogue.related(resource, id, relation, query || '&fields=id') l
        LEFT JOIN json_array_elements(l.data::json) WITH ORDINALITY e(r, n) ON true
    GROUP BY l.count
$$;
SELECT o.*, page, md5(related(resource, id, relation, page)) AS pages
FROM (VALUES ('tags', 'tag1', 'datasets'), ('tags', 'tag2', 'datasets'), ('tags', 'tag4', 'datasets'),
    ('statuses', 'pWRhpRV', 'datasets'), ('datasets', 'd0021', 'tags')) AS o(resource, id, relation),
    unnest('{limit=3,limit=20&skip=5,limit=1000,createdBy.username=admin&limit=7,status=pWRhpRV&limit=9}'::text[]) page;
SELECT left(related('tags', 'tag2', 'datasets', 'limit=3'), 20) AS related,
       left(related('statuses', 'pWRhpRV', 'datasets', 'limit=3'), 20) AS of_status;

-- No table is read from end to end: one record takes a row of each table, and one for each further key; the last record
-- or the first is read once more, whole.
CREATE FUNCTION reads(call text) RETURNS TABLE (relation name, sequential bigint, rows bigint) LANGUAGE plpgsql AS
$$
BEGIN
    CREATE TEMP TABLE earlier ON COMMIT DROP AS SELECT relid, seq_scan, idx_tup_fetch FROM pg_stat_xact_user_tables;
    EXECUTE call;
    RETURN QUERY SELECT s.relname, s.seq_scan - e.seq_scan, s.idx_tup_fetch - e.idx_tup_fetch
        FROM pg_stat_xact_user_tables s JOIN earlier e USING (relid)
        WHERE s.relid IN ('catalogue.datasets'::regclass, 'catalogue.datasets_tags'::regclass)
        ORDER BY 1;
    DROP TABLE earlier;
END
$$;
-- a table of a few rows that autovacuum has analyzed is read in less time without its index
SET enable_seqscan = off;
SELECT * FROM reads($$SELECT catalogue.first('datasets', 'tags=tag3')$$);
SELECT * FROM reads($$SELECT catalogue.first('datasets', 'tags=tag1')$$);
SELECT * FROM reads($$SELECT catalogue.last('datasets', 'status=pWRhpRV')$$);
SELECT * FROM reads($$SELECT catalogue.first('datasets', 'tags=tag1,tag2,tag3')$$);
SELECT * FROM reads($$SELECT catalogue.related('tags', 'tag3', 'datasets')$$);

-- Whole rows are read as they are stored: no column has values that are not in the rows.
SELECT attrelid::regclass, attname FROM pg_attribute
WHERE atthasmissing AND attrelid IN (SELECT relation FROM catalogue.resource) AND attname LIKE '%\_ids';

-- A dataset that is deleted leaves, and comes back to its place; so does a tag.
SELECT ids('tags=tag2') AS all \gset
SELECT split_part(split_part(:'all', ' ', 2), ',', 4) AS fourth \gset
SELECT mask(id) AS id FROM catalogue.delete('datasets', :'fourth', admin());
SELECT ids('tags=tag2') = :'all' AS same, (catalogue.list('datasets', 'tags=tag2')).count;
SELECT id = :'fourth' AS same FROM catalogue.restore('datasets', :'fourth', actor => admin());
SELECT ids('tags=tag2') = :'all' AS same;
DELETE FROM catalogue.tags WHERE id = 'tag2';
SELECT (catalogue.list('datasets', 'tags=tag2')).count;
SELECT id FROM catalogue.restore('tags', 'tag2', actor => admin());
SELECT ids('tags=tag2') = :'all' AS same;

-- Links that the service writes have the instant too, and those that are moved get that of the other dataset.
SELECT id FROM catalogue.update('datasets', 'd0007', '{"tags": ["tag4", "tag2"]}', actor => admin());
UPDATE catalogue.datasets_tags SET dataset = 'd0014' WHERE dataset = 'd0007' AND tag = 'tag4';
SELECT j.dataset, j.tag, j.dataset_created_at = d.created_at AS same
FROM catalogue.datasets_tags j JOIN catalogue.datasets d ON d.id = j.dataset
WHERE j.dataset IN ('d0007', 'd0014') AND j.deleted_at IS NULL
ORDER BY 1, 2;
SELECT ids('tags=tag4') = ids('tags=tag4&orderBy=createdAt') AS same, left(ids('tags=tag2'), 7) AS found;

-- As of an earlier instant: what is linked since is not in it.  The indexes are read as for the present records, and
-- pages are walked both ways; only differences show.
SELECT to_json((catalogue.list('datasets', 'tags=tag4')).version) #>> '{}' AS version \gset
SELECT id FROM catalogue.update('datasets', 'd0021', '{"tags": ["tag4"]}', actor => admin());
SELECT ids('tags=tag4') AS now, ids('tags=tag4&version=' || replace(:'version', '+', '%2B')) AS before;
SELECT * FROM reads(format('SELECT catalogue.first(''datasets'', ''tags=tag1&version=%s'')', :'version'));
SELECT * FROM reads(format('SELECT catalogue.last(''datasets'', ''status=pWRhpRV&version=%s'')', :'version'));
SELECT * FROM reads(format('SELECT catalogue.first(''datasets'', ''tags=tag1,tag2,tag3&version=%s'')', :'version'));
RESET enable_seqscan;
SELECT count, returned
FROM catalogue.list('datasets', 'tags=tag2&skip=9223372036854775807&version=' || :'version');
SELECT q, size, w.onwards, w.back
FROM asked, unnest('{7,40}'::integer[]) size, concat(q, '&version=', :'version') AS query, walk(query, size) w,
    string_to_array(split_part(ids(query || '&limit=1000'), ' ', 2), ',') a(everything)
WHERE w.onwards <> everything
    OR coalesce(w.back, '{}') <> coalesce(everything[:(cardinality(everything) - 1) / size * size], '{}');

-- A join table with rows in it is brought into line when it is exposed; what is deactivated is for internal users only.
CREATE TABLE catalogue.categories_tags (
    category    catalogue.id NOT NULL CONSTRAINT tags REFERENCES catalogue.categories ON DELETE CASCADE,
    tag         catalogue.id NOT NULL CONSTRAINT categories REFERENCES catalogue.tags ON DELETE CASCADE,
    position    integer      NOT NULL DEFAULT 1,
    deleted_at  timestamptz
);
INSERT INTO catalogue.categories (id, name, color, active, created_by, created_at)
SELECT 'c' || n, 'trail ' || n, '1F77B4', true, :'admin', '2020-01-01'::timestamptz - n * interval '1 day'
FROM generate_series(1, 5) n;
INSERT INTO catalogue.categories_tags (category, tag) SELECT 'c' || n, 'tag1' FROM generate_series(1, 4) n;
SELECT catalogue.expose_links('catalogue.categories_tags');
INSERT INTO catalogue.categories_tags (category, tag) VALUES ('c5', 'tag1'), ('c5', 'tag2');
SELECT mask(id) AS id FROM catalogue.deactivate('categories', 'c3', actor => admin());
SELECT names(catalogue.list('categories', 'tags=tag1,tag2', 'ids', '{}')) AS outsider,
       names(catalogue.list('categories', 'tags=tag1,tag2', 'ids', admin())) AS insider,
       names(catalogue.related('tags', 'tag1', 'categories', 'limit=2', 'ids', admin())) AS related;

-- The index that is gone makes the list slower, not wrong.
DROP INDEX catalogue.categories_tags_tag_order;
SELECT names(catalogue.list('categories', 'tags=tag1,tag2')) AS names;
