/*
 * transfer.h - bytes of files, both ways: forms and other uploads, downloads and ranges of them.
 *
 * A part of shim.h, which is what the files include.
 */
#ifndef TRANSFER_H
#define TRANSFER_H

#define CHUNK_SIZE 262144 /* bytes of a row of catalogue.blob_chunk; what goes over at once */

/* field.c: a header field made of a value and parameters */
#define FIELD_PARAMETERS 16

typedef struct Field
{
	const char *value;
	int count;
	struct
	{
		const char *name;
		char *value; /* without quotes and what escapes in them */
	} parameters[FIELD_PARAMETERS];
} Field;

/* Read a field in place; false: malformed, or a parameter comes twice. */
extern bool field_read(char *text, Field *field);
/* The value of a parameter, NULL where there is none. */
extern char *field_parameter(const Field *field, const char *name);
/*
 * The name of the file that a Content-Disposition tells, without directories, NULL where it tells
 * none; false: malformed, or no UTF-8.  It is decoded in place.
 */
extern bool field_file_name(const Field *field, const char **name);

/* range.c: which bytes of a download are asked for */
#define RANGES_MAXIMUM 16

typedef struct Range
{
	int64_t first;
	int64_t last;
} Range;

typedef struct Ranges
{
	int count;
	Range range[RANGES_MAXIMUM];
} Ranges;

typedef enum RangeVerdict
{
	RANGE_WHOLE, /* no range, or none that has to be minded */
	RANGE_PARTS, /* what stands in the ranges, which do not overlap */
	RANGE_NONE	 /* there are no such bytes: 416 */
} RangeVerdict;

extern RangeVerdict range_read(const char *header, int64_t size, Ranges *ranges);

/* digest.c: SHA-256 in header fields and as hexadecimal text */
#define DIGEST_BYTES 32
#define DIGEST_HEX (2 * DIGEST_BYTES + 1)

/*
 * Read a field of digests; hex, of DIGEST_HEX bytes, is empty where none is of SHA-256; false:
 * malformed.  Structured fields have colons around values.
 */
extern bool digest_read(const char *field, bool structured, char *hex);
/* Write a digest as base64, into DIGEST_HEX bytes. */
extern void digest_write(const char *hex, char *coded);
/* The digest of all that was put into the context. */
extern bool digest_end(struct evp_md_ctx_st *context, char *hex);

/* multipart.c: multipart/form-data, as it comes */
#define BOUNDARY_MAXIMUM 70
#define PARTS_MAXIMUM 200
#define PART_HEADER_MAXIMUM 8192 /* bytes of the header lines of a part */

typedef struct Part
{
	const char *name;
	const char *file; /* name of the client's file; NULL: none is told */
	const char *type; /* media type as told; NULL: none */
} Part;

/* What is told of the parts; false: no more is wanted, and the caller knows why. */
typedef struct MultipartEvents
{
	bool (*begin)(void *cls, const Part *part);
	/* Take bytes; gives how many: fewer than there are ends multipart_feed(). */
	size_t (*take)(void *cls, const char *bytes, size_t length);
	bool (*end)(void *cls);
} MultipartEvents;

typedef enum MultipartState
{
	MULTIPART_START,
	MULTIPART_FIRST,	 /* within the first delimiter */
	MULTIPART_DELIMITED, /* right behind a delimiter */
	MULTIPART_PADDING,	 /* behind blanks that follow it */
	MULTIPART_LINE_END,	 /* behind the carriage return of its line */
	MULTIPART_HEADER,	 /* in the header lines of a part */
	MULTIPART_DATA,		 /* in its bytes */
	MULTIPART_DASH,		 /* behind the first dash of the end */
	MULTIPART_LAST,		 /* behind the last delimiter */
	MULTIPART_LAST_LINE, /* behind the carriage return of its line */
	MULTIPART_END,
	MULTIPART_BROKEN
} MultipartState;

typedef struct Multipart
{
	const MultipartEvents *events;
	void *cls;
	MultipartState state;
	const char *fault; /* what is wrong with the form; NULL: nothing */
	char delimiter[4 + BOUNDARY_MAXIMUM + 1];
	size_t length;	/* of the delimiter */
	size_t matched; /* bytes of it that have come */
	size_t owed;	/* so many bytes of it were data, of which */
	size_t paid;	/* so many were taken */
	int parts;
	Buffer header;
} Multipart;

