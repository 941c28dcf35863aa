/*
 * shim.h - read first: what all folders of catalogue-shim share.
 *
 * Each folder has a header with the contracts of its functions.  Calls go down this list only; what
 * a lower folder must tell an upper one goes through a function pointer that it was given.
 *
 *   main.c, server.c: the command line, the threads
 *   request/   the stages of a request, and request.c, which alone starts the next one
 *   page/      the page for people: style sheet, scripts, HTML
 *   transfer/  bytes of files: uploads and downloads
 *   auth/      credentials, API keys, tokens, rate limits
 *   answer/    envelopes, links, errors, entity tags, response headers, access log, statistics
 *   metrics/   counters of requests, connections and transfers, in the format of Prometheus
 *   database/  connections to PostgreSQL, calls, batches of calls, replies
 *   log/       requests in the log file, without secrets
 *   net/       sockets, event loop, framing, header fields, trusted proxies
 *   base/      settings, the log file, memory, buffers, text, clock: the library of both programs
 *
 * Ownership: a Request owns all that belongs to it (arena, body, PGresult, answer) and is freed by
 * request_free() only.  An HttpThread and all that belongs to it is used by its own thread only.  The
 * Settings are not changed while the threads run.  The Log may be used by every thread.
 *
 * Decisions: docs/explanation/decisions.md#shim
 */
#ifndef SHIM_H
#define SHIM_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "base/address.h"
#include "base/settings.h"

#define SEGMENTS_MAXIMUM 6	/* words of the longest path */
#define SEGMENTS_RESOURCE 3 /* words of the longest path that every resource has */
#define NAME_SIZE 17		/* bytes of a name made by header_name_next() */

typedef struct HttpThread HttpThread;
typedef struct Client Client;
typedef struct Request Request;
typedef struct ObjectClient ObjectClient;
struct Call;
struct MHD_Response;
struct pg_result;

/* A file descriptor in the event loop of a thread: first member of the struct it belongs to. */
typedef struct Watch Watch;
struct Watch
{
	void (*ready)(Watch *watch, uint32_t events);
};

/* What a stage returns. */
typedef enum StageResult
{
	NEXT,	  /* the next stage can start */
	ANSWERED, /* the answer is complete */
	WAITING /* a call or the body is awaited; then the stage's continuation returns one of these */
} StageResult;

/* What libmicrohttpd is doing with the request. */
typedef enum Phase
{
	PHASE_HEAD,		 /* the head has been received, and not been read */
	PHASE_BODY,		 /* the body is being received */
	PHASE_SUSPENDED, /* the connection is suspended until a stage can go on */
	PHASE_SENDING	 /* the answer has been queued, or is about to be */
} Phase;

typedef enum Verb
{
	VERB_GET,
	VERB_HEAD,
	VERB_POST,
	VERB_PATCH,
	VERB_PUT,
	VERB_DELETE,
	VERB_OPTIONS,
	VERB_OTHER, /* a method that no path has */
	VERB_COUNT
} Verb;

/* The header fields of requests that are kept. */
typedef enum Header
{
#define HEADER(name, ...) HEADER_##name,
#include "net/header_list.h"
#undef HEADER
	HEADER_COUNT
} Header;

/* An answer; see answer/answer.h. */
typedef struct Answer
{
	int status;		  /* 0: none yet */
	const char *type; /* Content-Type; NULL: JSON */
	/* Make the response of a body that is sent in pieces; NULL: the body is in memory. */
	struct MHD_Response *(*stream)(Request *request);
	Buffer head;	  /* the body is head, data, tail */
	const char *data; /* bytes of the result of the call */
	size_t data_length;
	Buffer tail;
	bool joined;		 /* data and tail have been appended to head */
	const char *code;	 /* meta.code, for the log */
	const char *message; /* meta.message of an error; NULL: that of the status */
	const char *hint;	 /* meta.hint: what would be right; NULL: none */
	const char *faults;	 /* data of an error, a JSON object; NULL: none */
	const char *etag;	 /* quoted; NULL: none */
	bool close;			 /* close the connection afterwards */
	Buffer link;		 /* header fields; empty or NULL: not sent */
	const char *location;
	const char *allow;
	const char *range;
	const char *authenticate;
	int retry_after;			 /* seconds; 0: not sent */
	struct AnswerFields *fields; /* in place of usual header fields; NULL: none */
} Answer;

/* Bytes in memory that count for a client; see database/clients.h. */
typedef struct MemoryHeld
{
	unsigned int client;
	size_t bytes;
} MemoryHeld;

/* Who makes a request, as auth/ has found; NULL: none, or not known. */
typedef struct Caller
{
	bool good;			  /* no credential is invalid */
	const char *actor;	  /* JSON argument of calls */
	const char *user;	  /* id */
	const char *session;  /* of the user's token */
	int64_t login;		  /* when the user gave the password, seconds of the epoch; 0: unknown */
	const char *consumer; /* id */
	const char *key_name; /* arguments of calls about the consumer's key */
	const char *key_wanted;
} Caller;

/* Values of the preferences of Prefer: constants. */
typedef struct Preferences
{
	const char *returns;
	const char *relations;
	const char *color;
	const char *handling;
} Preferences;

