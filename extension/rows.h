/*
 * rows.h
 *	  How records are read: what is shown of them, rows, scans, SQL text.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef ROWS_H
#define ROWS_H

/* What of a resource is shown, and what is embedded in it. */
typedef struct Selection
{
	Resource *resource;
	AccessLevel sight; /* of who asks */
	bool css;		   /* colours are shown with "#" before them */
	Bitmapset *fields; /* index into Resource.fields */
	Bitmapset *lists;  /* index into Resource.relations: owned many-to-many, shown as ids */
	List *embeds;	   /* of Embed * */
	bool embedded;	   /* each relation is one of them */
} Selection;

/* Records as they were read. */
typedef struct Rows
{
	TupleDesc desc;
	HeapTuple *tuples;
	int count;
	bool whole;	 /* rows of the table; else the columns of cat_sql_builder_columns() */
	bool placed; /* the last column has the record's place in the list */
} Rows;

/* Append the text of one record. */
typedef void (*RecordWriter)(StringInfo out, const Selection *selection, const Rows *rows, int row);

typedef struct Embed
{
	CatRelation *relation;
	Selection *selection; /* NULL: an empty array is shown */
	RecordWriter write;	  /* NULL: as JSON */
	HTAB *rows;			  /* key (id of the record, or of its owner): EmbedRow */
} Embed;

typedef struct EmbedRow
{
	char key[ID_LENGTH + 1];
	StringInfoData text; /* of one record, or of several with commas between */
} EmbedRow;

/* Which records a list is of: all of a resource, or those of one record's relation. */
typedef struct Source
{
	Resource *resource;	   /* of that record */
	CatRelation *relation; /* NULL: all */
	const char *owner;	   /* id of the record */
} Source;

/* A relation of which a caller is told. */
typedef struct Related
{
	const CatRelation *relation;
	Resource *target; /* of a to-one relation that may lead to what is not seen; else NULL */
} Related;

/* What records of a resource are related to. */
typedef struct Relations
{
	AccessLevel sight; /* of who asks */
	int count;
	Related *each;
	char *all;	/* their names, with commas between */
	bool hides; /* what is told of them depends on more than the record */
} Relations;

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

/* What a snapshot sees; all zero: nothing that could be compared. */
typedef struct SnapshotKey
{
	Oid user;			  /* who looks */
	TransactionId behind; /* the last transaction that had ended */
	uint32 running;		  /* transactions before it that had not, */
	int32 subrunning;	  /* and subtransactions */
	TimestampTz taken;	  /* when */
} SnapshotKey;

/* A state that a record had. */
typedef struct PastState
{
	TimestampTz until; /* instant of the change that ended it */
	HeapTuple tuple;   /* row of the resource's table; NULL: it did not exist */
} PastState;

/* So many records of all in the order of creation. */
typedef struct Stretch
{
	bool backwards; /* from the end */
	int limit;
	int64 skip;
	bool placed; /* behind the place that the request names, whatever skip says */
} Stretch;

/* Ids that a record's key is compared with, or that records are looked up by, at most. */
#define KEYS_MAX 16

/* Filters that a sieve has, at most. */
#define ROW_FILTER_MAX 8

/* What a page may be kept as. */
typedef struct PageCacheKey
{
	const char *key;
	char *state; /* NULL: it may not be kept */
	uint64 hash; /* of the key */
} PageCacheKey;

/* Filters on keys of a record, asked of one row after the other. */
typedef struct RowFilter
{
	int count;
	AttrNumber attnos[ROW_FILTER_MAX];
	bool lists[ROW_FILTER_MAX]; /* the attribute is a list of ids, not one */
	const Filter *filters[ROW_FILTER_MAX];
	int rejected;
} RowFilter;

/* Records in the order of an index, read without a statement. */
typedef struct CatScan
{
	struct RelationData *table;
	struct RelationData *index;
	struct IndexScanDescData *desc;
	struct TupleTableSlot *slot;
} CatScan;

/* Records in the order of creation: all, or those that some keys lead to. */
typedef struct MergeScan
{
	const KeyIndex *via; /* NULL: all */
	int count;			 /* of scans, one for each key */
	CatScan scans[KEYS_MAX];
	bool more[KEYS_MAX]; /* the scan is on a row */
	int current;		 /* the scan that gave the last record, -1: there was none */
	text *last;			 /* id of that record, where there are several scans */
	bool joined;		 /* the rows are of a join table; the records are looked up */
	CatScan records;
	bool backwards;
} MergeScan;

/* A parameter of a statement. */
typedef struct SqlParam
{
	Oid type;
	Datum value;
} SqlParam;

