--
-- no_op_updates: a change that changes nothing keeps updatedAt and the state tag, and is in no log and no history
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
SELECT make_dataset('Rivers') AS dataset \gset
SELECT catalogue.update('datasets', :'dataset',
    json_build_object('tags', json_build_array(id_of('tags', 'water'), id_of('tags', 'health')),
        'optionals', '{"a": [1, 2]}'::json, 'notes', 'old', 'visible', true)) IS NOT NULL AS updated;
SELECT id_of('tags', 'water') AS water, id_of('tags', 'health') AS health \gset

-- Everything that a change leaves: the state tag, updatedAt, log records, states in the history, changes of the
-- resource.
CREATE FUNCTION traces(OUT tag text, OUT at timestamptz, OUT logs bigint, OUT states bigint, OUT changes bigint)
    LANGUAGE sql AS
$$
    SELECT i.etag, (i.data::json ->> 'updatedAt')::timestamptz, (SELECT count(*) FROM catalogue.logs),
           (SELECT count(*) FROM catalogue_history.datasets), (SELECT count(*) FROM catalogue.change)
    FROM catalogue.item('datasets', id_of('datasets', 'Rivers'), actor => admin()) i
$$;
CREATE TABLE before AS SELECT * FROM traces();
CREATE FUNCTION traced() RETURNS TABLE (same_tag boolean, same_time boolean, logs bigint, states bigint, changes bigint)
    LANGUAGE sql AS
$$
    SELECT t.tag = b.tag, t.at = b.at, t.logs - b.logs, t.states - b.states, t.changes - b.changes
    FROM traces() t, before b
$$;

CREATE FUNCTION tried(body text, embedding text DEFAULT 'ids', OUT id text, OUT traces text) LANGUAGE plpgsql AS
$$
DECLARE
    dataset  text := id_of('datasets', 'Rivers');
BEGIN
    SELECT mask(u.id) INTO id
    FROM catalogue.item('datasets', dataset, 'include=categories,subcategories,tags', embedding, actor => admin()) i,
        LATERAL catalogue.update('datasets', dataset, coalesce(body, i.data)::json, 'representation', embedding,
            actor => admin()) u;
    SELECT t::text INTO traces FROM traced() t;
END
$$;

-- Nothing given, what is there already, the same links, JSON with other white space.
SELECT mask(body) AS body, t.id, t.traces
FROM unnest(ARRAY['{}', '{"name": "Rivers"}', '{"notes": "old", "visible": true}',
    format('{"tags": ["%s", "%s"]}', :'water', :'health'),
    format('{"tags": "%s,%1$s,%s", "name": "Rivers"}', :'water', :'health'),
    '{"optionals": {"a":[1,2]}}', '{"nothing": 1}',
    '{"createdAt": "2000-01-01T00:00:00Z", "slug": "x"}']) WITH ORDINALITY b(body,
    n),
LATERAL tried(body) t
    ORDER BY n;

-- The whole record as it was read, with ids and with the related records.
SELECT * FROM tried(NULL);
SELECT * FROM tried(NULL, 'embedded');

-- Plain SQL: rows that would stay as they are are not written.
UPDATE catalogue.datasets SET name = name, notes = 'old' WHERE id = :'dataset';
UPDATE catalogue.datasets SET notes = 'old' WHERE id = :'dataset' RETURNING id;
SELECT * FROM traced();

-- Of several rows those are changed that differ.
UPDATE catalogue.datasets SET notes = 'old';
SELECT count(*) AS others, (SELECT logs FROM traced()) AS logs, (SELECT same_tag FROM traced()) AS same_tag
FROM catalogue.datasets
WHERE notes = 'old' AND name <> 'Rivers';

-- What is asked of a change is asked of this one too: the state, the record, the right, and what else the body says.
SELECT code, message
FROM refusal(format(
    'SELECT catalogue.update(''datasets'', %L, ''{"name": "Rivers"}'', match => ''x'', actor => admin())',
    :'dataset'));
SELECT code, message FROM refusal($$SELECT catalogue.update('datasets', 'nothing', '{}', actor => admin())$$);
SELECT code
FROM refusal(format('SELECT catalogue.update(''datasets'', %L, ''{"name": "Rivers"}'', actor => ''{}'')', :'dataset'));
SELECT code, detail
FROM refusal(format('SELECT catalogue.update(''datasets'', %L, ''{"name": "Rivers", "visible": 7}'', actor => admin())',
    :'dataset'));
SELECT mask(u.id) AS id
FROM traces() t, catalogue.update('datasets', :'dataset', '{}', match => t.tag, actor => admin()) u;

-- Deactivated already: nothing happens again.
SELECT (catalogue.deactivate('categories', id_of('categories', 'Government'), actor => admin())).resource;
SELECT count(*) AS logs,
       (SELECT etag FROM catalogue.item('categories', id_of('categories', 'Government'), actor => admin())) AS tag
FROM catalogue.logs \gset
SELECT (catalogue.deactivate('categories', id_of('categories', 'Government'), actor => admin())).resource;
SELECT count(*) - :logs AS logs,
       (SELECT etag
        FROM catalogue.item('categories', id_of('categories', 'Government'), actor => admin())) = :'tag' AS same_tag
FROM catalogue.logs;
SELECT code, message FROM refusal($$SELECT catalogue.deactivate('categories', 'nothing', actor => admin())$$);

-- What does change is changed: another order of links, a link less, JSON with another value, null.
SELECT mask(body) AS body, t.id, t.traces LIKE '(f,f,%' AS changed
FROM unnest(ARRAY[format('{"tags": ["%s", "%s"]}', :'health', :'water'), format('{"tags": ["%s"]}', :'health'),
    '{"optionals": {"a": [1, "2 "]}}', '{"optionals": {"a": [1, "2"]}}', '{"notes": null}']) WITH ORDINALITY b(body,
    n),
    LATERAL tried(body) t
ORDER BY n;
SELECT string_agg(action::text, ' ' ORDER BY id) AS actions FROM catalogue.logs WHERE resource = :'dataset';
SELECT data::json ->> 'notes' AS notes, mask((data::json -> 'tags')::text) AS tags,
       data::json -> 'optionals' AS optionals
FROM catalogue.item('datasets', :'dataset', actor => admin());
