/*
 * select_scan.c
 *	  Tables of a client's statement are read while it is executed.
 *
 * The analysis takes a table for one of rows in memory, and it has none: a hook of the planner puts a custom scan in its
 * place.  A scan reads the columns that the statement uses, and the rows that can meet its conditions
 * (select_condition.c).  Records are the result of a SELECT, in a tuplestore.  Rows of a file are made of its chunks one by
 * one: none is stored, and none is read behind a LIMIT.
 */
#include "catalogue.h"

#include "catalog/pg_operator.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "lib/integerset.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/date.h"
#include "utils/numeric.h"
#include "utils/plancache.h"
#include "utils/queryenvironment.h"
#include "utils/tuplestore.h"

#include "rows/contents/evaluate.h"
#include "select/select.h"
#include "select/select_internal.h"

/* Columns of the table of a file, from 1 on: the number of the row, then those of the sheet. */
#define ROW_ID 1
#define FIRST_COLUMN 2

/* Text of a geometry that is not given as WKT, in a statement that computes with geometries.  It is none of a geometry,
 * so that their functions raise an error. */
#define LONGER "longer than 1 MiB"

/* Name of the scan, which EXPLAIN would show. */
#define SCAN "table of a statement"

struct SelectTable
{
	const char *name;
	TupleDesc columns;
	double rows; /* about */
	Oid reader;	 /* the user who reads them */
	/* records */
	const char *sql; /* NULL: rows of a file */
	/* rows of a file */
	const SheetQuery *asked;
	bool geometries;	 /* the statement computes with geometries */
	IntegerSet *omitted; /* then, the rows whose geometries the reader has left out */
	bool is_told;		 /* the statement reads the geometries */
};

/* What a text of a segment of codes is as a value. */
typedef struct KnownValue
{
	bool is_known;
	bool isnull;
	Datum value;
} KnownValue;

typedef struct TableScan
{
	CustomScanState state;
	const SelectTable *table;
	const List *conditions; /* as cat_select_condition_all() returns them */
	int ncolumns;			/* that are read, */
	int *columns;			/* and which, by their numbers */
	/* records */
	Tuplestorestate *records; /* NULL: not read yet */
	TupleTableSlot *record;
	/* rows of a file */
	SheetQuery asked; /* with the conditions as filters */
	ChunkScan chunks;
	int64 row;			/* that was returned last, 0: none yet */
	KnownValue **known; /* of each column, by the texts of its segment; NULL: none yet */
} TableScan;

/* Tables of the statement that is being executed, List of SelectTable *. */
static const List *offered;

static set_rel_pathlist_hook_type next_paths;

/* ---- Tables ---- */

/* Return the type of a column of a file. */
static Oid
type_of(CellKind kind)
{
	switch (kind)
	{
		case CELL_INTEGER:
		case CELL_DECIMAL:
			return NUMERICOID;
		case CELL_BOOLEAN:
			return BOOLOID;
		case CELL_DATETIME:
			return TIMESTAMPTZOID;
		case CELL_DATE:
		case CELL_MONTH:
		case CELL_QUARTER:
			return DATEOID;
		case CELL_TEXT:
			break;
	}
	return TEXTOID;
}

int
cat_select_scan_column(int number)
{
	return number == ROW_ID ? ROW_NUMBER : number - FIRST_COLUMN;
}

/* Return the columns of a file. */
static TupleDesc
columns_of(const Sheet *sheet)
{
	TupleDesc desc = CreateTemplateTupleDesc(sheet->ncolumns + 1);

	TupleDescInitEntry(desc, ROW_ID, CAT_SELECT_ROW_ID, INT8OID, -1, 0);
	for (int i = 0; i < sheet->ncolumns; i++)
		TupleDescInitEntry(desc, (AttrNumber) (FIRST_COLUMN + i),
						   cat_select_table_identifier(sheet->columns[i].name),
						   type_of(sheet->columns[i].kind), -1, 0);
	return desc;
}

