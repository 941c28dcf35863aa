/*
 * select_check.c
 *	  Checks of a client's statement, and the functions, operators and types that it may use.
 *
 * The text is parsed only, and each node of the parse tree must be of a kind that is permitted, so
 * that what is unknown here is refused: the analysis evaluates literals, so that 'name'::regclass
 * would tell of a table even if the statement was never executed.  The analyzed statement is checked
 * again, since only the analysis knows what a name stands for: t.f may be a function call, and no
 * table of the database may be reached by any way.
 */
#include "catalogue.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

#include "base/base.h"
#include "base/body.h"
#include "select/select_internal.h"

/*
 * ---- Functions, operators and types that a statement may use ----
 *
 * Each function computes a value from its arguments and nothing else, in a time that is interrupted
 * by a timeout, or that select_limits.c bounds.  Therefore functions that read settings, catalogs, files or sequences, take locks or
 * sleep are not among them, nor are exp, ln, log and power, which do not check for interrupts and take
 * minutes for a number of 100,000 digits.
 */

static const char functions[] =
	" abs age ascii atan atan2 avg bool_and bool_or btrim ceil ceiling char_length "
	"character_length chr concat concat_ws corr cos count covar_pop covar_samp cume_dist "
	"date_bin date_part date_trunc degrees dense_rank div every extract first_value floor "
	"initcap isfinite justify_days justify_hours justify_interval lag last_value lead "
	"left length like_escape lower lpad ltrim make_date make_interval make_time "
	"make_timestamp max md5 min mod mode nth_value ntile overlaps overlay percent_rank "
	"percentile_cont percentile_disc pi position radians rank regexp_count regexp_instr "
	"regexp_like regexp_replace regexp_substr regr_intercept regr_r2 regr_slope replace "
	"reverse right round row_number rpad rtrim sign similar_to_escape sin split_part sqrt "
	"starts_with stddev stddev_pop stddev_samp string_agg strpos substr substring sum tan "
	"timezone to_char to_date to_number to_timestamp translate trunc upper var_pop "
	"var_samp variance width_bucket ";

/* Of geometries, in schema catalogue_geometry (select_geometry.c). */
static const char geometries[] =
	" geography st_area st_asgeojson st_astext st_centroid st_contains st_coveredby st_covers "
	"st_dimension st_distance st_dwithin st_envelope st_geometrytype st_geomfromtext "
	"st_intersects st_length st_makeenvelope st_makepoint st_npoints st_numgeometries "
	"st_perimeter st_point st_setsrid st_within st_x st_y ";

static const char operators[] = " != !~ !~* !~~ !~~* % * + - / < <= <> = > >= || ~ ~* ~~ ~~* ";

/* The values of these types neither name objects of the database nor are looked up in catalogs. */
static const char types[] =
	" bool bpchar date float4 float8 int2 int4 int8 interval numeric text time timestamp "
	"timestamptz varchar ";

/* Return whether a name is one of the words of a text, which has a space before and behind each. */
static bool
is_among(const char *name, const char *words)
{
	return !strchr(name, ' ') && strstr(words, psprintf(" %s ", name));
}

bool
cat_select_words_type(const char *name)
{
	return is_among(name, types);
}

/* Maximum number of times that a statement names tables; planning takes longer with each join. */
#define TABLES_MAX 16

typedef struct TextCheck
{
	SelectNames *names;
	List *defined; /* of char *: names that a WITH defines somewhere */
	List *used;	   /* of char *: names of tables */
	List **faults;
} TextCheck;

static void
add_fault(List **faults, const char *rule, const char *message)
{
	cat_validation_error_add(faults, "sql", rule, NULL, message);
}

static void
refuse(TextCheck *check, const char *what)
{
	add_fault(check->faults, "permitted", psprintf("must not use %s", what));
}

/* Return a name that is not qualified, or qualified with pg_catalog as the grammar does; else NULL. */
static const char *
plain_name(const List *names)
{
	if (list_length(names) == 2 && strcmp(strVal(linitial(names)), "pg_catalog") == 0)
		return strVal(lsecond(names));
	return list_length(names) == 1 ? strVal(linitial(names)) : NULL;
}

