-- DCAT: what the catalogue says of datasets in the words of DCAT 3 and DCAT-AP, by the table of dcat_properties.c.

-- Return records without what is null; part of catalogue.dcat_write().
CREATE FUNCTION catalogue.dcat_records(records json) RETURNS jsonb[] LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    -- escapes of U+0000 and of half a pair of surrogates
    unfit  CONSTANT text := '(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89abAB]..(?!\\u[dD][c-fC-F])'
        '|(?<!\\u[dD][89abAB]..\\u)[dD][c-fC-F]..)';
BEGIN
    RETURN ARRAY(SELECT jsonb_strip_nulls(e.record::jsonb) FROM json_array_elements(records) e(record));
EXCEPTION WHEN numeric_value_out_of_range OR untranslatable_character OR invalid_text_representation THEN
    -- optional values may contain numbers that jsonb cannot, and nothing here reads numbers of them; those that a
    -- statement has written also characters
    RETURN ARRAY(SELECT jsonb_array_elements(jsonb_strip_nulls(string_agg(CASE WHEN t.part[1] ^@ '"'
            THEN regexp_replace(t.part[1], unfit, '\1\\ufffd', 'g')
            ELSE regexp_replace(t.part[1], '[0-9.]+[eE][-+]?[0-9]+|[0-9]{250}[0-9]*', '0', 'g') END, ''
            ORDER BY t.n)::jsonb))
        FROM regexp_matches(records::text, '"(?:[^"\\]|\\.)*"|[^"]+', 'g') WITH ORDINALITY t(part, n));
END
$$;

-- Return what DCAT says of an optional value, which sources write in many ways.  Arguments: kind: text, the first one;
-- time, a date or a time of XML Schema; languages, an array of tags; textLanguage and translations, objects by field
-- and by tag; license, an object of iri or label; frequency, of code and interval; contacts, periods and places,
-- arrays of objects: of name and email; of start and end; of iri, label, bbox, centroid and geometry.  NULL where it
-- is none.
CREATE FUNCTION catalogue.dcat_value(kind text, given jsonb) RETURNS jsonb
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_value';

-- Return the time between two runs; part of catalogue.catalog().  The two runs are the first of 2024.
CREATE FUNCTION catalogue.dcat_interval(pattern text) RETURNS interval LANGUAGE plpgsql STABLE STRICT AS
$$
BEGIN
    RETURN (SELECT catalogue.next_run(pattern, f.first) - f.first
        FROM (SELECT catalogue.next_run(pattern, '2024-01-01 00:00:00+00')) f(first));
END
$$;

-- Return the frequency of runs; part of catalogue.catalog().  A frequency is a code and an interval.  Arguments: gap,
-- between two runs; one that is NULL is irregular.
CREATE FUNCTION catalogue.dcat_frequency(gap interval) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_build_object('code', coalesce(f.code, 'IRREG'), 'interval',
            coalesce(upper(f.names[1]), 'irregular'))
        -- a row also where no frequency is as long
        FROM (VALUES (true)) one
            LEFT JOIN (SELECT v.code, v.names FROM catalogue.vocabulary() v
                       WHERE gap <= v.upto ORDER BY v.upto LIMIT 1) f ON true);
END
$$;

-- Return frequencies by pattern; part of catalogue.dcat_write().  Files have few patterns, and to find the next run of
-- one takes as long as the rest of a dataset. Arguments: datasets, records with files.  Returns: an object with what
-- catalogue.dcat_frequency() returns and rank, 1 for the shortest interval, by pattern; '' has files without one.
CREATE FUNCTION catalogue.dcat_frequencies(datasets jsonb[]) RETURNS jsonb LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_object_agg(p.pattern, catalogue.dcat_frequency(p.gap) || jsonb_build_object('rank', p.rank))
        FROM (SELECT g.pattern, g.gap, row_number() OVER (ORDER BY g.gap, g.pattern) AS rank
              FROM (SELECT f.pattern, catalogue.dcat_interval(nullif(f.pattern, '')) AS gap
                    FROM (SELECT DISTINCT coalesce(e.file #>> '{updateFrequency,timePattern}', '')
                          FROM unnest(datasets) d(dataset),
                              jsonb_array_elements(d.dataset -> 'files') e(file)) f(pattern) OFFSET 0) g) p);
END
$$;

