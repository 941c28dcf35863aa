/*
 * registry_index.c
 *	  Purpose of the indexes of a resource's table, and its special columns.
 */
#include "catalogue.h"

#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/namespace.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_opclass_d.h"
#include "catalog/pg_opfamily_d.h"
#include "commands/defrem.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "registry/registry.h"
#include "registry/registry_internal.h"

/* Default B-tree operator classes of common types, since GetDefaultOpClass() is slow. */
static const struct
{
	Oid type;
	Oid class;
} orders[] = {
	{TEXTOID, TEXT_BTREE_OPS_OID},
	{VARCHAROID, TEXT_BTREE_OPS_OID},
	{TIMESTAMPTZOID, TIMESTAMPTZ_BTREE_OPS_OID},
};

/* Return the default B-tree operator class of a type, or InvalidOid. */
static Oid
usual_order(Oid type)
{
	for (size_t i = 0; i < lengthof(orders); i++)
		if (orders[i].type == type)
			return orders[i].class;
	return GetDefaultOpClass(type, BTREE_AM_OID);
}

/* Return whether an index column sorts a table column in the default order. */
static bool
is_in_order(Relation index, int at, Form_pg_attribute column)
{
	Oid usual;

	if (index->rd_indoption[at] != 0 || index->rd_indcollation[at] != column->attcollation)
		return false;
	usual = usual_order(getBaseType(column->atttypid));
	return OidIsValid(usual) && index->rd_opfamily[at] == get_opclass_family(usual);
}

/* Return whether a valid index has exactly these key columns, from its row in pg_index. */
static bool
has_columns(Form_pg_index form, int count, const AttrNumber *columns)
{
	if (form->indnkeyatts != count || !form->indisvalid)
		return false;
	for (int i = 0; i < count; i++)
		if (columns[i] <= 0 || form->indkey.values[i] != columns[i])
			return false;
	return true;
}

/* Return whether a B-tree index has exactly these key columns, in ascending default order. */
static bool
index_is_on(Relation table, Relation index, int count, const AttrNumber *columns)
{
	if (index->rd_rel->relam != BTREE_AM_OID || !has_columns(index->rd_index, count, columns))
		return false;
	for (int i = 0; i < count; i++)
		if (!is_in_order(index, i, TupleDescAttr(RelationGetDescr(table), columns[i] - 1)))
			return false;
	return true;
}

/* Return whether an index is restricted to living rows by the predicate "deleted_at IS NULL". */
static bool
is_of_living(Relation index, AttrNumber deleted_at)
{
	List *predicate = RelationGetIndexPredicate(index);
	NullTest *test = list_length(predicate) == 1 ? linitial(predicate) : NULL;

	return test && IsA(test, NullTest) && test->nulltesttype == IS_NULL && IsA(test->arg, Var) &&
		   ((Var *) test->arg)->varattno == deleted_at;
}

static int
field_of_attribute(Resource *resource, AttrNumber attno)
{
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].attno == attno)
			return i;
	return -1;
}

/* Return whether an expression is lower() of a text column in the default collation. */
static bool
is_lower(const Node *node)
{
	const FuncExpr *call = (const FuncExpr *) node;
	const Node *argument;

	if (!IsA(node, FuncExpr) || call->funcid != F_LOWER_TEXT ||
		call->inputcollid != DEFAULT_COLLATION_OID)
		return false;
	argument = linitial(call->args);
	if (IsA(argument, RelabelType))
		argument = (const Node *) ((const RelabelType *) argument)->arg;
	return IsA(argument, Var);
}

/* Return whether an index contains all living records and only text columns, or lower() of them. */
static bool
is_plain(Relation index, AttrNumber deleted_at)
{
	if (!index->rd_index->indisvalid || !is_of_living(index, deleted_at))
		return false;
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
		if (index->rd_opfamily[i] != TEXT_BTREE_FAM_OID || index->rd_opcintype[i] != TEXTOID)
			return false;
	foreach_ptr(Node, node, RelationGetIndexExpressions(index))
		if (!is_lower(node))
			return false;
	return true;
}

