-- Vocabularies whose terms have public addresses: authority tables of the EU, and licences.

-- List the terms that have labels of their own: themes and frequencies; part of vocabulary().
CREATE FUNCTION catalogue.labelled_terms()
    RETURNS TABLE (vocabulary text, code text, names text[], english text, spanish text, upto interval)
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    VALUES ('data-theme', 'AGRI', '{}'::text[], 'Agriculture, fisheries, forestry and food',
               'Agricultura, pesca, silvicultura y alimentación', NULL::interval),
        ('data-theme', 'ECON', '{}', 'Economy and finance', 'Economía y finanzas', NULL),
        ('data-theme', 'EDUC', '{}', 'Education, culture and sport', 'Educación, cultura y deportes', NULL),
        ('data-theme', 'ENER', '{}', 'Energy', 'Energía', NULL),
        ('data-theme', 'ENVI', '{}', 'Environment', 'Medio ambiente', NULL),
        ('data-theme', 'GOVE', '{}', 'Government and public sector', 'Gobierno y sector público', NULL),
        ('data-theme', 'HEAL', '{}', 'Health', 'Salud', NULL),
        ('data-theme', 'INTR', '{}', 'International issues', 'Asuntos internacionales', NULL),
        ('data-theme', 'JUST', '{}', 'Justice, legal system and public safety',
            'Justicia, sistema judicial y seguridad pública', NULL),
        ('data-theme', 'OP_DATPRO', '{}', 'Provisional data', 'Datos provisionales', NULL),
        ('data-theme', 'REGI', '{}', 'Regions and cities', 'Regiones y ciudades', NULL),
        ('data-theme', 'SOCI', '{}', 'Population and society', 'Población y sociedad', NULL),
        ('data-theme', 'TECH', '{}', 'Science and technology', 'Ciencia y tecnología', NULL),
        ('data-theme', 'TRAN', '{}', 'Transport', 'Transporte', NULL),
        ('frequency', 'CONT', '{r/pt1s,continual,update_cont}', 'Continuous', 'Continua', '59 min'),
        ('frequency', 'HOURLY', '{r/pt1h}', 'Hourly', 'Horaria', '1 h'),
        ('frequency', 'BIHOURLY', '{r/pt2h}', 'Every two hours', 'Cada dos horas', NULL),
        ('frequency', 'DAILY_2', '{r/pt12h}', 'Twice a day', 'Dos veces al día', '12 h'),
        ('frequency', 'DAILY', '{r/p1d}', 'Daily', 'Diaria', '24 h'),
        ('frequency', 'WEEKLY_3', '{r/p0.33w}', 'Three times a week', 'Tres veces por semana', '2 days'),
        ('frequency', 'WEEKLY_2', '{r/p3.5d,semiweekly}', 'Twice a week', 'Dos veces por semana', '4 days'),
        ('frequency', 'WEEKLY', '{r/p1w,r/p7d}', 'Weekly', 'Semanal', '7 days'),
        ('frequency', 'BIWEEKLY', '{r/p2w,fortnightly}', 'Every two weeks', 'Bisemanal', '14 days'),
        ('frequency', 'MONTHLY_3', '{r/p0.33m}', 'Three times a month', 'Tres veces al mes', NULL),
        ('frequency', 'MONTHLY_2', '{r/p0.5m,semimonthly}', 'Twice a month', 'Quincenal', '17 days'),
        ('frequency', 'MONTHLY', '{r/p1m}', 'Monthly', 'Mensual', '31 days'),
        ('frequency', 'BIMONTHLY', '{r/p2m}', 'Every two months', 'Bimestral', '62 days'),
        ('frequency', 'QUARTERLY', '{r/p3m}', 'Quarterly', 'Trimestral', '92 days'),
        ('frequency', 'ANNUAL_3', '{r/p4m,threetimesayear}', 'Three times a year', 'Cuatrimestral', '123 days'),
        ('frequency', 'ANNUAL_2', '{r/p6m,semiannual,biannually}', 'Twice a year', 'Semestral', '184 days'),
        ('frequency', 'ANNUAL', '{r/p1y,annually}', 'Yearly', 'Anual', '366 days'),
        ('frequency', 'BIENNIAL', '{r/p2y}', 'Every two years', 'Bienal', '731 days'),
        ('frequency', 'TRIENNIAL', '{r/p3y}', 'Every three years', 'Trienal', NULL),
        ('frequency', 'QUADRENNIAL', '{r/p4y}', 'Every four years', 'Cuatrienal', NULL),
        ('frequency', 'QUINQUENNIAL', '{r/p5y}', 'Every five years', 'Quinquenal', NULL),
        ('frequency', 'DECENNIAL', '{r/p10y}', 'Every ten years', 'Decenal', NULL),
        ('frequency', 'IRREG', '{irregular,unknown,other,notplanned,not_planned,asneeded,as_needed}', 'Irregular',
            'Eventual', NULL);
