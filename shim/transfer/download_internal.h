/*
 * download_internal.h - downloads, ranges and digests, as the files of transfer/ share them.
 */
#ifndef DOWNLOAD_INTERNAL_H
#define DOWNLOAD_INTERNAL_H

#include "net/object_client.h"
#include "transfer/transfer.h"

/* range.c */

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

/*
 * Choose the bytes of a file to send, by the header fields of the request; none: all.
 *
 * tag, in quotes, and modified, in seconds since 1970 or 0, are those of the file.  False: there are
 * no such bytes, and the answer is set.
 */
extern bool range_choose(Request *request, int64_t size, const char *tag, int64_t modified,
						 Ranges *ranges);
/* Describe the range that is sent, the only one, by Content-Range. */
extern void range_describe(Request *request, const Range *range, int64_t size);

/* download.c */

#define DIGEST_BYTES 32
#define DIGEST_HEX (2 * DIGEST_BYTES + 1)

/*
 * Read a field of digests; hex, of DIGEST_HEX bytes, is empty where none is of SHA-256; false:
 * malformed.  Structured fields have colons around values.
 */
extern bool download_digest_read(const char *field, bool structured, char *hex);
/* The digest of all that was put into the context. */
extern bool download_digest_end(struct evp_md_ctx_st *context, char *hex);

/* transfer.c */
typedef struct Segment
{
	const char *text; /* NULL: stored bytes, from first on */
	int64_t first;
	int64_t length;
} Segment;

typedef struct Download
{
	Transfer transfer;
	char blob[24];	   /* argument of its calls */
	char position[24]; /* argument of its calls */
	int64_t size;	   /* of all the stored bytes */
	int64_t total;	   /* of what is sent */
	Segment *pieces;
	int count;
	int at;				  /* the segment that is being sent */
	int64_t before;		  /* bytes before it */
	PGresult *row;		  /* the chunk in memory, as a row of the database; NULL: it is none */
	char *bytes;		  /* or as a window of the object store, for free(); NULL: so */
	size_t length;		  /* of the chunk */
	int64_t number;		  /* its number; -1: none is in memory */
	int64_t coming;		  /* which one is being queried, or was received after it; -1: none */
	bool stored;		  /* chunks are windows of the object store */
	ObjectRead *windows;  /* of it: that of a chunk is the one of its number modulo WINDOWS */
	char key[OBJECT_KEY]; /* of the object */
	int ahead;			  /* how many windows may be asked for at once */
	bool suspended;		  /* the connection waits for the next one */
	bool failed;
	Ranges ranges;
	const char *id; /* of the record, for the count of downloads */
	/* The first bytes are there, or need not be; NULL: this was called. */
	StageResult (*begun)(Request *request);
} Download;

/* file_body.c */

/* Open the download of a blob with a digest; stored: it is in the object store.  NULL: an error is the answer. */
extern Download *file_body_open(Request *request, int64_t blob, int64_t size, const char *sha256,
								bool stored);
/* Choose the ranges to send; none: all; several change the type of the answer. */
extern void file_body_choose(Request *request, const Ranges *ranges);
/* Call begun() as soon as the object store has given the first bytes, at once if it need not; else 503
 * is the answer. */
extern StageResult file_body_begin(Request *request, StageResult (*begun)(Request *request));
extern struct MHD_Response *file_body_response(Request *request);

#endif
