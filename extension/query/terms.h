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

/* Write ORDER BY of terms, List of OrderTerm *.  backwards: the opposite order. */
extern void cat_order_terms_write(SqlBuilder *query, List *terms, bool backwards);
/* Write that the terms are behind the values of a cursor, or in front of them. */
extern void cat_order_terms_behind(SqlBuilder *query, List *terms, List *values, bool backwards);
/* The values of the request's cursor, which fit the terms; OD422 where they do not. */
extern List *cat_order_terms_place(const RequestParams *params, List *terms);

/* request_params.c */

/* Which of a number of sort keys the parameter "sort" makes descending, a List of int; OD422 for a
 * word that is no direction. */
extern List *cat_request_params_directions(const char *value, int count);

/* filter_value.c */

/* Write that an expression compares true with one of the values. */
extern void cat_filter_value_any(SqlBuilder *query, const char *expression, const char *op,
								 Oid type, Datum *values, int count);
/* Write that an expression compares true with a day, from one value (SQL) up to another. */
extern void cat_filter_value_day(SqlBuilder *query, const char *column, const char *op,
								 const char *start, const char *end);

#endif /* CATALOGUE_QUERY_TERMS_H */
