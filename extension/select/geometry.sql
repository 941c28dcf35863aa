-- Functions of geometries in statements of clients.  Each bounds its arguments, and calls the function of PostGIS of
-- the same name (select_geometry.c), which need not be there.

CREATE SCHEMA IF NOT EXISTS catalogue_geometry;
-- for catalogue_query, which has no privileges of its own
GRANT USAGE ON SCHEMA catalogue_geometry TO PUBLIC;

-- Values have the form of those of PostGIS.
DO
$$
DECLARE
    made   text;
    there  boolean;
BEGIN
    FOREACH made IN ARRAY '{geometry,geography}'::text[] LOOP
        there := to_regtype('catalogue_geometry.' || made) IS NOT NULL;
        IF NOT there THEN
            EXECUTE format('CREATE TYPE catalogue_geometry.%I', made);
        END IF;
        EXECUTE format($function$
            CREATE OR REPLACE FUNCTION catalogue_geometry.%1$s_in(cstring) RETURNS catalogue_geometry.%1$I
                LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_geometry_in';
            CREATE OR REPLACE FUNCTION catalogue_geometry.%1$s_out(catalogue_geometry.%1$I) RETURNS cstring
                LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_geometry_out';
            $function$, made);
        IF NOT there THEN
            EXECUTE format('CREATE TYPE catalogue_geometry.%1$I (INPUT = catalogue_geometry.%1$s_in,
                OUTPUT = catalogue_geometry.%1$s_out, ALIGNMENT = double, STORAGE = main)', made);
        END IF;
    END LOOP;
END
$$;

-- Conditions by other functions are tested before.
DO
$do$
DECLARE
    made  record;
BEGIN
    PERFORM set_config('search_path', 'pg_catalog, catalogue_geometry', true);
    FOR made IN SELECT * FROM (VALUES
        ('geometry', $$'MODULE_PATHNAME', 'catalogue_geometry_text'$$, '{st_geomfromtext(text),
            "st_geomfromtext(text, integer)"}'::text[]),
        ('geometry', $$'MODULE_PATHNAME', 'catalogue_geometry_point'$$, '{"st_makepoint(float8, float8)",
            "st_point(float8, float8)","st_point(float8, float8, integer)"}'),
        ('geometry', $$'MODULE_PATHNAME', 'catalogue_geometry_envelope'$$,
            '{"st_makeenvelope(float8, float8, float8, float8)",
            "st_makeenvelope(float8, float8, float8, float8, integer)"}'),
        ('geometry', $$'MODULE_PATHNAME', 'catalogue_geometry_system'$$, '{"st_setsrid(geometry, integer)"}'),
        ('geometry', $$'MODULE_PATHNAME', 'catalogue_geometry_centroid'$$, '{st_centroid(geometry)}'),
        ('geometry', $$'MODULE_PATHNAME', 'catalogue_geometry_call'$$, '{st_envelope(geometry)}'),
        ('geography', $$'MODULE_PATHNAME', 'catalogue_geometry_call'$$, '{geography(geometry)}'),
        ('text', $$'MODULE_PATHNAME', 'catalogue_geometry_call'$$, '{st_astext(geometry),
            "st_astext(geometry, integer)",st_asgeojson(geometry),"st_asgeojson(geometry, integer)",
            st_geometrytype(geometry)}'),
        ('integer', $$'MODULE_PATHNAME', 'catalogue_geometry_call'$$, '{st_npoints(geometry),
            st_numgeometries(geometry),st_dimension(geometry)}'),
        ('float8', $$'MODULE_PATHNAME', 'catalogue_geometry_call'$$, '{st_x(geometry),st_y(geometry),
            st_area(geometry),st_length(geometry),st_perimeter(geometry),"st_distance(geometry, geometry)",
            st_area(geography),st_length(geography),st_perimeter(geography),"st_distance(geography, geography)"}'),
        ('boolean', $$'MODULE_PATHNAME', 'catalogue_geometry_call'$$, '{"st_dwithin(geometry, geometry, float8)",
            "st_dwithin(geography, geography, float8)"}'),
        ('boolean', $$'MODULE_PATHNAME', 'catalogue_geometry_intersects'$$, '{"st_intersects(geometry, geometry)"}'),
        ('boolean', $$'MODULE_PATHNAME', 'catalogue_geometry_within'$$, '{"st_within(geometry, geometry)",
            "st_coveredby(geometry, geometry)"}'),
        ('boolean', $$'MODULE_PATHNAME', 'catalogue_geometry_contains'$$, '{"st_contains(geometry, geometry)",
            "st_covers(geometry, geometry)"}')) AS m(result, symbol, functions)
    LOOP
        EXECUTE (SELECT string_agg(format('CREATE OR REPLACE FUNCTION catalogue_geometry.%s RETURNS %s LANGUAGE c
            IMMUTABLE STRICT PARALLEL SAFE COST 100 AS %s', f, made.result, made.symbol), '; ')
                 FROM unnest(made.functions) f);
    END LOOP;
END
$do$;
