/*
 * select_table.c
 *	  Tables of a client's statement: the records of a resource, its many-to-many relations, and the
 *	  rows of a file.
 *
 * A table has the columns and rows that the caller sees.  The statement itself needs no privilege on anything of the
 * database: select_scan.c reads them while it is executed.
 */
#include "catalogue.h"

#include "parser/scansup.h"
#include "utils/syscache.h"

#include "base/body.h"
#include "select/select_internal.h"

/* Maximum number of columns of a row, as MaxTupleAttributeNumber. */
#define COLUMNS_MAX 1664

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
static void
add_resource(const char *name, Resource *resource, SelectNames *names, const Actor *actor)
{
	SqlBuilder query;
	const char *separator = "";

	cat_consumer_require(actor, resource->name);
	cat_visibility_require(resource, actor->access);
	cat_sql_builder_begin(&query, actor->access, 0);
	appendStringInfoString(&query.sql, "SELECT ");
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (!cat_visibility_field(field, actor->access))
			continue;
		appendStringInfo(&query.sql, "%st.%s::pg_catalog.%s AS %s", separator, field->quoted,
						 type_of(field), field->quoted);
		separator = ", ";
	}
	appendStringInfo(&query.sql, " FROM %s t WHERE ", resource->table);
	cat_sql_builder_living(&query, resource, "t");
	names->tables = lappend(names->tables, cat_select_scan_records(name, query.sql.data));
}

/* Add the pairs of ids of a many-to-many relation both of both of whose records the caller sees. */
static void
add_relation(const char *name, Resource *resource, const CatRelation *relation, SelectNames *names,
			 const Actor *actor)
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
	names->tables = lappend(names->tables, cat_select_scan_records(name, query.sql.data));
}

/* Add the table of a many-to-many relation, <resource>_<relation>; false if the name is none. */
static bool
find_relation(const char *name, SelectNames *names, const Actor *actor)
{
	for (const char *c = strchr(name, '_'); c; c = strchr(c + 1, '_'))
	{
		Resource *resource = cat_registry_find(pnstrdup(name, c - name));
		CatRelation *relation = resource ? cat_registry_relation(resource, c + 1) : NULL;

		if (!relation || relation->kind != RELATION_MANY_TO_MANY ||
			!cat_visibility_relation(relation, actor->access))
			continue;
		add_relation(name, resource, relation, names, actor);
		return true;
	}
	return false;
}

char *
cat_select_table_identifier(const char *name)
{
	char *identifier = pstrdup(name);

	truncate_identifier(identifier, (int) strlen(identifier), false);
	return identifier;
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

/* Add the rows of a file as a table; parameters: what follows a question mark in its name.  A fault is
 * added if it cannot be one. */
static void
add_file(const char *name, const char *file, const char *parameters, SelectNames *names,
		 const Actor *actor, List **faults)
{
	SheetQuery *sheet_query = cat_sheet_query_read(parameters, actor);

	if (sheet_query->words != NIL || sheet_query->params->limited)
	{
		cat_validation_error_add(faults, "sql", "format", cat_validation_error_value(name),
								 "a table's name may be followed by sheet and version only");
		return;
	}
	cat_read_version_acquire(sheet_query->params, list_make1(sheet_query->params->resource->name));
	cat_sheet_lookup_file(sheet_query, file);
	cat_sheet_lookup(sheet_query);
	if (sheet_query->sheet->ncolumns >= COLUMNS_MAX)
		cat_validation_error_add(faults, "sql", "max", cat_validation_error_value(name),
								 "the table has too many columns");
	else
		names->tables =
			lappend(names->tables, cat_select_scan_file(name, sheet_query, names->geometries));
	cat_read_version_release(sheet_query->params);
}

/* Add the table that a name stands for; a fault if there is none. */
static void
add_named(const char *name, SelectNames *names, const Actor *actor, List **faults)
{
	Resource *resource = cat_registry_find(name);
	size_t length = strcspn(name, "?");
	const char *file;

	if (resource)
		add_resource(name, resource, names, actor);
	else if (find_relation(name, names, actor))
		return;
	else if (find_file(pnstrdup(name, length), actor, &file))
		add_file(name, file, name[length] ? name + length + 1 : "", names, actor, faults);
	else
		cat_validation_error_add(faults, "sql", "reference", cat_validation_error_value(name),
								 psprintf("there is no table %s", quote_identifier(name)));
}

void
cat_select_table_all(SelectNames *names, const Actor *actor, List **faults)
{
	foreach_ptr(char, name, names->names)
		add_named(name, names, actor, faults);
}
