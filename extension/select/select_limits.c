/*
 * select_limits.c
 *	  What a client's statement may use: time, memory, rights, and bounds of values.
 *
 * Memory is limited by RLIMIT_DATA, since aggregates such as string_agg are not subject to work_mem:
 * an allocation above it fails, which PostgreSQL reports as an error.  The stack does not count.
 */
#include "catalogue.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "access/detoast.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timeout.h"

#include "base/settings.h"
#include "pg/pg.h"
#include "select/select_internal.h"

/*
 * ---- Limits of the lengths of texts and numbers ----
 *
 * Few functions of PostgreSQL check for interrupts, and the expressions of a row are evaluated
 * without a check between them.  Therefore texts that a function, an operator or an aggregate takes
 * are passed through catalogue.bounded(), which checks.  Some functions, such as LIKE and
 * translate(), take the product of the lengths of their arguments: of these catalogue.bounded() refuses longer ones.
 *
 * Most functions, operators and aggregates of numbers take the square of the number of digits.
 * Therefore each number is passed through catalogue.bounded() where it arises: as a constant, or as
 * the result of a conversion, a function, an operator or an aggregate.  Numbers in columns of files
 * are shorter (NUMBER_BYTES).
 */

/* Most bytes of a text, and of what is sought in it; most digits of a number. */
#define TEXT_MAX (1024 * 1024)
#define WORD_MAX 250
#define DIGITS_MAX 1000

/* Functions, and those of operators, by name; in the order of strcmp(). */
static const struct Bound
{
	const char *name;
	int first; /* bytes of the first argument, */
	int other; /* of each other one */
} bounds[] = {
	{"bpchariclike", TEXT_MAX, WORD_MAX},	 {"bpcharicnlike", TEXT_MAX, WORD_MAX},
	{"bpcharlike", TEXT_MAX, WORD_MAX},		 {"bpcharnlike", TEXT_MAX, WORD_MAX},
	{"btrim", TEXT_MAX, WORD_MAX},			 {"ltrim", TEXT_MAX, WORD_MAX},
	{"position", TEXT_MAX, WORD_MAX},		 {"replace", TEXT_MAX, WORD_MAX},
	{"rtrim", TEXT_MAX, WORD_MAX},			 {"split_part", TEXT_MAX, WORD_MAX},
	{"st_geomfromtext", TEXT_MAX, WORD_MAX}, {"strpos", TEXT_MAX, WORD_MAX},
	{"texticlike", TEXT_MAX, WORD_MAX},		 {"texticnlike", TEXT_MAX, WORD_MAX},
	{"textlike", TEXT_MAX, WORD_MAX},		 {"textnlike", TEXT_MAX, WORD_MAX},
	{"to_char", TEXT_MAX, WORD_MAX},		 {"to_date", WORD_MAX, WORD_MAX},
	{"to_number", WORD_MAX, WORD_MAX},		 {"to_timestamp", WORD_MAX, WORD_MAX},
	{"translate", TEXT_MAX, WORD_MAX},
};

static int
compare(const void *name, const void *bound)
{
	return strcmp(name, ((const struct Bound *) bound)->name);
}

/* Pass a value through a function, which takes most besides; the type stays. */
static Expr *
guarded(Oid guard, Expr *value, int most)
{
	Oid type = exprType((Node *) value);
	Oid collation = exprCollation((Node *) value);

	return (Expr *) makeFuncExpr(
		guard, type,
		list_make2(value, makeConst(INT4OID, -1, InvalidOid, 4, Int32GetDatum(most), false, true)),
		collation, collation, COERCE_EXPLICIT_CALL);
}

/* Bound an argument of varying length that is no number. */
static void
bound_argument(Expr **argument, Oid guard, int most)
{
	Oid type = exprType((Node *) *argument);

	if (get_typlen(type) == -1 && type != NUMERICOID)
		*argument = guarded(guard, *argument, most);
}

/* Bound the arguments of a function, InvalidOid for one that has no bounds of its own. */
static void
bound_arguments(Oid function, List *arguments, Oid guard)
{
	const char *name = OidIsValid(function) ? get_func_name(function) : NULL;
	const struct Bound *bound =
		name ? bsearch(name, bounds, lengthof(bounds), sizeof(bounds[0]), compare) : NULL;
	ListCell *cell;

	foreach(cell, arguments)
	{
		int most = !bound							  ? INT_MAX
				   : foreach_current_index(cell) == 0 ? bound->first
													  : bound->other;

		if (IsA(lfirst(cell), TargetEntry))
			bound_argument(&((TargetEntry *) lfirst(cell))->expr, guard, most);
		else
			bound_argument((Expr **) &lfirst(cell), guard, most);
	}
}

