-- What needs PostGIS follows an update where it is there.
DO
$$
BEGIN
    IF catalogue.has_geography() THEN
        PERFORM catalogue.add_geography();
    END IF;
END
$$;
