/*
 * list_lead_internal.h
 *	  Keys that lead to the records of a list: used inside read/ only.
 */
#ifndef CATALOGUE_READ_LIST_LEAD_INTERNAL_H
#define CATALOGUE_READ_LIST_LEAD_INTERNAL_H

#include "catalogue.h"

#include "query/query.h"
#include "query/sql_builder.h"

/* Keys by which an index has the records of a list in the order of creation. */
typedef struct Lead
{
	const KeyIndex *index; /* NULL: there are no keys */
	const char *table;	   /* quoted, with the keys */
	const char *key;	   /* quoted column of the keys */
	int count;
	Datum *keys;
	const Filter *filter; /* whose ids they are, NULL: none */
	bool linked;		  /* the table is a join table */
	bool sorted;		  /* an index on a key, deleted_at, created_at and id has the records */
} Lead;

/* What a page in the order of creation is read by. */
extern Lead cat_list_lead_find(const RequestParams *params, const Source *source);
/* Whether all filters are on keys, so that the list is read in the order of creation. */
extern bool cat_list_lead_serves(const RequestParams *params);
/* Write FROM and WHERE of a list, t, in the order of k, which has the rows of the keys. */
extern void cat_list_lead_write(SqlBuilder *query, const RequestParams *params, const Lead *lead,
								const char *direction);
/* Write the statement that counts a list by the rows of its keys; false where records are read. */
extern bool cat_list_lead_count(SqlBuilder *query, const RequestParams *params,
								const Source *source);

#endif /* CATALOGUE_READ_LIST_LEAD_INTERNAL_H */