/* Bound the texts that a node computes with. */
static void
bound_texts(Node *node, Oid guard)
{
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			bound_arguments(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args, guard);
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			set_opfuncid((OpExpr *) node);
			bound_arguments(((OpExpr *) node)->opfuncid, ((OpExpr *) node)->args, guard);
			break;
		case T_ScalarArrayOpExpr:
			bound_arguments(InvalidOid, ((ScalarArrayOpExpr *) node)->args, guard);
			break;
		case T_MinMaxExpr:
			bound_arguments(InvalidOid, ((MinMaxExpr *) node)->args, guard);
			break;
		case T_Aggref:
			bound_arguments(InvalidOid, ((Aggref *) node)->args, guard);
			break;
		case T_WindowFunc:
			bound_arguments(InvalidOid, ((WindowFunc *) node)->args, guard);
			break;
		case T_CoerceViaIO:
			bound_argument(&((CoerceViaIO *) node)->arg, guard, INT_MAX);
			break;
		default:
			break;
	}
}

/* Whether a node is an expression by which a number arises; others pass on what has arisen. */
static bool
is_number(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Aggref:
		case T_CoerceViaIO:
		case T_Const:
		case T_FuncExpr:
		case T_OpExpr:
		case T_WindowFunc:
			return exprType(node) == NUMERICOID;
		default:
			return false;
	}
}

/* Return a copy of a tree whose values are bounded. */
static Node *
bound(Node *node, void *context)
{
	Oid guard = *(Oid *) context;

	if (!node)
		return NULL;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, bound, context, QTW_IGNORE_JOINALIASES);
	node = expression_tree_mutator(node, bound, context);
	bound_texts(node, guard);
	return is_number(node) ? (Node *) guarded(guard, (Expr *) node, DIGITS_MAX) : node;
}

/* catalogue.bounded(), as the last statement has found it. */
static Oid last_guard;

Query *
cat_select_bound(Query *query)
{
	Oid types[] = {TEXTOID, INT4OID};

	last_guard = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("bounded"),
								 PointerGetDatum(buildoidvector(types, 2)),
								 ObjectIdGetDatum(get_namespace_oid("catalogue", false)));
	if (!OidIsValid(last_guard))
		elog(ERROR, "function catalogue.bounded does not exist");
	return (Query *) bound((Node *) query, &last_guard);
}

const Node *
cat_select_bound_value(const Node *node)
{
	const FuncExpr *call = (const FuncExpr *) node;

	return IsA(node, FuncExpr) && call->funcid == last_guard ? linitial(call->args) : node;
}

/* Return how many digits of a number stand before its decimal point, and behind it. */
static Size
count_digits(Datum number)
{
	const char *text = DatumGetCString(DirectFunctionCall1(numeric_out, number));
	Size digits = 0;

	/* the zero before a point is none of the number */
	for (const char *c = text + strspn(text, "-0"); *c; c++)
		digits += isdigit((unsigned char) *c) != 0;
	return digits;
}

/*
 * Return a value of varying length of any type.  Raises 54000 if it has more bytes, or a number more
 * digits.
 */
CAT_FUNCTION(catalogue_bounded)
{
	Datum value = PG_GETARG_DATUM(ARG_BOUNDED_VALUE);
	int most = PG_GETARG_INT32(ARG_BOUNDED_BYTES);
	bool number = get_fn_expr_argtype(fcinfo->flinfo, ARG_BOUNDED_VALUE) == NUMERICOID;
	Size length = number ? count_digits(value) : toast_raw_datum_size(value) - VARHDRSZ;

	CHECK_FOR_INTERRUPTS();
	if (length <= (Size) most)
		PG_RETURN_DATUM(value);
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 number
				 ? errmsg("a number has %zu digits, more than the %d that it may have in a query",
						  length, most)
				 : errmsg("an argument of a function or operator has %zu bytes, more than the "
						  "%d that it takes in a query",
						  length, most)));
}

#define ROLE "catalogue_query"

/* Temporary files may have so many times the memory. */
#define FILES_PER_MEMORY 4

