--
-- How well a dataset is described: each check with what it takes, for whom, and values that are none.
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
CREATE FUNCTION lacking(actor jsonb DEFAULT admin(), OUT score text, OUT lacks text) LANGUAGE plpgsql AS
$$
DECLARE
    said  CONSTANT json := (catalogue.quality(test.id_of('datasets', 'Air'), actor)).data;
BEGIN
    score := concat_ws(' of ', said ->> 'score', said ->> 'of');
    lacks := (SELECT string_agg(c.key, ' ' ORDER BY c.key) FROM json_each_text(said -> 'checks') c
              WHERE c.value = 'false');
END
$$;

-- Nothing but a name.
SELECT make_dataset('Air') AS dataset \gset
SELECT * FROM lacking();
-- A file without bytes, whose frequency is kept: it is new.
SELECT make_file('Stations', 'Air') AS file \gset
UPDATE catalogue.files SET update_frequency = (SELECT id FROM catalogue.updatefrequencies WHERE name = 'Daily')
WHERE id = :'file';
SELECT * FROM lacking();
-- Rows.
SELECT catalogue.contents_load(:'file', '[["no2"],[40]]') > 0 AS loaded;
SELECT * FROM lacking();
-- Each of the others, by itself.
CREATE FUNCTION described(resource text, id text, body json) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM catalogue.update(resource, id, body, actor => admin());
    RETURN (SELECT concat_ws(': ', l.score, l.lacks) FROM lacking() l);
END
$$;
SELECT o.optionals, described('datasets', :'dataset', json_build_object('optionals', o.optionals::json))
FROM unnest(ARRAY['{"license": "CC0-1.0"}', '{"license": " "}', '{"license": {"a": 1}}', '{"license": ["", "CC0-1.0"]}',
        '{"contactPoint": {"fn": "Desk"}}', '{"contactPoint": {"hasEmail": "desk@example.org"}}',
        '{"contactPoint": {}}', '{"contactPoint": "Desk"}', '{"contactPoint": [{"fn": ""}, {"fn": "Desk"}]}', '"text"',
        '[1]', '{"license": "CC0-1.0", "number": 1e400000, "contactPoint": {"fn": "Desk"}}']) o(optionals);
SELECT length(d.description), described('datasets', :'dataset', json_build_object('description', d.description))
FROM unnest(ARRAY[repeat('x', 49), repeat('é', 50)]) d(description);
SELECT o.optionals, described('files', :'file', json_build_object('optionals', o.optionals::json))
FROM unnest(ARRAY['{"columns": {}}', '{"columns": "no2"}', '{"columns": {"no2": {"label": "Nitrogen dioxide"}}}'])
    o(optionals);
-- A file is late when its period and half of it have passed since it changed, or since its source says so.
SELECT * FROM lacking();
SELECT o.modified, described('files', :'file', json_build_object('optionals', json_build_object('modified', o.modified,
    'columns', '{"no2": {"label": "Nitrogen dioxide"}}'::json)))
FROM unnest(ARRAY['2020-01-01', 'soon']) o(modified);
-- One that is updated at no certain time is not late.
UPDATE catalogue.files SET update_frequency = (SELECT id FROM catalogue.updatefrequencies WHERE time_pattern IS NULL
    LIMIT 1) WHERE id = :'file';
SELECT described('files', :'file', '{"optionals": {"modified": "2020-01-01"}}');
-- Outsiders: what they do not see does not count, nor is there a dataset that they do not see.
SELECT code FROM refusal('SELECT lacking(''{}'')');
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id = :'dataset';
UPDATE catalogue.files SET visible = false WHERE id = :'file';
SELECT * FROM lacking('{}');
SELECT * FROM lacking();
SELECT code FROM refusal('SELECT catalogue.quality(''no-such'')');
-- So it is in the first statement of a session, which loads the library.
\c -
SELECT catalogue.quality('no-such');
\c -
SELECT catalogue.file_resources('no-such');
