--
-- question mail: a question is queued once as a message to the contact of its dataset, by a worker that can send mail;
-- no address becomes a line of the header or an option of the mail command
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT id_of('datasets', 'Airports') AS airports, id_of('datasets', 'Public budget') AS budget \gset
CREATE FUNCTION pg_temp.ask(dataset text, body json) RETURNS text LANGUAGE sql AS
$$
    SELECT (catalogue.create('questions', (jsonb_build_object('dataset', $1) || $2::jsonb)::json, actor => '{}')).id
$$;
CREATE VIEW pg_temp.message AS
SELECT q.details ->> 'to' AS recipient, q.details ->> 'email' AS answer_to, q.details ->> 'subject' AS subject,
    replace(replace(q.details ->> 'body', id_of('datasets', 'Airports'), '<airports>'), E'\n', '|') AS body
FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job WHERE q.kind = 'email' ORDER BY j.created_at, j.id;
UPDATE catalogue.datasets SET optionals = '{"contactPoint": {"fn": "Desk", "hasEmail": "mailto:desk@example.org"}}'
WHERE id = :'airports';

-- Nothing is queued before a worker asks; then each question once, whose text is that of a message.
SELECT pg_temp.ask(:'airports', '{"text": "Where is\nrunway 2?", "name": "Ana", "email": "ana@example.com"}')
    IS NOT NULL AS asked;
SELECT pg_catalog.count(*) FROM pg_temp.message;
SELECT catalogue.queue_mail('https://data.example.org') AS queued,
    catalogue.queue_mail('https://data.example.org') AS again;
SELECT * FROM pg_temp.message;
DELETE FROM catalogue.job_queue;

-- A report; without a name, an address and the address of the service.
SELECT pg_temp.ask(:'airports', '{"kind": "fault", "text": "Row 3 is wrong"}') IS NOT NULL AS asked;
SELECT catalogue.queue_mail('') AS queued;
SELECT * FROM pg_temp.message;
DELETE FROM catalogue.job_queue;

-- Addresses of contacts: the first that can be one; else that of the catalogue; else none, and the worker takes the
-- operator's.
CREATE FUNCTION pg_temp.contact(optionals json) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.datasets SET optionals = $1 WHERE name = 'Public budget';
    RETURN catalogue.mail_contact(id_of('datasets', 'Public budget'));
END
$$;
SELECT o.optionals, pg_temp.contact(o.optionals) FROM (VALUES
    ('{"contactPoint": [{"fn": "A"}, {"hasEmail": "b@example.org"}]}'::json),
    ('{"contactPoint": {"hasEmail": "MAILTO:c@example.org"}}'),
    ('{"contactPoint": {"hasEmail": "-oQ/tmp@example.org"}}'),
    ('{"contactPoint": {"hasEmail": "d@example.org, victim@example.org"}}'),
    ('{"contactPoint": {"hasEmail": "d@example.org\nBcc: victim@example.org"}}'),
    ('{"contactPoint": {"hasEmail": "mailto:d@example.org?bcc=victim@example.org"}}'),
    ('{"contactPoint": {"hasEmail": "mailto:d@example.org%0aBcc:victim@example.org"}}'),
    ('{"contactPoint": {"hasEmail": ["e@example.org"]}}'),
    ('{"contactPoint": "Desk"}'), ('{"contactPoint": 5}'), ('{}'),
    (NULL)) o(optionals);
SELECT make('configs', '{"key": "catalogEmail", "value": "all@example.org", "type": "string", "category": "site",
    "description": "Address"}') IS NOT NULL AS made;
SELECT pg_temp.contact('{}') AS of_the_catalogue,
    pg_temp.contact('{"contactPoint": {"fn": "Desk"}}') AS without_address;
SELECT left(a.address, 30) AS address, catalogue.mail_address(a.address) IS NOT NULL AS permitted
FROM unnest(ARRAY['a@b.example', '-f@b.example', 'a b@c.example', 'á@b.example', E'a@b.example\r\nBcc: c@d.example',
    E'a@b.example\n', 'a@b', 'a@b.', '@b.example', 'a@b@c.example', 'a@b.example,c@d.example', '<a@b.example>',
    repeat('a', 250) || '@b.example']) a(address);

-- None of a question that is old, deleted or answered, or of a deleted dataset; and none that an address would break.
SELECT pg_temp.ask(:'budget', json_build_object('text', t)) IS NOT NULL AS asked
FROM unnest('{old,deleted,answered}'::text[]) t;
SELECT pg_temp.ask(:'budget', '{"text": "odd", "email": "-f@b.example"}') IS NOT NULL AS asked;
SET session_replication_role = replica;
UPDATE catalogue.questions SET created_at = now() - interval '25 hours' WHERE text = 'old';
RESET session_replication_role;
UPDATE catalogue.questions SET deleted_at = now() WHERE text = 'deleted';
UPDATE catalogue.questions SET reply = 'Yes' WHERE text = 'answered';
SELECT catalogue.queue_mail('') AS queued;
SELECT * FROM pg_temp.message;

-- Only a worker may.
SELECT has_function_privilege('catalogue_worker', 'catalogue.queue_mail(text)', 'EXECUTE') AS worker,
    has_function_privilege('catalogue_shim', 'catalogue.queue_mail(text)', 'EXECUTE') AS shim;

-- Messages to contacts are in the language of the catalogue, where pictures have it; else in English.
CREATE FUNCTION pg_temp.language(tag text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE catalogue.configs SET deleted_at = now() WHERE key = 'catalogLanguage' AND deleted_at IS NULL;
    IF tag IS NOT NULL THEN
        PERFORM make('configs', json_build_object('key', 'catalogLanguage', 'value', tag, 'type', 'string',
            'category', 'site', 'description', 'Language'));
    END IF;
    RETURN catalogue.picture_language();
END
$$;
SELECT t.tag, pg_temp.language(t.tag) FROM (VALUES ('pt-BR'), ('ES'), ('english'), ('fr'), (NULL)) t(tag);
SELECT pg_temp.language('es');
DELETE FROM catalogue.job_queue;
DELETE FROM catalogue.question_mail;
DELETE FROM catalogue.questions;
SELECT pg_temp.ask(:'airports', '{"text": "Where?", "name": "Ana {sender}", "email": "ana@example.com"}') IS NOT NULL
    AS asked;
SELECT catalogue.queue_mail('') AS queued;
SELECT * FROM pg_temp.message;
