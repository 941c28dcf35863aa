/*
 * database.h - calls of the extension's functions, and the connections they are sent on.
 * Decisions: docs/explanation/decisions.md#shimdatabase
 */
#ifndef DATABASE_H
#define DATABASE_H

#include <sys/uio.h>

#include <libpq-fe.h>

#include "database/route.h"
#include "shim.h"

typedef struct Database Database;
typedef struct PgConnection PgConnection;

typedef enum CallResult
{
	RESULT_ANSWER,	  /* call->result holds what PostgreSQL returned */
	RESULT_AWAY,	  /* no connection: nothing happened */
	RESULT_BUSY,	  /* no connection in time, or too many calls waiting: nothing happened */
	RESULT_READ_ONLY, /* the database can only be read: nothing happened */
	RESULT_LATE,	  /* the deadline passed */
	RESULT_UNKNOWN,	  /* the connection broke, or the standby did not confirm */
} CallResult;

/* What a call waits for; an earlier queue goes first. */
typedef enum QueueName
{
	QUEUE_HASH,	  /* a free connection, for a password hash */
	QUEUE_STREAM, /* a free connection, of which streams get only a part */
	QUEUE_OWN,	  /* a free connection; for a page, one with nothing but pages */
	QUEUE_SHARED, /* a connection that is shared by quick reads */
	QUEUES
} QueueName;

typedef struct Call Call;
struct Call
{
	TAILQ_ENTRY(Call) queued; /* in a queue */
	Call *next;				  /* of those that joined the same call */
	Request *request;		  /* NULL: a call of the thread itself */
	Database *database;
	const CallSpec *spec;
	QueueName queue;
	uint32_t client; /* request_call_client() of who makes it; 0 on shared connections */
	int ahead;		 /* waiting calls of the same client before it */
	bool anonymous;	 /* a read without a user: it leaves some room to other calls */
	bool follows;	 /* a standby may answer it */
	const char *arguments[ARGUMENTS_MAXIMUM];
	const char *key;	/* Idempotency-Key of the request, */
	const char *digest; /* and digest of the request; NULL: it has no such key */
	int bytes;			/* position, from 1, of the argument in binary format; 0: none */
	int length;			/* of that argument */
	int64_t wait_until; /* to be sent by, milliseconds of the monotonic clock */
	int64_t deadline;	/* to be answered by */
	int tries;
	int64_t again_at;		  /* not to be sent before, and */
	int64_t follow_by;		  /* by when the standby should have what the call names; 0: not late */
	Call *joined;			  /* calls that are answered by the same statement */
	uint32_t hash;			  /* of the arguments that they have in common */
	bool alone;				  /* do not batch it with others */
	int rows;				  /* rows of the batch */
	int row;				  /* the row of this call */
	bool unconfirmed;		  /* committed, but not confirmed by a synchronous standby */
	bool begun;				  /* of a stream: its first row has come, so the answer is being sent */
	bool slow;				  /* of a stream: the client reads it too slowly */
	PgConnection *connection; /* of a stream in progress */
	PGresult *result;
	int *users; /* number of calls that share the result; NULL: not shared */
	CallResult outcome;
	void (*done)(Call *call);				  /* the call has ended, with an outcome */
	bool (*take_row)(Call *call, PGresult *); /* of a stream: a row; true: send the next */
	void (*preempted)(Call *call);			  /* of a stream: another client needs the connection */
	StageResult (*then)(Request *);			  /* continuation of the request's stage */
	bool unchecked;							  /* then() is called after errors too */
};

/* request_call.c: calls of requests */
/* Make a call for the request, with arguments taken from it.  When it has succeeded, then() is
 * called; errors are answered by request.c.  Returns WAITING. */
/* May a standby answer the request's call?  Those of users, and of who is not known yet, are the primary's. */
extern bool request_call_follows(const Request *request, const CallSpec *spec);
extern StageResult request_call_start(Request *request, CallName name,
									  StageResult (*then)(Request *));
/* Like request_call_start(), but then() is called after an error too. */
extern StageResult request_call_start_unchecked(Request *request, CallName name,
												StageResult (*then)(Request *));
/* The first bytes of the SHA-256 of all pieces, in hexadecimal; "" without memory. */
extern const char *request_call_digest(Request *request, const struct iovec *pieces, size_t count,
									   size_t bytes);
/* Free the result, unless other calls share it. */
extern void call_forget_result(Call *call);

/* database.c */

/* Open shared + pool connections, which connect by themselves, and as many to standbys if the setting
 * names some; NULL: no memory. */
extern Database *database_open(HttpThread *thread, int shared, int pool);
/* Likewise, without standbys. */
extern Database *database_open_primary(HttpThread *thread, int shared, int pool);
/* The connections to standbys; NULL: there are none. */
extern Database *database_standby(const Database *database);
/* End all calls; no other is accepted. */
extern void database_abandon(Database *database);
extern void database_close(Database *database);
/* The call is sent at the end of the loop's turn, together with all others of the turn:
 * otherwise each of them would wake a PostgreSQL process separately. */
extern void database_submit(Database *database, Call *call);
/* Send what waits; to be called at the end of each turn of the loop. */
extern void database_dispatch(Database *database);
/* Check deadlines; to be called several times a second. */
extern void database_tick(Database *database, int64_t now);

typedef enum UsageState
{
	USAGE_BUSY, /* a call is in flight */
	USAGE_IDLE,
	USAGE_DOWN, /* not connected, or not yet */
	USAGE_STATES
} UsageState;

typedef struct DatabaseUsage
{
	int connections[USAGE_STATES];
	int waiting;
} DatabaseUsage;

/* standby.c: milliseconds that the standbys of the connections that are up are behind, at most; -1: not known. */
extern int64_t standby_lag(const Database *standby);
/* Of the connections that quick reads share, or of the others; a late standby counts as down. */
extern DatabaseUsage database_usage(const Database *database, bool shared);

/* connect.c */
/* The first host is counted from 0 on, also beyond the last one, where the first one follows.
 * Timeouts of PostgreSQL are a little shorter than our own, so that PostgreSQL ends a slow call
 * and the connection can still be used.  The text format of values does not depend on settings
 * of the database or the role: cached answers would differ although no record has changed. */
extern PGconn *connect_start(const Settings *settings, const char *conninfo, int first_host);
/* The number of the host behind the one, of several, that the connection waits for; else the first one as it is. */
extern int connect_next_host(PGconn *pg, int first_host);

/* pg_connection.c */
/* Receive the next row of a stream, now or when it arrives. */
extern void pg_connection_continue(PgConnection *connection);
/* Close the connection, and discard the call in progress. */
extern void pg_connection_abandon(PgConnection *connection);

#endif
