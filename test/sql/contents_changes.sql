--
-- contents_changes: rows of a file that were added, removed and changed between two versions
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Rows', 'Air') AS file \gset

-- The version that has the present rows; changes, one on each line; the answer besides these.
CREATE FUNCTION version_of(file text) RETURNS text LANGUAGE sql AS
$$
    SELECT version FROM catalogue.contents_page(file, 'limit=1')
$$;
CREATE FUNCTION changes(file text, query text) RETURNS TABLE (change text, before json, after json) LANGUAGE sql AS
$$
    SELECT c ->> 'change', c -> 'before', c -> 'after'
    FROM catalogue.contents_changes(file, query) r, json_array_elements(r.data::json) c
$$;
CREATE FUNCTION counts(file text, query text) RETURNS TABLE (count bigint, returned int, meta text) LANGUAGE sql AS
$$
    SELECT count, returned, meta FROM catalogue.contents_changes(file, query)
$$;

SELECT catalogue.contents_load(:'file',
    '[["id","city","n"],["1","Oslo","10"],["2","Bergen","20"],["10","Turku","30"],["11","Turku","30"]]') > 0 AS loaded;
SELECT version_of(:'file') AS one \gset
SELECT catalogue.contents_load(:'file',
    '[["id","city","n"],["11","Turku","30"],["2.0","Bergen","21"],["1","Oslo","10"],["3","Lund",null]]') > 0 AS loaded;
SELECT version_of(:'file') AS two \gset
SELECT catalogue.contents_load(:'file',
    '[["n","id","new"],["10","1","x"],["21","x",""],["30","11",null],["","3",null]]') > 0 AS loaded;
SELECT version_of(:'file') AS three \gset

-- The key is compared by its type, so that 2.0 is 2; a row that has moved is no change; the order is that of the key.
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=id', :'one', :'two'));
SELECT * FROM counts(:'file', format('from=%s&to=%s&key=id', :'one', :'two'));

-- Backwards; a page; values as what they are; two columns; a key with the same value in several rows.
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=id', :'two', :'one'));
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=id&skip=1&limit=1&types=true', :'one', :'two'));
SELECT * FROM counts(:'file', format('from=%s&to=%s&key=id&skip=1&limit=1', :'one', :'two'));
SELECT * FROM counts(:'file', format('from=%s&to=%s&key=id&skip=9', :'one', :'two'));
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=city,n', :'one', :'two'));
SELECT * FROM changes(:'file', format('from=%s&to=%s&key=city', :'one', :'two'));

-- To the present; columns correspond by name, a cell that is not there and an empty one differ; none at all in between.
SELECT * FROM changes(:'file', format('from=%s&key=id', :'two'));
SELECT * FROM counts(:'file', format('from=%s&key=id', :'three'));

-- As lines, all of them, whatever page is asked for.
SELECT string_agg(r.data, '') AS lines
FROM catalogue.contents_changes_export(:'file', format('from=%s&to=%s&key=id&limit=1', :'one', :'two')) r;

-- What is wrong: no from, no key, no column of both versions, no instant, an instant to come, another sheet, a format.
SELECT q, r.code, replace(r.message, :'file', '<id>') AS message, r.detail
FROM unnest(ARRAY['key=id', 'from=2001-01-01T00:00:00Z', 'from=%s', 'from=%s&key=city', 'from=%s&key=',
        'from=%s&key=id,colour', 'from=now&key=id', 'from=2100-01-01T00:00:00Z&key=id', 'from=%s&to=tomorrow&key=id',
        'from=%s&key=id&sheet=7', 'from=%s&key=id&types=maybe', 'from=2001-01-01T00:00:00Z&key=id']) q,
    refusal(format('SELECT catalogue.contents_changes(%L, %L)', :'file', replace(q, '%s', :'two'))) r;
SELECT (refusal(format('SELECT catalogue.contents_changes_export(%L, %L, NULL, ''csv'')', :'file',
    'from=' || :'two' || '&key=id'))).*;
SELECT ignored FROM catalogue.contents_changes(:'file', 'from=' || :'two' || '&key=id&fields=id&colour=1');

-- A file that the caller does not see is not there.
SELECT (refusal(format('SELECT catalogue.contents_changes(%L, %L, ''{}'')', :'file',
    'from=' || :'two' || '&key=id'))).code;

