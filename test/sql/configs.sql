--
-- configs: the value of a setting fits its type, and one of type model names living records
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE FUNCTION test.setting(facts jsonb) RETURNS json LANGUAGE sql AS
$$
    SELECT (jsonb_build_object('key', gen_random_uuid(), 'category', 'site', 'description', 'd') || $1)::json
$$;
CREATE FUNCTION test.tried(facts jsonb, OUT field text, OUT rule text, OUT message text, OUT value text)
    RETURNS SETOF record LANGUAGE sql AS
$$
    SELECT f.*
    FROM (VALUES (true)) t
        LEFT JOIN test.faults(format('SELECT catalogue.create(''configs'', %L, actor => test.admin())',
            test.setting($1))) f
            ON f.field IS NOT NULL
            OR f.rule <> '00000'
$$;

-- Good and bad values of each type; none at all is good for any type.
SELECT type, given, t.rule, t.message, t.value
FROM (VALUES ('bool', 'true'), ('bool', 'false'), ('bool', ' true '), ('bool', 'True'), ('bool', 'yes'), ('bool', '1'),
    ('bool', 'truer'),
    ('int', '0'), ('int', '-20'), ('int', '007'), ('int', '123456789012345678'), ('int', '1234567890123456789'),
    ('int', '1.5'), ('int', '1e3'), ('int', '+1'), ('int', 'ten'), ('int', '1 2'), ('int', '1,2'), ('int', '-'),
    ('int', '٣'),
    ('float', '1'), ('float', '-1.5'), ('float', '1e3'), ('float', '1.5E-3'), ('float', '.5'), ('float', '1,5'),
    ('float', 'NaN'), ('float', 'Infinity'), ('float', '0x10'),
    ('string', 'true'), ('string', 'any text, with commas'), ('string', '<b>'),
    ('group', 'x'), ('group', 'true')) AS v(type, given), tried(jsonb_build_object('type', type, 'value', given)) t;
SELECT type, given, t.rule
FROM unnest('{bool,string,int,float,model,group}'::text[]) type, unnest('{null,"\"\"","\"  \""}'::jsonb[]) given,
    tried(jsonb_build_object('type', type, 'value', given)) t;

-- Several values: each of them.
SELECT type, given, t.rule, t.value
FROM (VALUES ('int', '1,2,3'), ('int', ' 1, 2 ,3 '), ('int', ',1,,2,'), ('int', '1,two,3,four'), ('bool', 'true,false'),
    ('float', '1;2'), ('string', 'a,b'), ('group', 'a,b'), ('int', ',')) AS v(type, given),
    tried(jsonb_build_object('type', type, 'value', given, 'multiple', true)) t;

-- Type model: living records, of the resource that model names as a model or a path, in any letter case.
SELECT make('tags', '{"name": "gone"}') AS gone, id_of('tags', 'water') AS water,
       id_of('tags', 'health') AS health \gset
SELECT catalogue.delete('tags', :'gone', admin()) \g /dev/null
SELECT left(model, 15) AS model, left(mask(given), 40) AS given, multiple, t.field, t.rule, t.message,
    left(mask(t.value), 40) AS value
