/*
 * sql_builder.h
 *	  SQL text of a request.
 */
#ifndef CATALOGUE_QUERY_SQL_BUILDER_H
#define CATALOGUE_QUERY_SQL_BUILDER_H

#include "catalogue.h"

#include "query/read_plan.h"

/* How well a record fits the terms of a search, the best first. */
typedef enum SearchRank
{
	SEARCH_NONE,
	SEARCH_EXACT,
	SEARCH_BEGINS,
	SEARCH_CONTAINS,
	SEARCH_WORDS,	/* it has the words of a term, but not side by side */
	SEARCH_LETTERS, /* of a search for words: it is found by letters only */
	SEARCH_CLASS	/* the first class of such a search, which the others follow */
} SearchRank;

/* Part of the records of a list as of an earlier instant; they have the alias t. */
typedef enum HistoryPart
{
	HISTORY_ALL,	   /* all of them; of a read of the present, the table */
	HISTORY_UNCHANGED, /* those that have not changed since: their rows in the table */
	HISTORY_CHANGED	   /* the former states of the others */
} HistoryPart;

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
	HistoryPart part;	/* of the list's records, which SQL is being written for */
	int plan;			/* CURSOR_OPT_..._PLAN, 0: PostgreSQL decides */
	const Filter *met;	/* a filter that the records in FROM pass, or NULL */
	List *params;		/* of SqlParam * */
	int aliases;
	bool by_update;	 /* the list's records, t, have rows u of catalogue.update_order */
	bool indexed;	 /* the index of search shall find the records: conditions are written for it */
	SearchRank rank; /* of a search, only records of that rank; SEARCH_NONE: of any */
} SqlBuilder;

/* filter.c */

/* Return whether the records of a resource have places, which the parameter "bbox" asks for. */
extern bool cat_filter_takes_box(const Resource *resource);
/* Append the condition that a record of the list, under the alias t, is visible. */
extern void cat_filter_deleted_write(SqlBuilder *query, const RequestParams *params);
/* Append all conditions of a request, each preceded by AND.  The parameter "condition" combines
 * filters on own fields; one on a related record or with an operator is required; so is the search. */
extern void cat_filter_write(SqlBuilder *query, const RequestParams *params, const char *alias);
/* Return whether a list shows only what the setting logWhitelist lists: the window of the log. */
extern bool cat_filter_is_whitelisted(const RequestParams *params);

/* order.c */
/* Write ORDER BY; backwards: the opposite order, in which nulls are first. */
extern void cat_order_write(SqlBuilder *query, const RequestParams *params, const char *alias,
							bool backwards);
/* Return whether a list is sorted by when its records were changed last, and catalogue.update_order has that. */
extern bool cat_order_is_by_update(const RequestParams *params);
/* Append what a cursor is made of as one more column: the sort keys, of type text[], or
 * created_at if the request has no order. */
extern void cat_order_column(SqlBuilder *query, const RequestParams *params, const char *alias);
/* Append the condition that a record is behind the request's cursor, or in front of it for the
 * parameter "before"; preceded by " AND". */
extern void cat_order_behind(SqlBuilder *query, const RequestParams *params, const char *alias);

/* sql_builder.c */

/* Begin a statement; then: instant whose state is read, 0 for the present. */
extern void cat_sql_builder_begin(SqlBuilder *query, AccessLevel access, TimestampTz then);
/* Add a parameter; return its placeholder, such as "$3". */
extern const char *cat_sql_builder_value(SqlBuilder *query, Oid type, Datum value);
/* Return a text, palloc'd, that is the same for statements with the same SQL and parameters only. */
extern char *cat_sql_builder_key(const SqlBuilder *query);
/* Add a parameter of type text; return its placeholder. */
extern const char *cat_sql_builder_param(SqlBuilder *query, const char *value);
/* Append the columns of a selection: id, the fields in the order that cat_rows_column() expects,
 * and the lists of ids. */
extern void cat_sql_builder_columns(SqlBuilder *query, const Selection *selection,
									const char *alias);
/* Append the condition that a record is visible. */
extern void cat_sql_builder_living(SqlBuilder *query, const Resource *resource, const char *alias);
/* Run the statement in the snapshot of the calling one. */
extern void cat_sql_builder_run(SqlBuilder *query);
/* Open a cursor for the statement in the snapshot of the calling one. */
extern struct PortalData *cat_sql_builder_cursor(SqlBuilder *query);

/* history_sql.c */

/* Return the name of the WITH query that has the states of a resource's changed records. */
extern const char *cat_history_sql_past(SqlBuilder *query, Resource *resource);
/* Return whether records are read from the history as well as from the table. */
extern bool cat_history_sql_is_read(const SqlBuilder *query, const Resource *resource);
/* Return SQL for the builder's part of the records, t: its columns, the FROM item, and the condition
 * that a record belongs to the part, preceded by AND; an empty text for all records. */
extern const char *cat_history_sql_part_columns(const SqlBuilder *query, const Resource *resource);
extern const char *cat_history_sql_part_table(SqlBuilder *query, Resource *resource);
extern const char *cat_history_sql_part_condition(SqlBuilder *query, Resource *resource);
/* SQL that records are read from: the table, or their states at the instant of the read. */
extern const char *cat_history_sql_table(SqlBuilder *query, Resource *resource);
/* Append the statement that reads the states of a record since the instant: whole rows,
 * "until".  For outsiders the caller has found that the record is visible now. */
extern void cat_history_sql_states(SqlBuilder *query, const Resource *resource, const char *id);
/* Append FROM and WHERE of all records at the instant, t, in the order of creation: by k, whose
 * parts have no conditions, so that the planner merges their indexes as far as a page needs. */
extern void cat_history_sql_in_order(SqlBuilder *query, const Resource *resource);
/* Append FROM of the records, t, that have changed since the instant: as they are, with the sign 1, and
 * as they were, with the sign -1. */
extern void cat_history_sql_differences(SqlBuilder *query, Resource *resource);
/* Append the condition that the history has all that has changed since, of at most so many records. */
extern void cat_history_sql_is_followed(SqlBuilder *query, const Resource *resource, int most);
/* Return the side of a many-to-many relation whose history has the lists of ids, or NULL. */
extern const CatRelation *cat_history_sql_keeping(const CatRelation *relation);
/* Return the FROM item for the rows of a many-to-many relation.  At an earlier instant: the rows
 * of records that have not changed since, and the former lists of the others.
 *
 * holder: alias of the record whose list of ids the rows are, NULL if it is not in the statement; if
 * that is t, only the rows of the builder's part are returned. */
extern const char *cat_history_sql_via(SqlBuilder *query, CatRelation *relation,
									   const char *holder);

#endif /* CATALOGUE_QUERY_SQL_BUILDER_H */
