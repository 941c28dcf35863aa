--
-- odd_names: a column may have any name that PostgreSQL takes; answers are sound JSON and CSV, and it can be asked for
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\set ECHO none
-- The names: quotes, backslashes, control characters, other letters, 63 bytes, key words, a digit first, what the query
-- language uses, formulas.
CREATE TABLE odd (n serial, name text);
INSERT INTO odd (name)
    VALUES ('a"b'), ('"'), ('x''y'), ('back\slash'), ('\'), (E'tab\there'), (E'line\nfeed'), (E'bell\x07'),
        ('año_nuevo'), ('日本語'), ('😀'),
    (repeat('x', 60) || 'one'), (repeat('x', 60) || 'two'), (repeat('é', 31)), ('select'), ('1st'), ('with blank'),
    ('a.b'), ('a[b'), ('a[gte'), ('a&b=c'), ('%s%n%%'), ('=1+1'), ('{}'), ('$1'), ('ctid2');
CREATE SCHEMA own;
SELECT format(
    'CREATE TABLE own.odds (id catalogue.id PRIMARY KEY, name varchar(20), %s, created_at timestamptz NOT NULL '
    'DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz)',
    string_agg(format('%I varchar(40)', name), ', ' ORDER BY n)) FROM odd \gexec
CREATE FUNCTION url(text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg('%' || lpad(to_hex(get_byte(b, i)), 2, '0'), '' ORDER BY i)
    FROM convert_to($1, 'UTF8') b, generate_series(0, length(b) - 1) i
$$;
CREATE FUNCTION body(value text) RETURNS json
    LANGUAGE sql AS $$ SELECT json_object_agg(catalogue.camel(name), value || ' ' || n ORDER BY n) FROM odd $$;
\set ECHO all

-- Exposed, searched, unique: the indexes of two long names are two.
SELECT catalogue.expose('own.odds', 'Odd', searchable => (SELECT array_agg(name) FROM odd WHERE n <= 3),
    unique_living => (SELECT array_agg(name) FROM odd WHERE n IN (1, 12, 13)));
SELECT count(*) FROM pg_index WHERE indrelid = 'own.odds'::regclass AND indisunique AND NOT indisprimary;
SELECT catalogue.expose('own.odds', 'Odd', searchable => (SELECT array_agg(name) FROM odd WHERE n <= 3),
    unique_living => (SELECT array_agg(name) FROM odd WHERE n IN (1, 12, 13)));

-- Created and read: each value under its name.
SELECT data::json ->> 'a"b' AS value FROM catalogue.create('odds', body('first'), 'representation', actor => admin());
SELECT id FROM catalogue.last('odds') \gset
SELECT resource FROM catalogue.create('odds', body('second'), actor => admin());
SELECT n, to_json(name) AS name, data::json ->> catalogue.camel(name) AS value
FROM odd, catalogue.item('odds', :'id')
ORDER BY n;
SELECT count(*) AS records, count(DISTINCT k) AS names
FROM catalogue.list('odds'), json_array_elements(data::json) r, json_object_keys(r) k;
SELECT n, data::json -> catalogue.camel(name) ->> 'type' AS type
FROM odd, (SELECT (data::json -> 'fields')::text AS data FROM catalogue.describe('odds')) d
WHERE data::json -> catalogue.camel(name) ->> 'type' IS DISTINCT FROM 'string';

-- The lines of NDJSON, and the first line of CSV with the first record.
SELECT count(*) AS lines, bool_and((l::json ->> 'a"b') IS NOT NULL) AS sound
FROM catalogue.export('odds', format => 'ndjson') e, regexp_split_to_table(rtrim(e.data, E'\n'), E'\n') l;
SELECT mask(data) FROM catalogue.export('odds', query => 'limit=1', format => 'csv');

-- Filters by each name, with an operator too; orderBy and fields, in which a name stands in quotes where it has a comma
-- or begins with a quote.
SELECT n, to_json(name) AS name FROM odd,
    LATERAL (SELECT string_agg(r ->> 'a"b', ', ') AS found
             FROM catalogue.list('odds', format('%s=%s&match=EXACT', url(catalogue.camel(name)), url('first ' || n))),
                 json_array_elements(data::json) r) f
WHERE found IS DISTINCT FROM 'first 1' ORDER BY n;
SELECT n, to_json(name) AS name FROM odd,
    LATERAL (SELECT string_agg(r ->> 'a"b', ', ') AS found
             FROM catalogue.list('odds', format('%s[gt]=%s', url(catalogue.camel(name)), url('first ' || n))),
                 json_array_elements(data::json) r) f
WHERE found IS DISTINCT FROM 'second 1' ORDER BY n;
SELECT n, to_json(name) AS name, found, next FROM odd,
    LATERAL (SELECT data::json -> 0 ->> catalogue.camel(name) AS found, p.next
             FROM catalogue.list('odds',
                 format('orderBy=%s&sort=DESC&limit=1',
                     url('"' || replace(catalogue.camel(name), '"', '""') || '"'))) p) f
WHERE found IS DISTINCT FROM 'second ' || n ORDER BY n;
SELECT n, to_json(name) AS name, found, ignored FROM odd,
    LATERAL (SELECT data::json -> 0 ->> catalogue.camel(name) AS found, p.ignored
             FROM catalogue.list('odds',
                 format('fields=%s&limit=1', url('"' || replace(catalogue.camel(name), '"', '""') || '"'))) p) f
WHERE found IS DISTINCT FROM 'first ' || n ORDER BY n;

-- Places of an order by such a column lead to the next page.
SELECT string_agg(r ->> 'a"b', ', ') AS next
FROM catalogue.list('odds', format('orderBy=%s&limit=1', url('a"b'))) p,
    catalogue.list('odds', format('orderBy=%s&limit=1&after=%s', url('a"b'), p.next)) q,
    json_array_elements(q.data::json) r;

-- Searched, unique, changed, as it was, and its versions; what is unknown, and faults, are told as sound JSON.
SELECT string_agg(r ->> 'a"b', ', ') AS found
FROM catalogue.list('odds', 'query=second'), json_array_elements(data::json) r;
SELECT f.field, f.rule
FROM faults(format('SELECT catalogue.create(%L, %L, actor => admin())', 'odds',
    json_build_object('a"b', 'FIRST 1', repeat('x', 60) || 'two', 'first 13'))) f
ORDER BY f.field COLLATE "C";
SELECT f.field, f.rule, f.message
FROM faults(format('SELECT catalogue.create(%L, %L, actor => admin())', 'odds',
    json_build_object('"', repeat('z', 41), E'line\nfeed', 7))) f;
SELECT version AS then FROM catalogue.list('odds') \gset
SELECT data::json ->> E'bell\x07' AS value
FROM catalogue.update('odds', :'id', json_build_object(E'bell\x07', 'changed'), 'representation', actor => admin());
SELECT data::json ->> E'bell\x07' AS value FROM catalogue.item('odds', :'id', 'version=' || :'then');
SELECT string_agg(r ->> E'bell\x07', ', ') AS versions
FROM catalogue.versions('odds', :'id'), json_array_elements(data::json) r;
SELECT ignored::json ->> 0 AS ignored FROM catalogue.list('odds', url('no"such') || '=1');
SELECT count(*)
FROM own.odds o, LATERAL refusal(format('UPDATE own.odds SET %I = %L WHERE id = %L', 'back\slash', 'in SQL', id)) r
WHERE r.code = '00000';

-- Relations: a key, a key with another name for the other side, a join table.
CREATE TABLE own.refs (id catalogue.id PRIMARY KEY, name varchar(20), "to ""it" catalogue.id CONSTRAINT "from \it"
    REFERENCES own.odds, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SELECT catalogue.expose('own.refs', 'Ref');
CREATE TABLE own.odds_tags (odd catalogue.id NOT NULL CONSTRAINT "its ""tags"
    REFERENCES own.odds, tag catalogue.id NOT NULL CONSTRAINT "odd\ones"
    REFERENCES catalogue.tags, position integer NOT NULL DEFAULT 1, deleted_at timestamptz);
SELECT catalogue.expose_links('own.odds_tags');
SELECT data::json -> 'to "it' IS NOT NULL AS key
FROM catalogue.create('refs', json_build_object('name', 'one', 'to "it', :'id'), 'representation', actor => admin());
SELECT json_array_length(data::json -> 'its "tags') AS tags
FROM catalogue.update('odds', :'id', json_build_object('its "tags', json_build_array(id_of('tags', 'water'))),
    'representation', actor => admin());
SELECT relations FROM catalogue.item('odds', :'id');
SELECT data::json -> 'its "tags' -> 0 ->> 'name' AS tag, data::json -> 'from \it' -> 0 ->> 'name' AS ref
FROM catalogue.item('odds', :'id', 'fields=id&include=' || url('"its ""tags",from \it'));
SELECT names(catalogue.related('odds', :'id', 'its "tags')) AS tags,
       names(catalogue.related('odds', :'id', 'from \it')) AS refs,
       names(catalogue.related('tags', id_of('tags', 'water'), 'odd\ones')) AS ones;
SELECT names(catalogue.list('refs', url('to "it') || '.name[ne]=x')) AS by_key,
       (catalogue.count('odds', url('its "tags') || '.name=water')).data AS by_link,
       names(catalogue.list('tags', 'odd%5Cones=' || :'id')) AS back;
SELECT code, detail FROM refusal(format('SELECT catalogue.delete(%L, %L, admin())', 'odds', :'id'));

-- Names of tables: 63 bytes do, with history and search; a capital letter would never be found; a name that leaves no
-- room for the columns of links.
SELECT repeat('t', 63) AS long \gset
CREATE TABLE own.:long (id catalogue.id PRIMARY KEY, name varchar(20), created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT catalogue.expose('own.' || :'long', 'Long', searchable => '{name}', unique_living => '{name}'),
       catalogue.expose('own.' || :'long', 'Long', searchable => '{name}', unique_living => '{name}');
SELECT resource = :'long' AS made FROM catalogue.create(:'long', '{"name": "one"}', actor => admin());
SELECT version AS then FROM catalogue.list(:'long') \gset
SELECT data::json ->> 'name' AS name
FROM catalogue.update(:'long', (catalogue.first(:'long')).id, '{"name": "two"}', 'representation', actor => admin());
SELECT names(catalogue.list(:'long', 'version=' || :'then')) AS then,
       names(catalogue.list(:'long', 'query=two')) AS now;
CREATE TABLE own."Big" (id catalogue.id PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
SELECT code, message, hint FROM refusal($$SELECT catalogue.expose('own."Big"', 'Big')$$);
SELECT format(
    'CREATE TABLE own.long_links (odd catalogue.id NOT NULL CONSTRAINT %s REFERENCES own.odds, tag catalogue.id NOT '
    'NULL CONSTRAINT ones REFERENCES catalogue.tags, position integer NOT NULL DEFAULT 1, deleted_at timestamptz)',
    :'long') \gexec
SELECT code, message, hint FROM refusal($$SELECT catalogue.expose_links('own.long_links')$$);