/* SQL text under construction, with its parameters. */
typedef struct SqlBuilder
{
	StringInfoData sql;
	AccessLevel sight; /* of who asks */
	TimestampTz then;  /* instant that records are shown as of, 0 for as they are */
	List *past;		   /* of Resource *: whose records are shown as they were */
	bool by_values;	   /* the best plan depends on the parameters */
	List *params;	   /* of SqlParam * */
	int aliases;
	bool indexed;	 /* the index of search shall find the records: conditions are written for it */
	SearchRank rank; /* of a search, only records of that rank; SEARCH_NONE: of any */
} SqlBuilder;

/* selection.c */
extern Selection *cat_selection_all(Resource *resource, const Actor *actor, bool embedded);
extern Selection *cat_selection_params(const RequestParams *params, const Actor *actor,
									   bool embedded);
extern bool cat_selection_embeds(Resource *resource, List *path, AccessLevel sight);
/* sql_builder.c, deleted.c, filter.c, filter_value.c, statement.c */
extern void cat_sql_builder_begin(SqlBuilder *query, AccessLevel sight, TimestampTz then);
extern void cat_sql_builder_sort_key(StringInfo sql, const Resource *resource, const Field *field,
									 const char *alias);
extern const char *cat_sql_builder_value(SqlBuilder *query, Oid type, Datum value);
extern char *cat_sql_builder_param_text(const SqlParam *param);
extern const char *cat_sql_builder_param(SqlBuilder *query, const char *value);
extern char *cat_sql_builder_column(const Resource *resource, const Field *field,
									const char *alias);
extern void cat_sql_builder_columns(SqlBuilder *query, const Selection *selection,
									const char *alias);
extern void cat_sql_builder_living(SqlBuilder *query, const Resource *resource, const char *alias);
extern void cat_sql_builder_run(SqlBuilder *query);
extern void cat_deleted_write(SqlBuilder *query, const RequestParams *params);
extern struct PortalData *cat_sql_builder_cursor(SqlBuilder *query);
extern void cat_filter_write(SqlBuilder *query, const RequestParams *params, const char *alias);
extern void cat_filter_value_write(SqlBuilder *query, const Field *field, const char *column,
								   const Filter *filter, Match match);
extern bool cat_filter_value_is_served(const Field *field, const Filter *filter);
/* search.c, search_page.c */
extern void cat_search_narrow(SqlBuilder *query, const Resource *resource, const char *alias,
							  List *values, Match match);
extern void cat_search_write(SqlBuilder *query, const RequestParams *params, const char *alias);
extern Rows cat_search_page_read(const RequestParams *params, const Source *source,
								 const Selection *selection, bool backwards);
extern int64 cat_search_page_count(const RequestParams *params, const Source *source,
								   SearchRank rank);
extern void cat_statement_trim(void);
extern bool cat_statement_is_aside(void);
extern void cat_statement_run_aside(const char *sql, int nargs, Oid *types, Datum *values);
extern void cat_statement_run_by_values(const char *sql, int nargs, Oid *types, Datum *values);
extern void cat_statement_run(const char *sql, int nargs, Oid *types, Datum *values,
							  const char *nulls, bool fresh, long limit);
/* order.c, cursor.c */
extern void cat_order_write(SqlBuilder *query, const RequestParams *params, const char *alias,
							bool backwards);
extern void cat_order_column(SqlBuilder *query, const RequestParams *params, const char *alias);
extern void cat_order_behind(SqlBuilder *query, const RequestParams *params, const char *alias);
extern char *cat_cursor_encode(Datum values);
extern char *cat_cursor_of(const char *first, const char *second);
extern List *cat_cursor_decode(const char *text);
/* history_sql.c */
extern const char *cat_history_sql_past(SqlBuilder *query, Resource *resource);
extern const char *cat_history_sql_table(SqlBuilder *query, Resource *resource);
extern const char *cat_history_sql_record_table(SqlBuilder *query, Resource *resource,
												const char *id);
extern const char *cat_history_sql_via(SqlBuilder *query, CatRelation *relation);
extern char *cat_history_sql_with(SqlBuilder *query);
/* Append bytes; of a record there are so many pieces that a call for each would be felt. */
static inline void
json_bytes(StringInfo out, const char *bytes, int length)
{
	if (length >= out->maxlen - out->len)
		enlargeStringInfo(out, length);
	memcpy(out->data + out->len, bytes, length);
	out->len += length;
	out->data[out->len] = '\0';
}

