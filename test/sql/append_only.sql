--
-- append_only: nobody but the service writes the action log and the statistics, whatever he is and may
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
UPDATE catalogue.users SET active = true;

-- What nobody may do with a table that the service alone writes.
SELECT resource FROM catalogue.resource r WHERE read_only ORDER BY resource;
CREATE TABLE targets AS
    SELECT 'logs' AS resource, max(id) AS id,
           '{"action": "delete", "target": "user", "resource": "forged"}'::json AS body
    FROM catalogue.logs
    UNION ALL SELECT 'statistics', max(id),
        '{"resource": "tags", "endpoint": "/forged", "method": "GET", "client": "x", "useragent": "x", "ip": "x"}'
    FROM catalogue.statistics
    UNION ALL SELECT 'basemaps', max(id), '{"name": "forged"}' FROM catalogue.basemaps
    UNION ALL SELECT 'jobs', catalogue.new_id(), '{"kind": "forged"}';
CREATE FUNCTION attempts(t targets, actor jsonb) RETURNS TABLE (attempt text, statement text) LANGUAGE sql AS
$$
    VALUES ('create', format('SELECT catalogue.create(%L, %L, actor => %L)', t.resource, t.body, actor)),
           ('update', format('SELECT catalogue.update(%L, %L, %L, actor => %L)', t.resource, t.id, t.body, actor)),
           ('delete', format('SELECT catalogue.delete(%L, %L, %L)', t.resource, t.id, actor)),
           ('restore', format('SELECT catalogue.restore(%L, %L, actor => %L)', t.resource, t.id, actor)),
           ('deactivate', format('SELECT catalogue.deactivate(%L, %L, actor => %L)', t.resource, t.id, actor)),
           ('upload', format('SELECT catalogue.upload_begin(%L, %L, %L, %L)', t.resource, t.id, t.body, actor)),
           ('review', format('SELECT catalogue.act(%L, %L, ''review'', actor => %L)', t.resource, t.id, actor))
$$;
-- A rule that grants it changes nothing, nor does who asks.
INSERT INTO catalogue.rules (role, resource, action)
SELECT r, t.resource, '*'
FROM targets t, unnest('{admin,guest}'::catalogue.role[]) r;
INSERT INTO catalogue.rules (resource, action) SELECT t.resource, '*' FROM targets t;
CREATE TABLE before AS SELECT (SELECT count(*) FROM catalogue.logs) AS logs,
    (SELECT sum(hashtext(l::text)) FROM catalogue.logs l) AS of_logs,
    (SELECT sum(hashtext(s::text)) FROM catalogue.statistics s) AS of_statistics,
    (SELECT sum(hashtext(b::text)) FROM catalogue.basemaps b) AS of_basemaps;
SELECT a.attempt, r.code, count(*), string_agg(DISTINCT t.resource, ' ' ORDER BY t.resource) AS resources
FROM targets t, unnest(ARRAY[NULL, '{}', admin(), actor('editor'), actor('guest')]) w(actor), attempts(t, w.actor) a,
    refusal(a.statement) r
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT b.logs = (SELECT count(*) FROM catalogue.logs)
    AND b.of_logs = (SELECT sum(hashtext(l::text)) FROM catalogue.logs l) AS logs_same,
        b.of_statistics = (SELECT sum(hashtext(s::text)) FROM catalogue.statistics s) AS statistics_same,
    b.of_basemaps = (SELECT sum(hashtext(m::text)) FROM catalogue.basemaps m) AS basemaps_same FROM before b;
-- Nor is it offered.
SELECT t.resource, d.data::json ->> 'actions' AS actions,
       d.data::json ->> 'allowed' = d.data::json ->> 'actions' AS as_much_allowed, d.data::json ->> 'refused' AS refused
FROM targets t, catalogue.describe(t.resource, admin()) d ORDER BY 1;

