-- GET /openapi.json: the routes of the shim, and what the extension describes, as a document of OpenAPI 3.1.

CREATE FUNCTION catalogue.openapi_reference(kind text, name text) RETURNS json LANGUAGE sql STABLE
    RETURN format('{"$ref":%s}', to_json(format('#/components/%s/%s', $1, $2)))::json;
COMMENT ON FUNCTION catalogue.openapi_reference(text, text) IS
'Return a reference to a component, such as schemas, Error
Part of catalogue.openapi().';

CREATE FUNCTION catalogue.openapi_value(facts json, answered boolean) RETURNS json LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
-- Only simple expressions: a query would be executed for each of thousands of fields.
DECLARE
    said    text    := $1 ->> 'type';
    type    text    := CASE WHEN said IN ('integer', 'number', 'boolean', 'array') THEN said
                           WHEN $1 -> 'properties' IS NOT NULL THEN 'object' WHEN said = 'json' THEN NULL
                           ELSE 'string' END;
    refers  boolean := type = 'string' AND $1 -> 'reference' IS NOT NULL;
BEGIN
    RETURN json_strip_nulls(json_build_object(
        'type', CASE WHEN $2 AND type IS NOT NULL
                     THEN to_json(array_remove(ARRAY[type, CASE WHEN refers THEN 'object' END, 'null'], NULL))
                     ELSE to_json(type) END,
        'format', CASE said WHEN 'datetime' THEN 'date-time' WHEN 'file' THEN 'binary'
                      ELSE substring(said FROM '^(?:date|email)$') END,
        'items', CASE WHEN type = 'array'
                     THEN coalesce(catalogue.openapi_value($1 -> 'items', false),
                         CASE WHEN $1 -> 'reference' IS NULL THEN '{}' ELSE '{"type":["string","object"]}' END::json)
                 END,
        CASE type WHEN 'array' THEN 'maxItems' WHEN 'integer' THEN 'maximum' ELSE 'maxLength' END,
        CASE WHEN type IS NOT NULL AND NOT ($2 AND refers) THEN $1 -> 'max' END,
        'properties', $1 -> 'properties',
        'enum', CASE WHEN $2 THEN (($1 -> 'enum')::jsonb || 'null')::json ELSE $1 -> 'enum' END,
        'default', CASE WHEN NOT $2 THEN $1 -> 'default' END,
        'description', $1 -> 'description', 'readOnly', $1 -> 'readOnly', 'writeOnly', $1 -> 'writeOnly',
        'x-reference', $1 -> 'reference', 'x-unique', $1 -> 'unique'));
END
$$;
COMMENT ON FUNCTION catalogue.openapi_value(json, boolean) IS
'Return the schema of a field, a parameter, a member of a body
Part of catalogue.openapi().
Arguments: facts, as catalogue.describe() has them.  answered, whether it is as in answers: it may be null, and a
reference may be the record.';

CREATE FUNCTION catalogue.openapi_record(description text, fields json, relations json) RETURNS json
    LANGUAGE sql IMMUTABLE AS
$$
    SELECT json_build_object('type', 'object', 'description', coalesce($1, ''), 'required', json_build_array('id'),
        'properties', json_object_agg(m.name, m.schema ORDER BY m.kind, m.n))
    FROM (SELECT 1 AS kind, f.n, f.key AS name, catalogue.openapi_value(f.value, f.key <> 'id') AS schema
          FROM json_each($2) WITH ORDINALITY f(key, value, n)
          WHERE f.value ->> 'writeOnly' IS DISTINCT FROM 'true'
          UNION ALL
          SELECT 2, r.n, r.name, '{"type":["array","object","string","null"]}'
          FROM json_array_elements_text($3) WITH ORDINALITY r(name, n)
          WHERE $2 -> r.name IS NULL) m
$$;
COMMENT ON FUNCTION catalogue.openapi_record(text, json, json) IS
'Return the schema of a record as answers have it
Part of catalogue.openapi().
Arguments: what catalogue.describe() returns of the resource.  The relations are those that "include" and "fields"
show. With "fields" in the query members are missing, so that only the id is required.';

CREATE FUNCTION catalogue.openapi_members(members json, whole boolean) RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT json_strip_nulls(json_build_object('type', 'object',
        'properties', coalesce(json_object_agg(m.key, catalogue.openapi_value(m.value, false) ORDER BY m.n), '{}'),
        'required', json_agg(m.key ORDER BY m.n) FILTER (WHERE m.needed),
        'examples', CASE WHEN bool_or(m.needed)
            THEN json_build_array(json_object_agg(m.key, m.example ORDER BY m.n) FILTER (WHERE m.needed)) END))
    FROM (SELECT f.key, f.value, f.n,
              $2 AND f.value ->> 'required' = 'true' AND f.value -> 'default' IS NULL
                  AND (f.key <> 'status' OR f.value ->> 'reference' IS DISTINCT FROM 'statuses') AS needed,
              CASE WHEN f.value -> 'enum' IS NOT NULL THEN f.value -> 'enum' -> 0
                  WHEN f.value ->> 'type' = 'array' AND f.value -> 'reference' IS NOT NULL THEN '["3rE2KsQdxhHGxBO"]'
                  WHEN f.value -> 'reference' IS NOT NULL THEN '"3rE2KsQdxhHGxBO"'
                  ELSE coalesce('{"integer":1, "number":1, "boolean":true, "array":[], "json":{},
                      "datetime":"2026-01-31T12:00:00Z", "date":"2026-01-31", "email":"name@example.org"}'::json
                      -> (f.value ->> 'type'), to_json(f.key)) END AS example
          FROM json_each($1) WITH ORDINALITY f(key, value, n)) m
