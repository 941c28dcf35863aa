--
-- earlier_lists: filtered, ordered and related lists as of an instant are what they were, whatever has changed since
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

UPDATE catalogue.users SET active = true;
-- Sixty datasets with two owners, three statuses and tags; some have files.
SELECT admin() ->> 'user' AS admin, id_of('users', 'guest') AS guest \gset
SELECT count(make('tags', json_build_object('name', 'tag ' || n))) AS tags FROM generate_series(1, 6) n;
SELECT count(make('datasets',
    json_build_object('name', 'dataset ' || n, 'notes', 'row ' || n % 7, 'starred', n % 4 = 0,
        'categories', id_of('categories', CASE WHEN n % 3 = 0 THEN 'Transport' ELSE 'Environment' END),
        'tags', json_build_array(id_of('tags', 'tag ' || n % 5 + 1), id_of('tags', 'tag 6')),
        'owner', CASE n % 2 WHEN 0 THEN :'guest' ELSE :'admin' END))) AS datasets
FROM generate_series(1, 60) n;
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE name LIKE 'dataset %1' OR name LIKE 'dataset %2';
UPDATE catalogue.datasets SET status = 'pWRhpRV' WHERE name LIKE 'dataset %4';
SELECT count(make_file('file ' || n, 'dataset ' || n)) AS files FROM generate_series(1, 12) n;

-- What is asked for: lists of datasets, of their tags, and those that a record leads to.
CREATE TABLE asked AS SELECT row_number() OVER () AS n, q.*, p.page FROM (
    SELECT 'datasets' AS resource, NULL AS of, NULL AS relation, q FROM unnest(ARRAY[
        'tags.slug=tag-1&match=EXACT', 'tags.name=tag+2,tag+3', 'tags.slug=tag-1&categories.name=Transport',
        'tags=null', 'tags[ne]=null', 'tags=' || id_of('tags', 'tag 4'), 'tags[ne]=' || id_of('tags', 'tag 4'),
        'owner.username=guest', 'owner=' || :'guest' || '&condition=AND&starred=true',
        'owner=' || :'guest' || '&name=1', 'status=nWRhpRV', 'status.name=draft,rejected', 'status.name[ne]=draft',
        'starred=true', 'name=dataset+1', 'name[gte]=dataset+3', 'files.name=file', 'files=null',
        'files.status.name=draft',
        'tags.datasets.name=dataset+7', 'orderBy=name', 'orderBy=name&sort=DESC&tags.name=tag+5',
        'orderBy=owner.username,notes', 'sort=DESC&starred=true', 'query=dataset', 'query=row+1&orderBy=createdAt',
        'deleted=with', 'deleted=only', 'deleted=with&starred=true']) q
    UNION ALL SELECT 'tags', NULL, NULL, q
    FROM unnest('{datasets.name=dataset+5,datasets[ne]=null,datasets=null,name=tag,datasets.owner.username=guest}'
        ::text[]) q
    UNION ALL SELECT 'tags', id_of('tags', t), 'datasets', q
    FROM unnest('{tag 1,tag 6}'::text[]) t, unnest('{"",starred=true,orderBy=name,deleted=with}'::text[]) q
    UNION ALL SELECT 'datasets', id_of('datasets', 'dataset 2'), r, q
    FROM unnest('{tags,files,categories}'::text[]) r, unnest('{"",orderBy=name}'::text[]) q
    UNION ALL SELECT 'users', :'guest', 'datasets', q FROM unnest('{"",tags.name=tag+1}'::text[]) q) q,
    unnest('{limit=5&skip=3,limit=50}'::text[]) p(page);

CREATE FUNCTION reply(asked, version text, actor jsonb, more text DEFAULT '') RETURNS SETOF catalogue.reply
    LANGUAGE sql AS
$$
    SELECT l.*
    FROM concat_ws('&', nullif($1.q, ''), $1.page, nullif(more, ''), 'fields=id&version=' || version) q(query),
        LATERAL (SELECT l.* FROM catalogue.list($1.resource, q.query, 'ids', actor) l WHERE $1.relation IS NULL
                 UNION ALL
                 SELECT l.* FROM catalogue.related($1.resource, $1.of, $1.relation, q.query, 'ids', actor) l
                 WHERE $1.relation IS NOT NULL) l
