-- Rows of files as the API returns them, and what is known of sheets and columns.

CREATE FUNCTION catalogue.contents_page(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_page';
COMMENT ON FUNCTION catalogue.contents_page(text, text, jsonb, text) IS
'List rows of a file
Arguments: file, its id.  query, as in a URL behind the ?: sheet (name or number; unless given the default one of
catalogue.contents_sheets()); limit, skip, match, condition and version as for catalogue.list(); a column''s name,
also with [gte], [lte], [gt], [lt] or [ne] behind it, filters by what the column is, or by its text; _id is the number
of the row; null stands for a cell that is not there or empty; orderBy, columns with commas between, and sort; fields,
the columns to show; types=true for numbers, booleans and dates as such; groupBy, columns, and aggregate: count, and
count, sum, avg, min, max of a column in parentheses. actor, {"user": id} for a user, {} for an outsider, NULL for a
database user, who is trusted. known, state tags that the caller has, comma-separated; data is NULL where the state is
one of them.
Returns: data is an array of objects: _id, the number of the row from 1, and the columns in their order, a text or null
each. Of groups: the columns of groupBy and the aggregates.
Errors: OD404 no such file or sheet, or the file has no bytes; OD406 its type is not read; OD409 it is still to be read,
or could not be, with parseState and parseReason as JSON in the detail; OD422 a parameter''s value, or more than 10,000
groups; OD401 the actor''s user may not log in.
Source: Files and their contents';

CREATE FUNCTION catalogue.contents_export(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    format text DEFAULT 'csv')
    RETURNS SETOF catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_export';
COMMENT ON FUNCTION catalogue.contents_export(text, text, jsonb, text) IS
'Return rows of a file as CSV, JSON or GeoJSON, in pieces
Arguments: file, query, actor: as for catalogue.contents_page(); without limit all rows or groups, with it so many:
catalogue.max_limit does not reduce it. format: csv, with a
line of names, where a text that a spreadsheet would take for a formula gets an apostrophe; ndjson, a row a line; json,
one array; geojson, a point for each row with valid coordinates, in columns of the usual names or those that latitudeKey
and longitudeKey name, with a decimal comma too; others are left out.
Returns: rows whose data, one behind the other, are the text. The first one says which page it is, as
catalogue.contents_page() does. Call it in the target list, SELECT catalogue.contents_export(...): in FROM all rows are
made before the first is given.
Errors: as of catalogue.contents_page(); OD406 format, or geojson of groups or of rows without coordinates.
Source: Files and their contents';

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
Source: Files and their contents';

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
Source: Files and their contents';

CREATE FUNCTION catalogue.contents(file text, query text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS TABLE (number bigint, "row" json)
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents';
COMMENT ON FUNCTION catalogue.contents(text, text, jsonb) IS
'Return rows of a file as rows of SQL
Arguments: file, query, actor: as for catalogue.contents_page(); without limit all rows or groups.
Returns: number, that of the row or group from 1; row, the object that the list has of it: row ->> ''name of a column''
is a cell.
Errors: as of catalogue.contents_page().
Source: Files and their contents';

CREATE FUNCTION catalogue.rows_of(file text, query text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS TABLE (number bigint, cells text[])
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_rows_of';
COMMENT ON FUNCTION catalogue.rows_of(text, text, jsonb) IS
'Return rows of a file as arrays of their texts
Arguments: file, query, actor: as for catalogue.contents(), without groups.
Returns: number, that of the row from 1; cells, the texts in the order of the columns that are shown, all unless fields
names some; contents_columns() names them with their types: cells[2]::numeric. NULL is a cell that is not there.
Errors: as of catalogue.contents(); 0A000 groups.
Source: Files and their contents';

-- Return what the owner of a file says of its columns; part of columns_of().  Arguments: optionals of the file.
-- Returns: of their value columns an object of label, description and unit, where these are texts or numbers, as texts,
-- by the names of the columns that have any; NULL where it is no object.
CREATE FUNCTION catalogue.columns_said(optionals json) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    IF json_typeof(optionals) <> 'object' OR json_typeof(optionals -> 'columns') IS DISTINCT FROM 'object' THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT coalesce(jsonb_object_agg(c.key, s.said), '{}')
        FROM json_each(optionals -> 'columns') c,
            LATERAL (SELECT jsonb_object_agg(t.key, t.value #>> '{}')
                FROM json_each(CASE json_typeof(c.value) WHEN 'object' THEN c.value END) t
                WHERE t.key IN ('label', 'description', 'unit')
                    AND json_typeof(t.value) IN ('string', 'number')) s(said)
        WHERE s.said IS NOT NULL);
END
$$;

-- List the columns of a sheet; part of contents_columns().  Returns: label, description and unit, what the owner of the
-- file says of the column; described, whether anything is said of any.
CREATE FUNCTION catalogue.columns_of(sheet bigint)
    RETURNS TABLE (at bigint, c json, name text, title text, type text, label text, description text, unit text,
        described boolean) LANGUAGE sql STABLE AS
$$
    SELECT c.at, c.c, coalesce(c.c ->> 'name', ''), coalesce(c.c ->> 'title', c.c ->> 'name', ''),
        CASE WHEN c.c ->> 'type' IN ('integer', 'decimal', 'boolean', 'date', 'datetime', 'month', 'quarter')
            THEN c.c ->> 'type' ELSE 'text' END,
        d.said ->> 'label', d.said ->> 'description', d.said ->> 'unit', bool_or(d.said IS NOT NULL) OVER ()
    FROM catalogue.sheet s
        JOIN catalogue.files f ON f.id = s.file,
        catalogue.columns_said(f.optionals) o(said),
        json_array_elements(s.columns) WITH ORDINALITY c(c, at),
        LATERAL (SELECT o.said -> (c.c ->> 'name')) d(said)
    WHERE s.id = $1;
$$;

-- Describe the columns of a sheet; part of contents_columns().
CREATE FUNCTION catalogue.sheet_columns(sheet bigint) RETURNS SETOF text LANGUAGE sql STABLE AS
$$
    SELECT concat('{"name":', to_json(t.name), ',"title":', to_json(t.title),
        CASE WHEN t.described THEN concat(',"label":', coalesce(to_json(t.label), 'null'), ',"description":',
            coalesce(to_json(t.description), 'null')) END, ',"type":"', t.type,
        '","nulls":', coalesce(t.c -> 'nulls', 'null'), ',"distinct":', coalesce(t.c -> 'distinct', 'null'),
        ',"min":', coalesce(t.c -> 'min', 'null'), ',"max":', coalesce(t.c -> 'max', 'null'),
        CASE WHEN t.c ->> 'decimalComma' = 'true' THEN ',"decimalComma":true' END,
        ',"thousands":' || to_json(t.c ->> 'thousands'),
        ',"unit":' || coalesce(to_json(coalesce(t.unit, t.c ->> 'unit')), CASE WHEN t.described THEN 'null'::json END),
        ',"format":' || to_json(t.c ->> 'format'), ',"marks":' || (t.c -> 'marks'),
        ',"note":' || to_json(t.c ->> 'note'), '}')
    FROM catalogue.columns_of($1) t ORDER BY t.at;
$$;

-- Return the type and the format of a field of a table schema (Frictionless Data).  Arguments: column, as of
-- contents_columns(): its type and its format.  Names of months are of a language, which a schema cannot say, and it
-- has no quarters and no format of months: these are strings.
CREATE FUNCTION catalogue.schema_type("column" json, OUT type text, OUT format text) LANGUAGE sql IMMUTABLE AS
$$
    SELECT CASE WHEN f ~ '%b' OR t = 'quarter' OR t = 'month' AND f IS NOT NULL THEN 'string'
            WHEN t = 'month' THEN 'yearmonth' WHEN t = 'decimal' THEN 'number'
            WHEN t IN ('integer', 'boolean', 'date', 'datetime') THEN t ELSE 'string' END,
        CASE WHEN f ~ '%b' THEN NULL WHEN t = 'datetime' THEN 'any' WHEN t = 'date' THEN f END
    FROM (SELECT $1 ->> 'type', nullif($1 ->> 'format', '')) c(t, f);
$$;

-- Return the table schema of a sheet; part of contents_schema().
CREATE FUNCTION catalogue.sheet_schema(sheet bigint) RETURNS text LANGUAGE sql STABLE AS
$$
    SELECT concat('{"fields":[', (
        SELECT string_agg(concat('{"name":', to_json(t.name), ',"type":"', k.type, '"',
            ',"title":' || to_json(coalesce(t.label, nullif(t.title, t.name))),
            ',"description":' || to_json(t.description), ',"unit":' || to_json(t.unit),
            CASE WHEN t.c ->> 'decimalComma' = 'true' AND t.type IN ('integer', 'decimal')
                THEN ',"decimalChar":","' END,
            ',"groupChar":' || to_json(t.c ->> 'thousands'),
            CASE WHEN t.c ->> 'unit' IS NOT NULL THEN ',"bareNumber":false' END,
            ',"format":' || to_json(k.format),
            ',"missingValues":' || (SELECT json_agg(m.mark) FROM (SELECT '' UNION ALL
                SELECT json_object_keys(t.c -> 'marks')) m(mark) WHERE t.c -> 'marks' IS NOT NULL),
            CASE WHEN t.c ->> 'nulls' = '0' AND t.c -> 'marks' IS NULL
                THEN ',"constraints":{"required":true}' END, '}'), ',' ORDER BY t.at)
        FROM catalogue.columns_of($1) t, catalogue.schema_type(t.c) k), '],"missingValues":[""]', (
        -- how the file was parsed, as a Table Dialect, and the reasons
        SELECT concat(',"dialect":{', concat_ws(',', '"header":' || (t.n IS NOT NULL),
            '"headerRows":' || coalesce((t.d -> 'headerRows')::text, '[' || t.n || ']'),
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

-- Return the number of the sheet that a text names; part of sheet_number() and contents_page().  Arguments: file, its
-- id.  revision, the reading.  name, of the sheet, in quotes or not, or its number.  NULL: there is none.
CREATE FUNCTION catalogue.sheet_named(file text, revision bigint, name text) RETURNS integer
    LANGUAGE plpgsql STABLE STRICT AS
$$
DECLARE
    bare  CONSTANT text := regexp_replace($3, '^"(.*)"$', '\1');
BEGIN
    RETURN (SELECT s.number FROM catalogue.sheet s
        WHERE s.file = $1 AND s.revision = $2 AND (s.number::text = $3
            -- the arguments have the collation of an id where one is passed, which leaves letters that are not ASCII
            OR lower(catalogue.compose(s.name)) IN (lower(catalogue.compose($3 COLLATE "default")),
                lower(catalogue.compose(bare COLLATE "default"))))
        ORDER BY s.number::text = $3 DESC, s.name IN ($3, bare) DESC, s.number LIMIT 1);
END
$$;

CREATE FUNCTION catalogue.sheet_number(file text, revision bigint, name text) RETURNS integer LANGUAGE plpgsql STABLE AS
$$
DECLARE
    most  CONSTANT integer := 50;
    found CONSTANT integer := catalogue.sheet_named($1, $2, $3);
BEGIN
    IF found IS NULL THEN
        RAISE SQLSTATE 'OD404' USING MESSAGE = format('File "%s" has no sheet "%s"', $1, $3),
            HINT = (SELECT concat('It takes ', string_agg(format('%s ("%s")', h.number, left(h.name, 50)), ', '
                        ORDER BY h.number) FILTER (WHERE h.n <= most),
                        ' and ' || nullif(greatest(count(*) - most, 0), 0) || ' more', '.')
                    FROM (SELECT s.number, s.name, row_number() OVER (ORDER BY s.number) AS n
                          FROM catalogue.sheet s WHERE s.file = $1 AND s.revision = $2) h);
    END IF;
    RETURN found;
END
$$;
COMMENT ON FUNCTION catalogue.sheet_number(text, bigint, text) IS
'Return the number of the sheet that a request names
Arguments: file, its id.  revision, the reading.  name of the sheet, any letter case, in quotes or not; or its number.
Errors: OD404 there is no such sheet.  Source: Rows of files';

-- Describe the sheets of a file; part of contents_sheets().
CREATE FUNCTION catalogue.sheets_of(file text, revision bigint) RETURNS SETOF text LANGUAGE sql STABLE AS
$$
    SELECT concat('{"number":', s.number, ',"name":', to_json(s.name), ',"hidden":', to_json(s.hidden), ',"default":',
        to_json(row_number() OVER (ORDER BY s.number IS NOT DISTINCT FROM f.chosen DESC, s.hidden, s.number) = 1),
        ',"rows":', s.row_count, ',"badRows":', s.bad_rows, ',"columns":', json_array_length(s.columns), ',"details":',
        s.details, '}')
    FROM catalogue.sheet s, (
            SELECT catalogue.sheet_named(f.id, $2, f.parse_options ->> 'sheet') FROM catalogue.files f
            WHERE f.id = $1) f(chosen)
    WHERE s.file = $1 AND s.revision = $2 ORDER BY s.number;
$$;

-- List faults of a sheet; part of contents_issues().  Returns: one row at least; count, of all faults.
CREATE FUNCTION catalogue.sheet_issues(sheet bigint, most bigint, skip bigint, OUT issue text, OUT count bigint)
    RETURNS SETOF record LANGUAGE sql STABLE AS
$$
    SELECT format('{"line":%s,"reason":%s}', i.line, to_json(i.reason)),
        (SELECT count(*) FROM catalogue.sheet_issue i WHERE i.sheet = $1)
    FROM (SELECT) one LEFT JOIN LATERAL (SELECT i.line, i.reason FROM catalogue.sheet_issue i WHERE i.sheet = $1
        ORDER BY i.number LIMIT $2 OFFSET $3) i ON true;
$$;

CREATE FUNCTION catalogue.contents_columns(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_columns';
COMMENT ON FUNCTION catalogue.contents_columns(text, text, jsonb, text) IS
'List the columns of a sheet of a file, and what is in them
Arguments: file, actor, known: as for catalogue.contents_page().  query: sheet and version.
Returns: data is an array of objects: name, title (as the file has it), label and description, which the owner of the
file gives in optionals.columns, where any column has them; type over all rows (integer, decimal, boolean, date,
datetime or text), nulls, distinct (estimated), min, max; decimalComma, thousands (the sign between these) and format
where numbers and dates are written so; unit, that of optionals.columns, else per cent or a currency where numbers are
written with it; marks, an object of the texts of cells that stand for no value, such as NA, and how many have them,
which nulls does not count; note, why a column is text although most of its cells are numbers or dates, or what else its
numbers could mean.
Errors: OD404, OD406, OD409, OD422, OD401 as of catalogue.contents_page().
Source: Files and their contents';

CREATE FUNCTION catalogue.contents_schema(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_schema';
COMMENT ON FUNCTION catalogue.contents_schema(text, text, jsonb, text) IS
'Describe the columns of a sheet as a Frictionless Table Schema
Arguments: file, actor, known: as for catalogue.contents_page().  query: sheet and version.
Returns: data is an object: fields, with label, as title, description and unit of optionals.columns; missingValues; of
a file that the worker has read also dialect (header, headerRows, commentRows, delimiter) and encoding, which were
taken, and reasons, an object of why encoding, delimiter and header were.
Errors: OD404, OD406, OD409, OD422, OD401 as of catalogue.contents_page().
Source: Files and their contents';

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
Source: Files and their contents';

CREATE FUNCTION catalogue.contents_sheets(file text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_contents_sheets';
COMMENT ON FUNCTION catalogue.contents_sheets(text, text, jsonb, text) IS
'List the sheets of a file
Arguments: file, actor, known: as for catalogue.contents_page().  query: version.
Returns: data is an array of objects: number, name, hidden, default (it is the one that is meant where none is named:
that of the option sheet of parseOptions, else the first that is not hidden), rows, badRows, columns (how many),
details (what was found out about the form).
Errors: OD404, OD406, OD409, OD422, OD401 as of catalogue.contents_page().
Source: Files and their contents';

CREATE FUNCTION catalogue.file_resources(file text, relations text DEFAULT 'ids', actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    query   CONSTANT text := 'limit=1000000'; -- reduced to catalogue.max_limit
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
Source: Files and their contents';
