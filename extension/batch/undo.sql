-- Undo: the reversal of an action that the log tells of.

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

-- Names of fields that a client may set, and the digest of the bytes of a file, which come back with it.
CREATE FUNCTION catalogue.settable_changes(resource text, changes jsonb, actor jsonb) RETURNS jsonb
    LANGUAGE sql STABLE AS
$$
    SELECT coalesce(jsonb_object_agg(c.key, c.value), '{}')
    FROM jsonb_each($2) c
    WHERE NOT EXISTS (SELECT FROM json_each((catalogue.describe($1, $3)).data::json -> 'fields') f
                      WHERE f.key = c.key AND (f.value ->> 'readOnly')::boolean)
        OR ($1 = 'files' AND c.key = 'sha256');
$$;
COMMENT ON FUNCTION catalogue.settable_changes(text, jsonb, jsonb) IS
    'Return the changes that an update can undo; part of undo()';

-- A field that others changed since is not overwritten.
CREATE FUNCTION catalogue.undo_body(resource text, id text, changes jsonb, actor jsonb) RETURNS jsonb
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
    RETURN (SELECT coalesce(jsonb_object_agg(c.key, c.value -> 'before'), '{}') FROM jsonb_each($3) c);
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

-- An image goes with the address that leads to it; the bytes of one that was replaced or removed are not found again.
CREATE FUNCTION catalogue.undo_image(record text, changes jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS
$$
DECLARE
    own  text := '/(categories|organizations)/' || $1 || '/image$';
BEGIN
    IF $2 #>> '{image,after}' ~ own AND $2 #>> '{image,before}' IS NULL THEN
        RETURN '{"deleteImage": true}';
    END IF;
    PERFORM catalogue.refuse_undo(
        ARRAY(SELECT c.key FROM jsonb_each($2) c
              WHERE c.key = 'fileName' OR c.key = 'image' AND c.value ->> 'before' ~ own),
        'had bytes that are not kept');
    RETURN '{}';
END
$$;
COMMENT ON FUNCTION catalogue.undo_image(text, jsonb) IS
    'Return what undoes a change of an image; part of undo()';

-- Make an update that undoes changes, and see that it does.
CREATE FUNCTION catalogue.undo_update(log text, path text, record text, changes jsonb, "return" text, relations text,
    actor jsonb) RETURNS catalogue.reply LANGUAGE plpgsql AS
$$
DECLARE
    undone  jsonb := catalogue.settable_changes(path, changes, $7);
    body    jsonb := catalogue.undo_body(path, record, undone, $7);
    reply   catalogue.reply;
    other   json;
BEGIN
    IF undone = '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409',
            MESSAGE = 'the action cannot be undone: the log has no change that an update can undo';
    END IF;
    IF undone ? 'sha256' THEN
        reply := catalogue.undo_bytes(log, (body - 'sha256')::json, $5, $6, $7);
    ELSE
        IF path = 'categories' THEN
            body := body || catalogue.undo_image(record, undone);
        END IF;
        reply := catalogue.update(path, record, body::json, $5, $6, $7);
    END IF;
    IF undone ? 'status' THEN
        FOR other IN SELECT f FROM json_array_elements(catalogue.followers(log, path, record)) f LOOP
            PERFORM catalogue.refuse_undo(
                CASE WHEN (other ->> 'changed')::boolean THEN '{status}'::text[] ELSE '{}' END,
                format('that of %s "%s" followed, and was changed since', other ->> 'path', other ->> 'id'));
            PERFORM catalogue.update(other ->> 'path', other ->> 'id', json_build_object('status', other -> 'status'),
                actor => $7);
        END LOOP;
    END IF;
    PERFORM catalogue.check_undone(path, record, undone, $7);
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.undo_update(text, text, text, jsonb, text, text, jsonb) IS
'Undo an update
Arguments: log, id of the log record.  path, record, its resource and id.  changes, those of the log record.  return,
relations, actor: as for catalogue.update().  Part of undo().
Returns: as catalogue.update().  Errors: as catalogue.undo().
Source: Log (action log)';

CREATE FUNCTION catalogue.undo(id text, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply LANGUAGE plpgsql AS
$$
DECLARE
    entry    jsonb := (catalogue.item('logs', $1, 'fields=action,target,resource,changes', 'ids', $4)).data;
    record   text := entry ->> 'resource';
    path     text := catalogue.path_of_model(entry ->> 'target');
    changes  jsonb := coalesce(nullif(entry -> 'changes', 'null'), '{}');
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
    RETURN catalogue.undo_update($1, path, record, changes, $2, $3, $4);
EXCEPTION
    WHEN SQLSTATE 'OD400' OR SQLSTATE 'OD404' OR SQLSTATE 'OD415' THEN
        GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = 'the action cannot be undone: ' || SQLERRM, DETAIL = detail;
END
$$;
COMMENT ON FUNCTION catalogue.undo(text, text, text, jsonb) IS
'Undo an action of the log
Arguments: id, that of the log record.  return, relations, actor: as for catalogue.update().
A created record is deleted, a deleted one is restored, changed fields get the values that they had before. A file gets
the bytes that it had, which are kept as long as catalogue.history_retention, and its rows are read from them anew. The
actor needs the rules that this takes. It is one more action, with a log record of its own, which can be undone too.
Returns: as catalogue.update(), of the record that was changed.
Errors: OD409 a field was changed since, its value is not in the log, the bytes are not kept any more, nothing of the
change can be undone, or what the record would refer to is gone, with the fields as JSON in the detail; the record is
deleted, or restored already; OD404 no such log record, or the actor sees none; OD401; OD403; OD405.
Source: Log (action log)';
