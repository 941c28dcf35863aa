/*
 * query.h
 *	  What a request asks for: filters, order, page, search.
 *	  Decisions: docs/explanation/decisions.md#extensionquery
 */
#ifndef CATALOGUE_QUERY_QUERY_H
#define CATALOGUE_QUERY_QUERY_H

#include "catalogue.h"

#include "base/bounds.h"
#include "call/call.h"
#include "query/comparison.h"

/* A condition of a request's query. */
typedef struct Filter
{
	const char *name; /* as it was sent */
	List *path;		  /* of char *: names, dotted in the request */
	Comparison comparison;
	List *values;	   /* of char *, NULL stands for the null value */
	bool related;	   /* asks for a related record by a dotted name */
	bool required;	   /* must hold whatever "condition" says: it is related, or a range */
	bool by_year;	   /* the values are years of the date that the path leads to */
	bool none;		   /* holds also where the last relation of the path has no record */
	const Bounds *box; /* the records have a place in it; NULL: the filter is another one */
	int found_at;	   /* name of the path whose records were found; 0: none were */
	bool looked_up;	   /* they were looked for */
	Datum *ids;		   /* of those records */
	int nids;
} Filter;

typedef struct Order
{
	List *path;
	bool descending;
} Order;

typedef enum Match
{
	MATCH_CONTAINS,
	MATCH_BEGINS,
	MATCH_ENDS,
	MATCH_EXACT
} Match;

typedef struct RequestParams
{
	Resource *resource;
	const Actor *actor;
	const char *query;	/* as it was sent */
	AccessLevel access; /* of who asks */
	List *filters;
	List *orders;
	bool partial;	/* only some fields are asked for */
	List *fields;	/* of List of char *: those fields */
	List *includes; /* of List of char * */
	List *terms;	/* of SearchTerm *: what is searched for */
	char *searched; /* the terms as they were given, folded; NULL: there is no search */
	char *given;	/* likewise, not folded */
	Match match;
	struct WordSearch *words; /* match=WORDS; NULL: another one */
	bool all;				  /* condition AND */
	int limit;
	bool limited;	   /* it was given */
	int64 given_limit; /* as it was given, which may be more than catalogue.max_limit */
	int64 skip;
	int window;				/* only so many of the newest records are there, 0: all */
	TimestampTz version;	/* instant of the read; 0: not asked for, cat_read_version_acquire() */
	TimestampTz then;		/* instant that records are shown as of, 0 for as they are */
	TimestampTz newest;		/* instant of the newest change that is seen */
	const char *cursor;		/* the page begins behind it; NULL: where skip says */
	bool backwards;			/* in front of it */
	bool as_of;				/* that instant was asked for */
	bool waited;			/* a newer snapshot than the caller's is active */
	List *ignored;			/* of char * */
	List *facets;			/* of Facet * */
	int facet_limit;		/* number of values of each that are returned */
	bool bom;				/* CSV begins with a byte order mark, for Excel */
	bool nearest, estimate; /* near words are asked for; numbers that take long to count are not */
	bool deleted, deleted_only; /* deleted records are asked for, and no others */
	const char *restorable;		/* SQL of which of them, t, the caller may bring back */
} RequestParams;

/* A parameter of a query string, decoded. */
typedef struct RequestWord
{
	char *name, *value;
} RequestWord;

/* request_params.c */
/* The names of the parameters that every list takes. */
extern List *cat_request_params_common_words(void);
/* Read a parameter that every list takes; false if it is another one. */
extern bool cat_request_params_read_common(RequestParams *params, const char *name,
										   const char *value);
/* Read the parameters of a query that every list takes; return the others: List of RequestWord *. */
extern List *cat_request_params_words(RequestParams *params, const char *query);
/* Return the last value of a parameter among those, NULL if it is absent; the number that a value is. */
extern const char *cat_request_params_word(List *words, const char *name);
extern int64 cat_request_params_count(const char *name, const char *value);
/* Return the parameters of an empty query string. */
extern RequestParams *cat_request_params_begin(Resource *resource, const char *query,
											   const Actor *actor);
/* Return the instant that a parameter names.  Raises OD422 if it is none, or has not passed. */
extern TimestampTz cat_request_params_instant(const char *name, const char *value);
/* Read a query string, percent-encoded; collect unknown names.  Raises OD422 for an invalid value. */
extern RequestParams *cat_request_params_read(Resource *resource, const char *query,
											  const Actor *actor);

/* filter.c */
/* Look up the related records of a filter, from the end of its path towards its start, as long as
 * there are few: once per request, since the page and its count use the same ids. */
extern void cat_filter_look_up(const RequestParams *params, Filter *filter);

/* order.c */
/* Return whether the order has cursors: values with a standard text form, and no rank. */
extern bool cat_order_has_cursor(const RequestParams *params);
/* Return the values of the cursor, List of char *, or NIL.  Raises OD422 if it does not fit. */
extern List *cat_order_cursor(const RequestParams *params);
/* The text of a cursor, of the values of type text[] that a record is ordered by; palloc'd. */
extern char *cat_order_cursor_encode(Datum values);
/* Return the cursor of a sort key of two values, palloc'd. */
extern char *cat_order_cursor_of(const char *first, const char *second);

/* nearest.c */

/* Add the error that the name of a member is unknown, with the nearest known one. */
extern void cat_nearest_member_error(List **errors, List *known, const char *name);

/* ignored.c */

/* Add a name that has no meaning here to params->ignored, once. */
extern void cat_ignored_add(RequestParams *params, const char *name);
/* Return names as a JSON array, NULL if there are none. */
extern char *cat_ignored_json(List *names);
/* Add an ignored name, once, to those that are reported, which are FAULTS_MAX at most. */
extern void cat_ignored_note(List **ignored, const char *name);
extern char *cat_ignored_of_params(const RequestParams *params); /* of params->ignored */
/* Return the names of unknown members: List of char *.  strict: they are also added to the errors. */
extern List *cat_ignored_members(List *members, List *known, bool strict, List **errors);
/* As cat_ignored_members(), as a JSON array, NULL for none.  strict: number of that argument, a boolean. */
extern char *cat_ignored_of_members(FunctionCallInfo fcinfo, int strict, List *members, List *known,
									List **errors);
/* Raise OD422 if there are ignored names and the caller asked for strict handling. */
extern void cat_ignored_require_known_params(const RequestParams *params);
/* Raise OD422 for ignored names, each with the nearest known name, under strict handling. */
extern void cat_ignored_require_known(const Actor *actor, List *ignored, List *names);

#endif /* CATALOGUE_QUERY_QUERY_H */
