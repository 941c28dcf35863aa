-- Tables become resources of the API: catalogue.expose(), and what it maintains for each.
-- Decisions: docs/explanation/decisions.md#sql

CREATE FUNCTION catalogue.require_table(relation oid, role text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    fault  record;
BEGIN
    SELECT * INTO fault FROM catalogue.table_fault(relation);
    IF fault.reason IS NOT NULL THEN
        RAISE wrong_object_type
            USING MESSAGE = format('%s cannot be a %s', catalogue.qualified_name(relation), role),
            DETAIL = fault.reason, HINT = fault.remedy;
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.require_table(oid, text) IS
'Refuse a table that cannot be a resource or a join table
Arguments: relation, the table''s oid; role, what it is to be, for the message.  Errors: 42809 with the reason, as
catalogue.table_fault() gives it. Called by catalogue.expose() and catalogue.expose_links().';

-- Replace the names of states by the ids of their statuses.  Arguments: target, a table. shown, as for
-- catalogue.expose().  Returns: shown; part of catalogue.expose(). Errors: 22023 neither a state nor the id of a
-- status.
CREATE FUNCTION catalogue.with_statuses(target regclass, shown jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS
$$
DECLARE
    member  record;
    status  text;
BEGIN
    FOR member IN
        SELECT ARRAY[s.key, c.key] AS path, c.value #>> '{}' AS word
        FROM jsonb_each(shown) s
            CROSS JOIN LATERAL jsonb_each(CASE jsonb_typeof(s.value) WHEN 'object' THEN s.value ELSE '{}' END) c
            JOIN pg_catalog.pg_attribute a ON a.attrelid = target AND a.attname = c.key
            JOIN pg_catalog.pg_constraint k ON k.conrelid = target AND k.contype = 'f' AND k.conkey = ARRAY[a.attnum]
        WHERE jsonb_typeof(c.value) = 'string' AND k.confrelid = to_regclass('catalogue.statuses')
    LOOP
        SELECT s.id INTO status FROM catalogue.states() s WHERE member.word IN (s.state, s.id);
        IF FOUND THEN
            shown := jsonb_set(shown, member.path, to_jsonb(status));
        ELSIF NOT EXISTS (SELECT FROM catalogue.statuses t WHERE t.id = member.word) THEN
            RAISE invalid_parameter_value
                USING MESSAGE = format('"shown" is not understood: "%s" is no status', member.word),
                HINT = format('It takes %s, or the id of a status.',
                    (SELECT string_agg(s.state, ', ') FROM catalogue.states() s));
        END IF;
    END LOOP;
    RETURN shown;
END
$$;

-- Refuse a table that lacks what a resource needs; part of expose().
CREATE FUNCTION catalogue.require_resource(target regclass) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    path    CONSTANT text := (SELECT c.relname FROM pg_catalog.pg_class c WHERE c.oid = target);
    shape   CONSTANT text := 'A resource needs: id catalogue.id PRIMARY KEY, created_at and updated_at timestamptz '
                             'NOT NULL DEFAULT now(), deleted_at timestamptz.';
    needed  text;
BEGIN
    IF path ~ '[A-Z]' THEN
        RAISE invalid_name USING MESSAGE = format('table "%s" has a capital letter in its name', path),
            HINT = 'The name is the path of the resource, in which letter case does not count: rename the table.';
    END IF;
    FOREACH needed IN ARRAY ARRAY['id', 'created_at', 'updated_at', 'deleted_at'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_attribute
                       WHERE attrelid = target AND attname = needed AND NOT attisdropped) THEN
            RAISE undefined_column USING MESSAGE = format('table "%s" has no column "%s"', path, needed),
                HINT = shape;
        END IF;
    END LOOP;
    SELECT a.attname INTO needed FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = target AND NOT a.attisdropped
      AND (a.attname = 'id' AND (catalogue.base_type(a.atttypid) NOT IN ('varchar'::regtype, 'text'::regtype)
                                 OR NOT EXISTS (SELECT FROM pg_catalog.pg_index x
                                                WHERE x.indrelid = target AND x.indisprimary
                                                    AND x.indkey::text = a.attnum::text))
           OR a.attname IN ('created_at', 'updated_at', 'deleted_at') AND a.atttypid <> 'timestamptz'::regtype);
    IF FOUND THEN
        RAISE datatype_mismatch
            USING MESSAGE = format('column "%s" of table "%s" is not what a resource needs', needed, path),
            HINT = shape;
    END IF;
END
$$;

-- Check which records are to be shown to whom, and add the columns that say whether outsiders see the record of a key;
-- part of expose().
CREATE FUNCTION catalogue.add_shown(target regclass, shown jsonb) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    member  record;
BEGIN
    FOR member IN
        SELECT s.key AS audience, s.value AS what, c.key AS name,
               CASE WHEN jsonb_typeof(c.value) <> 'object'
                    THEN coalesce(catalogue.base_type(a.atttypid)
                                  IN ('boolean'::regtype, 'varchar'::regtype, 'text'::regtype), false)
                    WHEN c.value = '{"shown": true}'
                    THEN s.key = 'outsiders'
                         AND EXISTS (SELECT FROM pg_catalog.pg_constraint k
                                         JOIN catalogue.resource p ON p.relation = k.confrelid
                                     WHERE k.conrelid = target AND k.contype = 'f' AND k.conkey = ARRAY[a.attnum]
                                         AND k.confrelid <> target)
                    ELSE c.value IN ('{"not": true}', '{"not": false}')
                         AND catalogue.base_type(a.atttypid) = 'boolean'::regtype END AS fits
        FROM jsonb_each(shown) s
            LEFT JOIN LATERAL jsonb_each(CASE jsonb_typeof(s.value) WHEN 'object' THEN s.value ELSE '{}' END) c ON true
            LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = target AND a.attname = c.key AND NOT a.attisdropped
    LOOP
        IF member.audience NOT IN ('outsiders', 'internal') OR (member.name IS NULL AND member.what <> 'false')
            OR (member.name IS NOT NULL AND NOT member.fits) THEN
            RAISE invalid_parameter_value
                USING MESSAGE = format('"shown" is not understood: "%s"', coalesce(member.name, member.audience)),
                HINT = 'It takes outsiders and internal: false, or an object of columns of '
                       'type boolean or text and their values.';
        END IF;
        IF member.audience = 'outsiders' AND member.what -> member.name = '{"shown": true}' THEN
            PERFORM catalogue.add_columns(target,
                format('%I catalogue.shown NOT NULL DEFAULT true', member.name || '_shown'));
            EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', target, member.name || '_shown',
                'Whether outsiders see the record of ' || member.name || ', kept by the service');
        END IF;
    END LOOP;
END
$$;

-- Make the indexes of a resource besides those of keys and search; part of expose().
CREATE FUNCTION catalogue.index_resource(target regclass, unique_living text[]) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    path  CONSTANT text := (SELECT c.relname FROM pg_catalog.pg_class c WHERE c.oid = target);
    word  text;
BEGIN
    FOREACH word IN ARRAY unique_living LOOP
        EXECUTE format('CREATE UNIQUE INDEX IF NOT EXISTS %I ON %s (%s) WHERE deleted_at IS NULL',
            catalogue.index_name(path, '_' || word || '_living'), target,
            CASE WHEN word = 'slug'
                      OR (SELECT t.typcategory <> 'S'
                          FROM pg_catalog.pg_attribute a
                              JOIN pg_catalog.pg_type t ON t.oid = catalogue.base_type(a.atttypid)
                          WHERE a.attrelid = target AND a.attname = word)
                 THEN quote_ident(word)
                 ELSE format('lower(%I)', word) END);
    END LOOP;
    -- for paths with a slug in place of an id
    IF NOT 'slug' = ANY (unique_living)
        AND EXISTS (SELECT FROM pg_catalog.pg_attribute a
                    WHERE a.attrelid = target AND a.attname = 'slug' AND NOT a.attisdropped
                        AND a.attgenerated = '') THEN
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (slug) WHERE deleted_at IS NULL',
            catalogue.index_name(path, '_slug'), target);
    END IF;
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (created_at, id) WHERE deleted_at IS NULL',
        catalogue.index_name(path, '_order'), target);
