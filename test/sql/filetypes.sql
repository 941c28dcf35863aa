--
-- filetypes: the extension of a name and the bytes tell the type together; what does not agree is refused
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make_dataset('Samples') AS dataset \gset
CREATE FUNCTION fields() RETURNS json LANGUAGE sql AS
$$
    SELECT json_build_object('name', 'sample', 'dataset', test.id_of('datasets', 'Samples'),
        'owner', test.id_of('users', 'admin'),
        'organization', test.id_of('organizations', 'Open Data Office'),
        'updateFrequency', test.id_of('updatefrequencies', 'Daily'))
$$;
-- What becomes of bytes of that name: the type and media type, and whether their rows will be read; or why not.
CREATE FUNCTION sent(name text, bytes bytea) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    answer  record;
    made    text;
BEGIN
    made := (catalogue.upload('files', NULL, $1, $2, test.fields(), test.admin())).id;
    SELECT t.name AS type, f.file_name, s.media_type, f.parse_state INTO answer
    FROM catalogue.files f JOIN catalogue.filetypes t ON t.id = f.type JOIN catalogue.stored_file s ON s.file = f.id
    WHERE f.id = made;
    PERFORM catalogue.delete('files', made, test.admin());
    RETURN format('%s, %s, %s%s', answer.type, answer.file_name, answer.media_type,
        CASE WHEN answer.parse_state = 'pending' THEN ', to be read' END);
EXCEPTION WHEN SQLSTATE 'OD415' THEN
    RETURN 'refused: ' || SQLERRM;
END
$$;

-- A zip file whose entries have these names: what their headers need, and their directory.
CREATE FUNCTION number(value integer, bytes integer) RETURNS bytea
    LANGUAGE sql AS $$
        SELECT string_agg(set_byte('\x00', 0, ($1 >> (8 * i)) & 255), NULL ORDER BY i) FROM generate_series(0, $2 - 1) i
    $$;
CREATE FUNCTION zip(VARIADIC names text[]) RETURNS bytea LANGUAGE sql AS
$$
    SELECT string_agg('\x504b0304'::bytea || decode(repeat('00', 22), 'hex') || number(length(n), 2) || number(0, 2)
        || convert_to(n, 'UTF8'),
        NULL ORDER BY o)
        || string_agg('\x504b0102'::bytea || decode(repeat('00', 24), 'hex') || number(length(n), 2)
            || decode(repeat('00', 16), 'hex') || convert_to(n, 'UTF8'),
            NULL ORDER BY o)
        || '\x504b0506'::bytea || decode(repeat('00', 18), 'hex')
    FROM unnest($1) WITH ORDINALITY e(n, o)
$$;
-- A compound document with a stream of this name in its directory, which is behind some empty sectors.
CREATE FUNCTION wide(name text) RETURNS bytea
    LANGUAGE sql AS $$
        SELECT string_agg(convert_to(c, 'UTF8') || '\x00'::bytea, NULL ORDER BY o)
        FROM regexp_split_to_table($1, '') WITH ORDINALITY e(c, o)
    $$;
CREATE FUNCTION ole(name text, sectors integer DEFAULT 2) RETURNS bytea LANGUAGE sql AS
$$
    SELECT '\xd0cf11e0a1b11ae1'::bytea || decode(repeat('00', 22), 'hex') || '\x0900'::bytea
        || decode(repeat('00', 16), 'hex') || number($2, 4) || decode(repeat('00', 460), 'hex')
        || decode(repeat('00', 512 * $2), 'hex') || wide($1) || decode(repeat('00', 256), 'hex')
$$;

-- Text: any is a table but markup, with a mark of its encoding or without; letter case of the extension does not count.
SELECT name, sent(name, convert_to(content, 'UTF8'))
FROM (VALUES ('a.csv', E'a,b\n1,2\n'), ('A.CSV', 'x'), ('b.csv', '{"a": 1}'), ('c.csv', ''), ('d.csv', E'\uFEFFa;b'),
    ('e.csv', '<a>,<b>'), ('f.csv', E'\n <!DOCTYPE html><p>404'), ('g.csv', '<HTML>'),
    ('h.csv', '<?xml version="1.0"?>')) AS f(name, content);
SELECT sent('utf16.csv', '\xfffe'::bytea || wide('a,b')) AS little, sent('utf16.csv', '\xfeff0061'::bytea) AS big,
       sent('latin.csv', '\x61f1e12c62'::bytea) AS latin, sent('nul.csv', '\x61002c6200'::bytea) AS nul;
