-- Datasets number :first to :last of :size, each with a category, a subcategory and three tags.
-- Their ids are 15 digits, so that a load generator can compute them.  The triggers are off, since they are
-- not measured here; what they would write is written below and in end.sql.
\set ON_ERROR_STOP on
\set QUIET on
SET session_replication_role = replica;

-- The columns with the lists of ids of a dataset's relations, where the table has them.
SELECT coalesce(string_agg(', ' || kept, ''), '') AS kept_columns,
    coalesce(string_agg(', ' || value, ''), '') AS kept_values
FROM (VALUES
    ('categories_ids', $$ARRAY[(200000000000001 + n % 20)::text]$$),
    ('subcategories_ids', $$ARRAY[(300000000000001 + n % 40)::text]$$),
    ('tags_ids', $$ARRAY(SELECT (400000000000001 + (n * 7 + k * 31) % 200)::text FROM generate_series(1, 3) k)$$)
) AS k(kept, value)
WHERE EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'catalogue.datasets'::regclass AND attname = kept
    AND NOT attisdropped)
\gset

-- Each description has twelve of 2,000 words of three syllables, some words often and most rarely; the
-- word "xylograph" is in ten descriptions, "district" in all.  80 of 100 datasets are published.
\set parts 'bacodefiguhajokelimunaporesituvaxolemidu'
INSERT INTO catalogue.datasets (id, name, slug, description, notes, visible, starred, optionals, status, published_at,
    owner, created_by, created_at, updated_at :kept_columns)
SELECT (100000000000000 + n)::text, 'Dataset ' || n || ' of the year ' || 1950 + n % 75,
    'dataset-' || n || '-of-the-year-' || 1950 + n % 75,
    'Figures for each district: '
        || (SELECT string_agg(substr(:'parts', 1 + 2 * (i % 20), 2) || substr(:'parts', 1 + 2 * (i / 20 % 20), 2)
            || substr(:'parts', 1 + 2 * (i * 3 / 40 % 20), 2), ' ')
            FROM (SELECT (2000 * power((hashint8extended(n, k) & 65535)::float8 / 65536, 3))::integer AS i
                FROM generate_series(1, 12) k) words)
        || CASE WHEN n % greatest(:size / 10, 1) = 7 THEN ' xylograph' ELSE '' END || ', number ' || n || '.',
    'Without the districts that sent nothing.', true, n % 10 = 0, '{"source": "registers"}', s.status,
    CASE s.status WHEN 'qWRhpRV' THEN made END, u.id, u.id, made, made :kept_values
FROM generate_series(:first, :last) n, catalogue.users u,
    LATERAL (SELECT CASE WHEN n % 100 < 80 THEN 'qWRhpRV' WHEN n % 100 < 90 THEN 'nWRhpRV'
                         WHEN n % 100 < 95 THEN 'oWRhpRV' WHEN n % 100 < 98 THEN 'rWRhpRV' ELSE 'pWRhpRV' END AS status,
                    timestamptz '2015-01-01 00:00+00' + n * interval '5 minutes' AS made) s
WHERE u.username = 'admin';
-- The rows of the join tables have the creation times of their datasets, and whether outsiders see them.
INSERT INTO catalogue.datasets_categories (dataset, category, dataset_created_at, dataset_shown)
SELECT (100000000000000 + n)::text, (200000000000001 + n % 20)::text,
    timestamptz '2015-01-01 00:00+00' + n * interval '5 minutes', n % 100 < 80
FROM generate_series(:first, :last) n;
INSERT INTO catalogue.datasets_subcategories (dataset, subcategory, dataset_created_at, dataset_shown)
SELECT (100000000000000 + n)::text, (300000000000001 + n % 40)::text,
    timestamptz '2015-01-01 00:00+00' + n * interval '5 minutes', n % 100 < 80
FROM generate_series(:first, :last) n;
INSERT INTO catalogue.datasets_tags (dataset, tag, position, dataset_created_at, dataset_shown)
SELECT (100000000000000 + n)::text, (400000000000001 + (n * 7 + k * 31) % 200)::text, k,
    timestamptz '2015-01-01 00:00+00' + n * interval '5 minutes', n % 100 < 80
FROM generate_series(:first, :last) n, generate_series(1, 3) k;
