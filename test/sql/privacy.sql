--
-- privacy: logs, statistics and e-mail addresses of others are read by a rule only, whichever the way
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
UPDATE catalogue.users SET active = true;
SELECT catalogue.record_statistics(E'1700000000000000\tGET\ttags\t/tags\t\t\tbrowser\t192.0.2.77\n');
SELECT make('tags', '{"name": "of the admin"}') AS tag \gset
SELECT mask(id) AS id FROM catalogue.create('tags', '{"name": "of the guest"}', actor => actor('guest'));
SELECT mask(id) AS id FROM catalogue.update('users', id_of('users', 'editor'), '{"email": "second@example.org"}',
    actor => admin());
-- who may execute queries, for what follows
INSERT INTO catalogue.rules (role, resource, action)
SELECT r, 'query', 'query' FROM unnest('{admin,guest}'::catalogue.role[]) r;
\set request 'lost@example.org'
UPDATE catalogue.datasetrequests SET email = :'request'
WHERE id = (SELECT min(id) FROM catalogue.datasetrequests);

-- The ways to what is closed; %1$s is the actor.
CREATE TABLE ways AS
SELECT row_number() OVER () AS n, w.what, format(w.call, '%1$L', id_of('users', 'editor'), id_of('users', 'admin'),
    (SELECT min(id) FROM catalogue.logs), (SELECT min(id) FROM catalogue.statistics),
    (SELECT min(id) FROM catalogue.datasetrequests), id_of('organizations', 'Open Data Office'),
    to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) AS call
FROM (VALUES
    ('email: list', $$catalogue.list('users', 'limit=100', actor => %s)$$),
    ('email: list, embedded', $$catalogue.list('users', 'limit=100', 'embedded', actor => %s)$$),
    ('email: item', $$catalogue.item('users', '%2$s', actor => %1$s)$$),
    ('email: items', $$catalogue.items('users', ARRAY['%2$s', '%3$s'], actor => %1$s)$$),
    ('email: item, fields', $$catalogue.item('users', '%2$s', 'fields=email', actor => %1$s)$$),
    ('email: first', $$catalogue.first('users', 'username=editor', actor => %s)$$),
    ('email: last', $$catalogue.last('users', 'username=editor', actor => %s)$$),
    ('email: fields', $$catalogue.list('users', 'fields=email', actor => %s)$$),
    ('email: versions', $$catalogue.versions('users', '%2$s', actor => %1$s)$$),
    ('email: version', $$catalogue.list('users', 'version=%8$s', actor => %1$s)$$),
    ('email: include', $$catalogue.list('organizations', 'include=users', actor => %s)$$),
    ('email: include of include', $$catalogue.list('users', 'include=organization.users', actor => %s)$$),
    ('email: include of a field', $$catalogue.list('organizations', 'include=users.email', actor => %s)$$),
    ('email: fields of include', $$catalogue.list('organizations', 'fields=users.email', actor => %s)$$),
    ('email: createdBy', $$catalogue.item('users', '%2$s', 'include=createdBy', actor => %1$s)$$),
    ('email: related', $$catalogue.related('organizations', '%7$s', 'users', actor => %1$s)$$),
    ('email: search', $$catalogue.search('query=example.org', actor => %s)$$),
    ('email: export', $$catalogue.export('users', actor => %s)$$),
    ('email: query', $$catalogue.query('{"sql": "SELECT email FROM users"}', actor => %s)$$),
    ('email: query, all', $$catalogue.query('{"sql": "SELECT * FROM users"}', actor => %s)$$),
    ('email: facets', $$catalogue.list('users', 'facets=email', actor => %s)$$),
    ('email: update of others', $$catalogue.update('users', '%2$s', '{"lastName": "Editor"}', 'representation', actor =>
        %1$s)$$),
    ('request: list', $$catalogue.list('datasetrequests', '', actor => %s)$$),
    ('request: item', $$catalogue.item('datasetrequests', '%6$s', actor => %1$s)$$),
    ('request: query', $$catalogue.query('{"sql": "SELECT * FROM datasetrequests"}', actor => %s)$$),
    ('statistics: list', $$catalogue.list('statistics', 'limit=100', actor => %s)$$),
    ('statistics: item', $$catalogue.item('statistics', '%5$s', actor => %1$s)$$),
    ('statistics: first', $$catalogue.first('statistics', '', actor => %s)$$),
    ('statistics: last', $$catalogue.last('statistics', '', actor => %s)$$),
    ('statistics: count', $$catalogue.count('statistics', 'ip=192.0.2.0', actor => %s)$$),
    ('statistics: usage', $$catalogue.usage('tags', '', actor => %s)$$),
    ('statistics: sums', $$catalogue.statistics_summary('', %s)$$),
    ('statistics: downloads', $$catalogue.statistics_downloads('', %s)$$),
    ('statistics: export', $$catalogue.export('statistics', actor => %s)$$),
    ('statistics: query', $$catalogue.query('{"sql": "SELECT ip FROM statistics"}', actor => %s)$$),
    ('logs: item of another', $$catalogue.item('logs', '%4$s', actor => %1$s)$$),
    ('logs: versions of another', $$catalogue.versions('logs', '%4$s', actor => %1$s)$$)) w(what, call);

