/*
 * shim.h - read first: everything that the files of catalogue-shim share.
 *
 * It takes in base.h (bytes and memory), auth.h (credentials), database.h (calls and connections),
 * log.h (the log file and the statistics), framing.h (requests in the bytes of a connection),
 * answer.h (what is sent back), server.h (threads and sockets) and transfer.h (bytes of files).
 *
 * A request walks through the files in this order and never back:
 *
 *   server.c             one thread per core: its loop, its HTTP daemons, its database connections
 *   connection_check.c   new connections
 *   receive.c            what the library reads; framing.c and head.c: requests in it  400 414 431 501
 *   request.c            collect the request, then walk it
 *   guard.c              headers, target and limits                        400 413
 *   proxy.c              the client's address, scheme and host, by the word of a trusted proxy
 *   auth.c               credentials -> actor; api_key.c: keys of consumers  401 403 429
 *   route.c              path and verb -> row of the route table           404 405
 *   negotiate.c          Accept, Content-Type, Prefer                      406 415
 *   condition.c          entity tags: If-Match, If-None-Match              304 400 412
 *   call.c               route -> SQL call and its arguments
 *   password_confirm.c   before a new password of one's own: the present one  400 429
 *   database.c           deadlines; fair_queue.c, connection_choice.c, pg_connection.c  503
 *   stream.c             instead of that, answers that are sent while they are made
 *   upload_start.c       instead of that, a file that comes: upload.c: its bytes, upload_form.c:
 *                        the form around it, upload_resume.c: several requests for one file  409 413
 *   download.c           instead of that, a file that goes: file_body.c: its bytes  202 206 416
 *   envelope.c           meta, data and links around the bytes (list_links.c, options.c)
 *   error.c              SQLSTATE -> status, code, body
 *   response.c           headers, those of cors.c among them; hand over to libmicrohttpd
 *   statistics.c         one entry of it; statistics_batch.c: batches of them
 *
 * Ownership: a Request owns everything that belongs to it (arena, body, PGresult, answer) and is
 * freed in one place, request_free().  A Worker and all that hangs on it is used by its own thread
 * only; Settings are read-only once the threads run; Log may be used by every thread.
 */
#ifndef SHIM_H
#define SHIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libpq-fe.h>
#include <microhttpd.h>

#include "base.h"

#define SHIM_VERSION "1.0"

#define PARAMETERS_MAXIMUM 100	   /* words of a query string; more is 400 */
#define ANSWER_MAXIMUM (256 << 20) /* bytes of an answer that we make ourselves */
#define SEGMENTS_MAXIMUM 4		   /* words of the longest path */
#define ARGUMENTS_MAXIMUM 7		   /* arguments of the longest call */
#define ID_MAXIMUM 15			   /* characters of a record id */
#define HOST_SIZE 256			   /* bytes of a host with its port, as it is remembered */
#define NAME_SIZE 17			   /* bytes of a name that we give to a request */
#define SESSION_MAXIMUM 27		   /* characters of an instant with microseconds */

/* What the loop of a worker waits for: the first member of all that it is told of. */
typedef struct Watch Watch;
struct Watch
{
	void (*ready)(Watch *watch, uint32_t events);
};

typedef struct Settings Settings;
typedef struct Log Log;
typedef struct LoginHistory LoginHistory;
typedef struct Worker Worker;
typedef struct Client Client;
typedef struct Request Request;
typedef struct Database Database;
typedef struct Lane Lane;
typedef struct Route Route;
typedef struct Call Call;
typedef struct CallSpec CallSpec;
typedef struct Recorder Recorder;
typedef struct TokenCache TokenCache;
typedef struct Networks Networks;
typedef struct Transfer Transfer;

