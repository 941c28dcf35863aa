--
-- pages: texts of the catalogue itself, which superadmins write and everybody reads
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

UPDATE catalogue.users SET active = true;
SELECT make('pages', '{"name": "Aviso legal", "text": "# Ley\n\nArtículo *1*", "position": 2}') AS legal,
    make('pages', '{"name": "About", "text": "Us", "position": 1, "optionals":
        {"translations": {"es": {"name": "Quiénes somos", "text": "Nos"}, "pt": {"text": "Nos"}, "x": 1}}}') AS about,
    make('pages', '{"name": "Without a link", "text": "-", "optionals": {"translations": "none"}}') AS plain,
    make('pages', '{"name": "In preparation", "text": "-", "position": 0, "visible": false}') AS hidden \gset
SELECT p.name, p.slug, p.position, p.visible FROM catalogue.pages p ORDER BY p.name;

-- Visitors see those that are visible, users all of them.
SELECT a.name, string_agg(e.page ->> 'name', ', ' ORDER BY e.page ->> 'name') AS pages
FROM (VALUES ('admin', admin()), ('guest', actor('guest')), ('outsider', '{}')) a(name, actor),
    json_array_elements((catalogue.list('pages', actor => a.actor)).data::json) e(page) GROUP BY 1 ORDER BY 1;
SELECT r.code FROM refusal(format('SELECT catalogue.item(''pages'', %L, actor => ''{}'')', :'hidden')) r;
SELECT (catalogue.item('pages', 'aviso-legal', actor => '{}')).data::json ->> 'text' AS text;

-- What is at the foot of each page, in order, with its names in other languages.
SELECT e.page ->> 'slug' AS slug, e.page ->> 'name' AS name, e.page -> 'optionals' AS optionals
FROM json_array_elements(catalogue.web_pages()::json) WITH ORDINALITY e(page, n) ORDER BY e.n;
SELECT (catalogue.web_access()).data::json ->> 'pages' = catalogue.web_pages() AS known;
-- A legal notice may be one of them.
SELECT s.state FROM catalogue.setup_checks() s WHERE s.item = 'legal';

-- Each way to be wrong.
SELECT left(b.body, 40) AS body, r.code, r.detail
FROM (VALUES ('{"text": "x"}'), ('{"name": "x"}'), ('{"name": "x", "text": ""}'), ('{"name": "about", "text": "x"}'),
          ('{"name": "x", "text": "x", "position": "first"}'),
          (json_build_object('name', 'x', 'text', repeat('ñ', 100001))::text)) b(body),
    refusal(format('SELECT catalogue.create(''pages'', %L, actor => admin())', b.body)) r;
SELECT make('pages', json_build_object('name', 'Long', 'text', repeat('ñ', 100000))) AS long \gset
SELECT length(p.text) AS characters FROM catalogue.pages p WHERE p.id = :'long';

-- A rule for all resources does not include pages: a rule has to name them.
SELECT make('rules', '{"role": "admin", "resource": "*", "action": "*"}') IS NOT NULL AS made;
SELECT a.name, r.code
FROM (VALUES ('editor', actor('editor')), ('guest', actor('guest')), ('outsider', '{}')) a(name, actor),
    refusal(format('SELECT catalogue.update(''pages'', %L, ''{"text": "changed"}'', actor => %L)', :'about',
        a.actor)) r;
SELECT make('rules', '{"role": "admin", "resource": "pages", "action": "update"}') IS NOT NULL AS made;
SELECT (catalogue.update('pages', :'about', '{"text": "changed"}', actor => actor('editor'))).id = :'about' AS updated;
-- They have a history, as all records, and come back when they were deleted.
SELECT json_array_length((catalogue.versions('pages', :'about', actor => admin())).data::json) AS versions;
SELECT (catalogue.delete('pages', :'about', actor => admin())).id IS NOT NULL AS deleted;
SELECT json_array_length(catalogue.web_pages()::json) AS linked;
SELECT (catalogue.restore('pages', :'about', actor => admin())).id IS NOT NULL AS restored;
SELECT json_array_length(catalogue.web_pages()::json) AS linked;

-- An upgrade of the catalogue leaves them as they are.
SELECT catalogue.bootstrap();
SELECT p.name, left(p.text, 10) AS text FROM catalogue.pages p ORDER BY p.name;
