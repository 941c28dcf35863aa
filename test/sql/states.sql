--
-- states: which action leads where, from where it is allowed, and what it takes along
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make_dataset('Root') AS root \gset
SELECT make_file('File', 'Root') AS file, make_chart('Chart', 'Airports.')
FROM (SELECT make_file('Airports.', 'Root')) f \gset
SELECT make_chart('Shown', 'File') AS chart, make_map('Map', 'File') AS map \gset

-- The whole table: what an action makes of a record in each state. Cells are the new state, or the refusal.
CREATE FUNCTION outcome(resource text, id text, status text, action text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    r       record;
    result  text;
BEGIN
    EXECUTE format('UPDATE catalogue.%I SET status = $1 WHERE id = $2', resource) USING status, id;
    SELECT * INTO r FROM refusal(format('SELECT catalogue.act(%L, %L, %L, actor => admin())', resource, id, action));
    IF r.code <> '00000' THEN
        RETURN r.code;
    END IF;
    EXECUTE format('SELECT s.name FROM catalogue.%I t JOIN catalogue.statuses s ON s.id = t.status WHERE t.id = $1',
        resource)
        INTO result
        USING id;
    RETURN result;
END
$$;
SELECT s.name AS "from", outcome('datasets', :'root', s.id, 'review') AS review,
       outcome('datasets', :'root', s.id, 'cancel') AS cancel, outcome('datasets', :'root', s.id, 'reject') AS reject,
       outcome('datasets', :'root', s.id, 'publish') AS publish,
       outcome('datasets', :'root', s.id, 'unpublish') AS unpublish
FROM catalogue.statuses s ORDER BY s.id;

-- Files, charts and maps have the same table: no cell differs.
SELECT r.resource, s.name, a.action
FROM (VALUES ('files', :'file'), ('charts', :'chart'), ('maps', :'map')) r(resource, id), catalogue.statuses s,
    unnest('{review,cancel,reject,publish,unpublish}'::text[]) a(action)
WHERE outcome(r.resource, r.id, s.id, a.action) <> outcome('datasets', :'root', s.id, a.action);

-- A refusal names the allowed actions.
UPDATE catalogue.charts SET status = 'qWRhpRV' WHERE id = :'chart';
SELECT * FROM refusal(format('SELECT catalogue.act(%L, %L, %L, actor => admin())', 'charts', :'chart', 'review'));
UPDATE catalogue.charts SET status = 'nWRhpRV' WHERE id = :'chart';
SELECT * FROM refusal(format('SELECT catalogue.act(%L, %L, %L, actor => admin())', 'charts', :'chart', 'cancel'));
UPDATE catalogue.charts SET status = 'oWRhpRV' WHERE id = :'chart';
SELECT * FROM refusal(format('SELECT catalogue.act(%L, %L, %L, actor => admin())', 'charts', :'chart', 'review'));

-- A status beside the five: only publish leads out of it.
SELECT make('statuses', '{"name": "Archived"}') AS archived \gset
SELECT a AS action, outcome('charts', :'chart', :'archived', a)
FROM unnest('{review,cancel,reject,publish,unpublish}'::text[]) a;

-- Each action stamps its own time, and leaves those of the others.
SELECT make_chart('Stamped', 'File') AS stamped \gset
CREATE FUNCTION stamps(chart text) RETURNS text LANGUAGE sql AS
$$
    SELECT concat_ws(' ', CASE WHEN reviewed_at IS NOT NULL THEN 'reviewedAt' END,
        CASE WHEN cancelled_at IS NOT NULL THEN 'cancelledAt' END,
        CASE WHEN rejected_at IS NOT NULL THEN 'rejectedAt' END,
        CASE WHEN published_at IS NOT NULL THEN 'publishedAt' END,
        CASE WHEN un_published_at IS NOT NULL THEN 'unPublishedAt' END)
        FROM catalogue.charts
        WHERE id = $1
$$;
SELECT stamps(:'stamped');
SELECT data::json ->> 'status' AS status
FROM catalogue.act('charts', :'stamped', 'review', 'representation', actor => admin());
SELECT stamps(:'stamped');
SELECT data::json ->> 'status' AS status
FROM catalogue.act('charts', :'stamped', 'cancel', 'representation', actor => admin());
SELECT stamps(:'stamped');
SELECT count(*) AS steps FROM (VALUES (catalogue.act('charts', :'stamped', 'review', actor => admin()))) s;
SELECT data::json ->> 'status' AS status
FROM catalogue.act('charts', :'stamped', 'reject', 'representation', actor => admin());
SELECT stamps(:'stamped');
SELECT data::json ->> 'status' AS status
FROM catalogue.act('charts', :'stamped', 'publish', 'representation', actor => admin());
SELECT stamps(:'stamped');
SELECT data::json ->> 'status' AS status
FROM catalogue.act('charts', :'stamped', 'unpublish', 'representation', actor => admin());
SELECT stamps(:'stamped');

-- The stamp is the time of the transaction, and moves when the action is done again.
UPDATE catalogue.charts SET published_at = '2020-01-01' WHERE id = :'stamped';
SELECT (data::json ->> 'publishedAt')::timestamptz = now() AS now
FROM catalogue.act('charts', :'stamped', 'publish', 'representation', actor => admin());

-- A record made in a state has its stamp; a draft has none; one that the statement gives stays.
SELECT stamps(make('charts', '{"name": "Made published", "link": "https://example.org", "status": "qWRhpRV"}'));
SELECT stamps(make('charts', '{"name": "Made draft", "link": "https://example.org"}'));
SELECT data::json ->> 'publishedAt' AS "publishedAt"
FROM catalogue.create('charts',
    '{"name": "Made with time", "link": "https://example.org", "status": "qWRhpRV", "publishedAt": "2020-01-01"}',
    'representation', actor => admin());

-- An update may set the status directly, under no rule of the actions, and stamps it.
SELECT data::json ->> 'status' AS status, data::json ->> 'cancelledAt' IS NOT NULL AS cancelled
FROM catalogue.update('charts', id_of('charts', 'Made published'), '{"status": "nWRhpRV"}', 'representation',
    actor => admin());

--
-- Cascades
--
CREATE VIEW state AS
SELECT t.name, s.name AS status FROM (
    SELECT 1 AS n, name, status
    FROM catalogue.datasets
    WHERE name = 'Root'
    UNION ALL SELECT 2, name, status
    FROM catalogue.files
    WHERE name = 'File'
    UNION ALL
    SELECT 3, name, status
    FROM catalogue.charts
    WHERE name = 'Shown'
    UNION ALL SELECT 4, name, status
    FROM catalogue.maps
    WHERE name = 'Map') t
        JOIN catalogue.statuses s ON s.id = t.status
    ORDER BY n;
CREATE FUNCTION all_to(id text) RETURNS void LANGUAGE sql AS
$$
    UPDATE catalogue.datasets SET status = $1 WHERE name = 'Root';
    UPDATE catalogue.files SET status = $1 WHERE name = 'File';
    UPDATE catalogue.charts SET status = $1 WHERE name = 'Shown';
    UPDATE catalogue.maps SET status = $1 WHERE name = 'Map'
$$;

-- Unpublish takes along, down to charts and maps.
SELECT all_to('qWRhpRV');
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource;
TABLE state;

-- Reject too.
SELECT all_to('oWRhpRV');
SELECT (catalogue.act('datasets', :'root', 'reject', actor => admin())).resource;
TABLE state;

-- From a file downwards only.
SELECT all_to('qWRhpRV');
SELECT (catalogue.act('files', :'file', 'unpublish', actor => admin())).resource;
TABLE state;

-- Publish, review and cancel do not.
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource;
SELECT (catalogue.act('datasets', :'root', 'review', actor => admin())).resource;
TABLE state;
SELECT (catalogue.act('datasets', :'root', 'cancel', actor => admin())).resource;
SELECT (catalogue.act('datasets', :'root', 'publish', actor => admin())).resource;
TABLE state;

-- What is taken along is stamped and logged as an update by the same user, once.
SELECT all_to('qWRhpRV');
SELECT max(id) AS before FROM catalogue.logs \gset
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource;
SELECT l.target, l.action, u.username, count(*)
FROM catalogue.logs l LEFT JOIN catalogue.users u ON u.id = l.user
WHERE l.id > :'before'
GROUP BY 1, 2, 3
ORDER BY 1;
SELECT un_published_at = (SELECT un_published_at FROM catalogue.datasets WHERE id = :'root') AS same_time
FROM catalogue.charts
WHERE id = :'chart';

-- What has a state in spite of its parent's stays where it is already there; a draft goes along as well.
SELECT all_to('qWRhpRV');
UPDATE catalogue.charts SET status = 'nWRhpRV' WHERE id = :'chart';
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource;
TABLE state;

-- What is deleted does not go along.
SELECT all_to('qWRhpRV');
SELECT (catalogue.delete('charts', :'chart', admin())).resource;
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource;
TABLE state;

-- A status that is set by SQL cascades too.
SELECT all_to('qWRhpRV');
UPDATE catalogue.datasets SET status = 'rWRhpRV' WHERE id = :'root';
TABLE state;

--
-- What went along when it was unpublished comes back when it is published again
--
SELECT (catalogue.restore('charts', :'chart', actor => admin())).resource;
-- Each in the state that it had: what was published, and what was not.
SELECT all_to('qWRhpRV');
UPDATE catalogue.maps SET status = 'nWRhpRV' WHERE id = :'map';
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource;
TABLE state;
SELECT (catalogue.act('datasets', :'root', 'publish', actor => admin())).resource;
TABLE state;
SELECT count(*) AS left FROM catalogue.taken_along;

-- Not what was unpublished before, or was moved since.
SELECT all_to('qWRhpRV');
UPDATE catalogue.charts SET status = 'rWRhpRV' WHERE id = :'chart';
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource;
SELECT (catalogue.act('maps', :'map', 'review', actor => admin())).resource;
SELECT (catalogue.act('datasets', :'root', 'publish', actor => admin())).resource;
TABLE state;
SELECT all_to('qWRhpRV');
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource;
SELECT (catalogue.act('maps', :'map', 'publish', actor => admin())).resource,
       (catalogue.act('maps', :'map', 'unpublish', actor => admin())).resource;
SELECT (catalogue.act('datasets', :'root', 'publish', actor => admin())).resource;
TABLE state;

-- By a way over other states, too; of a file alone, its charts and maps.
SELECT all_to('qWRhpRV');
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource,
       (catalogue.act('datasets', :'root', 'review', actor => admin())).resource;
SELECT (catalogue.act('datasets', :'root', 'publish', actor => admin())).resource;
TABLE state;
SELECT (catalogue.act('files', :'file', 'unpublish', actor => admin())).resource;
SELECT (catalogue.act('datasets', :'root', 'unpublish', actor => admin())).resource;
SELECT (catalogue.act('datasets', :'root', 'publish', actor => admin())).resource;
TABLE state;
SELECT (catalogue.act('files', :'file', 'publish', actor => admin())).resource;
TABLE state;

-- By plain SQL as well; what was rejected along does not come back, nor what is deleted.
UPDATE catalogue.datasets SET status = 'rWRhpRV' WHERE id = :'root';
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id = :'root';
TABLE state;
SELECT all_to('oWRhpRV');
UPDATE catalogue.datasets SET status = 'pWRhpRV' WHERE id = :'root';
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id = :'root';
TABLE state;
SELECT all_to('qWRhpRV');
UPDATE catalogue.datasets SET status = 'rWRhpRV' WHERE id = :'root';
SELECT (catalogue.delete('charts', :'chart', admin())).resource;
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id = :'root';
SELECT status FROM catalogue.charts WHERE id = :'chart';

--
-- What is refused besides
--
-- A deleted record, an unknown one, a resource without states, an unknown action.
SELECT code, message
FROM refusal(format('SELECT catalogue.act(%L, %L, %L, actor => admin())', 'charts', :'chart', 'publish'));
SELECT code, message FROM refusal($$SELECT catalogue.act('charts', 'nothing', 'publish', actor => admin())$$);
SELECT code, message
FROM refusal($$SELECT catalogue.act('tags', id_of('tags', 'water'), 'publish', actor => admin())$$);
SELECT code, message
FROM refusal(format('SELECT catalogue.act(%L, %L, %L, actor => admin())', 'maps', :'map', 'archive'));
SELECT code, message
FROM refusal(format('SELECT catalogue.act(%L, %L, %L, actor => admin())', 'maps', :'map', 'delete'));
SELECT code, message FROM refusal(format('SELECT catalogue.act(%L, %L, %L, actor => admin())', 'maps', :'map', NULL));

--
-- A guest sets a status only as the actions do
--
UPDATE catalogue.users SET active = true WHERE username = 'guest';
UPDATE catalogue.maps SET status = 'nWRhpRV', created_by = id_of('users', 'guest') WHERE id = :'map';

-- It may not reject at all; from Draft there is a way to Under Review, and to no status without an action.
SELECT code, message, detail
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => actor(%L))', 'maps', :'map', '{"status": "pWRhpRV"}',
    'guest'));
