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
	COMPARE_LESS
} Comparison;

/* comparison.c */

/* Cut the operator in brackets off the end of a name; COMPARE_EQUAL for none. */
extern Comparison cat_comparison_cut(char *name);
/* A name with the operator of a comparison in brackets at its end. */
extern const char *cat_comparison_name(const char *name, Comparison comparison);
/* The SQL operator; for COMPARE_NOT_EQUAL that of equality, which the caller negates. */
extern const char *cat_comparison_sql(Comparison comparison);
/* Whether a comparison tests for a range, not for equality or inequality. */
extern bool cat_comparison_is_range(Comparison comparison);

#endif /* CATALOGUE_QUERY_COMPARISON_H */
