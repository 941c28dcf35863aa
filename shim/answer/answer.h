/*
 * answer.h - what is sent back: errors, entity tags, header fields, streams, log entries.
 *
 * Functions that can fail set an error as the answer; those that return StageResult return ANSWERED
 * then.
 *
 * Decisions: docs/explanation/decisions.md#shimanswer
 */
#ifndef ANSWER_H
#define ANSWER_H

#include <microhttpd.h>

#include "database/reply.h"
#include "net/net.h"
#include "shim.h"

#define ANSWER_MAXIMUM (256 << 20) /* bytes of an answer in memory */
#define ANSWER_FIELDS 8			   /* header fields that a transfer may set */

/* response.c */

typedef struct AnswerFields
{
	int count;
	struct
	{
		const char *name;
		const char *value;
	} field[ANSWER_FIELDS];
} AnswerFields;

/* Value of Content-Security-Policy: a document loads and runs nothing, and is no page of this
 * origin. */
#define POLICY_SANDBOX "sandbox; default-src 'none'; style-src 'unsafe-inline'"

/* Make the response, and write log and statistics; NULL: no memory. */
extern struct MHD_Response *response_make(Request *request);
/* Send an error on the socket while the body is being received; the connection ends then. */
extern void response_interrupt(Request *request);

typedef struct Stream
{
	PGresult *piece; /* what is being sent; NULL: nothing at the moment */
	const char *bytes;
	size_t length;
	size_t taken;
	bool suspended; /* the connection waits for the next piece */
	bool ended;		/* PostgreSQL has sent everything */
	bool failed;	/* before that was complete */
	Pace pace;
} Stream;

/* error.c: statuses, their codes and messages, and errors */
/* Answer with an error; message: NULL for that of the status.  Returns ANSWERED. */
extern StageResult error_set(Request *request, int status, const char *message);
/* Answer with the message of the status and a hint, a sentence that says what would be right. */
extern StageResult error_hint(Request *request, int status, const char *hint);
/* 413: the body is longer than the limit. */
extern StageResult error_too_large(Request *request);
/* Answer with an error and its faults, a JSON object. */
extern StageResult error_faults(Request *request, int status, const char *message,
								const char *faults);
/* Answer that user name and password do not match. */
extern StageResult error_login(Request *request);
/* The error that a call has ended with */
typedef struct CallError
{
	const char *sqlstate; /* NULL: PostgreSQL did not answer, or libpq raised it */
	const char *message;
	const char *detail;
	const char *hint;
} CallError;

/* Did the call fail? */
extern bool error_find(const Call *call, CallError *error);
/* The status of an error that the extension raised for the client; 0: it is none of these. */
extern int error_own_status(const CallError *error);
/* The JSON object with its details; NULL: none. */
extern const char *error_own_detail(const CallError *error);
/* Was the body of the request the cause, so that PostgreSQL did not execute the function? */
extern bool error_in_body(const Call *call);
/* Answer with the error.  Returns ANSWERED. */
extern StageResult error_answer(Request *request, const Call *call, const CallError *error);
/* Did the call fail?  Then the answer is its error. */
extern bool error_of(Request *request, const Call *call);
extern bool error_of_call(Request *request);
/* Append the code and the message of a status as two members. */
extern void error_status_members(Buffer *buffer, int status);
extern const char *error_code_of(int status);
extern const char *error_message_of(int status);
/* The messages of all statuses, a JSON object. */
extern struct json_t *error_messages(void);

/* condition.c: entity tags, If-Match and If-None-Match */
extern struct evp_md_ctx_st *condition_open(void);
extern void condition_close(struct evp_md_ctx_st *digest);
/* Read the conditions into the arguments of the call. */
extern StageResult condition_read(Request *request);
/* Does the state in the reply make a body unnecessary?  Then the answer is set. */
extern bool condition_unchanged(Request *request, const Reply *reply);
/* Set the entity tag of a body that has none; a condition may change the answer. */
extern void condition_seal(Request *request);
/* Set the entity tag, in quotes, of the answer; true: it is complete, since a condition made it 304 or 412. */
extern bool condition_tag(Request *request, const char *tag);
/* As condition_tag(), for bytes with a time of their last change in seconds since 1970, which becomes
 * Last-Modified; 0: not known. */
extern bool condition_tag_dated(Request *request, const char *tag, int64_t modified);
/* Is a tag, in quotes, in the list of a header field? */
extern bool condition_names(const char *list, const char *tag, bool weak_counts);

/* cors.c: pages of other origins */
/* Set the header fields that pages may send in the settings; false: no memory. */
extern bool cors_prepare(Settings *settings);
/* Add the header fields that browsers check. */
extern void cors_fields(struct MHD_Response *response, const Request *request);
/* The same as lines, for an answer that libmicrohttpd does not send. */
extern const char *cors_lines(const Settings *settings);

/* access_log.c */

extern void access_log_answer(Request *request, struct MHD_Response *response);
extern void access_log_count(Request *request);

/* stream.c */

/* A row was received and now belongs to the stream, or is dropped if the answer is an error.
 * Returns true if the next one can be sent. */
extern bool stream_take(Request *request, PGresult *row);
/* The call has ended; false: it brought no row, and the answer is still open. */
extern bool stream_ended(Request *request);
/* Free what the stream holds, and end its call. */
extern void stream_close(Request *request);
/* End the stream because another client waits for its connection. */
extern void stream_preempt(Request *request);
/* Break off: the closing of the connection must not look like the end of the body. */
extern ssize_t stream_break_off(const Request *request);
extern struct MHD_Response *stream_response(Request *request);

/* answer.c */
extern void answer_init(Answer *answer);
extern void answer_free(Answer *answer);
/* Empty the answer; a little memory of its buffers is kept. */
extern void answer_clear(Answer *answer);
/* Set a status without a body. */
extern void answer_status(Request *request, int status);
/* Set a header field, in place of a usual one of this name. */
extern void answer_field(Request *request, const char *name, const char *value);

#endif