SELECT code, message, detail
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => actor(%L))', 'maps', :'map', '{"status": "nowhere"}',
    'guest'));
SELECT (catalogue.update('maps', :'map', '{"status": "oWRhpRV"}', 'representation',
    actor => actor('guest'))).data::json ->> 'status' AS status;

-- The same status again is no move; others than guests set any.
SELECT (catalogue.update('maps', :'map', '{"status": "oWRhpRV"}', 'representation',
    actor => actor('guest'))).data::json ->> 'status' AS status;
SELECT (catalogue.update('maps', :'map', '{"status": "rWRhpRV"}', 'representation',
    actor => admin())).data::json ->> 'status' AS status;

-- What a guest makes is a draft, whatever it says.
SELECT (catalogue.create('charts', '{"name": "bold", "link": "https://example.org/chart", "status": "qWRhpRV"}',
    'representation', actor => actor('guest'))).data::json ->> 'status' AS status;

--
-- The statuses that stand for states
--
SELECT s.state, s.id, t.name FROM catalogue.states() s LEFT JOIN catalogue.statuses t ON t.id = s.id ORDER BY s.id;

-- They cannot be deleted: not by a client, in SQL, nor where nothing refers to them; another status can.
CREATE VIEW unused AS SELECT s.id FROM catalogue.statuses s
    WHERE s.id NOT IN (SELECT status FROM catalogue.datasets UNION SELECT status FROM catalogue.files
                       UNION SELECT status FROM catalogue.charts UNION SELECT status FROM catalogue.maps
                       UNION SELECT value FROM catalogue.configs WHERE value IS NOT NULL);