/* config.c */
struct Settings
{
	char *address;
	int64_t port;
	int64_t threads;
	char *database;
	char *worker_database; /* empty: as database, as catalogue_worker */
	int64_t worker_jobs;
	char *scanner; /* empty: there is none */
	char *base_url;
	char *allowed_hosts;
	char *trusted_proxies;
	int64_t closed; /* setting private; 0: off */
	char *public_paths;
	char *cors_origins;
	char *cors_headers;
	int64_t cors_max_age;
	char *token_secret;
	int64_t token_lifetime;
	char *environment;
	char *log_directory;
	char *log_level;
	int64_t statistics; /* 0: off */
	int64_t connections;
	int64_t lanes;
	int64_t pool;
	int64_t transfers;
	int64_t queue;
	int64_t queue_timeout;
	int64_t call_timeout;
	int64_t stream_rate;
	int64_t body_limit;
	int64_t header_timeout;
	int64_t request_timeout;
	int64_t idle_timeout;
	int64_t shutdown_timeout;
	Networks *proxies;	/* trusted_proxies, as read */
	char *page_headers; /* cors_headers and all that the service reads */
	Log *log;
	LoginHistory *logins;
};

/* Read defaults, then the file (may be NULL), then the environment; complaint on stderr. */
extern bool config_load(Settings *settings, const char *file);
/* Is there a secret to sign with?  Complaint on stderr. */
extern bool config_has_secret(const Settings *settings);
extern void config_free(Settings *settings);
extern void config_help(void);
/* The variables of the settings, in the order of the table. */
extern size_t config_variable_count(void);
extern const char *config_variable(size_t index);

/* variable.c: is each CATALOGUE_ variable of the environment known?  Complaint on stderr. */
extern bool variables_known(void);

/* check.c: the work of --check; the exit status */
extern int check_run(const Settings *settings);

#include "log.h"

#include "framing.h"

/* guard.c */
typedef enum Header
{
	HEADER_ACCEPT,
	HEADER_AUTHORIZATION,
	HEADER_API_KEY,
	HEADER_CONSUMER,
	HEADER_ADMIN_AUTHORIZATION,
	HEADER_CONTENT_LENGTH,
	HEADER_CONTENT_TYPE,
	HEADER_EXPECT,
	HEADER_FORWARDED_FOR,
	HEADER_FORWARDED_HOST,
	HEADER_FORWARDED_PROTO,
	HEADER_HOST,
	HEADER_IF_MATCH,
	HEADER_IF_NONE_MATCH,
	HEADER_ORIGIN,
	HEADER_PREFER,
	HEADER_PREFLIGHT_METHOD,
	HEADER_REQUEST_ID,
	HEADER_TRANSFER_ENCODING,
	HEADER_USER_AGENT,
	HEADER_COUNT
} Header;

typedef enum Verb
{
	VERB_GET,
	VERB_HEAD,
	VERB_POST,
	VERB_PATCH,
	VERB_PUT,
	VERB_DELETE,
	VERB_OPTIONS,
	VERB_OTHER, /* one that HTTP knows and this service has nowhere */
	VERB_COUNT
} Verb;

extern const char *const verb_names[VERB_COUNT];

/* Read and check the head; on a fault set the error answer and return false. */
extern bool guard_request(Request *request);
/* Is the request refused for its framing?  Then the error answer is set. */
extern bool guard_refused(Request *request);
/* The name of a header that pages of browsers may send, NULL for one that they may not. */
extern const char *guard_page_header(Header header);
/* The path of a target in absolute form, as it is sent to proxies; any other is given as it is. */
extern const char *guard_path(const char *target);
/* Fill path, words and query from the target; on a fault set the error answer, return false. */
extern bool guard_split(Request *request);

/* proxy.c: what a proxy tells of the client behind it, and which proxies are believed */
typedef struct ProxyAddress
{
	unsigned char bytes[16]; /* of IPv6; one of IPv4 is mapped into it */
} ProxyAddress;

