--
-- contents_filters: conditions on columns find the rows that the same conditions find in a table
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Rows', 'Air') AS file \gset
CREATE FUNCTION found(file text, query text, OUT numbers text, OUT count bigint) LANGUAGE sql AS
$$
    SELECT (SELECT string_agg(e ->> '_id', ' ' ORDER BY n)
            FROM json_array_elements(r.data::json) WITH ORDINALITY e(e, n)),
           r.count
    FROM catalogue.contents_page(file, query) r
$$;

-- Texts: without letter case and accents, anywhere, at an end, as a whole; % and _ are plain.
SELECT catalogue.contents_load(:'file',
    '[["t","n"],["Ñandú",1],["nandu",2],["NANDUBAY",3],["el ñandú",4],["50%",5],["a_b",6],["axb",7],["",8],[null,9],
        ["null",10],["a,b",11],["\"q\"",12],["İstanbul ǅ ß",13]]') > 0 AS loaded;
SELECT q, f.*
FROM unnest(ARRAY['t=NANDU', 't=ñandú&match=exact', 't=nandu&match=BEGINS', 't=Nandú&match=ends', 't=%25', 't=_', 't=x',
    't=nand,50', 't="a,b"', 't=a,b', 't=b', 't="""q"""', 't=strasse', 't=ss', 't=istanbul', 't=nowhere', 't=ndun',
    't[eq]=NANDU', 't[eq]=nand', 't[eq]=nandu,x,axb', 'n[eq]=3', 't[eq]=null&match=BEGINS']) q,
    LATERAL found(:'file', q) f;

-- Null is a cell that is not there, or empty; the word in quotes is the text; nothing at all is the empty text, which
-- is in each.
SELECT q, f.*
FROM unnest(ARRAY['t=null', 't="null"', 't=null,nandu', 't[ne]=null', 't[ne]=nandu', 't[ne]=nandu,null', 't=',
    't=&match=exact', 't[ne]=&match=exact']) q,
    LATERAL found(:'file', q) f;

-- Conditions are joined by OR unless it is AND; of one column as well.  Ranges are always required.
SELECT q, f.*
FROM unnest(ARRAY['t=nandu&n=7', 't=nandu&n=2&condition=and', 't=a&t=b&condition=AND', 'n[gt]=3&n[lte]=6&condition=AND',
    't=nandu&n=null&condition=or', 'n[gt]=3&n[lte]=6', 'n[gt]=3&n[lte]=6&condition=OR', 'n[gt]=3&t=nandu&n=2',
    't=nandu&n[gt]=3&n=2', 'n[ne]=4&t=nandu', 'n[gt]=3&n[gt]=1&condition=AND']) q,
    LATERAL found(:'file', q) f;

-- Ranges of texts go by the order of the sort, which tells letter case and accents apart; null is at no end of a range.
SELECT q, f.*
FROM unnest(ARRAY['t[gte]=n', 't[lt]=B', 't[gt]=nandu', 't[lte]=nandu', '_id[gte]=12', '_id=3,5', '_id[ne]=1']) q,
    LATERAL found(:'file', q) f;
SELECT q, (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', q))).*
FROM unnest(ARRAY['t[gt]=null', 'n[lt]=null', 'n=x', 'n[gte]=1.', 'n=1e9999', '_id=first', '_id[gt]=null']) q;
SELECT (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file',
    't=' || (SELECT string_agg(n::text, ',') FROM generate_series(1, 101) n)))).*;

-- Names of columns that look like other things: with brackets, or those of a word of the query, which it is.
SELECT catalogue.contents_load(:'file',
    '[["pm[gte]","limit","a[b]","x"],["1","2","3","4"],["5","6","7","8"]]') > 0 AS loaded;
SELECT q, f.*
FROM unnest(ARRAY['pm[gte]=1', 'pm[gte][gt]=1', 'limit=1', 'a[b]=7', 'a[b][ne]=7', 'x[up]=4']) q,
    LATERAL found(:'file', q) f;

-- Numbers, however they are written and however many digits they have.
SELECT catalogue.contents_load(:'file',
    '[["d","i"],["1.50",9007199254740992],["15e-1",9007199254740993],["1.5000000000000000000000001",9007199254740994],
        ["-0",0],["0.1","-9223372036854775808"],["1e-300",""],["0.30000000000000004",""],["0.3",""],["-1.5",""],
        ["100",""]]') > 0 AS loaded;