$$;
COMMENT ON FUNCTION catalogue.openapi_members(json, boolean) IS
'Return the schema of a body
Part of catalogue.openapi().
Arguments: members, by name their descriptions.  whole, whether it must have those that are required and that the
service does not give a value itself.';

CREATE FUNCTION catalogue.openapi_writable(fields json, names json, part text) RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT json_object_agg(m.name, m.facts ORDER BY m.n)
    FROM (SELECT w.name,
              -- a form has JSON as text, and its file tells the type
              CASE WHEN $3 IS NOT NULL AND $1 -> w.name ->> 'type' = 'json' AND $1 -> w.name -> 'properties' IS NULL
                  THEN jsonb_set(($1 -> w.name)::jsonb, '{type}', '"string"')::json
                  WHEN $3 = 'uploadFile' AND w.name = 'type'
                  THEN (($1 -> w.name)::jsonb - 'required')::json ELSE $1 -> w.name END AS facts, w.n
          FROM json_array_elements_text($2) WITH ORDINALITY w(name, n)
          UNION ALL
          SELECT $3, json_build_object('type', 'file', 'required', $3 = 'uploadFile'), 1000000) m
    WHERE m.name IS NOT NULL AND m.facts IS NOT NULL
$$;
COMMENT ON FUNCTION catalogue.openapi_writable(json, json, text) IS
'Return the members of the body of a change with their descriptions
Part of catalogue.openapi().
Arguments: fields, of the resource.  names, of those that the caller may write.  part, of a form, that is the file; NULL
for JSON.';

CREATE FUNCTION catalogue.openapi_data(data text, model text) RETURNS json LANGUAGE sql STABLE
    RETURN CASE
        WHEN $1 IN ('record', 'written') AND $2 IS NOT NULL THEN catalogue.openapi_reference('schemas', $2)
        WHEN $1 = 'records' AND $2 IS NOT NULL
            THEN json_build_object('type', 'array', 'items', catalogue.openapi_reference('schemas', $2))
        WHEN $1 IN ('Found', 'Session') THEN catalogue.openapi_reference('schemas', $1)
        ELSE coalesce('{"records":{"type":"array","items":{}}, "objects":{"type":"array","items":{"type":"object"}},
            "count":{"type":"object","required":["count"],"properties":{"count":{"type":"integer"}}},
            "token":{"type":"string"}}'::json -> $1, '{}') END;
COMMENT ON FUNCTION catalogue.openapi_data(text, text) IS
'Return the schema of "data" in an answer
Part of catalogue.openapi().
Arguments: data, what it is, by a word of the shim.  model, the schema of the resource''s records, or NULL.';

CREATE FUNCTION catalogue.openapi_success(status text, message text, reads boolean, types text, data text, model text)
    RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT json_strip_nulls(json_build_object('description', $2,
        'headers', json_build_object('X-Request-Id', catalogue.openapi_reference('headers', 'X-Request-Id'),
            'ETag', CASE WHEN $3 AND $1 <> '202' THEN catalogue.openapi_reference('headers', 'ETag') END,
            'Link', CASE WHEN $3 AND $1 <> '202' THEN catalogue.openapi_reference('headers', 'Link') END,
            'Location', CASE WHEN $1 IN ('201', '202') THEN catalogue.openapi_reference('headers', 'Location') END,
            'Preference-Applied', catalogue.openapi_reference('headers', 'Preference-Applied'),
            'Content-Range', CASE WHEN $1 = '206' THEN catalogue.openapi_reference('headers', 'Content-Range') END),
        'x-types', (SELECT json_agg(t.type ORDER BY t.n)
                    FROM unnest(string_to_array($4, ', ')) WITH ORDINALITY t(type, n)
                    WHERE $1 <> '204' AND $4 ~ '\mapplication/json\M' AND t.type <> 'application/json'),
        'content', (SELECT json_object_agg(t.type, json_build_object('schema', CASE
                        WHEN t.type <> 'application/json' OR $5 IS NULL THEN '{}'
                        ELSE json_build_object('type', 'object',
                            'required', CASE WHEN $5 IN ('written', 'any') THEN '["meta","links"]'
                                ELSE '["meta","links","data"]' END::json,
                            'properties', json_build_object('meta', catalogue.openapi_reference('schemas', 'Meta'),
                                'links', catalogue.openapi_reference('schemas', 'Links'),
                                'data', catalogue.openapi_data($5, $6))) END) ORDER BY t.n)
                    FROM unnest(string_to_array($4, ', ')) WITH ORDINALITY t(type, n)
                    WHERE $1 <> '204' AND (t.type = 'application/json' OR $4 !~ '\mapplication/json\M'))))
$$;
COMMENT ON FUNCTION catalogue.openapi_success(text, text, boolean, text, text, text) IS
'Return a response of success
Part of catalogue.openapi().
Arguments: status and its message.  reads, whether the request reads.  types, of the answer. data, what that has, NULL
for no envelope. model, as of catalogue.openapi_data().
Returns: clients are generated for JSON, where there is JSON; then x-types has the other types.';

