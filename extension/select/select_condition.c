/*
 * select_condition.c
 *	  Conditions of a client's statement that its tables are read by.
 *
 * A table is read before the statement is executed.  Where it names a table once, and a WHERE asks that a column
 * compares with constants, rows that do not are left out: no row of a result comes from them, since these
 * comparisons do not hold for null, which is what outer joins would put in their place.  The statement tests the
 * condition all the same, so that one that is not recognized here only costs time.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "select/select_internal.h"

/* Maximum number of constants of a condition, as of values of a filter. */
#define CONSTANTS_MAX 100

/* Return the constant of a literal, with or without a type in front of it; NULL for anything else, and for NULL. */
static const A_Const *
constant_of(const Node *value)
{
	if (IsA(value, TypeCast))
		value = ((const TypeCast *) value)->arg;
	return IsA(value, A_Const) && !((const A_Const *) value)->isnull ? (const A_Const *) value
																	 : NULL;
}

static bool
are_constants(const List *values)
{
	foreach_ptr(const Node, value, values)
		if (!constant_of(value))
			return false;
	return list_length(values) <= CONSTANTS_MAX;
}

/* Add the tables that a node of FROM names itself.  An alias of a join hides the names in it. */
static List *
add_ranges(List *ranges, Node *from)
{
	check_stack_depth();
	if (IsA(from, RangeVar))
		return lappend(ranges, from);
	if (IsA(from, JoinExpr) && !((JoinExpr *) from)->alias)
		return add_ranges(add_ranges(ranges, ((JoinExpr *) from)->larg), ((JoinExpr *) from)->rarg);
	return ranges;
}

/* Return the table of a SELECT that a column belongs to; NULL where the analysis has to find it. */
static const char *
table_of(const SelectStmt *select, const ColumnRef *column)
{
	bool alone =
		list_length(select->fromClause) == 1 && IsA(linitial(select->fromClause), RangeVar);
	const char *name = list_length(column->fields) == 2 ? strVal(linitial(column->fields)) : NULL;
	List *ranges = NIL;

	if (!name && (!alone || list_length(column->fields) != 1))
		return NULL;
	foreach_ptr(Node, from, select->fromClause)
		ranges = add_ranges(ranges, from);
	foreach_ptr(const RangeVar, range, ranges)
		if (!name || strcmp(range->alias ? range->alias->aliasname : range->relname, name) == 0)
			return range->alias && range->alias->colnames != NIL ? NULL : range->relname;
	return NULL;
}

/* Return the comparison of an operator; false if it is none that rows are read by. */
static bool
read_operator(const A_Expr *expression, Comparison *comparison)
{
	static const Comparison known[] = {COMPARE_EXACT, COMPARE_AT_LEAST, COMPARE_AT_MOST,
									   COMPARE_MORE, COMPARE_LESS};

	if (list_length(expression->name) != 1)
		return false;
	for (size_t i = 0; i < lengthof(known); i++)
		if (strcmp(strVal(linitial(expression->name)), cat_comparison_sql(known[i])) == 0)
		{
			*comparison = known[i];
			return true;
		}
	return false;
}

/* Add a condition, if its values are constants. */
static List *
add_condition(List *conditions, const SelectStmt *select, const Node *left, Comparison comparison,
			  List *values)
{
	const ColumnRef *column = (const ColumnRef *) left;
	const char *table = IsA(left, ColumnRef) && IsA(llast(column->fields), String)
							? table_of(select, column)
							: NULL;
	SelectCondition *condition;

	if (!table || !are_constants(values))
		return conditions;
	condition = palloc(sizeof(SelectCondition));
	*condition = (SelectCondition){table, strVal(llast(column->fields)), comparison, values};
	return lappend(conditions, condition);
}

/* Add the conditions of an expression that must be true. */
static List *
add_conditions(List *conditions, const SelectStmt *select, const Node *where)
{
	const A_Expr *expression = (const A_Expr *) where;
	Comparison comparison;

	check_stack_depth();
	if (IsA(where, BoolExpr) && ((const BoolExpr *) where)->boolop == AND_EXPR)
		foreach_ptr(const Node, part, ((const BoolExpr *) where)->args)
			conditions = add_conditions(conditions, select, part);
	if (!IsA(where, A_Expr))
		return conditions;
	if (expression->kind == AEXPR_OP && expression->lexpr && read_operator(expression, &comparison))
		return add_condition(conditions, select, expression->lexpr, comparison,
							 list_make1(expression->rexpr));
	if (expression->kind == AEXPR_IN && read_operator(expression, &comparison))
		return add_condition(conditions, select, expression->lexpr, comparison,
							 (List *) expression->rexpr);
	if (expression->kind == AEXPR_BETWEEN)
	{
		List *ends = (List *) expression->rexpr;

		conditions = add_condition(conditions, select, expression->lexpr, COMPARE_AT_LEAST,
								   list_make1(linitial(ends)));
		conditions = add_condition(conditions, select, expression->lexpr, COMPARE_AT_MOST,
								   list_make1(lsecond(ends)));
	}
	return conditions;
}

