-- What a table cannot express.  The two views below read everything else from pg_catalog.
CREATE TABLE catalogue.resource (
    resource    text        PRIMARY KEY,
    model       text        NOT NULL,
    relation    regclass    NOT NULL UNIQUE,
    searchable  text[]      NOT NULL DEFAULT '{}',
    read_only   boolean     NOT NULL DEFAULT false,
    logged      boolean     NOT NULL DEFAULT true,
    newest_first boolean    NOT NULL DEFAULT false,
    actions     text[]      NOT NULL DEFAULT '{}',
    fixed       text[]      NOT NULL DEFAULT '{}',
    at_least_one text[]     NOT NULL DEFAULT '{}',
    unless      jsonb       NOT NULL DEFAULT '{}',
    limits      jsonb       NOT NULL DEFAULT '{}',
    conditions  jsonb       NOT NULL DEFAULT '{}',
    shown       jsonb       NOT NULL DEFAULT '{}',
    guarded     boolean     NOT NULL DEFAULT false,
    reserved    text[]      NOT NULL DEFAULT '{}',
    kept        text[]      NOT NULL DEFAULT '{}',
    closed      text[]      NOT NULL DEFAULT '{}'
);
-- an earlier version made the table without it
DO
$$
BEGIN
    ALTER TABLE catalogue.resource ADD COLUMN IF NOT EXISTS closed text[] NOT NULL DEFAULT '{}';
END
$$;
SELECT pg_extension_config_dump('catalogue.resource', '');

COMMENT ON TABLE catalogue.resource IS 'Exposed tables, one row for each resource; written by catalogue.expose()';
COMMENT ON COLUMN catalogue.resource.resource IS 'Path word: /<resource>';
COMMENT ON COLUMN catalogue.resource.model IS 'Singular name in CamelCase; the target of the action log in lower case';
COMMENT ON COLUMN catalogue.resource.relation IS 'The table';
COMMENT ON COLUMN catalogue.resource.searchable IS 'Columns that are searched';
COMMENT ON COLUMN catalogue.resource.read_only IS 'No create, update or delete through the API';
COMMENT ON COLUMN catalogue.resource.logged IS 'Changes are recorded in catalogue.logs';
COMMENT ON COLUMN catalogue.resource.newest_first IS 'Lists begin with the newest record';
COMMENT ON COLUMN catalogue.resource.actions IS
    'Service endpoints beside the standard set, such as publish or deactivate';
COMMENT ON COLUMN catalogue.resource.fixed IS
    'Columns that an API client gives at creation and cannot change afterwards';
COMMENT ON COLUMN catalogue.resource.at_least_one IS 'To-many relations that need at least one record';
COMMENT ON COLUMN catalogue.resource.unless IS
    'Object {column: other}: the column is required unless the other is given';
COMMENT ON COLUMN catalogue.resource.limits IS 'Object {column: characters}: longest JSON text that a client may write';
COMMENT ON COLUMN catalogue.resource.conditions IS
    'Object {column or relation: SQL}: a condition that the referenced record t must '
    'meet; $2 is the id of the referring record';
COMMENT ON COLUMN catalogue.resource.shown IS
    'Object {outsiders, internal}: which records outsiders, and users other than superadmins, can see: false for '
    'none, or an object {column: value} of values that a record must have: a boolean or a text, {"not": true} or '
    '{"not": false} for any other value or null, {"shown": true} of a key that is null or refers to a record that '
    'outsiders see; a restriction on internal users applies to outsiders as well';
COMMENT ON COLUMN catalogue.resource.guarded IS
    'Only rules that name the resource apply to it, not those for any resource';
COMMENT ON COLUMN catalogue.resource.reserved IS 'Columns that only superadmins can set';
COMMENT ON COLUMN catalogue.resource.kept IS 'Columns that only the service sets';
COMMENT ON COLUMN catalogue.resource.closed IS
    'Columns, or * for all records, that a user reads only by a rule with the action read that names the resource; '
    'superadmins read them without one, users those of their own record among the users';

CREATE FUNCTION catalogue.forget_resource() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_forget_resource';
COMMENT ON FUNCTION catalogue.forget_resource() IS
    'Trigger: invalidate the definition of a changed resource in all backends (extension/registry/registry.c)';
