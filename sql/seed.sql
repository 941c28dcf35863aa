-- Initial records.  A table is seeded only while it is empty, so seeding again changes nothing.

CREATE FUNCTION catalogue.seed(language text DEFAULT 'en', password text DEFAULT NULL, samples boolean DEFAULT true,
    base_url text DEFAULT '')
    RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    generated  text;
    filled     CONSTANT boolean := EXISTS (SELECT FROM catalogue.datasets);
BEGIN
    IF language NOT IN ('en', 'es') THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('language "%s" is not known', language), HINT = 'It takes en or es.';
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.users) THEN
        generated := catalogue.seed_people(password, language);
    END IF;
    PERFORM catalogue.seed_rules();
    PERFORM catalogue.seed_vocabulary(language);
    PERFORM catalogue.seed_configs(language);
    PERFORM catalogue.seed_datasets(language);
    PERFORM catalogue.seed_visualizations(language);
    PERFORM catalogue.seed_maps(language);
    PERFORM catalogue.seed_services(language);
    IF samples AND NOT filled THEN
        PERFORM catalogue.seed_samples(language, rtrim(base_url, '/'));
    END IF;
    RETURN generated;
END
$$;
COMMENT ON FUNCTION catalogue.seed(text, text, boolean, text) IS
'Fill empty tables with initial records
Arguments: language of the names, en or es.  password of the first user, admin, a superadmin; NULL to have one
generated.  samples, whether the seeded files get bytes and rows.  base_url of the service, with which the addresses of
these bytes begin, such as https://data.example.org.
Returns: the generated password, which is kept nowhere in clear; NULL where it was given, or where there are users
already.
Errors: 22023 unknown language.  Source: What the service does 9';

-- Seed organizations and users; part of catalogue.seed().  Organizations and users refer to each other; their keys are
-- checked at the end of the transaction.
CREATE FUNCTION catalogue.seed_people(password text, language text) RETURNS text LANGUAGE plpgsql
    SET catalogue.check_references = off AS
$$
DECLARE
    es         boolean := language = 'es';
    admin      text := catalogue.new_id();
    first      text := catalogue.new_id();
    generated  text;
BEGIN
    IF password IS NULL THEN
        generated := substr(catalogue.new_id(), 9) || '-' || substr(catalogue.new_id(), 9) || '-'
            || substr(catalogue.new_id(), 9);
    END IF;
    INSERT INTO catalogue.organizations (id, name, description, active, created_by) VALUES
        (first, CASE WHEN es THEN 'Oficina de Datos Abiertos' ELSE 'Open Data Office' END,
            CASE WHEN es THEN 'Mantiene este catálogo' ELSE 'Keeps this catalogue' END, true, admin),
        (catalogue.new_id(), CASE WHEN es THEN 'Oficina de Estadística' ELSE 'Statistics Office' END,
            CASE WHEN es THEN 'Censos, encuestas e indicadores' ELSE 'Censuses, surveys and indicators' END, true,
            admin),
        (catalogue.new_id(), CASE WHEN es THEN 'Departamento de Transporte' ELSE 'Transport Department' END,
            CASE WHEN es THEN 'Caminos, ferrocarriles y transporte público'
                ELSE 'Roads, railways and public transport' END,
            true, admin);
    -- the other two cannot log in: their passwords are random
    INSERT INTO catalogue.users (id, username, password, email, first_name, last_name, active, role, organization,
        created_by)
        VALUES
        (admin, 'admin', coalesce(password, generated), 'admin@example.org',
            CASE WHEN es THEN 'Primer' ELSE 'First' END, CASE WHEN es THEN 'Administrador' ELSE 'Administrator' END,
            true, 'superadmin', first, admin),
        (catalogue.new_id(), 'editor', catalogue.new_id() || catalogue.new_id(), 'editor@example.org',
            CASE WHEN es THEN 'Usuario' ELSE 'Sample' END, CASE WHEN es THEN 'Redactor' ELSE 'Editor' END, false,
            'admin', first, admin),
        (catalogue.new_id(), 'guest', catalogue.new_id() || catalogue.new_id(), 'guest@example.org',
            CASE WHEN es THEN 'Usuario' ELSE 'Sample' END, CASE WHEN es THEN 'Invitado' ELSE 'Guest' END, false,
            'guest', first, admin);
    RETURN generated;
