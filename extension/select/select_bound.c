/*
 * select_bound.c
 *	  Bounds of the arguments of functions that do not check for interrupts.
 *
 * Some functions of PostgreSQL, such as LIKE, translate() and the division of numbers, take the
 * product of the lengths of their arguments, and cannot be interrupted meanwhile.  Their arguments
 * are passed through catalogue.bounded(), which refuses longer ones and checks for interrupts.
 */
#include "catalogue.h"

#include "access/detoast.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "select/select_internal.h"

/* Most bytes of a text, of what is sought in it, and of a number. */
#define TEXT_MAX (1024 * 1024)
#define WORD_MAX 250
#define NUMBER_MAX 1000

PG_FUNCTION_INFO_V1(catalogue_bounded);

/* Functions, and those of operators, by name; in the order of strcmp(). */
static const struct Bound
{
	const char *name;
	int first; /* bytes of the first argument, */
	int other; /* of each other one */
} bounds[] = {
	{"bpchariclike", TEXT_MAX, WORD_MAX},
	{"bpcharicnlike", TEXT_MAX, WORD_MAX},
	{"bpcharlike", TEXT_MAX, WORD_MAX},
	{"bpcharnlike", TEXT_MAX, WORD_MAX},
	{"btrim", TEXT_MAX, WORD_MAX},
	{"div", NUMBER_MAX, NUMBER_MAX},
	{"ltrim", TEXT_MAX, WORD_MAX},
	{"mod", NUMBER_MAX, NUMBER_MAX},
	{"numeric_div", NUMBER_MAX, NUMBER_MAX},
	{"numeric_mod", NUMBER_MAX, NUMBER_MAX},
	{"numeric_mul", NUMBER_MAX, NUMBER_MAX},
	{"position", TEXT_MAX, WORD_MAX},
	{"replace", TEXT_MAX, WORD_MAX},
	{"rtrim", TEXT_MAX, WORD_MAX},
	{"split_part", TEXT_MAX, WORD_MAX},
	{"sqrt", NUMBER_MAX, NUMBER_MAX},
	{"strpos", TEXT_MAX, WORD_MAX},
	{"texticlike", TEXT_MAX, WORD_MAX},
	{"texticnlike", TEXT_MAX, WORD_MAX},
	{"textlike", TEXT_MAX, WORD_MAX},
	{"textnlike", TEXT_MAX, WORD_MAX},
	{"to_char", TEXT_MAX, WORD_MAX},
	{"to_date", WORD_MAX, WORD_MAX},
	{"to_number", WORD_MAX, WORD_MAX},
	{"to_timestamp", WORD_MAX, WORD_MAX},
	{"translate", TEXT_MAX, WORD_MAX},
	{"width_bucket", NUMBER_MAX, NUMBER_MAX},
};

static int
compare(const void *name, const void *bound)
{
	return strcmp(name, ((const struct Bound *) bound)->name);
}

/* Pass the arguments of varying length through catalogue.bounded(). */
static void
bound_arguments(Oid function, List *arguments, Oid guard)
{
	const char *name = get_func_name(function);
	const struct Bound *bound =
		name ? bsearch(name, bounds, lengthof(bounds), sizeof(bounds[0]), compare) : NULL;
	ListCell *cell;

	if (!bound)
		return;
	foreach(cell, arguments)
	{
		Expr *argument = lfirst(cell);
		Oid type = exprType((Node *) argument);
		Oid collation = exprCollation((Node *) argument);
		int most = foreach_current_index(cell) == 0 ? bound->first : bound->other;

		if (get_typlen(type) != -1 ||
			(IsA(argument, FuncExpr) && ((FuncExpr *) argument)->funcid == guard))
			continue;
		lfirst(cell) =
			makeFuncExpr(guard, type,
						 list_make2(argument, makeConst(INT4OID, -1, InvalidOid, 4,
														Int32GetDatum(most), false, true)),
						 collation, collation, COERCE_EXPLICIT_CALL);
	}
}

static bool
walk(Node *node, void *context)
{
	Oid guard = *(Oid *) context;

	if (!node)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, walk, context, 0);
	if (IsA(node, FuncExpr))
		bound_arguments(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args, guard);
	if (IsA(node, OpExpr))
	{
		set_opfuncid((OpExpr *) node);
		bound_arguments(((OpExpr *) node)->opfuncid, ((OpExpr *) node)->args, guard);
	}
	return expression_tree_walker(node, walk, context);
}

void
cat_select_bound(Query *query)
{
	Oid types[] = {TEXTOID, INT4OID};
	Oid guard = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("bounded"),
								PointerGetDatum(buildoidvector(types, 2)),
								ObjectIdGetDatum(get_namespace_oid("catalogue", false)));

	if (!OidIsValid(guard))
		elog(ERROR, "function catalogue.bounded does not exist");
	(void) walk((Node *) query, &guard);
}

/*
 * Return a value of varying length of any type.  Raises 54000 if it has more bytes.
 */
Datum
catalogue_bounded(PG_FUNCTION_ARGS)
{
	Datum value = PG_GETARG_DATUM(0);
	int most = PG_GETARG_INT32(1);
	Size length = toast_raw_datum_size(value) - VARHDRSZ;

	CHECK_FOR_INTERRUPTS();
	if (length > (Size) most)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("an argument of a function or operator has %zu bytes, more than the "
							   "%d that it takes in a query",
							   length, most)));
	PG_RETURN_DATUM(value);
}
