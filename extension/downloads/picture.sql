-- Pictures of charts, maps and rows as PNG, for what does not show SVG: the worker makes them of what is drawn.

CREATE FUNCTION catalogue.picture_drawn(resource text, record text, query text, actor jsonb) RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN CASE $1 WHEN 'charts' THEN catalogue.chart_svg($2, $3, $4) WHEN 'maps' THEN catalogue.map_svg($2, $3, $4)
        WHEN 'files' THEN catalogue.contents_image($2, $3, $4) END;
END
$$;
COMMENT ON FUNCTION catalogue.picture_drawn(text, text, text, jsonb) IS
'Draw a record as SVG; part of catalogue.picture()
Arguments: as for catalogue.picture().  Returns: data is the text of an SVG document.';

CREATE FUNCTION catalogue.picture_digest(drawn text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
$$
    SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex');
$$;
COMMENT ON FUNCTION catalogue.picture_digest(text) IS
'Return the digest of a picture; part of catalogue.picture()
Arguments: drawn, the picture as SVG.  Returns: SHA-256 of it, as hexadecimal digits.';

-- Part of catalogue.picture_answer().
CREATE FUNCTION catalogue.picture_answer_part(digest text, resource text, record text, query text, actor jsonb)
    RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    form  CONSTANT text := 'png?' || $1;
    made  record;
BEGIN
    SELECT p.blob, p.reason INTO made FROM catalogue.made_picture p
    -- a program that was not installed may be
    WHERE p.digest = $1 AND (p.reason IS NULL OR p.made_at > now() - interval '10 min');
    IF made.reason IS NOT NULL THEN
        RAISE SQLSTATE 'OD406' USING MESSAGE = 'the picture cannot be made as PNG: ' || made.reason,
            HINT = format('/%s/%s/image has it as SVG.', $2, $3);
    ELSIF FOUND THEN
        RETURN catalogue.blob_answer(made.blob, 'image/png', $3 || '.png');
    END IF;
    PERFORM catalogue.limit_selections($3, form);
    RETURN (SELECT format('{"job":"%s","state":"%s","type":"image/png"}', j.id, j.state)
            FROM catalogue.job_for('convert', rtrim($2, 's'), $3, jsonb_build_object('form', form, 'resource', $2,
                'query', $4, 'actor', (CASE WHEN $5 ? 'user' THEN jsonb_build_object('user', $5 -> 'user')
                    ELSE '{}' END)::text, 'digest', $1), 'internal') j);
END
$$;

CREATE FUNCTION catalogue.picture_answer(digest text, resource text, record text, query text, actor jsonb) RETURNS text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.picture_answer(text, text, text, text, jsonb) IS
'Describe a picture as PNG, or its job; part of catalogue.picture()
Arguments: digest, of what is drawn.  resource, record, query, actor: as for catalogue.picture().  Returns: data of
catalogue.download().';

CREATE FUNCTION catalogue.picture(resource text, record text, form text DEFAULT 'png', query text DEFAULT '',
    actor jsonb DEFAULT NULL) RETURNS catalogue.reply LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    IF lower($3) IS DISTINCT FROM 'png' THEN
        RAISE SQLSTATE 'OD406' USING MESSAGE = format('pictures are not made as "%s"', $3),
            HINT = format('They are made as png; /%s/<id>/image has them as SVG.', $1);
    ELSIF $5 IS NULL THEN
        RAISE SQLSTATE 'OD406' USING
            MESSAGE = 'pictures are made as PNG for users and outsiders, not for database users',
            HINT = 'catalogue.chart_svg(), map_svg() and contents_image() draw them as SVG.';
    END IF;
    reply := catalogue.picture_drawn($1, $2, $4, $5);
    reply.data := catalogue.picture_answer(catalogue.picture_digest(reply.data), reply.resource, reply.id, $4, $5);
    reply.etag := NULL;
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.picture(text, text, text, text, jsonb) IS
'Return a picture of a record as PNG
Arguments: resource, charts, maps or files.  record, its id or slug.  form, png.  query, as for catalogue.chart_svg(),
map_svg() or contents_image().  actor, {"user": id} for a user, {} for an outsider; NULL, a database user, is refused.
Returns: data is an object as that of catalogue.download(): the bytes of what these functions draw, 1440 pixels wide on
a white ground, or the job that makes them.
Errors: as of these functions; OD406 another form, or it cannot be made; OD429 20 files and pictures are to be made
already.
Source: Charts, Maps, Files';

CREATE FUNCTION catalogue.picture_source(digest text, resource text, record text, query text, actor jsonb)
    RETURNS text LANGUAGE sql STABLE AS
$$
    SELECT d.data FROM catalogue.picture_drawn($2, $3, $4, $5) d WHERE catalogue.picture_digest(d.data) = $1;
$$;
COMMENT ON FUNCTION catalogue.picture_source(text, text, text, text, jsonb) IS
'Draw what a picture is made of
Arguments: digest, SHA-256 of what was drawn when the job was queued, as hexadecimal digits.  resource, record, query,
actor: as for catalogue.picture().
Returns: the text of an SVG document; NULL if it is another one by now.  For catalogue_worker.
Errors: as of catalogue.picture().
Source: Charts, Maps, Files';

-- Part of catalogue.picture_store().  The last 1,000 are kept.
CREATE FUNCTION catalogue.picture_store_part(digest text, reason text, made bigint) RETURNS void LANGUAGE sql AS
$$
    INSERT INTO catalogue.made_picture (digest, blob, reason) VALUES ($1, $3, $2)
    ON CONFLICT ON CONSTRAINT made_picture_pkey
        DO UPDATE SET blob = excluded.blob, reason = excluded.reason, made_at = excluded.made_at;
    DELETE FROM catalogue.made_picture p WHERE p.digest IN (
        SELECT o.digest FROM catalogue.made_picture o ORDER BY o.made_at DESC, o.digest OFFSET 1000);
$$;

CREATE FUNCTION catalogue.picture_store(digest text, reason text, made bigint) RETURNS void
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.picture_store(text, text, bigint) IS
'Store a picture
Arguments: digest, as for catalogue.picture_source().  reason, why it cannot be made, which clients are told; else NULL.
made, the blob with its bytes; NULL if there is a reason.  For catalogue_worker.
Source: Charts, Maps, Files';
