-- Create the records that the datasets refer to, with all triggers.  Then drop the indexes of the tables
-- that rows.sql fills, since it is several times faster to create them at the end.
\set ON_ERROR_STOP on
\set QUIET on
BEGIN;
INSERT INTO catalogue.categories (id, name, color, active, created_by)
SELECT (200000000000000 + n)::text, 'Category ' || n, '1F77B4', true, u.id
FROM generate_series(1, 20) n, catalogue.users u WHERE u.username = 'admin';
INSERT INTO catalogue.categories (id, name, color, active, parent, created_by)
SELECT (300000000000000 + n)::text, 'Subcategory ' || n, '1F77B4', true, (200000000000001 + n % 20)::text, u.id
FROM generate_series(1, 40) n, catalogue.users u WHERE u.username = 'admin';
INSERT INTO catalogue.tags (id, name, created_by)
SELECT (400000000000000 + n)::text, 'keyword ' || n, u.id
FROM generate_series(1, 200) n, catalogue.users u WHERE u.username = 'admin';
COMMIT;

CREATE SCHEMA bench;
CREATE TABLE bench.index AS
SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
FROM pg_index i
WHERE indrelid IN ('catalogue.datasets'::regclass, 'catalogue.datasets_categories'::regclass,
                   'catalogue.datasets_subcategories'::regclass, 'catalogue.datasets_tags'::regclass)
  AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid);
SELECT format('DROP INDEX %s', name) FROM bench.index
\gexec
