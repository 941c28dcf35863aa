--
-- questions: visitors ask about a dataset, who may review reads and replies, and nobody else reads who has asked
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

UPDATE catalogue.users SET active = true;
SELECT id_of('datasets', 'Airports') AS airports, id_of('datasets', 'Public budget') AS budget \gset
SELECT d.name, d.status = 'qWRhpRV' AS published FROM catalogue.datasets d ORDER BY 1;

-- Whoever asks may ask, and does not read it again.
SELECT r.data, r.resource, r.ignored
FROM catalogue.create('questions', json_build_object('dataset', :'airports', 'text',
    'Where is runway 2?', 'name', 'Ana Secreta', 'email', 'ana@secret.example'), 'representation', actor => '{}') r;
SELECT q.id AS question FROM catalogue.questions q \gset
SELECT q.kind, q.text, q.name, q.email, q.reply, q.reply_public FROM catalogue.questions q;
-- A reply is not taken from who asks, be it a user, and the answer says so.
SELECT (catalogue.create('questions', json_build_object('dataset', :'airports', 'kind', 'fault', 'text',
    'Row 3 is wrong', 'reply', 'Buy!', 'replyPublic', true), actor => a.actor)).ignored AS ignored
FROM (VALUES ('{}'::jsonb), (actor('guest')), (admin())) a(actor);
SELECT pg_catalog.count(*) FROM catalogue.questions q WHERE q.reply IS NOT NULL OR q.reply_public;
SELECT r.code, r.detail FROM refusal(format('SELECT catalogue.create(''questions'', %L, actor => %L)',
    json_build_object('dataset', :'airports', 'text', 'x', 'reply', 'y'), '{"handling": "strict"}')) r;

-- Each way to be wrong; of a dataset that the visitor does not see as of none.
UPDATE catalogue.datasets SET visible = false WHERE id = :'budget';
SELECT left(regexp_replace(b.body, '"dataset" : "\w{15}"', '...'), 40) AS body, r.code,
    left(regexp_replace(r.detail, '"\w{15}"', '"<id>"'), 120) AS detail
FROM (VALUES ('{"text": "x"}'), (json_build_object('dataset', :'airports')::text),
        (json_build_object('dataset', :'airports', 'text', '')::text),
        (json_build_object('dataset', :'airports', 'text', repeat('ñ', 2001))::text),
        (json_build_object('dataset', :'airports', 'text', 'x', 'name', repeat('x', 101))::text),
        (json_build_object('dataset', :'airports', 'text', 'x', 'email', E'a@b.example\nBcc: c@d.example')::text),
        (json_build_object('dataset', :'airports', 'text', 'x', 'kind', 'praise')::text),
        (json_build_object('dataset', :'budget', 'text', 'x')::text), ('{"dataset": "zzz", "text": "x"}')) b(body),
    refusal(format('SELECT catalogue.create(''questions'', %L, actor => ''{}'')', b.body)) r;
UPDATE catalogue.datasets SET visible = NULL WHERE id = :'budget';

-- Who reads: superadmins, and whom a rule lets.  To others there is no such thing in any way.
CREATE FUNCTION pg_temp.reads(actor jsonb) RETURNS TABLE (way text, code text) LANGUAGE sql AS
$$
    SELECT w.name, (SELECT r.code FROM refusal('SELECT ' || replace(w.call, '$a', quote_nullable(actor))) r)
    FROM (VALUES
        ('list', 'catalogue.list(''questions'', actor => $a)'),
        ('count', 'catalogue.count(''questions'', actor => $a)'),
        ('first', 'catalogue.first(''questions'', actor => $a)'),
        ('item', format('catalogue.item(''questions'', %L, actor => $a)', (SELECT min(id) FROM catalogue.questions))),
        ('versions', format('catalogue.versions(''questions'', %L, actor => $a)',
            (SELECT min(id) FROM catalogue.questions))),
        ('logs', format('catalogue.record_logs(''questions'', %L, actor => $a)',
            (SELECT min(id) FROM catalogue.questions))),
        ('related', format('catalogue.related(''datasets'', %L, ''questions'', actor => $a)',
            id_of('datasets', 'Airports'))),
        ('include', format('catalogue.item(''datasets'', %L, ''include=questions'', actor => $a)',
            id_of('datasets', 'Airports'))),
        ('facet', 'catalogue.list(''datasets'', ''facets=questions'', actor => $a)'),
        ('update', format('catalogue.update(''questions'', %L, ''{"replyPublic": true}'', actor => $a)',
            (SELECT min(id) FROM catalogue.questions))),
        ('delete', format('catalogue.delete(''questions'', %L, actor => $a)',
            (SELECT min(id) FROM catalogue.questions))),
        ('query', 'catalogue.query(''{"sql": "SELECT * FROM questions"}'', actor => $a)')) w(name, call)
$$;
SELECT r.way, r.code AS outsider, g.code AS guest
FROM pg_temp.reads('{}') r JOIN pg_temp.reads(actor('guest')) g USING (way) ORDER BY 1;
SELECT a.name, r.data::text ~ 'Secreta|secret[.]example|runway' AS found
FROM (VALUES ('outsider', '{}'::jsonb), ('guest', actor('guest'))) a(name, actor),
    LATERAL (SELECT (catalogue.search('query=runway', actor => a.actor)).data
             UNION ALL SELECT (catalogue.list('datasets', 'questions.text=runway', actor => a.actor)).data
             UNION ALL SELECT (catalogue.list('logs', 'target=question', actor => actor('guest'))).data) r;
