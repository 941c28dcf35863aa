/*
 * endpoints_visuals.h - the rows of endpoints.h with what is made of maps and charts.
 */
/* clang-format off */
ENDPOINT(GET, "/maps/:id/geojson", NULL, DOCUMENT, MAP_GEOJSON, "map_geojson", SLOW, NONE, "Read the features of a map", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/maps/:id/image", NULL, DOCUMENT, MAP_SVG, "map_svg", SLOW, NONE, "Draw a map", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/maps/:id/issues", NULL, ROWS, MAP_ISSUES, "map_issues", SLOW, NONE, "List the rows that are no points of a map", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/charts/:id/data", NULL, PLAIN, CHART_DATA, "chart_data", PAGE, NONE, "Read the values of a chart", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/charts/:id/image", NULL, DOCUMENT, CHART_SVG, "chart_svg", SLOW, NONE, "Draw a chart", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/maps/:id/download/:format", NULL, BYTES, MAP_DOWNLOAD, "map_download", SLOW, NONE, "Read a map as a geographic file", ID, FORM, QUERY, ACTOR)
ENDPOINT(GET, "/charts/:id/image/:format", NULL, BYTES, PICTURE, "picture", SLOW, NONE, "Read a picture as PNG", RESOURCE, ID, FORM, QUERY, ACTOR)
PATH(GET, "/maps/:id/image/:format", NULL, BYTES, PICTURE)
PATH(GET, "/files/:id/image/:format", NULL, BYTES, PICTURE)
ENDPOINT(GET, "/maps/:id/tiles/:zoom/:x/:y", NULL, TILE, MAP_TILE, "map_tile", SLOW, NONE, "Read a vector tile of a map", ID, QUERY, ACTOR, KNOWN, FORM)

/* what the shim calls for features that are too long to be given at once */
CALL(MAP_GEOJSON_EXPORT, "map_geojson_export", STREAM, NONE, NULL, ID, QUERY, ACTOR, KNOWN)
CALL(MAP_GEOJSON_HEAD, "map_geojson_head", SLOW, NONE, NULL, ID, QUERY, ACTOR, KNOWN)