END
$$;

-- Seed the rules for reading; part of catalogue.seed(), and of updates.
CREATE FUNCTION catalogue.seed_reading_rules() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO catalogue.rules (role, resource, action)
    SELECT 'admin', unnest('{logs,statistics,users,datasetrequests,questions}'::text[]), 'read';
    INSERT INTO catalogue.rules (role, resource, action, own) VALUES ('guest', 'logs', 'read', true);
END
$$;

-- Seed the rules of the roles; part of catalogue.seed().
CREATE FUNCTION catalogue.seed_rules() RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF NOT EXISTS (SELECT FROM catalogue.rules) THEN
        INSERT INTO catalogue.rules (role, resource, action, own)
            VALUES ('admin', '*', '*', false), ('admin', 'users', 'update', true), ('guest', 'users', 'update', true);
        INSERT INTO catalogue.rules (role, resource, action)
        SELECT 'guest', unnest('{files,charts,maps,tags}'::text[]), 'create';
        INSERT INTO catalogue.rules (resource, action)
            VALUES ('datasetrequests', 'create'), ('questions', 'create');
        INSERT INTO catalogue.rules (role, resource, action, own)
        SELECT 'guest', '*', unnest('{update,review,cancel}'::text[]), true;
        PERFORM catalogue.seed_reading_rules();
    END IF;
END
$$;

-- Seed states, types, tags and categories; part of catalogue.seed().
CREATE FUNCTION catalogue.seed_vocabulary(language text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    es     boolean := language = 'es';
    admin  text := (SELECT id FROM catalogue.users ORDER BY created_at, id LIMIT 1);
BEGIN
    IF NOT EXISTS (SELECT FROM catalogue.statuses) THEN
        INSERT INTO catalogue.statuses (id, name)
        SELECT s.id, CASE WHEN es THEN n.spanish ELSE n.english END
        FROM (VALUES ('draft', 'Draft', 'Borrador'), ('review', 'Under Review', 'En revision'),
                     ('rejected', 'Rejected', 'Rechazado'), ('published', 'Published', 'Publicado'),
                     ('unpublished', 'Unpublished', 'Despublicado')) AS n(state, english, spanish)
            JOIN catalogue.states() s USING (state)
        ORDER BY s.id;
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.filetypes) THEN
        INSERT INTO catalogue.filetypes (id, name, api, mimetype, editable, created_by)
        SELECT CASE WHEN name = 'json' THEN '9WRhpRV' ELSE catalogue.new_id() END, name, api,
               to_json(string_to_array(types, ' ')), api AND name NOT IN ('json', 'xml'), admin
        FROM (VALUES ('csv', true, 'text/csv text/plain'), ('html', false, 'text/html'),
                     ('ics', false, 'text/calendar'),
                     ('pdf', false, 'application/pdf'),
                     ('rar', false, 'application/vnd.rar application/x-rar-compressed'),
                     ('shp', false, 'application/vnd.shp application/x-esri-shape'),
                     ('xls', true, 'application/vnd.ms-excel'),
                     ('xml', true, 'application/xml text/xml'),
                     ('xlsx', true, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
                     ('zip', false, 'application/zip'), ('json', true, 'application/json'),
                     ('gpkg', true, 'application/geopackage+sqlite3')) AS t(name, api, types);
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.updatefrequencies) THEN
        INSERT INTO catalogue.updatefrequencies (name, time_pattern)
        SELECT CASE WHEN es THEN spanish ELSE english END, pattern
        FROM (VALUES ('Daily', 'Diaria', '0 0 * * *'), ('Weekly', 'Semanal', '0 0 * * 1'),
                     ('Monthly', 'Mensual', '0 0 1 * *'),
                     ('Yearly', 'Anual', '0 0 1 1 *'), ('Irregular', 'Eventual', NULL)) AS f(english, spanish, pattern);
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.tags) THEN
        INSERT INTO catalogue.tags (name, created_by)
        SELECT unnest(CASE WHEN es THEN '{agua,presupuesto,transporte,salud}'::text[]
            ELSE '{water,budget,transport,health}' END),
               admin;
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.categories) THEN
        PERFORM catalogue.seed_categories(es, admin);
    END IF;
