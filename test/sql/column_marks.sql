--
-- Columns of which some cells stand for no value, or are not of the type of the others: what they are compared, summed
-- and shown as, and what is told of them.
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
UPDATE catalogue.datasets SET status = 'qWRhpRV';
SELECT make_file('Stations', 'Air') AS file \gset
CREATE FUNCTION page(file text, query text DEFAULT '', OUT data text, OUT meta text) LANGUAGE sql AS
$$
    SELECT replace(r.data, '},{', E'},\n {'), r.meta FROM catalogue.contents_page(file, query) r
$$;
CREATE FUNCTION types(file text) RETURNS TABLE (name text, type text, nulls int, "distinct" int, min text, max text,
    marks text, note text) LANGUAGE sql AS
$$
    SELECT c.* FROM catalogue.contents_columns(file) r,
        json_to_recordset(r.data::json) AS c(name text, type text, nulls int, "distinct" int, min text, max text,
            marks text, note text)
$$;

-- Marks may be at most as many as values; a column with a leading zero is of codes.
SELECT catalogue.contents_load(:'file',
    '[["n","d","b","day","cross","code","few","near","when"],
        [1,"NA","true","2024-01-01","x","007","NA",1,"2024-01-01"],
        ["n/a",1.5,"s/d","–",null,"8","n/a",2,"2024-01-02"],
        [3,"2.5","false","2024-01-03","x","9","1",3,"2024-01-03"],
        ["N/A","...","...","n.d.","","10",null,4,"2024-01-04"],
        [-5,"-1e3","TRUE","2023-12-31","x","11","","many",",soon"]]') > 0 AS loaded;
SELECT * FROM types(:'file');

-- The cells stay as they are written; as values they are null.
SELECT data FROM page(:'file', 'fields=n,d,b,day,few');
SELECT data FROM page(:'file', 'fields=n,d,b,day,few&types=true');

-- They are last in each order, beyond each bound, in no sum; they are found as null, and as what is written.
SELECT * FROM page(:'file', 'fields=n&orderBy=n');
SELECT * FROM page(:'file', 'fields=n&orderBy=n&sort=desc');
SELECT * FROM page(:'file', 'fields=n&n[gte]=-100');
SELECT * FROM page(:'file', 'fields=n&n=null');
SELECT * FROM page(:'file', 'fields=n&n=N/A');
SELECT * FROM page(:'file', 'fields=n&n=N/A,3');
SELECT * FROM page(:'file', 'fields=n&n[ne]=N/A');
SELECT * FROM page(:'file', 'fields=b&b=null');
SELECT (refusal(format('SELECT catalogue.contents_page(%L, ''n[gt]=N/A'')', :'file'))).*;
SELECT (refusal(format('SELECT catalogue.contents_page(%L, ''n=unknown'')', :'file'))).*;
SELECT * FROM page(:'file', 'aggregate=count,sum(n),avg(n),min(n),max(d),min(day)&types=true');

-- What compares, sorts, sums or groups a column of texts that is nearly one of numbers is told so; else nothing is.
SELECT meta FROM page(:'file', 'orderBy=near');
SELECT meta FROM page(:'file', 'near[gt]=3');
SELECT meta FROM page(:'file', 'groupBy=near&aggregate=max(when)');
SELECT meta FROM page(:'file', 'near=3&fields=near');
SELECT meta FROM page(:'file', 'orderBy=n,code');
SELECT meta FROM page(:'file', 'orderBy=near&facets=b');

-- A mark that would be a number is none.
SELECT catalogue.contents_load(:'file', '[["n"],[1],[-99],[3]]') AS revision \gset
UPDATE catalogue.sheet SET columns = '[{"name":"n","type":"integer","marks":{"-99":1}}]' WHERE revision = :revision;
SELECT data FROM page(:'file', 'types=true&orderBy=n');
SELECT data FROM page(:'file', 'aggregate=sum(n),min(n)&types=true');
SELECT data FROM page(:'file', 'n=-99');
SELECT data FROM page(:'file', 'n[lt]=2');
SELECT data::json #> '{fields,0}' AS field FROM catalogue.contents_schema(:'file');

-- Numbers with signs between thousands and a unit; blanks around values.
SELECT catalogue.contents_load(:'file',
    '[["n","p","k"],["1.234,5"," 5 %","x"],["950","2,25%"," 1"],["1.000.000","-3 %","2 "]]') AS revision \gset
UPDATE catalogue.sheet SET columns = '[{"name":"n","type":"decimal","decimalComma":true,"thousands":"."},
    {"name":"p","type":"decimal","decimalComma":true,"unit":"%"},{"name":"k","type":"integer","marks":{"x":1}}]'
WHERE revision = :revision;
SELECT data FROM page(:'file', 'types=true&orderBy=n&sort=desc');
SELECT data FROM page(:'file', 'aggregate=sum(n),min(p),max(n),avg(k)&types=true');
SELECT query, (SELECT data FROM page(:'file', 'fields=n&' || query))
FROM unnest('{n=1234.5,"n=\"1.234,5\"",n=1.000.000,n[gt]=1000,p=5,p=5%20%25,p[lt]=0,k=1,"k[gte]= 2"}'::text[]) query;
SELECT (refusal(format('SELECT catalogue.contents_page(%L, %L)', :'file', query))).*
FROM unnest('{n=1.00,n=1.23.456,p=5€}'::text[]) query;
SELECT data::json -> 'fields' AS fields FROM catalogue.contents_schema(:'file');
SELECT data FROM catalogue.contents_columns(:'file');

-- parseOptions.
SELECT options, catalogue.is_parse_options(options::json) AS valid
FROM unnest(ARRAY['{"missing":["-99","no se sabe"]}', '{"missing":[]}', '{"missing":null}', '{"missing":"x"}',
    '{"missing":[1]}', '{"missing":[""]}', '{"missing":["a\nb"]}', format('{"missing":["%s"]}', repeat('ñ', 40)),
    format('{"missing":["%s"]}', repeat('x', 41)),
    format('{"missing":%s}', array_to_json(array_fill('x'::text, '{20}'))),
    format('{"missing":%s}', array_to_json(array_fill('x'::text, '{21}'))), '{"dates":"DMY"}', '{"dates":"dmy"}',
    '{"dates":["DMY"]}', '{"thousands":" "}', '{"thousands":"."}', '{"thousands":";"}',
    '{"thousands":".","decimal":","}', '{"thousands":",","decimal":","}', '{"thousands":null,"decimal":","}'])
    options;
SELECT content, catalogue.is_mark(content)
FROM unnest('{NA,na,N/A,x,XX,""," ",-,"- ",–,NÃO DISPONÍVEL,não disponível,0}'::text[]) content;
