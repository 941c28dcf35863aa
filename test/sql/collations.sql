--
-- collations: columns of a table of one's own that are compared in other ways than by bytes
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\set ECHO none
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION spanish (provider = icu, locale = 'es');
CREATE TABLE catalogue.codes (id catalogue.id PRIMARY KEY,
    name varchar(20) COLLATE any_case NOT NULL,
    code text COLLATE any_case,
    sign text COLLATE spanish,
    bytes text COLLATE "C",
    plain text,
    words text[] COLLATE any_case,
    slug varchar(150) COLLATE any_case,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
CREATE UNIQUE INDEX codes_code ON catalogue.codes (code) WHERE deleted_at IS NULL;
\set ECHO all

-- Searched columns may have unlike collations: their index has them all under one.
SELECT catalogue.expose('catalogue.codes', 'Code', searchable => '{name,code,sign,bytes,plain}',
    unique_living => '{name,slug}');
SELECT pg_get_indexdef(to_regclass('catalogue.codes_search'));
SELECT make('codes', json_build_object('name', n, 'code', n, 'sign', n, 'bytes', n, 'plain', n,
    'words', json_build_array(n, 'x'))) IS NOT NULL AS made
FROM unnest('{Año,pear,zebra}'::text[]) n;

-- Each operator on a column of each, on a list, in a search.
CREATE FUNCTION found(query text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    RETURN coalesce(names(catalogue.list('codes', query, actor => admin())), '-');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
SELECT q.query, found(f.name || q.query) AS found, string_agg(f.name, ' ' ORDER BY f.n) AS fields
FROM unnest('{name,code,sign,bytes,plain,words}'::text[]) WITH ORDINALITY f(name, n),
    unnest(ARRAY['=ano', '=AÑO', '=A&match=BEGINS', '=O&match=ENDS', '=año&match=EXACT', '=ano,pear&match=EXACT',
        '=a,b,c,d,e,zeb', '[ne]=ano', '[gte]=PEAR', '[lt]=pear']) WITH ORDINALITY q(query, n)
GROUP BY q.query, q.n, found ORDER BY q.n, found;
SELECT f.name, found('orderBy=' || f.name || '&sort=DESC') AS ordered,
    found('orderBy=' || f.name || '&limit=1&skip=1') AS second
FROM unnest('{name,code,sign,bytes,plain}'::text[]) f(name);
SELECT q.query, found(q.query)
FROM unnest('{query=ano,query=ano&match=WORDS,query=A&match=BEGINS,query=pear&match=EXACT,query=zebar&nearest=true,
        slug=ANO&match=EXACT}'::text[]) q(query);
SELECT f.meta FROM catalogue.list('codes', 'facets=name,slug&limit=1', actor => admin()) f;
SELECT (catalogue.item('codes', 'ANO', actor => admin())).data::json ->> 'name' AS by_slug;

-- What a column's collation takes as equal is taken.
SELECT code, message, detail
FROM refusal($$SELECT catalogue.create('codes', '{"name": "lemon", "code": "AÑO"}', actor => admin())$$);
SELECT code, message, detail
FROM refusal($$SELECT catalogue.create('codes', '{"name": "PEAR"}', actor => admin())$$);

-- So are earlier states.
SELECT to_json(clock_timestamp()) #>> '{}' AS then \gset
UPDATE catalogue.codes SET code = 'changed', name = 'changed' WHERE name = 'pear';
SELECT found('version=' || replace(:'then', '+', '%2B') || '&code=PEA&orderBy=code'),
    found('version=' || replace(:'then', '+', '%2B') || '&query=PEA'), found('code=PEA'), found('query=CHANG');
