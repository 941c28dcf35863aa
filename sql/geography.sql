-- PostGIS: its tables and functions, which are made where it is installed.

-- Make the tables of the geometries; part of add_geography().  Arguments: path, the search_path with PostGIS.
CREATE FUNCTION catalogue.geography_tables(path text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM set_config('search_path', $1, true), set_config('client_min_messages', 'warning', true);
    IF NOT catalogue.has_geography() THEN
        DROP TABLE IF EXISTS catalogue.sheet_layer, catalogue.sheet_shape;
    END IF;
    EXECUTE $table$
        CREATE TABLE IF NOT EXISTS catalogue.sheet_layer (
            sheet    bigint       PRIMARY KEY REFERENCES catalogue.sheet ON DELETE CASCADE,
            shapes   bigint       NOT NULL,
            made_at  timestamptz  NOT NULL DEFAULT now()
        );
        COMMENT ON TABLE catalogue.sheet_layer IS 'A sheet whose geometries are in catalogue.sheet_shape';
        COMMENT ON COLUMN catalogue.sheet_layer.sheet IS 'The sheet';
        COMMENT ON COLUMN catalogue.sheet_layer.shapes IS 'How many of its rows have a place';
        COMMENT ON COLUMN catalogue.sheet_layer.made_at IS 'When they were stored';
        -- without a foreign key, which would be checked for each row: what removes a layer removes them
        CREATE TABLE IF NOT EXISTS catalogue.sheet_shape (
            sheet      bigint                    NOT NULL,
            "row"      bigint                    NOT NULL,
            longitude  float8                    NOT NULL,
            latitude   float8                    NOT NULL,
            size       float8                    NOT NULL,
            shape      geometry(Geometry, 4326)  NOT NULL
        );
        ALTER TABLE catalogue.sheet_shape REPLICA IDENTITY FULL;
        CREATE INDEX IF NOT EXISTS sheet_shape_place ON catalogue.sheet_shape USING gist (sheet, shape);
        COMMENT ON TABLE catalogue.sheet_shape IS 'Geometries of the rows of sheets that have others than points';
        COMMENT ON COLUMN catalogue.sheet_shape.sheet IS 'The sheet';
        COMMENT ON COLUMN catalogue.sheet_shape."row" IS 'Number of the row, from 1';
        COMMENT ON COLUMN catalogue.sheet_shape.longitude IS 'The middle of its extent';
        COMMENT ON COLUMN catalogue.sheet_shape.latitude IS 'The middle of its extent';
        COMMENT ON COLUMN catalogue.sheet_shape.size IS 'The longer side of its extent, degrees';
        COMMENT ON COLUMN catalogue.sheet_shape.shape IS 'Its geometry in WGS 84, longitude first, without heights';
        CREATE OR REPLACE TRIGGER store_shapes AFTER UPDATE OF details ON catalogue.sheet FOR EACH ROW
            WHEN (NEW.details #> '{geography,geometry}' IS NOT NULL)
            EXECUTE FUNCTION catalogue.store_shapes_of_sheet();
        CREATE OR REPLACE TRIGGER remove_shapes AFTER DELETE ON catalogue.sheet_layer FOR EACH ROW
            EXECUTE FUNCTION catalogue.remove_shapes();
        CREATE OR REPLACE TRIGGER truncate_shapes AFTER TRUNCATE ON catalogue.sheet_layer
            EXECUTE FUNCTION catalogue.remove_shapes();
    $table$;
END
$$;

-- Make the functions that make shapes, for those of geography_functions(); part of add_geography().  Arguments: path,
-- the search_path with PostGIS.
CREATE FUNCTION catalogue.geography_shapes(path text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM set_config('search_path', $1, true);
    EXECUTE $function$
        CREATE OR REPLACE FUNCTION catalogue.shape_of(binary_form bytea) RETURNS geometry LANGUAGE sql IMMUTABLE
        BEGIN ATOMIC
            SELECT ST_GeomFromWKB($1, 4326);
        END;

        -- What compares areas fails at some whose edges cross.
        CREATE OR REPLACE FUNCTION catalogue.repair_shapes(sheet bigint) RETURNS void LANGUAGE sql
        BEGIN ATOMIC
            UPDATE catalogue.sheet_shape s SET shape = ST_MakeValid(s.shape, 'method=structure')
            WHERE s.sheet = $1 AND ST_Dimension(s.shape) = 2 AND NOT ST_IsValid(s.shape)
                AND NOT ST_IsEmpty(ST_MakeValid(s.shape, 'method=structure'));
        END;

        -- An area in WKT; a statement asks for it once, not for each row.
        CREATE OR REPLACE FUNCTION catalogue.area_of(area text) RETURNS geometry LANGUAGE sql IMMUTABLE
        BEGIN ATOMIC
            SELECT ST_MakeValid(ST_SetSRID(ST_GeomFromEWKT($1), 4326), 'method=structure');
        END;

        -- WKT that goes beyond 180 degrees, divided at the antimeridian.
        CREATE OR REPLACE FUNCTION catalogue.divided(geometry text) RETURNS text LANGUAGE sql IMMUTABLE
        BEGIN ATOMIC
            SELECT ST_AsText(ST_CollectionHomogenize(ST_WrapX(ST_WrapX(CASE WHEN ST_IsValid(g.shape) THEN g.shape
                ELSE ST_MakeValid(g.shape, 'method=structure') END, 180, -360), -180, 360)))
            FROM ST_GeomFromEWKT($1) g(shape);
        END;

        -- GeoJSON whose lines are off by a tolerance at most; points stay.
        CREATE OR REPLACE FUNCTION catalogue.simplified(geojson text, degrees float8) RETURNS text
            LANGUAGE sql IMMUTABLE
        BEGIN ATOMIC
            SELECT CASE WHEN ST_Dimension(g.shape) = 0 OR ST_IsEmpty(s.shape) THEN $1
                ELSE ST_AsGeoJSON(s.shape, 7) END
            FROM ST_GeomFromGeoJSON($1) g(shape), ST_SimplifyPreserveTopology(g.shape, $2) s(shape);
        END;
        REVOKE ALL ON FUNCTION catalogue.shape_of(bytea), catalogue.repair_shapes(bigint), catalogue.area_of(text),
            catalogue.simplified(text, float8), catalogue.divided(text) FROM PUBLIC;
    $function$;
END
$$;

-- Make the functions that need PostGIS, and keep what the names meant; part of add_geography().  They use no function
-- of the extension, so that an update may drop those.  Arguments: path, the search_path with PostGIS.
CREATE FUNCTION catalogue.geography_functions(path text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM set_config('search_path', $1, true);
    EXECUTE $function$
        -- Rows in a rectangle, which crosses the antimeridian where west is greater than east.  What meets it has the
        -- distance 0: PostGIS computes that without GEOS, which would copy each geometry.
        CREATE OR REPLACE FUNCTION catalogue.shapes_in(sheet bigint, west float8, south float8, east float8,
            north float8) RETURNS SETOF bigint LANGUAGE sql STABLE
        BEGIN ATOMIC
            SELECT s."row" FROM catalogue.sheet_shape s
            WHERE $2 <= $4 AND s.sheet = $1 AND ST_DWithin(s.shape, ST_MakeEnvelope($2, $3, $4, $5, 4326), 0)
            UNION ALL
            SELECT s."row" FROM catalogue.sheet_shape s
            WHERE $2 > $4 AND s.sheet = $1 AND s.shape && ST_MakeEnvelope(-180, $3, 180, $5, 4326)
                AND (ST_DWithin(s.shape, ST_MakeEnvelope($2, $3, 180, $5, 4326), 0)
                    OR ST_DWithin(s.shape, ST_MakeEnvelope(-180, $3, $4, $5, 4326), 0));
        END;

        -- Rows within so many metres of a place, on a sphere.
        CREATE OR REPLACE FUNCTION catalogue.shapes_near(sheet bigint, longitude float8, latitude float8,
            metres float8) RETURNS SETOF bigint LANGUAGE sql STABLE
        BEGIN ATOMIC
            SELECT s."row"
            FROM (SELECT $4 / 110000 AS north, $4 / 110000
                      / greatest(cos(radians(least(abs($3) + $4 / 110000, 90))), 0.001) AS east) d,
                generate_series(-360, 360, 360) turn, catalogue.sheet_shape s
            WHERE s.sheet = $1 AND s.shape && ST_MakeEnvelope($2 + turn - d.east, $3 - d.north, $2 + turn + d.east,
                    $3 + d.north, 4326)
                -- an edge that is half as long as the Earth is around has no shortest way
                AND (ST_DWithin(s.shape, ST_SetSRID(ST_MakePoint($2, $3), 4326), 0)
                    OR ST_Distance(CASE WHEN s.size < 179 THEN s.shape ELSE ST_Segmentize(s.shape, 90) END::geography,
                        ST_SetSRID(ST_MakePoint($2, $3), 4326)::geography, false) <= $4);
        END;

        -- Rows that are wholly within an area, which is WKT.  PostGIS prepares the first argument of ST_Covers once.
        CREATE OR REPLACE FUNCTION catalogue.shapes_within(sheet bigint, area text) RETURNS SETOF bigint
            LANGUAGE sql STABLE
        BEGIN ATOMIC
            SELECT s."row" FROM catalogue.sheet_shape s
            WHERE s.sheet = $1 AND ST_Covers((SELECT catalogue.area_of($2)), s.shape);
        END;

        -- Points within an area: rows, their coordinates, the area as WKT.
        CREATE OR REPLACE FUNCTION catalogue.points_within("rows" bigint[], longitudes float8[], latitudes float8[],
            area text) RETURNS SETOF bigint LANGUAGE sql IMMUTABLE
        BEGIN ATOMIC
            SELECT p."row" FROM unnest($1, $2, $3) p("row", longitude, latitude)
            WHERE ST_Covers((SELECT catalogue.area_of($4)),
                ST_SetSRID(ST_MakePoint(p.longitude, p.latitude), 4326));
        END;
        REVOKE ALL ON FUNCTION catalogue.shapes_in(bigint, float8, float8, float8, float8),
            catalogue.shapes_near(bigint, float8, float8, float8), catalogue.shapes_within(bigint, text),
            catalogue.points_within(bigint[], float8[], float8[], text) FROM PUBLIC;
    $function$;
END
$$;

-- Make the function that says where a tile is, for that of geography_tiles(); part of add_geography().  Arguments:
-- path, the search_path with PostGIS.
CREATE FUNCTION catalogue.geography_squares(path text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM set_config('search_path', $1, true);
    EXECUTE $function$
        -- The square of a tile, how many there are side by side, the least degrees of a shape that is drawn as one, and
        -- the box in degrees, with a margin of a 64th; ST_Transform() would turn what is beyond 180 degrees round.
        CREATE OR REPLACE FUNCTION catalogue.tile_square(zoom integer, x integer, y integer)
            RETURNS TABLE (square geometry, tiles float8, smallest float8, box geometry) LANGUAGE sql IMMUTABLE
        BEGIN ATOMIC
            SELECT ST_TileEnvelope($1, $2, $3), t.tiles, 360 / (128 * t.tiles), ST_Expand(ST_MakeEnvelope(
                $2 * 360 / t.tiles - 180, degrees(atan(sinh(pi() * (1 - 2 * ($3 + 1) / t.tiles)))),
                ($2 + 1) * 360 / t.tiles - 180, degrees(atan(sinh(pi() * (1 - 2 * $3 / t.tiles)))), 4326),
                360 / t.tiles / 64)
            FROM power(2::float8, $1) t(tiles);
        END;
        REVOKE ALL ON FUNCTION catalogue.tile_square(integer, integer, integer) FROM PUBLIC;
    $function$;
END
$$;

-- Make the function of tiles, shape_tile(); part of add_geography().  Arguments: path, the search_path with PostGIS.
-- Arguments of that: classes, a byte for each row of the map, or empty; rows, of the map, one for each row of the
-- sheet, 0: none, NULL: they are those of the sheet; step, from 0: how much is left out, as the step before gave more
-- bytes than a tile should have.  Layer "shapes" has those that are larger than two pixels, at most the 10,000 largest,
-- of step 3 as many as take 400 kB: a feature has the bytes of TWKB, but for its ends and what is before a ring.
-- Layer "points" has the others by their middles, of more than 1,000 those in one cell of a grid of 64 by 64 together,
-- which takes less than 100 kB.
CREATE FUNCTION catalogue.geography_tiles(path text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM set_config('search_path', $1, true);
    EXECUTE $function$
        CREATE OR REPLACE FUNCTION catalogue.shape_tile(sheet bigint, zoom integer, x integer, y integer,
            classes bytea, "rows" integer[], step integer) RETURNS bytea LANGUAGE sql STABLE SET jit = off
        BEGIN ATOMIC
            WITH tile AS (SELECT * FROM catalogue.tile_square($2, $3, $4)),
            large AS MATERIALIZED (
                SELECT s."row", coalesce(($6)[s."row"], s."row")::integer AS id, s.shape, s.longitude, s.latitude,
                    s.size FROM tile t, catalogue.sheet_shape s
                WHERE s.sheet = $1 AND s.shape && t.box AND s.size >= t.smallest AND coalesce(($6)[s."row"], 1) > 0
                ORDER BY s.size DESC, s."row" LIMIT 10000),
            -- without corners within a 1,024th of the side, or a 512th or 256th; cut once, not for the condition again
            shapes AS MATERIALIZED (
                SELECT l."row", l.longitude, l.latitude, l.size, l.id, ST_AsMVTGeom(ST_Simplify(ST_Transform(
                    CASE WHEN abs(l.latitude) + l.size <= 85 THEN l.shape
                        ELSE ST_ClipByBox2D(l.shape, ST_MakeEnvelope(-180, -85.0511, 180, 85.0511, 4326)) END, 3857),
                    40075016.7 / 1024 / power(2, $2 - least($7, 2)), true), t.square, 4096, 64) AS shape,
                    CASE WHEN length($5) > 0 THEN get_byte($5, l.id - 1) END AS class
                FROM large l, tile t),
            kept AS (
                SELECT b."row" FROM (SELECT s."row", pg_catalog.sum(length(ST_AsTWKB(s.shape)) * 1.25 + 24)
                        OVER (ORDER BY s.size DESC, s."row") AS bytes
                    FROM shapes s WHERE $7 = 3 AND s.shape IS NOT NULL) b WHERE b.bytes <= 400000),
            others AS (
                SELECT s."row", s.longitude, s.latitude FROM tile t, catalogue.sheet_shape s
                WHERE s.sheet = $1 AND s.shape && t.box AND s.size < t.smallest
                UNION ALL
                SELECT s."row", s.longitude, s.latitude FROM tile t, catalogue.sheet_shape s
                WHERE (SELECT pg_catalog.count(*) FROM large) = 10000 AND s.sheet = $1 AND s.shape && t.box
                    AND s.size >= t.smallest AND s."row" NOT IN (SELECT l."row" FROM large l)
                UNION ALL
                SELECT s."row", s.longitude, s.latitude FROM shapes s
                WHERE $7 = 3 AND s.shape IS NOT NULL AND s."row" NOT IN (SELECT k."row" FROM kept k)),
            middles AS (
                SELECT coalesce(($6)[s."row"], s."row") AS "row",
                    ((s.longitude + 180) / 360 * t.tiles - $3) * 4096 AS across,
                    ((1 - asinh(tan(radians(s.latitude))) / pi()) / 2 * t.tiles - $4) * 4096 AS down
                FROM tile t, others s WHERE abs(s.latitude) <= 85.0511 AND coalesce(($6)[s."row"], 1) > 0),
            small AS (
                SELECT m.*, pg_catalog.count(*) OVER () > 1000 AS many FROM middles m
                WHERE m.across >= 0 AND m.across < 4096 AND m.down >= 0 AND m.down < 4096),
            points AS (
                SELECT pg_catalog.count(*)::integer AS count,
                    ST_MakePoint(round(avg(s.across)), round(avg(s.down))) AS shape,
                    CASE WHEN pg_catalog.count(*) = 1 THEN min(s."row")::integer END AS id
                FROM small s GROUP BY s.many, CASE WHEN s.many THEN floor(s.across / 64) * 64 + floor(s.down / 64)
                    ELSE s."row" END)
            SELECT (SELECT coalesce(ST_AsMVT(d, 'shapes', 4096, 'shape', 'id'), '')
                    FROM (SELECT s.id, s.shape, s.class FROM shapes s
                        WHERE s.shape IS NOT NULL AND ($7 < 3 OR s."row" IN (SELECT k."row" FROM kept k))) d)
                || (SELECT coalesce(ST_AsMVT(p, 'points', 4096, 'shape', 'id'), '') FROM points p);
        END;
        REVOKE ALL ON FUNCTION catalogue.shape_tile(bigint, integer, integer, integer, bytea, integer[], integer)
            FROM PUBLIC;
    $function$;
END
$$;

-- Make sure that an extension is installed; part of add_geography().  Errors: 0A000 it is not there.
CREATE FUNCTION catalogue.require_extension(name text, package text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_extension e WHERE e.extname = $1) THEN
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_available_extensions e WHERE e.name = $1) THEN
        RAISE feature_not_supported
            USING MESSAGE = format('the extension "%s" is not available', $1),
            HINT = format('Install the package %s on the machine of the server, and call the function again.',
                replace($2, '%', (current_setting('server_version_num')::integer / 10000)::text));
    END IF;
    EXECUTE format('CREATE EXTENSION %I SCHEMA public', $1);
END
$$;

CREATE FUNCTION catalogue.add_geography() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    path  text;
BEGIN
    PERFORM catalogue.require_extension('postgis', 'postgresql-%-postgis-3');
    PERFORM catalogue.require_extension('btree_gist', 'postgresql-%');
    SELECT concat_ws(', ', 'pg_catalog', string_agg(quote_ident(n.nspname), ', '), 'pg_temp') INTO path
    FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname IN ('postgis', 'btree_gist');
    PERFORM catalogue.geography_tables(path);
    PERFORM catalogue.geography_shapes(path);
    PERFORM catalogue.geography_functions(path);
    PERFORM catalogue.geography_squares(path);
    PERFORM catalogue.geography_tiles(path), catalogue.tune_tables(), catalogue.grant_roles();
    RETURN (SELECT coalesce(pg_catalog.sum(catalogue.store_shapes(s.id)), 0)
            FROM catalogue.sheet s
            WHERE s.details #> '{geography,geometry}' IS NOT NULL
                AND NOT EXISTS (SELECT FROM catalogue.sheet_layer l WHERE l.sheet = s.id));
END
$$;
COMMENT ON FUNCTION catalogue.add_geography() IS
'Have PostGIS find rows of files by their place
The extensions postgis and btree_gist are created in the schema public, unless they are installed; the tables
sheet_layer and sheet_shape get the lines and areas of all files, and of those that are read from now on.  A call that
is repeated adds what is missing.
Returns: how many geometries were stored.
Errors: 0A000 PostGIS is not installed on the machine of the server; 42501 the caller may not create it.
Source: Geography';
