--
-- contents_facets: counts of the rows of a file by values and by ranges of columns, and different values
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Rows', 'Air') AS file \gset
SELECT catalogue.contents_load(:'file',
    '[["city","n","d","day","at","yes"],
        ["Oslo","1","1.50","2024-02-29","2024-02-29T10:00:00Z","true"],
        ["oslo","2","15e-1","2024-03-01","2024-02-29T11:00:00+01:00","TRUE"],
        ["Óslo","3","-0","2024-03-01","2024-03-01T10:00:00Z","false"],
        ["Bergen","3","0.0","2023-12-31","2024-03-02T10:00:00Z",""],
        ["","10","100","","",null],
        [null,"","1e2","2024-03-01","2025-01-01T00:00:00Z","true"]]') > 0 AS loaded;
SELECT string_agg(type, ' ') AS types
FROM json_to_recordset((catalogue.contents_columns(:'file')).data::json) c(type text);

-- The counts of a request, a value or a range on each line; the rows; what is distinct.
CREATE FUNCTION facets(file text, query text) RETURNS TABLE (facet text, value json, count int, rest int)
    LANGUAGE sql AS
$$
    SELECT f.key, v -> 'value', (v ->> 'count')::int, (f.value ->> 'rest')::int
    FROM catalogue.contents_page(file, query) l, json_each(('{' || l.meta || '}')::json -> 'facets') f,
        json_array_elements(f.value -> 'values') v
$$;
CREATE FUNCTION histograms(file text, query text)
    RETURNS TABLE (histogram text, low json, high json, count int, empty int, skipped int) LANGUAGE sql AS
$$
    SELECT f.key, v -> 'from', v -> 'to', (v ->> 'count')::int, (f.value ->> 'empty')::int, (f.value ->> 'skipped')::int
    FROM catalogue.contents_page(file, query) l, json_each(('{' || l.meta || '}')::json -> 'histograms') f,
        json_array_elements(f.value -> 'buckets') v
$$;
CREATE FUNCTION page(file text, query text) RETURNS TABLE (count bigint, returned int, page json) LANGUAGE sql AS
$$
    SELECT l.count, l.returned, r FROM catalogue.contents_page(file, query) l, json_array_elements(l.data::json) r
$$;

-- Values are the same as filters with EXACT compare them: texts without letter case and accents, numbers in any
-- notation, instants in any zone.  Empty cells count for none; the first of the same is shown.
SELECT * FROM facets(:'file', 'facets=city,n,d,day,at,yes');
SELECT * FROM facets(:'file', 'facets=n,d,yes,at&types=true&limit=1');
SELECT * FROM facets(:'file', 'facets=n,n&facetLimit=1');
SELECT meta FROM catalogue.contents_page(:'file', 'limit=1');
SELECT meta FROM catalogue.contents_page(:'file', 'facets=city&city=none&n[gt]=100');