static void
set(const char *name, const char *value)
{
	set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Set settings until cat_select_limits_end(). */
static int
set_settings(void)
{
	int nest = NewGUCNestLevel();

	/* values are written alike in every session */
	set("datestyle", "ISO");
	set("intervalstyle", "iso_8601");
	set("timezone", "UTC");
	set("work_mem", "4MB");
	set("hash_mem_multiplier", "1");
	set("jit", "off");
	set("max_parallel_workers_per_gather", "0");
	set("temp_file_limit", psprintf("%dkB", cat_query_memory * FILES_PER_MEMORY));
	return nest;
}

/* End the statement at the deadline, unless statement_timeout ends it before. */
static void
start_timeout(SelectLimits *limits)
{
	limits->deadline = GetCurrentTimestamp() + (TimestampTz) cat_query_timeout * 1000;
	limits->timeout = cat_query_timeout;
	if (get_timeout_active(STATEMENT_TIMEOUT))
	{
		limits->former_deadline = get_timeout_finish_time(STATEMENT_TIMEOUT);
		if (limits->former_deadline <= limits->deadline)
		{
			limits->deadline = limits->former_deadline;
			limits->timeout = StatementTimeout;
			return;
		}
		disable_timeout(STATEMENT_TIMEOUT, false);
		limits->had_timeout = true;
	}
	enable_timeout_at(STATEMENT_TIMEOUT, limits->deadline);
	limits->own_timeout = true;
}

static void
restore_timeout(const SelectLimits *limits)
{
	if (!limits->own_timeout)
		return;
	if (get_timeout_active(STATEMENT_TIMEOUT))
		disable_timeout(STATEMENT_TIMEOUT, false);
	if (limits->had_timeout)
		enable_timeout_at(STATEMENT_TIMEOUT, limits->former_deadline);
}

void
cat_select_limits_begin(SelectLimits *limits)
{
	*limits = (SelectLimits){0};
	limits->nest = set_settings();
	limits->read_only = XactReadOnly;
	XactReadOnly = true;
	start_timeout(limits);
}

/* Return the bytes of memory that count for RLIMIT_DATA, and those of the stack. */
static uint64
used_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	char line[200] = "";
	char *field = line;
	uint64 pages = 0;

	if (file)
	{
		(void) !fgets(line, sizeof(line), file);
		fclose(file);
	}
	/* the sixth number */
	for (int i = 0; i < 6; i++)
		pages = strtoull(field, &field, 10);
	if (pages == 0)
		ereport(ERROR, (errcode(OD503), errmsg("the memory of a query cannot be limited")));
	return pages * (uint64) sysconf(_SC_PAGESIZE);
}

static void
limit_memory(SelectLimits *limits)
{
	struct rlimit limit;
	uint64 wanted = used_memory() + (uint64) cat_query_memory * 1024;

	if (getrlimit(RLIMIT_DATA, &limit) != 0)
		ereport(ERROR, (errcode(OD503), errmsg("the memory of a query cannot be limited: %m")));
	limits->former_memory = limit.rlim_cur;
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > wanted)
		limit.rlim_cur = (rlim_t) wanted;
	if (setrlimit(RLIMIT_DATA, &limit) != 0)
		ereport(ERROR, (errcode(OD503), errmsg("the memory of a query cannot be limited: %m")));
	limits->bounded = true;
}

static void
free_memory(SelectLimits *limits)
{
	struct rlimit limit;

	if (!limits->bounded || getrlimit(RLIMIT_DATA, &limit) != 0)
		return;
	limit.rlim_cur = (rlim_t) limits->former_memory;
	limits->bounded = setrlimit(RLIMIT_DATA, &limit) != 0;
}

uint64
cat_select_limits_raise(uint64 bytes)
{
	struct rlimit limit;
	uint64 former;

	if (getrlimit(RLIMIT_DATA, &limit) != 0)
		ereport(ERROR, (errcode(OD503), errmsg("the memory of a query cannot be limited: %m")));
	former = limit.rlim_cur;
	if (limit.rlim_cur != RLIM_INFINITY)
		cat_select_limits_lower(Min(limit.rlim_cur + bytes, limit.rlim_max));
	return former;
}

void
cat_select_limits_lower(uint64 former)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) != 0)
		return;
	limit.rlim_cur = (rlim_t) former;
	(void) !setrlimit(RLIMIT_DATA, &limit);
}

void
cat_select_limits_enter(SelectLimits *limits)
{
	Oid role = get_role_oid(ROLE, true);

	/* it must have no more rights than any other */
	if (!OidIsValid(role) || superuser_arg(role))
		ereport(ERROR, (errcode(OD503), errmsg("role " ROLE " does not exist, or is a superuser"),
						errhint("catalogue.make_roles() creates it.")));
	cat_security_context_take_role(role);
	limits->switched = true;
	/* what a statement finds by its name besides PostgreSQL's own */
	set("search_path", "pg_catalog,catalogue_geometry,pg_temp");
	limit_memory(limits);
}

void
cat_select_limits_leave(SelectLimits *limits)
{
	free_memory(limits);
	if (limits->switched)
		cat_security_context_return();
	limits->switched = false;
}

void
cat_select_limits_end(SelectLimits *limits, bool failed)
{
	free_memory(limits);
	restore_timeout(limits);
	XactReadOnly = limits->read_only;
	if (!failed)
		AtEOXact_GUC(true, limits->nest);
}