static void
check_function(TextCheck *check, const FuncCall *call)
{
	const char *name = plain_name(call->funcname);

	if (name && is_among(name, geometries))
		check->names->geometries = true;
	else if (!name || !is_among(name, functions))
		refuse(check, psprintf("function %s", strVal(llast(call->funcname))));
	if (call->func_variadic)
		refuse(check, "VARIADIC");
}

static void
check_operator(TextCheck *check, const List *names)
{
	const char *name = list_length(names) == 1 ? strVal(linitial(names)) : NULL;

	if (names != NIL && (!name || !is_among(name, operators)))
		refuse(check, psprintf("operator %s", strVal(llast(names))));
}

static void
check_expression(TextCheck *check, const A_Expr *expression)
{
	if (expression->kind == AEXPR_OP)
		check_operator(check, expression->name);
	else if (expression->kind == AEXPR_OP_ANY || expression->kind == AEXPR_OP_ALL)
		refuse(check, "arrays");
}

static void
check_type(TextCheck *check, const TypeName *type)
{
	const char *name = plain_name(type->names);

	if (!name || !cat_select_words_type(name) || type->setof || type->pct_type ||
		type->arrayBounds != NIL)
		refuse(check, psprintf("type %s", strVal(llast(type->names))));
}

static void
check_range(TextCheck *check, const RangeVar *range)
{
	if (range->catalogname || range->schemaname)
		refuse(check, "names with a schema");
	else if (strncmp(range->relname, "pg_", 3) == 0)
		refuse(check, "names that begin with \"pg_\"");
	else
		check->used = lappend(check->used, range->relname);
}

static void
check_select(TextCheck *check, const SelectStmt *select)
{
	if (select->intoClause)
		refuse(check, "INTO");
	if (select->lockingClause != NIL)
		refuse(check, "FOR UPDATE or FOR SHARE");
	if (select->withClause && select->withClause->recursive)
		refuse(check, "WITH RECURSIVE");
}

static void
check_common(TextCheck *check, const CommonTableExpr *common)
{
	if (strncmp(common->ctename, "pg_", 3) == 0)
		refuse(check, "names that begin with \"pg_\"");
	check->defined = lappend(check->defined, common->ctename);
}

/* Kinds of nodes that are permitted whatever is in them. */
static const NodeTag plain[] = {
	T_List,		   T_A_Const,  T_Alias,		   T_Boolean,	  T_BitString,
	T_Float,	   T_Integer,  T_String,	   T_BooleanTest, T_BoolExpr,
	T_CaseExpr,	   T_CaseWhen, T_CoalesceExpr, T_ColumnRef,	  T_GroupingFunc,
	T_GroupingSet, T_JoinExpr, T_MinMaxExpr,   T_NullTest,	  T_RangeSubselect,
	T_ResTarget,   T_RowExpr,  T_TypeCast,	   T_WindowDef,	  T_WithClause};

static bool
is_plain(NodeTag tag)
{
	for (size_t i = 0; i < lengthof(plain); i++)
		if (plain[i] == tag)
			return true;
	return false;
}

/* Check one node; false if nodes of its kind are not permitted. */
static bool
check_node(TextCheck *check, Node *node)
{
	switch (nodeTag(node))
	{
		case T_SelectStmt:
			check_select(check, (SelectStmt *) node);
			return true;
		case T_FuncCall:
			check_function(check, (FuncCall *) node);
			return true;
		case T_A_Expr:
			check_expression(check, (A_Expr *) node);
			return true;
		case T_TypeName:
			check_type(check, (TypeName *) node);
			return true;
		case T_RangeVar:
			check_range(check, (RangeVar *) node);
			return true;
		case T_CommonTableExpr:
			check_common(check, (CommonTableExpr *) node);
			return true;
		case T_SubLink:
			check_operator(check, ((SubLink *) node)->operName);
			return ((SubLink *) node)->subLinkType != ARRAY_SUBLINK;
		case T_SQLValueFunction:
			return ((SQLValueFunction *) node)->op <= SVFOP_LOCALTIMESTAMP_N;
		case T_SortBy:
			return ((SortBy *) node)->useOp == NIL;
		default:
			return is_plain(nodeTag(node));
	}
}

