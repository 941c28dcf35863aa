/*
 * database.h - the calls of the extension, and the connections that they go over.
 *
 * A part of shim.h, which is what the files include.
 */
#ifndef DATABASE_H
#define DATABASE_H

/* call.c */
typedef enum CallName
{
	CALL_NOT_IMPLEMENTED,
	CALL_LIST,
	CALL_ITEM,
	CALL_FIRST,
	CALL_LAST,
	CALL_COUNT,
	CALL_RELATED,
	CALL_DATASET_FILETYPES,
	CALL_FEED,
	CALL_USAGE,
	CALL_SEARCH,
	CALL_VERSIONS,
	CALL_CREATE,
	CALL_UPDATE,
	CALL_DELETE,
	CALL_RESTORE,
	CALL_DEACTIVATE,
	CALL_ACT,
	CALL_EXPORT,
	CALL_DESCRIBE,
	CALL_LOGIN,
	CALL_CONFIRM,
	CALL_LOGOUT,
	CALL_SESSION,
	CALL_CREDENTIAL,
	CALL_USE_KEY,
	CALL_CLIENT_TOKEN,
	CALL_ENTRY,
	CALL_ROLES,
	CALL_HEALTH,
	CALL_UPLOAD_BEGIN,
	CALL_UPLOAD_WRITE,
	CALL_UPLOAD_STATE,
	CALL_UPLOAD_FINISH,
	CALL_UPLOAD_DROP,
	CALL_DOWNLOAD,
	CALL_IMAGE,
	CALL_ARCHIVE,
	CALL_BLOB_BYTES,
	CALL_COUNT_DOWNLOAD,
	CALL_CATEGORY_DOWNLOADS,
	CALL_CANCEL_JOB,
	CALL_RECORD,
	CALL_CONTENTS,
	CALL_CONTENTS_EXPORT,
	CALL_COLUMNS,
	CALL_SCHEMA,
	CALL_ISSUES,
	CALL_SHEETS,
	CALL_FILE_RESOURCES,
	CALL_WEB_ACCESS,
	CALL_NAMES
} CallName;

typedef enum Argument
{
	ARGUMENT_RESOURCE,
	ARGUMENT_ID,
	ARGUMENT_RELATION,
	ARGUMENT_ACTION,
	ARGUMENT_QUERY,
	ARGUMENT_BODY,
	ARGUMENT_RETURN,
	ARGUMENT_RELATIONS,
	ARGUMENT_ACTOR,
	ARGUMENT_KNOWN,
	ARGUMENT_MATCH,
	ARGUMENT_FORMAT,
	ARGUMENT_BASE, /* address of the service */
	ARGUMENT_KEY,
	ARGUMENT_CONSUMER,
	ARGUMENT_WANTED,
	ARGUMENT_ADDRESS,
	ARGUMENT_TARGET,
	ARGUMENT_UPLOAD,
	ARGUMENT_DETAILS,
	ARGUMENT_FORM,
	ARGUMENT_TEXTS,
	ARGUMENT_STRICT,
} Argument;

typedef enum CallKind
{
	KIND_KEYED, /* a few index reads: shares a pipelined connection when the query is plain */
	KIND_PAGE,	/* so; else like KIND_SLOW, or behind others of this kind */
	KIND_SLOW,	/* reads, on a connection with nothing else in flight */
	KIND_WRITE, /* so, and is never made twice on its own account */
	KIND_STREAM /* like KIND_SLOW, with many rows, which are taken one by one */
} CallKind;

struct CallSpec
{
	const char *function; /* of schema catalogue; also the name of the prepared statement */
	CallKind kind;
	int count;
	Argument arguments[ARGUMENTS_MAXIMUM];
};

extern const CallSpec call_specs[CALL_NAMES];

#define RESULT_BINARY 1 /* what libpq is told: results are bytes, and not their text */

extern bool call_takes(const CallSpec *spec, Argument argument);
/* The text of the SQL statement of a call, in the given space. */
extern void call_statement(const CallSpec *spec, char *text, size_t size);
/* Send the statement of a call; false when the connection is gone. */
extern bool call_send(PGconn *pg, const Call *call);
/* Fill request->call for the named call and give it to the database. */
extern void call_start(Request *request, CallName name, void (*then)(Request *));

/* database.c: calls, and connections for them; pg_connection.c: one connection */
typedef enum CallResult
{
	RESULT_ANSWER,	/* call.result holds what PostgreSQL said */
	RESULT_AWAY,	/* no connection: nothing happened */
	RESULT_BUSY,	/* no connection in time, or too many waiting: nothing happened */
	RESULT_LATE,	/* the deadline passed */
	RESULT_UNKNOWN, /* the connection broke, or the standby did not confirm */
} CallResult;

/* What a call waits for; where several could be sent, those of an earlier queue are. */
typedef enum QueueName
{
	QUEUE_HASH_KNOWN,  /* as QUEUE_OWN, one of those that hash a password: by who has logged in, */
	QUEUE_HASH_NEW,	   /* who is not known, */
	QUEUE_HASH_FAILED, /* whose last password was wrong */
	QUEUE_STREAM,	   /* as QUEUE_OWN, of which streams take only a part */
	QUEUE_OWN,		   /* a lane with nothing else in flight; for a page, nothing but pages */
	QUEUE_SHARED,	   /* a lane that quick reads share */
	QUEUES
} QueueName;