CREATE FUNCTION catalogue.openapi_errors(reads boolean) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS
$$
    SELECT * FROM unnest('{400,401,403,404,406,409,412,413,415,416,422,429,500,501,503}'::text[]) s(status)
    WHERE $1 IS NULL OR s.status <> ALL (CASE WHEN $1 THEN '{413,415}'::text[] ELSE '{416}' END)
$$;
COMMENT ON FUNCTION catalogue.openapi_errors(boolean) IS
'Return the statuses of errors
Part of catalogue.openapi().
Arguments: reads, whether of requests that read, or write; NULL for all.';

CREATE FUNCTION catalogue.openapi_shared(messages json, found json) RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT json_build_object('schemas', json_build_object('Meta', '{"type":"object","required":["code","message"],'
            '"properties":{"code":{"type":"string"},"message":{"type":"string"},"hint":{"type":"string"},'
            '"count":{"type":["integer","null"]},"limit":{"type":"integer"},"start":{"type":"integer"},'
            '"end":{"type":"integer"},'
            '"page":{"type":"integer"},"pages":{"type":["integer","null"]},"estimate":{"type":"integer"},'
            '"version":{"type":["string","null"],"format":"date-time"},"facets":{"type":"object"},'
            '"age":{"type":"integer"},'
            '"histograms":{"type":"object"},'
            '"notes":{"type":"array","items":{"type":"string"}},"nearest":{"type":"array","items":{"type":"string"}},'
            '"corrections":{"type":"array","items":{"type":"object"}},"without":{"type":"object"},'
            '"added":{"type":"integer"},"removed":{"type":"integer"},"changed":{"type":"integer"},'
            '"correct":{"type":"integer"},"incorrect":{"type":"integer"},"columns":{"type":"array"},'
            '"rows":{"type":"integer"},"truncated":{"type":"boolean"},"transferred":{"type":"object"},'
            '"open":{"type":"boolean"},'
            '"erased":{"type":"object"},'
            '"ignored":{"type":"array","items":{"type":"string"}}}}'::json,
        'Links', '{"type":"object","description":"Addresses by name; some are objects of addresses"}'::json,
        'Found', json_build_object('type', 'object', 'description',
            'Records by resource; none of a resource in which nothing was found', 'properties', coalesce($2, '{}')),
        'Session', '{"type":"object","required":["token","user","username","role"],"properties":{'
            '"token":{"type":"string"},"user":{"type":"string"},"username":{"type":"string"},'
            '"role":{"type":"string"}}}'::json,
        'Faults', '{"type":"object","description":"Faults by field","additionalProperties":{"type":"array","items":{'
            '"type":"object","required":["rule","message"],"properties":{"rule":{"type":"string"},'
            '"message":{"type":"string"},"value":{}}}}}'::json,
        'Error', '{"type":"object","required":["meta","code","data","links"],"properties":{'
            '"meta":{"$ref":"#/components/schemas/Meta"},"code":{"type":"string"},"description":{"type":"string"},'
            '"data":{"description":"Faults of 400 and 422; of others facts, or nothing",'
            '"anyOf":[{"$ref":"#/components/schemas/Faults"},{"type":"object"}]},'
            '"links":{"$ref":"#/components/schemas/Links"}}}'::json),
    'responses', (SELECT json_object_agg(e.name, json_strip_nulls(json_build_object('description', e.message,
                             'headers', CASE WHEN e.header IS NOT NULL THEN jsonb_build_object(
                                 'X-Request-Id', catalogue.openapi_reference('headers', 'X-Request-Id'),
                                 e.header, catalogue.openapi_reference('headers', e.header)) END,
                             'content', CASE WHEN e.name = 'Moved'
                             THEN '{"application/json":{"schema":{"type":"object","required":["meta","data","links"]}}}'
                                 ::json
                             WHEN e.name = 'SeeOther'
                             THEN '{"application/json":{"schema":{"type":"object","required":["meta","links"]}}}'::json
                             WHEN e.header IS NOT NULL
                             THEN '{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}'::json END)))
                  FROM (VALUES ('NotModified', $1 ->> '304', NULL), ('Moved', $1 ->> '308', 'Location'),
                            ('SeeOther', 'a form of a browser leads to the page that has it', 'Location'),
                            ('Error', 'the request cannot be carried out', 'X-Request-Id')
                        UNION ALL SELECT 'Error' || s, $1 ->> s, CASE WHEN s = '401' THEN 'WWW-Authenticate'
                            WHEN s IN ('429', '503') THEN 'Retry-After' ELSE 'X-Request-Id' END
                        FROM catalogue.openapi_errors(NULL) s) e(name, message, header)),
    'headers', (SELECT json_object_agg(h.name, json_build_object('description', h.description, 'schema',
                           json_build_object('type', CASE h.name WHEN 'Retry-After' THEN 'integer' ELSE 'string' END)))
                FROM (VALUES ('X-Request-Id', 'Identifier of the request, as in the log'),
                    ('ETag', 'State of the representation, for If-None-Match and If-Match'),
                    ('Link', 'Pages of a list: first, prev, next, last (RFC 8288)'),
                    ('Content-Range', 'Which items these are, of how many: items 0-19/812'),
                    ('Location', 'Address of what was made, or of what has moved'),
                    ('Preference-Applied', 'Preferences of Prefer that the answer follows (RFC 7240)'),
                    ('Retry-After', 'Seconds after which the request may be sent again'),
                    ('WWW-Authenticate', 'Credential that is needed')) h(name, description)))
