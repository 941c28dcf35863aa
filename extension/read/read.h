/*
 * read.h
 *	  Reads of records: calls, pages, JSON, CSV, related records, entity tags, caches.
 */
#ifndef CATALOGUE_READ_READ_H
#define CATALOGUE_READ_READ_H

#include "catalogue.h"

#include "call/call.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "registry/rows.h"

/* Key of a page in the page cache. */
typedef struct PageCacheKey
{
	const char *key;
	char *state; /* NULL: the page must not be cached */
	uint64 hash; /* of the key */
} PageCacheKey;

/* What records of a resource are related to. */
typedef struct Relations Relations;

/* One call that reads. */
typedef struct ReadCall
{
	Actor actor;
	RequestParams *params;
	Selection *selection;
	Source source;
	const char *known; /* state tags that the caller has */
	List *resources;   /* of char *: all that the read depends on */
	char *tag;		   /* of their state, NULL where nothing tells it */
	CallReply reply;
} ReadCall;

/* read_call.c */

/* Begin a read of records: query, relations and actor are the arguments from a number on;
 * relations: less than 0 for none.  OD404 where the actor sees nothing of the resource. */
extern void cat_read_call_begin_many(ReadCall *call, FunctionCallInfo fcinfo, Resource *resource,
									 int query, int relations);
/* As cat_read_call_settle_record(), but a plain record by id depends only on its own row, so no
 * version is looked up. */
extern void cat_read_call_settle_item(ReadCall *call);
/* Set the tag of the reply to that of the first row, and of all that is shown with it; true
 * where the caller knows that state. */
extern bool cat_read_call_knows(ReadCall *call, const Relations *relations, const Rows *rows);
/* Set id and relations of the reply, after cat_read_call_knows(). */
extern void cat_read_call_describe(ReadCall *call, const Relations *relations, const Rows *rows);
/* Set what the reply says of the read as a whole: version, limit, skip, ignored names. */
extern void cat_read_call_head(ReadCall *call);

/* read.c */

/* Read the record that a path names by its id, else by its slug. */
extern Rows cat_read_named_then(const RequestParams *params, const Selection *selection,
								const char *word);
/* Records as they were at the version of the read, in the order of the ids. */
extern Rows *cat_read_rows_then(const RequestParams *params, const Selection *selection,
								const char *const *ids, int count);
/* A record as JSON, NULL where none is visible. */
extern StringInfo cat_read_record(const Selection *selection, const char *id);
/* The message for a record that does not exist, or is not visible; palloc'd. */
extern char *cat_read_missing(const Resource *resource, const char *id);
/* OD404 where the record whose relation is listed was not visible at the instant. */
extern void cat_read_require_owner(const Source *source, const RequestParams *params);

/* list_page.c */

/* Write the statement that gives one page. */
extern void cat_list_page_write(SqlBuilder *query, const RequestParams *params,
								const Source *source, const Selection *selection);
/* Read one page, or by backwards the records at the end of the list. */
extern Rows cat_list_page_read(const RequestParams *params, const Source *source,
							   const Selection *selection, bool backwards);
/* The number of records of a list. */
extern int64 cat_list_page_count(const RequestParams *params, const Source *source);
/* Read a page of a list into the reply, with count and cursors. */
extern void cat_list_page_answer(const RequestParams *params, const Source *source,
								 const Selection *selection, CallReply *reply);

/* page_cache.c */

/* The key of a page in the cache.  key: what is asked for, besides actor and query.  resources:
 * List of char *, all that the page depends on. */
extern PageCacheKey cat_page_cache_key(const RequestParams *params, const char *key,
									   List *resources);
/* Cache a page, unless its key has no state; an entry with the same hash is replaced. */
extern void cat_page_cache_put(const PageCacheKey *page_key, const CallReply *reply);
/* Take a page of the same state from the cache; false where there is none. */
extern bool cat_page_cache_get(const PageCacheKey *page_key, CallReply *reply);

/* named.c */

/* The id of the record that a word names: the word itself, unless no record of this id is
 * visible but one of this slug. */
extern const char *cat_named_id(Resource *resource, const char *word, AccessLevel access);

/* relations.c */

/* The relations of a selection's records, looked up once for all records. */
extern const Relations *cat_relations_begin(const Selection *selection);

/* embedding.c */

/* Read what the selection embeds in these records, on all levels.  then: as of that instant, 0
 * for the present. */
extern void cat_embedding_fetch(const Selection *selection, const Rows *rows, TimestampTz then);

/* json.c */

/* Append the value of a field, which is not null, as JSON. */
extern void cat_json_value(StringInfo out, const Field *field, Datum value);
/* Append one record as a JSON object: its fields, its lists of ids, what is embedded. */
extern void cat_json_record(StringInfo out, const Selection *selection, const Rows *rows, int row);

/* csv.c */

/* Append a cell, in quotes where it needs them; prefix: what stands before the text. */
extern void cat_csv_cell(StringInfo out, const char *prefix, const char *text, size_t length);
/* What must stand before a text so that spreadsheets take it for text: "" for most. */
extern const char *cat_csv_prefix(const char *text, size_t length);
/* Append the cells of a record, without the end of the line. */
extern void cat_csv_record(StringInfo out, const Selection *selection, const Rows *rows, int row);
/* Append the names of the columns, without the end of the line. */
extern void cat_csv_names(StringInfo out, const Selection *selection);
/* Prepare a selection for CSV: what to-one relations embed becomes cells. */
extern void cat_csv_shape(Selection *selection);

/* etag.c */

/* The entity tag of a record as it was read; it changes with each change of the row and with the
 * definition of the resource.  NULL where a statement read the record without its header. */
extern char *cat_etag_of_record(const Resource *resource, const Rows *rows, int row);
/* The entity tag of all that a read can show at a version.  resources: List of char *, what the
 * read depends on.  NULL where the transaction has changed records itself. */
extern char *cat_etag_of_version(TimestampTz instant, List *resources, const RequestParams *params);
/* Whether a tag is one of a comma-separated list; "*" stands for any. */
extern bool cat_etag_is_among(const char *list, const char *tag);
/* Whether a record with a tag meets If-Match: its tag is in the list, if the list has any, and
 * not among those with "!" before them. */
extern bool cat_etag_meets(const char *match, const char *tag);

#endif /* CATALOGUE_READ_READ_H */
