--
-- dataset_organization: whose a dataset is, for rights, for readers, and in catalogues
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT id_of('organizations', 'Open Data Office') AS office,
       id_of('organizations', 'Transport Department') AS department \gset
INSERT INTO catalogue.users (username, password, email, role, active, organization, created_by)
SELECT n, 'long enough', n || '@example.org', 'admin', true, o, id_of('users', 'admin')
FROM (VALUES ('creator', :'office'), ('colleague', :'office'), ('stranger', :'department')) v(n, o);
CREATE FUNCTION dataset(name text, more jsonb DEFAULT '{}') RETURNS json LANGUAGE sql AS
$$
    SELECT (jsonb_build_object('name', name, 'owner', id_of('users', 'creator'), 'status', 'qWRhpRV', 'visible', true,
        'categories', jsonb_build_array(id_of('categories', 'Transport'))) || more)::json
$$;
CREATE FUNCTION make_as(username text, name text, more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS
$$
    SELECT code FROM refusal(format('SELECT catalogue.create(%L, %L, actor => actor(%L))', 'datasets',
        dataset(name, more), username))
$$;
CREATE FUNCTION change_as(username text, name text, more jsonb) RETURNS text LANGUAGE sql AS
$$
    SELECT concat_ws(': ', code, message)
    FROM refusal(format('SELECT catalogue.update(%L, %L, %L, actor => actor(%L))', 'datasets',
        id_of('datasets', name), more, username))
$$;
CREATE VIEW organizations AS
    SELECT d.name, o.name AS organization FROM catalogue.datasets d
        LEFT JOIN catalogue.organizations o ON o.id = d.organization
    WHERE d.deleted_at IS NULL;

--
-- The organization of a new dataset is that of its creator, whichever way it is made
--
SELECT make_as('creator', 'Of the creator');
SELECT make_as('creator', 'Of null', '{"organization": null}');
SELECT make_as('creator', 'Of another', jsonb_build_object('organization', :'department'));
INSERT INTO catalogue.datasets (name, status, owner, created_by)
SELECT 'By SQL', 'nWRhpRV', id, id FROM catalogue.users WHERE username = 'stranger';
SELECT count(*) AS rows FROM catalogue.create_rows('datasets', format(E'name,owner,categories\nBy row,%s,%s',
    id_of('users', 'creator'), id_of('categories', 'Transport')), 'csv', actor => actor('creator'));
SELECT * FROM organizations WHERE name ~ '^(Of|By) ' ORDER BY name;
-- It is changed like any field, and there need be none.
SELECT change_as('creator', 'Of another', '{"organization": null}');
SELECT change_as('creator', 'Of null', jsonb_build_object('organization', :'department'));
SELECT field, message FROM faults(format('SELECT catalogue.update(%L, %L, %L, actor => admin())', 'datasets',
    id_of('datasets', 'Of null'), '{"organization": "nowhere"}'));
SELECT * FROM organizations WHERE name IN ('Of another', 'Of null') ORDER BY name;
-- Its creator moves; it does not.
UPDATE catalogue.users SET organization = :'department' WHERE username = 'creator';
SELECT * FROM organizations WHERE name = 'Of the creator';

--
-- Readers: shown, filtered, sorted, counted
--
SELECT (catalogue.item('datasets', id_of('datasets', 'Of the creator'), 'fields=name&include=organization.name',
    actor => '{}')).data::jsonb - 'id' #- '{organization,id}' AS shown;
SELECT mask(q) AS query, names(catalogue.list('datasets', q || '&condition=AND&fields=name&orderBy=organization.name',
    actor => '{}'))
FROM unnest(ARRAY['name=Of&organization=' || :'office', 'name=Of&organization.name=transport',
    'name=Of&organization=null', 'name=Of']) WITH ORDINALITY u(q, n)
ORDER BY n;
SELECT (catalogue.related('organizations', :'office', 'datasets', 'name=Of', actor => '{}')).count AS of_office;
SELECT code, message FROM refusal(format('SELECT catalogue.delete(%L, %L, admin())', 'organizations', :'department'))
WHERE message ~ '\d datasets';

--
-- Rights that are limited to an organization
--
DELETE FROM catalogue.rules WHERE role = 'admin' AND resource = 'datasets';
UPDATE catalogue.rules SET organization = true WHERE role = 'admin' AND resource = '*';
-- Colleagues keep it; its creator, who moved, and others do not have it.
SELECT n AS name, change_as(n, 'Of the creator', '{"notes": "x"}')
FROM unnest('{creator,colleague,stranger}'::text[]) n;
-- What nobody of the organization created is theirs, if it is of it.
SELECT n AS name, change_as(n, 'Of null', '{"notes": "x"}') FROM unnest('{creator,colleague,stranger}'::text[]) n;
-- One without an organization is nobody's.
SELECT n AS name, change_as(n, 'Of another', '{"notes": "x"}') FROM unnest('{creator,colleague,stranger}'::text[]) n;
-- It is neither given away, nor taken, nor made for others.
SELECT change_as('colleague', 'Of the creator', o)
FROM unnest(ARRAY[jsonb_build_object('organization', :'department'), '{"organization": null}']) o;
SELECT change_as('stranger', 'Of the creator', jsonb_build_object('organization', :'department'));
SELECT make_as('colleague', 'For others', jsonb_build_object('organization', :'department')) AS for_others,
    make_as('colleague', 'For us', jsonb_build_object('organization', :'office')) AS for_us,
    make_as('colleague', 'For us, too') AS by_default;
SELECT * FROM organizations WHERE name = 'Of the creator';
-- A key limited to an organization goes by it as well.
SELECT catalogue.add_consumer('Partner') AS partner \gset
SELECT key FROM catalogue.add_api_key('Partner', organization => :'office') \gset
SELECT name, code, message
FROM unnest('{Of the creator,Of null}'::text[]) name,
    refusal(format('SELECT catalogue.update(%L, %L, %L, actor => %L)', 'datasets', id_of('datasets', name),
        '{"notes": "y"}', admin() || jsonb_build_object('consumer', :'partner', 'key', :'key')));

--
-- Imports: the publisher that the source names; what an editor has changed stays
--
CREATE FUNCTION imported(actor jsonb, publisher text, title text DEFAULT 'Read', more jsonb DEFAULT '{}') RETURNS text
    LANGUAGE sql AS
$$
    SELECT mask((catalogue.import(json_build_object('source', 'elsewhere', 'document', json_build_object('dataset',
        json_build_array(jsonb_build_object('identifier', title, 'title', title, 'publisher', publisher, 'theme',
        'Transport', 'distribution', '[{"downloadURL": "https://a.example/x.csv"}]'::jsonb) || more))),
        actor => actor)).data::jsonb #>> '{entries,0}')
$$;
SELECT imported(admin(), 'Harbour Board');
SELECT * FROM organizations WHERE name = 'Read';
SELECT imported(admin(), 'Port Authority', more => '{"description": "1"}');
SELECT * FROM organizations WHERE name = 'Read';
UPDATE catalogue.datasets SET organization = :'office' WHERE name = 'Read';
SELECT imported(admin(), 'Harbour Board', more => '{"description": "2"}');
SELECT * FROM organizations WHERE name = 'Read';
SELECT imported(admin(), NULL, 'Without a publisher');
SELECT * FROM organizations WHERE name = 'Without a publisher';
-- A user whose rights are limited imports for his own organization, and is told.
SELECT imported(actor('colleague'), 'Harbour Board', 'By a colleague');
SELECT d.organization, f.name AS file, o.name AS "organization of the file"
FROM organizations d JOIN catalogue.datasets t ON t.name = d.name JOIN catalogue.files f ON f.dataset = t.id
    JOIN catalogue.organizations o ON o.id = f.organization
WHERE d.name = 'By a colleague';

--
-- Catalogues: the publisher is the organization, else what the source said, else that of the catalogue
--
CREATE FUNCTION publisher(dataset text) RETURNS text LANGUAGE sql AS
$$
    SELECT n.node ->> 'foaf:name'
    FROM json_array_elements((catalogue.dataset_rdf(id_of('datasets', dataset), 'jsonld', 'https://x')).data::json
        -> '@graph') n(node)
    WHERE n.node ->> '@type' = 'foaf:Agent'
$$;
UPDATE catalogue.datasets SET optionals = '{"publisher": "Who made it"}' WHERE name IN ('Of null', 'Of another');
SELECT publisher('Of the creator'), publisher('Of null') AS besides, publisher('Of another') AS given;
UPDATE catalogue.datasets SET optionals = NULL WHERE name = 'Of another';
SELECT publisher('Of another') AS usual;
SELECT * FROM catalogue.check_all();
