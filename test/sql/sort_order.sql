--
-- sort_order: by which values records are sorted, and that the order is the same on every page
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE TABLE catalogue.samples (
    id catalogue.id PRIMARY KEY, name text, role catalogue.role, flag boolean, whole integer, exact numeric,
    at timestamptz, day date, object json, binary_object jsonb, list catalogue.json_array, place point, token uuid,
    secret catalogue.secret,
    parent catalogue.id CONSTRAINT children REFERENCES catalogue.samples, status catalogue.id
    REFERENCES catalogue.statuses,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz, deactivated_at timestamptz
);
SELECT catalogue.expose('samples', 'Sample', actions => '{deactivate}');
INSERT INTO catalogue.samples (name, role, flag, whole, exact, at, day, object, binary_object, list, place, token,
    secret, status)
    VALUES
    ('öl', 'superadmin', true, 10, 10.5, '2026-02-01T00:00:00.000001Z', '2026-02-01', '{"b":1}', '{"b":1}', '["b"]',
        '(1,1)', 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'c', 'qWRhpRV'),
    ('Oma', 'guest', false, 9, 9, '2026-02-01T00:00:00Z', '2025-12-31', '{"a":2}', '{"a":2}', '["B"]', '(0,1)',
        'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'b', 'nWRhpRV'),
    ('ola', 'admin', NULL, -1, 100, '1999-12-31T00:00:00Z', '2026-01-01', '{"a":10}', '{"a":10}', '["a"]', NULL, NULL,
        'a', 'pWRhpRV'),
    (NULL, NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '(0,0)', NULL, NULL, NULL),
    ('ñu', 'guest', false, 9, 9.0, NULL, NULL, '[]', '[]', '[]', NULL, NULL, NULL, 'qWRhpRV'),
    ('nube', 'guest', NULL, 2, 1e3, NULL, NULL, '1', '1', NULL, NULL, NULL, NULL, NULL);
UPDATE catalogue.samples SET parent = (SELECT id FROM catalogue.samples WHERE name = 'Oma') WHERE name IN ('ola', 'ñu');
UPDATE catalogue.samples
SET parent = (SELECT id FROM catalogue.samples WHERE name = 'ola')
WHERE name IN ('Oma', 'nube');

CREATE FUNCTION sorted(query text, actor jsonb DEFAULT NULL) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(coalesce(r ->> 'name', '-'), ' ' ORDER BY n)
    FROM catalogue.list('samples', query, 'ids', actor) l, json_array_elements(l.data::json) WITH ORDINALITY e(r, n)
$$;

-- Each type in its own order, those that have none by their text; nulls are last either way.
SELECT f AS "orderBy", sorted('orderBy=' || f) AS asc, sorted('sort=DESC&orderBy=' || f) AS desc
FROM unnest(
    '{name,role,flag,whole,exact,at,day,object,binaryObject,list,place,token,status,
        createdAt}'::text[]) WITH ORDINALITY e(f,
    n)
ORDER BY n;

-- The order of text is that of ICU's root collation, whatever that of the column, the database or the session.
ALTER TABLE catalogue.samples ALTER name TYPE text COLLATE "C";
SELECT sorted('orderBy=name') AS of_column_c;

-- Several fields, several directions; the last direction holds for the rest; fewer fields than directions.
SELECT q AS query, sorted(q)
FROM unnest(
    '{"orderBy=role,name","orderBy=role,name&sort=DESC,ASC","orderBy=role,name&sort=ASC,DESC",
        "orderBy=flag,whole,name&sort=desc,asc","orderBy=name&sort=DESC,ASC","orderBy=whole,exact,name",
        "orderBy=name,name&sort=ASC,DESC"}'::text[]) WITH ORDINALITY e(q,
    n)
ORDER BY n;

-- Related fields over to-one relations, up to four names.
SELECT q AS query, sorted('orderBy=' || q)
FROM unnest(
    '{"status.name,name","parent.name,name","parent.parent.name,name",
        "parent.parent.parent.name,name"}'::text[]) WITH ORDINALITY e(q,
    n)
