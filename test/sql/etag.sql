--
-- etag: state tags of records, reads that know them, changes that demand them
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT make('tags', '{"name": "spring"}') AS water \gset
SELECT make_dataset('Wind speed') AS air \gset
CREATE TABLE seen (step serial, tag text);
CREATE FUNCTION tag(resource text, id text) RETURNS text
    LANGUAGE sql VOLATILE AS $$ SELECT (catalogue.item($1, $2, actor => admin())).etag $$;
-- Whether the record is in a state as never before; notes it.
CREATE FUNCTION is_new(resource text, id text) RETURNS boolean LANGUAGE sql VOLATILE AS
$$
    WITH now AS (SELECT tag($1, $2) AS tag), noted AS (INSERT INTO seen (tag) SELECT tag FROM now)
    SELECT now.tag NOT IN (SELECT seen.tag FROM seen) FROM now
$$;

-- A tag is letters, digits and dots; reading does not change it; its first part is the record's, however that is
-- reached.
SELECT tag('tags', :'water') ~ '^[0-9A-Za-z.]+$' AS form;
SELECT count(DISTINCT split_part(etag, '.', 1)) FROM (
    SELECT etag FROM catalogue.item('tags', :'water') UNION ALL
    SELECT etag FROM catalogue.item('tags', :'water', 'fields=name') UNION ALL
    SELECT etag FROM catalogue.item('tags', :'water', actor => '{}') UNION ALL
    SELECT etag FROM catalogue.last('tags', 'fields=id') UNION ALL
    SELECT etag
    FROM catalogue.first('tags', 'orderBy=name&sort=DESC&name=spring&match=EXACT')
    WHERE etag IS NOT NULL) r;

-- Records have different ones.
SELECT count(*) = count(DISTINCT tag('filetypes', id)) AS different FROM catalogue.filetypes;

-- Each change makes another one: through the API and in SQL.
SELECT is_new('tags', :'water');
SELECT id = :'water' AS updated FROM catalogue.update('tags', :'water', '{"name": "river"}', actor => admin());
SELECT is_new('tags', :'water');
UPDATE catalogue.tags SET name = 'lake' WHERE id = :'water';
SELECT is_new('tags', :'water');
SELECT is_new('tags', :'water') AS without_change;
SELECT id = :'water' AS deleted FROM catalogue.delete('tags', :'water', admin());
SELECT id = :'water' AS restored FROM catalogue.restore('tags', :'water', actor => admin());
SELECT is_new('tags', :'water');
SELECT is_new('datasets', :'air');
SELECT id = :'air' AS published FROM catalogue.act('datasets', :'air', 'publish', actor => admin());
SELECT is_new('datasets', :'air');
SELECT id = :'air' AS linked
FROM catalogue.update('datasets', :'air', json_build_object('tags', :'water'), actor => admin());
SELECT is_new('datasets', :'air');

-- Twice in one transaction, too.
BEGIN;
UPDATE catalogue.tags SET name = 'pond' WHERE id = :'water';
SELECT is_new('tags', :'water');
UPDATE catalogue.tags SET name = 'sea' WHERE id = :'water';
SELECT is_new('tags', :'water');
COMMIT;

-- And a change of the definition, since the record shows more then.
ALTER TABLE catalogue.tags ADD COLUMN hint text;
SELECT is_new('tags', :'water');
ALTER TABLE catalogue.tags DROP COLUMN hint;

-- And one of what its values look like: another type of a column that stays where it is, another word for a value.
ALTER TABLE catalogue.tags ADD COLUMN class integer DEFAULT 1259;
SELECT is_new('tags', :'water'), catalogue.item('tags', :'water', 'fields=class')::text ~ 'class"":1259' AS number;
ALTER TABLE catalogue.tags ALTER COLUMN class TYPE regclass;
SELECT is_new('tags', :'water'), catalogue.item('tags', :'water', 'fields=class')::text ~ 'class"":""pg_class' AS name;
ALTER TABLE catalogue.tags DROP COLUMN class;
SELECT id AS chart FROM catalogue.charts WHERE type = 'bar' LIMIT 1 \gset
SELECT is_new('charts', :'chart');
ALTER TYPE catalogue.chart_type RENAME VALUE 'bar' TO 'column';
SELECT is_new('charts', :'chart'), data::json ->> 'type' AS type FROM catalogue.item('charts', :'chart');
ALTER TYPE catalogue.chart_type RENAME VALUE 'column' TO 'bar';
SELECT is_new('charts', :'chart') AS as_before;

