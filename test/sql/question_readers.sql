--
-- question_readers: whose right to read questions is limited reads those about the datasets of the own organization, or
-- about the own datasets, and no others in any way
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

UPDATE catalogue.users SET active = true;
SELECT make('organizations', '{"name": "Office of Nothing"}') IS NOT NULL AS made;
INSERT INTO catalogue.users (username, password, email, role, active, organization, created_by)
SELECT n, 'long enough', n || '@example.org', 'guest', true,
    id_of('organizations', o), id_of('users', 'admin')
FROM (VALUES ('near', 'Open Data Office'), ('far', 'Transport Department'), ('owner', 'Transport Department'),
             ('alone', 'Office of Nothing')) u(n, o);
-- one dataset of each organization, one of none; that of near is owned by owner
UPDATE catalogue.datasets SET organization = id_of('organizations', 'Open Data Office'), owner = id_of('users', 'owner')
WHERE name = 'Airports';
UPDATE catalogue.datasets SET organization = id_of('organizations', 'Transport Department') WHERE name <> 'Airports';
UPDATE catalogue.datasets SET organization = NULL WHERE name = 'Public budget';
INSERT INTO catalogue.questions (dataset, text, name, email)
SELECT id, 'secret of ' || name, 'Ana', 'ana@secret.example' FROM catalogue.datasets;
SELECT q.text, o.name FROM catalogue.questions q JOIN catalogue.datasets d ON d.id = q.dataset
LEFT JOIN catalogue.organizations o ON o.id = d.organization ORDER BY 1;

-- What a user finds of the questions, by each way: the texts, or the code of the refusal.
CREATE FUNCTION pg_temp.way(call text, actor jsonb) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    data  text;
BEGIN
    EXECUTE format('SELECT string_agg(data::text, '' '') FROM %s', replace(call, '$a', quote_nullable(actor)))
        INTO data;
    RETURN coalesce((SELECT string_agg(DISTINCT m[1], ', ' ORDER BY m[1])
        FROM regexp_matches(data, '("count":[0-9]+|secret of [A-Z][a-z]+)', 'g') m), '-');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;
CREATE FUNCTION pg_temp.reads(actor jsonb) RETURNS TABLE (way text, found text) LANGUAGE sql AS
$$
    SELECT w.name, pg_temp.way(w.call, actor)
    FROM (VALUES
        ('list', 'catalogue.list(''questions'', actor => $a)'),
        ('list, sorted by another field', 'catalogue.list(''questions'', ''orderBy=text'', actor => $a)'),
        ('count', 'catalogue.count(''questions'', actor => $a)'),
        ('count of a filter', 'catalogue.count(''questions'', ''name=Ana'', actor => $a)'),
        ('first', 'catalogue.first(''questions'', actor => $a)'),
        ('last', 'catalogue.last(''questions'', actor => $a)'),
        ('filter', 'catalogue.list(''questions'', ''email=ana@secret.example'', actor => $a)'),
        ('filter by a relation', 'catalogue.list(''questions'', ''dataset.name[ne]=x'', actor => $a)'),
        ('facets', 'catalogue.list(''questions'', ''facets=dataset&limit=1'', actor => $a)'),
        ('words', 'catalogue.list(''questions'', ''query=secret'', actor => $a)'),
        ('search', 'catalogue.search(''query=secret'', actor => $a)'),
        ('deleted', 'catalogue.list(''questions'', ''deleted=with'', actor => $a)'),
        ('an instant', format('catalogue.list(''questions'', ''version=%s'', actor => $a)',
            to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))),
        ('include', 'catalogue.list(''datasets'', ''include=questions'', actor => $a)'),
        ('export', '(SELECT string_agg(data, '''') AS data FROM catalogue.export(''questions'', actor => $a)) e'),
        ('export as CSV',
            '(SELECT string_agg(data, '''') AS data FROM catalogue.export(''questions'', format => ''csv'', '
            'actor => $a)) e'),
        ('query', 'catalogue.query(''{"sql": "SELECT text FROM questions"}'', actor => $a)'))
        w(name, call)
    UNION ALL
    SELECT 'each ' || w.name,
        (SELECT string_agg(pg_temp.way(format(w.call, q.id, q.dataset), actor), ', ' ORDER BY q.text)
         FROM catalogue.questions q)
    FROM (VALUES
        ('item', 'catalogue.item(''questions'', %1$L, actor => $a)'),
        ('versions', 'catalogue.versions(''questions'', %1$L, actor => $a)'),
        ('logs', 'catalogue.record_logs(''questions'', %1$L, actor => $a)'),
        ('related', 'catalogue.related(''datasets'', %2$L, ''questions'', actor => $a)'),
        ('dataset with questions', 'catalogue.item(''datasets'', %2$L, ''include=questions'', actor => $a)'),
        ('update', 'catalogue.update(''questions'', %1$L, ''{"reply": "x"}'', ''representation'', actor => $a)'),
        ('delete', 'catalogue.delete(''questions'', %1$L, actor => $a)')) w(name, call)
$$;
-- The rules of questions, as one kind: role guest, of all, of own, or of the organization.
CREATE FUNCTION pg_temp.rule(own boolean, organization boolean) RETURNS void LANGUAGE sql AS
$$
    UPDATE catalogue.rules SET deleted_at = now()
    WHERE role = 'guest' AND resource = 'questions' AND deleted_at IS NULL;
    INSERT INTO catalogue.rules (role, resource, action, own, organization)
    SELECT 'guest'::catalogue.role, 'questions', a, $1, $2 FROM unnest('{read,update,delete}'::text[]) a
    UNION ALL SELECT 'guest', 'questions', 'query', false, false;
