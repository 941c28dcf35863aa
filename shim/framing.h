/*
 * framing.h - where the requests of a connection begin and end.
 *
 * A part of shim.h, which is what the files include.
 */
#ifndef FRAMING_H
#define FRAMING_H

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
	const char *fields; /* names and values in turn, each with a zero byte behind */
	const char *fields_end;
	size_t length;
	char bytes[]; /* as they came, with a zero byte behind; head_split() cuts them */
};

/* What the lines of a head say of the body, and of the connection. */
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

/* What is wrong with a line; status 0: nothing. */
typedef struct HeadFault
{
	int status;
	const char *message;
} HeadFault;

/* Read a line, given without its end, into the facts. */
extern HeadFault head_request_line(HeadFacts *facts, const char *line, size_t length);
extern HeadFault head_field_line(HeadFacts *facts, const char *line, size_t length);
/* Do the lines together say one thing? */
extern HeadFault head_facts_agree(const HeadFacts *facts);
/* Is the line a field that may follow a body? */
extern HeadFault head_trailer_line(const char *line, size_t length);
/* A copy of the bytes, for free(); NULL: no memory. */
extern Head *head_new(const char *bytes, size_t length);
/* Fill method, target and fields; of a head that is not sound, as far as they can be told. */
extern void head_split(Head *head, bool sound);
/* Call the iterator with each field of a head that has been split. */
extern void head_fields(const Head *head, MHD_KeyValueIterator iterator, void *cls);

/* framing.c: requests in the bytes of a connection */
typedef enum FramingState
{
	FRAMING_HEAD,
	FRAMING_BODY,	   /* as long as Content-Length says */
	FRAMING_SIZE,	   /* the line before a chunk */
	FRAMING_CHUNK,	   /* bytes of a chunk */
	FRAMING_CHUNK_END, /* the line end behind them */
	FRAMING_TRAILER,   /* lines behind the last chunk */
	FRAMING_REFUSED	   /* nothing that follows is read */
} FramingState;

typedef struct Framing
{
	FramingState state;
	HeadFault refusal; /* of the last request */
	bool failed;	   /* no memory: the connection must end */
	bool skipped;	   /* the empty line that may stand before a request line */
	HeadFacts facts;   /* of the lines of the head, or of the trailer, that have been read: */
	int lines;
	size_t line;   /* where the next one begins in the head */
	size_t fields; /* where the first one behind the request line does; bytes of the trailer */
	uint64_t left; /* bytes of the body or of the chunk that are still to come */
	Buffer part;   /* of a head or a line that is not whole yet */
	Head *heads;   /* read and not yet taken, the oldest first */
	Head **last;
	char *out; /* where the next byte goes */
} Framing;

#define FRAMING_GROWTH 256 /* bytes by which what is written may exceed what is read */

extern void framing_init(Framing *framing);
extern void framing_free(Framing *framing);
/*
 * Read bytes of the connection, and write to out, which has room for FRAMING_GROWTH bytes more,
 * requests of the same bodies whose heads have only what ends the request and the connection.
 * Gives the number of bytes written.
 */
extern size_t framing_read(Framing *framing, const char *bytes, size_t length, char *out);
/* How many of the next bytes of the connection are written as they are? */
extern uint64_t framing_plain(const Framing *framing);
/* So many of them have been, by the caller. */
extern void framing_pass(Framing *framing, size_t length);
/* Has a head begun to come, and not ended? */
extern bool framing_in_head(const Framing *framing);
/* Take the oldest head, for free(); NULL: there is none. */
extern Head *framing_take(Framing *framing);
/* Is the request whose head was taken last one that is refused?  It is the last then. */
extern bool framing_refused(const Framing *framing);

/* For chunked.c: bytes for the library, the end of the request, what is not whole yet. */
extern void framing_put(Framing *framing, const char *text);
extern void framing_put_number(Framing *framing, const char *format, uint64_t number);
/* Refuse the request; what has been written of its body is brought to an end. */
extern void framing_refuse(Framing *framing, HeadFault fault);
/* Append to what is not whole yet. */
extern void framing_keep(Framing *framing, const char *bytes, size_t length);
/* Begin to count lines anew. */
extern void framing_forget_lines(Framing *framing);

/* chunked.c: each reads some bytes of its state, one at least, and tells how many. */
extern size_t framing_chunk_size(Framing *framing, const char *bytes, size_t length);
extern size_t framing_chunk_end(Framing *framing, const char *bytes, size_t length);
extern size_t framing_trailer(Framing *framing, const char *bytes, size_t length);

#endif
