-- Rows that are stored in SQL as the contents of a file.

-- Return the cells of a row; part of contents_load().  Arguments: row, an array, or an object whose members are named
-- by titles.  Returns: a text for each title, NULL for a cell that is not there.  Errors: OD400 a member is named
-- twice.
CREATE FUNCTION catalogue.row_cells("row" json, titles text[]) RETURNS text[]
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_row_cells';

-- List the cells of rows that are to be stored; part of contents_load().  Arguments: rows, as of contents_load().
-- titles, of the columns.  Returns: cell, NULL for one that is not there.
CREATE FUNCTION catalogue.loaded_cells("rows" json, titles text[])
    RETURNS TABLE (line bigint, n bigint, cell text) LANGUAGE sql IMMUTABLE AS
$$
    SELECT e.line, c.n, c.cell
    FROM (SELECT row_number() OVER (ORDER BY e.n) AS line, e.row
          FROM json_array_elements($1) WITH ORDINALITY e("row", n)
          WHERE e.n > 1 OR json_typeof(e.row) <> 'array') e,
        unnest(catalogue.row_cells(e.row, $2)) WITH ORDINALITY c(cell, n);
$$;

-- Pack rows that are to be stored; part of contents_load().  A chunk has up to 4,000 rows, and about a mebibyte.
-- Arguments: as of loaded_cells(). Returns: first, the number of its first row; count of its rows; data, as of
-- contents_add().
CREATE FUNCTION catalogue.loaded_chunks("rows" json, titles text[])
    RETURNS TABLE (first bigint, count bigint, data bytea) LANGUAGE sql IMMUTABLE SET jit = off AS
$$
    SELECT min(c.line), count(*) / cardinality($2),
        catalogue.chunk_packed(array_agg(c.cell ORDER BY c.line, c.n), cardinality($2))
    FROM (SELECT c.*, (c.line - 1) / 4000 AS part,
              div(coalesce(sum(octet_length(c.cell)) OVER (ORDER BY c.line), 0), 1048576) AS mebibyte
          FROM catalogue.loaded_cells($1, $2) c) c
    GROUP BY c.part, c.mebibyte ORDER BY 1;
$$;

-- Describe columns that are to be stored; part of contents_load().  Arguments: as of loaded_cells(), and the names of
-- the columns. Returns: columns, as of contents_sheet_end().
CREATE FUNCTION catalogue.loaded_columns("rows" json, titles text[], names text[]) RETURNS json
    LANGUAGE sql IMMUTABLE SET jit = off AS
$$
    WITH c AS (SELECT c.n, c.line, nullif(c.cell, '') AS cell, catalogue.is_mark(c.cell) AS mark,
            catalogue.value_key('decimal', c.cell) IS NOT NULL AND c.cell !~ '^\s*[-+]?0[0-9]' AS number,
            catalogue.value_key('datetime', c.cell) IS NOT NULL AS moment
        FROM catalogue.loaded_cells($1, $2) c),
        k AS (
            SELECT c.n, count(*) FILTER (WHERE NOT mark) AS values, count(*) FILTER (WHERE number) AS numbers,
                count(*) FILTER (WHERE moment) AS moments, bool_or(c.cell ~ '^\s*0[0-9]+\s*$') AS codes,
                -- all are written as XML Schema has their type
                bool_and(mark OR c.cell ~ ('^[ \t]*([-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|true|false|'
                    '\d{4}-\d\d(-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)?)?)?)[ \t]*$'))
                    AND bool_and(mark OR c.cell ~ 'T') = bool_or(NOT mark AND c.cell ~ 'T') AS plain, CASE
                WHEN count(*) FILTER (WHERE mark) * 2 > count(*) OR count(DISTINCT c.cell) FILTER (WHERE mark) > 20
                    THEN 'text'
                WHEN bool_and(mark OR number AND c.cell ~ '^\s*[-+]?[0-9]+\s*$') THEN 'integer'
                WHEN bool_and(mark OR number) THEN 'decimal'
                WHEN bool_and(mark OR catalogue.value_key('boolean', c.cell) IS NOT NULL) THEN 'boolean'
                WHEN bool_and(mark OR moment AND btrim(c.cell) !~ '[Tt ]') THEN 'date'
                WHEN bool_and(mark OR moment) THEN 'datetime'
                WHEN bool_and(mark OR catalogue.value_key('month', c.cell) IS NOT NULL) THEN 'month'
                WHEN bool_and(mark OR catalogue.value_key('quarter', c.cell) IS NOT NULL) THEN 'quarter'
                ELSE 'text' END AS kind
            FROM c WHERE c.cell IS NOT NULL GROUP BY 1)
    SELECT coalesce(json_agg(json_strip_nulls(to_json(o))), '[]')
    FROM (SELECT $3[t.n] AS name, t.title, coalesce(k.kind, 'text') AS type, s.*,
            CASE WHEN k.kind <> 'text' AND NOT k.plain THEN '' END AS pattern,
            CASE WHEN k.kind <> 'text' THEN (SELECT json_object_agg(m.cell, m.count ORDER BY m.cell COLLATE "C")
                FROM (SELECT c.cell, count(*) FROM c WHERE c.n = t.n AND c.mark GROUP BY 1) m) END AS marks,
            CASE WHEN k.kind = 'text' AND NOT k.codes AND k.values * 4 <= 5 * greatest(k.numbers, k.moments) THEN
                (SELECT format('%s of %s cells are no %s: %s', count(*), k.values, f.form,
                    string_agg(format('"%s" in row %s', left(o.cell, 40), o.line), ', ' ORDER BY o.line)
                        FILTER (WHERE o.n <= 3)) || CASE WHEN count(*) > 3 THEN ' ...' ELSE '' END
                FROM (VALUES (CASE WHEN k.numbers >= k.moments THEN 'numbers' ELSE 'dates' END)) f(form),
                    LATERAL (SELECT c.cell, c.line, row_number() OVER (ORDER BY c.line) AS n FROM c
                        WHERE c.n = t.n AND c.cell IS NOT NULL AND NOT c.mark
                            AND NOT CASE f.form WHEN 'numbers' THEN c.number ELSE c.moment END) o
                GROUP BY f.form) END AS note
        FROM unnest($2) WITH ORDINALITY t(title, n) LEFT JOIN k ON k.n = t.n,
            LATERAL (SELECT count(*) FILTER (WHERE c.cell IS NULL) AS nulls,
                count(DISTINCT c.cell COLLATE "C") FILTER (WHERE v.there) AS distinct,
                (array_agg(c.cell ORDER BY catalogue.value_key(k.kind, c.cell) COLLATE "C", c.cell COLLATE "C")
                    FILTER (WHERE v.there))[1] AS min,
                (array_agg(c.cell ORDER BY catalogue.value_key(k.kind, c.cell) COLLATE "C" DESC,
                    c.cell COLLATE "C" DESC) FILTER (WHERE v.there))[1] AS max
            FROM c, LATERAL (SELECT c.cell IS NOT NULL AND (k.kind = 'text' OR NOT c.mark)) v(there)
            WHERE c.n = t.n) s ORDER BY t.n) o;
