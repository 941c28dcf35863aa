-- How well a dataset is described: what others look for when they search, judge and take data.

-- Tell whether a file is as new as its update frequency promises; part of quality().  Arguments: file, the record with
-- its updateFrequency.  A period and half of it may have passed; a file without a pattern promises nothing.
CREATE FUNCTION catalogue.is_kept(file jsonb) RETURNS boolean LANGUAGE plpgsql STABLE STRICT AS
$$
DECLARE
    pattern  CONSTANT text := nullif(file #>> '{updateFrequency,timePattern}', '');
    changed  CONSTANT text := coalesce(catalogue.dcat_value('time', file #> '{optionals,modified}') #>> '{}',
                 file ->> 'updatedAt');
BEGIN
    RETURN pattern IS NULL OR changed::timestamptz + catalogue.dcat_interval(pattern) * 1.5 > now();
END
$$;

-- Part of catalogue.quality_checks().
CREATE FUNCTION catalogue.quality_checks_part(dataset json, files json) RETURNS json LANGUAGE plpgsql STABLE AS
$$
DECLARE
    said    CONSTANT jsonb := (catalogue.dcat_records(json_build_array($1)))[1];
    files   CONSTANT jsonb[] := catalogue.dcat_records($2);
    own     CONSTANT jsonb := CASE jsonb_typeof(said -> 'optionals') WHEN 'object' THEN said -> 'optionals' END;
    enough  CONSTANT integer := 50;
BEGIN
    RETURN json_build_object(
        'license', catalogue.dcat_value('text', own -> 'license') IS NOT NULL,
        'contact', catalogue.dcat_value('contacts', own -> 'contactPoint') IS NOT NULL,
        'description', length(coalesce(said ->> 'description', '')) >= enough,
        'machineReadable', EXISTS (SELECT FROM unnest(files) f WHERE f ->> 'parseState' = 'ready'),
        'columnsDescribed', coalesce((SELECT bool_and(coalesce(catalogue.columns_said((f -> 'optionals')::json) <> '{}',
                false))
            FROM unnest(files) f WHERE f ->> 'parseState' = 'ready'), false),
        'frequencyKept', coalesce((SELECT bool_and(catalogue.is_kept(f)) FROM unnest(files) f), false));
END
$$;

CREATE FUNCTION catalogue.quality_checks(dataset json, files json) RETURNS json
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.quality_checks(json, json) IS
'Return what holds of a dataset; part of catalogue.quality()
Arguments: dataset, the record; files, those that are seen, with their updateFrequency.';

CREATE FUNCTION catalogue.quality(dataset text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    -- limit: reduced to catalogue.max_limit
    query   CONSTANT text := 'fields=parseState,optionals,updatedAt,updateFrequency.timePattern&limit=1000000';
    reply   catalogue.reply := catalogue.item('datasets', dataset, 'fields=description,optionals', actor => actor);
    files   CONSTANT catalogue.reply := catalogue.related('datasets', reply.id, 'files', query, actor => actor);
    checks  CONSTANT json := catalogue.quality_checks(reply.data::json, files.data::json);
BEGIN
    reply.etag := NULL;
    reply.data := (SELECT json_build_object('score', pg_catalog.count(*) FILTER (WHERE c.value = 'true'),
        'of', pg_catalog.count(*), 'checks', checks) FROM json_each_text(checks) c);
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.quality(text, jsonb) IS
'Return how well a dataset is described
Arguments: dataset, its id or slug.  actor, {"user": id} for a user, {} for an outsider, NULL for a database user.
Returns: data is an object: score, how many of the checks hold; of, how many there are; checks, true or false of each:
license and contact, which optionals have; description, of 50 characters and more; machineReadable, a file whose rows
are read; columnsDescribed, optionals.columns of all such files; frequencyKept, no file is older than its update
frequency and half of it.  Files that the actor does not see do not count, nor those behind the first
catalogue.max_limit.
Errors: OD404 no such dataset; OD401 the actor''s user may not log in.
Source: Datasets';
