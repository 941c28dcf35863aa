-- DCAT: what the catalogue says of datasets in the words of DCAT 3 and DCAT-AP, first as JSON, then as triples.

-- Return texts of an optional value; part of catalogue.catalog().  An optional value is a text or a list of texts, of
-- which each may be an object of JSON-LD with its value or address. Returns NULL if it has none.
CREATE FUNCTION catalogue.dcat_texts(value jsonb) RETURNS text[]
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_texts';

-- Return the first text of an optional value; part of catalog().
CREATE FUNCTION catalogue.dcat_text(value jsonb) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_text';

-- Return records without what is null; part of catalogue.dcat_write().
CREATE FUNCTION catalogue.dcat_records(records json) RETURNS jsonb[] LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN ARRAY(SELECT jsonb_strip_nulls(e.record::jsonb) FROM json_array_elements(records) e(record));
EXCEPTION WHEN numeric_value_out_of_range THEN
    -- optional values may contain numbers that jsonb cannot, and nothing here reads numbers of them; texts stay
    RETURN ARRAY(SELECT jsonb_array_elements(jsonb_strip_nulls(string_agg(CASE WHEN t.part[1] ^@ '"' THEN t.part[1]
            ELSE regexp_replace(t.part[1], '[0-9.]+[eE][-+]?[0-9]+|[0-9]{250}[0-9]*', '0', 'g') END, ''
            ORDER BY t.n)::jsonb))
        FROM regexp_matches(records::text, '"(?:[^"\\]|\\.)*"|[^"]+', 'g') WITH ORDINALITY t(part, n));
END
$$;