$$;
-- The number of records, the ids of a page in order, and those of the page behind it.
CREATE FUNCTION told(asked, version text, actor jsonb) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    page    catalogue.reply;
    behind  catalogue.reply;
BEGIN
    SELECT * INTO page FROM reply($1, version, actor);
    IF page.next IS NOT NULL THEN
        SELECT * INTO behind FROM reply($1, version, actor, 'after=' || page.next);
    END IF;
    RETURN concat_ws(' ', page.count, (SELECT string_agg(r ->> 'id', ',') FROM json_array_elements(page.data::json) r),
        '|', (SELECT string_agg(r ->> 'id', ',') FROM json_array_elements(behind.data::json) r));
END
$$;
-- What was told at each instant, to the administrator and to a guest.
CREATE TABLE told (
    n        integer GENERATED ALWAYS AS IDENTITY,
    change   text,
    version  text,
    asked    asked,
    actor    text,
    told     text
);

-- Remember the lists, and change something.
CREATE PROCEDURE try(change text, statement text) LANGUAGE plpgsql AS
$$
DECLARE
    instant  text = (catalogue.list('datasets', 'limit=1', actor => admin())).version;
BEGIN
    INSERT INTO told (change, version, asked, actor, told)
    SELECT change, instant, a, u, told(a, instant, actor(u)) FROM asked a, unnest('{admin,guest}'::text[]) u
    WHERE (u = 'admin' OR a.q NOT LIKE '%deleted%')
        -- of each list the one has a part in the middle, the other the whole
        AND (a.n + (a.n + 1) / 2 + (u = 'guest')::integer) % 2 = 0;
    EXECUTE statement;
END
$$;
CALL try('names',
    'UPDATE catalogue.datasets SET name = ''set '' || name, starred = true WHERE name LIKE ''dataset 1%''');
CALL try('links', format(
    'SELECT catalogue.update(''datasets'', id, ''{"tags": ["%s"]}'', actor => admin()) FROM catalogue.datasets '
    'WHERE name LIKE ''%%dataset %%3''', id_of('tags', 'tag 1')));
CALL try('owners', format('UPDATE catalogue.datasets SET owner = %L WHERE name LIKE ''%%dataset %%4''', :'admin'));
CALL try('statuses', 'UPDATE catalogue.datasets SET status = ''pWRhpRV'' WHERE name LIKE ''%dataset %2''');
CALL try('a name of a tag', 'UPDATE catalogue.tags SET name = ''tag 7'' WHERE name = ''tag 2''');
CALL try('a new dataset', 'SELECT make_dataset(''dataset 61'')');
CALL try('datasets that are deleted',
    'SELECT catalogue.delete(''datasets'', id, admin()) FROM catalogue.datasets WHERE name LIKE ''%dataset %5''');
CALL try('one that is restored', format('SELECT catalogue.restore(''datasets'', %L, actor => admin())',
    id_of('datasets', 'dataset 25')));
CALL try('files that move', format('UPDATE catalogue.files SET dataset = %L WHERE name LIKE ''file 1%%''',
    id_of('datasets', 'dataset 2')));
CALL try('a file that is deleted', format('SELECT catalogue.delete(''files'', %L, admin())', id_of('files', 'file 2')));
CALL try('a tag that is deleted', format('SELECT catalogue.delete(''tags'', %L, admin())', id_of('tags', 'tag 3')));
CALL try('a category that is deactivated', format('SELECT catalogue.deactivate(''categories'', %L, actor => admin())',
    id_of('categories', 'Transport')));

-- The lists as of each instant are told as they were then.
CREATE TABLE again AS SELECT t.*, told(asked, version, actor(actor)) AS now FROM told t;
SELECT change, count(*) AS lists, count(*) FILTER (WHERE now <> told) AS different
FROM again GROUP BY change ORDER BY min(n);
SELECT change, asked, actor, told, now FROM again WHERE now <> told;