END
$$;

-- Make the indexes by which lists are sorted; part of expose().  Arguments: target, the table; ordered, its columns.
-- Nulls are behind all values in both directions.
CREATE FUNCTION catalogue.index_orders(target regclass, ordered text[]) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    path  CONSTANT text := (SELECT c.relname FROM pg_catalog.pg_class c WHERE c.oid = target);
    key   record;
BEGIN
    FOR key IN
        SELECT o.name, a.attnotnull AS filled, a.attnum IS NOT NULL AS there,
               EXISTS (SELECT FROM pg_catalog.pg_opclass k JOIN pg_catalog.pg_am m ON m.oid = k.opcmethod
                       WHERE m.amname = 'btree' AND k.opcdefault AND k.opcintype IN (b.oid,
                           CASE WHEN b.typcategory = 'S' THEN 'text'::regtype
                                WHEN b.typtype = 'e' THEN 'anyenum'::regtype END)) AS sortable,
               format(CASE WHEN b.typcategory = 'S' THEN '%I COLLATE "und-x-icu"' ELSE '%I' END, o.name) AS value
        FROM unnest(ordered) o(name)
            LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = target AND a.attname = o.name AND a.attnum > 0
                AND NOT a.attisdropped
            LEFT JOIN pg_catalog.pg_type b ON b.oid = catalogue.base_type(a.atttypid)
    LOOP
        IF NOT key.there THEN
            RAISE undefined_column USING MESSAGE = format('column "%s" of table "%s" does not exist', key.name, path);
        ELSIF NOT key.sortable THEN
            RAISE datatype_mismatch USING
                MESSAGE = format('column "%s" of table "%s" cannot be sorted', key.name, path),
                HINT = 'Its type has no order.';
        END IF;
        IF key.name = 'updated_at' AND catalogue.update_order_of(path) IS NOT NULL THEN
            CONTINUE; -- catalogue.recount() fills catalogue.update_order
        END IF;
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (%s, id) WHERE deleted_at IS NULL',
            catalogue.index_name(path, '_by_' || key.name), target, key.value);
        IF NOT key.filled THEN
            EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (%s DESC NULLS LAST, id DESC) WHERE deleted_at IS NULL',
                catalogue.index_name(path, '_by_' || key.name || '_desc'), target, key.value);
        END IF;
    END LOOP;
