-- Addresses of records: slugs, and names that they had.
CREATE FUNCTION catalogue.is_path_word(resource text, word text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_path_word';
COMMENT ON FUNCTION catalogue.is_path_word(text, text) IS
'Return whether a word stands for a path where others are records
Arguments: resource, its path word; word, what would follow it: "count" in /datasets/count; any letter case.
Returns: whether the table of paths has it; then no record of the resource gets it as its slug.
Source: Resources and their fields (slug); shim/database/endpoints.h, extension/write/address.c';

CREATE FUNCTION catalogue.renew_slugs() RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
    place    record;
    found    record;
    slug     text;
    renewed  bigint := 0;
BEGIN
    FOR place IN SELECT r.resource, r.model, catalogue.qualified_name(r.relation) AS target
        FROM catalogue.resource r JOIN catalogue.field f ON f.resource = r.resource
        WHERE f.column_name IN ('slug', 'name') AND f.type = 'string'
        GROUP BY r.resource, r.model, r.relation HAVING count(*) = 2
        ORDER BY r.resource
    LOOP
        FOR found IN EXECUTE format(
            'SELECT t.id::text, t.slug::text FROM %s t WHERE t.deleted_at IS NULL AND '
            'catalogue.is_path_word(%L, t.slug::text) ORDER BY t.created_at, t.id', place.target, place.resource)
        LOOP
            EXECUTE format('UPDATE %s SET slug = NULL WHERE id = $1 RETURNING slug::text', place.target)
                INTO slug USING found.id;
            renewed := renewed + 1;
            RAISE WARNING
                USING MESSAGE = format('slug "%s" of %s "%s" is now "%s"', found.slug, place.model, found.id, slug),
                DETAIL = format('The path /%s/%s is not that of the record.', place.resource, found.slug);
        END LOOP;
    END LOOP;
    RETURN renewed;
END
$$;
COMMENT ON FUNCTION catalogue.renew_slugs() IS
'Give records another slug whose slug is a word of a path
Such a slug, from a version that permitted it, gets a number; each is told by a warning.
Returns: how many were changed.  catalogue.bootstrap() calls it.
Source: Resources and their fields (slug); sql/22-addresses.sql';

CREATE FUNCTION catalogue.moved(resource text, name text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_moved';
COMMENT ON FUNCTION catalogue.moved(text, text, jsonb) IS
'Find the record that a slug or file name led to before it was renamed
Arguments: resource, its path word, any letter case.  name, the slug, or of a file its stored name.  actor, {"user": id}
for a user, {} for an outsider, NULL for a database user, who is trusted.
Returns: nothing; it always ends by an error.
Errors: OD308 with {"resource": path word, "id": id of the record} as its detail, where the actor sees the record and no
living record has the name; OD404 otherwise.  The shim calls it when a path has led to no record.
Source: Resources and their fields (slug); extension/services/moved.c';
