--
-- truncate_and_clear: TRUNCATE is refused, clear() removes all of a resource, and what is dropped or hidden leaves
-- nothing behind
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\set ECHO none
CREATE SCHEMA own;
CREATE FUNCTION make_things() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    CREATE TABLE own.things (id catalogue.id PRIMARY KEY, name varchar(20), parent catalogue.id CONSTRAINT parts
        REFERENCES own.things, created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
    CREATE TABLE own.things_tags (thing catalogue.id NOT NULL CONSTRAINT tags
        REFERENCES own.things ON DELETE CASCADE, tag catalogue.id NOT NULL CONSTRAINT things
        REFERENCES catalogue.tags ON DELETE CASCADE, position integer NOT NULL DEFAULT 1, deleted_at timestamptz);
    PERFORM catalogue.expose('own.things', 'Thing', searchable => '{name}');
    PERFORM catalogue.expose_links('own.things_tags');
END
$$;
-- What the service has of a resource.
CREATE FUNCTION traces(resource text)
    RETURNS TABLE (registered bigint, counted numeric, history boolean, tallied numeric) LANGUAGE sql AS
$$
    SELECT (SELECT count(*) FROM catalogue.resource r WHERE r.resource = $1),
        (SELECT sum(c.living) FROM catalogue.counter c WHERE c.resource = $1),
        to_regclass('catalogue_history.' || $1) IS NOT NULL,
        (SELECT sum(c.living) FROM catalogue.change c WHERE c.resource = $1)
$$;
\set ECHO all
SELECT make_things();
SELECT make('things', '{"name": "whole"}') AS whole \gset
SELECT make('things',
    json_build_object('name', 'part', 'parent', :'whole',
        'tags', json_build_array(id_of('tags', 'water'), id_of('tags', 'health')))) AS part \gset
SELECT resource FROM catalogue.delete('things', make('things', '{"name": "gone"}'), admin());
SELECT resource FROM catalogue.update('things', :'part', '{"name": "piece"}', actor => admin());
SELECT version AS before FROM catalogue.list('things') \gset

-- TRUNCATE of the table, of its join table, and of what leads to them by CASCADE: refused, with what to do instead;
-- nothing is gone.
SELECT * FROM refusal('TRUNCATE own.things CASCADE');
SELECT * FROM refusal('TRUNCATE own.things_tags');
SELECT * FROM refusal('TRUNCATE own.things, own.things_tags');
SELECT code, message FROM refusal('TRUNCATE catalogue.tags CASCADE');
SELECT code FROM refusal('TRUNCATE catalogue.organizations CASCADE');
SELECT names(catalogue.list('things')) AS things, (catalogue.count('things')).data AS count,
       json_array_length((catalogue.item('things', :'part')).data::json -> 'tags') AS tags,
       (catalogue.count('tags', 'things.name=piece')).data AS linked;

-- The hint for a join table does what it says.
BEGIN;
DELETE FROM own.things_tags;
SELECT (catalogue.item('things', :'part')).data::json -> 'tags' AS tags;
ROLLBACK;

-- What the service alone writes may be emptied by its owner: the number is right, and the log tells of it.
SELECT catalogue.record_statistics(E'1700000000000000\tGET\ttags\t/tags\t\t\tcurl\t127.0.0.1') > 0 AS recorded;
TRUNCATE catalogue.statistics;
SELECT (catalogue.count('statistics')).data AS count,
       (SELECT string_agg(action::text, ', ')
        FROM catalogue.logs
        WHERE target = 'statistic' AND resource = '*') AS logged;
TRUNCATE catalogue.logs;
SELECT (catalogue.count('logs')).data AS count, action, target, resource FROM catalogue.logs;

-- Cleared: rows, links, history and numbers are gone, of the present and of earlier instants; the tags go on, and the
-- log tells of it.
SELECT catalogue.clear('things') AS removed;
SELECT count(*) AS rows, (SELECT count(*) FROM own.things_tags) AS links,
       (SELECT count(*) FROM catalogue_history.things) AS history
FROM own.things;
SELECT (catalogue.list('things')).data, (catalogue.count('things')).data AS count,
       (catalogue.list('things', 'version=' || :'before')).data AS "then",
       (catalogue.count('things', 'version=' || :'before')).data AS count_then;
SELECT code, message FROM refusal(format('SELECT catalogue.item(%L, %L)', 'things', :'whole'));
SELECT code FROM refusal(format('SELECT catalogue.restore(%L, %L)', 'things', :'part'));
SELECT (catalogue.count('tags', 'things.name=piece')).data AS linked,
       (catalogue.related('tags', id_of('tags', 'water'), 'things')).data AS related;
SELECT action, target, resource FROM catalogue.logs WHERE target = 'thing';
SELECT * FROM traces('things');

-- It goes on from there.
SELECT make('things', '{"name": "new"}') AS new \gset
SELECT names(catalogue.list('things')), (catalogue.count('things')).data AS count;

-- The other side of a join table: the lists of those that were linked are empty.
SELECT resource
FROM catalogue.update('things', :'new', json_build_object('tags', json_build_array(id_of('tags', 'water'))),
    actor => admin());
SELECT catalogue.clear('tags') > 0 AS removed;
SELECT (catalogue.item('things', :'new')).data::json -> 'tags' AS tags,
       (SELECT count(*) FROM catalogue.datasets d WHERE d.tags_ids <> '{}') AS listed,
       (catalogue.count('tags')).data AS count;

-- Together with what the transaction did before, and taken back with a savepoint or the transaction.
SELECT version AS before FROM catalogue.list('things') \gset
BEGIN;
SELECT make('things', '{"name": "passing"}') IS NOT NULL AS made;
SAVEPOINT here;
SELECT catalogue.clear('things') AS removed;
ROLLBACK TO here;
SELECT (catalogue.count('things')).data AS count;
SELECT catalogue.clear('things') AS removed;
SELECT make('things', '{"name": "late"}') IS NOT NULL AS made;
COMMIT;
SELECT names(catalogue.list('things')), (catalogue.count('things')).data AS count,
       (catalogue.count('things', 'version=' || :'before')).data AS count_then;
BEGIN;
SELECT catalogue.clear('things') AS removed;
ROLLBACK;
SELECT names(catalogue.list('things')), (catalogue.count('things')).data AS count;
-- Twice in a transaction.
SELECT version AS before FROM catalogue.list('things') \gset
BEGIN;
SELECT make('things', '{"name": "passing"}') IS NOT NULL AS made;
SELECT catalogue.clear('things') AS removed, make('things', '{"name": "soon gone"}') IS NOT NULL AS made;
SELECT catalogue.clear('things') AS removed, make('things', '{"name": "latest"}') IS NOT NULL AS made;
COMMIT;
SELECT names(catalogue.list('things')), (catalogue.count('things')).data AS count,
       (catalogue.count('things', 'version=' || :'before')).data AS count_then;

-- Refused where records of others refer to one, deleted ones too; with the counts, and nothing is gone.
SELECT * FROM refusal($$SELECT catalogue.clear('files')$$);
SELECT code, message FROM refusal($$SELECT catalogue.clear('categories')$$);
SELECT code FROM refusal($$SELECT catalogue.clear('users')$$);
SELECT resource FROM catalogue.charts c, catalogue.delete('charts', c.id, admin()) WHERE c.deleted_at IS NULL;
SELECT resource FROM catalogue.maps m, catalogue.delete('maps', m.id, admin()) WHERE m.deleted_at IS NULL;
SELECT code, message, detail FROM refusal($$SELECT catalogue.clear('files')$$);

-- In turn: what stands in the way first. The bytes and rows of files go along.
SELECT catalogue.contents_load((SELECT min(id) FROM catalogue.files), '[["a"],["1"]]') IS NOT NULL AS loaded;
SELECT count(*) AS sheets FROM catalogue.sheet;
SELECT catalogue.clear('charts') > 0 AS charts, catalogue.clear('maps') > 0 AS maps,
       catalogue.clear('files') > 0 AS files, catalogue.clear('datasets') > 0 AS datasets;
SELECT (SELECT count(*) FROM catalogue.sheet) AS sheets, (SELECT count(*) FROM catalogue.stored_file) AS stored,
       (SELECT count(*) FROM catalogue.datasets_categories) AS links, (catalogue.count('datasets')).data AS datasets;
SELECT catalogue.clear('logs') > 0 AS logs;
SELECT (catalogue.count('logs')).data AS count, target, resource FROM catalogue.logs;

-- All is as it should be, but for the log, which was emptied.
SELECT f.* FROM catalogue.check_all() f WHERE f.kind NOT IN ('log', 'upkeep');

-- Wrong calls; and the roles of the service may not.
SELECT code, message FROM unnest('{NULL,nothing}'::text[]) r, refusal(format('SELECT catalogue.clear(%L)', r));
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT code, message FROM refusal($$SELECT catalogue.clear('things')$$);
ROLLBACK;
SELECT r AS role, has_function_privilege(r, 'catalogue.clear(text)', 'EXECUTE') AS clears,
       has_function_privilege(r, 'catalogue.remove_rows(text)', 'EXECUTE') AS removes
FROM unnest('{catalogue_owner,catalogue_shim,catalogue_worker,catalogue_reader,public}'::text[]) r;

-- Dropped: nothing of it stays; rolled back, all of it does.
SELECT * FROM traces('things');
BEGIN;
DROP TABLE own.things CASCADE;
SELECT * FROM traces('things');
ROLLBACK;
SELECT * FROM traces('things');
SELECT names(catalogue.list('things'));
DROP TABLE own.things CASCADE;
SELECT * FROM traces('things');
SELECT code, message FROM refusal($$SELECT catalogue.list('things')$$);

-- A table of the same name begins anew.
DROP TABLE own.things_tags;
SELECT make_things();
SELECT (catalogue.list('things')).data, (catalogue.count('things')).data AS count,
       (catalogue.count('things', 'version=' || :'before')).data AS "then";
SELECT make('things', '{"name": "again"}') IS NOT NULL AS made;

-- With its schema; by somebody who has no right on the catalogue; and hidden.
CREATE ROLE regress_drop;
GRANT ALL ON SCHEMA own TO regress_drop;
ALTER TABLE own.things OWNER TO regress_drop;
SET ROLE regress_drop;
DROP TABLE own.things CASCADE;
RESET ROLE;
SELECT * FROM traces('things');
DROP SCHEMA own CASCADE;
DROP OWNED BY regress_drop;
DROP ROLE regress_drop;
CREATE SCHEMA own;
SELECT make_things();
DROP SCHEMA own CASCADE;
SELECT * FROM traces('things');
CREATE SCHEMA own;
SELECT make_things();
SELECT make('things', '{"name": "hidden"}') IS NOT NULL AS made;
SELECT catalogue.hide('things');
SELECT * FROM traces('things');
SELECT count(*) FROM own.things;
SELECT catalogue.expose('own.things', 'Thing');
SELECT names(catalogue.list('things')), (catalogue.count('things')).data AS count;

-- A history that is dropped is missed by no call; the next expose() makes it again.
SELECT version AS before FROM catalogue.list('things') \gset
DROP TABLE catalogue_history.things;
SELECT names(catalogue.list('things')), names(catalogue.list('things', 'version=' || :'before')) AS "then";
SELECT resource
FROM catalogue.update('things', (catalogue.first('things')).id, '{"name": "changed"}', actor => admin());
SELECT catalogue.expose('own.things', 'Thing');
SELECT resource FROM catalogue.update('things', (catalogue.first('things')).id, '{"name": "kept"}', actor => admin());
SELECT count(*) FROM catalogue_history.things;
