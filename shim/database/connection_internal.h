/*
 * connection_internal.h - connections and queues, as the files of database/ share them.
 */
#ifndef CONNECTION_INTERNAL_H
#define CONNECTION_INTERNAL_H

#include "database/database.h"
#include "database/reply.h"

/* Calls that wait, or are in flight. */
typedef struct CallQueue
{
	TAILQ_HEAD(CallList, Call) calls;
	int length;
} CallQueue;

/* The oldest call in flight, NULL: none. */
#define IN_FLIGHT(connection) TAILQ_FIRST(&(connection)->flight.calls)

typedef enum PgConnectionState
{
	PG_DOWN, /* waiting for retry_at */
	PG_CONNECTING,
	PG_PREPARING, /* the statements of all calls are being prepared */
	PG_READY
} PgConnectionState;

/* A question for the position that a server has reached in the log of PostgreSQL, asked every second. */
typedef struct Probe
{
	Call call;
	bool asked;
	int64_t asked_at; /* milliseconds of the monotonic clock */
} Probe;

#define POSITIONS_KEPT 64 /* of the primary, one for each second */

/* The positions that the primary had reached on its timeline, the oldest first. */
typedef struct WalPositions
{
	int count;
	int64_t timeline;
	bool outdated; /* there is a primary again, which has not told its position yet */
	struct
	{
		int64_t at; /* when it was asked, or earlier */
		int64_t bytes;
	} list[POSITIONS_KEPT];
} WalPositions;

struct PgConnection
{
	Watch watch;
	Database *database;
	PGconn *pg;
	PgConnectionState state;
	bool shared;
	int depth;			/* calls that may be in flight */
	CallQueue flight;	/* sent, oldest first */
	int group;			/* calls since the last Sync */
	int syncs;			/* Syncs sent and not received back */
	int preparing;		/* statements whose preparation has not ended */
	int failures;		/* attempts since it last was ready */
	int64_t retry_at;	/* milliseconds of the monotonic clock */
	int first_host;		/* the number of the host that is asked first, counted on */
	int64_t connect_by; /* when the attempt to connect fails */
	int64_t moved;		/* when the oldest call in flight became the oldest */
	int64_t made_at;	/* when it became ready */
	bool broken;		/* close it when its call has been returned */
	bool misled;  /* it leads to a database that can only be read, or of a standby's to none */
	bool unsent;  /* calls have been given to libpq since the last flush */
	bool writing; /* the event loop waits for room in the socket */
	bool held;	  /* rows are not received until the client has read those before */
	bool muted;	  /* the event loop does not wait for the socket */
	Probe probe;  /* of a connection to a standby */
	int64_t lag;  /* milliseconds that the standby is behind, at most; -1: not known yet */
};

struct Database
{
	HttpThread *thread;
	Database *standby; /* the connections that answer reads of outsiders; NULL: there are none */
	Database *primary; /* of such connections; NULL: these are the primary's */
	Probe probe;
	WalPositions positions;
	int connections; /* the shared ones come first */
	int shared;
	CallQueue waiting[QUEUES];
	PgConnection connection[];
};

/* call.c */

extern bool call_send(PGconn *pg, const Call *call);
/* Add the call to a waiting call of its client that can answer it too; false: there is none. */
extern bool call_batch_join(const CallQueue *queue, Call *call);
/* Did a batch of several rows fail?  Then its calls are made again, each on its own. */
extern bool call_batch_retry(Database *database, Call *call);
/* Finish the calls that joined a call. */
extern void call_batch_finish(Database *database, Call *call, CallResult outcome);

/* database.c */
/* Insert the call behind another one; NULL: before all. */
extern void database_queue_insert(CallQueue *queue, Call *other, Call *call);
extern void database_queue_remove(CallQueue *queue, Call *call);

extern void database_returned(Database *database, Call *call);
/* Send again a call that was not executed, because one before it in its group failed. */
extern void database_again(Database *database, Call *call);
extern void database_finish(Call *call, CallResult outcome);
/* Is no connection of the kind up or about to be? */
extern bool database_away(const Database *database, QueueName queue);
/* Set the deadline of a stream anew. */
extern void database_extend(Call *call);

/* sqlstate.c */
/* A write was refused, because the database can only be read. */
extern void sqlstate_read_only_found(PgConnection *connection);
/* A write was executed. */
extern void sqlstate_read_only_over(const PgConnection *connection);

/* standby.c */
/* Ask the servers how far they are; to be called several times a second. */
extern void standby_tick(Database *database, int64_t now);
/* A connection to the primary is up after there was none. */
extern void standby_primary_found(Database *primary, int64_t now);
/* Can calls be sent on the connection, which is up and not that of a late standby? */
extern bool standby_usable(const PgConnection *connection);
/* Have a call that a standby has not answered made at the primary, or soon at the standby once more, and one that each
 * request needs at a standby if there is no primary; false: its outcome stands. */
extern bool standby_pass_on(Call *call);

/* pg_connection.c */
extern void pg_connection_connect(PgConnection *connection, int64_t now);
/* Send a call; false: the connection is gone, and the call is still the caller's. */
extern bool pg_connection_send(PgConnection *connection, Call *call);
/* Flush what was sent since the last time. */
extern void pg_connection_flush(PgConnection *connection);
/* The socket can be read or written. */
extern void pg_connection_ready(Watch *watch, uint32_t events);
/* Close the connection after an error, and return the calls in flight. */
extern void pg_connection_close(PgConnection *connection, const char *reason);
/* Check deadlines; to be called several times a second. */
extern void pg_connection_tick(PgConnection *connection, int64_t now);

#endif
