--
-- chunks: rows as they are packed; every byte of a chunk is checked when it is stored and when it is read
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
SELECT make_file('Readings', 'Air') AS file \gset

-- A chunk made by hand, as extension/rows/sheets/chunk.h says: numbers of four bytes, lowest first; then lengths and
-- bytes of each column.
CREATE FUNCTION number(n bigint) RETURNS bytea LANGUAGE sql AS
$$
    SELECT set_byte(set_byte(set_byte(set_byte('\x00000000'::bytea, 0, (n & 255)::int), 1, (n >> 8 & 255)::int), 2,
        (n >> 16 & 255)::int),
        3, (n >> 24 & 255)::int)
$$;
CREATE FUNCTION chunk(rows bigint, sections bytea[], format bytea DEFAULT '\x01') RETURNS bytea LANGUAGE sql AS
$$
    SELECT format || number(rows) || number(cardinality(sections)) || number(13 + 4 * cardinality(sections))
        || string_agg(number(13 + 4 * cardinality(sections) + (SELECT sum(length(s)) FROM unnest(sections[:n]) s)), ''
            ORDER BY n)
            || string_agg(section, '' ORDER BY n)
    FROM unnest(sections) WITH ORDINALITY e(section, n)
$$;
-- Store one chunk as the contents of the file, and read it.
CREATE FUNCTION stored(file text, rows integer, data bytea,
    columns text DEFAULT '[{"name":"a","type":"text"},{"name":"b","type":"text"}]')
    RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    revision  bigint := catalogue.contents_begin(file);
    sheet     bigint := catalogue.contents_sheet(file, revision, 1, '', false);
BEGIN
    PERFORM catalogue.contents_add(sheet, 1, rows, data);
    PERFORM catalogue.contents_sheet_end(sheet, format('{"rows":%s,"columns":%s}', rows, columns)::json);
    PERFORM catalogue.contents_publish(file, revision);
    RETURN (catalogue.contents_page(file)).data;
END
$$;

-- Two rows of two columns: "x" and "ñu", "" and a cell that is not there.
\set good 'chunk(2, ARRAY[''\\x020478c3b175'', ''\\x0100'']::bytea[])'
SELECT :good;
SELECT stored(:'file', 2, :good);

-- A column that a chunk does not have, as a file may have found it later, has no cells in it.
SELECT stored(:'file', 2, :good, '[{"name":"a","type":"text"},{"name":"b","type":"text"},{"name":"c","type":"text"}]');

-- A cell of more than 127 bytes has a length of two bytes, one of the greatest length three.
SELECT length(stored(:'file', 1, chunk(1, ARRAY['\x9102'::bytea || convert_to(repeat('x', 272), 'UTF8')]))) AS length;
SELECT length(stored(:'file', 1,
    chunk(1, ARRAY['\x818040'::bytea || convert_to(repeat('x', 1048576), 'UTF8')]))) AS length;
-- A longer one, as geometries have it, is kept, and not given as text.
SELECT stored(:'file', 1, chunk(1, ARRAY['\x828040'::bytea || convert_to(repeat('x', 1048577), 'UTF8')]));

-- No chunk at all; another format; other numbers of rows.
SELECT (refusal(format('SELECT stored(%L, 2, %L)', :'file', d))).*
FROM unnest(ARRAY['\x', '\x01', '\x0100', set_byte(:good, 0, 2), set_byte(:good, 0, 0)]::bytea[]) d;
SELECT rows, (refusal(format('SELECT stored(%L, %s, %L)', :'file', rows, :good))).detail
FROM unnest(ARRAY[0, -1, 1, 3, 4001]) rows;
SELECT (refusal(format('SELECT stored(%L, 4001, %L)', :'file',
    chunk(4001, ARRAY[decode(repeat('00', 4001), 'hex')])))).detail;
SELECT (refusal(format('SELECT stored(%L, 2, %L)', :'file', overlay(:good placing number(16385) from 6)))).detail;

-- Columns that are not where they should be: cut off, overlapping, behind the end.
SELECT at,
       (refusal(format('SELECT stored(%L, 2, %L)', :'file', overlay(:good placing number(value) from at + 1)))).detail
FROM (VALUES (9, 20), (9, 4294967295), (13, 20), (13, 4294967295), (13, 100), (17, 28), (17, 30), (17, 0)) v(at, value);

-- Lengths that do not fill the section, or do not end, or are those of no cell.
SELECT d, (refusal(format('SELECT stored(%L, 2, %L)', :'file', chunk(2, ARRAY[d]::bytea[])))).detail
FROM unnest(ARRAY['\x', '\x02', '\x0202', '\x020261', '\x0202616161', '\x8080', '\x80808080800061', '\xffffff7f0061',
    '\x82808008']::bytea[]) d;

-- Texts that are none: half a letter, a letter split between two cells, a byte 0, what is no UTF-8.
SELECT d, (refusal(format('SELECT stored(%L, 2, %L)', :'file', chunk(2, ARRAY[d]::bytea[])))).detail
FROM unnest(ARRAY['\x0200c3', '\x0202c3b1', '\x020061'::bytea, '\x020000', '\x0300c080', '\x0400eda080',
    '\x0500f4908080']::bytea[]) d;

-- Any byte of a good chunk may be any other: it is refused, or read, and never more than that.
SELECT count(*) AS tried, count(*) FILTER (WHERE code = '00000') > 0 AS some_read,
       array_agg(DISTINCT code ORDER BY code) AS codes