$$;
COMMENT ON FUNCTION catalogue.openapi_shared(json, json) IS
'Return the schemas, responses and headers that operations share
Part of catalogue.openapi().
Arguments: messages, by status.  found, by resource the schema of what a search returns.';

-- An operation: a verb on a path, with what the description of its resource and the table of the shim say of it.
CREATE TYPE catalogue.openapi_operation AS (rank bigint, path text, template text, tag text, verb text, function text,
    summary text, open boolean, match boolean, once boolean, bytes boolean, prefer text, statuses text, texts text,
    reads boolean, model text, fields json, parameters json, filtering jsonb, part text, form text, writable json,
    body json, types text, data text, answered text);
COMMENT ON TYPE catalogue.openapi_operation IS 'A verb on a path; part of catalogue.openapi()';

CREATE FUNCTION catalogue.openapi_resources(service json, described json)
    RETURNS TABLE (n bigint, name text, model text, description text, fields json, relations json, allowed jsonb,
        "create" json, "update" json, parameters json, filtering jsonb, record text, part text, form text)
    LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH given AS MATERIALIZED (SELECT $1 -> 'parts' AS parts, $1 -> 'forms' AS forms)
    SELECT r.n, r.name, d.*,
        -- File is a type of JavaScript
        CASE WHEN d.fields::text <> '{}' THEN CASE d.model WHEN 'File' THEN 'FileRecord' ELSE d.model END END AS record,
        g.parts ->> r.name AS part, g.forms ->> r.name AS form
    FROM given g, json_each($2 -> 'resources') WITH ORDINALITY r(name, value, n),
        json_to_record(r.value) AS d(model text, description text, fields json, relations json, allowed jsonb,
            "create" json, "update" json, parameters json, filtering jsonb);
END;
COMMENT ON FUNCTION catalogue.openapi_resources(json, json) IS
'List the resources that the caller may see
Part of catalogue.openapi().
Arguments: service and described, as for catalogue.openapi_document().  Returns: record, the name of the schema of their
records; part and form, those of a body that is a form.';

CREATE FUNCTION catalogue.openapi_operations(service json, described json) RETURNS SETOF catalogue.openapi_operation
    LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH resource AS MATERIALIZED (SELECT * FROM catalogue.openapi_resources($1, $2)),
    route AS MATERIALIZED (
        SELECT e.n, r.*, split_part(r.path, '/', 2) AS word, r.verb = 'GET' AS reads
        FROM json_array_elements($1 -> 'routes') WITH ORDINALITY e(value, n),
            json_to_record(e.value) AS r(verb text, path text, action text, function text, summary text, open boolean,
                of_record boolean, match boolean, once boolean, bytes boolean, prefer text, types text, documents json,
                statuses text, data text, body json, form text, texts text)),
    -- a route of all resources is on the path of each, one of related records on the path of each relation
    found AS (
        SELECT t.n, s.n AS resource, l.n AS relation,
            replace(replace(t.path, ':resource', coalesce(s.name, '')), ':relation', coalesce(l.name, '')) AS path
        FROM route t
            LEFT JOIN resource s ON s.name = t.word OR (t.word = ':resource' AND s.allowed ? t.action)
            LEFT JOIN LATERAL json_array_elements_text(s.relations) WITH ORDINALITY l(name, n)
                ON t.path LIKE '%/:relation'
        WHERE CASE t.word WHEN ':resource' THEN s.name IS NOT NULL AND (t.path NOT LIKE '%/:relation' OR l.n > 0)
            ELSE s.name IS NOT NULL OR NOT t.of_record OR t.path NOT LIKE '%/:id%' END)
    -- the first of a verb on a path is that of the shim
    SELECT f.rank, f.path, f.template, coalesce(nullif(split_part(f.path, '/', 2), ''), 'service') AS tag,
        t.verb, t.function, t.summary, t.open, t.match, t.once, t.bytes, t.prefer, t.statuses, t.texts, t.reads,
        s.model, s.fields, s.parameters, s.filtering,
        CASE WHEN t.function IN ('create', 'update') THEN s.part END AS part,
        CASE t.function WHEN 'create' THEN coalesce(t.form, s.form) ELSE t.form END AS form,
        CASE t.function WHEN 'create' THEN s."create" WHEN 'update' THEN s."update" END AS writable, t.body,
        concat_ws(', ', t.types,
            (SELECT string_agg(d ->> 'type', ', ')
             FROM json_array_elements(t.documents) d
             WHERE coalesce(d ->> 'resource', split_part(f.path, '/', 2)) = split_part(f.path, '/', 2))) AS types,
        t.data,
        -- what is undone, or the first record of a service, is of another resource
        CASE WHEN t.function = 'undo' OR (t.function = 'create' AND s.name IN ('restservices', 'soapservices'))
            THEN NULL ELSE s.record END AS answered
    FROM (SELECT DISTINCT ON (u.verb, u.template) u.*
          FROM (SELECT f.*, regexp_replace(f.path, ':(\w+)', '{\1}', 'g') AS template, t.verb,
                    row_number() OVER (ORDER BY f.n, f.resource, f.relation) AS rank
                FROM found f JOIN route t USING (n)) u
          ORDER BY u.verb, u.template, u.rank) f
        JOIN route t USING (n) LEFT JOIN resource s ON s.n = f.resource;
