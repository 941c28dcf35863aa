--
-- action_log: one record of the action log for each create, update and delete
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What was logged since the last look.
CREATE TABLE seen AS SELECT id FROM catalogue.logs;
CREATE FUNCTION news() RETURNS TABLE (action catalogue.log_action, target text, record text, "user" text)
    LANGUAGE sql AS
$$
    WITH new AS (INSERT INTO test.seen
                 SELECT l.id
                 FROM catalogue.logs l
                 WHERE l.id NOT IN (SELECT id FROM test.seen)
                 RETURNING id)
    SELECT l.action, l.target,
           coalesce((SELECT name FROM catalogue.tags WHERE id = l.resource),
        (SELECT name FROM catalogue.datasets WHERE id = l.resource),
        (SELECT name FROM catalogue.files WHERE id = l.resource),
        (SELECT name FROM catalogue.charts WHERE id = l.resource),
        (SELECT name FROM catalogue.maps WHERE id = l.resource),
        (SELECT name FROM catalogue.filetypes WHERE id = l.resource)),
        u.username
    FROM new JOIN catalogue.logs l USING (id) LEFT JOIN catalogue.users u ON u.id = l.user ORDER BY l.id
$$;

-- create, update, delete, restore and deactivate through the API: one each, with the user.
SELECT make('tags', '{"name": "logged"}') AS tag \gset
SELECT * FROM news();
SELECT mask(id) AS id FROM catalogue.update('tags', :'tag', '{"name": "logged twice"}', actor => admin());
SELECT * FROM news();
SELECT mask(id) AS id FROM catalogue.delete('tags', :'tag', admin());
SELECT * FROM news();
SELECT mask(id) AS id FROM catalogue.restore('tags', :'tag', actor => admin());
SELECT * FROM news();
SELECT mask(id) AS id FROM catalogue.deactivate('filetypes', id_of('filetypes', 'zip'), actor => admin());
SELECT * FROM news();

-- A change of nothing is none.
SELECT mask(id) AS id FROM catalogue.update('tags', :'tag', '{}', actor => admin());
SELECT * FROM news();

-- Links of a record are part of its own change.
SELECT make_dataset('Logged') AS dataset \gset
SELECT * FROM news();
SELECT mask(id) AS id
FROM catalogue.update('datasets', :'dataset', json_build_object('tags', :'tag'), actor => admin());
SELECT * FROM news();

-- An action on a state is an update.
SELECT mask(id) AS id FROM catalogue.act('datasets', :'dataset', 'review', actor => admin());
SELECT * FROM news();

-- In SQL: no user; one a row.
INSERT INTO catalogue.tags (name, created_by) SELECT n, id_of('users', 'admin') FROM unnest('{north,south}'::text[]) n;
SELECT * FROM news();
UPDATE catalogue.tags SET name = name || 'ern' WHERE name IN ('north', 'south');
SELECT * FROM news();
DELETE FROM catalogue.tags WHERE name ~ 'ern$';
SELECT * FROM news();

-- What is taken along by a deletion, and comes back, is logged each.
SELECT make_file('f', 'Logged') AS file \gset
SELECT make_chart('c', 'f') AS chart, make_map('m', 'f') AS map \gset
SELECT count(*) AS made FROM news();
SELECT mask(id) AS id FROM catalogue.delete('datasets', :'dataset', admin());
SELECT * FROM news();
SELECT mask(id) AS id FROM catalogue.restore('datasets', :'dataset', actor => admin());
SELECT * FROM news();

-- What is refused leaves nothing.
SELECT code FROM refusal($$SELECT catalogue.create('tags', '{"name": "water"}', actor => admin())$$);
SELECT code FROM refusal($$SELECT catalogue.delete('statuses', 'qWRhpRV', admin())$$);
SELECT code FROM refusal($$SELECT catalogue.update('tags', 'nothing', '{}', actor => admin())$$);
SELECT * FROM news();

-- What is rolled back neither.
BEGIN;
SELECT make('tags', '{"name": "undone"}') IS NOT NULL AS made;
ROLLBACK;
SELECT * FROM news();

-- A DELETE that meets a deleted record is none.
DELETE FROM catalogue.tags WHERE name ~ 'ern$';
SELECT * FROM news();

-- Reading is not logged.
SELECT (catalogue.list('tags')).resource;
SELECT * FROM news();

-- What the service itself writes, the log and the statistics, is not logged.
SELECT catalogue.record_statistics(E'1700000000000000\tGET\ttags\t/tags\t\t\tpsql\t127.0.0.1\n');
SELECT * FROM news();

-- Its list begins with the newest; first is the newest, last the oldest.
SELECT data::json ->> 'action' AS action, data::json ->> 'target' AS target,
       data::json ->> 'resource' = :'map' AS is_map
