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
	bool internal;	   /* for an internal user, who sees what is deactivated */
	Bitmapset *fields; /* index into Resource.fields */
	Bitmapset *lists;  /* index into Resource.relations: owned many-to-many, shown as ids */
	List *embeds;	   /* of Embed * */
} Selection;

typedef struct Embed
{
	CatRelation *relation;
	Selection *selection; /* NULL: an empty array is shown */
	HTAB *rows;			  /* key (id of the record, or of its owner): EmbedRow */
} Embed;

typedef struct EmbedRow
{
	char key[ID_LENGTH + 1];
	StringInfoData json;
} EmbedRow;

/* Records as they were read. */
typedef struct Rows
{
	TupleDesc desc;
	HeapTuple *tuples;
	int count;
	bool whole; /* rows of the table; else the columns of query_columns() */
} Rows;

/* Records in the order of an index, read without a statement. */
typedef struct CatScan
{
	struct RelationData *table;
	struct RelationData *index;
	struct IndexScanDescData *desc;
	struct TupleTableSlot *slot;
	bool entries;	/* scan_next_entry() will be used: the index keeps its tuples */
	int visibility; /* buffer of the visibility map */
} CatScan;

/* The lists of ids of a selection's records, as JSON arrays. */
typedef struct Links
{
	int rows;
	char **texts; /* by relation, in the order of Selection.lists, then by record */
} Links;

/* SQL text under construction, with its parameters (all of type text). */
typedef struct CatQuery
{
	StringInfoData sql;
	bool internal; /* shows what is deactivated */
	List *values;  /* of char * */
	int aliases;
	bool indexed;	 /* the index of search shall find the records: conditions are written for it */
	SearchRank rank; /* of a search, only records of that rank; SEARCH_NONE: of any */
} CatQuery;

/* Which records a list is of: all of a resource, or those of one record's relation. */
typedef struct Source
{
	const CatRelation *relation; /* NULL: all */
	const char *owner;			 /* id of the record whose relation it is */
} Source;

/* select.c */
extern Selection *select_all(Resource *resource, const Actor *actor, bool embedded);
extern Selection *select_params(const Params *params, const Actor *actor, bool embedded);
/* query.c, filter.c, plan.c */
extern void query_begin(CatQuery *query, bool internal);
extern const char *query_param(CatQuery *query, const char *value);
extern void query_columns(CatQuery *query, const Selection *selection, const char *alias);
extern void query_living(CatQuery *query, const Resource *resource, const char *alias);
extern void query_order(CatQuery *query, const Params *params, const char *alias, bool backwards);
extern void query_run(CatQuery *query);
extern void filter_write(CatQuery *query, const Params *params, const char *alias);
extern bool filter_is_served(const Field *field, const Filter *filter);
/* search.c, pages.c */
extern void search_read(Params *params, const char *value);
extern void search_split(Params *params);
extern bool search_is_served(const Params *params);
extern void search_narrow(CatQuery *query, const Resource *resource, const char *alias,
						  const char *value, Match match);
extern void search_write(CatQuery *query, const Params *params, const char *alias);
extern Rows pages_read(const Params *params, const Source *source, const Selection *selection,
					   bool backwards);
extern int64 pages_count(const Params *params, const Source *source, SearchRank rank);
extern void plan_trim(void);
extern void plan_run(const char *sql, int nargs, Oid *types, Datum *values, const char *nulls,
					 bool fresh, long limit);
/* json_text.c, json.c, scan.c, rows.c */
extern void json_text(StringInfo out, const char *text, size_t length);
extern void json_string(StringInfo out, const char *text);
extern void json_timestamp(StringInfo out, TimestampTz instant);
extern void json_records(StringInfo out, const Selection *selection, const Rows *rows);
extern void json_record(StringInfo out, const Selection *selection, const Rows *rows, int row,
						const Links *links);
extern bool scan_open(CatScan *scan, Oid table, Oid index);
extern void scan_seek(CatScan *scan, const char *key);
extern void scan_seek_range(CatScan *scan, const char *least, const char *most);
extern bool scan_next(CatScan *scan, bool backwards);
extern bool scan_next_entry(CatScan *scan, Datum *values, bool *nulls);
extern void scan_close(CatScan *scan);
extern Rows rows_of_statement(void);
extern bool rows_by_id(const Resource *resource, const char *id, bool internal, Rows *rows);
extern bool rows_in_order(const Params *params, bool backwards, Rows *rows);
extern int rows_column(const Rows *rows, const Selection *selection, const char *name);
extern void rows_values(const Rows *rows, const Resource *resource, int row, Datum *values,
						bool *nulls);
/* embed.c, read.c */
extern void read_source(CatQuery *query, const Params *params, const Source *source);
extern void read_list(const Params *params, const Source *source, const Selection *selection,
					  Reply *reply);
extern void embed_fetch(const Selection *selection, const Rows *rows);
extern StringInfo read_record(const Selection *selection, const char *id);
/* etag.c */
extern char *etag_of_record(const Resource *resource, const Rows *rows, int row);
/* lists.c */
extern Links lists_read(const Selection *selection, const Rows *rows);

#endif /* ROWS_H */
