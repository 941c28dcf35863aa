/*
 * search.h
 *	  Searches for letters, and for words by their stems.
 */
#ifndef CATALOGUE_QUERY_SEARCH_H
#define CATALOGUE_QUERY_SEARCH_H

#include "catalogue.h"

#include "query/query.h"
#include "query/sql_builder.h"

/* A search for words by their stems: match=WORDS. */
typedef struct WordSearch
{
	char *query;   /* SQL of type tsquery for what is found by stems; NULL: letters are sought */
	char *whole;   /* for names that are the search itself; NULL: it has no words */
	bool apart;	   /* terms have more conditions than their query */
	List *units;   /* of SearchUnit *: what is counted, to rank by what is rare */
	List *classes; /* of char *: queries of disjoint parts of the records, the best first */
} WordSearch;

/* search.c */
/* Whether a term has words that need not be adjacent. */
extern bool cat_search_has_words(const RequestParams *params);
/* Return whether the search index serves a list: it finds all its records and few others. */
extern bool cat_search_is_served(const RequestParams *params);

/* word_search.c */

/* Return the words or alternative terms by which a search ranks, as classes: so they are counted.
 * List of char *, NIL if there are less than two. */
extern List *cat_word_search_ranked(const RequestParams *params);
/* Set the classes of a search.  counts: the number of records that have each of
 * cat_word_search_ranked(); fewer rank higher. */
extern void cat_word_search_rank(const RequestParams *params, const int64 *counts);
/* Return whether more than a number of records have one of the words or terms that were counted. */
extern bool cat_word_search_is_frequent(const RequestParams *params, int64 most);
/* Return SQL of whether an expression is the same word as another one to a search for words; "false" for
 * other searches. */
extern const char *cat_word_search_same(SqlBuilder *query, const RequestParams *params,
										const char *expression, const char *word);
/* Return whether a search for words has any; if all are stop words, letters are sought as in others. */
extern bool cat_word_search_stems(const RequestParams *params);

#endif /* CATALOGUE_QUERY_SEARCH_H */
