/*
 * terms.h
 *	  Conditions and orders of SQL expressions, whether or not they are fields of records.
 */
#ifndef CATALOGUE_QUERY_TERMS_H
#define CATALOGUE_QUERY_TERMS_H

#include "catalogue.h"

#include "query/sql_builder.h"

/* A sort key. */
typedef struct OrderTerm
{
	char *sql;
	const char *type;	/* SQL type of its value in a cursor */
	const Field *field; /* NULL: it is none, and each value fits */
	bool descending;
	bool nullable;
} OrderTerm;

/* order.c */

/* Append ORDER BY. backwards: reverses the order.  Nulls come last in the list, thus first in
 * reverse, so that the last record of the list is the first one in reverse. */
extern void cat_order_terms_write(SqlBuilder *query, List *terms, bool backwards);
/* Append the condition that the terms are behind the values of a cursor. */
extern void cat_order_terms_behind(SqlBuilder *query, List *terms, List *values, bool backwards);
/* Return the values of the request's cursor, List of char *.  Raises OD422 if it does not fit
 * the order. */
extern List *cat_order_terms_place(const RequestParams *params, List *terms);

/* request_params.c */

/* Return which of a number of sort keys are descending, List of int.  Each has one direction;
 * the last one given holds for the remaining keys.  Raises OD422 for another word. */
extern List *cat_request_params_directions(const char *value, int count);

/* filter_value.c */

/* Append a comparison of an expression with any of the values. */
extern void cat_filter_value_any(SqlBuilder *query, const char *expression, const char *op,
								 Oid type, Datum *values, int count);
/* Append a comparison with a day, given by SQL of its beginning and of its end. */
extern void cat_filter_value_day(SqlBuilder *query, const char *column, const char *op,
								 const char *start, const char *end);

#endif /* CATALOGUE_QUERY_TERMS_H */