-- A list's too: by what is said of the resource, and where the table is written anew.
CREATE FUNCTION list_is_new(resource text) RETURNS boolean LANGUAGE sql VOLATILE AS
$$
    WITH now AS (SELECT (catalogue.list($1, actor => admin())).etag AS tag),
        noted AS (INSERT INTO seen (tag) SELECT tag FROM now)
    SELECT now.tag NOT IN (SELECT seen.tag FROM seen) FROM now
$$;
SELECT list_is_new('tags');
SELECT list_is_new('tags') AS without_change;
UPDATE catalogue.resource SET newest_first = true WHERE resource = 'tags';
SELECT list_is_new('tags');
UPDATE catalogue.resource SET newest_first = false, searchable = '{name,slug}' WHERE resource = 'tags';
SELECT list_is_new('tags');
UPDATE catalogue.resource SET searchable = '{name}' WHERE resource = 'tags';
ALTER TABLE catalogue.tags ALTER COLUMN name TYPE varchar(100) USING upper(name);
SELECT list_is_new('tags'), is_new('tags', :'water'), data::json ->> 'name' AS name
FROM catalogue.item('tags', :'water');
ALTER TABLE catalogue.tags ALTER COLUMN name TYPE varchar(100) USING lower(name);

-- Who knows the state gets no data, and is told the state; of several, with any.
SELECT tag('tags', :'water') AS now \gset
SELECT n, data IS NULL AS no_data, etag = :'now' AS told
FROM unnest(ARRAY[NULL, '', 'x', :'now', 'x,' || :'now', '*', :'now' || 'x']) WITH ORDINALITY k(known, n),
    LATERAL catalogue.item('tags', :'water', known => known) ORDER BY n;
SELECT data IS NULL AS no_data FROM catalogue.last('tags', known => (SELECT etag FROM catalogue.last('tags')));
SELECT data IS NULL AS no_data
FROM catalogue.related('datasets', :'air', 'owner',
    known => (SELECT etag FROM catalogue.related('datasets', :'air', 'owner')));
SELECT code, message FROM refusal(format('SELECT catalogue.item(%L, %L, known => %L)', 'tags', 'nothing', '*'));

-- Each change takes a match: it passes in a state that is named, else OD412, and nothing is changed.
CREATE FUNCTION attempts(resource text, id text) RETURNS TABLE (change text, statement text) LANGUAGE sql AS
$$
    VALUES ('update', format('SELECT catalogue.update(%L, %L, %L, actor => admin(), match => %%L)', $1, $2, '{}')),
           ('delete', format('SELECT catalogue.delete(%L, %L, actor => admin(), match => %%L)', $1, $2)),
           ('restore', format('SELECT catalogue.restore(%L, %L, actor => admin(), match => %%L)', $1, $2)),
           ('deactivate', format('SELECT catalogue.deactivate(%L, %L, actor => admin(), match => %%L)', $1, $2)),
           ('act', format('SELECT catalogue.act(%L, %L, %L, actor => admin(), match => %%L)', $1, $2, 'unpublish'))
$$;
SELECT change, code, message
FROM attempts('tags', :'water'), LATERAL refusal(format(statement, 'x'))
WHERE change IN ('update', 'delete', 'restore')
ORDER BY 1;
SELECT change, code, message
FROM attempts('datasets', :'air'), LATERAL refusal(format(statement, 'x,y'))
WHERE change <> 'deactivate'
ORDER BY 1;
SELECT id_of('categories', 'Transport') AS transport \gset
SELECT change, code, message
FROM attempts('categories', :'transport'), LATERAL refusal(format(statement, ''))
WHERE change <> 'act'
ORDER BY 1;
SELECT tag('tags', :'water') = :'now' AS unchanged;
SELECT code, message
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => admin(), match => %L)', 'tags', :'water',
    '{"name": "bay"}', 'x,' || :'now'));
SELECT code, message
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => admin(), match => %L)', 'tags', :'water',
    '{"name": "gulf"}', :'now'));
SELECT data::json ->> 'name' AS name FROM catalogue.item('tags', :'water');

