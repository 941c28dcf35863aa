-- Contents of files as they are stored: sheets, chunks of rows, and the functions by which statements read cells.

-- Part of catalogue.contents_begin().
CREATE FUNCTION catalogue.contents_begin_part(file text, job text) RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
    IF $2 IS NOT NULL AND NOT EXISTS (SELECT FROM catalogue.jobs j WHERE j.id = $2 AND j.state = 'running') THEN
        RAISE SQLSTATE 'OD409' USING MESSAGE = format('job "%s" is not running', $2);
    END IF;
    -- the file is not locked: a reading may take long, and it can be deleted meanwhile
    IF NOT EXISTS (SELECT FROM catalogue.files f WHERE f.id = $1 AND f.deleted_at IS NULL) THEN
        RAISE SQLSTATE 'OD404' USING MESSAGE = format('File "%s" does not exist', $1);
    END IF;
    RETURN nextval('catalogue.contents_revision');
END
$$;

CREATE FUNCTION catalogue.contents_begin(file text, job text DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_begin(text, text) IS
'Begin to store the contents of a file
The sheets of a reading, their rows, and at the end catalogue.contents_publish() are one transaction.
Arguments: file, its id.  job, the job that it is done for; NULL: none.
Returns: the number of the reading.
Errors: OD404 no such file; OD409 the job is not running.
Source: Files and their contents';

-- Part of catalogue.contents_sheet().
CREATE FUNCTION catalogue.contents_sheet_part(file text, revision bigint, number integer, name text, hidden boolean)
    RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    sheet  bigint;
BEGIN
    IF number NOT BETWEEN 1 AND 256 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'the number of a sheet is out of range';
    END IF;
    INSERT INTO catalogue.sheet AS s (file, revision, number, name, hidden) VALUES ($1, $2, $3, $4, $5)
    RETURNING s.id INTO sheet;
    RETURN sheet;
END
$$;

CREATE FUNCTION catalogue.contents_sheet(file text, revision bigint, number integer, name text, hidden boolean)
    RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_sheet(text, bigint, integer, text, boolean) IS
'Add a sheet to a reading
Arguments: file, its id.  revision, of catalogue.contents_begin().  number, position in the file, 1 to 256.  name, empty
for a file that is one table.  hidden: the workbook hides it.
Returns: the id of the sheet.
Errors: 22023 number; 23505 the reading has a sheet of that number.
Source: Files and their contents';

CREATE FUNCTION catalogue.contents_add(sheet bigint, first bigint, count integer, data bytea) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_contents_add';
COMMENT ON FUNCTION catalogue.contents_add(bigint, bigint, integer, bytea) IS
'Add rows to a sheet
Arguments: sheet, of catalogue.contents_sheet().  first, the number of the first row, from 1; the rows follow those that
are there.  count, 1 to 4000.  data, the rows packed as extension/rows/sheets/chunk.h says.
Errors: XX001 data is no such chunk, or a cell is not valid UTF-8; 22023 the rows do not follow.
Source: Files and their contents';

-- Part of catalogue.contents_issue().
CREATE FUNCTION catalogue.contents_issue_part(sheet bigint, number integer, line bigint, reason text) RETURNS void
    LANGUAGE plpgsql AS
$$
BEGIN
    IF number NOT BETWEEN 1 AND 1000 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'the number of an issue is out of range';
    END IF;
    INSERT INTO catalogue.sheet_issue (sheet, number, line, reason) VALUES ($1, $2, $3, $4);
END
$$;

CREATE FUNCTION catalogue.contents_issue(sheet bigint, number integer, line bigint, reason text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_issue(bigint, integer, bigint, text) IS
'Record a fault in a sheet
Arguments: sheet.  number, position in the list of its faults, 1 to 1000.  line of the file, or row of the workbook,
from 1.  reason, what was wrong and what became of the row.
Errors: 22023 number.
Source: Files and their contents';

-- Part of catalogue.contents_sheet_end().
CREATE FUNCTION catalogue.contents_sheet_end_part(sheet bigint, summary json) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.sheet s
    SET row_count = ($2 ->> 'rows')::bigint, bad_rows = coalesce(($2 ->> 'badRows')::bigint, 0),
        columns = $2 -> 'columns', details = coalesce($2 -> 'details', '{}')
    WHERE s.id = $1 AND json_typeof($2 -> 'columns') = 'array'
        AND ($2 ->> 'rows')::bigint = coalesce((SELECT c.first + c.count - 1 FROM catalogue.sheet_chunk c
                                                WHERE c.sheet = $1 ORDER BY c.first DESC LIMIT 1), 0);
    IF NOT FOUND THEN
        RAISE invalid_parameter_value USING MESSAGE = 'the summary of a sheet does not fit its rows';
    END IF;
END
$$;

CREATE FUNCTION catalogue.contents_sheet_end(sheet bigint, summary json) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_sheet_end(bigint, json) IS
'End a sheet
Arguments: sheet.  summary, an object: rows, how many there are; badRows, how many could not be kept; columns, an array
of {name, title, type, nulls, distinct, min, max}, where type is integer, decimal, boolean, date, datetime, month,
quarter or text, decimalComma tells of numbers with a comma, thousands is the sign between thousands, unit stands before
or behind numbers, and format has the letters %Y %y %m %b %d %q where dates are not as in ISO 8601;
details, an object of whatever else was found out.
Errors: 22023 the sheet is not there, has another number of rows, or columns is no array.
Source: Files and their contents';

-- Return the version of the readers that the library has, by extension/rows/sheets/reader_version.h.
CREATE FUNCTION catalogue.reader_version() RETURNS integer
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_reader_version';

-- Part of catalogue.contents_publish().
CREATE FUNCTION catalogue.contents_publish_part(file text, revision bigint, blob bigint, reader integer)
    RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    IF file IS NULL OR revision IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a file and a revision are needed';
    END IF;
    UPDATE catalogue.files f
    SET revision = $2, row_count = s.rows, bad_rows = s.bad, parse_state = 'ready', parse_reason = NULL
    FROM (SELECT coalesce(sum(s.row_count), 0) AS rows, coalesce(sum(s.bad_rows), 0) AS bad
          FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2) s
    WHERE f.id = $1 AND f.deleted_at IS NULL AND coalesce(f.revision, 0) < $2
        AND ($3 IS NULL OR EXISTS (SELECT FROM catalogue.stored_file b WHERE b.file = $1 AND b.blob = $3));
    IF FOUND THEN
        UPDATE catalogue.sheet s SET replaced_at = now()
        WHERE s.file = $1 AND s.revision <> $2 AND s.replaced_at IS NULL;
        UPDATE catalogue.sheet s SET reader = coalesce($4, 0) WHERE s.file = $1 AND s.revision = $2;
        RETURN true;
    END IF;
    DELETE FROM catalogue.sheet s
    WHERE s.file = $1 AND s.revision = $2
        AND NOT EXISTS (SELECT FROM catalogue.files f WHERE f.id = $1 AND f.revision = $2);
    RETURN false;
END
$$;

CREATE FUNCTION catalogue.contents_publish(file text, revision bigint, blob bigint DEFAULT NULL,
    reader integer DEFAULT 0) RETURNS boolean
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_publish(text, bigint, bigint, integer) IS
'Publish a reading as the contents of its file
Arguments: file, its id.  revision, of catalogue.contents_begin().  blob, the bytes that were read; NULL: whatever the
file has.  reader, version of the readers that have read them.  The file gets row_count, bad_rows, and parse_state
ready; the former sheets stay for catalogue.history_retention.
Returns: false, and the reading is gone, where the file has other bytes by now, was deleted, or shows a later reading.
Errors: 22023 an argument is NULL.
Source: Files and their contents';

-- Return what a value is sorted by; part of contents_load().  Arguments: kind, a type of columns; value.  Returns: NULL
-- for what is no value of that kind.
CREATE FUNCTION catalogue.value_key(kind text, value text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_value_key';

-- Pack rows into a chunk; part of contents_load().  Arguments: cells of up to 4,000 rows, one row after the other, NULL
-- for one that is not there.  columns, their number. Returns: data of contents_add().  Errors: OD400 a cell is longer
-- than 1 MiB.
CREATE FUNCTION catalogue.chunk_packed(cells text[], columns integer) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_chunk_packed';

-- Pack the rows of a chunk of the table again; part of convert_rows().  Arguments: data of a chunk; count of its rows.
-- Returns: data of contents_add().
CREATE FUNCTION catalogue.chunk_repacked(data bytea, count integer) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_chunk_repacked';

-- Store a chunk that is packed; part of store_chunks().  Arguments: data of the table; count of its rows.  Returns:
-- data and bounds of the table.
CREATE FUNCTION catalogue.chunk_stored(data bytea, count integer, OUT stored bytea, OUT bounds bytea)
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_chunk_stored';

-- Store chunks that are packed as they came, as catalogues before 1.1 stored them; part of sweep().  Arguments: most,
-- how many of them.  One that is damaged stays as it is.
CREATE FUNCTION catalogue.store_chunks(most integer) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    chunk   record;
    stored  bigint := 0;
BEGIN
    FOR chunk IN SELECT * FROM catalogue.sheet_chunk c WHERE c.bounds IS NULL LIMIT most FOR UPDATE SKIP LOCKED LOOP
        BEGIN
            UPDATE catalogue.sheet_chunk c SET data = n.stored, bounds = n.bounds
            FROM catalogue.chunk_stored(chunk.data, chunk.count) n
            WHERE c.sheet = chunk.sheet AND c.first = chunk.first;
        EXCEPTION WHEN data_corrupted THEN
            -- whoever reads it is told
            UPDATE catalogue.sheet_chunk c SET bounds = '' WHERE c.sheet = chunk.sheet AND c.first = chunk.first;
        END;
        stored := stored + 1;
    END LOOP;
    RETURN stored;
END
$$;

-- Tell whether two sheets have the same rows; part of contents_reparse().  Arguments: former and later, the sheets;
-- rows and columns, how many each of them has.
CREATE FUNCTION catalogue.is_same_sheet(former bigint, later bigint, "rows" bigint, columns integer) RETURNS boolean
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_is_same_sheet';

-- Return the cells of a row; part of contents_load().  Arguments: row, an array, or an object whose members are named
-- by titles.  Returns: a text for each title, NULL for a cell that is not there.  Errors: OD400 a member is named
-- twice.
CREATE FUNCTION catalogue.row_cells("row" json, titles text[]) RETURNS text[]
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_row_cells';

-- List the cells of rows that are to be stored; part of contents_load().  Arguments: rows, as of contents_load().
-- titles, of the columns.  Returns: cell, NULL for one that is not there.
CREATE FUNCTION catalogue.loaded_cells("rows" json, titles text[])
    RETURNS TABLE (line bigint, place bigint, cell text) LANGUAGE sql IMMUTABLE AS
$$
    SELECT e.line, c.place, c.cell
    FROM (SELECT row_number() OVER (ORDER BY e.n) AS line, e.row
          FROM json_array_elements($1) WITH ORDINALITY e("row", n)
          WHERE e.n > 1 OR json_typeof(e.row) <> 'array') e,
        unnest(catalogue.row_cells(e.row, $2)) WITH ORDINALITY c(cell, place);
$$;

-- Pack rows that are to be stored; part of contents_load().  A chunk has up to 4,000 rows, and about a mebibyte.
-- Arguments: as of loaded_cells(). Returns: first, the number of its first row; count of its rows; data, as of
-- contents_add().
CREATE FUNCTION catalogue.loaded_chunks("rows" json, titles text[])
    RETURNS TABLE (first bigint, count bigint, data bytea) LANGUAGE sql IMMUTABLE SET jit = off AS
$$
    SELECT min(c.line), count(*) / cardinality($2),
        catalogue.chunk_packed(array_agg(c.cell ORDER BY c.line, c.place), cardinality($2))
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
    WITH c AS (SELECT c.place, c.line, nullif(c.cell, '') AS cell, catalogue.is_mark(c.cell) AS mark,
            catalogue.value_key('decimal', c.cell) IS NOT NULL AND c.cell !~ '^\s*[-+]?0[0-9]' AS number,
            catalogue.value_key('datetime', c.cell) IS NOT NULL AS moment
        FROM catalogue.loaded_cells($1, $2) c),
        k AS (
            SELECT c.place, count(*) FILTER (WHERE NOT mark) AS values, count(*) FILTER (WHERE number) AS numbers,
                count(*) FILTER (WHERE moment) AS moments, bool_or(c.cell ~ '^\s*0[0-9]+\s*$') AS codes, CASE
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
            CASE WHEN k.kind <> 'text' THEN (SELECT json_object_agg(m.cell, m.count ORDER BY m.cell COLLATE "C")
                FROM (SELECT c.cell, count(*) FROM c WHERE c.place = t.n AND c.mark GROUP BY 1) m) END AS marks,
            CASE WHEN k.kind = 'text' AND NOT k.codes AND k.values * 4 <= 5 * greatest(k.numbers, k.moments) THEN
                (SELECT format('%s of %s cells are no %s: %s', count(*), k.values, f.form,
                    string_agg(format('"%s" in row %s', left(o.cell, 40), o.line), ', ' ORDER BY o.line)
                        FILTER (WHERE o.place <= 3)) || CASE WHEN count(*) > 3 THEN ' ...' ELSE '' END
                FROM (VALUES (CASE WHEN k.numbers >= k.moments THEN 'numbers' ELSE 'dates' END)) f(form),
                    LATERAL (SELECT c.cell, c.line, row_number() OVER (ORDER BY c.line) AS place FROM c
                        WHERE c.place = t.n AND c.cell IS NOT NULL AND NOT c.mark
                            AND NOT CASE f.form WHEN 'numbers' THEN c.number ELSE c.moment END) o
                GROUP BY f.form) END AS note
        FROM unnest($2) WITH ORDINALITY t(title, n) LEFT JOIN k ON k.place = t.n,
            LATERAL (SELECT count(*) FILTER (WHERE c.cell IS NULL) AS nulls,
                count(DISTINCT c.cell COLLATE "C") FILTER (WHERE v.there) AS distinct,
                (array_agg(c.cell ORDER BY catalogue.value_key(k.kind, c.cell) COLLATE "C", c.cell COLLATE "C")
                    FILTER (WHERE v.there))[1] AS min,
                (array_agg(c.cell ORDER BY catalogue.value_key(k.kind, c.cell) COLLATE "C" DESC,
                    c.cell COLLATE "C" DESC) FILTER (WHERE v.there))[1] AS max
            FROM c, LATERAL (SELECT c.cell IS NOT NULL AND (k.kind = 'text' OR NOT c.mark)) v(there)
            WHERE c.place = t.n) s ORDER BY t.n) o;
$$;

-- Tell whether a text stands for a missing value in tables, by extension/rows/sheets/marks.h.
CREATE FUNCTION catalogue.is_mark(content text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_mark';

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
        'columns', catalogue.loaded_columns(rows, titles, names)));
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
become column; names that come twice get a number; a dot becomes a space.
Returns: the number of the reading.
Errors: OD404 no such file; OD400 rows are of another form, a cell is longer than 1 MiB, or more than 16384 columns.
Source: Files and their contents';

-- Return the numbers of rows of a sheet; part of contents_page().  In a target list rows are made one by one, and end
-- with LIMIT.  What statements of the service read rows of a sheet by.  A scan is a number that only such a statement
-- is given.
CREATE FUNCTION catalogue.cell_rows(scan bigint, first bigint) RETURNS SETOF bigint
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_rows';

-- Return the numbers of the rows of a sheet that pass the filters of a scan; part of contents_page().  Arguments: scan;
-- first, the row to begin with; but, a column whose filters are left out, -1 for none.
CREATE FUNCTION catalogue.cell_rows_kept(scan bigint, first bigint, but integer) RETURNS SETOF bigint
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_rows_kept';

-- Return a row of a sheet in the format of an export; part of it.  NULL where the format leaves the row out.
CREATE FUNCTION catalogue.cell_row(scan bigint, "row" bigint) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_row';

-- Return the text of a cell; part of contents_page().  NULL for a cell that is absent.
CREATE FUNCTION catalogue.cell_text(scan bigint, "row" bigint, "column" integer) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_text';

-- Return the key of a cell of a typed column; part of contents_page().  Keys are equal for equal values, and in their
-- order with COLLATE "C". NULL for a cell that is no value of its column.
CREATE FUNCTION catalogue.cell_key(scan bigint, "row" bigint, "column" integer) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_key';

-- Return a cell as a number; part of charts.  NULL for a cell that is none.
CREATE FUNCTION catalogue.cell_number(scan bigint, "row" bigint, "column" integer) RETURNS numeric
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_number';

-- Return a cell as an instant; part of query().  Of a date its beginning in UTC. NULL for a cell that is none.
CREATE FUNCTION catalogue.cell_time(scan bigint, "row" bigint, "column" integer) RETURNS timestamptz
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_time';