END
$$;

-- Seed categories and subcategories; part of catalogue.seed().
CREATE FUNCTION catalogue.seed_categories(es boolean, admin text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    transport  text := catalogue.new_id();
BEGIN
    INSERT INTO catalogue.categories (id, name, description, color, active, created_by) VALUES
        (transport, CASE WHEN es THEN 'Transporte' ELSE 'Transport' END,
            CASE WHEN es THEN 'Movilidad e infraestructura' ELSE 'Mobility and infrastructure' END, '1F77B4', true,
            admin),
        (catalogue.new_id(), CASE WHEN es THEN 'Ambiente' ELSE 'Environment' END,
            CASE WHEN es THEN 'Aire, agua y suelo' ELSE 'Air, water and soil' END, '2CA02C', true, admin),
        (catalogue.new_id(), CASE WHEN es THEN 'Gobierno' ELSE 'Government' END,
            CASE WHEN es THEN 'Presupuesto y contrataciones' ELSE 'Budget and procurement' END, 'D62728', true, admin);
    INSERT INTO catalogue.categories (name, color, active, parent, created_by) VALUES
        (CASE WHEN es THEN 'Aeropuertos' ELSE 'Airports' END, '17BECF', true, transport, admin),
        (CASE WHEN es THEN 'Caminos' ELSE 'Roads' END, 'BCBD22', true, transport, admin);
END
$$;

-- Seed the settings of the applications; part of catalogue.seed().
CREATE FUNCTION catalogue.seed_configs(language text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    es      boolean := language = 'es';
    member  boolean;
BEGIN
    IF EXISTS (SELECT FROM catalogue.configs) THEN
        RETURN;
    END IF;
    -- groups and single settings, then the members of groups
    FOREACH member IN ARRAY '{false,true}'::boolean[] LOOP
        INSERT INTO catalogue.configs (key, type, category, value, model, required, editable, secret, parent,
            description)
        SELECT d.key, d.type::catalogue.config_type, d.category::catalogue.config_category,
               CASE d.key WHEN 'defaultStatus' THEN (SELECT s.id FROM catalogue.states() s WHERE s.state = 'draft')
                   WHEN 'defaultOrganization'
                       THEN (SELECT id FROM catalogue.organizations ORDER BY created_at, id LIMIT 1)
                   ELSE d.value END,
               d.model, d.required, true, d.key LIKE '%SecretKey', g.id,
               CASE WHEN es THEN d.spanish ELSE d.english END
        FROM catalogue.default_configs() d LEFT JOIN catalogue.configs g ON g.key = d.parent
        WHERE d.spanish IS NOT NULL AND (d.parent IS NOT NULL) = member
        ORDER BY d.rank;
    END LOOP;
END
$$;

-- Seed datasets and files; part of catalogue.seed().
CREATE FUNCTION catalogue.seed_datasets(language text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    es     boolean := language = 'es';
    admin  text := (SELECT id FROM catalogue.users ORDER BY created_at, id LIMIT 1);
    item   record;
    made   text;
    published  text := (SELECT s.id FROM catalogue.states() s WHERE s.state = 'published');
BEGIN
    IF EXISTS (SELECT FROM catalogue.datasets) THEN
        RETURN;
    END IF;
    FOR item IN
        SELECT CASE WHEN es THEN spanish ELSE english END AS name,
               CASE WHEN es THEN spanish_text ELSE english_text END AS description, number, optionals
        FROM (VALUES
            (1, 'Airports', 'Aeropuertos', 'Airports with a radio beacon, on all continents.',
                'Aeropuertos con radiofaro, de todos los continentes.',
                '{"license": "Public domain", "landingPage": "https://ourairports.com/data/"}'::json),
            (2, 'Air quality', 'Calidad del aire',
                'Nitrogen dioxide and particles at six stations, in µg/m³. The values are invented.',
                'Dióxido de nitrógeno y partículas en seis estaciones, en µg/m³. Los valores son inventados.',
                '{"license": "CC0-1.0", "temporal": "2026-03-02/2026-04-26"}'),
            (3, 'Public budget', 'Presupuesto público',
                'What each programme was given and has spent, in millions. The values are invented.',
                'Lo presupuestado y lo ejecutado por cada programa, en millones. Los valores son inventados.',
                '{"license": "CC0-1.0", "temporal": "2016-01-01/2025-12-31"}')
        ) AS d(number, english, spanish, english_text, spanish_text, optionals)
    LOOP
        INSERT INTO catalogue.datasets (name, description, optionals, visible, status, owner, created_by)
            VALUES (item.name, item.description, item.optionals, true, published, admin, admin) RETURNING id INTO made;
        INSERT INTO catalogue.datasets_categories (dataset, category)
            SELECT made, id
            FROM catalogue.categories
            WHERE parent IS NULL
            ORDER BY created_at, id OFFSET item.number - 1 LIMIT 1;
        INSERT INTO catalogue.datasets_tags (dataset, tag)
            SELECT made, id FROM catalogue.tags ORDER BY created_at, id OFFSET (ARRAY[2, 3, 1])[item.number] LIMIT 1;
        INSERT INTO catalogue.files (name, url, visible, type, status, organization, dataset, owner, update_frequency,
            created_by)
        SELECT CASE WHEN es THEN spanish ELSE english END, 'https://data.example.org/' || address, true,
               (SELECT id FROM catalogue.filetypes WHERE name = split_part(address, '.', 2)), published,
               (SELECT id FROM catalogue.organizations ORDER BY created_at, id LIMIT 1), made, admin,
               (SELECT id FROM catalogue.updatefrequencies ORDER BY created_at, id OFFSET item.number LIMIT 1), admin
        FROM (VALUES
            (1, 'List of airports', 'Lista de aeropuertos', 'airports.csv'),
            (2, 'Daily means', 'Medias diarias', 'air-quality.xlsx'),
            (2, 'Stations', 'Estaciones', 'stations.csv'),
            (2, 'Districts', 'Distritos', 'districts.csv'),
            (3, 'Budget by programme', 'Presupuesto por programa', 'budget.pdf')
        ) AS f(dataset, english, spanish, address)
        WHERE f.dataset = item.number;
    END LOOP;
END
$$;

-- Seed basemaps, charts and views; part of catalogue.seed().
CREATE FUNCTION catalogue.seed_visualizations(language text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    es      boolean := language = 'es';
    admin   text := (SELECT id FROM catalogue.users ORDER BY created_at, id LIMIT 1);
    credit  text := CASE WHEN es THEN '© colaboradores de OpenStreetMap' ELSE '© OpenStreetMap contributors' END;
    published  text := (SELECT s.id FROM catalogue.states() s WHERE s.state = 'published');
BEGIN
    IF NOT EXISTS (SELECT FROM catalogue.basemaps) THEN
        INSERT INTO catalogue.basemaps (name, url, attribution, tms, min_zoom, max_zoom) VALUES
            ('OpenStreetMap', 'https://tile.openstreetmap.org/{z}/{x}/{y}.png', credit, false, 0, 19),
            ('OpenStreetMap Humanitarian', 'https://a.tile.openstreetmap.fr/hot/{z}/{x}/{y}.png',
                credit || ', Humanitarian OpenStreetMap Team', false, 0, 19),
            ('CyclOSM', 'https://a.tile-cyclosm.openstreetmap.fr/cyclosm/{z}/{x}/{y}.png', credit || ', CyclOSM', false,
                0, 20);
    END IF;
    -- the start page shows the chart that comes last
    IF NOT EXISTS (SELECT FROM catalogue.charts) THEN
        INSERT INTO catalogue.charts (name, type, data_type, data_series, status, file, created_by)
        SELECT CASE WHEN es THEN spanish ELSE english END, type::catalogue.chart_type,
               CASE WHEN type = 'bar' THEN 'qualitative' ELSE 'quantitative' END::catalogue.data_type,
               to_json(string_to_array(CASE WHEN es THEN spanish_series ELSE english_series END, ' ')), published, f.id,
               admin
        FROM (VALUES
            (1, 'bar', 'Airports by continent', 'Aeropuertos por continente', 'continent', 'continente'),
            (2, 'heatmap', 'Nitrogen dioxide by day', 'Dióxido de nitrógeno por día', 'date station no2',
                'fecha estación no2'),
            (5, 'line', 'Spending by year', 'Gasto por año', 'year spent', 'año ejecutado'),
            (5, 'pie', 'Spending by area', 'Gasto por área', 'area spent', 'área ejecutado'),
            (5, 'stackedbar', 'Spending by year and area', 'Gasto por año y área', 'year area spent',
                'año área ejecutado')
        ) AS c(number, type, english, spanish, english_series, spanish_series)
            JOIN (SELECT id, row_number() OVER (ORDER BY created_at, id) FROM catalogue.files
                  WHERE deleted_at IS NULL) AS f(id, number) USING (number)
        ORDER BY number, english;
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.views) THEN
        INSERT INTO catalogue.views (name, created_by)
        SELECT unnest(CASE WHEN es THEN '{Destacados,Novedades,Mapas}'::text[] ELSE '{Highlights,Latest,Maps}' END),
               admin;
        INSERT INTO catalogue.views_tags (view, tag)
        SELECT v.id, (SELECT id FROM catalogue.tags ORDER BY created_at, id LIMIT 1) FROM catalogue.views v;
    END IF;
END
$$;

-- Seed maps; part of catalogue.seed().  The start page shows the one that comes last.
CREATE FUNCTION catalogue.seed_maps(language text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    es         boolean := language = 'es';
    admin      text := (SELECT id FROM catalogue.users ORDER BY created_at, id LIMIT 1);
    published  text := (SELECT s.id FROM catalogue.states() s WHERE s.state = 'published');
BEGIN
    IF NOT EXISTS (SELECT FROM catalogue.maps) THEN
        INSERT INTO catalogue.maps (name, latitude_key, longitude_key, color_key, properties, basemap, status, file,
            created_by)
        SELECT CASE WHEN es THEN spanish ELSE english END,
               coalesce(outlines, CASE WHEN es THEN 'latitud' ELSE 'latitude' END),
               coalesce(outlines, CASE WHEN es THEN 'longitud' ELSE 'longitude' END), color,
               to_json(string_to_array(CASE WHEN es THEN spanish_columns ELSE english_columns END, ' ')),
               (SELECT id FROM catalogue.basemaps ORDER BY created_at, id LIMIT 1), published, f.id, admin
        FROM (VALUES
            (4, 'Nitrogen dioxide by district', 'Dióxido de nitrógeno por distrito', 'district population no2',
                'distrito población no2', 'geometry', 'no2'),
            (3, 'Map of stations', 'Mapa de estaciones', 'station type', 'estación tipo', NULL, NULL),
            (1, 'Map of radio beacons', 'Mapa de radiofaros', 'code beacon', 'código radiofaro', NULL, NULL),
            (1, 'Map of airports', 'Mapa de aeropuertos', 'name country elevation_ft', 'nombre país elevación_ft',
                NULL, NULL)
        ) AS m(number, english, spanish, english_columns, spanish_columns, outlines, color)
            JOIN (SELECT id, row_number() OVER (ORDER BY created_at, id) FROM catalogue.files
                  WHERE deleted_at IS NULL) AS f(id, number) USING (number)
        ORDER BY number DESC, english DESC;
    END IF;
END
$$;

-- Seed services, databases and requests; part of catalogue.seed().
CREATE FUNCTION catalogue.seed_services(language text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    es  boolean := language = 'es';
BEGIN
    IF NOT EXISTS (SELECT FROM catalogue.soapservices) THEN
        INSERT INTO catalogue.soapservices (method, namespace, url, parameters) VALUES
            ('GetStations', 'urn:example:air', 'https://services.example.org/air', '{}'),
            ('GetBudget', 'urn:example:budget', 'https://services.example.org/budget', '{"year": 2026}'),
            ('GetLines', 'urn:example:transport', 'https://services.example.org/transport', '{"mode": "bus"}');
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.restservices) THEN
        INSERT INTO catalogue.restservices (url, data_path, title_path, parameters) VALUES
            ('https://services.example.org/airports.json', 'data.rows', 'data.columns', '{}'),
            ('https://services.example.org/stations.json', 'stations', NULL, '{"format": "json"}'),
            ('https://services.example.org/budget.json', 'items', NULL, '{"year": 2026}');
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.statistics) THEN
        INSERT INTO catalogue.statistics (resource, endpoint, querystring, method, client, useragent, ip) VALUES
            ('datasets', '/datasets', NULL, 'GET', 'seed', 'seed', '127.0.0.1'),
            ('datasets', '/datasets', 'limit=5', 'GET', 'seed', 'seed', '127.0.0.1'),
            ('tags', '/tags/count', NULL, 'HEAD', 'seed', 'seed', '127.0.0.1');
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.databases) THEN
        INSERT INTO catalogue.databases (name, collection)
        SELECT CASE WHEN es THEN spanish ELSE english END, collection
        FROM (VALUES ('contents', 'contenidos', 'files'), ('archive', 'archivo', 'datasets'),
            ('statistics', 'estadísticas', 'requests')) AS d(english, spanish, collection);
    END IF;
    IF NOT EXISTS (SELECT FROM catalogue.datasetrequests) THEN
        INSERT INTO catalogue.datasetrequests (about, description, email)
        SELECT CASE WHEN es THEN spanish ELSE english END, CASE WHEN es THEN spanish_text ELSE english_text END,
               'citizen@example.org'
        FROM (VALUES
            ('Bus timetables', 'Horarios de colectivos', 'The timetables of all lines, as GTFS',
                'Los horarios de todas las líneas, en GTFS'),
            ('Trees', 'Arbolado', 'Species and place of the trees in the streets',
                'Especie y ubicación del arbolado público'),
            ('Schools', 'Escuelas', 'Addresses of the schools', 'Direcciones de las escuelas')
        ) AS r(english, spanish, english_text, spanish_text);
    END IF;
END
$$;

-- Seed bytes and rows of the files; part of catalogue.seed().  The bytes are stored as an upload stores them.  Their
-- rows are loaded here, not by a worker, which may not run; the maps and charts of the file are made of them.
CREATE FUNCTION catalogue.seed_samples(language text, base_url text) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    admin  text := (SELECT u.id FROM catalogue.users u ORDER BY u.created_at, u.id LIMIT 1);
    item   record;
BEGIN
    FOR item IN
        SELECT f.id, s.name, s.lines
        FROM (VALUES
            ('airports.csv', (SELECT json_agg(l) FROM catalogue.sample_airports(language) l)),
            ('air-quality.xlsx', (SELECT json_agg(l) FROM catalogue.sample_air(language) l)),
            ('stations.csv', (SELECT json_agg(l) FROM catalogue.sample_stations(language) l)),
            ('districts.csv', (SELECT json_agg(l) FROM catalogue.sample_districts(language) l)),
            ('budget.pdf', (SELECT json_agg(l) FROM catalogue.sample_budget(language) l))) AS s(name, lines)
            JOIN catalogue.files f ON f.url = 'https://data.example.org/' || s.name
        WHERE f.deleted_at IS NULL AND NOT EXISTS (SELECT FROM catalogue.stored_file b WHERE b.file = f.id)
        ORDER BY f.created_at, f.id
    LOOP
        PERFORM catalogue.upload('files', item.id, split_part(item.name, '.', 1) || '.csv', convert_to((
            SELECT string_agg((SELECT string_agg(catalogue.csv_text(c), ',')
                    FROM json_array_elements_text(line) c) || E'\r\n', ''
                ORDER BY n)
            FROM json_array_elements(item.lines) WITH ORDINALITY AS l(line, n)), 'UTF8'),
            actor => jsonb_build_object('user', admin));
        UPDATE catalogue.files f SET url = base_url || f.url WHERE f.id = item.id AND base_url <> '';
        PERFORM catalogue.contents_load(item.id, item.lines);
        PERFORM catalogue.end_job(q.job, 'done', NULL)
        FROM catalogue.job_queue q JOIN catalogue.jobs j ON j.id = q.job
        WHERE q.kind = 'parse' AND j.resource = item.id;
    END LOOP;
END
$$;
