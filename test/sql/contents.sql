--
-- contents: the rows of a file as a list; who sees them, as of which instant; groups
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
UPDATE catalogue.datasets SET status = 'qWRhpRV';
SELECT make_file('Stations', 'Air') AS file \gset
-- What a page has, without the version.
CREATE FUNCTION page(file text, query text DEFAULT '', OUT data text, OUT page text, OUT ignored text) LANGUAGE sql AS
$$
    SELECT replace(r.data, '},{', E'},\n {'),
           format('%s of %s, limit %s, skip %s', r.returned, r.count, r."limit", r.skip), r.ignored
    FROM catalogue.contents_page(file, query) r
$$;

-- A file without bytes has no contents; what is not there has none either.
SELECT (refusal(format('SELECT catalogue.contents_page(%L)', :'file'))).*;
SELECT (refusal('SELECT catalogue.contents_page(''nonesuch'')')).*;

-- Rows of arrays: the first has the names, which become different ones; a row may be short or long.
SELECT catalogue.contents_load(:'file',
    '[["Name"," no.","pm10","open","since","Name",""],["Ñandú","1","12.50","true","2019-03-01","n"],
        ["alto","2","7","false","2021-11-30",null,"x","more"],["Zoo","10",null,"true","","",""],[],
        ["alto","3","1e2","TRUE","2020-02-29"]]') > 0 AS loaded;
SELECT * FROM page(:'file');

-- Values as what their column is.
SELECT * FROM page(:'file', 'types=true');
SELECT (refusal(format('SELECT catalogue.contents_page(%L, ''types=yes'')', :'file'))).*;

-- Some columns; unknown ones are ignored, and told.
SELECT * FROM page(:'file', 'fields=pm10,Name,colour&colour=red&shade[gte]=2&_id[up]=1');
SELECT * FROM page(:'file', 'fields=&limit=1');
SELECT * FROM page(:'file', 'fields=pm10&fields=Name&limit=1');