List *
cat_select_condition_all(const SelectStmt *select)
{
	return select->whereClause ? add_conditions(NIL, select, select->whereClause) : NIL;
}

/* Return the text of a constant if the condition reads it as one of that type: a literal of the type's own, or a string
 * that has no other type in front of it.  type: NULL for a number. */
static const char *
text_of(const Node *value, const char *type)
{
	const A_Const *constant = constant_of(value);
	const TypeName *cast = IsA(value, TypeCast) ? ((const TypeCast *) value)->typeName : NULL;

	if (cast && (!type || strcmp(strVal(llast(cast->names)), type) != 0 || cast->typmods != NIL))
		return NULL;
	if (type)
		return IsA(&constant->val, String) ? constant->val.sval.sval : NULL;
	if (IsA(&constant->val, Integer))
		return psprintf("%d", constant->val.ival.ival);
	return IsA(&constant->val, Float) ? constant->val.fval.fval : NULL;
}

/* Append the values of a condition as a list of strings; false if one is not compared as a text. */
static bool
write_values(StringInfo out, const SelectCondition *condition)
{
	foreach_ptr(const Node, value, condition->values)
	{
		const char *text = text_of(value, "text");

		if (!text)
			return false;
		appendStringInfo(out, "%s%s", out->len > 0 ? ", " : "", quote_literal_cstr(text));
	}
	return true;
}

void
cat_select_condition_write(StringInfo sql, const SelectNames *names, const char *table,
						   const char *column, const char *expression)
{
	foreach_ptr(const SelectCondition, condition, names->conditions)
	{
		StringInfo values = makeStringInfo();

		if (condition->comparison == COMPARE_EXACT && strcmp(condition->table, table) == 0 &&
			strcmp(quote_identifier(condition->column), column) == 0 &&
			write_values(values, condition))
			appendStringInfo(sql, " AND %s IN (%s)", expression, values->data);
	}
}

/* Return the text of a constant that a filter on a column compares as the statement does; NULL if none does. */
static const char *
filter_text(const SheetColumn *column, const Node *value, Comparison comparison)
{
	const char *text = NULL;
	bool fits = false;

	switch (column->kind)
	{
		case CELL_TEXT:
			/* the statement sorts by the collation of the database; an empty text is none to a filter */
			text = text_of(value, "text");
			fits = text && *text && comparison == COMPARE_EXACT;
			break;
		case CELL_INTEGER:
		case CELL_DECIMAL:
			text = text_of(value, NULL);
			fits = text != NULL;
			break;
		case CELL_DATE:
			text = text_of(value, "date");
			fits = text && cat_literal_date(text);
			break;
		case CELL_DATETIME:
			text = text_of(value, "timestamptz");
			fits = text && cat_literal_datetime(text);
			break;
		case CELL_BOOLEAN:
		case CELL_MONTH:
		case CELL_QUARTER:
			break;
	}
	return fits && cat_sheet_query_is_literal(column, text) ? text : NULL;
}

/* Have rows pass a condition on a column, ROW_NUMBER for their number. */
static void
filter(SheetQuery *asked, int number, const SelectCondition *condition)
{
	static const SheetColumn id = {.name = "", .kind = CELL_INTEGER, .point = '.'};
	const SheetColumn *column = number == ROW_NUMBER ? &id : &asked->sheet->columns[number];
	List *texts = NIL;

	foreach_ptr(const Node, value, condition->values)
	{
		const char *text = filter_text(column, value, condition->comparison);

		if (!text)
			return;
		texts = lappend(texts, unconstify(char *, text));
	}
	cat_sheet_query_compare(asked, number, condition->comparison, texts);
}

void
cat_select_condition_filter(SheetQuery *asked, const SelectNames *names, const char *table)
{
	foreach_ptr(const SelectCondition, condition, names->conditions)
	{
		if (strcmp(condition->table, table) != 0)
			continue;
		if (strcmp(condition->column, CAT_SELECT_ROW_ID) == 0)
			filter(asked, ROW_NUMBER, condition);
		for (int i = 0; i < asked->sheet->ncolumns; i++)
			if (strcmp(cat_select_table_identifier(asked->sheet->columns[i].name),
					   condition->column) == 0)
				filter(asked, i, condition);
	}
}
