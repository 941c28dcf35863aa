--
-- write_mode: statements that the service runs by itself are exempt from rules, and no other statement is
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make_dataset('linked') AS dataset, make('tags', '{"name": "one"}') AS one, make('tags', '{"name": "two"}') AS two
\gset
-- Log records since the last call.
CREATE TABLE seen AS SELECT id FROM catalogue.logs;
CREATE FUNCTION news() RETURNS TABLE (action catalogue.log_action, target text, resource text) LANGUAGE sql AS
$$
    WITH new AS (INSERT INTO test.seen
                 SELECT l.id
                 FROM catalogue.logs l
                 WHERE l.id NOT IN (SELECT id FROM test.seen)
                 RETURNING id)
    SELECT l.action, l.target, test.mask(l.resource) FROM new JOIN catalogue.logs l USING (id) ORDER BY l.change, l.id
$$;

-- The mode is no setting.
SELECT code, message FROM refusal('SET catalogue.write_mode = 1');

--
-- Statements of an owner's trigger that the service's statement fires
--
-- The list of ids follows the join table without a log record; what a trigger does then is logged and validated.
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.datasets d SET notes = TG_ARGV[0], name = coalesce(TG_ARGV[1], d.name) WHERE d.id = NEW.id;
    RETURN NULL;
END
$$;
INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (:'dataset', :'one');
SELECT * FROM news();
CREATE TRIGGER note AFTER UPDATE OF tags_ids ON catalogue.datasets FOR EACH ROW EXECUTE FUNCTION note('of a trigger');
INSERT INTO catalogue.datasets_tags (dataset, tag, position) VALUES (:'dataset', :'two', 2);
SELECT * FROM news();
SELECT cardinality(tags_ids) AS tags, notes, updated_at > created_at AS touched
FROM catalogue.datasets WHERE id = :'dataset';
DROP TRIGGER note ON catalogue.datasets;
SELECT make_dataset('taken') IS NOT NULL AS made;
SELECT * FROM news();
CREATE TRIGGER note AFTER UPDATE OF tags_ids ON catalogue.datasets
FOR EACH ROW EXECUTE FUNCTION note('of a trigger', 'taken');
SELECT field, rule FROM faults(format('DELETE FROM catalogue.datasets_tags WHERE tag = %L', :'two'));

-- The error has left no mode behind: a list of ids is refused, before and after the end of the transaction.
BEGIN;
SELECT field, rule FROM faults(format('DELETE FROM catalogue.datasets_tags WHERE tag = %L', :'two'));
SELECT field, rule FROM faults(format('UPDATE catalogue.datasets SET tags_ids = %L WHERE id = %L', '{}', :'dataset'));
SAVEPOINT before;
DELETE FROM catalogue.datasets_tags WHERE tag = :'two';
ROLLBACK TO SAVEPOINT before;
SELECT field, rule FROM faults(format('UPDATE catalogue.datasets SET tags_ids = %L WHERE id = %L', '{}', :'dataset'));
COMMIT;
SELECT field, rule FROM faults(format('UPDATE catalogue.datasets SET tags_ids = %L WHERE id = %L', '{}', :'dataset'));
DROP TRIGGER note ON catalogue.datasets;

-- The service writes the join table for a client; a row that a trigger adds to another record is listed there.
CREATE FUNCTION link_other() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO catalogue.datasets_tags (dataset, tag)
    SELECT d.id, NEW.tag FROM catalogue.datasets d WHERE d.name = 'taken' AND NEW.dataset <> d.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER link_other AFTER INSERT ON catalogue.datasets_tags FOR EACH ROW EXECUTE FUNCTION link_other();
SELECT make('datasets', json_build_object('name', 'first', 'categories', id_of('categories', 'Transport'),
    'owner', id_of('users', 'admin'), 'tags', :'one')) IS NOT NULL AS made;