-- Each count is what the value finds as a filter; the filters on the column itself are left out, others are not.
SELECT facet, sum(f.count) AS counted,
    count(*) FILTER (WHERE f.count <> (SELECT p.count FROM catalogue.contents_page(:'file',
        'match=EXACT&' || f.facet || '=' || replace(f.value #>> '{}', '+', '%2B')) p)) AS differing
FROM facets(:'file', 'facets=city,n,d,day,at,yes') f GROUP BY facet ORDER BY facet;
SELECT * FROM facets(:'file', 'facets=city,n&n=3');
SELECT * FROM facets(:'file', 'facets=city,n&condition=AND&n[gte]=2&city=oslo&match=EXACT');

-- What is no column, and too many values or columns.
SELECT (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', q))).*
FROM unnest(ARRAY['facets=colour', 'facets=_id', 'facets=city&facetLimit=x', 'histogram=city', 'histogram=yes',
    'histogram=colour', 'distinct=colour', 'distinct=city&groupBy=n', 'distinct=city&aggregate=count']) q;

-- Whole numbers and days are not divided; a range begins with its first value and ends before the next, the last with
-- its greatest value.  The ranges are those of all rows, the counts those of the rows that are found.
SELECT * FROM histograms(:'file', 'histogram=n,day');
SELECT low, high, count, empty FROM histograms(:'file', 'histogram=d') WHERE count > 0;
SELECT low, high, count, empty FROM histograms(:'file', 'histogram=at') WHERE count > 0;
SELECT count(*) AS ranges, sum(count) AS counted FROM histograms(:'file', 'histogram=d');
SELECT count(*) AS ranges, sum(count) AS counted, max(empty) AS empty FROM histograms(:'file', 'histogram=n&city=oslo');
SELECT count(*) AS ranges, sum(count) AS counted FROM histograms(:'file', 'histogram=n&n=3');

-- Different values, and different combinations, as a list with order and pages: numbers and dates by value, texts as
-- they are written, a cell that is not there and an empty one.  So are groups.
SELECT * FROM page(:'file', 'distinct=city&orderBy=city');
SELECT * FROM page(:'file', 'distinct=d&orderBy=d&sort=DESC&types=true');
SELECT * FROM page(:'file', 'distinct=n,day&orderBy=n,day&limit=2&skip=1');
SELECT * FROM page(:'file', 'distinct=yes&types=true&n[lt]=10');
SELECT * FROM page(:'file', 'groupBy=d&aggregate=count&orderBy=count');

-- Many rows in several chunks; ranges of one value, of great numbers, of none.
SELECT catalogue.contents_load(:'file', (SELECT ('[["n","same","great","none"],' ||
        string_agg(format('[%s,7,"%se300",""]', n, n % 3 - 1), ',' ORDER BY n) || ']')::json
    FROM generate_series(1, 20000) n)) > 0 AS loaded;
SELECT count(*) AS ranges, sum(count) AS counted, min(count), max(count) FROM histograms(:'file', 'histogram=n');
SELECT low, high, count FROM histograms(:'file', 'histogram=same,great') WHERE count > 0;
SELECT meta FROM catalogue.contents_page(:'file', 'facets=none,same&limit=1');
SELECT (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', 'facets=n'))).*;
SELECT * FROM facets(:'file', 'facets=n&n[gt]=5&_id[lte]=3');

-- Each range has the rows that its bounds find as filters, also of instants, which have codes or have none, and of
-- numbers in several notations; what is greater than any floating-point number is in no range.
SELECT catalogue.contents_load(:'file', (SELECT ('[["at","zoned","d","huge"],' || string_agg(format(
        '["%s","%s",%s,"%s"]', to_char(timestamp '2020-01-01' + n * interval '7 minutes', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        to_char(timestamp '1999-12-31' + n * n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS+01:00'),
        CASE n % 3 WHEN 0 THEN '"' || n / 8.0 || '"' WHEN 1 THEN 'null' ELSE n * 1.5 || '' END,
        CASE n % 4000 WHEN 7 THEN '-1e400' WHEN 8 THEN '1e400' ELSE n || 'e3' END), ',' ORDER BY n) || ']')::json
    FROM generate_series(1, 9000) n)) > 0 AS loaded;
SELECT h.histogram, count(*) AS ranges, min(h.empty) AS empty, min(h.skipped) AS skipped, sum(h.count) AS counted,
    count(*) FILTER (WHERE h.count <> p.count) AS differing
FROM (SELECT h.*, lead(h.n) OVER (PARTITION BY h.histogram ORDER BY h.n) IS NULL AS last
        FROM histograms(:'file', 'histogram=at,zoned,d,huge') WITH ORDINALITY
            h(histogram, low, high, count, empty, skipped, n)) h,
    catalogue.contents_page(:'file', format('%1$s[gte]=%2$s&%1$s[%3$s]=%4$s&limit=1', h.histogram, h.low #>> '{}',
        CASE WHEN h.last THEN 'lte' ELSE 'lt' END, h.high #>> '{}')) p
GROUP BY h.histogram ORDER BY h.histogram;
