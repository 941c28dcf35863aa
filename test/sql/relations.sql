--
-- relations: the foreign keys say what a record is related to, under which name, and what deletion does
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- A key is a to-one relation named like its field.
SELECT resource, string_agg(relation || ' → ' || target, ', ' ORDER BY position) AS relations
FROM catalogue.relation WHERE kind = 'to-one' GROUP BY resource ORDER BY resource;

-- What a record sees through the keys of others; createdBy and updatedBy are not turned round.
SELECT resource, string_agg(relation || ' ← ' || target || '.' || near, ', ' ORDER BY relation) AS relations
FROM catalogue.relation WHERE kind = 'one-to-many' GROUP BY resource ORDER BY resource;

-- Many-to-many relations; a record that owns one shows and takes it as a list of ids.
SELECT resource, relation, target, via, owned
FROM catalogue.relation
WHERE kind = 'many-to-many'
ORDER BY resource, relation;

-- Of the owned ones, those that need at least one record.
SELECT resource, at_least_one FROM catalogue.resource WHERE at_least_one <> '{}';

-- What goes along with a deleted record.
SELECT target AS deleted, string_agg(DISTINCT resource, ', ') AS along
FROM catalogue.dependent WHERE deletion = 'c' AND NOT is_join GROUP BY target ORDER BY target;

-- What of it is forgotten with a deleted record: rows of join tables.
SELECT target AS deleted, string_agg(via, ', ' ORDER BY via) AS join_tables
FROM catalogue.dependent WHERE deletion = 'c' AND is_join GROUP BY target ORDER BY target;

-- What stands in the way of a deletion.
SELECT target AS deleted, string_agg(DISTINCT resource, ', ') AS in_the_way
FROM catalogue.dependent WHERE deletion NOT IN ('c', 'n') GROUP BY target ORDER BY target;

-- What stays, and keeps the id of a deleted record.
SELECT target AS deleted, string_agg(resource || '.' || near, ', ' ORDER BY resource) AS stays
FROM catalogue.dependent WHERE deletion = 'n' GROUP BY target ORDER BY target;
