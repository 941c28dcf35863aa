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
	Sight sight;	   /* of who asks */
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
	bool whole;	 /* rows of the table; else the columns of query_columns() */
	bool placed; /* the last column has the record's place in the list */
} Rows;

/* Append the text of one record. */
typedef void (*RecordWriter)(StringInfo out, const Selection *selection, const Rows *rows, int row);

typedef struct Embed
{
	CatRelation *relation;
	Selection *selection; /* NULL: an empty array is shown */
	RecordWriter write;
	HTAB *rows; /* key (id of the record, or of its owner): EmbedRow */
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
	Sight sight; /* of who asks */
	int count;
	Related *each;
	char *all;	/* their names, with commas between */
	bool hides; /* what is told of them depends on more than the record */
} Relations;

/* One call that reads. */
typedef struct CatReader
{
	Actor actor;
	Params *params;
	Selection *selection;
	Source source;
	const char *known; /* state tags that the caller has */
	List *resources;   /* of char *: all that the read depends on */
	char *tag;		   /* of their state, NULL where nothing tells it */
	Reply reply;
} CatReader;

/* What a snapshot sees; all zero: nothing that could be compared. */
typedef struct Mark
{
	Oid user;			  /* who looks */
	TransactionId behind; /* the last transaction that had ended */
	uint32 running;		  /* transactions before it that had not, */
	int32 subrunning;	  /* and subtransactions */
	TimestampTz taken;	  /* when */
} Mark;

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
#define SIEVE_MAX 8

/* What a page may be kept as. */
typedef struct Kept
{
	const char *key;
	char *state; /* NULL: it may not be kept */
	uint64 hash; /* of the key */
} Kept;

/* Filters on keys of a record, asked of one row after the other. */
typedef struct Sieve
{
	int count;
	AttrNumber attnos[SIEVE_MAX];
	bool lists[SIEVE_MAX]; /* the attribute is a list of ids, not one */
	const Filter *filters[SIEVE_MAX];
	int rejected;
} Sieve;

/* Records in the order of an index, read without a statement. */
typedef struct CatScan
{
	struct RelationData *table;
	struct RelationData *index;
	struct IndexScanDescData *desc;
	struct TupleTableSlot *slot;
} CatScan;

/* Records in the order of creation: all, or those that some keys lead to. */
typedef struct Trail
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
} Trail;

/* A parameter of a statement. */
typedef struct QueryParam
{
	Oid type;
	Datum value;
} QueryParam;

/* SQL text under construction, with its parameters. */
typedef struct CatQuery
{
	StringInfoData sql;
	Sight sight;	  /* of who asks */
	TimestampTz then; /* instant that records are shown as of, 0 for as they are */
	List *past;		  /* of Resource *: whose records are shown as they were */
	bool by_values;	  /* the best plan depends on the parameters */
	List *params;	  /* of QueryParam * */
	int aliases;
	bool indexed;	 /* the index of search shall find the records: conditions are written for it */
	SearchRank rank; /* of a search, only records of that rank; SEARCH_NONE: of any */
} CatQuery;

/* visibility.c */
extern void visibility_load(Resource *resource, Datum shown);
extern bool visibility_field(const Field *field, Sight sight);
extern bool visibility_relation(const CatRelation *relation, Sight sight);
extern void visibility_require(const Resource *resource, Sight sight);
extern bool visibility_record(const Resource *resource, HeapTuple tuple, Sight sight);
extern void visibility_write_conditions(StringInfo sql, const Resource *resource, const char *alias,
										Sight sight);
extern void visibility_write(StringInfo sql, const Resource *resource, const char *alias,
							 Sight sight);
extern bool visibility_past(const Resource *resource, HeapTuple present, Sight sight);
extern void visibility_write_past(StringInfo sql, const Resource *resource, const char *alias,
								  Sight sight);
extern const KeyIndex *visibility_lead(const Resource *resource, Sight sight, Datum *key);
extern bool visibility_is_partial(const Resource *resource, Sight sight);
extern bool visibility_is_counted(const Resource *resource, Sight sight);
/* selection.c */
extern Selection *select_all(Resource *resource, const Actor *actor, bool embedded);
extern Selection *select_params(const Params *params, const Actor *actor, bool embedded);
extern bool select_embeds(Resource *resource, List *path, Sight sight);
/* sql_builder.c, deleted.c, filter.c, filter_value.c, statement.c */
extern void query_begin(CatQuery *query, Sight sight, TimestampTz then);
extern void query_sort_key(StringInfo sql, const Resource *resource, const Field *field,
						   const char *alias);
