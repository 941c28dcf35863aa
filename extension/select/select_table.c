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

#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "parser/scansup.h"
#include "utils/plancache.h"
#include "utils/queryenvironment.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "base/body.h"
#include "rows/contents/contents.h"
#include "select/select_internal.h"

/* Maximum number of columns of a row, as MaxTupleAttributeNumber. */
#define COLUMNS_MAX 1664

/* Make a table known to SPI, until the end of the call. */
static void
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
}

/* Execute a statement, and add its result as a table. */
static Tuplestorestate *
add_result(const char *name, const char *sql)
{
	SPIExecuteOptions options = {.read_only = true};
	SPIPlanPtr plan = SPI_prepare(sql, 0, NULL);
	/* nodes of a plan may read it again from the beginning, each for itself */
	Tuplestorestate *store = tuplestore_begin_heap(true, false, work_mem);
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

/* Return the type of a column of records: one that client statements may use, else text. */
static const char *
type_of(const Field *field)
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
	return type;
}

/* Add the records of a resource, with the columns that the caller sees. */
static Tuplestorestate *
add_resource(const char *name, Resource *resource, const SelectNames *names, const Actor *actor)
{
	SqlBuilder query;
	StringInfo conditions = makeStringInfo();
	const char *separator = "";

	cat_consumer_require(actor, resource->name);
	cat_visibility_require(resource, actor->access);
	cat_sql_builder_begin(&query, actor->access, 0);
	appendStringInfoString(&query.sql, "SELECT ");
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];
		const char *type = type_of(field);
		const char *value = psprintf("t.%s::pg_catalog.%s", field->quoted, type);

		if (!cat_visibility_field(field, actor->access))
			continue;
		appendStringInfo(&query.sql, "%s%s AS %s", separator, value, field->quoted);
		separator = ", ";
		if (strcmp(type, "text") == 0 || strcmp(type, "varchar") == 0)
			cat_select_condition_write(conditions, names, name, field->quoted, value);
	}
	appendStringInfo(&query.sql, " FROM %s t WHERE ", resource->table);
	cat_sql_builder_living(&query, resource, "t");
	appendStringInfoString(&query.sql, conditions->data);
	return add_result(name, query.sql.data);
}

/* Append the conditions on a column of a many-to-many relation. */
static void
write_key(StringInfo sql, const SelectNames *names, const char *table, const char *key)
{
	cat_select_condition_write(sql, names, table, key, psprintf("j.%s::pg_catalog.text", key));
}

/* Add the pairs of ids of a many-to-many relation both of both of whose records the caller sees. */
static Tuplestorestate *
add_relation(const char *name, Resource *resource, const CatRelation *relation,
			 const SelectNames *names, const Actor *actor)
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
	write_key(&query.sql, names, name, relation->near);
	write_key(&query.sql, names, name, relation->far);
	return add_result(name, query.sql.data);
}

/* Add the table of a many-to-many relation, <resource>_<relation>; NULL if the name is none. */
static Tuplestorestate *
find_relation(const char *name, const SelectNames *names, const Actor *actor)
{
	for (const char *c = strchr(name, '_'); c; c = strchr(c + 1, '_'))
	{
		Resource *resource = cat_registry_find(pnstrdup(name, c - name));
		CatRelation *relation = resource ? cat_registry_relation(resource, c + 1) : NULL;

		if (!relation || relation->kind != RELATION_MANY_TO_MANY ||
			!cat_visibility_relation(relation, actor->access))
			continue;
		return add_relation(name, resource, relation, names, actor);
	}
	return NULL;
}

/* SQL of a cell by the type of its column; %s: scan, row and column. */
static const char *const cell_sql[] = {
	[CELL_TEXT] = "catalogue.cell_text(%s)",
	[CELL_INTEGER] = "catalogue.cell_number(%s)",
	[CELL_DECIMAL] = "catalogue.cell_number(%s)",
	[CELL_BOOLEAN] = "catalogue.cell_key(%s) = '1'",
	[CELL_DATE] = "(catalogue.cell_time(%s) AT TIME ZONE 'UTC')::pg_catalog.date",
	[CELL_DATETIME] = "catalogue.cell_time(%s)",
	[CELL_MONTH] = "(catalogue.cell_time(%s) AT TIME ZONE 'UTC')::pg_catalog.date",
	[CELL_QUARTER] = "(catalogue.cell_time(%s) AT TIME ZONE 'UTC')::pg_catalog.date",
};

char *
cat_select_table_identifier(const char *name)
{
	char *identifier = pstrdup(name);

	truncate_identifier(identifier, (int) strlen(identifier), false);
	return identifier;
}

/* Whether a column has the geometries that the reader of a geographic file has found. */
static bool
is_geometry(const Sheet *sheet, int column)
{
	return sheet->places[GEOMETRY] &&
		   strcmp(sheet->columns[column].name, sheet->places[GEOMETRY]) == 0;
}