/* The body of a request, as far as it has been received. */
typedef struct Body
{
	Buffer bytes;
	size_t received; /* bytes, kept or not */
	int refused;	 /* status by which it is refused, read and discarded; 0: it is kept */
	MemoryHeld held;
	bool opened;	   /* of an upload: whether it is accepted is decided */
	bool form;		   /* it is an HTML form */
	const char *asked; /* the form of a question, as JSON; NULL: it is another one */
	const char *rows;  /* its format if it has a row for each record: csv, ndjson; else NULL */
} Body;

struct Request
{
	HttpThread *thread;
	Client *client;
	const char *id; /* X-Request-Id of the client, else one of ours */
	Phase phase;
	int64_t started; /* milliseconds of the monotonic clock */
	Verb verb;
	struct Head *head;	/* NULL: none was received */
	const char *target; /* as received */
	const char *query;	/* in target, after '?'; may be empty */
	const char *headers[HEADER_COUNT];
	Body body;
	MemoryHeld answer_held;
	bool logged;   /* the log has an error line for it */
	bool recorded; /* it is in the statistics */
	int words;
	const char *path[SEGMENTS_MAXIMUM]; /* decoded words of the path */
	const char *resource;				/* first word of the path, in small letters */
	const char *pattern;				/* of the route table; NULL: unknown path */
	const struct Route *route;			/* NULL: the path does not have this verb */
	const char *path_id;				/* the words of the path at :id, :relation and :format; */
	const char *path_relation;			/* NULL: the pattern has none */
	const char *path_format;
	const char *record_id; /* id of the record at path_id, which may be a slug; NULL: not known */
	const char *base;	   /* "http://host:port" for links */
	const char *address;   /* of the client, as a trusted proxy forwarded it; NULL: it did not */
	Caller caller;
	Preferences usual; /* of the consumer, or the type of the body; NULL: those of the service */
	Preferences prefer;
	bool strict;		 /* prefer.handling is "strict" */
	const char *ignored; /* JSON array of members of the body that were ignored; NULL: none */
	const char *applied; /* value of Preference-Applied; NULL: not sent */
	const struct Format *format;   /* other than JSON; NULL: JSON */
	const struct Format *document; /* the answer is a document of this type; NULL: it is not */
	bool takes_json;			   /* the client accepts JSON too */
	bool pieces;				   /* the answer is too long to be given at once */
	const char *language;		   /* the answer is a page in this language; NULL: it is no page */
	struct Page *page;			   /* NULL: no page has been begun */
	const char *variant;		   /* second part of the entity tags of a GET */
	const char *known;			   /* states that the client has, comma-separated; NULL: none */
	const char *match;			   /* states in which the record may be changed; NULL: any */
	const char *upload_id;		   /* argument of calls about an upload; NULL: none */
	const char *details;		   /* argument of the call, JSON: of an upload, of the routes */
	struct Auth *auth;
	struct Call *call;
	struct Stream *stream;
	struct Transfer *transfer; /* NULL: the request is not about bytes of files */
	Answer answer;
	Arena arena;
};

/* What lower folders tell request.c. */
typedef struct RequestEvents
{
	/* The request's call has ended. */
	void (*returned)(struct Call *call);
	/* A row of a streamed call was received and now belongs to the request; true: send the next. */
	bool (*row)(struct Call *call, struct pg_result *row);
	/* The stream must end: another client needs its connection. */
	void (*preempted)(struct Call *call);
	/* What the request waited for has led to this progress. */
	void (*proceed)(Request *request, StageResult progress);
} RequestEvents;

/* A thread: its event loop, its HTTP daemon, its database connections. */
struct HttpThread
{
	const Settings *settings;
	const RequestEvents *events;
	pthread_t id;
	int port;
	int epoll;
	int listener; /* -1: closed */
	int wake;	  /* eventfd by which the main thread stops this one */
	Watch listening;
	Watch waking;
	Watch serving;
	bool paused; /* no connections are accepted until the next tick */
	bool stopping;
	int64_t stop_by; /* when requests in progress are cut off, */
	int64_t end_by;	 /* and when statistics that are not stored are lost */
	int64_t now;	 /* milliseconds of the monotonic clock, read once per turn of the loop */
	_Atomic int64_t ticked; /* value of now in the last tick, for the main thread */
	int64_t asked;			/* time of the last request; 0: its memory has been returned */
	struct MHD_Daemon *daemon;
	struct Database *database;
	struct Database *transfers;			/* for bytes of files, so that other calls do not wait */
	struct StatisticsBatch *statistics; /* NULL: statistics are off */
	ObjectClient *objects;				/* bytes in the object store; NULL: there is none */
	struct MemoryShares *memory;		/* of bodies and answers */
	struct evp_md_ctx_st *digest;		/* for entity tags */
	struct TokenCache *tokens;
	struct ApiKeyCache *keys;
	struct WebAccess *web_access;
	struct OpenApiCache *openapi; /* documents made for /openapi.json */
	char host[HOST_SIZE];		  /* last host that links were made from; empty: none */
	LIST_HEAD(, Client) clients;
	Client **by_socket; /* the clients by file descriptor */
	size_t sockets;		/* size of by_socket */
	struct LingeringClose *lingering;
	LIST_HEAD(, Transfer) waiting; /* downloads that are being made */
	int connections;			   /* clients */
	int uploads;				   /* in progress */
	int downloads;
	struct ThreadMetrics *metrics;
	Request *spare;
	int spares;
	uint32_t serial;
	uint32_t run; /* random: makes request ids differ from those of earlier runs */
};

/* server.c: serve until a signal; returns false if the service could not start. */
extern bool server_run(const Settings *settings);

#endif
