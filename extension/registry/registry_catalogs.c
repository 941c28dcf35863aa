/*
 * registry_catalogs.c
 *	  What is read of a table in PostgreSQL's catalogs: fields, relations, dependents, and why it
 *	  cannot be a resource; as statements, and as functions of SQL.
 *
 * $1 is the table.  The statements are here and not in the script of the extension, so that a database of
 * an earlier version is served as well.
 */
#include "catalogue.h"

#include "executor/spi.h"
#include "funcapi.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "registry/registry.h"
#include "registry/registry_internal.h"

/* Foreign keys of one column, with the resources of both tables, NULL for none; closed: it shows outsiders
 * nothing.  relation: the name that the constraint gives what the target sees through the key, less
 * "_by_" and the column; NULL where the constraint has PostgreSQL's default name. */
#define KEYS                                                                                \
	"(SELECT c.oid, c.conrelid AS source, c.conkey[1] AS place, a.attname::text AS name, "  \
	"c.confrelid AS target, c.confdeltype::text AS deletion, s.resource AS from_resource, " \
	"s.shown -> 'outsiders' = 'false' AS from_closed, t.resource AS to_resource, "          \
	"t.shown -> 'outsiders' = 'false' AS to_closed, "                                       \
	"CASE WHEN c.conname NOT IN (left(n.usual, 58) || '_fkey', n.usual || '_fkey') "        \
	"THEN CASE right(c.conname, length(n.ending)) WHEN n.ending "                           \
	"THEN left(c.conname, -length(n.ending)) ELSE c.conname::text END END AS relation "     \
	"FROM pg_catalog.pg_constraint c "                                                      \
	"JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] " \
	"JOIN pg_catalog.pg_class k ON k.oid = c.conrelid "                                     \
	"CROSS JOIN LATERAL (SELECT k.relname || '_' || a.attname, '_by_' || a.attname) "       \
	"n(usual, ending) "                                                                     \
	"LEFT JOIN catalogue.resource s ON s.relation = c.conrelid "                            \
	"LEFT JOIN catalogue.resource t ON t.relation = c.confrelid "                           \
	"WHERE c.contype = 'f' AND c.conparentid = 0 AND cardinality(c.conkey) = 1)"

/* What follows from the name of a column: optional, read-only, hidden, for users only, not changed. */
#define BY_NAME                                             \
	"(VALUES ('id', true, true, false, false, false), "     \
	"('created_at', true, true, false, false, false), "     \
	"('updated_at', true, true, false, false, false), "     \
	"('deleted_at', false, true, false, true, false), "     \
	"('deactivated_at', false, true, true, false, false), " \
	"('slug', false, true, false, false, false), "          \
	"('created_by', false, false, false, false, true), "    \
	"('updated_by', false, false, false, false, true)) "    \
	"n(name, optional, read_only, hidden, internal, fixed)"

/* What follows from the name of a type: optional, read-only; of a domain: hidden, write-only. */
#define BY_TYPE                                                                                \
	"(VALUES ('password', false, false, true, true), ('secret', false, false, true, true), "   \
	"('id_list', true, true, true, false), ('birth', false, true, true, false), "              \
	"('least_access', false, true, true, false), ('session_start', true, true, true, false), " \
	"('shown', true, true, true, false)) y(name, optional, read_only, hidden, write_only)"

