-- The definition of resources: what a table cannot express is kept here, everything else is read from pg_catalog.

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
    closed      text[]      NOT NULL DEFAULT '{}',
    counted     text[]      NOT NULL DEFAULT '{}',
    ordered     text[]      NOT NULL DEFAULT '{}'
);
-- an earlier version made the table without them
DO
$$
BEGIN
    ALTER TABLE catalogue.resource ADD COLUMN IF NOT EXISTS closed text[] NOT NULL DEFAULT '{}';
    ALTER TABLE catalogue.resource ADD COLUMN IF NOT EXISTS counted text[] NOT NULL DEFAULT '{}';
    ALTER TABLE catalogue.resource ADD COLUMN IF NOT EXISTS ordered text[] NOT NULL DEFAULT '{}';
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
COMMENT ON COLUMN catalogue.resource.counted IS
    'Facets whose numbers under no filter are kept, so that reading them does not count the records: relations to one '
    'or to many, texts of up to 250 characters, enumerations, booleans, integers; <date>.year';
COMMENT ON COLUMN catalogue.resource.ordered IS
    'Columns that lists are sorted by without sorting all records: by indexes of the table, updated_at by update_order';

-- Trigger: invalidate the definition of a changed resource in all backends.
CREATE FUNCTION catalogue.forget_resource() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_forget_resource';
CREATE TRIGGER forget AFTER INSERT OR UPDATE OR DELETE ON catalogue.resource
    FOR EACH ROW EXECUTE FUNCTION catalogue.forget_resource();

