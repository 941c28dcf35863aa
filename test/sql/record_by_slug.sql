--
-- record_by_slug: where a record is named by its id, its slug does as well
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT id_of('datasets', 'Airports') AS airports, id_of('files', 'List of airports') AS list,
       id_of('tags', 'water') AS water, id_of('categories', 'Transport') AS transport \gset
SELECT slug AS list_slug FROM catalogue.files WHERE id = :'list' \gset

-- Read: the record, with its id; several at once; in its states, relations, counts of its lists; what the service knows
-- of it.
SELECT id = :'airports' AS item, resource FROM catalogue.item('datasets', 'airports');
SELECT i.etag = s.etag AS tag, i.data = s.data AS data, i.relations = s.relations AS relations
FROM catalogue.item('datasets', :'airports') i, catalogue.item('datasets', 'airports') s;
SELECT data IS NULL AS known
FROM catalogue.item('datasets', 'airports', known => (catalogue.item('datasets', :'airports')).etag);
SELECT catalogue.items('datasets',
    ARRAY['airports', 'nothing', :'airports', 'public-budget'])::text ~ encode('does not exist', 'hex') AS missing,
       length(catalogue.items('datasets', ARRAY['airports'])) = length(catalogue.items('datasets',
           ARRAY[:'airports'])) AS same;
SELECT l.relation, l.id = :'airports' AS "of it", l.count
FROM (SELECT 'files' AS relation, (r).id, (r).count
      FROM (SELECT catalogue.related('datasets', 'airports', 'files') AS r) s
      UNION ALL SELECT 'versions', id, count
      FROM catalogue.versions('datasets', 'airports')
      UNION ALL SELECT 'filetypes', id, count
      FROM catalogue.dataset_filetypes('airports')) l;
SELECT (catalogue.related('datasets', 'airports', 'status')).id;
SELECT string_agg(split_part(data, E'\n', 2), ' ') <> '' AS exported, min(id) = :'airports' AS "of it"
FROM catalogue.export('datasets', 'airports', 'files', format => 'csv');
SELECT id = :'list' AS "of it" FROM catalogue.file_resources(:'list_slug');
SELECT id = :'airports' AS "of it", data::json -> 'allowed' AS allowed
FROM catalogue.describe('datasets', admin(), 'airports');
SELECT i.data::json ->> 'name' AS then
FROM catalogue.list('datasets') l, catalogue.item('datasets', 'airports', 'version=' || l.version) i;
SELECT catalogue.contents_load(:'list', '[["a"],[1],[2]]') > 0 AS loaded;
SELECT f, r.id = :'list' AS "of it", r.data
FROM (SELECT 'rows' AS f, p.*
    FROM catalogue.contents_page(:'list_slug') p
    UNION ALL SELECT 'columns', p.*
    FROM catalogue.contents_columns(:'list_slug') p
    UNION ALL SELECT 'schema', p.*
    FROM catalogue.contents_schema(:'list_slug') p
    UNION ALL SELECT 'sheets', p.*
    FROM catalogue.contents_sheets(:'list_slug') p
    UNION ALL SELECT 'issues', p.*
    FROM catalogue.contents_issues(:'list_slug') p) r;
SELECT (catalogue.contents_export(:'list_slug', format => 'ndjson')).data;
SELECT count(*) FROM catalogue.contents(:'list_slug');

-- Written: changed, moved, deactivated, with the state that is there; deleted. Brought back it is by its id, since a
-- deleted record's slug is free.
SELECT id = :'airports' AS updated
FROM catalogue.update('datasets', 'airports', '{"notes": "by slug"}', actor => admin());
SELECT id = :'airports' AS matched
FROM catalogue.update('datasets', 'airports', '{"notes": "again"}',
    match => (catalogue.item('datasets', 'airports')).etag, actor => admin());
SELECT code, message
FROM refusal($$SELECT catalogue.update('datasets', 'airports', '{"notes": "never"}', match => 'x', actor => admin())$$);
SELECT id = :'airports' AS moved FROM catalogue.act('datasets', 'airports', 'unpublish', actor => admin());
SELECT id = :'transport' AS hidden FROM catalogue.deactivate('categories', 'transport', actor => admin());
SELECT id = :'transport' AS shown FROM catalogue.restore('categories', 'transport', actor => admin());
SELECT id = :'water' AS deleted FROM catalogue.delete('tags', 'water', admin());
SELECT f, code, message
FROM unnest(ARRAY[$$item('tags', 'water')$$, $$related('tags', 'water', 'datasets')$$, $$versions('tags', 'water')$$,
    $$update('tags', 'water', '{}', actor => admin())$$, $$delete('tags', 'water', admin())$$,
    $$restore('tags', 'water', actor => admin())$$]) f,
    LATERAL refusal('SELECT catalogue.' || f);
