--
-- statistics: one record for each line of a batch, whatever is in it, and each batch once
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- A line of a batch: time, method, resource, endpoint, querystring, user, useragent, ip.
CREATE FUNCTION line(VARIADIC parts text[]) RETURNS text
    LANGUAGE sql AS $$ SELECT array_to_string($1, E'\t') || E'\n' $$;
-- What was recorded since the last look.
CREATE TABLE seen AS SELECT id FROM catalogue.statistics;
CREATE FUNCTION news() RETURNS SETOF catalogue.statistics LANGUAGE sql AS
$$
    WITH new AS (INSERT INTO test.seen
                 SELECT s.id
                 FROM catalogue.statistics s
                 WHERE s.id NOT IN (SELECT id FROM test.seen)
                 RETURNING id)
    SELECT s.* FROM new JOIN catalogue.statistics s USING (id) ORDER BY s.id
$$;
CREATE FUNCTION count_of_list() RETURNS text LANGUAGE sql AS $$ SELECT (catalogue.count('statistics')).data $$;

-- Each line is a record, with the name of the user; the record was made when the request was.
SELECT count_of_list();
SELECT catalogue.record_statistics(
    line('1700000000123456', 'GET', 'datasets', '/datasets', 'limit=5', id_of('users', 'admin'), 'browser', '192.0.2.1')
    ||
    line('1700000000123457', 'POST', 'tags', '/tags', '', '', 'browser', '2001:db8::1'));
SELECT mask(id) AS id, resource, endpoint, querystring, method, client, useragent, ip FROM news();
SELECT DISTINCT created_at, updated_at, deleted_at FROM catalogue.statistics WHERE client = 'admin';
SELECT count_of_list();

-- A user who was deleted or whose name changed is still named; an id of nobody is nobody.
SELECT make('users',
    json_build_object('username', 'leaver', 'password', 'long enough', 'email', 'l@example.org',
        'organization', id_of('organizations', 'Open Data Office'))) AS leaver \gset
SELECT mask(id) AS id FROM catalogue.delete('users', :'leaver', admin());
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', :'leaver', 'browser',
    '192.0.2.1')
    ||
    line('1700000000000000', 'GET', 'tags', '/tags', '', 'nobody', 'browser', '192.0.2.1') ||
    line('1700000000000000', 'GET', 'tags', '/tags', '', 'an id that is too long', 'browser', '192.0.2.1'));
SELECT client FROM news();

-- Every method has its value, and one that is not known has one too.
SELECT catalogue.record_statistics(string_agg(line('1700000000000000', m, 'tags', '/tags', '', '', 'browser',
    '192.0.2.1'),
    '' ORDER BY n))
FROM unnest('{GET,HEAD,POST,PATCH,PUT,DELETE,OPTIONS,OTHER,TRACE,get}'::text[]) WITH ORDINALITY u(m, n);
SELECT string_agg(method::text, ' ') AS methods FROM news();

-- What the request did not say; letters of a resource are small.
SELECT catalogue.record_statistics(line('1700000000000000', '', '', '', '', '', '', '')
    || line('1700000000000000', 'GET', 'TAGS', '/TAGS', '', '', 'x', 'y'));
SELECT resource, endpoint, querystring, method, client, useragent, ip FROM news();

-- What is too long is cut by characters; an address where it is kept whole, else it is none.
SET catalogue.visitor_addresses = 'whole';
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', repeat('ñ', 60), '/' || repeat('ñ', 400),
    repeat('€', 1100), '', repeat('𝄞', 1100), repeat('9', 60)));
SELECT length(resource) AS resource, length(endpoint) AS endpoint, length(querystring) AS querystring,
       length(useragent) AS useragent, length(ip) AS ip, right(useragent, 1) AS "end"
FROM news();
RESET catalogue.visitor_addresses;

-- A batch that is sent again is stored once, and so is an earlier one; another sender's is another batch.
SELECT sender, serial,
       catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags/' || serial, '', '', sender, ''),
           sender, serial) AS stored