static bool
walk_text(Node *node, void *context)
{
	TextCheck *check = context;

	if (!node)
		return false;
	if (!check_node(check, node))
		refuse(check, "this clause or expression");
	if (*check->faults != NIL)
		return true; /* parts of what is refused are not walked */
	return raw_expression_tree_walker(node, walk_text, context);
}

/* Set the names of tables that are not those of a WITH. */
static void
find_tables(TextCheck *check)
{
	foreach_ptr(char, name, check->used)
		if (!cat_query_string_has_word(check->defined, name) &&
			!cat_query_string_has_word(check->names->names, name))
			check->names->names = lappend(check->names->names, name);
	if (list_length(check->used) > TABLES_MAX)
		add_fault(check->faults, "max", psprintf("may name %d tables at most", TABLES_MAX));
}

SelectNames
cat_select_check_text(const char *sql, List **faults)
{
	SelectNames names = {0};
	TextCheck check = {&names, NIL, NIL, faults};
	List *statements = raw_parser(sql, RAW_PARSE_DEFAULT);

	if (list_length(statements) != 1 || !IsA(linitial_node(RawStmt, statements)->stmt, SelectStmt))
		add_fault(faults, "format", "must be one SELECT statement");
	else if (!walk_text(linitial_node(RawStmt, statements)->stmt, &check))
		find_tables(&check);
	return names;
}

/* Callback of check_functions_in_node(): whether a function is neither one of PostgreSQL itself nor one of geometries. */
static bool
is_foreign(Oid function, void *context)
{
	return (function >= FirstGenbkiObjectId && !cat_select_geometry_is_function(function)) ||
		   func_volatile(function) == PROVOLATILE_VOLATILE;
}

/* Whether a call that the statement wrote as one is of a function that is not permitted. */
static bool
is_refused_call(Node *node)
{
	Oid function =
		IsA(node, Aggref)		? ((Aggref *) node)->aggfnoid
		: IsA(node, WindowFunc) ? ((WindowFunc *) node)->winfnoid
		: IsA(node, FuncExpr) && (((FuncExpr *) node)->funcformat == COERCE_EXPLICIT_CALL ||
								  ((FuncExpr *) node)->funcformat == COERCE_SQL_SYNTAX)
			? ((FuncExpr *) node)->funcid
			: InvalidOid;

	return OidIsValid(function) && !cat_select_geometry_is_function(function) &&
		   !is_among(get_func_name(function), functions);
}

/* Callback of expression walkers: true at the first node that is not permitted. */
static bool
walk_plan(Node *node, void *context)
{
	if (!node)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RTEKind kind = ((RangeTblEntry *) node)->rtekind;

		/* rows come only from tables that were read for the statement */
		return kind == RTE_RELATION || kind == RTE_FUNCTION || kind == RTE_TABLEFUNC;
	}
	if (IsA(node, Query))
	{
		Query *query = (Query *) node;

		return query->commandType != CMD_SELECT || query->utilityStmt || query->hasModifyingCTE ||
			   query->hasForUpdate || query->hasRecursive || query->rowMarks != NIL ||
			   query_tree_walker(query, walk_plan, context, QTW_EXAMINE_RTES_BEFORE);
	}
	/* a whole row: select_scan.c reads only columns */
	if (IsA(node, Var) && ((Var *) node)->varattno <= 0)
		return true;
	return is_refused_call(node) || check_functions_in_node(node, is_foreign, NULL) ||
		   expression_tree_walker(node, walk_plan, context);
}

void
cat_select_check_plan(SPIPlanPtr plan, List **faults)
{
	List *sources = SPI_plan_get_plan_sources(plan);
	List *queries =
		list_length(sources) == 1 ? ((CachedPlanSource *) linitial(sources))->query_list : NIL;

	if (list_length(queries) != 1 || walk_plan(linitial(queries), NULL))
		add_fault(faults, "permitted",
				  "must not use whole rows, nor functions and tables that are not listed");
	else
		linitial(queries) = cat_select_bound(linitial(queries));
}
