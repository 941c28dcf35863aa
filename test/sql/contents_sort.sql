--
-- contents_sort: all rows in an order, by columns with so many values that these are sorted as they are
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Rows', 'Air') AS file \gset

-- Texts that differ behind the beginning or in accents alone, and numbers of many digits; some come twice.
CREATE TABLE made AS
SELECT n, n % 5 AS few,
    CASE WHEN n % 50 > 0 THEN ('0.' || lpad((n::bigint * 7919 % 68500)::text, 22, '0')) END AS digits,
    CASE WHEN n % 40 > 0 THEN (ARRAY['é', 'e', 'E', 'ß', 'ss', 'Zeile ', 'zeile '])[1 + n % 68500 % 7]
        || md5((n % 68500)::text) END COLLATE "und-x-icu" AS word
FROM generate_series(1, 72000) n;
SELECT count(DISTINCT digits) AS digits, count(DISTINCT word) AS words FROM made;
CREATE FUNCTION load(file text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    revision  CONSTANT bigint := catalogue.contents_begin(file);
    sheet     CONSTANT bigint := catalogue.contents_sheet(file, revision, 1, '', false);
    sample    CONSTANT json := '[{"few": "1", "digits": "0.5", "word": "x"}]';
    chunk     record;
BEGIN
    FOR chunk IN
        SELECT min(m.n) AS first, count(*)::integer / 3 AS count, array_agg(c.cell ORDER BY m.n, c.place) AS cells
        FROM made m, unnest(ARRAY[m.few::text, m.digits, m.word]) WITH ORDINALITY c(cell, place)
        GROUP BY (m.n - 1) / 4000 ORDER BY 1
    LOOP
        PERFORM catalogue.contents_add(sheet, chunk.first, chunk.count, catalogue.chunk_packed(chunk.cells, 3));
    END LOOP;
    PERFORM catalogue.contents_sheet_end(sheet, json_build_object('rows', (SELECT count(*) FROM made),
        'columns', catalogue.loaded_columns(sample, '{few,digits,word}', '{few,digits,word}')));
    RETURN catalogue.contents_publish(file, revision);
END
$$;
SELECT load(:'file') AS loaded;
SELECT string_agg(c ->> 'name' || ' ' || (c ->> 'type'), ', ') AS columns
FROM catalogue.sheet s, json_array_elements(s.columns::json) c WHERE s.file = :'file';

-- What differs from SQL, on a page far behind, in the export of all, and in one of a few, for which not all are sorted.
CREATE FUNCTION ordered(terms text) RETURNS bigint[] LANGUAGE plpgsql AS
$$
DECLARE
    numbers bigint[];
BEGIN
    EXECUTE format('SELECT array_agg(n ORDER BY %s, n) FROM made', terms) INTO numbers;
    RETURN numbers;
END
$$;
CREATE TABLE orders AS
SELECT o.* FROM (VALUES
    ('orderBy=digits', 'digits::numeric NULLS LAST'),
    ('orderBy=digits&sort=desc', 'digits::numeric DESC NULLS LAST'),
    ('orderBy=word', 'word NULLS LAST'),
    ('orderBy=word&sort=desc', 'word DESC NULLS LAST'),
    ('orderBy=few,word&sort=desc,asc', 'few DESC, word NULLS LAST'),
    ('orderBy=word,digits&sort=asc,desc', 'word NULLS LAST, digits::numeric DESC NULLS LAST'),
    ('orderBy=digits,_id&sort=asc,desc', 'digits::numeric NULLS LAST, n DESC')) o(query, terms);
SELECT o.query FROM orders o, LATERAL ordered(terms) n(n),
    LATERAL catalogue.contents_page(:'file', query || '&fields=_id&limit=7&skip=12345') p
WHERE ARRAY(SELECT (e ->> '_id')::bigint FROM json_array_elements(p.data::json) e) <> n.n[12346:12352]
    OR p.count <> 72000;
SELECT o.query FROM orders o, LATERAL ordered(terms) n(n)
WHERE o.terms ~ ',|numeric DESC'
    AND (SELECT array_agg(r.number ORDER BY r.place)
         FROM catalogue.contents(:'file', query || '&fields=_id') WITH ORDINALITY r(number, "row", place)) <> n.n;

SELECT o.query, q.skip, q."limit" FROM orders o, LATERAL ordered(terms) n(n),
    (VALUES (0, 3), (4990, 20), (9990, 10), (9990, 11), (71990, 20)) q(skip, "limit")
WHERE (SELECT array_agg(r.number ORDER BY r.place)
    FROM catalogue.contents(:'file', format('%s&fields=_id&skip=%s&limit=%s', query, q.skip, q."limit"))
        WITH ORDINALITY r(number, "row", place))
    IS DISTINCT FROM (SELECT array_agg(u.n ORDER BY u.place) FROM unnest(n.n) WITH ORDINALITY u(n, place)
        WHERE u.place BETWEEN q.skip + 1 AND q.skip + q."limit");
-- from a cursor on
SELECT o.query FROM orders o, LATERAL ordered(terms) n(n),
    LATERAL catalogue.contents_page(:'file', query || '&fields=_id&limit=7') p
WHERE ARRAY(SELECT r.number FROM catalogue.contents(:'file', query || '&fields=_id&limit=5&after=' || p.next) r)
    IS DISTINCT FROM n.n[8:12];

-- With a condition that leaves few values.
SELECT o.query FROM orders o
WHERE ARRAY(SELECT r.number FROM catalogue.contents(:'file', query || '&fields=_id&_id[lte]=500&few=2')
        WITH ORDINALITY r(number, "row", place) ORDER BY r.place)
    <> ARRAY(SELECT u.n FROM unnest(ordered(terms)) WITH ORDINALITY u(n, place)
             WHERE u.n <= 500 AND u.n % 5 = 2 ORDER BY place);

-- A column that is damaged is an error of who sorts by it or asks for it.
UPDATE catalogue.sheet_chunk c
SET data = overlay(catalogue.chunk_repacked(c.data, c.count) PLACING '\xff'
        FROM octet_length(catalogue.chunk_repacked(c.data, c.count))), bounds = NULL
FROM catalogue.sheet s WHERE s.id = c.sheet AND s.file = :'file' AND c.first = 68001;
SELECT q, r.code AS page, e.code AS export, e.message
FROM unnest(ARRAY['orderBy=word', 'orderBy=digits,word', 'orderBy=digits', 'orderBy=digits&fields=few']) q,
    refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', q || '&fields=few&skip=12345')) r,
    refusal(format('SELECT octet_length(string_agg(data, '''')) FROM catalogue.contents_export(%L, %L)', :'file',
        q)) e;