$$;

-- Find the places of rows that are stored, in columns with usual names; part of contents_load().  Arguments: sheet, its
-- rows, names of its columns.  Returns: geography of the details of a sheet; NULL unless nine of ten rows have a place.
CREATE FUNCTION catalogue.loaded_geography(sheet bigint, "rows" bigint, names text[]) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_loaded_geography';

-- Part of catalogue.contents_load().
CREATE FUNCTION catalogue.contents_load_part(file text, "rows" json, sheet text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    revision  bigint := catalogue.contents_begin_part(file, NULL);
    number    bigint;
    stored    bigint := 0;
    titles    text[];
    names     text[] := '{}';
    title     text;
    name      text;
    again     integer;
    chunk     record;
    fault     text := CASE
        WHEN json_typeof(rows) <> 'array' THEN 'the rows are no array'
        WHEN EXISTS (SELECT FROM json_array_elements(rows) e WHERE json_typeof(e.value) NOT IN ('array', 'object'))
            THEN 'a row is neither an array nor an object'
        WHEN rows::text ~ '(^|[^\\])(\\\\)*\\u0000' THEN 'the body has a character that cannot be stored' END;
BEGIN
    IF fault IS NULL THEN
        titles := ARRAY(SELECT coalesce(t.title, '') FROM json_array_elements_text(
            CASE json_typeof(rows -> 0) WHEN 'array' THEN rows -> 0 ELSE '[]' END) t(title));
        titles := titles || ARRAY(SELECT o.key
            FROM json_array_elements(rows) WITH ORDINALITY e("row", n),
                json_object_keys(CASE json_typeof(e.row) WHEN 'object' THEN e.row ELSE '{}' END)
                    WITH ORDINALITY o(key, n)
            WHERE o.key <> ALL (titles) GROUP BY 1 ORDER BY min(ARRAY[e.n, o.n]));
        titles := titles || array_fill(''::text, ARRAY[(
            SELECT greatest(max(json_array_length(e.value)) - cardinality(titles), 0)
            FROM json_array_elements(rows) e WHERE json_typeof(e.value) = 'array')]);
        fault := CASE WHEN cardinality(titles) > 16384 THEN 'there are too many columns' END;
    END IF;
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION SQLSTATE 'OD400' USING MESSAGE = fault,
            HINT = 'It takes an array of arrays, the first of names, or of objects.';
    END IF;
    FOREACH title IN ARRAY titles LOOP
        title := coalesce(nullif(btrim(translate(title, '.', ' '), ' '), ''), 'column');
        name := title;
        again := 1;
        WHILE name = ANY (names) OR name = '_id' LOOP
            again := again + 1;
            name := title || '_' || again;
        END LOOP;
        names := names || name;
    END LOOP;
    number := catalogue.contents_sheet_part(file, revision, 1, sheet, false);
    FOR chunk IN SELECT * FROM catalogue.loaded_chunks(rows, titles) LOOP
        PERFORM catalogue.contents_add(number, chunk.first, chunk.count::integer, chunk.data);
        stored := stored + chunk.count;
    END LOOP;
    PERFORM catalogue.contents_sheet_end_part(number, json_build_object('rows', stored, 'badRows', 0,
        'columns', catalogue.loaded_columns(rows, titles, names), 'details', json_strip_nulls(json_build_object(
            'geography', catalogue.loaded_geography(number, stored, names)::json))));
    PERFORM catalogue.contents_publish_part(file, revision, NULL, catalogue.reader_version());
    RETURN revision;
END
$$;

CREATE FUNCTION catalogue.contents_load(file text, "rows" json, sheet text DEFAULT '') RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_load(text, json, text) IS
'Store rows as the contents of a file
Arguments: file, its id.  rows, an array of arrays, the first of which has the names of the columns, or of objects.
sheet, name of the sheet. Numbers and booleans are kept as their text, null as a cell that is not there. Empty names
become column; names that come twice get a number; a dot becomes a space. Places are found in columns with usual names,
such as latitude and longitude, or geometry for WKT, where nine of ten rows have one.
Returns: the number of the reading.
Errors: OD404 no such file; OD400 rows are of another form, a cell is longer than 1 MiB, or more than 16384 columns.
Source: Files and their contents';