/* Return whether an index has an expression other than lower(). */
static bool
has_other_expressions(Relation index)
{
	foreach_ptr(FuncExpr, expr, RelationGetIndexExpressions(index))
		if (!IsA(expr, FuncExpr) || expr->funcid != F_LOWER_TEXT)
			return true;
	return false;
}

/* Return the columns of a unique index; NULL if an expression does not use exactly one column. */
static UniqueKey *
unique_key(Resource *resource, Relation index)
{
	UniqueKey *key = palloc0(sizeof(UniqueKey));
	List *expressions = RelationGetIndexExpressions(index);
	ListCell *expression = list_head(expressions);
	AttrNumber deleted_at = cat_registry_column(resource, "deleted_at")->attno;

	key->index = pstrdup(RelationGetRelationName(index));
	key->alone = has_other_expressions(index) ||
				 (RelationGetIndexPredicate(index) != NIL && !is_of_living(index, deleted_at));
	if (is_plain(index, deleted_at))
		key->plain = RelationGetRelid(index);
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
	{
		AttrNumber attno = index->rd_index->indkey.values[i];
		bool folded = attno == 0;

		if (folded)
		{
			Bitmapset *columns = NULL;

			pull_varattnos(lfirst(expression), 1, &columns);
			expression = lnext(expressions, expression);
			if (bms_num_members(columns) != 1)
				return NULL;
			attno = bms_singleton_member(columns) + FirstLowInvalidHeapAttributeNumber;
		}
		key->fields = lappend_int(key->fields, field_of_attribute(resource, attno));
		key->folded = lappend_int(key->folded, folded);
	}
	return key;
}

/* Record what an index can be used for: uniqueness, look-up by id, order of creation. */
static void
load_index(Resource *resource, Relation table, Relation index)
{
	AttrNumber order[] = {cat_registry_column(resource, "created_at")->attno,
						  cat_registry_column(resource, "id")->attno};

	if (index->rd_index->indisprimary)
	{
		if (index_is_on(table, index, 1, &order[1]))
			resource->key_index = RelationGetRelid(index);
	}
	else if (index->rd_index->indisunique && !index->rd_index->indisexclusion)
	{
		UniqueKey *key = unique_key(resource, index);

		if (key)
			resource->unique_keys = lappend(resource->unique_keys, key);
	}
	else if (index_is_on(table, index, 2, order) &&
			 is_of_living(index, cat_registry_column(resource, "deleted_at")->attno))
		resource->order_index = RelationGetRelid(index);
}

/* Read the indexes of a resource's table. */
void
cat_registry_index_load(Resource *resource)
{
	Relation table = relation_open(resource->relid, AccessShareLock);

	foreach_oid(oid, RelationGetIndexList(table))
	{
		Relation index = relation_open(oid, AccessShareLock);

		load_index(resource, table, index);
		relation_close(index, AccessShareLock);
	}
	relation_close(table, AccessShareLock);
}

/*
 * Like has_columns(), but reads the row of pg_index from the syscache, without opening the index.
 */
static bool
names_columns(Oid index, int count, const AttrNumber *columns)
{
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	bool found =
		HeapTupleIsValid(tuple) && has_columns((Form_pg_index) GETSTRUCT(tuple), count, columns);

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return found;
}

/*
 * Return the index of a table with these key columns and all rows, or InvalidOid.
 *
 * An index is opened only if it has the columns, since opening is expensive.
 */
static Oid
find_index(Relation table, int count, const AttrNumber *columns)
{
	Oid found = InvalidOid;

	foreach_oid(relid, RelationGetIndexList(table))
	{
		Relation index;

		if (!names_columns(relid, count, columns))
			continue;
		index = relation_open(relid, AccessShareLock);
		if (index_is_on(table, index, count, columns) && RelationGetIndexPredicate(index) == NIL)
			found = relid;
		relation_close(index, AccessShareLock);
	}
	return found;
}

/*
 * Return the index of a table on a key, deleted_at, created_at and id; the last two under the given
 * names.
 */