$$;

-- Without a rule: none of them.
SELECT DISTINCT r.found FROM (VALUES ('near'), ('far')) u(n), pg_temp.reads(actor(u.n)) r ORDER BY 1;

-- By a rule for the organization: of whom each is; one without datasets reads none.
BEGIN;
SELECT pg_temp.rule(false, true);
SAVEPOINT ruled;
SELECT r.* FROM pg_temp.reads(actor('near')) r;
ROLLBACK TO ruled;
-- nor is it told of others, by facets or by datasets that are found by their questions
SELECT u.n, regexp_replace(l.meta, '"[0-9A-Za-z]{15}"', '"<id>"', 'g') AS facets,
    (SELECT string_agg(coalesce(names(catalogue.list('datasets', 'questions.text=' || q.text, actor => actor(u.n))),
            '-'), ', ' ORDER BY q.text) FROM catalogue.questions q) AS datasets
FROM (VALUES ('near'), ('far'), ('alone')) u(n),
    LATERAL catalogue.list('questions', 'facets=dataset&limit=1', actor => actor(u.n)) l;
SELECT r.* FROM pg_temp.reads(actor('far')) r;
ROLLBACK TO ruled;
SELECT r.* FROM pg_temp.reads(actor('alone')) r WHERE r.found <> '-';
ROLLBACK;

-- By a rule for own ones: about datasets that the user created or owns.
BEGIN;
SELECT pg_temp.rule(true, false);
SAVEPOINT ruled;
SELECT r.* FROM pg_temp.reads(actor('owner')) r;
ROLLBACK TO ruled;
SELECT r.* FROM pg_temp.reads(actor('near')) r WHERE r.found <> '-';
ROLLBACK;

-- By both: by either one.  A rule that demands both grants no reading.
BEGIN;
SELECT pg_temp.rule(false, true);
INSERT INTO catalogue.rules (role, resource, action, own) VALUES ('guest', 'questions', 'read', true);
SELECT r.* FROM pg_temp.reads(actor('owner')) r WHERE r.way = 'list';
SELECT pg_temp.rule(true, true);
UPDATE catalogue.rules SET deleted_at = now() WHERE role = 'guest' AND resource = 'questions' AND NOT organization;
SELECT r.* FROM pg_temp.reads(actor('owner')) r WHERE r.way = 'list';
ROLLBACK;

-- What was read before is not read again when the dataset, or the user, moves to another organization: in no cache.
SELECT pg_temp.rule(false, true);
SELECT l.data::text ~ 'secret of Airports' AS read, l.count FROM catalogue.list('questions', actor => actor('near')) l;
SELECT l.etag AS tag, l.version AS instant FROM catalogue.list('questions', actor => actor('near')) l \gset
SET catalogue.facets_exact = 0;
SELECT l.meta FROM catalogue.list('questions', 'facets=email&limit=1', actor => actor('near')) l;
UPDATE catalogue.datasets SET organization = id_of('organizations', 'Transport Department') WHERE name = 'Airports';
SELECT l.data::text ~ 'secret of Airports' AS read, l.count, l.etag = :'tag' AS same
FROM catalogue.list('questions', actor => actor('near'), known => :'tag') l;
SELECT l.meta FROM catalogue.list('questions', 'facets=email&limit=1', actor => actor('near')) l;
SELECT l.data::text ~ 'secret of Airports' AS read, l.count FROM catalogue.list('questions', actor => actor('far')) l;
-- nor as it was at an instant before
SELECT u.n, l.count, l.data::text ~ 'secret of Airports' AS read, r.code AS item, v.code AS versions
FROM (VALUES ('near'), ('far')) u(n), LATERAL catalogue.list('questions', 'version=' || :'instant',
        actor => actor(u.n)) l,
    (SELECT q.id FROM catalogue.questions q WHERE q.text = 'secret of Airports') q,
    LATERAL refusal(format('SELECT catalogue.item(''questions'', %L, %L, actor => %L)', q.id, 'version=' || :'instant',
        actor(u.n))) r,
    LATERAL refusal(format('SELECT catalogue.versions(''questions'', %L, actor => %L)', q.id, actor(u.n))) v;
UPDATE catalogue.users SET organization = id_of('organizations', 'Open Data Office') WHERE username = 'far';
SELECT l.data::text ~ 'secret' AS read, l.count FROM catalogue.list('questions', actor => actor('far')) l;
SELECT q.id AS question FROM catalogue.questions q WHERE q.text = 'secret of Airports' \gset
SELECT r.code FROM (VALUES ('near'), ('far')) u(n),
    refusal(format('SELECT catalogue.item(''questions'', %L, actor => %L)', :'question', actor(u.n))) r;
-- The rule itself, when it goes.
UPDATE catalogue.users SET organization = id_of('organizations', 'Transport Department') WHERE username = 'far';
SELECT l.count FROM catalogue.list('questions', actor => actor('far')) l;
UPDATE catalogue.rules SET deleted_at = now() WHERE role = 'guest' AND resource = 'questions';
SELECT r.code FROM refusal(format('SELECT catalogue.list(''questions'', actor => %L)', actor('far'))) r;