ORDER BY n;

-- What is deactivated is no related record to outsiders, deletedAt no field; users are sorted by both.
UPDATE catalogue.samples SET deactivated_at = '2026-01-01' WHERE name = 'Oma';
SELECT sorted('orderBy=parent.name,name', '{}') AS outsider, sorted('orderBy=parent.name,name', admin()) AS insider,
       sorted('orderBy=deletedAt,name', admin()) AS by_deletion;
SELECT code, message FROM refusal($$SELECT catalogue.list('samples', 'orderBy=deletedAt', 'ids', '{}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.list('samples', 'orderBy=parent.deletedAt', 'ids', '{}')$$);
UPDATE catalogue.samples SET deactivated_at = NULL;

-- Secrets, unknown names, to-many relations, five names and no name at all: refused in the same words.
SELECT f AS "orderBy", code, message, hint
FROM unnest(
    '{secret,nonesuch,parent.secret,parent.nonesuch,deactivatedAt,children,children.name,status.samples,
        parent.parent.parent.parent.name,parent.,.name,name.x,NAME,"name desc","name;","(select 1)",",",
        name[gte]}'::text[]) WITH ORDINALITY e(f,
    n),
    LATERAL refusal(format('SELECT catalogue.list(%L, %L)', 'samples', 'orderBy=' || f))
ORDER BY n;

-- Pages of one, two and three, put together, are the whole list: by every field and both ways, though most values are
-- the same.
INSERT INTO catalogue.samples (name, role, flag, whole)
SELECT (ARRAY['a', 'A', 'á', NULL])[n % 4 + 1], (ARRAY['admin', 'guest'])[n % 2 + 1]::catalogue.role, n % 3 = 0, n % 2
FROM generate_series(1, 20) n;
SELECT f, size, direction
FROM unnest(
    '{name,role,flag,whole,at,object,place,token,createdAt,updatedAt,id,status.name,parent.name,"role,name",
        "flag,whole"}'::text[]) f,
    generate_series(1, 3) size, unnest('{ASC,DESC}'::text[]) direction,
    LATERAL (SELECT string_agg(r ->> 'id', ',' ORDER BY n) AS ids
             FROM catalogue.list('samples', format('limit=100&fields=id&orderBy=%s&sort=%s', f, direction)) l,
                 json_array_elements(l.data::json) WITH ORDINALITY e(r, n)) whole,
    LATERAL (SELECT string_agg(r ->> 'id', ',' ORDER BY s, n) AS ids
             FROM generate_series(0, 25, size) s,
                 LATERAL catalogue.list('samples',
                     format('limit=%s&skip=%s&fields=id&orderBy=%s&sort=%s', size, s, f, direction)) l,
                 json_array_elements(l.data::json) WITH ORDINALITY e(r, n)) pages
WHERE whole.ids IS DISTINCT FROM pages.ids OR length(whole.ids) <> 26 * 16 - 1;
-- The same with filters; and last is the last of it.
SELECT f FROM unnest('{name,flag,status.name}'::text[]) f,
    LATERAL (SELECT l.data::json -> -1 ->> 'id' AS last, l.data::json -> 0 ->> 'id' AS first
             FROM catalogue.list('samples', 'limit=100&fields=id&name=a,n&orderBy=' || f) l) whole
WHERE (last, first) <> ((catalogue.last('samples', 'name=a,n&orderBy=' || f)).id,
    (catalogue.first('samples', 'name=a,n&orderBy=' || f)).id);

-- What is given twice: the last counts for order, direction, limit, skip, match and condition.
SELECT sorted('orderBy=name&orderBy=whole,name&limit=3') = sorted('orderBy=whole,name&limit=3') AS "orderBy",
    sorted('orderBy=name&sort=ASC&sort=DESC&limit=3') = sorted('orderBy=name&sort=DESC&limit=3') AS sort,
    sorted('limit=5&limit=2&skip=1&skip=2&orderBy=name') = sorted('limit=2&skip=2&orderBy=name') AS page,
    sorted('match=EXACT&match=ENDS&name=u') AS match, sorted('condition=OR&condition=AND&name=o&whole=9') AS condition;
-- The first of two must be right as well.
SELECT code, message FROM refusal($$SELECT catalogue.list('samples', 'limit=x&limit=1')$$);

-- Columns by which expose() has lists read from an index, in both directions, with nulls behind all values.
CREATE TYPE depth AS ENUM ('shallow', 'deep');
CREATE TABLE catalogue.ponds (id catalogue.id PRIMARY KEY, name varchar(50), depth depth, notes json,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SELECT catalogue.expose('ponds', 'Pond', ordered => '{name,depth,updated_at}');
SELECT indexdef FROM pg_indexes WHERE tablename = 'ponds' AND indexname LIKE '%\_by\_%' ORDER BY 1;
INSERT INTO catalogue.ponds (name, depth)
SELECT CASE WHEN n % 10 > 0 THEN 'Pond ' || n END, (enum_range(NULL::depth))[n % 3] FROM generate_series(1, 3000) n;
ANALYZE catalogue.ponds;
CREATE FUNCTION sorts(query text, source text DEFAULT '') RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    line    text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN SELECT * FROM catalogue.ponds t %s '
            'WHERE t.deleted_at IS NULL ORDER BY %s LIMIT 20',
            source, query) LOOP
        IF line ~ 'Sort Key' THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END
$$;
SELECT sorts('t.name COLLATE "und-x-icu" ASC NULLS LAST, t.id ASC') AS by_name,
    sorts('t.name COLLATE "und-x-icu" DESC NULLS LAST, t.id DESC') AS by_name_desc,
    sorts('t.depth ASC NULLS LAST, t.id ASC') AS by_depth,
    sorts('t.depth DESC NULLS LAST, t.id DESC') AS by_depth_desc,
    sorts('t.created_at ASC, t.depth ASC') AS by_another;
SELECT d.direction, string_agg(DISTINCT coalesce(r ->> 'depth', 'none'), ',') AS first_page
FROM (VALUES ('ASC'), ('DESC')) d(direction),
    catalogue.list('ponds', 'orderBy=depth&limit=20&sort=' || d.direction, actor => admin()) l,
    json_array_elements(l.data::json) r
GROUP BY 1 ORDER BY 1;

-- By the time of the last change: of rows of their own, so that a change of a record writes no index of its table.
CREATE FUNCTION by_update(query text DEFAULT '', actor jsonb DEFAULT admin()) RETURNS text[] LANGUAGE sql AS
$$
    SELECT array_agg(r ->> 'id' ORDER BY n)
    FROM catalogue.list('ponds', 'fields=id&orderBy=updatedAt' || query, actor => actor) l,
        json_array_elements(l.data::json) WITH ORDINALITY e(r, n)
$$;
CREATE FUNCTION by_table(direction text, filter text DEFAULT 'true') RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    ids  text[];
BEGIN
    EXECUTE format('SELECT array_agg(t.id::text ORDER BY t.updated_at %1$s, t.id %1$s) FROM catalogue.ponds t '
        'WHERE t.deleted_at IS NULL AND %2$s', direction, filter) INTO ids;
    RETURN ids;
END
$$;
CREATE VIEW order_faults AS
SELECT d.direction, by_update('&limit=10000&sort=' || d.direction) <> by_table(d.direction) AS list,
    by_update('&limit=7&skip=100&sort=' || d.direction) <> (by_table(d.direction))[101:107] AS page,
    by_update('&limit=10000&depth=shallow&sort=' || d.direction)
        <> by_table(d.direction, 't.depth = ''shallow''') AS filtered,
    (SELECT string_agg(c.problem, '; ') FROM catalogue.check_update_order('ponds') c) AS problem
FROM (VALUES ('ASC'), ('DESC')) d(direction);
TABLE order_faults;
ANALYZE catalogue.update_order;
SELECT sorts(format('u.updated_at %1$s, u.id %1$s', d.direction),
    'JOIN catalogue.update_order u ON u.resource = ''ponds'' AND u.id = t.id')
FROM (VALUES ('ASC'), ('DESC')) d(direction);
CREATE FUNCTION heap_only(statement text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    before  bigint;
BEGIN
    before := pg_stat_get_xact_tuples_hot_updated('catalogue.ponds'::regclass);
    EXECUTE statement;
    RETURN pg_stat_get_xact_tuples_hot_updated('catalogue.ponds'::regclass) > before;
END
$$;
ALTER TABLE catalogue.ponds SET (fillfactor = 50);
INSERT INTO catalogue.ponds (name) VALUES ('the last');
SELECT heap_only($$UPDATE catalogue.ponds SET notes = '{}' WHERE name = 'the last'$$);
-- Some change, are deleted, restored, and all that in one transaction; nothing changes by an update to what is there.
UPDATE catalogue.ponds SET notes = '[1]' WHERE name LIKE '%7';
TABLE order_faults;
DELETE FROM catalogue.ponds WHERE name LIKE '%8';
TABLE order_faults;
UPDATE catalogue.ponds SET deleted_at = NULL WHERE name LIKE '%18';
TABLE order_faults;
BEGIN;
INSERT INTO catalogue.ponds (name) VALUES ('gone soon'), ('stays');
UPDATE catalogue.ponds SET notes = '[2]' WHERE name IN ('gone soon', 'stays', 'Pond 1', 'Pond 2');
DELETE FROM catalogue.ponds WHERE name IN ('gone soon', 'Pond 1');
UPDATE catalogue.ponds SET deleted_at = NULL WHERE name = 'Pond 1';
SAVEPOINT before;
UPDATE catalogue.ponds SET notes = '[3]';
DELETE FROM catalogue.ponds WHERE name LIKE '%9';
ROLLBACK TO before;
TABLE order_faults;
COMMIT;
TABLE order_faults;
UPDATE catalogue.ponds SET notes = notes;
TABLE order_faults;
SELECT by_update('&limit=1&sort=DESC') = by_update('&limit=1&sort=DESC', '{}') AS outsider;
-- Pages by cursors, forwards and back, are the list.
CREATE FUNCTION walked(direction text) RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    ids     text[] := '{}';
    page    record;
    cursor  text := '';
BEGIN
    LOOP
        SELECT l.next, (SELECT array_agg(r ->> 'id') FROM json_array_elements(l.data::json) r) AS ids INTO page
        FROM catalogue.list('ponds', format('fields=id&limit=700&orderBy=updatedAt&sort=%s%s', direction, cursor),
            actor => admin()) l;
        ids := ids || page.ids;
        EXIT WHEN page.next IS NULL;
        cursor := '&after=' || page.next;
    END LOOP;
    RETURN ids;
END
$$;
SELECT d.direction, walked(d.direction) = by_table(d.direction) AS walked FROM (VALUES ('ASC'), ('DESC')) d(direction);
-- Both plans give the same: few records by their own index, many by the order.
SELECT by_update('&limit=5&name[eq]=Pond 2') = by_table('ASC', 't.name = ''Pond 2''') AS one;
-- Another column behind it.
SELECT by_update(',name&limit=10000')
    = (SELECT array_agg(t.id::text ORDER BY t.updated_at, t.name COLLATE "und-x-icu", t.id)
       FROM catalogue.ponds t WHERE t.deleted_at IS NULL) AS two_columns;
-- What triggers have not followed is found and mended.
ALTER TABLE catalogue.ponds DISABLE TRIGGER USER;
UPDATE catalogue.ponds SET updated_at = '2020-01-01' WHERE name IN ('Pond 2', 'Pond 3');
INSERT INTO catalogue.ponds (id, name) VALUES ('pond', 'by the way');
ALTER TABLE catalogue.ponds ENABLE TRIGGER USER;
SELECT problem, remedy, hint FROM catalogue.check_update_order('ponds');
SELECT catalogue.recount('ponds') > 0 AS recounted;
TABLE order_faults;
-- A record whose row was left behind can be made anew.
ALTER TABLE catalogue.ponds DISABLE TRIGGER USER;
DELETE FROM catalogue.ponds WHERE id = 'pond';
ALTER TABLE catalogue.ponds ENABLE TRIGGER USER;
SELECT problem FROM catalogue.check_update_order('ponds');
INSERT INTO catalogue.ponds (id, name) VALUES ('pond', 'once more');
DELETE FROM catalogue.ponds WHERE id = 'pond';
INSERT INTO catalogue.update_order (resource, id, updated_at) VALUES ('ponds', 'pond', '2020-01-01');
UPDATE catalogue.ponds SET deleted_at = NULL WHERE id = 'pond';
TABLE order_faults;
-- A list of deleted records, an earlier version, and a resource that is no longer ordered so are sorted by their rows.
SELECT l.version, by_update('&limit=10000') AS earlier FROM catalogue.list('ponds', 'limit=1', actor => admin()) l \gset
UPDATE catalogue.ponds SET notes = '[4]' WHERE name LIKE '%4';
SELECT by_update('&limit=10000&version=' || :'version') = :'earlier' AS as_of,
    by_update('&limit=10000') = :'earlier' AS now;
SELECT array_length(by_update('&limit=10000&deleted=only'), 1)
    = (SELECT count(*) FROM catalogue.ponds t WHERE t.deleted_at IS NOT NULL) AS deleted;
SELECT catalogue.expose('ponds', 'Pond', ordered => '{name}');
SELECT by_update('&limit=10000') = by_table('ASC') AS unordered,
    (SELECT count(*) FROM catalogue.update_order WHERE resource = 'ponds') AS rows;
SELECT catalogue.expose('ponds', 'Pond', ordered => '{updated_at}');
TABLE order_faults;
-- A search that many records fit reads them in the order, one that few fit collects them.
SELECT catalogue.expose('ponds', 'Pond', searchable => '{name}', ordered => '{updated_at}');
INSERT INTO catalogue.ponds (name)
SELECT CASE WHEN n % 100 = 0 THEN 'Swamp ' ELSE 'Pond ' END || n FROM generate_series(10001, 20000) n;
UPDATE catalogue.ponds SET notes = '[5]' WHERE name LIKE '%11';
ANALYZE catalogue.ponds, catalogue.update_order;
SELECT q, d.direction, by_update(format('&limit=50&skip=20&%s&sort=%s', q, d.direction))
    = (by_table(d.direction, condition))[21:70] AS right
FROM (VALUES ('ASC'), ('DESC')) d(direction),
    (VALUES ('query=pond', 't.name ILIKE ''%pond%'''), ('query=swamp', 't.name ILIKE ''%swamp%'''),
        ('condition=AND&name=pond&depth=deep', 't.name ILIKE ''%pond%'' AND t.depth = ''deep''')) q(q, condition)
ORDER BY 1, 2;
SELECT catalogue.hide('ponds');
SELECT count(*) FROM catalogue.update_order WHERE resource = 'ponds';
-- Ids of a type of their own have another order: an index of the table.
CREATE TABLE catalogue.lakes (id text PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT catalogue.expose('lakes', 'Lake', ordered => '{updated_at}');
SELECT indexname FROM pg_indexes WHERE tablename = 'lakes' AND indexname LIKE '%\_by\_%';
SELECT catalogue.expose('ponds', 'Pond');
SELECT code, message, hint FROM refusal($$SELECT catalogue.expose('ponds', 'Pond', ordered => '{width}')$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.expose('ponds', 'Pond', ordered => '{notes}')$$);
