/*
 * comparison.h
 *	  How a filter compares: the operators in brackets at the end of its name.
 */
#ifndef CATALOGUE_QUERY_COMPARISON_H
#define CATALOGUE_QUERY_COMPARISON_H

#include "catalogue.h"

typedef enum Comparison
{
	COMPARE_EQUAL,
	COMPARE_NOT_EQUAL,
	COMPARE_AT_LEAST,
	COMPARE_AT_MOST,
	COMPARE_MORE,
	COMPARE_LESS,
	COMPARE_EXACT /* equality of texts, whatever "match" says */
} Comparison;

/* comparison.c */

/* Return the comparison that the operator in brackets at the end of a name asks for, and cut the
 * operator off; COMPARE_EQUAL if there is none.  Other brackets are part of the name. */
extern Comparison cat_comparison_cut(char *name);
extern const char *cat_comparison_name(const char *name, Comparison comparison);
/* Return the SQL operator; for COMPARE_NOT_EQUAL that of equality, which the caller negates. */
extern const char *cat_comparison_sql(Comparison comparison);
/* Return whether a comparison tests for a range, not for equality, exact or not, or inequality. */
extern bool cat_comparison_is_range(Comparison comparison);

#endif /* CATALOGUE_QUERY_COMPARISON_H */