END;

CREATE FUNCTION catalogue.vocabulary()
    RETURNS TABLE (vocabulary text, code text, names text[], english text, spanish text, upto interval)
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT * FROM catalogue.labelled_terms()
    UNION ALL
    SELECT 'file-type', t.code, t.names, NULL, NULL, NULL
    FROM (VALUES ('CSV', '{csv}'::text[]), ('DOC', '{doc}'), ('DOCX', '{docx}'), ('GEOJSON', '{geojson}'),
                 ('GML', '{gml}'), ('HTML', '{html}'), ('ICS', '{ics}'), ('JPEG', '{jpeg,jpg}'), ('JSON', '{json}'),
                 ('JSON_LD', '{json-ld,jsonld}'), ('KML', '{kml}'), ('KMZ', '{kmz}'), ('ODS', '{ods}'),
                 ('ODT', '{odt}'), ('PDF', '{pdf}'), ('PNG', '{png}'), ('RDF_TURTLE', '{ttl}'), ('RDF_XML', '{rdf}'),
                 ('RSS', '{rss}'), ('SHP', '{shp}'), ('SVG', '{svg}'), ('TIFF', '{tiff}'), ('TSV', '{tsv}'),
                 ('TXT', '{txt}'), ('WFS_SRVC', '{wfs}'), ('WMS_SRVC', '{wms}'), ('XLS', '{xls}'), ('XLSX', '{xlsx}'),
                 ('XML', '{xml}'), ('ZIP', '{zip}')) t(code, names)
    UNION ALL
    SELECT 'language', t.code, t.names, NULL, NULL, NULL
    -- with the names by which PostgreSQL has their stemmers
    FROM (VALUES ('BUL', '{bg}'::text[]), ('CAT', '{ca,catalan}'), ('CES', '{cs}'), ('DAN', '{da,danish}'),
                 ('DEU', '{de,german}'), ('ELL', '{el,greek}'), ('ENG', '{en,english}'), ('SPA', '{es,spanish}'),
                 ('EST', '{et}'), ('EUS', '{eu,basque}'), ('FIN', '{fi,finnish}'), ('FRA', '{fr,french}'),
                 ('GLE', '{ga,irish}'), ('GLG', '{gl}'), ('HRV', '{hr}'), ('HUN', '{hu,hungarian}'),
                 ('ITA', '{it,italian}'), ('LIT', '{lt,lithuanian}'), ('LAV', '{lv}'), ('MLT', '{mt}'),
                 ('NLD', '{nl,dutch}'), ('POL', '{pl}'), ('POR', '{pt,portuguese}'), ('RON', '{ro,romanian}'),
                 ('SLK', '{sk}'), ('SLV', '{sl}'), ('SWE', '{sv,swedish}')) t(code, names)
    UNION ALL
    SELECT 'licence', t.code, t.names, t.label, t.label, NULL
    FROM (VALUES ('https://creativecommons.org/publicdomain/zero/1.0/', '{cc0,cc010}'::text[], 'CC0 1.0'),
                 ('https://creativecommons.org/licenses/by/3.0/', '{ccby30}', 'CC BY 3.0'),
                 ('https://creativecommons.org/licenses/by/4.0/', '{ccby40}', 'CC BY 4.0'),
                 ('https://creativecommons.org/licenses/by-sa/3.0/', '{ccbysa30}', 'CC BY-SA 3.0'),
                 ('https://creativecommons.org/licenses/by-sa/4.0/', '{ccbysa40}', 'CC BY-SA 4.0'),
                 ('https://creativecommons.org/licenses/by-nd/4.0/', '{ccbynd40}', 'CC BY-ND 4.0'),
                 ('https://creativecommons.org/licenses/by-nc/4.0/', '{ccbync40}', 'CC BY-NC 4.0'),
                 ('https://creativecommons.org/licenses/by-nc-sa/4.0/', '{ccbyncsa40}', 'CC BY-NC-SA 4.0'),
                 ('https://creativecommons.org/licenses/by-nc-nd/4.0/', '{ccbyncnd40}', 'CC BY-NC-ND 4.0'),
                 ('https://cdla.dev/permissive-2-0/', '{cdlapermissive20}', 'CDLA Permissive 2.0'),
                 ('http://publications.europa.eu/resource/authority/licence/EUPL_1_2', '{eupl12}', 'EUPL 1.2'),
                 ('http://publications.europa.eu/resource/authority/licence/COM_REUSE', '{comreuse}',
                     'Reuse notice of the European Commission'),
                 ('https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/', '{ogluk30,ogl30}',
                     'OGL UK 3.0'),
                 ('https://www.etalab.gouv.fr/wp-content/uploads/2017/04/ETALAB-Licence-Ouverte-v2.0.pdf',
                     '{etalab20,licenceouverte20}', 'Licence Ouverte 2.0'),
                 ('https://www.govdata.de/dl-de/by-2-0', '{dldeby20}', 'DL-DE BY 2.0'),
                 ('https://www.govdata.de/dl-de/zero-2-0', '{dldezero20}', 'DL-DE Zero 2.0'),
                 ('https://data.norge.no/nlod/en/2.0', '{nlod20}', 'NLOD 2.0'),
                 ('https://opendatacommons.org/licenses/odbl/1-0/', '{odbl,odbl10}', 'ODbL 1.0'),
                 ('https://opendatacommons.org/licenses/by/1-0/', '{odcby10}', 'ODC-By 1.0'),
                 ('https://opendatacommons.org/licenses/pddl/1-0/', '{pddl10}', 'PDDL 1.0')) t(code, names, label);
