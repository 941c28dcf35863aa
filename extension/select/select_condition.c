/*
 * select_condition.c
 *	  Conditions of a plan that the rows of a table are read by.
 *
 * The planner gives each scan of a table the conditions that its rows must meet.  Those by which a column compares with
 * constants are asked when the rows are read, so that others are not read at all.  The plan tests them all the same, so that
 * one that is not recognized here only costs time.
 */
#include "catalogue.h"

#include "access/transam.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "select/select_internal.h"

/* Maximum number of constants of a condition, as of values of a filter. */
#define CONSTANTS_MAX 100

/* Members of a condition, a List of nodes, so that PostgreSQL can copy it with its plan. */
enum
{
	COLUMN,		/* Integer, of the table */
	COMPARISON, /* Integer: Comparison */
	TYPE,		/* Integer, of the constants */
	VALUES		/* List of String: with one of them the column compares so */
};

/* Return the text of a constant, an instant as ISO 8601 has it. */
static char *
text_of(Oid type, Datum value)
{
	char instant[MAXDATELEN + 1];

	if (type == DATEOID || type == TIMESTAMPTZOID)
		return pstrdup(JsonEncodeDateTime(instant, value, type, NULL));
	return cat_statement_value_text(type, value);
}

/* Return the elements of an array of constants that are not null. */
static List *
texts_of(const Const *constant, Oid type)
{
	List *texts = NIL;
	Datum *values;
	bool *nulls;
	int count;
	int16 length;
	bool by_value;
	char align;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(DatumGetArrayTypeP(constant->constvalue), type, length, by_value, align,
					  &values, &nulls, &count);
	for (int i = 0; i < count && count <= CONSTANTS_MAX; i++)
		if (!nulls[i])
			texts = lappend(texts, makeString(text_of(type, values[i])));
	return texts;
}

/* Return the comparison of an operator; false if it is none that rows are read by. */
static bool
read_operator(Oid opno, Comparison *comparison)
{
	static const Comparison known[] = {COMPARE_EXACT, COMPARE_AT_LEAST, COMPARE_AT_MOST,
									   COMPARE_MORE, COMPARE_LESS};
	const char *name = opno < FirstGenbkiObjectId ? get_opname(opno) : NULL;

	for (size_t i = 0; name && i < lengthof(known); i++)
		if (strcmp(name, cat_comparison_sql(known[i])) == 0)
		{
			*comparison = known[i];
			return true;
		}
	return false;
}

/* Return a column of the table, which may be taken for a text; NULL for another expression. */
static const Var *
column_of(const Node *node, int table)
{
	node = cat_select_bound_value(node);
	if (IsA(node, RelabelType) && ((const RelabelType *) node)->resulttype == TEXTOID)
		node = (const Node *) ((const RelabelType *) node)->arg;
	return IsA(node, Var) && ((const Var *) node)->varno == table ? (const Var *) node : NULL;
}

/* Return the condition that a column compares with a constant, or with any of an array; NIL if this is none. */
static List *
read_condition(const Node *left, Oid opno, const Node *right, bool any, int table)
{
	const Var *column = column_of(left, table);
	const Const *constant = (const Const *) right;
	Comparison comparison;
	List *texts;
	Oid type;

	if (!column || !read_operator(opno, &comparison) || !IsA(right, Const) || constant->constisnull)
		return NIL;
	type = any ? get_element_type(constant->consttype) : constant->consttype;
	if (type >= FirstGenbkiObjectId)
		return NIL;
	texts = any ? texts_of(constant, type)
				: list_make1(makeString(text_of(type, constant->constvalue)));
	return texts == NIL ? NIL
						: list_make4(makeInteger(column->varattno), makeInteger((int) comparison),
									 makeInteger((int) type), texts);
}