-- What a way gives to a caller: the values that are closed, or the refusal.
SET bytea_output = 'escape';
CREATE FUNCTION given(call text, actor jsonb) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    answer  text;
BEGIN
    EXECUTE format('SELECT string_agg(t::text, '' '') FROM ' || call || ' t', actor) INTO answer;
    RETURN coalesce((SELECT 'given: ' || string_agg(DISTINCT f[1], ' ' ORDER BY f[1])
                     FROM regexp_matches(answer, '(?:admin|second|lost|guest)@example.org|192\.0\.2\.\d+', 'g') f),
        'given: nothing');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || test.mask(SQLERRM);
END
$$;

-- A guest is given his own address at most.
SELECT n, what, given(call, actor('guest')) AS guest FROM ways ORDER BY n;
-- An administrator has the rules; a superadmin and the owner of the catalogue need none.
SELECT n, what, given(call, actor('editor')) AS admin FROM ways ORDER BY n;
SELECT n, what, given(call, admin()) AS superadmin FROM ways
WHERE given(call, admin()) <> given(call, actor('editor')) ORDER BY n;
-- Those without a user are told as little as before.
SELECT given(call, '{}') AS nobody, count(*) FROM ways GROUP BY 1 ORDER BY 1;

-- Filters by an address find nothing out: they are ignored, as those by a column that is hidden; an order is refused.
CREATE TABLE filters AS SELECT f.query FROM (VALUES ('email=second@example.org'), ('email[gte]=second'),
    ('email[match]=second'), ('organization.users.email=second@example.org'), ('createdBy.email=nobody')) f(query);
SELECT f.query, w.who, c.data, c.ignored
FROM filters f, unnest('{guest,editor}'::text[]) w(who), catalogue.count('users', f.query, actor(w.who)) c
ORDER BY 1, 2;
SELECT o.query, w.who, r.code, r.message
FROM unnest('{orderBy=email,orderBy=createdBy.email,facets=email}'::text[]) o(query),
    unnest('{guest,editor}'::text[]) w(who),
    refusal(format('SELECT catalogue.list(''users'', %L, actor => %L)', o.query, actor(w.who))) r ORDER BY 1, 2;
SELECT r.code, r.message, r.hint
FROM refusal(format('SELECT catalogue.list(''users'', ''email=x'', actor => %L)',
    actor('guest') || '{"handling": "strict"}')) r;
-- A search by a guest does not look into addresses, with the index or without it, whichever the match.
SELECT q.query, w.who, c.data
FROM unnest(ARRAY['query=second', 'query=second@example.org&match=EXACT', 'query=second%40ex&match=BEGINS',
        'query=editor', 'query=second sample', 'query="second"', 'query=e', 'query=second&nearest=true']) q(query),
    unnest('{guest,editor}'::text[]) w(who), catalogue.count('users', q.query, actor(w.who)) c ORDER BY 1, 2;
SELECT w.who, s.count FROM unnest('{guest,editor}'::text[]) w(who),
    catalogue.search('query=second@example.org', actor => actor(w.who)) s ORDER BY 1;

-- The own address is shown to a user by the own record, and only there; also when he changes it.
SELECT w.what, given(format(w.call, '%1$L', id_of('users', 'guest')), actor('guest')) AS guest FROM (VALUES
    ('item', $$catalogue.item('users', '%2$s', actor => %1$s)$$),
    ('fields', $$catalogue.item('users', '%2$s', 'fields=email', actor => %1$s)$$),
    ('other fields', $$catalogue.item('users', '%2$s', 'fields=username', actor => %1$s)$$),
    ('by name', $$catalogue.first('users', 'username=guest', actor => %1$s)$$),
    ('list', $$catalogue.list('users', 'username=guest', actor => %1$s)$$),
    ('update', $$catalogue.update('users', '%2$s', '{"lastName": "Y"}', 'representation', actor => %1$s)$$)
    ) w(what, call);
