--
-- idempotency: a change that is made once for a key
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The id in the packed reply of a creation, or the error.
CREATE FUNCTION once(key text, body text, actor jsonb DEFAULT admin(), digest text DEFAULT 'digest') RETURNS text
    LANGUAGE sql AS
$$
    SELECT split_part(encode(catalogue.once($1, $4, 'create', ARRAY['tags', $2, NULL, NULL, $3::text, NULL], $3),
        'escape'), '\000', 2);
$$;
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE sql AS
$$
    SELECT concat_ws(' ', f.code, f.message) FROM refusal(statement) f
$$;

-- The same reply, and one record.
SELECT once('a', '{"name": "wind"}') = once('a', '{"name": "wind"}') AS same;
SELECT count(*) FROM catalogue.tags WHERE name = 'wind';
SELECT once('a', '{"name": "wind"}') = id_of('tags', 'wind') AS made;

-- Another user, nobody, and a database user have keys of their own: what they may not do is not answered.
SELECT refused(format('SELECT once(''a'', ''{"name": "wind"}'', %L)', actor('guest')));
SELECT refused(format('SELECT once(''a'', ''{"name": "x"}'', %L)', '{}'));
SELECT refused($$SELECT catalogue.once('a', 'digest', 'create', '{tags,null,null,null,null,null}')$$);

-- A key of another request.
SELECT refused($$SELECT once('a', '{"name": "rain"}', digest => 'another')$$);

-- After an error the key is unused.
SELECT refused($$SELECT once('b', '{}')$$), refused($$SELECT once('b', '{')$$), refused($$SELECT once('b', NULL)$$);
SELECT once('b', '{"name": "sun"}') = id_of('tags', 'sun') AS made;

-- What is no key, no function, no list of arguments.
SELECT refused(format('SELECT once(%L, %L)', key, '{"name": "snow"}'))
FROM unnest(ARRAY['', ' ', 'two words', repeat('x', 256), 'é', E'\n', NULL]) key;
SELECT refused(format('SELECT catalogue.once(%L, %L, %L, %L, %L)', 'c', digest, function, arguments, admin()))
FROM (VALUES
    (NULL, 'create', '{tags}'), ('d', NULL, '{tags}'), ('d', 'create', NULL), ('d', 'create', '{}'),
    ('d', 'create', '{tags,null,null,null,null}'), ('d', 'create', '{{tags,b},{c,d}}'), ('d', 'login', '{}'),
    ('d', 'create(''tags'')', '{}'), ('d', 'clear', '{tags}'), ('d', 'refresh_file', '{1,2,3,4,5,6,7,8}'))
    AS t(digest, function, arguments);
SELECT count(*) FROM catalogue.tags WHERE name = 'snow';

-- Who may not make the change has no more rights by it, and cannot read the replies.
CREATE ROLE regress_idempotency;
GRANT USAGE ON SCHEMA catalogue, test TO regress_idempotency;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA test TO regress_idempotency;
GRANT EXECUTE ON FUNCTION catalogue.once(text, text, text, text[], jsonb), catalogue.packed(catalogue.reply)
    TO regress_idempotency;
SELECT admin() AS admin \gset
SET ROLE regress_idempotency;
SELECT refused(format($$SELECT catalogue.once('e', 'd', 'create', '{tags,"{\"name\": \"snow\"}",null,null,null,null}',
    %L)$$, :'admin'));
SELECT refused('SELECT * FROM catalogue.idempotency');
RESET ROLE;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA catalogue, test FROM regress_idempotency;
REVOKE ALL ON SCHEMA catalogue, test FROM regress_idempotency;
DROP ROLE regress_idempotency;

-- A stored reply is removed after 24 hours, and counts no more before that.
SELECT once('a', '{"name": "wind"}') AS before \gset
UPDATE catalogue.idempotency SET created_at = now() - interval '24 hours';
DELETE FROM catalogue.tags WHERE name = 'wind';
SELECT once('a', '{"name": "wind"}') <> :'before' AS made;
SELECT count(*) > 1 AS several FROM catalogue.idempotency;
SELECT catalogue.sweep() >= 0 AS swept;
SELECT key FROM catalogue.idempotency;

-- A reply is not given again to whom the change is not permitted any more: of a role, of a key, of a part of a batch.
CREATE FUNCTION batched(actor jsonb, arguments text[] DEFAULT ARRAY[
    '{"parts": [{"method": "POST", "path": "/tags", "body": {"name": "hail"}},
        {"method": "DELETE", "path": "/tags/$1"}]}'])
    RETURNS text LANGUAGE sql AS
$$
    SELECT octet_length(catalogue.once('f', 'digest', 'batch',
        arguments || ARRAY[NULL, NULL, actor::text, NULL, NULL], actor)) > 0
$$;
UPDATE catalogue.users SET role = 'superadmin', active = true WHERE id = actor('guest') ->> 'user';
SELECT actor('guest') AS other \gset
SELECT batched(:'other'), batched(:'other'), once('g', '{"name": "ice"}', :'other') IS NOT NULL AS made;
UPDATE catalogue.users SET role = 'guest' WHERE id = :'other'::jsonb ->> 'user';
SELECT refused(format('SELECT batched(%L)', :'other')), once('g', '{"name": "ice"}', :'other') IS NOT NULL AS still;
DELETE FROM catalogue.rules WHERE role = 'guest';
SELECT refused(format('SELECT once(''g'', ''{"name": "ice"}'', %L)', :'other'));
UPDATE catalogue.users SET role = 'superadmin' WHERE id = :'other'::jsonb ->> 'user';
SELECT batched(:'other');
-- arguments of another request, although the digest is that of the first one
SELECT refused(format('SELECT batched(%L, %L)', :'other', arguments))
FROM unnest(ARRAY['{}', '{null}', '{x}', '{"{\"parts\": 1}"}', '{"{\"parts\": [1,2]}"}', '{"{\"parts\": [{}]}"}'])
    arguments;
