/*
 * object_store.h - requests to an object store that speaks the protocol of S3.
 *
 * The key of an object is the SHA-256 of its bytes in hexadecimal, so that a request can be repeated.
 * Scheme, host, port and bucket are those of the setting store_url, nothing of a record is in an
 * address; there are no redirects and no proxies.  The credentials are read from their file for each
 * request, so that they can be changed at any time.
 *
 * Decisions: docs/explanation/decisions.md#bytes-in-an-object-store
 */
#ifndef OBJECT_STORE_H
#define OBJECT_STORE_H

#include "base/settings.h"

#define OBJECT_WINDOW (1 << 20) /* bytes that are asked for at once */
#define OBJECT_DIGEST 32		/* bytes of a SHA-256 */
#define OBJECT_KEY (2 * OBJECT_DIGEST + 1)
#define OBJECT_UPLOAD 2048 /* bytes of the id of an upload, as an address has it */

typedef enum ObjectVerb
{
	OBJECT_GET,
	OBJECT_PUT,
	OBJECT_DELETE,
	OBJECT_LIST, /* of the keys behind that of the request, at most OBJECT_WINDOW bytes of XML */
	/* an object that is sent by parts: upload is set by BEGIN, or object_store_upload() */
	OBJECT_BEGIN,
	OBJECT_PART,
	OBJECT_COMPLETE, /* with a list of the parts and their tags, as XML */
	OBJECT_ABORT,
	OBJECT_UPLOADS /* a list of what was begun, and neither completed nor aborted */
} ObjectVerb;

/* How a request ended. */
typedef enum ObjectEnd
{
	OBJECT_DONE,
	OBJECT_MISSING, /* there is no such object */
	OBJECT_WRONG,	/* the bytes do not have the digest or the length */
	OBJECT_AWAY		/* the store is away, or refuses; the same request may be answered later */
} ObjectEnd;

typedef struct ObjectRequest
{
	ObjectVerb verb;
	char key[OBJECT_KEY];
	int64_t size;	/* of the object, or of what is sent */
	int64_t first;	/* of GET: the range */
	int64_t length; /* of it, and the number of bytes that are answered */
	int part;		/* number of the part, from 1 */
	char upload[OBJECT_UPLOAD];
	/* Takes bytes of an answer to GET or a list, false to give up. */
	bool (*take)(void *target, const char *bytes, size_t length);
	/* Gives bytes that are sent, the number of them; 0: there are no more; -1: an error. */
	ptrdiff_t (*give)(void *target, char *space, size_t room);
	void *target;
	/* The rest is of the request. */
	void *curl;
	void *multi; /* which keeps the connection for the next request; NULL: another loop drives it */
	struct curl_slist *fields;
	int64_t taken;
	int64_t given;
	size_t head;	  /* bytes of header fields that have come */
	bool refused;	  /* the answer is too long or of another range, or was not taken */
	char range[96];	  /* Content-Range */
	char tag[128];	  /* ETag */
	char said[2048];  /* the beginning of the body of an error, BEGIN or COMPLETE */
	char reason[160]; /* why it has failed, for the log: without addresses and credentials */
} ObjectRequest;

/* Prepare a request, whose first members are set; false with a reason. */
extern bool object_store_prepare(ObjectRequest *request, const Settings *settings);
/* The request has ended with a CURLcode. */
extern ObjectEnd object_store_end(ObjectRequest *request, int code);
/* Prepare a request, and send it as far as that is possible at once; false with a reason.  Its answer comes in while
 * something else is done, as far as the socket takes it. */
extern bool object_store_begin(ObjectRequest *request, const Settings *settings);
/* Wait for the end of a request that was begun. */
extern ObjectEnd object_store_wait(ObjectRequest *request);
/* Do both. */
extern ObjectEnd object_store_ask(ObjectRequest *request, const Settings *settings);
/* Set the upload to the first one of an XML text; false: it names none. */
extern bool object_store_upload(ObjectRequest *request, const char *xml);
/* Print whether the store answers as it must, where the settings name one: to reads, and to all that moves
 * bytes.  False: it does not. */
extern bool object_store_check(const Settings *settings, bool moves);
/* Free what belongs to the request. */
extern void object_store_close(ObjectRequest *request);

#endif
