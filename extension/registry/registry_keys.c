/*
 * registry_keys.c
 *	  Foreign keys, from which relations are derived.
 */
#include "catalogue.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_constraint.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

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
cat_keys_read(void)
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
const Exposed *
cat_keys_exposed(const Definition *definition, Oid relid)
{
	ListCell *cell;

	foreach(cell, definition->exposed)
		if (((const Exposed *) lfirst(cell))->relid == relid)
			return lfirst(cell);
	return NULL;
}

/* Return the resource that a column refers to, or NULL. */
const Exposed *
cat_keys_reference(const Definition *definition, Oid relid, AttrNumber column)
{
	ListCell *cell;

	foreach(cell, definition->keys)
	{
		const ForeignKey *key = lfirst(cell);
		const Exposed *target = NULL;

		if (key->table == relid && key->column == column)
			target = cat_keys_exposed(definition, key->target);
		if (target)
			return target;
	}
	return NULL;
}

/* Return the other keys of a join table that refer to exposed tables: List of ForeignKey *. */
List *
cat_keys_across(const Definition *definition, const ForeignKey *key)
{
	List *others = NIL;
	ListCell *cell;

	foreach(cell, definition->keys)
	{
		ForeignKey *other = lfirst(cell);

		if (other->table == key->table && other->oid != key->oid &&
			cat_keys_exposed(definition, other->target))
			others = lappend(others, other);
	}
	return others;
}

/*
 * Return whether a key does not have PostgreSQL's default name; its name then names a relation of
 * its target.
 */
bool
cat_keys_is_named(const ForeignKey *key)
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
char *
cat_keys_relation(const ForeignKey *key)
{
	char *end = psprintf("_by_%s", get_attname(key->table, key->column, false));
	size_t length = strlen(key->name);
	size_t cut = strlen(end);

	if (length >= cut && strcmp(key->name + length - cut, end) == 0)
		length -= cut;
	return pnstrdup(key->name, length);
}
