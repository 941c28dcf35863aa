--
-- filters: which records a list has
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make('tags', '{"name": "Agua potable"}'), make('tags', '{"name": "agua de río"}'),
       make('tags', '{"name": "Río"}'), make('tags', '{"name": "50% de_todo"}'), make('tags', '{"name": "a,b"}'),
       make('tags', '{"name": "null"}'), make('tags', '{"name": "back\\slash"}') \g /dev/null
CREATE FUNCTION found(resource text, query text) RETURNS text LANGUAGE sql AS
$$
    SELECT l.count || ': ' || coalesce(names(l), '') || coalesce(' ignored ' || l.ignored, '')
    FROM catalogue.list(resource, query) l
$$;

--
-- Text
--
-- Anywhere in the field, without regard to case and accents.
SELECT found('tags', 'name=rio');
SELECT found('tags', 'name=AGUA');
SELECT found('tags', 'name=R%C3%8DO');

-- At the beginning, at the end, the whole.
SELECT found('tags', 'name=agua&match=BEGINS');
SELECT found('tags', 'name=rio&match=ENDS');
SELECT found('tags', 'name=rio&match=EXACT');
SELECT found('tags', 'name=rio&match=exact');
SELECT found('tags', 'name=rio&match=CONTAINS');

-- % and _ and \ are plain characters.
SELECT found('tags', 'name=%25');
SELECT found('tags', 'name=de_todo');
SELECT found('tags', 'name=e_r');
SELECT found('tags', 'name=%5C');
SELECT found('tags', 'name=50%25+de&match=BEGINS');

-- A slug is compared like any text, by its index; one that is an id, as it is given.
INSERT INTO catalogue.tags (id, name, created_by)
    VALUES ('0aBcDeFgHiJkLmN', '¡!', id_of('users', 'admin')) RETURNING id AS sign \gset
