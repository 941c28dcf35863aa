/*
 * terms.h
 *	  Conditions and orders of SQL expressions, whether or not they are fields of records; facets.
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

/* Return the values of the request's cursor, List of char *.  Raises OD422 if it does not fit
 * the order. */
extern List *cat_order_terms_cursor(const RequestParams *params, List *terms);

/* request_params.c */

/* Return the value of a parameter that is true or false.  Raises OD422 for another word. */
extern bool cat_request_params_boolean(const char *name, const char *value);
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

/* Number of values of a facet that are returned, unless the request says another one. */
#define FACET_LIMIT 20

/* What the records of a list are counted by. */
typedef struct Facet
{
	const char *name; /* as it was asked for */
	List *path;		  /* of char *: relations, and a field at the end unless it is of_records */
	bool of_records;  /* the values are the records that the path leads to */
	bool by_year;	  /* they are the years of a date */
	bool counted;	  /* its numbers are kept, and the list has no filter but its own */
	bool left_out;	  /* it is not counted: its only values are the chosen ones, without numbers */
	List *chosen;	  /* of char *: values that are returned first, also if no record has them */
	char *answer;	  /* its member of "meta", once it is read */
} Facet;

/* facet.c */

/* Return the filters of a request that a facet counts under: all but its own; List of Filter *. */
extern List *cat_facet_filters(const RequestParams *params, const Facet *facet);
extern List *cat_facet_chosen(const RequestParams *params, const Facet *facet);

/* facet_sql.c */

/* Append what facets need of a record t, each preceded by a comma. */
extern void cat_facet_sql_columns(SqlBuilder *query, const RequestParams *params, List *facets);
/* Write one facet, the number "at", from the records m that have those columns: a member of a JSON
 * object, with the values in the order of their counts. */
extern void cat_facet_sql_write(SqlBuilder *query, const RequestParams *params, List *facets,
								int at);

#endif /* CATALOGUE_QUERY_TERMS_H */
