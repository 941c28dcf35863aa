-- The catalogue as RDF: the pages that harvesters read.

-- Return addresses of pages; part of catalogue.catalog().  Arguments: page, an object with the query, count, limit,
-- skip, version, next and previous of the list.
CREATE FUNCTION catalogue.dcat_links(page jsonb, base text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
    size    bigint := greatest((page ->> 'limit')::bigint, 1);
    start   bigint := (page ->> 'skip')::bigint;
    last    bigint := start % size + greatest((page ->> 'count')::bigint - 1 - start % size, 0) / size * size;
    others  text := (SELECT string_agg(w.word || '&', '' ORDER BY w.n)
                     FROM regexp_split_to_table(page ->> 'query', '&') WITH ORDINALITY w(word, n)
                     WHERE w.word ~ '=' AND w.word !~ '^(limit|skip|version|after|before|fields|include|facets)=');
BEGIN
    RETURN (SELECT page - '{next,previous}'::text[] || jsonb_object_agg(l.name, catalogue.rdf_iri(concat(base,
            '/catalog?', others, 'limit=', size, '&skip=', l.skip, '&version=' || (page ->> 'version'), l.cursor)))
        FROM (VALUES ('self', start, NULL), ('first', 0, NULL), ('last', last, NULL),
                     ('next', start + size, '&after=' || (page ->> 'next')),
                     ('previous', greatest(start - size, 0), CASE WHEN start >= size
                         THEN '&before=' || (page ->> 'previous') END)) l(name, skip, cursor)
        WHERE l.name IN ('self', 'first', 'last') OR l.name = 'next' AND l.skip <= last
            OR l.name = 'previous' AND start > 0);
END
$$;

-- Part of catalogue.dcat_write().
CREATE FUNCTION catalogue.dcat_write_part(datasets json, format text, base text, settings json, page json)
    RETURNS text LANGUAGE plpgsql STABLE AS
$$
DECLARE
    records  CONSTANT jsonb[] := catalogue.dcat_records(datasets);
    known    CONSTANT jsonb := settings::jsonb || jsonb_build_object(
                 'frequencies', catalogue.dcat_frequencies(records),
                 'identifiers', catalogue.dcat_identifiers(records),
                 'extents', (SELECT jsonb_object_agg(d.id, catalogue.dcat_extent(d.id))
                     FROM (SELECT r.record ->> 'id' FROM unnest(records) r(record)) d(id)
                     WHERE EXISTS (SELECT FROM catalogue.dataset_place p WHERE p.dataset = d.id)),
                 'page', catalogue.dcat_links(nullif(page::jsonb, '{}'), base));
BEGIN
    IF format = 'croissant' THEN
        RETURN catalogue.croissant(catalogue.dcat_written(records[1:1], 'said', base, known)::jsonb,
            page::jsonb -> 'columns');
    END IF;
    RETURN catalogue.dcat_written(records, format, base, known);
END
$$;

-- Arguments: datasets, an array of records, as for catalogue.dcat_written().  format, of catalogue.rdf_write(), or
-- dcatus: the datasets of a data.json, with commas between them; or croissant: the first one.  base, address of the
-- service.  settings, data of catalogue.dcat_settings().  page, of catalogue.dcat_links(); {} for datasets alone, with
-- columns for croissant.  Returns: the text of the document.  Of tables it reads who has an identifier.
CREATE FUNCTION catalogue.dcat_write(datasets json, format text, base text, settings json, page json DEFAULT '{}')
    RETURNS text LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.dcat_write(json, text, text, json, json) IS
    'Return datasets in a format of DCAT; part of catalogue.dcat_write()';

-- Returns: data is an object: title, description, language, license and contact are values of the configs
-- catalogTitle, catalogDescription, catalogLanguage, catalogLicense, catalogContact and catalogEmail; translations
-- those of catalogue.web_titles(); profile is that of catalogProfile, portal that of frontEndUrl, publisher the
-- organization that defaultOrganization names, or the oldest one.
CREATE FUNCTION catalogue.dcat_settings() RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    reply  catalogue.reply := catalogue.list('configs', 'key=frontEndUrl&key=catalog&key=defaultOrganization&'
        'match=BEGINS&fields=key,value&limit=1000', 'ids', '{}');
    given  jsonb := (SELECT coalesce(jsonb_object_agg(c ->> 'key', c ->> 'value'), '{}')
                     FROM json_array_elements(reply.data::json) c
                     WHERE c ->> 'value' ~ '\S');
    titles jsonb := catalogue.web_titles(given);
    tongue text := given ->> 'catalogLanguage';
    wanted text := substring(given ->> 'defaultOrganization' FROM '^[A-Za-z0-9]+$');
    found  catalogue.reply := catalogue.list('organizations', 'limit=1&orderBy=createdAt&fields=id,name&match=EXACT'
        || coalesce('&id=' || wanted, ''), 'ids', '{}');
BEGIN
    IF found.returned = 0 THEN
        found := catalogue.list('organizations', 'limit=1&orderBy=createdAt&fields=id,name', 'ids', '{}');
    END IF;
    reply.etag := reply.etag || '.' || found.etag;
    reply.data := json_build_object('title', coalesce(titles #>> ARRAY[tongue, 'name'], given ->> 'catalogTitle',
            found.data::json #>> '{0,name}', 'Catalogue'),
        'description', coalesce(titles #>> ARRAY[tongue, 'description'], given ->> 'catalogDescription',
            given ->> 'catalogTitle', 'Published datasets'),
        'translations', titles - coalesce(tongue, ''), 'profile', coalesce(given ->> 'catalogProfile', 'dcat-ap-3'),
        'publisher', found.data::json -> 0, 'language', tongue,
        'license', given -> 'catalogLicense', 'portal', given -> 'frontEndUrl', 'contact',
        json_build_object('fn', coalesce(given ->> 'catalogContact', found.data::json #>> '{0,name}'),
            'hasEmail', given -> 'catalogEmail'));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.dcat_settings() IS 'Return what the catalogue says of itself';

-- A known state of a document ends with that of the settings: those with another one are left out.
CREATE FUNCTION catalogue.dcat_known(known text, settings text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN CASE WHEN known = '*' THEN '*'
        ELSE (SELECT string_agg(left(k.state, -length(settings) - 1), ',')
              FROM unnest(string_to_array(known, ',')) k(state)
              WHERE right(k.state, length(settings) + 1) = '.' || settings) END;
END
$$;
COMMENT ON FUNCTION catalogue.dcat_known(text, text) IS 'Return known states of records; part of catalogue.catalog()';

-- Returns: the query for datasets with all that catalogue.dcat_written() reads.
CREATE FUNCTION catalogue.dcat_query(query text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT concat_ws('&', string_agg(w.word, '&' ORDER BY w.n),
        'fields=name,slug,description,optionals,publishedAt,createdAt,updatedAt',
        'include=organization.name,categories.name,subcategories.name,tags.name,files.name,files.description,'
            'files.url,files.size,files.sha256,files.optionals,files.publishedAt,files.createdAt,files.updatedAt,'
            'files.type.name,files.type.slug,files.type.mimetype,files.updateFrequency.timePattern')
    FROM regexp_split_to_table($1, '&') WITH ORDINALITY w(word, n)
    WHERE w.word !~ '^(fields|include|facets)=' AND w.word <> '';
END;
COMMENT ON FUNCTION catalogue.dcat_query(text) IS 'Return the query of records for DCAT; part of catalogue.catalog()';

CREATE FUNCTION catalogue.catalog(query text DEFAULT '', format text DEFAULT 'jsonld', base text DEFAULT '',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    outsider  CONSTANT jsonb := coalesce($4 - 'user', '{}');
    wanted    CONSTANT text := catalogue.dcat_query($1);
    settings  catalogue.reply;
    states    text;
    page      catalogue.reply;
BEGIN
    -- a user without the privilege is refused; others get what outsiders see
    PERFORM catalogue.count('datasets', actor => $4);
    settings := catalogue.dcat_settings();
    states := catalogue.dcat_known($5, settings.etag);
    page := catalogue.list('datasets', 'limit=100&' || wanted, 'ids', outsider, states);
    IF page."limit" > 1000 THEN
        page := catalogue.list('datasets', wanted || '&limit=1000', 'ids', outsider, states);
    END IF;
    page.etag := page.etag || '.' || settings.etag;
    page.data := catalogue.dcat_write(page.data::json, $2, $3, settings.data::json, json_build_object('query', $1,
        'count', page.count, 'limit', page."limit", 'skip', page.skip, 'version', page.version, 'next', page.next,
        'previous', page.previous));
    RETURN page;
END
$$;
COMMENT ON FUNCTION catalogue.catalog(text, text, text, jsonb, text) IS
'Return a page of the catalogue as DCAT 3 in a format of RDF
Arguments: query, filters, query, match, condition, orderBy, sort, skip and version as for catalogue.list(); limit, 100
unless given, at most 1000.  format, jsonld, turtle or rdfxml.  base, address of the service, without a slash at the
end.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user.  known, as for catalogue.list().
Returns: data is the text of the document, of what outsiders see, whoever asks: the catalogue, its datasets and
distributions in the terms of DCAT-AP, and addresses of pages in those of Hydra.
Errors: as catalogue.list().';

CREATE FUNCTION catalogue.dataset_rdf(id text, format text DEFAULT 'jsonld', base text DEFAULT '',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    outsider  CONSTANT jsonb := coalesce($4 - 'user', '{}');
    settings  catalogue.reply;
    reply     catalogue.reply;
BEGIN
    PERFORM catalogue.count('datasets', actor => $4);
    settings := catalogue.dcat_settings();
    reply := catalogue.item('datasets', $1, 'include=organization,categories,subcategories,tags,files,'
        'files.type,files.updateFrequency', 'ids', outsider, catalogue.dcat_known($5, settings.etag));
    reply.etag := reply.etag || '.' || settings.etag;
    reply.data := catalogue.dcat_write(('[' || reply.data || ']')::json, $2, $3, settings.data::json,
        CASE $2 WHEN 'croissant' THEN json_build_object('columns',
            catalogue.croissant_columns(reply.data::json -> 'files', outsider)) ELSE '{}' END);
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.dataset_rdf(text, text, text, jsonb, text) IS
'Return a dataset as DCAT 3 in a format of RDF, or as Croissant 1.0
Arguments: id, of the dataset, or its slug.  format, as for catalogue.catalog(), or croissant.  base, actor, known: as
for catalogue.catalog().
Returns: data is the text of the document, of what outsiders see, whoever asks.
Errors: OD404 there is none that outsiders see; OD401, OD403 as catalogue.item().';
