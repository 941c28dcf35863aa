/*
 * server.h - threads, sockets and what libmicrohttpd calls back.
 *
 * A part of shim.h, which is what the files include.
 */
#ifndef SERVER_H
#define SERVER_H

/* lingering_close.c: connections that are closed when the client has stopped sending */
typedef struct Linger Linger;

/* Keep the connection of a socket, which is about to be closed, until its other side ends it. */
extern void linger_open(Worker *worker, int socket);
extern void linger_reap(Worker *worker, int64_t now);
extern void linger_close(Worker *worker);

extern void door_open(Watch *watch, uint32_t events);
/* To be called several times a second: listen again, when there was no room. */
extern void door_retry(Worker *worker);

/* receive.c: bytes of clients on their way to libmicrohttpd */
/* Have the connections of a worker read in this thread from now on. */
extern void receive_for(Worker *worker);
/* Read a client's socket through its framing; false: no memory. */
extern bool receive_begin(Client *client);
extern void receive_end(Client *client);
/* The worker of this thread has no connections any more. */
extern void receive_close(Worker *worker);
/* Does libmicrohttpd, as it is here, read by way of receive.c?  Of a worker without clients. */
extern bool receive_tried(Worker *worker);

#define ADDRESS_SIZE 46 /* bytes of an IP address as text */

/* client.c: one accepted socket, and the deadlines that libmicrohttpd does not have */
typedef enum Trust
{
	TRUST_UNKNOWN, /* not asked for yet */
	TRUST_NO,
	TRUST_YES /* it is a proxy of the setting trusted_proxies */
} Trust;

struct Client
{
	Client *previous;
	Client *next;
	Worker *worker;
	struct MHD_Connection *connection;
	Request *request;
	Framing framing;
	char pending[FRAMING_GROWTH]; /* written for libmicrohttpd, which had no room for it */
	size_t pending_length;
	int socket;
	int64_t since; /* of being accepted, or idle; milliseconds of the monotonic clock */
	bool used;	   /* has had a request */
	bool lingers;  /* what comes after the answer is read before it is closed */
	Trust trust;
	Pace pace;
	char address[ADDRESS_SIZE]; /* empty: not asked for yet */
};

extern void client_notify(void *cls, struct MHD_Connection *connection, void **context,
						  enum MHD_ConnectionNotificationCode code);
/* End the connections that are overdue, or too slow. */
extern void client_reap(Worker *worker, int64_t now);
/* End a connection at once; what the client has not taken is not kept for it. */
extern void client_drop(const Client *client);
extern const char *client_address(Client *client);
/* The address at the other end of a socket as text; empty when it is not known. */
extern void client_peer(int socket, char *text, size_t size);

/* registered.c: origins and public paths of web applications that are registered in the database */
typedef struct Registered
{
	Call call;
	bool asking;
	int64_t ask_at; /* milliseconds of the monotonic clock */
	char *origins;	/* with commas between; NULL: no answer has come yet */
	char *paths;
} Registered;

/* To be called several times a second: ask anew from time to time. */
extern void registered_tick(Worker *worker);
extern void registered_close(Registered *registered);
extern const char *registered_origins(const Worker *worker);
extern const char *registered_paths(const Worker *worker);

/* server.c */
struct Worker
{
	const Settings *settings;
	pthread_t thread;
	int port;
	int epoll;
	int listener; /* -1: closed */
	int wake;	  /* eventfd by which the main thread asks for the end */
	Watch listening;
	Watch waking;
	Watch serving;
	bool paused; /* no more connections are taken until the next tick */
	bool stopping;
	int64_t stop_by; /* the end of requests under way, */
	int64_t end_by;	 /* and of the statistics of them */
	int64_t now;	 /* milliseconds of the monotonic clock, read once a turn of the loop */
	int64_t asked;	 /* so: when the last request came; 0: its memory has been given back */
	struct MHD_Daemon *daemon;
	Database *database;
	Database *transfers;		  /* for bytes of files, so that nothing else waits for those */
	Recorder *recorder;			  /* NULL: no statistics are kept */
	struct evp_md_ctx_st *digest; /* for entity tags */
	TokenCache tokens;
	Keyring keys;
	Registered registered;
	char host[HOST_SIZE]; /* the last that links were made from; empty: none yet */
	Client *clients;
	Client **by_socket; /* the clients by the numbers of their sockets */
	size_t sockets;		/* that by_socket has room for */
	Linger *lingering;
	Transfer *waiting; /* for something to be made */
	int connections;   /* clients */
	Request *spare;
	int spares;
	uint32_t serial;
	uint32_t run; /* random: makes the ids of requests differ from those of earlier runs */
};

extern bool server_run(const Settings *settings);
extern int64_t server_clock(void);
extern bool server_watch(const Worker *worker, int file, uint32_t events, Watch *watch);

/* connection_access.c: what libmicrohttpd calls back */
extern struct MHD_Daemon *access_daemon(Worker *worker);

/* library.c: is the libmicrohttpd that is here of a kind that was tried?  Complaint on stderr. */
extern bool library_known(void);

#endif
