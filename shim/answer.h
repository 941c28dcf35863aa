/*
 * answer.h - what is sent back: types, links, envelopes, entity tags, headers, streams.
 *
 * A part of shim.h, which is what the files include.
 */
#ifndef ANSWER_H
#define ANSWER_H

/* negotiate.c */
typedef struct Format
{
	const char *type;
	const char *subtype;
	const char *name;  /* to the extension; NULL: JSON, the only one of single records */
	const char *field; /* Content-Type */
} Format;

/* Choose the type of the answer and the preferences; false with the error answer set. */
extern bool negotiate_request(Request *request);
/* May the answer have this media type, by the request's Accept?  Parameters do not count. */
extern bool negotiate_accepts(const Request *request, const char *type);
/* Are names that are not known faults? */
extern bool negotiate_strict(const Request *request);
/* The preferences that the call of a route honours, with their defaults: "name=value, …". */
extern const char *negotiate_preferences(Request *request, const Route *route);

/* link.c: addresses */
extern void link_base(Request *request);
/* Append base and words, up to a NULL, as an absolute address. */
extern void link_words(Buffer *buffer, const Request *request, const char *const *words);
/* Append the address of the request itself, without its query. */
extern void link_request(Buffer *buffer, const Request *request);
/* Append the address of another page of the request's list. */
extern void link_page(Buffer *buffer, const Request *request, int64_t limit, int64_t skip,
					  const char *version);
/* Append one more word of a query and its value, which is coded already. */
extern void link_word(Buffer *buffer, const char *name, const char *value);
/* Append the address of the first or last record of the list that is asked for. */
extern void link_end(Buffer *buffer, const Request *request, const char *word);
/* Append the address of a search in one resource for what is searched for in all. */
extern void link_search(Buffer *buffer, const Request *request, const char *resource);
/* A query string without the words that are credentials. */
extern const char *link_query(Request *request, const char *query);

/* call_reply.c, envelope.c, list_links.c, options.c */
typedef struct Reply
{
	const char *resource;
	const char *id;
	const char *relations;
	const char *data;
	size_t data_length;
	bool has_count;
	int64_t count;
	int64_t limit;
	int64_t skip;
	int64_t returned;
	const char *version;
	const char *ignored;
	const char *etag;	  /* NULL: nothing cheap tells */
	const char *next;	  /* value of "after" for the next page; NULL at the end */
	const char *previous; /* value of "before" for the previous page */
	const char *ways;	  /* on from the record: words with commas between, actions with "+" */
} Reply;

/* Read the reply that a result is; false when it is none. */
extern bool reply_of_result(const PGresult *result, Reply *reply);
/* So, that a call got, among others maybe. */
extern bool reply_of_call(const Call *call, Reply *reply);
/* Answer that the present password is wrong, with the faults that the reply has. */
extern void error_password(Request *request, const Reply *reply);
extern void envelope_build(Request *request);
/* Set the status and begin the body with it; the object "meta" is left open. */
extern void envelope_begin(Request *request, int status);
/* Add to "meta" the names that mean nothing, if there are such. */
extern void envelope_ignored(Request *request, const Reply *reply);
/* Close "meta", put in the data when there is any, and open the object "links". */
extern void envelope_data(Request *request, const char *data, size_t length);
/* Begin a member of the open object of links: the caller writes its value behind the colon. */
extern void envelope_member(Request *request, const char *name);
/* Add a member whose value is the address of the words. */
extern void envelope_link(Request *request, const char *name, const char *const *words);
/* item_links.c: add the links of a record: self, relations, and what the caller can do with it. */
extern void item_links_add(Request *request, const Reply *reply);
extern void page_build(Request *request, const Reply *reply);
/* The envelope of a search in all resources. */
extern void page_search(Request *request, const Reply *reply);
/* Answer OPTIONS (describe first, when the path belongs to a resource). */
extern void options_answer(Request *request);
/* Answer 405 with Allow, or 404 when the resource has nothing on this path. */
extern void options_refuse(Request *request);

