-- Contents of files: rows of CSV files and workbooks, stored and read.
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
COMMENT ON FUNCTION catalogue.contents_begin_part(text, text) IS
    'Part of catalogue.contents_begin() (sql/42-contents.sql)';

CREATE FUNCTION catalogue.contents_begin(file text, job text DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_begin(text, text) IS
'Begin to store the contents of a file
The sheets of a reading, their rows, and at the end catalogue.contents_publish() are one transaction.
Arguments: file, its id.  job, the job that it is done for; NULL: none.
Returns: the number of the reading.
Errors: OD404 no such file; OD409 the job is not running.
Source: Files and their contents; sql/42-contents.sql, extension/pg/security_context.c';

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
COMMENT ON FUNCTION catalogue.contents_sheet_part(text, bigint, integer, text, boolean) IS
    'Part of catalogue.contents_sheet() (sql/42-contents.sql)';

CREATE FUNCTION catalogue.contents_sheet(file text, revision bigint, number integer, name text, hidden boolean)
    RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_sheet(text, bigint, integer, text, boolean) IS
'Add a sheet to a reading
Arguments: file, its id.  revision, of catalogue.contents_begin().  number, position in the file, 1 to 256.  name, empty
for a file that is one table.  hidden: the workbook hides it.
Returns: the id of the sheet.
Errors: 22023 number; 23505 the reading has a sheet of that number.
Source: Files and their contents; sql/42-contents.sql, extension/pg/security_context.c';

CREATE FUNCTION catalogue.contents_add(sheet bigint, first bigint, count integer, data bytea) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_contents_add';
COMMENT ON FUNCTION catalogue.contents_add(bigint, bigint, integer, bytea) IS
'Add rows to a sheet
Arguments: sheet, of catalogue.contents_sheet().  first, the number of the first row, from 1; the rows follow those that
are there.  count, 1 to 1000.  data, the rows packed as extension/rows/sheets/chunk.h says.
Errors: XX001 data is no such chunk, or a cell is not valid UTF-8; 22023 the rows do not follow.
Source: Files and their contents; extension/rows/sheets/chunk.c';

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
COMMENT ON FUNCTION catalogue.contents_issue_part(bigint, integer, bigint, text) IS
    'Part of catalogue.contents_issue() (sql/42-contents.sql)';

CREATE FUNCTION catalogue.contents_issue(sheet bigint, number integer, line bigint, reason text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_issue(bigint, integer, bigint, text) IS
'Record a fault in a sheet
Arguments: sheet.  number, position in the list of its faults, 1 to 1000.  line of the file, or row of the workbook,
from 1.  reason, what was wrong and what became of the row.
Errors: 22023 number.
Source: Files and their contents; sql/42-contents.sql, extension/pg/security_context.c';

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
COMMENT ON FUNCTION catalogue.contents_sheet_end_part(bigint, json) IS
    'Part of catalogue.contents_sheet_end() (sql/42-contents.sql)';

CREATE FUNCTION catalogue.contents_sheet_end(sheet bigint, summary json) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_sheet_end(bigint, json) IS
'End a sheet
Arguments: sheet.  summary, an object: rows, how many there are; badRows, how many could not be kept; columns, an array
of {name, title, type, nulls, distinct, min, max}, where type is integer, decimal, boolean, date, datetime or text,
decimalComma tells of numbers with a comma, and format has the letters %Y %y %m %d where dates are not as in ISO 8601;
details, an object of whatever else was found out.
Errors: 22023 the sheet is not there, has another number of rows, or columns is no array.
Source: Files and their contents; sql/42-contents.sql, extension/pg/security_context.c';

CREATE FUNCTION catalogue.contents_publish_part(file text, revision bigint, blob bigint) RETURNS boolean
    LANGUAGE plpgsql AS
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
        RETURN true;
    END IF;
    DELETE FROM catalogue.sheet s
    WHERE s.file = $1 AND s.revision = $2
        AND NOT EXISTS (SELECT FROM catalogue.files f WHERE f.id = $1 AND f.revision = $2);
    RETURN false;
END
$$;
COMMENT ON FUNCTION catalogue.contents_publish_part(text, bigint, bigint) IS
    'Part of catalogue.contents_publish() (sql/42-contents.sql)';

CREATE FUNCTION catalogue.contents_publish(file text, revision bigint, blob bigint DEFAULT NULL) RETURNS boolean
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_publish(text, bigint, bigint) IS
'Publish a reading as the contents of its file
Arguments: file, its id.  revision, of catalogue.contents_begin().  blob, the bytes that were read; NULL: whatever the
file has. The file gets row_count, bad_rows, and parse_state ready; the former sheets stay for
catalogue.history_retention.
Returns: false, and the reading is gone, where the file has other bytes by now, was deleted, or shows a later reading.
Errors: 22023 an argument is NULL.
Source: Files and their contents; sql/42-contents.sql, extension/pg/security_context.c';

CREATE FUNCTION catalogue.value_key(kind text, value text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_value_key';
COMMENT ON FUNCTION catalogue.value_key(text, text) IS
'Return what a value is sorted by; part of contents_load()
Arguments: kind, a type of columns; value.  Returns: NULL for what is no value of that kind.
Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.chunk_packed(cells text[], columns integer) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_chunk_packed';
COMMENT ON FUNCTION catalogue.chunk_packed(text[], integer) IS
'Pack rows into a chunk; part of contents_load()
Arguments: cells of up to 1,000 rows, one row after the other, NULL for one that is not there.  columns, their number.
Returns: data of contents_add().  Errors: OD400 a cell is longer than 1 MiB.
Source: extension/rows/sheets/chunk.c';

CREATE FUNCTION catalogue.row_cells("row" json, titles text[]) RETURNS text[]
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_row_cells';
COMMENT ON FUNCTION catalogue.row_cells(json, text[]) IS
'Return the cells of a row; part of contents_load()
Arguments: row, an array, or an object whose members are named by titles.  Returns: a text for each title, NULL for a
cell that is not there.  Errors: OD400 a member is named twice.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.loaded_cells("rows" json, titles text[])
    RETURNS TABLE (line bigint, place bigint, cell text) LANGUAGE sql IMMUTABLE AS
$$
    SELECT e.line, c.place, c.cell
    FROM (SELECT row_number() OVER (ORDER BY e.n) AS line, e.row
          FROM json_array_elements($1) WITH ORDINALITY e("row", n)
          WHERE e.n > 1 OR json_typeof(e.row) <> 'array') e,
        unnest(catalogue.row_cells(e.row, $2)) WITH ORDINALITY c(cell, place);
$$;
COMMENT ON FUNCTION catalogue.loaded_cells(json, text[]) IS
'List the cells of rows that are to be stored; part of contents_load()
Arguments: rows, as of contents_load().  titles, of the columns.  Returns: cell, NULL for one that is not there.';

CREATE FUNCTION catalogue.loaded_chunks("rows" json, titles text[])
    RETURNS TABLE (first bigint, count bigint, data bytea) LANGUAGE sql IMMUTABLE SET jit = off AS
$$
    SELECT min(c.line), count(*) / cardinality($2),
        catalogue.chunk_packed(array_agg(c.cell ORDER BY c.line, c.place), cardinality($2))
    FROM (SELECT c.*, (c.line - 1) / 1000 AS thousand,
              div(coalesce(sum(octet_length(c.cell)) OVER (ORDER BY c.line), 0), 1048576) AS mebibyte
          FROM catalogue.loaded_cells($1, $2) c) c
    GROUP BY c.thousand, c.mebibyte ORDER BY 1;
$$;
COMMENT ON FUNCTION catalogue.loaded_chunks(json, text[]) IS
'Pack rows that are to be stored; part of contents_load()
A chunk has up to a thousand rows, and about a mebibyte. Arguments: as of loaded_cells(). Returns: first, the number of
its first row; count of its rows; data, as of contents_add().';

CREATE FUNCTION catalogue.loaded_columns("rows" json, titles text[], names text[]) RETURNS json
    LANGUAGE sql IMMUTABLE SET jit = off AS
$$
    WITH c AS (SELECT c.place, c.cell FROM catalogue.loaded_cells($1, $2) c),
        k AS (
            SELECT c.place, CASE
                WHEN bool_and(catalogue.value_key('integer', c.cell) IS NOT NULL AND c.cell ~ '^[-+]?(0|[1-9][0-9]*)$')
                    THEN 'integer'
                WHEN bool_and(catalogue.value_key('decimal', c.cell) IS NOT NULL AND c.cell !~ '^[-+]?0[0-9]')
                    THEN 'decimal'
                WHEN bool_and(catalogue.value_key('boolean', c.cell) IS NOT NULL) THEN 'boolean'
                WHEN bool_and(catalogue.value_key('date', c.cell) IS NOT NULL AND c.cell !~ '[Tt ]') THEN 'date'
                WHEN bool_and(catalogue.value_key('datetime', c.cell) IS NOT NULL) THEN 'datetime'
                ELSE 'text' END AS kind
            FROM c WHERE c.cell <> '' GROUP BY 1)
    SELECT coalesce(json_agg(o), '[]')
    FROM (SELECT $3[t.n] AS name, t.title, coalesce(k.kind, 'text') AS type, s.nulls, s.distinct, s.min, s.max
        FROM unnest($2) WITH ORDINALITY t(title, n) LEFT JOIN k ON k.place = t.n,
            LATERAL (SELECT count(*) FILTER (WHERE coalesce(c.cell, '') = '') AS nulls,
                count(DISTINCT nullif(c.cell, '') COLLATE "C") AS distinct,
                (array_agg(c.cell ORDER BY catalogue.value_key(k.kind, c.cell) COLLATE "C", c.cell COLLATE "C")
                    FILTER (WHERE c.cell <> ''))[1] AS min,
                (array_agg(c.cell ORDER BY catalogue.value_key(k.kind, c.cell) COLLATE "C" DESC,
                    c.cell COLLATE "C" DESC) FILTER (WHERE c.cell <> ''))[1] AS max
            FROM c WHERE c.place = t.n) s ORDER BY t.n) o;
$$;
COMMENT ON FUNCTION catalogue.loaded_columns(json, text[], text[]) IS
'Describe columns that are to be stored; part of contents_load()
Arguments: as of loaded_cells(), and the names of the columns. Returns: columns, as of contents_sheet_end().';

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
    PERFORM catalogue.contents_publish_part(file, revision, NULL);
    RETURN revision;
END
$$;
COMMENT ON FUNCTION catalogue.contents_load_part(text, json, text) IS
    'Part of catalogue.contents_load() (sql/42-contents.sql)';

CREATE FUNCTION catalogue.contents_load(file text, "rows" json, sheet text DEFAULT '') RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.contents_load(text, json, text) IS
'Store rows as the contents of a file
Arguments: file, its id.  rows, an array of arrays, the first of which has the names of the columns, or of objects.
sheet, name of the sheet. Numbers and booleans are kept as their text, null as a cell that is not there. Empty names
become column; names that come twice get a number; a dot becomes a space.
Returns: the number of the reading.
Errors: OD404 no such file; OD400 rows are of another form, a cell is longer than 1 MiB, or more than 16384 columns.
Source: Files and their contents; sql/42-contents.sql, extension/pg/security_context.c';

-- What statements of the service read rows of a sheet by.  A scan is a number that only such a statement is given.
CREATE FUNCTION catalogue.cell_rows(scan bigint, first bigint) RETURNS SETOF bigint
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_rows';
COMMENT ON FUNCTION catalogue.cell_rows(bigint, bigint) IS
'Return the numbers of rows of a sheet; part of contents_page()
In a target list rows are made one by one, and end with LIMIT.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_row(scan bigint, "row" bigint) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_row';
COMMENT ON FUNCTION catalogue.cell_row(bigint, bigint) IS
'Return a row of a sheet in the format of an export; part of it
NULL where the format leaves the row out.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_text(scan bigint, "row" bigint, "column" integer) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_text';
COMMENT ON FUNCTION catalogue.cell_text(bigint, bigint, integer) IS
'Return the text of a cell; part of contents_page()
NULL for a cell that is absent.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_folded(scan bigint, "row" bigint, "column" integer) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_folded';
COMMENT ON FUNCTION catalogue.cell_folded(bigint, bigint, integer) IS
'Return a cell without case and accents; part of contents_page()
As catalogue.fold() of its text.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_has(scan bigint, "row" bigint, "column" integer, sought text, place integer)
    RETURNS boolean
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_has';
COMMENT ON FUNCTION catalogue.cell_has(bigint, bigint, integer, text, integer) IS
'Tell whether a cell has a text; part of contents_page()
Arguments: scan, row, column.  sought, a folded text. place, 0 anywhere in the folded cell, 1 at its beginning, 2 at its
end.
Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_key(scan bigint, "row" bigint, "column" integer) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_key';
COMMENT ON FUNCTION catalogue.cell_key(bigint, bigint, integer) IS
'Return the key of a cell of a typed column; part of contents_page()
Keys are equal for equal values, and in their order with COLLATE "C". NULL for a cell that is no value of its column.
Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_key_of(scan bigint, "column" integer, value text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_key_of';
COMMENT ON FUNCTION catalogue.cell_key_of(bigint, integer, text) IS
'Return the key of a text as a cell of a column; part of groups
As catalogue.cell_key().  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_number(scan bigint, "row" bigint, "column" integer) RETURNS numeric
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_number';
COMMENT ON FUNCTION catalogue.cell_number(bigint, bigint, integer) IS
'Return a cell as a number; part of groups
NULL for a cell that is none.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_place(scan bigint, "row" bigint, "column" integer) RETURNS double precision
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_place';
COMMENT ON FUNCTION catalogue.cell_place(bigint, bigint, integer) IS
'Return a cell as a floating-point number; part of histograms
Of a date the day, of an instant the microsecond. NULL for a cell that is none, or too great.
Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_time(scan bigint, "row" bigint, "column" integer) RETURNS timestamptz
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_time';
COMMENT ON FUNCTION catalogue.cell_time(bigint, bigint, integer) IS
'Return a cell as an instant; part of query()
Of a date its beginning in UTC. NULL for a cell that is none.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_take_least(kept internal, scan bigint, "row" bigint, "column" integer)
    RETURNS internal LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_cell_least';
COMMENT ON FUNCTION catalogue.cell_take_least(internal, bigint, bigint, integer) IS
'Keep the smaller of two cells; part of cell_least()
A cell that is empty or no value of its column is passed over.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_take_greatest(kept internal, scan bigint, "row" bigint, "column" integer)
    RETURNS internal LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_cell_greatest';
COMMENT ON FUNCTION catalogue.cell_take_greatest(internal, bigint, bigint, integer) IS
'Keep the greater of two cells; part of cell_greatest()
A cell that is empty or no value of its column is passed over.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.cell_kept(kept internal) RETURNS text
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_cell_end';
COMMENT ON FUNCTION catalogue.cell_kept(internal) IS
'Return the cell that an aggregate has kept; part of it
NULL for none.  Source: extension/rows/sheets/cell_sql.c';

CREATE AGGREGATE catalogue.cell_least(scan bigint, "row" bigint, "column" integer) (
    SFUNC = catalogue.cell_take_least,
    STYPE = internal,
    FINALFUNC = catalogue.cell_kept
);
COMMENT ON AGGREGATE catalogue.cell_least(bigint, bigint, integer) IS
'Return the least cell of a column; part of groups
The first of equal ones, as its text.  Source: extension/rows/sheets/cell_sql.c';

CREATE AGGREGATE catalogue.cell_greatest(scan bigint, "row" bigint, "column" integer) (
    SFUNC = catalogue.cell_take_greatest,
    STYPE = internal,
    FINALFUNC = catalogue.cell_kept
);
COMMENT ON AGGREGATE catalogue.cell_greatest(bigint, bigint, integer) IS
'Return the greatest cell of a column; part of groups
The first of equal ones, as its text.  Source: extension/rows/sheets/cell_sql.c';

CREATE FUNCTION catalogue.contents_page(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_page';
COMMENT ON FUNCTION catalogue.contents_page(text, text, jsonb, text) IS
'List rows of a file
Arguments: file, its id.  query, as in a URL behind the ?: sheet (name or number; the first that is not hidden unless
given); limit, skip, match, condition and version as for catalogue.list(); a column''s name, also with [gte], [lte],
[gt], [lt] or [ne] behind it, filters by what the column is, or by its text; _id is the number of the row; null stands
for a cell that is not there or empty; orderBy, columns with commas between, and sort; fields, the columns to show;
types=true for numbers, booleans and dates as such; groupBy, columns, and aggregate: count, and count, sum, avg, min,
max of a column in parentheses. actor, {"user": id} for a user, {} for an outsider, NULL for a database user, who is
trusted. known, state tags that the caller has, comma-separated; data is NULL where the state is one of them.
Returns: data is an array of objects: _id, the number of the row from 1, and the columns in their order, a text or null
each. Of groups: the columns of groupBy and the aggregates.
Errors: OD404 no such file or sheet, or the file has no bytes; OD406 its type is not read; OD409 it is still to be read,
or could not be, with parseState and parseReason as JSON in the detail; OD422 a parameter''s value, or more than 10,000
groups; OD401 the actor''s user may not log in.
Source: Files and their contents; extension/rows/contents/contents.c';

CREATE FUNCTION catalogue.contents_export(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    format text DEFAULT 'csv')
    RETURNS SETOF catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_export';
COMMENT ON FUNCTION catalogue.contents_export(text, text, jsonb, text) IS
'Return rows of a file as CSV, JSON or GeoJSON, in pieces
Arguments: file, query, actor: as for catalogue.contents_page(); without limit all rows; no groupBy. format: csv, with a
line of names, where a text that a spreadsheet would take for a formula gets an apostrophe; ndjson, a row a line; json,
one array; geojson, a point for each row with valid coordinates, in columns of the usual names or those that latitudeKey
and longitudeKey name, with a decimal comma too; others are left out.
Returns: rows whose data, one behind the other, are the text. The first one says which page it is, as
catalogue.contents_page() does. Call it in the target list, SELECT catalogue.contents_export(...): in FROM all rows are
made before the first is given.
Errors: as of catalogue.contents_page(); OD406 format, groups, or geojson of rows without coordinates.
Source: Files and their contents; extension/rows/contents/contents.c, extension/rows/contents/geojson.c';

CREATE FUNCTION catalogue.contents_changes(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_changes';
COMMENT ON FUNCTION catalogue.contents_changes(text, text, jsonb, text) IS
'List the changes of the rows of a file between two versions
Arguments: file, its id or slug.  query: from, and to, instants such as version is, to now unless given; key, the
columns that tell which row is which, with commas between; sheet, types, limit, skip as for catalogue.contents_page().
actor, known: as there.
Returns: data is an array of objects in the order of the key: change, which is added, removed or changed; before, the
row as it was, and after, as it is, each as of catalogue.contents_page(). meta has the number of each kind. Rows with
the same texts in all columns are no change, wherever they are; of several rows with one key, the first ones of both
versions are taken for the same, and so on.
Errors: as of catalogue.contents_page() in either version; OD422 from or key is missing, or a parameter''s value; the
columns that both versions have as JSON in the detail where key is none.
Source: Files and their contents; extension/rows/contents/changes.c';

CREATE FUNCTION catalogue.contents_changes_export(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    format text DEFAULT 'ndjson')
    RETURNS SETOF catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_changes_export';
COMMENT ON FUNCTION catalogue.contents_changes_export(text, text, jsonb, text) IS
'Return the changes of the rows of a file in pieces
Arguments: file, query, actor: as for catalogue.contents_changes(), but for limit and skip.  format: ndjson, a change a
line.
Returns: rows whose data, one behind the other, are the text. Call it in the target list, as
catalogue.contents_export().
Errors: as of catalogue.contents_changes(); OD406 format.
Source: Files and their contents; extension/rows/contents/contents.c';

CREATE FUNCTION catalogue.contents(file text, query text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS TABLE (number bigint, "row" json)
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents';
COMMENT ON FUNCTION catalogue.contents(text, text, jsonb) IS
'Return rows of a file as rows of SQL
Arguments: file, query, actor: as for catalogue.contents_page(); without limit all rows; no groupBy.
Returns: number, that of the row from 1; row, the object that the list has of it: row ->> ''name of a column'' is a
cell.
Errors: as of catalogue.contents_page(); OD406 groups.
Source: Files and their contents; extension/rows/contents/contents.c';

CREATE FUNCTION catalogue.rows_of(file text) RETURNS TABLE (number bigint, cells text[])
    LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT c.number, ARRAY(
        SELECT e.value FROM json_each_text(c."row") WITH ORDINALITY e(name, value, position)
        WHERE e.position > 1
        ORDER BY e.position)
    FROM catalogue.contents(rows_of.file) c;
END;
COMMENT ON FUNCTION catalogue.rows_of(text) IS
'Return rows of a file as arrays of their texts
Arguments: file, its id.
Returns: number, that of the row from 1; cells, the texts in the order of the columns, which contents_columns() names
with their types: cells[2]::numeric. NULL is a cell that is not there.
Errors: as of catalogue.contents().
Source: Files and their contents; sql/42-contents.sql';

CREATE FUNCTION catalogue.columns_of(sheet bigint)
    RETURNS TABLE (at bigint, c json, name text, title text, type text) LANGUAGE sql STABLE AS
$$
    SELECT c.at, c.c, coalesce(c.c ->> 'name', ''), coalesce(c.c ->> 'title', c.c ->> 'name', ''),
        CASE WHEN c.c ->> 'type' IN ('integer', 'decimal', 'boolean', 'date', 'datetime') THEN c.c ->> 'type'
            ELSE 'text' END
    FROM catalogue.sheet s, json_array_elements(s.columns) WITH ORDINALITY c(c, at) WHERE s.id = $1;
$$;
COMMENT ON FUNCTION catalogue.columns_of(bigint) IS 'List the columns of a sheet; part of contents_columns()';

CREATE FUNCTION catalogue.sheet_columns(sheet bigint) RETURNS SETOF text LANGUAGE sql STABLE AS
$$
    SELECT concat('{"name":', to_json(t.name), ',"title":', to_json(t.title), ',"type":"', t.type,
        '","nulls":', coalesce(t.c -> 'nulls', 'null'), ',"distinct":', coalesce(t.c -> 'distinct', 'null'),
        ',"min":', coalesce(t.c -> 'min', 'null'), ',"max":', coalesce(t.c -> 'max', 'null'),
        CASE WHEN t.c ->> 'decimalComma' = 'true' THEN ',"decimalComma":true' END,
        ',"format":' || to_json(t.c ->> 'format'), '}')
    FROM catalogue.columns_of($1) t ORDER BY t.at;
$$;
COMMENT ON FUNCTION catalogue.sheet_columns(bigint) IS 'Describe the columns of a sheet; part of contents_columns()';

CREATE FUNCTION catalogue.sheet_schema(sheet bigint) RETURNS text LANGUAGE sql STABLE AS
$$
    SELECT concat('{"fields":[', (
        SELECT string_agg(concat('{"name":', to_json(t.name), ',"type":"',
            CASE t.type WHEN 'text' THEN 'string' WHEN 'decimal' THEN 'number' ELSE t.type END, '"',
            CASE WHEN t.title <> t.name THEN ',"title":' || to_json(t.title) END,
            CASE WHEN t.c ->> 'decimalComma' = 'true' AND t.type IN ('integer', 'decimal')
                THEN ',"decimalChar":","' END,
            CASE WHEN t.type = 'datetime' THEN ',"format":"any"' ELSE ',"format":' || to_json(t.c ->> 'format') END,
            CASE WHEN t.c ->> 'nulls' = '0' THEN ',"constraints":{"required":true}' END, '}'), ',' ORDER BY t.at)
        FROM catalogue.columns_of($1) t), '],"missingValues":[""]', (
        -- how the file was parsed, as a Table Dialect, and the reasons
        SELECT concat(',"dialect":{', concat_ws(',', '"header":' || (t.n IS NOT NULL), '"headerRows":[' || t.n || ']',
            '"commentRows":[' || nullif(concat_ws(',', (
                SELECT string_agg(i::text, ',' ORDER BY i) FROM generate_series(1, (t.d ->> 'skip')::integer) i),
                btrim((t.d -> 'titles')::text, '[]')), '') || ']',
            '"delimiter":' || (t.d -> 'delimiter')), '}', ',"encoding":' || (t.d -> 'encoding'), ',"reasons":{',
            concat_ws(',', '"encoding":' || (t.d -> 'encodingReason'), '"delimiter":' || (t.d -> 'delimiterReason'),
                '"header":' || (t.d -> 'headerReason')), '}')
        FROM catalogue.sheet s, LATERAL (SELECT s.details::json AS d,
            CASE json_typeof(s.details::json -> 'header') WHEN 'number' THEN s.details::json ->> 'header' END AS n) t
        WHERE s.id = $1 AND t.d -> 'header' IS NOT NULL), '}');
$$;
COMMENT ON FUNCTION catalogue.sheet_schema(bigint) IS
'Return the table schema of a sheet; part of contents_schema()';

CREATE FUNCTION catalogue.sheet_number(file text, revision bigint, name text) RETURNS integer LANGUAGE plpgsql STABLE AS
$$
DECLARE
    most  CONSTANT integer := 50;
    bare  text := regexp_replace($3, '^"(.*)"$', '\1');
    found integer := (SELECT s.number FROM catalogue.sheet s
        WHERE s.file = $1 AND s.revision = $2 AND (s.number::text = $3
            -- the arguments have the collation of an id where one is passed, which leaves letters that are not ASCII
            OR lower(catalogue.compose(s.name)) IN (lower(catalogue.compose($3 COLLATE "default")),
                lower(catalogue.compose(bare COLLATE "default"))))
        ORDER BY s.number::text = $3 DESC, s.name IN ($3, bare) DESC, s.number LIMIT 1);
BEGIN
    IF found IS NULL THEN
        RAISE SQLSTATE 'OD404' USING MESSAGE = format('File "%s" has no sheet "%s"', $1, $3),
            HINT = (SELECT concat('It takes ', string_agg(format('%s ("%s")', h.number, left(h.name, 50)), ', '
                        ORDER BY h.number) FILTER (WHERE h.place <= most),
                        ' and ' || nullif(greatest(count(*) - most, 0), 0) || ' more', '.')
                    FROM (SELECT s.number, s.name, row_number() OVER (ORDER BY s.number) AS place
                          FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2) h);
    END IF;
    RETURN found;
END
$$;
COMMENT ON FUNCTION catalogue.sheet_number(text, bigint, text) IS
'Return the number of the sheet that a request names
Arguments: file, its id.  revision, the reading.  name of the sheet, any letter case, in quotes or not; or its number.
Errors: OD404 there is no such sheet.  Source: Rows of files; extension/rows/contents/sheet_lookup.c';

CREATE FUNCTION catalogue.sheets_of(file text, revision bigint) RETURNS SETOF text LANGUAGE sql STABLE AS
$$
    SELECT concat('{"number":', s.number, ',"name":', to_json(s.name), ',"hidden":', to_json(s.hidden), ',"rows":',
        s.row_count, ',"badRows":', s.bad_rows, ',"columns":', json_array_length(s.columns), ',"details":',
        s.details, '}')
    FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2 ORDER BY s.number;
$$;
COMMENT ON FUNCTION catalogue.sheets_of(text, bigint) IS 'Describe the sheets of a file; part of contents_sheets()';

CREATE FUNCTION catalogue.sheet_issues(sheet bigint, most bigint, skip bigint, OUT issue text, OUT count bigint)
    RETURNS SETOF record LANGUAGE sql STABLE AS
$$
    SELECT format('{"line":%s,"reason":%s}', i.line, to_json(i.reason)),
        (SELECT count(*) FROM catalogue.sheet_issue i WHERE i.sheet = $1)
    FROM (SELECT) one LEFT JOIN LATERAL (SELECT i.line, i.reason FROM catalogue.sheet_issue i WHERE i.sheet = $1
        ORDER BY i.number LIMIT $2 OFFSET $3) i ON true;
$$;
COMMENT ON FUNCTION catalogue.sheet_issues(bigint, bigint, bigint) IS
'List faults of a sheet; part of contents_issues()
Returns: one row at least; count, of all faults.';

CREATE FUNCTION catalogue.contents_columns(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_columns';
COMMENT ON FUNCTION catalogue.contents_columns(text, text, jsonb, text) IS
'List the columns of a sheet of a file, and what is in them
Arguments: file, actor, known: as for catalogue.contents_page().  query: sheet and version.
Returns: data is an array of objects: name, title (as the file has it), type over all rows (integer, decimal, boolean,
date, datetime or text), nulls, distinct (estimated), min, max; decimalComma and format where numbers and dates are
written so.
Errors: OD404, OD406, OD409, OD422, OD401 as of catalogue.contents_page().
Source: Files and their contents; extension/rows/contents/contents.c';

CREATE FUNCTION catalogue.contents_schema(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_schema';
COMMENT ON FUNCTION catalogue.contents_schema(text, text, jsonb, text) IS
'Describe the columns of a sheet as a Frictionless Table Schema
Arguments: file, actor, known: as for catalogue.contents_page().  query: sheet and version.
Returns: data is an object: fields, missingValues; of a file that the worker has read also dialect (header, headerRows,
commentRows, delimiter) and encoding, which were taken, and reasons, an object of why encoding, delimiter and header
were.
Errors: OD404, OD406, OD409, OD422, OD401 as of catalogue.contents_page().
Source: Files and their contents; extension/rows/contents/contents.c';

CREATE FUNCTION catalogue.contents_issues(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_issues';
COMMENT ON FUNCTION catalogue.contents_issues(text, text, jsonb, text) IS
'List what was wrong with rows of a sheet of a file
Arguments: file, actor, known: as for catalogue.contents_page().  query: sheet, version, limit, skip.
Returns: data is an array of objects: line, of the file or row of the workbook from 1; reason. The first thousand are
kept; badRows of catalogue.contents_sheets() counts all.
Errors: OD404, OD406, OD409, OD422, OD401 as of catalogue.contents_page().
Source: Files and their contents; extension/rows/contents/contents.c';

CREATE FUNCTION catalogue.contents_sheets(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_sheets';
COMMENT ON FUNCTION catalogue.contents_sheets(text, text, jsonb, text) IS
'List the sheets of a file
Arguments: file, actor, known: as for catalogue.contents_page().  query: version.
Returns: data is an array of objects: number, name, hidden, rows, badRows, columns (how many), details (what was found
out about the form).
Errors: OD404, OD406, OD409, OD422, OD401 as of catalogue.contents_page().
Source: Files and their contents; extension/rows/contents/contents.c';

CREATE FUNCTION catalogue.file_resources(file text, relations text DEFAULT 'ids', actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    query   text := 'limit=' || current_setting('catalogue.max_limit');
    maps    catalogue.reply := catalogue.related('files', file, 'maps', query, relations, actor);
    charts  catalogue.reply := catalogue.related('files', file, 'charts', query, relations, actor);
    reply   catalogue.reply;
BEGIN
    reply.resource := 'files';
    reply.id := maps.id;
    reply.data := format('{%s}',
        concat_ws(',', '"maps":' || nullif(maps.data, '[]'), '"charts":' || nullif(charts.data, '[]')));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.file_resources(text, text, jsonb) IS
'Return the maps and charts of a file
Arguments: file, its id.  relations, actor: as for catalogue.item().
Returns: data is an object: maps and charts, arrays of those that the actor sees, each only where it is not empty.
Errors: OD404 no such file; OD401 the actor''s user may not log in.
Source: Files and their contents; sql/42-contents.sql';

CREATE FUNCTION catalogue.bounded(value text, bytes integer) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_bounded';
COMMENT ON FUNCTION catalogue.bounded(text, integer) IS
'Return a value unless it is too long; part of query()
Arguments: value, of any type of varying length where query() calls it. bytes, its maximum length.
Returns: the value.
Errors: 54000 it is longer.  Source: extension/select/select_limits.c';

CREATE FUNCTION catalogue.query(body json, format text DEFAULT 'json', actor jsonb DEFAULT NULL,
    strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_query';
COMMENT ON FUNCTION catalogue.query(json, text, jsonb, boolean) IS
'Execute one SELECT over the files and resources that the caller sees
Arguments: body, an object whose sql is the statement, 20,000 bytes at most. Its tables are those of the caller: the
path word of a resource (datasets), a resource and its many-to-many relation (datasets_tags), the slug or id of a file
whose contents are read ("my-file"), with sheet and version behind a question mark ("my-file?sheet=2"). It uses the
functions, operators and types of extension/select/select_check.c. format, json, csv or ndjson. actor, as for
catalogue.list(). strict, refuse unknown members.
Returns: the rows, catalogue.query_rows at most; meta has their columns, and whether rows were left out.
The statement is executed by role catalogue_query, which has no privileges, in a read-only transaction, in
catalogue.query_timeout and catalogue.query_memory.
Errors: OD400 with what is wrong with the statement, or what it exceeds; OD401, OD403 no rule that names action query;
OD404, OD406, OD409 as of catalogue.contents_page(); OD429 the user''s previous query is still being executed; OD503
role catalogue_query does not exist.
Source: Files and their contents; extension/select/select_call.c';