-- Return the other end of a period that one end and its duration give, such as P1Y; part of
-- catalogue.dcat_written().  The end of days is the last day of the period, that of times the instant.  Arguments:
-- instant, a year, month, date or time; duration, of ISO 8601; starts, whether the instant is the start.
-- Returns: a date or time; NULL for another text, a duration of nothing, and an end outside of the years 1 to 9999.
CREATE FUNCTION catalogue.dcat_period_other(instant text, duration text, starts boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    timed   CONSTANT boolean := length(instant) > 10 OR duration ~ 'T';
    zone    CONSTANT text := coalesce(substring(substr(instant, 11) FROM '(?:Z|[+-]\d\d:\d\d)$'), '');
    day     CONSTANT interval := CASE WHEN timed THEN '0' ELSE '1 day' END;
    other   timestamp;
BEGIN
    IF btrim(duration) !~ ('^P(?=\d|T\d)(\d{1,4}Y)?(\d{1,5}M)?(\d{1,5}W)?(\d{1,6}D)?'
            '(T(?=\d)(\d{1,7}H)?(\d{1,8}M)?(\d{1,9}(\.\d{1,6})?S)?)?$') OR duration !~ '[1-9]' THEN
        RETURN NULL;
    END IF;
    other := left(instant, length(instant) - length(zone)) || substr('0001-01-01', length(instant) + 1);
    other := CASE WHEN starts THEN other + btrim(duration)::interval - day
        ELSE other + CASE length(instant) WHEN 4 THEN '1 year' WHEN 7 THEN '1 month' WHEN 10 THEN '1 day' ELSE '0' END
            ::interval - btrim(duration)::interval END;
    RETURN CASE WHEN other NOT BETWEEN '0001-01-01' AND '9999-12-31 23:59:59.999999' THEN NULL
        WHEN timed THEN regexp_replace(to_char(other, 'YYYY-MM-DD"T"HH24:MI:SS.US'), '\.?0+$', '') || zone
        ELSE to_char(other, 'YYYY-MM-DD') END;
EXCEPTION WHEN data_exception THEN
    -- outside of what PostgreSQL can compute, or with more digits of a second than it reads
    RETURN NULL;
END
$$;

-- Return a box as WKT.  Arguments: edge, the least longitude and latitude, and the greatest.
CREATE FUNCTION catalogue.dcat_box(edge text[]) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_box';

-- Return the edges of a box that catalogue.dcat_box() has written, as it takes them; NULL of another text.
CREATE FUNCTION catalogue.dcat_edge(bbox text) RETURNS text[]
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_edge';

-- Return GeoJSON as an object; part of catalogue.dcat_written().  A text that is no JSON, or is nested too deep, stays
-- one.
CREATE FUNCTION catalogue.dcat_geojson(value text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN CASE WHEN value ~ '^\s*\{' THEN jsonb_strip_nulls(value::jsonb) ELSE to_jsonb(value) END;
EXCEPTION WHEN data_exception OR statement_too_complex THEN
    RETURN to_jsonb(value);
END
$$;

-- Return the identifiers of datasets that others had before; part of catalogue.dcat_write().  Datasets of several
-- sources may have the same optional value identifier. It is that of the one that was created first; another one is
-- given with its source before it, or by its id where that is not unique either. Datasets that are deleted, or that
-- nobody sees, count as well, so that identifiers stay when records come and go. Each look-up is by an index.
-- Arguments: datasets, records with id, createdAt and optionals.  Returns: an object with the identifiers of the others
-- by id.
CREATE FUNCTION catalogue.dcat_identifiers(datasets jsonb[]) RETURNS jsonb LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_object_agg(o.id, CASE WHEN f.whole THEN o.id ELSE o.whole END)
        FROM unnest(datasets) d(dataset)
            JOIN LATERAL (SELECT d.dataset ->> 'id' AS id, (d.dataset ->> 'createdAt')::timestamptz AS created_at,
                              d.dataset #>> '{optionals,identifier}' AS identifier,
                              (d.dataset #>> '{optionals,source}') || '#' || (d.dataset #>> '{optionals,identifier}')
                                  AS whole
                          WHERE jsonb_typeof(d.dataset #> '{optionals,identifier}') = 'string') o ON true
            JOIN LATERAL (SELECT bool_or(o.whole IS NULL OR o.whole IN (t.optionals ->> 'identifier',
                                     (t.optionals ->> 'source') || '#' || (t.optionals ->> 'identifier'))) AS whole
                          FROM catalogue.datasets t
                          WHERE (t.optionals ->> 'identifier' = o.identifier OR t.optionals ->> 'identifier' = o.whole
                                  OR (t.optionals ->> 'source') || '#' || (t.optionals ->> 'identifier') = o.identifier)
                              AND (t.created_at, t.id) < (o.created_at, o.id)) f ON f.whole IS NOT NULL);
END
$$;

-- Return datasets in a format of DCAT; part of catalogue.dcat_write().  Arguments: records, with organization,
-- categories, subcategories, tags, and files with their type and updateFrequency.  format, of catalogue.rdf_write();
-- dcatus, objects with commas between them; or said, likewise what all formats are made of: members named as in DCAT,
-- but iri, theme (the categories), subject (other themes), contacts, language (the tag of its texts), languages
-- (tags), frequency, type and further (identifiers that it has besides).  base, address of the service, without a
-- slash at the end.  settings, of catalogue.dcat_settings(), with frequencies, of catalogue.dcat_frequencies();
-- identifiers, of catalogue.dcat_identifiers(); extents, of catalogue.dcat_extent() by id; and page, of
-- catalogue.dcat_links(), unless it is to be of the datasets alone.
CREATE FUNCTION catalogue.dcat_written(records jsonb[], format text, base text, settings jsonb) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_written';
