--
-- compose: names and searched texts are stored in Unicode's NFC, and are unique by it; passwords, secrets and addresses
-- stay as they are given
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT id_of('users', 'admin') AS admin, id_of('categories', 'Transport') AS transport \gset
-- a letter with its accent as a character of its own
SELECT U&'an\0303o' AS apart, U&'a\00F1o' AS one \gset

-- A text is composed whatever is around it; one that has more marks than a letter can have stays linear.
SELECT left(v.name, 10) AS beginning, catalogue.compose(v.name) = normalize(v.name, NFC) AS composed,
    length(catalogue.compose(v.name))
FROM (VALUES (:'apart'), ('plain'), (''), (:'one'), (repeat('x', 70) || :'apart'), (repeat(:'apart', 200)),
    (repeat(U&'\1112\1161\11AB', 90)), (repeat(U&'\09C7\09BE', 90)), (repeat(U&'q\0307\0323', 90)),
    (repeat(U&'\0041\030A', 90) || U&'\035D')) AS v(name);
SELECT length(catalogue.compose('a' || repeat(U&'\0301\0323', 200000)));

-- The columns whose texts are composed.
SELECT f.resource, string_agg(f.column_name, ' ' ORDER BY f.position) AS composed
FROM catalogue.field f WHERE catalogue.is_composed(f.resource, f.column_name) GROUP BY f.resource ORDER BY f.resource;
SELECT catalogue.is_composed('tags', 'none'), catalogue.is_composed('none', 'name');

-- Each way in: create, update, rows, INSERT, UPDATE, COPY.
SELECT make('tags', json_build_object('name', :'apart')) AS tag \gset
SELECT t.name = :'one' AS composed, t.slug FROM catalogue.tags t WHERE t.id = :'tag';
SELECT * FROM faults(format('SELECT make(''tags'', json_build_object(''name'', %L))', upper(:'apart')));
SELECT (catalogue.update('tags', :'tag', json_build_object('name', 'second ' || :'apart'), actor => admin())).resource;
SELECT t.name = 'second ' || :'one' AS composed FROM catalogue.tags t WHERE t.id = :'tag';
INSERT INTO catalogue.tags (name, created_by) VALUES ('insert ' || :'apart', :'admin')
RETURNING name = 'insert ' || :'one' AS composed;
SELECT * FROM faults(format('INSERT INTO catalogue.tags (name, created_by) VALUES (''insert '' || %L, %L)', :'one',
    :'admin'));
UPDATE catalogue.tags SET name = 'update ' || :'apart' WHERE name = 'insert ' || :'one'
RETURNING name = 'update ' || :'one' AS composed;
CREATE TEMP TABLE given AS SELECT 'copy ' || :'apart' AS name, :'admin' AS created_by;
\copy given TO 'compose.copied'
\copy catalogue.tags (name, created_by) FROM 'compose.copied'
\! rm -f compose.copied
SELECT name = 'copy ' || :'one' AS composed FROM catalogue.tags WHERE name LIKE 'copy %';
SELECT (catalogue.create_rows('tags', E'name\n' || 'rows ' || :'apart', 'csv', actor => admin())).resource;
SELECT name = 'rows ' || :'one' AS composed FROM catalogue.tags WHERE name LIKE 'rows %';

-- An update that only writes the name in the other form changes nothing; an old one is composed when it is restored.
SELECT updated_at AS before FROM catalogue.tags WHERE id = :'tag' \gset
UPDATE catalogue.tags SET name = 'second ' || :'apart' WHERE id = :'tag';
SELECT updated_at = :'before' AS unchanged FROM catalogue.tags WHERE id = :'tag';
SELECT (catalogue.delete('tags', :'tag', actor => admin())).resource;
ALTER TABLE catalogue.tags DISABLE TRIGGER USER;
UPDATE catalogue.tags SET name = 'second ' || :'apart' WHERE id = :'tag';
ALTER TABLE catalogue.tags ENABLE TRIGGER USER;
SELECT (catalogue.restore('tags', :'tag', actor => admin())).resource;
SELECT name = 'second ' || :'one' AS composed FROM catalogue.tags WHERE id = :'tag';

-- The limit holds for the composed text: 100 letters that were 200 characters, and a letter that becomes two.
SELECT make('tags', json_build_object('name', repeat(U&'a\0302', 99) || U&'n\0303')) AS long \gset
SELECT length(name) FROM catalogue.tags WHERE id = :'long';
SELECT * FROM faults($$SELECT make('tags', json_build_object('name', repeat(U&'n\0303', 101)))$$);
SELECT * FROM faults($$SELECT make('tags', json_build_object('name', repeat(U&'\0958', 51)))$$);
SELECT * FROM faults($$INSERT INTO catalogue.tags (name, created_by) VALUES (repeat(U&'\0958', 51),
    id_of('users', 'admin'))$$);

-- Other texts stay: a password, a secret, an address, an e-mail address, a key of a remote service, optionals.
SELECT make('users', json_build_object('username', 'nandu', 'email', 'nandu@example.org', 'password', :'apart'
    || ' secret', 'role', 'guest', 'firstName', :'apart', 'organization', id_of('organizations', 'Open Data Office')))
    IS NOT NULL AS made;
SELECT first_name = :'one' AS composed, full_name = :'one' AS of_both FROM catalogue.users WHERE username = 'nandu';
SELECT data::json ->> 'username' AS username
FROM catalogue.login(json_build_object('username', 'nandu', 'password', :'apart' || ' secret'));
SELECT data AS "with the password in the other form"
FROM catalogue.login(json_build_object('username', 'nandu', 'password', :'one' || ' secret'));
SELECT make('datasets', json_build_object('name', 'kept', 'description', :'apart', 'owner', :'admin',
    'categories', ARRAY[:'transport'], 'optionals', json_build_object('k', :'apart'))) AS dataset \gset
