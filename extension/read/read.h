/*
 * read.h
 *	  Reads of records: calls, pages, JSON, CSV, related records, entity tags, caches.
 */
#ifndef CATALOGUE_READ_READ_H
#define CATALOGUE_READ_READ_H

#include "catalogue.h"

#include "history/history.h"
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

/* read.c */

/* Begin a read of a resource's records.  The arguments "query", "relations" and the actor follow
 * each other from the given number on; a negative number stands for no argument "relations".
 * Raises OD404 if the resource is closed to the actor.  The caller sets "known", since its type
 * differs between the SQL functions. */
extern void cat_read_call_begin_many(ReadCall *call, FunctionCallInfo fcinfo, Resource *resource,
									 int query, int relations);
/* Determine the instant and the entity tag for a record by its id.  A plain record depends only
 * on its own row, so no version is looked up. */
extern void cat_read_call_settle_item(ReadCall *call);
/* Set the reply's entity tag from the first row; return whether the client has that state
 * already.  The tag covers the record and, if the reply shows more than its row or another
 * record can take its place, the other data, too. */
extern bool cat_read_call_knows(ReadCall *call, const Relations *relations, const Rows *rows);
/* Set the reply's id and relations from the first row.  Call cat_read_call_knows() first. */
extern void cat_read_call_describe(ReadCall *call, const Relations *relations, const Rows *rows);
/* Set the members of the reply that hold for the read as a whole. */
extern void cat_read_call_head(ReadCall *call);
/* Read the record that a path names by its id, else by its slug. */
extern Rows cat_read_named_then(const RequestParams *params, const Selection *selection,
								const char *word);
/* Read the states of several records at the instant of the read; one Rows for each id, in their
 * order. */
extern Rows *cat_read_rows_then(const RequestParams *params, const Selection *selection,
								const char *const *ids, int count);
/* Return the present state of a record as JSON, NULL if it is not visible. */
extern StringInfo cat_read_record(const Selection *selection, const char *id);
/* Return the message for a record that is missing or hidden, palloc'd. */
extern char *cat_read_missing(const Resource *resource, const char *id);
/* Raise OD404 unless the record that owns the list was visible at the instant. */
extern void cat_read_require_owner(const Source *source, const RequestParams *params);

/* list_page.c */
/* Append the statement that reads one page. */
extern void cat_list_page_write(SqlBuilder *query, const RequestParams *params,
								const Source *source, const Selection *selection);
/* Read one page, or (backwards) the records at the end of the list. */
extern Rows cat_list_page_read(const RequestParams *params, const Source *source,
							   const Selection *selection, bool backwards);
/* Return the number of records of a list. */
extern int64 cat_list_page_count(const RequestParams *params, const Source *source);
/* Read a page of a list into the reply, with total, cursors and ids. */
extern void cat_list_page_answer(const RequestParams *params, const Source *source,
								 const Selection *selection, CallReply *reply);

/* page_cache.c */
/* Compute the cache key and the state of a page. key: identifies the request, apart from the
 * caller and the query string. resources: List of char *, the resources that the page depends
 * on.  The page is not cached (state is NULL) if it shows deleted records, if the user lacks
 * SELECT on a table or row security applies to it, or if the transaction itself has changed
 * records. */
extern PageCacheKey cat_page_cache_key(const RequestParams *params, const char *key,
									   List *resources);
/* Store a page if it may be cached; an entry with the same hash is replaced. */
extern void cat_page_cache_put(const PageCacheKey *page_key, const CallReply *reply);
/* Fill the reply from the cache; false if the page must be read. */
extern bool cat_page_cache_get(const PageCacheKey *page_key, CallReply *reply);

/* embedding.c */

/* Return the id of the record that a path segment names: the segment itself, unless no visible
 * record has this id but one has this slug.  A hidden record is treated as missing. */
extern const char *cat_named_id(Resource *resource, const char *word, AccessLevel access);
/* Look up the visible relations of a selection's records, once for all records. */
extern const Relations *cat_relations_begin(const Selection *selection);
/* Read the records that the selection embeds in these rows, recursively. then: instant whose
 * state is read, 0 for the present. */
extern void cat_embedding_fetch(const Selection *selection, const Rows *rows, TimestampTz then);

/* json.c */
/* Append the value of a field as JSON. */
extern void cat_json_value(StringInfo out, const Field *field, Datum value);
/* Append one record as a JSON object: fields, lists of ids, embedded to-many relations. */
extern void cat_json_record(StringInfo out, const Selection *selection, const Rows *rows, int row);

/* csv.c */
/* Append a cell, quoted if necessary; prefix is written before the text. */
extern void cat_csv_cell(StringInfo out, const char *prefix, const char *text, size_t length);
/* Return the prefix that keeps spreadsheets from evaluating a text as a formula; "" for most
 * texts. */
extern const char *cat_csv_prefix(const char *text, size_t length);
/* Append a cell with a text of arbitrary content. */
extern void cat_csv_text(StringInfo out, const char *text);
/* Append the columns of a statement's row, from one on, as a line; row: NULL for their names. */
extern void cat_csv_line(StringInfo out, HeapTuple row, TupleDesc desc, int first);
/* Append the cells of a record, without the line end. */
extern void cat_csv_record(StringInfo out, const Selection *selection, const Rows *rows, int row);
/* Append the header line, without the line end. */
extern void cat_csv_names(StringInfo out, const Selection *selection);
/* Prepare a selection for CSV output: embedded to-one relations are written as cells. */
extern void cat_csv_shape(Selection *selection);

/* etag.c */
/* Return the entity tag of a record, which changes with each change of the record.  It is
 * computed from updated_at, the id, the row's transaction, its location (a transaction may
 * change a record twice) and the resource's definition.  Returns NULL if the row comes from a
 * statement and has no tuple header. */
extern char *cat_etag_of_record(const Resource *resource, const Rows *rows, int row);
/* Return the entity tag of a read from the instant that identifies its state.  What an outsider
 * or a user sees of an earlier state depends on what is visible now, so the newest change is
 * part of the tag then. resources: List of char *, the resources that the read depends on.
 * Returns NULL if the transaction has changed records, which no instant identifies yet. */
extern char *cat_etag_of_version(TimestampTz instant, List *resources, const RequestParams *params);
/* Return whether a comma-separated list contains a tag or "*". */
extern bool cat_etag_is_among(const char *list, const char *tag);
/* Return whether a record's tag meets a precondition: it must be one of the listed tags, if
 * there are any, and none of those preceded by "!". */
extern bool cat_etag_meets(const char *match, const char *tag);

#endif /* CATALOGUE_READ_READ_H */
