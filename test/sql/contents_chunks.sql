--
-- contents_chunks: order, pages and aggregates of rows in many chunks, of which most are not read
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Rows', 'Air') AS file \gset

-- Values that rise, that fall, as if at random and with gaps, equal in whole chunks, in a single chunk, and with marks.
CREATE TABLE made AS
SELECT n, n AS up, -n AS down, CASE WHEN n % 7 > 0 THEN round(abs(hashint4(n)) % 5000 / 10.0, 1) END AS gaps,
    to_char(date '2020-01-01' + n / 100, 'YYYY-MM-DD') AS day,
    to_char(timestamp '2020-01-01' + n * interval '7 minutes', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at, n / 5000 AS few,
    CASE WHEN n BETWEEN 9000 AND 9100 THEN n % 3 END AS rare,
    CASE WHEN n % 11 > 0 THEN 'City ' || n % 13 END COLLATE "und-x-icu" AS city, n % 2 = 0 AS even,
    CASE WHEN n % 10 > 0 THEN n % 300 - 100 END AS marked, NULL::text AS nothing,
    -- the last chunk has the least value, the first one the next, and what follows is equal in two
    CASE WHEN n = 8001 THEN 0 WHEN n = 1 THEN 3 WHEN n <= 4000 THEN 9 ELSE 5 END AS late
FROM generate_series(1, 13000) n;
SELECT catalogue.contents_load(:'file', json_agg(m."row" ORDER BY n)) > 0 AS loaded
FROM (SELECT 0 AS n, '["up","down","gaps","day","at","few","rare","city","even","marked","nothing","late"]'::json
        AS "row"
    UNION ALL
    SELECT n, json_build_array(up::text, down::text, gaps::text, day, at, few::text, rare::text, city, even::text,
        coalesce(marked::text, 'n/a'), nothing, late::text) FROM made) m;
SELECT count(*) AS chunks FROM catalogue.sheet_chunk c JOIN catalogue.sheet s ON s.id = c.sheet WHERE s.file = :'file';
SELECT string_agg(c ->> 'name' || ' ' || (c ->> 'type'), ', ') AS columns
FROM catalogue.sheet s, json_array_elements(s.columns::json) c WHERE s.file = :'file';

-- The numbers of all rows in the order of a column, by SQL.
CREATE FUNCTION ordered(terms text) RETURNS bigint[] LANGUAGE plpgsql AS
$$
DECLARE
    numbers bigint[];
BEGIN
    EXECUTE format('SELECT array_agg(n ORDER BY %s, n) FROM made', terms) INTO numbers;
    RETURN numbers;
END
$$;
-- Those of a page.
CREATE FUNCTION page(file text, query text, OUT numbers bigint[], OUT count bigint, OUT next text, OUT previous text)
LANGUAGE sql AS
$$
    SELECT (SELECT array_agg((e ->> '_id')::bigint ORDER BY n) FROM json_array_elements(r.data::json)
        WITH ORDINALITY e(e, n)), r.count, r.next, r.previous
    FROM catalogue.contents_page(file, query) r
$$;
-- All, page by page behind the cursor; NULL if the way back is another one.
CREATE FUNCTION walked(file text, query text) RETURNS bigint[] LANGUAGE plpgsql AS
$$
DECLARE
    page     record;
    cursor   text := '';
    skip     integer := 0;
    forwards bigint[];
    back     bigint[];
BEGIN
    LOOP
        SELECT * INTO page FROM page(file, format('%s&fields=_id&limit=1000&skip=%s%s', query, skip, cursor));
        forwards := forwards || page.numbers;
        EXIT WHEN page.next IS NULL OR skip > 13000;
        skip := skip + 1000;
        cursor := '&after=' || page.next;
    END LOOP;
    back := page.numbers;
    WHILE page.previous IS NOT NULL LOOP
        skip := skip - 1000;
        SELECT * INTO page
        FROM page(file, format('%s&fields=_id&limit=1000&skip=%s&before=%s', query, skip, page.previous));
        back := page.numbers || back;
    END LOOP;
    RETURN CASE WHEN forwards = back THEN forwards END;
END
$$;

-- What differs from SQL, in each column and direction: the first page, one far behind, all pages behind cursors.
CREATE TABLE orders AS
SELECT 'orderBy=' || c.name || '&sort=' || d.direction AS query,
    format('%I %s NULLS LAST', c.name, d.direction) AS terms
FROM unnest(ARRAY['up', 'down', 'gaps', 'day', 'at', 'few', 'rare', 'city', 'even', 'marked', 'nothing',
        'late']) c(name),
    unnest(ARRAY['asc', 'desc']) d(direction)
UNION ALL VALUES ('orderBy=few,up&sort=asc,desc', 'few, up DESC'),
    ('orderBy=few,gaps&sort=desc,asc', 'few DESC, gaps NULLS LAST'),
    ('orderBy=day,_id&sort=desc,desc', 'day DESC, n DESC'), ('orderBy=rare,city', 'rare NULLS LAST, city NULLS LAST');
SELECT count(*) AS orders FROM orders;
SELECT o.query FROM orders o, LATERAL ordered(terms) n(n)
WHERE (SELECT p.numbers FROM page(:'file', query || '&fields=_id&limit=7') p) IS DISTINCT FROM n.n[1:7];
SELECT o.query FROM orders o, LATERAL ordered(terms) n(n)
WHERE (SELECT p.numbers FROM page(:'file', query || '&fields=_id&limit=7&skip=4321') p) IS DISTINCT FROM n.n[4322:4328];
SELECT o.query FROM orders o WHERE walked(:'file', query) IS DISTINCT FROM ordered(terms);
-- All rows at once, and a page so far behind the first row that all rows are sorted, in memory and on disk.
CREATE FUNCTION exported(file text, query text) RETURNS bigint[] LANGUAGE sql AS
$$ SELECT array_agg(r.number ORDER BY r.n)
   FROM catalogue.contents(file, query) WITH ORDINALITY r(number, "row", n) $$;
SELECT o.query FROM orders o, LATERAL ordered(terms) n(n)
WHERE (SELECT p.numbers FROM page(:'file', query || '&fields=_id&limit=7&skip=12345') p)
    IS DISTINCT FROM n.n[12346:12352];
SELECT o.query FROM orders o WHERE exported(:'file', query || '&fields=_id') IS DISTINCT FROM ordered(terms);
SET work_mem = '64kB';
SELECT o.query FROM orders o, LATERAL ordered(terms) n(n)
WHERE (SELECT p.numbers FROM page(:'file', query || '&fields=_id&limit=7&skip=12345') p)
    IS DISTINCT FROM n.n[12346:12352];
SELECT o.query FROM orders o
WHERE o.terms ~ ',|city' AND exported(:'file', query || '&fields=_id') IS DISTINCT FROM ordered(terms);
RESET work_mem;
-- A part of all, that behind a cursor and in front of it; those in front are the nearest ones, if they are limited.
SELECT o.query FROM orders o, LATERAL ordered(terms) n(n), LATERAL page(:'file', query || '&fields=_id&limit=1000') p
WHERE o.terms ~ ',|gaps'
    AND (exported(:'file', query || '&fields=_id&limit=500&skip=6000') IS DISTINCT FROM n.n[6001:6500]
        OR exported(:'file', query || '&fields=_id&skip=12990') IS DISTINCT FROM n.n[12991:]
        OR exported(:'file', query || '&fields=_id&skip=5&after=' || p.next) IS DISTINCT FROM n.n[1001:]
        OR exported(:'file', query || '&fields=_id&limit=9&after=' || p.next) IS DISTINCT FROM n.n[1001:1009]
        OR exported(:'file', query || '&fields=_id&before=' || p.next) IS DISTINCT FROM n.n[:999]
        OR exported(:'file', query || '&fields=_id&limit=9&before=' || p.next) IS DISTINCT FROM n.n[991:999]);
SELECT count(*), min(number), max(number)
FROM unnest(ARRAY['after=MTI', 'before=MTI', 'before=MTI&limit=3', 'after=MTI&limit=3&up[gt]=100', 'after=LTU',
        'after=OTk5OTk5OTk5OTk', 'skip=12999', 'skip=13000', 'limit=0']) WITH ORDINALITY q(query, n)
    LEFT JOIN LATERAL catalogue.contents(:'file', query) r(number, "row") ON true
GROUP BY q.n ORDER BY q.n;
SELECT q, r.* FROM unnest(ARRAY['orderBy=up&after=MTI', 'after=eA', 'before=']) q,
    LATERAL refusal(format('SELECT catalogue.contents(%L, %L)', :'file', q)) r;
-- The same with conditions.
SELECT o.query FROM orders o, LATERAL page(:'file', query || '&fields=_id&limit=9&even=true&up[gt]=3990') p
WHERE p.numbers IS DISTINCT FROM (ARRAY(SELECT u.n FROM unnest(ordered(terms)) WITH ORDINALITY u(n, place)
    WHERE u.n % 2 = 0 AND u.n > 3990 ORDER BY place))[1:9] OR p.count <> 4505;

-- Values at the ends of chunks, and instants of the days with which they begin and end.
SELECT q.condition, p.count
FROM unnest(ARRAY['up[lt]=4001', 'up[lte]=4001', 'up[gt]=4000', 'up[gte]=4000', 'down[gt]=-4001', 'down[lt]=-4000',
    'day[lt]=2020-02-10', 'day[lte]=2020-02-10', 'day[gt]=2020-02-10', 'at[lt]=2020-01-20T12:00:00Z',
    'at[gt]=2020-01-20T10:30:00Z', 'at[lt]=2020-01-20', 'at[gt]=2020-01-20']) q(condition),
    LATERAL page(:'file', q.condition || '&limit=1') p;

-- A cursor of another version of the rows, where the row of its number has another value.
SELECT p.next AS cursor FROM page(:'file', 'orderBy=marked&limit=500') p \gset
SELECT catalogue.contents_load(:'file', json_agg(m."row" ORDER BY n)) > 0 AS loaded
FROM (SELECT 0 AS n, '["up","marked"]'::json AS "row"
    UNION ALL SELECT n, json_build_array(n::text, (13000 - n)::text) FROM made) m;
SELECT p.numbers FROM page(:'file', 'orderBy=marked&limit=3&after=' || :'cursor') p;
SELECT p.numbers FROM page(:'file', 'orderBy=up&sort=desc&limit=3') p;

-- What is known of all rows is what is found in each of them, which a condition on all has read.
SELECT make_file('Known', 'Air') AS known \gset
SELECT catalogue.contents_load(:'known', json_agg(m."row" ORDER BY n)) > 0 AS loaded
FROM (SELECT 0 AS n, '["gaps","day","at","rare","city","even","marked","nothing","long","code"]'::json AS "row"
    UNION ALL
    SELECT n, json_build_array(gaps::text, day, at, rare::text, city, even::text, coalesce(marked::text, 'n/a'),
        nothing,
        -- more digits than a floating-point number tells apart
        '0.1' || repeat('0', 20) || (n % 89 + 11) % 90, lpad(n::text, 6, '0')) FROM made) m;
CREATE FUNCTION aggregates(file text, query text) RETURNS json LANGUAGE sql AS
$$ SELECT r.data::json -> 0 FROM catalogue.contents_page(file, query) r $$;
SELECT a.aggregate, x.known, x.known::text IS NOT DISTINCT FROM x.read::text AS same
FROM unnest(ARRAY['gaps', 'day', 'at', 'rare', 'city', 'even', 'marked', 'nothing', 'long', 'code']) c(name),
    format('count(%1$s),min(%1$s),max(%1$s)', c.name) a(aggregate),
    LATERAL (SELECT aggregates(:'known', 'aggregate=' || aggregate),
        aggregates(:'known', '_id[gte]=1&aggregate=' || aggregate)) x(known, read);
SELECT aggregates(:'known', 'aggregate=count,max(day),count(rare),min(at)');
SELECT aggregates(:'known', 'aggregate=count,sum(rare),max(rare)');
-- A text that is said to stand for no value is one like others in a column of text.
SELECT make_file('Texts', 'Air') AS texts \gset
SELECT catalogue.contents_begin(:'texts') AS revision \gset
SELECT catalogue.contents_sheet(:'texts', :revision, 1, '', false) AS sheet \gset
SELECT catalogue.contents_add(:sheet, 1, 3, catalogue.chunk_packed(ARRAY['n/a', 'x', ''], 1));
SELECT catalogue.contents_sheet_end(:sheet, json_build_object('rows', 3, 'columns', json_build_array(
    json_build_object('name', 't', 'title', 't', 'type', 'text', 'nulls', 1, 'marks', json_build_object('n/a', 1)))));
SELECT catalogue.contents_publish(:'texts', :revision) AS published;
SELECT aggregates(:'texts', 'aggregate=count(t),min(t)') AS known,
    aggregates(:'texts', '_id[gte]=1&aggregate=count(t),min(t)') AS read;