-- A zero byte by mistake is no other type, nor are wide characters without a mark; other bytes are.
SELECT name, sent(name, bytes)
FROM (VALUES ('one.csv', E'a,b\n1,'::bytea || '\x00'),
    ('few.csv', convert_to(repeat(E'a,b\n', 20), 'UTF8') || '\x000000'),
    ('utf16le.csv', wide(E'a,b\n')), ('utf16be.csv', '\x0061002c0062'), ('utf32le.csv', '\x610000002c00000062000000'),
    ('utf32be.csv', '\x000000610000002c00000062'), ('zeros.csv', '\x0000000000000000'), ('bytes.csv', '\x0300610101'),
    ('wide.csv', '\x6100010062000300')) AS f(name, bytes);
-- Workbooks with macros and templates are workbooks; a binary one is told.
SELECT name, sent(name, zip('[Content_Types].xml', 'xl/workbook.xml'))
FROM unnest(ARRAY['a.xlsm', 'a.xltx', 'a.XLTM']) name;
SELECT * FROM refusal('SELECT catalogue.upload(''files'', NULL, ''a.xlsb'', ''x'', fields(), admin())');
SELECT name, sent(name, convert_to(content, 'UTF8'))
FROM (VALUES ('a.json', ' {"a": 1}'), ('b.json', '[1]'), ('c.json', 'a,b'),
    ('d.geojson', '{"type": "FeatureCollection"}'), ('e.geojson', '[1]'),
    ('d.kml', '<kml/>'), ('e.kml', 'a,b'),
    ('f.xml', '<a/>'), ('g.xml', 'a,b'), ('h.html', ' <p>'), ('i.htm', '<p>'), ('j.html', 'p'),
    ('k.ics', 'BEGIN:VCALENDAR'), ('l.ics', 'SUMMARY')) AS f(name, content);

-- What is no text, whatever it is called: each where it belongs, and as a table.
SELECT form, sent('a.' || form, bytes) AS by_its_name, sent('a.csv', bytes) AS as_csv, sent('a.zip', bytes) AS as_zip
FROM (VALUES
    ('pdf', '%PDF-1.7'::bytea), ('rar', '\x526172211a0700'), ('shp', '\x0000270a00000000'), ('zip', zip('a.txt')),
        ('xlsx', zip('[Content_Types].xml', 'xl/workbook.xml')), ('xls', ole('Workbook')))
    AS f(form, bytes);

-- Workbooks: a zip file without one, a compound document with other streams, a directory beyond the first row, an old
-- one, a page of HTML.
SELECT sent('a.xlsx', zip('word/document.xml')) AS document, sent('a.xlsx', '\x504b0304'::bytea) AS cut,
       sent('a.xlsx',
           zip('_rels/.rels', repeat('x', 60000), repeat('y', 60000), repeat('z', 60000), repeat('u', 60000),
               repeat('v', 60000), 'xl/workbook.xml')) AS late;
-- a name is searched in its first 512 bytes, since the names of many entries may claim the same 64 KiB
SELECT sent('a.xlsx', zip(repeat('x', 509) || 'xl/')) AS in_it,
       sent('a.xlsx', zip(repeat('x', 510) || 'xl/')) AS behind;
SELECT sent('a.xls', ole('WordDocument')) AS document, sent('a.xls', ole('Book')) AS book,
       sent('a.xls', ole('Workbook', 600)) AS far;
SELECT sent('a.xls', '\x0908080000051000'::bytea) AS biff, sent('a.xls', '<html>'::bytea) AS html,
       sent('a.xls', '\xd0cf11e0a1b11ae1'::bytea) AS cut,
       sent('a.xls', set_byte(ole('Workbook'), 30, 12)) AS wide_sectors;
-- Parts and streams in other letters, with backslashes, in other folders; a sheet of each older Excel; a workbook with
-- a password, and another document that has one.
SELECT sent('a.xlsx', zip('XL\WORKBOOK.XML')) AS letters,
       sent('a.xlsx', zip('[Content_Types].xml', 'office/book.xml')) AS folder,
       sent('a.xlsx', zip('[Content_Types].xml', 'Word/document.xml')) AS document,
       sent('a.xlsx', zip('[Content_Types].xml', 'ppt\presentation.xml')) AS slides;
SELECT name, sent('a.xls', ole(name)) FROM unnest('{WORKBOOK,BOOK,book,WORDDOCUMENT}'::text[]) name;
SELECT age, sent('a.xls', bytes), sent('a.csv', bytes) AS as_csv
FROM (VALUES (2, '\x0900040002001000'::bytea), (3, '\x0902060000031000'), (4, '\x0904060000041000')) AS f(age, bytes);
SELECT name, sent(name, ole('EncryptedPackage')) FROM unnest('{a.xlsx,a.xls,a.docx,a.csv,a.ods}'::text[]) name;