/* json_text.c, json.c, index_scan.c, index_merge.c, row_filter.c, row_fetch.c */
extern void cat_json_text(StringInfo out, const char *text, size_t length);
extern void cat_json_text_string(StringInfo out, const char *text);
extern char *cat_json_text_compact(const char *text);
extern void cat_json_text_timestamp(StringInfo out, TimestampTz instant);
extern char *cat_json_text_instant(TimestampTz instant);
extern void cat_json_value(StringInfo out, const Field *field, Datum value);
extern void cat_json_records(StringInfo out, const Selection *selection, const Rows *rows);
extern void cat_json_record(StringInfo out, const Selection *selection, const Rows *rows, int row);
extern bool cat_index_scan_open(CatScan *scan, Oid table, Oid index);
extern void cat_index_scan_seek(CatScan *scan, const char *key);
extern void cat_index_scan_seek_value(CatScan *scan, Datum key);
extern void cat_index_scan_seek_key_place(CatScan *scan, Datum key, List *place, bool backwards);
extern void cat_index_scan_seek_words(CatScan *scan, List *words);
extern void cat_index_scan_seek_instant(CatScan *scan, TimestampTz instant);
extern void cat_index_scan_seek_word_instant(CatScan *scan, const char *word, TimestampTz instant);
extern void cat_index_scan_seek_number(CatScan *scan, int64 key);
extern void cat_index_scan_seek_numbers(CatScan *scan, int64 key, int64 bound, bool backwards);
extern void cat_index_scan_seek_place(CatScan *scan, List *place, bool backwards);
extern bool cat_index_scan_next(CatScan *scan, bool backwards);
extern void cat_index_scan_close(CatScan *scan);
extern bool cat_index_merge_open(MergeScan *trail, const RequestParams *params,
								 const Source *source, const RowFilter *sieve,
								 const Stretch *stretch);
extern struct TupleTableSlot *cat_index_merge_next(MergeScan *trail);
extern void cat_index_merge_close(MergeScan *trail);
extern bool cat_row_filter_make(RowFilter *sieve, const RequestParams *params);
extern bool cat_row_filter_passes(RowFilter *sieve, struct TupleTableSlot *slot);
extern bool cat_row_filter_rejects_most(const RowFilter *sieve);
extern Rows cat_row_fetch_of_statement(void);
extern Rows cat_row_fetch_whole(const Resource *resource, int most);
extern bool cat_row_fetch_by_ids(const Resource *resource, const char *const *ids, int count,
								 AccessLevel sight, Rows *rows);
extern bool cat_row_fetch_by_id(const Resource *resource, const char *id, AccessLevel sight,
								Rows *rows);
/* record_links.c */
extern const char *cat_record_links(const RequestParams *params, const Rows *row);
/* named.c */
extern char *cat_named_by_slug(Resource *resource, const char *word, AccessLevel sight);
extern const char *cat_named_id(Resource *resource, const char *word, AccessLevel sight);
extern bool cat_row_fetch_in_order(const RequestParams *params, const Source *source,
								   const Stretch *stretch, Rows *rows);
extern void cat_row_fetch_reverse(Rows *rows);
extern void cat_past_lists_show(Rows *rows, const Resource *resource, AccessLevel sight);
extern List *cat_history_scan_states(const RequestParams *params, const char *id);
extern bool cat_history_scan_in_order(const RequestParams *params, const Stretch *stretch,
									  Rows *rows);
extern bool cat_history_scan_by_id(const RequestParams *params, const char *id, Rows *rows);
extern int cat_row_fetch_column(const Rows *rows, const Selection *selection, const char *name);
extern void cat_row_fetch_values(const Rows *rows, const Resource *resource, int row, Datum *values,
								 bool *nulls);
/* commit_time.c, read_version.c, history.c */
extern void cat_commit_time_init(void);
extern bool cat_commit_time_is_due(void);
extern bool cat_commit_time_has(const Resource *resource);
extern void cat_commit_time_forget(const Resource *resource);
extern int64 cat_commit_time_touch(const Resource *resource, const Tally *delta);
extern VirtualTransactionId *cat_commit_time_committing(int *count);
extern void cat_read_version_settle(RequestParams *params, List *resources);
extern void cat_read_version_release(const RequestParams *params);
extern TimestampTz cat_read_version_behind(TimestampTz instant, List *resources);
extern void cat_history_write(Resource *resource, const struct TriggerData *trigger);
extern void cat_history_end(const Resource *resource, const char *id);
/* reference_lock.c */
extern bool cat_reference_lock_take(Resource *resource, const char *id, bool *found);
extern bool cat_reference_lock_name_taken(Resource *resource, const UniqueKey *key, List *values,
										  const char *id, bool *taken);
