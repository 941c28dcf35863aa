--
-- import_sniff: an import of what is neither JSON nor RDF says what came, and where a catalogue may be
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\pset format unaligned
\pset tuples_only on

-- What is said of a text, as document of an import and as that of a harvest.
CREATE FUNCTION said(document text) RETURNS text LANGUAGE sql AS
$$
    SELECT concat_ws(' ', i.code, regexp_replace(i.message, '^the document is not imported: ', ''),
        CASE WHEN h.message <> regexp_replace(i.message, '^the document is not imported: ', '') THEN
            '| ' || h.message END)
    FROM refusal(format('SELECT catalogue.import(%L, admin())',
            json_build_object('source', 's', 'document', document))) i,
        refusal(format('SELECT catalogue.document_json(%L)', document)) h
$$;

-- Forms.
SELECT d, said(d)
FROM unnest(ARRAY['', E' \n\t', '<!DOCTYPE html><p>', E'\uFEFF\n<!-- a --><HTML lang=en>',
    '<?xml version="1.0"?><html/>', '<body>',
    '<?xml version="1.0"?><gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"/>',
    '<csw:GetRecordsResponse><gmd:x xmlns:gmd="http://www.isotc211.org/2005/gmd"/>',
    '<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115/-3/mdb/2.0"/>', '<rss version="2.0"></rss>',
    '<!DOCTYPE a [<!ENTITY b "c">]><a>', '<a"b>', '<' || repeat('x', 100) || '>', '<ä>', E'id,name\n1,a\n',
    E'a;b\r\n1;2', E'"a","b"\n"1","2"', E'a\tb\n1\t2', 'Not found', '%PDF-1.4',
    E'a, b\nand so on', '<', '<!--', '<?xml', '<!DOCTYPE'])
    d;
-- what may be JSON or RDF has the message of before
SELECT d, said(d)
FROM unnest(ARRAY['7', 'true', '"a"', '"a, b"', '{', '[1', '@prefix a: <b> .', '<http://a.example/> a <b> .',
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>', '# a comment']) d;

-- Links in the head of a page that lead to a catalogue: the first three, with their types; others are left out.
SELECT said('<!doctype html><head>' || d)
FROM unnest(ARRAY['<link rel="alternate" type="text/turtle" href="/catalog.ttl">',
    '<LINK HREF=a.json TYPE=application/ld+json REL=Alternate>', '<link rel=''x alternate'' type="application/rdf+xml;
        charset=utf-8" href = ''https://b.example/c?a=1&amp;b=2'' />',
    (SELECT string_agg(format('<link rel=alternate type=application/json href=/%s>', n), '')
     FROM generate_series(1, 9) n),
    '<link rel="stylesheet" type="text/turtle" href="/a">', '<link rel="alternate" type="text/html" href="/a">',
    '<link rel="alternate" type="text/turtle">', '<link rel="alternate" type="text/turtle" href="">',
    '<link rel="alternate" type="text/turtle" href="/<script>">',
    '<link rel="alternate" type="text/turtle" href="/a b">',
    '<link rel="alternate" type="text/turtle" href="/' || repeat('x', 100) || '">',
    '<link rel="alternate" type="text/turtle" href="/&quot;ü">',
    '<!-- <link rel=alternate type=text/turtle href=/a> -->',
    '<script>"<link rel=alternate type=text/turtle href=/a>"</script>',
    '<linked rel=alternate type=text/turtle href=/a>',
    '</head><link rel=alternate type=text/turtle href=/a>', '<body><link rel=alternate type=text/turtle href=/a>',
    '<link rel=alternate type=text/turtle href="/a', '<link rel=alternate type=', '<link =/=>', '<link rel']) d;
-- a page without end takes neither time nor memory
SELECT length(said('<html>' || repeat('<link rel=alternate a="', 40000))),
    length(said('<html>' || repeat('<!-- ', 100000))), length(said('<a ' || repeat('<?', 200000)));
SELECT 'MB at most: ' || ceil((regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::int / 512000.0)
    * 500;
