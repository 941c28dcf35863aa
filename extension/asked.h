/*
 * asked.h
 *	  What a request asks for: filters, order, page, search.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef ASKED_H
#define ASKED_H

/* A condition of a request's query. */
typedef struct Filter
{
	List *path;				/* of char *: names, dotted in the request */
	const char *comparison; /* "", gte, lte, gt, lt or ne */
	List *values;			/* of char *, NULL stands for the null value */
	bool related;			/* asks for a related record by a dotted name */
	bool required;			/* must hold whatever "condition" says: it is related, or a range */
	bool none;				/* holds also where the last relation of the path has no record */
	int found_at;			/* name of the path whose records were found; 0: none were */
	bool looked_up;			/* they were looked for */
	Datum *ids;				/* of those records */
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

/* How well a record fits the terms of a search, the best first. */
typedef enum SearchRank
{
	SEARCH_NONE,
	SEARCH_EXACT,
	SEARCH_BEGINS,
	SEARCH_CONTAINS,
	SEARCH_WORDS /* it has the words of a term, but not side by side */
} SearchRank;

/* What is searched for, between two commas. */
typedef struct SearchTerm
{
	char *text;	 /* folded */
	List *words; /* of char *: where it has several that need not stand side by side, else NIL */
} SearchTerm;

/* Characters that stand around the fields of a searched text, and between terms. */
#define SEARCH_MARK "\x1F"
#define SEARCH_BREAK "\x1E"

typedef struct RequestParams
{
	Resource *resource;
	const Actor *actor;
	const char *query; /* as it was sent */
	AccessLevel sight; /* of who asks */
	List *filters;
	List *orders;
	bool partial;	/* only some fields are asked for */
	List *fields;	/* of List of char *: those fields */
	List *includes; /* of List of char * */
	List *terms;	/* of SearchTerm *: what is searched for */
	char *sought;	/* the terms as they were given, folded; NULL: there is no search */
	Match match;
	bool all; /* condition AND */
	int limit;
	int64 skip;
	int window; /* only so many of the newest records are there, 0: all */
	TimestampTz
		version; /* instant of the read; 0 until cat_read_version_settle() where none is asked for */
	TimestampTz then;		/* instant that records are shown as of, 0 for as they are */
	TimestampTz newest;		/* instant of the newest change that is seen */
	const char *place;		/* the page lies behind this place, NULL: where skip says */
	bool backwards;			/* in front of it */
	bool as_of;				/* that instant was asked for */
	bool waited;			/* a newer snapshot than the caller's is active */
	List *ignored;			/* of char * */
	bool deleted;			/* deleted records are asked for, */
	bool deleted_only;		/* and no others */
	const char *restorable; /* SQL of which of them, t, the caller may bring back */
} RequestParams;

/* path.c */
extern List *cat_path_split(const RequestParams *params, const char *name);
extern List *cat_path_list(const RequestParams *params, const char *value);
extern bool cat_path_sorts(const RequestParams *params, List *path);
extern bool cat_path_starts(const RequestParams *params, Resource *resource, const char *name);
extern bool cat_path_filters(const RequestParams *params, List *path);
/* request_params.c, deleted.c, ignored.c, query_string.c */
extern RequestParams *cat_request_params_read(Resource *resource, const char *query,
											  const Actor *actor);
extern void cat_deleted_read(RequestParams *params, const char *value);
extern bool cat_deleted_is_asked(const char *query);
extern RequestParams *cat_request_params_begin(Resource *resource, const char *query,
											   const Actor *actor);
extern bool cat_request_params_read_common(RequestParams *params, const char *name,
										   const char *value);
extern void cat_ignored_add(RequestParams *params, const char *name);
extern char *cat_ignored_of_params(const RequestParams *params);
extern void cat_ignored_require_known_params(const RequestParams *params);
extern void cat_ignored_require_known(const Actor *actor, List *ignored, List *names);
extern char *cat_ignored_json(List *names);
extern char *cat_ignored_of_members(FunctionCallInfo fcinfo, int strict, List *members, List *known,
									List **faults);
extern List *cat_request_params_words(void);
extern List *cat_request_params_common_words(void);
extern const char *cat_request_params_cut_operator(char *name);
extern Match cat_request_params_match(const char *name);
extern List *cat_query_string_split(const char *text, char separator);
extern List *cat_query_string_values(const char *text);
extern bool cat_query_string_has_word(List *words, const char *word);
extern bool cat_query_string_next(const char **query, char **name, char **value);
extern char *cat_query_string_decode_again(const char *text);
extern char *cat_query_string_decode(const char *text, size_t length);
/* search.c, filter.c, order.c: what they tell of a request; rows.h has what they write */
extern void cat_search_read(RequestParams *params, const char *value);
extern void cat_search_split(RequestParams *params);
extern bool cat_search_has_words(const RequestParams *params);
extern bool cat_search_is_served(const RequestParams *params);
extern Filter *cat_filter_make(Resource *resource, List *path, const char *comparison,
							   List *values);
extern void cat_filter_look_up(const RequestParams *params, Filter *filter);
extern List *cat_order_cursor(const RequestParams *params);
extern bool cat_order_has_cursor(const RequestParams *params);

#endif /* ASKED_H */
