/*
 * registry_load.c
 *	  Definition of a resource, from catalogue.resource and its table; why a table cannot be one.
 */
#include "catalogue.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "funcapi.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "registry/registry.h"
#include "registry/registry_internal.h"

/*
 * ---- Reasons why a table cannot be a resource or a join table ----
 *
 * Records are read through the indexes of a single table whose rows have a transaction ID and a
 * TID.
 */

#define ATTRIBUTE_VIRTUAL 'v' /* value of pg_attribute.attgenerated from PostgreSQL 18 on */

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
static TableFault
table_fault(Relation table)
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
CAT_FUNCTION(catalogue_table_fault)
{
	Relation table = try_relation_open(PG_GETARG_OID(ARG_TABLE_FAULT_RELATION), AccessShareLock);
	TupleDesc desc;
	TableFault fault;
	Datum values[2] = {0};
	bool nulls[2] = {true, true};

	if (!table)
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	fault = table_fault(table);
	relation_close(table, AccessShareLock);
	if (fault.reason)
	{
		values[0] = CStringGetTextDatum(fault.reason);
		values[1] = CStringGetTextDatum(fault.remedy);
		memset(nulls, false, sizeof(nulls));
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/*
 * All rows, since the visibility of other resources affects keys and relations.  Columns of the
 * result are read by name.
 */
static const char resources_sql[] =
	"SELECT *, relation::oid AS relid, shown -> 'outsiders' = 'false' AS private "
	"FROM catalogue.resource";

/* Return the number of a column of the result. */
static int
number_of(const char *column)
{
	int number = SPI_fnumber(SPI_tuptable->tupdesc, column);

	if (number <= 0)
		elog(ERROR, "no column \"%s\" is read of a resource", column);
	return number;
}

/* Return a column of a result row as text, palloc'd; NULL for null. */
static char *
text_at(uint64 row, const char *column)
{
	return cat_result_text_at(row, number_of(column));
}

static Datum
datum_at(uint64 row, const char *column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, number_of(column), isnull);
}

/* Return a column of type jsonb, detoasted and with a full header. */
static Datum
object_at(uint64 row, const char *column)
{
	bool isnull;

	return JsonbPGetDatum(DatumGetJsonbP(datum_at(row, column, &isnull)));
}

static bool
bool_at(uint64 row, const char *column)
{
	bool isnull;
	Datum value = datum_at(row, column, &isnull);

	return !isnull && DatumGetBool(value);
}

static Oid
oid_at(uint64 row, const char *column)
{
	bool isnull;

	return DatumGetObjectId(datum_at(row, column, &isnull));
}

/* Return a column of type text[] as a List of char *. */
static List *
list_at(uint64 row, const char *column)
{
	bool isnull;
	Datum value = datum_at(row, column, &isnull);

	return isnull ? NIL : cat_text_array_list(value);
}

/* Like list_at(); NIL of a column that a database which has not been updated yet lacks. */
static List *
newer_list_at(uint64 row, const char *column)
{
	return SPI_fnumber(SPI_tuptable->tupdesc, column) > 0 ? list_at(row, column) : NIL;
}

/* Return the text of a member of a jsonb object, or NULL. */
char *
cat_registry_load_text(Datum object, const char *name)
{
	Datum value;
	JsonbValue key = {.type = jbvString,
					  .val.string = {(int) strlen(name), unconstify(char *, name)}};

	if (!findJsonbValueFromContainer(&DatumGetJsonbP(object)->root, JB_FOBJECT, &key))
		return NULL;
	value = DirectFunctionCall2(jsonb_object_field_text, object, CStringGetTextDatum(name));
	return TextDatumGetCString(value);
}

/* Return a JSON member's name with a comma before and a colon after it; *length is its length. */
char *
cat_registry_load_member(const char *name, int *length)
{
	char *member = psprintf(",%s:", cat_json_quoted(name));

	*length = (int) strlen(member);
	return member;
}

/*
 * Return the actions of a resource.
 *
 * others: the resource's own actions, all of which change records.
 */
static List *
all_actions(bool read_only, List *others)
{
	List *actions = list_make4("list", "item", "first", "last");

	actions = list_concat(actions, list_make3("count", "usage", "logs"));
	if (read_only)
		return actions;
	actions = list_concat(actions, list_make4("create", "update", "delete", "restore"));
	return list_concat(actions, others);
}

/* Set the resource unfit if its table no longer has the columns that every resource needs. */
static void
check_shape(Resource *resource)
{
	static const char *const times[] = {"created_at", "updated_at", "deleted_at"};
	Field *id = cat_registry_column(resource, "id");
	bool fits = id && (id->base_oid == VARCHAROID || id->base_oid == TEXTOID);

	for (size_t i = 0; i < lengthof(times) && fits; i++)
	{
		Field *time = cat_registry_column(resource, times[i]);

		fits = time && time->type_oid == TIMESTAMPTZOID;
	}
	if (fits)
		return;
	resource->unfit = "It lacks a column that every resource has, or has it with another type.";
	resource->remedy = "Give it back its columns id, created_at, updated_at and deleted_at, or "
					   "call catalogue.hide().";
}

/* Return the date whose years a facet's name counts by; NULL if it counts by no years. */
static const Field *
date_of_years(Resource *resource, const char *name)
{
	static const char ending[] = ".year";
	int length = (int) (strlen(name) - strlen(ending));
	const Field *field;

	if (length <= 0 || strcmp(name + length, ending) != 0)
		return NULL;
	field = cat_registry_field(resource, pnstrdup(name, length));
	return field && (field->kind == FIELD_DATE || field->kind == FIELD_DATETIME) ? field : NULL;
}

/* Return whether the numbers of a field's values can be kept. */
static bool
is_countable(const Field *field)
{
	return field && (cat_registry_field_is_short(field) || field->kind == FIELD_ID ||
					 field->kind == FIELD_ENUM || field->kind == FIELD_BOOLEAN ||
					 field->kind == FIELD_INTEGER);
}

/* Set the facets whose numbers are kept: those of the names that there are columns for. */
static void
load_counted(Resource *resource, List *names)
{
	foreach_ptr(char, name, names)
	{
		CatRelation *relation = cat_registry_relation(resource, name);
		CountedFacet counted = {.name = pstrdup(name), .field = date_of_years(resource, name)};

		counted.by_year = counted.field != NULL;
		if (relation && strcmp(relation->name, name) == 0)
		{
			counted.relation = relation;
			counted.field = relation->kind == RELATION_TO_ONE ? relation->key : relation->list;
		}
		else if (!counted.field && is_countable(cat_registry_field(resource, name)))
			counted.field = cat_registry_field(resource, name);
		if (counted.field)
			resource->counted = lappend(resource->counted,
										memcpy(palloc(sizeof(counted)), &counted, sizeof(counted)));
	}
}

/*
 * Return whether catalogue.update_order has the resource's records (catalogue.update_order_of()).  A
 * database that has not been updated yet lacks the table.
 */
static bool
has_update_order(const Resource *resource, List *ordered)
{
	return cat_query_string_has_word(ordered, "updated_at") &&
		   TupleDescAttr(resource->desc, resource->id - 1)->attcollation == C_COLLATION_OID &&
		   OidIsValid(get_relname_relid("update_order", get_namespace_oid("catalogue", false)));
}

/* Read relations, dependents, indexes, history and visibility of a fit table. */
static void
load_table(Resource *resource, const Definition *definition)
{
	cat_registry_relations_load(resource, definition);
	cat_visibility_load_closed(resource, definition->closed);
	load_counted(resource, definition->counted);
	cat_registry_relations_load_dependents(resource, definition);
	cat_registry_index_load(resource);
	cat_registry_fields_mark_composed(resource);
	resource->signature = cat_registry_signature(resource, definition->shown_text);
	cat_registry_index_load_history(resource);
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].domain && strcmp(resource->fields[i].domain, "birth") == 0)
			resource->change = &resource->fields[i];
	cat_visibility_load(resource, definition->shown);
	cat_registry_index_load_shortcuts(resource);
	resource->update_order = has_update_order(resource, definition->ordered);
}

