/*
 * request.h - a request: received, taken through its stages, answered.
 */
#ifndef REQUEST_H
#define REQUEST_H

#include "answer/envelope.h"
#include "auth/auth.h"
#include "net/header.h"
#include "transfer/transfer.h"

#define PARAMETERS_MAXIMUM 100 /* parameters of a query string; more is 400 */

/* access_handler.c */

extern struct MHD_Daemon *access_handler_daemon(HttpThread *thread);
extern void access_handler_tick(HttpThread *thread, int64_t now);

/* guard.c: the head and the target; errors are set as the answer */
/* Read and check the head. */
extern StageResult guard_request(Request *request);
extern StageResult guard_length(Request *request);
/* Was the request refused because of its framing?  Then the answer is set. */
extern bool guard_refused(Request *request);
/* Set path, words and query from the target. */
extern StageResult guard_split(Request *request);

/* body.c */
/* Refuse a body that is too large, has a byte that PostgreSQL's texts cannot contain,
 * or, by strict handling, members that no call takes.  A form becomes JSON. */
extern StageResult body_prepare(Request *request);
/* The type of forms that a route takes; NULL: none. */
extern const char *body_form_type(const Request *request, const Route *route);
/* The types of forms that create records, by resource. */
extern struct json_t *body_form_types(void);
/* Replace the form by a JSON object of strings. */
extern StageResult body_form_convert(Request *request);
/* Take the route of a batch if the body is of such a type, and the path takes it. */
extern void body_rows_choose(Request *request);
/* The types that a route takes, with a comma and a space between them; NULL: none. */
extern const char *body_rows_types(const Route *route);

/* negotiate.c */

extern StageResult negotiate_request(Request *request);
/* The preferences that the call of a route honours, with their defaults: "name=value, ...". */
extern const char *negotiate_preferences(Request *request, const Route *route);
/* The call that returns the list of a route as another type than JSON; CALL_NONE: none. */
extern CallName negotiate_stream_call(const Route *route);
/* The media types of the answers of a route, with a comma and a space between them; NULL: documents only. */
extern const char *negotiate_types(Request *request, const Route *route);
/* The further ones: an array of objects of type and resource, which is missing where any has it. */
extern struct json_t *negotiate_documents(Request *request, const Route *route);
/* All of those of a route on the request's path, likewise. */
extern const char *negotiate_answer_types(Request *request, const Route *route);

/* options.c: what a path offers */
/* What the call of a route takes: members of its body, or parameters; described: the resource, NULL for
 * none.  A new reference. */
extern struct json_t *options_parameters(const Request *request, const Route *route,
										 const struct json_t *described);
/* Answer OPTIONS, after describe() if the path belongs to a resource. */
extern StageResult options_answer(Request *request);
/* Answer 405 with Allow, or 404 if the resource does not have this path. */
extern StageResult options_refuse(Request *request);

/* route.c */

/* Set pattern, route and the words of the path; the pattern is NULL for an unknown path. */
extern void route_find(Request *request);
/* Is the route implemented, and has it the settings that it needs?  Otherwise it is 501. */
extern bool route_built(const Request *request, const Route *route);
/* The route of a verb on the request's path, NULL if there is none; HEAD is GET. */
extern const Route *route_for(const Request *request, Verb verb);
/* Split the target, and find its route. */
extern StageResult route_request(Request *request);

/* The routes of the table one after the other; NULL behind the last. */
extern const Route *route_at(size_t i);

/* openapi.c */
/* Start the call of /openapi.json. */
extern StageResult openapi_call(Request *request, StageResult (*then)(Request *));
/* Answer with the document, of the reply of that call. */
extern void openapi_answer(Request *request, const Reply *reply);
/* Free the documents that the thread has cached. */
extern void openapi_forget(HttpThread *thread);

/* request.c */

/* What the thread's lower folders call; for thread->events. */
extern const RequestEvents request_events;

/* A request with a head, which it owns from now on, or NULL; NULL: no memory. */
extern Request *request_new(HttpThread *thread, Client *client, struct Head *head);
extern void request_free(Request *request);
/* Free the memory that the thread keeps for further requests. */
extern void request_forget(HttpThread *thread);
/* Run the stages that are left.  Returns true if there is an answer or the body is
 * awaited; false: the connection was suspended. */
extern bool request_run(Request *request, StageResult progress);
/* Queue the answer; MHD_NO closes the connection without one. */
extern enum MHD_Result request_answer(Request *request);

/* redirect.c */

/* Answer 308 to the resource in the detail of an error, and to the record of the id if it has one. */
extern StageResult redirect_request(Request *request, const char *detail);
/* The request was refused before the extension has read its path: answer 308 if that begins with
 * the name of a model, else leave the answer as it is. */
extern StageResult redirect_refused(Request *request);
/* The path leads to no record: answer 308 if it led to one before that was renamed, else leave the
 * answer as it is. */
extern StageResult redirect_moved(Request *request);
/* The path is unknown: answer 308 if it begins with the name of a model, else 404. */
extern StageResult redirect_unknown(Request *request);

#endif
