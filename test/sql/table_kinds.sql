--
-- table_kinds: what can be a resource or a join table, and what becomes of one that changes behind expose()
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\set ECHO none
CREATE SCHEMA own;
-- The columns that every resource needs.
SELECT 'id catalogue.id, name varchar(20), created_at timestamptz NOT NULL DEFAULT now(), '
    'updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz' AS columns \gset
CREATE FUNCTION exposed(name text) RETURNS TABLE (code text, message text, detail text, hint text) LANGUAGE sql AS
$$
    SELECT r.code, regexp_replace(r.message, 'pg_temp_\d+', 'pg_temp'), r.detail, r.hint
    FROM refusal(format('SELECT catalogue.expose(%L, %L)', $1, 'Thing')) r
$$;
CREATE FUNCTION reads(name text) RETURNS TABLE (call text, code text, message text, detail text, hint text)
    LANGUAGE sql AS
$$
    SELECT c.call, r.* FROM (VALUES (1, 'list'), (2, 'first'), (3, 'count')) c(n, call),
        LATERAL refusal(format('SELECT (catalogue.%s(%L)).data', c.call, $1)) r ORDER BY n
$$;
\set ECHO all

-- What is no ordinary permanent table is refused, with what it is and what to do; nothing of it stays behind.
CREATE TABLE own.parted (:columns, PRIMARY KEY (id)) PARTITION BY HASH (id);
CREATE TABLE own.part PARTITION OF own.parted FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE UNLOGGED TABLE own.unlogged (:columns, PRIMARY KEY (id));
CREATE TEMPORARY TABLE passing (:columns, PRIMARY KEY (id));
CREATE TABLE own.parent (:columns, PRIMARY KEY (id));
CREATE TABLE own.child (PRIMARY KEY (id)) INHERITS (own.parent);
CREATE VIEW own.viewed AS SELECT * FROM own.parent;
CREATE MATERIALIZED VIEW own.kept AS SELECT * FROM own.parent;
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE own.far (:columns) SERVER nowhere;
CREATE TYPE own.composite AS (id catalogue.id);
CREATE ACCESS METHOD odd TYPE TABLE HANDLER heap_tableam_handler;
CREATE TABLE own.odd (:columns, PRIMARY KEY (id)) USING odd;
SELECT t AS table, e.*
FROM unnest(
    '{own.parted,own.part,own.unlogged,pg_temp.passing,own.parent,own.child,own.viewed,own.kept,own.far,own.composite,
        own.parent_pkey,own.odd}'::text[]) WITH ORDINALITY u(t,
    n),
    LATERAL exposed(t) e ORDER BY n;
SELECT count(*) FROM catalogue.resource r WHERE r.relation::text LIKE 'own.%' OR r.relation::text LIKE '%passing';
SELECT count(*) FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'own.%' AND NOT tgisinternal;

-- An ordinary one is taken.
CREATE TABLE own.things (:columns, PRIMARY KEY (id));
SELECT catalogue.expose('own.things', 'Thing', searchable => '{name}');
SELECT resource FROM catalogue.create('things', '{"name": "first"}', actor => admin());

-- One that is partitioned when it was exposed before, as by an earlier version: reading it ends no backend.
INSERT INTO catalogue.resource (resource, model, relation, searchable)
    VALUES ('parted', 'Part', 'own.parted', '{name}');
INSERT INTO own.parted (id, name) VALUES ('a', 'first');
SELECT * FROM reads('parted');
SELECT code, message FROM refusal($$SELECT catalogue.search('query=first&resources=parted')$$);
SELECT code, message FROM refusal($$SELECT catalogue.create('parted', '{"name": "second"}', actor => admin())$$);
SELECT catalogue.hide('parted');

