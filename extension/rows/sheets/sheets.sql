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
or behind numbers, and format has the letters %Y %y %m %b %d %q where dates are not as in ISO 8601; pattern, of UAX 35,
is that of all dates or booleans, empty where cells are not alike, and missing where they are as in XML Schema;
details, an object of whatever else was found out.
Errors: 22023 the sheet is not there, has another number of rows, or columns is no array.
Source: Files and their contents';

-- Return the version of the readers that the library has, by extension/rows/sheets/reader_version.h.
CREATE FUNCTION catalogue.reader_version() RETURNS integer
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_reader_version';

-- Lock a file whose contents change, and the others that its maps are made of, in the order of their ids; part of
-- contents_publish() and contents_reparse().  Returns: the revision of the file; NULL if it has none.
CREATE FUNCTION catalogue.locked_revision(file text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    next      text;
    revision  bigint;
BEGIN
    FOR next IN
        SELECT $1 UNION SELECT unnest(ARRAY[m.file, m.shapes])::text FROM catalogue.maps m
        WHERE (m.file = $1 OR m.shapes = $1) AND m.shapes IS NOT NULL AND m.deleted_at IS NULL ORDER BY 1
    LOOP
        IF next = $1 THEN
            SELECT f.revision INTO revision FROM catalogue.files f WHERE f.id = $1 FOR NO KEY UPDATE;
        ELSE
            PERFORM FROM catalogue.files f WHERE f.id = next FOR SHARE;
        END IF;
    END LOOP;
    RETURN revision;
END
$$;

-- Part of catalogue.contents_publish().
CREATE FUNCTION catalogue.contents_publish_part(file text, revision bigint, blob bigint, reader integer)
    RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
    IF file IS NULL OR revision IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a file and a revision are needed';
    END IF;
    PERFORM catalogue.locked_revision($1);
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

-- Tell whether a text stands for a missing value in tables, by extension/rows/sheets/marks.h.
CREATE FUNCTION catalogue.is_mark(content text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_mark';

-- What statements of contents_changes() read rows of a sheet by.  A scan is a number that only such a statement is
-- given.

-- Return the numbers of the rows of a sheet that a scan keeps.  In a target list they are made one by one.  Arguments:
-- scan; first, the row to begin with; but, a column whose filters are left out, -1 for none.
CREATE FUNCTION catalogue.cell_rows_kept(scan bigint, first bigint, but integer) RETURNS SETOF bigint
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_rows_kept';

-- Return a row of a sheet as the scan writes it.
CREATE FUNCTION catalogue.cell_row(scan bigint, "row" bigint) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_row';

-- Return the text of a cell.  NULL for a cell that is absent, or a geometry of over 1 MiB.
CREATE FUNCTION catalogue.cell_text(scan bigint, "row" bigint, "column" integer) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_text';

-- Return the key of a cell of a typed column.  Keys are equal for equal values, and in their
-- order with COLLATE "C". NULL for a cell that is no value of its column.
CREATE FUNCTION catalogue.cell_key(scan bigint, "row" bigint, "column" integer) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_cell_key';
