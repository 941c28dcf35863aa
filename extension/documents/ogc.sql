-- OGC API - Features: the documents that lead to the rows of files with places.

-- Part of catalogue.ogc_sheets().
CREATE FUNCTION catalogue.ogc_sheets_part(of_file text) RETURNS jsonb LANGUAGE plpgsql STABLE SET jit = off AS
$$
BEGIN
    RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('file', f.id, 'extent', s.details #> '{geography,extent}',
            'collection', f.id || CASE WHEN s.number = o.numbers[1] THEN '' ELSE ':' || s.number END,
            'sheet', CASE WHEN cardinality(o.numbers) > 1 THEN nullif(s.name, '') END)
            ORDER BY f.name, f.id, s.number), '[]')
        FROM catalogue.files f JOIN catalogue.sheet s ON s.file = f.id AND s.revision = f.revision,
            LATERAL (SELECT array_agg(t.number ORDER BY t.hidden, t.number) AS numbers
                     FROM catalogue.sheet t WHERE t.file = s.file AND t.revision = s.revision) o
        WHERE (f.id = of_file OR of_file IS NULL) AND f.deleted_at IS NULL
            AND s.details -> 'geography' IS NOT NULL AND NOT s.hidden);
END
$$;

CREATE FUNCTION catalogue.ogc_sheets(of_file text) RETURNS jsonb
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.ogc_sheets(text) IS
'List the sheets with places; part of catalogue.ogc_collections()
Arguments: of_file, the id of a file; NULL for all.
Returns: an array, whoever sees them: file, its id; collection, the id that OGC API - Features has of the sheet; sheet,
its name where the file has others; extent.';

CREATE FUNCTION catalogue.ogc_link(rel text, type text, href text, title text DEFAULT NULL) RETURNS json
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT json_strip_nulls(json_build_object('rel', rel, 'type', type, 'title', title, 'href', href));
END;
COMMENT ON FUNCTION catalogue.ogc_link(text, text, text, text) IS 'Return a link; part of catalogue.ogc_collections()';

-- Arguments: of_file, an id; NULL: of all files.  Returns: those of files that the caller sees.
CREATE FUNCTION catalogue.ogc_described(base text, of_file text, actor jsonb)
    RETURNS TABLE (id text, collection json) LANGUAGE plpgsql STABLE AS
$$
DECLARE
    most    CONSTANT integer := least(100, current_setting('catalogue.max_limit')::integer);
    json    CONSTANT text := 'application/json';
    crs     CONSTANT text := 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
    sheets  CONSTANT jsonb := catalogue.ogc_sheets(of_file);
    files   jsonb := '[]';
    ids     text;
BEGIN
    FOR ids IN SELECT string_agg(f.id, ',')
        FROM (SELECT e.s ->> 'file' AS id, row_number() OVER (ORDER BY e.s ->> 'file') AS n
              FROM jsonb_array_elements(sheets) e(s) GROUP BY 1) f
        GROUP BY (f.n - 1) / most
    LOOP
        files := files || (catalogue.list('files', format('fields=name,description,dataset&limit=%s&id=%s', most, ids),
            'ids', actor)).data::jsonb;
    END LOOP;
    RETURN QUERY SELECT a.address, json_strip_nulls(json_build_object('id', a.address,
            'title', concat_ws(': ', f.file ->> 'name', e.s ->> 'sheet'), 'description', f.file ->> 'description',
            'extent', CASE WHEN e.s -> 'extent' <> 'null' THEN json_build_object('spatial', json_build_object(
                'bbox', json_build_array(e.s -> 'extent'), 'crs', crs)) END,
            'itemType', 'feature', 'crs', json_build_array(crs),
            'links', json_build_array(
                catalogue.ogc_link('self', json, base || '/ogc/collections/' || a.address),
                catalogue.ogc_link('items', 'application/geo+json',
                    base || '/ogc/collections/' || a.address || '/items'),
                catalogue.ogc_link('describedby', json, base || '/datasets/' || (f.file ->> 'dataset'), 'The dataset'),
                catalogue.ogc_link('alternate', json, base || '/files/' || (f.file ->> 'id'), 'The file'))))
        FROM jsonb_array_elements(sheets) WITH ORDINALITY e(s, n)
            JOIN jsonb_array_elements(files) f(file) ON f.file ->> 'id' = e.s ->> 'file',
            LATERAL (SELECT e.s ->> 'collection') a(address)
        ORDER BY e.n;