FROM catalogue.first('logs');
SELECT data::json ->> 'action' AS action, data::json ->> 'target' AS target FROM catalogue.last('logs');

-- a window shows only the latest records, whatever is asked of them: they are counted, filtered and sorted among
-- themselves
SELECT count, returned, json_array_length(data::json) AS shown FROM catalogue.list('logs', 'window=7&limit=5');
SELECT count, returned, json_array_length(data::json) AS shown FROM catalogue.list('logs', 'window=7&limit=5&skip=5');
SELECT data AS the_same FROM catalogue.count('logs', 'window=7');
SELECT (SELECT count(*)
        FROM json_array_elements(data::json) r
        WHERE r ->> 'id' IN (SELECT id FROM catalogue.logs ORDER BY created_at DESC, id DESC LIMIT 7)) AS of_the_latest
    FROM catalogue.list('logs', 'window=7&orderBy=target,action');
SELECT data::json ->> 'id' = (SELECT id
                              FROM catalogue.logs
                              ORDER BY created_at DESC, id DESC OFFSET 6 LIMIT 1) AS is_the_oldest
FROM catalogue.last('logs', 'window=7');
SELECT f.count = (SELECT count(*)
                  FROM (SELECT action FROM catalogue.logs ORDER BY created_at DESC, id DESC LIMIT 7) l
                  WHERE action = 'create') AS among_them
    FROM catalogue.list('logs', 'window=7&action=create&match=EXACT') f;
SELECT count <= 7 AS among_them FROM catalogue.list('logs', 'window=7&query=create');
SELECT count = (SELECT count(*) FROM catalogue.logs) AS all_of_them, ignored FROM catalogue.list('logs', 'window=0');
-- it takes a number, and is known to no other list
SELECT FROM catalogue.list('logs', 'window=x');
SELECT FROM catalogue.list('logs', 'window=-1');
SELECT ignored FROM catalogue.list('tags', 'window=7');

-- A user's deletion leaves the log as it is.
SELECT count(*) > 0 AS there FROM catalogue.logs WHERE "user" = id_of('users', 'admin');

-- A trigger that somebody adds to the log is fired for each record; the number of records stays right with it and
-- without.
CREATE TABLE forwarded (action text, target text, id text);
CREATE FUNCTION forward() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
$$
BEGIN
    INSERT INTO forwarded VALUES (new.action, new.target, new.id);
    RETURN NULL;
END
$$;
CREATE FUNCTION number() RETURNS TABLE (right_number boolean) LANGUAGE sql AS
$$
    SELECT (catalogue.count('logs')).data::json ->> 'count' = (SELECT count(*)::text FROM catalogue.logs)
$$;
CREATE TRIGGER forward AFTER INSERT ON catalogue.logs FOR EACH ROW EXECUTE FUNCTION forward();
SELECT make('tags', '{"name": "forwarded"}') IS NOT NULL AS made;
SELECT action, target, length(id) FROM forwarded;
SELECT * FROM number();
DROP TRIGGER forward ON catalogue.logs;
SELECT make('tags', '{"name": "not forwarded"}') IS NOT NULL AS made;
SELECT count(*) FROM forwarded;
SELECT * FROM number();

-- So is one whose function is in the schema of the service; keys and unique constraints of the log hold.
CREATE FUNCTION catalogue.forward_too() RETURNS trigger
    LANGUAGE plpgsql AS $$ BEGIN INSERT INTO test.forwarded VALUES ('too'); RETURN NULL; END $$;
CREATE TRIGGER forward AFTER INSERT ON catalogue.logs FOR EACH ROW EXECUTE FUNCTION catalogue.forward_too();
SELECT make('tags', '{"name": "forwarded too"}') IS NOT NULL AS made;
SELECT count(*) FROM forwarded;
DROP TRIGGER forward ON catalogue.logs;
CREATE TABLE tenants (name text PRIMARY KEY);
GRANT USAGE ON SCHEMA test TO PUBLIC;
GRANT SELECT ON tenants TO PUBLIC;
ALTER TABLE catalogue.logs ADD COLUMN tenant text DEFAULT 'nobody';
ALTER TABLE catalogue.logs ADD FOREIGN KEY (tenant) REFERENCES tenants NOT VALID;
SELECT code, message FROM refusal($$SET CONSTRAINTS ALL IMMEDIATE; SELECT make('tags', '{"name": "of nobody"}')$$);
ALTER TABLE catalogue.logs DROP COLUMN tenant, ADD COLUMN once text;
ALTER TABLE catalogue.logs ALTER once SET DEFAULT 'once', ADD UNIQUE (once) DEFERRABLE;
SELECT make('tags', '{"name": "once"}') IS NOT NULL AS made;
SELECT code, detail FROM refusal($$SELECT make('tags', '{"name": "twice"}')$$);
ALTER TABLE catalogue.logs DROP COLUMN once;
SELECT * FROM number();