#define FIELDS                                                                                 \
	"SELECT catalogue.camel(a.attname) AS field, a.attname::text AS column_name, "             \
	"a.attnum::integer AS position, catalogue.type_word(t.oid) AS type, "                      \
	"(a.attnotnull OR r.unless ? a.attname) AND a.attgenerated = '' AND a.attidentity = '' "   \
	"AND n.optional IS NOT TRUE AND y.optional IS NOT TRUE AS required, "                      \
	"CASE WHEN b.typname IN ('varchar', 'bpchar') "                                            \
	"THEN nullif(greatest(a.atttypmod, t.typtypmod, 4) - 4, 0) END AS max, "                   \
	"nullif((r.limits ->> a.attname)::integer, 0) AS max_json, "                               \
	"(SELECT array_agg(v.enumlabel::text ORDER BY v.enumsortorder) "                           \
	"FROM pg_catalog.pg_enum v WHERE v.enumtypid = coalesce(e.oid, b.oid)) AS enum, "          \
	"k.to_resource AS reference, CASE t.typtype WHEN 'd' THEN t.typname::text END AS domain, " \
	"a.attgenerated <> '' OR a.attidentity = 'a' OR n.read_only IS TRUE "                      \
	"OR y.read_only IS TRUE OR a.attname = ANY (r.kept) AS read_only, "                        \
	"t.typtype = 'd' AND y.write_only IS TRUE AS write_only, "                                 \
	"n.hidden IS TRUE OR t.typtype = 'd' AND y.hidden IS TRUE AS hidden, "                     \
	"k.to_closed IS TRUE OR n.internal IS TRUE AS internal, "                                  \
	"a.attname = ANY (r.reserved) AS reserved, "                                               \
	"n.fixed IS TRUE OR a.attname = ANY (r.fixed) AS fixed, "                                  \
	"a.attname = ANY (r.searchable) AS searchable, r.unless ->> a.attname AS unless, "         \
	"a.atthasdef AND a.attgenerated = '' AS has_default, t.oid AS type_oid, "                  \
	"b.oid AS base_oid, a.atttypmod AS type_modifier, catalogue.type_word(e.oid) AS items, "   \
	"e.oid AS item_oid FROM catalogue.resource r "                                             \
	"JOIN pg_catalog.pg_attribute a ON a.attrelid = $1 AND a.attnum > 0 "                      \
	"AND NOT a.attisdropped JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "                  \
	"JOIN pg_catalog.pg_type b ON b.oid = catalogue.base_type(t.oid) "                         \
	"LEFT JOIN pg_catalog.pg_type e ON e.oid = catalogue.base_type(b.typelem) "                \
	"AND b.typsubscript = 'pg_catalog.array_subscript_handler'::regproc "                      \
	"LEFT JOIN " BY_NAME " ON n.name = a.attname LEFT JOIN " BY_TYPE " ON y.name = t.typname " \
	"LEFT JOIN LATERAL (SELECT k.to_resource, k.to_closed FROM " KEYS " k "                    \
	"WHERE k.source = $1 AND k.place = a.attnum AND k.to_resource IS NOT NULL "                \
	"ORDER BY k.oid LIMIT 1) k ON true WHERE r.relation = $1 ORDER BY a.attnum"

#define RELATIONS                                                                             \
	"SELECT l.relation, l.kind, l.target, catalogue.qualified_name(l.source) AS via, "        \
	"l.source AS via_oid, l.name AS near, l.far, l.deletion, l.place AS position, l.owned, "  \
	"l.list, l.closed IS TRUE AS internal FROM ("                                             \
	"SELECT k.source, k.name, k.deletion, catalogue.camel(k.name) AS relation, "              \
	"'to-one' AS kind, k.to_resource AS target, NULL AS far, k.place::integer AS place, "     \
	"true AS owned, NULL AS list, k.to_closed AS closed FROM " KEYS " k "                     \
	"WHERE k.source = $1 AND k.from_resource IS NOT NULL AND k.to_resource IS NOT NULL "      \
	"UNION ALL SELECT k.source, k.name, k.deletion, catalogue.camel(k.relation), "            \
	"'one-to-many', k.from_resource, NULL, 2000, false, NULL, k.from_closed FROM " KEYS " k " \
	"WHERE k.target = $1 AND k.to_resource IS NOT NULL AND k.relation IS NOT NULL "           \
	"AND k.from_resource IS NOT NULL "                                                        \
	"UNION ALL SELECT k.source, k.name, k.deletion, catalogue.camel(k.relation), "            \
	"'many-to-many', o.to_resource, o.name, 1000, k.place < o.place, "                        \
	"CASE WHEN k.place < o.place THEN k.relation || '_ids' END, o.to_closed FROM " KEYS " k " \
	"JOIN " KEYS " o ON o.source = k.source AND o.oid <> k.oid "                              \
	"WHERE k.target = $1 AND k.to_resource IS NOT NULL AND k.relation IS NOT NULL "           \
	"AND k.from_resource IS NULL AND o.to_resource IS NOT NULL) l "                           \
	"ORDER BY l.place, l.relation"

