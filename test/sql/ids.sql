--
-- ids: identifiers are made by the service, of 15 letters and digits, in order of time, unique
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- All have 15 characters of 0-9A-Za-z.
SELECT count(*), min(length(id)) AS shortest, max(length(id)) AS longest,
       count(*) FILTER (WHERE id !~ '^[0-9A-Za-z]+$') AS strange
FROM (SELECT catalogue.new_id() AS id FROM generate_series(1, 10000)) i;

-- No two of 10,000 are the same, nor are their random parts.
SELECT count(DISTINCT id) AS ids, count(DISTINCT right(id, 7)) AS random_parts
FROM (SELECT catalogue.new_id() AS id FROM generate_series(1, 10000)) i;

-- Those made one after the other are in order, even within one transaction: no row is before its predecessor.
SELECT n, id
FROM (SELECT n, id, lag(id) OVER (ORDER BY n) AS before
      FROM (SELECT n, catalogue.new_id() AS id FROM generate_series(1, 10000) n) i) p
WHERE id COLLATE "C" <= before COLLATE "C";

-- The random part uses all 62 characters, none much more often than another.
SELECT count(*) AS characters, max(times) < 2 * min(times) AS even
FROM (SELECT c, count(*) AS times
      FROM (SELECT catalogue.new_id() AS id FROM generate_series(1, 10000)) i, regexp_split_to_table(right(id, 7), '') c
      GROUP BY c) s;

-- A record gets one where the statement gives none.
INSERT INTO catalogue.databases (name) VALUES ('identified') RETURNING mask(id) AS id, length(id);

-- A database user may give one that is shorter: the seeds have fixed ids.
INSERT INTO catalogue.databases (id, name) VALUES ('fixed', 'with an id') RETURNING id;

-- The API does not take one.
SELECT length((catalogue.create('databases', '{"id": "mine", "name": "without"}')).id);

-- One of 16 characters, of other characters, an empty one, or one that is taken, is refused.
SELECT code, message
FROM refusal($$INSERT INTO catalogue.databases (id, name) VALUES ('1234567890123456', 'too long')$$);
SELECT code, message FROM refusal($$INSERT INTO catalogue.databases (id, name) VALUES ('a-b', 'hyphen')$$);
SELECT code, message FROM refusal($$INSERT INTO catalogue.databases (id, name) VALUES ('é', 'accent')$$);
SELECT code, message FROM refusal($$INSERT INTO catalogue.databases (id, name) VALUES ('', 'empty')$$);
SELECT code, message FROM refusal($$INSERT INTO catalogue.databases (id, name) VALUES ('fixed', 'again')$$);
