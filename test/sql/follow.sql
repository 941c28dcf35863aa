--
-- follow: an address follows a dataset by e-mail after it has confirmed, is told once a day what outsiders see of the
-- changes, and is erased by one click; nobody learns whether an address follows, or has it flooded
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT id_of('datasets', 'Airports') AS airports, id_of('datasets', 'Public budget') AS budget \gset
CREATE FUNCTION pg_temp.ask(dataset text, email text, actor jsonb DEFAULT '{}') RETURNS boolean LANGUAGE sql AS
$$
    SELECT (catalogue.follow($1, '', json_build_object('email', $2), 'https://data.example.org', actor => $3)) IS NULL
$$;
-- Take the message that was queued last, and return its token.
CREATE FUNCTION pg_temp.token() RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    RETURN (SELECT substring(q.details ->> 'unsubscribe' FROM 'token=(.*)')
            FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
            WHERE q.kind = 'email' ORDER BY j.created_at DESC, j.id DESC LIMIT 1);
END
$$;
CREATE FUNCTION pg_temp.messages() RETURNS TABLE (recipient text, title text, body text, unsubscribe text)
    LANGUAGE plpgsql AS
$$
BEGIN
    RETURN QUERY
    WITH taken AS (DELETE FROM catalogue.job_queue q WHERE q.kind = 'email' RETURNING q.details)
    SELECT t.details ->> 'to', t.details ->> 'title',
        regexp_replace(regexp_replace(replace(t.details ->> 'body', E'\n', '|'),
            'token=[0-9a-f]{32}', 'token=<token>', 'g'), '(datasets|files)/\w{15}', '\1/<id>', 'g'),
        regexp_replace(regexp_replace(t.details ->> 'unsubscribe', 'token=[0-9a-f]{32}$', 'token=<token>'), '/\w{15}/',
            '/<id>/')
    FROM taken t ORDER BY 1, 3;
END
$$;
CREATE VIEW pg_temp.followers AS
SELECT d.name, f.email, f.confirmed_at IS NOT NULL AS confirmed,
    (SELECT pg_catalog.count(*) FROM catalogue.follower_token t WHERE t.follower = f.id) AS tokens
FROM catalogue.follower f JOIN catalogue.datasets d ON d.id = f.dataset ORDER BY 1, 2;

-- Who asks gets a message; nothing else is sent before the link in it is followed, and no token is kept as it is.
SELECT pg_temp.ask(:'airports', 'Ana@example.com') AS nothing_told;
SELECT pg_temp.token() AS ana \gset
SELECT * FROM pg_temp.messages();
SELECT * FROM pg_temp.followers;
SELECT pg_catalog.count(*) AS kept FROM catalogue.follower_token t
WHERE t.hash IN (convert_to(:'ana', 'UTF8'), decode(:'ana', 'hex'));
UPDATE catalogue.follower SET asked_at = asked_at - interval '1 hour';
UPDATE catalogue.datasets SET description = 'Changed' WHERE id = :'airports';
SELECT catalogue.queue_mail('') AS queued;

-- Each way to be wrong is told as for any record; a dataset that is hidden is none.
SELECT r.code, r.detail FROM (VALUES (NULL::json), ('{}'), ('{"email": ""}'), ('{"email": 5}'), ('[]'),
        ('{"email": "nobody"}'), ('{"email": "a@b.example\nBcc: c@d.example"}'), ('{"email": "-oQ/tmp@b.example"}'),
        ('{"email": "a@b.example,c@d.example"}')) b(body),
    refusal(format('SELECT catalogue.follow(%L, '''', %L)', :'airports', b.body)) r;
SELECT r.code FROM refusal('SELECT catalogue.follow(''none'', '''', ''{"email": "a@b.example"}'')') r;
UPDATE catalogue.datasets SET visible = false WHERE id = :'budget';
SELECT r.code
FROM refusal('SELECT catalogue.follow(''public-budget'', '''', ''{"email": "a@b.example"}'', actor => ''{}'')') r;
UPDATE catalogue.datasets SET visible = NULL WHERE id = :'budget';

-- Unknown members are told, and are refused where that is wanted.
SELECT (catalogue.follow(:'budget', '', '{"email": "odd@b.example", "to": "c@d.example"}')).ignored;
SELECT r.code, r.detail FROM refusal(format('SELECT catalogue.follow(%L, '''', %L, strict => true)', :'budget',
    '{"email": "a@b.example", "to": "c@d.example", "cc": 1}')) r;
