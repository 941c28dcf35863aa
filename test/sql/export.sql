--
-- export: a list as CSV and as lines of JSON, in pieces
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- All pieces of an export, one behind the other, ends of lines shown.
CREATE FUNCTION whole(resource text, query text DEFAULT '', format text DEFAULT 'csv', id text DEFAULT NULL,
    relation text DEFAULT NULL, relations text DEFAULT 'ids')
    RETURNS text LANGUAGE sql AS
$$
    SELECT replace(mask(string_agg((r).data, '' ORDER BY n)), E'\r\n', E'\\r\\n\n')
    FROM (SELECT row_number() OVER () AS n, r
          FROM (SELECT catalogue.export(resource, id, relation, query, relations, format => format) AS r) p) s
$$;

-- CSV has a line of names, then the records; lines of JSON are the records of the list as they are.
SELECT whole('updatefrequencies', 'fields=name,timePattern&limit=3');
SELECT whole('updatefrequencies', 'fields=name,timePattern&limit=3', 'ndjson');
SELECT whole('filetypes', '', 'ndjson') = mask(string_agg(r || E'\n', '' ORDER BY n)) AS same
FROM (SELECT n, r::text FROM catalogue.list('filetypes'), json_array_elements(data::json) WITH ORDINALITY e(r, n)) s;

-- The first row describes the page as a list does.
SELECT (r).resource, (r).count, (r).limit, (r).skip, (r).returned, (r).ignored, (r).etag
FROM (SELECT catalogue.export('filetypes', query => 'limit=2&skip=1&colour=red', format => 'ndjson') AS r) s;
SELECT (r).count, (r).returned, (r).data
FROM (SELECT catalogue.export('filetypes', query => 'skip=100&fields=name') AS r) s;
SELECT (r).count, (r).returned, (r).data = '' AS empty
FROM (SELECT catalogue.export('filetypes', query => 'name=nonesuch', format => 'ndjson') AS r) s;