/* redirect.c: answer 308 to the resource that the detail of an error names. */
extern void redirect_request(Request *request, const char *detail);
/* Answer 308 where an unknown path begins with the name of a model, else 404. */
extern void redirect_unknown(Request *request);
/*
 * A request was refused before the extension looked at its path: answer 308 if the path begins with
 * the name of a model, else leave the error answer as it is.
 */
extern void redirect_refused(Request *request);

/* condition.c: entity tags, and what clients make depend on them */
extern struct evp_md_ctx_st *condition_open(void);
extern void condition_close(struct evp_md_ctx_st *digest);
/* Read the conditions into the arguments of the call; false with the error answer set. */
extern bool condition_read(Request *request);
/* Is no body needed, by the state that the extension names?  Then the answer is set. */
extern bool condition_unchanged(Request *request, const Reply *reply);
/* Tag a finished body that has no tag yet; the answer becomes another where conditions say so. */
extern void condition_seal(Request *request);
/* Is a tag, without quotes, one of a header's?  A weak one only where that counts. */
extern bool condition_names(const char *list, const char *tag, bool weak_counts);

/* response.c */
typedef struct Answer
{
	int status;		  /* 0: none yet */
	const char *type; /* Content-Type; NULL: JSON */
	bool streamed;	  /* the body comes piece by piece; else it is all here */
	Buffer head;	  /* the body is head, data, tail */
	const char *data; /* bytes of the PGresult of the call */
	size_t data_length;
	Buffer tail;
	bool joined;		 /* data and tail have been appended to head */
	const char *code;	 /* meta.code, for the log; */
	const char *message; /* meta.message of an error; NULL: that of the status */
	const char *faults;	 /* data of an error; NULL: none */
	const char *etag;	 /* quoted; NULL: none */
	bool close;			 /* the connection is not to be used again */
	Buffer link;		 /* header fields; empty: not sent */
	const char *location;
	const char *allow;
	const char *range;
	const char *authenticate;
	int retry_after;
} Answer;

extern void answer_init(Answer *answer);
extern void answer_free(Answer *answer);
extern void answer_clear(Answer *answer);
extern enum MHD_Result response_send(Request *request);
/* Send an error while the body is still coming; the connection is to be closed then. */
extern void response_interrupt(Request *request);
/* Append what stands in every response, as lines: for what libmicrohttpd does not send. */
extern void response_lines(Buffer *lines, const Settings *settings);

/* client.c: how much a client takes of what it is sent, in a span of time */
typedef struct Pace
{
	int64_t since;	/* there is something for it to take; 0: there is not */
	uint64_t taken; /* bytes that it had acknowledged by then */
} Pace;

/* stream.c: answers that are sent while PostgreSQL is still making them */
typedef struct Stream
{
	Lane *lane;		 /* that the call is on; NULL: it is over, or not sent */
	PGresult *piece; /* what is being sent; NULL: nothing at the moment */
	const char *bytes;
	size_t length;
	size_t taken;
	bool begun;		/* the headers are decided */
	bool suspended; /* the connection waits for the next piece */
	bool ended;		/* no more comes from PostgreSQL */
	bool failed;	/* and that was not all */
	bool slow;		/* the client has taken it too slowly of late */
	Pace pace;		/* that tells so */
} Stream;

/* The call that gives the list of a route as another type than JSON; CALL_NOT_IMPLEMENTED: none. */
extern CallName stream_call(const Route *route);
/* A row has come, which is the stream's from now on; true when the next is wanted at once. */
extern bool stream_take(Request *request, PGresult *row);
/* The call is over; false when nothing of it was sent, and the answer is still open. */
extern bool stream_ended(Request *request);
extern void stream_close(Request *request);
/* End a stream whose connection another client needs. */
extern void stream_give_way(Request *request);
extern struct MHD_Response *stream_response(Request *request);
/* A response of bytes that the reader gives until there are no more; NULL: no memory. */
extern struct MHD_Response *stream_unsized(Request *request, MHD_ContentReaderCallback reader);
/* Break off: what closes the connection must not look like the end of the body. */
extern ssize_t stream_break_off(const Request *request);
/* Have libmicrohttpd see the end of a connection that was suspended. */
extern void stream_keep_in_sight(const Request *request);

#endif