/* Is the other end of the request's connection a proxy whose word on the client is taken? */
extern bool proxy_trusted(const Request *request);
/* The address of the client as text: as a trusted proxy has it, else as the connection. */
extern const char *proxy_client(Request *request);
/* "http" or "https", as the client has used it. */
extern const char *proxy_scheme(Request *request);
/* The host that the client has asked, by a trusted proxy's word; NULL if there is none. */
extern const char *proxy_host(Request *request);
/* Read addresses and networks, with commas or blanks between, for free(); NULL: malformed. */
extern Networks *proxy_networks(const char *list);
extern bool proxy_among(const Networks *networks, const ProxyAddress *address);
extern bool proxy_address_read(const char *text, ProxyAddress *address);
/* Read an address with a port or without. */
extern bool proxy_client_read(const char *word, ProxyAddress *address);
extern bool proxy_host_valid(const char *host);

/* cors.c: pages of other origins */
extern bool cors_origins_valid(const Settings *settings);
extern bool cors_headers_valid(const Settings *settings);
/* All headers that pages may send, those of the setting among them, for free(); NULL: no memory. */
extern char *cors_headers_allowed(const Settings *settings);
/* Add what browsers ask of the answer. */
extern void cors_fields(struct MHD_Response *response, const Request *request);
/* The CORS headers, as lines, of an answer that libmicrohttpd does not send. */
extern const char *cors_unread(const Settings *settings);

/* An error answer that error_again() can restore. */
typedef struct Refusal
{
	int status;
	const char *message;
	const char *faults; /* JSON object; NULL: none */
} Refusal;

/* error.c: the statuses that the service knows, and what stands in their bodies */
typedef enum Outcome
{
	OUTCOME_ANSWER, /* the result is an answer or an error for the client */
	OUTCOME_RETRY,	/* nothing happened; the call may be made again */
	OUTCOME_BROKEN, /* so, and the connection is of no use any more */
} Outcome;

extern Outcome error_outcome(const PGresult *result);
extern void error_set(Request *request, int status, const char *message);
/* Answer 400 with faults, a JSON object. */
extern void error_faults(Request *request, const char *message, const char *faults);
/* Answer with an error that was the answer before. */
extern void error_again(Request *request, const Refusal *refusal);
/* Answer that the name and the password of a login do not fit. */
extern void error_login(Request *request);
extern bool error_of_call(Request *request);
/* Did a call fail?  Then the error is set. */
extern bool error_of(Request *request, const Call *call);
/* Append the code and the message of a status as two members. */
extern void error_status_members(Buffer *buffer, int status);
extern const char *error_code_of(int status);
extern const char *error_message_of(int status);

#include "auth.h"

#include "database.h"

/* route.c */
typedef enum Envelope
{
	ENVELOPE_NONE,
	ENVELOPE_LIST,
	ENVELOPE_ITEM,
	ENVELOPE_COUNT,
	ENVELOPE_RELATED,
	ENVELOPE_ROWS, /* of a file: a list that is all of its own */
	ENVELOPE_SEARCH,
	ENVELOPE_CREATED,
	ENVELOPE_WRITTEN,
	ENVELOPE_DELETED,
	ENVELOPE_LOGIN,
	ENVELOPE_TOKEN,
	ENVELOPE_PLAIN,
	ENVELOPE_ENTRY,
	ENVELOPE_UPLOAD,
	ENVELOPE_BYTES,
	ENVELOPE_FEED,
	ENVELOPE_COUNT_OF
} Envelope;

struct Route
{
	Verb verb;
	const char *pattern; /* words; one that begins with ':' stands for any word */
	CallName call;
	const char *action; /* of describe().actions; NULL: not a matter of the resource */
	Envelope envelope;
	bool open; /* asked without credential; a bad one is not looked at */
};

/* Find request->route and its words; request->pattern is NULL for an unknown path. */
extern void route_find(Request *request);
/* The row of the table for a verb on the request's path, NULL if there is none; HEAD is GET. */
extern const Route *route_for(const Request *request, Verb verb);
/* Words from the request's path by the name that the pattern gives them, NULL if it has none. */
extern const char *route_word(const Request *request, const char *name);