/*
 * Read the columns of the resource's table and whether it is fit; false if the table does not
 * exist.
 */
static bool
load_columns(Resource *resource)
{
	Relation table = try_relation_open(resource->relid, AccessShareLock);
	TableFault fault;

	if (!table)
		return false;
	fault = table_fault(table);
	resource->unfit = fault.reason;
	resource->remedy = fault.remedy;
	resource->table = cat_registry_fields_table_name(resource->relid);
	resource->storage = table->rd_rel->relfilenode;
	/* with constraints, for the missing values of columns that were added later */
	resource->desc = CreateTupleDescCopyConstr(RelationGetDescr(table));
	relation_close(table, AccessShareLock);
	return true;
}

/* Return a new resource with the columns of a row of resources_sql. */
static Resource *
take_row(uint64 row, MemoryContext context)
{
	Resource *resource = palloc0(sizeof(Resource));

	resource->context = context;
	resource->name = text_at(row, "resource");
	resource->relid = oid_at(row, "relid");
	resource->model = text_at(row, "model");
	resource->read_only = bool_at(row, "read_only");
	resource->logged = bool_at(row, "logged");
	resource->newest_first = bool_at(row, "newest_first");
	resource->guarded = bool_at(row, "guarded");
	resource->actions = all_actions(resource->read_only, list_at(row, "actions"));
	resource->kept = list_at(row, "kept");
	return resource;
}

