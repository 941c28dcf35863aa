-- The action log of a record, and the reversal of what it tells of.
CREATE FUNCTION catalogue.record_logs(resource text, id text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_record_logs';
COMMENT ON FUNCTION catalogue.record_logs(text, text, text, text, jsonb, text) IS
'List the action log of a record
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug; also of a deleted record.  query,
relations, actor, known: as for catalogue.list(), of the log.
Returns: as catalogue.list(), of the log records of this record, whatever else the query says.
Errors: OD404 no such record, or the actor sees no log; as catalogue.list().
Source: Log (action log); extension/read/list.c';

CREATE FUNCTION catalogue.path_of_model(model text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_path_of_model';
COMMENT ON FUNCTION catalogue.path_of_model(text) IS
'Return the path word of a resource
Arguments: model, the singular name, any letter case, as the log has it.  Returns: NULL if there is no such resource.
Source: Log (action log); extension/services/describe.c';

-- Raise OD409 with the message for each of the fields.
CREATE FUNCTION catalogue.refuse_undo(fields text[], message text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF fields <> '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409',
            MESSAGE = 'the action cannot be undone because of ' || array_to_string(fields, ', '),
            DETAIL = (SELECT json_object_agg(f, json_build_array(json_build_object('rule', 'undo', 'message', $2)))
                      FROM unnest(fields) f);
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.refuse_undo(text[], text) IS 'Refuse to undo changes of these fields; part of undo()';

-- Names of fields that a client may set.
CREATE FUNCTION catalogue.settable_changes(resource text, changes jsonb, actor jsonb) RETURNS jsonb
    LANGUAGE sql STABLE AS
$$
    SELECT coalesce(jsonb_object_agg(c.key, c.value), '{}')
    FROM jsonb_each($2) c
    WHERE NOT EXISTS (SELECT FROM json_each((catalogue.describe($1, $3)).data::json -> 'fields') f
                      WHERE f.key = c.key AND (f.value ->> 'readOnly')::boolean);
$$;
COMMENT ON FUNCTION catalogue.settable_changes(text, jsonb, jsonb) IS
    'Return the changes of fields that clients can set; part of undo()';

-- A field that others changed since is not overwritten.
CREATE FUNCTION catalogue.undo_body(resource text, id text, changes jsonb, actor jsonb) RETURNS json
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    present  jsonb := (catalogue.item($1, $2, '', 'ids', $4)).data;
BEGIN
    PERFORM catalogue.refuse_undo(ARRAY(SELECT c.key FROM jsonb_each($3) c WHERE c.value ? 'omitted'),
        'has a value that the log does not have');
    PERFORM catalogue.refuse_undo(ARRAY(SELECT c.key FROM jsonb_each($3) c
                                        WHERE present -> c.key IS DISTINCT FROM c.value -> 'after'),
        'was changed since');
    RETURN (SELECT coalesce(json_object_agg(c.key, c.value -> 'before'), '{}') FROM jsonb_each($3) c);
END
$$;
COMMENT ON FUNCTION catalogue.undo_body(text, text, jsonb, jsonb) IS
    'Return the body of an update that undoes changes; part of undo()';

-- A field that the actor may not set, such as a state, is ignored by an update.
CREATE FUNCTION catalogue.check_undone(resource text, id text, changes jsonb, actor jsonb) RETURNS void
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    present  jsonb := (catalogue.item($1, $2, '', 'ids', $4)).data;
BEGIN
    PERFORM catalogue.refuse_undo(ARRAY(SELECT c.key FROM jsonb_each($3) c
                                        WHERE present -> c.key IS DISTINCT FROM c.value -> 'before'),
        'cannot be set to its earlier value');
END
$$;
COMMENT ON FUNCTION catalogue.check_undone(text, text, jsonb, jsonb) IS
    'Raise an error unless all changes are undone; part of undo()';

CREATE FUNCTION catalogue.undo(id text, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply LANGUAGE plpgsql AS
$$
DECLARE
    entry    jsonb := (catalogue.item('logs', $1, 'fields=action,target,resource,changes', 'ids', $4)).data;
    record   text := entry ->> 'resource';
    path     text := catalogue.path_of_model(entry ->> 'target');
    changes  jsonb := coalesce(nullif(entry -> 'changes', 'null'), '{}');
    reply    catalogue.reply;
    detail   text;
BEGIN
    IF path IS NULL OR record = '*' THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = CASE WHEN path IS NULL
            THEN format('the action cannot be undone: there is no resource of model "%s"', entry ->> 'target')
            ELSE 'the action cannot be undone: it removed all records for good' END;
    END IF;
    IF entry ->> 'action' = 'create' OR changes #>> '{deletedAt,before}' IS NOT NULL THEN
        RETURN catalogue.delete(path, record, $4, NULL, $2, $3);
    ELSIF entry ->> 'action' = 'delete' OR changes #>> '{deactivatedAt,after}' IS NOT NULL THEN
        RETURN catalogue.restore(path, record, $2, $3, $4);
    ELSIF changes #>> '{deactivatedAt,before}' IS NOT NULL THEN
        RETURN catalogue.deactivate(path, record, $2, $3, $4);
    END IF;
    changes := catalogue.settable_changes(path, changes, $4);
    reply := catalogue.update(path, record, catalogue.undo_body(path, record, changes, $4), $2, $3, $4);
    PERFORM catalogue.check_undone(path, record, changes, $4);
    RETURN reply;
EXCEPTION
    WHEN SQLSTATE 'OD400' OR SQLSTATE 'OD404' THEN
        GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = 'the action cannot be undone: ' || SQLERRM, DETAIL = detail;
END
$$;
COMMENT ON FUNCTION catalogue.undo(text, text, text, jsonb) IS
'Undo an action of the log
Arguments: id, that of the log record.  return, relations, actor: as for catalogue.update().
A created record is deleted, a deleted one is restored, changed fields get the values that they had before. The actor
needs the rules that this takes. It is one more action, with a log record of its own, which can be undone too.
Returns: as catalogue.update(), of the record that was changed.
Errors: OD409 a field was changed since, its value is not in the log, or what the record would refer to is gone, with
the fields as JSON in the detail; the record is deleted, or restored already; OD404 no such log record, or the actor
sees none; OD401; OD403; OD405.
Source: Log (action log); sql/31-log.sql';
