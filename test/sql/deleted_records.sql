--
-- deleted_records: those who may bring deleted records back find them; nobody else does
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
UPDATE catalogue.users SET active = true;
SELECT make('tags', json_build_object('name', n)) IS NOT NULL AS made
FROM unnest('{old water,old salt,young}'::text[]) n;
SELECT make_dataset('Gone') AS gone \gset
SELECT make_file('Lost', 'Airports') AS lost \gset
SELECT (catalogue.update('datasets', id_of('datasets', 'Airports'),
    json_build_object('tags', ARRAY[id_of('tags', 'old salt'), id_of('tags', 'young')]), actor => admin())).resource;
SELECT version AS before FROM catalogue.list('tags', actor => admin()) \gset
UPDATE catalogue.tags SET created_by = id_of('users', 'guest') WHERE name = 'old salt';
SELECT resource
FROM catalogue.delete('tags', id_of('tags', 'old water'), admin())
UNION ALL SELECT resource
FROM catalogue.delete('tags', id_of('tags', 'old salt'), admin())
    UNION ALL SELECT resource
    FROM catalogue.delete('datasets', :'gone', admin())
    UNION ALL SELECT resource
    FROM catalogue.delete('files', :'lost', admin());
INSERT INTO catalogue.configs (key, type, category, description, secret, deleted_at)
    VALUES ('hush', 'string', 'site', 'x', true, NULL), ('plain', 'string', 'site', 'x', false, NULL);
DELETE FROM catalogue.configs WHERE key IN ('hush', 'plain');

-- Lists, their order, pages and counts, filters and search; with, only, and neither.
CREATE FUNCTION found(resource text, query text, actor jsonb DEFAULT test.admin()) RETURNS text LANGUAGE sql AS
$$
    SELECT concat(count, ': ', test.names(l), CASE WHEN ignored <> '[]' THEN ' ignored ' || ignored END)
    FROM catalogue.list($1, $2, 'ids', $3) l
$$;
SELECT found('tags', '');
SELECT found('tags', 'deleted=only');
SELECT found('tags', 'deleted=WITH&orderBy=name');
SELECT found('tags', 'deleted=only&orderBy=name&sort=DESC&limit=1&skip=1');
SELECT found('tags', 'deleted=with&name=old');
SELECT found('tags', 'deleted=only&name=water');
SELECT found('tags', 'deleted=only&deletedAt[ne]=null&condition=AND&createdBy=' || id_of('users', 'guest'));
SELECT found('tags', 'deleted=only&query=salt'), found('tags', 'deleted=with&query=water'), found('tags', 'query=salt');
SELECT found('datasets', 'deleted=only&categories.name=Transport&owner.username=admin'),
       found('datasets', 'deleted=only&status.name=Draft');
SELECT (catalogue.count('tags', 'deleted=only', admin())).data AS only,
       (catalogue.count('tags', 'deleted=with', admin())).data AS with,
       (catalogue.count('tags', '', admin())).data AS living;
SELECT data::json ->> 'name' AS first FROM catalogue.first('tags', 'deleted=only', actor => admin());
SELECT data::json ->> 'name' AS last FROM catalogue.last('tags', 'deleted=only', actor => admin());
SELECT (data::json -> 0 ->> 'deletedAt') IS NOT NULL AS "deletedAt"
FROM catalogue.list('tags', 'deleted=only&fields=deletedAt', actor => admin());
SELECT mask(e.data::text) AS csv
FROM catalogue.export('tags', query => 'deleted=only&fields=name&orderBy=name', actor => admin()) e;
SELECT r.key, string_agg(n ->> 'name', ', ' ORDER BY n ->> 'name')
FROM catalogue.search('query=old,gone,lost&deleted=only', actor => admin()) s, json_each(s.data::json) r,
    json_array_elements(r.value) n
GROUP BY 1
ORDER BY 1;
-- Not in logs: their random ids can have these letters in a row.
SELECT s.data FROM catalogue.search('query=old,gone,lost&resources=datasets,files,tags', actor => admin()) s;
-- Pages follow each other by place, too.
SELECT next AS place FROM catalogue.list('tags', 'deleted=with&orderBy=name&limit=4', actor => admin()) \gset
SELECT found('tags', 'deleted=with&orderBy=name&limit=4'),
       found('tags', 'deleted=with&orderBy=name&limit=4&skip=4&after=' || :'place');