-- Made a parent: refused until the child is gone, in a session that has read it before and in a new one; others go on.
SELECT names(catalogue.list('things'));
CREATE TABLE own.heirs () INHERITS (own.things);
INSERT INTO own.heirs (id, name) VALUES ('b', 'heir');
SELECT * FROM reads('things');
SELECT code, message, detail FROM refusal($$INSERT INTO own.things (name) VALUES ('second')$$);
SELECT names(catalogue.list('tags', 'name=water'));
-- What is made of all resources leaves it out.
SELECT d.data::jsonb -> 'resources' ? 'things' AS described, d.data::jsonb -> 'resources' ? 'tags' AS others
FROM catalogue.describe_all(admin()) d;
SELECT e.data::jsonb ? 'things' AS entered, e.data::jsonb ? 'tags' AS others FROM catalogue.entry('', admin()) e;
SELECT s.data::jsonb ? 'things' AS searched, s.data::jsonb ? 'tags' AS others
FROM catalogue.search('query=water', actor => admin()) s;
\connect -
\set ECHO none
SET search_path = test;
SET client_min_messages = warning;
\set ECHO all
SELECT * FROM reads('things');
ALTER TABLE own.heirs NO INHERIT own.things;
SELECT names(catalogue.list('things'));
SELECT '&version=' || version AS then FROM catalogue.list('things') \gset
SELECT resource FROM catalogue.create('things', '{"name": "second"}', actor => admin());
SELECT names(catalogue.list('things', substr(:'then', 2))) AS then, names(catalogue.list('things')) AS now;

-- Made a child.
ALTER TABLE own.things INHERIT own.heirs;
SELECT * FROM reads('things');
ALTER TABLE own.things NO INHERIT own.heirs;
SELECT names(catalogue.list('things'));

-- Unlogged, and a partition of another.
ALTER TABLE own.things SET UNLOGGED;
SELECT * FROM reads('things');
ALTER TABLE own.things SET LOGGED;
SELECT names(catalogue.list('things'));
CREATE TABLE own.whole (LIKE own.things) PARTITION BY LIST (name);
ALTER TABLE own.whole ATTACH PARTITION own.things DEFAULT;
SELECT * FROM reads('things');
SELECT code, message FROM refusal($$INSERT INTO own.whole (id, name) VALUES ('c', 'third')$$);
ALTER TABLE own.whole DETACH PARTITION own.things;
SELECT names(catalogue.list('things'));

-- Within a call, which has read the definition: it is told to make the call again.
CREATE FUNCTION own.turn() RETURNS trigger
    LANGUAGE plpgsql AS $$
        BEGIN PERFORM catalogue.count('things');
        CREATE TABLE own.late () INHERITS (own.things);
        RETURN NEW;
        END
    $$;
CREATE TRIGGER turn AFTER INSERT ON catalogue.tags FOR EACH ROW EXECUTE FUNCTION own.turn();
SELECT code FROM refusal($$SELECT catalogue.create('tags', '{"name": "turning"}', actor => admin())$$);
SELECT * FROM reads('things');
DROP TRIGGER turn ON catalogue.tags;
SELECT names(catalogue.list('things'));

-- Dropped, and a view of that name made: there is no such resource.
DROP TABLE own.things;
CREATE VIEW own.things AS SELECT * FROM own.parent;
SELECT call, code, message FROM reads('things');
SELECT * FROM exposed('own.things');

-- Row security: what a policy hides is in no read, of the present or of the past.
CREATE TABLE own.secured (:columns, PRIMARY KEY (id));
SELECT catalogue.expose('own.secured', 'Secured');
SELECT resource FROM catalogue.create('secured', '{"name": "open"}', actor => admin());
SELECT resource FROM catalogue.create('secured', '{"name": "closed"}', actor => admin());
SELECT '&version=' || version AS then FROM catalogue.list('secured') \gset
SELECT resource FROM catalogue.create('secured', '{"name": "later"}', actor => admin());
ALTER TABLE own.secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON own.secured USING (name <> 'closed');
CREATE ROLE regress_table_kinds_reader IN ROLE catalogue_owner;
GRANT USAGE ON SCHEMA own, test TO catalogue_owner;
SET ROLE regress_table_kinds_reader;
SELECT names(catalogue.list('secured')) AS now, names(catalogue.list('secured', substr(:'then', 2))) AS then,
       (catalogue.last('secured', substr(:'then', 2))).data::json ->> 'name' AS last;
