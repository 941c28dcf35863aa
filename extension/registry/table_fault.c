/*
 * table_fault.c
 *	  Reasons why a table cannot be a resource or a join table.
 *
 * Records are read through the indexes of a single table whose rows have a transaction ID and a
 * TID.
 */
#include "catalogue.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "registry/registry_internal.h"

#define ATTRIBUTE_VIRTUAL 'v' /* value of pg_attribute.attgenerated from PostgreSQL 18 on */

PG_FUNCTION_INFO_V1(catalogue_table_fault);

/* Kinds of relations that are not ordinary tables. */
static const struct
{
	char kind;
	TableFault fault;
} kinds[] = {
	{RELKIND_PARTITIONED_TABLE,
	 {"It is a partitioned table.", "Expose an ordinary table with the same rows."}},
	{RELKIND_FOREIGN_TABLE,
	 {"It is a foreign table.", "Expose an ordinary table with a copy of the rows."}},
	{RELKIND_VIEW, {"It is a view.", "Expose the tables that it reads."}},
	{RELKIND_MATVIEW, {"It is a materialized view.", "Expose the tables that it reads."}},
};

static const TableFault none;

/* Return the name of a relation as type regclass displays it, palloc'd. */
static char *
shown_name(Oid relid)
{
	return DatumGetCString(DirectFunctionCall1(regclassout, ObjectIdGetDatum(relid)));
}

static TableFault
fault_of_kind(char kind)
{
	if (kind == RELKIND_RELATION)
		return none;
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].fault;
	return (TableFault){"It is no table.", "Expose an ordinary table."};
}

/* Return a table that this one is a partition of or inherits from, or InvalidOid. */
static Oid
parent_of(Oid relid)
{
	Relation inherits = table_open(InheritsRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	Oid parent = InvalidOid;

	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		parent = ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent;
	systable_endscan(scan);
	table_close(inherits, AccessShareLock);
	return parent;
}

/* Return the fault in a table's storage. */
static TableFault
fault_of_storage(Relation table)
{
	Form_pg_class form = table->rd_rel;

	if (form->relpersistence == RELPERSISTENCE_TEMP)
		return (TableFault){"It is a temporary table.", "Expose a permanent table."};
	if (form->relpersistence == RELPERSISTENCE_UNLOGGED)
		return (TableFault){"It is an unlogged table, which is empty after a crash.",
							psprintf("Make it permanent by ALTER TABLE %s SET LOGGED.",
									 shown_name(RelationGetRelid(table)))};
	if (form->relam != HEAP_TABLE_AM_OID)
		return (TableFault){
			psprintf("It is stored by access method \"%s\".", get_am_name(form->relam)),
			"Expose a table with access method \"heap\"."};
	return none;
}

/* Return the fault that a table is a partition or inherits from a parent. */
static TableFault
fault_of_parent(Relation table, Oid parent)
{
	const char *name = shown_name(RelationGetRelid(table));
	const char *above = shown_name(parent);

	if (table->rd_rel->relispartition)
		return (TableFault){
			psprintf("It is a partition of table %s.", above),
			psprintf("Take it out by ALTER TABLE %s DETACH PARTITION %s.", above, name)};
	return (TableFault){psprintf("It inherits from table %s.", above),
						psprintf("End that by ALTER TABLE %s NO INHERIT %s.", name, above)};
}

static TableFault
fault_of_child(Relation table, Oid child)
{
	const char *name = shown_name(RelationGetRelid(table));
	const char *below = shown_name(child);

	return (TableFault){psprintf("Table %s inherits from it.", below),
						psprintf("End that by ALTER TABLE %s NO INHERIT %s.", below, name)};
}

static TableFault
fault_of_columns(TupleDesc desc)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (!column->attisdropped && column->attgenerated == ATTRIBUTE_VIRTUAL)
			return (TableFault){
				psprintf("Column \"%s\" is generated when it is read, so no row has its value.",
						 NameStr(column->attname)),
				"Add it anew as GENERATED ALWAYS AS (...) STORED."};
	}
	return none;
}

/*
 * Return the first reason why an open table cannot be a resource or a join table; both members are
 * NULL if it can.
 */
TableFault
cat_table_fault(Relation table)
{
	Oid parent = parent_of(RelationGetRelid(table));
	List *children = find_inheritance_children(RelationGetRelid(table), NoLock);
	TableFault fault = fault_of_kind(table->rd_rel->relkind);

	if (!fault.reason && table->rd_rel->relispartition && OidIsValid(parent))
		fault = fault_of_parent(table, parent);
	if (!fault.reason)
		fault = fault_of_storage(table);
	if (!fault.reason && OidIsValid(parent))
		fault = fault_of_parent(table, parent);
	if (!fault.reason && children != NIL)
		fault = fault_of_child(table, linitial_oid(children));
	return fault.reason ? fault : fault_of_columns(RelationGetDescr(table));
}

/* Return the fault of a table as a row; null if there is no such table or no fault. */
Datum
catalogue_table_fault(PG_FUNCTION_ARGS)
{
	Relation table = try_relation_open(PG_GETARG_OID(0), AccessShareLock);
	TupleDesc desc;
	TableFault fault;
	Datum values[2] = {0};
	bool nulls[2] = {true, true};

	if (!table)
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	fault = cat_table_fault(table);
	relation_close(table, AccessShareLock);
	if (fault.reason)
	{
		values[0] = CStringGetTextDatum(fault.reason);
		values[1] = CStringGetTextDatum(fault.remedy);
		memset(nulls, false, sizeof(nulls));
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
