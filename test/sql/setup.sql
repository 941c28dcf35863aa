--
-- setup: what a public portal still lacks, and the settings that a catalogue may have
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- nothing is set, the server of the tests archives nothing, and no message was sent
SELECT * FROM catalogue.setup_checks();
-- blank values are none; the address of the service counts before that of the portal
INSERT INTO catalogue.configs (key, type, category, description, value)
SELECT d.key, d.type::catalogue.config_type, 'site', d.english,
       CASE d.key WHEN 'catalogEmail' THEN ' ' ELSE 'https://example.org/' || d.key END
FROM catalogue.default_configs() d WHERE d.key IN ('catalogTitle', 'catalogEmail', 'legalUrl');
UPDATE catalogue.configs SET value = 'https://portal.example' WHERE key = 'frontEndUrl';
SELECT s.item, s.state, s.detail FROM catalogue.setup_checks() s WHERE s.item IN ('title', 'contact', 'legal', 'tls');
SELECT s.state, s.detail FROM catalogue.setup_checks('http://example.org') s WHERE s.item = 'tls';
-- mail: by the last message, and by those that wait
INSERT INTO catalogue.jobs (kind, target, resource, state, ended_at)
VALUES ('email', 'email', 'one', 'done', now() - interval '1 h');
SELECT s.state, s.detail FROM catalogue.setup_checks() s WHERE s.item = 'mail';
INSERT INTO catalogue.jobs (kind, target, resource, state, ended_at) VALUES ('email', 'email', 'two', 'failed', now());
SELECT s.state, s.detail FROM catalogue.setup_checks() s WHERE s.item = 'mail';
INSERT INTO catalogue.job_queue (job, kind, due_at)
SELECT id, 'email', now() - interval '1 h' FROM catalogue.jobs WHERE resource = 'two';
SELECT s.state, s.detail FROM catalogue.setup_checks() s WHERE s.item = 'mail';

-- each setting of a new catalogue is among those that are told, with its default
SELECT c.key, c.value, d.value AS "default"
FROM catalogue.configs c LEFT JOIN catalogue.default_configs() d USING (key)
WHERE d.key IS NULL OR c.value <> d.value
ORDER BY c.key;
-- as the page has it: for superadmins
SELECT json_array_length(s.data::json -> 'checks') AS checks, s.data::json #>> '{settings,0}' AS first
FROM catalogue.setup('http://example.org') s;
SELECT json_array_length(s.data::json -> 'settings') > 20 AS settings
FROM catalogue.users u, catalogue.setup('http://example.org', jsonb_build_object('user', u.id)) s
WHERE u.username = 'admin';
-- and for nobody else
SELECT (test.refusal(format('SELECT catalogue.setup(%L, %L)', 'http://example.org', actor))).code
FROM unnest(ARRAY['{}', '{"user": "none"}']) actor;
