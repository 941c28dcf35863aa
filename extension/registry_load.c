/*
 * registry_load.c
 *	  Read one resource from catalogue.resource and the views over pg_catalog.
 */
#include "catalogue.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

static const char resource_sql[] =
	"SELECT resource, model, relation::oid, catalogue.qualified_name(relation), read_only, logged, "
	"newest_first, "
	"actions, at_least_one, conditions, shown::text, guarded, kept, f.reason, f.remedy "
	"FROM catalogue.resource, LATERAL catalogue.table_fault(relation) f "
	"WHERE (resource = $1 OR relation = $2) "
	"AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = relation)";

static const char field_sql[] =
	"SELECT field, column_name, position, type, type_oid, base_oid, type_modifier, max, required, "
	"\"default\" IS NOT NULL, read_only, hidden, fixed, searchable, unless, reference, enum, "
	"domain, "
	"max_json, internal, reserved, items, item_oid FROM catalogue.field WHERE resource = $1 ORDER "
	"BY position";

static const char relation_sql[] =
	"SELECT relation, kind, target, via, near, far, owned, list, via_oid, internal "
	"FROM catalogue.relation WHERE resource = $1 ORDER BY position, relation";

static const char dependent_sql[] =
	"SELECT resource, is_join, has_status, via, near, far, far_table, deletion, flag "
	"FROM catalogue.dependent WHERE target = $1 ORDER BY via, near";

/* A column of the current result row as text, NULL for null; palloc'd. */
static char *
text_at(uint64 row, int column)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
}

