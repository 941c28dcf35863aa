--
-- search_counts: the number of a search that finds many, and the order of its page, are brought up to date by what has
-- changed since; they are those of a statement that reads all records
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- A search that finds any record at all is taken for one that finds many.
SET catalogue.facets_exact = 0;

CREATE FUNCTION dataset(name text, description text, status text DEFAULT 'Published') RETURNS text LANGUAGE sql AS $$
    SELECT make('datasets', json_build_object('name', $1, 'description', $2, 'status', id_of('statuses', $3),
        'visible', true, 'owner', id_of('users', 'admin'),
        'categories', json_build_array(id_of('categories', 'Transport'))))
$$;
-- The search for "cities figures", word for word: what each record has, and its rank.
CREATE FUNCTION slow(outsider boolean) RETURNS text[] LANGUAGE sql AS $$
    WITH seen AS (
        SELECT d.id, d.created_at, d.name, concat_ws(' ', d.name, d.description) AS text FROM catalogue.datasets d
        WHERE d.deleted_at IS NULL
            AND (NOT outsider OR d.visible IS NOT FALSE AND d.status = id_of('statuses', 'Published'))),
    found AS (
        SELECT s.*, lower(s.name) = 'cities figures' AS whole, s.name ~* '\m(city|cities)\M' AS city_named,
            s.name ~* '\mfigures?\M' AS figure_named, s.text ~* '\m(city|cities)\M' AS city,
            s.text ~* '\mfigures?\M' AS figure, s.text ~* 'cities' AND s.text ~* 'figures' AS letters FROM seen s),
    ranked AS (
        SELECT f.id, f.created_at, CASE WHEN NOT (f.city AND f.figure) THEN 6 WHEN f.whole THEN 1
            WHEN f.city_named AND f.figure_named THEN 2
            WHEN CASE WHEN n.cities <= n.figures THEN f.city_named ELSE f.figure_named END THEN 3
            WHEN f.city_named OR f.figure_named THEN 4 ELSE 5 END AS rank
        FROM found f, (SELECT count(*) FILTER (WHERE city) AS cities, count(*) FILTER (WHERE figure) AS figures
                       FROM found) n
        WHERE f.city AND f.figure OR f.letters)
    SELECT coalesce(array_agg(id::text ORDER BY rank, created_at, id), '{}') FROM ranked
$$;
-- The same by the list: its ids, and whether the numbers are that of the ids.
CREATE FUNCTION listed(actor jsonb, OUT ids text[], OUT counted boolean) LANGUAGE plpgsql AS $$
DECLARE
    query   CONSTANT text := 'query=cities+figures&match=WORDS';
    list    CONSTANT catalogue.reply := catalogue.list('datasets', query || '&limit=100', actor => actor);
BEGIN
    ids := ARRAY(SELECT r ->> 'id' FROM json_array_elements(list.data::json) WITH ORDINALITY e(r, n) ORDER BY n);
    counted := list.count = cardinality(ids)
        AND ((catalogue.count('datasets', query, actor => actor)).data::json ->> 'count')::int = cardinality(ids)
        AND list.count = (catalogue.list('datasets', query || '&limit=1&skip=1', actor => actor)).count;
END
$$;
CREATE FUNCTION compared(step text, OUT step text, OUT who text, OUT number int, OUT same boolean, OUT counted boolean)
    RETURNS SETOF record LANGUAGE sql AS $$
    SELECT $1, a.who, cardinality(l.ids), l.ids = slow(a.who = 'outsider'), l.counted
    FROM (VALUES ('outsider', '{}'), ('user', admin()), ('trusted', NULL)) a(who, actor), listed(a.actor) l
$$;

SELECT count(dataset(name, description)) FROM (VALUES ('Cities figures', 'Both'), ('Figures', 'Of a city'),
    ('A city', 'And its figures'), ('Figure of cities', 'More'), ('Numbers', 'Figures of each city'),
    ('Subcities', 'Prefigures'), ('Cities', 'Without'), ('Figures alone', 'Without')) v(name, description);
SELECT count(dataset(name, description, 'Draft')) FROM (VALUES ('A draft of a city', 'Figures'),
    ('Subcities of a draft', 'Prefigures')) v(name, description);
SELECT * FROM compared('counted');
SELECT dataset('Later', 'Figures of a city') AS later, dataset('Draft of later', 'City, figure', 'Draft') AS draft \gset
SELECT * FROM compared('created');
UPDATE catalogue.datasets SET name = 'A figure of the city', description = 'Now' WHERE id = :'later';
SELECT * FROM compared('another rank');
UPDATE catalogue.datasets SET description = 'Nothing' WHERE name = 'Numbers';
SELECT * FROM compared('found no longer');
UPDATE catalogue.datasets SET description = 'Recitiesx prefigures' WHERE name = 'Numbers';
SELECT * FROM compared('found by letters');
UPDATE catalogue.datasets SET notes = 'Cities, figures' WHERE description = 'Without';
SELECT * FROM compared('a field that is not searched');
SELECT (catalogue.act('datasets', :'draft', 'publish', actor => admin())).resource AS published;
SELECT * FROM compared('published');
SELECT (catalogue.act('datasets', :'later', 'unpublish', actor => admin())).resource AS unpublished;
SELECT * FROM compared('unpublished');
UPDATE catalogue.datasets SET visible = false WHERE name = 'A city';
SELECT * FROM compared('hidden');
SELECT (catalogue.delete('datasets', :'draft', admin())).resource AS deleted;
SELECT * FROM compared('deleted');
SELECT (catalogue.restore('datasets', :'draft', actor => admin())).resource AS restored;
SELECT * FROM compared('restored');
UPDATE catalogue.tags SET name = name || ' of a city, figures' WHERE name = (SELECT min(name) FROM catalogue.tags);
SELECT * FROM compared('another resource');