/* invalidation.c */
extern void cat_invalidation_init(void);
extern uint64 cat_invalidation_count(void);
/* snapshot_key.c */
extern bool cat_snapshot_key_take(SnapshotKey *mark);
extern bool cat_snapshot_key_equal(const SnapshotKey *before, const SnapshotKey *now);
/* list_page.c, page_cache.c, count_cache.c */
extern Rows cat_list_page_read(const RequestParams *params, const Source *source,
							   const Selection *selection, bool backwards);
extern void cat_list_page_write(SqlBuilder *query, const RequestParams *params,
								const Source *source, const Selection *selection, bool backwards);
extern int64 cat_list_page_count(const RequestParams *params, const Source *source);
extern void cat_list_page_answer(const RequestParams *params, const Source *source,
								 const Selection *selection, CallReply *reply);
extern void cat_list_page_source(SqlBuilder *query, const RequestParams *params,
								 const Source *source);
extern PageCacheKey cat_page_cache_key(const RequestParams *params, const char *key,
									   List *resources);
extern bool cat_page_cache_get(const PageCacheKey *kept, CallReply *reply);
extern void cat_page_cache_put(const PageCacheKey *kept, const CallReply *reply);
extern void cat_page_cache_answer(const RequestParams *params, const Source *source,
								  const Selection *selection, List *resources, CallReply *reply);
extern int64 cat_count_cache_run(SqlBuilder *query, const RequestParams *params,
								 void (*run)(SqlBuilder *));
extern int64 cat_count_cache_lately(SqlBuilder *query, const RequestParams *params,
									void (*run)(SqlBuilder *));
extern int64 cat_count_since(const RequestParams *params);
/* relations.c */
extern const Relations *cat_relations_begin(const Selection *selection);
extern const char *cat_relations_seen(const Relations *relations, const Rows *row);
/* embedding.c, read.c */
extern void cat_embedding_fetch(const Selection *selection, const Rows *rows, TimestampTz then);
extern Embed *cat_embedding_named(const Selection *selection, const char *name);
extern EmbedRow *cat_embedding_row(const Embed *embed, Datum id);
extern void cat_read_require_owner(const Source *source, const Actor *actor, TimestampTz then);
extern StringInfo cat_read_record(const Selection *selection, const char *id);
extern Rows cat_read_row(const Selection *selection, const char *id);
extern Rows cat_read_named_then(const RequestParams *params, const Selection *selection,
								const char *word);
extern Rows cat_read_row_then(const RequestParams *params, const Selection *selection,
							  const char *id);
extern Rows *cat_read_rows_then(const RequestParams *params, const Selection *selection,
								const char *const *ids, int count);
extern char *cat_read_missing(const Resource *resource, const char *id);
/* read_call.c */
pg_noreturn extern void cat_read_call_no_relation(const Resource *resource, const char *name);
extern void cat_read_call_begin(ReadCall *reader, FunctionCallInfo fcinfo, Resource *resource,
								int query, int relations);
extern void cat_read_call_begin_many(ReadCall *reader, FunctionCallInfo fcinfo, Resource *resource,
									 int query, int relations);
extern void cat_read_call_settle(ReadCall *reader);
extern void cat_read_call_settle_record(ReadCall *reader);
extern void cat_read_call_settle_item(ReadCall *reader);
extern bool cat_read_call_knows(ReadCall *reader, const Relations *relations, const Rows *rows);
extern void cat_read_call_describe(ReadCall *reader, const Relations *relations, const Rows *rows);
extern void cat_read_call_head(ReadCall *reader);
extern Datum cat_read_call_end(ReadCall *reader, FunctionCallInfo fcinfo);
/* statement_timeout.c */
extern void cat_statement_timeout_pause(void);
extern void cat_statement_timeout_resume(void);
/* csv.c */
extern void cat_csv_cell(StringInfo out, const char *prefix, const char *text, size_t length);
extern const char *cat_csv_prefix(const char *text, size_t length);
extern void cat_csv_shape(Selection *selection);
extern void cat_csv_names(StringInfo out, const Selection *selection);
extern void cat_csv_record(StringInfo out, const Selection *selection, const Rows *rows, int row);
/* read_dependencies.c, etag.c */
extern List *cat_read_dependencies(const RequestParams *params, const Selection *selection,
								   const Source *source);
extern bool cat_etag_is_among(const char *list, const char *tag);
extern bool cat_etag_meets(const char *match, const char *tag);
extern char *cat_etag_of_version(TimestampTz instant, List *resources, const RequestParams *params);
extern char *cat_etag_of_text(const char *text);
extern char *cat_etag_join(const char *record, const char *rest);
extern char *cat_etag_of_record(const Resource *resource, const Rows *rows, int row);

#endif /* ROWS_H */
