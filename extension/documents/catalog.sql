-- The catalogue as RDF: triples of datasets, and the pages that harvesters read.

-- Return the triples of a term; part of catalogue.catalog().  A label gets an IRI below that of the subject. Arguments:
-- term, of catalogue.dcat_term(); class, of the value; kind, of its label.
CREATE FUNCTION catalogue.dcat_term_triples(subject text, predicate text, term jsonb, class text, kind text)
    RETURNS SETOF catalogue.triple LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM (SELECT coalesce(term ->> 'iri', $1 || '#' || split_part($2, ':', 2)) AS iri WHERE term IS NOT NULL) i,
        LATERAL unnest(ARRAY[($1, $2, i.iri, 'iri'), (i.iri, 'rdf:type', class, 'name'),
                        (i.iri, 'rdfs:label', term ->> 'label', $5)]
            ::catalogue.triple[]) t;
END;

-- Return the triples of standards; part of catalogue.catalog().
CREATE FUNCTION catalogue.dcat_standard_triples(subject text, standards jsonb) RETURNS SETOF catalogue.triple
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM jsonb_array_elements_text(standards) s(iri),
        LATERAL unnest(ARRAY[($1, 'dct:conformsTo', s.iri, 'iri'), (s.iri, 'rdf:type', 'dct:Standard', 'name')]
            ::catalogue.triple[]) t;
END;

