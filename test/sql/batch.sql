--
-- batch: several changes in one transaction, or none of them
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The results of a batch, and the faults that it is refused with.
CREATE FUNCTION batch(parts text, actor jsonb DEFAULT admin(), wanted text DEFAULT 'minimal') RETURNS SETOF text
    LANGUAGE sql AS
$$
    SELECT mask(e.result::text)
    FROM catalogue.batch(('{"parts": ' || parts || '}')::json, wanted, 'ids', actor) r,
        json_array_elements(r.data::json) e(result)
$$;
CREATE FUNCTION refused(parts text, actor jsonb DEFAULT admin(), OUT code text, OUT fault text) RETURNS SETOF record
    LANGUAGE sql AS
$$
    SELECT f.code, coalesce(e.fault::text, f.message || coalesce(' ' || f.detail, ''))
    FROM refusal(format('SELECT catalogue.batch(%L, actor => %L)', '{"parts": ' || parts || '}', actor)) f
        LEFT JOIN LATERAL json_array_elements(f.detail::json -> 'faults') e(fault) ON true
$$;
CREATE TABLE before AS
    SELECT (SELECT count(*) FROM catalogue.tags) AS tags, (SELECT count(*) FROM catalogue.logs) AS logs,
        (SELECT count(*) FROM catalogue.datasets) AS datasets;
CREATE VIEW done AS
    SELECT (SELECT count(*) FROM catalogue.tags) - b.tags AS tags,
        (SELECT count(*) FROM catalogue.logs) - b.logs AS logs,
        (SELECT count(*) FROM catalogue.datasets) - b.datasets AS datasets
    FROM before b;

-- Faults: nothing is done, and nothing is logged.
SELECT * FROM refused('[]');
SELECT * FROM refused('{}');
SELECT * FROM refused('null');
SELECT * FROM refused((SELECT json_agg(json_build_object('method', 'POST', 'path', '/tags', 'body',
    json_build_object('name', 'tag ' || n)))::text FROM generate_series(1, 1001) n));
SELECT * FROM refused('[1, {}, {"method": "GET", "path": "/tags"}, {"method": "POST", "path": "/tags?x", "body": {}},
    {"method": "PATCH", "path": "/datasets/x/explode"}, {"method": "POST", "path": "/tags"},
    {"method": "DELETE", "path": "/tags/x", "body": {}, "other": 1}, {"method": "POST", "path": "/tags", "body": []},
    {"method": "PUT", "path": "/tags/x", "body": {}, "ifMatch": "W/\"x\""},
    {"method": "POST", "path": "/tags", "body": {}, "ifMatch": "*"},
    {"method": "POST", "path": "tags//", "body": {}}]');
-- all faults of all parts, also of those behind a part at fault; what refers to such a part is left out
SELECT * FROM refused('[{"method": "POST", "path": "/tags", "body": {"name": "a"}},
    {"method": "POST", "path": "/tags", "body": {"nam": "b"}},
    {"method": "PATCH", "path": "/tags/$2", "body": {"name": 1}},
    {"method": "POST", "path": "/tags", "body": {"name": 1}},
    {"method": "POST", "path": "/tags", "body": {"name": "a"}},
    {"method": "DELETE", "path": "/tags/nothing"}, {"method": "POST", "path": "/nothing", "body": {}},
    {"method": "POST", "path": "/logs", "body": {}}, {"method": "POST", "path": "/tag", "body": {}}]');
-- one fault in the last of 1,000
SELECT * FROM refused((SELECT json_agg(json_build_object('method', 'POST', 'path', '/tags', 'body',
    json_build_object('name', CASE WHEN n < 1000 THEN 'tag ' || n END)))::text FROM generate_series(1, 1000) n));
-- references to the same part, to later ones, in circles, to none
SELECT * FROM refused('[{"method": "PATCH", "path": "/tags/$1", "body": {"name": "a"}},
    {"method": "PATCH", "path": "/tags/$3", "body": {"name": "$3"}},
    {"method": "PATCH", "path": "/tags/$2", "body": {"name": "$0", "x": [{"y": "$99999999999"}]}}]');
SELECT * FROM done;

