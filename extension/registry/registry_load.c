/*
 * registry_load.c
 *	  Definition of a resource, from catalogue.resource and from what SQL reads of its table
 *	  (registry_catalogs.c).
 */
#include "catalogue.h"

#include "access/relation.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/bulk_insert.h"
#include "registry/registry.h"
#include "registry/registry_internal.h"

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
	Datum *elements;
	int count;
	List *list = NIL;

	if (isnull)
		return NIL;
	elements = cat_text_array_elements(value, &count);
	for (int i = 0; i < count; i++)
		list = lappend(list, TextDatumGetCString(elements[i]));
	return list;
}

/* Return a column of type integer; 0 for null. */
static int
int_at(uint64 row, const char *column)
{
	bool isnull;
	Datum value = datum_at(row, column, &isnull);

	return isnull ? 0 : DatumGetInt32(value);
}

/* Return a JSON member's name with a comma before and a colon after it; *length is its length. */
static char *
member_of(const char *name, int *length)
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

static char *
quoted(const char *name)
{
	return name ? pstrdup(quote_identifier(name)) : NULL;
}

static bool
is_domain(const Field *field, const char *name)
{
	return field->domain && strcmp(field->domain, name) == 0;
}

static void
load_field(Field *field, uint64 row)
{
	field->column = text_at(row, "column_name");
	field->quoted = quoted(field->column);
	field->name = text_at(row, "field");
	field->member = member_of(field->name, &field->member_length);
	field->attno = (AttrNumber) int_at(row, "position");
	field->type = text_at(row, "type");
	field->required = bool_at(row, "required");
	field->max = int_at(row, "max");
	field->limit = int_at(row, "max_json");
	field->labels = list_at(row, "enum");
	field->reference = text_at(row, "reference");
	field->domain = text_at(row, "domain");
	field->read_only = bool_at(row, "read_only");
	field->write_only = bool_at(row, "write_only");
	field->hidden = bool_at(row, "hidden");
	field->internal = bool_at(row, "internal");
	field->reserved = bool_at(row, "reserved");
	field->fixed = bool_at(row, "fixed");
	field->searchable = bool_at(row, "searchable");
	field->unless = text_at(row, "unless");
	field->has_default = bool_at(row, "has_default");
	field->type_oid = oid_at(row, "type_oid");
	field->base_oid = oid_at(row, "base_oid");
	field->typmod = int_at(row, "type_modifier");
	field->condition = text_at(row, "condition");
	field->color = is_domain(field, "color");
	field->address = is_domain(field, "web_address") || is_domain(field, "service_address");
	cat_registry_set_kind(field, text_at(row, "items"), oid_at(row, "item_oid"));
}

/* Read the fields; those of one table, in the order of its columns. */
static void
load_fields(Resource *resource)
{
	Field *slug, *name;

	cat_registry_read(READING_DEFINED_FIELDS, resource->relid, NULL);
	resource->nfields = (int) SPI_processed;
	resource->fields = palloc0(sizeof(Field) * (resource->nfields + 1));
	for (int i = 0; i < resource->nfields; i++)
		load_field(&resource->fields[i], i);
	for (int i = 0; i < resource->nfields; i++)
	{
		Field *field = &resource->fields[i];

		field->strict = field->domain && cat_bulk_default_refuses_null(field->type_oid);
		if (is_domain(field, "birth") && !resource->unfit)
			resource->change = field;
	}
	slug = cat_registry_column(resource, "slug");
	name = cat_registry_column(resource, "name");
	if (slug && name)
		slug->slug = slug->kind == FIELD_TEXT && name->kind == FIELD_TEXT;
}

static void
load_relation(CatRelation *relation, Resource *resource, uint64 row)
{
	const char *kind = text_at(row, "kind");

	relation->resource = resource->name;
	relation->name = text_at(row, "relation");
	relation->member = member_of(relation->name, &relation->member_length);
	relation->kind = strcmp(kind, "to-one") == 0		? RELATION_TO_ONE
					 : strcmp(kind, "one-to-many") == 0 ? RELATION_ONE_TO_MANY
														: RELATION_MANY_TO_MANY;
	relation->target = text_at(row, "target");
	relation->via = text_at(row, "via");
	relation->via_oid = oid_at(row, "via_oid");
	relation->near_name = text_at(row, "near");
	relation->near = quoted(relation->near_name);
	relation->far_name = text_at(row, "far");
	relation->far = quoted(relation->far_name);
	relation->deletion = *text_at(row, "deletion");
	relation->position = int_at(row, "position");
	relation->owned = bool_at(row, "owned");
	relation->list_name = text_at(row, "list");
	relation->internal = bool_at(row, "internal");
	relation->required = bool_at(row, "required");
	relation->condition = text_at(row, "condition");
	if (relation->kind == RELATION_TO_ONE)
		relation->key = cat_registry_field(resource, relation->name);
	if (relation->list_name)
		relation->list = cat_registry_column(resource, relation->list_name);
}