static Datum
datum_at(uint64 row, int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

static bool
bool_at(uint64 row, int column)
{
	bool isnull;
	Datum value = datum_at(row, column, &isnull);

	return !isnull && DatumGetBool(value);
}

static Oid
oid_at(uint64 row, int column)
{
	bool isnull;

	return DatumGetObjectId(datum_at(row, column, &isnull));
}

static int
int_at(uint64 row, int column)
{
	bool isnull;
	Datum value = datum_at(row, column, &isnull);

	return isnull ? 0 : DatumGetInt32(value);
}

/* A column of type text[] as a List of char *. */
static List *
list_at(uint64 row, int column)
{
	bool isnull;
	Datum value = datum_at(row, column, &isnull);
	Datum *elements;
	int count;
	List *list = NIL;

	if (isnull)
		return NIL;
	elements = texts_of_array(value, &count);
	for (int i = 0; i < count; i++)
		list = lappend(list, TextDatumGetCString(elements[i]));
	return list;
}

/* A column of the current result row, quoted as an identifier; NULL for null. */
static char *
identifier_at(uint64 row, int column)
{
	char *name = text_at(row, column);

	return name ? pstrdup(quote_identifier(name)) : NULL;
}

/* The text of a member of a jsonb object, NULL where there is none. */
static char *
object_text(Datum object, const char *name)
{
	Datum value;
	JsonbValue key = {.type = jbvString,
					  .val.string = {(int) strlen(name), unconstify(char *, name)}};

	if (!findJsonbValueFromContainer(&DatumGetJsonbP(object)->root, JB_FOBJECT, &key))
		return NULL;
	value = DirectFunctionCall2(jsonb_object_field_text, object, CStringGetTextDatum(name));
	return TextDatumGetCString(value);
}

/* Run a query about a resource; SPI leaves its own memory context current. */
static void
query_resource(const Resource *resource, const char *sql)
{
	Oid type = TEXTOID;
	Datum name = CStringGetTextDatum(resource->name);

	SPI_execute_with_args(sql, 1, &type, &name, NULL, true, 0);
	MemoryContextSwitchTo(resource->context);
}

/* A name as it stands in an object of JSON behind another member. */
static char *
member_of(const char *name, int *length)
{
	StringInfoData member;

	initStringInfo(&member);
	appendStringInfoChar(&member, ',');
	json_string(&member, name);
	appendStringInfoChar(&member, ':');
	*length = member.len;
	return member.data;
}

static void
load_field(Resource *resource, Field *field, uint64 row, Datum conditions)
{
	field->name = text_at(row, 1);
	field->member = member_of(field->name, &field->member_length);
	field->column = text_at(row, 2);
	field->quoted = pstrdup(quote_identifier(field->column));
	field->attno = (AttrNumber) int_at(row, 3);
	field->type = text_at(row, 4);
	field->type_oid = oid_at(row, 5);
	field->base_oid = oid_at(row, 6);
	field->typmod = int_at(row, 7);
	field->max = int_at(row, 8);
	field->required = bool_at(row, 9);
	field->has_default = bool_at(row, 10);
	field->read_only = bool_at(row, 11);
	field->hidden = bool_at(row, 12);
	field->fixed = bool_at(row, 13);
	field->searchable = bool_at(row, 14);
	field->unless = text_at(row, 15);
	field->reference = text_at(row, 16);
	field->labels = list_at(row, 17);
	field->domain = text_at(row, 18);
	field->color = field->domain && strcmp(field->domain, "color") == 0;
	field->address = address_is_field(field);
	field->strict = field->domain && bulk_refuses_null(field->type_oid);
	field->limit = int_at(row, 19);
	field->internal = bool_at(row, 20);
	field->reserved = bool_at(row, 21);
	field->condition = object_text(conditions, field->column);
	registry_kind(field, text_at(row, 22), oid_at(row, 23));
}

static void
load_fields(Resource *resource, Datum conditions)
{
	query_resource(resource, field_sql);
	resource->nfields = (int) SPI_processed;
	resource->fields = palloc0(sizeof(Field) * resource->nfields);
	for (int i = 0; i < resource->nfields; i++)
		load_field(resource, &resource->fields[i], i, conditions);
}

static void
load_relation(Resource *resource, CatRelation *relation, uint64 row, List *at_least_one,
			  Datum conditions)
{
	char *kind = text_at(row, 2);
	char *list = text_at(row, 8);

	relation->name = text_at(row, 1);
	relation->member = member_of(relation->name, &relation->member_length);
	relation->kind = strcmp(kind, "to-one") == 0		? RELATION_TO_ONE
					 : strcmp(kind, "one-to-many") == 0 ? RELATION_ONE_TO_MANY
														: RELATION_MANY_TO_MANY;
	relation->target = text_at(row, 3);
	relation->via = text_at(row, 4);
	relation->near = identifier_at(row, 5);
	relation->far = identifier_at(row, 6);
	relation->owned = bool_at(row, 7);
	relation->key =
		relation->kind == RELATION_TO_ONE ? registry_field(resource, relation->name) : NULL;
	relation->list = list ? registry_column(resource, list) : NULL;
	relation->internal = bool_at(row, 10);
	relation->required = words_have(at_least_one, relation->name);
	relation->resource = resource->name;
	relation->condition = object_text(conditions, relation->name);
	index_load_relation(relation, oid_at(row, 9), text_at(row, 5), text_at(row, 6));
}

static void
load_relations(Resource *resource, List *at_least_one, Datum conditions)
{
	query_resource(resource, relation_sql);
	resource->nrelations = (int) SPI_processed;
	resource->relations = palloc0(sizeof(CatRelation) * resource->nrelations);
	for (int i = 0; i < resource->nrelations; i++)
		load_relation(resource, &resource->relations[i], i, at_least_one, conditions);
}

static void
load_dependents(Resource *resource)
{
	query_resource(resource, dependent_sql);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		Dependent *dependent = palloc(sizeof(Dependent));

		dependent->resource = text_at(row, 1);
		dependent->is_join = bool_at(row, 2);
		dependent->has_status = bool_at(row, 3);
		dependent->table = text_at(row, 4);
		dependent->column = identifier_at(row, 5);
		dependent->far = identifier_at(row, 6);
		dependent->far_table = text_at(row, 7);
		dependent->deletion = text_at(row, 8)[0];
		dependent->flag = identifier_at(row, 9);
		resource->dependents = lappend(resource->dependents, dependent);
	}
}

