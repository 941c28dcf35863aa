-- Datasets number :first to :last, each with a category, a subcategory and three tags, through the
-- rules of the tables.  Their ids are 15 digits, so that a load generator can count them out.
-- What they refer to is made by the first session.
\set ON_ERROR_STOP on
\set QUIET on

SELECT :first = 1 AS leading
\gset
\if :leading
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
\endif

-- in portions: what one transaction has changed is looked through again and again by the rules
SELECT format($$
    INSERT INTO catalogue.datasets (id, name, description, notes, visible, starred, optionals, status, owner, created_by)
    SELECT (100000000000000 + n)::text, 'Dataset ' || n || ' of the year ' || 1950 + n %% 75,
        'Figures of the year for each district, gathered from the registers of the local offices and checked by hand, number ' || n || '.',
        'Without the districts that sent nothing.', true, n %% 10 = 0, '{"source": "registers"}', 'qWRhpRV', u.id, u.id
    FROM generate_series(%s, %s) n, catalogue.users u WHERE u.username = 'admin'
    $$, start, least(start + 4999, :last))
FROM generate_series(:first, :last, 5000) start
\gexec
SELECT format($$
    INSERT INTO catalogue.datasets_categories (dataset, category)
    SELECT (100000000000000 + n)::text, (200000000000001 + n %% 20)::text FROM generate_series(%1$s, %2$s) n;
    INSERT INTO catalogue.datasets_subcategories (dataset, subcategory)
    SELECT (100000000000000 + n)::text, (300000000000001 + n %% 40)::text FROM generate_series(%1$s, %2$s) n;
    INSERT INTO catalogue.datasets_tags (dataset, tag, position)
    SELECT (100000000000000 + n)::text, (400000000000001 + (n * 7 + k * 31) %% 200)::text, k
    FROM generate_series(%1$s, %2$s) n, generate_series(1, 3) k
    $$, start, least(start + 4999, :last))
FROM generate_series(:first, :last, 5000) start
\gexec
