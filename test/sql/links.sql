--
-- links: the lists of ids that records keep follow their join tables, whoever writes those
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make_dataset('linked') AS dataset, make('tags', '{"name": "one"}') AS one,
       make('tags', '{"name": "two"}') AS two, make('tags', '{"name": "three"}') AS three
\gset
CREATE FUNCTION tags(dataset text) RETURNS text LANGUAGE sql AS
$$
    SELECT coalesce(string_agg(t.name, ' ' ORDER BY n), 'none')
    FROM json_array_elements_text((catalogue.item('datasets', dataset)).data::json -> 'tags') WITH ORDINALITY e(id, n)
        JOIN catalogue.tags t USING (id)
$$;
-- Lists that differ from the join table they come from: always none.
CREATE VIEW astray AS
SELECT 'tags' AS list, d.name FROM catalogue.datasets d
WHERE deleted_at IS NULL
    AND tags_ids <> ARRAY(SELECT j.tag::text
                          FROM catalogue.datasets_tags j
                          WHERE j.dataset = d.id AND j.deleted_at IS NULL
                          ORDER BY j.position, j.tag)
UNION ALL
SELECT 'categories', d.name FROM catalogue.datasets d
WHERE deleted_at IS NULL
    AND categories_ids <> ARRAY(SELECT j.category::text
                                FROM catalogue.datasets_categories j
                                WHERE j.dataset = d.id AND j.deleted_at IS NULL
                                ORDER BY j.position, j.category);

-- Through the API: set, put in another order, cut, emptied.
SELECT id = :'dataset' AS updated
FROM catalogue.update('datasets', :'dataset', json_build_object('tags', ARRAY[:'two', :'one']), actor => admin());
SELECT tags(:'dataset');
SELECT id = :'dataset' AS updated
FROM catalogue.update('datasets', :'dataset', json_build_object('tags', ARRAY[:'one', :'three', :'two']),
    actor => admin());
SELECT tags(:'dataset');
SELECT id = :'dataset' AS updated
FROM catalogue.update('datasets', :'dataset', json_build_object('tags', :'three'), actor => admin());
SELECT tags(:'dataset');
SELECT id = :'dataset' AS updated FROM catalogue.update('datasets', :'dataset', '{"tags": []}', actor => admin());
SELECT tags(:'dataset');
SELECT * FROM astray;

-- In SQL: rows that come, change, go logically and go for good.
INSERT INTO catalogue.datasets_tags (dataset, tag, position) VALUES (:'dataset', :'one', 2), (:'dataset', :'two', 1);
SELECT tags(:'dataset');
UPDATE catalogue.datasets_tags SET position = 3 WHERE dataset = :'dataset' AND tag = :'two';
SELECT tags(:'dataset');
UPDATE catalogue.datasets_tags SET deleted_at = now() WHERE dataset = :'dataset' AND tag = :'one';
SELECT tags(:'dataset');
DELETE FROM catalogue.datasets_tags WHERE dataset = :'dataset';
SELECT tags(:'dataset');

-- A row that moves to another record changes both lists.
SELECT make_dataset('other') AS other
\gset
INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (:'dataset', :'one');
UPDATE catalogue.datasets_tags SET dataset = :'other' WHERE dataset = :'dataset';
SELECT tags(:'dataset') AS linked, tags(:'other') AS other;

-- What is deleted leaves the lists, and comes back to them.
SELECT id = :'one' AS deleted FROM catalogue.delete('tags', :'one', admin());
SELECT tags(:'other');
SELECT id = :'one' AS restored FROM catalogue.restore('tags', :'one', actor => admin());
SELECT tags(:'other');
SELECT id = :'other' AS deleted FROM catalogue.delete('datasets', :'other', admin());
SELECT id = :'one' AS deleted FROM catalogue.delete('tags', :'one', admin());
SELECT id = :'other' AS restored FROM catalogue.restore('datasets', :'other', actor => admin());
SELECT tags(:'other');
SELECT * FROM astray;

-- The list is kept by the service: it is neither written by hand nor shown under its own name.
SELECT field, rule, message
FROM faults(format('UPDATE catalogue.datasets SET tags_ids = %L WHERE id = %L', '{x}', :'dataset'));
SELECT data::json ->> 'tagsIds' AS shown, ignored FROM catalogue.list('datasets', 'tagsIds=x&fields=tagsIds&limit=1');

-- A record whose list alone follows keeps its time and is not logged; it has another state tag.
SELECT etag AS before, data::json ->> 'updatedAt' AS at FROM catalogue.item('datasets', :'dataset')
\gset
SELECT count(*) AS logged FROM catalogue.logs
\gset
INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (:'dataset', :'two');
SELECT etag <> :'before' AS "another tag", data::json ->> 'updatedAt' = :'at' AS "same time"
FROM catalogue.item('datasets', :'dataset');
SELECT count(*) - :logged AS logged FROM catalogue.logs;

-- A join table of one's own: its resource shows the list from then on, with what was linked before.
CREATE TABLE catalogue.maps_tags (
    map         catalogue.id NOT NULL CONSTRAINT tags REFERENCES catalogue.maps ON DELETE CASCADE,
    tag         catalogue.id NOT NULL CONSTRAINT maps REFERENCES catalogue.tags ON DELETE CASCADE,
    position    integer      NOT NULL DEFAULT 1,
    deleted_at  timestamptz
);
INSERT INTO catalogue.maps_tags (map, tag) SELECT m.id, :'two' FROM catalogue.maps m ORDER BY m.id LIMIT 1;
SELECT catalogue.expose_links('catalogue.maps_tags');
SELECT json_array_length(data::json -> 'tags') AS tags
FROM catalogue.item('maps', (SELECT map FROM catalogue.maps_tags));
SELECT catalogue.expose_links('catalogue.maps_tags');
SELECT code, message, hint FROM refusal($$SELECT catalogue.expose_links('catalogue.tags')$$);

-- A trigger that somebody adds to the record is fired when its list is brought in line; what that does goes by the
-- rules.
SELECT make_dataset('followed') AS dataset \gset
SELECT make('tags', '{"name": "follows"}') AS tag \gset
SELECT make('views', '{"name": "touched"}') AS view \gset
CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.views SET notes = 'by a trigger' WHERE name = 'touched';
    INSERT INTO catalogue.databases (name) VALUES ('by a trigger');
    RETURN NULL;
END
$$;
CREATE TRIGGER follow AFTER UPDATE ON catalogue.datasets FOR EACH ROW EXECUTE FUNCTION follow();
INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (:'dataset', :'tag');
DROP TRIGGER follow ON catalogue.datasets;
SELECT action FROM catalogue.logs WHERE resource = :'view' ORDER BY change;
SELECT name, length(id) AS id, (SELECT action FROM catalogue.logs WHERE resource = d.id) AS action
FROM catalogue.databases d
WHERE name = 'by a trigger';