END
$$;

-- Make the triggers of a resource, and describe the columns that each has; part of expose().
CREATE FUNCTION catalogue.attach_triggers(target regclass) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    key  record;
BEGIN
    FOR key IN SELECT * FROM (VALUES
        ('rules', 'BEFORE INSERT OR UPDATE ON %s FOR EACH ROW', 'check_record'),
        ('logical_deletion', 'BEFORE DELETE ON %s FOR EACH ROW', 'delete_logically'),
        ('inserted', 'AFTER INSERT ON %s REFERENCING NEW TABLE AS new FOR EACH STATEMENT', 'record_changes'),
        ('updated', 'AFTER UPDATE ON %s REFERENCING OLD TABLE AS old NEW TABLE AS new FOR EACH STATEMENT',
            'record_changes'),
        ('truncated', 'AFTER TRUNCATE ON %s FOR EACH STATEMENT', 'check_truncation'))
        AS t(name, form, function)
    LOOP
        EXECUTE format('CREATE OR REPLACE TRIGGER %I ' || key.form || ' EXECUTE FUNCTION catalogue.%I()', key.name,
            target, key.function);
    END LOOP;
    EXECUTE format('COMMENT ON COLUMN %s.id IS %L', target, 'Identifier, made by the service');
    EXECUTE format('COMMENT ON COLUMN %s.created_at IS %L', target, 'When the record was created');
    EXECUTE format('COMMENT ON COLUMN %s.updated_at IS %L', target, 'When the record was changed last');
    EXECUTE format('COMMENT ON COLUMN %s.deleted_at IS %L', target,
        'When the record was deleted or deactivated; shown to internal users only');
END
$$;

CREATE FUNCTION catalogue.expose(resource text, model text, searchable text[] DEFAULT '{}',
    unique_living text[] DEFAULT '{}',
    read_only boolean DEFAULT false, logged boolean DEFAULT true, newest_first boolean DEFAULT false,
    actions text[] DEFAULT '{}', fixed text[] DEFAULT '{}',
    at_least_one text[] DEFAULT '{}', unless jsonb DEFAULT '{}', limits jsonb DEFAULT '{}',
    conditions jsonb DEFAULT '{}',
    shown jsonb DEFAULT '{}', guarded boolean DEFAULT false, reserved text[] DEFAULT '{}', kept text[] DEFAULT '{}',
    closed text[] DEFAULT '{}', counted text[] DEFAULT '{}', ordered text[] DEFAULT '{}')
    RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    target  regclass := coalesce(to_regclass(format('catalogue.%I', $1)), to_regclass($1));
    path    text;
