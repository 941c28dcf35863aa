-- Maps: points, tiles and pictures, made of the rows of a file.

CREATE FUNCTION catalogue.map_geojson(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_map_geojson';
COMMENT ON FUNCTION catalogue.map_geojson(text, text, jsonb, text) IS
'Return the features of a map as GeoJSON
Arguments: map, its id or slug.  query, as in a URL behind the ?: bbox, west,south,east,north in degrees, for the
features that are in that rectangle, also in part, which crosses the antimeridian where west is greater than east;
near and within, of a map that is made of rows, as for catalogue.contents_page();
properties, the names of those to show, with commas between; types, true for values by the types of their columns, which
are texts else; simplify, metres that lines and areas of rows may be off, by PostGIS; limit, how many features; version.
actor, known: as for catalogue.contents_page().
Returns: data is a FeatureCollection (RFC 7946); the id of a feature is the number of its row.
Errors: OD404 no such map; OD406 places of lines and areas, or simplify, without PostGIS; OD409 it has no places; OD413
more than 8 MiB are made of rows; OD422 a parameter''s value; OD401 the actor''s user may not log in.
Source: Maps';

CREATE FUNCTION catalogue.map_geojson_export(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS SETOF catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_map_geojson_export';
COMMENT ON FUNCTION catalogue.map_geojson_export(text, text, jsonb, text) IS
'Return the features of a map as GeoJSON, in pieces
Call it in the target list, SELECT catalogue.map_geojson_export(...): in FROM all pieces are made before the first is
returned.
Arguments: as for catalogue.map_geojson().
Returns: data is a piece of the text of the collection, of any length. The first row has the version and the entity tag,
and data is NULL in it, the only one, where the state is known.
Errors: as of catalogue.map_geojson() but OD413.
Source: Maps';

CREATE FUNCTION catalogue.map_geojson_head(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply LANGUAGE sql STABLE AS
$$
    SELECT catalogue.map_geojson_export($1, $2, $3, $4) LIMIT 1;
$$;
COMMENT ON FUNCTION catalogue.map_geojson_head(text, text, jsonb, text) IS
'Return the first row of catalogue.map_geojson_export()
Arguments: as for catalogue.map_geojson().  Errors: as there.
Returns: data is the first piece; NULL where the state is known.';

CREATE FUNCTION catalogue.map_tile(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL, tile text DEFAULT '0/0/0')
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_map_tile';
COMMENT ON FUNCTION catalogue.map_tile(text, text, jsonb, text, text) IS
'Return a vector tile of a map
Arguments: map, its id or slug.  query: version.  actor, known: as for catalogue.contents_page().  tile: zoom/x/y in
the Web Mercator projection, zoom from 0 to 22, x from the west and y from the north; .mvt may follow.
Returns: data is the tile, a Mapbox Vector Tile 2.1, as base64url text; empty if it has nothing. Its layer "points"
has a point for each row, with the number of the row as its id; of more than 1,000 rows those in one cell of a grid of
64 by 64 are one point, without an id. Property count is the number of rows, class that of their colour if they have one
in common. Layer "shapes" has the lines and areas that
are longer than two of 256 parts of the tile, with the number of the row as id, and of outlines of another file the last
row; layer "points" has the others.
Errors: OD400 there is no such tile; OD404 no such map; OD406 it has lines or areas, and PostGIS is not installed; OD409
it has no places; OD422 a parameter''s value; OD401 the actor''s user may not log in.
Source: Maps';

CREATE FUNCTION catalogue.map_issues(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_map_issues';
COMMENT ON FUNCTION catalogue.map_issues(text, text, jsonb, text) IS
'List the rows of a file that have no place on its map
Arguments: map, actor, known: as for catalogue.map_geojson().  query: limit, skip, version.
Returns: data is an array of objects: row, its number from 1, null for what concerns the whole map; reason.
Errors: OD404 no such map, or its file has no bytes; OD406 the file''s type is not read; OD409 it is still to be read,
or could not be; OD422 a parameter''s value; OD401 the actor''s user may not log in.
Source: Maps';

CREATE FUNCTION catalogue.map_svg(map text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_map_svg';
COMMENT ON FUNCTION catalogue.map_svg(text, text, jsonb, text) IS
'Draw a map as SVG
Arguments: map, actor, known: as for catalogue.map_geojson().  query: version; lang, as of catalogue.chart_svg().
Returns: data is the text of an SVG document as of catalogue.chart_svg(): the points, lines and areas of the map, with
lines of round degrees and a scale bar, without a background.
Errors: OD404 no such map; OD409 it has no places; OD422 a parameter''s value; OD401 the actor''s user may not log in.
Source: Maps';

-- Read a number of JSON; part of map_geojson().  Returns: NULL for one that is too great.
CREATE FUNCTION catalogue.number_of(content text) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN length($1) > 1000 OR $1 ~* 'e[-+]?[0-9]{4}' THEN NULL
        WHEN abs($1::numeric) < 3e-324 THEN 0
        WHEN abs($1::numeric) <= 1.7976931348623157e308 THEN $1::float8 END;
END;

-- List the features of GeoJSON; part of map_geojson().  Returns: n, its number; feature; longitude and latitude of a
-- point, NULL for another geometry; row, its id, 0 for none.
CREATE FUNCTION catalogue.geojson_points(collection json, OUT n bigint, OUT feature json, OUT longitude float8,
    OUT latitude float8, OUT "row" integer) RETURNS SETOF record LANGUAGE sql IMMUTABLE AS
$$
    SELECT f.n, f.feature, p.longitude, p.latitude, coalesce(CASE json_typeof(f.feature -> 'id') WHEN 'number'
        THEN substring(f.feature ->> 'id' FROM '^-?[0-9]{1,9}') END, '0')::integer
    FROM json_array_elements(CASE json_typeof($1 -> 'features') WHEN 'array' THEN $1 -> 'features' ELSE '[]' END)
            WITH ORDINALITY f(feature, n)
        LEFT JOIN LATERAL (SELECT catalogue.number_of(c ->> 0) AS longitude, catalogue.number_of(c ->> 1) AS latitude
            FROM (SELECT f.feature -> 'geometry' -> 'coordinates') p(c)
            WHERE json_typeof(c) = 'array' AND json_typeof(c -> 0) = 'number' AND json_typeof(c -> 1) = 'number') p
        ON true;
$$;

-- Return some features of GeoJSON; part of map_geojson().  Arguments: collection.  bounds, west, south, east and north
-- of the points to give, NULL: all.  names of the properties to give, NULL: all.  most, how many features, NULL: all.
-- Returns: the features with commas between; NULL for other JSON than a collection.
CREATE FUNCTION catalogue.cut_features(collection json, bounds float8[], names text[], most bigint) RETURNS text
    LANGUAGE sql IMMUTABLE SET jit = off AS
$$
    SELECT CASE json_typeof($1 -> 'features') WHEN 'array' THEN (
        SELECT coalesce(string_agg(CASE WHEN $3 IS NULL THEN p.feature::text ELSE o.text END, ',' ORDER BY p.n), '')
        FROM (SELECT * FROM catalogue.geojson_points($1) g
              WHERE $2 IS NULL OR g.longitude IS NULL OR g.latitude IS NULL OR g.latitude BETWEEN $2[2] AND $2[4]
                  AND CASE WHEN $2[1] <= $2[3] THEN g.longitude BETWEEN $2[1] AND $2[3]
                      ELSE g.longitude >= $2[1] OR g.longitude <= $2[3] END
              ORDER BY g.n LIMIT $4) p, LATERAL (
            SELECT concat('{', string_agg(concat(to_json(m.key), ':', CASE m.key WHEN 'properties' THEN (
                    SELECT concat('{', string_agg(concat(to_json(q.key), ':', q.value), ',' ORDER BY q.n), '}')
                    FROM json_each(CASE json_typeof(m.value) WHEN 'object' THEN m.value ELSE '{}' END)
                        WITH ORDINALITY q(key, value, n) WHERE q.key = ANY ($3))
                ELSE m.value::text END), ',' ORDER BY m.n), '}')
            FROM json_each(CASE WHEN $3 IS NOT NULL AND json_typeof(p.feature) = 'object' THEN p.feature ELSE '{}' END)
                WITH ORDINALITY m(key, value, n)) o(text)) END;
$$;
