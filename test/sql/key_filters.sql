--
-- key_filters: pages in the usual order with filters on keys
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- A thousand datasets: most are published, one in ten is a draft, the rejected ones come last of all.
SELECT admin() ->> 'user' AS admin, id_of('users', 'guest') AS guest \gset
INSERT INTO catalogue.datasets (id, name, status, owner, created_by, created_at)
SELECT 'd' || lpad((n * 7 % 1009)::text, 4, '0'), 'dataset ' || n,
       CASE WHEN n > 995 THEN 'pWRhpRV' WHEN n % 10 = 0 THEN 'nWRhpRV' ELSE 'qWRhpRV' END,
       CASE n % 3 WHEN 0 THEN :'guest' ELSE :'admin' END, :'admin', now() + n / 4 * interval '1 second'
FROM generate_series(1, 1000) n;
UPDATE catalogue.datasets SET deleted_at = now() WHERE name LIKE 'dataset %7';
CREATE TABLE asked AS SELECT q
    FROM unnest(ARRAY['status=qWRhpRV', 'status=nWRhpRV', 'status=pWRhpRV', 'status=nWRhpRV,pWRhpRV', 'status=none',
    'status=', 'status=null', 'status=null,nWRhpRV', 'status[ne]=qWRhpRV', 'status[ne]=qWRhpRV,nWRhpRV',
    'status[ne]=none', 'status[ne]=null',
    'status[gte]=p', 'status.name=publi', 'status.name=draft,rejected', 'status.name[ne]=draft', 'status.name=nonesuch',
    'status.name[ne]=nonesuch', 'status.name=null', 'owner.username=guest', 'owner.username=guest&status.name=draft',
    'owner.username=guest&status=nWRhpRV',
    'owner=' || :'guest', 'status=nWRhpRV&owner=' || :'guest', 'condition=AND&status=nWRhpRV&owner=' || :'guest',
    'condition=AND&status[ne]=qWRhpRV&owner[ne]=' || :'guest', 'status=pWRhpRV&name=dataset+9',
    'owner.organization.name=office', 'status.id=nWRhpRV', 'id=x',
    repeat('status.name[ne]=x&', 9) || 'status=nWRhpRV', 'status=' || repeat('x,', 16) || 'nWRhpRV',
    'files.status.name=draft', 'status.datasets.name=dataset']) q;

CREATE FUNCTION ids(query text) RETURNS text LANGUAGE sql AS
$$
    SELECT l.count || ' ' || coalesce(string_agg(r ->> 'id', ',' ORDER BY n), '')
    FROM catalogue.list('datasets', query || '&fields=id') l, json_array_elements(l.data::json) WITH ORDINALITY e(r, n)
    GROUP BY l.count
$$;

-- What is found, by its number.
SELECT mask(q) AS query, (catalogue.list('datasets', q)).count FROM asked;

-- Pages early and late, small and large, as a digest of their ids; and the last record.
SELECT mask(q) AS query,
       (SELECT md5(string_agg(mask(ids(q || '&' || page)), ' ' ORDER BY page))
        FROM unnest('{limit=3,limit=20,limit=20&skip=5,limit=1000,limit=50&skip=90,limit=1&skip=880}'::text[]) page)
           AS pages,
       CASE WHEN (catalogue.count('datasets', q)).data <> '{"count":0}'
           THEN mask((catalogue.last('datasets', q)).id) END AS last
FROM asked;
-- Newest first as well.
SELECT q,
       (SELECT bool_and(later)
        FROM (SELECT r ->> 'createdAt' <= lag(r ->> 'createdAt') OVER (ORDER BY n)
              FROM json_array_elements((catalogue.list('logs', q || '&limit=7&skip=2')).data::json)
                  WITH ORDINALITY e(r, n)) AS o(later)) AS newest_first
FROM unnest('{user.username=admin,user[ne]=null,user=null,user.username[ne]=admin}'::text[]) q;
-- Outsiders do not find what is behind a deactivated record.
SELECT mask(id) AS id FROM catalogue.deactivate('categories', id_of('categories', 'Transport'), actor => admin());
SELECT (catalogue.list('datasets', 'categories.name=Transport', 'ids', '{}')).count AS outsider,
       (catalogue.list('datasets', 'categories.name=Transport', 'ids', admin())).count > 0 AS insider;
-- What is not published they do not find, whichever way it is read.
UPDATE catalogue.datasets SET status = 'nWRhpRV' WHERE id IN (SELECT id FROM catalogue.datasets ORDER BY id LIMIT 700);
SELECT (catalogue.list('datasets', q, 'ids', '{}')).count AS outsider,
       (catalogue.list('datasets', q, 'ids', admin())).count AS insider
FROM unnest('{"",tags=null,limit=7,skip=90,orderBy=createdAt,status=nWRhpRV,status.name=Draft}'::text[]) q;
CREATE FUNCTION seen(query text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(r ->> 'id', ',' ORDER BY n)
    FROM catalogue.list('datasets', query, 'ids', '{}') l, json_array_elements(l.data::json) WITH ORDINALITY e(r, n)
$$;
SELECT q, md5(mask(seen(q))) AS pages
FROM unnest('{limit=7,limit=7&skip=50,limit=1000,categories.name=Environment}'::text[]) q;
