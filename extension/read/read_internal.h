/*
 * read_internal.h
 *	  The steps of a read, records, JSON: used inside read/ only.
 */
#ifndef CATALOGUE_READ_READ_INTERNAL_H
#define CATALOGUE_READ_READ_INTERNAL_H

#include "catalogue.h"

#include "call/call.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read.h"

/* A relation whose link a caller gets. */
typedef struct Related
{
	const CatRelation *relation;
	Resource *target; /* of a to-one relation that may lead to what is not seen; else NULL */
} Related;

/* What records of a resource are related to. */
typedef struct Relations
{
	AccessLevel access; /* of who asks */
	int count;
	Related *each;
	char *all;	/* their names, with commas between */
	bool hides; /* their links depend on more than the record */
} Relations;

/* read.c */

/* Begin a read of a resource's records: read who asks, the query string, and what is shown, by the
 * arguments "actor", "query" and, where there is one, "relations".  Raises OD404 if the resource is
 * private.  The caller sets "known". */
extern void cat_read_begin(ReadCall *call, FunctionCallInfo fcinfo, Resource *resource,
						   const CallArguments *args);
/* Begin a read of what a relation of a record leads to, by these and "resource", "id", "relation". */
extern void cat_read_begin_related(ReadCall *call, FunctionCallInfo fcinfo,
								   const CallArguments *args);
/* Determine the version and the entity tag of a single record, of which the reply names a version
 * only if the request does; of a record by its id: a plain one depends only on its own row, so no
 * version is looked up. */
extern void cat_read_state_record(ReadCall *call);
extern void cat_read_state_item(ReadCall *call);
/* Set the reply's entity tag from the first row; return whether the client has that state
 * already.  The tag covers the record and, if the reply shows more than its row or another
 * record can take its place, the other data, too. */
extern bool cat_read_knows(ReadCall *call, const Relations *relations, const Rows *rows);
/* Set the reply's id and relations from the first row.  Call cat_read_knows() first. */
extern void cat_read_describe(ReadCall *call, const Relations *relations, const Rows *rows);

/* item.c */

/* Answer with the record that a to-one relation leads to. */
extern void cat_item_answer_related(ReadCall *call);

/* record.c */

/* Return the id of a row's record, palloc'd. */
extern char *cat_record_id(const Resource *resource, const Rows *rows, int row);
/* Return whether the first row is the user of the call. */
extern bool cat_record_is_reader(const Resource *resource, const Rows *rows);
/* Read the state of a record at the instant of the read. */
extern Rows cat_record_then(const RequestParams *params, const Resource *resource, const char *id);
/* Read several: one Rows for each id, in their order. */
extern Rows *cat_record_each(const RequestParams *params, const char *const *ids, int count);
/* Return the message for a record that is missing or hidden, palloc'd; raise it as OD404. */
extern char *cat_record_missing(const Resource *resource, const char *id);
pg_noreturn extern void cat_record_not_found(const Resource *resource, const char *id);
/* Raise OD404 unless the record that owns the list was visible at the instant. */
extern void cat_record_require_owner(const ReadPlan *plan);

/* page_cache.c */

/* Return the key of what a statement reads for all callers of an access level.  name: what it is. */
extern PageCacheKey cat_page_cache_statement(const ReadPlan *plan, const char *name,
											 const SqlBuilder *query);
/* Get a count of any state that is some minutes old at most; false if there is none. */
extern bool cat_page_cache_count_lately(const PageCacheKey *page_key, int64 *count);
/* Get a count of an earlier state, or of the same one, and the instant of that; false if there is none. */
extern bool cat_page_cache_count_before(const PageCacheKey *page_key, int64 *count,
										TimestampTz *newest);

/* embedding.c */

extern const char *cat_embedding_relations_seen(const Relations *relations, const Rows *row);
extern const char *cat_embedding_record_links(const RequestParams *params, const Rows *row);
extern Embed *cat_embedding_named(const Selection *selection, const char *name);
extern EmbedRow *cat_embedding_row(const Embed *embed, Datum id);
/* Look up the visible relations of a selection's records, once for all records. */
extern const Relations *cat_embedding_relations_begin(const Selection *selection);
/* Read the records that the selection embeds in these rows, recursively. then: instant whose
 * state is read, 0 for the present. */
extern void cat_embedding_fetch(const Selection *selection, const Rows *rows, TimestampTz then);

/* json.c */

extern void cat_json_records(StringInfo out, const Selection *selection, const Rows *rows);
/* Append one record as a JSON object: fields, lists of ids, embedded to-many relations. */
extern void cat_json_record(StringInfo out, const Selection *selection, const Rows *rows, int row);

/* csv.c */

/* Append the cells of a record, without the line end. */
extern void cat_csv_record(StringInfo out, const Selection *selection, const Rows *rows, int row);
/* Append the header line, without the line end. */
extern void cat_csv_names(StringInfo out, const Selection *selection);
/* Prepare a selection for CSV output: embedded to-one relations are written as cells. */
extern void cat_csv_shape(Selection *selection);

/* etag.c */

extern char *cat_etag_of_text(const char *text);

#endif /* CATALOGUE_READ_READ_INTERNAL_H */
