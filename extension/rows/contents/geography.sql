-- Geometries of rows in PostGIS, where it is installed: what finds rows by their place.

-- Tell whether geometries are stored; part of contents_page() and map_tile().
CREATE FUNCTION catalogue.has_geography() RETURNS boolean LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN to_regclass('catalogue.sheet_shape') IS NOT NULL;
END
$$;

-- List the places of the rows of a sheet; part of store_shapes().  Arguments: sheet; rows and columns, how many it has;
-- latitude, longitude, geometry, positions of its columns from 0, -1: there is none.  Returns: shape, as WKB.
CREATE FUNCTION catalogue.sheet_shapes(sheet bigint, "rows" bigint, columns integer, latitude integer,
    longitude integer, geometry integer, OUT "row" bigint, OUT shape bytea) RETURNS SETOF record
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_sheet_shapes';

-- Return the position of a column of a sheet, from 0; part of store_shapes().  Arguments: columns, of catalogue.sheet;
-- name.  Returns: -1 if there is none.
CREATE FUNCTION catalogue.column_position(columns json, name text) RETURNS integer LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT coalesce(min(c.n)::integer, 0) - 1
    FROM json_array_elements($1) WITH ORDINALITY c(value, n) WHERE c.value ->> 'name' = $2;
END;

-- Make the tables of the geometries; part of add_geography().  Arguments: place, the search_path with PostGIS.
CREATE FUNCTION catalogue.geography_tables(place text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM set_config('search_path', $1, true);
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
            sheet  bigint                    NOT NULL,
            "row"  bigint                    NOT NULL,
            shape  geometry(Geometry, 4326)  NOT NULL
        );
        CREATE INDEX IF NOT EXISTS sheet_shape_place ON catalogue.sheet_shape USING gist (sheet, shape);
        COMMENT ON TABLE catalogue.sheet_shape IS 'Geometries of the rows of sheets that have others than points';
        COMMENT ON COLUMN catalogue.sheet_shape.sheet IS 'The sheet';
        COMMENT ON COLUMN catalogue.sheet_shape."row" IS 'Number of the row, from 1';
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

