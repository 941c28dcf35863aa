-- What crawlers read: data.json of DCAT-US, the sitemap and robots.txt.

-- Return the texts of a field in further languages by tag; part of catalogue.data_json_head().  Arguments:
-- translations, of catalogue.dcat_value(); field: name, description or tags.
CREATE FUNCTION catalogue.dcat_map(translations jsonb, field text) RETURNS jsonb
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_dcat_map';

CREATE FUNCTION catalogue.dcat_us_piece(piece catalogue.reply, n bigint, base text, settings json)
    RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
BEGIN
    IF piece.data <> '' THEN
        piece.data := CASE WHEN n > 1 THEN E',\n' ELSE '' END || catalogue.dcat_write(
            ('[' || replace(rtrim(piece.data, E'\n'), E'\n', ',') || ']')::json, 'dcatus', base, settings);
    END IF;
    RETURN piece;
END
$$;
COMMENT ON FUNCTION catalogue.dcat_us_piece(catalogue.reply, bigint, text, json) IS
'Return a piece of datasets of DCAT-US; part of catalogue.data_json()
Arguments: piece, of catalogue.export_whole(): records as lines of JSON.  n, its number; a comma precedes all but the
first.
base and settings, as for catalogue.dcat_write().
Returns: the piece with datasets of DCAT-US as data.';

-- Return what precedes the datasets of data.json; part of catalogue.data_json_head().  Arguments: base, address of the
-- service.  settings, of catalogue.dcat_settings().
CREATE FUNCTION catalogue.data_json_start_part(base text, settings json) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    others  CONSTANT jsonb := catalogue.dcat_value('translations', settings::jsonb -> 'translations');
BEGIN
    RETURN CASE settings ->> 'profile' WHEN 'dcat-us-3'
        THEN format(E'{"@id":%s,"@type":"Catalog","title":%s%s,"description":%s%s,'
            '"conformsTo":{"@type":"Standard","@id":"https://resources.data.gov/dcat-us/3.0.0",'
            '"title":"DCAT-US 3.0"},"dataset":[\n',
            to_json($1 || '/data.json'), settings -> 'title',
            ',"titleMap":' || catalogue.dcat_map(others, 'name')::text,
            settings -> 'description', ',"descriptionMap":' || catalogue.dcat_map(others, 'description')::text)
        ELSE format(E'{"@context":"%s","@id":%s,"@type":"dcat:Catalog","conformsTo":"%s","describedBy":"%s",'
            '"dataset":[\n', 'https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld',
            to_json($1 || '/data.json'), 'https://project-open-data.cio.gov/v1.1/schema',
            'https://project-open-data.cio.gov/v1.1/schema/catalog.json') END;
END
$$;
CREATE FUNCTION catalogue.data_json_start(base text, settings json) RETURNS text
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.data_json_start(text, json) IS
    'Return what precedes datasets; part of catalogue.data_json_head()
Arguments: base, address of the service.  settings, data of catalogue.dcat_settings().';

