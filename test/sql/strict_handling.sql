--
-- strict_handling: names that are not known are told, and refused where the caller asks for that, with the nearest one
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
CREATE FUNCTION strict() RETURNS jsonb LANGUAGE sql AS $$ SELECT admin() || '{"handling": "strict"}' $$;
SELECT id_of('datasets', 'Airports') AS airports, id_of('files', 'List of airports') AS list,
       id_of('tags', 'water') AS water \gset
SELECT catalogue.contents_load(:'list', '[["station","pm10"],["a",1]]') > 0 AS loaded;

--
-- Parameters
--
-- Lenient, also in so many words: they are ignored and named.
SELECT a - 'user' AS actor, l.count > 0 AS found, l.ignored
FROM unnest(ARRAY[admin(), admin() || '{"handling": "lenient"}', '{}']) a,
    LATERAL catalogue.list('datasets', 'nmae=x&fields=name,nothing&tags.nmae=y', actor => a) l;
-- Strict: faults, each with the nearest name; of a dotted name the part that is wrong, operators stay.
SELECT q, code, message, detail
FROM unnest(ARRAY['nmae=x', 'Name=x', 'limt=3', 'tags.nmae=y', 'tag.name=y', 'statsu.name[ne]=x',
    'createdAtt[gte]=2020-01-01', 'categories.parent.slgu=x', 'fields=name,nmae', 'nmae=x&ordreBy=name', 'xyzzyplugh=1',
    'owner.password=x', 'owner.passwrd=x', '=x', repeat('x', 70) || '=1', 'name[foo]=x'])
    WITH ORDINALITY w(q, n), LATERAL refusal(format('SELECT catalogue.list(''datasets'', %L, actor => strict())', q))
    ORDER BY n;
-- What is known is no fault.
SELECT (catalogue.list('datasets',
    'name=air&status.name=published&createdAt[gte]=2020-01-01&fields=name,categories.name&include=tags&limit=3&skip=0'
    '&sort=DESC&orderBy=name&match=BEGINS&condition=AND&query=air',
    actor => strict())).ignored;
-- An outsider is not told the names of what is not shown to him.
SELECT q, detail
FROM unnest('{creatdBy=x,deletdAt=x}'::text[]) q,
    LATERAL refusal(format('SELECT catalogue.list(''datasets'', %L, actor => ''{"handling": "strict"}'')', q));
-- Everywhere where parameters are read, with the state that the caller has as well.
SELECT f, code, message
FROM unnest(ARRAY[$$item('datasets', :id, 'filds=name', actor => strict())$$,
    $$items('datasets', ARRAY[:id], 'filds=name', actor => strict())$$,
    $$first('datasets', 'nmae=x', actor => strict())$$, $$count('datasets', 'nmae=x', strict())$$,
    $$related('datasets', :id, 'files', 'nmae=x', actor => strict())$$,
    $$versions('datasets', :id, 'nmae=x', strict())$$, $$usage('datasets', 'methd=x', actor => strict())$$,
    $$search('query=a&limt=1', actor => strict())$$, $$dataset_filetypes(:id, 'nmae=x', actor => strict())$$,
    $$feed('nmae=x', 'http://x', strict())$$,
    $$export('datasets', query => 'nmae=x', actor => strict(), format => 'csv')$$,
    $$contents_page(:file, 'statoin=a', strict())$$, $$contents_page(:file, 'fields=pm11', strict())$$,
    $$contents_export(:file, 'statoin=a', strict(), format => 'csv')$$, $$contents_columns(:file, 'shet=1', strict())$$,
    $$contents_issues(:file, 'limt=1', strict())$$]) f,
    LATERAL refusal('SELECT catalogue.'
        || replace(replace(f, ':id', quote_literal(:'airports')), ':file', quote_literal(:'list')));
SELECT (catalogue.contents_page(:'list', 'statoin=a', admin())).ignored AS lenient, code
FROM refusal(format('SELECT catalogue.contents_page(%L, ''statoin=a'', strict())', :'list'));
SELECT l.ignored, code
FROM catalogue.list('tags', 'nmae=x', actor => admin()) l,
    LATERAL refusal(format('SELECT catalogue.list(''tags'', ''nmae=x'', actor => strict(), known => %L)', l.etag));

--
-- Members of a body
--
-- Lenient: they are ignored and named, read-only ones and those of earlier shapes not.
SELECT mask(id) AS id, ignored
FROM catalogue.create('tags',
    '{"name": "lenient", "nmae": "x", "colour": 1, "slug": "y", "id": "z", "createdAt": null, "datasets": []}',
    actor => admin());
SELECT ignored
FROM catalogue.update('datasets', :'airports', '{"visibility": true, "optional1": "x", "Notes": "y", "files": ""}',
    actor => admin());
SELECT ignored
FROM catalogue.update('users', id_of('users', 'editor'), '{"currentPassword": "x", "curentPassword": "y"}',
    actor => admin());
SELECT ignored
FROM catalogue.update('categories', id_of('categories', 'Transport'), '{"deleteImage": false}', actor => admin());
-- Strict: faults among the others, and nothing is written.
SELECT f.* FROM faults($$SELECT catalogue.create('tags', '{"nmae": "strict", "colour": 1}', actor => strict())$$) f;
SELECT code, message, detail
FROM refusal(format('SELECT catalogue.update(''tags'', %L, ''{"name": "strict", "Slug": "x"}'', actor => strict())',
    :'water'));
SELECT count(*) FROM catalogue.tags WHERE name = 'strict';
SELECT mask(id) AS id, ignored
FROM catalogue.update('datasets', :'airports',
    (SELECT data::json FROM catalogue.item('datasets', :'airports', 'include=tags,categories', 'embedded', admin())),
    actor => strict());
-- A guest is told of what he may not write only where it is shown to him.
SELECT f.*
FROM faults($$SELECT catalogue.create('tags', '{"name": "guest", "datasetShown": true, "change": 1, "deletedAt": null}',
    actor => actor('guest') || '{"handling": "strict"}')$$) f;