-- What the words of a match mean: a state, any, and with ! before it, not that one.
SELECT tag('tags', :'water') AS now \gset
SELECT replace(words, '@', 'now') AS match, code
FROM unnest('{@,x,"x,@",*,"",!x,!@,!*,"@,!x","x,!y","*,!@","!x,@","!x,!y"}'::text[]) WITH ORDINALITY w(words, n),
    LATERAL refusal(format('DO %L',
        format(
            'BEGIN PERFORM catalogue.update(%L, %L, %L, actor => admin(), match => %L); RAISE '
            '''undone'' USING ERRCODE = ''XX999''; END',
            'tags', :'water', '{}', replace(words, '@', :'now'))))
    ORDER BY n;

-- The body is looked at only in the right state; a record that is not there is OD404 all the same.
SELECT code, message
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => admin(), match => %L)', 'tags', :'water',
    '{"name": ""}', 'x'));
SELECT code, message
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => admin(), match => %L)', 'tags', 'nothing', '{}',
    'x'));
SELECT code, message
FROM refusal(format('SELECT catalogue.update(%L, %L, %L, match => %L, actor => %L)', 'tags', :'water', '{}', 'x',
    '{}'));

-- What is deleted is in no state; what is deactivated is in one.
SELECT id = :'water' AS deleted FROM catalogue.delete('tags', :'water', admin(), tag('tags', :'water'));
SELECT m AS match, code, message
FROM unnest('{*,x,!*}'::text[]) WITH ORDINALITY w(m, n),
    LATERAL refusal(format('SELECT catalogue.restore(%L, %L, actor => admin(), match => %L)', 'tags', :'water', m))
ORDER BY n;
SELECT id = :'transport' AS deactivated
FROM catalogue.deactivate('categories', :'transport', actor => admin(), match => tag('categories', :'transport'));
SELECT m AS match, code, message
FROM unnest('{x,!*,*}'::text[]) WITH ORDINALITY w(m, n),
    LATERAL refusal(format('SELECT catalogue.restore(%L, %L, actor => admin(), match => %L)', 'categories',
        :'transport', m))
ORDER BY n;

-- A record of an earlier instant is in no table: its state goes by the instant. The tag is the same at each read of
-- that instant, is known again, and is another one for another instant, whichever of the calls reads the record.
SELECT id AS lake FROM catalogue.create('tags', '{"name": "pond"}', actor => admin()) \gset
SELECT '&version=' || version AS before FROM catalogue.list('tags') \gset
UPDATE catalogue.tags SET name = 'river' WHERE id = :'lake';
SELECT '&version=' || version AS after FROM catalogue.list('tags') \gset
UPDATE catalogue.tags SET name = 'lake' WHERE id = :'lake';
CREATE FUNCTION tag_then(query text) RETURNS TABLE (call text, tag text, known boolean, name text)
    LANGUAGE sql VOLATILE AS
$$
    SELECT c.call, r.etag, k.data IS NULL, r.data::json ->> 'name'
    FROM (VALUES ('item'), ('first'), ('last')) c(call),
        LATERAL (SELECT i.* FROM catalogue.item('tags', id_of('tags', 'lake'), query) i WHERE call = 'item'
                 UNION ALL SELECT f.*
                 FROM catalogue.first('tags', 'id=' || id_of('tags', 'lake') || query) f
                 WHERE call = 'first'
                 UNION ALL SELECT l.*
                 FROM catalogue.last('tags', 'id=' || id_of('tags', 'lake') || query) l
                 WHERE call = 'last') r,
        LATERAL (SELECT i.*
                 FROM catalogue.item('tags', id_of('tags', 'lake'), query, known => r.etag) i
                 WHERE call = 'item'
                 UNION ALL SELECT f.*
                 FROM catalogue.first('tags', 'id=' || id_of('tags', 'lake') || query, known => r.etag) f
                 WHERE call = 'first'
                 UNION ALL SELECT l.*
                 FROM catalogue.last('tags', 'id=' || id_of('tags', 'lake') || query, known => r.etag) l
                 WHERE call = 'last') k
$$;
SELECT b.call, b.name AS before, a.name AS after, b.known, a.known, b.tag = again.tag AS same, b.tag <> a.tag AS another
FROM tag_then(:'before') b JOIN tag_then(:'before') again USING (call) JOIN tag_then(:'after') a USING (call);
SELECT count(*) FROM (SELECT catalogue.items('tags', ARRAY[:'lake', :'lake'], substr(:'before', 2))) i;
