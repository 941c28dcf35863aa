/*
 * bulk_insert.c
 *	  Insertion of rows into a table without a statement.
 *
 * Privileges, defaults, generated columns, NOT NULL, CHECK and unique indexes apply as for any
 * INSERT.  There are two modes.  cat_bulk_insert_open() inserts many rows at a time, and ignores
 * triggers and foreign keys: for rows that do not come from clients, since triggers cost many times
 * as much as the rows.  cat_bulk_insert_open_ruled() is an INSERT with all triggers, including
 * foreign keys; it saves the start-up cost of a statement.
 */
#include "catalogue.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "pg/pg.h"

/*
 * ---- Cache of the default expressions of tables ----
 *
 * Parsing a default expression costs more than inserting the row.  Defaults are cached until the
 * table changes, or any type, since a domain can have a default of its own.
 */

typedef struct Defaults
{
	Oid relid;
	uint64 loaded;		  /* cat_invalidation_number() before they were read */
	const uint64 *table;  /* number of the last invalidation of the table */
	MemoryContext memory; /* holds what follows; NULL: not read yet */
	Node **columns;		  /* expressions by attribute number minus one; NULL for none */
} Defaults;

static HTAB *tables; /* relid to Defaults */

void
cat_bulk_insert_init(void)
{
	HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(Defaults)};

	tables = hash_create("catalogue defaults", 16, &control, HASH_ELEM | HASH_BLOBS);
}

bool
cat_bulk_insert_refuses_null(Oid domain)
{
	/* a callback at the end of the memory context refers to it */
	DomainConstraintRef *rules = palloc(sizeof(DomainConstraintRef));

	InitDomainConstraintRef(domain, rules, CurrentMemoryContext, false);
	foreach_ptr(const DomainConstraintState, rule, rules->constraints)
		if (rule->constrainttype == DOM_CONSTRAINT_NOTNULL ||
			contain_nonstrict_functions((Node *) rule->check_expr))
			return true;
	return false;
}

/*
 * Return null coerced to a domain, so that its constraints are checked; NULL if it cannot refuse
 * null.
 */
static Node *
null_of_domain(Form_pg_attribute attribute)
{
	Oid type = attribute->atttypid;

	if (get_typtype(type) != TYPTYPE_DOMAIN || !cat_bulk_insert_refuses_null(type))
		return NULL;
	return coerce_to_domain((Node *) makeConst(type, -1, attribute->attcollation, attribute->attlen,
											   (Datum) 0, true, attribute->attbyval),
							InvalidOid, -1, type, COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1,
							false);
}

/*
 * Read the defaults of a table.  If they are invalidated meanwhile, they are read again the next
 * time.
 */
static void
read_defaults(Defaults *defaults, Relation table)
{
	int natts = RelationGetDescr(table)->natts;
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "catalogue defaults", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	Node **columns = palloc0(natts * sizeof(Node *));

	/* free the old defaults first, so that an error leaves none */
	if (defaults->memory)
		MemoryContextDelete(defaults->memory);
	defaults->memory = NULL;
	defaults->loaded = cat_invalidation_number();
	for (int at = 0; at < natts; at++)
	{
		Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(table), at);

		if (attribute->attisdropped || attribute->attgenerated)
			continue;
		columns[at] = build_column_default(table, at + 1);
		if (!columns[at])
			columns[at] = null_of_domain(attribute);
	}
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(memory, TopMemoryContext);
	defaults->memory = memory;
	defaults->columns = columns;
}

static bool
is_valid(const Defaults *defaults)
{
	return defaults->memory && defaults->loaded >= *defaults->table &&
		   defaults->loaded >= cat_invalidation_last(INVALIDATION_TYPES);
}

/* Return a copy of a column's default by attribute number minus one, NULL for none. */
static Expr *
bulk_default(Relation table, int at)
{
	Oid relid = RelationGetRelid(table);
	bool found;
	Defaults *defaults = hash_search(tables, &relid, HASH_ENTER, &found);

	if (!found)
		*defaults = (Defaults){.relid = relid, .table = cat_invalidation_of_table(relid)};
	if (!is_valid(defaults))
		read_defaults(defaults, table);
	return copyObject((Expr *) defaults->columns[at]);
}

