--
-- feed: RSS 2.0 of what was published last, for whoever asks what outsiders see
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT count(catalogue.delete('datasets', id, admin())) AS seeds FROM catalogue.datasets;
CREATE FUNCTION publish(name text, description text, day date, status text DEFAULT 'qWRhpRV') RETURNS text
    LANGUAGE plpgsql AS
$$
DECLARE
    made    text := make('datasets',
        json_build_object('name', $1, 'description', $2, 'status', $4, 'owner', id_of('users', 'admin'),
                'categories', json_build_array(id_of('categories', 'Transport'), id_of('categories', 'Environment'))));
BEGIN
    UPDATE catalogue.datasets SET published_at = day + time '12:30' WHERE id = made;
    RETURN made;
END
$$;
SELECT publish('Rivers', 'Of the <b>north</b> & south', '2026-03-02') AS rivers,
    publish('Lakes', NULL, '2026-01-31') AS lakes,
    publish(E'<Seas> & "oceans" \u0001', E'Line 1\nLine 2', '2026-02-01') AS seas,
    publish('Draft', NULL, '2026-04-01', 'nWRhpRV') AS draft \gset

-- The items of a feed, and its own members; one that is no XML is an error.
CREATE FUNCTION items(feed catalogue.reply)
    RETURNS TABLE (title text, link text, description text, categories text, guid text, published text) LANGUAGE sql AS
$$
    SELECT x.title, mask(x.link), x.description, array_to_string(xpath('/item/category/text()', x.item), ', '),
           mask(x.guid), x.published
    FROM XMLTABLE('/rss/channel/item' PASSING (($1).data::xml) COLUMNS n
        FOR ORDINALITY, title text PATH 'title', link text PATH 'link', description text PATH 'description',
        guid text PATH 'guid[@isPermaLink = "false"]', published text PATH 'pubDate', item xml PATH '.') x ORDER BY n
$$;
CREATE FUNCTION titles(feed catalogue.reply) RETURNS text
    LANGUAGE sql AS $$ SELECT string_agg(title, '; ') FROM items($1) $$;

-- Newest first, of what is published: whoever asks.  Markup stays text, for XML and for those who take a description
-- for HTML.
SELECT * FROM items(catalogue.feed('', 'https://data.example.org'));
SELECT bool_and(titles(catalogue.feed('', 'https://data.example.org', actor)) = titles(catalogue.feed())) AS same
FROM unnest(ARRAY[NULL, '{}', admin()]) actor;
SELECT resource, id IS NULL AS no_id, etag IS NULL AS no_tag FROM catalogue.feed();
SELECT x.*
FROM XMLTABLE(XMLNAMESPACES('http://www.w3.org/2005/Atom' AS atom),
    '/rss[@version = "2.0"]/channel' PASSING ((catalogue.feed('name=rivers&match=EXACT',
        'https://data.example.org')).data::xml)
    COLUMNS title text PATH 'title', link text PATH 'link', description text PATH 'description',
        self text PATH 'atom:link[@rel = "self"][@type = "application/rss+xml"]/@href',
        items integer PATH 'count(item)') x;
SELECT (catalogue.feed('name=nothing')).data;

-- It is called as the catalogue is.
INSERT INTO catalogue.configs (key, type, category, description, value)
VALUES ('catalogTitle', 'string', 'site', 'Title', ' Data of <Rosario> ');
SELECT xpath('/rss/channel/title/text()', (catalogue.feed()).data::xml) AS title;

-- Filters, search and page apply; order and fields are the feed's own.
SELECT titles(catalogue.feed('name=e')) AS name, titles(catalogue.feed('query=oceans')) AS query,
    titles(catalogue.feed('description=north&match=CONTAINS')) AS description,
    titles(catalogue.feed('categories.name=Health')) AS category, titles(catalogue.feed('status=nWRhpRV')) AS drafts;
SELECT titles(catalogue.feed('limit=1')) AS first, titles(catalogue.feed('limit=1&skip=1')) AS second,
       titles(catalogue.feed('orderBy=name&sort=ASC&fields=id&include=tags')) AS own;
SELECT count(publish('old ' || n, NULL, '2020-01-01')) AS more FROM generate_series(1, 120) n;
SELECT count(*) AS by_default FROM items(catalogue.feed());
SELECT count(*) AS at_most FROM items(catalogue.feed('limit=1000'));

-- To the portal where there is one.
UPDATE catalogue.configs SET value = 'https://portal.example.org/' WHERE key = 'frontEndUrl';
SELECT link FROM items(catalogue.feed('limit=1', 'https://data.example.org'));
SELECT (xpath('/rss/channel/link/text()', data::xml))[1] AS link
FROM catalogue.feed('limit=1', 'https://data.example.org');
UPDATE catalogue.configs SET value = '' WHERE key = 'frontEndUrl';
SELECT link FROM items(catalogue.feed('limit=1', 'https://data.example.org'));