-- Return language tags; part of catalogue.catalog().  The language tags (BCP 47) of an optional value, of which a text
-- may be an address, each once; NULL if it has none.  A language has the region that texts, the optional value
-- textLanguage where it is a text, have in it: an address has none.
CREATE FUNCTION catalogue.dcat_languages(value jsonb, texts jsonb DEFAULT 'null') RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    region  CONSTANT text := CASE jsonb_typeof(texts) WHEN 'string'
                THEN substring(texts #>> '{}' FROM '^[a-z]+-.*') END;
    given   CONSTANT text[] := catalogue.dcat_texts(value);
BEGIN
    IF given IS NULL THEN
        RETURN NULL;
    -- most have one, a code
    ELSIF cardinality(given) = 1 AND given[1] ~ '^[a-z]{2}$' AND region IS NULL THEN
        RETURN given;
    END IF;
    RETURN (SELECT array_agg(l.tag ORDER BY l.n)
        FROM (SELECT CASE t.tag WHEN split_part(region, '-', 1) THEN region ELSE t.tag END, min(t.n)
              FROM (SELECT coalesce(catalogue.vocabulary_terms(false) #>> ARRAY['language', lower(w.tag), 'name'],
                               lower(w.tag)), t.n
                    FROM unnest(given) WITH ORDINALITY t(text, n),
                        regexp_replace(t.text, '^https?://.*[/#]', '') w(tag)
                    WHERE w.tag ~ '^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,3}$') t(tag, n)
              GROUP BY 1) l(tag, n));
END
$$;

-- Return the first language tag; part of catalogue.catalog().
CREATE FUNCTION catalogue.dcat_language(value jsonb) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT (catalogue.dcat_languages(value))[1];
END;

-- Return the IRI of a language; part of catalogue.catalog().  The IRI of a language is that of the EU's authority
-- table, or else that of the Library of Congress.
CREATE FUNCTION catalogue.dcat_language_iri(tag text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    language  CONSTANT text := split_part(tag, '-', 1);
BEGIN
    RETURN coalesce('http://publications.europa.eu/resource/authority/language/'
            || (catalogue.vocabulary_terms(false) #>> ARRAY['language', language, 'code']),
        'http://id.loc.gov/vocabulary/iso639-' || length(language) - 1 || '/' || language);
END
$$;

-- Return what an optional value names; part of catalogue.catalog().  Returns an object with the iri, or with a label if
-- the text is no address.
CREATE FUNCTION catalogue.dcat_term(value text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    iri  CONSTANT text := catalogue.rdf_iri(value);
BEGIN
    RETURN CASE WHEN iri IS NULL THEN jsonb_build_object('label', value) ELSE jsonb_build_object('iri', iri) END;
END
$$;

-- Return the license of an optional; part of catalogue.catalog().  A license is an address, the name of one that is
-- known, or another text, which is its label.
CREATE FUNCTION catalogue.dcat_license(value jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    given  CONSTANT text := catalogue.dcat_text(value);
BEGIN
    RETURN catalogue.dcat_term(CASE WHEN given ~* '^https?:' THEN given
        ELSE coalesce(catalogue.vocabulary_terms(false)
            #>> ARRAY['licence', lower(regexp_replace(given, '[^A-Za-z0-9]', '', 'g')), 'code'], given) END);
END
$$;

-- Return the identifiers of a dataset besides that which is given on; part of catalogue.dcat_datasets().  Arguments:
-- given, its optionals; renamed, its own identifier is not given on, since another dataset has it.  Returns: a text, an
-- array of several; NULL: none.
CREATE FUNCTION catalogue.dcat_further(given jsonb, renamed boolean) RETURNS jsonb LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT CASE pg_catalog.count(DISTINCT i.text) WHEN 0 THEN NULL WHEN 1 THEN to_jsonb(min(i.text))
        ELSE jsonb_agg(DISTINCT i.text) END
    FROM (SELECT given ->> 'identifier' WHERE renamed
        UNION ALL
        SELECT catalogue.dcat_text(e.value) FROM jsonb_path_query(given, '$.otherIdentifier[*]') e(value)) i(text)
    WHERE i.text <> '';
END;

-- Return the language of texts of a dataset that have none of their own; part of catalogue.dcat_datasets().  That is
-- the one of its name, else the catalogue's if it is one of the dataset's, which have no order.
CREATE FUNCTION catalogue.dcat_language_of(texts jsonb, languages text[], usual text) RETURNS text
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT coalesce(texts ->> 'name', CASE WHEN usual = ANY (languages) THEN usual END, languages[1], usual);
END;

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

-- Return the frequency that a source names; part of catalogue.catalog().
CREATE FUNCTION catalogue.dcat_frequency_named(value jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE STRICT AS
$$
DECLARE
    term  jsonb;
BEGIN
    term := catalogue.vocabulary_said('frequency', catalogue.dcat_text(value));
    RETURN CASE WHEN term IS NOT NULL THEN jsonb_build_object('code', term -> 'code', 'interval',
        CASE term ->> 'code' WHEN 'IRREG' THEN term ->> 'name' ELSE upper(term ->> 'name') END) END;
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

-- Return IRIs of an optional value; part of catalogue.catalog().
CREATE FUNCTION catalogue.dcat_iris(value jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN (SELECT nullif(array_agg(i.iri ORDER BY t.n), '{}')
        FROM unnest(catalogue.dcat_texts(value)) WITH ORDINALITY t(text, n), catalogue.rdf_iri(t.text) i(iri)
        WHERE i.iri IS NOT NULL);
END
$$;

-- Return who may have the data; part of catalogue.dcat_datasets().  Arguments: given, the optional values accessLevel,
-- of DCAT-US, and accessRights. The code is that of the EU's authority table: PUBLIC, RESTRICTED or NON_PUBLIC.
CREATE FUNCTION catalogue.dcat_access(given jsonb) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT coalesce('{"restricted": "RESTRICTED", "restricted public": "RESTRICTED", "non_public": "NON_PUBLIC",
            "non-public": "NON_PUBLIC", "confidential": "NON_PUBLIC", "sensitive": "NON_PUBLIC"}'::jsonb
        ->> lower(regexp_replace(btrim(coalesce(given ->> 'accessLevel', given #>> '{accessRights,@id}',
            given ->> 'accessRights')), '^.*[/#:]', '')), 'PUBLIC');
END;

-- Return the names of records; part of catalogue.dcat_datasets().
CREATE FUNCTION catalogue.dcat_names(records jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT nullif(jsonb_path_query_array(records, '$[*].name'), '[]');
END;

-- Return categories as themes; part of catalogue.dcat_datasets().  The IRI of a category is that of the EU's data theme
-- with its name as a label, if there is one.
CREATE FUNCTION catalogue.dcat_themes(categories jsonb, subcategories jsonb, base text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_agg(jsonb_build_object('iri', coalesce(
                'http://publications.europa.eu/resource/authority/data-theme/'
                    || (catalogue.vocabulary_terms(true) #>> ARRAY['data-theme', lower(e.record ->> 'name'), 'code']),
                base || '/categories/' || (e.record ->> 'id')), 'label', e.record -> 'name'))
        FROM jsonb_array_elements(categories || coalesce(subcategories, '[]')) e(record));
END
$$;

-- Return the name in an optional value; part of catalogue.catalog().  Arguments: value, a name or an object with one.
-- members, of the object, that may have the name.
CREATE FUNCTION catalogue.dcat_name(value jsonb, members text[]) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_name';

-- Return an email address as an IRI; part of catalogue.catalog().
CREATE FUNCTION catalogue.dcat_email(address text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT catalogue.rdf_iri('mailto:' || regexp_replace(address, '^\s*mailto:', '', 'i'));
END;

-- Return a person or office to ask; part of catalogue.dcat_contacts().  Arguments: point, an object of fn and hasEmail,
-- or a name.  usual, whose name one without a name has; other, an object that it begins with.  NULL if it says neither.
CREATE FUNCTION catalogue.dcat_contact(point jsonb, usual jsonb, other jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    name   CONSTANT text := catalogue.dcat_name(point, '{fn}');
    email  CONSTANT text := catalogue.dcat_email(catalogue.dcat_text(point -> 'hasEmail'));
BEGIN
    RETURN CASE WHEN coalesce(name, email) IS NOT NULL THEN other
        || jsonb_strip_nulls(jsonb_build_object('name', coalesce(name, usual ->> 'name'), 'email', email)) END;
END
$$;

-- Return whom to ask about a dataset; part of catalogue.dcat_datasets().  Arguments: point, the optional value
-- contactPoint, as of catalogue.dcat_contact(), or a list of such.  usual, who it is without one; other, as for that.
-- Returns: an array of objects of name and email, each once, in an order of its own, since several have none; NULL if
-- there is none.
CREATE FUNCTION catalogue.dcat_contacts(point jsonb, usual jsonb, other jsonb DEFAULT '{}') RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    found  jsonb;
BEGIN
    -- most have none, or one
    IF jsonb_typeof(point) = 'array' THEN
        found := (SELECT jsonb_agg(DISTINCT c.contact)
                  FROM jsonb_array_elements(point) e(one), catalogue.dcat_contact(e.one, usual, other) c(contact)
                  WHERE c.contact IS NOT NULL);
    ELSIF point IS NOT NULL THEN
        found := nullif(jsonb_build_array(catalogue.dcat_contact(point, usual, other)), '[null]');
    END IF;
    RETURN coalesce(found, nullif(jsonb_build_array(other || usual), '[null]'));
END
$$;

-- Return the IRI of a file type; part of catalogue.catalog().  The IRI is that of the EU's authority table; NULL if the
-- type is not in it.
CREATE FUNCTION catalogue.dcat_format(name text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT 'http://publications.europa.eu/resource/authority/file-type/'
        || (catalogue.vocabulary_terms(false) #>> ARRAY['file-type', lower(name), 'code']);
END;

-- Return a text as its source has it; part of catalogue.catalog().  A text that an import has cut ends with an
-- ellipsis, and an optional value has all of it.
CREATE FUNCTION catalogue.dcat_whole(cut text, whole jsonb) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT CASE WHEN cut LIKE '%…' AND whole #>> '{}' ^@ left(cut, -1) THEN whole #>> '{}' ELSE cut END;
END;

-- Return the languages of texts; part of catalogue.catalog().  Arguments: language, the optional value textLanguage, a
-- tag, or an object of one for each of name, description and tags.  Returns: a tag for each that has one.
CREATE FUNCTION catalogue.dcat_text_languages(language jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN (SELECT nullif(jsonb_strip_nulls(jsonb_object_agg(f.field, catalogue.dcat_language(
            CASE jsonb_typeof(language) WHEN 'object' THEN language -> f.field ELSE language END))), '{}')
        FROM unnest('{name,description,tags}'::text[]) f(field));
END
$$;

-- Return texts in other languages; part of catalogue.catalog().  Arguments: others, the optional value translations, an
-- object of name, description and tags by language.  Returns: those that are so, by language tag; und for texts without
-- one.  NULL for none.
CREATE FUNCTION catalogue.dcat_translations(others jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN CASE WHEN jsonb_typeof(others) = 'object' THEN (
        SELECT jsonb_object_agg(t.tag, jsonb_strip_nulls(jsonb_build_object(
            'name', catalogue.dcat_text(t.said -> 'name'),
            'description', catalogue.dcat_text(t.said -> 'description'),
            'tags', to_jsonb(catalogue.dcat_texts(t.said -> 'tags')))))
        FROM (SELECT coalesce(catalogue.dcat_language(to_jsonb(e.key)), 'und'), e.value FROM jsonb_each(others) e)
            t(tag, said)
        WHERE jsonb_typeof(t.said) = 'object') END;
END
$$;

-- Return a date or time of an optional; part of catalogue.catalog().  Returns: a date, or a date and time as XML Schema
-- has it; NULL where the optional value is neither.
CREATE FUNCTION catalogue.dcat_time(value jsonb) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_time';

-- Return a year, month, date or time; part of catalogue.catalog().  NULL for another text.
CREATE FUNCTION catalogue.dcat_instant(given text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_instant';

-- Return the data type of what catalogue.dcat_instant() returns.
CREATE FUNCTION catalogue.dcat_instant_kind(instant text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT CASE length(instant) WHEN 4 THEN 'xsd:gYear' WHEN 7 THEN 'xsd:gYearMonth' WHEN 10 THEN 'xsd:date'
        ELSE 'xsd:dateTime' END;
END;

-- Return the other end of a period that one end and its duration give, such as P1Y; part of
-- catalogue.dcat_period().  The end of days is the last day of the period, that of times the instant.  Arguments:
-- instant, what catalogue.dcat_instant() returns; duration, of ISO 8601; starts, whether the instant is the start.
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
END
$$;

-- Return a period; part of catalogue.dcat_periods().  Returns: an object of start and end, of which one may be missing;
-- NULL if it has neither.
CREATE FUNCTION catalogue.dcat_period(one jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    given       CONSTANT text := catalogue.dcat_text(one);
    start_given CONSTANT text := coalesce(catalogue.dcat_text(one -> 'startDate'),
        catalogue.dcat_text(jsonb_path_query_first(one, '$.hasBeginning.*')), split_part(given, '/', 1));
    end_given   CONSTANT text := coalesce(catalogue.dcat_text(one -> 'endDate'),
        catalogue.dcat_text(jsonb_path_query_first(one, '$.hasEnd.*')), split_part(given, '/', 2));
    first       CONSTANT text := catalogue.dcat_instant(start_given);
    last        CONSTANT text := catalogue.dcat_instant(end_given);
BEGIN
    RETURN nullif(jsonb_strip_nulls(jsonb_build_object(
        'start', coalesce(first, catalogue.dcat_period_other(last, start_given, false)),
        'end', coalesce(last, catalogue.dcat_period_other(first, end_given, true)))), '{}');
END
$$;

-- Return periods; part of catalogue.catalog().  A period is a text with a slash between two instants, or an instant
-- and a duration, or an object of startDate and endDate, or of hasBeginning and hasEnd; value, one or a list.
-- Returns: an array of what catalogue.dcat_period() returns; NULL if there is none.
CREATE FUNCTION catalogue.dcat_periods(value jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    -- most have one
    IF jsonb_typeof(value) <> 'array' THEN
        RETURN nullif(jsonb_build_array(catalogue.dcat_period(value)), '[null]');
    END IF;
    RETURN (SELECT jsonb_agg(p.period ORDER BY e.n)
        FROM jsonb_array_elements(value) WITH ORDINALITY e(one, n), catalogue.dcat_period(e.one) p(period)
        WHERE p.period IS NOT NULL);
END
$$;

-- Return a box as WKT; part of catalogue.dcat_place().  Arguments: edge, the least longitude and latitude, and the
-- greatest.
CREATE FUNCTION catalogue.dcat_box(edge text[]) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT format('POLYGON((%1$s %2$s, %3$s %2$s, %3$s %4$s, %1$s %4$s, %1$s %2$s))', VARIADIC edge);
END;

-- Return the edges of a box that catalogue.dcat_box() has written, as it takes them; NULL of another text.
CREATE FUNCTION catalogue.dcat_edge(bbox text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    number  CONSTANT text := '([-+]?\d{1,3}(?:\.\d+)?)';
    edge    CONSTANT text[] := regexp_match(bbox,
                format('^POLYGON\(\(%1$s %1$s, %1$s [^ ]+ [^ ]+ %1$s,', number));
BEGIN
    RETURN CASE WHEN edge IS NULL THEN NULL WHEN bbox = catalogue.dcat_box(edge) THEN edge END;
END
$$;

-- Return the place that a text says; part of catalogue.dcat_place().  A text is a box, of the least longitude and
-- latitude and the greatest; ENVELOPE of longitudes and latitudes; WKT; GeoJSON; an address; or a name.
CREATE FUNCTION catalogue.dcat_place_of_text(value text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    number  CONSTANT text := '\s*([-+]?\d{1,3}(?:\.\d+)?)\s*';
    wkt     CONSTANT text := '^\s*(<[^<>\s]*>\s*|SRID=\d+;\s*)?(MULTI)?'
                '(POINT|LINESTRING|POLYGON|GEOMETRYCOLLECTION)\s*(ZM?|M)?\s*\(';
    edge    text[];
    other   text[];
BEGIN
    -- most are names or addresses
    IF value !~ '[(,{]' THEN
        RETURN catalogue.dcat_term(value);
    END IF;
    edge := regexp_match(value, '^' || concat_ws(',', number, number, number, number) || '$');
    IF edge IS NULL THEN
        other := regexp_match(value,
            '(?i)^\s*ENVELOPE\s*\(' || concat_ws(',', number, number, number, number) || '\)\s*$');
        edge := ARRAY[other[1], other[4], other[2], other[3]];
    END IF;
    RETURN CASE WHEN edge[1] IS NOT NULL THEN jsonb_build_object('bbox', catalogue.dcat_box(edge))
        WHEN value ~* wkt OR value ~ '^\s*\{' AND value ~ '"coordinates"'
            THEN jsonb_build_object('geometry', jsonb_build_array(value))
        ELSE catalogue.dcat_term(value) END;
END
$$;

-- Return GeoJSON as an object; part of catalogue.dcat_place_said().  A text that is no JSON stays one.
CREATE FUNCTION catalogue.dcat_geojson(value text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN CASE WHEN value ~ '^\s*\{' THEN value::jsonb ELSE to_jsonb(value) END;
EXCEPTION WHEN data_exception THEN
    RETURN to_jsonb(value);
END
$$;

-- Return how data.json has a place; part of catalogue.dcat_place().  DCAT-US has an address, a name, a box or a shape;
-- what is more than one of them is an object as DCAT has it.
CREATE FUNCTION catalogue.dcat_place_said(place jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    edge    CONSTANT text[] := catalogue.dcat_edge(place ->> 'bbox');
    shapes  CONSTANT integer := jsonb_array_length(place -> 'geometry');
BEGIN
    RETURN CASE WHEN place - 'label' = '{}' THEN place -> 'label'
        WHEN place - 'iri' = '{}' THEN place -> 'iri'
        WHEN place - 'bbox' = '{}' AND edge IS NOT NULL
            THEN to_jsonb(array_to_string(edge, ','))
        WHEN place - 'geometry' = '{}' AND shapes = 1 THEN catalogue.dcat_geojson(place #>> '{geometry,0}')
        ELSE jsonb_strip_nulls(jsonb_build_object('@id', place -> 'iri', 'prefLabel', place -> 'label',
            'bbox', place -> 'bbox', 'centroid', place -> 'centroid',
            'geometry', CASE shapes WHEN 1 THEN place #> '{geometry,0}' ELSE place -> 'geometry' END)) END;
END
$$;

-- Return a place of an optional value; part of catalogue.catalog().  Arguments: value, a text, of
-- catalogue.dcat_place_of_text(); GeoJSON; or an object with @id, a name, bbox, centroid and geometry, as DCAT has
-- them.  Returns: an object of iri, label, bbox, centroid and geometry, a list of texts, without those that have no
-- value.  NULL if there is none.
CREATE FUNCTION catalogue.dcat_place(value jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    geojson  CONSTANT boolean := value ?| '{coordinates,geometries}' AND value ? 'type';
    outline  CONSTANT jsonb := value -> 'geometry';
BEGIN
    IF jsonb_typeof(value) <> 'object' OR value ? '@value' THEN
        RETURN catalogue.dcat_place_of_text(catalogue.dcat_text(value));
    END IF;
    RETURN nullif(jsonb_strip_nulls(CASE WHEN geojson
        THEN jsonb_build_object('geometry', jsonb_build_array(value::text))
        ELSE jsonb_build_object('iri', catalogue.rdf_iri(value ->> '@id'),
            'label', catalogue.dcat_name(value, '{prefLabel,label,name,title}'),
            'bbox', catalogue.dcat_text(value -> 'bbox'), 'centroid', catalogue.dcat_text(value -> 'centroid'),
            'geometry', CASE WHEN outline ? 'coordinates' THEN jsonb_build_array(outline::text)
                ELSE to_jsonb(catalogue.dcat_texts(outline)) END) END), '{}');
END
$$;

-- Return places; part of catalogue.catalog().  Arguments: value, one or a list.  NULL if there is none.
CREATE FUNCTION catalogue.dcat_places(value jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    -- most have one, a text
    IF jsonb_typeof(value) <> 'array' THEN
        RETURN nullif(jsonb_build_array(CASE jsonb_typeof(value)
            WHEN 'string' THEN catalogue.dcat_place_of_text(catalogue.dcat_text(value))
            ELSE catalogue.dcat_place(value) END), '[null]');
    END IF;
    RETURN (SELECT jsonb_agg(p.place ORDER BY e.n)
        FROM jsonb_array_elements(value) WITH ORDINALITY e(one, n), catalogue.dcat_place(e.one) p(place)
        WHERE p.place IS NOT NULL);
END
$$;

-- Return the series of a dataset; part of catalogue.catalog().  Arguments: value, the optional value inSeries, an
-- address, an object with @id, title and description, or a list; dataset, its iri.  Returns: an array of objects of
-- iri, title and description, of which each has all, and said, how it is given; NULL if there is none.
CREATE FUNCTION catalogue.dcat_series(value jsonb, dataset text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN (SELECT jsonb_agg(jsonb_build_object('iri', s.iri, 'title', coalesce(s.title, s.iri),
            'description', coalesce(catalogue.dcat_text(e.one -> 'description'), s.title, s.iri)) ORDER BY e.n)
        FROM jsonb_array_elements(CASE jsonb_typeof(value) WHEN 'array' THEN value ELSE jsonb_build_array(value) END)
                WITH ORDINALITY e(one, n),
            LATERAL (SELECT catalogue.dcat_name(e.one, '{title,name}')) t(title),
            LATERAL (SELECT coalesce(catalogue.rdf_iri(catalogue.dcat_text(e.one)),
                CASE WHEN t.title IS NOT NULL THEN dataset || '#series-' || e.n END), t.title) s(iri, title)
        WHERE s.iri IS NOT NULL);
END
$$;

-- Return what DCAT says of a file; part of dcat_datasets().  Arguments: file, the record with its type.  base,
-- address of the service.  usual, license and rights of the dataset, which hold for its files.
CREATE FUNCTION catalogue.dcat_distribution(file jsonb, base text, usual jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    medium  CONSTANT text :=
        '^(?:https?://www\.iana\.org/assignments/media-types/)?([A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+)$';
    own     CONSTANT jsonb := CASE jsonb_typeof(file -> 'optionals') WHEN 'object' THEN file -> 'optionals' END;
    iri     CONSTANT text := base || '/files/' || (file ->> 'id');
    bytes   CONSTANT text := CASE WHEN file ->> 'size' IS NULL THEN catalogue.rdf_iri(file ->> 'url')
                                 ELSE iri || '/download' END;
BEGIN
    RETURN jsonb_strip_nulls(jsonb_build_object(
        'iri', iri, 'title', catalogue.dcat_whole(file ->> 'name', own -> 'title'),
        'description', catalogue.dcat_whole(file ->> 'description', own -> 'description'),
        'textLanguage', catalogue.dcat_text_languages(own -> 'textLanguage'),
        'translations', catalogue.dcat_translations(own -> 'translations'),
        'downloadURL', bytes,
        'accessURL', coalesce(catalogue.rdf_iri(catalogue.dcat_text(own -> 'accessURL')), bytes, iri),
        'type', jsonb_build_object('iri', coalesce(catalogue.dcat_format(file #>> '{type,name}'),
            base || '/filetypes/' || coalesce(file #>> '{type,slug}', file #>> '{type,id}')),
            'name', file #> '{type,name}'),
        -- DCAT-US has application/octet-stream where nothing is known
        'mediaType', coalesce(nullif(substring(own ->> 'mediaType' FROM medium), 'application/octet-stream'),
            substring(file #>> '{type,mimetype,0}' FROM medium)),
        'byteSize', coalesce(file ->> 'size', substring(own ->> 'byteSize' FROM '^(\d{1,18})(?:\.0*)?$'))::bigint,
        'sha256', file -> 'sha256',
        'issued', coalesce(catalogue.dcat_time(own -> 'issued'), file ->> 'publishedAt', file ->> 'createdAt'),
        'modified', coalesce(catalogue.dcat_time(own -> 'modified'), file ->> 'updatedAt'),
        'describedBy', catalogue.rdf_iri(catalogue.dcat_text(own -> 'describedBy')),
        'conformsTo', to_jsonb(catalogue.dcat_iris(own -> 'conformsTo')),
        'license', coalesce(catalogue.dcat_license(own -> 'license'), usual -> 'license'),
        'rights', coalesce(catalogue.dcat_term(catalogue.dcat_text(own -> 'rights')), usual -> 'rights')));
END
$$;

-- Return the organization that another one is a part of; part of catalogue.catalog().  Arguments: part, its iri;
-- within, a name, an address, or an object with @id and name, or a list, of which the first counts.  Returns: iri,
-- name, NULL where only the address is known, and said, the object; no row if there is none.
CREATE FUNCTION catalogue.dcat_larger(part text, within jsonb, OUT iri text, OUT name text, OUT said jsonb)
    RETURNS SETOF record LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    said := CASE jsonb_typeof(within) WHEN 'array' THEN within -> 0 ELSE within END;
    name := catalogue.dcat_name(said, '{name,prefLabel,title}');
    iri := coalesce(catalogue.rdf_iri(catalogue.dcat_text(said)),
        CASE WHEN name IS NOT NULL THEN part || CASE WHEN part ~ '#' THEN '-within' ELSE '#within' END END);
    IF iri IS NOT NULL AND part IS NOT NULL THEN
        RETURN NEXT;
    END IF;
END
$$;

-- Return the publisher of a dataset; part of catalogue.catalog().  Arguments: organization of the dataset, id and name.
-- given, the optional value publisher: a name, or an object of name, mbox, homepage and subOrganizationOf, which hold
-- if the organization has that name.  usual, who is the publisher without both.  dataset, its iri.
CREATE FUNCTION catalogue.dcat_publisher(organization jsonb, given jsonb, usual jsonb, base text, dataset text)
    RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    first  CONSTANT jsonb := CASE jsonb_typeof(given) WHEN 'array' THEN given -> 0 ELSE given END;
    name   CONSTANT text := catalogue.dcat_name(first, '{name,title,prefLabel}');
    agent  jsonb := CASE WHEN organization ? 'id' THEN jsonb_build_object('name', organization -> 'name',
                        'iri', base || '/organizations/' || (organization ->> 'id')) END;
BEGIN
    agent := coalesce(agent, CASE WHEN name <> '' THEN jsonb_build_object('name', name, 'iri',
        coalesce(catalogue.rdf_iri(first ->> '@id'), dataset || '#publisher')) END, usual);
    RETURN CASE WHEN agent ->> 'name' = name THEN agent || jsonb_strip_nulls(jsonb_build_object(
            'email', catalogue.dcat_email(coalesce(first ->> 'mbox', first ->> 'email')),
            'homepage', catalogue.rdf_iri(coalesce(first ->> 'homepage', first ->> 'url')),
            'within', first -> 'subOrganizationOf'))
        ELSE agent END;
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

-- Return what DCAT says of datasets; part of catalogue.catalog().  All formats are made of these objects. Arguments:
-- records, with organization, categories, subcategories, tags, and files with their type and updateFrequency. base,
-- address of the service, without a slash at the end. settings, of catalogue.dcat_settings(), with frequencies, of
-- catalogue.dcat_frequencies(), and identifiers, of catalogue.dcat_identifiers(). Returns: an object for each, with
-- members named as in DCAT, but iri, theme (the categories), subject (other themes), contacts, language (the tag of its
-- texts), languages (tags), frequency, type and own (the identifier that it has in its source, where another dataset
-- has that), without those that have no value.
CREATE FUNCTION catalogue.dcat_datasets(records jsonb[], base text, settings jsonb) RETURNS jsonb[]
    LANGUAGE plpgsql STABLE SET jit = off AS
$$
BEGIN
    RETURN ARRAY(
        SELECT jsonb_strip_nulls(jsonb_build_object(
            'iri', d.iri, 'title', catalogue.dcat_whole(d.dataset ->> 'name', d.given -> 'title'), 'description',
            coalesce(catalogue.dcat_whole(d.dataset ->> 'description', d.given -> 'description'), d.dataset ->> 'name'),
            'language', catalogue.dcat_language_of(d.texts, d.languages, settings ->> 'language'),
            'languages', to_jsonb(coalesce(d.languages,
                string_to_array(coalesce(d.texts ->> 'name', settings ->> 'language'), ' '))),
            'textLanguage', d.texts, 'translations', catalogue.dcat_translations(d.given -> 'translations'),
            'keyword', catalogue.dcat_names(d.dataset -> 'tags'),
            'theme', catalogue.dcat_themes(d.dataset -> 'categories', d.dataset -> 'subcategories', base),
            'subject', to_jsonb(catalogue.dcat_iris(d.given -> 'theme')),
            'publisher', catalogue.dcat_publisher(d.dataset -> 'organization', d.given -> 'publisher',
                settings -> 'publisher', base, d.iri),
            'contacts', catalogue.dcat_contacts(d.given -> 'contactPoint', settings -> 'contact',
                CASE WHEN settings ->> 'profile' LIKE 'dcat-us-%' THEN settings -> 'address' ELSE '{}' END),
            'bureauCode', d.given -> 'bureauCode', 'programCode', d.given -> 'programCode',
            'issued', coalesce(catalogue.dcat_time(d.given -> 'issued'), d.dataset ->> 'publishedAt',
                d.dataset ->> 'createdAt'), 'modified', coalesce(catalogue.dcat_time(d.given -> 'modified'),
                greatest(d.dataset ->> 'updatedAt', f.changed)),
            'describedBy', catalogue.rdf_iri(catalogue.dcat_text(d.given -> 'describedBy')),
            'identifier', coalesce(settings #>> ARRAY['identifiers', d.dataset ->> 'id'],
                catalogue.dcat_text(d.given -> 'identifier'), d.dataset ->> 'id'),
            'further', CASE WHEN d.given ? 'otherIdentifier' OR settings -> 'identifiers' ? (d.dataset ->> 'id')
                THEN catalogue.dcat_further(d.given, settings -> 'identifiers' ? (d.dataset ->> 'id')) END,
            'landingPage', coalesce(catalogue.rdf_iri(catalogue.dcat_text(d.given -> 'landingPage')),
                nullif(settings ->> 'portal', base) || '/datasets/' || (d.dataset ->> 'slug'), d.iri),
            'frequency', coalesce(catalogue.dcat_frequency_named(d.given -> 'accrualPeriodicity'), f.frequency),
            'license', d.usual -> 'license', 'access', catalogue.dcat_access(d.given), 'rights', d.usual -> 'rights',
            'spatial', coalesce(catalogue.dcat_places(d.given -> 'spatial'),
                CASE WHEN EXISTS (SELECT FROM catalogue.dataset_place p WHERE p.dataset = d.dataset ->> 'id')
                    THEN catalogue.dcat_extent(d.dataset ->> 'id') END),
            'temporal', catalogue.dcat_periods(d.given -> 'temporal'),
            'inSeries', catalogue.dcat_series(d.given -> 'inSeries', d.iri),
            'version', catalogue.dcat_text(d.given -> 'version'),
            'conformsTo', to_jsonb(catalogue.dcat_iris(d.given -> 'conformsTo')), 'distribution', f.distribution))
        FROM (SELECT g.*, catalogue.dcat_text_languages(g.given -> 'textLanguage') AS texts,
                  catalogue.dcat_languages(g.given -> 'language', g.given -> 'textLanguage') AS languages,
                  -- what its files have as well
                  jsonb_build_object('license', catalogue.dcat_license(g.given -> 'license'),
                      'rights', catalogue.dcat_term(catalogue.dcat_text(g.given -> 'rights'))) AS usual
              FROM (SELECT r.dataset, r.n, base || '/datasets/' || (r.dataset ->> 'id') AS iri,
                        CASE jsonb_typeof(r.dataset -> 'optionals') WHEN 'object' THEN r.dataset -> 'optionals' END
                            AS given
                    FROM unnest(records) WITH ORDINALITY r(dataset, n) OFFSET 0) g OFFSET 0) d,
            LATERAL (SELECT jsonb_agg(catalogue.dcat_distribution(e.file, base, d.usual) ORDER BY e.n) AS distribution,
                         max(e.file ->> 'updatedAt') AS changed,
                         -- an import gives files an irregular frequency where its source has none
                         (array_agg(p.frequency - 'rank' ORDER BY p.frequency -> 'rank')
                             FILTER (WHERE NOT (d.given ? 'source' AND p.frequency ->> 'code' = 'IRREG')))[1]
                             AS frequency
                     FROM jsonb_array_elements(d.dataset -> 'files') WITH ORDINALITY e(file, n),
                         LATERAL (SELECT settings #> ARRAY['frequencies',
                             coalesce(e.file #>> '{updateFrequency,timePattern}', '')]) p(frequency)) f
        ORDER BY d.n);
END
$$;