-- Pages.
SELECT * FROM page(:'file', 'fields=no&limit=2');
SELECT * FROM page(:'file', 'fields=no&limit=2&skip=4');
SELECT * FROM page(:'file', 'limit=2&skip=5');
SELECT page FROM page(:'file', 'limit=0&skip=9223372036854775807');
SELECT q, (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', q))).*
FROM unnest(ARRAY['limit=-1', 'limit=x', 'skip=-1', 'match=like', 'condition=xor', 'sort=up', 'sort=', 'orderBy=',
    'orderBy=colour', 'version=soon', 'version=2100-01-01T00:00:00Z', 'groupBy=colour', 'aggregate=count(colour)',
    'aggregate=max', 'aggregate=median(pm10)', 'aggregate=sum(Name)', 'aggregate=avg(since)']) q;

-- Order: numbers as numbers, texts by the root collation, dates; empty cells last either way round; then the number of
-- the row.
SELECT * FROM page(:'file', 'fields=no&orderBy=no');
SELECT * FROM page(:'file', 'fields=pm10&orderBy=pm10&sort=DESC');
SELECT * FROM page(:'file', 'fields=Name,no&orderBy=Name');
SELECT * FROM page(:'file', 'fields=Name,no&orderBy=Name,no&sort=desc,asc');
SELECT * FROM page(:'file', 'fields=since&orderBy=since&limit=2&skip=1');
SELECT * FROM page(:'file', 'fields=no&sort=desc&limit=2');
SELECT * FROM page(:'file', 'fields=no&orderBy=_id&sort=desc&limit=2&skip=4');
SELECT * FROM page(:'file', 'fields=no&orderBy=open,_id&sort=asc,desc');

-- Rows of objects; numbers keep their text, null is a cell that is not there.
SELECT catalogue.contents_load(:'file', '[{"a":1.50,"b":true,"c":null},{"b":false,"d":[1,2]},{"a":-1e3,"c":{"x":1}}]',
    'objects') > 0 AS loaded;
SELECT * FROM page(:'file');
SELECT rows, (refusal(format('SELECT catalogue.contents_load(%L, %L)', :'file', rows))).message
FROM unnest(ARRAY['{}', '1', '[1]', '[["a"],2]', '[["a"],["\u0000"]]']) rows;
SELECT (refusal(format(
    'SELECT catalogue.contents_load(%L, (SELECT json_build_array(json_agg(n)) FROM generate_series(1, 16385) n))',
    :'file'))).message;
SELECT (refusal(format(
    'SELECT catalogue.contents_load(%L, json_build_array(''["a"]''::json, json_build_array(repeat(''x'', 1048577))))',
    :'file'))).message;
SELECT (refusal('SELECT catalogue.contents_load(''nonesuch'', ''[]'')')).message;

-- Nothing but names, and nothing at all.
SELECT catalogue.contents_load(:'file', '[["a","b"]]') > 0 AS loaded;
SELECT * FROM page(:'file');
SELECT * FROM page(:'file', 'a=1&orderBy=b');
SELECT catalogue.contents_load(:'file', '[]') > 0 AS loaded;
SELECT * FROM page(:'file');
SELECT (catalogue.contents_columns(:'file')).data;

-- Rows as arrays of texts, for SQL.
SELECT catalogue.contents_load(:'file', '[["a","b","c"],["x","1.50",null],["","2"]]') > 0 AS loaded;
SELECT * FROM catalogue.rows_of(:'file');
SELECT sum(cells[2]::numeric) FROM catalogue.rows_of(:'file');
SELECT * FROM catalogue.rows_of(:'file', 'a=&fields=c,b');
SELECT * FROM catalogue.rows_of(:'file', 'orderBy=b&sort=desc&limit=1');
SELECT * FROM catalogue.rows_of(:'file', 'a=nothing');
SELECT (refusal(format('SELECT * FROM catalogue.rows_of(%L, ''groupBy=a'')', :'file'))).*;
SELECT (refusal(format('SELECT * FROM catalogue.rows_of(%L, actor => ''{"user": "none"}'')', :'file'))).code;
SELECT (refusal('SELECT * FROM catalogue.rows_of(''nonesuch'')')).code;
SELECT number, cells FROM catalogue.rows_of(:'file') LIMIT 1;

-- Several sheets: the first that is not hidden, others by name or number.
CREATE FUNCTION sheet(file text, revision bigint, number integer, name text, hidden boolean, cell text) RETURNS void
    LANGUAGE plpgsql AS
$$
DECLARE
    sheet  bigint := catalogue.contents_sheet(file, revision, number, name, hidden);
BEGIN
    PERFORM catalogue.contents_add(sheet, 1, 1,
        '\x01010000000100000011000000'::bytea || set_byte('\x00000000', 0, 18 + length(cell))
        || set_byte('\x00', 0, length(cell) + 1) || convert_to(cell, 'UTF8'));
    PERFORM catalogue.contents_issue(sheet, n, 10 * n, 'line ' || n) FROM generate_series(1, 3 * (number - 1)) n;
    PERFORM catalogue.contents_sheet_end(sheet,
        format(
            '{"rows":1,"badRows":%s,
                "columns":[{"name":"a","title":"A.","type":"text","nulls":0,"distinct":1,"min":"x","max":"z"}],
                "details":{"dates":1904}}',
            3 * (number - 1))::json);
END
$$;
SELECT catalogue.contents_begin(:'file') AS revision \gset
SELECT sheet(:'file', :revision, 1, 'secret', true, 'x'), sheet(:'file', :revision, 2, 'Sums', false, 'y'),
       sheet(:'file', :revision, 3, '2', false, 'z');
SELECT catalogue.contents_publish(:'file', :revision) AS published;
SELECT q, data
FROM unnest(ARRAY['', 'sheet=', 'sheet=secret', 'sheet=1', 'sheet=SUMS', 'sheet=2', 'sheet=3', 'sheet=%222%22',
                  'sheet="sums"']) q,
    LATERAL page(:'file', q);
SELECT (refusal(format('SELECT catalogue.contents_page(%L, ''sheet=4'')', :'file'))).*;
SELECT (refusal(format('SELECT catalogue.contents_page(%L, ''sheet=%%221%%22'')', :'file'))).*;
SELECT (catalogue.contents_sheets(:'file')).data;
SELECT (catalogue.contents_columns(:'file', 'sheet=secret')).data;
SELECT r.data, r.count, r.returned FROM catalogue.contents_issues(:'file') r;
SELECT r.data, r.count, r.returned, r.ignored
FROM catalogue.contents_issues(:'file', 'sheet=3&limit=2&skip=3&colour=red') r;
SELECT r.data, r.count, r.returned FROM catalogue.contents_issues(:'file', 'sheet=3&skip=6') r;
SELECT row_count, bad_rows, parse_state FROM catalogue.files WHERE id = :'file';

