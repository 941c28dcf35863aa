--
-- packed_replies: an answer as one value
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The members with | for the byte that ends each, and the data behind them; tags and places differ from run to run.
CREATE FUNCTION shown(packed bytea) RETURNS text LANGUAGE sql AS
$$
    SELECT regexp_replace(regexp_replace(mask(replace(encode($1, 'escape'), '\000', '|')), '\m[0-9a-f]{16}\M', '<tag>'),
        '\mM[\w-]+\.[\w-]+', '<place>', 'g')
$$;

-- A record has no members of a page, and a page none of a record.
SELECT shown(catalogue.packed(catalogue.item('tags', id_of('tags', 'water'), 'fields=name')));
SELECT shown(catalogue.packed(catalogue.list('tags', 'fields=name&limit=2&skip=1&odd=1')));

-- Without data nothing stands behind the members; NULL is no answer.
SELECT shown(catalogue.packed(catalogue.delete('tags', id_of('tags', 'water'))));
SELECT catalogue.packed(NULL) IS NULL AS is_null;

-- Functions of other languages, sets and rows are packed as well.
SELECT shown(catalogue.packed(catalogue.roles()));
SELECT shown(catalogue.packed(catalogue.export('statuses', query => 'fields=name&limit=1')));
SELECT shown(catalogue.packed(r)) FROM catalogue.list('statuses', 'fields=name&limit=1') r;
SELECT shown(catalogue.packed(ROW('things', 'x', 'a,b', 'bytes', 1, 2, 3, 4, 'v', '["i"]', 'e', 'n', 'p', 'w', 'm')));

-- It raises what the call raises.
SELECT code, message FROM refusal($$SELECT catalogue.packed(catalogue.item('tags', 'nothing'))$$);

-- What is no answer is refused.
SELECT code, message FROM refusal($$SELECT catalogue.packed('x')$$);

-- The programs read and write columns by position: those of the type are those of extension/call/reply_columns.h.
\set header :test '/../extension/call/reply_columns.h'
\setenv header :header
\set header `sed -n 's/^\tREPLY_\(.*\),$/\1/p' "$header"`
SELECT c.attnum, c.attname, h.name AS header
FROM (SELECT attnum, attname FROM pg_attribute WHERE attrelid = 'catalogue.reply'::regclass AND attnum > 0) c
    FULL JOIN regexp_split_to_table(lower(:'header'), '\s+') WITH ORDINALITY h(name, n) ON c.attnum = h.n
ORDER BY coalesce(c.attnum, h.n);
