/*
 * facet.h
 *	  Facets of a list: values whose records are counted.
 */
#ifndef CATALOGUE_QUERY_FACET_H
#define CATALOGUE_QUERY_FACET_H

#include "catalogue.h"

#include "query/query.h"
#include "query/sql_builder.h"

/* Number of values of a facet that are told, unless the request says another one. */
#define FACET_LIMIT 20

/* What the records of a list are counted by. */
typedef struct Facet
{
	const char *name; /* as it was asked for */
	List *path;		  /* of char *: relations, and a field at the end unless it is of_records */
	bool of_records;  /* the values are the records that the path leads to */
	bool by_year;	  /* they are the years of a date */
} Facet;

/* Columns of the statement of facets. */
typedef enum FacetColumn
{
	FACET_NUMBER = 1, /* of the facet, from 0 */
	FACET_VALUE,	  /* text: the value, or the id of the record */
	FACET_LABEL,	  /* text: what cat_facet_label() has of that record */
	FACET_SLUG,		  /* text: its slug */
	FACET_COUNT,	  /* bigint: of the records of the list */
	FACET_VALUES	  /* bigint: how many values the facet has */
} FacetColumn;

/* facet.c */

/* Return the filters of a request that a facet counts under: all but its own; List of Filter *. */
extern List *cat_facet_filters(const RequestParams *params, const Facet *facet);
/* Return the resource that the last name of a facet's path belongs to; if the facet is of records,
 * theirs. */
extern Resource *cat_facet_resource(const RequestParams *params, const Facet *facet);
/* Return the field that tells what a record is; NULL if it has none. */
extern const Field *cat_facet_label(const RequestParams *params, const Facet *facet);
extern const Field *cat_facet_slug(const RequestParams *params, const Facet *facet);
/* Append what facets need of a record t, each preceded by a comma. */
extern void cat_facet_sql_columns(SqlBuilder *query, const RequestParams *params, List *facets);
/* Write the statement of one facet, the number "at", from the records m that have those columns:
 * its values in the order of their counts. */
extern void cat_facet_sql_write(SqlBuilder *query, const RequestParams *params, List *facets,
								int at);

#endif /* CATALOGUE_QUERY_FACET_H */