CREATE TRIGGER forget AFTER INSERT OR UPDATE OR DELETE ON catalogue.resource
    FOR EACH ROW EXECUTE FUNCTION catalogue.forget_resource();

CREATE FUNCTION catalogue.camel(name text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_camel';
COMMENT ON FUNCTION catalogue.camel(text) IS
'Return the lowerCamelCase name of a column
Arguments: name, a column name in snake_case.  Returns: the name used in JSON and in URLs (created_by: createdBy).
Source: Request rules 4; extension/registry/registry_fields.c';

CREATE FUNCTION catalogue.base_type(type oid) RETURNS oid
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_base_type';
COMMENT ON FUNCTION catalogue.base_type(oid) IS
'Return the base type of a domain
Arguments: type, a type''s oid.  Returns: the type itself where it is no domain; of a domain over a domain the innermost
type; NULL where there is no such type.
Source: extension/registry/registry_fields.c';

CREATE FUNCTION catalogue.qualified_name(relation oid) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_qualified_name';
COMMENT ON FUNCTION catalogue.qualified_name(oid) IS
'Return the name of a table with its schema, quoted
Arguments: relation, the table''s oid.  Unlike regclass it does not depend on search_path.  Returns: NULL where there is
no such table.
Source: extension/registry/registry_fields.c';

CREATE FUNCTION catalogue.type_word(type oid) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_type_word';
COMMENT ON FUNCTION catalogue.type_word(oid) IS
'Return the word for a type in the definition of a field
Arguments: type, its oid.  Returns: what a value of it is in JSON: string, email, boolean, integer, number, datetime,
date, json or array; NULL where there is no such type.
Source: extension/registry/registry_fields.c';

CREATE FUNCTION catalogue.default_value(expression text) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN expression IN ('true', 'false') OR expression ~ '^-?[0-9]+(\.[0-9]+)?$' THEN expression::json
                WHEN expression ~ '^''[^'']*''::[^'']*\[\]$'
                    THEN to_json(substring(expression FROM '^''([^'']*)''::')::text[])
                WHEN expression ~ '^''[^'']*''::' THEN to_json(substring(expression FROM '^''([^'']*)''::'))
                WHEN expression = 'now()' THEN to_json('now'::text) END;
END;
COMMENT ON FUNCTION catalogue.default_value(text) IS
'Return the default of a column as JSON
Arguments: expression, as pg_get_expr() shows it.  Returns: a constant, "now" for the time of the request; NULL for
anything else.';

CREATE FUNCTION catalogue.relations_of(relation oid)
    RETURNS TABLE (relation text, kind text, target text, via text, via_oid oid, near text, far text, deletion text,
        "position" integer, owned boolean, list text, internal boolean)
    LANGUAGE c STABLE STRICT ROWS 10 AS 'MODULE_PATHNAME', 'catalogue_relations_of';
COMMENT ON FUNCTION catalogue.relations_of(oid) IS
'List the relations of an exposed table
Arguments: relation, the table''s oid.  Returns: rows of view catalogue.relation, none where the table is not exposed or
no longer what a resource needs.
Source: extension/registry/registry_relations.c';

CREATE VIEW catalogue.relation AS
SELECT r.resource, l.relation, l.kind, l.target, l.via, l.via_oid, l.near, l.far, l.deletion, l.position, l.owned,
       l.list, l.internal
FROM catalogue.resource r CROSS JOIN LATERAL catalogue.relations_of(r.relation) l;
COMMENT ON VIEW catalogue.relation IS
'Relations between resources, read from the foreign keys
A foreign key is a to-one relation named like its column.  Its constraint name, where it is not PostgreSQL''s default,
names what the referenced
record sees through it (files, or files_by_type where a table has several): one-to-many, or many-to-many where the table
is a join table (not exposed itself).  ON DELETE says what logical deletion does.
owned: the record itself holds the relation, as a key or as a list of ids that it shows and takes; of a join table, the
side of its first column.
list: name of the column of the record that keeps the list, made by catalogue.expose_links().
internal: it leads to a resource that shows outsiders nothing, so they do not see the relation either.';

CREATE FUNCTION catalogue.dependents_of(relation oid)
    RETURNS TABLE (resource text, is_join boolean, has_status boolean, via text, near text, far text, far_table text,
        deletion text, flag text)
    LANGUAGE c STABLE STRICT ROWS 10 AS 'MODULE_PATHNAME', 'catalogue_dependents_of';
COMMENT ON FUNCTION catalogue.dependents_of(oid) IS
'List the foreign keys towards an exposed table
Arguments: relation, the table''s oid.  Returns: rows of view catalogue.dependent, none where the table is not exposed
or no longer what a resource needs.
Source: extension/registry/registry_relations.c';

CREATE VIEW catalogue.dependent AS
SELECT r.resource AS target, d.resource, d.is_join, d.has_status, d.via, d.near, d.far, d.far_table, d.deletion, d.flag
FROM catalogue.resource r CROSS JOIN LATERAL catalogue.dependents_of(r.relation) d;
COMMENT ON VIEW catalogue.dependent IS
'Foreign keys towards each resource, and what they mean for its deletion
deletion as in pg_constraint.confdeltype: c, the referring records are deleted along; n, they do not stand in the way;
else the deletion is refused.
flag: the column of the referring records that says whether outsiders see the record, where they are seen only with it.
Source: extension/write/deletion.c';

CREATE FUNCTION catalogue.fields_of(relation oid)
    RETURNS TABLE (field text, column_name text, "position" integer, type text, required boolean, max integer,
                   max_json integer, enum text[], reference text, domain text,
                   read_only boolean, write_only boolean, hidden boolean, internal boolean, reserved boolean,
                   fixed boolean, searchable boolean, unless text, has_default boolean,
                   type_oid oid, base_oid oid, type_modifier integer, items text, item_oid oid)
    LANGUAGE c STABLE STRICT ROWS 20 AS 'MODULE_PATHNAME', 'catalogue_fields_of';
COMMENT ON FUNCTION catalogue.fields_of(oid) IS
'List the fields of an exposed table
Arguments: relation, the table''s oid.  Returns: rows of view catalogue.field, less what that reads besides; none where
the table is not exposed.
Source: extension/registry/registry_fields.c';

CREATE VIEW catalogue.field AS
SELECT r.resource, f.field, f.column_name, f.position, f.type, f.required, f.max, f.max_json,
       EXISTS (SELECT FROM pg_catalog.pg_index i
               WHERE i.indrelid = r.relation AND i.indisunique AND i.indnkeyatts = 1
                 AND (i.indkey[0] = f.position
                      OR pg_catalog.pg_get_indexdef(i.indexrelid, 1, true) IN (format('lower(%I::text)', f.column_name),
                          format('lower(%I)', f.column_name)))) AS "unique",
       f.enum, f.reference, f.domain, f.read_only, f.write_only, f.hidden, f.internal, f.reserved, f.fixed,
       f.searchable, f.unless,
       pg_catalog.pg_get_expr(x.adbin, x.adrelid) AS "default",
       pg_catalog.col_description(r.relation, f.position) AS description,
       f.type_oid, f.base_oid, f.type_modifier, f.items, f.item_oid
FROM catalogue.resource r
    CROSS JOIN LATERAL catalogue.fields_of(r.relation) f
    LEFT JOIN pg_catalog.pg_attrdef x ON f.has_default AND x.adrelid = r.relation AND x.adnum = f.position;
COMMENT ON VIEW catalogue.field IS
'Fields of every resource, read from pg_catalog
One row a column of an exposed table: the name in JSON, type, whether required, longest value in characters, uniqueness
among the living, enumeration, referenced resource.
Source: Resources and their fields; extension/registry/registry.c';

CREATE FUNCTION catalogue.table_fault(relation oid, OUT reason text, OUT remedy text)
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_table_fault';
COMMENT ON FUNCTION catalogue.table_fault(oid) IS
'Return the reason why a table cannot be a resource or a join table
Arguments: relation, the table''s oid.  Returns: reason, and remedy, what to do about it, as sentences; NULL where it is
an ordinary permanent table that neither inherits nor is inherited from, without virtual generated columns.
Source: extension/registry/registry_load.c';

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

CREATE FUNCTION catalogue.index_name(path text, rest text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN octet_length($1 || $2) < 64 THEN $1 || $2 ELSE 'index_' || md5($1 || $2) END;
END;
COMMENT ON FUNCTION catalogue.index_name(text, text) IS
'Return the name of an index that belongs to a resource
Arguments: path, the name of the table; rest, what it is for.  Returns: both together, or a hash of them where
PostgreSQL would cut the name, so that indexes of long names are told apart.';

CREATE FUNCTION catalogue.states() RETURNS TABLE (state text, id text)
    LANGUAGE c IMMUTABLE ROWS 5 AS 'MODULE_PATHNAME', 'catalogue_states';
COMMENT ON FUNCTION catalogue.states() IS
'List the states of records, with the ids of their statuses
Returns: state, which is draft, review, rejected, published or unpublished; id, of the status that stands for it: the
same in every catalogue, since clients know it. The name of a status can be changed; the five cannot be deleted.
Source: States and transitions; extension/base/state_action.c';

CREATE FUNCTION catalogue.add_columns(target regclass, VARIADIC columns text[]) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    missing  CONSTANT text := (
        SELECT string_agg('ADD COLUMN ' || c.definition, ', ' ORDER BY c.number)
        FROM unnest(columns) WITH ORDINALITY c(definition, number)
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
                          WHERE a.attrelid = target AND NOT a.attisdropped
                            AND quote_ident(a.attname) = split_part(c.definition, ' ', 1)));
BEGIN
    IF missing IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s %s', target, missing);
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.add_columns(regclass, text[]) IS
'Add the columns that a table lacks
ALTER TABLE ... ADD COLUMN IF NOT EXISTS locks a table that has them until the end of the transaction, and its readers
wait; this does not.
Arguments: target, a table.  columns, definitions as ADD COLUMN takes them, each with the name first.
Source: sql/20-registry.sql';

CREATE FUNCTION catalogue.store_column(target regclass, name name, manner text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
                   WHERE a.attrelid = target AND a.attname = $2
                     AND CASE manner WHEN 'STORAGE EXTERNAL' THEN a.attstorage = 'e'
                                     WHEN 'COMPRESSION lz4' THEN a.attcompression = 'l' END) THEN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET %s', target, name, manner);
    END IF;
EXCEPTION WHEN feature_not_supported THEN
    NULL; -- a server may be built without lz4; pglz compresses as well, but more slowly
END
$$;
COMMENT ON FUNCTION catalogue.store_column(regclass, name, text) IS
'Set how a column is stored
Arguments: target, a table.  name of the column.  manner, STORAGE EXTERNAL or COMPRESSION lz4 as ALTER COLUMN ... SET
takes it; without lz4 in the server the compression stays.  The table is not locked where the column is so already.
Source: sql/20-registry.sql';

CREATE FUNCTION catalogue.with_statuses(target regclass, shown jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS
$$
DECLARE
    member  record;
    status  text;
BEGIN
    FOR member IN
        SELECT ARRAY[s.key, c.key] AS place, c.value #>> '{}' AS word
        FROM jsonb_each(shown) s
            CROSS JOIN LATERAL jsonb_each(CASE jsonb_typeof(s.value) WHEN 'object' THEN s.value ELSE '{}' END) c
            JOIN pg_catalog.pg_attribute a ON a.attrelid = target AND a.attname = c.key
            JOIN pg_catalog.pg_constraint k ON k.conrelid = target AND k.contype = 'f' AND k.conkey = ARRAY[a.attnum]
        WHERE jsonb_typeof(c.value) = 'string' AND k.confrelid = to_regclass('catalogue.statuses')
    LOOP
        SELECT s.id INTO status FROM catalogue.states() s WHERE member.word IN (s.state, s.id);
        IF FOUND THEN
            shown := jsonb_set(shown, member.place, to_jsonb(status));
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
COMMENT ON FUNCTION catalogue.with_statuses(regclass, jsonb) IS
'Replace the names of states by the ids of their statuses
Arguments: target, a table. shown, as for catalogue.expose().  Returns: shown; part of catalogue.expose().
Errors: 22023 neither a state nor the id of a status.  Source: sql/20-registry.sql';

CREATE FUNCTION catalogue.expose(resource text, model text, searchable text[] DEFAULT '{}',
    unique_living text[] DEFAULT '{}',
    read_only boolean DEFAULT false, logged boolean DEFAULT true, newest_first boolean DEFAULT false,
    actions text[] DEFAULT '{}', fixed text[] DEFAULT '{}',
    at_least_one text[] DEFAULT '{}', unless jsonb DEFAULT '{}', limits jsonb DEFAULT '{}',
    conditions jsonb DEFAULT '{}',
    shown jsonb DEFAULT '{}', guarded boolean DEFAULT false, reserved text[] DEFAULT '{}', kept text[] DEFAULT '{}',
    closed text[] DEFAULT '{}')
    RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    target  regclass := coalesce(to_regclass(format('catalogue.%I', $1)), to_regclass($1));
    path    text;
    shape   CONSTANT text := 'A resource needs: id catalogue.id PRIMARY KEY, created_at and updated_at timestamptz '
                             'NOT NULL DEFAULT now(), deleted_at timestamptz.';
    needed  text;
    key     record;
    word    text;
    member  record;
BEGIN
    IF target IS NULL THEN
        RAISE undefined_table USING MESSAGE = format('table "%s" does not exist', $1);
    END IF;
    PERFORM catalogue.require_table(target, 'resource');
    SELECT relname INTO path FROM pg_catalog.pg_class WHERE oid = target;
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
    shown := catalogue.with_statuses(target, shown);
    INSERT INTO catalogue.resource AS r
        VALUES (path, $2, target, $3, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
        ON CONFLICT ON CONSTRAINT resource_pkey
            DO UPDATE SET (model, relation, searchable, read_only, logged, newest_first, actions, fixed, at_least_one,
                unless, limits, conditions, shown, guarded, reserved, kept, closed)
            = (excluded.model, excluded.relation, excluded.searchable, excluded.read_only, excluded.logged,
               excluded.newest_first, excluded.actions, excluded.fixed,
               excluded.at_least_one, excluded.unless, excluded.limits, excluded.conditions, excluded.shown,
               excluded.guarded, excluded.reserved, excluded.kept, excluded.closed);
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
        -- for lists ordered by name, the most frequent order
        IF word = 'name' THEN
            EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (%I COLLATE "und-x-icu", id) WHERE deleted_at IS NULL',
                catalogue.index_name(path, '_by_name'), target, word);
        END IF;
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
    PERFORM catalogue.index_keys(target);
    PERFORM catalogue.index_search(target, searchable);
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
    PERFORM catalogue.keep_history(path);
    PERFORM catalogue.follow_shown(path);
    PERFORM catalogue.recount(path);
    PERFORM catalogue.grant_table(target);
END
$$;
COMMENT ON FUNCTION catalogue.expose(text, text, text[], text[], boolean, boolean, boolean, text[], text[], text[],
    jsonb, jsonb, jsonb, jsonb, boolean, text[], text[], text[]) IS
'Expose a table as a resource of the API
Arguments: resource, a table (of schema catalogue, or qualified); its name is the path.  model, singular CamelCase name.
searchable, columns of the search whitelist. unique_living, columns whose values are unique among records that are not
deleted; texts are, whatever their letter case.  read_only, logged, newest_first, actions, fixed, at_least_one, unless,
limits, conditions, shown, guarded, reserved, kept, closed: see catalogue.resource; shown may name a status by its
state, such as published (catalogue.states()). Called again it replaces the earlier row.
Creates the indexes and triggers that the rules need.
Errors: 42P01 no such table; 42809 it is not an ordinary permanent table, or it inherits or is inherited from; 42703 a
required column is missing; 42602 its name has a capital letter; 42804 a column has another type, id is not the primary
key, or a column cannot be searched; 22023 shown is not understood.  Source: Resources and their fields;
sql/20-registry.sql';

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
index also has the living records of each key in the order of creation, so that a page of them is read from it.  Source:
extension/read/list_page.c';

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
by catalogue.expose_links(); columns that are there already stay.
Source: extension/write/link.c, extension/read/list_page.c';

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
COMMENT ON FUNCTION catalogue.index_order(regclass, text, text, text) IS
'Index a join table by a record and the creation of the others
Arguments: joined, the join table; name, of the index; near and far, the columns towards the others and the record. One
of version 1.0, without the column <near>_shown, is replaced.  Part of catalogue.expose_links().
Source: extension/read/list_page.c';

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
the columns that go with it.  Source: Resources and their fields (many-to-many); extension/write/link.c';

CREATE FUNCTION catalogue.keep_lists() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_keep_lists';
COMMENT ON FUNCTION catalogue.keep_lists() IS
    'Trigger AFTER INSERT, UPDATE and DELETE of a join table: check references, '
    'maintain lists of ids (extension/write/link.c)';

CREATE FUNCTION catalogue.outsiders_condition(resource text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_outsiders_condition';
COMMENT ON FUNCTION catalogue.outsiders_condition(text) IS
'Return the SQL condition of what outsiders see
Arguments: resource, its path word.  Returns: a condition over the columns of a row t of the table, as
catalogue.resource.shown says: the one that reads have.
Errors: OD404 no such resource.
Source: Who may; extension/registry/rows.c';

CREATE FUNCTION catalogue.count_rows(resource text, OUT living bigint, OUT shown bigint)
    LANGUAGE plpgsql STABLE STRICT AS
$$
BEGIN
    EXECUTE (SELECT format('SELECT count(*), count(*) FILTER (WHERE %s) FROM %s t WHERE t.deleted_at IS NULL',
                           catalogue.outsiders_condition($1), catalogue.qualified_name(r.relation))
             FROM catalogue.resource r WHERE r.resource = $1) INTO living, shown;
END
$$;
COMMENT ON FUNCTION catalogue.count_rows(text) IS 'Count the living rows of a resource, and those shown to outsiders';

CREATE FUNCTION catalogue.shown_flags(resource text)
    RETURNS TABLE (path text, id text, via text, flag text, wrong text) LANGUAGE plpgsql STABLE STRICT AS
$$
BEGIN
    RETURN QUERY
    SELECT CASE WHEN d.is_join THEN d.target ELSE d.resource END, CASE WHEN d.is_join THEN d.near ELSE 'id' END, d.via,
           d.flag,
           format(
               'f.deleted_at IS NULL AND f.%1$I IS DISTINCT FROM (f.%2$I IS NULL OR EXISTS (SELECT FROM %3$s t WHERE '
               't.id = f.%2$I AND %4$s))',
        d.flag, d.near, catalogue.qualified_name(t.relation), catalogue.outsiders_condition(d.target))
    FROM catalogue.dependent d JOIN catalogue.resource t ON t.resource = d.target
    WHERE d.flag IS NOT NULL AND $1 IN (d.resource, d.target)
        -- the others need not be read: the table refers to none of them, neither itself nor by a join table
        AND d.target = ANY (ARRAY(
            SELECT $1
            UNION
            SELECT p.resource FROM catalogue.resource r
                JOIN pg_catalog.pg_constraint j ON j.contype = 'f' AND r.relation IN (j.conrelid, j.confrelid)
                JOIN pg_catalog.pg_constraint k ON k.contype = 'f' AND k.conrelid = j.conrelid
                JOIN catalogue.resource p ON p.relation = k.confrelid
            WHERE r.resource = $1));
END
$$;
COMMENT ON FUNCTION catalogue.shown_flags(text) IS
'List the visibility flags of a resource, in its table and in others
Arguments: resource, its path word.  Returns: path and id, the resource and the column that name a record; via, the
table of the flag; flag, its column; wrong, the condition on a row f that its flag is wrong.
Source: extension/write/after_change.c';

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
Source: Who may; extension/write/after_change.c';

CREATE FUNCTION catalogue.recount(resource text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    target   text;
    counted  record;
BEGIN
    SELECT catalogue.qualified_name(r.relation) INTO target FROM catalogue.resource r WHERE r.resource = $1;
    IF target IS NULL THEN
        RAISE undefined_table USING MESSAGE = format('resource "%s" does not exist', $1);
    END IF;
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', target);
    SELECT * INTO counted FROM catalogue.count_rows($1);
    DELETE FROM catalogue.counter c WHERE c.resource = $1;
    INSERT INTO catalogue.counter VALUES ($1, counted.living, counted.shown);
    PERFORM catalogue.touch($1);
    RETURN counted.living;
END
$$;
COMMENT ON FUNCTION catalogue.recount(text) IS
'Recount the records of a resource that are not deleted
Arguments: resource, its path word.  Returns: the number.  Needed only after rows were changed with the triggers
disabled.
Errors: 42P01 no such resource.  Source: extension/history/history.c';

-- Changes stay, since pages can be requested as of their instants; their counts become zero.
CREATE FUNCTION catalogue.forget_records(resource text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM catalogue.counter c WHERE c.resource = $1;
    UPDATE catalogue.change c SET living = 0 WHERE c.resource = $1 AND c.living <> 0;
    DELETE FROM catalogue.former_name n WHERE n.resource = $1;
END
$$;
COMMENT ON FUNCTION catalogue.forget_records(text) IS
'Forget the counters and the former names of a resource
Arguments: resource, its path word.  Part of catalogue.hide() and catalogue.clear().';

CREATE FUNCTION catalogue.hide(resource text) RETURNS void LANGUAGE plpgsql SET client_min_messages = warning AS
$$
BEGIN
    DELETE FROM catalogue.resource r WHERE r.resource = $1;
    IF FOUND THEN
        EXECUTE format('DROP TABLE IF EXISTS catalogue_history.%I', $1);
        PERFORM catalogue.forget_records($1);
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.hide(text) IS
'Remove a resource from the API
Arguments: resource, its path word.  The table, its rows and its rules stay as they are; its history goes.
catalogue.expose() exposes it again, with a new history.  Called automatically when the table is dropped.';

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
COMMENT ON FUNCTION catalogue.require_unused(text) IS
'Refuse where records of other resources refer to those of a resource
Arguments: resource, its path word.  Settings of type model count; links of a join table that go along with a deletion
do not, nor do jobs.
Errors: OD409 with the counts.  Part of catalogue.clear().';

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
    PERFORM catalogue.forget_records($1);
    FOR joined IN SELECT DISTINCT d.via FROM catalogue.dependent d WHERE d.target = $1 AND d.is_join ORDER BY 1 LOOP
        EXECUTE format('DELETE FROM %s', joined);
    END LOOP;
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
isolation level than READ COMMITTED; 22004 resource is null.
Source: sql/20-registry.sql, extension/services/module.c';

CREATE FUNCTION catalogue.remove_rows(resource text) RETURNS bigint
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_remove_rows';
COMMENT ON FUNCTION catalogue.remove_rows(text) IS
'Remove the rows of a resource without its rules
Arguments: resource, its path word.  Returns: how many.  Part of catalogue.clear(), which removes what belongs to them.
Errors: OD404 no such resource.  Source: extension/services/module.c';

CREATE FUNCTION catalogue.bootstrap() RETURNS void
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_bootstrap';
COMMENT ON FUNCTION catalogue.bootstrap() IS
'Make the tables of the catalogue
They are ordinary tables, not members of the extension, so that a dump contains them completely and DROP EXTENSION keeps
them. A repeated call adds what is missing and changes no data.  Errors: 58P01 the installed file of the tables is
missing.
Source: Resources and their fields; sql/tables, extension/services/module.c';

-- Properties of a field as OPTIONS and describe() show them; those that do not apply are omitted.
CREATE VIEW catalogue.description AS
SELECT f.resource, f.field, f.position::numeric AS position,
       json_strip_nulls(json_build_object(
           'type', f.type, 'items', f.items, 'required', f.required, 'max', coalesce(f.max, f.max_json),
           'unique', nullif(f."unique", false), 'enum', f.enum,
           'reference', f.reference,
           'readOnly', nullif(f.read_only OR f.column_name IN ('created_by', 'updated_by'), false),
           'writeOnly', nullif(f.write_only, false),
           'default', catalogue.default_value(f."default"), 'unless', catalogue.camel(f.unless),
           'description', f.description)) AS facts,
           f.internal
FROM catalogue.field f
WHERE f.write_only OR NOT f.hidden
UNION ALL
SELECT l.resource, l.relation, 1000 + row_number() OVER (PARTITION BY l.resource ORDER BY l.relation),
       json_strip_nulls(json_build_object('type', 'array', 'required', l.relation = ANY (r.at_least_one),
                                          'reference', l.target,
                                          'description', obj_description(to_regclass(l.via), 'pg_class'))), l.internal
FROM catalogue.relation l JOIN catalogue.resource r USING (resource)
WHERE l.kind = 'many-to-many' AND l.owned;
COMMENT ON VIEW catalogue.description IS
'Facts of every field and list of ids as JSON, for describe() and OPTIONS
Source: Response envelopes (OPTIONS); extension/services/describe.c';
