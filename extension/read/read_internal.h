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

/* statistics_summary.c */

extern Datum cat_statistics_summary_answer(FunctionCallInfo fcinfo, const Resource *of,
										   const char *query, const Actor *actor, bool csv);

/* list_page.c */

extern void cat_list_page_source(SqlBuilder *query, const RequestParams *params,
								 const Source *source);

/* search_page.c */

extern int64 cat_search_page_count(const RequestParams *params, const Source *source,
								   SearchRank rank);
extern Rows cat_search_page_read(const RequestParams *params, const Source *source,
								 const Selection *selection, bool backwards);

extern void cat_search_page_run(SqlBuilder *query);
/*
 * Return a member of "meta" with up to three words for each word of the search that is in no name, of the names that the
 * caller sees: those that one edit makes of it, or two of a long one.  NULL: the caller sees no names of the resource.
 */
extern char *cat_nearest_words(const RequestParams *params, const Source *source);

/* facets.c */

extern char *cat_facets_read(const RequestParams *params, const Source *source, List *resources);

/* page_cache.c */

extern void cat_page_cache_answer(const RequestParams *params, const Source *source,
								  const Selection *selection, List *resources, CallReply *reply);
extern int64 cat_count_cache_run(SqlBuilder *query, const RequestParams *params,
								 void (*run)(SqlBuilder *));
extern int64 cat_count_cache_lately(SqlBuilder *query, const RequestParams *params,
									void (*run)(SqlBuilder *));
extern int64 cat_count_since(const RequestParams *params);

/* embedding.c */

extern char *cat_named_by_slug(Resource *resource, const char *word, AccessLevel access);
extern const char *cat_relations_seen(const Relations *relations, const Rows *row);
extern const char *cat_record_links(const RequestParams *params, const Rows *row);
extern Embed *cat_embedding_named(const Selection *selection, const char *name);
extern EmbedRow *cat_embedding_row(const Embed *embed, Datum id);

/* json.c */

extern void cat_json_records(StringInfo out, const Selection *selection, const Rows *rows);

/* etag.c */

extern char *cat_etag_of_text(const char *text);
extern char *cat_etag_join(const char *record, const char *rest);

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

#endif /* CATALOGUE_READ_READ_INTERNAL_H */
