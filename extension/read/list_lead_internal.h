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

extern bool cat_list_lead_count(SqlBuilder *query, const RequestParams *params,
								const Source *source);

#endif /* CATALOGUE_READ_LIST_LEAD_INTERNAL_H */
