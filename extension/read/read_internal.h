/*
 * read_internal.h
 *	  Pages, JSON and counts: used inside read/ only.
 */
#ifndef CATALOGUE_READ_READ_INTERNAL_H
#define CATALOGUE_READ_READ_INTERNAL_H

#include "catalogue.h"

#include "call/call.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read.h"

/* A relation of which a caller is told. */
typedef struct Related
{
	const CatRelation *relation;
	Resource *target; /* of a to-one relation that may lead to what is not seen; else NULL */
} Related;

/* What records of a resource are related to. */
struct Relations
{
	AccessLevel access; /* of who asks */
	int count;
	Related *each;
	char *all;	/* their names, with commas between */
	bool hides; /* what is told of them depends on more than the record */
};

/* read_call.c */

/* OD404 as there is no such relation. */
pg_noreturn extern void cat_read_call_no_relation(const Resource *resource, const char *name);
/* As cat_read_call_begin_many(); the argument behind the actor has the entity tags that the
 * caller knows. */
extern void cat_read_call_begin(ReadCall *call, FunctionCallInfo fcinfo, Resource *resource,
								int query, int relations);
/* Set the version of the read and its entity tag. */
extern void cat_read_call_settle(ReadCall *call);
/* Set the version and the tag of a record: its reply names a version only where one was asked
 * for. */
extern void cat_read_call_settle_record(ReadCall *call);
/* End a read that gives one reply. */
extern Datum cat_read_call_end(ReadCall *call, FunctionCallInfo fcinfo);

/* statistics_summary.c */

/* Whether the query of a list of statistics asks for groups of requests instead. */
extern bool cat_statistics_summary_is_asked(const char *query);
/* Answer a call that has begun by the groups of the requests for a resource. */
extern Datum cat_statistics_summary_answer(FunctionCallInfo fcinfo, const Resource *of,
										   const char *query, const Actor *actor, bool csv);

/* list_page.c */

/* Write FROM and WHERE of a list, its records under the alias t. */
extern void cat_list_page_source(SqlBuilder *query, const RequestParams *params,
								 const Source *source);

/* search_page.c */

/* The number of records of a list; of a search those of a rank, SEARCH_NONE: of any. */
extern int64 cat_search_page_count(const RequestParams *params, const Source *source,
								   SearchRank rank);
/* As cat_list_page_read(), of a list that cat_search_is_served(); without an order of its own by
 * rank. */
extern Rows cat_search_page_read(const RequestParams *params, const Source *source,
								 const Selection *selection, bool backwards);

/* Run a statement that reads all records of a list, with settings for the index of search where
 * it is written for that. */
extern void cat_search_page_run(SqlBuilder *query);

/* facets.c */

/* The facets of a list as a member of "meta", palloc'd; NULL where none are asked for.  resources:
 * List of char *, all that the list depends on. */
extern char *cat_facets_read(const RequestParams *params, const Source *source, List *resources);

/* page_cache.c */

/* As cat_list_page_answer(), by way of the cache.  resources: List of char *, all that the page
 * depends on. */
extern void cat_page_cache_answer(const RequestParams *params, const Source *source,
								  const Selection *selection, List *resources, CallReply *reply);

/* count_cache.c */

/* The number that a statement counts: from the cache, or by running it.  run: runs the
 * statement. */
extern int64 cat_count_cache_run(SqlBuilder *query, const RequestParams *params,
								 void (*run)(SqlBuilder *));
/* That number as it was some minutes ago at most: for choosing a way to read only. */
extern int64 cat_count_cache_lately(SqlBuilder *query, const RequestParams *params,
									void (*run)(SqlBuilder *));

/* count_since.c */

/* The number of records counted now that were not in the list at the version of the read. */
extern int64 cat_count_since(const RequestParams *params);

/* named.c */

/* The id of the visible record that has a slug, the earliest of several, palloc'd; NULL for
 * none. */
extern char *cat_named_by_slug(Resource *resource, const char *word, AccessLevel access);

/* relations.c */

/* The names of a record's relations, without those that lead to no visible record. */
extern const char *cat_relations_seen(const Relations *relations, const Rows *row);

/* record_links.c */

/* Links from the first row, with commas between: words of paths behind the record's, with "+"
 * before an action that the caller may do now. */
extern const char *cat_record_links(const RequestParams *params, const Rows *row);

/* embedding.c */

/* The embedding of a relation, NULL where there is none. */
extern Embed *cat_embedding_named(const Selection *selection, const char *name);
/* The embedded text for the record of an id, NULL for none. */
extern EmbedRow *cat_embedding_row(const Embed *embed, Datum id);

/* json.c */

/* Append all records as a JSON array. */
extern void cat_json_records(StringInfo out, const Selection *selection, const Rows *rows);

/* etag.c */

/* The tag of a text. */
extern char *cat_etag_of_text(const char *text);
/* The tag of a record and of what is shown with it; NULL where one is missing. */
extern char *cat_etag_join(const char *record, const char *rest);

#endif /* CATALOGUE_READ_READ_INTERNAL_H */