extern const char *query_value(CatQuery *query, Oid type, Datum value);
extern char *query_param_text(const QueryParam *param);
extern const char *query_param(CatQuery *query, const char *value);
extern char *query_column(const Resource *resource, const Field *field, const char *alias);
extern void query_columns(CatQuery *query, const Selection *selection, const char *alias);
extern void query_living(CatQuery *query, const Resource *resource, const char *alias);
extern void query_run(CatQuery *query);
extern void deleted_write(CatQuery *query, const Params *params);
extern struct PortalData *query_cursor(CatQuery *query);
extern void filter_write(CatQuery *query, const Params *params, const char *alias);
extern void compare_write(CatQuery *query, const Field *field, const char *column,
						  const Filter *filter, Match match);
extern bool compare_is_served(const Field *field, const Filter *filter);
/* search.c, search_page.c */
extern void search_narrow(CatQuery *query, const Resource *resource, const char *alias,
						  List *values, Match match);
extern void search_write(CatQuery *query, const Params *params, const char *alias);
extern Rows pages_read(const Params *params, const Source *source, const Selection *selection,
					   bool backwards);
extern int64 pages_count(const Params *params, const Source *source, SearchRank rank);
extern void plan_trim(void);
extern bool plan_is_aside(void);
extern void plan_run_aside(const char *sql, int nargs, Oid *types, Datum *values);
extern void plan_run_by_values(const char *sql, int nargs, Oid *types, Datum *values);
extern void plan_run(const char *sql, int nargs, Oid *types, Datum *values, const char *nulls,
					 bool fresh, long limit);
/* order.c, cursor.c */
extern void order_write(CatQuery *query, const Params *params, const char *alias, bool backwards);
extern void order_column(CatQuery *query, const Params *params, const char *alias);
extern void order_behind(CatQuery *query, const Params *params, const char *alias);
extern char *place_encode(Datum values);
extern char *place_of(const char *first, const char *second);
extern List *place_decode(const char *text);
/* history_sql.c */
extern const char *query_past(CatQuery *query, Resource *resource);
extern const char *query_table(CatQuery *query, Resource *resource);
extern const char *query_record_table(CatQuery *query, Resource *resource, const char *id);
extern const char *query_via(CatQuery *query, CatRelation *relation);
extern char *query_with(CatQuery *query);
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
extern void json_text(StringInfo out, const char *text, size_t length);
extern void json_string(StringInfo out, const char *text);
extern char *json_compact(const char *text);
extern void json_timestamp(StringInfo out, TimestampTz instant);
extern char *json_instant(TimestampTz instant);
extern void json_value(StringInfo out, const Field *field, Datum value);
extern void json_records(StringInfo out, const Selection *selection, const Rows *rows);
extern void json_record(StringInfo out, const Selection *selection, const Rows *rows, int row);
extern bool scan_open(CatScan *scan, Oid table, Oid index);
extern void scan_seek(CatScan *scan, const char *key);
extern void scan_seek_value(CatScan *scan, Datum key);
extern void scan_seek_key_place(CatScan *scan, Datum key, List *place, bool backwards);
extern void scan_seek_words(CatScan *scan, List *words);
extern void scan_seek_instant(CatScan *scan, TimestampTz instant);
extern void scan_seek_word_instant(CatScan *scan, const char *word, TimestampTz instant);
extern void scan_seek_number(CatScan *scan, int64 key);
extern void scan_seek_numbers(CatScan *scan, int64 key, int64 bound, bool backwards);
extern void scan_seek_place(CatScan *scan, List *place, bool backwards);
extern bool scan_next(CatScan *scan, bool backwards);
extern void scan_close(CatScan *scan);
extern bool trail_open(Trail *trail, const Params *params, const Source *source, const Sieve *sieve,
					   const Stretch *stretch);
extern struct TupleTableSlot *trail_next(Trail *trail);
extern void trail_close(Trail *trail);
extern bool sieve_make(Sieve *sieve, const Params *params);
extern bool sieve_passes(Sieve *sieve, struct TupleTableSlot *slot);
extern bool sieve_is_clogged(const Sieve *sieve);
extern Rows rows_of_statement(void);
extern Rows rows_whole(const Resource *resource, int most);
extern bool rows_by_ids(const Resource *resource, const char *const *ids, int count, Sight sight,
						Rows *rows);
extern bool rows_by_id(const Resource *resource, const char *id, Sight sight, Rows *rows);
/* record_links.c */
extern const char *ways_of(const Params *params, const Rows *row);
/* named.c */
extern char *named_by_slug(Resource *resource, const char *word, Sight sight);
extern const char *named_id(Resource *resource, const char *word, Sight sight);
extern bool rows_in_order(const Params *params, const Source *source, const Stretch *stretch,
						  Rows *rows);
extern void rows_reverse(Rows *rows);
extern void past_show_lists(Rows *rows, const Resource *resource, Sight sight);
extern char *past_list_column(const CatRelation *relation, const char *alias, Sight sight);
extern List *past_states(const Params *params, const char *id);
extern bool past_in_order(const Params *params, const Stretch *stretch, Rows *rows);
extern bool past_by_id(const Params *params, const char *id, Rows *rows);
extern int rows_column(const Rows *rows, const Selection *selection, const char *name);
extern void rows_values(const Rows *rows, const Resource *resource, int row, Datum *values,
						bool *nulls);