-- Quotes where they are needed; a text that looks like a formula gets an apostrophe, a number does not.
SELECT count(make('views', json_build_object('name', 'cell ' || i, 'description', n))) AS made
FROM unnest(ARRAY['=1+1', '+1', '-1', '@x', E'\tx', E'\rx', 'a,b', '"a"', E'a\nb', '1-1', 'a=b', '''x', '=x,"y"',
    'ñu']) WITH ORDINALITY u(n,
    i);
SELECT whole('views', 'fields=description&limit=100&orderBy=createdAt&match=BEGINS&name=cell');
CREATE TABLE catalogue.readings (
    id          catalogue.id    PRIMARY KEY,
    name        varchar(20),
    amount      numeric,
    depth       integer,
    day         date,
    truth       boolean,
    facts       json,
    created_by  catalogue.id    REFERENCES catalogue.users,
    created_at  timestamptz     NOT NULL DEFAULT now(),
    updated_at  timestamptz     NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
COMMENT ON TABLE catalogue.readings IS 'Reading';
SELECT catalogue.expose('readings', 'Reading') \g /dev/null
INSERT INTO catalogue.readings (name, amount, depth, day, truth, facts)
    VALUES ('', -1.50, -7, '2026-02-28', false, '{"a": ["=1", null]}'), (NULL, NULL, NULL, NULL, NULL, NULL),
        ('null', 0, 0, '0044-03-15 BC', true, '"=1"');
SELECT whole('readings', 'fields=name,amount,depth,day,truth,facts');

-- Lists of ids with commas between; what is embedded to-one are columns, also where there is nothing, over two levels.
SELECT id_of('datasets', 'Airports') AS airports \gset
SELECT replace(whole('datasets', 'fields=name,tags,categories&limit=2'), '<id>,<id>', '<ids>') AS whole;
SELECT id = :'airports' AS updated
FROM catalogue.update('datasets', :'airports', json_build_object('tags', (SELECT json_agg(id) FROM catalogue.tags)),
    actor => admin());
SELECT whole('datasets', 'fields=name,tags&id=' || :'airports');
SELECT whole('datasets', 'fields=name,owner&include=status.name,owner.organization.name&limit=1');
SELECT whole('readings', 'fields=name,createdBy&include=createdBy.username,createdBy.email');
-- Embedded lists are JSON.
SELECT whole('categories', 'fields=name&include=datasets.name&name=transport');
SELECT split_part(whole('tags', 'limit=1', relations => 'embedded'), E'\n', 1) AS names;

-- A related list; a relation to one record is no list.
SELECT whole('datasets', 'fields=name&orderBy=name', id => :'airports', relation => 'tags');
SELECT code, message FROM refusal(format('SELECT catalogue.export(%L, %L, %L)', 'datasets', :'airports', 'owner'));
SELECT code, message FROM refusal(format('SELECT catalogue.export(%L, %L, %L)', 'datasets', :'airports', 'nonesuch'));
SELECT code, message FROM refusal(format('SELECT catalogue.export(%L, %L, %L)', 'datasets', 'nothing', 'tags'));

-- What is refused.
SELECT code, message, hint FROM refusal($$SELECT catalogue.export('tags', format => 'xlsx')$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.export('tags', format => NULL)$$);
SELECT code, message FROM refusal($$SELECT catalogue.export('planets')$$);
SELECT code, message FROM refusal($$SELECT catalogue.export('tags', query => 'limit=x')$$);
SELECT code, message FROM refusal($$SELECT catalogue.export('tags', actor => '{"user": "nobody"}')$$);

-- Nobody sees what nobody sees in the list.
SELECT (r).data
FROM (SELECT catalogue.export('statuses', query => 'limit=1', actor => '{}') AS r) s
WHERE (r).data LIKE '%deletedAt%';

-- JSON that was sent on several lines is on one line of NDJSON.
UPDATE catalogue.readings SET facts = E'{\n\t"a":\r\n [1,\n 2], "b": "x\\ny"}' WHERE name = 'null';
SELECT mask(r) AS line FROM unnest(ARRAY(SELECT (s.r).data
    FROM (SELECT catalogue.export('readings', query => 'depth=0&fields=name,facts', format => 'ndjson') AS r) s)) r;
UPDATE catalogue.readings SET facts = '"=1"' WHERE name = 'null';

-- Many records come in pieces, each record once and whole, of one snapshot: what changes while they are fetched is not
-- seen.
SET session_replication_role = replica;
INSERT INTO catalogue.readings (id, name, facts, created_by)
SELECT lpad(n::text, 15, '0'), 'many', json_build_object('n', n, 'x', repeat('x', n)), id_of('users', 'admin')
FROM generate_series(1, 1000) n;
RESET session_replication_role;
SELECT catalogue.recount('readings') \g /dev/null
BEGIN;
DECLARE pieces CURSOR FOR
SELECT (s.r).count, (s.r).returned, (s.r).data
FROM (SELECT catalogue.export('readings', query => 'name=many&limit=900&fields=facts&orderBy=id',
    format => 'ndjson') AS r) s;
CREATE TEMP TABLE fetched (n serial, count bigint, returned integer, data text);
CREATE FUNCTION fetch_one() RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    pieces  CONSTANT refcursor := 'pieces';
    piece   record;
BEGIN
    FETCH pieces INTO piece;
    IF FOUND THEN INSERT INTO fetched (count, returned, data) VALUES (piece.count, piece.returned, piece.data); END IF;
    RETURN FOUND;
END
$$;
SELECT fetch_one();
UPDATE catalogue.readings SET name = 'changed', facts = 'null' WHERE name = 'many';
SELECT fetch_one();
DELETE FROM catalogue.readings WHERE name = 'changed';
SELECT count(*) > 2 AS several FROM (SELECT fetch_one() AS more FROM generate_series(1, 100) OFFSET 0) s WHERE more;
SELECT min(count) AS count, min(returned) AS returned, bool_and(length(data) BETWEEN 1 AND 200000) AS bounded
FROM fetched;
SELECT count(*), count(DISTINCT r ->> 'id'), sum((r -> 'facts' ->> 'n')::int),
       bool_and(length(r -> 'facts' ->> 'x') = (r -> 'facts' ->> 'n')::int) AS whole
FROM (SELECT line::json AS r
      FROM regexp_split_to_table((SELECT string_agg(data, '' ORDER BY n) FROM fetched), '\n') line
      WHERE line <> '') l;
ROLLBACK;

-- So do embedded records.
SELECT count(*) AS pieces,
       sum(regexp_count(data,
           '"createdBy":\{"id":"[^"]*","username":"admin","organization":\{"id":"[^"]*",'
           '"name":"[^"]*"\}\}')) AS embedded
FROM (SELECT (s.r).data
      FROM (SELECT catalogue.export('readings',
          query => 'name=many&limit=1000&fields=facts&include=createdBy.username,createdBy.organization.name',
          format => 'ndjson') AS r) s) p;
SELECT sum(regexp_count(data, ',admin,[^,]+,Open Data Office\r\n')) AS embedded
FROM (SELECT (s.r).data
      FROM (SELECT catalogue.export('readings',
          query =>
              'name=many&limit=1000&fields=facts&include=createdBy.username,createdBy.organization.name') AS r) s) p;

-- A reader who stops leaves nothing behind.
SELECT (r).returned FROM (SELECT catalogue.export('readings', query => 'limit=1000') AS r) s LIMIT 1;
SELECT count(*) FROM pg_cursors;

-- The time of the reader is not counted by statement_timeout, that of the making is.
SET statement_timeout = 1000;
SELECT count(*) > 3 AS all_pieces
FROM (SELECT pg_sleep(0.15), (r).data
      FROM (SELECT catalogue.export('readings', query => 'limit=1000') AS r OFFSET 0) s) p;
-- where in its work it is met, is by chance
\set SHOW_CONTEXT never
SET statement_timeout = 1;
SELECT count((r).data)
FROM (SELECT catalogue.export('readings', query => 'limit=1000') AS r FROM generate_series(1, 100)) s;
RESET statement_timeout;

-- What is related to records of an earlier instant is read for a thousand of them at once, as for a list, whether the
-- page is read by a cursor or at once; what comes is the same as in a list of then, over the limits of these
-- readings, too.
SELECT catalogue.expose('readings', 'Reading', searchable => '{name}') \g /dev/null
INSERT INTO catalogue.readings (name, created_by)
SELECT 'then ' || n, id_of('users', 'admin') FROM generate_series(1, 2100) n;
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS moment \gset
UPDATE catalogue.users SET first_name = 'Later' WHERE username = 'admin';
UPDATE catalogue.readings SET depth = 1 WHERE name = 'then 2000';
CREATE FUNCTION scans() RETURNS numeric LANGUAGE sql AS
$$ SELECT sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0)) FROM pg_stat_xact_user_tables WHERE relname = 'users' $$;
CREATE FUNCTION scans_of(statement text) RETURNS numeric LANGUAGE plpgsql AS
$$
DECLARE
    before  numeric := scans();
BEGIN
    EXECUTE statement;
    RETURN scans() - before;
END
$$;
SELECT q AS query, scans_of(format('SELECT whole(''readings'', %L, ''ndjson'')', r)) - 3 * scans_of(format(
    'SELECT catalogue.list(''readings'', %L)', 'limit=1000&' || r)) AS scans_more,
    whole('readings', r, 'ndjson') = mask((SELECT string_agg(e.value::text || E'\n', '' ORDER BY e.n)
        FROM catalogue.list('readings', r) l, json_array_elements(l.data::json) WITH ORDINALITY e(value, n))) AS same
FROM unnest('{name=then,query=then}'::text[]) q,
    LATERAL (SELECT concat(q, '&limit=5000&include=createdBy.firstName&match=BEGINS&version=', :'moment')) x(r);