SELECT pg_catalog.count(*) FROM pg_temp.messages();
DELETE FROM catalogue.follower WHERE email = 'odd@b.example';

-- Asked again, by whom ever, and in another case, the answer is the same, and no message is sent.
SELECT pg_temp.ask(:'airports', 'ANA@EXAMPLE.COM') AS nothing_told;
SELECT * FROM pg_temp.messages();

-- A token of another dataset, or none, confirms nothing and ends nothing.
SELECT r.code, r.message
FROM (VALUES (:'budget', :'ana'), (:'airports', md5('other')), (:'airports', :'ana' || 'a')) t(dataset, token),
    refusal(format('SELECT catalogue.follow(%L, %L, NULL, actor => ''{}'')', t.dataset, 'token=' || t.token)) r;
SELECT (catalogue.unfollow(:'budget', 'token=' || :'ana')).data,
    (catalogue.unfollow(:'airports', 'token=' || md5('x'))).data,
    (catalogue.unfollow(:'airports', '')).data, (catalogue.unfollow(NULL, NULL)).data;
SELECT * FROM pg_temp.followers;

-- Confirmed, once or again; an address that follows is asked no more.
SELECT (catalogue.follow(:'airports', 'token=' || :'ana', actor => '{}')).data;
SELECT (catalogue.follow('airports', 'lang=es&token=' || :'ana', actor => '{}')).data;
SELECT * FROM pg_temp.followers;
UPDATE catalogue.follower SET asked_at = now() - interval '2 days';
SELECT pg_temp.ask(:'airports', 'ana@example.com') AS nothing_told;
SELECT * FROM pg_temp.messages();

-- Changes are told a day after, once, as outsiders see them; what they do not see is not told.
SELECT catalogue.queue_mail('') AS unchanged;
UPDATE catalogue.datasets SET description = 'Changed again' WHERE id = :'airports';
SELECT catalogue.queue_mail('') AS within_a_day;
UPDATE catalogue.follower SET sent_at = sent_at - interval '25 hours', told_until = told_until - interval '25 hours';
SELECT catalogue.queue_mail('') AS queued, catalogue.queue_mail('') AS again;
SELECT pg_temp.token() AS later \gset
SELECT * FROM pg_temp.messages();
UPDATE catalogue.follower SET sent_at = sent_at - interval '25 hours';
SELECT catalogue.queue_mail('') AS nothing_new;
UPDATE catalogue.datasets SET visible = false WHERE id = :'airports';
SELECT catalogue.queue_mail('') AS hidden;
UPDATE catalogue.datasets SET visible = NULL WHERE id = :'airports';

-- No address is flooded: three datasets a day ask it, whoever asks.
SELECT pg_catalog.count(pg_temp.ask(d.id, 'victim@example.com')) AS asked
FROM (SELECT d.id FROM catalogue.datasets d WHERE d.deleted_at IS NULL ORDER BY d.id LIMIT 5) d;
SELECT pg_catalog.count(*) FROM pg_temp.messages();
SELECT pg_catalog.count(pg_temp.ask(d.id, 'VICTIM@example.com')) AS asked
FROM (SELECT d.id FROM catalogue.datasets d WHERE d.deleted_at IS NULL ORDER BY d.id LIMIT 5) d;
SELECT pg_catalog.count(*) FROM pg_temp.messages();
SET catalogue.public_creations = 2;
SELECT r.code FROM generate_series(1, 3) n,
    refusal(format('SELECT catalogue.follow(%L, '''', %L, '''', ''192.0.2.1'', ''{}'')', :'budget',
        json_build_object('email', n || '@example.net'))) r;
RESET catalogue.public_creations;