SELECT q, f.*
FROM unnest(ARRAY['d=1.5', 'd[gt]=1.5', 'd[lt]=1.5', 'd=0', 'd=0.3', 'd[gt]=0.3', 'd=1e2',
    'd[gt]=0&d[lt]=0.1&condition=AND', 'i=9007199254740993', 'i[gt]=9007199254740992', 'i[lte]=-9223372036854775808',
    'd=-1.5,0.1', 'orderBy=d', 'orderBy=i&sort=desc']) q,
    LATERAL found(:'file', q) f;

-- Dates: a day of an instant is all of it.
SELECT catalogue.contents_load(:'file',
    '[["day","at"],["2024-02-29","2024-02-29T23:59:59.999999Z"],["2024-03-01","2024-03-01T00:00:00Z"],
        ["2023-12-31","2024-03-01 01:00+02:00"],["0001-01-01","9999-12-31T23:59:59Z"],["",""]]') > 0 AS loaded;
SELECT type FROM json_to_recordset((catalogue.contents_columns(:'file')).data::json) c(type text);
SELECT q, f.*
FROM unnest(ARRAY['day=2024-02-29', 'day[gt]=2024-02-29', 'day[lte]=2024-02-29', 'at=2024-02-29', 'at[gt]=2024-02-29',
    'at[gte]=2024-02-29', 'at[lt]=2024-03-01', 'at[lte]=2024-02-29', 'at=2024-02-29T23:00:00Z', 'at[ne]=2024-03-01',
    'day=null', 'orderBy=at']) q,
    LATERAL found(:'file', q) f;
