/*
 * query_internal.h
 *	  Reading and writing of conditions: used inside query/ only.
 */
#ifndef CATALOGUE_QUERY_QUERY_INTERNAL_H
#define CATALOGUE_QUERY_QUERY_INTERNAL_H

#include "catalogue.h"

#include "query/query.h"
#include "query/sql_builder.h"

/* Characters that stand around the fields of a searched text, and between terms. */
#define SEARCH_MARK "\x1F"
#define SEARCH_BREAK "\x1E"

/* path.c */

/* The names of a dotted name; the name of a field is one, whatever it has in it. */
extern List *cat_path_split(const RequestParams *params, const char *name);
/* The paths of a comma-separated list. */
extern List *cat_path_list(const RequestParams *params, const char *value);
/* Own field, or a field of a record reached by to-one relations only. */
extern bool cat_path_sorts(const RequestParams *params, List *path);
/* Whether a name is a field that may be seen, or a relation. */
extern bool cat_path_starts(const RequestParams *params, Resource *resource, const char *name);
/* Whether the names lead to a field that may be asked for, or to related records. */
extern bool cat_path_filters(const RequestParams *params, List *path);
/* The visible field that the names lead to, NULL for none. */
extern Field *cat_path_field(const RequestParams *params, List *path);
/* The resource of the records that the names of relations lead to, NULL for none. */
extern Resource *cat_path_target(const RequestParams *params, List *path);

/* request_params.c */

/* The names of all parameters. */
extern List *cat_request_params_words(void);
/* A whole number, 0 or more, the value of a parameter; OD422 for another value. */
extern int64 cat_request_params_count(const char *name, const char *value);

/* facet.c */

/* Read the parameters "facets" and "facetLimit"; OD422 for a name that nothing is counted by. */
extern void cat_facet_read(RequestParams *params, const char *value);
extern void cat_facet_read_limit(RequestParams *params, const char *value);

/* deleted.c */

/* Read the parameter "deleted": OD401 or OD403 where the caller may bring back no record. */
extern void cat_deleted_read(RequestParams *params, const char *value);

/* selection.c */

/* Whether a path can be embedded: a relation, a relation's field, a relation's relation and so
 * on. */
extern bool cat_selection_embeds(Resource *resource, List *path, AccessLevel access);

/* filter.c */

/* A filter for the values of a path, which leads to a field or ends with a relation.  The path
 * is changed: a to-many relation at its end means the ids of its records, null that it has none. */
extern Filter *cat_filter_make(Resource *resource, List *path, Comparison comparison, List *values);

/* filter_value.c */

/* Whether the index of search finds the records that a filter of its last name asks for. */
extern bool cat_filter_value_is_served(const Field *field, const Filter *filter);
/* Write, in parentheses, that a field has one of a filter's values.  column: the field's value
 * in SQL.  The caller negates it for COMPARE_NOT_EQUAL.  OD422 for a value that does not
 * fit the field, and for a range that begins or ends at null. */
extern void cat_filter_value_write(SqlBuilder *query, const Field *field, const char *column,
								   const Filter *filter, Match match);

/* search.c */

/* Read the searched text; cat_search_split() follows when "match" was read too. */
extern void cat_search_read(RequestParams *params, const char *value);
/* Split the searched text into terms, at the commas; OD422 for too many terms or words. */
extern void cat_search_split(RequestParams *params);
/* Write, with AND behind it, the condition by which the search index finds records with a field
 * that fits a filter of these values. */
extern void cat_search_narrow(SqlBuilder *query, const Resource *resource, const char *alias,
							  List *values, Match match);
/* Write, with AND before it, that a record is found. */
extern void cat_search_write(SqlBuilder *query, const RequestParams *params, const char *alias);

/* search_text.c */

/* The match of a name in any letter case; OD422 where there is none. */
extern Match cat_search_text_match(const char *name);
/* Take out of a text the characters that the index stores around fields and terms. */
extern void cat_search_text_unmark(char *text);

/* cursor.c */

/* The values of a cursor, a List of char * with NULL for null; NIL where the text is none. */
extern List *cat_cursor_decode(const char *text);

/* sql_builder.c */

/* The value of a field in SQL.  An internal user sees when a record was deactivated as when it
 * was deleted. */
extern char *cat_sql_builder_column(const Resource *resource, const Field *field,
									const char *alias);
/* Write what a field is sorted by: text, and what has no order, in that of ICU's root collation. */
extern void cat_sql_builder_sort_key(StringInfo sql, const Resource *resource, const Field *field,
									 const char *alias);

/* history_sql.c */

/* As cat_history_sql_table(), of the one record of an id, which is given as SQL. */
extern const char *cat_history_sql_record(SqlBuilder *query, const Resource *resource,
										  const char *id);
/* The WITH clause of a statement: earlier states of the records of each resource in
 * SqlBuilder.earlier; palloc'd. */
extern char *cat_history_sql_with(SqlBuilder *query);

/* nearest.c */

/* The name that takes the fewest changes to become the word; NULL where none is near. */
extern const char *cat_nearest_name(List *names, const char *word);
/* Add an error for an unknown name, which names the known one that is nearest, NULL for none. */
extern void cat_nearest_error(List **errors, const char *word, const char *nearest);

#endif /* CATALOGUE_QUERY_QUERY_INTERNAL_H */