-- Two forms in one file: the first bytes count.
SELECT sent('a.csv', 'GIF89a=1;alert(1)'::bytea) AS script, sent('a.csv', '\x89504e470d0a1a0a'::bytea) AS image,
       sent('a.csv', '\x7f454c46'::bytea) AS program, sent('a.csv', '\x4d5a00'::bytea) AS another,
       sent('a.csv', 'MZ,1') AS letters, sent('a.pdf', '%PDF-1.7<html>'::bytea) AS pdf;

-- No byte at all: a text, and nothing else.
SELECT sent('a.csv', '') AS csv, sent('a.xlsx', '') AS xlsx, sent('a.pdf', '') AS pdf, sent('a.json', '') AS json;

-- Names without an extension, with none that is known, or with more than one.
SELECT name, sent(name, 'a,b')
FROM unnest('{a,a.,.csv,a.exe,a.csv.exe,a.exe.csv,"a.c sv",../../etc/passwd.csv,a.ñ,a.abcdefghijklmnop}'::text[]) name;
SELECT * FROM refusal('SELECT catalogue.upload(''files'', NULL, ''a'', ''x'', fields(), admin())');
SELECT * FROM refusal('SELECT catalogue.upload(''files'', NULL, ''a.exe'', ''x'', fields(), admin())');

-- A type that is added is taken at once; its media types say whether it is text. A program is none of any.
SELECT make('filetypes', '{"name": "gpx", "mimetype": ["application/gpx+xml"]}') IS NOT NULL AS made,
    make('filetypes', '{"name": "dbf", "mimetype": ["application/x-dbf"]}') IS NOT NULL AS made,
    make('filetypes',
        '{"name": "ods", "mimetype": ["application/vnd.oasis.opendocument.spreadsheet"]}') IS NOT NULL AS made,
    make('filetypes', '{"name": "txt", "api": true}') IS NOT NULL AS made,
    make('filetypes', '{"name": "odd", "api": true}') IS NOT NULL AS made;
SELECT sent('a.gpx', '<gpx/>') AS gpx, sent('a.gpx', '\x0300') AS bytes, sent('a.dbf', '\x0300') AS dbf,
       sent('a.dbf', '%PDF-1.7') AS pdf, sent('a.dbf', '\x4d5a9000') AS program;
SELECT sent('a.ods', zip('mimetype', 'content.xml')) AS ods, sent('a.ods', zip('mimetype')) AS other,
       sent('a.txt', 'a b') AS txt, sent('a.odd', 'x') AS odd;

-- One that is not to be read, deactivated or deleted; the state of the type counts, not what was there before.
SELECT mask(id) AS id FROM catalogue.update('filetypes', id_of('filetypes', 'csv'), '{"api": false}', actor => admin());
SELECT sent('a.csv', 'a,b') AS not_read;
SELECT mask(id) AS id FROM catalogue.update('filetypes', id_of('filetypes', 'csv'), '{"api": null}', actor => admin());
SELECT sent('a.csv', 'a,b') AS usual;
SELECT mask(id) AS id FROM catalogue.deactivate('filetypes', id_of('filetypes', 'csv'), actor => admin());
SELECT sent('a.csv', 'a,b') AS deactivated;

-- Images of categories: by their bytes alone; an SVG by its root.
CREATE FUNCTION image(bytes bytea, name text DEFAULT 'x') RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    RETURN (SELECT format('%s, %s', d.data::json ->> 'name', d.data::json ->> 'type')
            FROM catalogue.upload('categories', test.id_of('categories', 'Transport'), $2, $1, '{}', test.admin()) u,
                catalogue.image(u.id, test.admin()) d);
EXCEPTION WHEN SQLSTATE 'OD415' THEN
    RETURN 'refused: ' || SQLERRM;
END
$$;
SELECT image('\x89504e470d0a1a0a00') AS png, image('\xffd8ffe0') AS jpeg, image('\x524946460000000057454250') AS webp,
       image('GIF89a') AS gif, image('%PDF-1.7') AS pdf, image('', 'x.png') AS empty;
SELECT image('<svg xmlns="http://www.w3.org/2000/svg"/>') AS plain,
    image('\xefbbbf'::bytea
        || convert_to(E' <?xml version="1.0"?>\n<!-- <html> -->\n<!DOCTYPE svg PUBLIC "x" "y">\n<SVG>',
            'UTF8')) AS all_of_it,
    image('<svgx/>') AS another, image('<html><svg/></html>') AS html, image('<!-- <svg>') AS cut, image('svg') AS text,
    image('a.svg', 'a.svg') AS by_name;