#define QUEUE_HASH_LAST QUEUE_HASH_FAILED

/* login_history.c: which of the queues for a hash the request's call waits in */
extern QueueName login_history_queue(Request *request);

struct Call
{
	Call *next;
	Request *request; /* NULL: a call of the worker itself */
	const CallSpec *spec;
	QueueName queue;
	uint64_t client; /* whom the lane counts for, by client_key(); 0 on shared lanes: nobody */
	const char *arguments[ARGUMENTS_MAXIMUM];
	int bytes;			/* position, from 1, of the argument that is given as bytes; 0: none */
	int length;			/* of that argument */
	int64_t wait_until; /* to be sent by, milliseconds of the monotonic clock */
	int64_t deadline;	/* to be answered by */
	int tries;
	Call *joined;	  /* those that are answered with it */
	uint32_t hash;	  /* of the arguments that they have in common */
	bool alone;		  /* not to be joined with others */
	int rows;		  /* of the answer; */
	int row;		  /* its own one */
	bool unconfirmed; /* committed here, but a synchronous standby did not confirm */
	PGresult *result;
	int *users; /* calls that share the result; NULL: it is this call's alone */
	CallResult outcome;
	void (*done)(Call *);	 /* the call is over, with an outcome */
	void (*then)(Request *); /* what the request goes on with */
};

#include "fair_queue.h"

typedef enum LaneState
{
	LANE_DOWN, /* waiting for retry_at */
	LANE_CONNECTING,
	LANE_PREPARING,
	LANE_READY
} LaneState;

struct Lane
{
	Watch watch;
	Database *database;
	PGconn *pg;
	LaneState state;
	bool shared;
	int depth;			/* calls that may be in flight */
	CallQueue flight;	/* sent, oldest first */
	int group;			/* calls since the last Sync */
	int syncs;			/* sent and not come back */
	int preparing;		/* statements whose preparation is not confirmed */
	int failures;		/* attempts since it last was ready */
	int64_t retry_at;	/* milliseconds of the monotonic clock */
	int64_t connect_by; /* so */
	int64_t moved;		/* so: when the oldest call in flight became the oldest */
	bool broken;		/* to be closed as soon as nobody is using it */
	bool unsent;		/* calls have been given to libpq since the last flush */
	bool writing;		/* the loop is told to wait for room in the socket */
	bool held;			/* nothing is read until the stream has sent what it has */
	bool muted;			/* the loop is told so */
};

struct Database
{
	Worker *worker;
	int lanes; /* shared ones first */
	int shared;
	FairQueue waiting[QUEUES];
	Lane lane[];
};

extern Database *database_open(Worker *worker, int shared, int pool);
extern void database_abandon(Database *database);
extern void database_close(Database *database);
extern void database_submit(Database *database, Call *call);
extern void database_returned(Database *database, Call *call);
/* A call was not made, because one before it in its group failed: it is sent anew. */
extern void database_again(Database *database, Call *call);
extern void database_finish(Call *call, CallResult outcome);
/* Give a call that has answered a part as much time for the next. */
extern void database_extend(Call *call);
extern void database_dispatch(Database *database);
extern void database_tick(Database *database, int64_t now);

/* call_batch.c */
/*
 * Join a call with one of its client's that wait, from the first on, and can give its answer; false
 * where there is none.
 */
extern bool join_waiting(Call *first, Call *call);
/* Send a call that gives rows, one or more; false when the connection is gone. */
extern bool join_send(PGconn *pg, const Call *call);
/* Did a call for several rows fail?  Then nobody has an answer, and each is asked for by itself. */
extern bool join_failed(Database *database, Call *call);
/* What PostgreSQL has answered a call. */
typedef struct CallRow
{
	const char *state; /* SQLSTATE, where there is no such record; else NULL */
	const char *bytes; /* the packed reply; or the message, a text */
	size_t length;
} CallRow;

/* The one value of a result; false when that is not of the shape we know. */
extern bool call_value(const PGresult *result, CallRow *row);
/* The call's own row of its result; false when that is not of the shape we know. */
extern bool call_row(const Call *call, CallRow *row);
/* Give the outcome of a call to those that joined it. */
extern void join_finish(Database *database, Call *call, CallResult outcome);
extern void call_forget_result(Call *call);

/* connection_choice.c */
/* The lane that a call is sent on, NULL when it must wait. */
extern Lane *lane_for(Database *database, const Call *call);
/*
 * End a slow stream of a client that has more streams than that of the call, which waits for one.
 */
extern void lane_take_back(Database *database, const Call *call);

extern void lane_connect(Lane *lane, int64_t now);
extern bool lane_send(Lane *lane, Call *call);
extern void lane_flush(Lane *lane);
extern void lane_ready(Watch *watch, uint32_t events);
extern void lane_close(Lane *lane, const char *reason);
/* Take the next row of a stream, now or when it comes. */
extern void lane_go_on(Lane *lane);
/* Forget the call in flight: nobody wants its answer any more. */
extern void lane_abandon(Lane *lane);
extern void lane_tick(Lane *lane, int64_t now);
extern PGconn *lane_open(const Settings *settings);

#endif