-- Several changes of a record in a transaction, some of which are taken back; meanwhile they are seen.
BEGIN;
SELECT dataset('Figures of a city that stays', '') AS stays \gset
UPDATE catalogue.datasets SET name = 'Else' WHERE id = :'stays';
SELECT * FROM compared('in a transaction');
SAVEPOINT s;
DELETE FROM catalogue.datasets WHERE description = 'Now';
SELECT dataset('Figures of a city that goes', '') <> '' AS goes;
SELECT * FROM compared('in a subtransaction');
ROLLBACK TO s;
UPDATE catalogue.datasets SET name = 'Figures of another city' WHERE id = :'stays';
COMMIT;
SELECT * FROM compared('after a transaction');
BEGIN;
SELECT dataset('Figures of no city', '') <> '' AS gone;
ROLLBACK;
SELECT * FROM compared('after a rollback');

-- An older snapshot has the numbers of its own state.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM compared('in a snapshot');
COMMIT;

-- What was changed without triggers leaves no trace: all is counted, also if the same transaction has changed more.
BEGIN;
SET LOCAL session_replication_role = replica;
UPDATE catalogue.datasets SET description = 'Nothing' WHERE name = 'Figure of cities';
UPDATE catalogue.datasets SET description = 'City figures' WHERE name = 'Cities';
SET LOCAL session_replication_role = origin;
UPDATE catalogue.datasets SET description = 'City' WHERE name = 'Figures alone';
SELECT catalogue.touch('datasets');
COMMIT;
SELECT * FROM compared('without triggers');
BEGIN;
SET LOCAL session_replication_role = replica;
UPDATE catalogue.datasets SET description = 'City figures' WHERE name = 'Figure of cities';
SELECT catalogue.begin_history('datasets');
COMMIT;
SELECT * FROM compared('the history begins');
-- So do changes whose former states are gone.
UPDATE catalogue.datasets SET description = 'Nothing' WHERE name = 'Figure of cities';
DELETE FROM catalogue_history.datasets h USING catalogue.change c
WHERE c.number = h.change_number AND c.at >= (SELECT max(at) FROM catalogue.change WHERE resource = 'datasets');
SELECT * FROM compared('former states are gone');
-- Many changes, the last of which take them back.
SELECT count(dataset('Figures of city ' || n, 'One of many')) FROM generate_series(1, 30) n;
UPDATE catalogue.datasets SET notes = 'Changed' WHERE description = 'One of many';
SELECT who, number, same, counted FROM compared('many');
DELETE FROM catalogue.datasets WHERE description = 'One of many';
SELECT * FROM compared('none of them');

-- Another connection begins with what this one has counted, and adds what has changed since its state, ...
CREATE FUNCTION counted() RETURNS int LANGUAGE sql AS $$
    SELECT (data::json ->> 'count')::int
    FROM catalogue.count('datasets', 'query=cities+figures&match=WORDS', actor => '{}')
$$;
UPDATE catalogue.facet_cache SET facets = regexp_replace(facets, '^([1-9]\d*) ', '100\1 ');
\c -
SET search_path = test;
SET catalogue.facets_exact = 0;
SELECT counted();
SELECT dataset('Figures of the last city', '') <> '' AS made;
SELECT counted();
-- ... but not with that of a state that it does not see, of another statement, or that may not be kept; ...
CREATE FUNCTION tampered(facets text) RETURNS void LANGUAGE sql AS $$
    UPDATE catalogue.facet_cache c SET facets = $1 WHERE c.facets !~ '^0'
$$;
\c -
SET search_path = test;
SET catalogue.facets_exact = 0;
SELECT tampered('1000 9000000000000000');
SELECT counted();
\c -
SET search_path = test;
SET catalogue.facets_exact = 0;
SELECT tampered('1000');
SELECT counted();
\c -
SET search_path = test;
SET catalogue.facets_exact = 0;
UPDATE catalogue.facet_cache SET facets = '1000 1', key = key || '.';
SELECT counted();
\c -
SET search_path = test;
SET catalogue.facets_age = 0;
SET catalogue.facets_exact = 0;
UPDATE catalogue.facet_cache SET facets = '1000 ' || split_part(facets, ' ', 2);
SELECT counted();
-- ... nor if that is quick to count, or more has changed since than is worth it.
\c -
SET search_path = test;
SELECT counted();
SET catalogue.facets_exact = 0;
SELECT tampered('1000 ' || split_part(max(facets), ' ', 2)) FROM catalogue.facet_cache;
DO $$
BEGIN
    FOR i IN 1..200 LOOP
        UPDATE catalogue.datasets SET notes = 'Change ' || i;
        COMMIT;
    END LOOP;
END
$$;
\c -
SET search_path = test;
SET catalogue.facets_exact = 0;
SELECT counted();