/* Return the rows whose geometries the reader has left out. */
static IntegerSet *
find_omitted(const Sheet *sheet)
{
	IntegerSet *rows = intset_create();

	cat_statement_read(
		"SELECT DISTINCT i.line FROM catalogue.sheet_issue i WHERE i.sheet = $1 AND i.reason LIKE "
		"'the geometry is longer than %, and is left out%' ORDER BY i.line",
		int8_param(sheet->id));
	for (uint64 i = 0; i < SPI_processed; i++)
		intset_add_member(rows, strtoull(cat_result_text_at(i, 1), NULL, 10));
	return rows;
}

SelectTable *
cat_select_scan_file(const char *name, const SheetQuery *asked, bool geometries)
{
	SelectTable *table = palloc(sizeof(SelectTable));

	*table = (SelectTable){.name = name,
						   .columns = columns_of(asked->sheet),
						   .rows = (double) asked->sheet->rows,
						   .reader = GetUserId(),
						   .asked = asked,
						   .geometries = geometries};
	if (geometries && asked->sheet->places[GEOMETRY])
		table->omitted = find_omitted(asked->sheet);
	return table;
}

/* Prepare a SELECT, whose result is a table. */
static SPIPlanPtr
prepare(const char *name, const char *sql)
{
	SPIPlanPtr plan = SPI_prepare(sql, 0, NULL);

	if (!plan)
		elog(ERROR, "table \"%s\" of a statement cannot be read: %s", name,
			 SPI_result_code_string(SPI_result));
	return plan;
}

SelectTable *
cat_select_scan_records(const char *name, const char *sql)
{
	SelectTable *table = palloc(sizeof(SelectTable));
	SPIPlanPtr plan = prepare(name, sql);
	const CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(plan));
	CachedPlan *planned = SPI_plan_get_cached_plan(plan);

	*table =
		(SelectTable){.name = name,
					  .columns = CreateTupleDescCopy(source->resultDesc),
					  .rows = linitial_node(PlannedStmt, planned->stmt_list)->planTree->plan_rows,
					  .reader = GetUserId(),
					  .sql = sql};
	ReleaseCachedPlan(planned, NULL);
	SPI_freeplan(plan);
	return table;
}

List *
cat_select_scan_notes(const SelectTable *table)
{
	return table->is_told ? cat_sheet_query_lost(table->asked) : NIL;
}

void
cat_select_scan_begin(const List *tables)
{
	foreach_ptr(SelectTable, table, tables)
	{
		EphemeralNamedRelation relation = palloc0(sizeof(EphemeralNamedRelationData));

		relation->md.name = pstrdup(table->name);
		relation->md.tupdesc = table->columns;
		relation->md.enrtype = ENR_NAMED_TUPLESTORE;
		relation->md.enrtuples = table->rows;
		if (SPI_register_relation(relation) != SPI_OK_REL_REGISTER)
			elog(ERROR, "table \"%s\" of a statement cannot be registered", table->name);
	}
	offered = tables;
}

void
cat_select_scan_end(void)
{
	offered = NIL;
}