SELECT id = :'water' AS restored FROM catalogue.restore('tags', :'water', actor => admin());
SELECT count(*) AS "logged by slug" FROM catalogue.logs WHERE resource IN ('airports', 'transport', 'water');

-- A name that is changed takes its slug along; a slug is not matched in another letter case, or in parts.
SELECT id = :'water' AS renamed FROM catalogue.update('tags', 'water', '{"name": "Freshwater"}', actor => admin());
SELECT s, code
FROM unnest('{water,freshwater,Freshwater,fresh,freshwater%,""}'::text[]) s,
    LATERAL refusal(format('SELECT catalogue.item(''tags'', %L)', s));

-- An id goes before a slug.
SELECT make('tags', json_build_object('name', 'x')) AS x \gset
INSERT INTO catalogue.tags (id, name, created_by)
    VALUES ('freshwater', 'the other', (SELECT created_by FROM catalogue.tags WHERE id = :'x'));
SELECT data::json ->> 'name' AS name FROM catalogue.item('tags', 'freshwater');
SELECT id FROM catalogue.update('tags', 'freshwater', '{"name": "changed"}', actor => admin());
SELECT id FROM catalogue.delete('tags', 'freshwater', admin());
SELECT data::json ->> 'name' AS name FROM catalogue.item('tags', 'freshwater');

-- Hidden from who asks: the answer is the one for what is not there, and is the same whether there is a record of that
-- slug or not.
SELECT f, h.code, h.message, replace(h.message, 'airports', '?') = replace(n.message, 'nothing', '?')
       AND h.code = n.code AND h.hint IS NOT DISTINCT FROM n.hint AS alike
FROM unnest(ARRAY[$$item('datasets', '%s', actor => '{}')$$, $$related('datasets', '%s', 'files', actor => '{}')$$,
    $$related('datasets', '%s', 'status', actor => '{}')$$, $$versions('datasets', '%s', actor => '{}')$$,
    $$archive('%s', '{}')$$, $$dataset_filetypes('%s', actor => '{}')$$,
    $$update('datasets', '%s', '{}', actor => '{}')$$,
    $$delete('datasets', '%s', '{}')$$, $$act('datasets', '%s', 'publish', actor => '{}')$$,
    $$export('datasets', '%s', 'files', actor => '{}', format => 'csv')$$]) f,
    LATERAL refusal('SELECT catalogue.' || format(f, 'airports')) h,
    LATERAL refusal('SELECT catalogue.' || format(f, 'nothing')) n;
SELECT (catalogue.describe('datasets', '{}', 'airports')).data = (catalogue.describe('datasets', '{}',
    'nothing')).data AS alike;
-- A hidden record with this id does not stand before a visible one with this slug, or it would be told.
SELECT id = :'airports' AS published FROM catalogue.act('datasets', 'airports', 'publish', actor => admin());
INSERT INTO catalogue.datasets (id, name, owner, created_by, status)
SELECT 'budget', 'Hidden', owner, created_by, 'nWRhpRV'
FROM catalogue.datasets
WHERE id = :'airports';
UPDATE catalogue.datasets SET name = 'Budget' WHERE name = 'Public budget';
SELECT (catalogue.item('datasets', 'budget', actor => '{}')).data::json ->> 'name' AS outsider,
       (catalogue.item('datasets', 'budget', actor => admin())).data::json ->> 'name' AS "user";

-- Of files that share a slug the first; a resource without slugs has none; a table of one's own has them by its column.
UPDATE catalogue.files
SET name = 'List of airports'
WHERE id = (SELECT id FROM catalogue.files WHERE id <> :'list' ORDER BY id LIMIT 1);
SELECT count(*) AS shared FROM catalogue.files WHERE slug = :'list_slug';
SELECT id = :'list' AS first FROM catalogue.item('files', :'list_slug', actor => admin());
SELECT code, message FROM refusal($$SELECT catalogue.item('statuses', 'draft')$$);
CREATE TABLE catalogue.places (id catalogue.id PRIMARY KEY, name varchar(50), slug varchar(150),
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SELECT catalogue.expose('places', 'Place');
INSERT INTO catalogue.places (name) VALUES ('Old Town');
SELECT data::json ->> 'name' AS name FROM catalogue.item('places', 'old-town');
SELECT indexdef FROM pg_indexes WHERE indexname ~ '_slug$' OR indexname ~ '_slug_living$' ORDER BY indexname;
