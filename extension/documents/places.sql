-- Where datasets are: the boxes of their files and of their optional value spatial, in catalogue.dataset_place.

-- Return the extent of a shape; part of catalogue.place_extent().  Arguments: shape, WKT or GeoJSON in degrees, of
-- which the longitude is first unless it names the system EPSG:4326 by an address.  Returns: the least longitude and
-- latitude, and the greatest; of a box those of dcat_edge(), of which the first longitude is the greater one where the
-- box crosses the antimeridian.  NULL where there is no place in degrees.
CREATE FUNCTION catalogue.shape_extent(shape text) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    number  CONSTANT text := '\s*([-+]?(?:\d{1,20}(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,2})?)';
    pair    CONSTANT text := CASE WHEN shape ~ '^\s*\{' THEN '\[' || number || '\s*,' || number
                ELSE '[(,]' || number || '\s' || number END;
    system  CONSTANT text := coalesce(substring(shape FROM '^\s*<([^<>]*)>'), substring(shape FROM '^\s*SRID=(\d+)'));
    turned  CONSTANT boolean := coalesce(system ~* '^http.*/EPSG/[^/]*/4326$', false);
    extent  float8[] := catalogue.dcat_edge(shape);
BEGIN
    IF system !~* '(^|[/:])(4326|CRS84)$' THEN
        RETURN NULL;
    END IF;
    IF extent IS NULL THEN
        SELECT ARRAY[min(p.x), min(p.y), max(p.x), max(p.y)] INTO extent
        FROM (SELECT m.at[CASE WHEN turned THEN 2 ELSE 1 END]::float8, m.at[CASE WHEN turned THEN 1 ELSE 2 END]::float8
              FROM regexp_matches(shape, pair, 'g') m(at)) p(x, y);
    END IF;
    RETURN CASE WHEN abs(extent[1]) <= 180 AND abs(extent[3]) <= 180 AND extent[2] >= -90 AND extent[4] <= 90
        AND extent[2] <= extent[4] THEN extent END;
END
$$;

-- Return the extents of the places of an optional value; part of catalogue.keep_places().  Arguments: spatial, as of
-- catalogue.dcat_places().  A place is where its box is, else its shapes, else its centroid.
CREATE FUNCTION catalogue.place_extents(spatial json) RETURNS SETOF float8[] LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN QUERY SELECT s.extent
        FROM jsonb_array_elements(catalogue.dcat_places(spatial::jsonb)) e(place),
            LATERAL unnest(CASE WHEN place ? 'bbox' THEN ARRAY[place ->> 'bbox']
                WHEN place ? 'geometry' THEN ARRAY(SELECT jsonb_array_elements_text(place -> 'geometry'))
                ELSE ARRAY[place ->> 'centroid'] END) t(shape),
            catalogue.shape_extent(t.shape) s(extent)
        WHERE s.extent IS NOT NULL;
EXCEPTION WHEN numeric_value_out_of_range OR untranslatable_character THEN
    -- optional values may contain numbers and characters that jsonb cannot
    RETURN;
END
$$;

-- Return the boxes of an extent; part of catalogue.keep_places().  One that crosses the antimeridian has two.
CREATE FUNCTION catalogue.extent_boxes(extent float8[]) RETURNS SETOF box LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    crosses  CONSTANT boolean := extent[1] > extent[3];
BEGIN
    RETURN NEXT box(point(extent[1], extent[2]), point(CASE WHEN crosses THEN 180 ELSE extent[3] END, extent[4]));
    IF crosses THEN
        RETURN NEXT box(point(-180, extent[2]), point(extent[3], extent[4]));
    END IF;
END
$$;

-- Return the places of datasets as they are to be; part of catalogue.keep_places().  Arguments: of_dataset,
-- of_file, whose places; NULL: of all.  A file has those of the sheets that outsiders may see if they see the dataset.
CREATE FUNCTION catalogue.places_of(of_dataset text, of_file text)
    RETURNS TABLE (dataset text, file text, box box) LANGUAGE plpgsql STABLE AS
