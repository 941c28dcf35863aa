\set ECHO none
-- What the tests of this directory share.  Each test runs in a database of its own, with the
-- extension, the tables and the English seeds in it; "admin" is the seeded superadmin.
SET client_min_messages = warning;
SET timezone = 'UTC';
CREATE SCHEMA test;

-- The one place where what differs from run to run is masked: identifiers that the service made
-- (their first character is a digit until 2037), instants of today, password hashes.
CREATE FUNCTION test.mask(text) RETURNS text LANGUAGE sql AS
$$
    SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace($1,
        '"modified":[0-9]+', '"modified":<seconds>', 'g'),
        '\m[0-9][0-9A-Za-z]{14}\M', '<id>', 'g'),
        format('\m(%s|%s)[T ][0-9:.]+(Z|\+00)', to_char(now() - interval '1 day', 'YYYY-MM-DD'),
            to_char(now(), 'YYYY-MM-DD')),
        '<now>', 'g'),
        '\$y\$[^"'']+', '<hash>', 'g')
$$;

-- What a statement is refused with, or 00000 where it is accepted (and has its effect).
CREATE FUNCTION test.refusal(statement text, OUT code text, OUT message text, OUT detail text, OUT hint text)
    LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE statement;
    code := '00000';
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
        hint = PG_EXCEPTION_HINT;
    message := test.mask(message);
    detail := nullif(test.mask(detail), '');
    hint := nullif(hint, '');
END
$$;

-- The faults that a statement is refused with, one row each.
CREATE FUNCTION test.faults(statement text, OUT field text, OUT rule text, OUT message text, OUT value text)
    RETURNS SETOF record LANGUAGE plpgsql AS
$$
DECLARE
    refused  record;
BEGIN
    SELECT * INTO refused FROM test.refusal(statement);
    IF refused.code <> 'OD400' OR refused.detail IS NULL THEN
        RETURN QUERY SELECT NULL::text, refused.code, refused.message, refused.detail;
    ELSE
        RETURN QUERY
            SELECT f.key, e.fault ->> 'rule', e.fault ->> 'message', left(e.fault ->> 'value', 40)
            FROM json_each(refused.detail::json) f, json_array_elements(f.value) e(fault);
    END IF;
END
$$;

-- The actor of the seeded superadmin, and of any user.
CREATE FUNCTION test.actor(name text) RETURNS jsonb LANGUAGE sql AS
$$
    SELECT jsonb_build_object('user', id) FROM catalogue.users WHERE username = $1
$$;
CREATE FUNCTION test.admin() RETURNS jsonb LANGUAGE sql AS
$$
    SELECT test.actor('admin')
$$;

-- The id of a record by its name (or username, key), the living one first.
CREATE FUNCTION test.id_of(resource text, name text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    id  text;
BEGIN
    EXECUTE format('SELECT id FROM catalogue.%I WHERE %I = $1 ORDER BY deleted_at IS NOT NULL, id DESC LIMIT 1',
        resource,
        CASE resource WHEN 'users' THEN 'username' WHEN 'configs' THEN 'key' ELSE 'name' END) INTO STRICT id USING name;
    RETURN id;
END
$$;

-- The names in a reply, in its order.
CREATE FUNCTION test.names(reply catalogue.reply) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(coalesce(r ->> 'name', r ->> 'username', r ->> 'key'), ', ' ORDER BY n)
    FROM json_array_elements(($1).data::json) WITH ORDINALITY e(r, n)
$$;

-- Records to work with, made as admin: their ids.
CREATE FUNCTION test.make(resource text, body json) RETURNS text LANGUAGE sql AS
$$
    SELECT (catalogue.create($1, $2, actor => test.admin())).id
$$;
CREATE FUNCTION test.make_dataset(name text) RETURNS text LANGUAGE sql AS
$$
    SELECT test.make('datasets',
        json_build_object('name', $1, 'categories', test.id_of('categories', 'Transport'),
            'owner', test.id_of('users', 'admin')))
$$;
CREATE FUNCTION test.make_file(name text, dataset text) RETURNS text LANGUAGE sql AS
$$
    SELECT test.make('files',
        json_build_object('name', $1, 'dataset', test.id_of('datasets', $2), 'owner', test.id_of('users', 'admin'),
        'type', test.id_of('filetypes', 'csv'),
        'organization', test.id_of('organizations', 'Open Data Office'),
        'updateFrequency', test.id_of('updatefrequencies', 'Daily')))
$$;
-- Store a sheet as a geographic reader does, which names the columns of the places.
CREATE FUNCTION test.stored(file text, geography json, "rows" json) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    titles    CONSTANT text[] := ARRAY(SELECT json_array_elements_text(rows -> 0));
    revision  CONSTANT bigint := catalogue.contents_begin($1);
    sheet     CONSTANT bigint := catalogue.contents_sheet($1, revision, 1, '', false);
    n         CONSTANT integer := json_array_length(rows) - 1;
BEGIN
    PERFORM catalogue.contents_add(sheet, 1, n, catalogue.chunk_packed(ARRAY(
        SELECT nullif(c.cell, 'null') FROM json_array_elements(rows) WITH ORDINALITY r(cells, line),
            json_array_elements_text(r.cells) WITH ORDINALITY c(cell, place)
        WHERE r.line > 1 ORDER BY r.line, c.place), cardinality(titles)));
    PERFORM catalogue.contents_sheet_end(sheet, json_build_object('rows', n, 'columns', (
        SELECT json_agg(json_build_object('name', t, 'title', t, 'type', CASE t WHEN 'longitude' THEN 'decimal'
            WHEN 'latitude' THEN 'decimal' ELSE 'text' END)) FROM unnest(titles) t),
        'details', json_build_object('geography', geography)));
    RETURN catalogue.contents_publish($1, revision);
END
$$;
-- Store the cells that a statement gives for each row, a chunk for each; the columns are those of a sample.
CREATE FUNCTION test.store_rows(file text, sample json, statement text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    titles    CONSTANT text[] := ARRAY(SELECT json_object_keys(sample -> 0));
    revision  CONSTANT bigint := catalogue.contents_begin($1);
    sheet     CONSTANT bigint := catalogue.contents_sheet($1, revision, 1, '', false);
    cells     text[];
    n         bigint := 0;
BEGIN
    FOR cells IN EXECUTE statement LOOP
        n := n + 1;
        PERFORM catalogue.contents_add(sheet, n, 1, catalogue.chunk_packed(cells, cardinality(titles)));
    END LOOP;
    PERFORM catalogue.contents_sheet_end(sheet, json_build_object('rows', n,
        'columns', catalogue.loaded_columns(sample, titles, titles)));
    RETURN catalogue.contents_publish($1, revision);
END
$$;
CREATE FUNCTION test.make_chart(name text, file text) RETURNS text LANGUAGE sql AS
$$
    SELECT test.make('charts', json_build_object('name', $1, 'file', test.id_of('files', $2)))
$$;
CREATE FUNCTION test.make_map(name text, file text) RETURNS text LANGUAGE sql AS
$$
    SELECT test.make('maps',
        json_build_object('name', $1, 'file', test.id_of('files', $2),
            'basemap', test.id_of('basemaps', 'OpenStreetMap')))
$$;

SET search_path = test;
\set ECHO all