static KeyIndex
find_key_index(Oid relid, const char *key, const char *created_at, const char *id)
{
	AttrNumber columns[] = {get_attnum(relid, key), get_attnum(relid, "deleted_at"),
							get_attnum(relid, created_at), get_attnum(relid, id)};
	KeyIndex found = {relid, InvalidOid, columns[2], columns[3],
					  cat_registry_relations_flag(relid, id)};
	Relation table = relation_open(relid, AccessShareLock);

	/* triggers keep created_at in the rows of the table itself, not in those of its children */
	if (table->rd_rel->relkind == RELKIND_RELATION && !table->rd_rel->relhassubclass)
		found.index = find_index(table, lengthof(columns), columns);
	relation_close(table, AccessShareLock);
	return found;
}

/* Find the indexes that return the records of a relation in the order of creation. */
void
cat_registry_index_load_relation(CatRelation *relation)
{
	Oid via = relation->via_oid;
	const char *near = relation->near_name;
	const char *far = relation->far_name;

	if (relation->kind == RELATION_TO_ONE)
		relation->here = find_key_index(via, near, "created_at", "id");
	else if (relation->kind == RELATION_ONE_TO_MANY)
		relation->there = find_key_index(via, near, "created_at", "id");
	else
	{
		relation->here = find_key_index(via, far, psprintf("%s_created_at", near), near);
		relation->there = find_key_index(via, near, psprintf("%s_created_at", far), far);
		if (relation->here.created_at > 0)
			relation->created = pstrdup(quote_identifier(psprintf("%s_created_at", near)));
	}
}

/* Return the history column of a field, 0 if there is none of the same type. */
static AttrNumber
history_column(Relation history, const Field *field)
{
	TupleDesc desc = RelationGetDescr(history);
	int column = SPI_fnumber(desc, field->column);

	/* the id is stored as text, whatever its type */
	if (column <= 0 || (strcmp(field->column, "id") != 0 &&
						TupleDescAttr(desc, column - 1)->atttypid != field->base_oid))
		return 0;
	return (AttrNumber) column;
}

/* Find the history table of a resource. */
void
cat_registry_index_load_history(Resource *resource)
{
	Oid schema = get_namespace_oid("catalogue_history", true);
	Oid relid = OidIsValid(schema) ? get_relname_relid(resource->name, schema) : InvalidOid;
	Relation history;

	if (!OidIsValid(relid))
		return;
	history = relation_open(relid, AccessShareLock);
	resource->history_relid = relid;
	resource->history_table = psprintf("catalogue_history.%s", quote_identifier(resource->name));
	for (int i = 0; i < resource->nfields; i++)
		resource->fields[i].history_attno = history_column(history, &resource->fields[i]);
	relation_close(history, AccessShareLock);
}

static AttrNumber
attno_of(Resource *resource, const char *column)
{
	const Field *field = cat_registry_column(resource, column);

	return field ? field->attno : InvalidAttrNumber;
}

static void
note_shown(Resource *resource, AccessLevel access)
{
	for (int i = 0; i < resource->nfields; i++)
		if (cat_visibility_field(&resource->fields[i], access))
			resource->shown[access] = bms_add_member(resource->shown[access], i);
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].list && cat_visibility_relation(&resource->relations[i], access))
			resource->lists[access] = bms_add_member(resource->lists[access], i);
}

/* Record the columns and fields that every read needs. */
void
cat_registry_index_load_shortcuts(Resource *resource)
{
	resource->id = attno_of(resource, "id");
	resource->created_at = attno_of(resource, "created_at");
	resource->updated_at = attno_of(resource, "updated_at");
	resource->deleted_at = attno_of(resource, "deleted_at");
	resource->deactivated_at = attno_of(resource, "deactivated_at");
	resource->deactivates = resource->deactivated_at != InvalidAttrNumber;
	for (int i = 0; i < resource->nfields; i++)
	{
		resource->flagged |= cat_visibility_is_flag(&resource->fields[i]);
		resource->closes |= resource->fields[i].closed != 0;
		if (strcmp(resource->fields[i].column, "status") == 0 &&
			resource->fields[i].kind == FIELD_ID && resource->fields[i].reference &&
			strcmp(resource->fields[i].reference, "statuses") == 0)
			resource->status = &resource->fields[i];
	}
	for (int i = 0; i < resource->nrelations; i++)
		resource->closes |= resource->relations[i].closed != 0;
	for (int access = 0; access < ACCESS_LEVELS; access++)
		note_shown(resource, (AccessLevel) access);
}
