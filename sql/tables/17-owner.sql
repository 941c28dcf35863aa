-- Before any table is exposed: the event triggers that follow ALTER TABLE run as the owner of the schema.
DO
$$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'catalogue_owner') THEN
        PERFORM catalogue.grant_owner();
    END IF;
END
$$;
