--
-- create_rows: a record for each row of CSV or of JSON by lines, or none
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT admin() ->> 'user' AS user \gset
-- The results of rows, or what is wrong with them: each fault, the detail, or the message.
CREATE FUNCTION rows(resource text, rows text, format text DEFAULT 'csv',
    actor jsonb DEFAULT admin() || '{"handling": "strict"}', "return" text DEFAULT 'minimal') RETURNS SETOF text
    LANGUAGE plpgsql AS
$$
DECLARE
    reply catalogue.reply;
    detail text;
BEGIN
    reply := catalogue.create_rows(resource, rows, format, "return", actor => actor);
    RETURN QUERY SELECT mask(e::text) FROM json_array_elements(reply.data::json) e;
    RETURN QUERY SELECT 'ignored: ' || reply.ignored WHERE reply.ignored IS NOT NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN NEXT SQLSTATE || ' ' || SQLERRM;
    IF detail LIKE '{"faults"%' THEN
        RETURN QUERY SELECT mask(e::text) FROM json_array_elements(detail::json -> 'faults') e;
    ELSIF detail <> '' THEN
        RETURN NEXT mask(detail);
    END IF;
END
$$;
CREATE FUNCTION names() RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(to_json(name)::text, ' ' ORDER BY name COLLATE "C") FROM catalogue.tags WHERE name LIKE 'r%' $$;

-- Cells of CSV: quotes, line ends in and between them, none at the end, empty lines, a byte order mark.
SELECT rows('tags', E'\uFEFFname\r\nr1\r\n\r\n"r2, ""said"""\n"r3\nr4"\r\n"r5"');
SELECT names();
-- JSON by lines, with empty ones; a text that is a reference in a batch is a text
SELECT rows('tags', E'{"name": "r6", "x": 1}\n\n \r\n{"name": "$1 \\u00e9"}\n{"name": "r7"}', 'ndjson', admin());
SELECT name FROM catalogue.tags WHERE name LIKE '$1%';
SELECT rows('tags', E'name\nr8', "return" => 'representation');

-- Values of the fields' types; text that is no such value is at fault, and "null" is a text.
SELECT rows('datasets', E'name,starred,owner,optionals,notes,categories\nRows,TRUE,' || :'user'
    || ',"{""a"": [1]}",null,"' || (SELECT string_agg(id, ',') FROM catalogue.categories) || E'"\n$1,false,' || :'user'
    || ',,$$,"[""' || (SELECT min(id) FROM catalogue.categories) || '""]"');
SELECT d.name, d.starred, d.optionals, d.notes, cardinality(d.categories_ids) > 1 AS several
FROM catalogue.datasets d WHERE d.name IN ('Rows', '$1') ORDER BY 1;
SELECT rows('datasets', E'name,starred,owner,optionals,categories\n"x","yes","$1","{",\n"y",true,' || :'user' || ',,');

-- All faults are told, with the lines in which their rows begin, and nothing is done.
SELECT rows('tags', E'name,slug\nbad,\n\n"bad\n2",,\n"r1",\nbad 3\n');
SELECT rows('tags', E'name\n"r9\n\n"\n"r1"\nr10\n"r2, ""said"""');
SELECT rows('tags', E'name\n"bad\n');
SELECT rows('tags', E'name\n"bad"x\nba"d\r"bad"",\n');
SELECT l, r
FROM unnest(ARRAY['{', '[]', '1', '"x"', '{"name": "bad"}}', '{"name": "bad"}, {"name": "bad 2"}', '{"name": "bad"} {}',
    '{"name": "b\u0000d"}', '{"name": "bad", "name": "bad"}', '{"name": "bad"}], [{}', repeat('{"a":', 40)]) l,
    rows('tags', E'{"name": "bad"}\n\n' || l, 'ndjson') r
WHERE r NOT LIKE '400%';
SELECT names();

-- The heading: a name that means nothing is refused, or ignored and told once, however many rows there are.
SELECT rows('tags', E'nmae,name\nx,bad\ny,bad 2');
SELECT rows('tags', E'nmae,name,nmae\nx,r11,z\ny,r12,z', actor => admin());
SELECT h, r
FROM unnest(ARRAY['name,name', ',name', 'name,', 'na"me', '"name', '"na""me"', E'"na\nme"']) h,
    rows('tags', h || E'\nbad,bad') r;
SELECT left(r, 40), right(r, 10)
FROM rows('tags', (SELECT 'name,x' || string_agg(n::text, ',x') FROM generate_series(2, 1600) n) || E'\nr13'
    || repeat(',', 1599), actor => admin()) r;
SELECT rows('tags', (SELECT 'x' || string_agg(n::text, ',x') FROM generate_series(1, 1601) n), actor => admin());

-- No rows, and too many.
SELECT encode(convert_to(r, 'UTF8'), 'escape') AS r, f
FROM unnest(ARRAY['', 'name', E'name\n', E'\n\r\n', E'\uFEFF']) r, rows('tags', r) f;
SELECT encode(convert_to(r, 'UTF8'), 'escape') AS r, f
FROM unnest(ARRAY['', E'\n \r\n', E'\uFEFF']) r, rows('tags', r, 'ndjson') f;
SELECT rows('tags', 'name' || repeat(E'\nbad', 1001));
SELECT rows('tags', repeat(E'{"name": "bad"}\n', 1001), 'ndjson');
SELECT count(*) AS rows, max(r) FILTER (WHERE r NOT LIKE '{%') AS message
FROM rows('tags', 'name' || repeat(E'\nr1', 1000)) r;
SELECT rows('tags', 'name', 'xml');
SELECT rows('tags', NULL);

-- Who may not create such records is told so before the rows are read.
SELECT rows('tags', '"', actor => '{}');
SELECT rows('logs', '"');
SELECT rows('nothing', '"');
SELECT rows('tag', '"');
INSERT INTO catalogue.users (username, password, email, role, active, organization, created_by)
    SELECT 'visitor', 'correct horse', 'visitor@example.org', 'guest', true, organization, id
    FROM catalogue.users WHERE username = 'admin';
SELECT rows('datasets', '"', actor => actor('visitor'));
-- a change in SQL behind a refusal is not that of the refused user
SELECT l.action, l.target, l."user" IS NULL AS nobodys
FROM catalogue.logs l ORDER BY l.created_at DESC, l.id DESC LIMIT 1;
-- requests for datasets are anybody's
SELECT rows('datasetrequests', E'about,email,description\nwind,a@example.org,speeds', actor => '{}');

-- What is kept of rows is no multiple of them: a name of 15 kB, 1,000 rows.
CREATE FUNCTION peak() RETURNS int LANGUAGE sql AS
$$ SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::int / 1024 $$;
SELECT peak() AS before \gset
SELECT count(*) FILTER (WHERE r LIKE '{%') AS records, count(*) FILTER (WHERE r LIKE 'ignored%') AS ignored
FROM rows('datasetrequests', 'about,email,description,' || repeat('x', 15000)
    || (SELECT string_agg(format(E'\nwind %s,a%s@example.org,speeds,1', n, n), '') FROM generate_series(1, 1000) n),
    actor => admin()) r;
SELECT count(*) AS faults, sum(length(r)) < 400000 AS bounded
FROM rows('datasetrequests', repeat('x', 15000) || repeat(E'\n1', 1000), actor => admin()) r;
SELECT peak() - :before < 32 AS bounded;