-- The entity tag of a record tells whether it shows the address; If-Match takes either.
SELECT a.etag = b.etag AS same, split_part(a.etag, '.', 1) = split_part(b.etag, '.', 1) AS same_state
FROM catalogue.item('users', id_of('users', 'editor'), actor => actor('guest')) a,
    catalogue.item('users', id_of('users', 'editor'), actor => admin()) b;

--
-- The action log: own actions for guests
--
SELECT l.record ->> 'action' AS action, l.record ->> 'target' AS target,
    l.record ->> 'user' = id_of('users', 'guest') AS own
FROM json_array_elements((catalogue.list('logs', 'window=500', actor => actor('guest'))).data::json) l(record);
SELECT w.what, w.data FROM (
    SELECT 'count' AS what, (catalogue.count('logs', '', actor('guest'))).data
    UNION ALL SELECT 'filtered', (catalogue.count('logs', 'user=' || id_of('users', 'admin'), actor('guest'))).data
    UNION ALL SELECT 'one of two', (catalogue.count('logs', 'condition=OR&target=tag&user=' || id_of('users', 'admin'),
        actor('guest'))).data
    UNION ALL SELECT 'by the user', (catalogue.count('logs', 'user.username=admin', actor('guest'))).data
    UNION ALL SELECT 'users by their logs',
        (catalogue.count('users', 'logs.target=tag', actor('guest'))).data
    UNION ALL SELECT 'logs of the other',
        (catalogue.related('users', id_of('users', 'admin'), 'logs', actor => actor('guest'))).data
    UNION ALL SELECT 'logs of a record', (catalogue.record_logs('tags', :'tag', actor => actor('guest'))).data
    UNION ALL SELECT 'search',
        (catalogue.search('query=' || :'tag' || '&resources=logs', actor => actor('guest'))).data
    UNION ALL SELECT 'query',
        (catalogue.query('{"sql": "SELECT count(*) FROM logs"}', actor => actor('guest'))).data) w;
SELECT json_array_length(u.record -> 'logs') AS included
FROM json_array_elements(
    (catalogue.list('users', 'include=logs&username=admin', actor => actor('guest'))).data::json) u(record);
-- Another guest has no part in the page of the first, though both have asked for the same.
SELECT mask(make('users', json_build_object('username', 'second', 'password', 'long enough', 'email', 'own@example.org',
    'organization', id_of('organizations', 'Open Data Office'), 'active', true))) AS id;
SELECT w.who, l.count, l.etag = lag(l.etag) OVER (ORDER BY w.who) AS same_tag
FROM unnest('{guest,second}'::text[]) w(who), catalogue.list('logs', '', actor => actor(w.who)) l ORDER BY 1;
-- The log does not keep addresses, since its readers need not be readers of them.
SELECT l.changes::json -> 'email' AS email FROM catalogue.logs l WHERE l.action = 'update' AND l.target = 'user'
    AND l.changes::text LIKE '%email%';

--
-- Rules
--
-- A rule grants it at once, and its removal takes it at once; "*" does not reach what is closed.
INSERT INTO catalogue.rules (role, resource, action) VALUES ('guest', '*', '*'), ('guest', '*', 'read'),
    ('guest', 'users', '*'), ('guest', 'statistics', 'update');
SELECT what, given(call, actor('guest')) FROM ways
WHERE what IN ('email: list', 'statistics: list', 'request: list') ORDER BY 1;
INSERT INTO catalogue.rules (role, resource, action)
SELECT 'guest', unnest('{logs,statistics,users,datasetrequests}'::text[]), 'read';
SELECT count(*) AS other_than_the_admin FROM ways
WHERE given(call, actor('guest')) <> given(call, actor('editor')) AND what <> 'email: update of others';
DELETE FROM catalogue.rules WHERE action = 'read' AND role = 'guest';
SELECT what, given(call, actor('guest')) FROM ways
WHERE what IN ('email: list', 'email: item', 'statistics: list') ORDER BY 1;
SELECT code, message
FROM refusal(format('SELECT catalogue.list(''logs'', ''window=500'', actor => %L)', actor('guest')));
-- What may not be read is not offered.
SELECT w.who, string_agg(r.key, ' ' ORDER BY r.key) AS offered
FROM unnest('{guest,editor}'::text[]) w(who), LATERAL (
    SELECT e.key FROM json_each((catalogue.entry('', actor(w.who))).data::json) e
    WHERE e.key IN ('logs', 'statistics', 'users')) r GROUP BY 1 ORDER BY 1;
SELECT w.who, (catalogue.describe('tags', actor(w.who))).data::json ->> 'allowed' AS allowed
FROM unnest('{guest,editor}'::text[]) w(who) ORDER BY 1;
-- A rule for records of the organization is none for reading, and so is an own one where nobody owns.
INSERT INTO catalogue.rules (role, resource, action, own, organization)
VALUES ('guest', 'users', 'read', false, true), ('guest', 'statistics', 'read', true, false);
SELECT what, given(call, actor('guest')) FROM ways WHERE what IN ('email: list', 'statistics: list') ORDER BY 1;

