/*
 * registry_relations.c
 *	  Relations of a resource, and what its deletion concerns, from foreign keys.
 */
#include "catalogue.h"

#include "access/attnum.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_constraint.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "registry/registry.h"
#include "registry/registry_internal.h"

/* Number of bytes of table and column name in the default name of a foreign key. */
#define DEFAULT_NAME_MAX 58

/* Return the column of a foreign key, 0 if it has several. */
static AttrNumber
only_column(HeapTuple tuple, TupleDesc desc)
{
	bool isnull;
	Datum value = heap_getattr(tuple, Anum_pg_constraint_conkey, desc, &isnull);
	ArrayType *columns = isnull ? NULL : DatumGetArrayTypeP(value);

	if (!columns || ARR_NDIM(columns) != 1 || ARR_DIMS(columns)[0] != 1)
		return 0;
	return ((const int16 *) ARR_DATA_PTR(columns))[0];
}

/*
 * Return the foreign key in a row of pg_constraint; NULL if it has several columns or belongs to a
 * partition.
 */
static ForeignKey *
key_of(HeapTuple tuple, TupleDesc desc)
{
	Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
	ForeignKey *key;
	AttrNumber column;

	if (form->contype != CONSTRAINT_FOREIGN || OidIsValid(form->conparentid))
		return NULL;
	column = only_column(tuple, desc);
	if (column == 0)
		return NULL;
	key = palloc(sizeof(ForeignKey));
	*key = (ForeignKey){.oid = form->oid,
						.table = form->conrelid,
						.column = column,
						.target = form->confrelid,
						.deletion = form->confdeltype,
						.name = pstrdup(NameStr(form->conname))};
	return key;
}

/* Return all foreign keys of one column: List of ForeignKey *. */
List *
cat_registry_relations_read_keys(void)
{
	Relation constraints = table_open(ConstraintRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(constraints, InvalidOid, false, NULL, 0, NULL);
	List *keys = NIL;
	HeapTuple tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		ForeignKey *key = key_of(tuple, RelationGetDescr(constraints));

		if (key)
			keys = lappend(keys, key);
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
	return keys;
}

/* Return the resource of a table, or NULL. */
static const Exposed *
keys_exposed(const Definition *definition, Oid relid)
{
	foreach_ptr(Exposed, entry, definition->exposed)
		if (entry->relid == relid)
			return entry;
	return NULL;
}

/* Return the resource that a column refers to, or NULL. */
const Exposed *
cat_registry_relations_reference(const Definition *definition, Oid relid, AttrNumber column)
{
	foreach_ptr(const ForeignKey, key, definition->keys)
	{
		const Exposed *target = NULL;

		if (key->table == relid && key->column == column)
			target = keys_exposed(definition, key->target);
		if (target)
			return target;
	}
	return NULL;
}

/* Return the other keys of a join table that refer to exposed tables: List of ForeignKey *. */
static List *
keys_across(const Definition *definition, const ForeignKey *key)
{
	List *others = NIL;

	foreach_ptr(ForeignKey, other, definition->keys)
		if (other->table == key->table && other->oid != key->oid &&
			keys_exposed(definition, other->target))
			others = lappend(others, other);
	return others;
}

/*
 * Return whether a key does not have PostgreSQL's default name; its name then names a relation of
 * its target.
 */
static bool
keys_is_named(const ForeignKey *key)
{
	char *start =
		psprintf("%s_%s", get_rel_name(key->table), get_attname(key->table, key->column, false));
	int length = (int) strlen(start);
	int kept = pg_mbcharcliplen(start, length, DEFAULT_NAME_MAX);

	return strcmp(key->name, psprintf("%.*s_fkey", kept, start)) != 0 &&
		   strcmp(key->name, psprintf("%s_fkey", start)) != 0;
}

/*
 * Return the relation name in the name of a key, that is without "_by_" and the column; palloc'd.
 */
static char *
keys_relation(const ForeignKey *key)
{
	char *end = psprintf("_by_%s", get_attname(key->table, key->column, false));
	size_t length = strlen(key->name);
	size_t cut = strlen(end);

	if (length >= cut && strcmp(key->name + length - cut, end) == 0)
		length -= cut;
	return pnstrdup(key->name, length);
}

/* Return the OID of type catalogue.shown, InvalidOid if it does not exist. */
static Oid
flag_type(void)
{
	Oid schema = get_namespace_oid("catalogue", true);

	return OidIsValid(schema) ? GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
												CStringGetDatum("shown"), ObjectIdGetDatum(schema))
							  : InvalidOid;
}