END
$$;
COMMENT ON FUNCTION catalogue.ogc_described(text, text, jsonb) IS
    'Describe the sheets with places; part of catalogue.ogc_collections()';

CREATE FUNCTION catalogue.ogc_collections(query text DEFAULT '', base text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    page  catalogue.reply;
BEGIN
    PERFORM catalogue.ogc_require($1);
    page := catalogue.list('files', 'limit=1&fields=id', 'ids', $3, $4);
    IF page.data IS NOT NULL THEN
        page.data := (SELECT json_build_object('links', json_build_array(
                catalogue.ogc_link('self', 'application/json', $2 || '/ogc/collections')),
                'collections', coalesce(json_agg(c.collection), '[]'))
            FROM catalogue.ogc_described($2, NULL, $3) c);
    END IF;
    RETURN page;
END
$$;
COMMENT ON FUNCTION catalogue.ogc_collections(text, text, jsonb, text) IS
'List the collections of OGC API - Features
Arguments: query: f, json.  base, address of the service, without a slash at the end.  actor, known: as for
catalogue.list().
Returns: data is an object with links and collections: one for each sheet with places, details.geography of
catalogue.contents_sheets(), that is not hidden, of the files that the actor sees; by the names of these.
Errors: OD422 another parameter; else as catalogue.list().
Source: Geography';

CREATE FUNCTION catalogue.ogc_collection(collection text, query text DEFAULT '', base text DEFAULT '',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    said  json;
    page  catalogue.reply;
BEGIN
    PERFORM catalogue.ogc_require($2);
    page := catalogue.list('files', 'limit=1&fields=id', 'ids', $4, $5);
    SELECT c.collection INTO said FROM catalogue.ogc_described($3, split_part($1, ':', 1), $4) c WHERE c.id = $1;
    IF NOT FOUND THEN
        RAISE SQLSTATE 'OD404' USING MESSAGE = format('collection "%s" does not exist', $1),
            HINT = '/ogc/collections lists those that there are.';
    END IF;
    page.data := CASE WHEN page.data IS NOT NULL THEN said END;
    RETURN page;
END
$$;
COMMENT ON FUNCTION catalogue.ogc_collection(text, text, text, jsonb, text) IS
'Describe a collection of OGC API - Features
Arguments: collection, as for catalogue.ogc_items().  query, base, actor, known: as for catalogue.ogc_collections().
Returns: data is an object: id, title, description, extent, itemType, crs, links to the items, the dataset and the file.
Errors: OD404 no such collection; OD422 another parameter; else as catalogue.list().
Source: Geography';

CREATE FUNCTION catalogue.ogc(query text DEFAULT '', base text DEFAULT '') RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    json      CONSTANT text := 'application/json';
    settings  CONSTANT json := (catalogue.dcat_settings()).data;
    reply     catalogue.reply;
BEGIN
    PERFORM catalogue.ogc_require($1);
    reply.resource := 'files';
    reply.data := json_build_object('title', settings -> 'title', 'description', settings -> 'description',
        'links', json_build_array(
            catalogue.ogc_link('self', json, $2 || '/ogc', 'This document'),
            catalogue.ogc_link('service-desc', 'application/vnd.oai.openapi+json;version=3.0', $2 || '/ogc/api',
                'The interface, as OpenAPI'),
            catalogue.ogc_link('service-doc', 'text/html', $2 || '/docs', 'All interfaces of the service'),
            catalogue.ogc_link('conformance', json, $2 || '/ogc/conformance', 'What it conforms to'),
            catalogue.ogc_link('data', json, $2 || '/ogc/collections', 'The collections')));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.ogc(text, text) IS
'Return the landing page of OGC API - Features
Arguments: query: f, json.  base, address of the service, without a slash at the end.
Returns: data is an object: title, description, and links to the other documents.
Errors: OD422 another parameter.
Source: Geography';

CREATE FUNCTION catalogue.ogc_conformance(query text DEFAULT '') RETURNS catalogue.reply
    LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    PERFORM catalogue.ogc_require($1);
    reply.resource := 'files';
    reply.data := (SELECT json_build_object('conformsTo', json_agg(
            'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/' || c.class))
        FROM unnest('{core,oas30,geojson}'::text[]) c(class));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.ogc_conformance(text) IS
'Return the conformance classes of OGC API - Features
Arguments: query: f, json.
Returns: data is an object with conformsTo, an array of addresses.
Errors: OD422 another parameter.
Source: Geography';

-- Arguments: name, operationId; summary; type, of the
-- answer; parameters, the names of those of the components.
CREATE FUNCTION catalogue.ogc_operation(name text, summary text, type text, parameters text[]) RETURNS json
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT json_build_object('get', json_build_object('operationId', name, 'summary', summary,
        'parameters', (SELECT json_agg(json_build_object('$ref', '#/components/parameters/' || p.p) ORDER BY p.n)
                       FROM unnest(parameters || '{f}'::text[]) WITH ORDINALITY p(p, n)),
        'responses', json_build_object('200', json_build_object('description', 'OK', 'content',
                json_build_object(type, '{"schema":{"type":"object"}}'::json)),
            'default', json_build_object('$ref', '#/components/responses/Exception'))));
END;
COMMENT ON FUNCTION catalogue.ogc_operation(text, text, text, text[]) IS
    'Return an operation; part of catalogue.ogc_api()';

CREATE FUNCTION catalogue.ogc_api(query text DEFAULT '', base text DEFAULT '') RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    bare   CONSTANT text := 'application/json';
    geo    CONSTANT text := 'application/geo+json';
    items  CONSTANT text := '/collections/{collectionId}/items';
    reply  catalogue.reply;
BEGIN
    PERFORM catalogue.ogc_require($1);
    reply.resource := 'files';
    reply.data := json_build_object('openapi', '3.0.3',
        'info', json_build_object('title', (catalogue.dcat_settings()).data::json -> 'title', 'version', '1.0'),
        'servers', json_build_array(json_build_object('url', $2 || '/ogc')),
        'paths', json_build_object(
            '/', catalogue.ogc_operation('getLandingPage', 'Landing page', bare, '{}'),
            '/conformance', catalogue.ogc_operation('getConformance', 'Conformance classes', bare, '{}'),
            '/api', catalogue.ogc_operation('getApi', 'This document',
                'application/vnd.oai.openapi+json;version=3.0', '{}'),
            '/collections', catalogue.ogc_operation('getCollections', 'Collections', bare, '{}'),
            '/collections/{collectionId}', catalogue.ogc_operation('getCollection', 'A collection', bare,
                '{collectionId}'),
            items, catalogue.ogc_operation('getFeatures', 'Features of a collection', geo,
                '{collectionId,bbox,limit,datetime,after}'),
            items || '/{featureId}', catalogue.ogc_operation('getFeature', 'A feature', geo,
                '{collectionId,featureId}')),
        'components', json_build_object(
            'parameters', (SELECT json_object_agg(p.name, json_build_object('name', p.name, 'in', p.location,
                    'required', p.location = 'path', 'description', p.description, 'style', p.style, 'explode', false,
                    'schema', p.schema::json))
                FROM (VALUES
                    ('collectionId', 'path', 'simple', 'The id of a collection', '{"type":"string"}'),
                    ('featureId', 'path', 'simple', 'The number of a row', '{"type":"integer","minimum":1}'),
                    ('bbox', 'query', 'form', 'Features in a rectangle: west, south, east, north in degrees',
                        '{"type":"array","oneOf":[{"minItems":4,"maxItems":4},{"minItems":6,"maxItems":6}],'
                        '"items":{"type":"number"}}'),
                    ('limit', 'query', 'form', 'Features of a page', format(
                        '{"type":"integer","minimum":1,"maximum":%s,"default":10}',
                        current_setting('catalogue.max_limit'))),
                    ('datetime', 'query', 'form', 'Features whose first date or instant is this one, or in an interval '
                        'such as 2024-01-01/..', '{"type":"string"}'),
                    ('after', 'query', 'form', 'The row that the page begins behind, as the link next says',
                        '{"type":"integer","minimum":0,"default":0}'),
                    ('f', 'query', 'form', 'The format', '{"type":"string","enum":["json"]}'))
                    p(name, location, style, description, schema)),
            'responses', '{"Exception":{"description":"An error","content":{"application/json":'
                '{"schema":{"type":"object","required":["code"],"properties":{"code":{"type":"string"},'
                '"description":{"type":"string"}}}}}}}'::json));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.ogc_api(text, text) IS
'Return the OpenAPI 3.0 document of OGC API - Features
Arguments: query: f, json.  base, address of the service, without a slash at the end.
Returns: data is the document.
Errors: OD422 another parameter.
Source: Geography';
