/*
 * registry_keys.c
 *	  Foreign keys, which relations are read from.
 */
#include "definition.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_constraint.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Characters of the names of table and column that PostgreSQL keeps in the name of a key. */
#define DEFAULT_NAME_MAX 58

/* The only column of a foreign key, 0 where it has several. */
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

/* The foreign key of a row, NULL where it is none of one column, or that of a partition. */
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

/* All foreign keys of one column, as a List of ForeignKey *. */
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

/* The resource of a table, NULL where it is none. */
const Exposed *
cat_keys_exposed(const Definition *definition, Oid relid)
{
	ListCell *cell;

	foreach(cell, definition->exposed)
		if (((const Exposed *) lfirst(cell))->relid == relid)
			return lfirst(cell);
	return NULL;
}

/* The resource that a column refers to, NULL where it refers to none. */
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

/* The other keys of a key's table that refer to exposed tables, which it joins: of ForeignKey *. */
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

/* Whether a key has another name than PostgreSQL gives it: it then names a relation of its target.
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

/* The name that a key gives a relation of its target: less "_by_" and its column, palloc'd. */
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
