-- RDF: a set of triples as JSON-LD, Turtle and RDF/XML.  Nothing here knows a record.
-- Decisions: docs/explanation/decisions.md#extensiondocuments

CREATE TYPE catalogue.triple AS (subject text, predicate text, object text, kind text);
COMMENT ON TYPE catalogue.triple IS
    'Statement of RDF. subject is an IRI, predicate a prefixed name. kind says what object is: iri; name, a prefixed '
    'name; text; @ and a language, a text in it; or the prefixed name of a data type, a literal of it';

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

CREATE FUNCTION catalogue.rdf_write(triples catalogue.triple[], format text DEFAULT 'jsonld') RETURNS text
    LANGUAGE c IMMUTABLE AS 'MODULE_PATHNAME', 'catalogue_rdf_write';
COMMENT ON FUNCTION catalogue.rdf_write(catalogue.triple[], text) IS
'Return triples in a format of RDF
Arguments: triples, in the order of the answer; one without subject or object is left out, one that is repeated is
written once.  format: jsonld, turtle or rdfxml.
Returns: the text of the document, of the same triples in each format.  NULL for an unknown format.';