END;
COMMENT ON FUNCTION catalogue.openapi_operations(json, json) IS
'List the operations
Part of catalogue.openapi().
Arguments: service and described, as for catalogue.openapi_document().';

CREATE FUNCTION catalogue.openapi_parameters(operation catalogue.openapi_operation, parameters json)
    RETURNS TABLE (kind integer, n bigint, name text, function text, parameter json) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT 1 AS kind, m.n, m.word[1] AS name, 'path' AS function,
        json_build_object('name', m.word[1], 'in', 'path', 'required', true, 'description',
            CASE m.word[1] WHEN 'id' THEN 'Id of a record, or its slug' ELSE 'Word of the path' END,
            'schema', json_build_object('type', 'string')) AS parameter
    FROM regexp_matches($1.path, ':(\w+)', 'g') WITH ORDINALITY m(word, n)
    UNION ALL
    SELECT 2, q.n, q.key, $1.function,
        json_build_object('name', q.key, 'in', 'query', 'schema', q.value)
    FROM json_each(coalesce($1.parameters, $2) -> $1.function) WITH ORDINALITY q(key, value, n)
    WHERE $1.reads
    UNION ALL
    SELECT 4, h.n, h.name, h.function, json_build_object('name', h.name, 'in', 'header', 'description',
        h.description, 'schema', json_build_object('type', 'string'))
    FROM (VALUES
        (1, $1.reads, 'If-None-Match', 'header', 'Answer 304 if the state is still one of these'),
        (2, $1.match, 'If-Match', 'header', 'Change only if the state is still one of these'),
        (3, $1.once, 'Idempotency-Key', 'header', 'Make the change once for this key in 24 hours'),
        (4, $1.bytes, 'Range', 'header', 'Only these bytes (RFC 9110)'),
        (5, true, 'Prefer', coalesce($1.function, 'page'), $1.prefer)) h(n, used, name, function, description)
    WHERE h.used;
END;
COMMENT ON FUNCTION catalogue.openapi_parameters(catalogue.openapi_operation, json) IS
'List the parameters of an operation
Part of catalogue.openapi().
Arguments: parameters, those of paths that belong to no resource.  Returns: kind, 1 of a path, 2 of a query, 4 a header
field; parameter, which in a query has what catalogue.describe() says as its schema.';

CREATE FUNCTION catalogue.openapi_filters(model text, fields json, parameters json)
    RETURNS TABLE (n bigint, name text, operator text, parameter json) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT f.n, concat_ws('.', $1, regexp_replace(f.key, '[^A-Za-z0-9_]', '_', 'g')
                                   || CASE WHEN f.key ~ '[^A-Za-z0-9_]' THEN f.n::text ELSE '' END, o.operator) AS name,
        o.operator,
        json_strip_nulls(json_build_object('name', f.key || coalesce('[' || o.operator || ']', ''), 'in', 'query',
            'description', CASE WHEN o.operator IS NULL THEN f.value -> 'description' END,
            'schema', '{"type":"string"}'::json)) AS parameter
    FROM json_each($2) WITH ORDINALITY f(key, value, n),
        unnest(CASE WHEN f.value ->> 'type' IN ('integer', 'number', 'date', 'datetime')
                    THEN '{NULL,ne,gt,gte,lt,lte}'::text[] ELSE '{NULL,ne}' END) o(operator)
    WHERE f.value ->> 'writeOnly' IS DISTINCT FROM 'true' AND $3 -> 'list' -> f.key IS NULL;
END;
COMMENT ON FUNCTION catalogue.openapi_filters(text, json, json) IS
'List the filters of a resource, each a parameter
Part of catalogue.openapi().
Arguments: what catalogue.openapi_resources() returns of the resource. Returns: name, of the component; operator, NULL
where the values are those of the field.';

CREATE FUNCTION catalogue.openapi_successes(operation catalogue.openapi_operation, messages jsonb)
    RETURNS TABLE (status text, of_rows boolean, name text, response text) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT s, $1.data = 'created' AND s = '200',
        concat(coalesce(CASE WHEN d.data IN ('record', 'records', 'written') THEN $1.answered END, initcap(d.data),
            'Bytes'), s),
        catalogue.openapi_success(s, $2 ->> s, $1.reads,
            CASE WHEN $1.bytes AND s = '202' THEN 'application/json, text/html' ELSE $1.types END, d.data,
            $1.answered)::text
    -- an upload that is begun, to be continued, creates something
    FROM unnest(string_to_array($1.statuses || CASE WHEN $1.function = 'update' AND $1.part IS NOT NULL
            THEN ' 201' ELSE '' END, ' ')) s,
        LATERAL (SELECT CASE WHEN $1.data = 'created' THEN CASE s WHEN '200' THEN 'objects' ELSE 'written' END
                     ELSE $1.data END AS data) d;
END;
COMMENT ON FUNCTION catalogue.openapi_successes(catalogue.openapi_operation, jsonb) IS
'List the responses of success of an operation
Part of catalogue.openapi().
Arguments: messages, by status.  Returns: of_rows, whether it answers a body of rows; name, that other responses may
have as well.';