BEGIN
    IF target IS NULL THEN
        RAISE undefined_table USING MESSAGE = format('table "%s" does not exist', $1);
    END IF;
    PERFORM catalogue.require_table(target, 'resource');
    SELECT relname INTO path FROM pg_catalog.pg_class WHERE oid = target;
    PERFORM catalogue.require_resource(target);
    PERFORM catalogue.add_shown(target, shown);
    shown := catalogue.with_statuses(target, shown);
    INSERT INTO catalogue.resource AS r
        VALUES (path, $2, target, $3, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19, $20)
        ON CONFLICT ON CONSTRAINT resource_pkey
            DO UPDATE SET (model, relation, searchable, read_only, logged, newest_first, actions, fixed, at_least_one,
                unless, limits, conditions, shown, guarded, reserved, kept, closed, counted, ordered)
            = (excluded.model, excluded.relation, excluded.searchable, excluded.read_only, excluded.logged,
               excluded.newest_first, excluded.actions, excluded.fixed,
               excluded.at_least_one, excluded.unless, excluded.limits, excluded.conditions, excluded.shown,
               excluded.guarded, excluded.reserved, excluded.kept, excluded.closed, excluded.counted,
               excluded.ordered);
    PERFORM catalogue.index_resource(target, unique_living);
    -- by name is the most frequent order
    PERFORM catalogue.index_orders(target,
        ordered || ARRAY(SELECT 'name' WHERE 'name' = ANY (unique_living) AND 'name' <> ALL (ordered)));
    PERFORM catalogue.index_keys(target);
    PERFORM catalogue.index_search(target, searchable);
    PERFORM catalogue.attach_triggers(target);
    PERFORM catalogue.keep_history(path);
    PERFORM catalogue.follow_shown(path);
    PERFORM catalogue.recount(path);
    PERFORM catalogue.grant_table(target);
END
$$;
COMMENT ON FUNCTION catalogue.expose(text, text, text[], text[], boolean, boolean, boolean, text[], text[], text[],
    jsonb, jsonb, jsonb, jsonb, boolean, text[], text[], text[], text[], text[]) IS
'Expose a table as a resource of the API
Arguments: resource, a table (of schema catalogue, or qualified); its name is the path.  model, singular CamelCase name.
searchable, columns of the search whitelist; of one of JSON the texts in its member translations.  unique_living,
columns whose values are unique among records that are not deleted; texts are, whatever their letter case.  read_only,
logged, newest_first, actions, fixed, at_least_one, unless, limits, conditions, shown, guarded, reserved, kept, closed,
counted, ordered: see catalogue.resource; shown may name a status by its state, such as published
(catalogue.states()). Called again it replaces the earlier row.
Creates the indexes and triggers that the rules need.
Errors: 42P01 no such table; 42809 it is not an ordinary permanent table, or it inherits or is inherited from; 42703 a
required column is missing, or one to sort by; 42602 its name has a capital letter; 42804 a column has another type, id
is not the primary key, or a column cannot be searched or sorted; 22023 shown is not understood.
Source: Resources and their fields';

CREATE FUNCTION catalogue.index_keys(target regclass) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    key     text;
    behind  int2[];
    columns text := '';
BEGIN
    SELECT array_agg(a.attnum ORDER BY n.n), string_agg(', ' || n.name, '' ORDER BY n.n) INTO behind, columns
    FROM unnest('{deleted_at,created_at,id}'::name[]) WITH ORDINALITY n(name, n)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = target AND a.attname = n.name AND NOT a.attisdropped
    HAVING count(*) = 3;
    FOR key IN
        SELECT a.attname FROM pg_catalog.pg_constraint c
            JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
        WHERE c.conrelid = target AND c.contype = 'f' AND cardinality(c.conkey) = 1
          AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i
                          WHERE i.indrelid = target
                              AND i.indkey::text || ' ' LIKE array_to_string(c.conkey || behind, ' ') || ' %')
    LOOP
        EXECUTE format('CREATE INDEX ON %s (%I%s)', target, key, columns);
    END LOOP;