/* Return the column that stores whether outsiders see the record of a key; 0 if there is none. */
AttrNumber
cat_registry_relations_flag(Oid relid, const char *column)
{
	AttrNumber flag = get_attnum(relid, psprintf("%s_shown", column));
	Oid type = flag_type();

	return flag != InvalidAttrNumber && OidIsValid(type) && get_atttype(relid, flag) == type
			   ? flag
			   : InvalidAttrNumber;
}

static char *
quoted(const char *name)
{
	return name ? pstrdup(quote_identifier(name)) : NULL;
}

/*
 * Describe a key that refers to a resource.
 *
 * other: for a join table, the key to the other side.
 */
static Dependent *
dependent_of(const ForeignKey *key, const ForeignKey *other, const Exposed *source)
{
	Dependent *dependent = palloc0(sizeof(Dependent));
	char *column = get_attname(key->table, key->column, false);
	AttrNumber flag = cat_registry_relations_flag(key->table, column);

	dependent->resource = pstrdup(source->name);
	dependent->is_join = other != NULL;
	dependent->has_status = get_attnum(key->table, "status") != InvalidAttrNumber;
	dependent->table = cat_registry_fields_table_name(key->table);
	dependent->column_name = column;
	dependent->column = quoted(dependent->column_name);
	dependent->deletion = key->deletion;
	if (flag != InvalidAttrNumber)
		dependent->flag_name = get_attname(key->table, flag, false);
	dependent->flag = quoted(dependent->flag_name);
	if (other)
	{
		dependent->far_name = get_attname(other->table, other->column, false);
		dependent->far = quoted(dependent->far_name);
		dependent->far_table = cat_registry_fields_table_name(other->target);
	}
	return dependent;
}

/* Append the dependents of a key; for a join table, one for each of its other keys. */
static List *
add_dependents(List *dependents, const ForeignKey *key, const Definition *definition)
{
	const Exposed *source = keys_exposed(definition, key->table);

	if (source)
		return lappend(dependents, dependent_of(key, NULL, source));
	foreach_ptr(const ForeignKey, other, keys_across(definition, key))
	{
		source = keys_exposed(definition, other->target);
		dependents = lappend(dependents, dependent_of(key, other, source));
	}
	return dependents;
}

static int
by_table(const ListCell *left, const ListCell *right)
{
	const Dependent *one = lfirst(left);
	const Dependent *two = lfirst(right);
	int order = varstr_cmp(one->table, (int) strlen(one->table), two->table,
						   (int) strlen(two->table), DEFAULT_COLLATION_OID);

	if (order != 0)
		return order;
	return varstr_cmp(one->column_name, (int) strlen(one->column_name), two->column_name,
					  (int) strlen(two->column_name), DEFAULT_COLLATION_OID);
}

/* Read the foreign keys that refer to a resource. */
void
cat_registry_relations_load_dependents(Resource *resource, const Definition *definition)
{
	foreach_ptr(const ForeignKey, key, definition->keys)
		if (key->target == resource->relid)
			resource->dependents = add_dependents(resource->dependents, key, definition);
	list_sort(resource->dependents, by_table);
}

/* Sort positions of relations; to-one relations come first, at the numbers of their columns. */
#define POSITION_MANY_TO_MANY 1000
#define POSITION_ONE_TO_MANY 2000