/* Append the cell of a geometry.  A statement that computes with geometries does not pass over one that is too long,
 * or that the reader has left out: its text is none of a geometry. */
static void
write_geometry(StringInfo sql, const Sheet *sheet, const char *cell)
{
	appendStringInfo(
		sql,
		"CASE WHEN r.n = ANY (ARRAY(SELECT i.line FROM catalogue.sheet_issue i WHERE i.sheet "
		"= " INT64_FORMAT
		" AND i.reason LIKE 'the geometry is longer than %%, and is left out%%')) "
		"THEN 'longer than 1 MiB' ELSE catalogue.cell_wkt(%s) END",
		sheet->id, cell);
}

/* Add the rows of a sheet that meet the statement's conditions; columns that it does not name are null.  What is to be
 * told of them is added to the notes. */
static Tuplestorestate *
add_sheet(const char *name, SheetQuery *asked, SelectNames *names)
{
	const Sheet *sheet = asked->sheet;
	ChunkScan *rows = cat_sheet_scan_known(sheet);
	int64 scan = rows->number;
	StringInfo sql = makeStringInfo();

	cat_select_condition_filter(asked, names, name);
	cat_sheet_filter_begin(rows, asked);

	appendStringInfoString(sql, "SELECT r.n AS " CAT_SELECT_ROW_ID);
	for (int i = 0; i < sheet->ncolumns; i++)
	{
		char *column = cat_select_table_identifier(sheet->columns[i].name);
		bool needed = names->every_column || cat_query_string_has_word(names->columns, column);
		const char *cell = psprintf(INT64_FORMAT ", r.n, %d", scan, i);

		if (needed && is_geometry(sheet, i))
			names->notes = list_concat(names->notes, cat_sheet_query_lost(asked));
		appendStringInfoString(sql, needed ? ", " : ", CASE WHEN false THEN ");
		if (needed && names->geometries && is_geometry(sheet, i))
			write_geometry(sql, sheet, cell);
		else
			appendStringInfo(sql, cell_sql[sheet->columns[i].kind], cell);
		appendStringInfo(sql, "%s AS %s", needed ? "" : " END", quote_identifier(column));
	}
	appendStringInfo(sql, " FROM (SELECT catalogue.%s AS n) r",
					 psprintf(cat_sheet_query_filters(asked) ? "cell_rows_kept(" INT64_FORMAT
															   ", 1, -1)"
															 : "cell_rows(" INT64_FORMAT ", 1)",
							  scan));
	return add_result(name, sql->data);
}

/* Return whether a name stands for a file that the caller sees; its id is set. */
static bool
find_file(const char *word, const Actor *actor, const char **id)
{
	Resource *files = cat_registry_resource("files");

	cat_consumer_require(actor, files->name);
	cat_visibility_require(files, actor->access);
	*id = cat_record_named_id(files, word, actor->access);
	return cat_rows_exists(files, *id, actor->access);
}

/* Add the rows of a file as a table; parameters: what follows a question mark in its name.  NULL, and
 * a fault, if it cannot be one. */
static Tuplestorestate *
add_file(const char *name, const char *file, const char *parameters, SelectNames *names,
		 const Actor *actor, List **faults)
{
	SheetQuery *sheet_query = cat_sheet_query_read(parameters, actor);
	Tuplestorestate *store = NULL;

	if (sheet_query->words != NIL || sheet_query->params->limited)
	{
		cat_validation_error_add(faults, "sql", "format", cat_validation_error_value(name),
								 "a table's name may be followed by sheet and version only");
		return NULL;
	}
	cat_read_version_acquire(sheet_query->params, list_make1(sheet_query->params->resource->name));
	cat_sheet_lookup_file(sheet_query, file);
	cat_sheet_lookup(sheet_query);
	if (sheet_query->sheet->ncolumns >= COLUMNS_MAX)
		cat_validation_error_add(faults, "sql", "max", cat_validation_error_value(name),
								 "the table has too many columns");
	else
		store = add_sheet(name, sheet_query, names);
	cat_read_version_release(sheet_query->params);
	return store;
}

/* Add the table that a name stands for; NULL, and a fault, if there is none. */
static Tuplestorestate *
add_named(const char *name, SelectNames *names, const Actor *actor, List **faults)
{
	Resource *resource = cat_registry_find(name);
	Tuplestorestate *store =
		resource ? add_resource(name, resource, names, actor) : find_relation(name, names, actor);
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
cat_select_table_all(SelectNames *names, const Actor *actor, List **faults)
{
	List *stores = NIL;

	foreach_ptr(char, table, names->tables)
		stores = lappend(stores, add_named(table, names, actor, faults));
	return stores;
}

void
cat_select_table_end(List *stores)
{
	ListCell *cell;

	foreach(cell, stores)
		tuplestore_end(lfirst(cell));
}
