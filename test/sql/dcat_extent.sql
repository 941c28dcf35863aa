--
-- dcat_extent: places, periods, languages and series of datasets, in each form in which they are given on
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What data.json says of a dataset with optional values.
CREATE FUNCTION given_on(optionals json, format text DEFAULT 'dcatus') RETURNS jsonb LANGUAGE sql AS
$$
    SELECT catalogue.dcat_written(catalogue.dcat_records(json_build_array(json_build_object('id', '1', 'name', 'd',
        'optionals', $1))), $2, 'https://d.example', '{}')::jsonb
$$;
-- Places, as a source may have them.
SELECT v AS given, catalogue.dcat_value('places', v) -> 0 AS place,
    nullif(given_on(json_build_object('spatial', v)) -> 'spatial', v) AS said_otherwise
FROM unnest(ARRAY['"Norway"', '"https://g.example/1"', '"-10.5,35,20,44.25"', '" 1 , 2 , 3 , 4 "', '"1,2,3"',
    '"ENVELOPE(-10, 20, 44, 35)"', '"POLYGON((0 0, 1 0, 1 1, 0 0))"',
    '"<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT(1 2)"', '"multipolygon (((0 0)))"', '"Point Reyes"',
    '"{\"type\":\"Point\",\"coordinates\":[1,2]}"', '{"type": "Point", "coordinates": [1.50, 2]}',
    '{"type": "GeometryCollection", "geometries": []}', '{"@id": "https://g.example/1", "prefLabel": "Oslo"}',
    '{"prefLabel": "Oslo"}', '{"@id": "https://g.example/1"}', '{"bbox": "POLYGON((0 0))", "name": "Oslo"}',
    '{"geometry": ["POINT(1 2)", "{\"type\":\"Point\"}"], "centroid": {"@value": "POINT(3 4)"}}',
    '{"geometry": {"type": "Point", "coordinates": [1, 2]}}', '{"@value": "Norway"}', '{"odd": 1}', '5', 'null', '""',
    '[]', '{"@id": "javascript:x"}']::jsonb[]) v;
-- Periods.
SELECT v AS given, catalogue.dcat_value('periods', v) AS periods
FROM unnest(ARRAY['"2012/2016"', '"2018-03/2019-09"', '"2019-01-01/2020-12-31"',
    '"2019-01-01T10:00:00Z/2020-01-01T00:00"', '"2019/.."', '"/2019"', '"2019"', '"2019-13/2020-00"',
    '"2019-02-30/0000"', '"x"', '{"startDate": "2012"}',
    '{"startDate": {"@value": "2012-05"}, "endDate": "2013-01-01"}', '["2012/2013", {"endDate": "2015"}, "x", 5, null]',
    '{"hasBeginning": {"inXSDDate": "2011-01-01"}, "hasEnd": {"inXSDDate": "2011-02-01"}}', '{}', '7']::jsonb[]) v;
-- Periods of an instant and a duration; what is no duration, or leads out of the calendar, gives no other end.
SELECT v AS given, catalogue.dcat_value('periods', to_jsonb(v)) AS period
FROM unnest(ARRAY['2012-01-01/P1Y', '2018-03/P6M', 'P1Y/2012-12-31', 'P6M/2018-08', 'P10Y/2020', '2012/P1Y',
    '2024-01-31/P1M', '2024-02-28/P2D', '2012-01-01/P2W', '2012-01-01 / P1Y2M3D', '2012-01-01/PT36H',
    'PT36H/2012-12-31', '2012-01-01T10:00:00+02:00/P1D', '2012-01-01T10:00:00.5Z/PT90.25S',
    'P1DT1H/2012-01-02T10:00',
    '2012-01-01/P', '2012-01-01/PT', '2012-01-01/P1', '2012-01-01/P0D', '2012-01-01/-P1Y', '2012-01-01/P1Y1Y',
    '2012-01-01/p1y', '2012-01-01/P99999Y', '2012-01-01/P9000Y', 'P3000Y/2012', '9999/PT999999999999S',
    '2012-01-01/P1Y; SELECT 1', '2012-02-30/P1Y', 'P1Y/P1Y', 'P1Y', '/P1Y']) WITH ORDINALITY v(v, n) ORDER BY n;
SELECT catalogue.dcat_value('periods',
    '[{"startDate": "2012-01-01", "endDate": {"@value": "P1Y"}}, "2018-03/P6M"]') AS periods;