-- A trigger that makes a record of its own takes nothing from the call that it is fired in: the log has who did what.
CREATE FUNCTION tag_it() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.create('tags', json_build_object('name', 'of ' || new.name), actor => test.actor('clerk'));
    RETURN new;
END
$$;
SELECT make('users',
    json_build_object('username', 'clerk', 'password', 'geheim geheim', 'email', 'clerk@example.org', 'role', 'admin',
        'organization', id_of('organizations', 'Open Data Office'))) IS NOT NULL AS made;
CREATE TRIGGER tag_it BEFORE INSERT ON catalogue.views FOR EACH ROW EXECUTE FUNCTION tag_it();
SELECT make('views', '{"name": "tagged"}') AS made \gset
SELECT u.username AS made_by FROM catalogue.views v JOIN catalogue.users u ON u.id = v.created_by WHERE v.id = :'made';
SELECT l.target, u.username
FROM catalogue.logs l JOIN catalogue.users u ON u.id = l."user"
WHERE l.resource = :'made' OR l.resource = id_of('tags', 'of tagged')
ORDER BY l.target;
DROP TRIGGER tag_it ON catalogue.views;

-- An update tells what it changed: fields, references and lists of ids; a creation, a deletion and the times of the
-- service do not.
CREATE FUNCTION last_changes(record text) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT regexp_replace(mask(c.key || ' ' || c.value::text), '"\d{4}-.*Z"', '<time>')
    FROM (SELECT l.changes FROM catalogue.logs l WHERE l.resource = $1 ORDER BY l.change DESC, l.id DESC LIMIT 1) l
        CROSS JOIN json_each(coalesce(l.changes, '{"nothing": null}')) c;
$$;
SELECT make('tags', '{"name": "told"}') AS told \gset
SELECT last_changes(:'told');
SELECT mask(id) AS id
FROM catalogue.update('tags', :'told', '{"name": "told \"twice\"\u0007 ñ"}', actor => admin());
SELECT last_changes(:'told');
UPDATE catalogue.tags SET name = 'told in SQL' WHERE id = :'told';
SELECT last_changes(:'told');
SELECT mask(id) AS id
FROM catalogue.update('datasets', :'dataset', json_build_object('tags', :'told', 'notes', 'n'), actor => admin());
SELECT last_changes(:'dataset');
SELECT mask(id) AS id FROM catalogue.restore('filetypes', id_of('filetypes', 'zip'), actor => admin());
SELECT last_changes(id_of('filetypes', 'zip'));
SELECT make('tags', '{"name": "gone"}') AS gone \gset
SELECT mask(id) AS id FROM catalogue.delete('tags', :'gone', admin());
SELECT last_changes(:'gone');
SELECT mask(id) AS id FROM catalogue.restore('tags', :'gone', actor => admin());
SELECT last_changes(:'gone');

-- Not what is secret: a password, and every value of a resource that has records for superadmins only; nor long values.
SELECT id AS editor FROM catalogue.users WHERE username = 'editor' \gset
SELECT mask(id) AS id
FROM catalogue.update('users', :'editor', '{"password": "a good password", "firstName": "Told"}', actor => admin());
SELECT last_changes(:'editor');
SELECT count(*) FROM catalogue.logs WHERE changes::text ~ 'good password|argon2|\$';
SELECT mask((catalogue.update('configs', id, '{"value": "30"}', actor => admin())).id) AS id
FROM catalogue.configs WHERE key = 'adminPagination';
SELECT last_changes(id) FROM catalogue.configs WHERE key = 'adminPagination';
ALTER TABLE catalogue.tags ADD COLUMN remark text;
UPDATE catalogue.tags SET remark = repeat('n', 10000) WHERE id = :'told';
SELECT last_changes(:'told');

-- The window shows the actions that the setting logWhitelist lists; all, if it lists none.
CREATE FUNCTION window_actions(query text DEFAULT '') RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(DISTINCT r ->> 'action', ', ' ORDER BY r ->> 'action')
    FROM json_array_elements((catalogue.list('logs', 'window=50&limit=50' || $1, actor => admin())).data::json) r;
$$;
SELECT window_actions() AS by_default;
SELECT version AS "then" FROM catalogue.list('logs') \gset
UPDATE catalogue.configs SET value = 'create, delete' WHERE key = 'logWhitelist';
SELECT window_actions() AS two, window_actions('&version=' || :'then') AS as_of_before;
SELECT count FROM catalogue.list('logs', 'window=10', actor => admin());
SELECT (catalogue.list('logs', 'action=update&match=EXACT', actor => admin())).count > 0 AS without_a_window;
UPDATE catalogue.configs SET value = NULL WHERE key = 'logWhitelist';
SELECT window_actions() AS without_a_value;
DELETE FROM catalogue.configs WHERE key = 'logWhitelist';
SELECT window_actions() AS without_the_setting;
