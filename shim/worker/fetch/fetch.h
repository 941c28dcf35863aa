/*
 * fetch.h - requests of the worker to other servers, over HTTP and HTTPS.
 *
 * The addresses come from records that clients write, so a request must not reach what only this
 * machine or its network can reach.  Whether an address is permitted is decided for the address
 * that the socket connects to, whatever name or spelling it came from, and again for each redirect.
 *
 * Neither proxies, cookies, .netrc nor credentials in a URL are used.  Content codings of an answer
 * (gzip, deflate, br, zstd, as far as libcurl has them) are decoded while it comes, and its limits
 * count what is decoded; an answer that nobody takes is not decoded.  A file that is compressed itself,
 * without the header field, stays as it is.
 *
 * Decisions: docs/explanation/decisions.md#shimworkerfetch
 */
#ifndef WORKER_FETCH_FETCH_H
#define WORKER_FETCH_FETCH_H

#include <jansson.h>

#include "base/base.h"
#include "base/settings.h"

#define FETCH_REASON 301 /* bytes of why a request failed */
#define FETCH_REDIRECTS 3

/* How a request ended. */
typedef enum FetchEnd
{
	FETCH_DONE,	   /* there is an answer, of whatever status */
	FETCH_FAILED,  /* there is none; it may help to try again */
	FETCH_REFUSED, /* there is none, and would be none if it were tried again */
} FetchEnd;

typedef struct FetchRequest
{
	const char *url;
	const char *const *headers; /* "Name: value", up to a NULL; NULL: none */
	const char *username;		/* for basic authentication; NULL: none */
	const char *password;		/* NULL: empty */
	const char *body;			/* it is posted; NULL: a GET */
	size_t length;				/* of the body, bytes */
	int64_t timeout;			/* milliseconds for all of it; 0: the setting fetch_timeout */
	int64_t maximum;			/* bytes of the answer; 0: the setting fetch_limit */
	/* Takes the bytes of the answer, false to give up; NULL: they are dropped. */
	bool (*take)(void *target, const char *bytes, size_t length);
	void *target;
} FetchRequest;

typedef struct FetchReply
{
	long status;
	int64_t length; /* bytes of the body */
	/* header fields; empty: not sent, or longer than fits */
	char content_type[128];
	char etag[256];
	char last_modified[64];
	char link[2048];
	char reason[FETCH_REASON]; /* unless it is done, one sentence without the full stop */
} FetchReply;

/*
 * Send a request and wait for its answer.
 *
 * A GET follows at most FETCH_REDIRECTS redirects; to another scheme, host or port it goes without
 * the given header fields and credentials, and from https: to http: not at all.  A redirect of what
 * is posted is the answer.  The reason names neither the URL's query nor credentials.
 */
extern FetchEnd fetch(const Settings *settings, const FetchRequest *request, FetchReply *reply);

/* fetch.c */

/*
 * May a request have this header field?  It is a name and a value without control characters, and
 * not a field that decides about the connection or where the request ends.
 */
extern bool fetch_header_permitted(const char *line);

/* service.c */

#define SERVICE_HEADERS 100 /* header fields of a request to a service, at most */

/* A request to a remote service. */
typedef struct Service
{
	FetchRequest request;
	char *headers[SERVICE_HEADERS + 1];
	size_t count;
	Buffer url;
	Buffer body;
	char reason[FETCH_REASON];
} Service;

/*
 * Make the request of a service from its settings, an object as catalogue.fetch_service() returns
 * it, which must live as long.  False: no request can be made, and the reason says why.
 * service_free() in either case.
 */
extern bool service_request(Service *service, const json_t *settings);
extern void service_free(Service *service);

#endif
