--
-- items: several records as one value
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

SELECT id_of('tags', 'water') AS water, id_of('tags', 'budget') AS budget,
       id_of('datasets', 'Airports') AS airports \gset

-- The rows of a value: each is as long as the four bytes in front of it say.
CREATE FUNCTION rows_of(bytes bytea) RETURNS TABLE (n bigint, packed bytea) LANGUAGE sql AS
$$
    WITH RECURSIVE rows(n, packed, rest) AS (
        SELECT 0::bigint, NULL::bytea, $1
        UNION ALL
        SELECT n + 1, substr(rest, 5, size), substr(rest, 5 + size)
        FROM rows, LATERAL (SELECT ('x' || encode(substr(rest, 1, 4), 'hex'))::bit(32)::integer) s(size)
        WHERE length(rest) > 0
    )
    SELECT n, packed FROM rows WHERE n > 0
$$;

-- A row with | for the byte that ends each member; tags differ from run to run.
CREATE FUNCTION shown(packed bytea) RETURNS text LANGUAGE sql AS
$$
    SELECT regexp_replace(mask(replace(encode($1, 'escape'), '\000', '|')), '\m[0-9a-f]{16}\M', '<tag>', 'g')
$$;

-- A row for each id, in their order, one of them twice; what is missing says so.
SELECT n, shown(packed)
FROM rows_of(catalogue.items('tags', ARRAY[:'budget', 'nothing', :'water', :'budget'], 'fields=name'));

-- A row is the packed answer of item(), behind a byte 0: of tags, with what a query and relations ask for, as of an
-- instant.
SELECT n, packed = '\x00' || catalogue.packed(catalogue.item('tags', id)) AS same
FROM rows_of(catalogue.items('tags', ARRAY[:'water', :'budget']))
    JOIN unnest(ARRAY[:'water', :'budget']) WITH ORDINALITY i(id, n) USING (n);
SELECT n,
       packed = '\x00'
       || catalogue.packed(catalogue.item('datasets', id, 'include=tags,owner.username&odd=1', 'embedded',
           admin())) AS same,
       length(packed) > 1000 AS long
FROM rows_of(catalogue.items('datasets', (SELECT array_agg(id ORDER BY name) FROM catalogue.datasets),
    'include=tags,owner.username&odd=1', 'embedded', admin()))
    JOIN (SELECT id, row_number() OVER (ORDER BY name) AS n FROM catalogue.datasets) d USING (n);
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS then \gset
UPDATE catalogue.tags SET name = 'waters' WHERE id = :'water';
DELETE FROM catalogue.tags WHERE id = :'budget';
SELECT n, shown(packed) FROM rows_of(catalogue.items('tags', ARRAY[:'water', :'budget'], 'fields=name'));
SELECT n, split_part(shown(packed), '|', 15) AS data
FROM rows_of(catalogue.items('tags', ARRAY[:'water', 'nothing', :'budget'], 'fields=name&version=' || :'then'));

-- Who knows the state of a record is told its tag only; the state of another record, and one where nothing is, are
-- none.
SELECT (catalogue.item('tags', :'water')).etag AS water_tag,
       (catalogue.item('datasets', :'airports')).etag AS airports_tag \gset
SELECT n, shown(packed)
FROM rows_of(catalogue.items('tags', ARRAY[:'water', :'water', :'water', 'nothing'], 'fields=name',
    known => ARRAY['x,' || :'water_tag', '*', :'airports_tag', '*']));
SELECT n, shown(packed) = '|tags|||||||||<tag>|||' AS told_only
FROM rows_of(catalogue.items('tags', ARRAY[:'water', :'water'], known => ARRAY[NULL, :'water_tag']));
-- Fewer states than ids, and more.
SELECT n, length(packed) > 100 AS whole
FROM rows_of(catalogue.items('tags', ARRAY[:'water', :'water'], known => ARRAY[:'water_tag']));
SELECT n, length(packed) > 100 AS whole
FROM rows_of(catalogue.items('tags', ARRAY[:'water'], known => ARRAY[NULL, :'water_tag', '*']));

-- The tag of what an outsider sees goes by the relations that he is told of; a record that he does not see is missing.
UPDATE catalogue.datasets SET status = id_of('statuses', 'Draft') WHERE id = :'airports';
SELECT n, packed = '\x00' || catalogue.packed(catalogue.item('datasets', id, actor => '{}')) AS same
FROM rows_of(catalogue.items('datasets',
    (SELECT array_agg(id ORDER BY name) FROM catalogue.datasets WHERE id <> :'airports'), actor => '{}'))
    JOIN (SELECT id, row_number() OVER (ORDER BY name) AS n
          FROM catalogue.datasets
          WHERE id <> :'airports') d USING (n);
SELECT n, shown(packed) = format('OD404|Dataset "%s" does not exist|', mask(:'airports')) AS missing
FROM rows_of(catalogue.items('datasets', ARRAY[:'airports'], actor => '{}'));
SELECT n, shown(packed)
FROM rows_of(catalogue.items('datasets', ARRAY[id_of('datasets', 'Public budget')], 'fields=name', actor => '{}',
    known => ARRAY[(catalogue.item('datasets', id_of('datasets', 'Public budget'), actor => '{}')).etag]));

-- None, and ids that are none.
SELECT catalogue.items('tags', '{}'), catalogue.items('tags', NULL);
SELECT n, shown(packed) FROM rows_of(catalogue.items('tags', ARRAY[NULL, '', E'a "b"\n', 'ñ', repeat('x', 30)]));

-- What holds for all is refused as a whole.
SELECT code, message FROM refusal($$SELECT catalogue.items('planets', '{a}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.items('tags', '{a}', 'include=nothing')$$);
SELECT code, message FROM refusal($$SELECT catalogue.items('tags', '{a}', actor => '{"user": "nobody"}')$$);
SELECT code, message FROM refusal($$SELECT catalogue.items(NULL, '{a}')$$);