-- Make the functions that need PostGIS, and keep what the names meant; part of add_geography().  Arguments: place, the
-- search_path with PostGIS.
CREATE FUNCTION catalogue.geography_functions(place text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM set_config('search_path', $1, true);
    EXECUTE $function$
        CREATE OR REPLACE FUNCTION catalogue.add_shapes(sheet bigint) RETURNS bigint LANGUAGE sql
        BEGIN ATOMIC
            WITH added AS (
                INSERT INTO catalogue.sheet_shape (sheet, "row", shape)
                SELECT s.id, r."row", ST_GeomFromWKB(r.shape, 4326)
                FROM catalogue.sheet s, catalogue.sheet_shapes(s.id, s.row_count, json_array_length(s.columns),
                    catalogue.column_position(s.columns, s.details #>> '{geography,latitude}'),
                    catalogue.column_position(s.columns, s.details #>> '{geography,longitude}'),
                    catalogue.column_position(s.columns, s.details #>> '{geography,geometry}')) r
                WHERE s.id = $1
                RETURNING 1)
            SELECT pg_catalog.count(*) FROM added;
        END;

        -- Rows in a rectangle, which crosses the antimeridian where west is greater than east.
        CREATE OR REPLACE FUNCTION catalogue.shapes_in(sheet bigint, west float8, south float8, east float8,
            north float8) RETURNS SETOF bigint LANGUAGE sql STABLE
        BEGIN ATOMIC
            SELECT s."row" FROM catalogue.sheet_shape s
            WHERE $2 <= $4 AND s.sheet = $1 AND ST_Intersects(s.shape, ST_MakeEnvelope($2, $3, $4, $5, 4326))
            UNION ALL
            SELECT s."row" FROM catalogue.sheet_shape s
            WHERE $2 > $4 AND s.sheet = $1 AND s.shape && ST_MakeEnvelope(-180, $3, 180, $5, 4326)
                AND (ST_Intersects(s.shape, ST_MakeEnvelope($2, $3, 180, $5, 4326))
                    OR ST_Intersects(s.shape, ST_MakeEnvelope(-180, $3, $4, $5, 4326)));
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
                AND ST_Distance(s.shape::geography, ST_SetSRID(ST_MakePoint($2, $3), 4326)::geography, false) <= $4;
        END;

        -- Rows that are wholly within an area, which is WKT.
        CREATE OR REPLACE FUNCTION catalogue.shapes_within(sheet bigint, area text) RETURNS SETOF bigint
            LANGUAGE sql STABLE
        BEGIN ATOMIC
            SELECT s."row" FROM catalogue.sheet_shape s
            WHERE s.sheet = $1 AND ST_CoveredBy(s.shape, ST_SetSRID(ST_GeomFromEWKT($2), 4326));
        END;

        -- Points within an area: rows, their coordinates, the area as WKT.
        CREATE OR REPLACE FUNCTION catalogue.points_within("rows" bigint[], longitudes float8[], latitudes float8[],
            area text) RETURNS SETOF bigint LANGUAGE sql IMMUTABLE
        BEGIN ATOMIC
            SELECT p."row" FROM unnest($1, $2, $3) p("row", longitude, latitude)
            WHERE ST_Covers(ST_SetSRID(ST_GeomFromEWKT($4), 4326),
                ST_SetSRID(ST_MakePoint(p.longitude, p.latitude), 4326));
        END;
    $function$;
END
$$;

-- Store the geometries of a sheet anew; part of add_geography() and the trigger of catalogue.sheet.
CREATE FUNCTION catalogue.store_shapes(sheet bigint) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    stored  bigint;
BEGIN
    DELETE FROM catalogue.sheet_layer l WHERE l.sheet = $1;
    stored := catalogue.add_shapes($1);
    INSERT INTO catalogue.sheet_layer (sheet, shapes) VALUES ($1, stored);
    RETURN stored;
END
$$;

-- Trigger AFTER UPDATE of catalogue.sheet, whose rows are all stored then.
CREATE FUNCTION catalogue.store_shapes_of_sheet() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.store_shapes(NEW.id);
    RETURN NULL;
END
$$;

-- Trigger of catalogue.sheet_layer: with a layer its geometries go.
CREATE FUNCTION catalogue.remove_shapes() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        TRUNCATE catalogue.sheet_shape;
    ELSE
        DELETE FROM catalogue.sheet_shape s WHERE s.sheet = OLD.sheet;
    END IF;
    RETURN NULL;
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
    place  text;
BEGIN
    PERFORM catalogue.require_extension('postgis', 'postgresql-%-postgis-3');
    PERFORM catalogue.require_extension('btree_gist', 'postgresql-%');
    SELECT concat_ws(', ', 'pg_catalog', string_agg(quote_ident(n.nspname), ', '), 'pg_temp') INTO place
    FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname IN ('postgis', 'btree_gist');
    PERFORM catalogue.geography_tables(place);
    PERFORM catalogue.geography_functions(place);
    RETURN (SELECT coalesce(pg_catalog.sum(catalogue.store_shapes(s.id)), 0)
            FROM catalogue.sheet s
            WHERE s.details #> '{geography,geometry}' IS NOT NULL
                AND NOT EXISTS (SELECT FROM catalogue.sheet_layer l WHERE l.sheet = s.id));
END
$$;
COMMENT ON FUNCTION catalogue.add_geography() IS
'Have PostGIS find rows of files by their place
The extensions postgis and btree_gist are created in the schema public, unless they are installed; the tables sheet_layer
and sheet_shape get the lines and areas of all files, and of those that are read from now on.  A call that is repeated
adds what is missing.
Returns: how many geometries were stored.
Errors: 0A000 PostGIS is not installed on the machine of the server; 42501 the caller may not create it.
Source: Geography';
