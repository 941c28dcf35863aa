/*
 * sql_builder.h
 *	  SQL text of a request, and the selection of what it shows.
 */
#ifndef CATALOGUE_QUERY_SQL_BUILDER_H
#define CATALOGUE_QUERY_SQL_BUILDER_H

#include "catalogue.h"

#include "query/query.h"

/* How well a record fits the terms of a search, the best first. */
typedef enum SearchRank
{
	SEARCH_NONE,
	SEARCH_EXACT,
	SEARCH_BEGINS,
	SEARCH_CONTAINS,
	SEARCH_WORDS /* it has the words of a term, but not side by side */
} SearchRank;

/* What of a resource is shown, and what is embedded in it. */
typedef struct Selection
{
	Resource *resource;
	AccessLevel access; /* of who asks */
	bool css;			/* colours are shown with "#" before them */
	Bitmapset *fields;	/* index into Resource.fields */
	Bitmapset *lists;	/* index into Resource.relations: owned many-to-many, shown as ids */
	List *embeds;		/* of Embed * */
	bool embedded;		/* each relation is one of them */
} Selection;

struct Rows;

/* Append the text of one record. */
typedef void (*RecordWriter)(StringInfo out, const Selection *selection, const struct Rows *rows,
							 int row);

typedef struct Embed
{
	CatRelation *relation;
	Selection *selection; /* NULL: an empty array is shown */
	RecordWriter write;	  /* NULL: as JSON */
	struct HTAB *rows;	  /* key (id of the record, or of its owner): EmbedRow */
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
	AccessLevel access; /* of who asks */
	TimestampTz then;	/* instant that records are shown as of, 0 for as they are */
	List *earlier;		/* of Resource *: those whose earlier states are read */
	int plan;			/* CURSOR_OPT_..._PLAN, 0: PostgreSQL decides */
	const Filter *met;	/* a filter that the records in FROM pass, or NULL */
	List *params;		/* of SqlParam * */
	int aliases;
	bool indexed;	 /* the index of search shall find the records: conditions are written for it */
	SearchRank rank; /* of a search, only records of that rank; SEARCH_NONE: of any */
} SqlBuilder;

/* sql_builder.c */

/* Begin a statement for a caller of that access level; then: its instant, 0 for the present. */
extern void cat_sql_builder_begin(SqlBuilder *query, AccessLevel access, TimestampTz then);
/* Add a parameter: its place in the text, such as "$3". */
extern const char *cat_sql_builder_value(SqlBuilder *query, Oid type, Datum value);
/* The value of a parameter as text, palloc'd. */
extern char *cat_sql_builder_param_text(const SqlParam *param);
/* A text that only statements with the same SQL and parameters have in common, palloc'd. */
extern char *cat_sql_builder_key(const SqlBuilder *query);
/* Add a parameter of type text. */
extern const char *cat_sql_builder_param(SqlBuilder *query, const char *value);
/* Write the columns of a selection: id, the fields as cat_rows_column() finds them, lists of ids. */
extern void cat_sql_builder_columns(SqlBuilder *query, const Selection *selection,
									const char *alias);
/* Write that a record is visible, and not deleted. */
extern void cat_sql_builder_living(SqlBuilder *query, const Resource *resource, const char *alias);
/* Run the statement with its parameters, in the snapshot of the calling one. */
extern void cat_sql_builder_run(SqlBuilder *query);
/* Open a cursor for the statement, in the snapshot of the calling one. */
extern struct PortalData *cat_sql_builder_cursor(SqlBuilder *query);

/* selection.c */

/* All fields of a record; embedded: with relations as records, to-many ones empty unless included. */
extern Selection *cat_selection_all(Resource *resource, const Actor *actor, bool embedded);
/* What a request asks to be shown by fields and include. */
extern Selection *cat_selection_params(const RequestParams *params, const Actor *actor,
									   bool embedded);

/* deleted.c */

/* Write the condition that a record t is in the list: not deleted, or as "deleted" asks. */
extern void cat_deleted_write(SqlBuilder *query, const RequestParams *params);

/* filter.c */

/* Write the conditions of a request, each part with AND before it: filters on own fields joined as
 * "condition" says, and those that are required (ranges, related records, search). */
extern void cat_filter_write(SqlBuilder *query, const RequestParams *params, const char *alias);
/* Whether a list shows only the actions that the setting logWhitelist lists: the window of the log. */
extern bool cat_filter_is_whitelisted(const RequestParams *params);

/* order.c */

/* Write ORDER BY; backwards: the opposite order, in which nulls are first. */
extern void cat_order_write(SqlBuilder *query, const RequestParams *params, const char *alias,
							bool backwards);
/* Write the values that the records are ordered by as one more column, of type text[]. */
extern void cat_order_column(SqlBuilder *query, const RequestParams *params, const char *alias);
/* Write, with AND before it, that a record is behind the request's cursor ("before": ahead of it). */
extern void cat_order_behind(SqlBuilder *query, const RequestParams *params, const char *alias);

/* history_sql.c */

/* Name of the WITH query with the earlier states of a resource's changed records. */
extern const char *cat_history_sql_past(SqlBuilder *query, Resource *resource);
/* SQL that records are read from: the table, or their states at the instant of the read. */
extern const char *cat_history_sql_table(SqlBuilder *query, Resource *resource);
/* Write FROM and WHERE of all records, t, at an instant; to be sorted by created_at and id of k. */
extern void cat_history_sql_in_order(SqlBuilder *query, const Resource *resource);
/* Write the statement that reads the states of a record since the instant: whole rows, "until". */
extern void cat_history_sql_states(SqlBuilder *query, const Resource *resource, const char *id);
/* SQL that the rows of a many-to-many relation are read from, as of the instant of the read. */
extern const char *cat_history_sql_via(SqlBuilder *query, CatRelation *relation);

#endif /* CATALOGUE_QUERY_SQL_BUILDER_H */
