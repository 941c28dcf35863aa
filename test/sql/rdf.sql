--
-- rdf: triples as JSON-LD, Turtle and RDF/XML, with texts and addresses of every kind
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Addresses become IRIs: other characters are percent-encoded, once.  Unaligned, since the width of a mark of direction
-- depends on the version of psql.
\pset format unaligned
SELECT address, catalogue.rdf_iri(address) AS iri
FROM unnest(ARRAY['https://data.example.org/a?b=c&d#e', 'HTTPS://data.example.org', ' http://a.example/b ',
    'http://a.example/a b', 'http://a.example/ñandú', 'http://a.example/%7B{}|\^`<>"', 'http://a.example/100%',
    'http://a.example/a#b#c', 'http://[2001:db8::1]:8080/[x]', E'http://a.example/\u202Ea', E'http://a.example/\u0001',
    'http://ñandú.example/', 'mailto:desk@example.org', 'tel:+1-555', 'urn:isbn:0451450523',
    'ftp://a.example/b', 'http://a.example/%4é', 'http://[::1]', 'URN:a-1:b', 'mailto:ñ@example.org']) address;
\pset format aligned
-- These are none.
SELECT address, catalogue.rdf_iri(address) AS iri
FROM unnest(ARRAY['', 'a', 'http:', 'http://', 'http:///a', 'http://a b/', 'http://[x]/', 'http://a]b/', 'mailto:a',
    'javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '//a.example/', 'dcat:Dataset', 'urn:x',
    'http://[::1]x/', 'http://@a.example/', E'http://a\u3000b/', E'http://a\u0085b/', 'mailto:a@', 'tel:x', NULL])
    address;

-- Each kind of object, and texts that the formats write in different ways.
CREATE FUNCTION sample() RETURNS catalogue.triple[] LANGUAGE sql AS
$$
    SELECT array_agg(('http://a.example/s?x&y', p, o, k)::catalogue.triple ORDER BY n)
    FROM (VALUES (1, 'rdf:type', 'dcat:Dataset', 'name'), (2, 'dct:title', 'plain', 'text'),
        (3, 'dct:title', E'"quotes" \\ back\\slash, tab\t, line\nfeed, return\rend', '@es'),
        (4, 'dct:title', '<b>&amp;</b> ]]> {{x}} $1 %s \u0041', 'text'),
        (5, 'dct:title', E'bell \u0007 \uFFFE', 'text'),
        (6, 'dct:title', 'עברית ‮ 👩‍👩‍👧 e', '@he'), (7, 'dct:issued', '2026-01-31', 'xsd:date'),
        (8, 'dct:license', 'https://a.example/?a=1&b=''2''', 'iri'), (9, 'dct:title', 'plain', 'text'),
        (10, 'dct:title', NULL, 'text'), (11, 'dct:title', '', 'text')) t(n, p, o, k)
$$;
\pset format unaligned
SELECT catalogue.rdf_write(sample());
SELECT catalogue.rdf_write(sample(), 'turtle');
SELECT catalogue.rdf_write(sample(), 'rdfxml');
-- They are JSON and XML, with 10,000 characters as well.
SELECT length(catalogue.rdf_write(t, 'jsonld')::json #>> '{@graph,0,dct:title}') AS json,
    length((xpath('//*[local-name() = "title"]/text()', catalogue.rdf_write(t, 'rdfxml')::xml))[1]::text) AS xml,
    length(substring(catalogue.rdf_write(t, 'turtle') FROM '"(ñ+)"')) AS turtle
FROM (SELECT ARRAY[('http://a.example/', 'dct:title', repeat('ñ', 10000), 'text')::catalogue.triple] AS t) x;
-- No triples, and no such format.
SELECT catalogue.rdf_write('{}') AS jsonld;
SELECT catalogue.rdf_write('{}', 'turtle') ~ '^(@prefix [a-z]+: <[^>]+> \.\n)+$' AS turtle,
    catalogue.rdf_write('{}', 'rdfxml')::xml IS DOCUMENT AS rdfxml, catalogue.rdf_write(sample(), 'n3') AS n3;
-- An address has 2,000 characters at most: each is looked at alone.
SELECT length(catalogue.rdf_iri('http://a.example/' || repeat('ñ', 1983))) AS longest,
    catalogue.rdf_iri('http://a.example/' || repeat('%', 1984)) AS longer;