UPDATE catalogue.maps SET status = 'nWRhpRV' WHERE status = 'pWRhpRV';
UPDATE catalogue.files SET status = 'nWRhpRV' WHERE status = 'pWRhpRV';
UPDATE catalogue.datasets SET status = 'nWRhpRV' WHERE status = 'pWRhpRV';
UPDATE catalogue.charts SET status = 'nWRhpRV' WHERE status = 'pWRhpRV';
SELECT id FROM unused WHERE id IN (SELECT id FROM catalogue.states());
SELECT * FROM refusal($$SELECT catalogue.delete('statuses', 'pWRhpRV', admin())$$);
SELECT code, message FROM refusal($$DELETE FROM catalogue.statuses WHERE id = 'pWRhpRV'$$);
SELECT code, message FROM refusal($$UPDATE catalogue.statuses SET deleted_at = now() WHERE id = 'pWRhpRV'$$);
SELECT make('statuses', '{"name": "Of no state"}') AS other \gset
SELECT code FROM refusal(format('SELECT catalogue.delete(%L, %L, admin())', 'statuses', :'other'));

-- A new name changes nothing but the name, and an id cannot be changed.
SELECT (catalogue.update('statuses', 'pWRhpRV', '{"name": "Refused"}', 'representation',
    actor => admin())).data::json ->> 'name' AS name;
