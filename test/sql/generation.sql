--
-- generation: the word is the same while nothing has changed that a read depends on, and another one after
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\set ECHO none
CREATE FUNCTION word() RETURNS text LANGUAGE sql AS $$ SELECT (catalogue.generation()).generation $$;
CREATE TABLE words (n serial, word text UNIQUE);
-- What has become of the word since the last look.
CREATE PROCEDURE test.look(INOUT word text DEFAULT NULL) LANGUAGE plpgsql AS
$$
DECLARE
    before  text := (SELECT w.word FROM test.words w ORDER BY n DESC LIMIT 1);
    known   boolean;
BEGIN
    word := test.word();
    known := EXISTS (SELECT FROM test.words w WHERE w.word = look.word);
    IF word IS NOT NULL AND NOT known THEN
        INSERT INTO test.words (word) VALUES (word);
    END IF;
    word := CASE WHEN word IS NULL THEN 'none' WHEN word = before THEN 'the same' WHEN known THEN 'an earlier one' WHEN before IS NULL THEN 'the first' ELSE 'another one' END;
END
$$;
\set ECHO all

-- The form of a word: what names the process, a dot, a number.
SELECT regexp_replace(word(), '^[0-9a-f]{24}[.][0-9]+$', '<word>') AS word;

-- Nothing changes it: reading, transactions that change nothing of the catalogue, those that are rolled back, statistics, vacuuming these.
CALL look();
CALL look();
SELECT count FROM catalogue.list('tags', 'limit=1');
CALL look();
BEGIN;
UPDATE catalogue.tags SET name = 'never' WHERE name = 'budget';
ROLLBACK;
CALL look();
SELECT catalogue.record_statistics(E'1700000000000000\tGET\ttags\t/tags\t\t\tcurl\t127.0.0.1') AS stored;
CALL look();
VACUUM ANALYZE catalogue.statistics, catalogue.change, catalogue.counter, catalogue.recorder;
CALL look();

-- Each of these does: a record, one that is deleted, restored, linked.
UPDATE catalogue.tags SET name = 'a budget' WHERE name = 'budget';
CALL look();
DELETE FROM catalogue.tags WHERE name = 'a budget';
CALL look();
SELECT resource FROM catalogue.restore('tags', id_of('tags', 'a budget'), actor => admin());
CALL look();
INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES (id_of('datasets', 'Airports'), id_of('tags', 'a budget'));
CALL look();

-- Users, rules, consumers and their keys.
UPDATE catalogue.users SET active = true WHERE username = 'editor';
CALL look();
UPDATE catalogue.users SET active = false WHERE username = 'editor';
CALL look();
UPDATE catalogue.rules SET deleted_at = now() WHERE id = (SELECT min(id) FROM catalogue.rules WHERE deleted_at IS NULL);
CALL look();
SELECT catalogue.add_consumer('Portal') IS NOT NULL AS added;
CALL look();
SELECT key IS NOT NULL AS made FROM catalogue.add_api_key('Portal');
CALL look();
UPDATE catalogue.consumer_keys SET resources = '{tags}';
CALL look();

-- Definitions, rights, settings.
ALTER TABLE catalogue.tags ADD COLUMN colour text;
CALL look();
UPDATE catalogue.resource SET newest_first = NOT newest_first WHERE resource = 'tags';
CALL look();
ALTER TABLE catalogue.datasets_tags ENABLE ROW LEVEL SECURITY;
CALL look();
GRANT SELECT ON catalogue.tags TO catalogue_reader;
CALL look();
REVOKE EXECUTE ON FUNCTION catalogue.item(text, text, text, text, jsonb, text) FROM catalogue_worker;
CALL look();
SET catalogue.max_limit = 7;
CALL look();
RESET catalogue.max_limit;
CALL look();

-- What was changed unseen, when that is said.
SELECT catalogue.touch('tags');
CALL look();

-- None in a transaction that has written, nor in one that goes by an earlier snapshot; then the word is as before.
BEGIN;
UPDATE catalogue.tags SET name = 'never' WHERE name = 'a budget';
SELECT word();
ROLLBACK;
CALL look();
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT word();
COMMIT;
CALL look();

-- Given with a state that the caller has, and with no other answer.
SELECT id, etag FROM catalogue.item('tags', id_of('tags', 'a budget')) \gset
SELECT generation IS NULL AS none, data IS NOT NULL AS data FROM catalogue.item('tags', :'id');
SELECT generation IS NULL AS none, data IS NOT NULL AS data FROM catalogue.item('tags', :'id', known => 'another');
SELECT generation = word() AS given, data IS NULL AS known FROM catalogue.item('tags', :'id', known => :'etag');

-- By each call that knows states; not for an instant that was asked for, nor for what grows by itself or shows that.
CREATE FUNCTION given(call text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    reply  catalogue.reply;
BEGIN
    EXECUTE format('SELECT r.* FROM catalogue.%s r', format(call, '')) INTO reply;
    EXECUTE format('SELECT r.* FROM catalogue.%s r', format(call, reply.etag)) INTO reply;
    IF reply.data IS NOT NULL THEN
        RETURN NULL;
    END IF;
    RETURN reply.generation IS NOT NULL;
END
$$;
SELECT call, given(call) FROM unnest(ARRAY[
    'list(''tags'', known => ''%s'')',
    'list(''datasets'', ''tags.name=a'', known => ''%s'')',
    'first(''tags'', known => ''%s'')',
    'last(''tags'', known => ''%s'')',
    'count(''tags'', known => ''%s'')',
    'item(''datasets'', test.id_of(''datasets'', ''Airports''), ''include=tags'', known => ''%s'')',
    'related(''datasets'', test.id_of(''datasets'', ''Airports''), ''tags'', known => ''%s'')',
    'related(''datasets'', test.id_of(''datasets'', ''Airports''), ''status'', known => ''%s'')',
    'list(''tags'', ''version='' || (SELECT version FROM catalogue.list(''tags'')), known => ''%s'')',
    'item(''tags'', test.id_of(''tags'', ''a budget''), ''version='' || (SELECT version FROM catalogue.list(''tags'')), known => ''%s'')',
    'list(''logs'', known => ''%s'')',
    'first(''logs'', known => ''%s'')',
    'usage(''tags'', known => ''%s'')',
    'list(''users'', ''include=logs'', known => ''%s'')',
    'list(''users'', ''logs.action=x'', known => ''%s'')']) call;

-- For an actor who may ask.
SELECT generation = word() AS same FROM catalogue.generation('{}');
SELECT generation = word() AS same FROM catalogue.generation(admin());
SELECT refused.code, refused.message FROM refusal($$SELECT catalogue.generation('{"user": "nobody"}')$$) refused;
SELECT refused.code, refused.message FROM refusal($$SELECT catalogue.generation('{"consumer": "gone", "key": "gone"}')$$) refused;

-- Another process has other words.  Its first call takes long, and has none if it is told of a change meanwhile.
SELECT split_part(word(), '.', 1) AS mine \gset
\connect -
SELECT count(*) AS calls FROM catalogue.generation();
SELECT split_part((catalogue.generation()).generation, '.', 1) <> :'mine' AS another;
