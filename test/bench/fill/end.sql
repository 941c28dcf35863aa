-- Create the indexes again, and the counters that the triggers would have updated.
\set ON_ERROR_STOP on
\set QUIET on
SET maintenance_work_mem = '512MB';
SET max_parallel_maintenance_workers = 2;
SELECT definition FROM bench.index
\gexec
SELECT catalogue.recount('datasets')
\g /dev/null
VACUUM (ANALYZE);
CHECKPOINT;
