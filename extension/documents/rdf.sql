-- RDF: a set of triples as JSON-LD, Turtle and RDF/XML.  Nothing here knows a record.
-- Decisions: docs/explanation/decisions.md#extensiondocuments

CREATE TYPE catalogue.triple AS (subject text, predicate text, object text, kind text);
COMMENT ON TYPE catalogue.triple IS
    'Statement of RDF. subject is an IRI, predicate a prefixed name. kind says what object is: iri; name, a prefixed '
    'name; text; @ and a language, a text in it; or the prefixed name of a data type, a literal of it';

-- Return prefixes of names of RDF; part of catalogue.rdf_write().
CREATE FUNCTION catalogue.rdf_prefixes() RETURNS TABLE (prefix text, iri text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    VALUES ('adms', 'http://www.w3.org/ns/adms#'), ('dcat', 'http://www.w3.org/ns/dcat#'),
           ('dct', 'http://purl.org/dc/terms/'), ('foaf', 'http://xmlns.com/foaf/0.1/'),
           ('gsp', 'http://www.opengis.net/ont/geosparql#'), ('hydra', 'http://www.w3.org/ns/hydra/core#'),
           ('locn', 'http://www.w3.org/ns/locn#'),
           ('org', 'http://www.w3.org/ns/org#'),
           ('rdf', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'),
           ('rdfs', 'http://www.w3.org/2000/01/rdf-schema#'), ('skos', 'http://www.w3.org/2004/02/skos/core#'),
           ('spdx', 'http://spdx.org/rdf/terms#'), ('vcard', 'http://www.w3.org/2006/vcard/ns#'),
           ('wdrs', 'http://www.w3.org/2007/05/powder-s#'), ('xsd', 'http://www.w3.org/2001/XMLSchema#');
END;

-- Return an address as an IRI; part of catalogue.catalog().  Arguments: address: http:, https:, ftp:, mailto:, tel: or
-- urn:, in any spelling. Characters that an IRI may not have, and all beyond ASCII, are percent-encoded, letter by
-- letter: a text of more than 2,000 is no address.
CREATE FUNCTION catalogue.rdf_iri(address text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    plain  CONSTANT text := '^[a-z]+:[A-Za-z0-9._~:/?@!$&''()*+,;=-]+(#[A-Za-z0-9._~:/?@!$&''()*+,;=-]*)?$';
    given  text;
    head   text;
BEGIN
    IF length(address) > 2000 THEN
        RETURN NULL;
    -- most are in their own form
    ELSIF address ~ '^https?://[A-Za-z0-9._~-][A-Za-z0-9._~:/?@!$&''()*+,;=-]*$' THEN
        RETURN address;
    END IF;
    given := regexp_replace(address, '^\s+|\s+$', '', 'g');
    given := lower(split_part(given, ':', 1)) || substr(given, strpos(given || ':', ':'));
    head := substring(given FROM '^(?:https?|ftp)://[^/?#]*');
    IF given !~ '^(https?://[^/?#:@]|ftp://[^/?#:@]|mailto:[^@[:space:]]+@[^@[:space:]]|tel:[+0-9]|urn:[a-z0-9-]+:.)'
        OR head ~ '[[:space:][:cntrl:]<>"{}|\\^`]'
        OR head ~ '[][]' AND head !~ '^[a-z]+://\[[0-9a-fA-F:.]+\](:[0-9]*)?$' THEN
        RETURN NULL;
    END IF;
    IF given ~ plain THEN
        RETURN given;
    END IF;
    SELECT string_agg(CASE
            WHEN e.letter ~ '[A-Za-z0-9._~:/?@!$&''()*+,;=%-]' AND ascii(e.letter) < 128 THEN e.letter
            WHEN e.letter = '#' AND e.n = strpos(given, '#') OR e.letter IN ('[', ']') AND e.n <= length(head)
                THEN e.letter
            ELSE regexp_replace(upper(encode(convert_to(e.letter, 'UTF8'), 'hex')), '(..)', '%\1', 'g') END, ''
        ORDER BY e.n)
    INTO given FROM regexp_split_to_table(given, '') WITH ORDINALITY e(letter, n);
    RETURN regexp_replace(given, '%(?![0-9A-Fa-f]{2})', '%25', 'g');
END
$$;

-- Replace what XML cannot contain; part of catalogue.rdf_write().  XML cannot contain these characters. They are
-- replaced in all formats, which therefore have the same triples.
CREATE FUNCTION catalogue.rdf_text(value text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT regexp_replace(value, U&'[\0001-\0008\000B\000C\000E-\001F\FFFE\FFFF]', U&'\FFFD', 'g');
END;

-- Return each triple once; part of catalogue.rdf_write().  Triples without an object are left out.
CREATE FUNCTION catalogue.rdf_rows(triples catalogue.triple[])
    RETURNS TABLE (subject text, predicate text, object text, kind text, n bigint) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT t.subject, t.predicate, CASE WHEN t.kind IN ('iri', 'name') THEN t.object
            ELSE catalogue.rdf_text(t.object) END,
           t.kind, min(t.n)
    FROM unnest(triples) WITH ORDINALITY t(subject, predicate, object, kind, n)
    WHERE t.subject IS NOT NULL AND t.object IS NOT NULL AND t.kind IS NOT NULL
    GROUP BY 1, 2, 3, 4;
END;

-- Return triples as Turtle; part of catalogue.rdf_write().
CREATE FUNCTION catalogue.rdf_turtle(triples catalogue.triple[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (WITH terms AS (
            SELECT r.subject COLLATE "C" AS subject, r.predicate COLLATE "C" AS predicate, r.n,
                CASE r.kind WHEN 'iri' THEN '<' || r.object || '>'
                    WHEN 'name' THEN r.object
                    -- a string of JSON is one of Turtle
                    ELSE to_json(r.object) || CASE WHEN r.kind = 'text' THEN ''
                        WHEN r.kind LIKE '@%' THEN r.kind ELSE '^^' || r.kind END END AS object
            FROM catalogue.rdf_rows(triples) r ORDER BY 1, 2, 3),
        lists AS (
            SELECT subject, min(n) AS n, E'\n    ' || replace(predicate, 'rdf:type', 'a') || ' '
                || string_agg(object, ', ') AS list
            FROM terms GROUP BY subject, predicate),
        subjects AS (
            SELECT min(n) AS n, E'\n<' || subject || '>' || string_agg(list, ' ;' ORDER BY n) || E' .\n' AS block
            FROM lists GROUP BY subject)
        SELECT (SELECT string_agg(format(E'@prefix %s: <%s> .\n', p.prefix, p.iri), '' ORDER BY p.prefix)
                FROM catalogue.rdf_prefixes() p) || coalesce(string_agg(block, '' ORDER BY n), '')
        FROM subjects);
END
$$;

-- Return triples as RDF/XML; part of catalogue.rdf_write().
CREATE FUNCTION catalogue.rdf_xml(triples catalogue.triple[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (WITH terms AS (
            SELECT r.subject, r.predicate, r.kind, r.n, p.iri,
                   replace(replace(replace(replace(r.object, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), E'\r', '&#13;')
                       AS object
            FROM catalogue.rdf_rows(triples) r
                LEFT JOIN catalogue.rdf_prefixes() p
                    ON p.prefix = split_part(CASE WHEN r.kind = 'name' THEN r.object ELSE r.kind END, ':', 1)),
        elements AS (
            SELECT subject COLLATE "C" AS subject, n, E'\n    <' || predicate || CASE
                WHEN kind = 'iri' THEN ' rdf:resource="' || object || '"/>'
                WHEN kind = 'name' THEN ' rdf:resource="' || iri || split_part(object, ':', 2) || '"/>'
                ELSE CASE WHEN kind = 'text' THEN '' WHEN kind LIKE '@%' THEN ' xml:lang="' || substr(kind, 2) || '"'
                    ELSE ' rdf:datatype="' || iri || split_part(kind, ':', 2) || '"' END
                    || '>' || object || '</' || predicate || '>' END AS element
            FROM terms),
        subjects AS (
            SELECT min(n) AS n, E'\n  <rdf:Description rdf:about="' || replace(subject, '&', '&amp;') || '">'
                || string_agg(element, '' ORDER BY n) || E'\n  </rdf:Description>' AS block
            FROM elements GROUP BY subject)
        SELECT E'<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF'
            || (SELECT string_agg(format(' xmlns:%s="%s"', p.prefix, p.iri), '' ORDER BY p.prefix)
                FROM catalogue.rdf_prefixes() p) || '>' || coalesce(string_agg(block, '' ORDER BY n), '')
            || E'\n</rdf:RDF>\n'
        FROM subjects);
END
$$;

-- Return triples as JSON-LD; part of catalogue.rdf_write().
CREATE FUNCTION catalogue.rdf_json(triples catalogue.triple[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (WITH terms AS (
            SELECT r.subject COLLATE "C" AS subject, r.predicate COLLATE "C" AS predicate, r.n, CASE
                    WHEN r.predicate = 'rdf:type' OR r.kind = 'text' THEN to_json(r.object)::text
                    WHEN r.kind IN ('iri', 'name') THEN '{"@id":' || to_json(r.object) || '}'
                    WHEN r.kind LIKE '@%' THEN '{"@value":' || to_json(r.object) || ',"@language":"'
                        || substr(r.kind, 2) || '"}'
                    ELSE '{"@value":' || to_json(r.object) || ',"@type":"' || r.kind || '"}' END AS object
            FROM catalogue.rdf_rows(triples) r ORDER BY 1, 2, 3),
        members AS (
            SELECT subject, min(n) AS n, ',' || to_json(replace(predicate, 'rdf:type', '@type')) || ':'
                || CASE WHEN count(*) > 1 THEN '[' || string_agg(object, ',') || ']' ELSE min(object) END
                    AS member
            FROM terms GROUP BY subject, predicate),
        subjects AS (
            SELECT min(n) AS n, '{"@id":' || to_json(subject) || string_agg(member, '' ORDER BY n) || '}' AS node
            FROM members GROUP BY subject)
        SELECT '{"@context":{' || (SELECT string_agg(to_json(p.prefix) || ':' || to_json(p.iri), ',' ORDER BY p.prefix)
                FROM catalogue.rdf_prefixes() p) || E'},"@graph":[\n'
            || coalesce(string_agg(node, E',\n' ORDER BY n), '')
            || E'\n]}\n'
        FROM subjects);
END
$$;

CREATE FUNCTION catalogue.rdf_write(triples catalogue.triple[], format text DEFAULT 'jsonld') RETURNS text
    LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN CASE format WHEN 'jsonld' THEN catalogue.rdf_json(triples) WHEN 'turtle' THEN catalogue.rdf_turtle(triples)
        WHEN 'rdfxml' THEN catalogue.rdf_xml(triples) END;
END
$$;
COMMENT ON FUNCTION catalogue.rdf_write(catalogue.triple[], text) IS
'Return triples in a format of RDF
Arguments: triples, in the order of the answer; one without subject or object is left out, one that is repeated is
written once.  format: jsonld, turtle or rdfxml.
Returns: the text of the document, of the same triples in each format.  NULL for an unknown format.';
