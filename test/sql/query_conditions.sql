--
-- query_conditions: what a statement asks of a table's columns is asked when the table is read
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Rows', 'Air') AS file \gset
SELECT catalogue.contents_load(:'file', '[["name","n","x","day","at","ok","Long Name"],
    ["Ñandú",1,"1.50","2024-01-31","2024-01-31T10:00:00Z","true","a"],
    ["nandu",2,"-0.25","1999-12-31","1999-12-31T23:59:59.5Z","false",""],
    ["",3,"1.5","2024-02-01","2024-01-31T12:00:00+02:00","true","a"],
    [null,null,null,null,null,null,null],
    ["b c",4,"0","2024-01-31","2024-02-01T00:00:00Z","false","B"],
    ["it''s",9007199254740993,"100000000000000000000.1","2024-01-31","2024-01-31T00:00:00Z","false","B"]]'
    ) > 0 AS loaded;
-- points stand between thousands, commas before decimals, dates have the day first, and -999 stands for no value
SELECT make_file('Columns', 'Air') AS columns \gset
SELECT catalogue.contents_begin(:'columns') AS revision \gset
SELECT catalogue.contents_sheet(:'columns', :revision, 1, '', false) AS sheet \gset
SELECT catalogue.contents_add(:sheet, 1, 4, catalogue.chunk_packed(ARRAY['1.234', '31/01/2024', '-999', 'n/a',
    '1,5', '01/02/2024', '-999,0', 'x', '7', '2024-01-31', '7', '', '1234', '31/01/2024', '-999', 'n/a'], 4));
SELECT catalogue.contents_sheet_end(:sheet, json_build_object('rows', 4, 'columns', json_build_array(
    json_build_object('name', 'n', 'title', 'n', 'type', 'decimal', 'decimalComma', true, 'thousands', '.'),
    json_build_object('name', 'day', 'title', 'day', 'type', 'date', 'format', '%d/%m/%Y'),
    json_build_object('name', 'm', 'title', 'm', 'type', 'decimal', 'decimalComma', true,
        'marks', json_build_object('-999', 2)),
    json_build_object('name', 't', 'title', 't', 'type', 'text', 'marks', json_build_object('n/a', 2)))));
SELECT catalogue.contents_publish(:'columns', :revision) AS published;

-- Each condition finds the same rows where they are read by it, and where the table is read whole, since it is asked
-- whether it is true.
CREATE FUNCTION found(sql text) RETURNS text LANGUAGE sql AS
$$ SELECT mask(r.data) FROM catalogue.query(json_build_object('sql', $1), 'json', admin()) r $$;
SELECT q AS condition, found(format('SELECT _id FROM rows r WHERE %s ORDER BY _id', q)) AS found,
    found(format('SELECT _id FROM rows r WHERE (%s) IS TRUE ORDER BY _id', q)) AS whole
FROM unnest(ARRAY[
    'name = ''Ñandú''', 'name = ''ñandú''', 'r.name = ''nandu''', 'name = ''''', 'name = text ''b c''', 'name >= ''b''',
    'name = ''it''''s''', 'name IN (''nandu'', ''b c'', ''none'')', 'name NOT IN (''nandu'')',
    'name IN (''nandu'', NULL)', 'name = ''nandu''::char(9)', 'name = ''nandu''::varchar', '''nandu'' = name',
    '2 = n', '3 > n', 'n = 1::smallint', '_id = 2::bigint', 'n = 1::float8', 'day > current_date - 9000',
    'at > current_timestamp - interval ''9000 days''', 'day <= current_timestamp',
    'day = ''2024-01-31''::timestamptz', 'at <= ''2024-01-31''',
    'at = ''infinity''', 'x = ''NaN''',
    'name <> ''nandu''', 'name LIKE ''n%''', '"Long Name" = ''a''', '"Long Name" = ''a'' AND n = 3',
    'name = ''nandu ''',
    'n = 2', 'n = 2.0', 'n > 1.5', 'n IN (1, 4)', 'n BETWEEN 2 AND 3', 'n NOT BETWEEN 2 AND 3', 'n = -1', 'n >= 4e0',
    'n = 9007199254740993', 'n = 9007199254740992', '2 = n', 'n = ''2''', 'n = 1 + 1', 'n + 0 = 2', 'n = 1 OR n = 2',
    'x = 1.5', 'x = 1.500', 'x < 0', 'x >= -0.25', 'x = 100000000000000000000.1', 'x = 100000000000000000000',
    'day = ''2024-01-31''', 'day = date ''2024-01-31''', 'day > ''2024-01-31''', 'day = ''31 January 2024''',
    'day BETWEEN ''1999-01-01'' AND ''2024-01-31''', 'day = ''20240131''', 'day < ''infinity''',
    'at = ''2024-01-31T10:00:00Z''', 'at = timestamptz ''2024-01-31T10:00Z''', 'at > ''2024-01-31''',
    'at >= ''2024-02-01''', 'at = ''2024-01-31''', 'at < ''2024-01-31 10:00:00+00''', 'at <= date ''2024-01-31''',
    'at = ''1999-12-31T23:59:59.500000Z''', 'at > ''2024-01-31T09:59:59.999999Z''',
    'ok = true', 'ok', 'ok = ''true''', '_id = 3', '_id IN (1, 5, 99)', '_id > 4',
    '_id >= 2 AND _id < 4 AND name = ''''',
    '_id = 1.5', 'NOT n = 2', 'n = 2 AND (name = ''x'' OR name = ''nandu'')', 'n IS NULL', 'n = NULL', 'r.n = 2']) q;
SELECT q AS condition, found(format('SELECT _id FROM columns WHERE %s ORDER BY _id', q)) AS found,
    found(format('SELECT _id FROM columns WHERE (%s) IS TRUE ORDER BY _id', q)) AS whole
FROM unnest(ARRAY['n = 1234', 'n = 1.234', 'n < 2', 'n = 1.5', 'day = ''2024-01-31''', 'day > ''2024-01-31''',
    'm = -999',
    'm < 0', 'm = 7', 't = ''n/a''', 't = ''x''']) q;

