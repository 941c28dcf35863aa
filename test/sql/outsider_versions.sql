--
-- outsider_versions: version and state tag of an outsider's reads change with what outsiders can see, and with nothing
-- else
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
UPDATE catalogue.users SET active = true;
SELECT make_dataset('Meadow') AS meadow, make_dataset('Draft') AS draft,
       make('tags', '{"name": "grass"}') AS grass \gset
UPDATE catalogue.datasets SET status = 'qWRhpRV' WHERE id = :'meadow';
SELECT make_file('Grasses', 'Meadow') AS grasses, make_file('Notes', 'Draft') AS notes \gset
UPDATE catalogue.files SET status = 'qWRhpRV' WHERE id IN (:'grasses', :'notes');

-- What outsiders are told of all that they can ask for; and what users are.
CREATE FUNCTION told(actor jsonb, OUT versions text, OUT tags text) LANGUAGE sql AS
$$
    SELECT string_agg(a.version::text, ' ' ORDER BY n), string_agg(a.etag, ' ' ORDER BY n) FROM (
        SELECT 1000 + row_number() OVER (ORDER BY r.resource), l.version, l.etag
        FROM catalogue.resource r, catalogue.list(r.resource, actor => $1) l
        WHERE r.shown -> 'outsiders' IS DISTINCT FROM 'false' AND r.resource <> 'jobs'
        UNION ALL SELECT 1, version, etag FROM catalogue.count('datasets', actor => $1)
        UNION ALL SELECT 2, version, etag FROM catalogue.search('query=grass', actor => $1)
        UNION ALL SELECT 3, version, etag FROM catalogue.list('datasets', 'include=files,tags', actor => $1)
        UNION ALL SELECT 4, version, etag FROM catalogue.first('datasets', actor => $1)
        UNION ALL SELECT 5, version, etag FROM catalogue.list('files', 'query=grasses', actor => $1)
        UNION ALL SELECT 6, version, etag
        FROM catalogue.versions('datasets', test.id_of('datasets', 'Air quality'), actor => $1)) a(n, version, etag)
$$;
-- Whether a statement changes what outsiders are told, and what users are: the versions, the tags.
CREATE TABLE told_before AS SELECT t.* FROM told('{}') t;
CREATE TABLE told_users AS SELECT t.* FROM told(actor('guest')) t;
CREATE PROCEDURE try(statement text) LANGUAGE plpgsql AS
$$
DECLARE
    outsiders  record;
    users      record;
BEGIN
    EXECUTE statement;
    COMMIT;
    SELECT t.versions <> b.versions AS versions, t.tags <> b.tags AS tags INTO outsiders
    FROM told('{}') t, told_before b;
    SELECT t.versions <> b.versions AS versions, t.tags <> b.tags AS tags INTO users
    FROM told(actor('guest')) t, told_users b;
    UPDATE told_before b SET (versions, tags) = (SELECT t.versions, t.tags FROM told('{}') t);
    UPDATE told_users b SET (versions, tags) = (SELECT t.versions, t.tags FROM told(actor('guest')) t);
    COMMIT;
    RAISE INFO 'outsiders: %; users: %',
        CASE WHEN outsiders.versions AND outsiders.tags THEN 'told' WHEN outsiders.versions
            OR outsiders.tags THEN 'HALF' ELSE 'nothing' END,
        CASE WHEN users.versions AND users.tags THEN 'told' WHEN users.versions
            OR users.tags THEN 'HALF' ELSE 'nothing' END;
END
$$;
\set VERBOSITY terse

