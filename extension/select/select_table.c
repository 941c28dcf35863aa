/*
 * select_table.c
 *	  Tables of a client's statement: the records of a resource, its many-to-many relations, and the
 *	  rows of a file.
 *
 * Each table that the statement names is read once, as the caller sees it, into a tuplestore that SPI
 * knows by the table's name, like a transition table of a trigger.  So the statement itself needs no
 * privilege on anything of the database.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/queryenvironment.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "base/base.h"
#include "base/body.h"
#include "call/call.h"
#include "contents/contents.h"
#include "history/history.h"
#include "query/sql_builder.h"
#include "read/read.h"
#include "registry/registry.h"
#include "registry/rows.h"
#include "select/select_internal.h"
#include "sheets/sheets.h"

/* Maximum number of columns of a row, as MaxTupleAttributeNumber. */
#define COLUMNS_MAX 1664

#define ROW_ID "_id" /* name of the column with the number of a row */

/* A file of which a table is made, while it is read. */
typedef struct FileTable
{
	SheetQuery *sheet_query;
	const SelectNames *names;
	TupleDesc desc;
	bool *needed; /* by column of the sheet */
	Tuplestorestate *store;
} FileTable;

static Tuplestorestate *
begin_store(void)
{
	/* nodes of a plan may read it again from the beginning, each for itself */
	return tuplestore_begin_heap(true, false, work_mem);
}

/* Make a table known to SPI, until the end of the call; return its rows. */
static Tuplestorestate *
add_table(const char *name, TupleDesc desc, Tuplestorestate *store)
{
	EphemeralNamedRelation relation = palloc0(sizeof(EphemeralNamedRelationData));

	relation->md.name = pstrdup(name);
	relation->md.reliddesc = InvalidOid;
	relation->md.tupdesc = desc;
	relation->md.enrtype = ENR_NAMED_TUPLESTORE;
	relation->md.enrtuples = (double) tuplestore_tuple_count(store);
	relation->reldata = store;
	if (SPI_register_relation(relation) != SPI_OK_REL_REGISTER)
		elog(ERROR, "table \"%s\" of a statement cannot be registered", name);
	return store;
}

/* Execute a statement, and add its result as a table. */
static Tuplestorestate *
add_result(const char *name, const char *sql)
{
	SPIExecuteOptions options = {.read_only = true};
	SPIPlanPtr plan = SPI_prepare(sql, 0, NULL);
	Tuplestorestate *store = begin_store();
	CachedPlanSource *source;

	if (!plan)
		elog(ERROR, "table \"%s\" of a statement cannot be read: %s", name,
			 SPI_result_code_string(SPI_result));
	source = linitial(SPI_plan_get_plan_sources(plan));
	options.dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(options.dest, store, CurrentMemoryContext, true, NULL, NULL);
	if (SPI_execute_plan_extended(plan, &options) != SPI_OK_SELECT)
		elog(ERROR, "table \"%s\" of a statement is not the result of a SELECT", name);
	add_table(name, CreateTupleDescCopy(source->resultDesc), store);
	SPI_freeplan(plan);
	return store;
}

/* Append a column of a record t, as a type that client statements may use, else as text. */
static void
append_column(StringInfo sql, const Field *field)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(field->base_oid));
	const char *type = "text";

	if (HeapTupleIsValid(tuple))
	{
		const char *name = NameStr(((Form_pg_type) GETSTRUCT(tuple))->typname);

		if (cat_select_words_type(name))
			type = pstrdup(name);
		ReleaseSysCache(tuple);
	}
	appendStringInfo(sql, "t.%s::pg_catalog.%s AS %s", field->quoted, type, field->quoted);
}

/* Add the records of a resource, with the columns that the caller sees. */
static Tuplestorestate *
add_resource(const char *name, Resource *resource, const Actor *actor)
{
	SqlBuilder query;
	const char *separator = "";

	cat_consumer_require(actor, resource->name);
	cat_visibility_require(resource, actor->access);
	cat_sql_builder_begin(&query, actor->access, 0);
	appendStringInfoString(&query.sql, "SELECT ");
	for (int i = 0; i < resource->nfields; i++)
	{
		if (!bms_is_member(i, resource->shown[actor->access]))
			continue;
		appendStringInfoString(&query.sql, separator);
		append_column(&query.sql, &resource->fields[i]);
		separator = ", ";
	}
	appendStringInfo(&query.sql, " FROM %s t WHERE ", resource->table);
	cat_sql_builder_living(&query, resource, "t");
	return add_result(name, query.sql.data);
}

