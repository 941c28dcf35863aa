/*
 * framing.h - where the requests of a connection begin and end.
 */
#ifndef FRAMING_H
#define FRAMING_H

#include "base/base.h"

#define TARGET_MAXIMUM 8192	  /* bytes of a request target; more is 414 */
#define HEADERS_MAXIMUM 32768 /* bytes of all header lines; more is 431 */
#define LINES_MAXIMUM 256	  /* header lines; more is 431 */

/* head.c: the request line and the header lines of one request */
typedef struct Head Head;
struct Head
{
	Head *next;
	const char *method; /* set by head_split(), like what follows */
	const char *target;
	const char *fields; /* names and values in turn, each terminated by a zero byte */
	const char *fields_end;
	size_t length;
	char bytes[]; /* as received, terminated by a zero byte; head_split() changes them */
};

/* What the lines of a head mean for the body and the connection. */
typedef struct HeadFacts
{
	bool modern;  /* HTTP/1.1 */
	bool head;	  /* the answer has no body */
	bool host;	  /* there is a Host */
	bool sized;	  /* there is a Content-Length: */
	bool coded;	  /* there is a Transfer-Encoding: */
	bool chunked; /* "chunked" */
	bool expects; /* the client waits for "100 Continue" */
	bool close;
	bool keep_alive;
	uint64_t length;
} HeadFacts;

/* The fault of a line; status 0: none. */
typedef struct HeadFault
{
	int status;
	const char *message;
} HeadFault;

/* Read a line without its end into the facts. */
extern HeadFault head_request_line(HeadFacts *facts, const char *line, size_t length);
extern HeadFault head_field_line(HeadFacts *facts, const char *line, size_t length);
/* Are the facts consistent? */
extern HeadFault head_facts_agree(const HeadFacts *facts);
/* Is the line a field that is allowed in a trailer? */
extern HeadFault head_trailer_line(const char *line, size_t length);
/* A copy of the bytes, for free(); NULL: no memory. */
extern Head *head_new(const char *bytes, size_t length);
/* Set method, target and fields; of a malformed head, as far as they can be parsed. */
extern void head_split(Head *head, bool sound);
/* Call the function with the name and the value of each field of a head that has been split. */
extern void head_fields(const Head *head,
						void (*field)(void *cls, const char *name, const char *value), void *cls);

/* framing.c */

typedef enum FramingState
{
	FRAMING_HEAD,
	FRAMING_BODY,	   /* with a length given by Content-Length */
	FRAMING_SIZE,	   /* the line before a chunk */
	FRAMING_CHUNK,	   /* bytes of a chunk */
	FRAMING_CHUNK_END, /* the line end after a chunk */
	FRAMING_TRAILER,   /* lines after the last chunk */
	FRAMING_REFUSED	   /* nothing more is read */
} FramingState;

typedef struct Framing
{
	FramingState state;
	HeadFault refusal; /* of the last request */
	bool failed;	   /* no memory, or no room: the connection must be closed */
	bool skipped;	   /* an empty line before the request line was skipped */
	HeadFacts facts;   /* from the lines of the head that have been read */
	int lines;
	size_t line;   /* where the next one begins in the head */
	size_t fields; /* where the header fields begin; in a trailer: its length */
	uint64_t left; /* bytes of the body or of the chunk that have not been received */
	Buffer part;   /* an incomplete head or line */
	Head *heads;   /* not taken yet, the oldest first */
	Head **last;
	char *out; /* where the next byte goes */
	const char *out_end;
} Framing;

/*
 * Maximum by which the output of one framing_read() may be longer than its input.  A head that is
 * written is never longer than the one received, so only the beginning of a head that was kept from an
 * earlier read, and the one request of a connection that is refused, add to the output.
 */
#define FRAMING_GROWTH 256

extern void framing_init(Framing *framing);
extern void framing_free(Framing *framing);
/*
 * Read bytes of the connection, and write to out, which has room for FRAMING_GROWTH bytes more,
 * requests with the same bodies, whose heads have only the fields of framing.  Returns the number of
 * bytes written.  What would need more room is not written, and sets failed.
 */
extern size_t framing_read(Framing *framing, const char *bytes, size_t length, char *out);
/* The caller has passed on so many of these bytes. */
extern void framing_pass(Framing *framing, size_t length);
/* Has a part of a head been received? */
extern bool framing_in_head(const Framing *framing);
/* Take the oldest head, for free(); NULL: there is none. */
extern Head *framing_take(Framing *framing);
/* Is the request refused whose head was taken last?  Then it is the last one. */
extern bool framing_refused(const Framing *framing);

#endif