CREATE FUNCTION catalogue.openapi_responses(operation catalogue.openapi_operation, successes text)
    RETURNS TABLE (responses json) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT format('{%s,%s}', $2, string_agg(format('"%s":%s', r.status,
                catalogue.openapi_reference('responses', r.name)), ',' ORDER BY r.kind, r.status))::json FROM (
        SELECT 4 AS kind, '304' AS status, 'NotModified' AS name WHERE $1.reads
        -- a record was renamed
        UNION ALL SELECT 4, '308', 'Moved' WHERE $1.reads AND $1.template ~ '^/[^/]+/[{]id[}]'
        UNION ALL SELECT 4, '303', 'SeeOther'
        WHERE $1.template ~ '^(/questions|/datasets/[{]id[}]/(un)?follow)$' AND NOT $1.reads
        UNION ALL SELECT 5, s, 'Error' || s FROM catalogue.openapi_errors($1.reads) s
        -- such as 414, before the path is known
        UNION ALL SELECT 6, 'default', 'Error') r;
END;
COMMENT ON FUNCTION catalogue.openapi_responses(catalogue.openapi_operation, text) IS
'Return the responses of an operation
Part of catalogue.openapi().
Arguments: successes, the members of those.';

CREATE FUNCTION catalogue.openapi_request(operation catalogue.openapi_operation) RETURNS TABLE (request json)
    LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT json_strip_nulls(json_build_object('required', true,
        'content', json_build_object((array_agg(b.type ORDER BY b.n))[1],
            json_build_object('schema', (array_agg(b.schema ORDER BY b.n))[1])),
        'x-types', to_json(nullif((array_agg(b.type ORDER BY b.n))[2:], '{}')))) FROM (
        -- a file comes with a form, and so does the image that PUT gives a record
        SELECT CASE WHEN $1.part = 'uploadFile' AND $1.verb = 'POST' OR $1.part IS NOT NULL AND $1.verb = 'PUT'
                THEN 2 ELSE 1 END AS n,
            'application/json' AS type, CASE WHEN json_array_length($1.writable) > 0
            THEN catalogue.openapi_reference('schemas', $1.model || initcap($1.function))
            ELSE catalogue.openapi_members($1.body, true) END AS schema
        WHERE $1.body IS NOT NULL
        UNION ALL
        SELECT CASE WHEN $1.part IS NOT NULL THEN 1.5 ELSE 3 END,
            coalesce(CASE WHEN $1.part IS NOT NULL THEN 'multipart/form-data' END, $1.form),
            catalogue.openapi_members(coalesce(catalogue.openapi_writable($1.fields, $1.writable, $1.part), $1.body),
                $1.function <> 'update')
        UNION ALL
        SELECT 4, t, '{"type":"string"}' FROM unnest(string_to_array($1.texts, ', ')) t) b
        WHERE b.type IS NOT NULL HAVING count(*) > 0;
END;
COMMENT ON FUNCTION catalogue.openapi_request(catalogue.openapi_operation) IS
'Return the body of the requests of an operation
Part of catalogue.openapi().
Returns: no row where there is none. Clients are generated for one type of a body, the one in content; x-types has the
others.';

CREATE FUNCTION catalogue.openapi_item(operation catalogue.openapi_operation, used json, successes text, of_rows text)
    RETURNS TABLE (item json) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT json_strip_nulls(json_build_object(
        'operationId', lower($1.verb) || (SELECT string_agg(upper(left(w, 1)) || substr(w, 2), '')
            FROM regexp_split_to_table(replace($1.path, ':', 'By/'), '[^[:alnum:]]+') w),
        'summary', coalesce($1.summary, ''), 'tags', json_build_array($1.tag), 'responses', r.responses,
        'parameters', $2, 'requestBody', (SELECT b.request FROM catalogue.openapi_request($1) b),
        'x-responses', ('{' || $4 || '}')::json, 'security', CASE WHEN $1.open THEN '[]'::json END))
    FROM catalogue.openapi_responses($1, $3) r;
END;
COMMENT ON FUNCTION catalogue.openapi_item(catalogue.openapi_operation, json, text, text) IS
'Return an operation as the document has it
Part of catalogue.openapi().
Arguments: used, its parameters.  successes, as for catalogue.openapi_responses(); of_rows, those for bodies of rows.';

CREATE FUNCTION catalogue.openapi_filters_used(operations catalogue.openapi_operation[])
    RETURNS TABLE (model text, of_list boolean, used text, components text) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH filter AS MATERIALIZED (
        SELECT r.model, f.*
        FROM (SELECT DISTINCT ON (o.model) o.model, o.fields, o.parameters FROM unnest($1) o
              WHERE o.reads AND o.filtering ? o.function ORDER BY o.model, o.rank) r,
            LATERAL catalogue.openapi_filters(r.model, r.fields, r.parameters) f)
    SELECT f.model, f.of_list,
        string_agg(catalogue.openapi_reference('parameters', f.name)::text, ',' ORDER BY f.n, f.operator NULLS FIRST),
        string_agg(format('"%s":%s', f.name, f.parameter), ',' ORDER BY f.n, f.operator NULLS FIRST)
            FILTER (WHERE f.of_list)
    FROM (SELECT *, true AS of_list FROM filter
          UNION ALL SELECT *, false FROM filter WHERE operator IS NULL) f
    GROUP BY 1, 2;
END;
COMMENT ON FUNCTION catalogue.openapi_filters_used(catalogue.openapi_operation[]) IS
'List what the operations on each resource have of its filters
Part of catalogue.openapi().
Returns: of_list, whether those are lists, which have all, or others, which have none with operators, since each
reference counts; used, references; components, the members of the parameters.';

