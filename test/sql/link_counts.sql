--
-- link_counts: lists that one many-to-many relation restricts are counted in its join table; the flag there says
-- whether outsiders see the record
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- For each tag and each pair of tags, as outsiders and users see them: the number that is told, with the filter and
-- below the tag, and the number of the records, counted here without the flag.
CREATE VIEW told AS
SELECT a.who, t.tags, (catalogue.count('datasets', 'condition=AND&match=EXACT&tags.id=' || t.tags, a.actor)).data::json
           ->> 'count' AS filtered,
       CASE WHEN t.tags !~ ',' THEN
           (catalogue.related('tags', t.tags, 'datasets', 'limit=1', actor => a.actor)).count END AS below,
       (SELECT count(DISTINCT d.id)
        FROM catalogue.datasets d JOIN catalogue.datasets_tags j ON j.dataset = d.id AND j.deleted_at IS NULL
        WHERE j.tag = ANY (string_to_array(t.tags, ',')) AND d.deleted_at IS NULL
            AND (a.who = 'user' OR d.status = 'qWRhpRV' AND d.visible IS NOT FALSE)) AS right
FROM (VALUES ('outsider', '{}'::jsonb), ('user', admin())) a(who, actor),
    (SELECT id::text AS tags FROM catalogue.tags WHERE deleted_at IS NULL
     UNION ALL
     SELECT a.id || ',' || b.id FROM catalogue.tags a, catalogue.tags b
     WHERE a.id < b.id AND a.deleted_at IS NULL AND b.deleted_at IS NULL) t;
-- Who is told how many in all, and how many of the numbers are wrong.
CREATE FUNCTION counts() RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(format('%s %s, %s wrong', who, number, wrong), '; ' ORDER BY who)
    FROM (SELECT who, sum("right") AS number,
                 count(*) FILTER (WHERE filtered::bigint <> "right" OR below <> "right") AS wrong
          FROM told GROUP BY who) w
$$;
CREATE FUNCTION publish(name text, tags text[], status text DEFAULT 'qWRhpRV') RETURNS text LANGUAGE sql AS
$$
    SELECT make('datasets', json_build_object('name', $1, 'status', $3, 'visible', true,
        'owner', id_of('users', 'admin'), 'tags', (SELECT json_agg(id_of('tags', t)) FROM unnest(tags) t),
        'categories', json_build_array(id_of('categories', 'Transport'))))
$$;
SELECT count(make('tags', json_build_object('name', n))) AS tags FROM unnest('{red,green,blue}'::text[]) n;
SELECT counts();
SELECT publish('One', '{red}') AS one, publish('Two', '{red,green}') AS two,
    publish('Three', '{red,green,blue}', 'nWRhpRV') AS three \gset
SELECT counts();

-- Each change of what outsiders see, and of the tags, in calls and in SQL.
SELECT (catalogue.update('datasets', :'three', '{"status": "qWRhpRV"}', actor => admin())).resource;
SELECT counts();
UPDATE catalogue.datasets SET visible = false WHERE id IN (:'one', :'two');
SELECT counts();
SELECT (catalogue.update('datasets', :'one', json_build_object('tags', ARRAY[id_of('tags', 'blue')]),
    actor => admin())).resource;
INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (:'one', id_of('tags', 'green'));
SELECT counts();
UPDATE catalogue.datasets SET visible = true WHERE id = :'one';
SELECT counts();
UPDATE catalogue.datasets_tags SET deleted_at = now() WHERE dataset = :'one' AND tag = id_of('tags', 'green');
SELECT counts();
SELECT (catalogue.delete('datasets', :'three', admin())).resource;
SELECT counts();
SELECT (catalogue.restore('datasets', :'three', actor => admin())).resource;
SELECT counts();
SELECT (catalogue.delete('tags', id_of('tags', 'red'), admin())).resource;
SELECT counts();
BEGIN;
SET LOCAL catalogue.check_references = off;
INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES ('later', id_of('tags', 'blue'));
INSERT INTO catalogue.datasets (id, name, status, owner, created_by)
    SELECT 'later', 'Later', 'qWRhpRV', owner, created_by FROM catalogue.datasets WHERE id = :'one';
COMMIT;
SELECT counts();

