-- Addresses of records: slugs, and names that they had.

CREATE FUNCTION catalogue.is_path_word(resource text, word text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_path_word';
COMMENT ON FUNCTION catalogue.is_path_word(text, text) IS
'Return whether a word stands for a path where others are records
Arguments: resource, its path word; word, what would follow it: "count" in /datasets/count; any letter case.
Returns: whether the table of paths has it; then no record of the resource gets it as its slug.
Source: Resources and their fields (slug)';

CREATE FUNCTION catalogue.renew_slugs() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    exposed  record;
    found    record;
    slug     text;
    renewed  bigint := 0;
BEGIN
    FOR exposed IN SELECT r.resource, r.model, catalogue.qualified_name(r.relation) AS target
        FROM catalogue.resource r JOIN catalogue.field f ON f.resource = r.resource
        WHERE f.column_name IN ('slug', 'name') AND f.type = 'string'
        GROUP BY r.resource, r.model, r.relation HAVING count(*) = 2
        ORDER BY r.resource
    LOOP
        FOR found IN EXECUTE format(
            'SELECT t.id::text, t.slug::text FROM %s t WHERE t.deleted_at IS NULL AND '
            'catalogue.is_path_word(%L, t.slug::text) ORDER BY t.created_at, t.id', exposed.target, exposed.resource)
        LOOP
            EXECUTE format('UPDATE %s SET slug = NULL WHERE id = $1 RETURNING slug::text', exposed.target)
                INTO slug USING found.id;
            renewed := renewed + 1;
            RAISE WARNING
                USING MESSAGE = format('slug "%s" of %s "%s" is now "%s"', found.slug, exposed.model, found.id, slug),
                DETAIL = format('The path /%s/%s is not that of the record.', exposed.resource, found.slug);
        END LOOP;
    END LOOP;
    RETURN renewed;
END
$$;
COMMENT ON FUNCTION catalogue.renew_slugs() IS
'Give records another slug whose slug is a word of a path
Such a slug, from a version that permitted it, gets a number; each is told by a warning.
Returns: how many were changed.  catalogue.bootstrap() calls it.
Source: Resources and their fields (slug)';

-- Return a name with a number behind it; part of renew_names().  Arguments: name.  number, less than 2: none.  longest,
-- characters that the column takes, NULL: 1,000.  column_name.
CREATE FUNCTION catalogue.numbered_name(name text, number integer, longest integer, column_name text) RETURNS text
    LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    -- a file name keeps its extension behind the number
    SELECT CASE WHEN $2 < 2 THEN $1
        ELSE left(n.stem, coalesce($3, 1000) - length(n.suffix || n.ending)) || n.suffix || n.ending END
    FROM (SELECT e.ending, left($1, length($1) - length(e.ending)) AS stem,
                 CASE WHEN $4 = 'name' THEN ' ' ELSE '-' END || $2 AS suffix
          FROM (SELECT CASE WHEN $4 = 'file_name' THEN coalesce(substring($1 FROM '[.][A-Za-z0-9]{1,15}$'), '')
                    ELSE '' END) e(ending)) n;
END;

-- Store a name in NFC; part of renew_names().  A name that another living record has gets a number. Returns: the name
-- as it is stored now; NULL where it stays as it was, since the record does not take it.
CREATE FUNCTION catalogue.renew_name(resource text, id text, column_name text, type_oid oid, longest integer,
    before text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    target   text := (SELECT catalogue.qualified_name(r.relation) FROM catalogue.resource r WHERE r.resource = $1);
    faults   text;
    renewed  text;
BEGIN
    FOR number IN 1 .. 100 LOOP
        BEGIN
            EXECUTE format('UPDATE %s SET %I = $2::%s WHERE id = $1 RETURNING %2$I::text', target, $3, $4::regtype)
                INTO renewed USING $2, catalogue.numbered_name(catalogue.compose(before), number, longest, $3);
            EXIT;
        EXCEPTION WHEN SQLSTATE 'OD400' OR data_exception OR integrity_constraint_violation THEN
            GET STACKED DIAGNOSTICS faults = PG_EXCEPTION_DETAIL;
            EXIT WHEN faults !~ '"unique"';
        END;
    END LOOP;
    -- an import takes a name for a user's that is not the one whose digest it has kept
    UPDATE catalogue.imported i
    SET base = replace(i.base::text, d.before, d.after)::json, files = replace(i.files::text, d.before, d.after)::json
    FROM (SELECT lpad(to_hex(hashtextextended(before, 0)), 16, '0') AS before,
                 lpad(to_hex(hashtextextended(renewed, 0)), 16, '0') AS after) d
    WHERE i.record = CASE $1 WHEN 'datasets' THEN $2
                     WHEN 'files' THEN (SELECT f.dataset::text FROM catalogue.files f WHERE f.id = $2) END
        AND renewed IS NOT NULL;
    RETURN renewed;
END
$$;

CREATE FUNCTION catalogue.renew_names() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    exposed  record;
    found    record;
    given    text;
    renewed  bigint := 0;
BEGIN
    FOR exposed IN SELECT r.resource, r.model, f.column_name, f.field, f.type_oid, f.max,
            catalogue.qualified_name(r.relation) AS target
        FROM catalogue.resource r JOIN catalogue.field f ON f.resource = r.resource
        WHERE catalogue.is_composed(r.resource, f.column_name) AND f.column_name <> 'slug'
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
                            WHERE a.attrelid = r.relation AND a.attname = f.column_name AND a.attgenerated <> '')
            AND NOT EXISTS (SELECT FROM catalogue.field b WHERE b.resource = r.resource AND b.domain = 'birth')
        ORDER BY r.resource, f.column_name
    LOOP
        FOR found IN EXECUTE format(
            'SELECT t.id::text, t.%I::text AS name FROM %s t WHERE t.deleted_at IS NULL '
            'AND catalogue.compose(t.%1$I::text) <> t.%1$I::text '
            'ORDER BY t.created_at, t.id', exposed.column_name, exposed.target)
        LOOP
            given := catalogue.renew_name(exposed.resource, found.id, exposed.column_name, exposed.type_oid,
                exposed.max, found.name);
            renewed := renewed + (given IS NOT NULL)::int;
            IF given IS DISTINCT FROM catalogue.compose(found.name) THEN
                RAISE WARNING
                    USING MESSAGE = format('%s "%s" of %s "%s" %s', exposed.field, left(found.name, 200), exposed.model,
                            found.id, coalesce(format('is now "%s"', left(given, 200)), 'stays as it is')),
                        DETAIL = CASE WHEN given IS NULL THEN 'The record does not take it in Unicode''s NFC.'
                            ELSE 'Another record has the same name in Unicode''s NFC.' END;
            END IF;
        END LOOP;
    END LOOP;
    RETURN renewed;
END
$$;
COMMENT ON FUNCTION catalogue.renew_names() IS
'Store names and searched texts of living records in Unicode''s NFC
Of versions that stored them as they were written.  A name that another living record has then gets a number: "name 2";
each such name is told by a warning, and so is one that the record does not take.
Returns: how many texts were changed.  catalogue.bootstrap() calls it.
Source: Conventions for all resources';
