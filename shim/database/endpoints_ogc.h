/*
 * endpoints_ogc.h - the rows of endpoints.h with the paths of OGC API - Features.
 */
/* clang-format off */
ENDPOINT(GET, "/ogc", NULL, DOCUMENT, OGC, "ogc", SLOW, NONE, "Read what leads to the places, by OGC API - Features", QUERY, BASE)
ENDPOINT(GET, "/ogc/conformance", NULL, DOCUMENT, OGC_CONFORMANCE, "ogc_conformance", KEYED, NONE, "Read what /ogc conforms to", QUERY)
ENDPOINT(GET, "/ogc/api", NULL, DOCUMENT, OGC_API, "ogc_api", SLOW, NONE, "Read the OpenAPI document of /ogc", QUERY, BASE)
ENDPOINT(GET, "/ogc/collections", NULL, DOCUMENT, OGC_COLLECTIONS, "ogc_collections", SLOW, NONE, "List the sheets with places as collections", QUERY, BASE, ACTOR, KNOWN)
ENDPOINT(GET, "/ogc/collections/:id", NULL, DOCUMENT, OGC_COLLECTION, "ogc_collection", SLOW, NONE, "Read what is known of a collection", ID, QUERY, BASE, ACTOR, KNOWN)
ENDPOINT(GET, "/ogc/collections/:id/items", NULL, DOCUMENT, OGC_ITEMS, "ogc_items", SLOW, NONE, "Read rows with places as features", ID, QUERY, BASE, ACTOR, KNOWN)
ENDPOINT(GET, "/ogc/collections/:id/items/:row", NULL, DOCUMENT, OGC_ITEM, "ogc_item", SLOW, NONE, "Read a row as a feature", ID, FORM, QUERY, BASE, ACTOR, KNOWN)