END;
COMMENT ON FUNCTION catalogue.vocabulary() IS
'Return terms of vocabularies that have public addresses
Returns: vocabulary and code, the last words of the address below http://publications.europa.eu/resource/authority/.
Of a licence code is the address. names, others of the term in small letters, first that by which records and DCAT-US
have it. english, spanish, its labels; NULL for a language or a file type. upto, the longest time
between two runs at a frequency.
Source: authority tables of the Publications Office of the EU';

-- Immutable and without variables, so that a plan has its value: a term is found in a microsecond, not in 30.
CREATE FUNCTION catalogue.vocabulary_terms(labels boolean) RETURNS jsonb LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT jsonb_object_agg(t.vocabulary, t.terms)
    FROM (SELECT v.vocabulary, jsonb_object_agg(w.word, jsonb_build_object('code', v.code, 'name', v.names[1],
                     'english', v.english, 'spanish', v.spanish)) AS terms
          FROM catalogue.vocabulary() v,
              unnest(CASE WHEN labels THEN ARRAY[lower(v.english), lower(v.spanish)]
                  ELSE v.names || lower(v.code) END) w(word)
          WHERE w.word IS NOT NULL
          GROUP BY v.vocabulary) t;
END;
COMMENT ON FUNCTION catalogue.vocabulary_terms(boolean) IS
'Return the terms of all vocabularies by words that name them
Arguments: labels, by their labels; false: by codes and names.
Returns: an object with an object for each vocabulary, in which each word in small letters has an object with code,
name, english and spanish, as of catalogue.vocabulary().';

CREATE FUNCTION catalogue.vocabulary_term(vocabulary text, value text) RETURNS jsonb LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT catalogue.vocabulary_terms(false)
        #> ARRAY[vocabulary, lower(regexp_replace(btrim(value), '^https?://.*[/#](?=.)', ''))];
END;
COMMENT ON FUNCTION catalogue.vocabulary_term(text, text) IS
'Return the term of a vocabulary that a value names
Arguments: vocabulary; value, an address that ends with its code or a name, or one of these.
Returns: an object as of catalogue.vocabulary_terms(); NULL where it names none.';

-- Return the term of a vocabulary that a value names; a frequency also by its label, as people write it.  Part of
-- catalogue.vocabulary_label().
CREATE FUNCTION catalogue.vocabulary_said(vocabulary text, value text) RETURNS jsonb LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT coalesce(catalogue.vocabulary_term($1, $2),
        CASE $1 WHEN 'frequency' THEN catalogue.vocabulary_terms(true) #> ARRAY[$1, lower(btrim($2))] END);
END;

-- Return the label of a term in the language of the catalogue.  That is the one which a category or an update frequency
-- has already; else by config catalogLanguage, English or Spanish. Arguments: as for catalogue.vocabulary_term().
-- Returns: of a file type its name; NULL for a value that names no term. Part of catalogue.import().
CREATE FUNCTION catalogue.vocabulary_label(vocabulary text, value text) RETURNS text LANGUAGE plpgsql STABLE STRICT AS
$$
BEGIN
    RETURN (SELECT coalesce(r.name, CASE WHEN EXISTS (SELECT FROM catalogue.configs c
                WHERE c.key = 'catalogLanguage' AND c.deleted_at IS NULL AND c.value ~* '^es\M')
            THEN t.spanish ELSE t.english END, t.name)
        FROM jsonb_to_record(catalogue.vocabulary_said($1, $2)) t(name text, english text, spanish text)
            LEFT JOIN LATERAL (
                SELECT c.name FROM catalogue.categories c WHERE c.deleted_at IS NULL AND $1 = 'data-theme'
                UNION ALL
                SELECT u.name FROM catalogue.updatefrequencies u WHERE u.deleted_at IS NULL AND $1 = 'frequency') r
                ON lower(r.name) IN (lower(t.english), lower(t.spanish))
        LIMIT 1);
END
$$;
