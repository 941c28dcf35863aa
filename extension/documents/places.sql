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
-- catalogue.dcat_value().  A place is where its box is, else its shapes, else its centroid.
CREATE FUNCTION catalogue.place_extents(spatial json) RETURNS SETOF float8[] LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN QUERY SELECT s.extent
        FROM jsonb_array_elements(catalogue.dcat_value('places', spatial::jsonb)) e(place),
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

-- Part of catalogue.dataset_extent().
CREATE FUNCTION catalogue.dataset_extent_part(dataset text) RETURNS float8[] LANGUAGE plpgsql STABLE AS
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
CREATE FUNCTION catalogue.dataset_extent(dataset text) RETURNS float8[]
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.dataset_extent(text) IS
'Return the extent of a dataset
Arguments: dataset, its id.
Returns: an array of west, south, east and north in degrees, which contains the places of the files that outsiders see
once they see the dataset, and those of spatial of its optionals. Where west is greater than east, it crosses the
antimeridian. NULL where there is no place.
Source: Geography';

-- Return the place of a dataset that says none, as catalogue.dcat_value() does; part of catalogue.dcat_write().  It is
-- the box of its extent, the middle of that, and its area, in two parts where the box crosses the antimeridian; NULL
-- where there is none.
CREATE FUNCTION catalogue.dcat_extent(dataset text) RETURNS jsonb LANGUAGE plpgsql STABLE STRICT AS
$$
DECLARE
    extent  CONSTANT float8[] := catalogue.dataset_extent_part(dataset);
    east    CONSTANT float8 := extent[3] + CASE WHEN extent[1] > extent[3] THEN 360 ELSE 0 END;
    middle  CONSTANT float8 := (extent[1] + east) / 2;
    edge    CONSTANT text[] := ARRAY(
                SELECT trim_scale(round(d.degrees::numeric, 7))::text
                FROM unnest(extent || ARRAY[middle - CASE WHEN middle > 180 THEN 360 ELSE 0 END,
                    (extent[2] + extent[4]) / 2]) WITH ORDINALITY d(degrees, n)
                ORDER BY d.n);
BEGIN
    RETURN CASE WHEN extent IS NOT NULL THEN jsonb_build_array(jsonb_build_object(
        'bbox', catalogue.dcat_box(edge[1:4]), 'centroid', format('POINT(%s %s)', edge[5], edge[6]),
        'geometry', jsonb_build_array(CASE WHEN extent[1] <= extent[3] THEN catalogue.dcat_box(edge[1:4])
            ELSE replace(format('MULTIPOLYGON(%s, %s)', catalogue.dcat_box(ARRAY[edge[1], edge[2], '180', edge[4]]),
                catalogue.dcat_box(ARRAY['-180', edge[2], edge[3], edge[4]])), 'POLYGON((', '((') END))) END;
END
$$;

-- Return an extent as GeoJSON; part of catalogue.extent_svg().  Edges have places at each ten degrees or less, so that
-- they lead that way round the earth.
CREATE FUNCTION catalogue.extent_shape(extent float8[]) RETURNS json LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    width  CONSTANT float8 := extent[3] - extent[1] + CASE WHEN extent[1] > extent[3] THEN 360 ELSE 0 END;
    parts  CONSTANT integer := ceil(greatest(width, 1) / 10);
BEGIN
    IF width = 0 AND extent[2] = extent[4] THEN
        RETURN json_build_object('type', 'Point', 'coordinates', extent[1:2]);
    END IF;
    RETURN (SELECT json_build_object('type', 'Polygon', 'coordinates', json_build_array(json_agg(ARRAY[
                CASE WHEN p.x > 180 THEN p.x - 360 ELSE p.x END, p.y] ORDER BY p.n)))
            FROM (SELECT n, extent[1] + width / parts * CASE WHEN n <= parts THEN n
                          ELSE greatest(2 * parts + 1 - n, 0) END,
                      CASE WHEN n BETWEEN parts + 1 AND 2 * parts + 1 THEN extent[4] ELSE extent[2] END
                  FROM generate_series(0, 2 * parts + 2) n) p(n, x, y));
END
$$;

CREATE FUNCTION catalogue.extent(dataset text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply := catalogue.item('datasets', dataset, 'fields=id', actor => actor);
BEGIN
    reply.etag := NULL;
    reply.data := format('{"extent":%s}', coalesce(to_json(catalogue.dataset_extent(reply.id))::text, 'null'));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.extent(text, jsonb) IS
'Return the extent of a dataset that the caller sees
Arguments: dataset, its id or slug.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user.
Returns: data is an object: extent, as of catalogue.dataset_extent().
Errors: OD404 no such dataset; OD401 the actor''s user may not log in.
Source: Geography';

-- Part of catalogue.extent_picture().
CREATE FUNCTION catalogue.extent_picture_part(dataset text, name text, language text) RETURNS text
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    shape  CONSTANT json := catalogue.extent_shape(catalogue.dataset_extent_part(dataset));
BEGIN
    IF language <> ALL (catalogue.picture_languages()) THEN
        RAISE SQLSTATE 'OD422' USING MESSAGE = format('invalid value for parameter "lang": "%s"', language),
            HINT = format('It takes %s.', array_to_string(catalogue.picture_languages(), ', '));
    ELSIF shape IS NULL THEN
        RAISE SQLSTATE 'OD409' USING MESSAGE = format('Dataset "%s" has no place', dataset),
            HINT = 'It has those of its published geographic files, and of spatial of its optionals.';
    END IF;
    RETURN catalogue.map_drawn(shape::text, name, coalesce(language, catalogue.picture_language()));
END
$$;

CREATE FUNCTION catalogue.extent_picture(dataset text, name text, language text) RETURNS text
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.extent_picture(text, text, text) IS
'Draw the extent of a dataset; part of catalogue.extent_svg()
Arguments: dataset, its id.  name, its headline.  language, of the texts; NULL: that of the catalogue.';

CREATE FUNCTION catalogue.extent_svg(dataset text, query text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply := catalogue.item('datasets', dataset, 'fields=name', actor => actor);
BEGIN
    reply.etag := NULL;
    reply.data := catalogue.extent_picture(reply.id, reply.data::json ->> 'name',
        substring(query FROM '(?:^|&)lang=([^&]*)'));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.extent_svg(text, text, jsonb) IS
'Draw the extent of a dataset as SVG
Arguments: dataset, actor: as for catalogue.extent().  query: lang, as of catalogue.chart_svg().
Returns: data is the text of an SVG document as of catalogue.map_svg(): the rectangle, or the place, on land.
Errors: OD404 no such dataset; OD409 it has no place; OD422 another language; OD401 the actor''s user may not log in.
Source: Geography';