-- A column of a table of one's own.
CREATE TABLE catalogue.members (id catalogue.id PRIMARY KEY, name varchar(50) NOT NULL, phone varchar(50),
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz);
SELECT catalogue.expose('members', 'Member', searchable => '{name,phone}', closed => '{phone}');
SELECT mask(make('members', '{"name": "first", "phone": "12345"}')) AS id;
SELECT w.who,
    (catalogue.list('members', 'fields=name,phone', actor => coalesce(actor(w.who), '{}'))).data::json #>> '{0,phone}'
        AS phone,
    (catalogue.count('members', 'query=12345', coalesce(actor(w.who), '{}'))).data AS found
FROM unnest('{admin,editor,guest,nobody}'::text[]) w(who);
INSERT INTO catalogue.rules (role, resource, action) VALUES ('admin', 'members', 'read');
SELECT (catalogue.list('members', 'fields=name,phone', actor => actor('editor'))).data::json #>> '{0,phone}' AS phone;

-- The set-up of the web applications grants guests what their pages show, once; and can leave that out.
DELETE FROM catalogue.rules WHERE action = 'read' AND role = 'guest';
SELECT consumer FROM catalogue.register_web_application('Portal', guests_read => false);
SELECT count(*) FROM catalogue.rules WHERE action = 'read' AND role = 'guest';
SELECT consumer FROM catalogue.register_web_application('Portal');
SELECT consumer FROM catalogue.register_web_application('Portal');
SELECT resource, own FROM catalogue.rules WHERE action = 'read' AND role = 'guest' AND deleted_at IS NULL ORDER BY 1;
SELECT (catalogue.count('logs', '', actor('guest'))).data = (catalogue.count('logs', '', admin())).data AS all_logs;

--
-- Addresses of visitors
--
CREATE FUNCTION kept(VARIADIC addresses text[]) RETURNS TABLE (kept text) LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM test.seen;
    INSERT INTO test.seen SELECT id FROM catalogue.statistics;
    PERFORM catalogue.record_statistics(string_agg(format(E'1700000000000000\tGET\ttags\t/tags\t\t\tx\t%s\n',
        a.address), '' ORDER BY a.n))
    FROM unnest(addresses) WITH ORDINALITY a(address, n);
    RETURN QUERY SELECT s.ip::text FROM catalogue.statistics s
        WHERE s.id NOT IN (SELECT id FROM test.seen) ORDER BY s.id;
END
$$;
CREATE TABLE seen (id text);
-- The network is kept: of IPv4 24 bits, also where it is written as IPv6 or part of a 6to4 address; of IPv6 48.
SELECT * FROM kept('192.0.2.77', '::ffff:192.0.2.77', '2001:db8:1:2:3:4:5:6', '2002:c000:24d::1', '::1',
    '::ffff:c000:24d', '2001:DB8:1:2::', '', 'unix:', '192.0.2.77.evil', 'fe80::1%eth0', '192.0.2.077');
SET catalogue.visitor_addresses = 'whole';
SELECT * FROM kept('192.0.2.77', '2001:db8:1:2:3:4:5:6', '', 'unix:');
SET catalogue.visitor_addresses = 'none';
SELECT * FROM kept('192.0.2.77', '2001:db8::1', '');
SET catalogue.visitor_addresses = 'some';
RESET catalogue.visitor_addresses;
-- Only a superuser sets it.
SET ROLE catalogue_shim;
SET catalogue.visitor_addresses = 'whole';
SET catalogue.visitor_address_days = 0;
RESET ROLE;
-- After so many days they are removed, whichever they are, and nothing records them.
SELECT count(*) AS logs FROM catalogue.logs \gset
SELECT catalogue.forget_addresses(10);
SET catalogue.visitor_address_days = 3;
SELECT catalogue.record_statistics(format(E'%s\tGET\ttags\t/recent\t\t\tx\t192.0.2.77\n',
    (extract(epoch FROM now()) * 1000000)::bigint));
SELECT count(*) AS with_address FROM catalogue.statistics WHERE ip <> '-';
SELECT catalogue.forget_addresses(1) AS at_most;
SELECT catalogue.prune() >= 0 AS pruned;
SELECT endpoint, ip FROM catalogue.statistics WHERE ip <> '-' ORDER BY id;
SELECT count(*) - :logs AS logged FROM catalogue.logs;
SELECT catalogue.forget_addresses(10) AS nothing_left;
