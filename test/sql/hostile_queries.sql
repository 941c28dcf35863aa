--
-- hostile_queries: queries that mean harm are refused by an error of the catalogue's own, or answered; never by
-- PostgreSQL's
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Whoever asks for too much is cut off, as by the service.
SET statement_timeout = '20s';

-- What a call ends with: its state; anything but 00000 and OD… would be a fault.
CREATE FUNCTION state(statement text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE statement;
    RETURN '00000';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || CASE WHEN SQLSTATE LIKE 'OD%' THEN '' ELSE ' ' || SQLERRM || ' in ' || statement END;
END
$$;
CREATE FUNCTION asked(query text, resource text DEFAULT 'datasets') RETURNS text LANGUAGE sql AS
$$
    SELECT state(format('SELECT catalogue.list(%L, %L)', resource, query))
$$;
-- Text for a URL, each byte of it escaped.
CREATE FUNCTION escaped(text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    SELECT regexp_replace(encode(convert_to($1, 'UTF8'), 'hex'), '(..)', '%\1', 'g')
$$;
-- Pieces of SQL and of the language itself, by number.
CREATE FUNCTION piece(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$piece$
    SELECT (ARRAY['''', '"', ';', '--', '/*', '*/', '\', '$1', '$$', ')', '(', ',', '.', '..', '[', ']', '[gte]',
        '[ne]', '%', '_', ' ', E'\t', E'\n', '=', '<', '::', '::int', ' OR true', ' UNION SELECT 1',
        '; DROP TABLE catalogue.tags',
        'name', 'id', 'tags', 'status', 'owner', 'createdBy', 'password', 'deleted_at', 'ctid', 'xmin', 'tableoid', 't',
        'x1', 'null', 'true', '0', '1e3', '2026-01-31', 'é', 'ı', '😀', U&'\0301', U&'\202E', E'\x01', E'\x7f',
        'COLLATE', 'ASC', 'pg_sleep(9)', 'catalogue.users', 'now()'])
        [abs(n) % 60 + 1]
$piece$;
-- A text of one to six pieces, always the same for the same number.
CREATE FUNCTION mess(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    SELECT string_agg(piece(hashint8extended(n * 7 + i, 2026)), '' ORDER BY i)
    FROM generate_series(1, abs(hashint8extended(n, 1)) % 6 + 1) i
$$;

-- Ten thousand names, as filters.
SELECT asked(escaped(mess(n)) || '=x') AS state, count(DISTINCT mess(n)) > 100 AS many
FROM generate_series(1, 10000) n
GROUP BY 1
ORDER BY 1;
-- In every other place: behind a name, before an operator, as an operator, and as value of everything that takes one.
SELECT place,
       string_agg(DISTINCT asked(replace(place, '?', escaped(mess(n))),
           (ARRAY['datasets', 'tags', 'users', 'files'])[n % 4 + 1]),
           ' ') AS states
FROM unnest('{"?","status.?=x","tags.?=x","?.name=x","?[gte]=x","name[?]=x","name=?","id=?","status=?",
    "tags=?","tags[ne]=?","visible=?","createdAt=?","createdAt[lt]=?","name[gte]=?","optionals=?","status.name=?",
    "tags.slug=?,?&match=EXACT","orderBy=?","orderBy=status.?","orderBy=name,?","sort=?","orderBy=name&sort=?",
    "limit=?","skip=?","match=?","condition=?","version=?","fields=?","fields=?,name,tags.?","include=?",
    "include=tags.?","include=?.name"}'::text[]) WITH ORDINALITY e(place, o), generate_series(1, 150) n
GROUP BY place, o
ORDER BY o;
-- As resource, id and relation.
SELECT string_agg(DISTINCT state(format('SELECT catalogue.list(%L)', mess(n))), ' ') AS resources,
    string_agg(DISTINCT state(format('SELECT catalogue.item(%L, %L)', 'tags', mess(n))), ' ') AS ids,
    string_agg(DISTINCT state(format('SELECT catalogue.related(%L, %L, %L)', 'datasets', mess(n), mess(n + 1))),
        ' ') AS relations,
    string_agg(DISTINCT state(format('SELECT catalogue.related(%L, %L, %L)', 'datasets', id_of('datasets', 'Airports'),
        mess(n))),
        ' ') AS relations_of_one
    FROM generate_series(1, 500) n;
-- All of them together.
SELECT asked(string_agg(escaped(mess(n)) || '=' || escaped(mess(n + 1)), '&')) FROM generate_series(1, 100) n;

-- Bytes that are no text, broken escapes.
SELECT q AS query, asked(q)
FROM unnest(
    '{%,%2,%zz,%00,a%00b=1,name=%C3,name=%C3%28,name=%ff%fe,name=%ED%A0%80,name=%F4%90%80%80,name=%C0%AF,=,==,&,&&&,=x,
        name=a=b=c,name==}'::text[]) WITH ORDINALITY e(q,
    n)
ORDER BY n;

-- Numbers beyond all measure.
SELECT q AS query, asked(q)
FROM unnest(
    '{limit=1e9,limit=1000000000,limit=9223372036854775807,limit=9223372036854775808,limit=-0,limit=0,limit=00001,
        limit=0x10,skip=9223372036854775807,skip=9223372036854775808,skip=9223372036854775787&limit=20,
        skip=9223372036854775807&orderBy=name,skip=1e3,skip=-1}'::text[]) WITH ORDINALITY e(q,
    n)
ORDER BY n;
SELECT count, "limit", skip, returned, data FROM catalogue.list('tags', 'limit=1000000000&skip=9223372036854775807');

-- Patterns of signs alone, long ones, many of them; a hundred filters of each kind.
INSERT INTO catalogue.tags (name, created_by)
SELECT repeat('a', 90) || n, admin() ->> 'user'
FROM generate_series(1, 2000) n;
SELECT asked('name=' || repeat('%25', 2500), 'tags') AS percents,
    asked('name=' || repeat('%25a', 2000), 'tags') AS alternating,
    asked('name=' || repeat('_', 8000) || '&match=ENDS', 'tags') AS underscores,
    asked('name=' || repeat('%5C', 2500), 'tags') AS backslashes,
    asked('name=' || repeat('a', 8000), 'tags') AS long, asked('name=' || repeat('a,', 4000), 'tags') AS too_many,
    asked('name=' || repeat('a,', 100), 'tags') AS hundred, asked('name=' || repeat('%22', 2500), 'tags') AS quotes,
    asked('name=' || repeat(',', 8000), 'tags') AS commas;
SELECT asked(string_agg('name=a' || n, '&'), 'tags') AS own,
    asked('condition=AND&' || string_agg('name=' || repeat('a', n % 90), '&'), 'tags') AS all_own,
    asked(string_agg('status.name=p' || n % 7, '&')) AS to_one,
    asked(string_agg('tags.datasets.tags.name=a' || n % 3, '&')) AS deep,
    asked(string_agg('tags=' || n || ',null', '&')) AS ids, asked(string_agg('tags.name[ne]=' || n, '&')) AS opposites,
    asked(string_agg('createdAt[gte]=2026-01-01,2026-01-02', '&')) AS days,
    asked('orderBy=' || string_agg('status.name,owner.organization.name', ',')) AS orders
    FROM generate_series(1, 100) n;
SELECT asked('createdAt=' || string_agg('2026-01-01', ',')) AS days, asked('id=' || string_agg('x' || n, ',')) AS ids,
       asked('tags=' || string_agg('x' || n, ',')) AS related
FROM generate_series(1, 700) n;

-- Names of many parts.
SELECT asked(repeat('tags.datasets.', 500) || 'name=x') AS filter,
    asked('orderBy=' || repeat('createdBy.', 800) || 'id') AS "order",
    asked('fields=' || repeat('tags.datasets.', 500) || 'name') AS fields,
    asked('include=' || repeat('tags.datasets.', 500) || 'name') AS include,
    asked(repeat('.', 8000) || '=x') AS dots, asked('fields=' || repeat('.,', 4000)) AS commas,
    asked('include=' || repeat('tags,', 1600)) AS again, asked(repeat('[', 8000) || '=x') AS brackets;

-- Instants that are none.
SELECT q AS version, asked('version=' || q)
FROM unnest(
    '{"",x,now,2026,2026-01-31,2026-02-30T00:00:00Z,2026-01-31T24:00:00Z,2026-01-31T00:00:00.000000Z,
        0001-01-01T00:00:00Z,9999-12-31T23:59:59Z,infinity,-infinity,2026-01-31T00:00:00Z;,
        2026-01-31T00:00:00%2B99:00}'::text[]) WITH ORDINALITY e(q,
    n)
ORDER BY n;

-- Nothing was changed by any of it.
SELECT names(catalogue.list('datasets')) AS datasets, names(catalogue.list('statuses')) AS statuses,
       names(catalogue.list('users')) AS users;
