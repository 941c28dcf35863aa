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

-- Where a listener starts: from now on, behind its last event, or anew where that is not in the log any more.
CREATE FUNCTION start(query text, last text, actor jsonb DEFAULT '{}')
    RETURNS TABLE (here boolean, reset text, last text, resources text, ids text) LANGUAGE sql AS
$$
    SELECT s ->> 'place' = here(), s ->> 'reset', CASE WHEN s ->> 'last' = $2 THEN 'the same' ELSE 'the newest' END,
        s ->> 'resources', s ->> 'ids'
    FROM (SELECT (catalogue.events_start($1, $2, $3)).data::json) t(s);
$$;
SELECT make('tags', '{"name": "followed"}') AS followed \gset
SELECT l.id AS log FROM catalogue.logs l WHERE l.resource = :'followed' \gset
SELECT (catalogue.update('tags', :'followed', '{"name": "followed again"}', actor => admin())).resource;
SELECT * FROM start('', NULL);
SELECT * FROM start('resource=Tags,datasets&id=a,b', :'log');
SELECT told((catalogue.events_start('', :'log', '{}')).data::json ->> 'place', '{}');
SELECT told((catalogue.events_start('lastEventId=' || :'log', '', '{}')).data::json ->> 'place', '{}');
SELECT * FROM start('', 'gone');
SELECT * FROM start('', repeat('x', 5000) || '''"');
SELECT code, message FROM refusal($$ SELECT catalogue.events_start('resource=tags,users', actor => '{}') $$);
SELECT code, message FROM refusal($$ SELECT catalogue.events_start('resource=nothing', actor => admin()) $$);
SELECT ignored FROM catalogue.events_start('resources=tags', actor => '{}');
SELECT code, message
FROM refusal($$ SELECT catalogue.events_start('resources=tags', actor => '{"handling": "strict"}') $$);
SELECT code, message FROM refusal($$ SELECT catalogue.events('tomorrow', '{}') $$);
SELECT code, message FROM refusal($$ SELECT catalogue.events('0-', '{"user": "nobody"}') $$);

-- An outsider's first id does not change with what it does not see.
SELECT (catalogue.events_start('', NULL, '{}')).data::json ->> 'last' AS before \gset
SELECT make_dataset('Another draft') IS NOT NULL AS made;
SELECT (catalogue.events_start('', NULL, '{}')).data::json ->> 'last' = :'before' AS outsider,
    (catalogue.events_start('', NULL, admin())).data::json ->> 'last' = :'before' AS admin;

-- The log is kept: events that were pruned are behind no id, and nothing is missing behind one that is there.
SET catalogue.history_retention = 0;
SELECT catalogue.prune() > 0 AS pruned;
SELECT * FROM start('', :'log');
SELECT l.id AS log FROM catalogue.logs l JOIN catalogue.change c ON c.number = l.change ORDER BY c.commit_number DESC
LIMIT 1 \gset
SELECT * FROM start('', :'log');
SELECT count(*) FROM catalogue.change c WHERE c.commit_number IS NOT NULL;
