-- Descriptions: the resources, their fields, and what a query string may have.

-- List the parameters of query strings, the functions that take them, and what they take; part of describe().  For
-- functions that filter, the fields of a resource are parameters, too.
CREATE FUNCTION catalogue.query_parameters() RETURNS TABLE (n integer, name text, functions text[], facts text)
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    WITH sets AS (SELECT '{list,related,usage,record_logs,dataset_filetypes}'::text[] AS lists,
        '{list,first,last,count}'::text[] AS filters, '{catalog,data_json}'::text[] AS dcat,
        '{statistics_summary,statistics_downloads}'::text[] AS sums, '{contents_issues,map_issues}'::text[] AS issues,
        '{map_geojson,map_tile,map_issues,map_svg,chart_data,chart_svg}'::text[] AS visuals,
        '{contents_changes,contents_page,contents_image,contents_issues,contents_columns,contents_schema}'::text[] AS
            sheet, '{contents_page,contents_image}'::text[] AS drawn, '{"type":"string"}' AS string,
        '{"type":"integer"}' AS whole, '{"type":"boolean","default":false}' AS flag)
    SELECT p.* FROM sets, LATERAL (VALUES
        (1, 'query', lists || filters || dcat || '{search,feed}', string), (2, 'resources', '{search}', string),
        (3, 'limit', lists || issues || sums || '{search,contents_page,contents_changes,contents_image,map_geojson}',
            '{"type":"integer","default":20}'),
        (4, 'limit', '{feed}', '{"type":"integer","default":100,"max":100}'), (49, 'after', '{ogc_items}', whole),
        (5, 'limit', '{data_json}', whole), (47, 'limit', '{ogc_items}', '{"type":"integer","default":10}'),
        (6, 'limit', '{catalog}', '{"type":"integer","default":100,"max":1000}'),
        (7, 'skip', lists || dcat || issues || sums || '{search,contents_page,contents_changes,feed,sitemap}',
            '{"type":"integer","default":0}'),
        (8, 'orderBy', lists || filters || dcat || sums || '{contents_page,contents_image}', string),
        (9, 'sort', lists || filters || dcat || sums || '{contents_page,contents_image}',
            '{"type":"string","enum":["ASC","DESC"],"default":"ASC"}'),
        (10, 'fields', lists || '{items,first,last,search,contents_page}', string),
        (11, 'include', lists || '{items,first,last}', string), (12, 'facets', lists || '{contents_page}', string),
        (13, 'facetLimit', lists || '{contents_page}', '{"type":"integer","default":20,"max":1000}'),
        (14, 'nearest', lists, flag), (54, 'estimate', lists || '{search}', flag),
        (15, 'match', lists || filters || dcat || '{search,feed}',
            '{"type":"string","enum":["BEGINS","ENDS","EXACT","CONTAINS","WORDS"],"default":"CONTAINS"}'),
        (15, 'match', '{contents_page,contents_image}',
            '{"type":"string","enum":["BEGINS","ENDS","EXACT","CONTAINS"],"default":"CONTAINS"}'),
        (16, 'condition', lists || filters || dcat || '{search,contents_page,contents_image,feed}',
            '{"type":"string","enum":["AND","OR"],"default":"OR"}'),
        (17, 'version', lists || filters || dcat || sheet || visuals || sums || '{search,contents_sheets}',
            '{"type":"datetime"}'),
        (18, 'deleted', lists || filters || '{search}', '{"type":"string","enum":["only","with"]}'),
        (19, 'sheet', sheet, string), (20, 'from', '{contents_changes}', '{"type":"datetime","required":true}'),
        (21, 'to', '{contents_changes}', '{"type":"datetime"}'), (51, 'simplify', '{map_geojson}', whole),
        (22, 'key', '{contents_changes}', '{"type":"string","required":true}'),
        (23, 'types', '{contents_page,contents_changes,map_geojson}', flag),
        (24, 'histogram', '{contents_page}', string), (25, 'distinct', '{contents_page}', string),
        (26, 'groupBy', drawn, string), (53, 'lang', '{feed,dataset_feed}', string),
        (27, 'groupBy', '{usage,statistics_summary}',
            '{"type":"string","enum":["day","month","resource","method","client"]}'),
        (28, 'groupBy', '{statistics_downloads}', '{"type":"string","enum":["day","month","dataset","file"]}'),
        (29, 'day', sums, '{"type":"date"}'), (30, 'month', sums, string), (48, 'datetime', '{ogc_items}', string),
        (31, 'resource', '{statistics_summary}', string), (32, 'method', '{statistics_summary}', string),
        (33, 'client', '{statistics_summary}', string), (34, 'dataset', '{statistics_downloads}', string),
        (35, 'file', '{statistics_downloads}', string), (36, 'aggregate', drawn, string),
        (37, 'bbox', filters || dcat || drawn || '{search,feed,map_geojson,ogc_items}', string),
        (38, 'properties', '{map_geojson}', string), (40, 'url', '{oembed}', '{"type":"string","required":true}'),
        (39, 'bom', lists || sums || '{contents_page,chart_data}', flag),
        (41, 'maxwidth', '{oembed}', '{"type":"integer","max":720}'),
        (42, 'maxheight', '{oembed}', '{"type":"integer","max":480}'),
        (43, 'format', '{oembed}', '{"type":"string","enum":["json"],"default":"json"}'),
        (44, 'lang', '{map_svg,chart_svg,contents_image,extent_svg,preview_visual}', '{"type":"string","enum":'
            || to_json(catalogue.picture_languages()) || ',"default":"en"}'),
        (45, 'near', drawn || '{map_geojson}', string), (46, 'within', drawn || '{map_geojson}', string),
        (50, 'f', '{ogc,ogc_conformance,ogc_api,ogc_collections,ogc_collection,ogc_items,ogc_item}',
            '{"type":"string","enum":["json"],"default":"json"}'), (51, 'lag', '{health_read}', whole)) p;
