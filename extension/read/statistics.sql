-- Sums of the statistics: requests by day, resource, method and client, and downloads by dataset and file.

-- Return groups of requests; part of statistics_summary().  One row for each group: a column is null unless it is one
-- of the keys.  What to sort by is one of the columns.
CREATE FUNCTION catalogue.statistics_groups(keys text[], days date[], since date, until date, months text[],
    resources text[], methods text[], clients text[], ordering text, descending boolean, skip bigint, maximum bigint)
    RETURNS TABLE (groups bigint, day text, month text, resource text, method text, client text, requests numeric)
    LANGUAGE sql STABLE AS
$$
    WITH each AS (
        SELECT CASE WHEN 'day' = ANY ($1) THEN to_char(s.day, 'YYYY-MM-DD') END COLLATE "C" AS day,
               CASE WHEN 'month' = ANY ($1) THEN to_char(s.day, 'YYYY-MM') END COLLATE "C" AS month,
               CASE WHEN 'resource' = ANY ($1) THEN s.resource END COLLATE "C" AS resource,
               CASE WHEN 'method' = ANY ($1) THEN s.method::text END COLLATE "C" AS method,
               CASE WHEN 'client' = ANY ($1) THEN s.client END COLLATE "C" AS client, sum(s.requests) AS requests
        FROM catalogue.statistics_by_day s
        WHERE ($2 IS NULL OR s.day = ANY ($2)) AND ($3 IS NULL OR s.day >= $3) AND ($4 IS NULL OR s.day <= $4)
            AND ($5 IS NULL OR to_char(s.day, 'YYYY-MM') = ANY ($5)) AND ($6 IS NULL OR s.resource = ANY ($6))
            AND ($7 IS NULL OR s.method::text = ANY ($7)) AND ($8 IS NULL OR s.client = ANY ($8))
        GROUP BY 1, 2, 3, 4, 5),
    ordered AS (
        SELECT e.*, CASE $9 WHEN 'day' THEN e.day WHEN 'month' THEN e.month WHEN 'resource' THEN e.resource
                        WHEN 'method' THEN e.method WHEN 'client' THEN e.client END COLLATE "C" AS word,
               CASE WHEN $9 = 'requests' THEN e.requests END AS number
        FROM each e)
    SELECT count(*) OVER (), o.day, o.month, o.resource, o.method, o.client, o.requests
    FROM ordered o
    ORDER BY CASE WHEN $10 THEN o.word END DESC, CASE WHEN NOT $10 THEN o.word END,
        CASE WHEN $10 THEN o.number END DESC, CASE WHEN NOT $10 THEN o.number END,
        o.day, o.month, o.resource, o.method, o.client
    OFFSET $11 LIMIT $12;
$$;

-- Return groups of downloads; part of statistics_downloads().
CREATE FUNCTION catalogue.download_groups(keys text[], days date[], since date, until date, months text[],
    datasets text[], files text[], ordering text, descending boolean, skip bigint, maximum bigint)
    RETURNS TABLE (groups bigint, day text, month text, dataset text, "datasetName" text, file text, "fileName" text,
        downloads numeric)
    LANGUAGE sql STABLE AS
$$
    WITH each AS (
        SELECT CASE WHEN 'day' = ANY ($1) THEN to_char(c.day, 'YYYY-MM-DD') END COLLATE "C" AS day,
               CASE WHEN 'month' = ANY ($1) THEN to_char(c.day, 'YYYY-MM') END COLLATE "C" AS month,
               CASE WHEN 'dataset' = ANY ($1) THEN c.dataset::text END COLLATE "C" AS dataset,
               CASE WHEN 'file' = ANY ($1) THEN c.file::text END COLLATE "C" AS file, sum(c.count) AS downloads
        FROM catalogue.download_count c
        WHERE ($2 IS NULL OR c.day = ANY ($2)) AND ($3 IS NULL OR c.day >= $3) AND ($4 IS NULL OR c.day <= $4)
            AND ($5 IS NULL OR to_char(c.day, 'YYYY-MM') = ANY ($5)) AND ($6 IS NULL OR c.dataset = ANY ($6))
            AND ($7 IS NULL OR c.file = ANY ($7))
        GROUP BY 1, 2, 3, 4),
    ordered AS (
        SELECT e.*, CASE $8 WHEN 'day' THEN e.day WHEN 'month' THEN e.month WHEN 'dataset' THEN e.dataset
                        WHEN 'file' THEN e.file END COLLATE "C" AS word,
               CASE WHEN $8 = 'downloads' THEN e.downloads END AS number
        FROM each e),
    page AS (
        SELECT count(*) OVER () AS groups, row_number() OVER (
                   ORDER BY CASE WHEN $9 THEN o.word END DESC, CASE WHEN NOT $9 THEN o.word END,
                       CASE WHEN $9 THEN o.number END DESC, CASE WHEN NOT $9 THEN o.number END,
                       o.day, o.month, o.dataset, o.file) AS position, o.*
        FROM ordered o
        ORDER BY position
        OFFSET $10 LIMIT $11)
    SELECT p.groups, p.day, p.month, p.dataset, d.name, p.file, f.name, p.downloads
    FROM page p
        LEFT JOIN catalogue.datasets d ON d.id = p.dataset AND d.deleted_at IS NULL
        LEFT JOIN catalogue.files f ON f.id = p.file AND f.deleted_at IS NULL
    ORDER BY p.position;
$$;

CREATE FUNCTION catalogue.statistics_summary(query text DEFAULT '', actor jsonb DEFAULT NULL, format text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_statistics_summary';
COMMENT ON FUNCTION catalogue.statistics_summary(text, jsonb, text) IS
'Count requests by day, month, resource, method and client
Arguments: query: groupBy, some of these five, day unless given; day, month, resource, method, client, values with
commas between, and day[gte], [gt], [lte], [lt], which requests to count; limit, skip; orderBy, one of groupBy or
requests, and sort.  actor: as for catalogue.list().  format: csv, NULL for JSON.
Returns: data is an array of objects with the members of groupBy and requests, or a CSV table, of all groups unless
limit is given.  Days are of UTC.  Months whose records have been removed are counted like the present one.
Errors: OD404 the actor does not see the statistics; OD422 a parameter''s value, more than 100,000 groups in one table.
Source: Statistic';

CREATE FUNCTION catalogue.statistics_downloads(query text DEFAULT '', actor jsonb DEFAULT NULL,
    format text DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_statistics_downloads';
COMMENT ON FUNCTION catalogue.statistics_downloads(text, jsonb, text) IS
'Count downloads by day, month, dataset and file
Arguments: query: groupBy, some of these four, dataset unless given; day, month, dataset, file, values with commas
between, and day[gte], [gt], [lte], [lt], which downloads to count; limit, skip; orderBy, one of groupBy or downloads,
and sort.  actor, format: as for catalogue.statistics_summary().
Returns: as catalogue.statistics_summary(), with downloads; beside dataset and file their names, datasetName and
fileName, null where the record is deleted.  file is null for the archive of a dataset.
Errors: as catalogue.statistics_summary().
Source: Statistic';
