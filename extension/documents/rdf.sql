-- RDF: a set of triples as JSON-LD, Turtle and RDF/XML.  Nothing here knows a record.
-- Decisions: docs/explanation/decisions.md#extensiondocuments

CREATE TYPE catalogue.triple AS (subject text, predicate text, object text, kind text);
COMMENT ON TYPE catalogue.triple IS
    'Statement of RDF. subject is an IRI, predicate a prefixed name. kind says what object is: iri; name, a prefixed '
    'name; text; @ and a language, a text in it; or the prefixed name of a data type, a literal of it';

-- Return an address as an IRI; part of catalogue.catalog().  Arguments: address: http:, https:, ftp:, mailto:, tel: or
-- urn:, in any spelling. Characters that an IRI may not have, and all beyond ASCII, are percent-encoded, letter by
-- letter: a text of more than 2,000 is no address.
CREATE FUNCTION catalogue.rdf_iri(address text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_rdf_iri';

CREATE FUNCTION catalogue.rdf_write(triples catalogue.triple[], format text DEFAULT 'jsonld') RETURNS text
    LANGUAGE c IMMUTABLE AS 'MODULE_PATHNAME', 'catalogue_rdf_write';
COMMENT ON FUNCTION catalogue.rdf_write(catalogue.triple[], text) IS
'Return triples in a format of RDF
Arguments: triples, in the order of the answer; one without subject or object is left out, one that is repeated is
written once.  format: jsonld, turtle or rdfxml.
Returns: the text of the document, of the same triples in each format.  NULL for an unknown format.';