#include "answer.h"

/* request.c */
typedef enum Stage
{
	STAGE_TARGET,  /* the head is there */
	STAGE_BODY,	   /* it has been checked */
	STAGE_WAITING, /* suspended until the database has answered */
	STAGE_SENDING
} Stage;

struct Request
{
	Request *next_spare;
	Worker *worker;
	Client *client;
	const char *id; /* the client's name for it, else one of ours */
	Stage stage;
	int64_t started; /* milliseconds of the monotonic clock */
	Verb verb;
	Head *head;			/* NULL: it was not sent */
	const char *target; /* as it came */
	const char *query;	/* in target, after '?'; "" if there is none */
	const char *headers[HEADER_COUNT];
	Buffer body;
	size_t received; /* bytes of body, kept or not */
	bool discard;	 /* the body is too large: read and forget */
	bool form;		 /* the body is a form */
	bool told;		 /* the log has an error line of it */
	bool recorded;	 /* it is in the statistics */
	int words;
	const char *path[SEGMENTS_MAXIMUM]; /* decoded words of the path */
	const char *resource;				/* first word of the path, in small letters */
	const char *pattern;				/* of the route table; NULL: unknown path */
	const Route *route;					/* NULL: the verb is not on this path */
	const char *named;					/* id of the record that the path names; NULL: as it does */
	const char *base;					/* "http://host:port" for links */
	const char *address;  /* of the client, by a proxy's word; NULL: not asked yet, or no word */
	const char *actor;	  /* JSON for the database */
	const char *user;	  /* id; NULL for nobody */
	const char *session;  /* that its token bears */
	const char *consumer; /* id; NULL for none */
	const char *usual_return; /* preferences of the consumer; NULL: those of the service */
	const char *usual_relations;
	const char *usual_color;
	Auth auth;
	LoginKeys login;
	const char *prefer_return;
	const char *prefer_relations;
	const char *prefer_color;
	const char *prefer_handling;
	const char *ignored;  /* JSON: members of a body that no call takes; NULL: none */
	const char *applied;  /* value of Preference-Applied; NULL: none */
	const Format *format; /* other than JSON; NULL: JSON */
	bool takes_json;	  /* JSON would do as well */
	const char *variant;  /* of a GET: second part of its entity tags */
	const char *known;	  /* states that the client has, comma-separated; NULL: none */
	const char *match;	  /* states that the record may be changed in; NULL: any */
	Refusal refusal;	  /* what is answered unless the path leads elsewhere */
	Call call;
	Stream stream;
	Transfer *transfer; /* NULL: it is about no bytes of files */
	Answer answer;
	Arena arena;
};

/* A request with a head, which is its own from now on, or none; NULL: no memory. */
extern Request *request_new(Worker *worker, Client *client, Head *head);
/* A name for the next request of the worker, unlike those of all others: NAME_SIZE bytes. */
extern void request_name(Worker *worker, char *id);
extern void request_free(Request *request);
/* Give back the memory that the worker keeps for requests to come. */
extern void request_forget(Worker *worker);
/* Split the target and find its route; false with the error answer set. */
extern bool request_find(Request *request);
/* Take the request through all stages; afterwards it has an answer or is with the database. */
extern void request_walk(Request *request);
/* Make the call of the route, or the one that gives its list as another type than JSON. */
extern void request_call(Request *request);
/* The database is done with the request. */
extern void request_wake(Request *request);

/*
 * members.c: look at a body that no call takes.  What it has in it is kept as ignored, or is
 * refused with strict handling; false with the error answer set.
 */
extern bool members_untaken(Request *request);

/* form.c: does the request's route take a body of application/x-www-form-urlencoded? */
extern bool form_taken(const Request *request);
/* Make the form a JSON object of strings; false, and the answer 400, when it is malformed. */
extern bool form_convert(Request *request);

#include "server.h"

#include "transfer.h"

#endif