SELECT json_array_length((catalogue.list('questions', actor => actor('editor'))).data::json) AS editor;
-- A rule for all resources does not open them.
SELECT make('rules', '{"role": "guest", "resource": "*", "action": "*"}') AS rule \gset
SELECT r.way, r.code AS guest FROM pg_temp.reads(actor('guest')) r ORDER BY 1;
SELECT (catalogue.delete('rules', :'rule', actor => admin())).id IS NOT NULL AS deleted;

-- A reply: what is asked is public with it if the editor says so, without who has asked.
SELECT (catalogue.answers(:'airports', '{}')).data;
SELECT (catalogue.update('questions', :'question', '{"reply": "In the north."}', actor => actor('editor'))).id
    = :'question' AS replied;
SELECT (catalogue.answers(:'airports', '{}')).data;
SELECT (catalogue.update('questions', :'question', '{"replyPublic": true, "name": "Other", "dataset": "x"}',
    actor => actor('editor'))).ignored;
SELECT regexp_replace((catalogue.answers('airports', '{}')).data::text, '\d{4}-[^"]*', '<time>');
SELECT r.data, r.meta FROM catalogue.answers(:'budget', '{}') r;
SELECT r.code FROM refusal('SELECT catalogue.answers(''none'', ''{}'')') r;
UPDATE catalogue.datasets SET visible = false WHERE id = :'airports';
SELECT r.code FROM refusal('SELECT catalogue.answers(''airports'', ''{}'')') r;
UPDATE catalogue.datasets SET visible = NULL WHERE id = :'airports';
SELECT r.code, r.detail FROM refusal(format('SELECT catalogue.update(''questions'', %L, %L, actor => %L)', :'question',
    json_build_object('reply', repeat('x', 5001)), admin())) r;
-- The log tells that, and not what.
SELECT l.action, l.changes FROM catalogue.logs l WHERE l.resource = :'question' ORDER BY l.id;
-- One that is public without a reply is not shown.
UPDATE catalogue.questions SET reply = NULL WHERE id = :'question';
SELECT (catalogue.answers('airports', '{}')).data;

-- Make questions older.
CREATE FUNCTION pg_temp.age(part text, age interval) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    SET LOCAL session_replication_role = replica;
    UPDATE catalogue.questions SET created_at = now() - $2 WHERE text LIKE $1;
    SET LOCAL session_replication_role = origin;
END
$$;
-- No dataset has more in a day than the setting says; the next is told when.
SET catalogue.dataset_questions = 6;
SELECT make('questions', json_build_object('dataset', :'airports', 'text', 'again ' || n)) IS NOT NULL AS made
FROM generate_series(1, 2) n;
SELECT r.code, r.message, (r.detail::json ->> 'retryAfter')::integer BETWEEN 86000 AND 86400 AS tomorrow
FROM refusal(format('SELECT catalogue.create(''questions'', %L, actor => ''{}'')',
    json_build_object('dataset', :'airports', 'text', 'x'))) r;
SELECT make('questions', json_build_object('dataset', :'budget', 'text', 'of another')) IS NOT NULL AS made;
SELECT pg_temp.age('again 1', '25 hours');
SELECT make('questions', json_build_object('dataset', :'airports', 'text', 'the next day')) IS NOT NULL AS made;
SET catalogue.dataset_questions = 0;
SELECT make('questions', json_build_object('dataset', :'airports', 'text', 'without a limit')) IS NOT NULL AS made;
RESET catalogue.dataset_questions;

-- They are kept for a time; what is deleted is removed for good with its history.
SELECT pg_temp.age('again 1', '729 days');
SELECT pg_temp.age('Where%', '731 days');
SELECT catalogue.expire_questions(10) AS expired;
SELECT (catalogue.delete('questions', q.id, actor => actor('editor'))).id IS NOT NULL AS deleted
FROM catalogue.questions q WHERE q.text = 'again 2';
SELECT q.text FROM catalogue.questions q WHERE q.deleted_at IS NOT NULL ORDER BY 1;
SELECT catalogue.expire_questions(10) AS expired;
SELECT catalogue.expire_questions(10) AS expired;
SET catalogue.history_retention = 0;
SELECT pg_sleep(0.01), catalogue.prune() > 0 AS pruned;
SELECT pg_catalog.count(*) AS deleted FROM catalogue.questions q WHERE q.deleted_at IS NOT NULL;
SELECT pg_catalog.count(*) AS states FROM catalogue_history.questions h WHERE h.name = 'Ana Secreta';
SELECT q.text FROM catalogue.questions q ORDER BY 1;
SET catalogue.question_retention = -1;
SELECT pg_temp.age('%', '50 years');
SELECT catalogue.expire_questions(10) AS expired;
SET catalogue.question_retention = 0;
SELECT catalogue.expire_questions(3) AS expired;
-- With a dataset go its questions.
RESET catalogue.question_retention;
SELECT pg_temp.age('%', '0');
SELECT (catalogue.delete('datasets', :'airports', actor => admin())).id IS NOT NULL AS deleted;
SELECT pg_catalog.count(*) AS left FROM catalogue.questions q WHERE q.dataset = :'airports' AND q.deleted_at IS NULL;