-- A condition is one of a table whatever the statement calls it, and however often it names it.
SELECT n AS number, found(q) AS found
FROM unnest(ARRAY[
    'SELECT a.n, b.n AS m FROM rows a JOIN rows b ON a.x = b.x WHERE a.n = 1 ORDER BY 2',
    'SELECT n FROM rows WHERE n = 1 UNION ALL SELECT n FROM rows WHERE n = 2 ORDER BY 1',
    'SELECT n, (SELECT count(*) FROM rows) AS all FROM rows WHERE n = 1',
    'WITH a AS (SELECT * FROM rows WHERE n < 3) SELECT a.n, b.n AS m FROM a, a b WHERE a.n = 1 ORDER BY 2',
    'WITH rows AS (SELECT 1 AS n UNION SELECT 2) SELECT n FROM rows WHERE n = 2',
    'SELECT v.i, r.name FROM (VALUES (1), (2)) v (i) LEFT JOIN rows r ON r.n = v.i AND r.n = 1 ORDER BY 1',
    'SELECT v.i, r.name FROM (VALUES (1), (2)) v (i) LEFT JOIN rows r ON r.n = v.i WHERE r.n = 1',
    'SELECT v.i, r.n FROM (VALUES (1), (2)) v (i) FULL JOIN rows r ON r.n = v.i WHERE v.i = 1',
    'SELECT i FROM (VALUES (1), (7)) v (i) WHERE NOT EXISTS (SELECT FROM rows r WHERE r.n = v.i AND i = 1) ORDER BY i',
    'SELECT r.n FROM rows r WHERE EXISTS (SELECT FROM columns c WHERE name = ''nandu'')',
    'SELECT r.n FROM rows r WHERE EXISTS (SELECT FROM columns c WHERE r.n = 2 AND c.n = 7)',
    'SELECT a FROM rows r (b, a, name) WHERE name = 1 ORDER BY 1',
    'SELECT r.n FROM rows r CROSS JOIN columns c WHERE r.n = 1 AND c.n = 7',
    'SELECT n, count(*) OVER () AS of FROM rows WHERE n > 1 ORDER BY n LIMIT 1',
    'SELECT sum(n) AS s FROM rows WHERE n < 4 HAVING sum(n) > 1',
    'SELECT r.z FROM (rows a JOIN (VALUES (1)) v (w) ON true) AS r (i, z) WHERE i = 2',
    'SELECT r._id FROM (rows r JOIN (VALUES (1)) v (w) ON true) AS r (_id, name, x, n) WHERE r.n = 1.5 ORDER BY 1',
    'SELECT r.n FROM (rows r JOIN (VALUES (1)) v (w) ON true) AS r WHERE r.n = 2',
    'SELECT "Rows".n FROM rows "Rows" WHERE "Rows".n = 1', 'SELECT n FROM "rows?sheet=1" WHERE n = 1'])
    WITH ORDINALITY w(q, n)
ORDER BY n;
-- a value that its column cannot have is told as ever
SELECT f.message FROM unnest(ARRAY['SELECT n FROM rows WHERE n = ''x''',
    'SELECT n FROM rows WHERE day = ''2024-02-30''',
    'SELECT n FROM rows WHERE name = 1', 'SELECT n FROM rows WHERE rows.name = 1 AND nothing = 2']) q,
    LATERAL faults(format('SELECT found(%L)', q)) f;
