--
-- statistics_summary: numbers of requests and downloads by groups, the same before and after records are emptied
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

TRUNCATE catalogue.statistics, catalogue.statistics_by_day, catalogue.download_count;
SELECT catalogue.record_statistics(string_agg(concat_ws(E'\t', (extract(epoch FROM at) * 1000000)::bigint, method,
    resource, '/' || resource, '', CASE WHEN client = 'admin' THEN id_of('users', 'admin') ELSE '' END, 'x', 'y'),
    E'\n'))
FROM (VALUES ('2026-09-30 23:59:59.999999Z'::timestamptz, 'GET', 'tags', ''), ('2026-10-01 00:00Z', 'GET', 'tags', ''),
    ('2026-10-01 00:01Z', 'POST', 'tags', 'admin'), ('2026-10-02 12:00Z', 'GET', 'datasets', ''),
    ('2026-10-02 12:01Z', 'GET', 'datasets', 'admin'), ('2026-11-05 12:00Z', 'GET', 'files', ''),
    ('2026-11-05 12:00Z', 'GET', '=cmd', '')) r(at, method, resource, client);
CREATE FUNCTION summary(query text) RETURNS text LANGUAGE sql AS
$$
    SELECT format('%s of %s: %s', s.returned, s.count, s.data) FROM catalogue.statistics_summary($1, admin()) s
$$;

-- By each key, and by several; without groupBy by day.
SELECT q AS query, summary(q)
FROM unnest('{"",groupBy=day,groupBy=month,groupBy=resource,groupBy=method,groupBy=client,"groupBy=client,month",
    "groupBy=month,client","groupBy=day,month,resource,method,client&limit=1"}'::text[]) q;
-- Of some days, months and values; bounds are an interval.
SELECT q AS query, summary('groupBy=resource&' || q)
FROM unnest('{"day=2026-10-01,2026-11-05","day[gte]=2026-10-02","day[gt]=2026-10-02","day[lte]=2026-10-01",
    "day[lt]=2026-10-01","day[gte]=2026-10-01&day[lt]=2026-11-01","month=2026-10","month=2026-09,2026-11",
    "resource=tags,files","method=POST","client=admin","client=admin&month=2026-10&resource=tags",
    "resource=nonesuch"}'::text[]) q;
-- In another order; a page, and behind the last one.
SELECT q AS query, summary(q)
FROM unnest('{"groupBy=resource&orderBy=requests&sort=DESC&limit=2","groupBy=resource&orderBy=requests&skip=3",
    "groupBy=resource&sort=desc&limit=2","groupBy=month&skip=3","groupBy=month&skip=2&limit=0"}'::text[]) q;
-- Of one resource, whatever the query says of it; a list without groupBy.
SELECT data, count FROM catalogue.usage('Tags', 'groupBy=month&resource=files', actor => admin());
SELECT count FROM catalogue.usage('tags', '', actor => admin());
-- As a table, all of it unless there is a limit; a name that looks like a formula is none.
SELECT data FROM catalogue.statistics_summary('groupBy=resource,month', admin(), 'csv');
SELECT data FROM catalogue.statistics_summary('groupBy=resource&limit=1&skip=1', admin(), 'csv');
SELECT data FROM catalogue.usage('tags', 'groupBy=method', actor => admin(), format => 'csv');
SELECT code, message FROM refusal($$SELECT catalogue.usage('tags', '', actor => admin(), format => 'csv')$$);

-- Emptied, they give the same numbers, with those that come later.
CREATE TABLE before AS SELECT q, summary(q) FROM unnest('{"","groupBy=day,month,resource,method,client"}'::text[]) q;
SELECT catalogue.roll_up_statistics() AS removed;
SELECT q, summary = summary(q) AS same FROM before;
SELECT catalogue.record_statistics((extract(epoch FROM timestamptz '2026-10-01 01:00Z') * 1000000)::bigint
    || E'\tGET\ttags\t/tags\t\t\tx\ty');
SELECT summary('groupBy=resource&month=2026-10');

-- Parameters that say nothing are named, and with strict handling refused.
SELECT ignored FROM catalogue.statistics_summary('endpoint=/tags&dataset=x&resource[gte]=a', admin());
SELECT code, message
FROM refusal($$SELECT catalogue.statistics_summary('endpoint=x', admin() || '{"handling": "strict"}')$$);
-- Values that are none are refused, and the hint has those that there are.
SELECT q AS query, code, message, hint
FROM unnest('{groupBy=endpoint,"groupBy=day,ip",groupBy=,orderBy=resource,orderBy=,sort=up,day=2026-02-30,day=today,
    "day[gte]=x","day[lt]=2026-1-1",month=2026-13,month=2026-10-01,resource=,limit=-1,skip=x}'::text[]) q,
    refusal(format('SELECT catalogue.statistics_summary(%L, admin())', q));

-- Who may read the statistics: users, and nobody else.
SELECT make('users', json_build_object('username', 'reader', 'password', 'long enough', 'email', 'r@example.org',
    'organization', id_of('organizations', 'Open Data Office'))) IS NOT NULL AS made;
SELECT a.who, code, message
FROM (VALUES ('guest', format('{"user": "%s"}', id_of('users', 'reader'))), ('nobody', '{}')) a(who, actor),
    (VALUES ('SELECT catalogue.statistics_summary(%2$L, %1$L)'), ('SELECT catalogue.statistics_downloads(%2$L, %1$L)'),
        ('SELECT catalogue.usage(''tags'', ''groupBy=day'', actor => %1$L)')) c(call),
    refusal(format(c.call, a.actor, ''));

-- Downloads of files and of archives of datasets, with the names of those that are not deleted.
SELECT d.id AS dataset, d.name FROM catalogue.datasets d ORDER BY d.name LIMIT 1 \gset
INSERT INTO catalogue.download_count VALUES (:'dataset', NULL, '2026-10-01', 2),
    (:'dataset', 'aaaaaaaaaaaaaaa', '2026-10-01', 3),
    (:'dataset', 'aaaaaaaaaaaaaaa', '2026-10-01', 4), (:'dataset', 'aaaaaaaaaaaaaaa', '2026-11-30', 5),
    ('zzzzzzzzzzzzzzz', 'zzzzzzzzzzzzzzz', '2026-11-30', 6);
CREATE FUNCTION downloads(query text) RETURNS text LANGUAGE sql AS
$$
    SELECT mask(format('%s of %s: %s', s.returned, s.count, s.data))
    FROM catalogue.statistics_downloads($1, admin()) s
$$;
SELECT q AS query, downloads(q)
FROM unnest('{orderBy=downloads,"groupBy=file&orderBy=file","groupBy=dataset,file&orderBy=downloads&sort=DESC",
    groupBy=month,"groupBy=day&day[gt]=2026-10-01","groupBy=month&file=aaaaaaaaaaaaaaa",
    "dataset=zzzzzzzzzzzzzzz"}'::text[]) q;
SELECT downloads('groupBy=month&dataset=' || :'dataset');
SELECT mask(data) AS data
FROM catalogue.statistics_downloads('groupBy=dataset,file&orderBy=downloads', admin(), 'csv');
SELECT q AS query, code, message, hint
FROM unnest('{groupBy=resource,groupBy=dataset&orderBy=requests}'::text[]) q,
    refusal(format('SELECT catalogue.statistics_downloads(%L, admin())', q));
SELECT id = :'dataset' AS deleted FROM catalogue.delete('datasets', :'dataset', admin());
SELECT downloads('groupBy=dataset&month=2026-10') LIKE '%"datasetName":null%' AS nameless;