-- Whatever a statement writes into the flag, it says what outsiders see.
SELECT count(*) AS shown FROM catalogue.datasets_tags WHERE deleted_at IS NULL AND dataset_shown;
UPDATE catalogue.datasets_tags SET dataset_shown = NOT dataset_shown;
INSERT INTO catalogue.datasets_tags (dataset, tag, dataset_shown) VALUES (:'two', id_of('tags', 'blue'), true);
SELECT count(*) AS shown FROM catalogue.datasets_tags WHERE deleted_at IS NULL AND dataset_shown;
SELECT counts();

-- The flag decides, and not the records; one that was changed behind the triggers is found and repaired.
SET session_replication_role = replica;
UPDATE catalogue.datasets_tags SET dataset_shown = true WHERE dataset = :'two';
RESET session_replication_role;
SELECT catalogue.touch('datasets');
SELECT counts();
SELECT kind, split_part(subject, '/', 1) AS resource, split_part(subject, '/', 2) = :'two' AS two, problem, remedy
FROM catalogue.check_all();
SELECT catalogue.follow_shown('datasets'), catalogue.touch('datasets');
SELECT counts();
SELECT count(*) AS wrong FROM catalogue.check_all();

-- Another rule of what outsiders see, then the one before.
SELECT r.searchable, r.actions, r.shown FROM catalogue.resource r WHERE r.resource = 'datasets' \gset was_
SELECT catalogue.expose('datasets', 'Dataset', searchable => :'was_searchable', actions => :'was_actions',
    at_least_one => '{categories}', shown => '{"outsiders": {"starred": true}}');
SELECT count(*) AS shown FROM catalogue.datasets_tags WHERE deleted_at IS NULL AND dataset_shown;
SELECT catalogue.expose('datasets', 'Dataset', searchable => :'was_searchable', actions => :'was_actions',
    at_least_one => '{categories}', shown => :'was_shown');
SELECT counts();

-- Row security hides records from numbers too.
CREATE ROLE regress_link_counts IN ROLE catalogue_owner;
CREATE POLICY later ON catalogue.datasets USING (id = 'later');
ALTER TABLE catalogue.datasets ENABLE ROW LEVEL SECURITY;
ALTER TABLE catalogue.datasets FORCE ROW LEVEL SECURITY;
SET ROLE regress_link_counts;
SELECT count FROM catalogue.list('datasets', 'tags.slug=blue&match=EXACT&limit=1', actor => '{}');
RESET ROLE;
ALTER TABLE catalogue.datasets NO FORCE ROW LEVEL SECURITY;
ALTER TABLE catalogue.datasets DISABLE ROW LEVEL SECURITY;
SET ROLE regress_link_counts;
SELECT count FROM catalogue.list('datasets', 'tags.slug=blue&match=EXACT&limit=1', actor => '{}');
RESET ROLE;
DROP POLICY later ON catalogue.datasets;
DROP ROLE regress_link_counts;

-- A page of an earlier instant, a search, and further conditions count the records.
SELECT version AS before FROM catalogue.list('datasets', 'limit=1') \gset
UPDATE catalogue.datasets SET visible = false WHERE id = 'later';
SELECT test.mask(q.words) AS words,
    (catalogue.list('datasets', 'match=EXACT&tags.slug=blue' || q.words, actor => '{}')).count
FROM unnest(ARRAY['', '&version=' || :'before', '&starred=true', '&query=three', '&categories.name=Transport',
    '&tags.slug=green']) WITH ORDINALITY q(words, n)
ORDER BY n;

-- A join table of 1.0 is served, and gets the column and the index.
DROP INDEX catalogue.datasets_tags_tag_order;
ALTER TABLE catalogue.datasets_tags DROP COLUMN dataset_shown;
CREATE INDEX datasets_tags_tag_order ON catalogue.datasets_tags (tag, deleted_at, dataset_created_at, dataset);
UPDATE catalogue.resource SET relation = relation WHERE resource = 'datasets';
SELECT counts();
SELECT catalogue.expose_links('catalogue.datasets_tags'), catalogue.expose_links('catalogue.datasets_tags');
SELECT regexp_replace(pg_get_indexdef('catalogue.datasets_tags_tag_order'::regclass), '^.* USING ', '') AS index;
SELECT counts();
SELECT count(*) AS wrong FROM catalogue.check_all();