-- Relations: deleted files of a dataset, deleted tags of it; what is related to a deleted record is as ever.
SELECT names(catalogue.related('datasets', id_of('datasets', 'Airports'), 'files', 'deleted=only',
    actor => admin())) AS files,
    names(catalogue.related('datasets', id_of('datasets', 'Airports'), 'tags', 'deleted=only',
        actor => admin())) AS tags,
    names(catalogue.related('datasets', id_of('datasets', 'Airports'), 'tags', 'deleted=with&orderBy=name',
        actor => admin())) AS all_tags;
SELECT data::json -> 0 -> 'status' ->> 'name' AS status
FROM catalogue.list('datasets', 'deleted=only&include=categories', 'embedded', admin());
-- Versions: as of before none was deleted.
SELECT to_char(:'before'::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS before \gset
SELECT found('tags', 'name=old&version=' || :'before'), found('tags', 'deleted=only&version=' || :'before'),
       found('tags', 'deleted=with&name=old&version=' || :'before');
-- The page is not taken for another one that is kept, nor goes stale.
SELECT found('tags', 'deleted=only'), found('tags', '');
SELECT resource FROM catalogue.restore('tags', id_of('tags', 'old water'), actor => admin());
SELECT found('tags', 'deleted=only'), found('tags', '');

-- Who may: whom a rule lets restore, all of them or his own; never more than the role sees.
CREATE FUNCTION refused(resource text, query text, actor jsonb) RETURNS text LANGUAGE sql AS
$$ SELECT code || ' ' || message FROM test.refusal(format('SELECT catalogue.list(%L, %L, actor => %L)', $1, $2, $3)) $$;
SELECT r, refused(r, 'deleted=only', actor('editor')) AS admin, refused(r, 'deleted=only', actor('guest')) AS guest,
       refused(r, 'deleted=only', '{}') AS nobody
FROM unnest('{tags,users,rules,logs,basemaps}'::text[]) r;
SELECT refused('basemaps', 'deleted=with', admin()) AS superadmin, refused('basemaps', 'deleted=with', NULL) AS trusted,
       refused('users', 'deleted=with', NULL) AS users;
SELECT code, message FROM refusal(format('SELECT catalogue.count(%L, %L, %L)', 'tags', 'deleted=with', actor('guest')));
SELECT code, message
FROM refusal(format('SELECT catalogue.search(%L, actor => %L)', 'query=old&deleted=with', actor('guest')));
SELECT code, message
FROM refusal(format('SELECT catalogue.export(%L, query => %L, actor => %L)', 'tags', 'deleted=with', actor('guest')));
SELECT code, message
FROM refusal(format('SELECT catalogue.related(%L, %L, %L, %L, actor => %L)', 'datasets', id_of('datasets', 'Airports'),
    'files', 'deleted=only', actor('guest')));
SELECT found('configs', 'deleted=only') AS superadmin, found('configs', 'deleted=only', actor('editor')) AS admin;
SELECT code, message, hint
FROM refusal(format('SELECT catalogue.list(%L, %L, actor => %L)', 'tags', 'deleted=yes', admin()));
INSERT INTO catalogue.rules (role, resource, action, own) VALUES ('guest', 'tags', 'restore', true);
SELECT resource FROM catalogue.delete('tags', id_of('tags', 'young'), admin());
SELECT found('tags', 'deleted=only', actor('guest')) AS own,
       found('tags', 'deleted=with&name=o', actor('guest')) AS with, found('tags', 'deleted=only') AS all;
UPDATE catalogue.rules SET own = false, organization = true WHERE role = 'guest' AND action = 'restore';
SELECT etag AS tag FROM catalogue.list('tags', 'deleted=only', actor => actor('guest')) \gset
SELECT found('tags', 'deleted=only', actor('guest')) AS near;
UPDATE catalogue.users SET organization = id_of('organizations', 'Transport Department') WHERE username = 'guest';
SELECT found('tags', 'deleted=only', actor('guest')) AS far;
UPDATE catalogue.rules SET organization = false WHERE role = 'guest' AND action = 'restore';
SELECT etag <> :'tag' AS another_tag, names(l)
FROM catalogue.list('tags', 'deleted=only', actor => actor('guest'), known => :'tag') l;
INSERT INTO catalogue.rules (resource, action) VALUES ('tags', 'restore');
SELECT refused('tags', 'deleted=only', '{}') AS nobody;

-- The feed has none.
SELECT code FROM refusal(format('SELECT catalogue.feed(%L, actor => %L)', 'deleted=with', admin()));