/* commit_time.c, read_version.c, history.c */
extern void stamp_init(void);
extern bool stamp_is_due(void);
extern bool stamp_has(const Resource *resource);
extern void stamp_forget(const Resource *resource);
extern int64 stamp_touch(const Resource *resource, const Tally *delta);
extern VirtualTransactionId *stamp_committing(int *count);
extern void version_settle(Params *params, List *resources);
extern void version_release(const Params *params);
extern TimestampTz version_behind(TimestampTz instant, List *resources);
extern void history_write(Resource *resource, const struct TriggerData *trigger);
extern void history_end(const Resource *resource, const char *id);
/* reference_lock.c */
extern bool living_lock(Resource *resource, const char *id, bool *found);
extern bool living_has(Resource *resource, const UniqueKey *key, List *values, const char *id,
					   bool *taken);
/* invalidation.c */
extern void invalidation_init(void);
extern uint64 invalidation_count(void);
/* snapshot_key.c */
extern bool mark_take(Mark *mark);
extern bool mark_same(const Mark *before, const Mark *now);
/* list_page.c, page_cache.c, count_cache.c */
extern Rows page_read(const Params *params, const Source *source, const Selection *selection,
					  bool backwards);
extern void page_write(CatQuery *query, const Params *params, const Source *source,
					   const Selection *selection, bool backwards);
extern int64 page_count(const Params *params, const Source *source);
extern void page_answer(const Params *params, const Source *source, const Selection *selection,
						Reply *reply);
extern void page_source(CatQuery *query, const Params *params, const Source *source);
extern Kept kept_as(const Params *params, const char *key, List *resources);
extern bool kept_give(const Kept *kept, Reply *reply);
extern void kept_keep(const Kept *kept, const Reply *reply);
extern void kept_answer(const Params *params, const Source *source, const Selection *selection,
						List *resources, Reply *reply);
extern int64 count_run(CatQuery *query, const Params *params, void (*run)(CatQuery *));
extern int64 count_lately(CatQuery *query, const Params *params, void (*run)(CatQuery *));
extern int64 counter_since(const Params *params);
/* relations.c */
extern const Relations *relations_begin(const Selection *selection);
extern const char *relations_seen(const Relations *relations, const Rows *row);
/* embedding.c, read.c */
extern void embed_fetch(const Selection *selection, const Rows *rows, TimestampTz then);
extern Embed *embed_named(const Selection *selection, const char *name);
extern EmbedRow *embed_row(const Embed *embed, Datum id);
extern void read_require_owner(const Source *source, const Actor *actor, TimestampTz then);
extern StringInfo read_record(const Selection *selection, const char *id);
extern Rows read_row(const Selection *selection, const char *id);
extern Rows read_named_then(const Params *params, const Selection *selection, const char *word);
extern Rows read_row_then(const Params *params, const Selection *selection, const char *id);
extern Rows *read_rows_then(const Params *params, const Selection *selection,
							const char *const *ids, int count);
extern char *read_missing(const Resource *resource, const char *id);
/* read_call.c */
pg_noreturn extern void reader_no_relation(const Resource *resource, const char *name);
extern void reader_begin(CatReader *reader, FunctionCallInfo fcinfo, Resource *resource, int query,
						 int relations);
extern void reader_begin_many(CatReader *reader, FunctionCallInfo fcinfo, Resource *resource,
							  int query, int relations);
extern void reader_settle(CatReader *reader);
extern void reader_settle_record(CatReader *reader);
extern void reader_settle_item(CatReader *reader);
extern bool reader_knows(CatReader *reader, const Relations *relations, const Rows *rows);
extern void reader_describe(CatReader *reader, const Relations *relations, const Rows *rows);
extern void reader_head(CatReader *reader);
extern Datum reader_end(CatReader *reader, FunctionCallInfo fcinfo);
/* statement_timeout.c */
extern void timeout_pause(void);
extern void timeout_resume(void);
/* csv.c */
extern void csv_cell(StringInfo out, const char *prefix, const char *text, size_t length);
extern const char *csv_prefix(const char *text, size_t length);
extern void csv_shape(Selection *selection);
extern void csv_names(StringInfo out, const Selection *selection);
extern void csv_record(StringInfo out, const Selection *selection, const Rows *rows, int row);
/* read_dependencies.c, etag.c */
extern List *depends_on(const Params *params, const Selection *selection, const Source *source);
extern bool etag_is_among(const char *list, const char *tag);
extern void etag_require(Writer *writer);
extern char *etag_of_version(TimestampTz instant, List *resources, const Params *params);
extern char *etag_of_text(const char *text);
extern char *etag_join(const char *record, const char *rest);
extern char *etag_of_record(const Resource *resource, const Rows *rows, int row);

#endif /* ROWS_H */
