/*
 * comparison.c
 *	  Operators in brackets at the end of the name of a filter.
 */
#include "catalogue.h"

#include "base/base.h"
#include "query/comparison.h"

/* Of each comparison: the word in brackets, and the SQL operator. */
static const struct
{
	const char *word;
	const char *sql;
} operators[] = {
	[COMPARE_EQUAL] = {"", "="},		[COMPARE_NOT_EQUAL] = {"ne", "="},
	[COMPARE_AT_LEAST] = {"gte", ">="}, [COMPARE_AT_MOST] = {"lte", "<="},
	[COMPARE_MORE] = {"gt", ">"},		[COMPARE_LESS] = {"lt", "<"},
	[COMPARE_EXACT] = {"eq", "="},
};

Comparison
cat_comparison_cut(char *name)
{
	char *bracket = strrchr(name, '[');

	if (!bracket)
		return COMPARE_EQUAL;
	for (int i = COMPARE_NOT_EQUAL; i < (int) lengthof(operators); i++)
		if (strcmp(bracket, psprintf("[%s]", operators[i].word)) == 0)
		{
			*bracket = '\0';
			return (Comparison) i;
		}
	return COMPARE_EQUAL;
}

/* Return a name with the operator of a comparison in brackets at its end. */
const char *
cat_comparison_name(const char *name, Comparison comparison)
{
	if (comparison == COMPARE_EQUAL)
		return name;
	return psprintf("%s[%s]", name, operators[comparison].word);
}

const char *
cat_comparison_sql(Comparison comparison)
{
	return operators[comparison].sql;
}

bool
cat_comparison_is_range(Comparison comparison)
{
	return comparison != COMPARE_EQUAL && comparison != COMPARE_NOT_EQUAL &&
		   comparison != COMPARE_EXACT;
}