-- The schema of the columns, as others read it.
SELECT catalogue.contents_load(:'file',
    '[["n","d","b","day","at","t"],[1,1.5,"true","2024-01-01","2024-01-01T10:00Z","x"],
        [2,"","false","2024-01-02","2024-01-01 10:00:01.5+02:00",null]]') > 0 AS loaded;
SELECT jsonb_pretty((catalogue.contents_schema(:'file')).data::jsonb);
SELECT jsonb_pretty((catalogue.contents_columns(:'file')).data::jsonb -> 1);
SELECT * FROM page(:'file', 'types=true');

-- Numbers with a decimal comma, dates in another form.
SELECT catalogue.contents_load(:'file',
    '[["d","day"],["1,5","31/12/2023"],["-2,25","1/2/2024 10:30"],["10","2/1/2024"]]') AS revision \gset
UPDATE catalogue.sheet
SET columns = '[{"name":"d","type":"decimal","decimalComma":true},{"name":"day","type":"datetime","format":"%d/%m/%Y"}]'
WHERE revision = :revision;
SELECT * FROM page(:'file', 'types=true&orderBy=day&sort=desc');
SELECT * FROM page(:'file', 'd[lt]=2&fields=d');
SELECT * FROM page(:'file', 'd=1,5&fields=d');
SELECT * FROM page(:'file', 'd="1,5"&fields=d');
SELECT * FROM page(:'file', 'day=2024-02-01&fields=day');
SELECT * FROM page(:'file', 'day[gt]=2024-01-02&fields=day');
SELECT * FROM page(:'file', 'aggregate=sum(d),min(d),max(day)&types=true');
SELECT (catalogue.contents_schema(:'file')).data;

-- Groups, and what is told of them: sums are exact.
SELECT catalogue.contents_load(:'file',
    '[["place","n","d","day"],["Oslo",1,"0.1","2024-01-01"],["oslo",2,"0.2",""],["Oslo",3,"0.30","2023-01-01"],
        [null,4,"99999999999999999999.99","2024-05-05"],["",5,"-1e-3",""],["Ålesund","","",""]]') > 0 AS loaded;
SELECT * FROM page(:'file', 'groupBy=place');
SELECT * FROM page(:'file', 'groupBy=place&aggregate=count,count(n),sum(d),avg(n),min(day),max(place)');
SELECT * FROM page(:'file', 'groupBy=place,n&orderBy=n&sort=desc&limit=2&skip=1&types=true');
SELECT * FROM page(:'file', 'groupBy=place&aggregate=count,count&orderBy=count,place&sort=desc,asc');
SELECT * FROM page(:'file', 'aggregate=count,sum(d),avg(d),min(n),max(d)&types=true');
SELECT * FROM page(:'file', 'aggregate=count,sum(d),min(n)&place=nowhere');
SELECT * FROM page(:'file', 'groupBy=place&place=nowhere');
SELECT (refusal(format('SELECT catalogue.contents_page(%L, ''groupBy=place&orderBy=d'')', :'file'))).message;
SELECT catalogue.contents_load(:'file',
    (SELECT json_agg(json_build_object('n', n)) FROM generate_series(1, 10001) n)) > 0 AS loaded;
SELECT page FROM page(:'file', 'groupBy=n&n[lte]=10000');
SELECT (refusal(format('SELECT catalogue.contents_page(%L, ''groupBy=n'')', :'file'))).*;

-- A page anywhere, and across chunks.
SELECT * FROM page(:'file', 'limit=2&skip=999');
SELECT * FROM page(:'file', 'limit=2&skip=9999');
SELECT * FROM page(:'file', 'limit=3&skip=2999&sort=desc');
SELECT * FROM page(:'file', 'n[gt]=999&n[lt]=1002&condition=and');
SELECT page,
       md5(data) = (SELECT md5(string_agg(format('{"_id":%s,"n":"%1$s"}', n), E',\n ' ORDER BY n DESC))
                    FROM generate_series(101, 10000) n)
FROM (SELECT trim(data, '[]') AS data, page FROM page(:'file', 'limit=9900&skip=1&orderBy=n&sort=desc')) p;