/* Begin, with the media type of the whole; false: it has no boundary that may be used. */
extern bool multipart_open(Multipart *multipart, const Field *type, const MultipartEvents *events,
						   void *cls);
/* Take bytes, up to a fault or until no more are taken; gives how many it was done with. */
extern size_t multipart_feed(Multipart *multipart, const char *bytes, size_t length);
/* Has the last delimiter come, and nothing behind it? */
extern bool multipart_complete(const Multipart *multipart);
extern void multipart_close(Multipart *multipart);

/*
 * transfer.c: what a request has with bytes on their way.
 *
 * It has a call of its own on the connections for transfers, which may be under way when the
 * request is over; then it outlives the request until the call is.
 */
#define FIELDS_MAXIMUM 8

struct Transfer
{
	Request *request; /* NULL: it is over */
	Worker *worker;
	Call call;
	uint64_t client; /* whom its calls count for, by client_key() */
	bool busy;		 /* the call is under way */
	bool starting;	 /* it is being given to the database */
	int64_t since;	 /* of the span that the rate of an upload is looked at in; 0: none yet */
	size_t sofar;	 /* what had been received by then */
	int64_t ask_at;	 /* when to ask again for what is being made; 0: not waited for */
	void (*answered)(Transfer *transfer);
	/* The request is over: begin a last call, if there is one to make. */
	void (*leave)(Transfer *transfer);
	void (*end)(Transfer *transfer); /* free what is its own */
	char *actor;
	Transfer *next_waiting;
	int fields;
	struct
	{
		const char *name;
		const char *value;
	} field[FIELDS_MAXIMUM]; /* of the answer, in the place of usual ones */
};

/* Make a transfer of a request out of cleared memory, which becomes the transfer's. */
extern void transfer_open(Request *request, Transfer *transfer);
/*
 * Make the call; false when that cannot be, and nobody will answer.  Length: of the argument that
 * is bytes, where there is one.
 */
extern bool transfer_call(Transfer *transfer, CallName name, const char *const *arguments,
						  size_t length);
/* Has the call failed?  Then the error answer is set. */
extern bool transfer_failed(Transfer *transfer);
/* The request is over. */
extern void transfer_close(Request *request);
/* Has an upload moved too little in the last span? */
extern bool transfer_stalls(const Request *request, int64_t now);
/* Fields of the request that mean something to transfers only. */
typedef enum TransferHeader
{
	FIELD_DISPOSITION,
	FIELD_REPR_DIGEST,
	FIELD_CONTENT_DIGEST,
	FIELD_DIGEST,
	FIELD_COMPLETE,
	FIELD_OFFSET,
	FIELD_LENGTH,
	FIELD_RANGE,
	FIELD_IF_RANGE,
	FIELD_COUNT
} TransferHeader;

extern const char *transfer_header_name(TransferHeader header);
/* Find them; false: one came twice that may not. */
extern bool transfer_headers(Request *request, const char **values);
/* Have a field in the answer, in the place of a usual one of its name. */
extern void transfer_field(Request *request, const char *name, const char *value);

/* A transfer that has nothing but fields of the answer; false with the error answer set. */
extern bool transfer_bare(Request *request);

/* upload.c: files that come, in forms and by themselves */
typedef struct Upload
{
	Transfer transfer;
	char id[ID_MAXIMUM + 1]; /* empty: not begun */
	bool form;				 /* its body is a form */
	bool opened;			 /* the client has been told to send the body */
	bool resumable;			 /* it outlives the connection */
	bool partial;			 /* more is to follow with another request */
	bool updates;			 /* of one that is gone on with: there is a record already */
	bool ended;				 /* the body has come */
	bool over;				 /* it has become a record, or is gone */
	bool file;				 /* there is a file in the form */
	bool nameless;			 /* so, but none was chosen */
	bool in_file;			 /* the present part is it */
	Multipart parts;
	char *bytes;	  /* CHUNK_SIZE of them; NULL: none have come */
	size_t length;	  /* collected, and not yet written */
	size_t forgotten; /* bytes that came after it was refused */
	int64_t from;	  /* the byte that the body begins with */
	int64_t offset;	  /* bytes that are written */
	int64_t limit;
	int64_t total;				  /* bytes that it will have; -1: not known */
	struct json_t *texts;		  /* fields of the form, or words of the query; NULL: none */
	Buffer value;				  /* of the present text part */
	size_t room;				  /* bytes of texts that may yet come */
	char *name;					  /* of the present text part, */
	char *file_name;			  /* of the client's file, */
	char *type;					  /* and the media type that it told */
	char sha256[DIGEST_HEX];	  /* of the file, as told; empty: not told */
	char content[DIGEST_HEX];	  /* so, of the body */
	struct evp_md_ctx_st *digest; /* of the body; NULL: not asked for */
	char *details;				  /* argument of a call */
	char position[24];			  /* so */
} Upload;

