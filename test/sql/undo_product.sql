--
-- undo_product: undoing any action on any resource brings back the state of all records, or is refused with 409
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Resources without seeds, and records that others go along with.
INSERT INTO catalogue.webhooks (url, secret, created_by)
VALUES ('https://example.org', 'plain text of a superuser', id_of('users', 'admin'));
SELECT make('restservices', json_build_object('url', 'https://example.org/data', 'parameters', '{}'::json)) <> '' AS
    made;
SELECT make('soapservices', json_build_object('url', 'https://example.org/data', 'method', 'm', 'namespace', 'n',
    'parameters', '{}'::json)) <> '' AS made;
SELECT make('databases', '{"name": "Archive"}') <> '' AS made;
SELECT make('views', '{"name": "View"}') <> '' AS made;
SELECT make('pages', '{"name": "About", "text": "Us"}') <> '' AS made;
SELECT make('datasetrequests', json_build_object('about', 'a', 'description', 'd', 'email', 'a@example.org',
    'categories', id_of('categories', 'Transport'))) <> '' AS made;
SELECT make('questions', json_build_object('dataset', id_of('datasets', 'Airports'), 'text', 'Why?')) <> '' AS made;
SELECT make('rules', '{"role": "guest", "resource": "tags", "action": "delete"}') <> '' AS made;
UPDATE catalogue.users SET active = true;
UPDATE catalogue.configs SET secret = false WHERE secret;

-- All records, of the deletion only that it was.  Left out are times: updatedAt, and those at which a state was entered
-- last, since undoing enters it again.
CREATE FUNCTION state() RETURNS jsonb LANGUAGE plpgsql AS
$$
DECLARE
    all_rows  jsonb := '{}';
    rows      jsonb;
    resource  text;
BEGIN
    FOR resource IN SELECT r.resource FROM catalogue.resource r
                    WHERE r.resource NOT IN ('logs', 'statistics', 'jobs') ORDER BY 1 LOOP
        EXECUTE format('SELECT jsonb_object_agg(t.id, (to_jsonb(t) || jsonb_build_object(''deleted_at'', '
            't.deleted_at IS NOT NULL)) - ''{updated_at,change,session,updated_by,published_at,un_published_at,'
            'rejected_at,cancelled_at,reviewed_at}''::text[]) FROM catalogue.%I t', resource)
            INTO rows;
        all_rows := all_rows || jsonb_build_object(resource, coalesce(rows, '{}'));
    END LOOP;
    RETURN all_rows;
END
$$;
-- The resources and columns in which two states differ.
CREATE FUNCTION differences(before jsonb, after jsonb) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(DISTINCT r.key || '.' || coalesce(c.key, '*'), ', ' ORDER BY r.key || '.' || coalesce(c.key, '*'))
    FROM jsonb_each($1) r, jsonb_each(r.value) i LEFT JOIN LATERAL jsonb_each(i.value) c ON true
    WHERE $2 -> r.key -> i.key -> c.key IS DISTINCT FROM c.value