-- Changes, with references to records that earlier parts made.
SELECT * FROM batch('[{"method": "POST", "path": "/tags", "body": {"name": "wind"}},
    {"method": "POST", "path": "/datasets", "body": {"name": "Air \"$1\"", "description": "$$1",
        "owner": "' || (admin() ->> 'user') || '", "tags": ["$1"], "categories": ["'
        || (SELECT min(id) FROM catalogue.categories) || '"]}},
    {"method": "PATCH", "path": "/datasets/$2/review"}, {"method": "PATCH", "path": "/datasets/$2/publish"},
    {"method": "PATCH", "path": "/tags/$1", "ifMatch": "*", "body": {"name": "winds", "$1": 1}},
    {"method": "POST", "path": "/tags", "body": {"name": "rain"}}, {"method": "DELETE", "path": "/Tags/$6"},
    {"method": "POST", "path": "/tags/$6/restore"}]');
SELECT d.name, d.description, s.name AS status, (SELECT string_agg(t.name, ',') FROM catalogue.datasets_tags j
    JOIN catalogue.tags t ON t.id = j.tag WHERE j.dataset = d.id) AS tags
FROM catalogue.datasets d JOIN catalogue.statuses s ON s.id = d.status WHERE d.name ~ '^Air';
SELECT l.action, count(*) FROM catalogue.logs l, before b WHERE l.deleted_at IS NULL GROUP BY 1 ORDER BY 1;
SELECT tags, datasets, logs FROM done;
SELECT (catalogue.batch('{"parts": [{"method": "POST", "path": "/tags", "body": {"name": "fog"}}]}', 'representation',
    actor => admin())).data::json -> 0 -> 'data' ->> 'name' AS name;

-- Preconditions, as of a single change: of the state that the record has within the batch.
SELECT etag AS tag FROM catalogue.item('tags', 'fog', actor => admin()) \gset
SELECT * FROM refused('[{"method": "PATCH", "path": "/tags/fog", "ifMatch": "\"nothing\"", "body": {"name": "mist"}}]');
SELECT * FROM refused(format('[{"method": "PATCH", "path": "/tags/fog", "ifMatch": "\"%1$s\"",
        "body": {"name": "mist"}},
    {"method": "DELETE", "path": "/tags/mist", "ifMatch": "\"%1$s\""}]', :'tag'));
SELECT * FROM batch(format('[{"method": "PATCH", "path": "/tags/fog", "ifMatch": "\"%s-gzip\"",
    "body": {"name": "mist"}}]',
    :'tag'));

-- Permissions are those of each part; a password is not changed, so that none can be guessed.
SELECT * FROM refused('[{"method": "POST", "path": "/tags", "body": {"name": "a"}}]', '{}');
SELECT * FROM refused('[{"method": "PATCH", "path": "/users/x", "body": {"password": "a", "currentPassword": "b"}}]');
SELECT * FROM refused('[{"method": "POST", "path": "/tags", "body": {"name": "a"}}]', '{"user": "nobody"}');
UPDATE catalogue.users SET active = true;
SELECT * FROM refused('[{"method": "POST", "path": "/tags", "body": {"name": "a"}},
    {"method": "DELETE", "path": "/tags/$1"}, {"method": "POST", "path": "/categories", "body": {"name": "a"}}]',
    actor('guest'));
SELECT count(*) AS made
FROM batch('[{"method": "POST", "path": "/tags", "body": {"name": "of a guest"}}]', actor('guest'));

-- A database user without the owner's rights is nobody; the owner is trusted, and named no creator.
CREATE ROLE regress_batch_nobody;
GRANT USAGE ON SCHEMA catalogue, test TO regress_batch_nobody;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA catalogue, test TO regress_batch_nobody;
SET ROLE regress_batch_nobody;
SELECT * FROM refused('[{"method": "POST", "path": "/tags", "body": {"name": "b"}}]', NULL);
RESET ROLE;
SELECT * FROM refused('[{"method": "POST", "path": "/tags", "body": {"name": "b"}}]', NULL);
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA catalogue, test FROM regress_batch_nobody;
REVOKE ALL ON SCHEMA catalogue, test FROM regress_batch_nobody;
DROP ROLE regress_batch_nobody;

-- The counters are right after all that.
SELECT (catalogue.count('tags', actor => admin())).data::json ->> 'count'
    = (SELECT count(*)::text FROM catalogue.tags WHERE deleted_at IS NULL) AS counted;