END;

-- Return what functions take in the query string; part of describe().  Arguments: resource, whose functions; NULL:
-- those of a path that begins with path and belongs to no resource, or of all such paths.  The functions are those that
-- read a query string, of each resource ('*') or one.
CREATE FUNCTION catalogue.parameters(resource text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
    WITH readings (n, function, resource, path) AS (VALUES
        (1, 'list', '*', NULL), (2, 'first', '*', NULL), (3, 'last', '*', NULL), (4, 'count', '*', NULL),
        (5, 'items', '*', NULL), (6, 'related', '*', NULL), (7, 'usage', '*', NULL),
        (8, 'statistics_summary', 'statistics', NULL), (9, 'statistics_downloads', 'statistics', NULL),
        (10, 'record_logs', '*', NULL), (11, 'dataset_filetypes', 'datasets', NULL), (12, 'feed', 'datasets', 'rss'),
        (13, 'catalog', NULL, 'catalog'), (14, 'data_json', NULL, 'data.json'), (15, 'sitemap', NULL, 'sitemap.xml'),
        (16, 'search', NULL, 'search'), (17, 'contents_page', 'files', NULL), (18, 'contents_columns', 'files', NULL),
        (19, 'contents_schema', 'files', NULL), (20, 'contents_issues', 'files', NULL),
        (21, 'contents_sheets', 'files', NULL), (22, 'contents_changes', 'files', NULL),
        (23, 'map_geojson', 'maps', NULL), (24, 'map_tile', 'maps', NULL), (25, 'map_issues', 'maps', NULL),
        (26, 'map_svg', 'maps', NULL), (27, 'chart_data', 'charts', NULL), (28, 'chart_svg', 'charts', NULL),
        (29, 'contents_image', 'files', NULL), (30, 'oembed', NULL, 'oembed'), (31, 'preview_visual', 'charts', NULL),
        (32, 'preview_visual', 'maps', NULL), (33, 'extent_svg', 'datasets', NULL), (34, 'ogc', NULL, 'ogc'),
        (35, 'ogc_conformance', NULL, 'ogc'), (36, 'ogc_api', NULL, 'ogc'), (37, 'ogc_collections', NULL, 'ogc'),
        (38, 'ogc_collection', NULL, 'ogc'), (39, 'ogc_items', NULL, 'ogc'), (40, 'ogc_item', NULL, 'ogc'),
        (41, 'health_read', NULL, 'health'))
    SELECT '{' || string_agg(format('"%s":{%s}', r.function,
        (SELECT string_agg(format('"%s":%s', p.name, p.facts), ',' ORDER BY p.n)
         FROM catalogue.query_parameters() p
         -- of records, datasets have places
         WHERE r.function = ANY (p.functions)
             AND (p.name <> 'bbox' OR r.resource IS DISTINCT FROM '*' OR $1 = 'datasets'))),
        ',' ORDER BY r.n) || '}'
    FROM readings r
    WHERE CASE WHEN $1 IS NULL THEN r.path = coalesce(lower($2), r.path) ELSE r.resource IN ('*', $1) END;
$$;

CREATE FUNCTION catalogue.describe(resource text, actor jsonb DEFAULT NULL, id text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_describe';
COMMENT ON FUNCTION catalogue.describe(text, jsonb, text) IS
'Describe a resource
Arguments: resource, its path word, any letter case, or a path of no resource that takes parameters: search, rss. actor,
{"user": id} for a user, {} for an outsider, NULL for a database user, who is trusted. id, a record: what may be done
with this one; NULL for what may be done with some.
Returns: data is an object: resource, model, description, fields (type, required, max, unique, enum, reference,
properties, readOnly, default) and relations that the actor sees, actions of the resource, allowed (those that the actor
may do), create and update (names that the actor may give values for), parameters (for each function that reads a query
string, the parameters of that), filtering (the functions that take each field as a filter besides); of files
uploadLimit, the most bytes of one. Of a path of no resource: parameters only.
Errors: OD404 no such resource.
Source: Response envelopes (OPTIONS)';

CREATE FUNCTION catalogue.describe_all(actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_describe_all';
COMMENT ON FUNCTION catalogue.describe_all(jsonb) IS
'Describe all resources that the caller sees, or may do something with
Arguments: actor, as for catalogue.describe().
Returns: data is an object: resources, by path word what catalogue.describe() returns of each; parameters, those of the
functions whose paths belong to no resource.
Source: Response envelopes (OPTIONS)';

CREATE FUNCTION catalogue.entry(base text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_entry';
COMMENT ON FUNCTION catalogue.entry(text, jsonb) IS
'List the resources and their addresses
Arguments: base, what addresses begin with, such as https://data.example.org.  actor, {"user": id} for a user, {} for an
outsider, NULL for a database user, who is trusted.
Returns: data is an object: for each resource that the actor may see list, search, count and describe, the addresses.
Errors: 22004 base is null; OD401 the actor''s user may not log in.
Source: Request rules (hypermedia)';

CREATE FUNCTION catalogue.path_of_model(model text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_path_of_model';
COMMENT ON FUNCTION catalogue.path_of_model(text) IS
'Return the path word of a resource
Arguments: model, the singular name, any letter case, as the log has it.  Returns: NULL if there is no such resource.
Source: Log (action log)';