CREATE FUNCTION catalogue.camel(name text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_camel';
COMMENT ON FUNCTION catalogue.camel(text) IS
'Return the lowerCamelCase name of a column
Arguments: name, a column name in snake_case.  Returns: the name used in JSON and in URLs (created_by: createdBy).
Source: Request rules 4';

CREATE FUNCTION catalogue.base_type(type oid) RETURNS oid
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_base_type';
COMMENT ON FUNCTION catalogue.base_type(oid) IS
'Return the base type of a domain
Arguments: type, a type''s oid.  Returns: the type itself where it is no domain; of a domain over a domain the innermost
type; NULL where there is no such type.';

CREATE FUNCTION catalogue.qualified_name(relation oid) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_qualified_name';
COMMENT ON FUNCTION catalogue.qualified_name(oid) IS
'Return the name of a table with its schema, quoted
Arguments: relation, the table''s oid.  Unlike regclass it does not depend on search_path.  Returns: NULL where there is
no such table.';

CREATE FUNCTION catalogue.type_word(type oid) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_type_word';
COMMENT ON FUNCTION catalogue.type_word(oid) IS
'Return the word for a type in the definition of a field
Arguments: type, its oid.  Returns: what a value of it is in JSON: string, email, boolean, integer, number, datetime,
date, json or array; NULL where there is no such type.';

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
no longer what a resource needs.';

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
or no longer what a resource needs.';

CREATE VIEW catalogue.dependent AS
SELECT r.resource AS target, d.resource, d.is_join, d.has_status, d.via, d.near, d.far, d.far_table, d.deletion, d.flag
FROM catalogue.resource r CROSS JOIN LATERAL catalogue.dependents_of(r.relation) d;
COMMENT ON VIEW catalogue.dependent IS
'Foreign keys towards each resource, and what they mean for its deletion
deletion as in pg_constraint.confdeltype: c, the referring records are deleted along; n, they do not stand in the way;
else the deletion is refused.
flag: the column of the referring records that says whether outsiders see the record, where they are seen only with
it.';

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
the table is not exposed.';

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
Source: Resources and their fields';

CREATE FUNCTION catalogue.table_fault(relation oid, OUT reason text, OUT remedy text)
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_table_fault';
COMMENT ON FUNCTION catalogue.table_fault(oid) IS
'Return the reason why a table cannot be a resource or a join table
Arguments: relation, the table''s oid.  Returns: reason, and remedy, what to do about it, as sentences; NULL where it is
an ordinary permanent table that neither inherits nor is inherited from, without virtual generated columns.';

CREATE FUNCTION catalogue.index_name(path text, rest text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN octet_length($1 || $2) < 64 THEN $1 || $2 ELSE 'index_' || md5($1 || $2) END;
END;
COMMENT ON FUNCTION catalogue.index_name(text, text) IS
'Return the name of an index that belongs to a resource
Arguments: path, the name of the table; rest, what it is for.  Returns: both together, or a hash of them where
PostgreSQL would cut the name, so that indexes of long names are told apart.';

CREATE FUNCTION catalogue.outsiders_condition(resource text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_outsiders_condition';
COMMENT ON FUNCTION catalogue.outsiders_condition(text) IS
'Return the SQL condition of what outsiders see
Arguments: resource, its path word.  Returns: a condition over the columns of a row t of the table, as
catalogue.resource.shown says: the one that reads have.
Errors: OD404 no such resource.
Source: Who may';

-- Count the living rows of a resource, and those shown to outsiders.
CREATE FUNCTION catalogue.count_rows(resource text, OUT living bigint, OUT shown bigint)
    LANGUAGE plpgsql STABLE STRICT AS
$$
BEGIN
    EXECUTE (SELECT format('SELECT count(*), count(*) FILTER (WHERE %s) FROM %s t WHERE t.deleted_at IS NULL',
                           catalogue.outsiders_condition($1), catalogue.qualified_name(r.relation))
             FROM catalogue.resource r WHERE r.resource = $1) INTO living, shown;
END
$$;

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
table of the flag; flag, its column; wrong, the condition on a row f that its flag is wrong.';

-- Forget the counters and the former names of a resource.  Arguments: resource, its path word.  Part of
-- catalogue.hide() and catalogue.clear().  Changes stay, since pages can be requested as of their instants; their
-- counts become zero.
CREATE FUNCTION catalogue.forget_records(resource text) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM catalogue.counter c WHERE c.resource = $1;
    DELETE FROM catalogue.update_order u WHERE u.resource = $1;
    -- of a resource that remains, the facets count no records
    DELETE FROM catalogue.facet_counter f
    WHERE f.resource = $1 AND (f.facet <> '' OR NOT EXISTS (SELECT FROM catalogue.resource r WHERE r.resource = $1));
    UPDATE catalogue.change c SET living = 0 WHERE c.resource = $1 AND c.living <> 0;
    DELETE FROM catalogue.former_name n WHERE n.resource = $1;
END
$$;

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

-- Return the JSON Schemas of the members of parseOptions, an object by their names.  Part of catalogue.description.
CREATE FUNCTION catalogue.parse_options_schema() RETURNS json
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_parse_options_schema';

-- Properties of a field as OPTIONS and describe() show them; those that do not apply are omitted.
CREATE VIEW catalogue.description AS
SELECT f.resource, f.field, f.position::numeric AS position,
       json_strip_nulls(json_build_object(
           'type', f.type, 'items', f.items, 'required', f.required, 'max', coalesce(f.max, f.max_json),
           'unique', nullif(f."unique", false), 'enum', f.enum,
           'reference', f.reference,
           'properties', CASE f.domain WHEN 'parse_options' THEN catalogue.parse_options_schema() END,
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
Source: Response envelopes (OPTIONS)';

CREATE FUNCTION catalogue.is_composed(resource text, column_name text) RETURNS boolean
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_is_composed';
COMMENT ON FUNCTION catalogue.is_composed(text, text) IS
'Return whether the texts of a column are stored in NFC
Arguments: resource, its path word; column_name.
Returns: true for name, columns that end in _name, those that are searched and those that are unique among the living;
false for passwords, secrets, addresses, and where there is no such field.
Source: Conventions for all resources';

CREATE FUNCTION catalogue.seen_by(audience text, resource text, id text) RETURNS boolean
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_seen_by';
COMMENT ON FUNCTION catalogue.seen_by(text, text, text) IS
'Tell whether an audience sees a record
Arguments: audience, outsiders, internal (users that are no superadmins) or all.  resource, its path word.  id of the
record.  For functions of the owner.  Errors: OD404 no such resource.  Source: Who may';
