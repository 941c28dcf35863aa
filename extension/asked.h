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

typedef struct Params
{
	Resource *resource;
	const Actor *actor;
	const char *query; /* as it was sent */
	Sight sight;	   /* of who asks */
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
	int window;			 /* only so many of the newest records are there, 0: all */
	TimestampTz version; /* instant of the read; 0 until version_settle() where none is asked for */
	TimestampTz then;	 /* instant that records are shown as of, 0 for as they are */
	TimestampTz newest;	 /* instant of the newest change that is seen */
	const char *place;	 /* the page lies behind this place, NULL: where skip says */
	bool backwards;		 /* in front of it */
	bool as_of;			 /* that instant was asked for */
	bool waited;		 /* a newer snapshot than the caller's is active */
	List *ignored;		 /* of char * */
	bool deleted;		 /* deleted records are asked for, */
	bool deleted_only;	 /* and no others */
	const char *restorable; /* SQL of which of them, t, the caller may bring back */
} Params;

/* path.c */
extern List *path_split(const Params *params, const char *name);
extern List *path_list(const Params *params, const char *value);
extern bool path_sorts(const Params *params, List *path);
extern bool path_starts(const Params *params, Resource *resource, const char *name);
extern bool path_filters(const Params *params, List *path);
/* request_params.c, deleted.c, ignored.c, query_string.c */
extern Params *params_read(Resource *resource, const char *query, const Actor *actor);
extern void deleted_read(Params *params, const char *value);
extern bool deleted_is_asked(const char *query);
extern Params *params_begin(Resource *resource, const char *query, const Actor *actor);
extern bool params_read_common(Params *params, const char *name, const char *value);
extern void params_ignore(Params *params, const char *name);
extern char *params_ignored(const Params *params);
extern void params_require_known(const Params *params);
extern void ignored_require_known(const Actor *actor, List *ignored, List *names);
extern char *ignored_json(List *names);
extern char *members_ignored(FunctionCallInfo fcinfo, int strict, List *members, List *known,
							 List **faults);
extern List *params_words(void);
extern List *params_common_words(void);
extern const char *params_cut_operator(char *name);
extern Match params_match(const char *name);
extern List *words_split(const char *text, char separator);
extern List *words_values(const char *text);
extern bool words_have(List *words, const char *word);
extern bool words_next(const char **query, char **name, char **value);
extern char *words_decode_again(const char *text);
extern char *words_decode(const char *text, size_t length);
/* search.c, filter.c, order.c: what they tell of a request; rows.h has what they write */
extern void search_read(Params *params, const char *value);
extern void search_split(Params *params);
extern bool search_has_words(const Params *params);
extern bool search_is_served(const Params *params);
extern Filter *filter_make(Resource *resource, List *path, const char *comparison, List *values);
extern void filter_look_up(const Params *params, Filter *filter);
extern List *order_place(const Params *params);
extern bool order_has_places(const Params *params);

#endif /* ASKED_H */