/* Number of rows that are inserted together. */
#define GROUP_ROWS 64

/* A column that the caller sets. */
typedef struct BulkColumn
{
	int at;		 /* index in the row, -1 if the table has no such column */
	bool learnt; /* what follows, about texts */
	int max;	 /* characters, 0 for no limit */
	bool plain;	 /* text can be stored directly; else the type's input function converts it */
	Oid io_param;
	int32 typmod;
	FmgrInfo input;
	char text[NAMEDATALEN]; /* the last one that was converted, if the type is passed by value, */
	Datum value;			/* and what it is; rows often have the same one */
} BulkColumn;

struct BulkInsert
{
	Relation table;
	ResultRelInfo *info;
	EState *state;
	BulkColumn *columns;
	ExprState **defaults; /* of columns that the caller does not set, NULL for none */
	TupleTableSlot *slots[GROUP_ROWS];
	int count;			/* number of pending rows in slots, */
	MemoryContext rows; /* and memory context of their values */
	void (*end_row)(BulkInsert *bulk, TupleTableSlot *slot);
	void (*end)(BulkInsert *bulk);
	TransitionCaptureState *capture; /* for triggers with transition tables */
};

/* Raise an error if INSERT would refuse the table, or if this code does not support it. */
static void
check_table(Relation table)
{
	Oid relid = RelationGetRelid(table);
	AclResult result = pg_class_aclcheck(relid, GetUserId(), ACL_INSERT);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, RelationGetRelationName(table));
	if (table->rd_rel->relkind != RELKIND_RELATION || table->rd_rel->relispartition)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not an ordinary table", RelationGetRelationName(table))));
	if (check_enable_rls(relid, InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("row security applies to table \"%s\"", RelationGetRelationName(table))));
}

Oid
cat_bulk_insert_table(const char *name)
{
	Oid relid = get_relname_relid(name, get_namespace_oid("catalogue", false));

	if (!OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table \"%s\" does not exist", name)));
	return relid;
}

static void
find_column(Relation table, const char *name, BulkColumn *column)
{
	int number = SPI_fnumber(RelationGetDescr(table), name);

	column->at = number > 0 ? number - 1 : -1;
}

/* Find what a text for a column is converted by, once. */
static void
learn_text(Relation table, BulkColumn *column)
{
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(table), column->at);
	Oid base;

	if (column->learnt)
		return;
	column->learnt = true;
	column->typmod = attribute->atttypmod;
	base = getBaseTypeAndTypmod(attribute->atttypid, &column->typmod);
	column->plain = attribute->atttypid == TEXTOID || attribute->atttypid == VARCHAROID;
	if ((base == VARCHAROID || base == BPCHAROID) && column->typmod > VARHDRSZ)
		column->max = column->typmod - VARHDRSZ;
}

/* Convert a text by the input function of the column's type, which is looked up once. */
static Datum
input_text(const BulkInsert *bulk, BulkColumn *column, char *text)
{
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(bulk->table), column->at);
	Oid input;
	Datum value;

	if (*text && strcmp(text, column->text) == 0)
		return column->value;
	if (!OidIsValid(column->input.fn_oid))
	{
		getTypeInputInfo(attribute->atttypid, &input, &column->io_param);
		fmgr_info_cxt(input, &column->input, GetMemoryChunkContext(bulk->columns));
	}
	value = InputFunctionCall(&column->input, text, column->io_param, column->typmod);
	if (attribute->attbyval && strlcpy(column->text, text, NAMEDATALEN) < NAMEDATALEN)
		column->value = value;
	else
		column->text[0] = '\0';
	return value;
}

static bool
is_filled(const BulkInsert *bulk, int count, int at)
{
	for (int i = 0; i < count; i++)
		if (bulk->columns[i].at == at)
			return true;
	return false;
}

/* Prepare the defaults of the columns that the caller does not set. */
static void
prepare_defaults(BulkInsert *bulk, int count)
{
	TupleDesc desc = RelationGetDescr(bulk->table);

	bulk->defaults = palloc0(desc->natts * sizeof(ExprState *));
	for (int at = 0; at < desc->natts; at++)
	{
		Expr *expression = is_filled(bulk, count, at) ? NULL : bulk_default(bulk->table, at);

		if (expression)
			bulk->defaults[at] = ExecInitExpr(expression_planner(expression), NULL);
	}
}