SELECT make_file('Renamed', 'Root') AS renamed \gset
SELECT (catalogue.act('files', :'renamed', 'review', actor => admin())).id IS NOT NULL AS in_review;
SELECT (catalogue.act('files', :'renamed', 'reject', 'representation',
    actor => admin())).data::json ->> 'status' AS status;
SELECT field, rule FROM faults($$UPDATE catalogue.statuses SET id = 'changed' WHERE id = 'pWRhpRV'$$);

-- A definition names a status by its state; what is stored is the id.
CREATE TABLE catalogue.notices (id catalogue.id PRIMARY KEY, name varchar(150) NOT NULL,
    status catalogue.id NOT NULL REFERENCES catalogue.statuses DEFERRABLE INITIALLY DEFERRED,
    phase catalogue.id REFERENCES catalogue.statuses DEFERRABLE INITIALLY DEFERRED,
    mood text,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SELECT catalogue.expose('notices', 'Notice', shown => '{"outsiders": {"status": "published", "mood": "published"}}');
SELECT shown FROM catalogue.resource WHERE resource = 'notices';
INSERT INTO catalogue.notices (name, status, mood) VALUES ('seen', 'qWRhpRV', 'published'),
    ('draft', 'nWRhpRV', 'published');
SELECT names(catalogue.list('notices', '', 'ids', '{}'));
-- An id may be given, of one of the five or of another status; what is neither is refused.
SELECT catalogue.expose('notices', 'Notice', shown => '{"outsiders": {"status": "nWRhpRV"}}');
SELECT names(catalogue.list('notices', '', 'ids', '{}'));
SELECT make('statuses', '{"name": "Own"}') AS own \gset
SELECT catalogue.expose('notices', 'Notice',
    shown => jsonb_build_object('internal', jsonb_build_object('phase', :'own')));
SELECT shown = jsonb_build_object('internal', jsonb_build_object('phase', :'own')) AS own
FROM catalogue.resource WHERE resource = 'notices';
SELECT code, message, hint
FROM refusal($$SELECT catalogue.expose('notices', 'Notice', shown => '{"outsiders": {"status": "publised"}}')$$);
SELECT resource, shown FROM catalogue.resource WHERE shown::text LIKE '%status%' ORDER BY resource;