static CatRelation *
relation_over(RelationKind kind, const ForeignKey *key, const Exposed *target)
{
	CatRelation *relation = palloc0(sizeof(CatRelation));
	char *column = get_attname(key->table, key->column, false);

	relation->kind = kind;
	relation->target = pstrdup(target->name);
	relation->internal = target->private;
	relation->closed = target->closed;
	relation->via = cat_registry_fields_table_name(key->table);
	relation->via_oid = key->table;
	relation->near_name = column;
	relation->near = pstrdup(quote_identifier(column));
	relation->deletion = key->deletion;
	relation->owned = kind == RELATION_TO_ONE;
	relation->position = kind == RELATION_TO_ONE		? key->column
						 : kind == RELATION_ONE_TO_MANY ? POSITION_ONE_TO_MANY
														: POSITION_MANY_TO_MANY;
	relation->name = cat_registry_fields_camel(relation->owned ? column : keys_relation(key));
	return relation;
}

/* Return the relation over a join table, from one of its keys to another. */
static CatRelation *
relation_across(const ForeignKey *key, const ForeignKey *other, const Definition *definition)
{
	CatRelation *relation =
		relation_over(RELATION_MANY_TO_MANY, key, keys_exposed(definition, other->target));
	AttrNumber flag = cat_registry_relations_flag(key->table, relation->near_name);

	if (flag != InvalidAttrNumber)
		relation->flag = pstrdup(quote_identifier(get_attname(key->table, flag, false)));
	relation->far_name = get_attname(other->table, other->column, false);
	relation->far = pstrdup(quote_identifier(relation->far_name));
	relation->owned = key->column < other->column;
	if (relation->owned)
		relation->list_name = psprintf("%s_ids", keys_relation(key));
	return relation;
}

/* Append the relations that a key makes for its target, if the key has a name for them. */
static List *
add_behind(List *relations, const ForeignKey *key, const Definition *definition)
{
	const Exposed *source = keys_exposed(definition, key->table);

	if (!keys_is_named(key))
		return relations;
	if (source)
		return lappend(relations, relation_over(RELATION_ONE_TO_MANY, key, source));
	foreach_ptr(ForeignKey, foreign_key, keys_across(definition, key))
		relations = lappend(relations, relation_across(key, foreign_key, definition));
	return relations;
}

/* Return all relations of a resource, unsorted. */
static List *
find_relations(const Resource *resource, const Definition *definition)
{
	List *relations = NIL;

	foreach_ptr(const ForeignKey, key, definition->keys)
	{
		const Exposed *target = NULL;

		if (key->table == resource->relid)
			target = keys_exposed(definition, key->target);
		if (target)
			relations = lappend(relations, relation_over(RELATION_TO_ONE, key, target));
		if (key->target == resource->relid)
			relations = add_behind(relations, key, definition);
	}
	return relations;
}

static int
by_position(const ListCell *left, const ListCell *right)
{
	const CatRelation *one = lfirst(left);
	const CatRelation *two = lfirst(right);

	if (one->position != two->position)
		return one->position < two->position ? -1 : 1;
	return varstr_cmp(one->name, (int) strlen(one->name), two->name, (int) strlen(two->name),
					  DEFAULT_COLLATION_OID);
}

/* Add what the resource's row and its fields define of a relation. */
static void
complete(CatRelation *relation, Resource *resource, const Definition *definition)
{
	relation->resource = resource->name;
	relation->member = cat_registry_load_member(relation->name, &relation->member_length);
	if (relation->kind == RELATION_TO_ONE)
		relation->key = cat_registry_field(resource, relation->name);
	if (relation->list_name)
		relation->list = cat_registry_column(resource, relation->list_name);
	relation->required = cat_query_string_has_word(definition->at_least_one, relation->name);
	relation->condition = cat_registry_load_text(definition->conditions, relation->name);
	cat_registry_index_load_relation(relation);
}

/* Read the relations of a resource whose fields are loaded. */
void
cat_registry_relations_load(Resource *resource, const Definition *definition)
{
	List *relations = find_relations(resource, definition);

	list_sort(relations, by_position);
	resource->nrelations = list_length(relations);
	resource->relations = palloc0(sizeof(CatRelation) * resource->nrelations);
	for (int i = 0; i < resource->nrelations; i++)
	{
		resource->relations[i] = *(const CatRelation *) list_nth(relations, i);
		complete(&resource->relations[i], resource, definition);
	}
}