-- So gives one of which PostgreSQL cannot compute the other end, or read the given one: no document fails for it.
SELECT left(v, 40) AS given, left(catalogue.dcat_value('periods', to_jsonb(v))::text, 60) AS period
FROM unnest(ARRAY['P9999Y/2012', 'P999999D/0001-01-01', 'PT999999999S/2012-01-01T00:00Z',
    '2012-01-01T10:00:00.' || repeat('1', 300) || 'Z/P1D']) v;
-- Zones of XML Schema are up to 14 hours.
SELECT v AS given, catalogue.dcat_value('time', to_jsonb(v)) AS said
FROM unnest(ARRAY['2012-01-01T10:00:00Z', '2012-01-01T10:00:00+14:00', '2012-01-01 10:00 -1359',
    '2012-01-01T10:00:00+14:01', '2012-01-01T10:00:00-15:00', '2012-01-01T10:00:00+1', '2012-01-01T10:00:00+']) v;
-- GeoJSON that is no JSON, or nested deeper than the server reads, is given on as the text that it is.
SELECT left(given_on(json_build_object('spatial', v)) ->> 'spatial', 40) AS spatial
FROM unnest(ARRAY['{"type": "Point", "coordinates": [1, 2]}', '{"coordinates": [1, 2', '{"coordinates": [1e400000]}',
    '{"coordinates": "\u0000"}', '{"coordinates": ' || repeat('[', 100000) || repeat(']', 100000) || '}']) v;
-- What a statement has written and jsonb cannot have, in a text and beside it: the rest stays.
SELECT v AS given, given_on(v::json) ->> 'version' AS version
FROM unnest(ARRAY['{"version": "a\u0000\u0000b", "x": 1e400000}', '{"version": "\\u0000 \\\u0000"}',
    '{"version": "\ud800 \udc00\ud83d\ude00\uDBFF"}', '{"\u0000": 1, "version": "2"}', '{"version": "\\ud800"}']) v;
-- The region of a language is that of the texts, since an address has none.
SELECT v AS given, t AS texts, given_on(json_build_object('language', v, 'textLanguage', t)) -> 'language' AS languages
FROM unnest(ARRAY['["en", "es"]', '"http://publications.europa.eu/resource/authority/language/ENG"', '["en-gb", "en"]',
        '5']::jsonb[]) v, unnest(ARRAY['"en-us"', '"en"', '"de-at"', '{"name": "en-us"}', 'null', '7']::jsonb[]) t;
SELECT v AS given, catalogue.dcat_value('languages', v) AS languages
FROM unnest(ARRAY['"en"', '["es", "http://publications.europa.eu/resource/authority/language/ENG", "es"]', '["x y", 1]',
    '"en-US"']::jsonb[]) v;
SELECT v AS given, given_on(json_build_object('inSeries', v)) -> 'inSeries' AS series
FROM unnest(ARRAY['"https://s.example/1"', '{"@id": "https://s.example/1", "title": "Years"}', '{"title": "Years"}',
    '[{"@id": "https://s.example/1", "title": "A", "description": "B"}, {"title": "C"}, "x", 5, {}]', '5']::jsonb[]) v;
-- Those without an address have none in data.json, however many they are; one that a source has given stays.
SELECT e ->> '@id' AS "@id", count(*)
FROM jsonb_array_elements(given_on((SELECT json_build_object('inSeries', json_agg(CASE n
        WHEN 12 THEN '{"@id": "https://s.example/d#series-1", "title": "Twelfth"}'::json
        ELSE json_build_object('title', 'Series ' || n) END)) FROM generate_series(1, 12) n)) -> 'inSeries') e
GROUP BY 1 ORDER BY 1;
-- The address of an organization that a publisher is a part of stays, but one that a catalogue of this kind has made.
SELECT v AS given, given_on(json_build_object('publisher', json_build_object('name', 'p', 'subOrganizationOf', v)))
    #> '{publisher,subOrganizationOf}' AS within
FROM unnest(ARRAY['{"name": "City"}', '{"@id": "https://g.example/city-within", "name": "City"}',
    '{"@id": "https://g.example/city#within", "name": "City"}',
    '{"@id": "https://g.example/o#1-within", "name": "City"}',
    '{"name": "City", "subOrganizationOf": "State"}']::json[]) v;

-- Imported from RDF as JSON-LD, given on as RDF and as data.json, and read back as the same.
CREATE FUNCTION import(document json, source text) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT mask(concat_ws(' | ', e ->> 'outcome', e ->> 'name',
        (SELECT string_agg(n, '; ') FROM json_array_elements_text(e -> 'notes') n WHERE n !~ 'there is none')))
    FROM catalogue.import_dcat(document, source, '{"publish": true}', admin()) r, json_array_elements(r -> 'entries') e