/* The upload of a request; NULL: it is none. */
extern Upload *upload_of(const Request *request);
/* Make a request one; NULL when there is no memory. */
extern Upload *upload_new(Request *request);
/* Let the connection go on: with the body, or with the answer when there is one. */
extern void upload_go_on(Request *request);
/* Take a part of the body: *size is what is left. */
extern void upload_take(Request *request, const char *bytes, size_t *size);
/* The body has ended. */
extern void upload_end(Request *request);
/* All is written: make it a record, or leave it open where more is to follow. */
extern void upload_finish(Request *request);
/* Collect bytes of the file; gives how many were taken. */
extern size_t upload_collect(Request *request, const char *bytes, size_t length);
/* Answer with an error; the upload will not be gone on with, unless the fault is ours. */
extern void upload_refuse(Request *request, int status, const char *message);
/* Make the details of the next call; they become the upload's.  False with the error answer set. */
extern bool upload_details(Request *request, struct json_t *details);

/* upload_start.c: an upload is asked for */
/* The part of a form that is a file on this route; NULL: files are not taken there. */
extern const char *upload_part(const Request *request, const Route *route);
/* Is it the upload of a file, by its verb, type and path?  Then it has a transfer from here on. */
extern bool upload_wanted(Request *request);
/* The walk has come to where others make the call of their route. */
extern void upload_start(Request *request);

/* upload_form.c: the form that a file comes in */
extern bool parts_begin(Request *request);
/* Add a text; one that comes again makes an array; false: it is no text. */
extern bool parts_add(Upload *upload, const char *name, const char *bytes, size_t length);
extern void parts_end(Upload *upload);

/* upload_resume.c: uploads that go on after the connection broke
 * (draft-ietf-httpbis-resumable-upload) */
/* Read what the headers say of the upload; false with the error answer set. */
extern bool resume_read(Request *request);
/* Does the body begin where the upload stands?  Else the error answer is set. */
extern bool resume_agrees(Request *request);
/* Answer a request that leaves its upload open. */
extern void resume_answer(Request *request);
/* The answer to a request about an upload: what it is, or that it is gone. */
extern void resume_build(Request *request, const Reply *reply);

/* download.c: what a client gets of a file */
/* Make the call of the route, which says what to send. */
extern void download_start(Request *request);
/* Ask again for what is being made. */
extern void download_tick(Worker *worker, int64_t now);
/* Wait no longer. */
extern void download_forget(Transfer *transfer);

/* file_body.c: stored bytes on their way to a client */
typedef struct Stretch
{
	const char *text; /* NULL: stored bytes, from first on */
	int64_t first;
	int64_t length;
} Stretch;

typedef struct Download
{
	Transfer transfer;
	char blob[24];	   /* arguments of its calls */
	char position[24]; /* so */
	int64_t size;	   /* of all the stored bytes */
	int64_t total;	   /* of what is sent */
	Stretch *pieces;
	int count;
	int at;			 /* the piece that is being sent, */
	int64_t before;	 /* and what stands before it */
	PGresult *chunk; /* at hand; NULL: none */
	int64_t number;	 /* which one it is, */
	int64_t coming;	 /* and which one is coming, or has come; -1: none */
	bool suspended;	 /* the connection waits for it */
	bool failed;
} Download;

/* Begin the download of a blob; NULL with the error answer set. */
extern Download *chunks_open(Request *request, int64_t blob, int64_t size);
/* Say what of it is sent, all where there are no ranges; several change the type of the answer. */
extern void chunks_choose(Request *request, const Ranges *ranges);
extern struct MHD_Response *chunks_response(Request *request);

/* counting.c: count a download, of a file or of the archive of a dataset; the other one is NULL */
extern void counting_start(Worker *worker, const char *file, const char *dataset);

/* disposition.c: how a download is to be shown, and under which name */
typedef enum Disposition
{
	SHOWN,
	SAVED
} Disposition;

/* May a browser show the type by itself?  Then *type is what it is sent as. */
extern bool disposition_safe(const char **type);
/* The value of Content-Disposition. */
extern const char *disposition_write(Request *request, Disposition disposition, const char *name);

#endif