$$;
-- Make preparations and an action, and undo the newest action on the record; what became of it.  Nothing of it stays.
CREATE FUNCTION trial(id text, preparation text[], statement text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    before   jsonb;
    outcome  text := 'not prepared';
    log      text;
    logged   text[];
    reason   text;
    step     text;
BEGIN
    FOREACH step IN ARRAY preparation LOOP
        EXECUTE step USING id, admin();
    END LOOP;
    before := state();
    logged := ARRAY(SELECT l.id FROM catalogue.logs l WHERE l.resource = $1);
    outcome := 'not accepted';
    EXECUTE statement USING id, admin();
    log := (SELECT l.id FROM catalogue.logs l WHERE l.resource = $1 AND l.id <> ALL (logged));
    outcome := 'no change';
    IF log IS NOT NULL THEN
        outcome := 'refused';
        PERFORM catalogue.undo(log, actor => admin());
        outcome := coalesce('differs: ' || differences(before, state()), 'undone');
    END IF;
    RAISE EXCEPTION 'end of the trial';
EXCEPTION
    WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
        RETURN outcome || CASE WHEN outcome = 'refused'
            THEN concat_ws(' ', ':', SQLSTATE, mask(SQLERRM), reason) ELSE '' END;
END
$$;
-- The first and the last record of a resource.
CREATE FUNCTION one_of(resource text, place text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    id  text;
BEGIN
    EXECUTE format('SELECT id FROM catalogue.%I WHERE deleted_at IS NULL ORDER BY created_at %s, id %2$s LIMIT 1',
        resource, place) INTO id;
    RETURN id;
END
$$;

-- Every field that may be set, and every list, with another value.
CREATE TABLE trials AS
SELECT f.resource, 'update ' || f.field AS action, '{}'::text[] AS preparation,
       format('SELECT catalogue.update(%L, $1, %L, actor => $2)', f.resource, json_build_object(f.field, v.value))
           AS statement
FROM catalogue.field f JOIN catalogue.resource r USING (resource),
    LATERAL (SELECT to_jsonb(one_of(f.reference, 'DESC')) AS value WHERE f.reference IS NOT NULL
             UNION ALL
             SELECT to_jsonb(e) FROM unnest(f.enum) e
             UNION ALL
             SELECT v::jsonb
             FROM unnest(CASE f.type WHEN 'boolean' THEN '{true,false}'::text[]
                 WHEN 'integer' THEN '{7}' WHEN 'number' THEN '{7}' WHEN 'datetime' THEN '{"\"2020-02-03T04:05:06Z\""}'
                 WHEN 'date' THEN '{"\"2020-02-03\""}' WHEN 'json' THEN ARRAY['{"skip": 1}']
                 WHEN 'array' THEN '{[\"a\"]}'
                 ELSE '{}' END) v
             UNION ALL
             SELECT to_jsonb(CASE f.domain WHEN 'color' THEN 'abcdef' WHEN 'email' THEN 'other@example.org'
                 WHEN 'time_pattern' THEN '0 5 * * 1' WHEN 'web_address' THEN 'https://other.example.org/'
                 WHEN 'service_address' THEN 'https://other.example.org/' ELSE 'another_value' END)
             WHERE f.type IN ('string', 'email', 'enum', 'text') AND f.reference IS NULL AND f.enum IS NULL) v
WHERE NOT f.read_only AND NOT r.read_only AND f.field NOT IN ('id', 'createdAt', 'updatedAt', 'createdBy')
UNION ALL
SELECT l.resource, 'update ' || l.relation, '{}',
       format('SELECT catalogue.update(%L, $1, %L, actor => $2)', l.resource,
           json_build_object(l.relation, json_build_array(one_of(l.target, 'DESC'))))
FROM catalogue.relation l WHERE l.kind = 'many-to-many';
-- Every action, also after another one.
CREATE FUNCTION step(resource text, action text) RETURNS text LANGUAGE sql AS
$$
    SELECT CASE WHEN action = 'delete' THEN format('SELECT catalogue.delete(%L, $1, $2)', resource)
                WHEN action IN ('restore', 'deactivate')
                    THEN format('SELECT catalogue.%s(%L, $1, actor => $2)', action, resource)
                ELSE format('SELECT catalogue.act(%L, $1, %L, actor => $2)', resource, action) END
$$;
INSERT INTO trials
SELECT r.resource, concat_ws(', ', nullif(p.actions, ''), a.action),
       ARRAY(SELECT step(r.resource, s) FROM string_to_table(p.actions, ', ') s WHERE s <> ''),
       step(r.resource, a.action)
FROM catalogue.resource r,
    json_array_elements_text((catalogue.describe(r.resource)).data::json -> 'actions') a(action),
    unnest('{"",delete,deactivate,unpublish,"unpublish, review","unpublish, review, reject"}'::text[]) p(actions)
WHERE a.action IN ('delete', 'restore', 'deactivate', 'review', 'cancel', 'reject', 'publish', 'unpublish')
    AND NOT r.read_only;
CREATE TABLE outcomes AS
SELECT t.resource, t.action, o.outcome
FROM trials t, LATERAL (SELECT one_of(t.resource, 'ASC') AS id) i,
    LATERAL (SELECT trial(i.id, t.preparation, t.statement) AS outcome) o;

-- No undoing that was answered left another state.
SELECT resource, action, outcome FROM outcomes WHERE outcome LIKE 'differs%' ORDER BY 1, 2;
SELECT outcome, count(*), string_agg(DISTINCT resource || ' ' || action, ', ' ORDER BY resource || ' ' || action)
FROM outcomes WHERE outcome LIKE 'refused%' GROUP BY 1 ORDER BY 1;
-- What was tried.
SELECT regexp_replace(outcome, ':.*', '') AS outcome, count(*) FROM outcomes GROUP BY 1 ORDER BY 1;
-- Resources of which no update was undone, and actions that none was of.
SELECT resource FROM outcomes GROUP BY 1 HAVING NOT bool_or(outcome = 'undone') ORDER BY 1;
-- Actions, and what became of them by number of resources.
SELECT action, string_agg(outcome || ' ' || count, ', ' ORDER BY outcome) AS outcomes
FROM (SELECT action, outcome, count(*) FROM outcomes WHERE action NOT LIKE 'update%' GROUP BY 1, 2) o
GROUP BY 1 HAVING bool_or(outcome NOT IN ('not accepted', 'not prepared')) ORDER BY 1;