static SelectTable *
find_table(const char *name)
{
	foreach_ptr(SelectTable, table, offered)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

/* ---- Rows of files ---- */

/* Return whether a column has the geometries that the reader of a geographic file has found. */
static bool
is_geometry(const Sheet *sheet, int column)
{
	return sheet->places[GEOMETRY] && column != ROW_NUMBER &&
		   strcmp(sheet->columns[column].name, sheet->places[GEOMETRY]) == 0;
}

/* Begin to read the rows of a file that pass the conditions. */
static void
open_file(TableScan *scan, SelectTable *table)
{
	scan->known = palloc0(sizeof(KnownValue *) * (size_t) (scan->ncolumns + 1));
	for (int i = 0; i < scan->ncolumns; i++)
		table->is_told |=
			is_geometry(table->asked->sheet, cat_select_scan_column(scan->columns[i]));
	scan->asked = *table->asked;
	cat_select_condition_filter(&scan->asked, scan->conditions);
	cat_sheet_scan_open(&scan->chunks, table->asked->sheet, 1);
	cat_sheet_filter_begin(&scan->chunks, &scan->asked);
}

/* Move to the next row that passes; false at the end. */
static bool
move(TableScan *scan)
{
	int64 row = scan->chunks.open ? cat_sheet_scan_kept_here(&scan->chunks, scan->row + 1) : 0;

	if (row == 0)
	{
		cat_security_context_take_role(scan->table->reader);
		row = cat_sheet_scan_kept(&scan->chunks, scan->row + 1, -1);
		cat_security_context_return();
		/* these were in the memory of the former chunk */
		memset(scan->known, 0, sizeof(KnownValue *) * (size_t) scan->ncolumns);
	}
	scan->row = row > 0 ? row : scan->chunks.sheet->rows;
	return row > 0;
}

/* Return a cell as a value of its column's type. */
static Datum
value_of(const SheetColumn *is, CellText cell, bool *isnull)
{
	CellValue value;
	int64 instant;

	if (is->kind == CELL_TEXT)
	{
		*isnull = cell.absent || cell.length > CONTENTS_CELL;
		return *isnull ? 0 : PointerGetDatum(cstring_to_text_with_len(cell.bytes, cell.length));
	}
	*isnull = !cat_cell_value(is, cell.bytes, cell.length, &value);
	if (*isnull)
		return 0;
	instant = value.instant;
	switch (type_of(is->kind))
	{
		case NUMERICOID:
			return cat_cell_numeric(&value.number);
		case BOOLOID:
			return BoolGetDatum(value.number.value != 0);
		case DATEOID:
			return DateADTGetDatum(
				(DateADT) (instant / USECS_PER_DAY - (instant % USECS_PER_DAY < 0)));
		default:
			return TimestampTzGetDatum(instant);
	}
}

/* Return the number, or the instant, of a code. */
static Datum
number_of(const Segment *segment, uint64 code)
{
	int64 number = cat_segment_value(segment, code);
	int digits = segment->most;

	if (segment_has_instants(segment))
		return TimestampTzGetDatum(number * USECS_PER_SEC);
	/* as cat_cell_numeric(), without zeros behind the last digit that counts */
	for (; digits > 0 && number % 10 == 0; digits--)
		number /= 10;
	return NumericGetDatum(int64_div_fast_to_numeric(number, digits));
}

/* Return the value of a text of a segment of codes, which is made once. */
static Datum
known_value(TableScan *scan, int nth, const SheetColumn *is, const Segment *segment, uint64 code,
			bool *isnull)
{
	MemoryContext old = MemoryContextSwitchTo(scan->chunks.chunk_memory);
	KnownValue *known;

	if (!scan->known[nth])
		scan->known[nth] = palloc0(sizeof(KnownValue) * (size_t) segment->cells.rows);
	known = &scan->known[nth][code];
	if (!known->is_known)
	{
		known->value = value_of(is, segment_cells_at(&segment->cells, (int) code), &known->isnull);
		known->is_known = true;
	}
	MemoryContextSwitchTo(old);
	*isnull = known->isnull;
	return known->value;
}

/* Return whether the row has a geometry that is not given as WKT. */
static bool
is_longer(const TableScan *scan, CellText cell)
{
	return (!cell.absent && cell.length > CONTENTS_CELL) ||
		   intset_is_member(scan->table->omitted, (uint64) scan->row);
}

/* Return the value of a column that is read, in the current row. */
static Datum
read_value(TableScan *scan, int nth, bool *isnull)
{
	int column = cat_select_scan_column(scan->columns[nth]);
	int row = (int) (scan->row - scan->chunks.chunk.first);
	const Sheet *sheet = scan->chunks.sheet;
	const SheetColumn *is;
	Segment *segment;
	uint64 code;

	*isnull = false;
	if (column == ROW_NUMBER)
		return Int64GetDatum(scan->row);
	is = &sheet->columns[column];
	segment = cat_sheet_scan_segment(&scan->chunks, column);
	if (scan->table->geometries && is_geometry(sheet, column) &&
		is_longer(scan, cat_segment_cell(segment, row)))
		return CStringGetTextDatum(LONGER);
	code = segment->codes ? segment->codes[row] : 0;
	if (segment->codes && code < (uint64) segment->cells.rows)
		return known_value(scan, nth, is, segment, code, isnull);
	if (segment->codes && cat_sheet_filter_is_ordered(is, segment))
		return number_of(segment, code);
	return value_of(is, cat_segment_cell(segment, row), isnull);
}

/* ---- Records ---- */

/* Read the records that pass the conditions. */
static void
read_records(TableScan *scan)
{
	const SelectTable *table = scan->table;
	SPIExecuteOptions options = {.read_only = true};
	const char *separator = "";
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < scan->ncolumns; i++, separator = ", ")
		appendStringInfo(&sql, "%st.%s", separator,
						 quote_identifier(NameStr(
							 TupleDescAttr(table->columns, scan->columns[i] - 1)->attname)));
	appendStringInfo(&sql, " FROM (%s) t WHERE true", table->sql);
	cat_select_condition_write(&sql, table->columns, scan->conditions);
	scan->records = tuplestore_begin_heap(true, false, work_mem);
	options.dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(options.dest, scan->records, CurrentMemoryContext, true, NULL,
									NULL);
	cat_security_context_take_role(table->reader);
	SPI_connect();
	if (SPI_execute_plan_extended(prepare(table->name, sql.data), &options) != SPI_OK_SELECT)
		elog(ERROR, "table \"%s\" of a statement is not the result of a SELECT", table->name);
	SPI_finish();
	cat_security_context_return();
}