$$;
SELECT * FROM import('{"@graph": [
    {"@id": "http://a/1", "@type": "dcat:Dataset", "dct:title": "Places",
     "dct:spatial": [{"@id": "_:p"}, {"@id": "http://g/oslo"}, {"@id": "_:q"}],
     "dct:temporal": [{"@type": "dct:PeriodOfTime", "dcat:startDate": {"@value": "2012", "@type": "xsd:gYear"}},
        {"@id": "_:t"}],
     "dct:language": [{"@id": "http://publications.europa.eu/resource/authority/language/SPA"},
        {"@id": "http://publications.europa.eu/resource/authority/language/ENG"}],
     "dcat:inSeries": {"@id": "http://a/series"}},
    {"@id": "http://a/series", "@type": "dcat:DatasetSeries", "dct:title": "Years", "dct:description": "One a year"},
    {"@id": "_:p", "@type": "dct:Location", "dcat:bbox":
        {"@value": "POLYGON((0 0, 1 0, 1 1, 0 0))", "@type": "gsp:wktLiteral"}},
    {"@id": "_:q", "@type": "dct:Location", "skos:prefLabel": "Harbour", "locn:geometry":
        [{"@value": "POINT(1 2)", "@type": "gsp:wktLiteral"},
         {"@value": "{\"type\":\"Point\",\"coordinates\":[1,2]}"}]},
    {"@id": "http://g/oslo", "@type": "dct:Location", "skos:prefLabel": "Oslo"},
    {"@id": "_:t", "dcat:startDate": "2014-03", "dcat:endDate": "2015-01-01T10:00:00Z"}]}', 'graph');
SELECT * FROM import('{"dataset": [
    {"identifier": "one", "title": "Box", "spatial": "-10,35,20,44", "temporal": "2012/2016"},
    {"identifier": "two", "title": "Shape", "spatial": {"type": "Point", "coordinates": [1, 2]},
     "temporal": ["2018-03/2019-09", "2012-01-01/P1Y", "P6M/2020-08"], "language": ["es", "en"],
     "inSeries": [{"@type": "DatasetSeries", "title": "Own"}]}]}', 'data.json');
SELECT d.name, jsonb_pretty(d.optionals::jsonb - '{source,identifier}'::text[]) AS optionals
FROM catalogue.datasets d WHERE d.name IN ('Places', 'Box', 'Shape') ORDER BY d.name DESC;
SELECT mask(n.node::text) AS node
FROM catalogue.datasets d, json_array_elements((catalogue.dataset_rdf(d.id, base => 'https://d.example')).data::json
    -> '@graph') n(node)
WHERE d.name IN ('Places', 'Box', 'Shape') AND n.node::text ~ 'Location|PeriodOfTime|Linguistic|Series|dct:spatial'
ORDER BY d.name DESC, mask(n.node::text);
SELECT string_agg((d.piece).data, '')::json AS data_json
FROM (SELECT catalogue.data_json('name=Places&name=Box&name=Shape&match=EXACT', 'https://d.example')) d(piece) \gset
SELECT e ->> 'title' AS title, e -> 'spatial' AS spatial, e -> 'temporal' AS temporal, e -> 'language' AS language,
    e -> 'inSeries' AS series
FROM json_array_elements((:'data_json')::json -> 'dataset') e ORDER BY 1 DESC;
SELECT data AS catalog
FROM catalogue.catalog('name=Places&name=Box&name=Shape&match=EXACT', 'jsonld', 'https://d.example') \gset
SELECT * FROM import(:'data_json', 'from data.json') ORDER BY 1;
SELECT * FROM import(:'catalog', 'from catalog') ORDER BY 1;
-- What each gives is what was given to it.
CREATE FUNCTION said(source text) RETURNS TABLE (name text, said text) LANGUAGE sql AS
$$
    SELECT regexp_replace(d.name, ' .*', ''),
        regexp_replace(concat_ws(' ', regexp_replace(n.node ->> '@id', '.*#', ''), p.key, v.value),
            '[^" ]+/datasets/\w+', '<dataset>', 'g')
    FROM catalogue.imported i JOIN catalogue.datasets d ON d.id = i.record,
        jsonb_array_elements((catalogue.dataset_rdf(d.id, base => 'https://d.example')).data::jsonb -> '@graph')
            n(node),
        jsonb_each(n.node) p, jsonb_path_query(p.value, '$[*]') v(value)
    WHERE i.source = $1 AND p.key <> '@id' AND (n.node ->> '@id' ~ 'spatial|temporal|series|/language/|//g/'
        OR p.key ~ 'spatial|temporal|inSeries|dct:language')