END
$$;
COMMENT ON FUNCTION catalogue.index_keys(regclass) IS
'Index every foreign key of a table
Arguments: target, the table.  Keys that are the first column of such an index already are skipped. Of a resource the
index also has the living records of each key in the order of creation, so that a page of them is read from it.';

-- The trigger that maintains the lists is dropped; expose_links() creates it afterwards.
CREATE FUNCTION catalogue.note_creation(joined regclass, owner regclass, near text) RETURNS void LANGUAGE plpgsql
    SET client_min_messages = warning AS
$$
DECLARE
    resource  text := (SELECT r.resource FROM catalogue.resource r WHERE r.relation = owner);
    column_   record;
BEGIN
    FOR column_ IN
        SELECT * FROM (VALUES (near || '_created_at', 'timestamptz NOT NULL DEFAULT now()', 'created_at',
                'When the record of ' || near || ' was created, kept by the service'),
            (near || '_shown', 'catalogue.shown NOT NULL DEFAULT true',
                '(' || catalogue.outsiders_condition(resource) || ') IS TRUE',
                'Whether outsiders see the record of ' || near || ', kept by the service'))
            AS c(name, type, value, comment)
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
                          WHERE a.attrelid = joined AND a.attname = c.name AND NOT a.attisdropped)
    LOOP
        EXECUTE format('DROP TRIGGER IF EXISTS relinked ON %s', joined);
        EXECUTE format('ALTER TABLE %s ADD COLUMN %I %s', joined, column_.name, column_.type);
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', joined, column_.name, column_.comment);
        EXECUTE format('UPDATE %1$s j SET %2$I = o.value FROM (SELECT id, %3$s AS value FROM %4$s t) o '
            'WHERE o.id = j.%5$I AND j.%2$I <> o.value', joined, column_.name, column_.value, owner, near);
        -- all sessions read the definition again
        UPDATE catalogue.resource r SET relation = r.relation WHERE r.relation = owner;
    END LOOP;
END
$$;
COMMENT ON FUNCTION catalogue.note_creation(regclass, regclass, text) IS
'Add the columns of a join table that copy what its records have
Arguments: joined, the join table; owner, the table of the resource that shows the relation; near, the column towards
it. The columns are <near>_created_at, when the record was created, and <near>_shown, whether outsiders see it. Called
by catalogue.expose_links(); columns that are there already stay.';

-- Index a join table by a record and the creation of the others.  Arguments: joined, the join table; name, of the
-- index; near and far, the columns towards the others and the record. One of version 1.0, without the column
-- <near>_shown, is replaced.  Part of catalogue.expose_links().
CREATE FUNCTION catalogue.index_order(joined regclass, name text, near text, far text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    former  regclass := (SELECT i.indexrelid
                         FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
                         WHERE i.indrelid = joined AND c.relname = $2 AND i.indnatts = i.indnkeyatts);
BEGIN
    IF former IS NOT NULL THEN
        EXECUTE format('DROP INDEX %s', former);
    END IF;
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (%I, deleted_at, %I, %I) INCLUDE (%I)', $2, joined, far,
        near || '_created_at', near, near || '_shown');
END
$$;

CREATE FUNCTION catalogue.expose_links(joined regclass) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    link    record;
    path    text;
    event   record;