-- Many rows in several chunks: what a join of tables finds; also where memory suffices for a part of them at a time.
SELECT catalogue.contents_load(:'file', (SELECT ('[["k","v"],' ||
        string_agg(format('["k%s","%s"]', n, n % 7), ',' ORDER BY n) || ']')::json
    FROM generate_series(1, 30000) n)) > 0 AS loaded;
SELECT version_of(:'file') AS four \gset
SELECT catalogue.contents_load(:'file', (SELECT ('[["k","v"],' ||
        string_agg(format('["k%s","%s"]', n, CASE WHEN n % 5 = 0 THEN n * n % 7 ELSE n % 7 END), ',' ORDER BY -n)
        || ']')::json
    FROM generate_series(100, 30050) n)) > 0 AS loaded;
SELECT * FROM counts(:'file', format('from=%s&key=k', :'four'));
SELECT count(*) FILTER (WHERE a.n IS NULL) AS added, count(*) FILTER (WHERE b.n IS NULL) AS removed,
    count(*) FILTER (WHERE a.n % 5 = 0 AND a.n % 7 <> b.n * b.n % 7) AS changed
FROM generate_series(1, 30000) a(n) FULL JOIN generate_series(100, 30050) b(n) ON a.n = b.n;
SET work_mem = '64kB';
SELECT * FROM counts(:'file', format('from=%s&key=k&limit=1', :'four'));
RESET work_mem;
SELECT count(*) AS changes, count(DISTINCT coalesce(c.after ->> 'k', c.before ->> 'k')) AS keys,
    count(*) FILTER (WHERE c.change = 'changed' AND c.before ->> 'v' = c.after ->> 'v') AS wrong
FROM changes(:'file', format('from=%s&key=k&limit=10000', :'four')) c;

