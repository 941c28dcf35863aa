/*
 * read.h
 *	  Reads of records: calls, pages, JSON, CSV, related records, entity tags, caches.
 *	  Decisions: docs/explanation/decisions.md#extensionread
 */
#ifndef CATALOGUE_READ_READ_H
#define CATALOGUE_READ_READ_H

#include "catalogue.h"

#include "call/call.h"
#include "history/history.h"
#include "query/read_plan.h"
#include "registry/rows.h"

/* One call that reads.  Its steps are in the order of the functions of read.c below. */
typedef struct ReadCall
{
	Actor actor;
	ReadPlan plan;
	const char *known; /* state tags that the caller has */
	char *tag; /* of the state of all that the read depends on, NULL where nothing tells it */
	CallReply reply;
} ReadCall;

/* Key of a page in the page cache. */
typedef struct PageCacheKey
{
	const char *key;
	char *state;		/* NULL: the page must not be cached */
	uint64 hash;		/* of the key */
	TimestampTz newest; /* instant of the state, as of RequestParams; 0: it is not known */
} PageCacheKey;

/* read.c */
/* Determine the version and the entity tag of a list.  Without plan.resources, the resources that
 * the read depends on are those of its parameters and its selection. */
extern void cat_read_state(ReadCall *call);
/* Set the entity tag of a list; return whether the client has that state already. */
extern bool cat_read_is_known(ReadCall *call);
/* Set the members of the reply that say that it is a list. */
extern void cat_read_list(ReadCall *call);
/* Answer with a list: with its entity tag alone if the client has that state, with the page from
 * the cache if it is there, else with the page that read() puts into the reply.  key: what the list
 * is, beside its query string and the access level; asked: for read(). */
extern void cat_read_page(ReadCall *call, const char *key,
						  void (*read)(ReadCall *call, void *asked), void *asked);
/* Set the members of the reply that hold for the read as a whole. */
extern void cat_read_head(ReadCall *call);
/* End a read that returns one reply. */
extern Datum cat_read_end(ReadCall *call, FunctionCallInfo fcinfo);

/* item.c */
/* Return the present state of a record as JSON, NULL if it is not visible. */
extern StringInfo cat_item_read(const Selection *selection, const char *id);

/* record.c */
/* Return the id of the record that a path segment names: the segment itself, unless no visible
 * record has this id but one has this slug.  A hidden record is treated as missing. */
extern const char *cat_record_named_id(Resource *resource, const char *word, AccessLevel access);
/* Read the record that a path names by its id, else by its slug, at the instant of the read. */
extern Rows cat_record_named(const RequestParams *params, const char *word);

/* page_cache.c */
/* Compute the cache key and the state of a page. key: identifies the request, apart from the
 * caller and the query string. resources: List of char *, the resources that the page depends
 * on.  The page is not cached (state is NULL) if it shows deleted records, if the user lacks
 * SELECT on a table or row security applies to it, or if the transaction itself has changed
 * records. */
extern PageCacheKey cat_page_cache_key(const RequestParams *params, const char *key,
									   List *resources);
/* Return the key of something else, with its state. */
extern PageCacheKey cat_page_cache_key_of(const char *key, char *state);
/* Store a page if it may be cached; an entry with the same hash is replaced. */
extern void cat_page_cache_put(const PageCacheKey *page_key, const CallReply *reply);
/* Fill the reply from the cache; false if the page must be read. */
extern bool cat_page_cache_get(const PageCacheKey *page_key, CallReply *reply);

/* json.c */
/* Append the value of a field as JSON. */
extern void cat_json_value(StringInfo out, const Field *field, Datum value);

/* csv.c */
/* Append a cell, in quotes if necessary.  One that a spreadsheet would evaluate as a formula gets an
 * apostrophe; a number is none.  Every CSV of the service is written by this function. */
extern void cat_csv_cell(StringInfo out, const char *text, size_t length);
extern void cat_csv_text(StringInfo out, const char *text);
/* Append the columns of a statement's row, from one on, as a line; row: NULL for their names. */
extern void cat_csv_line(StringInfo out, HeapTuple row, TupleDesc desc, int first);

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
/* Combine two tags; NULL if one of them is missing. */
extern char *cat_etag_join(const char *record, const char *rest);
/* Return whether a comma-separated list contains a tag or "*". */
extern bool cat_etag_is_among(const char *list, const char *tag);
/* Return whether a record's tag meets a precondition: it must be one of the listed tags, if
 * there are any, and none of those preceded by "!". */
extern bool cat_etag_meets(const char *match, const char *tag);

#endif /* CATALOGUE_READ_READ_H */
