/*
 * registry_dependents.c
 *	  Foreign keys that refer to a resource, and their effect on deletions.
 */
#include "catalogue.h"

#include "access/attnum.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "registry/registry.h"
#include "registry/registry_internal.h"

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
cat_dependents_flag(Oid relid, const char *column)
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
	AttrNumber flag = cat_dependents_flag(key->table, column);

	dependent->resource = pstrdup(source->name);
	dependent->is_join = other != NULL;
	dependent->has_status = get_attnum(key->table, "status") != InvalidAttrNumber;
	dependent->table = cat_name_of_table(key->table);
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
		dependent->far_table = cat_name_of_table(other->target);
	}
	return dependent;
}

/* Append the dependents of a key; for a join table, one for each of its other keys. */
static List *
add_dependents(List *dependents, const ForeignKey *key, const Definition *definition)
{
	const Exposed *source = cat_keys_exposed(definition, key->table);
	ListCell *cell;

	if (source)
		return lappend(dependents, dependent_of(key, NULL, source));
	foreach(cell, cat_keys_across(definition, key))
	{
		const ForeignKey *other = lfirst(cell);

		source = cat_keys_exposed(definition, other->target);
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
cat_dependents_load(Resource *resource, const Definition *definition)
{
	ListCell *cell;

	foreach(cell, definition->keys)
	{
		const ForeignKey *key = lfirst(cell);

		if (key->target == resource->relid)
			resource->dependents = add_dependents(resource->dependents, key, definition);
	}
	list_sort(resource->dependents, by_table);
}
