/*
 * statistics_query_internal.h
 *	  What a request for numbers of requests or downloads asks for: used inside read/ only.
 */
#ifndef CATALOGUE_READ_STATISTICS_QUERY_INTERNAL_H
#define CATALOGUE_READ_STATISTICS_QUERY_INTERNAL_H

#include "catalogue.h"

#include "utils/date.h"

#include "query/query.h"

#define SUMMARY_LISTS 5 /* parameters that take a list of values */

/* A column of the statement, and the word of groupBy that shows it; NULL: always shown. */
typedef struct SummaryColumn
{
	const char *name;
	const char *key;
} SummaryColumn;

/* What is counted.  The lists are in the order of the statement's parameters, day first. */
typedef struct SummaryKind
{
	const char *sql;
	const char *usual;	  /* groupBy, if it is not given */
	const char *value;	  /* the column with the number */
	const char *shown[3]; /* resources whose records are shown */
	const char *lists[SUMMARY_LISTS + 1];
	SummaryColumn columns[8]; /* in the order of the statement, behind the number of groups */
} SummaryKind;

/* What a request asks for. */
typedef struct Summary
{
	const SummaryKind *kind;
	RequestParams *params;
	List *keys;					/* of char *: groupBy */
	List *lists[SUMMARY_LISTS]; /* of char *: the values of each list; NIL: any */
	DateADT since;
	DateADT until;
	const char *order; /* NULL: by all keys */
	bool descending;
	bool limited;
	bool csv;
} Summary;

#endif /* CATALOGUE_READ_STATISTICS_QUERY_INTERNAL_H */
