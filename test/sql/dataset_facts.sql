--
-- dataset_facts: licence, place and date of the data, which optionals tell, as fields, filters and facets
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Of each optionals what is told.
CREATE FUNCTION told(optionals text) RETURNS TABLE (license text, place text, data_date text) LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.datasets d SET optionals = $1::json WHERE d.name = 'Airports';
    RETURN QUERY SELECT d ->> 'license', d ->> 'place', d ->> 'dataDate'
        FROM (SELECT data::json -> 0 AS d FROM catalogue.list('datasets', 'name=Airports&match=EXACT')) l;
END
$$;
-- Texts, of objects and lists too, which are cut; what is none is null.
SELECT o.n, t.license, t.place
FROM (VALUES (1, '{"license": "CC BY", "spatial": "Montevideo"}'), (2, '{"license": " CC BY ", "spatial": "  "}'),
        (3, '{"license": {"title": "Open", "@id": "https://example.org"}, "spatial": {"prefLabel": "Río Negro"}}'),
        (4, '{"license": ["ODbL", "CC0"], "spatial": ["Salto", "Artigas"]}'),
        (5, '{"license": [], "spatial": {}}'), (6, '{"license": 5, "spatial": true}'), (7, '{"license": null}'),
        (8, '{"license": {"@id": "https://example.org/by"}, "spatial": "{\"type\": \"Point\"}"}'),
        (9, '{"spatial": "-56.2, -34.9; -55"}'), (10, '{"spatial": "POINT(1 2)"}'), (11, '{"spatial": [-56.2, -34.9]}'),
        (12, '[]'), (13, '"license"'), (14, NULL), (15, '{"license": {"name": {"a": 1}}}')) o(n, optionals),
    LATERAL told(o.optionals) t
ORDER BY o.n;
SELECT length(t.license), length(t.place)
FROM told(format('{"license": "%s", "spatial": "%1$s"}', repeat('ñ', 300))) t;
-- The date of modified precedes that of issued and the end of the period; a year or a month is its first day.
SELECT o.n, t.data_date
FROM (VALUES (1, '{"modified": "2017-05-02T10:00:00Z", "issued": "2016-01-01"}'),
        (2, '{"modified": "yesterday", "issued": "2016-02-29"}'), (3, '{"issued": "2016"}'),
        (4, '{"issued": "2016-11"}'),
        (5, '{"temporal": "2014-01-01/2015-12-31"}'), (6, '{"temporal": "2014-03-01/"}'), (7, '{"temporal": "2014"}'),
        (8, '{"issued": "2016-13-01"}'), (9, '{"issued": "2016-02-31"}'), (10, '{"issued": "02/03/2016"}'),
        (11, '{"issued": "20160203"}'), (12, '{"issued": "0000-01-01"}'), (13, '{"issued": 2016}'),
        (14, '{"issued": {"@value": "2016-01-01"}}'), (15, '{"issued": "9999-12-31"}'),
        (16, '{"modified": "2017-1-2"}'), (17, '{"modified": "2017-05-02 10:00"}'),
        (18, '{"modified": ["2017-05-02"]}')) o(n, optionals),
    LATERAL told(o.optionals) t
ORDER BY o.n;

-- They are read-only, in the API and in SQL, and follow the optionals.
SELECT (catalogue.update('datasets', id_of('datasets', 'Airports'),
    '{"license": "mine", "dataDate": "2020-01-01", "optionals": '
    '{"license": "ours", "spatial": "Salto", "issued": "2019"}}',
    actor => admin())).version IS NULL AS updated;
SELECT d ->> 'license' AS license, d ->> 'place' AS place, d ->> 'dataDate' AS data_date
FROM (SELECT data::json AS d FROM catalogue.item('datasets', id_of('datasets', 'Airports'))) i;
UPDATE catalogue.datasets SET license = 'mine';
INSERT INTO catalogue.datasets (name, optionals, status, owner, created_by, data_date)
SELECT 'Soils', '{"issued": "2019"}', d.status, d.owner, d.created_by, '2020-01-01' FROM catalogue.datasets d LIMIT 1;
-- What is written without triggers is found, and brought up to date by the remedy, and by bootstrap().
ALTER TABLE catalogue.datasets DISABLE TRIGGER USER;
UPDATE catalogue.datasets SET license = 'mine' WHERE name = 'Airports';
ALTER TABLE catalogue.datasets ENABLE TRIGGER USER;
SELECT kind, problem FROM catalogue.check_facts();
DO 'BEGIN EXECUTE (SELECT remedy FROM catalogue.check_facts()); END';
SELECT count(*) AS findings FROM catalogue.check_facts();
ALTER TABLE catalogue.datasets DISABLE TRIGGER USER;
UPDATE catalogue.datasets SET license = NULL, data_date = '2020-01-01' WHERE name = 'Airports';
ALTER TABLE catalogue.datasets ENABLE TRIGGER USER;
SELECT count(*) AS findings FROM catalogue.check_facts();
SELECT catalogue.bootstrap();
SELECT license, data_date FROM catalogue.datasets WHERE name = 'Airports';
SELECT * FROM catalogue.check_all();
-- Columns of a catalogue in which PostgreSQL made them are made by the triggers from then on.
ALTER TABLE catalogue.datasets DROP COLUMN license,
    ADD COLUMN license varchar(250) GENERATED ALWAYS AS (optionals ->> 'license') STORED;
SELECT catalogue.bootstrap();
SELECT count(*) AS generated FROM pg_attribute WHERE attrelid = 'catalogue.datasets'::regclass AND attgenerated <> '';
SELECT (catalogue.update('datasets', id_of('datasets', 'Airports'), '{"optionals": {"license": {"name": "ours"}, '
    '"spatial": "Salto", "issued": "2019"}}', actor => admin())).version IS NULL AS updated;
SELECT license, place, data_date FROM catalogue.datasets WHERE name = 'Airports';

-- What a facet counts is what its filter finds.
SELECT f.key AS facet, v.value
FROM catalogue.list('datasets', 'facets=license,place,dataDate.year&limit=1') l,
    json_each(('{' || l.meta || '}')::json -> 'facets') f, json_array_elements(f.value -> 'values') v;
SELECT q, (catalogue.list('datasets', q)).count
FROM (VALUES ('license[eq]=OURS'), ('license[eq]=our'), ('license=our'), ('place[eq]=salto,nowhere'), ('place=null'),
    ('dataDate.year=2019,2025'), ('dataDate.year[lt]=2020'), ('dataDate[gte]=2019-01-01&license[ne]=CC0-1.0')) f(q);
SELECT names(l) FROM catalogue.list('datasets', 'orderBy=dataDate&sort=DESC&dataDate[ne]=null') l;
