--
-- match=WORDS: words by their stems, the name before other fields, the rare before the frequent; then by letters
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT count(make('organizations', json_build_object('name', name, 'description', description))) AS made
FROM (VALUES ('Escuela rural', 'La única del valle'), ('Hospitales', 'Cerca de las escuelas'),
    ('Escuelas', 'Todas, también las rurales'), ('Preescuelar', 'Letras dentro de otras'),
    ('Educación', 'Primaria'), ('Plan de educaciones', 'Secundarias'), ('Schools and hospitals', 'In all cities'),
    ('School', 'In the city'), ('Educações', 'Do município'), ('ESCUELA «Árbol»', 'De la costa'),
    ('Agua', 'Agua potable para todos'), ('Potable', 'El agua no es potable'), ('De la Vega', 'Un nombre')) v(name,
    description);
CREATE FUNCTION sought(query text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
    SELECT names(catalogue.list('organizations', 'query=' || replace(replace(query, '%', '%25'), ' ', '+')
        || '&match=WORDS' || more))
$$;

-- Plural and singular, accents or none, in each language; the name that is the search first, letters last.
SELECT query, sought(query)
FROM unnest(ARRAY['escuelas', 'escuela', 'ESCUELAS', 'educacion', 'educación', 'educaciones', 'educacao', 'schools',
    'city', 'hospital', 'rural', 'arboles']) WITH ORDINALITY q(query, n) ORDER BY n;
-- Other values of match, and the default, are as they were.
SELECT match, names(catalogue.list('organizations', 'query=escuelas' || match))
FROM unnest('{"",&match=CONTAINS,&match=BEGINS,&match=ENDS,&match=EXACT,&match=words}'::text[]) match;

-- The last word may be the beginning of one, the others not; a phrase is not.
SELECT query, sought(query)
FROM unnest(ARRAY['hosp', 'rural escu', 'escu rural', 'escuelas r', '"rural escu"', 'potable ag'])
    WITH ORDINALITY q(query, n) ORDER BY n;

-- Phrases: side by side, with commas; several, and beside words.
SELECT query, sought(query)
FROM unnest(ARRAY['"agua potable"', 'agua potable', '"potable agua"', 'todos "agua potable"',
    '"todas, también" escuela', '“agua potable”', '«agua potable»', '"de la" costa', '"agua potable","escuela rural"'])
    WITH ORDINALITY q(query, n) ORDER BY n;

-- Several terms: any, or all.
SELECT query, condition, sought(query, '&condition=' || condition)
FROM unnest(ARRAY['escuelas,rural', 'escuela,hospitales', 'nada,agua', 'de la,escuela']) WITH ORDINALITY q(query, n),
    unnest(ARRAY['OR', 'AND']) condition
ORDER BY n, condition DESC;

-- Only words that are left out: found by their letters.
SELECT query, sought(query) FROM unnest(ARRAY['de la', 'la', 'the', '"de la"']) query;
-- Nothing to search for: the list.
SELECT query, (catalogue.list('organizations', 'match=WORDS&query=' || query)).count =
    (catalogue.list('organizations')).count AS all
FROM unnest(ARRAY['', '%22', '%22%22', ',,', '+', '%22+%22,']) query;

-- Whatever a client sends is no error.
SELECT query, sought(query)
FROM unnest(ARRAY['"', '"agua', 'agua"', 'agua "potable', '&', '|', '!', 'agua & potable', '!agua', 'agua:*', '(', ')(',
    'agua <-> potable', '''', '\', 'agua''s', '\''', 'a:b:c', '*', ':*', '--', '-agua', 'agua OR potable',
    E'\x1E', E'agua\x1Fpotable', E'\x1F\x1E', '😀', 'ß', 'ﷺ', 'ŉ', '½ ² ①', '．agua', 'agua，', '%', '_', '\%',
    E'agua\u0301', 'null', '$1', '%1$s']) WITH ORDINALITY q(query, n) ORDER BY n;
-- So is no length; words after the hundredth, and terms after the 32nd, do not count.
SELECT count FROM unnest(ARRAY[repeat('a', 10240), repeat('agua ', 2048), repeat('agua,', 2048), repeat('"', 10240),
    repeat('"agua" ', 1500), repeat('á', 5000), 'agua ' || repeat('x', 10000), repeat('" ', 5000), repeat('(', 10240),
    repeat('agua+', 99) || 'agua+nada', repeat('agua-', 2048) || 'nada', '"' || repeat('agua-', 2048) || '"']) q,
    catalogue.list('organizations', 'match=WORDS&query=' || replace(q, ' ', '+'));

-- The rarer word decides: records that have it in their name are first.
SELECT count(make('tags', json_build_object('name', 'Frecuente ' || n))) FROM generate_series(1, 20) n;
SELECT count(make('tags', json_build_object('name', name)))
FROM unnest('{Insólito uno,Frecuente insólito,Insólito dos,Frecuente,Insólito Frecuente}'::text[]) name;
SELECT (names(catalogue.list('tags', 'match=WORDS&limit=7&query=frecuentes,insolitos'))) AS "any",
    (names(catalogue.list('tags', 'match=WORDS&query=frecuentes+insolitos'))) AS "all",
    (names(catalogue.list('tags', 'match=WORDS&query=insolito+frecuente'))) AS "is";

-- Pages, first and last, counts, facets and orders agree, in the present and the past, in reverse and for each caller.
-- A search in all resources takes no filters, so its count is another one.
SELECT version AS instant FROM catalogue.list('organizations') \gset
WITH q AS (SELECT 'match=WORDS&query=' || q AS q FROM unnest(ARRAY['escuelas', 'escuelas,agua,educacion',
        'escuelas,rural&condition=AND', 'agua+potable', 'de+la', '%22agua+potable%22,escuelas',
        'escuelas&description=todas']) q),
    pages AS (SELECT q, (SELECT array_agg(x.id ORDER BY n) FROM generate_series(0, 8) n, catalogue.list('organizations',
            q || '&limit=1&skip=' || n) r, json_to_recordset(r.data::json) x(id text)) AS paged,
        (SELECT array_agg(x.id) FROM catalogue.list('organizations', q) r,
            json_to_recordset(r.data::json) x(id text)) AS listed,
        (SELECT array_agg(x.id) FROM catalogue.list('organizations', q || '&version=' || :'instant') r,
            json_to_recordset(r.data::json) x(id text)) AS past,
        (SELECT array_agg(x.id ORDER BY x.id) FROM catalogue.list('organizations', q || '&orderBy=name') r,
            json_to_recordset(r.data::json) x(id text)) AS ordered FROM q)
SELECT q, cardinality(listed) AS listed, paged = listed AS paged, past = listed AS past,
    ordered = (SELECT array_agg(l ORDER BY l) FROM unnest(listed) l) AS ordered,
    ((catalogue.count('organizations', q)).data::json ->> 'count')::int = cardinality(listed) AS counted,
    (catalogue.search(q || '&resources=organizations')).count = cardinality(listed) AS "in all",
    ((catalogue.first('organizations', q)).data::json ->> 'id') = listed[1] AS first,
    ((catalogue.last('organizations', q)).data::json ->> 'id') = listed[cardinality(listed)] AS last,
    (SELECT sum((v ->> 'count')::int) FROM json_array_elements((('{' || (catalogue.list('organizations',
        q || '&facets=createdAt.year')).meta || '}')::json) -> 'facets' -> 'createdAt.year' -> 'values') v)
        = cardinality(listed) AS facets
FROM pages;

-- In the past, after changes and deletions, it is as it was.
UPDATE catalogue.organizations SET name = 'Otra ' || id, description = NULL WHERE name LIKE 'Escuela%';
DELETE FROM catalogue.organizations WHERE name = 'Hospitales';
SELECT sought('escuelas', '&version=' || :'instant') AS "then", sought('escuelas') AS now;

-- Filters compare as without it.
SELECT names(catalogue.list('organizations', 'name=educaciones&match=WORDS'));
SELECT code, message, hint FROM refusal($$SELECT catalogue.list('tags', 'query=a&match=STEMS')$$);

-- What a caller does not see is not found, nor counted, nor told as a similar word, nor does it move the ranks.
CREATE FUNCTION dataset(name text, description text, status text) RETURNS boolean LANGUAGE sql AS $$
    SELECT make('datasets', json_build_object('name', $1, 'description', $2, 'status', id_of('statuses', $3),
        'visible', true, 'owner', id_of('users', 'admin'),
        'categories', json_build_array(id_of('categories', 'Transport')))) IS NOT NULL
$$;
SELECT dataset('Zanahoria secreta', 'Remolachas', 'Draft');
SELECT count(dataset(name, NULL, 'Published'))
FROM unnest('{Uno zanahorias,Dos pepinos,Tres zanahorias pepinos}'::text[]) name;
SELECT q, (catalogue.list('datasets', 'match=WORDS&nearest=true&fields=name&facets=status&query=' || q,
    actor => '{}')).count AS outsider, (catalogue.list('datasets', 'match=WORDS&query=' || q)).count AS trusted,
    (catalogue.count('datasets', 'match=WORDS&query=' || q, actor => '{}')).data AS counted,
    (catalogue.list('datasets', 'match=WORDS&nearest=true&facets=status&query=' || q, actor => '{}')).meta
FROM unnest('{zanahoria,secretas,secrets,remolacha,remolachs,%22zanahoria+secreta%22,zanahoria+secreta}'::text[]) q;
SELECT q, names(catalogue.list('datasets', 'match=WORDS&query=' || q, actor => '{}')) AS before
FROM unnest('{"zanahoria,pepino","pepino,zanahoria"}'::text[]) q;
SELECT count(dataset('Borrador con pepino ' || n, NULL, 'Draft')) FROM generate_series(1, 9) n;
SELECT q, names(catalogue.list('datasets', 'match=WORDS&query=' || q, actor => '{}')) AS after
FROM unnest('{"zanahoria,pepino","pepino,zanahoria"}'::text[]) q;
-- Fields that a caller does not see find nothing for him: the addresses of users.
SELECT make('users', json_build_object('username', name, 'password', 'readreadread1', 'email', mail || '@example.org',
    'firstName', 'Ana', 'role', 'guest', 'organization', id_of('organizations', 'Open Data Office'))) AS other
FROM (VALUES ('lectora', 'correosecreto'), ('otro', 'otro')) v(name, mail) ORDER BY name OFFSET 1 \gset
SELECT q, (catalogue.list('users', 'match=WORDS&query=' || q)).count AS trusted,
    (catalogue.list('users', 'match=WORDS&query=' || q, actor => actor('otro'))).count AS other,
    (catalogue.count('users', 'match=WORDS&query=' || q, actor => actor('otro'))).data
FROM unnest('{correosecreto,correosecretos,lectora,lectoras,lectora+correosecreto,"lectora,correosecreto"}'::text[]) q;

-- Similar words also where little is found, if they are far more frequent; not other forms of the word.
SELECT count(make('tags', json_build_object('name', 'Biblioteca ' || n))) FROM generate_series(1, 6) n;
SELECT make('tags', '{"name": "Bibliotaca mal escrita"}') IS NOT NULL AS made;
SELECT q, r.count, r.meta
FROM unnest('{bibliotaca,bibliotacas,biblioteca,bibliotecas+1,bibliotexa}'::text[]) q,
    catalogue.list('tags', 'match=WORDS&nearest=true&limit=1&query=' || q) r;
SELECT q, r.count, r.meta
FROM unnest('{bibliotaca,biblioteca,bibliotexa}'::text[]) q,
    catalogue.list('tags', 'nearest=true&limit=1&query=' || q) r;

-- The index has it, for each resource that is searched, in the languages of the setting.
SELECT c.relname, obj_description(c.oid, 'pg_class') AS "what it has"
FROM pg_catalog.pg_class c
WHERE c.relname LIKE '%\_words' AND c.relnamespace = 'catalogue'::regnamespace ORDER BY 1;
SELECT count(make('tags', json_build_object('name', 'Relleno ' || n))) FROM generate_series(1, 5000) n;
ANALYZE catalogue.tags;
EXPLAIN (COSTS OFF) SELECT t.id FROM catalogue.tags t
WHERE t.deleted_at IS NULL AND catalogue.search_words('spanish,english,portuguese', t.name) @@ 'bibliotec'::tsquery;
SELECT count, returned FROM catalogue.list('tags', 'match=WORDS&query=rellenos&limit=3&skip=4990');
SELECT replace(replace(catalogue.search_words('spanish,english', 'Las Escuelas', NULL, 'educación'::varchar, 1)::text,
    E'\x1F', '|'), E'\x1E', '=') AS words, catalogue.search_words('', 'Las Escuelas') IS NOT NULL AS none,
    catalogue.search_words(NULL, 'a') AS "null", length(catalogue.search_words('spanish', repeat('palabras ', 100000))),
    length(catalogue.search_words('', 'a', string_agg(md5(n::text), ' '))) < 20000 AS bounded
FROM generate_series(1, 40000) n;
SELECT code, message FROM refusal($$SELECT catalogue.search_words('klingon', 'a')$$);
SELECT code, message FROM refusal($$SELECT catalogue.search_words('spanish', VARIADIC ARRAY['a'])$$);
SELECT code, message FROM refusal(
    $$SELECT catalogue.search_words('dutch,dutch,dutch,dutch,dutch,dutch,dutch,dutch,dutch', 'a')$$);

-- The languages are a setting.  Until the indexes are made anew a search is slower, and right.
SET catalogue.search_languages = 'klingon';
SET catalogue.search_languages = 'spanish, english, german, dutch, french, italian, swedish, danish, finnish';
SELECT count(make('tags', json_build_object('name', name))) FROM unnest('{Häuser,Haus,casas}'::text[]) name;
SELECT names(catalogue.list('tags', 'match=WORDS&query=hauser')) AS before;
SET catalogue.search_languages = 'german,';
SELECT names(catalogue.list('tags', 'match=WORDS&query=hauser')) AS german,
    obj_description('catalogue.tags_words'::regclass),
    names(catalogue.list('tags', 'match=WORDS&query=casa')) AS letters;
SELECT 'catalogue.tags_words'::regclass::oid AS index \gset
SELECT catalogue.index_searches();
SELECT names(catalogue.list('tags', 'match=WORDS&query=hauser')) AS german,
    obj_description('catalogue.tags_words'::regclass),
    'catalogue.tags_words'::regclass::oid = :index AS same;
SELECT 'catalogue.tags_words'::regclass::oid AS index \gset
SELECT catalogue.index_searches();
SELECT 'catalogue.tags_words'::regclass::oid = :index AS same;
SET catalogue.search_languages = '';
SELECT names(catalogue.list('tags', 'match=WORDS&query=hauser')) AS none;
SET ROLE catalogue_shim;
SET catalogue.search_languages = 'german';
RESET ROLE;
-- Own tables have it by their first searchable column, unless one is the name; none where nothing is searched.
CREATE TABLE own (id catalogue.id PRIMARY KEY, about text, name text, kind text,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
RESET catalogue.search_languages;
SELECT catalogue.index_search('own', '{about,kind}');
SELECT obj_description('own_words'::regclass);
SELECT catalogue.index_search('own', '{about,name}');
SELECT obj_description('own_words'::regclass);
SELECT catalogue.index_search('own', '{}');
SELECT to_regclass('own_words') AS none;
