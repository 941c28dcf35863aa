-- What crawlers read: data.json of DCAT-US, the sitemap and robots.txt.

-- Return the language of texts for data.json; part of catalogue.dcat_us().  Arguments: said, what is said of a
-- dataset or file with textLanguage or translations, as few have; usual, the language of the dataset.  Returns: a tag,
-- or an object of the tags where they differ; NULL where they are the usual one, and there are no translations.
CREATE FUNCTION catalogue.dcat_us_language(said jsonb, usual text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (SELECT CASE WHEN min(l.tag) <> max(l.tag) THEN said -> 'textLanguage'
            WHEN said ? 'translations' THEN to_jsonb(coalesce(min(l.tag), usual))
            WHEN coalesce(min(l.tag), usual) IS DISTINCT FROM usual THEN to_jsonb(min(l.tag)) END
        FROM jsonb_each_text(said -> 'textLanguage') l(field, tag));
END
$$;

-- Return the organizations that a publisher is a part of; part of catalogue.dcat_us().  Arguments: within, as
-- of catalogue.dcat_larger(); most, how many of them.  Returns: a name or an address, or an object where there is more.
CREATE FUNCTION catalogue.dcat_us_within(within jsonb, most integer) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    larger  CONSTANT record := catalogue.dcat_larger('', within);
    own     CONSTANT text := CASE WHEN larger.iri !~ '[#-]within$' THEN larger.iri END;
    more    jsonb;
BEGIN
    IF most > 1 THEN
        more := catalogue.dcat_us_within(larger.said -> 'subOrganizationOf', most - 1);
    END IF;
    RETURN CASE WHEN more IS NULL AND (own IS NULL OR larger.name IS NULL) THEN to_jsonb(coalesce(larger.name, own))
        ELSE jsonb_strip_nulls(jsonb_build_object('@type', 'org:Organization', '@id', own, 'name', larger.name,
            'subOrganizationOf', more)) END;
END
$$;

-- Return an organization of DCAT-US 1.1, an object at each level; part of catalogue.dcat_us_strict().  Arguments:
-- larger, of catalogue.dcat_us_within().
CREATE FUNCTION catalogue.dcat_us_larger(larger jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN CASE jsonb_typeof(larger) WHEN 'string' THEN jsonb_build_object('@type', 'org:Organization', 'name', larger)
        ELSE larger || jsonb_build_object('name', coalesce(larger -> 'name', larger -> '@id'),
            'subOrganizationOf', catalogue.dcat_us_larger(larger -> 'subOrganizationOf')) END;
END
$$;

-- Return a dataset as the schema of DCAT-US 1.1 allows it; part of catalogue.dcat_us().  A license that is a text is
-- the address of the license document in /catalog, and its text is in rights, which have 255 characters at most, unless
-- there are others.  A place is a text, a period has both ends, and there is one of each.  An organization is an
-- object.  Arguments: said, what dcat_us() says of it; iri, of the dataset.
CREATE FUNCTION catalogue.dcat_us_strict(said jsonb, iri text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    license  CONSTANT text := said ->> 'license';
    worded   CONSTANT text := CASE WHEN catalogue.rdf_iri(license) IS NULL THEN license END;
    place    CONSTANT jsonb := CASE jsonb_typeof(said -> 'spatial') WHEN 'array' THEN said #> '{spatial,0}'
                 ELSE said -> 'spatial' END;
    period   CONSTANT jsonb := jsonb_path_query_first(said -> 'temporal',
                 '$[*] ? (exists(@.startDate) && exists(@.endDate))');
BEGIN
    RETURN jsonb_strip_nulls(said || jsonb_build_object(
        'license', CASE WHEN worded IS NULL THEN license ELSE iri || '#license' END,
        'rights', left(coalesce(said ->> 'rights', worded), 255),
        'contactPoint', coalesce(said #> '{contactPoint,0}', said -> 'contactPoint'),
        'spatial', CASE jsonb_typeof(place) WHEN 'string' THEN place #>> '{}'
            ELSE coalesce(place ->> 'prefLabel', place ->> '@id',
                array_to_string(catalogue.dcat_edge(place ->> 'bbox'), ','), place ->> 'bbox') END,
        'temporal', CASE jsonb_typeof(said -> 'temporal') WHEN 'string' THEN said ->> 'temporal'
            ELSE (period ->> 'startDate') || '/' || (period ->> 'endDate') END,
        'theme', (SELECT jsonb_agg(t.theme ORDER BY t.n)
                  FROM (SELECT e.theme, min(e.n)
                        FROM jsonb_array_elements(said -> 'theme') WITH ORDINALITY e(theme, n)
                        GROUP BY 1) t(theme, n)),
        'publisher', (said -> 'publisher') || jsonb_build_object('subOrganizationOf',
            catalogue.dcat_us_larger(said #> '{publisher,subOrganizationOf}'))));
END
$$;

-- Return whom to ask about a dataset of DCAT-US; part of catalogue.dcat_us().  Arguments: dataset, of
-- catalogue.dcat_datasets(); class, of each.  Returns: an object, or an array of several; NULL if there is none.
CREATE FUNCTION catalogue.dcat_us_contacts(dataset jsonb, class text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    said  CONSTANT jsonb := (SELECT jsonb_agg(jsonb_build_object('@type', class, 'fn',
              coalesce(e.contact -> 'name', dataset #> '{publisher,name}'), 'hasEmail', e.contact -> 'email')
              ORDER BY e.n)
              FROM jsonb_array_elements(dataset -> 'contacts') WITH ORDINALITY e(contact, n)
              WHERE e.contact ?| '{name,email}');
BEGIN
    RETURN jsonb_strip_nulls(CASE WHEN jsonb_array_length(said) > 1 THEN said ELSE said -> 0 END);
END
$$;

-- Return a dataset as the profiles of DCAT-US need it: with those contacts only that have an address; part of
-- catalogue.dcat_us().  Arguments: dataset; profile, of catalogue.dcat_settings(), of which others change nothing.
CREATE FUNCTION catalogue.dcat_us_addressed(dataset jsonb, profile text) RETURNS jsonb LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT CASE WHEN profile LIKE 'dcat-us-%' THEN dataset || jsonb_build_object('contacts',
        jsonb_path_query_array(dataset, '$.contacts[*] ? (exists (@.email))')) ELSE dataset END;
END;

-- Return the texts of a field in further languages; part of catalogue.dcat_us_3_part().
CREATE FUNCTION catalogue.dcat_us_3_map(translations jsonb, field text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_object_agg(o.tag, o.said -> field) FROM jsonb_each(translations) o(tag, said)
            WHERE o.said ? field);
END
$$;

-- Return a time of DCAT-US 3, which has a zone where it has hours; part of catalogue.dcat_us_3().  Without a zone it is
-- its day.
CREATE FUNCTION catalogue.dcat_us_3_time(given text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT regexp_replace(given, 'T[0-9:.]+$', '');
END;

-- Return a dataset or a file in the form of DCAT-US 3; part of catalogue.dcat_us_3().  Arguments: said, what dcat_us()
-- says of it; class; part, of catalogue.dcat_datasets().
CREATE FUNCTION catalogue.dcat_us_3_part(said jsonb, class text, part jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN said - 'translations' || jsonb_strip_nulls(jsonb_build_object('@type', class, '@id', part -> 'iri',
        'titleMap', catalogue.dcat_us_3_map(said -> 'translations', 'name'),
        'descriptionMap', catalogue.dcat_us_3_map(said -> 'translations', 'description'),
        'keywordMap', catalogue.dcat_us_3_map(said -> 'translations', 'tags'),
        'describedBy', CASE WHEN said ? 'describedBy' THEN jsonb_build_object('@type', 'Distribution',
            '@id', said -> 'describedBy', 'accessURL', said -> 'describedBy') END,
        'conformsTo', (SELECT jsonb_agg(jsonb_build_object('@type', 'Standard', '@id', s.iri) ORDER BY s.n)
                       FROM jsonb_array_elements(part -> 'conformsTo') WITH ORDINALITY s(iri, n)),
        'rights', CASE WHEN said ? 'rights' THEN jsonb_build_array(said -> 'rights') END,
        'issued', catalogue.dcat_us_3_time(said ->> 'issued'), 'modified',
        catalogue.dcat_us_3_time(said ->> 'modified'), 'byteSize', said ->> 'byteSize'));
END
$$;

-- Return the organizations that one is a part of in the form of DCAT-US 3; part of catalogue.dcat_us_3().  Arguments:
-- larger, of catalogue.dcat_us_larger().
CREATE FUNCTION catalogue.dcat_us_3_within(larger jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN jsonb_build_array(larger || jsonb_strip_nulls(jsonb_build_object('@type', 'Organization',
        'subOrganizationOf', catalogue.dcat_us_3_within(larger -> 'subOrganizationOf'))));
END
$$;

-- Return the themes of a dataset in the form of DCAT-US 3; part of catalogue.dcat_us_3().  One of which only the
-- address is known has that as its label.
CREATE FUNCTION catalogue.dcat_us_3_themes(dataset jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_agg(jsonb_build_object('@type', 'Concept', '@id', t.iri, 'prefLabel', t.label) ORDER BY t.n)
        FROM (SELECT c.iri, (array_agg(c.label ORDER BY c.n))[1], min(c.n)
              FROM (SELECT e.theme ->> 'iri', e.theme ->> 'label', e.n
                    FROM jsonb_array_elements(dataset -> 'theme') WITH ORDINALITY e(theme, n)
                    UNION ALL
                    SELECT s.iri, s.iri, 1000000 + s.n
                    FROM jsonb_array_elements_text(dataset -> 'subject') WITH ORDINALITY s(iri, n)) c(iri, label, n)
              GROUP BY 1) t(iri, label, n));
END
$$;

-- Return the places of a dataset in the form of DCAT-US 3, of which each has one geometry: a further one is a place of
-- its own; part of catalogue.dcat_us_3().  They have IRIs, by which those who read them keep their order.
CREATE FUNCTION catalogue.dcat_us_3_places(dataset jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('@type', 'Location', 'geometry', g.text)
            || CASE WHEN g.n > 1 THEN jsonb_build_object('@id', (dataset ->> 'iri') || '#spatial-' || p.n || '-' || g.n)
                ELSE jsonb_build_object('@id', coalesce(p.place ->> 'iri', (dataset ->> 'iri') || '#spatial-' || p.n),
                    'prefLabel', p.place -> 'label', 'bbox', p.place -> 'bbox', 'centroid', p.place -> 'centroid') END)
            ORDER BY p.n, g.n)
        FROM jsonb_array_elements(dataset -> 'spatial') WITH ORDINALITY p(place, n)
            LEFT JOIN LATERAL jsonb_array_elements(p.place -> 'geometry') WITH ORDINALITY g(text, n) ON true);
END
$$;

-- Return a dataset in the form of DCAT-US 3; part of catalogue.dcat_us().  Languages are codes of two letters.
-- Arguments: said, what dcat_us() says of it; dataset, of catalogue.dcat_datasets().
CREATE FUNCTION catalogue.dcat_us_3(said jsonb, dataset jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN jsonb_strip_nulls(catalogue.dcat_us_3_part(said, 'Dataset', dataset) || jsonb_build_object(
        'identifier', jsonb_build_object('@type', 'Identifier', 'notation', said -> 'identifier'),
        'otherIdentifier', (SELECT jsonb_agg(jsonb_build_object('@type', 'Identifier', 'notation', f.text) ORDER BY f.n)
                            FROM jsonb_path_query(dataset, '$.further[*]') WITH ORDINALITY f(text, n)),
        'accessLevel', NULL, 'accessRights', said -> 'accessLevel',
        'theme', catalogue.dcat_us_3_themes(dataset),
        'publisher', (said -> 'publisher') || jsonb_build_object('@type', 'Organization',
            '@id', dataset #> '{publisher,iri}', 'subOrganizationOf', catalogue.dcat_us_3_within(
                catalogue.dcat_us_larger(said #> '{publisher,subOrganizationOf}'))),
        'contactPoint', catalogue.dcat_us_contacts(catalogue.dcat_us_addressed(dataset, 'dcat-us-3'), 'Kind'),
        'landingPage', jsonb_build_object('@type', 'Document', '@id', said -> 'landingPage',
            'accessURL', said -> 'landingPage', 'title', said -> 'title'),
        -- the region that they do not have
        'textLanguage', coalesce(said -> 'textLanguage',
            CASE WHEN dataset ->> 'language' LIKE '%-%' THEN dataset -> 'language' END),
        'language', (SELECT jsonb_agg(DISTINCT split_part(l.tag, '-', 1))
                     FROM jsonb_array_elements_text(said -> 'language') l(tag) WHERE l.tag ~ '^..(-|$)'),
        'spatial', catalogue.dcat_us_3_places(dataset),
        'temporal', (SELECT jsonb_agg(jsonb_build_object('@type', 'PeriodOfTime', '@id',
                         (dataset ->> 'iri') || '#temporal-' || p.n, 'startDate',
                         catalogue.dcat_us_3_time(p.period ->> 'start'), 'endDate',
                         catalogue.dcat_us_3_time(p.period ->> 'end')) ORDER BY p.n)
                     FROM jsonb_array_elements(dataset -> 'temporal') WITH ORDINALITY p(period, n)),
        'distribution', (SELECT jsonb_agg(catalogue.dcat_us_3_part(f.file, 'Distribution',
                             dataset #> ARRAY['distribution', (f.n - 1)::text]) ORDER BY f.n)
                         FROM jsonb_array_elements(said -> 'distribution') WITH ORDINALITY f(file, n))));
END
$$;

-- Return datasets of DCAT-US; part of catalogue.dcat_write().  Arguments: datasets, of catalogue.dcat_datasets();
-- profile, of catalogue.dcat_settings().
CREATE FUNCTION catalogue.dcat_us(datasets jsonb[], profile text) RETURNS text LANGUAGE plpgsql IMMUTABLE
    SET jit = off AS
$$
BEGIN
    RETURN (SELECT string_agg((CASE profile WHEN 'dcat-us-1.1' THEN catalogue.dcat_us_strict(s.said, s.iri)
            WHEN 'dcat-us-3' THEN catalogue.dcat_us_3(s.said, s.dataset) ELSE s.said END)::text, E',\n' ORDER BY s.n)
        FROM (SELECT d.n, d.dataset, d.dataset ->> 'iri' AS iri, jsonb_strip_nulls(jsonb_build_object(
        '@type', 'dcat:Dataset', 'identifier', dataset -> 'identifier',
        'otherIdentifier', dataset -> 'further', 'title', dataset -> 'title', 'description', dataset -> 'description',
        'textLanguage', CASE WHEN dataset ?| '{textLanguage,translations}'
            THEN catalogue.dcat_us_language(dataset, dataset ->> 'language') END,
        'translations', dataset -> 'translations', 'accessLevel', CASE dataset ->> 'access'
            WHEN 'RESTRICTED' THEN 'restricted public' WHEN 'NON_PUBLIC' THEN 'non-public' ELSE 'public' END,
        'keyword', coalesce(dataset -> 'keyword', jsonb_path_query_array(dataset, '$.theme[*].label')),
        'theme', nullif(jsonb_path_query_array(dataset, '$.theme[*].label') || coalesce(dataset -> 'subject', '[]'),
            '[]'),
        'issued', dataset -> 'issued', 'modified', dataset -> 'modified',
        'bureauCode', dataset -> 'bureauCode', 'programCode', dataset -> 'programCode',
        'publisher', jsonb_build_object('@type', 'org:Organization', 'name', dataset #> '{publisher,name}',
            'mbox', regexp_replace(dataset #>> '{publisher,email}', '^mailto:', ''),
            'homepage', dataset #> '{publisher,homepage}',
            'subOrganizationOf', catalogue.dcat_us_within(dataset #> '{publisher,within}', 10)),
        'contactPoint', CASE WHEN dataset ? 'contacts'
            THEN catalogue.dcat_us_contacts(catalogue.dcat_us_addressed(dataset, profile), 'vcard:Contact') END,
        'landingPage', dataset -> 'landingPage', 'describedBy', dataset -> 'describedBy',
        'accrualPeriodicity', dataset #> '{frequency,interval}', 'language', dataset -> 'languages',
        'license', coalesce(dataset #> '{license,iri}', dataset #> '{license,label}'),
        'rights', coalesce(dataset #> '{rights,label}', dataset #> '{rights,iri}'),
        -- what DCAT-US has no single text for as DCAT says it
        'spatial', CASE WHEN jsonb_array_length(dataset -> 'spatial') = 1
            THEN catalogue.dcat_place_said(dataset #> '{spatial,0}')
            ELSE (SELECT jsonb_agg(catalogue.dcat_place_said(p.place) ORDER BY p.n)
                  FROM jsonb_array_elements(dataset -> 'spatial') WITH ORDINALITY p(place, n)) END,
        'temporal', CASE WHEN jsonb_array_length(dataset -> 'temporal') = 1
                AND dataset #> '{temporal,0}' ?& '{start,end}'
            THEN to_jsonb((dataset #>> '{temporal,0,start}') || '/' || (dataset #>> '{temporal,0,end}'))
            ELSE (SELECT jsonb_agg(jsonb_build_object('startDate', p.period -> 'start', 'endDate', p.period -> 'end')
                      ORDER BY p.n)
                  FROM jsonb_array_elements(dataset -> 'temporal') WITH ORDINALITY p(period, n)) END,
        'inSeries', (SELECT jsonb_agg(jsonb_build_object('@type', 'DatasetSeries',
                         '@id', CASE WHEN s.series ->> 'iri' NOT LIKE '%#series-_' THEN s.series -> 'iri' END,
                         'title', s.series -> 'title', 'description', s.series -> 'description') ORDER BY s.n)
                     FROM jsonb_array_elements(dataset -> 'inSeries') WITH ORDINALITY s(series, n)),
        'conformsTo', dataset #> '{conformsTo,0}', 'version', dataset -> 'version',
        'distribution', (SELECT jsonb_agg(jsonb_build_object('@type', 'dcat:Distribution', 'title', f.file -> 'title',
                'description', f.file -> 'description',
                'textLanguage', CASE WHEN f.file ?| '{textLanguage,translations}'
                    THEN catalogue.dcat_us_language(f.file, dataset ->> 'language') END,
                'translations', f.file -> 'translations', 'format', f.file #> '{type,name}',
                'mediaType', CASE WHEN f.file ? 'downloadURL'
                    THEN coalesce(f.file ->> 'mediaType', 'application/octet-stream') END,
                'downloadURL', f.file -> 'downloadURL', 'accessURL', f.file -> 'accessURL',
                'describedBy', f.file -> 'describedBy', 'conformsTo', f.file #> '{conformsTo,0}',
                'byteSize', f.file -> 'byteSize', 'issued', f.file -> 'issued', 'modified', f.file -> 'modified',
                'license', coalesce(f.file #> '{license,iri}', f.file #> '{license,label}'),
                'rights', coalesce(f.file #> '{rights,label}', f.file #> '{rights,iri}')) ORDER BY f.n)
            FROM jsonb_array_elements(dataset -> 'distribution') WITH ORDINALITY f(file, n)))) AS said
              FROM unnest(datasets) WITH ORDINALITY d(dataset, n)) s);
END
$$;

CREATE FUNCTION catalogue.dcat_us_piece(piece catalogue.reply, n bigint, base text, settings json)
    RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
BEGIN
    IF piece.data <> '' THEN
        piece.data := CASE WHEN n > 1 THEN E',\n' ELSE '' END || catalogue.dcat_write(
            ('[' || replace(rtrim(piece.data, E'\n'), E'\n', ',') || ']')::json, 'dcatus', base, settings);
    END IF;
    RETURN piece;
END
$$;
COMMENT ON FUNCTION catalogue.dcat_us_piece(catalogue.reply, bigint, text, json) IS
'Return a piece of datasets of DCAT-US; part of catalogue.data_json()
Arguments: piece, of catalogue.export_whole(): records as lines of JSON.  n, its number; a comma precedes all but the
first.
base and settings, as for catalogue.dcat_write().
Returns: the piece with datasets of DCAT-US as data.';

-- Return what precedes the datasets of data.json; part of catalogue.data_json_head().  Arguments: base, address of the
-- service.  settings, of catalogue.dcat_settings().
CREATE FUNCTION catalogue.data_json_start_part(base text, settings json) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    others  CONSTANT jsonb := catalogue.dcat_translations(settings::jsonb -> 'translations');
BEGIN
    RETURN CASE settings ->> 'profile' WHEN 'dcat-us-3'
        THEN format(E'{"@id":%s,"@type":"Catalog","title":%s%s,"description":%s%s,'
            '"conformsTo":{"@type":"Standard","@id":"https://resources.data.gov/dcat-us/3.0.0",'
            '"title":"DCAT-US 3.0"},"dataset":[\n',
            to_json($1 || '/data.json'), settings -> 'title',
            ',"titleMap":' || catalogue.dcat_us_3_map(others, 'name')::text,
            settings -> 'description', ',"descriptionMap":' || catalogue.dcat_us_3_map(others, 'description')::text)
        ELSE format(E'{"@context":"%s","@id":%s,"@type":"dcat:Catalog","conformsTo":"%s","describedBy":"%s",'
            '"dataset":[\n', 'https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld',
            to_json($1 || '/data.json'), 'https://project-open-data.cio.gov/v1.1/schema',
            'https://project-open-data.cio.gov/v1.1/schema/catalog.json') END;
END
$$;
CREATE FUNCTION catalogue.data_json_start(base text, settings json) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.data_json_start(text, json) IS
    'Return what precedes datasets; part of catalogue.data_json_head()
Arguments: base, address of the service.  settings, data of catalogue.dcat_settings().';

CREATE FUNCTION catalogue.data_json_head(query text DEFAULT '', base text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    settings  catalogue.reply;
    page      catalogue.reply;
BEGIN
    -- a user without the privilege is refused; others get what outsiders see
    PERFORM catalogue.count('datasets', actor => $3);
    settings := catalogue.dcat_settings();
    page := catalogue.list('datasets', catalogue.dcat_query($1) || '&limit=1', 'ids', coalesce($3 - 'user', '{}'),
        catalogue.dcat_known($4, settings.etag));
    page.etag := page.etag || '.' || settings.etag;
    IF page.data IS NOT NULL THEN
        page.data := catalogue.data_json_start($2, settings.data::json);
    END IF;
    RETURN page;
END
$$;
COMMENT ON FUNCTION catalogue.data_json_head(text, text, jsonb, text) IS
'Return the first row of catalogue.data_json()
Arguments: as for catalogue.data_json().  Errors: as catalogue.data_json().
Returns: data is what precedes the datasets; NULL where the state is known.';

CREATE FUNCTION catalogue.data_json(query text DEFAULT '', base text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL) RETURNS SETOF catalogue.reply LANGUAGE sql STABLE AS
$$
    WITH head AS MATERIALIZED (SELECT catalogue.data_json_head($1, $2, $3, $4) AS reply)
    SELECT h.reply FROM head h
    UNION ALL
    SELECT catalogue.dcat_us_piece(p.piece, p.n, $2, (SELECT s.data::json FROM catalogue.dcat_settings() s))
    FROM (SELECT e.piece, row_number() OVER () AS n
          FROM (SELECT catalogue.export_whole('datasets', catalogue.dcat_query($1),
                    actor => coalesce($3 - 'user', '{}')) AS piece
                FROM head h WHERE (h.reply).data IS NOT NULL) e) p
    UNION ALL
    SELECT jsonb_populate_record(NULL::catalogue.reply, '{"data": "\n]}\n"}') FROM head h
    WHERE (h.reply).data IS NOT NULL
$$;
COMMENT ON FUNCTION catalogue.data_json(text, text, jsonb, text) IS
'Return the datasets as data.json of DCAT-US, in pieces
It is DCAT-US 3 where config catalogProfile is dcat-us-3, else DCAT-US 1.1.
Call it in the target list, SELECT catalogue.data_json(...): in FROM all pieces are made before the first is returned.
Arguments: as for catalogue.catalog(); limit, all datasets unless given: catalogue.max_limit does not reduce it.
Returns: data is a piece of the text of the document, of what outsiders see, whoever asks. The first row has the count,
version and entity tag, and data is NULL in it, the only one, where the state is known.
Errors: as catalogue.list().';

CREATE FUNCTION catalogue.sitemap(query text DEFAULT '', base text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    page   catalogue.reply;
    start  text := (SELECT string_agg(m.word[1], '&' ORDER BY m.n)
                    FROM regexp_matches($1, '(?:^|&)(skip=[^&]*)', 'g') WITH ORDINALITY m(word, n));
    body   xml;
BEGIN
    PERFORM catalogue.count('datasets', actor => $3);
    page := catalogue.list('datasets',
        concat_ws('&', 'limit=50000&fields=updatedAt&include=files.updatedAt', start), 'ids',
        coalesce($3 - 'user', '{}'), $4);
    IF page.data IS NULL THEN
        RETURN page;
    END IF;
    IF start IS NULL AND page.count > page.returned THEN
        SELECT xmlelement(NAME sitemapindex, xmlattributes('http://www.sitemaps.org/schemas/sitemap/0.9' AS xmlns),
            xmlagg(xmlelement(NAME sitemap, xmlelement(NAME loc, $2 || '/sitemap.xml?skip=' || n)) ORDER BY n))
        INTO body FROM generate_series(0, page.count - 1, page."limit") n;
    ELSE
        SELECT xmlelement(NAME urlset, xmlattributes('http://www.sitemaps.org/schemas/sitemap/0.9' AS xmlns),
            xmlagg(xmlelement(NAME url, xmlelement(NAME loc, $2 || '/datasets/' || (e.dataset ->> 'id')),
                xmlelement(NAME lastmod, greatest(e.dataset ->> 'updatedAt',
                    (SELECT max(f.file ->> 'updatedAt') FROM json_array_elements(e.dataset -> 'files') f(file)))))
                ORDER BY e.n))
        INTO body FROM json_array_elements(page.data::json) WITH ORDINALITY e(dataset, n);
    END IF;
    page.data := format(E'<?xml version="1.0" encoding="UTF-8"?>\n%s\n', body);
    RETURN page;
END
$$;
COMMENT ON FUNCTION catalogue.sitemap(text, text, jsonb, text) IS
'Return the addresses of the datasets as a sitemap
Arguments: query: skip, the datasets that precede those of this part.  base, address of the service, without a slash at
the end.  actor, known: as for catalogue.list().
Returns: data is the text of a sitemap of what outsiders see, whoever asks; without skip, and where one list cannot have
all (catalogue.max_limit, at most 50,000), of an index of its parts.  lastmod is the time of the last change of the
dataset or one of its files.
Errors: as catalogue.list(); 0A000 where PostgreSQL is built without libxml.';

CREATE FUNCTION catalogue.robots(base text DEFAULT '') RETURNS catalogue.reply LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    reply.resource := 'datasets';
    reply.data := format(E'User-agent: *\nDisallow: /search\nDisallow: /*/search\nDisallow: /*?*facets=\n'
        'Disallow: /*?*version=\nDisallow: /*?*exact=\nSitemap: %s/sitemap.xml\n', base);
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.robots(text) IS
'Return what crawlers are asked not to read
Arguments: base, address of the service, without a slash at the end.
Returns: data is the text of robots.txt: searches, facets, exact numbers and earlier versions are not to be read.';