SELECT found('tags', 'slug=AGUA-de-R%C3%ADo&match=EXACT');
SELECT found('tags', 'slug=' || :'sign' || ',RIO&match=EXACT');
SELECT found('tags', 'slug=' || translate(:'sign', 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') || '&match=EXACT');
SELECT (catalogue.list('tags', 'slug[ne]=rio,' || :'sign' || '&match=EXACT')).count
    = (SELECT count(*) - 2 FROM catalogue.tags WHERE deleted_at IS NULL) AS others;
SELECT found('tags', 'slug=null&match=EXACT');
SELECT resource FROM catalogue.delete('tags', :'sign', admin());

-- Several values are alternatives; one in double quotes is one.
SELECT found('tags', 'name=potable,budget');
SELECT found('tags', 'name=%22a,b%22');
SELECT found('tags', 'name=a%2Cb&match=EXACT');

-- An empty value is in every text, and equals none.
SELECT (catalogue.list('tags', 'name=')).count;
SELECT found('tags', 'name=&match=EXACT');

-- null means that there is none; in quotes it is the word.
SELECT found('updatefrequencies', 'timePattern=null');
SELECT found('tags', 'name=null');
SELECT found('tags', 'name=%22null%22&match=EXACT');

-- What would be SQL is text.
SELECT found('tags', 'name=''+OR+true+--');

--
-- Other types
--
SELECT found('filetypes', 'api=true');
SELECT found('filetypes', 'api=true,false&editable=true');
SELECT found('basemaps', 'maxZoom=20');
SELECT found('basemaps', 'maxZoom=20,19.0');
SELECT found('users', 'role=admin&match=EXACT');
SELECT found('configs', 'type=group');
SELECT found('datasets', 'status=qWRhpRV');
SELECT found('datasets', 'status=qwrhprv');
SELECT found('datasets', 'status=nWRhpRV,qWRhpRV&limit=1');
SELECT found('filetypes', 'mimetype=excel');
SELECT found('organizations', 'parent=null');
SELECT found('categories', 'parent=' || id_of('categories', 'Transport'));
SELECT found('tags', 'id=' || id_of('tags', 'Río') || ',' || id_of('tags', 'transport'));

-- A date alone means that day, of an instant and of a date.
UPDATE catalogue.datasets SET published_at = '2026-01-31T00:00:00Z' WHERE name = 'Airports';
UPDATE catalogue.datasets SET published_at = '2026-01-31T23:59:59.999999Z' WHERE name = 'Air quality';
UPDATE catalogue.datasets SET published_at = '2026-02-01T00:00:00Z' WHERE name = 'Public budget';
UPDATE catalogue.files SET gathering_date = '2026-01-31' WHERE name = 'List of airports';
SELECT found('datasets', 'publishedAt=2026-01-31');
SELECT found('datasets', 'publishedAt=2026-01-31T00:00:00Z');
SELECT found('datasets', 'publishedAt=2026-02-01T03:00:00%2B03:00');
SELECT found('datasets', 'publishedAt=2026-02-01,2026-01-30');
SELECT found('files', 'gatheringDate=2026-01-31');

-- Whatever the session's time zone is.
SET timezone = 'America/Argentina/Buenos_Aires';
SELECT found('datasets', 'publishedAt=2026-01-31');
SET timezone = 'UTC';

-- Ranges; of a day, its beginning or its end.
SELECT found('datasets', 'publishedAt[gt]=2026-01-31');
SELECT found('datasets', 'publishedAt[gte]=2026-02-01');
SELECT found('datasets', 'publishedAt[lte]=2026-01-31');
SELECT found('datasets', 'publishedAt[lt]=2026-01-31');
SELECT found('datasets', 'publishedAt[gte]=2026-01-31T12:00:00Z&publishedAt[lt]=2026-02-01T00:00:00Z&condition=AND');
SELECT found('basemaps', 'maxZoom[gte]=18');
SELECT found('basemaps', 'maxZoom[gt]=19.5&minZoom[lte]=0&condition=AND');
SELECT found('files', 'gatheringDate[lte]=2026-01-31');
SELECT found('filetypes', 'name[gte]=xls');

-- Other than: also where there is none.
SELECT found('filetypes', 'api[ne]=true');
SELECT found('updatefrequencies', 'timePattern[ne]=0');
SELECT found('updatefrequencies', 'timePattern[ne]=null');
SELECT found('datasets', 'name[ne]=air');

--
-- condition
--
-- Any of the filters on own fields, by default and by OR; all by AND.
SELECT found('filetypes', 'name=x&api=true');
SELECT found('filetypes', 'name=x&api=true&condition=OR');
SELECT found('filetypes', 'name=x&api=true&condition=AND');
SELECT found('filetypes', 'name=x&api=true&condition=and');

-- A range is required whatever the condition says: two bounds are an interval, and one is required besides other
-- filters.
SELECT q, found('datasets', q)
FROM unnest(
    '{createdAt[gte]=2020-01-01&createdAt[lt]=2021-01-01,
        createdAt[gte]=2020-01-01&createdAt[lt]=2021-01-01&condition=OR,
        publishedAt[gte]=2026-01-31&publishedAt[lt]=2026-02-01,publishedAt[gte]=2026-02-01&name=a,
        publishedAt[gte]=2026-02-01&name=airports&name=budget&condition=or,
        name=airports&status=qWRhpRV&publishedAt[gte]=2026-02-01,status[ne]=qWRhpRV&name[ne]=x,
        status[ne]=qWRhpRV&status[ne]=nWRhpRV}'::text[]) q;
SELECT data FROM catalogue.count('datasets', 'publishedAt[gte]=2026-01-31&publishedAt[lt]=2026-02-01');
SELECT names(catalogue.list('datasets',
    'publishedAt[gte]=2026-01-31&publishedAt[lt]=2026-02-01&orderBy=name&version=' || version)) AS names,
       names(catalogue.list('tags', 'query=r&name[gt]=b&name[lt]=s')) AS searched
FROM catalogue.list('datasets');

-- A filter on a related record is always required besides.
SELECT found('files', 'name=list,hourly&type.name=csv');
SELECT found('files', 'name=list&name=hourly&type.name=csv');
SELECT found('files', 'type.name=csv&status.name=Draft');

--
-- Related records
--
-- To-one, over two steps, to-many of either kind.
SELECT found('datasets', 'status.name=Published');
SELECT found('files', 'dataset.owner.username=admin');
SELECT found('datasets', 'tags.name=transport,water');
SELECT found('datasets', 'tags.slug=health&categories.name=environment');
SELECT found('datasets', 'files.name=airports');
SELECT found('statuses', 'datasets.name=airports');
SELECT found('tags', 'datasets.categories.name=transport');
SELECT found('categories', 'parent.name=transport');
SELECT found('categories', 'parent.name=null');
SELECT found('datasets', 'categories.name[ne]=transport');

-- A to-many name alone means its ids; null, that there are none.
SELECT found('datasets', 'tags=' || id_of('tags', 'transport'));
SELECT found('datasets', 'categories=' || id_of('categories', 'Transport') || ',' || id_of('categories', 'Government'));
SELECT found('datasets', 'files=' || id_of('files', 'List of airports'));
SELECT found('datasets', 'subcategories=null');
SELECT found('tags', 'datasets=null');

-- What is deleted does not count as related.
SELECT mask(id) AS id FROM catalogue.delete('tags', id_of('tags', 'transport'), admin());
SELECT found('datasets', 'tags.name=transport');

-- Write-only fields cannot be asked for, alone or behind a relation.
SELECT found('users', 'password=x&username=admin');
SELECT found('datasets', 'owner.password=$&name=airports');
SELECT found('files', 'restService.token=x&name=list');

-- count takes the same filters.
SELECT data FROM catalogue.count('filetypes', 'name=x&api=true&condition=AND');
SELECT data, ignored FROM catalogue.count('datasets', 'tags.name=health&colour=red');

-- A literal that does not fit the field: 422.
SELECT r || '?' || q AS query, code, message, hint
FROM (VALUES ('filetypes', 'api=yes'), ('filetypes', 'api='), ('filetypes', 'api=TRUE'), ('basemaps', 'maxZoom=x'),
    ('basemaps', 'maxZoom=1e9999'), ('basemaps', 'maxZoom[gte]='),
    ('datasets', 'publishedAt=yesterday'), ('datasets', 'publishedAt=2026-02-30'), ('datasets', 'publishedAt[lt]=now'),
    ('files', 'gatheringDate=2026-01-31T00:00:00Z'), ('datasets', 'files.urgent=1')) e(r, q),
LATERAL refusal(format('SELECT catalogue.list(%L, %L)', r, q));

--
-- Ranges of text compare like everything else: without letter case and accents, in the order of the sort
--
SELECT names(catalogue.list('tags', 'name[gte]=B&name[lt]=h&condition=AND&orderBy=name')) AS capital,
       names(catalogue.list('tags', 'name[gte]=b&name[lt]=H&condition=AND&orderBy=name')) AS small;
SELECT names(catalogue.list('tags', 'name[gte]=BÚDGET&name[lte]=búdget&condition=AND')) AS accents;

-- Null is no end of a range.
SELECT code, message FROM refusal($$SELECT catalogue.list('datasets', 'publishedAt[gte]=null')$$);