/* Return the columns of a row that are needed during loading only. */
static Definition
definition_of(uint64 row, List *exposed)
{
	return (Definition){.exposed = exposed,
						.keys = cat_registry_relations_read_keys(),
						.at_least_one = list_at(row, "at_least_one"),
						.fixed = list_at(row, "fixed"),
						.searchable = list_at(row, "searchable"),
						.reserved = list_at(row, "reserved"),
						.closed = newer_list_at(row, "closed"),
						.counted = newer_list_at(row, "counted"),
						.ordered = newer_list_at(row, "ordered"),
						.unless = object_at(row, "unless"),
						.limits = object_at(row, "limits"),
						.conditions = object_at(row, "conditions"),
						.shown = object_at(row, "shown"),
						.shown_text = text_at(row, "shown")};
}

/* Read the resource of a row; NULL if its table does not exist. */
static Resource *
load_row(uint64 row, const Definition *definition, MemoryContext context)
{
	Resource *resource = take_row(row, context);

	if (!load_columns(resource))
		return NULL;
	cat_registry_fields_load(resource, definition);
	if (!resource->unfit)
		check_shape(resource);
	if (!resource->unfit)
		load_table(resource, definition);
	return resource;
}

/*
 * Return the exposed tables from all rows: List of Exposed *.
 *
 * found: set to the number of the row with that name or table, -1 if there is none.
 */
static List *
exposed_tables(const char *name, Oid relid, int64 *found)
{
	List *tables = NIL;

	*found = -1;
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		Exposed *table = palloc(sizeof(Exposed));

		*table =
			(Exposed){oid_at(row, "relid"), text_at(row, "resource"), bool_at(row, "private"), 0};
		if (cat_query_string_has_word(newer_list_at(row, "closed"), CAT_CLOSED_RECORDS))
			table->closed = cat_visibility_right(table->name, REACH_ALL) |
							cat_visibility_right(table->name, REACH_OWN) |
							cat_visibility_right(table->name, REACH_NEAR);
		tables = lappend(tables, table);
		if (name ? strcmp(table->name, name) == 0 : table->relid == relid)
			*found = (int64) row;
	}
	return tables;
}

/* Like cat_registry_load(), inside an SPI connection and into a context below its own. */
static Resource *
load(const char *name, Oid relid)
{
	MemoryContext context, old;
	Definition definition;
	Resource *resource;
	int64 row;
	List *exposed;

	SPI_execute(resources_sql, true, 0);
	exposed = exposed_tables(name, relid, &row);
	if (row < 0)
		return NULL;
	definition = definition_of(row, exposed);
	context =
		AllocSetContextCreate(CurrentMemoryContext, "catalogue resource", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	resource = load_row(row, &definition, context);
	MemoryContextSwitchTo(old);
	return resource;
}

/*
 * Read the resource of that name (or, if NULL, of that table) into a memory context of its own
 * under parent.
 *
 * Returns NULL if the table is not exposed.  The definition is the newest one, like the relcache's,
 * even if the caller's snapshot is older.  A resource whose table is unfit has only its fields and
 * the reason.
 */
Resource *
cat_registry_load(const char *name, Oid relid, MemoryContext parent)
{
	Resource *resource;

	cat_security_context_take();
	SPI_connect();
	PushActiveSnapshot(GetLatestSnapshot());
	resource = load(name, relid);
	if (resource)
		MemoryContextSetParent(resource->context, parent);
	PopActiveSnapshot();
	SPI_finish();
	cat_security_context_return();
	return resource;
}