FROM (VALUES ('a', 1), ('a', 1), ('a', 3), ('a', 2), ('b', 1)) b(sender, serial);
SELECT useragent, endpoint FROM news();
-- A batch that was rolled back was not stored, and is taken when it comes again.
BEGIN;
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x', ''), 'a', 4);
ROLLBACK;
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x', ''), 'a', 4);
SELECT count(*) FROM news();
-- Senders that were silent for a day are forgotten when a new one comes.
UPDATE catalogue.recorder SET at = at - interval '25 hours' WHERE sender = 'a';
SELECT catalogue.record_statistics('', 'c', 1);
SELECT sender, serial FROM catalogue.recorder ORDER BY sender;

-- Nothing is nothing.
SELECT catalogue.record_statistics(''), catalogue.record_statistics(NULL);
SELECT count(*) FROM news();

-- Many: all there, each with an id of its own, in every index, and counted.
SELECT catalogue.record_statistics(string_agg(line((1700000000000000 + n)::text, 'GET', 'many', '/many/' || n,
    repeat('x', n % 900), '', repeat('y', n % 990), ''),
    '' ORDER BY n))
FROM generate_series(1, 3000) n;
SELECT count(*), count(DISTINCT id) AS ids, count(DISTINCT endpoint) AS endpoints,
       min(extract(microsecond FROM created_at)) AS first, max(extract(microsecond FROM created_at)) AS last
FROM catalogue.statistics
WHERE resource = 'many';
SET enable_seqscan = off;
SELECT count(*)
FROM catalogue.statistics
WHERE deleted_at IS NULL AND created_at BETWEEN '2023-11-14 22:13:20.000001Z' AND '2023-11-14 22:13:20.003Z'
    AND resource = 'many';
RESET enable_seqscan;
SELECT count_of_list() AS counted, (SELECT count(*) FROM catalogue.statistics) AS there;

-- They are records as all others, and in no action log.
SELECT (catalogue.list('statistics',
    'resource=many&match=EXACT&orderBy=endpoint&limit=2&fields=endpoint,method')).count;
SELECT mask((catalogue.item('statistics', (SELECT max(id) FROM catalogue.statistics WHERE endpoint = '/many/7'))).data);
SELECT count(*)
FROM catalogue.logs
WHERE target = 'statistic' AND resource NOT IN (SELECT id FROM catalogue.statistics WHERE client = 'seed');

-- The statistics of one resource, whatever condition and match say of the other filters.
SELECT catalogue.record_statistics(line('1700000000000001', 'GET', 'views', '/views', '', '', 'x', '')
    || line('1700000000000002', 'HEAD', 'views', '/views/count', '', '', 'y', '')
    || line('1700000000000003', 'GET', 'viewsets', '/viewsets', '', '', 'x', ''));
SELECT mask(data) AS data, count, returned FROM catalogue.usage('Views', 'fields=endpoint,method&limit=1');
SELECT count, (SELECT string_agg(e ->> 'endpoint', ' ') FROM json_array_elements(data::json) e) AS endpoints
FROM catalogue.usage('views', 'method=GET&useragent=y&condition=OR');
SELECT count, (SELECT string_agg(e ->> 'endpoint', ' ') FROM json_array_elements(data::json) e) AS endpoints
FROM catalogue.usage('views', 'method=GET&useragent=y&condition=AND');
SELECT count, data FROM catalogue.usage('charts');
SELECT code, message FROM refusal($$SELECT catalogue.usage('viewsets')$$);

-- They are counted by day, resource, method and client, also where SQL inserts them or the resource is hidden; what is
-- counted stays when they are emptied, or deleted.
SELECT (catalogue.list('statistics')).version AS before \gset
TRUNCATE catalogue.statistics, catalogue.statistics_by_day;
SELECT catalogue.record_statistics(string_agg(line(time, method, resource, '/' || resource, '',
    CASE WHEN client IS NULL THEN '' ELSE id_of('users', client) END, 'x', ''),
    ''))
FROM (VALUES ('1700000000000000', 'GET', 'tags', NULL), ('1700000000000001', 'GET', 'Tags', NULL),
    ('1700000000000002', 'HEAD', 'tags', NULL), ('1700000000000003', 'GET', 'views', NULL),
    ('1700000000000004', 'GET', 'tags', 'admin'), ('1700006399999999', 'GET', 'tags', NULL),
    ('1700006400000000', 'GET', 'tags', NULL), ('0', 'GET', repeat('ñ', 60), NULL)) r(time, method, resource, client);