-- Bad values, and one who may not ask.
SELECT code, message FROM refusal($$SELECT catalogue.feed('limit=many')$$);
SELECT code, message FROM refusal($$SELECT catalogue.feed('match=somewhat')$$);
SELECT code, message FROM refusal($$SELECT catalogue.feed('include=nothing')$$);
SELECT code, message FROM refusal($$SELECT catalogue.feed(actor => '{"user": "nobody"}')$$);

-- The changes of a dataset and its files: one that changes is another item; what outsiders do not see is not there.
CREATE FUNCTION changes(dataset text) RETURNS TABLE (title text, category text, link text, guid text)
    LANGUAGE sql AS
$$
    SELECT i.title, i.category, i.link, i.guid
    FROM catalogue.dataset_feed($1, base => 'https://data.example.org') f,
        xmltable('/rss/channel/item' PASSING CAST(f.data AS xml) COLUMNS n FOR ORDINALITY, title text,
            category text, link text, guid text) i ORDER BY i.n
$$;
SELECT publish('Followed <b>', 'Text & more', '2026-05-01') AS followed \gset
SELECT make_file('Seen', 'Followed <b>') AS seen, make_file('Unseen', 'Followed <b>') AS unseen \gset
UPDATE catalogue.files SET status = 'qWRhpRV' WHERE id = :'seen';
SELECT title, category, mask(link) AS link FROM changes(:'followed') ORDER BY category;
CREATE TABLE earlier AS SELECT guid FROM changes(:'followed');
UPDATE catalogue.files SET name = 'Seen again' WHERE id = :'seen';
SELECT title, guid IN (SELECT guid FROM earlier) AS known FROM changes(:'followed');
SELECT xpath('/rss/channel/title/text()|/rss/channel/description/text()',
    (catalogue.dataset_feed(:'followed')).data::xml)
    AS texts;
SELECT code, message FROM refusal('SELECT catalogue.dataset_feed(''nonesuch'')');
SELECT code, message FROM refusal(format('SELECT catalogue.dataset_feed(%L)', :'draft'));
SELECT code, message FROM refusal($$SELECT catalogue.dataset_feed('x', actor => '{"user": "nobody"}')$$);

-- In a language: of title, sentence, names and descriptions that which is translated; another region where there is
-- none of it.  The address of the feed has it as well.
UPDATE catalogue.datasets SET optionals = '{"translations": {"es": {"name": "Seguido", "description": "Texto"},
    "pt-PT": {"name": "Seguido de lá"}, "pt-BR": {"name": "Seguido de cá", "description": 7}, "fr": 5,
    "de": {"name": ""}}}'
WHERE id = :'followed';
UPDATE catalogue.files SET optionals = '{"translations": {"es-AR": {"name": "Visto"}}}' WHERE id = :'seen';
INSERT INTO catalogue.configs (key, type, category, description, value)
SELECT key, 'string', 'site', 'Title', value
FROM (VALUES ('catalogTitle@es', ' Datos '), ('catalogTitle@pt-BR', 'Dados')) v(key, value);
SELECT language, head.title, head.description, told, item.title AS name, item.description AS said
FROM unnest('{"",lang=es,lang=ES-mx,limit=1&lang=pt,lang=pt-br&limit=1,lang=pt-PT,lang=fr,lang=de}'::text[]) language,
    catalogue.feed(language) feed,
    XMLTABLE('/rss/channel' PASSING (feed.data::xml) COLUMNS title text, description text,
        told text PATH 'language') head,
    LATERAL (SELECT * FROM items(feed) LIMIT 1) item;
SELECT (xpath('/rss/channel/*[@rel = "self"]/@href', data::xml))[1] AS self
FROM catalogue.feed('limit=1&lang=es', 'https://a');
SELECT category, title, head.told, mask(head.self) AS self
FROM catalogue.dataset_feed(:'followed', 'lang=es', 'https://a') feed,
    XMLTABLE('/rss/channel/item' PASSING (feed.data::xml) COLUMNS category text, title text) item,
    XMLTABLE('/rss/channel' PASSING (feed.data::xml) COLUMNS told text PATH 'language',
        self text PATH '*[@rel = "self"]/@href') head ORDER BY category;
SELECT code, message FROM unnest('{lang=,lang=e%22n,lang=english_}'::text[]) query,
    refusal(format('SELECT catalogue.feed(%L)', query));
SELECT code, message FROM refusal(format('SELECT catalogue.dataset_feed(%L, %L)', :'followed', 'lang=1'));
-- A catalogue in another language says it in that one where none is asked for.
SELECT make('configs', '{"key": "catalogLanguage", "value": "es", "type": "string", "category": "site",
    "description": "Language"}') AS config \gset
SELECT xpath('/rss/channel/description/text()', (catalogue.feed('limit=1')).data::xml) AS said;
