-- What must be the same after a change of the major version, beside what the how-to compares: a line for each fact.
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
-- the records of each resource, with their relations
SELECT 'records', r.resource, l.count, md5(l.data)
FROM catalogue.resource r, catalogue.list(r.resource, 'limit=1000&orderBy=name') l
WHERE r.resource NOT IN ('statistics', 'logs') AND EXISTS (
    SELECT FROM catalogue.field f WHERE f.resource = r.resource AND f.field = 'name')
ORDER BY 2;
SELECT 'item', d.id, md5(i.data)
FROM catalogue.datasets d, catalogue.item('datasets', d.id, 'include=tags,files,categories,organization,owner') i
ORDER BY 2;
SELECT 'versions', d.id, v.count, md5(v.data)
FROM catalogue.datasets d, catalogue.versions('datasets', d.id) v ORDER BY 2;
SELECT 'rows', f.id, f.row_count, md5(c.data)
FROM catalogue.files f, catalogue.contents_page(f.id, 'limit=1000') c WHERE f.row_count > 0 ORDER BY 2;
SELECT 'filtered', f.id, md5(c.data)
FROM catalogue.files f, catalogue.contents_page(f.id, 'groupBy=country&aggregate=count&orderBy=country') c
WHERE f.file_name LIKE 'airports%' ORDER BY 2;
SELECT 'bytes', f.file, md5(string_agg(c.bytes, '' ORDER BY c.number))
FROM catalogue.stored_file f JOIN catalogue.blob_chunk c ON c.blob = f.blob GROUP BY f.file ORDER BY 2;
SELECT 'user', username, role, active, password FROM catalogue.users ORDER BY 2;
SELECT 'consumer', md5(c::text) FROM catalogue.consumers c ORDER BY 2;
SELECT 'waiting', q.kind, q.job, q.details, q.worker FROM catalogue.job_queue q ORDER BY 3;
SELECT 'log', count(*), md5(string_agg(l::text, ',' ORDER BY l.id)) FROM catalogue.logs l;
SELECT 'verified', count(*) FROM catalogue.verify_log();
