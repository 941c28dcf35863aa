--
-- CSV on the Web of rows that are stored in SQL: datatypes are those that all cells have, names are encoded, and a file
-- without bytes has no CSV.
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Sheets') IS NOT NULL AS made;
SELECT make_file('Rows', 'Sheets') AS file \gset
SELECT catalogue.contents_load(:'file', '[["_a b", "ünit.x", "plus", "day", "at", "both",
    "flag", "loud", "nbsp", "mark"],
    [1, "1.5", "+5", "2024-05-31", "2024-05-31T12:00:00Z", "2024-05-31", "true", "TRUE", "1\u00a0", "-"],
    [2, "-2e3", " 7", "2024-06-01", "2024-06-01T01:02:03.5", "2024-06-01T01:00:00", "false", "FALSE", "2", "4"],
    [3, ".5", "", "", "", "", "", "", "", "5"]]') > 0 AS loaded;
SELECT c.value ->> 'name' AS name, c.value ->> 'type' AS type, k.own,
    catalogue.csvw_column(c.value, k.own, NULL, NULL, 'en')
FROM catalogue.sheet s, json_array_elements(s.columns) WITH ORDINALITY c(value, n),
    (VALUES (true), (false)) k(own)
WHERE s.file = :'file' AND (k.own OR c.value -> 'marks' IS NOT NULL) ORDER BY c.n, k.own DESC;
SELECT refusal(format('SELECT catalogue.csvw(%L)', :'file'));
-- Texts in other languages stand beside that of the document; what is empty is none.
SELECT catalogue.csvw_text(t.value, o.others, 'name', t.language)
FROM (VALUES ('A', NULL, 'en'), ('A', '{}', 'en'), ('', '{"es": {"name": "B"}}', 'en'),
    ('A', '{"es": {"name": "B"}, "en": {"name": "C"}, "und": {"name": "D"}, "pt": {}}', 'en'),
    ('A', '{"es": {"name": "B"}}', NULL)) t(value, others, language), LATERAL (SELECT t.others::jsonb) o(others);