SELECT name, cardinality(tags_ids) AS tags FROM catalogue.datasets WHERE name IN ('first', 'taken') ORDER BY name;
SELECT * FROM catalogue.check_all();
DROP TRIGGER link_other ON catalogue.datasets_tags;
SELECT count(*) > 0 AS logged FROM news();

-- A logout is unrecorded, also where a trigger has the service run a statement of another mode meanwhile.
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.purge_jobs();
    RETURN NEW;
END
$$;
CREATE TRIGGER before_rules BEFORE UPDATE ON catalogue.users FOR EACH ROW EXECUTE FUNCTION meddle();
SELECT updated_at AS changed, session AS begun FROM catalogue.users WHERE username = 'admin'
\gset
SELECT FROM catalogue.logout(admin());
SELECT updated_at = :'changed' AS same_time, session > :'begun' AS ended FROM catalogue.users WHERE username = 'admin';
SELECT * FROM news();
DROP TRIGGER before_rules ON catalogue.users;

-- What a trigger does to other users during a logout is validated and logged, and so is what follows its error.
CREATE FUNCTION rename() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.users u SET username = TG_ARGV[0] WHERE u.username = 'guest';
    RETURN NULL;
END
$$;
CREATE TRIGGER rename AFTER UPDATE OF session ON catalogue.users FOR EACH ROW EXECUTE FUNCTION rename('admin');
BEGIN;
SELECT field, rule FROM faults('SELECT catalogue.logout(test.admin())');
SELECT field, rule FROM faults($$UPDATE catalogue.users SET username = 'admin' WHERE username = 'guest'$$);
ROLLBACK;
DROP TRIGGER rename ON catalogue.users;
CREATE TRIGGER rename AFTER UPDATE OF session ON catalogue.users FOR EACH ROW
WHEN (NEW.username = 'admin') EXECUTE FUNCTION rename('renamed');
SELECT FROM catalogue.logout(admin());
SELECT * FROM news();
DROP TRIGGER rename ON catalogue.users;

--
-- A role with all privileges on the log, TRIGGER among them
--
CREATE ROLE regress_forger;
GRANT USAGE ON SCHEMA catalogue TO regress_forger;
GRANT USAGE, CREATE ON SCHEMA test TO regress_forger;
GRANT ALL ON catalogue.logs, catalogue.tags, catalogue.counter TO regress_forger;
GRANT SELECT ON ALL TABLES IN SCHEMA catalogue, catalogue_history TO regress_forger;
GRANT INSERT ON ALL TABLES IN SCHEMA catalogue_history TO regress_forger;
GRANT INSERT ON catalogue.change TO regress_forger;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA catalogue TO regress_forger;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA catalogue TO regress_forger;
SELECT id_of('users', 'admin') AS admin \gset
SET ROLE regress_forger;
-- The service writes the log, and fires a trigger of that role: it may not write the log all the same.
CREATE FUNCTION forge() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO catalogue.logs (action, target, resource) VALUES ('delete', 'user', 'forged');
    RETURN NULL;
END
$$;
CREATE TRIGGER forge AFTER INSERT ON catalogue.logs FOR EACH ROW
WHEN (NEW.resource <> 'forged') EXECUTE FUNCTION forge();
SELECT code, message
FROM refusal(format('INSERT INTO catalogue.tags (name, created_by) VALUES (%L, %L)', 'of the forger', :'admin'));
-- Nor after the error, in the same transaction.
BEGIN;
SELECT code, message
FROM refusal(format('INSERT INTO catalogue.tags (name, created_by) VALUES (%L, %L)', 'of the forger', :'admin'));
SELECT code, message
FROM refusal($$INSERT INTO catalogue.logs (action, target, resource) VALUES ('delete', 'user', 'forged')$$);
COMMIT;
RESET ROLE;
SELECT count(*) FROM catalogue.logs WHERE resource = 'forged';
SELECT * FROM news();
DROP TRIGGER forge ON catalogue.logs;
DROP OWNED BY regress_forger;
DROP ROLE regress_forger;
