/*
 * bulk.c
 *	  Rows written straight into a table, many at a time.
 *
 * For records that are no client's: rules and triggers cost many times what a
 * row itself does.  Privileges, defaults, generated columns, NOT NULL, CHECK
 * and unique indexes hold as for any INSERT; triggers and foreign keys are not
 * looked at.
 */
#include "catalogue.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"

/* Rows that go to the table together. */
#define GROUP_ROWS 64

#if PG_VERSION_NUM >= 160000
#define insert_index_entries(info, slot, state) \
	ExecInsertIndexTuples(info, slot, state, false, false, NULL, NIL, false)
#else
#define insert_index_entries(info, slot, state) \
	ExecInsertIndexTuples(info, slot, state, false, false, NULL, NIL)
#endif

/* A column that the caller fills. */
typedef struct BulkColumn
{
	int at;		/* place in the row, -1 where the table has no such column */
	int max;	/* characters, 0 for no limit */
	bool plain; /* a text is the value; else the input function of the type makes it */
	Oid io_param;
	int32 typmod;
	FmgrInfo input;
} BulkColumn;

struct Bulk
{
	Relation table;
	ResultRelInfo *info;
	EState *state;
	BulkColumn *columns;
	ExprState **defaults; /* of the columns that the caller does not fill, NULL for none */
	TupleTableSlot *slots[GROUP_ROWS];
	int count;			/* rows that wait in slots, */
	MemoryContext rows; /* and their values */
};

/* Refuse what an INSERT would refuse, and what cannot be written without one. */
static void
check_table(Relation table)
{
	Oid relid = RelationGetRelid(table);
	AclResult result = pg_class_aclcheck(relid, GetUserId(), ACL_INSERT);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, RelationGetRelationName(table));
	if (table->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not an ordinary table", RelationGetRelationName(table))));
	if (check_enable_rls(relid, InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("row security applies to table \"%s\"", RelationGetRelationName(table))));
}

static Relation
open_table(const char *name)
{
	Oid relid = get_relname_relid(name, get_namespace_oid("catalogue", false));
	Relation table;

	if (!OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table \"%s\" does not exist", name)));
	table = table_open(relid, RowExclusiveLock);
	check_table(table);
	return table;
}

static void
find_column(Relation table, const char *name, BulkColumn *column)
{
	int number = SPI_fnumber(RelationGetDescr(table), name);
	Form_pg_attribute attribute;
	Oid base;
	Oid input;

	column->at = number > 0 ? number - 1 : -1;
	if (column->at < 0)
		return;
	attribute = TupleDescAttr(RelationGetDescr(table), column->at);
	column->typmod = attribute->atttypmod;
	base = getBaseTypeAndTypmod(attribute->atttypid, &column->typmod);
	column->plain = attribute->atttypid == TEXTOID || attribute->atttypid == VARCHAROID;
	if ((base == VARCHAROID || base == BPCHAROID) && column->typmod > VARHDRSZ)
		column->max = column->typmod - VARHDRSZ;
	getTypeInputInfo(attribute->atttypid, &input, &column->io_param);
	fmgr_info(input, &column->input);
}

static bool
is_filled(const Bulk *bulk, int count, int at)
{
	for (int i = 0; i < count; i++)
		if (bulk->columns[i].at == at)
			return true;
	return false;
}

/* Prepare the defaults of the columns that the caller leaves alone. */
static void
prepare_defaults(Bulk *bulk, int count)
{
	TupleDesc desc = RelationGetDescr(bulk->table);

	bulk->defaults = palloc0(desc->natts * sizeof(ExprState *));
	for (int at = 0; at < desc->natts; at++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, at);
		Node *expression;

		if (attribute->attisdropped || attribute->attgenerated || is_filled(bulk, count, at))
			continue;
		expression = build_column_default(bulk->table, at + 1);
		if (expression)
			bulk->defaults[at] = ExecInitExpr(expression_planner((Expr *) expression), NULL);
	}
}

/*
 * Begin to write into a table of schema catalogue.
 *
 * columns: names of the columns that the caller fills, known from here on by
 * their place in this list; one that the table lacks is left out.
 */