/* Read the relations of a resource whose fields are loaded. */
static void
load_relations(Resource *resource)
{
	cat_registry_read(READING_DEFINED_RELATIONS, resource->relid, NULL);
	resource->nrelations = (int) SPI_processed;
	resource->relations = palloc0(sizeof(CatRelation) * (resource->nrelations + 1));
	for (int i = 0; i < resource->nrelations; i++)
		load_relation(&resource->relations[i], resource, i);
	for (int i = 0; i < resource->nrelations; i++)
		cat_registry_index_load_relation(&resource->relations[i]);
}

/* Read the foreign keys that refer to a resource. */
static void
load_dependents(Resource *resource)
{
	cat_registry_read(READING_DEPENDENTS, resource->relid, NULL);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		Dependent *dependent = palloc(sizeof(Dependent));

		*dependent = (Dependent){.resource = text_at(row, "resource"),
								 .is_join = bool_at(row, "is_join"),
								 .has_status = bool_at(row, "has_status"),
								 .table = text_at(row, "via"),
								 .column_name = text_at(row, "near"),
								 .far_name = text_at(row, "far"),
								 .far_table = text_at(row, "far_table"),
								 .flag_name = text_at(row, "flag"),
								 .deletion = *text_at(row, "deletion")};
		dependent->column = quoted(dependent->column_name);
		dependent->far = quoted(dependent->far_name);
		dependent->flag = quoted(dependent->flag_name);
		resource->dependents = lappend(resource->dependents, dependent);
	}
}

/* Return a new resource with the columns of a row of catalogue.resource. */
static Resource *
take_row(uint64 row)
{
	Resource *resource = palloc0(sizeof(Resource));

	resource->context = CurrentMemoryContext;
	resource->name = text_at(row, "resource");
	resource->relid = oid_at(row, "relid");
	resource->model = text_at(row, "model");
	resource->read_only = bool_at(row, "read_only");
	resource->logged = bool_at(row, "logged");
	resource->newest_first = bool_at(row, "newest_first");
	resource->guarded = bool_at(row, "guarded");
	resource->actions = all_actions(resource->read_only, list_at(row, "actions"));
	resource->kept = list_at(row, "kept");
	resource->table = cat_name_of_table(resource->relid);
	return resource;
}

/* Read what there is of a table that stays as it is: what SQL reads of it is not older. */
static void
load_table(Resource *resource, Relation table)
{
	bool isnull;
	const char *shown;
	Datum conditions;

	PushActiveSnapshot(GetLatestSnapshot());
	cat_registry_read(READING_RESOURCE, resource->relid, NULL);
	if (SPI_processed != 1)
		elog(ERROR, "resource \"%s\" has been hidden", resource->name);
	shown = text_at(0, "shown_text");
	conditions = JsonbPGetDatum(DatumGetJsonbPCopy(datum_at(0, "shown", &isnull)));
	cat_registry_read(READING_FAULT, resource->relid, NULL);
	resource->unfit = SPI_processed > 0 ? text_at(0, "reason") : NULL;
	resource->remedy = SPI_processed > 0 ? text_at(0, "remedy") : NULL;
	resource->storage = table->rd_rel->relfilenode;
	/* with constraints, for the missing values of columns that were added later */
	resource->desc = CreateTupleDescCopyConstr(RelationGetDescr(table));
	load_fields(resource);
	if (!resource->unfit)
		check_shape(resource);
	if (!resource->unfit)
	{
		load_relations(resource);
		load_dependents(resource);
		cat_registry_index_load(resource);
		resource->signature = cat_registry_signature(resource, shown);
		cat_registry_index_load_history(resource);
		cat_visibility_load(resource, conditions);
		cat_registry_index_load_shortcuts(resource);
	}
	PopActiveSnapshot();
}

/* Like cat_registry_load(), inside an SPI connection and into a context below its own. */
static Resource *
load(const char *name, Oid relid)
{
	MemoryContext old;
	Resource *resource;
	Relation table;

	cat_registry_read(READING_RESOURCE, relid, name);
	if (SPI_processed == 0)
		return NULL;
	old = MemoryContextSwitchTo(
		AllocSetContextCreate(CurrentMemoryContext, "catalogue resource", ALLOCSET_SMALL_SIZES));
	resource = take_row(0);
	table = try_relation_open(resource->relid, AccessShareLock);
	if (table)
	{
		load_table(resource, table);
		relation_close(table, AccessShareLock);
	}
	MemoryContextSwitchTo(old);
	return table ? resource : NULL;
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