FROM generate_series(0, length(:good) - 1) at, unnest(ARRAY[0, 1, 2, 3, 127, 128, 192, 255]) value,
    LATERAL refusal(format('SELECT stored(%L, 2, %L)', :'file', set_byte(:good, at, value)));
-- So may be cut off anywhere.
SELECT count(*) AS tried, array_agg(DISTINCT code) AS codes
FROM generate_series(0, length(:good) - 1) at,
    LATERAL refusal(format('SELECT stored(%L, 2, %L)', :'file', substr(:good, 1, at)));

-- What was damaged behind the back of the functions is found when it is read, by whatever reads it; a page that was
-- made before is kept.
SELECT stored(:'file', 2, :good) IS NOT NULL AS stored;
CREATE FUNCTION codes(file text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(DISTINCT code, ', ' ORDER BY code)
    FROM unnest(ARRAY['SELECT count(*) FROM catalogue.contents(%L)',
        'SELECT count(*) FROM catalogue.contents(%L, ''a=x'')',
        'SELECT count(*) FROM catalogue.contents(%L, ''orderBy=b'')',
        'SELECT count(*) FROM (SELECT catalogue.contents_export(%L)) s']) q, LATERAL refusal(format(q, file))
$$;
CREATE TABLE good AS SELECT * FROM catalogue.sheet_chunk WHERE sheet = (SELECT max(sheet) FROM catalogue.sheet_chunk);
SELECT codes(:'file');
CREATE FUNCTION damaged(file text, at integer, value integer) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.sheet_chunk c
    SET data = set_byte(g.data, at, value)
    FROM good g
    WHERE g.sheet = c.sheet AND g.first = c.first;
    RETURN codes(file);
END
$$;
SELECT at, value, damaged(:'file', at, value)
FROM (VALUES (0, 0), (1, 3), (5, 255), (9, 0), (13, 255), (17, 255), (22, 200)) v(at, value);

-- Rows that are gone are missed.
SELECT catalogue.contents_load(:'file',
    (SELECT json_agg(json_build_object('a', n, 'b', n)) FROM generate_series(1, 9000) n)) IS NOT NULL AS loaded;
DELETE FROM catalogue.sheet_chunk WHERE first = 4001;
SELECT (refusal(format('SELECT catalogue.contents_page(%L, ''skip=5000'')', :'file'))).*;
SELECT (refusal(format('SELECT count(*) FROM catalogue.contents(%L)', :'file'))).*;
SELECT (refusal(format('SELECT catalogue.contents_page(%L, ''a=5'')', :'file'))).code;

-- Rows follow each other from the first on.
SELECT catalogue.contents_begin(:'file') AS revision \gset
SELECT catalogue.contents_sheet(:'file', :revision, 1, 'x', false) AS sheet \gset
SELECT (refusal(format('SELECT catalogue.contents_add(%s, 2, 2, %L)', :sheet, :good))).*;
SELECT catalogue.contents_add(:sheet, 1, 2, :good);
SELECT (refusal(format('SELECT catalogue.contents_add(%s, %s, 2, %L)', :sheet, first, :good))).message
FROM unnest(ARRAY[1, 2, 4, -1]) first;
SELECT catalogue.contents_add(:sheet, 3, 2, :good);

-- The end of a sheet says how many there are.
SELECT summary, (refusal(format('SELECT catalogue.contents_sheet_end(%s, %L)', :sheet, summary))).message
FROM unnest(ARRAY['{}', '{"rows":3,"columns":[]}', '{"rows":4}', '{"rows":4,"columns":{}}',
    '{"rows":4,"columns":[]}']) summary;
SELECT (refusal(format('SELECT catalogue.contents_sheet_end(%s, %L)', -1, '{"rows":0,"columns":[]}'))).message;

-- Numbers of sheets and of faults have bounds; a number is there once.
SELECT n, (refusal(format('SELECT catalogue.contents_sheet(%L, %s, %s, '''', false)', :'file', :revision, n))).message
FROM unnest(ARRAY[0, 257, 256, 1]) n;
SELECT n, (refusal(format('SELECT catalogue.contents_issue(%s, %s, 1, ''too long'')', :sheet, n))).message
FROM unnest(ARRAY[0, 1001, 1000]) n;

-- The file must be there, and a job that a reading is for must be running.
SELECT (refusal('SELECT catalogue.contents_begin(''nonesuch'')')).*;
SELECT (refusal(format('SELECT catalogue.contents_begin(%L, ''nonesuch'')', :'file'))).*;
SELECT (refusal(format('SELECT catalogue.contents_publish(%L, NULL)', :'file'))).*;

-- A reading of other bytes than the file has is not shown, and goes; so one that is older than what is shown.
SELECT catalogue.contents_publish(:'file', :revision, 123) AS published;
SELECT count(*) AS sheets FROM catalogue.sheet WHERE revision = :revision;
SELECT catalogue.contents_begin(:'file') AS older \gset
SELECT catalogue.contents_load(:'file', '[["a"],["newer"]]') IS NOT NULL AS loaded;
SELECT catalogue.contents_publish(:'file', :older) AS published;
SELECT (catalogue.contents_page(:'file')).data, parse_state, row_count, bad_rows
FROM catalogue.files
WHERE id = :'file';