SELECT description = :'one' AS composed, optionals ->> 'k' = :'apart' AS kept
FROM catalogue.datasets WHERE id = :'dataset';

-- A user name is one name in either form, for the login as well.
UPDATE catalogue.users SET username = U&'nand\00FA' WHERE username = 'nandu';
SELECT data::json ->> 'username' AS username
FROM catalogue.login(json_build_object('username', U&'nandu\0301', 'password', :'apart' || ' secret'));

-- An address, and what opens and reads a remote service, stay.
SELECT make('restservices', json_build_object('url', 'https://example.org/' || :'apart', 'username', :'apart',
    'dataPath', :'apart', 'parameters', json_build_object('p', :'apart'))) AS service \gset
SELECT url = 'https://example.org/' || :'apart' AS url, username = :'apart' AS username, data_path = :'apart' AS path,
    parameters ->> 'p' = :'apart' AS parameters FROM catalogue.restservices WHERE id = :'service';

-- An import that writes names in the other form finds what there is, and leaves names that it gave.
CREATE FUNCTION import(title text, description text) RETURNS SETOF text LANGUAGE sql AS
$$
    SELECT concat_ws(' ', e ->> 'outcome', e ->> 'notes')
    FROM catalogue.import_dcat(json_build_object('dataset', json_build_array(json_build_object('identifier', 'i',
            'title', title, 'description', description, 'keyword', json_build_array('tag ' || title), 'theme', title,
            'publisher', title, 'distribution', json_build_array(json_build_object('title', title,
                'accessURL', 'https://example.org/' || title))))), 'here', '{"partial": true}', admin()) r,
        json_array_elements(r -> 'entries') e
$$;
SELECT * FROM import('import ' || :'apart', 'first');
SELECT * FROM import('import ' || :'one', 'second');
SELECT 'dataset' AS kind, d.name = 'import ' || :'one' AS composed, d.description FROM catalogue.datasets d
WHERE d.slug LIKE 'import-ano%'
UNION ALL SELECT 'tag', t.name = 'tag import ' || :'one', t.slug FROM catalogue.tags t WHERE t.slug LIKE 'tag-import%'
UNION ALL SELECT 'category', c.name = 'import ' || :'one', c.slug FROM catalogue.categories c
WHERE c.slug LIKE 'import-ano%'
UNION ALL SELECT 'file', f.name = 'import ' || :'one', f.slug FROM catalogue.files f
WHERE f.slug LIKE 'import-ano%' AND f.deleted_at IS NULL
UNION ALL SELECT 'organization', o.name = 'import ' || :'one', o.slug FROM catalogue.organizations o
WHERE o.slug LIKE 'import-ano%';

-- Searches and filters find it in either form, in each match and in a range.
SELECT p.query, (catalogue.list('tags', replace(p.query, '@', v.form), actor => admin())).count
FROM (VALUES ('query=copy @'), ('name=copy @&match=EXACT'), ('name=copy @&match=BEGINS'),
    ('name[gte]=copy @&name[lte]=copy @z')) p(query), (VALUES (:'one'), (:'apart')) v(form);

SELECT make_file('stored', 'Airports') AS file \gset
-- At an upgrade living names of earlier versions are composed; one that another record has gets a number, and is told.
ALTER TABLE catalogue.tags DISABLE TRIGGER USER;
ALTER TABLE catalogue.files DISABLE TRIGGER USER;
INSERT INTO catalogue.tags (id, name, slug, created_by, deleted_at) VALUES
    ('lone', 'lone ' || :'apart', 'lone-ano', :'admin', NULL),
    ('twin', 'copy ' || :'apart', 'copy-ano-9', :'admin', NULL),
    ('first', U&'pair o\0302\0323', 'pair-o', :'admin', NULL),
    ('second', U&'PAIR o\0323\0302', 'pair-2', :'admin', NULL),
    ('third', U&'pair \1ECD\0302', 'pair-3', :'admin', NULL),
    ('gone', 'gone ' || :'apart', 'gone-ano', :'admin', now());
UPDATE catalogue.files SET file_name = :'apart' || '.csv' WHERE id = :'file';
ALTER TABLE catalogue.tags ENABLE TRIGGER USER;
ALTER TABLE catalogue.files ENABLE TRIGGER USER;
SELECT catalogue.renew_names() AS renewed;
SELECT catalogue.renew_names() AS again;
SELECT id, name, name IS NFC NORMALIZED AS composed, slug FROM catalogue.tags
WHERE id IN ('lone', 'twin', 'first', 'second', 'third', 'gone') ORDER BY id;
SELECT file_name = :'one' || '.csv' AS composed FROM catalogue.files WHERE id = :'file';
SELECT catalogue.numbered_name('a.csv', 2, 5, 'file_name') AS file,
    catalogue.numbered_name('abcdef', 12, 6, 'name') AS name,
    catalogue.numbered_name('abc', 2, NULL, 'username') AS username;

-- A dataset that was imported then stays one whose name the import may change.
ALTER TABLE catalogue.datasets DISABLE TRIGGER USER;
UPDATE catalogue.datasets SET name = 'import ' || :'apart' WHERE slug = 'import-ano';
ALTER TABLE catalogue.datasets ENABLE TRIGGER USER;
UPDATE catalogue.imported
SET base = jsonb_set(base::jsonb, '{name}', to_jsonb(lpad(to_hex(hashtextextended('import ' || :'apart', 0)), 16, '0')))
WHERE source = 'here';
SELECT catalogue.renew_names() AS renewed;
SELECT * FROM import('renamed ' || :'one', 'third');
SELECT name = 'renamed ' || :'one' AS renamed FROM catalogue.datasets WHERE description = 'third';
