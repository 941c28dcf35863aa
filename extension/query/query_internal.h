/*
 * query_internal.h
 *	  Reading and writing of conditions: used inside query/ only.
 */
#ifndef CATALOGUE_QUERY_QUERY_INTERNAL_H
#define CATALOGUE_QUERY_QUERY_INTERNAL_H

#include "catalogue.h"

#include "query/query.h"
#include "query/sql_builder.h"

/* selection.c */

/* Whether a field is shown to the actor only in his own record. */
extern bool cat_selection_is_own(const Resource *resource, const Field *field, const Actor *actor);
extern bool cat_selection_embeds(Resource *resource, List *path, AccessLevel access);

/* request_params.c */

/* The names of all parameters. */
extern List *cat_request_params_known(void);

/* facet.c */

extern void cat_facet_read(RequestParams *params, const char *value);
extern void cat_facet_read_limit(RequestParams *params, const char *value);

/* filter.c */

extern void cat_filter_deleted_read(RequestParams *params, const char *value);
extern Filter *cat_filter_make_box(Resource *resource, const char *value);
extern Filter *cat_filter_make(Resource *resource, List *path, Comparison comparison, List *values);

/* filter_value.c */

extern bool cat_filter_value_is_served(const Field *field, const Filter *filter);
extern void cat_filter_value_write(SqlBuilder *query, const Field *field, const char *column,
								   const Filter *filter, Match match);

/* sql_builder.c */

extern char *cat_sql_builder_column(const Resource *resource, const Field *field,
									const char *alias);
extern void cat_sql_builder_sort_key(StringInfo sql, const Resource *resource, const Field *field,
									 const char *alias);

/* nearest.c */

extern const char *cat_nearest_name(List *names, const char *word);
extern void cat_nearest_error(List **errors, const char *word, const char *nearest);

/* path.c */

extern List *cat_path_split(const RequestParams *params, const char *name);
extern List *cat_path_list(const RequestParams *params, const char *value);
extern bool cat_path_sorts(const RequestParams *params, List *path);
extern bool cat_path_starts(const RequestParams *params, Resource *resource, const char *name);
/* Return whether a name is a field or relation that at least the own record shows. */
extern bool cat_path_shows(const RequestParams *params, const char *name);
/* What may be counted and compared of a date, as the last part of a name */
#define YEAR "year"
extern bool cat_path_take_year(const RequestParams *params, List **path);
extern Field *cat_path_field(const RequestParams *params, List *path);
extern Resource *cat_path_target(const RequestParams *params, List *path);

/* history_sql.c */

extern const char *cat_history_sql_record(SqlBuilder *query, const Resource *resource,
										  const char *id);
extern char *cat_history_sql_with(SqlBuilder *query);

#endif /* CATALOGUE_QUERY_QUERY_INTERNAL_H */