SELECT q, (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', q))).code
FROM unnest(ARRAY['day=2024-02-30', 'at=tomorrow', 'day=2024', 'at[gt]=2024-02-29T25:00:00Z']) q;

-- Many rows, of all kinds, in several chunks; the same in a table.
CREATE TABLE plain AS
SELECT n::bigint AS number,
    CASE WHEN n % 11 = 0 THEN NULL WHEN n % 13 = 0 THEN ''
        ELSE (ARRAY['Ñandú', 'nandu', 'Ålesund', 'alesund ', 'ÇA', 'Œuvre', 'straße', '日本語', 'x,y', 'Ω', 'fiﬁ',
            E'e\u0301t\u00e9'])[1 + n * 7919 % 12]
        || ' ' || n % 97 END AS t,
    CASE WHEN n % 17 = 0 THEN NULL ELSE ((n * 7919 % 4001) - 2000)::text END AS i,
    CASE WHEN n % 19 = 0 THEN '' ELSE (((n * 104729 % 20011) - 10000) / 8.0)::text END AS d,
    CASE WHEN n % 23 = 0 THEN NULL ELSE (n % 3 = 0)::text END AS b,
    CASE WHEN n % 29 = 0 THEN '' ELSE to_char(date '2020-01-01' + n * 31 % 1500, 'YYYY-MM-DD') END AS day
FROM generate_series(1, 2121) n;
SELECT catalogue.contents_load(:'file',
    (SELECT json_agg(json_build_object('t', t, 'i', i, 'd', d, 'b', b, 'day', day) ORDER BY number)
     FROM plain)) > 0 AS loaded;
SELECT name, type, nulls, "distinct", min, max
FROM json_to_recordset((catalogue.contents_columns(:'file')).data::json) c(name text, type text, nulls int,
    "distinct" int, min text, max text);
CREATE FUNCTION urlencode(text) RETURNS text
    LANGUAGE sql AS $$
        SELECT string_agg('%' || substr(h, n, 2), '')
        FROM (SELECT encode(convert_to($1, 'UTF8'), 'hex')) e(h), generate_series(1, length(h), 2) n
    $$;
-- A condition in the words of the interface and in SQL.
CREATE TABLE conditions (query text, sql text);
INSERT INTO conditions
SELECT format('t=%s&match=%s', urlencode(format('"%s"', v)), m),
       format('catalogue.fold(t) %s', replace(format(o, replace(catalogue.fold(v), '%', '\%')), '~', ''''))
    FROM unnest(ARRAY['nan', 'ÑANDÚ', 'le', 'u 5', 'œ', 'STRASSE', '本', 'ω', 'fi', 'été', '96', 'zzz', ' ']) v,
        (VALUES ('CONTAINS', 'LIKE ~%%%s%%~'), ('BEGINS', 'LIKE ~%s%%~'), ('ENDS', 'LIKE ~%%%s~'),
            ('EXACT', '= ~%s~')) p(m, o);
INSERT INTO conditions
SELECT format('t[%s]=%s', c, urlencode(v)), format('t <> '''' AND t COLLATE "und-x-icu" %s %L', o, v)
    FROM unnest(ARRAY['nandu', 'nandu 50', 'Ñandú 50', 'Ålesund 50', 'alesund  7', 'oeuvre 3', 'Œuvre 3', 'ω', 'Ω 5',
        'm']) v,
        (VALUES ('gt', '>'), ('gte', '>='), ('lt', '<'), ('lte', '<=')) p(c, o);
INSERT INTO conditions SELECT format('%s%s=%s', f, c, v), format('nullif(%s, '''')::numeric %s %s', f, o, v)
    FROM unnest(ARRAY['i', 'd']) f,
        unnest(ARRAY['0', '-2000', '1999', '12.5', '-1e2', '1250.125', '99999999999999999999']) v,
        (VALUES ('', '='), ('[gt]', '>'), ('[gte]', '>='), ('[lt]', '<'), ('[lte]', '<=')) p(c, o);
INSERT INTO conditions SELECT format('day%s=%s', c, v), format('nullif(day, '''')::date %s %L', o, v)
    FROM unnest(ARRAY['2020-01-01', '2022-02-28', '2024-02-08', '2030-01-01']) v,
        (VALUES ('', '='), ('[gt]', '>'), ('[gte]', '>='), ('[lt]', '<'), ('[lte]', '<=')) p(c, o);
INSERT INTO conditions
SELECT format('%s=null', f), format('coalesce(%s, '''') = ''''', f)
FROM unnest(ARRAY['t', 'i', 'd', 'b', 'day']) f;
INSERT INTO conditions
    VALUES ('b=true', 'b = ''true'''), ('b=false', 'b = ''false'''), ('b=true,false', 'b <> '''''),
        ('_id[gt]=900', 'number > 900'), ('_id=1,2121,5000', 'number IN (1, 2121, 5000)'),
        ('i=1,2,null', 'i IN (''1'', ''2'') OR i IS NULL');
-- The opposite of each, and pairs of them; one with brackets is required by either condition.
INSERT INTO conditions
SELECT regexp_replace(query, '^([a-z_]+)=', '\1[ne]='), format('(%s) IS NOT TRUE', sql)
FROM conditions
WHERE query ~ '^[a-z_]+=';
INSERT INTO conditions
SELECT format('%s&%s&condition=%s', a.query, b.query, j),
       format('(%s) %s (%s)', a.sql, CASE WHEN a.query || b.query ~ '\[' THEN 'AND' ELSE j END, b.sql)
    FROM (SELECT *, row_number() OVER (ORDER BY md5(query)) AS n FROM conditions WHERE query !~ 'match') a
        JOIN (SELECT *, row_number() OVER (ORDER BY md5(sql)) AS n FROM conditions WHERE query !~ 'match') b USING (n),
            unnest(ARRAY['AND', 'OR']) j;

-- Each finds as many rows in both, and the same ones; what follows is where they differ.
CREATE FUNCTION expected(sql text, OUT count bigint, OUT sum numeric) LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE format('SELECT count(*), sum(number) FROM plain WHERE %s', sql) INTO count, sum;
END
$$;
CREATE TABLE wanted AS SELECT c.*, e.* FROM conditions c, LATERAL expected(sql) e \g /dev/null
SELECT count(*) > 400 AS many, count(*) FILTER (WHERE count BETWEEN 1 AND 2120) > 250 AS telling FROM wanted;
SELECT w.*, g.count AS page, s.*
FROM wanted w, LATERAL catalogue.contents_page(:'file', query) g,
    LATERAL (SELECT count(*) AS rows, sum(number) AS numbers FROM catalogue.contents(:'file', query)) s
WHERE (w.count, w.count, w.sum) IS DISTINCT FROM (g.count, s.rows, s.numbers);

-- So with the order of all rows, of each column both ways, and of two.
CREATE TABLE orders (query text, sql text);
INSERT INTO orders SELECT format('orderBy=%s&sort=%s', f, d), format('%s %s NULLS LAST, number', e, d)
    FROM (VALUES ('t', 'nullif(t, '''') COLLATE "und-x-icu"'), ('i', 'i::numeric'), ('d', 'nullif(d, '''')::numeric'),
        ('b', 'b::boolean'), ('day', 'nullif(day, '''')::date'), ('_id', 'number')) f(f, e),
        unnest(ARRAY['ASC', 'DESC']) d;
INSERT INTO orders
    VALUES ('orderBy=b,day,i&sort=DESC,ASC,DESC',
        'b::boolean DESC NULLS LAST, nullif(day, '''')::date NULLS LAST, i::numeric DESC NULLS LAST, number'),
        ('', 'number'), ('sort=desc', 'number DESC');
CREATE FUNCTION ordered(sql text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    numbers  text;
BEGIN
    EXECUTE format('SELECT string_agg(number::text, '' '' ORDER BY %s) FROM plain', sql) INTO numbers;
    RETURN numbers;
END
$$;
SELECT o.query
FROM orders o
WHERE ordered(sql) IS DISTINCT FROM (SELECT string_agg(number::text, ' ')
                                     FROM catalogue.contents(:'file', query || '&fields=_id'));
-- Pages of it are parts of it.
SELECT o.query, skip FROM orders o, unnest(ARRAY[0, 1, 990, 2100]) skip
WHERE (string_to_array(ordered(sql),
    ' '))[skip + 1:skip + 50] IS DISTINCT FROM string_to_array((found(:'file',
        format('%s&fields=_id&limit=50&skip=%s', query, skip))).numbers,
    ' ');

-- Pages behind a cursor follow each other, and pages in front of one precede each other; so with a filter.
CREATE FUNCTION walked(file text, query text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    page      record;
    cursor    text := '';
    skip      bigint := 0;
    forwards  text;
    back      text;
BEGIN
    LOOP
        SELECT r.*, (SELECT string_agg(e ->> '_id', ' ' ORDER BY n) FROM json_array_elements(r.data::json)
            WITH ORDINALITY e(e, n)) AS numbers INTO page
        FROM catalogue.contents_page(file, format('%s&fields=_id&limit=250&skip=%s%s', query, skip, cursor)) r;
        forwards := concat_ws(' ', forwards, page.numbers);
        EXIT WHEN skip + page.returned = page.count;
        skip := skip + page.returned;
        cursor := coalesce('&after=' || page.next, '');
    END LOOP;
    WHILE page.previous IS NOT NULL LOOP
        back := concat_ws(' ', page.numbers, back);
        skip := greatest(skip - 250, 0);
        SELECT r.*, (SELECT string_agg(e ->> '_id', ' ' ORDER BY n) FROM json_array_elements(r.data::json)
            WITH ORDINALITY e(e, n)) AS numbers INTO page
        FROM catalogue.contents_page(file, format('%s&fields=_id&limit=250&skip=%s&before=%s', query, skip,
            page.previous)) r;
    END LOOP;
    RETURN CASE WHEN back IS NULL OR concat_ws(' ', page.numbers, back) = forwards THEN forwards END;
END
$$;
SELECT o.query FROM orders o WHERE walked(:'file', query) IS DISTINCT FROM ordered(sql);
SELECT q, walked(:'file', q) IS NOT DISTINCT FROM (SELECT string_agg(number::text, ' ')
    FROM catalogue.contents(:'file', q)) AS same
FROM unnest(ARRAY['i[gt]=0', 'i[gt]=0&orderBy=t,d&sort=DESC', 't=nandu&orderBy=day,_id&sort=ASC,DESC']) q;
-- An export begins behind the cursor, too; what is no cursor of this order, and groups, have none.
SELECT r.next AS cursor FROM catalogue.contents_page(:'file', 'i[gt]=0&orderBy=d&limit=3') r \gset
SELECT string_agg(number::text, ' ') AS behind FROM catalogue.contents(:'file', 'i[gt]=0&orderBy=d&limit=4&skip=3');
SELECT string_agg(number::text, ' ') AS behind
FROM catalogue.contents(:'file', 'i[gt]=0&orderBy=d&limit=4&after=' || :'cursor');
SELECT string_agg(number::text, ' ') AS before
FROM catalogue.contents(:'file', 'i[gt]=0&orderBy=d&limit=2&before=' || :'cursor');
SELECT q, (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', q))).*
FROM unnest(ARRAY['i=0&after=x', 'i=0&orderBy=t,d&after=' || :'cursor', 'i=0&before=YQ', 'groupBy=b&after=MQ']) q;

-- And with groups.
SELECT p.*, g.*
FROM (SELECT coalesce(b, 'none') AS b, count(*), sum(nullif(d, '')::numeric), max(i::int), min(nullif(day, ''))
      FROM plain
      GROUP BY 1) p
    FULL JOIN (SELECT coalesce(b, 'none') AS b, count, "sum(d)", "max(i)", "min(day)"
               FROM json_to_recordset((catalogue.contents_page(:'file',
                   'groupBy=b&aggregate=count,sum(d),max(i),min(day)')).data::json) r(b text,
                   count bigint, "sum(d)" numeric, "max(i)" int, "min(day)" text)) g USING (b)
WHERE (p.count, p.sum, p.max, p.min) IS DISTINCT FROM (g.count, g."sum(d)", g."max(i)", g."min(day)");