List *
cat_select_condition_all(PlannerInfo *root, int table, const List *clauses)
{
	List *conditions = NIL;

	foreach_ptr(Node, clause, clauses)
	{
		/* such as current_date - 7, which is a constant while the statement is executed */
		const Node *known = estimate_expression_value(root, clause);
		const OpExpr *compared = (const OpExpr *) known;
		const ScalarArrayOpExpr *among = (const ScalarArrayOpExpr *) known;
		List *condition = NIL;

		if (IsA(known, OpExpr) && list_length(compared->args) == 2)
		{
			const Node *left = linitial(compared->args);
			const Node *right = lsecond(compared->args);

			condition =
				IsA(left, Const)
					? read_condition(right, get_commutator(compared->opno), left, false, table)
					: read_condition(left, compared->opno, right, false, table);
		}
		if (IsA(known, ScalarArrayOpExpr) && among->useOr)
			condition = read_condition(linitial(among->args), among->opno, lsecond(among->args),
									   true, table);
		if (condition)
			conditions = lappend(conditions, condition);
	}
	return conditions;
}

void
cat_select_condition_write(StringInfo sql, TupleDesc columns, const List *conditions)
{
	foreach_ptr(const List, condition, conditions)
	{
		const char *column =
			NameStr(TupleDescAttr(columns, intVal(list_nth(condition, COLUMN)) - 1)->attname);
		const char *compares =
			cat_comparison_sql((Comparison) intVal(list_nth(condition, COMPARISON)));
		/* a length that is not given is none */
		const char *type = format_type_extended((Oid) intVal(list_nth(condition, TYPE)), -1,
												FORMAT_TYPE_TYPEMOD_GIVEN);
		const char *separator = "";

		appendStringInfoString(sql, " AND (");
		foreach_ptr(Node, text, list_nth(condition, VALUES))
		{
			appendStringInfo(sql, "%st.%s %s %s::%s", separator, quote_identifier(column), compares,
							 quote_literal_cstr(strVal(text)), type);
			separator = " OR ";
		}
		appendStringInfoChar(sql, ')');
	}
}

/* Return whether a filter on a column compares a constant as the statement does. */
static bool
is_filtered(const SheetColumn *column, Oid type, const char *text, Comparison comparison)
{
	switch (column->kind)
	{
		case CELL_TEXT:
			/* the statement sorts by the collation of the database; an empty text is none to a filter */
			return type == TEXTOID && *text && comparison == COMPARE_EXACT;
		case CELL_INTEGER:
		case CELL_DECIMAL:
			return type == NUMERICOID || type == INT8OID || type == INT4OID || type == INT2OID;
		case CELL_DATE:
			return type == DATEOID && cat_literal_date(text);
		case CELL_DATETIME:
			return type == TIMESTAMPTZOID && cat_literal_datetime(text);
		case CELL_BOOLEAN:
		case CELL_MONTH:
		case CELL_QUARTER:
			break;
	}
	return false;
}

/* Have rows pass a condition, unless a filter compares otherwise. */
static void
filter(SheetQuery *asked, const List *condition)
{
	static const SheetColumn id = {.name = "", .kind = CELL_INTEGER, .point = '.'};
	int number = cat_select_scan_column(intVal(list_nth(condition, COLUMN)));
	Comparison comparison = (Comparison) intVal(list_nth(condition, COMPARISON));
	const SheetColumn *column = number == ROW_NUMBER ? &id : &asked->sheet->columns[number];
	List *texts = NIL;

	foreach_ptr(Node, value, list_nth(condition, VALUES))
	{
		char *text = strVal(value);

		if (!is_filtered(column, (Oid) intVal(list_nth(condition, TYPE)), text, comparison) ||
			!cat_sheet_query_is_literal(column, text))
			return;
		texts = lappend(texts, text);
	}
	cat_sheet_query_compare(asked, number, comparison, texts);
}

void
cat_select_condition_filter(SheetQuery *asked, const List *conditions)
{
	foreach_ptr(const List, condition, conditions)
		filter(asked, condition);
}
