--
-- rows_pictures: groups of rows as a chart, rows with coordinates as a map, as the query selects them
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Trips', 'Air') AS file \gset
SELECT catalogue.contents_load(:'file', '[["day", "line", "km", "lat", "lon"], ["2024-03-02", "A", 10.5, 48.5, 2],
    ["2024-03-01", "B", -3.5, 48.75, 2.5], ["2024-03-01", "A", 1200, 49, 3], ["2024-03-03", "", 4, null, 3]]') > 0
    AS loaded;
-- What a picture tells: its title and description, and the texts in it that match.
CREATE FUNCTION told(file text, query text, texts text DEFAULT 'of') RETURNS TABLE (description text, note text)
    LANGUAGE sql AS
$$
    SELECT translate((xpath('string(//svg:title)', p.picture, s.names))[1]::text || ': '
            || (xpath('string(//svg:desc)', p.picture, s.names))[1]::text, U&'\2068\2069', ''),
        (SELECT string_agg(n::text, ' | ') FROM unnest(xpath('//svg:text/text()', p.picture, s.names)) n
         WHERE n::text ~ $3)
    FROM (SELECT xmlparse(DOCUMENT r.data) FROM catalogue.contents_image($1, $2) r) p(picture),
        (VALUES ('{{svg,http://www.w3.org/2000/svg}}'::text[])) s(names)
$$;
\pset format unaligned
-- One column: instants in their order, others by their values, unless an order is given.
SELECT t.*
FROM (VALUES (1, 'groupBy=line'), (2, 'groupBy=day&aggregate=sum(km)'), (3, 'groupBy=day&orderBy=count&sort=DESC'),
    (4, 'groupBy=line&aggregate=max(km)&limit=2'), (5, 'groupBy=line&km[gt]=0&orderBy=line')) q(n, query),
    told(:'file', q.query) t ORDER BY q.n;
-- Two: counts and sums are stacked, averages are cells of a heat map.
SELECT t.description FROM (VALUES (1, 'groupBy=day,line'), (2, 'groupBy=line,day&aggregate=sum(km)'),
    (3, 'groupBy=day,line&aggregate=avg(km)')) q(n, query), told(:'file', q.query) t ORDER BY q.n;
-- A cell that is not there is another group than an empty one: each has its own value.
SELECT make_file('Gaps', 'Air') AS gaps \gset
SELECT catalogue.contents_load(:'gaps',
    '[["line", "km"], [null, 5], ["A", 4], ["", 3], ["", 7], ["B", 1], ["A", 2]]') > 0 AS loaded;
SELECT t.description FROM (VALUES (1, 'groupBy=line&aggregate=sum(km)'), (2, 'groupBy=line,km')) q(n, query),
    told(:'gaps', q.query) t ORDER BY q.n;
-- No group.
SELECT t.description FROM told(:'file', 'groupBy=line&line=none') t;
-- Places: rows without one are counted; usual names of columns, or those that are named.
SELECT t.*
FROM (VALUES (1, ''), (2, 'line=A'), (3, 'limit=1'), (4, 'latitudeKey=km&longitudeKey=lat'), (5, 'line=none'))
    q(n, query), told(:'file', q.query) t ORDER BY q.n;
-- In a language: what the service says, and numbers.
SELECT l.lang, t.*
FROM unnest('{es,pt}'::text[]) l(lang), (VALUES (1, 'groupBy=line'), (2, 'groupBy=day&aggregate=sum(km)'), (3, ''),
    (4, 'limit=1'), (5, 'groupBy=line&limit=1'), (6, 'line=none')) q(n, query),
    told(:'file', q.query || '&lang=' || l.lang, ' (de|lo|la) |,|[°º()]') t ORDER BY l.lang, q.n;
-- More groups than there is room for are told; more values than a chart has are refused.
SELECT make_file('Many', 'Air') AS many \gset
SELECT catalogue.contents_load(:'many', (SELECT json_agg(r.line) FROM (
    SELECT '["a", "b", "day"]'::json UNION ALL
    SELECT json_build_array('n' || i, 'm' || i, date '2020-01-01' + i) FROM generate_series(1, 1200) i) r(line))) > 0
    AS loaded;
SELECT left(t.description, 30) AS description, t.note
FROM (VALUES (1, 'groupBy=a'), (2, 'groupBy=day'), (3, 'groupBy=a&limit=50')) q(n, query),
    told(:'many', q.query, 'groups') t ORDER BY q.n;
SELECT r.*
FROM (VALUES (1, 'groupBy=a,b'), (2, 'groupBy=a,b,day'), (3, 'aggregate=count'),
    (4, 'groupBy=a&aggregate=count,min(a)'), (5, 'distinct=a'), (6, 'groupBy=none'), (7, ''), (8, 'latitudeKey=none'),
    (9, 'groupBy=a&aggregate=min(b)'))
    q(n, query),
    refusal(format('SELECT catalogue.contents_image(%L, %L)', :'many', q.query)) r ORDER BY q.n;
-- Who does not see the file; a file without rows; an earlier version.
SELECT code, message
FROM refusal(format('SELECT catalogue.contents_image(%L, %L, ''{}'')', :'file', 'groupBy=line'));
SELECT make_file('Empty', 'Air') AS empty \gset
SELECT code, message FROM refusal(format('SELECT catalogue.contents_image(%L)', :'empty'));
SELECT version AS before FROM catalogue.contents_page(:'file') \gset
SELECT catalogue.contents_load(:'file', '[["line"], ["Z"]]') > 0 AS loaded;
SELECT t.description FROM (VALUES (1, 'groupBy=line'), (2, 'groupBy=line&version=' || :'before')) q(n, query),
    told(:'file', q.query) t ORDER BY q.n;
