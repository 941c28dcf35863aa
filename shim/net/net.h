/*
 * net.h - sockets of clients.
 * Decisions: docs/explanation/decisions.md#shimnet
 */
#ifndef NET_H
#define NET_H

#include <sys/types.h>

#include <microhttpd.h>

#include "net/framing.h"
#include "shim.h"

#define ADDRESS_SIZE 46 /* bytes of an IP address as text */

/* How many bytes a client has acknowledged, for the rate of one period. */
typedef struct Pace
{
	int64_t since;	/* start of the period; 0: there is nothing to send */
	uint64_t taken; /* bytes acknowledged at its start */
} Pace;

typedef enum Trust
{
	TRUST_UNKNOWN, /* not looked up yet */
	TRUST_NO,
	TRUST_YES /* the peer is one of the setting trusted_proxies */
} Trust;

/* receive.c */

struct Client
{
	LIST_ENTRY(Client) next;
	HttpThread *thread;
	struct MHD_Connection *connection;
	Request *request; /* NULL: none at the moment */
	Framing framing;
	char pending[FRAMING_GROWTH]; /* bytes for libmicrohttpd that did not fit into its buffer */
	size_t pending_length;
	int socket;
	int64_t since;	/* when it was accepted or became idle, milliseconds of the monotonic clock */
	bool used;		/* has had a request */
	bool lingering; /* close it only when the client has stopped sending */
	Trust trust;
	Pace pace;
	char address[ADDRESS_SIZE]; /* empty: not looked up yet */
};

/* Connections of the thread are read by this thread from now on. */
extern void receive_for(HttpThread *thread);
/* The thread has no connections any more. */
extern void receive_close(HttpThread *thread);
/* The library is given a connection with half a request, which framing.c must have received. */
extern bool receive_tried(HttpThread *thread);
/* Read the client's socket through its framing; false: no memory. */
extern bool receive_begin(Client *client);
extern void receive_end(Client *client);
/* Close a socket when its client has stopped sending. */
extern void receive_linger(HttpThread *thread, int socket);
extern void receive_accept_ready(Watch *watch, uint32_t events);
/* Listen again after a pause; to be called several times a second. */
extern void receive_accept_retry(HttpThread *thread);
/* End those whose time is over at the given instant; INT64_MAX: all. */
extern void receive_linger_tick(HttpThread *thread, int64_t now);

/* mhd_compat.c: versions of libmicrohttpd */
/* Is the installed version supported?  If not, a message is written to stderr. */
extern bool mhd_compat_supported(void);
/* The last chunk is sent to HEAD too, and the client would read it as the beginning of the next
 * answer.  Without chunks nothing is sent, and the connection is closed. */
extern void mhd_compat_unsized(const Request *request, struct MHD_Response *response);

/* event_loop.c */

extern bool event_loop_add(const HttpThread *thread, int file, uint32_t events, Watch *watch);
extern bool event_loop_change(const HttpThread *thread, int file, uint32_t events, Watch *watch);
/* Wait for events, at most so many milliseconds, handle them, and set thread->now. */
extern void event_loop_wait(HttpThread *thread, int milliseconds);

/* listening_socket.c */

/* How many sockets the service manager has passed; -1, with a message on stderr, if they cannot
 * be used or are more than most. */
extern int listening_socket_passed(int most);
/* The socket of a thread, one of those passed if there are any; -1 with errno when that fails. */
extern int listening_socket_open(const Settings *settings, int port, int passed, int thread);
/* The address, of ADDRESS_SIZE bytes, and the port that a socket is bound to. */
extern bool listening_socket_name(int listener, char *address, size_t size, int *port);
/* The port to bind; -1: another program uses it, with which SO_REUSEPORT could share it. */
extern int listening_socket_port(const Settings *settings);

/* client.c */

/* A new client of the connection; NULL: no memory. */
extern Client *client_open(HttpThread *thread, struct MHD_Connection *connection);
/* The connection is about to be closed: free the client, which must have no request any more. */
extern void client_close(Client *client);
/* The socket is shut down, not closed: libmicrohttpd sees the end of the connection and cleans
 * up as for any client that disconnects. */
extern void client_end(const Client *client);
/* Have the connection reset, not closed, when libmicrohttpd closes it. */
extern void client_reset_on_close(const Client *client);
/* Reset the connection; bytes not yet acknowledged are discarded. */
extern void client_reset(const Client *client);
/* A connection that ends right after it was suspended is closed at the next event of its socket
 * only, which a client that waits never causes; but one with a timeout of its own is checked in
 * every turn.  This holds for all versions of libmicrohttpd up to 1.0.1. */
extern void client_check_each_turn(const Client *client);
/* Did the client acknowledge less than rate bytes per second in a period of span milliseconds
 * that has just ended? Bytes that libmicrohttpd has written may still be in the kernel, so this
 * asks the kernel.  *ended: whether a period has ended. */
extern bool client_is_slow(const Client *client, Pace *pace, int64_t span, int64_t rate,
						   bool *ended);
/* The address of the client as text; empty: not known. */
extern const char *client_address(Client *client);

#endif