-- Contents are those of an instant: of what the file was then.
SELECT catalogue.contents_load(:'file', '[["a"],["before"]]') > 0 AS loaded;
SELECT version AS before FROM catalogue.contents_page(:'file') \gset
SELECT catalogue.contents_load(:'file', '[["b"],["behind"],["it"]]') > 0 AS loaded;
SELECT * FROM page(:'file');
SELECT * FROM page(:'file', 'version=' || :'before');
SELECT (catalogue.contents_columns(:'file', 'version=' || :'before')).data;
SELECT count(*) FROM catalogue.contents(:'file', 'version=' || :'before');

-- A state that the caller has is not sent again, and is another one after a change.
SELECT etag FROM catalogue.contents_page(:'file') \gset
SELECT r.data IS NULL AS same, r.etag = :'etag' AS tag FROM catalogue.contents_page(:'file', known => :'etag') r;
SELECT catalogue.contents_load(:'file', '[["b"],["other"]]') > 0 AS loaded;
SELECT r.data, r.etag = :'etag' AS tag FROM catalogue.contents_page(:'file', known => :'etag') r;

-- Who does not see the file does not see its rows, by whatever way; a deleted file has none.
CREATE FUNCTION ways(file text, actor text) RETURNS TABLE (way text, code text) LANGUAGE sql AS
$$
    SELECT f,
           (refusal(format(CASE f WHEN 'contents' THEN 'SELECT count(*) FROM catalogue.%s(%L, actor => %L)'
               ELSE 'SELECT catalogue.%s(%L, actor => %L)' END,
               f, file, actor))).code
    FROM unnest(ARRAY['contents', 'contents_page', 'contents_export', 'contents_columns', 'contents_schema',
        'contents_issues', 'contents_sheets', 'file_resources']) f
$$;
SELECT w.way, w.code AS outsider, i.code AS internal
FROM ways(:'file', '{}') w JOIN ways(:'file', admin()::text) i USING (way);
SELECT (refusal(format('SELECT catalogue.contents_page(%L, known => ''*'', actor => ''{}'')', :'file'))).code;
SELECT (catalogue.act('files', :'file', 'publish', actor => admin())).resource AS published;
SELECT * FROM ways(:'file', '{}');
SELECT way, code FROM ways(:'file', '{"user":"nonesuch"}') LIMIT 1;
SELECT (catalogue.delete('files', :'file', actor => admin())).resource AS deleted;
SELECT * FROM ways(:'file', admin()::text);

-- A type that is not read, and a file that is still to be read or could not be.
SELECT make_file('Picture', 'Air') AS picture \gset
UPDATE catalogue.files SET size = 10 WHERE id = :'picture';
SELECT (refusal(format('SELECT catalogue.contents_page(%L)', :'picture'))).*;
UPDATE catalogue.files SET parse_state = 'pending' WHERE id = :'picture';
SELECT (refusal(format('SELECT catalogue.contents_page(%L)', :'picture'))).*;
UPDATE catalogue.files SET parse_state = 'failed', parse_reason = 'it has "quotes"' WHERE id = :'picture';
SELECT (refusal(format('SELECT catalogue.contents_page(%L)', :'picture'))).*;
-- What was read before is shown all the same.
SELECT catalogue.contents_load(:'picture', '[["a"],["b"]]') > 0 AS loaded;
UPDATE catalogue.files SET parse_state = 'failed', parse_reason = 'no' WHERE id = :'picture';
SELECT * FROM page(:'picture');

-- Maps and charts of a file: each only where there are some that the caller sees.
SELECT (catalogue.file_resources(:'picture')).data;
SELECT make_chart('Levels', 'Picture') IS NOT NULL AS chart, make_map('Places', 'Picture') IS NOT NULL AS map;
SELECT k, json_array_length(v) AS count, v -> 0 ->> 'name' AS name, json_typeof(v -> 0 -> 'file') AS file
FROM json_each((catalogue.file_resources(:'picture')).data::json) r(k, v);
SELECT k, json_typeof(v -> 0 -> 'file') AS file
FROM json_each((catalogue.file_resources(:'picture', 'embedded')).data::json) r(k, v);
SELECT (catalogue.act('files', :'picture', 'publish', actor => admin())).resource AS published;
SELECT (catalogue.file_resources(:'picture', actor => '{}')).data;