--
-- In SQL: a privilege that was given on the tables does not help
--
CREATE ROLE regress_forger;
GRANT USAGE ON SCHEMA catalogue, test TO regress_forger;
GRANT ALL ON catalogue.logs, catalogue.statistics, catalogue.tags, catalogue.counter TO regress_forger;
GRANT EXECUTE ON FUNCTION test.refusal(text), test.mask(text) TO regress_forger;
SELECT id_of('users', 'admin') AS admin \gset
SET ROLE regress_forger;
SELECT code, message, hint
FROM refusal($$INSERT INTO catalogue.logs (action, target, resource) VALUES ('delete', 'user', 'forged')$$);
SELECT code, message FROM refusal($$UPDATE catalogue.logs SET "user" = NULL$$);
SELECT code, message FROM refusal($$DELETE FROM catalogue.logs$$);
SELECT code, message FROM refusal($$TRUNCATE catalogue.logs$$);
SELECT code, message
FROM refusal($$INSERT INTO catalogue.statistics (resource, endpoint, method, client, useragent, ip)
    VALUES ('tags', '/tags', 'GET', 'x', 'x', 'x')$$);
SELECT code, message FROM refusal($$UPDATE catalogue.statistics SET client = 'somebody else'$$);
SELECT code, message FROM refusal($$DELETE FROM catalogue.statistics$$);
SELECT code, message FROM refusal($$TRUNCATE catalogue.statistics$$);
SELECT code, message
FROM refusal($$MERGE INTO catalogue.logs l USING (SELECT 1) s ON false
    WHEN NOT MATCHED THEN INSERT (action, target, resource)
    VALUES ('delete', 'user', 'forged')$$);
RESET ROLE;
SELECT count(*) FROM catalogue.logs WHERE resource = 'forged';

-- What such a role changes of other tables is logged all the same, by the service.
GRANT SELECT ON ALL TABLES IN SCHEMA catalogue, catalogue_history TO regress_forger;
GRANT INSERT ON ALL TABLES IN SCHEMA catalogue_history TO regress_forger;
GRANT INSERT ON catalogue.change TO regress_forger;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA catalogue TO regress_forger;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA catalogue TO regress_forger;
SET ROLE regress_forger;
INSERT INTO catalogue.tags (name, created_by) VALUES ('of the forger', :'admin');
RESET ROLE;
SELECT action, target FROM catalogue.logs WHERE resource = id_of('tags', 'of the forger');
DROP OWNED BY regress_forger;
DROP ROLE regress_forger;

-- The owner may change both, and each such change is recorded; a record of the service itself is not.
CREATE TABLE seen AS SELECT id FROM catalogue.logs;
CREATE FUNCTION news() RETURNS TABLE (action catalogue.log_action, target text, record text) LANGUAGE sql AS
$$
    WITH new AS (INSERT INTO test.seen
                 SELECT l.id
                 FROM catalogue.logs l
                 WHERE l.id NOT IN (SELECT id FROM test.seen)
                 RETURNING id)
    SELECT l.action, l.target, coalesce('log of ' || o.resource, 'statistic of ' || s.endpoint, test.mask(l.resource))
    FROM new JOIN catalogue.logs l USING (id)
        LEFT JOIN catalogue.logs o ON o.id = l.resource LEFT JOIN catalogue.statistics s ON s.id = l.resource
        ORDER BY l.change, l.id
$$;
SET ROLE catalogue_owner;
INSERT INTO catalogue.logs (action, target, resource) VALUES ('delete', 'user', 'forged');
UPDATE catalogue.logs SET target = 'tag' WHERE resource = 'forged';
DELETE FROM catalogue.logs WHERE resource = 'forged';
INSERT INTO catalogue.statistics (resource, endpoint, method, client, useragent, ip)
    VALUES ('tags', '/forged', 'GET', 'x', 'x', 'x');
UPDATE catalogue.statistics SET client = 'y' WHERE endpoint = '/forged';
DELETE FROM catalogue.statistics WHERE endpoint = '/forged';
RESET ROLE;
SELECT * FROM news();
SELECT target, deleted_at IS NOT NULL AS deleted FROM catalogue.logs WHERE resource = 'forged';
SELECT catalogue.record_statistics(E'1700000000000000\tGET\ttags\t/tags\t\t\tpsql\t127.0.0.1\n');
SELECT make('tags', '{"name": "by the service"}') IS NOT NULL AS made;
SELECT * FROM news();

-- So is their end: that all records are removed at once, and that the service has rolled the statistics up.
SET ROLE catalogue_owner;
SELECT catalogue.roll_up_statistics() > 0 AS rolled_up;
RESET ROLE;
SELECT * FROM news();
SELECT (SELECT count(*)
        FROM catalogue.logs) = (SELECT (data::json ->> 'count')::bigint + (SELECT count(*)
            FROM catalogue.logs
            WHERE deleted_at IS NOT NULL)
                                                FROM catalogue.count('logs')) AS right_number;