#define DEPENDENTS                                                                 \
	"SELECT coalesce(k.from_resource, o.to_resource) AS resource, "                \
	"k.from_resource IS NULL AS is_join, "                                         \
	"EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = k.source "   \
	"AND a.attname = 'status' AND NOT a.attisdropped) AS has_status, "             \
	"catalogue.qualified_name(k.source) AS via, k.name AS near, o.name AS far, "   \
	"catalogue.qualified_name(o.target) AS far_table, k.deletion, "                \
	"(SELECT a.attname::text FROM pg_catalog.pg_attribute a "                      \
	"JOIN pg_catalog.pg_type t ON t.oid = a.atttypid WHERE a.attrelid = k.source " \
	"AND a.attname = k.name || '_shown' AND t.typname = 'shown' "                  \
	"AND t.typnamespace = 'catalogue'::regnamespace) AS flag "                     \
	"FROM " KEYS " k LEFT JOIN " KEYS " o ON k.from_resource IS NULL "             \
	"AND o.source = k.source AND o.oid <> k.oid AND o.to_resource IS NOT NULL "    \
	"WHERE k.target = $1 AND k.to_resource IS NOT NULL "                           \
	"AND coalesce(k.from_resource, o.to_resource) IS NOT NULL ORDER BY via, near"

/* Records are read through the indexes of a single table whose rows have a transaction ID and a TID.  The
 * first reason against it. */
#define FAULT                                                                                \
	"SELECT f.reason, f.remedy FROM pg_catalog.pg_class c "                                  \
	"LEFT JOIN LATERAL (SELECT i.inhparent::regclass FROM pg_catalog.pg_inherits i "         \
	"WHERE i.inhrelid = c.oid ORDER BY i.inhseqno LIMIT 1) p(parent) ON true "               \
	"LEFT JOIN LATERAL (SELECT i.inhrelid::regclass FROM pg_catalog.pg_inherits i "          \
	"WHERE i.inhparent = c.oid ORDER BY i.inhrelid LIMIT 1) k(child) ON true "               \
	"LEFT JOIN LATERAL (SELECT a.attname FROM pg_catalog.pg_attribute a "                    \
	"WHERE a.attrelid = c.oid AND a.attgenerated = 'v' AND NOT a.attisdropped "              \
	"ORDER BY a.attnum LIMIT 1) v ON true CROSS JOIN LATERAL (VALUES "                       \
	"(1, c.relkind = 'p', 'It is a partitioned table.', "                                    \
	"'Expose an ordinary table with the same rows.'), "                                      \
	"(2, c.relkind = 'f', 'It is a foreign table.', "                                        \
	"'Expose an ordinary table with a copy of the rows.'), "                                 \
	"(3, c.relkind = 'v', 'It is a view.', 'Expose the tables that it reads.'), "            \
	"(4, c.relkind = 'm', 'It is a materialized view.', "                                    \
	"'Expose the tables that it reads.'), "                                                  \
	"(5, c.relkind <> 'r', 'It is no table.', 'Expose an ordinary table.'), "                \
	"(6, c.relispartition, format('It is a partition of table %s.', p.parent), "             \
	"format('Take it out by ALTER TABLE %s DETACH PARTITION %s.', p.parent, "                \
	"c.oid::regclass)), "                                                                    \
	"(7, c.relpersistence = 't', 'It is a temporary table.', 'Expose a permanent table.'), " \
	"(8, c.relpersistence = 'u', 'It is an unlogged table, which is empty after a crash.', " \
	"format('Make it permanent by ALTER TABLE %s SET LOGGED.', c.oid::regclass)), "          \
	"(9, c.relam <> 2, format('It is stored by access method \"%s\".', "                     \
	"(SELECT m.amname FROM pg_catalog.pg_am m WHERE m.oid = c.relam)), "                     \
	"'Expose a table with access method \"heap\".'), "                                       \
	"(10, p.parent IS NOT NULL, format('It inherits from table %s.', p.parent), "            \
	"format('End that by ALTER TABLE %s NO INHERIT %s.', c.oid::regclass, p.parent)), "      \
	"(11, k.child IS NOT NULL, format('Table %s inherits from it.', k.child), "              \
	"format('End that by ALTER TABLE %s NO INHERIT %s.', k.child, c.oid::regclass)), "       \
	"(12, v.attname IS NOT NULL, "                                                           \
	"format('Column \"%s\" is generated when it is read, so no row has its value.', "        \
	"v.attname), 'Add it anew as GENERATED ALWAYS AS (...) STORED.')"                        \
	") f(n, is_found, reason, remedy) WHERE c.oid = $1 AND f.is_found ORDER BY f.n LIMIT 1"