-- One click of any message erases the address; again it changes nothing.
SELECT (catalogue.unfollow(:'airports', 'token=' || :'later', '{"List-Unsubscribe": "One-Click"}')).data,
    (catalogue.unfollow(:'airports', 'token=' || :'ana')).data;
SELECT pg_catalog.count(*) FROM catalogue.follower f WHERE lower(f.email) = 'ana@example.com';
SELECT pg_catalog.count(*) FROM catalogue.follower_token t
WHERE t.hash IN (sha256(convert_to(:'ana', 'UTF8')), sha256(convert_to(:'later', 'UTF8')));

-- What is not confirmed in two days is forgotten, and so is who follows what was deleted, and old tokens.
DELETE FROM catalogue.follower;
SELECT pg_catalog.count(pg_temp.ask(:'airports', e)) AS asked
FROM unnest('{a@example.com,b@example.com,c@example.com}'::text[]) e;
UPDATE catalogue.follower SET asked_at = now() - interval '3 days';
UPDATE catalogue.follower SET confirmed_at = now() WHERE email IN ('b@example.com', 'c@example.com');
UPDATE catalogue.follower_token SET made_at = now() - interval '367 days'
WHERE follower = (SELECT f.id FROM catalogue.follower f WHERE f.email = 'c@example.com');
SELECT catalogue.sweep() >= 0 AS swept;
SELECT * FROM pg_temp.followers;
SELECT (catalogue.delete('datasets', :'airports', actor => admin())).id IS NOT NULL AS deleted;
SELECT catalogue.sweep() >= 0 AS swept, (SELECT pg_catalog.count(*) FROM catalogue.follower) AS kept_for_a_month;

-- The erasure of a user erases what the address follows.
DELETE FROM catalogue.follower;
SELECT u.id AS user, u.email AS email FROM catalogue.users u WHERE u.username = 'guest' \gset
SELECT pg_temp.ask(:'budget', upper(:'email')) AS nothing_told,
    pg_temp.ask(:'budget', 'other@example.com') AS nor_here;
SELECT (catalogue.erase('users', :'user', actor => admin())).id = :'user' AS erased;
SELECT f.email FROM catalogue.follower f;

-- Nobody but the owner reads addresses.
SELECT r.rolname FROM pg_roles r
WHERE r.rolname LIKE 'catalogue%' AND has_table_privilege(r.oid, 'catalogue.follower', 'SELECT') ORDER BY 1;

-- Messages are in the language that was asked for; who asks again before confirming may change it.
DELETE FROM catalogue.follower;
DELETE FROM catalogue.job_queue;
SELECT r.code, r.detail FROM (VALUES ('xx'), (''), ('es; DROP')) l(language),
    refusal(format('SELECT catalogue.follow(%L, '''', %L)', :'budget',
        json_build_object('email', 'eva@example.org', 'language', l.language))) r;
SELECT pg_catalog.count(*) AS followers FROM catalogue.follower;
SELECT (catalogue.follow(:'budget', '', '{"email": "eva@example.org", "language": "pt"}', 'https://data.example.org'))
    IS NULL AS nothing_told;
SELECT * FROM pg_temp.messages();
UPDATE catalogue.follower SET asked_at = asked_at - interval '25 hours';
SELECT (catalogue.follow(:'budget', '', '{"email": "eva@example.org", "language": "es"}', 'https://data.example.org'))
    IS NULL AS nothing_told;
SELECT pg_temp.token() AS eva \gset
SELECT * FROM pg_temp.messages();
SELECT (catalogue.follow(:'budget', 'token=' || :'eva')).data;
UPDATE catalogue.follower SET told_until = told_until - interval '2 days', sent_at = sent_at - interval '2 days';
UPDATE catalogue.datasets SET optionals = '{"translations": {"es": {"name": "Presupuesto"}}}' WHERE id = :'budget';
SELECT catalogue.queue_mail('') AS queued;
SELECT details ->> 'subject' AS subject FROM catalogue.job_queue WHERE kind = 'email';
SELECT * FROM pg_temp.messages();