BEGIN
    SELECT l.*, catalogue.qualified_name(r.relation) AS owner INTO link
    FROM catalogue.relation l JOIN catalogue.resource r USING (resource)
    WHERE l.via_oid = joined AND l.kind = 'many-to-many' AND l.owned;
    IF NOT FOUND THEN
        RAISE wrong_object_type USING MESSAGE = format('table "%s" joins no two resources', joined),
            HINT = 'A join table has a named foreign key towards each of two '
                   'exposed tables, and is not exposed itself.';
    END IF;
    PERFORM catalogue.require_table(joined, 'join table');
    IF greatest(octet_length(link.list), octet_length(link.near || '_created_at')) > 63 THEN
        RAISE name_too_long USING MESSAGE = format('the names of the keys of table "%s" are too long', joined),
            HINT = 'The name of the constraint with "_ids" behind it, and that of its column with "_created_at", are '
                   'names of columns, which take 63 bytes.';
    END IF;
    SELECT relname INTO path FROM pg_catalog.pg_class WHERE oid = joined;
    EXECUTE format('CREATE UNIQUE INDEX IF NOT EXISTS %I ON %s (%I, %I) INCLUDE (position) WHERE deleted_at IS NULL',
        catalogue.index_name(path, '_living'), joined, link.near, link.far);
    PERFORM catalogue.note_creation(joined, link.owner::regclass, link.near);
    PERFORM catalogue.index_order(joined, catalogue.index_name(path, '_' || link.far || '_order'), link.near, link.far);
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (%I, deleted_at) WHERE deleted_at IS NOT NULL',
        catalogue.index_name(path, '_' || link.near || '_deleted'), joined, link.near);
    PERFORM catalogue.index_keys(joined);
    FOR event IN SELECT *
        FROM (VALUES ('linked', 'INSERT', 'NEW TABLE AS new'),
            ('relinked', 'UPDATE', 'OLD TABLE AS old NEW TABLE AS new'), ('unlinked', 'DELETE', 'OLD TABLE AS old'))
        AS t(name, action, tables)
    LOOP
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION '
            'catalogue.keep_lists(%L, %L, %L, %L)',
            event.name, event.action, joined, event.tables, link.resource, link.relation, link.near, link.far);
    END LOOP;
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER truncated AFTER TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION '
        'catalogue.check_truncation(%L)',
        joined, link.resource);
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_attribute
                   WHERE attrelid = link.owner::regclass AND attname = link.list AND NOT attisdropped) THEN
        -- a volatile default is written into each row, so that whole rows are read as they are stored
        EXECUTE format('ALTER TABLE %s ADD COLUMN %I catalogue.id_list NOT NULL '
            'DEFAULT CASE WHEN random() >= 0 THEN ''{}''::text[] END', link.owner, link.list);
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT ''{}''', link.owner, link.list);
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', link.owner, link.list,
            'Ids of ' || link.relation || ', kept by the service');
        PERFORM catalogue.grant_table(link.owner::regclass);
        EXECUTE format('UPDATE %s SET position = position WHERE deleted_at IS NULL', joined);
    END IF;
    PERFORM catalogue.grant_table(joined);
END
$$;
COMMENT ON FUNCTION catalogue.expose_links(regclass) IS
'Make a join table a many-to-many relation of two resources
Arguments: joined, a table with two named foreign keys, position integer and deleted_at timestamptz; the resource of its
first key shows the ids of the other. Makes the indexes, the column <relation>_ids in which that resource keeps the
list, the columns <key>_created_at and <key>_shown that have when its record was created and whether outsiders see it,
and the triggers that keep them.  Called again it adds what is missing.
Errors: 42809 the table joins no two resources, or is not an ordinary permanent one; 42622 a key has too long a name for
the columns that go with it.  Source: Resources and their fields (many-to-many)';

CREATE FUNCTION catalogue.follow_shown(resource text) RETURNS void LANGUAGE plpgsql SET client_min_messages = warning AS
$$
DECLARE
    flag  record;
BEGIN
    FOR flag IN SELECT * FROM catalogue.shown_flags($1) LOOP
        EXECUTE format('UPDATE %1$s f SET %2$I = NOT f.%2$I WHERE %3$s', flag.via, flag.flag, flag.wrong);
    END LOOP;
END
$$;
COMMENT ON FUNCTION catalogue.follow_shown(text) IS
'Recompute the visibility flags that depend on other records
Arguments: resource, its path word: its own flags, and those of the records that refer to its records. Called by
catalogue.expose().  Needed only after rows were changed with the triggers disabled, before catalogue.recount().
Source: Who may';

-- Refuse where records of other resources refer to those of a resource.  Arguments: resource, its path word.  Settings
-- of type model count; links of a join table that go along with a deletion do not, nor do jobs. Errors: OD409 with the
-- counts.  Part of catalogue.clear().
CREATE FUNCTION catalogue.require_unused(resource text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    key      record;
    living   bigint;
    deleted  bigint;
    uses     text[] := '{}';
    counts   jsonb := '{}';
BEGIN
    FOR key IN
        SELECT d.via, d.resource, d.is_join, format('%I IS NOT NULL', d.near) AS refers
        FROM catalogue.dependent d JOIN catalogue.resource r ON r.resource = d.target
        WHERE d.target = $1 AND d.via::regclass <> r.relation AND NOT (d.is_join AND d.deletion = 'c')
            AND d.resource <> 'jobs'
        UNION ALL
        SELECT 'catalogue.configs', 'configs', false,
               format('type = ''model'' AND value <> '''' AND lower(model) IN (%L, %L)', lower(r.model), r.resource)
        FROM catalogue.resource r WHERE r.resource = $1 AND $1 <> 'configs'
        ORDER BY 1, 4
    LOOP
        EXECUTE format(
            'SELECT count(*) FILTER (WHERE deleted_at IS NULL), count(*) FILTER (WHERE '
            'deleted_at IS NOT NULL) FROM %s WHERE %s',
            key.via, key.refers)
            INTO living, deleted;
        CONTINUE WHEN living = 0 AND (deleted = 0 OR key.is_join);
        uses := uses
            || format('%s %s%s', living + deleted, key.resource,
                CASE WHEN deleted > 0 THEN format(' (%s deleted)', deleted) END);
        counts := counts
            || jsonb_build_object(key.resource, coalesce((counts ->> key.resource)::bigint, 0) + living + deleted);
    END LOOP;
    IF counts <> '{}' THEN
        RAISE EXCEPTION
            USING ERRCODE = 'OD409',
            MESSAGE = format('records of "%s" are in use by %s', $1, array_to_string(uses, ', ')),
            DETAIL = counts::text,
            HINT = 'Clear these resources first, or have their records refer to none. What is '
                   'deleted counts, since it can be restored.';
    END IF;