-- Return the triples of class and texts; part of catalogue.catalog().  Arguments: subject, the catalogue, a dataset or
-- a file; class; said, what catalogue.dcat_settings(), dcat_datasets() or dcat_distribution() returns of it; kind, of
-- its texts unless they have a language.
CREATE FUNCTION catalogue.dcat_text_triples(subject text, class text, said jsonb, kind text)
    RETURNS SETOF catalogue.triple LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT $1, 'rdf:type', class, 'name'
    UNION ALL
    SELECT $1, t.predicate, t.object, coalesce('@' || (said #>> ARRAY['textLanguage', t.field]), $4)
    FROM (SELECT 'dct:title', said ->> 'title', 'name' UNION ALL
          SELECT 'dct:description', said ->> 'description', 'description' UNION ALL
          SELECT 'dcat:keyword', k.name, 'tags' FROM jsonb_array_elements_text(said -> 'keyword') k(name))
        t(predicate, object, field)
    UNION ALL
    SELECT $1, t.predicate, t.object, '@' || o.tag
    FROM jsonb_each(said -> 'translations') o(tag, other),
        LATERAL (SELECT 'dct:title', other ->> 'name' UNION ALL
                 SELECT 'dct:description', other ->> 'description' UNION ALL
                 SELECT 'dcat:keyword', k.name FROM jsonb_array_elements_text(other -> 'tags') k(name))
            t(predicate, object);
END;

-- Return the triples of a file; part of catalogue.catalog().  Arguments: file, of catalogue.dcat_distribution();
-- dataset, its IRI; kind, of its texts.
CREATE FUNCTION catalogue.dcat_distribution_triples(file jsonb, dataset text, kind text)
    RETURNS SETOF catalogue.triple LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT dataset, 'dcat:distribution', file ->> 'iri', 'iri'
    UNION ALL
    SELECT * FROM catalogue.dcat_text_triples(file ->> 'iri', 'dcat:Distribution', file, $3)
    UNION ALL
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM (SELECT file ->> 'iri' AS iri, file ->> 'iri' || '#checksum' AS checksum,
                 'https://www.iana.org/assignments/media-types/' || (file ->> 'mediaType') AS medium) f,
        LATERAL unnest(ARRAY[(f.iri, 'dcat:accessURL', file ->> 'accessURL', 'iri'),
            (f.iri, 'dcat:downloadURL', file ->> 'downloadURL', 'iri'),
            (f.iri, 'dcat:mediaType', f.medium, 'iri'), (f.medium, 'rdf:type', 'dct:MediaType', 'name'),
            (f.iri, 'dct:format', file #>> '{type,iri}', 'iri'),
            (file #>> '{type,iri}', 'rdf:type', 'dct:MediaTypeOrExtent', 'name'),
            (file #>> '{type,iri}', 'rdfs:label', file #>> '{type,name}', 'text'),
            (f.iri, 'wdrs:describedby', file ->> 'describedBy', 'iri'),
            (f.iri, 'dcat:byteSize', file ->> 'byteSize', 'xsd:nonNegativeInteger'),
            (f.iri, 'dct:issued', file ->> 'issued',
                catalogue.dcat_instant_kind(file ->> 'issued')),
            (f.iri, 'dct:modified', file ->> 'modified',
                catalogue.dcat_instant_kind(file ->> 'modified'))]
            ::catalogue.triple[]) t
    UNION ALL
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM (SELECT file ->> 'iri' AS iri, file ->> 'iri' || '#checksum' AS checksum WHERE file ? 'sha256') f,
        LATERAL unnest(ARRAY[(f.iri, 'spdx:checksum', f.checksum, 'iri'),
            (f.checksum, 'rdf:type', 'spdx:Checksum', 'name'),
            (f.checksum, 'spdx:algorithm', 'spdx:checksumAlgorithm_sha256', 'name'),
            ('http://spdx.org/rdf/terms#checksumAlgorithm_sha256', 'rdf:type', 'spdx:ChecksumAlgorithm', 'name'),
            (f.checksum, 'spdx:checksumValue', file ->> 'sha256', 'xsd:hexBinary')]
            ::catalogue.triple[]) t
    UNION ALL
    SELECT * FROM catalogue.dcat_term_triples(file ->> 'iri', 'dct:license', file -> 'license',
        'dct:LicenseDocument', $3)
    UNION ALL
    SELECT * FROM catalogue.dcat_term_triples(file ->> 'iri', 'dct:rights', file -> 'rights',
        'dct:RightsStatement', $3)
    UNION ALL
    SELECT * FROM catalogue.dcat_standard_triples(file ->> 'iri', file -> 'conformsTo');
END;

-- Return the triples of places and periods; part of catalogue.catalog().  Arguments: dataset, of
-- catalogue.dcat_datasets(); its iri; kind, of names.
CREATE FUNCTION catalogue.dcat_extent_triples(dataset jsonb, iri text, kind text) RETURNS SETOF catalogue.triple
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM jsonb_array_elements(dataset -> 'spatial') WITH ORDINALITY e(place, n),
        LATERAL (SELECT coalesce(place ->> 'iri',
            $2 || '#spatial' || CASE WHEN e.n > 1 THEN '-' || e.n ELSE '' END)) i(iri),
        LATERAL (SELECT $2, 'dct:spatial', i.iri, 'iri' UNION ALL
                 SELECT i.iri, 'rdf:type', 'dct:Location', 'name' UNION ALL
                 SELECT i.iri, 'rdfs:label', place ->> 'label', $3 UNION ALL
                 SELECT i.iri, g.property, g.text, CASE WHEN g.text ~ '^\s*\{' THEN 'gsp:geoJSONLiteral'
                     ELSE 'gsp:wktLiteral' END
                 FROM (SELECT 'dcat:bbox', place ->> 'bbox' UNION ALL SELECT 'dcat:centroid', place ->> 'centroid'
                       UNION ALL SELECT 'locn:geometry', v.text
                       FROM jsonb_array_elements_text(place -> 'geometry') v(text)) g(property, text))
            t(subject, predicate, object, kind)
    UNION ALL
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM jsonb_array_elements(dataset -> 'temporal') WITH ORDINALITY e(period, n),
        LATERAL (SELECT $2 || '#temporal' || CASE WHEN e.n > 1 THEN '-' || e.n ELSE '' END) i(iri),
        LATERAL unnest(ARRAY[($2, 'dct:temporal', i.iri, 'iri'), (i.iri, 'rdf:type', 'dct:PeriodOfTime', 'name'),
            (i.iri, 'dcat:startDate', period ->> 'start', catalogue.dcat_instant_kind(period ->> 'start')),
            (i.iri, 'dcat:endDate', period ->> 'end', catalogue.dcat_instant_kind(period ->> 'end'))]
            ::catalogue.triple[]) t
    UNION ALL
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM jsonb_array_elements(dataset -> 'inSeries') e(series),
        LATERAL unnest(ARRAY[($2, 'dcat:inSeries', series ->> 'iri', 'iri'),
            (series ->> 'iri', 'rdf:type', 'dcat:DatasetSeries', 'name'),
            (series ->> 'iri', 'dct:title', series ->> 'title', $3),
            (series ->> 'iri', 'dct:description', series ->> 'description', $3)]
            ::catalogue.triple[]) t
    UNION ALL
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM jsonb_array_elements_text(dataset -> 'languages') l(tag),
        LATERAL (SELECT catalogue.dcat_language_iri(l.tag)) i(iri),
        LATERAL unnest(ARRAY[($2, 'dct:language', i.iri, 'iri'), (i.iri, 'rdf:type', 'dct:LinguisticSystem', 'name')]
            ::catalogue.triple[]) t;
END;

-- Return triples of contacts, frequency, rights and license; part of catalogue.catalog().  Arguments: dataset, of
-- catalogue.dcat_datasets(); its iri; kind, of its texts.
CREATE FUNCTION catalogue.dcat_about_triples(dataset jsonb, iri text, kind text) RETURNS SETOF catalogue.triple
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM jsonb_array_elements(dataset -> 'contacts') WITH ORDINALITY e(contact, n),
        LATERAL (SELECT $2 || '#contact' || CASE WHEN e.n > 1 THEN '-' || e.n ELSE '' END) i(iri),
        LATERAL unnest(ARRAY[($2, 'dcat:contactPoint', i.iri, 'iri'), (i.iri, 'rdf:type', 'vcard:Kind', 'name'),
            (i.iri, 'vcard:fn', contact ->> 'name', $3), (i.iri, 'vcard:hasEmail', contact ->> 'email', 'iri')]
            ::catalogue.triple[]) t
    UNION ALL
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM (VALUES ('http://publications.europa.eu/resource/authority/')) eu(authority),
        LATERAL (SELECT eu.authority || 'frequency/' || (dataset #>> '{frequency,code}') AS frequency,
            eu.authority || 'access-right/' || (dataset ->> 'access') AS access) i,
        LATERAL unnest(ARRAY[($2, 'dct:accrualPeriodicity', i.frequency, 'iri'),
            (i.frequency, 'rdf:type', 'dct:Frequency', 'name'),
            ($2, 'dct:accessRights', i.access, 'iri'), (i.access, 'rdf:type', 'dct:RightsStatement', 'name')]
            ::catalogue.triple[]) t
    UNION ALL
    SELECT * FROM catalogue.dcat_extent_triples(dataset, $2, $3)
    UNION ALL
    SELECT * FROM catalogue.dcat_term_triples($2, 'dct:license', dataset -> 'license', 'dct:LicenseDocument', $3)
    UNION ALL
    SELECT * FROM catalogue.dcat_term_triples($2, 'dct:rights', dataset -> 'rights', 'dct:RightsStatement', $3)
    UNION ALL
    SELECT * FROM catalogue.dcat_standard_triples($2, dataset -> 'conformsTo');
END;

-- Return the organizations that a publisher is a part of; part of catalogue.dcat_agent_triples().  Arguments: agent, as
-- of catalogue.dcat_publisher(), of which within is the next larger organization: a name, an address, or an object with
-- @id, name and subOrganizationOf.  At most 10 of them.
CREATE FUNCTION catalogue.dcat_within_triples(agent jsonb, kind text) RETURNS SETOF catalogue.triple
    LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    -- most are a part of none
    IF agent -> 'within' IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY WITH RECURSIVE larger(part, iri, name, said, n) AS (
        SELECT agent ->> 'iri', w.iri, w.name, w.said, 1
        FROM catalogue.dcat_larger(agent ->> 'iri', agent -> 'within') w
        UNION ALL
        SELECT l.iri, w.iri, w.name, w.said, l.n + 1
        FROM larger l, catalogue.dcat_larger(l.iri, l.said -> 'subOrganizationOf') w WHERE l.n < 10)
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM larger l,
        LATERAL unnest(ARRAY[(l.part, 'org:subOrganizationOf', l.iri, 'iri'),
            (l.iri, 'rdf:type', CASE WHEN l.name IS NOT NULL THEN 'foaf:Agent' END, 'name'),
            (l.iri, 'foaf:name', l.name, $2)]
            ::catalogue.triple[]) t;
END
$$;

-- Return the triples of a publisher; part of catalogue.catalog().
CREATE FUNCTION catalogue.dcat_agent_triples(subject text, agent jsonb, kind text) RETURNS SETOF catalogue.triple
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM unnest(ARRAY[($1, 'dct:publisher', agent ->> 'iri', 'iri'),
                 (agent ->> 'iri', 'rdf:type', 'foaf:Agent', 'name'),
                 (agent ->> 'iri', 'foaf:name', agent ->> 'name', $3),
                 (agent ->> 'iri', 'foaf:mbox', agent ->> 'email', 'iri'),
                 (agent ->> 'iri', 'foaf:homepage', agent ->> 'homepage', 'iri'),
                 (agent ->> 'homepage', 'rdf:type', 'foaf:Document', 'name')]
            ::catalogue.triple[]) t
    UNION ALL
    SELECT * FROM catalogue.dcat_within_triples(agent, $3);
END;

-- Return the triples of themes; part of catalogue.dcat_triples().  A theme of which only the address is known has that
-- as its label, as a series has, unless it is one of the EU's table; what is below an address is of a scheme.
CREATE FUNCTION catalogue.dcat_theme_triples(dataset jsonb, iri text, kind text)
    RETURNS SETOF catalogue.triple LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM (SELECT e.theme ->> 'iri', e.theme ->> 'label', $3 FROM jsonb_array_elements(dataset -> 'theme') e(theme)
          UNION ALL
          SELECT s.iri, CASE WHEN NOT coalesce(dataset -> 'theme', '[]')
              @> jsonb_build_array(jsonb_build_object('iri', s.iri)) THEN coalesce(v.label, s.iri) END,
              CASE WHEN v.label IS NULL THEN 'text' ELSE '@en' END
          FROM jsonb_array_elements_text(dataset -> 'subject') s(iri),
              LATERAL (SELECT CASE WHEN s.iri ^@ 'http://publications.europa.eu/resource/authority/data-theme/'
                  THEN catalogue.vocabulary_term('data-theme', s.iri) ->> 'english' END) v(label))
            c(theme, label, kind),
        LATERAL unnest(ARRAY[($2, 'dcat:theme', c.theme, 'iri'), (c.theme, 'rdf:type', 'skos:Concept', 'name'),
            (c.theme, 'skos:prefLabel', c.label, c.kind),
            (c.theme, 'skos:inScheme', regexp_replace(c.theme, '[/#][^/#]*$', ''), 'iri')]
            ::catalogue.triple[]) t;
END;

-- Return the triples of a dataset; part of catalogue.dcat_triples().  Arguments: dataset, of catalogue.dcat_datasets();
-- base, as for that. kind, of its texts; shared, of names of categories and organizations.
CREATE FUNCTION catalogue.dcat_dataset_triples(dataset jsonb, base text, kind text, shared text)
    RETURNS SETOF catalogue.triple LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT * FROM catalogue.dcat_text_triples(dataset ->> 'iri', 'dcat:Dataset', dataset, $3)
    UNION ALL
    SELECT v.subject, v.predicate, v.object, v.kind
    FROM (SELECT dataset ->> 'iri' AS iri) d,
        LATERAL unnest(ARRAY[(d.iri, 'dct:identifier', dataset ->> 'identifier', 'text'),
            (d.iri, 'dct:issued', dataset ->> 'issued',
                catalogue.dcat_instant_kind(dataset ->> 'issued')),
            (d.iri, 'dct:modified', dataset ->> 'modified',
                catalogue.dcat_instant_kind(dataset ->> 'modified')),
            (d.iri, 'dcat:version', dataset ->> 'version', 'text'),
            (d.iri, 'wdrs:describedby', dataset ->> 'describedBy', 'iri'),
            -- the IRI of a dataset made here leads to its page, and the dataset is no document
            (d.iri, 'dcat:landingPage', nullif(dataset ->> 'landingPage', d.iri), 'iri'),
            (nullif(dataset ->> 'landingPage', d.iri), 'rdf:type', 'foaf:Document', 'name')]
            ::catalogue.triple[]) v
    UNION ALL
    SELECT v.subject, v.predicate, v.object, v.kind
    FROM (SELECT concat(dataset ->> 'iri', '#identifier', CASE WHEN f.n > 1 THEN -f.n END) AS iri,
              f.text #>> '{}' AS text
          FROM jsonb_path_query(dataset, '$.further[*]') WITH ORDINALITY f(text, n)) i,
        LATERAL unnest(ARRAY[(dataset ->> 'iri', 'adms:identifier', i.iri, 'iri'),
            (i.iri, 'rdf:type', 'adms:Identifier', 'name'), (i.iri, 'skos:notation', i.text, 'text')]
            ::catalogue.triple[]) v
    UNION ALL
    SELECT * FROM catalogue.dcat_agent_triples(dataset ->> 'iri', dataset -> 'publisher', $4)
    UNION ALL
    SELECT * FROM catalogue.dcat_theme_triples(dataset, dataset ->> 'iri', $4)
    UNION ALL
    SELECT * FROM catalogue.dcat_about_triples(dataset, dataset ->> 'iri', $3)
    UNION ALL
    SELECT a.* FROM jsonb_array_elements(dataset -> 'distribution') f(file),
        catalogue.dcat_distribution_triples(f.file, dataset ->> 'iri', $3) a;
END;

-- Return the IRI of the profile that /catalog conforms to; part of catalogue.dcat_catalog_triples().  Arguments:
-- profile, of catalogue.dcat_settings(); with dcat-us-1.1, which has no form in RDF, it is DCAT-AP.
CREATE FUNCTION catalogue.dcat_profile_iri(profile text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT CASE profile WHEN 'dcat-us-3' THEN 'https://resources.data.gov/dcat-us/3.0.0'
        WHEN 'dcat-ap-2' THEN 'https://semiceu.github.io/DCAT-AP/releases/2.1.1/'
        ELSE 'https://semiceu.github.io/DCAT-AP/releases/3.0.0/' END;
END;

-- Return the triples of a page; part of catalogue.catalog().  Triples of the catalogue and of its page, without those
-- of the datasets. Arguments: page, an object with count, version, and addresses: self, first, previous, next, last;
-- NULL: no triples. base, settings: as for catalogue.dcat_datasets(). kind, of texts.
CREATE FUNCTION catalogue.dcat_catalog_triples(page jsonb, base text, settings jsonb, kind text)
    RETURNS SETOF catalogue.triple LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT a.* FROM catalogue.dcat_text_triples(base || '/catalog', 'dcat:Catalog', settings, $4) a
    WHERE page IS NOT NULL
    UNION ALL
    SELECT t.subject, t.predicate, t.object, t.kind
    FROM (SELECT base || '/catalog' AS iri, base || '/categories' AS themes, page ->> 'self' AS self,
                 catalogue.dcat_language_iri(settings ->> 'language') AS language,
                 coalesce(settings ->> 'portal', base || '/') AS home) c,
        LATERAL unnest(ARRAY[(c.iri, 'rdf:type', 'hydra:Collection', 'name'),
            (c.iri, 'dct:modified', page ->> 'version', 'xsd:dateTime'),
            (c.iri, 'foaf:homepage', c.home, 'iri'), (c.home, 'rdf:type', 'foaf:Document', 'name'),
            (c.iri, 'dct:language', c.language, 'iri'), (c.language, 'rdf:type', 'dct:LinguisticSystem', 'name'),
            (c.iri, 'dcat:themeTaxonomy', c.themes, 'iri'), (c.themes, 'rdf:type', 'skos:ConceptScheme', 'name'),
            (c.themes, 'dct:title', settings ->> 'title', $4),
            (c.iri, 'hydra:totalItems', page ->> 'count', 'xsd:integer'), (c.iri, 'hydra:view', c.self, 'iri'),
            (c.self, 'rdf:type', 'hydra:PartialCollectionView', 'name'),
            (c.self, 'hydra:first', page ->> 'first', 'iri'), (c.self, 'hydra:previous', page ->> 'previous', 'iri'),
            (c.self, 'hydra:next', page ->> 'next', 'iri'), (c.self, 'hydra:last', page ->> 'last', 'iri')]
            ::catalogue.triple[]) t
    WHERE page IS NOT NULL
    UNION ALL
    SELECT a.* FROM catalogue.dcat_agent_triples(base || '/catalog', settings -> 'publisher', $4) a
    WHERE page IS NOT NULL
    UNION ALL
    SELECT a.* FROM catalogue.dcat_standard_triples(base || '/catalog',
        jsonb_build_array(catalogue.dcat_profile_iri(settings ->> 'profile'))) a
    WHERE page IS NOT NULL
    UNION ALL
    SELECT a.* FROM catalogue.dcat_term_triples(base || '/catalog', 'dct:license', settings -> 'license',
        'dct:LicenseDocument', $4) a
    WHERE page IS NOT NULL;
END;

-- Return the triples of datasets; part of catalogue.catalog().  Arguments: datasets, an array of what
-- catalogue.dcat_datasets() returns.  page, of catalogue.dcat_catalog_triples().
CREATE FUNCTION catalogue.dcat_triples(datasets jsonb[], base text, settings jsonb, page jsonb)
    RETURNS catalogue.triple[] LANGUAGE plpgsql STABLE SET jit = off AS
$$
DECLARE
    shared  text := coalesce('@' || (settings ->> 'language'), 'text');
BEGIN
    RETURN (SELECT array_agg((t.subject, t.predicate, t.object, t.kind)::catalogue.triple)
        FROM (SELECT * FROM catalogue.dcat_catalog_triples(page, base, settings, shared)
              UNION ALL
              SELECT base || '/catalog', 'dcat:dataset', d.dataset ->> 'iri', 'iri'
              FROM unnest(datasets) d(dataset)
              WHERE page IS NOT NULL
              UNION ALL
              SELECT a.*
              FROM unnest(datasets) d(dataset),
                  catalogue.dcat_dataset_triples(d.dataset, base, coalesce('@' || (d.dataset ->> 'language'), 'text'),
                      shared) a) t
        WHERE t.subject IS NOT NULL AND t.object IS NOT NULL);
END
$$;

-- Return triples as a profile has them; part of catalogue.catalog().  DCAT-AP 2 has sizes as decimals, and of checksums
-- SHA-1 only.  DCAT-US 3 has names without a language, and no pages without a title.
CREATE FUNCTION catalogue.dcat_profile_triples(triples catalogue.triple[], profile text) RETURNS catalogue.triple[]
    LANGUAGE plpgsql IMMUTABLE SET jit = off AS
$$
BEGIN
    RETURN CASE WHEN profile NOT IN ('dcat-ap-2', 'dcat-us-3') THEN triples ELSE (
        SELECT array_agg((t.subject, t.predicate, t.object, CASE
                WHEN profile = 'dcat-ap-2' AND t.predicate = 'dcat:byteSize' THEN 'xsd:decimal'
                WHEN profile = 'dcat-us-3' AND t.predicate IN ('foaf:name', 'vcard:fn') THEN 'text'
                ELSE t.kind END)::catalogue.triple ORDER BY t.n)
        FROM unnest(triples) WITH ORDINALITY t(subject, predicate, object, kind, n)
        WHERE CASE profile WHEN 'dcat-ap-2' THEN t.predicate NOT LIKE 'spdx:%' AND t.object NOT LIKE 'spdx:%'
            ELSE t.object <> 'foaf:Document' END) END;
END
$$;

-- Return addresses of pages; part of catalogue.catalog().  Arguments: page, an object with the query, count, limit,
-- skip, version, next and previous of the list.
CREATE FUNCTION catalogue.dcat_links(page jsonb, base text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    size    bigint := greatest((page ->> 'limit')::bigint, 1);
    start   bigint := (page ->> 'skip')::bigint;
    last    bigint := start % size + greatest((page ->> 'count')::bigint - 1 - start % size, 0) / size * size;
    others  text := (SELECT string_agg(w.word || '&', '' ORDER BY w.n)
                     FROM regexp_split_to_table(page ->> 'query', '&') WITH ORDINALITY w(word, n)
                     WHERE w.word ~ '=' AND w.word !~ '^(limit|skip|version|after|before|fields|include|facets)=');
BEGIN
    RETURN (SELECT page - '{next,previous}'::text[] || jsonb_object_agg(l.name, catalogue.rdf_iri(concat(base,
            '/catalog?', others, 'limit=', size, '&skip=', l.skip, '&version=' || (page ->> 'version'), l.cursor)))
        FROM (VALUES ('self', start, NULL), ('first', 0, NULL), ('last', last, NULL),
                     ('next', start + size, '&after=' || (page ->> 'next')),
                     ('previous', greatest(start - size, 0), CASE WHEN start >= size
                         THEN '&before=' || (page ->> 'previous') END)) l(name, skip, cursor)
        WHERE l.name IN ('self', 'first', 'last') OR l.name = 'next' AND l.skip <= last
            OR l.name = 'previous' AND start > 0);
END
$$;

-- Part of catalogue.dcat_write().
CREATE FUNCTION catalogue.dcat_write_part(datasets json, format text, base text, settings json, page json)
    RETURNS text LANGUAGE plpgsql STABLE AS
$$
DECLARE
    records    jsonb[] := catalogue.dcat_records(datasets);
    known      jsonb := jsonb_strip_nulls(settings::jsonb || jsonb_build_object(
                   'frequencies', catalogue.dcat_frequencies(records),
                   'identifiers', catalogue.dcat_identifiers(records),
                   'language', catalogue.dcat_language(settings::jsonb -> 'language'),
                   'translations', catalogue.dcat_translations(settings::jsonb -> 'translations'),
                   'license', catalogue.dcat_license(settings::jsonb -> 'license'),
                   'portal', catalogue.rdf_iri(rtrim(settings ->> 'portal', '/')),
                   'contact', catalogue.dcat_contacts(settings::jsonb -> 'contact', NULL) -> 0,
                   'address', jsonb_build_object('email',
                       catalogue.dcat_email(settings #>> '{contact,hasEmail}')),
                   'publisher', CASE WHEN settings #>> '{publisher,id}' IS NOT NULL
                       THEN json_build_object('iri', base || '/organizations/' || (settings #>> '{publisher,id}'),
                                              'name', settings #>> '{publisher,name}') END));
    described  jsonb[] := catalogue.dcat_datasets(records, base, known);
BEGIN
    IF format = 'dcatus' THEN
        RETURN catalogue.dcat_us(described, known ->> 'profile');
    ELSIF format = 'croissant' THEN
        RETURN catalogue.croissant(described[1], page::jsonb -> 'columns');
    END IF;
    RETURN catalogue.rdf_write(catalogue.dcat_profile_triples(catalogue.dcat_triples(described, base, known,
        catalogue.dcat_links(nullif(page::jsonb, '{}'), base)), known ->> 'profile'), format);
END
$$;

-- Arguments: datasets, an array of records, as for catalogue.dcat_datasets().  format, of catalogue.rdf_write(), or
-- dcatus: the datasets of a data.json, with commas between them; or croissant: the first one.  base, address of the
-- service.  settings, data of catalogue.dcat_settings().  page, of catalogue.dcat_links(); {} for datasets alone, with
-- columns for croissant.  Returns: the text of the document.  Of tables it reads who has an identifier.
CREATE FUNCTION catalogue.dcat_write(datasets json, format text, base text, settings json, page json DEFAULT '{}')
    RETURNS text LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.dcat_write(json, text, text, json, json) IS
    'Return datasets in a format of DCAT; part of catalogue.dcat_write()';

-- Returns: data is an object: title, description, language, license and contact are values of the configs
-- catalogTitle, catalogDescription, catalogLanguage, catalogLicense, catalogContact and catalogEmail; translations
-- those of catalogue.web_titles(); profile is that of catalogProfile, portal that of frontEndUrl, publisher the
-- organization that defaultOrganization names, or the oldest one.
CREATE FUNCTION catalogue.dcat_settings() RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply := catalogue.list('configs', 'key=frontEndUrl&key=catalog&key=defaultOrganization&'
        'match=BEGINS&fields=key,value&limit=1000', 'ids', '{}');
    given  jsonb := (SELECT coalesce(jsonb_object_agg(c ->> 'key', c ->> 'value'), '{}')
                     FROM json_array_elements(reply.data::json) c
                     WHERE c ->> 'value' ~ '\S');
    titles jsonb := catalogue.web_titles(given);
    tongue text := given ->> 'catalogLanguage';
    wanted text := substring(given ->> 'defaultOrganization' FROM '^[A-Za-z0-9]+$');
    found  catalogue.reply := catalogue.list('organizations', 'limit=1&orderBy=createdAt&fields=id,name&match=EXACT'
        || coalesce('&id=' || wanted, ''), 'ids', '{}');
BEGIN
    IF found.returned = 0 THEN
        found := catalogue.list('organizations', 'limit=1&orderBy=createdAt&fields=id,name', 'ids', '{}');
    END IF;
    reply.etag := reply.etag || '.' || found.etag;
    reply.data := json_build_object('title', coalesce(titles #>> ARRAY[tongue, 'name'], given ->> 'catalogTitle',
            found.data::json #>> '{0,name}', 'Catalogue'),
        'description', coalesce(titles #>> ARRAY[tongue, 'description'], given ->> 'catalogDescription',
            given ->> 'catalogTitle', 'Published datasets'),
        'translations', titles - coalesce(tongue, ''), 'profile', coalesce(given ->> 'catalogProfile', 'dcat-ap-3'),
        'publisher', found.data::json -> 0, 'language', tongue,
        'license', given -> 'catalogLicense', 'portal', given -> 'frontEndUrl', 'contact',
        json_build_object('fn', coalesce(given ->> 'catalogContact', found.data::json #>> '{0,name}'),
            'hasEmail', given -> 'catalogEmail'));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.dcat_settings() IS 'Return what the catalogue says of itself';

-- A known state of a document ends with that of the settings: those with another one are left out.
CREATE FUNCTION catalogue.dcat_known(known text, settings text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN CASE WHEN known = '*' THEN '*'
        ELSE (SELECT string_agg(left(k.state, -length(settings) - 1), ',')
              FROM unnest(string_to_array(known, ',')) k(state)
              WHERE right(k.state, length(settings) + 1) = '.' || settings) END;
END
$$;
COMMENT ON FUNCTION catalogue.dcat_known(text, text) IS 'Return known states of records; part of catalogue.catalog()';

-- Returns: the query for datasets with all that catalogue.dcat_datasets() reads.
CREATE FUNCTION catalogue.dcat_query(query text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT concat_ws('&', string_agg(w.word, '&' ORDER BY w.n),
        'fields=name,slug,description,optionals,publishedAt,createdAt,updatedAt',
        'include=organization.name,categories.name,subcategories.name,tags.name,files.name,files.description,'
            'files.url,files.size,files.sha256,files.optionals,files.publishedAt,files.createdAt,files.updatedAt,'
            'files.type.name,files.type.slug,files.type.mimetype,files.updateFrequency.timePattern')
    FROM regexp_split_to_table($1, '&') WITH ORDINALITY w(word, n)
    WHERE w.word !~ '^(fields|include|facets)=' AND w.word <> '';
END;
COMMENT ON FUNCTION catalogue.dcat_query(text) IS 'Return the query of records for DCAT; part of catalogue.catalog()';

CREATE FUNCTION catalogue.catalog(query text DEFAULT '', format text DEFAULT 'jsonld', base text DEFAULT '',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    outsider  CONSTANT jsonb := coalesce($4 - 'user', '{}');
    wanted    CONSTANT text := catalogue.dcat_query($1);
    settings  catalogue.reply;
    states    text;
    page      catalogue.reply;
BEGIN
    -- a user without the privilege is refused; others get what outsiders see
    PERFORM catalogue.count('datasets', actor => $4);
    settings := catalogue.dcat_settings();
    states := catalogue.dcat_known($5, settings.etag);
    page := catalogue.list('datasets', 'limit=100&' || wanted, 'ids', outsider, states);
    IF page."limit" > 1000 THEN
        page := catalogue.list('datasets', wanted || '&limit=1000', 'ids', outsider, states);
    END IF;
    page.etag := page.etag || '.' || settings.etag;
    page.data := catalogue.dcat_write(page.data::json, $2, $3, settings.data::json, json_build_object('query', $1,
        'count', page.count, 'limit', page."limit", 'skip', page.skip, 'version', page.version, 'next', page.next,
        'previous', page.previous));
    RETURN page;
END
$$;
COMMENT ON FUNCTION catalogue.catalog(text, text, text, jsonb, text) IS
'Return a page of the catalogue as DCAT 3 in a format of RDF
Arguments: query, filters, query, match, condition, orderBy, sort, skip and version as for catalogue.list(); limit, 100
unless given, at most 1000.  format, jsonld, turtle or rdfxml.  base, address of the service, without a slash at the
end.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user.  known, as for catalogue.list().
Returns: data is the text of the document, of what outsiders see, whoever asks: the catalogue, its datasets and
distributions in the terms of DCAT-AP, and addresses of pages in those of Hydra.
Errors: as catalogue.list().';

CREATE FUNCTION catalogue.dataset_rdf(id text, format text DEFAULT 'jsonld', base text DEFAULT '',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    outsider  CONSTANT jsonb := coalesce($4 - 'user', '{}');
    settings  catalogue.reply;
    reply     catalogue.reply;
BEGIN
    PERFORM catalogue.count('datasets', actor => $4);
    settings := catalogue.dcat_settings();
    reply := catalogue.item('datasets', $1, 'include=organization,categories,subcategories,tags,files,'
        'files.type,files.updateFrequency', 'ids', outsider, catalogue.dcat_known($5, settings.etag));
    reply.etag := reply.etag || '.' || settings.etag;
    reply.data := catalogue.dcat_write(('[' || reply.data || ']')::json, $2, $3, settings.data::json,
        CASE $2 WHEN 'croissant' THEN json_build_object('columns',
            catalogue.croissant_columns(reply.data::json -> 'files', outsider)) ELSE '{}' END);
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.dataset_rdf(text, text, text, jsonb, text) IS
'Return a dataset as DCAT 3 in a format of RDF, or as Croissant 1.0
Arguments: id, of the dataset, or its slug.  format, as for catalogue.catalog(), or croissant.  base, actor, known: as
for catalogue.catalog().
Returns: data is the text of the document, of what outsiders see, whoever asks.
Errors: OD404 there is none that outsiders see; OD401, OD403 as catalogue.item().';
