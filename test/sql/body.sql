--
-- body: what a body must be before its members are looked at
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- An object, with white space around it and members of any kind and order.
SELECT mask(id) AS id
FROM catalogue.create('tags', E' \n{ "x" : [1, {"y": null}] , "name" : "a \\"b\\" \\u00e9 \\ud83d\\ude00" }\t',
    actor => admin());
SELECT name FROM catalogue.tags ORDER BY id DESC LIMIT 1;

-- Anything but an object is refused.
SELECT code, message
FROM unnest('{[],"\"name\"",1,true,null}'::text[]) WITH ORDINALITY e(body, n),
    LATERAL refusal(format('SELECT catalogue.create(%L, %L, actor => admin())', 'tags', body))
ORDER BY n;
SELECT code, message FROM refusal($$SELECT catalogue.create('tags', NULL, actor => admin())$$);

-- Malformed JSON does not reach the function where it is called in SQL: the type json refuses it.
SELECT code, message FROM refusal($$SELECT catalogue.create('tags', '{"name": "x"', actor => admin())$$);

-- A member named twice is refused, at any level.
SELECT code, message FROM refusal($$SELECT catalogue.create('tags', '{"name": "x", "name": "y"}', actor => admin())$$);
SELECT code, message
FROM refusal($$SELECT catalogue.create('datasets', '{"optionals": {"a": [{"b": 1, "b": 2}]}}', actor => admin())$$);
SELECT code, message
FROM refusal($$SELECT catalogue.create('tags', '{"name": "x", "\u006eame": "y"}', actor => admin())$$);

-- The same name in two objects is none.
SELECT mask(id) AS id
FROM catalogue.create('tags', '{"name": "no duplicate", "a": {"name": 1}, "b": [{"name": 1}, {"name": 2}]}',
    actor => admin());

-- 32 levels are taken, 33 are not; of objects and of arrays.
CREATE FUNCTION nested(levels integer, opening text, closing text) RETURNS text LANGUAGE sql AS
$$
    SELECT code || ' ' || message || coalesce(' ' || hint, '')
    FROM refusal(format('SELECT catalogue.create(%L, %L, actor => admin())', 'tags',
        format('{"name": "%s of %s", "x": %s1%s}', levels, ascii(opening), repeat(opening, levels - 1),
            repeat(closing, levels - 1))))
$$;
SELECT nested(32, '[', ']');
SELECT nested(33, '[', ']');
SELECT nested(32, '{"a":', '}');
SELECT nested(33, '{"a":', '}');
SELECT nested(5000, '[', ']');

-- NUL, and half of a surrogate pair, have no place in a text: a fault of the field, wherever it stands in it.
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"name": "a\u0000b"}', actor => admin())$$);
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"name": "a\ud800b"}', actor => admin())$$);
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"name": "a\udc00b"}', actor => admin())$$);
SELECT * FROM faults($$SELECT catalogue.create('datasets', '{"optionals": {"a": ["\u0000"]}}', actor => admin())$$);
SELECT code, message FROM refusal($$SELECT catalogue.create('tags', '{"na\u0000me": "x"}', actor => admin())$$);

-- Every other control character is text.
SELECT mask(data) AS data
FROM catalogue.create('tags', '{"name": "a\u0001\b\f\n\r\t\u001f\u007fb"}', 'representation', actor => admin());

-- Huge numbers are no matter where they are not asked for, and are kept as they were written in JSON.
SELECT data::json ->> 'optionals' AS optionals
FROM catalogue.update('datasets', id_of('datasets', 'Airports'),
    '{"x": 1e999999, "optionals": {"n": 123456789012345678901234567890.10, "e": 1E400}}', 'representation',
    actor => admin());

-- A name of one letter case is not that of another.
SELECT * FROM faults($$SELECT catalogue.create('tags', '{"Name": "x"}', actor => admin())$$);
SELECT * FROM faults($$SELECT catalogue.create('users', '{"first_name": 7}', actor => admin())$$) WHERE field ~ 'first';

