-- oEmbed: what shows a chart, a map or rows of a file in a page of another service, by their address.

CREATE FUNCTION catalogue.oembed(query text DEFAULT '', base text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply LANGUAGE plpgsql STABLE AS
$$
DECLARE
    given   jsonb;
    path    text[];
    name    text;
    frame   text;
    reply   catalogue.reply;
BEGIN
    BEGIN
        SELECT jsonb_object_agg(w.part[1], (
                SELECT convert_from(coalesce(string_agg(CASE WHEN m.part[1] IS NULL THEN convert_to(m.part[2], 'UTF8')
                    ELSE decode(m.part[1], 'hex') END, '' ORDER BY m.n), ''), 'UTF8')
                FROM regexp_matches(replace(w.part[2], '+', ' '), '%([0-9A-Fa-f]{2})|([^%]+|%)', 'g')
                    WITH ORDINALITY m(part, n)))
        INTO given FROM regexp_matches($1, '(?:^|&)(url|format|maxwidth|maxheight)=([^&]*)', 'g') w(part);
    EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN
        given := '{}';
    END;
    path := regexp_match(CASE WHEN starts_with(given ->> 'url', $2 || '/')
            THEN substr(given ->> 'url', length($2) + 1) END,
        '^/(charts|maps|files)/([A-Za-z0-9_-]+)(/contents)?(\?[^#]*)?(#.*)?$');
    IF given ->> 'format' <> 'json' THEN
        RAISE SQLSTATE 'OD406' USING MESSAGE = format('the format "%s" is not offered', given ->> 'format'),
            HINT = 'It is json.';
    ELSIF path IS NULL OR path[3] IS NOT NULL AND path[1] <> 'files' THEN
        RAISE SQLSTATE 'OD404' USING MESSAGE = 'the address is none of a chart, a map or a file of this service',
            HINT = format('url takes one such as %s/charts/<id>.', $2);
    END IF;
    -- a user without the privilege is refused; others get what outsiders see, who will look at it
    PERFORM catalogue.count(path[1], actor => $3);
    reply := catalogue.item(path[1], path[2], 'fields=name', actor => coalesce($3 - 'user', '{}'));
    name := reply.data::json ->> 'name';
    frame := concat($2, '/', path[1], '/', path[2], path[3], coalesce(path[4] || '&', '?'), 'embed=true');
    reply.data := (
        SELECT json_build_object('version', '1.0', 'type', 'rich', 'title', name, 'provider_name',
            (catalogue.dcat_settings()).data::json -> 'title', 'provider_url', $2 || '/',
            'width', s.width, 'height', s.height, 'html', format(
                '<iframe src="%s" title="%s" width="%s" height="%s" loading="lazy" style="border:0"></iframe>',
                replace(replace(replace(replace(frame, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'),
                replace(replace(replace(replace(name, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'),
                s.width, s.height))
        FROM (SELECT least(greatest(coalesce(substring(given ->> 'maxwidth' FROM '^[0-9]{1,6}$')::integer, 720), 1),
                720), least(greatest(coalesce(substring(given ->> 'maxheight' FROM '^[0-9]{1,6}$')::integer, 480), 1),
                480)) s(width, height));
    reply.links := NULL;
    reply.relations := NULL;
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.oembed(text, text, jsonb) IS
'Return what shows a chart, a map or rows of a file elsewhere
Arguments: query: url, the address of one, percent-encoded; maxwidth, maxheight, in pixels; format, json.  base, address
of the service, without a slash at the end.  actor, as for catalogue.feed().
Returns: data is an object of oEmbed 1.0 of type rich: title, provider_name, provider_url, width, at most 720, height,
at most 480, and html, a frame.
Errors: OD404 another address, or a record that outsiders do not see; OD406 another format; OD401 the actor''s user may
not log in.
Source: Charts, Maps, Files';
