-- The entity tag of each dataset, and of a list.
\pset format unaligned
\pset tuples_only on
SELECT 'item', d.id, i.etag FROM catalogue.datasets d, catalogue.item('datasets', d.id) i ORDER BY 2;
SELECT 'list', etag FROM catalogue.list('tags', 'limit=5');