Bulk *
bulk_open(const char *table, int count, const char *const *columns)
{
	Bulk *bulk = palloc0(sizeof(Bulk));

	PreventCommandIfReadOnly("INSERT");
	bulk->table = open_table(table);
	bulk->state = CreateExecutorState();
	bulk->info = makeNode(ResultRelInfo);
	InitResultRelInfo(bulk->info, bulk->table, 0, NULL, 0);
	ExecOpenIndices(bulk->info, false);
	bulk->columns = palloc0(count * sizeof(BulkColumn));
	for (int i = 0; i < count; i++)
		find_column(bulk->table, columns[i], &bulk->columns[i]);
	prepare_defaults(bulk, count);
	bulk->rows = AllocSetContextCreate(CurrentMemoryContext, "bulk rows", ALLOCSET_DEFAULT_SIZES);
	return bulk;
}

/* Write the rows that wait. */
static void
flush(Bulk *bulk)
{
	table_multi_insert(bulk->table, bulk->slots, bulk->count, GetCurrentCommandId(true), 0, NULL);
	for (int i = 0; i < bulk->count; i++)
		list_free(insert_index_entries(bulk->info, bulk->slots[i], bulk->state));
	ResetPerTupleExprContext(bulk->state);
	MemoryContextReset(bulk->rows);
	bulk->count = 0;
}

/* Begin a row: all is null, or the default. */
void
bulk_row(Bulk *bulk)
{
	int natts = RelationGetDescr(bulk->table)->natts;
	TupleTableSlot *slot;

	if (!bulk->slots[bulk->count])
		bulk->slots[bulk->count] = table_slot_create(bulk->table, NULL);
	slot = ExecClearTuple(bulk->slots[bulk->count]);
	for (int at = 0; at < natts; at++)
	{
		slot->tts_values[at] = 0;
		slot->tts_isnull[at] = true;
		if (bulk->defaults[at])
			slot->tts_values[at] = ExecEvalExprSwitchContext(
				bulk->defaults[at], GetPerTupleExprContext(bulk->state), &slot->tts_isnull[at]);
	}
}

/* Fill a column of the row with a value of its type. */
void
bulk_set(Bulk *bulk, int column, Datum value)
{
	TupleTableSlot *slot = bulk->slots[bulk->count];
	int at = bulk->columns[column].at;

	if (at < 0)
		return;
	slot->tts_values[at] = value;
	slot->tts_isnull[at] = false;
}

/* Fill a column of the row with a text, cut to what the column holds. */
void
bulk_set_text(Bulk *bulk, int column, const char *text)
{
	BulkColumn *target = &bulk->columns[column];
	MemoryContext old = MemoryContextSwitchTo(bulk->rows);
	int length = (int) strlen(text);

	if (target->max > 0 && length > target->max)
		length = pg_mbcharcliplen(text, length, target->max);
	if (target->at >= 0 && target->plain)
		bulk_set(bulk, column, PointerGetDatum(cstring_to_text_with_len(text, length)));
	else if (target->at >= 0)
		bulk_set(bulk, column,
				 InputFunctionCall(&target->input, pnstrdup(text, length), target->io_param,
								   target->typmod));
	MemoryContextSwitchTo(old);
}

/* End a row. */
void
bulk_end_row(Bulk *bulk)
{
	TupleTableSlot *slot = ExecStoreVirtualTuple(bulk->slots[bulk->count]);
	TupleConstr *rules = RelationGetDescr(bulk->table)->constr;

	if (rules && rules->has_generated_stored)
		ExecComputeStoredGenerated(bulk->info, bulk->state, slot, CMD_INSERT);
	if (rules)
		ExecConstraints(bulk->info, slot, bulk->state);
	if (++bulk->count == GROUP_ROWS)
		flush(bulk);
}

/* Write what still waits, and end. */
void
bulk_close(Bulk *bulk)
{
	if (bulk->count > 0)
		flush(bulk);
	for (int i = 0; i < GROUP_ROWS && bulk->slots[i]; i++)
		ExecDropSingleTupleTableSlot(bulk->slots[i]);
	ExecCloseIndices(bulk->info);
	FreeExecutorState(bulk->state);
	MemoryContextDelete(bulk->rows);
	table_close(bulk->table, NoLock);
}
