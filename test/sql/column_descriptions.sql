--
-- What the owner of a file says of its columns, in optionals.columns: where it is given on, and what is no description.
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Air') IS NOT NULL AS made;
UPDATE catalogue.datasets SET status = 'qWRhpRV';
SELECT make_file('Stations', 'Air') AS file \gset
SELECT catalogue.contents_load(:'file',
    '[["no2","station","price"],[40,"North","5 €"],[38,"South","6 €"]]') > 0 AS loaded;

-- Without descriptions, columns are as before.
SELECT c.value::text FROM catalogue.contents_columns(:'file') r, json_array_elements(r.data::json) c;
SELECT etag FROM catalogue.contents_columns(:'file') \gset

-- A column that has none is there as well; the unit that is said stands before that of the numbers.
SELECT (catalogue.update('files', :'file', '{"optionals": {"license": "CC0-1.0", "columns": {
    "no2": {"label": "Nitrogen dioxide", "description": "Mean of a day", "unit": "µg/m³"},
    "price": {"unit": "euros of 2020", "more": [1]}, "gone": {"label": "no such column"}}}}',
    actor => admin())).id IS NOT NULL AS described;
SELECT c.value::text FROM catalogue.contents_columns(:'file') r, json_array_elements(r.data::json) c;
SELECT jsonb_pretty(r.data::jsonb -> 'fields') FROM catalogue.contents_schema(:'file') r;
-- The entity tag is another one, so that nobody keeps the columns without them.
SELECT etag <> :'etag' AS other FROM catalogue.contents_columns(:'file', known => :'etag');
-- In Croissant and in the Data Package of an archive.
SELECT jsonb_pretty(catalogue.croissant_records('f', 'Stations', r.data::jsonb) #> '{field,0}')
FROM catalogue.contents_columns(:'file') r;
SELECT f.value::text
FROM json_array_elements(catalogue.archive_package(json_build_object('dataset', '{}'::json, 'files', (
        SELECT json_agg(json_build_object('name', 'Stations', 'table', json_build_object('columns', s.columns,
            'said', catalogue.columns_said(f.optionals))))
        FROM catalogue.files f JOIN catalogue.sheet s ON s.file = f.id AND s.revision = f.revision
        WHERE f.id = :'file'))) #> '{resources,0,schema,fields}') f;
-- The manifest of an archive has texts only, whatever the owner has written.
SELECT jsonb_pretty(catalogue.columns_said(f.optionals)) AS said FROM catalogue.files f WHERE f.id = :'file';

-- What is no description is none.
CREATE FUNCTION told(file text, optionals json, OUT "column" text, OUT field text) LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.update('files', file, json_build_object('optionals', optionals), actor => admin());
    "column" := (SELECT r.data::json -> 0 FROM catalogue.contents_columns(file) r);
    field := (SELECT r.data::json #> '{fields,0}' FROM catalogue.contents_schema(file) r);
END
$$;
SELECT o.optionals, t.*
FROM unnest(ARRAY['null', '"text"', '[]', '{}', '{"columns": null}', '{"columns": []}', '{"columns": "no2"}',
        '{"columns": {"no2": "text"}}', '{"columns": {"no2": null}}', '{"columns": {"no2": {}}}',
        '{"columns": {"no2": {"label": 7, "description": {"a": "\""}, "unit": null}}}',
        '{"columns": {"no2": {"label": ["a"], "description": true, "unit": {"en": "m"}}}}',
        -- numbers that jsonb and readers of JSON do not take
        '{"columns": {"no2": {"label": 1e400000, "more": 1e400000}}}']) o(optionals),
    told(:'file', o.optionals::json) t;
