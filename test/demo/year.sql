-- A year of requests and downloads up to now, for a catalogue that has none so old; part of `make demo`.  Numbers come
-- of the day and the name, so that they are the same each time; they are lower at weekends.
\set ON_ERROR_STOP on
BEGIN;

CREATE FUNCTION pg_temp.number(lowest integer, highest integer, seed text) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$
    SELECT lowest + abs(hashtext(seed) % (highest - lowest + 1));
$$;

CREATE TEMPORARY TABLE days ON COMMIT DROP AS
SELECT (now() AT TIME ZONE 'UTC')::date - n AS day, n,
       CASE WHEN extract(isodow FROM (now() AT TIME ZONE 'UTC')::date - n) > 5 THEN 0.4 ELSE 1 END AS share
FROM generate_series(1, 365) n
WHERE NOT EXISTS (SELECT FROM catalogue.statistics_by_day s WHERE s.day < (now() AT TIME ZONE 'UTC')::date - 300);

SELECT catalogue.record_statistics(string_agg(concat_ws(E'\t',
    (extract(epoch FROM d.day) * 1000000)::bigint + pg_temp.number(0, 86399, concat(d.n, r.path, i)) * 1000000::bigint,
    'GET', r.resource, r.path, '', '', r.agent, ''), E'\n')) AS requests
FROM days d
    CROSS JOIN (VALUES ('datasets', '/datasets', 'Mozilla/5.0', 12), ('datasets', '/datasets/search', 'Mozilla/5.0', 9),
        ('files', '/files', 'curl/8.5.0', 6), ('charts', '/charts', 'Mozilla/5.0', 4),
        ('maps', '/maps', 'Mozilla/5.0', 3), ('catalog', '/catalog', 'harvester/2.1', 1))
        AS r(resource, path, agent, most)
    CROSS JOIN LATERAL generate_series(1, ceil(pg_temp.number(r.most / 2, r.most * 2, concat(d.n, r.path)) * d.share
        * (1.4 - d.n / 600.0))::integer) i;

INSERT INTO catalogue.download_count (dataset, file, day, count)
SELECT f.dataset, f.id, d.day, pg_temp.number(1, 9, concat(f.name, s.name, d.n))
FROM catalogue.files f JOIN catalogue.datasets s ON s.id = f.dataset CROSS JOIN days d
WHERE f.deleted_at IS NULL AND pg_temp.number(0, 99, concat(d.n, s.name, f.name)) < 6 * d.share;

COMMIT;