static const char *const statements[READINGS] = {
	[READING_RESOURCE] =
		"SELECT r.*, r.relation::oid AS relid, r.shown::text AS shown_text "
		"FROM catalogue.resource r WHERE r.resource = $2 OR $2 IS NULL AND r.relation = $1",
	[READING_FAULT] = FAULT,
	[READING_FIELDS] = FIELDS,
	[READING_RELATIONS] = RELATIONS,
	[READING_DEPENDENTS] = DEPENDENTS,
	[READING_DEFINED_FIELDS] =
		"SELECT f.*, r.conditions ->> f.column_name AS condition FROM (" FIELDS
		") f, catalogue.resource r WHERE r.relation = $1",
	[READING_DEFINED_RELATIONS] = "SELECT l.*, l.relation = ANY (r.at_least_one) AS required, "
								  "r.conditions ->> l.relation AS condition FROM (" RELATIONS
								  ") l, catalogue.resource r WHERE r.relation = $1",
};

/* Planned once in a backend: the statements of cat_statement_run() look up resources. */
static SPIPlanPtr plans[READINGS];

void
cat_registry_read(Reading reading, Oid relid, const char *name)
{
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(relid), name ? CStringGetTextDatum(name) : (Datum) 0};
	const char nulls[] = {' ', name ? ' ' : 'n', '\0'};
	MemoryContext old = CurrentMemoryContext; /* SPI sets its own */

	if (!plans[reading])
	{
		SPIPlanPtr plan = SPI_prepare_cursor(statements[reading], lengthof(types), types,
											 CURSOR_OPT_GENERIC_PLAN);

		if (!plan || SPI_keepplan(plan) != 0)
			elog(ERROR, "could not prepare the reading of a definition");
		plans[reading] = plan;
	}
	if (SPI_execute_plan(plans[reading], values, nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read a definition");
	MemoryContextSwitchTo(old);
}

/* Run a reading of a table for a function of SQL; the definition is the newest one, even if the caller's
 * snapshot is older. */
static void
read_table(Reading reading, Oid relid)
{
	cat_security_context_take();
	SPI_connect();
	PushActiveSnapshot(GetLatestSnapshot());
	cat_registry_read(reading, relid, NULL);
	PopActiveSnapshot();
}

static void
end_reading(void)
{
	SPI_finish();
	cat_security_context_return();
}

/* Return what a reading finds as rows. */
static Datum
give_rows(FunctionCallInfo fcinfo, Reading reading)
{
	const ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	read_table(reading, PG_GETARG_OID(0));
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
	end_reading();
	return (Datum) 0;
}

CAT_FUNCTION(catalogue_fields_of)
{
	return give_rows(fcinfo, READING_FIELDS);
}

CAT_FUNCTION(catalogue_relations_of)
{
	return give_rows(fcinfo, READING_RELATIONS);
}

CAT_FUNCTION(catalogue_dependents_of)
{
	return give_rows(fcinfo, READING_DEPENDENTS);
}

/* Return the fault of a table as a row; null if there is no such table or no fault. */
CAT_FUNCTION(catalogue_table_fault)
{
	HeapTupleHeader fault = NULL;

	read_table(READING_FAULT, PG_GETARG_OID(0));
	if (SPI_processed > 0)
		fault = SPI_returntuple(SPI_tuptable->vals[0], SPI_tuptable->tupdesc);
	end_reading();
	if (!fault)
		PG_RETURN_NULL();
	PG_RETURN_HEAPTUPLEHEADER(fault);
}
