-- Points of sheets in an order of place.

-- Store the points of a sheet anew; part of store_points_of_sheet().  Arguments: sheet; rows and columns, how many it
-- has; latitude_column and longitude_column, their positions from 0.
CREATE FUNCTION catalogue.store_points(sheet bigint, "rows" bigint, columns integer, latitude_column integer,
    longitude_column integer) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_store_points';

-- Tell whether the points that are stored are those of the rows; part of check_points().  Arguments: as of
-- store_points().
CREATE FUNCTION catalogue.are_points_stored(sheet bigint, "rows" bigint, columns integer, latitude_column integer,
    longitude_column integer) RETURNS boolean
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_are_points_stored';

-- Trigger AFTER UPDATE of catalogue.sheet, whose rows are all stored then.
CREATE FUNCTION catalogue.store_points_of_sheet() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.store_points(NEW.id, NEW.row_count, json_array_length(NEW.columns),
        catalogue.column_position(NEW.columns, NEW.details #>> '{geography,latitude}'),
        catalogue.column_position(NEW.columns, NEW.details #>> '{geography,longitude}'));
    RETURN NULL;
END
$$;