/* Add the pairs of ids of a many-to-many relation both of both of whose records the caller sees. */
static Tuplestorestate *
add_relation(const char *name, Resource *resource, const CatRelation *relation, const Actor *actor)
{
	Resource *target = cat_registry_resource(relation->target);
	SqlBuilder query;

	cat_consumer_require(actor, resource->name);
	cat_consumer_require(actor, target->name);
	cat_visibility_require(resource, actor->access);
	cat_sql_builder_begin(&query, actor->access, 0);
	appendStringInfo(&query.sql,
					 "SELECT j.%s::pg_catalog.text AS %s, j.%s::pg_catalog.text AS %s FROM %s j "
					 "JOIN %s t ON t.id = j.%s JOIN %s u ON u.id = j.%s "
					 "WHERE j.deleted_at IS NULL AND ",
					 relation->near, relation->near, relation->far, relation->far, relation->via,
					 resource->table, relation->near, target->table, relation->far);
	cat_sql_builder_living(&query, resource, "t");
	appendStringInfoString(&query.sql, " AND ");
	cat_sql_builder_living(&query, target, "u");
	return add_result(name, query.sql.data);
}

/* Add the table of a many-to-many relation, <resource>_<relation>; NULL if the name is none. */
static Tuplestorestate *
find_relation(const char *name, const Actor *actor)
{
	for (const char *c = strchr(name, '_'); c; c = strchr(c + 1, '_'))
	{
		Resource *resource = cat_registry_find(pnstrdup(name, c - name));
		CatRelation *relation = resource ? cat_registry_relation(resource, c + 1) : NULL;

		if (!relation || relation->kind != RELATION_MANY_TO_MANY ||
			!cat_visibility_relation(relation, actor->access))
			continue;
		return add_relation(name, resource, relation, actor);
	}
	return NULL;
}

static Oid
type_of(const SheetColumn *column)
{
	switch (column->kind)
	{
		case CELL_INTEGER:
		case CELL_DECIMAL:
			return NUMERICOID;
		case CELL_BOOLEAN:
			return BOOLOID;
		case CELL_DATE:
			return DATEOID;
		case CELL_DATETIME:
			return TIMESTAMPTZOID;
		case CELL_TEXT:
			break;
	}
	return TEXTOID;
}

/* The name of a column as an identifier in the text of a statement is read. */
static char *
identifier_of(const char *name)
{
	char *identifier = pstrdup(name);

	truncate_identifier(identifier, (int) strlen(identifier), false);
	return identifier;
}

/* Set the columns of a file's table, and which of them the statement names. */
static void
set_columns(FileTable *table)
{
	const Sheet *sheet = table->sheet_query->sheet;

	table->needed = palloc0(sizeof(bool) * (sheet->ncolumns + 1));
	table->desc = CreateTemplateTupleDesc(sheet->ncolumns + 1);
	TupleDescInitEntry(table->desc, 1, ROW_ID, INT8OID, -1, 0);
	for (int i = 0; i < sheet->ncolumns; i++)
	{
		char *name = identifier_of(sheet->columns[i].name);

		TupleDescInitEntry(table->desc, (AttrNumber) (i + 2), name, type_of(&sheet->columns[i]), -1,
						   0);
		table->needed[i] =
			table->names->every_column || cat_query_string_has_word(table->names->columns, name);
	}
}

/* Return a cell; *isnull: there is none, or it is not a value of its column's type. */
static Datum
value_of(const SheetColumn *column, const Cells *cells, int row, bool *isnull)
{
	const char *text = cells_text(cells, row);
	int length = cells_length(cells, row);
	CellValue value;

	*isnull = cells->absent[row];
	if (*isnull)
		return (Datum) 0;
	if (column->kind == CELL_TEXT)
		return PointerGetDatum(cstring_to_text_with_len(text, length));
	*isnull = !cat_cell_value(column, text, length, &value);
	if (*isnull)
		return (Datum) 0;
	switch (column->kind)
	{
		case CELL_BOOLEAN:
			return BoolGetDatum(value.number.value != 0);
		case CELL_DATE:
			return DirectFunctionCall1(timestamp_date, TimestampGetDatum(value.instant));
		case CELL_DATETIME:
			return TimestampTzGetDatum(value.instant);
		default:
			return cat_cell_numeric(&value.number);
	}
}