-- Edits of a long file: what is compared side by side gives what a comparison of all rows gives.
CREATE TABLE public.row_of (version text, k integer, v text);
CREATE TABLE public.outcome (n serial, edit text, rows bigint, meta text, wrong bigint);
CREATE FUNCTION load_rows(file text, version text, columns text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    rows  json;
BEGIN
    EXECUTE format('SELECT json_agg(r.cells ORDER BY r.n) FROM (
            SELECT 0 AS n, to_json(string_to_array(%L, '', '')) AS cells
            UNION ALL
            SELECT row_number() OVER (), json_build_array(%s) FROM (SELECT k::text, v FROM public.row_of
                WHERE version = $1 ORDER BY ctid) o) r', columns, columns)
    INTO rows USING version;
    RETURN catalogue.contents_load(file, rows);
END
$$;
CREATE PROCEDURE edit(file text, first text, edit text, rows text, columns text DEFAULT 'k, v') LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE 'INSERT INTO public.row_of ' || rows;
    PERFORM load_rows(file, 'later', columns);
    COMMIT;
    WITH expected AS (
            SELECT f.k AS fk, f.v AS fv, l.k AS lk, l.v AS lv
            FROM (SELECT k, v FROM public.row_of WHERE version = 'first' EXCEPT ALL
                  SELECT k, v FROM public.row_of WHERE version = 'later') f
                FULL JOIN (SELECT k, v FROM public.row_of WHERE version = 'later' EXCEPT ALL
                  SELECT k, v FROM public.row_of WHERE version = 'first') l ON f.k = l.k),
        told AS (
            SELECT (c ->> 'k')::integer, c ->> 'v', (d ->> 'k')::integer, d ->> 'v'
            FROM string_to_table(rtrim((SELECT string_agg(e.data, '') FROM catalogue.contents_changes_export(file,
                    format('from=%s&key=k', first)) e), E'\n'), E'\n') l(line),
                LATERAL (SELECT l.line::json -> 'before', l.line::json -> 'after') s(c, d)),
        differ AS ((TABLE expected EXCEPT ALL TABLE told) UNION ALL (TABLE told EXCEPT ALL TABLE expected))
    INSERT INTO public.outcome (edit, rows, meta, wrong)
    SELECT edit, (SELECT count(*) FROM public.row_of WHERE version = 'later'),
        (SELECT c.meta FROM counts(file, format('from=%s&key=k', first)) c), (SELECT count(*) FROM differ);
    DELETE FROM public.row_of WHERE version = 'later';
END
$$;
INSERT INTO public.row_of SELECT 'first', n, 'v' || n % 97 FROM generate_series(1, 22000) n;
SELECT load_rows(:'file', 'first', 'k, v') > 0 AS loaded;
SELECT version_of(:'file') AS first \gset
CALL edit(:'file', :'first', 'nothing', $$SELECT 'later', k, v FROM public.row_of$$);
CALL edit(:'file', :'first', 'a cell', $$SELECT 'later', k, CASE k WHEN 9000 THEN 'x' ELSE v END FROM public.row_of$$);
CALL edit(:'file', :'first', 'the same, columns the other way round',
    $$SELECT 'later', k, CASE k WHEN 9000 THEN 'x' ELSE v END FROM public.row_of$$, 'v, k');
CALL edit(:'file', :'first', 'a row at the top',
    $$SELECT 'later', 0, 'x' UNION ALL SELECT 'later', k, v FROM public.row_of$$);
CALL edit(:'file', :'first', 'rows at the end', $$SELECT 'later', k, v FROM public.row_of
    UNION ALL SELECT 'later', k + 22000, v FROM public.row_of WHERE k < 5000$$);
CALL edit(:'file', :'first', 'many rows at the top', $$SELECT 'later', k + 22000, v FROM public.row_of WHERE k < 5000
    UNION ALL SELECT 'later', k, v FROM public.row_of$$);
CALL edit(:'file', :'first', 'many rows gone, and a cell',
    $$SELECT 'later', k, CASE k WHEN 9 THEN 'x' ELSE v END FROM public.row_of WHERE k NOT BETWEEN 4100 AND 13333$$);
CALL edit(:'file', :'first', 'the first rows gone, and cells',
    $$SELECT 'later', k, CASE k % 1000 WHEN 7 THEN 'x' ELSE v END FROM public.row_of WHERE k > 71$$);
CALL edit(:'file', :'first', 'each hundredth row gone', $$SELECT 'later', k, v FROM public.row_of WHERE k % 100 <> 3$$);
CALL edit(:'file', :'first', 'two blocks in each other''s place',
    $$SELECT 'later', k, v FROM public.row_of ORDER BY k BETWEEN 3000 AND 6000, ctid$$);
CALL edit(:'file', :'first', 'a row twice', $$SELECT 'later', k, v FROM public.row_of
    UNION ALL SELECT 'later', k, v FROM public.row_of WHERE k = 17000$$);
CALL edit(:'file', :'first', 'the other way round',
    $$SELECT 'later', k, v FROM public.row_of WHERE k > 3 ORDER BY ctid DESC$$);
CALL edit(:'file', :'first', 'rows three times, the other way round', $$SELECT 'later', k, v
    FROM public.row_of, generate_series(1, CASE WHEN k BETWEEN 9000 AND 9899 THEN 3 ELSE 1 END) ORDER BY k DESC$$);
CALL edit(:'file', :'first', 'one row left', $$SELECT 'later', k, v FROM public.row_of WHERE k = 22000$$);
SELECT edit, rows, meta, wrong FROM public.outcome ORDER BY n;

-- So many equal rows that not all are listed one by one; the first ones of the earlier version are left.
SELECT make_file('Equal', 'Air') AS equal \gset
CREATE FUNCTION load_equal(file text, rows integer, other text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    revision  CONSTANT bigint := catalogue.contents_begin(file);
    sheet     CONSTANT bigint := catalogue.contents_sheet(file, revision, 1, '', false);
BEGIN
    FOR start IN 1 .. rows BY 4000 LOOP
        PERFORM catalogue.contents_add(sheet, start, least(4000, rows - start + 1), catalogue.chunk_packed(ARRAY(
            SELECT CASE WHEN n <= 20000 THEN other || n ELSE 'x' END
            FROM generate_series(start, least(start + 3999, rows)) n), 1));
    END LOOP;
    PERFORM catalogue.contents_sheet_end(sheet, json_build_object('rows', rows,
        'columns', catalogue.loaded_columns('[{"k": "x"}]', '{k}', '{k}')));
    RETURN catalogue.contents_publish(file, revision);
END
$$;
SELECT load_equal(:'equal', 150000, 'a') AS loaded;
SELECT version_of(:'equal') AS first \gset
SELECT load_equal(:'equal', 70000, 'b') AS loaded;
SELECT c.meta FROM catalogue.contents_changes(:'equal', format('key=k&from=%s&limit=1', :'first')) c;
SELECT skip, count(*), min(before), max(before), sum(before) FROM (
    SELECT s.skip, (json_array_elements(c.data::json) -> 'before' ->> '_id')::int AS before
    FROM (VALUES (40000), (119500)) s(skip),
        catalogue.contents_changes(:'equal', format('key=k&from=%s&limit=1000&skip=%s', :'first', s.skip)) c) r
GROUP BY skip ORDER BY skip;