/* Calls of the API that the resource has; others: its own ones, all of which change records. */
static List *
all_actions(bool read_only, List *others)
{
	List *actions = list_make4("list", "item", "first", "last");

	actions = lappend(lappend(actions, "count"), "usage");
	if (read_only)
		return actions;
	actions = list_concat(actions, list_make4("create", "update", "delete", "restore"));
	return list_concat(actions, others);
}

/* A table that was changed since it was exposed may lack what the rules count on. */
static void
check_shape(Resource *resource)
{
	static const char *const times[] = {"created_at", "updated_at", "deleted_at"};
	Field *id = registry_column(resource, "id");
	bool fits = id && (id->base_oid == VARCHAROID || id->base_oid == TEXTOID);

	for (size_t i = 0; i < lengthof(times) && fits; i++)
	{
		Field *time = registry_column(resource, times[i]);

		fits = time && time->type_oid == TIMESTAMPTZOID;
	}
	if (fits)
		return;
	resource->unfit = "It lacks a column that every resource has, or has it with another type.";
	resource->remedy = "Give it back its columns id, created_at, updated_at and deleted_at, or "
					   "call catalogue.hide().";
}

/* Read what the columns, keys and indexes of a table say, which is what a resource needs. */
static void
load_table(Resource *resource, List *at_least_one, Datum conditions, const char *shown)
{
	load_relations(resource, at_least_one, conditions);
	load_dependents(resource);
	index_load(resource);
	resource->signature = registry_signature(resource, shown);
	history_load(resource);
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].domain && strcmp(resource->fields[i].domain, "birth") == 0)
			resource->change = &resource->fields[i];
	visibility_load(resource);
	shortcuts_load(resource);
}

static Resource *
load_row(MemoryContext context)
{
	Resource *resource = palloc0(sizeof(Resource));
	bool isnull;
	Datum conditions = datum_at(0, 10, &isnull);
	List *at_least_one = list_at(0, 9);
	char *shown = text_at(0, 11);

	resource->context = context;
	resource->name = text_at(0, 1);
	resource->model = text_at(0, 2);
	resource->relid = oid_at(0, 3);
	resource->table = text_at(0, 4);
	resource->read_only = bool_at(0, 5);
	resource->logged = bool_at(0, 6);
	resource->newest_first = bool_at(0, 7);
	resource->guarded = bool_at(0, 12);
	resource->kept = list_at(0, 13);
	resource->unfit = text_at(0, 14);
	resource->remedy = text_at(0, 15);
	resource->actions = all_actions(resource->read_only, list_at(0, 8));
	load_fields(resource, conditions);
	if (!resource->unfit)
		check_shape(resource);
	if (!resource->unfit)
		load_table(resource, at_least_one, conditions, shown);
	return resource;
}

/*
 * Read the resource of that name, or else of that table, into a context of its own under parent.
 *
 * NULL where the table is not exposed.  The definition is the newest one, as
 * the relcache has it, even where the caller's snapshot is older.  Of a table
 * that is unfit nothing is there but the fields and why.
 */
Resource *
registry_load(const char *name, Oid relid, MemoryContext parent)
{
	Oid types[] = {TEXTOID, OIDOID};
	Datum values[] = {name ? CStringGetTextDatum(name) : (Datum) 0, ObjectIdGetDatum(relid)};
	const char nulls[] = {name ? ' ' : 'n', ' '};
	Resource *resource = NULL;

	authority_take();
	SPI_connect();
	PushActiveSnapshot(GetLatestSnapshot());
	SPI_execute_with_args(resource_sql, 2, types, values, nulls, true, 1);
	if (SPI_processed == 1)
	{
		MemoryContext context =
			AllocSetContextCreate(CurrentMemoryContext, "catalogue resource", ALLOCSET_SMALL_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);

		resource = load_row(context);
		MemoryContextSwitchTo(old);
		MemoryContextSetParent(context, parent);
	}
	PopActiveSnapshot();
	SPI_finish();
	authority_return();
	return resource;
}
