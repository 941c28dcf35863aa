/*
 * search_internal.h
 *	  Terms of searches and their conditions: used inside query/ only.
 */
#ifndef CATALOGUE_QUERY_SEARCH_INTERNAL_H
#define CATALOGUE_QUERY_SEARCH_INTERNAL_H

#include "catalogue.h"

#include "query/query_internal.h"
#include "query/search.h"

/* Characters that stand around the fields of a searched text, and between terms. */
#define SEARCH_DELIMITER "\x1F"
#define SEARCH_BREAK "\x1E"

/* Maximum numbers of terms in a search, and of words in all terms. */
#define TERMS_MAX 32
#define WORDS_MAX 100

#define SPACES " \t\n\v\f\r"

/* The field that a word is in. */
typedef enum WordField
{
	IN_ANY_FIELD,
	IN_NAME,
	WORD_FIELDS
} WordField;

/* A word or term of a search for words. */
typedef struct SearchUnit
{
	char *queries[WORD_FIELDS]; /* SQL of type tsquery: the word is in that field */
	int64 records;				/* that have it, as far as the caller sees them */
} SearchUnit;

/* A term of a search; terms are separated by commas. */
typedef struct SearchTerm
{
	char *text;	 /* folded */
	List *words; /* of char *, if several that need not be adjacent */

	/* of a search for words */
	List *units;   /* of SearchUnit *, without stop words */
	List *phrases; /* of char *: parts in quotes, folded */
	char *query;   /* of all units; NULL: there are none */
} SearchTerm;

/* search.c */

extern void cat_search_read(RequestParams *params, const char *value);
extern void cat_search_split(RequestParams *params);
extern void cat_search_read_match(RequestParams *params, const char *value);
extern void cat_search_narrow(SqlBuilder *query, const Resource *resource, const char *alias,
							  List *values, Match match);
extern void cat_search_write(SqlBuilder *query, const RequestParams *params, const char *alias);
/* Return the words of a text, separated by blanks: List of char *. */
extern List *cat_search_split_words(const char *text);
/* Return whether there are searchable fields that the caller does not see. */
extern bool cat_search_hides(const Resource *resource, AccessLevel access);
/* Append the text of a record: searchable columns in the order of the table, those that are visible
 * at the access level.  With ACCESS_ALL it is the expression of the search index. */
extern void cat_search_document_write(StringInfo sql, const Resource *resource, const char *alias,
									  AccessLevel access);
/* Append the condition that a folded text occurs in a searchable field, for the index. */
extern void cat_search_found_write(SqlBuilder *query, const Resource *resource, const char *alias,
								   const char *text, Match match);
/* Append the condition for the index: it finds the records of the wanted rank and few others. */
extern void cat_search_indexed_write(SqlBuilder *query, const RequestParams *params,
									 const char *alias);
/* Append the condition on the rank, which is computed for each record. */
extern void cat_search_rank_write(SqlBuilder *query, const RequestParams *params,
								  const char *alias);

/* word_search.c */

/* Return a search without terms. */
extern struct WordSearch *cat_word_search_begin(void);
/* Split a search for words into terms at the commas; what is too much is left out. */
extern void cat_word_search_split(RequestParams *params);
/* Append, preceded by AND, the conditions of a search for words.  by_record: each record is examined,
 * also where an index finds it. */
extern void cat_word_search_write(SqlBuilder *query, const RequestParams *params, const char *alias,
								  bool by_record);

/* search_words.c */

/* Return the languages of the search as the index has them, palloc'd. */
extern char *cat_search_words_languages(void);
/* Return the first words of a text that are no stop words, List of SearchUnit *.  begins: the last one of
 * the text may be the beginning of a word. */
extern List *cat_search_words_read(const char *text, bool begins, int most);
/* Return the query for records whose name has these words and no others; NULL if the text has none. */
extern char *cat_search_words_whole(const char *text);

/* search_text.c */

/* Return the text of an argument of a function of fields, and its length; NULL for null. */
extern const char *cat_search_text_value(FunctionCallInfo fcinfo, int number, size_t *length);

/* Find the match of a name, ignoring case; false if it is unknown. */
extern bool cat_search_text_find_match(const char *name, Match *match);
/* Return the match of a name.  Raises OD422 if it is unknown. */
extern Match cat_search_text_match(const char *name);
/* Replace delimiters inside a field or a term, which would be taken for its end. */
extern void cat_search_text_undelimit(char *text);

#endif /* CATALOGUE_QUERY_SEARCH_INTERNAL_H */
