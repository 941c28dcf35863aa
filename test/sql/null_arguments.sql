--
-- null_arguments: a call without what it is about says so, and who creates a record without an actor is told to pass
-- one
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- What a call cannot do without; nulls.sql has each function with nulls for all arguments.
SELECT call, code, message
FROM unnest(ARRAY['list(NULL)', 'item(NULL, ''x'')', 'act(NULL, ''x'', ''publish'')', 'versions(NULL, ''x'')',
    'items(NULL, ''{}'')', 'item(''tags'', NULL)', 'related(''datasets'', NULL, ''tags'')',
    'related(''datasets'', ''x'', NULL)', 'versions(''tags'', NULL)', 'update(''tags'', NULL, ''{}'')',
    'delete(''tags'', NULL)',
    'restore(''tags'', NULL)', 'deactivate(''users'', NULL)', 'act(''datasets'', NULL, ''publish'')',
    'act(''datasets'', ''x'', NULL)', 'create(''tags'', NULL)', 'list(''nothing'')', 'list('''')']) call,
refusal('SELECT catalogue.' || call);

-- A null for what has a default is the default.
SELECT count FROM catalogue.list('tags', NULL, NULL, NULL, NULL);

-- Created by nobody: a trusted database user is told what to pass, or to give; a client is not.
SELECT code, message, hint FROM refusal($$SELECT catalogue.create('tags', '{"name": "nobody''s"}')$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.create('tags', '{"name": 7}')$$);
SELECT code, message, hint FROM refusal($$INSERT INTO catalogue.tags (name) VALUES ('nobody''s')$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.create('tags', '{"name": 7}', actor => admin())$$);
SELECT code, message, hint FROM refusal($$SELECT catalogue.create('tags', '{"name": 7}', actor => '{}')$$);
