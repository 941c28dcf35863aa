-- What a user leaves: his records, which go to another user, and his personal data, which are erased.

CREATE FUNCTION catalogue.transfer(resource text, id text, body json, "return" text DEFAULT 'minimal',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_transfer';
COMMENT ON FUNCTION catalogue.transfer(text, text, json, text, text, jsonb, text) IS
'Transfer the records of a user to another user
Arguments: resource, users.  id, the user who has the records.  body, an object: to, id of the user who gets them, who
may log in.  return, relations, actor, match: as for catalogue.update(), of the former user.
Each column that refers to the user and prevents the deletion of the user, such as created_by and owner, names the other
one from then on, in deleted records as well; imports run with the rights of the other one. The log has a record of each
change, and still tells who did what; earlier states keep the former user.
A rule has to grant transfer on users. Who is no superadmin may transfer records to himself only: a webhook sends what
its creator sees, and an import may do what its user may.
Returns: as catalogue.update(); meta has transferred, the numbers of records by resource.
Errors: OD400 to is missing, or no other user who may log in; OD403 no rule grants it, or not for these records; OD404
no such user; OD412 match; OD401.
Source: What the service does 7';

CREATE FUNCTION catalogue.erase(resource text, id text, "return" text DEFAULT 'minimal', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, match text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_erase';
COMMENT ON FUNCTION catalogue.erase(text, text, text, text, jsonb, text) IS
'Erase the personal data of a user for good
Arguments: resource, users.  id, the user, who may be deleted already.  return, relations, actor, match: as for
catalogue.update().
The user is deactivated and cannot log in; user name and e-mail address are replaced by ones made of the id, and all
other fields that are not the role, the organization, a time or a key get their defaults. The same is done in all
earlier states, and in the log records of changes of the user, which say that the values are omitted. Statistics of the
user''s requests become anonymous. Questions about datasets that have an e-mail address of the user are removed with
their replies; requests for datasets get another address, and datasets are not followed any more by it. What others
wrote about the user in texts stays. Nothing brings the data back.
The erasure is a log record itself, which has the hash of each log record that it changed: catalogue.verify_log() names
these as erased, and verifies all others.
A rule has to grant erase on users.
Returns: as catalogue.update(); meta has erased, the numbers of log records that were changed, of earlier
states, of requests, of questions and of requests for datasets.
Errors: OD404 no such user; OD409 no superadmin would be left, or a column that an operator has added takes no default;
OD401; OD403; OD412 match.
Source: What the service does 7';

-- Return the columns of users that are not personal; part of erase().  All others are, those that an operator has added
-- as well.
CREATE FUNCTION catalogue.impersonal_columns() RETURNS text[] LANGUAGE sql IMMUTABLE
    RETURN '{id,password,active,role,organization,session,created_by,created_at,updated_at,deleted_at,deactivated_at,
        change_number,change_ended}'::text[];

-- Replace the personal columns of a user; part of erase().  Arguments: relation, users or its history.  id, the user.
-- fallback, SQL of the value for other columns than user name and e-mail address.  Returns: the number of rows.
CREATE FUNCTION catalogue.erase_columns(relation regclass, id text, fallback text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    replaced  text;
    rows      bigint;
BEGIN
    SELECT string_agg(format('%I = %s', a.attname, CASE a.attname WHEN 'username' THEN quote_literal('erased-' || $2)
               WHEN 'email' THEN quote_literal($2 || '@erased.invalid') ELSE fallback END), ', ') INTO replaced
    FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND a.attname <> ALL (catalogue.impersonal_columns());
    EXECUTE format('UPDATE %s SET %s WHERE id = $1', $1, replaced) USING $2;
    GET DIAGNOSTICS rows = ROW_COUNT;
    RETURN rows;
EXCEPTION
    WHEN integrity_constraint_violation THEN
        RAISE EXCEPTION USING ERRCODE = 'OD409', MESSAGE = 'the user cannot be erased: ' || SQLERRM;
END
$$;

-- Return changes without personal values; part of erase().  Arguments: changes, those of a log record of a user.
CREATE FUNCTION catalogue.erased_changes(changes json) RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT ('{' || string_agg(to_json(c.key)::text || ':' || CASE WHEN c.key = 'erased' OR c.key IN (
                SELECT lower(left(n, 1)) || substr(replace(initcap(replace(n, '_', ' ')), ' ', ''), 2)
                FROM unnest(catalogue.impersonal_columns()) n)
            THEN c.value::text ELSE '{"omitted":true}' END, ',') || '}')::json
    FROM json_each($1) c;
$$;

-- List the names and e-mail addresses that a user has and had; part of erase().  Arguments: id, the user.
CREATE FUNCTION catalogue.former_names(id text) RETURNS TABLE (username text, email text) LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN QUERY
        SELECT u.username::text, u.email::text FROM catalogue.users u WHERE u.id = $1
        UNION SELECT h.username::text, h.email::text FROM catalogue_history.users h WHERE h.id = $1
        UNION SELECT l.changes #>> ARRAY['username', side], l.changes #>> ARRAY['email', side]
        FROM catalogue.logs l, unnest('{before,after}'::text[]) side
        WHERE l.resource = $1 AND l.target = 'user' AND l.changes IS NOT NULL;
END
$$;

-- List the questions about datasets of a user, by his e-mail addresses; part of erase().  Arguments: id, the user.
CREATE FUNCTION catalogue.asked_by(id text) RETURNS text[] LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN ARRAY(SELECT q.id FROM catalogue.questions q
                 WHERE lower(q.email) IN (SELECT lower(n.email) FROM catalogue.former_names($1) n));
END
$$;

-- Remove the deleted questions of a user with their history; part of erase().  Arguments: id, the user.
-- Returns: the number of questions.
CREATE FUNCTION catalogue.erase_questions(id text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    asked  CONSTANT text[] := catalogue.asked_by($1);
BEGIN
    DELETE FROM catalogue.questions q WHERE q.id = ANY (asked);
    DELETE FROM catalogue_history.questions h WHERE h.id = ANY (asked);
    RETURN cardinality(asked);
END
$$;

-- Replace the e-mail addresses of a user in requests for datasets; part of erase().  Arguments: id, the user.  Returns:
-- the number of requests.
CREATE FUNCTION catalogue.erase_datasetrequests(id text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    former  CONSTANT text[] := ARRAY(SELECT lower(n.email) FROM catalogue.former_names($1) n
                                     WHERE n.email <> $1 || '@erased.invalid');
    found   bigint;
BEGIN
    UPDATE catalogue.datasetrequests r SET email = $1 || '@erased.invalid' WHERE lower(r.email) = ANY (former);
    GET DIAGNOSTICS found = ROW_COUNT;
    UPDATE catalogue_history.datasetrequests h SET email = $1 || '@erased.invalid' WHERE lower(h.email) = ANY (former);
    RETURN found;
END
$$;

-- Make the statistics of a user anonymous; part of erase().  Arguments: id, the user.  The requests with each name that
-- the user had, from the time that he was made until he was deleted; and whatever query string has an address of his,
-- or such a name as a value.  Returns: the number of requests.
CREATE FUNCTION catalogue.erase_requests(id text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    began      date;
    ended      date;
    usernames  text[];
    texts      text[];
    found      bigint;
BEGIN
    SELECT u.created_at::date - 1, coalesce(u.deleted_at::date + 1, 'infinity') INTO began, ended
    FROM catalogue.users u WHERE u.id = $1;
    SELECT array_agg(DISTINCT f.username) FILTER (WHERE f.username IS NOT NULL),
           array_agg(DISTINCT lower(replace(f.email, '@', sign))) FILTER (WHERE f.email IS NOT NULL)
               || array_agg(DISTINCT '=' || f.username || '&') FILTER (WHERE f.username IS NOT NULL)
    INTO usernames, texts
    FROM catalogue.former_names($1) f, unnest('{@,%40}'::text[]) sign;
    UPDATE catalogue.statistics s
    SET client = 'anonymous', useragent = '-', ip = '-'
    WHERE s.client = ANY (usernames) AND s.created_at BETWEEN began AND ended;
    GET DIAGNOSTICS found = ROW_COUNT;
    UPDATE catalogue.statistics_by_day d
    SET client = 'anonymous'
    WHERE d.client = ANY (usernames) AND d.day BETWEEN began AND ended;
    UPDATE catalogue.statistics s
    SET querystring = NULL
    WHERE EXISTS (SELECT FROM unnest(texts) t WHERE strpos(lower(s.querystring) || '&', lower(t)) > 0);
    RETURN found;
END
$$;

-- Erase the personal data of a user; part of erase().  Arguments: id, the user, whose row is locked.  Returns: changes,
-- those of the log record of the erasure; with erased, by id the SHA-256 of what catalogue.log_content() returns of
-- each log record that was changed. meta, as for catalogue.erase().
CREATE FUNCTION catalogue.erase_user(id text, OUT changes text, OUT meta text) LANGUAGE plpgsql AS
$$
DECLARE
    requests   bigint := catalogue.erase_requests($1);
    questions  bigint := catalogue.erase_questions($1);
    wanted     bigint := catalogue.erase_datasetrequests($1);
    states     bigint;
    hashes     text;
    logs       bigint;
BEGIN
    WITH erased AS (
        UPDATE catalogue.logs l
        SET changes = catalogue.erased_changes(l.changes)
        WHERE l.resource = $1 AND l.target = 'user'
            AND catalogue.erased_changes(l.changes)::text <> l.changes::text
        RETURNING l.id, catalogue.log_content(l.id, l.action::text, l.target, l.resource, l."user", l.created_at,
                                              l.changes) AS content)
    SELECT coalesce(string_agg(format('"%s":"%s"', e.id, encode(sha256(e.content), 'hex')), ',' ORDER BY e.id), ''),
           count(*) INTO hashes, logs
    FROM erased e;
    UPDATE catalogue_history.logs l
    SET changes = catalogue.erased_changes(l.changes)
    WHERE l.resource = $1 AND l.target = 'user' AND l.changes IS NOT NULL;
    DELETE FROM catalogue.follower f
    WHERE lower(f.email) IN (SELECT lower(u.email) FROM catalogue.users u WHERE u.id = $1
                             UNION SELECT lower(h.email) FROM catalogue_history.users h WHERE h.id = $1);
    states := catalogue.erase_columns('catalogue_history.users', $1, 'NULL');
    PERFORM catalogue.erase_columns('catalogue.users', $1, 'DEFAULT');
    SELECT '{' || string_agg(to_json(f.field)::text || ':{"omitted":true}', ',' ORDER BY f.position)
               || format(',"erased":{"before":null,"after":{%s}}}', hashes) INTO erase_user.changes
    FROM catalogue.field f
    WHERE f.resource = 'users' AND f.column_name <> ALL (catalogue.impersonal_columns());
    meta := format('"erased":{"logs":%s,"states":%s,"requests":%s,"questions":%s,"datasetrequests":%s}', logs, states,
        requests, questions, wanted);
    PERFORM catalogue.touch(r.resource)
    FROM catalogue.resource r WHERE r.resource IN ('users', 'logs', 'statistics', 'questions', 'datasetrequests');
END
$$;