INSERT INTO catalogue.statistics (resource, endpoint, method, client, useragent, ip, created_at)
    VALUES ('tags', '/tags', 'GET', 'anonymous', 'x', '-', '2023-11-14 12:00Z'),
        ('tags', '/tags', 'GET', 'anonymous', 'x', '-', '2023-11-15 12:00Z');
DELETE FROM catalogue.statistics WHERE method = 'HEAD';
CREATE VIEW sums AS
    SELECT to_char(day, 'YYYY-MM-DD') AS day, resource, method, client, sum(requests) AS requests, count(*) AS rows
    FROM catalogue.statistics_by_day GROUP BY day, 2, 3, 4 ORDER BY day, 2, 3, 4;
SELECT * FROM sums;
SELECT catalogue.roll_up_statistics() AS removed;
SELECT count(*) AS left, count_of_list() AS counted FROM catalogue.statistics;
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x', '')
    || line('1700000000000000', 'PUT', 'tags', '/tags', '', '', 'x', ''));
SELECT count_of_list() AS counted, (catalogue.list('statistics')).version > :'before' AS later;
SELECT catalogue.roll_up_statistics() AS removed;
SELECT * FROM sums WHERE resource = 'tags' AND client = 'anonymous';
SELECT catalogue.roll_up_statistics() AS removed;
BEGIN;
SELECT catalogue.hide('statistics');
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'hidden', '/tags', '', '', 'x', ''));
SELECT catalogue.roll_up_statistics() AS removed;
SELECT requests FROM sums WHERE resource = 'hidden';
ROLLBACK;
-- A batch that is refused, rolled back or stored already is not counted.
SELECT code
FROM refusal($$SELECT catalogue.record_statistics(line('1', 'GET', 'faulty', '/', '', '', 'x', '') || line('1'))$$);
BEGIN;
SELECT catalogue.record_statistics(line('1', 'GET', 'faulty', '/', '', '', 'x', ''));
ROLLBACK;
SELECT catalogue.record_statistics(line('1', 'GET', 'faulty', '/', '', '', 'x', ''), 'a', 1);
SELECT * FROM sums WHERE resource = 'faulty';
-- Numbers of the last two days are added up by the sweep, and of all days since the one before the last sweep.
SELECT catalogue.record_statistics(line(time::text, 'GET', 'swept', '/', '', '', 'x', ''))
FROM (SELECT (extract(epoch FROM now() - n * interval '1 day') * 1000000)::bigint FROM generate_series(0, 9) n,
    generate_series(1, 3)) t(time);
SELECT sum(requests) AS requests, sum(rows) AS rows FROM sums WHERE resource = 'swept';
SELECT catalogue.sweep() >= 0 AS swept;
SELECT requests, rows, count(*) AS days FROM sums WHERE resource = 'swept' GROUP BY 1, 2 ORDER BY 2;
UPDATE catalogue.upkeep SET ran_at = now() - interval '5 days' WHERE job = 'sweep';
SELECT catalogue.sweep() >= 0 AS swept;
SELECT requests, rows, count(*) AS days FROM sums WHERE resource = 'swept' GROUP BY 1, 2 ORDER BY 2;
-- Nobody empties them who may not.
BEGIN;
GRANT USAGE ON SCHEMA catalogue, test TO catalogue_reader;
GRANT EXECUTE ON FUNCTION catalogue.roll_up_statistics() TO catalogue_reader;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA test TO catalogue_reader;
SET LOCAL ROLE catalogue_reader;
SELECT code FROM refusal('SELECT catalogue.roll_up_statistics()');
SELECT count(*) > 0 AS may_read FROM catalogue.statistics_by_day;
ROLLBACK;
-- A table of an earlier version had numbers only of records that were emptied: the others are added, once.
TRUNCATE catalogue.statistics, catalogue.statistics_by_day;
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x', ''));
TRUNCATE catalogue.statistics_by_day;
INSERT INTO catalogue.statistics_by_day VALUES ('2023-11-14', 'tags', 'GET', 'anonymous', 40);
ALTER TABLE catalogue.statistics_by_day ADD PRIMARY KEY (day, resource, method, client);
SELECT catalogue.bootstrap();
SELECT catalogue.bootstrap();
SELECT * FROM sums;