static BulkInsert *
open_bulk(Oid table, int count, const char *const *columns)
{
	BulkInsert *bulk = palloc0(sizeof(BulkInsert));

	PreventCommandIfReadOnly("INSERT");
	bulk->table = table_open(table, RowExclusiveLock);
	check_table(bulk->table);
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

/* Insert the pending rows. */
static void
flush(BulkInsert *bulk)
{
	if (bulk->count == 0)
		return;
	table_multi_insert(bulk->table, bulk->slots, bulk->count, GetCurrentCommandId(true), 0, NULL);
	for (int i = 0; i < bulk->count; i++)
	{
		/* the values are still there: a heap forms a tuple, and would read it for each index */
		if (TTS_IS_BUFFERTUPLE(bulk->slots[i]))
			bulk->slots[i]->tts_nvalid = (AttrNumber) RelationGetDescr(bulk->table)->natts;
		list_free(compat_insert_index_tuples(bulk->info, bulk->slots[i], bulk->state,
											 COMPAT_ALL_INDEXES));
	}
	ResetPerTupleExprContext(bulk->state);
	MemoryContextReset(bulk->rows);
	bulk->count = 0;
}

static void
check_row(BulkInsert *bulk, TupleTableSlot *slot)
{
	TupleConstr *rules = RelationGetDescr(bulk->table)->constr;

	if (rules && rules->has_generated_stored)
		ExecComputeStoredGenerated(bulk->info, bulk->state, slot, CMD_INSERT);
	if (rules)
		ExecConstraints(bulk->info, slot, bulk->state);
}

/* Add a row to the pending ones. */
static void
keep_row(BulkInsert *bulk, TupleTableSlot *slot)
{
	check_row(bulk, slot);
	if (++bulk->count == GROUP_ROWS)
		flush(bulk);
}

/* Add a row to the pending ones unless the table has its key, which none of these has. */
static void
keep_absent(BulkInsert *bulk, TupleTableSlot *slot)
{
	ItemPointerData present;

	if (compat_check_index_constraints(bulk->info, slot, bulk->state, &present))
		keep_row(bulk, slot);
}

/* Insert a row at once, with row-level triggers; a BEFORE trigger may skip it. */
static void
write_row(BulkInsert *bulk, TupleTableSlot *slot)
{
	TriggerDesc *triggers = bulk->info->ri_TrigDesc;
	List *recheck;

	if (triggers && triggers->trig_insert_before_row &&
		!ExecBRInsertTriggers(bulk->state, bulk->info, slot))
		return;
	check_row(bulk, slot);
	table_tuple_insert(bulk->table, slot, bulk->state->es_output_cid, 0, NULL);
	recheck = compat_insert_index_tuples(bulk->info, slot, bulk->state, COMPAT_ALL_INDEXES);
	ExecARInsertTriggers(bulk->state, bulk->info, slot, recheck, bulk->capture);
	list_free(recheck);
	ResetPerTupleExprContext(bulk->state);
	MemoryContextReset(bulk->rows);
}

/* Run statement-level and deferred AFTER triggers. */
static void
end_ruled(BulkInsert *bulk)
{
	ExecASInsertTriggers(bulk->state, bulk->info, bulk->capture);
	AfterTriggerEndQuery(bulk->state);
	PopActiveSnapshot();
	CommandCounterIncrement();
}

BulkInsert *
cat_bulk_insert_open(Oid table, int count, const char *const *columns)
{
	BulkInsert *bulk = open_bulk(table, count, columns);

	bulk->end_row = keep_row;
	bulk->end = flush;
	return bulk;
}

BulkInsert *
cat_bulk_insert_open_absent(Oid table, int count, const char *const *columns)
{
	BulkInsert *bulk = cat_bulk_insert_open(table, count, columns);
	const ResultRelInfo *info = bulk->info;

	for (int i = 0; i < info->ri_NumIndices; i++)
		if (info->ri_IndexRelationInfo[i]->ii_Unique)
			BuildSpeculativeIndexInfo(info->ri_IndexRelationDescs[i],
									  info->ri_IndexRelationInfo[i]);
	bulk->end_row = keep_absent;
	return bulk;
}

BulkInsert *
cat_bulk_insert_open_ruled(Oid table, int count, const char *const *columns)
{
	BulkInsert *bulk = open_bulk(table, count, columns);

	bulk->end_row = write_row;
	bulk->end = end_ruled;
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	bulk->state->es_output_cid = GetCurrentCommandId(true);
	bulk->state->es_opened_result_relations = list_make1(bulk->info);
	AfterTriggerBeginQuery();
	bulk->capture = MakeTransitionCaptureState(bulk->table->trigdesc, RelationGetRelid(bulk->table),
											   CMD_INSERT);
	ExecBSInsertTriggers(bulk->state, bulk->info);
	return bulk;
}

TupleTableSlot *
cat_bulk_insert_row(BulkInsert *bulk)
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
	return slot;
}

