/*
 * statement.c
 *	  Statements: prepared and cached by their text, time limits and subtransactions.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timeout.h"

#include "pg/pg.h"

char *
cat_statement_value_text(Oid type, Datum value)
{
	Oid function;
	bool varlena;

	getTypeOutputInfo(type, &function, &varlena);
	return OidOutputFunctionCall(function, value);
}

Datum
cat_statement_value_read(Oid type, int32 typmod, const char *text)
{
	Oid function;
	Oid parameter;

	getTypeInputInfo(type, &function, &parameter);
	return OidInputFunctionCall(function, unconstify(char *, text), parameter, typmod);
}

void
cat_statement_timeout_pause(void)
{
	if (get_timeout_active(STATEMENT_TIMEOUT))
		disable_timeout(STATEMENT_TIMEOUT, true);
}

void
cat_statement_timeout_resume(void)
{
	if (StatementTimeout > 0 && !get_timeout_active(STATEMENT_TIMEOUT) &&
		!get_timeout_indicator(STATEMENT_TIMEOUT, false))
		enable_timeout_after(STATEMENT_TIMEOUT, StatementTimeout);
}

ErrorData *
cat_statement_in_subtransaction(void (*step)(void *argument), void *argument)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext outer = CurTransactionContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	/* PostgreSQL keeps the context of a subtransaction in which a trigger ran until the transaction ends */
	CurTransactionContext = outer;
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		step(argument);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurTransactionContext = outer;
	CurrentResourceOwner = owner;
	return error;
}

/* Maximum number of cached statements; when it is exceeded, the cache is emptied. */
#define PLAN_MAX 128

typedef struct PlanEntry
{
	uint64 hash;
	char *sql;
	SPIPlanPtr plan;
} PlanEntry;

static HTAB *plans;

/*
 * Number of running statements.  An error leaves it wrong, so it is reset at the end of the
 * transaction.
 */
static int running;

static void
forget_running(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT)
		running = 0;
}

static void
free_entry(PlanEntry *entry)
{
	SPI_freeplan(entry->plan);
	pfree(entry->sql);
	hash_search(plans, &entry->hash, HASH_REMOVE, NULL);
}

void
cat_statement_trim(void)
{
	HASH_SEQ_STATUS scan;
	PlanEntry *entry;

	if (!plans || running > 0 || hash_get_num_entries(plans) <= PLAN_MAX)
		return;
	hash_seq_init(&scan, plans);
	while ((entry = hash_seq_search(&scan)))
		free_entry(entry);
}

/*
 * Return whether an entry is for this statement and these types, which change with a column's type.
 */
static bool
is_same(const PlanEntry *entry, const char *sql, int nargs, const Oid *types)
{
	if (strcmp(entry->sql, sql) != 0 || SPI_getargcount(entry->plan) != nargs)
		return false;
	for (int i = 0; i < nargs; i++)
		if (SPI_getargtypeid(entry->plan, i) != types[i])
			return false;
	return true;
}

/* Return the prepared statement of a text and parameter types; options: CURSOR_OPT_.... */
static SPIPlanPtr
prepared(const char *sql, int nargs, Oid *types, int options)
{
	uint64 hash = hash_bytes_extended((const unsigned char *) sql, (int) strlen(sql), options);
	HASHCTL control = {.keysize = sizeof(uint64), .entrysize = sizeof(PlanEntry)};
	PlanEntry *entry;
	SPIPlanPtr plan;

	if (!plans)
	{
		plans = hash_create("catalogue plans", 128, &control, HASH_ELEM | HASH_BLOBS);
		RegisterXactCallback(forget_running, NULL);
	}
	entry = hash_search(plans, &hash, HASH_FIND, NULL);
	if (entry && is_same(entry, sql, nargs, types))
		return entry->plan;
	if (entry)
		free_entry(entry);

	plan = SPI_prepare_cursor(sql, nargs, types, options);
	if (!plan)
		elog(ERROR, "could not prepare \"%s\": %s", sql, SPI_result_code_string(SPI_result));
	SPI_keepplan(plan);
	entry = hash_search(plans, &hash, HASH_ENTER, NULL);
	entry->sql = MemoryContextStrdup(TopMemoryContext, sql);
	entry->plan = plan;
	return plan;
}

/* A statement to run, with its parameters. */
typedef struct Statement
{
	const char *sql;
	int nargs;
	Oid *types;
	Datum *values;
	const char *nulls;
	int options; /* CURSOR_OPT_.... */
} Statement;

/* Run a statement in the current memory context, which SPI_execute_plan() changes. */
static void
run_prepared(const Statement *statement, bool read_only, long limit)
{
	MemoryContext context = CurrentMemoryContext;
	SPIPlanPtr plan =
		prepared(statement->sql, statement->nargs, statement->types, statement->options);
	int result;

	running++;
	result = SPI_execute_plan(plan, statement->values, statement->nulls, read_only, limit);
	running--;
	MemoryContextSwitchTo(context);
	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", statement->sql, SPI_result_code_string(result));
}

/*
 * Run a statement.  A definition that changed while it waited for a lock becomes a serialization
 * failure.
 */
static void
run(const Statement *statement, bool read_only, long limit)
{
	PG_TRY();
	{
		run_prepared(statement, read_only, limit);
	}
	PG_CATCH();
	{
		cat_invalidation_hook_error();
	}
	PG_END_TRY();
	cat_invalidation_hook_lock();
}

void
cat_statement_run(const char *sql, int nargs, Oid *types, Datum *values, const char *nulls,
				  bool fresh, long limit)
{
	const Statement statement = {sql, nargs, types, values, nulls, 0};

	run(&statement, !fresh, limit);
}

/* Set the parameters of a statement. */
static void
set_params(Statement *statement, const StatementParam *params)
{
	char *nulls = palloc(statement->nargs + 1);

	statement->types = palloc(sizeof(Oid) * (statement->nargs + 1));
	statement->values = palloc(sizeof(Datum) * (statement->nargs + 1));
	statement->nulls = nulls;
	for (int i = 0; i < statement->nargs; i++)
	{
		statement->types[i] = params[i].type;
		statement->values[i] = params[i].value;
		nulls[i] = params[i].isnull ? 'n' : ' ';
	}
}

void
cat_statement_params(bool fresh, const char *sql, int count, const StatementParam *params)
{
	Statement statement = {.sql = sql, .nargs = count};

	set_params(&statement, params);
	run(&statement, !fresh, 0);
}

void
cat_statement_run_planned(const char *sql, int nargs, Oid *types, Datum *values, int options)
{
	const Statement statement = {sql, nargs, types, values, NULL, options};

	run(&statement, true, 0);
}

static void
run_change(void *statement)
{
	run(statement, false, 0);
}

void
cat_statement_params_in(WriteMode mode, const char *sql, int count, const StatementParam *params)
{
	Statement statement = {.sql = sql, .nargs = count};

	set_params(&statement, params);
	cat_write_mode_call(mode, run_change, &statement);
}
