--
-- arrays: a field of an array type takes and gives a JSON array
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\set ECHO none
CREATE SCHEMA own;
CREATE TYPE own.color AS ENUM ('red', 'green', 'blue');
CREATE DOMAIN own.words AS text[] CHECK (cardinality(VALUE) < 4);
CREATE TABLE own.lists (
    id          catalogue.id PRIMARY KEY,
    name        varchar(20),
    texts       text[],
    codes       varchar(3)[],
    numbers     integer[],
    figures     numeric[],
    flags       boolean[],
    days        date[],
    instants    timestamptz[],
    colors      own.color[],
    objects     jsonb[],
    addresses   inet[],
    words       own.words,
    needed      text[] NOT NULL DEFAULT '{a,b}',
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    deleted_at  timestamptz
);
CREATE FUNCTION shown(data text) RETURNS TABLE (field text, value json) LANGUAGE sql AS
$$
    SELECT j.key, j.value FROM json_each($1::json) j WHERE j.key NOT IN ('id', 'createdAt', 'updatedAt', 'deletedAt')
$$;
\set ECHO all
SELECT catalogue.expose('own.lists', 'List');

-- The definition: an array, of what, and its default.
SELECT key AS field, value AS facts
FROM catalogue.describe('lists') d, json_each(d.data::json -> 'fields')
WHERE key NOT IN ('id', 'createdAt', 'updatedAt', 'deletedAt', 'name');

-- Given and taken: elements as the type shows them, nulls, arrays in arrays, text that stands for itself; a text is its
-- words.
SELECT s.*
FROM catalogue.create('lists', '{"name": "full", "texts": ["a\"b", "c\\d", "{e,f}", "", null, "null", "ñ, \u000a"],
    "codes": "abc,de", "numbers": [[1, 2], [3, 4]], "figures": [1.50, 1e3], "flags": [true, false],
    "days": ["2026-01-31"], "instants": ["2026-01-31T12:00:00+03:00", "2026-02-01"], "colors": ["red", "blue"],
    "objects": [{"a": [1]}, [2, "x"], 3], "addresses": ["10.0.0.1"], "words": ["one", "two"]}',
    'representation', actor => admin()) r, shown(r.data) s;
SELECT name, texts, codes, numbers, objects FROM own.lists;

-- What was read can be sent back.
SELECT id, (data::jsonb - 'id' - 'createdAt' - 'updatedAt' - 'deletedAt')::text AS data
FROM catalogue.last('lists') \gset
SELECT (data::jsonb - 'id' - 'createdAt' - 'updatedAt' - 'deletedAt') = :'data'::jsonb AS same
FROM catalogue.update('lists', :'id', :'data', 'representation', actor => admin());

-- Empty, null, and left out.
SELECT version AS full FROM catalogue.list('lists') \gset
SELECT s.*
FROM catalogue.update('lists', :'id', '{"texts": [], "codes": null, "numbers": [], "colors": ["green"]}',
    'representation', actor => admin()) r,
    shown(r.data) s
WHERE field IN ('texts', 'codes', 'numbers', 'colors', 'flags');
SELECT s.*
FROM catalogue.create('lists', '{"name": "bare"}', 'representation', actor => admin()) r, shown(r.data) s
WHERE field IN ('texts', 'needed');

-- Each way to be wrong: no array, an element of another type, not of the enumeration, too long, against the domain,
-- arrays of unequal lengths and too deep. Null is the default where a value must be.
SELECT f.*
FROM (VALUES ('{"texts": 1}'), ('{"texts": {"a": 1}}'), ('{"texts": [1]}'), ('{"texts": [["a"], "b"]}'),
    ('{"numbers": ["1"]}'), ('{"numbers": [1.5]}'), ('{"numbers": [99999999999]}'), ('{"flags": ["yes"]}'),
    ('{"days": ["31/1/2026"]}'), ('{"colors": ["pink"]}'),
    ('{"codes": ["four"]}'), ('{"addresses": ["here"]}'), ('{"words": ["a", "b", "c", "d"]}'),
    ('{"numbers": [[1], [2, 3]]}'), ('{"numbers": [[[[[[[1]]]]]]]}'), ('{"numbers": "1,x"}'),
    ('{"needed": null}')) v(body),
    LATERAL faults(format('SELECT catalogue.create(%L, %L, actor => admin())', 'lists', body)) f;

-- Many elements, and many that are wrong: one fault.
SELECT json_array_length(data::json -> 'numbers') AS numbers
FROM catalogue.create('lists',
    json_build_object('name', 'many', 'numbers', (SELECT json_agg(n) FROM generate_series(1, 10000) n)),
    'representation', actor => admin());
SELECT count(*), min(f.message) AS message
FROM faults(format('SELECT catalogue.create(%L, %L, actor => admin())', 'lists',
    json_build_object('texts', (SELECT json_agg(n) FROM generate_series(1, 10000) n)))) f;

-- As it was, by item, list, first, count and versions.
SELECT s.*
FROM catalogue.item('lists', :'id', 'version=' || :'full') r, shown(r.data) s
WHERE field IN ('texts', 'codes', 'numbers', 'colors');
SELECT data::json -> 0 -> 'colors' AS colors FROM catalogue.list('lists', 'version=' || :'full');
SELECT (catalogue.count('lists', 'colors=blue&version=' || :'full')).data AS "then",
       (catalogue.count('lists', 'colors=blue')).data AS now;
SELECT string_agg((r -> 'colors')::text, ' ') AS versions
FROM catalogue.versions('lists', :'id'), json_array_elements(data::json) r;

-- Filters ask for an element; ranges and null too.
SELECT resource
FROM catalogue.update('lists', :'id',
    '{"texts": ["Río", "sea"], "numbers": [[1, 2], [3, 40000]], "flags": [true], "words": null}', actor => admin());
SELECT q AS query, names(catalogue.list('lists', q || '&orderBy=name')) AS found
FROM unnest(
    '{texts=rio,texts=r&match=BEGINS,texts=Rio&match=EXACT,"texts=x,sea",texts[gte]=s,texts[ne]=sea,numbers=3,
        "numbers=5,40000",numbers[gt]=39999,numbers[ne]=3,flags=true,days=2026-01-31,days[lt]=2026-01-31,
        instants=2026-02-01,colors=green,colors[gt]=green,objects=x,addresses=10.0.0.1,addresses=10.0&match=BEGINS,
        words=null,words[ne]=null,needed=b}'::text[]) WITH ORDINALITY w(q,
    n)
ORDER BY n;
SELECT code, message, hint FROM refusal($$SELECT catalogue.list('lists', 'numbers=x')$$);

-- Ordered by one, and walked by skip, as there are no places in such an order.
SELECT names(catalogue.list('lists', 'orderBy=texts,name')) AS by_texts,
       (catalogue.list('lists', 'orderBy=texts&limit=1')).next AS next,
       names(catalogue.list('lists', 'orderBy=texts&sort=DESC&limit=1&skip=2')) AS third;

-- Exported: JSON in the cells of CSV, arrays in NDJSON.
SELECT mask(data) AS data
FROM catalogue.export('lists', query => 'fields=texts,flags,colors&name=full', format => 'csv');
SELECT (data::jsonb - 'id')::text
FROM catalogue.export('lists', query => 'fields=texts,flags,colors&name=full', format => 'ndjson');
