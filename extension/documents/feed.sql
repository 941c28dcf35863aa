-- The feed: the datasets published last, as RSS 2.0.

CREATE FUNCTION catalogue.config_value(key text) RETURNS text LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN nullif(btrim((catalogue.list('configs', 'key=' || $1 || '&match=EXACT&fields=value', 'ids', '{}')).data::json
        #>> '{0,value}'), '');
END
$$;
COMMENT ON FUNCTION catalogue.config_value(text) IS
'Return the value of a config, as outsiders see it
Part of catalogue.feed() and catalogue.openapi().  Returns: NULL if it has none.';

CREATE FUNCTION catalogue.feed_text(optionals json, language text, field text, usual text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN coalesce((SELECT nullif(t.texts ->> field, '')
        FROM json_each(CASE json_typeof(optionals -> 'translations') WHEN 'object' THEN optionals -> 'translations' END)
            WITH ORDINALITY t(tag, texts, n)
        WHERE lower(substring(t.tag FROM '^[^-_]*')) = lower(substring(language FROM '^[^-]*'))
            AND json_typeof(t.texts -> field) = 'string'
        ORDER BY lower(t.tag) = lower(language) DESC, t.tag ~ '[-_]', t.n LIMIT 1), usual);
END
$$;
COMMENT ON FUNCTION catalogue.feed_text(json, text, text, text) IS
'Return a text in a language; part of catalogue.feed()
Arguments: optionals, of the record: its translations, by language tag, are those of pages: of that language, else of
it in another region.  language, its tag.  field, name or description.  usual, what the record has in it.';

CREATE FUNCTION catalogue.feed_language(query text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    language  CONSTANT text := substring(query FROM '(?:^|&)lang=([^&]*)');
BEGIN
    IF language !~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' THEN
        RAISE SQLSTATE 'OD422' USING MESSAGE = format('invalid value for parameter "lang": "%s"', language),
            HINT = 'It takes the tag of a language, such as es or pt-BR.';
    END IF;
    RETURN language;
END
$$;
COMMENT ON FUNCTION catalogue.feed_language(text) IS
'Return the language that a query names; part of catalogue.feed()
Arguments: query, of which lang is read, the tag of a language.
Returns: the tag; NULL where the query names none.
Errors: OD422 lang is no tag of a language.';

-- Part of catalogue.feed_head().
CREATE FUNCTION catalogue.feed_head_part(language text) RETURNS json LANGUAGE plpgsql STABLE AS
$$
DECLARE
    spoken  CONSTANT text := coalesce((
        SELECT l.name FROM unnest(catalogue.picture_languages()) l(name)
        WHERE l.name = lower(substring(language FROM '^[^-]*'))), catalogue.picture_language());
BEGIN
    RETURN json_build_object(
        'title', catalogue.feed_text((catalogue.dcat_settings()).data::json, language, 'name',
            coalesce(catalogue.config_value('catalogTitle'), 'Datasets')),
        'description', catalogue.picture_text(spoken, 'What was published last'));
END
$$;
CREATE FUNCTION catalogue.feed_head(language text) RETURNS json
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.feed_head(text) IS
'Return title and description of a feed; part of catalogue.feed()
Arguments: language, the tag of that of the texts; NULL: that of the catalogue.
Returns: an object of title and description.';

CREATE FUNCTION catalogue.rss(title text, link text, description text, self text, language text, items xml)
    RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    reply.resource := 'datasets';
    -- XML does not allow these characters
    reply.data := format(E'<?xml version="1.0" encoding="UTF-8"?>\n%s\n', regexp_replace(
        xmlelement(NAME rss, xmlattributes('2.0' AS version, 'http://www.w3.org/2005/Atom' AS "xmlns:atom"),
            xmlelement(NAME channel,
                xmlelement(NAME title, $1),
                xmlelement(NAME link, $2),
                xmlelement(NAME description, $3),
                CASE WHEN $5 IS NOT NULL THEN xmlelement(NAME language, $5) END,
                xmlelement(NAME "atom:link",
                    xmlattributes($4 AS href, 'self' AS rel, 'application/rss+xml' AS type)),
                $6))::text,
        '[\u0001-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]', chr(65533), 'g'));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.rss(text, text, text, text, text, xml) IS
'Return a feed of RSS 2.0
Part of catalogue.feed() and catalogue.dataset_feed().  Arguments: title, link and description of the channel; self, the
address of the feed; language, its tag, NULL where none is asked for; items, its elements.
Returns: data is the text of the feed.';

CREATE FUNCTION catalogue.feed(query text DEFAULT '', base text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    tongue  CONSTANT text := catalogue.feed_language($1);
    head    CONSTANT json := catalogue.feed_head(tongue);
    portal  CONSTANT text := nullif(rtrim(catalogue.config_value('frontEndUrl'), '/'), '');
    page    catalogue.reply;
BEGIN
    -- a user without the privilege is refused; others get what outsiders see
    PERFORM catalogue.count('datasets', actor => $3);
    page := catalogue.list('datasets', concat_ws('&', 'limit=100',
        nullif(regexp_replace($1, '(^|&)lang=[^&]*', '', 'g'), ''), 'orderBy=publishedAt&sort=DESC',
        'include=categories.name&fields=name,slug,description,optionals,publishedAt,createdAt'),
        'ids', coalesce($3 - 'user', '{}'));
    RETURN catalogue.rss(head ->> 'title', coalesce(portal, $2 || '/datasets'), head ->> 'description',
        concat_ws('?', $2 || '/datasets/feed/rss', nullif($1, '')), tongue, (
            SELECT xmlagg(xmlelement(NAME item,
                xmlelement(NAME title, catalogue.feed_text(d.optionals, tongue, 'name', d.name)),
                xmlelement(NAME link, coalesce(nullif(portal, $2) || '/datasets/' || d.slug,
                    $2 || '/datasets/' || d.id)),
                -- feed readers interpret it as HTML, and Markdown is read as the text that it is, line by line
                xmlelement(NAME description, (
                    SELECT regexp_replace(replace(replace(replace(t, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'),
                        '\r\n?|\n', '<br>', 'g')
                    FROM catalogue.feed_text(d.optionals, tongue, 'description', d.description) t)),
                (SELECT xmlagg(xmlelement(NAME category, c.category ->> 'name') ORDER BY c.n)
                 FROM json_array_elements(d.categories) WITH ORDINALITY c(category, n)),
                xmlelement(NAME guid, xmlattributes('false' AS "isPermaLink"), d.id),
                xmlelement(NAME "pubDate",
                    to_char(coalesce(d."publishedAt", d."createdAt") AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS')
                    || ' GMT'))
                ORDER BY e.n)
            FROM json_array_elements(page.data::json) WITH ORDINALITY e(dataset, n),
                json_to_record(e.dataset) d(id text, name text, slug text, description text, categories json,
                    optionals json, "publishedAt" timestamptz, "createdAt" timestamptz)
            WHERE e.n <= 100));
END
$$;
COMMENT ON FUNCTION catalogue.feed(text, text, jsonb) IS
'Return the datasets that were published last as an RSS 2.0 feed
Arguments: query: filters, query, match and condition as for catalogue.list(); limit, at most and by default 100; skip;
lang, the tag of a language, in which names and descriptions are where they have a translation; order and fields are
the feed''s own. base, address of the service, without a slash at the end.  actor, {"user": id} for
a user, {} for an outsider, NULL for a database user.
Returns: data is the text of the feed, called as config catalogTitle says, newest first: of each dataset that outsiders
see, whoever asks, its name, description (its text, as HTML with its lines), names of categories, id, and when it was
published. An item leads to <frontEndUrl>/datasets/<slug> where that config has the address of another page, else to the
record.
Errors: as catalogue.list(); OD422 lang is no tag of a language; 0A000 where PostgreSQL is built without libxml.
Source: Behaviours (RSS feed)';

CREATE FUNCTION catalogue.dataset_changes(id_or_slug text, actor jsonb, language text)
    RETURNS TABLE (dataset text, resource text, id text, name text, description text, changed text)
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    page   CONSTANT catalogue.reply := catalogue.item('datasets', $1, 'fields=name,description,optionals,updatedAt',
        actor => $2);
    files  CONSTANT catalogue.reply := catalogue.related('datasets', page.id, 'files',
        'limit=50&orderBy=updatedAt&sort=DESC&fields=name,optionals,updatedAt', actor => $2);
BEGIN
    RETURN QUERY
    SELECT page.id, 'datasets', page.id, catalogue.feed_text(d -> 'optionals', $3, 'name', d ->> 'name'),
        catalogue.feed_text(d -> 'optionals', $3, 'description', d ->> 'description'), d ->> 'updatedAt'
    FROM (SELECT page.data::json) r(d)
    UNION ALL
    SELECT page.id, 'files', f ->> 'id', catalogue.feed_text(f -> 'optionals', $3, 'name', f ->> 'name'), NULL,
        f ->> 'updatedAt'
    FROM json_array_elements(files.data::json) f;
END
$$;
COMMENT ON FUNCTION catalogue.dataset_changes(text, jsonb, text) IS
'Return a dataset and its files that changed last
Part of catalogue.dataset_feed() and catalogue.queue_mail().  Arguments: id_or_slug, of the dataset.  actor, as for
catalogue.feed().  language, the tag of that of the texts where they have a translation; NULL: those of the records.
Returns: a row for the dataset, the first, and for 50 files at most: the id of the dataset, resource and id of what has
changed, its name, the description of the dataset, and the time of the last change.';

CREATE FUNCTION catalogue.dataset_feed(dataset text, query text DEFAULT '', base text DEFAULT '',
    actor jsonb DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    tongue  CONSTANT text := catalogue.feed_language($2);
BEGIN
    -- as of catalogue.feed()
    PERFORM catalogue.count('datasets', actor => $4);
    RETURN (SELECT catalogue.rss(max(c.name) FILTER (WHERE c.resource = 'datasets'),
            format('%s/datasets/%s', $3, max(c.dataset)), coalesce(max(c.description), ''),
            concat_ws('?', format('%s/datasets/%s/feed', $3, max(c.dataset)), nullif($2, '')), tongue,
            xmlagg(xmlelement(NAME item,
                xmlelement(NAME title, c.name),
                xmlelement(NAME link, format('%s/%s/%s', $3, c.resource, c.id)),
                xmlelement(NAME category, c.resource),
                -- another one with each change, so that readers show it anew
                xmlelement(NAME guid, xmlattributes('false' AS "isPermaLink"), concat(c.id, '@', c.changed)),
                xmlelement(NAME "pubDate",
                    to_char(c.changed::timestamptz AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS') || ' GMT'))
                ORDER BY c.changed DESC, c.resource, c.id))
        FROM catalogue.dataset_changes($1, coalesce($4 - 'user', '{}'), tongue) c);
END
$$;
COMMENT ON FUNCTION catalogue.dataset_feed(text, text, text, jsonb) IS
'Return the changes of a dataset and its files as an RSS 2.0 feed
Arguments: dataset, its id or slug.  query: lang, as for catalogue.feed().  base, actor: as for catalogue.feed().
Returns: data is the text of the feed, newest first: the dataset, and up to 50 of its files, as outsiders see them,
whoever asks, each with its name, address and the time of its last change, which is part of its guid.
Errors: OD404 no such dataset; OD422 lang is no tag of a language; 0A000 where PostgreSQL is built without libxml.
Source: Behaviours (RSS feed)';
