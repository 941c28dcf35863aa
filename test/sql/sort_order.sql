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
CREATE FUNCTION sorts(query text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    line    text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN SELECT * FROM catalogue.ponds t WHERE t.deleted_at IS NULL ORDER BY ' || query
            || ' LIMIT 20' LOOP
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
    sorts('t.updated_at ASC, t.id ASC') AS by_time, sorts('t.updated_at DESC, t.id DESC') AS by_time_desc,
    sorts('t.created_at ASC, t.depth ASC') AS by_another;
SELECT d.direction, string_agg(DISTINCT coalesce(r ->> 'depth', 'none'), ',') AS first_page
FROM (VALUES ('ASC'), ('DESC')) d(direction),
    catalogue.list('ponds', 'orderBy=depth&limit=20&sort=' || d.direction, actor => admin()) l,
    json_array_elements(l.data::json) r
GROUP BY 1 ORDER BY 1;
SELECT code, message, hint FROM refusal($$SELECT catalogue.expose('ponds', 'Pond', ordered => '{width}')$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.expose('ponds', 'Pond', ordered => '{notes}')$$);