RESET ROLE;
DROP ROLE regress_table_kinds_reader;

-- Indexes that are not what their columns say serve no read: of another method, descending, of another order of texts.
CREATE TABLE own.indexed (:columns, PRIMARY KEY (id));
CREATE INDEX indexed_order ON own.indexed USING brin (created_at, id) WHERE deleted_at IS NULL;
SELECT catalogue.expose('own.indexed', 'Indexed');
INSERT INTO own.indexed (id, name) VALUES ('b', 'two'), ('a', 'one'), ('c', 'three');
SELECT names(catalogue.list('indexed')) AS brin;
DROP INDEX own.indexed_order;
CREATE INDEX indexed_order ON own.indexed (created_at, id DESC) WHERE deleted_at IS NULL;
SELECT names(catalogue.list('indexed')) AS descending, names(catalogue.list('indexed', 'limit=1')) AS page;
DROP INDEX own.indexed_order;
CREATE INDEX indexed_order ON own.indexed (created_at, id COLLATE "und-x-icu") WHERE deleted_at IS NULL;
INSERT INTO own.indexed (id, name, created_at) VALUES ('y', 'four', '2020-01-01'), ('Z', 'five', '2020-01-01');
SELECT names(catalogue.list('indexed')) AS collated;

-- A join table is an ordinary one too.
SELECT 'thing catalogue.id NOT NULL CONSTRAINT labels REFERENCES own.indexed, '
    'tag catalogue.id NOT NULL CONSTRAINT indexed REFERENCES catalogue.tags, '
    'position integer NOT NULL DEFAULT 1, deleted_at timestamptz' AS links \gset
CREATE UNLOGGED TABLE own.joined (:links);
SELECT * FROM refusal($$SELECT catalogue.expose_links('own.joined')$$);
DROP TABLE own.joined;
CREATE TABLE own.joined (:links, thing_created_at timestamptz NOT NULL DEFAULT now()) PARTITION BY HASH (thing);
CREATE TABLE own.joined_part PARTITION OF own.joined FOR VALUES WITH (MODULUS 1, REMAINDER 0);
SELECT * FROM refusal($$SELECT catalogue.expose_links('own.joined')$$);

-- Two keys relate all the same, without lists: a partitioned one is read by statements, and each relation is there
-- once.
CREATE INDEX ON own.joined (tag, deleted_at, thing_created_at, thing);
INSERT INTO own.joined (thing, tag) VALUES ('a', id_of('tags', 'water')), ('y', id_of('tags', 'water'));
SELECT relation, target, via FROM catalogue.relation WHERE resource = 'indexed';
SELECT names(catalogue.list('indexed', 'labels=' || id_of('tags', 'water'))) AS by_id,
       names(catalogue.list('indexed', 'labels.name=water&limit=1')) AS by_name,
       names(catalogue.related('tags', id_of('tags', 'water'), 'indexed')) AS related;

-- So is one from which another inherits.
DROP TABLE own.joined;
CREATE TABLE own.joined (:links);
SELECT catalogue.expose_links('own.joined');
INSERT INTO own.joined (thing, tag) VALUES ('a', id_of('tags', 'water'));
CREATE TABLE own.more () INHERITS (own.joined);
INSERT INTO own.more (thing, tag) VALUES ('y', id_of('tags', 'water'));
SELECT names(catalogue.related('tags', id_of('tags', 'water'), 'indexed')) AS related,
       names(catalogue.list('indexed', 'labels.name=water')) AS listed;