/* Put the next record into the slot; false at the end. */
static bool
next_record(TableScan *scan, TupleTableSlot *slot)
{
	MemoryContext old = MemoryContextSwitchTo(scan->state.ss.ps.state->es_query_cxt);
	bool found;

	if (!scan->records)
		read_records(scan);
	found = tuplestore_gettupleslot(scan->records, true, false, scan->record);
	MemoryContextSwitchTo(old);
	if (!found)
		return false;
	slot_getallattrs(scan->record);
	memcpy(slot->tts_values, scan->record->tts_values, sizeof(Datum) * (size_t) scan->ncolumns);
	memcpy(slot->tts_isnull, scan->record->tts_isnull, sizeof(bool) * (size_t) scan->ncolumns);
	return true;
}

/* ---- Execution ---- */

static void
begin_scan(CustomScanState *state, EState *estate, int flags)
{
	TableScan *scan = (TableScan *) state;
	const List *planned = ((const CustomScan *) state->ss.ps.plan)->custom_private;
	const List *columns = lsecond(planned);
	SelectTable *table = find_table(strVal(linitial(planned)));

	if (!table)
		elog(ERROR, "a plan of another statement");
	scan->table = table;
	scan->conditions = lthird(planned);
	scan->ncolumns = list_length(columns);
	scan->columns = palloc(sizeof(int) * (size_t) (scan->ncolumns + 1));
	foreach_int(column, columns)
		scan->columns[foreach_current_index(column)] = column;
	if (table->sql)
		scan->record = MakeSingleTupleTableSlot(state->ss.ss_ScanTupleSlot->tts_tupleDescriptor,
												&TTSOpsMinimalTuple);
	else
		open_file(scan, table);
}

/* Return the next row, whose values are there until the one behind it is asked for; an empty slot at the end. */
static TupleTableSlot *
next_row(ScanState *state)
{
	TableScan *scan = (TableScan *) state;
	TupleTableSlot *slot = state->ss_ScanTupleSlot;
	MemoryContext old;

	ExecClearTuple(slot);
	if (scan->table->sql ? !next_record(scan, slot) : !move(scan))
		return slot;
	old = MemoryContextSwitchTo(state->ps.ps_ExprContext->ecxt_per_tuple_memory);
	for (int i = 0; i < scan->ncolumns && !scan->table->sql; i++)
		slot->tts_values[i] = read_value(scan, i, &slot->tts_isnull[i]);
	MemoryContextSwitchTo(old);
	return ExecStoreVirtualTuple(slot);
}