void
cat_bulk_insert_set(BulkInsert *bulk, int column, Datum value)
{
	TupleTableSlot *slot = bulk->slots[bulk->count];
	int at = bulk->columns[column].at;

	if (at < 0)
		return;
	slot->tts_values[at] = value;
	slot->tts_isnull[at] = false;
}

void
cat_bulk_insert_set_copy(BulkInsert *bulk, int column, Datum value)
{
	int at = bulk->columns[column].at;
	Form_pg_attribute attribute;
	MemoryContext old;

	if (at < 0)
		return;
	attribute = TupleDescAttr(RelationGetDescr(bulk->table), at);
	old = MemoryContextSwitchTo(bulk->rows);
	cat_bulk_insert_set(bulk, column, datumCopy(value, attribute->attbyval, attribute->attlen));
	MemoryContextSwitchTo(old);
}

void
cat_bulk_insert_set_text(BulkInsert *bulk, int column, const char *text)
{
	BulkColumn *target = &bulk->columns[column];
	MemoryContext old = MemoryContextSwitchTo(bulk->rows);
	int length = (int) strlen(text);

	if (target->at >= 0)
		learn_text(bulk->table, target);
	if (target->max > 0 && length > target->max)
		length = pg_mbcharcliplen(text, length, target->max);
	if (target->at >= 0 && target->plain)
		cat_bulk_insert_set(bulk, column, PointerGetDatum(cstring_to_text_with_len(text, length)));
	else if (target->at >= 0)
		cat_bulk_insert_set(bulk, column, input_text(bulk, target, pnstrdup(text, length)));
	MemoryContextSwitchTo(old);
}

void
cat_bulk_insert_end_row(BulkInsert *bulk)
{
	bulk->end_row(bulk, ExecStoreVirtualTuple(bulk->slots[bulk->count]));
}

bool
cat_bulk_insert_replace(BulkInsert *bulk, ItemPointer former)
{
	TupleTableSlot *slot = ExecStoreVirtualTuple(bulk->slots[bulk->count]);
	CompatIndexes indexes;
	TM_FailureData failure;
	LockTupleMode mode;

	check_row(bulk, slot);
	if (table_tuple_update(bulk->table, former, slot, GetCurrentCommandId(true),
						   GetActiveSnapshot(), InvalidSnapshot, false, &failure, &mode,
						   &indexes) != TM_Ok)
		return false;
	if (indexes != COMPAT_NO_INDEXES)
		list_free(compat_insert_index_tuples(bulk->info, slot, bulk->state, indexes));
	ResetPerTupleExprContext(bulk->state);
	return true;
}

void
cat_bulk_insert_close(BulkInsert *bulk)
{
	bulk->end(bulk);
	for (int i = 0; i < GROUP_ROWS && bulk->slots[i]; i++)
		ExecDropSingleTupleTableSlot(bulk->slots[i]);
	ExecCloseIndices(bulk->info);
	/* slots that triggers have opened */
	ExecResetTupleTable(bulk->state->es_tupleTable, false);
	FreeExecutorState(bulk->state);
	MemoryContextDelete(bulk->rows);
	table_close(bulk->table, NoLock);
}
