--
-- invariants: what must hold of every object of the catalogue; each statement returns no rows
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Every function that a role besides the owner may execute has a comment, and the first line of each comment tells in
-- less than 70 characters what the function does.
SELECT p.oid::regprocedure, split_part(obj_description(p.oid, 'pg_proc'), E'\n', 1) AS first_line
FROM pg_proc p
WHERE p.pronamespace = 'catalogue'::regnamespace
  AND (obj_description(p.oid, 'pg_proc') IS NULL
       AND EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                   WHERE a.grantee NOT IN (p.proowner, coalesce(to_regrole('catalogue_owner')::oid, p.proowner)))
       OR length(split_part(obj_description(p.oid, 'pg_proc'), E'\n', 1)) >= 70);

-- Every function of the API says its arguments, and what it returns or raises.
SELECT p.oid::regprocedure
FROM pg_proc p
WHERE p.pronamespace = 'catalogue'::regnamespace AND p.prorettype = 'catalogue.reply'::regtype AND p.pronargs > 0
  AND NOT (obj_description(p.oid, 'pg_proc') LIKE '%Arguments:%'
           AND obj_description(p.oid, 'pg_proc') ~ 'Returns:|Errors:');

-- Every table and view has a comment.
SELECT c.oid::regclass FROM pg_class c
WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind IN ('r', 'v', 'p')
    AND obj_description(c.oid, 'pg_class') IS NULL;

-- Every column of a resource has a comment, and it is the description of the field.
SELECT resource, field FROM catalogue.field WHERE coalesce(description, '') = '';

-- Every column of the registry, of the counters and of what is stored has a comment.
SELECT a.attrelid::regclass, a.attname FROM pg_attribute a
WHERE a.attrelid IN (SELECT ('catalogue.' || n)::regclass
                     FROM unnest(
                         '{resource,counter,facet_counter,facet_cache,upkeep,blob_chunk,blob_gone,object_orphan,
                             stored_file,stored_image,stored_logo,made_file,made_picture,unread_check,archive,
                             download_count,finished_upload,
                             sheet_chunk,sheet_issue,sheet_point,job_queue,log_chain,log_day,
                             fetched,idempotency,imported,imported_key,import_source,harvest,harvest_page,harvest_run,
                             webhook_state}'::text[]) n)
    AND a.attnum > 0 AND NOT a.attisdropped
  AND col_description(a.attrelid, a.attnum) IS NULL;

-- Every domain, enumeration and composite type has a comment.
SELECT t.oid::regtype FROM pg_type t
    LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.typnamespace = 'catalogue'::regnamespace AND (t.typtype IN ('d', 'e') OR c.relkind = 'c')
  AND coalesce(obj_description(t.oid, 'pg_type'), obj_description(c.oid, 'pg_class')) IS NULL;

-- Every table has a primary key or a replica identity: it can be in a publication.
SELECT c.oid::regclass FROM pg_class c
WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind = 'r' AND c.relreplident = 'd'
    AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary);

-- Every foreign key leads an index.
SELECT c.conrelid::regclass, c.conname FROM pg_constraint c
WHERE c.connamespace = 'catalogue'::regnamespace AND c.contype = 'f'
  AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indisvalid AND i.indkey[0] = c.conkey[1]);

-- Every foreign key of or towards a resource is deferrable: circles of records can be written and restored.
SELECT c.conrelid::regclass, c.conname FROM pg_constraint c
WHERE c.connamespace = 'catalogue'::regnamespace AND c.contype = 'f' AND NOT (c.condeferrable AND c.condeferred)
  AND EXISTS (SELECT FROM catalogue.resource r WHERE r.relation IN (c.conrelid, c.confrelid));