CREATE FUNCTION catalogue.openapi_parameters_used(operations catalogue.openapi_operation[], parameters json)
    RETURNS TABLE (rank bigint, used text) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH filter AS MATERIALIZED (SELECT * FROM catalogue.openapi_filters_used($1)),
    parameter AS (
        SELECT o.rank, p.*, p.parameter::text = first_value(p.parameter::text)
                OVER (PARTITION BY p.name ORDER BY o.rank, p.kind, p.n) AS first
        FROM unnest($1) o, LATERAL catalogue.openapi_parameters(o, $2) p),
    -- the first one of a name is the component of that name
    component AS MATERIALIZED (
        SELECT p.rank, p.kind, p.n, p.parameter,
            CASE WHEN p.first THEN p.name ELSE concat(p.name, '.', p.function) END AS name
        FROM parameter p)
    SELECT o.rank, format('[%s]', concat_ws(',', u.used, f.used))
    FROM unnest($1) o
        JOIN (SELECT c.rank, string_agg(catalogue.openapi_reference('parameters', c.name)::text, ','
                  ORDER BY c.kind, c.n) AS used
              FROM component c GROUP BY c.rank) u USING (rank)
        LEFT JOIN filter f ON f.model = o.model AND o.reads AND o.filtering ? o.function
            AND f.of_list = (o.function IN ('list', 'count'))
    UNION ALL
    SELECT NULL, format('{%s}', concat_ws(',',
        (SELECT string_agg(format('"%s":%s', c.name, CASE c.kind
                 WHEN 2 THEN json_build_object('name', c.parameter -> 'name', 'in', 'query',
                     'schema', catalogue.openapi_value(c.parameter -> 'schema', false))
                 ELSE c.parameter END), ',' ORDER BY c.rank, c.kind, c.n)
         FROM (SELECT DISTINCT ON (c.name) c.* FROM component c ORDER BY c.name, c.rank DESC, c.kind, c.n) c),
        (SELECT string_agg(f.components, ',' ORDER BY f.model) FROM filter f)));
END;
COMMENT ON FUNCTION catalogue.openapi_parameters_used(catalogue.openapi_operation[], json) IS
'List the parameters that operations have, as references
Part of catalogue.openapi().
Arguments: parameters, those of paths that belong to no resource.  Returns: rank, of the operation; the row without one
has the components.';

CREATE FUNCTION catalogue.openapi_successes_used(operations catalogue.openapi_operation[], messages jsonb)
    RETURNS TABLE (rank bigint, usual text, of_rows text) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH success AS MATERIALIZED (
        SELECT o.rank, s.* FROM unnest($1) o, LATERAL catalogue.openapi_successes(o, $2) s),
    -- equal responses are one component
    answer AS MATERIALIZED (
        SELECT a.response, a.rank, concat_ws('_', a.name,
            nullif(row_number() OVER (PARTITION BY a.name ORDER BY a.rank), 1)) AS name
        FROM (SELECT s.response, min(s.name) AS name, min(s.rank) AS rank FROM success s GROUP BY s.response) a)
    SELECT s.rank, string_agg(r.text, ',' ORDER BY s.status) FILTER (WHERE s.of_rows IS NOT TRUE),
        string_agg(r.text, ',') FILTER (WHERE s.of_rows)
    FROM success s JOIN answer a USING (response),
        LATERAL format('"%s":%s', s.status, catalogue.openapi_reference('responses', a.name)) r(text)
    GROUP BY s.rank
    UNION ALL
    SELECT NULL, format('{%s}', string_agg(format('"%s":%s', a.name, a.response), ',' ORDER BY a.rank)), NULL
    FROM answer a;
END;
COMMENT ON FUNCTION catalogue.openapi_successes_used(catalogue.openapi_operation[], jsonb) IS
'List the responses of success that operations have, as references
Part of catalogue.openapi().
Arguments: messages, by status.  Returns: rank, of the operation; usual, and of_rows, those for bodies of rows; the row
without one has the components.';

CREATE FUNCTION catalogue.openapi_info(version json, title text) RETURNS json LANGUAGE sql STABLE
    RETURN json_build_object('title', coalesce($2, 'Data catalogue'), 'version', $1, 'description',
        'Datasets of a public-data catalogue, their files, charts and maps. Answers are JSON: meta, data and '
        'links. Each path has OPTIONS, and HEAD if it has GET; other verbs are 405 with Allow. '
        'This document has what the caller may do.',
        'license', '{"name":"PostgreSQL License","identifier":"PostgreSQL"}'::json);
COMMENT ON FUNCTION catalogue.openapi_info(json, text) IS
'Return what the document is about
Part of catalogue.openapi().  Arguments: title, of the catalogue; NULL: none.';

CREATE FUNCTION catalogue.openapi_schemas(model text, description text, fields json, relations json, "create" json,
    "update" json, record text) RETURNS TABLE (kind integer, name text, schema json) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT m.kind, CASE m.kind WHEN 1 THEN $7 ELSE $1 || m.suffix END, m.schema
    FROM (VALUES
        (1, $7 IS NOT NULL, '', catalogue.openapi_record($2, $3, $4)),
        (3, json_array_length($5) > 0, 'Create',
            catalogue.openapi_members(catalogue.openapi_writable($3, $5, NULL), true)),
        (4, json_array_length($6) > 0, 'Update',
            catalogue.openapi_members(catalogue.openapi_writable($3, $6, NULL), false)))
        m(kind, there, suffix, schema)
    WHERE m.there;
