--
-- first_hint: a value that the type of a column refuses has the hint of the library, also in the first statement of a
-- session
--
-- Each statement is the first one of its session: the library is loaded when the statement is planned, if at all.

-- A length, in each form of INSERT.
\c -
INSERT INTO catalogue.tags (name) VALUES (repeat('x', 101));
\c -
INSERT INTO catalogue.tags (name) VALUES ('short'), (repeat('x', 101));
\c -
INSERT INTO catalogue.tags (name, id) VALUES (repeat('x', 101), 'given');
\c -
INSERT INTO catalogue.tags (name, id) VALUES ('short', 'short'), (repeat('x', 101), 'given');
\c -
INSERT INTO catalogue.tags (name) SELECT repeat('x', 101);
\c -
WITH given AS (SELECT repeat('x', 101) AS name) INSERT INTO catalogue.tags (name) SELECT name FROM given;
\c -
MERGE INTO catalogue.tags USING (SELECT) one ON false WHEN NOT MATCHED THEN INSERT (name) VALUES (repeat('x', 101));
\c -
COPY catalogue.users (username) FROM STDIN;
12345678901234567890123456
\.

-- A domain, by INSERT, UPDATE and COPY.
\c -
INSERT INTO catalogue.categories (name, color) VALUES ('Wrong', 'red');
\c -
INSERT INTO catalogue.tags (id) VALUES ('not an id');
\c -
UPDATE catalogue.categories SET color = 'red';
\c -
UPDATE catalogue.users SET email = 'nobody';
\c -
COPY catalogue.users (username) FROM STDIN;
no name
\.

-- Each column but the id of each table of a resource, if it has a length or a domain that refuses the value: none lacks
-- the hint.
\c -
\set QUIET on
SELECT current_database() AS database \gset
\setenv PGDATABASE :database
\pset format unaligned
\pset tuples_only on
WITH given AS (
    SELECT f.resource, f.column_name, t.typname,
        CASE WHEN t.typtype = 'd' AND t.typbasetype = 'json'::regtype THEN '7'
             WHEN t.typtype = 'd' AND t.typtypmod < 0 AND t.typname <> 'service_address' THEN NULL
             ELSE repeat(' ', 501) || '!' END AS value
    FROM catalogue.field f JOIN catalogue.resource r ON r.resource = f.resource
        JOIN pg_catalog.pg_attribute a ON a.attrelid = r.relation AND a.attname = f.column_name
        JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    WHERE f.column_name <> 'id' AND a.attgenerated = ''
        AND (t.typtype = 'd' OR t.typname = 'varchar' AND a.atttypmod BETWEEN 0 AND 504))
SELECT format(E'\\c -\nINSERT INTO catalogue.%I (%I) VALUES (%L);', resource, column_name, value)
FROM given WHERE value IS NOT NULL ORDER BY 1
\g | psql -X -q 2>&1 | awk '/ERROR/ { e++ } /HINT/ { h++ } END { print (e > 50 ? "many" : e), e - h, "without" }'
\pset format aligned
\pset tuples_only off

-- Without it are first statements that are refused before the domain of a column is looked at: a literal of an
-- enumeration when the statement is parsed, a length that an UPDATE has, and that of an id.
\c -
INSERT INTO catalogue.configs (type) VALUES ('nope');
\c -
UPDATE catalogue.tags SET name = repeat('x', 101);
\c -
INSERT INTO catalogue.tags (id) VALUES (repeat('x', 16));

-- The next ones in the same session have it.
INSERT INTO catalogue.tags (name) VALUES (repeat('x', 101));
UPDATE catalogue.tags SET name = repeat('x', 101);
INSERT INTO catalogue.configs (type) VALUES ('nope');

-- A role that may write a table needs no other right for the check.
CREATE ROLE regress_writer;
GRANT USAGE ON SCHEMA catalogue TO regress_writer;
GRANT INSERT ON catalogue.tags TO regress_writer;
\c -
SET ROLE regress_writer;
INSERT INTO catalogue.tags (name) VALUES (repeat('x', 101));
INSERT INTO catalogue.tags (id) VALUES ('not an id');
RESET ROLE;
DROP OWNED BY regress_writer;
DROP ROLE regress_writer;