-- more constants than a filter takes
SELECT found('SELECT n FROM rows WHERE n IN (1' || (SELECT string_agg(', ' || i, '') FROM generate_series(9, 109) i) ||
    ')');

-- Records and their relations.
SELECT make('tags', '{"name": "wind"}') AS tag, make('tags', '{"name": "it''s"}') IS NOT NULL AS other,
    make_dataset('Water') AS water \gset
SELECT mask(id) AS id FROM catalogue.update('datasets', :'water',
    json_build_object('tags', json_build_array(:'tag')), actor => admin());
SELECT q AS condition, found(format('SELECT name FROM tags WHERE %s ORDER BY 1', q)) AS found,
    found(format('SELECT name FROM tags WHERE (%s) IS TRUE ORDER BY 1', q)) AS whole
FROM unnest(ARRAY['name = ''wind''', 'name = ''WIND''', 'name IN (''wind'', ''it''''s'')', 'name > ''w''',
    'deleted_at IS NULL
    AND name = ''wind''', 'name = ''wind'' AND created_at > ''2020-01-01''', 'name = ''\''',
    'name = ''wind''::char(6)', 'name = ''wind''::varchar', 'name BETWEEN ''j'' AND ''wind''', '''wind'' = name',
    'created_at > current_timestamp - interval ''1 day''', 'created_at::date < current_date - 7',
    'created_at < ''-infinity''',
    'slug = ''wind'' OR name = ''x''']) q;
SELECT found(format('SELECT count(*) FROM tags WHERE id = %L', :'tag')),
    found(format('SELECT count(*) FROM datasets_tags WHERE tag = %L', :'tag')),
    found(format('SELECT count(*) FROM datasets_tags j JOIN datasets d ON d.id = j.dataset WHERE j.tag = %L', :'tag')),
    found(format('SELECT count(*) FROM datasets_tags WHERE dataset = %L AND tag = %L', :'water', :'tag'));
-- what a caller does not see is not found by its value either
SELECT mask(id) AS id FROM catalogue.delete('tags', :'tag', actor => admin());
SELECT found('SELECT name FROM tags WHERE name = ''wind'''),
    found(format('SELECT tag FROM datasets_tags WHERE tag = %L', :'tag'));
SELECT f.message FROM faults($$SELECT found('SELECT id FROM users WHERE password = ''x''')$$) f;

-- Records that do not pass take no space: a table that is too large for a statement is not where few of its rows pass.
-- Rows of files are not stored at all.
SELECT make_file('Big', 'Air') AS big \gset
SELECT catalogue.contents_load(:'big', (SELECT json_agg(json_build_object('n', n, 't', rpad('x', 12000, 'x'),
    'day', date '2000-01-01' + n)) FROM generate_series(1, 3200) n)) > 0 AS loaded;
CREATE TABLE catalogue.licenses (id catalogue.id PRIMARY KEY, name varchar(150) NOT NULL, body text,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
ALTER TABLE catalogue.licenses ALTER body SET STORAGE EXTERNAL;
INSERT INTO catalogue.licenses (id, name, body)
SELECT 'license' || n, 'Licence ' || n, rpad('x', 12000, 'x') FROM generate_series(1, 3200) n;
SELECT catalogue.expose('licenses', 'License');
SET catalogue.query_memory = '8MB';
SELECT q, found(format('SELECT count(*), max(length(%s)) AS length FROM %s', body, q)) AS found
FROM (VALUES ('big WHERE n = 5', 't'), ('big b WHERE b.n BETWEEN 5 AND 7 AND n <> 6', 't'), ('big WHERE n IN (4, 5)',
    't'),
    ('big WHERE _id <= 3', 't'), ('big WHERE t = ''x''', 't'), ('big WHERE day > ''2008-10-01''', 't'),
    ('licenses WHERE id = ''license77''', 'body'), ('licenses l WHERE l.id IN (''license77'', ''license78'')', 'body'),
    ('licenses WHERE body = ''x''', 'body'), ('licenses WHERE created_at < ''2020-01-01''', 'body'),
    ('licenses a JOIN licenses b USING (id, body) WHERE a.name = ''Licence 7'' AND b.name >= ''Licence 7''
        AND b.name < ''Licence 71''', 'body')) v(q, body);
SELECT q, f.message FROM unnest(ARRAY['big WHERE n + 0 = 5', 'big WHERE n = 5 OR n = 7',
    'licenses WHERE id || '''' = ''x''']) q,
    LATERAL faults(format('SELECT found(%L)', 'SELECT max(length(' ||
        CASE WHEN q LIKE 'big%' THEN 't' ELSE 'body' END || ')) FROM ' || q)) f;
