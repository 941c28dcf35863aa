/*
 * list_internal.h
 *	  Lists: their statements, pages and counts: used inside read/ only.
 */
#ifndef CATALOGUE_READ_LIST_INTERNAL_H
#define CATALOGUE_READ_LIST_INTERNAL_H

#include "catalogue.h"

#include "query/search.h"
#include "read/read_internal.h"

/* Keys by which an index has the records of a list in the order of creation. */
typedef struct ListIndex
{
	const KeyIndex *index; /* NULL: there are no keys */
	const char *table;	   /* quoted, with the keys */
	const char *key;	   /* quoted column of the keys */
	int count;
	Datum *keys;
	const Filter *filter; /* whose ids they are, NULL: none */
	bool linked;		  /* the table is a join table */
	bool sorted;		  /* an index on a key, deleted_at, created_at and id has the records */
} ListIndex;

/* list.c */

/* Read a page of a list into the reply, with total, cursors and ids. */
extern void cat_list_read(ReadPlan *plan, CallReply *reply);

/* list_source.c */

/* Return about how many rows the table of a resource has, as the planner knows it. */
extern double cat_list_source_table_rows(const Resource *resource);
/* Append FROM and WHERE of the builder's part of a list, whose records are rows of a table with the alias t; sampling:
 * TABLESAMPLE behind it, or empty. */
extern void cat_list_source_table_write(SqlBuilder *query, const ReadPlan *plan,
										const char *sampling);
/* The same, where the records may also come from an index on a key that narrows the search. */
extern void cat_list_source_part_write(SqlBuilder *query, const ReadPlan *plan);
/* Append FROM of a list as of an earlier instant: the union of its parts, under the alias t.
 *
 * write: appends the statement that reads the builder's part, with all columns; arg: handed to it */
extern void cat_list_source_parts_write(SqlBuilder *query, const ReadPlan *plan,
										void (*write)(SqlBuilder *query, const ReadPlan *plan,
													  const void *arg),
										const void *arg);
/* Append FROM of a list with all its conditions; the alias of its records is t. */
extern void cat_list_source_write(SqlBuilder *query, const ReadPlan *plan);

/* list_page.c */

/* Append the statement that reads a range of a list, from its end if backwards. */
extern void cat_list_page_range_write(SqlBuilder *query, const ReadPlan *plan, bool backwards,
									  int limit, int64 skip);
/* Read one page, or (backwards) the records at the end of the list. */
extern Rows cat_list_page_read(ReadPlan *plan, bool backwards);
/* Set the members of the reply that tell the position of the page: ids, number of records, cursors. */
extern void cat_list_page_describe(const RequestParams *params, const Rows *rows, CallReply *reply);

/* search_page.c */

/* Read one page of a list that the search index serves (cat_search_is_served()), or (backwards) the
 * records at its end.  Without an order in the request, a search is sorted by rank. */
extern Rows cat_search_page_read(const ReadPlan *plan, bool backwards);
/* Return a member of "meta" with up to three words for each word of the search, of the names that the caller sees: those
 * that one edit makes of it, or two of a long one; if names have the word itself, only words that are much more frequent.
 * NULL: the caller sees no names of the resource. */
extern char *cat_search_page_nearest_words(const ReadPlan *plan);

/* facets.c */

/* Return the facets of a list as a member of "meta", palloc'd; NULL if none are asked for.  counted_at:
 * set to when the oldest numbers were counted, if they may not be those of the page. */
extern char *cat_facets_read(const ReadPlan *plan, TimestampTz *counted_at);

/* facet_cache.c */

/* Return whether what is counted for a request is kept for other backends, and theirs for it. */
extern bool cat_facet_cache_serves(const ReadPlan *plan, const PageCacheKey *key);
/* Return the facets of a statement, and set when they were counted; NULL: the caller counts them. */
extern char *cat_facet_cache_get(const PageCacheKey *key, TimestampTz *counted_at);
/* Return what is kept of a statement, however old it is; NULL: nothing is. */
extern char *cat_facet_cache_get_any(const PageCacheKey *key);
/* Keep the facets of a statement. */
extern void cat_facet_cache_put(const PageCacheKey *key, TimestampTz counted_at,
								const char *facets);

/* statistics_summary.c */

/* Answer a call for the groups of a resource's requests; the call has begun. */
extern Datum cat_statistics_summary_answer(FunctionCallInfo fcinfo, const Resource *of,
										   const char *query, const Actor *actor, bool csv);

/* count.c */

/* Return the number of records of a list, which is counted once. */
extern int64 cat_count_read(ReadPlan *plan);
/* Return whether the counters of a resource have what the caller sees of it. */
extern bool cat_count_sees_counters(const RequestParams *params);
/* Return whether the row counter has it. */
extern bool cat_count_is_kept(const ReadPlan *plan);
/* Return the number of a search's records with a rank (SEARCH_NONE: any). */
extern int64 cat_count_rank(const ReadPlan *plan, SearchRank rank);
/* Return whether it is known that a search has no records with a rank: those that have changed since
 * cat_count_rank_set_none() told so have been looked at. */
extern bool cat_count_rank_is_none(const ReadPlan *plan, SearchRank rank);
extern void cat_count_rank_set_none(const ReadPlan *plan, SearchRank rank);
/* Numbers up to this one are counted in any case; greater ones are concluded from a sample of the table, or from the
 * positions of the first records in it. */
#define COUNTED_EXACTLY 10000
/* Return that number in the state of the page; one that is concluded as the next power of two. */
extern int64 cat_count_rank_rough(const ReadPlan *plan, SearchRank rank);
/* Return about that number, perhaps some minutes old: use it only to choose a read method. */
extern int64 cat_count_rank_about(const ReadPlan *plan, SearchRank rank);
/* Set the number of a list's records; false: about that number, of two digits, since it is more than
 * catalogue.facets_exact, and takes long to count. */
extern bool cat_count_estimate(ReadPlan *plan, int64 *number);

/* list_index.c */

/* Return whether all filters are on keys, and each of them is required, so that the list is read in
 * the order of creation rather than by the search index. */
extern bool cat_list_index_serves(const RequestParams *params);
/* Return what a page in the order of creation is read by. */
extern ListIndex cat_list_index(const ReadPlan *plan);
/* Set the key of a search's list whose records are fewer than those of a rank that the search alone
 * finds; false if there is none, or it is not known. */
extern bool cat_list_index_narrows(const ReadPlan *plan, SearchRank rank, ListIndex *chosen);
/* Append FROM and WHERE of a list whose records, t, are found by rows with keys, k. */
extern void cat_list_index_write(SqlBuilder *query, const RequestParams *params,
								 const ListIndex *chosen, const char *direction);
/* Set the number of a list's records if it is kept, as the number of those with one value of a facet. */
extern bool cat_list_index_counter(const ReadPlan *plan, int64 *count);
/* Append the statement that counts the records of a list: by the rows of its keys alone if each of
 * them stands for a record. */
extern void cat_list_index_count_write(SqlBuilder *query, const ReadPlan *plan);

#endif /* CATALOGUE_READ_LIST_INTERNAL_H */