$$
BEGIN
    IF of_file IS NULL THEN
        RETURN QUERY SELECT d.id::text, NULL::text, b.box
            FROM catalogue.datasets d, catalogue.place_extents(d.optionals -> 'spatial') e(extent),
                catalogue.extent_boxes(e.extent) b(box)
            WHERE d.id = of_dataset OR of_dataset IS NULL;
    END IF;
    IF of_dataset IS NULL OR of_file IS NOT NULL THEN
        RETURN QUERY SELECT f.dataset::text, f.id::text, b.box
            FROM catalogue.files f JOIN catalogue.sheet s ON s.file = f.id AND s.revision = f.revision,
                catalogue.extent_boxes((SELECT array_agg(t.degrees::float8 ORDER BY t.n)
                    FROM json_array_elements_text(s.details #> '{geography,extent}') WITH ORDINALITY t(degrees, n)))
                    b(box)
            WHERE (f.id = of_file OR of_file IS NULL) AND NOT s.hidden AND f.deleted_at IS NULL
                AND f.visible IS NOT FALSE
                AND f.status = (SELECT t.id FROM catalogue.states() t WHERE t.state = 'published');
    END IF;
END
$$;

CREATE FUNCTION catalogue.keep_places(of_dataset text, of_file text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM catalogue.dataset_place p WHERE p.file = of_file OR (of_file IS NULL AND p.dataset = of_dataset
        AND p.file IS NULL);
    INSERT INTO catalogue.dataset_place (dataset, file, box) SELECT * FROM catalogue.places_of(of_dataset, of_file);
END
$$;
COMMENT ON FUNCTION catalogue.keep_places(text, text) IS
'Make the places of a dataset or a file anew
Arguments: of_dataset, an id, whose places are those of spatial of its optionals; of_file, NULL for these, else the id
of a file, whose places are those of its sheets. Triggers call it, and catalogue.check_all() names it.
Returns: nothing.
Source: Geography';

-- Trigger AFTER a change of what the places of a dataset are made of: keep them.
CREATE FUNCTION catalogue.follow_places() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    IF TG_TABLE_NAME = 'files' THEN
        PERFORM catalogue.keep_places(NEW.dataset, NEW.id);
    ELSE
        PERFORM catalogue.keep_places(NEW.id, NULL);
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION catalogue.dataset_extent(dataset text) RETURNS float8[] LANGUAGE plpgsql STABLE STRICT AS
$$
BEGIN
    -- the widest gap between longitudes is outside, rather that over the antimeridian
    RETURN (WITH places AS (SELECT (p.box[1])[0] AS west, (p.box[0])[0] AS east, (p.box[1])[1] AS south,
                    (p.box[0])[1] AS north
                FROM catalogue.dataset_place p WHERE p.dataset = $1),
            gaps AS (SELECT max(g.east) OVER (ORDER BY g.west, g.east ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                    AS begins, g.west AS ends, 0 AS turns FROM places g
                UNION ALL SELECT max(g.east), min(g.west), 360 FROM places g),
            widest AS (SELECT * FROM gaps g WHERE g.ends + g.turns > g.begins
                ORDER BY g.ends + g.turns - g.begins DESC, g.turns DESC LIMIT 1)
        SELECT ARRAY[coalesce(w.ends, -180), min(p.south), coalesce(w.begins, 180), max(p.north)]
        FROM places p LEFT JOIN widest w ON true
        GROUP BY w.begins, w.ends);
END
$$;
COMMENT ON FUNCTION catalogue.dataset_extent(text) IS
'Return the extent of a dataset
Arguments: dataset, its id.
Returns: an array of west, south, east and north in degrees, which contains the places of the files that outsiders see
once they see the dataset, and those of spatial of its optionals. Where west is greater than east, it crosses the
antimeridian. NULL where there is no place.
Source: Geography';

-- Return the place of a dataset that says none, as catalogue.dcat_places(); part of catalogue.dcat_datasets().  It is
-- the box of its extent and the middle of that, NULL where there is none.
CREATE FUNCTION catalogue.dcat_extent(dataset text) RETURNS jsonb LANGUAGE plpgsql STABLE STRICT AS
$$
DECLARE
    extent  CONSTANT float8[] := catalogue.dataset_extent(dataset);
    east    CONSTANT float8 := extent[3] + CASE WHEN extent[1] > extent[3] THEN 360 ELSE 0 END;
    middle  CONSTANT float8 := (extent[1] + east) / 2;
    edge    CONSTANT text[] := ARRAY(
                SELECT trim_scale(round(d.degrees::numeric, 7))::text
                FROM unnest(extent || ARRAY[middle - CASE WHEN middle > 180 THEN 360 ELSE 0 END,
                    (extent[2] + extent[4]) / 2]) WITH ORDINALITY d(degrees, n)
                ORDER BY d.n);
BEGIN
    RETURN CASE WHEN extent IS NOT NULL THEN jsonb_build_array(jsonb_build_object(
        'bbox', catalogue.dcat_box(edge[1:4]), 'centroid', format('POINT(%s %s)', edge[5], edge[6]))) END;
END
$$;