-- A body may have 2,000 members, a part of a batch as well; what is within a member may be larger.
CREATE FUNCTION members(count integer) RETURNS json LANGUAGE sql AS
$$
    SELECT json_object_agg('member' || n, n) FROM generate_series(1, count) n
$$;
SELECT code, message
FROM refusal($$SELECT catalogue.create('tags', json_build_object('name', 'many members', 'x', members(70000)),
    actor => admin())$$);
SELECT * FROM refusal($$SELECT catalogue.create('tags', members(2001), actor => admin())$$);
SELECT *
FROM refusal($$SELECT catalogue.login(members(70000), strict => true)$$);
SELECT * FROM refusal($$SELECT catalogue.batch(members(70000), actor => admin())$$);
SELECT code, message, hint
FROM refusal($$SELECT catalogue.batch(json_build_object('parts', json_build_array(
    json_build_object('method', 'POST', 'path', '/tags', 'body', members(2001)))), actor => admin())$$);

-- Of ignored names the first 100 are told.
SELECT json_array_length(ignored::json) AS told, ignored::json ->> 99 AS last
FROM catalogue.create('tags', ('{"name": "many ignored"}'::jsonb || members(1500)::jsonb)::json, actor => admin());

-- Of faults as well; the message has the number of all.  This takes no time that is felt.
SET statement_timeout = '20s';
SELECT code, message, (SELECT count(*) FROM json_each(detail::json)) AS told
FROM refusal($$SELECT catalogue.login(members(2000), strict => true)$$);
SELECT code, message, (SELECT count(*) FROM json_each(detail::json)) AS told
FROM refusal($$SELECT catalogue.create('tags', members(2000), actor => admin() || '{"handling": "strict"}')$$);

-- A part of a batch has as many.
SELECT f ->> 'part' AS part, f ->> 'message' AS message, (SELECT count(*) FROM json_each(f -> 'data')) AS told
FROM refusal($$SELECT catalogue.batch(json_build_object('parts', json_build_array(members(2000))), actor => admin())$$),
    json_array_elements(detail::json -> 'faults') f;

-- A list of ids has at most 1,000 elements; below that, each that is wrong is a fault.
CREATE FUNCTION with_categories(count integer) RETURNS json LANGUAGE sql AS
$$
    SELECT json_build_object('name', 'x', 'owner', id_of('users', 'admin'), 'categories',
        json_agg('none' || n)) FROM generate_series(1, count) n
$$;
SELECT * FROM faults($$SELECT catalogue.create('datasets', with_categories(55000), actor => admin())$$);
SELECT code, message, json_array_length(detail::json -> 'categories') AS told
FROM refusal($$SELECT catalogue.create('datasets', with_categories(1000), actor => admin())$$);
SELECT *
FROM faults($$SELECT catalogue.create('datasets', json_build_object('name', 'x', 'owner', id_of('users', 'admin'),
    'categories', repeat(',', 900000)), actor => admin())$$);

-- Lists of ids that are too long take no memory for each id: of a session of its own, since the peak only grows.
CREATE FUNCTION peak() RETURNS int LANGUAGE sql AS
$$ SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::int / 1024 $$;
\c
SET search_path = public, test;
SELECT code FROM refusal($$SELECT catalogue.create('datasets', '{"name": "x", "categories": ","}', actor => admin())$$);
SELECT peak() AS before \gset
SELECT * FROM faults($$SELECT catalogue.update('datasets', id, json_build_object('categories', repeat(',', 1000000)),
    actor => admin()) FROM catalogue.datasets LIMIT 1$$);
SELECT *
FROM faults($$SELECT catalogue.update('datasets', id, ('{"categories": [' || repeat('1,', 500000) || '1]}')::json,
    actor => admin()) FROM catalogue.datasets LIMIT 1$$);
SELECT peak() - :before < 60 AS bounded;
