-- Rows of files with places, as the items of OGC API - Features.

-- Check that the query of a document has f=json, or nothing.  Errors: OD422 another parameter.
CREATE FUNCTION catalogue.ogc_require(query text) RETURNS void
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_ogc_require';
COMMENT ON FUNCTION catalogue.ogc_require(text) IS 'Check the query of a document; part of catalogue.ogc_collections()';

CREATE FUNCTION catalogue.ogc_items(collection text, query text DEFAULT '', base text DEFAULT '',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_ogc_items';
COMMENT ON FUNCTION catalogue.ogc_items(text, text, text, jsonb, text) IS
'Return rows of a sheet as features of OGC API - Features
Arguments: collection, the id of a file, and a colon and the number of a sheet unless it is the first one.  query: bbox
as for catalogue.contents_page(); limit, 10 unless given; datetime, an instant or a date, or two with a slash between,
of which one may be "..", for the first column of dates or instants, if there is one; after, the row that the page
begins behind; f, json; columns filter as there, all required, texts as a whole.  base, address of the service, without
a slash at the end.  actor, known: as for catalogue.contents_page().
Returns: data is a GeoJSON object: features, of the rows with a place, values by their types; numberReturned;
numberMatched, where that can be known without PostGIS or it is there; timeStamp, the instant of the newest change that
is seen; links.
Errors: OD404 no such file or sheet, or it has no places; OD406, OD409, OD401 as of catalogue.contents_page(); OD422 a
parameter''s value, or another parameter.
Source: Geography';

CREATE FUNCTION catalogue.ogc_item(collection text, item text, query text DEFAULT '', base text DEFAULT '',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_ogc_item';
COMMENT ON FUNCTION catalogue.ogc_item(text, text, text, text, jsonb, text) IS
'Return a row of a sheet as a feature of OGC API - Features
Arguments: collection, base, actor, known: as for catalogue.ogc_items().  item, the number of the row.  query: f, json.
Returns: data is a GeoJSON feature with links.
Errors: as of catalogue.ogc_items(); OD404 no such row, or it has no place.
Source: Geography';
