/*
 * reply.h - what PostgreSQL returned for a call.
 */
#ifndef REPLY_H
#define REPLY_H

#include "database/database.h"

/* call.c */

typedef struct CallRow
{
	const char *sqlstate; /* of an error of this row; NULL: none */
	const char *bytes;	  /* the packed reply; or the message of the error */
	size_t length;
} CallRow;

/* The call's own row of its result; false if it does not have the expected shape. */
extern bool call_row(const Call *call, CallRow *row);

typedef struct Reply
{
	const char *resource;
	const char *id;
	const char *relations;
	const char *data;
	size_t data_length;
	bool is_list;
	int64_t count; /* -1: it is not known, "meta" has about that number */
	int64_t limit;
	int64_t skip;
	int64_t returned;
	const char *version;
	const char *ignored;
	const char *etag;	  /* NULL: the state is not known without the body */
	const char *next;	  /* value of "after" for the next page; NULL at the end */
	const char *previous; /* value of "before" for the previous page */
	const char *links;	  /* sub-paths of the record, comma-separated; actions begin with "+"; of a
						   * list the ids of its records, of rows "image"; of a write "-" where the caller sees none */
	const char *meta;	  /* further members of "meta", separated by commas; NULL: none */
} Reply;

/* Read the reply in a result; false if it is malformed. */
extern bool call_reply_of_result(const PGresult *result, Reply *reply);
extern bool call_reply(const Call *call, Reply *reply);
/* The text of the SQL statement of a call, in the given space. */
extern void call_statement(const CallSpec *spec, char *text, size_t size);

/* sqlstate.c: what an SQLSTATE means */
typedef enum Outcome
{
	OUTCOME_ANSWER,	   /* the result is an answer or an error for the client */
	OUTCOME_RETRY,	   /* nothing happened; the call may be made again */
	OUTCOME_READ_ONLY, /* nothing happened: the database can only be read */
	OUTCOME_BROKEN,	   /* as RETRY, and the connection cannot be used any more */
} Outcome;

typedef struct SqlState
{
	Outcome outcome;
	int status; /* 0: an error of the extension, whose SQLSTATE contains the status */
	bool body;	/* the body of the request is the cause */
} SqlState;

/* body: does the call carry a body? */
extern SqlState sqlstate_of(const PGresult *result, bool body);
extern Outcome sqlstate_outcome(const PGresult *result);
#define SQLSTATE_UNKNOWN_FUNCTION "42883"

#endif
