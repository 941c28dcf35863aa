--
-- events: what the action log tells a caller, in the order of commits, as the caller sees the records
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The place behind all commits, and the events behind a place.
CREATE FUNCTION here() RETURNS text LANGUAGE sql AS $$ SELECT (catalogue.events_start()).data::json ->> 'place' $$;
CREATE FUNCTION told(place text, actor jsonb) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT concat_ws(' ', e ->> 'event', e ->> 'resource', n.name)
    FROM json_array_elements((catalogue.events($1, $2)).data::json -> 'events') WITH ORDINALITY t(e, position)
        LEFT JOIN LATERAL (SELECT d.name FROM catalogue.datasets d WHERE d.id = e ->> 'id'
                           UNION ALL SELECT g.name FROM catalogue.tags g WHERE g.id = e ->> 'id'
                           UNION ALL SELECT c.key FROM catalogue.configs c WHERE c.id = e ->> 'id'
                           UNION ALL SELECT u.username FROM catalogue.users u WHERE u.id = e ->> 'id'
                           UNION ALL SELECT y.name FROM catalogue.filetypes y WHERE y.id = e ->> 'id'
                           UNION ALL SELECT '*' WHERE e ->> 'id' = '*') n ON true
    ORDER BY t.position;
$$;
\set VERBOSITY terse

-- A draft is nobody's but the users' business; when it is published it appears, when it is unpublished it disappears.
SELECT here() AS place \gset
SELECT make_dataset('Hidden') AS dataset \gset
SELECT (catalogue.update('datasets', :'dataset', '{"notes": "a"}', actor => admin())).resource;
SELECT told(:'place', admin());
SELECT told(:'place', '{}');
SELECT here() AS published \gset
SELECT (catalogue.act('datasets', :'dataset', 'publish', actor => admin())).resource;
SELECT (catalogue.update('datasets', :'dataset', '{"notes": "b"}', actor => admin())).resource;
SELECT told(:'place', '{}');
SELECT told(:'published', admin());
SELECT here() AS unpublished \gset
SELECT (catalogue.act('datasets', :'dataset', 'unpublish', actor => admin())).resource;
SELECT (catalogue.update('datasets', :'dataset', '{"notes": "c"}', actor => admin())).resource;
SELECT told(:'unpublished', '{}');
-- what was told before is told no more: only that it is gone
SELECT told(:'place', '{}');
-- the deletion of what outsiders do not see
SELECT here() AS deleted \gset
SELECT (catalogue.delete('datasets', :'dataset', admin())).resource;
SELECT told(:'deleted', '{}');
SELECT told(:'deleted', admin());
SELECT (catalogue.restore('datasets', :'dataset', actor => admin())).resource;
SELECT told(:'deleted', admin());

-- Several changes of a transaction are in the order of the actions; those that are rolled back are none.
SELECT here() AS place \gset
BEGIN;
SELECT make('tags', '{"name": "first"}') AS first \gset
SAVEPOINT undone;
SELECT make('tags', '{"name": "undone"}') IS NOT NULL AS made;
ROLLBACK TO SAVEPOINT undone;
SELECT make('tags', '{"name": "second"}') AS second \gset
SELECT (catalogue.update('tags', :'first', '{"name": "first again"}', actor => admin())).resource;
SELECT (catalogue.delete('tags', :'second', admin())).resource;
COMMIT;
SELECT told(:'place', '{}');
SELECT told(:'place', admin());

-- A deactivated record disappears for outsiders only.
SELECT here() AS place, id_of('filetypes', 'csv') AS type \gset
SELECT (catalogue.deactivate('filetypes', :'type', actor => admin())).resource;
SELECT told(:'place', '{}');
SELECT told(:'place', admin());
SELECT (catalogue.restore('filetypes', :'type', actor => admin())).resource;
SELECT told(:'place', '{}');

-- Users and secret settings: outsiders learn of neither, other users not of the secret ones.
SELECT here() AS place \gset
SELECT make('users', json_build_object('username', 'listener', 'email', 'l@example.org', 'password', 'a long word',
    'firstName', 'L', 'lastName', 'L', 'role', 'guest', 'organization', (SELECT min(id) FROM catalogue.organizations)))
    AS guest \gset
SELECT make('configs', '{"key": "open", "description": "o", "type": "string", "category": "site"}') AS config \gset
SELECT make('configs', '{"key": "sealed", "description": "s", "type": "string", "category": "site", "secret": true}')
    AS sealed \gset
SELECT told(:'place', '{}');
SELECT told(:'place', jsonb_build_object('user', :'guest'));
SELECT told(:'place', admin());
SELECT here() AS sealing \gset
SELECT (catalogue.update('configs', :'config', '{"secret": true, "value": "x"}', actor => admin())).resource;
SELECT (catalogue.update('configs', :'config', '{"value": "y"}', actor => admin())).resource;
SELECT told(:'place', jsonb_build_object('user', :'guest'));
SELECT told(:'sealing', admin());

-- A record of the log that was written by SQL has no event; all records of a resource have one.
SELECT here() AS place \gset
INSERT INTO catalogue.logs (id, action, target, resource) VALUES ('bySql', 'update', 'user', 'x');
SELECT catalogue.clear('datasetrequests') IS NOT NULL AS cleared;
SELECT told(:'place', '{}');
SELECT told(:'place', admin());

-- A page ends after 128 log records; the next one goes on from there, and nothing is told twice.
SELECT here() AS place \gset
INSERT INTO catalogue.tags (name, created_by)
SELECT 'page ' || n, u.id FROM generate_series(1, 300) n, catalogue.users u WHERE u.username = 'admin';
WITH RECURSIVE page AS (
    SELECT (catalogue.events(:'place', '{}')).data::json AS data, 1 AS number
    UNION ALL
    SELECT (catalogue.events(p.data ->> 'place', '{}')).data::json, p.number + 1 FROM page p
    WHERE (p.data ->> 'more')::boolean
), told AS (
    SELECT p.number, e ->> 'id' AS id, e ->> 'place' AS place
    FROM page p, json_array_elements(p.data -> 'events') e
)
SELECT (SELECT array_agg(json_array_length(p.data -> 'events') ORDER BY p.number) FROM page p) AS pages,
       count(*), count(DISTINCT t.id) AS records, count(DISTINCT t.place) AS places
FROM told t;

-- From now on, and behind an event: its place is the number of its commit with its id.
SELECT (catalogue.events_start()).data::json ->> 'place' AS start \gset
SELECT make('tags', '{"name": "followed"}') AS followed \gset
SELECT told(:'start', '{}');
SELECT told(e ->> 'place', '{}') FROM json_array_elements((catalogue.events(:'start', '{}')).data::json -> 'events') e;
SELECT code, message FROM refusal($$ SELECT catalogue.events('tomorrow', '{}') $$);
SELECT code, message FROM refusal($$ SELECT catalogue.events('0-', '{"user": "nobody"}') $$);

-- Commits are forgotten with the history, and with them their events.
SET catalogue.history_retention = 0;
SELECT catalogue.prune() > 0 AS pruned;
SELECT count(*) FROM catalogue.change c WHERE c.commit_number IS NOT NULL;