$$;
SELECT s.source, count(*) FROM unnest('{graph,data.json,from data.json,from catalog}'::text[]) s(source), said(s.source)
GROUP BY 1 ORDER BY 1;
SELECT s.source, o.* FROM unnest('{from data.json,from catalog}'::text[]) s(source),
    LATERAL (SELECT * FROM said(s.source) EXCEPT (SELECT * FROM said('graph') UNION SELECT * FROM said('data.json'))) o;
-- A dataset without a value of its own is where its files are: each form has its extent and the middle of it, and a
-- catalogue that reads these gives the same.
SELECT make('datasets', json_build_object('name', d.name, 'status', 'qWRhpRV', 'owner', id_of('users', 'admin'),
    'categories', id_of('categories', 'Transport'), 'optionals', d.optionals)) IS NOT NULL AS made
FROM (VALUES ('Extent one', NULL::json), ('Extent two', '{"spatial": "Here"}'), ('Extent far', '{}'),
    ('Extent of none', NULL)) d(name, optionals);
INSERT INTO catalogue.dataset_place (dataset, file, box) SELECT id_of('datasets', p.name), 'f', p.box
FROM (VALUES ('Extent one', box '(-3.5,40.25),(-4,41)'), ('Extent one', '(2,36.1234567),(2,36.1234567)'),
    ('Extent two', '(1,1),(1,1)'), ('Extent far', '(179,-1),(180,1)'),
    ('Extent far', '(-180,-1),(-177,2)')) p(name, box);
SELECT mask(n.node::text) AS node
FROM catalogue.datasets d, json_array_elements((catalogue.dataset_rdf(d.id, base => 'https://d.example')).data::json
    -> '@graph') n(node)
WHERE d.name LIKE 'Extent%' AND n.node::text ~ 'Location'
ORDER BY d.name, mask(n.node::text);
CREATE FUNCTION places(profile text) RETURNS TABLE (title text, spatial jsonb) LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.configs c SET value = $1 WHERE c.key = 'catalogProfile';
    RETURN QUERY SELECT e ->> 'title', mask((e -> 'spatial')::text)::jsonb
        FROM (SELECT string_agg(d.data, '' ORDER BY d.ordinality)::jsonb AS data
              FROM catalogue.data_json('name=Extent&match=BEGINS', 'https://d.example') WITH ORDINALITY d) d(data),
            jsonb_array_elements(d.data -> 'dataset') e
        ORDER BY 1;
END
$$;
SELECT make('configs', json_build_object('key', 'catalogProfile', 'value', 'dcat-ap-3', 'description', 'd',
    'type', 'string', 'category', (SELECT category FROM catalogue.configs LIMIT 1))) IS NOT NULL AS made;
SELECT p.p AS profile, o.* FROM unnest('{dcat-ap-3,dcat-us-1.1,dcat-us-3}'::text[]) p, places(p) o;
UPDATE catalogue.configs SET value = 'dcat-ap-3' WHERE key = 'catalogProfile';
SELECT data AS extents FROM catalogue.catalog('name=Extent&match=BEGINS', 'jsonld', 'https://d.example') \gset
SELECT * FROM import(:'extents', 'extents') ORDER BY 1;
SELECT o.said FROM said('extents') o WHERE o.said ~ 'spatial|bbox|centroid' ORDER BY o.name, o.said;
-- A publisher is a part of larger organizations.
SELECT v.given, given_on(json_build_object('publisher', v.given)) -> 'publisher' AS data_json, n.node
FROM unnest(ARRAY['{"name": "Unit", "subOrganizationOf": {"@id": "http://o.example/m", "name": "Ministry",
        "subOrganizationOf": [{"@type": "org:Organization", "name": "State"}, "other"]}}',
    '{"name": "Unit", "subOrganizationOf": "http://o.example/m"}', '{"name": "Unit", "subOrganizationOf": 5}',
    '{"name": "Unit", "subOrganizationOf": {"subOrganizationOf": "lost"}}']::jsonb[]) WITH ORDINALITY v(given, n),
    jsonb_array_elements(given_on(json_build_object('publisher', v.given), 'jsonld') -> '@graph') WITH ORDINALITY
        n(node, m)
WHERE n.node ->> '@type' = 'foaf:Agent' OR n.node ->> '@id' ~ 'o.example' ORDER BY v.n, n.m;