CREATE FUNCTION catalogue.data_json_head(query text DEFAULT '', base text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    settings  catalogue.reply;
    page      catalogue.reply;
BEGIN
    -- a user without the privilege is refused; others get what outsiders see
    PERFORM catalogue.count('datasets', actor => $3);
    settings := catalogue.dcat_settings();
    page := catalogue.list('datasets', catalogue.dcat_query($1) || '&limit=1', 'ids', coalesce($3 - 'user', '{}'),
        catalogue.dcat_known($4, settings.etag));
    page.etag := page.etag || '.' || settings.etag;
    IF page.data IS NOT NULL THEN
        page.data := catalogue.data_json_start($2, settings.data::json);
    END IF;
    RETURN page;
END
$$;
COMMENT ON FUNCTION catalogue.data_json_head(text, text, jsonb, text) IS
'Return the first row of catalogue.data_json()
Arguments: as for catalogue.data_json().  Errors: as catalogue.data_json().
Returns: data is what precedes the datasets; NULL where the state is known.';

CREATE FUNCTION catalogue.data_json(query text DEFAULT '', base text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL) RETURNS SETOF catalogue.reply LANGUAGE sql STABLE AS
$$
    WITH head AS MATERIALIZED (SELECT catalogue.data_json_head($1, $2, $3, $4) AS reply)
    SELECT h.reply FROM head h
    UNION ALL
    SELECT catalogue.dcat_us_piece(p.piece, p.n, $2, (SELECT s.data::json FROM catalogue.dcat_settings() s))
    FROM (SELECT e.piece, row_number() OVER () AS n
          FROM (SELECT catalogue.export_whole('datasets', catalogue.dcat_query($1),
                    actor => coalesce($3 - 'user', '{}')) AS piece
                FROM head h WHERE (h.reply).data IS NOT NULL) e) p
    UNION ALL
    SELECT jsonb_populate_record(NULL::catalogue.reply, '{"data": "\n]}\n"}') FROM head h
    WHERE (h.reply).data IS NOT NULL
$$;
COMMENT ON FUNCTION catalogue.data_json(text, text, jsonb, text) IS
'Return the datasets as data.json of DCAT-US, in pieces
It is DCAT-US 3 where config catalogProfile is dcat-us-3, else DCAT-US 1.1.
Call it in the target list, SELECT catalogue.data_json(...): in FROM all pieces are made before the first is returned.
Arguments: as for catalogue.catalog(); limit, all datasets unless given: catalogue.max_limit does not reduce it.
Returns: data is a piece of the text of the document, of what outsiders see, whoever asks. The first row has the count,
version and entity tag, and data is NULL in it, the only one, where the state is known.
Errors: as catalogue.list().';

CREATE FUNCTION catalogue.sitemap(query text DEFAULT '', base text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    page   catalogue.reply;
    start  text := (SELECT string_agg(m.word[1], '&' ORDER BY m.n)
                    FROM regexp_matches($1, '(?:^|&)(skip=[^&]*)', 'g') WITH ORDINALITY m(word, n));
    body   xml;
BEGIN
    PERFORM catalogue.count('datasets', actor => $3);
    page := catalogue.list('datasets',
        concat_ws('&', 'limit=50000&fields=updatedAt&include=files.updatedAt', start), 'ids',
        coalesce($3 - 'user', '{}'), $4);
    IF page.data IS NULL THEN
        RETURN page;
    END IF;
    IF start IS NULL AND page.count > page.returned THEN
        SELECT xmlelement(NAME sitemapindex, xmlattributes('http://www.sitemaps.org/schemas/sitemap/0.9' AS xmlns),
            xmlagg(xmlelement(NAME sitemap, xmlelement(NAME loc, $2 || '/sitemap.xml?skip=' || n)) ORDER BY n))
        INTO body FROM generate_series(0, page.count - 1, page."limit") n;
    ELSE
        SELECT xmlelement(NAME urlset, xmlattributes('http://www.sitemaps.org/schemas/sitemap/0.9' AS xmlns),
            xmlagg(xmlelement(NAME url, xmlelement(NAME loc, $2 || '/datasets/' || (e.dataset ->> 'id')),
                xmlelement(NAME lastmod, greatest(e.dataset ->> 'updatedAt',
                    (SELECT max(f.file ->> 'updatedAt') FROM json_array_elements(e.dataset -> 'files') f(file)))))
                ORDER BY e.n))
        INTO body FROM json_array_elements(page.data::json) WITH ORDINALITY e(dataset, n);
    END IF;
    page.data := format(E'<?xml version="1.0" encoding="UTF-8"?>\n%s\n', body);
    RETURN page;
END
$$;
COMMENT ON FUNCTION catalogue.sitemap(text, text, jsonb, text) IS
'Return the addresses of the datasets as a sitemap
Arguments: query: skip, the datasets that precede those of this part.  base, address of the service, without a slash at
the end.  actor, known: as for catalogue.list().
Returns: data is the text of a sitemap of what outsiders see, whoever asks; without skip, and where one list cannot have
all (catalogue.max_limit, at most 50,000), of an index of its parts.  lastmod is the time of the last change of the
dataset or one of its files.
Errors: as catalogue.list(); 0A000 where PostgreSQL is built without libxml.';

CREATE FUNCTION catalogue.robots(base text DEFAULT '') RETURNS catalogue.reply LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    reply.resource := 'datasets';
    reply.data := format(E'User-agent: *\nDisallow: /search\nDisallow: /*/search\nDisallow: /*?*facets=\n'
        'Disallow: /*?*version=\nDisallow: /*?*exact=\nSitemap: %s/sitemap.xml\n', base);
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.robots(text) IS
'Return what crawlers are asked not to read
Arguments: base, address of the service, without a slash at the end.
Returns: data is the text of robots.txt: searches, facets, exact numbers and earlier versions are not to be read.';