-- Columns that a database user has added: defaults, generated ones, and their checks hold.
TRUNCATE catalogue.statistics;
ALTER TABLE catalogue.statistics ADD day date DEFAULT '2020-02-02', ADD note text,
    ADD size integer GENERATED ALWAYS AS (length(endpoint)) STORED, ADD
    CHECK (size < 8);
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x', ''));
SELECT day, note, size FROM news();
SELECT code, message
FROM refusal($$SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags/1', '', '', 'x',
    ''))$$);
ALTER TABLE catalogue.statistics DROP day, DROP note, DROP size;
-- Other types and lengths of columns, and columns that are gone, are no obstacle.
TRUNCATE catalogue.statistics;
ALTER TABLE catalogue.statistics ALTER ip TYPE inet
    USING NULL, ALTER ip DROP NOT NULL, ALTER useragent TYPE char(3), ALTER endpoint TYPE text, DROP querystring;
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/' || repeat('t', 400), 'a=b', '',
    'browser', '192.0.2.1'));
SELECT length(endpoint) AS endpoint, useragent, ip + 1 AS next FROM news();

-- A hidden table is written all the same; shown again, it is counted.
SELECT catalogue.hide('statistics');
SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x', '192.0.2.1'));
SELECT catalogue.expose('statistics', 'Statistic', read_only => true, logged => false, newest_first => true);
SELECT (count_of_list()::json ->> 'count')::bigint - (SELECT count(*) FROM catalogue.statistics) AS difference;

-- Lines that are no entries: the whole batch is refused.
SELECT code, message, hint FROM refusal($$SELECT catalogue.record_statistics('1700000000000000')$$);
SELECT code, message
FROM refusal($$SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x',
    '192.0.2.1')
    || line('1', '2'))$$);
SELECT code, message
FROM refusal($$SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x', '',
    'y'))$$);
SELECT t AS time, code, message
FROM unnest('{"",now,-1,+1," 1",1e9,1234567890123456789,99999999999999999999999}'::text[]) t,
    refusal(format('SELECT catalogue.record_statistics(line(%L, %L, %L, %L, %L, %L, %L, %L))', t, 'GET', 'tags',
        '/tags', '', '', 'x', '192.0.2.1'));

-- Who may not call it may not record, whatever the rights on the table; nor may a transaction that only reads.
CREATE ROLE regress_statistics_reader;
GRANT USAGE ON SCHEMA catalogue, test TO regress_statistics_reader;
GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA catalogue TO regress_statistics_reader;
SET ROLE regress_statistics_reader;
SELECT code, message
FROM refusal($$SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x',
    '192.0.2.1'))$$);
RESET ROLE;
BEGIN READ ONLY;
SELECT code, message
FROM refusal($$SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x',
    '192.0.2.1'))$$);
ROLLBACK;
-- Where row security applies to the owner, or the table is another kind of table, it is told.
ALTER TABLE catalogue.statistics ENABLE ROW LEVEL SECURITY;
ALTER TABLE catalogue.statistics FORCE ROW LEVEL SECURITY;
GRANT EXECUTE ON FUNCTION catalogue.record_statistics(text, text, bigint) TO regress_statistics_reader;
SET ROLE regress_statistics_reader;
SELECT code, message
FROM refusal($$SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x',
    '192.0.2.1'))$$);
RESET ROLE;
DROP OWNED BY regress_statistics_reader;
DROP ROLE regress_statistics_reader;
ALTER TABLE catalogue.statistics RENAME TO elsewhere;
SELECT code, message
FROM refusal($$SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x',
    '192.0.2.1'))$$);
CREATE VIEW catalogue.statistics AS SELECT * FROM catalogue.elsewhere;
SELECT code, message
FROM refusal($$SELECT catalogue.record_statistics(line('1700000000000000', 'GET', 'tags', '/tags', '', '', 'x',
    '192.0.2.1'))$$);