/* Rows are never changed while they are read. */
static bool
recheck_row(ScanState *state, TupleTableSlot *slot)
{
	return true;
}

static TupleTableSlot *
execute_scan(CustomScanState *state)
{
	return ExecScan(&state->ss, next_row, recheck_row);
}

static void
end_scan(CustomScanState *state)
{
	TableScan *scan = (TableScan *) state;

	if (scan->record)
		ExecDropSingleTupleTableSlot(scan->record);
	if (scan->records)
		tuplestore_end(scan->records);
}

/* Begin again with the first row. */
static void
rescan(CustomScanState *state)
{
	TableScan *scan = (TableScan *) state;

	scan->row = 0;
	if (scan->records)
		tuplestore_rescan(scan->records);
}

/* ---- Plans ---- */

static Node *
make_state(CustomScan *plan)
{
	static const CustomExecMethods methods = {.CustomName = SCAN,
											  .BeginCustomScan = begin_scan,
											  .ExecCustomScan = execute_scan,
											  .EndCustomScan = end_scan,
											  .ReScanCustomScan = rescan};
	TableScan *scan = (TableScan *) newNode(sizeof(TableScan), T_CustomScanState);

	scan->state.methods = &methods;
	return (Node *) scan;
}

/* Make the plan of a path: it reads the columns that are used above it, and those of the conditions. */
static Plan *
make_plan(PlannerInfo *root, RelOptInfo *table, CustomPath *path, List *results, List *clauses,
		  List *plans)
{
	static const CustomScanMethods methods = {.CustomName = SCAN,
											  .CreateCustomScanState = make_state};
	CustomScan *scan = makeNode(CustomScan);
	List *conditions = extract_actual_clauses(clauses, false);
	List *read = pull_var_clause((Node *) list_concat_copy(table->reltarget->exprs, conditions),
								 PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS |
									 PVC_RECURSE_PLACEHOLDERS);
	List *columns = NIL;
	List *entries = NIL;

	foreach_ptr(Var, var, read)
	{
		if (var->varno != (int) table->relid || list_member_int(columns, var->varattno))
			continue;
		columns = lappend_int(columns, var->varattno);
		entries = lappend(entries, makeTargetEntry((Expr *) copyObject(var),
												   (AttrNumber) list_length(columns), NULL, false));
	}
	scan->scan.plan.targetlist = results;
	scan->scan.plan.qual = conditions;
	scan->custom_scan_tlist = entries;
	scan->custom_private =
		list_make3(linitial(path->custom_private), columns,
				   cat_select_condition_all(root, (int) table->relid, conditions));
	scan->flags = path->flags;
	scan->methods = &methods;
	return &scan->scan.plan;
}

/* Callback of the planner for each table: a custom scan is the one way to read those of the statement. */
static void
set_paths(PlannerInfo *root, RelOptInfo *table, Index number, RangeTblEntry *entry)
{
	static const CustomPathMethods methods = {.CustomName = SCAN, .PlanCustomPath = make_plan};
	const SelectTable *found;
	CustomPath *path;

	if (next_paths)
		next_paths(root, table, number, entry);
	found = entry->rtekind == RTE_NAMEDTUPLESTORE ? find_table(entry->enrname) : NULL;
	/* no row of a dummy relation can meet the conditions */
	if (!found || IS_DUMMY_REL(table))
		return;
	path = makeNode(CustomPath);
	path->path = *(Path *) linitial(table->pathlist);
	path->path.type = T_CustomPath;
	path->path.pathtype = T_CustomScan;
	if (found->asked)
		path->path.pathkeys = compat_expression_pathkey(
			root, (Expr *) makeVar((int) number, ROW_ID, INT8OID, -1, InvalidOid, 0),
			Int8LessOperator, table->relids);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make1(makeString(entry->enrname));
	path->methods = &methods;
	table->pathlist = list_make1(path);
}

void
cat_select_scan_init(void)
{
	next_paths = set_rel_pathlist_hook;
	set_rel_pathlist_hook = set_paths;
}
