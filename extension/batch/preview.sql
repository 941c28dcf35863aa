-- Charts and maps that are made to be looked at, and taken back.

CREATE FUNCTION catalogue.preview_visual(resource text, body json, query text DEFAULT '', actor jsonb DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE plpgsql AS
$$
DECLARE
    path    CONSTANT text := lower(resource);
    made    catalogue.reply;
    shown   json;
    issues  catalogue.reply;
BEGIN
    IF path NOT IN ('charts', 'maps') THEN
        RAISE SQLSTATE 'OD404' USING MESSAGE = format('there is no preview of %s', resource);
    -- creations of outsiders are counted, since they have a limit, and what is taken back would not count
    ELSIF actor IS NOT NULL AND actor ->> 'user' IS NULL THEN
        RAISE SQLSTATE 'OD401' USING MESSAGE = 'a user is needed for this';
    END IF;
    BEGIN
        made := catalogue.create(path, body, 'representation', actor => actor);
        IF path = 'charts' THEN
            shown := json_build_object('picture', (catalogue.chart_svg(made.id, query, actor)).data,
                'data', made.data::json -> 'data');
        ELSE
            issues := catalogue.map_issues(made.id, 'limit=10', actor);
            shown := json_build_object('picture', (catalogue.map_svg(made.id, query, actor)).data,
                'geojson', made.data::json -> 'geojson', 'correct', made.data::json -> 'correct',
                'issues', issues.data::json, 'issueCount', issues.count);
        END IF;
        -- takes back what was made; not OD000, which would stand for all of its class
        RAISE SQLSTATE 'OD200';
    EXCEPTION WHEN SQLSTATE 'OD200' THEN
        made.id := NULL;
        made.links := NULL;
        made.data := shown;
    END;
    RETURN made;
END
$$;
COMMENT ON FUNCTION catalogue.preview_visual(text, json, text, jsonb) IS
'Show a chart or a map before it is made
Arguments: resource, charts or maps.  body, as of catalogue.create().  query, lang of the picture.  actor, {"user": id}
for a user, NULL for a database user, who is trusted; whoever may create such a record. The record is made, drawn and
taken back, so that it is what catalogue.create() would make; nothing of it is stored, logged or told to webhooks.
Returns: data is an object: picture, as of catalogue.chart_svg() or map_svg(); data of a chart, as of
catalogue.chart_data(); of a map geojson, NULL if it is long, correct, issues, the first 10 rows that have no place, and
issueCount.
Errors: as of catalogue.create(), catalogue.chart_svg() and catalogue.map_svg(); OD401 for an outsider; OD404 another
resource.
Source: Charts, Maps';