FROM (VALUES
    ('tag', :'water', NULL), ('Tag', :'water', false), ('TAGS', :'water', NULL), ('fileType', '9WRhpRV', NULL),
        ('updatefrequency', id_of('updatefrequencies', 'Daily'), NULL), ('tag', :'water' || ',' || :'health', true),
        ('tag', :'water' || ' , ' || :'health', true),
    ('tag', :'gone', NULL), ('status', :'water', NULL), ('tag', 'water', NULL), ('tag', 'no-such-id', NULL),
    ('tag', '''; DROP TABLE catalogue.tags; --', NULL), ('tag', repeat('x', 250), NULL),
    ('tag', :'water' || ',' || :'health', false), ('tag', :'water' || ',' || :'gone' || ',x', true),
    (NULL, :'water', NULL), ('', :'water', NULL), ('nothing', :'water', NULL), ('tag'' OR true', :'water', NULL),
    (' tag', :'water', NULL), ('pg_class', '1', NULL), (repeat('x', 1000), '1', NULL))
    AS v(model, given, multiple),
        tried(jsonb_strip_nulls(jsonb_build_object('type', 'model', 'model', model, 'value', given,
            'multiple', multiple))) t;
-- The model of another type is not looked at.
SELECT t.rule FROM tried('{"type": "string", "model": "nothing", "value": "x"}') t;

-- A change of any of them, alone; what stays as it was is not looked at again.
SELECT make('configs', setting('{"type": "int", "value": "5"}')) AS number,
       make('configs', setting(jsonb_build_object('type', 'model', 'model', 'tag', 'value', :'water'))) AS tag,
       make('configs', setting('{"type": "group"}')) AS "group" \gset
CREATE FUNCTION test.changed(id text, body text, OUT field text, OUT rule text, OUT message text, OUT value text)
    RETURNS SETOF record LANGUAGE sql AS
$$
    SELECT f.*
    FROM (VALUES (true)) t
        LEFT JOIN test.faults(format('SELECT catalogue.update(''configs'', %L, %L, actor => test.admin())', $1, $2)) f
            ON f.field IS NOT NULL
            OR f.rule <> '00000'
$$;
SELECT body, t.*
FROM unnest(
    '{"{\"value\": \"six\"}","{\"type\": \"bool\"}","{\"type\": \"group\"}","{\"type\": \"model\"}",
        "{\"type\": \"model\", \"model\": \"tag\"}","{\"type\": \"model\", \"model\": \"tag\", \"value\": null}",
        "{\"type\": \"int\", \"value\": \"6\"}","{\"multiple\": true, \"value\": \"6,7\"}","{\"multiple\": false}",
        "{\"multiple\": false, \"type\": \"string\"}"}'::text[]) WITH ORDINALITY b(body,
    n),
    changed(:'number', body) t
ORDER BY n;
SELECT mask(body) AS body, t.field, t.rule, t.message, mask(t.value) AS value
FROM unnest(ARRAY['{"value": "x"}', '{"model": "status"}', '{"model": null}', '{"type": "int"}', '{"type": "string"}',
    format('{"type": "model", "value": "%s"}', :'health')]) WITH ORDINALITY b(body,
    n),
    changed(:'tag', body) t
ORDER BY n;
SELECT t.* FROM changed(:'group', '{"value": "x", "tooltip": "t"}') t;
-- A child of a group as any other.
SELECT t.* FROM tried(jsonb_build_object('type', 'bool', 'value', 'on', 'parent', :'group')) t;
-- All faults at once, also where the type is that of the record as it is.
SELECT t.*
FROM changed(id_of('configs', 'minZoom'), '{"value": "x", "multiple": false, "category": "nowhere", "key": ""}') t;
SELECT mask(t.value) AS value, t.field, t.rule FROM changed(:'tag', '{"value": "x", "category": "nowhere"}') t;
SELECT t.* FROM tried('{"type": "integer", "value": "x", "category": "nowhere"}') t;
-- A secret one is not told back.
SELECT t.* FROM tried('{"type": "int", "value": "hush", "secret": true}') t;

-- In SQL as well.
SELECT * FROM refusal($$UPDATE catalogue.configs SET value = 'many' WHERE key = 'adminPagination'$$);
SELECT code, message FROM refusal($$UPDATE catalogue.configs SET value = 'nothing' WHERE key = 'defaultStatus'$$);
SELECT code, message
FROM refusal($$INSERT INTO catalogue.configs (key, type, category, description, model, value)
    VALUES ('k', 'model', 'site', 'd', 'status', 'nothing')$$);
UPDATE catalogue.configs SET value = 'qWRhpRV' WHERE key = 'defaultStatus' RETURNING value;

-- A record that a living setting names is in use, whatever else the value names.
SELECT make('tags', '{"name": "used"}') AS used, make('tags', '{"name": "also"}') AS also \gset
SELECT make('configs',
    setting(jsonb_build_object('type', 'model', 'model', 'Tag', 'multiple', true,
        'value', :'used' || ', ' || :'also'))) AS naming,
       make('configs', setting(jsonb_build_object('type', 'model', 'model', 'tags', 'value', :'also'))) AS second \gset
SELECT make('configs',
    setting(jsonb_build_object('type', 'string', 'model', 'tag',
        'value', :'used'))) IS NOT NULL AS "a text names nothing";
SELECT code, mask(message) AS message, detail
FROM unnest(ARRAY[:'used', :'also']) WITH ORDINALITY i(id, n),
    LATERAL refusal(format('SELECT catalogue.delete(''tags'', %L, admin())', id))
ORDER BY n;
SELECT code, mask(message) AS message, detail FROM refusal(format('DELETE FROM catalogue.tags WHERE id = %L', :'used'));
-- A setting counts with what else refers, and one that names itself is not in its own way.
SELECT code, detail
FROM refusal($$SELECT catalogue.delete('organizations', id_of('organizations', 'Open Data Office'), admin())$$);
SELECT make('configs', setting('{"type": "model", "model": "config"}')) AS itself \gset
SELECT (catalogue.update('configs', :'itself', json_build_object('value', :'itself'),
    actor => admin())).id IS NOT NULL AS named,
       (catalogue.delete('configs', :'itself', admin())).id IS NOT NULL AS deleted;
-- clear() takes no resource that a setting names, nor one that a deleted setting does.
SELECT make('databases', '{"name": "named"}') AS database \gset
SELECT make('configs',
    setting(jsonb_build_object('type', 'model', 'model', 'database', 'value', :'database'))) AS of_database \gset
SELECT * FROM refusal($$SELECT catalogue.clear('databases')$$);
SELECT (catalogue.delete('configs', :'of_database', admin())).id IS NOT NULL AS deleted;
SELECT code, message, detail FROM refusal($$SELECT catalogue.clear('databases')$$);
-- A deleted setting is in nobody's way; it comes back only while what it names lives.
SELECT (catalogue.delete('configs', :'naming', admin())).id IS NOT NULL AS deleted;
SELECT (catalogue.delete('tags', :'used', admin())).id IS NOT NULL AS deleted;
SELECT code, message, mask(detail) AS detail
FROM refusal(format('SELECT catalogue.restore(''configs'', %L, actor => admin())', :'naming'));
SELECT (catalogue.restore('tags', :'used', actor => admin())).id IS NOT NULL AS restored;
SELECT (catalogue.restore('configs', :'naming', actor => admin())).id IS NOT NULL AS restored;

-- A setting of the service takes some words, whatever of it changes with its value; none at all is good.
SELECT given, t.rule, t.message, t.value
FROM unnest('{dcat-ap,DCAT-AP-3,"dcat-ap-2,dcat-ap-3"," "}'::text[]) given,
    tried(jsonb_build_object('type', 'string', 'key', 'catalogProfile', 'value', given, 'multiple', true)) t;
UPDATE catalogue.configs SET deleted_at = now() WHERE key = 'catalogProfile';
SELECT make('configs', setting('{"type": "string", "key": "catalogProfile", "value": "dcat-ap-2"}')) AS profile,
    make('configs', setting('{"type": "string", "key": "other", "value": "x"}')) AS other \gset
SELECT change, t.rule, t.message, t.value
FROM unnest(ARRAY['{"value": "dcat-ap-3"}', '{"value": "dcat-us-1.1"}', '{"value": "dcat-us-3"}',
    '{"value": ""}', '{"value": null}', '{"value": "x"}', '{"type": "string", "value": "x"}',
    '{"type": "text", "value": "x"}']) change, changed(:'profile', change) t;
UPDATE catalogue.configs SET deleted_at = now() WHERE id = :'profile';
SELECT t.rule, t.value FROM changed(:'other', '{"key": "catalogProfile"}') t;

-- The accent colour of pages can be read on light ground; that of dark ground is made of it. #767676 has a contrast of
-- 4.54 to white, and less to the tint on which its links stand.
SELECT make('configs', setting('{"type": "string", "key": "accentColor", "value": "0b5cad"}')) AS accent \gset
SELECT given, t.rule, t.message, catalogue.accent_colors(given) AS colors
FROM unnest('{#0B5CAD,000000,b00020,1d7a46,767676,ffcc00,ffffff,red,0b5ca,0b5cad0,#,"0b5cad,000000",""}'::text[]) given
    LEFT JOIN LATERAL changed(:'accent', jsonb_build_object('value', given)::text) t ON true;
SELECT t.rule, t.message FROM tried('{"type": "string", "key": "accentColor", "value": "eeeeee"}') t;

-- A setting from before that does not fit can be changed, but for its value.
SELECT make('configs', setting('{"type": "int", "key": "before"}')) AS before \gset
SET session_replication_role = replica;
UPDATE catalogue.configs SET value = 'many' WHERE id = :'before';
RESET session_replication_role;
SELECT t.* FROM changed(:'before', '{"tooltip": "t", "value": "many", "type": "int"}') t;
SELECT t.* FROM changed(:'before', '{"value": "more"}') t;