-- What outsiders cannot see.
CALL try(format('UPDATE catalogue.datasets SET description = ''secret plan'' WHERE id = %L', :'draft'));
CALL try('SELECT make_dataset(''Another draft'')');
CALL try(format('SELECT catalogue.update(''datasets'', %L, ''{"tags": "%s"}'', actor => admin())', :'draft', :'grass'));
CALL try(format('SELECT catalogue.act(''datasets'', %L, ''review'', actor => admin())', :'draft'));
CALL try(format('SELECT catalogue.delete(''datasets'', id_of(''datasets'', ''Another draft''), admin())'));
CALL try(format('UPDATE catalogue.files SET notes = ''of a draft'' WHERE id = %L', :'notes'));
CALL try('UPDATE catalogue.users SET first_name = ''Ann'' WHERE username = ''admin''');
CALL try(
    'INSERT INTO catalogue.configs (key, value, type, category, description, secret) VALUES (''mailPassword'', ''x'', '
    '''string'', ''site'', ''Password'', true)');
CALL try('UPDATE catalogue.configs SET value = ''y'' WHERE key = ''mailPassword''');
CALL try('SELECT catalogue.logout(admin())');
CALL try('SELECT catalogue.record_statistics(E''1700000000000000\tGET\tdatasets\t/datasets\t\t\tcurl\t127.0.0.1'')');
CALL try('INSERT INTO catalogue.rules (role, resource, action) VALUES (''guest'', ''tags'', ''delete'')');
DO $$
    BEGIN BEGIN UPDATE catalogue.tags SET name = 'hay' WHERE name = 'grass';
    RAISE EXCEPTION 'no';
    EXCEPTION WHEN raise_exception THEN NULL;
    END;
    UPDATE catalogue.datasets SET notes = 'rolled back' WHERE name = 'Draft';
    END
$$;
CALL try('SELECT');

-- What they can see.
CALL try(format('UPDATE catalogue.datasets SET description = ''flowers'' WHERE id = %L', :'meadow'));
CALL try(format('UPDATE catalogue.files SET notes = ''of a meadow'' WHERE id = %L', :'grasses'));
CALL try(format('UPDATE catalogue.datasets SET visible = false WHERE id = %L', :'meadow'));
CALL try(format('UPDATE catalogue.files SET notes = ''of a hidden meadow'' WHERE id = %L', :'grasses'));
CALL try(format('UPDATE catalogue.datasets SET visible = true WHERE id = %L', :'meadow'));
CALL try(format('UPDATE catalogue.datasets SET status = ''qWRhpRV'' WHERE id = %L', :'draft'));
CALL try(format('SELECT catalogue.act(''datasets'', %L, ''unpublish'', actor => admin())', :'draft'));
CALL try(format('SELECT catalogue.update(''datasets'', %L, ''{"tags": "%s"}'', actor => admin())', :'meadow',
    :'grass'));
CALL try('UPDATE catalogue.tags SET name = ''hay'' WHERE name = ''grass''');
CALL try('SELECT make(''tags'', ''{"name": "clover"}'')');
CALL try('DELETE FROM catalogue.tags WHERE name = ''hay''');
CALL try('SELECT catalogue.deactivate(''categories'', id_of(''categories'', ''Transport''), actor => admin())');
CALL try('UPDATE catalogue.categories SET description = ''unseen'' WHERE name = ''Transport''');
CALL try('SELECT catalogue.restore(''categories'', id_of(''categories'', ''Transport''), actor => admin())');
CALL try('UPDATE catalogue.configs SET secret = true WHERE key = ''maxZoom''');
CALL try('UPDATE catalogue.configs SET secret = false WHERE key = ''maxZoom''');
CALL try(format('SELECT catalogue.contents_load(%L, ''[["a"],["b"]]'')', :'grasses'));
CALL try('SELECT catalogue.touch(''tags'')');
CALL try('SELECT catalogue.recount(''tags'')');

-- An outsider's version stays good while only what he does not see is changed, however long; the history keeps what it
-- needs.
SELECT version FROM catalogue.list('datasets', actor => '{}') \gset
UPDATE catalogue.datasets SET notes = 'one' WHERE id = :'draft';
UPDATE catalogue.change SET at = at - interval '2 days' WHERE number > 0;
UPDATE catalogue.datasets SET notes = 'two' WHERE id = :'draft';
SELECT catalogue.prune() >= 0 AS pruned;
SELECT version::timestamptz < now() - interval '1 day' AS old, count FROM catalogue.list('datasets', actor => '{}');
SELECT '&version=' || version AS version FROM catalogue.list('datasets', actor => '{}') \gset
SELECT count FROM catalogue.list('datasets', 'limit=1' || :'version', actor => '{}');
UPDATE catalogue.datasets SET notes = 'seen' WHERE id = :'meadow';
SELECT count, data LIKE '%seen%' AS seen FROM catalogue.list('datasets', 'name=Meadow' || :'version', actor => '{}');