END;
COMMENT ON FUNCTION catalogue.openapi_schemas(text, text, json, json, json, json, text) IS
'List the schemas of a resource: of records and bodies
Part of catalogue.openapi().
Arguments: what catalogue.openapi_resources() returns of the resource.';

-- The operations take more than 4 MB and are read many times, so they are to stay in memory.
CREATE FUNCTION catalogue.openapi_document(service json, base text, described json, title text) RETURNS json
    LANGUAGE sql STABLE SET work_mem = '16MB' AS
$$
    -- what is looked up often: each look would read the whole argument
    WITH given AS MATERIALIZED (
        SELECT ($1 -> 'messages')::jsonb AS messages, $3 -> 'parameters' AS parameters,
            ARRAY(SELECT o FROM catalogue.openapi_operations($1, $3) o) AS operations),
    resource AS MATERIALIZED (SELECT * FROM catalogue.openapi_resources($1, $3)),
    used AS MATERIALIZED (
        SELECT u.* FROM given g, LATERAL catalogue.openapi_parameters_used(g.operations, g.parameters) u),
    answered AS MATERIALIZED (
        SELECT a.* FROM given g, LATERAL catalogue.openapi_successes_used(g.operations, g.messages) a),
    item AS (
        SELECT o.rank, o.template, o.verb, o.tag, o.summary, e.item AS operation
        FROM given g, unnest(g.operations) o JOIN used u USING (rank) JOIN answered a USING (rank),
            LATERAL catalogue.openapi_item(o, u.used::json, a.usual, a.of_rows) e),
    path AS (
        SELECT i.template, min(i.rank) AS rank, json_object_agg(lower(i.verb), i.operation ORDER BY i.rank) AS item
        FROM item i GROUP BY i.template),
    tag AS (
        SELECT i.tag, min(p.rank) AS rank,
            coalesce((SELECT s.description FROM resource s WHERE s.name = i.tag),
                (array_agg(i.summary ORDER BY p.rank DESC, i.rank DESC))[1]) AS description
        FROM item i JOIN path p USING (template) GROUP BY i.tag),
    shared AS MATERIALIZED (
        SELECT catalogue.openapi_shared($1 -> 'messages', json_object_agg(s.name, json_build_object('type', 'array',
                'items', catalogue.openapi_reference('schemas', s.record)) ORDER BY s.n)) AS shared
        FROM resource s WHERE s.record IS NOT NULL),
    schema AS (
        SELECT 0 AS n, 0 AS kind, e.key AS name, e.value FROM shared, json_each(shared -> 'schemas') e
        UNION ALL
        SELECT r.n, s.*
        FROM resource r,
            LATERAL catalogue.openapi_schemas(r.model, r.description, r.fields, r.relations, r."create", r."update",
                r.record) s)
    SELECT json_build_object('openapi', '3.1.0',
        'info', catalogue.openapi_info($1 -> 'version', $4),
        'servers', json_build_array(json_build_object('url', $2)),
        'security', '[{"token":[]},{}]'::json,
        'tags', (SELECT json_agg(json_build_object('name', t.tag, 'description', t.description) ORDER BY t.rank)
                 FROM tag t),
        'paths', (SELECT json_object_agg(p.template, p.item ORDER BY p.rank) FROM path p),
        'components', json_build_object(
            'schemas', (SELECT json_object_agg(s.name, s.value ORDER BY s.n, s.kind) FROM schema s),
            'parameters', (SELECT u.used::json FROM used u WHERE u.rank IS NULL),
            'responses', (SELECT json_object_agg(e.key, e.value)
                          FROM (SELECT a.usual::json FROM answered a WHERE a.rank IS NULL
                                UNION ALL SELECT shared -> 'responses') r(responses), json_each(r.responses) e),
            'headers', shared -> 'headers',
            'securitySchemes', '{"token":{"type":"http","scheme":"bearer","bearerFormat":"JWT"},'
                '"key":{"type":"apiKey","in":"header","name":"apikey",'
                '"description":"The key of an application, instead of a token or besides one"}}'::json))
    FROM shared
$$;
COMMENT ON FUNCTION catalogue.openapi_document(json, text, json, text) IS
'Return the document of catalogue.openapi(), whatever is known
Arguments: service and base, its own.  described, the data of catalogue.describe_all().
title, of the catalogue; NULL: none.';

CREATE FUNCTION catalogue.openapi(service json, base text, actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    title  CONSTANT text := catalogue.config_value('catalogTitle');
    reply  catalogue.reply := catalogue.describe_all($3);
BEGIN
    reply.etag := concat_ws('.', reply.etag, md5(title));
    reply.data := CASE WHEN reply.etag = ANY (string_to_array($4, ',')) THEN NULL
        ELSE catalogue.openapi_document($1, $2, reply.data::json, title)::text END;
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.openapi(json, text, jsonb, text) IS
'Return the OpenAPI document of what the caller may do
Arguments: service, what the shim tells of itself: version; messages, by status; routes, in the order in which they are
tried; parts and forms, by resource the part of a form that is the file, and the type of the form. base, the address of
the service.  actor, as for catalogue.describe(). known, etags of earlier replies, comma-separated.
Returns: data is the document; NULL if the etag is known.
Source: Response envelopes (OPTIONS)';