static void
add_row(FileTable *table, ChunkScan *scan, int row)
{
	const Sheet *sheet = table->sheet_query->sheet;
	Datum *values = palloc0(sizeof(Datum) * (sheet->ncolumns + 1));
	bool *nulls = palloc(sizeof(bool) * (sheet->ncolumns + 1));

	values[0] = Int64GetDatum(scan->chunk.first + row);
	nulls[0] = false;
	for (int i = 0; i < sheet->ncolumns; i++)
	{
		nulls[i + 1] = true;
		if (table->needed[i])
			values[i + 1] =
				value_of(&sheet->columns[i], cat_sheet_scan_cells(scan, i), row, &nulls[i + 1]);
	}
	tuplestore_putvalues(table->store, table->desc, values, nulls);
}

/* Read the rows of a sheet into the table. */
static void
read_rows(FileTable *table)
{
	MemoryContext scratch =
		AllocSetContextCreate(CurrentMemoryContext, "row of a table", ALLOCSET_DEFAULT_SIZES);
	ChunkScan scan;

	cat_sheet_scan_open(&scan, table->sheet_query->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		for (int row = 0; row < scan.chunk.rows; row++)
		{
			MemoryContext old;

			/* cells are decoded in the memory of the scan */
			CHECK_FOR_INTERRUPTS();
			old = MemoryContextSwitchTo(scratch);
			add_row(table, &scan, row);
			MemoryContextSwitchTo(old);
			MemoryContextReset(scratch);
		}
	cat_sheet_scan_close(&scan);
	MemoryContextDelete(scratch);
}

/* Return whether a name stands for a file that the caller sees; its id is set. */
static bool
find_file(const char *word, const Actor *actor, const char **id)
{
	Resource *files = cat_registry_resource("files");

	cat_consumer_require(actor, files->name);
	cat_visibility_require(files, actor->access);
	*id = cat_named_id(files, word, actor->access);
	return cat_rows_exists(files, *id, actor->access);
}

/* Add the rows of a file as a table; parameters: what follows a question mark in its name.  NULL, and
 * a fault, if it cannot be one. */
static Tuplestorestate *
add_file(const char *name, const char *file, const char *parameters, const SelectNames *names,
		 const Actor *actor, List **faults)
{
	FileTable table = {cat_sheet_query_read(parameters, actor), names, NULL, NULL, NULL};
	SheetQuery *sheet_query = table.sheet_query;

	if (sheet_query->words != NIL || sheet_query->limited)
	{
		cat_validation_error_add(faults, "sql", "format", cat_validation_error_value(name),
								 "a table's name may be followed by sheet and version only");
		return NULL;
	}
	cat_read_version_settle(sheet_query->params, list_make1(sheet_query->params->resource->name));
	cat_sheet_lookup_file(sheet_query, file);
	cat_sheet_lookup(sheet_query);
	if (sheet_query->sheet->ncolumns >= COLUMNS_MAX)
		cat_validation_error_add(faults, "sql", "max", cat_validation_error_value(name),
								 "the table has too many columns");
	else
	{
		set_columns(&table);
		table.store = begin_store();
		read_rows(&table);
		add_table(name, table.desc, table.store);
	}
	cat_read_version_release(sheet_query->params);
	return table.store;
}

/* Add the table that a name stands for; NULL, and a fault, if there is none. */
static Tuplestorestate *
add_named(const char *name, const SelectNames *names, const Actor *actor, List **faults)
{
	Resource *resource = cat_registry_find(name);
	Tuplestorestate *store =
		resource ? add_resource(name, resource, actor) : find_relation(name, actor);
	size_t length = strcspn(name, "?");
	const char *file;

	if (store)
		return store;
	if (find_file(pnstrdup(name, length), actor, &file))
		return add_file(name, file, name[length] ? name + length + 1 : "", names, actor, faults);
	cat_validation_error_add(faults, "sql", "reference", cat_validation_error_value(name),
							 psprintf("there is no table %s", quote_identifier(name)));
	return NULL;
}

List *
cat_select_table_all(const SelectNames *names, const Actor *actor, List **faults)
{
	List *stores = NIL;
	ListCell *cell;

	foreach(cell, names->tables)
		stores = lappend(stores, add_named(lfirst(cell), names, actor, faults));
	return stores;
}

void
cat_select_table_end(List *stores)
{
	ListCell *cell;

	foreach(cell, stores)
		tuplestore_end(lfirst(cell));
}
