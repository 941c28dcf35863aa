--
-- samples: the seeded files have bytes and rows, and maps and charts that are made of them
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The files with their rows, and the lines of their bytes without the heading.
CREATE FUNCTION files() RETURNS TABLE (name text, type text, url text, row_count bigint, lines bigint, state text)
    LANGUAGE plpgsql AS
$$
BEGIN
    RETURN QUERY
        SELECT f.name::text, t.name::text, f.url::text, f.row_count::bigint, (SELECT count(*) - 2
            FROM catalogue.stored_file s, regexp_split_to_table(convert_from(catalogue.blob_bytes(s.blob, 0), 'UTF8'),
                E'\r\n')
            WHERE s.file = f.id), f.parse_state::text
        FROM catalogue.files f JOIN catalogue.filetypes t ON t.id = f.type
        ORDER BY f.id;
END
$$;
CREATE FUNCTION charts() RETURNS TABLE (name text, type text, labels int, series json, first text) LANGUAGE plpgsql AS
$$
BEGIN
    RETURN QUERY
        SELECT c.name::text, c.type::text, json_array_length(c.data -> 'labels'), c.data -> 'series',
               concat(c.data #>> '{labels,0}', ': ', c.data #>> '{data,0}')
        FROM catalogue.charts c
        ORDER BY c.id;
END
$$;
CREATE FUNCTION maps() RETURNS TABLE (name text, points int, first text) LANGUAGE plpgsql AS
$$
BEGIN
    RETURN QUERY
        SELECT m.name::text, json_array_length(m.geojson -> 'features'), m.geojson #>> '{features,0,properties}'
        FROM catalogue.maps m
        ORDER BY m.id;
END
$$;
CREATE PROCEDURE begin_anew() LANGUAGE plpgsql SET client_min_messages = error AS
$$
BEGIN
    DROP EXTENSION catalogue CASCADE;
    DROP SCHEMA IF EXISTS catalogue, catalogue_history CASCADE;
    CREATE EXTENSION catalogue;
    PERFORM catalogue.bootstrap();
END
$$;

-- Without samples there are records only.
SELECT name, type, url, row_count FROM files();
SELECT name, type, labels FROM charts();

-- They are not filled later either: a table that has records is left alone.
SELECT catalogue.seed() AS generated;
SELECT count(*) FILTER (WHERE row_count IS NOT NULL) AS with_rows FROM files();

CALL begin_anew();
SELECT catalogue.seed('en', 'correct horse battery', base_url => 'https://data.example.net/') AS generated;
SELECT * FROM files();
SELECT * FROM charts();
SELECT * FROM maps();
SELECT data FROM catalogue.contents_page(id_of('files', 'List of airports'), 'limit=2&country=NO');
SELECT jsonb_path_query_array(data::jsonb, '$[*].type') AS types
FROM catalogue.contents_columns(id_of('files', 'Daily means'));

-- Outsiders see all of it, nothing is left to be read, and nothing is inconsistent.
SELECT r AS resource, (catalogue.count(r, '', '{}')).data AS shown FROM unnest('{files,charts,maps}'::text[]) r;
SELECT kind, count(*) FROM catalogue.job_queue GROUP BY kind;
SELECT * FROM catalogue.check_all();

-- A second time changes nothing.
SELECT catalogue.seed('en', 'correct horse battery', base_url => 'https://elsewhere.example.net') AS generated;
SELECT count(*), count(DISTINCT split_part(url, '/', 3)) AS hosts, min(split_part(url, '/', 3)) AS host FROM files();

CALL begin_anew();
SELECT catalogue.seed('es', 'una clave muy larga') AS generated;
SELECT * FROM files();
SELECT * FROM charts();
SELECT * FROM maps();