END
$$;

CREATE FUNCTION catalogue.clear(resource text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    target   text;
    joined   text;
    removed  bigint;
BEGIN
    IF $1 IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'argument "resource" of function "clear" is null';
    END IF;
    -- a transaction with an earlier snapshot would not see all references to the removed rows
    IF current_setting('transaction_isolation') NOT LIKE 'read %' THEN
        RAISE invalid_transaction_state USING MESSAGE = 'a resource is cleared in a transaction of READ COMMITTED only';
    END IF;
    SELECT catalogue.qualified_name(r.relation) INTO target FROM catalogue.resource r WHERE r.resource = $1;
    IF target IS NULL THEN
        RAISE undefined_table USING MESSAGE = format('resource "%s" does not exist', $1);
    END IF;
    EXECUTE format('LOCK TABLE %s IN EXCLUSIVE MODE', target);
    PERFORM catalogue.require_unused($1);
    DELETE FROM catalogue.job_queue q USING catalogue.jobs j, catalogue.resource r
    WHERE r.resource = $1 AND j.target = lower(r.model) AND q.job = j.id;
    DELETE FROM catalogue.jobs j USING catalogue.resource r WHERE r.resource = $1 AND j.target = lower(r.model);
    FOR joined IN SELECT DISTINCT d.via FROM catalogue.dependent d WHERE d.target = $1 AND d.is_join ORDER BY 1 LOOP
        EXECUTE format('DELETE FROM %s', joined);
    END LOOP;
    PERFORM catalogue.forget_records($1);
    DELETE FROM catalogue.taken_along n WHERE n.resource = $1;
    removed := catalogue.remove_rows($1);
    IF to_regclass(format('catalogue_history.%I', $1)) IS NOT NULL THEN
        EXECUTE format('DELETE FROM catalogue_history.%I', $1);
    END IF;
    IF $1 = 'logs' THEN
        UPDATE catalogue.log_day d SET expired_at = now() WHERE d.expired_at IS NULL;
        UPDATE catalogue.log_chain c SET recorded_at = '-infinity' WHERE c.recorded_at > '-infinity';
    END IF;
    IF $1 IN ('datasets', 'files') THEN
        EXECUTE format('DELETE FROM catalogue.download_count WHERE %s',
            CASE $1 WHEN 'files' THEN 'file IS NOT NULL' ELSE 'true' END);
    END IF;
    RETURN removed;
END
$$;
COMMENT ON FUNCTION catalogue.clear(text) IS
'Remove all records of a resource for good
Arguments: resource, its path word.  Its rows go, deleted ones too, with their history, their links, the bytes and rows
of files, the counts of downloads; pages as of earlier instants are empty then. Writers of the resource are blocked
meanwhile. The action log has one record of it, with "*" for the id.
Returns: how many rows were removed.
Errors: OD409 records of another resource refer to one; 42P01 no such resource; 25000 the transaction has another
isolation level than READ COMMITTED; 22004 resource is null.';
