-- Geometries of rows in PostGIS, where it is installed: what finds rows by their place.

-- Tell whether geometries are stored; part of contents_page() and map_tile().  DROP EXTENSION postgis CASCADE leaves
-- the tables without them.
CREATE FUNCTION catalogue.has_geography() RETURNS boolean LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN EXISTS (SELECT FROM pg_catalog.pg_attribute a
                   WHERE a.attrelid = to_regclass('catalogue.sheet_shape') AND a.attname = 'shape'
                       AND NOT a.attisdropped);
END
$$;

-- List the places of the rows of a sheet; part of store_shapes().  Arguments: sheet; rows and columns, how many it has;
-- latitude_column, longitude_column, geometry_column, positions from 0, -1: there is none.  Returns: longitude and
-- latitude of the middle of its extent; size, the longer side of that; shape, as WKB.
CREATE FUNCTION catalogue.sheet_shapes(sheet bigint, "rows" bigint, columns integer, latitude_column integer,
    longitude_column integer, geometry_column integer, OUT "row" bigint, OUT longitude float8, OUT latitude float8,
    OUT size float8, OUT shape bytea) RETURNS SETOF record
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_sheet_shapes';

-- Return the position of a column of a sheet, from 0; part of store_shapes().  Arguments: columns, of catalogue.sheet;
-- name.  Returns: -1 if there is none.
CREATE FUNCTION catalogue.column_position(columns json, name text) RETURNS integer LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT coalesce(min(c.n)::integer, 0) - 1
    FROM json_array_elements($1) WITH ORDINALITY c(value, n) WHERE c.value ->> 'name' = $2;
END;

-- Store the geometries of a sheet anew; part of add_geography() and the trigger of catalogue.sheet.
CREATE FUNCTION catalogue.store_shapes(sheet bigint) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    stored  bigint;
BEGIN
    DELETE FROM catalogue.sheet_layer l WHERE l.sheet = $1;
    INSERT INTO catalogue.sheet_shape (sheet, "row", longitude, latitude, size, shape)
    SELECT s.id, r."row", r.longitude, r.latitude, r.size, catalogue.shape_of(r.shape)
    FROM catalogue.sheet s, catalogue.sheet_shapes(s.id, s.row_count, json_array_length(s.columns),
        catalogue.column_position(s.columns, s.details #>> '{geography,latitude}'),
        catalogue.column_position(s.columns, s.details #>> '{geography,longitude}'),
        catalogue.column_position(s.columns, s.details #>> '{geography,geometry}')) r
    WHERE s.id = $1;
    GET DIAGNOSTICS stored = ROW_COUNT;
    PERFORM catalogue.repair_shapes($1);
    INSERT INTO catalogue.sheet_layer (sheet, shapes) VALUES ($1, stored);
    RETURN stored;
END
$$;

-- Trigger AFTER UPDATE of catalogue.sheet, whose rows are all stored then.
CREATE FUNCTION catalogue.store_shapes_of_sheet() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    IF catalogue.has_geography() THEN
        PERFORM catalogue.store_shapes(NEW.id);
    END IF;
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
