--
-- lists: the page, its numbers and its order
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT count(make('tags', json_build_object('name', 'tag ' || lpad(n::text, 2, '0')))) AS made
FROM generate_series(1, 41) n;
CREATE FUNCTION page(query text, resource text DEFAULT 'tags', OUT count bigint, OUT "limit" integer, OUT skip bigint,
    OUT returned integer, OUT first text, OUT last text, OUT ignored text)
    LANGUAGE sql AS
$$
    SELECT count, "limit", skip, returned, data::json -> 0 ->> 'name', data::json -> returned - 1 ->> 'name', ignored
    FROM catalogue.list(resource, query)
$$;

-- 20 records by default, in the order of creation; count is that of all matches.
SELECT * FROM page('');

-- Pages, to the end and beyond it.
SELECT * FROM page('limit=10&skip=10');
SELECT * FROM page('limit=10&skip=40');
SELECT * FROM page('limit=10&skip=45');
SELECT * FROM page('limit=10&skip=1000000000000');

-- 0 means the default; what is too much is cut to the setting.
SELECT * FROM page('limit=0');
SELECT * FROM page('limit=20000');
SET catalogue.max_limit = 30;
SELECT * FROM page('limit=31');
RESET catalogue.max_limit;

-- Walking the pages shows every record once, whatever the order is by: no row shows a number but 45.
SELECT o AS "orderBy", count(*), count(DISTINCT r ->> 'id')
FROM unnest('{createdAt,name,createdBy,updatedAt,slug}'::text[]) o, generate_series(0, 42, 7) s,
    LATERAL catalogue.list('tags', format('limit=7&skip=%s&orderBy=%s', s, o)) l, json_array_elements(l.data::json) r
GROUP BY o HAVING (count(*), count(DISTINCT r ->> 'id')) <> (45, 45);

-- An empty list is an array.
DELETE FROM catalogue.databases;
SELECT data, count, returned, skip FROM catalogue.list('databases');

-- The instant of the page, in microseconds: that of the newest change it shows.
SELECT version ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$' AS form,
       version::timestamptz = (SELECT max(at) FROM catalogue.change WHERE NOT apart) AS newest
FROM catalogue.list('tags');

-- Order by a field, either way; nulls are last.
SELECT names(catalogue.list('filetypes', 'orderBy=name'));
SELECT names(catalogue.list('filetypes', 'orderBy=name&sort=DESC'));
SELECT names(catalogue.list('filetypes', 'orderBy=name&sort=desc&limit=3&skip=1'));
SELECT names(catalogue.list('updatefrequencies', 'orderBy=timePattern'));
SELECT names(catalogue.list('updatefrequencies', 'orderBy=timePattern&sort=DESC'));

-- By several, each with its direction; the last one given holds for the rest.
SELECT names(catalogue.list('filetypes', 'orderBy=api,name&sort=DESC,ASC'));
SELECT names(catalogue.list('filetypes', 'orderBy=api,name&sort=DESC'));

-- By a field of a to-one relation.
SELECT names(catalogue.list('files', 'orderBy=type.name'));
SELECT names(catalogue.list('files', 'orderBy=dataset.owner.username,dataset.name&sort=DESC'));

-- Only the direction: of the order of creation.
SELECT make('tags', '{"name": "last but one"}') \g /dev/null
SELECT make('tags', '{"name": "last"}') \g /dev/null
SELECT names(catalogue.list('tags', 'sort=DESC&limit=2'));

-- Letters with accents stand beside those without, whatever their case.
SELECT count(make('databases', json_build_object('name', n))) AS made
FROM unnest('{ébano,Abeto,zarza,Ñandubay,nogal,ómbu,árbol}'::text[]) n;
SELECT names(catalogue.list('databases', 'orderBy=name'));

-- Any order of the parameters; a parameter given twice: the last one counts.
SELECT names(catalogue.list('filetypes', 'sort=DESC&limit=1&limit=2&orderBy=name'));

-- Values are decoded as in a URL.
SELECT names(catalogue.list('filetypes', 'orderBy=%6Eame&limit=%32'));

-- Unknown names are ignored, and told.
SELECT * FROM page('colour=red&limit=1&x[gte]=1&name[foo]=1&=x&owner.name=x');

-- What a parameter does not take: 422.
SELECT q AS query, code, message, hint
FROM unnest(
    '{limit=-1,limit=x,limit=,limit=1.5,limit=99999999999999999999,limit=+1,skip=-1,skip=x,sort=UP,sort=,orderBy=colour,
        orderBy=,orderBy=tags,orderBy=createdBy.password,orderBy=createdBy.x,"orderBy=name;DROP",match=SOME,match=,
        condition=XOR,version=yesterday,version=2999-01-01T00:00:00Z,name=%,name=%zz,name=%00,
        name=%ff}'::text[]) WITH ORDINALITY e(q,
    n),
    LATERAL refusal(format('SELECT catalogue.list(%L, %L)', 'tags', q)) ORDER BY n;

-- An unknown resource: 404; of any form of name.
SELECT r AS resource, code, message
FROM unnest('{planets,"",resource,pg_class,"tags; DROP"}'::text[]) WITH ORDINALITY e(r, n),
    LATERAL refusal(format('SELECT catalogue.list(%L)', r))
ORDER BY n;