-- Every row that names a blob counts as one use of it.
SELECT c.conrelid::regclass FROM pg_constraint c
WHERE c.contype = 'f' AND c.confrelid = 'catalogue.blob'::regclass AND c.conrelid <> 'catalogue.blob_chunk'::regclass
  AND NOT EXISTS (SELECT FROM pg_trigger t
                  WHERE t.tgrelid = c.conrelid AND t.tgfoid = 'catalogue.count_uses'::regproc AND t.tgenabled = 'O');

-- Every resource has the triggers of the rules, and all of them are on.
SELECT r.resource, n.name FROM catalogue.resource r, unnest('{rules,logical_deletion,inserted,updated}'::name[]) n(name)
WHERE NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = r.relation AND t.tgname = n.name AND t.tgenabled = 'O');

-- Every resource has an id of the catalogue's type as its key.
SELECT r.resource FROM catalogue.resource r
WHERE NOT EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = r.relation AND a.attnum = i.indkey[0]
                  WHERE i.indrelid = r.relation AND i.indisprimary AND i.indnatts = 1 AND a.attname = 'id'
                      AND a.atttypid = 'catalogue.id'::regtype);

-- Every table with rows of the catalogue is a resource, a join table, or one of the extension's own.
SELECT c.oid::regclass FROM pg_class c
WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind = 'r'
  AND c.relname NOT IN ('resource', 'counter', 'facet_counter', 'facet_cache', 'change', 'recorder',
                        'statistics_by_day', 'attempt', 'consumers', 'consumer_keys', 'consumer_use', 'blob',
                        'blob_chunk', 'blob_gone', 'object_orphan', 'stored_file', 'stored_image', 'stored_logo',
                        'unread_check',
                        'made_file', 'made_picture', 'archive', 'upload', 'download_count', 'sheet',
                        'finished_upload',
                        'sheet_chunk', 'sheet_issue', 'sheet_point', 'job_queue', 'upkeep', 'taken_along',
                        'log_chain', 'log_day', 'fetched', 'idempotency', 'imported',
                        'imported_key', 'import_source', 'harvest', 'harvest_page', 'harvest_run', 'webhook_state',
                        'former_name',
                        'preview', 'question_mail', 'follower', 'follower_token', 'dataset_place')
  AND NOT EXISTS (SELECT FROM catalogue.resource r WHERE r.relation = c.oid)
  AND NOT EXISTS (SELECT FROM catalogue.relation l WHERE l.kind = 'many-to-many' AND l.via::regclass = c.oid)
ORDER BY c.relname;

-- No table of a resource belongs to the extension: dropping it leaves the data.
SELECT d.objid::regclass FROM pg_depend d JOIN catalogue.resource r ON r.relation = d.objid
WHERE d.deptype = 'e' AND d.classid = 'pg_class'::regclass;

-- Every function that runs with its owner's rights has a search_path of its own.
SELECT p.oid::regprocedure FROM pg_proc p
WHERE p.pronamespace = 'catalogue'::regnamespace AND p.prosecdef
    AND NOT coalesce(array_to_string(p.proconfig, ' ') LIKE '%search_path=%', false);

-- No name of a field or a relation has an underscore or begins with a capital.
SELECT resource, field FROM catalogue.field WHERE field !~ '^[a-z][A-Za-z0-9]*$'
UNION ALL
SELECT resource, relation FROM catalogue.relation WHERE relation !~ '^[a-z][A-Za-z0-9]*$';

-- No relation of a record has the name of another of its relations, or of a field that is no key.
SELECT resource, relation FROM catalogue.relation GROUP BY resource, relation HAVING count(*) > 1
UNION ALL
SELECT l.resource, l.relation
FROM catalogue.relation l JOIN catalogue.field f ON f.resource = l.resource AND f.field = l.relation
WHERE f.reference IS NULL;

-- Every enumeration of the definition is described with its values, every reference leads to a resource.
SELECT f.resource, f.field FROM catalogue.field f
WHERE cardinality(f.enum) = 0 OR f.reference IS NOT NULL
    AND NOT EXISTS (SELECT FROM catalogue.resource r WHERE r.resource = f.reference);
